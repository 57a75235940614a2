/* Formulas: precedence, series, functions, and what is said about mistakes. */
#include "base/expr.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const double x5[] = {0, 1, 2, 3, 4}, y5[] = {1, 3, 2, -5, 0}, down[] = {4, 3, 2, 1, 0};
static const double gap[] = {1, NAN, 2, -5, 0}, loop_x[] = {0, 1, 1, 0, 0}, loop_y[] = {0, 0, 2, 2, 0};
static const double shifted[] = {0.5, 1, 2, 3, 4}, turn_x[] = {0, 2, 1, 4}, turn_y[] = {0, 2, 3, 6};
static const double cube[] = {0, 1, 8, 27, 64}, high_x[] = {1.5, 3}, high_y[] = {3.1, 4.6};

static bool find(void *self, const char *name, cap_expr_value *value)
{
  (void)self;
  static const struct {
    const char *name;
    cap_expr_value value;
  } known[] = {
      {"two", {.number = 2}},
      {"load.amplitude", {.number = 13}},
      {"s", {.series = true, .n = 5, .x = x5, .y = y5}},
      {"masing f1=13 N", {.series = true, .n = 5, .x = x5, .y = y5}},
      {"falling_x", {.series = true, .n = 5, .x = down, .y = y5}},
      {"gap", {.series = true, .n = 5, .x = x5, .y = gap}},
      {"loop", {.series = true, .n = 5, .x = loop_x, .y = loop_y}},
      {"shifted", {.series = true, .n = 5, .x = shifted, .y = y5}},
      {"turning", {.series = true, .n = 4, .x = turn_x, .y = turn_y}},
      {"cubic", {.series = true, .n = 5, .x = x5, .y = cube}},
      {"high", {.series = true, .n = 2, .x = high_x, .y = high_y}},
      {"t", {.series = true, .n = 5, .x = x5, .y = x5}},
      {"empty", {.series = true}},
  };
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (strcmp(known[i].name, name) == 0) {
      *value = known[i].value;
      return true;
    }
  return false;
}

static const cap_expr_scope scope = {.find = find};

static double number(const char *text)
{
  cap_arena arena = {0};
  cap_error error = {0};
  double value = NAN;
  cap_status status = cap_expr_number(text, &scope, &arena, &value, &error);
  if (status != CAP_OK) print_message("%s\n", error.text);
  assert_int_equal(status, CAP_OK);
  cap_arena_free(&arena);
  return value;
}

static void assert_value(const char *text, double expected)
{
  double value = number(text);
  if (!(fabs(value - expected) <= 1e-14 * (1 + fabs(expected)))) {
    print_message("%s = %.17g, expected %.17g\n", text, value, expected);
    fail();
  }
}

static void test_precedence(void **state)
{
  (void)state;
  assert_value("1 + 2 * 3", 7);
  assert_value("(1 + 2) * 3", 9);
  assert_value("2 - 3 - 4", -5);
  assert_value("24 / 4 / 2", 3);
  assert_value("2 ^ 3 ^ 2", 512);
  assert_value("-2 ^ 2", -4);
  assert_value("2 ^ -1", 0.5);
  assert_value("- - 3", 3);
  assert_value("1 - -1", 2);
  assert_value("1e3 + .5", 1000.5);
  assert_value("1 + 1 < 3", 1);
  assert_value("1 < 2 && 2 < 1 || 3 >= 3", 1);
  assert_value("!(1 == 1)", 0);
  assert_value("1 <= 1", 1);
  assert_value("2 != 2", 0);
  assert_value("two * load.amplitude", 26);
  assert_value(" pi ", M_PI);
  assert_value("pi()", M_PI);
  assert_value("sqrt(16) + abs(-1) + exp(0) + log(1) + sin(0) + cos(0)", 7);
  assert_value("deg(pi) + rad(180) - pi", 180);
  assert_value("max(1, 5, two) - min(3, -1)", 6);
  assert_value("hypot(3, 4) + atan2(0, 1)", 5);
}

