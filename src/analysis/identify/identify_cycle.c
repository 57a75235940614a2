/* analysis/identify/identify_cycle.c — the steady cycles of a measured loop: period, smooth deflection,
 * strokes. */
#include "analysis/identify/identify_cycle.h"
#include "linalg/lu.h"
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
  HARMONICS = CAP_IDENTIFY_CYCLE_HARMONICS,
  UNKNOWNS = 2 * HARMONICS + 2,
  BLOCKS = 20,
  LEAST_SAMPLES = 40
};
static const double TWO_PI = 6.28318530717958647692;
static const double LEAST_CYCLES = 1.95; /* two, less what rounding to whole samples takes */

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double quantile(double *work, int n, double fraction)
{
  qsort(work, (size_t)n, sizeof *work, compare);
  return work[(int)(fraction * (n - 1) + 0.5)];
}

/* Standard deviation of white noise on a slowly varying signal, from the median of its second differences. */
static double noise_level(const double *x, int n, double *work)
{
  for (int i = 0; i + 2 < n; i++) work[i] = fabs(x[i] - 2.0 * x[i + 1] + x[i + 2]);
  return n > 4 ? quantile(work, n - 2, 0.5) / (0.6744898 * sqrt(6.0)) : 0.0;
}

/* ---- period: crossings of the middle with hysteresis ---- */

/* Median time between equal crossings of the middle, over the later half of the crossings; 0 when there are
 * none. */
static double rough_period(int n, const double *time, const double *u, double *work)
{
  memcpy(work, u + n / 3, (size_t)(n - n / 3) * sizeof *work); /* a start-up may lie elsewhere */
  const double low = quantile(work, n - n / 3, 0.02), high = work[(int)(0.98 * (n - n / 3 - 1))];
  const double middle = 0.5 * (low + high), band = 0.2 * (high - low);
  double last[2] = {NAN, NAN}, crossing = NAN;
  int side = 0, count = 0;
  for (int i = 1; i < n; i++) {
    if ((u[i] > middle) != (u[i - 1] > middle)) crossing = 0.5 * (time[i] + time[i - 1]);
    const int now = u[i] > middle + band ? 1 : u[i] < middle - band ? -1 : side;
    if (now == side) continue;
    if (side != 0) {
      double *previous = &last[now > 0];
      if (isfinite(*previous)) work[count++] = crossing - *previous;
      *previous = crossing;
    }
    side = now;
  }
  const int skip = count / 2;
  return count ? quantile(work + skip, count - skip, 0.5) : 0.0;
}

/* ---- Fourier series by least squares ---- */

/* cos and sin of h p for h = 1..nharmonic, by the recurrence in h. */
static void harmonics(double p, int nharmonic, double *c, double *s)
{
  c[0] = 1.0, s[0] = 0.0;
  const double c1 = cos(p), s1 = sin(p);
  for (int h = 1; h <= nharmonic; h++) {
    c[h] = c[h - 1] * c1 - s[h - 1] * s1;
    s[h] = s[h - 1] * c1 + c[h - 1] * s1;
  }
}

/* Normal matrix and right-hand side of the columns 1, cos p, sin p, cos 2p, ..., and last the derivative to
 * the angular frequency, for samples [first, last). */
typedef struct normal {
  int nharmonic, n;
  double matrix[UNKNOWNS * UNKNOWNS], rhs[UNKNOWNS], square;
} normal;

