/* study/factor_path.c — see factor_path.h. */
#include "study/factor_path.h"
#include "base/selector.h"
#include "io/model_parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The parts of a model file that are not its drive's. */
typedef struct common {
  int seed;
  cap_list analyses;
  cap_outputs outputs;
} common;

static void common_fields(cap_field out[CAP_MODEL_PARSE_COMMON])
{
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_field all[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(&registry, all);
  int n = 0;
  for (int i = 0; all[i].key; i++) {
    size_t offset = strcmp(all[i].key, "seed") == 0       ? offsetof(common, seed)
                    : strcmp(all[i].key, "analyses") == 0 ? offsetof(common, analyses)
                    : strcmp(all[i].key, "outputs") == 0  ? offsetof(common, outputs)
                                                          : SIZE_MAX;
    if (offset == SIZE_MAX) continue; /* name, drive: not for a factor */
    out[n] = all[i];
    out[n++].offset = offset;
  }
  out[n] = (cap_field){0};
}

/* "pulleys[2].radius" as the walk over the tables calls it: "pulleys[].radius". */
static void without_indices(const char *path, char *out, size_t size)
{
  size_t n = 0;
  bool inside = false;
  for (; *path && n + 1 < size; path++) {
    if (*path == ']') inside = false;
    if (!inside) out[n++] = *path;
    if (*path == '[') inside = true;
  }
  out[n] = 0;
}

static void report_unknown(cap_study_reading *r, const char *path, const char *at, const cap_field *rest)
{
  char plain[128];
  cap_fields_suggestion s;
  without_indices(path, plain, sizeof plain);
  cap_fields_suggest_start(&s, plain);
  cap_fields_suggest(&s, r->model->drive->fields);
  cap_fields_suggest(&s, rest);
  cap_diag_at(r->diag, at, "the model has no key \"%.80s\"; expected one of its keys%s%s%s", path,
              s.best[0] ? "; did you mean \"" : "", s.best, s.best[0] ? "\"?" : "");
}

/* A section among the items of a list, an item of a list of numbers:
 * what a path may name and no table lists. */
static bool find_item(const cap_field *fields, const char *path, cap_field *item)
{
  char list[128];
  const char *open = strrchr(path, '['), *dot = strrchr(path, '.');
  if (!open || (size_t)(open - path) >= sizeof list) return false;
  snprintf(list, sizeof list, "%.*s", (int)(open - path), path);
  const char *after = open;
  cap_selector selector;
  if (!cap_selector_take(&after, open + strlen(open), &selector) || (*after && dot != after)) return false;
  const cap_field *field = cap_fields_named(fields, list);
  if (!field) return false;
  *item = *field;
  if (field->kind == CAP_FIELD_STEPS && *after) { /* "clearances[0].gap" */
    const cap_variant *variant = field->variants;
    while (variant->name && strcmp(variant->name, dot + 1) != 0) variant++;
    return variant->name != NULL;
  }
  if (field->kind == CAP_FIELD_REALS) item->kind = CAP_FIELD_REAL;
  return !*after && (field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS ||
                     field->kind == CAP_FIELD_REALS || field->kind == CAP_FIELD_TEXTS);
}

/* "crank.speed.start" of a key that takes inputs; whether one stands there is for the reader to say. */
static bool find_start(const cap_model_file *model, const char *path, cap_field *target, double *own)
{
  static const char end[] = ".start";
  char key[256];
  size_t n = strlen(path), tail = sizeof end - 1;
  double *place = NULL;
  if (n <= tail || n >= sizeof key || strcmp(path + n - tail, end) != 0) return false;
  snprintf(key, sizeof key, "%.*s", (int)(n - tail), path);
  const cap_field *field = cap_fields_locate(model->drive->fields, model->spec, key, &place);
  if (!field) field = cap_fields_named(model->drive->fields, key);
  if (!field || !field->input) return false;
  *target = *field;
  target->kind = CAP_FIELD_REAL;
  target->hertz = NULL;
  target->input = 0;
  if (place) *own = *place;
  return true;
}

bool cap_factor_path_find(cap_study_reading *r, const char *path, const char *at, cap_field *target,
                          double *own)
{
  cap_field rest[CAP_MODEL_PARSE_COMMON];
  const cap_model_file *model = r->model;
  common shared = {.seed = model->seed, .analyses = model->analyses, .outputs = model->outputs};
  double *place = NULL;
  common_fields(rest);
  const cap_field *field = cap_fields_locate(model->drive->fields, model->spec, path, &place);
  if (!field) field = cap_fields_locate(rest, &shared, path, &place);
  *own = field ? *place : NAN;
  char reason[CAP_FIELDS_REASON];
  if (!field && find_start(model, path, target, own)) return true;
  if (!field && cap_fields_item_missing(model->drive->fields, model->spec, path, reason)) {
    cap_diag_at(r->diag, at, "%s", reason);
    return false;
  }
  if (!field) field = cap_fields_named(model->drive->fields, path);
  if (!field) field = cap_fields_named(rest, path);
  if (field && cap_fields_in_hertz(field, path)) {
    *target = cap_bind_value_hertz(field);
    *own /= 2.0 * M_PI;
  } else if (field) *target = *field;
  else if (!find_item(model->drive->fields, path, target) && !find_item(rest, path, target)) {
    report_unknown(r, path, at, rest);
    return false;
  }
  return true;
}
