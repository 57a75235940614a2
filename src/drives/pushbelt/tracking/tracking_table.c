/* drives/pushbelt/tracking/tracking_table.c — see tracking_table.h. */
#include "drives/pushbelt/tracking/tracking_table.h"

#include "linalg/spline.h"

#include <math.h>
#include <string.h>

/* --- making the table ---------------------------------------------------------------------------------- */

static bool increasing(int n, const double *x)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(x[i]) || (i > 0 && !(x[i] > x[i - 1]))) return false;
  return n > 0;
}

/* Places of both signs must mirror each other. */
static bool mirrored(int n, const double *place)
{
  for (int i = 0; i < n; i++)
    if (fabs(place[i] + place[n - 1 - i]) > 1e-9 * place[n - 1]) return false;
  return true;
}

/* What the given grid becomes: rows from force 0, columns from place 0. */
typedef struct source {
  int nforce, nplace; /* as given */
  const double *force, *place, *values;
  bool both; /* places of both signs */
  int first; /* first given place above 0 */
  int row_off, rows, columns;
} source;

static bool read_source(source *s)
{
  if (!increasing(s->nforce, s->force) || !increasing(s->nplace, s->place)) return false;
  if (s->force[0] < 0.0 || s->place[s->nplace - 1] <= 0.0) return false;
  s->both = s->place[0] < 0.0;
  if (s->both && !mirrored(s->nplace, s->place)) return false;
  double least = 1e-9 * s->place[s->nplace - 1];
  while (s->place[s->first] <= least) s->first++;
  s->row_off = s->force[0] > 0.0;
  s->rows = s->nforce + s->row_off;
  s->columns = s->nplace - s->first + 1;
  for (int i = 0; i < s->nforce * s->nplace; i++)
    if (!isfinite(s->values[i])) return false;
  return s->rows >= 3 && s->columns >= 3;
}

static void copy_values(const source *s, capm_tracking_table *t)
{
  for (int i = 0; i < s->nforce; i++) {
    t->force[i + s->row_off] = s->force[i];
    for (int j = 1; j < s->columns; j++) {
      int k = s->first + j - 1;
      double value = s->values[i * s->nplace + k];
      if (s->both) value = 0.5 * (value - s->values[i * s->nplace + s->nplace - 1 - k]);
      t->place[j] = s->place[k];
      t->value[(i + s->row_off) * s->columns + j] = s->force[i] > 0.0 ? value : 0.0;
    }
  }
}

/* Slopes along the places by a spline through the mirrored row; work: 6 columns. */
static cap_status slopes_along_place(const capm_tracking_table *t, const double *values, double *slopes,
                                     double *work)
{
  int n = t->nplace, all = 2 * n - 1;
  double *x = work, *y = work + all, *d = work + 2 * all;
  for (int i = 0; i < t->nforce; i++) {
    for (int j = 0; j < n; j++) {
      x[n - 1 + j] = t->place[j];
      x[n - 1 - j] = -t->place[j];
      y[n - 1 + j] = values[i * n + j];
      y[n - 1 - j] = -values[i * n + j];
    }
    CAP_TRY(capm_spline_slopes(all, x, y, d));
    memcpy(slopes + (size_t)i * n, d + n - 1, (size_t)n * sizeof(double));
  }
  return CAP_OK;
}

static cap_status slopes_along_force(const capm_tracking_table *t, const double *values, double *slopes,
                                     double *work)
{
  int m = t->nforce, n = t->nplace;
  double *y = work, *d = work + m;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < m; i++) y[i] = values[i * n + j];
    CAP_TRY(capm_spline_slopes(m, t->force, y, d));
    for (int i = 0; i < m; i++) slopes[i * n + j] = d[i];
  }
  return CAP_OK;
}

