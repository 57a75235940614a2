/* drives/accessory/analyses/belt_watch.h — hub loads and tensions of a belt drive over a transient: least,
 * mean, most.
 *
 * Maths:   docs/theory.md §32.2
 * Reads:   the channels pulley.NAME.hub_x, .hub_y and span.NAME.tension of model->belt, and pulley.NAME.use
 *          and .slip where it has them (gross slip of springs), at every row: what
 *          happens between rows is not seen. Loads are not counted by cycles (no rainflow).
 *
 * The sums are part of the checkpoints.
 */
#pragma once
#include "analysis/analysis.h"
#include "analysis/observe/channels.h"
#include "drives/accessory/belt/belt.h"

enum { CAP_BELT_WATCH_SUMS = 9 }; /* of a pulley and the span that leaves it */

typedef struct cap_belt_watch {
  const cap_belt *belt;         /* NULL: nothing to watch */
  int *hub_x, *hub_y, *tension; /* [npulley] numbers of the channels */
  int *use, *slip;              /* the same, -1 where there are none */
  double *sums;                 /* [1 + npulley CAP_BELT_WATCH_SUMS] rows so far; then of each pulley */
} cap_belt_watch;

/* A model without a belt, or without these channels, is not watched. Free it in any case. */
cap_status cap_belt_watch_create(cap_run *run, cap_belt_watch *w);
void cap_belt_watch_free(cap_belt_watch *w);

cap_view cap_belt_watch_view(const cap_belt_watch *w);

/* Take the state of run->data with the forces that were computed there (cap_channels.force). */
void cap_belt_watch_take(cap_belt_watch *w, const cap_run *run, const double *force);

/* Arrays watch.* over the pulleys into the open group, safeties of bearings, and a note. */
cap_status cap_belt_watch_put(const cap_belt_watch *w, cap_run *run);
