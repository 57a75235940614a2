/* study/study_channels.c — see study_channels.h. */
#include "study/study_channels.h"
#include "base/expr.h"
#include "base/names.h"
#include "base/nearest.h"
#include "io/execute.h"
#include "model/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MODELS = 200 }; /* that are read for it */

/* -------------------------------------------------------------------------------------- what may be there */

static const cap_analysis *analysis_of(const cap_model_file *file, int k)
{
  const void *spec = (const char *)file->analyses.items + (size_t)k * cap_registry_largest_spec();
  return cap_registry_analyses[*(const int *)spec];
}

/* Groups are called after their analysis, with a number when there are several, but for a few. */
static bool owns(const cap_analysis *analysis, const char *group)
{
  return strncmp(group, analysis->name, strlen(analysis->name)) == 0;
}

/* Whether an analysis of the model may put something of this name beside the channels, into `group` where
 * that is given. */
static bool put_beside(const cap_model_file *file, const char *channel, const char *group)
{
  bool owned = false;
  for (int k = 0; k < file->analyses.n; k++) {
    const cap_analysis *analysis = analysis_of(file, k);
    if (group && !owns(analysis, group)) continue;
    owned = true;
    if (!analysis->beside) return true;
    for (const char *const *pattern = analysis->beside; *pattern; pattern++)
      if (cap_names_fit(*pattern, channel)) return true;
  }
  return group && !owned;
}

/* Whether `channel` is "span.X.tension" with an X that the model's own channels of that kind do not have:
 * analyses call what they put after the same parts. */
static bool names_no_part(const cap_model *model, const char *channel)
{
  const char *first = strchr(channel, '.'), *last = strrchr(channel, '.');
  if (!first || first == last) return false;
  const size_t head = (size_t)(first + 1 - channel), part = (size_t)(last + 1 - channel);
  bool alike = false;
  for (int c = 0; c < model->nchannel; c++) {
    const char *name = model->channels[c].column.name, *end = strrchr(name, '.');
    if (strncmp(name, channel, head) != 0) continue;
    if (strncmp(name, channel, part) == 0) return false;
    alike = alike || (end && end >= name + head && strcmp(end, last) == 0);
  }
  return alike;
}

static bool is_channel(const cap_model *model, const char *name)
{
  for (int c = 0; c < model->nchannel; c++)
    if (strcmp(model->channels[c].column.name, name) == 0) return true;
  return false;
}

/* Whether a channel of the model reaches its results: "outputs" may choose some. */
static bool is_kept(const cap_model_file *file, const cap_model *model, const char *name)
{
  const cap_texts *patterns = &file->outputs.channels;
  for (int p = 0; p < patterns->n; p++)
    if (cap_names_fit(patterns->v[p], name)) return true;
  for (int c = 0; c < model->nchannel; c++)
    if (strcmp(model->channels[c].column.name, name) == 0)
      return patterns->n == 0 && !model->channels[c].detail;
  return false;
}

/* Whether the model has the channel with this level. */
static bool level_has(const cap_study_reading *r, int factor, int level, const char *name)
{
  double values[CAP_STUDY_FACTORS];
  cap_model_file *file = NULL;
  cap_model *model = NULL;
  cap_error error = {0};
  cap_diag *own = malloc(sizeof *own);
  if (!own) return true; /* then nothing is said */
  for (int f = 0; f < r->study->nfactor; f++) values[f] = r->study->factors[f].nominal;
  values[factor] = level + 1;
  bool found = cap_study_reading_model(r, values, &file, own) == CAP_OK &&
               cap_execute_build(file, &model, &error) == CAP_OK && is_channel(model, name);
  cap_model_free(model);
  cap_model_file_free(file);
  cap_diag_free(own);
  free(own);
  return found;
}

/* Levels may make another system of it. */
static bool some_level_has(const cap_study_reading *r, const char *name)
{
  int nmodel = 0;
  for (int f = 0; f < r->study->nfactor; f++)
    for (int k = 0; k < r->study->factors[f].nlevel && nmodel < MOST_MODELS; k++, nmodel++)
      if (level_has(r, f, k, name)) return true;
  return false;
}

typedef enum obstacle { NO_OBSTACLE, LEFT_OUT, UNKNOWN } obstacle;

