/* The masses and contacts of a pushbelt, for tests and benchmarks of the mass-action matrix: a ring of
 * `nodes` nodes with travel and ratio before them (dense or by neighbours), elements of three coordinates
 * each, and two rows (normal, tangential) of each element's saddle on the ring: 3 entries of the element, 10
 * of the ring (travel, ratio and two nodes of 4). */
#pragma once
#include "linalg/cholesky_sparse.h"
#include "linalg/lu.h"
#include "model/inertia.h"
#include "solve/mass_action.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { WEB_ENTRIES = 13, WEB_ROWS = 2 };

typedef struct web {
  int nodes, elements, nring, nv, nrow;
  double *ring;         /* [nring][nring] mass matrix */
  double *inverse_mass; /* [nv] of the elements */
  int *start, *coord;   /* rows */
  double *value;
  cap_inertia block; /* the ring */
  double *work;      /* its factor */
  cap_mass_action_rows rows;
  uint64_t seed;
} web;

static inline double web_draw(web *w)
{
  w->seed = w->seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(w->seed >> 11) / 4503599627370496.0 - 1.0;
}

/* A dense block, factored by rows: L[i][j], j <= i. */
static inline int web_nwork(const cap_inertia *b)
{
  return b->n * b->n;
}

static inline bool web_factor(const cap_inertia *b, const double *q, double *l)
{
  const double *m = ((const web *)b->body)->ring;
  int n = b->n;
  (void)q;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double sum = m[i * n + j];
      for (int k = 0; k < j; k++) sum -= l[i * n + k] * l[j * n + k];
      if (i == j && !(sum > 0.0)) return false;
      l[i * n + j] = i == j ? sqrt(sum) : sum / l[j * n + j];
    }
  return true;
}

static inline void web_half(const cap_inertia *b, const double *l, int ncol, double *x)
{
  int n = b->n;
  for (int c = 0; c < ncol; c++, x += n) {
    int first = 0;
    while (first < n && x[first] == 0.0) first++;
    for (int i = first; i < n; i++) {
      double sum = x[i];
      for (int k = first; k < i; k++) sum -= l[i * n + k] * x[k];
      x[i] = sum / l[i * n + i];
    }
  }
}

static inline void web_solve(const cap_inertia *b, const double *l, int ncol, double *x)
{
  int n = b->n;
  web_half(b, l, ncol, x);
  for (int c = 0; c < ncol; c++, x += n)
    for (int i = n - 1; i >= 0; i--) {
      double f = x[i] / l[i * n + i];
      x[i] = f;
      for (int k = 0; k < i; k++) x[k] -= f * l[i * n + k];
    }
}

static inline void web_multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  const double *m = ((const web *)b->body)->ring;
  (void)work;
  for (int i = 0; i < b->n; i++) {
    p[i] = 0.0;
    for (int k = 0; k < b->n; k++) p[i] += m[i * b->n + k] * v[k];
  }
}

static const cap_inertia_type web_ring_type = {"test ring",  web_nwork, web_factor, web_solve, web_half,
                                               web_multiply, NULL,      NULL,       NULL};

/* Masses as those of a ring of 0.17 kg: neighbours coupled by fourths, `dense`:
 * everything coupled a little. */
static inline void web_draw_ring(web *w, bool dense)
{
  int n = w->nring;
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      int a = (i - 2) / 4, b = (j - 2) / 4, apart = a - b;
      bool near = j < 2 || apart <= 1 || apart == w->nodes - 1;
      double m = i == j ? 1e-3 * (i < 2 ? w->nodes : 1.0) : 0.0;
      if (i != j && (near || dense)) m = 1e-3 * (near ? 0.04 : 0.002) * web_draw(w);
      w->ring[i * n + j] = w->ring[j * n + i] = m;
    }
}

