/* atlas/criterion.h — what a claim expects of its value, as it is written.
 *
 *   "65.3 +- 1%"   "65.3 +- 0.5"   "< 1.1"   "<= 1.1"   "> 0.2"   ">= 0.2"   "in [0.1, 0.3]"   "= 3"
 *
 * A percentage is of the expected value. Limits of "+-" and "in" belong to what is allowed. Nothing holds for
 * a value that is not a number.
 */
#pragma once
#include <stdbool.h>

typedef struct cap_criterion {
  double low, high;         /* allowed: low <= value <= high, */
  bool low_open, high_open; /* or < */
} cap_criterion;

/* False when the text is none of these. */
bool cap_criterion_parse(const char *text, cap_criterion *criterion);
bool cap_criterion_holds(const cap_criterion *criterion, double value);
