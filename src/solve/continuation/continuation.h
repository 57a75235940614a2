/* solve/continuation/continuation.h — the solutions of F(x, p) = 0 as curves: the one continuation core of
 * the program.
 *
 * Maths:    docs/theory.md §12 (symbols x, p, z = (x, p), t, s, J as there)
 * Knows:    x in R^n, one scalar parameter p, and nothing about where F comes from. Orbits, harmonic balance,
 *           stationary points and studies hand in a table of functions and store the points themselves.
 * Cost:     an accepted point takes two to four Jacobians and factorisations of size n + 1; the tangent and
 *           the sign of the determinant come from the last of them, so they belong to the point before its
 *           last correction, which is below the tolerance.
 * Memory:   all of it in the handle, allocated by create; a run allocates nothing.
 * Threads:  a handle serves one thread at a time; results depend on nothing but the input.
 *
 * Lengths along a curve are Euclidean norms of scaled unknowns,
 *   |z|^2 = sum (x_i / x_scale_i)^2 + (p / p_scale)^2.
 * For a field on a mesh multiply its scale by the square root of the number of nodes, so that steps do not
 * depend on the mesh.
 */
#pragma once
#include "base/progress.h"
#include "base/status.h"
#include <stdbool.h>

/* The problem. Functions return CAP_OK; > 0: not defined here (the step is shortened); < 0: give up. */
typedef struct cap_continuation_problem {
  int n;
  void *self;
  cap_status (*residual)(void *self, const double *x, double p, double *f);
  /* f[n], fx[n][n] = dF/dx row by row (NULL when `factor` is given), fp[n] = dF/dp. */
  cap_status (*jacobian)(void *self, const double *x, double p, double *f, double *fx, double *fp);
  const double *x_scale; /* [n] > 0: sizes of the unknowns; NULL: ones. Must outlive the handle. */
  const double *f_scale; /* [n] > 0: sizes of the residuals, for damping and reports only; NULL: ones */
  double p_scale;        /* > 0; 0: one */
  /* Functions whose changes of sign mark special points, at converged points; NaN: not defined there. */
  int ntest;
  cap_status (*test)(void *self, const double *x, double p, double *values);
  /* Structured Jacobians: J is that of the last call of `jacobian`. `factor` gives the sign and the logarithm
   * of |det J| (up to a constant) and returns CAP_RETRY_NOCONV when J cannot be factored; `solve`: b := J^-1
   * b or J^-T b, accurate also where J is nearly singular (pivoting); `product`: out = J^T v. All or none. */
  cap_status (*factor)(void *self, int *sign, double *log_det);
  void (*solve)(void *self, bool transposed, double *b);
  void (*product)(void *self, const double *v, double *out);
  const cap_progress *progress; /* asked within long factorisations of fx; may be NULL */
} cap_continuation_problem;

/* Zero means the default, in brackets. Lengths are in scaled units. */
typedef struct cap_continuation_options {
  double step, step_min, step_max; /* [0.05, 1e-6 step, 20 step] */
  double p_min, p_max;             /* both zero: no limits */
  double p_step;                   /* largest change of p in one step, so that pairs of special points on a
                                    * straight part are not stepped over [no limit] */
  int max_points;                  /* accepted points in each direction, without special ones [1000] */
  int max_iterations;              /* of the corrector [8] */
  int target_iterations;           /* at which the step is kept [3] */
  double tolerance;                /* last correction over 1 + |z| [1e-8] */
  double angle_max;                /* between neighbouring tangents, rad [0.4] */
  double locate_tolerance;         /* of special points along the curve, over the step [1e-10] */
  bool skip_folds, skip_branch_points, skip_tests, skip_closure;
} cap_continuation_options;

#define CAP_CONTINUATION_KIND_LIST(X)                                                                        \
  X(CAP_CONTINUATION_REGULAR, "point")                                                                       \
  X(CAP_CONTINUATION_START, "start")                                                                         \
  X(CAP_CONTINUATION_FOLD, "fold")                                                                           \
  X(CAP_CONTINUATION_BRANCH, "branch point")                                                                 \
  X(CAP_CONTINUATION_TEST, "zero of a test function")                                                        \
  X(CAP_CONTINUATION_CORNER, "corner")                                                                       \
  X(CAP_CONTINUATION_LIMIT, "limit of the parameter")                                                        \
  X(CAP_CONTINUATION_RETURN, "return to the start")

