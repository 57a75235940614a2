/* model/model.c — see model.h. */
#include "model/model.h"
#include "base/clones.h"
#include "model/constraints.h"
#include "model/contacts.h"

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
    CAP_EACH_LANE(l, nlane) e->h[i * nlane + l] -= z[l];
    if (j != CAP_GROUND) CAP_EACH_LANE(l, nlane) e->h[j * nlane + l] += z[l];
    if (!width) continue;
    const double *dz = e->dx + (first + s) * width;
    CAP_EACH_LANE(l, width) e->dh[i * width + l] -= dz[l];
    if (j != CAP_GROUND) CAP_EACH_LANE(l, width) e->dh[j * width + l] += dz[l];
  }
}

/* A slider loses power while its force stands at the limit and resists. */
static void slider_powers(const cap_model *m, const cap_eval *e, double *power)
{
  int nlane = e->nlane, first = m->nx - m->nslider;
  for (int s = 0; s < m->nslider; s++)
    for (int l = 0; l < nlane; l++) {
      int i = m->slider_i[s], j = m->slider_j[s];
      double z = e->x[(first + s) * nlane + l], limit = m->slider_limit[s * nlane + l];
      double u = m->base[i * nlane + l] + e->v[i * nlane + l];
      if (j != CAP_GROUND) u -= m->base[j * nlane + l] + e->v[j * nlane + l];
      power[s * nlane + l] = fabs(z) >= limit * (1.0 - 1e-9) && z * u > 0.0 ? z * u : 0.0;
    }
}

/* Powers of all mechanisms where channels look for them. */
static void show_powers(const cap_model *m, const cap_eval *e)
{
  double *shown = e->force + m->power_adr * e->nlane;
  int first = m->nmech - m->nmotion - m->nslider;
  if (e->power != shown) memcpy(shown, e->power, sizeof(double) * (size_t)(m->nmech * e->nlane));
  cap_model_motion_power(m, e, shown);
  slider_powers(m, e, shown + first * e->nlane);
}

/* Inputs where channels look for them. */
static void show_inputs(const cap_model *m, const cap_eval *e)
{
  double *shown = e->force + m->input_adr * e->nlane;
  for (int k = 0; k < m->ninput; k++)
    for (int l = 0; l < e->nlane; l++) shown[k * e->nlane + l] = cap_input_at(e->input, k, e->t[l]);
}

static bool takes_part(const cap_element_type *type, cap_eval_part part)
{
  return part == CAP_EVAL_ALL || type->fast == (part == CAP_EVAL_FAST);
}

void cap_model_rates(const cap_model *m, cap_eval *e)
{
  double *asked = e->power;
  bool shown = e->force && m->power_adr;
  if (shown && !asked) e->power = e->force + m->power_adr * e->nlane;
  e->input = cap_model_inputs(m, e->input);
  size_t lane = sizeof(double) * (size_t)e->nlane, width = lane * (size_t)e->ncol;
  memset(e->h, 0, lane * (size_t)m->nv);
  int first = m->nx - m->nslider;
  if (e->ncol) memset(e->dh, 0, width * (size_t)m->nv);
  if (m->nslider) memset(e->xdot + first * e->nlane, 0, lane * (size_t)m->nslider);
  if (m->nslider && e->ncol) memset(e->dxdot + first * e->ncol * e->nlane, 0, width * (size_t)m->nslider);
  for (int k = 0; k < m->nbatch; k++)
    if (takes_part(m->batches[k].type, e->part)) m->batches[k].type->rates(&m->batches[k], e);
  if (m->ncontact && e->part != CAP_EVAL_FAST) cap_contacts_rates(m, e);
  if (e->part != CAP_EVAL_FAST) slider_forces(m, e);
  if (shown) show_powers(m, e);
  if (m->ninput && e->force) show_inputs(m, e);
  e->power = asked;
}

void cap_model_outputs(const cap_model *m, cap_eval *e)
{
  cap_model_rates(m, e);
  if (m->nideal) cap_constraints_react(m, e);
}

void cap_model_drive(const cap_model *m, const double *inputs, const double *t, double *q, double *v,
                     double *acceleration)
{
  inputs = cap_model_inputs(m, inputs);
  for (int k = 0; k < m->nmotion; k++)
    for (int l = 0; l < m->nlane; l++) {
      int at = m->motion_dof[k] * m->nlane + l;
      double a;
      cap_motion_at(&m->motions[k * m->nlane + l], inputs, t[l], &q[at], &v[at], &a);
      if (acceleration) acceleration[at] = a;
    }
}

/* Driven coordinates have their imposed acceleration, whatever the forces. */
static void impose(const cap_model *m, const cap_eval *e, double *vdot, double *dvdot)
{
  const double *inputs = cap_model_inputs(m, e->input);
  size_t width = (size_t)(e->ncol * e->nlane);
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    for (int l = 0; l < e->nlane; l++) {
      double q, v;
      cap_motion_at(&m->motions[k * e->nlane + l], inputs, e->t[l], &q, &v, &vdot[i * e->nlane + l]);
    }
    if (width) memset(dvdot + (size_t)i * width, 0, sizeof(double) * width);
  }
}

