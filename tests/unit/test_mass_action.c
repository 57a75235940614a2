/* The mass-action matrix G = W' M^-1 W: equal to that of dense matrices by every way and in every form,
 * symmetric to the last bit, with the pattern of the bodies that contacts share. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/allocations.h"
#include "../support/mass_web.h"
#include "model/builder.h"

static double largest(int n, const double *g)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(g[i]));
  return most;
}

static void assert_same(int n, const double *g, const double *reference)
{
  double size = largest(n * n, reference);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      if (!(fabs(g[r * n + c] - reference[r * n + c]) <= 1e-12 * size))
        fail_msg("row %d column %d: %.17g, expected %.17g", r, c, g[r * n + c], reference[r * n + c]);
      assert_true(g[r * n + c] == g[c * n + r]);
    }
}

/* The compressed form has the entries of the dense one, and just those of rows that share a body. */
static void assert_compressed(cap_mass_action *a, int n, const double *g, bool (*share)(int r, int c))
{
  const int *start, *column;
  const double *value;
  assert_int_equal(cap_mass_action_sparse(a, &start, &column, &value), CAP_OK);
  int count = 0;
  for (int r = 0; r < n; r++) {
    assert_int_equal(start[r], count);
    for (int c = 0; c < n; c++) {
      if (!share(r, c)) {
        assert_true(g[r * n + c] == 0.0);
        continue;
      }
      assert_int_equal(column[count], c);
      assert_true(value[count] == g[r * n + c]);
      count++;
    }
  }
  assert_int_equal(start[n], count);
  cap_mass_action_count counts;
  assert_int_equal(cap_mass_action_counts(a, &counts), CAP_OK);
  assert_int_equal(counts.g, count);
}

static bool share_all(int r, int c)
{
  (void)r, (void)c;
  return true;
}

static bool share_element(int r, int c)
{
  return r / WEB_ROWS == c / WEB_ROWS;
}

static cap_mass_action *of_web(web *w)
{
  cap_mass_action *a;
  assert_true(w->block.type->factor(&w->block, NULL, w->work));
  assert_int_equal(cap_mass_action_create(w->nv, w->inverse_mass, 1, &w->block, &a), CAP_OK);
  return a;
}

static void blocks_give_what_dense_matrices_give(void **state)
{
  (void)state;
  const int sizes[][2] = {{3, 1}, {3, 4}, {4, 40}, {10, 60}};
  for (int k = 0; k < 8; k++) {
    web w;
    web_init(&w, sizes[k / 2][0], sizes[k / 2][1], k % 2);
    cap_mass_action *a = of_web(&w);
    double *reference = web_reference(&w), *g = calloc((size_t)w.nrow * w.nrow, sizeof(double));
    assert_non_null(g);
    for (int way = 0; way < 2; way++) {
      cap_mass_action_choose(a, way ? CAP_MASS_ACTION_HALF : CAP_MASS_ACTION_SOLVE);
      assert_int_equal(cap_mass_action_take(a, w.work, &w.rows), CAP_OK);
      cap_mass_action_dense(a, g);
      assert_same(w.nrow, g, reference);
      assert_compressed(a, w.nrow, g, share_all);
    }
    free(g);
    free(reference);
    cap_mass_action_free(a);
    web_free(&w);
  }
}

static void sparse_factors_give_what_dense_matrices_give(void **state)
{
  (void)state;
  for (int dense = 0; dense < 2; dense++) {
    web w;
    web_init(&w, 8, 30, dense);
    double *reference = web_reference(&w), *g = calloc((size_t)w.nrow * w.nrow, sizeof(double));
    int room = w.nring * w.nring + w.nv;
    int *start = calloc((size_t)w.nv + 1, sizeof(int)), *row = calloc((size_t)room, sizeof(int));
    double *values = calloc((size_t)room, sizeof(double));
    assert_true(g && start && row && values);
    web_compress(&w, start, row, values);
    capm_cholesky_sparse *c;
    cap_mass_action *a;
    assert_int_equal(capm_cholesky_sparse_create(w.nv, start, row, &c), CAP_OK);
    assert_int_equal(capm_cholesky_sparse_factor(c, values), CAP_OK);
    assert_int_equal(cap_mass_action_of_sparse(c, &a), CAP_OK);
    assert_int_equal(cap_mass_action_take(a, NULL, &w.rows), CAP_OK);
    cap_mass_action_dense(a, g);
    assert_same(w.nrow, g, reference);
    assert_compressed(a, w.nrow, g, share_all);
    values[start[w.nring]] = 0.0; /* an element without mass */
    assert_int_equal(capm_cholesky_sparse_factor(c, values), CAP_ERR_NUMERICS);
    cap_mass_action_free(a);
    capm_cholesky_sparse_free(c);
    free(start);
    free(row);
    free(values);
    free(g);
    free(reference);
    web_free(&w);
  }
}

