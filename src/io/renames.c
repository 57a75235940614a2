/* io/renames.c — see renames.h. */
#include "io/renames.h"
#include "base/selector.h"
#include "io/channel_names.h"
#include "io/rewrite.h"
#include "io/text_file.h"

#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 256 };

/* ---- findings ------------------------------------------------------------------------------------------ */

/* Place and names of something in the tree. */
typedef struct spot {
  int line, column;
  const char *origin;
} spot;

static void report(cap_renames *r, bool warning, spot at, const char *text)
{
  if (!r->diag) return;
  const char *file = r->diag->file;
  if (at.origin) r->diag->file = at.origin, at.line = at.column = 0;
  cap_diag_put(r->diag, warning, at.line, at.column, NULL, "%s", text);
  r->diag->file = file;
}

static void *allocate(cap_renames *r, size_t size)
{
  void *memory = cap_arena_alloc(r->arena, size);
  if (!memory) r->exhausted = true;
  return memory;
}

/* One warning for each old name. */
static void warn(cap_renames *r, spot at, const char *was, const char *is)
{
  if (!r->warn) return;
  for (const cap_renames_told *t = r->told; t; t = t->before)
    if (strcmp(t->was, was) == 0) return;
  cap_renames_told *told = allocate(r, sizeof *told);
  if (!told) return;
  *told = (cap_renames_told){.was = was, .before = r->told};
  r->told = told;
  char text[400];
  snprintf(text, sizeof text, "\"%.100s\" is called \"%.100s\" since format version 2%s", was, is,
           at.origin ? "" : " (capstan migrate FILE rewrites the file)");
  cap_text_file_clean(text);
  report(r, true, at, text);
}

static void note_edit(cap_renames *r, cap_renames_edit edit)
{
  if (edit.token.end == 0) return;
  for (const cap_renames_edit *e = r->edits; e; e = e->before)
    if (e->token.at == edit.token.at && strcmp(e->is, edit.is) == 0) return; /* an alias */
  cap_renames_edit *item = allocate(r, sizeof *item);
  if (!item) return;
  *item = edit;
  item->before = r->edits;
  r->edits = item;
}

/* Whether old names count at a place that a setting brought, or the file. */
static bool takes_old(const cap_renames *r, const char *origin)
{
  return !r->settings_only || origin;
}

/* ---- paths --------------------------------------------------------------------------------------------- */

/* Text that grows in a buffer of fixed size; too much of it is an error that the caller looks for. */
typedef struct pen {
  char text[LONGEST_PATH];
  size_t n;
} pen;

static void put(pen *p, const char *text, size_t length)
{
  if (p->n + length < sizeof p->text) memcpy(p->text + p->n, text, length);
  p->n += length;
  if (p->n < sizeof p->text) p->text[p->n] = 0;
}

/* Length of "[12]" or "[crank]" at the head of `path`; 0 = none. */
static size_t index_length(const char *path)
{
  cap_selector selector;
  const char *at = path;
  return *path == '[' && cap_selector_take(&at, path + strlen(path), &selector) ? (size_t)(at - path) : 0;
}

static bool same(const char *name, const char *text, size_t length)
{
  return name && strlen(name) == length && memcmp(name, text, length) == 0;
}

static bool follow(const cap_field *fields, const char *path, bool old, pen *p, const cap_field **target);

static bool end_here(const cap_field *field, const char *path, const cap_field **target)
{
  if (*path) return false;
  *target = field;
  return true;
}

/* "[0].transient.until" of a list of steps. */
static bool follow_step(const cap_field *field, const char *path, bool old, pen *p, const cap_field **target)
{
  if (!*path) return end_here(field, path, target);
  if (*path++ != '.') return false;
  size_t length = strcspn(path, ".[");
  const char *renamed = NULL;
  if (old && length < 64) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, path);
    renamed = cap_fields_renamed(field->names_were, name);
  }
  for (const cap_variant *v = field->variants; v->name; v++) {
    if (!(renamed ? strcmp(renamed, v->name) == 0 : same(v->name, path, length))) continue;
    put(p, ".", 1);
    put(p, v->name, strlen(v->name));
    if (!path[length]) return end_here(field, "", target);
    if (path[length] != '.') return false;
    put(p, ".", 1);
    return follow(v->fields, path + length + 1, old, p, target);
  }
  return false;
}

