/* drives/pushbelt/ring/ring_mesh.h — nodes along a ring: which element a place lies in, and meshes that are
 * finer where the curvature jumps.
 *
 * Maths: docs/theory.md §46.4. A ring over two pulleys bends within sqrt(EI/T), some 2 mm, where it runs on
 * and off; elements of more than 4 mm there make its tension waver. Along the reference curve of `ale` these
 * places stand still, so that a few fine elements there do. Nodes of material (rcm, ancf) go through all
 * places: their meshes are even.
 */
#pragma once
#include "base/arena.h"
#include "base/whole.h"
#include <stdbool.h>

typedef struct cap_ring_mesh {
  int n;                               /* elements */
  const double *node, *size, *inverse; /* [n + 1], [n], [n] m, m, 1/m */
  int nbin;
  double per_bin; /* 1/m */
  const int *bin; /* [nbin + 1] element in which a bin begins; no bin has more than one node in it */
} cap_ring_mesh;

/* From the places of the nodes, node[n + 1] ascending from 0 to the length, which stay where they are. false:
 * out of memory. */
bool cap_ring_mesh_create(cap_ring_mesh *mesh, int n, const double *node, cap_arena *arena);

static inline int cap_ring_mesh_find(const cap_ring_mesh *m, double xi)
{
  int e = m->bin[capm_whole_between(xi * m->per_bin, 0, m->nbin)];
  return e + (xi >= m->node[e + 1] ? 1 : 0);
}

/* What a graded mesh is to be. */
typedef struct cap_ring_mesh_grade {
  double length, centre_distance, theta; /* as of cap_ring_shape */
  int nodes;
  double finest; /* m, spacing at the jumps of the curvature */
  double within; /* m, as far from them it stays so: how far they may move, beside the layer itself */
} cap_ring_mesh_grade;

/* The smallest number of nodes of such a mesh: its spacings grow as steeply as they may. */
int cap_ring_mesh_fewest(const cap_ring_mesh_grade *grade);
/* Nodes that suffice for the finest spacing, and the finest spacing for which the nodes suffice, with
 * spacings that grow a little less steeply than they may. */
int cap_ring_mesh_fair(const cap_ring_mesh_grade *grade);
double cap_ring_mesh_finest(const cap_ring_mesh_grade *grade);
/* Places mesh[nodes] for cap_ring_shape.mesh: spacings of `finest` near the four jumps, growing in proportion
 * to the distance from there, as fast as the number of nodes demands; even where it suffices for that. NULL,
 * or why there is none. */
const char *cap_ring_mesh_graded(const cap_ring_mesh_grade *grade, double *mesh);
