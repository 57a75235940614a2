/* step/multirate.c — staggered steps in which fast elements go in parts of the step.
 *
 * Maths: docs/theory.md §47. Slow elements are evaluated once a step H, fast ones (cap_element_type.fast) in
 * each of n parts of it; bodies that can be stiffened (cap_inertia_type.stiff) do not bound the step by their
 * own elastic motion (step/staggered.c).
 */
#include "step/staggered.h"

#include <math.h>

enum { SUBSTEPS_MOST = 1000 };
/* Where they are not given: of the largest stable step, and of the largest stable part of it. */
static const double step_share = 0.45, part_share = 0.9;

/* What bounds the step and its parts, rad/s. */
typedef struct limits {
  double slow, fast;
} limits;

static limits limits_of(const cap_model *m)
{
  return (limits){fmax(cap_stepper_fastest(&cap_multirate_type, m), cap_staggered_sliders(m)),
                  m->nfast ? m->fastest_inner : 0.0};
}

/* Parts of a step; none of them is above its limit. */
static int parts_of(const limits *l, double step, double share)
{
  double n = ceil(step * l->fast / (2.0 * share) * (1.0 - 1e-12));
  return n < 1.0 ? 1 : n > SUBSTEPS_MOST ? SUBSTEPS_MOST : (int)n;
}

static cap_status choose(const cap_model *m, const cap_stepper_settings *s, cap_staggered_plan *plan,
                         cap_error *error)
{
  limits l = limits_of(m);
  *plan = (cap_staggered_plan){
      .method = "multirate", .step = s->step, .substeps = m->nfast ? s->substeps : 1, .stiffen = true};
  if (!(plan->step > 0.0) && !(l.slow > 0.0) && !(l.fast > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT, "the method \"multirate\" needs a step for this system");
  if (!(plan->step > 0.0)) plan->step = l.slow > 0.0 ? step_share * 2.0 / l.slow : part_share * 2.0 / l.fast;
  if (!(plan->step * l.slow <= 2.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "a step of %.3g s is above the limit of the method \"multirate\" for this system, "
                           "%.3g s (fastest pulsation of the slow elements %.3g rad/s)",
                           plan->step, 2.0 / l.slow, l.slow);
  if (plan->substeps <= 0) plan->substeps = parts_of(&l, plan->step, part_share);
  if (!(plan->step * l.fast <= 2.0 * plan->substeps))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "a step of %.3g s in %d parts is above the limit of the method \"multirate\" for "
                           "this system: expected at least %d parts (fastest pulsation %.3g rad/s)",
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

const cap_stepper_type cap_multirate_type = CAP_STAGGERED_TYPE(
    "multirate",
    "explicit staggered steps, of fast elements in parts of the step, of rings implicit within "
    "themselves; second order",
    create);
