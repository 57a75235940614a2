/* Saddle and ear of a whole belt on its ring: against the single contact in every model of rings, forces and
 * moments from inside, power, losses over marched steps, sections; the capstan; meshes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/equilibrium.h"
#include "contact/ring_guide.h"
#include "contact/saddle.h"
#include "elements/ring_layout.h"
#include "elements/ring_mesh.h"
#include "linalg/eigen.h"
#include "model/builder.h"
#include "step/stepper.h"

#include "../support/ring.h"

static void check_near(double a, double b, double tolerance)
{
  if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

enum { ELEMENTS = 75, NODES = 48 }; /* more than a group, and no whole vectors */
static const double distance = 0.155, thickness = 1.665e-3;
static const char *const models[] = {"rcm", "ancf", "ale", "ale0"};

/* ---- a belt on a ring ----------------------------------------------------------------------------------- */

typedef struct belt {
  test_system s;
  const cap_ring *ring;
  cap_variator v;
} belt;

static cap_variator variator_of(int n, double iota)
{
  cap_variator v = {.simulated = n, .iota = iota, .ring_thickness = thickness, .centre_distance = distance};
  v.element.saddle = 0.3e-3;
  v.element.ear = v.element.saddle + 2.2e-3;
  v.element.mass = 2.25e-3;
  v.contact.saddle_stiffness = 1e7;
  v.contact.ear_stiffness = 0.8e7;
  v.contact.saddle_damping = 2e-7;
  v.contact.ring_friction = (capm_friction){.mu_static = 0.1, .mu_kinetic = 0.1};
  return v;
}

/* Sections of the elements as some other element has them. */
static void hold(const cap_batch *b, cap_eval *e)
{
  if (!e->x_march)
    for (int k = 0; k < b->n; k++) e->xdot[b->x_adr + k] = 0.0;
}
static const cap_element_type section_type = {
    .name = "section", .nstate = 1, .wide = true, .marches = true, .rates = hold};
static int first_state(const cap_batch *b)
{
  return b->x_adr;
}
static const cap_ring_guide_sections sections = {&section_type, first_state};

/* Elements with masses; on the ring, at depths that differ. */
static int add_coordinates(cap_builder *b, const char *name, int n)
{
  int first = 0;
  for (int k = 0; k < n; k++) {
    char text[32];
    snprintf(text, sizeof text, "%s.%d", name, k);
    int dof = cap_builder_dof(b, text, "m", 1.0, 0.0, 0.0);
    if (k == 0) first = dof;
  }
  return first;
}

