/* bench/bench_tracking.c — the tracking field of a ring on a crowned saddle: a point of the grid of 21 normal
 * forces and 21 positions, over the intervals across the ring, and the look-up in the table. */
#include "bench.h"
#include "drives/pushbelt/tracking/tracking_solver.h"

#include <math.h>
#include <stdlib.h>

enum { GRID = 21 };

typedef struct field {
  capm_tracking_ring ring;
  int intervals;
  double force[GRID], place[GRID], values[GRID * GRID];
  capm_tracking_table table;
  double sum;
} field;

/* The whole field, the closed form of the influence numbers too. */
static void run_field(void *self)
{
  field *f = self;
  cap_tracking *t;
  if (cap_tracking_solver_create(&f->ring, f->intervals, &t, NULL) != CAP_OK) abort();
  for (int j = 0; j < GRID; j++)
    for (int i = 0; i < GRID; i++) {
      cap_tracking_point p;
      if (cap_tracking_solver_at_force(t, f->place[j], f->force[i], &p, NULL) != CAP_OK) abort();
      f->values[i * GRID + j] = p.tangential;
    }
  cap_tracking_solver_free(t);
}

enum { LOOKS = 1000 };

static void run_table(void *self)
{
  field *f = self;
  for (int k = 0; k < LOOKS; k++)
    f->sum += capm_tracking_table_at(&f->table, 20.0 * k, 1e-5 * k - 5e-3).value;
}

int main(int argc, char **argv)
{
  static field f;
  bench_table table;
  const double radius[] = {0.25, 0.0568};
  if (bench_open(&table, argc, argv)) return 1;
  for (int i = 0; i < GRID; i++) {
    f.force[i] = 1e3 * i;
    f.place[i] = (i - GRID / 2) * 0.975e-3;
  }
  for (int r = 0; r < 2; r++)
    for (f.intervals = 50; f.intervals <= 200; f.intervals *= 2) {
      f.ring = (capm_tracking_ring){1.8e11, 0.3, 0.185e-3, 9.75e-3, radius[r], 0.25, INFINITY, 1.0};
      bench_row(&table, r ? "point of the field; radius 56.8 mm" : "point of the field; radius 250 mm",
                f.intervals, bench_best(run_field, &f, 0.2) / (GRID * GRID) * 1e6, "us");
    }
  cap_arena arena = {0};
  if (capm_tracking_table_make(&arena, GRID, f.force, GRID, f.place, f.values, &f.table) != CAP_OK) abort();
  bench_row(&table, "look into the table", GRID, bench_best(run_table, &f, 0.2) / LOOKS * 1e9, "ns");
  cap_arena_free(&arena);
  return bench_close(&table);
}
