/* tests/support/leaves.h — leaves on a trunk at random, and the same problem with a dense G. */
#pragma once
#include "drives/pushbelt/impulses/leaves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct leaves_random {
  unsigned state;
} leaves_random;

static inline double leaves_draw(leaves_random *r) /* in (-1, 1) */
{
  r->state = r->state * 1664525u + 1013904223u;
  return (double)(r->state >> 8) / 8388608.0 - 1.0;
}

/* What a random problem is made of. */
typedef struct leaves_case {
  int n, nblock;
  cap_leaves_kinds kinds;
  unsigned seed;
  double limits; /* how large they are beside what would stop everything */
  double mu;     /* with a normal row */
  bool flat;     /* no drilling: the ball is a disc */
  bool driven;   /* rotations do not move */
  double ring;   /* mass of a block beside that of a leaf */
} leaves_case;

static inline void leaves_fill_trunk(cap_leaves *s, const leaves_case *p, leaves_random *r)
{
  const capm_bordered *t = &s->trunk;
  int size = 4 * s->nblock;
  memset(t->corner, 0, sizeof(double) * CAP_LEAVES_BORDER * CAP_LEAVES_BORDER);
  for (int i = 0; i < CAP_LEAVES_BORDER; i++) {
    s->locked[i] = p->driven && i >= 2 && i % 2 == 0;
    t->corner[i * CAP_LEAVES_BORDER + i] = s->locked[i] ? 1.0 : p->n * p->ring * (2.0 + leaves_draw(r));
  }
  double couple = 0.3 * leaves_draw(r) * p->n * p->ring;
  t->corner[1] = t->corner[CAP_LEAVES_BORDER] = couple;
  memset(t->column, 0, sizeof(double) * CAP_LEAVES_BORDER * (size_t)size);
  for (int i = 0; i < 2 * size; i++) t->column[i] = 0.2 * p->ring * leaves_draw(r);
  for (int k = 0; k < s->nblock; k++)
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        double x = 0.3 * p->ring * leaves_draw(r);
        if (i <= j)
          t->chain.diagonal[16 * k + 4 * j + i] = t->chain.diagonal[16 * k + 4 * i + j] =
              i == j ? p->ring * (5.0 + leaves_draw(r)) : x;
        t->chain.lower[16 * k + 4 * j + i] = 0.3 * p->ring * leaves_draw(r);
      }
}

/* As those of a belt are: rows of unit size, rows of neighbours on the same links. */
static inline void leaves_fill_rows(cap_leaves *s, const leaves_case *p, leaves_random *r)
{
  for (int k = 0; k < p->n; k++) {
    s->inverse_mass[k] = 1.0 + 0.3 * leaves_draw(r);
    s->inverse_inertia[k] = 2.0 + leaves_draw(r);
    for (int i = 0; i < CAP_LEAVES_ROWS; i++) {
      for (int x = 0; x < 3; x++) s->arm[i][x][k] = leaves_draw(r);
      s->c[i][k] = leaves_draw(r);
    }
    if (p->flat) s->c[4][k] = s->arm[4][0][k] = s->arm[4][1][k] = s->arm[4][2][k] = 0.0;
    s->limit_ring[k] = p->kinds.normal ? p->mu : p->limits * (1.0 + leaves_draw(r));
    s->limit_flank[k] = k % 3 == 0 ? 0.0 : p->limits * (1.0 + leaves_draw(r));
    s->link[k] = s->nblock > 0 ? k * s->nblock / p->n : 0;
    s->pulley[k] = k > p->n / 2;
    for (int i = 0; i < 2; i++) {
      for (int x = 0; x < CAP_LEAVES_LINK; x++) s->ring[i][k][x] = s->nblock > 0 ? leaves_draw(r) : 0.0;
      s->travel[i][k] = leaves_draw(r);
      s->ratio[i][k] = leaves_draw(r);
    }
    for (int i = 0; i < 3; i++) s->of_flank[i][k] = p->flat && i == 2 ? 0.0 : leaves_draw(r);
  }
}

static inline cap_leaves *leaves_make(const leaves_case *p)
{
  cap_leaves_settings settings = cap_leaves_settings_default();
  settings.tolerance = 1e-8;
  settings.compliance = 1e-4;
  cap_leaves *s = cap_leaves_create(p->n, p->nblock, p->kinds, &settings);
  leaves_random r = {p->seed * 2654435761u + 12345u};
  if (!s) return NULL;
  leaves_fill_trunk(s, p, &r);
  leaves_fill_rows(s, p, &r);
  return s;
}

/* Until what compliance leaves of the changes is gone; what the first solution told. */
static inline cap_status leaves_solve(cap_leaves *s, cap_leaves_stats *first)
{
  cap_leaves_stats stats;
  cap_status status = cap_leaves_solve(s, first);
  stats = *first;
  for (int k = 0; k < 400 && status == CAP_OK && stats.creep > 1e-8; k++)
    status = cap_leaves_solve(s, &stats);
  first->creep = stats.creep;
  return status;
}

/* ---- dense --------------------------------------------------------------------------------------------- */

