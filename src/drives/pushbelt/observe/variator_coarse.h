/* drives/pushbelt/observe/variator_coarse.h — what simulating fewer elements than real ones costs: errors.
 *
 * Maths: docs/theory.md §43.3.
 */
#pragma once
#include "base/progress.h"
#include "base/summary.h"
#include "drives/pushbelt/description/variator.h"

/* X(id, name, unit, long_name, constant, decimals)
 *
 * Errors of stacked joints fall with the square of the thickness: constant (iota^2 - 1), iota real elements
 * in a simulated one. Each constant is the largest of the nine basis cases between 110 or 218 and 437
 * elements (docs/variator_results.md, Convergence); measured anew when contacts get other defaults. */
#define CAP_VARIATOR_COARSE(X)                                                                               \
  X(THRUST, "thrust", "1", "thrust ratio", 0.012)                                                            \
  X(OEP, "oep", "m", "operational endplay", 4e-5)                                                            \
  X(EFFICIENCY, "efficiency", "1", "efficiency", 7e-4)

enum {
#define CAP_VARIATOR_COARSE_ID(id, ...) CAP_VARIATOR_COARSE_##id,
  CAP_VARIATOR_COARSE(CAP_VARIATOR_COARSE_ID)
#undef CAP_VARIATOR_COARSE_ID
      CAP_VARIATOR_COARSES
};

enum { CAP_VARIATOR_COARSE_FEW = 150 }; /* simulated elements: fewer are warned of */

/* Expected errors; false: none to tell, since all elements are simulated or joints are no stacks. */
bool cap_variator_coarse_errors(const cap_variator *v, double errors[CAP_VARIATOR_COARSES]);

/* Numbers coarse.NAME.error, coarse.few into the open group. */
cap_status cap_variator_coarse_put(const cap_variator *v, cap_sink *sink);
/* A line of a run, which begins with `what`; a warning where there are few. */
void cap_variator_coarse_tell(const cap_variator *v, const char *what, const cap_progress *progress);
/* For `capstan check`. */
void cap_variator_coarse_summary(const cap_variator *v, cap_summary *out);
