/* drives/pushbelt/contact/slot.h — an element of a pushbelt on a ring of beams: its slot between saddle and
 * ear.
 *
 * Maths: docs/theory.md §40.3. The ring between two nodes A, B is the cubic with their places and the
 * tangents l e(phi); p is the middle of the saddle, r the point of the ring nearest to it, n the ring's
 * normal there:
 *   z = (r - p) . n - half      m: how far the ring lies above the saddle; at z = play it touches the ear
 *   N = k_saddle S(-z) - k_ear S(z - play) - hold z - damping k(z) z'
 * N > 0 presses the saddle down and the ring up. S(x) is max(x - width, 0), with a parabola from 0 to
 * 2 width. `hold` is a weak spring that keeps what floats in the play where it was laid. No friction. The
 * force has a potential; as r is the nearest point, its motion along the ring does no work.
 */
#pragma once
#include "drives/pushbelt/contact/pose.h"
#include "model/model.h"

/* i: first coordinate of the element, by its pose; j: first coordinate of node A of the ring (x, y, phi),
 * those of B follow it. Its force is N. */
enum {
  CAP_SLOT_POSE,
  CAP_SLOT_HEIGHT = CAP_SLOT_POSE + CAP_POSE_NPARAM, /* m: of the saddle over the element's origin */
  CAP_SLOT_HALF,                                     /* m: half the thickness of the ring */
  CAP_SLOT_PLAY,                                     /* m */
  CAP_SLOT_SADDLE,                                   /* N/m */
  CAP_SLOT_EAR,                                      /* N/m */
  CAP_SLOT_HOLD,                                     /* N/m */
  CAP_SLOT_WIDTH,                                    /* m > 0 */
  CAP_SLOT_DAMPING,                                  /* s */
  CAP_SLOT_LENGTH,                                   /* m: l */
  CAP_SLOT_NPARAM
};
enum {
  CAP_SLOT_LIFT,  /* m: z */
  CAP_SLOT_ALONG, /* N: on the first coordinate of the element */
  CAP_SLOT_PLACE, /* where r is: 0 at A, 1 at B */
  CAP_SLOT_NOUTPUT
};
extern const cap_element_type cap_slot_type;
