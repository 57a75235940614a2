/* drives/pushbelt/impulses/leaves_work.h — what the files of the leaves share; not for others.
 *
 * Numbers of leaves stand in arrays over the leaves and are worked on eight at a time; the rows of the ring,
 * eight numbers each, stand by leaf.
 */
#pragma once
#include "base/clones.h"
#include "drives/pushbelt/impulses/leaves.h"

enum { CAP_LEAVES_LANES = 8, CAP_LEAVES_PAIRS = 15, CAP_LEAVES_KINDS = 3 };

/* Of a symmetric matrix over the rows, the lower triangle by rows. */
#define CAP_LEAVES_PAIR(i, j) ((i) >= (j) ? (i) * ((i) + 1) / 2 + (j) : (j) * ((j) + 1) / 2 + (i))

/* Ring rows with rotation and closing of the leaf's pulley. */
enum {
  CAP_LEAVES_NORMAL_ROTATION,
  CAP_LEAVES_NORMAL_CLOSING,
  CAP_LEAVES_TANGENT_ROTATION,
  CAP_LEAVES_TANGENT_CLOSING,
  CAP_LEAVES_CROSSINGS
};

typedef struct cap_leaves_work {
  double *G[CAP_LEAVES_PAIRS];            /* [room] arm' M^-1 arm */
  double *rho[CAP_LEAVES_KINDS];          /* [room] 1/own mobility of NORMAL, TANGENT, FLANK */
  double *root[CAP_LEAVES_KINDS];         /* [room] their square roots */
  double *sticks[CAP_LEAVES_KINDS];       /* [room] all bits: its last piece is one that sticks, or presses */
  double *side;                           /* [room] pulley as a number */
  int *touches;                           /* [room/8] whether some of eight leaves touch a pulley */
  double *limit;                          /* [room] of TANGENT now */
  double *D[CAP_LEAVES_PAIRS];            /* [room] -d lambda/d y */
  double *y[CAP_LEAVES_ROWS];             /* [room] J u */
  double *more, *push;                    /* [4 nblock + border] what a step adds to u; M u */
  double *first[CAP_LEAVES_ROWS];         /* [room] lambda where the trunk does not move on */
  double *crossing[CAP_LEAVES_CROSSINGS]; /* [room] D of ring rows with the pulley's coordinates */
  double *centre[CAP_LEAVES_ROWS];        /* [room] lambda of the start */
  double *from[CAP_LEAVES_ROWS];          /* [room] safe way: lambda and xi before a step */
  double *xi_from[CAP_LEAVES_ROWS];
  double *before; /* [room] limits */
  double *wide;   /* [4 (nblock + 1)] u of the chain, the first again at the end */
  double corner[CAP_LEAVES_BORDER][CAP_LEAVES_BORDER]; /* J' D J of what is beside the chain */
  double edge[CAP_LEAVES_BORDER];                      /* J' first of that */
  int active[CAP_LEAVES_BORDER];                       /* what of that takes part, in the order of sum */
  double *system;
  capm_bordered sum; /* M + J' D J, in `system` */
  void *memory;
} cap_leaves_work;

/* How pieces of the law are chosen and straightened. */
typedef struct cap_leaves_way {
  bool safe;         /* by the convex potential, around `centre`; else by lambda and xi of now */
  double compliance; /* of what sticks, relative to own mobility */
  int turns;         /* at most, in which a leaf settles while the trunk rests; 1: as lambda and xi say */
  double enough;     /* m/s: it has settled */
} cap_leaves_way;

/* leaves_local.c: of each leaf by itself. What is behind n is filled up, G and what follows from it made. */
void cap_leaves_local_prepare(cap_leaves *s);
/* The largest |c| of rows that may rub or press, m/s. */
double cap_leaves_local_scale(const cap_leaves *s);
/* Pieces of the law at lambda, xi: first, D, crossing, corner, edge; whether one is another than the last
 * time. */
bool cap_leaves_local_straighten(cap_leaves *s, cap_leaves_way way);
/* lambda and xi of all rows after the step `more` of u; returns the residual, m/s. held: limits stay as they
 * are. */
double cap_leaves_local_follow(cap_leaves *s, double compliance, bool held);
/* Limits of friction where they go with the normal row, by lambda of now. */
void cap_leaves_local_limit(cap_leaves *s);
/* lambda within its limits; returns the residual that there was before, of the law without compliance. */
double cap_leaves_local_clip(cap_leaves *s);
/* Safe way: the slope of the potential at a share of the step from `from` to lambda, xi; and the largest
 * |lambda - law(xi)|/rho at its end, m/s. */
double cap_leaves_local_slope(const cap_leaves *s, double compliance, double share, double *off);
/* Safe way: lambda, xi := from + share (lambda - from), ... */
void cap_leaves_local_part(cap_leaves *s, double share);

/* leaves_trunk.c: u and y of no impulses. */
void cap_leaves_trunk_rest(cap_leaves *s);
/* sum = trunk + J' D J, more = sum^-1 (J' first - trunk u), u += more. rests: u is 0; again: with sum as
 * it was factored last. false: not positive definite. */
bool cap_leaves_trunk_step(cap_leaves *s, bool rests, bool again);

/* leaves_safe.c: lambda, xi near the solution with this compliance by minimisation, up to a tolerance in m/s;
 * number of factorisations, or -1: a matrix is not positive definite. */
int cap_leaves_safe(cap_leaves *s, double stiffest, double tolerance);
