/* step/exact_search.c — see exact_search.h. */
#include "step/exact_search.h"

#include "step/exact_piece.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 10000000 };

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

static double rounding(const gap *g, int order)
{
  double size = cap_exact_piece_bound(g->piece, g->curve, g->order + order);
  if (g->order + order == 0) size += fabs(g->curve->constant);
  if (order == 0 && isfinite(g->offset)) size += fabs(g->offset);
  return 16 * DBL_EPSILON * size;
}

/* Largest h with f + f1 h - B h^2/2 >= 0, f > 0. */
static double parabola_step(double f, double f1, double bound)
{
  double root = sqrt(f1 * f1 + 2 * bound * f);
  if (f1 <= 0.0) return root - f1 > 0.0 ? 2 * f / (root - f1) : INFINITY;
  return bound > 0.0 ? (f1 + root) / bound : INFINITY;
}

/* The gap is closed to rounding: the first derivative that differs from zero tells whether it opens. Returns
 * the step on which it certainly stays open, or -1 when it is about to be crossed. */
static double touching_step(const gap *g, double tau)
{
  for (int m = 1; g->order + m <= 3; m++) {
    if (m == 1 && g->closed) continue;
    double f = derivative(g, tau, m);
    if (fabs(f) <= rounding(g, m)) continue;
    if (f < 0.0) return -1.0;
    double bound = cap_exact_piece_bound(g->piece, g->curve, g->order + m + 1);
    return bound > 0.0 ? m * f / bound : INFINITY;
  }
  /* at rest to rounding; look again after a fraction of the shortest time constant */
  double value = cap_exact_piece_bound(g->piece, g->curve, g->order + 1);
  double slope = cap_exact_piece_bound(g->piece, g->curve, g->order + 2);
  return slope > 0.0 ? 0.01 * value / slope : INFINITY;
}

/* A step from tau on which the gap stays open; -1 and the remaining time *late when it closes here. */
static double open_step(const gap *g, double tau, double *late)
{
  *late = 0.0;
  double f = g->closed ? 0.0 : g->offset + derivative(g, tau, 0);
  if (!(f < INFINITY)) return INFINITY; /* no limit */
  double tolerance = rounding(g, 0);
  if (f <= tolerance) {
    double step = touching_step(g, tau);
    if (step < 0.0 && f > 0.0) {
      double slope = derivative(g, tau, 1);
      if (slope < 0.0) *late = f / -slope;
    }
    return step;
  }
  if (g->order == 0) {
    double least = g->offset + g->sign * g->curve->constant;
    if (least > cap_exact_piece_bound(g->piece, g->curve, 0)) return INFINITY; /* will never be reached */
  }
  return parabola_step(f, derivative(g, tau, 1), cap_exact_piece_bound(g->piece, g->curve, g->order + 2));
}

/* The step for both gaps of a sticking slider, or the one of a slipping slider. */
static double slider_step(const cap_exact *e, int s, int flag, double tau, double *late)
{
  const cap_exact_piece *p = &e->piece;
  gap g = {.piece = p, .curve = &p->slider[s]};
  if (flag == CAP_EXACT_SLIP_UP || flag == CAP_EXACT_SLIP_DOWN) {
    g.sign = flag;
    g.order = 1;
    return open_step(&g, tau, late);
  }
  double step = INFINITY;
  for (int side = -1; side <= 1; side += 2) {
    g.sign = -side;
    g.offset = e->reach[s] - side * p->anchored[s];
    g.closed = tau == 0.0 && flag == 2 * side;
    double own = open_step(&g, tau, late);
    if (own < 0.0) return own;
    step = fmin(step, own);
  }
  return step;
}

cap_status cap_exact_search_first(cap_exact *e, const int *flags, double *tau, int *slider, cap_error *error)
{
  const cap_exact_piece *p = &e->piece;
  double horizon = cap_exact_piece_horizon(p), at = 0.0;
  *slider = -1;
  *tau = p->length;
  for (int count = 0; count < MOST_STEPS; count++) {
    cap_exact_piece_at(e, at);
    double step = horizon, late;
    for (int s = 0; s < e->nslider; s++) {
      if (e->loose >> s & 1) continue;
      double own = slider_step(e, s, flags[s], at, &late);
      if (own < 0.0) {
        *tau = fmin(at + late, p->length);
        *slider = s;
        return CAP_OK;
      }
      step = fmin(step, own);
    }
    if (isnan(step))
      return cap_status_fail(error, CAP_ERR_NUMERICS, "the motion is not finite after t = %.9g s", p->t + at);
    if (at + step >= p->length) return CAP_OK;
    at += step;
  }
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "the search for the next change of stick and slip after t = %.9g s"
                         " did not end within %d steps",
                         p->t, MOST_STEPS);
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
