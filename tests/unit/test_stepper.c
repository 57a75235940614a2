/* step/stepper, step/steppers.h: the list of steppers, what each refuses, and which of them auto takes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/system.h"
#include "analysis/stepping.h"
#include "drives/registry.h"
#include "model/impulse.h"
#include "model/inertia.h"
#include "step/exact/exact.h"

/* ---- the list ------------------------------------------------------------------------------------------ */

static const char *const *choices_of(const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (strcmp(w.field->key, "method") == 0) return w.field->choices;
  fail_msg("no key \"method\"");
  return NULL;
}

static void expect_choices(const cap_field *fields, const char *expected)
{
  const char *const *choices = choices_of(fields);
  char text[300] = "";
  for (int k = 0; choices[k]; k++) {
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s", used ? ", " : "", choices[k]);
  }
  assert_string_equal(text, expected);
}

/* As files and the schema have them: a gap in a column of the list would end these early. */
static void choices_of_analyses(void **state)
{
  (void)state;
  expect_choices(cap_transient_fields,
                 "auto, exact, midpoint, euler, leapfrog, rk4, cvode, extrapolation, radau, timestepping, "
                 "multirate, rk5, rk8, switching");
  expect_choices(cap_periodic_fields, "auto, exact, midpoint, euler, rk4, cvode, extrapolation");
  expect_choices(cap_response_fields, "auto, exact, rk4, midpoint, euler, cvode, harmonic-balance, shooting");
  expect_choices(cap_convergence_fields, "radau, cvode");
}

static void names_and_sentences(void **state)
{
  (void)state;
  int n = 0;
  for (; cap_stepper_types[n]; n++) {
    const cap_stepper_type *type = cap_stepper_types[n];
    assert_true(type->name[0] && type->doc && strlen(type->doc) > 20);
    assert_ptr_equal(cap_stepping_find(type->name), type);
    if (!strstr(cap_registry_methods_doc, type->name)) fail_msg("%s is not in the doc of method", type->name);
    for (int k = 0; k < n; k++) {
      assert_string_not_equal(type->name, cap_stepper_types[k]->name);
      assert_string_not_equal(type->doc, cap_stepper_types[k]->doc);
    }
  }
  assert_int_equal(n, CAP_STEPPERS_COUNT);
}

/* Properties that go together; what stands in for a method can do what it is called for. */
static void properties(void **state)
{
  (void)state;
  for (int k = 0; cap_stepper_types[k]; k++) {
    const cap_stepper_type *type = cap_stepper_types[k];
    if (type->explicit) assert_true(type->fixed);
    if (type->staggered) assert_true(type->explicit && type->chosen);
    if (type->parts || type->chosen) assert_true(type->staggered);
    if (type->order == 0) assert_false(type->fixed);
    if (type->ensemble) assert_true(type->ensemble->lanes && !type->lanes);
    if (type->repeating) assert_true(type->repeating->fixed && !type->fixed);
  }
}

/* ---- what they refuse ---------------------------------------------------------------------------------- */

/* A model of nothing but numbers, to which things are given one by one; never run. */
typedef struct parts {
  cap_element_type element;
  cap_inertia_type inertia;
  cap_batch batch;
  cap_inertia block;
  cap_contact_batch contact;
  cap_motion motion;
  int at[CAP_EXACT_MOST_SLIDERS + 1];
  double k[CAP_EXACT_MOST_SLIDERS + 1];
  cap_model m;
} parts;

static bool says_yes(const cap_batch *b, int k, int lane)
{
  (void)b, (void)k, (void)lane;
  return true;
}

static bool has_pieces(const cap_batch *b, int k, int lane, cap_pieces *pieces)
{
  (void)b, (void)k, (void)lane, (void)pieces;
  return true;
}

static void turn(const cap_inertia *b, const double *q, const double *a, const double *dq, int stride,
                 double *out)
{
  (void)b, (void)q, (void)a, (void)dq, (void)stride, (void)out;
}

static void begin(parts *p)
{
  *p = (parts){.m = {.nlane = 1, .nv = 2, .linear = true}};
  p->batch = (cap_batch){.type = &p->element, .n = 1, .i = p->at, .j = p->at};
  p->block = (cap_inertia){.type = &p->inertia, .first = 0, .n = 2};
  for (int s = 0; s <= CAP_EXACT_MOST_SLIDERS; s++) p->k[s] = 1e5;
  p->m.batches = &p->batch;
  p->m.inertias = &p->block;
  p->m.contacts = &p->contact;
  p->m.motions = &p->motion;
  p->m.slider_i = p->m.slider_j = p->at;
  p->m.slider_k = p->k;
}

