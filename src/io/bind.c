/* io/bind.c — sections, lists and variants; see bind.h. Scalars are in bind_value.c, arrays in bind_array.c.
 */
#include "io/bind.h"
#include "base/nearest.h"
#include "base/selector.h"
#include "io/bind_inner.h"
#include "io/text_file.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 256, LONGEST_TEXT = 600, DEFAULT_MOST = 10000 };

/* ----------------------------------------------------------------------------------------------- messages */

static size_t write_path(const cap_bind_spot *spot, char *buffer, size_t size)
{
  if (!spot) return 0;
  size_t n = write_path(spot->up, buffer, size);
  if (n >= size) return size;
  if (!spot->key) return n + (size_t)snprintf(buffer + n, size - n, "[%d]", spot->index);
  return n + (size_t)snprintf(buffer + n, size - n, "%s%s", n ? "." : "", spot->key);
}

/* An item by its name in the setting is an index in the path. */
bool cap_bind_told(const char *origin, const char *path)
{
  const char *setting = strchr(origin, ' ');
  if (!setting++) return false;
  const char *path_end = path + strlen(path), *end = setting + strlen(setting);
  while (*path && *setting) {
    cap_selector meant, index;
    const char *after = setting;
    if (*path == '[' && cap_selector_take(&after, end, &meant) && meant.name[0] &&
        cap_selector_take(&path, path_end, &index)) {
      setting = after;
      continue;
    }
    if (*path++ != *setting++) return false;
  }
  return !*path;
}

static void add_finding(cap_bind *bind, const cap_bind_spot *spot, const char *origin, int line, int column,
                        char *text)
{
  char path[LONGEST_PATH] = "";
  write_path(spot, path, sizeof path);
  cap_text_file_clean(text);
  cap_text_file_clean(path);
  const char *file = bind->diag->file;
  if (origin) bind->diag->file = origin;
  if (origin && cap_bind_told(origin, path)) path[0] = 0;
  cap_diag_add(bind->diag, origin ? 0 : line, origin ? 0 : column, path, "%s", text);
  bind->diag->file = file;
}

void cap_bind_inner_report(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                           const char *format, ...)
{
  char text[LONGEST_TEXT];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  add_finding(bind, spot, node->origin, node->line, node->column, text);
}

void cap_bind_inner_expected(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                             const cap_field *field, const char *reason)
{
  char wanted[300], got[100];
  cap_bind_value_describe(field, wanted, sizeof wanted);
  cap_bind_value_got(node, got, sizeof got);
  cap_bind_inner_report(bind, spot, node, "expected %s, got %s%s%s", wanted, got, *reason ? "; " : "",
                        reason);
}

void *cap_bind_inner_array(cap_bind *bind, int n, size_t size)
{
  void *array = cap_arena_array(bind->arena, n > 0 ? (size_t)n : 1, size);
  if (!array) bind->exhausted = true;
  return array;
}

/* Note a file that was read, once. */
static void note_file(cap_bind *bind, const char *path, cap_hash128 hash)
{
  for (const cap_bind_file *file = bind->files; file; file = file->before)
    if (strcmp(file->path, path) == 0) return;
  cap_bind_file *file = cap_bind_inner_array(bind, 1, sizeof *file);
  if (!file) return;
  *file = (cap_bind_file){.path = path, .hash = hash, .before = bind->files};
  bind->files = file;
}

bool cap_bind_inner_csv(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                        const char *name, const char **path, cap_csv *csv)
{
  *path = cap_arena_format(bind->arena, "%s%s", name[0] == '/' ? "" : bind->folder, name);
  if (!*path) {
    bind->exhausted = true;
    return false;
  }
  cap_status status = cap_csv_read(*path, bind->units, bind->arena, bind->diag, csv);
  if (status == CAP_ERR_NOMEM) bind->exhausted = true;
  if (status == CAP_OK) note_file(bind, *path, csv->hash);
  else
    cap_bind_inner_report(bind, spot, node,
                          "expected a table in CSV, got the file \"%.120s\", which cannot be used", *path);
  return status == CAP_OK;
}

/* ------------------------------------------------------------------------------------------- unknown keys */

/* The keys that may stand in one section. */
typedef struct scope {
  int npart;
  const cap_bind_part *parts;
  const char *tag_key;       /* NULL = none */
  const cap_variant *others; /* whose keys are not allowed here but may be meant; NULL = none */
  bool partial;              /* there are further keys that no part describes */
} scope;

