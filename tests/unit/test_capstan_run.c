/* Whole runs and results behind the public header: into files and into memory, interrupted, resumed, read. */
#include "capstan/capstan.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/folder.h"

static int same_bytes(const char *a, const char *b)
{
  char command[256];
  snprintf(command, sizeof command, "cmp %s/%s %s/%s", folder, a, folder, b);
  return system(command) == 0;
}

static capstan_model *open_example(const char *name, const char *setting)
{
  capstan_model *model;
  char file[128];
  snprintf(file, sizeof file, "examples/%s.yaml", name);
  if (capstan_open(file, setting != NULL, &setting, &model) != CAPSTAN_OK)
    fail_msg("%s", capstan_message(model));
  return model;
}

static int find_group(capstan_results *r, const char *name, const capstan_group **group)
{
  const capstan_group *groups;
  int n = capstan_results_groups(r, &groups);
  for (int g = 0; g < n; g++)
    if (strcmp(groups[g].name, name) == 0) {
      *group = &groups[g];
      return g;
    }
  fail_msg("no group %s", name);
  return -1;
}

static int find_array(const capstan_group *group, const char *name)
{
  for (int k = 0; k < group->narray; k++)
    if (strcmp(group->arrays[k].name, name) == 0) return k;
  fail_msg("no array %s in %s", name, group->name);
  return -1;
}

static const char *find_text(const capstan_group *group, const char *name)
{
  for (int k = 0; k < group->ntext; k++)
    if (strcmp(group->texts[k].name, name) == 0) return group->texts[k].text;
  fail_msg("no text %s in %s", name, group->name);
  return NULL;
}

/* Every value of every array of one is that of the other, bit by bit. */
static void assert_same(capstan_results *a, capstan_results *b)
{
  const capstan_group *x, *y;
  int n = capstan_results_groups(a, &x), narray = 0;
  assert_int_equal(n, capstan_results_groups(b, &y));
  for (int g = 0; g < n; g++) {
    assert_string_equal(x[g].name, y[g].name);
    assert_int_equal(x[g].narray, y[g].narray);
    assert_int_equal(x[g].ntext, y[g].ntext);
    for (int k = 0; k < x[g].ntext; k++) assert_string_equal(x[g].texts[k].text, y[g].texts[k].text);
    for (int k = 0; k < x[g].narray; k++) {
      const double *u = capstan_results_values(a, g, k), *v = capstan_results_values(b, g, k);
      assert_non_null(u);
      assert_int_equal(x[g].arrays[k].count, y[g].arrays[k].count);
      assert_memory_equal(u, v, x[g].arrays[k].count * sizeof *u);
      assert_ptr_equal(u, capstan_results_values(a, g, k)); /* read once */
      narray++;
    }
  }
  assert_true(narray > 10);
}

static void results_in_memory_are_those_of_the_file(void **state)
{
  (void)state;
  static const char *const names[] = {"two_pulley", "tensioner_rig", "snap_through", "clearance_oscillator"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    capstan_model *model = open_example(names[k], NULL);
    capstan_results *memory, *file;
    if (capstan_run_memory(model, NULL, &memory) != CAPSTAN_OK) fail_msg("%s", capstan_message(model));
    assert_string_equal(capstan_result_path(model), "");
    assert_int_equal(capstan_result_complete(model), 1);
    assert_int_equal(capstan_run(model, in_folder("file.h5"), NULL), CAPSTAN_OK);
    assert_string_equal(capstan_result_path(model), path);
    capstan_close(model); /* results live on without it */
    assert_int_equal(capstan_results_save(memory, in_folder("saved.h5")), CAPSTAN_OK);
    assert_true(same_bytes("file.h5", "saved.h5"));
    assert_int_not_equal(access(in_folder("saved.h5.part"), F_OK), 0);
    assert_int_equal(capstan_results_open(in_folder("file.h5"), &file), CAPSTAN_OK);
    assert_same(memory, file);
    assert_int_equal(capstan_results_save(file, in_folder("saved.h5")), CAPSTAN_OK); /* over an older one */
    assert_true(same_bytes("file.h5", "saved.h5"));
    capstan_results_close(memory);
    capstan_results_close(file);
  }
}

