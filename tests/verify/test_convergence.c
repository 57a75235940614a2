/* The analysis `convergence`, and the expansion of docs/theory.md §20 that it rests on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/capture.h"
#include "contact/contacts.h"
#include "drives/registry.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "step/stepper.h"

#include <math.h>

/* ---- a blade with its centre of mass `arm` ahead of it, pulled along x --------------------------------- */

typedef struct sleigh {
  double mass, inertia, arm, pull; /* kg, kg m2, m, N */
  double heading, speed, turn;     /* rad, m/s along the blade, rad/s */
  double kappa;                    /* N/m, 0 = default */
  double across;                   /* m/s across the blade, which is no rolling */
  double friction;                 /* N that the blade carries at most, 0 = anything */
  bool loaded;
} sleigh;

static const sleigh knife = {
    .mass = 1.0, .inertia = 0.1, .pull = 0.855, .heading = -1.047, .speed = 3.0, .turn = 1.0};
static const sleigh chaplygin = {
    .mass = 2.0, .inertia = 0.7, .arm = 0.6, .heading = 0.4, .speed = 0.8, .turn = 1.1, .kappa = 1.3};

static void start_velocity(const sleigh *s, double v[3])
{
  double c = cos(s->heading), n = sin(s->heading);
  v[0] = s->speed * c - (s->across + s->arm * s->turn) * n;
  v[1] = s->speed * n + (s->across + s->arm * s->turn) * c;
  v[2] = s->turn;
}

static cap_model *build(const sleigh *s, double epsilon, double ratio)
{
  double v[3], par[CAP_BLADE_NPARAM] = {-s->arm}, pull = s->pull;
  cap_builder *b = cap_builder_create(1);
  start_velocity(s, v);
  int dofs[3] = {cap_builder_dof(b, "x", "m", s->mass, 0.0, v[0]),
                 cap_builder_dof(b, "y", "m", s->mass, 0.0, v[1]),
                 cap_builder_dof(b, "heading", "rad", s->inertia, s->heading, v[2])};
  cap_builder_element(b, &cap_weight_type, "weight", dofs[0], CAP_GROUND, &pull, NULL);
  cap_contact_law law = {.epsilon = epsilon,
                         .stiffness = s->kappa,
                         .damping_ratio = ratio,
                         .friction = {.mu_static = INFINITY, .mu_kinetic = INFINITY},
                         .loaded = s->loaded};
  if (s->friction > 0.0 && epsilon > 0.0) {
    law.friction.mu_static = law.friction.mu_kinetic = 1.0;
    law.load = s->friction;
  }
  cap_builder_contact(b, &cap_blade_type, "blade", dofs, NULL, par, &law);
  cap_model *m = NULL;
  cap_error error = {0};
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  return m;
}

/* ---- the analysis on it -------------------------------------------------------------------------------- */

/* How a test may bend what the analysis is given. */
typedef struct bend {
  sleigh s;
  double exponent; /* the model gets epsilon^exponent */
  double extra;    /* part by which the viscoelastic body is heavier */
} bend;

static cap_status rebuild(cap_run *run, int n, const char *const *paths, int nlane, const double *values,
                          cap_model **m)
{
  const bend *b = run->rebuild_self;
  assert_true(n == 2 && nlane == 1 && strcmp(paths[0], "contact.epsilon") == 0);
  sleigh s = b->s;
  if (values[0] > 0.0) s.mass *= 1.0 + b->extra;
  *m = build(&s, pow(values[0], b->exponent), values[1]);
  return CAP_OK;
}

static void *place(void *spec, const char *key)
{
  return (char *)spec + cap_fields_find(cap_convergence_fields, key)->offset;
}

typedef struct request {
  double until, from, to;
  int count, nratio;
  double ratio[4];
  double tolerance;
  int threads;
} request;

static void keep_note(void *self, const char *text)
{
  if (!strstr(text, "order in epsilon")) snprintf(self, 256, "%s", text);
}

static char last_note[256]; /* beside the orders */

