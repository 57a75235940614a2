/* The analysis "continuum" on a model that is nothing but a variator's description: the point, maps, slip
 * curves, shifting; and the continuum beside what elements did. */
#include "analysis/analysis.h"
#include "drives/pushbelt/continuum/continuum.h"
#include "drives/pushbelt/continuum/variator_continuum_beside.h"
#include "drives/registry.h"
#include "model/builder.h"
#include "model/data.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/pushbelt.h"

/* ---- a sink that keeps everything ---------------------------------------------------------------------- */

enum { KEPT = 400 };

typedef struct kept {
  char name[96];
  int rank;
  int64_t dims[2];
  double *values;
} kept;

typedef struct store {
  cap_sink sink;
  char group[64];
  int n;
  kept items[KEPT];
  char text[256];
} store;

static cap_status keep_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)kind, (void)title;
  snprintf(((store *)(void *)s)->group, 64, "%s", name);
  return CAP_OK;
}

static cap_status keep_array(cap_sink *s, cap_column what, int rank, const int64_t *dims, const char *axes,
                             const double *values)
{
  (void)axes;
  store *c = (store *)(void *)s;
  assert_true(c->n < KEPT);
  kept *k = &c->items[c->n++];
  size_t count = 1;
  snprintf(k->name, sizeof k->name, "%s/%s", c->group, what.name);
  k->rank = rank;
  for (int i = 0; i < rank; i++) k->dims[i] = dims[i], count *= (size_t)dims[i];
  k->values = malloc(count * sizeof *values);
  assert_non_null(k->values);
  memcpy(k->values, values, count * sizeof *values);
  return CAP_OK;
}

static cap_status keep_number(cap_sink *s, cap_column what, double value)
{
  const int64_t one = 1;
  return keep_array(s, what, 1, &one, NULL, &value);
}

static cap_status keep_text(cap_sink *s, const char *name, const char *value)
{
  snprintf(((store *)(void *)s)->text, 256, "%s: %s", name, value);
  return CAP_OK;
}

static cap_status keep_close(cap_sink *s)
{
  (void)s;
  return CAP_OK;
}

static store *store_create(void)
{
  store *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->sink = (cap_sink){
      .open = keep_open, .array = keep_array, .number = keep_number, .text = keep_text, .close = keep_close};
  return c;
}

static void store_free(store *c)
{
  for (int k = 0; k < c->n; k++) free(c->items[k].values);
  free(c);
}

static const kept *stored(const store *c, const char *name)
{
  for (int k = 0; k < c->n; k++)
    if (strcmp(c->items[k].name, name) == 0) return &c->items[k];
  fail_msg("nothing is called %s", name);
  return NULL;
}

static double number(const store *c, const char *name)
{
  return stored(c, name)->values[0];
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

static store *run_on(const cap_variator *v, const cap_continuum_spec *spec, int threads)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *model;
  cap_error error;
  cap_builder_subject(b, &cap_variator_subject, v);
  assert_int_equal(cap_builder_finish(b, &model, &error), CAP_OK);
  store *c = store_create();
  cap_run run = {.model = model, .sink = &c->sink, .error = &error, .threads = threads};
  if (cap_continuum_analysis.run(&run, spec) != CAP_OK) fail_msg("%s", error.text);
  cap_model_free(model);
  cap_builder_free(b);
  return c;
}

static void test_point(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  v.real = v.simulated = 436;
  const cap_continuum_spec spec = {.places = 41, .model = CAP_VARIATOR_CONTINUUM_CREEP};
  store *c = run_on(&v, &spec, 1);
  assert_string_equal(c->text, "state: holds");
  assert_true(fabs(number(c, "continuum/thrust_ratio") - 1.350) < 2e-3);
  assert_int_equal(stored(c, "continuum/push")->dims[0], 4 * 41);
  const kept *push = stored(c, "continuum/push");
  for (int k = 1; k < 41; k++) assert_true(push->values[k] >= push->values[k - 1] - 1e-9); /* rises in PRI */
  assert_true(push->values[0] == 0.0 && push->values[41] == number(c, "continuum/push.upper"));
  store_free(c);
  v.load.clamping = 1000.0;
  c = run_on(&v, &spec, 1);
  assert_string_equal(c->text, "state: macro slip on the secondary");
  assert_true(number(c, "continuum/slides") == 2.0 && fabs(number(c, "continuum/torque.limit")) < 50.0);
  store_free(c);
}

