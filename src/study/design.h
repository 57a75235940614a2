/* study/design.h — the cases of a study: which values its factors take together. docs/study_file.md tells
 * which design is for what.
 */
#pragma once
#include "study/study.h"

/* Rows of a TABLE: columns[f][nrow] in SI for the factors that are no formulas, NULL for the others. */
typedef struct cap_design_rows {
  int64_t nrow;
  const double *const *columns;
} cap_design_rows;

/* Number of points that the design will have (before replicates); -1: more than CAP_STUDY_CASES. */
int64_t cap_design_points(const cap_study *study, const cap_design_rows *rows);

/* Fill values, ncase, order and chains. `rows` for a TABLE only. CAP_ERR_INPUT: a formula gives no number. */
cap_status cap_design_make(cap_study *study, const cap_design_rows *rows, cap_error *error);
