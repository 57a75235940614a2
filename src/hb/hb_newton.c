/* hb/hb_newton.c — see hb_newton.h. */
#include "hb/hb_newton.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct newton {
  cap_hb *hb;
  double angular_frequency;
  double *r, *J, *lu, *step, *trial, *trial_r;
  int *pivot;
  bool factored; /* lu holds factors of a Jacobian, of here or of a point before */
  cap_arena arena;
} newton;

static cap_status open_newton(newton *s, cap_hb *hb, double angular_frequency)
{
  size_t n = (size_t)hb->nunknown;
  *s = (newton){.hb = hb, .angular_frequency = angular_frequency};
  s->r = CAP_ARENA_NEW(&s->arena, double, n);
  s->J = CAP_ARENA_NEW(&s->arena, double, (n * n));
  s->lu = CAP_ARENA_NEW(&s->arena, double, (n * n));
  s->step = CAP_ARENA_NEW(&s->arena, double, n);
  s->trial = CAP_ARENA_NEW(&s->arena, double, n);
  s->trial_r = CAP_ARENA_NEW(&s->arena, double, n);
  s->pivot = CAP_ARENA_NEW(&s->arena, int, n);
  return s->r && s->J && s->lu && s->step && s->trial && s->trial_r && s->pivot ? CAP_OK : CAP_ERR_NOMEM;
}

static double norm(int n, const double *a)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * a[i];
  return sqrt(sum);
}

/* Step relative to the coefficients of the coordinate that it moves; one that hardly moves is measured by the
 * largest of its kind. */
static double relative_step(const cap_hb *hb, const double *x, const double *step)
{
  double most = 0.0, worst = 0.0;
  int nc = hb->ncoef, no = hb->nouter;
  for (int i = 0; i < no * nc; i++) most = fmax(most, fabs(x[i]));
  for (int i = 0; i < no + hb->ncoulomb; i++) {
    double size = i < no ? 1e-3 * most : 0.0, change = 0.0;
    for (int r = 0; r < nc; r++) {
      size = fmax(size, fabs(x[i * nc + r]));
      change = fmax(change, fabs(step[i * nc + r]));
    }
    if (size > 0.0) worst = fmax(worst, change / size);
    else if (change > 0.0) worst = fmax(worst, 1.0);
  }
  return worst;
}

static void step_by_factors(newton *s, const double *r)
{
  for (int i = 0; i < s->hb->nunknown; i++) s->step[i] = -r[i];
  capm_lu_solve(s->hb->nunknown, s->lu, s->pivot, s->step);
}

/* s->step := -J^-1 r */
static cap_status find_step(newton *s, const double *r)
{
  int n = s->hb->nunknown;
  memcpy(s->lu, s->J, sizeof(double) * (size_t)n * (size_t)n);
  const cap_progress *progress = s->hb->m->progress;
  int fault = capm_lu_factor_heard(n, s->lu, s->pivot, progress);
  s->factored = fault == 0 && capm_lu_pivot_ratio(n, s->lu) > 1e-14;
  if (fault == CAPM_LU_STOPPED) return CAP_STOPPED;
  if (s->factored) {
    step_by_factors(s, r);
    return CAP_OK;
  }
  for (int i = 0; i < n; i++) s->trial_r[i] = -r[i];
  return capm_lsq_least_norm_heard(n, n, s->J, s->trial_r, 1e-12, 1, s->step, NULL, progress);
}

/* Halve the step while the residual grows; the last attempt is taken as it is. After a large step the next
 * one will want its Jacobian, so a full one is evaluated with it: *fresh. */
static cap_status advance(newton *s, double *x, cap_hb_newton_report *report, bool *fresh, cap_error *error)
{
  int n = s->hb->nunknown;
  bool large = report->step > 1e-2 || !s->factored;
  double fraction = 1.0, now = INFINITY;
  for (int attempt = 0; attempt < 8; attempt++, fraction *= 0.5) {
    for (int i = 0; i < n; i++) s->trial[i] = x[i] + fraction * s->step[i];
    *fresh = attempt == 0 && large;
    s->factored = s->factored && attempt == 0;
    cap_status status = cap_hb_residual(s->hb, s->trial, s->angular_frequency, s->trial_r,
                                        *fresh ? s->J : NULL, NULL, error);
    if (status < 0) return status;
    report->evaluations++;
    now = status == CAP_OK ? norm(n, s->trial_r) : INFINITY;
    if (now <= (1.0 - 1e-4 * fraction) * report->residual || now <= 1e-300) break;
    if (report->step * fraction < 1e-9) break; /* rounding decides */
  }
  if (!isfinite(now)) return CAP_RETRY_NONFINITE;
  memcpy(x, s->trial, sizeof(double) * (size_t)n);
  memcpy(s->r, s->trial_r, sizeof(double) * (size_t)n);
  report->residual = now;
  report->step *= fraction;
  return CAP_OK;
}

