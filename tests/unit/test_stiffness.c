/* Sparse slopes of a model against its dense ones, groups of columns, and the sparse solver with real values.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "linalg/sparse.h"
#include "model/settling.h"
#include "model/stiffness.h"

#define TESTER                                                                                               \
  "capstan: 1\nname: t\ndrive: push-force-tester\nelements: {simulated: %d}\n%s"                             \
  "analyses: [{quasistatic: {until: 1 s}}]\n"

static test_system tester(int n, const char *more)
{
  char text[500];
  snprintf(text, sizeof text, TESTER, n, more);
  return test_system_open(text);
}

/* All values, those that are zero by structure too. */
static void compare(test_system *s, bool sparse)
{
  const cap_model *m = s->m;
  cap_stiffness *k = NULL;
  cap_error error = {0};
  int nv = m->nv;
  double *f = calloc((size_t)nv, sizeof *f), *fq = calloc((size_t)(nv * nv), sizeof *fq);
  double *x = calloc((size_t)m->nx + 1, sizeof *x), *dxdu = calloc((size_t)m->nx + 1, sizeof *dxdu);
  assert_true(f && fq && x && dxdu && cap_stiffness_create(m, &k, &error) == CAP_OK);
  assert_true(k->full != sparse);
  assert_true(cap_equilibrium_forces(m, s->d, s->d->q, f, fq, NULL) == CAP_OK);
  cap_settling_states(m, s->d->q, s->d->x, s->d->q, x, dxdu);
  cap_stiffness_evaluate(k, *s->d->t, s->d->q, x, dxdu);
  double most = 0.0;
  for (int i = 0; i < nv * nv; i++) most = fmax(most, fabs(fq[i]));
  for (int j = 0; j < k->n; j++)
    for (int c = k->start[j]; c < k->start[j + 1]; c++) {
      double *at = &fq[k->coord[k->row[c]] * nv + k->coord[j]];
      assert_true(fabs(-*at - k->values[c]) <= 1e-13 * most);
      *at = 0.0;
    }
  for (int i = 0; i < k->n; i++) {
    assert_true(k->row[k->diagonal[i]] == i);
    for (int j = 0; j < k->n; j++) assert_true(fq[k->coord[i] * nv + k->coord[j]] == 0.0);
  }
  cap_stiffness_free(k);
  free(f), free(fq), free(x), free(dxdu);
}

static void sparse_slopes_are_the_dense_ones(void **state)
{
  (void)state;
  uint64_t seed = 2;
  const char *more[] = {"", "lateral: locked\n", "ring: {refine: 2}\n"};
  for (int k = 0; k < 3; k++) {
    test_system s = tester(6, more[k]);
    for (int i = 0; i < s.m->nv; i++)
      if (s.m->driven[i] < 0) s.d->q[i] += 2e-6 * test_random(&seed, -1.0, 1.0);
    compare(&s, true);
    test_system_close(&s);
  }
  test_system masing = test_system_open(TEST_BELT TEST_MASING TEST_ANY);
  compare(&masing, true);
  test_system_close(&masing);
}

/* Columns of a group share no row, and a longer stack has no more groups. */
static void groups_do_not_grow(void **state)
{
  (void)state;
  int groups[2];
  for (int k = 0; k < 2; k++) {
    test_system s = tester(k ? 80 : 20, "");
    cap_stiffness *m = NULL;
    cap_error error = {0};
    assert_true(cap_stiffness_create(s.m, &m, &error) == CAP_OK);
    groups[k] = m->ngroup;
    int *seen = calloc((size_t)(m->n * m->ngroup), sizeof *seen);
    assert_non_null(seen);
    for (int j = 0; j < m->n; j++)
      for (int c = m->start[j]; c < m->start[j + 1]; c++)
        assert_true(seen[m->row[c] * m->ngroup + m->group[j]]++ == 0);
    free(seen);
    cap_stiffness_free(m);
    test_system_close(&s);
  }
  assert_true(groups[0] == groups[1] && groups[0] < 40);
}

/* Real matrices: solutions, and the sign of the determinant under permutations and signs. */
static void real_systems_have_a_sign(void **state)
{
  (void)state;
  enum { N = 7 };
  uint64_t seed = 11;
  for (int n = 0; n < 200; n++) {
    int start[N + 1], row[N * N], p[N], sign = 1;
    double a[N][N] = {{0}}, values[N * N], x[N], b[N] = {0};
    for (int i = 0; i < N; i++) p[i] = i;
    for (int i = N - 1; i > 0; i--) { /* a permuted triangle: its determinant is known */
      int j = (int)test_random(&seed, 0.0, i + 1.0), swap = p[i];
      p[i] = p[j], p[j] = swap;
      if (i != j) sign = -sign;
    }
    for (int i = 0; i < N; i++)
      for (int j = i; j < N; j++) {
        a[p[i]][j] = i == j ? (test_random(&seed, -1.0, 1.0) < 0.0 ? -1.5 : 1.5)
                            : test_random(&seed, -1.0, 1.0);
        if (i == j && a[p[i]][j] < 0.0) sign = -sign;
      }
    int at = 0;
    for (int j = 0; j < N; j++) {
      start[j] = at;
      for (int i = 0; i < N; i++)
        if (a[i][j] != 0.0) row[at] = i, values[at++] = a[i][j];
    }
    start[N] = at;
    for (int j = 0; j < N; j++) x[j] = test_random(&seed, -1.0, 1.0);
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) b[i] += a[i][j] * x[j];
    capm_sparse *s;
    assert_true(capm_sparse_create(N, start, row, &s) == CAP_OK);
    for (int again = 0; again < 2; again++) {
      double y[N];
      memcpy(y, b, sizeof y);
      assert_true(capm_sparse_factor_real(s, values) == CAP_OK);
      assert_true(capm_sparse_solve_real(s, 1, y) == CAP_OK);
      assert_int_equal(capm_sparse_sign(s), sign);
      for (int j = 0; j < N; j++) assert_true(fabs(y[j] - x[j]) < 1e-11);
    }
    capm_sparse_free(s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(sparse_slopes_are_the_dense_ones),
                                     cmocka_unit_test(groups_do_not_grow),
                                     cmocka_unit_test(real_systems_have_a_sign)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
