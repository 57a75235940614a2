/* solve/continuation/continuation_work.h — what the files of the continuation core share: the handle and
 * scaled norms.
 *
 * Private to the files of solve/continuation. z = (x, p) is one array of n + 1 doubles everywhere.
 */
#pragma once
#include "solve/continuation/continuation_border.h"

#include <math.h>
#include <string.h>

/* A converged point. */
typedef struct cap_continuation_state {
  double *z, *t; /* [n + 1] */
  double *tests; /* [ntest] */
  int sign;      /* of det [J Fp; t^T W]; 0: not known */
  double log_det;
  double residual;
  int iterations;
} cap_continuation_state;

/* A special point inside the last step. */
typedef struct cap_continuation_event {
  cap_continuation_kind kind;
  int test;
  double sigma; /* place along the tangent at the step's beginning */
  cap_continuation_state at;
  double *other; /* [n + 1] second tangent of a branch point */
} cap_continuation_event;

struct cap_continuation {
  cap_arena arena;
  cap_continuation_problem problem;
  cap_continuation_options options;
  int n;
  double *weight;      /* [n + 1] 1 / scale^2 */
  double *f, *fx, *fp; /* of the last evaluation */
  cap_continuation_border border;
  double *rhs;                   /* [n + 2] */
  double *row;                   /* [n + 2] border row under construction */
  double *corrections;           /* [max_iterations] of the last corrector */
  double *predicted, *curvature; /* [n + 1] */
  double *scratch[10];           /* [n + 2] each: minimal systems, Newton, interpolation; named where used */
  cap_continuation_state start, now, next, trial;
  double sigma; /* length of the step now -> next along now.t */
  int nevent, most_events;
  cap_continuation_event *events, **order;
  cap_continuation_reject why; /* of the last failure */
  cap_status failed;           /* negative status of a function of the problem */
  int nrejected;
  long nevaluation;
};

static inline double continuation_dot(const cap_continuation *c, int size, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < size; i++) sum += c->weight[i] * a[i] * b[i];
  return sum;
}

static inline double continuation_norm(const cap_continuation *c, int size, const double *a)
{
  return sqrt(continuation_dot(c, size, a, a));
}

static inline double continuation_distance(const cap_continuation *c, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i <= c->n; i++) sum += c->weight[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return sqrt(sum);
}

static inline void continuation_copy(int size, double *to, const double *from)
{
  memcpy(to, from, (size_t)size * sizeof *to);
}
