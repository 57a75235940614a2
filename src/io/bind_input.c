/* io/bind_input.c — keys whose value someone outside sets while the system moves.
 *
 * {input: NAME, start: VALUE} in the place of the value.
 * Several keys may name one input, when they agree on its dimension and its start.
 */
#include "base/names.h"
#include "io/bind_inner.h"
#include "model/input.h"

#include <string.h>

typedef struct input {
  const char *name;
  double start;
} input;

/* The start has the dimension and the limits of what the input stands for. */
static void input_fields(const cap_field *field, cap_field out[3])
{
  out[0] = (cap_field){.key = "input",
                       .kind = CAP_FIELD_TEXT,
                       .offset = offsetof(input, name),
                       .required = true,
                       .example = "crank_speed"};
  out[1] = *field;
  out[1].key = "start";
  out[1].kind = CAP_FIELD_REAL;
  out[1].offset = offsetof(input, start);
  out[1].required = true;
  out[1].fallback = NULL;
  out[1].hertz = out[1].was = NULL;
  out[1].present = out[1].input = 0;
  if (field->kind != CAP_FIELD_REAL) out[1].example = NULL;
  out[2] = (cap_field){0};
}

static void check_name(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node, const char *name)
{
  cap_bind_spot spot = {.up = up, .key = "input"};
  const cap_yaml_node *at = cap_yaml_find(node, "input");
  if (!cap_names_is_word(name, strlen(name)) || strlen(name) > CAP_NAMES_OWN)
    cap_bind_inner_report(
        bind, &spot, at, "expected a name of letters, digits and \"_\", no digit first, got \"%.60s\"", name);
}

/* Note an input; a finding where another key says something else of it. */
static void note_input(cap_bind *bind, const cap_bind_spot *up, const cap_yaml_node *node,
                       const cap_field *field, const input *found)
{
  const char *unit = field->unit ? field->unit : "";
  for (const cap_bind_input *other = bind->inputs; other; other = other->before) {
    if (strcmp(other->name, found->name) != 0) continue;
    char start[64], got[64];
    cap_units_format(start, sizeof start, other->start, other->unit);
    cap_units_format(got, sizeof got, found->start, unit);
    if (strcmp(other->unit, unit) != 0 || other->start != found->start) {
      cap_bind_spot spot = {.up = up, .key = "start"};
      cap_bind_inner_report(
          bind, &spot, cap_yaml_find(node, "start"),
          "expected %s, with which another key starts the input \"%s\", got %s; give inputs "
          "that differ different names",
          start, found->name, got);
    }
    return;
  }
  cap_bind_input *mine = cap_bind_inner_array(bind, 1, sizeof *mine);
  if (!mine) return;
  *mine = (cap_bind_input){found->name, unit, found->start, bind->inputs};
  bind->inputs = mine;
}

static void fill(cap_bind *bind, const cap_field *field, void *base, const input *found)
{
  void *place = (char *)base + field->offset;
  cap_input_key *key = (void *)((char *)base + field->input - 1);
  *key = (cap_input_key){.name = found->name, .field = field};
  if (field->kind == CAP_FIELD_REAL) {
    *(double *)place = found->start;
    return;
  }
  cap_series *series = place;
  *series = (cap_series){.n = 1,
                         .x = cap_bind_inner_array(bind, 1, sizeof(double)),
                         .y = cap_bind_inner_array(bind, 1, sizeof(double))};
  if (!series->x || !series->y) return;
  series->x[0] = 0.0;
  series->y[0] = found->start;
}

bool cap_bind_input_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base,
                          const cap_yaml_node *node)
{
  if (field->kind != CAP_FIELD_REAL && field->kind != CAP_FIELD_SERIES) return false;
  if (node->kind != CAP_YAML_MAP || !cap_yaml_find(node, "input")) return false;
  if (!field->input) {
    char wanted[300];
    cap_bind_value_describe(field, wanted, sizeof wanted);
    cap_bind_inner_report(bind, spot, node, "expected %s, got an input, which this key does not take",
                          wanted);
    return true;
  }
  input found = {0};
  cap_field fields[3];
  input_fields(field, fields);
  int before = bind->diag->nerror;
  cap_bind_inner_section(bind, spot, fields, &found, node);
  if (bind->diag->nerror > before || bind->exhausted) return true;
  check_name(bind, spot, node, found.name);
  note_input(bind, spot, node, field, &found);
  if (bind->diag->nerror == before) fill(bind, field, base, &found);
  return true;
}