static bool follow_variant(const cap_field *field, const char *path, bool old, pen *p,
                           const cap_field **target)
{
  size_t n = p->n;
  if (field->tag_key && strcmp(path, field->tag_key) == 0) {
    put(p, path, strlen(path));
    *target = field;
    return true;
  }
  for (const cap_variant *v = field->variants; v->name; v++) {
    p->n = n;
    if (v->fields && follow(v->fields, path, old, p, target)) return true;
  }
  return false;
}

/* Behind the key of a field: indices, and what is within. */
static bool follow_inner(const cap_field *field, const char *path, bool old, pen *p, const cap_field **target)
{
  bool indexed = false;
  for (size_t length; (length = index_length(path)) > 0; path += length, indexed = true) put(p, path, length);
  if (!*path) return end_here(field, path, target);
  if (field->kind == CAP_FIELD_STEPS) return indexed && follow_step(field, path, old, p, target);
  if (*path != '.') return false;
  put(p, ".", 1);
  if (field->kind == CAP_FIELD_VARIANT) return follow_variant(field, path + 1, old, p, target);
  if (field->kind == CAP_FIELD_SECTION || (field->kind == CAP_FIELD_LIST && indexed))
    return follow(field->fields, path + 1, old, p, target);
  return false;
}

/* Follow a path through the tables and write it with present names; `old`: it may have old ones. */
static bool follow(const cap_field *fields, const char *path, bool old, pen *p, const cap_field **target)
{
  size_t length = strcspn(path, ".["), n = p->n;
  for (int turn = 0; turn < 1 + old; turn++)
    for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
      const cap_field *field = w.field;
      p->n = n;
      if (turn == 0 && field->hertz && !path[length] && same(field->hertz, path, length)) {
        put(p, path, length);
        return end_here(field, path + length, target);
      }
      if (!same(turn ? field->was : field->key, path, length)) continue;
      put(p, field->key, strlen(field->key));
      if (follow_inner(field, path + length, old, p, target)) return true;
    }
  return false;
}

static bool follow_all(const cap_renames *r, const char *path, bool old, pen *p, const cap_field **target)
{
  for (int t = 0; r->paths[t]; t++) {
    *p = (pen){.n = 0};
    if (follow(r->paths[t], path, old, p, target) && p->n < sizeof p->text) return true;
  }
  return false;
}

static const char *rename_path(cap_renames *r, const char *path)
{
  pen p;
  const cap_field *target;
  if (follow_all(r, path, false, &p, &target) || !follow_all(r, path, true, &p, &target)) return path;
  const char *copy = cap_arena_copy_text(r->arena, p.text);
  if (!copy) r->exhausted = true;
  return copy;
}

const cap_field *cap_renames_target(const cap_renames *r, const char *path)
{
  pen p;
  const cap_field *target;
  return follow_all(r, path, false, &p, &target) ? target : NULL;
}

bool cap_renames_twin(const cap_renames *r, const char *path, char *twin, size_t size)
{
  const cap_field *field = cap_renames_target(r, path);
  const char *dot = strrchr(path, '.'), *last = dot ? dot + 1 : path;
  if (!field || !field->hertz) return false;
  const char *other = strcmp(last, field->hertz) == 0 ? field->key : field->hertz;
  return snprintf(twin, size, "%.*s%s", (int)(last - path), path, other) < (int)size;
}

const char *cap_renames_setting(cap_renames *r, const char *text)
{
  const char *equals = strchr(text, '=');
  if (!equals) return text;
  char *path = cap_arena_format(r->arena, "%.*s", (int)(equals - text), text);
  const char *present = path ? rename_path(r, path) : NULL;
  if (!present || present == path) return present ? text : NULL;
  const char *origin = r->diag ? cap_arena_format(&r->diag->arena, "--set %s", text) : "";
  if (origin) warn(r, (spot){.origin = origin}, path, present);
  return origin ? cap_arena_format(r->arena, "%s%s", present, equals) : NULL;
}

