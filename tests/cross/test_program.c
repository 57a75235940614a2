/* The program as a user meets it: exit codes, messages, files that are there and files that are not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../support/program.h"

#include "../support/system.h"

#include "../support/run.h"

#include <dirent.h>
#include <sys/mount.h>
#include <sys/resource.h>

static program_result r;

static void expect(int code, const char *in_err)
{
  if (r.code != code) fail_msg("exit code %d instead of %d; it said: %s", r.code, code, r.err);
  if (in_err && !strstr(r.err, in_err)) fail_msg("\"%s\" is not in: %s", in_err, r.err);
}

/* Files in the present folder, without those of the test itself. */
static int count_files(void)
{
  DIR *folder = opendir(".");
  int n = 0;
  assert_non_null(folder);
  for (struct dirent *entry; (entry = readdir(folder));) n += entry->d_name[0] != '.';
  closedir(folder);
  return n;
}

static const char SHORT[] = TEST_BELT TEST_MASING "analyses: [{transient: {until: 0.1 s}}]\n";

/* ---- usage --------------------------------------------------------------------------------------------- */

static void usage_errors_say_what_is_wrong(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  PROGRAM(&r, "rnu", "m.yaml");
  expect(2, "unknown command \"rnu\"; did you mean \"run\"?");
  PROGRAM(&r, "frobnicate");
  expect(2, "unknown command \"frobnicate\"\n");
  PROGRAM(&r, "run");
  expect(2, "an argument is missing: MODEL.yaml");
  PROGRAM(&r, "run", "m.yaml", "--quite");
  expect(2, "unknown option --quite; did you mean --quiet?");
  PROGRAM(&r, "run", "m.yaml", "-o");
  expect(2, "-o needs a value: OUT.h5");
  PROGRAM(&r, "run", "m.yaml", "n.yaml");
  expect(2, "unexpected argument \"n.yaml\"");
  const char *bad[] = {"0", "-1", "two", "1.5", "", "99999999999999999999", "3000000000"};
  for (int k = 0; k < 7; k++) {
    PROGRAM(&r, "run", "m.yaml", "--threads", bad[k]);
    expect(2, "--threads: expected a whole number from 1 to 2147483647, got");
  }
  PROGRAM(&r, "run", "nowhere.yaml");
  expect(2, "nowhere.yaml: cannot be opened");
  PROGRAM(&r, "run", "m.yaml", "--set", "lod.amplitude=13 N");
  expect(2, "did you mean \"load\"?");
  PROGRAM(&r, "run", "m.yaml", "--set", "load.amplitude=13 m");
  expect(2, "load.amplitude");
  assert_int_equal(count_files(), 1); /* nothing but the model */
}

static void help_and_version(void **state)
{
  (void)state;
  const char *commands[] = {"run", "check", "report", "export", "schema"};
  PROGRAM(&r, "--version");
  expect(0, NULL);
  assert_int_equal(strncmp(r.out, "capstan ", 8), 0);
  PROGRAM(&r, "--help");
  expect(0, NULL);
  for (int k = 0; k < 5; k++) {
    char line[64];
    snprintf(line, sizeof line, "\n  %s  ", commands[k]);
    assert_non_null(strstr(r.out, line));
  }
  for (int k = 0; k < 5; k++) {
    program_result own;
    PROGRAM(&own, commands[k], "--help");
    assert_int_equal(own.code, 0);
    assert_non_null(strstr(own.out, "usage: capstan"));
  }
  assert_int_equal(program_run(&r, (const char *const[]){NULL}), 2);
}

/* ---- models -------------------------------------------------------------------------------------------- */

static void a_bad_model_is_refused_with_its_place(void **state)
{
  (void)state;
  program_write("bad.yaml", "capstan: 1\nname: t\ndrive: belt-tensioner-mass\n"
                            "masses: {mass: 73.84 kg, puley: 0.15 kg}\n" /* line 4 */
                            "belt: {stiffness: 560 kg, damping: 160 N s/m}\n" TEST_MASING
                            "load: {amplitude: 100 N, angular_frequency: 60 rad/s}\n"
                            "analyses: [{transient: {until: 0.1 s, methd: exact}}]\n");
  PROGRAM(&r, "run", "bad.yaml", "-o", "out.h5");
  expect(2, "bad.yaml:4:");
  expect(2, "did you mean \"pulley\"?");
  expect(2, "bad.yaml:5:");
  expect(2, "belt.stiffness");
  expect(2, "560 kg");
  expect(2, "did you mean \"method\"?"); /* all findings at once */
  PROGRAM(&r, "check", "bad.yaml");
  expect(2, "bad.yaml:4:");
  assert_int_equal(count_files(), 1);
}

