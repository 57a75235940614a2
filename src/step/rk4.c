/* step/rk4.c — the classical Runge-Kutta method with fixed steps, for ensembles.
 *
 * Maths: docs/theory.md §4.3. All lanes of a model advance together, lane innermost, so that one pass over
 * the elements serves a whole vector register. The tangent is the exact derivative of the discrete step (the
 * same four stages applied to the columns), not of the differential equation. Smooth laws only; where a law
 * changes form at a velocity reversal the order falls locally.
 */
#include "base/clones.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct memory {
  cap_stepper_settings settings;
  double *stage, *slope, *sum; /* [nstate][nlane] */
  double *dstage[3], *dslope;  /* [nstate][nstate][nlane] where stages 2 to 4 are evaluated */
  double *h, *dh, *force, *power, *work, *t, *decay, *inertia;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int n = m->nstate * m->nlane, n2 = m->nstate * n;
  w->settings = *settings;
  w->stage = CAP_ARENA_NEW(&w->arena, double, n);
  w->slope = CAP_ARENA_NEW(&w->arena, double, n);
  w->sum = CAP_ARENA_NEW(&w->arena, double, n);
  for (int s = 0; s < 3; s++) w->dstage[s] = CAP_ARENA_NEW(&w->arena, double, n2);
  w->dslope = CAP_ARENA_NEW(&w->arena, double, n2);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv * m->nlane);
  w->dh = CAP_ARENA_NEW(&w->arena, double, (m->nv * n));
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput * m->nlane);
  w->power = CAP_ARENA_NEW(&w->arena, double, m->nmech * m->nlane);
  w->work = CAP_ARENA_NEW(&w->arena, double, m->nmech * m->nlane);
  w->t = CAP_ARENA_NEW(&w->arena, double, m->nlane);
  w->decay = CAP_ARENA_NEW(&w->arena, double, m->nx * m->nlane);
  w->inertia = CAP_ARENA_NEW(&w->arena, double, m->ninertia_work);
  *self = w;
  if (w->stage && w->slope && w->sum && w->dstage[0] && w->dstage[1] && w->dstage[2] && w->dslope && w->h &&
      w->dh && w->force && w->power && w->work && w->t && w->decay && w->inertia)
    return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static const double stage_time[4] = {0.0, 0.5, 0.5, 1.0}, stage_weight[4] = {1.0, 2.0, 2.0, 1.0};

/* After stage s: sum accumulates its slope, out = base + step * slope where the next one is evaluated. One
 * pass over the rows. */
CAP_INLINE void combine(int s, int nrow, const double *restrict step, const double *restrict base,
                        const double *restrict slope, double *restrict sum, double *restrict out, int nlane)
{
  double weight = stage_weight[s], reach[CAP_LANES_MOST];
  CAP_EACH_LANE(l, nlane) reach[l] = stage_time[s + 1] * step[l];
  for (int row = 0; row < nrow * nlane; row += nlane) {
    if (s == 0) CAP_EACH_LANE(l, nlane)
      {
        sum[row + l] = slope[row + l];
        out[row + l] = base[row + l] + reach[l] * slope[row + l];
      }
    else CAP_EACH_LANE(l, nlane)
      {
        sum[row + l] += weight * slope[row + l];
        out[row + l] = base[row + l] + reach[l] * slope[row + l];
      }
  }
}

CAP_INLINE void finish(int nrow, const double *restrict step, const double *restrict sum,
                       const double *restrict slope, double *restrict y, int nlane)
{
  double sixth[CAP_LANES_MOST];
  CAP_EACH_LANE(l, nlane) sixth[l] = step[l] / 6.0;
  for (int row = 0; row < nrow * nlane; row += nlane)
    CAP_EACH_LANE(l, nlane) y[row + l] += sixth[l] * (sum[row + l] + slope[row + l]);
}

/* The slope of a position is the velocity of the stage itself, which therefore is read in its place. */
CAP_INLINE void end_stage(int s, int nposition, int nrow, const double *step, double *y, const double *at,
                          const double *slope, double *sum, double *stage, int nlane)
{
  int rest = nposition * nlane;
  if (s < 3) {
    combine(s, nposition, step, y, at + rest, sum, stage, nlane);
    combine(s, nrow - nposition, step, y + rest, slope + rest, sum + rest, stage + rest, nlane);
  } else {
    finish(nposition, step, sum, at + rest, y, nlane);
    finish(nrow - nposition, step, sum + rest, slope + rest, y + rest, nlane);
  }
}

/* The same for the tangent, which has many rows: they are not summed up, since the stages say it all:
 *   y1 = (Y2 + 2 Y3 + Y4 - y0)/3 + h/6 k4. */
CAP_INLINE void reach_rows(int s, int nrow, const double *restrict step, const double *restrict base,
                           const double *restrict slope, double *restrict out, int nlane)
{
  double reach[CAP_LANES_MOST];
  CAP_EACH_LANE(l, nlane) reach[l] = stage_time[s + 1] * step[l];
  for (int row = 0; row < nrow * nlane; row += nlane)
    CAP_EACH_LANE(l, nlane) out[row + l] = base[row + l] + reach[l] * slope[row + l];
}

