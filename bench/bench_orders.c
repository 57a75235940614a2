/* Forced response of the six-pulley drive to the second order of its crank: linear, by harmonic balance with
 * a dry-friction arm, and the orbit of the whole system by time steps; what one speed costs. */
#include "bench.h"
#include "bench_model.h"

#include "analysis/orbit/orbit.h"
#include "hb/hb_newton.h"
#include "hb/hb_stability.h"
#include "linalg/lapack.h"
#include "model/data.h"
#include "model/tangent.h"

#include <math.h>

enum { SPEEDS = 20, HARMONICS = 7, UNKNOWNS = 64 };

typedef struct speeds {
  cap_model *models[SPEEDS]; /* 700 to 1080 rpm */
  cap_tangent *tangent;
  double re[128], im[128];
  double x[SPEEDS][UNKNOWNS]; /* balanced */
  cap_hb *hb[SPEEDS];
  cap_hb_stability *stability;
} speeds;

static cap_model *build(double rpm)
{
  char setting[64];
  const char *settings[] = {setting, "crank.orders[0].amplitude=0.1 deg"};
  cap_error error;
  cap_model *m = NULL;
  snprintf(setting, sizeof setting, "crank.speed=%g rpm", rpm);
  cap_model_file *file = bench_example("accessory_drive_orders", 2, settings);
  bench_need(cap_execute_build(file, &m, &error), &error);
  cap_model_file_free(file);
  return m;
}

static void run_linear(void *self)
{
  speeds *s = self;
  const double dr = 0.0, di = -0.1 * M_PI / 180.0;
  cap_error error;
  for (int k = 0; k < SPEEDS; k++) {
    const cap_model *m = s->models[k];
    cap_tangent_at(s->tangent, m, m->t0, m->initial, CAP_TANGENT_STUCK);
    bench_need(cap_tangent_respond(s->tangent, 2.0 * M_PI / m->period[0], &dr, &di, s->re, s->im, &error),
               &error);
  }
}

static void run_balance(void *self)
{
  speeds *s = self;
  cap_error error;
  for (int k = 0; k < SPEEDS; k++) {
    cap_hb_newton_report report;
    cap_hb_start(s->hb[k], s->x[k]);
    s->hb[k]->linear->angular_frequency = NAN; /* condense anew, as at a new speed */
    bench_need(cap_hb_newton_solve(s->hb[k], s->x[k], s->hb[k]->angular_frequency, NULL, &report, &error),
               &error);
  }
}

static void run_stability(void *self)
{
  speeds *s = self;
  cap_error error;
  for (int k = 0; k < SPEEDS; k++)
    bench_need(cap_hb_stability_find(s->stability, s->hb[k], s->x[k], s->hb[k]->angular_frequency, &error),
               &error);
}

static void run_orbit(void *self)
{
  const speeds *s = self;
  const cap_model *m = s->models[SPEEDS / 2];
  cap_stepper_settings step = {.step = 5e-5, .tolerance = 1e-10};
  cap_orbit_settings settings = {.tolerance = 1e-8, .most = 400, .multipliers = true};
  cap_error error;
  cap_stepper stepper;
  cap_orbit *orbit = NULL;
  cap_data *d = cap_data_create(m);
  bench_need(cap_stepper_create(&cap_theta_midpoint_type, m, &step, &stepper, &error), &error);
  bench_need(d ? cap_orbit_create(m, &orbit) : CAP_ERR_NOMEM, &error);
  bench_need(cap_orbit_find(&stepper, m, d, &settings, orbit, &error), &error);
  if (!orbit->converged[0]) exit(1);
  cap_orbit_free(orbit);
  cap_data_free(d);
  cap_stepper_free(&stepper);
}

int main(int argc, char **argv)
{
  static speeds s;
  bench_table table;
  cap_error error;
  cap_hb_settings settings = {.harmonics = HARMONICS};
  if (bench_open(&table, argc, argv)) return 1;
  capm_lapack_one_thread();
  for (int k = 0; k < SPEEDS; k++) {
    s.models[k] = build(700.0 + 20.0 * k);
    bench_need(cap_hb_create(s.models[k], 0, &settings, &s.hb[k], &error), &error);
    if (s.hb[k]->nunknown > UNKNOWNS || s.models[k]->nstate > 128) return 1;
  }
  bench_need(cap_tangent_create(s.models[0], &s.tangent), &error);
  bench_need(cap_hb_stability_create(s.hb[0], &s.stability, &error), &error);
  int n = s.models[0]->nstate;
  bench_row(&table, "linear response, one speed and order", n, bench_best(run_linear, &s, 0.5) / SPEEDS * 1e6,
            "us");
  bench_row(&table, "harmonic balance of the dry arm, one speed", n,
            bench_best(run_balance, &s, 0.5) / SPEEDS * 1e6, "us");
  bench_row(&table, "its multipliers", n, bench_best(run_stability, &s, 0.5) / SPEEDS * 1e6, "us");
  bench_row(&table, "orbit of the whole system by midpoint steps, one speed", n,
            bench_best(run_orbit, &s, 1.0) * 1e6, "us");
  return bench_close(&table);
}
