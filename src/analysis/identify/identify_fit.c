/* analysis/identify/identify_fit.c — least squares on all parameters of a law, with their intervals. */
#include "analysis/identify/identify_fit.h"
#include "analysis/identify/identify_start.h"
#include "linalg/lsq.h"
#include "linalg/lu.h"
#include "linalg/student.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LANES = CAP_IDENTIFY_LAW_LANES, P = CAP_IDENTIFY_LAW_UNKNOWNS, MOST_ITERATIONS = 60 };

static const cap_identify_parameter dahl_parameters[] = {
    {.name = "a", .unit = "N/m", .meaning = "slope of the upper envelope"},
    {.name = "b", .unit = "N", .meaning = "upper envelope at zero deflection"},
    {.name = "d", .unit = "N/m", .meaning = "slope of the lower envelope"},
    {.name = "e", .unit = "N", .meaning = "lower envelope at zero deflection"},
    {.name = "Lambda", .unit = "N^(1-mu)/m", .meaning = "rate of the transition between the envelopes"},
    {.name = "mu", .unit = "1", .meaning = "exponent of the transition"},
};
static const cap_identify_parameter masing_parameters[] = {
    {.name = "k", .unit = "N/m", .meaning = "stiffness in series with the dry friction"},
    {.name = "k0", .unit = "N/m", .meaning = "stiffness of the parallel spring"},
    {.name = "alpha", .unit = "N", .meaning = "dry friction force"},
    {.name = "F0", .unit = "N", .meaning = "offset, F = k w + k0 u + c u' - F0"},
    {.name = "c", .unit = "N s/m", .meaning = "viscous damping"},
};

/* What is fitted: the parameters, and last the state at the first sample; for Dahl the logarithm of the
 * stiffness Lambda reference^mu in the middle of the loop instead of Lambda, which is all but tied to mu. */
typedef struct problem {
  cap_identify_model *model;
  const double *data;
  int n, p;         /* samples, unknowns */
  double reference; /* N */
  double scale[P];  /* size of a sensible change */
  double widest[P]; /* half width of an interval above which a parameter is called unidentified */
  double *force;    /* [LANES][n] */
  int evaluations, iterations;
} problem;

static void to_physical(const problem *t, const double *x, double *parameters)
{
  memcpy(parameters, x, P * sizeof *x);
  if (t->model->law == CAP_IDENTIFY_DAHL) parameters[4] = exp(x[4] - x[5] * log(t->reference));
}

static bool is_feasible(const problem *t, const double *x)
{
  const cap_identify_cycle *y = t->model->cycle;
  for (int j = 0; j < t->p; j++)
    if (!isfinite(x[j])) return false;
  if (t->model->law == CAP_IDENTIFY_MASING) return x[0] > 0.0 && x[2] > 0.0;
  const double low = x[1] - x[3] + (x[0] - x[2]) * y->u_min, high = x[1] - x[3] + (x[0] - x[2]) * y->u_max;
  return x[5] > 0.01 && x[5] < 10.0 && low > 0.0 && high > 0.0 && fmax(low, high) < 1e3 * y->f_range &&
         fabs(x[4]) < 60.0;
}

static void evaluate(problem *t, int nlane, double x[][P])
{
  double parameters[LANES][P];
  for (int l = 0; l < nlane; l++) to_physical(t, x[l], parameters[l]);
  cap_identify_law_force(t->model, nlane, parameters, t->force);
  t->evaluations++;
}

static double squares(const problem *t, int lane)
{
  const double *f = t->force + (size_t)lane * t->n;
  double sum = 0.0;
  for (int i = 0; i < t->n; i++) sum += (t->data[i] - f[i]) * (t->data[i] - f[i]);
  return isfinite(sum) ? sum : INFINITY;
}

/* Scaled normal equations at x: matrix = J^T J, gradient = J^T (data - force) with J per unit of scale. Lane
 * 0 of the forces is left at x. Returns the sum of squares. */
