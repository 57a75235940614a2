/* tests/unit/test_variator_curves.c — the space-averaging element and the global results, from samples whose
 * curves along the belt are known. */
#include "../support/variator_synthetic.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/near.h"

typedef synthetic_run run;

static run compute(const synthetic *y, int average_elements, double until, double residual)
{
  run r = synthetic_compute(y, average_elements, until, residual);
  assert_int_equal(r.status, CAP_OK);
  return r;
}

static void release(run *r)
{
  synthetic_release(r);
}

#define FIGURE(r, id) (r).figures.value[CAP_VARIATOR_FIGURE_##id]
#define MEAN(r, id)   (r).figures.scalar[CAP_VARIATOR_##id].value

/* Largest distance of the averaged push force from the known one, in points that are not beside a jump. */
static double push_error(const cap_variator_curves *c)
{
  double worst = 0.0;
  for (int i = 0; i < c->npoint; i++) {
    double at = c->time[i] / c->revolution;
    worst = fmax(worst, fabs(c->value[CAP_VARIATOR_PUSH][i] - synthetic_push(at)));
  }
  return worst;
}

static void test_recovers_curves(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.15, 0.0);
  assert_true(cap_variator_curves_complete(&r.curves));
  assert_int_equal(r.curves.elements[CAP_VARIATOR_IN_US], 10);
  assert_near(r.curves.revolution, y.T, 0.005 * y.T);
  assert_near(r.curves.span[CAP_VARIATOR_IN_PRI], 0.3 * y.T, 0.005 * y.T);
  /* ten phases of the oscillation cancel */
  assert_true(push_error(&r.curves) < 0.35 * y.noise);
  assert_true(FIGURE(r, SINGLE_VARIATION) > 3.0 * FIGURE(r, PUSH_VARIATION));
  assert_near(r.curves.position[r.curves.npoint - 1], 11.0 * y.T, 0.01 * 11.0 * y.T);
  release(&r);
  y.noise = 0.0;
  r = compute(&y, 10, 0.15, 0.0);
  assert_true(push_error(&r.curves) < 10.0); /* a row's worth of the slope in PRI */
  release(&r);
}

static void test_integrals_and_sums(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.15, 0.0);
  double elements = 240.0;
  assert_near(FIGURE(r, ERROR_LONGITUDINAL), 0.0, 0.005); /* -2 * 0.1 + 6 * 0.2 - 10/3 * 0.3 = 0 */
  assert_near(FIGURE(r, AVERAGE_LONGITUDINAL), 0.0, 0.01);
  assert_near(MEAN(r, FORCE_S), y.clamping, 0.005 * y.clamping);
  assert_near(FIGURE(r, AVERAGE_CLAMPING), 0.0, 0.01);
  assert_near(MEAN(r, MOMENT_P), elements * (6.0 * 0.2 - 2.0 * 0.1) * 0.055, 0.05);
  assert_near(FIGURE(r, ERROR_LOAD), 0.0, 0.01);
  assert_near(FIGURE(r, AVERAGE_LOAD), 0.0, 0.02);
  assert_near(MEAN(r, ENDPLAY), elements * (0.2 * 2e-6 - 0.8 * 1e-6), 2e-6);
  assert_near(MEAN(r, OEP), elements * 0.2 * 2e-6, 2e-6);
  assert_near(MEAN(r, PUSH_US), 1000.0, 15.0);
  assert_near(MEAN(r, TENSION_LS) - MEAN(r, TENSION_US), 300.0, 1e-9);
  assert_near(FIGURE(r, TENSION_CAPSTAN), exp(0.1 * M_PI), 1e-6);
  assert_true(isfinite(r.figures.scalar[CAP_VARIATOR_FORCE_S].error));
  assert_true(r.figures.scalar[CAP_VARIATOR_FORCE_S].error < 5.0);
  release(&r);
}