/* The step at x, whose residual is s->r when `known`, by the factors of a point before where they still lead
 * to less than a third of the last step, else by the Jacobian. */
static cap_status next_step(newton *s, const double *x, bool known, bool fresh, double before,
                            cap_hb_newton_report *report, cap_error *error)
{
  if (known && !fresh && s->factored) {
    step_by_factors(s, s->r);
    report->step = relative_step(s->hb, x, s->step);
    if (report->step < 0.3 * before) return CAP_OK;
  }
  if (!fresh) CAP_TRY(cap_hb_residual(s->hb, x, s->angular_frequency, s->r, s->J, NULL, error));
  report->evaluations += !fresh;
  report->residual = norm(s->hb->nunknown, s->r);
  cap_status status = find_step(s, s->r);
  if (status == CAP_STOPPED)
    cap_status_fail(error, status, "interrupted at %.9g rad/s", s->angular_frequency);
  CAP_TRY(status);
  report->step = relative_step(s->hb, x, s->step);
  return CAP_OK;
}

/* Largest load on a balanced coordinate, and largest friction: what residuals are small against when nothing
 * moves, so that steps have no size to be compared with. */
static double force_scale(const cap_hb *hb)
{
  const cap_hb_linear *lin = hb->linear;
  double most = 0.0;
  for (int i = 0; i < (lin->nharmonic + 1) * lin->nouter; i++) most = fmax(most, cabs(lin->force[i]));
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind == CAP_HB_LAW_COULOMB) most = fmax(most, hb->laws[k].limit);
  return most;
}

static cap_status iterate(newton *s, double *x, double tolerance, int most, cap_hb_newton_report *report,
                          cap_error *error)
{
  double before = INFINITY;
  bool fresh = false;
  for (report->iterations = 0; report->iterations < most; report->iterations++) {
    if (cap_progress_stopped(s->hb->m->progress))
      return cap_status_fail(error, CAP_STOPPED, "interrupted at %.9g rad/s", s->angular_frequency);
    CAP_TRY(next_step(s, x, report->iterations > 0, fresh, before, report, error));
    /* marched laws round to more than the tolerance now and then: what no longer shrinks is the end */
    bool floor_reached = report->step <= 1e3 * tolerance && report->step >= 0.3 * before;
    /* near the solution the next step shrinks at least as this one did */
    bool last = before <= 1e-2 && report->step * report->step <= 0.1 * tolerance * before;
    before = report->step;
    bool balanced = report->iterations > 0 && report->residual <= 1e-15 * force_scale(s->hb);
    if (report->step <= tolerance || floor_reached || last || balanced) {
      report->converged = true;
      for (int i = 0; i < s->hb->nunknown; i++) x[i] += s->step[i];
      return CAP_OK;
    }
    CAP_TRY(advance(s, x, report, &fresh, error));
  }
  return cap_status_fail(error, CAP_RETRY_NOCONV,
                         "harmonic balance did not converge at %.9g rad/s: residual %.3g N and relative step "
                         "%.3g after %d iterations",
                         s->angular_frequency, report->residual, report->step, report->iterations);
}

cap_status cap_hb_newton_solve(cap_hb *hb, double *x, double angular_frequency,
                               const cap_hb_newton_settings *settings, cap_hb_newton_report *report,
                               cap_error *error)
{
  newton s;
  double tolerance = settings && settings->tolerance > 0.0 ? settings->tolerance : 1e-10;
  int most = settings && settings->most > 0 ? settings->most : hb->ncoulomb ? 100 : 50;
  *report = (cap_hb_newton_report){0};
  cap_status status = open_newton(&s, hb, angular_frequency);
  if (status != CAP_OK) cap_status_fail(error, status, "out of memory");
  else status = iterate(&s, x, tolerance, most, report, error);
  cap_arena_free(&s.arena);
  return status;
}

/* ---- what is left out ---------------------------------------------------------------------------------- */

/* Sum of squared amplitudes that the force of a law at harmonic h causes at one end. */
static double response_at(const cap_hb *hb, int end, double w, int h, double amplitude)
{
  int place = end == CAP_GROUND ? -1 : hb->linear->place[end];
  double k = 0.0, c = 0.0, m = 0.0;
  if (place < 0) return 0.0;
  for (int e = 0; e < hb->linear->nentry; e++) {
    const cap_hb_entry *entry = &hb->linear->entries[e];
    if (entry->row == place && entry->column == place) k = entry->k, c = entry->c, m = entry->m;
  }
  double stiffness = hypot(k - h * h * w * w * m, h * w * c);
  /* near a resonance of the truncated harmonics the inertia tells the order of magnitude */
  stiffness = fmax(stiffness, 0.1 * h * h * w * w * m);
  return amplitude * amplitude / (stiffness * stiffness);
}

