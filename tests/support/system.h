/* A system for tests, built from the text of a model file by the same way that the program goes; and what
 * tests do with it again and again. Include after cmocka.h. */
#pragma once
#include "io/execute.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_system {
  cap_model_file *file;
  cap_model *m;
  cap_data *d;
} test_system;

#define TEST_BELT                                                                                            \
  "capstan: 1\nname: t\ndrive: belt-tensioner-mass\n"                                                        \
  "masses: {mass: 73.84 kg, pulley: 0.15 kg}\n"                                                              \
  "belt: {stiffness: 560 kN/m, damping: 160 N s/m}\n"                                                        \
  "load: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"
#define TEST_ANY "analyses: [{statics: {}}]\n"
#define TEST_MASING                                                                                          \
  "tensioner: {law: masing, k0: 2.34e5 N/m, F0: -573 N, c: 1.93e4 N s/m, c_angular_frequency: 9.4 rad/s, "   \
  "sliders: [{k: 4.84e5 N/m, alpha: 163 N}]}\n"
#define TEST_DAHL                                                                                            \
  "tensioner: {law: dahl, a: 7.146e4 N/m, b: 959.6 N, d: 5.322e4 N/m, e: 397.2 N, lambda: 117355, "          \
  "mu: 0.37}\n"
#define TEST_RIG                                                                                             \
  "capstan: 1\nname: t\ndrive: tensioner-rig\n"                                                              \
  "deflection: {motion: harmonic, mean: 0.54 mm, amplitude: 0.52 mm, angular_frequency: 9.4 rad/s, phase: "  \
  "4.8 "                                                                                                     \
  "rad}\n"

static inline test_system test_system_with(const char *text, int nsetting, const char *const *settings)
{
  test_system s = {0};
  cap_diag *diag = calloc(1, sizeof *diag);
  assert_non_null(diag);
  if (cap_model_file_parse("test.yaml", text, strlen(text), nsetting, settings, &s.file, diag) != CAP_OK)
    fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  cap_error error = {0};
  if (cap_execute_build(s.file, &s.m, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_non_null(s.d = cap_data_create(s.m));
  return s;
}

static inline test_system test_system_open(const char *text)
{
  return test_system_with(text, 0, NULL);
}

/* The model file of an example. */
static inline void test_read_example(const char *name, size_t room, char *text)
{
  char path[300];
  snprintf(path, sizeof path, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, name);
  FILE *file = fopen(path, "r");
  assert_non_null(file);
  text[fread(text, 1, room - 1, file)] = 0;
  fclose(file);
}

static inline void test_system_close(test_system *s)
{
  cap_data_free(s->d);
  cap_model_free(s->m);
  cap_model_file_free(s->file);
  *s = (test_system){0};
}

static inline cap_stepper test_stepper(const test_system *s, const cap_stepper_type *type, double step,
                                       double tolerance, bool audit)
{
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = step, .tolerance = tolerance, .audit = audit};
  if (cap_stepper_create(type, s->m, &settings, &stepper, &error) != CAP_OK) fail_msg("%s", error.text);
  return stepper;
}

static inline void test_advance(test_system *s, cap_stepper *stepper, double t, double *tangent)
{
  cap_error error = {0};
  if (cap_stepper_advance(stepper, s->m, s->d, &t, tangent, &error) != CAP_OK) fail_msg("%s", error.text);
}

/* From the present state to t by a stepper of its own. */
static inline void test_run(test_system *s, const cap_stepper_type *type, double step, double t)
{
  cap_stepper stepper = test_stepper(s, type, step, 1e-10, true);
  test_advance(s, &stepper, t, NULL);
  cap_stepper_free(&stepper);
}

/* Residual of the energy balance relative to the energy that passed through; the integrator's part too. */
static inline double test_balance(const test_system *s, double *integrator)
{
  cap_balance_line *lines = calloc((size_t)s->m->nmech + 3, sizeof *lines);
  double scale = 0.0;
  assert_non_null(lines);
  int n = cap_data_balance(s->m, s->d, 0, lines, &scale);
  double residual = fabs(lines[n - 1].energy) / scale;
  if (integrator) *integrator = lines[n - 2].energy / scale;
  free(lines);
  return residual;
}

/* Distance of two states, each kind of state relative to its largest. */
static inline double test_distance(const cap_model *m, const double *a, const double *b)
{
  int from[4] = {0, m->nv, 2 * m->nv, m->nstate};
  double worst = 0.0;
  for (int kind = 0; kind < 3; kind++) {
    double size = 0.0, gap = 0.0;
    for (int i = from[kind]; i < from[kind + 1]; i++) {
      size = fmax(size, fabs(b[i]));
      gap = fmax(gap, fabs(a[i] - b[i]));
    }
    if (size > 0.0) worst = fmax(worst, gap / size);
  }
  return worst;
}

/* Work of the mechanism of that name, J. */
static inline double test_work(const test_system *s, const char *name)
{
  for (int k = 0; k < s->m->nmech; k++)
    if (strcmp(s->m->mechs[k].name, name) == 0) return s->d->work[k];
  fail_msg("no mechanism %s", name);
  return NAN;
}

/* Channel of that name. */
static inline const cap_channel *test_channel(const cap_model *m, const char *name)
{
  for (int c = 0; c < m->nchannel; c++)
    if (strcmp(m->channels[c].column.name, name) == 0) return &m->channels[c];
  fail_msg("no channel %s", name);
  return NULL;
}

/* Its value at the present state. */
static inline double test_value(const test_system *s, const char *name)
{
  double h[64], xdot[64], *force = calloc((size_t)s->m->noutput + 1, sizeof *force);
  assert_true(force && s->m->nv <= 64 && s->m->nx <= 64);
  cap_eval e = {.nlane = 1,
                .t = s->d->t,
                .q = s->d->q,
                .v = s->d->v,
                .x = s->d->x,
                .h = h,
                .xdot = xdot,
                .force = force};
  cap_model_rates(s->m, &e);
  double value = cap_model_channel(test_channel(s->m, name), 0, 1, s->d->q, s->d->v, s->d->x, force);
  free(force);
  return value;
}

/* Pseudo-random numbers in [low, high) from a seed that the test names. */
static inline double test_random(uint64_t *state, double low, double high)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return low + (high - low) * (double)(*state >> 11) * 0x1p-53;
}
