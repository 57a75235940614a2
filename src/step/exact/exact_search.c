/* step/exact/exact_search.c — see exact_search.h. */
#include "step/exact/exact_search.h"

#include "step/exact/exact_piece.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 100000000 };

/* f = offset + sign * (derivative `order` of the slider's s) */
typedef struct gap {
  const cap_exact_piece *piece;
  const cap_exact_curve *curve;
  double sign, offset;
  int order;
  bool closed; /* f = f' = 0 by definition: the slider was caught here */
} gap;

static double derivative(const gap *g, double tau, int order)
{
  return g->sign * cap_exact_piece_value(g->piece, g->curve, tau, g->order + order);
}

/* What counts as zero for a derivative of the gap. */
static double rounding(const gap *g, int order)
{
  double error = cap_exact_piece_rounding(g->piece, g->curve, g->order + order);
  if (order == 0 && isfinite(g->offset)) error += DBL_EPSILON * fabs(g->offset);
  return 8 * error;
}

/* Largest h with f + f1 h - B h^2/2 >= 0, f > 0. */
static double parabola_step(double f, double f1, double bound)
{
  double root = sqrt(f1 * f1 + 2 * bound * f);
  if (f1 <= 0.0) return root - f1 > 0.0 ? 2 * f / (root - f1) : INFINITY;
  return bound > 0.0 ? (f1 + root) / bound : INFINITY;
}

/* How far a gap lets the search go, and whether it closes there. */
typedef struct reach {
  double step;
  bool event;
} reach;

/* The gap f is closed to rounding: the first derivative that differs from zero tells whether it opens. */
static reach touching_step(const gap *g, double tau, double f)
{
  for (int m = g->closed ? 2 : 1; g->order + m <= 3; m++) {
    double d = derivative(g, tau, m);
    if (fabs(d) <= rounding(g, m)) continue;
    double bound = cap_exact_piece_bound(g->piece, g->curve, g->order + m + 1);
    if (d > 0.0) return (reach){bound > 0.0 ? m * d / bound : INFINITY, false};
    return (reach){m == 1 && f > 0.0 ? parabola_step(f, d, bound) : 0.0, true};
  }
  /* at rest, or nearly: look again after a fraction of the shortest time constant */
  if (cap_exact_piece_bound(g->piece, g->curve, g->order) <= rounding(g, 0)) return (reach){INFINITY, false};
  double value = cap_exact_piece_bound(g->piece, g->curve, g->order + 1);
  double slope = cap_exact_piece_bound(g->piece, g->curve, g->order + 2);
  return (reach){slope > 0.0 ? 0.01 * value / slope : INFINITY, false};
}

static reach open_step(const gap *g, double tau)
{
  double f = g->closed ? 0.0 : g->offset + derivative(g, tau, 0);
  if (!(f < INFINITY)) return (reach){f, false}; /* no limit, or not a number */
  if (f <= rounding(g, 0)) return touching_step(g, tau, f);
  if (g->order == 0) {
    double least = g->offset + g->sign * g->curve->constant;
    if (least > cap_exact_piece_bound(g->piece, g->curve, 0)) return (reach){INFINITY, false}; /* never */
  }
  double bound = cap_exact_piece_bound(g->piece, g->curve, g->order + 2);
  double step = parabola_step(f, derivative(g, tau, 1), bound);
  if (step <= 4 * DBL_EPSILON * tau) return touching_step(g, tau, f); /* below the resolution of time */
  return (reach){step, false};
}

static reach nearer(reach a, reach b)
{
  return b.step < a.step || isnan(b.step) || (b.step == a.step && b.event) ? b : a;
}

/* Both gaps of a sticking slider, or the one of a slipping slider. */
static reach slider_step(const cap_exact *e, int s, int flag, double tau)
{
  const cap_exact_piece *p = &e->piece;
  gap g = {.piece = p, .curve = &p->slider[s]};
  if (flag == CAP_EXACT_SLIP_UP || flag == CAP_EXACT_SLIP_DOWN) {
    g.sign = flag;
    g.order = 1;
    return open_step(&g, tau);
  }
  reach least = {INFINITY, false};
  for (int side = -1; side <= 1; side += 2) {
    g.sign = -side;
    g.offset = e->reach[s] - side * p->anchored[s];
    g.closed = tau == 0.0 && flag == 2 * side;
    least = nearer(least, open_step(&g, tau));
  }
  return least;
}

/* The least step of all sliders; *slider is the one that asks for it. */
static reach least_step(const cap_exact *e, const int *flags, double tau, int *slider)
{
  reach least = {INFINITY, false};
  for (int s = 0; s < e->nslider; s++) {
    if (e->loose >> s & 1) continue;
    reach own = slider_step(e, s, flags[s], tau), before = least;
    least = nearer(least, own);
    if (least.step != before.step || least.event != before.event) *slider = s;
  }
  return least;
}

cap_status cap_exact_search_first(cap_exact *e, const int *flags, double *tau, int *slider, cap_error *error)
{
  const cap_exact_piece *p = &e->piece;
  double horizon = cap_exact_piece_horizon(p), at = 0.0;
  int nearest = -1;
  *slider = -1;
  *tau = p->length;
  for (int count = 0; count < MOST_STEPS; count++) {
    if (cap_progress_stopped(e->linear.progress))
      return cap_status_fail(error, CAP_STOPPED, "interrupted at t = %.6g s", p->t + at);
    cap_exact_piece_at(e, at);
    reach least = least_step(e, flags, at, &nearest);
    if (isnan(least.step))
      return cap_status_fail(error, CAP_ERR_NUMERICS,
                             "friction element %d: its motion is not finite at t = %.9g s", nearest,
                             p->t + at);
    if (at + fmin(least.step, horizon) >= p->length) return CAP_OK;
    if (least.event && least.step <= horizon) {
      *tau = at + least.step;
      *slider = nearest;
      return CAP_OK;
    }
    at += fmin(least.step, horizon);
  }
  return cap_status_fail(
      error, CAP_ERR_NUMERICS,
      "the search for the next change of stick and slip after t = %.9g s did not end within %d steps", p->t,
      MOST_STEPS);
}

int cap_exact_search_switch(int flag, double w)
{
  switch (flag) {
  case CAP_EXACT_SLIP_UP:
    return CAP_EXACT_CAUGHT_UP;
  case CAP_EXACT_SLIP_DOWN:
    return CAP_EXACT_CAUGHT_DOWN;
  default:
    return w > 0.0 ? CAP_EXACT_SLIP_UP : CAP_EXACT_SLIP_DOWN;
  }
}
