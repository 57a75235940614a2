/* bench/bench_belt.c — layout of a belt: the path alone, with its checks, the arm angle of a belt length, the
 * statics, modes over 100 speeds, and the sentence on a pulley that runs on its wrong side; the 6PK1940
 * drive. */
#include "../tests/support/belt.h"
#include "bench.h"
#include "drives/accessory/belt/belt_modes.h"
#include "drives/accessory/belt/belt_path.h"
#include "drives/accessory/belt/belt_statics.h"
#include "linalg/lapack.h"

#include <stdlib.h>

typedef struct layout {
  belt_case drive;
  cap_belt_path path;
  double angle;
} layout;

static void run_trace(void *self)
{
  layout *l = self;
  l->angle += 1e-9;
  cap_belt_path_trace(&l->drive.belt, l->angle, &l->path);
}

static void run_solve(void *self)
{
  layout *l = self;
  l->angle += 1e-9;
  if (cap_belt_path_solve(&l->drive.belt, l->angle, &l->path, NULL) != CAP_OK) abort();
}

static void run_arm_angle(void *self)
{
  layout *l = self;
  cap_belt_path_roots roots;
  if (cap_belt_path_arm_angle(&l->drive.belt, l->drive.belt.length0, &roots, NULL) != CAP_OK) abort();
  if (cap_belt_path_solve(&l->drive.belt, roots.angle[0], &l->path, NULL) != CAP_OK) abort();
}

static void run_refusal(void *self)
{
  layout *l = self;
  cap_error error;
  if (cap_belt_path_solve(&l->drive.belt, l->angle, &l->path, &error) == CAP_OK) abort();
}

/* Geometry, tensions and arm angle with 6 N m on the alternator at 2000 rpm. */
static void run_statics(void *self)
{
  layout *l = self;
  static const double torque = 6.0;
  cap_belt_statics s;
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = 209.4395102};
  l->drive.pulleys[BELT_ALT].load = (cap_belt_load){1, &torque, &torque};
  if (cap_belt_statics_solve(&l->drive.belt, &which, &s, NULL) != CAP_OK) abort();
}

/* Steady running and modes, ten sine terms a span, at 100 speeds from 60 to 6000 rpm. */
static void run_campbell(void *self)
{
  layout *l = self;
  for (int k = 1; k <= 100; k++) {
    cap_belt_statics s;
    cap_belt_modes m;
    cap_belt_statics_case which = {.speed = k * 2.0 * M_PI};
    if (cap_belt_statics_solve(&l->drive.belt, &which, &s, NULL) != CAP_OK) abort();
    cap_belt_modes_case about = cap_belt_modes_about(&l->drive.belt, &s, 10);
    about.held = true;
    if (cap_belt_modes_solve(&about, &m, NULL) != CAP_OK) abort();
    cap_belt_modes_free(&m);
  }
}

int main(int argc, char **argv)
{
  static layout l;
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  belt_6pk1940(&l.drive);
  l.angle = l.drive.belt.arm.angle;
  int n = l.drive.belt.npulley;
  bench_row(&table, "path with derivatives", n, bench_best(run_trace, &l, 0.2) * 1e9, "ns");
  bench_row(&table, "path checked", n, bench_best(run_solve, &l, 0.2) * 1e9, "ns");
  bench_row(&table, "arm angle of the belt's length and layout", n, bench_best(run_arm_angle, &l, 0.2) * 1e6,
            "us");
  bench_row(&table, "layout and statics, arm free", n, bench_best(run_statics, &l, 0.2) * 1e6, "us");
  capm_lapack_one_thread();
  bench_row(&table, "modes over 100 speeds", n, bench_best(run_campbell, &l, 1.0) * 1e3, "ms");
  l.drive.pulleys[BELT_TEN].side = CAP_BELT_GROOVE;
  bench_row(&table, "wrong side: reason and remedy", n, bench_best(run_refusal, &l, 0.2) * 1e6, "us");
  return bench_close(&table);
}