static void accumulate(normal *e, const cap_identify_cycle *y, const double *time, const double *u, int first,
                       int last, double centre)
{
  const int m = 2 * e->nharmonic + 2;
  memset(e->matrix, 0, sizeof e->matrix);
  memset(e->rhs, 0, sizeof e->rhs);
  e->square = 0.0;
  e->n = last - first;
  for (int i = first; i < last; i++) {
    double c[HARMONICS + 1], s[HARMONICS + 1], row[UNKNOWNS], slope = 0.0;
    harmonics(y->angular_frequency * (time[i] - y->origin), e->nharmonic, c, s);
    row[0] = 1.0;
    for (int h = 1; h <= e->nharmonic; h++) {
      row[2 * h - 1] = c[h], row[2 * h] = s[h];
      if (h <= y->nharmonic) slope += h * (y->sine[h] * c[h] - y->cosine[h] * s[h]);
    }
    row[m - 1] = slope * (time[i] - y->origin);
    const double value = u[i] - centre;
    for (int j = 0; j < m; j++) {
      double *line = e->matrix + j * m;
      for (int k = 0; k <= j; k++) line[k] += row[j] * row[k];
      e->rhs[j] += row[j] * value;
    }
    e->square += value * value;
  }
  for (int j = 0; j < m; j++)
    for (int k = j + 1; k < m; k++) e->matrix[j * m + k] = e->matrix[k * m + j];
}

/* Solve for the first 2 nharmonic + 1 columns, and for the angular frequency too when `shift` is given.
 * Returns the
 * sum of squares of what is left, or INFINITY. */
static double solve(const normal *e, int nharmonic, double *x, double *shift)
{
  const int m = 2 * e->nharmonic + 2, base = 2 * nharmonic + 1, size = base + (shift != NULL);
  double a[UNKNOWNS * UNKNOWNS], scale[UNKNOWNS];
  int pivot[UNKNOWNS], at[UNKNOWNS];
  for (int j = 0; j < size; j++) {
    at[j] = j < base ? j : m - 1;
    const double diagonal = e->matrix[at[j] * m + at[j]];
    scale[j] = diagonal > 0.0 ? 1.0 / sqrt(diagonal) : 0.0;
  }
  for (int j = 0; j < size; j++) {
    for (int k = 0; k < size; k++) a[j * size + k] = e->matrix[at[j] * m + at[k]] * scale[j] * scale[k];
    x[j] = e->rhs[at[j]] * scale[j];
  }
  if (capm_lu_factor(size, a, pivot) || capm_lu_pivot_ratio(size, a) < 1e-11) return INFINITY;
  capm_lu_solve(size, a, pivot, x);
  double rest = e->square;
  for (int j = 0; j < size; j++) {
    x[j] *= scale[j];
    rest -= x[j] * e->rhs[at[j]];
  }
  if (shift) *shift = x[base];
  return fmax(rest, 0.0);
}

static void store(cap_identify_cycle *y, int nharmonic, const double *x, double centre)
{
  memset(y->cosine, 0, sizeof y->cosine);
  memset(y->sine, 0, sizeof y->sine);
  y->nharmonic = nharmonic;
  y->cosine[0] = centre + x[0];
  for (int h = 1; h <= nharmonic; h++) y->cosine[h] = x[2 * h - 1], y->sine[h] = x[2 * h];
}

double cap_identify_cycle_at(const cap_identify_cycle *y, double phase, double *v)
{
  double c[HARMONICS + 1], s[HARMONICS + 1], u = y->cosine[0], slope = 0.0;
  harmonics(phase, y->nharmonic, c, s);
  for (int h = 1; h <= y->nharmonic; h++) {
    u += y->cosine[h] * c[h] + y->sine[h] * s[h];
    slope += h * (y->sine[h] * c[h] - y->cosine[h] * s[h]);
  }
  if (v) *v = slope * y->angular_frequency;
  return u;
}

static double residual_rms(const cap_identify_cycle *y, const double *time, const double *u, int first,
                           int last)
{
  double sum = 0.0;
  for (int i = first; i < last; i++) {
    const double e = u[i] - cap_identify_cycle_at(y, y->angular_frequency * (time[i] - y->origin), NULL);
    sum += e * e;
  }
  return sqrt(sum / (last - first));
}

