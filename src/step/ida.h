/* step/ida.h — what the IDA stepper knows beside the state. */
#pragma once

/* The multipliers of IDA's last step, lambda[nideal] in N, of a stepper's memory: less accurate than those
 * that follow from the state (model/constraints.h), which is what channels show; for comparison. */
void cap_ida_multipliers(const void *memory, double *lambda);
