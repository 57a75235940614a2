/* io/csv: measured data of several dialects, and files that are none. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct fixture {
  cap_arena arena;
  cap_diag diag;
  cap_units *units;
} fixture;

static int set_up(void **state)
{
  fixture *f = calloc(1, sizeof *f);
  if (!f) return -1;
  f->units = cap_units_create();
  cap_diag_init(&f->diag, "model.yaml");
  *state = f;
  return f->units ? 0 : -1;
}

static int tear_down(void **state)
{
  fixture *f = *state;
  cap_units_free(f->units);
  cap_arena_free(&f->arena);
  cap_diag_free(&f->diag);
  free(f);
  return 0;
}

static void near(double value, double expected)
{
  if (fabs(value - expected) > 1e-14 * fabs(expected)) fail_msg("%.17g is not %.17g", value, expected);
}

/* The same loop in the dialects that measuring programs write. */
static void dialects(void **state)
{
  static const char *const texts[] = {
      "time [s], deflection [mm], force [N]\n0, 1.5, 512.25\n0.5, -2.5, 1e3\n",
      "time (s),deflection (mm),force (N)\r\n0,1.5,512.25\r\n0.5,-2.5,1e3\r\n",
      "# rig 3\n\ntime [s]; deflection [mm]; force [N]\n0; 1,5; 512,25\n# stop\n0,5; -2,5; 1e3\n\n",
      "time [s];deflection [mm];force [N]\n0;1.5;512.25\n0.5;-2.5;1e3",
      "time [s]\tdeflection [mm]\tforce [N]\n0\t1.5\t512.25\n0.5\t-2.5\t1e3\n",
      "\xef\xbb\xbf\"time [s]\",\"deflection [mm]\",\"force [N]\"\n\"0\",\"1.5\",512.25\n0.5 , -2.5 ,1e3,\n",
      "time [ms],deflection [um],force [kN]\n0,1500,0.51225\n500,-2500,1\n",
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    cap_csv csv;
    if (cap_csv_parse("d.csv", texts[i], strlen(texts[i]), f->units, &f->arena, &f->diag, &csv) != CAP_OK)
      fail_msg("dialect %zu: %s", i, cap_diag_text(&f->diag));
    assert_int_equal(csv.ncolumn, 3);
    assert_int_equal(csv.nrow, 2);
    assert_string_equal(csv.names[1], "deflection");
    assert_string_equal(csv.units[1], "m");
    assert_string_equal(csv.units[2], "N");
    near(csv.values[0][1], 0.5);
    near(csv.values[1][0], 1.5e-3);
    near(csv.values[1][1], -2.5e-3);
    near(csv.values[2][0], 512.25);
    near(csv.values[2][1], 1000.0);
  }
}

static void columns(void **state)
{
  fixture *f = *state;
  const char *text = "Time [s],\"say \"\"x\"\", twice [-]\",share [%],gain [1],u(1) (m/s2)\n1,2,3,4,5\n";
  cap_csv csv;
  if (cap_csv_parse("d.csv", text, strlen(text), f->units, &f->arena, &f->diag, &csv) != CAP_OK)
    fail_msg("%s", cap_diag_text(&f->diag));
  assert_int_equal(csv.ncolumn, 5);
  assert_string_equal(csv.names[1], "say \"x\", twice");
  assert_string_equal(csv.units[1], "");
  near(csv.values[2][0], 0.03);
  assert_string_equal(csv.names[4], "u(1)");
  assert_string_equal(csv.units[4], "m/s2");
  assert_int_equal(cap_csv_find(&csv, "time"), 0);
  assert_int_equal(cap_csv_find(&csv, "gain"), 3);
  assert_int_equal(cap_csv_find(&csv, "none"), -1);
}