static void test_losses(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.15, 0.0);
  double in = MEAN(r, MOMENT_P) * 200.0;
  assert_near(r.figures.loss[CAP_VARIATOR_LOST_LONGITUDINAL][CAP_VARIATOR_IN_PRI].value, 100.0, 1e-9);
  assert_near(FIGURE(r, EFFICIENCY_LOCAL), 1.0 - 100.0 / in, 1e-9);
  /* the averaged element: 0.05 W of each real one in both arcs */
  assert_near(r.figures.average[CAP_VARIATOR_LOST_LONGITUDINAL][CAP_VARIATOR_IN_SEC], 240.0 * 0.3 * 0.05,
              0.05);
  assert_near(FIGURE(r, EFFICIENCY_AVERAGE), 1.0 - 2.0 * 240.0 * 0.3 * 0.05 / in, 1e-4);
  double forces = MEAN(r, FORCE_P) + MEAN(r, FORCE_S), larger = fmax(MEAN(r, FORCE_P), MEAN(r, FORCE_S));
  double bearings = 0.1 * 400.0 + 2e-5 * forces * 200.0;
  double hydraulics = 30.0 + 4e-3 * larger + (0.2 + 3e-5 * larger) * 200.0;
  assert_near(FIGURE(r, LOSS_BEARINGS), bearings, 1e-9 * bearings);
  assert_near(FIGURE(r, LOSS_HYDRAULICS), hydraulics, 1e-9 * hydraulics);
  assert_near(FIGURE(r, EFFICIENCY_LOCAL) - FIGURE(r, EFFICIENCY_GLOBAL), (bearings + hydraulics) / in, 1e-9);
  assert_near(FIGURE(r, SLIP), 1.0 / 0.98 - 1.0, 1e-12);
  release(&r);
}

static void test_arcs(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.15, 0.0);
  assert_near(FIGURE(r, ARC_P), 3.1, 0.03);
  assert_near(FIGURE(r, ENTRY_P), -1.55, 0.02);
  assert_near(FIGURE(r, IDLE_P), 3.1 / 3.0, 0.05);
  assert_near(FIGURE(r, ACTIVE_P), 3.1 * 2.0 / 3.0, 0.05);
  assert_near(FIGURE(r, IDLE_S), 0.0, 0.05);
  assert_near(FIGURE(r, IDLE_PUSH), 3.1 * (1.0 / 3.0 + 2.0 / 3.0 * 90.0 / 990.0), 0.15);
  /* the oscillation of 30 N that is left in it, at most there and back; none where none is */
  assert_true(FIGURE(r, PUSH_FALL) > 0.0 && FIGURE(r, PUSH_FALL) < 0.06);
  assert_near(FIGURE(r, SPIRAL_P), 2e-4 * 0.49, 2e-6);
  assert_near(FIGURE(r, SPIRAL_INNER_P), 2e-4 * 0.65 * 0.65, 2e-6);
  assert_near(FIGURE(r, SPIRAL_RING_P), 2e-4 * 0.49 + 5e-5, 3e-6);
  assert_near(FIGURE(r, SPIRAL_RING_INNER_S), 2e-4 * 0.65 * 0.65, 2e-6);
  assert_near(FIGURE(r, SPIRAL_AT_S), 0.7, 0.02);
  assert_near(MEAN(r, PITCH_P), -0.02, 1e-4);
  assert_near(FIGURE(r, ENTRY_PEAK_P), 45.0 / 33.0, 0.03);
  release(&r);
}

/* Touches that are lost and found again belong to the arc, and give one pass. */
static void test_bounces(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  y.bounce = true;
  run r = compute(&y, 10, 0.15, 0.0);
  assert_true(cap_variator_curves_complete(&r.curves));
  assert_near(r.curves.span[CAP_VARIATOR_IN_PRI], 0.3 * y.T, 0.005 * y.T);
  assert_near(r.curves.span[CAP_VARIATOR_IN_US], 0.2 * y.T, 0.005 * y.T);
  assert_near(MEAN(r, PUSH_US), 1000.0, 15.0); /* those apart from the strand do not count */
  release(&r);
}

static void test_stationary_time(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  y.run_up = 0.5;
  run r = compute(&y, 10, 0.3, 0.0);
  /* of 0.5 e^(-t/tau) less than 1 % is left after the first revolution, which never counts */
  assert_true(FIGURE(r, STEADY) >= 0.05 && FIGURE(r, STEADY) < 0.15);
  assert_near(FIGURE(r, TURNAROUND), 0.25, 0.001);
  assert_near(MEAN(r, THRUST), 1.0, 0.002);
  release(&r);
  y.run_up = 5.0;
  y.tau = 0.3;
  r = compute(&y, 10, 0.1, 0.0);
  assert_true(isnan(FIGURE(r, STEADY)));
  release(&r);
}

