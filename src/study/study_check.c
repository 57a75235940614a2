/* study/study_check.c — see study_check.h. */
#include "study/study_check.h"
#include "io/execute.h"
#include "io/feed_file.h"
#include "study/study_channels.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 200 }; /* that are read for a check: each takes some milliseconds */

/* ----------------------------------------------------------------------------------------------- findings */

/* The number of the setting of "set" that a finding is about, by its name "--set PATH=VALUE"; -1: none. */
static int setting_of(const cap_study_reading *r, const char *file)
{
  if (!file || strncmp(file, "--set ", 6) != 0) return -1;
  for (int k = 0; k < r->raw.set.n; k++)
    if (strcmp(r->raw.set.v[k], file + 6) == 0) return k;
  return -1;
}

void cap_study_check_tell(cap_study_reading *r, const cap_diag *model)
{
  cap_diag *diag = r->diag;
  for (int k = 0; k < model->nitem; k++) {
    const cap_diag_item *item = &model->items[k];
    if (item->warning) continue;
    int setting = setting_of(r, item->file);
    if (setting >= 0) {
      char path[32];
      snprintf(path, sizeof path, "set[%d]", setting);
      cap_diag_at(diag, path, "\"%.100s\": %s%s%s", r->raw.set.v[setting], item->path ? item->path : "",
                  item->path ? ": " : "", item->text);
      continue;
    }
    const char *file = diag->file;
    diag->file = item->file ? cap_arena_copy_text(&diag->arena, item->file) : NULL;
    cap_diag_add(diag, item->line, item->column, item->path, "%s", item->text);
    diag->file = file;
  }
}

/* ------------------------------------------------------------------------------------------------- values */

typedef struct trial {
  cap_study_reading *r;
  int factor; /* -1: all nominal */
  int nmodel;
} trial;

/* The model, with the files that feed it. */
static cap_status check_fed(const cap_study *s, cap_model_file *file, cap_diag *diag, cap_error *error)
{
  cap_model *model = NULL;
  cap_status status = cap_execute_check(file, &model, diag, error);
  if (status == CAP_OK) status = cap_feed_file_read(file, model, s->nfeed, s->feeds, diag);
  cap_model_free(model);
  return status;
}

/* What the model says to one set of values: "" when it takes them. */
static cap_status ask(trial *t, const double *values, char *answer, size_t size)
{
  cap_model_file *file = NULL;
  cap_error error = {0};
  cap_diag *own = malloc(sizeof *own);
  answer[0] = 0;
  if (!own) return CAP_ERR_NOMEM;
  cap_status status = cap_study_reading_model(t->r, values, &file, own);
  if (status == CAP_OK) status = check_fed(t->r->study, file, own, &error);
  if (status != CAP_OK && status != CAP_ERR_NOMEM) {
    const cap_diag_item *item = own->nitem ? &own->items[0] : NULL;
    const char *at = !item ? NULL : item->path ? item->path : item->file;
    if (at && strncmp(at, "--set ", 6) == 0) at += 6;
    snprintf(answer, size, "%s%s%s", at ? at : "", at ? ": " : "", item ? item->text : error.text);
    status = CAP_OK;
  }
  t->nmodel++;
  cap_model_file_free(file);
  cap_diag_free(own);
  free(own);
  return status;
}

/* Where the study file says this value: by its number among those listed, or as an end of a range. */
static void place_of(const cap_study_reading *r, int f, double at, char *path, size_t size)
{
  const cap_study_fields_factor *raw = (const cap_study_fields_factor *)r->raw.factors.items + f;
  const cap_study_factor *factor = &r->study->factors[f];
  int n = snprintf(path, size, "factors[%d]", f);
  path += n, size -= (size_t)n;
  if (factor->nlevel) snprintf(path, size, ".levels");
  else if (raw->distribution_given) snprintf(path, size, ".distribution");
  else if (raw->from && factor->nvalue) snprintf(path, size, factor->values[0] == at ? ".from" : ".to");
  for (int k = 0; k < raw->values.n; k++)
    if (factor->values[k] == at) snprintf(path, size, ".values[%d]", k);
}

static void tell(trial *t, double at, const char *answer)
{
  const cap_study_factor *f = &t->r->study->factors[t->factor];
  char path[64], shown[100];
  place_of(t->r, t->factor, at, path, sizeof path);
  if (f->nlevel) snprintf(shown, sizeof shown, "\"%.60s\"", f->labels[(int)at - 1]);
  else cap_units_format(shown, sizeof shown, at, f->unit);
  cap_diag_at(t->r->diag, path, "the model does not take %s = %s: %s", f->name, shown, answer);
}

