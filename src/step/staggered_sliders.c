/* step/staggered_sliders.c — dry friction with a set-valued law, along with staggered steps.
 *
 * Sliders with compliance follow the positions; Coulomb friction is implicit in the velocities after a kick.
 */
#include "step/staggered_work.h"

#include <math.h>

enum { SWEEPS_MOST = 200 };

static double speed_of(const cap_model *m, const double *v, int s)
{
  return v[m->slider_i[s]] - (m->slider_j[s] == CAP_GROUND ? 0.0 : v[m->slider_j[s]]);
}

static double *slider_forces(const cap_model *m, cap_data *d)
{
  return d->x + m->nx - m->nslider;
}

static double *slider_works(const cap_model *m, double *work)
{
  return work + m->nmech - m->nmotion - m->nslider;
}

double cap_staggered_sliders(const cap_model *m)
{
  double fastest = 0.0;
  for (int s = 0; s < m->nslider; s++) {
    double k = m->slider_k[s];
    double give = cap_staggered_mobility(m, m->slider_i[s]) + cap_staggered_mobility(m, m->slider_j[s]);
    if (isfinite(k)) fastest = fmax(fastest, sqrt(k * give));
  }
  return fastest;
}

void cap_staggered_sliders_move(const cap_model *m, staggered *w, cap_data *d, const double *v, double h)
{
  double *z = slider_forces(m, d), *lost = slider_works(m, w->jump);
  for (int s = 0; s < m->nslider; s++) {
    double k = m->slider_k[s], limit = m->slider_limit[s], drawn = h * speed_of(m, v, s), z0 = z[s];
    if (isinf(k)) continue;
    z[s] = fmin(fmax(z0 + k * drawn, -limit), limit);
    lost[s] += 0.5 * (z0 + z[s]) * drawn - 0.5 * (z[s] * z[s] - z0 * z0) / k;
  }
}

cap_status cap_staggered_sliders_hold(const cap_model *m, staggered *w, cap_data *d, double h)
{
  double *z = slider_forces(m, d), change = 1.0;
  for (int sweep = 0; sweep < SWEEPS_MOST && change > 1e-14; sweep++) {
    change = 0.0;
    for (int s = 0; s < m->nslider; s++) {
      if (!isinf(m->slider_k[s])) continue;
      int i = m->slider_i[s], j = m->slider_j[s];
      double limit = m->slider_limit[s], speed = speed_of(m, w->v_half, s);
      double give = h * (cap_staggered_mobility(m, i) + cap_staggered_mobility(m, j)), to = z[s];
      if (give > 0.0) to = z[s] + speed / give;
      else if (speed != 0.0) to = copysign(limit, speed);
      double dz = fmin(fmax(to, -limit), limit) - z[s];
      w->v_half[i] -= h * cap_staggered_mobility(m, i) * dz;
      if (j != CAP_GROUND) w->v_half[j] += h * cap_staggered_mobility(m, j) * dz;
      z[s] += dz;
      if (limit > 0.0) change = fmax(change, fabs(dz) / limit);
    }
  }
  return change > 1e-14 ? CAP_RETRY_NOCONV : CAP_OK;
}

bool cap_staggered_sliders_coulomb(const cap_model *m)
{
  for (int s = 0; s < m->nslider; s++)
    if (isinf(m->slider_k[s])) return true;
  return false;
}

void cap_staggered_sliders_tell(const cap_model *m, staggered *w, cap_data *d, bool first)
{
  const double *z = slider_forces(m, d);
  double *power = slider_works(m, w->power);
  for (int s = 0; s < m->nslider; s++) {
    double after = speed_of(m, w->v_half, s), before = first ? speed_of(m, d->v, s) : w->slip[s];
    if (isinf(m->slider_k[s])) power[s] = z[s] * (first ? before : 0.5 * (before + after));
    w->slip[s] = after;
  }
}

const char *cap_staggered_sliders_obstacle(const cap_model *m)
{
  for (int s = 0; m->ninertia && s < m->nslider; s++)
    if (cap_inertia_of(m, m->slider_i[s]) || cap_inertia_of(m, m->slider_j[s]))
      return "dry friction acts on a body with a non-diagonal mass matrix";
  return NULL;
}

void cap_staggered_sliders_regimes(const cap_model *m, cap_data *d)
{
  const double *z = slider_forces(m, d);
  for (int s = 0; s < m->nslider; s++)
    d->regime[s] = fabs(z[s]) < m->slider_limit[s] ? 0 : z[s] > 0.0 ? 1 : -1;
}
