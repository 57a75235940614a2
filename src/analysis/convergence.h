/* analysis/convergence.h — pieces of the analysis `convergence`: the initial layer, and motions to compare.
 *
 * Maths: docs/theory.md §20.
 */
#pragma once
#include "model/data.h"
#include "step/stepper.h"

/* The initial layer of a viscoelastic contact that starts without its deflection (convergence_layer.c). */
typedef struct cap_convergence_layer {
  double decay;     /* 1/s: slowest decay of an exponent; 0 = undamped */
  double slow;      /* rad/s: smallest pulsation without damping */
  double fast;      /* rad/s: largest */
  double pulsation; /* rad/s: of the mode that the start excites most; NAN where it does not oscillate */
  double damper;    /* N s/m: largest constant */
} cap_convergence_layer;

/* From the rows of the ideal model at its start and the constants of the viscoelastic one. mode[nrow]: what
 * the row forces are multiplied with to see the mode of `pulsation` alone. */
cap_status cap_convergence_layer_find(const cap_model *ideal, const cap_model *m, double *mode,
                                      cap_convergence_layer *layer, cap_error *error);
/* Time constants after which the layer is forgotten, for a run of this length. */
double cap_convergence_layer_length(const cap_convergence_layer *layer, double run);

typedef enum cap_convergence_kind {
  CAP_CONVERGENCE_POSITION,
  CAP_CONVERGENCE_VELOCITY,
  CAP_CONVERGENCE_FORCE,
  CAP_CONVERGENCE_SLIP, /* velocity of a row, which ideally vanishes */
  CAP_CONVERGENCE_KINDS
} cap_convergence_kind;

/* One number of the motion in both models. Quantities of one unit and kind share a scale. */
typedef struct cap_convergence_quantity {
  cap_convergence_kind kind;
  bool output; /* in cap_eval.force, else in the state */
  int at[2];   /* index in the ideal and in the viscoelastic model */
  int scale;   /* index of the first quantity with the same unit and kind */
  const char *unit;
} cap_convergence_quantity;

/* What is compared: coordinates and inner states that are pure numbers (orientations), velocities, forces and
 * velocities of the rows. Matched by name. *list is to be freed. */
cap_status cap_convergence_motion_match(const cap_model *ideal, const cap_model *m, int *n,
                                        cap_convergence_quantity **list, cap_error *error);

/* values[ntime][n] of one of the two models (which = 0 ideal, 1 viscoelastic) from its initial state through
 * the times, which increase. */
cap_status cap_convergence_motion_run(const cap_model *m, int which, const cap_stepper_type *type,
                                      double tolerance, int n, const cap_convergence_quantity *list,
                                      int ntime, const double *times, double *values, int64_t *steps,
                                      cap_error *error);

/* Index of the place of row `name` among the outputs of a model (its velocity is nrow of its contact behind),
 * with its spring and damper (0 when ideal); false when there is no such row. */
typedef struct cap_convergence_row {
  int force, slip;
  double k, d;
} cap_convergence_row;
bool cap_convergence_motion_row(const cap_model *m, const char *name, cap_convergence_row *row);
