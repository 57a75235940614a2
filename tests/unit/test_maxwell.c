/* Influence numbers of sheaves and coupled contact: closed forms, all ways to the same forces, tables. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "../support/flanks.h"
#include "drives/pushbelt/contact/maxwell.h"

static void assert_near(double value, double expected, double tolerance)
{
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.17g, expected %.17g +- %g", value, expected, tolerance);
}

/* ---- influence ----------------------------------------------------------------------------------------- */

/* At the outer radius the shape is 1, at the inner one 0: C is the sum of the coefficients there. */
static void influence_by_hand(void **state)
{
  (void)state;
  cap_influence c = flanks_sheave(false);
  double sum = 2.4e-9 + 3.2e-9 + 1.6e-9 + 0.7e-9 + 0.3e-9 + 0.16e-9;
  assert_near(cap_influence_at(&c, 0.078, 1.0, 0.078, 1.0), 9e-7 * 0.078 * 0.078 + sum, 1e-22);
  assert_near(cap_influence_at(&c, 0.020, 0.3, 0.078, 0.3), 9e-7 * 0.020 * 0.078, 1e-22);
  assert_near(cap_influence_at(&c, 0.010, 0.3, 0.078, 0.3 + M_PI), -9e-7 * 0.010 * 0.078, 1e-22);
  double x = (0.055 - 0.020) / 0.058, g = x * x * (1.5 - 0.5 * x), opposite = 0.0;
  for (int m = 0; m < 6; m++) opposite += c.plate[m] * cos(m * M_PI / 2.0);
  assert_near(cap_influence_at(&c, 0.055, 0.0, 0.078, M_PI / 2.0), g * opposite, 1e-22);
}

/* psi' psi is C; slopes' psi its derivative with the first radius. */
static void functions_are_the_influence(void **state)
{
  (void)state;
  enum { N = 70, STRIDE = 72 };
  static double r[N], phi[N], c[N], s[N], psi[13 * STRIDE], slopes[13 * STRIDE], both[13 * STRIDE], C[N * N];
  const double h = 1e-6;
  cap_influence a = flanks_sheave(false), b = flanks_sheave(true);
  for (int i = 0; i < N; i++)
    r[i] = 0.025 + 0.0007 * i, phi[i] = 0.05 * i - 1.0, c[i] = cos(phi[i]), s[i] = sin(phi[i]);
  assert_int_equal(cap_influence_count(&a, NULL), 13);
  assert_int_equal(cap_influence_count(&a, &b), 13);
  cap_influence_functions(&a, &b, N, r, c, s, STRIDE, both);
  cap_influence_functions(&a, NULL, N, r, c, s, STRIDE, psi);
  cap_influence_slopes(&a, N, r, c, s, STRIDE, slopes);
  cap_influence_add(&a, N, r, phi, C);
  cap_influence_add(&b, N, r, phi, C);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      double sum = 0.0, slope = 0.0;
      for (int k = 0; k < 13; k++) {
        sum += both[k * STRIDE + i] * both[k * STRIDE + j];
        slope += slopes[k * STRIDE + i] * psi[k * STRIDE + j];
      }
      assert_near(sum, C[i * N + j], 1e-22);
      double ahead = cap_influence_at(&a, r[i] + h, phi[i], r[j], phi[j]);
      double behind = cap_influence_at(&a, r[i] - h, phi[i], r[j], phi[j]);
      assert_near(slope, (ahead - behind) / (2.0 * h), 1e-15);
      assert_near(slope, cap_influence_slope(&a, r[i], phi[i], r[j], phi[j]), 1e-19);
    }
}

