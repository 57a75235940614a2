/* io/bind_value.c — single values: quantities, whole numbers, switches, texts, choices; and what messages
 * call them. */
#include "base/nearest.h"
#include "io/bind_inner.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 60 }; /* bytes of a found value that a message shows */

/* ----------------------------------------------------------------------------------------------- messages */

void cap_bind_value_got(const cap_yaml_node *node, char *buffer, size_t size)
{
  switch (node->kind) {
  case CAP_YAML_NULL:
    snprintf(buffer, size, "nothing");
    return;
  case CAP_YAML_LIST:
    snprintf(buffer, size, "a list");
    return;
  case CAP_YAML_MAP:
    snprintf(buffer, size, "a section");
    return;
  case CAP_YAML_SCALAR:
    break;
  }
  size_t n = 0, shown = 0;
  buffer[n++] = '"';
  const char *at = node->text;
  for (; *at && (shown < SHOWN || ((unsigned char)*at & 0xc0) == 0x80) && n + 8 < size; at++, shown++)
    buffer[n++] = iscntrl((unsigned char)*at) ? ' ' : *at;
  snprintf(buffer + n, size - n, "%s\"", *at ? "..." : "");
}

static void describe_real(const cap_field *field, char *buffer, size_t size)
{
  const char *unit = field->unit ? field->unit : "";
  const char *noun = cap_units_noun(unit);
  size_t n = 0;
  if (noun) n = (size_t)snprintf(buffer, size, "%s", noun);
  else n = (size_t)snprintf(buffer, size, "a quantity in %s", unit);
  if (n >= size) return;
  if (field->example) snprintf(buffer + n, size - n, " such as \"%s\"", field->example);
  else if (noun && *unit) snprintf(buffer + n, size - n, " in %s", unit);
}

static void describe_choices(const char *const *choices, char *buffer, size_t size)
{
  size_t n = 0;
  for (int i = 0; choices && choices[i] && n < size; i++)
    n += (size_t)snprintf(buffer + n, size - n, "%s\"%s\"",
                          i == 0           ? ""
                          : choices[i + 1] ? ", "
                                           : " or ",
                          choices[i]);
}

static void describe_variants(const cap_variant *variants, char *buffer, size_t size)
{
  size_t n = 0;
  for (int i = 0; variants && variants[i].name && n < size; i++)
    n += (size_t)snprintf(buffer + n, size - n, "%s\"%s\"",
                          i == 0                 ? ""
                          : variants[i + 1].name ? ", "
                                                 : " or ",
                          variants[i].name);
}

static const char *with_example(const char *what, const cap_field *field, char *buffer, size_t size)
{
  if (field->example) snprintf(buffer, size, "%s such as %s", what, field->example);
  else snprintf(buffer, size, "%s", what);
  return buffer;
}

static void describe(const cap_field *field, char *buffer, size_t size)
{
  buffer[0] = 0;
  switch (field->kind) {
  case CAP_FIELD_REAL:
    describe_real(field, buffer, size);
    break;
  case CAP_FIELD_INT:
    with_example("a whole number", field, buffer, size);
    break;
  case CAP_FIELD_BOOL:
    snprintf(buffer, size, "true or false");
    break;
  case CAP_FIELD_TEXT:
    with_example("a text", field, buffer, size);
    break;
  case CAP_FIELD_CHOICE:
    describe_choices(field->choices, buffer, size);
    break;
  case CAP_FIELD_REALS:
    with_example("a list or a range {from, to, count}", field, buffer, size);
    break;
  case CAP_FIELD_TEXTS:
    with_example("a list of texts", field, buffer, size);
    break;
  case CAP_FIELD_SERIES:
    with_example("a list of pairs or {file, x, y}", field, buffer, size);
    break;
  case CAP_FIELD_SWEEP:
    with_example("a section with parameter and values", field, buffer, size);
    break;
  case CAP_FIELD_TABLE:
    with_example("the name of a CSV file", field, buffer, size);
    break;
  case CAP_FIELD_UNKNOWNS:
    with_example("a list of {parameter, start, low, high, scale}", field, buffer, size);
    break;
  case CAP_FIELD_NAMED:
    with_example("a list of texts or a section of names with texts", field, buffer, size);
    break;
  case CAP_FIELD_SECTION:
    snprintf(buffer, size, "a section of keys");
    break;
  case CAP_FIELD_LIST:
    snprintf(buffer, size, "a list of sections");
    break;
  case CAP_FIELD_VARIANT: {
    size_t n = 0; /* without a key for the tag, the names alone */
    if (field->tag_key) n = (size_t)snprintf(buffer, size, "a section with the key \"%s\": ", field->tag_key);
    if (n < size) describe_variants(field->variants, buffer + n, size - n);
    break;
  }
  case CAP_FIELD_STEPS: {
    size_t n = (size_t)snprintf(buffer, size, "a list of ");
    describe_variants(field->variants, buffer + n, size - n);
    break;
  }
  case CAP_FIELD_MORE: /* has no value */
    break;
  }
}

void cap_bind_value_describe(const cap_field *field, char *buffer, size_t size)
{
  describe(field, buffer, size);
  size_t n = strlen(buffer);
  if (field->input && n < size) snprintf(buffer + n, size - n, ", or {input: NAME, start: VALUE}");
}

/* ------------------------------------------------------------------------------------------------- ranges */

static bool in_range(const cap_field *field, double value)
{
  if (field->low == 0.0 && field->high == 0.0) return true;
  if (value < field->low || (field->low_open && value == field->low)) return false;
  return !(value > field->high || (field->high_open && value == field->high));
}

