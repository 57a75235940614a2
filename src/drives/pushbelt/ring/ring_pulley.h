/* drives/pushbelt/ring/ring_pulley.h — contact of a ring of any model with a round rigid pulley inside it.
 *
 * Maths: docs/theory.md §35.6. The ring is touched at points of fixed xi, spread evenly, each for its share
 * of the length. A point within the pulley's radius is pressed outwards by  p = k d (1 + a d')  per length (d
 * the penetration, p >= 0); friction is Coulomb's, smoothed:  -mu p g/sqrt(g^2 + v^2)  along the travel, g
 * the speed of the ring's material over the rim. The pulley's axis may move along x, its rotation be a
 * coordinate that is positive with the travel (clockwise). Forces are those of virtual work on exactly these
 * motions, so that the energy closes.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"

enum {
  CAP_RING_PULLEY_X, /* m, of the axis */
  CAP_RING_PULLEY_Y,
  CAP_RING_PULLEY_SLIDE,    /* coordinate that is added to x, or -1 */
  CAP_RING_PULLEY_ROTATION, /* coordinate, or -1: it stands still */
  CAP_RING_PULLEY_BASE,     /* rad/s: it turns at BASE + v */
  CAP_RING_PULLEY_RADIUS,   /* m, at which the ring's centre line would lie without penetration */
  CAP_RING_PULLEY_NORMAL,   /* k, N/m2 */
  CAP_RING_PULLEY_DAMPING,  /* a, s/m */
  CAP_RING_PULLEY_FRICTION, /* mu */
  CAP_RING_PULLEY_SLIP,     /* v, m/s > 0 */
  CAP_RING_PULLEY_NPARAM
};
enum {
  CAP_RING_PULLEY_FX, /* N on the pulley */
  CAP_RING_PULLEY_FY,
  CAP_RING_PULLEY_TORQUE,  /* N m on the pulley, with the travel */
  CAP_RING_PULLEY_PRESSED, /* N: sum of the normal forces */
  CAP_RING_PULLEY_ARC,     /* rad that touch */
  CAP_RING_PULLEY_PEAK,    /* N/m: largest p */
  CAP_RING_PULLEY_GLIDE,   /* m/s: speed of the ring over the rim, mean weighted by p */
  CAP_RING_PULLEY_NOUTPUT
};
/* Mechanisms: lost in the normal damping, lost by slip. */
extern const cap_element_type cap_ring_pulley_type;

/* The contact at `points` points; returns its handle, or -1: out of memory. */
int cap_ring_pulley_add(cap_builder *b, const cap_ring *ring, const char *name, int points,
                        const double par[CAP_RING_PULLEY_NPARAM]);