/* The other factors are nominal; in a table, where factors may go together, as in the first row with the
 * value. */
static const double *others(const trial *t, double at, double *nominal)
{
  const cap_study *s = t->r->study;
  for (int f = 0; f < s->nfactor; f++) nominal[f] = s->factors[f].nominal;
  for (int64_t k = 0; k < s->ncase && s->design == CAP_STUDY_TABLE; k++)
    if (s->values[k * s->nfactor + t->factor] == at) return s->values + k * s->nfactor;
  return nominal;
}

static cap_status try_value(trial *t, double at)
{
  const cap_study *s = t->r->study;
  double values[CAP_STUDY_FACTORS], nominal[CAP_STUDY_FACTORS];
  char answer[1200];
  cap_error error = {0};
  memcpy(values, others(t, at, nominal), (size_t)s->nfactor * sizeof *values);
  values[t->factor] = at;
  cap_status status = cap_study_fill(s, values, &error);
  if (status == CAP_ERR_NOMEM) return status;
  if (status != CAP_OK) snprintf(answer, sizeof answer, "%s", error.text);
  else CAP_TRY(ask(t, values, answer, sizeof answer));
  if (answer[0]) tell(t, at, answer);
  return CAP_OK;
}

/* The ends of what the cases take, and of what an optimiser may. */
static void range_of(const cap_study *s, int f, double *low, double *high)
{
  *low = *high = s->values[f];
  for (int64_t k = 1; k < s->ncase; k++) {
    *low = fmin(*low, s->values[k * s->nfactor + f]);
    *high = fmax(*high, s->values[k * s->nfactor + f]);
  }
  if (!s->optimise) return;
  if (isfinite(s->factors[f].low)) *low = fmin(*low, s->factors[f].low);
  if (isfinite(s->factors[f].high)) *high = fmax(*high, s->factors[f].high);
}

static cap_status try_factor(trial *t)
{
  const cap_study_factor *f = &t->r->study->factors[t->factor];
  if (f->npath == 0 && t->r->study->nformula == 0) return CAP_OK;
  if (f->nlevel) {
    for (int k = 0; k < f->nlevel && t->nmodel < MOST_MODELS; k++) CAP_TRY(try_value(t, k + 1));
    return CAP_OK;
  }
  double low, high;
  range_of(t->r->study, t->factor, &low, &high);
  if (t->nmodel < MOST_MODELS) CAP_TRY(try_value(t, low));
  if (t->nmodel < MOST_MODELS && high != low) CAP_TRY(try_value(t, high));
  return CAP_OK;
}

/* Findings of the model by itself, at their places in it; false: there are none. */
static bool tell_model(cap_study_reading *r)
{
  cap_error error = {0};
  cap_diag *own = calloc(1, sizeof *own);
  if (!own) return false;
  cap_diag_init(own, r->study->model_path);
  check_fed(r->study, r->model, own, &error);
  bool found = own->nerror > 0;
  if (found) cap_study_check_tell(r, own);
  cap_diag_free(own);
  free(own);
  return found;
}

static cap_status try_nominal(trial *t)
{
  const cap_study *s = t->r->study;
  double values[CAP_STUDY_FACTORS];
  char answer[1200];
  if (s->design == CAP_STUDY_TABLE) return CAP_OK; /* which may do without it */
  for (int f = 0; f < s->nfactor; f++) values[f] = s->factors[f].nominal;
  CAP_TRY(ask(t, values, answer, sizeof answer));
  if (answer[0] && !tell_model(t->r))
    cap_diag_at(t->r->diag, "factors", "the model does not take the nominal values: %s", answer);
  return CAP_OK;
}

cap_status cap_study_check_values(cap_study_reading *r)
{
  trial t = {.r = r};
  int before = r->diag->nerror;
  CAP_TRY(cap_study_channels_check(r));
  CAP_TRY(try_nominal(&t));
  if (r->diag->nerror > before) return CAP_ERR_INPUT; /* it would be said of every factor */
  for (int i = 0; i < r->study->nindependent; i++) {
    t.factor = r->study->independent[i];
    CAP_TRY(try_factor(&t));
  }
  return r->diag->nerror > before ? CAP_ERR_INPUT : CAP_OK;
}
