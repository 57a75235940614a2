/* drives/accessory/belt/belt_modes.h — free vibration of a belt drive about steady running: pulleys, arm,
 * and the spans as moving strings or beams.
 *
 * Maths:   docs/theory.md §26 (theta, psi, q, t, v, b, e as there)
 * Reads:   drives/accessory/belt/belt.h, the path of drives/accessory/belt/belt_path.h, tensions of
 *          drives/accessory/belt/belt_statics.h.
 * Cost:    two eigenproblems of npulley + 1 + terms unknowns for each span that ends on the arm or a hub, and
 *          a small one for each other span, which vibrates by itself.
 *
 * Unknowns, in this order: rotation of each pulley (positive: belt forwards), arm angle (m of a linear
 * tensioner), then `terms` sine amplitudes of each span, then the rotations of the shafts behind clutches
 * (engaged, theory §31), which count as pulleys, then the coordinates of each hub. Their equations are
 * M q'' + (G + D) q' + K q = 0.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include "drives/accessory/belt/belt_statics.h"

enum { CAP_BELT_MODES_TERMS = 64 }; /* most sine terms of a span */

typedef struct cap_belt_modes_case {
  const cap_belt *belt;
  const cap_belt_path *path;
  double tension[CAP_BELT_PATH_MOST]; /* N, effective tension t of each span */
  double slope[CAP_BELT_PATH_MOST]; /* N m s/rad: by how much the load of each pulley grows with its speed */
  double speed;                     /* m/s of the belt */
  int terms;         /* of each span; 0: massless spans, the rotational modes (arm included) alone */
  bool held;         /* the crank does not take part; else it is free and one mode is rigid */
  bool clamped;      /* spans with bending stiffness as beams with clamped ends, not pinned ones */
  bool no_geometric; /* leave out the geometric stiffness of the arm: for comparison with such models */
} cap_belt_modes_case;

/* Parts of a drive between which a mode is shared; the last one, in a drive with hubs, is all hubs. */
enum { CAP_BELT_MODES_PULLEYS, CAP_BELT_MODES_ARM, CAP_BELT_MODES_SPANS /* span k: + k */ };

typedef struct cap_belt_modes {
  int n;                 /* unknowns, those included that are held or absent (without mass) */
  int nmode, npart;      /* modes that oscillate, and the rigid one; npart: cap_belt_modes_parts */
  double *M, *G, *D, *K; /* [n][n] */
  double *frequency;     /* [nmode] Hz, ascending; exactly 0 for the rigid mode */
  double *ratio;         /* [nmode] damping ratio */
  double *share;         /* [nmode][npart] of M_ii |q_i|^2; together 1 */
  double *re, *im;       /* [nmode][n] shape: sum of M_ii |q_i|^2 = 1, real where that is largest */
  double growth;         /* 1/s: largest real part of all eigenvalues; above 0: unstable */
  cap_arena arena;
} cap_belt_modes;

/* Numbers of unknowns and of parts. */
int cap_belt_modes_unknowns(const cap_belt *belt, int terms);
int cap_belt_modes_parts(const cap_belt *belt);

/* Case of a steady running: tensions, speed and path of `s` (which must outlive it), slopes of the loads. */
cap_belt_modes_case cap_belt_modes_about(const cap_belt *belt, const cap_belt_statics *s, int terms);

/* CAP_ERR_INPUT: inertia or mass missing, a slack span. Free `modes` in any case. */
cap_status cap_belt_modes_solve(const cap_belt_modes_case *c, cap_belt_modes *modes, cap_error *error);
void cap_belt_modes_free(cap_belt_modes *modes);
