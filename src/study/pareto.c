/* study/pareto.c — see pareto.h.
 *
 * Sweep by f1, then f2, then f3 (Kung, Luccio and Preparata 1975). A point is beaten by one before it in
 * this order, or by none; what was before is kept as the smallest f3 for f2 up to a rank (Fenwick's tree of
 * minima). Points that are equal in all three are handled together, so that they do not beat each other.
 */
#include "study/pareto.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct point {
  double f[3];
  int64_t at, rank; /* rank of f2 from 1 on */
} point;

static int compare(const point *p, const point *q, int from)
{
  for (int k = from; k < 3; k++)
    if (p->f[k] != q->f[k]) return p->f[k] < q->f[k] ? -1 : 1;
  return 0;
}

static int by_all(const void *a, const void *b)
{
  const point *p = a, *q = b;
  int order = compare(p, q, 0);
  return order != 0 ? order : (p->at > q->at) - (p->at < q->at);
}

static int by_value(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* Ranks of f2 among its distinct values. */
static void rank(int64_t n, point *points, double *values)
{
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) values[i] = points[i].f[1];
  qsort(values, (size_t)n, sizeof *values, by_value);
  for (int64_t i = 0; i < n; i++)
    if (i == 0 || values[i] != values[count - 1]) values[count++] = values[i];
  for (int64_t i = 0; i < n; i++) {
    int64_t low = 0, high = count - 1;
    while (low < high) {
      int64_t middle = (low + high) / 2;
      if (values[middle] < points[i].f[1]) low = middle + 1;
      else high = middle;
    }
    points[i].rank = low + 1;
  }
}

static void sweep(int64_t n, const point *points, double *least, unsigned char *front)
{
  for (int64_t k = 0; k <= n; k++) least[k] = INFINITY;
  for (int64_t i = 0, next; i < n; i = next) {
    for (next = i + 1; next < n && compare(points + i, points + next, 0) == 0;) next++;
    double best = INFINITY;
    for (int64_t k = points[i].rank; k > 0; k -= k & -k) best = fmin(best, least[k]);
    /* whoever came before is no larger in f1 and not equal: f2 and f3 no larger either, and it beats */
    const bool beaten = best <= points[i].f[2];
    for (int64_t k = i; k < next; k++) front[points[k].at] = !beaten;
    for (int64_t k = points[i].rank; k <= n; k += k & -k) least[k] = fmin(least[k], points[i].f[2]);
  }
}

cap_status cap_pareto_front(int64_t n, int nobjective, const double *f, unsigned char *front,
                            cap_error *error)
{
  point *points = malloc(sizeof *points * ((size_t)n + 1));
  double *values = malloc(sizeof *values * ((size_t)n + 1));
  if (!points || !values) {
    free(points), free(values);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the Pareto front of %lld cases",
                           (long long)n);
  }
  int64_t count = 0;
  memset(front, 0, (size_t)n);
  for (int64_t i = 0; i < n; i++) {
    point p = {.at = i};
    bool known = true;
    for (int k = 0; k < nobjective; k++) {
      p.f[k] = f[i * nobjective + k];
      known = known && isfinite(p.f[k]);
    }
    if (known) points[count++] = p;
  }
  qsort(points, (size_t)count, sizeof *points, by_all);
  rank(count, points, values);
  sweep(count, points, values, front);
  free(points), free(values);
  return CAP_OK;
}