static void nothing(parts *p)
{
  (void)p;
}
static void set_valued(parts *p)
{
  p->m.nset = 1;
}
static void held(parts *p)
{
  static const cap_impulse_type impulses = {.obstacle = "it has set-valued contacts of a pushbelt"};
  p->m.impulses = &impulses;
}
static void marches(parts *p)
{
  p->m.marches = true;
}
static void march_only(parts *p)
{
  p->m.march_only = true;
}
static void fast(parts *p)
{
  p->m.nfast = 1;
}
static void contacts(parts *p)
{
  p->m.ncontact = 1;
}
static void not_linear(parts *p)
{
  p->m.linear = false;
}
static void reversal(parts *p)
{
  p->m.reversal = true, p->m.linear = false;
}
static void lanes(parts *p)
{
  p->m.nlane = 2;
}
static void slider(parts *p)
{
  p->m.nslider = 1;
}
static void many_sliders(parts *p)
{
  p->m.nslider = CAP_EXACT_MOST_SLIDERS + 1;
}
static void block(parts *p)
{
  p->m.ninertia = 1;
}
static void speeds(parts *p)
{
  p->m.nmotion = p->motion.nspeed = 1;
}
static void samples(parts *p)
{
  p->m.nmotion = p->motion.nsample = 1;
}

static void ideal(parts *p)
{
  contacts(p);
  p->m.nideal = 1;
}

static void parting(parts *p)
{
  contacts(p);
  p->m.ncontactbatch = 1;
  p->contact.kind = CAP_LAW_REGULARISED;
}

static void contacts_not_linear(parts *p)
{
  contacts(p);
  not_linear(p);
}

static void coulomb(parts *p)
{
  slider(p);
  p->k[0] = INFINITY;
}

static void coulomb_beside_fast(parts *p)
{
  coulomb(p);
  fast(p);
}

static void turning(parts *p)
{
  block(p);
  p->inertia.turn = turn;
}

static void turning_march(parts *p)
{
  turning(p);
  march_only(p);
}

static void slider_on_block(parts *p)
{
  block(p);
  slider(p);
}

static void corners_on_block(parts *p)
{
  block(p);
  not_linear(p);
  p->m.nbatch = 1;
  p->element.pieces = has_pieces;
}

static void jumps(parts *p)
{
  not_linear(p);
  p->m.nbatch = 1;
  p->element.jumps = says_yes;
}

/* What one stepper says that refuses, who does not refuse, and what auto takes. */
#define FRICTION "midpoint, euler, leapfrog, multirate"
#define SMOOTH   FRICTION ", rk4, cvode, extrapolation, radau, rk5, rk8, switching"
static const struct {
  const char *what;
  void (*give)(parts *p);
  const char *who, *sentence, *takers, *best;
  const char *mover; /* what moves it from row to row */
} features[] = {
    {"nothing", nothing, "timestepping", "it has no contacts that can open", "exact, " SMOOTH, "exact",
     "exact"},
    {"set-valued contacts", set_valued, "cvode", "it has set-valued contacts", "timestepping", "timestepping",
     "timestepping"},
    {"held contacts", held, "cvode", "it has set-valued contacts of a pushbelt", "multirate", "cvode",
     "cvode"},
    {"inner states that only march", march_only, "rk4",
     "one of its elements needs explicit staggered steps for its internal variables", "leapfrog, multirate",
     "leapfrog", "leapfrog"},
    {"contacts", contacts, "leapfrog", "it has contacts",
     "exact, midpoint, euler, rk4, cvode, extrapolation, radau, rk5, rk8, switching", "exact", "exact"},
    {"a body", block, "midpoint", "it has a body with a non-diagonal mass matrix",
     "timestepping, leapfrog, multirate, rk4, cvode, extrapolation, radau, rk5, rk8, switching", "cvode",
     "switching"},
    {"a body that turns", turning, "leapfrog", "it has a body with a varying mass matrix",
     "timestepping, multirate, rk4, cvode, extrapolation, radau, rk5, rk8, switching", "cvode", "switching"},
    {"dry friction on a body", slider_on_block, "multirate",
     "dry friction acts on a body with a non-diagonal mass matrix", "", "midpoint", "midpoint"},
    {"Coulomb friction beside fast elements", coulomb_beside_fast, "multirate",
     "it has Coulomb friction without compliance next to fast elements", "midpoint, euler, leapfrog",
     "multirate", "multirate"},
    {"a force with corners on a body", corners_on_block, "extrapolation",
     "a force with corners acts on a body with a non-diagonal mass matrix",
     "timestepping, leapfrog, multirate, rk4, cvode, radau, rk5, rk8, switching", "cvode", "switching"},
    {"dry friction", slider, "rk4", "it has dry friction with a set-valued law", "exact, " FRICTION, "exact",
     "exact"},
    {"another law", not_linear, "exact", "it has a nonlinear element", SMOOTH, "cvode", "switching"},
    {"ideal contacts", ideal, "cvode", "it has ideal rolling constraints", "extrapolation, radau",
     "extrapolation", "extrapolation"},
    {"lanes", lanes, "cvode", "it is an ensemble", "rk4", "cvode", "cvode"},
    {"contacts that part", parting, "radau", "it has contacts that can open",
     "exact, midpoint, euler, timestepping, rk4, cvode, rk5, rk8, switching", "exact", "exact"},
    {"a force that jumps", jumps, "extrapolation", "it has an element with a discontinuous force",
     FRICTION ", rk4, cvode", "cvode", "midpoint"},
    {"a law with reversals", reversal, "radau", "it has a law that switches at reversals",
     FRICTION ", rk4, cvode, extrapolation", "cvode", "extrapolation"},
    {"many sliders", many_sliders, "exact", "it has more than 64 friction elements", FRICTION, "midpoint",
     "midpoint"},
    {"Coulomb friction", coulomb, "exact", "it has Coulomb friction without compliance", FRICTION, "midpoint",
     "midpoint"},
    {"a motion that turns on", speeds, "exact",
     "it has a prescribed motion that rotates continuously and is not harmonic", SMOOTH, "cvode",
     "switching"},
    {"a sampled motion", samples, "exact", "it has a prescribed motion that is sampled and not harmonic",
     SMOOTH, "cvode", "switching"},
    {"contacts and another law", contacts_not_linear, NULL, NULL,
     "midpoint, euler, rk4, cvode, extrapolation, radau, rk5, rk8, switching", "radau", "switching"},
    {"marching", marches, NULL, NULL, "exact, " SMOOTH, "leapfrog", "leapfrog"},
    {"fast elements", fast, NULL, NULL, "exact, " SMOOTH, "multirate", "multirate"},
    {"marching that leapfrog does not take", turning_march, NULL, NULL, "multirate", "multirate",
     "multirate"},
};

