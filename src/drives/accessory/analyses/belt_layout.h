/* drives/accessory/analyses/belt_layout.h — the layout of a belt drive as a group of the results: what a
 * drawing of it needs.
 *
 * Names, centres, radii and sides of the pulleys, the arm of the tensioner as it starts, and the belt. What
 * changes with the speed or over time stands in the results of the analyses.
 */
#pragma once
#include "analysis/analysis.h"

cap_status cap_belt_layout_put(cap_run *run);