static bool known_key(const scope *in, const char *key)
{
  if (in->tag_key && strcmp(key, in->tag_key) == 0) return true;
  for (int i = 0; i < in->npart; i++)
    if (cap_fields_find(in->parts[i].fields, key) || cap_fields_find_hertz(in->parts[i].fields, key))
      return true;
  return false;
}

/* The present name of a key of format version 1; NULL: it was none. */
static const char *present_key(const scope *in, const char *key)
{
  const cap_field *field = NULL;
  for (int i = 0; i < in->npart && !field; i++) field = cap_fields_find_was(in->parts[i].fields, key);
  for (const cap_variant *v = in->others; v && v->name && !field; v++)
    field = cap_fields_find_was(v->fields, key);
  return field ? field->key : NULL;
}

/* The key that serves in place of one that left; NULL: it never was. */
static const char *successor_key(const scope *in, const char *key)
{
  const cap_field *field = NULL;
  for (int i = 0; i < in->npart && !field; i++) field = cap_fields_find_left(in->parts[i].fields, key);
  return field ? field->key : NULL;
}

static const char *nearest_key(const scope *in, const char *key)
{
  const char *present = present_key(in, key);
  if (present) return present;
  cap_nearest nearest;
  cap_nearest_start(&nearest, key);
  if (in->tag_key) cap_nearest_offer(&nearest, in->tag_key);
  for (int i = 0; i < in->npart; i++)
    for (cap_fields_walk w = cap_fields_first(in->parts[i].fields); w.field; cap_fields_next(&w)) {
      cap_nearest_offer(&nearest, w.field->key);
      if (w.field->hertz) cap_nearest_offer(&nearest, w.field->hertz);
    }
  return nearest.best;
}

/* Whether `key` (may be NULL) is a required key that the section does not have. */
static bool stands_for_missing(const cap_yaml_node *map, const scope *in, const char *key)
{
  if (!key || cap_yaml_find_pair(map, key)) return false;
  for (int i = 0; i < in->npart; i++) {
    const cap_field *field = cap_fields_find(in->parts[i].fields, key);
    if (field) return field->required;
  }
  return false;
}

/* The variant that has the key; NULL when none has. */
static const char *owner_of(const scope *in, const char *key)
{
  for (const cap_variant *variant = in->others; variant && variant->name; variant++)
    if (cap_fields_find(variant->fields, key)) return variant->name;
  return NULL;
}

static void refuse_unknown(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *map,
                           const scope *in)
{
  for (int i = 0; map && i < map->n; i++) {
    const cap_yaml_pair *pair = &map->pairs[i];
    if (known_key(in, pair->key)) continue;
    const char *nearest = nearest_key(in, pair->key);
    if (in->partial && !stands_for_missing(map, in, nearest)) continue;
    const char *owner = owner_of(in, pair->key);
    char text[LONGEST_TEXT];
    int n = snprintf(text, sizeof text, "unknown key \"%.60s\"", pair->key);
    char *more = text + n;
    size_t room = sizeof text - (size_t)n;
    if (owner) snprintf(more, room, "; it belongs to %s: %s", in->tag_key, owner);
    else if (present_key(in, pair->key))
      snprintf(more, room,
               "; since format version 2 it is called \"%s\" (capstan migrate FILE rewrites the file)",
               nearest);
    else if (successor_key(in, pair->key))
      snprintf(more, room, ", which has left; use \"%s\" instead", successor_key(in, pair->key));
    else if (nearest) snprintf(more, room, "; did you mean \"%s\"?", nearest);
    else if (isdigit((unsigned char)pair->key[0]))
      snprintf(more, room, "; decimals are written with a point");
    add_finding(bind, spot, pair->origin, pair->line, pair->column, text);
  }
}

void cap_bind_unknown(cap_bind *bind, const cap_yaml_node *map, int npart, const cap_bind_part *parts,
                      bool partial)
{
  scope in = {.npart = npart, .parts = parts, .partial = partial};
  refuse_unknown(bind, NULL, map, &in);
}

/* Whether an unknown key of the section most likely means `key`: then it is not missing but misspelt. */
static bool misspelt(const cap_yaml_node *map, const scope *in, const char *key)
{
  for (int i = 0; i < map->n; i++) {
    if (known_key(in, map->pairs[i].key)) continue;
    const char *nearest = nearest_key(in, map->pairs[i].key);
    if (nearest && strcmp(nearest, key) == 0) return true;
  }
  return false;
}

/* --------------------------------------------------------------------------------- one table, one section */

