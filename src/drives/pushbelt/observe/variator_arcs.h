/* drives/pushbelt/observe/variator_arcs.h — figures of the two arcs from the averaged curves: turnaround
 * point, idle and active arc, spiral running, pitch, peaks of forces.
 *
 * Maths:   docs/theory.md §51.5
 */
#pragma once
#include "drives/pushbelt/observe/variator_figures.h"

void cap_variator_arcs_take(cap_variator_figures *f, const cap_variator_curves *c, int pulley);

/* Deviation of the radius from its mean over the arc's angle, for the points of this pulley's arc; out of it
 * NAN. out: [npoint] */
void cap_variator_arcs_spiral(const cap_variator_curves *c, double *out);
