/* io/starter.c — see starter.h. */
#include "io/starter.h"
#include "io/starter_value.h"
#include "io/yaml.h"

#include <string.h>

enum { COLUMN = 44, WIDTH = 112, LONG_HEAD = 72, HEAD_MOST = 4096, SEEN_MOST = 64 };

typedef struct writer {
  FILE *out;
  cap_arena *arena;
  const cap_variant *analyses;
  int nseen; /* variants whose keys were explained already */
  const cap_field *seen[SEEN_MOST];
} writer;

/* Where a line stands: its indent, and whether it is the first of a list item. */
typedef struct place {
  int indent;
  bool item;
} place;

/* ---- lines ---- */

static int put_words(FILE *out, const char *text, int column, int at)
{
  while (*text) {
    int word = (int)strcspn(text, " \n");
    if (at > column + 1 && at + 1 + word > WIDTH) {
      fprintf(out, "\n%*s#", column, "");
      at = column + 1;
    }
    fprintf(out, " %.*s", word, text);
    at += 1 + word;
    text += word;
    text += strspn(text, " \n");
  }
  return at;
}

/* "head    # text", with the text before a head that is long. */
static void put_line(writer *w, const place *p, const char *head, const char *text)
{
  int shown = p->item ? p->indent - 2 : p->indent, length = shown + (p->item ? 2 : 0) + (int)strlen(head);
  bool before = *text && length > LONG_HEAD;
  if (before) {
    fprintf(w->out, "%*s#", shown, "");
    put_words(w->out, text, shown, shown + 1);
    fputc('\n', w->out);
  }
  fprintf(w->out, "%*s%s%s", shown, "", p->item ? "- " : "", head);
  if (*text && !before) {
    int column = length + 2 > COLUMN ? length + 2 : COLUMN;
    fprintf(w->out, "%*s#", column - length, "");
    put_words(w->out, text, column, column + 1);
  }
  fputc('\n', w->out);
}

/* Whether a sentence names all choices by itself. */
static bool names_choices(const cap_field *field)
{
  for (int k = 0; field->choices[k]; k++)
    if (!field->doc || !strstr(field->doc, field->choices[k])) return false;
  return true;
}

/* What is to be known of a key: "stiffness of both spans [N/m]; default 0 N/m". */
static const char *explain(writer *w, const cap_field *field, bool shown)
{
  const char *unit = field->unit && *field->unit ? field->unit : NULL;
  const char *fallback = shown && !field->required ? field->fallback : NULL;
  const char *choices = field->kind == CAP_FIELD_CHOICE && !names_choices(field)
                            ? cap_starter_value_choices(field, w->arena)
                            : NULL;
  const char *text = cap_arena_format(
      w->arena, "%s%s%s%s%s%s%s%s", choices ? choices : "", choices ? ": " : "", field->doc ? field->doc : "",
      unit ? " [" : "", unit ? unit : "", unit ? "]" : "", fallback && *fallback ? "; default " : "",
      fallback && *fallback ? fallback : "");
  return text ? text : "";
}

/* ---- keys ---- */

static void write_map(writer *w, const cap_field *fields, const cap_yaml_node *map, const char *skip, place p,
                      bool brief);

static void put_key(writer *w, place *p, const char *key, const char *value, const char *text)
{
  const char *head = cap_arena_format(w->arena, "%s:%s%s", key, *value ? " " : "", value);
  put_line(w, p, head ? head : key, text);
  p->item = false;
}

/* The variant of a name; NULL: there is none. */
static const cap_variant *variant_of(const cap_variant *variants, const char *name)
{
  for (const cap_variant *v = variants; name && v && v->name; v++)
    if (strcmp(v->name, name) == 0) return v;
  return NULL;
}

static bool seen_before(writer *w, const cap_field *fields)
{
  for (int k = 0; k < w->nseen; k++)
    if (w->seen[k] == fields) return true;
  if (w->nseen < SEEN_MOST) w->seen[w->nseen++] = fields;
  return false;
}

