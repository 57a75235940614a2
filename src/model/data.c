/* model/data.c — see data.h. */
#include "model/data.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const int cap_data_impact_bins[CAP_IMPACTS_BINS] = {0,  1,   2,   3,   5,    8,    12,    20,
                                                    50, 100, 200, 500, 1000, 2000, 10000, -1};

cap_data *cap_data_create(const cap_model *m)
{
  size_t bytes = 0;
#define CAP_DATA_BYTES(type, name, count, unit, meaning)                                                     \
  bytes += ((size_t)(count) * sizeof(type) + 63) & ~(size_t)63;
  CAP_DATA_FIELDS(CAP_DATA_BYTES)
#undef CAP_DATA_BYTES
  bytes += (size_t)m->ninertia_work * sizeof(double);
  cap_data *d = calloc(1, sizeof *d);
  if (!d) return NULL;
  d->block = aligned_alloc(64, (bytes + 127) & ~(size_t)63);
  if (!d->block) {
    free(d);
    return NULL;
  }
  memset(d->block, 0, bytes + 64);
  unsigned char *at = d->block;
#define CAP_DATA_PLACE(type, name, count, unit, meaning)                                                     \
  d->name = (type *)(void *)at;                                                                              \
  at += ((size_t)(count) * sizeof(type) + 63) & ~(size_t)63;
  CAP_DATA_FIELDS(CAP_DATA_PLACE)
#undef CAP_DATA_PLACE
  d->inertia_work = (double *)(void *)at;
  d->q = d->y;
  d->v = d->y + m->nv * m->nlane;
  d->x = d->y + 2 * m->nv * m->nlane;
  cap_data_reset(m, d);
  return d;
}

void cap_data_free(cap_data *d)
{
  if (!d) return;
  free(d->block);
  free(d);
}

void cap_data_views(const cap_model *m, cap_data *d, cap_view views[CAP_DATA_NVIEW])
{
  int n = 0;
#define CAP_DATA_VIEW(type, name, count, unit, meaning)                                                      \
  views[n++] = (cap_view){#name,   unit,   meaning, _Generic((type)0, int64_t : true, default : false),      \
                          (count), d->name};
  CAP_DATA_FIELDS(CAP_DATA_VIEW)
#undef CAP_DATA_VIEW
}

static bool starts(const char *name)
{
  static const char *const own[] = {"t",     "input",   "work",         "integrator", "start_energy",
                                    "steps", "impacts", "impact_worst", "solves"};
  for (size_t k = 0; k < sizeof own / sizeof *own; k++)
    if (strcmp(name, own[k]) == 0) return false;
  return true;
}

int cap_data_start_views(const cap_model *m, cap_data *d, cap_view views[CAP_DATA_NVIEW])
{
  cap_view all[CAP_DATA_NVIEW];
  int n = 0;
  cap_data_views(m, d, all);
  for (int k = 0; k < CAP_DATA_NVIEW; k++)
    if (starts(all[k].name)) views[n++] = all[k];
  return n;
}

static const cap_view *view_named(int nview, const cap_view *views, const char *name)
{
  for (int k = 0; k < nview; k++)
    if (strcmp(views[k].name, name) == 0) return &views[k];
  return NULL;
}

cap_status cap_data_start_at(const cap_model *m, cap_data *d, int nview, const cap_view *views,
                             cap_error *error)
{
  cap_view own[CAP_DATA_NVIEW];
  int n = cap_data_start_views(m, d, own);
  for (int k = 0; k < n; k++) {
    const cap_view *given = view_named(nview, views, own[k].name);
    int64_t count = given ? given->count : 0;
    if (count != own[k].count)
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "the initial state has a different structure; expected %lld values of %s (%s), got %lld",
          (long long)own[k].count, own[k].name, own[k].meaning, (long long)count);
    if (given && given->integer != own[k].integer)
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the initial state has a different structure; expected that %s is %s",
                             own[k].name, own[k].integer ? "whole numbers" : "real numbers");
  }
  cap_data_reset(m, d);
  for (int k = 0; k < n; k++)
    if (own[k].count)
      memcpy(own[k].values, view_named(nview, views, own[k].name)->values, (size_t)own[k].count * 8);
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  cap_data_start_audit(m, d);
  return CAP_OK;
}

