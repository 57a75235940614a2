/* io/schema.c — see schema.h. */
#include "io/schema.h"
#include "base/units.h"
#include "io/bind_inner.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* -------------------------------------------------------------------------------------------- JSON writer */

typedef struct json {
  FILE *out;
  int depth;
  bool fresh; /* nothing stands in the innermost object or array yet */
} json;

static void write_text(json *j, const char *text)
{
  fputc('"', j->out);
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c == '"' || c == '\\') fprintf(j->out, "\\%c", c);
    else if (c < 0x20) fprintf(j->out, "\\u%04x", c);
    else fputc(c, j->out);
  }
  fputc('"', j->out);
}

/* A new line for the next member; `key` NULL = an item of an array. */
static void start_member(json *j, const char *key)
{
  if (!j->fresh) fputc(',', j->out);
  if (j->depth) fprintf(j->out, "\n%*s", 2 * j->depth, "");
  j->fresh = false;
  if (!key) return;
  write_text(j, key);
  fputs(": ", j->out);
}

static void open_with(json *j, const char *key, char bracket)
{
  start_member(j, key);
  fputc(bracket, j->out);
  j->depth++;
  j->fresh = true;
}

static void close_with(json *j, char bracket)
{
  j->depth--;
  if (!j->fresh) fprintf(j->out, "\n%*s", 2 * j->depth, "");
  fputc(bracket, j->out);
  j->fresh = false;
}

static void put_text(json *j, const char *key, const char *value)
{
  start_member(j, key);
  write_text(j, value);
}

static void put_number(json *j, const char *key, double value)
{
  start_member(j, key);
  fprintf(j->out, "%.17g", value);
}

static void put_false(json *j, const char *key)
{
  start_member(j, key);
  fputs("false", j->out);
}

/* ------------------------------------------------------------------------------------------------- fields */

#define NUMBER_PATTERN "^ *[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?"

static bool limited(const cap_field *field)
{
  return field->low != 0.0 || field->high != 0.0;
}

static void put_limits(json *j, const cap_field *field)
{
  if (!limited(field)) return;
  if (isfinite(field->low)) put_number(j, field->low_open ? "exclusiveMinimum" : "minimum", field->low);
  if (isfinite(field->high)) put_number(j, field->high_open ? "exclusiveMaximum" : "maximum", field->high);
}

/* Doc, SI unit, range and default in one sentence, as an editor shows it beside the key. */
static void put_description(json *j, const cap_field *field)
{
  char text[1000], low[64], high[64];
  const char *unit = field->unit ? field->unit : "";
  size_t n = (size_t)snprintf(text, sizeof text, "%s", field->doc ? field->doc : "");
  if (*unit && n < sizeof text) n += (size_t)snprintf(text + n, sizeof text - n, " [%s]", unit);
  if (limited(field) && n < sizeof text) {
    cap_units_format(low, sizeof low, field->low, unit);
    cap_units_format(high, sizeof high, field->high, unit);
    if (isfinite(field->low))
      n += (size_t)snprintf(text + n, sizeof text - n, "; %s %s", field->low_open ? "above" : "at least",
                            low);
    if (isfinite(field->high) && n < sizeof text)
      n += (size_t)snprintf(text + n, sizeof text - n, "; %s %s", field->high_open ? "below" : "at most",
                            high);
  }
  if (field->fallback && *field->fallback && n < sizeof text)
    snprintf(text + n, sizeof text - n, "; default %s", field->fallback);
  if (text[0]) put_text(j, "description", text);
}

static void put_example(json *j, const cap_field *field)
{
  if (!field->example || field->kind == CAP_FIELD_INT) return;
  if (field->kind != CAP_FIELD_REAL && field->kind != CAP_FIELD_TEXT) return;
  open_with(j, "examples", '[');
  put_text(j, NULL, field->example);
  close_with(j, ']');
}