/* Every obstacle has a sentence of its own, and what is not said to be taken is refused. */
static void obstacles(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof features / sizeof *features; k++) {
    parts p;
    char takers[256];
    begin(&p);
    features[k].give(&p);
    print_message("  %s\n", features[k].what);
    cap_stepper_fitting(&p.m, takers, sizeof takers);
    assert_string_equal(takers, features[k].takers);
    assert_string_equal(cap_stepper_best(&p.m)->name, features[k].best);
    assert_string_equal(cap_stepper_mover(&p.m)->name, features[k].mover);
    if (!features[k].who) continue;
    const char *sentence = cap_stepper_obstacle(cap_stepping_find(features[k].who), &p.m);
    assert_string_equal(sentence ? sentence : "none", features[k].sentence);
    for (size_t l = 0; l < k; l++)
      assert_true(!features[l].sentence || strcmp(features[l].sentence, sentence) != 0);
  }
}

/* ---- what auto takes ----------------------------------------------------------------------------------- */

static const struct {
  const char *example, *setting, *best;
} picks[] = {
    {"belt_tensioner_mass", NULL, "exact"},
    {"ring_tracking", NULL, "exact"},
    {"tensioner_rig_dahl", NULL, "cvode"},
    {"ring_free", NULL, "cvode"},
    {"linear_tensioner", NULL, "midpoint"},
    {"rolling_sleigh", NULL, "extrapolation"},
    {"rolling_block", NULL, "radau"},
    {"rolling_sleigh", "contact.epsilon=0.01", "radau"},
    {"bouncing_ball", NULL, "timestepping"},
    {"two_pulley_segments", NULL, "leapfrog"},
    {"two_pulley_segments", "belt.model=springs", "cvode"},
    {"sheave", NULL, "leapfrog"},
    {"variator", NULL, "multirate"},
};

static void best_of_examples(void **state)
{
  (void)state;
  for (size_t k = 0; k < sizeof picks / sizeof *picks; k++) {
    char text[8000];
    test_read_example(picks[k].example, sizeof text, text);
    test_system s = test_system_with(text, picks[k].setting != NULL, &picks[k].setting);
    print_message("  %s %s\n", picks[k].example, picks[k].setting ? picks[k].setting : "");
    const cap_stepper_type *best = cap_stepper_best(s.m);
    assert_string_equal(best->name, picks[k].best);
    assert_null(cap_stepper_obstacle(best, s.m));
    test_system_close(&s);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(choices_of_analyses),
                                     cmocka_unit_test(names_and_sentences), cmocka_unit_test(properties),
                                     cmocka_unit_test(obstacles), cmocka_unit_test(best_of_examples)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
