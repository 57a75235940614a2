/* Models, their builder, the data on them and their linear form. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../reference/reference.h"
#include "../support/system.h"
#include "analysis/observe/channels.h"
#include "elements/elements.h"
#include "model/builder.h"
#include "model/linearise.h"

/* ---- builder ------------------------------------------------------------------------------------------- */

/* One way in which the second lane may differ from the first. */
typedef enum difference {
  NONE,
  MORE_DOFS,
  FEWER_DOFS,
  MORE_ELEMENTS,
  FEWER_ELEMENTS,
  OTHER_TYPE,
  OTHER_END,
  MORE_SLIDERS,
  FEWER_SLIDERS,
  OTHER_SLIDER_END,
  DRIVEN,
  MORE_CHANNELS,
  FEWER_CHANNELS,
  OTHER_TERM,
  DIFFERENCES
} difference;

static void describe(cap_builder *b, double k, difference d)
{
  double link[] = {k, 10.0, 0.0}, load[] = {1.0, 2.0, 3.0, 4.0};
  cap_motion motion = {.amplitude = 1e-3, .angular_frequency = 5.0};
  int i = cap_builder_dof(b, "one", "m", 2.0, k, 0.0);
  int j = d == DRIVEN ? cap_builder_driven(b, "two", "m", &motion)
                      : cap_builder_dof(b, "two", "m", 3.0, 0, 0);
  if (d != FEWER_DOFS) cap_builder_dof(b, "three", "m", 3.0, 0, 0);
  if (d == MORE_DOFS) cap_builder_dof(b, "four", "m", 3.0, 0, 0);
  int e = d == OTHER_TYPE ? cap_builder_element(b, &cap_load_type, "link", i, j, load, NULL)
                          : cap_builder_element(b, &cap_link_type, "link", i, d == OTHER_END ? CAP_GROUND : j,
                                                link, NULL);
  if (d != FEWER_ELEMENTS) cap_builder_element(b, &cap_load_type, "load", i, CAP_GROUND, load, NULL);
  if (d == MORE_ELEMENTS) cap_builder_element(b, &cap_link_type, "link2", i, j, link, NULL);
  if (d != FEWER_SLIDERS)
    cap_builder_slider(b, "slider", j, d == OTHER_SLIDER_END ? i : CAP_GROUND, k, 5.0, 0.0);
  if (d == MORE_SLIDERS) cap_builder_slider(b, "slider2", j, CAP_GROUND, k, 5.0, 0.0);
  cap_term terms[2] = {{CAP_TERM_FORCE, e, 1.0}, {CAP_TERM_Q, d == OTHER_TERM ? j : i, k}};
  cap_builder_channel(b, "force", "N", "force", 2, terms);
  if (d != FEWER_CHANNELS) cap_builder_channel(b, "position", "m", "position", 1, terms + 1);
  if (d == MORE_CHANNELS) cap_builder_channel(b, "again", "m", "position", 1, terms + 1);
}

static cap_status build_two(difference d, cap_model **m, cap_error *error)
{
  cap_builder *b = cap_builder_create(2);
  assert_non_null(b);
  cap_builder_lane(b, 0);
  describe(b, 100.0, NONE);
  cap_builder_lane(b, 1);
  describe(b, 200.0, d);
  cap_status status = cap_builder_finish(b, m, error);
  cap_builder_free(b);
  return status;
}

static void lanes_must_have_one_structure(void **state)
{
  (void)state;
  for (int d = 0; d < DIFFERENCES; d++) {
    cap_model *m = NULL;
    cap_error error = {0};
    cap_status status = build_two((difference)d, &m, &error);
    if (d == NONE) {
      assert_int_equal(status, CAP_OK);
      assert_true(m->mass[0] == 2.0 && m->slider_k[0] == 100.0 && m->slider_k[1] == 200.0);
      assert_true(m->initial[0] == 100.0 && m->initial[1] == 200.0);
    } else {
      if (status != CAP_ERR_UNSUPPORTED || m) fail_msg("difference %d was not refused", d);
      assert_non_null(strstr(error.text, "change the structure"));
    }
    cap_model_free(m);
  }
}

