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

void cap_motion_at(const cap_motion *motion, double t, double *q, double *v, double *a)
{
  if (motion->nsample) {
    sampled_at(motion, t, q, v, a);
    return;
  }
  double angle = motion->pulsation * t + motion->phase;
  double sine = motion->amplitude * sin(angle), cosine = motion->amplitude * cos(angle);
  *q = motion->mean + sine;
  *v = motion->pulsation * cosine;
  *a = -motion->pulsation * motion->pulsation * sine;
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
