/* A belt of curved segments against closed forms: the rope on a drum, the capstan at speed, the free ring,
 * the wave along a belt, the string that moves, and a belt at rest that must not creep. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "model/builder.h"

#ifdef __SANITIZE_ADDRESS__
enum { SHORT_RUNS = 1 };
#else
enum { SHORT_RUNS = 0 };
#endif

static void near_to(const char *what, double value, double expected, double relative)
{
  if (!(fabs(value - expected) <= relative * fabs(expected)))
    fail_msg("%s: %.10g, expected %.10g", what, value, expected);
}

/* A belt and how finely it is cut; contact and damping in units of the mesh. */
typedef struct belt {
  double EA, EI, mass, length; /* N, N m2, kg/m, m of a segment (unstrained) */
  double normal, tangential;   /* of EA/l^2 */
  double ratio, axial; /* damping of the contact, and along the belt, of the mesh's own angular frequency */
  double mu, drag;     /* 1, 1/s */
  double load;         /* N/m on the pulleys, about: the damper comes in over a tenth of its penetration */
} belt;

static capm_beam beam_of(const belt *p)
{
  double angular_frequency = 2.0 * sqrt(p->EA / p->mass) / p->length; /* EA/l (2 - 2 cos) at its largest */
  return (capm_beam){
      .EA = p->EA, .EI = p->EI, .length = p->length, .axial = 2.0 * p->axial / angular_frequency * p->EA};
}

static void pulley_of(const belt *p, double x, double y, double r, double side, int rotation, double *par)
{
  double k = p->normal * p->EA / (p->length * p->length),
         kt = p->tangential * p->EA / (p->length * p->length);
  for (int i = 0; i < CAP_BELT_PULLEY_NPARAM; i++) par[i] = 0.0;
  par[CAP_MOUNT_X] = x, par[CAP_MOUNT_Y] = y;
  par[CAP_MOUNT_ARM] = par[CAP_MOUNT_HUB] = -1;
  par[CAP_BELT_PULLEY_ROTATION] = rotation;
  par[CAP_BELT_PULLEY_RADIUS] = r;
  par[CAP_BELT_PULLEY_SIDE] = side;
  par[CAP_BELT_PULLEY_NORMAL] = k;
  par[CAP_BELT_PULLEY_DAMPING] = 2.0 * p->ratio * sqrt(k * p->mass);
  par[CAP_BELT_PULLEY_TOUCH] = 0.1 * p->load / k;
  par[CAP_BELT_PULLEY_TANGENTIAL] = kt;
  par[CAP_BELT_PULLEY_SHEAR] = 2.0 * p->ratio * sqrt(kt * p->mass);
  capm_friction_put(&(capm_friction){p->mu, p->mu, 0.0, 0.0}, par + CAP_BELT_PULLEY_FRICTION);
}

static double rotary_of(const belt *p)
{
  return p->mass * p->length * p->length * p->length / 24.0;
}

static void add_segments(cap_builder *b, const belt *p, int count, int first, bool closed)
{
  capm_beam beam = beam_of(p);
  const double par[CAP_BEAM_NPARAM] = {beam.EA, beam.EI, beam.length, beam.axial, beam.bending, 0.0};
  const double drag[CAP_BELT_DRAG_NPARAM] = {p->drag, p->mass * p->length},
               rest[CAP_BELT_CONTACT_POINTS] = {0};
  static const char *const whole[1] = {"belt"};
  for (int k = 0; k < count; k++) {
    int i = first + 3 * k, j = closed && k + 1 == count ? first : i + 3;
    cap_builder_element(b, &cap_beam_type, "belt", i, j, par, NULL);
    cap_builder_element(b, &cap_belt_contact_type, "belt", i, j, &p->length, rest);
    cap_builder_element(b, &cap_belt_drag_type, "belt", i, j, drag, NULL);
  }
  cap_builder_common(b, &cap_beam_type, 1, whole, 0, NULL);
  cap_builder_common(b, &cap_belt_drag_type, 1, whole, 0, NULL);
}

