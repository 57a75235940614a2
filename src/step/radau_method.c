/* step/radau_method.c — see radau_method.h. */
#include "step/radau_method.h"

#include "linalg/eigen.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { MOST = CAPM_RADAU_METHOD_MOST, WORK = 256 };

/* P_0 ... P_most of Legendre on [0, 1] at x. */
static void legendre(int most, long double x, long double *p)
{
  long double z = 2.0L * x - 1.0L;
  p[0] = 1.0L;
  p[1] = z;
  for (int k = 1; k < most; k++) p[k + 1] = ((2 * k + 1) * z * p[k] - k * p[k - 1]) / (k + 1);
}

/* P_s - P_{s-1}, whose zeros are the nodes. */
static long double nodal(int s, long double x)
{
  long double p[MOST + 2];
  legendre(s, x, p);
  return p[s] - p[s - 1];
}

/* The zero between low and high, where the sign changes. */
static long double zero_between(int s, long double low, long double high)
{
  bool rises = nodal(s, low) < 0.0L;
  for (int k = 0; k < 70; k++) {
    long double mid = 0.5L * (low + high);
    if ((nodal(s, mid) < 0.0L) == rises) low = mid;
    else high = mid;
  }
  return 0.5L * (low + high);
}

/* The nodes lie apart by more than the mesh of this search. */
static void find_nodes(int s, long double *node)
{
  enum { MESH = 400 };
  int n = 0;
  for (int k = 0; k + 1 < MESH && n < s - 1; k++) {
    long double low = (long double)k / MESH, high = (long double)(k + 1) / MESH;
    if (nodal(s, low) * nodal(s, high) < 0.0L) node[n++] = zero_between(s, low, high);
  }
  node[s - 1] = 1.0L;
}

/* a_ij = integral of the j-th Lagrange polynomial from 0 to c_i. The quadrature at the nodes is exact to
 * degree 2s - 2, so its weights turn the Legendre polynomials into Lagrange's. */
static void collocate(int s, const long double *node, long double a[MOST][MOST])
{
  for (int j = 0; j < s; j++) {
    long double at[MOST + 2];
    legendre(s, node[j], at);
    long double weight = node[j] / (s * s * at[s - 1] * at[s - 1]);
    for (int i = 0; i < s; i++) {
      long double p[MOST + 2], sum = node[i];
      legendre(s, node[i], p);
      for (int k = 1; k < s; k++) sum += 0.5L * at[k] * (p[k + 1] - p[k - 1]);
      a[i][j] = weight * sum;
    }
  }
}

/* Gauss-Jordan with the largest pivot of each column. */
static void invert(int s, long double a[MOST][MOST], long double inverse[MOST][MOST])
{
  for (int i = 0; i < s; i++)
    for (int j = 0; j < s; j++) inverse[i][j] = i == j;
  for (int k = 0; k < s; k++) {
    int best = k;
    for (int i = k; i < s; i++)
      if (fabsl(a[i][k]) > fabsl(a[best][k])) best = i;
    for (int j = 0; j < s; j++) {
      long double keep = a[k][j], other = inverse[k][j];
      a[k][j] = a[best][j], a[best][j] = keep;
      inverse[k][j] = inverse[best][j], inverse[best][j] = other;
    }
    long double by = 1.0L / a[k][k];
    for (int j = 0; j < s; j++) a[k][j] *= by, inverse[k][j] *= by;
    for (int i = 0; i < s; i++) {
      long double factor = i == k ? 0.0L : a[i][k];
      for (int j = 0; j < s; j++) a[i][j] -= factor * a[k][j], inverse[i][j] -= factor * inverse[k][j];
    }
  }
}

/* Weights of the polynomial through all nodes but 0, at x = 0. */
static void lagrange_at_zero(int s, const long double *node, long double *weight)
{
  for (int j = 0; j < s; j++) {
    weight[j] = 1.0L;
    for (int i = 0; i < s; i++)
      if (i != j) weight[j] *= node[i] / (node[i] - node[j]);
  }
}

static cap_status decompose(capm_radau_method *r)
{
  int s = r->stages, pivot[MOST], pair = 0;
  double packed[MOST * MOST], wr[MOST], wi[MOST], vectors[MOST * MOST], columns[MOST * MOST],
      inverse[MOST * MOST], work[WORK];
  if (capm_eigen_general_work(s) > WORK) return CAP_ERR_NUMERICS;
  for (int i = 0; i < s * s; i++) packed[i] = r->inverse[i / s][i % s];
  CAP_TRY(capm_eigen_general(s, packed, wr, wi, vectors, work));
  for (int j = 0; j < s; j++) {
    bool real = wi[j] == 0.0;
    int to = real ? 0 : 1 + 2 * pair;
    if (real) r->gamma = wr[j];
    else if (pair == r->npair) return CAP_ERR_NUMERICS;
    else r->alpha[pair] = wr[j], r->beta[pair] = wi[j];
    for (int i = 0; i < s; i++) columns[i * s + to] = vectors[i * s + j];
    for (int i = 0; i < s && !real; i++) columns[i * s + to + 1] = vectors[i * s + j + 1];
    if (!real) pair++, j++;
  }
  for (int i = 0; i < s * s; i++) r->from[i / s][i % s] = columns[i];
  if (pair != r->npair || capm_lu_factor(s, columns, pivot)) return CAP_ERR_NUMERICS;
  capm_lu_invert(s, columns, pivot, inverse);
  for (int i = 0; i < s * s; i++) r->to[i / s][i % s] = inverse[i];
  return CAP_OK;
}

cap_status capm_radau_method_set(int stages, capm_radau_method *r)
{
  int s = stages;
  long double node[MOST], a[MOST][MOST], inverse[MOST][MOST], zero[MOST];
  *r = (capm_radau_method){.stages = s, .npair = (s - 1) / 2};
  find_nodes(s, node);
  collocate(s, node, a);
  for (int i = 0; i < s; i++) {
    r->node[i] = (double)node[i];
    r->weight[i] = (double)a[s - 1][i];
    for (int j = 0; j < s; j++) r->a[i][j] = (double)a[i][j];
  }
  invert(s, a, inverse);
  lagrange_at_zero(s, node, zero);
  for (int j = 0; j < s; j++) {
    long double slope = 0.0L;
    for (int i = 0; i < s; i++) {
      r->inverse[i][j] = (double)inverse[i][j];
      slope += zero[i] * inverse[i][j];
    }
    r->start_slope[j] = (double)slope;
  }
  return decompose(r);
}

void capm_radau_method_extend(const capm_radau_method *r, double x, double *weight)
{
  for (int j = 0; j < r->stages; j++) {
    weight[j] = x / r->node[j];
    for (int i = 0; i < r->stages; i++)
      if (i != j) weight[j] *= (x - r->node[i]) / (r->node[j] - r->node[i]);
  }
}
