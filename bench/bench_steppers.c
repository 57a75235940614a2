/* What a step costs: every stepper on the belt-tensioner-mass system at f1 = 100 N, Omega = 60 rad/s, by both
 * laws of the tensioner where the stepper takes them; with energy audit, with tangent, in lanes. Then how the
 * cost grows with the number of masses (a chain of masses, each held by a friction element) and with the
 * number of lanes. Fixed steps are 0.1 ms, or 0.02 ms where a stepper needs it; a step of CVODE is one of its
 * own; the exact propagator is timed by the period. */
#include "../tests/reference/reference.h"
#include "bench.h"
#include "bench_model.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "step/stepper.h"

#include <math.h>

/* Among those that take a tensioner. */
static bool is_moreau(const cap_stepper_type *type)
{
  return type->explicit && type->order == 1;
}

/* s; smaller where the stepper needs it: the Moreau step is explicit in the damper on the small pulley, and
 * the implicit ones iterate on Dahl's law, which changes form at a reversal. */
static double step_of(const cap_stepper_type *type, const cap_model *m)
{
  bool implicit = type->fixed && !type->explicit;
  return is_moreau(type) || (implicit && !m->linear) ? 2e-5 : 1e-4;
}

/* One stepper at work: every call of run_periods goes on for one period of the forcing from where it is. */
typedef struct work {
  const cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  double *tangent; /* NULL = without */
} work;

static void start_work(work *w, const cap_model *m, const cap_stepper_type *type, bool audit, bool tangent)
{
  cap_error error;
  cap_stepper_settings settings = {.step = step_of(type, m), .tolerance = 1e-7, .audit = audit};
  *w = (work){.m = m, .d = cap_data_create(m)};
  bench_need(cap_stepper_create(type, m, &settings, &w->stepper, &error), &error);
  if (tangent) w->tangent = calloc((size_t)(m->nstate * m->nstate * m->nlane), sizeof(double));
  if (!w->d || (tangent && !w->tangent)) exit(1);
}

static void end_work(work *w)
{
  cap_stepper_free(&w->stepper);
  cap_data_free(w->d);
  free(w->tangent);
}

static void run_period(void *self)
{
  work *w = self;
  const cap_model *m = w->m;
  double t_end[CAP_LANES_MOST];
  cap_error error;
  for (int l = 0; l < m->nlane; l++) t_end[l] = w->d->t[l] + m->period[l];
  /* fresh directions: a tangent carried on for ever decays into subnormal numbers */
  for (int k = 0; w->tangent && k < m->nstate * m->nstate * m->nlane; k++)
    w->tangent[k] = k / m->nlane % (m->nstate + 1) == 0;
  bench_need(cap_stepper_advance(&w->stepper, m, w->d, t_end, w->tangent, &error), &error);
}

/* Processor seconds of a period and, in *steps, how many steps that was. */
static double time_period(const cap_model *m, const cap_stepper_type *type, bool audit, bool tangent,
                          double *steps)
{
  work w;
  start_work(&w, m, type, audit, tangent);
  for (int k = 0; k < 10; k++) run_period(&w); /* into the steady state */
  int64_t before = w.d->steps[CAP_STEPS_STEPS];
  for (int k = 0; k < 10; k++) run_period(&w);
  *steps = 0.1 * (double)(w.d->steps[CAP_STEPS_STEPS] - before);
  double took = bench_best(run_period, &w, 0.1);
  end_work(&w);
  return took;
}

static void stepper_row(bench_table *table, const char *law, const cap_model *m, const cap_stepper_type *type,
                        bool audit, bool tangent)
{
  char name[80];
  double steps, took = time_period(m, type, audit, tangent, &steps);
  snprintf(name, sizeof name, "%s: %s%s%s", law, type->name, audit ? " with audit" : "",
           tangent ? " with tangent" : "");
  bool periods = type->exact;
  bench_row(table, name, m->nlane, 1e9 * took / (periods ? 1.0 : steps * m->nlane),
            periods ? "ns/period" : "ns/lane-step");
}

