/* drives/bodies/convergence/convergence.h — what the files of the analysis `convergence` share.
 *
 * Maths: docs/theory.md §20.
 *   convergence.c          keys, models, windows, orders
 *   convergence_layer.c    the initial layer of a contact
 *   convergence_motion.c   what is compared, and its course in time
 *   convergence_compare.c  one viscoelastic motion against the ideal one
 *   convergence_output.c   table and notes
 */
#pragma once
#include "analysis/analysis.h"
#include "model/data.h"
#include "step/stepper.h"

/* The initial layer of a viscoelastic contact that starts without its deflection (convergence_layer.c). */
typedef struct cap_convergence_layer {
  double decay; /* 1/s: slowest decay of an exponent; 0 = undamped */
  double slow;  /* rad/s: smallest angular frequency without damping */
  double fast;  /* rad/s: largest */
  double
      angular_frequency; /* rad/s: of the mode that the start excites most; NAN where it does not oscillate */
  double damper;         /* N s/m: largest constant */
} cap_convergence_layer;

/* From the rows of the ideal model at its start and the constants of the viscoelastic one. mode[nrow]: what
 * the row forces are multiplied with to see the mode of `angular_frequency` alone. */
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

typedef struct cap_convergence_count {
  int64_t steps;
  int slipping; /* times at which some contact slips, which an ideal one never does */
} cap_convergence_count;

/* values[ntime][n] of one of the two models (which = 0 ideal, 1 viscoelastic) from its initial state through
 * the times, which increase. count may be NULL. */
cap_status cap_convergence_motion_run(const cap_model *m, int which, const cap_stepper_type *type,
                                      double tolerance, int n, const cap_convergence_quantity *list,
                                      int ntime, const double *times, double *values,
                                      cap_convergence_count *count, cap_error *error);

/* Index of the place of row `name` among the outputs of a model (its velocity is nrow of its contact behind),
 * with its spring and damper (0 when ideal); false when there is no such row. */
typedef struct cap_convergence_row {
  int force, slip;
  double k, d;
} cap_convergence_row;
bool cap_convergence_motion_row(const cap_model *m, const char *name, cap_convergence_row *row);

/* ---- the whole ---- */

/* Times compared within the layer, and at most so many of its periods; kinds that have an order. */
enum {
  CAP_CONVERGENCE_DENSE = 128,
  CAP_CONVERGENCE_PERIODS = 8,
  CAP_CONVERGENCE_ORDERS = CAP_CONVERGENCE_SLIP
};

typedef struct cap_convergence_spec {
  int kind;
  double until, tolerance, layer;
  cap_sweep epsilons, ratios;
  int method, samples;
} cap_convergence_spec;

/* One row of the table. */
typedef struct cap_convergence_point {
  double epsilon, ratio;
  cap_model *m;
  int n;
  cap_convergence_quantity *list;
  double *mode; /* [nideal] */
  cap_convergence_layer layer;
  double ends;  /* s: end of the layer, INFINITY without damping */
  double dense; /* s: length of what is looked at closely */
  bool settled; /* the layer ends well before the run */
  double error[CAP_CONVERGENCE_KINDS], inside[CAP_CONVERGENCE_KINDS], floor[CAP_CONVERGENCE_KINDS];
  double order[CAP_CONVERGENCE_ORDERS];
  double measured; /* rad/s */
  cap_convergence_count count;
} cap_convergence_point;

typedef struct cap_convergence {
  cap_run *run;
  const cap_convergence_spec *s;
  const cap_stepper_type *type;
  cap_model *ideal;
  int nepsilon, nratio, npoint;
  cap_convergence_point *points; /* [nratio][nepsilon] */
  double *start;                 /* [nratio] s: start of the window */
  double *scale;                 /* [n] of each quantity, from the ideal motion */
  double *slope, *used;          /* [ORDERS][nratio] fitted orders, and from how many rows */
  double *decades; /* [ORDERS][nratio] of epsilon between the first and the last of these rows */
  cap_arena arena;
} cap_convergence;

/* Row k of the table; a task of base/parallel.h, self is the cap_convergence. */
cap_status cap_convergence_compare(void *self, int k, cap_error *error);
/* Whether an error tells an order: ten times above what the computation may be wrong by, and small enough for
 * an expansion in epsilon to mean something. */
bool cap_convergence_compare_usable(const cap_convergence_point *p, int kind);
bool cap_convergence_compare_at_floor(const cap_convergence_point *p, int kind);

cap_status cap_convergence_output_put(cap_convergence *j);
void cap_convergence_output_tell(const cap_convergence *j);