static inline void web_draw_rows(web *w)
{
  int p = 0;
  for (int r = 0; r < w->nrow; r++) {
    int element = r / WEB_ROWS, node = (int)((long)element * w->nodes / w->elements);
    w->start[r] = p;
    for (int k = 0; k < 2; k++) w->coord[p + k] = k;
    for (int k = 0; k < 8; k++) w->coord[p + 2 + k] = 2 + (4 * node + k) % (4 * w->nodes);
    for (int k = 0; k < 3; k++) w->coord[p + 10 + k] = w->nring + 3 * element + k;
    for (int k = 0; k < WEB_ENTRIES; k++) w->value[p + k] = web_draw(w);
    p += WEB_ENTRIES;
  }
  w->start[w->nrow] = p;
}

static inline void web_init(web *w, int nodes, int elements, bool dense)
{
  *w = (web){.nodes = nodes, .elements = elements, .nring = 2 + 4 * nodes, .seed = 99};
  w->nv = w->nring + 3 * elements;
  w->nrow = WEB_ROWS * elements;
  w->ring = calloc((size_t)w->nring * w->nring, sizeof(double));
  w->work = calloc((size_t)w->nring * w->nring, sizeof(double));
  w->inverse_mass = calloc((size_t)w->nv, sizeof(double));
  w->start = calloc((size_t)w->nrow + 1, sizeof(int));
  w->coord = calloc((size_t)w->nrow * WEB_ENTRIES, sizeof(int));
  w->value = calloc((size_t)w->nrow * WEB_ENTRIES, sizeof(double));
  if (!w->ring || !w->work || !w->inverse_mass || !w->start || !w->coord || !w->value) abort();
  web_draw_ring(w, dense);
  for (int i = w->nring; i < w->nv; i++)
    w->inverse_mass[i] = (i - w->nring) % 3 == 2 ? 1.0 / 2.93e-8 * 1e-5 : 1.0 / 2.25e-3;
  web_draw_rows(w);
  w->block = (cap_inertia){.type = &web_ring_type, .first = 0, .n = w->nring, .body = w, .work_adr = 0};
  w->rows = (cap_mass_action_rows){w->nrow, w->start, w->coord, w->value};
}

static inline void web_free(web *w)
{
  free(w->ring);
  free(w->work);
  free(w->inverse_mass);
  free(w->start);
  free(w->coord);
  free(w->value);
}

/* The whole mass matrix by compressed columns, lower triangle, nothing where a mass is zero. values may be
 * NULL. Returns the number of entries; room for nring^2 + nv. */
static inline int web_compress(const web *w, int *start, int *row, double *values)
{
  int count = 0;
  for (int j = 0; j < w->nv; j++) {
    start[j] = count;
    if (j >= w->nring) {
      if (values) values[count] = 1.0 / w->inverse_mass[j];
      row[count++] = j;
      continue;
    }
    for (int i = j; i < w->nring; i++)
      if (w->ring[i * w->nring + j] != 0.0) {
        if (values) values[count] = w->ring[i * w->nring + j];
        row[count++] = i;
      }
  }
  start[w->nv] = count;
  return count;
}

/* G by dense elimination of the whole mass matrix, to be freed. */
static inline double *web_reference(const web *w)
{
  int n = w->nv;
  double *m = calloc((size_t)n * n, sizeof(double)), *x = calloc((size_t)n, sizeof(double));
  double *g = calloc((size_t)w->nrow * w->nrow, sizeof(double));
  int *pivot = calloc((size_t)n, sizeof(int));
  if (!m || !x || !g || !pivot) abort();
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      m[i * n + j] = i < w->nring && j < w->nring ? w->ring[i * w->nring + j]
                                                  : (i == j ? 1.0 / w->inverse_mass[i] : 0.0);
  if (capm_lu_factor(n, m, pivot) != 0) abort();
  for (int r = 0; r < w->nrow; r++) {
    memset(x, 0, (size_t)n * sizeof(double));
    for (int p = w->start[r]; p < w->start[r + 1]; p++) x[w->coord[p]] += w->value[p];
    capm_lu_solve(n, m, pivot, x);
    for (int s = 0; s < w->nrow; s++)
      for (int p = w->start[s]; p < w->start[s + 1]; p++) g[r * w->nrow + s] += w->value[p] * x[w->coord[p]];
  }
  free(m);
  free(x);
  free(pivot);
  return g;
}
