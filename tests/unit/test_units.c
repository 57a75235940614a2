/* base/units: what users write becomes SI, and what is not meant becomes a refusal. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/nearest.h"
#include "base/units.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static int set_up(void **state)
{
  *state = cap_units_create();
  return *state ? 0 : -1;
}

static int tear_down(void **state)
{
  cap_units_free(*state);
  return 0;
}

static void accepted(void **state)
{
  static const struct {
    const char *text, *si;
    double value;
  } cases[] = {
      {"45 mm", "m", 45e-3},
      {"45mm", "m", 45e-3},
      {" 45  mm ", "m", 45e-3},
      {"2000 rpm", "rad/s", 2000 * 2 * PI / 60},
      {"2000 rev/min", "rad/s", 2000 * 2 * PI / 60},
      {"2000 U/min", "rad/s", 2000 * 2 * PI / 60},
      {"2000 r/min", "rad/s", 2000 * 2 * PI / 60},
      {"2000 1/min", "rad/s", 2000 * 2 * PI / 60}, /* nobody means 2000 radians a minute */
      {"2000 min-1", "rad/s", 2000 * 2 * PI / 60},
      {"2000 min^-1", "rad/s", 2000 * 2 * PI / 60},
      {"2000 min\u207b\u00b9", "rad/s", 2000 * 2 * PI / 60},
      {"30 1/min", "Hz", 0.5},
      {"10 rev/s", "rad/s", 20 * PI},
      {"1 rev", "rad", 2 * PI},
      {"180 deg", "rad", PI},
      {"180 \u00b0", "rad", PI},
      {"16.46 kN", "N", 16460.0},
      {"1.2 daN", "N", 12.0},
      {"0.35 N m/deg", "N m/rad", 0.35 * 180 / PI},
      {"0.35 Nm/deg", "N m/rad", 0.35 * 180 / PI},
      {"5 kNm", "N m", 5000.0},
      {"5 N.m", "J", 5.0},
      {"5 N*m", "J", 5.0},
      {"5 N * m", "J", 5.0},
      {"5 N . m", "J", 5.0},
      {"5 N m / rad", "N m/rad", 5.0},
      {"5 1 / s", "Hz", 5.0},
      {"5 N/(m/s)", "N s/m", 5.0},
      {"3 mm/m", "m/m", 3e-3},
      {"5 N\u00b7m", "J", 5.0},
      {"4.8e-3 N m2", "N m2", 4.8e-3},
      {"2e-4 kg\u00b7m\u00b2", "kg m2", 2e-4},
      {"9.81 m/s2", "m/s2", 9.81},
      {"9.81 m/s^2", "m/s2", 9.81},
      {"9.81 m s-2", "m/s2", 9.81},
      {"9.81 m/s/s", "m/s2", 9.81},
      {"9.81 m/(s s)", "m/s2", 9.81},
      {"1e-4", "", 1e-4},
      {"-.5", "", -0.5},
      {"+5.", "", 5.0},
      {"5 %", "", 0.05},
      {"5%", "", 0.05},
      {"12.5 percent", "", 0.125},
      {"10 Hz", "1/s", 10.0},
      {"3 1/s", "Hz", 3.0},
      {"560 kN/m", "N/m", 560e3},
      {"560 N/mm", "N/m", 560e3},
      {"19.3 kN s/m", "N s/m", 19300.0},
      {"3 um", "m", 3e-6},
      {"3 \u00b5m", "m", 3e-6},
      {"1 in", "m", 0.0254},
      {"10 bar", "Pa", 1e6},
      {"1 MPa", "N/m2", 1e6},
      {"36 km/h", "m/s", 10.0},
      {"1.5 min", "s", 90.0},
      {"0 m", "m", 0.0},
      {"0.0e-999 m", "m", 0.0},
      {"1 1/rad", "1/rad", 1.0},
      {"100 lbf", "N", 444.82216152605},
  };
  char reason[CAP_UNITS_REASON];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = NAN;
    if (!cap_units_parse(*state, cases[i].text, cases[i].si, &value, reason))
      fail_msg("\"%s\" for %s was refused: %s", cases[i].text, cases[i].si, reason);
    if (fabs(value - cases[i].value) > 1e-14 * fabs(cases[i].value))
      fail_msg("\"%s\" gave %.17g, not %.17g", cases[i].text, value, cases[i].value);
  }
}

/* A prefix below one must not cost a rounding. */
static void literal_digits(void **state)
{
  double value;
  char reason[CAP_UNITS_REASON];
  assert_true(cap_units_parse(*state, "45 mm", "m", &value, reason));
  assert_true(value == 0.045);
  assert_true(cap_units_parse(*state, "1 us", "s", &value, reason));
  assert_true(value == 1e-6);
}

