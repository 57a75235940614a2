/* drives/pushbelt/observe/variator_means.c — see variator_means.h. */
#include "drives/pushbelt/observe/variator_means.h"
#include "linalg/series.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES, LENGTH, OPEN_ROWS, OPEN_FROM, HEAD }; /* of `state` */
enum { END, ROWS, ROW_HEAD };                         /* of a batch */

static int width(const cap_variator_means *m)
{
  return ROW_HEAD + m->nscalar + m->nlevel;
}

static double *open_sums(const cap_variator_means *m)
{
  return m->state + HEAD;
}

/* Batch -1 is the start. */
static double *batch_at(const cap_variator_means *m, int batch)
{
  return m->state + HEAD + m->nscalar + (ptrdiff_t)(batch + 1) * width(m);
}

static double *sums_of(const cap_variator_means *m, int batch)
{
  return batch_at(m, batch) + ROW_HEAD;
}

static double *levels_of(const cap_variator_means *m, int batch)
{
  return sums_of(m, batch) + m->nscalar;
}

cap_status cap_variator_means_create(cap_variator_means *m, int nscalar, int nlevel, int most, double length,
                                     cap_error *error)
{
  *m = (cap_variator_means){.nscalar = nscalar,
                            .nlevel = nlevel,
                            .most = most < CAP_VARIATOR_MEANS_MOST ? most : CAP_VARIATOR_MEANS_MOST};
  m->count = HEAD + nscalar + (int64_t)(m->most + 1) * width(m);
  m->state = calloc((size_t)m->count, sizeof(double));
  if (!m->state) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  m->state[LENGTH] = length;
  return CAP_OK;
}

void cap_variator_means_free(cap_variator_means *m)
{
  free(m->state);
  *m = (cap_variator_means){0};
}

void cap_variator_means_start(cap_variator_means *m, double t, const double *levels)
{
  double length = m->state[LENGTH];
  memset(m->state, 0, (size_t)m->count * sizeof(double));
  m->state[LENGTH] = length;
  m->state[OPEN_FROM] = t;
  batch_at(m, -1)[END] = t;
  memcpy(levels_of(m, -1), levels, (size_t)m->nlevel * sizeof(double));
}

bool cap_variator_means_take(cap_variator_means *m, double t, const double *scalars)
{
  m->state[OPEN_ROWS] += 1.0;
  for (int k = 0; k < m->nscalar; k++) open_sums(m)[k] += scalars[k];
  return t - m->state[OPEN_FROM] >= m->state[LENGTH] * (1.0 - 1e-9);
}

bool cap_variator_means_open(const cap_variator_means *m)
{
  return m->state[OPEN_ROWS] > 0.0;
}

/* Join neighbours; the number of batches is even. */
static void halve(cap_variator_means *m)
{
  int n = cap_variator_means_batches(m);
  for (int i = 0; i < n / 2; i++) {
    const double *a = batch_at(m, 2 * i), *b = batch_at(m, 2 * i + 1);
    double *to = batch_at(m, i);
    double rows = a[ROWS] + b[ROWS];
    for (int k = 0; k < m->nscalar; k++) to[ROW_HEAD + k] = a[ROW_HEAD + k] + b[ROW_HEAD + k];
    for (int k = 0; k < m->nlevel; k++) to[ROW_HEAD + m->nscalar + k] = b[ROW_HEAD + m->nscalar + k];
    to[END] = b[END];
    to[ROWS] = rows;
  }
  m->state[BATCHES] = n / 2;
  m->state[LENGTH] *= 2.0;
}

