/* Saddle and ear of a whole belt on its ring: against the single contact in every model of rings, forces and
 * moments from inside, power, losses over marched steps, sections; the capstan; meshes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"

#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/contact/saddle.h"
#include "drives/pushbelt/ring/ring_layout.h"
#include "drives/pushbelt/ring/ring_mesh.h"
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

/* ---- a belt on a ring ---------------------------------------------------------------------------------- */

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
  v.element.thickness = 1.5e-3;
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

/* ---- against the single contact ------------------------------------------------------------------------ */

/* The same law by drives/pushbelt/contact/saddle.h, one contact after the other. */
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
    capm_stick law = {.k = w->iota * w->contact.saddle_stiffness, .friction = w->contact.ring_friction};
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

/* Coordinates of places of material nodes: those of one direction add up to a force. */
static void nothing_pushes_from_inside(void **state)
{
  (void)state;
  for (int m = 0; m < 2; m++) {
    uint64_t seed = 9;
    belt t = belt_of(models[m], 0.2, variator_of(ELEMENTS, 1.0), NULL);
    scatter_state(&t, &seed, 0.1);
    evaluation r = room_for(&t);
    cap_eval e = eval_of(&t, &r);
    for (int turn = 0; turn < 3; turn++) guide_rates(&t, &e); /* the feet are then known to the last digit */
    double fx = 0.0, fy = 0.0, moment = 0.0, size = 0.0;
    const double *q = t.s.d->q;
    int each = m == 0 ? 3 : 4;
    for (int k = 0; k < NODES; k++) {
      int i = t.ring->first + each * k;
      fx += r.h[i], fy += r.h[i + 1], size += fabs(r.h[i]) + fabs(r.h[i + 1]);
      moment += q[i] * r.h[i + 1] - q[i + 1] * r.h[i];
      moment += m == 0 ? r.h[i + 2] : q[i + 2] * r.h[i + 3] - q[i + 3] * r.h[i + 2];
    }
    for (int k = 0; k < ELEMENTS; k++) {
      double hx = r.h[t.v.x + k], hy = r.h[t.v.y + k];
      fx += hx, fy += hy;
      moment += q[t.v.x + k] * hy - q[t.v.y + k] * hx + r.h[t.v.pitch + k];
    }
    check_near(fx, 0.0, 1e-13 * size);
    check_near(fy, 0.0, 1e-13 * size);
    check_near(moment, 0.0, 1e-13 * size);
    free_room(&r);
    free_belt(&t);
  }
}

static double stored_at(const belt *t, const double *q, const double *x)
{
  double stored = 0.0;
  const cap_batch *b = guide_of(t);
  cap_eval e = {.nlane = 1, .t = t->s.d->t, .q = q, .v = t->s.d->v, .x = x};
  b->type->energy(b, &e, &stored);
  return stored;
}

/* Power of all forces = - growth of what is stored - what is lost, in the sections where it is lost. */
static void power_balances(const char *model, double theta)
{
  uint64_t seed = 13;
  belt t = belt_of(model, theta, variator_of(ELEMENTS, 2.0), NULL);
  scatter_state(&t, &seed, 0.05);
  const cap_model *m = t.s.m;
  const cap_batch *b = guide_of(&t);
  evaluation r = room_for(&t);
  cap_eval e = eval_of(&t, &r);
  guide_rates(&t, &e);
  double work = 0.0, lost = 0.0, stored[2], step = 1e-8;
  for (int i = 0; i < m->nv; i++) work += r.h[i] * t.s.d->v[i];
  for (int p = 0; p < CAP_VARIATOR_SECTIONS; p++)
    for (int k = 0; k < CAP_RING_GUIDE_NLOSS; k++) {
      double own = r.power[b->mech_adr + p * CAP_RING_GUIDE_NLOSS + k];
      assert_true(own > 0.0);
      lost += own;
    }
  /* of `ale` the material flows: places follow the reference curve, which travel does not move */
  double *q = calloc((size_t)m->nv, sizeof *q), *x = calloc((size_t)m->nx, sizeof *x);
  for (int s = 0; s < 2; s++) {
    for (int i = 0; i < m->nv; i++) q[i] = t.s.d->q[i] + (s ? -step : step) * t.s.d->v[i];
    for (int i = 0; i < m->nx; i++) x[i] = t.s.d->x[i] + (s ? -step : step) * r.xdot[i];
    stored[s] = stored_at(&t, q, x);
  }
  double growth = (stored[0] - stored[1]) / (2.0 * step);
  print_message("  %s: %.6g W of forces, %.6g W stored, %.6g W lost\n", model, work, growth, lost);
  check_near(work, -growth - lost, 1e-6 * (fabs(work) + fabs(growth) + lost));
  free(q);
  free(x);
  free_room(&r);
  free_belt(&t);
}