/* Why results cannot have the name: no channel of the model, and nothing that an analysis might put. Most
 * analyses do not tell what they put; a slip of one letter and a part that is not there can be seen. `hint`
 * says what may be meant. */
static obstacle obstacle_of(const cap_study_reading *r, const cap_model *model, const char *name,
                            const char *group, bool number, char hint[100])
{
  const bool beside = number || put_beside(r->model, name, group);
  hint[0] = 0;
  if (is_channel(model, name)) return beside || is_kept(r->model, model, name) ? NO_OBSTACLE : LEFT_OUT;
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int c = 0; c < model->nchannel; c++) cap_nearest_offer(&nearest, model->channels[c].column.name);
  bool slip = nearest.best && nearest.distance <= 2 && strlen(name) >= 8;
  if ((beside && !slip && !names_no_part(model, name)) || some_level_has(r, name)) return NO_OBSTACLE;
  cap_study_reading_hint(nearest.best, hint);
  return UNKNOWN;
}

/* ----------------------------------------------------------------------------------------------- channels */

/* The group of an analysis that the model does not have, or its name with a slip. */
static void check_group(cap_study_reading *r, int k)
{
  const char *group = r->study->responses[k].group;
  cap_nearest nearest;
  if (!group) return;
  cap_nearest_start(&nearest, group);
  for (int a = 0; a < r->model->analyses.n; a++) {
    if (owns(analysis_of(r->model, a), group)) return;
    cap_nearest_offer(&nearest, analysis_of(r->model, a)->name);
  }
  bool other = false;
  for (int a = 0; cap_registry_analyses[a]; a++)
    other = other || strcmp(cap_registry_analyses[a]->name, group) == 0;
  char path[48], hint[100];
  snprintf(path, sizeof path, "responses[%d].group", k);
  if (other || nearest.best)
    cap_diag_at(r->diag, path, "the model has no analysis \"%.60s\"; expected one of its own%s", group,
                cap_study_reading_hint(other ? NULL : nearest.best, hint));
}

/* Whether the response is one over time for certain: of the analysis `transient`. */
static bool over_time(const cap_study_reading *r, const char *group)
{
  bool any = false;
  for (int k = 0; k < r->model->analyses.n; k++) {
    const cap_analysis *analysis = analysis_of(r->model, k);
    if (group && !owns(analysis, group)) continue;
    if (strcmp(analysis->name, "transient") != 0) return false;
    any = true;
  }
  return any;
}

static void check_end(cap_study_reading *r, int k, const char *key, const char *unit)
{
  char path[48];
  if (!unit || !*unit || cap_units_alike(r->bind.units, unit, "s")) return;
  snprintf(path, sizeof path, "responses[%d].%s", k, key);
  cap_diag_at(r->diag, path, "expected a time, since the channel goes over time, got it in %s", unit);
}

static void check_channel(cap_study_reading *r, const cap_model *model, int k)
{
  const cap_study_response *response = &r->study->responses[k];
  const cap_study_fields_response *raw = (const cap_study_fields_response *)r->raw.responses.items + k;
  char path[48], hint[100];
  snprintf(path, sizeof path, "responses[%d].channel", k);
  obstacle why = obstacle_of(r, model, response->channel, response->group,
                             response->reduction == CAP_STUDY_VALUE, hint);
  if (is_channel(model, response->channel) && over_time(r, response->group)) {
    check_end(r, k, "from", response->from_unit);
    check_end(r, k, "to", response->to_unit);
  }
  if (is_channel(model, response->channel) && !raw->reduce_given)
    cap_diag_at(r->diag, path,
                "\"%.80s\" has many values; expected \"reduce\", which makes one number of them",
                response->channel);
  else if (why == LEFT_OUT)
    cap_diag_at(r->diag, path, "expected the channel \"%.80s\" in the model's \"outputs.channels\"",
                response->channel);
  else if (why == UNKNOWN)
    cap_diag_at(r->diag, path, "the model has no channel \"%.80s\"; expected one of its own%s",
                response->channel, hint);
}

/* -------------------------------------------------------------------------------------------- expressions */

/* What an expression asks for. */
typedef struct names {
  const cap_study_reading *r;
  const cap_model *model;
  int response; /* those before it are known */
  obstacle why;
  char unknown[100], hint[100];
} names;

