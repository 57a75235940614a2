/* step/rk_pair: rows that add up to their nodes, and the order of the result, of what it is wrong by, and of
 * the course between the ends, on an equation that is neither linear nor autonomous. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "step/rk_pair.h"

#include <math.h>

static const struct {
  const cap_rk_pair *pair;
  const char *name;
  int order, miss, rough, course; /* powers of h of what a step of each is wrong by */
  double from;                    /* the longest of the steps */
} pairs[] = {{&cap_rk_pair_5, "5(4)", 6, 5, 0, 5, 0.2},
             {&cap_rk_pair_8, "8(5,3)", 9, 6, 4, 8, 0.6},
             {&cap_rk_pair_brief_5, "brief 5(4)", 6, 5, 0, 0, 0.2},
             {&cap_rk_pair_brief_3, "brief 3(2)", 4, 3, 0, 0, 0.05}};
enum { PAIRS = sizeof pairs / sizeof *pairs, EQUATIONS = 2 };

/* y0 = exp(sin t), y1 = 1 / (1 + t^2 / 2) */
static void solution(double t, double *y)
{
  y[0] = exp(sin(t));
  y[1] = 1.0 / (1.0 + 0.5 * t * t);
}

static void slope(double t, const double *y, double *out)
{
  out[0] = y[0] * cos(t);
  out[1] = -t * y[1] * y[1];
}

static void rows_add_up(void **state)
{
  (void)state;
  for (int p = 0; p < PAIRS; p++) {
    const cap_rk_pair *pair = pairs[p].pair;
    for (int k = 0; k <= pair->stages + pair->further; k++) {
      double sum = 0.0;
      for (int j = 0; j < k; j++) sum += pair->row[k][j];
      assert_true(fabs(sum - pair->node[k]) < 1e-14 * 40.0); /* rows of 8(5,3) have terms of 40 */
    }
    double miss = 0.0, rough = 0.0;
    for (int k = 0; k < pair->stages + pair->closes; k++) {
      miss += pair->miss[k];
      rough += pair->rough ? pair->rough[k] : 0.0;
    }
    assert_true(fabs(miss) < 1e-13 && fabs(rough) < 1e-13);
  }
}

typedef struct wrong {
  double result, miss, rough, course;
} wrong;

/* sum weight_k slope_k, in both equations the larger one */
static double combined(int count, const double *weight, double slopes[][EQUATIONS], double h)
{
  double most = 0.0;
  for (int i = 0; i < EQUATIONS; i++) {
    double sum = 0.0;
    for (int k = 0; k < count; k++) sum += h * weight[k] * slopes[k][i];
    most = fmax(most, fabs(sum));
  }
  return most;
}

/* A step of h from t = 0.3 by the formulas that the stepper uses (docs/theory.md, (4.7)). */
static wrong step(const cap_rk_pair *pair, double h)
{
  const double t = 0.3, s = 0.37, r = 1.0 - s;
  double y[EQUATIONS], at[EQUATIONS], slopes[CAP_RK_MOST][EQUATIONS], end[EQUATIONS], exact[EQUATIONS];
  const int known = pair->stages + pair->closes, all = pair->bends ? known + pair->further : known;
  wrong w = {0};
  solution(t, y);
  slope(t, y, slopes[0]);
  for (int k = 1; k <= pair->stages || k < all; k++) {
    for (int i = 0; i < EQUATIONS; i++) {
      at[i] = y[i];
      for (int j = 0; j < k; j++) at[i] += h * pair->row[k][j] * slopes[j][i];
      if (k == pair->stages) end[i] = at[i];
    }
    if (k < all) slope(t + pair->node[k] * h, at, slopes[k]);
  }
  solution(t + h, exact);
  for (int i = 0; i < EQUATIONS; i++) w.result = fmax(w.result, fabs(end[i] - exact[i]));
  w.miss = combined(known, pair->miss, slopes, h);
  if (pair->rough) w.rough = combined(known, pair->rough, slopes, h);
  if (!pair->bends) return w;
  solution(t + s * h, exact);
  for (int i = 0; i < EQUATIONS; i++) {
    double way = end[i] - y[i], bow = h * slopes[0][i] - way, value = 0.0;
    for (int b = pair->bends - 1; b >= 0; b--) {
      double bend = 0.0;
      for (int k = 0; k < all; k++) bend += h * pair->bend[b][k] * slopes[k][i];
      value = bend + (b % 2 ? r : s) * value;
    }
    double rest = way - h * slopes[pair->stages][i] - bow;
    w.course = fmax(w.course, fabs(y[i] + s * (way + r * (bow + s * (rest + r * value))) - exact[i]));
  }
  return w;
}

static void powers_of_the_step(void **state)
{
  (void)state;
  for (int p = 0; p < PAIRS; p++) {
    const wrong a = step(pairs[p].pair, pairs[p].from), b = step(pairs[p].pair, 0.5 * pairs[p].from);
    const double found[4] = {log2(a.result / b.result), log2(a.miss / b.miss), log2(a.rough / b.rough),
                             log2(a.course / b.course)};
    const int expected[4] = {pairs[p].order, pairs[p].miss, pairs[p].rough, pairs[p].course};
    for (int k = 0; k < 4; k++) {
      if (!expected[k]) continue;
      print_message("  %-10s %s h^%.2f, expected %d\n", pairs[p].name,
                    (const char *[]){"result", "error", "rough error", "course"}[k], found[k], expected[k]);
      assert_true(found[k] > expected[k] - 0.35 && found[k] < expected[k] + 1.35);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(rows_add_up), cmocka_unit_test(powers_of_the_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