cap_status cap_hb_newton_tail(cap_hb *hb, const double *x, double angular_frequency, double *tail,
                              cap_error *error)
{
  const capm_fourier *f = &hb->fourier;
  double w = angular_frequency / hb->sub, out = 0.0, motion = 0.0;
  double *sums = malloc(sizeof(double) * (size_t)f->nrow);
  if (!sums) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_hb_sample(hb, x, angular_frequency, false, error);
  for (int k = 0; status == CAP_OK && k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    capm_fourier_sums(f, f->nrow, law->f, sums);
    for (int h = hb->nharmonic + 1; h <= 2 * hb->nharmonic; h++) {
      double amplitude = 2.0 / f->nsample * hypot(sums[2 * h - 1], sums[2 * h]);
      out += response_at(hb, law->i, w, h, amplitude) + response_at(hb, law->j, w, h, amplitude);
    }
  }
  for (int i = 0; i < hb->nouter; i++)
    for (int r = 1; r < hb->ncoef; r++) motion += x[i * hb->ncoef + r] * x[i * hb->ncoef + r];
  *tail = motion > 0.0 ? sqrt(out / motion) : 0.0;
  free(sums);
  return status;
}

/* ---- adaptation ---------------------------------------------------------------------------------------- */

/* The same system with other sizes, x carried over. */
static cap_status resize(cap_hb **hb, double **x, int harmonics, int samples, cap_error *error)
{
  cap_hb *larger;
  cap_hb_settings settings = {harmonics, samples, (*hb)->sub};
  CAP_TRY(cap_hb_create((*hb)->m, (*hb)->lane, &settings, &larger, error));
  larger->linear->load_scale = (*hb)->linear->load_scale;
  double *y = malloc(sizeof(double) * (size_t)(larger->nunknown + 1));
  if (!y) {
    cap_hb_free(larger);
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  }
  cap_hb_transfer(*hb, *x, larger, y);
  cap_hb_free(*hb);
  free(*x);
  *hb = larger;
  *x = y;
  return CAP_OK;
}

cap_status cap_hb_newton_sampling(const cap_hb *hb, cap_hb *finer, const double *x, double angular_frequency,
                                  double *size, cap_error *error)
{
  newton s;
  double change = 0.0, motion = 0.0;
  finer->linear->load_scale = hb->linear->load_scale;
  cap_status status = open_newton(&s, finer, angular_frequency);
  if (status != CAP_OK) cap_status_fail(error, status, "out of memory");
  if (status == CAP_OK) status = cap_hb_residual(finer, x, angular_frequency, s.r, s.J, NULL, error);
  if (status == CAP_OK) status = find_step(&s, s.r);
  for (int i = 0; status == CAP_OK && i < hb->nouter * hb->ncoef; i++) {
    change += s.step[i] * s.step[i];
    if (i % hb->ncoef) motion += x[i] * x[i];
  }
  *size = motion > 0.0 ? sqrt(change / motion) : 0.0;
  cap_arena_free(&s.arena);
  return status;
}

/* The same with a balance of twice the samples made for it. */
static cap_status sampling_error(cap_hb *hb, const double *x, double angular_frequency, double *error_size,
                                 cap_error *error)
{
  cap_hb *finer;
  cap_hb_settings settings = {hb->nharmonic, 2 * hb->nsample, hb->sub};
  CAP_TRY(cap_hb_create(hb->m, hb->lane, &settings, &finer, error));
  cap_status status = cap_hb_newton_sampling(hb, finer, x, angular_frequency, error_size, error);
  cap_hb_free(finer);
  return status;
}

cap_status cap_hb_newton_adapt(cap_hb **hb, double **x, double angular_frequency, cap_hb_adapt *adapt,
                               cap_error *error)
{
  int harmonics_most = adapt->harmonics_most > 0 ? adapt->harmonics_most : 200;
  int samples_most = adapt->samples_most > 0 ? adapt->samples_most : 16384;
  for (;;) {
    CAP_TRY(cap_hb_newton_solve(*hb, *x, angular_frequency, &adapt->newton, &adapt->report, error));
    CAP_TRY(cap_hb_newton_tail(*hb, *x, angular_frequency, &adapt->tail, error));
    int harmonics = (*hb)->nharmonic, samples = (*hb)->nsample;
    bool more = adapt->tail > adapt->tolerance && harmonics < harmonics_most;
    if (more) {
      harmonics += harmonics / 2 + 2;
      if (harmonics > harmonics_most) harmonics = harmonics_most;
      if (samples < 16 * harmonics) samples = 16 * harmonics;
      CAP_TRY(resize(hb, x, harmonics, samples, error));
      continue;
    }
    CAP_TRY(sampling_error(*hb, *x, angular_frequency, &adapt->sampling, error));
    if (adapt->sampling <= adapt->tolerance || 2 * samples > samples_most) break;
    CAP_TRY(resize(hb, x, harmonics, 2 * samples, error));
  }
  adapt->reached = adapt->tail <= adapt->tolerance && adapt->sampling <= adapt->tolerance;
  return CAP_OK;
}
