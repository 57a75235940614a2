/* io/bind_array.c — lists and ranges of numbers, lists of texts, series (also from CSV files), sweeps. */
#include "base/nearest.h"
#include "io/bind_inner.h"
#include "io/csv.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------- lists and ranges */

static void check_increasing(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node, int n,
                             const double *v)
{
  for (int i = 1; i < n; i++) {
    if (v[i] > v[i - 1]) continue;
    bool items = node->kind == CAP_YAML_LIST;
    cap_bind_spot spot = {.up = up, .index = i};
    cap_bind_inner_report(bind, items ? &spot : up, items ? node->items[i] : node,
                          "expected a value above %g, the one before it (in SI units), got %g", v[i - 1],
                          v[i]);
    return;
  }
}

static void bind_list(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_reals *place,
                      const cap_yaml_node *node)
{
  if (!cap_bind_inner_count(bind, up, field, node, node->n)) return;
  double *v = cap_bind_inner_array(bind, node->n, sizeof *v);
  if (!v) return;
  bool good = true;
  for (int i = 0; i < node->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    good = cap_bind_value_real(bind, &spot, field, node->items[i], &v[i]) && good;
  }
  if (!good) return;
  *place = (cap_reals){.n = node->n, .v = v};
  if (field->increasing) check_increasing(bind, up, node, node->n, v);
}

typedef struct range {
  double from, to;
  int count, spacing;
} range;

static const char *const spacings[] = {"linear", "log", NULL};

/* The table of a range; its ends have the dimension and the limits of the values. */
static void range_fields(const cap_field *values, cap_field out[5])
{
  cap_field end = {.kind = CAP_FIELD_REAL,
                   .unit = values->unit,
                   .low = values->low,
                   .high = values->high,
                   .low_open = values->low_open,
                   .high_open = values->high_open,
                   .required = true,
                   .example = values->kind == CAP_FIELD_REAL ? values->example : NULL};
  out[0] = out[1] = end;
  out[0].key = "from", out[0].offset = offsetof(range, from);
  out[1].key = "to", out[1].offset = offsetof(range, to);
  out[2] = (cap_field){.key = "count",
                       .kind = CAP_FIELD_INT,
                       .offset = offsetof(range, count),
                       .required = true,
                       .low = 2,
                       .high = cap_bind_inner_most(values),
                       .example = "116"};
  out[3] = (cap_field){.key = "spacing",
                       .kind = CAP_FIELD_CHOICE,
                       .offset = offsetof(range, spacing),
                       .fallback = "linear",
                       .choices = spacings};
  out[4] = (cap_field){0};
}

static void expand_range(const range *r, double *v)
{
  const int last = r->count - 1;
  for (int i = 0; i <= last; i++) {
    double part = (double)i / last;
    v[i] = r->spacing == 0 ? r->from + (r->to - r->from) * part : r->from * pow(r->to / r->from, part);
  }
  v[last] = r->to; /* not a rounding beside it */
}

static void bind_range(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_reals *place,
                       const cap_yaml_node *node)
{
  range r = {0};
  cap_field fields[5];
  range_fields(field, fields);
  int before = bind->diag->nerror;
  cap_bind_inner_section(bind, spot, fields, &r, node);
  if (bind->diag->nerror > before) return;
  if (!cap_bind_inner_count(bind, spot, field, node, r.count)) return;
  if (r.spacing == 1 && !(r.from > 0.0 && r.to > 0.0)) {
    cap_bind_inner_report(bind, spot, node, "expected values above 0 for logarithmic spacing");
    return;
  }
  double *v = cap_bind_inner_array(bind, r.count, sizeof *v);
  if (!v) return;
  expand_range(&r, v);
  *place = (cap_reals){.n = r.count, .v = v};
  if (field->increasing) check_increasing(bind, spot, node, r.count, v);
}

static void bind_reals(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_reals *place,
                       const cap_yaml_node *node)
{
  if (node->kind == CAP_YAML_LIST) bind_list(bind, spot, field, place, node);
  else if (node->kind == CAP_YAML_MAP) bind_range(bind, spot, field, place, node);
  else cap_bind_inner_expected(bind, spot, node, field, "");
}

