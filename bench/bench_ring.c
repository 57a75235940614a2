/* bench/bench_ring.c — rings by a curve that material flows along: us a step (one evaluation of the forces,
 * mass factor and solution) over the number of nodes, and ns a search for the nearest point. */
#include "bench.h"
#include "drives/pushbelt/ring/ring.h"
#include "model/builder.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>

enum { PLACES = 400 };

typedef struct scene {
  cap_model *m;
  cap_data *d;
  const cap_ring *ring;
  double *h, *ydot, *added, xi[PLACES], places[PLACES][2];
} scene;

static cap_ring_shape shape_of(const char *model, int nodes, double damping)
{
  cap_ring_shape s = {.model = model,
                      .name = "ring",
                      .length = 0.6670139,
                      .centre_distance = 0.155,
                      .theta = 0.2,
                      .theta_speed = 0.5,
                      .speed = 12.0,
                      .nodes = nodes};
  s.section = (cap_ring_section){
      .layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11};
  cap_ring_section_fill(&s.section, 8000.0);
  s.section.damping = damping;
  return s;
}

static void open_scene(scene *s, const cap_ring_shape *shape)
{
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  if (!b || !(s->ring = cap_ring_build(b, shape, &error)) || cap_builder_finish(b, &s->m, &error) != CAP_OK)
    abort();
  cap_builder_free(b);
  s->d = cap_data_create(s->m);
  s->h = calloc((size_t)(s->m->nv + s->m->nstate), sizeof(double));
  if (!s->d || !s->h) abort();
  s->ydot = s->h + s->m->nv;
  for (int i = 2; i < s->m->nv; i++) s->d->q[i] = 1e-6 * sin(i), s->d->v[i] = 1e-2 * cos(3.0 * i);
}

static void close_scene(scene *s)
{
  free(s->h);
  cap_data_free(s->d);
  cap_model_free(s->m);
}

static void run_forces(void *self)
{
  scene *s = self;
  cap_eval e = {
      .nlane = 1, .t = s->d->t, .q = s->d->q, .v = s->d->v, .x = s->d->x, .h = s->h, .xdot = s->ydot};
  cap_model_rates(s->m, &e);
}

static void run_step(void *self)
{
  scene *s = self;
  cap_eval e = {.nlane = 1, .t = s->d->t, .h = s->h, .inertia_work = s->d->inertia_work};
  cap_model_slopes(s->m, &e, s->d->y, NULL, s->ydot, NULL);
}

static void run_factor(void *self)
{
  scene *s = self;
  if (!cap_inertia_factor(s->m, s->d->q, s->d->inertia_work)) abort();
}

enum { STEPS = 160 };
static const double step = 1e-6; /* s */

/* Whole steps of the method multirate, the ring alone. */
static void run_multirate(void *self)
{
  scene *s = self;
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = step, .audit = true};
  cap_data_reset(s->m, s->d);
  double until = *s->d->t + STEPS * step;
  if (cap_stepper_create(&cap_multirate_type, s->m, &settings, &stepper, &error) != CAP_OK ||
      cap_stepper_advance(&stepper, s->m, s->d, &until, NULL, &error) != CAP_OK)
    abort();
  cap_stepper_free(&stepper);
}

static void run_stiff_set(void *self)
{
  scene *s = self;
  const cap_inertia *b = s->m->inertias;
  if (!b->type->stiff->set(b, s->d->q, step, 0.5, s->added)) abort();
}

static void run_stiff_factor(void *self)
{
  scene *s = self;
  const cap_inertia *b = s->m->inertias;
  if (!b->type->stiff->factor(b, s->d->q, s->added, s->d->inertia_work)) abort();
}

static void run_stiff_solve(void *self)
{
  scene *s = self;
  const cap_inertia *b = s->m->inertias;
  b->type->stiff->solve(b, s->added, s->d->inertia_work, s->h + b->first);
}

static void bench_stiff(bench_table *table, scene *s, int nodes)
{
  const cap_inertia *b = s->m->inertias;
  s->added = calloc((size_t)b->type->stiff->nwork(b), sizeof(double));
  if (!s->added) abort();
  bench_row(table, "ale: stiffness set", nodes, bench_best(run_stiff_set, s, 0.2) * 1e6, "us");
  bench_row(table, "ale: stiff factor", nodes, bench_best(run_stiff_factor, s, 0.2) * 1e6, "us");
  bench_row(table, "ale: stiff solution", nodes, bench_best(run_stiff_solve, s, 0.2) * 1e6, "us");
  bench_row(table, "ale: step of multirate", nodes, bench_best(run_multirate, s, 0.2) / STEPS * 1e6, "us");
  free(s->added);
}

/* Elements of a belt a little inside the ring. */
static void set_places(scene *s)
{
  for (int k = 0; k < PLACES; k++) {
    cap_ring_point p;
    s->xi[k] = s->ring->length * (k + 0.4) / PLACES;
    cap_ring_point_at(s->ring, s->d->q, s->xi[k], &p);
    s->places[k][0] = p.r[0] + 1e-3 * p.t[1];
    s->places[k][1] = p.r[1] - 1e-3 * p.t[0];
  }
}

/* All have moved on by 10 um, there and back. */
static void run_search(void *self)
{
  scene *s = self;
  for (int k = 0; k < PLACES; k++) s->xi[k] += 1e-5;
  cap_ring_nearest_all(s->ring, s->d->q, PLACES, (const double(*)[2])s->places, s->xi);
}

static void run_single(void *self)
{
  scene *s = self;
  for (int k = 0; k < PLACES; k++)
    s->xi[k] = cap_ring_nearest(s->ring, s->d->q, s->places[k], s->xi[k] + 1e-5);
}

static void bench_search(bench_table *table, scene *s, const char *name, int nodes)
{
  char text[64];
  set_places(s);
  snprintf(text, sizeof text, "%s: warm search, many at once", name);
  bench_row(table, text, nodes, bench_best(run_search, s, 0.2) / PLACES * 1e9, "ns/place");
  snprintf(text, sizeof text, "%s: warm search, one by one", name);
  bench_row(table, text, nodes, bench_best(run_single, s, 0.2) / PLACES * 1e9, "ns/place");
}

int main(int argc, char **argv)
{
  static const int nodes[] = {20, 40, 80, 160, 320, 640};
  bench_table table;
  scene s = {0};
  if (bench_open(&table, argc, argv)) return 1;
  cap_ring_shape shape = shape_of("ale0", 0, 0.0);
  open_scene(&s, &shape);
  bench_row(&table, "ale0: step", 2, bench_best(run_step, &s, 0.2) * 1e6, "us/step");
  bench_search(&table, &s, "ale0", 0);
  close_scene(&s);
  for (int damped = 0; damped < 2; damped++)
    for (int k = 0; k < 6; k++) {
      shape = shape_of("ale", nodes[k], damped ? 1e-7 : 0.0);
      open_scene(&s, &shape);
      bench_row(&table, damped ? "ale, damped: step" : "ale: step", nodes[k],
                bench_best(run_step, &s, 0.2) * 1e6, "us/step");
      bench_row(&table, damped ? "ale, damped: forces" : "ale: forces", nodes[k],
                bench_best(run_forces, &s, 0.2) * 1e6, "us");
      if (!damped && nodes[k] == 160) bench_search(&table, &s, "ale", nodes[k]);
      if (!damped)
        bench_row(&table, "ale: mass factor", nodes[k], bench_best(run_factor, &s, 0.2) * 1e6, "us");
      if (!damped) bench_stiff(&table, &s, nodes[k]);
      close_scene(&s);
    }
  return bench_close(&table);
}
