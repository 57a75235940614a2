/* model/motion.c — see motion.h. */
#include "model/motion.h"

#include <math.h>
#include <string.h>

static void spline_at(const cap_motion *s, double t, double *q, double *v, double *a)
{
  int n = s->nsample;
  if (t <= s->x[0] || t >= s->x[n - 1]) {
    *q = t <= s->x[0] ? s->y[0] : s->y[n - 1];
    *v = *a = 0.0;
    return;
  }
  int low = 0, high = n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (s->x[middle] > t) high = middle;
    else low = middle;
  }
  double h = s->x[high] - s->x[low], A = (s->x[high] - t) / h, B = 1.0 - A;
  double cl = s->curvature[low], ch = s->curvature[high];
  *q = A * s->y[low] + B * s->y[high] + ((A * A * A - A) * cl + (B * B * B - B) * ch) * h * h / 6.0;
  *v = (s->y[high] - s->y[low]) / h + ((1.0 - 3.0 * A * A) * cl + (3.0 * B * B - 1.0) * ch) * h / 6.0;
  *a = A * cl + B * ch;
}

void cap_motion_at(const cap_motion *motion, double t, double *q, double *v, double *a)
{
  if (motion->nsample) {
    spline_at(motion, t, q, v, a);
    return;
  }
  double angle = motion->pulsation * t + motion->phase;
  double sine = motion->amplitude * sin(angle), cosine = motion->amplitude * cos(angle);
  *q = motion->mean + sine;
  *v = motion->pulsation * cosine;
  *a = -motion->pulsation * motion->pulsation * sine;
}

cap_status cap_motion_spline(cap_arena *arena, int n, const double *x, const double *y, cap_motion *motion)
{
  double *xs = CAP_ARENA_NEW(arena, double, n), *ys = CAP_ARENA_NEW(arena, double, n);
  double *c = CAP_ARENA_NEW(arena, double, n), *u = CAP_ARENA_NEW(arena, double, n);
  if (!xs || !ys || !c || !u) return CAP_ERR_NOMEM;
  memcpy(xs, x, (size_t)n * sizeof *xs);
  memcpy(ys, y, (size_t)n * sizeof *ys);
  /* tridiagonal elimination for the second derivatives, zero at both ends */
  for (int i = 1; i < n - 1; i++) {
    double ratio = (x[i] - x[i - 1]) / (x[i + 1] - x[i - 1]);
    double pivot = ratio * c[i - 1] + 2.0;
    double kink = (y[i + 1] - y[i]) / (x[i + 1] - x[i]) - (y[i] - y[i - 1]) / (x[i] - x[i - 1]);
    c[i] = (ratio - 1.0) / pivot;
    u[i] = (6.0 * kink / (x[i + 1] - x[i - 1]) - ratio * u[i - 1]) / pivot;
  }
  c[n - 1] = 0.0;
  for (int i = n - 2; i >= 0; i--) c[i] = c[i] * c[i + 1] + u[i];
  c[0] = 0.0;
  *motion = (cap_motion){.nsample = n, .x = xs, .y = ys, .curvature = c};
  return CAP_OK;
}
