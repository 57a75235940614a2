/* model/linearise.c — see linearise.h. */
#include "model/linearise.h"

#include <math.h>

/* A linear expression in the free coordinates, their velocities and the harmonics, being collected. */
typedef struct context {
  const cap_model *m;
  int lane;
  const cap_linear *linear;
  const int *free_dof;
} context;

/* Imposed position and velocity of a driven coordinate: mean + qc cos + qs sin, vc cos + vs sin. */
typedef struct imposed {
  double mean, qc, qs, vc, vs;
  int harmonic;
} imposed;

static int find_harmonic(const cap_linear *linear, double angular_frequency)
{
  for (int k = 0; k < linear->nharmonic; k++)
    if (linear->angular_frequency[k] == angular_frequency) return k;
  return -1;
}

static imposed imposed_motion(const context *c, int dof)
{
  const cap_motion *motion = &c->m->motions[c->m->driven[dof] * c->m->nlane + c->lane];
  double sine = motion->amplitude * sin(motion->phase), cosine = motion->amplitude * cos(motion->phase);
  /* a harmonic of no angular frequency is a constant */
  return (imposed){motion->angular_frequency == 0.0 ? motion->mean + sine : motion->mean,
                   sine,
                   cosine,
                   motion->angular_frequency * cosine,
                   -motion->angular_frequency * sine,
                   find_harmonic(c->linear, motion->angular_frequency)};
}

static cap_linear_part part_of(const cap_batch *b, int k, int lane)
{
  cap_linear_part part = {0};
  b->type->linear(b, k, lane, &part);
  return part;
}

static cap_status check(const cap_model *m, int lane, cap_error *error)
{
  for (int k = 0; k < m->nbatch; k++)
    if (!m->batches[k].type->linear)
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "%s is not piecewise linear (%s); expected piecewise-linear elements; use "
                             "another method than exact",
                             m->elem_name[m->batches[k].elem_adr], m->batches[k].type->name);
  for (int s = 0; s < m->nslider; s++)
    if (!isfinite(m->slider_k[s * m->nlane + lane]))
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "%s is Coulomb friction without compliance; expected a friction stiffness; use "
                             "another method than exact",
                             m->slider_name[s]);
  for (int k = 0; k < m->nmotion; k++)
    if (m->motions[k * m->nlane + lane].nspeed)
      return cap_status_fail(
          error, CAP_ERR_UNSUPPORTED,
          "%s rotates continuously; expected a harmonic motion; use another method than exact",
          m->dof_name[m->motion_dof[k]]);
  for (int k = 0; k < m->nmotion; k++)
    if (m->motions[k * m->nlane + lane].nsample)
      return cap_status_fail(
          error, CAP_ERR_UNSUPPORTED,
          "the prescribed motion of %s is sampled; expected a harmonic motion; use another method than exact",
          m->dof_name[m->motion_dof[k]]);
  return CAP_OK;
}

/* Distinct angular frequencies of loads and motions. */
static int collect_angular_frequencies(const cap_model *m, int lane, double *list)
{
  int n = 0;
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++) list[n++] = part_of(&m->batches[b], k, lane).angular_frequency;
  for (int k = 0; k < m->nmotion; k++) {
    const cap_motion *motion = &m->motions[k * m->nlane + lane];
    list[n++] = motion->amplitude != 0.0 ? motion->angular_frequency : 0.0;
  }
  int kept = 0;
  for (int i = 0; i < n; i++) {
    bool seen = list[i] == 0.0;
    for (int j = 0; j < kept; j++) seen = seen || list[j] == list[i];
    if (!seen) list[kept++] = list[i];
  }
  return kept;
}

/* Force `sign * (k u_e + c v_e)` on free coordinate `row`, where e is one end of the element. */
static void couple(const context *c, cap_linear *lin, int row, int end, double sign, double k, double damping)
{
  if (end == CAP_GROUND) return;
  int column = c->free_dof[end];
  if (column >= 0) {
    lin->stiffness[row * lin->nv + column] += sign * k;
    lin->damping[row * lin->nv + column] += sign * damping;
    return;
  }
  imposed d = imposed_motion(c, end);
  lin->f0[row] -= sign * k * d.mean;
  if (d.harmonic < 0) return;
  lin->fc[d.harmonic * lin->nv + row] -= sign * (k * d.qc + damping * d.vc);
  lin->fs[d.harmonic * lin->nv + row] -= sign * (k * d.qs + damping * d.vs);
}

static void add_element(const context *c, cap_linear *lin, const cap_batch *b, int k)
{
  cap_linear_part p = part_of(b, k, c->lane);
  int ends[2] = {b->i[k], b->j[k]};
  int harmonic = p.angular_frequency != 0.0 ? find_harmonic(lin, p.angular_frequency) : -1;
  for (int side = 0; side < 2; side++) {
    int row = ends[side] == CAP_GROUND ? -1 : c->free_dof[ends[side]];
    if (row < 0) continue;
    double sign = side == 0 ? 1.0 : -1.0;
    couple(c, lin, row, ends[0], sign, p.k, p.c);
    couple(c, lin, row, ends[1], -sign, p.k, p.c);
    lin->f0[row] -= sign * p.f0;
    if (harmonic < 0) continue;
    lin->fc[harmonic * lin->nv + row] += sign * p.fc;
    lin->fs[harmonic * lin->nv + row] += sign * p.fs;
  }
}

