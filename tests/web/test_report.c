/* The report's C side: thinning keeps peaks, texts and numbers become valid JSON, paths are cut, pages appear
 * whole or not at all, and what is no result is refused with a reason. What the page does with it is
 * the browser tests' matter. */
#include "io/results.h"
#include "report/page.h"
#include "report/report.h"
#include "report/template.h"
#include "report/thin.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/page.h"

static int count_files(void)
{
  char command[256];
  snprintf(command, sizeof command, "ls -A '%s' | wc -l", folder);
  FILE *list = popen(command, "r");
  int n = -1;
  assert_int_equal(fscanf(list, "%d", &n), 1);
  pclose(list);
  return n;
}

static void write_result(const char *path, const cap_results_meta *meta, int nrow, bool complete)
{
  cap_error error = {0};
  cap_results *results;
  const cap_column columns[] = {
      {"time", "s", "time"}, {"force", "N", "force"}, {"offset", "m", "ripple on an offset"}};
  assert_int_equal(cap_results_create(path, meta, (cap_results_options){0}, &results, &error), CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(sink->open(sink, "transient", "transient", "Transient"), CAP_OK);
  assert_int_equal(sink->columns(sink, 3, columns), CAP_OK);
  for (int i = 0; i < nrow; i++) {
    double row[3] = {1e-3 * i, sin(0.1 * i), 5 + 1e-6 * sin(0.1 * i)};
    assert_int_equal(sink->rows(sink, 1, row), CAP_OK);
  }
  assert_int_equal(sink->close(sink), CAP_OK);
  assert_int_equal(cap_results_finish(results, complete), CAP_OK);
  cap_results_free(results);
}

static const cap_results_meta plain = {.drive = "tensioner-rig", .name = "rig", .model = "capstan: 1\n"};

static void thinning_keeps_every_slots_extremes(void **state)
{
  (void)state;
  enum { N = 1000, SLOTS = 7 };
  const capm_thin_grid grid = {N, SLOTS};
  double v[N], kept[N], pairs[2 * SLOTS];
  uint64_t bits[N / 64 + 1] = {0};
  for (int i = 0; i < N; i++) v[i] = sin(0.7 * i) + 0.01 * (i % 13);
  v[500] = 40;
  v[501] = -50;
  v[700] = NAN;
  /* Piece by piece, as a long table is read. */
  int64_t marked = 0, n = 0;
  for (int64_t from = 0, to; from < SLOTS; from = to) {
    to = capm_thin_piece(&grid, from, 300);
    int64_t first = capm_thin_begin(&grid, from);
    assert_true(to > from && capm_thin_begin(&grid, to) - first <= capm_thin_longest(&grid, 300));
    marked += capm_thin_mark(&grid, from, to, v + first, bits);
    capm_thin_slots(&grid, from, to, v + first, pairs + 2 * from);
  }
  n = capm_thin_gather(bits, 0, 333, v, kept);
  n += capm_thin_gather(bits, 333, N - 333, v + 333, kept + n);
  assert_int_equal(n, marked);
  assert_in_range(n, SLOTS, 2 * SLOTS + 3);
  assert_true(kept[0] == v[0] && kept[n - 1] == v[N - 1]);
  int64_t next = 0;
  for (int s = 0; s < SLOTS; s++) {
    double low = INFINITY, high = -INFINITY, kept_low = INFINITY, kept_high = -INFINITY;
    for (int i = s * N / SLOTS; i < (s + 1) * N / SLOTS; i++) {
      low = fmin(low, v[i]);
      high = fmax(high, v[i]);
      if (!(bits[i / 64] >> (i % 64) & 1)) continue;
      assert_memory_equal(&kept[next++], &v[i], sizeof *v);
      kept_low = fmin(kept_low, v[i]);
      kept_high = fmax(kept_high, v[i]);
    }
    assert_true(low == kept_low && high == kept_high);
    assert_true(fmin(pairs[2 * s], pairs[2 * s + 1]) == low && fmax(pairs[2 * s], pairs[2 * s + 1]) == high);
  }
  assert_int_equal(next, n);
  assert_true(bits[700 / 64] >> (700 % 64) & 1);
  /* In the order of occurrence: the peak comes before the dip. */
  assert_true(pairs[2 * 3] == 40 && pairs[2 * 3 + 1] == -50);
}

static bool single(double min, double max, double *base)
{
  capm_thin_range r = {0};
  capm_thin_describe(&r, 2, (double[]){min, max});
  return capm_thin_single(&r, base);
}

static void ranges_describe_finite_values(void **state)
{
  (void)state;
  const double v[] = {3, NAN, -1, INFINITY, 4};
  for (int split = 0; split <= 5; split++) {
    capm_thin_range r = {0};
    capm_thin_describe(&r, split, v);
    capm_thin_describe(&r, 5 - split, v + split);
    assert_true(r.min == -1 && r.max == 4 && r.first == 3 && r.last == 4 && r.bad == 2 && r.good == 3);
    assert_true(fabs(r.mean - 2) < 1e-15);
  }
  double base;
  assert_true(single(-1, 1, &base) && base == 0);
  assert_true(single(2, 2, &base) && base == 2);
  assert_true(single(5 - 1e-6, 5 + 1e-6, &base) && fabs(base - 5) < 1e-6);
  assert_true(single(NAN, NAN, &base) && base == 0);
  assert_false(single(-1e300, 1e300, &base));
  assert_false(single(0, 1e-40, &base));
}

static void abscissa_lies_in_its_slot(void **state)
{
  (void)state;
  const capm_thin_grid grid = {100, 10};
  double x[100], out[20];
  for (int i = 0; i < 100; i++) x[i] = i;
  capm_thin_abscissa(&grid, 0, 6, x, out);
  capm_thin_abscissa(&grid, 6, 10, x + 60, out + 12);
  for (int s = 0; s < 10; s++) assert_true(out[2 * s] == 10 * s + 2 && out[2 * s + 1] == 10 * s + 7);
}

static void check_string(const char *text, const char *expected)
{
  cap_error error = {0};
  cap_page *page;
  assert_int_equal(cap_page_start(in_folder("s.html"), &page, &error), CAP_OK);
  cap_page_string(page, text);
  assert_int_equal(cap_page_finish(page, &error), CAP_OK);
  char *data = data_of(in_folder("s.html"));
  assert_string_equal(data, expected);
  free(data);
}

static void texts_become_json_without_paths(void **state)
{
  (void)state;
  if (!has_page()) skip();
  check_string("a \"b\" \\ c\n\t<", "\"a \\\"b\\\" \\\\ c\\n\\u0009\\u003c\"");
  check_string("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80", "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
  check_string("\xC3 \x80 \xED\xA0\x80 \xC0\xAF \xF5",
               "\"\\ufffd \\ufffd \\ufffd\\ufffd\\ufffd \\ufffd\\ufffd \\ufffd\"");
  check_string("file: /home/me/x/loop.csv, 3 N/m", "\"file: …/loop.csv, 3 N/m\"");
  check_string("/home/me", "\"…/\"");
  check_string("at /home/me/ or C:\\Users\\me, /opt/x", "\"at …/ or …/, …/x\"");
  check_string("\"/a b/c\"", "\"\\\"…/c\\\"\"");
  check_string("file: /home/me and you/my data/loop.csv, then /x/y at 3 N/m",
               "\"file: …/loop.csv, then …/y at 3 N/m\"");
  check_string("data='C:\\Users\\me\\loop.csv'", "\"data='…/loop.csv'\"");
  check_string("force /s, a/b/c, https://example.org/x", "\"force /s, a/b/c, https://example.org/x\"");
  check_string("file:///home/me/x.csv", "\"file:…/x.csv\"");
  check_string(NULL, "\"\"");
}

static void numbers_and_values_are_exact(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  cap_page *page;
  assert_int_equal(cap_page_start(in_folder("n.html"), &page, &error), CAP_OK);
  cap_page_number(page, 0.1);
  cap_page_put(page, " ");
  cap_page_number(page, NAN);
  cap_page_put(page, " ");
  cap_page_values(page, 2, (double[]){1, -2}, (cap_block_form){.single = true, .base = 0.5});
  cap_page_put(page, " ");
  cap_page_values(page, 1, (double[]){1}, (cap_block_form){0});
  cap_page_put(page, " ");
  cap_page_values(page, 0, NULL, (cap_block_form){0});
  cap_page_put(page, " ");
  cap_page_flags(page, "-O3 -I/home/me/include -Wall  -fdebug-prefix-map=/a/b=c");
  cap_page_put(page, " ");
  cap_page_json(page, "[\"</script>\"]");
  assert_int_equal(cap_page_finish(page, &error), CAP_OK);
  char *data = data_of(in_folder("n.html"));
  assert_string_equal(
      data, "0.10000000000000001 null \"f4:0:0:2:0:0.5\" \"f8:0:8:1:0\" \"f8:0:16:0:0\" \"-O3 -Wall\" "
            "[\"\\u003c/script>\"]");
  free(data);
}

static void a_result_becomes_the_same_page_twice(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  write_result(in_folder("a.h5"), &plain, 100, true);
  assert_int_equal(cap_report_write(in_folder("a.h5"), in_folder("a.html"), &error), CAP_OK);
  assert_int_equal(cap_report_write(in_folder("a.h5"), in_folder("b.html"), &error), CAP_OK);
  size_t na, nb;
  char *a = text_of(in_folder("a.html"), &na), *b = text_of(in_folder("b.html"), &nb);
  assert_int_equal(na, nb);
  assert_memory_equal(a, b, na);
  assert_null(strstr(a, folder)); /* not where it was made */
  free(a);
  free(b);
  char *data = data_of(in_folder("a.html"));
  assert_non_null(strstr(data, "\"rows\":100,\"kept\":100,\"thinned\":\"no\""));
  assert_non_null(strstr(data, "\"complete\":true"));
  /* A ripple of a millionth on an offset keeps its 64 bits. */
  assert_non_null(strstr(strstr(data, "ripple on an offset"), "\"data\":\"f8:"));
  free(data);
  struct stat info;
  assert_int_equal(stat(in_folder("a.html"), &info), 0);
  mode_t mask = umask(0);
  umask(mask);
  assert_int_equal(info.st_mode & 0777, 0666 & ~mask);
}

static void a_long_result_is_thinned_out(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  write_result(in_folder("long.h5"), &plain, 200000, true);
  assert_int_equal(cap_report_write(in_folder("long.h5"), in_folder("long.html"), &error), CAP_OK);
  char *data = data_of(in_folder("long.html"));
  long long kept = 0;
  const char *table = strstr(data, "\"rows\":200000,\"kept\":");
  assert_non_null(table);
  assert_int_equal(sscanf(table, "\"rows\":200000,\"kept\":%lld,\"thinned\":\"rows\",\"slots\":4000", &kept),
                   1);
  assert_in_range(kept, 4000, 16002);
  free(data);
}

static void write_study(const char *path, int ncase)
{
  enum { COLUMNS = 9, AT_ONCE = 10000 };
  cap_error error = {0};
  cap_results *results;
  static const cap_column columns[COLUMNS] = {
      {"case", "1", ""},       {"factor.a", "N", ""},   {"factor.b", "N", ""},
      {"factor.c", "N", ""},   {"response.d", "N", ""}, {"response.e", "N", ""},
      {"response.f", "N", ""}, {"status", "1", ""},     {"steps", "1", ""}};
  assert_int_equal(cap_results_create(path, &plain, (cap_results_options){0}, &results, &error), CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(sink->open(sink, "study", "study", "Study"), CAP_OK);
  assert_int_equal(sink->columns(sink, COLUMNS, columns), CAP_OK);
  double *rows = calloc((size_t)AT_ONCE * COLUMNS, sizeof *rows);
  for (int k = 0; k < ncase; k += AT_ONCE) {
    for (int i = 0; i < AT_ONCE; i++) rows[i * COLUMNS] = k + i + 1, rows[i * COLUMNS + 1] = i;
    assert_int_equal(sink->rows(sink, AT_ONCE, rows), CAP_OK);
  }
  free(rows);
  assert_int_equal(sink->close(sink), CAP_OK);
  assert_int_equal(cap_results_finish(results, true), CAP_OK);
  cap_results_free(results);
}

/* Cases are no course of anything: all of them are in the page, or as many as it has room for, and it says
 * so. */
static void cases_of_a_study_are_not_thinned_like_rows(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  write_study(in_folder("study.h5"), 60000);
  assert_int_equal(cap_report_write(in_folder("study.h5"), in_folder("study.html"), &error), CAP_OK);
  char *data = data_of(in_folder("study.html"));
  assert_non_null(strstr(data, "\"rows\":60000,\"kept\":60000,\"thinned\":\"no\""));
  free(data);
  write_study(in_folder("study.h5"), 400000);
  assert_int_equal(cap_report_write(in_folder("study.h5"), in_folder("study.html"), &error), CAP_OK);
  data = data_of(in_folder("study.html"));
  long long kept = 0;
  const char *table = strstr(data, "\"rows\":400000,\"kept\":");
  assert_non_null(table);
  assert_int_equal(sscanf(table, "\"rows\":400000,\"kept\":%lld,\"thinned\":\"rows\"", &kept), 1);
  assert_in_range(kept, 300000, 399999);
  char note[128];
  snprintf(note, sizeof note, "study: of 400000 cases the page contains %lld, evenly spaced.", kept);
  assert_non_null(strstr(data, note));
  free(data);
}

static void refusals_say_why_and_leave_nothing(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  FILE *file = fopen(in_folder("notes.h5"), "w");
  fputs("these are notes, not HDF5", file);
  fclose(file);
  write_result(in_folder("cut.h5"), &plain, 100, true);
  assert_int_equal(truncate(in_folder("cut.h5"), 3000), 0);
  write_result(in_folder("good.h5"), &plain, 10, true);

  assert_true(cap_report_write(in_folder("none.h5"), in_folder("x.html"), &error) < 0);
  assert_non_null(strstr(error.text, "none.h5"));
  assert_true(cap_report_write(in_folder("notes.h5"), in_folder("x.html"), &error) < 0);
  assert_non_null(strstr(error.text, "not an HDF5 file"));
  assert_true(cap_report_write(in_folder("cut.h5"), in_folder("x.html"), &error) < 0);
  assert_non_null(strstr(error.text, "truncated"));
  assert_int_equal(cap_report_write(in_folder("good.h5"), in_folder("no/where/x.html"), &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, "No such file"));
  assert_int_equal(cap_report_write(in_folder("good.h5"), folder, &error), CAP_ERR_IO);
  assert_int_equal(cap_report_write(in_folder("good.h5"), in_folder("good.h5"), &error), CAP_ERR_INPUT);
  assert_non_null(strstr(error.text, "would overwrite"));
  assert_int_equal(cap_report_series_page(in_folder("x.html"), "oops", &error), CAP_ERR_INPUT);
  assert_int_equal(count_files(), 3);
}

static void the_command_names_its_page_and_its_troubles(void **state)
{
  (void)state;
  if (!has_page()) skip();
  write_result(in_folder("run.h5"), &plain, 10, true);
  assert_int_equal(report("run.h5"), 0);
  assert_told("run.html\n");
  assert_int_equal(access(in_folder("run.html"), R_OK), 0);
  assert_int_equal(report("run.h5 -o other.html"), 0);
  assert_int_equal(access(in_folder("other.html"), R_OK), 0);
  assert_int_equal(report("--help"), 0);
  assert_told("usage: capstan report");
  assert_int_equal(report(""), 2);
  assert_told("capstan: report: an argument is missing");
  assert_int_equal(report("run.h5 second.h5"), 2);
  assert_told("second.h5");
  assert_int_equal(report("run.h5 -o"), 2);
  assert_told("-o needs a value: OUT.html");
  assert_int_equal(report("--fast run.h5"), 2);
  assert_told("unknown option --fast");
  assert_int_equal(report("missing.h5"), 2);
  assert_told("capstan: ");
  assert_told("missing.h5");
  assert_int_equal(report("out.txt"), 2);
  assert_told("not an HDF5 file");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thinning_keeps_every_slots_extremes),
      cmocka_unit_test(ranges_describe_finite_values),
      cmocka_unit_test(abscissa_lies_in_its_slot),
      cmocka_unit_test_setup_teardown(texts_become_json_without_paths, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(numbers_and_values_are_exact, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_result_becomes_the_same_page_twice, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_long_result_is_thinned_out, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(cases_of_a_study_are_not_thinned_like_rows, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(the_command_names_its_page_and_its_troubles, make_folder,
                                      remove_folder),
      cmocka_unit_test_setup_teardown(refusals_say_why_and_leave_nothing, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
