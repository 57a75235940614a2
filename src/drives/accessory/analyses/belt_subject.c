/* drives/accessory/analyses/belt_subject.c — what a belt drive offers to generic analyses
 * (model/subject.h). */
#include "drives/accessory/analyses/belt_layout.h"
#include "drives/accessory/belt/belt.h"

const cap_subject_type cap_belt_subject = {
    .name = "belt drive",
    .alone = "a belt drive cannot be computed in an ensemble; run the cases one at a time",
    .no_rest = "a running belt has no equilibrium at rest; use statics",
    .no_sweep = "a running belt has no equilibrium to continue; specify speeds",
    .no_period = "the excitation is not periodic, so there is no periodic orbit; expected a constant "
                 "crank.speed and crank.orders with rational ratios",
    .runs = true,
    .steady_steps = true,
    .put_layout = cap_belt_layout_put,
};