static void test_series(void **state)
{
  (void)state;
  assert_value("max(s)", 3);
  assert_value("min('masing f1=13 N')", -5);
  assert_value("argmax(s)", 1);
  assert_value("argmin(s)", 3);
  assert_value("range(s)", 8);
  assert_value("maxabs(s)", 5);
  assert_value("mean(s)", 0.2);
  assert_value("sum(s)", 1);
  assert_value("count(s)", 5);
  assert_value("first(s) + 10 * last(s + 1)", 11);
  assert_value("at(s, 0.5)", 2);
  assert_value("at(s, 4)", 0);
  assert_value("at(s, 3)", -5);
  assert_value("at(falling_x, 3.5)", 2);
  assert_value("max(restrict(s, 1.5, 9))", 2);
  assert_value("count(restrict(s, 1, 3))", 3);
  assert_value("max(2 * s - s / 2)", 4.5);
  assert_value("sum(s > 1.5)", 2);
  assert_value("max(s ^ 2)", 25);
  assert_value("sqrt(mean(s ^ 2))", sqrt(7.8));
  assert_value("sum(-s)", -1);
  assert_value("integral(s)", 0.5);
  assert_value("integral(loop)", -2);
  assert_value("at(resample(s, shifted), 0.5)", 2);
  assert_value("max(resample(s, shifted) - shifted)", 1);
  assert_value("first(derivative(s))", 2);
  assert_value("at(derivative(s), 1)", 0.5);
  assert_value("sum(xs(s))", 10);
  assert_value("integral(over(s, xs(s)))", 0.5);
  assert_value("crossings(s, 0)", 2);
  assert_value("crossing(s, 0, 1)", 2 + 2.0 / 7);
  assert_value("rising(xs(s)) + falling(xs(falling_x)) + rising(s)", 2);
  assert_value("max(finite(gap))", 2);
}

/* `turning` goes right to 2, back to 1 and right again. */
static void test_curves_that_turn_back(void **state)
{
  (void)state;
  assert_value("passes(turning, 1.5)", 3);
  assert_value("passes(turning, 0.5) + 10 * passes(turning, 5)", 1);
  assert_value("pass(turning, 1.5, 2)", 2.5);
  assert_value("lowest(turning, 1.5)", 1.5);
  assert_value("highest(turning, 1.5)", 3.5);
  assert_value("highest(turning, 3)", 5);
  assert_value("lowest(cubic, 1.5)", 3.375);
  assert_value("nth(turning, 3)", 3);
  assert_value("count(where(turning, turning > 2.5))", 2);
  assert_value("count(where(turning, turning > 9)) + count(empty)", 0);
  assert_value("sum(xs(where(turning, turning > 2.5)))", 5);
  assert_value("peak(turning) + peak_x(turning)", 10); /* at the end: the point itself */
  /* a hairpin: the nearest point is 0.0056 lower than the top between the points */
  double high = number("peak(over(1 - (t - 2.15)^2 / 4, (t - 1.3)^2))"),
         at = number("peak_x(over(1 - (t - 2.15)^2 / 4, (t - 1.3)^2))");
  if (!(fabs(high - 1) < 1e-12 && fabs(at - 0.7225) < 1e-6)) fail_msg("peak %.9g at %.9g", high, at);
  assert_value("max(abs(nearest(high, turning) - high))", 0.4);
  assert_true(isnan(number("last(nearest(over(s, xs(s) + 1), turning))")));
}

static void test_not_a_number_is_not_hidden(void **state)
{
  (void)state;
  assert_true(isnan(number("max(gap)")));
  assert_true(isnan(number("argmin(gap)")));
  assert_true(isnan(number("mean(gap)")));
  assert_true(isnan(number("range(gap)")));
  assert_true(isnan(number("max(1, 0/0)")));
  assert_true(isinf(number("1/0")));
}

static void assert_refused(const char *text, int character, const char *word)
{
  cap_arena arena = {0};
  cap_error error = {0};
  double value;
  char place[32];
  assert_int_equal(cap_expr_number(text, &scope, &arena, &value, &error), CAP_ERR_INPUT);
  cap_arena_free(&arena);
  print_message("  %s\n", error.text);
  snprintf(place, sizeof place, "character %d:", character);
  if (character) assert_non_null(strstr(error.text, place));
  assert_non_null(strstr(error.text, word));
}

