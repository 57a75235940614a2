/* drives/pushbelt/carry/variator_from.h — where a run of a variator starts from: a belt of fewer elements
 * that is run first, or where another run ended.
 *
 * Maths:   docs/theory.md §50.5.
 *
 * For any analysis that moves a variator. What is carried over is variator_carry.h; the model stays what it
 * is, with its own loads and its own distance of sheaves, so that only the way to the stationary point is
 * another.
 */
#pragma once
#include "analysis/stationary/starts.h"

/* Section "from" of an analysis. */
typedef struct cap_variator_from {
  int elements;
  const char *file, *group;
  bool elements_given;
} cap_variator_from;

extern const cap_field cap_variator_from_fields[];
extern const cap_start_type cap_variator_from_start;
