/* Export: CSV reads back as the same bits, VTK files hold what the results hold, no half files. */
#include "io/export.h"
#include "io/results.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[64];
static char text[1 << 20];

static const char *in_folder(const char *name, char path[128])
{
  snprintf(path, 128, "%s/%s", folder, name);
  return path;
}

static const char *content(const char *name)
{
  char path[128];
  FILE *file = fopen(in_folder(name, path), "rb");
  if (!file) fail_msg("no file %s", path);
  text[fread(text, 1, sizeof text - 1, file)] = '\0';
  fclose(file);
  return text;
}

static bool is_there(const char *name)
{
  char path[128];
  return access(in_folder(name, path), F_OK) == 0;
}

/* Values that text easily loses. */
static const double awkward[4] = {0.1, -1.0 / 3.0, 5e-324, 1.7976931348623157e308};

static int make_results(void **state)
{
  (void)state;
  strcpy(folder, "/tmp/capstan-export-XXXXXX");
  if (!mkdtemp(folder)) return -1;
  char path[128];
  cap_error error = {0};
  cap_results *results;
  cap_results_meta meta = {.drive = "d", .name = "n", .model = "m"};
  if (cap_results_create(in_folder("a.h5", path), &meta, (cap_results_options){0}, &results, &error))
    return -1;
  cap_sink *sink = cap_results_sink(results);
  sink->open(sink, "transient", "transient", "");
  sink->columns(sink, 2, (cap_column[]){{"time", "s", ""}, {"arm, \"left\"", "", ""}});
  for (int i = 0; i < 2500; i++) sink->rows(sink, 1, (double[]){i * 0.1, awkward[i % 4]});
  sink->array(sink, (cap_column){"film.time", "s", ""}, 1, (int64_t[]){2}, NULL, (double[]){0, 0.5});
  sink->array(sink, (cap_column){"film.span.*.tension", "N", ""}, 2, (int64_t[]){2, 3}, "film.time,",
              (double[]){1, 2, 3, 4, 5, 6});
  sink->text(sink, "film.members.span", "first,second,third");
  sink->balance(sink, 2, (cap_balance_line[]){{"load", "input", 3}, {"arm", "dissipated", 2}});
  sink->close(sink);
  sink->open(sink, "motion", "transient", "");
  sink->array(sink, (cap_column){"film.time", "s", ""}, 1, (int64_t[]){2}, NULL, (double[]){0, 0.5});
  sink->array(sink, (cap_column){"film.node.*.x", "m", ""}, 2, (int64_t[]){2, 4}, "film.time,",
              (double[]){0, 1, 1, 0, 0, 1, NAN, 0});
  sink->array(sink, (cap_column){"film.node.*.y", "m", ""}, 2, (int64_t[]){2, 4}, "film.time,",
              (double[]){0, 0, 1, 1, 0, 0, 1, 1});
  sink->array(sink, (cap_column){"film.segment.*.tension", "N", ""}, 2, (int64_t[]){2, 4}, "film.time,",
              (double[]){10, 20, 30, 40, 50, 60, 70, 80});
  sink->array(sink, (cap_column){"film.wheel.angle", "rad", ""}, 1, (int64_t[]){2}, "film.time",
              (double[]){0, M_PI / 2});
  sink->array(sink, (cap_column){"film.wheel.torque", "N m", ""}, 1, (int64_t[]){2}, "film.time",
              (double[]){7, 8});
  sink->close(sink);
  sink->open(sink, "scene", "scene", "");
  sink->text(sink, "bodies", "wheel");
  sink->text(sink, "to", "");
  sink->number(sink, (cap_column){"wheel.x", "m", ""}, 2);
  static const char *const of_shape[] = {"shape.x",    "shape.y",    "shape.radius",
                                         "shape.to_x", "shape.to_y", "shape.count"};
  for (int k = 0; k < 6; k++)
    sink->array(sink, (cap_column){of_shape[k], "m", ""}, 1, (int64_t[]){1}, NULL, (double[]){k == 2});
  sink->array(sink, (cap_column){"shape.corners", "m", ""}, 2, (int64_t[]){1, 16}, NULL, (double[16]){0});
  sink->close(sink);
  sink->open(sink, "response", "response", "");
  sink->array(sink, (cap_column){"load.amplitude", "N", ""}, 1, (int64_t[]){2}, NULL, (double[]){10, 20});
  sink->array(sink, (cap_column){"angular_frequency", "rad/s", ""}, 1, (int64_t[]){3}, NULL,
              (double[]){1, 2, 4});
  sink->array(sink, (cap_column){"gain", "m", ""}, 2, (int64_t[]){2, 3}, "load.amplitude,angular_frequency",
              (double[]){1, 2, 3, 4, NAN, 6});
  sink->array(sink, (cap_column){"kind", "1", "of a point: 0 = point, 1: fold"}, 2, (int64_t[]){2, 3},
              "load.amplitude,angular_frequency", (double[]){0, 1, 7, 0, NAN, 1});
  sink->array(sink, (cap_column){"pulley.hub", "N", ""}, 1, (int64_t[]){2}, NULL, (double[]){1, 2});
  sink->array(sink, (cap_column){"pulley.share", "", ""}, 1, (int64_t[]){2}, NULL, (double[]){3, 4});
  sink->array(sink, (cap_column){"span.entry", "rad", ""}, 1, (int64_t[]){2}, NULL, (double[]){5, 6});
  sink->text(sink, "pulleys", "crank,=pump");
  sink->array(sink, (cap_column){"a?b", "", ""}, 1, (int64_t[]){1}, NULL, (double[]){1});
  sink->array(sink, (cap_column){"A_b", "", ""}, 1, (int64_t[]){1}, NULL, (double[]){2});
  sink->array(sink, (cap_column){"odd/name", "", ""}, 1, (int64_t[]){1}, NULL, (double[]){1}); /* refused */
  sink->array(sink, (cap_column){"odd name?", "", ""}, 1, (int64_t[]){1}, "missing", (double[]){7});
  sink->number(sink, (cap_column){"iterations", "", "count, total"}, 12);
  sink->text(sink, "method", "two\nlines");
  sink->text(sink, "formula", "=cmd|x!A0");
  sink->text(sink, "sum", "+1");
  sink->close(sink);
  cap_status status = cap_results_finish(results, true);
  cap_results_free(results);
  return status == CAP_OK ? 0 : -1;
}

