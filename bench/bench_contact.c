/* bench/bench_contact.c — ns a contact: rows of each type, their derivative along one direction, and one
 * evaluation of a rolling body by the model with and without all tangents. */
#include "bench.h"
#include "contact/contacts.h"
#include "elements/elements.h"
#include "linalg/quaternion.h"
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>

enum { N = 64, GROUP = 8, PARAMS_MOST = 8 };

typedef struct scene {
  cap_contact_batch batch;
  int coord[N * CAP_CONTACT_COORDS], attitude[N];
  double par[N * PARAMS_MOST], q[N * CAP_CONTACT_COORDS], x[N * 4];
  cap_contact_rows rows[N], drows[GROUP];
} scene;

static void run_rows(void *self)
{
  scene *s = self;
  memset(s->rows, 0, sizeof s->rows);
  for (int k = 0; k < N; k += GROUP) s->batch.type->rows(&s->batch, k, GROUP, 0.0, s->q, s->x, s->rows + k);
}

static void run_turn(void *self)
{
  scene *s = self;
  for (int k = 0; k < N; k += GROUP) {
    memset(s->drows, 0, sizeof s->drows);
    s->batch.type->turn(&s->batch, k, GROUP, 0.0, s->q, s->x, s->rows + k, 0.0, s->q, s->x, 1, s->drows);
  }
}

static void bench_type(bench_table *table, const cap_contact_type *type)
{
  static scene s;
  char name[64];
  for (int k = 0; k < N * type->ncoord; k++) {
    s.coord[k] = k;
    s.q[k] = sin(k);
  }
  for (int k = 0; k < N; k++) {
    s.attitude[k] = 4 * k;
    capm_quaternion_euler(k, 0.5 + 0.02 * k, 2.0 * k, s.x + (ptrdiff_t)(4 * k));
  }
  for (int k = 0; k < N * type->nparam; k++) s.par[k] = 0.5;
  s.batch = (cap_contact_batch){.type = type, .n = N, .coord = s.coord, .attitude = s.attitude, .par = s.par};
  snprintf(name, sizeof name, "%s: rows", type->name);
  bench_row(table, name, N, bench_best(run_rows, &s, 0.2) / N * 1e9, "ns/contact");
  snprintf(name, sizeof name, "%s: derivative", type->name);
  bench_row(table, name, N, bench_best(run_turn, &s, 0.2) / N * 1e9, "ns/contact");
}

enum { STATES = 19 }; /* six coordinates, six velocities, a quaternion, three deflections */

typedef struct disc {
  cap_model *m;
  int ncol;
  double y[STATES], dy[STATES * STATES], ydot[STATES], dydot[STATES * STATES], h[6], dh[6 * STATES];
} disc;

/* A disc on its rim, viscoelastic contact. */
static cap_model *build_disc(void)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  if (!b) abort();
  const double inertia[3] = {0.25, 0.25, 0.5}, par[CAP_RIM_NPARAM] = {[CAP_RIM_RADIUS] = 1.0};
  double e[4], weight = -9.81;
  int coords[6];
  capm_quaternion_euler(0.3, 1.0, 0.2, e);
  for (int i = 0; i < 6; i++)
    coords[i] = cap_builder_dof(b, "c", "m", i < 3 ? 1.0 : inertia[i - 3], i == 2 ? sin(1.0) : 0.0, 0.1 * i);
  cap_builder_element(b, &cap_weight_type, "weight", coords[2], CAP_GROUND, &weight, NULL);
  int body = cap_builder_element(b, &cap_attitude_type, "body", coords[3], CAP_GROUND, inertia, e);
  const cap_contact_law law = {
      .epsilon = 0.01, .damping_ratio = 1.0, .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY}};
  cap_builder_contact(b, &cap_rim_type, "rim", coords, &body, par, &law);
  if (cap_builder_finish(b, &m, NULL) != CAP_OK) abort();
  cap_builder_free(b);
  return m;
}

static void run_disc(void *self)
{
  disc *d = self;
  double t = 0.0;
  cap_eval e = {.nlane = 1, .ncol = d->ncol, .t = &t, .h = d->h, .dh = d->dh};
  cap_model_derivative(d->m, &e, d->y, d->dy, d->ydot, d->dydot);
}

static void bench_disc(bench_table *table)
{
  static disc d;
  d.m = build_disc();
  if (d.m->nstate != STATES) abort();
  memcpy(d.y, d.m->initial, sizeof d.y);
  for (int i = 0; i < STATES; i++) d.dy[i * (STATES + 1)] = 1.0;
  bench_row(table, "viscoelastic disc: rates", STATES, bench_best(run_disc, &d, 0.2) * 1e9, "ns");
  d.ncol = STATES;
  bench_row(table, "viscoelastic disc: rates and Jacobian", STATES, bench_best(run_disc, &d, 0.2) * 1e9,
            "ns");
  cap_model_free(d.m);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  const cap_contact_type *const types[] = {&cap_blade_type, &cap_wheel_type, &cap_rim_type,
                                           &cap_ball_type,  &cap_shoe_type,  &cap_hinge_type};
  for (int k = 0; k < 6; k++) bench_type(&table, types[k]);
  bench_disc(&table);
  return bench_close(&table);
}