static void write_variant(writer *w, const cap_field *field, const cap_yaml_node *map, place p)
{
  const cap_yaml_node *tag = cap_yaml_find(map, field->tag_key);
  const cap_variant *variant = variant_of(field->variants, tag ? tag->text : field->tag_default);
  const char *names = cap_starter_value_choices(field, w->arena);
  const char *text = cap_arena_format(w->arena, "%s%s%s", names, variant && variant->doc ? ": " : "",
                                      variant && variant->doc ? variant->doc : "");
  if (tag) put_key(w, &p, field->tag_key, tag->text, text ? text : "");
  write_map(w, variant ? variant->fields : NULL, map, field->tag_key, p, false);
}

/* Items of a list: the first with all its keys explained, the others in a line each. */
static void write_list(writer *w, const cap_field *field, const cap_yaml_node *list, int indent)
{
  for (int k = 0; k < list->n; k++) {
    place p = {indent + 4, true};
    if (k == 0 && list->items[k]->kind == CAP_YAML_MAP)
      write_map(w, field->fields, list->items[k], NULL, p, false);
    else put_line(w, &p, cap_starter_value_flow(list->items[k], true, w->arena), "");
  }
}

/* Items that are one of several kinds: each kind explained once. */
static void write_steps(writer *w, const cap_field *field, const cap_yaml_node *list, int indent)
{
  bool brief = field->variants == w->analyses;
  for (int k = 0; k < list->n; k++) {
    const cap_yaml_node *item = list->items[k];
    const cap_yaml_pair *pair = item->kind == CAP_YAML_MAP && item->n == 1 ? &item->pairs[0] : NULL;
    const cap_variant *variant = variant_of(field->variants, pair ? pair->key : NULL);
    place p = {indent + 4, true};
    if (!variant || (variant->fields && seen_before(w, variant->fields))) {
      if (pair) put_key(w, &p, pair->key, cap_starter_value_flow(pair->value, false, w->arena), "");
      else put_line(w, &p, cap_starter_value_flow(item, true, w->arena), "");
      continue;
    }
    bool empty = pair->value->kind != CAP_YAML_MAP || pair->value->n == 0;
    put_key(w, &p, pair->key, empty ? "{}" : "", variant->doc ? variant->doc : "");
    write_map(w, variant->fields, pair->value, NULL, (place){indent + 6, false}, brief || empty);
  }
}

/* A key that the example has. */
static void write_present(writer *w, const cap_field *field, const char *key, const cap_yaml_node *node,
                          place *p)
{
  const char *text = field ? explain(w, field, true) : "";
  bool map = node->kind == CAP_YAML_MAP && node->n > 0, list = node->kind == CAP_YAML_LIST && node->n > 0;
  if (field && field->kind == CAP_FIELD_SECTION && map) {
    put_key(w, p, key, "", text);
    write_map(w, field->fields, node, NULL, (place){p->indent + 2, false}, false);
  } else if (field && field->kind == CAP_FIELD_VARIANT && map) {
    put_key(w, p, key, "", text);
    write_variant(w, field, node, (place){p->indent + 2, false});
  } else if (field && field->kind == CAP_FIELD_LIST && list) {
    put_key(w, p, key, "", text);
    write_list(w, field, node, p->indent);
  } else if (field && field->kind == CAP_FIELD_STEPS && list) {
    put_key(w, p, key, "", text);
    write_steps(w, field, node, p->indent);
  } else {
    put_key(w, p, key, cap_starter_value_flow(node, false, w->arena), text);
  }
}

/* A key that the example leaves out, as it could be written. */
static void write_absent(writer *w, const cap_field *field, const place *p)
{
  const char *value = cap_starter_value_sample(field, w->arena);
  const char *head = cap_arena_format(w->arena, "#%s: %s", field->key, value);
  put_line(w, p, head ? head : field->key, explain(w, field, false));
}

/* "# further keys: ..." */
static void write_names(writer *w, const cap_field *fields, const cap_yaml_node *map, const place *p)
{
  const char *names = "";
  for (cap_fields_walk f = cap_fields_first(fields); f.field; cap_fields_next(&f)) {
    if (cap_yaml_find(map, f.field->key)) continue;
    const char *more = cap_arena_format(w->arena, "%s%s%s", names, *names ? ", " : "", f.field->key);
    if (more) names = more;
  }
  if (!*names) return;
  fprintf(w->out, "%*s# further keys:", p->indent, "");
  put_words(w->out, names, p->indent, p->indent + 15);
  fputc('\n', w->out);
}