/* The keywords of one quantity. */
static void put_quantity(json *j, const char *unit, const cap_field *limits)
{
  if (unit && *unit) {
    put_text(j, "type", "string");
    put_text(j, "pattern", NUMBER_PATTERN " *[^0-9. ].*$");
    return;
  }
  open_with(j, "anyOf", '[');
  open_with(j, NULL, '{');
  put_text(j, "type", "number");
  if (limits) put_limits(j, limits);
  close_with(j, '}');
  open_with(j, NULL, '{');
  put_text(j, "type", "string");
  put_text(j, "pattern", NUMBER_PATTERN " *(%|percent)?$");
  close_with(j, '}');
  close_with(j, ']');
}

static void put_counts(json *j, const cap_field *field)
{
  if (field->least) put_number(j, "minItems", field->least);
  put_number(j, "maxItems", field->most ? field->most : 10000);
}

static void put_keywords(json *j, const cap_field *field);
static void put_input(json *j, const cap_field *field);
static void put_names(json *j, const char *key, int n, const char *const *names);

/* The frequency in Hz that may stand for an angular frequency. */
static void put_hertz(json *j, const cap_field *field)
{
  cap_field frequency = cap_bind_value_hertz(field);
  char text[200];
  snprintf(text, sizeof text, "in place of %s: its frequency", field->key);
  frequency.doc = text;
  frequency.fallback = NULL;
  open_with(j, frequency.key, '{');
  put_keywords(j, &frequency);
  close_with(j, '}');
}

static void put_fields(json *j, const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    open_with(j, w.field->key, '{');
    put_keywords(j, w.field);
    close_with(j, '}');
    if (w.field->hertz) put_hertz(j, w.field);
  }
}

/* Of an angular frequency and its frequency in Hz there is one, or at most one. */
static void put_alternatives(json *j, const cap_field *fields)
{
  bool any = false;
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    if (!w.field->hertz) continue;
    if (!any) open_with(j, "allOf", '[');
    any = true;
    const char *const both[] = {w.field->key, w.field->hertz};
    open_with(j, NULL, '{');
    open_with(j, w.field->required ? "oneOf" : "not", w.field->required ? '[' : '{');
    for (int k = 0; k < 2 && w.field->required; k++) {
      open_with(j, NULL, '{');
      put_names(j, "required", 1, both + k);
      close_with(j, '}');
    }
    if (!w.field->required) put_names(j, "required", 2, both);
    close_with(j, w.field->required ? ']' : '}');
    close_with(j, '}');
  }
  if (any) close_with(j, ']');
}

static void put_required(json *j, const cap_field *fields, const char *tag_key)
{
  open_with(j, "required", '[');
  if (tag_key) put_text(j, NULL, tag_key);
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (w.field->required && !w.field->hertz) put_text(j, NULL, w.field->key);
  close_with(j, ']');
  put_alternatives(j, fields);
}

/* An object with these keys and no others. */
static void put_object(json *j, const cap_field *fields)
{
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  put_fields(j, fields);
  close_with(j, '}');
  put_required(j, fields, NULL);
  put_false(j, "additionalProperties");
}

static void put_text_kind(json *j)
{
  open_with(j, "type", '['); /* a name such as 6PK2 may look like a number to an editor */
  put_text(j, NULL, "string");
  put_text(j, NULL, "number");
  close_with(j, ']');
}

static void put_section(json *j, const cap_field *field)
{
  if (!field->short_key) {
    put_object(j, field->fields);
    return;
  }
  open_with(j, "anyOf", '[');
  open_with(j, NULL, '{');
  put_text_kind(j);
  close_with(j, '}');
  open_with(j, NULL, '{');
  put_object(j, field->fields);
  close_with(j, '}');
  close_with(j, ']');
}

static void put_list_of_quantities(json *j, const cap_field *field, const char *unit)
{
  put_text(j, "type", "array");
  put_counts(j, field);
  open_with(j, "items", '{');
  put_quantity(j, unit, field);
  close_with(j, '}');
}

static void put_range_keys(json *j, const char *unit)
{
  static const char *const ends[] = {"from", "to"};
  for (int i = 0; i < 2; i++) {
    open_with(j, ends[i], '{');
    put_quantity(j, unit, NULL);
    close_with(j, '}');
  }
  open_with(j, "count", '{');
  put_text(j, "type", "integer");
  put_number(j, "minimum", 2);
  close_with(j, '}');
  open_with(j, "spacing", '{');
  open_with(j, "enum", '[');
  put_text(j, NULL, "linear");
  put_text(j, NULL, "log");
  close_with(j, ']');
  close_with(j, '}');
}

