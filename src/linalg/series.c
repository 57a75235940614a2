/* linalg/series.c — see series.h. */
#include "linalg/series.h"

#include <math.h>
#include <stdbool.h>

enum {
  COEFFICIENTS = 48,
  CORNERS = 15,
  HEIGHTS = 6,
  SMOOTH = 1 + CORNERS * HEIGHTS,
  BANDED = 7,
  SHAPES = SMOOTH + BANDED
};

/* S near zero over S far from it. */
static const double heights[HEIGHTS] = {2.0, 4.0, 16.0, 64.0, 1024.0, 65536.0};
static const int firsts[BANDED] = {3, 4, 6, 8, 12, 16, 24}; /* coefficients of the first band */
static const double FIRST_CORNER = 0.25; /* J of the slowest: half a correlation time in the series */
static const double WHITE = 6.0;         /* weight beforehand of the white one, where each height has 1 */
static const double BANDS = 0.5;         /* and each spectrum of bands */
static const double RANGE = 10.0;        /* ln of what the level of a band may be */
static const double LEAST = 1e-4;        /* weight that is looked at */
static const double TWO_PI = 6.283185307179586;

/* The series in cosines, and what else is known of it. */
typedef struct series {
  int n, m;               /* values (averaged in parts), coefficients */
  double mean, variance;  /* of the values */
  double x[COEFFICIENTS]; /* of the cosines 1 .. m */
  double u[COEFFICIENTS]; /* of what is looked for in it, or 0 */
  bool beside;            /* something is */
} series;

/* What a spectrum says of what is asked for: a Student's t. */
typedef struct opinion {
  double weight; /* logarithm, then part of all */
  double centre, scale, freedom;
} opinion;

/* ---- cosines ------------------------------------------------------------------------------------------- */

static double part_mean(int n, int stride, const double *values, int k, int parts)
{
  int from = (int)((long long)k * n / parts), to = (int)((long long)(k + 1) * n / parts);
  double sum = 0.0;
  for (int i = from; i < to; i++) sum += values[(long long)i * stride];
  return sum / (to - from);
}

/* Orthonormal: white noise has coefficients of its own variance. cos j a by its recurrence. */
static void add_cosines(int i, int n, int m, double value, double *x)
{
  double a = 0.5 * TWO_PI * (i + 0.5) / n, c = cos(a), before = 1.0, now = c;
  double unit = sqrt(2.0 / n) * value;
  for (int j = 0; j < m; j++) {
    x[j] += unit * now;
    double next = 2.0 * c * now - before;
    before = now, now = next;
  }
}

static void analyse(series *s, int n, int stride, const double *values)
{
  double y[CAPM_SERIES_MOST], square = 0.0;
  *s = (series){.n = n < CAPM_SERIES_MOST ? n : CAPM_SERIES_MOST};
  s->m = s->n / 2 < COEFFICIENTS ? s->n / 2 : COEFFICIENTS;
  for (int k = 0; k < s->n; k++) s->mean += (y[k] = part_mean(n, stride, values, k, s->n)) / s->n;
  for (int k = 0; k < s->n; k++) {
    square += (y[k] - s->mean) * (y[k] - s->mean);
    add_cosines(k, s->n, s->m, y[k] - s->mean, s->x);
  }
  s->variance = square / (s->n > 1 ? s->n - 1 : 1);
}

/* ---- spectra ------------------------------------------------------------------------------------------- */

/* Logarithm of the probability of n coefficients whose squares over the spectrum sum up to `squares`, any
 * level of the spectrum being as likely as any other. */
static double evidence(int n, double squares)
{
  int sign;
  return lgamma_r(0.5 * n, &sign) - 0.5 * n * log(0.5 * TWO_PI * squares) - log(RANGE);
}

