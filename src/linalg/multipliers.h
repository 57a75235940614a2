/* linalg/multipliers.h — what the Floquet multipliers re + i im of a periodic solution tell.
 *
 * Maths: docs/theory.md §13, §15. However they were found: by harmonic balance, by shooting.
 */
#pragma once

/* Largest modulus first. */
void capm_multipliers_sort(int n, double *re, double *im);
/* Number of those outside the circle of the given radius. */
int capm_multipliers_outside(int n, const double *re, const double *im, double radius);
/* Functions that change sign along a branch at its special points: product of (1 + multiplier), at period
 * doublings; product over pairs of (1 - multiplier_i multiplier_j), at Neimark-Sacker points (and where two
 * real multipliers are reciprocal, which the multipliers tell apart). */
void capm_multipliers_tests(int n, const double *re, const double *im, double *doubling, double *torus);
