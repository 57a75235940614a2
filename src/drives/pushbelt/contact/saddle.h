/* drives/pushbelt/contact/saddle.h — saddle and ear of a planar element against a ring
 * (drives/pushbelt/ring/ring.h).
 *
 * Maths: docs/theory.md §41.3. A point p of the element (x, y, pitch) faces the ring's centre line at its
 * nearest point r(xi), tangent t, outward normal n: p = r + d n. The saddle (side +1) presses from inside on
 * the inner surface, the ear (side -1) from outside on the outer one, both half the pack's thickness away:
 *     gap = -side d - h/2      gap' = side n.(r' - p')      slide = t.(p' - r') + d Omega
 * r' is the velocity of the material of the centre line, Omega the rate of its section's angle: the surface
 * moves with the section, by the lever d = -side (h/2 + gap). So both bodies are looked at in one point,
 * forces on them are equal and opposite there, and turning together is no sliding.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"

enum { CAP_SADDLE_ROWS = 2, CAP_SADDLE_COORDS = CAP_RING_COORDS + 3 };

/* A point of an element against its ring. */
typedef struct cap_saddle_point {
  const cap_ring *ring;
  int coord[3];      /* x, y, pitch */
  double a[2];       /* m, the point in body axes */
  double side;       /* +1 saddle, -1 ear */
  double half_thick; /* m, of the ring's pack */
} cap_saddle_point;

/* Where it is. */
typedef struct cap_saddle_place {
  double arm[2], place[2]; /* m, from the element's centre; in the world */
  double n[2], d, gap;     /* outward normal; m; m, > 0 open */
  double xi;
  cap_ring_point on;
} cap_saddle_place;

/* hint: of the last time, 0 = none, and of this one when it returns; NULL = none and not wanted. Without a
 * hint the ring is searched all around. */
void cap_saddle_find(const cap_saddle_point *point, const double *q, double *hint, cap_saddle_place *at);
/* Velocities of the rows: gap's rate, sliding of the element over the ring. */
void cap_saddle_velocity(const cap_saddle_point *point, const cap_saddle_place *at, const double *v,
                         double g[CAP_SADDLE_ROWS]);
/* h += J' f: f[0] presses both apart, f[1] acts on the element along t and on the ring against it. */
void cap_saddle_push(const cap_saddle_point *point, const cap_saddle_place *at,
                     const double f[CAP_SADDLE_ROWS], double *h);
/* The same as rows over the coordinates that move either; returns their number. */
int cap_saddle_jacobian(const cap_saddle_point *point, const cap_saddle_place *at,
                        int coord[CAP_SADDLE_COORDS], double J[CAP_SADDLE_ROWS][CAP_SADDLE_COORDS]);

/* Smooth force element. Its body (cap_builder_body) is the cap_ring; coordinate i is the element's x.
 * Normal force k iota depth max(0, 1 + damping depth'), friction by the stick law of laws/stick.h, whose
 * deflection is its inner state. Its force is the normal force; outputs: gap, sliding speed, friction on the
 * element along t, xi. Derivatives to positions are central differences, those to velocities and deflection
 * exact. Mechanisms: damping, slip. With cap_eval.warm the search starts from the last xi, else all
 * around. */
enum {
  CAP_SADDLE_Y, /* coordinates, as numbers */
  CAP_SADDLE_PITCH,
  CAP_SADDLE_AX, /* m */
  CAP_SADDLE_AY,
  CAP_SADDLE_SIDE,
  CAP_SADDLE_THICKNESS, /* m, of the pack */
  CAP_SADDLE_STIFFNESS, /* N/m of one real element */
  CAP_SADDLE_IOTA,      /* real elements that it stands for */
  CAP_SADDLE_DAMPING,   /* s/m */
  CAP_SADDLE_STICK,     /* N/m, tangential, of one real element */
  CAP_SADDLE_STICK_DAMPING,
  CAP_SADDLE_MU_STATIC,
  CAP_SADDLE_MU_KINETIC,
  CAP_SADDLE_V_STRIBECK, /* m/s */
  CAP_SADDLE_WIDTH,      /* of the passage from stick to slip, part of the limit */
  CAP_SADDLE_NPARAM
};
enum { CAP_SADDLE_GAP, CAP_SADDLE_SLIDE, CAP_SADDLE_FRICTION, CAP_SADDLE_XI, CAP_SADDLE_NOUTPUT };
extern const cap_element_type cap_saddle_type;

/* The same contact for the laws of model/contact.h. Coordinates: x, y, pitch of the element, then anything
 * (they move with the ring's point); body (cap_builder_contact_body): the cap_ring. Rows "normal",
 * "tangential". Measures: xi, distance d of the point from the centre line. Derivatives are differences. */
enum {
  CAP_SADDLE_CONTACT_AX,
  CAP_SADDLE_CONTACT_AY,
  CAP_SADDLE_CONTACT_SIDE,
  CAP_SADDLE_CONTACT_THICKNESS,
  CAP_SADDLE_CONTACT_NPARAM
};
extern const cap_contact_type cap_saddle_contact_type;
