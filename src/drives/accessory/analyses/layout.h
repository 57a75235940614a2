/* drives/accessory/analyses/layout.h — the layout of a belt drive as a group of the results: what a drawing
 * of it needs.
 *
 * Written once, before the first analysis, for models that have a belt: names, centres, radii and sides of
 * the pulleys, the arm of the tensioner as it starts, and the belt. What changes with the speed or over time
 * stands in the results of the analyses.
 */
#pragma once
#include "analysis/analysis.h"

/* Nothing for a model without a belt; the shapes of bodies (model/scene.h) as a group of their own. */
cap_status cap_layout_put(cap_run *run);
