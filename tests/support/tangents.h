/* tests/support/tangents.h — tangents of a whole system against central differences. Include after system.h.
 */
#pragma once

enum { TANGENTS_MOST = 64 };

/* At the state y[nstate], except along driven coordinates; steps are 1e-6 of values, at least of `size`. */
static inline void test_tangents_at(const test_system *s, double *y, double size)
{
  static double dy[TANGENTS_MOST * TANGENTS_MOST], rate[TANGENTS_MOST], h[TANGENTS_MOST];
  static double tangent[TANGENTS_MOST * TANGENTS_MOST], dh[TANGENTS_MOST * TANGENTS_MOST];
  int n = s->m->nstate, nv = s->m->nv;
  assert_true(n <= TANGENTS_MOST);
  memset(dy, 0, sizeof dy);
  for (int i = 0; i < n; i++) dy[i * (n + 1)] = 1.0;
  cap_eval e = {.nlane = 1, .ncol = n, .t = s->d->t, .h = h, .dh = dh, .inertia_work = s->d->inertia_work};
  cap_model_derivative(s->m, &e, y, dy, rate, tangent);
  for (int j = 0; j < n; j++) {
    double up[TANGENTS_MOST], down[TANGENTS_MOST], step = 1e-6 * fmax(fabs(y[j]), size), kept = y[j];
    cap_eval plain = {.nlane = 1, .t = s->d->t, .h = h, .inertia_work = s->d->inertia_work};
    if (j < 2 * nv && s->m->driven[j % nv] >= 0) continue;
    y[j] = kept + step;
    cap_model_derivative(s->m, &plain, y, NULL, up, NULL);
    y[j] = kept - step;
    cap_model_derivative(s->m, &plain, y, NULL, down, NULL);
    y[j] = kept;
    for (int i = 0; i < n; i++) {
      double slope = (up[i] - down[i]) / (2.0 * step), error = fabs(slope - tangent[i * n + j]);
      if (!(error <= 1e-6 * fabs(slope) + 1e-9 * (fabs(up[i]) + 1.0) / step))
        fail_msg("rate %d over state %d: %.9g, by differences %.9g", i, j, tangent[i * n + j], slope);
    }
  }
}

/* About the state in s->d, with velocities of the free coordinates and everything else off
 * by parts of `off`. */
static inline void test_tangents(const test_system *s, double off)
{
  double y[TANGENTS_MOST];
  int n = s->m->nstate, nv = s->m->nv;
  uint64_t seed = 5;
  assert_true(n <= TANGENTS_MOST);
  for (int i = 0; i < n; i++) {
    double size = fabs(s->d->y[i]) + (i >= nv && i < 2 * nv ? 1e3 : 0.0) + 1e-4 / (off + 1e-12) * (i < nv);
    y[i] = s->d->y[i] + off * size * test_random(&seed, -1.0, 1.0);
  }
  test_tangents_at(s, y, 1e-2);
}
