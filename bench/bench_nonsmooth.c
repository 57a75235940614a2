/* bench/bench_nonsmooth.c — what a step of set-valued contacts costs over their number, by every solver; the
 * peer, Siconos Numerics, in the same run where it is built in.
 *
 * A row of discs on the floor is pushed from behind by a force that changes: every disc touches the floor and
 * its neighbours, with friction everywhere, 2 N - 1 contacts. The push is large against the weight of a disc,
 * so that friction between the discs is what decides. Steps are warm (the forces of the last step are the
 * guess) or cold. And a column of discs under their weight, where news has the longest way, cold. Whole steps
 * without the energy audit. */
#include "bench.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "model/data.h"
#include "solve/nonsmooth.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>

static const double radius = 0.01, mass = 0.05;

/* A disc (x, y, phi) on the floor y = 0. */
static void floor_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                       const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    rows[k].J[0][1] = rows[k].J[1][0] = 1.0;
    rows[k].J[1][2] = radius;
    rows[k].gap[0] = q[b->coord[3 * (first + k) + 1]] - radius;
  }
}

static const cap_contact_type disc_floor = {
    .name = "disc on floor",
    .ncoord = 3,
    .nrow = 2,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal", "along"},
    .rows = floor_rows,
};

/* Two discs. */
static void pair_rows(const cap_contact_batch *b, int first, int count, double t, const double *q,
                      const double *x, cap_contact_rows *rows)
{
  (void)t, (void)x;
  for (int k = 0; k < count; k++) {
    const int *at = b->coord + 6 * (first + k);
    double dx = q[at[3]] - q[at[0]], dy = q[at[4]] - q[at[1]], r = sqrt(dx * dx + dy * dy);
    double nx = dx / r, ny = dy / r;
    const double J[2][6] = {{-nx, -ny, 0, nx, ny, 0}, {ny, -nx, -radius, -ny, nx, -radius}};
    for (int i = 0; i < 2; i++)
      for (int c = 0; c < 6; c++) rows[k].J[i][c] = J[i][c];
    rows[k].gap[0] = r - 2.0 * radius;
  }
}

static const cap_contact_type disc_disc = {
    .name = "disc on disc",
    .ncoord = 6,
    .nrow = 2,
    .normal = true,
    .ngap = 1,
    .lift = {1},
    .row_name = {"normal", "along"},
    .rows = pair_rows,
};

/* n discs beside (or above) each other. */
static cap_model *discs(int n, bool column)
{
  cap_builder *b = cap_builder_create(1);
  cap_contact_law law = {.kind = CAP_LAW_SET_VALUED, .friction = {.mu_static = 0.3, .mu_kinetic = 0.3}};
  double down = -9.81 * mass;
  double push[CAP_LOAD_NPARAM] = {0.6 * 9.81 * mass * n, 0.2 * 9.81 * mass * n, 300.0, 0.0};
  for (int k = 0; k < n; k++) {
    char name[32];
    double along = 2.0 * radius * k;
    snprintf(name, sizeof name, "x%d", k);
    cap_builder_dof(b, name, "m", mass, column ? 0.0 : along, 0.0);
    name[0] = 'y';
    cap_builder_dof(b, name, "m", mass, column ? radius + along : radius, 0.0);
    name[0] = 'p';
    cap_builder_dof(b, name, "rad", 0.5 * mass * radius * radius, 0.0, 0.0);
  }
  for (int k = 0; k < n; k++) {
    char name[32];
    snprintf(name, sizeof name, "weight%d", k);
    cap_builder_element(b, &cap_weight_type, name, 3 * k + 1, CAP_GROUND, &down, NULL);
    int coords[6] = {3 * k, 3 * k + 1, 3 * k + 2, 3 * k + 3, 3 * k + 4, 3 * k + 5};
    snprintf(name, sizeof name, "floor%d", k);
    if (!column || k == 0) cap_builder_contact(b, &disc_floor, name, coords, NULL, NULL, &law);
    snprintf(name, sizeof name, "pair%d", k);
    if (k + 1 < n) cap_builder_contact(b, &disc_disc, name, coords, NULL, NULL, &law);
  }
  if (!column) cap_builder_element(b, &cap_load_type, "push", 0, CAP_GROUND, push, NULL);
  cap_model *m = NULL;
  cap_error error = {0};
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fprintf(stderr, "%s\n", error.text);
  cap_builder_free(b);
  return m;
}

