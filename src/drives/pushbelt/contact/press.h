/* drives/pushbelt/contact/press.h — an element of a pushbelt presses on the next one: at its rocking edge
 * and at its head.
 *
 * Maths: docs/theory.md §40.2. Bodies have their origin in the middle of their thickness, t (along the belt)
 * and n (outward). The front of i meets the back plane of j, the next one. The rocking edge is an arc of
 * radius rho whose centre lies at (along, height) in i; it begins in the flat front face and ends, after
 * `turn`, in the chamfer below. With delta = pitch_j - pitch_i and psi = -delta held within [0, turn] the
 * point of the arc that comes first is at the angle psi, eta = delta + psi, and
 *   g = (c_i - r_j) . t_j + rho cos eta + back             > 0: penetration, m
 * The head is a point: rho = 0. g has continuous slopes in all six coordinates, and the force F(g / t_loc)
 * (laws/compression.h) acts along them: on both bodies in one line, with the potential t_loc W. Beside it a
 * damper in proportion to the stiffness, N = max(F + damping F' g'/t_loc, 0), and friction mu N v/sqrt(v^2 +
 * v_reg^2) along n_j in the point of contact, at which both bodies are taken as one point.
 *
 * The chain of a whole belt, with true sticking, is another element: drives/pushbelt/contact/push_chain.h.
 */
#pragma once
#include "drives/pushbelt/contact/pose.h"
#include "laws/compression.h"
#include "model/model.h"

/* One of the two places where neighbours touch. */
enum {
  CAP_PRESS_POINT_ALONG,     /* m: centre of the arc, or the point itself, in i */
  CAP_PRESS_POINT_HEIGHT,    /* m */
  CAP_PRESS_POINT_RADIUS,    /* m, 0 = a point */
  CAP_PRESS_POINT_TURN,      /* rad, extent of the arc */
  CAP_PRESS_POINT_BACK,      /* m, from the origin of j to its back plane */
  CAP_PRESS_POINT_THICKNESS, /* m, t_loc: mean of the neighbours there */
  CAP_PRESS_POINT_C,         /* N */
  CAP_PRESS_POINT_XI0,
  CAP_PRESS_POINT_K,
  CAP_PRESS_POINT_NPARAM
};
enum { CAP_PRESS_AT_EDGE, CAP_PRESS_AT_HEAD, CAP_PRESS_POINTS };

/* i and j are the first coordinates of the two bodies, by their poses (drives/pushbelt/contact/pose.h). Its
 * force is the sum of both normal forces. */
enum {
  CAP_PRESS_POSE_I,
  CAP_PRESS_POSE_J = CAP_PRESS_POSE_I + CAP_POSE_NPARAM,
  CAP_PRESS_POINT = CAP_PRESS_POSE_J + CAP_POSE_NPARAM,
  CAP_PRESS_DAMPING = CAP_PRESS_POINT + CAP_PRESS_POINTS * CAP_PRESS_POINT_NPARAM, /* s */
  CAP_PRESS_FRICTION,                                                              /* mu */
  CAP_PRESS_VELOCITY,                                                              /* m/s, v_reg > 0 */
  CAP_PRESS_NPARAM
};
enum {
  CAP_PRESS_EDGE,    /* N */
  CAP_PRESS_HEAD,    /* N */
  CAP_PRESS_EDGE_XI, /* penetration over t_loc; negative: open */
  CAP_PRESS_HEAD_XI,
  CAP_PRESS_FIRST,  /* N: on the first coordinate of i */
  CAP_PRESS_SECOND, /* N: on the first coordinate of j */
  CAP_PRESS_X_I,    /* m: where the bodies are */
  CAP_PRESS_Y_I,
  CAP_PRESS_X_J,
  CAP_PRESS_Y_J,
  CAP_PRESS_NOUTPUT
};
enum { CAP_PRESS_LOSS_DAMPING, CAP_PRESS_LOSS_FRICTION, CAP_PRESS_NLOSS };
extern const cap_element_type cap_press_type;

/* One place of contact as rows, for the laws of model/contact.h: row "normal" is the rate of the gap, row
 * "tangential" the velocity of i over j along n_j. Coordinates: x, y, pitch of i, then of j. The arc is that
 * of the parameters; measures: none. */
enum {
  CAP_PRESS_CONTACT_ALONG, /* m, as of the place above */
  CAP_PRESS_CONTACT_HEIGHT,
  CAP_PRESS_CONTACT_RADIUS,
  CAP_PRESS_CONTACT_TURN, /* rad */
  CAP_PRESS_CONTACT_BACK, /* m */
  CAP_PRESS_CONTACT_NPARAM
};
extern const cap_contact_type cap_press_contact_type;

/* What a chain of elements shows as a whole; one element without forces, whose i is any coordinate. Reads the
 * presses. */
enum {
  CAP_PRESS_GAUGE_EDGE,  /* N, mean over the joints */
  CAP_PRESS_GAUGE_HEAD,  /* N, the same */
  CAP_PRESS_GAUGE_SHARE, /* of the head in all normal forces; 0 without any */
  CAP_PRESS_GAUGE_OPEN,  /* share of the joints whose heads are open */
  CAP_PRESS_GAUGE_LEAST, /* N: least and largest force of a joint */
  CAP_PRESS_GAUGE_MOST,
  CAP_PRESS_GAUGE_NOUTPUT
};
extern const cap_element_type cap_press_gauge_type;
