/* model/stiffness.h — the slopes of a model's forces to its free coordinates, as a sparse matrix.
 *
 * Maths: docs/theory.md §40.5. The elements say what they reach (cap_element_type.reach), so that the pattern
 * is known without values. Columns that share no row are one group, with one direction for all of them: a
 * chain of any length has some twenty groups, and an evaluation costs as much as that many directions. An
 * element whose reach is not known makes the pattern full. Inner states follow slow motion (settling.h). One
 * lane.
 */
#pragma once
#include "model/model.h"

typedef struct cap_stiffness {
  const cap_model *m;
  const double *inputs; /* of the data whose forces these are; NULL = as the model starts */
  int n;                /* free coordinates */
  int nvalue;           /* values that are not zero by structure */
  int ngroup;           /* of columns */
  bool full;            /* the reach of some element is not known */
  int *coord;           /* [n] */
  int *place;           /* [nv] among the free ones, or -1 */
  int *start, *row;     /* columns of the matrix: [n + 1], [nvalue] */
  int *group;           /* [n] */
  double *values;       /* [nvalue] K = -dh/dq */
  int *diagonal;        /* [n] in values */
  double *h, *force;    /* [nv], [noutput] of the last evaluation */
  double *dq, *dv, *dx, *dh, *xdot, *dxdot;
  cap_arena arena;
} cap_stiffness;

cap_status cap_stiffness_create(const cap_model *m, cap_stiffness **stiffness, cap_error *error);
void cap_stiffness_free(cap_stiffness *stiffness); /* accepts NULL */

/* h and force at (t, q, 0, x). */
void cap_stiffness_forces(cap_stiffness *s, double t, const double *q, const double *x);
/* The same and the values; dxdu as from cap_settling_states. */
void cap_stiffness_evaluate(cap_stiffness *s, double t, const double *q, const double *x, const double *dxdu);
