/* drives/pushbelt/contact/maxwell_element.h — flanks of elements that run through the arc of a pulley, as
 * force elements.
 *
 * Maths:   docs/theory.md §33.4
 *
 * One force element a flank pair, all of one pulley together: they share the sheaves, so that their forces
 * come from one solution (maxwell.h). Coordinate i is the closing z of the loose sheave (m, positive towards
 * the fixed one), j = CAP_GROUND; the elements themselves move as prescribed: element k of n is at the angle
 *   theta = (k pitch + speed t) mod (n pitch) - margin
 * from the entry of the arc, on the radius r(theta) between 0 and the wrap, and on the straight lines that
 * go on from its ends beyond. Its flanks overlap with the groove by p = z + 2 tan(beta) (reference - r).
 *
 * All elements of the type are those of one pulley, which is the body (cap_builder_body) of the first. In a
 * model of one lane. With cap_eval.warm the solution starts from the last one.
 */
#pragma once
#include "drives/pushbelt/contact/maxwell.h"
#include "model/model.h"

enum { CAP_MAXWELL_ELEMENT_MOST = 640 }; /* flank pairs of a pulley */

typedef struct cap_maxwell_course {
  double slope;         /* tan of the half wedge angle */
  double speed, wrap;   /* rad/s, rad */
  double pitch, margin; /* rad: between two elements; of what is computed before and behind the arc */
  double reference;     /* m */
  double compliance;    /* m/N of one flank */
  int npoint;           /* of the radius over the angle from the entry, a cubic spline */
  const double *at, *r, *slopes; /* [npoint] rad, m, m/rad */
} cap_maxwell_course;

/* A pulley with what runs through it; constant. */
typedef struct cap_maxwell_pulley {
  cap_maxwell sheaves;
  cap_maxwell_course course;
} cap_maxwell_pulley;

/* What an element shows. */
enum {
  CAP_MAXWELL_ELEMENT_LOOSE, /* N, axial force on the loose sheave */
  CAP_MAXWELL_ELEMENT_FIXED,
  CAP_MAXWELL_ELEMENT_ANGLE,      /* rad from the entry of the arc */
  CAP_MAXWELL_ELEMENT_RADIUS,     /* m */
  CAP_MAXWELL_ELEMENT_OVERLAP,    /* m: p */
  CAP_MAXWELL_ELEMENT_DEFLECTION, /* m: of both sheaves together */
  CAP_MAXWELL_ELEMENT_ITERATIONS, /* of the solution, the same for all */
  CAP_MAXWELL_ELEMENT_NOUTPUT
};

extern const cap_element_type cap_maxwell_element_type;      /* by amplitudes */
extern const cap_element_type cap_maxwell_element_full_type; /* on all forces: tables, Lemke */

/* Force on the loose sheave of `count` elements at the time t and the closing z, for what looks for a state
 * of rest; NAN: no solution, or out of memory. */
double cap_maxwell_element_force(const cap_maxwell_pulley *pulley, int count, double t, double z);

/* What all flanks of a pulley amount to; no force. One element, whose body is the pulley too, reads
 * (cap_builder_reads) those above. */
enum {
  CAP_MAXWELL_GAUGE_LOOSE, /* N: sum of the axial forces on the loose sheave */
  CAP_MAXWELL_GAUGE_FIXED,
  CAP_MAXWELL_GAUGE_LARGEST,  /* N: of one flank */
  CAP_MAXWELL_GAUGE_LEAST,    /* N: of one flank that touches within the arc; 0: one does not */
  CAP_MAXWELL_GAUGE_TOUCHING, /* element flanks that touch, both sheaves counted */
  CAP_MAXWELL_GAUGE_TILT,     /* rad: equivalent Sattler tilt: that of the plane which fits the deflection
                               * over the arc best */
  CAP_MAXWELL_GAUGE_CENTRE,   /* rad from the entry: where that opens most */
  CAP_MAXWELL_GAUGE_PLATE,    /* m: half of the range of what the deflection has beside that plane */
  CAP_MAXWELL_GAUGE_SPIRAL,   /* m: range of the deflection over the arc, as a radius */
  CAP_MAXWELL_GAUGE_ITERATIONS,
  CAP_MAXWELL_GAUGE_NOUTPUT
};
extern const cap_element_type cap_maxwell_gauge_type;
