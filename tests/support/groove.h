/* A pushbelt's elements in the grooves of two pulleys, and nothing else: for tests and benchmarks of
 * drives/pushbelt/contact/groove.h. */
#pragma once
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "model/data.h"
#include "step/stepper.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct grooves {
  cap_variator v;
  cap_model *model;
  double *h, *xdot, *force, *power, *hints, *warm, *x, *q, *vel;
  int64_t solves[CAP_SOLVES_NCOUNT];
} grooves;

/* The reference belt; sheaves: 0 rigid, 1 tilt, 2 tilt and plate. */
static inline cap_variator grooves_variator(int n, double ratio, int sheaves)
{
  static const double tilt[2] = {9e-7, 5e-7};
  static const double plate[2][6] = {{2.4e-9, 3.2e-9, 1.6e-9, 0.7e-9, 0.3e-9, 0.16e-9},
                                     {1.4e-9, 2.0e-9, 1.0e-9, 0.4e-9, 0.2e-9, 0.1e-9}};
  cap_variator v = {.simulated = n,
                    .real = 437,
                    .iota = 437.0 / n,
                    .centre_distance = 0.155,
                    .wedge = 11.0 * M_PI / 180.0,
                    .inner = 0.020,
                    .outer = 0.078};
  v.element = (cap_variator_element){.thickness = 1.5e-3,
                                     .edge = -0.97e-3,
                                     .flank = -1.09e-3,
                                     .patch_length = 1.5e-3,
                                     .patch_breadth = 4.5e-3,
                                     .mass = 2.25e-3,
                                     .inertia = 2.93e-8};
  v.contact = (cap_variator_contacts){.flank_stiffness = 2e7,
                                      .flank_damping = 1e-7,
                                      .flank_friction = {0.09, 0.09, 0.0, 0.0},
                                      .flank_points = 1,
                                      .flank_coupled = true};
  cap_variator_line line = cap_variator_geometry_line(437 * 1.5e-3, v.centre_distance, ratio);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    cap_variator_pulley *to = &v.pulley[p];
    *to = (cap_variator_pulley){.inertia = 0.014, .loose_mass = 2.5, .x = p ? v.centre_distance : 0.0};
    to->radius = line.r[p] + v.element.flank - v.element.edge;
    for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++) {
      to->sheave[s] = (cap_influence){.inner = v.inner, .outer = v.outer};
      if (sheaves > 0) to->sheave[s].tilt = tilt[s];
      for (int m = 0; sheaves > 1 && m < CAP_INFLUENCE_HARMONICS; m++) to->sheave[s].plate[m] = plate[s][m];
    }
  }
  return v;
}

/* A convex contour through the point of contact at the closing 0, and spheres. */
static inline void grooves_curve(cap_variator *v, double bend, double sphere)
{
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    const double a[] = {0.06, -1.0 / tan(v->wedge), -60.0 * bend, 1.5e3 * bend, 8e4 * bend, -3e6 * bend};
    memcpy(v->pulley[p].shape, a, sizeof a);
    v->pulley[p].curved = true;
    v->pulley[p].shape_low = -0.004, v->pulley[p].shape_high = 0.009;
    v->pulley[p].flank_radius = sphere;
  }
}

/* All elements along the line of their centres, evenly, at the speed of the belt; each pulley closed by
 * `closing` beyond touching. */
static inline void grooves_place(grooves *g, double speed, const double closing[2])
{
  const cap_variator *v = &g->v;
  cap_variator_line line = cap_variator_geometry_around(
      v->pulley[0].radius - v->element.flank, v->pulley[1].radius - v->element.flank, v->centre_distance);
  double length = cap_variator_geometry_length(&line);
  for (int k = 0; k < v->simulated; k++) {
    double s = fmod((k + 0.3) * length / v->simulated, length), x, y, pitch;
    double ends[4] = {line.r[0] * line.wrap[0], line.strand, line.r[1] * line.wrap[1], line.strand};
    int part = 0;
    while (part < 3 && s > ends[part]) s -= ends[part++];
    if (part % 2 == 0) {
      int p = part / 2;
      double start = p ? 0.5 * line.wrap[1] : M_PI + 0.5 * line.wrap[0], angle = start - s / line.r[p];
      x = v->pulley[p].x + line.r[p] * cos(angle), y = line.r[p] * sin(angle);
      pitch = angle - 0.5 * M_PI;
    } else {
      int p = part / 2; /* leaves pulley p */
      double angle = p ? -0.5 * line.wrap[1] : M_PI - 0.5 * line.wrap[0];
      pitch = angle - 0.5 * M_PI;
      x = v->pulley[p].x + line.r[p] * cos(angle) + s * cos(pitch);
      y = line.r[p] * sin(angle) + s * sin(pitch);
    }
    g->q[v->x + k] = x, g->q[v->y + k] = y, g->q[v->pitch + k] = pitch;
    g->vel[v->x + k] = speed * cos(pitch), g->vel[v->y + k] = speed * sin(pitch);
    g->vel[v->pitch + k] = part % 2 == 0 ? -speed / line.r[part / 2] : 0.0;
  }
  for (int p = 0; p < 2; p++) {
    g->q[v->pulley[p].closing] = closing[p];
    g->vel[v->pulley[p].rotation] = speed / line.r[p];
    g->vel[v->pulley[p].closing] = 0.0;
  }
}

