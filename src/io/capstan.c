/* io/capstan.c — the public calls of include/capstan/capstan.h. */
#include "capstan/capstan.h"
#include "io/execute.h"
#include "version.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>

struct capstan_model {
  cap_model_file *file; /* NULL: refused */
  cap_model *built;     /* of the file, for the first run */
  cap_diag diag;
  cap_error error;
  char sentence[sizeof(((cap_error *)0)->text) + 2]; /* of the error, as a line */
  const char *message;
};

/* As the program's exit codes (cli/cli.h): what the caller can mend, and what not. */
static capstan_code code_of(cap_status status)
{
  switch (status) {
  case CAP_OK:
    return CAPSTAN_OK;
  case CAP_ERR_INPUT:
  case CAP_ERR_IO:
  case CAP_ERR_UNSUPPORTED:
    return CAPSTAN_BAD_INPUT;
  default:
    return CAPSTAN_FAILED;
  }
}

static capstan_code fail(capstan_model *model, cap_status status, const char *text)
{
  snprintf(model->sentence, sizeof model->sentence, "%s\n", text && *text ? text : cap_status_text(status));
  model->message = model->sentence;
  return code_of(status);
}

const char *capstan_version(void)
{
  return CAPSTAN_VERSION;
}

/* Numbers are read and written with a point, whatever the caller's language; only in the calling thread
 * and those that it starts here. */
typedef struct language {
  locale_t plain, before;
} language;

static language speak_plainly(void)
{
  language l = {.plain = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
  if (l.plain) l.before = uselocale(l.plain);
  return l;
}

static void speak_as_before(const language *l)
{
  if (!l->plain) return;
  uselocale(l->before);
  freelocale(l->plain);
}

static cap_status open_model(capstan_model *m, const char *path, int nsetting, const char *const *settings)
{
  language l = speak_plainly();
  cap_status status = cap_model_file_read(path, nsetting, settings, &m->file, &m->diag);
  if (status == CAP_OK) status = cap_execute_check(m->file, &m->built, &m->diag, &m->error);
  if (m->diag.nerror + m->diag.nwarning > 0) m->message = cap_diag_text(&m->diag);
  speak_as_before(&l);
  return status;
}

capstan_code capstan_open(const char *path, int nsetting, const char *const *settings, capstan_model **model)
{
  capstan_model *m = *model = calloc(1, sizeof *m);
  if (!m) return CAPSTAN_FAILED;
  m->message = "";
  cap_status status = open_model(m, path, nsetting, settings);
  if (status == CAP_OK) return CAPSTAN_OK;
  cap_model_file_free(m->file); /* nothing to run */
  m->file = NULL;
  if (m->diag.nerror == 0) return fail(m, status, m->error.text);
  return code_of(status);
}

capstan_code capstan_run(capstan_model *model, const char *result, const capstan_options *options)
{
  static const capstan_options usual = {0};
  if (!model) return CAPSTAN_FAILED;
  if (!model->file) return fail(model, CAP_ERR_INPUT, "the model was refused, so there is nothing to run");
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
  language l = speak_plainly();
  cap_status status = cap_execute_file(model->file, result, &execute, NULL, 0, &model->error);
  speak_as_before(&l);
  return status == CAP_OK ? CAPSTAN_OK : fail(model, status, model->error.text);
}

const char *capstan_message(const capstan_model *model)
{
  return model ? model->message : "out of memory\n";
}

void capstan_close(capstan_model *model)
{
  if (!model) return;
  cap_model_free(model->built);
  cap_model_file_free(model->file);
  cap_diag_free(&model->diag);
  free(model);
}
