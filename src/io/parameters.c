/* io/parameters.c — see parameters.h: the tables of keys, the structs that they filled and the tree of the
 * file, walked side by side. */
#include "io/parameters.h"
#include "io/bind_inner.h"
#include "io/yaml.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { PATH_MOST = 400 };

/* First the parameters are counted, then they are kept. */
typedef struct walk {
  cap_arena *arena;
  cap_parameter *list; /* NULL: count only */
  int n;
  bool exhausted;
} walk;

static void walk_fields(walk *w, const char *up, const cap_field *fields, const char *base,
                        const cap_yaml_node *map);

__attribute__((format(printf, 2, 3))) static bool join(char path[PATH_MOST], const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  int n = vsnprintf(path, PATH_MOST, format, arguments);
  va_end(arguments);
  return n < PATH_MOST;
}

static void keep(walk *w, const char *path, const cap_field *field, const double *place, double value)
{
  if (!w->list) {
    w->n++;
    return;
  }
  bool limited = field->low != 0.0 || field->high != 0.0;
  cap_parameter *p = &w->list[w->n++];
  *p = (cap_parameter){.path = cap_arena_copy_text(w->arena, path),
                       .unit = cap_arena_copy_text(w->arena, field->unit ? field->unit : ""),
                       .place = place,
                       .value = value,
                       .low = limited ? field->low : -INFINITY,
                       .high = limited ? field->high : INFINITY,
                       .low_open = field->low_open,
                       .high_open = field->high_open};
  w->exhausted = w->exhausted || !p->path || !p->unit;
}

static void walk_real(walk *w, const char *up, const cap_field *field, const char *base,
                      const cap_yaml_node *map)
{
  char path[PATH_MOST];
  const double *place = (const double *)(const void *)(base + field->offset);
  const cap_yaml_node *node = map ? cap_yaml_find(map, field->key) : NULL;
  bool hertz = map && !node && field->hertz && cap_yaml_find(map, field->hertz);
  if (node ? node->kind != CAP_YAML_SCALAR : !hertz && !(field->fallback && *field->fallback)) return;
  if (!join(path, "%s%s%s", up, *up ? "." : "", hertz ? field->hertz : field->key)) return;
  int before = w->n;
  if (hertz) {
    cap_field frequency = cap_bind_value_hertz(field);
    keep(w, path, &frequency, place, *place / CAP_UNITS_TURN);
  } else {
    keep(w, path, field, place, *place);
  }
  if (w->list) w->list[before].key = field;
}

/* A text alone stands for a section with one key. */
static void walk_section(walk *w, const char *path, const cap_field *field, const char *inside,
                         const cap_yaml_node *node)
{
  if (!node || node->kind != CAP_YAML_SCALAR || !field->short_key) {
    walk_fields(w, path, field->fields, inside, node);
    return;
  }
  cap_yaml_node value = *node, map = *node;
  cap_yaml_pair pair = {.key = field->short_key, .value = &value};
  map.kind = CAP_YAML_MAP, map.n = 1, map.pairs = &pair;
  walk_fields(w, path, field->fields, inside, &map);
}

static const cap_variant *chosen(const cap_field *field, const char *inside)
{
  int tag = *(const int *)(const void *)inside, n = 0;
  while (field->variants[n].name && n < tag) n++;
  return tag >= 0 && field->variants[n].name ? &field->variants[n] : NULL;
}

static void walk_items(walk *w, const char *up, const cap_field *field, const cap_list *list,
                       const cap_yaml_node *node)
{
  char path[PATH_MOST];
  for (int i = 0; i < list->n && i < node->n; i++) {
    const char *item = (const char *)list->items + (size_t)i * field->item_size;
    const cap_yaml_node *at = node->items[i];
    if (field->kind == CAP_FIELD_LIST) {
      if (join(path, "%s[%d]", up, i)) walk_fields(w, path, field->fields, item, at);
      continue;
    }
    const cap_variant *variant = chosen(field, item);
    bool named = at->kind == CAP_YAML_MAP && at->n == 1;
    if (variant && join(path, "%s[%d].%s", up, i, variant->name))
      walk_fields(w, path, variant->fields, item, named ? at->pairs[0].value : NULL);
  }
}

static void walk_field(walk *w, const char *up, const cap_field *field, const char *base,
                       const cap_yaml_node *map)
{
  char path[PATH_MOST];
  const char *inside = base + field->offset;
  const cap_yaml_node *node = map ? cap_yaml_find(map, field->key) : NULL;
  bool given = !field->present || *(const bool *)(const void *)(base + field->present - 1);
  if (field->kind == CAP_FIELD_REAL) {
    walk_real(w, up, field, base, map);
    return;
  }
  if (!given || !join(path, "%s%s%s", up, *up ? "." : "", field->key)) return;
  if (field->kind == CAP_FIELD_SECTION) walk_section(w, path, field, inside, node);
  if (!node) return;
  const cap_variant *variant = field->kind == CAP_FIELD_VARIANT ? chosen(field, inside) : NULL;
  if (variant) walk_fields(w, path, variant->fields, inside, node);
  if ((field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS) && node->kind == CAP_YAML_LIST)
    walk_items(w, path, field, (const cap_list *)(const void *)inside, node);
}

static void walk_fields(walk *w, const char *up, const cap_field *fields, const char *base,
                        const cap_yaml_node *map)
{
  if (map && map->kind != CAP_YAML_MAP) map = NULL;
  for (cap_fields_walk all = cap_fields_first(fields); all.field; cap_fields_next(&all))
    walk_field(w, up, all.field, base, map);
}

static void walk_file(walk *w, const cap_model_file *file)
{
  const cap_yaml_node *root = file->tree;
  const cap_field analyses = {.key = "analyses",
                              .kind = CAP_FIELD_STEPS,
                              .variants = cap_registry_analysis_variants,
                              .item_size = cap_registry_largest_spec()};
  const cap_field outputs = {
      .key = "outputs", .kind = CAP_FIELD_SECTION, .fields = cap_registry_outputs_fields};
  walk_fields(w, "", file->drive->fields, file->spec, root);
  walk_field(w, "", &analyses, (const char *)&file->analyses, root);
  walk_field(w, "", &outputs, (const char *)&file->outputs, root);
}

int cap_parameters_list(const cap_model_file *file, cap_arena *arena, cap_parameter **list)
{
  walk count = {0};
  walk_file(&count, file);
  walk w = {.arena = arena, .list = CAP_ARENA_NEW(arena, cap_parameter, count.n + 1)};
  if (w.list) walk_file(&w, file);
  *list = w.exhausted ? NULL : w.list;
  return *list ? w.n : 0;
}
