/* drives/pushbelt/contact/maxwell_amplitudes.c — see maxwell_amplitudes.h.
 *
 * The function is phi(b) = b.b / 2 + sum <p_i - psi_i . b>_+^2 / (2 d_i), its gradient F = b - sum psi_i
 * lambda_i, its second derivative H = 1 + sum over those that touch of psi_i psi_i' / d_i >= 1. A Newton step
 * goes to b = H^-1 sum psi_i p_i / d_i, which is the minimum if the same flanks touch there. If others do,
 * the step counts when phi has fallen enough, else the minimum along it is taken.
 */
#include "drives/pushbelt/contact/maxwell_amplitudes.h"
#include "linalg/dot.h"

#include <math.h>
#include <string.h>

enum { MOST = CAP_MAXWELL_FUNCTIONS, ITERATIONS = 100 };

static const double tolerance = 1e-11; /* of the residual */

size_t cap_maxwell_amplitudes_room(int stride)
{
  return (size_t)MOST + 3 + (size_t)(2 * MOST + 3) * (size_t)stride + MOST * MOST + 7;
}

cap_maxwell_amplitudes cap_maxwell_amplitudes_at(double *memory, int stride, int K)
{
  size_t step = (size_t)stride;
  cap_maxwell_amplitudes a = {.K = K, .stride = stride, .b = memory};
  a.psi = memory + MOST + 3;
  a.weighed = a.psi + MOST * step;
  a.weight = a.weighed + MOST * step;
  a.u = a.weight + step;
  a.du = a.u + step;
  a.H = a.du + step;
  return a;
}

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* u = sum_k b_k psi_k */
CAP_CLONES static void deflections(int K, int n, int stride, const double *b, const double *restrict psi,
                                   double *restrict u)
{
  int k = 0;
  if (K == 0) memset(u, 0, sizeof(double) * (size_t)n);
  if (K > 0) {
    for (int i = 0; i < n; i++) u[i] = b[0] * psi[i];
    k = 1;
  }
  for (; k + 4 <= K; k += 4) {
    const double *restrict f = psi + (size_t)k * (size_t)stride;
    double b0 = b[k], b1 = b[k + 1], b2 = b[k + 2], b3 = b[k + 3];
    for (int i = 0; i < n; i++)
      u[i] += (b0 * f[i] + b1 * f[i + stride]) + (b2 * f[i + 2 * stride] + b3 * f[i + 3 * stride]);
  }
  for (; k < K; k++) {
    const double *restrict f = psi + (size_t)k * (size_t)stride;
    for (int i = 0; i < n; i++) u[i] += b[k] * f[i];
  }
}

/* Weights of those that touch. */
CAP_CLONES static void weigh(int n, const double *restrict p, const double *restrict u,
                             const double *restrict d, double *restrict weight)
{
  for (int i = 0; i < n; i++) {
    double full = 1.0 / d[i];
    weight[i] = p[i] > u[i] ? full : 0.0;
  }
}

CAP_CLONES static void forces(int n, const double *restrict p, const double *restrict u,
                              const double *restrict d, double *restrict force)
{
  for (int i = 0; i < n; i++) {
    double pressed = p[i] - u[i];
    force[i] = (pressed > 0.0 ? pressed : 0.0) / d[i];
  }
}

/* How many weights no longer fit u, by more than rounding. */
CAP_CLONES static int misfits(int n, const double *restrict p, const double *restrict u,
                              const double *restrict weight, double small)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    double pressed = weight[i] > 0.0 ? u[i] - p[i] : p[i] - u[i];
    count += pressed > small;
  }
  return count;
}

/* The lower triangle of H, and the right side. */
CAP_CLONES static void normal_equations(int K, int n, int stride, const double *psi, const double *weight,
                                        const double *p, double *weighed, double *H, double *right)
{
  size_t step = (size_t)stride;
  for (int k = 0; k < K; k++) {
    const double *restrict f = psi + (size_t)k * step;
    double *restrict g = weighed + (size_t)k * step;
    for (int i = 0; i < n; i++) g[i] = weight[i] * f[i];
  }
  for (int k = 0; k < K; k++) {
    const double *g = weighed + (size_t)k * step;
    right[k] = capm_dot(n, g, p);
    int l = 0;
    for (; l + 3 <= k; l += 4) capm_dot_four(n, g, psi + (size_t)l * step, stride, H + k * MOST + l);
    for (; l <= k; l++) H[k * MOST + l] = capm_dot(n, g, psi + (size_t)l * step);
    H[k * MOST + k] += 1.0;
  }
}