static cap_status run(const bend *b, const request *r, capture *out, cap_error *error)
{
  double epsilons[100];
  void *spec = calloc(1, cap_convergence_analysis.spec_size);
  assert_non_null(spec);
  for (int k = 0; k < r->count; k++)
    epsilons[k] = r->from * pow(r->to / r->from, r->count > 1 ? (double)k / (r->count - 1) : 0.0);
  *(double *)place(spec, "until") = r->until;
  *(double *)place(spec, "tolerance") = r->tolerance > 0.0 ? r->tolerance : 1e-13;
  *(int *)place(spec, "samples") = 20;
  *(cap_sweep *)place(spec, "epsilons") = (cap_sweep){.path = "contact.epsilon",
                                                      .values = {r->count, epsilons}};
  double ratios[4];
  memcpy(ratios, r->ratio, sizeof ratios);
  *(cap_sweep *)place(spec, "damping_ratios") = (cap_sweep){.path = "contact.damping_ratio",
                                                            .values = {r->nratio, ratios}};
  bend own = *b;
  cap_progress progress = {.note = keep_note, .self = last_note};
  last_note[0] = 0;
  cap_run it = {.sink = &out->sink,
                .progress = &progress,
                .error = error,
                .threads = r->threads ? r->threads : 1,
                .rebuild = rebuild,
                .rebuild_self = &own};
  cap_status status = cap_convergence_analysis.run(&it, spec);
  free(spec);
  return status;
}