/* The default of a field, through the same code as what a user writes. */
static void bind_fallback(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base)
{
  const char *text = field->fallback;
  cap_yaml_node scalar = {.kind = CAP_YAML_SCALAR, .origin = "default", .text = text};
  cap_yaml_node *node = &scalar;
  if (*text == '[' || *text == '{') {
    cap_status status = cap_yaml_parse(text, strlen(text), "default", bind->arena, bind->diag, &node);
    if (status == CAP_ERR_NOMEM) bind->exhausted = true;
    if (status != CAP_OK) return;
  }
  cap_bind_inner_field(bind, spot, field, base, node);
}

static void report_missing(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *map,
                           const cap_field *field)
{
  char wanted[300];
  cap_bind_value_describe(field, wanted, sizeof wanted);
  if (field->hertz) {
    cap_field frequency = cap_bind_value_hertz(field);
    cap_bind_inner_report(bind, spot, map, "missing; expected %s, or %s such as \"%s\"", wanted,
                          frequency.key, frequency.example);
    return;
  }
  cap_bind_inner_report(bind, spot, map, "missing; expected %s", wanted);
}

/* What a field becomes when its key is not there. `map` NULL: the whole section is not there, which is
 * allowed. */
static void bind_absent(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base,
                        const cap_yaml_node *map, const scope *in)
{
  if (field->fallback) {
    bind_fallback(bind, spot, field, base);
  } else if (field->required && map) {
    bool meant = misspelt(map, in, field->key) || (field->hertz && misspelt(map, in, field->hertz));
    if (!meant) report_missing(bind, spot, map, field);
  } else if (field->kind == CAP_FIELD_SECTION) {
    cap_bind_inner_section(bind, spot, field->fields, (char *)base + field->offset, NULL);
  }
}

/* An angular frequency that is given in Hz; false: it is not. */
static bool bind_hertz(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, void *base,
                       const cap_yaml_node *map, const cap_yaml_node *angular)
{
  const cap_yaml_node *node = cap_yaml_find(map, field->hertz);
  if (!node) return false;
  cap_bind_spot spot = {.up = up, .key = field->hertz};
  if (angular) {
    cap_bind_inner_report(bind, &spot, node, "conflicts with \"%s\"; specify only one", field->key);
    return true;
  }
  cap_field frequency = cap_bind_value_hertz(field);
  double value;
  if (!cap_bind_value_real(bind, &spot, &frequency, node, &value)) return true;
  if (field->present) *((bool *)base + field->present - 1) = true;
  *(double *)(void *)((char *)base + field->offset) = 2.0 * M_PI * value;
  return true;
}

static void bind_fields(cap_bind *bind, const cap_bind_spot *up, const cap_field *fields, void *base,
                        const cap_yaml_node *map, const scope *in)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    const cap_field *field = w.field;
    cap_bind_spot spot = {.up = up, .key = field->key};
    const cap_yaml_node *node = map ? cap_yaml_find(map, field->key) : NULL;
    if (map && field->hertz && bind_hertz(bind, up, field, base, map, node)) continue;
    if (!node) {
      bind_absent(bind, &spot, field, base, map, in);
      continue;
    }
    if (field->present) *((bool *)base + field->present - 1) = true;
    cap_bind_inner_field(bind, &spot, field, base, node);
  }
}

void cap_bind_inner_section(cap_bind *bind, const cap_bind_spot *spot, const cap_field *fields, void *base,
                            const cap_yaml_node *node)
{
  cap_bind_part part = {.fields = fields, .base = base};
  scope in = {.npart = 1, .parts = &part};
  refuse_unknown(bind, spot, node, &in);
  bind_fields(bind, spot, fields, base, node, &in);
}

void cap_bind_mapping(cap_bind *bind, const cap_yaml_node *map, int npart, const cap_bind_part *parts)
{
  scope in = {.npart = npart, .parts = parts};
  for (int i = 0; i < npart; i++)
    if (parts[i].base) bind_fields(bind, NULL, parts[i].fields, parts[i].base, map, &in);
}

/* ---------------------------------------------------------------------------------------- lists, variants */

int cap_bind_inner_most(const cap_field *field)
{
  return field->most ? field->most : DEFAULT_MOST;
}

bool cap_bind_inner_count(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                          const cap_yaml_node *node, int n)
{
  int most = cap_bind_inner_most(field);
  if (n < field->least) {
    cap_bind_inner_report(bind, spot, node, "expected at least %d item%s, got %d", field->least,
                          field->least == 1 ? "" : "s", n);
    return false;
  }
  if (n > most) {
    cap_bind_inner_report(bind, spot, node, "expected at most %d item%s, got %d", most, most == 1 ? "" : "s",
                          n);
    return false;
  }
  return true;
}

