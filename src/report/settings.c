/* report/settings.c — see settings.h. */
#include "report/settings.h"
#include "base/units.h"
#include "io/model_parse.h"
#include "io/tree_path.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_VALUE = 300, LONGEST_PATH = 240, DEEPEST = 16 };

typedef struct table {
  cap_page *page;
  cap_units *units;
  int nrow;
} table;

/* A text that grows up to its room, then ends with an ellipsis. */
typedef struct line {
  char text[LONGEST_VALUE + 8];
  size_t length;
  bool full;
} line;

static void write_word(line *to, const char *word)
{
  size_t length = strlen(word);
  if (to->full) return;
  if (to->length + length > LONGEST_VALUE) {
    length = LONGEST_VALUE - to->length;
    while (length > 0 && ((unsigned char)word[length] & 0xc0) == 0x80) length--; /* whole characters */
    to->full = true;
  }
  memcpy(to->text + to->length, word, length);
  to->length += length;
  strcpy(to->text + to->length, to->full ? "…" : "");
}

/* A value of any kind as it may stand in one line. */
static void write_node(line *to, const cap_yaml_node *node, int depth)
{
  bool list = node->kind == CAP_YAML_LIST;
  if (node->kind == CAP_YAML_SCALAR) write_word(to, node->text);
  if (node->kind == CAP_YAML_SCALAR || node->kind == CAP_YAML_NULL || depth > DEEPEST) return;
  write_word(to, list ? "[" : "{");
  for (int i = 0; i < node->n && !to->full; i++) {
    if (i) write_word(to, ", ");
    if (!list) {
      write_word(to, node->pairs[i].key);
      write_word(to, ": ");
    }
    write_node(to, list ? node->items[i] : node->pairs[i].value, depth + 1);
  }
  write_word(to, list ? "]" : "}");
}

/* ------------------------------------------------------------------------------------------------ one row */

static void put_text(cap_page *page, const char *key, const char *text)
{
  cap_page_put(page, "\"%s\":", key);
  cap_page_string(page, text);
  cap_page_put(page, ",");
}

/* `node` NULL: the default. */
static void put_row(table *t, const char *path, const cap_field *field, const char *value,
                    const cap_yaml_node *node)
{
  char reason[CAP_UNITS_REASON];
  double si;
  cap_page_put(t->page, t->nrow++ ? ",{" : "{");
  put_text(t->page, "path", path);
  put_text(t->page, "value", value);
  if (field && field->kind == CAP_FIELD_REAL) {
    const char *unit = field->unit ? field->unit : "";
    put_text(t->page, "unit", unit);
    if (cap_units_parse(t->units, value, unit, &si, reason)) {
      cap_page_put(t->page, "\"si\":");
      cap_page_number(t->page, si);
      cap_page_put(t->page, ",");
    }
  }
  if (node && !node->origin && node->line > 0) cap_page_put(t->page, "\"line\":%d,", node->line);
  put_text(t->page, "source", !node ? "default" : node->origin ? "set" : "model");
  /* The last comma is taken up by a member that closes the row. */
  cap_page_put(t->page, "\"known\":%s}", field ? "true" : "false");
}

static void put_node(table *t, const char *path, const cap_field *field, const cap_yaml_node *node)
{
  line value = {0};
  write_node(&value, node, 0);
  put_row(t, path, field, value.text, node);
}

/* --------------------------------------------------------------------------------------------- the tables */

static void walk_field(table *t, const char *path, const cap_field *field, const cap_yaml_node *node,
                       int depth);

static bool join(char path[LONGEST_PATH], const char *up, const char *key)
{
  return snprintf(path, LONGEST_PATH, "%s%s%s", up, *up ? "." : "", key) < LONGEST_PATH;
}

static void walk_fields(table *t, const char *up, const cap_field *fields, const cap_yaml_node *map,
                        int depth)
{
  char path[LONGEST_PATH];
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (join(path, up, w.field->key))
      walk_field(t, path, w.field, map ? cap_yaml_find(map, w.field->key) : NULL, depth + 1);
}

/* Keys that no table has: of another version, most likely. */
static void walk_unknown(table *t, const char *up, const cap_yaml_node *map, int ntable,
                         const cap_field *const *tables, const char *tag)
{
  char path[LONGEST_PATH];
  for (int i = 0; i < map->n; i++) {
    const char *key = map->pairs[i].key;
    bool known = tag && strcmp(tag, key) == 0;
    for (int k = 0; k < ntable && !known; k++) known = tables[k] && cap_fields_find(tables[k], key);
    if (!known && join(path, up, key)) put_node(t, path, NULL, map->pairs[i].value);
  }
}

static void walk_section(table *t, const char *path, const cap_field *fields, const cap_yaml_node *node,
                         int depth)
{
  walk_fields(t, path, fields, node, depth);
  if (node) walk_unknown(t, path, node, 1, &fields, NULL);
}

static const cap_variant *find_variant(const cap_variant *variants, const char *name)
{
  for (; variants && variants->name; variants++)
    if (strcmp(variants->name, name) == 0) return variants;
  return NULL;
}

