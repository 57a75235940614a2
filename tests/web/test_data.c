/* What goes into a page: arrays in blocks that can be undone exactly, shares of the page's bytes, films with
 * fewer frames, the model's keys with their sources, several results; and results that are damaged, empty, of
 * another version or from a folder that nobody should hear of. */
#include "io/results.h"
#include "report/arrays.h"
#include "report/report.h"
#include "report/settings.h"

#include <hdf5.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <zlib.h>

#include <cmocka.h>

#include "../support/page.h"
#include "../support/reseal.h"

/* ------------------------------------------------------------------------------------------------- blocks */

/* The inverse of block.c, as block.ts has it. */
static double *undo(const cap_block_list *list, const cap_block_place *place, int64_t n,
                    const cap_block_form *form)
{
  const cap_block *block = &list->blocks[place->block];
  uLongf room = 4 << 20;
  unsigned char *bytes = malloc(room);
  double *values = malloc((size_t)n * sizeof *values + 1);
  uint64_t *words = malloc((size_t)n * sizeof *words + 1);
  assert_true(bytes && values && words);
  assert_int_equal(uncompress(bytes, &room, block->bytes, block->size), Z_OK);
  int size = form->single ? 4 : 8;
  assert_true(place->offset + (size_t)(n * size) <= room);
  for (int64_t i = 0; i < n; i++) {
    words[i] = 0;
    for (int k = 0; k < size; k++)
      words[i] |= (uint64_t)bytes[place->offset + (size_t)(k * n + i)] << (8 * k);
    if (place->stride && i >= place->stride) words[i] += words[i - place->stride];
    if (form->single) {
      uint32_t word = (uint32_t)words[i];
      float value;
      memcpy(&value, &word, sizeof value);
      values[i] = form->base + (double)value;
    } else {
      memcpy(&values[i], &words[i], sizeof values[i]);
    }
  }
  free(bytes);
  free(words);
  return values;
}

static void blocks_give_back_what_they_took(void **state)
{
  (void)state;
  enum { N = 60000, ROW = 50 };
  static double smooth[N], rough[N], film[N];
  uint64_t random = 1;
  for (int i = 0; i < N; i++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    smooth[i] = 1e-4 * i;
    rough[i] = i % 97 == 0 ? NAN : i % 89 == 0 ? -INFINITY : 1e-9 * (double)(int64_t)random;
    film[i] = sin(i % ROW) + 1e-3 * i / ROW;
  }
  const struct {
    const double *values;
    int64_t n;
    cap_block_form form;
  } cases[] = {{smooth, N, {.row = 1}},
               {rough, N, {.row = 1}},
               {film, N, {.row = ROW}},
               {film, N, {.single = true, .row = ROW}},
               {smooth, 3, {.single = true}},
               {rough, 0, {.row = 1}},
               {rough, 1, {.row = 1}},
               {smooth, N, {.single = true, .base = 3, .row = 1}},
               {rough, N, {.single = true, .row = 7}}};
  enum { CASES = sizeof cases / sizeof *cases };
  cap_block_list list = {0};
  cap_block_place places[CASES];
  for (int c = 0; c < CASES; c++)
    assert_true(cap_block_add(&list, cases[c].n, cases[c].values, &cases[c].form, &places[c]));
  assert_true(cap_block_finish(&list));
  assert_in_range(list.nblock, 2, CASES);
  assert_int_equal(places[0].stride, 1);
  assert_int_equal(places[2].stride, ROW);
  for (int c = 0; c < CASES; c++) {
    if (cases[c].n == 0) continue;
    double *values = undo(&list, &places[c], cases[c].n, &cases[c].form);
    for (int64_t i = 0; i < cases[c].n; i++) {
      double expected = cases[c].values[i];
      if (cases[c].form.single)
        expected = cases[c].form.base + (double)(float)(expected - cases[c].form.base);
      if (isnan(expected)) assert_true(isnan(values[i]));
      else assert_memory_equal(&values[i], &expected, sizeof expected);
    }
    free(values);
  }
  size_t deflated = 0;
  for (int i = 0; i < list.nblock; i++) deflated += list.blocks[i].size;
  cap_block_free(&list);
  assert_true(deflated < 6u * N * 8 / 2);
}

/* ------------------------------------------------------------------------------------------------ budgets */

