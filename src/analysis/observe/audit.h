/* analysis/observe/audit.h — the energy balance of what was just computed, into the results and to the user.
 *
 * Maths: docs/theory.md §9. The sums themselves are kept by the steppers in cap_data.
 */
#pragma once
#include "analysis/analysis.h"

/* Write the balance of run->data since cap_data_start_audit to the open group, and say its residual. */
cap_status cap_audit_put(cap_run *run, const char *what);
