/* io/bind_data.c — tables of measured data (CSV files), parameters that are to be found from them, named
 * texts. */
#include "base/nearest.h"
#include "io/bind_inner.h"
#include "io/csv.h"
#include "io/yaml_flow.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool is_known(const cap_field *field, const char *name)
{
  for (const cap_table_column *c = field->columns; c->name; c++)
    if (strcasecmp(c->name, name) == 0) return true;
  return false;
}

static void report_missing(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                           const cap_field *field, const char *name, const cap_csv *csv)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (int i = 0; i < csv->ncolumn; i++)
    if (!is_known(field, csv->names[i])) cap_nearest_offer(&nearest, csv->names[i]);
  cap_bind_inner_report(bind, spot, node, "the file has no column \"%s\"%s%s%s", name,
                        nearest.best ? "; is it \"" : "", nearest.best ? nearest.best : "",
                        nearest.best ? "\"?" : "");
}

static void check_columns(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                          const cap_yaml_node *node, cap_csv *csv)
{
  for (const cap_table_column *c = field->columns; c && c->name; c++) {
    int index = cap_csv_find(csv, c->name);
    const char *got = index < 0 ? "" : csv->units[index];
    if (index < 0) {
      if (c->required) report_missing(bind, spot, node, field, c->name, csv);
    } else if (!cap_csv_take(csv, index, bind->units, c->unit)) {
      cap_bind_inner_report(bind, spot, node, "expected the column \"%s\" in %s, got it in %s%s", c->name,
                            *c->unit ? c->unit : "no unit", *got ? got : "no unit",
                            cap_csv_hint(got, c->unit));
    }
  }
}

static void bind_table(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_table *place,
                       const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_SCALAR) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return;
  }
  const char *path;
  cap_csv csv;
  if (!cap_bind_inner_csv(bind, spot, node, node->text, &path, &csv)) return;
  check_columns(bind, spot, field, node, &csv);
  *place = (cap_table){.file = path,
                       .ncolumn = csv.ncolumn,
                       .nrow = csv.nrow,
                       .names = csv.names,
                       .units = csv.units,
                       .per_minute = csv.per_minute,
                       .values = csv.values};
}

typedef struct unknown {
  const char *parameter;
  double start, low, high;
  bool start_given, low_given, high_given;
  int scale;
} unknown;

static const char *const scales[] = {"linear", "log", NULL};

/* The table of an unknown, with the dimension and the limits of its parameter. */
static void unknown_fields(const cap_field *target, cap_field out[6])
{
  cap_field value = *target;
  value.kind = CAP_FIELD_REAL;
  value.required = false;
  value.fallback = NULL;
  out[0] = (cap_field){
      .key = "parameter", .kind = CAP_FIELD_TEXT, .offset = offsetof(unknown, parameter), .required = true};
  out[1] = out[2] = out[3] = value;
  out[1].key = "start", out[1].offset = offsetof(unknown, start);
  out[1].present = 1 + offsetof(unknown, start_given);
  out[2].key = "low", out[2].offset = offsetof(unknown, low);
  out[2].present = 1 + offsetof(unknown, low_given);
  out[3].key = "high", out[3].offset = offsetof(unknown, high);
  out[3].present = 1 + offsetof(unknown, high_given);
  out[4] = (cap_field){.key = "scale",
                       .kind = CAP_FIELD_CHOICE,
                       .offset = offsetof(unknown, scale),
                       .fallback = "linear",
                       .choices = scales};
  out[5] = (cap_field){0};
}

/* Where the parameter stands; NULL while the model is not sound. */
static double *place_of(const cap_bind *bind, const char *path)
{
  double *place = NULL;
  if (bind->parameters_sound) cap_fields_locate(bind->parameters, bind->parameter_spec, path, &place);
  return place;
}

/* What the model file itself has for the parameter. */
static double present_value(const cap_bind *bind, const char *path)
{
  const double *place = place_of(bind, path);
  return place ? *place : NAN;
}

/* Two paths may name one parameter: an item by its index and by its name. */
static bool same_parameter(const cap_bind *bind, const char *a, const char *b)
{
  const double *place = place_of(bind, a);
  return strcmp(a, b) == 0 || (place && place == place_of(bind, b));
}

static void check_unknown(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                          const cap_unknown *u)
{
  const char *unit = u->target->unit ? u->target->unit : "";
  char low[64], high[64], start[64];
  cap_units_format(low, sizeof low, u->low, unit);
  cap_units_format(high, sizeof high, u->high, unit);
  cap_units_format(start, sizeof start, u->start, unit);
  if (!(u->low < u->high))
    cap_bind_inner_report(bind, spot, node, "the bounds are crossed; expected low below high, got %s and %s",
                          low, high);
  else if (u->start < u->low || u->start > u->high)
    cap_bind_inner_report(bind, spot, node, "expected a start within the bounds %s to %s, got %s", low, high,
                          start);
  else if (u->logarithmic && !(u->start > 0.0 && u->high > 0.0))
    cap_bind_inner_report(bind, spot, node,
                          "expected values above 0 for a logarithmic scale, got the start %s", start);
}

