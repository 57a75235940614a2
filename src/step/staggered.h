/* step/staggered.h — explicit staggered steps, behind the methods leapfrog and multirate.
 *
 * Maths: docs/theory.md §27.4, §47. Velocities stand between the positions. Slow elements are evaluated once
 * a step, fast ones (cap_element_type.fast) in each of `substeps` equal parts of it.
 */
#pragma once
#include "step/stepper.h"

/* beta of M + beta step^2 K: 1/4 would just do for K as it is now. */
#define CAP_STAGGERED_BETA 0.5
/* Of the largest stable step, where multirate chooses one. */
#define CAP_STAGGERED_SHARE 0.45

typedef struct cap_staggered_plan {
  const char *method; /* for messages */
  double step;        /* s, largest */
  int substeps;       /* 1: all elements are evaluated together */
  bool stiffen;       /* bodies that can (cap_inertia_type.stiff) go with M + beta step^2 K */
} cap_staggered_plan;

/* 1/mass; 0 of what does not move. */
double cap_staggered_mobility(const cap_model *m, int dof);
/* Fastest angular frequency of the sliders with compliance, rad/s. */
double cap_staggered_sliders(const cap_model *m);

/* The parts of a stepper (step/stepper.h). */
cap_status cap_staggered_create(const cap_model *m, const cap_stepper_settings *settings,
                                const cap_staggered_plan *plan, void **self, cap_error *error);
cap_status cap_staggered_advance(void *self, const cap_model *m, cap_data *d, const double *t_end,
                                 double *tangent, cap_error *error);
/* Of steps that are not taken in parts; the others start anew. */
void cap_staggered_resume(void *self, cap_stepper_left left);
int cap_staggered_views(void *self, cap_view *views);
void cap_staggered_chosen(const void *self, double *step, int *substeps);
void cap_staggered_free(void *self); /* accepts NULL */

/* Obstacles of both (cap_stepper_type.obstacle): those that come before their own; dry friction on a body,
 * for which an explicit step would need its whole matrix. Coulomb: whether a slider has no compliance. */
const char *cap_staggered_obstacle(const cap_stepper_type *type, const cap_model *m);
const char *cap_staggered_sliders_obstacle(const cap_model *m);
bool cap_staggered_sliders_coulomb(const cap_model *m);

/* The members of a cap_stepper_type that they have in common. */
#define CAP_STAGGERED_COMMON                                                                                 \
  .order = 2, .sliders = true, .smooth = true, .inertia = true, .marches = true, .fixed = true,              \
  .explicit = true, .staggered = true, .advance = cap_staggered_advance, .chosen = cap_staggered_chosen,     \
  .free = cap_staggered_free