static void groups_have_what_the_file_has(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", "deflection.amplitude=0.5 mm");
  capstan_results *r;
  const capstan_group *group = NULL;
  assert_int_equal(capstan_run_memory(model, NULL, &r), CAPSTAN_OK);
  int transient = find_group(r, "transient", &group);
  assert_true(transient >= 0);
  assert_string_equal(group->analysis, "transient");
  assert_int_equal(group->complete, 1);
  int time = find_array(group, "time");
  assert_int_equal(group->arrays[time].column, 1);
  assert_int_equal(group->arrays[time].rank, 1);
  assert_string_equal(group->arrays[time].unit, "s");
  size_t n = group->arrays[time].count;
  assert_true(n > 1000 && n == group->arrays[time].dims[0]);
  const double *t = capstan_results_values(r, transient, time);
  assert_true(fabs(t[n - 1] - 2.0) < 1e-12); /* until */
  int audit = find_group(r, "audit/transient", &group);
  int energy = find_array(group, "energy"), relative = find_array(group, "relative");
  const double *lines = capstan_results_values(r, audit, energy);
  double sum = 0.0;
  for (size_t k = 0; k < group->arrays[energy].count; k++) sum += fabs(lines[k]);
  assert_true(sum > 0.0);
  assert_true(fabs(*capstan_results_values(r, audit, relative)) < 1e-2);
  assert_true(strlen(find_text(group, "name[0]")) > 0);
  find_group(r, "meta", &group);
  assert_string_equal(find_text(group, "drive"), "tensioner-rig");
  assert_string_equal(find_text(group, "settings[0]"), "deflection.amplitude=0.5 mm");
  assert_string_equal(find_text(group, "capstan_version"), capstan_version());
  assert_non_null(strstr(find_text(group, "model"), "drive: tensioner-rig"));
  assert_null(capstan_results_values(r, 99, 0));
  assert_non_null(strstr(capstan_results_message(r), "expected an array of a group"));
  assert_non_null(capstan_results_values(r, transient, time));
  assert_string_equal(capstan_results_message(r), "");
  capstan_results_close(r);
  capstan_close(model);
}

/* ---- callbacks, limits, interruptions ------------------------------------------------------------------ */

typedef struct listener {
  char stages[256];
  int nprogress, nnote;
  volatile sig_atomic_t stop, heard;
  int stop_after; /* reports; 0 = never */
} listener;

static void hear_progress(void *self, const char *what, double done, double total, const char *unit)
{
  listener *l = self;
  assert_true(*what && *unit && done <= total * (1.0 + 1e-9));
  if (++l->nprogress == l->stop_after) l->stop = 1;
}

static void hear_note(void *self, const char *text)
{
  assert_true(*text);
  ((listener *)self)->nnote++;
}

static void hear_stage(void *self, const capstan_analysis_stage *stage)
{
  listener *l = self;
  size_t n = strlen(l->stages);
  snprintf(l->stages + n, sizeof l->stages - n, "%s%s:%d", stage->analysis, stage->ended ? " ends" : "",
           stage->ended ? (int)stage->code : 0);
  for (int k = 0; k < stage->ngroup; k++) {
    n = strlen(l->stages);
    snprintf(l->stages + n, sizeof l->stages - n, " %s", stage->groups[k]);
  }
  strcat(l->stages, "; ");
}

static capstan_options options_of(listener *l)
{
  return (capstan_options){.size = sizeof(capstan_options),
                           .progress = hear_progress,
                           .note = hear_note,
                           .stage = hear_stage,
                           .self = l,
                           .stop = &l->stop,
                           .heard = &l->heard};
}

static void a_run_tells_how_far_it_is(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", NULL);
  listener l = {.stages = ""};
  capstan_options options = options_of(&l);
  assert_int_equal(capstan_run(model, in_folder("told.h5"), &options), CAPSTAN_OK);
  assert_string_equal(l.stages,
                      "transient:0 scene; transient ends:0 scene transient; periodic:0 scene transient; "
                      "periodic ends:0 scene transient periodic; ");
  assert_int_equal(l.heard, 0);
  assert_true(l.nprogress > 0);
  capstan_close(model);
}