typedef struct job {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  bool cold, failed;
} job;

static const double step = 1e-4;

static void run(job *j)
{
  double t = *j->d->t + step;
  cap_error error = {0};
  if (j->cold) memset(j->d->x, 0, sizeof(double) * (size_t)j->m->nx);
  if (cap_stepper_advance(&j->stepper, j->m, j->d, &t, NULL, &error) != CAP_OK) {
    if (!j->failed) fprintf(stderr, "%s\n", error.text);
    j->failed = true;
  }
}

/* Processor seconds of a step: the mean of steps after some to warm up, for at least 0.1 s; the push changes,
 * so that the best of them would tell little. */
static double steady(job *j)
{
  double start = bench_cpu();
  while (bench_cpu() - start < 0.01) run(j);
  cap_data_start_impacts(j->m, j->d);
  long count = 0;
  for (start = bench_cpu(); count < 3 || bench_cpu() - start < 0.1; count++) run(j);
  return (bench_cpu() - start) / (double)count;
}

/* Microseconds a step; 0 = it failed. */
static double measure(bench_table *table, const char *solver, int n, bool column, bool cold)
{
  job j = {.m = discs(n, column), .cold = cold};
  if (!j.m || !(j.d = cap_data_create(j.m))) return 0.0;
  cap_stepper_settings settings = {.step = step, .solver = solver, .solver_tolerance = 1e-8};
  cap_error error = {0};
  char name[96];
  double took = 0.0;
  if (cap_stepper_create(&cap_timestepping_type, j.m, &settings, &j.stepper, &error) == CAP_OK) {
    took = steady(&j) * 1e6;
    const int64_t *count = j.d->impacts;
    double iterations = (double)count[CAP_IMPACTS_ITERATIONS] / (double)count[CAP_IMPACTS_STEPS];
    snprintf(name, sizeof name, "%s %s%s", column ? "column" : "row", solver, cold ? " cold" : "");
    bench_row(table, name, column ? n : 2 * n - 1, j.failed ? NAN : took, "us/step");
    snprintf(name, sizeof name, "%s %s%s", column ? "column" : "row", solver,
             cold ? " cold iterations" : " iterations");
    bench_row(table, name, column ? n : 2 * n - 1, iterations, "1/step");
    if (count[CAP_IMPACTS_MISSED]) {
      snprintf(name, sizeof name, "%s %s%s", column ? "column" : "row", solver,
               cold ? " cold missed" : " missed");
      bench_row(table, name, column ? n : 2 * n - 1,
                (double)count[CAP_IMPACTS_MISSED] / (double)count[CAP_IMPACTS_STEPS], "of the steps");
    }
    cap_stepper_free(&j.stepper);
  }
  cap_data_free(j.d);
  cap_model_free(j.m);
  return j.failed ? 0.0 : took;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  static const int sizes[] = {5, 16, 50, 160, 500};
  for (int kind = 0; kind < 3; kind++)
    for (const char *const *solver = cap_nonsmooth_names; *solver; solver++) {
      double first = 0.0, last = 0.0;
      int from = 0, to = 0;
      for (int k = 0; k < 5; k++) {
        double took = measure(&table, *solver, sizes[k], kind == 2, kind > 0);
        if (k >= 2 && first == 0.0) first = took, from = sizes[k];
        last = took, to = sizes[k];
        if (took == 0.0 || took > 5e3) break; /* slower by far at the next size */
      }
      char name[64];
      snprintf(name, sizeof name, "%s %s%s growth", kind == 2 ? "column" : "row", *solver,
               kind == 1 ? " cold" : "");
      if (to > from && first > 0.0 && last > 0.0)
        bench_row(&table, name, to, log(last / first) / log((double)to / from), "exponent");
    }
  return bench_close(&table);
}
