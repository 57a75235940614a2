/* drives/pushbelt/ring/ring_ancf.h — ring by absolute nodal coordinates: the force element between two of
 * its nodes.
 *
 * Maths: docs/theory.md §35.3. A node has the coordinates x, y and x', y', the derivatives of its place to
 * the unstretched length; between nodes the place is a cubic of that length. i and j are the first of the
 * four coordinates of the nodes. Its force is the tension, mean over the element. In a model of one lane.
 */
#pragma once
#include "laws/ancf.h"
#include "model/model.h"

enum {
  CAP_RING_ANCF_EA,
  CAP_RING_ANCF_EI,
  CAP_RING_ANCF_LENGTH, /* m, unstretched, of the element */
  CAP_RING_ANCF_AXIAL,  /* N s */
  CAP_RING_ANCF_BENDING,
  CAP_RING_ANCF_CURVATURE,
  CAP_RING_ANCF_NPARAM
};
extern const cap_element_type cap_ring_ancf_force_type;