static void a_lane_must_not_be_left_out(void **state)
{
  (void)state;
  cap_builder *b = cap_builder_create(3);
  cap_model *m = NULL;
  assert_non_null(b);
  for (int l = 0; l < 3; l += 2) {
    cap_builder_lane(b, l);
    describe(b, 100.0, NONE);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_ERR_UNSUPPORTED);
  assert_null(m);
  cap_builder_free(b);
}

static void too_much_is_refused_with_its_reason(void **state)
{
  (void)state;
  cap_error error = {0};
  cap_model *m = NULL;
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  for (int k = 0; k < 66000; k++) cap_builder_dof(b, "body", "m", 1.0, 0.0, 0.0);
  assert_int_equal(cap_builder_finish(b, &m, &error), CAP_ERR_UNSUPPORTED);
  assert_non_null(strstr(error.text, "65536"));
  cap_builder_free(b);
  cap_builder_free(NULL);
  cap_model_free(NULL);
}

/* ---- channels ------------------------------------------------------------------------------------------ */

/* Terms refer to elements in the order in which they were described, whatever the order in the batches; the
 * factors are those of each lane. */
static void channels_sum_their_terms(void **state)
{
  (void)state;
  cap_model *m = NULL;
  cap_builder *b = cap_builder_create(2);
  assert_non_null(b);
  for (int l = 0; l < 2; l++) {
    double first[] = {1e3 + l, 0.0, 0.0}, load[] = {7.0 + l, 0.0, 1.0, 0.0}, second[] = {2e3 + l, 0.0, 0.0};
    double dahl[] = {1.0, 2.0, 1.0, -2.0, 1.0, 1.0}, inner = 55.0 + l;
    cap_builder_lane(b, l);
    int i = cap_builder_dof(b, "one", "m", 1.0, 0.5, 0.25), j = cap_builder_dof(b, "two", "m", 1.0, 0.1, 0.0);
    int e[4];
    e[0] = cap_builder_element(b, &cap_link_type, "first", i, j, first, NULL);
    e[1] = cap_builder_element(b, &cap_load_type, "load", i, CAP_GROUND, load, NULL);
    e[2] = cap_builder_element(b, &cap_dahl_type, "dahl", i, CAP_GROUND, dahl, &inner);
    e[3] = cap_builder_element(b, &cap_link_type, "second", j, CAP_GROUND, second, NULL);
    int s = cap_builder_slider(b, "slider", i, j, 10.0, 90.0, 33.0 + l);
    cap_term terms[] = {{CAP_TERM_CONSTANT, 0, 1000.0 * (l + 1)},
                        {CAP_TERM_Q, i, 2.0},
                        {CAP_TERM_V, i, 4.0},
                        {CAP_TERM_FORCE, e[0], 1.0},
                        {CAP_TERM_FORCE, e[1], 1.0},
                        {CAP_TERM_FORCE, e[3], 1.0},
                        {CAP_TERM_X, e[2], 1.0},
                        {CAP_TERM_SLIDER, s, 1.0 + l}};
    cap_builder_channel(b, "all", "1", "all", 8, terms);
  }
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  cap_data *d = cap_data_create(m);
  double force[8], h[4], xdot[4], lanes[2];
  assert_non_null(d);
  cap_eval e = {.nlane = 2, .t = d->t, .q = d->q, .v = d->v, .x = d->x, .h = h, .xdot = xdot, .force = force};
  cap_model_rates(m, &e);
  cap_model_channel_lanes(&m->channels[0], 2, d->q, d->v, d->x, force, lanes);
  for (int l = 0; l < 2; l++) {
    double expected = 1000.0 * (l + 1) + 2.0 * 0.5 + 4.0 * 0.25 + (1e3 + l) * 0.4 - (7.0 + l) +
                      (2e3 + l) * 0.1 + 55.0 + l + (1.0 + l) * (33.0 + l);
    assert_true(fabs(lanes[l] - expected) < 1e-11);
    assert_true(cap_model_channel(&m->channels[0], l, 2, d->q, d->v, d->x, force) == lanes[l]);
  }
  cap_data_free(d);
  cap_model_free(m);
}