static void add_slider(const context *c, cap_linear *lin, int s)
{
  const cap_model *m = c->m;
  lin->k[s] = m->slider_k[s * m->nlane + c->lane];
  lin->limit[s] = m->slider_limit[s * m->nlane + c->lane];
  int ends[2] = {m->slider_i[s], m->slider_j[s]};
  for (int side = 0; side < 2; side++) {
    if (ends[side] == CAP_GROUND) continue;
    double sign = side == 0 ? 1.0 : -1.0;
    int column = c->free_dof[ends[side]];
    if (column >= 0) {
      lin->b[s * lin->nv + column] += sign;
      continue;
    }
    imposed d = imposed_motion(c, ends[side]);
    if (d.harmonic < 0) continue;
    lin->dc[s * lin->nharmonic + d.harmonic] += sign * d.qc;
    lin->ds[s * lin->nharmonic + d.harmonic] += sign * d.qs;
  }
}

cap_status cap_linearise_model(const cap_model *m, int lane, cap_arena *arena, cap_linear *linear,
                               int *free_dof, cap_error *error)
{
  CAP_TRY(check(m, lane, error));
  int nfree = 0;
  for (int i = 0; i < m->nv; i++) free_dof[i] = m->driven[i] >= 0 ? -1 : nfree++;
  double *angular_frequencies = CAP_ARENA_NEW(arena, double, m->nelem + m->nmotion);
  if (!angular_frequencies) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int nharmonic = collect_angular_frequencies(m, lane, angular_frequencies);
  if (cap_linear_create(arena, nfree, nharmonic, m->nslider, linear) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  linear->progress = m->progress;
  for (int k = 0; k < nharmonic; k++) linear->angular_frequency[k] = angular_frequencies[k];
  for (int i = 0; i < m->nv; i++)
    if (free_dof[i] >= 0) linear->mass[free_dof[i] * (nfree + 1)] = m->mass[i * m->nlane + lane];
  context c = {m, lane, linear, free_dof};
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n; k++) add_element(&c, linear, &m->batches[b], k);
  for (int s = 0; s < m->nslider; s++) add_slider(&c, linear, s);
  return CAP_OK;
}

/* ---- channels ------------------------------------------------------------------------------------------ */

typedef struct output {
  double *c0, *cq, *cv, *cz, *cc, *cs;
} output;

static void add_position(const context *c, const output *out, int dof, double factor)
{
  if (dof == CAP_GROUND) return;
  if (c->free_dof[dof] >= 0) {
    out->cq[c->free_dof[dof]] += factor;
    return;
  }
  imposed d = imposed_motion(c, dof);
  *out->c0 += factor * d.mean;
  if (d.harmonic < 0) return;
  out->cc[d.harmonic] += factor * d.qc;
  out->cs[d.harmonic] += factor * d.qs;
}

static void add_velocity(const context *c, const output *out, int dof, double factor)
{
  if (dof == CAP_GROUND) return;
  if (c->free_dof[dof] >= 0) {
    out->cv[c->free_dof[dof]] += factor;
    return;
  }
  imposed d = imposed_motion(c, dof);
  if (d.harmonic < 0) return;
  out->cc[d.harmonic] += factor * d.vc;
  out->cs[d.harmonic] += factor * d.vs;
}

static void add_force(const context *c, const output *out, int element, double factor)
{
  const cap_model *m = c->m;
  int b = 0;
  while (element >= m->batches[b].elem_adr + m->batches[b].n) b++;
  const cap_batch *batch = &m->batches[b];
  int k = element - batch->elem_adr;
  cap_linear_part p = part_of(batch, k, c->lane);
  *out->c0 += factor * p.f0;
  add_position(c, out, batch->i[k], factor * p.k);
  add_position(c, out, batch->j[k], -factor * p.k);
  add_velocity(c, out, batch->i[k], factor * p.c);
  add_velocity(c, out, batch->j[k], -factor * p.c);
  if (p.angular_frequency == 0.0) return;
  int harmonic = find_harmonic(c->linear, p.angular_frequency);
  /* fc, fs are applied loads, the force of an element is what resists: hence the sign */
  out->cc[harmonic] -= factor * p.fc;
  out->cs[harmonic] -= factor * p.fs;
}

cap_status cap_linearise_channel(const cap_model *m, const cap_channel *channel, int lane,
                                 const cap_linear *linear, const int *free_dof, cap_arena *arena,
                                 cap_functional *functional, cap_error *error)
{
  context c = {m, lane, linear, free_dof};
  output out = {&functional->c0,
                CAP_ARENA_NEW(arena, double, linear->nv),
                CAP_ARENA_NEW(arena, double, linear->nv),
                CAP_ARENA_NEW(arena, double, linear->nslider),
                CAP_ARENA_NEW(arena, double, linear->nharmonic),
                CAP_ARENA_NEW(arena, double, linear->nharmonic)};
  if (!out.cq || !out.cv || !out.cz || !out.cc || !out.cs)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  functional->c0 = 0.0;
  for (int t = 0; t < channel->nterm; t++) {
    const cap_term *term = &channel->terms[t];
    double factor = channel->factors[t * m->nlane + lane];
    switch (term->kind) {
    case CAP_TERM_CONSTANT:
      functional->c0 += factor;
      break;
    case CAP_TERM_Q:
      add_position(&c, &out, term->index, factor);
      break;
    case CAP_TERM_V:
      add_velocity(&c, &out, term->index, factor);
      break;
    case CAP_TERM_SLIDER:
    case CAP_TERM_X:
      out.cz[term->index - (m->nx - m->nslider)] += factor;
      break;
    case CAP_TERM_FORCE:
      add_force(&c, &out, term->index, factor);
      break;
    default: /* the builder has turned all others into these */
      break;
    }
  }
  functional->cq = out.cq;
  functional->cv = out.cv;
  functional->cz = out.cz;
  functional->cc = out.cc;
  functional->cs = out.cs;
  return CAP_OK;
}
