/* base/fields: parameters found by path in the struct that a table describes. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "../toy/toy_registry.h"

static void by_path(void **state)
{
  (void)state;
  toy_pulley pulleys[2] = {{.radius = 1}, {.radius = 2}};
  toy_spec toy = {.pulleys = {2, pulleys}, .law = {.kind = 1}, .has_law = true};
  double *place = NULL;
  assert_ptr_equal(cap_fields_locate(toy_fields, &toy, "belt.length", &place), &toy_belt[1]);
  assert_ptr_equal(place, &toy.belt.length);
  assert_ptr_equal(cap_fields_locate(toy_fields, &toy, "load.amplitude", &place), &toy_load[1]);
  assert_ptr_equal(place, &toy.load.amplitude);
  assert_ptr_equal(cap_fields_locate(toy_fields, &toy, "pulleys[1].radius", &place), &toy_pulley_fields[1]);
  assert_ptr_equal(place, &pulleys[1].radius);
  assert_non_null(cap_fields_locate(toy_fields, &toy, "law.lambda", &place));
  assert_ptr_equal(place, &toy.law.lambda);
}

typedef struct step_item {
  int law;
  double inner;
} step_item;

/* Items of a list of variants are called by the variant that they are. */
static void by_variant_of_an_item(void **state)
{
  (void)state;
  static const cap_field gap[] = {
      {.key = "inner", .kind = CAP_FIELD_REAL, .offset = offsetof(step_item, inner)}, {0}};
  static const cap_variant laws[] = {{"stages", "", NULL}, {"gap", "", gap}, {0}};
  static const cap_field fields[] = {{.key = "clearances",
                                      .kind = CAP_FIELD_STEPS,
                                      .offset = 0,
                                      .variants = laws,
                                      .item_size = sizeof(step_item)},
                                     {0}};
  step_item items[2] = {{.law = 0}, {.law = 1}};
  cap_list list = {2, items};
  double *place = NULL;
  assert_ptr_equal(cap_fields_locate(fields, &list, "clearances[1].gap.inner", &place), &gap[0]);
  assert_ptr_equal(place, &items[1].inner);
  assert_null(cap_fields_locate(fields, &list, "clearances[0].gap.inner", &place));
  assert_null(cap_fields_locate(fields, &list, "clearances[2].gap.inner", &place));
  assert_null(cap_fields_locate(fields, &list, "clearances[1].inner", &place));
  assert_null(cap_fields_locate(fields, &list, "clearances[1].gap", &place));
  assert_null(cap_fields_locate(fields, &list, "clearances.gap.inner", &place));
  assert_ptr_equal(cap_fields_known(fields, "clearances[7].gap.inner"), &gap[0]);
  assert_null(cap_fields_known(fields, "clearances[7].stages.inner"));
  assert_null(cap_fields_known(fields, "clearances[7].inner"));
}

/* Items of a list by their names. */
static void by_name_of_an_item(void **state)
{
  (void)state;
  toy_pulley pulleys[3] = {{.name = "crank"}, {.name = "idler 2"}, {.name = "crank"}};
  toy_spec toy = {.pulleys = {2, pulleys}};
  double *place = NULL;
  char reason[CAP_FIELDS_REASON];
  assert_non_null(cap_fields_locate(toy_fields, &toy, "pulleys[crank].radius", &place));
  assert_ptr_equal(place, &pulleys[0].radius);
  assert_non_null(cap_fields_locate(toy_fields, &toy, "pulleys['idler 2'].radius", &place));
  assert_ptr_equal(place, &pulleys[1].radius);
  assert_false(cap_fields_item_missing(toy_fields, &toy, "pulleys[crank].radius", reason));
  assert_null(cap_fields_locate(toy_fields, &toy, "pulleys[crnk].radius", &place));
  assert_true(cap_fields_item_missing(toy_fields, &toy, "pulleys[crnk].radius", reason));
  assert_string_equal(reason, "pulleys has no item named \"crnk\"; expected one of: crank, idler 2; did you "
                              "mean \"crank\"?");
  assert_false(cap_fields_item_missing(toy_fields, &toy, "pulleys[7].radius", reason)); /* not by a name */
  toy.pulleys.n = 3;
  assert_null(cap_fields_locate(toy_fields, &toy, "pulleys[crank].radius", &place));
  assert_true(cap_fields_item_missing(toy_fields, &toy, "pulleys[crank].radius", reason));
  assert_string_equal(reason, "pulleys has two items named \"crank\", [0] and [2]; expected an index");
  assert_non_null(cap_fields_known(toy_fields, "pulleys[crank].radius"));
  assert_null(cap_fields_known(toy_fields, "pulleys[].radius"));
}

static void not_there(void **state)
{
  (void)state;
  toy_pulley pulleys[2] = {{.radius = 1}, {.radius = 2}};
  toy_spec toy = {.pulleys = {2, pulleys}, .law = {.kind = 0}, .has_law = true};
  static const char *const paths[] = {"",
                                      "belt",
                                      "belt.",
                                      "belt.len",
                                      "belt.length.x",
                                      "belt.ribs",
                                      "pulleys.radius",
                                      "pulleys[2].radius",
                                      "pulleys[-1].radius",
                                      "pulleys[0]radius",
                                      "pulleys[0]",
                                      "pulleys[99999999999999].radius",
                                      "law.lambda",
                                      "speeds[0]",
                                      "load.ramp",
                                      ".belt.length",
                                      "belt..length",
                                      "pulleys[0].name"};
  double *place;
  for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
    if (cap_fields_locate(toy_fields, &toy, paths[i], &place)) fail_msg("found \"%s\"", paths[i]);
  toy.has_law = false;
  assert_null(cap_fields_locate(toy_fields, &toy, "law.k", &place));
  /* whatever the model chose, the table knows them */
  assert_non_null(cap_fields_known(toy_fields, "law.lambda"));
  assert_non_null(cap_fields_known(toy_fields, "pulleys[7].radius"));
  assert_null(cap_fields_known(toy_fields, "pulleys.radius"));
  assert_null(cap_fields_known(toy_fields, "belt.ribs"));
}

static void count_path(void *self, const char *path)
{
  int *n = self;
  n[0]++;
  if (strcmp(path, "pulleys[].radius") == 0 || strcmp(path, "law.k") == 0) n[1]++;
}

static void every_real(void **state)
{
  (void)state;
  int n[2] = {0, 0};
  cap_fields_each_real(toy_fields, count_path, n);
  assert_int_equal(n[0], 4 + 2 + 3 + 4);
  assert_int_equal(n[1], 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(by_path), cmocka_unit_test(by_variant_of_an_item),
                                     cmocka_unit_test(by_name_of_an_item), cmocka_unit_test(not_there),
                                     cmocka_unit_test(every_real)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
