/* The mean of a correlated series, how well it is known, and whether it drifts: synthetic series of known
 * means. What is stated as the 95 % interval holds the mean in 92 to 98 % of some hundred realisations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/near.h"
#include "analysis/observe/steady.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 2000, TRIALS = 400 };

static double uniform(uint64_t *seed)
{
  *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
  return ((double)(*seed >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *seed)
{
  return sqrt(-2.0 * log(uniform(seed))) * cos(2.0 * M_PI * uniform(seed));
}

/* Noise of two correlation times, a resonance, a line; on top of it a slope and a step. */
typedef struct process {
  const char *name;
  int n;
  double fast, slow, share;    /* first-order processes: coefficients; size of the slow one */
  double damping, frequency;   /* of a resonance that noise excites; rad per value; 0: none */
  double line, cycles;         /* amplitude and number of an oscillation */
  double drift, step, step_at; /* over the series; and its place, as part of it */
} process;

static void draw(const process *p, uint64_t *seed, double *y)
{
  double fast = 0.0, slow = 0.0, last = 0.0, before = 0.0, phase = 2.0 * M_PI * uniform(seed);
  for (int k = -400; k < p->n; k++) {
    double x = (double)k / p->n;
    fast = p->fast * fast + sqrt(1.0 - p->fast * p->fast) * normal(seed);
    slow = p->slow * slow + sqrt(1.0 - p->slow * p->slow) * normal(seed);
    double ring = 2.0 * p->damping * cos(p->frequency) * last - p->damping * p->damping * before +
                  normal(seed);
    before = last, last = ring;
    if (k < 0) continue;
    y[k] = (p->frequency > 0.0 ? ring : fast) + p->share * slow;
    y[k] += p->line * sin(2.0 * M_PI * p->cycles * x + phase) + p->drift * x +
            (x > p->step_at ? p->step : 0.0);
  }
}

typedef struct tally {
  double inside, width; /* shares of all; mean error over the scatter of the means */
  double drifts, steps; /* found with a chance below 1 % */
} tally;

static tally count(const process *p)
{
  static double y[N];
  uint64_t seed = 88172645463325252u;
  double square = 0.0, error = 0.0;
  tally t = {0};
  for (int k = 0; k < TRIALS; k++) {
    draw(p, &seed, y);
    capm_series_mean m = capm_series_mean_of(p->n, 1, y);
    t.inside += (fabs(m.value) <= CAPM_SERIES_95 * m.error) / (double)TRIALS;
    square += m.value * m.value / TRIALS;
    error += m.error / TRIALS;
    t.drifts += (capm_series_drift(p->n, 1, y).chance < 0.01) / (double)TRIALS;
    t.steps += (capm_series_step(p->n, 1, y, 0.25).chance < 0.01) / (double)TRIALS;
  }
  t.width = error / sqrt(square);
  printf("%-40s inside %.3f, width %.2f, drifts %.3f, steps %.3f\n", p->name, t.inside, t.width, t.drifts,
         t.steps);
  return t;
}

/* Stationary: the interval holds what it says, is not much wider than it has to be, and nothing is seen that
 * is not there. */
static void test_intervals(void **state)
{
  (void)state;
  static const process all[] = {
      {"first order, 0.8, 80 values", 80, .fast = 0.8},
      {"first order, 0.8, 256 values", 256, .fast = 0.8},
      {"first order, 0.95, 1000 values", 1000, .fast = 0.95},
      {"first order, 0.98, 2000 values", 2000, .fast = 0.98},
      {"first order with a slow mode, half", 1000, .fast = 0.5, .slow = 0.98, .share = 0.5},
      {"first order with a slow mode, a fifth", 2000, .fast = 0.0, .slow = 0.99, .share = 0.2},
      {"a resonance of 50 values", 1000, .damping = 0.98, .frequency = 2 * M_PI / 50},
      {"an oscillation, 23 times", 1000, .fast = 0.5, .line = 2.0, .cycles = 23.0},
      {"an oscillation, 60.4 times", 1000, .fast = 0.8, .line = 1.0, .cycles = 60.4},
  };
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
    tally t = count(&all[k]);
    assert_true(t.inside >= 0.92 && t.inside <= 0.98);
    assert_true(t.width > 0.9 && t.width < 2.0);
    assert_true(t.drifts <= 0.03 && t.steps <= 0.03);
  }
}

