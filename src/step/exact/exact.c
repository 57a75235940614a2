/* step/exact/exact.c — see exact.h. */
#include "step/exact/exact.h"

#include "linalg/lu.h"
#include "step/exact/exact_piece.h"
#include "step/exact/exact_run.h"
#include "step/exact/exact_search.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Gauss-Legendre of order 16 on [-1, 1] */
enum { NODES = 8 };
static const double NODE_PLACE[NODES] = {-0.9602898564975363, -0.7966664774136267, -0.5255324099163290,
                                         -0.1834346424956498, 0.1834346424956498,  0.5255324099163290,
                                         0.7966664774136267,  0.9602898564975363};
static const double NODE_WEIGHT[NODES] = {0.1012285362903763, 0.2223810344533745, 0.3137066458778873,
                                          0.3626837833783620, 0.3626837833783620, 0.3137066458778873,
                                          0.2223810344533745, 0.1012285362903763};

static bool all_finite(int n, const double *a)
{
  for (int i = 0; i < n; i++)
    if (!isfinite(a[i])) return false;
  return true;
}

static cap_status check_linear(const cap_linear *l, cap_error *error)
{
  int nv = l->nv, nh = l->nharmonic, ns = l->nslider;
  if (ns > CAP_EXACT_MOST_SLIDERS)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "too many friction elements for exact propagation; expected at most %d, got %d",
                           CAP_EXACT_MOST_SLIDERS, ns);
  if (!all_finite(nv * nv, l->mass) || !all_finite(nv * nv, l->damping) ||
      !all_finite(nv * nv, l->stiffness) || !all_finite(nv, l->f0) || !all_finite(nh, l->angular_frequency) ||
      !all_finite(nh * nv, l->fc) || !all_finite(nh * nv, l->fs) || !all_finite(ns * nv, l->b) ||
      !all_finite(ns, l->k) || !all_finite(ns * nh, l->dc) || !all_finite(ns * nh, l->ds))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected finite coefficients of the linear system");
  for (int h = 0; h < nh; h++)
    if (!(l->angular_frequency[h] > 0.0))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "angular frequency %d: expected a value above 0 rad/s, got %g rad/s", h,
                             l->angular_frequency[h]);
  for (int s = 0; s < ns; s++)
    if (!(l->k[s] > 0.0) || !(l->limit[s] >= 0.0))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "friction element %d: expected a stiffness above 0 N/m and a limit of at least "
                             "0 N, got %g N/m and %g N",
                             s, l->k[s], l->limit[s]);
  return CAP_OK;
}

static cap_status allocate(cap_exact *e)
{
  cap_arena *arena = &e->arena;
  int nv = e->nv, n = e->n;
  size_t nwork = cap_exact_regime_work(nv),
         ncolumn = (size_t)(n * n + (CAP_EXACT_SERIES_ORDER + 1) * nv + 10 * nv);
  CAP_TRY(cap_linear_create(arena, nv, e->nharmonic, e->nslider, &e->linear));
  e->mass_inverse = CAP_ARENA_NEW(arena, double, (nv * nv));
  e->reach = CAP_ARENA_NEW(arena, double, e->nslider);
  e->index = CAP_ARENA_NEW(arena, int, n);
  e->work = CAP_ARENA_NEW(arena, double, nwork);
  e->column = CAP_ARENA_NEW(arena, double, ncolumn);
  e->column2 = CAP_ARENA_NEW(arena, double, ncolumn);
  e->node_y = CAP_ARENA_NEW(arena, double, n);
  e->node_z = CAP_ARENA_NEW(arena, double, e->nslider);
  if (!e->mass_inverse || !e->reach || !e->index || !e->work || !e->column || !e->column2 || !e->node_y ||
      !e->node_z)
    return CAP_ERR_NOMEM;
  CAP_TRY(cap_exact_piece_curve(e, &e->functional));
  return cap_exact_piece_allocate(e);
}

