/* io/starter_value.c — see starter_value.h. */
#include "io/starter_value.h"

#include <string.h>

enum { DEPTH = 4 /* sections within the sample of an optional key */ };

static const char *or_empty(const char *text)
{
  return text ? text : "";
}

/* ---- texts ---- */

static bool needs_quotes(const char *text, bool inside)
{
  if (!*text || strchr("*&!|>%@`\"'#,[]{}", *text)) return true;
  if (strchr("-?:", *text) && (!text[1] || text[1] == ' ')) return true;
  if (text[0] == ' ' || text[strlen(text) - 1] == ' ' || text[strlen(text) - 1] == ':') return true;
  return strstr(text, ": ") || strstr(text, " #") || strpbrk(text, "\n\t\"\\") ||
         (inside && strpbrk(text, ",[]{}"));
}

static const char *quoted(const char *text, cap_arena *arena)
{
  char *out = cap_arena_alloc(arena, 2 * strlen(text) + 3), *at = out;
  if (!out) return "";
  *at++ = '"';
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') *at++ = '\\';
    if (*text == '\n') *at++ = '\\', *at++ = 'n';
    else *at++ = *text;
  }
  *at++ = '"';
  *at = '\0';
  return out;
}

static const char *scalar(const char *text, bool inside, cap_arena *arena)
{
  return needs_quotes(text, inside) ? quoted(text, arena) : text;
}

const char *cap_starter_value_flow(const cap_yaml_node *node, bool inside, cap_arena *arena)
{
  const char *text = "";
  switch (node->kind) {
  case CAP_YAML_NULL:
    return "";
  case CAP_YAML_SCALAR:
    return scalar(node->text, inside, arena);
  case CAP_YAML_LIST:
    for (int k = 0; k < node->n; k++)
      text = or_empty(cap_arena_format(arena, "%s%s%s", text, k ? ", " : "",
                                       cap_starter_value_flow(node->items[k], true, arena)));
    return or_empty(cap_arena_format(arena, "[%s]", text));
  case CAP_YAML_MAP:
    for (int k = 0; k < node->n; k++)
      text = or_empty(cap_arena_format(arena, "%s%s%s: %s", text, k ? ", " : "", node->pairs[k].key,
                                       cap_starter_value_flow(node->pairs[k].value, true, arena)));
    return or_empty(cap_arena_format(arena, "{%s}", text));
  }
  return text;
}

/* ---- samples ---- */

static const char *sample(const cap_field *field, bool inside, int depth, cap_arena *arena);

/* "key: value, key: value" of the required keys; where there is none, of the first. */
static const char *sample_keys(const cap_field *fields, int depth, cap_arena *arena)
{
  const char *text = "";
  for (int needed = 1; needed >= 0 && !*text; needed--)
    for (cap_fields_walk w = cap_fields_first(fields); w.field && depth > 0; cap_fields_next(&w)) {
      if (w.field->required != (needed == 1) || (!needed && *text)) continue;
      text = or_empty(cap_arena_format(arena, "%s%s%s: %s", text, *text ? ", " : "", w.field->key,
                                       sample(w.field, true, depth - 1, arena)));
    }
  return text;
}

static const char *sample_required(const cap_variant *variant, int depth, cap_arena *arena)
{
  const char *text = "";
  for (cap_fields_walk w = cap_fields_first(variant->fields); w.field && depth > 0; cap_fields_next(&w))
    if (w.field->required)
      text = or_empty(
          cap_arena_format(arena, "%s, %s: %s", text, w.field->key, sample(w.field, true, depth - 1, arena)));
  return text;
}

/* The variant that is taken when nothing is said, or the first. */
static const cap_variant *usual_variant(const cap_field *field)
{
  for (const cap_variant *v = field->variants; v->name && field->tag_default; v++)
    if (strcmp(v->name, field->tag_default) == 0) return v;
  return field->variants;
}

static const char *sample_structure(const cap_field *field, int depth, cap_arena *arena)
{
  const cap_variant *variant;
  switch (field->kind) {
  case CAP_FIELD_SECTION:
    return cap_arena_format(arena, "{%s}", sample_keys(field->fields, depth, arena));
  case CAP_FIELD_LIST:
    return cap_arena_format(arena, "[{%s}]", sample_keys(field->fields, depth, arena));
  case CAP_FIELD_VARIANT:
    variant = usual_variant(field);
    return cap_arena_format(arena, "{%s: %s%s}", field->tag_key, variant->name,
                            sample_required(variant, depth, arena));
  case CAP_FIELD_STEPS:
    return cap_arena_format(arena, "[{%s: {%s}}]", field->variants->name,
                            sample_keys(field->variants->fields, depth, arena));
  case CAP_FIELD_CHOICE:
    return field->choices[0];
  case CAP_FIELD_BOOL:
    return "true";
  case CAP_FIELD_TEXT:
    return "\"\"";
  case CAP_FIELD_REAL:
    return field->unit && *field->unit ? cap_arena_format(arena, "0 %s", field->unit) : "0";
  case CAP_FIELD_INT:
    return "1";
  default:
    return "[]";
  }
}

static const char *sample(const cap_field *field, bool inside, int depth, cap_arena *arena)
{
  if (field->means == CAP_MEANS_CHANNEL && field->kind == CAP_FIELD_TEXTS)
    return "[\"*\"]"; /* of any model */
  const char *given = field->fallback && *field->fallback ? field->fallback : field->example;
  if (given && field->kind == CAP_FIELD_TEXT) return scalar(given, inside, arena);
  return or_empty(given ? given : sample_structure(field, depth, arena));
}

const char *cap_starter_value_sample(const cap_field *field, cap_arena *arena)
{
  return sample(field, false, DEPTH, arena);
}

/* ---- names ---- */

static const char *name_at(const cap_field *field, int k)
{
  return field->kind == CAP_FIELD_CHOICE ? field->choices[k] : field->variants[k].name;
}

const char *cap_starter_value_choices(const cap_field *field, cap_arena *arena)
{
  const char *text = "";
  for (int k = 0; name_at(field, k); k++)
    text = or_empty(cap_arena_format(arena, "%s%s%s", text,
                                     k == 0                  ? ""
                                     : name_at(field, k + 1) ? ", "
                                                             : " or ",
                                     name_at(field, k)));
  return text;
}
