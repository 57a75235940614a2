/* bench/bench_variator_continuum.c — the continuum of a pushbelt variator: one arc, a point, a map (20
 * ratios, 13 torques of which half brake), a rate of shifting; by each model of the arcs. */
#include "bench.h"
#include "drives/pushbelt/continuum/variator_continuum.h"

#include "../tests/support/pushbelt.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RATIOS = 20, TORQUES = 13 };

typedef struct work {
  cap_variator v;
  cap_variator_continuum_rule rule;
  cap_variator_continuum_settings settings;
  cap_variator_continuum *c;
  double sum;
} work;

static void run_arc(void *self)
{
  work *w = self;
  for (int k = 0; k < 100; k++) {
    cap_variator_continuum_arc arc = {.wrap = 3.0,
                                      .wedge = w->v.wedge,
                                      .friction = w->v.contact.flank_friction,
                                      .offset = -0.8,
                                      .centre = 2.0};
    if (!cap_variator_continuum_arc_find(&w->rule, &arc, CAP_VARIATOR_CONTINUUM_GROWTH, -1.0 + 0.02 * k))
      abort();
    w->sum += arc.clamp;
  }
}

/* As the analysis does it: each ratio with a solver of its own. */
static void run_map(void *self)
{
  work *w = self;
  for (int i = 0; i < RATIOS; i++) {
    cap_variator_continuum *c;
    if (cap_variator_continuum_create(&w->v, &w->settings, &c, NULL) != CAP_OK) abort();
    for (int j = 0; j < TORQUES; j++) {
      cap_variator_loads load = {200.0, 0.45 * exp(i * log(2.4 / 0.45) / (RATIOS - 1)), 0.0, 12000.0};
      cap_variator_continuum_point p;
      load.torque = (0.8 - 1.6 * j / (TORQUES - 1)) *
                    cap_variator_continuum_capacity(c, load.ratio, load.clamping);
      if (cap_variator_continuum_solve(c, &load, 0.0, &p, NULL) != CAP_OK) abort();
      w->sum += p.state == CAP_VARIATOR_CONTINUUM_HOLDS ? p.thrust_ratio : 0.0;
    }
    cap_variator_continuum_free(c);
  }
}

/* One point of nothing known before. */
static void run_point(void *self)
{
  work *w = self;
  cap_variator_continuum *c;
  cap_variator_continuum_point p;
  if (cap_variator_continuum_create(&w->v, &w->settings, &c, NULL) != CAP_OK) abort();
  if (cap_variator_continuum_solve(c, &w->v.load, 0.0, &p, NULL) != CAP_OK) abort();
  w->sum += p.thrust_ratio;
  cap_variator_continuum_free(c);
}

static void run_shift(void *self)
{
  work *w = self;
  for (int k = 0; k < 10; k++) {
    cap_variator_loads load = {200.0, 1.0, 0.0, 12000.0};
    cap_variator_continuum_point p;
    if (cap_variator_continuum_shift(w->c, &load, 0.9 + 0.021 * k, &p, NULL) != CAP_OK) abort();
    w->sum += p.rate;
  }
}

int main(int argc, char **argv)
{
  static work w;
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  cap_variator_continuum_arc_rule(&w.rule);
  w.v = pushbelt_reference();
  bench_row(&table, "an arc: slip and centre of force", 1, bench_best(run_arc, &w, 0.2) / 100 * 1e6, "us");
  static const char *const models[] = {"compliant", "creep", "grashof"};
  for (int k = 0; k < 4; k++) {
    char name[96];
    int model = k < 2 ? 0 : k - 1;
    w.v.contact.flank_stiffness = 6e7;
    w.settings.model = (cap_variator_continuum_model)model;
    for (int s = 0; k == 1 && s < 4; s++) /* the tilt alone */
      memset(w.v.pulley[s / 2].sheave[s % 2].plate, 0, sizeof w.v.pulley[0].sheave[0].plate);
    const char *sheaves = k == 0 ? ", plates" : "";
    snprintf(name, sizeof name, "a point of a map: %s%s", models[model], sheaves);
    bench_row(&table, name, RATIOS * TORQUES, bench_best(run_map, &w, 0.2) / (RATIOS * TORQUES) * 1e6, "us");
    snprintf(name, sizeof name, "a point alone: %s%s", models[model], sheaves);
    bench_row(&table, name, 1, bench_best(run_point, &w, 0.2) * 1e6, "us");
    if (model == CAP_VARIATOR_CONTINUUM_GRASHOF) break;
    if (cap_variator_continuum_create(&w.v, &w.settings, &w.c, NULL) != CAP_OK) abort();
    snprintf(name, sizeof name, "rate of shifting: %s%s", models[model], sheaves);
    bench_row(&table, name, 1, bench_best(run_shift, &w, 0.2) / 10 * 1e6, "us");
    cap_variator_continuum_free(w.c);
  }
  return bench_close(&table);
}
