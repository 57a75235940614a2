/* bench/bench_ring_guide.c — saddles and ears of a whole belt on its ring, of each model of rings: one
 * evaluation of a marched step. The belt travels at 10 m/s in steps of 2 us; every evaluation finds it one
 * step further. */
#include "bench.h"
#include "bench_model.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/ring/ring_mesh.h"
#include "model/builder.h"
#include "model/data.h"

#include <math.h>

enum { STEPS = 200 };
static const double step = 2e-6;

typedef struct belt {
  cap_model *m;
  cap_data *d;
  const cap_ring *ring;
  cap_variator v;
  const cap_batch *batch;
  double *h, *start, *warm;
} belt;

static int add(cap_builder *b, int n)
{
  int first = 0;
  for (int k = 0; k < n; k++) {
    int dof = cap_builder_dof(b, "q", "m", 1.0, 0.0, 0.0);
    if (k == 0) first = dof;
  }
  return first;
}

/* On the saddle by a few micrometres, moving along. */
static void place(belt *t)
{
  double *q = t->d->q, *v = t->d->v;
  for (int k = 0; k < t->v.simulated; k++) {
    cap_ring_point p;
    double off = -0.5 * t->v.ring_thickness + 5e-6 * (1.0 + sin(0.7 * k)), speed = 10.05;
    cap_ring_point_at(t->ring, q, t->ring->length * k / t->v.simulated, &p);
    q[t->v.pitch + k] = atan2(p.t[1], p.t[0]);
    q[t->v.x + k] = p.r[0] - off * p.t[1];
    q[t->v.y + k] = p.r[1] + off * p.t[0];
    v[t->v.x + k] = speed * p.t[0];
    v[t->v.y + k] = speed * p.t[1];
  }
}

static void open_belt(belt *t, const char *model, int nodes, bool graded, int n)
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
  double mesh[512];
  cap_ring_mesh_grade grade = {
      .length = shape.length, .centre_distance = 0.155, .nodes = nodes, .finest = 4e-3, .within = 8e-3};
  if (!b) exit(1);
  cap_ring_section_fill(&shape.section, 8000.0);
  if (graded && !cap_ring_mesh_graded(&grade, mesh)) shape.mesh = mesh;
  *t = (belt){.v = {.simulated = n, .iota = 437.0 / n, .ring_thickness = 1.665e-3}};
  t->v.element = (cap_variator_element){.saddle = 0.0, .ear = 2.2e-3, .mass = 2.25e-3, .thickness = 1.5e-3};
  t->v.contact = (cap_variator_contacts){.saddle_stiffness = 1e7,
                                         .ear_stiffness = 1e7,
                                         .saddle_damping = 1e-7,
                                         .ring_friction = {.mu_static = 0.1, .mu_kinetic = 0.1}};
  t->ring = cap_ring_build(b, &shape, &error);
  if (!t->ring) bench_need(CAP_ERR_UNSUPPORTED, &error);
  t->v.x = add(b, n), t->v.y = add(b, n), t->v.pitch = add(b, n);
  bench_need(cap_ring_guide_build(b, &t->v, t->ring, NULL, &error), &error);
  bench_need(cap_builder_finish(b, &t->m, &error), &error);
  cap_builder_free(b);
  t->d = cap_data_create(t->m);
  t->h = calloc((size_t)(2 * t->m->nv + t->m->nwarm), sizeof(double));
  if (!t->d || !t->h) exit(1);
  t->start = t->h + t->m->nv, t->warm = t->start + t->m->nv;
  place(t);
  memcpy(t->start, t->d->q, sizeof(double) * (size_t)t->m->nv);
  for (int k = 0; k < t->m->nbatch; k++)
    if (t->m->batches[k].type == &cap_ring_guide_type) t->batch = &t->m->batches[k];
}

static void run(void *self)
{
  belt *t = self;
  double jump[64];
  cap_eval e = {.nlane = 1,
                .t = t->d->t,
                .q = t->d->q,
                .v = t->d->v,
                .v_half = t->d->v,
                .x = t->d->x,
                .x_march = t->d->x,
                .march = step,
                .h = t->h,
                .jump = jump,
                .warm = t->warm};
  memcpy(t->d->q, t->start, sizeof(double) * (size_t)t->m->nv);
  memset(t->warm, 0, sizeof(double) * (size_t)t->m->nwarm);
  for (int k = 0; k < STEPS; k++) {
    for (int i = t->v.x; i < t->v.pitch; i++) t->d->q[i] += step * t->d->v[i];
    t->batch->type->rates(t->batch, &e);
  }
}

static void time_belt(bench_table *table, const char *model, int nodes, bool graded, int n)
{
  belt t;
  char name[64];
  open_belt(&t, model, nodes, graded, n);
  snprintf(name, sizeof name, "guide, %s, %d nodes%s", model, nodes, graded ? " graded" : "");
  bench_row(table, name, n, bench_best(run, &t, 0.2) / STEPS / n * 1e9, "ns/element");
  cap_data_free(t.d);
  cap_model_free(t.m);
  free(t.h);
}

int main(int argc, char **argv)
{
  static const char *const models[] = {"ale", "ale0", "rcm", "ancf"};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int n = 218; n <= 437; n += 219) {
    time_belt(&table, "ale", 72, true, n);
    for (int m = 0; m < 4; m++) time_belt(&table, models[m], 160, false, n);
  }
  return bench_close(&table);
}
