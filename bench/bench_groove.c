/* Flanks of a pushbelt in their grooves: processor time of one evaluation, an element of the belt. */
#include "../tests/support/groove.h"
#include "bench.h"

static void step(void *self)
{
  grooves *g = self;
  const cap_model *m = g->model;
  cap_eval e = grooves_step(g, 1e-6, g->power);
  m->batches[0].type->rates(&m->batches[0], &e);
}

static double time_of(const cap_variator *v, double *iterations)
{
  static const double closed[2] = {100e-6, 100e-6};
  grooves g = {0};
  grooves_open(&g, v);
  grooves_place(&g, 11.0, closed);
  double best = bench_best(step, &g, 0.3) / v->simulated * 1e9;
  grooves_march(&g, 1e-6, NULL);
  *iterations = 0.0;
  for (int k = 0; k < CAP_SOLVES_NCOUNT; k++) *iterations += 0.5 * (double)(k * g.solves[k]);
  grooves_close(&g);
  return best;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  static const char *const sheaves[] = {"rigid sheaves", "tilt", "tilt and plate"};
  double iterations;
  for (int s = 0; s < 3; s++) {
    cap_variator v = grooves_variator(437, 1.0, s);
    bench_row(&table, sheaves[s], 437, time_of(&v, &iterations), "ns an element");
    v.contact.flank_coupled = false;
    if (s) bench_row(&table, "... separate flanks", 437, time_of(&v, &iterations), "ns an element");
    v.contact.flank_coupled = true;
    v.contact.flank_points = 2;
    bench_row(&table, "... two points", 437, time_of(&v, &iterations), "ns an element");
    v.contact.flank_points = 1;
    v.contact.flank_friction = (capm_friction){0.1, 0.0, 0.34, 1.5};
    bench_row(&table, "... Stribeck, exponent", 437, time_of(&v, &iterations), "ns an element");
    v.contact.flank_friction = (capm_friction){0.09, 0.09, 0.0, 0.0};
    grooves_curve(&v, 0.3, 0.1);
    bench_row(&table, "... curved, spheres", 437, time_of(&v, &iterations), "ns an element");
  }
  return bench_close(&table);
}
