/* session/model.c — the public calls on models, include/capstan/capstan.h. */
#include "session/model.h"
#include "io/execute.h"
#include "linalg/lapack.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>

cap_session_file *cap_session_file_hold(cap_session_file *file)
{
  atomic_fetch_add(&file->holders, 1);
  return file;
}

void cap_session_file_leave(cap_session_file *file)
{
  if (!file || atomic_fetch_sub(&file->holders, 1) != 1) return;
  cap_model_file_free(file->file);
  free(file);
}

capstan_code cap_session_code(cap_status status)
{
  switch (status) {
  case CAP_OK:
    return CAPSTAN_OK;
  case CAP_ERR_INPUT:
  case CAP_ERR_IO:
  case CAP_ERR_UNSUPPORTED:
    return CAPSTAN_BAD_INPUT;
  case CAP_STOPPED:
    return CAPSTAN_STOPPED;
  default:
    return CAPSTAN_FAILED;
  }
}

capstan_code cap_session_model_fail(capstan_model *model, cap_status status, const char *text)
{
  snprintf(model->sentence, sizeof model->sentence, "%s\n", text && *text ? text : cap_status_text(status));
  model->message = model->sentence;
  return cap_session_code(status);
}

const char *capstan_version(void)
{
  return CAPSTAN_VERSION;
}

cap_session_language cap_session_speak_plainly(void)
{
  cap_session_language l = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (l.plain) l.before = uselocale(l.plain);
  return l;
}

void cap_session_speak_as_before(const cap_session_language *l)
{
  if (!l->plain) return;
  uselocale(l->before);
  freelocale(l->plain);
}

static cap_status open_model(capstan_model *m, const char *path, int nsetting, const char *const *settings)
{
  cap_session_language l = cap_session_speak_plainly();
  cap_model_file *file = NULL;
  cap_status status = cap_model_file_read(path, nsetting, settings, &file, &m->diag);
  if (status == CAP_OK) status = cap_execute_check(file, &m->built, &m->diag, &m->error);
  if (status == CAP_OK && !(m->held = calloc(1, sizeof *m->held)))
    status = cap_status_fail(&m->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) {
    m->held->file = file;
    atomic_init(&m->held->holders, 1);
  } else cap_model_file_free(file); /* nothing to run */
  if (m->diag.nerror + m->diag.nwarning > 0) m->message = cap_diag_text(&m->diag);
  cap_session_speak_as_before(&l);
  return status;
}

capstan_code capstan_open(const char *path, int nsetting, const char *const *settings, capstan_model **model)
{
  capstan_model *m = *model = calloc(1, sizeof *m);
  if (!m) return CAPSTAN_FAILED;
  m->message = "";
  cap_status status = open_model(m, path, nsetting, settings);
  if (status == CAP_OK) return CAPSTAN_OK;
  if (m->diag.nerror == 0) return cap_session_model_fail(m, status, m->error.text);
  return cap_session_code(status);
}

capstan_code capstan_run(capstan_model *model, const char *result, const capstan_options *options)
{
  static const capstan_options usual = {0};
  capm_lapack_one_thread(); /* results do not depend on the number of threads that the BLAS would take */
  if (!model) return CAPSTAN_FAILED;
  if (!model->held)
    return cap_session_model_fail(model, CAP_ERR_INPUT, "the model was refused, so there is nothing to run");
  if (!options) options = &usual;
  cap_progress progress = {
      .report = options->progress, .note = options->note, .self = options->self, .stop = options->stop};
  cap_execute_options execute = {.model = model->built,
                                 .resume = options->resume != 0,
                                 .threads = options->threads > 0 ? options->threads : 1,
                                 .progress = &progress};
  model->built = NULL;
  model->error = (cap_error){0};
  model->message = "";
  cap_session_language l = cap_session_speak_plainly();
  cap_status status = cap_execute_file(model->held->file, result, &execute, NULL, 0, &model->error);
  cap_session_speak_as_before(&l);
  return status == CAP_OK ? CAPSTAN_OK : cap_session_model_fail(model, status, model->error.text);
}

const char *capstan_message(const capstan_model *model)
{
  return model ? model->message : "out of memory\n";
}

void capstan_close(capstan_model *model)
{
  if (!model) return;
  cap_model_free(model->built);
  cap_session_file_leave(model->held);
  cap_diag_free(&model->diag);
  free(model);
}
