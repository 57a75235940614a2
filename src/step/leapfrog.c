/* step/leapfrog.c — explicit staggered steps, for systems of many parts such as a belt of segments.
 *
 * Maths: docs/theory.md §27.4. All elements are evaluated at each step (step/staggered.c).
 */
#include "step/staggered.h"

#include <math.h>

static const double step_share = 0.9; /* of the largest stable step, where none is given */

/* 2/angular_frequency is the limit of the method; what the drive says counts damping in. */
static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  double fastest = fmax(cap_stepper_fastest(&cap_leapfrog_type, m), cap_staggered_sliders(m));
  cap_staggered_plan plan = {.method = "leapfrog", .step = settings->step, .substeps = 1};
  *self = NULL;
  if (plan.step > 0.0 && !(plan.step * fastest <= 2.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the step of %.3g s is above the stability limit of the method \"leapfrog\"; "
                           "expected at most %.3g s (fastest angular frequency %.3g rad/s)",
                           plan.step, 2.0 / fastest, fastest);
  if (!(plan.step > 0.0) && !(fastest > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the method \"leapfrog\" has no step of its own for this system; expected a step");
  if (!(plan.step > 0.0)) plan.step = step_share * 2.0 / fastest;
  return cap_staggered_create(m, settings, &plan, self, error);
}

/* Whether some mass matrix depends on the state. */
static bool has_turning(const cap_model *m)
{
  for (int k = 0; k < m->ninertia; k++)
    if (m->inertias[k].type->turn) return true;
  return false;
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_staggered_obstacle(self, m);
  if (reason) return reason;
  if (has_turning(m)) return "it has a body with a varying mass matrix";
  if ((reason = cap_staggered_sliders_obstacle(m))) return reason;
  return cap_stepper_misses_laws(self, m);
}

/* Elements that march: they go best, or only, along with its steps. */
static int suits(const cap_stepper_type *self, const cap_model *m)
{
  if (m->march_only) return cap_stepper_obstacle(self, m) ? 0 : 80;
  return m->marches ? 80 : 0;
}

const cap_stepper_type cap_leapfrog_type = {
    .name = "leapfrog",
    .doc = "explicit staggered steps for belts of many segments; second order, conditionally stable",
    CAP_STAGGERED_COMMON,
    .suits = suits,
    .resume = cap_staggered_resume,
    .views = cap_staggered_views,
    .obstacle = obstacle,
    .create = create,
};
