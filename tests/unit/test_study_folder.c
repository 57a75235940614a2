/* study/study_folder.c — whose folder it is: begun, resumed, refused with the reason and left as it was. */
#include "study/study_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/program.h"

static cap_study_input inputs[] = {{.path = "study.yaml"}, {.path = "m.yaml"}, {.path = "data.csv"}};

static cap_study study_of(const char *name)
{
  cap_study study = {.path = "my_study.yaml",
                     .text = "study: x\n",
                     .name = name,
                     .model_path = "m.yaml",
                     .model_text = "drive: y\n",
                     .ninput = 3,
                     .inputs = inputs,
                     .fingerprint = {{1, 2}}};
  return study;
}

static void begin(const cap_study *study)
{
  cap_study_folder f;
  cap_error error = {0};
  if (cap_study_folder_open(&f, "out", study, false, &error) != CAP_OK) fail_msg("%s", error.text);
  assert_false(f.begun);
  cap_study_folder_close(&f);
}

/* What is there, in one line. */
static void list(char text[256])
{
  FILE *pipe = popen("find . -printf '%P %s %i,' | sort | md5sum", "r");
  assert_non_null(pipe);
  assert_non_null(fgets(text, 256, pipe));
  pclose(pipe);
}

static void refused(const cap_study *study, bool resume, cap_status expected, const char *words)
{
  char before[256], after[256];
  cap_study_folder f;
  cap_error error = {0};
  list(before);
  assert_int_equal(cap_study_folder_open(&f, "out", study, resume, &error), expected);
  if (!strstr(error.text, words)) fail_msg("\"%s\" is not in \"%s\"", words, error.text);
  list(after);
  assert_string_equal(before, after);
}

static void it_is_begun_once_and_resumed(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  cap_study_folder f;
  begin(&study);
  assert_true(program_exists("out/study.id") && program_exists("out/runs"));
  assert_true(program_exists("out/study.yaml") && program_exists("out/model.yaml"));
  refused(&study, false, CAP_ERR_INPUT, "already exists in 'out': --resume continues it");
  assert_int_equal(cap_study_folder_open(&f, "out/", &study, true, NULL), CAP_OK);
  assert_true(f.begun);
  assert_string_equal(f.path, "out");
  cap_study_folder_close(&f);
}

static void resume_begins_where_there_is_nothing(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  cap_study_folder f;
  assert_int_equal(mkdir("out", 0777), 0);
  program_write("out/lock", "");
  program_write("out/study.id.12.new", "capst"); /* of a process that was killed as it began */
  assert_int_equal(cap_study_folder_open(&f, "out", &study, true, NULL), CAP_OK);
  assert_false(f.begun);
  cap_study_folder_close(&f);
}

static void other_folders_are_refused(void **state)
{
  (void)state;
  cap_study one = study_of("one"), two = study_of("two");
  program_write("out", "a file");
  refused(&one, false, CAP_ERR_IO, "'out' is not a folder");
  unlink("out");
  assert_int_equal(mkdir("out", 0777), 0);
  program_write("out/thesis.tex", "years of work");
  refused(&one, true, CAP_ERR_IO, "holds files and is not the folder of a study");
  unlink("out/thesis.tex");
  begin(&one);
  refused(&two, true, CAP_ERR_INPUT, "folder of the study \"one\", not of \"two\"");
  program_write("out/study.id", "something else\n");
  refused(&one, true, CAP_ERR_INPUT, "no list of a study");
}

static void what_changed_is_named(void **state)
{
  (void)state;
  cap_study study = study_of("one"), other = study;
  begin(&study);
  other.fingerprint.h[0] = 7;
  other.model_text = "drive: z\n";
  refused(&other, true, CAP_ERR_INPUT, "'m.yaml' has changed");
  other.model_text = study.model_text;
  other.text = "study: x # more\n";
  refused(&other, true, CAP_ERR_INPUT, "'my_study.yaml' has changed");
  cap_study_input changed[3];
  memcpy(changed, inputs, sizeof changed);
  changed[2].hash.h[1] = 5;
  other.inputs = changed;
  refused(&other, true, CAP_ERR_INPUT, "'data.csv' has changed");
}

