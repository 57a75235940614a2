/* base/fields.c — see fields.h. */
#include "base/fields.h"
#include "base/selector.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_PATH = 256 };

/* From walk->field, which may be an entry without a key of its own, to the next one that has one. */
static void settle(cap_fields_walk *w)
{
  while (w->field && (!w->field->key || w->field->kind == CAP_FIELD_MORE)) {
    if (w->field->key) {
      assert(w->depth < (int)(sizeof w->up / sizeof *w->up));
      w->up[w->depth++] = w->field;
      w->field = w->field->fields;
    } else {
      w->field = w->depth ? w->up[--w->depth] + 1 : NULL;
    }
  }
}

cap_fields_walk cap_fields_first(const cap_field *fields)
{
  cap_fields_walk w = {.field = fields};
  settle(&w);
  return w;
}

void cap_fields_next(cap_fields_walk *w)
{
  w->field++;
  settle(w);
}

static const cap_field *find(const cap_field *fields, const char *key, size_t length)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (strlen(w.field->key) == length && memcmp(w.field->key, key, length) == 0) return w.field;
  return NULL;
}

const cap_field *cap_fields_find(const cap_field *fields, const char *key)
{
  return find(fields, key, strlen(key));
}

const cap_field *cap_fields_find_was(const cap_field *fields, const char *key)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (w.field->was && strcmp(w.field->was, key) == 0) return w.field;
  return NULL;
}

const cap_field *cap_fields_find_left(const cap_field *fields, const char *key)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    for (const char *const *left = w.field->keys_left; left && *left; left++)
      if (strcmp(*left, key) == 0) return w.field;
  return NULL;
}

const cap_field *cap_fields_find_hertz(const cap_field *fields, const char *key)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (w.field->hertz && strcmp(w.field->hertz, key) == 0) return w.field;
  return NULL;
}

bool cap_fields_in_hertz(const cap_field *field, const char *path)
{
  const char *dot = strrchr(path, '.');
  return field->hertz && strcmp(dot ? dot + 1 : path, field->hertz) == 0;
}

const char *cap_fields_renamed(const char *const *names_were, const char *name)
{
  for (int i = 0; names_were && names_were[i]; i += 2)
    if (strcmp(names_were[i], name) == 0) return names_were[i + 1];
  return NULL;
}

/* A list of a spec, with the field that describes it. */
typedef struct named_list {
  const cap_field *field;
  const cap_list *list;
} named_list;

static const cap_field *chosen_fields(const cap_variant *variants, int tag);

/* What the key `name` of an item says; NULL: it has none. */
static const char *name_of_item(const void *self, int index)
{
  const named_list *all = self;
  const char *item = (const char *)all->list->items + (size_t)index * all->field->item_size;
  const cap_field *fields = all->field->fields;
  if (all->field->kind == CAP_FIELD_STEPS)
    fields = chosen_fields(all->field->variants, *(const int *)(const void *)item);
  const cap_field *name = fields ? cap_fields_find(fields, "name") : NULL;
  if (!name || name->kind != CAP_FIELD_TEXT) return NULL;
  return *(const char *const *)(const void *)(item + name->offset);
}

/* Take "[12]" or "[bsg]" off *path: the index of that item, -1 when there is none. `reason` (may be NULL,
 * else
 * of `size` bytes) gets what is wrong with a name. */
static int take_item(const cap_field *field, const cap_list *list, const char **path, char *reason,
                     size_t size)
{
  char unused[CAP_FIELDS_REASON];
  cap_selector selector;
  const named_list all = {field, list};
  if (!cap_selector_take(path, *path + strlen(*path), &selector)) return -1;
  if (reason && selector.name[0])
    return cap_selector_find(&selector, list->n, name_of_item, &all, reason, size);
  return cap_selector_find(&selector, list->n, name_of_item, &all, unused, sizeof unused);
}

static const cap_field *chosen_fields(const cap_variant *variants, int tag)
{
  for (int i = 0; variants[i].name; i++)
    if (i == tag) return variants[i].fields;
  return NULL;
}

/* The key at the head of *path and the struct that it is in;
 * steps over the "." behind a section or an item. */
static const cap_field *take_key(const cap_field *fields, const char **path)
{
  size_t length = strcspn(*path, ".[");
  const cap_field *field = find(fields, *path, length);
  if (!field && !(*path)[length]) field = cap_fields_find_hertz(fields, *path);
  *path += length;
  return field;
}

static bool given(const cap_field *field, const char *spec)
{
  return !field->present || *(const bool *)(spec + field->present - 1);
}

/* Take ".gap" off *path: the number of that variant, -1 when there is none. */
static int take_variant(const cap_variant *variants, const char **path)
{
  if (**path != '.') return -1;
  const char *name = *path + 1;
  size_t length = strcspn(name, ".[");
  for (int i = 0; variants[i].name; i++)
    if (strlen(variants[i].name) == length && memcmp(variants[i].name, name, length) == 0) {
      *path = name + length;
      return i;
    }
  return -1;
}