/* A detail is there when a pattern names it, and not among all. */
static void details_show_when_named(void **state)
{
  (void)state;
  cap_model *m = NULL;
  cap_channels channels;
  const char *pattern = "a.*";
  cap_texts all = {0}, named = {.n = 1, .v = &pattern};
  cap_builder *b = cap_builder_create(1);
  assert_non_null(b);
  cap_term term = {CAP_TERM_Q, cap_builder_dof(b, "a", "m", 1.0, 0.5, 0.25), 1.0};
  cap_builder_channel(b, "a.position", "m", "position", 1, &term);
  cap_builder_channel(b, "a.inner", "m", "position again", 1, &term);
  cap_builder_detail(b);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  assert_int_equal(cap_channels_select(&channels, m, &all, NULL), CAP_OK);
  assert_int_equal(channels.n, 1);
  cap_channels_free(&channels);
  assert_int_equal(cap_channels_select(&channels, m, &named, NULL), CAP_OK);
  assert_int_equal(channels.n, 2);
  cap_channels_free(&channels);
  cap_model_free(m);
}

/* ---- data ---------------------------------------------------------------------------------------------- */

static void data_fields_are_all_there(void **state)
{
  (void)state;
  cap_model *m = NULL;
  assert_int_equal(build_two(NONE, &m, NULL), CAP_OK);
  cap_data *a = cap_data_create(m), *b = cap_data_create(m);
  cap_view views[CAP_DATA_NVIEW];
  assert_true(a && b);
  uint64_t fresh = cap_data_hash(m, a);
  assert_true(fresh == cap_data_hash(m, b));
  cap_data_views(m, a, views);
  for (int k = 0; k < CAP_DATA_NVIEW; k++) { /* every value counts for hash, copy and reset */
    assert_true(views[k].name && views[k].unit && views[k].meaning);
    for (int64_t i = 0; i < views[k].count; i++) {
      if (views[k].integer) ((int64_t *)views[k].values)[i] += 1;
      else ((double *)views[k].values)[i] += 1.0;
      if (cap_data_hash(m, a) == fresh) fail_msg("the hash does not see %s[%d]", views[k].name, (int)i);
      cap_data_copy(m, b, a);
      assert_true(cap_data_hash(m, b) == cap_data_hash(m, a));
      cap_data_reset(m, a);
      if (cap_data_hash(m, a) != fresh) fail_msg("the reset forgets %s[%d]", views[k].name, (int)i);
    }
  }
  cap_data_free(a);
  cap_data_free(b);
  cap_data_free(NULL);
  cap_model_free(m);
}

static void a_value_that_is_not_finite_is_named(void **state)
{
  (void)state;
  test_system s = test_system_open(TEST_BELT TEST_MASING TEST_ANY);
  const char *names[] = {"position of mass", "position of pulley", "velocity of mass", "velocity of pulley",
                         "inner force of tensioner.slider"};
  const double bad[] = {NAN, INFINITY, -INFINITY};
  assert_int_equal(s.m->nstate, 5);
  assert_int_equal(cap_model_check_finite(s.m, 1.25, s.d->y, NULL), CAP_OK);
  for (int i = 0; i < 5; i++)
    for (int k = 0; k < 3; k++) {
      cap_error error = {0};
      cap_data_reset(s.m, s.d);
      s.d->y[i] = bad[k];
      assert_int_equal(cap_model_check_finite(s.m, 1.25, s.d->y, &error), CAP_ERR_NUMERICS);
      assert_non_null(strstr(error.text, "t = 1.25 s"));
      assert_non_null(strstr(error.text, names[i]));
    }
  test_system_close(&s);
}

/* ---- motion -------------------------------------------------------------------------------------------- */