cap_status cap_exact_create(const cap_linear *linear, cap_exact **exact, cap_error *error)
{
  *exact = NULL;
  CAP_TRY(check_linear(linear, error));
  cap_exact *e = calloc(1, sizeof *e);
  if (!e) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  e->nv = linear->nv;
  e->nx = 2 * e->nv;
  e->nharmonic = linear->nharmonic;
  e->nslider = linear->nslider;
  e->n = e->nx + e->nslider;
  cap_status status = allocate(e);
  if (status != CAP_OK) cap_status_fail(error, status, "out of memory");
  else status = cap_exact_reset(e, linear, error);
  if (status == CAP_OK) *exact = e;
  else cap_exact_free(e);
  return status;
}

void cap_exact_free(cap_exact *exact)
{
  if (!exact) return;
  cap_arena_free(&exact->arena);
  free(exact);
}

int cap_exact_size(const cap_exact *exact)
{
  return exact->n;
}

/* Copy and tell whether the numbers differ. */
static bool renew(int n, double *own, const double *given)
{
  if (memcmp(own, given, (size_t)n * sizeof(double)) == 0) return false;
  memcpy(own, given, (size_t)n * sizeof(double));
  return true;
}

static cap_status invert_mass(cap_exact *e, cap_error *error)
{
  int nv = e->nv;
  double *lu = e->work;
  memcpy(lu, e->linear.mass, (size_t)(nv * nv) * sizeof(double));
  int fault = capm_lu_factor(nv, lu, e->index);
  if (fault != 0)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the mass matrix is singular; expected an inertia above 0 for coordinate %d",
                           fault - 1);
  capm_lu_invert(nv, lu, e->index, e->mass_inverse);
  return CAP_OK;
}

cap_status cap_exact_reset(cap_exact *e, const cap_linear *l, cap_error *error)
{
  int nv = e->nv, nh = e->nharmonic, ns = e->nslider;
  if (l->nv != nv || l->nharmonic != nh || l->nslider != ns)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "internal mismatch: the sizes of the linear system have changed");
  CAP_TRY(check_linear(l, error));
  e->linear.progress = l->progress;
  bool mass = renew(nv * nv, e->linear.mass, l->mass), other = renew(nv * nv, e->linear.damping, l->damping);
  other |= renew(nv * nv, e->linear.stiffness, l->stiffness);
  other |= renew(ns * nv, e->linear.b, l->b);
  other |= renew(ns, e->linear.k, l->k);
  renew(nv, e->linear.f0, l->f0);
  renew(nh, e->linear.angular_frequency, l->angular_frequency);
  renew(nh * nv, e->linear.fc, l->fc);
  renew(nh * nv, e->linear.fs, l->fs);
  renew(ns, e->linear.limit, l->limit);
  renew(ns * nh, e->linear.dc, l->dc);
  renew(ns * nh, e->linear.ds, l->ds);
  if (mass || !e->known) CAP_TRY(invert_mass(e, error));
  e->known = true;
  for (int i = 0; i < e->nregime; i++) {
    cap_exact_regime *r = e->regimes[i];
    r->has_static = r->has_forced = r->prepared = false;
    if (mass || other) r->has_modes = false;
  }
  e->loose = 0;
  for (int s = 0; s < ns; s++) {
    e->reach[s] = l->limit[s] / l->k[s];
    if (l->limit[s] == 0.0) e->loose |= (uint64_t)1 << s;
  }
  return CAP_OK;
}

static cap_status check_state(const cap_exact *e, double t, const double *y, cap_error *error)
{
  for (int i = 0; i < e->n; i++) {
    if (isfinite(y[i])) continue;
    const char *what = i < e->nv ? "q" : i < e->nx ? "v" : "w";
    int index = i < e->nv ? i : i < e->nx ? i - e->nv : i - e->nx;
    return cap_status_fail(error, CAP_ERR_NUMERICS, "%s[%d] is not finite at t = %.9g s", what, index, t);
  }
  return CAP_OK;
}

