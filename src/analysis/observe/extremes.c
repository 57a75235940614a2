/* analysis/observe/extremes.c — see extremes.h. */
#include "analysis/observe/extremes.h"
#include "base/clones.h"

#include <math.h>
#include <string.h>

cap_status cap_extremes_create(const cap_channels *channels, int nlane, cap_extremes *x)
{
  *x = (cap_extremes){.channels = channels, .nlane = nlane};
  int n = channels->n * nlane;
  x->low = CAP_ARENA_NEW(&x->arena, double, n);
  x->high = CAP_ARENA_NEW(&x->arena, double, n);
  x->mean = CAP_ARENA_NEW(&x->arena, double, n);
  x->last = CAP_ARENA_NEW(&x->arena, double, n);
  x->before = CAP_ARENA_NEW(&x->arena, double, n);
  x->span = CAP_ARENA_NEW(&x->arena, double, nlane);
  x->t_last = CAP_ARENA_NEW(&x->arena, double, nlane);
  x->decay = CAP_ARENA_NEW(&x->arena, double, nlane);
  if (x->low && x->high && x->mean && x->last && x->before && x->span && x->t_last && x->decay) return CAP_OK;
  cap_extremes_free(x);
  return CAP_ERR_NOMEM;
}

void cap_extremes_free(cap_extremes *x)
{
  cap_arena_free(&x->arena);
  *x = (cap_extremes){0};
}

void cap_extremes_begin(void *self)
{
  cap_extremes *x = self;
  x->seen = 0;
  for (int k = 0; k < x->channels->n * x->nlane; k++) {
    x->low[k] = INFINITY;
    x->high[k] = -INFINITY;
    x->mean[k] = 0.0;
  }
  memset(x->span, 0, sizeof(double) * (size_t)x->nlane);
  memset(x->decay, 0, sizeof(double) * (size_t)x->nlane);
}

/* One more value of a channel in every lane. */
CAP_INLINE void update_lanes(const double *restrict now, const double *restrict step, double *restrict last,
                             double *restrict before, double *restrict low, double *restrict high,
                             double *restrict mean, bool three, int nlane)
{
  CAP_EACH_LANE(l, nlane)
  {
    double a = before[l], b = last[l], c = now[l], bend = a - 2.0 * b + c, slope = 0.5 * (c - a);
    bool top = b >= a && b > c, bottom = b <= a && b < c;
    double peak = b - 0.5 * slope * slope / (bend == 0.0 ? 1.0 : bend); /* vertex of the parabola */
    double refined = three && (top || bottom) ? peak : c;
    double largest = refined > c ? refined : c, smallest = refined < c ? refined : c;
    high[l] = largest > high[l] ? largest : high[l];
    low[l] = smallest < low[l] ? smallest : low[l];
    mean[l] += 0.5 * step[l] * (b + c);
    before[l] = b;
    last[l] = c;
  }
}

CAP_CLONES static void update(cap_extremes *x, int channel, const double *now, const double *step)
{
  int at = channel * x->nlane;
  CAP_LANE_CASES(x->nlane, update_lanes, now, step, x->last + at, x->before + at, x->low + at, x->high + at,
                 x->mean + at, x->seen >= 2);
}

void cap_extremes_see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                      const double *decay)
{
  cap_extremes *x = self;
  int nlane = x->nlane;
  const double *q = y, *v = y + m->nv * nlane, *inner = y + 2 * m->nv * nlane;
  double step[CAP_LANES_MOST];
  for (int l = 0; l < nlane; l++) {
    step[l] = x->seen ? t[l] - x->t_last[l] : 0.0;
    x->t_last[l] = t[l];
    x->span[l] += step[l];
  }
  for (int c = 0; c < x->channels->n; c++) {
    double now[CAP_LANES_MOST];
    cap_model_channel_lanes(&m->channels[x->channels->number[c]], nlane, q, v, inner, force, now);
    update(x, c, now, step);
  }
  for (int k = 0; decay && k < m->nx - m->nslider; k++)
    for (int l = 0; l < nlane; l++) {
      double here = decay[k * nlane + l];
      x->decay[l] = here > x->decay[l] ? here : x->decay[l];
    }
  x->seen++;
}

double cap_extremes_mean(const cap_extremes *x, int channel, int lane)
{
  return x->span[lane] > 0.0 ? x->mean[channel * x->nlane + lane] / x->span[lane] : 0.0;
}
