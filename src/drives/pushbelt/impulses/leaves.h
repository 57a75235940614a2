/* drives/pushbelt/impulses/leaves.h — set-valued forces of many small bodies (leaves) on one large one (the
 * trunk).
 *
 * Maths:   docs/theory.md §52.1-52.3. Leaves are the elements of a pushbelt: three coordinates (x, y, pitch)
 *          and a diagonal mass. The trunk is the ring (a closed chain of blocks of four with travel and ratio
 *          beside it, linalg/bordered.h) and rotation and closing of both pulleys. Rows of a leaf, in this
 *          order; those that a case does not have are left out by cap_leaves_kinds:
 *            NORMAL   0 <= lambda, 0 <= xi (c contains gap/H)            saddle or ear on the ring
 *            TANGENT  |lambda| <= limit, or mu lambda of NORMAL          friction there
 *            FLANK    three rows, |(lambda_2, lambda_3, lambda_4)| <= limit: along the belt, along the
 *                     generatrix, drilling over the lever of pure drilling
 *          Below a limit xi = 0, at it xi is opposite to lambda.
 *          xi = c + arm' M_leaf^-1 arm lambda + J u,   M_trunk u = J' lambda
 *          where c are the velocities of the rows if lambda were 0, lambda > 0 pushes the leaf along `arm`
 *          and the trunk along J, and u is the change of the trunk's velocity by all impulses.
 * Order:   create once. Each step
 *            cap_leaves_open   matrix of the ring as last factored, masses of the pulleys
 *            fill inverse_mass .. of_flank for all n leaves (all of them: nothing is kept)
 *            cap_leaves_solve  lambda, xi, u
 *          Before the first step, and whenever nothing is known: cap_leaves_forget.
 * Memory:  all arrays are made by create and belong to the solver; the caller writes and reads them. They
 *          have room for `room` >= n leaves in whole vectors; what is behind n is the solver's own.
 * State:   lambda and xi of the last solution are where the next one starts (regimes; also in the last bits
 *          of the answer): whoever needs a restart with the same bits keeps both, [row][n], and puts them
 *          back. When the step H changes lambda is to be scaled with it. Nothing else is kept.
 * Cost:    docs/theory.md §52.3; allocates nothing, no threads, the order of all sums is fixed.
 */
#pragma once
#include "base/status.h"
#include "linalg/bordered.h"
#include "model/inertia.h"

enum {
  CAP_LEAVES_NORMAL,
  CAP_LEAVES_TANGENT,
  CAP_LEAVES_FLANK, /* the first of three */
  CAP_LEAVES_ROWS = 5
};
enum { CAP_LEAVES_COORDS = 3 }; /* x, y, pitch */
enum { CAP_LEAVES_LINK = 8 };   /* x, y, x', y' of both blocks of a link of the chain */
/* Trunk beside the chain, in the order of cap_leaves.u behind it. */
enum {
  CAP_LEAVES_TRAVEL,
  CAP_LEAVES_RATIO,
  CAP_LEAVES_ROTATION, /* of pulley 0; that of pulley p is at ROTATION + 2 p, its closing one further */
  CAP_LEAVES_CLOSING,
  CAP_LEAVES_BORDER = 6
};

/* Which rows there are. NORMAL without TANGENT is not there. */
typedef struct cap_leaves_kinds {
  bool normal, tangent, flank;
} cap_leaves_kinds;

typedef struct cap_leaves_settings {
  double tolerance;    /* of the residual, relative to the largest |c| */
  double floor;        /* m/s: below this the residual always does */
  int iterations_most; /* of Newton's method before the safe way is taken */
  /* Of rows that stick, relative to their own mobility g; 0 = as the kinds need: 1e-7, or 3e-3 where ring and
   * flank together can hold a leaf twice. It acts on what the impulse changes by from the last solution:
   * xi = -compliance g (lambda - last). What sticks steadily does not creep. */
  double compliance;
} cap_leaves_settings;

/* 1e-6, 1e-12 m/s, 16, 0 */
cap_leaves_settings cap_leaves_settings_default(void);

typedef struct cap_leaves_stats {
  int iterations;  /* factorisations */
  double residual; /* largest |lambda - prox(lambda - rho xi)|/rho of all rows, relative to the largest |c| */
  double creep;    /* the same of the laws without compliance */
  int fallbacks;   /* 1: Newton's method alone did not get there */
} cap_leaves_stats;

typedef struct cap_leaves {
  int n, room, nblock; /* leaves; with those up to a whole vector; blocks of the chain (0: none) */
  cap_leaves_kinds kinds;
  cap_leaves_settings settings;

  /* in: [room] each, for all leaves. Rows that are not there need nothing. */
  double *inverse_mass, *inverse_inertia;          /* 1/kg, 1/(kg m2) */
  double *arm[CAP_LEAVES_ROWS][CAP_LEAVES_COORDS]; /* what lambda = 1 pushes x, y, pitch with */
  double *c[CAP_LEAVES_ROWS];                      /* m/s; NORMAL: with gap/H */
  double *limit_ring;                              /* N s of TANGENT; with a NORMAL row: mu */
  double *limit_flank;                             /* N s, 2 H mu N; 0: touches no pulley */
  int *link;                          /* of the chain: blocks link and link + 1 (the last: and 0) */
  double (*ring[2])[CAP_LEAVES_LINK]; /* NORMAL, TANGENT: J of both blocks, [room][8] */
  double *travel[2], *ratio[2];       /* their J of travel and ratio */
  int *pulley;                        /* of the flank: 0, 1; any where limit_flank is 0 */
  double *of_flank[3];                /* J: row FLANK on rotation, + 1 on closing, + 2 on rotation */

  /* in and out: [row][room] N s, m/s; where limit_flank is 0 xi of the flank is not kept up */
  double *lambda[CAP_LEAVES_ROWS], *xi[CAP_LEAVES_ROWS];

  /* out: [4 nblock] of the chain, [CAP_LEAVES_BORDER] behind it; m/s */
  double *u;

  capm_bordered trunk;            /* M of the trunk, as cap_leaves_open has loaded it */
  bool locked[CAP_LEAVES_BORDER]; /* do not move: mass 1, no coupling */
  struct cap_leaves_work *work;   /* leaves_work.h */
} cap_leaves;

/* nblock: cap_leaves_nblock of the ring. NULL: out of memory. */
cap_leaves *cap_leaves_create(int n, int nblock, cap_leaves_kinds kinds, const cap_leaves_settings *settings);
void cap_leaves_free(cap_leaves *s); /* accepts NULL */

/* Blocks of the chain that a body is, or -1: it cannot be a trunk. */
int cap_leaves_nblock(const cap_inertia *ring);

/* The ring's matrix as its type->stiff->factor (or type->factor) left it in `added` and `work`; `added` NULL:
 * of a ring that is not stiffened. ring NULL: there is none (nblock 0). pulley_mass: rotation and closing of
 * pulley 0, of pulley 1: kg m2, kg; 0 or INFINITY: driven, or not there.
 * CAP_ERR_UNSUPPORTED: no such matrix. */
cap_status cap_leaves_open(cap_leaves *s, const cap_inertia *ring, const double *added, const double *work,
                           const double pulley_mass[4]);

/* lambda = xi = 0: what has a limit begins sticking, what presses begins open. */
void cap_leaves_forget(cap_leaves *s);

/* CAP_OK; CAP_RETRY_NOCONV: not to tolerance, lambda is the best found; CAP_ERR_NUMERICS: a matrix is not
 * positive definite, or not finite. */
cap_status cap_leaves_solve(cap_leaves *s, cap_leaves_stats *stats);
