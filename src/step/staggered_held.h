/* step/staggered_held.h — set-valued forces that are held over a step of the staggered steps.
 *
 * Maths:   docs/theory.md §52.4-52.5. They are found once a step by the model's solver (model/impulse.h),
 *          from
 *          the law between the impulse over the step that comes and the velocities predicted for its end.
 */
#pragma once
#include "model/impulse.h"
#include "step/staggered_work.h"

/* w->held, or NULL where the model has no such forces. */
cap_status cap_staggered_held_create(const cap_model *m, staggered *w, cap_error *error);
void cap_staggered_held_free(staggered_held *s); /* accepts NULL */

/* The solver's own memory, for tests. */
void *cap_staggered_held_solver(const staggered *w);
/* Where rows go; NULL: there are none. */
void *cap_staggered_held_rows(const staggered *w);
/* Steps are of length h from now on. */
void cap_staggered_held_look(staggered *w, double h);
/* At the start of a call, after an evaluation: forces as the state has them, for steps h; their accelerations
 * and the kick `part`. */
void cap_staggered_held_start(const cap_model *m, staggered *w, cap_data *d, double h, double part);
/* Work of the forces over the step h that has ended, by the rows of its start; before the next evaluation. */
void cap_staggered_held_count(const cap_model *m, staggered *w, const cap_data *d, double h);
/* The slow accelerations of the step's start, before they are found anew. */
void cap_staggered_held_keep(const cap_model *m, staggered *w);
/* Forces of the step h that comes, after all other kicks at its start; the kicks of both forces, of half a
 * part each. */
cap_status cap_staggered_held_find(const cap_model *m, staggered *w, cap_data *d, double h, cap_error *error);
