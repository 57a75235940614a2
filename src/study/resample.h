/* study/resample.h — the bootstrap: what an estimate would be from other samples of the same kind.
 *
 * Maths:   docs/theory.md §54.
 *
 * Draw i of sample b is a pure function of (seed, b, i): no generator is carried along, so that the samples
 * are the same on every machine, in any order and for any number of threads.
 */
#pragma once
#include <stdint.h>

/* How often each of n things is drawn when n are drawn with replacement. */
void cap_resample_counts(uint64_t seed, int sample, int n, uint16_t *counts);

/* Interval of `confidence` about `estimate` from estimates of nsample samples (sorted here; those that are
 * not finite are left out): their percentiles, shifted by what their mean differs from the estimate. NaN when
 * fewer than half of them, or fewer than ten, are finite. */
void cap_resample_interval(int nsample, double *samples, double estimate, double confidence, double *low,
                           double *high);
