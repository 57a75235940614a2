/* Bit rot: single bits of the results of five drives are flipped, anywhere, and every one of them is seen
 * before anything is read. And what `capstan verify` says of results that are whole, damaged, unbalanced or
 * not finite. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/level.h"
#include "../support/program.h"
#include "io/results.h"
#include "io/results_read.h"

static const char *const EXAMPLES[] = {"two_pulley", "den_hartog", "rolling_sleigh", "incline",
                                       "tensioner_rig"};

static unsigned char *bytes_of(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(fread(bytes, 1, *size, file), *size);
  fclose(file);
  return bytes;
}

static uint64_t next(uint64_t *state)
{
  *state ^= *state << 13;
  *state ^= *state >> 7;
  return *state ^= *state << 17;
}

static void compute(const char *example)
{
  char model[300];
  program_result r;
  snprintf(model, sizeof model, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, example);
  PROGRAM(&r, "run", model, "-o", "r.h5", "--quiet", "--force");
  if (r.code != 0) fail_msg("%s ends with %d: %s", example, r.code, r.err);
}

static void flip(int fd, const unsigned char *bytes, size_t bit)
{
  unsigned char byte = (unsigned char)(bytes[bit / 8] ^ 1 << bit % 8);
  assert_int_equal(pwrite(fd, &byte, 1, (off_t)(bit / 8)), 1);
}

static void every_flip_is_seen(void **state)
{
  (void)state;
  int each = test_all("4000 flips in each file in place of 100") ? 4000 : 100, seen = 0;
  uint64_t random = 20261119;
  for (size_t k = 0; k < sizeof EXAMPLES / sizeof *EXAMPLES; k++) {
    size_t size;
    compute(EXAMPLES[k]);
    unsigned char *bytes = bytes_of("r.h5", &size);
    int fd = open("r.h5", O_RDWR);
    for (int i = 0; i < each; i++) {
      size_t bit = (size_t)(next(&random) % (8 * size));
      cap_error error = {0};
      cap_results_file *file = NULL;
      flip(fd, bytes, bit);
      if (cap_results_read_open("r.h5", &file, &error) == CAP_OK)
        fail_msg("%s: bit %zu of %zu is flipped, and nobody sees it", EXAMPLES[k], bit, 8 * size);
      assert_non_null(strstr(error.text, "result file"));
      seen++;
      assert_int_equal(pwrite(fd, bytes + bit / 8, 1, (off_t)(bit / 8)), 1);
    }
    cap_results_file *file = NULL;
    assert_int_equal(cap_results_read_open("r.h5", &file, NULL), CAP_OK);
    cap_results_read_close(file);
    close(fd);
    free(bytes);
  }
  print_message("  %d of %d flips in %zu files are seen\n", seen, seen, sizeof EXAMPLES / sizeof *EXAMPLES);
}

/* The program says so, and shows nothing of it. */
static void damaged_results_are_refused(void **state)
{
  (void)state;
  program_result r;
  size_t size;
  compute(EXAMPLES[0]);
  PROGRAM(&r, "verify", "r.h5");
  assert_int_equal(r.code, 0);
  assert_non_null(strstr(r.out, "r.h5: whole: "));
  assert_non_null(strstr(r.out, "energy residual at most"));
  unsigned char *bytes = bytes_of("r.h5", &size);
  int fd = open("r.h5", O_RDWR);
  flip(fd, bytes, 8 * (size / 2));
  close(fd);
  free(bytes);
  PROGRAM(&r, "verify", "r.h5", "--quiet");
  assert_int_equal(r.code, 1);
  assert_string_equal(r.out, "");
  assert_non_null(strstr(r.err, "r.h5: damaged result file: its bytes are not those that were written"));
  PROGRAM(&r, "verify", "r.h5", "--json");
  assert_int_equal(r.code, 1);
  assert_non_null(strstr(r.out, "\"status\": \"damaged\""));
  PROGRAM(&r, "report", "r.h5");
  assert_int_equal(r.code, 2);
  assert_false(program_exists("r.html"));
  PROGRAM(&r, "export", "r.h5", "--csv", "csv");
  assert_int_equal(r.code, 2);
  assert_false(program_exists("csv"));
  PROGRAM(&r, "verify", "none.h5");
  assert_int_equal(r.code, 2);
}