static double linearise(problem *t, const double *x, double matrix[P][P], double gradient[P])
{
  double lanes[LANES][P];
  const double step = 1e-5;
  for (int l = 0; l <= t->p; l++) {
    memcpy(lanes[l], x, sizeof lanes[l]);
    if (l) lanes[l][l - 1] += step * t->scale[l - 1];
  }
  const double inward = t->model->law == CAP_IDENTIFY_MASING && x[t->p - 1] > 0.0 ? -1.0
                                                                                  : 1.0; /* |w| <= eta */
  lanes[t->p][t->p - 1] = x[t->p - 1] + inward * step * t->scale[t->p - 1];
  evaluate(t, t->p + 1, lanes);
  memset(matrix, 0, P * sizeof *matrix);
  memset(gradient, 0, P * sizeof *gradient);
  double sum = 0.0;
  for (int i = 0; i < t->n; i++) {
    const double at = t->force[i], rest = t->data[i] - at;
    double row[P];
    for (int j = 0; j < t->p; j++) row[j] = (t->force[(size_t)(j + 1) * t->n + i] - at) / step;
    row[t->p - 1] *= inward;
    for (int j = 0; j < t->p; j++) {
      for (int k = 0; k <= j; k++) matrix[j][k] += row[j] * row[k];
      gradient[j] += row[j] * rest;
    }
    sum += rest * rest;
  }
  const int state = t->p -
                    1; /* no sample may depend on it, as when the friction slips from the start: leave it */
  if (!(matrix[state][state] > 1e-16 * t->n * t->model->cycle->f_range * t->model->cycle->f_range)) {
    for (int k = 0; k < state; k++) matrix[state][k] = 0.0;
    matrix[state][state] = 1.0, gradient[state] = 0.0;
  }
  for (int j = 0; j < t->p; j++)
    for (int k = j + 1; k < t->p; k++) matrix[j][k] = matrix[k][j];
  return isfinite(sum) ? sum : INFINITY;
}

/* dx (scaled) of (matrix + damping diag) dx = gradient; false when singular. */
static bool damped_step(int p, double matrix[P][P], const double gradient[P], double damping, double dx[P])
{
  double a[P * P], root[P];
  int pivot[P];
  for (int j = 0; j < p; j++) {
    root[j] = sqrt(matrix[j][j]);
    if (!(root[j] > 0.0)) return false;
  }
  for (int j = 0; j < p; j++) {
    for (int k = 0; k < p; k++) a[j * p + k] = matrix[j][k] / (root[j] * root[k]) + (j == k ? damping : 0.0);
    dx[j] = gradient[j] / root[j];
  }
  if (capm_lu_factor(p, a, pivot)) return false;
  capm_lu_solve(p, a, pivot, dx);
  for (int j = 0; j < p; j++) dx[j] /= root[j];
  return true;
}

/* Try eight dampings at once from x; the best that lowers the sum of squares replaces x. */
static bool try_steps(problem *t, double *x, double matrix[P][P], const double gradient[P], double *best)
{
  static const double dampings[LANES] = {0.0, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 30.0};
  double lanes[LANES][P];
  bool feasible[LANES];
  for (int l = 0; l < LANES; l++) {
    double dx[P] = {0.0};
    feasible[l] = damped_step(t->p, matrix, gradient, dampings[l], dx);
    memcpy(lanes[l], x, sizeof lanes[l]);
    for (int j = 0; j < t->p; j++) lanes[l][j] += dx[j] * t->scale[j];
    feasible[l] = feasible[l] && is_feasible(t, lanes[l]);
    if (!feasible[l]) memcpy(lanes[l], x, sizeof lanes[l]);
  }
  evaluate(t, LANES, lanes);
  int chosen = -1;
  for (int l = 0; l < LANES; l++) {
    const double sum = feasible[l] ? squares(t, l) : INFINITY;
    if (sum < *best) *best = sum, chosen = l;
  }
  if (chosen >= 0) memcpy(x, lanes[chosen], P * sizeof *x);
  return chosen >= 0;
}

