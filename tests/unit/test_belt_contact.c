/* The contact of belt segments with pulleys: its tangents against differences, its powers against its forces
 * and energy, what it shows, the marched form of the law, and what elements of a type share. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "laws/stick.h"
#include "model/builder.h"

enum { SEGMENTS = 3, NODES = SEGMENTS + 1, ARM = 3 * NODES, HUB, SPIN = HUB + 2, NV = SPIN + 2 };

static const double radius[2] = {0.05, 0.03}, length = 0.01;

/* Two pulleys: the first on an arm and a hub, the second fixed and on the other side of the belt. */
static void fill_pulleys(double *par, double stribeck)
{
  for (int k = 0; k < 2; k++) {
    double *p = par + k * CAP_BELT_PULLEY_NPARAM;
    p[CAP_MOUNT_X] = k ? 0.09 : -0.04, p[CAP_MOUNT_Y] = k ? 0.02 : 0.01;
    p[CAP_MOUNT_LENGTH] = k ? 0.0 : 0.04, p[CAP_MOUNT_UX] = p[CAP_MOUNT_UY] = 0.0;
    p[CAP_MOUNT_ARM] = k ? -1 : ARM, p[CAP_MOUNT_HUB] = k ? -1 : HUB;
    p[CAP_BELT_PULLEY_ROTATION] = SPIN + k;
    p[CAP_BELT_PULLEY_RADIUS] = radius[k] - 5e-4, p[CAP_BELT_PULLEY_SINK] = 5e-4;
    p[CAP_BELT_PULLEY_SIDE] = k ? -1.0 : 1.0;
    p[CAP_BELT_PULLEY_NORMAL] = 2e6, p[CAP_BELT_PULLEY_DAMPING] = 800.0, p[CAP_BELT_PULLEY_TOUCH] = 2e-4;
    p[CAP_BELT_PULLEY_TANGENTIAL] = 1e6, p[CAP_BELT_PULLEY_SHEAR] = 500.0;
    const capm_friction mu = {stribeck > 0.0 ? 0.7 : 0.5, 0.5, stribeck, 0.0};
    capm_friction_put(&mu, p + CAP_BELT_PULLEY_FRICTION);
  }
}

