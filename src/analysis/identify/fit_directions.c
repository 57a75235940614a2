/* analysis/identify/fit_directions.c — see fit_directions.h. */
#include "analysis/identify/fit_directions.h"
#include "linalg/lsq.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Below this part of the largest singular value a direction is one of rounding. */
static const double ROUNDING = 1e-9;
/* Weights of a parameter in an open direction below this do not count as a part of it. */
static const double SLIGHT = 0.03;
/* Parts of a combination that are told. */
static const double TOLD = 0.1;

static bool is_open(const cap_fit_directions *d, int k, double limit)
{
  return !(d->singular[k] > ROUNDING * d->singular[0]) || !(d->quantile / d->singular[k] <= limit);
}

/* ---- readable combinations ----------------------------------------------------------------------------- */

/* Gauss-Jordan with the largest entry as pivot: of a basis of the open space, one in which each vector has a
 * parameter of its own. */
static void sparsify(const cap_fit_directions *d)
{
  int n = d->n;
  double *rows = d->combination;
  memcpy(rows, d->vector + (size_t)(n - d->nopen) * n, sizeof(double) * (size_t)(d->nopen * n));
  for (int k = 0; k < d->nopen; k++) {
    int row = k, column = 0;
    double largest = 0.0;
    for (int r = k; r < d->nopen; r++)
      for (int j = 0; j < n; j++)
        if (fabs(rows[r * n + j]) > largest) largest = fabs(rows[r * n + j]), row = r, column = j;
    if (!(largest > 0.0)) return;
    for (int j = 0; j < n; j++) {
      double kept = rows[row * n + j];
      rows[row * n + j] = rows[k * n + j];
      rows[k * n + j] = kept;
    }
    double pivot = rows[k * n + column];
    for (int j = 0; j < n; j++) rows[k * n + j] /= pivot;
    for (int r = 0; r < d->nopen; r++) {
      double part = r == k ? 0.0 : rows[r * n + column];
      for (int j = 0; j < n; j++) rows[r * n + j] -= part * rows[k * n + j];
    }
  }
}

static void scale_largest(double *row, int n)
{
  int at = 0;
  for (int j = 1; j < n; j++)
    if (fabs(row[j]) > fabs(row[at]) * (1.0 + 1e-9)) at = j;
  double largest = row[at];
  for (int j = 0; j < n; j++) row[j] /= largest;
}

static double change_along(int m, int n, const double *J, const double *row)
{
  double sum = 0.0;
  for (int i = 0; i < m; i++) {
    double part = 0.0;
    for (int j = 0; j < n; j++) part += J[(size_t)i * n + j] * row[j];
    sum += part * part;
  }
  return sqrt(sum);
}

static void combine(int m, const double *J, const cap_fit_directions *d)
{
  sparsify(d);
  for (int k = 0; k < d->nopen; k++) {
    double *row = d->combination + (size_t)k * d->n;
    scale_largest(row, d->n);
    double change = change_along(m, d->n, J, row);
    d->reach[k] = change > ROUNDING * d->singular[0] ? d->quantile / change : INFINITY;
  }
}

/* ---- intervals ----------------------------------------------------------------------------------------- */

/* Whether direction k takes part in the uncertainty of parameter j. */
static bool counts(const cap_fit_directions *d, int k, int j)
{
  return k < d->n - d->nopen || fabs(d->vector[k * d->n + j]) >= SLIGHT;
}

static double covariance(const cap_fit_directions *d, int i, int j)
{
  double sum = 0.0;
  for (int k = 0; k < d->n; k++) {
    double s = fmax(d->singular[k], 1e-3 * ROUNDING * d->singular[0]);
    if (counts(d, k, i) && counts(d, k, j))
      sum += d->vector[k * d->n + i] * d->vector[k * d->n + j] / (s * s);
  }
  return sum;
}

static void intervals(const cap_fit_directions *d, double limit)
{
  for (int j = 0; j < d->n; j++) {
    d->error[j] = sqrt(covariance(d, j, j));
    d->known[j] = d->quantile * d->error[j] <= limit;
  }
  for (int i = 0; i < d->n; i++)
    for (int j = 0; j < d->n; j++)
      d->correlation[i * d->n + j] = i == j ? 1.0 : covariance(d, i, j) / (d->error[i] * d->error[j]);
}

cap_status cap_fit_directions_find(int m, int n, const double *J, double quantile, double limit,
                                   cap_arena *arena, cap_fit_directions *d)
{
  size_t count = (size_t)n;
  *d = (cap_fit_directions){.n = n,
                            .quantile = quantile,
                            .singular = CAP_ARENA_NEW(arena, double, count),
                            .vector = CAP_ARENA_NEW(arena, double, (count * count)),
                            .combination = CAP_ARENA_NEW(arena, double, (count * count)),
                            .reach = CAP_ARENA_NEW(arena, double, count),
                            .error = CAP_ARENA_NEW(arena, double, count),
                            .known = CAP_ARENA_NEW(arena, bool, count),
                            .correlation = CAP_ARENA_NEW(arena, double, (count * count))};
  if (!d->singular || !d->vector || !d->combination || !d->reach || !d->error || !d->known || !d->correlation)
    return CAP_ERR_NOMEM;
  CAP_TRY(capm_lsq_directions(m, n, J, d->singular, d->vector));
  while (d->nopen < n && is_open(d, n - 1 - d->nopen, limit)) d->nopen++;
  combine(m, J, d);
  intervals(d, limit);
  return CAP_OK;
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* Weights that differ by rounding count as equal, so that the words do not depend on the machine. */
static double weight(double part)
{
  return rint(1e9 * fabs(part));
}

/* The parameter with the next smaller weight, of equal ones the next; -1 = the rest is not told. */
static int next_part(int n, const double *row, int before)
{
  int best = -1;
  for (int j = 0; j < n; j++) {
    double own = weight(row[j]), last = before >= 0 ? weight(row[before]) : INFINITY;
    bool told = own > last || (own == last && j <= before);
    if (!told && fabs(row[j]) >= TOLD && (best < 0 || own > weight(row[best]))) best = j;
  }
  return best;
}

void cap_fit_directions_tell(const cap_fit_directions *d, int k, const char *const *names, char *text,
                             int size)
{
  const double *row = d->combination + (size_t)k * d->n;
  int used = 0, parts = 0;
  text[0] = 0;
  for (int j = next_part(d->n, row, -1); j >= 0 && used < size; j = next_part(d->n, row, j), parts++)
    used += snprintf(text + used, (size_t)(size - used), "%s%s %s by %.3g %%",
                     parts > 1 ? " and "
                     : parts   ? " with "
                               : "",
                     names[j], row[j] > 0.0 ? "up" : "down", fabs(row[j]));
}
