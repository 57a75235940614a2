/* step/stepper.c — which of the steppers can take a model, and which suits it best. */
#include "step/stepper.h"
#include "base/hash.h"
#include "base/whole.h"
#include "model/impulse.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LISTED(x_, ...) &cap_##x_##_type,
const cap_stepper_type *const cap_stepper_types[] = {CAP_STEPPERS(LISTED) NULL};

bool cap_stepper_jumping(const cap_model *m)
{
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->jumps && k < m->batches[b].n; k++)
      for (int l = 0; l < m->nlane; l++)
        if (m->batches[b].type->jumps(&m->batches[b], k, l)) return true;
  return false;
}

bool cap_stepper_parting(const cap_model *m)
{
  for (int i = 0; i < m->ncontactbatch; i++)
    if (m->contacts[i].kind == CAP_LAW_REGULARISED) return true;
  return false;
}

double cap_stepper_fastest(const cap_stepper_type *type, const cap_model *m)
{
  return type->fastest ? type->fastest(m) : fmax(fmax(m->fastest, m->fastest_body), m->fastest_inner);
}

const char *cap_stepper_misses_bodies(const cap_stepper_type *type, const cap_model *m)
{
  if (m->nset && !type->impacts) return "it has set-valued contacts";
  if (m->impulses && !type->held) return m->impulses->obstacle;
  if (m->march_only && !type->marches)
    return "one of its elements needs explicit staggered steps for its internal variables";
  if (m->ninertia && !type->inertia) return "it has a body with a non-diagonal mass matrix";
  return NULL;
}

const char *cap_stepper_misses_laws(const cap_stepper_type *type, const cap_model *m)
{
  if (m->nslider && !type->sliders) return "it has dry friction with a set-valued law";
  if (!m->linear && !type->smooth) return "it has a nonlinear element";
  if (m->ninput && type->frozen) return "it has inputs, which vary as nobody knows beforehand";
  if (m->nideal && !type->constraints) return "it has ideal rolling constraints";
  if (m->nlane > 1 && !type->lanes) return "it is an ensemble";
  return NULL;
}

const char *cap_stepper_misses(const cap_stepper_type *type, const cap_model *m)
{
  const char *reason = cap_stepper_misses_bodies(type, m);
  return reason ? reason : cap_stepper_misses_laws(type, m);
}

const char *cap_stepper_obstacle(const cap_stepper_type *type, const cap_model *m)
{
  return type->obstacle ? type->obstacle(type, m) : cap_stepper_misses(type, m);
}

static const cap_stepper_type *highest(const cap_model *m, bool moving)
{
  const cap_stepper_type *best = NULL;
  int most = 0;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    int rank = type->suits ? type->suits(type, m) : 0,
        moves = moving && type->moves ? type->moves(type, m) : 0;
    if (moves > rank) rank = moves;
    if (rank > most) most = rank, best = type;
  }
  assert(best); /* cvode suits every model */
  return best;
}

const cap_stepper_type *cap_stepper_best(const cap_model *m)
{
  return highest(m, false);
}

const cap_stepper_type *cap_stepper_mover(const cap_model *m)
{
  return highest(m, true);
}

void cap_stepper_fitting(const cap_model *m, char *names, size_t size)
{
  names[0] = 0;
  for (int k = 0; cap_stepper_types[k]; k++)
    if (!cap_stepper_obstacle(cap_stepper_types[k], m)) {
      size_t used = strlen(names);
      snprintf(names + used, size - used, "%s%s", used ? ", " : "", cap_stepper_types[k]->name);
    }
}

/* ---- what is carried over an advance ------------------------------------------------------------------- */

enum { ENDED_DATA, ENDED_INPUTS, ENDED_COUNT };

static void add(cap_hash *hash, const void *values, int64_t count)
{
  cap_hash_add(hash, values, (size_t)count * 8);
}

/* What the next step follows from, but for the inputs. */
static int64_t hash_of_data(const cap_model *m, const cap_data *d)
{
  cap_hash hash;
  cap_hash_init(&hash, 0);
  add(&hash, d->t, m->nlane);
  add(&hash, d->y, (int64_t)m->nstate * m->nlane);
  add(&hash, d->regime, (int64_t)m->nslider * m->nlane);
  add(&hash, d->sense, (int64_t)m->nelem * m->nlane);
  int64_t value = (int64_t)cap_hash_value(&hash);
  return value ? value : 1; /* 0: nothing is carried */
}