void cap_variator_means_close(cap_variator_means *m, double t, const double *levels)
{
  if (cap_variator_means_batches(m) == m->most) halve(m);
  int n = cap_variator_means_batches(m);
  double *to = batch_at(m, n);
  to[END] = t;
  to[ROWS] = m->state[OPEN_ROWS];
  memcpy(to + ROW_HEAD, open_sums(m), (size_t)m->nscalar * sizeof(double));
  memcpy(levels_of(m, n), levels, (size_t)m->nlevel * sizeof(double));
  memset(open_sums(m), 0, (size_t)m->nscalar * sizeof(double));
  m->state[OPEN_ROWS] = 0.0;
  m->state[OPEN_FROM] = t;
  m->state[BATCHES] = n + 1;
}

int cap_variator_means_batches(const cap_variator_means *m)
{
  return (int)m->state[BATCHES];
}

double cap_variator_means_length(const cap_variator_means *m)
{
  return m->state[LENGTH];
}

double cap_variator_means_end(const cap_variator_means *m, int batch)
{
  return batch_at(m, batch)[END];
}

/* ---- means --------------------------------------------------------------------------------------------- */

/* The first batch that begins at `from` or later; the last one when there is none. */
static int first_from(const cap_variator_means *m, double from)
{
  int n = cap_variator_means_batches(m), b = 0;
  double slack = 1e-6 * m->state[LENGTH];
  while (b < n - 1 && batch_at(m, b - 1)[END] < from - slack) b++;
  return b;
}

/* Mean over the batches [a, b): of a scalar by rows, of a level's growth by time. */
static double mean_over(const cap_variator_means *m, int what, bool level, int a, int b)
{
  double total = 0.0, weight = 0.0;
  if (level)
    return (levels_of(m, b - 1)[what] - levels_of(m, a - 1)[what]) /
           (batch_at(m, b - 1)[END] - batch_at(m, a - 1)[END]);
  for (int i = a; i < b; i++) {
    total += sums_of(m, i)[what];
    weight += batch_at(m, i)[ROWS];
  }
  return total / weight;
}

/* Of the batches from `from` on, one value each: what they are, in order. A last batch that is much shorter
 * than the others does not count as one. */
static int series_of(const cap_variator_means *m, int nterm, const cap_variator_means_term *terms, int first,
                     double *values)
{
  int end = cap_variator_means_batches(m);
  double last = end > first ? batch_at(m, end - 1)[END] - batch_at(m, end - 2)[END] : 0.0;
  if (end - first > 1 && last < 0.5 * m->state[LENGTH]) end--;
  for (int b = first; b < end; b++) {
    double *to = &values[b - first];
    *to = 0.0;
    for (int k = 0; k < nterm; k++)
      *to += terms[k].factor * mean_over(m, terms[k].what, terms[k].level, b, b + 1);
  }
  return end - first;
}

int cap_variator_means_series(const cap_variator_means *m, int nterm, const cap_variator_means_term *terms,
                              double from, double values[CAP_VARIATOR_MEANS_MOST])
{
  return cap_variator_means_batches(m) < 1 ? 0 : series_of(m, nterm, terms, first_from(m, from), values);
}

cap_variator_mean cap_variator_means_sum(const cap_variator_means *m, int nterm,
                                         const cap_variator_means_term *terms, double from)
{
  double values[CAP_VARIATOR_MEANS_MOST];
  int end = cap_variator_means_batches(m);
  if (end < 1) return (cap_variator_mean){NAN, NAN, 0};
  int first = first_from(m, from);
  cap_variator_mean out = {0.0, NAN, end - first};
  for (int k = 0; k < nterm; k++)
    out.value += terms[k].factor * mean_over(m, terms[k].what, terms[k].level, first, end);
  out.error = capm_series_mean_of(series_of(m, nterm, terms, first, values), 1, values).error;
  return out;
}

cap_variator_mean cap_variator_means_of(const cap_variator_means *m, int scalar, double from)
{
  return cap_variator_means_sum(m, 1, &(cap_variator_means_term){scalar, false, 1.0}, from);
}

cap_variator_mean cap_variator_means_rate(const cap_variator_means *m, int level, double from)
{
  return cap_variator_means_sum(m, 1, &(cap_variator_means_term){level, true, 1.0}, from);
}