static void shares_fit_into_the_page(void **state)
{
  (void)state;
  enum { ARRAYS = 30 };
  cap_results_dataset items[ARRAYS + 2] = {0}, columns[7] = {0};
  for (int i = 0; i < ARRAYS; i++)
    items[i] = (cap_results_dataset){
        .role = CAP_RESULTS_ARRAY, .name = "spectrum", .rank = 1, .dims = {i < 28 ? 100 : 2000000}};
  items[ARRAYS] = (cap_results_dataset){
      .role = CAP_RESULTS_ARRAY, .name = "film.x.*.y", .rank = 2, .dims = {4000, 4000}};
  items[ARRAYS + 1] = (cap_results_dataset){
      .role = CAP_RESULTS_ARRAY, .name = "film.time", .rank = 1, .dims = {4000}};
  cap_results_group group = {
      .name = "a", .nrow = 1 << 28, .ncolumn = 7, .columns = columns, .nitem = ARRAYS + 2, .items = items};
  cap_results_group *groups[] = {&group, &group};
  cap_results_tree tree = {.ngroup = 2, .groups = groups};
  cap_budget b = cap_budget_share(&tree, 10000000);
  /* What is small is whole, what is large shares the rest. */
  assert_true(b.array > 28 * 800 && b.array < 2000000 * 4);
  /* An array that does not fit whole leaves its share to others. */
  double used = 2.0 * (28 * 800 + (double)b.film);
  double table = 32000.0 * 8 * 4 < (double)b.table ? 32000.0 * 8 * 4 : (double)b.table;
  used += 2 * table;
  assert_true(used <= 1e7 && used > 0.9e7);
  /* All of a small result. */
  group.nrow = 100;
  group.nitem = 28;
  b = cap_budget_share(&tree, 10000000);
  assert_true(b.array >= 800 && b.table >= 100 * 7 * 8);
  const cap_results_tree *one = &tree;
  int64_t room = cap_budget_room(500000, 1, &one);
  assert_true(room > 12000000 && room * 4 / 3 < CAP_BUDGET_PAGE - 500000);
}

