/* atlas/entry.c — see entry.h. */
#include "atlas/entry.h"
#include "base/units.h"
#include "io/bind.h"
#include "io/renames.h"
#include "io/text_file.h"
#include "io/tree_path.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tables */

static const cap_field run_fields[] = {{.key = "name",
                                        .kind = CAP_FIELD_TEXT,
                                        .offset = offsetof(cap_entry_run, name),
                                        .required = true,
                                        .example = "masing",
                                        .doc = "name of the run in series and formulas"},
                                       {.key = "model",
                                        .kind = CAP_FIELD_TEXT,
                                        .offset = offsetof(cap_entry_run, model),
                                        .required = true,
                                        .example = "rig.yaml",
                                        .doc = "model file, relative to the entry's folder"},
                                       {.key = "settings",
                                        .kind = CAP_FIELD_TEXTS,
                                        .offset = offsetof(cap_entry_run, settings),
                                        .example = "[\"load.amplitude=13 N\"]",
                                        .means = CAP_MEANS_SETTING,
                                        .doc = "settings, as for --set"},
                                       {.key = "thorough",
                                        .kind = CAP_FIELD_TEXTS,
                                        .offset = offsetof(cap_entry_run, thorough),
                                        .example = "[\"analyses[0].response.verify=true\"]",
                                        .means = CAP_MEANS_SETTING,
                                        .doc = "further settings, omitted with --quick"},
                                       {0}};

static const char *const by_names[] = {"whole", "branch", NULL};

static const cap_field series_fields[] = {
    {.key = "id",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, id),
     .required = true,
     .example = "gain",
     .doc = "name of the series in formulas"},
    {.key = "name",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, name),
     .doc = "name of the series in plots; default: the id"},
    {.key = "run",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, run),
     .doc = "run that the series comes from"},
    {.key = "group",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, group),
     .example = "transient",
     .doc = "with run: group of results, named after its analysis"},
    {.key = "file",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, file),
     .example = "fig13.csv",
     .doc = "instead of run: CSV file in the entry's folder"},
    {.key = "value",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, value),
     .example = "gain - resample(paper, gain)",
     .means = CAP_MEANS_FORMULA,
     .doc = "instead of run: formula of other series"},
    {.key = "y",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, y),
     .means = CAP_MEANS_CHANNEL,
     .doc = "with run or file: dataset or column"},
    {.key = "x",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, x),
     .means = CAP_MEANS_CHANNEL,
     .doc = "abscissa; default: the first column, or the axis of the array"},
    {.key = "select",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_entry_series, select),
     .example = "[load.amplitude=13]",
     .means = CAP_MEANS_CHANNEL,
     .doc = "of an array with several dimensions: value (SI) on every axis but one, or index from 0"},
    {.key = "by",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_entry_series, by),
     .choices = by_names,
     .fallback = "whole",
     .doc = "branch: one series for each branch of a response by harmonic balance, with its name appended"},
    {.key = "beside",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_entry_series, beside),
     .example = "[rms_total, mean, min, max]",
     .means = CAP_MEANS_CHANNEL,
     .doc = "with by: further columns, or further quantities of the same channel, in addition to x and y"},
    {.key = "panels",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_entry_series, panels),
     .example = "[g1]",
     .doc = "titles of the plots that contain the series; if no series has any, the page chooses"},
    {.key = "x_name",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, x_name),
     .doc = "label of x"},
    {.key = "x_unit",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, x_unit),
     .doc = "unit in which x is displayed"},
    {.key = "y_name",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, y_name),
     .doc = "label of y"},
    {.key = "unit",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_series, unit),
     .doc = "unit in which y is displayed; for a formula also its dimension"},
    {0}};

static const char *const tag_names[] = {"quick", "long", NULL};

static const cap_field claim_fields[] = {
    {.key = "id",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, id),
     .required = true,
     .example = "stuck-resonance",
     .doc = "letters, digits, - and _"},
    {.key = "text",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, text),
     .required = true,
     .doc = "statement of the source, in words"},
    {.key = "value",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, value),
     .required = true,
     .example = "argmax(gain)",
     .means = CAP_MEANS_FORMULA,
     .doc = "formula of the number that is compared"},
    {.key = "unit",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, unit),
     .fallback = "",
     .example = "rad/s",
     .doc = "unit of value and expected; the formula itself is in SI units"},
    {.key = "expected",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, expected),
     .required = true,
     .example = "65.3 +- 1%",
     .doc = "criterion: \"65.3 +- 1%\", \"< 1.1\", \"> 0.2\", \"in [0.1, 0.3]\" or \"= 3\""},
    {.key = "tag",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_entry_claim, tag),
     .choices = tag_names,
     .fallback = "quick",
     .doc = "computed only without --quick"},
    {.key = "holds",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(cap_entry_claim, holds),
     .fallback = "true",
     .doc = "false if the claim is known not to hold"},
    {.key = "note",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(cap_entry_claim, note),
     .fallback = "",
     .doc = "reason, required if the claim does not hold"},
    {0}};

