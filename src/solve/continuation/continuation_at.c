/* solve/continuation/continuation_at.c — a curve sampled at an exact value of its parameter. */
#include "solve/continuation/continuation_work.h"

enum { GUESS = 5, SAMPLES = 16 }; /* scratch vector that Newton leaves alone; parts of the search for p */

typedef struct cubic {
  const cap_continuation_node *a, *b;
  double length, sign_a, sign_b; /* chord, and orientation of the tangents along it */
} cubic;

static double component(const cubic *q, int n, int i, double u)
{
  double za = i < n ? q->a->x[i] : q->a->p, zb = i < n ? q->b->x[i] : q->b->p;
  double ta = q->sign_a * q->length * q->a->tangent[i], tb = q->sign_b * q->length * q->b->tangent[i];
  double v = 1.0 - u;
  return v * v * (1.0 + 2.0 * u) * za + u * v * v * ta + u * u * (3.0 - 2.0 * u) * zb - u * u * v * tb;
}

static cubic cubic_between(const cap_continuation *c, const cap_continuation_node *a,
                           const cap_continuation_node *b)
{
  double square = 0.0, along_a = 0.0, along_b = 0.0;
  for (int i = 0; i <= c->n; i++) {
    double chord = i < c->n ? b->x[i] - a->x[i] : b->p - a->p;
    square += c->weight[i] * chord * chord;
    along_a += c->weight[i] * chord * a->tangent[i];
    along_b += c->weight[i] * chord * b->tangent[i];
  }
  return (cubic){a, b, sqrt(square), along_a < 0.0 ? -1.0 : 1.0, along_b < 0.0 ? -1.0 : 1.0};
}

/* The first u in [0, 1] where the cubic's parameter is p; < 0: none. */
static double find_parameter(const cubic *q, int n, double p)
{
  double low = 0.0, before = q->a->p - p;
  if (before == 0.0) return 0.0;
  for (int k = 1; k <= SAMPLES; k++) {
    double high = (double)k / SAMPLES, value = component(q, n, n, high) - p;
    if ((value > 0.0) == (before > 0.0) && value != 0.0) {
      low = high, before = value;
      continue;
    }
    for (int halving = 0; halving < 40; halving++) {
      double middle = 0.5 * (low + high);
      if ((component(q, n, n, middle) - p > 0.0) == (before > 0.0)) low = middle;
      else high = middle;
    }
    return 0.5 * (low + high);
  }
  return -1.0;
}

cap_status cap_continuation_at(cap_continuation *c, const cap_continuation_node *a,
                               const cap_continuation_node *b, double p, double *x, cap_error *error)
{
  int n = c->n;
  cubic q = cubic_between(c, a, b);
  double u = find_parameter(&q, n, p);
  if (u < 0.0)
    return cap_status_fail(error, CAP_ERR_INPUT, "p = %.9g is outside the range; expected %.9g to %.9g", p,
                           a->p, b->p);
  double *guess = c->scratch[GUESS];
  for (int i = 0; i < n; i++) x[i] = guess[i] = component(&q, n, i, u);
  CAP_TRY(cap_continuation_newton(c, x, p, 20, NULL, NULL, error));
  double square = 0.0;
  for (int i = 0; i < n; i++) square += c->weight[i] * (x[i] - guess[i]) * (x[i] - guess[i]);
  if (sqrt(square) > 0.5 * q.length + 1e-12)
    return cap_status_fail(error, CAP_RETRY_NOCONV, "Newton's method left the branch at p = %.9g", p);
  return CAP_OK;
}
