/* drives/pushbelt/impulses/leaves_safe.c — see leaves_work.h: the way that always gets there.
 *
 * Maths: docs/theory.md §52.2. With limits held, the velocities after the impulses minimise
 *     Phi = 1/2 |v - v_free|^2_M + sum of the envelopes of what friction and contacts cost
 * where an envelope of the compliance e is that of the law lambda = prox(centre - xi/e): once differentiable,
 * convex, and Phi strongly so. Newton's method with a search along each of its steps finds the minimum from
 * anywhere; from soft envelopes to stiff ones it stays near. All that the search needs is in the rows:
 *     dPhi = sum (lambda - prox(centre - xi/e)) . dxi,
 * as M (v - v_free) = W lambda of the straight pieces from step to step.
 */
#include "drives/pushbelt/impulses/leaves_work.h"

#include <math.h>
#include <string.h>

enum { STEPS_MOST = 40, SEARCHES_MOST = 40, LIMITS_MOST = 12 };
static const double softest = 1.0, softer = 1e-2;
static const double near_minimum = 0.2; /* of the slope that a search began with */
static const double settled = 1e-3;     /* of a tolerance */

static void copy(int room, double *const from[CAP_LEAVES_ROWS], double *const to[CAP_LEAVES_ROWS])
{
  for (int i = 0; i < CAP_LEAVES_ROWS; i++) memcpy(to[i], from[i], sizeof(double) * (size_t)room);
}

/* The share of a step to go: where the slope is a small part of that at its start.
 * Convex: the slope grows. */
static double search(const cap_leaves *s, double compliance, double *off)
{
  double low = 0.0, high = 1.0, ignored;
  double start = cap_leaves_local_slope(s, compliance, 0.0, &ignored), at_low = start;
  double at_high = cap_leaves_local_slope(s, compliance, 1.0, off);
  if (!(start < 0.0) || at_high <= -near_minimum * start) return 1.0;
  for (int i = 0; i < SEARCHES_MOST; i++) {
    double by_line = low + (high - low) * at_low / (at_low - at_high), by_half = 0.5 * (low + high);
    double share = i % 2 == 0 && by_line > low && by_line < high ? by_line : by_half;
    double slope = cap_leaves_local_slope(s, compliance, share, off);
    if (fabs(slope) <= -near_minimum * start) return share;
    if (slope < 0.0) low = share, at_low = slope;
    else high = share, at_high = slope;
  }
  return low > 0.0 ? low : high;
}

/* The minimum with limits as they are; number of steps, or -1. */
static int minimise(cap_leaves *s, double compliance, double tolerance)
{
  cap_leaves_work *w = s->work;
  for (int step = 1; step <= STEPS_MOST; step++) {
    double off;
    copy(s->room, s->lambda, w->from);
    copy(s->room, s->xi, w->xi_from);
    cap_leaves_local_straighten(s, (cap_leaves_way){true, compliance, 1, 0.0});
    if (!cap_leaves_trunk_step(s, false, false)) return -1;
    cap_leaves_local_follow(s, compliance, true);
    double share = search(s, compliance, &off);
    if (!isfinite(off)) return -1;
    if (share < 1.0) cap_leaves_local_part(s, share);
    if (share == 1.0 && off <= tolerance) return step;
  }
  return STEPS_MOST;
}

/* Impulses 0, and what the trunk then does. */
static void begin(cap_leaves *s)
{
  for (int i = 0; i < CAP_LEAVES_ROWS; i++) {
    memset(s->lambda[i], 0, sizeof(double) * (size_t)s->room);
    memcpy(s->xi[i], s->c[i], sizeof(double) * (size_t)s->room);
  }
}

static double change(const cap_leaves *s, const double *before)
{
  double most = 0.0;
  for (int k = 0; k < s->n; k++)
    most = fmax(most, fabs(s->work->limit[k] - before[k]) / s->work->rho[CAP_LEAVES_TANGENT][k]);
  return most;
}

int cap_leaves_safe(cap_leaves *s, double stiffest, double tolerance)
{
  cap_leaves_work *w = s->work;
  int all = 0;
  cap_leaves_trunk_rest(s);
  begin(s);
  for (double compliance = softest;; compliance = fmax(compliance * softer, stiffest)) {
    int count = minimise(s, compliance, settled * tolerance);
    if (count < 0) return -1;
    all += count;
    cap_leaves_local_limit(s);
    if (compliance <= stiffest) break;
  }
  for (int turn = 0; s->kinds.normal && turn < LIMITS_MOST; turn++) {
    memcpy(w->before, w->limit, sizeof(double) * (size_t)s->room);
    int count = minimise(s, stiffest, settled * tolerance);
    if (count < 0) return -1;
    all += count;
    cap_leaves_local_limit(s);
    if (change(s, w->before) <= tolerance) break;
  }
  return all;
}