/* Writes a result with a film and hands it to cap_arrays_put with little room. */
static void a_film_loses_frames_evenly(void **state)
{
  (void)state;
  if (!has_page()) skip();
  enum { FRAMES = 101, MEMBERS = 20 };
  static double time[FRAMES], x[FRAMES * MEMBERS];
  for (int f = 0; f < FRAMES; f++) {
    time[f] = 0.1 * f;
    for (int m = 0; m < MEMBERS; m++) x[f * MEMBERS + m] = f + 0.01 * m;
  }
  cap_error error = {0};
  cap_results *results;
  assert_int_equal(cap_results_create(in_folder("f.h5"), &(cap_results_meta){.model = ""},
                                      (cap_results_options){0}, &results, &error),
                   CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(sink->open(sink, "transient", "transient", ""), CAP_OK);
  sink->array(sink, (cap_column){"film.time", "s", ""}, 1, (int64_t[]){FRAMES}, NULL, time);
  sink->array(sink, (cap_column){"film.a.*.x", "m", ""}, 2, (int64_t[]){FRAMES, MEMBERS}, "film.time,", x);
  sink->array(sink, (cap_column){"other", "m", ""}, 1, (int64_t[]){FRAMES * MEMBERS}, NULL, x);
  sink->close(sink);
  assert_int_equal(cap_results_finish(results, true), CAP_OK);
  cap_results_free(results);

  cap_writer w = {.error = &error, .budget = {.film = FRAMES * (MEMBERS * 4 + 8) / 3, .array = 1000}};
  assert_int_equal(cap_results_read_open(in_folder("f.h5"), &w.file, &error), CAP_OK);
  assert_int_equal(cap_page_start(in_folder("f.html"), &w.page, &error), CAP_OK);
  assert_int_equal(cap_arrays_put(&w, cap_results_read_tree(w.file)->groups[0]), CAP_OK);
  assert_int_equal(cap_page_finish(w.page, &error), CAP_OK);
  char *data = data_of(in_folder("f.html"));
  /* Frames 0, 4, ..., 100: a third would not do with the last one. */
  assert_non_null(
      strstr(data, "\"name\":\"film.time\",\"unit\":\"s\",\"long_name\":\"\",\"axes\":[],\"dims\":[26],"));
  assert_non_null(strstr(data, "\"axes\":[\"film.time\"],\"dims\":[26,20],\"omitted\":false"));
  assert_non_null(strstr(data, "\"dims\":[2020],\"omitted\":true"));
  assert_int_equal(w.nnote, 2);
  assert_non_null(strstr(w.notes[0], "other"));
  assert_non_null(strstr(w.notes[1], "of 101 animation frames the page contains 26, one of every 4"));
  free(data);
  cap_writer_free(&w);
  cap_results_read_close(w.file);
}

/* ----------------------------------------------------------------------------------------------- settings */

static const char rig[] = "capstan: 1\n"
                          "name: a rig\n"
                          "drive: accessory-drive\n"
                          "belt: {kind: flat, length: 1200 mm, stiffness: 76e2 N, novelty: [1 N, {a: 2}]}\n"
                          "pulleys:\n"
                          "  - {name: driver, diameter: 20 cm}\n"
                          "  - name: driven\n"
                          "    diameter: 0.3 m\n"
                          "analyses:\n"
                          "  - modes\n"
                          "  - transient: {until: 1 s}\n";

static char *settings_of(const char *model, int nsetting, const char *const *settings, bool *put)
{
  cap_error error = {0};
  cap_page *page;
  cap_results_meta meta = {.model = model, .nsetting = nsetting, .settings = settings};
  assert_int_equal(cap_page_start(in_folder("s.html"), &page, &error), CAP_OK);
  *put = cap_settings_put(page, &meta);
  assert_int_equal(cap_page_finish(page, &error), CAP_OK);
  return data_of(in_folder("s.html"));
}

static void every_key_has_its_source(void **state)
{
  (void)state;
  if (!has_page()) skip();
  bool put;
  const char *const settings[] = {"pulleys[1].diameter=25 cm", "outputs.every=2 ms"};
  char *data = settings_of(rig, 2, settings, &put);
  assert_true(put);
  static const char *const rows[] = {
      "{\"path\":\"name\",\"value\":\"a rig\",\"line\":2,\"source\":\"model\",\"known\":true}",
      "{\"path\":\"belt.length\",\"value\":\"1200 "
      "mm\",\"unit\":\"m\",\"si\":1.2,\"line\":4,\"source\":\"model\"",
      "{\"path\":\"belt.stiffness\",\"value\":\"76e2 N\",\"unit\":\"N\",\"si\":7600,\"line\":4,",
      "{\"path\":\"belt.novelty\",\"value\":\"[1 N, {a: "
      "2}]\",\"line\":4,\"source\":\"model\",\"known\":false}",
      "{\"path\":\"pulleys[0].diameter\",\"value\":\"20 cm\",\"unit\":\"m\",\"si\":0.2",
      "{\"path\":\"pulleys[1].diameter\",\"value\":\"25 cm\",\"unit\":\"m\",\"si\":0.25,\"source\":\"set\"",
      "{\"path\":\"outputs.every\",\"value\":\"2 ms\",\"unit\":\"s\",\"si\":0.002",
      "{\"path\":\"seed\",\"value\":\"1\",\"source\":\"default\",\"known\":true}",
      "{\"path\":\"analyses[0].modes\",\"value\":\"\",\"line\":10,\"source\":\"model\"",
      "{\"path\":\"analyses[1].transient.until\",\"value\":\"1 s\",\"unit\":\"s\",\"si\":1,\"line\":11,"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (!strstr(data, rows[i])) fail_msg("%s is not in %s", rows[i], data);
  free(data);
  /* A drive that is not known: what is written, and no defaults of its own. */
  data = settings_of("capstan: 7\ndrive: perpetuum\nwheel: {radius: 2 m}\n", 0, NULL, &put);
  assert_true(put);
  assert_non_null(strstr(data,
                         "{\"path\":\"wheel\",\"value\":\"{radius: 2 m}\",\"line\":3,\"source\":\"model\","
                         "\"known\":false}"));
  free(data);
  /* No model file at all. */
  data = settings_of("[1, 2", 0, NULL, &put);
  assert_false(put);
  assert_string_equal(data, "");
  free(data);
}

/* ---------------------------------------------------------------------------------------- several results */

static void write_result(const char *path, const char *name, int nrow, bool complete)
{
  cap_error error = {0};
  cap_results *results;
  const cap_results_meta meta = {.drive = "tensioner-rig", .name = name, .model = "capstan: 1\n"};
  const cap_column columns[] = {{"time", "s", "time"}, {"force", "N", "force"}};
  assert_int_equal(cap_results_create(path, &meta, (cap_results_options){0}, &results, &error), CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  if (nrow > 0) {
    assert_int_equal(sink->open(sink, "transient", "transient", "Transient"), CAP_OK);
    assert_int_equal(sink->columns(sink, 2, columns), CAP_OK);
  }
  for (int i = 0; i < nrow; i++) assert_int_equal(sink->rows(sink, 1, (double[]){0.1 * i, sin(i)}), CAP_OK);
  if (nrow > 0) assert_int_equal(sink->close(sink), CAP_OK);
  assert_int_equal(cap_results_finish(results, complete), CAP_OK);
  cap_results_free(results);
}

static void several_results_make_a_comparison(void **state)
{
  (void)state;
  if (!has_page()) skip();
  write_result(in_folder("a.h5"), "first", 10, true);
  write_result(in_folder("b.h5"), "first", 20, true);
  assert_int_equal(report("a.h5 b.h5 a.h5"), 0);
  assert_told("a-comparison.html\n");
  char *data = data_of(in_folder("a-comparison.html"));
  assert_non_null(strstr(data, "{\"page\":\"compare\","));
  const char *first = strstr(data, "\"file\":\"a\""), *second = strstr(data, "\"file\":\"b\"");
  const char *third = strstr(data, "\"file\":\"a (2)\"");
  assert_true(first && second && third && first < second && second < third);
  free(data);
  assert_int_equal(report("a.h5 b.h5 -o both.html"), 0);
  assert_int_equal(access(in_folder("both.html"), R_OK), 0);
  assert_int_equal(report("a.h5 c.h5 -o c.html"), 2);
  assert_told("c.h5");
  assert_int_equal(report("a.h5 b.h5 -o b.h5"), 2);
  assert_told("b.h5 is not a page of capstan and is not overwritten");
  assert_int_equal(access(in_folder("c.html"), F_OK), -1);
}

/* ---------------------------------------------------------------------------------------- damaged results */

static void a_result_cut_anywhere_is_refused(void **state)
{
  (void)state;
  if (!has_page()) skip();
  enum { PLACES = 120 };
  cap_error error = {0};
  write_result(in_folder("whole.h5"), "whole", 500, true);
  size_t size;
  char *bytes = text_of(in_folder("whole.h5"), &size);
  for (int i = 0; i < PLACES; i++) {
    size_t length = i < 60 ? (size_t)i : i < 70 ? size - (size_t)(i - 59) : size * (size_t)i / PLACES;
    FILE *file = fopen(in_folder("cut.h5"), "wb");
    assert_int_equal(fwrite(bytes, 1, length, file), length);
    assert_int_equal(fclose(file), 0);
    cap_status status = cap_report_write(in_folder("cut.h5"), in_folder("cut.html"), &error);
    assert_int_equal(status, CAP_ERR_IO);
    if (!strstr(error.text, "not an HDF5 file") && !strstr(error.text, "damaged"))
      fail_msg("cut at %zu: %s", length, error.text);
    assert_int_equal(access(in_folder("cut.html"), F_OK), -1);
  }
  free(bytes);
  assert_int_equal(report("cut.h5"), 2);
  assert_told("capstan: ");
}

static void set_integer(const char *path, const char *name, int64_t value)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), meta = H5Gopen2(file, "meta", H5P_DEFAULT);
  hid_t attribute = H5Aopen(meta, name, H5P_DEFAULT);
  assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, &value) >= 0);
  H5Aclose(attribute);
  H5Gclose(meta);
  assert_true(H5Fclose(file) >= 0);
}