/* The value of a setting at a path, which may lead to an item or to the keys of a step. */
static cap_yaml_node *rename_at(cap_renames *r, cap_yaml_node *node, const cap_field *field, const char *path)
{
  size_t length = strlen(path);
  const char *dot = strrchr(path, '.');
  if (length && path[length - 1] == ']') {
    cap_yaml_node list = {.kind = CAP_YAML_LIST, .n = 1, .items = &node};
    return cap_renames_value(r, &list, field)->items[0];
  }
  for (const cap_variant *v = field->kind == CAP_FIELD_STEPS ? field->variants : NULL; v && v->name; v++)
    if (dot && strcmp(v->name, dot + 1) == 0)
      return cap_renames_map(r, node, (const cap_field *const[]){v->fields, NULL});
  return cap_renames_value(r, node, field);
}

/* The text after the "=" of a setting: YAML in one line. `at`: the place for warnings; NULL: none. */
static const char *rename_set_value(cap_renames *r, const cap_field *field, const char *path,
                                    const char *value, const spot *at)
{
  cap_diag *diag = cap_arena_alloc(r->arena,
                                   sizeof *diag); /* what is wrong with it is found where it is applied */
  cap_yaml_node *root;
  if (!diag) return NULL;
  cap_diag_init(diag, NULL);
  bool read = cap_yaml_parse(value, strlen(value), NULL, r->arena, diag, &root) == CAP_OK;
  cap_diag_free(diag);
  if (!read) return value;
  cap_renames inner = *r;
  inner.edits = NULL;
  inner.diag = NULL;
  inner.settings_only = false;
  rename_at(&inner, root, field, path);
  for (const cap_renames_edit *e = at ? inner.edits : NULL; e; e = e->before) warn(r, *at, e->was, e->is);
  const char *present = inner.edits ? cap_rewrite_text(&inner, value) : value;
  r->exhausted = r->exhausted || inner.exhausted;
  return present;
}

const char *cap_renames_text_of(cap_renames *r, const char *path, const char *value)
{
  const cap_field *field = cap_renames_target(r, path);
  return field ? rename_set_value(r, field, path, value, NULL) : value;
}

static const char *rename_setting(cap_renames *r, const char *text)
{
  const char *equals = strchr(text, '=');
  char *path = equals ? cap_arena_format(r->arena, "%.*s", (int)(equals - text), text) : NULL;
  if (!path) return text;
  const char *present = rename_path(r, path);
  const cap_field *field = present ? cap_renames_target(r, present) : NULL;
  const char *value = equals + 1;
  if (field) value = rename_set_value(r, field, present, value, NULL);
  if (present == path && value == equals + 1) return text;
  return present && value ? cap_arena_format(r->arena, "%s=%s", present, value) : NULL;
}

/* ---- words --------------------------------------------------------------------------------------------- */

/* A channel; of an axis with a value, "load.amplitude=13", what is before the "=". */
static const char *rename_channel(cap_renames *r, const char *text)
{
  const char *equals = strchr(text, '=');
  if (!equals) return cap_channel_names_present(text, r->paths, r->arena);
  const char *name = cap_arena_format(r->arena, "%.*s", (int)(equals - text), text);
  const char *present = name ? cap_channel_names_present(name, r->paths, r->arena) : NULL;
  return present ? cap_arena_format(r->arena, "%s%s", present, equals) : NULL;
}

const char *cap_renames_word(cap_renames *r, cap_field_means means, const char *text)
{
  const char *word = text;
  if (means == CAP_MEANS_PATH) word = rename_path(r, text);
  else if (means == CAP_MEANS_SETTING) word = rename_setting(r, text);
  else if (means == CAP_MEANS_CHANNEL) word = rename_channel(r, text);
  else if (means == CAP_MEANS_FORMULA) word = cap_channel_names_formula(text, r->paths, r->arena);
  if (!word) r->exhausted = true;
  return word && strcmp(word, text) == 0 ? text : word;
}

/* ---- trees --------------------------------------------------------------------------------------------- */