static void a_stopped_run_is_resumed_to_the_same_bytes(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", NULL);
  listener l = {.stop_after = 1};
  capstan_options options = options_of(&l);
  assert_int_equal(capstan_run(model, in_folder("whole.h5"), NULL), CAPSTAN_OK);
  assert_int_equal(capstan_run(model, in_folder("part.h5"), &options), CAPSTAN_STOPPED);
  assert_int_equal(l.heard, 1);
  assert_int_equal(capstan_result_complete(model), 0);
  assert_string_equal(capstan_result_path(model), path);
  assert_non_null(strstr(capstan_message(model), "interrupted"));
  capstan_results *r;
  const capstan_group *group = NULL;
  assert_int_equal(capstan_results_open(path, &r), CAPSTAN_OK);
  find_group(r, "meta", &group);
  assert_int_equal(group->complete, 0);
  capstan_results_close(r);
  options = (capstan_options){.size = sizeof options, .resume = 1};
  assert_int_equal(capstan_run(model, in_folder("part.h5"), &options), CAPSTAN_OK);
  assert_true(same_bytes("whole.h5", "part.h5"));
  capstan_close(model);
}

static void what_was_computed_in_memory_before_a_stop_is_there(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", NULL);
  listener l = {.stop_after = 1};
  capstan_options options = options_of(&l);
  capstan_results *r;
  const capstan_group *group = NULL;
  assert_int_equal(capstan_run_memory(model, &options, &r), CAPSTAN_STOPPED);
  assert_non_null(strstr(capstan_message(model), "interrupted"));
  assert_non_null(r);
  find_group(r, "meta", &group);
  assert_int_equal(group->complete, 0);
  capstan_results_close(r);
  assert_int_equal(capstan_run_memory(model, NULL, &r), CAPSTAN_OK);
  capstan_results_close(r);
  capstan_close(model);
}

static void a_time_limit_ends_a_run(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", "analyses[0].transient.until=1000000 s");
  capstan_options options = {.size = sizeof options, .time_limit = 0.2};
  assert_int_equal(capstan_run(model, in_folder("late.h5"), &options), CAPSTAN_STOPPED);
  assert_non_null(strstr(capstan_message(model), "time limit of 0.2 s"));
  capstan_close(model);
}

/* A file that is no result is not replaced, and a run elsewhere is not disturbed. */
static void results_are_not_saved_over_other_files(void **state)
{
  (void)state;
  capstan_model *model = open_example("tensioner_rig", NULL);
  capstan_results *r;
  assert_int_equal(capstan_run_memory(model, NULL, &r), CAPSTAN_OK);
  FILE *other = fopen(in_folder("other.txt"), "w");
  fputs("mine\n", other);
  fclose(other);
  assert_int_equal(capstan_results_save(r, path), CAPSTAN_BAD_INPUT);
  assert_non_null(strstr(capstan_results_message(r), "is not overwritten"));
  assert_int_equal(capstan_results_save(r, "/no/such/folder/out.h5"), CAPSTAN_BAD_INPUT);
  assert_int_equal(capstan_results_save(r, in_folder("fine.h5")), CAPSTAN_OK);
  assert_string_equal(capstan_results_message(r), "");
  capstan_results_close(r);
  capstan_close(model);
}

/* ---- inputs from files, studies, pages ----------------------------------------------------------------- */

static void call(const char *format, const char *what)
{
  char command[600];
  snprintf(command, sizeof command, format, folder, what, folder);
  if (system(command) != 0) fail_msg("%s", command);
}

