/* drives/pushbelt/contact/influence_table.c — a table of influence numbers from rows of a file. See
 * influence.h.
 *
 * The table is symmetric in r and r0, and even and periodic in the angle, so that its harmonics are its
 * cosine sums over the even grid of angles: with G_m[r][r0] those of harmonic m, it is positive semidefinite
 * on all contacts exactly when every G_m is (docs/theory.md §33.2).
 */
#include "drives/pushbelt/contact/influence.h"
#include "linalg/eigen.h"

#include <math.h>
#include <stdlib.h>

static int compare(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* The distinct ones among n values, ascending; those within `apart` count as one. */
static int distinct(int n, double *values, double apart)
{
  int found = 0;
  qsort(values, (size_t)n, sizeof *values, compare);
  for (int i = 0; i < n; i++)
    if (found == 0 || values[i] - values[found - 1] > apart) values[found++] = values[i];
  return found;
}

static int nearest(int n, const double *grid, double value)
{
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (grid[middle] <= value) low = middle;
    else high = middle;
  }
  return fabs(grid[high] - value) < fabs(grid[low] - value) ? high : low;
}

static double between(double angle)
{
  return fabs(remainder(angle, 2.0 * M_PI));
}

typedef struct grid {
  int nr, nangle;
  double *r, *angle, *value;
  int *count;
} grid;

static cap_status lay_grid(cap_arena *arena, int n, const double *r, const double *r0, const double *angle,
                           grid *g, cap_error *error)
{
  double *radii = CAP_ARENA_NEW(arena, double, 2 * (size_t)n), *angles = CAP_ARENA_NEW(arena, double, n);
  if (!radii || !angles) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < n; k++) {
    radii[2 * k] = r[k], radii[2 * k + 1] = r0[k], angles[k] = between(angle[k]);
    if (!(r[k] > 0.0) || !(r0[k] > 0.0))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "row %d: expected radii above 0 mm, got r = %.6g mm, r0 = %.6g mm", k + 1,
                             1e3 * r[k], 1e3 * r0[k]);
  }
  g->nr = distinct(2 * n, radii, 1e-7);
  g->nangle = distinct(n, angles, 1e-5);
  g->r = radii, g->angle = angles;
  if (g->nr > CAP_INFLUENCE_GRID || g->nangle > CAP_INFLUENCE_GRID)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected at most %d radii and %d angles, got %d radii and %d angles",
                           CAP_INFLUENCE_GRID, CAP_INFLUENCE_GRID, g->nr, g->nangle);
  if (g->nangle < 2 || g->angle[0] > 1e-5 || g->angle[g->nangle - 1] < M_PI - 1e-5)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected angles from 0 deg to 180 deg, got %.6g deg to %.6g deg",
                           g->angle[0] * 180.0 / M_PI, g->angle[g->nangle - 1] * 180.0 / M_PI);
  for (int k = 0; k < g->nangle; k++) {
    double even = M_PI * k / (g->nangle - 1);
    if (fabs(g->angle[k] - even) > 1e-4)
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "angles not evenly spaced from 0 deg to 180 deg; expected %.6g deg, got %.6g deg",
          even * 180.0 / M_PI, g->angle[k] * 180.0 / M_PI);
    g->angle[k] = even;
  }
  return CAP_OK;
}

static size_t at(const grid *g, int i, int j, int k)
{
  return ((size_t)i * (size_t)g->nr + (size_t)j) * (size_t)g->nangle + (size_t)k;
}

static cap_status fill_grid(cap_arena *arena, int n, const double *r, const double *r0, const double *angle,
                            const double *value, grid *g, cap_error *error)
{
  size_t size = at(g, g->nr, 0, 0);
  if (size > 2 * (size_t)n)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "too few rows for %d radii r, %d radii r0 and %d angles; expected at least %zu, got "
        "%d",
        g->nr, g->nr, g->nangle, (size + 1) / 2, n);
  g->value = CAP_ARENA_NEW(arena, double, size);
  g->count = CAP_ARENA_NEW(arena, int, size);
  if (!g->value || !g->count) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < n; k++) {
    size_t place = at(g, nearest(g->nr, g->r, r[k]), nearest(g->nr, g->r, r0[k]),
                      nearest(g->nangle, g->angle, between(angle[k])));
    g->value[place] += value[k];
    g->count[place]++;
  }
  return CAP_OK;
}