/* A run of less than a turnaround has no curves, but sums. */
static void test_short_run(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.01, 0.0);
  assert_false(cap_variator_curves_complete(&r.curves));
  assert_true(isnan(FIGURE(r, EFFICIENCY_AVERAGE)) && isnan(FIGURE(r, TURNAROUND)));
  assert_near(MEAN(r, FORCE_S), y.clamping, 0.02 * y.clamping);
  release(&r);
}

static void test_balance(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.15, 1.0);
  double limit = 2.0 * 0.09 * (0.055 + 2e-4 * 0.0434 - 0.001) * y.clamping / cos(11.0 * M_PI / 180.0) * 200.0;
  assert_near(FIGURE(r, POWER_SCALE), limit, 0.01 * limit);
  assert_near(FIGURE(r, RESIDUAL_LOSS), 1.0 / 120.0, 1e-9);
  assert_true(FIGURE(r, CREDIBLE) == 1.0);
  release(&r);
  r = compute(&y, 10, 0.15, -3.0); /* 2.5 % of the losses */
  assert_true(FIGURE(r, CREDIBLE) == 0.0);
  release(&r);
}

static void test_macro_slip(void **state)
{
  (void)state;
  synthetic y = synthetic_default();
  run r = compute(&y, 10, 0.1, 0.0);
  assert_true(FIGURE(r, MACRO) == 0.0 && isnan(FIGURE(r, MACRO_BEGIN)));
  release(&r);
  y.slip = 0.05;
  y.slip_from = 0.07;
  r = compute(&y, 10, 0.1, 0.0);
  assert_true(FIGURE(r, MACRO) == 1.0);
  assert_near(FIGURE(r, MACRO_BEGIN), 0.07, 0.0002);
  release(&r);
}

/* A belt that touches no sheave, on pulleys that stand: no ratio, and nothing that is not a number. */
static void test_nothing_touches(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_variator_sample s;
  double scalars[CAP_VARIATOR_SCALARS];
  assert_int_equal(cap_variator_sample_create(&s, 8, 2.0, &error), CAP_OK);
  s.clamping = s.torque = 0.0;
  cap_variator_sample_reduce(&s, scalars);
  for (int k = 0; k < CAP_VARIATOR_SCALARS; k++) assert_near(scalars[k], 0.0, 0.0);
  cap_variator_sample_free(&s);
}

/* White noise of known size: its standard error, and that batches that were joined say the same. */
static void test_standard_error(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_variator_means m;
  double none = 0.0;
  assert_int_equal(cap_variator_means_create(&m, 1, 1, 64, 1.0, &error), CAP_OK);
  cap_variator_means_start(&m, 0.0, &none);
  uint64_t seed = 7;
  int rows = 4000;
  for (int i = 1; i <= rows; i++) {
    double sum = -6.0;
    for (int k = 0; k < 12; k++) {
      seed = seed * 6364136223846793005u + 1442695040888963407u;
      sum += (double)(seed >> 11) / 9007199254740992.0;
    }
    double value = 3.0 + sum, level = 2.0 * i * 0.1; /* rows 0.1 s apart */
    if (cap_variator_means_take(&m, i * 0.1, &value)) cap_variator_means_close(&m, i * 0.1, &level);
  }
  cap_variator_mean mean = cap_variator_means_of(&m, 0, 0.0);
  assert_true(cap_variator_means_batches(&m) <= 64);
  assert_near(mean.value, 3.0, 4.0 / sqrt(rows));
  assert_true(mean.error > 0.6 / sqrt(rows) && mean.error < 2.5 / sqrt(rows));
  assert_near(cap_variator_means_rate(&m, 0, 0.0).value, 2.0, 1e-9);
  cap_variator_means_free(&m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_recovers_curves), cmocka_unit_test(test_integrals_and_sums),
      cmocka_unit_test(test_losses),          cmocka_unit_test(test_arcs),
      cmocka_unit_test(test_bounces),         cmocka_unit_test(test_stationary_time),
      cmocka_unit_test(test_short_run),       cmocka_unit_test(test_balance),
      cmocka_unit_test(test_macro_slip),      cmocka_unit_test(test_standard_error),
      cmocka_unit_test(test_nothing_touches),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
