/* analysis/observe/solves.h — how many iterations the coupled contacts of a run took.
 *
 * Reads cap_data.solves, which the steppers count (so far leapfrog); puts the histogram and a note.
 */
#pragma once
#include "analysis/analysis.h"
#include "model/model.h"

/* before[CAP_SOLVES_NCOUNT]: the counts at the start of the analysis. Nothing was solved: nothing is put. */
cap_status cap_solves_put(cap_run *run, const int64_t *before);
