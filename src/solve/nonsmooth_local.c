/* solve/nonsmooth_local.c — one contact alone, exactly: D lambda + r fulfils its law.
 *
 * Maths: docs/theory.md §36.5. Cases are tried in the order parts, sticks, slides. Sliding in one direction
 * is a linear equation for each sense. In two directions lambda_t = mu lambda_n (cos a, sin a), and what
 * remains is one equation of second degree in cos a and sin a; under a given limit it is (D + s I) lambda =
 * -r with |lambda| = limit, monotone in s. D need not be isotropic.
 */
#include "solve/nonsmooth_work.h"

#include <math.h>
#include <string.h>

enum { ANGLES = 32, NEWTONS = 12, BISECTIONS = 60 };

/* x of A x = -r, n <= 3, A symmetric and positive semidefinite; directions that nothing moves stay at 0. */
static void solve_symmetric(int n, const double *A, const double *r, double *x)
{
  double L[9], d[3], most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, A[i * n + i]);
  for (int i = 0; i < n; i++) {
    double own = A[i * n + i];
    for (int j = 0; j < i; j++) {
      double sum = A[i * n + j];
      for (int k = 0; k < j; k++) sum -= L[i * n + k] * L[j * n + k] * d[k];
      L[i * n + j] = d[j] > 0.0 ? sum / d[j] : 0.0;
      own -= L[i * n + j] * L[i * n + j] * d[j];
    }
    d[i] = own > 1e-13 * A[i * n + i] && own > 1e-300 * most ? own : 0.0;
  }
  for (int i = 0; i < n; i++) {
    x[i] = -r[i];
    for (int k = 0; k < i; k++) x[i] -= L[i * n + k] * x[k];
  }
  for (int i = 0; i < n; i++) x[i] = d[i] > 0.0 ? x[i] / d[i] : 0.0;
  for (int i = n; i-- > 0;)
    for (int k = i + 1; k < n; k++) x[i] -= L[k * n + i] * x[k];
}

/* ---- friction under a given limit ---------------------------------------------------------------------- */

/* Length of the solution of (D + s I) x = -r in two directions, and its derivative to s. */
static double damped_length(const double *D, const double *r, double s, double *x, double *slope)
{
  double a = D[0] + s, b = D[1], d = D[3] + s, det = a * d - b * b;
  x[0] = (-d * r[0] + b * r[1]) / det;
  x[1] = (b * r[0] - a * r[1]) / det;
  double length = hypot(x[0], x[1]);
  double y0 = (d * x[0] - b * x[1]) / det, y1 = (-b * x[0] + a * x[1]) / det;
  *slope = length > 0.0 ? -(x[0] * y0 + x[1] * y1) / length : 0.0;
  return length;
}

static void slide_limited(const double *D, const double *r, double limit, double *x)
{
  double s = 0.0, slope, low = 0.0, high = hypot(r[0], r[1]) / limit;
  for (int at = 0; at < BISECTIONS;
       at++) { /* 1/length is nearly linear in s, and concave: Newton from below */
    double length = damped_length(D, r, s, x, &slope);
    if (!isfinite(length)) { /* s = 0 of a singular block */
      s = 1e-3 * high;
      continue;
    }
    if (length > limit) low = s;
    else high = s;
    if (fabs(length - limit) <= 4e-16 * limit || slope == 0.0) break;
    double next = s - (length - limit) / slope * (length / limit);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    if (next == s) break;
    s = next;
  }
  double length = hypot(x[0], x[1]);
  x[0] *= limit / length;
  x[1] *= limit / length;
}

static void rub(int n, const double *D, const double *r, double limit, double *lambda)
{
  if (limit <= 0.0) {
    memset(lambda, 0, sizeof(double) * (size_t)n);
    return;
  }
  solve_symmetric(n, D, r, lambda);
  if (n == 1) lambda[0] = fmin(fmax(lambda[0], -limit), limit);
  if (n == 2 && hypot(lambda[0], lambda[1]) > limit) slide_limited(D, r, limit, lambda);
}

/* ---- normal and friction ------------------------------------------------------------------------------- */

/* The contact slides one way: lambda_t = sense mu lambda_n. */
static bool slide_line(const double *D, const double *r, double mu, double sense, double *lambda)
{
  double own = D[0] + sense * mu * D[1];
  if (!(own > 0.0)) return false;
  lambda[0] = -r[0] / own;
  lambda[1] = sense * mu * lambda[0];
  return lambda[0] >= 0.0 && sense * (D[2] * lambda[0] + D[3] * lambda[1] + r[1]) <= 0.0;
}

typedef struct cone {
  const double *D, *r;
  double mu;
} cone;

/* At the angle a: the component of the slip across the friction (times a positive number), its derivative,
 * the slip along the friction (negative: it resists) and the impulses. */
static double across(const cone *k, double a, double *slope, double *along, double *lambda)
{
  const double *D = k->D, *r = k->r;
  double co = cos(a), si = sin(a), mu = k->mu;
  double own = D[0] + mu * (D[1] * co + D[2] * si), downed = mu * (-D[1] * si + D[2] * co);
  double px = D[3] + mu * (D[4] * co + D[5] * si), py = D[6] + mu * (D[7] * co + D[8] * si);
  double dpx = mu * (-D[4] * si + D[5] * co), dpy = mu * (-D[7] * si + D[8] * co);
  /* own > 0 times the slip, with lambda_n = -r_n / own put in */
  double sx = r[1] * own - r[0] * px, sy = r[2] * own - r[0] * py;
  double dsx = r[1] * downed - r[0] * dpx, dsy = r[2] * downed - r[0] * dpy;
  lambda[0] = own > 0.0 ? -r[0] / own : -1.0;
  lambda[1] = mu * lambda[0] * co;
  lambda[2] = mu * lambda[0] * si;
  *along = co * sx + si * sy;
  *slope = co * dsy - si * dsx - *along;
  return co * sy - si * sx;
}

