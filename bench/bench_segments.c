/* bench/bench_segments.c — a belt of curved segments that runs over two pulleys, a third of it in contact:
 * time of an explicit step per segment, over the number of segments. */
#include "bench.h"
#include "bench_model.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>

enum { PULLEYS = 2 };

typedef struct loop {
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
  double pace; /* s a call goes on by */
} loop;

static const double radius = 0.1, centres = 0.65, speed = 17.5, EA = 120e3, EI = 4.8e-3, mass = 0.111;

/* Place and direction at the arc length s of the open belt, from the start of the upper span backwards. */
static void path(double s, double *x, double *y, double *angle)
{
  const double half = M_PI * radius;
  if (s < centres) *x = s, *y = -radius, *angle = 0.0;
  else if (s < centres + half) {
    *angle = (s - centres) / radius;
    *x = centres + radius * sin(*angle), *y = -radius * cos(*angle);
  } else if (s < 2.0 * centres + half) *x = 2.0 * centres + half - s, *y = radius, *angle = M_PI;
  else {
    *angle = M_PI + (s - 2.0 * centres - half) / radius;
    *x = radius * sin(*angle), *y = -radius * cos(*angle);
  }
}

static void fill_pulley(double x, double l, int rotation, double *p)
{
  double k = EA / (l * l);
  for (int i = 0; i < CAP_BELT_PULLEY_NPARAM; i++) p[i] = 0.0;
  p[CAP_MOUNT_X] = x;
  p[CAP_MOUNT_ARM] = p[CAP_MOUNT_HUB] = -1;
  p[CAP_BELT_PULLEY_ROTATION] = rotation;
  p[CAP_BELT_PULLEY_RADIUS] = radius;
  p[CAP_BELT_PULLEY_SIDE] = 1.0;
  p[CAP_BELT_PULLEY_NORMAL] = p[CAP_BELT_PULLEY_TANGENTIAL] = k;
  p[CAP_BELT_PULLEY_DAMPING] = p[CAP_BELT_PULLEY_SHEAR] = 0.4 * sqrt(k * mass);
  p[CAP_BELT_PULLEY_TOUCH] = 1e3 / k;
  capm_friction_put(&(capm_friction){0.9, 0.9, 0.0, 0.0}, p + CAP_BELT_PULLEY_FRICTION);
}

static void describe(cap_builder *b, int count)
{
  static const char *const names[PULLEYS] = {"first", "second"}, *const belt[1] = {"belt"};
  double tension = 400.0, whole = 2.0 * (centres + M_PI * radius), at = whole / count;
  double l = at / (1.0 + tension / EA), pulleys[PULLEYS * CAP_BELT_PULLEY_NPARAM];
  /* a rotary inertia that leaves the step to the wave along the belt */
  double rotary = fmax(mass * l * l * l / 24.0, 16.0 * EI * mass * l / EA);
  capm_beam beam = {.EA = EA, .EI = EI, .length = l, .axial = 0.1 * l * sqrt(EA * mass)};
  const double par[CAP_BEAM_NPARAM] = {beam.EA, beam.EI, beam.length, beam.axial, 0.0, 0.0};
  const double rest[CAP_BELT_CONTACT_POINTS] = {0};
  for (int k = 0; k < count; k++) {
    double x, y, angle, curved;
    path(k * at, &x, &y, &angle);
    curved = y > -radius && y < radius ? speed / radius : 0.0;
    cap_builder_dof(b, "x", "m", mass * l, x, speed * cos(angle));
    cap_builder_dof(b, "y", "m", mass * l, y, speed * sin(angle));
    cap_builder_dof(b, "phi", "rad", rotary, angle, curved);
  }
  for (int k = 0; k < PULLEYS; k++) {
    int rotation = cap_builder_dof(b, "spin", "rad", 0.01, 0.0, speed / radius);
    fill_pulley(k ? centres : 0.0, l, rotation, pulleys + k * CAP_BELT_PULLEY_NPARAM);
  }
  for (int k = 0; k < count; k++) {
    cap_builder_element(b, &cap_beam_type, "belt", 3 * k, 3 * ((k + 1) % count), par, NULL);
    cap_builder_element(b, &cap_belt_contact_type, "belt", 3 * k, 3 * ((k + 1) % count), &l, rest);
  }
  cap_builder_common(b, &cap_beam_type, 1, belt, 0, NULL);
  cap_builder_common(b, &cap_belt_contact_type, PULLEYS, names, PULLEYS * CAP_BELT_PULLEY_NPARAM, pulleys);
  cap_builder_fastest(b, cap_belt_frequency_of(&beam, tension, mass, rotary, pulleys));
}

static void open_loop(loop *p, int count, bool audit)
{
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  if (!b) exit(1);
  describe(b, count);
  bench_need(cap_builder_finish(b, &p->m, &error), &error);
  cap_builder_free(b);
  if (!(p->d = cap_data_create(p->m))) exit(1);
  cap_stepper_settings settings = {.audit = audit};
  bench_need(cap_stepper_create(&cap_leapfrog_type, p->m, &settings, &p->stepper, &error), &error);
}

static void run(void *self)
{
  loop *p = self;
  cap_error error = {0};
  double t = *p->d->t + p->pace;
  bench_need(cap_stepper_advance(&p->stepper, p->m, p->d, &t, NULL, &error), &error);
}

/* After a while of running, so that contacts are as they are. */
static double nanoseconds(int count, double pace, double *real_time)
{
  loop p;
  open_loop(&p, count, true);
  p.pace = pace;
  for (int k = 0; k < 20; k++) run(&p);
  int64_t steps = p.d->steps[CAP_STEPS_STEPS];
  run(&p);
  steps = p.d->steps[CAP_STEPS_STEPS] - steps;
  double took = bench_best(run, &p, 0.2);
  *real_time = pace / took;
  cap_stepper_free(&p.stepper);
  cap_data_free(p.d);
  cap_model_free(p.m);
  return took / (double)steps / count * 1e9;
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  double real_time, whole = nanoseconds(194, 1e-3, &real_time);
  bench_row(&table, "a step; rows each ms", 194, whole, "ns/segment");
  bench_row(&table, "simulated over computed time", 194, real_time, "1");
  bench_row(&table, "a step; rows each 0.1 ms", 194, nanoseconds(194, 1e-4, &real_time), "ns/segment");
  for (int count = 100; count <= 3200; count *= 2)
    bench_row(&table, "a step; rows each ms", count, nanoseconds(count, 1e-3, &real_time), "ns/segment");
  return bench_close(&table);
}
