/* hb/hb_branches_accuracy.c — what harmonics and samples get wrong along a branch. */
#include "hb/hb_branches_work.h"
#include "hb/hb_newton.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

cap_status cap_hb_branches_accuracy_truncation(cap_hb_branches *set, cap_hb_branch *b, double *worst,
                                               double *at, cap_error *error)
{
  cap_hb_level *level = set->levels[b->level];
  *worst = *at = 0.0;
  for (int k = 0; k < b->npoint; k++) {
    cap_hb_point *point = &b->points[k];
    double angular_frequency;
    CAP_TRY(cap_hb_branches_level_place(level, point->p, &angular_frequency, error));
    CAP_TRY(cap_hb_newton_tail(level->hb, point->x, angular_frequency, &point->truncation, error));
    if (point->truncation <= *worst) continue;
    *worst = point->truncation;
    *at = point->p;
  }
  return CAP_OK;
}

/* ---- samples ------------------------------------------------------------------------------------------- */

enum { POINTS = 24, SAMPLES_MOST = 16384 };

typedef struct probe {
  cap_hb_level *level;
  cap_hb *coarse, *fine; /* N and 2 N samples */
  cap_continuation_problem problem;
  double *f, *fx, *fp, *J, *step, *other; /* J[n + 1][n + 1] bordered */
  int *pivot;
  cap_arena arena;
} probe;

static cap_status open_probe(probe *s, cap_hb_level *level, cap_error *error)
{
  size_t n = (size_t)level->hb->nunknown;
  *s = (probe){.level = level, .problem = cap_hb_curve_problem(&level->curve, 1.0)};
  s->f = CAP_ARENA_NEW(&s->arena, double, n);
  s->fx = CAP_ARENA_NEW(&s->arena, double, (n * n));
  s->fp = CAP_ARENA_NEW(&s->arena, double, n);
  s->J = CAP_ARENA_NEW(&s->arena, double, (n + 1) * (n + 1));
  s->step = CAP_ARENA_NEW(&s->arena, double, n + 1);
  s->other = CAP_ARENA_NEW(&s->arena, double, n);
  s->pivot = CAP_ARENA_NEW(&s->arena, int, n + 1);
  if (!s->f || !s->fx || !s->fp || !s->J || !s->step || !s->other || !s->pivot)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return CAP_OK;
}

static cap_status residual_of(const probe *s, cap_hb *hb, const double *x, double angular_frequency,
                              double *r, cap_error *error)
{
  const cap_hb *own = s->level->hb;
  if (hb->m != own->m) CAP_TRY(cap_hb_update(hb, own->m, own->lane, error));
  hb->linear->load_scale = own->linear->load_scale;
  return cap_hb_residual(hb, x, angular_frequency, r, NULL, NULL, error);
}

/* The Newton step across the curve between N and 2 N samples, over the motion about its mean. */
static cap_status sampling_at(probe *s, const cap_hb_point *point, double *size, cap_error *error)
{
  cap_hb *hb = s->level->hb;
  int n = hb->nunknown, wide = n + 1;
  double angular_frequency, change = 0.0, motion = 0.0;
  cap_status status = s->problem.jacobian(s->problem.self, point->x, point->p, s->f, s->fx, s->fp);
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", s->level->curve.error.text);
  CAP_TRY(cap_hb_branches_level_place(s->level, point->p, &angular_frequency, error));
  CAP_TRY(residual_of(s, s->coarse, point->x, angular_frequency, s->other, error));
  CAP_TRY(residual_of(s, s->fine, point->x, angular_frequency, s->step, error));
  for (int i = 0; i < n; i++) {
    double scale = s->level->curve.x_scale[i];
    memcpy(s->J + (size_t)i * (size_t)wide, s->fx + (size_t)i * (size_t)n, sizeof(double) * (size_t)n);
    s->J[(size_t)i * (size_t)wide + (size_t)n] = s->fp[i];
    s->J[(size_t)n * (size_t)wide + (size_t)i] = point->tangent[i] / (scale * scale);
    s->step[i] -= s->other[i];
  }
  s->J[(size_t)wide * (size_t)wide - 1] = point->tangent[n];
  s->step[n] = 0.0;
  int fault = capm_lu_factor_heard(wide, s->J, s->pivot, hb->m->progress);
  if (fault) return fault == CAPM_LU_STOPPED ? CAP_STOPPED : CAP_RETRY_NOCONV;
  capm_lu_solve(wide, s->J, s->pivot, s->step);
  for (int i = 0; i < hb->nouter * hb->ncoef; i++) {
    change += s->step[i] * s->step[i];
    if (i % hb->ncoef) motion += point->x[i] * point->x[i];
  }
  *size = motion > 0.0 ? sqrt(change / motion) : 0.0;
  return CAP_OK;
}

/* The largest of them at some points and all folds. Where branches cross the step across one of them is not
 * defined: the matrix is singular along the other, whatever the samples. */
static cap_status sampling_of(probe *s, const cap_hb_branch *b, double *worst, cap_error *error)
{
  int stride = b->npoint / POINTS + 1;
  *worst = 0.0;
  for (int k = 0; k < b->npoint; k++) {
    double size = 0.0;
    if (b->points[k].crossing || (k % stride && b->points[k].kind != CAP_HB_FOLD)) continue;
    cap_status status = sampling_at(s, &b->points[k], &size, error);
    if (status < 0) return status;
    if (status == CAP_OK) *worst = fmax(*worst, size);
  }
  return CAP_OK;
}

static cap_status create_with(const cap_hb_level *level, int samples, cap_hb **hb, cap_error *error)
{
  cap_hb_settings sizes = {level->hb->nharmonic, samples, level->sub};
  return cap_hb_create(level->hb->m, level->hb->lane, &sizes, hb, error);
}

static bool is_sampled(const cap_hb *hb)
{
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind != CAP_HB_LAW_PIECES) return true;
  return false;
}

cap_status cap_hb_branches_accuracy_samples(cap_hb_branches *set, const cap_hb_branch *b, double tolerance,
                                            int *samples, double *worst, cap_error *error)
{
  probe s;
  cap_hb_level *level = set->levels[b->level];
  *samples = level->hb->nsample / level->sub;
  *worst = 0.0;
  if (!is_sampled(level->hb)) return CAP_OK;
  cap_status status = open_probe(&s, level, error);
  if (status == CAP_OK) status = create_with(level, level->hb->nsample, &s.coarse, error);
  while (status == CAP_OK && 2 * s.coarse->nsample <= CAP_HB_SAMPLES_MOST) {
    status = create_with(level, 2 * s.coarse->nsample, &s.fine, error);
    if (status == CAP_OK) status = sampling_of(&s, b, worst, error);
    if (status != CAP_OK || *worst <= tolerance || s.fine->nsample > SAMPLES_MOST * level->sub) break;
    cap_hb_free(s.coarse);
    s.coarse = s.fine;
    s.fine = NULL;
  }
  if (status == CAP_OK) *samples = s.coarse->nsample / level->sub;
  cap_hb_free(s.coarse);
  cap_hb_free(s.fine);
  cap_arena_free(&s.arena);
  return status;
}