static void bind_texts(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_texts *place,
                       const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_LIST) {
    cap_bind_inner_expected(bind, up, node, field, "");
    return;
  }
  if (!cap_bind_inner_count(bind, up, field, node, node->n)) return;
  const char **v = cap_bind_inner_array(bind, node->n, sizeof *v);
  if (!v) return;
  cap_field text = {.kind = CAP_FIELD_TEXT};
  for (int i = 0; i < node->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    cap_bind_value_field(bind, &spot, &text, &v[i], node->items[i]);
  }
  *place = (cap_texts){.n = node->n, .v = v};
}

/* ------------------------------------------------------------------------------------------------- series */

static bool bind_pair(cap_bind *bind, const cap_bind_spot *up, const cap_field *field,
                      const cap_yaml_node *node, double *x, double *y)
{
  if (node->kind != CAP_YAML_LIST || node->n != 2) {
    char got[100];
    cap_bind_value_got(node, got, sizeof got);
    if (node->kind == CAP_YAML_LIST) snprintf(got, sizeof got, "%d values", node->n);
    cap_bind_inner_report(bind, up, node, "expected a pair of values, got %s", got);
    return false;
  }
  cap_field first = {.kind = CAP_FIELD_REAL, .unit = field->unit_x};
  cap_bind_spot spot = {.up = up, .index = 0};
  bool good = cap_bind_value_real(bind, &spot, &first, node->items[0], x);
  spot.index = 1;
  return cap_bind_value_real(bind, &spot, field, node->items[1], y) && good;
}

static void bind_pairs(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_series *place,
                       const cap_yaml_node *node)
{
  if (!cap_bind_inner_count(bind, up, field, node, node->n)) return;
  double *x = cap_bind_inner_array(bind, node->n, sizeof *x),
         *y = cap_bind_inner_array(bind, node->n, sizeof *y);
  if (!x || !y) return;
  bool good = true;
  for (int i = 0; i < node->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    good = bind_pair(bind, &spot, field, node->items[i], &x[i], &y[i]) && good;
  }
  if (!good) return;
  *place = (cap_series){.n = node->n, .x = x, .y = y};
  if (field->increasing) check_increasing(bind, up, node, node->n, x);
}

typedef struct columns {
  const char *file, *x, *y;
} columns;

static const cap_field column_fields[] = {
    {.key = "file",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(columns, file),
     .required = true,
     .example = "loop.csv"},
    {.key = "x", .kind = CAP_FIELD_TEXT, .offset = offsetof(columns, x), .required = true, .example = "time"},
    {.key = "y",
     .kind = CAP_FIELD_TEXT,
     .offset = offsetof(columns, y),
     .required = true,
     .example = "force"},
    {0}};

static const double *pick_column(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node,
                                 const char *key, const char *name, const char *unit, cap_csv *csv)
{
  cap_bind_spot spot = {.up = up, .key = key};
  const cap_yaml_node *at = cap_yaml_find(node, key);
  int index = cap_csv_find(csv, name);
  if (index < 0) {
    cap_nearest nearest;
    cap_nearest_start(&nearest, name);
    for (int i = 0; i < csv->ncolumn; i++) cap_nearest_offer(&nearest, csv->names[i]);
    cap_bind_inner_report(
        bind, &spot, at, "the file has no column \"%.60s\"; expected one of its columns%s%s%s", name,
        nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "", nearest.best ? "\"?" : "");
    return NULL;
  }
  if (cap_csv_take(csv, index, bind->units, unit)) return csv->values[index];
  const char *noun = cap_units_noun(unit);
  cap_bind_inner_report(bind, &spot, at, "expected a column with %s (%s), got \"%.60s\" in %s%s",
                        noun ? noun : "a quantity", *unit ? unit : "no unit", name,
                        csv->units[index][0] ? csv->units[index] : "no unit",
                        cap_csv_hint(csv->units[index], unit));
  return NULL;
}

static void check_rows(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node, int n,
                       const double *x)
{
  for (int i = 1; i < n; i++) {
    if (x[i] > x[i - 1]) continue;
    cap_bind_inner_report(bind, spot, node,
                          "data row %d: expected x above %g, that of the row before (in SI units), got %g",
                          i + 1, x[i - 1], x[i]);
    return;
  }
}