/* Only what has a coefficient is a function. */
static void functions_that_are_not_there(void **state)
{
  (void)state;
  cap_influence none = {0}, tilt = {.tilt = 1e-6}, third = {.plate = {0, 0, 0, 1e-9}, .outer = 0.08};
  double r = 0.08, c = cos(0.4), s = sin(0.4), psi[2 * 8];
  assert_int_equal(cap_influence_count(&none, &none), 0);
  assert_int_equal(cap_influence_count(&tilt, &none), 2);
  assert_int_equal(cap_influence_count(&third, NULL), 2);
  cap_influence_functions(&third, NULL, 1, &r, &c, &s, 8, psi);
  assert_near(psi[0], sqrt(1e-9) * cos(1.2), 1e-18);
  assert_near(psi[8], sqrt(1e-9) * sin(1.2), 1e-18);
}

/* ---- solutions ----------------------------------------------------------------------------------------- */

/* Two flanks opposite each other on a sheave that only tilts: u = k r^2 (l1 - l2) at the first, the opposite
 * at the second. */
static void two_flanks_on_a_tilting_sheave(void **state)
{
  (void)state;
  cap_maxwell m = {.sheave = {{.tilt = 1e-6}}, .coupled = true};
  flanks f = flanks_create(&m, 2);
  cap_maxwell_result result;
  const double d = 1e-7, k = 1e-6 * 0.05 * 0.05;
  f.phi[1] = M_PI;
  f.r[0] = f.r[1] = 0.05, f.compliance[0] = f.compliance[1] = d;
  f.penetration[0][0] = 1e-4, f.penetration[0][1] = 0.9e-4;
  assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
  double sum = 1.9e-4 / d, difference = 0.1e-4 / (d + 2.0 * k);
  assert_near(f.force[0][0], 0.5 * (sum + difference), 1e-9 * sum);
  assert_near(f.force[1][1], 0.5 * (sum - difference), 1e-9 * sum);
  assert_near(f.deflection[0][0], k * difference, 1e-15);
  assert_true(f.deflection[1][0] == 0.0);
  f.penetration[0][1] = -1e-6; /* open, and the tilt opens it further */
  assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
  assert_true(f.force[0][1] > 0.0); /* no: the sheave comes towards it on the other side */
  f.penetration[0][1] = -1e-4;
  assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
  assert_true(f.force[0][1] == 0.0);
  assert_near(f.force[0][0], 1e-4 / (d + k), 1e-7);
  flanks_free(&f);
}

/* A rigid sheave: every flank by itself, nothing to iterate. */
static void rigid_sheaves(void **state)
{
  (void)state;
  cap_maxwell m = {.coupled = false};
  flanks f = flanks_create(&m, 40);
  uint64_t seed = 3;
  cap_maxwell_result result;
  flanks_scatter(&m, &f, &seed, 1e-5, 5e-5);
  assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
  assert_int_equal(result.iterations[0], 0);
  for (int side = 0; side < 2; side++)
    for (int i = 0; i < f.n; i++)
      assert_near(f.force[side][i], fmax(f.penetration[side][i], 0.0) / f.compliance[i], 1e-9);
  flanks_free(&f);
}

/* Amplitudes, Newton on all forces and Lemke on all forces: the same, for both kinds of flanks. */
static void all_forms_agree(void **state)
{
  (void)state;
  uint64_t seed = 11;
  for (int k = 0; k < 60; k++) {
    bool coupled = k % 2;
    int n = 5 + 3 * k;
    cap_maxwell forms[3];
    flanks f[3];
    for (int form = 0; form < 3; form++) {
      uint64_t same = seed;
      cap_maxwell_result result;
      forms[form] = flanks_pulley(coupled, (cap_maxwell_form)form);
      f[form] = flanks_create(&forms[form], n);
      flanks_scatter(&forms[form], &f[form], &same, 2e-4, 4e-4);
      assert_int_equal(flanks_solve(&forms[form], &f[form], &result), CAP_OK);
      assert_false(result.fallback);
      if (form == 2) seed = same;
    }
    double size = 0.0;
    for (int i = 0; i < n; i++) size = fmax(size, f[2].force[0][i]);
    for (int form = 0; form < 2; form++)
      for (int side = 0; side < 2; side++)
        for (int i = 0; i < n; i++) {
          assert_near(f[form].force[side][i], f[2].force[side][i], 1e-10 * size);
          assert_near(f[form].deflection[side][i], f[2].deflection[side][i], 1e-13);
        }
    for (int i = 0; coupled && i < n; i++) assert_true(f[0].force[0][i] == f[0].force[1][i]);
    for (int form = 0; form < 3; form++) flanks_free(&f[form]);
  }
}