/* To the least sum of squares from x; matrix is left at the end point, lane 0 of the forces too. */
static double minimise(problem *t, double *x, double matrix[P][P])
{
  double gradient[P], best = linearise(t, x, matrix, gradient);
  int slow = 0;
  for (t->iterations = 0; t->iterations < MOST_ITERATIONS; t->iterations++) {
    double dx[P], gain = 0.0;
    if (damped_step(t->p, matrix, gradient, 0.0, dx)) {
      for (int j = 0; j < t->p; j++) gain += dx[j] * gradient[j];
      if (gain >= 0.0 && gain < 1e-8 * best / t->n) break; /* within 1e-4 standard errors of the minimum */
    }
    const double before = best;
    if (!try_steps(t, x, matrix, gradient, &best)) break;
    slow = before - best < 1e-4 * best / t->n ? slow + 1 : 0; /* a valley so flat that the data cannot tell */
    if (slow == 2) break;
    best = linearise(t, x, matrix, gradient);
  }
  /* the last trial may have left other lanes behind */
  double again[1][P];
  memcpy(again[0], x, sizeof again[0]);
  evaluate(t, 1, again);
  return best;
}

static double durbin_watson(const double *data, const double *force, int n)
{
  double changes = 0.0, sum = 0.0, before = 0.0;
  for (int i = 0; i < n; i++) {
    const double rest = data[i] - force[i];
    if (i) changes += (rest - before) * (rest - before);
    sum += rest * rest, before = rest;
  }
  return sum > 0.0 ? changes / sum : 2.0;
}

static void refuse(cap_identify_fit *fit, const char *which, const char *why)
{
  snprintf(fit->refusal, sizeof fit->refusal, "%s cannot be identified: %s", which, why);
}

static const char *advice(cap_identify_law law)
{
  return law == CAP_IDENTIFY_DAHL
             ? "the force does not come near enough to the envelopes; a larger deflection amplitude would "
               "show them"
             : "the friction hardly slips in these cycles; a larger deflection amplitude would make it";
}

/* Covariance of the fitted x (unscaled), or false with the refusal. */
static bool covariance(const problem *t, double matrix[P][P], double variance, cap_identify_fit *fit,
                       double out[P][P])
{
  double a[P * P], root[P], inverse[P * P];
  int pivot[P], p = t->p;
  for (int j = 0; j < p; j++) root[j] = sqrt(fmax(matrix[j][j], 1e-300));
  for (int j = 0; j < p; j++)
    for (int k = 0; k < p; k++) a[j * p + k] = matrix[j][k] / (root[j] * root[k]);
  double x[P], zero[P] = {0.0}, rest, weakest[P];
  int rank = p;
  if (capm_lsq_fit(p, p, a, zero, 1e-13, x, &rest, inverse, &rank, weakest) != CAP_OK || rank < p) {
    int worst = 0;
    for (int j = 1; j < fit->nparameter; j++)
      if (fabs(weakest[j]) > fabs(weakest[worst])) worst = j;
    refuse(fit, fit->parameters[worst].name, advice(t->model->law));
    return false;
  }
  capm_lu_factor(p, a, pivot);
  capm_lu_invert(p, a, pivot, inverse);
  for (int j = 0; j < p; j++)
    for (int k = 0; k < p; k++)
      out[j][k] = variance * inverse[j * p + k] / (root[j] * root[k]) * t->scale[j] * t->scale[k];
  return true;
}

/* Values, errors, intervals and correlations of the physical parameters; false with the refusal when one is
 * too wide. */
