/* Implicit Runge-Kutta steps (Radau IIA): closed forms, order of convergence, stiff problems, energy audit.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "../support/system.h"
#include "elements/elements.h"
#include "model/builder.h"

static const cap_stepper_type *const radau = &cap_radau_type;

static test_system finish(cap_builder *b)
{
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  cap_data_start_audit(s.m, s.d);
  return s;
}

/* To t in `rows` equal advances. */
static void run(test_system *s, double tolerance, double t, int rows)
{
  cap_stepper stepper = test_stepper(s, radau, 1, tolerance, true);
  double from = *s->d->t;
  for (int k = 1; k <= rows; k++) test_advance(s, &stepper, from + (t - from) * k / rows, NULL);
  cap_stepper_free(&stepper);
}

static int64_t steps_of(const test_system *s)
{
  return s->d->steps[CAP_STEPS_STEPS];
}

/* ---- closed forms -------------------------------------------------------------------------------------- */

/* Damped oscillator m q'' + c q' + k q = F sin(w t), from rest at q0. */
typedef struct forced {
  double mass, k, c, amplitude, w, q0;
} forced;

static test_system forced_system(const forced *o)
{
  cap_builder *b = cap_builder_create(1);
  const double link[CAP_LINK_NPARAM] = {o->k, o->c, 0.0},
               load[CAP_LOAD_NPARAM] = {0.0, o->amplitude, o->w, 0.0};
  assert_non_null(b);
  cap_builder_dof(b, "q", "m", o->mass, o->q0, 0.0);
  cap_builder_element(b, &cap_link_type, "link", 0, CAP_GROUND, link, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  return finish(b);
}

static void forced_motion(const forced *o, double t, double *q, double *v)
{
  double d = o->k - o->mass * o->w * o->w, e = o->c * o->w, f = o->amplitude / (d * d + e * e);
  double a = -f * e, b = f * d; /* a cos + b sin */
  double delta = o->c / (2 * o->mass), w = sqrt(o->k / o->mass - delta * delta);
  double p = o->q0 - a, r = (delta * p - b * o->w) / w, decay = exp(-delta * t);
  *q = a * cos(o->w * t) + b * sin(o->w * t) + decay * (p * cos(w * t) + r * sin(w * t));
  *v = o->w * (b * cos(o->w * t) - a * sin(o->w * t)) +
       decay * ((r * w - delta * p) * cos(w * t) - (p * w + delta * r) * sin(w * t));
}

static void linear_motion_is_the_closed_form(void **state)
{
  (void)state;
  const forced o = {2.0, 50.0, 0.8, 3.0, 4.0, 0.1};
  const double tolerance[] = {1e-3, 1e-5, 1e-7, 1e-9, 1e-11, 1e-13};
  for (int k = 0; k < 6; k++)
    for (int rows = 1; rows <= 1000; rows *= 1000) {
      test_system s = forced_system(&o);
      double q, v;
      run(&s, tolerance[k], 20.0, rows);
      forced_motion(&o, 20.0, &q, &v);
      double error = fmax(fabs(s.d->q[0] - q) / 0.1, fabs(s.d->v[0] - v) / 0.5),
             audit = test_balance(&s, NULL);
      print_message("  tolerance %.0e, %4d rows: error %.1e, audit %.1e, %ld steps\n", tolerance[k], rows,
                    error, audit, (long)steps_of(&s));
      assert_true(*s.d->t == 20.0);
      assert_true(error < 10.0 * tolerance[k] + 1e-14 * rows);
      assert_true(audit < 10.0 * tolerance[k] + 1e-14);
      test_system_close(&s);
    }
}

/* ---- order --------------------------------------------------------------------------------------------- */

static test_system duffing(void)
{
  cap_builder *b = cap_builder_create(1);
  const double power[CAP_POLYNOMIAL_NPARAM] = {0.0, 5.0, 0.0}, link[CAP_LINK_NPARAM] = {1.0, 0.05, 0.0},
               load[CAP_LOAD_NPARAM] = {0.0, 1.0, 1.3, 0.3};
  assert_non_null(b);
  cap_builder_dof(b, "q", "m", 1.0, 0.5, 0.2);
  cap_builder_element(b, &cap_polynomial_type, "power", 0, CAP_GROUND, power, NULL);
  cap_builder_element(b, &cap_link_type, "link", 0, CAP_GROUND, link, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  return finish(b);
}

/* Slope of log(error) over log(steps) from `loose` to `tight` by least squares. */
static double observed_order(double loose, double tight, int count, const double *reference)
{
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (int k = 0; k < count; k++) {
    double tolerance = loose * pow(tight / loose, k / (count - 1.0)), error = 0.0;
    test_system s = duffing();
    cap_stepper stepper = test_stepper(&s, radau, 1, tolerance, false);
    for (int i = 0; i < 8; i++) { /* at eight instants: at a single one the error may pass through zero */
      test_advance(&s, &stepper, 5.0 * (i + 1), NULL);
      error += hypot(s.d->q[0] - reference[2 * i], s.d->v[0] - reference[2 * i + 1]);
    }
    double x = log((double)steps_of(&s)), y = log(error);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
    cap_stepper_free(&stepper);
    test_system_close(&s);
  }
  return -(count * sxy - sx * sy) / (count * sxx - sx * sx);
}

static void orders_are_five_nine_thirteen(void **state)
{
  (void)state;
  double reference[16];
  test_system s = duffing();
  cap_stepper fine = test_stepper(&s, &cap_extrapolate_type, 1, 1e-13, false);
  for (int i = 0; i < 800; i++) {
    test_advance(&s, &fine, 0.05 * (i + 1), NULL);
    if (i % 100 == 99) memcpy(reference + 2 * (i / 100), s.d->y, 2 * sizeof(double));
  }
  cap_stepper_free(&fine);
  test_system_close(&s);
  double three = observed_order(1e-2, 6e-5, 9, reference), five = observed_order(4e-5, 6e-9, 15, reference),
         seven = observed_order(4e-9, 3e-12, 15, reference);
  print_message("  orders %.1f, %.1f, %.1f\n", three, five, seven);
  assert_true(three > 4.5 && three < 6.5);
  assert_true(five > 8.0 && five < 11.0);
  assert_true(seven > 11.0 && seven < 17.0);
}

/* ---- stiff --------------------------------------------------------------------------------------------- */

/* Prothero and Robinson: x' = -rate (x - cos t) - sin t,
 * whose solution from x = 1 is cos t for every rate. */
static void follow_rates(const cap_batch *b, cap_eval *e)
{
  double rate = b->par[0], x = e->x[b->x_adr];
  e->xdot[b->x_adr] = -rate * (x - cos(*e->t)) - sin(*e->t);
  for (int c = 0; c < e->ncol; c++) e->dxdot[b->x_adr * e->ncol + c] = -rate * e->dx[b->x_adr * e->ncol + c];
}

static const cap_param follow_params[] = {{"rate", "1/s"}};
static const cap_element_type follow_type = {.name = "follow",
                                             .doc = "test",
                                             .nparam = 1,
                                             .nstate = 1,
                                             .params = follow_params,
                                             .rates = follow_rates};

static test_system follow(double rate, double x0)
{
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  cap_builder_dof(b, "q", "m", 1.0, 0.0, 0.0);
  cap_builder_element(b, &follow_type, "follow", 0, CAP_GROUND, &rate, &x0);
  return finish(b);
}

static void stiff_followers_need_no_more_steps(void **state)
{
  (void)state;
  const double tolerance[] = {1e-4, 1e-8, 1e-12};
  for (int k = 0; k < 3; k++) {
    int64_t soft = 0;
    for (double rate = 1.0; rate < 2e9; rate *= 1e3) {
      test_system s = follow(rate, 1.0);
      run(&s, tolerance[k], 10.0, 1);
      double error = fabs(s.d->x[0] - cos(10.0));
      print_message("  tolerance %.0e, rate %.0e: error %.1e, %ld steps\n", tolerance[k], rate, error,
                    (long)steps_of(&s));
      assert_true(error < 10.0 * tolerance[k]);
      if (!soft) soft = steps_of(&s);
      assert_true(steps_of(&s) <= 3 * soft);
      test_system_close(&s);
    }
  }
}

/* A start off the slow motion: the layer exp(-rate t) is resolved, not skipped. */
static void layer_is_resolved(void **state)
{
  (void)state;
  const double tolerance[] = {1e-4, 1e-8, 1e-12};
  for (int k = 0; k < 3; k++)
    for (double rate = 10.0; rate < 2e6; rate *= 1e3) {
      test_system s = follow(rate, 3.0);
      double worst = 0.0, t = 0.0;
      cap_stepper stepper = test_stepper(&s, radau, 1, tolerance[k], false);
      for (int i = 1; i <= 20; i++) { /* rows within the layer and after it */
        t = 0.2 * i * (i < 20 ? 1.0 / rate : 1.0);
        if (t <= *s.d->t) continue;
        test_advance(&s, &stepper, t, NULL);
        worst = fmax(worst, fabs(s.d->x[0] - cos(t) - 2.0 * exp(-rate * t)));
      }
      test_system_close(&s);
      cap_stepper_free(&stepper);
      s = follow(rate, 3.0);
      run(&s, tolerance[k], 4.0, 1); /* and in one go */
      worst = fmax(worst, fabs(s.d->x[0] - cos(4.0) - 2.0 * exp(-rate * 4.0)));
      print_message("  tolerance %.0e, rate %.0e: error %.1e, %ld steps in one go\n", tolerance[k], rate,
                    worst, (long)steps_of(&s));
      assert_true(worst < 20.0 * tolerance[k]);
      test_system_close(&s);
    }
}

/* Two masses, the second held to the first by a spring and damper of any stiffness. */
static test_system held(double k)
{
  cap_builder *b = cap_builder_create(1);
  const double soft[CAP_LINK_NPARAM] = {1.0, 0.05, 0.0}, hard[CAP_LINK_NPARAM] = {k, sqrt(0.23 * k), 0.0};
  const double power[CAP_POLYNOMIAL_NPARAM] = {0.0, 5.0, 0.0}, load[CAP_LOAD_NPARAM] = {0.0, 1.0, 1.3, 0.3};
  assert_non_null(b);
  cap_builder_dof(b, "q", "m", 1.0, 0.5, 0.2);
  cap_builder_dof(b, "r", "m", 0.3, 0.5, 0.2);
  cap_builder_element(b, &cap_link_type, "soft", 0, CAP_GROUND, soft, NULL);
  cap_builder_element(b, &cap_link_type, "hard", 0, 1, hard, NULL);
  cap_builder_element(b, &cap_polynomial_type, "power", 0, CAP_GROUND, power, NULL);
  cap_builder_element(b, &cap_load_type, "load", 1, CAP_GROUND, load, NULL);
  return finish(b);
}

/* The tightest tolerance is met although the rounding of the positions alone moves the hard spring's force by
 * 1e-3 N: that noise is no error of the motion, and no shorter steps are asked of it. */
static void stiff_springs_cost_no_steps(void **state)
{
  (void)state;
  int64_t soft = 0;
  for (double k = 1e4; k < 2e13; k *= 1e3) {
    double end[3][4];
    const double tolerance[] = {1e-13, 1e-9, 1e-7};
    for (int i = 0; i < 3; i++) {
      test_system s = held(k);
      run(&s, tolerance[i], 20.0, 1);
      double audit = test_balance(&s, NULL);
      memcpy(end[i], s.d->y, sizeof end[i]);
      if (i == 0 && !soft) soft = steps_of(&s);
      print_message("  stiffness %.0e, tolerance %.0e: error %.1e, audit %.1e, %ld steps\n", k, tolerance[i],
                    fabs(end[i][0] - end[0][0]), audit, (long)steps_of(&s));
      assert_true(audit < 10.0 * tolerance[i]);
      assert_true(fabs(end[i][0] - end[0][0]) < 10.0 * tolerance[i]);
      assert_true(fabs(end[i][2] - end[0][2]) < 10.0 * tolerance[i]);
      if (i == 0) assert_true(steps_of(&s) < 3 * soft / 2);
      test_system_close(&s);
    }
  }
}

/* ---- rounding, driven coordinates, refusals ------------------------------------------------------------ */

/* At rest under its load, where only rounding moves, and far from the origin: no endless shortening. */
static void rest_is_cheap(void **state)
{
  (void)state;
  const double rest[][3] = {{1e6, 3.0, 1.0}, {1e10, 1e5, 1.0}, {7.3, 1e-9, 1e-3}};
  for (int k = 0; k < 3; k++) {
    cap_builder *b = cap_builder_create(1);
    const double link[CAP_LINK_NPARAM] = {rest[k][0], rest[k][1], 0.0},
                 weight[CAP_WEIGHT_NPARAM] = {rest[k][0] * 0.1};
    assert_non_null(b);
    cap_builder_dof(b, "q", "m", rest[k][2], 0.1, 0.0);
    cap_builder_element(b, &cap_link_type, "link", 0, CAP_GROUND, link, NULL);
    cap_builder_element(b, &cap_weight_type, "weight", 0, CAP_GROUND, weight, NULL);
    test_system s = finish(b);
    run(&s, 1e-13, 10.0, 10);
    assert_true(fabs(s.d->q[0] - 0.1) < 1e-15);
    assert_true(steps_of(&s) < 60);
    test_system_close(&s);
  }
}

static void driven_coordinates_follow_their_motion(void **state)
{
  (void)state;
  static const char rig[] = TEST_RIG
      "tensioner: {law: linear, k0: 2.34e5 N/m, F0: -573 N, c: 1e3 N s/m}\n" TEST_ANY;
  test_system s = test_system_open(rig), r = test_system_open(rig);
  cap_data_start_audit(s.m, s.d);
  run(&s, 1e-10, 1.0, 7);
  test_run(&r, &cap_extrapolate_type, 1, 1.0);
  for (int k = 0; k < s.m->nstate; k++)
    assert_true(fabs(s.d->y[k] - r.d->y[k]) <= 1e-9 * (1e-3 + fabs(r.d->y[k])));
  assert_true(test_balance(&s, NULL) < 1e-9);
  test_system_close(&s);
  test_system_close(&r);
}

static void refuse(const char *text, const char *reason)
{
  test_system s = test_system_open(text);
  cap_stepper_settings settings = {.tolerance = 1e-8};
  cap_stepper stepper;
  cap_error error = {0};
  assert_int_equal(cap_stepper_create(radau, s.m, &settings, &stepper, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, reason));
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

static void what_is_not_smooth_is_refused(void **state)
{
  (void)state;
  refuse(TEST_BELT TEST_MASING TEST_ANY, "dry friction with a set-valued law");
  refuse(TEST_BELT TEST_DAHL TEST_ANY, "a law that switches at reversals");
}

static void a_state_that_is_not_finite_is_told(void **state)
{
  (void)state;
  test_system s = duffing();
  cap_stepper stepper = test_stepper(&s, radau, 1, 1e-8, false);
  double t = 1.0;
  cap_error error = {0};
  s.d->q[0] = NAN;
  assert_int_equal(cap_stepper_advance(&stepper, s.m, s.d, &t, NULL, &error), CAP_ERR_NUMERICS);
  assert_non_null(strstr(error.text, "not finite"));
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

typedef struct seen {
  int count;
  double last;
} seen;

static void see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                const double *decay)
{
  (void)m, (void)decay;
  seen *o = self;
  assert_true(o->count == 0 || *t > o->last);
  /* the force of the link belongs to the state that is shown */
  assert_true(fabs(force[1] - y[0] - 0.05 * y[1]) < 1e-14);
  o->last = *t;
  o->count++;
}

static void observer_sees_every_step_and_nothing_is_allocated(void **state)
{
  (void)state;
  test_count_allocations();
  test_system s = duffing();
  seen o = {0};
  cap_observer observer = {see, &o};
  cap_stepper_settings settings = {.tolerance = 1e-10, .audit = true, .observer = &observer};
  cap_stepper stepper;
  cap_error error = {0};
  assert_int_equal(cap_stepper_create(radau, s.m, &settings, &stepper, &error), CAP_OK);
  long before = test_allocations;
  test_advance(&s, &stepper, 10.0, NULL);
  assert_int_equal(test_allocations, before);
  assert_int_equal(o.count, steps_of(&s) + 1);
  assert_true(s.d->steps[CAP_STEPS_ITERATIONS] >= steps_of(&s));
  assert_int_equal(s.d->steps[CAP_STEPS_EVALUATIONS], 7 * s.d->steps[CAP_STEPS_ITERATIONS]);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_motion_is_the_closed_form),
      cmocka_unit_test(orders_are_five_nine_thirteen),
      cmocka_unit_test(stiff_followers_need_no_more_steps),
      cmocka_unit_test(layer_is_resolved),
      cmocka_unit_test(stiff_springs_cost_no_steps),
      cmocka_unit_test(rest_is_cheap),
      cmocka_unit_test(driven_coordinates_follow_their_motion),
      cmocka_unit_test(what_is_not_smooth_is_refused),
      cmocka_unit_test(a_state_that_is_not_finite_is_told),
      cmocka_unit_test(observer_sees_every_step_and_nothing_is_allocated),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