static void put_names(json *j, const char *key, int n, const char *const *names)
{
  open_with(j, key, '[');
  for (int i = 0; i < n; i++) put_text(j, NULL, names[i]);
  close_with(j, ']');
}

static const char *const range_required[] = {"parameter", "from", "to", "count"};

static void put_reals(json *j, const cap_field *field)
{
  open_with(j, "oneOf", '[');
  open_with(j, NULL, '{');
  put_list_of_quantities(j, field, field->unit);
  close_with(j, '}');
  open_with(j, NULL, '{');
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  put_range_keys(j, field->unit);
  close_with(j, '}');
  put_names(j, "required", 3, range_required + 1);
  put_false(j, "additionalProperties");
  close_with(j, '}');
  close_with(j, ']');
}

static void put_text_type(json *j, const char *key, const char *doc)
{
  open_with(j, key, '{');
  put_text(j, "type", "string");
  put_text(j, "description", doc);
  close_with(j, '}');
}

static void put_pairs(json *j, const cap_field *field)
{
  put_text(j, "type", "array");
  put_counts(j, field);
  open_with(j, "items", '{');
  put_text(j, "type", "array");
  open_with(j, "prefixItems", '[');
  open_with(j, NULL, '{');
  put_quantity(j, field->unit_x, NULL);
  close_with(j, '}');
  open_with(j, NULL, '{');
  put_quantity(j, field->unit, field);
  close_with(j, '}');
  close_with(j, ']');
  put_number(j, "minItems", 2);
  put_number(j, "maxItems", 2);
  close_with(j, '}');
}

static void put_series(json *j, const cap_field *field)
{
  static const char *const keys[] = {"file", "x", "y"};
  open_with(j, "oneOf", '[');
  open_with(j, NULL, '{');
  put_pairs(j, field);
  close_with(j, '}');
  open_with(j, NULL, '{');
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  put_text_type(j, "file", "CSV file; its path is relative to the model file");
  put_text_type(j, "x", "name of the column with the abscissa");
  put_text_type(j, "y", "name of the column with the values");
  close_with(j, '}');
  put_names(j, "required", 3, keys);
  put_false(j, "additionalProperties");
  close_with(j, '}');
  close_with(j, ']');
}

/* The unit of a sweep is that of its parameter, which a schema cannot follow. */
static void put_sweep(json *j, const cap_field *field)
{
  static const char *const listed[] = {"parameter", "values"};
  open_with(j, "oneOf", '[');
  for (int range = 0; range < 2; range++) {
    open_with(j, NULL, '{');
    put_text(j, "type", "object");
    open_with(j, "properties", '{');
    put_text_type(j, "parameter", "path of the parameter that varies, such as load.amplitude");
    if (range) {
      put_range_keys(j, "any");
    } else {
      open_with(j, "values", '{');
      put_text(j, "type", "array");
      put_counts(j, field);
      close_with(j, '}');
    }
    close_with(j, '}');
    if (range) put_names(j, "required", 4, range_required);
    else put_names(j, "required", 2, listed);
    put_false(j, "additionalProperties");
    close_with(j, '}');
  }
  close_with(j, ']');
}

/* Values have the unit of their parameter. */
static void put_unknowns(json *j, const cap_field *field)
{
  static const char *const required[] = {"parameter"}, *const quantities[] = {"start", "low", "high"},
                           *const scales[] = {"linear", "log"};
  put_text(j, "type", "array");
  put_counts(j, field);
  open_with(j, "items", '{');
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  put_text_type(j, "parameter", "path of the parameter to be identified, such as load.amplitude");
  for (int k = 0; k < 3; k++) {
    open_with(j, quantities[k], '{');
    open_with(j, "type", '[');
    put_text(j, NULL, "string");
    put_text(j, NULL, "number");
    close_with(j, ']');
    close_with(j, '}');
  }
  open_with(j, "scale", '{');
  put_names(j, "enum", 2, scales);
  close_with(j, '}');
  close_with(j, '}');
  put_names(j, "required", 1, required);
  put_false(j, "additionalProperties");
  close_with(j, '}');
}

