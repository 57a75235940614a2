/* solve/mass_action.h — the mass-action matrix G = W' M^-1 W of the contacts of a step, from sparse rows of
 * W'.
 *
 * Maths:   docs/theory.md §38, (2.46)-(2.48) of the thesis: M = L L', L y = W, G = y' y.
 * Masses:  a diagonal, and blocks of coordinates with a mass matrix of their own (model/inertia.h: a ring);
 *          or any sparse matrix by its factors (linalg/cholesky_sparse.h).
 * Result:  G dense, or compressed rows where few contacts have bodies in common; symmetric to the last bit.
 * Cost:    what the patterns leave. A body that two contacts share costs one product, a block one solution a
 *          row (or a touched coordinate, if these are fewer) and, for each pair of rows that touch it, as
 *          many products as a row has entries there.
 * Memory:  grows to what the largest problem needs; a warm call allocates nothing.
 * Threads: none; the order of all sums is fixed.
 */
#pragma once
#include "base/status.h"
#include "linalg/cholesky_sparse.h"
#include "model/inertia.h"
#include "model/model.h"
#include <stdint.h>

typedef struct cap_mass_action cap_mass_action;

/* Rows of W' (one for each direction of a contact) by compressed rows: the coordinates of row r and their
 * entries are coord, value [start[r] .. start[r + 1]); duplicate coordinates in a row add up. */
typedef struct cap_mass_action_rows {
  int n;
  const int *start, *coord;
  const double *value;
} cap_mass_action_rows;

/* How blocks are eliminated: the same matrix, other costs. */
typedef enum cap_mass_action_way {
  CAP_MASS_ACTION_SOLVE, /* W' (M^-1 W): products with the few entries of W; the way for blocks */
  CAP_MASS_ACTION_HALF   /* y' y, (2.47) to the letter: products with all of y;
                          * the only way of sparse factors */
} cap_mass_action_way;

/* The masses of nv coordinates: inverse_mass[nv] (0 for one whose motion is imposed; not looked at inside of
 * blocks), copied; nblock blocks of coordinates, referenced. */
cap_status cap_mass_action_create(int nv, const double *inverse_mass, int nblock, const cap_inertia *blocks,
                                  cap_mass_action **a);
/* The masses of a model of one lane. */
cap_status cap_mass_action_of_model(const cap_model *m, cap_mass_action **a);
/* Any sparse mass matrix by its factors, referenced. */
cap_status cap_mass_action_of_sparse(capm_cholesky_sparse *factor, cap_mass_action **a);
void cap_mass_action_free(cap_mass_action *a); /* accepts NULL */
void cap_mass_action_choose(cap_mass_action *a, cap_mass_action_way way);

/* Take the rows of a step, with the factored blocks in inertia_work (cap_eval.inertia_work; NULL without
 * blocks). The rows are referenced until the calls below are done. CAP_ERR_NOMEM. */
cap_status cap_mass_action_take(cap_mass_action *a, const double *inertia_work,
                                const cap_mass_action_rows *w);
/* G of the rows taken: g[n][n]. */
void cap_mass_action_dense(cap_mass_action *a, double *g);
/* G of the rows taken by compressed rows, columns ascending; entries of pairs that share no body are not
 * there. The arrays belong to `a` until the next call. CAP_ERR_NOMEM. */
cap_status cap_mass_action_sparse(cap_mass_action *a, const int **start, const int **column,
                                  const double **value);
/* v += M^-1 W lambda. */
void cap_mass_action_push(cap_mass_action *a, const double *lambda, double *v);

/* What the patterns of the rows taken come to. */
typedef struct cap_mass_action_count {
  int64_t rows, coordinates;
  int64_t w, y, g;  /* nonzeros of W, of y or M^-1 W as kept, of G (both triangles) */
  int64_t products; /* multiplications to form G from them */
} cap_mass_action_count;
cap_status cap_mass_action_counts(cap_mass_action *a, cap_mass_action_count *counts);