/* s' and s'' at a state; the forces are continuous, so s'' does not depend on who slips. */
static void slider_motion(cap_exact *e, double t, const double *y, int s, double *rate, double *rate2)
{
  const cap_linear *l = &e->linear;
  int nv = e->nv, nh = e->nharmonic;
  double *force = e->work;
  *rate = *rate2 = 0.0;
  for (int i = 0; i < nv; i++) {
    force[i] = l->f0[i];
    for (int j = 0; j < nv; j++)
      force[i] -= l->stiffness[i * nv + j] * y[j] + l->damping[i * nv + j] * y[nv + j];
    for (int c = 0; c < e->nslider; c++) force[i] -= l->b[c * nv + i] * l->k[c] * y[e->nx + c];
  }
  for (int h = 0; h < nh; h++) {
    double w = l->angular_frequency[h], cosine = cos(w * t), sine = sin(w * t);
    for (int i = 0; i < nv; i++) force[i] += l->fc[h * nv + i] * cosine + l->fs[h * nv + i] * sine;
    double dc = l->dc[s * nh + h], ds = l->ds[s * nh + h];
    *rate += w * (ds * cosine - dc * sine);
    *rate2 -= w * w * (dc * cosine + ds * sine);
  }
  for (int i = 0; i < nv; i++) {
    double b = l->b[s * nv + i];
    *rate += b * y[nv + i];
    for (int j = 0; j < nv; j++) *rate2 += b * e->mass_inverse[i * nv + j] * force[j];
  }
}

cap_status cap_exact_start(cap_exact *e, double t, double *y, int *flags, cap_error *error)
{
  CAP_TRY(check_state(e, t, y, error));
  for (int s = 0; s < e->nslider; s++) {
    double *w = &y[e->nx + s], reach = e->reach[s], rate, rate2;
    flags[s] = CAP_EXACT_STICK;
    if (fabs(*w) > reach) *w = copysign(reach, *w);
    if (e->loose >> s & 1) flags[s] = CAP_EXACT_SLIP_UP;
    if (e->loose >> s & 1 || fabs(*w) < reach) continue;
    slider_motion(e, t, y, s, &rate, &rate2);
    int side = *w > 0.0 ? 1 : -1;
    double outwards = rate != 0.0 ? side * rate : side * rate2;
    if (outwards > 0.0) flags[s] = side;
    else if (rate == 0.0) flags[s] = 2 * side;
  }
  return CAP_OK;
}

/* Length of a stretch after tau that the nodes integrate to rounding:
 * modes count until they have died out. */
static double smooth_stretch(const cap_exact *e, double tau)
{
  const cap_exact_regime *r = e->piece.regime;
  double rate = 0.0;
  if (e->piece.series) return e->piece.length;
  for (int j = 0; j < e->piece.nterm; j++)
    if (r->alpha[j] * tau > -30.0) rate = fmax(rate, r->rate[j]);
  return rate > 0.0 ? 2.0 / rate : INFINITY;
}

/* Visit the nodes of [0, end] of the piece. */
static void visit_nodes(cap_exact *e, double end, const int *flags, const cap_exact_watch *watch)
{
  double *y = e->node_y;
  cap_exact_node node = {.q = y, .v = y + e->nv, .w = y + e->nx, .z = e->node_z, .flags = flags};
  for (double from = 0.0, to; from < end; from = to) {
    to = fmin(end, from + smooth_stretch(e, from));
    for (int i = 0; i < NODES; i++) {
      double tau = 0.5 * (from + to) + 0.5 * (to - from) * NODE_PLACE[i];
      cap_exact_piece_at(e, tau);
      cap_exact_piece_state(e, tau, y);
      for (int s = 0; s < e->nslider; s++) e->node_z[s] = e->linear.k[s] * y[e->nx + s];
      node.t = e->piece.t + tau;
      node.weight = 0.5 * (to - from) * NODE_WEIGHT[i];
      watch->node(watch->self, &node);
    }
  }
}

static bool slips(int flag)
{
  return flag == CAP_EXACT_SLIP_UP || flag == CAP_EXACT_SLIP_DOWN;
}

/* Distance slid on [0, tau]: s is monotonic while a slider slips (exponentials are at tau). */
static void add_slip(const cap_exact *e, const int *flags, double tau, double *slip)
{
  const cap_exact_piece *p = &e->piece;
  for (int s = 0; s < e->nslider; s++) {
    if (!slips(flags[s]) || e->loose >> s & 1) continue;
    const cap_exact_curve *curve = &p->slider[s];
    double before = p->series ? curve->taylor[0] : curve->constant;
    for (int j = 0; !p->series && j < p->nterm; j++) before += curve->p[j];
    slip[s] += flags[s] * (cap_exact_piece_value(p, curve, tau, 0) - before);
  }
}

