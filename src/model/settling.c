/* model/settling.c — see settling.h. */
#include "model/settling.h"

#include <math.h>
#include <string.h>

static double end_to_end(const double *a, int i, int j)
{
  return a[i] - (j == CAP_GROUND ? 0.0 : a[j]);
}

void cap_settling_states(const cap_model *m, const double *q0, const double *x0, const double *q, double *x,
                         double *dxdu)
{
  memcpy(x, x0, sizeof(double) * (size_t)m->nx);
  memset(dxdu, 0, sizeof(double) * (size_t)m->nx);
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    for (int k = 0; batch->type->settle && k < batch->n; k++) {
      int at = batch->x_adr + k * batch->type->nstate;
      batch->type->settle(batch, k, 0, end_to_end(q0, batch->i[k], batch->j[k]),
                          end_to_end(q, batch->i[k], batch->j[k]), &x[at], &dxdu[at]);
    }
  }
  for (int s = 0; s < m->nslider; s++) {
    int at = m->nx - m->nslider + s;
    if (isinf(m->slider_k[s])) continue; /* Coulomb friction keeps the force it has */
    double du = end_to_end(q, m->slider_i[s], m->slider_j[s]) -
                end_to_end(q0, m->slider_i[s], m->slider_j[s]);
    double trial = x0[at] + m->slider_k[s] * du, limit = m->slider_limit[s];
    x[at] = fmin(fmax(trial, -limit), limit);
    dxdu[at] = fabs(trial) < limit ? m->slider_k[s] : 0.0;
  }
}

static void follow(double slope, int n, const double *dqi, const double *dqj, double *dx)
{
  for (int c = 0; c < n; c++) dx[c] = slope * (dqi[c] - (dqj ? dqj[c] : 0.0));
}

void cap_settling_columns(const cap_model *m, const double *dxdu, int n, const double *dq, double *dx)
{
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    for (int k = 0; k < batch->n; k++) {
      int at = batch->x_adr + k * batch->type->nstate, i = batch->i[k], j = batch->j[k];
      if (batch->type->follow) {
        batch->type->follow(batch, k, 0, n, dq, &dx[at * n]);
        continue;
      }
      for (int s = 0; s < batch->type->nstate; s++)
        follow(dxdu[at + s], n, dq + i * n, j == CAP_GROUND ? NULL : dq + j * n, &dx[(at + s) * n]);
    }
  }
  for (int s = 0; s < m->nslider; s++) {
    int at = m->nx - m->nslider + s, i = m->slider_i[s], j = m->slider_j[s];
    follow(dxdu[at], n, dq + i * n, j == CAP_GROUND ? NULL : dq + j * n, &dx[at * n]);
  }
}
