/* drives/pushbelt/ring/ring_rcm.h — rings as chains of co-rotational beams: the closed one of ring.h, and
 * open strips.
 *
 * Maths: docs/theory.md §35.1, 35.2. Nodes have the coordinates x, y, phi; the beams are those of
 * elements/beam.c, straight when they are free of stress. Masses are lumped, so that explicit steppers take
 * the ring; the angles get the little inertia that makes them no faster than the waves along the ring.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"

/* An open strip, clamped at its ends. */
typedef struct cap_ring_rcm_strip {
  const char *name;
  cap_ring_section section;
  int nodes;                   /* with both ends, at least 3 */
  double free_length;          /* m, undeformed, from end to end; elements are equally long */
  const double (*at)[3];       /* [nodes] x, y, phi at the start: m, m, rad along the strip */
  const double (*velocity)[3]; /* [nodes] m/s, m/s, rad/s; NULL = at rest */
  int ends[2]; /* first of the three coordinates x, y, phi of a body to which an end is clamped
                * (the end is at that place and angle, and has no coordinates of its own), or
                * -1: it stays where it is at the start */
  int outputs; /* places with channels; 0 = 8 */
} cap_ring_rcm_strip;

/* xi runs from 0 (first node) to the free length; beyond it points stand at the ends. NULL: refused (the
 * reason is in `error`) or out of memory. */
cap_ring *cap_ring_rcm_open(cap_builder *b, const cap_ring_rcm_strip *strip, cap_error *error);