/* Multiple of what is looked for in noise of the spectrum g, and the squares over g that it leaves. */
static double fit(const series *s, const double *g, opinion *o)
{
  double xx = 0.0, ux = 0.0, uu = 0.0;
  for (int j = 0; j < s->m; j++) {
    xx += s->x[j] * s->x[j] / g[j];
    ux += s->u[j] * s->x[j] / g[j];
    uu += s->u[j] * s->u[j] / g[j];
  }
  o->freedom = s->m - (s->beside ? 1.0 : 0.0);
  o->centre = s->beside ? ux / uu : 0.0;
  double rest = fmax(s->beside ? xx - ux * ux / uu : xx, 1e-300);
  o->scale = sqrt(rest / o->freedom / (s->beside ? uu : s->n));
  o->weight = s->beside ? -0.5 * log(uu) : 0.0;
  return rest;
}

/* White far from zero, `height` times as high near it; the part with a corner over a finite time. */
static void ask_smooth(const series *s, double corner, double height, opinion *o)
{
  double g[COEFFICIENTS], levels = 1.0, logs = 0.0;
  for (int j = 0; j < s->m; j++) {
    double at = (j + 1.0) / corner;
    levels *= g[j] = 1.0 + (height - 1.0) / (1.0 + at * at);
    if (levels > 1e100) logs += log(levels), levels = 1.0;
  }
  double rest = fit(s, g, o);
  o->weight += evidence((int)o->freedom, rest) - 0.5 * (logs + log(levels));
  if (s->beside) return;
  double along = 1.0 / (0.5 * TWO_PI * corner); /* correlation time over that of the series */
  o->scale *= sqrt(1.0 + (height - 1.0) * (1.0 - along * (1.0 - exp(-1.0 / along))));
}

/* Mean squares over the bands [0, first), [first, 2 first), ...; sum of the evidence of all. */
static double ask_bands(const series *s, int first, double centre, double *g)
{
  double sum = 0.0;
  for (int from = 0, to = first; from < s->m; from = to, to *= 2) {
    double squares = 0.0;
    int end = to < s->m ? to : s->m;
    for (int j = from; j < end; j++) squares += (s->x[j] - centre * s->u[j]) * (s->x[j] - centre * s->u[j]);
    squares = fmax(squares, 1e-300);
    for (int j = from; j < end; j++) g[j] = squares / (end - from);
    sum += evidence(end - from, squares);
  }
  return sum;
}

/* Constant in bands, each with a level of its own: any hump or line away from zero. */
static void ask_banded(const series *s, int first, opinion *o)
{
  double g[COEFFICIENTS], sum = ask_bands(s, first, 0.0, g);
  for (int pass = 0; pass < 2 && s->beside; pass++) {
    fit(s, g, o);
    sum = ask_bands(s, first, o->centre, g);
  }
  fit(s, g, o);
  o->weight += sum;
  o->freedom = first - (s->beside ? 1.0 : 0.0);
  o->scale = s->beside ? o->scale * sqrt((s->m - 1.0) / s->m * first / o->freedom) : sqrt(g[0] / s->n);
}

static void consult(const series *s, opinion all[SHAPES])
{
  double top = -INFINITY, sum = 0.0;
  ask_smooth(s, 1.0, 1.0, &all[0]);
  all[0].weight += log(WHITE * CORNERS);
  for (int k = 1; k < SMOOTH; k++) {
    double corner = FIRST_CORNER * pow(2.0, 0.5 * ((k - 1) % CORNERS));
    ask_smooth(s, corner, heights[(k - 1) / CORNERS], &all[k]);
    /* beforehand: corners that the series is too short to show are less likely */
    all[k].weight += 0.5 * log(fmin(1.0, corner));
  }
  for (int k = 0; k < BANDED; k++) {
    opinion *o = &all[SMOOTH + k];
    *o = (opinion){.weight = -INFINITY, .scale = 1.0, .freedom = 1.0};
    if (firsts[k] > s->m) continue;
    ask_banded(s, firsts[k], o);
    o->weight += log(BANDS * CORNERS);
  }
  for (int k = 0; k < SHAPES; k++) top = fmax(top, all[k].weight);
  for (int k = 0; k < SHAPES; k++) sum += all[k].weight = exp(all[k].weight - top);
  for (int k = 0; k < SHAPES; k++) all[k].weight /= sum;
}