const cap_field cap_entry_fields[] = {{.key = "title",
                                       .kind = CAP_FIELD_TEXT,
                                       .offset = offsetof(cap_entry, title),
                                       .required = true,
                                       .doc = "content of the figure, table or statement"},
                                      {.key = "source",
                                       .kind = CAP_FIELD_TEXT,
                                       .offset = offsetof(cap_entry, source),
                                       .required = true,
                                       .doc = "reference to the source"},
                                      {.key = "note",
                                       .kind = CAP_FIELD_TEXT,
                                       .offset = offsetof(cap_entry, note),
                                       .fallback = "",
                                       .doc = "remarks that are needed for the comparison"},
                                      {.key = "runs",
                                       .kind = CAP_FIELD_LIST,
                                       .offset = offsetof(cap_entry, runs),
                                       .fields = run_fields,
                                       .item_size = sizeof(cap_entry_run),
                                       .most = 1000,
                                       .doc = "models to run"},
                                      {.key = "series",
                                       .kind = CAP_FIELD_LIST,
                                       .offset = offsetof(cap_entry, series),
                                       .fields = series_fields,
                                       .item_size = sizeof(cap_entry_series),
                                       .most = 1000,
                                       .doc = "curves from runs, data or formulas"},
                                      {.key = "claims",
                                       .kind = CAP_FIELD_LIST,
                                       .offset = offsetof(cap_entry, claims),
                                       .fields = claim_fields,
                                       .item_size = sizeof(cap_entry_claim),
                                       .least = 1,
                                       .most = 1000,
                                       .required = true,
                                       .doc = "statements of the source, each with a criterion"},
                                      {0}};

/* What no single key shows */

static bool is_identifier(const char *text, const char *others)
{
  if (!isalpha((unsigned char)text[0]) && text[0] != '_') return false;
  for (; *text; text++)
    if (!isalnum((unsigned char)*text) && *text != '_' && !strchr(others, *text)) return false;
  return true;
}

typedef struct checker {
  cap_entry *entry;
  cap_diag *diag;
  cap_units *units;
} checker;

__attribute__((format(printf, 5, 6))) static void tell(checker *c, const char *list, int index,
                                                       const char *key, const char *format, ...)
{
  char path[64], text[400];
  snprintf(path, sizeof path, "%s[%d].%s", list, index, key);
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_diag_at(c->diag, path, "%s", text);
}

static void check_unit(checker *c, const char *list, int index, const char *key, const char *unit)
{
  double factor;
  char si[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON] = "";
  if (unit && !cap_units_base(c->units, unit, &factor, si, reason))
    tell(c, list, index, key, "expected a unit such as \"rad/s\", got \"%s\"; %s", unit, reason);
}

static bool has_run(const cap_entry *entry, const char *name)
{
  const cap_entry_run *runs = entry->runs.items;
  for (int i = 0; i < entry->runs.n; i++)
    if (strcmp(runs[i].name, name) == 0) return true;
  return false;
}

static void check_runs(checker *c)
{
  const cap_entry_run *runs = c->entry->runs.items;
  for (int i = 0; i < c->entry->runs.n; i++) {
    if (!is_identifier(runs[i].name, ".-"))
      tell(c, "runs", i, "name", "expected letters, digits, \"_\", \"-\" and \".\", got \"%s\"",
           runs[i].name);
    for (int k = 0; k < i; k++)
      if (strcmp(runs[k].name, runs[i].name) == 0)
        tell(c, "runs", i, "name", "duplicate name; expected different names, got \"%s\" again",
             runs[i].name);
  }
}

static void check_source(checker *c, int i, const cap_entry_series *s)
{
  if ((s->run != NULL) + (s->file != NULL) + (s->value != NULL) != 1) {
    tell(c, "series", i, "id", "expected one of run, file and value");
    return;
  }
  if (s->run && !has_run(c->entry, s->run))
    tell(c, "series", i, "run", "expected the name of a run, got \"%s\"", s->run);
  if (s->run && !s->group) tell(c, "series", i, "run", "expected the key group with the group of results");
  if (!s->value && !s->y) tell(c, "series", i, "id", "expected the key y with the dataset or column");
  if (s->file && !s->x) tell(c, "series", i, "file", "expected the key x with the column of the abscissa");
  if (!s->run && (s->group || s->select.n > 0))
    tell(c, "series", i, "id", "expected no group and select without run");
  if (!s->run && s->by == CAP_ENTRY_BRANCH)
    tell(c, "series", i, "by", "expected a run, from which branches come");
  if (s->by == CAP_ENTRY_WHOLE && s->beside.n > 0) tell(c, "series", i, "beside", "requires by: branch");
}

static void check_series(checker *c)
{
  cap_entry_series *series = c->entry->series.items;
  for (int i = 0; i < c->entry->series.n; i++) {
    cap_entry_series *s = &series[i];
    if (!s->name) s->name = s->id;
    if (!is_identifier(s->id, "."))
      tell(c, "series", i, "id", "expected letters, digits, \"_\" and \".\", got \"%s\"", s->id);
    for (int k = 0; k < i; k++)
      if (strcmp(series[k].id, s->id) == 0)
        tell(c, "series", i, "id", "duplicate name; expected different names, got \"%s\" again", s->id);
    check_source(c, i, s);
    check_unit(c, "series", i, "unit", s->unit);
    check_unit(c, "series", i, "x_unit", s->x_unit);
  }
}

