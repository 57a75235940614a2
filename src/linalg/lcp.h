/* linalg/lcp.h — dense linear complementarity problems: w = M z + q, z >= 0, w >= 0, z . w = 0.
 *
 * Maths:   docs/theory.md §33
 * Cost:    Lemke: 2 n (n + 2) operations a pivot, about n pivots; Newton: n^2 an iteration while the factor
 *          of the active block stays, n^3 / 3 to make it anew
 * Memory:  given by the caller (capm_lcp_place) or owned (capm_lcp_create); nothing is allocated in a solve
 *
 * Two ways to the same answer. Lemke's complementary pivoting with lexicographic ties takes any M and ends
 * with a solution for all copositive ones (or by a ray, which says that it found none); it starts from
 * nothing. Newton's method on min(z, w) = 0 is an active-set method for symmetric positive definite M: it
 * starts from the z that it is given, and what it cannot decrease is made finite by Murty's rule of one
 * exchange at a time. No answer leaves without its complementarity having been checked.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

/* Largest |min(M_ii z_i, w_i)| of an answer, relative to the largest |q_i|. */
#define CAPM_LCP_TOLERANCE 1e-10

typedef struct capm_lcp_stats {
  int iterations;  /* of Newton: systems solved */
  int pivots;      /* of Lemke */
  int factors;     /* factorisations of the active block from its start */
  int updates;     /* rows that entered or left a factor */
  bool single;     /* Murty's rule was needed */
  bool fallback;   /* Newton handed over to Lemke */
  double residual; /* as CAPM_LCP_TOLERANCE */
} capm_lcp_stats;

/* Work space, and what is known of the matrix of the last call. */
typedef struct capm_lcp {
  int most;                     /* unknowns that there is room for */
  int *known;                   /* [2] rows of the factor; unknowns it was made for: 0 = there is none */
  int *order;                   /* [most] unknowns whose block is factored, in its order */
  int *place;                   /* [most] where an unknown stands in it, or -1 */
  int *basic;                   /* [3 most + 2] of Lemke */
  double *factor;               /* [most][most] columns of L */
  double *tableau;              /* [most][most + 2]; Newton leaves it alone */
  double *w, *x;                /* [most] */
  double *row;                  /* [most + 2] */
  void *block;                  /* what capm_lcp_create owns, or NULL */
  const cap_progress *progress; /* of whoever has set it: whether to stop (CAP_STOPPED); or NULL */
} capm_lcp;

/* Doubles of work space for n unknowns, and a work space in them. The memory keeps the factor from call to
 * call; zeros at first. */
size_t capm_lcp_room(int n);
capm_lcp capm_lcp_place(double *memory, int n);
capm_lcp *capm_lcp_create(int n);  /* NULL: out of memory */
void capm_lcp_free(capm_lcp *lcp); /* accepts NULL */

/* CAP_OK with z[n], or CAP_ERR_NUMERICS: a ray, or an answer that fails the check. M[n][n] row-major. */
cap_status capm_lcp_lemke(capm_lcp *lcp, int n, const double *M, const double *q, double *z,
                          capm_lcp_stats *stats);
/* z: from where to start, and the answer. M is symmetric positive definite; same: it is that of the last
 * call, so that its factor serves. CAP_RETRY_NOCONV: M is not definite, or rounding keeps it from an answer;
 * z is then undefined. */
cap_status capm_lcp_newton(capm_lcp *lcp, int n, const double *M, bool same, const double *q, double *z,
                           capm_lcp_stats *stats);
/* Newton, and Lemke where that fails. */
cap_status capm_lcp_solve(capm_lcp *lcp, int n, const double *M, bool same, const double *q, double *z,
                          capm_lcp_stats *stats);

/* w = M z + q, and the residual as above; INFINITY where something is not finite. */
double capm_lcp_check(int n, const double *M, const double *q, const double *z, double *w);
