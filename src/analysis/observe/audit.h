/* analysis/observe/audit.h — the energy balance of what was just computed, into the results and to the user.
 *
 * Maths: docs/theory.md §9. The sums themselves are kept by the steppers in cap_data.
 *
 * What is not accounted for is judged by its share of the energy that was converted or in motion. Above
 * CAP_AUDIT_OPEN the user is warned, also one who wants no notes; above CAP_AUDIT_UNUSABLE the run fails when
 * it is through (io/execute.c), unless "outputs.balance" says ignore. Both stand in the group as the text
 * CAP_AUDIT_MARK, which begins with "open", "unusable" or "ignored".
 */
#pragma once
#include "analysis/analysis.h"

#define CAP_AUDIT_OPEN     1e-3
#define CAP_AUDIT_UNUSABLE 1e-2
#define CAP_AUDIT_ROUNDING 1e-12 /* J: smaller residuals are rounding of a system at rest */
#define CAP_AUDIT_LOSS     1e-2  /* share of the supplied energy that time integration may take unsaid */
#define CAP_AUDIT_MARK     "balance"

/* Write the balance of run->data since cap_data_start_audit to the open group, and say its residual. */
cap_status cap_audit_put(cap_run *run, const char *what);

/* Mark the open group and warn, where `share` of the converted energy is not accounted for. `what` is the
 * analysis, and the point of it where it has several. */
cap_status cap_audit_judge(cap_run *run, const char *what, double share);
