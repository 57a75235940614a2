/* model/model.c — see model.h. */
#include "model/model.h"
#include "base/clones.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void cap_model_free(cap_model *model)
{
  if (!model) return;
  cap_arena arena = model->arena;
  free(model);
  cap_arena_free(&arena);
}

/* Sliders push with their force x_s; the force itself is a state. */
static void slider_forces(const cap_model *m, cap_eval *e)
{
  int nlane = e->nlane, first = m->nx - m->nslider, width = e->ncol * nlane;
  for (int s = 0; s < m->nslider; s++) {
    int i = m->slider_i[s], j = m->slider_j[s];
    const double *z = e->x + (first + s) * nlane;
    for (int l = 0; l < nlane; l++) e->h[i * nlane + l] -= z[l];
    if (j != CAP_GROUND)
      for (int l = 0; l < nlane; l++) e->h[j * nlane + l] += z[l];
    if (!width) continue;
    const double *dz = e->dx + (first + s) * width;
    for (int l = 0; l < width; l++) e->dh[i * width + l] -= dz[l];
    if (j != CAP_GROUND)
      for (int l = 0; l < width; l++) e->dh[j * width + l] += dz[l];
  }
}

void cap_model_rates(const cap_model *m, cap_eval *e)
{
  size_t lane = sizeof(double) * (size_t)e->nlane, width = lane * (size_t)e->ncol;
  memset(e->h, 0, lane * (size_t)m->nv);
  int first = m->nx - m->nslider;
  if (e->ncol) memset(e->dh, 0, width * (size_t)m->nv);
  if (m->nslider) memset(e->xdot + first * e->nlane, 0, lane * (size_t)m->nslider);
  if (m->nslider && e->ncol) memset(e->dxdot + first * e->ncol * e->nlane, 0, width * (size_t)m->nslider);
  for (int k = 0; k < m->nbatch; k++) m->batches[k].type->rates(&m->batches[k], e);
  slider_forces(m, e);
}

void cap_model_drive(const cap_model *m, const double *t, double *q, double *v, double *acceleration)
{
  for (int k = 0; k < m->nmotion; k++)
    for (int l = 0; l < m->nlane; l++) {
      int at = m->motion_dof[k] * m->nlane + l;
      double a;
      cap_motion_at(&m->motions[k * m->nlane + l], t[l], &q[at], &v[at], &a);
      if (acceleration) acceleration[at] = a;
    }
}

/* v' = h / mass for one coordinate, or the imposed acceleration. */
CAP_INLINE void accelerate_lanes(const cap_model *m, const cap_eval *e, int i, double *restrict vdot,
                                 double *restrict dvdot, int nlane)
{
  int width = e->ncol * nlane;
  const double *mass = m->mass + i * nlane, *h = e->h + i * nlane;
  if (m->driven[i] >= 0) {
    for (int l = 0; l < nlane; l++) {
      double q, v;
      cap_motion_at(&m->motions[m->driven[i] * nlane + l], e->t[l], &q, &v, &vdot[l]);
    }
    if (width) memset(dvdot, 0, sizeof(double) * (size_t)width);
    return;
  }
  double inverse[CAP_LANES_MOST];
  for (int l = 0; l < nlane; l++) inverse[l] = 1.0 / mass[l];
  for (int l = 0; l < nlane; l++) vdot[l] = h[l] * inverse[l];
  const double *restrict dh = e->dh + i * width;
  for (int c = 0; c < e->ncol; c++)
    for (int l = 0; l < nlane; l++) dvdot[c * nlane + l] = dh[c * nlane + l] * inverse[l];
}

CAP_CLONES static void accelerate(const cap_model *m, const cap_eval *e, int i, double *vdot, double *dvdot)
{
  CAP_LANE_CASES(e->nlane, accelerate_lanes, m, e, i, vdot, dvdot);
}

