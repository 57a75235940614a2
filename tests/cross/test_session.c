/* Sessions behind the public header: the same bits as a whole run, states that are saved in one process
 * and restored in another, several of them in threads at once. */
#include "../support/level.h"
#include "../support/sanitized.h"
#include "capstan/capstan.h"

#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* One of each drive that has a transient, with what makes it short: rows of `every` s, `count` of them. */
typedef struct subject {
  const char *path;
  double every;
  int count;
  bool alone; /* without the analyses before, which move the state */
} subject;

static const subject subjects[] = {
    {"examples/two_pulley.yaml", 1e-3, 40, false},
    {"examples/accessory_drive.yaml", 1e-3, 30, false},
    {"examples/alternator_decoupler.yaml", 1e-3, 30, false},
    {"examples/hydraulic_tensioner.yaml", 1e-3, 30, false},
    {"examples/tensioner_rig.yaml", 1e-3, 60, false},
    {"examples/tensioner_rig_dahl.yaml", 1e-3, 60, false},
    {"examples/belt_tensioner_mass.yaml", 1e-3, 60, true},
    {"examples/clearance_oscillator.yaml", 0.05, 60, true},
    {"examples/bouncing_ball.yaml", 1e-3, 30, false},
    {"examples/stacked_blocks.yaml", 1e-3, 20, false},
    {"examples/slider_crank.yaml", 1e-3, 5, false},
    {"examples/rolling_disc.yaml", 1e-2, 20, false},
    {"examples/sheave.yaml", 1e-4, 10, false},
    {"examples/ring_free.yaml", 1e-4, 20, false},
    {"examples/ring_pulleys.yaml", 1e-4, 10, false},
    {"examples/two_pulley_segments.yaml", 5e-3, 20, false},
    {"examples/variator.yaml", 1e-4, 8, false},
};
enum { NSUBJECT = sizeof subjects / sizeof *subjects };

static capstan_model *open_subject(const subject *s, int nmore, const char *const *more)
{
  capstan_model *model;
  if (capstan_open(s->path, nmore, more, &model)) fail_msg("%s", capstan_message(model));
  return model;
}

static capstan_session *start(capstan_model *model)
{
  capstan_session *session;
  if (capstan_start(model, NULL, &session)) fail_msg("%s", capstan_session_message(session));
  return session;
}

static void step(capstan_session *session, double until)
{
  if (capstan_step(session, until, NULL)) fail_msg("%s", capstan_session_message(session));
}

/* The state as bytes, with all that decides what comes next. */
static void *save(capstan_session *session, size_t *size)
{
  *size = capstan_save_size(session);
  void *bytes = malloc(*size);
  assert_non_null(bytes);
  assert_int_equal(capstan_save(session, bytes, *size), CAPSTAN_OK);
  return bytes;
}

/* ---- a run of the program ------------------------------------------------------------------------------ */

static const capstan_array *column_of(const capstan_group *group, const char *name, int *number)
{
  for (int k = 0; k < group->narray; k++)
    if (group->arrays[k].column && strcmp(group->arrays[k].name, name) == 0) {
      *number = k;
      return &group->arrays[k];
    }
  return NULL;
}

/* Rows of the file's first transient, cut short. */
static capstan_results *run_rows(const subject *s, capstan_model **model, int *group)
{
  char until[80], every[80];
  const char *const *analyses;
  capstan_model *plain = open_subject(s, 0, NULL);
  int n = capstan_analyses(plain, &analyses), at = 0;
  while (at < n && strcmp(analyses[at], "transient") != 0) at++;
  capstan_session *session = start(plain);
  snprintf(until, sizeof until, "analyses[%d].transient.until=%.17g s", at,
           capstan_time(session) + s->every * s->count);
  if (s->alone) /* an analysis before it would move the state */
    snprintf(until, sizeof until, "analyses=[{transient: {until: %.17g s}}]",
             capstan_time(session) + s->every * s->count);
  snprintf(every, sizeof every, "outputs.every=%.17g s", s->every);
  capstan_end(session);
  capstan_close(plain);
  const char *const more[] = {until, every};
  capstan_results *results = NULL;
  const capstan_group *groups;
  *model = open_subject(s, 2, more);
  capstan_code code = capstan_run_memory(*model, NULL, &results);
  if (code != CAPSTAN_OK) fail_msg("%s: %s", s->path, capstan_message(*model));
  int ngroup = capstan_results_groups(results, &groups);
  for (*group = 0; *group < ngroup; (*group)++)
    if (strcmp(groups[*group].analysis, "transient") == 0) return results;
  fail_msg("%s: no transient in the results", s->path);
  return NULL;
}

