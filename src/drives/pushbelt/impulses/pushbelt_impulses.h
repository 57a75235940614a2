/* drives/pushbelt/impulses/pushbelt_impulses.h — the set-valued contacts of a pushbelt for a stepper.
 *
 * Maths:   docs/theory.md §52.4-52.5. Rows of elements against ring and sheaves (held.h) are put together,
 *          the law is solved by leaves.h, and the forces go back to the coordinates.
 */
#pragma once
#include "drives/pushbelt/impulses/leaves.h"
#include "model/impulse.h"

extern const cap_impulse_type cap_pushbelt_impulses_type;

/* The problem of the last step and its solution, for tests; of what the stepper has as its solver. */
const cap_leaves *cap_pushbelt_impulses_leaves(const void *self);
