/* drives/pushbelt/observe/variator_arcs.h — figures of the two arcs from the averaged curves: turnaround
 * point, idle and active arc, spiral running, pitch, peaks of forces.
 *
 * Maths:   docs/theory.md §51.5
 */
#pragma once
#include "drives/pushbelt/observe/variator_figures.h"

void cap_variator_arcs_take(cap_variator_figures *f, const cap_variator_curves *c, int pulley);

/* Deviation of a radius (CAP_VARIATOR_RADIUS, CAP_VARIATOR_RING_RADIUS) from its mean over the angle of the
 * arc in which a point is; out of the arcs NAN. out: [npoint] */
void cap_variator_arcs_spiral(const cap_variator_curves *c, int quantity, double *out);