static belt belt_of(const char *model, double theta, cap_variator v, const double *mesh)
{
  belt t = {.v = v};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  cap_ring_shape shape = test_ring_reference(model, NODES);
  shape.centre_distance = distance;
  shape.theta = theta;
  shape.free_length = TEST_RING_LENGTH - 3e-4;
  shape.mesh = mesh;
  if (!(t.ring = cap_ring_build(b, &shape, &error))) fail_msg("%s", error.text);
  t.v.x = add_coordinates(b, "x", v.simulated);
  t.v.y = add_coordinates(b, "y", v.simulated);
  t.v.pitch = add_coordinates(b, "pitch", v.simulated);
  for (int k = 0; k < v.simulated; k++) {
    const double in = (k / 3) % CAP_VARIATOR_SECTIONS;
    cap_builder_element(b, &section_type, "section", t.v.x + k, CAP_GROUND, NULL, &in);
  }
  if (cap_ring_guide_build(b, &t.v, t.ring, &sections, &error) != CAP_OK) fail_msg("%s", error.text);
  if (cap_builder_finish(b, &t.s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(t.s.d = cap_data_create(t.s.m));
  return t;
}

static void free_belt(belt *t)
{
  cap_data_free(t->s.d);
  cap_model_free(t->s.m);
}

static const cap_batch *guide_of(const belt *t)
{
  for (int k = 0; k < t->s.m->nbatch; k++)
    if (t->s.m->batches[k].type == &cap_ring_guide_type) return &t->s.m->batches[k];
  return NULL;
}

/* The ring is bent and moves, elements are spread over it: some on the saddle, some on the ear, some free. */
static void scatter_state(belt *t, uint64_t *seed, double slip)
{
  double *q = t->s.d->q, *v = t->s.d->v, *x = t->s.d->x;
  const cap_ring *ring = t->ring;
  bool nodes = strcmp(ring->type->name, "rcm") == 0;
  for (int i = 0; i < ring->ncoord; i++) {
    bool angle = nodes && i % 3 == 2;
    if (i != ring->flow - ring->first) q[ring->first + i] += test_random(seed, -1, 1) * (angle ? 1e-3 : 1e-5);
    v[ring->first + i] += test_random(seed, -1, 1) * 0.05;
  }
  if (ring->flow >= 0) v[ring->flow] = 10.0;
  for (int k = 0; k < t->v.simulated; k++) {
    cap_ring_point p;
    double xi = ring->length * (k + test_random(seed, 0.1, 0.9)) / t->v.simulated, speed[2] = {0.0, 0.0};
    double kind = test_random(seed, 0, 3), off = -0.5 * thickness + test_random(seed, 0, 2e-5);
    if (kind > 1.0) off = -0.5 * thickness - test_random(seed, 1e-4, 4e-4);
    if (kind > 2.0) off = 0.5 * thickness - 2.2e-3 - test_random(seed, 0, 2e-5);
    cap_ring_point_at(ring, q, xi, &p);
    for (int i = 0; i < p.ncoord; i++) {
      speed[0] += p.J[0][i] * v[p.coord[i]];
      speed[1] += p.J[1][i] * v[p.coord[i]];
    }
    double pitch = atan2(p.t[1], p.t[0]) + test_random(seed, -0.05, 0.05) + 2.0 * M_PI * (k % 3 - 1);
    q[t->v.pitch + k] = pitch;
    q[t->v.x + k] = p.r[0] - off * p.t[1] + t->v.element.saddle * sin(pitch);
    q[t->v.y + k] = p.r[1] + off * p.t[0] - t->v.element.saddle * cos(pitch);
    v[t->v.pitch + k] = test_random(seed, -20, 20);
    v[t->v.x + k] = speed[0] + slip * test_random(seed, -1, 1);
    v[t->v.y + k] = speed[1] + slip * test_random(seed, -1, 1);
    x[guide_of(t)->x_adr + k] = test_random(seed, -5e-7, 5e-7);
  }
}

/* ---- against the single contact ------------------------------------------------------------------------- */

/* The same law by contact/saddle.h, one contact after the other. */
static void single_contacts(const belt *t, double *h, double *rate)
{
  const double *q = t->s.d->q, *v = t->s.d->v, *x = t->s.d->x + guide_of(t)->x_adr;
  const cap_variator *w = &t->v;
  for (int k = 0; k < w->simulated; k++) {
    cap_saddle_point p = {.ring = t->ring,
                          .coord = {w->x + k, w->y + k, w->pitch + k},
                          .a = {0.0, w->element.saddle},
                          .side = 1.0,
                          .half_thick = 0.5 * thickness};
    cap_saddle_place at;
    double g[CAP_SADDLE_ROWS], k_n = w->iota * w->contact.saddle_stiffness, slot = 2.2e-3;
    cap_saddle_find(&p, q, NULL, &at);
    if (at.d + slot < 0.5 * thickness) { /* the ear, on the normal of the ring through the saddle's point */
      double c = cos(q[p.coord[2]]), s = sin(q[p.coord[2]]);
      p.a[0] += slot * (c * at.n[0] + s * at.n[1]);
      p.a[1] += slot * (c * at.n[1] - s * at.n[0]);
      p.side = -1.0;
      k_n = w->iota * w->contact.ear_stiffness;
      cap_saddle_find(&p, q, NULL, &at);
    }
    cap_saddle_velocity(&p, &at, v, g);
    double spring = at.gap < 0.0 ? fmax(0.0, k_n * (-at.gap - w->contact.saddle_damping * g[0])) : 0.0;
    capm_stick law = {.k = w->iota * w->contact.saddle_stiffness,
                      .mu_static = w->contact.ring_friction.mu_static,
                      .mu_kinetic = w->contact.ring_friction.mu_kinetic,
                      .v_stribeck = w->contact.ring_friction.v_stribeck};
    law.d = law.k * w->contact.saddle_damping;
    capm_stick_result r;
    capm_stick_evaluate(&law, 1, &x[k], &g[1], spring, &r);
    const double f[CAP_SADDLE_ROWS] = {spring, -r.force[0]};
    cap_saddle_push(&p, &at, f, h);
    rate[k] = r.rate[0];
  }
}

/* Forces of the guide alone: what the model has without it is taken away. */
static void guide_rates(const belt *t, cap_eval *e)
{
  const cap_batch *b = guide_of(t);
  memset(e->h, 0, sizeof(double) * (size_t)t->s.m->nv);
  b->type->rates(b, e);
}

typedef struct evaluation {
  double *h, *other, *xdot, *power, *force, *warm;
} evaluation;

static evaluation room_for(const belt *t)
{
  const cap_model *m = t->s.m;
  evaluation r = {.h = calloc((size_t)m->nv, sizeof(double)),
                  .other = calloc((size_t)m->nv, sizeof(double)),
                  .xdot = calloc((size_t)m->nx, sizeof(double)),
                  .power = calloc((size_t)m->nmech, sizeof(double)),
                  .force = calloc((size_t)m->noutput, sizeof(double)),
                  .warm = calloc((size_t)m->nwarm, sizeof(double))};
  assert_true(r.h && r.other && r.xdot && r.power && r.force && r.warm);
  return r;
}

static void free_room(evaluation *r)
{
  free(r->h);
  free(r->other);
  free(r->xdot);
  free(r->power);
  free(r->force);
  free(r->warm);
}

static cap_eval eval_of(const belt *t, const evaluation *r)
{
  return (cap_eval){.nlane = 1,
                    .t = t->s.d->t,
                    .q = t->s.d->q,
                    .v = t->s.d->v,
                    .x = t->s.d->x,
                    .h = r->h,
                    .xdot = r->xdot,
                    .power = r->power,
                    .force = r->force,
                    .warm = r->warm};
}

static void compare_with_single(const char *model, double theta, const double *mesh, double iota)
{
  uint64_t seed = 5;
  double worst = 0.0, largest = 0.0;
  int slides = 0, touches = 0;
  for (int round = 0; round < 6; round++) {
    belt t = belt_of(model, theta, variator_of(ELEMENTS, iota), mesh);
    scatter_state(&t, &seed, round % 2 ? 0.3 : 0.01);
    evaluation r = room_for(&t);
    cap_eval e = eval_of(&t, &r);
    double rate[ELEMENTS];
    const cap_batch *b = guide_of(&t);
    for (int turn = 0; turn < 3; turn++) guide_rates(&t, &e); /* cold, then warm */
    single_contacts(&t, r.other, rate);
    for (int i = 0; i < t.s.m->nv; i++) largest = fmax(largest, fabs(r.other[i]));
    for (int i = 0; i < t.s.m->nv; i++) worst = fmax(worst, fabs(r.h[i] - r.other[i]));
    for (int k = 0; k < ELEMENTS; k++) {
      check_near(r.xdot[b->x_adr + k], rate[k], 1e-9 * fmax(1.0, fabs(rate[k])));
      touches += r.force[b->elem_adr + k] != 0.0;
      double slide = r.force[b->output_adr + k * CAP_RING_GUIDE_NOUTPUT + CAP_RING_GUIDE_SLIDE];
      slides += fabs(rate[k] - slide) > 1e-9;
    }
    free_room(&r);
    free_belt(&t);
  }
  print_message("  %s: %.2g of %.3g N, %d touch, %d slide or are free\n", model, worst, largest, touches,
                slides);
  double rounding = 8.0 * 2.2e-16 * 0.2 * 1e7 * iota; /* of places, as forces */
  assert_true(worst <= 1e-12 * largest + rounding);
  assert_true(touches > 200 && slides > 100 && slides < 6 * ELEMENTS - 30);
}

static void all_models_agree_with_the_single_contact(void **state)
{
  (void)state;
  for (int m = 0; m < 4; m++) {
    compare_with_single(models[m], 0.0, NULL, 1.0);
    compare_with_single(models[m], -0.4, NULL, 2.5);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_models_agree_with_the_single_contact),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
