/* analysis/layout.h — what a drawing of the system needs, as groups of the results.
 *
 * Written once, before the first analysis: what the drive says of its layout (cap_subject_type.put_layout),
 * and the shapes of bodies (model/scene.h).
 */
#pragma once
#include "analysis/analysis.h"

cap_status cap_layout_put(cap_run *run);
