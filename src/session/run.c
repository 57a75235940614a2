/* session/run.c — whole runs behind the public header, include/capstan/capstan.h. */
#include "io/execute.h"
#include "io/feed_file.h"
#include "io/results_tree.h"
#include "session/results.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTIONS_FIRST = sizeof(capstan_options) }; /* bytes that the options had in their first version */

/* Before and after each analysis. */
static void tell_stage(void *self, const cap_execute_stage *stage)
{
  const capstan_options *options = self;
  const cap_results_tree *tree = stage->contents;
  const char **groups = calloc((size_t)tree->ngroup + 1, sizeof *groups);
  int n = 0;
  for (int k = 0; groups && k < tree->ngroup; k++)
    if (tree->groups[k]->opened) groups[n++] = tree->groups[k]->name;
  const capstan_analysis_stage told = {.analysis = stage->analysis,
                                       .ended = stage->ended,
                                       .code = cap_session_code(stage->status),
                                       .ngroup = n,
                                       .groups = groups};
  options->stage(options->self, &told);
  free(groups);
}

const char *cap_session_run_options(const capstan_options *given, capstan_options *own)
{
  const char *wrong = cap_session_options(given, OPTIONS_FIRST, own, sizeof *own,
                                          "options.size: expected sizeof(capstan_options)");
  if (wrong) return wrong;
  if (own->threads < 0) return "options.threads: expected 1 or more, or 0";
  if (!(own->time_limit >= 0.0 && isfinite(own->time_limit)))
    return "options.time_limit: expected a time above 0, or 0: no limit";
  if (own->nfeed < 0 || own->nfeed > CAP_FEED_SOURCES) return "options.nfeed: expected 0 to 64 files";
  for (int k = 0; k < own->nfeed; k++)
    if (!own->feeds || !own->feeds[k]) return "options.feeds: expected names of files, got a null pointer";
  return NULL;
}

/* Files that feed inputs, of this run alone. */
static cap_status feed(capstan_model *m, const capstan_options *options)
{
  cap_feed_source sources[CAP_FEED_SOURCES];
  cap_model_file *file = m->held->file;
  file->feed = NULL;
  file->fed_by = NULL;
  if (!options->nfeed) return CAP_OK;
  for (int k = 0; k < options->nfeed; k++)
    sources[k] = (cap_feed_source){options->feeds[k], options->held && options->held[k]};
  CAP_TRY(cap_session_model_build(m));
  cap_diag_init(&m->diag, file->path);
  cap_status status = cap_feed_file_read(file, m->built, options->nfeed, sources, &m->diag);
  if (m->diag.nerror + m->diag.nwarning > 0) m->message = cap_diag_text(&m->diag);
  return status;
}

/* Into the file `result`, or into memory. */
static cap_status run(capstan_model *m, const char *result, int *memory, const capstan_options *options)
{
  if (m->held->file->analyses.n == 0)
    return cap_status_fail(&m->error, CAP_ERR_INPUT,
                           "%s: nothing to compute: the list \"analyses\" is empty; expected an analysis",
                           m->held->file->path);
  CAP_TRY(feed(m, options));
  cap_progress progress = {.report = options->progress,
                           .note = options->note,
                           .warn = options->warn,
                           .self = options->self,
                           .stop = options->stop,
                           .heard = options->heard};
  cap_execute_options execute = {.model = m->built,
                                 .resume = options->resume != 0,
                                 .threads = options->threads > 0 ? options->threads : 1,
                                 .time_limit = options->time_limit,
                                 .progress = &progress,
                                 .stage = options->stage ? tell_stage : NULL,
                                 .stage_self = (void *)options,
                                 .memory = memory,
                                 .complete = &m->complete};
  m->built = NULL; /* the run takes it */
  return cap_execute_file(m->held->file, result, &execute, m->result, sizeof m->result, &m->error);
}

/* What is wrong before anything is computed; NULL: nothing. */
static const char *begin(capstan_model *m, const capstan_options *options, capstan_options *own)
{
  cap_session_model_begin(m);
  m->result[0] = '\0';
  m->complete = false;
  if (!m->held) return "the model was refused, so there is nothing to run";
  return cap_session_run_options(options, own);
}

/* A failure has its sentence, unless findings say what it is. */
static capstan_code end(capstan_model *m, cap_status status)
{
  if (status == CAP_OK || m->diag.nerror > 0) return cap_session_code(status);
  return cap_session_model_fail(m, status, m->error.text);
}

capstan_code capstan_run(capstan_model *model, const char *result, const capstan_options *options)
{
  capstan_options own;
  if (!model) return CAPSTAN_BAD_INPUT;
  const char *wrong = begin(model, options, &own);
  if (!wrong && (!result || !*result)) wrong = "result: expected the name of a file, got none";
  if (wrong) return cap_session_model_fail(model, CAP_ERR_INPUT, wrong);
  cap_session_language l = cap_session_speak_plainly();
  capstan_code code = end(model, run(model, result, NULL, &own));
  cap_session_speak_as_before(&l);
  return code;
}

capstan_code capstan_run_memory(capstan_model *model, const capstan_options *options,
                                capstan_results **results)
{
  capstan_options own;
  int fd = -1;
  if (results) *results = NULL;
  if (!model || !results) return CAPSTAN_BAD_INPUT;
  const char *wrong = begin(model, options, &own);
  if (!wrong && own.resume) wrong = "options.resume: expected 0; results in memory cannot be resumed";
  if (wrong) return cap_session_model_fail(model, CAP_ERR_INPUT, wrong);
  cap_session_language l = cap_session_speak_plainly();
  capstan_code code = end(model, run(model, NULL, &fd, &own)), held = CAPSTAN_OK;
  if (fd >= 0) held = cap_session_results_hold(fd, results);
  cap_session_speak_as_before(&l);
  if (held == CAPSTAN_OK || code != CAPSTAN_OK) return code;
  cap_session_model_fail(model, CAP_ERR_NOMEM,
                         "the results of the run could not be read again: out of memory");
  return held;
}

const char *capstan_result_path(const capstan_model *model)
{
  return model ? model->result : "";
}

int capstan_result_complete(const capstan_model *model)
{
  return model && model->complete;
}
