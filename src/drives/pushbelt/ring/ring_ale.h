/* drives/pushbelt/ring/ring_ale.h — the parts of the `ale` ring: a curve that material flows along.
 *
 * Maths: docs/theory.md §34. Place of the material that is at xi now:
 *     r(xi, t) = r_ref(xi, Theta) + S(xi) q_f,        velocity  v = r' s' + r_Theta Theta' + S q_f'
 * S are cubic Hermite functions between nodes fixed in xi: place and slope of each node, both directions, of
 * which the place of node 0 is locked (else s and Theta would be there twice; when both are locked it is
 * free). Coordinates of the model: s, Theta (unless locked), then nodes 1 .. n - 1 (x, y, x', y' each), then
 * x', y' of node 0.
 *
 * Where a joint of the reference curve (arc to strand) lies inside an element its integrals are split there.
 * All forces are Lagrange's equations of T and V (ring_ale_element.h).
 */
#pragma once
#include "drives/pushbelt/ring/ring_crowd.h"
#include "drives/pushbelt/ring/ring_reference.h"
#include "linalg/band.h"

enum { CAP_RING_ALE_LOCAL = 8 }; /* of an element: both ends, place and slope, x and y */

typedef struct cap_ring_ale {
  cap_ring ring; /* first */
  cap_ring_reference ref;
  double gain;        /* length over free length: strain = gain |r'| - 1 */
  bool document;      /* curvature by (2.18) */
  bool released;      /* node 0 moves like the others, s and Theta being locked both */
  int travel, ratio;  /* coordinates of s and Theta in the model, or -1: locked */
  double theta;       /* where it is locked */
  int n;              /* nodes, elements */
  const double *node; /* [n + 1] their places; the last is the length */
  cap_ring_mesh mesh; /* the same */
  const double *size; /* [n] lengths of the elements */
  int deform;         /* first coordinate of q_f in the model */
  bool even;          /* all elements are of the same length */
  bool coarse;        /* so coarse that the kinetic energy needs more points */
  capm_band mass;     /* of q_f, alike in x and y: 2 (n - 1) rows and that of the slope of node 0 */
} cap_ring_ale;

/* Numbers that the coordinates and velocities of the model mean for a ring. */
double cap_ring_ale_theta(const cap_ring_ale *a, const double *q);
double cap_ring_ale_speed(const cap_ring_ale *a, const double *v, double *theta_speed);
/* q_f (or q_f') of a node 0 .. n: x, y, x', y'; of element e: both its ends. */
void cap_ring_ale_node(const cap_ring_ale *a, const double *q, int node, double value[4]);
void cap_ring_ale_local(const cap_ring_ale *a, const double *q, int e, double local[CAP_RING_ALE_LOCAL]);
/* Coordinate of the model of its local number k, or -1: locked. */
int cap_ring_ale_coordinate(const cap_ring_ale *a, int e, int k);
/* Faults of a shape for both models that have a reference curve. */
cap_ring_fault cap_ring_ale_obstacle(const cap_ring_shape *shape);
/* The element with xi in [0, length). */
int cap_ring_ale_find(const cap_ring_ale *a, double xi);

extern const cap_inertia_type cap_ring_ale_inertia_type; /* ring_ale_inertia.c */
/* Its border at q: M of q_f with s and Theta, border[rows][4] (x, y of s, x, y of Theta), and their own,
 * own[3] (M_ss, M_sT, M_TT). What is locked has the mass 1 and no coupling. */
void cap_ring_ale_inertia_border(const cap_ring_ale *a, const double *q, double *border, double own[3]);
extern const cap_inertia_stiff cap_ring_ale_stiff;       /* ring_ale_stiff.c */
extern const cap_inertia_chain cap_ring_ale_stiff_chain; /* the same file */
extern const cap_element_type cap_ring_ale_force_type;   /* ring_ale_force.c */

/* Derivative of the forces along columns, added to e->dh; ring_ale_tangent.c. false: out of memory. */
void cap_ring_ale_tangent_add(const cap_ring_ale *a, cap_eval *e);

/* What the force elements of both models show beside the gauges (ring_gauge.h), J. */
enum {
  CAP_RING_ALE_TENSION_ENERGY,
  CAP_RING_ALE_BENDING_ENERGY,
  CAP_RING_ALE_KINETIC_ENERGY,
  CAP_RING_ALE_NOUTPUT
};
/* Their channels, those of travel and ratio (coordinates, or -1), and those of the gauges. false: out of
 * memory. */
bool cap_ring_ale_channels(cap_builder *b, const cap_ring *ring, const cap_ring_shape *shape, int travel,
                           int ratio);

/* Energies, J: tension, bending, motion; and the power lost to damping, W. By the points of each element. */
typedef struct cap_ring_ale_energies {
  double tension, bending, kinetic, lost;
} cap_ring_ale_energies;
cap_ring_ale_energies cap_ring_ale_force_energies(const cap_ring_ale *a, const double *q, const double *v);
/* h += forces; returns the power lost to damping. */
double cap_ring_ale_force_add(const cap_ring_ale *a, const double *q, const double *v, double *h);
/* h += forces, all elements by the way that is made for those cut by a joint: slower, the same. */
void cap_ring_ale_force_plain(const cap_ring_ale *a, const double *q, const double *v, double *h);

/* ring_ale_fast.c: elements that no joint cuts, many at once. Exact curvature, meshes that are not coarse, a
 * finite frame. They add to h (of the whole model) or to border[rows][4] (x, y of s, x, y of Theta), list the
 * elements that are left to do, and return their number. */
typedef struct cap_ring_ale_fast_sums {
  double s, theta, lost; /* h_s, h_Theta, power lost; of the border M_ss, M_sT, M_TT */
} cap_ring_ale_fast_sums;
int cap_ring_ale_fast_forces(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, const double *v,
                             double *h, cap_ring_ale_fast_sums *sums, int cut[CAP_RING_PARTS]);
int cap_ring_ale_fast_border(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, double *border,
                             cap_ring_ale_fast_sums *sums, int cut[CAP_RING_PARTS]);

/* ring_ale_cut.c: those that are left, `cut` of n; added to the sums. */
void cap_ring_ale_cut_forces(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, const double *v,
                             int n, const int *cut, double *h, cap_ring_ale_fast_sums *sums);
void cap_ring_ale_cut_border(const cap_ring_ale *a, const cap_ring_frame *f, const double *q, int n,
                             const int *cut, double *border, cap_ring_ale_fast_sums *sums);

/* ring_ale_vary.c */
void cap_ring_ale_vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride,
                       double dr[2], double dJ[2][CAP_RING_COORDS]);

/* ring_ale_search.c: cap_ring_nearest_all of a ring on an even mesh, and of the reference curve alone; xi in
 * [0, length). false: has to go the general way. */
bool cap_ring_ale_search_all(const cap_ring_ale *a, const double *q, int n, const double (*places)[2],
                             double *xi);
bool cap_ring_ale_search_reference(const cap_ring *ring, const cap_ring_reference *ref, double theta,
                                   const double *q, int n, const double (*places)[2], double *xi);
