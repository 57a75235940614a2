/* drives/pushbelt/ring/ring_crowd.h — many contacts on a ring at once: where they are on it, how it moves
 * there, pushing.
 *
 * Maths: docs/theory.md §46.1. Points of a ring, whatever its model, are
 *     r = [reference curve of `ale`, `ale0`] + cubics between nodes with place and slope [all but `ale0`],
 * so that one kernel serves all models; they only load their nodes and take the nodes' forces. Contacts are
 * worked on in groups that fit into the nearest cache, eight in a vector register:
 *     cap_ring_crowd_open;
 *     of each group: cap_ring_crowd_meet, a law, cap_ring_crowd_push;
 *     cap_ring_crowd_close.
 * The bits do not depend on the width of the registers.
 *
 * Cost: `ale` 14 ns a contact to meet and push, AVX-512.
 */
#pragma once
#include "drives/pushbelt/ring/ring.h"
#include "drives/pushbelt/ring/ring_mesh.h"
#include "drives/pushbelt/ring/ring_reference.h"

enum { CAP_RING_CROWD_GROUP = 64, CAP_RING_CROWD_NODES = 512 }; /* nodes: of larger rings one by one */
enum { CAP_RING_CROWD_ROW = 8, CAP_RING_CROWD_SUMS = 4 };

/* What a model loads. */
typedef struct cap_ring_crowd_curve {
  const cap_ring_mesh *mesh;
  bool curved, noded;   /* with a reference curve; with nodes */
  cap_ring_frame frame; /* of the reference curve */
  double length, distance;
  double speed, theta_speed; /* of travel and ratio */
  int block;                 /* of node 0 in the chain of blocks that the ring is (cap_inertia_chain) */
  bool pinned;               /* the place of node 0 is locked */
} cap_ring_crowd_curve;

/* Some 100 kB, of which as much is used as the ring has nodes; on the stack. */
typedef struct cap_ring_crowd {
  const cap_ring *ring;
  const double *q, *v;
  bool alone; /* the model knows no crowds: one by one */
  cap_ring_crowd_curve curve;
  double along[CAP_RING_CROWD_ROW], ratio[CAP_RING_CROWD_ROW]; /* forces of travel and ratio */
  double *h;                                                   /* where pushes one by one go */
  /* x, y, x', y' of the nodes, and of their velocities; the first again at the end */
  _Alignas(64) double node[CAP_RING_CROWD_NODES + 1][CAP_RING_CROWD_ROW];
  /* forces on both nodes of an element */
  _Alignas(64) double sum[CAP_RING_CROWD_SUMS][CAP_RING_CROWD_NODES][CAP_RING_CROWD_ROW];
} cap_ring_crowd;

/* Contacts of a group: n of them, but there is room for whole vectors. */
typedef struct cap_ring_group {
  int n;
  /* in: places; xi in [0, length) from where they are searched */
  _Alignas(64) double px[CAP_RING_CROWD_GROUP], py[CAP_RING_CROWD_GROUP], xi[CAP_RING_CROWD_GROUP];
  /* out: xi; tangent; distance along the outward normal (-ty, tx); velocity of the material, rate of its
   * section's angle; acceleration outward that flow along the curve is (curvature speed^2, negative of what
   * the material has): m/s2, 0 for material nodes */
  double tx[CAP_RING_CROWD_GROUP], ty[CAP_RING_CROWD_GROUP], d[CAP_RING_CROWD_GROUP];
  double ux[CAP_RING_CROWD_GROUP], uy[CAP_RING_CROWD_GROUP], turn[CAP_RING_CROWD_GROUP];
  double bend[CAP_RING_CROWD_GROUP];
  /* in, for pushing: force and moment on the ring */
  double fx[CAP_RING_CROWD_GROUP], fy[CAP_RING_CROWD_GROUP], moment[CAP_RING_CROWD_GROUP];
  /* its own */
  double share[CAP_RING_CROWD_GROUP], size[CAP_RING_CROWD_GROUP], inverse[CAP_RING_CROWD_GROUP];
  double per[CAP_RING_CROWD_GROUP], swing[CAP_RING_CROWD_GROUP], swing_ratio[CAP_RING_CROWD_GROUP];
  double rx[CAP_RING_CROWD_GROUP], ry[CAP_RING_CROWD_GROUP]; /* r_Theta */
  double stretch[CAP_RING_CROWD_GROUP];
  int element[CAP_RING_CROWD_GROUP];
} cap_ring_group;

/* Nodes and reference curve of now. q, v: of the whole model. h: where pushes go, or NULL: none. */
void cap_ring_crowd_open(cap_ring_crowd *c, const cap_ring *ring, const double *q, const double *v,
                         double *h);
/* The points nearest to the places, by Newton's method from xi: one step if that is no longer than 1 um. */
void cap_ring_crowd_meet(cap_ring_crowd *c, cap_ring_group *g);
/* Forces and moments of the group on the ring. */
void cap_ring_crowd_push(cap_ring_crowd *c, cap_ring_group *g);
/* What the forces and moments of the group, each by itself, push: row[][8] both blocks of a link of the chain
 * (cap_inertia_chain), link, and the one after it, the last's being the first; travel and ratio. Nothing is
 * pushed. All arrays have room for whole vectors of eight. false: the model knows no crowds. */
bool cap_ring_crowd_rows(const cap_ring_crowd *c, cap_ring_group *g, int *link,
                         double (*row)[CAP_RING_CROWD_ROW], double *travel, double *ratio);
/* h += what all groups pushed. */
void cap_ring_crowd_close(cap_ring_crowd *c);
/* Where along the ring n places near it are, roughly, all around: starts for searches. */
void cap_ring_crowd_scan(const cap_ring *ring, const double *q, int n, const double *px, const double *py,
                         double *xi);