typedef enum cap_continuation_kind {
#define CAP_CONTINUATION_ENUM(name, text) name,
  CAP_CONTINUATION_KIND_LIST(CAP_CONTINUATION_ENUM)
} cap_continuation_kind;

#define CAP_CONTINUATION_END_LIST(X)                                                                         \
  X(CAP_CONTINUATION_END_NONE, "not followed")                                                               \
  X(CAP_CONTINUATION_END_LIMIT, "limit of the parameter")                                                    \
  X(CAP_CONTINUATION_END_CLOSED, "closed branch")                                                            \
  X(CAP_CONTINUATION_END_POINTS, "maximum number of points reached")                                         \
  X(CAP_CONTINUATION_END_STOPPED, "stopped by the caller")                                                   \
  X(CAP_CONTINUATION_END_STEP, "the step became too small")                                                  \
  X(CAP_CONTINUATION_END_SINGULAR, "the tangent is singular")                                                \
  X(CAP_CONTINUATION_END_NONFINITE, "the residual is not finite or not defined")                             \
  X(CAP_CONTINUATION_END_FAILED, "a function of the problem failed")

typedef enum cap_continuation_end { CAP_CONTINUATION_END_LIST(CAP_CONTINUATION_ENUM) } cap_continuation_end;

/* Why the last step before the end was refused. */
#define CAP_CONTINUATION_REJECT_LIST(X)                                                                      \
  X(CAP_CONTINUATION_ACCEPTED, "accepted")                                                                   \
  X(CAP_CONTINUATION_REJECT_NOCONV, "the corrector did not converge")                                        \
  X(CAP_CONTINUATION_REJECT_SINGULAR, "the bordered Jacobian is singular")                                   \
  X(CAP_CONTINUATION_REJECT_NONFINITE, "the residual is not finite or not defined")                          \
  X(CAP_CONTINUATION_REJECT_ANGLE, "the tangent turns too much")                                             \
  X(CAP_CONTINUATION_REJECT_DISTANCE, "the corrected point is too far from the predicted one")               \
  X(CAP_CONTINUATION_REJECT_FOLDS, "two folds within one step")                                              \
  X(CAP_CONTINUATION_REJECT_SIGN, "the orientation changed without a branch point")                          \
  X(CAP_CONTINUATION_REJECT_FAILED, "a function of the problem failed")

typedef enum cap_continuation_reject {
  CAP_CONTINUATION_REJECT_LIST(CAP_CONTINUATION_ENUM)
#undef CAP_CONTINUATION_ENUM
} cap_continuation_reject;

/* What the sink is told; all pointers are valid during the call only. */
typedef struct cap_continuation_point {
  cap_continuation_kind kind;
  int test;        /* TEST: which function; else -1 */
  int direction;   /* +1 or -1: which half of the run */
  int index;       /* of this point in the run, from 0 */
  const double *x; /* [n] */
  double p;
  const double *tangent;     /* [n + 1], dz/ds of the run's direction, of scaled norm one */
  const double *other;       /* [n + 1], BRANCH: the tangent of the branch that crosses; else NULL */
  const double *tests;       /* [ntest] values of the test functions; NULL without */
  double s;                  /* length along the curve from the start, negative backwards */
  double step;               /* length of the step that led here */
  int iterations;            /* of the corrector */
  const double *corrections; /* [iterations] their sizes, of scaled unknowns over 1 + |z| */
  double residual;           /* largest |f_i / f_scale_i| before the last correction */
  int sign;                  /* of the bordered determinant; 0 at branch points */
} cap_continuation_point;

/* Return false to end the run. Newton, at and the helpers may be called from here on the same handle, but no
 * second run. */
typedef bool (*cap_continuation_sink)(void *self, const cap_continuation_point *point);

typedef struct cap_continuation_start {
  const double *x; /* [n] near the curve */
  double p;
  const double *tangent; /* [n + 1]; NULL: x is corrected at p and the tangent computed */
  bool on_curve;         /* take x as it is, such as a branch point from which `tangent` leads away */
} cap_continuation_start;