static bool expect_map(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                       const cap_yaml_node *node)
{
  if (node->kind == CAP_YAML_MAP) return true;
  cap_bind_inner_expected(bind, spot, node, field, "");
  return false;
}

static void bind_section(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *place,
                         const cap_yaml_node *node)
{
  if (field->short_key && node->kind == CAP_YAML_SCALAR) {
    cap_yaml_node value = *node, map = *node;
    cap_yaml_pair pair = {.key = field->short_key,
                          .line = node->line,
                          .column = node->column,
                          .origin = node->origin,
                          .value = &value};
    map.kind = CAP_YAML_MAP, map.n = 1, map.pairs = &pair;
    cap_bind_inner_section(bind, spot, field->fields, place, &map);
  } else if (expect_map(bind, spot, field, node)) {
    cap_bind_inner_section(bind, spot, field->fields, place, node);
  }
}

static bool start_list(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field,
                       const cap_yaml_node *node, cap_list *list)
{
  if (node->kind != CAP_YAML_LIST) {
    cap_bind_inner_expected(bind, spot, node, field, "");
    return false;
  }
  if (!cap_bind_inner_count(bind, spot, field, node, node->n)) return false;
  list->items = cap_bind_inner_array(bind, node->n, field->item_size);
  list->n = list->items ? node->n : 0;
  return list->items != NULL;
}

static void bind_list(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_list *list,
                      const cap_yaml_node *node)
{
  if (!start_list(bind, up, field, node, list)) return;
  for (int i = 0; i < list->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    const cap_yaml_node *item = node->items[i];
    if (item->kind == CAP_YAML_MAP) {
      cap_bind_inner_section(bind, &spot, field->fields, (char *)list->items + (size_t)i * field->item_size,
                             item);
      continue;
    }
    char got[100];
    cap_bind_value_got(item, got, sizeof got);
    cap_bind_inner_report(bind, &spot, item, "expected a section of keys, got %s", got);
  }
  cap_bind_names_compare(bind, up, field, list, node);
}

static int find_variant(const cap_variant *variants, const char *name)
{
  for (int i = 0; variants[i].name; i++)
    if (strcmp(variants[i].name, name) == 0) return i;
  return -1;
}

/* "unknown law "dahll"; did you mean "dahl"?" or the list of names. */
static void report_variant(cap_bind *bind, const cap_bind_spot *spot, const char *origin, int line,
                           int column, const char *what, const char *name, const cap_variant *variants)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, name);
  for (const cap_variant *variant = variants; variant->name; variant++)
    cap_nearest_offer(&nearest, variant->name);
  char text[LONGEST_TEXT];
  if (nearest.best) {
    snprintf(text, sizeof text, "unknown %s \"%.60s\"; did you mean \"%s\"?", what, name, nearest.best);
  } else {
    size_t n = (size_t)snprintf(text, sizeof text, "unknown %s \"%.60s\"; known are", what, name);
    for (const cap_variant *variant = variants; variant->name && n < sizeof text; variant++)
      n += (size_t)snprintf(text + n, sizeof text - n, "%s \"%s\"", variant == variants ? "" : ",",
                            variant->name);
  }
  add_finding(bind, spot, origin, line, column, text);
}

/* A key that no variant has and that looks like the tag: "lwa" for "law". */
static bool misspelt_tag(cap_bind *bind, const cap_bind_spot *up, const cap_field *field,
                         const cap_yaml_node *map)
{
  scope any = {.tag_key = field->tag_key, .others = field->variants};
  for (int i = 0; i < map->n; i++) {
    if (owner_of(&any, map->pairs[i].key) || !nearest_key(&any, map->pairs[i].key)) continue;
    cap_yaml_node only = *map;
    only.pairs = &map->pairs[i];
    only.n = 1;
    refuse_unknown(bind, up, &only, &any);
    return true;
  }
  return false;
}

