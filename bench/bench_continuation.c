/* Continuation: what an accepted point costs, with and without the problem's own functions, over the number
 * of unknowns; what locating a fold costs; Jacobians a point. Dense: Chandrasekhar's H-equation, whose
 * Jacobian is full; structured: Bratu's u'' + p e^u = 0 with tridiagonal factors. */
#include "bench.h"
#include "solve/continuation/continuation.h"

#include "../tests/support/curve.h"

typedef struct path_case {
  curve_beam beam;
  double scale[CURVE_WIDTH], x[CURVE_WIDTH];
  cap_continuation_problem problem;
  cap_continuation *c;
  cap_continuation_start start;
  cap_continuation_result result;
  long points;
} path_case;

/* x_i (1 - p/2n sum_j mu_i x_j / (mu_i + mu_j)) = 1 with mu at the middles of n intervals. */
static cap_status full_jacobian(void *self, const double *x, double p, double *f, double *fx, double *fp)
{
  int n = ((path_case *)self)->beam.n;
  for (int i = 0; i < n; i++) {
    double sum = 0.0, mu = (i + 0.5) / n, share = 0.5 * p * mu * x[i] / n;
    for (int j = 0; j < n; j++) {
      double part = 1.0 / (mu + (j + 0.5) / n);
      sum += x[j] * part;
      if (fx) fx[i * n + j] = -share * part;
    }
    double factor = 1.0 - 0.5 * p * mu * sum / n;
    f[i] = x[i] * factor - 1.0;
    fp[i] = -0.5 * mu * x[i] * sum / n;
    if (fx) fx[i * n + i] += factor;
  }
  return CAP_OK;
}

static cap_status full_residual(void *self, const double *x, double p, double *f)
{
  static double fp[CURVE_WIDTH];
  return full_jacobian(self, x, p, f, NULL, fp);
}

static bool count_points(void *self, const cap_continuation_point *point)
{
  ((path_case *)self)->points += point->kind == CAP_CONTINUATION_REGULAR;
  return true;
}

static void run_path(void *self)
{
  path_case *t = self;
  t->points = 0;
  cap_error error;
  if (cap_continuation_run(t->c, &t->start, 1, count_points, t, &t->result, &error) != CAP_OK)
    printf("%s\n", error.text);
}

/* The functions alone, as often as the run calls them. */
static void run_functions(void *self)
{
  path_case *t = self;
  static double fx[CURVE_WIDTH * CURVE_WIDTH], f[CURVE_WIDTH], fp[CURVE_WIDTH];
  for (long i = 0; i < t->result.nevaluation; i++)
    t->problem.jacobian(t->problem.self, t->x, 1.0, f, t->problem.factor ? NULL : fx, fp);
}

static int prepare(path_case *t, int n, bool structured, const cap_continuation_options *options)
{
  memset(t, 0, sizeof *t);
  t->beam.n = n;
  for (int i = 0; i < n; i++) t->scale[i] = sqrt(n), t->x[i] = structured ? 0.0 : 1.0;
  t->problem = (cap_continuation_problem){
      .n = n, .self = t, .residual = full_residual, .jacobian = full_jacobian};
  if (structured) t->problem = curve_beam_problem(&t->beam, true);
  t->problem.x_scale = t->scale;
  t->start = (cap_continuation_start){.x = t->x, .p = 0.2};
  cap_error error;
  return cap_continuation_create(&t->problem, options, &t->c, &error) != CAP_OK;
}

static int bench_size(bench_table *table, int n, bool structured)
{
  static path_case t;
  cap_continuation_options options = {.step = 0.02, .step_max = 0.02, .p_min = 0.2, .p_max = 10.0};
  if (prepare(&t, n, structured, &options)) return 1;
  double took = bench_best(run_path, &t, 0.2), functions = bench_best(run_functions, &t, 0.1);
  bench_row(table, structured ? "tridiagonal" : "dense", n, 1e6 * took / (double)t.points, "us/point");
  bench_row(table, structured ? "tridiagonal: of it the core" : "dense: of it the core", n,
            1e6 * (took - functions) / (double)t.points, "us/point");
  if (n == 25)
    bench_row(table, structured ? "tridiagonal: Jacobians" : "dense: Jacobians", n,
              (double)t.result.nevaluation / (double)t.points, "a point");
  cap_continuation_free(t.c);
  return 0;
}

static int bench_fold(bench_table *table, int n)
{
  static path_case cases[2];
  double took[2];
  for (int i = 0; i < 2; i++) {
    cap_continuation_options options = {.step = 0.1, .p_min = 0.2, .p_max = 10.0, .skip_folds = i == 1};
    if (prepare(&cases[i], n, false, &options)) return 1;
    took[i] = bench_best(run_path, &cases[i], 0.2);
    cap_continuation_free(cases[i].c);
  }
  bench_row(table, "locating a fold", n, 1e6 * (took[0] - took[1]), "us");
  bench_row(table, "locating a fold: Jacobians", n,
            (double)(cases[0].result.nevaluation - cases[1].result.nevaluation), "1");
  return 0;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  const int sizes[] = {2, 5, 12, 25, 50, 100, 200};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    if (bench_size(&table, sizes[i], false) || bench_size(&table, sizes[i], true)) return 1;
  if (bench_fold(&table, 25)) return 1;
  return bench_close(&table);
}
