/* step/timestepping_contacts.h — the set-valued contacts of one step: which are closed, their rows, impulses.
 *
 * Maths: docs/theory.md §36. Impulses lambda act as + W lambda, those of a contact that presses are positive;
 * forces Lambda = -lambda / h in the state, as all contacts have them (model/contact.h): converted here only.
 */
#pragma once
#include "model/data.h"
#include "model/model.h"
#include "solve/mass_action.h"
#include "solve/nonsmooth.h"

/* One closed contact. */
typedef struct cap_timestepping_touch {
  int batch, place;
  int row;       /* of its first row among those closed */
  int first;     /* the first row of its type that is there: 1 where a compliant normal row is left out */
  int count;     /* rows */
  double target; /* m: gap down to which its position is corrected */
} cap_timestepping_touch;

typedef struct cap_timestepping_contacts {
  int ncontact, nrow; /* closed */
  cap_timestepping_touch *touches;
  cap_nonsmooth_contact *contacts;
  int *start, *coord;                      /* rows of W' */
  double *value, *c, *b, *before, *lambda; /* b: m/s of the surface; before: velocity at the step's start */
  cap_mass_action *action;
  cap_nonsmooth *solver, *corrector;
  double tolerance;
} cap_timestepping_contacts;

cap_status cap_timestepping_contacts_create(const cap_model *m, const char *solver, double tolerance,
                                            cap_arena *arena, cap_timestepping_contacts *k, cap_error *error);
void cap_timestepping_contacts_free(cap_timestepping_contacts *k);

/* Contacts that are closed at (t, q, x), with rows, and c from the velocities `v` that they would have
 * without impulses; v0 are those at the step's start, h its length. Forces of the last step are in x:
 * guesses. Those of contacts that are open, and of compliant normal rows, are set there. */
void cap_timestepping_contacts_find(const cap_model *m, cap_timestepping_contacts *k, double t, double h,
                                    const double *q, double *x, const double *v0, const double *v);
/* Impulses; v becomes the velocities at the step's end, x gets the forces, and d counts. */
cap_status cap_timestepping_contacts_solve(const cap_model *m, cap_timestepping_contacts *k, cap_data *d,
                                           const double *inertia_work, double t, double h, double *x,
                                           double *v, cap_error *error);
/* Move q (where it is to be moved) so that no closed contact stays closed deeper than its velocity opens it
 * in the next step. Takes the lists of the contacts. */
cap_status cap_timestepping_contacts_correct(const cap_model *m, cap_timestepping_contacts *k, cap_data *d,
                                             const double *inertia_work, double t, double h, bool moved,
                                             double *q, const double *x, const double *v, cap_error *error);
/* Works of the contacts over the step, and of the motions against them. */
void cap_timestepping_contacts_audit(const cap_model *m, const cap_timestepping_contacts *k, cap_data *d,
                                     const double *v0, const double *v1);