static void motions_have_consistent_derivatives(void **state)
{
  (void)state;
  cap_arena arena = {0};
  double x[40], y[40];
  for (int k = 0; k < 40; k++) {
    x[k] = 0.1 * k + 0.02 * sin(3.0 * k);
    y[k] = sin(x[k]);
  }
  cap_motion list[2] = {{.mean = 0.3, .amplitude = 0.2, .angular_frequency = 7.0, .phase = 1.1}};
  assert_int_equal(cap_motion_sampled(&arena, 40, x, y, &list[1]), CAP_OK);
  for (int k = 0; k < 2; k++)
    for (double t = 0.33; t < 3.6; t += 0.0917) {
      double q, v, a, q0, v0, a0, q1, v1, a1, h = 1e-5;
      cap_motion_at(&list[k], NULL, t, &q, &v, &a);
      cap_motion_at(&list[k], NULL, t - h, &q0, &v0, &a0);
      cap_motion_at(&list[k], NULL, t + h, &q1, &v1, &a1);
      assert_true(fabs((q1 - q0) / (2.0 * h) - v) < 1e-7);
      assert_true(fabs((v1 - v0) / (2.0 * h) - a) < 1e-4);
      if (k == 1) assert_true(fabs(q - sin(t)) < 1e-4 && fabs(v - cos(t)) < 1e-2);
    }
  double q, v, a;
  cap_motion_at(&list[1], NULL, -5.0, &q, &v, &a); /* held outside */
  assert_true(q == y[0] && v == 0.0 && a == 0.0);
  cap_motion_at(&list[1], NULL, 50.0, &q, &v, &a);
  assert_true(q == y[39] && v == 0.0);
  cap_motion_at(&list[1], NULL, x[0], &q, &v, &a); /* moving at the very first and last sample */
  assert_true(fabs(v - cos(x[0])) < 1e-3);
  cap_motion_at(&list[1], NULL, x[39], &q, &v, &a);
  assert_true(fabs(v - cos(x[39])) < 1e-3);
  for (int k = 0; k < 40; k++) {
    cap_motion_at(&list[1], NULL, x[k], &q, &v, &a);
    assert_true(fabs(q - y[k]) < 1e-14);
  }
  cap_arena_free(&arena);
}

/* ---- linear form --------------------------------------------------------------------------------------- */

/* Two free bodies, one driven, links between all of them, loads of two angular frequencies, a constant
 * motion, sliders
 * on a free and on a driven end. */
static cap_model *coupled(void)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  assert_non_null(b);
  cap_motion motion = {.mean = 2e-3, .amplitude = 1e-3, .angular_frequency = 9.4, .phase = 0.7};
  cap_motion fixed = {.mean = 1e-3, .amplitude = 5e-4, .angular_frequency = 0.0, .phase = 0.9};
  int i = cap_builder_dof(b, "one", "m", 2.0, 1e-3, 0.0), r = cap_builder_driven(b, "rod", "m", &motion);
  int j = cap_builder_dof(b, "two", "m", 3.0, -1e-3, 0.1), w = cap_builder_driven(b, "wall", "m", &fixed);
  double p[5][3] = {{1e5, 20, 3}, {2e5, 30, -4}, {3e5, 40, 5}, {4e5, 50, 6}, {5e5, 60, -7}};
  double load[2][4] = {{11, 50, 60, 0.4}, {-5, 20, 9.4, -1.0}}, still[] = {3.0, 4.0, 0.0, 0.5},
         weight = 29.43;
  int e[5];
  e[0] = cap_builder_element(b, &cap_link_type, "a", i, j, p[0], NULL);
  cap_builder_element(b, &cap_load_type, "l0", i, CAP_GROUND, load[0], NULL);
  e[1] = cap_builder_element(b, &cap_link_type, "b", r, i, p[1], NULL);
  cap_builder_element(b, &cap_load_type, "l1", j, i, load[1], NULL);
  e[2] = cap_builder_element(b, &cap_link_type, "c", j, r, p[2], NULL);
  cap_builder_element(b, &cap_weight_type, "w", j, CAP_GROUND, &weight, NULL);
  e[3] = cap_builder_element(b, &cap_link_type, "d", j, CAP_GROUND, p[3], NULL);
  int l = cap_builder_element(b, &cap_load_type, "l2", i, j, still, NULL);
  e[4] = cap_builder_element(b, &cap_link_type, "e", w, j, p[4], NULL);
  int s = cap_builder_slider(b, "s0", i, r, 1e5, 40.0, 12.0);
  int z = cap_builder_slider(b, "s1", j, CAP_GROUND, 2e5, 30.0, -8.0);
  cap_term terms[] = {
      {CAP_TERM_FORCE, e[0], 1.0}, {CAP_TERM_FORCE, e[1], -2.0}, {CAP_TERM_FORCE, e[2], 0.5},
      {CAP_TERM_FORCE, e[4], 3.0}, {CAP_TERM_FORCE, l, 1.5},     {CAP_TERM_Q, r, 7e4},
      {CAP_TERM_V, r, -3e3},       {CAP_TERM_Q, i, 1e5},         {CAP_TERM_V, j, 1e3},
      {CAP_TERM_SLIDER, s, 2.0},   {CAP_TERM_SLIDER, z, -1.0},   {CAP_TERM_CONSTANT, 0, 17.0}};
  cap_builder_channel(b, "all", "N", "all", 12, terms);
  assert_int_equal(cap_builder_finish(b, &m, NULL), CAP_OK);
  cap_builder_free(b);
  return m;
}