/* Where flanks have no own compliance to speak of, Newton's full steps overshoot: the line search holds. */
static void hard_flanks_from_cold(void **state)
{
  (void)state;
  uint64_t seed = 5;
  int most = 0;
  for (int k = 0; k < 300; k++) {
    cap_maxwell m = flanks_pulley(true, CAP_MAXWELL_AUTO);
    flanks f = flanks_create(&m, 100);
    cap_maxwell_result result;
    flanks_scatter(&m, &f, &seed, 1e-4, 1e-3);
    for (int i = 0; i < f.n; i++) f.compliance[i] = 1e-11;
    assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
    if (result.iterations[0] > most) most = result.iterations[0];
    flanks_free(&f);
  }
  print_message("hard flanks from a cold start: at most %d iterations\n", most);
  assert_in_range(most, 1, 40);
}

/* The answer does not depend on where the iteration came from, to the last bit. */
static void answer_does_not_remember(void **state)
{
  (void)state;
  cap_maxwell m = flanks_pulley(true, CAP_MAXWELL_AUTO);
  flanks cold = flanks_create(&m, 90), warm = flanks_create(&m, 90);
  cap_maxwell_result result;
  uint64_t seed = 77;
  for (int k = 0; k < 200; k++) {
    uint64_t same = seed;
    flanks_scatter(&m, &warm, &seed, 2e-4, 4e-4);
    flanks_scatter(&m, &cold, &same, 2e-4, 4e-4);
    memset(cold.memory, 0, sizeof(double) * cap_maxwell_room(&m, 90));
    assert_int_equal(flanks_solve(&m, &cold, &result), CAP_OK);
    assert_int_equal(flanks_solve(&m, &warm, &result), CAP_OK);
    assert_memory_equal(cold.force[0], warm.force[0], sizeof(double) * 90);
  }
  flanks_free(&cold);
  flanks_free(&warm);
}

/* Elements that leave at one end and enter at the other keep their forces by who they are: on all forces the
 * set of those that touch is then right but for the new one. */
static void warm_by_identity(void **state)
{
  (void)state;
  enum { N = 60, IDS = 80 };
  cap_maxwell m = flanks_pulley(true, CAP_MAXWELL_FULL);
  int sum[2] = {0};
  for (int known = 0; known < 2; known++) {
    flanks f = flanks_create(&m, IDS);
    int id[N];
    for (int step = 0; step < 40; step++) {
      for (int i = 0; i < N; i++) {
        id[i] = (IDS - step % IDS + i) % IDS; /* the one at place i was at i - 1 before */
        f.r[i] = 0.07, f.phi[i] = 0.05 * (i - 0.5 * N), f.compliance[i] = 1e-7;
        f.penetration[0][i] = id[i] % 3 ? 2e-4 : -2e-4;
      }
      cap_maxwell_contacts c = flanks_contacts(&f);
      cap_maxwell_result result = {.force = {f.force[0], f.force[1]}};
      c.n = N;
      c.id = known ? id : NULL;
      assert_int_equal(cap_maxwell_solve(&m, &c, IDS, f.memory, &result), CAP_OK);
      if (step > 0) sum[known] += result.iterations[0];
    }
    flanks_free(&f);
  }
  print_message("iterations of 39 warm starts: %d by place, %d by identity\n", sum[0], sum[1]);
  assert_true(sum[1] <= 2 * 39 && sum[1] < sum[0]);
}

