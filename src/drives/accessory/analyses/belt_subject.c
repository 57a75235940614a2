/* drives/accessory/analyses/belt_subject.c — what a belt drive offers to generic analyses
 * (model/subject.h). */
#include "drives/accessory/analyses/belt_layout.h"
#include "drives/accessory/belt/belt.h"

const cap_subject_type cap_belt_subject = {
    .name = "belt drive",
    .alone = "a system with a belt is computed one at a time",
    .no_rest = "a running belt is not at rest; use statics",
    .no_sweep = "a running belt has no equilibrium to follow: give speeds",
    .no_period = "this drive has no period, so no steady orbit to find; expected one crank.speed, and "
                 "crank.orders whose ratios are rational",
    .runs = true,
    .steady_steps = true,
    .put_layout = cap_belt_layout_put,
};