static void the_linear_form_is_the_model(void **state)
{
  (void)state;
  cap_model *m = coupled();
  cap_arena arena = {0};
  cap_linear lin;
  cap_functional out;
  int free_dof[8];
  cap_error error = {0};
  assert_int_equal(cap_linearise_model(m, 0, &arena, &lin, free_dof, &error), CAP_OK);
  assert_int_equal(cap_linearise_channel(m, &m->channels[0], 0, &lin, free_dof, &arena, &out, &error),
                   CAP_OK);
  assert_int_equal(lin.nv, 2);
  assert_int_equal(lin.nharmonic, 2);
  uint64_t seed = 99;
  for (int trial = 0; trial < 100; trial++) {
    double y[16], h[8], force[16], xdot[8], t = test_random(&seed, 0, 3);
    for (int i = 0; i < m->nstate; i++)
      y[i] = test_random(&seed, -1, 1) * (i < m->nv ? 1e-3 : i < 2 * m->nv ? 0.1 : 30.0);
    cap_model_drive(m, NULL, &t, y, y + m->nv, NULL);
    double *v = y + m->nv, *x = y + 2 * m->nv, size = 1000.0;
    cap_eval e = {.nlane = 1, .t = &t, .q = y, .v = v, .x = x, .h = h, .xdot = xdot, .force = force};
    cap_model_rates(m, &e);
    double value = out.c0;
    for (int k = 0; k < lin.nharmonic; k++)
      value += out.cc[k] * cos(lin.angular_frequency[k] * t) + out.cs[k] * sin(lin.angular_frequency[k] * t);
    for (int s = 0; s < lin.nslider; s++) value += out.cz[s] * x[s];
    for (int i = 0; i < m->nv; i++) {
      int row = free_dof[i];
      if (row < 0) continue;
      value += out.cq[row] * y[i] + out.cv[row] * v[i];
      double sum = lin.f0[row];
      for (int j = 0; j < m->nv; j++)
        if (free_dof[j] >= 0)
          sum -= lin.stiffness[row * 2 + free_dof[j]] * y[j] + lin.damping[row * 2 + free_dof[j]] * v[j];
      for (int k = 0; k < lin.nharmonic; k++)
        sum += lin.fc[k * 2 + row] * cos(lin.angular_frequency[k] * t) +
               lin.fs[k * 2 + row] * sin(lin.angular_frequency[k] * t);
      for (int s = 0; s < lin.nslider; s++) sum -= lin.b[s * 2 + row] * x[s];
      if (!(fabs(sum - h[i]) < 1e-10 * size))
        fail_msg("force on %s: %.12g, model %.12g", m->dof_name[i], sum, h[i]);
      assert_true(lin.mass[row * 3] == m->mass[i]);
    }
    double direct = cap_model_channel(&m->channels[0], 0, 1, y, v, x, force);
    if (!(fabs(value - direct) < 1e-10 * size)) fail_msg("channel: %.12g, model %.12g", value, direct);
    /* imposed displacement of the first slider: minus that of the rod, but for a constant */
    double imposed = 0.0, rod, speed, a;
    for (int k = 0; k < 2; k++)
      imposed += lin.dc[k] * cos(lin.angular_frequency[k] * t) +
                 lin.ds[k] * sin(lin.angular_frequency[k] * t);
    cap_motion_at(&m->motions[0], NULL, t, &rod, &speed, &a);
    assert_true(fabs(imposed + rod - m->motions[0].mean) < 1e-15);
  }
  cap_arena_free(&arena);
  cap_model_free(m);
}

