/* atlas/curve.h — one curve (or number) out of a result file or a table of data, with its names and units. */
#pragma once
#include "base/expr.h"
#include "base/fields.h"
#include "io/results_read.h"

typedef struct cap_curve {
  cap_expr_value value; /* SI */
  const char *x_name, *x_unit, *y_name, *y_unit;
} cap_curve;

/* Dataset `y` of a group, over `x` (NULL: the first column of its table, or the array's own axis; 0, 1, 2,
 * ... when it has none). `select` fixes all dimensions but one of an array: "axis=value" or indexes. A number
 * gives a number. Everything lives in `arena`. */
cap_status cap_curve_from_results(cap_results_file *file, const char *group, const char *y, const char *x,
                                  const cap_texts *select, cap_arena *arena, cap_curve *curve,
                                  cap_error *error);
/* A number of the group's energy balance: residual, scale, relative, or the energy of a line. */
cap_status cap_curve_from_audit(cap_results_file *file, const char *group, const char *name, cap_curve *curve,
                                cap_error *error);
/* Two columns of a CSV file. */
cap_status cap_curve_from_csv(const char *path, const char *y, const char *x, cap_arena *arena,
                              cap_curve *curve, cap_error *error);
