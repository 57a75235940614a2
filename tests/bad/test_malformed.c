/* Malformed models, studies and CSV files: each must be refused with all its findings, no more and no fewer,
 * each at its line, column and key, and with words that say what is meant.
 *
 * The cases stand in tables, tests/bad/<subject>.cases; table.h says how they are written. Each is read by
 * the library, then given to the subcommand in this process: exit code 2, the same findings on the error
 * output, nothing on the standard output, nothing written. The program itself gets one case of every table.
 *
 * The wording is held by tests/bad/golden.txt alone, some 70 messages in full: scripts/renew_golden.sh writes
 * it anew (CAPSTAN_RENEW_GOLDEN=1 of this test), and `git diff` shows what a user will read. With
 * CAPSTAN_ALL_MESSAGES=/a/file every message of all cases is written there (the whole path: the test has a
 * folder of its own), to compare before and after.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "../support/program.h"
#include "table.h"
// clang-format on
#include "cli/cli.h"
#include "io/csv.h"
#include "io/execute.h"
#include "io/model_file.h"
#include "linalg/lapack.h"
#include "study/study_file.h"

#include <dirent.h>

enum { MOST_TABLES = 64, LEAST_CASES = 790, LEAST_GOLDEN = 50, LONGEST_NAME = 300 };

static const char folder[] = CAPSTAN_SOURCE_DIR "/tests/bad";
static bad_table tables[MOST_TABLES], wrong_table;
static int ntable;

/* ---- the inputs on disk ---- */

static void file_name(const bad_text *text, char name[LONGEST_NAME])
{
  snprintf(name, LONGEST_NAME, "%s.%s", text->name, text->reader == BAD_CSV ? "csv" : "yaml");
}

static void put_file(const char *name, const bad_text *text)
{
  FILE *stream = fopen(name, "wb");
  assert_non_null(stream);
  assert_int_equal(fwrite(text->bytes, 1, text->size, stream), text->size);
  assert_int_equal(fclose(stream), 0);
}

/* A folder "data" of the table's own, with its companion files. */
static void put_companions(const bad_table *table)
{
  assert_int_equal(system("rm -rf data"), 0);
  assert_int_equal(mkdir("data", 0777), 0);
  for (const bad_text *file = table->files; file; file = file->next) put_file(file->name, file);
}

static int visible(const struct dirent *entry)
{
  return entry->d_name[0] != '.';
}

static int count_files(const char *where)
{
  struct dirent **entries = NULL;
  int n = scandir(where, &entries, visible, NULL);
  for (int i = 0; i < n; i++) free(entries[i]);
  free(entries);
  return n;
}

/* ---- the readers ---- */