static void set_text(const char *path, const char *name, const char *value)
{
  hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), meta = H5Gopen2(file, "meta", H5P_DEFAULT);
  hid_t attribute = H5Aopen(meta, name, H5P_DEFAULT), type = H5Aget_type(attribute);
  assert_true(H5Tget_size(type) == strlen(value) + 1 && H5Awrite(attribute, type, value) >= 0);
  H5Tclose(type);
  H5Aclose(attribute);
  H5Gclose(meta);
  assert_true(H5Fclose(file) >= 0);
}

static void odd_results_say_what_they_are(void **state)
{
  (void)state;
  if (!has_page()) skip();
  cap_error error = {0};
  write_result(in_folder("empty.h5"), "empty", 0, true);
  assert_int_equal(cap_report_write(in_folder("empty.h5"), in_folder("empty.html"), &error), CAP_OK);
  char *data = data_of(in_folder("empty.html"));
  assert_non_null(strstr(data, "\"groups\":[],\"notes\":[]"));
  free(data);

  write_result(in_folder("half.h5"), "half", 30, false);
  assert_int_equal(cap_report_write(in_folder("half.h5"), in_folder("half.html"), &error), CAP_OK);
  data = data_of(in_folder("half.html"));
  assert_non_null(strstr(data, "\"complete\":false"));
  free(data);

  rename(in_folder("half.h5"), in_folder("run.h5.part"));
  assert_int_equal(report("run.h5"), 2);
  assert_told("only 'run.h5.part' exists, from a run that has not finished");
  assert_int_equal(report("run.h5.part"), 0);
  assert_told("run.html");

  write_result(in_folder("old.h5"), "old", 30, true);
  set_text(in_folder("old.h5"), "capstan_version", "0.0.7");
  reseal(in_folder("old.h5"));
  assert_int_equal(cap_report_write(in_folder("old.h5"), in_folder("old.html"), &error), CAP_OK);
  data = data_of(in_folder("old.html"));
  assert_non_null(
      strstr(data, "\"notes\":[\"The result was written by Capstan 0.0.7, this page by Capstan "));
  free(data);

  set_integer(in_folder("old.h5"), "format", 4);
  reseal(in_folder("old.h5"));
  assert_int_equal(report("old.h5 -o newer.html"), 2);
  assert_told("result format 4, this program reads formats 1 to 3");
  assert_int_equal(access(in_folder("newer.html"), F_OK), -1);
}