/* ---- what they say together ---------------------------------------------------------------------------- */

/* Probability of more than t, one side: Student's distribution by Wallace's transformation to the normal one
 * (within 1e-3 from a freedom of 6 on). */
static double beyond(double t, double freedom)
{
  double z = sqrt(freedom * log1p(t * t / freedom)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0);
  return 0.5 * erfc(copysign(z, t) * 0.7071067811865476);
}

/* Of the centred distributions together: beyond +-h. */
static double outside(const opinion *all, int n, double h)
{
  double p = 0.0;
  for (int k = 0; k < n; k++) p += 2.0 * all[k].weight * beyond(h / all[k].scale, all[k].freedom);
  return p;
}

/* Their 95 % interval, +- this. */
static double half_width(const opinion all[SHAPES])
{
  opinion some[SHAPES];
  double low = INFINITY, high = 0.0, sum = 0.0;
  int n = 0;
  for (int k = 0; k < SHAPES; k++) {
    if (all[k].weight < LEAST) continue;
    some[n++] = all[k];
    sum += all[k].weight;
    low = fmin(low, all[k].scale);
    high = fmax(high, all[k].scale);
  }
  for (int k = 0; k < n; k++) some[k].weight /= sum;
  if (!(high > 0.0)) return 0.0;
  low = log(1.9 * low), high = log(8.0 * high);
  for (int k = 0; k < 20 && high - low > 1e-4; k++) {
    double middle = 0.5 * (low + high);
    *(outside(some, n, exp(middle)) > 0.05 ? &low : &high) = middle;
  }
  return exp(0.5 * (low + high));
}

capm_series_mean capm_series_mean_of(int n, int stride, const double *values)
{
  series s;
  opinion all[SHAPES];
  if (n < 1) return (capm_series_mean){NAN, NAN, 0.0};
  analyse(&s, n, stride, values);
  if (n < CAPM_SERIES_LEAST || isnan(s.variance)) return (capm_series_mean){s.mean, NAN, 0.0};
  if (!(s.variance > 0.0)) return (capm_series_mean){s.mean, 0.0, n};
  consult(&s, all);
  double error = half_width(all) / CAPM_SERIES_95;
  return (capm_series_mean){s.mean, error, s.variance / (error * error)};
}

static capm_series_change change_of(series *s)
{
  opinion all[SHAPES];
  capm_series_change out = {0.0, 0.0, 1.0};
  double square = 0.0, tail = 0.0;
  if (!(s->variance > 0.0)) return out;
  s->beside = true;
  consult(s, all);
  for (int k = 0; k < SHAPES; k++) out.size += all[k].weight * all[k].centre;
  for (int k = 0; k < SHAPES; k++) {
    double off = all[k].centre - out.size;
    square += all[k].weight * (all[k].scale * all[k].scale + off * off);
    if (all[k].weight > 1e-12) tail += all[k].weight * beyond(all[k].centre / all[k].scale, all[k].freedom);
  }
  out.error = sqrt(square);
  out.chance = 2.0 * fmin(tail, 1.0 - tail);
  return out;
}

capm_series_change capm_series_drift(int n, int stride, const double *values)
{
  series s;
  if (n < CAPM_SERIES_LEAST) return (capm_series_change){NAN, NAN, 1.0};
  analyse(&s, n, stride, values);
  for (int k = 0; k < s.n; k++) add_cosines(k, s.n, s.m, (k + 0.5) / s.n - 0.5, s.u);
  return change_of(&s);
}

capm_series_change capm_series_step(int n, int stride, const double *values, double share)
{
  series s;
  if (n < CAPM_SERIES_LEAST) return (capm_series_change){NAN, NAN, 1.0};
  analyse(&s, n, stride, values);
  for (int k = 0; k < s.n; k++) {
    double after = fmin(fmax(k + 1.0 - share * s.n, 0.0), 1.0); /* part of this value */
    add_cosines(k, s.n, s.m, after - (1.0 - share), s.u);
  }
  return change_of(&s);
}
