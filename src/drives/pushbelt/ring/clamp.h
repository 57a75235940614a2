/* drives/pushbelt/ring/clamp.h — the levers that hold the ends of the tester's strips. */
#pragma once
#include "elements/elements.h"

/* A node of a beam (j: first of x, y, phi), clamped by a lever that turns about a fixed hinge (i: angle of
 * the lever). DISTANCE is along the lever and negative where that points away from the node. */
enum {
  CAP_CLAMP_X, /* m, of the hinge */
  CAP_CLAMP_Y,
  CAP_CLAMP_DISTANCE,
  CAP_CLAMP_ALONG,  /* N/m */
  CAP_CLAMP_ACROSS, /* N/m */
  CAP_CLAMP_TURN,   /* N m/rad */
  CAP_CLAMP_NPARAM
};
extern const cap_element_type cap_clamp_type;