/* Series and angular frequency over samples [first, last), the order chosen up to `most`. */
static bool fit_series(cap_identify_cycle *y, const double *time, const double *u, int first, int last,
                       int most, double amplitude)
{
  normal *e = malloc(sizeof *e);
  double x[UNKNOWNS], shift;
  bool good = e != NULL;
  double centre = 0.0;
  for (int i = first; i < last; i++) centre += u[i] / (last - first);
  y->origin = 0.5 * (time[first] + time[last - 1]);
  y->nharmonic = 0;

  /* angular frequency with three harmonics: Gauss-Newton, from the rough period */
  for (int pass = 0; pass < 8 && good; pass++) {
    e->nharmonic = most < 3 ? most : 3;
    accumulate(e, y, time, u, first, last, centre);
    good = isfinite(solve(e, e->nharmonic, x, pass ? &shift : NULL));
    if (!good) break;
    store(y, e->nharmonic, x, centre);
    if (pass) y->angular_frequency += shift;
    if (pass && fabs(shift) < 1e-12 * y->angular_frequency) break;
  }
  /* order: more harmonics as long as they pay, unless the first ones leave nothing */
  const double n = last - first;
  for (int full = 0; full < 2 && good; full++) {
    const int orders = full ? most : (most < 3 ? most : 3);
    double best = INFINITY, rest = 0.0;
    int order = 1;
    e->nharmonic = orders;
    accumulate(e, y, time, u, first, last, centre);
    for (int h = 1; h <= orders; h++) {
      const double sum = solve(e, h, x, NULL);
      const double score = n * log(fmax(sum / n, 1e-16 * amplitude * amplitude)) + 2.0 * h * log(n);
      if (score < best) best = score, order = h, rest = sum;
    }
    good = isfinite(solve(e, order, x, NULL));
    store(y, order, x, centre);
    if (rest / n < 1e-14 * amplitude * amplitude) break;
  }
  /* angular frequency once more, with that order */
  for (int pass = 0; pass < 4 && good; pass++) {
    e->nharmonic = y->nharmonic;
    accumulate(e, y, time, u, first, last, centre);
    good = isfinite(solve(e, e->nharmonic, x, &shift));
    if (!good) break;
    store(y, e->nharmonic, x, centre);
    y->angular_frequency += shift;
    if (fabs(shift) < 1e-13 * y->angular_frequency) break;
  }
  free(e);
  return good && isfinite(y->angular_frequency) && y->angular_frequency > 0.0;
}

/* ---- steady part ---- */

