/* Findings: places, order, the locate hook, and what happens beyond the limit. */
#include "base/diag.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool find_radius(void *self, const char *path, int *line, int *column)
{
  if (strcmp(path, "pulleys[2].radius") != 0) return false;
  *line = *(const int *)self;
  *column = 13;
  return true;
}

static void prints_place_path_and_sentence(void **state)
{
  (void)state;
  cap_diag diag;
  cap_diag_init(&diag, "drive.yaml");
  cap_diag_add(&diag, 12, 13, "pulleys[2].radius", "expected a length such as \"45 mm\", got \"%d kg\"", 45);
  assert_int_equal(diag.nerror, 1);
  assert_string_equal(
      cap_diag_text(&diag),
      "drive.yaml:12:13: pulleys[2].radius: expected a length such as \"45 mm\", got \"45 kg\"\n");
  cap_diag_free(&diag);
}

static void leaves_out_what_is_not_known(void **state)
{
  (void)state;
  cap_diag diag;
  cap_diag_init(&diag, NULL);
  cap_diag_add(&diag, 0, 0, NULL, "plain");
  cap_diag_add(&diag, 3, 0, "", "line only");
  assert_string_equal(cap_diag_text(&diag), "plain\n3: line only\n");
  cap_diag_free(&diag);

  cap_diag_init(&diag, "a.csv");
  assert_string_equal(cap_diag_text(&diag), "");
  cap_diag_add(&diag, 0, 0, NULL, "is empty");
  assert_string_equal(cap_diag_text(&diag), "a.csv: is empty\n");
  cap_diag_free(&diag);
}

static void sorts_by_place_and_keeps_order_at_one_place(void **state)
{
  (void)state;
  cap_diag diag;
  cap_diag_init(&diag, "m");
  cap_diag_add(&diag, 2, 9, "c", "third");
  cap_diag_add(&diag, 10, 1, "d", "fourth");
  cap_diag_add(&diag, 2, 1, "a", "first");
  cap_diag_add(&diag, 2, 1, "b", "second");
  assert_string_equal(cap_diag_text(&diag),
                      "m:2:1: a: first\nm:2:1: b: second\nm:2:9: c: third\nm:10:1: d: fourth\n");
  assert_string_equal(diag.items[0].text, "third"); /* the list itself stays as it was made */
  cap_diag_free(&diag);
}

static void asks_the_hook_for_the_place(void **state)
{
  (void)state;
  int line = 7;
  cap_diag diag;
  cap_diag_init(&diag, "m");
  diag.locate = find_radius;
  diag.locate_self = &line;
  cap_diag_at(&diag, "pulleys[2].radius", "too small");
  cap_diag_at(&diag, "elsewhere", "missing");
  cap_diag_warn(&diag, "pulleys[2].radius", "unusual");
  assert_int_equal(diag.nerror, 2);
  assert_int_equal(diag.nwarning, 1);
  assert_string_equal(cap_diag_text(&diag), "m: elsewhere: missing\n"
                                            "m:7:13: pulleys[2].radius: too small\n"
                                            "m:7:13: warning: pulleys[2].radius: unusual\n");
  cap_diag_free(&diag);
}

static void copies_what_it_is_given(void **state)
{
  (void)state;
  char file[] = "one.yaml", path[] = "belt", text[] = "slack";
  cap_diag diag;
  cap_diag_init(&diag, file);
  cap_diag_at(&diag, path, "%s", text);
  memset(file, 'x', sizeof file - 1);
  memset(path, 'x', sizeof path - 1);
  memset(text, 'x', sizeof text - 1);
  diag.file = "two.csv"; /* findings that follow are about another file */
  cap_diag_add(&diag, 1, 1, NULL, "no header");
  assert_string_equal(cap_diag_text(&diag), "one.yaml: belt: slack\ntwo.csv:1:1: no header\n");
  cap_diag_free(&diag);
}

static const char *write_angle(void *self, const char *path)
{
  return strcmp(path, "arm.angle") == 0 ? self : NULL;
}

static void quantities_in_the_unit_that_was_written(void **state)
{
  (void)state;
  cap_diag diag;
  char written[] = "53 deg";
  cap_diag_init(&diag, NULL);
  assert_string_equal(cap_diag_quantity(&diag, "arm.angle", 0.5, "rad"), "0.5 rad");
  diag.written = write_angle;
  diag.locate_self = written;
  assert_string_equal(cap_diag_quantity(&diag, "arm.angle", 3.9269908169872414, "rad"), "225 deg");
  assert_string_equal(cap_diag_quantity(&diag, "arm.length", 0.08, "m"), "0.08 m");
  assert_string_equal(cap_diag_quantity(&diag, NULL, 0.5, "rad"), "0.5 rad");
  cap_diag_free(&diag);
}

static void counts_beyond_the_limit(void **state)
{
  (void)state;
  cap_diag diag;
  cap_diag_init(&diag, "m");
  for (int i = 0; i < CAP_DIAG_MOST + 7; i++) cap_diag_add(&diag, i + 1, 1, "k", "finding %d", i);
  assert_int_equal(diag.nitem, CAP_DIAG_MOST);
  assert_int_equal(diag.nerror, CAP_DIAG_MOST + 7);
  const char *text = cap_diag_text(&diag);
  assert_non_null(strstr(text, "m:100:1: k: finding 99\nand 7 more\n"));
  assert_null(strstr(text, "finding 100"));
  cap_diag_free(&diag);
  cap_diag_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(prints_place_path_and_sentence),
      cmocka_unit_test(leaves_out_what_is_not_known),
      cmocka_unit_test(sorts_by_place_and_keeps_order_at_one_place),
      cmocka_unit_test(asks_the_hook_for_the_place),
      cmocka_unit_test(copies_what_it_is_given),
      cmocka_unit_test(quantities_in_the_unit_that_was_written),
      cmocka_unit_test(counts_beyond_the_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
