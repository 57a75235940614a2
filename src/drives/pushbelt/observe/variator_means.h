/* drives/pushbelt/observe/variator_means.h — means of many quantities over time, with standard errors, in
 * bounded memory.
 *
 * Maths:   docs/theory.md §51.4
 *
 * Time is cut into batches of equal length. Of each are kept the sums of all scalars, and at its end the
 * levels (works, which only differences make use of). When the table is full, neighbours are joined and the
 * batches are twice as long from then on; so any later part of a run can be averaged when it is over. The
 * standard error is the largest that groups of 1, 2, 4, ... batches give, as long as there are at least
 * eight groups: neighbours that hang together do not make it look small.
 *
 * All that the object remembers lies in one array of doubles, for checkpoints.
 */
#pragma once
#include "base/sink.h"
#include "base/status.h"

typedef struct cap_variator_means {
  int nscalar, nlevel, most; /* batches at most, even */
  int64_t count;             /* doubles in `state` */
  double *state; /* how many batches, their length, rows and time of the open one; its sums; batches */
} cap_variator_means;

typedef struct cap_variator_mean {
  double value, error; /* error: one standard deviation of the mean; NAN: too few batches to tell */
  int batches;
} cap_variator_mean;

cap_status cap_variator_means_create(cap_variator_means *m, int nscalar, int nlevel, int most, double length,
                                     cap_error *error);
void cap_variator_means_free(cap_variator_means *m); /* accepts a zeroed one */

/* Start at time t with these levels. */
void cap_variator_means_start(cap_variator_means *m, double t, const double *levels);
/* Take a row; true: it is time to close the batch with the levels of this moment. */
bool cap_variator_means_take(cap_variator_means *m, double t, const double *scalars);
void cap_variator_means_close(cap_variator_means *m, double t, const double *levels);
/* The end of a run closes the open batch, if it has rows. */
bool cap_variator_means_open(const cap_variator_means *m);

int cap_variator_means_batches(const cap_variator_means *m);
double cap_variator_means_end(const cap_variator_means *m, int batch); /* s; batch -1: the start */
/* Over all batches that begin at `from` or later (the last one at least). */
cap_variator_mean cap_variator_means_of(const cap_variator_means *m, int scalar, double from);
/* Of the growth of a level over time, 1/s. */
cap_variator_mean cap_variator_means_rate(const cap_variator_means *m, int level, double from);
/* Start of the earliest batch from which on the means of `scalar` over windows of this length stay within
 * `share` of that over the last two windows, or within two standard deviations of what it oscillates by, up
 * to four times as much; INFINITY: not even those before them do. */
double cap_variator_means_steady(const cap_variator_means *m, int scalar, double window, double share);