static int index_at(int n, const double *time, double t)
{
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (time[middle] < t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/* First sample from which the deflection follows the series that was fitted to the end of the data. */
static int steady_deflection(const cap_identify_cycle *y, int n, const double *time, const double *u,
                             double amplitude, double noise)
{
  const double block = TWO_PI / y->angular_frequency / BLOCKS;
  int end = n;
  for (double t = time[n - 1] - block; end > 0; t -= block) {
    int start = index_at(n, time, t);
    if (start >= end) continue;
    if (t <= time[0]) start = 0;
    if (residual_rms(y, time, u, start, end) > 2.0 * noise + 0.003 * amplitude) break;
    end = start;
  }
  return end;
}

static double interpolate(int n, const double *time, const double *x, double t)
{
  int i = index_at(n, time, t);
  i = i < 1 ? 1 : i > n - 1 ? n - 1 : i;
  return x[i - 1] + (x[i] - x[i - 1]) * (t - time[i - 1]) / (time[i] - time[i - 1]);
}

/* First sample from which the force repeats itself a period later, block by block. */
static int steady_force(const cap_identify_cycle *y, int first, int n, const double *time,
                        const double *force)
{
  const double period = TWO_PI / y->angular_frequency, block = period / BLOCKS;
  int end = index_at(n, time, time[n - 1] - period);
  while (end > first) {
    int start = index_at(n, time, time[end - 1] - block);
    start = start < first ? first : start >= end ? end - 1 : start;
    double sum = 0.0;
    for (int i = start; i < end; i++) sum += force[i] - interpolate(n, time, force, time[i] + period);
    const double allowed = 5.0 * y->f_noise * sqrt(2.0 / (end - start)) + 0.003 * y->f_range;
    if (fabs(sum) / (end - start) > allowed) break;
    end = start;
  }
  return end;
}

/* ---- strokes ---- */

static double velocity_at(const cap_identify_cycle *y, double phase)
{
  double v;
  cap_identify_cycle_at(y, phase, &v);
  return v;
}

static cap_status find_strokes(cap_identify_cycle *y, cap_error *error)
{
  enum { GRID = 2048 };
  y->nstroke = 0;
  double before = velocity_at(y, 0.0);
  for (int i = 0; i < GRID; i++) {
    double low = TWO_PI * i / GRID, high = TWO_PI * (i + 1) / GRID;
    const double after = velocity_at(y, high);
    if ((before >= 0.0) != (after >= 0.0)) {
      if (y->nstroke == CAP_IDENTIFY_CYCLE_STROKES)
        return cap_status_fail(error, CAP_ERR_INPUT,
                               "the deflection reverses too often: too noisy, or not one motion; expected at "
                               "most %d reversals a cycle",
                               CAP_IDENTIFY_CYCLE_STROKES);
      for (int k = 0; k < 45; k++) {
        const double middle = 0.5 * (low + high);
        if ((velocity_at(y, middle) >= 0.0) == (before >= 0.0)) low = middle;
        else high = middle;
      }
      y->strokes[y->nstroke++] = (cap_identify_stroke){.phase = high,
                                                       .u0 = cap_identify_cycle_at(y, high, NULL)};
    }
    before = after;
  }
  if (y->nstroke < 2)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the deflection does not reverse; expected at least 2 reversals a cycle");
  y->u_min = INFINITY, y->u_max = -INFINITY;
  for (int j = 0; j < y->nstroke; j++) {
    y->strokes[j].u1 = y->strokes[(j + 1) % y->nstroke].u0;
    y->u_min = fmin(y->u_min, y->strokes[j].u0);
    y->u_max = fmax(y->u_max, y->strokes[j].u0);
  }
  return CAP_OK;
}

static cap_status sample_series(cap_identify_cycle *y, cap_arena *arena, cap_error *error)
{
  y->phase = CAP_ARENA_NEW(arena, double, y->n);
  y->u = CAP_ARENA_NEW(arena, double, y->n);
  y->v = CAP_ARENA_NEW(arena, double, y->n);
  y->stroke_of = CAP_ARENA_NEW(arena, int, y->n);
  if (!y->phase || !y->u || !y->v || !y->stroke_of)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int i = 0; i < y->n; i++) {
    const double p = fmod(y->angular_frequency * (y->time[i] - y->origin), TWO_PI);
    y->phase[i] = p < 0.0 ? p + TWO_PI : p;
    y->u[i] = cap_identify_cycle_at(y, y->phase[i], &y->v[i]);
    int j = y->nstroke - 1; /* before the first reversal the last stroke is still under way */
    for (int k = 0; k < y->nstroke && y->strokes[k].phase <= y->phase[i]; k++) j = k;
    y->stroke_of[i] = j;
  }
  return CAP_OK;
}

/* Area of the loop over whole cycles, integral of F v dt by the trapezoid rule, and its error from the force
 * noise. */
static void loop_area(cap_identify_cycle *y)
{
  const int whole = (int)(y->cycles + 0.05);
  const double end = y->time[0] + whole * TWO_PI / y->angular_frequency;
  double sum = 0.0, square = 0.0;
  for (int i = 0; i < y->n; i++) {
    const double left = i > 0 ? y->time[i] - y->time[i - 1] : 0.0;
    const double right = i + 1 < y->n ? y->time[i + 1] - y->time[i] : 0.0;
    if (y->time[i] > end) break;
    const double weight = 0.5 * (left + right) * y->v[i];
    sum += weight * y->force[i];
    square += weight * weight;
  }
  y->area = sum / whole;
  y->area_error = y->f_noise * sqrt(square) / whole;
}

/* ---- all together ---- */

static cap_status too_few(cap_error *error, double found, const char *what)
{
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "too few cycles to distinguish a steady loop from its start-up; expected at least 2, got %.2f %s",
      found, what);
}

