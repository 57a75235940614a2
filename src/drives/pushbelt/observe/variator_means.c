/* drives/pushbelt/observe/variator_means.c — see variator_means.h. */
#include "drives/pushbelt/observe/variator_means.h"
#include "base/whole.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { BATCHES, LENGTH, OPEN_ROWS, OPEN_FROM, HEAD }; /* of `state` */
enum { END, ROWS, ROW_HEAD };                         /* of a batch */
enum { LEAST_GROUPS = 8 };
static const double SCATTER =
    4.0; /* that an oscillation may widen the band by: what runs away scatters, too */

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
  *m = (cap_variator_means){.nscalar = nscalar, .nlevel = nlevel, .most = most};
  m->count = HEAD + nscalar + (int64_t)(most + 1) * width(m);
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

/* Standard error from groups of `size` batches. */
static double error_by(const cap_variator_means *m, int what, bool level, int first, int n, int size)
{
  int groups = n / size;
  double mean = 0.0, squares = 0.0;
  for (int g = 0; g < groups; g++)
    mean += mean_over(m, what, level, first + g * size, first + (g + 1) * size);
  mean /= groups;
  for (int g = 0; g < groups; g++) {
    double off = mean_over(m, what, level, first + g * size, first + (g + 1) * size) - mean;
    squares += off * off;
  }
  return sqrt(squares / ((double)groups * (groups - 1)));
}

static cap_variator_mean mean_from(const cap_variator_means *m, int what, bool level, double from)
{
  int end = cap_variator_means_batches(m);
  if (end < 1) return (cap_variator_mean){NAN, NAN, 0};
  int first = first_from(m, from), n = end - first;
  cap_variator_mean out = {mean_over(m, what, level, first, end), n < LEAST_GROUPS ? NAN : 0.0, n};
  for (int size = 1; n / size >= LEAST_GROUPS; size *= 2)
    out.error = fmax(out.error, error_by(m, what, level, first, n, size));
  return out;
}

cap_variator_mean cap_variator_means_of(const cap_variator_means *m, int scalar, double from)
{
  return mean_from(m, scalar, false, from);
}

cap_variator_mean cap_variator_means_rate(const cap_variator_means *m, int level, double from)
{
  return mean_from(m, level, true, from);
}

/* Standard deviation about a straight line of means over `size` batches, in the second half of the run: what
 * the scalar oscillates by, without its drift. */
static double scatter_of(const cap_variator_means *m, int scalar, int size)
{
  int n = cap_variator_means_batches(m), k = n / 2 / size, first = n - k * size;
  double mean = 0.0, slope = 0.0, weight = 0.0, squares = 0.0;
  if (k < 4) return 0.0;
  for (int i = 0; i < k; i++)
    mean += mean_over(m, scalar, false, first + i * size, first + (i + 1) * size) / k;
  for (int i = 0; i < k; i++) {
    double at = i - 0.5 * (k - 1);
    slope += at * mean_over(m, scalar, false, first + i * size, first + (i + 1) * size);
    weight += at * at;
  }
  for (int i = 0; i < k; i++) {
    double line = mean + slope / weight * (i - 0.5 * (k - 1));
    double off = mean_over(m, scalar, false, first + i * size, first + (i + 1) * size) - line;
    squares += off * off;
  }
  return sqrt(squares / (k - 2));
}

double cap_variator_means_steady(const cap_variator_means *m, int scalar, double window, double share)
{
  int n = cap_variator_means_batches(m);
  int size = capm_whole_between(round(window / m->state[LENGTH]), 1, INT_MAX / 4);
  if (n < 4 * size) return INFINITY;
  int last = n - 2 * size; /* two windows to compare with */
  double mean = mean_over(m, scalar, false, last, n), steady = INFINITY;
  double within = share * fabs(mean), scatter = scatter_of(m, scalar, size > 1 ? size / 2 : 1);
  double band = fmax(within, fmin(2.0 * scatter, SCATTER * within));
  for (int b = last - size; b >= 0; b--) {
    if (!(fabs(mean_over(m, scalar, false, b, b + size) - mean) <= band)) break;
    steady = batch_at(m, b - 1)[END];
  }
  return steady;
}
