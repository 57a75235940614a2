/* Every allocation of the continuation core may fail: the call says so and leaves nothing behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "../support/curve.h"
#include "../support/failing.h"

static void create_survives_every_failure(void **state)
{
  (void)state;
  static curve_beam beam = {.n = 150};
  cap_continuation_problem problem = curve_beam_problem(&beam, false);
  cap_status status = CAP_ERR_NOMEM;
  int failures = 0;
  for (long k = 0; status != CAP_OK; k++) {
    cap_continuation *c = NULL;
    cap_error error = {0};
    countdown = k;
    status = cap_continuation_create(&problem, NULL, &c, &error);
    countdown = -1;
    if (status != CAP_OK) {
      assert_int_equal(status, CAP_ERR_NOMEM);
      assert_null(c);
      assert_true(strlen(error.text) > 10);
      failures++;
    }
    cap_continuation_free(c);
  }
  assert_true(failures >= 3);
}

/* x^3 - q x - p, as one of many equal unknowns: large enough for several blocks of memory. */
enum { MANY = 120 };
static cap_status many_jacobian(void *self, const double *x, double p, double q, double *f, double *fx,
                                double *fp, double *fq)
{
  (void)self;
  memset(fx, 0, MANY * MANY * sizeof *fx);
  for (int i = 0; i < MANY; i++) {
    f[i] = i ? x[i] - x[0] : x[0] * x[0] * x[0] - q * x[0] - p;
    fp[i] = i ? 0.0 : -1.0;
    fq[i] = i ? 0.0 : -x[0];
    if (i) fx[MANY * i + i] = 1.0, fx[MANY * i] = -1.0;
  }
  fx[0] = 3.0 * x[0] * x[0] - q;
  return CAP_OK;
}

static bool first_point_only(void *self, const cap_continuation_point *point)
{
  (void)point;
  ++*(int *)self;
  return false;
}

static void fold_curves_survive_every_failure(void **state)
{
  (void)state;
  static double x[MANY];
  for (int i = 0; i < MANY; i++) x[i] = 1.0;
  cap_continuation_family family = {.n = MANY, .jacobian = many_jacobian};
  cap_status status = CAP_ERR_NOMEM;
  int failures = 0, points = 0;
  for (long k = 0; status != CAP_OK; k++) {
    cap_continuation_result result;
    cap_error error = {0};
    countdown = k;
    status = cap_continuation_fold(&family, NULL, x, -2.0, 3.0, 1, first_point_only, &points, &result,
                                   &error);
    countdown = -1;
    if (status == CAP_OK) break;
    assert_int_equal(status, CAP_ERR_NOMEM);
    failures++;
  }
  assert_true(failures >= 4);
  assert_int_equal(points, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(create_survives_every_failure),
      cmocka_unit_test(fold_curves_survive_every_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
