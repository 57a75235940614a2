/* Sparse factors and mass-action matrices whose allocations fail one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/failing.h"
#include "../support/mass_web.h"

/* From the pattern to both forms of G; false: out of memory, told so. */
static bool whole(web *w, const int *start, const int *row, const double *values, double *g)
{
  capm_cholesky_sparse *c = NULL;
  cap_mass_action *a = NULL, *b = NULL;
  const int *g_start, *g_column;
  const double *g_value;
  cap_status status = capm_cholesky_sparse_create(w->nv, start, row, &c);
  if (status == CAP_OK) status = capm_cholesky_sparse_factor(c, values);
  if (status == CAP_OK) status = cap_mass_action_of_sparse(c, &a);
  if (status == CAP_OK) status = cap_mass_action_take(a, NULL, &w->rows);
  if (status == CAP_OK) status = cap_mass_action_sparse(a, &g_start, &g_column, &g_value);
  if (status == CAP_OK) status = cap_mass_action_create(w->nv, w->inverse_mass, 1, &w->block, &b);
  for (int way = 0; way < 2 && status == CAP_OK; way++) {
    cap_mass_action_choose(b, way ? CAP_MASS_ACTION_HALF : CAP_MASS_ACTION_SOLVE);
    status = cap_mass_action_take(b, w->work, &w->rows);
    if (status == CAP_OK) cap_mass_action_dense(b, g);
  }
  cap_mass_action_free(a);
  cap_mass_action_free(b);
  capm_cholesky_sparse_free(c);
  assert_true(status == CAP_OK || status == CAP_ERR_NOMEM);
  return status == CAP_OK;
}

static void every_allocation_may_fail(void **state)
{
  (void)state;
  web w;
  web_init(&w, 4, 20, false);
  int room = w.nring * w.nring + w.nv;
  int *start = calloc((size_t)w.nv + 1, sizeof(int)), *row = calloc((size_t)room, sizeof(int));
  double *values = calloc((size_t)room, sizeof(double)), *g = calloc((size_t)w.nrow * w.nrow, sizeof(double));
  assert_true(start && row && values && g);
  web_compress(&w, start, row, values);
  assert_true(w.block.type->factor(&w.block, NULL, w.work));
  int failures = 0;
  for (long k = 0;; k++) {
    countdown = k;
    struck = false;
    bool done = whole(&w, start, row, values, g);
    countdown = -1;
    assert_true(done == !struck);
    if (done) break;
    failures++;
  }
  assert_true(failures > 20);
  free(start);
  free(row);
  free(values);
  free(g);
  web_free(&w);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