static void methods_that_do_not_suit_are_refused(void **state)
{
  (void)state;
  program_write("m.yaml", TEST_BELT TEST_MASING "analyses: [{transient: {until: 0.1 s, method: rk4}}]\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5");
  expect(2, "dry friction");
  expect(2, "midpoint");
  program_write("m.yaml", TEST_BELT TEST_DAHL "analyses: [{transient: {until: 0.1 s, method: exact}}]\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5");
  expect(2, "it has a nonlinear element");
  program_write("m.yaml", TEST_BELT "tensioner: {law: coulomb, k0: 2.34e5 N/m, alpha: 163 N}\n"
                                    "analyses: [{statics: {}}, {modes: {friction: stuck}}]\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5");
  expect(2, "tensioner.slider is Coulomb friction without compliance");
  program_write("m.yaml", TEST_BELT TEST_MASING "analyses: [{transient: {until: 0.1 s}}]\n"
                                                "outputs: {channels: [belt.tention]}\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5");
  expect(2, "belt.tension"); /* lists what there is */
  assert_int_equal(count_files(), 1);
}

static void check_says_what_would_be_simulated(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  const char *words[] = {
      "m.yaml: valid", "belt-tensioner-mass",  "lower mass",  "friction force", "transient",
      "exact",         "2 free, 0 prescribed", "mass pulley", "1 slider",       "belt.tension"};
  for (int verbose = 0; verbose < 2; verbose++) {
    PROGRAM(&r, "check", "m.yaml", verbose ? "--verbose" : "--color=never");
    expect(0, NULL);
    for (int k = 0; k < 10; k++)
      if ((verbose || k < 6) != (strstr(r.out, words[k]) != NULL))
        fail_msg("\"%s\" is%s in: %s", words[k], verbose || k < 6 ? " not" : "", r.out);
  }
  PROGRAM(&r, "check", "m.yaml", "--set", "load.amplitude=-1 N");
  expect(2, "load.amplitude");
  assert_int_equal(count_files(), 1);
}

/* ---- failures ------------------------------------------------------------------------------------------ */

/* Too large a step for an explicit method: it must stop and say when, which body and what. */
static void a_run_that_blows_up_stops_and_says_where(void **state)
{
  (void)state;
  program_write("m.yaml", TEST_BELT TEST_DAHL
                "analyses: [{transient: {until: 2 s, method: rk4, step: 2 ms}}]\noutputs: {every: 10 ms}\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5", "--quiet");
  expect(1, "at t = ");
  expect(1, "not finite");
  assert_true(strstr(r.err, "of mass") || strstr(r.err, "of pulley") || strstr(r.err, "of tensioner"));
  expect(1, "out.h5");
  test_result file = test_result_open("out.h5");
  assert_false(cap_results_read_tree(file.file)->complete);
  int64_t n;
  double *tension = test_values(&file, "transient", "belt.tension", &n);
  for (int64_t k = 0; k < n; k++)
    assert_true(isfinite(tension[k])); /* nothing that is not a number is kept */
  free(tension);
  cap_results_read_close(file.file);
}

static void statics_without_a_hold_fails(void **state)
{
  (void)state;
  program_write("m.yaml", TEST_BELT "tensioner: {law: linear, k0: 0 N/m}\nanalyses: [{statics: {}}]\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5", "--quiet");
  expect(1, "singular");
}

/* ---- places to write ----------------------------------------------------------------------------------- */

static void places_that_cannot_be_written(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  program_write("file", "");
  assert_int_equal(mkdir("folder", 0777), 0);
  PROGRAM(&r, "run", "m.yaml", "-o", "folder");
  expect(2, "directory");
  PROGRAM(&r, "run", "m.yaml", "-o", "missing/out.h5");
  expect(2, "missing/out.h5");
  PROGRAM(&r, "run", "m.yaml", "-o", "file/out.h5");
  expect(2, "file/out.h5");
  PROGRAM(&r, "run", "m.yaml", "-o", "/proc/out.h5");
  expect(2, "/proc/out.h5");
  if (geteuid() != 0) { /* the super-user may write anywhere */
    assert_int_equal(chmod("folder", 0555), 0);
    PROGRAM(&r, "run", "m.yaml", "-o", "folder/out.h5");
    expect(2, "folder/out.h5");
  }
  assert_int_equal(count_files(), 3);
}

/* A complete result is not touched by a run that fails. */
static void an_old_result_survives(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  program_write("blows.yaml",
                TEST_BELT TEST_DAHL "analyses: [{transient: {until: 2 s, method: rk4, step: 2 ms}}]\n");
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5", "--quiet");
  expect(0, NULL);
  PROGRAM(&r, "run", "m.yaml", "-o", "copy.h5", "--quiet");
  PROGRAM(&r, "run", "blows.yaml", "-o", "out.h5", "--quiet");
  expect(2, "out.h5 already holds a result (t): --force overwrites it");
  PROGRAM(&r, "run", "blows.yaml", "-o", "out.h5", "--quiet", "--force");
  expect(1, NULL);
  program_same("out.h5", "copy.h5");
}

