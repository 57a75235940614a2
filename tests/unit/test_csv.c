/* io/csv: measured data of several dialects, and files that are none. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/csv.h"
#include "io/text_decode.h"
#include "io/text_file.h"

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
      "sep=;\r\ntime [s];deflection [mm];force [N];\r\n0;1,5;512,25;\r\n0,5;-2,5;1e3;\r\n",
      "\xef\xbb\xbf\"sep=\t\"\r\ntime [s]\tdeflection [mm]\tforce [N]\n0\t1,5\t512,25\n0,5\t-2,5\t1e3\n",
      "SEP=,\ntime [s],deflection [mm],force [N]\n0,1.5,512.25\n0.5,-2.5,1e3\n",
      "time;deflection;force\ns;mm;N\n0;1,5;512,25\n0,5;-2,5;1e3\n",
      "time,deflection,force\n[s],[mm],(N)\n0,1.5,512.25\n0.5,-2.5,1e3\n",
      "time [s],deflection,force (upper)\ns,[mm],N\n0,1.5,512.25\n0.5,-2.5,1e3\n",
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
    assert_int_equal(f->diag.nwarning, 0);
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

/* What measuring programs put above the columns; `line`: of the note about the header, 0 = none. */
static void titles(void **state)
{
  static const struct {
    const char *text;
    int line;
  } cases[] = {
      {"Messung 3\ntime [s];deflection [mm]\n0;1,5\n", 2},
      {"Messung 3;;\r\n;;\r\nPr\u00fcfer;M.;12.05.2024\r\ntime [s];deflection [mm];\r\n0;1,5;\r\n", 4},
      {"Messung (s)\n\ntime\tdeflection\ns\tmm\n0\t1.5\n", 3},
      {"Abtastrate [Hz];1000\nKan\u00e4le;2\n4711\ntime;deflection\n[s];[mm]\n0;1.5\n", 4},
      {"Versuch;3a\nt;s\ntime;deflection\ns;mm\n0;1,5\n", 3},
      {"Versuch;3a\ntime;deflection\ns;mm\n0;1,5\n", 2},
      {"a [s];b [m]\ntime [s];deflection [mm]\n0;1,5\n", 2},
      {"rig 3, \"March, 2024\", \"open\ntime [s],deflection [mm]\n0,1.5\n", 2},
      {"sep=;\ntime, at the rig\ntime [s];deflection [mm]\n0;1,5\n", 3},
      {"Offset [mm]\n0.5\n\ntime [s];deflection [mm]\n0;1.5\n", 0}, /* a table of its own: refused */
      {"# Messung 3\n# 1;2\ntime [s];deflection [mm]\n0;1,5\n", 0},
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cap_csv csv;
    cap_diag_free(&f->diag);
    cap_diag_init(&f->diag, "model.yaml");
    cap_status status = cap_csv_parse("d.csv", cases[i].text, strlen(cases[i].text), f->units, &f->arena,
                                      &f->diag, &csv);
    if (strncmp(cases[i].text, "Offset", 6) == 0) {
      assert_int_equal(status, CAP_ERR_INPUT);
      continue;
    }
    if (status != CAP_OK) fail_msg("titles %zu: %s", i, cap_diag_text(&f->diag));
    assert_int_equal(csv.ncolumn, 2);
    assert_int_equal(csv.nrow, 1);
    assert_string_equal(csv.names[0], "time");
    assert_string_equal(csv.names[1], "deflection");
    near(csv.values[1][0], 1.5e-3);
    assert_int_equal(f->diag.nitem, cases[i].line > 0);
    if (cases[i].line) assert_int_equal(f->diag.items[0].line, cases[i].line);
  }
}

/* A note says which line is the header, once for a file that is read twice. */
static void notes(void **state)
{
  fixture *f = *state;
  const char *text = "Messung 3\ntime;angle\ns;\xb0\n0;180\n";
  cap_csv csv;
  for (int i = 0; i < 2; i++)
    assert_int_equal(cap_csv_parse("d.csv", text, strlen(text), f->units, &f->arena, &f->diag, &csv), CAP_OK);
  near(csv.values[1][0], acos(-1.0));
  assert_int_equal(f->diag.nwarning, 2);
  assert_string_equal(cap_diag_text(&f->diag),
                      "d.csv:2:1: note: line 2 is read as the header, units in line 3; the lines above are "
                      "skipped\n"
                      "d.csv:3:3: note: read as Windows-1252 (Latin-1), since the byte 0xb0 is not UTF-8\n");
}

