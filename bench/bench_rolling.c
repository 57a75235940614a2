/* What ideal and viscoelastic rolling cost: a disc on its circle (examples/rolling_disc.yaml), one revolution
 * in one advance, by every stepper that takes it: steps a second, microseconds and steps a revolution, and
 * how far the centre is off its closed form after ten revolutions, without which a cost says little. Then the
 * viscoelastic contact over epsilon, started with its load and without (then with the initial layer). Rows of
 * the epsilons have -log10(epsilon) as size. */
#include "../tests/reference/reference.h"
#include "bench.h"
#include "bench_model.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>

/* Rate of the disc's precession, docs/theory.md (21.4), and the radius of its centre's circle. */
static const double circle = 0.5;

static double precession(void)
{
  const double m = 0.5, r = 0.1, g = 9.81, tilt = 70.0 * M_PI / 180.0, diameter = 0.00125, axis = 0.0025;
  double lever = (axis + m * r * r) * circle / r;
  return sqrt(m * g * r * cos(tilt) / (sin(tilt) * (lever + diameter * cos(tilt))));
}

/* epsilon 0 = ideal. */
static cap_model *disc(double epsilon, bool loaded)
{
  char stiff[64];
  snprintf(stiff, sizeof stiff, "contact={epsilon: %g%s}", epsilon, loaded ? ", start: loaded" : "");
  const char *settings[] = {stiff};
  cap_model_file *file = bench_example("rolling_disc", 1, settings);
  cap_model *m = NULL;
  cap_error error;
  bench_need(cap_execute_build(file, &m, &error), &error);
  cap_model_file_free(file);
  return m;
}

typedef struct work {
  const cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  double until;
  cap_error error;
  bool failed;
} work;

static void start_work(work *w, const cap_model *m, const cap_stepper_type *type, double tolerance)
{
  cap_stepper_settings settings = {.step = 1e-4, .tolerance = tolerance};
  *w = (work){.m = m, .d = cap_data_create(m), .until = 2.0 * M_PI / precession()};
  if (!w->d) exit(1);
  bench_need(cap_stepper_create(type, m, &settings, &w->stepper, &w->error), &w->error);
}

static void end_work(work *w)
{
  cap_stepper_free(&w->stepper);
  cap_data_free(w->d);
}

/* The first revolution, always the same. */
static void run_revolution(void *self)
{
  work *w = self;
  cap_data_reset(w->m, w->d);
  w->failed = cap_stepper_advance(&w->stepper, w->m, w->d, &w->until, NULL, &w->error) != CAP_OK;
}

/* Seconds of a revolution: one that takes long is timed once. */
static double time_revolution(work *w)
{
  double took = bench_batch(run_revolution, w, 1);
  return w->failed || took > 0.5 ? took : bench_best(run_revolution, w, 0.1);
}

/* Distance of the centre from where it should be after ten revolutions, over the circle's radius. */
static double miss(work *w)
{
  cap_data_reset(w->m, w->d);
  for (int k = 1; k <= 10; k++) {
    double t = k * w->until;
    bench_need(cap_stepper_advance(&w->stepper, w->m, w->d, &t, NULL, &w->error), &w->error);
  }
  return hypot(w->d->q[0], w->d->q[1] + circle) / circle;
}

static void method_rows(bench_table *table, const char *way, double epsilon, const cap_stepper_type *type,
                        double tolerance)
{
  char name[80];
  work w;
  cap_model *m = disc(epsilon, true);
  if (cap_stepper_obstacle(type, m)) {
    cap_model_free(m);
    return;
  }
  start_work(&w, m, type, tolerance);
  snprintf(name, sizeof name, "%s: %s at %.0e", way, type->name, tolerance);
  double took = time_revolution(&w);
  bench_need(w.failed ? CAP_ERR_NUMERICS : CAP_OK, &w.error);
  double steps = (double)w.d->steps[CAP_STEPS_STEPS];
  bench_row(table, name, m->nstate, 1e6 * took, "us/revolution");
  bench_row(table, name, m->nstate, steps, "steps/revolution");
  bench_row(table, name, m->nstate, steps / took, "steps/s");
  bench_row(table, name, m->nstate, miss(&w), "of the radius off after ten");
  end_work(&w);
  cap_model_free(m);
}

static void epsilon_rows(bench_table *table, const cap_stepper_type *type, bool loaded)
{
  char name[80];
  for (int k = 1; k <= 6; k++) {
    work w;
    cap_model *m = disc(pow(10.0, -k), loaded);
    start_work(&w, m, type, 1e-8);
    double took = time_revolution(&w);
    snprintf(name, sizeof name, "over epsilon%s: %s", loaded ? "" : " with layer", type->name);
    if (w.failed) printf("%-44s %10d   stops: %s\n", name, k, w.error.text);
    else {
      bench_row(table, name, k, 1e6 * took, "us/revolution");
      bench_row(table, name, k, (double)w.d->steps[CAP_STEPS_STEPS], "steps/revolution");
    }
    end_work(&w);
    cap_model_free(m);
  }
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (double tolerance = 1e-6; tolerance > 1e-13; tolerance *= 1e-3) {
    method_rows(&table, "ideal", 0.0, &cap_extrapolate_type, tolerance);
    method_rows(&table, "ideal", 0.0, &cap_radau_type, tolerance);
    method_rows(&table, "ideal", 0.0, &cap_ida_type, tolerance);
    method_rows(&table, "epsilon 1e-3", 1e-3, &cap_cvode_type, tolerance);
    method_rows(&table, "epsilon 1e-3", 1e-3, &cap_radau_type, tolerance);
    method_rows(&table, "epsilon 1e-3", 1e-3, &cap_ida_type, tolerance);
  }
  const cap_stepper_type *stiff[] = {&cap_cvode_type, &cap_radau_type, &cap_ida_type};
  for (int k = 0; k < 3; k++) epsilon_rows(&table, stiff[k], true);
  for (int k = 0; k < 3; k++) epsilon_rows(&table, stiff[k], false);
  return bench_close(&table);
}