typedef struct cap_continuation_result {
  cap_continuation_end end[2];       /* forwards and backwards */
  cap_continuation_reject reject[2]; /* of the last refused step */
  double p_end[2];
  int npoint, nfold, nbranch, ntest, ncorner; /* delivered to the sink */
  int nrejected;
  long nevaluation;  /* Jacobians */
  char text[2][240]; /* the end as a sentence */
} cap_continuation_result;

typedef struct cap_continuation cap_continuation;

cap_status cap_continuation_create(const cap_continuation_problem *problem,
                                   const cap_continuation_options *options, cap_continuation **handle,
                                   cap_error *error);
void cap_continuation_free(cap_continuation *c);

/* Follow the curve through the start. direction +1 or -1: with p growing or falling at first (along or
 * against the given tangent); 0: both, the second unless the curve closes. An end is not a failure: CAP_OK
 * with the reason in the result, and the points found until then are with the caller. CAP_RETRY_NOCONV: no
 * solution near the start. A negative status of the problem's functions is passed on, with
 * the result filled. */
cap_status cap_continuation_run(cap_continuation *c, const cap_continuation_start *start, int direction,
                                cap_continuation_sink sink, void *sink_self, cap_continuation_result *result,
                                cap_error *error);

/* Solutions to be avoided: F is multiplied by the product over k of (1 / |x - root_k|^power + shift). */
typedef struct cap_continuation_deflation {
  int nroot;
  const double *const *roots; /* [nroot] each [n], at the same p */
  double power, shift;        /* 0: 2 and 0.1 (of scaled unknowns) */
} cap_continuation_deflation;

typedef struct cap_continuation_newton_result {
  int iterations;
  double residual; /* largest |f_i / f_scale_i| at the end */
  double step;     /* last scaled correction over 1 + |x| */
} cap_continuation_newton_result;

/* Damped Newton at fixed p from x[n], which is overwritten by the solution (or by the best found).
 * `deflation` and `result` may be NULL. CAP_RETRY_NOCONV or CAP_RETRY_NONFINITE without a solution. */
cap_status cap_continuation_newton(cap_continuation *c, double *x, double p, int max_iterations,
                                   const cap_continuation_deflation *deflation,
                                   cap_continuation_newton_result *result, cap_error *error);

/* A stored point of a curve. */
typedef struct cap_continuation_node {
  const double *x; /* [n] */
  double p;
  const double *tangent; /* [n + 1] */
} cap_continuation_node;

/* The solution x[n] at p between two neighbouring points of a curve: Newton from the cubic through both
 * points and tangents. CAP_ERR_INPUT when the cubic does not reach p; CAP_RETRY_NOCONV when Newton fails or
 * leaves for another branch. Between a fold's two sides the solution nearer to `a` is returned. */
cap_status cap_continuation_at(cap_continuation *c, const cap_continuation_node *a,
                               const cap_continuation_node *b, double p, double *x, cap_error *error);

/* A family F(x, p, q) = 0 in two parameters, dense. */
typedef struct cap_continuation_family {
  int n;
  void *self;
  cap_status (*jacobian)(void *self, const double *x, double p, double q, double *f, double *fx, double *fp,
                         double *fq);
  const double *x_scale, *f_scale; /* NULL: ones */
  double p_scale, q_scale;         /* 0: ones */
  const cap_progress *progress;    /* asked within long factorisations of fx; may be NULL */
} cap_continuation_family;

/* Follow a fold of F(., p) over q: points have x[n + 1] = (x, p) and p = q; options limit q. x, p, q: a fold,
 * or near one; direction as for a run (of q). A FOLD on this curve is a cusp (or an isola's birth, where the
 * fold's curve turns in q). */
cap_status cap_continuation_fold(const cap_continuation_family *family,
                                 const cap_continuation_options *options, const double *x, double p, double q,
                                 int direction, cap_continuation_sink sink, void *sink_self,
                                 cap_continuation_result *result, cap_error *error);

const char *cap_continuation_kind_text(cap_continuation_kind kind);
const char *cap_continuation_end_text(cap_continuation_end end);
const char *cap_continuation_reject_text(cap_continuation_reject reject);