/* The same two columns in each encoding. */
static void encodings(void **state)
{
  static const struct {
    const char *text;
    size_t size;
  } cases[] = {
#define CASE(text) {text, sizeof(text) - 1}
      CASE("L\xc3\xa4nge [\xc2\xb5m];\xe2\x82\xac [N/m\xc2\xb2]\n2;3\n"),
      CASE("\xef\xbb\xbfL\xc3\xa4nge [\xc2\xb5m];\xe2\x82\xac [N/m\xc2\xb2]\n2;3\n"),
      CASE("L\xe4nge [\xb5m];\x80 [N/m\xb2]\n2;3\n"),
      CASE("\xff\xfeL\0\xe4\0n\0g\0e\0 \0[\0\xb5\0m\0]\0;\0\xac\x20 \0[\0N\0/\0m\0\xb2\0]\0\n\0"
           "2\0;\0"
           "3\0\n\0"),
      CASE("\xfe\xff\0L\0\xe4\0n\0g\0e\0 \0[\0\xb5\0m\0]\0;\x20\xac\0 \0[\0N\0/\0m\0\xb2\0]\0\n\0"
           "2\0;\0"
           "3\0\n"),
#undef CASE
  };
  fixture *f = *state;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    cap_csv csv;
    if (cap_csv_parse("d.csv", cases[i].text, cases[i].size, f->units, &f->arena, &f->diag, &csv) != CAP_OK)
      fail_msg("encoding %zu: %s", i, cap_diag_text(&f->diag));
    assert_int_equal(csv.ncolumn, 2);
    assert_string_equal(csv.names[0], "L\u00e4nge");
    assert_string_equal(csv.names[1], "\u20ac");
    assert_string_equal(csv.units[1], "Pa");
    near(csv.values[0][0], 2e-6);
    near(csv.values[1][0], 3.0);
  }
}

/* Characters outside of the first 65536, and all of Windows-1252, as UTF-8. */
static void decoded_characters(void **state)
{
  fixture *f = *state;
  cap_text_decoded d;
  static const char pair[] = "\xff\xfe\x3d\xd8\x00\xde";
  assert_int_equal(cap_text_decode(pair, sizeof pair - 1, &f->arena, &f->diag, &d), CAP_OK);
  assert_int_equal(d.size, 4);
  assert_memory_equal(d.text, "\xf0\x9f\x98\x80", 4);
  int refused = 0;
  for (int byte = 0x80; byte <= 0xff; byte++) {
    const char text[2] = {(char)byte, '\n'};
    if (cap_text_decode(text, 2, &f->arena, &f->diag, &d) != CAP_OK) {
      refused++;
      continue;
    }
    assert_int_equal(d.foreign, byte);
    assert_int_equal(cap_text_file_character((const unsigned char *)d.text, d.size), d.size - 1);
  }
  assert_int_equal(refused, 5); /* 0x81 0x8d 0x8f 0x90 0x9d */
}

static void rotational_speeds(void **state)
{
  fixture *f = *state;
  static const char *const per_minute[] = {"1/min", "min-1", "min^-1", "1 / min", "min\u207b\u00b9"},
                           *const turns[] = {"rpm", "U/min", "r/min", "rev/min"};
  char text[100];
  cap_csv csv;
  for (int i = 0; i < 5; i++) {
    snprintf(text, sizeof text, "n [%s]\n30\n", per_minute[i]);
    assert_int_equal(cap_csv_parse("d.csv", text, strlen(text), f->units, &f->arena, &f->diag, &csv), CAP_OK);
    assert_true(csv.per_minute[0]);
    assert_true(cap_csv_take(&csv, 0, f->units, "1/s"));
    near(csv.values[0][0], 0.5);
    assert_false(cap_csv_take(&csv, 0, f->units, "rad"));
    for (int again = 0; again < 2; again++) {
      assert_true(cap_csv_take(&csv, 0, f->units, "rad/s"));
      near(csv.values[0][0], acos(-1.0));
    }
    assert_false(cap_csv_take(&csv, 0, f->units, "Hz"));
  }
  for (int i = 0; i < 4; i++) {
    snprintf(text, sizeof text, "n\n%s\n30\n", turns[i]);
    assert_int_equal(cap_csv_parse("d.csv", text, strlen(text), f->units, &f->arena, &f->diag, &csv), CAP_OK);
    assert_false(csv.per_minute[0]);
    assert_true(cap_csv_take(&csv, 0, f->units, "rad/s"));
    near(csv.values[0][0], acos(-1.0));
  }
  const char *hertz = "n [Hz],m [1/s],x [-]\n30,30,1\n";
  assert_int_equal(cap_csv_parse("d.csv", hertz, strlen(hertz), f->units, &f->arena, &f->diag, &csv), CAP_OK);
  assert_false(cap_csv_take(&csv, 0, f->units, "rad/s"));
  assert_false(cap_csv_take(&csv, 1, f->units, "rad/s"));
  assert_false(cap_csv_take(&csv, 2, f->units, "rad/s"));
  assert_true(cap_csv_take(&csv, 2, f->units, ""));
  assert_non_null(strstr(cap_csv_hint(csv.units[0], "rad/s"), "rpm"));
  assert_string_equal(cap_csv_hint("N", "rad/s"), "");
}