static void all_models_balance_their_power(void **state)
{
  (void)state;
  for (int m = 0; m < 4; m++) power_balances(models[m], m % 2 ? 0.3 : -0.3);
}

/* ---- marching ------------------------------------------------------------------------------------------ */

/* Everything moves as given; forces, what is stored and what is lost over all steps add up to nothing. */
static double marched_miss(const char *model, int steps, double *lost)
{
  uint64_t seed = 17;
  belt t = belt_of(model, 0.0, variator_of(ELEMENTS, 1.0), NULL);
  scatter_state(&t, &seed, 0.05);
  const cap_model *m = t.s.m;
  const cap_batch *b = guide_of(&t);
  evaluation r = room_for(&t);
  double dt = 2e-5 / steps, work = 0.0, *jump = calloc((size_t)m->nmech, sizeof *jump);
  double before = stored_at(&t, t.s.d->q, t.s.d->x), last = 0.0;
  cap_eval e = eval_of(&t, &r);
  e.x_march = t.s.d->x, e.v_half = t.s.d->v, e.jump = jump, e.power = NULL, e.force = NULL;
  for (int k = 0; k <= steps; k++) {
    for (int i = 0; i < m->nv && k > 0; i++) t.s.d->q[i] += dt * t.s.d->v[i];
    e.march = k > 0 ? dt : 0.0;
    guide_rates(&t, &e);
    double power = 0.0;
    for (int i = 0; i < m->nv; i++) power += r.h[i] * t.s.d->v[i];
    work += k > 0 ? 0.5 * dt * (power + last) : 0.0;
    last = power;
  }
  *lost = 0.0;
  for (int k = 0; k < m->nmech; k++) *lost += jump[k];
  double miss = work + stored_at(&t, t.s.d->q, t.s.d->x) - before + *lost;
  (void)b;
  free(jump);
  free_room(&r);
  free_belt(&t);
  return miss;
}

static void marched_losses_close_the_balance(void **state)
{
  (void)state;
  for (int m = 0; m < 4; m++) {
    double lost, coarse = marched_miss(models[m], 20, &lost), fine = marched_miss(models[m], 80, &lost);
    print_message("  %s: %.3g J lost, misses %.2g and %.2g J\n", models[m], lost, coarse, fine);
    assert_true(fabs(fine) < 0.5 * fabs(coarse) || fabs(fine) < 1e-3 * lost);
    assert_true(fabs(fine) < 0.01 * lost);
  }
}

/* ---- the capstan --------------------------------------------------------------------------------------- */

enum { FIXED = 31, MOVING = 91 };

/* Elements of a width of 3 mm along an arc about (x, 0), clockwise behind `from`, moving with `speed`. They
 * are so heavy that they go their way. */
typedef struct arc {
  double x, radius, from, wrap, speed;
  int n;
} arc;

typedef struct saddles {
  double q[3][FIXED + MOVING], v[2][FIXED + MOVING];
  int n;
} saddles;

static void add_arc(saddles *s, const arc *a, double height)
{
  for (int k = 0; k < a->n; k++, s->n++) {
    double at = a->from - a->wrap * (k + 0.5) / a->n, r = a->radius - height;
    s->q[0][s->n] = a->x + r * cos(at);
    s->q[1][s->n] = r * sin(at);
    s->q[2][s->n] = at - 0.5 * M_PI;
    s->v[0][s->n] = a->speed * sin(at);
    s->v[1][s->n] = -a->speed * cos(at);
  }
}