void cap_model_derivative(const cap_model *m, cap_eval *e, const double *y, const double *dy, double *ydot,
                          double *dydot)
{
  int nlane = e->nlane, width = e->ncol * nlane, nv = m->nv;
  e->q = y;
  e->v = y + nv * nlane;
  e->x = y + 2 * nv * nlane;
  e->xdot = ydot + 2 * nv * nlane;
  if (width) {
    e->dq = dy;
    e->dv = dy + nv * width;
    e->dx = dy + 2 * nv * width;
    e->dxdot = dydot + 2 * nv * width;
  }
  cap_model_rates(m, e);
  memcpy(ydot, e->v, sizeof(double) * (size_t)(nv * nlane));
  if (width) memcpy(dydot, e->dv, sizeof(double) * (size_t)(nv * width));
  for (int i = 0; i < nv; i++)
    accelerate(m, e, i, ydot + (nv + i) * nlane, width ? dydot + (nv + i) * width : NULL);
  if (e->power) cap_model_motion_power(m, e, e->power);
}

void cap_model_motion_power(const cap_model *m, const cap_eval *e, double *power)
{
  int first = m->nmech - m->nmotion - m->nslider, nlane = e->nlane;
  memset(power + first * nlane, 0, sizeof(double) * (size_t)((m->nslider + m->nmotion) * nlane));
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    /* a driven coordinate has no inertia of its own: the drive supplies what the elements resist */
    for (int l = 0; l < nlane; l++)
      power[(first + m->nslider + k) * nlane + l] = -e->h[i * nlane + l] * e->v[i * nlane + l];
  }
}

void cap_model_energy(const cap_model *m, const cap_eval *e, double *stored)
{
  int nlane = e->nlane, first = m->nx - m->nslider;
  for (int l = 0; l < nlane; l++) stored[l] = 0.0;
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0)
      for (int l = 0; l < nlane; l++) {
        double v = e->v[i * nlane + l];
        stored[l] += 0.5 * m->mass[i * nlane + l] * v * v;
      }
  for (int k = 0; k < m->nbatch; k++)
    if (m->batches[k].type->energy) m->batches[k].type->energy(&m->batches[k], e, stored);
  for (int s = 0; s < m->nslider; s++)
    for (int l = 0; l < nlane; l++) {
      double z = e->x[(first + s) * nlane + l];
      stored[l] += 0.5 * z * z / m->slider_k[s * nlane + l]; /* k = INFINITY stores none */
    }
}

double cap_model_channel(const cap_channel *c, int lane, int nlane, const double *q, const double *v,
                         const double *x, const double *force)
{
  double sum = 0.0;
  for (int t = 0; t < c->nterm; t++) {
    double factor = c->factors[t * nlane + lane];
    int at = c->terms[t].index * nlane + lane;
    switch (c->terms[t].kind) {
    case CAP_TERM_CONSTANT:
      sum += factor;
      break;
    case CAP_TERM_Q:
      sum += factor * q[at];
      break;
    case CAP_TERM_V:
      sum += factor * v[at];
      break;
    case CAP_TERM_X:
    case CAP_TERM_SLIDER:
      sum += factor * x[at];
      break;
    case CAP_TERM_FORCE:
      sum += factor * force[at];
      break;
    }
  }
  return sum;
}

CAP_CLONES void cap_model_channel_lanes(const cap_channel *c, int nlane, const double *q, const double *v,
                                        const double *x, const double *force, double *values)
{
  for (int l = 0; l < nlane; l++) values[l] = 0.0;
  for (int t = 0; t < c->nterm; t++) {
    const double *factor = c->factors + t * nlane;
    const double *from[] = {NULL, q, v, x, force, x}; /* in the order of cap_term_kind */
    const double *row = from[c->terms[t].kind];
    if (!row)
      for (int l = 0; l < nlane; l++) values[l] += factor[l];
    else
      for (int l = 0; l < nlane; l++) values[l] += factor[l] * row[c->terms[t].index * nlane + l];
  }
}

cap_status cap_model_check_finite(const cap_model *m, double t, const double *y, cap_error *error)
{
  int n = m->nstate * m->nlane;
  double sum = 0.0; /* one pass without branches: not finite if any is not */
  for (int k = 0; k < n; k++) sum += 0.0 * y[k];
  if (sum == 0.0) return CAP_OK;
  for (int k = 0; k < n; k++) {
    if (isfinite(y[k])) continue;
    int state = k / m->nlane;
    const char *quantity = state < m->nv ? "position" : state < 2 * m->nv ? "velocity" : "inner force";
    const char *name = state < 2 * m->nv ? m->dof_name[state % m->nv] : m->x_name[state - 2 * m->nv];
    return cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s the %s of %s is not finite (%g)", t,
                           quantity, name, y[k]);
  }
  return CAP_OK;
}
