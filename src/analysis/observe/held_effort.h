/* analysis/observe/held_effort.h — how hard it was to find the set-valued forces of elements, into the
 * results. */
#pragma once
#include "analysis/analysis.h"
#include "model/data.h"

/* Figures of a run, since cap_data_start_impacts. */
enum {
  CAP_HELD_EFFORT_ITERATIONS, /* mean over the steps */
  CAP_HELD_EFFORT_MOST,
  CAP_HELD_EFFORT_RESIDUAL,  /* largest */
  CAP_HELD_EFFORT_MISSED,    /* steps above the tolerance */
  CAP_HELD_EFFORT_FALLBACKS, /* steps in which Newton needed another way */
  CAP_HELD_EFFORT_PENETRATION,
  CAP_HELD_EFFORT_NFIGURE
};
extern const cap_column cap_held_effort_columns[CAP_HELD_EFFORT_NFIGURE];
void cap_held_effort_figures(const cap_data *d, double figures[CAP_HELD_EFFORT_NFIGURE]);
/* Numbers and a note by an analysis called `what`; nothing for a model without such contacts. */
cap_status cap_held_effort_put(cap_run *run, const char *what);
/* A note where steps were not found to tolerance. */
void cap_held_effort_warn(const cap_progress *progress, const char *what,
                          const double figures[CAP_HELD_EFFORT_NFIGURE], double steps);
