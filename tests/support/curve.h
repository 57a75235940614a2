/* tests/support/curve.h — runs of the continuation core, recorded; and problems with closed forms. */
#pragma once
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "solve/continuation/continuation.h"

enum { CURVE_MOST = 4000, CURVE_WIDTH = 200 };

typedef struct curve_point {
  cap_continuation_kind kind;
  int test, direction, iterations;
  double p, s, residual;
  double x[CURVE_WIDTH], tangent[CURVE_WIDTH + 1], other[CURVE_WIDTH + 1], corrections[8];
} curve_point;

typedef struct curve {
  int n, count, stop_after;
  curve_point *points; /* [CURVE_MOST] */
  cap_continuation_result result;
  cap_error error;
} curve;

static inline curve curve_create(int n)
{
  return (curve){.n = n, .points = calloc(CURVE_MOST, sizeof(curve_point))};
}

static inline void curve_free(curve *k)
{
  free(k->points);
}

static inline bool curve_sink(void *self, const cap_continuation_point *point)
{
  curve *k = self;
  if (k->count == CURVE_MOST) return false;
  curve_point *to = &k->points[k->count++];
  size_t size = (size_t)k->n * sizeof(double);
  to->kind = point->kind, to->test = point->test, to->direction = point->direction;
  to->iterations = point->iterations;
  to->p = point->p, to->s = point->s, to->residual = point->residual;
  memcpy(to->x, point->x, size);
  memcpy(to->tangent, point->tangent, size + sizeof(double));
  if (point->other) memcpy(to->other, point->other, size + sizeof(double));
  for (int i = 0; i < point->iterations && i < 8; i++) to->corrections[i] = point->corrections[i];
  return k->stop_after == 0 || k->count < k->stop_after;
}

/* The number'th recorded point of a kind, from 0; NULL: none. */
static inline const curve_point *curve_find(const curve *k, cap_continuation_kind kind, int number)
{
  for (int i = 0; i < k->count; i++)
    if (k->points[i].kind == kind && number-- == 0) return &k->points[i];
  return NULL;
}

static inline cap_status curve_run(curve *k, const cap_continuation_problem *problem,
                                   const cap_continuation_options *options,
                                   const cap_continuation_start *start, int direction)
{
  cap_continuation *c = NULL;
  k->count = 0;
  cap_status status = cap_continuation_create(problem, options, &c, &k->error);
  if (status == CAP_OK)
    status = cap_continuation_run(c, start, direction, curve_sink, k, &k->result, &k->error);
  cap_continuation_free(c);
  return status;
}

/* Scalar problems: F, F_x, F_p in one function. */
typedef void (*curve_scalar)(double x, double p, double *f, double *fx, double *fp);
typedef struct curve_scalar_box {
  curve_scalar function; /* a pointer to a function does not fit into a void * by the standard */
} curve_scalar_box;

static inline cap_status curve_scalar_jacobian(void *self, const double *x, double p, double *f, double *fx,
                                               double *fp)
{
  ((curve_scalar_box *)self)->function(x[0], p, f, fx, fp);
  return CAP_OK;
}

static inline cap_status curve_scalar_residual(void *self, const double *x, double p, double *f)
{
  double fx, fp;
  ((curve_scalar_box *)self)->function(x[0], p, f, &fx, &fp);
  return CAP_OK;
}

static inline cap_continuation_problem curve_scalar_problem(curve_scalar_box *box)
{
  return (cap_continuation_problem){
      .n = 1, .self = box, .residual = curve_scalar_residual, .jacobian = curve_scalar_jacobian};
}

static inline void curve_cubic(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x * x - x + p;
  *fx = 3.0 * x * x - 1.0;
  *fp = 1.0;
}

static inline void curve_circle(double x, double p, double *f, double *fx, double *fp)
{
  *f = x * x + p * p - 1.0;
  *fx = 2.0 * x;
  *fp = 2.0 * p;
}

/* u'' + p g(u) = 0, u = 0 at both ends of [0, 1], second-order differences on n inner nodes; as a dense
 * Jacobian or as tridiagonal factors with pivoting. */
typedef struct curve_beam {
  int n;
  bool sine;                            /* g = sin u (buckling) or e^u (Bratu) */
  double diagonal[CURVE_WIDTH], beside; /* the Jacobian */
  double d[CURVE_WIDTH], u1[CURVE_WIDTH], u2[CURVE_WIDTH], low[CURVE_WIDTH]; /* factors */
  int swapped[CURVE_WIDTH];
} curve_beam;