static const cap_field *locate(const cap_field *fields, void *spec, const char *path, double **place,
                               char *reason, size_t size)
{
  char *base = spec;
  for (;;) {
    const cap_field *field = take_key(fields, &path);
    if (!field || !given(field, base)) return NULL;
    char *inside = base + field->offset;
    switch (field->kind) {
    case CAP_FIELD_REAL:
      if (*path) return NULL;
      *place = (double *)(void *)inside;
      return field;
    case CAP_FIELD_SECTION:
      fields = field->fields;
      break;
    case CAP_FIELD_VARIANT:
      fields = chosen_fields(field->variants, *(const int *)(const void *)inside);
      break;
    case CAP_FIELD_LIST: {
      const cap_list *list = (const cap_list *)(const void *)inside;
      int index = take_item(field, list, &path, reason, size);
      if (index < 0) return NULL;
      inside = (char *)list->items + (size_t)index * field->item_size;
      fields = field->fields;
      break;
    }
    case CAP_FIELD_STEPS: {
      const cap_list *list = (const cap_list *)(const void *)inside;
      int index = take_item(field, list, &path, reason, size);
      int variant = take_variant(field->variants, &path);
      if (index < 0) return NULL;
      inside = (char *)list->items + (size_t)index * field->item_size;
      if (variant != *(const int *)(const void *)inside) return NULL;
      fields = field->variants[variant].fields;
      break;
    }
    default:
      return NULL;
    }
    if (*path++ != '.') return NULL;
    base = inside;
  }
}

const cap_field *cap_fields_locate(const cap_field *fields, void *spec, const char *path, double **place)
{
  return locate(fields, spec, path, place, NULL, 0);
}

bool cap_fields_item_missing(const cap_field *fields, void *spec, const char *path,
                             char reason[CAP_FIELDS_REASON])
{
  double *place;
  char why[CAP_FIELDS_REASON - 64] = "";
  if (!strchr(path, '[') || locate(fields, spec, path, &place, why, sizeof why) || !why[0]) return false;
  snprintf(reason, CAP_FIELDS_REASON, "%.*s %s", (int)strcspn(path, "["), path, why);
  return true;
}

static const cap_field *find_known(const cap_field *fields, const char *path, bool any)
{
  const cap_field *field = take_key(fields, &path);
  if (!field) return NULL;
  if (field->kind == CAP_FIELD_REAL) return *path ? NULL : field;
  if (any && !*path) return field;
  bool items = field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS;
  cap_selector selector; /* which item is not asked here */
  if (items && !cap_selector_take(&path, path + strlen(path), &selector)) return NULL;
  int own = field->kind == CAP_FIELD_STEPS ? take_variant(field->variants, &path) : -1;
  if (*path++ != '.') return NULL;
  if (own >= 0) return find_known(field->variants[own].fields, path, any);
  if (field->kind == CAP_FIELD_SECTION || field->kind == CAP_FIELD_LIST)
    return find_known(field->fields, path, any);
  if (field->kind != CAP_FIELD_VARIANT) return NULL;
  const cap_field *found = NULL;
  for (const cap_variant *variant = field->variants; !found && variant->name; variant++)
    found = find_known(variant->fields, path, any);
  return found;
}

const cap_field *cap_fields_known(const cap_field *fields, const char *path)
{
  return find_known(fields, path, false);
}

const cap_field *cap_fields_named(const cap_field *fields, const char *path)
{
  return find_known(fields, path, true);
}

typedef struct walk {
  void (*visit)(void *self, const char *path);
  void *self;
  char path[LONGEST_PATH];
} walk;

static void walk_fields(walk *w, size_t length, const cap_field *fields);

/* Items are called by the name of their variant: "clearances[].gap.inner_ratio". */
static void walk_steps(walk *w, size_t length, const cap_field *field)
{
  for (const cap_variant *variant = field->variants; variant->name; variant++) {
    int more = snprintf(w->path + length, sizeof w->path - length, ".%s", variant->name);
    size_t end = length + (size_t)more;
    if (more > 0 && end < sizeof w->path) walk_fields(w, end, variant->fields);
  }
}

static void walk_fields(walk *w, size_t length, const cap_field *fields)
{
  for (cap_fields_walk all = cap_fields_first(fields); all.field; cap_fields_next(&all)) {
    const cap_field *field = all.field;
    int more = snprintf(w->path + length, sizeof w->path - length, "%s%s%s", length ? "." : "", field->key,
                        field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS ? "[]" : "");
    size_t end = length + (size_t)more;
    if (more < 0 || end >= sizeof w->path) continue;
    if (field->kind == CAP_FIELD_REAL) w->visit(w->self, w->path);
    if (field->kind == CAP_FIELD_SECTION || field->kind == CAP_FIELD_LIST) walk_fields(w, end, field->fields);
    if (field->kind == CAP_FIELD_STEPS) walk_steps(w, end, field);
    if (field->kind != CAP_FIELD_VARIANT) continue;
    for (const cap_variant *variant = field->variants; variant->name; variant++)
      walk_fields(w, end, variant->fields);
  }
}

void cap_fields_each_real(const cap_field *fields, void (*visit)(void *self, const char *path), void *self)
{
  walk w = {.visit = visit, .self = self};
  walk_fields(&w, 0, fields);
}

/* What the walk hands out lasts for the call only. */
static void offer(void *self, const char *path)
{
  cap_fields_suggestion *s = self;
  s->nearest.best = NULL;
  cap_nearest_offer(&s->nearest, path);
  if (s->nearest.best) snprintf(s->best, sizeof s->best, "%s", path);
}

void cap_fields_suggest_start(cap_fields_suggestion *suggestion, const char *path)
{
  *suggestion = (cap_fields_suggestion){.best = ""};
  cap_nearest_start(&suggestion->nearest, path);
}

void cap_fields_suggest(cap_fields_suggestion *suggestion, const cap_field *fields)
{
  cap_fields_each_real(fields, offer, suggestion);
}