static int heavy_coordinates(cap_builder *b, int n, const double *q, const double *v)
{
  int first = 0;
  for (int k = 0; k < n; k++) {
    int dof = cap_builder_dof(b, "heavy", "m", 1e9, q[k], v ? v[k] : 0.0);
    if (k == 0) first = dof;
  }
  return first;
}

/* Tension of a ring in both strands while the elements of the larger arc draw it over those of the other. */
static void draw(double mu, double seconds, double tension[2], double *wrap)
{
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  cap_ring_shape shape = test_ring_reference("rcm", 100);
  shape.centre_distance = distance;
  shape.theta = 0.36;
  shape.free_length = TEST_RING_LENGTH / (1.0 + 2000.0 / shape.section.EA);
  shape.section.damping = 3e-6;
  cap_ring_layout l = cap_ring_layout_of(shape.length, distance, shape.theta);
  const cap_ring *ring = cap_ring_build(b, &shape, &error);
  if (!ring) fail_msg("%s", error.text);
  cap_variator v = variator_of(FIXED + MOVING, 2.0);
  v.contact.ring_friction.mu_static = v.contact.ring_friction.mu_kinetic = mu;
  saddles s = {.n = 0};
  *wrap = M_PI - 2.0 * l.alpha;
  const arc fixed = {0.0, l.r_s - 0.5 * thickness, 0.5 * M_PI + l.alpha + *wrap, *wrap, 0.0, FIXED};
  const arc moving = {distance, l.r_p - 0.5 * thickness, 0.5 * M_PI + l.alpha, M_PI + 2.0 * l.alpha, 0.02,
                      MOVING};
  add_arc(&s, &fixed, v.element.saddle);
  add_arc(&s, &moving, v.element.saddle);
  v.x = heavy_coordinates(b, s.n, s.q[0], s.v[0]);
  v.y = heavy_coordinates(b, s.n, s.q[1], s.v[1]);
  v.pitch = heavy_coordinates(b, s.n, s.q[2], NULL);
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_OK);
  test_system t = {0};
  if (cap_builder_finish(b, &t.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(t.d = cap_data_create(t.m));
  cap_stepper stepper;
  cap_stepper_settings settings = {0};
  if (cap_stepper_create(&cap_leapfrog_type, t.m, &settings, &stepper, &error) != CAP_OK)
    fail_msg("%s", error.text);
  tension[0] = tension[1] = 0.0;
  enum { LOOKS = 20 };
  for (int k = 0; k < LOOKS; k++) {
    double to = seconds * (0.8 + 0.2 * (k + 1) / LOOKS);
    cap_ring_point p;
    if (cap_stepper_advance(&stepper, t.m, t.d, &to, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
    double upper = (l.r_s * (0.5 * M_PI - l.alpha) + 0.5 * l.strand) / shape.length;
    for (int i = 0; i < 2; i++) {
      cap_ring_point_at(ring, t.d->q, ring->length * (i ? 1.0 - upper : upper), &p);
      tension[i] += p.tension / LOOKS;
    }
  }
  cap_stepper_free(&stepper);
  cap_data_free(t.d);
  cap_model_free(t.m);
}

/* The ring runs over the fixed arc towards the upper strand, which pulls. Friction acts on the inner side of
 * the ring: d T = mu T (1 - h/(2 r)) d phi. */
static void the_ring_slides_as_on_a_capstan(void **state)
{
  (void)state;
  double T[2], wrap, mu = 0.1, radius = cap_ring_layout_of(TEST_RING_LENGTH, distance, 0.36).r_s;
  draw(mu, 5e-3, T, &wrap);
  print_message("  %.1f N over %.1f N: %.5f, exp(mu phi) = %.5f\n", T[0], T[1], T[0] / T[1], exp(mu * wrap));
  check_near(T[0] / T[1], exp(mu * wrap), 0.01 * exp(mu * wrap));
  double inside = exp(mu * wrap * (1.0 - 0.5 * thickness / radius));
  check_near(T[0] / T[1], inside, 1e-3 * inside);
}

/* ---- meshes -------------------------------------------------------------------------------------------- */

static void graded_meshes_are_fine_where_the_curvature_jumps(void **state)
{
  (void)state;
  static const double thetas[] = {0.36, 0.0, -0.1304, -0.4152};
  for (int c = 0; c < 4; c++) {
    cap_ring_mesh_grade g = {TEST_RING_LENGTH, distance, thetas[c], 72, 3.5e-3, 6e-3};
    cap_ring_layout l = cap_ring_layout_of(g.length, distance, g.theta);
    double mesh[73], a = l.r_s * (0.5 * M_PI - l.alpha), b = a + l.strand;
    const double jump[4] = {a, b, g.length - b, g.length - a};
    assert_null(cap_ring_mesh_graded(&g, mesh));
    mesh[72] = g.length;
    double longest = 0.0, ratio = 1.0;
    assert_true(mesh[0] == 0.0);
    for (int k = 0; k < 72; k++) {
      double size = mesh[k + 1] - mesh[k], next = mesh[(k + 1) % 72 + 1] - mesh[(k + 1) % 72];
      assert_true(size > 0.0);
      longest = fmax(longest, size);
      ratio = fmax(ratio, fmax(size / next, next / size));
      for (int j = 0; j < 4; j++)
        if (fabs(mesh[k] - jump[j]) < g.within) assert_true(size <= 4e-3);
    }
    print_message("  theta %.4f: longest %.2f mm, neighbours differ by %.2f\n", g.theta, 1e3 * longest,
                  ratio);
    assert_true(longest < g.length / 30.0 && longest > 2.0 * g.finest && ratio < 1.7);
  }
  double mesh[200];
  cap_ring_mesh_grade g = {TEST_RING_LENGTH, distance, 0.0, 200, 4e-3, 6e-3};
  assert_null(cap_ring_mesh_graded(&g, mesh)); /* enough for an even one */
  for (int k = 0; k < 200; k++) check_near(mesh[k], TEST_RING_LENGTH * k / 200, 1e-9);
  g.nodes = 24;
  assert_non_null(cap_ring_mesh_graded(&g, mesh));
  g.nodes = 4;
  assert_non_null(cap_ring_mesh_graded(&g, mesh));
  g.nodes = 100, g.finest = 0.0;
  assert_non_null(cap_ring_mesh_graded(&g, mesh));
  g.finest = 4e-3, g.theta = 3.0;
  assert_non_null(cap_ring_mesh_graded(&g, mesh));
}

static void places_are_found_in_any_mesh(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_ring_mesh m;
  double node[81];
  uint64_t seed = 3;
  cap_ring_mesh_grade g = {TEST_RING_LENGTH, distance, 0.3, 80, 1.5e-3, 1e-3};
  assert_null(cap_ring_mesh_graded(&g, node));
  node[80] = g.length;
  assert_true(cap_ring_mesh_create(&m, 80, node, &arena));
  for (int k = 0; k < 20000; k++) {
    double xi = k < 80 ? node[k] : test_random(&seed, 0.0, g.length);
    int e = cap_ring_mesh_find(&m, xi);
    assert_true(e >= 0 && e < 80 && xi >= node[e] && xi < node[e + 1]);
  }
  assert_int_equal(cap_ring_mesh_find(&m, nextafter(g.length, 0.0)), 79);
  cap_arena_free(&arena);
}

/* The tension of the start is that of the lengths, everywhere; contacts find their elements. */
static void graded_rings_start_with_their_tension(void **state)
{
  (void)state;
  double mesh[NODES];
  cap_ring_mesh_grade g = {TEST_RING_LENGTH, distance, -0.4, NODES, 6e-3, 2e-3};
  assert_null(cap_ring_mesh_graded(&g, mesh));
  belt t = belt_of("ale", g.theta, variator_of(ELEMENTS, 1.0), mesh);
  double expected = t.ring->section.EA * 3e-4 / (TEST_RING_LENGTH - 3e-4);
  for (int k = 0; k < 500; k++) {
    cap_ring_point p;
    cap_ring_point_at(t.ring, t.s.d->q, t.ring->length * k / 500, &p);
    check_near(p.tension, expected, 1e-9 * t.ring->section.EA);
  }
  assert_true(t.ring->finest < 7e-3);
  free_belt(&t);
  compare_with_single("ale", g.theta, mesh, 1.0);
}

static void what_is_not_there_is_refused(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  cap_variator v = variator_of(10, 1.0);
  cap_ring_shape shape = test_ring_reference("ale0", 0);
  shape.centre_distance = distance;
  const cap_ring *ring = cap_ring_build(b, &shape, &error);
  v.x = v.y = v.pitch = -1;
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_ERR_INPUT);
  v.x = v.y = v.pitch = 0;
  v.element.ear = v.element.saddle + thickness - 1e-6;
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "between saddle and ear"));
  v.element.ear += 1e-3;
  v.contact.ear_stiffness = 0.0;
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_ERR_INPUT);
  v.contact.ear_stiffness = 1e7;
  v.contact.saddle_damping = NAN;
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_ERR_INPUT);
  v.contact.saddle_damping = 0.0;
  v.simulated = 5000;
  assert_int_equal(cap_ring_guide_build(b, &v, ring, NULL, &error), CAP_ERR_INPUT);
  cap_builder_free(b);
}