static int remove_results(void **state)
{
  (void)state;
  char command[128];
  snprintf(command, sizeof command, "rm -rf '%s'", folder);
  return system(command);
}

static void test_csv(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  in_folder("a.h5", h5);
  assert_int_equal(cap_export_csv(h5, in_folder("csv", out), (cap_export_options){0}, &error), CAP_OK);
  assert_int_equal(cap_export_csv(h5, out, (cap_export_options){0}, &error),
                   CAP_OK); /* again, over what is there */

  const char *line = content("csv/transient.csv");
  static const char head[] = "time [s],\"'arm, \"\"left\"\"'\"\n"; /* quoted as a name, and as a cell */
  assert_memory_equal(line, head, sizeof head - 1);
  for (int i = 0; i < 2500; i++) {
    char *next;
    line = strchr(line, '\n') + 1;
    assert_true(strtod(line, &next) == i * 0.1);
    assert_true(strtod(next + 1, NULL) == awkward[i % 4]);
  }
  line = strchr(line, '\n') + 1;
  assert_int_equal(*line, '\0');

  /* one table of what has the same axes, which need none of their own; codes have their names */
  assert_string_equal(content("csv/response.load.amplitude+angular_frequency.csv"),
                      "load.amplitude [N],angular_frequency [rad/s],gain [m],kind\n"
                      "10,1,1,point\n10,2,2,fold\n10,4,3,7\n20,1,4,point\n20,2,nan,nan\n20,4,6,fold\n");
  assert_false(is_there("csv/response.load.amplitude.csv"));
  assert_int_equal(cap_export_csv(h5, in_folder("codes", out), (cap_export_options){.codes = true}, &error),
                   CAP_OK);
  assert_string_equal(content("codes/response.load.amplitude+angular_frequency.csv"),
                      "load.amplitude [N],angular_frequency [rad/s],gain [m],kind [1]\n"
                      "10,1,1,0\n10,2,2,1\n10,4,3,7\n20,1,4,0\n20,2,nan,nan\n20,4,6,1\n");
  assert_string_equal(content("csv/response.odd_name_.csv"), "index_0,odd name?\n0,7\n");
  /* without axes: the shape and the first part of the name, whose list of names is known */
  assert_string_equal(content("csv/response.pulley.csv"),
                      "pulley,pulley.hub [N],pulley.share\ncrank,1,3\n'=pump,2,4\n");
  assert_string_equal(content("csv/response.span.entry.csv"), "index_0,span.entry [rad]\n0,5\n1,6\n");
  /* names that differ in what a file name cannot have, or in case only */
  assert_string_equal(content("csv/response.a_b.csv"), "index_0,a?b\n0,1\n");
  assert_string_equal(content("csv/response.A_b-2.csv"), "index_0,A_b\n0,2\n");
  assert_false(is_there("csv/transient.film.span.csv"));
  assert_string_equal(
      content("csv/response.values.csv"),
      "name,value,unit,long_name\npulleys,\"crank,=pump\",,\niterations,12,,\"count, total\"\n"
      "method,\"two\nlines\",,\nformula,'=cmd|x!A0,,\nsum,'+1,,\n");
  assert_string_equal(content("csv/transient.audit.csv"),
                      "name,kind,energy [J]\nload,input,3\narm,dissipated,2\nresidual,residual,1\n");
}