static void inputs_are_fed_from_files(void **state)
{
  (void)state;
  FILE *csv = fopen(in_folder("push.csv"), "w");
  fputs("time [s], push [mm]\n0, 0.1\n0.0155, 0.1\n1.0155, 0.3\n3, 0.3\n", csv);
  fclose(csv);
  const char *const feeds[] = {strdup(path)};
  capstan_model *model;
  const char *const set[] = {"deflection={input: push, start: 0.1 mm}",
                             "analyses=[{transient: {until: 0.5 s}}]"};
  if (capstan_open("examples/tensioner_rig.yaml", 2, set, &model)) fail_msg("%s", capstan_message(model));
  const int held[] = {1};
  capstan_options options = {.size = sizeof options, .nfeed = 1, .feeds = feeds};
  if (capstan_run(model, in_folder("fed.h5"), &options)) fail_msg("%s", capstan_message(model));
  call("cd '%s' && " CAPSTAN_PROGRAM " run " CAPSTAN_SOURCE_DIR
       "/examples/tensioner_rig.yaml -o told.h5 --quiet "
       "--force --set 'deflection={input: push, start: 0.1 mm}' --set '%s' --input '%s/push.csv' >/dev/null",
       set[1]);
  assert_true(same_bytes("fed.h5", "told.h5"));
  capstan_results *r;
  const capstan_group *group = NULL;
  assert_int_equal(capstan_results_open(in_folder("fed.h5"), &r), CAPSTAN_OK);
  find_group(r, "meta", &group);
  assert_non_null(strstr(find_text(group, "fed_by"), "push.csv"));
  int g = find_group(r, "transient", &group), k = find_array(group, "tensioner.deflection");
  const double *x = capstan_results_values(r, g, k);
  const double *t = capstan_results_values(r, g, find_array(group, "time"));
  size_t last = group->arrays[k].count - 1;
  assert_true(t[last] > 0.4 && fabs(x[last] - 0.1e-3 - 0.2e-3 * (t[last] - 0.0155)) < 1e-12);
  capstan_results_close(r);
  options.held = held; /* stays where it began: a position must not jump, so it is refused or held */
  capstan_code code = capstan_run(model, in_folder("held.h5"), &options);
  assert_true(code == CAPSTAN_BAD_INPUT && strlen(capstan_message(model)) > 10);
  capstan_close(model);
  free((char *)feeds[0]);
}

static void a_study_and_its_page_are_those_of_the_program(void **state)
{
  (void)state;
  char message[1000], study[128], ours[128];
  FILE *file = fopen(in_folder("small.yaml"), "w");
  fputs("capstan: 2\nstudy: small\nmodel: " CAPSTAN_SOURCE_DIR "/examples/tensioner_rig.yaml\n"
        "set: [\"analyses=[{transient: {until: 0.2 s}}]\"]\n"
        "factors: [{name: k0, path: tensioner.k0, values: [2e5 N/m, 2.34e5 N/m]}]\ndesign: {kind: grid}\n"
        "responses: [{name: force, channel: tensioner.force, reduce: range}]\n",
        file);
  fclose(file);
  strcpy(study, path);
  strcpy(ours, in_folder("ours"));
  if (capstan_study(study, 0, NULL, ours, 2, NULL, message, sizeof message)) fail_msg("%s", message);
  call("cd '%s' && " CAPSTAN_PROGRAM " study %s --quiet -o '%s/theirs' >/dev/null", study);
  assert_true(same_bytes("ours/study.h5", "theirs/study.h5"));
  capstan_results *r;
  const capstan_group *group = NULL;
  assert_int_equal(capstan_results_open(ours, &r), CAPSTAN_OK);
  int g = find_group(r, "study", &group), k = find_array(group, "response.force");
  assert_int_equal(group->arrays[k].count, 2);
  assert_true(capstan_results_values(r, g, k)[0] > 0.0);
  capstan_results_close(r);
  assert_int_equal(capstan_study(study, 0, NULL, ours, 2, NULL, message, sizeof message), CAPSTAN_BAD_INPUT);
  const capstan_options resume = {.size = sizeof resume, .resume = 1};
  assert_int_equal(capstan_study(study, 0, NULL, ours, 2, &resume, message, sizeof message), CAPSTAN_OK);
  strcat(ours, "/study.h5");
  const char *const results[] = {ours};
  if (capstan_report(1, results, in_folder("ours/page.html"), message, sizeof message)) {
    if (!strstr(message, "page")) fail_msg("%s", message);
    return; /* a build without the page */
  }
  call("cd '%s' && " CAPSTAN_PROGRAM " report %s -o '%s/theirs/page.html' >/dev/null", ours);
  assert_true(same_bytes("ours/page.html", "theirs/page.html"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(results_in_memory_are_those_of_the_file),
      cmocka_unit_test(groups_have_what_the_file_has),
      cmocka_unit_test(a_run_tells_how_far_it_is),
      cmocka_unit_test(a_stopped_run_is_resumed_to_the_same_bytes),
      cmocka_unit_test(what_was_computed_in_memory_before_a_stop_is_there),
      cmocka_unit_test(a_time_limit_ends_a_run),
      cmocka_unit_test(results_are_not_saved_over_other_files),
      cmocka_unit_test(inputs_are_fed_from_files),
      cmocka_unit_test(a_study_and_its_page_are_those_of_the_program),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