/* A ring that does not stretch: its tension is told by its contacts. 1 kN on both pulleys, with friction of
 * 0.5 N an element forward in the middle of one arc, and as much backward in the other. */
static void tension_of_a_ring_that_does_not_stretch(void **state)
{
  (void)state;
  enum { MANY = 400, HALF = MANY / 2, SOME = 20 };
  belt t = belt_of("ale0", 0.0, variator_of(MANY, 1.0), NULL);
  const cap_batch *b = guide_of(&t);
  evaluation r = room_for(&t);
  cap_eval e = eval_of(&t, &r);
  double *q = t.s.d->q, step = t.ring->length / MANY;
  for (int i = 0; i < t.s.m->nv; i++) t.s.d->v[i] = 0.0;
  for (int k = 0; k < MANY; k++) {
    cap_ring_point p;
    cap_ring_point_at(t.ring, q, step * k, &p);
    double up = -0.5 * thickness + p.curvature * 1000.0 * step / 1e7 - t.v.element.saddle;
    q[t.v.pitch + k] = atan2(p.t[1], p.t[0]);
    q[t.v.x + k] = p.r[0] - up * p.t[1];
    q[t.v.y + k] = p.r[1] + up * p.t[0];
    bool primary = abs(k - HALF) < SOME, secondary = k < SOME || k > MANY - SOME;
    t.s.d->x[b->x_adr + k] = primary ? -0.5e-7 : secondary ? 0.5e-7 : 0.0;
  }
  guide_rates(&t, &e);
  const double *out = r.force + b->output_adr + CAP_RING_GUIDE_TENSION;
  double upper = out[MANY / 4 * CAP_RING_GUIDE_NOUTPUT], lower = out[3 * MANY / 4 * CAP_RING_GUIDE_NOUTPUT];
  print_message("  %.3f N, %.3f N\n", upper, lower);
  free_room(&r);
  free_belt(&t);
  check_near(lower - upper, 0.5 * (2 * SOME - 1), 1e-6);
  check_near(0.5 * (lower + upper), 1000.0, 1.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_models_agree_with_the_single_contact),
      cmocka_unit_test(nothing_pushes_from_inside),
      cmocka_unit_test(all_models_balance_their_power),
      cmocka_unit_test(marched_losses_close_the_balance),
      cmocka_unit_test(the_ring_slides_as_on_a_capstan),
      cmocka_unit_test(tension_of_a_ring_that_does_not_stretch),
      cmocka_unit_test(graded_meshes_are_fine_where_the_curvature_jumps),
      cmocka_unit_test(places_are_found_in_any_mesh),
      cmocka_unit_test(graded_rings_start_with_their_tension),
      cmocka_unit_test(what_is_not_there_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
