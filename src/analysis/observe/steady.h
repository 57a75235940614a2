/* analysis/observe/steady.h — from when on a run is stationary, by the series of all its key figures.
 *
 * Maths:   docs/theory.md §50.1.
 *
 * The lead, what is left out at the start, is the shortest after which no figure drifts or steps by more than
 * its own noise explains; the mean of each must then be known as well as is asked for.
 */
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct cap_steady_series {
  const char *name, *unit; /* for messages */
  const double *values;
  int stride;
  double asked; /* standard error that is asked for; changes by less do not count */
} cap_steady_series;

typedef enum cap_steady_verdict {
  CAP_STEADY_YES,
  CAP_STEADY_SHORT, /* too few values to tell */
  CAP_STEADY_VAGUE, /* some mean is not known well enough yet */
  CAP_STEADY_MOVES  /* some figure drifts */
} cap_steady_verdict;

typedef struct cap_steady_found {
  cap_steady_verdict verdict;
  int from;      /* first value of the stationary part; of what is not stationary, of what was looked at */
  int worst;     /* the series that is reported, -1: none */
  double error;  /* standard error of its mean */
  double change; /* of one that moves: from `from` to the end */
} cap_steady_found;

/* n values of each; at least `lead` values are left out, and at least `least` make a mean. `hint` is the
 * series that was in the way before, or 0: which one comes first is no part of the verdict. */
cap_steady_found cap_steady_find(int n, int lead, int least, int nseries, const cap_steady_series *series,
                                 int hint);

/* A series that changes at one rate, without an end: its change over the n values from `from` on is more than
 * `least`, stands out of the noise in both halves, and is the same in both. */
bool cap_steady_shifts(int n, int from, const cap_steady_series *series, double least, double *change);

/* "belt.open changes by -0.031 mm in 2.1 turns", "the standard error of ratio.thrust is 0.02, asked is
 * 0.015": what is in the way. */
void cap_steady_tell(const cap_steady_found *found, const cap_steady_series *series, double turns, char *text,
                     size_t size);
