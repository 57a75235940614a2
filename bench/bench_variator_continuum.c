/* bench/bench_variator_continuum.c — the continuum of a pushbelt variator: one arc, a point, a map of 1000
 * points (40 ratios, 25 torques), a rate of shifting. */
#include "bench.h"
#include "drives/pushbelt/continuum/variator_continuum.h"

#include "../tests/support/pushbelt.h"
#include <stdlib.h>

enum { RATIOS = 40, TORQUES = 25 };

typedef struct work {
  cap_variator v;
  cap_variator_continuum_rule rule;
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

static void run_map(void *self)
{
  work *w = self;
  for (int i = 0; i < RATIOS; i++)
    for (int j = 0; j < TORQUES; j++) {
      cap_variator_loads load = {200.0, 0.45 * exp(i * log(2.4 / 0.45) / (RATIOS - 1)), 0.0, 12000.0};
      cap_variator_continuum_point p;
      load.torque = -0.8 * j / (TORQUES - 1) *
                    cap_variator_continuum_capacity(w->c, load.ratio, load.clamping);
      if (cap_variator_continuum_solve(w->c, &load, 0.0, &p, NULL) != CAP_OK) abort();
      w->sum += p.state == CAP_VARIATOR_CONTINUUM_HOLDS ? p.thrust_ratio : 0.0;
    }
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
  for (int elements = 436; elements <= 437; elements++) {
    w.v = pushbelt_reference();
    w.v.real = w.v.simulated = elements;
    if (cap_variator_continuum_create(&w.v, NULL, &w.c, NULL) != CAP_OK) abort();
    if (elements == 436)
      bench_row(&table, "an arc: slip and centre of force", 1, bench_best(run_arc, &w, 0.2) / 100 * 1e6,
                "us");
    bench_row(&table, elements == 436 ? "a point of a map; with endplay" : "a point of a map; prestressed",
              RATIOS * TORQUES, bench_best(run_map, &w, 0.2) / (RATIOS * TORQUES) * 1e6, "us");
    if (elements == 436)
      bench_row(&table, "rate of shifting under a thrust ratio", 1, bench_best(run_shift, &w, 0.2) / 10 * 1e6,
                "us");
    cap_variator_continuum_free(w.c);
  }
  return bench_close(&table);
}
