/* The tables of all drives and analyses: defaults and examples are what the reader itself accepts, and all is
 * told. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "base/units.h"
#include "io/model_parse.h"
#include "io/yaml.h"

#include <stdio.h>
#include <string.h>

typedef struct audit {
  cap_units *units;
  int nfield, nwrong;
} audit;

__attribute__((format(printf, 3, 4))) static void complain(audit *a, const char *path, const char *format,
                                                           ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  print_error("%s: %s\n", path, text);
  a->nwrong++;
}

static bool within(const cap_field *field, double value)
{
  if (field->low == 0.0 && field->high == 0.0) return true;
  if (value < field->low || value > field->high) return false;
  return !(field->low_open && value == field->low) && !(field->high_open && value == field->high);
}

static void check_quantity(audit *a, const char *path, const cap_field *field, const char *what,
                           const char *text)
{
  char reason[CAP_UNITS_REASON];
  double value;
  if (!text) return;
  if (!cap_units_parse(a->units, text, field->unit, &value, reason))
    complain(a, path, "the %s \"%s\" is no quantity in \"%s\": %s", what, text, field->unit, reason);
  else if (!within(field, value)) complain(a, path, "the %s \"%s\" is out of range", what, text);
}

static void check_real(audit *a, const char *path, const cap_field *field)
{
  if (!field->unit) {
    complain(a, path, "no unit");
    return;
  }
  if (!field->example) complain(a, path, "no example");
  if (field->low > field->high) complain(a, path, "the range is empty");
  check_quantity(a, path, field, "example", field->example);
  check_quantity(a, path, field, "default", field->fallback);
}

static void check_choice(audit *a, const char *path, const cap_field *field)
{
  bool found = !field->fallback;
  for (int i = 0; field->choices[i]; i++)
    if (field->fallback && strcmp(field->choices[i], field->fallback) == 0) found = true;
  if (!found) complain(a, path, "the default \"%s\" is not among the choices", field->fallback);
}

/* Examples of lists and sections must at least be YAML. */
static void check_flow(audit *a, const char *path, const char *text)
{
  if (!text) return;
  cap_arena arena = {0};
  cap_diag diag;
  cap_yaml_node *root;
  cap_diag_init(&diag, path);
  if (cap_yaml_parse(text, strlen(text), NULL, &arena, &diag, &root) != CAP_OK)
    complain(a, path, "the example cannot be read: %s", cap_diag_text(&diag));
  cap_diag_free(&diag);
  cap_arena_free(&arena);
}

static void check_fields(audit *a, const char *above, const cap_field *fields)
{
  for (cap_fields_walk w = cap_fields_first(fields); w.field; cap_fields_next(&w)) {
    const cap_field *field = w.field;
    char path[200];
    snprintf(path, sizeof path, "%s.%s", above, field->key);
    a->nfield++;
    if (!field->doc || !*field->doc) complain(a, path, "no doc");
    if (field->required && field->fallback) complain(a, path, "required, yet with a default");
    for (cap_fields_walk before = cap_fields_first(fields); before.field != field; cap_fields_next(&before))
      if (strcmp(before.field->key, field->key) == 0) complain(a, path, "stands twice");
    if (field->kind == CAP_FIELD_REAL) check_real(a, path, field);
    else check_flow(a, path, field->example);
    if (field->kind == CAP_FIELD_CHOICE) check_choice(a, path, field);
    if (field->kind == CAP_FIELD_SERIES && (!field->unit || !field->unit_x)) complain(a, path, "no units");
    if (field->kind == CAP_FIELD_SECTION || field->kind == CAP_FIELD_LIST)
      check_fields(a, path, field->fields);
    if (field->kind == CAP_FIELD_VARIANT && !field->tag_key) complain(a, path, "no tag_key");
    if ((field->kind == CAP_FIELD_LIST || field->kind == CAP_FIELD_STEPS) && !field->item_size)
      complain(a, path, "no item_size");
    if (field->kind != CAP_FIELD_VARIANT) continue;
    for (const cap_variant *variant = field->variants; variant->name; variant++)
      check_fields(a, path, variant->fields);
  }
}

static void every_table(void **state)
{
  (void)state;
  audit a = {.units = cap_units_create()};
  assert_non_null(a.units);
  cap_model_parse_registry registry = cap_model_file_registry();
  for (int i = 0; registry.drives[i]; i++)
    check_fields(&a, registry.drives[i]->name, registry.drives[i]->fields);
  for (const cap_variant *variant = registry.analyses; variant->name; variant++)
    check_fields(&a, variant->name, variant->fields);
  cap_field common[CAP_MODEL_PARSE_COMMON];
  cap_model_parse_common(&registry, common);
  check_fields(&a, "model", common);
  cap_units_free(a.units);
  print_message("%d fields, %d complaints\n", a.nfield, a.nwrong);
  assert_true(a.nfield > 50);
  assert_int_equal(a.nwrong, 0);
}

/* The same names in the list of analyses and in the variants that the reader knows, in the same order. */
static void analyses_agree(void **state)
{
  (void)state;
  int n = 0;
  for (; cap_registry_analyses[n]; n++) {
    assert_string_equal(cap_registry_analyses[n]->name, cap_registry_analysis_variants[n].name);
    assert_ptr_equal(cap_registry_analyses[n]->fields, cap_registry_analysis_variants[n].fields);
  }
  assert_null(cap_registry_analysis_variants[n].name);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_table), cmocka_unit_test(analyses_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
