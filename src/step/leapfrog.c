/* step/leapfrog.c — explicit staggered steps, for systems of many parts such as a belt of segments.
 *
 * Maths: docs/theory.md §27.4. All elements are evaluated at each step (step/staggered.c).
 */
#include "step/staggered.h"

#include <math.h>

static const double step_share = 0.9; /* of the largest stable step, where none is given */

/* 2/pulsation is the limit of the method; what the drive says counts damping in. */
static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  double fastest = fmax(cap_stepper_fastest(&cap_leapfrog_type, m), cap_staggered_sliders(m));
  cap_staggered_plan plan = {.method = "leapfrog", .step = settings->step, .substeps = 1};
  *self = NULL;
  if (plan.step > 0.0 && !(plan.step * fastest <= 2.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "a step of %.3g s is above the limit of the method \"leapfrog\" for this system, "
                           "%.3g s (fastest pulsation %.3g rad/s)",
                           plan.step, 2.0 / fastest, fastest);
  if (!(plan.step > 0.0) && !(fastest > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT, "the method \"leapfrog\" needs a step for this system");
  if (!(plan.step > 0.0)) plan.step = step_share * 2.0 / fastest;
  return cap_staggered_create(m, settings, &plan, self, error);
}

const cap_stepper_type cap_leapfrog_type = CAP_STAGGERED_TYPE(
    "leapfrog", "explicit staggered steps for belts of many segments; second order, conditionally stable",
    create);
