/* linalg/qr.c — see qr.h. */
#include "linalg/qr.h"

#include "linalg/dot.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool capm_qr_init(capm_qr *qr, int m, int most)
{
  *qr = (capm_qr){.m = m, .most = most};
  qr->q = malloc(sizeof *qr->q * ((size_t)m * (size_t)most + 1));
  qr->r = calloc((size_t)most * (size_t)most + 1, sizeof *qr->r);
  if (qr->q && qr->r) return true;
  capm_qr_free(qr);
  return false;
}

void capm_qr_free(capm_qr *qr)
{
  if (!qr) return;
  free(qr->q);
  free(qr->r);
  *qr = (capm_qr){0};
}

/* Take the parts along the columns so far out of v, and add them to r. */
CAP_CLONES static void project(int m, int n, const double *q, double *v, double *r)
{
  for (int j = 0; j < n; j++) {
    const double *qj = q + (size_t)j * (size_t)m, part = capm_dot(m, qj, v);
    r[j] += part;
    for (int i = 0; i < m; i++) v[i] -= part * qj[i];
  }
}

static double norm(int m, const double *v)
{
  return sqrt(capm_dot(m, v, v));
}

bool capm_qr_add(capm_qr *qr, const double *column, double tolerance)
{
  assert(qr->n < qr->most);
  const int m = qr->m, n = qr->n;
  double *v = qr->q + (size_t)n * (size_t)m, *r = qr->r + (size_t)n * (size_t)qr->most;
  if (n >= m) return false;
  memcpy(v, column, sizeof *v * (size_t)m);
  memset(r, 0, sizeof *r * (size_t)qr->most);
  const double before = norm(m, v);
  project(m, n, qr->q, v, r);
  project(m, n, qr->q, v, r);
  const double after = norm(m, v);
  if (!(after > tolerance * before)) return false;
  for (int i = 0; i < m; i++) v[i] /= after;
  r[n] = after;
  qr->n++;
  return true;
}

void capm_qr_solve(const capm_qr *qr, const double *b, double *x, double *fitted)
{
  memset(fitted, 0, sizeof *fitted * (size_t)qr->m);
  for (int j = 0; j < qr->n; j++) {
    const double *q = qr->q + (size_t)j * (size_t)qr->m;
    x[j] = capm_dot(qr->m, q, b);
    for (int i = 0; i < qr->m; i++) fitted[i] += x[j] * q[i];
  }
  for (int j = qr->n - 1; j >= 0; j--) {
    x[j] /= qr->r[(size_t)j * (size_t)qr->most + (size_t)j];
    for (int i = 0; i < j; i++) x[i] -= x[j] * qr->r[(size_t)j * (size_t)qr->most + (size_t)i];
  }
}

void capm_qr_leverages(const capm_qr *qr, double *h)
{
  memset(h, 0, sizeof *h * (size_t)qr->m);
  for (int j = 0; j < qr->n; j++) {
    const double *q = qr->q + (size_t)j * (size_t)qr->m;
    for (int i = 0; i < qr->m; i++) h[i] += q[i] * q[i];
  }
}