typedef struct leaves_dense {
  int n;            /* rows */
  int *leaf, *kind; /* [n] */
  double *G, *c;    /* [n][n], [n] */
} leaves_dense;

static inline bool leaves_has(const cap_leaves *s, int row)
{
  return row == 0 ? s->kinds.normal : row == 1 ? s->kinds.tangent : s->kinds.flank;
}

/* What lambda = 1 of a row pushes the trunk with. */
static inline void leaves_push(const cap_leaves *s, int k, int row, double *f)
{
  int size = 4 * s->nblock, link = s->link[k];
  memset(f, 0, sizeof(double) * (size_t)(size + CAP_LEAVES_BORDER));
  if (row < 2) {
    for (int x = 0; x < CAP_LEAVES_LINK && size > 0; x++)
      f[x < 4 ? 4 * link + x : 4 * ((link + 1) % s->nblock) + x - 4] += s->ring[row][k][x];
    f[size] = s->travel[row][k];
    f[size + 1] = s->ratio[row][k];
  } else {
    int at = row == 3 ? CAP_LEAVES_CLOSING : CAP_LEAVES_ROTATION;
    f[size + at + 2 * s->pulley[k]] = s->of_flank[row - 2][k];
  }
  for (int i = 0; i < CAP_LEAVES_BORDER; i++)
    if (s->locked[i]) f[size + i] = 0.0;
}

static inline bool leaves_to_dense(const cap_leaves *s, leaves_dense *d)
{
  int all = CAP_LEAVES_ROWS * s->n, size = 4 * s->nblock + CAP_LEAVES_BORDER;
  size_t room = (size_t)all;
  *d = (leaves_dense){.leaf = malloc(sizeof(int) * room),
                      .kind = malloc(sizeof(int) * room),
                      .G = malloc(sizeof(double) * room * room),
                      .c = malloc(sizeof(double) * room)};
  double *f = malloc(sizeof(double) * (size_t)size), *x = malloc(sizeof(double) * (size_t)size);
  if (!d->leaf || !d->kind || !d->G || !d->c || !f || !x) abort();
  for (int k = 0; k < s->n; k++)
    for (int i = 0; i < CAP_LEAVES_ROWS; i++) {
      if (!leaves_has(s, i)) continue;
      d->leaf[d->n] = k;
      d->kind[d->n] = i;
      d->c[d->n++] = s->c[i][k];
    }
  bool fine = capm_bordered_factor(&s->trunk);
  for (int a = 0; a < d->n && fine; a++) {
    int k = d->leaf[a], i = d->kind[a];
    leaves_push(s, k, i, x);
    capm_bordered_solve(&s->trunk, x);
    for (int b = 0; b < d->n; b++) {
      double sum = 0.0;
      leaves_push(s, d->leaf[b], d->kind[b], f);
      for (int j = 0; j < size; j++) sum += f[j] * x[j];
      for (int j = 0; j < 3 && d->leaf[b] == k; j++)
        sum += s->arm[i][j][k] * s->arm[d->kind[b]][j][k] * (j < 2 ? s->inverse_mass : s->inverse_inertia)[k];
      d->G[a * d->n + b] = sum;
    }
  }
  free(f);
  free(x);
  return fine;
}

static inline void leaves_dense_free(leaves_dense *d)
{
  free(d->leaf);
  free(d->kind);
  free(d->G);
  free(d->c);
}

/* xi = G lambda + c */
static inline void leaves_dense_xi(const leaves_dense *d, const double *lambda, double *xi)
{
  for (int a = 0; a < d->n; a++) {
    xi[a] = d->c[a];
    for (int b = 0; b < d->n; b++) xi[a] += d->G[a * d->n + b] * lambda[b];
  }
}

/* The largest violation of the laws by lambda, in velocities: each row's step is one over its own G. */
static inline double leaves_violation(const cap_leaves *s, const leaves_dense *d, const double *lambda,
                                      const double *xi)
{
  double most = 0.0;
  for (int a = 0; a < d->n;) {
    int k = d->leaf[a], kind = d->kind[a], count = kind < 2 ? 1 : 3;
    double own = 0.0, limit = kind == 1 ? s->limit_ring[k] : s->limit_flank[k], tau[3], size = 0.0;
    if (kind == 1 && s->kinds.normal) limit *= fmax(lambda[a - 1], 0.0);
    for (int i = 0; i < count; i++) own = fmax(own, d->G[(a + i) * d->n + a + i]);
    for (int i = 0; i < count; i++) {
      tau[i] = lambda[a + i] - xi[a + i] / own;
      size += tau[i] * tau[i];
    }
    size = sqrt(size);
    for (int i = 0; i < count; i++) {
      double to = kind == 0 ? fmax(tau[i], 0.0) : size > limit ? tau[i] * limit / size : tau[i];
      most = fmax(most, own * fabs(lambda[a + i] - to));
    }
    a += count;
  }
  return most;
}

static inline void leaves_gather(const cap_leaves *s, const leaves_dense *d,
                                 double *const from[CAP_LEAVES_ROWS], double *to)
{
  (void)s;
  for (int a = 0; a < d->n; a++) to[a] = from[d->kind[a]][d->leaf[a]];
}