static test_system finish(cap_builder *b)
{
  test_system s = {0};
  cap_error error = {0};
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

/* Forces of the elements at the present state, [noutput]. */
static double *forces_of(const test_system *s)
{
  double *h = calloc((size_t)(s->m->nv + s->m->nx + s->m->noutput), sizeof(double));
  assert_non_null(h);
  cap_eval e = {.nlane = 1, .t = s->d->t, .q = s->d->q, .v = s->d->v, .x = s->d->x, .h = h};
  e.xdot = h + s->m->nv;
  e.force = h + s->m->nv + s->m->nx;
  cap_model_rates(s->m, &e);
  memmove(h, e.force, sizeof(double) * (size_t)s->m->noutput);
  return h;
}

/* ---- rope on a drum ------------------------------------------------------------------------------------ */

/* A rope that wraps a drum by the angle `wrap`, held at its first end, pulled by T2 at its last, over `lead`
 * segments of straight rope at either end. The drum turns slowly with the pull. */
static test_system open_drum(const belt *p, double r, double wrap, int lead, double T2, double surface)
{
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  int arc = (int)lround(wrap * r / p->length), count = arc + 2 * lead;
  double start = -M_PI_2, reach = lead * p->length; /* the rope comes along +x and turns to the left */
  cap_motion turning = {.mean = 0.0};
  double time[2] = {0.0, 1.0}, speed[2] = {surface / r, surface / r};
  assert_int_equal(cap_motion_shaft(cap_builder_arena(b), 2, time, speed, 0, NULL, NULL, NULL, &turning),
                   CAP_OK);
  int drum = cap_builder_driven(b, "drum", "rad", &turning), first = drum + 1;
  for (int k = 0; k <= count; k++) {
    double s = k * p->length - reach, on = fmin(fmax(s, 0.0), arc * p->length), angle = start + on / r;
    double off = s - on, x = r * cos(angle) - off * sin(angle), y = r * sin(angle) + off * cos(angle);
    double m = p->mass * p->length * (k % count ? 1.0 : 0.5);
    cap_motion at_x = {.mean = x}, at_y = {.mean = y};
    if (k == 0) {
      cap_builder_driven(b, "x", "m", &at_x);
      cap_builder_driven(b, "y", "m", &at_y);
    } else {
      cap_builder_dof(b, "x", "m", m, x, 0.0);
      cap_builder_dof(b, "y", "m", m, y, 0.0);
    }
    cap_builder_dof(b, "phi", "rad", rotary_of(p) * (k % count ? 1.0 : 0.5), angle + M_PI_2, 0.0);
  }
  add_segments(b, p, count, first, false);
  double pulley[CAP_BELT_PULLEY_NPARAM], way = start + M_PI_2 + arc * p->length / r;
  const char *const name[1] = {"drum"};
  pulley_of(p, 0.0, 0.0, r, 1.0, drum, pulley);
  cap_builder_common(b, &cap_belt_contact_type, 1, name, CAP_BELT_PULLEY_NPARAM, pulley);
  const double pull[2] = {T2 * cos(way), T2 * sin(way)};
  /* a damper of a quarter of the rope's own resistance to waves takes out those of the start */
  const double absorber[CAP_LINK_NPARAM] = {[CAP_LINK_C] = 0.25 * sqrt(p->EA * p->mass)};
  double rate = absorber[CAP_LINK_C] / (0.5 * p->mass * p->length);
  for (int i = 0; i < 2; i++) {
    cap_builder_element(b, &cap_weight_type, "pull", first + 3 * count + i, CAP_GROUND, &pull[i], NULL);
    cap_builder_element(b, &cap_link_type, "absorber", first + 3 * count + i, CAP_GROUND, absorber, NULL);
  }
  capm_beam beam = beam_of(p);
  cap_builder_fastest(b, cap_belt_frequency_of(&beam, T2, p->mass, rotary_of(p), pulley) + 2.0 * rate);
  return finish(b);
}

static double drum_error(double wrap, double degrees, double EI, double mu)
{
  const double r = 0.1, T2 = 100.0;
  belt p = {.EA = 1e5,
            .EI = EI,
            .mass = 0.1,
            .normal = 4.0,
            .tangential = 4.0,
            .ratio = 0.2,
            .axial = 0.1,
            .mu = mu,
            .drag = 400.0,
            .load = T2 / r};
  p.length = wrap * r / round(wrap * 180.0 / M_PI / degrees);
  test_system s = open_drum(&p, r, wrap, 4, T2, 0.4);
  test_run(&s, &cap_leapfrog_type, 0.0, 0.06);
  double *force = forces_of(&s), T1 = force[s.m->batches[0].elem_adr + 1];
  double end = force[s.m->batches[0].elem_adr + s.m->batches[0].n - 2];
  double normal = 0.0, sliding = 0.0;
  for (int k = 0; k < s.m->batches[1].n; k++) {
    const double *out = force + s.m->batches[1].output_adr + k * CAP_BELT_CONTACT_NOUTPUT;
    normal += out[CAP_BELT_CONTACT_NORMAL], sliding += out[CAP_BELT_CONTACT_SLIDING];
  }
  double ratio = T1 / end, expected = exp(mu * wrap), error = ratio / expected - 1.0;
  double by_nodes = mu * wrap * (1.0 + mu * mu) * pow(degrees * M_PI / 180.0, 2) / 12.0;
  print_message(
      "  wrap %.0f deg by %4.1f deg: T1 %.3f, T2 %.4f N, ratio %.5f (%.5f), off %+.4f %%; nodes alone "
      "%+.3f %%; slides %.4f; balance %.1e, %ld steps\n",
      wrap * 180 / M_PI, degrees, T1, end, ratio, expected, 100 * error, 100 * by_nodes, sliding / normal,
      test_balance(&s, NULL), (long)s.d->steps[0]);
  free(force);
  test_system_close(&s);
  return error;
}

static void rope_on_a_drum(void **state)
{
  (void)state;
  assert_true(fabs(drum_error(M_PI, 10.0, 1e-6, 0.5)) < 1e-3);
  assert_true(fabs(drum_error(M_PI, 5.0, 1e-6, 0.5)) < 3e-4);
  assert_true(fabs(drum_error(2.0 * M_PI, 10.0, 1e-6, 0.5)) < 1e-3);
}

/* ---- a belt on two equal pulleys ----------------------------------------------------------------------- */

typedef struct loop {
  double r, centres; /* m */
  int count;         /* segments */
  double tension, v; /* at the start, N, m/s */
  double mu[2];      /* of the first pulley (left) and of the second */
  double brake[2];   /* their speeds are imposed: surface speed over v; NAN = free, with `inertia` */
  double inertia;
  double torque, damper; /* on the second pulley, N m and N m s */
} loop;

/* Place and direction at s along the belt, from the foot of the first pulley on. */
static void loop_path(const loop *o, double s, double *x, double *y, double *angle)
{
  const double half = M_PI * o->r;
  if (s < o->centres) *x = s, *y = -o->r, *angle = 0.0;
  else if (s < o->centres + half) {
    *angle = (s - o->centres) / o->r;
    *x = o->centres + o->r * sin(*angle), *y = -o->r * cos(*angle);
  } else if (s < 2.0 * o->centres + half) *x = 2.0 * o->centres + half - s, *y = o->r, *angle = M_PI;
  else {
    *angle = M_PI + (s - 2.0 * o->centres - half) / o->r;
    *x = o->r * sin(*angle), *y = -o->r * cos(*angle);
  }
}

/* The belt first (3 coordinates a node), then the rotations of the pulleys. */
static test_system open_loop(belt *p, const loop *o)
{
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  double whole = 2.0 * (o->centres + M_PI * o->r), at = whole / o->count, fastest = 0.0;
  p->length = at / (1.0 + o->tension / p->EA);
  for (int k = 0; k < o->count; k++) {
    double x, y, angle;
    loop_path(o, k * at, &x, &y, &angle);
    double turning = y > -o->r && y < o->r ? o->v / o->r : 0.0;
    cap_builder_dof(b, "x", "m", p->mass * p->length, x, o->v * cos(angle));
    cap_builder_dof(b, "y", "m", p->mass * p->length, y, o->v * sin(angle));
    cap_builder_dof(b, "phi", "rad", rotary_of(p), angle, turning);
  }
  double pulleys[2 * CAP_BELT_PULLEY_NPARAM];
  const char *const names[2] = {"first", "second"};
  capm_beam beam = beam_of(p);
  for (int k = 0; k < 2; k++) {
    int rotation = 3 * o->count + k;
    if (isnan(o->brake[k])) cap_builder_dof(b, "spin", "rad", o->inertia, 0.0, o->v / o->r);
    else {
      cap_motion turning = {0};
      double time[2] = {0.0, 1.0}, speed[2] = {o->brake[k] * o->v / o->r, o->brake[k] * o->v / o->r};
      assert_int_equal(cap_motion_shaft(cap_builder_arena(b), 2, time, speed, 0, NULL, NULL, NULL, &turning),
                       CAP_OK);
      cap_builder_driven(b, "spin", "rad", &turning);
    }
    double *pulley = pulleys + k * CAP_BELT_PULLEY_NPARAM;
    p->mu = o->mu[k];
    pulley_of(p, k * o->centres, 0.0, o->r, 1.0, rotation, pulley);
    fastest = fmax(fastest, cap_belt_frequency_of(&beam, o->tension, p->mass, rotary_of(p), pulley));
  }
  add_segments(b, p, o->count, 0, true);
  cap_builder_common(b, &cap_belt_contact_type, 2, names, 2 * CAP_BELT_PULLEY_NPARAM, pulleys);
  cap_builder_fastest(b, fastest);
  const double link[CAP_LINK_NPARAM] = {[CAP_LINK_C] = o->damper};
  if (o->damper > 0.0)
    cap_builder_element(b, &cap_link_type, "damper", 3 * o->count + 1, CAP_GROUND, link, NULL);
  if (o->torque != 0.0)
    cap_builder_element(b, &cap_weight_type, "torque", 3 * o->count + 1, CAP_GROUND, &o->torque, NULL);
  return finish(b);
}

/* Tension in the middle of a span (0: the lower one), mean of the segments there. */
static double span_tension(const test_system *s, const loop *o, int span, const double *force)
{
  double sum = 0.0;
  int n = 0;
  for (int k = 0; k < o->count; k++) {
    const double *q = s->d->q + 3 * k;
    if (fabs(q[0] - 0.5 * o->centres) > 0.3 * o->centres || (q[1] > 0.0) != (span == 1)) continue;
    sum += force[s->m->batches[0].elem_adr + k];
    n++;
  }
  return sum / n;
}

/* (T1 - m v^2)/(T2 - m v^2) = e^(mu pi) where a belt at the speed v slides over a pulley at rest. m v^2 is
 * that of the belt as it is stretched, a third of the lower tension. */
static void capstan_at_speed(void **state)
{
  (void)state;
  belt p = {.EA = 120e3,
            .EI = 1e-6,
            .mass = 0.1029,
            .normal = 4.0,
            .tangential = 4.0,
            .ratio = 0.2,
            .axial = 0.1,
            .load = 2e3};
  const loop o = {.r = 0.08,
                  .centres = 0.25,
                  .count = 96,
                  .tension = 300.0,
                  .v = 30.0,
                  .mu = {2.0, 0.35},
                  .brake = {1.0, 0.0}};
  test_system s = open_loop(&p, &o);
  double T[2] = {0}, flow = 0.0;
  cap_stepper stepper = test_stepper(&s, &cap_leapfrog_type, 0.0, 0.0, true);
  test_advance(&s, &stepper, 0.06, NULL);
  for (int row = 1; row <= 200; row++) {
    test_advance(&s, &stepper, 0.06 + 2e-4 * row, NULL);
    double *force = forces_of(&s);
    for (int span = 0; span < 2; span++) T[span] += span_tension(&s, &o, span, force) / 200.0;
    for (int k = 0; k < o.count; k++) flow += hypot(s.d->v[3 * k], s.d->v[3 * k + 1]) / o.count / 200.0;
    free(force);
  }
  double m = p.mass * flow * flow / (1.0 + 0.5 * (T[0] + T[1]) / p.EA);
  double ratio = (T[0] - m) / (T[1] - m), other = (T[1] - m) / (T[0] - m), expected = exp(0.35 * M_PI);
  ratio = fmax(ratio, other);
  print_message("  T %.3f and %.3f N, m v2 %.3f N: ratio %.5f (%.5f), off %+.3f %%; balance %.1e\n", T[0],
                T[1], m, ratio, expected, 100 * (ratio / expected - 1.0), test_balance(&s, NULL));
  assert_true(fabs(ratio / expected - 1.0) < 5e-3);
  assert_true(test_balance(&s, NULL) < 1e-3);
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* A belt at rest that is loaded to three quarters of what it can carry stays where it is. */
static void belt_at_rest_does_not_creep(void **state)
{
  (void)state;
  belt p = {.EA = 8000.0,
            .EI = 1.3e-3,
            .mass = 0.83,
            .normal = 4.0,
            .tangential = 4.0,
            .ratio = 0.2,
            .axial = 0.2,
            .drag = 40.0,
            .load = 4e3};
  const loop o = {.r = 0.1,
                  .centres = 0.1 * M_PI,
                  .count = 40,
                  .tension = 400.0,
                  .mu = {0.5, 0.5},
                  .brake = {0.0, NAN},
                  .inertia = 0.05,
                  .torque = 40.0,
                  .damper = 4.0};
  test_system s = open_loop(&p, &o);
  int spin = 3 * o.count + 1;
  const double start = 10.0, length = SHORT_RUNS ? 5.0 : 100.0, *q = s.d->q;
  cap_stepper stepper = test_stepper(&s, &cap_leapfrog_type, 0.0, 0.0, true);
  test_advance(&s, &stepper, start, NULL);
  double *force = forces_of(&s), before = q[spin];
  double held = span_tension(&s, &o, 0, force) - span_tension(&s, &o, 1, force);
  free(force);
  test_advance(&s, &stepper, start + length, NULL);
  force = forces_of(&s);
  double after = span_tension(&s, &o, 0, force) - span_tension(&s, &o, 1, force), drift = q[spin] - before;
  free(force);
  print_message(
      "  %.3f N between the spans, turned by %.6f rad; in %g s %+.1e rad, %+.1e N; speed %.1e rad/s\n", held,
      before, length, drift, after - held, s.d->v[spin]);
  near_to("the load", fabs(held), o.torque / o.r, 2e-3);
  assert_true(fabs(drift) < 1e-8 && fabs(after - held) < 1e-3); /* the last of its vibration */
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* ---- without pulleys ----------------------------------------------------------------------------------- */

/* Tension of a ring that turns: m v^2 of the stretched belt; nodes on a polygon alone would have (dth)^2/24
 * more. */
static void free_ring(void **state)
{
  (void)state;
  enum { COUNT = 64 };
  const double EA = 1e5, m = 0.1, r0 = 0.1, v = 40.0;
  belt p = {.EA = EA, .EI = 1e-4, .mass = m, .length = 2.0 * M_PI * r0 / COUNT, .axial = 0.1, .drag = 0.0};
  double lambda = 1.0;
  for (int k = 0; k < 20; k++) lambda = 1.0 + m * v * v / lambda / EA;
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  double r = r0 * lambda;
  for (int k = 0; k < COUNT; k++) {
    double angle = 2.0 * M_PI * k / COUNT;
    cap_builder_dof(b, "x", "m", m * p.length, r * cos(angle), -v * sin(angle));
    cap_builder_dof(b, "y", "m", m * p.length, r * sin(angle), v * cos(angle));
    cap_builder_dof(b, "phi", "rad", rotary_of(&p), angle + M_PI_2, v / r);
  }
  capm_beam beam = beam_of(&p);
  const double par[CAP_BEAM_NPARAM] = {beam.EA, beam.EI, beam.length, beam.axial, 0.0, 0.0};
  for (int k = 0; k < COUNT; k++)
    cap_builder_element(b, &cap_beam_type, "belt", 3 * k, 3 * ((k + 1) % COUNT), par, NULL);
  cap_builder_fastest(b, cap_belt_frequency_of(&beam, 200.0, m, rotary_of(&p), NULL));
  test_system s = finish(b);
  test_run(&s, &cap_leapfrog_type, 0.0, 0.1); /* 6.4 turns */
  double *force = forces_of(&s), T = 0.0, speed = 0.0, most = 0.0;
  for (int k = 0; k < COUNT; k++)
    T += force[k] / COUNT, speed += hypot(s.d->v[3 * k], s.d->v[3 * k + 1]) / COUNT;
  for (int k = 0; k < COUNT; k++) most = fmax(most, fabs(force[k] - T));
  free(force);
  double expected = m * speed * speed / (1.0 + T / EA), dth = 2.0 * M_PI / COUNT;
  print_message("  T %.5f N, m v2 %.5f N: off %+.2e (dth^2/24 = %.2e), round the ring within %.1e N\n", T,
                expected, T / expected - 1.0, dth * dth / 24.0, most);
  assert_true(fabs(T / expected - 1.0) < 1e-5 && most < 1e-6 * T);
  test_system_close(&s);
}

/* A straight belt between fixed ends in its first mode along itself: the period is 2 L/c, c^2 = EA/m. */
static void wave_along_the_belt(void **state)
{
  (void)state;
  enum { COUNT = 50 };
  const double EA = 120e3, m = 0.111, l = 0.01, L = COUNT * l, c = sqrt(EA / m);
  belt p = {.EA = EA, .EI = 4.8e-3, .mass = m, .length = l};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  for (int k = 0; k <= COUNT; k++) {
    cap_motion at = {.mean = k * l};
    if (k % COUNT == 0) cap_builder_driven(b, "x", "m", &at);
    else cap_builder_dof(b, "x", "m", m * l, k * l + 1e-5 * sin(M_PI * k / COUNT), 0.0);
    cap_builder_dof(b, "y", "m", m * l, 0.0, 0.0);
    cap_builder_dof(b, "phi", "rad", rotary_of(&p), 0.0, 0.0);
  }
  capm_beam beam = beam_of(&p);
  const double par[CAP_BEAM_NPARAM] = {EA, beam.EI, l, 0.0, 0.0, 0.0};
  for (int k = 0; k < COUNT; k++) cap_builder_element(b, &cap_beam_type, "belt", 3 * k, 3 * k + 3, par, NULL);
  cap_builder_fastest(b, cap_belt_frequency_of(&beam, 0.0, m, rotary_of(&p), NULL));
  test_system s = finish(b);
  cap_stepper stepper = test_stepper(&s, &cap_leapfrog_type, 0.0, 0.0, true);
  double crossed[2] = {0}, last = 1.0;
  int crossings = 0;
  for (int row = 1; row <= 4000; row++) {
    double t = 4e-6 * row, place = 0.0;
    test_advance(&s, &stepper, t, NULL);
    for (int k = 1; k < COUNT; k++) place += (s.d->q[3 * k] - k * l) * sin(M_PI * k / COUNT);
    if (last > 0.0 && place <= 0.0) crossed[crossings++ ? 1 : 0] = t - 4e-6 * place / (place - last);
    last = place;
  }
  double speed = 2.0 * L * (crossings - 1) / (crossed[1] - crossed[0]);
  print_message("  wave %.4f m/s, sqrt(EA/m) %.4f, off %+.2e; %d periods\n", speed, c, speed / c - 1.0,
                crossings - 1);
  assert_true(crossings > 10 && fabs(speed / c - 1.0) < 3e-4); /* (pi/50)^2/24 = 1.6e-4 */
  cap_stepper_free(&stepper);
  test_system_close(&s);
}

/* ---- the stepper --------------------------------------------------------------------------------------- */

/* A damped chain in free flight against cvode: second order. */
static void leapfrog_is_of_second_order(void **state)
{
  (void)state;
  enum { COUNT = 6 };
  const double par[CAP_BEAM_NPARAM] = {200.0, 0.5, 1.0 / COUNT, 0.05, 1e-3, 0.0};
  double error[3], exact[6 * (COUNT + 1)];
  for (int run = -1; run < 3; run++) {
    cap_builder *b = cap_builder_create(1);
    assert_non_null(b);
    for (int k = 0; k <= COUNT; k++) {
      double x = (double)k / COUNT;
      cap_builder_dof(b, "x", "m", 0.2, x, 0.5);
      cap_builder_dof(b, "y", "m", 0.2, 0.1 * sin(3.0 * x), 2.0 * x);
      cap_builder_dof(b, "phi", "rad", 2e-3, 0.3 * cos(3.0 * x), 2.0);
    }
    for (int k = 0; k < COUNT; k++)
      cap_builder_element(b, &cap_beam_type, "beam", 3 * k, 3 * k + 3, par, NULL);
    test_system s = finish(b);
    if (run < 0) test_run(&s, &cap_cvode_type, 0.0, 0.4);
    else test_run(&s, &cap_leapfrog_type, 4e-4 / (1 << run), 0.4);
    if (run < 0) memcpy(exact, s.d->y, sizeof exact);
    else {
      error[run] = test_distance(s.m, s.d->y, exact);
      print_message("  step %.0e: off %.2e, balance %.1e, order %.2f\n", 4e-4 / (1 << run), error[run],
                    test_balance(&s, NULL), run ? log2(error[run - 1] / error[run]) : 0.0);
    }
    test_system_close(&s);
  }
  assert_true(log2(error[1] / error[2]) > 1.9 && log2(error[1] / error[2]) < 2.1 && error[2] < 1e-3);
}

/* The same with a Dahl tensioner, whose inner state goes by its own exponential step. */
static void leapfrog_takes_inner_states(void **state)
{
  (void)state;
  double error[3] = {0};
  test_system reference = test_system_open(TEST_BELT TEST_DAHL TEST_ANY);
  test_run(&reference, &cap_cvode_type, 0.0, 0.05);
  for (int run = 0; run < 3; run++) {
    test_system s = test_system_open(TEST_BELT TEST_DAHL TEST_ANY);
    double step = 4e-5 / (1 << run);
    test_run(&s, &cap_leapfrog_type, step, 0.05);
    error[run] = test_distance(s.m, s.d->y, reference.d->y);
    print_message("  step %.0e: off %.2e, balance %.1e\n", step, error[run], test_balance(&s, NULL));
    test_system_close(&s);
  }
  assert_true(error[2] < 0.4 * error[1] && error[1] < 0.4 * error[0]);
  test_system_close(&reference);
}

/* A belt that runs, with the step just below the limit that the segments themselves have;
 * above it, refused. */
static void limit_of_the_step(void **state)
{
  (void)state;
  for (int soft = 0; soft < 2; soft++) {
    belt p = {.EA = 120e3,
              .EI = 4.8e-3,
              .mass = 0.111,
              .normal = soft ? 1.0 : 4.0,
              .tangential = soft ? 1.0 : 4.0,
              .ratio = 0.2,
              .axial = 0.1,
              .load = 4e3};
    const loop o = {.r = 0.06,
                    .centres = 0.3,
                    .count = 100,
                    .tension = 400.0,
                    .v = 20.0,
                    .mu = {0.9, 0.9},
                    .brake = {1.0, NAN},
                    .inertia = 1e-3,
                    .damper = 0.01};
    test_system s = open_loop(&p, &o);
    double limit = 2.0 / s.m->fastest;
    cap_stepper stepper;
    cap_error error = {0};
    cap_stepper_settings settings = {.step = 1.01 * limit, .audit = true};
    assert_int_equal(cap_stepper_create(&cap_leapfrog_type, s.m, &settings, &stepper, &error), CAP_ERR_INPUT);
    cap_stepper_free(&stepper);
    double balance[2];
    for (int k = 0; k < 2; k++) {
      cap_data_reset(s.m, s.d);
      test_run(&s, &cap_leapfrog_type, (k ? 0.8 : 0.98) * limit, 0.1);
      balance[k] = test_balance(&s, NULL);
    }
    print_message("  limit %.3g us: balance %.1e at 0.98, %.1e at 0.8 of it\n", 1e6 * limit, balance[0],
                  balance[1]);
    assert_true(balance[0] < 1e-3 && balance[1] < 1e-3);
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rope_on_a_drum),
      cmocka_unit_test(capstan_at_speed),
      cmocka_unit_test(belt_at_rest_does_not_creep),
      cmocka_unit_test(free_ring),
      cmocka_unit_test(wave_along_the_belt),
      cmocka_unit_test(leapfrog_is_of_second_order),
      cmocka_unit_test(leapfrog_takes_inner_states),
      cmocka_unit_test(limit_of_the_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
