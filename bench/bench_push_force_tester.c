/* bench/bench_push_force_tester.c — us of a Newton iteration of the quasi-static analysis of pressed elements
 * and how it grows, and ms of whole runs. */
#include "analysis/statics/quasistatic_newton.h"
#include "bench.h"
#include "bench_model.h"

#include <math.h>
#include <stdlib.h>

/* ---- Newton -------------------------------------------------------------------------------------------- */

typedef struct test {
  cap_model *model;
  cap_quasistatic_newton newton;
  double *v, *before;
  int iterations, steps;
} test;

/* The stack pressed in equal steps, from extrapolated starts. */
static void iterate(void *self)
{
  test *k = self;
  cap_quasistatic_newton *w = &k->newton;
  k->iterations = 0;
  memcpy(w->q, k->model->initial, sizeof(double) * (size_t)k->model->nv);
  memcpy(k->before, w->q, sizeof(double) * (size_t)k->model->nv);
  for (int i = 1; i <= k->steps; i++) {
    double t = (double)i / k->steps;
    for (int c = 0; c < k->model->nv; c++) {
      double last = w->q[c];
      w->q[c] += last - k->before[c];
      k->before[c] = last;
    }
    cap_model_drive(k->model, NULL, &t, w->q, k->v, NULL);
    if (cap_quasistatic_newton_solve(w, t) != CAP_OK) exit(1);
    k->iterations += w->iterations;
  }
}

static void newton(bench_table *table, int n)
{
  test k = {.steps = 120};
  char simulated[64], real[64], compression[64];
  const char *settings[] = {simulated, real, compression};
  cap_error error = {0};
  snprintf(simulated, sizeof simulated, "elements.simulated=%d", n);
  snprintf(real, sizeof real, "elements.real=%d", n > 100 ? n : 100);
  /* long stacks are pressed less: they would evade further than the rings allow */
  snprintf(compression, sizeof compression, "press.compression=%g", n > 100 ? 3e-4 : 1.2e-3);
  cap_model_file *file = bench_example("push_force_tester", 3, settings);
  bench_need(cap_execute_build(file, &k.model, &error), &error);
  bench_need(cap_quasistatic_newton_create(k.model, &k.newton, &error), &error);
  k.v = calloc((size_t)k.model->nv, sizeof *k.v);
  k.before = calloc((size_t)k.model->nv, sizeof *k.before);
  if (!k.v || !k.before) exit(1);
  k.newton.tol_h = 1e-6, k.newton.tol_f = 1e-9, k.newton.most = 40;
  double took = bench_best(iterate, &k, 0.2);
  bench_row(table, "Newton iteration", n, took / k.iterations * 1e6, "us");
  bench_row(table, "Newton iteration an element", n, took / k.iterations / n * 1e6, "us/element");
  bench_row(table, "120 steps", n, took * 1e3, "ms");
  cap_quasistatic_newton_free(&k.newton);
  free(k.v);
  free(k.before);
  cap_model_free(k.model);
  cap_model_file_free(file);
}

int main(int argc, char **argv)
{
  const int elements[] = {15, 30, 60, 100, 400};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int i = 0; i < 5; i++) newton(&table, elements[i]);
  return bench_close(&table);
}