/* A chain of segments round the first pulley, pressed into it, all moving at random. */
static test_system open_chain(double stribeck, uint64_t *seed)
{
  test_system s = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  double pulleys[2 * CAP_BELT_PULLEY_NPARAM] = {0};
  const char *const names[2] = {"left", "right"};
  assert_non_null(b);
  for (int k = 0; k < NODES; k++) {
    double angle = 0.3 + k * length / radius[0], r = radius[0] - test_random(seed, 0.5e-4, 4e-4);
    cap_builder_dof(b, "x", "m", 1e-3, -0.04 + 0.04 * cos(0.2) + 1e-4 + r * cos(angle),
                    test_random(seed, -0.2, 0.2));
    cap_builder_dof(b, "y", "m", 1e-3, 0.01 + 0.04 * sin(0.2) - 2e-4 + r * sin(angle),
                    test_random(seed, -0.2, 0.2));
    cap_builder_dof(b, "phi", "rad", 1e-8, angle + M_PI_2 + test_random(seed, -0.02, 0.02),
                    test_random(seed, -20.0, 20.0));
  }
  cap_builder_dof(b, "arm", "rad", 1e-3, 0.2, 0.9);
  cap_builder_dof(b, "hub_x", "m", 0.1, 1e-4, 0.03);
  cap_builder_dof(b, "hub_y", "m", 0.1, -2e-4, -0.05);
  cap_builder_dof(b, "spin", "rad", 1e-3, 0.3, 1.5);
  cap_builder_dof(b, "spin", "rad", 1e-3, 0.0, 0.0);
  for (int k = 0; k < SEGMENTS; k++) {
    double z[CAP_BELT_CONTACT_POINTS];
    for (int p = 0; p < CAP_BELT_CONTACT_POINTS; p++) z[p] = test_random(seed, -2e-4, 2e-4);
    cap_builder_element(b, &cap_belt_contact_type, "belt", 3 * k, 3 * (k + 1), &length, z);
    const double drag[CAP_BELT_DRAG_NPARAM] = {3.0, 1e-3};
    cap_builder_element(b, &cap_belt_drag_type, "belt", 3 * k, 3 * (k + 1), drag, NULL);
  }
  fill_pulleys(pulleys, stribeck);
  cap_builder_common(b, &cap_belt_contact_type, 2, names, 2 * CAP_BELT_PULLEY_NPARAM, pulleys);
  const double arm[2] = {ARM, 1e-3};
  const char *const belt[1] = {"belt"};
  cap_builder_common(b, &cap_belt_drag_type, 1, belt, 2, arm);
  if (cap_builder_finish(b, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

enum { NX = SEGMENTS * CAP_BELT_CONTACT_POINTS, NS = 2 * NV + NX, OUT = 256 };

typedef struct result {
  double h[NV], xdot[NX], power[8], force[OUT], dh[NV * NS], dxdot[NX * NS];
} result;

static void evaluate(const test_system *s, const double *y, const double *dy, result *r)
{
  double t = 0.0;
  cap_eval e = {.nlane = 1,
                .t = &t,
                .q = y,
                .v = y + NV,
                .x = y + 2 * NV,
                .h = r->h,
                .xdot = r->xdot,
                .power = r->power,
                .force = r->force,
                .relax = 2.0};
  assert_true(s->m->nv == NV && s->m->nx == NX && s->m->nmech == 7 && s->m->noutput <= OUT);
  if (dy) {
    e.ncol = NS;
    e.dq = dy, e.dv = dy + NV * NS, e.dx = dy + 2 * NV * NS;
    e.dh = r->dh, e.dxdot = r->dxdot;
  }
  cap_model_rates(s->m, &e);
}

static double energy_at(const test_system *s, const double *y)
{
  cap_eval e = {.nlane = 1, .q = y, .v = y + NV, .x = y + 2 * NV};
  double stored = 0.0;
  for (int k = 0; k < s->m->nbatch; k++)
    if (s->m->batches[k].type->energy) s->m->batches[k].type->energy(&s->m->batches[k], &e, &stored);
  return stored;
}

static void tangents_are_those_of_the_forces(void **state)
{
  (void)state;
  uint64_t seed = 7;
  static result r, low, high;
  static double dy[NS * NS];
  for (int i = 0; i < NS; i++) dy[i * NS + i] = 1.0;
  for (int run = 0; run < 8; run++) {
    test_system s = open_chain(run % 2 ? 0.3 : 0.0, &seed);
    evaluate(&s, s.d->y, dy, &r);
    double worst = 0.0;
    for (int c = 0; c < NS; c++) {
      double y[NS], step = c < NV ? 1e-7 : c < 2 * NV ? 1e-4 : 1e-8, scale = 0.0, off = 0.0;
      if (c % 3 == 2 && c < 3 * NODES) step = 1e-5;
      memcpy(y, s.d->y, sizeof y);
      y[c] += step;
      evaluate(&s, y, NULL, &high);
      y[c] = s.d->y[c] - step;
      evaluate(&s, y, NULL, &low);
      for (int i = 0; i < NV; i++) {
        double slope = (high.h[i] - low.h[i]) / (2.0 * step);
        scale = fmax(scale, fabs(slope));
        off = fmax(off, fabs(slope - r.dh[i * NS + c]));
      }
      worst = fmax(worst, scale > 0.0 ? off / scale : off);
      scale = off = 0.0;
      for (int i = 0; i < NX; i++) {
        double slope = (high.xdot[i] - low.xdot[i]) / (2.0 * step);
        scale = fmax(scale, fabs(slope));
        off = fmax(off, fabs(slope - r.dxdot[i * NS + c]));
      }
      worst = fmax(worst, scale > 0.0 ? off / scale : off);
    }
    print_message("  run %d: off by %.1e\n", run, worst);
    assert_true(worst < 2e-6);
    test_system_close(&s);
  }
}

/* What the forces do is stored or lost. */
static void powers_close(void **state)
{
  (void)state;
  uint64_t seed = 11;
  static result r;
  for (int run = 0; run < 8; run++) {
    test_system s = open_chain(run % 2 ? 0.3 : 0.0, &seed);
    double high[NS], low[NS], step = 1e-7, done = 0.0, lost = 0.0;
    evaluate(&s, s.d->y, NULL, &r);
    for (int i = 0; i < NV; i++) done += r.h[i] * s.d->v[i];
    for (int k = 0; k < 7; k++) {
      assert_true(r.power[k] >= 0.0);
      lost += r.power[k];
    }
    for (int i = 0; i < NS; i++) {
      double rate = i < NV ? s.d->v[i] : i < 2 * NV ? 0.0 : r.xdot[i - 2 * NV];
      high[i] = s.d->y[i] + step * rate, low[i] = s.d->y[i] - step * rate;
    }
    double growth = (energy_at(&s, high) - energy_at(&s, low)) / (2.0 * step);
    print_message("  run %d: %.6g W done, %.6g W stored, %.6g W lost\n", run, done, growth, lost);
    assert_true(lost > 0.1 && fabs(done + growth + lost) < 1e-6 * lost);
    test_system_close(&s);
  }
}

static void outputs_are_the_forces(void **state)
{
  (void)state;
  uint64_t seed = 5;
  static result r;
  test_system s = open_chain(0.0, &seed);
  evaluate(&s, s.d->y, NULL, &r);
  const cap_batch *b = &s.m->batches[0];
  double x = 0.0, y = 0.0, friction = 0.0, hx = 0.0, hy = 0.0, normal = 0.0;
  for (int k = 0; k < SEGMENTS; k++) {
    const double *out = r.force + b->output_adr + k * CAP_BELT_CONTACT_NOUTPUT;
    assert_true(out[CAP_BELT_CONTACT_PULLEY] == 0.0 && out[CAP_BELT_CONTACT_NORMAL] > 0.0);
    assert_true(out[CAP_BELT_CONTACT_NORMAL] == r.force[b->elem_adr + k]);
    assert_true(fabs(out[CAP_BELT_CONTACT_FRICTION]) <= 0.5 * out[CAP_BELT_CONTACT_NORMAL] * (1.0 + 1e-12));
    assert_true(out[CAP_BELT_CONTACT_SLIDING] <= out[CAP_BELT_CONTACT_NORMAL]);
    assert_true(out[CAP_BELT_CONTACT_PEAK] * length > out[CAP_BELT_CONTACT_NORMAL]);
    x += out[CAP_BELT_CONTACT_X], y += out[CAP_BELT_CONTACT_Y];
    friction += out[CAP_BELT_CONTACT_FRICTION], normal += out[CAP_BELT_CONTACT_NORMAL];
  }
  for (int k = 0; k < NODES; k++) hx += r.h[3 * k], hy += r.h[3 * k + 1];
  /* with the drag, which acts on the belt alone */
  double drag = 0.0;
  for (int k = 0; k < SEGMENTS; k++) drag += fabs(r.force[s.m->batches[1].elem_adr + k]);
  assert_true(fabs(x - r.h[HUB]) < 1e-12 * normal && fabs(y - r.h[HUB + 1]) < 1e-12 * normal);
  assert_true(fabs(hx + x) <= drag && fabs(hy + y) <= drag && drag < 0.1);
  assert_true(fabs(-(radius[0] - 5e-4) * friction - r.h[SPIN]) < 1e-12 * normal);
  assert_true(r.h[SPIN + 1] == 0.0);
  assert_string_equal(s.m->mechs[0].name, "left.normal damping");
  assert_string_equal(s.m->mechs[5].name, "right.slip");
  assert_string_equal(s.m->mechs[6].name, "belt.drag");
  test_system_close(&s);
}

/* Forces, rates, losses and outputs: the plain code (which has the tangents) and that in vector registers;
 * and forces of a step of no length, which are those of the state. */
static void both_ways_give_the_same(void **state)
{
  (void)state;
  uint64_t seed = 3;
  static result plain, fast;
  static double dy[NS * NS];
  for (int run = 0; run < 8; run++) {
    test_system s = open_chain(run % 2 ? 0.3 : 0.0, &seed);
    evaluate(&s, s.d->y, dy, &plain);
    evaluate(&s, s.d->y, NULL, &fast);
    double size = 0.0, t = 0.0, h[NV], x[NX], power[8], jump[8] = {0};
    for (int i = 0; i < NV; i++) size = fmax(size, fabs(plain.h[i]));
    for (int i = 0; i < NV; i++) assert_true(fabs(plain.h[i] - fast.h[i]) < 1e-12 * size);
    for (int i = 0; i < NX; i++) assert_true(fabs(plain.xdot[i] - fast.xdot[i]) < 1e-12);
    for (int i = 0; i < 7; i++) assert_true(fabs(plain.power[i] - fast.power[i]) < 1e-12);
    for (int i = 0; i < s.m->noutput; i++)
      assert_true(fabs(plain.force[i] - fast.force[i]) < 1e-12 * fmax(1.0, fabs(plain.force[i])));
    memcpy(x, s.d->x, sizeof x);
    cap_eval e = {
        .nlane = 1, .t = &t, .q = s.d->q, .v = s.d->v, .x = x, .h = h, .power = power, .relax = 2.0};
    e.x_march = x, e.v_half = s.d->v, e.jump = jump;
    cap_model_rates(s.m, &e);
    for (int i = 0; i < NV; i++) assert_true(fabs(h[i] - fast.h[i]) < 1e-12 * size);
    test_system_close(&s);
  }
}

/* Lists of segments that may touch save time and change no bit: a chain that flies past a pulley, with lists
 * that are kept, with none, and with lists made anew in each step; every tenth evaluation stands still, as at
 * the start of a run, and then nothing in contact moves. */
static void hints_change_nothing(void **state)
{
  (void)state;
  uint64_t seed = 9;
  test_system s = open_chain(0.0, &seed);
  double h[3][NV], x[3][NX], q[NV], power[8], jump[3][8] = {{0}}, t = 0.0, worked = 0.0;
  double *hints = calloc((size_t)s.m->nhint, sizeof(double));
  assert_non_null(hints);
  for (int way = 0; way < 3; way++) memcpy(x[way], s.d->x, sizeof x[way]);
  for (int step = 0; step < 400; step++) {
    for (int i = 0; i < NV; i++) q[i] = s.d->q[i];
    for (int k = 0; k < NODES; k++) q[3 * k] += 2e-4 * (step - 200), q[3 * k + 1] += 5e-5 * (step - 150);
    for (int k = 0; k < NODES; k++) s.d->v[3 * k] = 20.0, s.d->v[3 * k + 1] = 5.0, s.d->v[3 * k + 2] = 0.0;
    if (step % 10 == 0) memset(hints, 0, sizeof(double) * (size_t)s.m->nhint);
    for (int way = 0; way < 3; way++) {
      cap_eval e = {.nlane = 1, .t = &t, .q = q, .v = s.d->v, .x = x[way], .h = h[way], .power = power};
      e.x_march = x[way], e.v_half = s.d->v, e.jump = jump[way], e.march = step % 10 ? 1e-5 : 0.0;
      double fresh[512] = {0};
      assert_true(s.m->nhint <= 512);
      e.hints = way == 0 ? hints : way == 1 ? NULL : fresh;
      cap_model_rates(s.m, &e);
    }
    for (int way = 1; way < 3; way++)
      for (int i = 0; i < NV; i++) assert_true(h[way][i] == h[0][i]);
    assert_memory_equal(x[1], x[0], sizeof x[0]);
    assert_memory_equal(x[2], x[0], sizeof x[0]);
    worked += fabs(h[0][SPIN]) > 0.0;
  }
  assert_memory_equal(jump[1], jump[0], sizeof jump[0]);
  print_message("  in contact for %g of 400 steps\n", worked);
  assert_true(worked > 20 && worked < 380);
  free(hints);
  test_system_close(&s);
}

/* Small steps of the marched law follow its rates. */
static void march_follows_the_rates(void **state)
{
  (void)state;
  const double k = 2000.0, d = 3.0, limit = 1.0;
  const capm_stick law = {.k = k, .d = d, .friction = {.mu_static = 1.0, .mu_kinetic = 1.0}};
  double before = 0.0;
  for (int count = 100; count <= 400; count *= 2) {
    double dt = 0.02 / count, z = 0.0, force = 0.0;
    for (int n = 0; n < count; n++) {
      double middle = (n + 0.5) * dt, end = (n + 1) * dt;
      double mean = 0.15 * sin(900.0 * middle), g = 0.15 * sin(900.0 * end);
      capm_stick_step step = capm_stick_march(k, 1.0 / k, d, exp(-k * dt / d), dt, z, mean, g, limit);
      z = step.z, force = step.force;
      assert_true(fabs(force) <= limit);
    }
    double y = 0.0, f = 0.0;
    for (int n = 0; n < 200000; n++) { /* the rates by the midpoint rule, finely */
      double h = 0.02 / 200000, g = 0.15 * sin(900.0 * (n + 0.5) * h);
      capm_stick_result r;
      capm_stick_evaluate(&law, 1, &y, &g, limit, &r);
      double at = y + 0.5 * h * r.rate[0];
      capm_stick_evaluate(&law, 1, &at, &g, limit, &r);
      y += h * r.rate[0];
      g = 0.15 * sin(900.0 * (n + 1) * h);
      capm_stick_evaluate(&law, 1, &y, &g, limit, &r);
      f = r.force[0];
    }
    double off = fabs(z - y) * k + fabs(force - f);
    print_message("  %d steps: force %.6f (%.6f), off %.1e\n", count, force, f, off);
    if (before > 0.0) assert_true(off < 0.6 * before);
    before = off;
  }
  assert_true(before < 1e-2);
}

static void marched_law_at_its_limits(void **state)
{
  (void)state;
  capm_stick_step step = capm_stick_march(1e4, 1e-4, 2.0, 0.5, 1e-3, 1e-4, 0.0, 0.0, 5.0);
  assert_true(step.slides == 0.0 && step.z == 1e-4 &&
              step.force == 1.0); /* at rest: not the last bit moves */
  step = capm_stick_march(1e4, 1e-4, 2.0, 0.5, 1e-3, 1e-3, 0.0, 0.0, 5.0);
  assert_true(step.slides == 1.0 && step.force == 5.0 &&
              fabs(step.z - 7.5e-4) < 1e-18); /* half way to 5e-4 */
  step = capm_stick_march(1e4, 1e-4, 2.0, 0.0, 1e-3, 1e-3, -2.0, -1.0, 5.0);
  assert_true(step.slides == 1.0 && step.force == -5.0 && step.z == -5e-4);
  step = capm_stick_march(1e4, 1e-4, 2.0, 0.5, 1e-3, 1e-3, 1.0, 1.0, 0.0);
  assert_true(step.slides == 1.0 && step.force == 0.0 && step.z == 0.0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tangents_are_those_of_the_forces), cmocka_unit_test(powers_close),
      cmocka_unit_test(outputs_are_the_forces),           cmocka_unit_test(march_follows_the_rates),
      cmocka_unit_test(both_ways_give_the_same),          cmocka_unit_test(hints_change_nothing),
      cmocka_unit_test(marched_law_at_its_limits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