static cap_status read_model(const char *name, const bad_case *c, cap_diag *diag)
{
  cap_model_file *file = NULL;
  cap_error error = {0};
  cap_status status = cap_model_file_read(name, c ? c->nsetting : 0, c ? c->settings : NULL, &file, diag);
  if (status == CAP_OK) status = cap_execute_check(file, NULL, diag, &error); /* what only the model shows */
  cap_model_file_free(file);
  return status;
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

/* `c` gives the settings; NULL for none. */
static cap_status read_input(const bad_text *text, const bad_case *c, cap_diag *diag)
{
  char name[LONGEST_NAME];
  file_name(text, name);
  put_file(name, text);
  if (text->reader == BAD_CSV) return read_csv(name, diag);
  return text->reader == BAD_STUDY ? read_study(name, diag) : read_model(name, c, diag);
}

/* ---- what was found, beside what was expected ---- */

static bool alike(char a, char b)
{
  return isalnum((unsigned char)a) && isalnum((unsigned char)b);
}

/* Whether the message has the words, and not as a part of longer ones. */
static bool has_words(const char *message, const char *words)
{
  size_t n = strlen(words);
  for (const char *p = message; n && (p = strstr(p, words)); p++)
    if ((p == message || !alike(p[-1], *p)) && !alike(p[n - 1], p[n])) return true;
  return false;
}

/* What stands before the message of a finding: "name.yaml:3:7: ". */
static void print_place(const bad_case *c, const bad_finding *f, char *to, size_t room)
{
  char name[LONGEST_NAME];
  file_name(&c->input, name);
  if (f->mark)
    snprintf(to, room, "%s:%d:%d: ", name, c->marks[f->mark - 1].line, c->marks[f->mark - 1].column);
  else snprintf(to, room, "%s: ", *f->place ? f->place : name);
}

/* NULL when the line is as expected, or what is wrong. */
static const char *compare(const bad_case *c, const bad_finding *f, const char *line)
{
  char place[1200];
  print_place(c, f, place, sizeof place);
  if (strncmp(line, place, strlen(place)) != 0) return "another place";
  const char *message = line + strlen(place);
  size_t n = bad_key_length(message);
  if (n != (f->key ? strlen(f->key) : 0) || (n && strncmp(message, f->key, n) != 0)) return "another key";
  for (int i = 0; i < f->nword; i++)
    if (!has_words(message + n, f->words[i])) return "other words";
  return NULL;
}

static void print_expected(FILE *to, const bad_case *c, const bad_finding *f)
{
  char place[1200];
  print_place(c, f, place, sizeof place);
  fprintf(to, "    expected (line %d): %s%s%s", f->line, place, f->key ? f->key : "", f->key ? ":" : "");
  for (int i = 0; i < f->nword; i++) fprintf(to, "%s %s", i ? " |" : "", f->words[i]);
  fputc('\n', to);
}

/* Findings and expectations side by side; how many differ. */
static int compare_all(const bad_case *c, char *said, FILE *report)
{
  int wrong = 0, n = 0;
  char *rest = NULL;
  for (char *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), n++) {
    const bad_finding *f = n < c->nfinding ? &c->findings[n] : NULL;
    const char *trouble = f ? compare(c, f, line) : "one finding more than expected";
    if (!trouble) continue;
    fprintf(report, "  %s\n", trouble);
    if (f) print_expected(report, c, f);
    fprintf(report, "    got:%s %s\n", f ? "               " : "", line);
    wrong++;
  }
  for (; n < c->nfinding; n++, wrong++) {
    fprintf(report, "  one finding fewer than expected\n");
    print_expected(report, c, &c->findings[n]);
  }
  return wrong;
}

/* ---- the subcommand in this process ---- */

/* Its exit code; what it printed, on both outputs, in `said`. */
static int run_inside(int argc, char **argv, char *said, size_t room)
{
  FILE *capture = tmpfile();
  assert_non_null(capture);
  fflush(stdout), fflush(stderr);
  int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  dup2(fileno(capture), STDOUT_FILENO), dup2(fileno(capture), STDERR_FILENO);
  int code = cap_command_call(cap_command_find(argv[0]), argc, argv);
  fflush(stdout), fflush(stderr);
  dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
  close(out), close(err);
  rewind(capture);
  said[fread(said, 1, room - 1, capture)] = 0;
  fclose(capture);
  return code;
}

/* The arguments after the program's name; how many. */
static int list_arguments(const bad_case *c, char name[LONGEST_NAME], const char **arguments)
{
  int n = 0;
  file_name(&c->input, name);
  arguments[n++] = c->input.reader == BAD_STUDY ? "study" : "run", arguments[n++] = name;
  arguments[n++] = "-o", arguments[n++] = "out/out.h5";
  for (int i = 0; i < c->nsetting; i++) arguments[n++] = "--set", arguments[n++] = c->settings[i];
  arguments[n] = NULL;
  return n;
}

static int compare_command(const bad_case *c, const char *findings, FILE *report)
{
  static char said[1 << 16];
  const char *arguments[2 * BAD_MOST + 6];
  char name[LONGEST_NAME];
  int before = count_files("."), wrong = 0, n = list_arguments(c, name, arguments);
  int code = run_inside(n, (char **)arguments, said, sizeof said);
  if (code != CAP_CLI_USAGE) fprintf(report, "  exit code %d of capstan %s\n", code, arguments[0]), wrong++;
  if (strcmp(said, findings) != 0) fprintf(report, "  capstan %s says:\n%s", arguments[0], said), wrong++;
  if (count_files(".") != before || count_files("out") != 0)
    fprintf(report, "  capstan %s has written files\n", arguments[0]), wrong++;
  return wrong;
}

