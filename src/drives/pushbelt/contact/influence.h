/* drives/pushbelt/contact/influence.h — the compliance of a sheave: axial displacement at one point by an
 * axial force at another.
 *
 * Maths:   docs/theory.md §33.2
 *
 * Maxwell's influence numbers of one sheave, C(r, phi; r0, phi0) in m/N. Either functions, a tilt of the
 * whole sheave and cantilever-plate harmonics of it, each with a coefficient >= 0,
 *   C = k_t r r0 cos(phi - phi0) + sum_m c_m g(r) g(r0) cos m (phi - phi0),
 *   g = x^2 (3 - x) / 2,  x = (r - inner) / (outer - inner), not below 0,
 * or a table over r, r0 and the angle between. All coefficients zero and no table: a rigid sheave. Every one
 * of them is symmetric and depends on the difference of the angles only.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>

enum {
  CAP_INFLUENCE_HARMONICS = 6,                                   /* m = 0 to 5 */
  CAP_INFLUENCE_FUNCTIONS = 2 + 2 * CAP_INFLUENCE_HARMONICS - 1, /* of one sheave, at most */
  CAP_INFLUENCE_GRID = 512                                       /* radii, and angles, of a table, at most */
};

/* value[(i * nr + j) * nangle + k]: at r[i], loaded at r[j], angle[k] between; linear in between, which keeps
 * what is positive definite so. Beyond the ends of r the value at the end; angle from 0 to pi. */
typedef struct cap_influence_table {
  int nr, nangle;
  const double *r, *angle; /* m, rad, ascending; angles evenly from 0 to pi */
  const double *value;     /* m/N */
  double asymmetry;        /* of what was given, relative to its largest value; it was made symmetric */
  double least;            /* smallest eigenvalue over the largest; below 0: not positive semidefinite */
} cap_influence_table;

typedef struct cap_influence {
  double tilt;                           /* k_t, rad/(N m) */
  double plate[CAP_INFLUENCE_HARMONICS]; /* c_m, m/N */
  double inner, outer;                   /* m */
  const cap_influence_table *table;      /* NULL: by functions */
} cap_influence;

/* m/N: at (r, phi), loaded at (r0, phi0). */
double cap_influence_at(const cap_influence *c, double r, double phi, double r0, double phi0);

/* Its derivative with r, (m/N)/m. */
double cap_influence_slope(const cap_influence *c, double r, double phi, double r0, double phi0);

/* Its derivative with phi, (m/N)/rad. */
double cap_influence_turn(const cap_influence *c, double r, double phi, double r0, double phi0);

/* Number of functions that the sum of both takes; b may be NULL. Of a table there are none. */
int cap_influence_count(const cap_influence *a, const cap_influence *b);
/* What the functions are at n contacts: psi[k][stride], times the root of their coefficients, so that the
 * influence is the sum of products psi[k][i] psi[k][j]. b as above; same radii. */
void cap_influence_functions(const cap_influence *a, const cap_influence *b, int n, const double *r,
                             const double *cosine, const double *sine, int stride, double *psi);
/* The derivatives of the functions of one sheave with r. */
void cap_influence_slopes(const cap_influence *c, int n, const double *r, const double *cosine,
                          const double *sine, int stride, double *slopes);
/* C[n][n] += the influence between n contacts. */
void cap_influence_add(const cap_influence *c, int n, const double *r, const double *phi, double *C);

/* A table from n rows (r, r0, angle, value) in any order that fill a regular grid; angle is taken between 0
 * and pi, both ends must be there and the steps even; rows that tell the same point are averaged. Memory from
 * the arena. CAP_ERR_INPUT with the reason in `error`. */
cap_status cap_influence_table_make(cap_arena *arena, int n, const double *r, const double *r0,
                                    const double *angle, const double *value, cap_influence_table **table,
                                    cap_error *error);
