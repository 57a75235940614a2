/* bench/bench_kinematics.c — ns an element: flanks on cones and on curved sheaves (place, velocities, a
 * regularised force and what it does, over arrays of elements), the rows of the contact types, and saddles on
 * the ring models (search from the place of before, velocities, forces). */
#include "bench.h"
#include "drives/pushbelt/contact/flank.h"
#include "drives/pushbelt/contact/saddle.h"
#include "model/builder.h"

#include <stddef.h>
#include <stdlib.h>

enum { MOST = 4096 };

/* Elements on an arc; arrays as a stepper has them. */
typedef struct arc {
  int n;
  double arm_x[MOST], arm_y[MOST], from_x[MOST], from_y[MOST], vx[MOST], vy[MOST], w[MOST], foot[MOST];
  double fx[MOST], fy[MOST], moment[MOST], torque[MOST], closing[MOST];
  cap_flank_curve sheave;
} arc;

static const double sin_b = 0.19080899537654481, cos_b = 0.98162718344766398, stiffness = 2e7, mu = 0.09,
                    v_regular = 1e-3, omega = -209.0, rho0 = 0.055;

/* Unilateral spring and friction along the slip, both flanks together. */
CAP_INLINE void force(double gap, const double g[3], double f[3])
{
  double depth = gap < 0.0 ? -gap : 0.0, n = 2.0 * stiffness * depth;
  double per = mu * n / sqrt(g[1] * g[1] + g[2] * g[2] + v_regular * v_regular);
  f[0] = n;
  f[1] = -per * g[1];
  f[2] = -per * g[2];
}

CAP_CLONES static void cones(int n, const double arm_x[restrict], const double arm_y[restrict],
                             const double from_x[restrict], const double from_y[restrict],
                             const double vx[restrict], const double vy[restrict], const double w[restrict],
                             double fx[restrict], double fy[restrict], double moment[restrict],
                             double torque[restrict], double closing[restrict])
{
  for (int i = 0; i < n; i++) {
    double g[3], f[3];
    cap_flank_place p = cap_flank_on_cone(sin_b, cos_b, rho0, 0.0, from_x[i], from_y[i], 1e-5);
    cap_flank_velocity(&p, arm_x[i], arm_y[i], vx[i], vy[i], w[i], omega, 0.0, g);
    force(p.gap, g, f);
    cap_flank_push push = cap_flank_pushes(&p, arm_x[i], arm_y[i], f);
    fx[i] = push.force[0];
    fy[i] = push.force[1];
    moment[i] = push.moment;
    torque[i] = push.torque;
    closing[i] = push.closing;
  }
}

/* The foot of before, moved on by one step of Newton's method. */
CAP_CLONES static void curves(int n, const cap_flank_curve *sheave, const double arm_x[restrict],
                              const double arm_y[restrict], const double from_x[restrict],
                              const double from_y[restrict], const double vx[restrict],
                              const double vy[restrict], const double w[restrict], double foot[restrict],
                              double fx[restrict], double fy[restrict], double moment[restrict],
                              double torque[restrict], double closing[restrict])
{
  const cap_flank_curve own = *sheave;
  const double m = 0.0023, radius = 0.25;
  for (int i = 0; i < n; i++) {
    double g[3], f[3], rho = sqrt(from_x[i] * from_x[i] + from_y[i] * from_y[i]);
    foot[i] = cap_flank_step(&own, m, rho, foot[i]);
    cap_flank_place p = cap_flank_on_curve(&own, radius, from_x[i], from_y[i], m, foot[i]);
    cap_flank_velocity(&p, arm_x[i], arm_y[i], vx[i], vy[i], w[i], omega, 0.0, g);
    force(p.gap, g, f);
    cap_flank_push push = cap_flank_pushes(&p, arm_x[i], arm_y[i], f);
    fx[i] = push.force[0];
    fy[i] = push.force[1];
    moment[i] = push.moment;
    torque[i] = push.torque;
    closing[i] = push.closing;
  }
}

static void run_cones(void *self)
{
  arc *a = self;
  cones(a->n, a->arm_x, a->arm_y, a->from_x, a->from_y, a->vx, a->vy, a->w, a->fx, a->fy, a->moment,
        a->torque, a->closing);
}

