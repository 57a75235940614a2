/* hb/hb_pieces.c — see hb_pieces.h. */
#include "hb/hb_pieces.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cap_status cap_hb_pieces_create(cap_arena *arena, int nharmonic, cap_hb_pieces *c)
{
  int block = CAPM_FOURIER_BLOCK, nsample = (8 * nharmonic + 2 * block - 1) / block * block;
  CAP_TRY(capm_fourier_create(arena, nharmonic, nsample, &c->coarse));
  c->most = CAP_PIECES_MOST * (2 * nharmonic + 2);
  c->value = CAP_ARENA_NEW(arena, double, nsample);
  c->rate = CAP_ARENA_NEW(arena, double, nsample);
  c->derivative = CAP_ARENA_NEW(arena, double, c->coarse.ncoef);
  c->sums = CAP_ARENA_NEW(arena, double, c->coarse.nrow);
  c->crossings = CAP_ARENA_NEW(arena, cap_hb_crossing, c->most);
  return c->value && c->rate && c->derivative && c->sums && c->crossings ? CAP_OK : CAP_ERR_NOMEM;
}

/* u(theta) and u'(theta) by recurrence. */
static double series_at(int nharmonic, const double *c, double theta, double *slope)
{
  double c1 = cos(theta), s1 = sin(theta), ch = 1.0, sh = 0.0, sum = c[0];
  *slope = 0.0;
  for (int h = 1; h <= nharmonic; h++) {
    double next = ch * c1 - sh * s1;
    sh = sh * c1 + ch * s1;
    ch = next;
    sum += c[2 * h - 1] * ch + c[2 * h] * sh;
    *slope += h * (c[2 * h] * ch - c[2 * h - 1] * sh);
  }
  return sum;
}

/* Root of the series c minus level between two angles where it has opposite signs:
 * Newton within the bracket. */
static double refine(int nharmonic, const double *c, double level, double low, double high, double at_low,
                     double at_high)
{
  double theta = low + (high - low) * at_low / (at_low - at_high);
  for (int i = 0; i < 60; i++) {
    double slope, value = series_at(nharmonic, c, theta, &slope) - level;
    if (value == 0.0) return theta;
    if ((value > 0.0) == (at_low > 0.0)) low = theta;
    else high = theta;
    double next = theta - value / slope;
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (fabs(next - theta) <= 1e-15 * (1.0 + fabs(theta))) return next;
    theta = next;
  }
  return theta;
}

typedef struct search {
  cap_hb_pieces *c;
  const double *u;
  double level, half_jump;
} search;

/* The deflection goes through the level at theta, upward or downward: |u - at| changes its slope by 2. */
static void add_crossing(search *s, double theta, bool upward)
{
  cap_hb_pieces *c = s->c;
  if (c->ncrossing >= c->most) return; /* a series of H harmonics has at most 2H of them per level */
  c->crossings[c->ncrossing++] = (cap_hb_crossing){theta, upward ? 2.0 * s->half_jump : -2.0 * s->half_jump};
}

/* Both ends on the same side, but the deflection turns in between: it may reach the level and come back. */
static void look_inside(search *s, double low, double high, double at_low, double at_high, double rate_low,
                        double rate_high)
{
  cap_hb_pieces *c = s->c;
  int h = c->coarse.nharmonic;
  double width = high - low, slope;
  /* the straight lines at both ends bound a turn without inflection */
  double reach = fmin(fabs(at_low), fabs(at_high)) - fmax(fabs(rate_low), fabs(rate_high)) * width;
  if (reach > 0.0) return;
  double turn = refine(h, c->derivative, 0.0, low, high, rate_low, rate_high);
  double there = series_at(h, s->u, turn, &slope) - s->level;
  if ((there > 0.0) == (at_low > 0.0) || there == 0.0) return;
  add_crossing(s, refine(h, s->u, s->level, low, turn, at_low, there), there > 0.0);
  add_crossing(s, refine(h, s->u, s->level, turn, high, there, at_high), there < 0.0);
}

