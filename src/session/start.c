/* session/start.c — from a model to a session: capstan_start, capstan_end. */
#include "analysis/stepping.h"
#include "io/execute.h"
#include "io/model_parse.h"
#include "session/session.h"
#include "version.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char what[] = "transient"; /* whose keys a session has */

locale_t cap_session_enter(capstan_session *s)
{
  s->message[0] = 0;
  s->error = (cap_error){0};
  return s->plain ? uselocale(s->plain) : (locale_t)0;
}

capstan_code cap_session_leave(capstan_session *s, locale_t before, cap_status status)
{
  if (status != CAP_OK)
    snprintf(s->message, sizeof s->message, "%s", s->error.text[0] ? s->error.text : cap_status_text(status));
  if (before) uselocale(before);
  return cap_session_code(status);
}

capstan_code cap_session_refuse(capstan_session *s, const char *format, ...)
{
  va_list list;
  va_start(list, format);
  locale_t before = cap_session_enter(s);
  vsnprintf(s->error.text, sizeof s->error.text, format, list);
  va_end(list);
  return cap_session_leave(s, before, CAP_ERR_INPUT);
}

bool cap_session_indices(capstan_session *s, int n, const int *index, int most, const char *of)
{
  if (n < 0 || (n > 0 && !index)) {
    cap_session_refuse(s, "%s: expected a number of indices and a list of them, got %d%s", of, n,
                       index ? "" : " and no list");
    return false;
  }
  for (int k = 0; k < n; k++)
    if (index[k] < 0 || index[k] >= most) {
      if (most == 0)
        cap_session_refuse(s, "%s: index[%d] is %d, but the model has no %ss", of, k, index[k], of);
      else
        cap_session_refuse(s, "%s: expected an index from 0 to %d, got index[%d] = %d", of, most - 1, k,
                           index[k]);
      return false;
    }
  return true;
}

static void note(void *self, const char *text)
{
  const capstan_session *s = self;
  if (s->options.log) s->options.log(s->options.self, "note", text);
}

static void warn(void *self, const char *text)
{
  const capstan_session *s = self;
  if (s->options.log) s->options.log(s->options.self, "warning", text);
}

/* The keys of the transient that was asked for, or the defaults of all of them. */
static cap_status find_keys(capstan_session *s)
{
  const cap_model_file *file = s->held->file;
  const int wanted = s->options.transient;
  const void *keys = cap_execute_analysis(file, what, wanted > 0 ? wanted - 1 : 0);
  if (keys && wanted >= 0) {
    memcpy(&s->keys, keys, sizeof s->keys);
    return CAP_OK;
  }
  if (wanted != 0)
    return cap_status_fail(
        &s->error, CAP_ERR_INPUT,
        "options.transient: expected one of the model file's transients, counted from 1, got %d", wanted);
  return cap_model_parse_defaults(cap_transient_fields, "{until: 1 s}", &s->arena, &s->keys, &s->error);
}

static cap_status change_method(capstan_session *s, const char *method)
{
  char known[300] = "";
  for (int k = 0; cap_stepping_methods[k]; k++) {
    if (strcmp(cap_stepping_methods[k], method) == 0) {
      s->keys.stepping.method = k;
      return CAP_OK;
    }
    size_t used = strlen(known);
    snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", cap_stepping_methods[k]);
  }
  return cap_status_fail(&s->error, CAP_ERR_INPUT, "options.method: expected one of %s, got \"%.60s\"", known,
                         method);
}

static cap_status change_keys(capstan_session *s)
{
  const capstan_start_options *o = &s->options;
  if (o->method) CAP_TRY(change_method(s, o->method));
  if (!(o->step >= 0.0 && isfinite(o->step)))
    return cap_status_fail(&s->error, CAP_ERR_INPUT,
                           "options.step: expected a time above 0 s, or 0, got %g s", o->step);
  if (!(o->tolerance >= 0.0 && o->tolerance < 1.0))
    return cap_status_fail(&s->error, CAP_ERR_INPUT,
                           "options.tolerance: expected a number above 0 and below 1, or 0, got %g",
                           o->tolerance);
  if (o->step > 0.0) s->keys.stepping.step = o->step, s->keys.stepping.step_given = true;
  if (o->tolerance > 0.0) s->keys.tolerance = o->tolerance, s->keys.tolerance_given = true;
  return CAP_OK;
}

/* What `capstan check` would say of a transient with these keys. */
static cap_status check_keys(capstan_session *s)
{
  const cap_model *m = s->model;
  const cap_analysis *transient = NULL;
  for (int k = 0; cap_registry_analyses[k]; k++)
    if (strcmp(cap_registry_analyses[k]->name, what) == 0) transient = cap_registry_analyses[k];
  if (m->nv == 0)
    return cap_status_fail(&s->error, CAP_ERR_INPUT,
                           "nothing moves in the drive %s; expected one that moves over time",
                           s->held->file->drive->name);
  const char *obstacle = transient ? cap_registry_obstacle(transient, m) : NULL;
  if (obstacle) return cap_status_fail(&s->error, CAP_ERR_INPUT, "%s", obstacle);
  cap_diag *diag = calloc(1, sizeof *diag);
  if (!diag) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  cap_diag_init(diag, s->held->file->path);
  cap_stepping_check_keys(&s->keys.stepping, m, what, diag);
  cap_status status = CAP_OK;
  for (int k = diag->nitem - 1; k >= 0; k--) {
    const cap_diag_item *item = &diag->items[k];
    if (item->warning) warn(s, item->text);
    else status = cap_status_fail(&s->error, CAP_ERR_INPUT, "%s: %s", item->path, item->text);
  }
  cap_diag_free(diag);
  free(diag);
  return status;
}

