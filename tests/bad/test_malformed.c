/* Malformed model files, study files (NNN-study-name.yaml) and CSV files: each must be refused with the
 * message that stands with it.
 *
 * tests/bad/NNN-name.yaml starts with comment lines "# expect: TEXT" (one for each finding, in the order of
 * places) and "# set: PATH=VALUE" (settings to apply). Files that cannot carry a comment, and all CSV files,
 * have NNN-name.expect beside them with one TEXT a line. A TEXT starting with ":" follows the file's own
 * name. Every mismatch is told.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "io/csv.h"
#include "io/execute.h"
#include "io/model_file.h"
#include "study/study_file.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_LINES = 32, LONGEST_LINE = 1200, LEAST_FILES = 200 };

typedef struct expectation {
  int nline, nsetting;
  char lines[MOST_LINES][LONGEST_LINE];
  char settings[MOST_LINES][LONGEST_LINE];
} expectation;

static bool ends_with(const char *text, const char *end)
{
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void take_line(char *to, const char *from)
{
  snprintf(to, LONGEST_LINE, "%s", from);
  to[strcspn(to, "\r\n")] = 0;
}

/* From the comments at the top, or from the file beside it. */
static bool read_expectation(const char *name, expectation *e)
{
  char path[300], line[LONGEST_LINE];
  *e = (expectation){0};
  snprintf(path, sizeof path, "%.*s.expect", (int)(strrchr(name, '.') - name), name);
  FILE *beside = fopen(path, "r"), *stream = beside ? beside : fopen(name, "r");
  if (!stream) return false;
  while (fgets(line, sizeof line, stream) && e->nline < MOST_LINES && e->nsetting < MOST_LINES) {
    if (beside) take_line(e->lines[e->nline++], line);
    else if (strncmp(line, "# expect: ", 10) == 0) take_line(e->lines[e->nline++], line + 10);
    else if (strncmp(line, "# set: ", 7) == 0) take_line(e->settings[e->nsetting++], line + 7);
    else break;
  }
  fclose(stream);
  return e->nline > 0;
}

static cap_status read_model(const char *name, const expectation *e, cap_diag *diag)
{
  const char *settings[MOST_LINES];
  for (int i = 0; i < e->nsetting; i++) settings[i] = e->settings[i];
  cap_model_file *file = NULL;
  cap_error error = {0};
  cap_status status = cap_model_file_read(name, e->nsetting, settings, &file, diag);
  if (status == CAP_OK) status = cap_execute_check(file, diag, &error); /* what only the model shows */
  cap_model_file_free(file);
  return status;
}

static bool is_study(const char *name)
{
  return strncmp(name + strspn(name, "0123456789"), "-study-", 7) == 0;
}

static cap_status read_study(const char *name, cap_diag *diag)
{
  cap_study *study = NULL;
  cap_status status = cap_study_file_read(name, &study, diag);
  cap_study_free(study);
  return status;
}

static cap_status read_csv(const char *name, cap_diag *diag)
{
  cap_arena arena = {0};
  cap_csv csv;
  cap_units *units = cap_units_create();
  cap_diag_init(diag, "model.yaml");
  cap_status status = units ? cap_csv_read(name, units, &arena, diag, &csv) : CAP_ERR_NOMEM;
  cap_units_free(units);
  cap_arena_free(&arena);
  return status;
}

/* Whether what was said is, line by line, what was expected. */
static bool as_expected(const char *name, const expectation *e, const char *said)
{
  for (int i = 0; i < e->nline; i++) {
    char wanted[2 * LONGEST_LINE];
    snprintf(wanted, sizeof wanted, "%s%s", e->lines[i][0] == ':' ? name : "", e->lines[i]);
    size_t n = strcspn(said, "\n");
    if (strlen(wanted) != n || strncmp(said, wanted, n) != 0) return false;
    said += n + (said[n] == '\n');
  }
  return !*said;
}

static bool refused_as_expected(const char *name)
{
  static expectation e;
  if (!read_expectation(name, &e)) {
    print_error("%s: no expectation\n", name);
    return false;
  }
  cap_diag diag;
  cap_status status = ends_with(name, ".csv") ? read_csv(name, &diag)
                      : is_study(name)        ? read_study(name, &diag)
                                              : read_model(name, &e, &diag);
  const char *said = cap_diag_text(&diag);
  bool good = status == CAP_ERR_INPUT && as_expected(name, &e, said);
  if (!good) {
    print_error("%s: status %d, said:\n%sexpected:\n", name, status, said);
    for (int i = 0; i < e.nline; i++) print_error("%s\n", e.lines[i]);
  }
  cap_diag_free(&diag);
  return good;
}

