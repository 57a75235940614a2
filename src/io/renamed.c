/* io/renamed.c — see renamed.h. */
#include "io/renamed.h"
#include "base/arena.h"
#include "base/fields.h"
#include "drives/drive.h"

#include <string.h>

enum { MOST_LINES = 200 };

/* Something under its old and its present name. */
typedef struct pair {
  const char *was, *is;
} pair;

/* The names of one drive. */
typedef struct list {
  cap_arena arena;
  bool exhausted; /* memory ran out */
  int n;
  pair v[MOST_LINES];
} list;

/* The laws of a tensioner, the shapes of bodies have keys in common: they stand in the list once. */
static void add(list *l, pair names)
{
  for (int i = 0; i < l->n; i++)
    if (strcmp(l->v[i].was, names.was) == 0 && strcmp(l->v[i].is, names.is) == 0) return;
  if (l->n < MOST_LINES) l->v[l->n++] = names;
}

static const char *joined(list *l, const char *path, const char *between, const char *name, const char *end)
{
  const char *text = cap_arena_format(&l->arena, "%s%s%s%s", path, *path ? between : "", name, end);
  if (!text) l->exhausted = true;
  return text ? text : "";
}

static pair below(list *l, pair path, pair names, const char *end)
{
  return (pair){joined(l, path.was, ".", names.was, end), joined(l, path.is, ".", names.is, end)};
}

static void add_fields(list *l, pair path, const cap_field *fields);

static void add_steps(list *l, pair path, const cap_field *field)
{
  for (const cap_variant *v = field->variants; v->name; v++)
    if (v->fields) add_fields(l, below(l, path, (pair){v->name, v->name}, ""), v->fields);
}

static void add_choices(list *l, pair path, const char *const *names_were)
{
  for (int i = 0; names_were && names_were[i]; i += 2)
    add(l, (pair){joined(l, path.was, ": ", names_were[i], ""),
                  joined(l, path.is, ": ", names_were[i + 1], "")});
}

static void add_left(list *l, pair path, const char *const *names_left)
{
  for (int i = 0; names_left && names_left[i]; i += 2)
    add(l, (pair){joined(l, path.was, ": ", names_left[i], ""),
                  joined(l, "left", "; use ", names_left[i + 1], "")});
}

static void add_left_keys(list *l, pair path, const cap_field *field)
{
  for (const char *const *left = field->keys_left; left && *left; left++) {
    pair names = below(l, path, (pair){*left, field->key}, "");
    add(l, (pair){names.was, joined(l, "left", "; use ", names.is, "")});
  }
}

static void add_field(list *l, pair path, const cap_field *field)
{
  add_left_keys(l, path, field);
  bool items = field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS;
  pair names = {field->was ? field->was : field->key, field->key};
  pair inner = below(l, path, names, items ? "[]" : "");
  if (field->was) add(l, inner);
  if (field->kind == CAP_FIELD_CHOICE) {
    add_choices(l, inner, field->names_were);
    add_left(l, inner, field->names_left);
  }
  if (field->kind == CAP_FIELD_SECTION || field->kind == CAP_FIELD_LIST) add_fields(l, inner, field->fields);
  if (field->kind == CAP_FIELD_STEPS) add_steps(l, inner, field);
  if (field->kind != CAP_FIELD_VARIANT) return;
  for (const cap_variant *v = field->variants; v->name; v++)
    if (v->fields) add_fields(l, inner, v->fields);
}

static void add_fields(list *l, pair path, const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    add_field(l, path, w.field);
}

static void write_list(const list *l, const char *title, FILE *out)
{
  int width = 0;
  for (int i = 0; i < l->n; i++) {
    int length = (int)strlen(l->v[i].was);
    width = length > width ? length : width;
  }
  if (l->n) fprintf(out, "%s\n", title);
  for (int i = 0; i < l->n; i++) fprintf(out, "  %-*s  %s\n", width, l->v[i].was, l->v[i].is);
}

static void write_keys(list *l, const char *title, const cap_field *fields, FILE *out)
{
  l->n = 0;
  add_fields(l, (pair){"", ""}, fields);
  write_list(l, joined(l, title, "", ": keys", ""), out);
}

static void write_channels(list *l, const cap_drive *drive, FILE *out)
{
  l->n = 0;
  for (int i = 0; drive->channels_were && drive->channels_were[i]; i += 2)
    add(l, (pair){drive->channels_were[i], drive->channels_were[i + 1]});
  write_list(l, joined(l, drive->name, "", ": channels", ""), out);
}

cap_status cap_renamed_list(const cap_model_parse_registry *registry, FILE *out)
{
  list l = {.n = 0};
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(registry, common);
  write_keys(&l, "all drives", common, out);
  for (int i = 0; registry->drives[i]; i++) {
    write_keys(&l, registry->drives[i]->name, registry->drives[i]->fields, out);
    write_channels(&l, registry->drives[i], out);
  }
  cap_arena_free(&l.arena);
  if (l.exhausted) return CAP_ERR_NOMEM;
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}