static void clear_slipping_rows(const cap_exact *e, const int *flags, double *tangent)
{
  for (int s = 0; s < e->nslider; s++)
    if (slips(flags[s])) memset(tangent + (e->nx + s) * e->n, 0, (size_t)e->n * sizeof(double));
}

/* Events closer than this are one: the clock cannot tell them apart. */
static double time_resolution(double t, double tau)
{
  return 4 * DBL_EPSILON * (fabs(t) + tau);
}

static void leave_piece(cap_exact *e, double tau, double *y, int *flags, cap_exact_watch *watch)
{
  if (watch && watch->node) visit_nodes(e, tau, flags, watch);
  cap_exact_piece_at(e, tau);
  cap_exact_piece_state(e, tau, y);
  if (watch && watch->slip) add_slip(e, flags, tau, watch->slip);
  if (watch && watch->tangent) cap_exact_piece_tangent(e, tau, watch->tangent);
  for (int s = 0; tau > time_resolution(e->piece.t, tau) && s < e->nslider; s++)
    if (flags[s] == CAP_EXACT_CAUGHT_UP || flags[s] == CAP_EXACT_CAUGHT_DOWN) flags[s] = CAP_EXACT_STICK;
}

/* A slider that starts to slip sits on its limit exactly, and forgets by how much it was displaced. */
static void switch_slider(cap_exact *e, int s, double *y, int *flags, cap_exact_watch *watch)
{
  double *w = &y[e->nx + s];
  flags[s] = cap_exact_search_switch(flags[s], *w);
  if (slips(flags[s])) {
    *w = flags[s] * e->reach[s];
    if (watch && watch->tangent)
      memset(watch->tangent + (e->nx + s) * e->n, 0, (size_t)e->n * sizeof(double));
  }
  if (watch) watch->nevent++;
}

/* Whether a piece is too short to count as motion; many of them in a row are an endless change of stick and
 * slip. */
static bool is_brief(const cap_exact *e, double tau)
{
  double rate = e->piece.regime->largest_rate;
  for (int h = 0; h < e->nharmonic; h++) rate = fmax(rate, e->linear.angular_frequency[h]);
  return tau <= time_resolution(e->piece.t, tau) || tau * rate < 1e-10;
}

cap_status cap_exact_run(cap_exact *e, double t0, double t1, double *y, int *flags, cap_exact_watch *watch,
                         void (*each)(void *self, double tau), void *self, cap_error *error)
{
  if (!(t1 >= t0) || !isfinite(t1))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a time of at least t = %g s, got t = %g s", t0,
                           t1);
  CAP_TRY(check_state(e, t0, y, error));
  if (watch && watch->tangent) clear_slipping_rows(e, flags, watch->tangent);
  int nbrief = 0, most_brief = 50 + 10 * e->nslider, slider;
  double t = t0, tau;
  while (t < t1) {
    if (cap_progress_stopped(e->linear.progress))
      return cap_status_fail(error, CAP_STOPPED, "interrupted at t = %.6g s", t);
    cap_status status = cap_exact_piece_begin(e, t, t1 - t, y, flags);
    if (status != CAP_OK)
      return cap_status_fail(error, status, "no solution of the linear equations at t = %.9g s: %s", t,
                             cap_status_text(status));
    bool last = e->piece.length >= t1 - t;
    CAP_TRY(cap_exact_search_first(e, flags, &tau, &slider, error));
    if (slider < 0 || tau > time_resolution(t, tau)) {
      if (each) each(self, tau);
      leave_piece(e, tau, y, flags, watch);
      t = last && slider < 0 ? t1 : t + tau;
      CAP_TRY(check_state(e, t, y, error));
    }
    if (slider < 0) continue;
    switch_slider(e, slider, y, flags, watch);
    nbrief = is_brief(e, tau) ? nbrief + 1 : 0;
    if (nbrief > most_brief)
      return cap_status_fail(error, CAP_ERR_NUMERICS,
                             "friction element %d alternates endlessly between stick and slip at t = %.9g s",
                             slider, t);
  }
  return CAP_OK;
}

cap_status cap_exact_advance(cap_exact *exact, double t0, double t1, double *y, int *flags,
                             cap_exact_watch *watch, cap_error *error)
{
  return cap_exact_run(exact, t0, t1, y, flags, watch, NULL, NULL, error);
}