static void test_mistakes(void **state)
{
  (void)state;
  assert_refused("", 1, "ends too early");
  assert_refused("1 +", 4, "ends too early");
  assert_refused("1 + * 2", 5, "expected a number");
  assert_refused("(1 + 2", 7, "expected \")\"");
  assert_refused("1 2", 3, "operator or the end");
  assert_refused("13 N", 4, "operator or the end");
  assert_refused("13N", 1, "letters after it");
  assert_refused("2 * lod", 5, "unknown name lod");
  assert_refused("foo(1)", 1, "unknown function; expected one of the reference, got \"foo\"");
  assert_refused("at(s)", 1, "expected 2 arguments, got 1");
  assert_refused("1 + at(2, 3)", 5, "expected a series");
  assert_refused("at(s, s)", 1, "expected a number");
  assert_refused("at(s, 5)", 1, "outside the series; expected");
  assert_refused("at(loop, 0.5)", 1, "increases or decreases");
  assert_refused("max(s - shifted)", 7, "expected two series with the same x");
  assert_refused("max(empty)", 1, "expected a series with points");
  assert_refused("max(restrict(s, 7, 8))", 5, "no point of the series is left");
  assert_refused("crossing(s, 0, 3)", 1, "from 1 to 2, the crossings");
  assert_refused("s", 0, "expected a number, got the series");
  assert_refused("'s", 1, "expected a closing '");
  assert_refused("max(1 2)", 7, "expected \",\"");
  assert_refused("1 = 1", 3, "operator or the end");
  char deep[4096];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = '\0';
  assert_refused(deep, 0, "");
  memset(deep, '-', sizeof deep - 1);
  assert_refused(deep, 0, "");
}

/* Before there are values: grammar, functions and the number of their arguments; no value can be out of
 * range. */
static bool find_any(void *self, const char *name, cap_expr_value *value)
{
  (void)value;
  char *asked = self;
  strcat(strcat(asked, name), " ");
  return strcmp(name, "nothing") != 0;
}

static void test_check(void **state)
{
  (void)state;
  static const struct {
    const char *text, *asked, *said;
  } cases[] = {
      {"at(a.b, 60) - max(restrict('c d', 1, 2))", "a.b c d ", ""},
      {"sqrt(-1) + mean(x)^2*pi()", "x ", ""},
      {"at(s, 1", "s ", "\"at(s, 1\", character 8: expected \",\" or \")\""},
      {"at(s)", "s ", "\"at(s)\", character 1: at: expected 2 arguments, got 1"},
      {"sqrt(1, 2)", "", "\"sqrt(1, 2)\", character 1: sqrt: expected 1 argument, got 2"},
      {"1 + maximum(s)", "s ",
       "\"1 + maximum(s)\", character 5: unknown function; expected one of the reference, got \"maximum\""},
      {"2*nothing", "nothing ", "\"2*nothing\", character 3: unknown name nothing"},
      {"a b", "a ", "\"a b\", character 3: expected an operator or the end"},
      {"a <", "a ", "\"a <\", character 4: the formula ends too early; expected a value"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char asked[100] = "";
    cap_expr_scope any = {.find = find_any, .self = asked};
    cap_arena arena = {0};
    cap_error error = {0};
    cap_status status = cap_expr_check(cases[k].text, &any, &arena, &error);
    assert_int_equal(status, *cases[k].said ? CAP_ERR_INPUT : CAP_OK);
    assert_string_equal(error.text, cases[k].said);
    assert_string_equal(asked, cases[k].asked);
    cap_arena_free(&arena);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_precedence),
      cmocka_unit_test(test_series),
      cmocka_unit_test(test_curves_that_turn_back),
      cmocka_unit_test(test_not_a_number_is_not_hidden),
      cmocka_unit_test(test_mistakes),
      cmocka_unit_test(test_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