static void bind_columns(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_series *place,
                         const cap_yaml_node *node)
{
  columns names = {0};
  int before = bind->diag->nerror;
  cap_bind_inner_section(bind, spot, column_fields, &names, node);
  if (bind->diag->nerror > before || bind->exhausted) return;
  cap_field rows =
      *field; /* what a file holds is limited by the reader of CSV unless the table says otherwise */
  if (!rows.most) rows.most = CAP_CSV_ROWS;
  const char *path;
  cap_csv csv;
  cap_bind_spot file = {.up = spot, .key = "file"};
  if (!cap_bind_inner_csv(bind, &file, cap_yaml_find(node, "file"), names.file, &path, &csv)) return;
  if (!cap_bind_inner_count(bind, spot, &rows, node, csv.nrow)) return;
  const double *x = pick_column(bind, spot, node, "x", names.x, field->unit_x ? field->unit_x : "", &csv);
  const double *y = pick_column(bind, spot, node, "y", names.y, field->unit ? field->unit : "", &csv);
  if (!x || !y) return;
  *place = (cap_series){.n = csv.nrow, .file = path};
  place->x = cap_bind_inner_array(bind, csv.nrow, sizeof *x);
  place->y = cap_bind_inner_array(bind, csv.nrow, sizeof *y);
  if (!place->x || !place->y) return;
  memcpy(place->x, x, (size_t)csv.nrow * sizeof *x);
  memcpy(place->y, y, (size_t)csv.nrow * sizeof *y);
  if (field->increasing) check_rows(bind, spot, node, csv.nrow, x);
}

static void bind_series(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_series *place,
                        const cap_yaml_node *node)
{
  if (node->kind == CAP_YAML_LIST) bind_pairs(bind, spot, field, place, node);
  else if (node->kind == CAP_YAML_MAP) bind_columns(bind, spot, field, place, node);
  else cap_bind_inner_expected(bind, spot, node, field, "");
}

/* ------------------------------------------------------------------------------------------------- sweeps */

static const char *noun_of(cap_field_kind kind)
{
  switch (kind) {
  case CAP_FIELD_INT:
    return "a whole number";
  case CAP_FIELD_CHOICE:
    return "a choice";
  case CAP_FIELD_BOOL:
    return "true or false";
  case CAP_FIELD_TEXT:
    return "a text";
  case CAP_FIELD_SECTION:
  case CAP_FIELD_VARIANT:
    return "a section";
  default:
    return "a list";
  }
}

static void report_parameter(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node)
{
  const cap_field *other = cap_fields_named(bind->parameters, node->text);
  if (other) {
    cap_bind_inner_report(bind, spot, node,
                          "expected a quantity that can be varied continuously, got \"%.80s\", which is %s",
                          node->text, noun_of(other->kind));
    return;
  }
  cap_fields_suggestion s;
  cap_fields_suggest_start(&s, node->text);
  cap_fields_suggest(&s, bind->parameters);
  cap_bind_inner_report(bind, spot, node, "unknown parameter \"%.80s\"%s%s%s", node->text,
                        s.best[0] ? "; did you mean \"" : "", s.best, s.best[0] ? "\"?" : "");
}

const cap_field *cap_bind_array_parameter(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node)
{
  cap_bind_spot spot = {.up = up, .key = "parameter"};
  const cap_yaml_node *path = cap_yaml_find(node, "parameter");
  if (!path || path->kind != CAP_YAML_SCALAR) {
    cap_field text = {.kind = CAP_FIELD_TEXT, .example = "load.angular_frequency"};
    if (path) cap_bind_inner_expected(bind, &spot, path, &text, "");
    else cap_bind_inner_report(bind, &spot, node, "missing; expected a text such as load.angular_frequency");
    return NULL;
  }
  if (!bind->parameters) return NULL; /* the drive itself is not known, which has been said */
  double *place;
  const cap_field *field = NULL;
  if (bind->parameters_sound)
    field = cap_fields_locate(bind->parameters, bind->parameter_spec, path->text, &place);
  const cap_field *known = cap_fields_known(bind->parameters, path->text);
  if (field || (known && !bind->parameters_sound)) return field ? field : known;
  char reason[CAP_FIELDS_REASON];
  if (known && cap_fields_item_missing(bind->parameters, bind->parameter_spec, path->text, reason))
    cap_bind_inner_report(bind, &spot, path, "%s", reason);
  else if (known)
    cap_bind_inner_report(
        bind, &spot, path,
        "the parameter \"%.80s\" has no effect; expected one of the keys that this model uses", path->text);
  else report_parameter(bind, &spot, path);
  return NULL;
}