static bool report(const problem *t, const double *x, double cov[P][P], cap_identify_fit *fit)
{
  const double quantile = capm_student_point(t->n - t->p);
  const bool dahl = t->model->law == CAP_IDENTIFY_DAHL;
  double widest = 1.0, parameters[P];
  int worst = -1;
  for (int j = 0; j < fit->nparameter; j++) {
    const double width = quantile * sqrt(cov[j][j]) / t->widest[j];
    if (!(width <= widest)) widest = width, worst = j;
  }
  if (worst >= 0) {
    char why[256];
    snprintf(why, sizeof why, "its 95 %% interval is %.1f times the widest that is accepted; %s", widest,
             advice(t->model->law));
    refuse(fit, fit->parameters[worst].name, why);
    return false;
  }
  if (dahl) { /* row and column of log Lambda = x4 - mu log(reference) */
    const double l = log(t->reference);
    for (int j = 0; j < P; j++) cov[4][j] -= l * cov[5][j];
    for (int j = 0; j < P; j++) cov[j][4] -= l * cov[j][5];
  }
  to_physical(t, x, parameters);
  for (int j = 0; j < fit->nparameter; j++) {
    cap_identify_parameter *q = &fit->parameters[j];
    const double error = sqrt(cov[j][j]);
    const bool logarithmic = dahl && j == 4;
    q->value = parameters[j];
    q->error = logarithmic ? parameters[j] * error : error;
    q->low = logarithmic ? parameters[j] * exp(-quantile * error) : parameters[j] - quantile * error;
    q->high = logarithmic ? parameters[j] * exp(quantile * error) : parameters[j] + quantile * error;
    for (int k = 0; k < fit->nparameter; k++)
      fit->correlation[j][k] = cov[j][k] / sqrt(cov[j][j] * cov[k][k]);
  }
  return true;
}

static void score(const problem *t, double sum, cap_identify_fit *fit)
{
  const double n = t->n, likelihood = n * log(fmax(sum, 1e-300) / n);
  fit->scored = true;
  fit->rms = sqrt(sum / (n - t->p));
  fit->aic = likelihood + 2.0 * (t->p + 1);
  fit->bic = likelihood + log(n) * (t->p + 1);
  fit->durbin_watson = durbin_watson(t->data, t->force, t->n);
  if (fit->durbin_watson < 1.5)
    snprintf(fit->warning, sizeof fit->warning,
             "the residuals are not white (Durbin-Watson %.2f): the law or the noise model misses something, "
             "and the "
             "intervals are too narrow",
             fit->durbin_watson);
}

/* ---- each law: start, scales, what is refused at once ---- */

static cap_status start_dahl(problem *t, double *x, cap_identify_fit *fit)
{
  const cap_identify_cycle *y = t->model->cycle;
  double parameters[P];
  CAP_TRY(cap_identify_start_dahl(t->model, t->force, parameters, &t->evaluations));
  for (int j = 0; j < fit->nparameter; j++) fit->parameters[j].start = parameters[j];
  const double middle = 0.5 * (y->u_min + y->u_max), range = y->u_max - y->u_min;
  const double gap = parameters[1] - parameters[3] + (parameters[0] - parameters[2]) * middle;
  t->reference = 0.5 * gap;
  memcpy(x, parameters, sizeof parameters);
  x[4] = log(parameters[4]) + parameters[5] * log(t->reference);
  const double scale[P] = {gap / range, gap, gap / range, gap, 1.0, 1.0, gap};
  memcpy(t->scale, scale, sizeof scale);
  return CAP_OK;
}

static void widths_dahl(problem *t, const double *x)
{
  for (int j = 0; j < 4; j++) t->widest[j] = 0.5 * t->scale[j];
  t->widest[4] = 0.5;
  t->widest[5] = 0.5 * fmax(x[5], 0.2);
}