/* v' = h / mass, and the same for the columns. */
CAP_INLINE void accelerate_lanes(const cap_model *m, const cap_eval *e, double *restrict vdot,
                                 double *restrict dvdot, int nlane)
{
  for (int i = 0; i < m->nv; i++) {
    const double *restrict inverse = m->inverse_mass + i * nlane, *restrict h = e->h + i * nlane;
    CAP_EACH_LANE(l, nlane) vdot[i * nlane + l] = h[l] * inverse[l];
    for (int c = 0; c < e->ncol; c++) {
      int row = (i * e->ncol + c) * nlane;
      CAP_EACH_LANE(l, nlane) dvdot[row + l] = e->dh[row + l] * inverse[l];
    }
  }
}

CAP_CLONES static void accelerate(const cap_model *m, const cap_eval *e, double *vdot, double *dvdot)
{
  CAP_LANE_CASES(e->nlane, accelerate_lanes, m, e, vdot, dvdot);
}

void cap_model_slopes(const cap_model *m, cap_eval *e, const double *y, const double *dy, double *ydot,
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
  cap_model_outputs(m, e);
  accelerate(m, e, ydot + nv * nlane, width ? dydot + nv * width : NULL);
  if (m->ninertia) cap_inertia_accelerate(m, e, ydot + nv, width ? dydot + nv * width : NULL);
  if (m->nmotion) impose(m, e, ydot + nv * nlane, width ? dydot + nv * width : NULL);
  if (e->power) cap_model_motion_power(m, e, e->power);
}

void cap_model_derivative(const cap_model *m, cap_eval *e, const double *y, const double *dy, double *ydot,
                          double *dydot)
{
  size_t positions = (size_t)(m->nv * e->nlane), columns = positions * (size_t)e->ncol;
  cap_model_slopes(m, e, y, dy, ydot, dydot);
  memcpy(ydot, e->v, sizeof(double) * positions);
  if (columns) memcpy(dydot, e->dv, sizeof(double) * columns);
}

void cap_model_motion_power(const cap_model *m, const cap_eval *e, double *power)
{
  int first = m->nmech - m->nmotion - m->nslider, nlane = e->nlane;
  memset(power + first * nlane, 0, sizeof(double) * (size_t)((m->nslider + m->nmotion) * nlane));
  for (int k = 0; k < m->nmotion; k++) {
    int i = m->motion_dof[k];
    /* a driven coordinate has no inertia of its own: the drive supplies what the elements resist */
    CAP_EACH_LANE(l, nlane)
    power[(first + m->nslider + k) * nlane + l] = -e->h[i * nlane + l] *
                                                  (m->base[i * nlane + l] + e->v[i * nlane + l]);
  }
}

void cap_model_energy(const cap_model *m, const cap_eval *e, double *stored)
{
  int nlane = e->nlane, first = m->nx - m->nslider;
  CAP_EACH_LANE(l, nlane) stored[l] = 0.0;
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0) CAP_EACH_LANE(l, nlane)
      {
        double v = m->base[i * nlane + l] + e->v[i * nlane + l];
        stored[l] += 0.5 * m->mass[i * nlane + l] * v * v;
      }
  for (int k = 0; k < m->nbatch; k++)
    if (m->batches[k].type->energy) m->batches[k].type->energy(&m->batches[k], e, stored);
  if (m->ncontact) stored[0] += cap_contacts_energy(m, e->t[0], e->q, e->x);
  if (m->ninertia) stored[0] += cap_inertia_energy(m, e->q, e->v, e->inertia_work);
  for (int s = 0; s < m->nslider; s++) CAP_EACH_LANE(l, nlane)
    {
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
    default: /* the builder has turned all others into these */
      break;
    }
  }
  return sum;
}

CAP_CLONES void cap_model_channel_lanes(const cap_channel *c, int nlane, const double *q, const double *v,
                                        const double *x, const double *force, double *values)
{
  CAP_EACH_LANE(l, nlane) values[l] = 0.0;
  for (int t = 0; t < c->nterm; t++) {
    const double *factor = c->factors + t * nlane;
    const double *from[] = {NULL, q, v, x, force, x}; /* in the order of cap_term_kind */
    const double *row = from[c->terms[t].kind];
    if (!row) CAP_EACH_LANE(l, nlane) values[l] += factor[l];
    else CAP_EACH_LANE(l, nlane) values[l] += factor[l] * row[c->terms[t].index * nlane + l];
  }
}

cap_status cap_model_check_finite(const cap_model *m, double t, const double *y, cap_error *error)
{
  int n = m->nstate * m->nlane;
  double sum = 0.0; /* one pass without branches: not finite if any is not */
  for (int k = 0; k < n; k++) sum += 0.0 * y[k];
  if (sum == 0.0) return cap_contacts_check(m, t, y, error);
  for (int k = 0; k < n; k++) {
    if (isfinite(y[k])) continue;
    int state = k / m->nlane;
    const char *quantity = state < m->nv ? "position" : state < 2 * m->nv ? "velocity" : "inner force";
    if (state >= 2 * m->nv && strcmp(m->x_unit[state - 2 * m->nv], "N") != 0) quantity = "internal variable";
    const char *name = state < 2 * m->nv ? m->dof_name[state % m->nv] : m->x_name[state - 2 * m->nv];
    return cap_status_fail(error, CAP_ERR_NUMERICS, "at t = %.9g s the %s of %s is not finite (%g)", t,
                           quantity, name, y[k]);
  }
  return CAP_OK;
}