static cap_status find(int n, const double *time, const double *u, const double *force, double *work,
                       cap_identify_cycle *y, cap_error *error)
{
  double period = rough_period(n, time, u, work);
  if (!(period > 0.0)) return too_few(error, 0.0, "whole cycles of the deflection found");
  if ((time[n - 1] - time[0]) / period < LEAST_CYCLES)
    return too_few(error, (time[n - 1] - time[0]) / period, "cycles recorded");
  const double spacing = (time[n - 1] - time[0]) / (n - 1);
  if (period / spacing < LEAST_SAMPLES)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "too few samples to see the reversals; expected at least %d a cycle, got %.0f",
                           LEAST_SAMPLES, period / spacing);
  int most = (int)(period / spacing / 8.0);
  most = most > HARMONICS ? HARMONICS : most;

  double low = INFINITY, high = -INFINITY;
  int first = index_at(n, time, time[n - 1] - 2.0 * period);
  for (int i = first; i < n; i++) low = fmin(low, u[i]), high = fmax(high, u[i]);
  const double amplitude = 0.5 * (high - low);
  double f_low = INFINITY, f_high = -INFINITY;
  for (int i = first; i < n; i++) f_low = fmin(f_low, force[i]), f_high = fmax(f_high, force[i]);
  y->f_range = f_high - f_low;
  y->f_noise = noise_level(force + first, n - first, work);

  /* the last two cycles, then everything that goes on like them; twice, as the angular frequency sharpens */
  y->angular_frequency = TWO_PI / period;
  for (int pass = 0; pass < 2; pass++) {
    if (!fit_series(y, time, u, first, n, most, amplitude))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the deflection is not periodic; expected one motion that repeats itself");
    y->u_rms = residual_rms(y, time, u, first, n);
    if (y->u_rms > 0.1 * amplitude)
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the deflection is not periodic; expected cycles that agree within 10 %% of the "
                             "amplitude, got a difference of %.0f %% at the best period (%.4g s)",
                             100.0 * y->u_rms / amplitude, TWO_PI / y->angular_frequency);
    const int start = steady_deflection(y, n, time, u, amplitude, y->u_rms);
    first = steady_force(y, start, n, time, force);
  }
  y->cycles = (time[n - 1] - time[first]) * y->angular_frequency / TWO_PI;
  if (y->cycles < LEAST_CYCLES) return too_few(error, y->cycles, "steady cycles remain after the start-up");
  if (!fit_series(y, time, u, first, n, most, amplitude))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the deflection is not periodic; expected one motion that repeats itself");
  y->u_rms = residual_rms(y, time, u, first, n);
  y->first = first;
  y->n = n - first;
  y->time = time + first;
  y->force = force + first;
  y->f_noise = noise_level(y->force, y->n, work);
  y->u_noise = noise_level(u + first, y->n, work);
  return CAP_OK;
}

cap_status cap_identify_cycle_find(int n, const double *time, const double *u, const double *force,
                                   cap_arena *arena, cap_identify_cycle *cycle, cap_error *error)
{
  memset(cycle, 0, sizeof *cycle);
  double *work = malloc((size_t)n * sizeof *work);
  if (!work) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  const cap_status status = find(n, time, u, force, work, cycle, error);
  free(work);
  CAP_TRY(status);
  CAP_TRY(find_strokes(cycle, error));
  CAP_TRY(sample_series(cycle, arena, error));
  loop_area(cycle);
  return CAP_OK;
}