static bool is_number(const names *n, const char *name)
{
  const cap_study *s = n->r->study;
  for (int k = 0; k < n->response; k++)
    if (strcmp(s->responses[k].name, name) == 0) return true;
  for (int f = 0; f < s->nfactor; f++)
    if (strcmp(s->factors[f].name, name) == 0) return true;
  return false;
}

static bool find_name(void *self, const char *name, cap_expr_value *value)
{
  names *n = self;
  *value = (cap_expr_value){.number = 1.0};
  if (is_number(n, name)) return true;
  if (strcmp(name, "pi") == 0) return false;
  const char *slash = strchr(name, '/'); /* 'group/channel' */
  char group[64] = "", hint[100];
  if (slash) snprintf(group, sizeof group, "%.*s", (int)(slash - name), name);
  if (n->why) return true;
  obstacle why = obstacle_of(n->r, n->model, slash ? slash + 1 : name, slash ? group : NULL, false, hint);
  if (why) {
    n->why = why;
    snprintf(n->unknown, sizeof n->unknown, "%s", name);
    memcpy(n->hint, hint, sizeof hint);
  }
  return true;
}

static cap_status check_expression(cap_study_reading *r, const cap_model *model, int k)
{
  names n = {.r = r, .model = model, .response = k};
  cap_expr_scope scope = {.find = find_name, .self = &n};
  cap_arena arena = {0};
  cap_error error = {0};
  char path[48];
  snprintf(path, sizeof path, "responses[%d].expression", k);
  cap_status status = cap_expr_check(r->study->responses[k].expression, &scope, &arena, &error);
  cap_arena_free(&arena);
  if (status == CAP_ERR_INPUT) cap_diag_at(r->diag, path, "%s", error.text);
  else if (n.why == LEFT_OUT)
    cap_diag_at(r->diag, path, "expected the channel \"%.80s\" in the model's \"outputs.channels\"",
                n.unknown);
  else if (n.why == UNKNOWN)
    cap_diag_at(r->diag, path,
                "unknown name \"%.80s\"; expected a response before it, a factor or a channel%s", n.unknown,
                n.hint);
  return status == CAP_ERR_NOMEM ? status : CAP_OK;
}

/* ------------------------------------------------------------------------------------------------- bounds */

/* The unit of a response as far as it is known before a run; NULL: it is not. */
static const char *unit_of(const cap_study_response *response, const cap_model *model)
{
  if (response->unit) return response->unit;
  for (int c = 0; c < model->nchannel && response->channel; c++)
    if (strcmp(model->channels[c].column.name, response->channel) == 0) return model->channels[c].column.unit;
  return NULL;
}

static void check_limit(cap_study_reading *r, int k, const char *key, const char *unit, const char *wanted)
{
  char path[64];
  if (!unit || !wanted) return;
  if (strcmp(wanted, "1") == 0) wanted = ""; /* a pure number */
  if (*unit && *wanted ? cap_units_alike(r->bind.units, unit, wanted) : !*unit && !*wanted) return;
  snprintf(path, sizeof path, "optimise.bounds[%d].%s", k, key);
  cap_diag_at(r->diag, path, "expected it in %s like the response \"%s\", got it in %s",
              *wanted ? wanted : "no unit", r->study->responses[r->study->bounds[k].response].name,
              *unit ? unit : "no unit");
}

static void check_bounds(cap_study_reading *r, const cap_model *model)
{
  const cap_study *s = r->study;
  for (int k = 0; k < s->nbound; k++) {
    if (s->bounds[k].response < 0) continue; /* told already */
    const char *wanted = unit_of(&s->responses[s->bounds[k].response], model);
    check_limit(r, k, "above", s->bounds[k].low_unit, wanted);
    check_limit(r, k, "below", s->bounds[k].high_unit, wanted);
  }
}

cap_status cap_study_channels_check(cap_study_reading *r)
{
  cap_model *model = NULL;
  cap_error error = {0};
  cap_status status = cap_execute_build(r->model, &model, &error);
  if (status == CAP_ERR_NOMEM) return status;
  if (status != CAP_OK) return CAP_OK; /* the model alone may be out of order where the cases are not */
  for (int k = 0; k < r->study->nresponse && status == CAP_OK; k++) {
    check_group(r, k);
    if (r->study->responses[k].channel) check_channel(r, model, k);
    else status = check_expression(r, model, k);
  }
  check_bounds(r, model);
  cap_model_free(model);
  return status;
}
