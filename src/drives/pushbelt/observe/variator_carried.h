/* drives/pushbelt/observe/variator_carried.h — the moment about the primary's axis that a pushbelt carries
 * forward.
 *
 * Maths:   docs/theory.md §51.7: what goes through a cut across the belt, by the joint there, by the ring,
 * and with what moves through it. The same along a strand that is stationary.
 */
#pragma once
#include "drives/pushbelt/observe/variator_probe.h"

/* carried [simulated], N m, positive along the travel: through joint k and the ring above it. */
void cap_variator_carried_take(const cap_variator_probe *p, const cap_data *d, const double *force,
                               double *carried);