CAP_INLINE void finish_rows(int nrow, const double *restrict step, const double *restrict y2,
                            const double *restrict y3, const double *restrict y4,
                            const double *restrict slope, double *restrict y, int nlane)
{
  double sixth[CAP_LANES_MOST], third = 1.0 / 3.0;
  CAP_EACH_LANE(l, nlane) sixth[l] = step[l] / 6.0;
  for (int row = 0; row < nrow * nlane; row += nlane) CAP_EACH_LANE(l, nlane)
    {
      double stages = y2[row + l] + 2.0 * y3[row + l] + y4[row + l];
      y[row + l] = third * (stages - y[row + l]) + sixth[l] * slope[row + l];
    }
}

CAP_INLINE void end_tangent(int s, int nposition, int nrow, const double *step, const memory *w, double *y,
                            int nlane)
{
  int rest = nposition * nlane;
  const double *at = s == 0 ? y : w->dstage[s - 1], *slope = w->dslope;
  double *const *stage = w->dstage;
  if (s < 3) {
    reach_rows(s, nposition, step, y, at + rest, stage[s], nlane);
    reach_rows(s, nrow - nposition, step, y + rest, slope + rest, stage[s] + rest, nlane);
  } else {
    finish_rows(nposition, step, stage[0], stage[1], stage[2], at + rest, y, nlane);
    finish_rows(nrow - nposition, step, stage[0] + rest, stage[1] + rest, stage[2] + rest, slope + rest,
                y + rest, nlane);
  }
}

CAP_CLONES static void end_stages(const cap_model *m, memory *w, int s, const double *step, double *y,
                                  double *tangent)
{
  int nv = m->nv, ns = m->nstate;
  CAP_LANE_CASES(m->nlane, end_stage, s, nv, ns, step, y, s == 0 ? y : w->stage, w->slope, w->sum, w->stage);
  if (tangent) CAP_LANE_CASES(m->nlane, end_tangent, s, nv * ns, ns * ns, step, w, tangent);
}

static void take_step(const cap_model *m, memory *w, cap_data *d, const double *step, double *tangent)
{
  int nlane = m->nlane, nmech = m->nmech;
  if (w->settings.audit) memset(w->work, 0, sizeof(double) * (size_t)(nmech * nlane));
  cap_eval e = {.nlane = nlane, .ncol = tangent ? m->nstate : 0, .t = w->t, .h = w->h, .dh = w->dh};
  e.input = d->input;
  e.inertia_work = w->inertia;
  if (w->settings.audit) e.power = w->power;
  for (int s = 0; s < 4; s++) {
    bool seen = s == 0 && w->settings.observer;
    for (int l = 0; l < nlane; l++) w->t[l] = d->t[l] + stage_time[s] * step[l];
    e.force = seen ? w->force : NULL;
    e.decay = seen ? w->decay : NULL;
    cap_model_slopes(m, &e, s == 0 ? d->y : w->stage, s == 0 ? tangent : w->dstage[s - 1], w->slope,
                     w->dslope);
    if (seen) w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, w->decay);
    if (e.power)
      for (int k = 0; k < nmech * nlane; k++) w->work[k] += stage_weight[s] * w->power[k];
    end_stages(m, w, s, step, d->y, tangent);
  }
  if (w->settings.audit)
    for (int k = 0; k < nmech; k++)
      for (int l = 0; l < nlane; l++) d->work[k * nlane + l] += step[l] / 6.0 * w->work[k * nlane + l];
}

/* What is imposed does not depend on the start. */
static void forget_driven(const cap_model *m, double *tangent)
{
  size_t row = (size_t)(m->nstate * m->nlane);
  for (int k = 0; k < m->nmotion; k++) {
    memset(tangent + (size_t)m->motion_dof[k] * row, 0, sizeof(double) * row);
    memset(tangent + (size_t)(m->nv + m->motion_dof[k]) * row, 0, sizeof(double) * row);
  }
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  int64_t count = cap_stepper_count(m, d, t_end, w->settings.step);
  double step[CAP_LANES_MOST], start[CAP_LANES_MOST];
  for (int l = 0; l < m->nlane; l++) {
    start[l] = d->t[l];
    step[l] = (t_end[l] - d->t[l]) / (double)count;
  }
  for (int64_t k = 0; k < count; k++) {
    CAP_TRY(cap_stepper_look(m, *d->t, d->v, error));
    take_step(m, w, d, step, tangent);
    for (int l = 0; l < m->nlane; l++)
      d->t[l] = k + 1 == count ? t_end[l] : start[l] + (double)(k + 1) * step[l];
    if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
    if (m->nmotion && tangent) forget_driven(m, tangent);
    if ((k & 1023) == 1023) CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  }
  d->steps[CAP_STEPS_STEPS] += count;
  d->steps[CAP_STEPS_EVALUATIONS] += 4 * count;
  if (w->settings.observer) {
    cap_eval e = {.nlane = m->nlane, .t = d->t, .h = w->h, .force = w->force, .decay = w->decay};
    e.input = d->input;
    e.inertia_work = w->inertia;
    cap_model_derivative(m, &e, d->y, NULL, w->slope, NULL);
    w->settings.observer->see(w->settings.observer->self, m, d->t, d->y, w->force, w->decay);
  }
  return cap_model_check_finite(m, *d->t, d->y, error);
}

const cap_stepper_type cap_rk4_type = {
    .name = "rk4",
    .doc = "classical Runge-Kutta method with fixed steps, ensembles in vector registers",
    .order = 4,
    .smooth = true,
    .inertia = true,
    .lanes = true,
    .fixed = true,
    .explicit = true,
    .decays = true,
    .tangents = true,
    .create = create,
    .advance = advance,
    .free = release,
};