static void malformed(void **state)
{
  static const char *const cases[][2] = {
      {"", "d.csv:1:1: the file is empty"},
      {"# c\n\n  \n", "d.csv:4:1: the file is empty"},
      {"time [s], force [N]\n", "d.csv:2:1: expected rows of numbers after the header"},
      {"1, 2\n3, 4\n", "d.csv:1:1: expected a header such as \"time [s]\", got the number \"1\""},
      {"time, force [N]\n1,2\n",
       "d.csv:1:1: the column \"time\" has no unit; expected it behind the name as in \"force [N]\""},
      {"time [s], force []\n1,2\n", "d.csv:1:11: the column \"force []\" has no unit"},
      {"time [s], [N]\n1,2\n", "d.csv:1:11: expected a name before the unit [N], got nothing"},
      {"time [s],, a [m]\n1,2,3\n", "d.csv:1:10: expected a column with a name and a unit, got nothing"},
      {"time [s], force [Newt]\n1,2\n", "d.csv:1:11: the column \"force\": unknown unit \"Newt\""},
      {"a [s], a [s]\n1,2\n", "d.csv:1:8: duplicate column \"a\""},
      {"a [s], b [s]\n1,2\n3\n", "d.csv:3:2: expected 2 cells as in the header, got 1"},
      {"a [s], b [s]\n1,2\n3,4,5\n", "d.csv:3:5: expected 2 cells as in the header, got more"},
      {"a [s], b [s]\n1,x\n", "d.csv:2:3: b: expected a number, got \"x\"; it does not start with a number"},
      {"a [s], b [s]\n1,nan\n", "d.csv:2:3: b: expected a number, got \"nan\"; the number must be finite"},
      {"a [s], b [s]\n1,inf\n", "d.csv:2:3: b: expected a number, got \"inf\"; the number must be finite"},
      {"a [s], b [s]\n1,\n", "d.csv:2:3: b: expected a number, got an empty cell"},
      {"a [s], b [s]\n1,2 s\n",
       "d.csv:2:3: b: expected a number, got \"2 s\"; unexpected text after the number"},
      {"a [s], b [s]\n1,1e999\n", "d.csv:2:3: b: expected a number, got \"1e999\"; the number is too large"},
      {"a [s], b [km]\n1,1e308\n", "d.csv:2:3: b: the number is too large"},
      {"a [s], b [s]\n1,\"2\n", "d.csv:2:3: expected a closing quote"},
      {"a [s], b [s]\n1,\"2\"3\n", "d.csv:2:6: expected a separator after the closing quote, got \"3\""},
      {"a [s]; b [s]\n1.5;1.000,5\n", "d.csv:2:5: b: expected a number, got \"1.000,5\""},
      {"a [s]; b [s]\n1,2,3;4\n", "d.csv:2:1: a: expected a number"},
      {"\u00e9\u00e9 [s], b [N]\n\u00e9, 2\n", "d.csv:2:1: \u00e9\u00e9: expected a number, got \"\u00e9\""},
      {"a [s], b [s]\n1\x01,2\n", "d.csv:2:2: expected text, got the control character 0x01"},
      {"# \xc3\xa4\na [s], b [s]\n\xff,2\n", "d.csv:3:1: expected UTF-8, since the file has UTF-8 in line 1"},
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
  /* a wrong separator in a long file is reported a few times, not a million times */
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
  assert_non_null(strstr(cap_diag_text(&f->diag), "/tmp: expected a file, got a folder"));
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
      cmocka_unit_test_setup_teardown(titles, set_up, tear_down),
      cmocka_unit_test_setup_teardown(notes, set_up, tear_down),
      cmocka_unit_test_setup_teardown(encodings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(decoded_characters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(rotational_speeds, set_up, tear_down),
      cmocka_unit_test_setup_teardown(malformed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(all_findings, set_up, tear_down),
      cmocka_unit_test_setup_teardown(files, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
