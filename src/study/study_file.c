/* study/study_file.c — see study_file.h. */
#include "study/study_file.h"
#include "base/nearest.h"
#include "io/csv.h"
#include "io/feed_file.h"
#include "io/model_parse.h"
#include "io/renames.h"
#include "io/text_file.h"
#include "io/tree_path.h"
#include "study/factor.h"
#include "study/slurm.h"
#include "study/study_check.h"
#include "study/study_inputs.h"
#include "study/study_print.h"
#include "study/study_responses.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cap_status no_memory(cap_diag *diag)
{
  cap_diag_add(diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

static bool locate(void *self, const char *path, int *line, int *column)
{
  const char *origin;
  return cap_tree_path_locate(self, path, line, column, &origin);
}

/* ------------------------------------------------------------------------------------------------- tables */

static cap_status check_kind(cap_study_reading *r)
{
  if (r->root->kind != CAP_YAML_MAP) {
    cap_diag_add(r->diag, r->root->line, r->root->column, NULL,
                 "expected a study file, which is a section of keys, starting with \"capstan: %d\"",
                 CAP_STUDY_FIELDS_FORMAT);
    return CAP_ERR_INPUT;
  }
  if (!cap_yaml_find(r->root, "study") && cap_yaml_find(r->root, "drive")) {
    cap_diag_add(r->diag, 0, 0, NULL,
                 "this is a model file; expected a study file, which has the keys \"study\" and \"model\"; "
                 "use capstan run");
    return CAP_ERR_INPUT;
  }
  const cap_yaml_node *version = cap_yaml_find(r->root, "capstan");
  const char *text = version && version->kind == CAP_YAML_SCALAR ? version->text : "";
  if (!*text || text[strspn(text, "0123456789")]) return CAP_OK;
  int number = cap_model_parse_version(r->root);
  if (number == CAP_STUDY_FIELDS_FIRST || number == CAP_STUDY_FIELDS_FORMAT) return CAP_OK;
  cap_diag_at(r->diag, "capstan", "unknown format version; expected %d or %d, got %.20s",
              CAP_STUDY_FIELDS_FIRST, CAP_STUDY_FIELDS_FORMAT, text);
  return CAP_ERR_INPUT;
}

/* The drive that the model is of, which is read only later; NULL: it cannot be found, which is reported
 * then. */
static const cap_drive *find_drive(cap_study_reading *r, const cap_study_file_source *source,
                                   cap_arena *arena)
{
  const cap_yaml_node *name = cap_yaml_find(r->root, "model");
  cap_diag *silent = cap_arena_alloc(arena, sizeof *silent);
  if (!silent || !name || name->kind != CAP_YAML_SCALAR) return NULL;
  cap_diag_init(silent, NULL);
  char *text = NULL;
  size_t size = 0;
  const char *path = cap_arena_format(arena, "%s%s", *name->text == '/' ? "" : r->folder, name->text);
  cap_yaml_node *root = NULL;
  if (source->model_text) text = (char *)source->model_text, size = source->model_size;
  else if (path) cap_text_file_read(path, CAP_TEXT_FILE_MOST, arena, silent, &text, &size);
  if (text && cap_yaml_parse(text, size, NULL, arena, silent, &root) != CAP_OK) root = NULL;
  cap_diag_free(silent);
  const cap_yaml_node *drive = root ? cap_yaml_find(root, "drive") : NULL;
  return drive && drive->kind == CAP_YAML_SCALAR ? cap_registry_drive(drive->text) : NULL;
}

/* A study of format version 1 in present names. */
static cap_status rename_all(cap_study_reading *r, const cap_study_file_source *source, cap_yaml_node **root)
{
  if (cap_model_parse_version(*root) != CAP_STUDY_FIELDS_FIRST) return CAP_OK;
  cap_arena arena = {0};
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_model_parse_tables tables;
  cap_model_parse_tables_of(&registry, find_drive(r, source, &arena), &tables);
  cap_renames names = {.arena = &r->study->arena, .diag = r->diag, .warn = true};
  memcpy(names.paths, tables.all, sizeof tables.all);
  *root = cap_renames_map(&names, *root, (const cap_field *const[]){cap_study_fields_table, NULL});
  cap_arena_free(&arena);
  if (names.exhausted) return CAP_ERR_NOMEM;
  cap_yaml_find(*root, "capstan")->text = "2"; /* as the table has it */
  return CAP_OK;
}

static cap_status read_tables(cap_study_reading *r)
{
  cap_bind_part part = {.fields = cap_study_fields_table, .base = &r->raw};
  int before = r->diag->nerror;
  cap_bind_unknown(&r->bind, r->root, 1, &part, false);
  cap_bind_mapping(&r->bind, r->root, 1, &part);
  if (r->bind.exhausted) return CAP_ERR_NOMEM;
  return r->diag->nerror > before ? CAP_ERR_INPUT : CAP_OK;
}

/* -------------------------------------------------------------------------------------------------- model */

static cap_status read_model_text(cap_study_reading *r, const cap_study_file_source *source)
{
  cap_study *s = r->study;
  const char *name = r->raw.model;
  s->model_path = cap_arena_format(&s->arena, "%s%s", *name == '/' ? "" : r->folder, name);
  if (!s->model_path) return CAP_ERR_NOMEM;
  char *text = NULL;
  size_t size = 0;
  if (source->model_text) {
    size = source->model_size;
    text = cap_arena_alloc(&s->arena, size + 1);
    if (text) memcpy(text, source->model_text, size);
  } else {
    int line, column, before = r->diag->nitem;
    cap_status status = cap_text_file_read(s->model_path, CAP_TEXT_FILE_MOST, &s->arena, r->diag, &text,
                                           &size);
    locate((void *)r->root, "model", &line, &column);
    for (int k = before; k < r->diag->nitem; k++) {
      cap_diag_item *item = &r->diag->items[k]; /* the file is told, not the study's own */
      item->line = line, item->column = column, item->path = "model";
      char *told = cap_arena_format(&r->diag->arena, "the file \"%s\" %s", s->model_path, item->text);
      if (told) item->text = told;
    }
    if (status != CAP_OK) return status;
  }
  s->model_text = text;
  if (!text) return CAP_ERR_NOMEM;
  if (strlen(text) != size) {
    cap_diag_at(r->diag, "model", "expected a text file, got a zero byte in \"%s\"", s->model_path);
    return CAP_ERR_INPUT;
  }
  return CAP_OK;
}

/* Files that feed inputs, linear ones first. */
static cap_status read_feeds(cap_study_reading *r)
{
  cap_study *s = r->study;
  const cap_texts *files[2] = {&r->raw.inputs, &r->raw.inputs_held};
  cap_feed_source *feeds = CAP_ARENA_NEW(&s->arena, cap_feed_source, files[0]->n + files[1]->n);
  if (!feeds) return CAP_ERR_NOMEM;
  for (int held = 0; held < 2; held++)
    for (int k = 0; k < files[held]->n; k++) {
      const char *name = files[held]->v[k];
      feeds[s->nfeed] = (cap_feed_source){
          cap_arena_format(&s->arena, "%s%s", *name == '/' ? "" : r->folder, name), held == 1};
      if (!feeds[s->nfeed++].path) return CAP_ERR_NOMEM;
    }
  s->feeds = feeds;
  return CAP_OK;
}

static cap_status read_model(cap_study_reading *r, const cap_study_file_source *source)
{
  cap_study *s = r->study;
  s->settings = r->raw.set.v;
  s->nsetting = r->raw.set.n;
  CAP_TRY(read_feeds(r));
  CAP_TRY(read_model_text(r, source));
  cap_diag *own = calloc(1, sizeof *own);
  if (!own) return CAP_ERR_NOMEM;
  cap_status status = cap_model_file_parse(s->model_path, s->model_text, strlen(s->model_text), s->nsetting,
                                           s->settings, &r->model, own);
  if (status != CAP_OK) cap_study_check_tell(r, own);
  if (r->model) {
    s->model_seed = r->model->seed;
    s->drive = r->model->drive->name;
  }
  cap_diag_free(own);
  free(own);
  return status;
}

/* ------------------------------------------------------------------------------------------------- design */

static void read_continuation(cap_study_reading *r)
{
  cap_study *s = r->study;
  s->along = -1;
  s->from_high = r->raw.continuation.from == 1;
  if (!r->raw.continuation.factor) return;
  int f = cap_factor_named(r, r->raw.continuation.factor, "continuation");
  if (f < 0) return;
  const cap_study_factor *factor = &s->factors[f];
  if (factor->nlevel)
    cap_diag_at(r->diag, "continuation",
                "the factor \"%s\" has levels, which have no neighbours; expected numbers", factor->name);
  else if (factor->law == CAP_STUDY_FORMULA)
    cap_diag_at(r->diag, "continuation",
                "the factor \"%s\" follows from others by its formula; expected values of its own",
                factor->name);
  else if (s->design != CAP_STUDY_GRID && s->design != CAP_STUDY_ONE_AT_A_TIME &&
           s->design != CAP_STUDY_TABLE)
    cap_diag_at(r->diag, "continuation",
                "requires cases that differ in one factor only; expected a grid, one at a time or a table");
  s->along = f;
}

static void read_design(cap_study_reading *r)
{
  cap_study *s = r->study;
  const cap_study_fields_design *raw = &r->raw.design;
  s->design = (cap_study_design_kind)raw->kind;
  s->count = raw->count;
  s->seed = (uint64_t)raw->seed;
  s->replicates = r->raw.replicates;
  s->time_limit = r->raw.time_limit;
  s->case_time_limit = r->raw.case_time_limit;
}

static void check_replicates(cap_study_reading *r)
{
  const cap_study *s = r->study;
  if (s->model_seed > INT_MAX - s->replicates)
    cap_diag_at(r->diag, "replicates",
                "their seeds, from that of the model (%d), would be too large; expected at most 2147483647",
                s->model_seed);
  for (int f = 0; f < s->nfactor && s->replicates > 1; f++)
    for (int p = 0; p < s->factors[f].npath; p++)
      if (strcmp(s->factors[f].paths[p], "seed") == 0)
        cap_diag_at(r->diag, "replicates",
                    "requires the key \"seed\" for itself; expected no factor for it, got \"%s\"",
                    s->factors[f].name);
}

/* One column of the table for each factor that is no formula. */
static const double *find_column(cap_study_reading *r, cap_csv *csv, cap_study_factor *f)
{
  char hint[100];
  int c = cap_csv_find(csv, f->name);
  if (c < 0) {
    cap_nearest nearest;
    cap_nearest_start(&nearest, f->name);
    for (int i = 0; i < csv->ncolumn; i++) cap_nearest_offer(&nearest, csv->names[i]);
    cap_diag_at(r->diag, "design.file", "expected a column for the factor \"%s\"%s", f->name,
                cap_study_reading_hint(nearest.best, hint));
    return NULL;
  }
  const char *unit = csv->units[c];
  if (!f->npath && !f->nvalue && f->law == CAP_STUDY_LISTED) { /* of a formula, and said nowhere else */
    const char *own = cap_arena_copy_text(&r->study->arena, unit);
    f->unit = own ? own : "";
    if (csv->per_minute[c])
      cap_diag_at(
          r->diag, "design.file",
          "the column \"%s\" is in 1/min, a speed or a frequency; expected rpm, rad/s or Hz in the header",
          f->name);
  }
  if (!cap_csv_take(csv, c, r->bind.units, f->unit)) {
    cap_diag_at(r->diag, "design.file", "expected the column \"%s\" in %s, got it in %s%s", f->name,
                *f->unit ? f->unit : "no unit", *unit ? unit : "no unit", cap_csv_hint(unit, f->unit));
    return NULL;
  }
  for (int i = 0; i < csv->nrow; i++) {
    double value = csv->values[c][i];
    bool level = value == rint(value) && value >= 1 && value <= f->nlevel;
    bool whole = value == rint(value) || !f->whole;
    if (isfinite(value) && whole && (!f->nlevel || level)) continue;
    cap_diag_at(r->diag, "design.file", "expected %s in data row %d of the column \"%s\", got %g",
                f->nlevel  ? "the number of a level"
                : f->whole ? "a whole number"
                           : "a number",
                i + 1, f->name, value);
    return NULL;
  }
  return csv->values[c];
}

static void refuse_columns(cap_study_reading *r, const cap_csv *csv)
{
  const cap_study *s = r->study;
  for (int c = 0; c < csv->ncolumn; c++) {
    bool known = false;
    for (int i = 0; i < s->nindependent; i++)
      known = known || cap_csv_find(csv, s->factors[s->independent[i]].name) == c;
    if (known || strcmp(csv->names[c], "case") == 0) continue; /* as --list writes it */
    cap_nearest nearest;
    char hint[100];
    cap_nearest_start(&nearest, csv->names[c]);
    for (int i = 0; i < s->nindependent; i++) cap_nearest_offer(&nearest, s->factors[s->independent[i]].name);
    cap_diag_at(r->diag, "design.file", "expected the name of a factor, got the column \"%.60s\"%s",
                csv->names[c], cap_study_reading_hint(nearest.best, hint));
  }
}

static cap_status read_rows(cap_study_reading *r, cap_arena *scratch, cap_study_input *input)
{
  cap_study *s = r->study;
  const char *name = r->raw.design.file;
  const char *path = cap_arena_format(&s->arena, "%s%s", *name == '/' ? "" : r->folder, name);
  const double **columns = CAP_ARENA_NEW(scratch, const double *, s->nfactor);
  if (!path || !columns) return CAP_ERR_NOMEM;
  cap_csv csv;
  cap_status status = cap_csv_read(path, r->bind.units, scratch, r->diag, &csv);
  if (status == CAP_ERR_NOMEM) return status;
  if (status != CAP_OK) {
    cap_diag_at(r->diag, "design.file",
                "expected a table of cases in \"%.120s\", got a file that cannot be used", path);
    return status;
  }
  *input = (cap_study_input){.path = path, .hash = csv.hash};
  int before = r->diag->nerror;
  for (int i = 0; i < s->nindependent; i++)
    columns[s->independent[i]] = find_column(r, &csv, &s->factors[s->independent[i]]);
  refuse_columns(r, &csv);
  if (csv.nrow == 0) cap_diag_at(r->diag, "design.file", "expected at least 1 row, got none");
  r->rows = (cap_design_rows){.nrow = csv.nrow, .columns = columns};
  return r->diag->nerror > before ? CAP_ERR_INPUT : CAP_OK;
}

static cap_status make_cases(cap_study_reading *r)
{
  cap_error error = {0};
  cap_status status = cap_design_make(r->study, &r->rows, &error);
  if (status == CAP_ERR_INPUT) cap_diag_at(r->diag, "design", "%s", error.text);
  CAP_TRY(status);
  cap_study *s = r->study;
  for (int i = 0; i < s->nformula; i++) { /* the range that formulas came to */
    cap_study_factor *f = &s->factors[s->formulas[i]];
    for (int64_t k = 0; k < s->ncase; k++) {
      f->low = fmin(f->low, s->values[k * s->nfactor + s->formulas[i]]);
      f->high = fmax(f->high, s->values[k * s->nfactor + s->formulas[i]]);
    }
  }
  return CAP_OK;
}

/* -------------------------------------------------------------------------------------------------- whole */

static void copy_slurm(cap_study_reading *r)
{
  r->study->chunk = r->raw.slurm.chunk;
  r->study->at_once = r->raw.slurm.at_once;
  r->study->noption = r->raw.slurm.options.n;
  r->study->options = r->raw.slurm.options.v;
  for (int k = 0; k < r->study->noption; k++) {
    char path[48];
    const char *refusal = cap_slurm_refusal(r->study->options[k]);
    snprintf(path, sizeof path, "slurm.options[%d]", k);
    if (refusal) cap_diag_at(r->diag, path, "%s, got \"%.100s\"", refusal, r->study->options[k]);
  }
}

/* Factors, responses and the rest; what is wrong with one does not hide what is wrong with another. */
static cap_status read_parts(cap_study_reading *r)
{
  copy_slurm(r);
  read_design(r);
  cap_status factors = cap_factor_read_all(r);
  if (factors == CAP_ERR_NOMEM) return factors;
  cap_status responses = cap_study_responses_read(r);
  if (responses == CAP_ERR_NOMEM) return responses;
  if (factors == CAP_OK) {
    read_continuation(r);
    check_replicates(r);
  }
  return r->diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

static cap_status read_cases(cap_study_reading *r, cap_arena *scratch)
{
  cap_study_input table = {0};
  if (r->study->design == CAP_STUDY_TABLE) CAP_TRY(read_rows(r, scratch, &table));
  CAP_TRY(cap_factor_complete(r));
  CAP_TRY(make_cases(r));
  CAP_TRY(cap_study_inputs_list(r, &table));
  return cap_study_print_sign(r->study);
}

/* Whether one of the findings from number `first` on is about the key at the top or something in it. */
static bool told(const cap_study_reading *r, int first, const char *key)
{
  size_t n = strlen(key);
  for (int k = first; k < r->diag->nitem; k++) {
    const char *path = r->diag->items[k].path;
    if (path && strncmp(path, key, n) == 0 && (!path[n] || path[n] == '.' || path[n] == '[')) return true;
  }
  return false;
}

/* After findings in the tables: what is wrong with the factors is told as well,
 * where they were read whole. */
static cap_status read_beside(cap_study_reading *r, const cap_study_file_source *source, int first)
{
  if (!r->raw.model || told(r, first, "model") || told(r, first, "set") || told(r, first, "factors"))
    return CAP_ERR_INPUT;
  CAP_TRY(read_model(r, source));
  r->design_unknown = told(r, first, "design");
  read_design(r);
  return cap_factor_read_all(r) == CAP_ERR_NOMEM ? CAP_ERR_NOMEM : CAP_ERR_INPUT;
}

static cap_status read_all(cap_study_reading *r, const cap_study_file_source *source, cap_arena *scratch)
{
  cap_study *s = r->study;
  cap_yaml_node *root = NULL;
  CAP_TRY(cap_yaml_parse(s->text, strlen(s->text), NULL, scratch, r->diag, &root));
  r->root = root;
  r->diag->locate = locate;
  r->diag->locate_self = root;
  CAP_TRY(check_kind(r));
  CAP_TRY(rename_all(r, source, &root));
  r->root = root;
  r->diag->locate_self = root;
  int first = r->diag->nitem;
  cap_status tables = read_tables(r);
  if (tables == CAP_ERR_INPUT) return read_beside(r, source, first);
  CAP_TRY(tables);
  s->name = r->raw.study;
  s->description = r->raw.description;
  CAP_TRY(read_model(r, source));
  CAP_TRY(read_parts(r));
  CAP_TRY(read_cases(r, scratch));
  return source->checked ? CAP_OK : cap_study_check_values(r);
}

static cap_status start(cap_study_reading *r, const cap_study_file_source *source)
{
  cap_study *s = r->study;
  const char *slash = strrchr(source->path, '/');
  s->path = cap_arena_copy_text(&s->arena, source->path);
  r->folder = cap_arena_format(&s->arena, "%.*s", slash ? (int)(slash + 1 - source->path) : 0, source->path);
  char *text = NULL;
  if (source->text) {
    text = cap_arena_alloc(&s->arena, source->size + 1);
    if (text) memcpy(text, source->text, source->size);
  } else {
    size_t size;
    CAP_TRY(cap_text_file_read(source->path, CAP_TEXT_FILE_MOST, &s->arena, r->diag, &text, &size));
    CAP_TRY(cap_text_file_check(text, size, r->diag));
  }
  s->text = text;
  if (source->text) CAP_TRY(cap_text_file_check(source->text, source->size, r->diag));
  return s->path && r->folder && text ? CAP_OK : CAP_ERR_NOMEM;
}

cap_status cap_study_file_parse(const cap_study_file_source *source, cap_study **study, cap_diag *diag)
{
  *study = NULL;
  cap_diag_init(diag, source->path);
  cap_arena scratch = {0};
  cap_study_reading r = {.study = calloc(1, sizeof(cap_study)), .diag = diag, .checked = source->checked};
  cap_units *units = cap_units_create();
  cap_status status = r.study && units ? CAP_OK : CAP_ERR_NOMEM;
  if (status == CAP_OK) status = start(&r, source);
  if (status == CAP_OK) {
    r.bind = (cap_bind){.arena = &r.study->arena, .units = units, .diag = diag, .folder = r.folder};
    status = read_all(&r, source, &scratch);
  }
  diag->locate = NULL; /* the tree goes before the diag does */
  diag->locate_self = NULL;
  if (status == CAP_OK && diag->nerror) status = CAP_ERR_INPUT;
  if (status == CAP_ERR_NOMEM) no_memory(diag);
  cap_model_file_free(r.model);
  cap_units_free(units);
  cap_arena_free(&scratch);
  if (status == CAP_OK) *study = r.study;
  else cap_study_free(r.study);
  return status;
}

cap_status cap_study_file_read(const char *path, cap_study **study, cap_diag *diag)
{
  cap_study_file_source source = {.path = path};
  return cap_study_file_parse(&source, study, diag);
}
