/* tests/reference/reference.h — methods that no model file can ask for: second, independent ways to what the
 * program computes, for tests and benchmarks. They left the program with format version 2. CMakeLists.txt
 * here says who links them and how they get into the program's own lists there. */
#pragma once
#include "solve/nonsmooth_work.h"
#include "step/stepper.h"

extern const cap_stepper_type cap_moreau_type; /* half-explicit, first order (docs/theory.md §4.2) */
extern const cap_stepper_type cap_ida_type;    /* SUNDIALS IDA (docs/theory.md §19.5) */

extern const cap_nonsmooth_solver cap_nonsmooth_fixed_point;
extern const cap_nonsmooth_solver cap_nonsmooth_siconos; /* where its headers are found */

/* The multipliers of IDA's last step, lambda[nideal] in N, of a stepper's memory: less accurate than those
 * that follow from the state (model/constraints.h), which is what channels show; for comparison. */
void cap_ida_multipliers(const void *memory, double *lambda);
