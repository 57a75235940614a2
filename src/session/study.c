/* session/study.c — studies and pages behind the public header, include/capstan/capstan.h. */
#include "base/clock.h"
#include "base/platform.h"
#include "report/replace.h"
#include "report/report.h"
#include "session/model.h"
#include "study/study_file.h"
#include "study/study_folder.h"
#include "study/workers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A text into the caller's room, cut where that ends. */
static void put(char *message, size_t room, const char *text)
{
  if (message && room) snprintf(message, room, "%s", text);
}

static capstan_code fail(char *message, size_t room, cap_status status, const cap_error *error)
{
  char line[sizeof error->text + 2];
  snprintf(line, sizeof line, "%s\n", error->text[0] ? error->text : cap_status_text(status));
  put(message, room, line);
  return cap_session_code(status);
}

/* ---- a study ------------------------------------------------------------------------------------------- */

typedef struct work {
  const char *folder;
  int jobs;
  const capstan_options *options;
  cap_progress progress;
  cap_workers_outcome outcome;
} work;

static void watch(void *self, const cap_workers_view *view)
{
  const work *w = self;
  if (w->options->progress)
    w->options->progress(w->options->self, "study", (double)view->done, (double)view->ncase, "cases");
}

/* What came of the cases, when all that could be done is done. */
static cap_status judge(const work *w, const cap_collect *collect, cap_error *error)
{
  int64_t missing = cap_collect_count(collect, CAP_STUDY_MISSING);
  int64_t failed = cap_collect_count(collect, CAP_STUDY_FAILED), all = collect->table.ncase;
  if (missing && w->outcome.given_up)
    return cap_status_fail(error, CAP_ERR_NUMERICS,
                           "gave up after %d workers were lost in a row; the last was %s", w->outcome.ncrash,
                           w->outcome.how);
  if (missing)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "%lld of %lld cases are missing", (long long)missing,
                           (long long)all);
  if (failed && failed == all)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "all cases failed; the first: %s", collect->reasons[0]);
  return CAP_OK;
}

static cap_status compute(work *w, const cap_study *study, cap_error *error)
{
  cap_collect collect;
  char where[4096];
  CAP_TRY(cap_collect_create(&collect, study, error));
  const cap_workers_options options = {.nworker = w->jobs > 0 ? w->jobs : cap_platform_cores(),
                                       .progress = &w->progress,
                                       .watch = watch,
                                       .self = w};
  cap_status status = cap_workers_run(study, w->folder, &collect, &options, &w->outcome, error);
  if (status == CAP_OK || status == CAP_STOPPED) {
    cap_error own;
    cap_status written = cap_collect_write(&collect, w->folder, NULL, where, sizeof where, &own);
    if (written != CAP_OK) status = written, *error = own;
  }
  if (status == CAP_OK) status = judge(w, &collect, error);
  cap_collect_free(&collect);
  return status;
}

static cap_status run_study(const cap_study *study, work *w, cap_error *error)
{
  cap_study_folder folder;
  const capstan_options *o = w->options;
  double limit = study->time_limit;
  if (o->time_limit > 0.0 && !(limit > 0.0 && limit < o->time_limit)) limit = o->time_limit;
  w->progress = (cap_progress){
      .note = o->note, .warn = o->warn, .self = o->self, .stop = o->stop, .heard = o->heard};
  if (limit > 0.0) w->progress.deadline = cap_clock_wall() + limit;
  CAP_TRY(cap_study_folder_open(&folder, w->folder, study,
                                o->resume ? CAP_STUDY_FOLDER_RESUME : CAP_STUDY_FOLDER_BEGIN, error));
  cap_status status = compute(w, study, error);
  cap_study_folder_close(&folder);
  return status;
}

static capstan_code read_and_run(const char *path, work *w, char *message, size_t room)
{
  cap_study *study = NULL;
  cap_error error = {0};
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return fail(message, room, CAP_ERR_NOMEM, &error);
  cap_status status = cap_study_file_read(path, &study, diag);
  bool findings = diag->nerror + diag->nwarning > 0;
  if (findings) put(message, room, cap_diag_text(diag));
  if (status == CAP_OK) status = run_study(study, w, &error);
  capstan_code code = cap_session_code(status);
  if (status != CAP_OK && diag->nerror == 0) code = fail(message, room, status, &error);
  cap_study_free(study);
  cap_diag_free(diag);
  free(diag);
  return code;
}

capstan_code capstan_study(const char *path, int nsetting, const char *const *settings, const char *result,
                           int jobs, const capstan_options *options, char *message, size_t room)
{
  capstan_options own;
  put(message, room, "");
  (void)settings;
  const char *wrong = cap_session_run_options(options, &own);
  if (!wrong && own.nfeed) wrong = "options.nfeed: expected 0; the cases of a study are fed no inputs";
  if (jobs < 0) wrong = "jobs: expected a number of processes, or 0: one for each processor";
  if (nsetting) wrong = "nsetting: expected 0; what is the same in all cases stands in the study file";
  if (!result || !*result) wrong = "result: expected the name of a folder, got none";
  if (!path || !*path) wrong = "path: expected the name of a study file, got none";
  if (wrong) {
    cap_error error = {0};
    return fail(message, room, cap_status_fail(&error, CAP_ERR_INPUT, "%s", wrong), &error);
  }
  work w = {.folder = result, .jobs = jobs, .options = &own};
  cap_session_language l = cap_session_speak_plainly();
  capstan_code code = read_and_run(path, &w, message, room);
  cap_session_speak_as_before(&l);
  return code;
}

/* ---- a page -------------------------------------------------------------------------------------------- */

capstan_code capstan_report(int nresult, const char *const *results, const char *page, char *message,
                            size_t room)
{
  enum { MOST = 50 };
  cap_error error = {0};
  cap_status status = CAP_OK;
  put(message, room, "");
  if (nresult < 1 || nresult > MOST || !results)
    status = cap_status_fail(&error, CAP_ERR_INPUT, "nresult: expected 1 to %d result files", MOST);
  for (int k = 0; status == CAP_OK && k < nresult; k++)
    if (!results[k])
      status = cap_status_fail(&error, CAP_ERR_INPUT, "results[%d]: expected the name of a file, got none",
                               k);
  if (!page || !*page)
    status = cap_status_fail(&error, CAP_ERR_INPUT, "page: expected the name of a file, got none");
  cap_session_language l = cap_session_speak_plainly();
  if (status == CAP_OK) status = cap_replace_page(page, &error);
  if (status == CAP_OK)
    status = nresult > 1 ? cap_report_compare(nresult, results, page, &error)
                         : cap_report_write(results[0], page, &error);
  cap_session_speak_as_before(&l);
  return status == CAP_OK ? CAPSTAN_OK : fail(message, room, status, &error);
}