/* A family of a film has the names of its members, and is there when it is wanted. */
static void test_animation(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  assert_int_equal(cap_export_csv(in_folder("a.h5", h5), in_folder("csv", out),
                                  (cap_export_options){.animation = true}, &error),
                   CAP_OK);
  assert_string_equal(content("csv/transient.film.span.csv"),
                      "film.time [s],span,film.span.*.tension [N]\n"
                      "0,first,1\n0,second,2\n0,third,3\n0.5,first,4\n0.5,second,5\n0.5,third,6\n");
  assert_non_null(strstr(content("csv/contents.csv"), "\ntransient.film.span.csv,film.span.*.tension,N,\n"));
  /* without it the frames that are there stay listed, so that they may be overwritten again */
  assert_int_equal(cap_export_csv(h5, out, (cap_export_options){0}, &error), CAP_OK);
  assert_non_null(strstr(content("csv/contents.csv"), "\ntransient.film.span.csv,"));
  assert_int_equal(cap_export_csv(h5, out, (cap_export_options){.animation = true}, &error), CAP_OK);
}

static void write_file(const char *name, const char *what)
{
  char path[128];
  FILE *file = fopen(in_folder(name, path), "wb");
  assert_non_null(file);
  fputs(what, file);
  fclose(file);
}

/* What is not of an earlier export stays, and nothing is written beside it. */
static void test_nothing_foreign_is_replaced(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  in_folder("a.h5", h5);
  assert_int_equal(mkdir(in_folder("csv", out), 0777), 0);
  write_file("csv/response.values.csv", "measured\n");
  assert_int_equal(cap_export_csv(h5, out, (cap_export_options){0}, &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "csv/response.values.csv: expected a file that "));
  assert_string_equal(content("csv/response.values.csv"), "measured\n");
  assert_false(is_there("csv/transient.csv"));
  write_file("csv/transient.vtt", "mine\n");
  assert_int_equal(cap_export_vtk(h5, out, &error), CAP_ERR_INPUT);
  assert_string_equal(content("csv/transient.vtt"), "mine\n");
  write_file("csv/contents.csv", "also mine\n");
  unlink(in_folder("csv/response.values.csv", out));
  assert_int_equal(cap_export_csv(h5, in_folder("csv", out), (cap_export_options){0}, &error), CAP_ERR_INPUT);
  assert_string_equal(content("csv/contents.csv"), "also mine\n");
}

static void test_vtk(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  in_folder("a.h5", h5);
  assert_int_equal(cap_export_vtk(h5, in_folder("vtk", out), &error), CAP_OK);
  const char *table = content("vtk/transient.vtt");
  assert_non_null(strstr(table, "<Piece NumberOfCols=\"2\" NumberOfRows=\"2500\">"));
  assert_non_null(strstr(table, "Name=\"'arm, &quot;left&quot;'\""));
  /* 8 bytes of length and 2 doubles: 10 and 20 */
  const char *curve = content("vtk/response.load.amplitude.vtt");
  assert_non_null(
      strstr(curve, "Name=\"load.amplitude [N]\" format=\"binary\">\nEAAAAAAAAAAAAAAAAAAkQAAAAAAAADRA\n"));
  assert_non_null(strstr(content("vtk/transient.film.span._.tension.vtr"), "WholeExtent=\"0 2 0 1 0 0\""));
  const char *grid = content("vtk/response.gain.vtr");
  assert_non_null(strstr(grid, "WholeExtent=\"0 2 0 1 0 0\""));
  assert_true(strstr(grid, "Name=\"angular_frequency [rad/s]\"") <
              strstr(grid, "Name=\"load.amplitude [N]\""));
}