static void put_variant(json *j, const cap_field *field)
{
  open_with(j, "oneOf", '[');
  for (const cap_variant *variant = field->variants; variant->name; variant++) {
    open_with(j, NULL, '{');
    put_text(j, "type", "object");
    if (variant->doc) put_text(j, "description", variant->doc);
    open_with(j, "properties", '{');
    open_with(j, field->tag_key, '{');
    put_text(j, "const", variant->name);
    close_with(j, '}');
    put_fields(j, variant->fields);
    close_with(j, '}');
    bool usual = field->tag_default && strcmp(field->tag_default, variant->name) == 0;
    put_required(j, variant->fields, usual ? NULL : field->tag_key);
    put_false(j, "additionalProperties");
    close_with(j, '}');
    if (strcmp(variant->name, "input") == 0) put_input(j, variant->fields);
  }
  close_with(j, ']');
}

static bool any_required(const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (w.field->required) return true;
  return false;
}

/* One item of STEPS: an object with the variant's name as its only key;
 * bare names where no key is required. */
static void put_step(json *j, const cap_variant *variant)
{
  open_with(j, NULL, '{');
  put_text(j, "type", "object");
  if (variant->doc) put_text(j, "description", variant->doc);
  open_with(j, "properties", '{');
  open_with(j, variant->name, '{');
  if (any_required(variant->fields)) {
    put_object(j, variant->fields);
  } else {
    open_with(j, "anyOf", '[');
    open_with(j, NULL, '{');
    put_text(j, "type", "null");
    close_with(j, '}');
    open_with(j, NULL, '{');
    put_object(j, variant->fields);
    close_with(j, '}');
    close_with(j, ']');
  }
  close_with(j, '}');
  close_with(j, '}');
  put_names(j, "required", 1, &variant->name);
  put_false(j, "additionalProperties");
  close_with(j, '}');
  if (any_required(variant->fields)) return;
  open_with(j, NULL, '{');
  put_text(j, "const", variant->name);
  close_with(j, '}');
}

static void put_steps(json *j, const cap_field *field)
{
  put_text(j, "type", "array");
  put_counts(j, field);
  open_with(j, "items", '{');
  open_with(j, "oneOf", '[');
  for (const cap_variant *variant = field->variants; variant->name; variant++) put_step(j, variant);
  close_with(j, ']');
  close_with(j, '}');
}

static void put_choices(json *j, const cap_field *field)
{
  open_with(j, "enum", '[');
  for (int i = 0; field->choices[i]; i++) put_text(j, NULL, field->choices[i]);
  close_with(j, ']');
}

/* {input: NAME, start: VALUE}. */
static void put_input(json *j, const cap_field *field)
{
  static const char *const keys[] = {"input", "start"};
  open_with(j, NULL, '{');
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  put_text_type(j, keys[0], "name of an input, which whoever runs the model sets");
  open_with(j, keys[1], '{');
  put_text(j, "description", "its value at the start");
  put_quantity(j, field->unit, field);
  close_with(j, '}');
  close_with(j, '}');
  put_names(j, "required", 2, keys);
  put_false(j, "additionalProperties");
  close_with(j, '}');
}

static void put_value(json *j, const cap_field *field);

static void put_keywords(json *j, const cap_field *field)
{
  put_description(j, field);
  put_example(j, field);
  if (!field->input) {
    put_value(j, field);
    return;
  }
  open_with(j, "anyOf", '[');
  open_with(j, NULL, '{');
  put_value(j, field);
  close_with(j, '}');
  put_input(j, field);
  close_with(j, ']');
}

