/* step/stepper.c — the list of steppers, and which model each of them can take. */
#include "step/stepper.h"
#include "model/impulse.h"
#include "step/exact/exact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const cap_stepper_type *const cap_stepper_types[] = {&cap_propagate_type,
                                                     &cap_theta_midpoint_type,
                                                     &cap_theta_euler_type,
                                                     &cap_moreau_type,
                                                     &cap_timestepping_type,
                                                     &cap_leapfrog_type,
                                                     &cap_multirate_type,
                                                     &cap_rk4_type,
                                                     &cap_cvode_type,
                                                     &cap_extrapolate_type,
                                                     &cap_radau_type,
                                                     &cap_ida_type,
                                                     NULL};

static bool has_jump(const cap_model *m)
{
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->jumps && k < m->batches[b].n; k++)
      for (int l = 0; l < m->nlane; l++)
        if (m->batches[b].type->jumps(&m->batches[b], k, l)) return true;
  return false;
}

/* Whether a force with corners, which `extrapolation` continues beyond them, acts on a block of inertia. */
static bool has_pieces_on_blocks(const cap_model *m)
{
  for (int b = 0; m->ninertia && b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->pieces && k < m->batches[b].n; k++)
      if (cap_inertia_of(m, m->batches[b].i[k]) || cap_inertia_of(m, m->batches[b].j[k])) return true;
  return false;
}

static bool has_regularised(const cap_model *m)
{
  for (int i = 0; i < m->ncontactbatch; i++)
    if (m->contacts[i].kind == CAP_LAW_REGULARISED) return true;
  return false;
}

/* Whether some mass matrix depends on the state. */
static bool has_turning(const cap_model *m)
{
  for (int k = 0; k < m->ninertia; k++)
    if (m->inertias[k].type->turn) return true;
  return false;
}

/* Sliders whose force an explicit step would have to find with the whole matrix of a body. */
static bool has_sliders_on_blocks(const cap_model *m)
{
  for (int s = 0; m->ninertia && s < m->nslider; s++)
    if (cap_inertia_of(m, m->slider_i[s]) || cap_inertia_of(m, m->slider_j[s])) return true;
  return false;
}

static bool is_staggered(const cap_stepper_type *type)
{
  return type == &cap_leapfrog_type || type == &cap_multirate_type;
}

static bool has_coulomb(const cap_model *m)
{
  for (int s = 0; s < m->nslider; s++)
    if (isinf(m->slider_k[s])) return true;
  return false;
}

/* Whether the elastic motion of all bodies within themselves can be taken implicitly. */
static bool all_stiff(const cap_model *m)
{
  for (int k = 0; k < m->ninertia; k++)
    if (!m->inertias[k].type->stiff) return false;
  return m->ninertia > 0;
}

double cap_stepper_fastest(const cap_stepper_type *type, const cap_model *m)
{
  bool parts = type == &cap_multirate_type;
  double fastest = parts && all_stiff(m) ? m->fastest : fmax(m->fastest, m->fastest_body);
  return parts ? fastest : fmax(fastest, m->fastest_inner);
}

const char *cap_stepper_obstacle(const cap_stepper_type *type, const cap_model *m)
{
  if (m->nset && !type->impacts) return "it has set-valued contacts";
  if (type == &cap_timestepping_type && !m->nset && !m->ninertia && !has_regularised(m))
    return "it has no contacts that part";
  if (m->impulses && type != &cap_multirate_type) return m->impulses->obstacle;
  if (m->march_only && !type->marches)
    return "an element of it moves its inner states only along with explicit staggered steps";
  if (is_staggered(type) && m->ncontact) return "it has contacts";
  if (m->ninertia && !type->inertia) return "it has a body with a mass matrix that is not diagonal";
  if (type == &cap_leapfrog_type && has_turning(m)) return "it has a body with a varying mass matrix";
  if (is_staggered(type) && has_sliders_on_blocks(m))
    return "dry friction acts on a body with a mass matrix that is not diagonal";
  if (type == &cap_multirate_type && m->nfast && has_coulomb(m))
    return "it has Coulomb friction without compliance beside fast elements";
  if (type == &cap_extrapolate_type && has_pieces_on_blocks(m))
    return "a force with corners acts on a body with a mass matrix that is not diagonal";
  if (m->nslider && !type->sliders) return "it has dry friction with a set-valued law";
  if (!m->linear && !type->smooth) return "it has an element that is not linear";
  if (m->nideal && !type->constraints) return "it has ideal rolling constraints";
  if (m->nlane > 1 && !type->lanes) return "it is an ensemble";
  if ((type == &cap_extrapolate_type || type == &cap_radau_type) && has_regularised(m))
    return "it has contacts that part";
  if ((type == &cap_extrapolate_type || type == &cap_radau_type) && has_jump(m))
    return "it has an element whose force jumps";
  if ((type == &cap_radau_type || type == &cap_ida_type) && m->reversal)
    return "it has a law that changes form at reversals";
  if (type != &cap_propagate_type) return NULL;
  if (m->nslider > CAP_EXACT_MOST_SLIDERS) return "it has more than 64 friction elements";
  for (int s = 0; s < m->nslider * m->nlane; s++)
    if (!isfinite(m->slider_k[s])) return "it has Coulomb friction without compliance";
  for (int k = 0; k < m->nmotion * m->nlane; k++)
    if (m->motions[k].nspeed) return "its imposed motion turns on and on, it is not harmonic";
  for (int k = 0; k < m->nmotion * m->nlane; k++)
    if (m->motions[k].nsample) return "its imposed motion is sampled, not harmonic";
  return NULL;
}

const cap_stepper_type *cap_stepper_best(const cap_model *m)
{
  if (m->nfast || (m->march_only && cap_stepper_obstacle(&cap_leapfrog_type, m))) return &cap_multirate_type;
  if (m->marches || m->march_only) return &cap_leapfrog_type;
  if (!cap_stepper_obstacle(&cap_propagate_type, m)) return &cap_propagate_type;
  if (m->nset) return &cap_timestepping_type;
  if (m->nideal) return &cap_extrapolate_type;
  if (m->ncontact && !cap_stepper_obstacle(&cap_radau_type, m)) return &cap_radau_type;
  return m->nslider ? &cap_theta_midpoint_type : &cap_cvode_type;
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

cap_status cap_stepper_create(const cap_stepper_type *type, const cap_model *m,
                              const cap_stepper_settings *settings, cap_stepper *stepper, cap_error *error)
{
  *stepper = (cap_stepper){.type = type};
  const char *reason = cap_stepper_obstacle(type, m);
  if (!reason) return type->create(m, settings, &stepper->memory, error);
  char fitting[256];
  cap_stepper_fitting(m, fitting, sizeof fitting);
  return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                         "method \"%s\" cannot compute this system: %s; use one of: %s", type->name, reason,
                         fitting);
}

void cap_stepper_free(cap_stepper *stepper)
{
  if (stepper->type) stepper->type->free(stepper->memory);
  *stepper = (cap_stepper){0};
}

cap_status cap_stepper_advance(cap_stepper *stepper, const cap_model *m, cap_data *d, const double *t_end,
                               double *tangent, cap_error *error)
{
  return stepper->type->advance(stepper->memory, m, d, t_end, tangent, error);
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
  return count < 1.0 ? 1 : (int64_t)count;
}