static void find_crossings(search *s)
{
  const cap_hb_pieces *c = s->c;
  int n = c->coarse.nsample;
  double step = 2.0 * M_PI / n;
  for (int i = 0; i < n; i++) {
    int next = i + 1 < n ? i + 1 : 0;
    double a = c->value[i] - s->level, b = c->value[next] - s->level;
    double low = i * step, high = (i + 1) * step;
    if ((a > 0.0) != (b > 0.0)) {
      double theta = a == 0.0   ? low
                     : b == 0.0 ? high
                                : refine(c->coarse.nharmonic, s->u, s->level, low, high, a, b);
      add_crossing(s, theta, b > 0.0);
      continue;
    }
    bool towards = a > 0.0 ? c->rate[i] < 0.0 && c->rate[next] > 0.0
                           : c->rate[i] > 0.0 && c->rate[next] < 0.0;
    if (towards) look_inside(s, low, high, a, b, c->rate[i], c->rate[next]);
  }
}

/* Add what the slope of half_jump |u - level| contributes: its sums over the rows (as of nsample samples) and
 * to the constant part of the force. */
static void add_sums(search *s, int first, double *constant)
{
  cap_hb_pieces *c = s->c;
  int nharmonic = c->coarse.nharmonic;
  double scale = c->coarse.nsample / (2.0 * M_PI), side = c->value[0] > s->level ? 1.0 : -1.0;
  double mean = side * s->half_jump * 2.0 * M_PI;
  c->start += side * s->half_jump;
  for (int k = first; k < c->ncrossing; k++) {
    double theta = c->crossings[k].theta, change = c->crossings[k].change;
    double c1 = cos(theta), s1 = sin(theta), ch = 1.0, sh = 0.0;
    mean += change * (2.0 * M_PI - theta);
    for (int h = 1; h <= 2 * nharmonic; h++) {
      double next = ch * c1 - sh * s1;
      sh = sh * c1 + ch * s1;
      ch = next;
      double by_cos = -change * sh / h, by_sin = change * ch / h;
      c->sums[2 * h - 1] += scale * by_cos;
      c->sums[2 * h] += scale * by_sin;
      if (h > nharmonic) continue;
      constant[2 * h - 1] -= s->level / M_PI * by_cos;
      constant[2 * h] -= s->level / M_PI * by_sin;
    }
  }
  c->sums[0] += scale * mean;
  constant[0] -= s->level * mean / (2.0 * M_PI);
}

static int ascending(const void *a, const void *b)
{
  double x = ((const cap_hb_crossing *)a)->theta, y = ((const cap_hb_crossing *)b)->theta;
  return (x > y) - (x < y);
}

void cap_hb_pieces_evaluate(cap_hb_pieces *c, const double *u, double *force, double *tangent)
{
  const capm_fourier *f = &c->coarse;
  int n = f->ncoef;
  capm_fourier_synthesis(f, u, c->value);
  capm_fourier_derivative(f->nharmonic, u, c->derivative);
  capm_fourier_synthesis(f, c->derivative, c->rate);
  memset(c->sums, 0, sizeof(double) * (size_t)f->nrow);
  memset(force, 0, sizeof(double) * (size_t)n);
  memset(tangent, 0, sizeof(double) * (size_t)(n * n));
  c->ncrossing = 0;
  c->start = c->law.slope;
  c->sums[0] = f->nsample * c->law.slope;
  force[0] = c->law.offset;
  for (int k = 0; k < c->law.n; k++) {
    search s = {c, u, c->law.at[k], 0.5 * c->law.jump[k]};
    int first = c->ncrossing;
    find_crossings(&s);
    add_sums(&s, first, force);
  }
  qsort(c->crossings, (size_t)c->ncrossing, sizeof *c->crossings, ascending);
  capm_fourier_multiply(f, c->sums, 1.0, tangent);
  for (int i = 0; i < n; i++)
    for (int r = 0; r < n; r++) force[i] += tangent[i * n + r] * u[r];
}
