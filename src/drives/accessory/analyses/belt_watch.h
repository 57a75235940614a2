/* drives/accessory/analyses/belt_watch.h — hub loads and tensions of a belt drive over a transient: least,
 * mean, most.
 *
 * Maths:   docs/theory.md §32.2
 * Reads:   the channels pulley.NAME.hub_x, .hub_y and span.NAME.tension of cap_belt_of(model), and
 *          pulley.NAME.use and .slip where it has them (gross slip of springs), at every row: what
 *          happens between rows is not seen. Loads are not counted by cycles (no rainflow).
 *
 * The sums are part of the checkpoints.
 */
#pragma once
#include "analysis/observe/observers.h"

/* A model without a belt, or without these channels, is not watched. It puts arrays watch.* over the pulleys,
 * safeties of bearings, and a note. */
extern const cap_observer_type cap_belt_watch_observer;