static void run_curves(void *self)
{
  arc *a = self;
  curves(a->n, &a->sheave, a->arm_x, a->arm_y, a->from_x, a->from_y, a->vx, a->vy, a->w, a->foot, a->fx,
         a->fy, a->moment, a->torque, a->closing);
}

static void run_feet(void *self)
{
  arc *a = self;
  for (int i = 0; i < a->n; i++) {
    double rho = sqrt(a->from_x[i] * a->from_x[i] + a->from_y[i] * a->from_y[i]), x = a->foot[i];
    cap_flank_foot(&a->sheave, 0.0023, rho, &x);
    a->fx[i] = x;
  }
}

static void run_cold(void *self)
{
  arc *a = self;
  for (int i = 0; i < a->n; i++) {
    double rho = sqrt(a->from_x[i] * a->from_x[i] + a->from_y[i] * a->from_y[i]);
    double x = cap_flank_guess(&a->sheave, 0.0023, rho, 0.25);
    cap_flank_foot(&a->sheave, 0.0023, rho, &x);
    a->fx[i] = x;
  }
}

static void place(arc *a, int n)
{
  *a = (arc){.n = n,
             .sheave = {.a = {0.06, -5.1445540159703, -60.0, 1.5e3, 8e4, -3e6}, .low = -0.01, .high = 0.02}};
  for (int i = 0; i < n; i++) {
    double phi = 3.0 * i / n, rho = 0.055 - 2e-6 * sin(5.0 * phi);
    a->arm_y[i] = -1e-3 * cos(phi), a->arm_x[i] = 1e-3 * sin(phi);
    a->from_x[i] = rho * cos(phi), a->from_y[i] = rho * sin(phi);
    a->vx[i] = 11.5 * sin(phi), a->vy[i] = -11.5 * cos(phi), a->w[i] = -209.0;
    a->foot[i] = cap_flank_guess(&a->sheave, 0.0023, rho, 0.25);
    cap_flank_foot(&a->sheave, 0.0023, rho, &a->foot[i]);
  }
}

/* ---- contact types ------------------------------------------------------------------------------------- */

typedef struct rows {
  cap_contact_batch batch;
  int coord[64 * 5];
  double par[64 * CAP_FLANK_CURVE_NPARAM], q[64 * 5];
  cap_contact_rows rows[64], drows[64];
} rows;

static void run_rows(void *self)
{
  rows *s = self;
  memset(s->rows, 0, sizeof s->rows);
  s->batch.type->rows(&s->batch, 0, 64, 0.0, s->q, NULL, s->rows);
}

static void run_turn(void *self)
{
  rows *s = self;
  memset(s->drows, 0, sizeof s->drows);
  s->batch.type->turn(&s->batch, 0, 64, 0.0, s->q, NULL, s->rows, 0.0, s->q, NULL, 1, s->drows);
}

static void bench_type(bench_table *table, const cap_contact_type *type, const double *par)
{
  static rows s;
  char name[64];
  s.batch = (cap_contact_batch){.type = type, .n = 64, .coord = s.coord, .par = s.par};
  for (int k = 0; k < 64; k++) {
    double phi = 0.04 * k, q[5] = {0.055 * cos(phi), 0.055 * sin(phi), phi - 1.57, 0.0, 1e-5};
    for (int i = 0; i < 5; i++) s.coord[5 * k + i] = 5 * k + i, s.q[5 * k + i] = q[i];
    memcpy(s.par + (ptrdiff_t)(k * type->nparam), par, sizeof(double) * (size_t)type->nparam);
  }
  snprintf(name, sizeof name, "%s: rows", type->name);
  bench_row(table, name, 64, bench_best(run_rows, &s, 0.2) / 64 * 1e9, "ns/contact");
  snprintf(name, sizeof name, "%s: derivative", type->name);
  bench_row(table, name, 64, bench_best(run_turn, &s, 0.2) / 64 * 1e9, "ns/contact");
}

/* ---- saddles on rings ---------------------------------------------------------------------------------- */

typedef struct saddles {
  const cap_ring *ring;
  int n, nv;
  double *q, *v, *h, hint[437];
} saddles;

