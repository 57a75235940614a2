/* hb/fourier.h — truncated Fourier series and their equidistant samples over one period.
 *
 * Maths: docs/theory.md §13. A series of H harmonics is c[2H + 1] = (a0, a1, b1, ..., aH, bH),
 *   u(theta) = a0 + sum_h [a_h cos(h theta) + b_h sin(h theta)],   theta_n = 2 pi n / N.
 * Row 0 of the table is 1, row 2h - 1 is cos(h theta_n), row 2h is sin(h theta_n), up to h = 2H: the product
 * of two basis functions needs twice the harmonics. Samples to coefficients and back are small dense products
 * over a quarter of that table (symmetry does the rest), which for H of some dozens beats a fast transform.
 *
 * Cost:    synthesis and analysis rows * N/4 multiply-adds; tangent (2H + 1)^2
 * Threads: one capm_fourier per thread (scratch)
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"

enum { CAPM_FOURIER_BLOCK = 64 }; /* N is a multiple of it */

typedef struct capm_fourier {
  int nharmonic, nsample;
  int ncoef;         /* 2H + 1 */
  int nrow;          /* 4H + 1 */
  double *table;     /* [nrow][nsample] */
  double *by_sample; /* [nsample][ncoef] the same transposed, for laws that are marched */
  double *fold;      /* scratch: samples folded into a quarter of the period */
} capm_fourier;

/* nsample must be a multiple of CAPM_FOURIER_BLOCK. */
cap_status capm_fourier_create(cap_arena *arena, int nharmonic, int nsample, capm_fourier *f);

/* samples[nsample] of the series c[ncoef]. */
void capm_fourier_synthesis(const capm_fourier *f, const double *c, double *samples);

/* sums[nrow] = sum_n samples_n row_n for the first nrow rows. */
void capm_fourier_sums(const capm_fourier *f, int nrow, const double *samples, double *sums);

/* c[ncoef]: the series of samples, truncated to H harmonics. */
void capm_fourier_analysis(const capm_fourier *f, const double *samples, double *c);

/* out[ncoef][stride]: the series of every column of rows[nsample][stride], which are overwritten. stride is a
 * multiple of 16.
 * Cost: ncoef * stride * N/4 multiply-adds. */
void capm_fourier_analyse_rows(const capm_fourier *f, int stride, double *rows, double *out);

/* Sums of the first 2H + 1 rows as coefficients, in place. */
void capm_fourier_weigh(const capm_fourier *f, double *sums);

/* d[ncoef]: coefficients of du/dtheta. */
void capm_fourier_derivative(int nharmonic, const double *c, double *d);

/* matrix[ncoef][ncoef] += factor * (coefficients of g(theta) u(theta) as a linear map of those of u), where
 * sums[nrow] are the sums of g over all 4H + 1 rows. */
void capm_fourier_multiply(const capm_fourier *f, const double *sums, double factor, double *matrix);
/* The same for g(theta) du/dtheta. */
void capm_fourier_multiply_derivative(const capm_fourier *f, const double *sums, double factor,
                                      double *matrix);
/* The same for g(theta) d2u/dtheta2. */
void capm_fourier_multiply_second(const capm_fourier *f, const double *sums, double factor, double *matrix);
