/* model/contacts.h — assembly of contacts: rows, velocities, forces and their tangents. */
#pragma once
#include "model/model.h"

/* The velocities that contact k couples, [ncoord], in a state whose rows are given. */
const int *cap_contacts_coords(const cap_contact_batch *b, int k, const cap_contact_rows *rows);
/* Support force of a compliant normal row: a spring and damper that press, never pull, while the gap is
 * closed. */
static inline double cap_contacts_support(const cap_contact_touch *touch, double gap, double speed)
{
  double force = -touch->k * gap - touch->d * speed;
  return gap < 0.0 && force > 0.0 ? force : 0.0;
}

/* What all contacts add to the rates: part of cap_model_rates. */
void cap_contacts_rates(const cap_model *m, cap_eval *e);
/* Rows, velocities and gaps of the ideal contacts alone: fills e->rows, e->slip, e->gap where not NULL. */
void cap_contacts_look(const cap_model *m, cap_eval *e);
/* Whether every contact has a point of contact at y; names the time and the contact. */
cap_status cap_contacts_check(const cap_model *m, double t, const double *y, cap_error *error);
/* Whether some contact is limited by friction, so that its law has corners (or nearly so) within a motion. */
bool cap_contacts_may_slip(const cap_model *m);
/* Energy stored in the deflections of viscoelastic contacts and in compliant normal rows. */
double cap_contacts_energy(const cap_model *m, double t, const double *q, const double *x);
/* drift[nideal] = J' v - b', the part of the ideal rows' accelerations that the velocities make, when the
 * inner states change at xdot. */
void cap_contacts_drift(const cap_model *m, double t, const double *q, const double *v, const double *x,
                        const double *xdot, double *drift);
/* trace of J M^-1 J' over rows [from, to) of contact k, and the largest of its terms. */
double cap_contacts_mobility(const cap_model *m, const cap_contact_batch *b, int k, int from, int to,
                             double t, const double *q, const double *x, double *largest);