static void refused(void **state)
{
  static const struct {
    const char *text, *si, *reason;
  } cases[] = {
      {"45 kg", "m", ""},
      {"2 s", "Hz", ""}, /* a reciprocal is not the same */
      {"45", "m", "the unit is missing"},
      {"45 m", "", "remove the unit, the quantity is a pure number"},
      {"1 rad", "", "remove the unit, the quantity is a pure number"},
      {"10 Hz", "rad/s", "the angle is missing in the unit: write rad/s, rev/s or rpm"},
      {"10 1/s", "rad/s", "the angle is missing in the unit"},
      {"10 1/h", "rad/s", "the angle is missing in the unit"},
      {"10 1/min", "rad/s2", ""},
      {"10 N m min", "N m s/rad", "the angle is missing in the unit"},
      {"4 N m", "N m/rad", "the angle is missing in the unit"},
      {"4 N m/deg", "N m", "remove the angle (rad, deg, rev) from the unit"},
      {"60 rad/s", "Hz", "remove the angle (rad, deg, rev) from the unit"},
      {"5 %", "m", ""},
      {"1,5 mm", "m", "write a decimal point: \"1.5 mm\""},
      {"nan m", "m", "the number must be finite"},
      {".nan", "", "the number must be finite"},
      {"inf", "", "the number must be finite"},
      {"-.inf", "", "the number must be finite"},
      {"0x10 m", "m", "hexadecimal"},
      {"1e999 m", "m", "too large"},
      {"1e308 km", "m", "too large"},
      {"1e-999 m", "m", "too small"},
      {"1 000 mm", "m", "digits are not grouped"},
      {"45 KN", "N", "write \"kN\""},
      {"45 furlong", "m", "unknown unit \"furlong\""},
      {"45 mm3x", "m", "unknown unit \"x\""},
      {"45 hz", "Hz", "write \"Hz\""},
      {"45 Ns", "N s", "write \"N s\""},
      {"45 k", "kg", "the prefix \"k\" has no unit after it"},
      {"45 sec", "s", "write \"s\""},
      {"1.234,5 m", "m", "remove the comma from the number"},
      {"1,234.5 m", "m", "remove the comma from the number"},
      {"5 N\nm", "N m", "a line break is not allowed in a quantity"},
      {"5 m\u00a7", "m", "the character \"\u00a7\""},
      {"5 .N", "N", "cannot be read"},
      {"5 ()", "m", "cannot be read"},
      {"3 m^99", "m", "the exponent"},
      {"3 m^", "m", "the exponent"},
      {"3 m//s", "m/s", "cannot be read"},
      {"3 m/", "m", "cannot be read"},
      {"3 m(s", "m", "parentheses"},
      {"3 m)s", "m", "parentheses"},
      {"3 m @ 5", "m", "the character \"@\""},
      {"3 m; 4", "m", "the character \";\""},
      {"3 lg(re 1 mW)", "m", "unknown unit \"lg\""},
      {"3 s since 2000", "s", "unknown unit \"since\""},
      {"", "m", "it does not start with a number"},
      {"mm", "m", "it does not start with a number"},
      {"- 5 mm", "m", "it does not start with a number"},
      {"--5 mm", "m", "it does not start with a number"},
      {"1e mm", "m", "unknown unit \"e\""},
      {"5 mkg", "kg", "unknown unit \"mkg\""},
      {"5 mmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmmm", "m", "too long"},
      {"0.00000000000000000000000000000000000000000000000000000000000000001 m", "m", "too many digits"},
  };
  char reason[CAP_UNITS_REASON];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double value = 0.0;
    if (cap_units_parse(*state, cases[i].text, cases[i].si, &value, reason))
      fail_msg("\"%s\" for %s was accepted as %g", cases[i].text, cases[i].si, value);
    if (!*cases[i].reason) assert_string_equal(reason, "");
    else if (!strstr(reason, cases[i].reason)) fail_msg("\"%s\": said \"%s\"", cases[i].text, reason);
  }
}

static void every_listed_unit(void **state)
{
  char reason[CAP_UNITS_REASON], si[CAP_UNITS_LONGEST];
  for (const cap_units_entry *entry = cap_units_list; entry->symbol; entry++) {
    double factor = 0.0;
    if (!cap_units_base(*state, entry->symbol, &factor, si, reason))
      fail_msg("%s: %s", entry->symbol, reason);
    assert_true(fabs(factor - entry->factor) <= 1e-15 * entry->factor);
  }
}

static void base_units(void **state)
{
  static const struct {
    const char *unit, *si;
    double factor;
  } cases[] = {{"mm", "m", 1e-3},
               {"kN/mm", "N/m", 1e6},
               {"%", "", 0.01},
               {"-", "", 1.0},
               {"", "", 1.0},
               {"1", "", 1.0},
               {"deg/s", "rad/s", PI / 180},
               {"1/s", "Hz", 1.0},
               {"bar", "Pa", 1e5},
               {"m kg K", "m kg K", 1.0},
               {"g/s3", "kg s-3", 1e-3}};
  char reason[CAP_UNITS_REASON], si[CAP_UNITS_LONGEST];
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    double factor = 0.0;
    assert_true(cap_units_base(*state, cases[i].unit, &factor, si, reason));
    assert_string_equal(si, cases[i].si);
    assert_true(fabs(factor - cases[i].factor) <= 1e-15 * cases[i].factor);
  }
  double factor;
  assert_false(cap_units_base(*state, "parsec", &factor, si, reason));
  assert_true(cap_units_alike(*state, "N m", "J"));
  assert_false(cap_units_alike(*state, "N m", "N m/rad"));
}