static void test_maps(void **state)
{
  (void)state;
  double ratio[] = {0.5, 0.8, 1.0, 1.3, 2.0, 2.4}, r[] = {0.0, 0.2, 0.5, 1.0 / 1.3, 0.95};
  cap_variator v = pushbelt_reference();
  cap_continuum_spec spec = {.places = 3,
                             .model = CAP_VARIATOR_CONTINUUM_CREEP,
                             .map = {.given = true, .ratio = {6, ratio}, .torque_ratio = {5, r}}};
  store *c = run_on(&v, &spec, 1), *two = run_on(&v, &spec, 2);
  const kept *map = stored(c, "map/thrust_ratio"), *other = stored(two, "map/thrust_ratio");
  assert_true(map->rank == 2 && map->dims[0] == 6 && map->dims[1] == 5);
  assert_memory_equal(map->values, other->values, 30 * sizeof(double)); /* whatever the threads */
  const kept *reached = stored(c, "map/torque_ratio.reached"), *slides = stored(c, "map/slides");
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 5; j++) {
      assert_true(fabs(reached->values[i * 5 + j] - r[j]) < 1e-3);
      assert_true((slides->values[i * 5 + j] != 0.0) == isnan(map->values[i * 5 + j]));
      if (i > 0 && j < 4) assert_true(map->values[i * 5 + j] < map->values[i * 5 - 5 + j]); /* claim 90 */
    }
  assert_true(slides->values[29] == 1.0); /* underdrive: the primary's short arc */
  assert_true(number(c, "map/points") == 30.0);
  store_free(c);
  store_free(two);
}

static void test_slip_curve(void **state)
{
  (void)state;
  enum { N = 61 };
  double torque[N], ratio = 2.36;
  cap_variator v = pushbelt_reference();
  double step[3];
  for (int k = 0; k < N; k++) torque[k] = -150.0 + 2.5 * k;
  for (int e = 0; e < 3; e++) {
    v.real = v.simulated = 437 - e;
    cap_continuum_spec spec = {
        .places = 3,
        .model = CAP_VARIATOR_CONTINUUM_CREEP,
        .slip_curve = {.given = true, .ratio = {1, &ratio}, .torque = {N, torque}, .clamping = 16460.0}};
    store *c = run_on(&v, &spec, 1);
    const kept *slip = stored(c, "slip-curve/slip");
    assert_true(fabs(slip->values[N - 1]) < 1e-12); /* (5.1) at zero torque */
    step[e] = 0.0;
    for (int k = 0; k + 1 < N; k++) step[e] = fmax(step[e], slip->values[k] - slip->values[k + 1]);
    if (e > 0) assert_true(fabs(number(c, "slip-curve/transition") / 2.36 + 17.0) < 1.5);
    store_free(c);
  }
  /* claim 95: a prestressed belt has no step, one with fewer elements a higher one */
  assert_true(step[0] < 1e-3 && step[1] > 5e-3 && step[2] > step[1] + 5e-3);
}

static void test_shift(void **state)
{
  (void)state;
  double thrust[] = {0.5, 0.9, 0.95, 1.05, 1.1}, ratio = 1.0, none = 0.0;
  cap_variator v = pushbelt_reference();
  cap_continuum_spec spec = {
      .places = 3,
      .model = CAP_VARIATOR_CONTINUUM_CREEP,
      .tilt = 1e-3,
      .centre = 1,
      .shift = {.given = true, .ratio = {1, &ratio}, .thrust_ratio = {5, thrust}, .torque = {1, &none}}};
  store *c = run_on(&v, &spec, 1);
  const kept *rate = stored(c, "shift/rate");
  assert_true(fabs(number(c, "shift/equilibrium") - 1.0) < 1e-9);
  assert_true(fabs(number(c, "shift/constant") - 4.84) < 0.03);
  for (int k = 1; k < 5; k++)
    assert_true(rate->values[k] < rate->values[k - 1] || isnan(rate->values[k - 1]));
  assert_true(fabs(rate->values[1] + rate->values[4] * log(0.9) / log(1.1) * -1.0) <
              0.2 * fabs(rate->values[1]));
  store_free(c);
}