static cap_status start_masing(problem *t, double *x, cap_identify_fit *fit)
{
  const cap_identify_cycle *y = t->model->cycle;
  cap_identify_corner corner;
  CAP_TRY(cap_identify_start_masing(t->model, t->force, &corner));
  memcpy(x, corner.unknowns, sizeof corner.unknowns);
  for (int j = 0; j < fit->nparameter; j++) fit->parameters[j].start = x[j];
  const double stuck = corner.squares_stuck, slip = corner.squares,
               floor_ = 1e-16 * t->n * y->f_range * y->f_range;
  if (!(x[0] > 0.0) || stuck < floor_ || !(stuck - slip > 40.0 * slip / t->n)) {
    refuse(fit, "alpha (and k apart from k0)",
           "the friction never slips in these cycles, a spring and a damper explain them; a larger "
           "deflection amplitude is needed");
    return CAP_OK;
  }
  const double range = y->u_max - y->u_min, speed = y->angular_frequency * range;
  const double scale[P] = {y->f_range / range, y->f_range / range, y->f_range,
                           y->f_range,         y->f_range / speed, range};
  memcpy(t->scale, scale, sizeof scale);
  return CAP_OK;
}

static void widths_masing(problem *t, const double *x)
{
  t->widest[0] = 0.5 * x[0];
  t->widest[1] = 0.5 * (x[0] + fabs(x[1]));
  t->widest[2] = 0.5 * x[2];
  t->widest[3] = 0.5 * t->scale[3];
  t->widest[4] = 0.5 * t->scale[4];
}

cap_status cap_identify_fit_law(const cap_identify_cycle *y, cap_identify_law law, cap_arena *arena,
                                cap_identify_fit *fit)
{
  const bool dahl = law == CAP_IDENTIFY_DAHL;
  fit->law = dahl ? "dahl" : "masing";
  fit->nparameter = dahl ? 6 : 5;
  memcpy(fit->parameters, dahl ? dahl_parameters : masing_parameters,
         (size_t)fit->nparameter * sizeof *fit->parameters);
  const double least = fmax(4.0 * y->area_error, 1e-3 * y->f_range * (y->u_max - y->u_min));
  if (y->area < least) {
    refuse(fit, dahl ? "Lambda (and mu, and b apart from e)" : "alpha (and k apart from k0)",
           y->area < -least
               ? "the loop runs the wrong way round, as if it gave work back; is the sign of force or "
                 "deflection "
                 "turned round?"
               : "the loop has no area beyond the noise, the force follows the deflection alone; a larger "
                 "deflection amplitude is needed");
    return CAP_OK;
  }
  cap_identify_model model;
  problem t = {.model = &model, .data = y->force, .n = y->n, .p = fit->nparameter + 1};
  t.force = CAP_ARENA_NEW(arena, double, ((size_t)LANES * (size_t)y->n));
  fit->force = CAP_ARENA_NEW(arena, double, y->n);
  if (!t.force || !fit->force) return CAP_ERR_NOMEM;
  CAP_TRY(cap_identify_law_init(&model, y, law, y->n, y->u, y->v, y->stroke_of, true, arena));

  double x[P] = {0.0}, matrix[P][P], cov[P][P];
  CAP_TRY(dahl ? start_dahl(&t, x, fit) : start_masing(&t, x, fit));
  if (fit->refusal[0]) return CAP_OK;
  const double sum = minimise(&t, x, matrix);
  fit->iterations = t.iterations;
  fit->evaluations = t.evaluations;
  if (!isfinite(sum)) {
    refuse(fit, "the law", "no parameters give a finite force over these cycles");
    return CAP_OK;
  }
  memcpy(fit->force, t.force, (size_t)y->n * sizeof *fit->force);
  if (dahl) widths_dahl(&t, x);
  else widths_masing(&t, x);
  score(&t, sum, fit);
  if (!covariance(&t, matrix, sum / (t.n - t.p), fit, cov) || !report(&t, x, cov, fit)) return CAP_OK;
  fit->done = true;
  return CAP_OK;
}