static cap_yaml_node *copy_node(cap_renames *r, const cap_yaml_node *node)
{
  cap_yaml_node *copy = allocate(r, sizeof *copy);
  if (!copy) return NULL;
  *copy = *node;
  size_t n = (size_t)node->n;
  if (node->kind == CAP_YAML_MAP && n) {
    copy->pairs = cap_arena_array(r->arena, n, sizeof *copy->pairs);
    if (copy->pairs) memcpy(copy->pairs, node->pairs, n * sizeof *copy->pairs);
    else r->exhausted = true;
  } else if (node->kind == CAP_YAML_LIST && n) {
    copy->items = cap_arena_array(r->arena, n, sizeof *copy->items);
    if (copy->items) memcpy(copy->items, node->items, n * sizeof *copy->items);
    else r->exhausted = true;
  }
  return r->exhausted ? NULL : copy;
}

/* A list or section that has not been changed yet is shared; *copy is it or its copy. */
static bool own(cap_renames *r, const cap_yaml_node *node, cap_yaml_node **copy)
{
  if (*copy == node) *copy = copy_node(r, node);
  return *copy != NULL;
}

static cap_yaml_node *with_text(cap_renames *r, cap_yaml_node *node, const char *text)
{
  if (!text || strcmp(node->text, text) == 0) return node;
  spot at = {node->line, node->column, node->origin};
  cap_yaml_node *copy = copy_node(r, node);
  if (!copy) return node;
  warn(r, at, node->text, text);
  copy->text = text;
  return copy;
}

/* A choice that left stays as it is: binding the file refuses it. */
static void warn_left(cap_renames *r, const cap_yaml_node *node, const cap_field *field)
{
  const char *instead = r->warn_left ? cap_fields_renamed(field->names_left, node->text) : NULL;
  if (!instead) return;
  char text[400];
  snprintf(text, sizeof text, "%s: \"%.60s\" left with format version 2 and is kept here; use %s", field->key,
           node->text, instead);
  report(r, true, (spot){node->line, node->column, node->origin}, text);
}

/* A choice or the name of a variant. */
static cap_yaml_node *rename_choice(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  if (node->kind != CAP_YAML_SCALAR || !takes_old(r, node->origin)) return node;
  const char *is = cap_fields_renamed(field->names_were, node->text);
  warn_left(r, node, field);
  if (!is) return node;
  note_edit(r, (cap_renames_edit){.token = node->token, .was = node->text, .is = is});
  return with_text(r, node, is);
}

static cap_yaml_node *rename_text(cap_renames *r, cap_yaml_node *node, cap_field_means means)
{
  if (node->kind != CAP_YAML_SCALAR || means == CAP_MEANS_NOTHING) return node;
  /* Settings take both at any time; they are renamed where they are applied. */
  if (means == CAP_MEANS_SETTING && r->settings_only) return node;
  if (means == CAP_MEANS_VALUE) return node; /* rename_levels */
  if (!takes_old(r, node->origin)) return node;
  const char *is = cap_renames_word(r, means, node->text);
  if (!is || is == node->text) return node;
  note_edit(r, (cap_renames_edit){.token = node->token, .was = node->text, .is = is, .means = means});
  return with_text(r, node, is);
}

static cap_yaml_node *rename_items(cap_renames *r, cap_yaml_node *node, cap_field_means means)
{
  cap_yaml_node *copy = node;
  for (int i = 0; i < node->n; i++) {
    bool map = node->kind == CAP_YAML_MAP;
    cap_yaml_node *was = map ? node->pairs[i].value : node->items[i], *is = rename_text(r, was, means);
    if (is == was || !own(r, node, &copy)) continue;
    if (map) copy->pairs[i].value = is;
    else copy->items[i] = is;
  }
  return copy;
}

/* The path of a section whose other keys have values for it; NULL: it has none of the model's. */
static const char *path_of(cap_renames *r, const cap_yaml_node *map)
{
  const cap_yaml_node *path = cap_yaml_find(map, "path"), *paths = cap_yaml_find(map, "paths");
  if (!path && paths && paths->kind == CAP_YAML_LIST && paths->n > 0) path = paths->items[0];
  return path && path->kind == CAP_YAML_SCALAR ? rename_path(r, path->text) : NULL;
}