static void put_value(json *j, const cap_field *field)
{
  switch (field->kind) {
  case CAP_FIELD_REAL:
    put_quantity(j, field->unit, field);
    break;
  case CAP_FIELD_INT:
    put_text(j, "type", "integer");
    put_limits(j, field);
    break;
  case CAP_FIELD_BOOL:
    put_text(j, "type", "boolean");
    break;
  case CAP_FIELD_TEXT:
    put_text_kind(j);
    break;
  case CAP_FIELD_CHOICE:
    put_choices(j, field);
    break;
  case CAP_FIELD_REALS:
    put_reals(j, field);
    break;
  case CAP_FIELD_TEXTS:
    put_text(j, "type", "array");
    put_counts(j, field);
    break;
  case CAP_FIELD_SERIES:
    put_series(j, field);
    break;
  case CAP_FIELD_SWEEP:
    put_sweep(j, field);
    break;
  case CAP_FIELD_TABLE:
    put_text(j, "type", "string");
    break;
  case CAP_FIELD_UNKNOWNS:
    put_unknowns(j, field);
    break;
  case CAP_FIELD_NAMED:
    open_with(j, "type", '[');
    put_text(j, NULL, "array");
    put_text(j, NULL, "object");
    close_with(j, ']');
    put_counts(j, field);
    break;
  case CAP_FIELD_SECTION:
    put_section(j, field);
    break;
  case CAP_FIELD_LIST:
    put_text(j, "type", "array");
    put_counts(j, field);
    open_with(j, "items", '{');
    put_object(j, field->fields);
    close_with(j, '}');
    break;
  case CAP_FIELD_VARIANT:
    put_variant(j, field);
    break;
  case CAP_FIELD_STEPS:
    put_steps(j, field);
    break;
  case CAP_FIELD_MORE: /* has no value */
    break;
  }
}

/* ---------------------------------------------------------------------------------------------- the whole */

/* Keys common to all drives are described once, under $defs. */
static void put_common_reference(json *j, const char *key)
{
  char place[100];
  snprintf(place, sizeof place, "#/$defs/%s", key);
  open_with(j, key, '{');
  put_text(j, "$ref", place);
  close_with(j, '}');
}

static void put_drive(json *j, const cap_drive *drive, const cap_field *common)
{
  open_with(j, NULL, '{');
  put_text(j, "title", drive->name);
  if (drive->doc) put_text(j, "description", drive->doc);
  put_text(j, "type", "object");
  open_with(j, "properties", '{');
  for (const cap_field *field = common; field->key; field++) {
    if (strcmp(field->key, "drive") != 0) {
      put_common_reference(j, field->key);
      continue;
    }
    open_with(j, "drive", '{');
    put_text(j, "const", drive->name);
    close_with(j, '}');
  }
  put_fields(j, drive->fields);
  close_with(j, '}');
  open_with(j, "required", '[');
  for (const cap_field *field = common; field->key; field++)
    if (field->required) put_text(j, NULL, field->key);
  for (cap_fields_walk w = cap_fields_first(drive->fields); w.field; cap_fields_next(&w))
    if (w.field->required) put_text(j, NULL, w.field->key);
  close_with(j, ']');
  put_false(j, "additionalProperties");
  close_with(j, '}');
}

cap_status cap_schema_table(const char *title, const cap_field *fields, FILE *out)
{
  json j = {.out = out, .fresh = true};
  open_with(&j, NULL, '{');
  put_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
  put_text(&j, "title", title);
  put_object(&j, fields);
  close_with(&j, '}');
  fputc('\n', out);
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}

cap_status cap_schema_json(const cap_model_parse_registry *registry, FILE *out)
{
  json j = {.out = out, .fresh = true};
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(registry, common);
  open_with(&j, NULL, '{');
  put_text(&j, "$schema", "https://json-schema.org/draft/2020-12/schema");
  put_text(&j, "title", "Capstan model file");
  open_with(&j, "oneOf", '[');
  for (int i = 0; registry->drives[i]; i++) put_drive(&j, registry->drives[i], common);
  close_with(&j, ']');
  open_with(&j, "$defs", '{');
  for (const cap_field *field = common; field->key; field++) {
    if (strcmp(field->key, "drive") == 0) continue;
    open_with(&j, field->key, '{');
    put_keywords(&j, field);
    close_with(&j, '}');
  }
  close_with(&j, '}');
  close_with(&j, '}');
  fputc('\n', out);
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}