static inline cap_status curve_beam_residual(void *self, const double *x, double p, double *f)
{
  curve_beam *b = self;
  int n = b->n;
  double h = 1.0 / (n + 1);
  for (int i = 0; i < n; i++) {
    double left = i > 0 ? x[i - 1] : 0.0, right = i < n - 1 ? x[i + 1] : 0.0;
    f[i] = (left - 2.0 * x[i] + right) / (h * h) + p * (b->sine ? sin(x[i]) : exp(x[i]));
  }
  return CAP_OK;
}

static inline cap_status curve_beam_jacobian(void *self, const double *x, double p, double *f, double *fx,
                                             double *fp)
{
  curve_beam *b = self;
  int n = b->n;
  double h = 1.0 / (n + 1);
  curve_beam_residual(self, x, p, f);
  b->beside = 1.0 / (h * h);
  for (int i = 0; i < n; i++) {
    fp[i] = b->sine ? sin(x[i]) : exp(x[i]);
    b->diagonal[i] = -2.0 / (h * h) + p * (b->sine ? cos(x[i]) : exp(x[i]));
    for (int j = 0; fx && j < n; j++)
      fx[i * n + j] = i == j ? b->diagonal[i] : abs(i - j) == 1 ? b->beside : 0.0;
  }
  return CAP_OK;
}

static inline cap_status curve_beam_factor(void *self, int *sign, double *log_det)
{
  curve_beam *b = self;
  int n = b->n;
  *sign = 1, *log_det = 0.0;
  double d = b->diagonal[0], u1 = n > 1 ? b->beside : 0.0;
  for (int i = 0; i < n; i++) {
    double below = b->beside, next_d = i + 1 < n ? b->diagonal[i + 1] : 0.0,
           next_u = i + 2 < n ? b->beside : 0.0;
    b->swapped[i] = i + 1 < n && fabs(below) > fabs(d);
    if (b->swapped[i]) {
      b->d[i] = below, b->u1[i] = next_d, b->u2[i] = next_u;
      b->low[i] = d / below;
      double keep = u1;
      d = keep - b->low[i] * next_d, u1 = -b->low[i] * next_u;
      *sign = -*sign;
    } else {
      b->d[i] = d, b->u1[i] = u1, b->u2[i] = 0.0;
      b->low[i] = i + 1 < n ? below / d : 0.0;
      d = next_d - b->low[i] * u1, u1 = next_u;
    }
    if (b->d[i] == 0.0) return CAP_RETRY_NOCONV;
    if (b->d[i] < 0.0) *sign = -*sign;
    *log_det += log(fabs(b->d[i]));
  }
  return CAP_OK;
}

/* The Jacobian is symmetric: transposed or not is the same. */
static inline void curve_beam_solve(void *self, bool transposed, double *x)
{
  (void)transposed;
  curve_beam *b = self;
  int n = b->n;
  for (int i = 0; i + 1 < n; i++) {
    if (b->swapped[i]) {
      double keep = x[i];
      x[i] = x[i + 1], x[i + 1] = keep;
    }
    x[i + 1] -= b->low[i] * x[i];
  }
  for (int i = n - 1; i >= 0; i--) {
    if (i + 1 < n) x[i] -= b->u1[i] * x[i + 1];
    if (i + 2 < n) x[i] -= b->u2[i] * x[i + 2];
    x[i] /= b->d[i];
  }
}

static inline void curve_beam_product(void *self, const double *v, double *out)
{
  curve_beam *b = self;
  for (int i = 0; i < b->n; i++)
    out[i] = b->diagonal[i] * v[i] + (i > 0 ? b->beside * v[i - 1] : 0.0) +
             (i + 1 < b->n ? b->beside * v[i + 1] : 0.0);
}

static inline cap_continuation_problem curve_beam_problem(curve_beam *b, bool structured)
{
  cap_continuation_problem problem = {
      .n = b->n, .self = b, .residual = curve_beam_residual, .jacobian = curve_beam_jacobian};
  if (structured) {
    problem.factor = curve_beam_factor;
    problem.solve = curve_beam_solve;
    problem.product = curve_beam_product;
  }
  return problem;
}
