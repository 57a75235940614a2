/* tests/fuzz/settings_draw.h — all keys that a model can be given, and random values for them.
 *
 * The tables of the drive and of its analyses are walked beside the tree of the model file, so that every
 * key of the tables that apply to it is a target, whether the file has it or not. A draw is a pure function
 * of its bits (study/draw.h). */
#pragma once
#include "base/units.h"
#include "io/model_parse.h"
#include "io/yaml.h"
#include "study/draw.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAW_PATH = 300, DRAW_MOST = 3000, DRAW_TEXT = 500 };

typedef struct draw_target {
  char path[DRAW_PATH];
  const cap_field *field;
  const char *unit,
      *written; /* of the value; as it is written in the file, NULL: the file does not have it */
} draw_target;

typedef struct draw_targets {
  int n;
  draw_target list[DRAW_MOST];
  cap_model_parse_tables tables; /* the fields are of these */
} draw_targets;

static void draw_add(draw_targets *t, const char *path, const cap_field *field, const char *unit,
                     const cap_yaml_node *node)
{
  if (t->n == DRAW_MOST || strlen(path) >= DRAW_PATH) return;
  draw_target *target = &t->list[t->n++];
  strcpy(target->path, path);
  target->field = field;
  target->unit = unit ? unit : "";
  target->written = node && node->kind == CAP_YAML_SCALAR ? node->text : NULL;
}

/* A path that is too long is cut, and then refused by the program: no harm. */
__attribute__((format(printf, 2, 3))) static void draw_path(char path[DRAW_PATH], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(path, DRAW_PATH, format, arguments);
  va_end(arguments);
}

static void draw_fields(draw_targets *t, const char *path, const cap_field *fields,
                        const cap_yaml_node *node);

static const cap_variant *draw_variant(const cap_field *field, const char *name)
{
  for (const cap_variant *v = field->variants; name && v->name; v++)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

/* The keys of a section, or of an item of a list. */
static void draw_section(draw_targets *t, const char *path, const cap_field *field, const cap_yaml_node *node)
{
  if (field->kind != CAP_FIELD_VARIANT) {
    draw_fields(t, path, field->fields, node);
    return;
  }
  const cap_yaml_node *tag = node && node->kind == CAP_YAML_MAP ? cap_yaml_find(node, field->tag_key) : NULL;
  const cap_variant *v = draw_variant(field, tag ? tag->text : field->tag_default);
  if (v) draw_fields(t, path, v->fields, node);
}

static void draw_list(draw_targets *t, const char *path, const cap_field *field, const cap_yaml_node *node)
{
  char below[DRAW_PATH];
  for (int i = 0; node && node->kind == CAP_YAML_LIST && i < node->n; i++) {
    const cap_yaml_node *item = node->items[i];
    draw_path(below, "%s[%d]", path, i);
    if (field->kind == CAP_FIELD_LIST) draw_fields(t, below, field->fields, item);
    if (field->kind == CAP_FIELD_REALS) draw_add(t, below, field, field->unit, item);
    if (field->kind == CAP_FIELD_SERIES && item->kind == CAP_YAML_LIST && item->n == 2) {
      draw_path(below, "%s[%d][0]", path, i);
      draw_add(t, below, field, field->unit_x, item->items[0]);
      draw_path(below, "%s[%d][1]", path, i);
      draw_add(t, below, field, field->unit, item->items[1]);
    }
    if (field->kind != CAP_FIELD_STEPS || item->kind != CAP_YAML_MAP || item->n != 1) continue;
    const cap_variant *v = draw_variant(field, item->pairs[0].key);
    if (v) draw_path(below, "%s[%d].%s", path, i, v->name);
    if (v) draw_fields(t, below, v->fields, item->pairs[0].value);
  }
}

/* A section that is absent is one target by itself: of its keys only those that apply are looked at. */
static void draw_field(draw_targets *t, const char *path, const cap_field *field, const cap_yaml_node *node)
{
  switch (field->kind) {
  case CAP_FIELD_REAL:
  case CAP_FIELD_INT:
  case CAP_FIELD_BOOL:
  case CAP_FIELD_CHOICE:
    draw_add(t, path, field, field->unit, node);
    break;
  case CAP_FIELD_SECTION:
  case CAP_FIELD_VARIANT:
    draw_section(t, path, field, node);
    break;
  case CAP_FIELD_LIST:
  case CAP_FIELD_REALS:
  case CAP_FIELD_SERIES:
  case CAP_FIELD_STEPS:
    draw_list(t, path, field, node);
    break;
  default:
    break; /* texts, names, files: the fuzz targets of the readers */
  }
}

static void draw_fields(draw_targets *t, const char *path, const cap_field *fields, const cap_yaml_node *node)
{
  if (strlen(path) > DRAW_PATH / 2) return;
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    char below[DRAW_PATH];
    if (strcmp(w.field->key, "balance") == 0) continue; /* asks for what would be a finding */
    const cap_yaml_node *child = node && node->kind == CAP_YAML_MAP ? cap_yaml_find(node, w.field->key)
                                                                    : NULL;
    draw_path(below, "%s%s%.60s", path, *path ? "." : "", w.field->key);
    draw_field(t, below, w.field, child);
  }
}