static void bind_variant(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, void *base,
                         const cap_yaml_node *node)
{
  if (!expect_map(bind, up, field, node)) return;
  cap_bind_spot spot = {.up = up, .key = field->tag_key};
  cap_yaml_node usual = {.kind = CAP_YAML_SCALAR, .text = field->tag_default};
  const cap_yaml_node *tag = cap_yaml_find(node, field->tag_key);
  int input = find_variant(field->variants, "input");
  if (!tag && input >= 0 && cap_yaml_find(node, "input")) { /* {input: NAME, start: VALUE} alone */
    *(int *)base = input;
    cap_bind_inner_field(bind, up, field->variants[input].fields, base, node);
    return;
  }
  if (!tag && field->tag_default) tag = &usual;
  if (!tag || tag->kind != CAP_YAML_SCALAR) {
    cap_field names = {.kind = CAP_FIELD_VARIANT, .variants = field->variants};
    if (tag) cap_bind_inner_expected(bind, &spot, tag, &names, "");
    else if (!misspelt_tag(bind, up, field, node)) report_missing(bind, &spot, node, &names);
    return;
  }
  int index = find_variant(field->variants, tag->text);
  if (index < 0) {
    report_variant(bind, &spot, tag->origin, tag->line, tag->column, field->tag_key, tag->text,
                   field->variants);
    return;
  }
  *(int *)base = index;
  const cap_field *fields = field->variants[index].fields;
  cap_bind_part part = {.fields = fields, .base = base};
  scope in = {.npart = 1, .parts = &part, .tag_key = field->tag_key, .others = field->variants};
  refuse_unknown(bind, up, node, &in);
  bind_fields(bind, up, fields, base, node, &in);
}

/* "- transient: {until: 1 s}", or "- statics" when no key is needed. */
static void bind_step(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, void *base,
                      const cap_yaml_node *node)
{
  static const cap_yaml_node nothing = {.kind = CAP_YAML_MAP};
  cap_yaml_pair pair = {
      .key = node->text, .line = node->line, .column = node->column, .origin = node->origin};
  cap_yaml_node empty = nothing;
  empty.line = node->line, empty.column = node->column, empty.origin = node->origin;
  if (node->kind == CAP_YAML_MAP && node->n == 1) pair = node->pairs[0];
  else if (node->kind != CAP_YAML_SCALAR) {
    char got[100];
    cap_bind_value_got(node, got, sizeof got);
    if (node->kind == CAP_YAML_MAP) snprintf(got, sizeof got, "%d keys", node->n);
    cap_bind_inner_report(bind, up, node, "expected one key, the name of what to do, got %s", got);
    return;
  }
  int index = find_variant(field->variants, pair.key);
  if (index < 0) {
    report_variant(bind, up, pair.origin, pair.line, pair.column, "name", pair.key, field->variants);
    return;
  }
  *(int *)base = index;
  cap_bind_spot spot = {.up = up, .key = pair.key};
  if (!pair.value || pair.value->kind == CAP_YAML_NULL) pair.value = &empty;
  cap_field section = {.kind = CAP_FIELD_SECTION};
  if (!expect_map(bind, &spot, &section, pair.value)) return;
  cap_bind_inner_section(bind, &spot, field->variants[index].fields, base, pair.value);
}

static void bind_steps(cap_bind *bind, const cap_bind_spot *up, const cap_field *field, cap_list *list,
                       const cap_yaml_node *node)
{
  if (!start_list(bind, up, field, node, list)) return;
  for (int i = 0; i < list->n; i++) {
    cap_bind_spot spot = {.up = up, .index = i};
    bind_step(bind, &spot, field, (char *)list->items + (size_t)i * field->item_size, node->items[i]);
  }
  cap_bind_names_compare(bind, up, field, list, node);
}

void cap_bind_inner_field(cap_bind *bind, const cap_bind_spot *spot, const cap_field *field, void *base,
                          const cap_yaml_node *node)
{
  void *place = (char *)base + field->offset;
  if (cap_bind_input_field(bind, spot, field, base, node)) return;
  switch (field->kind) {
  case CAP_FIELD_REAL:
  case CAP_FIELD_INT:
  case CAP_FIELD_BOOL:
  case CAP_FIELD_TEXT:
  case CAP_FIELD_CHOICE:
    cap_bind_value_field(bind, spot, field, place, node);
    break;
  case CAP_FIELD_REALS:
  case CAP_FIELD_TEXTS:
  case CAP_FIELD_SERIES:
  case CAP_FIELD_SWEEP:
    cap_bind_array_field(bind, spot, field, place, node);
    break;
  case CAP_FIELD_TABLE:
  case CAP_FIELD_UNKNOWNS:
  case CAP_FIELD_NAMED:
    cap_bind_data_field(bind, spot, field, place, node);
    break;
  case CAP_FIELD_SECTION:
    bind_section(bind, spot, field, place, node);
    break;
  case CAP_FIELD_LIST:
    bind_list(bind, spot, field, place, node);
    break;
  case CAP_FIELD_VARIANT:
    bind_variant(bind, spot, field, place, node);
    break;
  case CAP_FIELD_STEPS:
    bind_steps(bind, spot, field, place, node);
    break;
  case CAP_FIELD_MORE: /* its fields are walked in its place (cap_fields_first) */
    break;
  }
}
