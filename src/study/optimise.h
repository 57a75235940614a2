/* study/optimise.h — the best values of the factors, by methods without derivatives.
 *
 * Maths:   docs/theory.md §60.
 *
 * Who calls it evaluates a point; evaluation n of a start is a function of those before it, so that a start
 * that was interrupted is gone through again with the answers that are known, to the same bits.
 */
#pragma once
#include "base/sink.h"
#include "study/study.h"

/* Names of methods, NULL at the end; see docs/theory.md §60. */
extern const char *const cap_optimise_methods[];

typedef struct cap_optimise_problem {
  const cap_study *study;       /* with `optimise` */
  const cap_study_table *table; /* the cases, where a start is looked for; may be NULL */
  /* Responses [nresponse] at values [nfactor] (formulas filled), for evaluation n (from 1) of a start (from
   * 0). *failed: there are none, which is part of the game; another status than CAP_OK ends the start and is
   * handed through. */
  cap_status (*evaluate)(void *self, int start, int n, const double *values, double *responses, bool *failed,
                         cap_error *error);
  void *self;
} cap_optimise_problem;

/* What came of one start. */
typedef struct cap_optimise_trace {
  int start, n, room, nfailed;
  double *values;    /* [n][nfactor] */
  double *responses; /* [n][nresponse]; NaN where the evaluation failed */
  bool *failed;      /* [n] */
  double *violation; /* [n] of the bounds, over their scales; 0 = feasible; INFINITY where it failed */
  double *s, *goal;  /* [n][nvaried], [n]: what the method saw */
  char outcome[160]; /* why it ended */
} cap_optimise_trace;

void cap_optimise_trace_free(cap_optimise_trace *trace); /* accepts a zeroed one */

/* One start from its beginning to its end. CAP_OK also when it found nothing. */
cap_status cap_optimise_start(const cap_optimise_problem *problem, int start, cap_optimise_trace *trace,
                              cap_error *error);

/* The best of several starts. */
typedef struct cap_optimise_best {
  int trace, at; /* -1: no evaluation is feasible */
  int evaluations, failed;
  double objective;
  char words[1024]; /* value, factors, evaluations, why it ended, what is active */
} cap_optimise_best;

void cap_optimise_find(const cap_optimise_problem *problem, int ntrace, const cap_optimise_trace *traces,
                       const char *const *units, cap_optimise_best *best);

/* Group `optimise` (kind "optimise"): one row an evaluation. units[nresponse] may be NULL. */
cap_status cap_optimise_put(const cap_optimise_problem *problem, int ntrace, const cap_optimise_trace *traces,
                            const char *const *units, cap_sink *sink, cap_error *error);