/* What only one of (r, r0) and (r0, r) tells is taken for both. Returns the largest difference of two that
 * were told; NAN: a point is told by neither, which `error` names. */
static double make_symmetric(grid *g, cap_error *error)
{
  double worst = 0.0, size = 0.0;
  for (size_t k = 0; k < at(g, g->nr, 0, 0); k++)
    if (g->count[k]) g->value[k] /= g->count[k];
  for (int i = 0; i < g->nr; i++)
    for (int j = 0; j <= i; j++)
      for (int k = 0; k < g->nangle; k++) {
        size_t one = at(g, i, j, k), two = at(g, j, i, k);
        if (!g->count[one] && !g->count[two]) {
          cap_status_fail(error, CAP_ERR_INPUT,
                          "missing row; expected r = %.6g mm, r0 = %.6g mm, angle = %.6g deg", g->r[i] * 1e3,
                          g->r[j] * 1e3, g->angle[k] * 180.0 / M_PI);
          return NAN;
        }
        if (g->count[one] && g->count[two]) worst = fmax(worst, fabs(g->value[one] - g->value[two]));
        double mean = !g->count[one]   ? g->value[two]
                      : !g->count[two] ? g->value[one]
                                       : 0.5 * (g->value[one] + g->value[two]);
        g->value[one] = g->value[two] = mean;
        size = fmax(size, fabs(mean));
      }
  return size > 0.0 ? worst / size : 0.0;
}

/* Harmonic m of the angles, as it acts on a circle of 2 (nangle - 1) points. */
static double harmonic(const grid *g, int i, int j, int m)
{
  int last = g->nangle - 1;
  const double *v = g->value + at(g, i, j, 0);
  double sum = 0.5 * (v[0] + (m % 2 ? -v[last] : v[last]));
  for (int k = 1; k < last; k++) sum += v[k] * cos(M_PI * (double)((long)k * m % (2 * last)) / last);
  return sum / last;
}

/* Smallest over largest eigenvalue of all harmonics. */
static cap_status least_eigenvalue(cap_arena *arena, const grid *g, double *least, cap_error *error)
{
  size_t n = (size_t)g->nr;
  double *a = CAP_ARENA_NEW(arena, double, (n * n)), *unit = CAP_ARENA_NEW(arena, double, (n * n));
  double *values = CAP_ARENA_NEW(arena, double, n), low = INFINITY, high = 0.0;
  if (!a || !unit || !values) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int m = 0; m < g->nangle; m++) {
    for (size_t k = 0; k < n * n; k++) unit[k] = k % (n + 1) == 0 ? 1.0 : 0.0;
    for (int i = 0; i < g->nr; i++)
      for (int j = 0; j < g->nr; j++) a[(size_t)i * n + (size_t)j] = harmonic(g, i, j, m);
    cap_status status = capm_eigen_symmetric(g->nr, a, unit, values, NULL);
    if (status != CAP_OK)
      return cap_status_fail(error, status, "the eigenvalues of the influence numbers did not converge");
    low = fmin(low, values[0]);
    high = fmax(high, values[n - 1]);
  }
  *least = high > 0.0 ? low / high : low < 0.0 ? -INFINITY : 0.0;
  return CAP_OK;
}

cap_status cap_influence_table_make(cap_arena *arena, int n, const double *r, const double *r0,
                                    const double *angle, const double *value, cap_influence_table **table,
                                    cap_error *error)
{
  grid g = {0};
  cap_influence_table *t = CAP_ARENA_NEW(arena, cap_influence_table, 1);
  if (!t) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(lay_grid(arena, n, r, r0, angle, &g, error));
  CAP_TRY(fill_grid(arena, n, r, r0, angle, value, &g, error));
  t->asymmetry = make_symmetric(&g, error);
  if (isnan(t->asymmetry)) return CAP_ERR_INPUT;
  CAP_TRY(least_eigenvalue(arena, &g, &t->least, error));
  t->nr = g.nr, t->nangle = g.nangle;
  t->r = g.r, t->angle = g.angle, t->value = g.value;
  *table = t;
  return CAP_OK;
}
