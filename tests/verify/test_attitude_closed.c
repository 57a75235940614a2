/* Free rotation of rigid bodies against closed forms: the symmetric top, and Euler's asymmetric top by
 * Jacobi's elliptic functions, orientation included; conservation of energy and of the angular momentum in
 * the world. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "elements/elements.h"
#include "linalg/quaternion.h"
#include "model/builder.h"

static test_system body(const double inertia[3], const double w[3], const double e[4])
{
  test_system s = {0};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  int first = cap_builder_dof(b, "w1", "rad", inertia[0], 0, w[0]);
  cap_builder_dof(b, "w2", "rad", inertia[1], 0, w[1]);
  cap_builder_dof(b, "w3", "rad", inertia[2], 0, w[2]);
  cap_builder_element(b, &cap_attitude_type, "body", first, CAP_GROUND, inertia, e);
  assert_int_equal(cap_builder_finish(b, &s.m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Angular momentum in the world. */
static void momentum_of(const double inertia[3], const double *w, const double *e, double L[3])
{
  double own[3], R[3][3];
  for (int i = 0; i < 3; i++) own[i] = inertia[i] * w[i];
  capm_quaternion_rotation(e, R);
  capm_quaternion_to_world(R, own, L);
}

static double gap_of(int n, const double *a, const double *b)
{
  double gap = 0.0;
  for (int k = 0; k < n; k++) gap = fmax(gap, fabs(a[k] - b[k]));
  return gap;
}

/* w1 + i w2 turns in the body with (I3 - I1)/I1 w3; the body precesses about L with |L|/I1:
 * e(t) = turn about L by |L|/I1 t, o e(0) o turn about axis 3 by -(I3 - I1)/I1 w3 t. */
static void symmetric_top(const double inertia[3], double until)
{
  const double w0[3] = {1.5, -0.4, 5.0}, axis3[3] = {0, 0, 1};
  double e0[4], L[3], Lt[3], e[4], before[4], after[4], half[4];
  capm_quaternion_euler(0.3, 0.8, -1.1, e0);
  momentum_of(inertia, w0, e0, L);
  double rate = (inertia[2] - inertia[0]) / inertia[0] * w0[2];
  test_system s = body(inertia, w0, e0);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-13, true);
  double worst_w = 0.0, worst_e = 0.0, worst_L = 0.0;
  for (int k = 1; k <= 40; k++) {
    double t = until * k / 40, c = cos(rate * t), sn = sin(rate * t);
    test_advance(&s, &stepper, t, NULL);
    double w[3] = {c * w0[0] - sn * w0[1], sn * w0[0] + c * w0[1], w0[2]};
    capm_quaternion_axis_angle(L, sqrt(capm_quaternion_dot(L, L)) / inertia[0] * t, before);
    capm_quaternion_axis_angle(axis3, -rate * t, after);
    capm_quaternion_product(before, e0, half);
    capm_quaternion_product(half, after, e);
    momentum_of(inertia, s.d->v, s.d->x, Lt);
    worst_w = fmax(worst_w, gap_of(3, s.d->v, w));
    worst_e = fmax(worst_e, gap_of(4, s.d->x, e));
    worst_L = fmax(worst_L, gap_of(3, L, Lt));
  }
  print_message("  I3/I1 = %.1f, %.0f turns: w within %.1e rad/s, e within %.1e, L within %.1e\n",
                inertia[2] / inertia[0], w0[2] * until / (2.0 * M_PI), worst_w, worst_e, worst_L);
  assert_true(worst_w < 2e-11 && worst_e < 2e-11 && worst_L < 2e-11);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

static void symmetric_tops_precess(void **state)
{
  (void)state;
  symmetric_top((double[3]){1, 1, 2}, 20.0);   /* thin disc */
  symmetric_top((double[3]){1, 1, 0.2}, 20.0); /* rod */
  symmetric_top((double[3]){1, 1, 1}, 20.0);   /* ball */
}

/* Jacobi's sn, cn, dn at u for the parameter m = k^2 in [0, 1): the arithmetic-geometric mean, then the
 * amplitude backwards. */
static void jacobi(double u, double m, double *sn, double *cn, double *dn)
{
  enum { MOST = 12 };
  double a[MOST] = {1.0}, c[MOST] = {sqrt(m)}, b = sqrt(1.0 - m);
  int n = 0;
  while (n + 1 < MOST && fabs(c[n]) > 1e-16) {
    a[n + 1] = 0.5 * (a[n] + b);
    c[n + 1] = 0.5 * (a[n] - b);
    b = sqrt(a[n] * b);
    n++;
  }
  double phi = ldexp(a[n] * u, n);
  for (; n > 0; n--) phi = 0.5 * (phi + asin(c[n] / a[n] * sin(phi)));
  *sn = sin(phi);
  *cn = cos(phi);
  *dn = sqrt(1.0 - m * *sn * *sn);
}

typedef struct top {
  double inertia[3], amplitude[3], rate, m, momentum;
} top;

/* I1 < I2 < I3 and L^2 > 2 E I2: the axis 3 circles about L. Starts with w2 = 0. */
static top asymmetric(const double I[3], double w1, double w3)
{
  double E2 = I[0] * w1 * w1 + I[2] * w3 * w3, L2 = I[0] * I[0] * w1 * w1 + I[2] * I[2] * w3 * w3;
  assert_true(I[0] < I[1] && I[1] < I[2] && L2 > E2 * I[1]);
  return (top){.inertia = {I[0], I[1], I[2]},
               .amplitude = {w1, sqrt((E2 * I[2] - L2) / (I[1] * (I[2] - I[1]))), w3},
               .rate = sqrt((I[2] - I[1]) * (L2 - E2 * I[0]) / (I[0] * I[1] * I[2])),
               .m = (I[1] - I[0]) * (E2 * I[2] - L2) / ((I[2] - I[1]) * (L2 - E2 * I[0])),
               .momentum = sqrt(L2)};
}