static void check_claims(checker *c)
{
  cap_entry_claim *claims = c->entry->claims.items;
  for (int i = 0; i < c->entry->claims.n; i++) {
    cap_entry_claim *claim = &claims[i];
    if (!is_identifier(claim->id, "-"))
      tell(c, "claims", i, "id", "expected letters, digits, \"_\" and \"-\", got \"%s\"", claim->id);
    for (int k = 0; k < i; k++)
      if (strcmp(claims[k].id, claim->id) == 0)
        tell(c, "claims", i, "id", "duplicate name; expected different names, got \"%s\" again", claim->id);
    if (!cap_criterion_parse(claim->expected, &claim->criterion))
      tell(c, "claims", i, "expected",
           "expected \"65.3 +- 1%%\", \"< 1.1\", \"> 0.2\", \"in [0.1, 0.3]\" or \"= 3\", got \"%s\"",
           claim->expected);
    if (!claim->holds && !claim->note[0])
      tell(c, "claims", i, "holds", "expected a note that says why the claim does not hold");
    check_unit(c, "claims", i, "unit", claim->unit);
  }
}

static bool locate(void *self, const char *path, int *line, int *column)
{
  const char *origin;
  return cap_tree_path_locate(self, path, line, column, &origin) && !origin;
}

static void check(cap_entry *entry, cap_yaml_node *root, cap_units *units, cap_diag *diag)
{
  checker c = {entry, diag, units};
  diag->locate = locate;
  diag->locate_self = root;
  check_runs(&c);
  check_series(&c);
  check_claims(&c);
  diag->locate = NULL;
  diag->locate_self = NULL;
}

/* Reading */

static cap_status no_memory(cap_diag *diag)
{
  cap_diag_add(diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

static cap_status bind_entry(cap_entry *entry, cap_yaml_node *root, cap_diag *diag)
{
  char *folder = cap_arena_format(&entry->arena, "%s/", entry->folder);
  cap_units *units = folder ? cap_units_create() : NULL;
  if (!units) return no_memory(diag);
  cap_bind bind = {.arena = &entry->arena, .units = units, .diag = diag, .folder = folder};
  cap_bind_part part = {.fields = cap_entry_fields, .base = entry};
  cap_bind_unknown(&bind, root, 1, &part, false);
  cap_bind_mapping(&bind, root, 1, &part);
  if (!bind.exhausted && diag->nerror == 0) check(entry, root, units, diag);
  cap_units_free(units);
  if (bind.exhausted) return no_memory(diag);
  return diag->nerror ? CAP_ERR_INPUT : CAP_OK;
}

static cap_status read_entry(cap_entry *entry, const char *path, cap_diag *diag)
{
  char *text;
  size_t size;
  cap_yaml_node *root;
  CAP_TRY(cap_text_file_read(path, CAP_TEXT_FILE_MOST, &entry->arena, diag, &text, &size));
  CAP_TRY(cap_text_file_check(text, size, diag));
  CAP_TRY(cap_yaml_parse(text, size, NULL, &entry->arena, diag, &root));
  if (root->kind != CAP_YAML_MAP) {
    cap_diag_add(diag, root->line, root->column, NULL,
                 "expected a section of keys: title, source, runs, series, claims");
    return CAP_ERR_INPUT;
  }
  cap_renames r = {.arena = &entry->arena}; /* entries have no version: they take both */
  root = cap_renames_map(&r, root, (const cap_field *const[]){cap_entry_fields, NULL});
  return r.exhausted ? no_memory(diag) : bind_entry(entry, root, diag);
}

cap_status cap_entry_read(const char *folder, cap_entry **out, cap_diag *diag)
{
  *out = NULL;
  size_t length = strlen(folder);
  while (length > 1 && folder[length - 1] == '/') length--;
  cap_entry *entry = calloc(1, sizeof *entry);
  char *path = NULL, *home = NULL;
  if (entry) {
    home = cap_arena_format(&entry->arena, "%.*s", (int)length, folder);
    path = home ? cap_arena_format(&entry->arena, "%s/entry.yaml", home) : NULL;
  }
  cap_diag_init(diag, path ? path : folder);
  if (!path) {
    cap_entry_free(entry);
    return no_memory(diag);
  }
  const char *slash = strrchr(home, '/');
  entry->folder = home;
  entry->id = slash ? slash + 1 : home;
  cap_status status = read_entry(entry, path, diag);
  if (status != CAP_OK) {
    if (diag->nerror == 0) cap_diag_add(diag, 0, 0, NULL, "%s", cap_status_text(status));
    cap_entry_free(entry);
    return status;
  }
  *out = entry;
  return CAP_OK;
}

void cap_entry_free(cap_entry *entry)
{
  if (!entry) return;
  cap_arena arena = entry->arena;
  cap_arena_free(&arena);
  free(entry);
}
