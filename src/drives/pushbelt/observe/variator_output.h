/* drives/pushbelt/observe/variator_output.h — results of a variator into a group of the results, and in
 * words.
 *
 * Names: docs/results.md, docs/variator_results.md.
 */
#pragma once
#include "base/progress.h"
#include "drives/pushbelt/observe/variator_figures.h"

/* Numbers variator.*, the six losses by their names, arrays along.* (curves along the belt), loss.* (by
 * section) and, with a track of all elements, history.*. */
cap_status cap_variator_output_put(cap_sink *sink, const cap_variator_figures *f,
                                   const cap_variator_curves *c, const cap_variator_track *averaged,
                                   const cap_variator_track *history, cap_error *error);

/* run_up: passes before the stationary time had to serve. */
void cap_variator_output_tell(const cap_progress *progress, const char *what, const cap_variator_figures *f,
                              const cap_variator_curves *c, bool run_up);
/* How far it is from the continuum, values as in drives/pushbelt/continuum/variator_continuum_beside.h; or
 * why there is none. */
void cap_variator_output_tell_beside(const cap_progress *progress, const char *what, const double *values,
                                     const cap_error *why);
/* Whether the power balance closes: a warning where it does not; where it does, a line if `closed`. */
void cap_variator_output_tell_balance(const cap_progress *progress, const char *what,
                                      const cap_variator_figures *f, bool closed);
