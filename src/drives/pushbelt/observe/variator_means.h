/* drives/pushbelt/observe/variator_means.h — means of many quantities over time, with standard errors, in
 * bounded memory.
 *
 * Maths:   docs/theory.md §51.4
 *
 * Time is cut into batches of equal length. Of each are kept the sums of all scalars, and at its end the
 * levels (works, which only differences make use of). When the table is full, neighbours are joined and the
 * batches are twice as long from then on; so any later part of a run can be averaged when it is over.
 * Standard errors are those of the series of batches (linalg/series.h).
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

enum { CAP_VARIATOR_MEANS_MOST = 512 }; /* batches */

/* Part of a sum of scalars and of growths of levels. */
typedef struct cap_variator_means_term {
  int what;
  bool level;
  double factor;
} cap_variator_means_term;

typedef struct cap_variator_mean {
  double value, error; /* error: standard error (linalg/series.h); NAN: too few batches to tell */
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
/* Of a sum over terms. */
cap_variator_mean cap_variator_means_sum(const cap_variator_means *m, int nterm,
                                         const cap_variator_means_term *terms, double from);
/* The values of such a sum, a batch each; returns how many. */
int cap_variator_means_series(const cap_variator_means *m, int nterm, const cap_variator_means_term *terms,
                              double from, double values[CAP_VARIATOR_MEANS_MOST]);
double cap_variator_means_length(const cap_variator_means *m); /* s, of a batch */
