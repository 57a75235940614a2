/* elements/beam_frequency.h — the fastest motion of a planar beam, from which explicit steps follow.
 *
 * Maths: docs/theory.md §27.6. The beam is between two nodes, each with half of its mass, and may lie on a
 *        bed:
 * springs and dampers along and across it at a few points. All larger systems of such beams are slower.
 */
#pragma once
#include "laws/beam.h"

typedef struct cap_beam_bed {
  int npoint;                /* evenly along the beam, in the middle of equal parts */
  double normal, tangential; /* N/m2: stiffness per length */
  double damping, shear;     /* N s/m2: dampers across and along */
} cap_beam_bed;

/* rad/s. mass: kg/m; rotary: kg m2 of rotation of the beam; bed NULL: none. Counts damping as leapfrog feels
 * it. NAN: out of memory. */
double cap_beam_frequency_of(const capm_beam *beam, double tension, double mass, double rotary,
                             const cap_beam_bed *bed);
