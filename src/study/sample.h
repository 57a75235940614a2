/* study/sample.h — the points of a study as its analysis sees them.
 *
 * Maths:   docs/theory.md §53.
 *
 * Replicates of a point are neighbours among the cases (k = point * replicates + replicate). What the
 * analysis asks is how responses depend on factors, so a point counts once, with the mean over those of its
 * replicates that are fine; their scatter is told apart. Columns lie one after the other.
 */
#pragma once
#include "study/study.h"

typedef struct cap_sample {
  int npoint, nfactor, nresponse;
  int replicates;
  double *x;         /* [nfactor][npoint] SI */
  double *y;         /* [nresponse][npoint]; NaN where no replicate is fine */
  int64_t *left_out; /* [nresponse] cases without a value: failed, missing or not finite */
  double *scatter;   /* [nresponse] standard deviation between replicates of a point, pooled; NaN = unknown */
  /* Points whose factors are drawn independently of each other: all, but of SALTELLI only A and B. */
  unsigned char *drawn; /* [npoint] */
  /* SALTELLI with the blocks that are expected: points of a block (factors drawn + 2), else 0. */
  int block;
  unsigned char *varied; /* [nfactor] a factor of its own (no formula) with more than one value */
} cap_sample;

cap_status cap_sample_init(cap_sample *sample, const cap_study *study, const cap_study_table *table,
                           cap_error *error);
void cap_sample_free(cap_sample *sample);

/* Column of a factor as surfaces and regressions see it: its logarithm when it is logarithmic and positive
 * everywhere. */
bool cap_sample_logarithmic(const cap_sample *sample, const cap_study *study, int factor);

/* Permutation of 0..n-1 that sorts x, equal values in their order; false: out of memory. */
bool cap_sample_sort(int n, const double *x, int *order);
/* Classes of n values sorted by `order`: their distinct values when those are at most `most`, else `most`
 * classes of about equal count, of which none begins between equal values. starts[most + 1] are their first
 * places in `order`; returns how many there are. */
int cap_sample_classes(int n, const double *x, const int *order, int most, int *starts);
/* How many distinct values there are. */
int cap_sample_distinct(int n, const double *x, const int *order);
/* Whether y[n] differs by no more than rounding: all within 1e-12 of the largest magnitude. */
bool cap_sample_constant(int n, const double *y);
