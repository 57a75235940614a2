/* io/schema, io/reference: what the tables say, as JSON Schema and as a page. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../toy/toy_registry.h"
#include "io/reference.h"
#include "io/schema.h"
#include "io/yaml.h"
#include "study/study_fields.h"

#include <stdio.h>
#include <stdlib.h>

/* JSON is YAML: the reader of model files reads it back. */
static cap_yaml_node *schema_tree(cap_arena *arena, bool study)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (study) assert_int_equal(cap_schema_table("study file", cap_study_fields_table, out), CAP_OK);
  else assert_int_equal(cap_schema_json(&toy_registry, out), CAP_OK);
  fclose(out);
  cap_diag diag;
  cap_diag_init(&diag, "schema.json");
  cap_yaml_node *root = NULL;
  if (cap_yaml_parse(text, size, NULL, arena, &diag, &root) != CAP_OK) fail_msg("%s", cap_diag_text(&diag));
  cap_diag_free(&diag);
  free(text);
  return root;
}

static cap_yaml_node *at(cap_yaml_node *node, const char *a, const char *b, const char *c)
{
  const char *const keys[] = {a, b, c};
  for (int i = 0; i < 3 && keys[i]; i++) {
    node = cap_yaml_find(node, keys[i]);
    if (!node) fail_msg("no \"%s\"", keys[i]);
  }
  return node;
}

static void schema(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_yaml_node *root = schema_tree(&arena, false);
  cap_yaml_node *drives = cap_yaml_find(root, "oneOf");
  assert_int_equal(drives->n, 2);
  cap_yaml_node *toy = drives->items[0];
  assert_string_equal(at(toy, "properties", "drive", "const")->text, "toy");
  assert_string_equal(at(toy, "additionalProperties", NULL, NULL)->text, "false");
  cap_yaml_node *length = at(at(toy, "properties", "belt", "properties"), "length", NULL, NULL);
  assert_string_equal(cap_yaml_find(length, "type")->text, "string");
  assert_string_equal(cap_yaml_find(length, "description")->text, "length [m]; at least 0.1 m; at most 10 m");
  assert_string_equal(cap_yaml_find(length, "examples")->items[0]->text, "1940 mm");
  cap_yaml_node *required = at(toy, "properties", "belt", "required");
  assert_int_equal(required->n, 2);
  assert_int_equal(at(toy, "properties", "law", "oneOf")->n, 3);
  assert_string_equal(at(toy, "properties", "seed", "$ref")->text, "#/$defs/seed");
  assert_int_equal(at(root, "$defs", "analyses", "items")->n, 1);
  cap_arena_free(&arena);
}

/* One table: sections that a single value may stand for, named texts, variants in a list. */
static void table(void **state)
{
  (void)state;
  cap_arena arena = {0};
  cap_yaml_node *root = schema_tree(&arena, true);
  assert_string_equal(at(root, "title", NULL, NULL)->text, "study file");
  assert_string_equal(at(root, "additionalProperties", NULL, NULL)->text, "false");
  cap_yaml_node *along = at(root, "properties", "continuation", "anyOf");
  assert_int_equal(along->n, 2);
  assert_string_equal(cap_yaml_find(along->items[1], "type")->text, "object");
  cap_yaml_node *factor = at(at(root, "properties", "factors", "items"), "properties", NULL, NULL);
  assert_int_equal(at(factor, "levels", "type", NULL)->n, 2);
  assert_int_equal(at(factor, "distribution", "oneOf", NULL)->n, 5);
  assert_int_equal(at(root, "properties", "design", "oneOf")->n, 6);
  cap_arena_free(&arena);
}

static void chapter(void **state)
{
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(cap_reference_table("Study files", "Of *studies*.", cap_study_fields_table, out), CAP_OK);
  fclose(out);
  static const char *const expected[] = {
      "# Study files\n\nOf *studies*.\n",
      "| `continuation` | a text, which is its `factor`, or a section, see below |",
      "**`factors[].distribution`**, with `law: normal`",
      "**`design`**, with `kind: grid`",
      "| `levels` | a list of texts, or a section of names with texts, 1 to 1000 items |",
  };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    if (!strstr(text, expected[i])) fail_msg("the page lacks: %s", expected[i]);
  free(text);
}

static void page(void **state)
{
  (void)state;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  assert_int_equal(cap_reference_markdown(&toy_registry, out), CAP_OK);
  fclose(out);
  static const char *const expected[] = {
      "### `toy`",
      "| `stiffness` | a stiffness [N/m], above 0 N/m | required | axial stiffness; such as `560 kN/m` |",
      "**`pulleys[]`**: pulleys",
      "**`law`**, with `kind: dahl`: Dahl's law",
      "| `side` | `groove`, `back` | `groove` | side of the belt |",
      "### `transient`",
      "| `rpm` | revolutions per minute | 0.1047197551 rad s-1 |  |",
      "**`outputs`**",
  };
  for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
    if (!strstr(text, expected[i])) fail_msg("the page lacks: %s", expected[i]);
  free(text);
}

static void full_disk(void **state)
{
  (void)state;
  FILE *out = fopen("/dev/full", "w");
  if (!out) skip();
  setvbuf(out, NULL, _IONBF, 0);
  assert_int_equal(cap_schema_json(&toy_registry, out), CAP_ERR_IO);
  assert_int_equal(cap_reference_markdown(&toy_registry, out), CAP_ERR_IO);
  assert_int_equal(cap_schema_table("study file", cap_study_fields_table, out), CAP_ERR_IO);
  assert_int_equal(cap_reference_table("Study files", "", cap_study_fields_table, out), CAP_ERR_IO);
  fclose(out);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(schema), cmocka_unit_test(page),
                                     cmocka_unit_test(table), cmocka_unit_test(chapter),
                                     cmocka_unit_test(full_disk)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