static int compare_row(capstan_model *model, capstan_session *session, capstan_results *results, int group,
                       int row)
{
  const capstan_group *groups;
  const capstan_variable *list;
  int n = capstan_variables(model, CAPSTAN_OUTPUT, &list), found = 0, number;
  capstan_results_groups(results, &groups);
  const double *outputs = capstan_outputs(session);
  assert_non_null(outputs);
  for (int k = 0; k < n; k++) {
    if (!column_of(&groups[group], list[k].name, &number)) continue;
    const double *values = capstan_results_values(results, group, number);
    assert_non_null(values);
    if (memcmp(&values[row], &outputs[k], sizeof(double)) != 0)
      fail_msg("row %d: %s is %.17g in the run and %.17g in the session", row, list[k].name, values[row],
               outputs[k]);
    found++;
  }
  return found;
}

static void a_session_has_the_bits_of_a_run(void **state)
{
  (void)state;
  for (int k = 0; k < NSUBJECT; k++) {
    const subject *s = &subjects[k];
    capstan_model *model;
    int group, number, compared = 0;
    capstan_results *results = run_rows(s, &model, &group);
    const capstan_group *groups;
    capstan_results_groups(results, &groups);
    const capstan_array *time = column_of(&groups[group], "time", &number);
    assert_non_null(time);
    const double *t = capstan_results_values(results, group, number);
    capstan_session *session = start(model);
    for (size_t row = 0; row < time->count; row++) {
      if (row > 0) step(session, t[row]);
      assert_true(capstan_time(session) == t[row]);
      compared += compare_row(model, session, results, group, (int)row);
    }
    print_message("%s: %d values of %zu rows, the same bits\n", s->path, compared, time->count);
    assert_true(compared > s->count);
    capstan_end(session);
    capstan_results_close(results);
    capstan_close(model);
  }
}

/* ---- saved states -------------------------------------------------------------------------------------- */

static double number(uint64_t *seed)
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) * 0x1p-53;
}

static void write_all(int fd, const void *bytes, size_t size)
{
  for (size_t done = 0; done < size;) {
    ssize_t n = write(fd, (const char *)bytes + done, size - done);
    if (n <= 0) _exit(3);
    done += (size_t)n;
  }
}

static size_t read_all(int fd, char *bytes, size_t room)
{
  size_t done = 0;
  for (ssize_t n; done < room && (n = read(fd, bytes + done, room - done)) > 0;) done += (size_t)n;
  return done;
}

/* In a process that has not seen the session: restore, go on to `until` by way of `middle`, and write what
 * came of it. */
static void go_on_elsewhere(const subject *s, const void *saved, size_t size, double middle, double until,
                            int fd)
{
  capstan_model *model;
  capstan_session *session;
  if (capstan_open(s->path, 0, NULL, &model) || capstan_start(model, NULL, &session) ||
      capstan_restore(session, saved, size) || capstan_step(session, middle, NULL) ||
      capstan_step(session, until, NULL))
    _exit(1);
  size_t n = capstan_save_size(session);
  void *bytes = malloc(n);
  if (!bytes || capstan_save(session, bytes, n)) _exit(2);
  write_all(fd, bytes, n);
  _exit(0);
}

