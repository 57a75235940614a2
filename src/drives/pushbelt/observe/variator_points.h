/* drives/pushbelt/observe/variator_points.h — figures of several runs of a variator side by side: its global
 * results, and what the continuum says of each.
 */
#pragma once
#include "analysis/observe/observers.h"

/* Arrays figure.*, continuum.*, distance.* over the points; nothing where the model of the run is no
 * variator. */
cap_status cap_variator_points_put(const cap_observer_points *points);