static const char LARGE[] = TEST_BELT TEST_MASING
    "analyses: [{transient: {until: 2 s}}]\noutputs: {every: 0.1 ms}\n";

/* A file system of 200 kB: the result takes 2 MB. */
static void a_full_disk_is_told(void **state)
{
  (void)state;
  program_write("m.yaml", LARGE);
  assert_int_equal(mkdir("disk", 0777), 0);
  if (mount("capstan", "disk", "tmpfs", 0, "size=200k") != 0) {
    print_message("  no file system can be mounted here: left out\n");
    return;
  }
  PROGRAM(&r, "run", "m.yaml", "-o", "disk/out.h5", "--quiet");
  bool final = program_exists("disk/out.h5");
  assert_int_equal(umount("disk"), 0);
  assert_true(r.code == 1 || r.code == 2);
  expect(r.code, "No space left");
  assert_false(final); /* no half file under the final name */
}

/* The same by a limit on the size of files, which needs no privilege. */
static void a_file_size_limit_is_told(void **state)
{
  (void)state;
  program_write("m.yaml", LARGE);
  struct rlimit old, small = {200 * 1024, 200 * 1024};
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
  small.rlim_max = old.rlim_max;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  PROGRAM(&r, "run", "m.yaml", "-o", "out.h5", "--quiet");
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
  assert_true(r.code == 1 || r.code == 2);
  expect(r.code, "out.h5");
  assert_false(program_exists("out.h5"));
}

/* ---- results, export, schema --------------------------------------------------------------------------- */

static void a_run_prints_where_its_result_is(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  PROGRAM(&r, "run", "m.yaml");
  expect(0, "energy residual");
  assert_string_equal(r.out, "m.h5\n");
  assert_true(program_exists("m.h5") && !program_exists("m.h5.part"));
  PROGRAM(&r, "run", "m.yaml", "-o", "other.h5", "--quiet");
  expect(0, NULL);
  assert_string_equal(r.out, "other.h5\n");
  assert_string_equal(r.err, "");
  program_same("m.h5", "other.h5");
}

static void export_writes_csv(void **state)
{
  (void)state;
  program_write("m.yaml", SHORT);
  PROGRAM(&r, "run", "m.yaml", "--quiet");
  expect(0, NULL);
  PROGRAM(&r, "export", "m.h5");
  expect(2, "--csv");
  PROGRAM(&r, "export", "none.h5", "--csv", "out");
  expect(2, "none.h5");
  PROGRAM(&r, "export", "m.h5", "--csv", "out");
  expect(0, NULL);
  char text[PROGRAM_TEXT];
  program_read("out/transient.csv", text);
  assert_int_equal(strncmp(text, "time [s],belt.tension [N],", 26), 0);
  /* the last complete line that was read has as many cells as the header */
  int commas = 0, header = 0, rows = 0;
  for (char *c = text; *c; c++) {
    commas += *c == ',';
    if (*c != '\n') continue;
    if (rows++ == 0) header = commas;
    assert_int_equal(commas, header);
    commas = 0;
  }
  assert_true(rows > 100);
}

static int tool(const char *command)
{
  int status = system(command);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void the_schema_is_json(void **state)
{
  (void)state;
  PROGRAM(&r, "schema");
  expect(0, NULL);
  assert_int_equal(r.out[0], '{');
  assert_non_null(strstr(r.out, "\"$schema\""));
  assert_non_null(strstr(r.out, "belt-tensioner-mass"));
  if (tool("python3 -c 'import json; json.load(open(\".out\"))' 2>.json") == 0) return;
  if (tool("python3 --version >/dev/null 2>&1") == 0) fail_msg("python3 does not take it for JSON");
  if (tool("node -e 'JSON.parse(require(\"fs\").readFileSync(\".out\"))' 2>.json") == 0) return;
  if (tool("node --version >/dev/null 2>&1") == 0) fail_msg("node does not take it for JSON");
  print_message("  neither python3 nor node is here: only the ends were looked at\n");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, program_enter, program_leave)

int main(void)
{
  const struct CMUnitTest tests[] = {
      IN_FOLDER(usage_errors_say_what_is_wrong),
      IN_FOLDER(help_and_version),
      IN_FOLDER(a_bad_model_is_refused_with_its_place),
      IN_FOLDER(methods_that_do_not_suit_are_refused),
      IN_FOLDER(check_says_what_would_be_simulated),
      IN_FOLDER(a_run_that_blows_up_stops_and_says_where),
      IN_FOLDER(statics_without_a_hold_fails),
      IN_FOLDER(places_that_cannot_be_written),
      IN_FOLDER(an_old_result_survives),
      IN_FOLDER(a_full_disk_is_told),
      IN_FOLDER(a_file_size_limit_is_told),
      IN_FOLDER(a_run_prints_where_its_result_is),
      IN_FOLDER(export_writes_csv),
      IN_FOLDER(the_schema_is_json),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