/* A drift of four standard deviations, or a step of two, is found. */
static void test_changes(void **state)
{
  (void)state;
  static const process drift = {"a drift by 4", 256, .fast = 0.5, .drift = 4.0};
  static const process step = {"a step by 2 after a quarter", 256, .fast = 0.5, .step = 2.0, .step_at = 0.25};
  static double y[N];
  uint64_t seed = 11;
  assert_true(count(&drift).drifts > 0.98);
  assert_true(count(&step).steps > 0.95);
  draw(&drift, &seed, y);
  capm_series_change c = capm_series_drift(256, 1, y);
  assert_near(c.size, 4.0, 3.0 * c.error);
  draw(&step, &seed, y);
  c = capm_series_step(256, 1, y, 0.25);
  assert_near(c.size, 2.0, 3.0 * c.error);
}

static void test_special(void **state)
{
  (void)state;
  double y[64];
  for (int k = 0; k < 64; k++) y[k] = 3.0;
  assert_near(capm_series_mean_of(64, 1, y).value, 3.0, 0.0);
  assert_near(capm_series_mean_of(64, 1, y).error, 0.0, 0.0);
  assert_near(capm_series_drift(64, 1, y).chance, 1.0, 0.0);
  assert_true(isnan(capm_series_mean_of(CAPM_SERIES_LEAST - 1, 1, y).error));
  for (int k = 0; k < 64; k++) y[k] = k; /* a line without noise */
  assert_near(capm_series_drift(64, 1, y).size, 64.0, 1e-9);
  assert_true(capm_series_drift(64, 1, y).chance < 1e-6);
  y[5] = NAN;
  assert_true(isnan(capm_series_mean_of(64, 1, y).error));
  /* every second of twice as many values */
  double twice[128];
  for (int k = 0; k < 128; k++) twice[k] = k % 2 ? 1e9 : sin(k / 2);
  for (int k = 0; k < 64; k++) y[k] = sin(k);
  assert_near(capm_series_mean_of(64, 2, twice).error, capm_series_mean_of(64, 1, y).error, 0.0);
}

/* ---- from when on ------------------------------------------------------------------------------------- */

static cap_steady_found find(const double *y, int n, double asked)
{
  cap_steady_series s = {.name = "y", .unit = "mm", .values = y, .stride = 1, .asked = asked};
  return cap_steady_find(n, 40, 40, 1, &s, 0);
}

static void test_leads(void **state)
{
  (void)state;
  static double y[N];
  uint64_t seed = 5;
  const process noise = {"noise", 600, .fast = 0.5};
  char text[200];
  /* a start that dies away: what is left out is some of its time constants */
  int right = 0, longer = 0;
  for (int trial = 0; trial < 50; trial++) {
    draw(&noise, &seed, y);
    for (int k = 0; k < 600; k++) y[k] = 0.1 * y[k] + exp(-k / 40.0);
    cap_steady_found found = find(y, 600, 0.02);
    if (found.verdict != CAP_STEADY_YES) continue;
    capm_series_mean mean = capm_series_mean_of(600 - found.from, 1, y + found.from);
    right += fabs(mean.value) <= CAPM_SERIES_95 * mean.error;
    longer += found.from > 60;
  }
  printf("a start that dies away: right %d of 50, more than the least left out %d\n", right, longer);
  assert_true(right >= 43 && longer >= 43);
  /* drifts, runs away, is not known */
  draw(&noise, &seed, y);
  for (int k = 0; k < 600; k++) y[k] = 0.1 * y[k] + k / 600.0;
  cap_steady_found found = find(y, 600, 0.02);
  assert_true(found.verdict == CAP_STEADY_MOVES || found.verdict == CAP_STEADY_VAGUE);
  cap_steady_series s = {.name = "y", .unit = "mm", .values = y, .stride = 1, .asked = 0.02};
  double change;
  assert_true(cap_steady_shifts(600, 40, &s, 0.1, &change));
  assert_near(change, 560.0 / 600.0, 0.05);
  for (int k = 0; k < 600; k++) y[k] = 1.0 / (1.0 - k / 601.0);
  assert_true(find(y, 600, 0.02).verdict != CAP_STEADY_YES);
  draw(&noise, &seed, y);
  assert_false(cap_steady_shifts(600, 40, &s, 0.1, &change));
  found = find(y, 600, 1e-4);
  assert_int_equal(found.verdict, CAP_STEADY_VAGUE);
  cap_steady_tell(&found, &s, 2.0, text, sizeof text);
  assert_non_null(strstr(text, "standard error of y"));
  assert_int_equal(find(y, 60, 1.0).verdict, CAP_STEADY_SHORT);
  for (int k = 0; k < 200; k++) y[k] = k < 10 ? NAN : 1.0; /* what is not a number at first */
  assert_int_equal(find(y, 200, 0.01).verdict, CAP_STEADY_YES);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_intervals),
      cmocka_unit_test(test_changes),
      cmocka_unit_test(test_special),
      cmocka_unit_test(test_leads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