/* All targets of a model file. */
static bool draw_targets_of(const char *text, cap_arena *arena, draw_targets *t)
{
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_yaml_node *root = NULL;
  cap_diag diag;
  cap_diag_init(&diag, "model");
  t->n = 0;
  cap_status status = cap_yaml_parse(text, strlen(text), NULL, arena, &diag, &root);
  if (status == CAP_OK) status = cap_model_parse_tree(&registry, 0, NULL, arena, &diag, &root);
  bool fine = status == CAP_OK && diag.nerror == 0;
  cap_diag_free(&diag);
  if (!fine) return false;
  const cap_yaml_node *name = cap_yaml_find(root, "drive");
  const cap_drive *drive = name && name->text ? cap_registry_drive(name->text) : NULL;
  cap_model_parse_tables_of(&registry, drive, &t->tables);
  for (int i = 0; drive && i < 2; i++) draw_fields(t, "", t->tables.all[i], root);
  return drive != NULL;
}

/* ------------------------------------------------------------------------------------------------- values */

typedef struct drawing {
  uint64_t seed, stream, counter;
} drawing;

static double draw_unit(drawing *d)
{
  return capm_draw_unit(capm_draw_bits(d->seed, d->stream, d->counter++));
}

static int draw_below(drawing *d, int n)
{
  return (int)capm_draw_below(capm_draw_bits(d->seed, d->stream, d->counter++), (uint32_t)n);
}

static double draw_decades(drawing *d, double low, double high)
{
  return pow(10.0, low + (high - low) * draw_unit(d));
}

static double draw_extreme(drawing *d)
{
  static const double values[] = {0, -0.0, -1, 5e-324, 1e-300, 1e-30, 1e-12, 1e12, 1e30, 1e300, -1e300};
  return values[draw_below(d, (int)(sizeof values / sizeof *values))];
}

/* Of what is written ("1.2 kg"), or of nothing; mostly near to it, since what is far away is mostly
 * refused. */
static double draw_real(drawing *d, const cap_field *f, double now)
{
  bool limited = f->low != 0.0 || f->high != 0.0;
  double near = now != 0.0 ? now : draw_decades(d, -4, 4);
  int kind = draw_below(d, 12);
  if (kind < 3) return near * (0.5 + draw_unit(d));
  if (kind < 5) return near * draw_decades(d, -1, 1);
  if (kind < 7) return near * draw_decades(d, -4, 4);
  if (kind == 7) return near * draw_decades(d, -12, 12);
  if (kind == 8) return -near * draw_decades(d, -1, 1);
  if (kind == 9 && limited && isfinite(f->low)) return f->low;
  if (kind == 10 && limited && isfinite(f->high)) return f->high;
  if (kind == 10 && limited && isfinite(f->low)) return f->low + draw_decades(d, -12, 0);
  return kind == 11 ? draw_extreme(d) : 0.0;
}

static int draw_int(drawing *d, const cap_field *f, int now)
{
  static const int values[] = {0, -1, 1, 2, 3, 1000, 1000000, 2147483647};
  int kind = draw_below(d, 6);
  if (kind == 0 && f->high != 0 && isfinite(f->high)) return (int)f->high;
  if (kind == 1 && f->high != 0) return isfinite(f->low) ? (int)f->low : 0;
  if (kind == 2) return values[draw_below(d, 8)];
  return now + draw_below(d, 9) - 4 + (draw_below(d, 4) ? 0 : now);
}

static int draw_choices(const cap_field *f)
{
  int n = 0;
  while (f->choices && f->choices[n]) n++;
  return n;
}

/* "PATH=VALUE" into `text`. */
static void draw_setting(drawing *d, cap_units *units, const draw_target *t, char text[DRAW_TEXT])
{
  char reason[CAP_UNITS_REASON];
  const cap_field *f = t->field;
  const char *written = t->written ? t->written : f->fallback ? f->fallback : f->example;
  double now = 0.0;
  if (f->kind == CAP_FIELD_CHOICE) {
    int n = draw_choices(f);
    snprintf(text, DRAW_TEXT, "%s=%s", t->path, n ? f->choices[draw_below(d, n)] : "");
  } else if (f->kind == CAP_FIELD_BOOL) {
    snprintf(text, DRAW_TEXT, "%s=%s", t->path, draw_below(d, 2) ? "true" : "false");
  } else if (f->kind == CAP_FIELD_INT) {
    snprintf(text, DRAW_TEXT, "%s=%d", t->path, draw_int(d, f, written ? atoi(written) : 0));
  } else {
    if (written && !cap_units_parse(units, written, t->unit, &now, reason)) now = 0.0;
    double value = draw_real(d, f, now);
    snprintf(text, DRAW_TEXT, "%s=%.*g%s%s", t->path, draw_below(d, 2) ? 3 : 17, value, *t->unit ? " " : "",
             t->unit);
  }
}
