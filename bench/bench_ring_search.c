/* bench/bench_ring_search.c — rings over two pulleys: the warm search for the point nearest to an element, of
 * each model; forces and steps of the rings of material nodes; contact with the two pulleys.
 *
 * 400 places lie along the ring, off it by up to 0.1 mm, and the searches start where material was a
 * microsecond before at 10 m/s. */
#include "bench.h"
#include "bench_model.h"
#include "drives/pushbelt/ring/ring.h"
#include "drives/pushbelt/ring/ring_pulley.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>

enum { PLACES = 400 };

typedef struct laid {
  cap_model *m;
  cap_data *d;
  const cap_ring *ring;
  double place[PLACES][2], xi[PLACES];
  double sum;
  cap_stepper stepper;
  double step;
  cap_eval e;
  double *memory;
} laid;

static void open_ring(laid *r, const char *model, int nodes, bool pulleys)
{
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  cap_ring_shape shape = {
      .model = model,
      .name = "ring",
      .section = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .length = 0.6670139,
      .free_length = 0.6666,
      .centre_distance = 0.155,
      .speed = 10.0,
      .nodes = nodes};
  if (!b) exit(1);
  cap_ring_section_fill(&shape.section, 8000.0);
  *r = (laid){.ring = cap_ring_build(b, &shape, &error)};
  if (!r->ring) bench_need(CAP_ERR_UNSUPPORTED, &error);
  for (int k = 0; pulleys && k < 2; k++) {
    double par[CAP_RING_PULLEY_NPARAM] = {
        [CAP_RING_PULLEY_X] = 0.155 * k,    [CAP_RING_PULLEY_SLIDE] = -1,
        [CAP_RING_PULLEY_ROTATION] = -1,    [CAP_RING_PULLEY_BASE] = 10.0 / 0.0568,
        [CAP_RING_PULLEY_RADIUS] = 0.05683, [CAP_RING_PULLEY_NORMAL] = 1e10,
        [CAP_RING_PULLEY_FRICTION] = 0.1,   [CAP_RING_PULLEY_SLIP] = 0.1};
    cap_ring_pulley_add(b, r->ring, "pulley", 4 * nodes, par);
  }
  bench_need(cap_builder_finish(b, &r->m, &error), &error);
  cap_builder_free(b);
  r->d = cap_data_create(r->m);
  r->memory = calloc((size_t)(r->m->nstate + r->m->nv) + 1, sizeof(double));
  if (!r->d || !r->memory) exit(1);
}

static void close_ring(laid *r)
{
  cap_data_free(r->d);
  cap_model_free(r->m);
  free(r->memory);
}

static void search(void *self)
{
  laid *r = self;
  for (int k = 0; k < PLACES; k++) r->sum += cap_ring_nearest(r->ring, r->d->q, r->place[k], r->xi[k]);
}

static void time_search(bench_table *table, const char *model, int nodes)
{
  laid r;
  char name[64];
  open_ring(&r, model, nodes, false);
  for (int k = 0; k < PLACES; k++) {
    cap_ring_point p;
    double xi = r.ring->length * k / PLACES, off = 1e-4 * sin(0.7 * k);
    cap_ring_point_at(r.ring, r.d->q, xi, &p);
    r.place[k][0] = p.r[0] - off * p.t[1], r.place[k][1] = p.r[1] + off * p.t[0];
    r.xi[k] = xi - 1e-5;
  }
  snprintf(name, sizeof name, "search, %s", model);
  bench_row(table, name, nodes, bench_best(search, &r, 0.1) / PLACES * 1e9, "ns/element");
  close_ring(&r);
}

static void forces(void *self)
{
  laid *r = self;
  cap_model_slopes(r->m, &r->e, r->d->y, NULL, r->memory, NULL);
}

static void time_forces(bench_table *table, const char *model, int nodes, bool pulleys)
{
  laid r;
  char name[64];
  open_ring(&r, model, nodes, pulleys);
  r.e = (cap_eval){.nlane = 1, .t = r.d->t, .h = r.memory + r.m->nstate, .inertia_work = r.d->inertia_work};
  snprintf(name, sizeof name, "accelerations, %s%s", model, pulleys ? " on pulleys" : "");
  bench_row(table, name, nodes, bench_best(forces, &r, 0.1) * 1e6, "us");
  close_ring(&r);
}

static void advance(void *self)
{
  laid *r = self;
  cap_error error = {0};
  double to = *r->d->t + 100.0 * r->step;
  bench_need(cap_stepper_advance(&r->stepper, r->m, r->d, &to, NULL, &error), &error);
}

static void time_steps(bench_table *table, const char *model, const cap_stepper_type *type, int nodes,
                       bool pulleys)
{
  laid r;
  char name[64];
  cap_error error = {0};
  open_ring(&r, model, nodes, pulleys);
  r.step = 0.4 / r.m->fastest;
  cap_stepper_settings settings = {.step = r.step};
  bench_need(cap_stepper_create(type, r.m, &settings, &r.stepper, &error), &error);
  snprintf(name, sizeof name, "%s, %s%s", type->name, model, pulleys ? " on pulleys" : "");
  bench_row(table, name, nodes, bench_best(advance, &r, 0.1) / 100.0 * 1e6, "us/step");
  snprintf(name, sizeof name, "fastest angular_frequency, %s", model);
  if (!pulleys) bench_row(table, name, nodes, r.m->fastest, "rad/s");
  cap_stepper_free(&r.stepper);
  close_ring(&r);
}

int main(int argc, char **argv)
{
  static const char *const models[] = {"rcm", "ancf", "ale", "ale0"};
  static const int sizes[] = {40, 80, 160, 320};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int m = 0; m < 4; m++)
    for (int k = 0; k < (m < 3 ? 4 : 1); k++) time_search(&table, models[m], sizes[k]);
  for (int m = 0; m < 2; m++)
    for (int k = 0; k < 4; k++)
      for (int pulleys = 0; pulleys < 2; pulleys++) time_forces(&table, models[m], sizes[k], pulleys);
  for (int k = 0; k < 4; k++)
    for (int pulleys = 0; pulleys < 2; pulleys++) {
      time_steps(&table, "rcm", &cap_leapfrog_type, sizes[k], pulleys);
      time_steps(&table, "ancf", &cap_leapfrog_type, sizes[k], pulleys);
    }
  return bench_close(&table);
}