static void report_range(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                         const cap_yaml_node *node, const char *unit)
{
  char low[64], high[64], got[100], text[200];
  cap_units_format(low, sizeof low, field->low, unit);
  cap_units_format(high, sizeof high, field->high, unit);
  cap_bind_value_got(node, got, sizeof got);
  const char *above = field->low_open ? "above" : "at least", *below = field->high_open ? "below" : "at most";
  if (isinf(field->high)) snprintf(text, sizeof text, "%s %s", above, low);
  else if (isinf(field->low)) snprintf(text, sizeof text, "%s %s", below, high);
  else snprintf(text, sizeof text, "%s %s and %s %s", above, low, below, high);
  cap_bind_inner_report(bind, spot, node, "expected a value %s, got %s", text, got);
}

/* ------------------------------------------------------------------------------------------------- values */

/* Whether the key of an angular frequency has a value in Hz, which another key takes. */
static bool in_hertz(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                     const cap_yaml_node *node)
{
  double found;
  char reason[CAP_UNITS_REASON];
  if (!field->hertz || !spot->key || strcmp(spot->key, field->key) != 0) return false;
  return node->kind == CAP_YAML_SCALAR && cap_units_parse(bind->units, node->text, "1/s", &found, reason);
}

bool cap_bind_value_real(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                         const cap_yaml_node *node, double *value)
{
  char reason[CAP_UNITS_REASON] = "";
  const char *unit = field->unit ? field->unit : "";
  cap_field real = *field; /* items of a list are described as the quantities that they are */
  real.kind = CAP_FIELD_REAL;
  if (field->kind != CAP_FIELD_REAL) real.example = NULL;
  double found;
  if (node->kind != CAP_YAML_SCALAR || !cap_units_parse(bind->units, node->text, unit, &found, reason)) {
    size_t length = strlen(reason);
    if (in_hertz(bind, spot, field, node))
      snprintf(reason + length, sizeof reason - length, ", or give it as \"%s\"", field->hertz);
    cap_bind_inner_expected(bind, spot, node, &real, reason);
    return false;
  }
  if (!in_range(field, found)) {
    report_range(bind, spot, field, node, unit);
    return false;
  }
  *value = found;
  return true;
}

cap_field cap_bind_value_hertz(const cap_field *angular)
{
  cap_field field = *angular;
  field.key = angular->hertz;
  field.hertz = NULL;
  field.unit = "1/s";
  field.low /= 2.0 * M_PI;
  field.high /= 2.0 * M_PI;
  field.example = "10 Hz";
  return field;
}

/* Digits with an optional sign, and nothing else: "1e3" and "2.0" are refused, as is 99999999999. */
static bool whole_number(const char *text, int *value)
{
  const char *at = text;
  bool negative = *at == '-';
  if (*at == '-' || *at == '+') at++;
  if (!*at) return false;
  long long sum = 0;
  for (; *at; at++) {
    if (!isdigit((unsigned char)*at)) return false;
    sum = 10 * sum + (*at - '0');
    if (sum > (long long)INT_MAX) return false;
  }
  *value = (int)(negative ? -sum : sum);
  return true;
}

bool cap_bind_value_int(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                        const cap_yaml_node *node, int *value)
{
  int found;
  if (node->kind != CAP_YAML_SCALAR || !whole_number(node->text, &found)) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return false;
  }
  if (!in_range(field, found)) {
    report_range(bind, spot, field, node, "");
    return false;
  }
  *value = found;
  return true;
}

static void bind_bool(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, bool *place,
                      const cap_yaml_node *node)
{
  if (node->kind == CAP_YAML_SCALAR && strcmp(node->text, "true") == 0) *place = true;
  else if (node->kind == CAP_YAML_SCALAR && strcmp(node->text, "false") == 0) *place = false;
  else cap_bind_inner_expected(bind, spot, node, field, "");
}

static void bind_text(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, const char **place,
                      const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_SCALAR) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return;
  }
  *place = cap_arena_copy_text(bind->arena, node->text);
  if (!*place) bind->exhausted = true;
  else if (field->means == CAP_MEANS_NAME) cap_bind_names_check(bind, spot, node, *place);
}

static void bind_choice(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, int *place,
                        const cap_yaml_node *node)
{
  if (node->kind != CAP_YAML_SCALAR) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return;
  }
  cap_nearest nearest;
  cap_nearest_start(&nearest, node->text);
  for (int i = 0; field->choices[i]; i++) {
    if (strcmp(field->choices[i], node->text) == 0) {
      *place = i;
      return;
    }
    cap_nearest_offer(&nearest, field->choices[i]);
  }
  char reason[CAP_UNITS_REASON] = "";
  const char *present = cap_fields_renamed(field->names_were, node->text);
  const char *instead = cap_fields_renamed(field->names_left, node->text);
  if (instead) snprintf(reason, sizeof reason, "it left with format version 2: use %s", instead);
  else if (present) snprintf(reason, sizeof reason, "since format version 2 it is called \"%s\"", present);
  else if (nearest.best) snprintf(reason, sizeof reason, "did you mean \"%s\"?", nearest.best);
  cap_bind_inner_expected(bind, spot, node, field, reason);
}

void cap_bind_value_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                          const cap_yaml_node *node)
{
  switch (field->kind) {
  case CAP_FIELD_REAL:
    cap_bind_value_real(bind, spot, field, node, place);
    break;
  case CAP_FIELD_INT:
    cap_bind_value_int(bind, spot, field, node, place);
    break;
  case CAP_FIELD_BOOL:
    bind_bool(bind, spot, field, place, node);
    break;
  case CAP_FIELD_TEXT:
    bind_text(bind, spot, field, place, node);
    break;
  case CAP_FIELD_CHOICE:
    bind_choice(bind, spot, field, place, node);
    break;
  default:
    break;
  }
}
