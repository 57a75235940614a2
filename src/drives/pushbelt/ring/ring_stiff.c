/* drives/pushbelt/ring/ring_stiff.c — see ring_stiff.h. */
#include "drives/pushbelt/ring/ring_stiff.h"
#include "base/clones.h"

#include <math.h>
#include <string.h>

enum { LOCAL = 8, PULLS = 3, BENDS = 2, NODE = 4, MATRIX = CAPM_BLOCKS_MATRIX };

int cap_ring_stiff_nwork(int n)
{
  return capm_blocks_nwork(n) + 2 * n * MATRIX;
}

capm_blocks cap_ring_stiff_whole(int n, double *memory)
{
  return capm_blocks_on(n, memory);
}

capm_blocks cap_ring_stiff_added(int n, double *memory)
{
  double *at = memory + capm_blocks_nwork(n);
  return (capm_blocks){.n = n, .diagonal = at, .lower = at + n * MATRIX};
}

typedef double line __attribute__((vector_size(64)));

/* Matrices of an element over the 8 values of its ends. */
typedef struct element {
  line K[LOCAL], M[LOCAL];
} element;

/* Slopes of the four Hermite functions, and their second derivatives, at x of an element of length l. */
CAP_INLINE void hermite(double x, double l, double first[4], double second[4])
{
  double y = 1.0 - x, i = 1.0 / l;
  first[0] = -6.0 * i * x * y;
  first[1] = y * (1.0 - 3.0 * x);
  first[2] = 6.0 * i * x * y;
  first[3] = -x * (3.0 * y - 1.0);
  second[0] = i * i * (12.0 * x - 6.0);
  second[1] = i * (6.0 * x - 4.0);
  second[2] = -second[0];
  second[3] = i * (6.0 * x - 2.0);
}

CAP_INLINE void blend(const double n[4], const double *a, const double *b, double out[2])
{
  for (int i = 0; i < 2; i++) out[i] = n[0] * a[i] + n[1] * a[2 + i] + n[2] * b[i] + n[3] * b[2 + i];
}

CAP_INLINE void add_square(element *e, double weight, const line *g)
{
  for (int k = 0; k < LOCAL; k++) e->K[k] += (weight * (*g)[k]) * *g;
}

static const double turn = 0.05; /* rad, of a section while K stays as it is */

/* Simpson's points for stretch and tension, Gauss's for the curvature. */
CAP_INLINE void add_stiffness(const cap_ring_stiff *r, const double *a, const double *b, double l, element *e)
{
  static const double pull_at[PULLS] = {0.0, 0.5, 1.0}, pull[PULLS] = {1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0};
  static const double bend_at[BENDS] = {0.21132486540518711775, 0.78867513459481288225};
  for (int p = 0; p < PULLS; p++) {
    double n1[4], n2[4], r1[2];
    hermite(pull_at[p], l, n1, n2);
    blend(n1, a, b, r1);
    double size = sqrt(r1[0] * r1[0] + r1[1] * r1[1]), x = r1[0] / size, y = r1[1] / size;
    line g = {n1[0] * x, n1[0] * y, n1[1] * x, n1[1] * y, n1[2] * x, n1[2] * y, n1[3] * x, n1[3] * y};
    line across = {-g[1], g[0], -g[3], g[2], -g[5], g[4], -g[7], g[6]};
    double tension = r->EA * fmax(size - 1.0 / r->gain, 0.0);
    add_square(e, r->share * r->EA * l * pull[p], &g);
    add_square(e, (r->share * tension / size + r->drag * r->EA * turn * turn) * l * pull[p], &across);
  }
  for (int p = 0; p < BENDS; p++) {
    double n1[4], n2[4], r1[2], r2[2];
    hermite(bend_at[p], l, n1, n2);
    blend(n1, a, b, r1);
    blend(n2, a, b, r2);
    double i2 = 1.0 / (r1[0] * r1[0] + r1[1] * r1[1]), k = (r1[0] * r2[1] - r1[1] * r2[0]) * i2;
    double A[2] = {(r2[1] - 2.0 * k * r1[0]) * i2, (-r2[0] - 2.0 * k * r1[1]) * i2};
    double B[2] = {-r1[1] * i2, r1[0] * i2};
    line g;
    for (int j = 0; j < LOCAL; j++) g[j] = n1[j / 2] * A[j % 2] + n2[j / 2] * B[j % 2];
    add_square(e, r->share * r->EI * l * 0.5, &g);
  }
}

CAP_INLINE void add_mass(double rho, double l, element *e)
{
  const double unit = rho * l / 420.0, a = 22.0 * l, b = 13.0 * l, c = 4.0 * l * l, d = 3.0 * l * l;
  const double table[4][4] = {{156.0, a, 54.0, -b}, {a, c, b, -d}, {54.0, b, 156.0, -a}, {-b, -d, -a, c}};
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int axis = 0; axis < 2; axis++) e->M[2 * i + axis][2 * j + axis] = unit * table[i][j];
}

/* Blocks of an element with nodes k and `next`: both ends, and the one between them. Symmetric matrices. */
CAP_INLINE void add_blocks(const line *m, int k, int next, double *diagonal, double *lower)
{
  for (int i = 0; i < NODE; i++)
    for (int j = 0; j < NODE; j++) {
      diagonal[k * MATRIX + j * NODE + i] += m[i][j];
      diagonal[next * MATRIX + j * NODE + i] += m[NODE + i][NODE + j];
      lower[next * MATRIX + j * NODE + i] += m[NODE + i][j];
    }
}

/* The place of the last node has no stiffness and, to be solved for, a mass of 1. */
static void pin(const capm_blocks *b, double own)
{
  double *last = b->diagonal + (b->n - 1) * MATRIX;
  for (int i = 0; i < NODE; i++)
    for (int k = 0; k < 2; k++) {
      last[k * NODE + i] = last[i * NODE + k] = i == k ? own : 0.0;
      b->lower[(b->n - 1) * MATRIX + i * NODE + k] = 0.0; /* row k of A(n - 1, n - 2) */
      b->lower[k * NODE + i] = 0.0;                       /* column k of A(0, n - 1) */
    }
}

CAP_CLONES static void assemble(const cap_ring_stiff *r, const capm_blocks *whole, const capm_blocks *added)
{
  for (int k = 0; k < r->n; k++) {
    element e = {0};
    int next = k + 1 == r->n ? 0 : k + 1;
    add_stiffness(r, r->node + NODE * k, r->node + NODE * next, r->size[k], &e);
    add_mass(r->mass, r->size[k], &e);
    add_blocks(e.K, k, next, added->diagonal, added->lower);
    for (int i = 0; i < LOCAL; i++) e.M[i] += e.K[i];
    add_blocks(e.M, k, next, whole->diagonal, whole->lower);
  }
}

bool cap_ring_stiff_set(const cap_ring_stiff *r, double *memory)
{
  capm_blocks whole = cap_ring_stiff_whole(r->n, memory), added = cap_ring_stiff_added(r->n, memory);
  size_t each = sizeof(double) * (size_t)(r->n * MATRIX);
  memset(whole.diagonal, 0, each);
  memset(whole.lower, 0, each);
  memset(added.diagonal, 0, each);
  memset(added.lower, 0, each);
  assemble(r, &whole, &added);
  if (r->pinned) {
    pin(&whole, 1.0);
    pin(&added, 0.0);
  }
  return capm_blocks_factor(&whole);
}