/* Newton from an angle. */
static bool slide_from(const cone *k, double a, double *lambda)
{
  double slope, along, before = INFINITY;
  for (int at = 0; at < NEWTONS; at++) {
    double off = across(k, a, &slope, &along, lambda);
    if (!(along < 0.0) || !(lambda[0] >= 0.0) || !(slope > 0.0)) return false;
    if (fabs(off) <= 4e-16 * fabs(along) || fabs(off) >= before) return fabs(off) <= 1e-13 * fabs(along);
    before = fabs(off);
    a -= off / slope;
  }
  return false;
}

/* All around: where the slip changes the side of the friction and resists. */
static bool slide_search(const cone *k, double *lambda)
{
  double slope, along, low = -M_PI, f_low = across(k, low, &slope, &along, lambda);
  for (int at = 1; at <= ANGLES; at++) {
    double high = -M_PI + 2.0 * M_PI * at / ANGLES, f_high = across(k, high, &slope, &along, lambda);
    if (f_low <= 0.0 && f_high >= 0.0) {
      double a = low, b = high;
      for (int half = 0; half < BISECTIONS; half++) {
        double middle = 0.5 * (a + b);
        if (across(k, middle, &slope, &along, lambda) <= 0.0) a = middle;
        else b = middle;
      }
      across(k, 0.5 * (a + b), &slope, &along, lambda);
      if (along <= 0.0 && lambda[0] >= 0.0) return true;
    }
    low = high;
    f_low = f_high;
  }
  return false;
}

/* No case fits, as may be with much friction between bodies that turn (Painleve): the nearest that does not
 * pull. */
static void compromise(int n, const double *D, const double *r, double mu, double *lambda)
{
  lambda[0] = D[0] > 0.0 ? fmax(0.0, -r[0] / D[0]) : 0.0;
  double limit = mu * lambda[0], rest[2], E[4];
  for (int a = 1; a < n; a++) {
    rest[a - 1] = r[a] + D[a * n] * lambda[0];
    for (int b = 1; b < n; b++) E[(a - 1) * (n - 1) + b - 1] = D[a * n + b];
  }
  rub(n - 1, E, rest, limit, lambda + 1);
}

/* A normal row that carries lambda_n > 0, and friction. */
static bool carry(int n, const double *D, const double *r, double mu, double *lambda)
{
  double guess = n == 3 && (lambda[1] != 0.0 || lambda[2] != 0.0) ? atan2(lambda[2], lambda[1]) : NAN;
  if (n == 1) {
    lambda[0] = D[0] > 0.0 ? -r[0] / D[0] : 0.0;
    return lambda[0] >= 0.0;
  }
  solve_symmetric(n, D, r, lambda);
  double friction = n == 2 ? fabs(lambda[1]) : hypot(lambda[1], lambda[2]);
  if (lambda[0] >= 0.0 && friction <= mu * lambda[0]) return true;
  if (n == 2) {
    double first = lambda[1] >= 0.0 ? 1.0 : -1.0;
    return slide_line(D, r, mu, first, lambda) || slide_line(D, r, mu, -first, lambda);
  }
  cone k = {D, r, mu};
  double stuck = atan2(lambda[2], lambda[1]);
  if (!isnan(guess) && slide_from(&k, guess, lambda)) return true;
  return slide_from(&k, stuck, lambda) || slide_search(&k, lambda);
}

/* A normal row that may pull as well: as one that presses, seen from either side. */
static void hold(int n, const double *D, const double *r, double mu, double *lambda)
{
  double side = lambda[0] < 0.0 ? -1.0 : 1.0;
  for (int attempt = 0; attempt < 2; attempt++, side = -side) {
    double E[9], s[3] = {0}, x[3] = {0};
    memcpy(E, D, sizeof(double) * (size_t)(n * n));
    for (int c = 1; c < n; c++) {
      E[c] = side * D[c];
      E[c * n] = side * D[c * n];
      s[c] = r[c];
      x[c] = lambda[c];
    }
    s[0] = side * r[0];
    if (!carry(n, E, s, mu, x)) continue;
    lambda[0] = side * x[0];
    for (int c = 1; c < n; c++) lambda[c] = x[c];
    return;
  }
  solve_symmetric(1, D, r, lambda);
  memset(lambda + 1, 0, sizeof(double) * (size_t)(n - 1));
}

void cap_nonsmooth_local_solve(const cap_nonsmooth_contact *k, const double *D, const double *r,
                               double *lambda)
{
  int n = cap_nonsmooth_rows_of(k);
  if (!k->nnormal) {
    if (k->limit == INFINITY) solve_symmetric(n, D, r, lambda);
    else rub(n, D, r, k->limit, lambda);
  } else if (k->bilateral && (k->mu == INFINITY || n == 1)) {
    solve_symmetric(n, D, r, lambda);
  } else if (k->bilateral) {
    hold(n, D, r, k->mu, lambda);
  } else if (r[0] >= 0.0 || D[0] <= 0.0) {
    memset(lambda, 0, sizeof(double) * (size_t)n);
  } else if (!carry(n, D, r, k->mu, lambda)) {
    compromise(n, D, r, k->mu, lambda);
  }
}