/* The bytes of a page, its blocks inflated, do not contain the word. */
static void assert_untold(const char *path, const char *word)
{
  size_t size;
  char *text = text_of(path, &size);
  if (strcasestr(text, word)) fail_msg("%s tells of %s: %.80s", path, word, strcasestr(text, word));
  free(text);
}

static void nobody_hears_where_a_page_was_made(void **state)
{
  (void)state;
  if (!has_page()) skip();
  char command[1600], host[128] = "";
  snprintf(
      command, sizeof command,
      "{ cd '%s' && mkdir -p home/erika.tellmann && cp '%s'/examples/tensioner_loop.csv home/erika.tellmann "
      "&& "
      "sed \"s#: tensioner_loop.csv#: $PWD/home/erika.tellmann/tensioner_loop.csv#\" "
      "'%s'/examples/tensioner_rig_measured.yaml >home/erika.tellmann/m.yaml && "
      "cd home/erika.tellmann && '%s' run \"$PWD/m.yaml\" -o \"$PWD/m.h5\" --quiet && "
      "'%s' report \"$PWD/m.h5\" && "
      "cd .. && '%s' identify erika.tellmann/tensioner_loop.csv -o erika.tellmann/i.h5 && "
      "'%s' report erika.tellmann/i.h5 erika.tellmann/m.h5",
      folder, CAPSTAN_SOURCE_DIR, CAPSTAN_SOURCE_DIR, CAPSTAN_PROGRAM, CAPSTAN_PROGRAM, CAPSTAN_PROGRAM,
      CAPSTAN_PROGRAM);
  strcat(command, "; } >/dev/null 2>&1");
  assert_int_equal(system(command), 0);
  assert_int_equal(gethostname(host, sizeof host - 1), 0);
  static const char *const pages[] = {"home/erika.tellmann/m.html", "home/erika.tellmann/i-comparison.html"};
  for (int i = 0; i < 2; i++) {
    assert_untold(in_folder(pages[i]), "tellmann");
    assert_untold(in_folder(pages[i]), folder);
    assert_untold(in_folder(pages[i]), CAPSTAN_SOURCE_DIR);
    if (strlen(host) > 5) assert_untold(in_folder(pages[i]), host);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_give_back_what_they_took),
      cmocka_unit_test(shares_fit_into_the_page),
      cmocka_unit_test_setup_teardown(a_film_loses_frames_evenly, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(every_key_has_its_source, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(several_results_make_a_comparison, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(a_result_cut_anywhere_is_refused, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(odd_results_say_what_they_are, make_folder, remove_folder),
      cmocka_unit_test_setup_teardown(nobody_hears_where_a_page_was_made, make_folder, remove_folder),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
