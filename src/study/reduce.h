/* study/reduce.h — the responses of a case: numbers made of what its run has written.
 *
 * A channel is a column (over the first column of its table), an array (over its axis, or over the number of
 * the value) or a number of the results. What each reduction is, and when a channel counts as settled or as
 * stationary, is told in docs/study_responses.md.
 */
#pragma once
#include "io/results_tree.h"
#include "study/study.h"

#include <stddef.h>

/* The results: their description, and a way to their values. */
typedef struct cap_reduce_source {
  const cap_results_tree *tree;
  int64_t (*count)(const cap_results_group *group, const cap_results_dataset *dataset);
  /* All values of a column or array. */
  cap_status (*values)(void *self, const cap_results_group *group, const cap_results_dataset *dataset,
                       double *values, cap_error *error);
  void *self;
} cap_reduce_source;

/* What came of the responses; `units` and texts live in the arena that was given. */
typedef struct cap_reduce_outcome {
  double *values;     /* [nresponse] the caller's; NaN: there is none */
  const char **units; /* [nresponse] the caller's; SI, never NULL */
  char note[256];     /* what is to be said of a response without a value ("peak: not settled: ..."), or "" */
} cap_reduce_outcome;

/* All responses of `study` of a case whose factors have these values. CAP_ERR_INPUT when a response cannot be
 * made of such results at all: an unknown channel, an interval without rows, a mistake in an expression. */
cap_status cap_reduce_responses(const cap_study *study, const double *factors,
                                const cap_reduce_source *source, cap_arena *arena,
                                cap_reduce_outcome *outcome, cap_error *error);

/* One reduction of n values y over x. What the values do not allow is NaN with the reason in `why`. */
double cap_reduce_series(const cap_study_response *response, int64_t n, const double *x, const double *y,
                         char *why, size_t size);
