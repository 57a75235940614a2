/* The implicit Runge-Kutta stepper: cost of a step over the number of states and of stages (by the
 * tolerance), of a row that is written more often than steps need be, and beside CVODE at equal error: a
 * chain of masses whose springs harden, of which every other one is a million times stiffer. */
#include "bench.h"
#include "bench_model.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>

static cap_model *chain(int n)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  cap_error error;
  if (!b) exit(1);
  const double soft[CAP_LINK_NPARAM] = {1.0, 0.02, 0.0}, hard[CAP_LINK_NPARAM] = {1e6, 1e3, 0.0};
  const double power[CAP_POLYNOMIAL_NPARAM] = {0.0, 0.5, 0.0}, load[CAP_LOAD_NPARAM] = {0.0, 1.0, 1.3, 0.0};
  for (int i = 0; i < n; i++) {
    char name[16];
    snprintf(name, sizeof name, "m%d", i + 1);
    cap_builder_dof(b, name, "m", 1.0, 0.0, 0.0);
  }
  for (int i = 0; i < n; i++) {
    int to = i + 1 < n ? i + 1 : CAP_GROUND;
    cap_builder_element(b, &cap_link_type, "link", i, to, i % 2 ? hard : soft, NULL);
    if (i % 2 == 0) cap_builder_element(b, &cap_polynomial_type, "power", i, to, power, NULL);
  }
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  bench_need(cap_builder_finish(b, &m, &error), &error);
  cap_builder_free(b);
  return m;
}

typedef struct work {
  const cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  double span; /* s of one call, in one advance */
} work;

static void run(void *self)
{
  work *w = self;
  cap_error error;
  double t = *w->d->t + w->span;
  bench_need(cap_stepper_advance(&w->stepper, w->m, w->d, &t, NULL, &error), &error);
}

static void row(bench_table *table, const char *name, const cap_model *m, const cap_stepper_type *type,
                double tolerance, double span)
{
  work w = {.m = m, .d = cap_data_create(m), .span = span};
  cap_stepper_settings settings = {.tolerance = tolerance};
  cap_error error;
  if (!w.d) exit(1);
  bench_need(cap_stepper_create(type, m, &settings, &w.stepper, &error), &error);
  for (int k = 0; k < 20; k++) run(&w);
  int64_t before = w.d->steps[CAP_STEPS_STEPS];
  for (int k = 0; k < 20; k++) run(&w);
  double steps = (double)(w.d->steps[CAP_STEPS_STEPS] - before) / 20.0;
  double took = bench_best(run, &w, 0.1);
  char text[80];
  snprintf(text, sizeof text, "%s: a step", name);
  bench_row(table, text, m->nstate, 1e9 * took / steps, "ns/step");
  snprintf(text, sizeof text, "%s: a second", name);
  bench_row(table, text, m->nstate, 1e6 * took / span, "us/s");
  cap_stepper_free(&w.stepper);
  cap_data_free(w.d);
}

/* A disc on its rim; epsilon 0 = ideal. A row is an advance of 20 ms, as the example writes them. */
static void disc_rows(bench_table *table, const char *epsilon)
{
  char setting[64], name[64];
  snprintf(setting, sizeof setting, "contact.epsilon=%s", epsilon);
  const char *settings[] = {setting};
  cap_model_file *file = bench_example("rolling_disc", 1, settings);
  cap_model *m = NULL;
  cap_error error;
  bench_need(cap_execute_build(file, &m, &error), &error);
  snprintf(name, sizeof name, "disc epsilon %s 1e-12", epsilon);
  row(table, name, m, &cap_radau_type, 1e-12, 2.0);
  snprintf(name, sizeof name, "disc epsilon %s 1e-8", epsilon);
  row(table, name, m, &cap_radau_type, 1e-8, 2.0);
  snprintf(name, sizeof name, "disc epsilon %s rows 1e-8", epsilon);
  row(table, name, m, &cap_radau_type, 1e-8, 0.02);
  const cap_stepper_type *peer = m->nideal ? &cap_extrapolate_type : &cap_cvode_type;
  snprintf(name, sizeof name, "disc epsilon %s rows %s 1e-8", epsilon, peer->name);
  row(table, name, m, peer, 1e-8, 0.02);
  cap_model_free(m);
  cap_model_file_free(file);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int n = 2; n <= 32; n *= 2) {
    cap_model *m = chain(n);
    row(&table, "3 stages 1e-4", m, &cap_radau_type, 1e-4, 20.0);
    row(&table, "5 stages 1e-7", m, &cap_radau_type, 1e-7, 20.0);
    row(&table, "7 stages 1e-10", m, &cap_radau_type, 1e-10, 20.0);
    row(&table, "rows of 10 ms 1e-10", m, &cap_radau_type, 1e-10, 0.01);
    row(&table, "cvode 1e-4", m, &cap_cvode_type, 1e-4, 20.0);
    row(&table, "cvode 1e-10", m, &cap_cvode_type, 1e-10, 20.0);
    row(&table, "cvode rows of 10 ms 1e-10", m, &cap_cvode_type, 1e-10, 0.01);
    cap_model_free(m);
  }
  const char *epsilons[] = {"0", "1e-2", "1e-4", "1e-6"};
  for (int k = 0; k < 4; k++) disc_rows(&table, epsilons[k]);
  return bench_close(&table);
}
