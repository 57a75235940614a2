/* step/exact/exact_drift.c — see exact_drift.h. */
#include "step/exact/exact_drift.h"

#include "linalg/lsq.h"
#include "linalg/nullspace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A pivot of K below this part of the largest is none. */
static const double RIGID = 1e-11;

/* Scratch while the rigid directions are sought. */
typedef struct rigid {
  int nv, count;         /* count: dimension of the null space of K */
  int free_count;        /* of these, undamped: the first ones of `right` */
  double *matrix;        /* [nv][nv] */
  double *right, *left;  /* [nv][nv] rows span the null spaces of K and K^T */
  double *mixed, *small; /* [nv][nv] */
  int *columns;          /* [nv] */
} rigid;

static void multiply_row(int nv, const double *a, const double *x, double *y)
{
  for (int i = 0; i < nv; i++) {
    y[i] = 0.0;
    for (int j = 0; j < nv; j++) y[i] += a[i * nv + j] * x[j];
  }
}

/* Null spaces of K and its transpose. */
static void null_spaces(const cap_exact_regime *r, rigid *g)
{
  int nv = g->nv;
  memcpy(g->matrix, r->stiffness, (size_t)(nv * nv) * sizeof(double));
  g->count = capm_nullspace(nv, g->matrix, RIGID, g->right, g->columns);
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) g->matrix[i * nv + j] = r->stiffness[j * nv + i];
  if (capm_nullspace(nv, g->matrix, RIGID, g->left, g->columns) != g->count) g->count = 0;
}

/* Turn the basis `right` so that its first vectors are those along which no damper force remains: left^T C r
 * = 0. */
static void undamped_first(const cap_exact *e, rigid *g)
{
  int nv = g->nv, d = g->count;
  double size = 0.0, damping = 0.0, *combination = g->mixed;
  for (int j = 0; j < d; j++) {
    multiply_row(nv, e->linear.damping, g->right + j * nv, g->mixed);
    for (int i = 0; i < d; i++) {
      double sum = 0.0;
      for (int k = 0; k < nv; k++) sum += g->left[i * nv + k] * g->mixed[k];
      g->small[i * d + j] = sum;
      size = fmax(size, fabs(sum));
    }
  }
  for (int i = 0; i < nv * nv; i++) damping = fmax(damping, fabs(e->linear.damping[i]));
  if (size <= RIGID * damping) memset(g->small, 0, (size_t)(d * d) * sizeof(double));
  g->free_count = capm_nullspace(d, g->small, RIGID, combination, g->columns);
  for (int i = g->free_count; i < d; i++) /* complete by the eliminated directions */
    for (int j = 0; j < d; j++) combination[i * d + j] = j == g->columns[i - g->free_count];
  memcpy(g->matrix, g->right, (size_t)(d * nv) * sizeof(double));
  for (int i = 0; i < d; i++)
    for (int k = 0; k < nv; k++) {
      double sum = 0.0;
      for (int j = 0; j < d; j++) sum += combination[i * d + j] * g->matrix[j * nv + k];
      g->right[i * nv + k] = sum;
    }
}

/* Mark the `wanted` smallest eigenvalues as zero; false when that would tear a conjugate pair apart. */
static bool claim_columns(const cap_exact *e, cap_exact_regime *r, int wanted, double *wr, double *wi)
{
  for (int k = 0; k < wanted; k++) {
    int least = -1;
    for (int j = 0; j < e->nx; j++) {
      bool taken = false;
      for (int i = 0; i < k; i++) taken = taken || r->drift[i] == j;
      if (!taken && (least < 0 || hypot(wr[j], wi[j]) < hypot(wr[least], wi[least]))) least = j;
    }
    r->drift[k] = least;
  }
  for (int k = 0; k < wanted; k++) {
    int j = r->drift[k], partner = wi[j] > 0.0 ? j + 1 : wi[j] < 0.0 ? j - 1 : j;
    bool together = false;
    for (int i = 0; i < wanted; i++) together = together || r->drift[i] == partner;
    if (!together) return false;
  }
  for (int k = 0; k < wanted; k++) wr[r->drift[k]] = wi[r->drift[k]] = 0.0;
  return true;
}

static void set_column(const cap_exact *e, cap_exact_regime *r, int column, const double *q, const double *v)
{
  for (int i = 0; i < e->nv; i++) {
    r->shape[i * e->nx + column] = q ? q[i] : 0.0;
    r->shape[(e->nv + i) * e->nx + column] = v ? v[i] : 0.0;
  }
}

