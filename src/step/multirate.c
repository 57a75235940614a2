/* step/multirate.c — staggered steps in which fast elements go in parts of the step.
 *
 * Maths: docs/theory.md §47. Slow elements are evaluated once a step H, fast ones (cap_element_type.fast) in
 * each of n parts of it; bodies that can be stiffened (cap_inertia_type.stiff) do not bound the step by their
 * own elastic motion (step/staggered.c).
 */
#include "base/whole.h"
#include "step/staggered.h"

#include <math.h>

enum { SUBSTEPS_MOST = 1000 };
/* Where they are not given: of the largest stable step, of the largest stable part of it, and of the longest
 * step over which slow forces may be held beside fast elements. */
static const double step_share = CAP_STAGGERED_SHARE, part_share = 0.9, held_share = 0.8;

/* What bounds the step and its parts, rad/s. */
typedef struct limits {
  double slow, fast;
  double held; /* s, of a step in parts; INFINITY: none */
} limits;

/* Whether the elastic motion of all bodies within themselves can be taken implicitly. */
static bool all_stiff(const cap_model *m)
{
  for (int k = 0; k < m->ninertia; k++)
    if (!m->inertias[k].type->stiff) return false;
  return m->ninertia > 0;
}

/* That of the slow elements. */
static double fastest(const cap_model *m)
{
  return all_stiff(m) ? m->fastest : fmax(m->fastest, m->fastest_body);
}

static limits limits_of(const cap_model *m)
{
  double fast = m->nfast ? m->fastest_inner : 0.0;
  /* what the fast elements take without parts is never too long */
  double held = m->coarsest > 0.0 && fast > 0.0 ? fmax(m->coarsest, 2.0 / fast) : INFINITY;
  return (limits){fmax(fastest(m), cap_staggered_sliders(m)), fast, held};
}

/* Parts of a step; none of them is above its limit. */
static int parts_of(const limits *l, double step, double share)
{
  double n = ceil(step * l->fast / (2.0 * share) * (1.0 - 1e-12));
  return capm_whole_between(n, 1, SUBSTEPS_MOST);
}

/* The step where none is given. */
static double step_of(const limits *l)
{
  double alone = l->slow > 0.0 ? step_share * 2.0 / l->slow : part_share * 2.0 / l->fast;
  return fmin(alone, held_share * l->held);
}

static cap_status choose(const cap_model *m, const cap_stepper_settings *s, cap_staggered_plan *plan,
                         cap_error *error)
{
  limits l = limits_of(m);
  *plan = (cap_staggered_plan){
      .method = "multirate", .step = s->step, .substeps = m->nfast ? s->substeps : 1, .stiffen = true};
  if (!(plan->step > 0.0) && !(l.slow > 0.0) && !(l.fast > 0.0))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the method \"multirate\" has no step of its own for this system; expected a step");
  if (!(plan->step > 0.0)) plan->step = step_of(&l);
  if (!(plan->step * l.slow <= 2.0))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "the step of %.3g s is above the stability limit of the method \"multirate\"; expected at most %.3g "
        "s (fastest angular frequency of the slow elements %.3g rad/s)",
        plan->step, 2.0 / l.slow, l.slow);
  if (!(plan->step <= l.held))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the step of %.3g s is too long for the method \"multirate\": slow forces held "
                           "over it would feed the "
                           "motion of the fast elements; expected at most %.3g s",
                           plan->step, l.held);
  if (plan->substeps <= 0) plan->substeps = parts_of(&l, plan->step, part_share);
  if (!(plan->step * l.fast <= 2.0 * plan->substeps))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the step of %.3g s in %d parts is above the stability limit of the method "
                           "\"multirate\"; expected at least %d parts (fastest angular frequency %.3g rad/s)",
                           plan->step, plan->substeps, parts_of(&l, plan->step, 1.0), l.fast);
  return CAP_OK;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  cap_staggered_plan plan;
  *self = NULL;
  CAP_TRY(choose(m, settings, &plan, error));
  return cap_staggered_create(m, settings, &plan, self, error);
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_staggered_obstacle(self, m);
  if (reason || (reason = cap_staggered_sliders_obstacle(m))) return reason;
  if (m->nfast && cap_staggered_sliders_coulomb(m))
    return "it has Coulomb friction without compliance next to fast elements";
  return cap_stepper_misses_laws(self, m);
}

/* Fast elements; without them what marches and leapfrog does not take. */
static int suits(const cap_stepper_type *self, const cap_model *m)
{
  (void)self;
  return m->nfast ? 90 : m->march_only ? 70 : 0;
}

const cap_stepper_type cap_multirate_type = {
    .name = "multirate",
    .doc = "explicit staggered steps, in parts for fast elements and implicit within rings; second order",
    CAP_STAGGERED_COMMON,
    .held = true,
    .parts = true,
    .suits = suits,
    .obstacle = obstacle,
    .fastest = fastest,
    .create = create,
};