cap_status capm_tracking_table_make(cap_arena *arena, int nforce, const double *force, int nplace,
                                    const double *place, const double *values, capm_tracking_table *t)
{
  source s = {.nforce = nforce, .nplace = nplace, .force = force, .place = place, .values = values};
  if (!read_source(&s)) return CAP_ERR_INPUT;
  size_t cells = (size_t)s.rows * s.columns;
  *t = (capm_tracking_table){.nforce = s.rows, .nplace = s.columns};
  t->force = CAP_ARENA_NEW(arena, double, s.rows);
  t->place = CAP_ARENA_NEW(arena, double, s.columns);
  t->value = CAP_ARENA_NEW(arena, double, 4 * cells);
  double *work = CAP_ARENA_NEW(arena, double, 6 * s.columns + 2 * s.rows);
  if (!t->force || !t->place || !t->value || !work) return CAP_ERR_NOMEM;
  t->by_force = t->value + cells;
  t->by_place = t->by_force + cells;
  t->by_both = t->by_place + cells;
  copy_values(&s, t);
  CAP_TRY(slopes_along_force(t, t->value, t->by_force, work));
  CAP_TRY(slopes_along_place(t, t->value, t->by_place, work));
  return slopes_along_force(t, t->by_place, t->by_both, work);
}

/* --- evaluation ---------------------------------------------------------------------------------------- */

/* The interval of x in grid[n], x held inside; *part in [0, 1] of it. */
static int locate(int n, const double *grid, double x, double *part, double *width)
{
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (grid[middle] <= x) low = middle;
    else high = middle;
  }
  *width = grid[high] - grid[low];
  *part = fmin(1.0, fmax(0.0, (x - grid[low]) / *width));
  return low;
}

/* Hermite's four functions (value, value, slope, slope times the width) and their derivatives. */
static void hermite(double u, double width, double h[4], double d[4])
{
  h[0] = (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u);
  h[1] = u * u * (3.0 - 2.0 * u);
  h[2] = width * u * (1.0 - u) * (1.0 - u);
  h[3] = width * u * u * (u - 1.0);
  d[0] = -6.0 * u * (1.0 - u) / width;
  d[1] = -d[0];
  d[2] = (1.0 - u) * (1.0 - 3.0 * u);
  d[3] = u * (3.0 * u - 2.0);
}

static double sum(const double f[4], const double z[4], const double c[4][4])
{
  double s = 0.0;
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) s += f[i] * z[j] * c[i][j];
  return s;
}

capm_tracking_table_force capm_tracking_table_at(const capm_tracking_table *t, double force, double place)
{
  if (!(force >= 0.0)) return (capm_tracking_table_force){0};
  double size = fabs(place), sign = place < 0.0 ? -1.0 : 1.0;
  double u, v, width_f, width_z, hf[4], df[4], hz[4], dz[4], c[4][4];
  int i = locate(t->nforce, t->force, force, &u, &width_f),
      j = locate(t->nplace, t->place, size, &v, &width_z);
  hermite(u, width_f, hf, df);
  hermite(v, width_z, hz, dz);
  for (int a = 0; a < 2; a++)
    for (int b = 0; b < 2; b++) {
      int k = (i + a) * t->nplace + j + b;
      c[a][b] = t->value[k];
      c[a + 2][b] = t->by_force[k];
      c[a][b + 2] = t->by_place[k];
      c[a + 2][b + 2] = t->by_both[k];
    }
  double value = sum(hf, hz, c), by_force = sum(df, hz, c), by_place = sum(hf, dz, c),
         by_both = sum(df, dz, c);
  double beyond_f = fmax(0.0, force - t->force[t->nforce - 1]);
  double beyond_z = fmax(0.0, size - t->place[t->nplace - 1]);
  return (capm_tracking_table_force){
      sign * (value + by_force * beyond_f + by_place * beyond_z + by_both * beyond_f * beyond_z),
      sign * (by_force + by_both * beyond_z), by_place + by_both * beyond_f};
}

bool capm_tracking_table_inside(const capm_tracking_table *t, double force, double place)
{
  return force <= t->force[t->nforce - 1] && fabs(place) <= t->place[t->nplace - 1];
}