static void tangent_is_the_derivative(void **state)
{
  (void)state;
  enum { N = 30 };
  for (int form = 0; form < 3; form++)
    for (int coupled = 0; coupled < 2; coupled++) {
      cap_maxwell m = flanks_pulley(coupled, (cap_maxwell_form)form);
      flanks f = flanks_create(&m, N);
      cap_maxwell_result result;
      uint64_t seed = 9;
      double dp[N], df[2][N], ends[2][2][N];
      flanks_scatter(&m, &f, &seed, 2e-4, 4e-4);
      for (int i = 0; i < N; i++) dp[i] = 1.0 + 0.1 * i;
      assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
      cap_maxwell_contacts c = flanks_contacts(&f);
      const double *const along[2] = {dp, dp};
      double *const changes[2] = {df[0], df[1]};
      assert_true(cap_maxwell_tangent(&m, &c, N, f.memory, along, changes));
      for (int e = 0; e < 2; e++) {
        double h = e ? 2e-10 : -1e-10;
        for (int side = 0; side < 2; side++)
          for (int i = 0; i < N; i++) f.penetration[side][i] += h * dp[i];
        assert_int_equal(flanks_solve(&m, &f, &result), CAP_OK);
        for (int side = 0; side < 2; side++) memcpy(ends[e][side], f.force[side], sizeof ends[e][side]);
      }
      for (int side = 0; side < 2; side++)
        for (int i = 0; i < N; i++)
          assert_near(df[side][i], (ends[1][side][i] - ends[0][side][i]) / 2e-10,
                      1e-4 * fabs(df[side][0]) + 1.0);
      flanks_free(&f);
    }
}

/* ---- tables -------------------------------------------------------------------------------------------- */

typedef struct rows {
  int n;
  double r[8000], r0[8000], angle[8000], value[8000];
} rows;

static rows *table_rows(const cap_influence *c, int nr, int nangle, bool whole)
{
  rows *t = calloc(1, sizeof *t);
  for (int i = 0; i < nr; i++)
    for (int j = 0; j < (whole ? nr : i + 1); j++)
      for (int k = 0; k < nangle; k++) {
        t->r[t->n] = 0.02 + 0.06 * i / (nr - 1), t->r0[t->n] = 0.02 + 0.06 * j / (nr - 1);
        t->angle[t->n] = M_PI * k / (nangle - 1);
        t->value[t->n] = cap_influence_at(c, t->r[t->n], t->angle[t->n], t->r0[t->n], 0.0);
        t->n++;
      }
  return t;
}

static cap_status table_of(cap_arena *arena, const rows *t, cap_influence_table **table, cap_error *error)
{
  return cap_influence_table_make(arena, t->n, t->r, t->r0, t->angle, t->value, table, error);
}

/* A table of the functions gives what they give, exactly at its points and to its fineness between. */
static void table_of_functions(void **state)
{
  (void)state;
  cap_influence c = flanks_sheave(false), by_table = {0};
  cap_arena arena = {0};
  cap_error error;
  cap_influence_table *table;
  rows *t = table_rows(&c, 13, 37, false);
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_OK);
  assert_true(table->asymmetry == 0.0);
  assert_true(table->least > -1e-12);
  by_table.table = table;
  for (int k = 0; k < t->n; k++)
    for (int sign = -1; sign <= 1; sign += 2)
      assert_near(cap_influence_at(&by_table, t->r[k], 1.0 + sign * t->angle[k], t->r0[k], 1.0), t->value[k],
                  1e-20);
  assert_near(cap_influence_at(&by_table, 0.071, 0.4, 0.064, -0.3),
              cap_influence_at(&c, 0.071, 0.4, 0.064, -0.3), 1e-2 * 5e-9);
  assert_near(cap_influence_at(&by_table, 0.9, 0.4, 0.9, 0.4), cap_influence_at(&c, 0.08, 0.4, 0.08, 0.4),
              1e-20);
  enum { N = 90 };
  static double r[N], phi[N], C[N * N];
  for (int i = 0; i < N; i++) r[i] = 0.015 + 0.0008 * i, phi[i] = 0.2 * i - 7.0;
  cap_influence_add(&by_table, N, r, phi, C);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++)
      assert_near(C[i * N + j], cap_influence_at(&by_table, r[i], phi[i], r[j], phi[j]), 1e-22);
  double ahead = cap_influence_at(&by_table, 0.0711, 0.4, 0.064, -0.3);
  double behind = cap_influence_at(&by_table, 0.0709, 0.4, 0.064, -0.3);
  assert_near(cap_influence_slope(&by_table, 0.071, 0.4, 0.064, -0.3), (ahead - behind) / 0.0002, 1e-15);
  free(t);
  cap_arena_free(&arena);
}

