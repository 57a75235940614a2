/* io/bind_names.c — names that a user gives: results are called after them (base/names.h), so that each has
 * to be a part of such names, and no two of a list may be mistaken for each other. */
#include "base/names.h"
#include "io/bind_inner.h"

#include <string.h>

void cap_bind_names_check(cap_bind *bind, const cap_bind_spot *spot, const cap_yaml_node *node,
                          const char *name)
{
  const char *fault = cap_names_fault(name);
  if (fault)
    cap_bind_inner_report(bind, spot, node,
                          "expected a name of letters, digits, blanks, \"_\" and \"-\", got \"%.60s\": %s",
                          name, fault);
}

/* The name of an item of a list; NULL: it has none. */
static const char *name_of(const cap_field *field, const cap_list *list, int i)
{
  const char *item = (const char *)list->items + (size_t)i * field->item_size;
  const cap_field *fields = field->kind == CAP_FIELD_STEPS
                                ? field->variants[*(const int *)(const void *)item].fields
                                : field->fields;
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w))
    if (w.field->means == CAP_MEANS_NAME) return *(const char *const *)(const void *)(item + w.field->offset);
  return NULL;
}

/* The value of the key of a name in an item of the file, for its place. */
static const cap_yaml_node *node_of(const cap_yaml_node *item, const char *name)
{
  for (int i = 0; item->kind == CAP_YAML_MAP && i < item->n; i++) {
    const cap_yaml_node *value = item->pairs[i].value;
    if (value->kind == CAP_YAML_SCALAR && strcmp(value->text, name) == 0) return value;
    if (item->n == 1 && value->kind == CAP_YAML_MAP) return node_of(value, name);
  }
  return item;
}

void cap_bind_names_compare(cap_bind *bind, const cap_bind_spot *up, const cap_field *field,
                            const cap_list *list, const cap_yaml_node *node)
{
  if (list->n < 2 || !name_of(field, list, 0)) return;
  for (int i = 1; i < list->n; i++) {
    const char *own = name_of(field, list, i);
    for (int k = 0; own && k < i; k++) {
      const char *other = name_of(field, list, k);
      if (!other || strcmp(own, other) == 0 || !cap_names_alike(own, other)) continue;
      cap_bind_spot spot = {.up = up, .index = i};
      cap_bind_inner_report(
          bind, &spot, node_of(node->items[i], own),
          "expected names that differ in more than blanks and \"_\", got \"%.60s\" and \"%.60s\"", other,
          own);
      break;
    }
  }
}
