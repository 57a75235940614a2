/* model/impulse.h — set-valued forces that are found once a step: how a stepper and who finds them meet.
 *
 * Maths:   docs/theory.md §52.5
 * Who:     elements of such types (cap_element_type.impulses) do not act by themselves in an evaluation that
 *          has cap_eval.held: they write their rows there, whose arrays belong to the solver. Once a step the
 *          stepper (step/staggered_held.c) predicts the velocities for the end of the step, the solver finds
 *          the forces that keep the law between them and the impulses, and the stepper holds these forces
 *          over the step.
 *
 * All element types of a model that have such forces name the same solver.
 */
#pragma once
#include "model/data.h"

/* What the step knows of the bodies that are pushed. */
typedef struct cap_impulse_bodies {
  const double *inverse;      /* [nv] 1/mass; 0 of what does not move */
  const double *inertia_work; /* of bodies with a mass matrix of their own, as last factored */
  const double *stiff_work;   /* of what is added to these; NULL: nothing is */
} cap_impulse_bodies;

struct cap_impulse_type {
  const char *name;
  const char *obstacle; /* why steppers that find no such forces cannot compute the model */
  double gain;          /* how much of a change of the impulses is made in a step (§52.5) */
  /* CAP_ERR_UNSUPPORTED: something in the model has no rows. */
  cap_status (*create)(const cap_model *m, void **self, cap_error *error);
  void (*free)(void *self);                     /* accepts NULL */
  void *(*rows)(void *self);                    /* where the elements' rows go */
  void (*look_ahead)(void *self, double ahead); /* s: rows are turned to where they will be then */
  /* Forces as the state has them, for steps h, after an evaluation: force[nv] is what they do to the
   * coordinates. */
  void (*load)(void *self, const cap_model *m, cap_data *d, double h, double *force);
  /* Forces of the step h that comes, from velocities v[nv] predicted for its end without a change of them. */
  cap_status (*find)(void *self, const cap_model *m, cap_data *d, double h, const cap_impulse_bodies *bodies,
                     const double *v, double *force, cap_error *error);
  /* Energy that they have lost over the step h at the mean velocities v, added to jump[nmech], J. */
  void (*lose)(void *self, const cap_model *m, const cap_data *d, double h, const double *v, double *jump);
};