static inline double *grooves_new(int n)
{
  double *a = calloc((size_t)n + 1, sizeof(double));
  assert(a);
  return a;
}

static inline void grooves_open(grooves *g, const cap_variator *v)
{
  cap_builder *b = cap_builder_create(1);
  cap_error error = {0};
  cap_variator *kept = CAP_ARENA_NEW(cap_builder_arena(b), cap_variator, 1);
  *kept = *v;
  int *first[3] = {&kept->x, &kept->y, &kept->pitch};
  double mass[3] = {v->iota * v->element.mass, v->iota * v->element.mass, v->iota * v->element.inertia};
  for (int c = 0; c < 3; c++)
    for (int k = 0; k < v->simulated; k++) {
      int at = cap_builder_dof(b, "e", c < 2 ? "m" : "rad", mass[c], 0.0, 0.0);
      if (k == 0) *first[c] = at;
    }
  for (int p = 0; p < 2; p++) {
    kept->pulley[p].rotation = cap_builder_dof(b, "turn", "rad", v->pulley[p].inertia, 0.0, 0.0);
    kept->pulley[p].closing = cap_builder_dof(b, "closing", "m", v->pulley[p].loose_mass, 0.0, 0.0);
  }
  cap_status status = cap_groove_build(b, kept, NULL, &error);
  assert(status == CAP_OK);
  status = cap_builder_finish(b, &g->model, &error);
  assert(status == CAP_OK);
  (void)status;
  cap_builder_free(b);
  g->v = *kept;
  const cap_model *m = g->model;
  g->h = grooves_new(m->nv), g->q = grooves_new(m->nv), g->vel = grooves_new(m->nv);
  g->x = grooves_new(m->nx), g->xdot = grooves_new(m->nx);
  g->force = grooves_new(m->noutput), g->power = grooves_new(m->nmech);
  g->hints = grooves_new(m->nhint), g->warm = grooves_new(m->nwarm);
  memcpy(g->x, m->initial + 2 * m->nv, sizeof(double) * (size_t)m->nx);
}

static inline void grooves_close(grooves *g)
{
  double *all[] = {g->h, g->q, g->vel, g->x, g->xdot, g->force, g->power, g->hints, g->warm};
  for (size_t k = 0; k < sizeof all / sizeof *all; k++) free(all[k]);
  cap_model_free(g->model);
}

/* An evaluation after a step of length `march` that ends at q with the velocities vel; jump may be NULL. */
static inline cap_eval grooves_step(grooves *g, double march, double *jump)
{
  static const double t = 0.0;
  return (cap_eval){.nlane = 1,
                    .t = &t,
                    .q = g->q,
                    .v = g->vel,
                    .x = g->x,
                    .h = g->h,
                    .xdot = g->xdot,
                    .march = march,
                    .v_half = g->vel,
                    .x_march = g->x,
                    .jump = jump,
                    .hints = g->hints,
                    .warm = g->warm};
}

/* Forces after such a step. */
static inline void grooves_march(grooves *g, double march, double *jump)
{
  const cap_model *m = g->model;
  memset(g->h, 0, sizeof(double) * (size_t)m->nv);
  cap_eval e = grooves_step(g, march, jump);
  e.force = g->force, e.power = g->power, e.solves = g->solves;
  cap_model_rates(m, &e);
}

/* Energy of flanks, sheaves and bristles. */
static inline double grooves_energy(const grooves *g)
{
  const cap_batch *b = &g->model->batches[0];
  double stored = 0.0;
  cap_eval e = {.nlane = 1, .q = g->q, .v = g->vel, .x = g->x};
  b->type->energy(b, &e, &stored);
  return stored;
}

static inline const double *grooves_output(const grooves *g, int k)
{
  return g->force + g->model->batches[0].output_adr + k * CAP_GROOVE_NOUTPUT;
}