static void a_change_that_decides_nothing_is_followed(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  cap_study_folder f;
  char text[PROGRAM_TEXT];
  begin(&study);
  study.text = "study: x\nslurm: {chunk: 3}\n"; /* and the same fingerprint */
  assert_int_equal(cap_study_folder_open(&f, "out", &study, true, NULL), CAP_OK);
  cap_study_folder_close(&f);
  program_read("out/study.yaml", text);
  assert_string_equal(text, study.text);
}

static void another_program_is_refused(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  begin(&study);
  assert_int_equal(system("sed -i 's/^program: .*/program: 0.0.1 abc/' out/study.id"), 0);
  refused(&study, true, CAP_ERR_INPUT, "was begun by capstan 0.0.1 abc");
}

static void one_process_at_a_time(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  char words[64];
  int ready[2], leave[2];
  char byte = 0;
  assert_int_equal(pipe(ready) + pipe(leave), 0);
  pid_t process = fork();
  if (process == 0) {
    cap_study_folder f;
    bool fine = cap_study_folder_open(&f, "out", &study, false, NULL) == CAP_OK;
    if (write(ready[1], &byte, 1) != 1 || read(leave[0], &byte, 1) != 1) fine = false;
    _exit(fine ? 0 : 1);
  }
  assert_int_equal(read(ready[0], &byte, 1), 1);
  snprintf(words, sizeof words, "'out' is in use: process %d on ", (int)process);
  refused(&study, true, CAP_ERR_IO, words);
  assert_int_equal(write(leave[1], &byte, 1), 1);
  assert_int_equal(program_wait(process), 0);
  cap_study_folder f; /* and after its end it is free */
  assert_int_equal(cap_study_folder_open(&f, "out", &study, true, NULL), CAP_OK);
  cap_study_folder_close(&f);
}

static void a_place_that_cannot_be_written(void **state)
{
  (void)state;
  cap_study study = study_of("one");
  cap_study_folder f;
  cap_error error;
  program_write("file", "");
  assert_int_equal(cap_study_folder_open(&f, "file/out", &study, false, &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, "'file/out': Not a directory"));
  assert_int_equal(cap_study_folder_open(&f, "no/such/out", &study, false, &error), CAP_ERR_IO);
  assert_non_null(strstr(error.text, "cannot make the folder 'no/such/out': No such file"));
}

static void tasks_find_the_study(void **state)
{
  (void)state;
  cap_study study = study_of("one"), other = study;
  char *source, cwd[256], expected[512];
  cap_error error;
  program_write("my_study.yaml", study.text);
  begin(&study);
  assert_int_equal(cap_study_folder_source("out", &source, NULL), CAP_OK);
  assert_non_null(getcwd(cwd, sizeof cwd));
  snprintf(expected, sizeof expected, "%s/my_study.yaml", cwd);
  assert_string_equal(source, expected);
  free(source);
  assert_int_equal(cap_study_folder_check("out", &study, NULL), CAP_OK);
  other.fingerprint.h[0] = 9;
  other.model_text = "else";
  assert_int_equal(cap_study_folder_check("out", &other, &error), CAP_ERR_INPUT);
  assert_int_equal(cap_study_folder_source("nowhere", &source, &error), CAP_ERR_IO);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, program_enter, program_leave)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(it_is_begun_once_and_resumed),
      TEST(resume_begins_where_there_is_nothing),
      TEST(other_folders_are_refused),
      TEST(what_changed_is_named),
      TEST(a_change_that_decides_nothing_is_followed),
      TEST(another_program_is_refused),
      TEST(one_process_at_a_time),
      TEST(a_place_that_cannot_be_written),
      TEST(tasks_find_the_study),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
