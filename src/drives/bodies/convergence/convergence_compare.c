/* drives/bodies/convergence/convergence_compare.c — see convergence.h: one viscoelastic motion against the
 * ideal one. */
#include "drives/bodies/convergence/convergence.h"

#include <math.h>

enum { FLOOR_FACTOR = 10 };
static const double LARGE = 0.1; /* relative errors above it say nothing about orders */

static cap_status no_memory(cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

/* Values of the four motions at the same times. */
typedef struct comparison {
  int ntime;
  double *times;     /* [ntime]: CAP_CONVERGENCE_DENSE + 1 of the layer, then those of the window */
  double *motion[4]; /* [ntime][n]: ideal, viscoelastic; both again with ten times the tolerance */
  cap_arena arena;
} comparison;

static cap_status reserve(const cap_convergence *j, const cap_convergence_point *p, comparison *c,
                          cap_error *error)
{
  double t0 = j->ideal->t0, from = p->settled ? j->start[(p - j->points) / j->nepsilon] : t0 + p->dense;
  int samples = from < j->s->until ? j->s->samples : 0;
  c->times = CAP_ARENA_NEW(&c->arena, double, CAP_CONVERGENCE_DENSE + 1 + samples);
  if (!c->times) return no_memory(error);
  for (int k = 0; k <= CAP_CONVERGENCE_DENSE; k++)
    c->times[c->ntime++] = t0 + p->dense * k / CAP_CONVERGENCE_DENSE;
  for (int k = 1; k <= samples; k++)
    c->times[c->ntime++] = k == samples ? j->s->until : from + (j->s->until - from) * (k - 1) / (samples - 1);
  for (int k = 0; k < 4; k++)
    if (!(c->motion[k] = CAP_ARENA_NEW(&c->arena, double, c->ntime * p->n))) return no_memory(error);
  return CAP_OK;
}

static cap_status compute_motions(const cap_convergence *j, cap_convergence_point *p, comparison *c,
                                  cap_error *error)
{
  for (int k = 0; k < 4; k++) {
    int which = k % 2;
    if (cap_progress_stopped(j->run->progress)) return cap_status_fail(error, CAP_STOPPED, "interrupted");
    cap_status status = cap_convergence_motion_run(
        which ? p->m : j->ideal, which, which ? j->type : &cap_extrapolate_type,
        j->s->tolerance * (k < 2 ? 1.0 : 10.0), p->n, p->list, c->ntime, c->times, c->motion[k],
        k == 1 ? &p->count : NULL, error);
    if (status == CAP_OK) continue;
    cap_error cause = *error;
    return cap_status_fail(error, status, "%s = %.6g, %s = %.6g: %.800s", j->s->epsilons.path, p->epsilon,
                           j->s->ratios.path, p->ratio, cause.text);
  }
  return CAP_OK;
}

/* Difference of two values over the scale of what they are; velocities of rows as they are. */
static double relative(const cap_convergence *j, const cap_convergence_point *p, int q, double a, double b)
{
  double off = fabs(a - b), scale = j->scale[q];
  if (p->list[q].kind == CAP_CONVERGENCE_SLIP || off == 0.0) return off;
  return off / (scale > 0.0 ? scale : fmax(fabs(a), fabs(b)));
}

static void find_errors(const cap_convergence *j, cap_convergence_point *p, const comparison *c)
{
  double doubt[2][CAP_CONVERGENCE_KINDS] = {{0.0}};
  for (int t = 0; t < c->ntime; t++) {
    bool after = p->settled && t > CAP_CONVERGENCE_DENSE;
    for (int q = 0; q < p->n; q++) {
      double at[4];
      for (int k = 0; k < 4; k++) at[k] = c->motion[k][t * p->n + q];
      double *largest = after ? &p->error[p->list[q].kind] : &p->inside[p->list[q].kind];
      *largest = fmax(*largest, relative(j, p, q, at[1], at[0]));
      for (int k = 0; k < 2 && (after || !p->settled); k++) {
        double *d = &doubt[k][p->list[q].kind];
        *d = fmax(*d, relative(j, p, q, at[k], at[2 + k]));
      }
    }
  }
  for (int kind = 0; kind < CAP_CONVERGENCE_KINDS; kind++) {
    p->floor[kind] = doubt[0][kind] + doubt[1][kind];
    if (!p->settled) p->error[kind] = NAN;
  }
}

/* Modal force error at a dense time. */
static double modal_error(const cap_convergence_point *p, const comparison *c, int t)
{
  double sum = 0.0;
  int row = 0;
  for (int q = 0; q < p->n; q++)
    if (p->list[q].kind == CAP_CONVERGENCE_FORCE)
      sum += p->mode[row++] * (c->motion[1][t * p->n + q] - c->motion[0][t * p->n + q]);
  return sum;
}

/* Zero between samples 0 and 1 of the cubic through samples -1, 0, 1, 2, as a fraction. */
static double cubic_zero(const double f[4])
{
  double low = 0.0, high = 1.0;
  for (int k = 0; k < 60; k++) {
    double s = 0.5 * (low + high);
    double value = -s * (s - 1.0) * (s - 2.0) / 6.0 * f[0] + (s + 1.0) * (s - 1.0) * (s - 2.0) / 2.0 * f[1] -
                   (s + 1.0) * s * (s - 2.0) / 2.0 * f[2] + (s + 1.0) * s * (s - 1.0) / 6.0 * f[3];
    if ((value > 0.0) == (f[1] > 0.0)) low = s;
    else high = s;
  }
  return low;
}

/* Angular frequency from the zeros of the modal force error, while it is above a thousandth of its start:
 * whole
 * periods from the first zero on. */
static double measure_angular_frequency(const cap_convergence_point *p, const comparison *c)
{
  enum { MOST = 2 * CAP_CONVERGENCE_PERIODS + 4 };
  double step = p->dense / CAP_CONVERGENCE_DENSE, zeros[MOST], f[4];
  double most = p->layer.decay > 0.0 ? log(1e3) / p->layer.decay : INFINITY;
  int n = 0;
  if (!(p->layer.angular_frequency > 0.0)) return NAN;
  for (int t = 1; t + 2 <= CAP_CONVERGENCE_DENSE && t * step < most && n < MOST; t++) {
    for (int k = 0; k < 4; k++) f[k] = modal_error(p, c, t - 1 + k);
    if ((f[1] > 0.0) != (f[2] > 0.0)) zeros[n++] = (t + cubic_zero(f)) * step;
  }
  int periods = (n - 1) / 2;
  return periods >= 1 ? 2.0 * M_PI * periods / (zeros[2 * periods] - zeros[0]) : NAN;
}

cap_status cap_convergence_compare(void *self, int k, cap_error *error)
{
  cap_convergence *j = self;
  cap_convergence_point *p = &j->points[k];
  comparison c = {0};
  cap_status status = reserve(j, p, &c, error);
  if (status == CAP_OK) status = compute_motions(j, p, &c, error);
  if (status == CAP_OK) {
    find_errors(j, p, &c);
    p->measured = measure_angular_frequency(p, &c);
    cap_progress_report(j->run->progress, "convergence", k + 1, j->npoint, "motions");
  }
  cap_arena_free(&c.arena);
  return status;
}

bool cap_convergence_compare_at_floor(const cap_convergence_point *p, int kind)
{
  return p->settled && !(p->error[kind] > FLOOR_FACTOR * p->floor[kind]);
}

bool cap_convergence_compare_usable(const cap_convergence_point *p, int kind)
{
  return p->settled && p->error[kind] > FLOOR_FACTOR * p->floor[kind] && p->error[kind] < LARGE;
}