static cap_yaml_node *rename_level(cap_renames *r, cap_yaml_node *node, const char *path)
{
  const cap_field *field = cap_renames_target(r, path);
  if (!field || node->kind != CAP_YAML_SCALAR || !takes_old(r, node->origin)) return node;
  const spot at = {node->line, node->column, node->origin};
  const char *is = rename_set_value(r, field, path, node->text, &at);
  if (!is) r->exhausted = true;
  if (!is || strcmp(is, node->text) == 0) return node;
  note_edit(r,
            (cap_renames_edit){
                .token = node->token, .was = node->text, .is = is, .means = CAP_MEANS_VALUE, .path = path});
  cap_yaml_node *copy = copy_node(r, node);
  if (!copy) return node;
  copy->text = is;
  return copy;
}

/* {path: tensioner, levels: {soft: "{law: linear, ...}", ...}} */
static cap_yaml_node *rename_levels(cap_renames *r, cap_yaml_node *node, const cap_yaml_node *map)
{
  const char *path = path_of(r, map);
  cap_yaml_node *copy = node;
  for (int i = 0; path && node->kind != CAP_YAML_SCALAR && i < node->n; i++) {
    bool named = node->kind == CAP_YAML_MAP;
    cap_yaml_node *was = named ? node->pairs[i].value : node->items[i], *is = rename_level(r, was, path);
    if (is == was || !own(r, node, &copy)) continue;
    if (named) copy->pairs[i].value = is;
    else copy->items[i] = is;
  }
  return copy;
}

/* {parameter: load.angular_frequency, ...} */
static cap_yaml_node *rename_parameter(cap_renames *r, cap_yaml_node *node)
{
  cap_yaml_node *copy = node;
  for (int i = 0; node->kind == CAP_YAML_MAP && i < node->n; i++) {
    if (strcmp(node->pairs[i].key, "parameter") != 0) continue;
    cap_yaml_node *was = node->pairs[i].value, *is = rename_text(r, was, CAP_MEANS_PATH);
    if (is != was && own(r, node, &copy)) copy->pairs[i].value = is;
  }
  return copy;
}

static cap_yaml_node *rename_variant(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  if (node->kind != CAP_YAML_MAP) return node;
  cap_yaml_node *tag = cap_yaml_find(node, field->tag_key);
  const char *name = tag && tag->kind == CAP_YAML_SCALAR ? tag->text : field->tag_default;
  const char *renamed = name ? cap_fields_renamed(field->names_were, name) : NULL;
  if (renamed && tag && takes_old(r, tag->origin)) name = renamed;
  const cap_field *fields = NULL;
  for (const cap_variant *v = field->variants; name && v->name; v++)
    if (strcmp(v->name, name) == 0) fields = v->fields;
  const cap_field tag_field[] = {
      {.key = field->tag_key, .kind = CAP_FIELD_CHOICE, .names_were = field->names_were}, {0}};
  const cap_field *tables[] = {tag_field, fields, NULL};
  return cap_renames_map(r, node, tables);
}

/* "- transient: {until: 1 s}", or "- statics". */
static cap_yaml_node *rename_step(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  if (node->kind == CAP_YAML_SCALAR) return rename_choice(r, node, field);
  if (node->kind != CAP_YAML_MAP || node->n != 1) return node;
  cap_yaml_pair pair = node->pairs[0];
  const char *is = takes_old(r, pair.origin) ? cap_fields_renamed(field->names_were, pair.key) : NULL;
  if (is) {
    note_edit(r, (cap_renames_edit){.token = pair.token, .was = pair.key, .is = is});
    warn(r, (spot){pair.line, pair.column, pair.origin}, pair.key, is);
    pair.key = is;
  }
  for (const cap_variant *v = field->variants; v->name; v++)
    if (strcmp(v->name, pair.key) == 0 && v->fields && pair.value->kind == CAP_YAML_MAP)
      pair.value = cap_renames_map(r, pair.value, (const cap_field *const[]){v->fields, NULL});
  cap_yaml_node *copy = node;
  if ((is || pair.value != node->pairs[0].value) && own(r, node, &copy)) copy->pairs[0] = pair;
  return copy;
}

static cap_yaml_node *rename_list(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  cap_yaml_node *copy = node;
  for (int i = 0; node->kind == CAP_YAML_LIST && i < node->n; i++) {
    cap_yaml_node *was = node->items[i], *is = was;
    if (field->kind == CAP_FIELD_STEPS) is = rename_step(r, was, field);
    else if (field->kind == CAP_FIELD_UNKNOWNS) is = rename_parameter(r, was);
    else if (was->kind == CAP_YAML_MAP)
      is = cap_renames_map(r, was, (const cap_field *const[]){field->fields, NULL});
    if (is != was && own(r, node, &copy)) copy->items[i] = is;
  }
  return copy;
}