/* Rows of elements alone: those of one element share it, others nothing; and a ring whose motion is imposed
 * couples nothing. */
static void contacts_that_share_nothing_leave_no_entries(void **state)
{
  (void)state;
  web w;
  web_init(&w, 5, 20, false);
  cap_mass_action *a;
  double *g = calloc((size_t)w.nrow * w.nrow, sizeof(double));
  assert_non_null(g);
  assert_int_equal(cap_mass_action_create(w.nv, w.inverse_mass, 0, NULL, &a), CAP_OK); /* ring: 1/m = 0 */
  assert_int_equal(cap_mass_action_take(a, NULL, &w.rows), CAP_OK);
  cap_mass_action_dense(a, g);
  assert_compressed(a, w.nrow, g, share_element);
  for (int r = 0; r < w.nrow; r++)
    for (int c = 0; c < w.nrow; c++) {
      double sum = 0.0;
      for (int k = 10; k < WEB_ENTRIES && share_element(r, c); k++)
        sum += w.value[r * WEB_ENTRIES + k] * w.value[c * WEB_ENTRIES + k] *
               w.inverse_mass[w.coord[r * WEB_ENTRIES + k]];
      assert_true(fabs(g[r * w.nrow + c] - sum) <= 1e-13 * largest(w.nrow * w.nrow, g));
    }
  cap_mass_action_free(a);
  free(g);
  web_free(&w);
}

/* Rows in another order, so that those of an element lie apart and only some touch the ring: lists take the
 * place of windows. A coordinate that stands twice in a row counts twice. */
static void order_of_rows_does_not_matter(void **state)
{
  (void)state;
  web w;
  web_init(&w, 5, 24, true);
  for (int r = 0; r < w.nrow; r++)
    if (r % 5 != 0 || r > 30) /* most rows leave the ring: the coordinate of the element instead, twice */
      for (int p = w.start[r]; p < w.start[r] + 10; p++) w.coord[p] = w.coord[w.start[r] + 10];
  double *reference = web_reference(&w), *g = calloc((size_t)w.nrow * w.nrow, sizeof(double));
  int *place = calloc((size_t)w.nrow, sizeof(int));
  assert_true(g && place);
  for (int r = 0; r < w.nrow; r++) place[r] = r * 29 % w.nrow;
  web turned;
  web_init(&turned, 5, 24, true);
  for (int r = 0; r < w.nrow; r++) {
    memcpy(turned.coord + r * WEB_ENTRIES, w.coord + place[r] * WEB_ENTRIES, WEB_ENTRIES * sizeof(int));
    memcpy(turned.value + r * WEB_ENTRIES, w.value + place[r] * WEB_ENTRIES, WEB_ENTRIES * sizeof(double));
  }
  cap_mass_action *a = of_web(&turned);
  for (int way = 0; way < 2; way++) {
    cap_mass_action_choose(a, way ? CAP_MASS_ACTION_HALF : CAP_MASS_ACTION_SOLVE);
    assert_int_equal(cap_mass_action_take(a, turned.work, &turned.rows), CAP_OK);
    cap_mass_action_dense(a, g);
    double size = largest(w.nrow * w.nrow, reference);
    for (int r = 0; r < w.nrow; r++)
      for (int c = 0; c < w.nrow; c++)
        assert_true(fabs(g[r * w.nrow + c] - reference[place[r] * w.nrow + place[c]]) <= 1e-12 * size);
    const int *start, *column;
    const double *value;
    assert_int_equal(cap_mass_action_sparse(a, &start, &column, &value), CAP_OK);
    assert_true(start[w.nrow] < w.nrow * w.nrow / 4);
    for (int r = 0; r < w.nrow; r++)
      for (int p = start[r]; p < start[r + 1]; p++) {
        assert_true(value[p] == g[r * w.nrow + column[p]]);
        g[r * w.nrow + column[p]] = 0.0;
      }
    assert_true(largest(w.nrow * w.nrow, g) == 0.0);
  }
  cap_mass_action_free(a);
  free(place);
  free(g);
  free(reference);
  web_free(&turned);
  web_free(&w);
}