/* to_k = sum_i psi_ki x_i */
CAP_CLONES static void gather(int K, int n, int stride, const double *psi, const double *x, double *to)
{
  for (int k = 0; k < K; k++) to[k] = capm_dot(n, psi + (size_t)k * (size_t)stride, x);
}

CAP_CLONES static double largest(int n, const double *x)
{
  double most[8] = {0};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++) {
      double size = fabs(x[i + l]);
      most[l] = size > most[l] ? size : most[l];
    }
  for (; i < n; i++) most[0] = fmax(most[0], fabs(x[i]));
  for (int l = 1; l < 8; l++) most[0] = fmax(most[0], most[l]);
  return most[0];
}

/* H = L L' in place, lower triangle; then x := H^-1 x. H >= 1, so that there always is a root. */
static void factor(int K, double *H)
{
  for (int j = 0; j < K; j++) {
    for (int k = 0; k < j; k++)
      for (int i = j; i < K; i++) H[i * MOST + j] -= H[i * MOST + k] * H[j * MOST + k];
    double root = sqrt(H[j * MOST + j]), per = 1.0 / root;
    H[j * MOST + j] = root;
    for (int i = j + 1; i < K; i++) H[i * MOST + j] *= per;
  }
}

static void solve(int K, const double *L, double *x)
{
  for (int i = 0; i < K; i++) {
    for (int j = 0; j < i; j++) x[i] -= L[i * MOST + j] * x[j];
    x[i] /= L[i * MOST + i];
  }
  for (int i = K - 1; i >= 0; i--) {
    for (int j = i + 1; j < K; j++) x[i] -= L[j * MOST + i] * x[j];
    x[i] /= L[i * MOST + i];
  }
}

/* ---- line search --------------------------------------------------------------------------------------- */

static double own_dot(int K, const double *a, const double *b)
{
  double sum = 0.0;
  for (int k = 0; k < K; k++) sum += a[k] * b[k];
  return sum;
}

typedef struct line {
  int n;
  const double *p, *d, *u, *du; /* du: u changes by it over the whole step */
  double b_b, b_db, db_db;
} line;

/* phi and its slope at a part t of the step. */
static double along(const line *s, double t, double *slope)
{
  double sum = 0.5 * (s->b_b + t * (2.0 * s->b_db + t * s->db_db));
  *slope = s->b_db + t * s->db_db;
  for (int i = 0; i < s->n; i++) {
    double pressed = s->p[i] - s->u[i] - t * s->du[i];
    if (!(pressed > 0.0)) continue;
    sum += 0.5 * pressed * pressed / s->d[i];
    *slope -= pressed * s->du[i] / s->d[i];
  }
  return sum;
}

/* The part of the step to go: all of it, or to where the slope is 0 (Illinois; the slope is piecewise
 * linear). */
static double part_of(const line *s)
{
  double slope0, slope1, slope, before = along(s, 0.0, &slope0), after = along(s, 1.0, &slope1);
  if (after <= before + 1e-4 * slope0) return 1.0;
  double low = 0.0, high = 1.0, at_low = slope0, at_high = slope1, t = 1.0;
  for (int k = 0; k < 60 && at_high > 0.0; k++) {
    t = low - at_low * (high - low) / (at_high - at_low);
    along(s, t, &slope);
    if (fabs(slope) <= 1e-3 * fabs(slope0)) break;
    if (slope < 0.0) low = t, at_low = slope, at_high *= 0.5;
    else high = t, at_high = slope, at_low *= 0.5;
  }
  return t;
}

/* From b to `next`, whole or in part. */
static void go(cap_maxwell_amplitudes *a, int n, const double *d, const double *p, const double *next)
{
  double db[MOST];
  for (int k = 0; k < a->K; k++) db[k] = next[k] - a->b[k];
  deflections(a->K, n, a->stride, a->b, a->psi, a->u);
  deflections(a->K, n, a->stride, db, a->psi, a->du);
  line s = {.n = n, .p = p, .d = d, .u = a->u, .du = a->du};
  s.b_b = own_dot(a->K, a->b, a->b), s.b_db = own_dot(a->K, a->b, db), s.db_db = own_dot(a->K, db, db);
  double t = part_of(&s);
  for (int k = 0; k < a->K; k++) a->b[k] = t == 1.0 ? next[k] : a->b[k] + t * db[k];
  deflections(a->K, n, a->stride, a->b, a->psi, a->u);
}