/* Compliant flanks through the analysis: whatever the threads; and beside what elements did. */
static void test_compliant(void **state)
{
  (void)state;
  double ratio[] = {0.5, 1.0, 2.0}, r[] = {0.0, 0.4, 0.75}, thrust[] = {0.95, 1.05}, one = 1.0, none = 0.0;
  cap_variator v = pushbelt_reference();
  v.contact.flank_stiffness = 6e7;
  const cap_continuum_spec spec = {
      .places = 5,
      .bends = true,
      .map = {.given = true, .ratio = {3, ratio}, .torque_ratio = {3, r}},
      .slip_curve = {.given = true, .torque_ratio = {3, r}},
      .shift = {.given = true, .ratio = {1, &one}, .thrust_ratio = {2, thrust}, .torque = {1, &none}}};
  store *c = run_on(&v, &spec, 1), *two = run_on(&v, &spec, 2);
  const kept *map = stored(c, "map/thrust_ratio"), *slip = stored(c, "slip-curve/slip");
  assert_memory_equal(map->values, stored(two, "map/thrust_ratio")->values, 9 * sizeof(double));
  for (int k = 0; k < 9; k++) assert_true(map->values[k] > 0.4 && map->values[k] < 2.2);
  assert_true(fabs(slip->values[0]) < 1e-12 && slip->values[2] > slip->values[1]);
  const kept *rate = stored(c, "shift/rate");
  assert_true(rate->values[0] > 0.0 && rate->values[1] < 0.0);
  assert_true(number(c, "continuum/loss.ends.primary") > 0.0);
  store_free(c);
  store_free(two);
  cap_variator_continuum_seen seen = cap_variator_continuum_beside_nothing();
  double soft[CAP_VARIATOR_CONTINUUM_BESIDE], stiff[CAP_VARIATOR_CONTINUUM_BESIDE];
  seen.thrust_ratio = 1.4, seen.load.ratio = 0.5, seen.load.torque = 0.0;
  assert_int_equal(cap_variator_continuum_beside_values(&v, &seen, soft, NULL), CAP_OK);
  v.contact.flank_stiffness = 1e9;
  assert_int_equal(cap_variator_continuum_beside_values(&v, &seen, stiff, NULL), CAP_OK);
  assert_true(soft[0] > stiff[0] + 0.05 && fabs(soft[0] + soft[7] - 1.4) < 1e-12);
}

static void test_beside(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  cap_variator_continuum_seen seen = cap_variator_continuum_beside_nothing();
  store *c = store_create();
  seen.thrust_ratio = 1.40;
  assert_int_equal(cap_variator_continuum_beside(&v, &seen, &c->sink, NULL), CAP_OK);
  assert_true(fabs(number(c, "/continuum.thrust_ratio") + number(c, "/distance.thrust_ratio") - 1.40) <
              1e-12);
  assert_true(number(c, "/continuum.push.upper") > 0.0);
  for (int k = 0; k < c->n; k++) assert_null(strstr(c->items[k].name, "distance.push"));
  seen.load.torque = -500.0;
  assert_int_equal(cap_variator_continuum_beside(&v, &seen, &c->sink, NULL), CAP_OK);
  assert_string_equal(c->text, "continuum: macro slip on the secondary");
  double values[CAP_VARIATOR_CONTINUUM_BESIDE];
  assert_int_equal(cap_variator_continuum_beside_values(&v, &seen, values, NULL), CAP_OK);
  assert_true(isnan(values[0]) && isnan(values[7]));
  seen.load.torque = NAN;
  assert_int_equal(cap_variator_continuum_beside_values(&v, &seen, values, NULL), CAP_OK);
  assert_true(fabs(values[0] + values[7] - 1.40) < 1e-12 && isnan(values[8]));
  assert_string_equal(cap_variator_continuum_beside_column(7).name, "distance.thrust_ratio");
  v.pulley[0].curved = true;
  assert_int_equal(cap_variator_continuum_beside(&v, &seen, &c->sink, NULL), CAP_OK);
  assert_non_null(strstr(c->text, "conical sheaves"));
  store_free(c);
}

static void test_checks(void **state)
{
  (void)state;
  cap_variator v = pushbelt_reference();
  double ratio[] = {0.2, 1.0}, torque[] = {-10.0};
  const cap_continuum_spec spec = {
      .places = 3,
      .map = {.given = true, .ratio = {2, ratio}},
      .slip_curve = {.given = true, .torque = {1, torque}, .torque_ratio = {1, torque}}};
  cap_builder *b = cap_builder_create(1);
  cap_model *model;
  cap_diag diag;
  double time = 0.0;
  cap_builder_subject(b, &cap_variator_subject, &v);
  assert_int_equal(cap_builder_finish(b, &model, NULL), CAP_OK);
  cap_diag_init(&diag, "test");
  cap_continuum_analysis.check(model, &spec, &time, "analyses[0].continuum", &diag);
  assert_int_equal(diag.nerror, 3); /* no torque; a ratio beside the sheaves; two torques */
  cap_diag_free(&diag);
  cap_model_free(model);
  cap_builder_free(b);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_point),  cmocka_unit_test(test_maps),      cmocka_unit_test(test_slip_curve),
      cmocka_unit_test(test_shift),  cmocka_unit_test(test_compliant), cmocka_unit_test(test_beside),
      cmocka_unit_test(test_checks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
