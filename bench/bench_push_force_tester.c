/* bench/bench_push_force_tester.c — ns a joint of the kernel that presses elements on each other, us of a
 * Newton iteration of the quasi-static analysis and how it grows, and ms of whole runs. */
#include "analysis/quasistatic_newton.h"
#include "bench.h"
#include "bench_model.h"
#include "contact/press.h"

#include <math.h>
#include <stdlib.h>

enum { MOST = 4096 };

/* ---- kernel -------------------------------------------------------------------------------------------- */

typedef struct chain {
  int n;
  cap_press_shape shape;
  double x[MOST + 1], y[MOST + 1], p[MOST + 1], c[MOST + 1], s[MOST + 1], vx[MOST + 1], vy[MOST + 1],
      w[MOST + 1];
  double edge_along[MOST], head_along[MOST], back[MOST], per[MOST];
  double fx[MOST], fy[MOST], mi[MOST], mj[MOST], edge[MOST], head[MOST];
} chain;

static void lay_chain(chain *k, int n)
{
  const double t = 1.5e-3;
  const capm_compression law = capm_compression_of(5e6, 4e-4, 7500.0);
  k->n = n;
  for (int i = 0; i <= n; i++) {
    k->x[i] = i * t * (1.0 - 5e-4) + 2e-7 * sin(3.7 * i);
    k->y[i] = 1e-5 * sin(0.1 * i);
    k->p[i] = -1e-4 * i;
    k->c[i] = cos(k->p[i]), k->s[i] = sin(k->p[i]);
    k->vx[i] = 11.0 + 1e-3 * sin(1.3 * i), k->vy[i] = 1e-3, k->w[i] = 0.1 * cos(1.0 * i);
  }
  for (int i = 0; i < n; i++) {
    k->edge_along[i] = 0.5 * t - 4e-3, k->head_along[i] = 0.5 * t;
    k->back[i] = 0.5 * t, k->per[i] = 1.0 / t;
  }
  k->shape = (cap_press_shape){.edge = {k->edge_along, k->back, k->per, -0.97e-3, 4e-3, 0.0855, law},
                               .head = {k->head_along, k->back, k->per, 4.93e-3, 0.0, 0.0, law},
                               .damping = 1e-7,
                               .friction = 0.1,
                               .velocity = 0.01};
}

static void press(void *self)
{
  chain *k = self;
  cap_press_chain(k->n, &k->shape, &(cap_press_bodies){k->x, k->y, k->p, k->c, k->s, k->vx, k->vy, k->w},
                  &(cap_press_forces){k->fx, k->fy, k->mi, k->mj, k->edge, k->head});
}

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
    cap_model_drive(k->model, &t, w->q, k->v, NULL);
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
  static chain k;
  const int joints[] = {64, 437, 4096}, elements[] = {15, 30, 60, 100, 400};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int i = 0; i < 3; i++) {
    lay_chain(&k, joints[i]);
    bench_row(&table, "press, edge and head", joints[i], bench_best(press, &k, 0.2) / joints[i] * 1e9,
              "ns/joint");
  }
  for (int i = 0; i < 5; i++) newton(&table, elements[i]);
  return bench_close(&table);
}
