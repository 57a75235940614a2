/* drives/pushbelt/observe/variator_track.h — some elements of a variator followed around the belt, and their
 * passes of it.
 *
 * Maths:   docs/theory.md §51.2 (steps 2 of 2.4.1)
 *
 * Of `nelement` elements at equal distances the last rows are kept, somewhat more than a revolution; older
 * ones are overwritten. A pass of a section is told by contact: it begins behind the last row at which
 * the element had not yet come so far, so that bounces at the entry and at the exit of an arc belong to the
 * arc.
 */
#pragma once
#include "drives/pushbelt/observe/variator_sample.h"

typedef struct cap_variator_track {
  int nelement, slots;
  int *element;  /* [nelement] their numbers in samples */
  int64_t count; /* doubles in `state` */
  double *state; /* rows so far; times; sections; values */
} cap_variator_track;

/* A part of the rows: `from` and `to` count from the oldest that is kept, `to` is the first of the next
 * section. to <= from: there is none. */
typedef struct cap_variator_pass {
  int from, to;
} cap_variator_pass;

cap_status cap_variator_track_create(cap_variator_track *t, int n, int nelement, int slots, cap_error *error);
void cap_variator_track_free(cap_variator_track *t); /* accepts a zeroed one */

void cap_variator_track_take(cap_variator_track *t, const cap_variator_sample *s);

int cap_variator_track_rows(const cap_variator_track *t); /* kept */
double cap_variator_track_time(const cap_variator_track *t, int row);
double cap_variator_track_section(const cap_variator_track *t, int row, int element);
double cap_variator_track_value(const cap_variator_track *t, int row, int element, int quantity);

/* The last complete pass of each section by an element (0 to nelement - 1) after the time `from`. */
void cap_variator_track_passes(const cap_variator_track *t, int element, double from,
                               cap_variator_pass passes[CAP_VARIATOR_SECTIONS]);