static void law_rows(bench_table *table, const char *law)
{
  cap_model *m = bench_tensioner(law, 1);
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    if (cap_stepper_obstacle(type, m)) continue;
    if (is_moreau(type) && !m->linear) continue; /* timed on the law that it is for */
    stepper_row(table, law, m, type, false, false);
    stepper_row(table, law, m, type, true, false);
    if (type->tangents) stepper_row(table, law, m, type, false, true);
  }
  cap_model_free(m);
}

typedef enum chain_kind { CHAIN_SLIDERS, CHAIN_DAHL } chain_kind;

/* n masses in a row, springs and dampers between them, each mass held to the ground by a friction element; a
 * load shakes the first one. */
static cap_model *chain(int n, int nlane, chain_kind kind)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_model *m = NULL;
  cap_error error;
  if (!b) exit(1);
  for (int lane = 0; lane < nlane; lane++) {
    double link[CAP_LINK_NPARAM] = {2e4, 10.0, 0.0}, hold[CAP_LINK_NPARAM] = {5e3, 5.0, 0.0};
    double load[CAP_LOAD_NPARAM] = {0.0, 100.0 + 2.0 * lane, 60.0, 0.0};
    double dahl[CAP_DAHL_NPARAM] = {5e3, 20.0, 5e3, -20.0, 500.0, 0.5}, force = 0.0;
    cap_builder_lane(b, lane);
    for (int i = 0; i < n; i++) {
      char name[16];
      snprintf(name, sizeof name, "m%d", i + 1);
      cap_builder_dof(b, name, "m", 1.0, 0.0, 0.0);
    }
    for (int i = 1; i < n; i++) cap_builder_element(b, &cap_link_type, "link", i - 1, i, link, NULL);
    for (int i = 0; i < n; i++) cap_builder_element(b, &cap_link_type, "hold", i, CAP_GROUND, hold, NULL);
    cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
    for (int i = 0; i < n; i++)
      if (kind == CHAIN_DAHL) cap_builder_element(b, &cap_dahl_type, "dahl", i, CAP_GROUND, dahl, &force);
      else cap_builder_slider(b, "slider", i, CAP_GROUND, 2e4, 20.0, 0.0);
    cap_builder_period(b, 2.0 * M_PI / 60.0);
  }
  bench_need(cap_builder_finish(b, &m, &error), &error);
  cap_builder_free(b);
  return m;
}

static void size_rows(bench_table *table, const cap_stepper_type *type, chain_kind kind, int most)
{
  char name[80];
  snprintf(name, sizeof name, "chain of masses: %s", type->name);
  for (int n = 2; n <= most; n *= 2) {
    cap_model *m = chain(n, 1, kind);
    double steps, took = time_period(m, type, false, false, &steps);
    bool periods = type->exact;
    bench_row(table, name, m->nstate, 1e9 * took / ((periods ? 1.0 : steps) * m->nstate),
              periods ? "ns/state-period" : "ns/state-step");
    cap_model_free(m);
  }
}

static void lane_rows(bench_table *table, bool tangent)
{
  for (int nlane = 1; nlane <= CAP_LANES_MOST; nlane *= 2) {
    cap_model *m = bench_tensioner("dahl", nlane);
    stepper_row(table, "dahl in lanes", m, &cap_rk4_type, false, tangent);
    cap_model_free(m);
  }
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  law_rows(&table, "masing");
  law_rows(&table, "dahl");
  lane_rows(&table, false);
  lane_rows(&table, true);
  size_rows(&table, &cap_theta_euler_type, CHAIN_SLIDERS, 64);
  size_rows(&table, &cap_theta_midpoint_type, CHAIN_SLIDERS, 64);
  size_rows(&table, &cap_moreau_type, CHAIN_SLIDERS, 64);
  size_rows(&table, &cap_propagate_type, CHAIN_SLIDERS, 16);
  size_rows(&table, &cap_rk4_type, CHAIN_DAHL, 64);
  size_rows(&table, &cap_cvode_type, CHAIN_DAHL, 8);
  return bench_close(&table);
}