/* Keys of a section: those that the example has in the order of the table, then the others as comments;
 * `brief`: only their names. */
static void write_map(writer *w, const cap_field *fields, const cap_yaml_node *map, const char *skip, place p,
                      bool brief)
{
  for (cap_fields_walk f = cap_fields_first(fields); f.field; cap_fields_next(&f)) {
    const cap_yaml_node *node = cap_yaml_find(map, f.field->key);
    if (node) write_present(w, f.field, f.field->key, node, &p);
  }
  for (int k = 0; map->kind == CAP_YAML_MAP && k < map->n; k++) {
    const char *key = map->pairs[k].key;
    if (!cap_fields_find(fields, key) && !(skip && strcmp(key, skip) == 0))
      write_present(w, NULL, key, map->pairs[k].value, &p);
  }
  if (brief) {
    write_names(w, fields, map, &p);
    return;
  }
  for (cap_fields_walk f = cap_fields_first(fields); f.field; cap_fields_next(&f))
    if (!cap_yaml_find(map, f.field->key)) write_absent(w, f.field, &p);
}

/* ---- the file ---- */

static const char *example_of(const cap_drive *drive)
{
  for (const cap_starter_example *e = cap_starter_examples; e->name && drive->starter; e++)
    if (strcmp(e->name, drive->starter) == 0) return e->text;
  return NULL;
}

static void write_head(writer *w, const cap_drive *drive)
{
  fputc('#', w->out);
  put_words(w->out, drive->doc, 0, 1);
  fprintf(w->out, ".\n#\n#   capstan check FILE      validate it\n#   capstan run FILE        compute it\n#\n"
                  "# Keys after a # are optional; the value shown is the default, or else an example.\n"
                  "# Quantities take any unit of their dimension; [] has the SI unit.\n\n");
}

static void write_further(writer *w, const cap_drive *drive, const cap_yaml_node *root, const place *p)
{
  bool any = false;
  for (cap_fields_walk d = cap_fields_first(drive->fields); d.field; cap_fields_next(&d)) {
    if (cap_yaml_find(root, d.field->key)) continue;
    if (!any) fputs("\n# further keys of the drive, all optional\n", w->out);
    any = true;
    write_absent(w, d.field, p);
  }
  fputc('\n', w->out);
}

/* The keys of every model around those of the drive. */
static void write_model(writer *w, const cap_model_parse_registry *registry, const cap_drive *drive,
                        const cap_yaml_node *root)
{
  cap_field common[CAP_MODEL_PARSE_COMMON];
  place p = {0, false};
  cap_model_parse_common(registry, common);
  for (const cap_field *f = common; f->key; f++) {
    const cap_yaml_node *node = cap_yaml_find(root, f->key);
    if (f->kind == CAP_FIELD_STEPS) { /* the analyses: before them the drive itself */
      fputc('\n', w->out);
      for (cap_fields_walk d = cap_fields_first(drive->fields); d.field; cap_fields_next(&d)) {
        const cap_yaml_node *own = cap_yaml_find(root, d.field->key);
        if (own) write_present(w, d.field, d.field->key, own, &p);
      }
      write_further(w, drive, root, &p);
    }
    if (node) write_present(w, f, f->key, node, &p);
    else write_absent(w, f, &p);
  }
}

cap_status cap_starter_write(const cap_model_parse_registry *registry, const cap_drive *drive, FILE *out,
                             cap_error *error)
{
  const char *text = example_of(drive);
  cap_arena arena = {0};
  cap_yaml_node *root = NULL;
  cap_diag diag;
  if (!text)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "expected a drive with a model to start from, got %s",
                           drive->name);
  cap_diag_init(&diag, drive->starter);
  cap_status status = cap_yaml_parse(text, strlen(text), NULL, &arena, &diag, &root);
  if (status == CAP_OK) {
    writer w = {.out = out, .arena = &arena, .analyses = registry->analyses};
    write_head(&w, drive);
    write_model(&w, registry, drive, root);
    if (ferror(out)) status = cap_status_fail(error, CAP_ERR_IO, "the file could not be written");
  } else {
    cap_status_fail(error, status, "%s", cap_diag_text(&diag));
  }
  cap_diag_free(&diag);
  cap_arena_free(&arena);
  return status;
}