static void bind_unknown(cap_bind *bind, const cap_bind_spot *spot, cap_unknown *place,
                         const cap_yaml_node *node)
{
  cap_field section = {.kind = CAP_FIELD_SECTION};
  if (node->kind != CAP_YAML_MAP) {
    cap_bind_inner_expected(bind, spot, node, &section, "");
    return;
  }
  const cap_field *target = cap_bind_array_parameter(bind, spot, node);
  if (!target) return;
  cap_field fields[6];
  unknown found = {0};
  int before = bind->diag->nerror;
  bool hertz = cap_fields_in_hertz(target, cap_yaml_find(node, "parameter")->text);
  cap_field in_hertz = cap_bind_value_hertz(target);
  unknown_fields(hertz ? &in_hertz : target, fields);
  cap_bind_inner_section(bind, spot, fields, &found, node);
  if (bind->diag->nerror > before || bind->exhausted) return;
  bool limited = target->low != 0.0 || target->high != 0.0;
  double unit = hertz ? 2.0 * M_PI : 1.0;
  *place = (cap_unknown){.path = cap_bind_array_path(bind, target, found.parameter),
                         .target = target,
                         .start = found.start_given ? found.start * unit
                                                    : present_value(bind, found.parameter),
                         .low = found.low_given ? found.low * unit
                                : limited       ? target->low
                                                : -INFINITY,
                         .high = found.high_given ? found.high * unit
                                 : limited        ? target->high
                                                  : INFINITY,
                         .logarithmic = found.scale == 1};
  check_unknown(bind, spot, node, place);
}

static void bind_unknowns(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_list *place,
                          const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_LIST) {
    cap_bind_inner_expected(bind, up, node, field, "");
    return;
  }
  if (!cap_bind_inner_count(bind, up, field, node, node->n)) return;
  cap_unknown *items = cap_bind_inner_array(bind, node->n, sizeof *items);
  if (!items) return;
  for (int i = 0; i < node->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    bind_unknown(bind, &spot, &items[i], node->items[i]);
    for (int k = 0; items[i].path && k < i; k++)
      if (items[k].path && same_parameter(bind, items[k].path, items[i].path))
        cap_bind_inner_report(bind, &spot, node->items[i],
                              "duplicate parameter \"%.80s\"; expected different ones", items[i].path);
  }
  *place = (cap_list){.n = node->n, .items = items};
}

static bool bind_name(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node, int i,
                      cap_named *place)
{
  bool map = node->kind == CAP_YAML_MAP;
  const cap_yaml_node *value = map ? node->pairs[i].value : node->items[i];
  cap_bind_spot spot = {.up = up, .key = map ? node->pairs[i].key : NULL, .index = i};
  if (value->kind == CAP_YAML_NULL || (value->kind == CAP_YAML_SCALAR && !*value->text)) {
    cap_bind_inner_report(bind, &spot, value, "expected a value, got nothing");
    return true;
  }
  const char *text = cap_yaml_flow_text(value, bind->arena);
  place->v[i] = text;
  place->names[i] = map ? cap_arena_copy_text(bind->arena, node->pairs[i].key) : text;
  return text && place->names[i];
}

static void bind_named(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, cap_named *place,
                       const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_MAP && node->kind != CAP_YAML_LIST) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return;
  }
  if (!cap_bind_inner_count(bind, spot, field, node, node->n)) return;
  cap_named found = {.n = node->n};
  found.names = cap_bind_inner_array(bind, node->n, sizeof *found.names);
  found.v = cap_bind_inner_array(bind, node->n, sizeof *found.v);
  if (!found.names || !found.v) return;
  int before = bind->diag->nerror;
  for (int i = 0; i < node->n; i++)
    if (!bind_name(bind, spot, node, i, &found)) bind->exhausted = true;
  if (bind->diag->nerror == before && !bind->exhausted) *place = found;
}

void cap_bind_data_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                         const cap_yaml_node *node)
{
  if (field->kind == CAP_FIELD_TABLE) bind_table(bind, spot, field, place, node);
  else if (field->kind == CAP_FIELD_UNKNOWNS) bind_unknowns(bind, spot, field, place, node);
  else if (field->kind == CAP_FIELD_NAMED) bind_named(bind, spot, field, place, node);
}