/* The first number of the array that begins behind `mark`: base64 of 8 bytes of length and of doubles. */
static double first_number(const char *file, const char *mark, int skip)
{
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const char *at = strstr(file, mark);
  if (!at) fail_msg("no %s", mark);
  at = strchr(at, '\n') + 1;
  unsigned char bytes[4096];
  size_t n = 0;
  for (; strchr(digits, *at) && n + 3 < sizeof bytes; at += 4) {
    unsigned long word = 0;
    for (int k = 0; k < 4; k++)
      word = word << 6 | (at[k] == '=' ? 0ul : (unsigned long)(strchr(digits, at[k]) - digits));
    bytes[n++] = (unsigned char)(word >> 16), bytes[n++] = (unsigned char)(word >> 8),
    bytes[n++] = (unsigned char)word;
  }
  double value;
  memcpy(&value, bytes + 8 * (1 + skip), sizeof value);
  return value;
}

/* A belt of four nodes that closes, a disc that turns, and a node that is nowhere: its segments are left
 * out. */
static void test_frames(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  assert_int_equal(cap_export_vtk(in_folder("a.h5", h5), in_folder("vtk", out), &error), CAP_OK);
  const char *all = content("vtk/motion.pvd");
  assert_non_null(strstr(all, "<DataSet timestep=\"0\" part=\"0\" file=\"motion.frames/0000.vtp\"/>\n"
                              "<DataSet timestep=\"0.5\" part=\"0\" file=\"motion.frames/0001.vtp\"/>\n"));
  const char *first = content("vtk/motion.frames/0000.vtp");
  assert_non_null(strstr(first, "NumberOfPoints=\"58\" NumberOfVerts=\"0\" NumberOfLines=\"5\""));
  assert_true(first_number(first, "Name=\"tension [N]\"", 3) == 40.0);
  assert_true(isnan(first_number(first, "Name=\"tension [N]\"", 4)));
  assert_true(first_number(first, "Name=\"torque [N m]\"", 4) == 7.0);
  assert_true(first_number(first, "NumberOfComponents=\"3\"", 3 * 7) ==
              0.0); /* the last segment ends at node 0 */
  assert_true(first_number(first, "NumberOfComponents=\"3\"", 3 * 9) ==
              3.0); /* centre 2, radius 1, angle 0 */
  const char *second = content("vtk/motion.frames/0001.vtp");
  assert_non_null(strstr(second, "NumberOfLines=\"3\""));
  assert_true(fabs(first_number(second, "NumberOfComponents=\"3\"", 3 * 5) - 2.0) <
              1e-15); /* a quarter turn on */
  assert_true(first_number(second, "NumberOfComponents=\"3\"", 3 * 5 + 1) == 1.0);
  assert_false(is_there("vtk/response.pvd"));
}

static void test_failures_leave_nothing(void **state)
{
  (void)state;
  char h5[128], out[128];
  cap_error error = {0};
  assert_int_equal(cap_export_csv(in_folder("none.h5", h5), folder, (cap_export_options){0}, &error),
                   CAP_ERR_IO);
  in_folder("a.h5", h5);
  assert_int_equal(cap_export_csv(h5, in_folder("no/such", out), (cap_export_options){0}, &error),
                   CAP_ERR_IO);
  assert_int_equal(cap_export_csv(h5, h5, (cap_export_options){0}, &error),
                   CAP_ERR_IO); /* a file where the folder should be */

  /* a file that grows too large leaves the earlier one alone */
  assert_int_equal(cap_export_csv(h5, in_folder("csv", out), (cap_export_options){0}, &error), CAP_OK);
  pid_t child = fork();
  if (child == 0) {
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &(struct rlimit){8192, 8192});
    _exit(cap_export_csv(h5, out, (cap_export_options){0}, &error) == CAP_ERR_IO &&
                  strstr(error.text, "File too large")
              ? 0
              : 1);
  }
  int status;
  waitpid(child, &status, 0);
  assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  assert_int_equal(strlen(content("csv/transient.csv")) > 8192, 1);
  char command[256];
  snprintf(command, sizeof command, "test -z \"$(find '%s' -name '*.new')\"", folder);
  assert_int_equal(system(command), 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(test_csv, make_results, remove_results),
      cmocka_unit_test_setup_teardown(test_animation, make_results, remove_results),
      cmocka_unit_test_setup_teardown(test_nothing_foreign_is_replaced, make_results, remove_results),
      cmocka_unit_test_setup_teardown(test_vtk, make_results, remove_results),
      cmocka_unit_test_setup_teardown(test_frames, make_results, remove_results),
      cmocka_unit_test_setup_teardown(test_failures_leave_nothing, make_results, remove_results),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