static cap_status fill_columns(const cap_exact *e, cap_exact_regime *r, rigid *g)
{
  int nv = g->nv;
  for (int i = 0; i < g->count; i++) set_column(e, r, r->drift[i], g->right + i * nv, NULL);
  for (int i = 0; i < g->free_count; i++) {
    double *force = g->mixed, *offset = g->mixed + nv;
    multiply_row(nv, e->linear.damping, g->right + i * nv, force);
    for (int k = 0; k < nv; k++) force[k] = -force[k];
    memset(offset, 0, (size_t)nv * sizeof(double));
    CAP_TRY(capm_lsq_least_norm(nv, nv, r->stiffness, force, RIGID, 0, offset, NULL));
    for (int k = 0; k < nv; k++) {
      offset[k] *= r->drift_rate;
      force[k] = r->drift_rate * g->right[i * nv + k];
    }
    set_column(e, r, r->drift[g->count + i], offset, force);
  }
  r->nrigid = g->count;
  r->ndrift = g->count + g->free_count;
  return CAP_OK;
}

cap_status cap_exact_drift_modes(cap_exact *e, cap_exact_regime *r, double *wr, double *wi)
{
  int nv = e->nv, n2 = nv * nv + 2 * nv;
  r->ndrift = r->nrigid = 0;
  double *block = calloc((size_t)(5 * n2), sizeof(double));
  int *columns = calloc((size_t)nv, sizeof(int));
  rigid g = {.nv = nv, .columns = columns};
  cap_status status = block && columns ? CAP_OK : CAP_ERR_NOMEM;
  if (status == CAP_OK) {
    g.matrix = block;
    g.right = block + n2;
    g.left = block + 2 * n2;
    g.mixed = block + 3 * n2;
    g.small = block + 4 * n2;
    null_spaces(r, &g);
    if (g.count > 0) undamped_first(e, &g);
    if (g.count > 0 && claim_columns(e, r, g.count + g.free_count, wr, wi)) status = fill_columns(e, r, &g);
  }
  free(block);
  free(columns);
  return status;
}

static bool is_drift(const cap_exact_regime *r, int column)
{
  for (int i = 0; i < r->ndrift; i++)
    if (r->drift[i] == column) return true;
  return false;
}

void cap_exact_drift_split(const cap_exact *e, const cap_exact_regime *r, const double *x,
                           const double *force, double *mean, double *linear, double *quadratic,
                           double *modal)
{
  int nv = e->nv, nx = e->nx;
  double *push = e->work + 4 * nx,
         *rest = push + nx; /* the force in modal coordinates, and where it balances */
  for (int i = 0; i < nv; i++) {
    rest[i] = 0.0;
    for (int j = 0; j < nv; j++) rest[i] += e->mass_inverse[i * nv + j] * force[j];
  }
  for (int j = 0; j < nx; j++) {
    push[j] = modal[j] = 0.0;
    for (int i = 0; i < nx; i++) modal[j] += r->inverse[j * nx + i] * x[i];
    for (int i = 0; i < nv; i++) push[j] += r->inverse[j * nx + nv + i] * rest[i];
  }
  for (int m = 0; m < r->nmode; m++) { /* 0 = lambda rest + push */
    int c = r->column[m];
    double a = r->alpha[m], b = r->beta[m], d = a * a + b * b;
    rest[c] = -a * push[c] / d;
    if (b == 0.0) continue;
    rest[c] = -(a * push[c] - b * push[c + 1]) / d;
    rest[c + 1] = -(a * push[c + 1] + b * push[c]) / d;
  }
  for (int j = 0; j < nx; j++)
    if (is_drift(r, j)) rest[j] = modal[j];
  for (int i = 0; i < nx; i++) {
    const double *shape = r->shape + i * nx;
    mean[i] = linear[i] = quadratic[i] = 0.0;
    for (int j = 0; j < nx; j++) mean[i] += shape[j] * rest[j];
    for (int k = 0; k < r->ndrift; k++) linear[i] += shape[r->drift[k]] * push[r->drift[k]];
    for (int k = 0; k < r->ndrift - r->nrigid;
         k++) { /* the k-th undamped direction: velocity moves position */
      int position = r->drift[k], velocity = r->drift[r->nrigid + k];
      linear[i] += shape[position] * r->drift_rate * modal[velocity];
      quadratic[i] += 0.5 * shape[position] * r->drift_rate * push[velocity];
    }
  }
  for (int j = 0; j < nx; j++) modal[j] -= rest[j];
}
