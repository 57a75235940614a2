/* linalg/lsq.h — least squares and least norm by singular values.
 *
 * Both functions scale the columns to norm one first, so that parameters of different units are judged alike:
 * a singular value below tolerance times the largest counts as zero.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"

/* The x that minimises |a x - b|, and among those the one of least norm (in column-scaled unknowns when
 * `scaled`, else in x itself). a[m][n] and b[m] are kept. *rank may be NULL. tolerance <= 0: machine
 * precision. */
cap_status capm_lsq_least_norm(int m, int n, const double *a, const double *b, double tolerance, int scaled,
                               double *x, int *rank);
/* The same numbers; CAP_STOPPED soon after `progress` (NULL: never) tells to stop. Of more than
 * CAPM_LSQ_SINGULAR columns and rows both go by linalg/cod.h in place of singular values, for which nobody
 * could be asked: 400 of them take 25 ms, 2002 take 3 s. */
enum { CAPM_LSQ_SINGULAR = 400 };
cap_status capm_lsq_least_norm_heard(int m, int n, const double *a, const double *b, double tolerance,
                                     int scaled, double *x, int *rank, const cap_progress *progress);

/* Least-squares fit with its covariance: x minimises |a x - b|, *residual = |a x - b|^2 (the sum of squares),
 * inverse[n][n] = (a^T a)^-1, to be multiplied by the variance of the data for the covariance of x. With
 * *rank < n the parameters are not identified: inverse is that of the identified subspace, and weakest[n]
 * (may be NULL) is the unit direction in scaled parameters of the smallest singular value. */
cap_status capm_lsq_fit(int m, int n, const double *a, const double *b, double tolerance, double *x,
                        double *residual, double *inverse, int *rank, double *weakest);

/* Singular values s[n], descending, and right singular vectors v[n][n] (v[j * n + i]: component i of vector
 * j) of a[m][n] as it is, m >= n. */
cap_status capm_lsq_directions(int m, int n, const double *a, double *s, double *v);
