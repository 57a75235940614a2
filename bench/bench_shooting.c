/* Shooting on the oscillator with clearance, case 2: what confirming a point of the balance costs for each
 * law, and what a point of a response by shooting does. */
#include "bench.h"
#include "bench_model.h"

#include "../tests/support/clearance.h"
#include "analysis/orbit/confirm.h"
#include "analysis/orbit/orbit_curve.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"

#include <math.h>

enum { POINTS = 40 };

typedef struct law_case {
  const char *name;
  test_clearance law;
} law_case;

/* Solutions of the balance from 0.1 to 1.6 rad/s, as far as Newton from rest finds them. */
typedef struct points {
  int n, nsame;
  cap_model *models[POINTS];
  double states[POINTS][32 * 2];
  cap_confirm *confirm;
} points;

static void solve(points *p, law_case *c)
{
  cap_error error;
  *p = (points){0};
  for (int k = 0; k < POINTS; k++) {
    double w = 0.1 + 1.5 * k / (POINTS - 1);
    cap_hb_settings settings = {12, 512, 1};
    cap_hb_newton_report report;
    cap_hb *hb;
    double x[25];
    bench_need(test_clearance_build(&c->law, w, &p->models[p->n], &error), &error);
    bench_need(cap_hb_create(p->models[p->n], 0, &settings, &hb, &error), &error);
    cap_hb_start(hb, x);
    if (cap_hb_newton_solve(hb, x, w, NULL, &report, &error) == CAP_OK) {
      bench_need(cap_hb_output_states(hb, x, w, 32, p->states[p->n], &error), &error);
      p->n++;
    } else {
      cap_model_free(p->models[p->n]);
    }
    cap_hb_free(hb);
  }
  bench_need(cap_confirm_create(p->models[0], NULL, &p->confirm, &error), &error);
}

static void confirm_all(void *self)
{
  points *p = self;
  p->nsame = 0;
  for (int k = 0; k < p->n; k++) {
    cap_confirm_result result;
    cap_error error;
    bench_need(cap_confirm_states(p->confirm, p->models[k], 1, p->states[k], &result, &error), &error);
    p->nsame += result.same;
  }
}

typedef struct curve_case {
  law_case *law;
  int npoint, nfold;
} curve_case;

static bool count(void *self, const cap_continuation_point *point)
{
  curve_case *c = self;
  c->npoint++;
  c->nfold += point->kind == CAP_CONTINUATION_FOLD;
  return true;
}

static void follow(void *self)
{
  curve_case *c = self;
  cap_error error;
  cap_model *m;
  cap_orbit_curve curve;
  cap_continuation *path;
  cap_continuation_result result;
  cap_orbit_curve_settings settings = {0};
  cap_hb_curve_source source = {test_clearance_build, &c->law->law, 0.1, 1.6};
  double y[2] = {0.2245, 0.0};
  bench_need(test_clearance_build(&c->law->law, 0.1, &m, &error), &error);
  bench_need(cap_orbit_curve_open(m, &source, &settings, &curve, &error), &error);
  for (int i = 0; i < 2; i++) curve.x_scale[i] = 0.1;
  cap_continuation_problem problem = cap_orbit_curve_problem(&curve, 1.0);
  cap_continuation_options options = {.step = 0.02, .step_max = 0.1, .p_min = 0.1, .p_max = 1.6};
  cap_continuation_start start = {.x = y, .p = 0.1};
  c->npoint = c->nfold = 0;
  bench_need(cap_continuation_create(&problem, &options, &path, &error), &error);
  bench_need(cap_continuation_run(path, &start, 1, count, c, &result, &error), &error);
  cap_continuation_free(path);
  cap_orbit_curve_close(&curve);
  cap_model_free(m);
}

int main(int argc, char **argv)
{
  law_case laws[] = {
      {"exact", {.kind = CAPM_SMOOTHING_ABS}},
      {"g1 sigma 100", {.kind = CAPM_SMOOTHING_G1, .sigma = 100.0}},
      {"g4 sigma 50", {.kind = CAPM_SMOOTHING_G4, .sigma = 50.0}},
      {"g1 sigma 100 with hysteresis", {.kind = CAPM_SMOOTHING_G1, .sigma = 100.0, .h1 = 0.005, .h2 = 0.02}}};
  bench_table table;
  char name[96];
  if (bench_open(&table, argc, argv)) return 1;
  for (int l = 0; l < 4; l++) {
    points p;
    solve(&p, &laws[l]);
    double seconds = bench_best(confirm_all, &p, 0.3);
    snprintf(name, sizeof name, "confirm %s", laws[l].name);
    bench_row(&table, name, p.n, seconds / p.n * 1e6, "us/point");
    snprintf(name, sizeof name, "confirmed %s", laws[l].name);
    bench_row(&table, name, p.n, p.nsame, "points");
    for (int k = 0; k < p.n; k++) cap_model_free(p.models[k]);
    cap_confirm_free(p.confirm);
  }
  for (int l = 0; l < 2; l++) {
    curve_case c = {.law = &laws[l]};
    double seconds = bench_best(follow, &c, 0.3);
    snprintf(name, sizeof name, "response by shooting %s (%d folds)", laws[l].name, c.nfold);
    bench_row(&table, name, c.npoint, seconds / c.npoint * 1e6, "us/point");
  }
  return bench_close(&table);
}