static void walk_variant(table *t, const char *path, const cap_field *field, const cap_yaml_node *node,
                         int depth)
{
  char tag_path[LONGEST_PATH];
  const cap_yaml_node *tag = cap_yaml_find(node, field->tag_key);
  const char *name = tag && tag->kind == CAP_YAML_SCALAR ? tag->text : field->tag_default;
  const cap_field *fields = NULL, tag_field = {.kind = CAP_FIELD_TEXT};
  if (name && join(tag_path, path, field->tag_key)) {
    const cap_variant *variant = find_variant(field->variants, name);
    if (variant) fields = variant->fields;
    put_row(t, tag_path, &tag_field, name, tag);
  }
  walk_fields(t, path, fields, node, depth);
  walk_unknown(t, path, node, 1, &fields, field->tag_key);
}

/* "- transient: {until: 1 s}" or "- statics". */
static void walk_step(table *t, const char *path, const cap_field *field, const cap_yaml_node *node,
                      int depth)
{
  char inner[LONGEST_PATH];
  bool named = node->kind == CAP_YAML_MAP && node->n == 1;
  const char *name = named ? node->pairs[0].key : node->kind == CAP_YAML_SCALAR ? node->text : NULL;
  const cap_variant *variant = name ? find_variant(field->variants, name) : NULL;
  const cap_yaml_node *section = named ? node->pairs[0].value : NULL;
  if (section && section->kind != CAP_YAML_MAP) section = NULL;
  if (!variant || !join(inner, path, name)) {
    put_node(t, path, NULL, node);
    return;
  }
  if (!section || section->n == 0) put_row(t, inner, field, "", node); /* that it is done is all it says */
  walk_section(t, inner, variant->fields, section, depth);
}

static void walk_items(table *t, const char *up, const cap_field *field, const cap_yaml_node *node, int depth)
{
  char path[LONGEST_PATH];
  for (int i = 0; i < node->n; i++) {
    const cap_yaml_node *item = node->items[i];
    if (snprintf(path, sizeof path, "%s[%d]", up, i) >= LONGEST_PATH) return;
    if (field->kind == CAP_FIELD_STEPS) walk_step(t, path, field, item, depth + 1);
    else if (item->kind == CAP_YAML_MAP) walk_section(t, path, field->fields, item, depth + 1);
    else put_node(t, path, field, item);
  }
}

static void walk_absent(table *t, const char *path, const cap_field *field, int depth)
{
  if (field->fallback && *field->fallback) put_row(t, path, field, field->fallback, NULL);
  /* A section that may be given is not there when it is not; others consist of their defaults. */
  else if (field->kind == CAP_FIELD_SECTION && !field->present && !field->required)
    walk_fields(t, path, field->fields, NULL, depth);
}

static void walk_field(table *t, const char *path, const cap_field *field, const cap_yaml_node *node,
                       int depth)
{
  if (depth > DEEPEST) return;
  bool map = node && node->kind == CAP_YAML_MAP, list = node && node->kind == CAP_YAML_LIST;
  bool items = field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS;
  if (!node) walk_absent(t, path, field, depth);
  else if (field->kind == CAP_FIELD_SECTION && map) walk_section(t, path, field->fields, node, depth);
  else if (field->kind == CAP_FIELD_VARIANT && map) walk_variant(t, path, field, node, depth);
  else if (items && list) walk_items(t, path, field, node, depth);
  else put_node(t, path, field, node);
}

static const cap_drive *drive_of(const cap_yaml_node *root)
{
  const cap_yaml_node *name = cap_yaml_find(root, "drive");
  return name && name->kind == CAP_YAML_SCALAR ? cap_registry_drive(name->text) : NULL;
}

static void put_tree(table *t, const cap_yaml_node *root)
{
  cap_model_parse_registry registry = cap_model_file_registry();
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(&registry, common);
  const cap_drive *drive = drive_of(root);
  const cap_field *tables[] = {common, drive ? drive->fields : NULL};
  cap_page_put(t->page, "\"settings_table\":[");
  /* As model files are written: what it is, the drive, what to compute. */
  const cap_field *rest = common;
  while (rest->key && rest->kind != CAP_FIELD_STEPS) rest++;
  for (const cap_field *field = common; field != rest; field++)
    walk_field(t, field->key, field, cap_yaml_find(root, field->key), 1);
  walk_fields(t, "", tables[1], root, 0);
  walk_fields(t, "", rest, root, 0);
  walk_unknown(t, "", root, 2, tables, NULL);
  cap_page_put(t->page, "],");
}

bool cap_settings_put(cap_page *page, const cap_results_meta *meta)
{
  cap_diag diag;
  cap_arena arena = {0};
  cap_yaml_node *root = NULL;
  table t = {.page = page, .units = cap_units_create()};
  cap_diag_init(&diag, "model");
  bool read = t.units && meta->model && *meta->model &&
              cap_yaml_parse(meta->model, strlen(meta->model), NULL, &arena, &diag, &root) == CAP_OK &&
              root->kind == CAP_YAML_MAP;
  cap_model_parse_registry registry = cap_model_file_registry();
  read = read &&
         cap_model_parse_tree(&registry, meta->nsetting, meta->settings, &arena, &diag, &root) == CAP_OK &&
         diag.nerror == 0;
  if (read) put_tree(&t, root);
  cap_diag_free(&diag);
  cap_arena_free(&arena);
  cap_units_free(t.units);
  return read;
}