static void try_restore(const subject *s, uint64_t *seed)
{
  size_t size, ended;
  capstan_model *model = open_subject(s, 0, NULL);
  capstan_session *session = start(model);
  double t = capstan_time(session), span = s->every * s->count;
  for (int k = 0; k < 3; k++) step(session, t += number(seed) * span / 3.0);
  void *saved = save(session, &size);
  double middle = t + number(seed) * span / 4.0, until = middle + number(seed) * span / 4.0;
  int pipe_fd[2];
  assert_int_equal(pipe(pipe_fd), 0);
  fflush(NULL);
  pid_t child = fork();
  assert_true(child >= 0);
  if (child == 0) go_on_elsewhere(s, saved, size, middle, until, pipe_fd[1]);
  close(pipe_fd[1]);
  step(session, middle);
  step(session, until);
  void *here = save(session, &ended);
  char *there = malloc(ended + 1);
  size_t got = read_all(pipe_fd[0], there, ended + 1);
  int status;
  waitpid(child, &status, 0);
  close(pipe_fd[0]);
  if (!WIFEXITED(status) || WEXITSTATUS(status)) fail_msg("%s: the other process failed", s->path);
  assert_int_equal(got, ended);
  if (memcmp(here, there, ended) != 0) fail_msg("%s: restored at %.9g s it goes on otherwise", s->path, t);
  free(there);
  free(here);
  free(saved);
  capstan_end(session);
  capstan_close(model);
}

static void a_restored_session_has_the_same_bits_elsewhere(void **state)
{
  (void)state;
  uint64_t seed = 20;
  int n = test_all("fifty random times of saving, of all drives") && !TEST_SANITIZED ? 51 : NSUBJECT;
  for (int k = 0; k < n; k++) try_restore(&subjects[k % NSUBJECT], &seed);
  print_message("%d restored in another process\n", n);
}

/* ---- threads ------------------------------------------------------------------------------------------- */

enum { NTHREAD = 18 }; /* two of each drive, so that they would meet in what drives share, too */

typedef struct thread {
  pthread_t id;
  const subject *subject;
  void *saved;
  size_t size;
  bool fine;
} thread;

static void *live(void *self)
{
  thread *t = self;
  capstan_model *model = NULL;
  capstan_session *session = NULL;
  t->fine = capstan_open(t->subject->path, 0, NULL, &model) == CAPSTAN_OK &&
            capstan_start(model, NULL, &session) == CAPSTAN_OK;
  capstan_close(model); /* the session does without */
  double start = capstan_time(session);
  for (int k = 1; t->fine && k <= 5; k++)
    t->fine = capstan_step(session, start + k * t->subject->every, NULL) == CAPSTAN_OK;
  t->size = capstan_save_size(session);
  t->saved = malloc(t->size + 1);
  t->fine = t->fine && t->saved && capstan_save(session, t->saved, t->size) == CAPSTAN_OK;
  capstan_end(session);
  return NULL;
}

static void sessions_in_threads_do_not_meet(void **state)
{
  (void)state;
  thread alone[NTHREAD] = {0}, together[NTHREAD] = {0};
  for (int k = 0; k < NTHREAD; k++) {
    alone[k].subject = together[k].subject = &subjects[k / 2 * 2];
    live(&alone[k]);
  }
  for (int k = 0; k < NTHREAD; k++)
    assert_int_equal(pthread_create(&together[k].id, NULL, live, &together[k]), 0);
  for (int k = 0; k < NTHREAD; k++) pthread_join(together[k].id, NULL);
  for (int k = 0; k < NTHREAD; k++) {
    assert_true(alone[k].fine && together[k].fine);
    assert_int_equal(alone[k].size, together[k].size);
    assert_memory_equal(alone[k].saved, together[k].saved, alone[k].size);
    free(alone[k].saved);
    free(together[k].saved);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_session_has_the_bits_of_a_run),
      cmocka_unit_test(a_restored_session_has_the_same_bits_elsewhere),
      cmocka_unit_test(sessions_in_threads_do_not_meet),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
