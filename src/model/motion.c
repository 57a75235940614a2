/* model/motion.c — see motion.h. */
#include "model/motion.h"
#include "linalg/spline.h"

#include <math.h>
#include <string.h>

static void sampled_at(const cap_motion *s, double t, double *q, double *v, double *a)
{
  int n = s->nsample;
  *q = capm_spline_at(n, s->x, s->y, s->slopes, t, v, a);
  if (t < s->x[0] || t > s->x[n - 1]) *v = *a = 0.0;
}

void cap_motion_mean(const cap_motion *m, const double *inputs, double t, double *q, double *v, double *a)
{
  if (m->input) {
    *q = m->base + cap_input_travel(inputs, m->input - 1, t);
    *v = cap_input_at(inputs, m->input - 1, t);
    *a = cap_input_rate(inputs, m->input - 1);
    return;
  }
  int last = m->nspeed - 1, k = 0;
  if (t < m->time[0] || last == 0 || t >= m->time[last]) {
    k = t < m->time[0] ? 0 : last;
    *v = m->speed[k];
    *a = 0.0;
    *q = m->angle[k] + *v * (t - m->time[k]);
    return;
  }
  while (t >= m->time[k + 1]) k++;
  double since = t - m->time[k];
  *a = (m->speed[k + 1] - m->speed[k]) / (m->time[k + 1] - m->time[k]);
  *v = m->speed[k] + *a * since;
  *q = m->angle[k] + (m->speed[k] + 0.5 * *a * since) * since;
}

static void shaft_at(const cap_motion *m, const double *inputs, double t, double *q, double *v, double *a)
{
  double psi, rate, growth, first = m->swing ? 0.0 : 1.0, second = 0.0;
  cap_motion_mean(m, inputs, t, &psi, &rate, &growth);
  *q = m->swing ? 0.0 : psi;
  for (int k = 0; k < m->norder; k++) {
    double angle = m->order[k] * psi + m->shift[k];
    *q += m->size[k] * sin(angle);
    first += m->size[k] * m->order[k] * cos(angle);
    second -= m->size[k] * m->order[k] * m->order[k] * sin(angle);
  }
  *v = rate * first;
  *a = growth * first + rate * rate * second;
}

void cap_motion_at(const cap_motion *motion, const double *inputs, double t, double *q, double *v, double *a)
{
  if (motion->nspeed) {
    shaft_at(motion, inputs, t, q, v, a);
    return;
  }
  if (motion->nsample) {
    sampled_at(motion, t, q, v, a);
    return;
  }
  if (motion->input) {
    *q = motion->base + motion->factor * cap_input_at(inputs, motion->input - 1, t);
    *v = motion->factor * cap_input_rate(inputs, motion->input - 1);
    *a = 0.0;
    return;
  }
  double angle = motion->angular_frequency * t + motion->phase;
  double sine = motion->amplitude * sin(angle), cosine = motion->amplitude * cos(angle);
  *q = motion->mean + sine;
  *v = motion->angular_frequency * cosine;
  *a = -motion->angular_frequency * motion->angular_frequency * sine;
}

cap_status cap_motion_sampled(cap_arena *arena, int n, const double *x, const double *y, cap_motion *motion)
{
  double *xs = CAP_ARENA_NEW(arena, double, n), *ys = CAP_ARENA_NEW(arena, double, n);
  double *slopes = CAP_ARENA_NEW(arena, double, n);
  if (!xs || !ys || !slopes) return CAP_ERR_NOMEM;
  CAP_TRY(capm_spline_slopes(n, x, y, slopes));
  memcpy(xs, x, (size_t)n * sizeof *xs);
  memcpy(ys, y, (size_t)n * sizeof *ys);
  *motion = (cap_motion){.nsample = n, .x = xs, .y = ys, .slopes = slopes};
  return CAP_OK;
}

static const double *kept(cap_arena *arena, int n, const double *from)
{
  double *copy = CAP_ARENA_NEW(arena, double, n + 1);
  if (copy && n) memcpy(copy, from, (size_t)n * sizeof *copy);
  return copy;
}

cap_status cap_motion_shaft(cap_arena *arena, int nspeed, const double *time, const double *speed, int norder,
                            const double *order, const double *size, const double *shift, cap_motion *motion)
{
  double *angle = CAP_ARENA_NEW(arena, double, nspeed);
  *motion = (cap_motion){.nspeed = nspeed,
                         .norder = norder,
                         .time = kept(arena, nspeed, time),
                         .speed = kept(arena, nspeed, speed),
                         .angle = angle,
                         .order = kept(arena, norder, order),
                         .size = kept(arena, norder, size),
                         .shift = kept(arena, norder, shift)};
  if (!angle || !motion->time || !motion->speed || !motion->order || !motion->size || !motion->shift)
    return CAP_ERR_NOMEM;
  for (int k = 1; k < nspeed; k++)
    angle[k] = angle[k - 1] + 0.5 * (speed[k] + speed[k - 1]) * (time[k] - time[k - 1]);
  return CAP_OK;
}