static void plain_numbers(void **state)
{
  double value;
  char reason[CAP_UNITS_REASON];
  assert_true(cap_units_number(*state, " -1.5e3 ", &value, reason));
  assert_true(value == -1500.0);
  assert_false(cap_units_number(*state, "1 m", &value, reason));
  assert_false(cap_units_number(*state, "nan", &value, reason));
  assert_false(cap_units_number(*state, "0x1p3", &value, reason));
  assert_false(cap_units_number(*state, "", &value, reason));
}

static void words(void **state)
{
  (void)state;
  char buffer[40];
  assert_string_equal(cap_units_format(buffer, sizeof buffer, 0.045, "m"), "0.045 m");
  assert_string_equal(cap_units_format(buffer, sizeof buffer, 0.3, ""), "0.3");
  assert_string_equal(cap_units_noun("N m/rad"), "a torsional stiffness");
  assert_null(cap_units_noun("kg9"));
}

static void values_in_the_unit_that_was_written(void **state)
{
  static const struct {
    double value;
    const char *si, *written, *text;
  } cases[] = {{3.9269908169872414, "rad", "53 deg", "225 deg"},
               {209.43951023931953, "rad/s", "800 rpm", "2000 rpm"},
               {0.045, "m", "1.9 mm", "45 mm"},
               {0.3, "", "7 %", "30 %"},
               {12.0, "N m", "3 Nm", "12 Nm"},
               {0.3, "", "7", "0.3"},
               {3.0, "rad", NULL, "3 rad"},
               {3.0, "rad", "7 kg", "3 rad"}, /* another dimension */
               {3.0, "rad", "7", "3 rad"},
               {3.0, "rad", "many deg", "3 rad"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    char buffer[40];
    cap_units_like(*state, buffer, sizeof buffer, cases[i].value, cases[i].si, cases[i].written);
    assert_string_equal(buffer, cases[i].text);
  }
}

/* udunits keeps the state of its parser in globals; objects of several threads must not meet there. */
static void *hammer(void *result)
{
  cap_units *units = cap_units_create();
  char reason[CAP_UNITS_REASON], text[40];
  bool good = units != NULL;
  for (int i = 0; good && i < 3000; i++) {
    double value;
    snprintf(text, sizeof text, "%d mm%d/s", i, 1 + i % 9);
    cap_units_parse(units, text, "m", &value, reason);
    good = cap_units_parse(units, "360 deg/s", "rad/s", &value, reason) && fabs(value - 2 * PI) < 1e-12;
  }
  cap_units_free(units);
  *(bool *)result = good;
  return NULL;
}

static void threads(void **state)
{
  (void)state;
  pthread_t ids[4];
  bool good[4] = {false};
  for (int i = 0; i < 4; i++) assert_int_equal(pthread_create(&ids[i], NULL, hammer, &good[i]), 0);
  for (int i = 0; i < 4; i++) pthread_join(ids[i], NULL);
  for (int i = 0; i < 4; i++) assert_true(good[i]);
}

static void nearest_words(void **state)
{
  (void)state;
  assert_int_equal(cap_nearest_distance("amplitude", "amplitude"), 0);
  assert_int_equal(cap_nearest_distance("amplitud", "amplitude"), 2);
  assert_int_equal(cap_nearest_distance("ampiltude", "amplitude"), 2);
  assert_int_equal(cap_nearest_distance("Amplitude", "amplitude"), 1);
  assert_int_equal(cap_nearest_distance("", "ab"), 4);
  cap_nearest nearest;
  cap_nearest_start(&nearest, "stifness");
  cap_nearest_offer(&nearest, "mass");
  assert_null(nearest.best);
  cap_nearest_offer(&nearest, "stiffness");
  assert_string_equal(nearest.best, "stiffness");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(accepted, set_up, tear_down),
      cmocka_unit_test_setup_teardown(literal_digits, set_up, tear_down),
      cmocka_unit_test_setup_teardown(refused, set_up, tear_down),
      cmocka_unit_test_setup_teardown(every_listed_unit, set_up, tear_down),
      cmocka_unit_test_setup_teardown(base_units, set_up, tear_down),
      cmocka_unit_test_setup_teardown(plain_numbers, set_up, tear_down),
      cmocka_unit_test(words),
      cmocka_unit_test_setup_teardown(values_in_the_unit_that_was_written, set_up, tear_down),
      cmocka_unit_test(threads),
      cmocka_unit_test(nearest_words),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