/* The table keeps definiteness between its points: forces by Newton without fallback; and they are near those
 * of the functions. */
static void contact_by_table(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_error error;
  cap_maxwell exact = flanks_pulley(true, CAP_MAXWELL_AUTO), m = exact;
  for (int side = 0; side < 2; side++) {
    cap_influence_table *table;
    rows *t = table_rows(&exact.sheave[side], 13, 37, true);
    assert_int_equal(table_of(&arena, t, &table, &error), CAP_OK);
    m.sheave[side] = (cap_influence){.table = table};
    free(t);
  }
  flanks one = flanks_create(&exact, 80), two = flanks_create(&m, 80);
  cap_maxwell_result result;
  for (uint64_t k = 1; k < 30; k++) {
    uint64_t a = k, b = k;
    flanks_scatter(&exact, &one, &a, 3e-4, 1e-4);
    flanks_scatter(&m, &two, &b, 3e-4, 1e-4);
    assert_int_equal(flanks_solve(&exact, &one, &result), CAP_OK);
    assert_int_equal(flanks_solve(&m, &two, &result), CAP_OK);
    assert_false(result.fallback);
    double sum = 0.0, other = 0.0;
    for (int i = 0; i < 80; i++) sum += one.force[0][i], other += two.force[0][i];
    assert_near(other, sum, 0.01 * sum);
  }
  flanks_free(&one);
  flanks_free(&two);
  cap_arena_free(&arena);
}

static void tables_that_are_refused(void **state)
{
  (void)state;
  cap_influence c = flanks_sheave(true);
  cap_arena arena = {0};
  cap_error error;
  cap_influence_table *table;
  rows *t = table_rows(&c, 5, 9, true);
  t->value[3] += 1e-10; /* (r, r0) differs from (r0, r): made symmetric, and told */
  int off = 9 + 3;
  t->value[off] *= 1.1;
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_OK);
  assert_true(table->asymmetry > 0.0);
  double keep = t->angle[4];
  t->angle[4] = 1.0;
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "evenly"));
  t->angle[4] = keep;
  t->n -= 1;
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "missing row"));
  t->n += 1;
  t->r[7] = -1.0;
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "radii above 0 mm"));
  free(t);
  t = table_rows(&c, 5, 9, true);
  for (int k = 0; k < t->n; k++) t->value[k] -= 3e-9 * cos(2.0 * t->angle[k]); /* one harmonic below 0 */
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_OK);
  assert_true(table->least < -1e-3);
  free(t);
  t = table_rows(&c, 5, 9, true);
  for (int k = 0; k < t->n; k++) t->angle[k] *= 0.5;
  assert_int_equal(table_of(&arena, t, &table, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "180 deg"));
  free(t);
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(influence_by_hand),
      cmocka_unit_test(functions_are_the_influence),
      cmocka_unit_test(functions_that_are_not_there),
      cmocka_unit_test(two_flanks_on_a_tilting_sheave),
      cmocka_unit_test(rigid_sheaves),
      cmocka_unit_test(all_forms_agree),
      cmocka_unit_test(hard_flanks_from_cold),
      cmocka_unit_test(answer_does_not_remember),
      cmocka_unit_test(warm_by_identity),
      cmocka_unit_test(tangent_is_the_derivative),
      cmocka_unit_test(table_of_functions),
      cmocka_unit_test(contact_by_table),
      cmocka_unit_test(tables_that_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
