/* Contact of rings with a pulley: tangents, power, what pulley and ring do to each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <unistd.h>

#include "../support/lanes.h"
#include "../support/system.h"
#include "analysis/statics/equilibrium.h"
#include "drives/pushbelt/ring/ring_pulley.h"
#include "linalg/eigen.h"

#include "../support/ring.h"
#include "../support/tangents.h"

static const char *const models[] = {"rcm", "ancf", "ale", "ale0"};
enum { NMODEL = sizeof models / sizeof models[0], NODES = 7, POINTS = 40 };

typedef struct bench {
  test_ring t;
  int slide, rotation, contact;
} bench;

/* A soft ring over a pulley that moves along x and turns; everything moves. */
static bench build(const char *model)
{
  bench s = {0};
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  cap_ring_shape shape = test_ring_reference(model, NODES);
  assert_non_null(b);
  shape.length = 1.0;
  shape.section.EA = 50.0, shape.section.EI = 0.1, shape.section.mass = 1.0, shape.section.damping = 0.01;
  shape.centre_distance = 0.2;
  shape.theta = 0.1;
  shape.speed = 0.7;
  s.slide = cap_builder_dof(b, "slide", "m", 2.0, 0.02, 0.3);
  s.rotation = cap_builder_dof(b, "rotation", "rad", 0.5, 0.1, 4.0);
  if (!(s.t.ring = cap_ring_build(b, &shape, &error))) fail_msg("%s", error.text);
  double par[CAP_RING_PULLEY_NPARAM] = {
      [CAP_RING_PULLEY_X] = 0.2,         [CAP_RING_PULLEY_Y] = 0.01,
      [CAP_RING_PULLEY_SLIDE] = s.slide, [CAP_RING_PULLEY_ROTATION] = s.rotation,
      [CAP_RING_PULLEY_BASE] = 1.5,      [CAP_RING_PULLEY_RADIUS] = 0.15,
      [CAP_RING_PULLEY_NORMAL] = 300.0,  [CAP_RING_PULLEY_DAMPING] = 0.5,
      [CAP_RING_PULLEY_FRICTION] = 0.4,  [CAP_RING_PULLEY_SLIP] = 0.2};
  s.contact = cap_ring_pulley_add(b, s.t.ring, "pulley", POINTS, par);
  assert_true(s.contact >= 0);
  if (cap_builder_finish(b, &s.t.s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  cap_builder_free(b);
  assert_non_null(s.t.s.d = cap_data_create(s.t.s.m));
  uint64_t seed = 4;
  for (int i = 0; i < s.t.s.m->nv; i++) {
    s.t.s.d->q[i] += 0.01 * test_random(&seed, -1.0, 1.0);
    s.t.s.d->v[i] += 0.3 * test_random(&seed, -1.0, 1.0);
  }
  return s;
}

static const cap_batch *batch_of(const cap_model *m)
{
  for (int k = 0; k < m->nbatch; k++)
    if (m->batches[k].type == &cap_ring_pulley_type) return &m->batches[k];
  return NULL;
}

static void tangents_match_differences(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    bench s = build(models[m]);
    test_tangents_at(&s.t.s, s.t.s.d->y, 0.1);
    test_system_close(&s.t.s);
  }
}

/* The work of the contact's forces is what the foundation stores and what is lost; forces on ring and pulley
 * are opposite. */
static void energy_closes(void **state)
{
  (void)state;
  for (int m = 0; m < NMODEL; m++) {
    bench s = build(models[m]);
    const cap_model *model = s.t.s.m;
    const cap_batch *b = batch_of(model);
    double h[64] = {0}, force[1024], power[64], *q = s.t.s.d->q, *v = s.t.s.d->v, off[64], up = 0.0,
           down = 0.0;
    cap_eval e = {.nlane = 1, .t = s.t.s.d->t, .q = q, .v = v, .h = h, .force = force, .power = power};
    assert_true(model->noutput <= 1024 && model->nmech <= 64 && model->nv <= 64);
    b->type->rates(b, &e);
    double work = 0.0, step = 1e-6;
    for (int i = 0; i < model->nv; i++) work += h[i] * v[i];
    work += h[s.rotation] * 1.5; /* the frame turns, too */
    e.q = off;
    for (int i = 0; i < model->nv; i++) off[i] = q[i] + step * v[i];
    b->type->energy(b, &e, &up);
    for (int i = 0; i < model->nv; i++) off[i] = q[i] - step * v[i];
    b->type->energy(b, &e, &down);
    double stored = (up - down) / (2.0 * step), lost = power[b->mech_adr] + power[b->mech_adr + 1];
    print_message("  %s: work %.6g W, stored %.6g W, lost %.6g W\n", models[m], work, stored, lost);
    assert_true(power[b->mech_adr] > 0.0 && power[b->mech_adr + 1] > 0.0);
    assert_true(fabs(work + stored + lost) < 1e-7 * lost);
    const double *out = force + b->output_adr;
    double sum = out[CAP_RING_PULLEY_FX];
    for (int i = 0; i < model->nv; i++)
      if (strstr(model->dof_name[i], ".x")) sum += h[i];
    /* the places of material nodes add up to the whole ring */
    if (s.t.ring->flow < 0) assert_true(fabs(sum) < 1e-12 * out[CAP_RING_PULLEY_PRESSED]);
    assert_true(h[s.slide] == out[CAP_RING_PULLEY_FX] && h[s.rotation] == out[CAP_RING_PULLEY_TORQUE]);
    assert_true(out[CAP_RING_PULLEY_ARC] > 1.0 && out[CAP_RING_PULLEY_ARC] < 2.0 * M_PI);
    test_system_close(&s.t.s);
  }
}

/* Far away, or nowhere: a trial step may throw them there. It has to end, whatever it says. */
static void ends_far_away(void **state)
{
  (void)state;
  static const double places[] = {1e9, 1e12, 1e300, INFINITY, NAN};
  alarm(20); /* a loop without end is the failure */
  for (int m = 0; m < NMODEL; m++)
    for (size_t p = 0; p < 2 * sizeof places / sizeof places[0]; p++) {
      bench s = build(models[m]);
      const cap_model *model = s.t.s.m;
      const cap_batch *b = batch_of(model);
      double h[64] = {0}, force[1024], power[64], *q = s.t.s.d->q, stored = 0.0, far = places[p / 2];
      cap_eval e = {.nlane = 1, .t = s.t.s.d->t, .q = q, .v = s.t.s.d->v, .h = h, .force = force};
      e.power = power;
      for (int i = 0; i < model->nv; i++)
        if (p % 2 || i == s.slide) q[i] = p % 2 ? q[i] * far : far; /* all, or the pulley alone */
      b->type->rates(b, &e);
      b->type->energy(b, &e, &stored);
      if (p % 2 == 0 && isfinite(far)) assert_true(force[b->output_adr + CAP_RING_PULLEY_PRESSED] == 0.0);
      test_system_close(&s.t.s);
    }
  alarm(0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(tangents_match_differences),
                                     cmocka_unit_test(energy_closes), cmocka_unit_test(ends_far_away)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