static capture *run_well(const bend *b, const request *r)
{
  cap_error error = {0};
  capture *out = capture_create();
  if (run(b, r, out, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_true(out->closed);
  return out;
}

/* ---- the expansion, by a computation of its own -------------------------------------------------------- */

enum { SIZE = 8 }; /* x, y, heading, their velocities, and of the unperturbed sleigh: speed, turn */

/* The ideal sleigh without pull, but with J v = eta Lambda0'(t) / kappa, as (20.2) asks for. Lambda0 follows
 * from u' = a w^2, w' = -c u w: Lambda0 = C u w. */
typedef struct outer {
  sleigh s;
  double eta, c, C, inverse; /* inverse = A^-1 */
} outer;

static outer outer_of(const sleigh *s, double eta)
{
  double all = s->inertia + s->mass * s->arm * s->arm;
  return (outer){*s, eta, s->mass * s->arm / all, -s->mass * s->inertia / all,
                 1.0 / (1.0 / s->mass + s->arm * s->arm / s->inertia)};
}

static void row_of(const sleigh *s, double phi, double J[3])
{
  J[0] = -sin(phi);
  J[1] = cos(phi);
  J[2] = -s->arm;
}

static double outer_force(const outer *o, const double *y)
{
  double a = o->s.arm, c = o->c, u = y[6], w = y[7], phi = y[2];
  double source = o->eta * o->C * (-5.0 * a * c * u * w * w * w + c * c * u * u * u * w) / o->s.kappa;
  double drift = -y[5] * (cos(phi) * y[3] + sin(phi) * y[4]);
  return o->inverse * (drift - source);
}

static void outer_rate(const outer *o, const double *y, double *rate)
{
  double J[3], force = outer_force(o, y);
  const double mass[3] = {o->s.mass, o->s.mass, o->s.inertia};
  row_of(&o->s, y[2], J);
  for (int i = 0; i < 3; i++) {
    rate[i] = y[3 + i];
    rate[3 + i] = -J[i] * force / mass[i];
  }
  rate[6] = o->s.arm * y[7] * y[7];
  rate[7] = -o->c * y[6] * y[7];
}

static void outer_run(const outer *o, double t, int steps, double *y)
{
  double k[4][SIZE], at[SIZE], h = t / steps;
  static const double share[3] = {0.5, 0.5, 1.0};
  for (int n = 0; n < steps; n++) {
    outer_rate(o, y, k[0]);
    for (int stage = 1; stage < 4; stage++) {
      for (int i = 0; i < SIZE; i++) at[i] = y[i] + share[stage - 1] * h * k[stage - 1][i];
      outer_rate(o, at, k[stage]);
    }
    for (int i = 0; i < SIZE; i++) y[i] += h / 6.0 * (k[0][i] + 2.0 * k[1][i] + 2.0 * k[2][i] + k[3][i]);
  }
}

/* The start (20.5) that the layer leaves. */
static void outer_start(const outer *o, double *y)
{
  const sleigh *s = &o->s;
  const double mass[3] = {s->mass, s->mass, s->inertia}, u = s->speed, w = s->turn;
  double force = o->C * u * w, rise = o->C * (s->arm * w * w * w - o->c * u * u * w), J[3], v[3], miss = 0.0;
  double give = s->loaded ? 0.0 : o->eta * o->inverse * force / s->kappa;
  const double turning[3] = {-w * cos(s->heading), -w * sin(s->heading), 0.0};
  start_velocity(s, v);
  row_of(s, s->heading, J);
  for (int i = 0; i < 3; i++) y[i] = (i == 2 ? s->heading : 0.0) + give * J[i] / mass[i];
  row_of(s, y[2], J);
  for (int i = 0; i < 3; i++) v[i] -= give * turning[i] / mass[i];
  for (int i = 0; i < 3; i++) miss += J[i] * v[i];
  miss -= o->eta * rise / s->kappa;
  for (int i = 0; i < 3; i++) y[3 + i] = v[i] - J[i] / mass[i] * o->inverse * miss;
  y[6] = u;
  y[7] = w;
}

/* Coefficients of epsilon^2 at time t: positions, velocities, force. */
static void outer_terms(const sleigh *s, double t, double terms[7])
{
  const double eta = 1e-4;
  double side[2][SIZE], force[2];
  for (int k = 0; k < 2; k++) {
    outer o = outer_of(s, k ? -eta : eta);
    outer_start(&o, side[k]);
    outer_run(&o, t, 4000, side[k]);
    force[k] = outer_force(&o, side[k]);
  }
  for (int i = 0; i < 6; i++) terms[i] = (side[0][i] - side[1][i]) / (2.0 * eta);
  terms[6] = (force[0] - force[1]) / (2.0 * eta);
}

/* State and force of the program's own sleigh at time t. */
static void state_at(const sleigh *s, double epsilon, double ratio, double t, double values[7])
{
  cap_model *m = build(s, epsilon, ratio);
  cap_data *d = cap_data_create(m);
  double h[3], xdot[4], force[8], *space = calloc((size_t)m->nworkspace + 1, sizeof *space);
  cap_stepper stepper;
  cap_stepper_settings settings = {.tolerance = 1e-12};
  cap_error error = {0};
  const cap_stepper_type *type = epsilon > 0.0 ? &cap_radau_type : &cap_extrapolate_type;
  assert_true(d && space && m->noutput <= 8 && m->nx <= 4);
  assert_int_equal(cap_stepper_create(type, m, &settings, &stepper, &error), CAP_OK);
  if (cap_stepper_advance(&stepper, m, d, &t, NULL, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_eval e = {.nlane = 1,
                .t = d->t,
                .q = d->q,
                .v = d->v,
                .x = d->x,
                .h = h,
                .xdot = xdot,
                .force = force,
                .workspace = space};
  cap_model_outputs(m, &e);
  memcpy(values, d->y, sizeof(double) * 6);
  values[6] = force[m->contacts[0].output_adr];
  cap_stepper_free(&stepper);
  cap_data_free(d);
  cap_model_free(m);
  free(space);
}

/* The sleigh, whose outer solution is no closed form: (error / epsilon^2) is that of the expansion plus a
 * term of first order, which two epsilons remove. */
static void the_second_order_term_is_that_of_the_expansion(void **state)
{
  (void)state;
  const double t = 2.5, epsilon = 2e-3;
  for (int loaded = 0; loaded < 2; loaded++) {
    sleigh s = chaplygin;
    s.loaded = loaded;
    double expected[7], ideal[7];
    outer_terms(&s, t, expected);
    state_at(&s, 0.0, 1.0, t, ideal);
    for (int k = 0; k < 3; k++) {
      const double ratio[3] = {0.5, 1.0, 3.0};
      double near[7], far[7];
      state_at(&s, epsilon, ratio[k], t, near);
      state_at(&s, 2.0 * epsilon, ratio[k], t, far);
      for (int i = 0; i < 7; i++) {
        double a = (near[i] - ideal[i]) / (epsilon * epsilon);
        double b = (far[i] - ideal[i]) / (4.0 * epsilon * epsilon);
        /* what is left is of second order again, and grows with the damping */
        assert_float_equal(2.0 * a - b, expected[i], ratio[k] > 1.0 ? 1e-3 : 1e-4);
      }
    }
  }
}

/* Closed form (20.8) of the knife edge with a viscoelastic blade, below the critical ratio: speed along the
 * blade and force. */
static void knife_exact(const sleigh *s, double epsilon, double ratio, double t, double *speed, double *force)
{
  double m = s->mass, w = s->turn, G = s->pull / m, k = m / (epsilon * epsilon),
         d = 2.0 * ratio * sqrt(k * m);
  double c = s->speed - G / w * sin(s->heading), phi = s->heading + w * t;
  double a = -2.0 * m * G / (k * (1.0 + d * d * w * w / (k * k))), b = -d * a * w / k;
  double middle = -m * w * c / (k + m * w * w), decay = 0.5 * d / m, nu = sqrt(k / m + w * w - decay * decay);
  double A = -(a * sin(s->heading) + b * cos(s->heading) + middle);
  double B = (decay * A - w * (a * cos(s->heading) - b * sin(s->heading))) / nu, e = exp(-decay * t);
  double z = a * sin(phi) + b * cos(phi) + middle + e * (A * cos(nu * t) + B * sin(nu * t));
  double rate = w * (a * cos(phi) - b * sin(phi)) +
                e * ((nu * B - decay * A) * cos(nu * t) - (nu * A + decay * B) * sin(nu * t));
  *speed = w * z + G / w * sin(phi) + c;
  *force = k * z + d * rate;
}

static void the_viscoelastic_knife_edge_has_its_closed_form(void **state)
{
  (void)state;
  const double times[3] = {0.01, 0.2, 5.0};
  for (int k = 0; k < 3; k++) {
    double values[7], speed, force;
    state_at(&knife, 0.01, 0.3, times[k], values);
    knife_exact(&knife, 0.01, 0.3, times[k], &speed, &force);
    assert_float_equal(cos(values[2]) * values[3] + sin(values[2]) * values[4], speed, 1e-9);
    assert_float_equal(values[6], force, 1e-7);
  }
}

/* ---- orders -------------------------------------------------------------------------------------------- */

static void order_two_over_four_decades(void **state)
{
  (void)state;
  enum { COUNT = 18 };
  const bend b = {.s = knife, .exponent = 1.0};
  const request r = {.until = 11.0,
                     .from = 0.35,
                     .to = 1e-5,
                     .count = COUNT,
                     .nratio = 1,
                     .ratio = {1.0},
                     .tolerance = 1e-14};
  capture *c = run_well(&b, &r);
  assert_int_equal(c->nrow, COUNT);
  assert_float_equal(capture_value(c, "order.position", 0), 2.0, 0.02);
  assert_float_equal(capture_value(c, "order.velocity", 0), 2.0, 0.02);
  assert_float_equal(capture_value(c, "order.force", 0), 2.0, 0.02);
  assert_true(capture_value(c, "decades.position", 0) >= 4.0 &&
              capture_value(c, "decades.velocity", 0) >= 4.0);
  /* where rounding of the force sets in depends on the compiler,
   * so a little less than what is measured (4) */
  assert_true(capture_value(c, "decades.force", 0) >= 3.7);
  for (int k = 0; k < COUNT; k++) {
    static const char *const local[3] = {"order_position", "order_velocity", "order_force"};
    for (int i = 0; i < 3; i++)
      if (!isnan(capture_at(c, k, local[i])) && capture_at(c, k, "epsilon") < 0.03)
        assert_float_equal(capture_at(c, k, local[i]), 2.0, 0.1);
  }
  /* the velocity of the row is epsilon^2 Lambda0' / kappa, and in the layer of first order */
  double creep = 2.0 * knife.pull * knife.turn / knife.mass;
  for (int k = 6; k < COUNT; k++) {
    double e = capture_at(c, k, "epsilon");
    assert_float_equal(capture_at(c, k, "constraint_velocity") / (e * e * creep), 1.0, 0.02);
    double lambda = fabs(knife.mass * knife.turn * knife.speed + knife.pull * sin(knife.heading));
    assert_float_equal(capture_at(c, k, "layer_constraint_velocity") / (e * lambda / knife.mass * exp(-1.0)),
                       1.0, 0.05);
    assert_float_equal(capture_at(c, k, "layer_force_error"), capture_at(c, 0, "layer_force_error"), 1e-3);
  }
  free(c);
}

static void damping_decides_about_the_layer(void **state)
{
  (void)state;
  const bend b = {.s = knife, .exponent = 1.0};
  const request r = {.until = 6.0,
                     .from = 4e-3,
                     .to = 1e-3,
                     .count = 3,
                     .nratio = 4,
                     .ratio = {0.0, 0.01, 1.0, 5.0},
                     .tolerance = 1e-10};
  capture *c = run_well(&b, &r);
  const double slow = 5.0 - sqrt(24.0); /* decay in units of the angular frequency, of ratio 5 */
  for (int k = 0; k < 3; k++) {
    double e = capture_at(c, k, "epsilon");
    const int weak = 3 + k, critical = 6 + k, strong = 9 + k;
    assert_float_equal(capture_at(c, k, "angular_frequency_predicted") * e, 1.0, 1e-9);
    assert_float_equal(capture_at(c, k, "angular_frequency") * e, 1.0, 1e-3);
    assert_float_equal(capture_at(c, weak, "angular_frequency_predicted") * e, sqrt(1.0 - 1e-4), 1e-9);
    assert_float_equal(capture_at(c, weak, "angular_frequency") /
                           capture_at(c, weak, "angular_frequency_predicted"),
                       1.0, 1e-3);
    assert_true(isnan(capture_at(c, critical, "angular_frequency")) &&
                isnan(capture_at(c, strong, "angular_frequency")));
    assert_true(isinf(capture_at(c, k, "layer")));
    assert_float_equal(capture_at(c, strong, "layer") / capture_at(c, critical, "layer"), 1.0 / slow,
                       1e-6 / slow);
    /* undamped: the force never settles */
    assert_true(isnan(capture_at(c, k, "force_error")) && capture_at(c, k, "layer_force_error") > 0.4);
  }
  double position = log(capture_at(c, 0, "layer_position_error") / capture_at(c, 2, "layer_position_error"));
  double velocity = log(capture_at(c, 0, "layer_velocity_error") / capture_at(c, 2, "layer_velocity_error"));
  assert_float_equal(position / log(4.0), 2.0, 0.1);
  assert_float_equal(velocity / log(4.0), 1.0, 0.1);
  for (int ratio = 2; ratio < 4; ratio++)
    assert_float_equal(capture_value(c, "order.force", ratio), 2.0, 0.05);
  /* behind the layer the leading error does not depend on the damping */
  assert_float_equal(capture_at(c, 8, "position_error") / capture_at(c, 11, "position_error"), 1.0, 0.1);
  free(c);
}

static void a_loaded_start_has_no_layer(void **state)
{
  (void)state;
  bend b = {.s = knife, .exponent = 1.0};
  b.s.loaded = true;
  const request r = {
      .until = 6.0, .from = 1e-2, .to = 1e-4, .count = 3, .nratio = 1, .ratio = {1.0}, .tolerance = 1e-11};
  capture *c = run_well(&b, &r);
  for (int k = 0; k < 3; k++)
    assert_true(capture_at(c, k, "layer_force_error") < 2.0 * capture_at(c, k, "epsilon"));
  assert_float_equal(capture_value(c, "order.velocity", 0), 2.0, 0.05);
  free(c);
}

/* A law that is not what it says must show. */
static void a_wrong_law_is_noticed(void **state)
{
  (void)state;
  const request r = {
      .until = 6.0, .from = 1e-2, .to = 1e-4, .count = 5, .nratio = 1, .ratio = {1.0}, .tolerance = 1e-11};
  const bend soft = {.s = knife, .exponent = 0.5}; /* stiffness grows as 1/epsilon only */
  capture *c = run_well(&soft, &r);
  assert_float_equal(capture_value(c, "order.position", 0), 1.0, 0.05);
  assert_float_equal(capture_value(c, "order.force", 0), 1.0, 0.05);
  free(c);
  const bend heavy = {.s = knife, .exponent = 1.0, .extra = 1e-5}; /* tends to another motion */
  c = run_well(&heavy, &r);
  assert_true(capture_value(c, "order.position", 0) < 1.8);
  assert_true(capture_at(c, 4, "order_position") < 0.5);
  assert_true(capture_at(c, 4, "order_force") < 0.5);
  free(c);
}

static void errors_at_the_floor_are_left_out(void **state)
{
  (void)state;
  const bend b = {.s = knife, .exponent = 1.0};
  const request r = {
      .until = 6.0, .from = 3e-2, .to = 3e-7, .count = 11, .nratio = 1, .ratio = {1.0}, .tolerance = 1e-9};
  capture *c = run_well(&b, &r);
  assert_in_range(capture_value(c, "used.position", 0), 3, 10);
  assert_in_range(capture_value(c, "used.force", 0), 3, 10);
  assert_float_equal(capture_value(c, "order.position", 0), 2.0, 0.05);
  assert_float_equal(capture_value(c, "order.force", 0), 2.0, 0.05);
  assert_true(isnan(capture_at(c, 10, "order_force")));
  assert_true(capture_at(c, 10, "force_floor") > 0.1 * capture_at(c, 10, "force_error"));
  free(c);
}

/* A blade that slips does not tend to ideal rolling, and that is told; one that only could slip does. */
static void slipping_is_told(void **state)
{
  (void)state;
  const request r = {
      .until = 3.0, .from = 1e-2, .to = 1e-3, .count = 2, .nratio = 1, .ratio = {1.0}, .tolerance = 1e-9};
  bend b = {.s = knife, .exponent = 1.0};
  b.s.friction = 1.0;
  capture *c = run_well(&b, &r);
  assert_non_null(strstr(last_note, "a contact slips"));
  assert_true(capture_at(c, 1, "velocity_error") > 0.1);
  free(c);
  b.s.friction = 20.0;
  c = run_well(&b, &r);
  assert_string_equal(last_note, "");
  assert_float_equal(capture_value(c, "order.force", 0), 2.0, 0.05);
  free(c);
}

static void threads_do_not_matter(void **state)
{
  (void)state;
  const bend b = {.s = chaplygin, .exponent = 1.0};
  request r = {.until = 4.0,
               .from = 1e-2,
               .to = 1e-3,
               .count = 3,
               .nratio = 2,
               .ratio = {0.5, 1.0},
               .tolerance = 1e-9};
  capture *one = run_well(&b, &r);
  r.threads = 3;
  capture *three = run_well(&b, &r);
  for (int k = 0; k < 6; k++)
    assert_memory_equal(one->row[k], three->row[k], sizeof(double) * (size_t)one->ncolumn);
  free(one);
  free(three);
}

/* ---- what cannot be computed --------------------------------------------------------------------------- */

static void check_refusal(const bend *b, const request *r, const char *part)
{
  cap_error error = {0};
  capture *c = capture_create();
  cap_status status = run(b, r, c, &error);
  if (status != CAP_ERR_INPUT && status != CAP_ERR_UNSUPPORTED) fail_msg("status %d: %s", status, error.text);
  if (!strstr(error.text, part)) fail_msg("\"%s\" is not in: %s", part, error.text);
  free(c);
}

static void what_cannot_be_shown_is_refused(void **state)
{
  (void)state;
  bend b = {.s = knife, .exponent = 1.0};
  const request fine = {.until = 6.0, .from = 1e-2, .to = 1e-3, .count = 2, .nratio = 1, .ratio = {1.0}};
  request r = fine;
  r.until = 0.02;
  check_refusal(&b, &r, "too short for the initial layer");
  r = fine;
  r.to = 1e-17;
  check_refusal(&b, &r, "cannot be resolved: rounding of velocities");
  r.ratio[0] = 0.0;
  check_refusal(&b, &r, "is too short relative to the end of the run (6 s)");
  b.exponent = 0.0;
  check_refusal(&b, &fine, "a parameter that makes all contacts ideal");
  b.exponent = 1.0;
  b.s.across = 1e-3;
  check_refusal(&b, &fine, "the row blade.sideways, got 0.001 m/s");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_second_order_term_is_that_of_the_expansion),
                                     cmocka_unit_test(the_viscoelastic_knife_edge_has_its_closed_form),
                                     cmocka_unit_test(order_two_over_four_decades),
                                     cmocka_unit_test(damping_decides_about_the_layer),
                                     cmocka_unit_test(a_loaded_start_has_no_layer),
                                     cmocka_unit_test(a_wrong_law_is_noticed),
                                     cmocka_unit_test(errors_at_the_floor_are_left_out),
                                     cmocka_unit_test(slipping_is_told),
                                     cmocka_unit_test(threads_do_not_matter),
                                     cmocka_unit_test(what_cannot_be_shown_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
