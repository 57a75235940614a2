/* model/inertia.h — bodies whose mass matrix is neither constant nor diagonal.
 *
 * Maths:   docs/theory.md §34.1.   M(q) v' = h(q, v, x, t)   for the coordinates of one body
 *
 * A block are the coordinates [first, first + n) of one body. Everything else keeps its diagonal mass; the
 * entries of cap_model.mass and inverse_mass of a block's coordinates are 0 and mean nothing. Forces that are
 * quadratic in the velocities (from d/dt of M v and from the derivative of T) are in h: the element that
 * carries the body adds them. A block has no driven coordinates and no moving frame (cap_builder_turn with
 * base 0 only): what is locked is left out by the body itself. Models with blocks have one lane and no ideal
 * contacts.
 */
#pragma once
#include "linalg/bordered.h"
#include <stdbool.h>

typedef struct cap_model cap_model;
typedef struct cap_eval cap_eval;
typedef struct cap_inertia_type cap_inertia_type;

typedef struct cap_inertia {
  const cap_inertia_type *type;
  int first, n;     /* coordinates */
  const void *body; /* constant; lives in the model's arena */
  int work_adr;     /* in cap_eval.inertia_work */
} cap_inertia;

/* What a stepper may add to the mass of a body to take its elastic motion within itself implicitly (docs/
 * theory.md §47.4): M + share K, where K is positive semidefinite and near the stiffness of the body. Scratch
 * of its own, `added`, which `set` fills and the others read. */
typedef struct cap_inertia_stiff {
  int (*nwork)(const cap_inertia *b);
  /* K at q for steps of length `step`: share = beta step^2, and what damping needs. false: not finite. */
  bool (*set)(const cap_inertia *b, const double *q, double step, double beta, double *added);
  /* M(q) + share K with K as it was set; work as in cap_inertia_type. */
  bool (*factor)(const cap_inertia *b, const double *q, double *added, double *work);
  /* x[b->n] := (M + share K)^-1 x */
  void (*solve)(const cap_inertia *b, const double *added, const double *work, double *x);
  /* v' share K v / 2, J, of v[b->n] */
  double (*energy)(const cap_inertia *b, const double *added, const double *v);
} cap_inertia_stiff;

/* A body as a closed chain of blocks of four coordinates with up to two beside it (linalg/bordered.h), for
 * solvers that add to its matrix. */
typedef struct cap_inertia_chain {
  int (*nblock)(const cap_inertia *b); /* 0: only those beside it */
  /* The matrix as `factor` of the type (`added` NULL) or of cap_inertia_stiff left it: chain, first two
   * columns and their corner of `to`. `locked`: of the two those that are not there, with the mass 1 and no
   * coupling. false: there is none without (or with) what is added. */
  bool (*load)(const cap_inertia *b, const double *added, const double *work, const capm_bordered *to,
               bool locked[2]);
} cap_inertia_chain;

struct cap_inertia_type {
  const char *name;
  /* Values of scratch, which `factor` fills and the others read. */
  int (*nwork)(const cap_inertia *b);
  /* M(q) = L L'; false: it is not positive definite. q of the whole model. */
  bool (*factor)(const cap_inertia *b, const double *q, double *work);
  /* x[ncol][b->n] := M^-1 x, columns contiguous. */
  void (*solve)(const cap_inertia *b, const double *work, int ncol, double *x);
  /* x[ncol][b->n] := L^-1 x, so that x' x is x' M^-1 x of before. */
  void (*half)(const cap_inertia *b, const double *work, int ncol, double *x);
  /* p[b->n] := M v[b->n] */
  void (*multiply)(const cap_inertia *b, const double *work, const double *v, double *p);
  /* out[b->n] := the derivative of M(q) a[b->n] along dq, where dq[i * stride] belongs to coordinate i of the
   * whole model. NULL = M is constant. */
  void (*turn)(const cap_inertia *b, const double *q, const double *a, const double *dq, int stride,
               double *out);
  const cap_inertia_stiff *stiff; /* NULL = cannot */
  const cap_inertia_chain *chain; /* NULL = is none */
};

/* The block with coordinate `dof`, or NULL. */
const cap_inertia *cap_inertia_of(const cap_model *m, int dof);
/* Factor all blocks at q[nv]; false when one of them is not positive definite. work has
 * m->ninertia_work values. */
bool cap_inertia_factor(const cap_model *m, const double *q, double *work);
/* x[nv]: the blocks' coordinates := M^-1 x; all others stay. After cap_inertia_factor. */
void cap_inertia_solve(const cap_model *m, const double *work, double *x);
/* v'[nv] of the blocks' coordinates from e->h and, when e->ncol > 0, its tangents dv'[nv][ncol] =
 * M^-1 (dh - dM v'); the others stay. Factors at e->q into e->inertia_work; where a block is not positive
 * definite its accelerations are NAN. */
void cap_inertia_accelerate(const cap_model *m, cap_eval *e, double *vdot, double *dvdot);
/* Kinetic energy of all blocks, J. */
double cap_inertia_energy(const cap_model *m, const double *q, const double *v, double *work);
/* The whole mass matrix M[nv][nv] at q, masses and blocks; after cap_inertia_factor. */
void cap_inertia_matrix(const cap_model *m, double *work, double *M);
