/* study/pareto.h — cases that no other one beats in all of two or three responses.
 *
 * Maths:   docs/theory.md §59.
 */
#pragma once
#include "base/status.h"
#include <stdint.h>

/* f[n][nobjective], all to be small, nobjective 1..3: front[i] = 1 where no k has f_k <= f_i in all
 * objectives and < in one. Equal points are on the front together. A point with a value that is not finite is
 * never on it, and beats none. O(n log n). */
cap_status cap_pareto_front(int64_t n, int nobjective, const double *f, unsigned char *front,
                            cap_error *error);