static void what_is_not_linear_is_refused(void **state)
{
  (void)state;
  const char *texts[] = {TEST_BELT TEST_DAHL TEST_ANY,
                         TEST_BELT "tensioner: {law: coulomb, k0: 2e5 N/m, alpha: 100 N}\n" TEST_ANY};
  const char *reasons[] = {"modified Dahl", "Coulomb friction"};
  for (int k = 0; k < 2; k++) {
    test_system s = test_system_open(texts[k]);
    cap_arena arena = {0};
    cap_linear lin;
    int free_dof[4];
    cap_error error = {0};
    assert_int_equal(cap_linearise_model(s.m, 0, &arena, &lin, free_dof, &error), CAP_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, reasons[k]));
    cap_stepper stepper;
    cap_stepper_settings settings = {.step = 1e-4};
    assert_int_equal(cap_stepper_create(&cap_propagate_type, s.m, &settings, &stepper, &error),
                     CAP_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.text, "midpoint"));
    cap_stepper_free(&stepper);
    cap_arena_free(&arena);
    test_system_close(&s);
  }
}

/* Driven coordinates are where their motion puts them, by every stepper, and take no part in dynamics. */
static void driven_coordinates_follow_their_motion(void **state)
{
  (void)state;
  cap_model *m = coupled();
  const cap_stepper_type *types[] = {&cap_propagate_type, &cap_theta_midpoint_type, &cap_theta_euler_type,
                                     &cap_moreau_type};
  for (int k = 0; k < 4; k++) {
    test_system s = {.m = m, .d = cap_data_create(m)};
    assert_non_null(s.d);
    test_run(&s, types[k], 1e-4, 0.37);
    double q, v, a;
    cap_motion_at(&m->motions[0], NULL, 0.37, &q, &v, &a);
    assert_true(s.d->q[1] == q && s.d->v[1] == v);
    assert_true(*s.d->t == 0.37);
    cap_data_free(s.d);
  }
  cap_model_free(m);
}

/* A shaft: velocity and acceleration are the derivatives of its angle, before,
 * within and after its points. */
static void a_shaft_turns_with_its_orders(void **state)
{
  (void)state;
  const double time[] = {0.1, 0.3, 0.6}, speed[] = {100.0, 200.0, 50.0};
  const double order[] = {2.0, 4.0}, size[] = {0.02, 0.005}, shift[] = {0.3, -1.0};
  cap_arena arena = {0};
  cap_motion motion;
  assert_int_equal(cap_motion_shaft(&arena, 3, time, speed, 2, order, size, shift, &motion), CAP_OK);
  for (int k = 0; k < 7; k++) {
    double t = 0.05 + 0.1 * k + 0.003, h = 1e-5, q[3], v[3], a[3];
    for (int i = 0; i < 3; i++) cap_motion_at(&motion, NULL, t + (i - 1) * h, &q[i], &v[i], &a[i]);
    assert_true(fabs((q[2] - q[0]) / (2.0 * h) - v[1]) < 1e-3);
    assert_true(fabs((v[2] - v[0]) / (2.0 * h) - a[1]) < 1e-2 * (1.0 + fabs(a[1])));
  }
  double q, v, a;
  cap_motion_mean(&motion, NULL, 0.7, &q, &v, &a);
  assert_true(fabs(q - (30.0 + 37.5 + 5.0)) < 1e-12 && v == 50.0 && a == 0.0);
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_shaft_turns_with_its_orders),
      cmocka_unit_test(lanes_must_have_one_structure),
      cmocka_unit_test(a_lane_must_not_be_left_out),
      cmocka_unit_test(too_much_is_refused_with_its_reason),
      cmocka_unit_test(channels_sum_their_terms),
      cmocka_unit_test(details_show_when_named),
      cmocka_unit_test(data_fields_are_all_there),
      cmocka_unit_test(a_value_that_is_not_finite_is_named),
      cmocka_unit_test(motions_have_consistent_derivatives),
      cmocka_unit_test(the_linear_form_is_the_model),
      cmocka_unit_test(what_is_not_linear_is_refused),
      cmocka_unit_test(driven_coordinates_follow_their_motion),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