static void velocities(const top *p, double t, double w[3])
{
  double sn, cn, dn;
  jacobi(p->rate * t, p->m, &sn, &cn, &dn);
  w[0] = p->amplitude[0] * cn;
  w[1] = p->amplitude[1] * sn;
  w[2] = p->amplitude[2] * dn;
}

/* Rate of the body's turn about L: L (I1 w1^2 + I2 w2^2) / (I1^2 w1^2 + I2^2 w2^2). */
static double turning(const top *p, double t)
{
  double w[3];
  velocities(p, t, w);
  double a = p->inertia[0] * w[0] * w[0], b = p->inertia[1] * w[1] * w[1];
  return p->momentum * (a + b) / (p->inertia[0] * a + p->inertia[1] * b);
}

/* Its integral by Gauss' formula of five points on short pieces. */
static double turned(const top *p, double t)
{
  static const double at[] = {0.0, 0.5384693101056830910, 0.9061798459386639928};
  static const double weight[] = {0.5688888888888888889, 0.4786286704993664680, 0.2369268850561890875};
  double sum = 0.0;
  int pieces = (int)ceil(t * p->rate * 20.0) + 1;
  double half = 0.5 * t / pieces;
  for (int k = 0; k < pieces; k++) {
    double middle = (2 * k + 1) * half;
    sum += weight[0] * turning(p, middle);
    for (int i = 1; i < 3; i++)
      sum += weight[i] * (turning(p, middle - half * at[i]) + turning(p, middle + half * at[i]));
  }
  return half * sum;
}

/* In a world whose z is along L, Euler's angles of the body: L_body = L (sin tilt sin spin, sin tilt cos
 * spin, cos tilt), heading = turned. */
static void orientation(const top *p, double t, double e[4])
{
  double w[3], L[3];
  velocities(p, t, w);
  for (int i = 0; i < 3; i++) L[i] = p->inertia[i] * w[i];
  capm_quaternion_euler(turned(p, t), atan2(hypot(L[0], L[1]), L[2]), atan2(L[0], L[1]), e);
}

static void eulers_top_turns_as_elliptic_functions(void **state)
{
  (void)state;
  const top p = asymmetric((const double[3]){1.0, 1.5, 2.1}, 2.0, 1.6);
  const double until = 30.0;
  double w[3], e[4], R[3][3], S[3][3], L[3], wanted[3] = {0, 0, p.momentum};
  velocities(&p, 0.0, w);
  orientation(&p, 0.0, e);
  test_system s = body(p.inertia, w, e);
  cap_stepper stepper = test_stepper(&s, &cap_extrapolate_type, 1, 1e-13, true);
  double worst_w = 0.0, worst_R = 0.0, worst_L = 0.0, worst_E = 0.0, energy[2] = {0};
  for (int i = 0; i < 3; i++) energy[0] += 0.5 * p.inertia[i] * w[i] * w[i];
  for (int k = 1; k <= 60; k++) {
    double t = until * k / 60;
    test_advance(&s, &stepper, t, NULL);
    velocities(&p, t, w);
    orientation(&p, t, e);
    capm_quaternion_rotation(e, R);
    capm_quaternion_rotation(s.d->x, S);
    momentum_of(p.inertia, s.d->v, s.d->x, L);
    energy[1] = 0.0;
    for (int i = 0; i < 3; i++) energy[1] += 0.5 * p.inertia[i] * s.d->v[i] * s.d->v[i];
    worst_w = fmax(worst_w, gap_of(3, s.d->v, w));
    worst_R = fmax(worst_R, gap_of(9, &R[0][0], &S[0][0]));
    worst_L = fmax(worst_L, gap_of(3, L, wanted));
    worst_E = fmax(worst_E, fabs(energy[1] - energy[0]));
  }
  double norm = fabs(sqrt(capm_quaternion_norm2(s.d->x)) - 1.0);
  print_message("  modulus %.3f: w within %.1e rad/s, R within %.1e, L within %.1e, energy %.1e, |e| %.1e\n",
                sqrt(p.m), worst_w, worst_R, worst_L, worst_E, norm);
  assert_true(worst_w < 2e-11 && worst_R < 5e-11 && worst_L < 5e-11 && worst_E < 2e-11 && norm < 1e-11);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* The classical Runge-Kutta method of fixed step sees the same motion with order four. */
static void steps_of_fixed_size_converge(void **state)
{
  (void)state;
  const top p = asymmetric((const double[3]){1.0, 1.5, 2.1}, 2.0, 1.6);
  double w[3], e[4], R[3][3], S[3][3], error[3];
  for (int k = 0; k < 3; k++) {
    velocities(&p, 0.0, w);
    orientation(&p, 0.0, e);
    test_system s = body(p.inertia, w, e);
    test_run(&s, &cap_rk4_type, ldexp(0.04, -k), 5.0);
    orientation(&p, 5.0, e);
    capm_quaternion_rotation(e, R);
    capm_quaternion_rotation(s.d->x, S);
    error[k] = gap_of(9, &R[0][0], &S[0][0]);
    test_system_close(&s);
  }
  double order = 0.5 * log2(error[0] / error[2]);
  print_message("  rk4: orientation off by %.2e, %.2e, %.2e: order %.2f\n", error[0], error[1], error[2],
                order);
  assert_true(order > 3.8 && order < 4.3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(symmetric_tops_precess),
      cmocka_unit_test(eulers_top_turns_as_elliptic_functions),
      cmocka_unit_test(steps_of_fixed_size_converge),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
