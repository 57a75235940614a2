/* bench/bench_beam.c — a closed chain of planar beams that turns: forces alone, and forces with tangents,
 * of one drive and of eight in lanes. */
#include "bench.h"
#include "bench_model.h"
#include "elements/elements.h"

#include <math.h>

enum { COLUMNS = 12 };

typedef struct ring {
  cap_model *m;
  cap_eval e;
  double *memory;
} ring;

static void describe(cap_builder *b, int count)
{
  double length = 0.01, radius = length * count / (2.0 * M_PI);
  for (int n = 0; n < count; n++) {
    double angle = 2.0 * M_PI * n / count;
    cap_builder_dof(b, "x", "m", 1e-3, radius * cos(angle), 0.0);
    cap_builder_dof(b, "y", "m", 1e-3, radius * sin(angle), 0.0);
    cap_builder_dof(b, "phi", "rad", 1e-8, angle + M_PI_2, 0.0);
  }
  for (int n = 0; n < count; n++) {
    const double par[CAP_BEAM_NPARAM] = {120e3, 4.8e-3, length, 1.0, 1e-6, 0.0};
    cap_builder_element(b, &cap_beam_type, "segment", 3 * n, 3 * ((n + 1) % count), par, NULL);
  }
}

static void open_ring(ring *r, int count, int nlane, int ncol)
{
  cap_builder *b = cap_builder_create(nlane);
  cap_error error;
  if (!b) exit(1);
  for (int lane = 0; lane < nlane; lane++) {
    cap_builder_lane(b, lane);
    describe(b, count);
  }
  bench_need(cap_builder_finish(b, &r->m, &error), &error);
  cap_builder_free(b);
  size_t row = (size_t)(r->m->nv * nlane), nc = (size_t)ncol;
  r->memory = calloc(row * (2 + 3 * nc) + (size_t)nlane, sizeof(double));
  if (!r->memory) exit(1);
  double *at = r->memory;
  r->e = (cap_eval){.nlane = nlane, .ncol = ncol, .q = r->m->initial};
  r->e.t = at, at += nlane;
  r->e.v = at, at += row;
  r->e.h = at, at += row;
  r->e.dq = at;
  for (size_t k = 0; k < row * nc; k++) at[k] = 1e-3 * (double)(k % 17);
  at += row * nc;
  r->e.dv = at, at += row * nc;
  r->e.dh = at;
}

static void run(void *self)
{
  ring *r = self;
  cap_model_rates(r->m, &r->e);
}

static double nanoseconds(int count, int nlane, int ncol)
{
  ring r;
  open_ring(&r, count, nlane, ncol);
  double took = bench_best(run, &r, 0.2) / count / nlane * 1e9;
  free(r.memory);
  cap_model_free(r.m);
  return took;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  const int counts[] = {100, 194, 776, 1200};
  for (int k = 0; k < 4; k++)
    bench_row(&table, "forces", counts[k], nanoseconds(counts[k], 1, 0), "ns/element");
  bench_row(&table, "forces in eight lanes", 194, nanoseconds(194, 8, 0), "ns/element");
  double values = nanoseconds(194, 1, 0);
  bench_row(&table, "forces and 12 columns of tangents", 194, nanoseconds(194, 1, COLUMNS), "ns/element");
  bench_row(&table, "a column of tangents", 194, (nanoseconds(194, 1, 96) - values) / 96, "ns/element");
  bench_row(&table, "a column of tangents in eight lanes", 194,
            (nanoseconds(194, 8, COLUMNS) - nanoseconds(194, 8, 0)) / COLUMNS, "ns/element");
  return bench_close(&table);
}