/* One table of two columns, with a balance that leaves `lost` of 1 J. */
static void write_result(double time, double x, double lost)
{
  cap_error error = {0};
  cap_results *results = NULL;
  cap_results_meta meta = {.model = "capstan: 2\n"};
  unlink("made.h5");
  assert_int_equal(cap_results_create("made.h5", &meta, (cap_results_options){0}, &results, &error), CAP_OK);
  cap_sink *sink = cap_results_sink(results);
  assert_int_equal(sink->open(sink, "transient", "transient", ""), CAP_OK);
  assert_int_equal(sink->columns(sink, 2, (cap_column[]){{"time", "s", ""}, {"x", "m", ""}}), CAP_OK);
  assert_int_equal(sink->rows(sink, 2, (double[]){0, 1, time, x}), CAP_OK);
  assert_int_equal(
      sink->balance(sink, 2, (cap_balance_line[]){{"load", "input", 1}, {"arm", "stored", 1 - lost}}),
      CAP_OK);
  assert_int_equal(sink->close(sink), CAP_OK);
  assert_int_equal(cap_results_finish(results, true), CAP_OK);
  cap_results_free(results);
}

static void verify_judges_what_was_written(void **state)
{
  static const struct {
    double time, x, lost;
    int code;
    const char *says; /* on the output, or among the errors where it is wrong */
  } cases[] = {
      {1, 2, 0, 0, "made.h5: whole: 1 group, 4 values, energy residual at most 0"},
      {1, 2, 0.0009, 0, "energy residual at most 0.0009"},
      {1, 2, 0.002, 0, "made.h5: transient: energy residual 0.002 J of 1 J (0.002)"},
      {1, 2, 0.02, 1, "made.h5: transient: energy residual 0.02 J of 1 J (0.02)"},
      {1, 2, NAN, 1, "the energy balance has NaN in it"},
      {1, NAN, 0, 0, "made.h5: transient: NaN among the values of x"},
      {NAN, 2, 0, 1, "made.h5: transient: time: 1 of 2 values are NaN"},
      {1, -INFINITY, 0, 1, "made.h5: transient: x: 1 of 2 values are infinite"},
  };
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    program_result r;
    write_result(cases[k].time, cases[k].x, cases[k].lost);
    PROGRAM(&r, "verify", "made.h5");
    if (r.code != cases[k].code || !strstr(cases[k].code ? r.err : r.out, cases[k].says))
      fail_msg("expected %d and \"%s\", got %d: %s%s", cases[k].code, cases[k].says, r.code, r.out, r.err);
  }
}

/* Results of before are read, and the program says that nothing shows whether they are whole. */
static void results_of_before_are_told(void **state)
{
  (void)state;
  program_result r;
  static const char *const old = CAPSTAN_SOURCE_DIR "/tests/data/results_format2.h5";
  PROGRAM(&r, "verify", old);
  assert_int_equal(r.code, 0);
  assert_non_null(strstr(r.out, "a result of format 2, which has no digest"));
  PROGRAM(&r, "report", old, "-o", "old.html");
  assert_int_equal(r.code, 0);
  assert_non_null(strstr(r.err, "has no digest"));
  PROGRAM(&r, "export", old, "--csv", "csv", "--vtk", "vtk");
  assert_int_equal(r.code, 0);
  const char *warning = strstr(r.err, "has no digest");
  assert_true(warning && !strstr(warning + 1, "has no digest")); /* once */
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(every_flip_is_seen, program_enter, program_leave),
      cmocka_unit_test_setup_teardown(damaged_results_are_refused, program_enter, program_leave),
      cmocka_unit_test_setup_teardown(verify_judges_what_was_written, program_enter, program_leave),
      cmocka_unit_test_setup_teardown(results_of_before_are_told, program_enter, program_leave),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
