/* The mass-action matrix of a variator's set-valued contacts, from the rows and masses of a step of its run:
 * sparse factors and blocks give what dense elimination does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/mass_belt.h"
#include "../support/system.h"
#include "drives/pushbelt/impulses/pushbelt_impulses.h"
#include "step/staggered_held.h"

enum { ELEMENTS = 60 };

static const char model[] = "capstan: 1\nname: t\ndrive: variator\nratio: 0.47\n"
                            "elements: {simulated: 60}\nring: {nodes: 32, mesh: uniform}\n"
                            "guide: {sticking: set-valued}\nflank: {sticking: set-valued}\n"
                            "primary: {speed: 2000 rpm}\nsecondary: {torque: -22 N m, clamping: 4874 N}\n"
                            "analyses: [{transient: {until: 1 s}}]\n";

static void assert_same(int n, const double *g, const double *reference)
{
  double size = 0.0;
  for (int i = 0; i < n * n; i++) size = fmax(size, fabs(reference[i]));
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      if (!(fabs(g[r * n + c] - reference[r * n + c]) <= 1e-12 * size))
        fail_msg("row %d column %d: %.17g, expected %.17g", r, c, g[r * n + c], reference[r * n + c]);
      assert_true(g[r * n + c] == g[c * n + r]);
    }
}

static void by_sparse_factors(const web *w, double *g)
{
  size_t most = (size_t)w->nring * (size_t)w->nring + (size_t)w->nv;
  int *start = calloc((size_t)w->nv + 1, sizeof *start), *row = calloc(most, sizeof *row);
  double *values = calloc(most, sizeof *values);
  capm_cholesky_sparse *whole;
  cap_mass_action *a;
  assert_true(start && row && values);
  web_compress(w, start, row, values);
  assert_int_equal(capm_cholesky_sparse_create(w->nv, start, row, &whole), CAP_OK);
  assert_int_equal(capm_cholesky_sparse_factor(whole, values), CAP_OK);
  assert_int_equal(cap_mass_action_of_sparse(whole, &a), CAP_OK);
  assert_int_equal(cap_mass_action_take(a, NULL, &w->rows), CAP_OK);
  cap_mass_action_dense(a, g);
  cap_mass_action_free(a);
  capm_cholesky_sparse_free(whole);
  free(start);
  free(row);
  free(values);
}

static void by_blocks(const web *w, double *g)
{
  cap_mass_action *a;
  assert_true(w->block.type->factor(&w->block, NULL, w->work));
  assert_int_equal(cap_mass_action_create(w->nv, w->inverse_mass, 1, &w->block, &a), CAP_OK);
  assert_int_equal(cap_mass_action_take(a, w->work, &w->rows), CAP_OK);
  cap_mass_action_dense(a, g);
  cap_mass_action_free(a);
}

static void sparse_is_dense(void **state)
{
  (void)state;
  test_system s = test_system_open(model);
  cap_stepper stepper = test_stepper(&s, &cap_multirate_type, 0.0, 1e-10, true);
  test_advance(&s, &stepper, 1e-4, NULL);
  web w;
  belt_init(&w, cap_pushbelt_impulses_leaves(cap_staggered_held_solver(stepper.memory)));
  assert_int_equal(w.nv, 4 * 32 + CAP_LEAVES_BORDER + 3 * ELEMENTS);
  assert_true(w.nrow > 2 * ELEMENTS && w.nrow < 4 * ELEMENTS); /* one each, and three where a flank touches */
  double *reference = web_reference(&w), *g = calloc((size_t)w.nrow * (size_t)w.nrow, sizeof *g);
  assert_non_null(g);
  by_sparse_factors(&w, g);
  assert_same(w.nrow, g, reference);
  by_blocks(&w, g);
  assert_same(w.nrow, g, reference);
  free(g);
  free(reference);
  web_free(&w);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_is_dense)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
