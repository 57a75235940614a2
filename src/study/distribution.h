/* study/distribution.h — laws of chance of factors, by the inverse of their distribution function.
 *
 * uniform         between low and high
 * log-uniform     its logarithm is uniform
 * normal          mean and standard deviation, cut at low and high: what is left is scaled up to 1
 * log-normal      mean and standard deviation of the quantity itself, not of its logarithm; cut likewise
 * triangular      low, most likely value, high
 * listed          all values alike
 */
#pragma once
#include "study/study.h"

/* The value that a share u of the law lies below, 0 < u < 1. Not of FORMULA. */
double cap_distribution_quantile(const cap_study_factor *factor, double u);
/* Its middle: the median. */
double cap_distribution_median(const cap_study_factor *factor);
/* The lowest and the highest value that a design takes in one-at-a-time studies and in checks: the ends where
 * the law has any, 5 % and 95 % of what is unbounded. */
void cap_distribution_ends(const cap_study_factor *factor, double *low, double *high);

/* NORMAL, LOG_NORMAL: the share of the law that its cuts leave. */
double cap_distribution_share(const cap_study_factor *factor);

/* Standard normal law: P(X < x), and its inverse with a relative error of some 1e-15 also in the tails. */
double capm_distribution_normal(double x);
double capm_distribution_normal_quantile(double p);