/* Whatever makes a saved state one of this session. */
static void identify(capstan_session *s)
{
  const cap_model_file *file = s->held->file;
  const cap_model *m = s->model;
  const char *method = s->march.stepper.type->name;
  const double numbers[] = {s->keys.stepping.step, s->keys.tolerance};
  const int64_t sizes[] = {m->nv,
                           m->nx,
                           m->ninput,
                           s->keys.stepping.substeps,
                           s->keys.solver,
                           s->keys.correction,
                           (int64_t)cap_march_size(&s->march)};
  cap_hash hash;
  cap_hash_init(&hash, 0);
  cap_hash_add(&hash, file->source, strlen(file->source) + 1);
  for (int k = 0; k < file->nsetting; k++)
    cap_hash_add(&hash, file->settings[k], strlen(file->settings[k]) + 1);
  for (int k = 0; k < file->ninput; k++) cap_hash_add(&hash, &file->inputs[k].hash, sizeof(cap_hash128));
  cap_hash_add(&hash, method, strlen(method) + 1);
  cap_hash_add(&hash, numbers, sizeof numbers);
  cap_hash_add(&hash, sizes, sizeof sizes);
  s->identity = cap_hash_value128(&hash);
}

/* As the transient analysis begins, without its rows. */
static cap_status begin(capstan_session *s)
{
  cap_execute_workshop *shop = cap_execute_workshop_create(s->held->file, &s->run);
  if (!shop) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_march_open(&s->march, what, &s->run, &s->keys);
  if (status == CAP_OK) status = cap_march_begin(&s->march);
  cap_execute_workshop_free(shop);
  return status;
}

static cap_status start(capstan_session *s)
{
  const char *every[] = {"*"};
  const cap_texts all = {.n = 1, .v = every};
  CAP_TRY(find_keys(s));
  CAP_TRY(change_keys(s));
  CAP_TRY(cap_execute_build(s->held->file, &s->model, &s->error));
  CAP_TRY(check_keys(s));
  s->model->progress = &s->progress;
  s->data = cap_data_create(s->model);
  if (!s->data) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  s->run = (cap_run){
      .model = s->model, .data = s->data, .progress = &s->progress, .error = &s->error, .threads = 1};
  CAP_TRY(begin(s));
  if (!isfinite(s->data->start_energy[0])) /* else no balance would ever be */
    return cap_status_fail(&s->error, CAP_ERR_NUMERICS, "at t = %.9g s the stored energy is not finite",
                           *s->data->t);
  identify(s);
  if (s->model->nchannel) CAP_TRY(cap_channels_select(&s->channels, s->model, &all, &s->error));
  s->outputs = CAP_ARENA_NEW(&s->arena, double, s->channels.n + 1);
  s->lines = CAP_ARENA_NEW(&s->arena, cap_balance_line, s->model->nmech + 4);
  if (!s->outputs || !s->lines) return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  return cap_session_watch_create(s);
}

enum { OPTIONS_FIRST = sizeof(capstan_start_options) }; /* bytes that they had in their first version */

capstan_code capstan_start(capstan_model *model, const capstan_start_options *options,
                           capstan_session **session)
{
  if (!session) return CAPSTAN_BAD_INPUT;
  capstan_session *s = *session = calloc(1, sizeof *s);
  if (!s) return CAPSTAN_FAILED;
  if (!model || !model->held)
    return cap_session_refuse(s, model ? "the model was refused, so there is nothing to start"
                                       : "expected a model, got none");
  const char *wrong = cap_session_options(options, OPTIONS_FIRST, &s->options, sizeof s->options,
                                          "options.size: expected sizeof(capstan_start_options)");
  if (wrong) return cap_session_refuse(s, "%s", wrong);
  s->plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  s->held = cap_session_file_hold(model->held);
  s->progress = (cap_progress){.note = note, .warn = warn, .self = s, .stop = s->options.stop};
  locale_t before = cap_session_enter(s);
  cap_status status = start(s);
  s->started = status == CAP_OK;
  return cap_session_leave(s, before, status);
}

const char *capstan_session_message(const capstan_session *session)
{
  return session ? session->message : "out of memory\n";
}

const char *capstan_session_method(const capstan_session *session)
{
  return session && session->started ? session->march.stepper.type->name : "";
}

void capstan_end(capstan_session *session)
{
  if (!session) return;
  cap_march_close(&session->march);
  cap_channels_free(&session->channels);
  cap_data_free(session->data);
  cap_model_free(session->model);
  cap_session_file_leave(session->held);
  cap_arena_free(&session->arena);
  free(session->mark);
  free(session->slope_work);
  if (session->plain) freelocale(session->plain);
  free(session);
}