/* ---- solution ------------------------------------------------------------------------------------------ */

/* What the forces are not in balance with: the largest deflection by the amplitudes that they make, less b,
 * relative to the largest penetration. */
static double residual_of(const cap_maxwell_amplitudes *a, int n, const double *force, double deepest)
{
  double made[MOST];
  gather(a->K, n, a->stride, a->psi, force, made);
  for (int k = 0; k < a->K; k++) made[k] -= a->b[k];
  deflections(a->K, n, a->stride, made, a->psi, a->du);
  double off = largest(n, a->du);
  return off == 0.0 ? 0.0 : off / deepest;
}

CAP_CLONES static bool all_finite(int n, const double *x)
{
  double sum[8] = {0};
  int i = 0;
  for (; i + 8 <= n; i += 8)
    for (int l = 0; l < 8; l++) sum[l] += 0.0 * x[i + l];
  for (; i < n; i++) sum[0] += 0.0 * x[i];
  return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) == 0.0;
}

/* Newton until the flanks that touch stay. */
static bool iterate(cap_maxwell_amplitudes *a, int n, const double *d, const double *p, double deepest,
                    int *iterations)
{
  double next[MOST], small = 1e-15 * deepest;
  deflections(a->K, n, a->stride, a->b, a->psi, a->u);
  for (*iterations = 1; *iterations <= ITERATIONS; ++*iterations) {
    weigh(n, p, a->u, d, a->weight);
    normal_equations(a->K, n, a->stride, a->psi, a->weight, p, a->weighed, a->H, next);
    factor(a->K, a->H);
    solve(a->K, a->H, next);
    deflections(a->K, n, a->stride, next, a->psi, a->u);
    if (misfits(n, p, a->u, a->weight, small) == 0) {
      memcpy(a->b, next, sizeof(double) * (size_t)a->K);
      return true;
    }
    go(a, n, d, p, next);
  }
  return false;
}

cap_status cap_maxwell_amplitudes_solve(cap_maxwell_amplitudes *a, int n, const double *d, const double *p,
                                        double *force, int *iterations, double *residual)
{
  *iterations = 0;
  if (!all_finite(a->K, a->b)) memset(a->b, 0, sizeof(double) * (size_t)a->K);
  if (!all_finite(n, p)) return CAP_ERR_NUMERICS;
  double deepest = largest(n, p);
  if (a->K > 0) iterate(a, n, d, p, deepest, iterations);
  else {
    memset(a->u, 0, sizeof(double) * (size_t)n);
    weigh(n, p, a->u, d, a->weight);
  }
  forces(n, p, a->u, d, force);
  double off = residual_of(a, n, force, deepest);
  *residual = fmax(*residual, off);
  return off <= tolerance ? CAP_OK : CAP_ERR_NUMERICS;
}

void cap_maxwell_amplitudes_deflect(const cap_maxwell_amplitudes *a, int n, const double *force,
                                    double *deflection)
{
  double made[MOST];
  gather(a->K, n, a->stride, a->psi, force, made);
  deflections(a->K, n, a->stride, made, a->psi, deflection);
}

void cap_maxwell_amplitudes_tangent(const cap_maxwell_amplitudes *a, int n, const double *dp, double *dforce)
{
  double db[MOST];
  for (int i = 0; i < n; i++) a->du[i] = a->weight[i] * dp[i];
  gather(a->K, n, a->stride, a->psi, a->du, db);
  if (a->K > 0) solve(a->K, a->H, db);
  deflections(a->K, n, a->stride, db, a->psi, a->du);
  for (int i = 0; i < n; i++) dforce[i] = a->weight[i] * (dp[i] - a->du[i]);
}

double cap_maxwell_amplitudes_slide(const cap_maxwell_amplitudes *a, int n, const double *force,
                                    const double *dr)
{
  double made[MOST], moved[MOST], sum = 0.0;
  gather(a->K, n, a->stride, a->psi, force, made);
  for (int i = 0; i < n; i++) a->du[i] = force[i] * dr[i];
  gather(a->K, n, a->stride, a->weighed, a->du, moved);
  for (int k = 0; k < a->K; k++) sum += made[k] * moved[k];
  return sum;
}
