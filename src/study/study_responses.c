/* study/study_responses.c — see study_responses.h. */
#include "study/study_responses.h"
#include "base/nearest.h"
#include "study/optimise.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *path_of(char buffer[96], const char *list, int k, const char *key)
{
  snprintf(buffer, 96, "%s[%d]%s%s", list, k, key ? "." : "", key ? key : "");
  return buffer;
}

/* ---------------------------------------------------------------------------------------------- responses */

/* An end of the rows, in whatever unit the first column has. */
/* What it is an end of, time or a parameter, is known in study_channels.c at the earliest. */
static void read_end(cap_study_reading *r, int k, const char *key, const char *given, double *value,
                     const char **unit)
{
  if (!given) return;
  cap_bind_spot list = {.key = "responses"}, item = {.up = &list, .index = k},
                spot = {.up = &item, .key = key};
  char si[CAP_UNITS_LONGEST];
  const cap_yaml_node *node = cap_yaml_find(cap_yaml_find(r->root, "responses")->items[k], key);
  if (cap_study_reading_quantity(r, &spot, node, value, si))
    *unit = cap_arena_copy_text(&r->study->arena, si);
}

/* Results are in SI, and so are the numbers of an expression: a unit with a factor would be a lie. */
static const char *read_unit(cap_study_reading *r, int k, const char *unit)
{
  char path[96], si[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  double factor;
  if (!unit) return NULL;
  path_of(path, "responses", k, "unit");
  if (!cap_units_base(r->bind.units, unit, &factor, si, reason))
    cap_diag_at(r->diag, path, "expected a unit, got \"%.60s\"%s%s", unit, *reason ? "; " : "", reason);
  else if (factor != 1.0)
    cap_diag_at(r->diag, path, "expected an SI unit, since formulas are in SI: \"%s\" instead of \"%.60s\"",
                si, unit);
  return strcmp(unit, "1") == 0 || strcmp(unit, "-") == 0 ? "" : unit;
}

static void check_source(cap_study_reading *r, int k, const cap_study_fields_response *raw)
{
  char path[96];
  if (!raw->channel && !raw->expression)
    cap_diag_at(r->diag, path_of(path, "responses", k, NULL), "expected a \"channel\" or an \"expression\"");
  if (raw->channel && raw->expression)
    cap_diag_at(r->diag, path_of(path, "responses", k, "expression"),
                "\"channel\" conflicts with \"expression\"; specify only one");
  if (raw->expression && raw->reduce_given)
    cap_diag_at(r->diag, path_of(path, "responses", k, "reduce"), "requires a \"channel\"");
  if (raw->unit && raw->channel)
    cap_diag_at(r->diag, path_of(path, "responses", k, "unit"),
                "requires an \"expression\", since a channel has its own unit");
}

static void check_name(cap_study_reading *r, int k)
{
  const cap_study *s = r->study;
  const char *name = s->responses[k].name;
  char path[96];
  path_of(path, "responses", k, "name");
  if (!cap_study_reading_name(name))
    cap_diag_at(r->diag, path, "expected letters, digits and \"_\", a letter first, at most 60");
  for (int i = 0; i < k; i++)
    if (strcmp(s->responses[i].name, name) == 0)
      cap_diag_at(r->diag, path, "duplicate name \"%s\"; expected a name of its own", name);
  for (int f = 0; f < s->nfactor; f++)
    if (strcmp(s->factors[f].name, name) == 0) {
      cap_diag_at(r->diag, path, "duplicate name \"%s\", which is a factor's; expected a name of its own",
                  name);
      break;
    }
}

/* A mean that is still swaying settles more slowly than a channel comes to rest. */
static double usual_tolerance(int reduction)
{
  return reduction == CAP_STUDY_STATIONARY ? 0.02 : 0.01;
}

static void read_response(cap_study_reading *r, int k)
{
  const cap_study_fields_response *raw = (const cap_study_fields_response *)r->raw.responses.items + k;
  cap_study_response *to = &r->study->responses[k];
  *to = (cap_study_response){
      .name = raw->name,
      .doc = raw->doc,
      .unit = read_unit(r, k, raw->unit),
      .group = raw->group,
      .channel = raw->channel,
      .reduction = raw->expression ? CAP_STUDY_EXPRESSION : (cap_study_reduction)raw->reduce,
      .from = -INFINITY,
      .to = INFINITY,
      .part = raw->part,
      .tolerance = raw->tolerance_given ? raw->tolerance : usual_tolerance(raw->reduce),
      .expression = raw->expression,
      .goal = (cap_study_goal)raw->goal};
  read_end(r, k, "from", raw->from, &to->from, &to->from_unit);
  read_end(r, k, "to", raw->to, &to->to, &to->to_unit);
  char path[96];
  if (!(to->from < to->to))
    cap_diag_at(r->diag, path_of(path, "responses", k, "to"), "expected a value beyond \"from\"");
  check_source(r, k, raw);
  check_name(r, k);
}

static int find_response(cap_study_reading *r, const char *name, const char *path)
{
  cap_nearest nearest;
  char hint[100];
  cap_nearest_start(&nearest, name);
  for (int k = 0; k < r->study->nresponse; k++) {
    if (strcmp(r->study->responses[k].name, name) == 0) return k;
    cap_nearest_offer(&nearest, r->study->responses[k].name);
  }
  cap_diag_at(r->diag, path, "there is no response \"%.60s\"%s", name,
              cap_study_reading_hint(nearest.best, hint));
  return -1;
}

/* ----------------------------------------------------------------------------------- what is made of them */

static void read_pareto(cap_study_reading *r)
{
  cap_study *s = r->study;
  const cap_texts *names = &r->raw.analysis.pareto;
  for (int k = 0; k < names->n; k++) {
    char path[96];
    path_of(path, "analysis.pareto", k, NULL);
    int response = find_response(r, names->v[k], path);
    if (response < 0) continue;
    for (int i = 0; i < s->npareto; i++)
      if (s->pareto[i] == response) cap_diag_at(r->diag, path, "duplicate response; expected it once");
    if (s->responses[response].goal == CAP_STUDY_NO_GOAL)
      cap_diag_at(r->diag, path,
                  "the response \"%s\" has no goal; expected \"goal: minimise\" or \"goal: maximise\"",
                  names->v[k]);
    s->pareto[s->npareto++] = response;
  }
}

/* Whether it is of the response's dimension is asked where that is known, in study_channels.c. */
static void read_limit(cap_study_reading *r, int k, const char *key, const char *given, double *value,
                       const char **unit)
{
  if (!given) return;
  cap_bind_spot up = {.key = "optimise"}, list = {.up = &up, .key = "bounds"},
                item = {.up = &list, .index = k}, spot = {.up = &item, .key = key};
  char si[CAP_UNITS_LONGEST];
  const cap_yaml_node *bounds = cap_yaml_find(cap_yaml_find(r->root, "optimise"), "bounds");
  if (cap_study_reading_quantity(r, &spot, cap_yaml_find(bounds->items[k], key), value, si))
    *unit = cap_arena_copy_text(&r->study->arena, si);
}

static void read_bound(cap_study_reading *r, int k)
{
  const cap_study_fields_bound *raw = (const cap_study_fields_bound *)r->raw.optimise.bounds.items + k;
  char path[96];
  cap_study_bound *to = &r->study->bounds[k];
  *to = (cap_study_bound){.low = -INFINITY, .high = INFINITY};
  to->response = find_response(r, raw->response, path_of(path, "optimise.bounds", k, "response"));
  read_limit(r, k, "below", raw->below, &to->high, &to->high_unit);
  read_limit(r, k, "above", raw->above, &to->low, &to->low_unit);
  if (!raw->below && !raw->above)
    cap_diag_at(r->diag, path_of(path, "optimise.bounds", k, NULL), "expected \"below\", \"above\" or both");
  else if (!(to->low < to->high))
    cap_diag_at(r->diag, path_of(path, "optimise.bounds", k, "below"),
                "expected a value larger than \"above\"");
}

static void read_goal(cap_study_reading *r)
{
  const cap_study_fields_optimise *raw = &r->raw.optimise;
  cap_study *s = r->study;
  if (s->objective < 0) return;
  cap_study_goal *goal = &s->responses[s->objective].goal;
  const char *path = raw->goal_given ? "optimise.goal" : "optimise.response";
  cap_study_goal given = raw->goal ? CAP_STUDY_MAXIMISE : CAP_STUDY_MINIMISE;
  if (raw->goal_given && *goal != CAP_STUDY_NO_GOAL && *goal != given)
    cap_diag_at(r->diag, path, "expected the goal of the response itself, got the other one");
  else if (raw->goal_given) *goal = given;
  if (*goal == CAP_STUDY_NO_GOAL)
    cap_diag_at(r->diag, path, "expected \"goal: minimise\" or \"goal: maximise\", here or at the response");
}

/* Levels and whole numbers cannot be varied continuously, so what is optimised are the others. */
static bool any_continuous(const cap_study *s)
{
  for (int i = 0; i < s->nindependent; i++) {
    const cap_study_factor *f = &s->factors[s->independent[i]];
    if (!f->nlevel && !f->whole && f->low < f->high) return true;
  }
  return false;
}

/* DIRECT divides the whole range, whatever its start: others differ by levels and whole numbers only. */
static void check_starts(cap_study_reading *r)
{
  const cap_study *s = r->study;
  int64_t most = 1;
  for (int i = 0; i < s->nindependent && most < s->starts; i++) {
    const cap_study_factor *f = &s->factors[s->independent[i]];
    if (f->law == CAP_STUDY_LISTED && (f->nlevel || f->whole) && f->nvalue > 1) most *= f->nvalue;
  }
  if (strcmp(s->method, "direct-l") == 0 && s->starts > most)
    cap_diag_at(r->diag, "optimise.starts",
                "direct-l searches the same way from every start; expected at most %lld", (long long)most);
}

static cap_status read_optimise(cap_study_reading *r)
{
  cap_study *s = r->study;
  const cap_study_fields_optimise *raw = &r->raw.optimise;
  s->objective = -1;
  s->method = raw->method_given ? cap_optimise_methods[raw->method] : raw->bounds.n ? "cobyla" : "bobyqa";
  s->evaluations = raw->evaluations;
  s->starts = raw->starts;
  s->optimise_tolerance = raw->tolerance;
  s->optimise = r->raw.optimise_given;
  if (!s->optimise) return CAP_OK;
  s->objective = find_response(r, raw->response, "optimise.response");
  read_goal(r);
  if (s->nindependent > 0 && !any_continuous(s) && s->design != CAP_STUDY_TABLE)
    cap_diag_at(r->diag, "optimise", "expected a factor that can be varied continuously");
  check_starts(r);
  s->nbound = raw->bounds.n;
  s->bounds = CAP_ARENA_NEW(&s->arena, cap_study_bound, s->nbound + 1);
  if (!s->bounds) return CAP_ERR_NOMEM;
  for (int k = 0; k < s->nbound; k++) read_bound(r, k);
  return CAP_OK;
}

cap_status cap_study_responses_read(cap_study_reading *r)
{
  cap_study *s = r->study;
  int before = r->diag->nerror;
  s->nresponse = r->raw.responses.n;
  s->responses = CAP_ARENA_NEW(&s->arena, cap_study_response, s->nresponse + 1);
  if (!s->responses) return CAP_ERR_NOMEM;
  for (int k = 0; k < s->nresponse; k++) read_response(r, k);
  s->surface = r->raw.analysis.surface;
  s->bootstrap = r->raw.analysis.bootstrap;
  s->confidence = r->raw.analysis.confidence;
  read_pareto(r);
  CAP_TRY(read_optimise(r));
  return r->diag->nerror > before ? CAP_ERR_INPUT : CAP_OK;
}
