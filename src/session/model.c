/* session/model.c — the public calls on models, include/capstan/capstan.h: from text to a checked model, and
 * what it has to say. */
#include "session/model.h"
#include "io/execute.h"
#include "io/preview.h"
#include "io/text_file.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void cap_session_model_begin(capstan_model *model)
{
  cap_diag_free(&model->diag);
  model->findings = NULL;
  model->error = (cap_error){0};
  model->message = "";
}

capstan_code cap_session_model_fail(capstan_model *model, cap_status status, const char *text)
{
  snprintf(model->sentence, sizeof model->sentence, "%s\n", text && *text ? text : cap_status_text(status));
  model->message = model->sentence;
  return cap_session_code(status);
}

cap_status cap_session_model_build(capstan_model *model)
{
  return model->built ? CAP_OK : cap_execute_build(model->held->file, &model->built, &model->error);
}

/* The first member of every struct of options is its size. */
const char *cap_session_options(const void *given, size_t first, void *own, size_t size, const char *name)
{
  size_t own_size = size, given_size;
  memset(own, 0, size);
  memcpy(own, &own_size, sizeof own_size);
  if (!given) return NULL;
  memcpy(&given_size, given, sizeof given_size);
  if (given_size < first || given_size > size) return name;
  memcpy(own, given, given_size);
  return NULL;
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

/* ---- from text to a model ------------------------------------------------------------------------------ */

static void forget_lists(capstan_model *m)
{
  memset(m->lists, 0, sizeof m->lists);
  m->analyses = NULL;
  cap_arena_free(&m->words);
  free(m->description);
  m->description = NULL;
}

/* Check what was read, and take it in the place of what was there. */
static cap_status adopt(capstan_model *m, cap_status status, cap_model_file *file)
{
  cap_model *built = NULL;
  cap_session_file *held = NULL;
  if (status == CAP_OK) status = cap_execute_check(file, &built, &m->diag, &m->error);
  if (status == CAP_OK && !(held = calloc(1, sizeof *held)))
    status = cap_status_fail(&m->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) {
    held->file = file;
    atomic_init(&held->holders, 1);
    forget_lists(m);
    cap_model_free(m->built);
    cap_session_file_leave(m->held);
    m->held = held;
    m->built = built;
  } else {
    cap_model_free(built);
    cap_model_file_free(file);
  }
  if (m->diag.nerror + m->diag.nwarning > 0) m->message = cap_diag_text(&m->diag);
  return status;
}

/* A status as a code, with the reason in the message unless the findings have it. */
static capstan_code close_with(capstan_model *m, cap_status status)
{
  if (status == CAP_OK || m->diag.nerror > 0) return cap_session_code(status);
  return cap_session_model_fail(m, status, m->error.text);
}

/* What is wrong with a list of settings; NULL: nothing. */
static const char *refuse_settings(int nsetting, const char *const *settings)
{
  if (nsetting < 0) return "nsetting: expected a number of settings, 0 or more";
  for (int k = 0; k < nsetting; k++)
    if (!settings || !settings[k])
      return "settings: expected texts such as \"load.amplitude=13 N\", got a null pointer";
  return NULL;
}

static capstan_model *create(capstan_model **model)
{
  capstan_model *m = *model = calloc(1, sizeof *m);
  if (m) m->message = "";
  return m;
}

capstan_code capstan_open(const char *path, int nsetting, const char *const *settings, capstan_model **model)
{
  if (!model) return CAPSTAN_BAD_INPUT;
  capstan_model *m = create(model);
  if (!m) return CAPSTAN_FAILED;
  const char *wrong = refuse_settings(nsetting, settings);
  if (!path) wrong = "path: expected the name of a model file, got a null pointer";
  if (wrong) return cap_session_model_fail(m, CAP_ERR_INPUT, wrong);
  cap_session_language l = cap_session_speak_plainly();
  cap_model_file *file = NULL;
  cap_status status = cap_model_file_read(path, nsetting, settings, &file, &m->diag);
  status = adopt(m, status, file);
  cap_session_speak_as_before(&l);
  return close_with(m, status);
}

capstan_code capstan_open_text(const char *text, size_t size, const char *path, int nsetting,
                               const char *const *settings, capstan_model **model)
{
  if (!model) return CAPSTAN_BAD_INPUT;
  capstan_model *m = create(model);
  if (!m) return CAPSTAN_FAILED;
  const char *wrong = refuse_settings(nsetting, settings);
  if (!path) wrong = "path: expected a name for the model in messages, got a null pointer";
  if (!text) wrong = "text: expected the text of a model file, got a null pointer";
  if (size > CAP_TEXT_FILE_MOST) wrong = "size: expected at most 16 MiB of text";
  if (wrong) return cap_session_model_fail(m, CAP_ERR_INPUT, wrong);
  cap_session_language l = cap_session_speak_plainly();
  cap_model_file *file = NULL;
  cap_status status = cap_model_file_parse(path, text, size, nsetting, settings, &file, &m->diag);
  status = adopt(m, status, file);
  cap_session_speak_as_before(&l);
  return close_with(m, status);
}

/* The text of before with all settings that there were, and these. */
static cap_status read_again(capstan_model *m, int nsetting, const char *const *settings)
{
  const cap_model_file *old = m->held->file;
  cap_model_file *file = NULL;
  size_t all = (size_t)old->nsetting + (size_t)nsetting;
  const char **texts = all < INT32_MAX ? calloc(all + 1, sizeof *texts) : NULL;
  if (!texts) return cap_status_fail(&m->error, CAP_ERR_NOMEM, "out of memory");
  if (old->nsetting) memcpy(texts, old->settings, (size_t)old->nsetting * sizeof *texts);
  if (nsetting) memcpy(texts + old->nsetting, settings, (size_t)nsetting * sizeof *texts);
  cap_status status = cap_model_file_parse(old->path, old->source, strlen(old->source), (int)all, texts,
                                           &file, &m->diag);
  free(texts);
  return adopt(m, status, file);
}

capstan_code capstan_set(capstan_model *model, int nsetting, const char *const *settings)
{
  if (!model) return CAPSTAN_BAD_INPUT;
  cap_session_model_begin(model);
  const char *wrong = refuse_settings(nsetting, settings);
  if (!model->held) wrong = "the model was refused, so there is nothing to set: open it with these settings";
  if (wrong) return cap_session_model_fail(model, CAP_ERR_INPUT, wrong);
  cap_session_language l = cap_session_speak_plainly();
  cap_status status = read_again(model, nsetting, settings);
  cap_session_speak_as_before(&l);
  return close_with(model, status);
}

/* ---- what it has to say -------------------------------------------------------------------------------- */

const char *capstan_message(const capstan_model *model)
{
  return model ? model->message : "out of memory\n";
}

int capstan_findings(const capstan_model *model, const capstan_finding **findings)
{
  const cap_diag_item *sorted[CAP_DIAG_MOST];
  if (findings) *findings = NULL;
  if (!model || !findings) return 0;
  capstan_model *m = (capstan_model *)
      model; /* what is made once and kept does not change it for the caller */
  int n = cap_diag_sort(&m->diag, sorted);
  if (n && !m->findings) {
    m->findings = CAP_ARENA_NEW(&m->diag.arena, capstan_finding, n);
    if (!m->findings) return 0;
    for (int k = 0; k < n; k++)
      m->findings[k] = (capstan_finding){.warning = sorted[k]->warning,
                                         .file = sorted[k]->file ? sorted[k]->file : "",
                                         .line = sorted[k]->line > 0 ? sorted[k]->line : 0,
                                         .column = sorted[k]->column > 0 ? sorted[k]->column : 0,
                                         .path = sorted[k]->path ? sorted[k]->path : "",
                                         .text = sorted[k]->text};
  }
  *findings = m->findings;
  return n;
}

static cap_status describe(capstan_model *m)
{
  cap_summary summary = {0};
  size_t size;
  CAP_TRY(cap_session_model_build(m));
  cap_status status = cap_preview_make(m->held->file, m->built, &summary);
  FILE *stream = status == CAP_OK ? open_memstream(&m->description, &size) : NULL;
  if (stream) {
    cap_preview_print(m->held->file, &summary, false, stream);
    if (fclose(stream) != 0) {
      free(m->description);
      m->description = NULL;
    }
  }
  cap_summary_free(&summary);
  return m->description ? CAP_OK : cap_status_fail(&m->error, CAP_ERR_NOMEM, "out of memory");
}

const char *capstan_describe(capstan_model *model)
{
  if (!model || !model->held) return "";
  if (model->description) return model->description;
  cap_session_model_begin(model);
  cap_session_language l = cap_session_speak_plainly();
  cap_status status = describe(model);
  cap_session_speak_as_before(&l);
  if (status == CAP_OK) return model->description;
  cap_session_model_fail(model, status, model->error.text);
  return "";
}

int capstan_analyses(capstan_model *model, const char *const **names)
{
  if (names) *names = NULL;
  if (!model || !model->held || !names) return 0;
  const cap_model_file *file = model->held->file;
  int n = file->analyses.n;
  if (!model->analyses) {
    model->analyses = CAP_ARENA_NEW(&model->words, const char *, n + 1);
    if (!model->analyses) return 0;
    for (int k = 0; k < n; k++) {
      const char *spec = (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
      model->analyses[k] = cap_registry_analyses[*(const int *)(const void *)spec]->name;
    }
  }
  *names = model->analyses;
  return n;
}

void capstan_close(capstan_model *model)
{
  if (!model) return;
  forget_lists(model);
  cap_model_free(model->built);
  cap_session_file_leave(model->held);
  cap_diag_free(&model->diag);
  free(model);
}
