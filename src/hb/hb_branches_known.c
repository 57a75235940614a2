/* hb/hb_branches_known.c — whether a solution lies on a branch that is there already. */
#include "hb/hb_branches_work.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Two solutions of Newton's method are the same when they differ by less than this part of the unknowns'
 * sizes; different ones that meet at a fold or a branch point are nearer than it only within 1e-10 of it. */
static const double SAME = 1e-5;

/* ---- periods ------------------------------------------------------------------------------------------- */

void cap_hb_branches_known_shift(const cap_hb *hb, const double *x, int k, double *y)
{
  for (int i = 0; i < hb->nouter + hb->ncoulomb; i++) {
    const double *a = x + i * hb->ncoef;
    double *b = y + i * hb->ncoef;
    b[0] = a[0];
    for (int h = 1; h <= hb->nharmonic; h++) {
      double angle = 2.0 * M_PI * (double)((long)h * k % hb->sub) / hb->sub, c = cos(angle), s = sin(angle);
      double even = a[2 * h - 1], odd = a[2 * h];
      b[2 * h - 1] = c * even + s * odd;
      b[2 * h] = c * odd - s * even;
    }
  }
}

/* Largest coefficient, over the unknowns' sizes, of harmonics that an orbit of `period` periods has not. */
static double sub_harmonics(const cap_hb_branches *set, const cap_hb *hb, const double *x, int period)
{
  double most = 0.0;
  for (int i = 0; i < hb->nouter; i++)
    for (int h = 1; h <= hb->nharmonic; h++) {
      if (h % (hb->sub / period) == 0) continue;
      const double *a = x + i * hb->ncoef + 2 * h - 1;
      most = fmax(most, hypot(a[0], a[1]) / set->scale[i]);
    }
  return most;
}

int cap_hb_branches_known_period(const cap_hb_branches *set, const cap_hb *hb, const double *x)
{
  for (int period = 1; period < hb->sub; period++)
    if (hb->sub % period == 0 && sub_harmonics(set, hb, x, period) < SAME) return period;
  return hb->sub;
}

/* ---- identity ------------------------------------------------------------------------------------------ */

static double distance(const cap_hb_level *level, const double *a, const double *b)
{
  double most = 0.0;
  for (int i = 0; i < level->hb->nunknown; i++)
    most = fmax(most, fabs(a[i] - b[i]) / level->curve.x_scale[i]);
  return most;
}

/* Whether the candidate can be between two stored points: it is no farther from either than some chords. */
static bool is_near(const cap_hb_level *level, const cap_hb_point *a, const cap_hb_point *b, const double *x)
{
  double chord = distance(level, a->x, b->x), away = fmin(distance(level, a->x, x), distance(level, b->x, x));
  return away <= 2.0 * chord + 0.1;
}

static bool straddle(const cap_hb_point *a, const cap_hb_point *b, double p)
{
  double slack = 1e-9 * (fabs(a->p) + fabs(b->p));
  return p >= fmin(a->p, b->p) - slack && p <= fmax(a->p, b->p) + slack;
}

/* The branch's solution between points k and k + 1, compared with x; `at` is scratch. */
static bool is_on_piece(const cap_hb_level *level, const cap_hb_branch *branch, int k, const double *x,
                        double p, double *at)
{
  const cap_hb_point *a = &branch->points[k], *b = &branch->points[k + 1];
  if (!straddle(a, b, p) || !is_near(level, a, b, x)) return false;
  if (distance(level, a->x, x) < SAME && fabs(a->p - p) < 1e-9 * fabs(p)) return true;
  if (distance(level, b->x, x) < SAME && fabs(b->p - p) < 1e-9 * fabs(p)) return true;
  cap_continuation_node from = {a->x, a->p, a->tangent}, to = {b->x, b->p, b->tangent};
  for (int turn = 0; turn < 2; turn++) { /* nearer to a; nearer to b, when the piece turns between them */
    cap_status status = cap_continuation_at(level->path, turn ? &to : &from, turn ? &from : &to, p, at, NULL);
    if (status == CAP_OK && distance(level, at, x) < SAME) return true;
  }
  return false;
}

static bool is_on_branch(cap_hb_branches *set, const cap_hb_branch *branch, const double *x, double p,
                         double *work)
{
  const cap_hb_level *level = set->levels[branch->level];
  int n = level->hb->nunknown;
  for (int shift = 0; shift < branch->sub; shift++) {
    cap_hb_branches_known_shift(level->hb, x, shift, work);
    if (branch->npoint == 1 && branch->points->p == p && distance(level, branch->points->x, work) < SAME)
      return true;
    for (int k = 0; k + 1 < branch->npoint; k++)
      if (is_on_piece(level, branch, k, work, p, work + n)) return true;
  }
  return false;
}

/* x of one level as a solution of another. */
static cap_status carry(cap_hb_branches *set, const cap_hb_level *from, const double *x, double p,
                        int to_index, double *y)
{
  cap_hb_level *to = set->levels[to_index];
  cap_hb_transfer(from->hb, x, to->hb, y);
  CAP_TRY(cap_hb_branches_level_path(set, to_index, NULL));
  return cap_continuation_newton(to->path, y, p, 30, NULL, NULL, NULL);
}

cap_status cap_hb_branches_known_find(cap_hb_branches *set, int level, const double *x, double p, int *found,
                                      cap_error *error)
{
  const cap_hb_level *own = set->levels[level];
  *found = -1;
  for (int k = 0; k < set->nbranch && *found < 0; k++) {
    const cap_hb_branch *branch = &set->branches[k];
    if (branch->sub != own->sub) continue;
    size_t n = (size_t)set->levels[branch->level]->hb->nunknown;
    double *work = malloc(sizeof(double) * (3 * n + 1));
    if (!work) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    const double *here = x;
    cap_status status = CAP_OK;
    if (branch->level != level) {
      status = carry(set, own, x, p, branch->level, work + 2 * n);
      here = work + 2 * n;
    }
    if (status == CAP_OK && is_on_branch(set, branch, here, p, work)) *found = k;
    free(work);
    if (status < 0) return cap_status_fail(error, status, "%s", cap_status_text(status));
  }
  return CAP_OK;
}

cap_status cap_hb_branches_known(cap_hb_branches *set, int sub, const double *x, double p, int *branch,
                                 cap_error *error)
{
  int level;
  double *copy = NULL;
  *branch = -1;
  cap_status status = cap_hb_branches_follow_improve(set, sub, x, p, &level, &copy, error);
  if (status == CAP_OK) status = cap_hb_branches_known_find(set, level, copy, p, branch, error);
  free(copy);
  return status;
}