/* W' (v+ - v) of a push is G lambda. */
static void push_is_the_action_of_g(void **state)
{
  (void)state;
  web w;
  web_init(&w, 6, 25, true);
  cap_mass_action *a = of_web(&w);
  double *g = calloc((size_t)w.nrow * w.nrow, sizeof(double)), *v = calloc((size_t)w.nv, sizeof(double));
  double *lambda = calloc((size_t)w.nrow, sizeof(double));
  assert_true(g && v && lambda);
  for (int r = 0; r < w.nrow; r++) lambda[r] = web_draw(&w);
  assert_int_equal(cap_mass_action_take(a, w.work, &w.rows), CAP_OK);
  cap_mass_action_dense(a, g);
  for (int repeat = 1; repeat <= 2; repeat++) { /* adds, and leaves nothing behind */
    cap_mass_action_push(a, lambda, v);
    double size = largest(w.nrow * w.nrow, g);
    for (int r = 0; r < w.nrow; r++) {
      double rate = 0.0, wanted = 0.0;
      for (int p = w.start[r]; p < w.start[r + 1]; p++) rate += w.value[p] * v[w.coord[p]];
      for (int c = 0; c < w.nrow; c++) wanted += g[r * w.nrow + c] * lambda[c];
      assert_true(fabs(rate - repeat * wanted) < 1e-12 * size * w.nrow);
    }
  }
  cap_mass_action_free(a);
  free(g);
  free(v);
  free(lambda);
  web_free(&w);
}

/* The masses of a model: a coordinate whose motion is imposed does not answer; a ring after a free body. */
static void masses_of_a_model(void **state)
{
  (void)state;
  web w;
  web_init(&w, 3, 1, true);
  cap_builder *b = cap_builder_create(1);
  cap_error error;
  cap_model *m;
  assert_non_null(b);
  cap_builder_dof(b, "body", "m", 4.0, 0.0, 0.0);
  cap_motion motion = {.amplitude = 1.0, .angular_frequency = 1.0};
  cap_builder_driven(b, "pulley", "m", &motion);
  for (int i = 0; i < w.nring; i++) cap_builder_dof(b, "ring", "m", 1.0, 0.0, 0.0);
  cap_builder_inertia(b, &web_ring_type, 2, w.nring, &w);
  assert_int_equal(cap_builder_finish(b, &m, &error), CAP_OK);
  const int start[] = {0, 2, 5}, coord[] = {0, 1, 0, 1, 4};
  const double value[] = {1.0, 7.0, 2.0, 9.0, 3.0};
  cap_mass_action_rows rows = {2, start, coord, value};
  cap_mass_action *a;
  double g[4], unit[14] = {[2] = 1.0};
  double *work = calloc((size_t)m->ninertia_work, sizeof(double));
  assert_non_null(work);
  assert_true(cap_inertia_factor(m, m->initial, work));
  assert_int_equal(cap_mass_action_of_model(m, &a), CAP_OK);
  assert_int_equal(cap_mass_action_take(a, work, &rows), CAP_OK);
  cap_mass_action_dense(a, g);
  web_solve(&m->inertias[0], work, 1, unit);
  assert_true(fabs(g[0] - 0.25) < 1e-15 && fabs(g[1] - 0.5) < 1e-15 && g[2] == g[1]);
  assert_true(fabs(g[3] - 1.0 - 9.0 * unit[2]) < 1e-12 * g[3]);
  free(work);
  cap_mass_action_free(a);
  cap_model_free(m);
  cap_builder_free(b);
  web_free(&w);
}

static void warm_calls_do_not_allocate_and_repeat_to_the_bit(void **state)
{
  (void)state;
  test_count_allocations();
  web w;
  web_init(&w, 6, 25, true);
  cap_mass_action *a = of_web(&w);
  size_t size = (size_t)w.nrow * w.nrow * sizeof(double);
  double *g = malloc(size), *again = malloc(size);
  const int *start, *column;
  const double *value;
  assert_true(g && again);
  for (int way = 0; way < 2; way++) {
    long before = 0;
    cap_mass_action_choose(a, way ? CAP_MASS_ACTION_HALF : CAP_MASS_ACTION_SOLVE);
    for (int repeat = 0; repeat < 3; repeat++) {
      cap_mass_action_rows fewer = w.rows;
      if (repeat == 1) fewer.n -= 7;
      if (repeat == 1) before = test_allocations;
      assert_int_equal(cap_mass_action_take(a, w.work, &fewer), CAP_OK);
      cap_mass_action_dense(a, repeat == 0 ? g : again);
      assert_int_equal(cap_mass_action_sparse(a, &start, &column, &value), CAP_OK);
    }
    assert_int_equal(test_allocations, before);
    assert_memory_equal(g, again, size);
  }
  free(g);
  free(again);
  cap_mass_action_free(a);
  web_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_give_what_dense_matrices_give),
                                     cmocka_unit_test(sparse_factors_give_what_dense_matrices_give),
                                     cmocka_unit_test(contacts_that_share_nothing_leave_no_entries),
                                     cmocka_unit_test(order_of_rows_does_not_matter),
                                     cmocka_unit_test(push_is_the_action_of_g),
                                     cmocka_unit_test(masses_of_a_model),
                                     cmocka_unit_test(warm_calls_do_not_allocate_and_repeat_to_the_bit)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
