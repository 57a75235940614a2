/* model/settling.h — inner states after a slow motion, and how they follow a direction.
 *
 * Maths: docs/theory.md §7. Laws with memory go along the straight path from q0 to q: an element by its own
 * `settle`, a slider with compliance by clamping its force, one without keeps the force that it has. One
 * lane.
 */
#pragma once
#include "model/model.h"

/* x[nx] at q[nv] from x0 at q0; dxdu[nx] their slopes to the deflections of their elements. */
void cap_settling_states(const cap_model *m, const double *q0, const double *x0, const double *q, double *x,
                         double *dxdu);

/* Columns dx[nx][n] from dq[nv][n], through each inner state's own deflection, or as its element says. */
void cap_settling_columns(const cap_model *m, const double *dxdu, int n, const double *dq, double *dx);