const char *cap_bind_array_path(cap_bind *bind, const cap_field *target, const char *path)
{
  size_t length = strlen(path);
  bool hertz = cap_fields_in_hertz(target, path);
  if (hertz) length -= strlen(target->hertz);
  const char *copy = cap_arena_format(bind->arena, "%.*s%s", (int)length, path, hertz ? target->key : "");
  if (!copy) bind->exhausted = true;
  return copy;
}

static bool refuse_keys(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node, bool list)
{
  int before = bind->diag->nerror;
  static const char *const known[] = {"parameter", "values", "from", "to", "count", "spacing"};
  for (int i = 0; i < node->n; i++) {
    const cap_yaml_pair *pair = &node->pairs[i];
    cap_yaml_node at = {.line = pair->line, .column = pair->column, .origin = pair->origin};
    cap_nearest nearest;
    cap_nearest_start(&nearest, pair->key);
    bool found = false;
    for (int k = 0; k < 6; k++) {
      found = found || strcmp(pair->key, known[k]) == 0;
      cap_nearest_offer(&nearest, known[k]);
    }
    if (!found)
      cap_bind_inner_report(bind, up, &at, "unknown key \"%.60s\"%s%s%s", pair->key,
                            nearest.best ? "; did you mean \"" : "", nearest.best ? nearest.best : "",
                            nearest.best ? "\"?" : "");
    else if (list && strcmp(pair->key, "parameter") != 0 && strcmp(pair->key, "values") != 0)
      cap_bind_inner_report(bind, up, &at,
                            "expected either \"values\" or a range, got \"%s\" in addition to \"values\"",
                            pair->key);
  }
  return bind->diag->nerror > before;
}

static void bind_sweep(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_sweep *place,
                       const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_MAP) {
    cap_bind_inner_expected(bind, up, node, field, "");
    return;
  }
  const cap_yaml_node *list = cap_yaml_find(node, "values");
  if (refuse_keys(bind, up, node, list != NULL)) return; /* what is missing may be what is misspelt */
  const cap_field *target = cap_bind_array_parameter(bind, up, node);
  if (!target) return;
  const char *path = cap_yaml_find(node, "parameter")->text;
  bool hertz = cap_fields_in_hertz(target, path);
  cap_field values = hertz
                         ? cap_bind_value_hertz(target)
                         : *target; /* dimension and limits of the parameter, count and order of the sweep */
  values.most = field->most, values.least = field->least, values.increasing = field->increasing;
  cap_bind_spot spot = {.up = up, .key = "values"};
  if (list) {
    values.kind = CAP_FIELD_REALS;
    values.example = NULL; /* that of the parameter is no list */
    bind_reals(bind, &spot, &values, &place->values, list);
  } else {
    cap_yaml_node range_only = *node; /* without the key "parameter", which a range does not know */
    range_only.pairs = cap_bind_inner_array(bind, node->n, sizeof *node->pairs);
    if (!range_only.pairs) return;
    range_only.n = 0;
    static const char *const keys[] = {"from", "to", "count", "spacing"};
    for (int k = 0; k < 4; k++) {
      const cap_yaml_pair *pair = cap_yaml_find_pair(node, keys[k]);
      if (pair) range_only.pairs[range_only.n++] = *pair;
    }
    bind_range(bind, up, &values, &place->values, &range_only);
  }
  for (int i = 0; hertz && i < place->values.n; i++) place->values.v[i] *= 2.0 * M_PI;
  place->target = target;
  place->path = cap_bind_array_path(bind, target, path);
}

void cap_bind_array_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                          const cap_yaml_node *node)
{
  switch (field->kind) {
  case CAP_FIELD_REALS:
    bind_reals(bind, spot, field, place, node);
    break;
  case CAP_FIELD_TEXTS:
    bind_texts(bind, spot, field, place, node);
    break;
  case CAP_FIELD_SERIES:
    bind_series(bind, spot, field, place, node);
    break;
  case CAP_FIELD_SWEEP:
    bind_sweep(bind, spot, field, place, node);
    break;
  default:
    break;
  }
}