static void malformed(void **state)
{
  static const char *const cases[][2] = {
      {"", "d.csv:1:1: the file is empty"},
      {"# c\n\n  \n", "d.csv:4:1: the file is empty"},
      {"time [s], force [N]\n", "d.csv:2:1: there is a header but no data"},
      {"1, 2\n3, 4\n", "d.csv:1:1: expected a header such as \"time [s]\", got the number \"1\""},
      {"time, force [N]\n1,2\n",
       "d.csv:1:1: the column \"time\" has no unit; write it behind the name as in \"force [N]\""},
      {"time [s], force []\n1,2\n", "d.csv:1:11: the column \"force []\" has no unit"},
      {"time [s], [N]\n1,2\n", "d.csv:1:11: the column has a unit but no name"},
      {"time [s],, a [m]\n1,2,3\n", "d.csv:1:10: the column has no name and no unit"},
      {"time [s], force [Newt]\n1,2\n", "d.csv:1:11: the column \"force\": the unit \"Newt\" is not known"},
      {"a [s], a [s]\n1,2\n", "d.csv:1:8: the column \"a\" stands twice"},
      {"a [s], b [s]\n1,2\n3\n", "d.csv:3:2: the row has 1 cell, the header has 2"},
      {"a [s], b [s]\n1,2\n3,4,5\n", "d.csv:3:5: the row has more than the 2 cells"},
      {"a [s], b [s]\n1,x\n", "d.csv:2:3: b: expected a number, got \"x\"; it does not start with a number"},
      {"a [s], b [s]\n1,nan\n", "d.csv:2:3: b: expected a number, got \"nan\"; the number must be finite"},
      {"a [s], b [s]\n1,inf\n", "d.csv:2:3: b: expected a number, got \"inf\"; the number must be finite"},
      {"a [s], b [s]\n1,\n", "d.csv:2:3: b: the cell is empty"},
      {"a [s], b [s]\n1,2 s\n", "d.csv:2:3: b: expected a number, got \"2 s\"; something follows"},
      {"a [s], b [s]\n1,1e999\n", "d.csv:2:3: b: expected a number, got \"1e999\"; the number is too large"},
      {"a [s], b [km]\n1,1e308\n", "d.csv:2:3: b: the number is too large"},
      {"a [s], b [s]\n1,\"2\n", "d.csv:2:3: the closing quote is missing"},
      {"a [s], b [s]\n1,\"2\"3\n", "d.csv:2:6: a separator was expected"},
      {"a [s]; b [s]\n1.5;1.000,5\n", "d.csv:2:5: b: expected a number, got \"1.000,5\""},
      {"a [s]; b [s]\n1,2,3;4\n", "d.csv:2:1: a: expected a number"},
      {"\u00e9\u00e9 [s], b [N]\n\u00e9, 2\n", "d.csv:2:1: \u00e9\u00e9: expected a number, got \"\u00e9\""},
      {"a [s], b [s]\n1\x01,2\n", "d.csv:2:2: the control character 0x01"},
      {"a [s], b [s]\n\xff,2\n", "d.csv:2:1: the byte 0xff is not UTF-8"},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cap_csv csv;
    cap_diag_free(&f->diag);
    cap_diag_init(&f->diag, "model.yaml");
    cap_status status = cap_csv_parse("d.csv", cases[i][0], strlen(cases[i][0]), f->units, &f->arena,
                                      &f->diag, &csv);
    if (status != CAP_ERR_INPUT) fail_msg("accepted: %s", cases[i][0]);
    const char *said = cap_diag_text(&f->diag);
    if (strncmp(said, cases[i][1], strlen(cases[i][1])) != 0)
      fail_msg("said: %sexpected: %s", said, cases[i][1]);
    assert_string_equal(f->diag.file, "model.yaml");
  }
}

static void all_findings(void **state)
{
  fixture *f = *state;
  const char *text = "a [s], b [s]\nx,1\n2,y\n3\n";
  cap_csv csv;
  assert_int_equal(cap_csv_parse("d.csv", text, strlen(text), f->units, &f->arena, &f->diag, &csv),
                   CAP_ERR_INPUT);
  assert_int_equal(f->diag.nerror, 3);
  cap_diag_free(&f->diag);
  cap_diag_init(&f->diag, "model.yaml");
  /* a wrong separator in a long file is told a few times, not a million times */
  char *longer = malloc(13 + 2 * 1000 + 1);
  assert_non_null(longer);
  char *at = longer + sprintf(longer, "a [s], b [s]\n");
  for (int i = 0; i < 1000; i++) at += sprintf(at, "1\n");
  assert_int_equal(cap_csv_parse("d.csv", longer, strlen(longer), f->units, &f->arena, &f->diag, &csv),
                   CAP_ERR_INPUT);
  assert_int_equal(f->diag.nerror, 20);
  free(longer);
}

static void files(void **state)
{
  fixture *f = *state;
  cap_csv csv;
  assert_int_equal(cap_csv_read("/nonexistent/x.csv", f->units, &f->arena, &f->diag, &csv), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&f->diag), "/nonexistent/x.csv: cannot be opened: No such file"));
  assert_int_equal(cap_csv_read("/tmp", f->units, &f->arena, &f->diag, &csv), CAP_ERR_INPUT);
  assert_non_null(strstr(cap_diag_text(&f->diag), "/tmp: is a folder, not a file"));
  char path[] = "/tmp/capstan-csv-XXXXXX";
  int fd = mkstemp(path);
  assert_true(fd >= 0);
  FILE *stream = fdopen(fd, "w");
  fprintf(stream, "t [s];u [mm]\n");
  for (int i = 0; i < 50000; i++) fprintf(stream, "%d;%.17g\n", i, i / 3.0);
  fclose(stream);
  assert_int_equal(cap_csv_read(path, f->units, &f->arena, &f->diag, &csv), CAP_OK);
  assert_int_equal(csv.nrow, 50000);
  near(csv.values[1][49999], 49999 / 3.0 * 1e-3);
  unlink(path);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(dialects, set_up, tear_down),
      cmocka_unit_test_setup_teardown(columns, set_up, tear_down),
      cmocka_unit_test_setup_teardown(malformed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(all_findings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