/* ---- a case ---- */

static const char *base_name(const bad_table *table)
{
  return strrchr(table->path, '/') + 1;
}

/* Full messages, as "table: message" a line; `all`, or those for the golden page. */
static void print_messages(const bad_table *table, const bad_case *c, const char *said, bool all, FILE *to)
{
  for (int i = 0; *said; i++) {
    int n = (int)strcspn(said, "\n");
    if (all || (i < c->nfinding && c->findings[i].golden))
      fprintf(to, "%s: %.*s\n", base_name(table), n, said);
    said += n + (said[n] == '\n');
  }
}

/* How much is wrong with the case; told in `report`. */
static int check_case(const bad_case *c, FILE *report, char **said)
{
  *said = NULL;
  if (c->trouble) {
    fprintf(report, "  %s\n", c->trouble);
    return 1;
  }
  cap_diag diag;
  char name[LONGEST_NAME];
  cap_status status = read_input(&c->input, c, &diag);
  *said = strdup(cap_diag_text(&diag));
  char *copy = strdup(*said);
  int wrong = compare_all(c, copy, report);
  if (status != CAP_ERR_INPUT) fprintf(report, "  not refused: status %d\n", status), wrong++;
  else if (c->input.reader != BAD_CSV) wrong += compare_command(c, *said, report);
  file_name(&c->input, name);
  unlink(name);
  cap_diag_free(&diag);
  free(copy);
  return wrong;
}

static bool check_and_tell(const bad_table *table, const bad_case *c, FILE *golden, FILE *all)
{
  char *text = NULL, *said;
  size_t size;
  FILE *report = open_memstream(&text, &size);
  int wrong = check_case(c, report, &said);
  fclose(report);
  if (wrong) print_error("%s:%d: case %s\n%s", table->path, c->input.line, c->input.name, text);
  if (said && golden) print_messages(table, c, said, false, golden);
  if (said && all) print_messages(table, c, said, true, all);
  free(said);
  free(text);
  return wrong == 0;
}

/* ---- the tests ---- */

static void every_base_is_accepted(void **state)
{
  (void)state;
  int n = 0, refused = 0;
  for (int i = 0; i < ntable; i++) {
    put_companions(&tables[i]);
    for (const bad_text *base = tables[i].bases; base; base = base->next, n++) {
      cap_diag diag;
      cap_status status = read_input(base, NULL, &diag);
      const char *said = cap_diag_text(&diag);
      if (status != CAP_OK || *said || !base->size) {
        print_error("%s:%d: base %s: status %d\n%s", tables[i].path, base->line, base->name, status, said);
        refused++;
      }
      cap_diag_free(&diag);
    }
  }
  print_message("%d bases in %d tables, %d refused\n", n, ntable, refused);
  assert_int_equal(refused, 0);
}

static char *golden; /* filled by the cases */

static void every_case_is_refused(void **state)
{
  (void)state;
  int n = 0, wrong = 0;
  size_t size;
  const char *path = getenv("CAPSTAN_ALL_MESSAGES");
  FILE *all = path ? fopen(path, "w") : NULL, *page = open_memstream(&golden, &size);
  assert_int_equal(mkdir("out", 0777), 0);
  for (int i = 0; i < ntable; i++) {
    put_companions(&tables[i]);
    for (const bad_case *c = tables[i].cases; c; c = c->next, n++)
      if (!check_and_tell(&tables[i], c, page, all)) wrong++;
  }
  fclose(page);
  if (all) fclose(all);
  print_message("%d malformed inputs, %d not refused as expected\n", n, wrong);
  assert_int_equal(wrong, 0);
  assert_true(n >= LEAST_CASES);
}

static char *read_golden(void)
{
  char path[600], *text = calloc(1, BAD_ROOM);
  snprintf(path, sizeof path, "%s/golden.txt", folder);
  FILE *stream = fopen(path, getenv("CAPSTAN_RENEW_GOLDEN") ? "w" : "r");
  assert_true(stream && text);
  if (getenv("CAPSTAN_RENEW_GOLDEN")) fputs(golden, stream), strcpy(text, golden);
  else assert_true(fread(text, 1, BAD_ROOM - 1, stream) > 0);
  fclose(stream);
  return text;
}