static int64_t hash_of_inputs(const cap_model *m, const cap_data *d)
{
  return (int64_t)cap_hash_bytes(d->input, sizeof(double) * (size_t)(m->ninput * CAP_INPUT_NVALUE));
}

static cap_stepper_left left_of(const cap_stepper *s, const cap_model *m, const cap_data *d)
{
  if (s->ended[ENDED_DATA] == 0 || s->ended[ENDED_DATA] != hash_of_data(m, d)) return CAP_STEPPER_MOVED;
  return s->ended[ENDED_INPUTS] != hash_of_inputs(m, d) ? CAP_STEPPER_DRIVEN : CAP_STEPPER_WHOLE;
}

int cap_stepper_views(const cap_stepper *stepper, cap_view views[CAP_STEPPER_NVIEW])
{
  if (!stepper->ended) return 0;
  views[0] = (cap_view){CAP_VIEW_CARRIED "ended",
                        "1",
                        "hashes of the data and of the inputs where the last advance ended",
                        true,
                        ENDED_COUNT,
                        stepper->ended};
  return 1 + stepper->type->views(stepper->memory, views + 1);
}

void cap_stepper_forget(cap_stepper *stepper)
{
  if (stepper->ended) memset(stepper->ended, 0, sizeof *stepper->ended * ENDED_COUNT);
}

cap_status cap_stepper_create(const cap_stepper_type *type, const cap_model *m,
                              const cap_stepper_settings *settings, cap_stepper *stepper, cap_error *error)
{
  *stepper = (cap_stepper){.type = type};
  const char *reason = cap_stepper_obstacle(type, m);
  if (!reason) {
    if (settings->carry && type->views && !(stepper->ended = calloc(ENDED_COUNT, sizeof *stepper->ended)))
      return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    cap_status status = type->create(m, settings, &stepper->memory, error);
    if (status != CAP_OK) {
      free(stepper->ended);
      stepper->ended = NULL;
    }
    return status;
  }
  char fitting[256];
  cap_stepper_fitting(m, fitting, sizeof fitting);
  return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                         "the method \"%s\" cannot compute this system: %s; use one of: %s", type->name,
                         reason, fitting);
}

void cap_stepper_free(cap_stepper *stepper)
{
  if (stepper->type) stepper->type->free(stepper->memory);
  free(stepper->ended);
  *stepper = (cap_stepper){0};
}

cap_status cap_stepper_advance(cap_stepper *stepper, const cap_model *m, cap_data *d, const double *t_end,
                               double *tangent, cap_error *error)
{
  const cap_stepper_type *type = stepper->type;
  if (!stepper->ended) return type->advance(stepper->memory, m, d, t_end, tangent, error);
  type->resume(stepper->memory, left_of(stepper, m, d));
  cap_stepper_forget(stepper); /* what a failed advance leaves is of no use */
  CAP_TRY(type->advance(stepper->memory, m, d, t_end, tangent, error));
  stepper->ended[ENDED_DATA] = hash_of_data(m, d);
  stepper->ended[ENDED_INPUTS] = hash_of_inputs(m, d);
  return CAP_OK;
}

/* The deflection of a stiff contact is a multiplier in disguise (force over stiffness): multistep methods
 * have it worse than velocities by one order of the step, and a test of it relative to its own size is hard
 * to meet, the more so the stiffer the contact. It need not be better than what the contact makes of the
 * velocities' tolerance within its own time (docs/theory.md §19.5). */
double cap_stepper_inner_size(const cap_model *m, int k, double speed)
{
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    int place = k - b->x_adr;
    if (b->kind == CAP_LAW_VISCOELASTIC && place >= 0 && place < b->n * b->type->nrow)
      return fmax(m->x_size[k], speed / m->fastest);
  }
  return m->x_size[k];
}

int64_t cap_stepper_count(const cap_model *m, const cap_data *d, const double *t_end, double step)
{
  double longest = 0.0;
  for (int l = 0; l < m->nlane; l++) longest = fmax(longest, t_end[l] - d->t[l]);
  /* a quotient that is whole up to rounding shall not cost one more step */
  double count = ceil(longest / step * (1.0 - 1e-12));
  return capm_whole_wide(count, 1, (int64_t)1 << 62);
}