void cap_data_reset(const cap_model *m, cap_data *d)
{
  cap_view views[CAP_DATA_NVIEW];
  cap_data_views(m, d, views);
  for (int k = 0; k < CAP_DATA_NVIEW; k++) memset(views[k].values, 0, (size_t)views[k].count * 8);
  for (int l = 0; l < m->nlane; l++) d->t[l] = m->t0;
  if (m->ninput) memcpy(d->input, m->input_start, sizeof(double) * (size_t)(m->ninput * CAP_INPUT_NVALUE));
  memcpy(d->y, m->initial, sizeof(double) * (size_t)(m->nstate * m->nlane));
  cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
  cap_data_start_audit(m, d);
}

static void stored_energy(const cap_model *m, const cap_data *d, double *stored)
{
  cap_eval e = {.nlane = m->nlane,
                .t = d->t,
                .input = d->input,
                .q = d->q,
                .v = d->v,
                .x = d->x,
                .inertia_work = d->inertia_work};
  cap_model_energy(m, &e, stored);
}

void cap_data_start_audit(const cap_model *m, cap_data *d)
{
  memset(d->work, 0, sizeof(double) * (size_t)(m->nmech * m->nlane));
  memset(d->integrator, 0, sizeof(double) * (size_t)m->nlane);
  stored_energy(m, d, d->start_energy);
}

void cap_data_start_impacts(const cap_model *m, cap_data *d)
{
  if (!m->nset && !m->impulses) return;
  memset(d->impacts, 0, sizeof(int64_t) * CAP_IMPACTS_COUNT);
  memset(d->impact_worst, 0, sizeof(double) * CAP_WORST_COUNT);
}

void cap_data_copy(const cap_model *m, cap_data *to, const cap_data *from)
{
#define CAP_DATA_COPY(type, name, count, unit, meaning)                                                      \
  memcpy(to->name, from->name, (size_t)(count) * sizeof(type));
  CAP_DATA_FIELDS(CAP_DATA_COPY)
#undef CAP_DATA_COPY
}

uint64_t cap_data_hash(const cap_model *m, const cap_data *d)
{
  cap_hash hash;
  cap_hash_init(&hash, 0);
#define CAP_DATA_HASH(type, name, count, unit, meaning)                                                      \
  cap_hash_add(&hash, d->name, (size_t)(count) * sizeof(type));
  CAP_DATA_FIELDS(CAP_DATA_HASH)
#undef CAP_DATA_HASH
  return cap_hash_value(&hash);
}

static double kinetic_energy(const cap_model *m, const cap_data *d, int lane)
{
  double sum = 0.0;
  for (int i = 0; i < m->nv; i++) {
    double v = m->base[i * m->nlane + lane] + d->v[i * m->nlane + lane];
    if (m->driven[i] < 0) sum += 0.5 * m->mass[i * m->nlane + lane] * v * v;
  }
  return m->ninertia ? sum + cap_inertia_energy(m, d->q, d->v, d->inertia_work) : sum;
}

int cap_data_balance(const cap_model *m, const cap_data *d, int lane, cap_balance_line *lines, double *scale)
{
  double stored[CAP_LANES_MOST], input = 0.0, turnover = 0.0, lost = 0.0;
  int n = 0, nlane = m->nlane;
  stored_energy(m, d, stored);
  double growth = stored[lane] - d->start_energy[lane];
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < m->nmech; k++) {
      if (m->mechs[k].input != (pass == 0)) continue;
      double energy = d->work[k * nlane + lane];
      lines[n++] = (cap_balance_line){m->mechs[k].name, pass == 0 ? "input" : "dissipated", energy};
      *(pass == 0 ? &input : &lost) += energy;
      turnover += fabs(energy);
    }
  double residual = input - growth - lost - d->integrator[lane];
  lines[n++] = (cap_balance_line){"stored energy", "stored", growth};
  lines[n++] = (cap_balance_line){"time integration", "integrator", d->integrator[lane]};
  lines[n++] = (cap_balance_line){"residual", "residual", residual};
  /* half of all that went in and out: the energy that passed through; of bodies that roll freely, through
   * which nothing passes, the energy of their motion (what runs through itself has much of that, whatever
   * passes) */
  *scale = 0.5 * (turnover + fabs(growth));
  if (m->ncontact || (m->ninertia && !m->subject.type->runs))
    *scale = fmax(*scale, kinetic_energy(m, d, lane));
  return n;
}