static void run_saddles(void *self)
{
  saddles *s = self;
  for (int k = 0; k < s->n; k++) {
    cap_saddle_point p = {.ring = s->ring,
                          .coord = {s->nv + 3 * k, s->nv + 3 * k + 1, s->nv + 3 * k + 2},
                          .a = {0.0, 0.001},
                          .side = 1.0,
                          .half_thick = 0.83e-3};
    cap_saddle_place at;
    double g[2], f[2];
    cap_saddle_find(&p, s->q, &s->hint[k], &at);
    cap_saddle_velocity(&p, &at, s->v, g);
    f[0] = at.gap < 0.0 ? -1e7 * at.gap : 0.0;
    f[1] = -0.1 * f[0] * g[1] / sqrt(g[1] * g[1] + 1e-6);
    cap_saddle_push(&p, &at, f, s->h);
  }
}

static void bench_ring(bench_table *table, const cap_ring_type *type)
{
  cap_ring_shape shape = {
      .model = type->name,
      .name = "ring",
      .section = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .length = 0.66701,
      .centre_distance = 0.155,
      .nodes = 160};
  cap_ring_section_fill(&shape.section, 8000.0);
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  cap_model *m = NULL;
  saddles s = {.n = 437};
  if (b) s.ring = cap_ring_build(b, &shape, &error);
  if (!s.ring || cap_builder_finish(b, &m, &error) != CAP_OK) fprintf(stderr, "%s\n", error.text);
  cap_builder_free(b);
  if (!m) return;
  s.nv = m->nv;
  size_t n = (size_t)(s.nv + 3 * s.n);
  if ((s.q = calloc(3 * n, sizeof *s.q))) {
    s.v = s.q + n, s.h = s.v + n;
    memcpy(s.q, m->initial, sizeof(double) * (size_t)s.nv);
    for (int k = 0; k < s.n; k++) {
      cap_ring_point on;
      cap_ring_point_at(s.ring, s.q, s.ring->length * k / s.n, &on);
      double off = -1.82e-3 - 1e-6 * sin(k), *q = s.q + s.nv + (ptrdiff_t)(3 * k);
      q[0] = on.r[0] - on.t[1] * off, q[1] = on.r[1] + on.t[0] * off, q[2] = atan2(on.t[1], on.t[0]);
    }
    char name[64];
    run_saddles(&s); /* the first search is all around */
    snprintf(name, sizeof name, "saddle on a ring (%s): search to forces", type->name);
    bench_row(table, name, s.n, bench_best(run_saddles, &s, 0.2) / s.n * 1e9, "ns/element");
  }
  free(s.q);
  cap_model_free(m);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  arc *a = malloc(sizeof *a);
  if (!a) return 1;
  const int sizes[3] = {64, 437, MOST};
  for (int i = 0; i < 3; i++) {
    place(a, sizes[i]);
    bench_row(&table, "flank on a cone: place to forces", a->n, bench_best(run_cones, a, 0.2) / a->n * 1e9,
              "ns/element");
    bench_row(&table, "sphere on a curved sheave: place to forces", a->n,
              bench_best(run_curves, a, 0.2) / a->n * 1e9, "ns/element");
  }
  bench_row(&table, "foot on a curved sheave: warm", a->n, bench_best(run_feet, a, 0.2) / a->n * 1e9,
            "ns/element");
  bench_row(&table, "foot on a curved sheave: cold", a->n, bench_best(run_cold, a, 0.2) / a->n * 1e9,
            "ns/element");
  const double cone[CAP_FLANK_CONE_NPARAM] = {0.0, -0.001, 0.0, 0.0, 0.055, 0.1919862177, 0.0};
  double curve[CAP_FLANK_CURVE_NPARAM] = {0.0, 0.0467, 0.0, 0.0, 0.2464, 0.25, -0.01, 0.02};
  memcpy(curve + CAP_FLANK_CURVE_A, a->sheave.a, sizeof a->sheave.a);
  bench_type(&table, &cap_flank_cone_type, cone);
  bench_type(&table, &cap_flank_curve_type, curve);
  free(a);
  for (int k = 0; cap_ring_types[k]; k++) bench_ring(&table, cap_ring_types[k]);
  return bench_close(&table);
}