static int is_case(const struct dirent *entry)
{
  const char *name = entry->d_name;
  return isdigit((unsigned char)name[0]) && (ends_with(name, ".yaml") || ends_with(name, ".csv"));
}

static struct dirent **list_cases(int *n)
{
  struct dirent **entries = NULL;
  if (chdir(CAPSTAN_SOURCE_DIR "/tests/bad") != 0) fail_msg("no tests/bad");
  *n = scandir(".", &entries, is_case, alphasort);
  if (*n < LEAST_FILES) fail_msg("only %d files in tests/bad", *n);
  return entries;
}

static void every_file(void **state)
{
  (void)state;
  int n, wrong = 0;
  struct dirent **entries = list_cases(&n);
  for (int i = 0; i < n; i++) {
    if (!refused_as_expected(entries[i]->d_name)) wrong++;
    free(entries[i]);
  }
  free(entries);
  print_message("%d malformed files, %d not refused as expected\n", n, wrong);
  assert_int_equal(wrong, 0);
}

/* ---- the program itself: exit code 2, the findings on the error output, nothing computed,
 * nothing written ---- */

enum { MOST_ARGUMENTS = 2 * MOST_LINES + 8 };

/* With sanitizers a process takes ten times as long to start, and the reader has seen every file already. */
#if defined(__SANITIZE_ADDRESS__)
enum { PROGRAM_EVERY = 5 };
#else
enum { PROGRAM_EVERY = 1 };
#endif

static int run_program(const char *name, const char *folder, const expectation *e)
{
  char output[300], errors[300];
  snprintf(output, sizeof output, "%s/out.h5", folder);
  snprintf(errors, sizeof errors, "%s.errors", folder);
  const char *arguments[MOST_ARGUMENTS] = {CAPSTAN_PROGRAM, is_study(name) ? "study" : "run", name, "-o",
                                           output};
  int n = 5;
  for (int i = 0; i < e->nsetting; i++) arguments[n++] = "--set", arguments[n++] = e->settings[i];
  pid_t child = fork();
  if (child == 0) {
    if (freopen(errors, "w", stderr) && freopen("/dev/null", "r", stdin)) {
      dup2(fileno(stderr), fileno(stdout)); /* anything on the standard output spoils the comparison */
      execv(CAPSTAN_PROGRAM, (char *const *)arguments);
    }
    _exit(127);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

static bool told_by_program(const char *name, const char *folder, const expectation *e)
{
  char errors[300], *said = calloc(1, 65536);
  snprintf(errors, sizeof errors, "%s.errors", folder);
  FILE *stream = fopen(errors, "r");
  bool good = stream && said && fread(said, 1, 65535, stream) > 0 && as_expected(name, e, said);
  if (!good) print_error("%s: the program said:\n%s", name, said ? said : "");
  if (stream) fclose(stream);
  free(said);
  return good;
}

static int visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static int count_files(const char *folder)
{
  struct dirent **entries = NULL;
  int n = scandir(folder, &entries, visible, NULL);
  for (int i = 0; i < n; i++) free(entries[i]);
  free(entries);
  return n;
}

static bool program_refuses(const char *name, const char *folder)
{
  static expectation e;
  if (!read_expectation(name, &e)) return false;
  int code = run_program(name, folder, &e);
  if (code != 2) print_error("%s: exit code %d\n", name, code);
  int written = count_files(folder);
  if (written != 0) print_error("%s: %d files were written\n", name, written);
  return told_by_program(name, folder, &e) && code == 2 && written == 0;
}

static void program(void **state)
{
  (void)state;
  char folder[] = "/tmp/capstan-bad-XXXXXX", errors[64];
  assert_non_null(mkdtemp(folder));
  int n, wrong = 0, models = 0;
  struct dirent **entries = list_cases(&n);
  int before = count_files(".");
  for (int i = 0; i < n; i++) {
    const char *name = entries[i]->d_name;
    if (ends_with(name, ".yaml") && i % PROGRAM_EVERY == 0) {
      models++;
      if (!program_refuses(name, folder)) wrong++;
    }
    free(entries[i]);
  }
  free(entries);
  assert_int_equal(count_files("."), before);
  snprintf(errors, sizeof errors, "%s.errors", folder);
  unlink(errors);
  rmdir(folder);
  print_message("%d malformed models given to the program, %d not refused as expected\n", models, wrong);
  assert_int_equal(wrong, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_file), cmocka_unit_test(program)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
