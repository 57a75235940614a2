/* Fuzz formulas: what the check accepts is evaluated over numbers and series, and fails with a place at
 * most. */
#include "base/expr.h"
#include "target.h"

#include <math.h>

enum { POINTS = 7 };

static bool find(void *self, const char *name, cap_expr_value *value)
{
  static const double x[POINTS] = {0, 1, 2, 3, 4, 5, 6}, y[POINTS] = {1, -2, 3, 0, 7, 7, -1},
                      turning[POINTS] = {0, 2, 4, 3, 1, 2, 5},
                      gaps[POINTS] = {1, NAN, 2, INFINITY, 0, -0.0, 1};
  (void)self;
  *value = (cap_expr_value){.number = 2.5};
  if (strcmp(name, "a") == 0) return true;
  value->series = true;
  value->n = POINTS;
  value->x = strcmp(name, "t") == 0 ? turning : x;
  value->y = strcmp(name, "g") == 0 ? gaps : y;
  if (strcmp(name, "e") == 0) value->n = 0;
  return strcmp(name, "s") == 0 || strcmp(name, "t") == 0 || strcmp(name, "g") == 0 ||
         strcmp(name, "e") == 0 || strcmp(name, "ring[1].tension") == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  char *text = target_text(data, size);
  cap_arena arena = {0};
  cap_error error = {0};
  cap_expr_scope scope = {find, NULL};
  cap_expr_value value;
  cap_status checked = cap_expr_check(text, &scope, &arena, &error);
  if (checked != CAP_OK && !error.text[0]) abort();
  error.text[0] = 0;
  cap_status status = cap_expr_eval(text, &scope, &arena, &value, &error);
  if (status != CAP_OK && !error.text[0]) abort();
  if (checked != CAP_OK && status == CAP_OK) abort();
  if (status == CAP_OK && value.series)
    for (int64_t i = 0; i < value.n; i++) error.status = value.x[i] < value.y[i]; /* both can be read */
  cap_expr_number(text, &scope, &arena, &(double){0.0}, &error);
  cap_arena_free(&arena);
  free(text);
  return 0;
}
