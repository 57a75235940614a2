/* laws/patch.h — Coulomb friction of an evenly pressed rectangle that slides and spins at once.
 *
 * Maths: docs/theory.md §45.3. A rectangle of the extents 2 A, 2 B (along the first and second direction)
 * slides with (g1, g2) at its middle and spins with Omega; each piece resists its own slip:
 *     W(g1, g2, Omega) = mean of |g + Omega x r| over the rectangle,     forces = limit dW/d(g1, g2, Omega)
 * W is the distance of a pole from the rectangle's points, in the mean, times |Omega|: elementary functions
 * of its corners. It is convex, even in each velocity and homogeneous of degree one, so that power is limit
 * W, and forces that it can have are a convex body (`surface`) whose support it is.
 *
 * The third direction is counted in units of the radius of gyration l, l^2 = (A^2 + B^2)/3: v3 = l Omega, and
 * the third force is the moment over l. Bristles that are spread over the rectangle are as stiff in all
 * three.
 *
 * Far from the pole, |g| > 5 |l Omega|, W is a series up to the sixth power of l Omega/|g| (error 2e-5);
 * closer, the integral itself, whose rounding is some 1e-13.
 *
 * The functions are straight-line code over lanes for kernels (laws/pow.h has the rule), and lanes do not
 * influence each other: one contact alone has the same bits as in company.
 */
#pragma once

enum { CAPM_PATCH_ORDERS = 3, CAPM_PATCH_TERMS = 4, CAPM_PATCH_LANES = 8, CAPM_PATCH_MANY = 64 };

typedef struct capm_patch {
  double gyration; /* m, l; 0: a point, which does not resist spin */
  double half[2];  /* A/l, B/l */
  double per_area; /* l^2/(4 A B) */
  double pure;     /* limit of pure spin: moment over l and over the limit of the force */
  double inside,
      outside; /* the surface lies between ellipsoids with these half axes (in all, pure times it) */
  double series[CAPM_PATCH_ORDERS][CAPM_PATCH_TERMS]; /* of (l Omega/|g|)^2 and powers, of (g2/|g|)^2 */
} capm_patch;

/* A rectangle; of a line (one extent is 0) a narrow one of a thousandth. Both 0: a point. */
capm_patch capm_patch_of(double length, double breadth);

/* Derivatives of W: n to v, H to v twice (11, 22, 33, 12, 13, 23). */
typedef struct capm_patch_slope {
  double n[3], H[6];
} capm_patch_slope;

/* One contact: W, and its derivatives where `slope` is not NULL. At v = 0 the derivatives are 0. */
double capm_patch_power(const capm_patch *p, const double v[3], capm_patch_slope *slope);

/* ---- bristles ------------------------------------------------------------------------------------------ */

/* Contacts at a time, in whole vectors; directions 1, 2 and spin over the radius of gyration. */
typedef double capm_patch_lanes[CAPM_PATCH_MANY];

/* The force of bristles whose force would be `trial` if they stuck: the nearest one that the surface has,
 * limit n(v) + v = trial with the slip v of the step (times stiffness), by Newton's method from `slip`, a
 * guess at v, until its direction changes by less than 0.05: forces are then within 3 % of the surface (one
 * in 3000 of random ones is not), and as v does not change in steady slip, they come to it exactly there.
 * slides: 1, or 0 where trial itself is allowed. count: a multiple of CAPM_PATCH_LANES. */
void capm_patch_return(const capm_patch *p, int count, const capm_patch_lanes *trial,
                       const capm_patch_lanes *slip, const double *limit, capm_patch_lanes *force,
                       double *slides);