static cap_yaml_node *rename_section(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  const cap_field *inner = field->short_key ? cap_fields_find(field->fields, field->short_key) : NULL;
  if (node->kind == CAP_YAML_SCALAR && inner) return cap_renames_value(r, node, inner);
  if (node->kind != CAP_YAML_MAP) return node;
  return cap_renames_map(r, node, (const cap_field *const[]){field->fields, NULL});
}

cap_yaml_node *cap_renames_value(cap_renames *r, cap_yaml_node *node, const cap_field *field)
{
  switch (field->kind) {
  case CAP_FIELD_CHOICE:
    return rename_choice(r, node, field);
  case CAP_FIELD_TEXT:
    return rename_text(r, node, field->means);
  case CAP_FIELD_TEXTS:
  case CAP_FIELD_NAMED:
    return rename_items(r, node, field->means);
  case CAP_FIELD_SWEEP:
    return rename_parameter(r, node);
  case CAP_FIELD_SECTION:
    return rename_section(r, node, field);
  case CAP_FIELD_VARIANT:
    return rename_variant(r, node, field);
  case CAP_FIELD_LIST:
  case CAP_FIELD_STEPS:
  case CAP_FIELD_UNKNOWNS:
    return rename_list(r, node, field);
  default:
    return node;
  }
}

/* The field of a key, by its present name, else by its old one, which *old says. */
static const cap_field *find_field(const cap_field *const *tables, const char *key, bool *old)
{
  *old = false;
  for (int t = 0; tables[t]; t++) {
    const cap_field *field = cap_fields_find(tables[t], key);
    if (field) return field;
  }
  for (int t = 0; tables[t]; t++) {
    const cap_field *field = cap_fields_find_was(tables[t], key);
    if ((*old = field != NULL)) return field;
  }
  return NULL;
}

static void report_both(cap_renames *r, const cap_yaml_pair *pair, const char *is)
{
  char text[300];
  snprintf(text, sizeof text,
           "\"%.60s\" is the old name of \"%s\", which this section has as well; remove one", pair->key, is);
  report(r, false, (spot){pair->line, pair->column, pair->origin}, text);
}

static bool rename_key(cap_renames *r, const cap_yaml_node *map, cap_yaml_pair *pair, const cap_field *field)
{
  if (!takes_old(r, pair->origin)) return false;
  if (cap_yaml_find_pair(map, field->key)) {
    report_both(r, pair, field->key);
    if (r->diag) pair->key = NULL; /* nothing more is said of it */
    return r->diag != NULL;
  }
  note_edit(r, (cap_renames_edit){.token = pair->token, .was = pair->key, .is = field->key});
  warn(r, (spot){pair->line, pair->column, pair->origin}, pair->key, field->key);
  pair->key = field->key;
  return true;
}

/* Without the pairs that were found to be in the way. */
static cap_yaml_node *without_refused(cap_yaml_node *map)
{
  int n = 0;
  for (int i = 0; i < map->n; i++)
    if (map->pairs[i].key) map->pairs[n++] = map->pairs[i];
  map->n = n;
  return map;
}

cap_yaml_node *cap_renames_map(cap_renames *r, cap_yaml_node *map, const cap_field *const *tables)
{
  cap_yaml_node *copy = map;
  for (int i = 0; map->kind == CAP_YAML_MAP && i < map->n && !r->exhausted; i++) {
    bool old;
    const cap_field *field = find_field(tables, map->pairs[i].key, &old);
    if (!field) continue;
    cap_yaml_pair pair = map->pairs[i];
    bool changed = old && rename_key(r, map, &pair, field);
    pair.value = field->means == CAP_MEANS_VALUE ? rename_levels(r, pair.value, map)
                                                 : cap_renames_value(r, pair.value, field);
    if ((changed || pair.value != map->pairs[i].value) && own(r, map, &copy)) copy->pairs[i] = pair;
  }
  return copy && copy != map ? without_refused(copy) : copy;
}