static void the_golden_page_is_word_for_word(void **state)
{
  (void)state;
  int differing = 0, n = 0;
  char *page = read_golden(), *rest = NULL, *rest_now = NULL;
  char *line = strtok_r(page, "\n", &rest), *now = strtok_r(golden, "\n", &rest_now);
  for (; line || now; n++, line = line ? strtok_r(NULL, "\n", &rest) : NULL,
                           now = now ? strtok_r(NULL, "\n", &rest_now) : NULL) {
    if (line && now && strcmp(line, now) == 0) continue;
    print_error("golden page, line %d\n  is:  %s\n  was: %s\n", n + 1, now ? now : "", line ? line : "");
    differing++;
  }
  free(page);
  free(golden);
  if (differing) print_error("if this is meant: scripts/renew_golden.sh\n");
  assert_int_equal(differing, 0);
  assert_true(n >= LEAST_GOLDEN);
}

/* Exit code and outputs of the program itself, for the first model or study of every table. */
static void the_program_refuses(void **state)
{
  (void)state;
  static program_result result;
  int n = 0;
  for (int i = 0; i < ntable; i++) {
    const bad_case *c = tables[i].cases;
    if (c->input.reader == BAD_CSV) continue;
    const char *arguments[2 * BAD_MOST + 6];
    char name[LONGEST_NAME], place[1200];
    list_arguments(c, name, arguments);
    put_companions(&tables[i]);
    put_file(name, &c->input);
    program_run(&result, arguments);
    print_place(c, &c->findings[0], place, sizeof place);
    if (result.code != 2 || *result.out || strncmp(result.err, place, strlen(place)) != 0)
      fail_msg("%s: exit code %d, said:\n%s%s", name, result.code, result.out, result.err);
    n++;
  }
  print_message("%d malformed inputs given to the program\n", n);
  assert_true(n > 0 && count_files("out") == 0);
}

/* This test can fail: every expectation of wrong.cases is wrong in its own way, and must be told so. */
static void wrong_expectations_are_told(void **state)
{
  (void)state;
  put_companions(&wrong_table);
  assert_true(wrong_table.ncase >= 10);
  for (const bad_case *c = wrong_table.cases; c; c = c->next) {
    char *text = NULL, *said;
    size_t size;
    FILE *report = open_memstream(&text, &size);
    int wrong = check_case(c, report, &said);
    fclose(report);
    if (!wrong || !c->report || !strstr(text, c->report))
      fail_msg("%s:%d: case %s: %d findings about it, \"%s\" expected among:\n%s", wrong_table.path,
               c->input.line, c->input.name, wrong, c->report ? c->report : "", text);
    free(said);
    free(text);
  }
}

static int is_table(const struct dirent *entry)
{
  const char *end = strrchr(entry->d_name, '.');
  return end && strcmp(end, ".cases") == 0;
}

static bool read_tables(void)
{
  struct dirent **entries = NULL;
  int n = scandir(folder, &entries, is_table, alphasort);
  bool good = n > 1 && n < MOST_TABLES;
  for (int i = 0; i < n; i++) {
    char path[600];
    bad_table *table = strcmp(entries[i]->d_name, "wrong.cases") == 0 ? &wrong_table : &tables[ntable++];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    good = good && bad_table_read(table, path);
    if (table->trouble) fprintf(stderr, "%s: %s\n", path, table->trouble), good = false;
    free(entries[i]);
  }
  free(entries);
  return good;
}

int main(void)
{
  capm_lapack_one_thread();
  if (!read_tables()) return 1;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_base_is_accepted), cmocka_unit_test(every_case_is_refused),
      cmocka_unit_test(the_golden_page_is_word_for_word), cmocka_unit_test(the_program_refuses),
      cmocka_unit_test(wrong_expectations_are_told)};
  int failed = cmocka_run_group_tests(tests, program_enter, program_leave);
  for (int i = 0; i < ntable; i++) bad_table_free(&tables[i]);
  bad_table_free(&wrong_table);
  return failed;
}
