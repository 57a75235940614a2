/* analysis/identify/identify.c — from a measured force-deflection loop to the parameters of a hysteresis
 * law. */
#include "analysis/identify/identify.h"
#include "analysis/identify/identify_fit.h"
#include "analysis/identify/identify_law.h"
#include "analysis/identify/identify_record.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_DATA = 100, LOOP = CAP_IDENTIFY_LOOP };
static const double TWO_PI = 6.28318530717958647692;

/* ---- what no method could use ---- */

static cap_status check_finite(int n, const double *time, const double *u, const double *force,
                               cap_error *error)
{
  const double *columns[3] = {time, u, force};
  const char *names[3] = {"time", "deflection", "force"};
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < 3; j++)
      if (!isfinite(columns[j][i]))
        return cap_status_fail(error, CAP_ERR_INPUT, "sample %d: expected a finite number as %s, got %g",
                               i + 1, names[j], columns[j][i]);
    if (i && !(time[i] > time[i - 1]))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "sample %d: expected a time after %.9g s, that of the sample before, got %.9g s",
                             i + 1, time[i - 1], time[i]);
  }
  return CAP_OK;
}

static int compare(const void *a, const void *b)
{
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

/* How many of the sorted values (going inward from an end) equal the extreme one, and the mean count of the
 * next three distinct values. A signal that turns, even a quantised one, thins out by at most 1 : 0.4; one
 * that is cut off piles up. */
static bool piles_up(const double *sorted, int n, int step)
{
  const double *at = step > 0 ? sorted : sorted + n - 1, *end = at + step * (n - 1);
  int counts[4] = {0};
  for (int level = 0; level < 4; level++) {
    const double value = *at;
    while (*at == value) {
      counts[level]++;
      if (at == end) break;
      at += step;
    }
    if (at == end) break;
  }
  const double next = (counts[1] + counts[2] + counts[3]) / 3.0;
  return counts[0] >= 8 && counts[0] > 0.004 * n && counts[0] > 6.0 * next;
}

static cap_status check_clipping(int n, const double *x, const char *name, const char *which,
                                 const char *unit, double factor, double *work, cap_error *error)
{
  memcpy(work, x, (size_t)n * sizeof *work);
  qsort(work, (size_t)n, sizeof *work, compare);
  if (!(work[n - 1] > work[0]))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the %s is constant; expected a loop, got %.6g %s throughout", name,
                           work[0] * factor, unit);
  for (int step = -1; step <= 1; step += 2) {
    if (!piles_up(work, n, step)) continue;
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the %s is clipped; expected a loop that is not cut off, got many samples at %.6g "
                           "%s: %s cannot be identified",
                           name, (step > 0 ? work[0] : work[n - 1]) * factor, unit, which);
  }
  return CAP_OK;
}

static cap_status check_data(int n, const double *time, const double *u, const double *force,
                             cap_error *error)
{
  if (n < LEAST_DATA)
    return cap_status_fail(error, CAP_ERR_INPUT, "too few samples; expected at least %d, got %d", LEAST_DATA,
                           n);
  CAP_TRY(check_finite(n, time, u, force, error));
  double *work = malloc((size_t)n * sizeof *work);
  if (!work) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = check_clipping(
      n, u, "deflection", "the reversals and with them Lambda, mu, k and alpha", "mm", 1e3, work, error);
  if (status == CAP_OK)
    status = check_clipping(n, force, "force", "the envelopes (b, e, alpha, F0)", "N", 1.0, work, error);
  free(work);
  return status;
}

/* ---- run ---- */

static cap_status one_cycle(cap_identify_result *r, cap_identify_law law)
{
  cap_identify_cycle *y = &r->cycle;
  int *stroke_of = CAP_ARENA_NEW(&r->arena, int, LOOP);
  if (!stroke_of) return CAP_ERR_NOMEM;
  for (int i = 0; i < LOOP; i++) {
    r->loop_phase[i] = TWO_PI * i / (LOOP - 1);
    r->loop_u[i] = cap_identify_cycle_at(y, r->loop_phase[i], &r->loop_v[i]);
    const double phase = i < LOOP - 1 ? r->loop_phase[i] : 0.0;
    stroke_of[i] = y->nstroke - 1;
    for (int k = 0; k < y->nstroke && y->strokes[k].phase <= phase; k++) stroke_of[i] = k;
  }
  cap_identify_fit *fit = &r->fits[law];
  if (!fit->done) return CAP_OK;
  cap_identify_model model;
  double parameters[1][CAP_IDENTIFY_LAW_UNKNOWNS] = {{0.0}};
  for (int j = 0; j < fit->nparameter; j++) parameters[0][j] = fit->parameters[j].value;
  CAP_TRY(cap_identify_law_init(&model, y, law, LOOP, r->loop_u, r->loop_v, stroke_of, false, &r->arena));
  cap_identify_law_force(&model, 1, parameters, fit->loop_force);
  fit->area = 0.0;
  for (int i = 1; i < LOOP; i++)
    fit->area += 0.5 * (fit->loop_force[i] * r->loop_v[i] + fit->loop_force[i - 1] * r->loop_v[i - 1]);
  fit->area *= TWO_PI / y->angular_frequency / (LOOP - 1);
  return CAP_OK;
}

static cap_status identify(int n, const double *time, const double *u, const double *force,
                           const bool asked[CAP_IDENTIFY_LAWS], cap_identify_result *r, cap_error *error)
{
  CAP_TRY(check_data(n, time, u, force, error));
  CAP_TRY(cap_identify_cycle_find(n, time, u, force, &r->arena, &r->cycle, error));
  r->measured = u + r->cycle.first;
  CAP_TRY(cap_identify_record_use(&r->cycle, r->measured, &r->arena, error));
  r->best = -1;
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    cap_identify_fit *fit = &r->fits[law];
    if (!(fit->asked = asked[law])) continue;
    cap_status status = cap_identify_fit_law(&r->cycle, (cap_identify_law)law, &r->arena, fit);
    if (status == CAP_OK) status = one_cycle(r, (cap_identify_law)law);
    if (status != CAP_OK) return cap_status_fail(error, status, "%s", cap_status_text(status));
    if (fit->done && (r->best < 0 || fit->aic < r->fits[r->best].aic)) r->best = law;
  }
  return CAP_OK;
}

cap_status cap_identify_run(int n, const double *time, const double *deflection, const double *force,
                            const bool asked[CAP_IDENTIFY_LAWS], cap_identify_result **result,
                            cap_error *error)
{
  *result = NULL;
  cap_identify_result *r = calloc(1, sizeof *r);
  if (!r) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  const cap_status status = identify(n, time, deflection, force, asked, r, error);
  if (status != CAP_OK) {
    cap_identify_free(r);
    return status;
  }
  *result = r;
  if (r->best >= 0) return CAP_OK;
  char text[900] = "";
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++) {
    const size_t used = strlen(text);
    if (r->fits[law].asked)
      snprintf(text + used, sizeof text - used, "%s%s: %s", used ? "; " : "", r->fits[law].law,
               r->fits[law].refusal);
  }
  return cap_status_fail(error, CAP_ERR_INPUT, "%s", text);
}

void cap_identify_free(cap_identify_result *result)
{
  if (!result) return;
  cap_arena_free(&result->arena);
  free(result);
}

cap_status cap_identify_simulate(const cap_identify_cycle *cycle, cap_identify_law law,
                                 const double *parameters, double *force)
{
  cap_arena arena = {0};
  cap_identify_model model;
  double one[1][CAP_IDENTIFY_LAW_UNKNOWNS] = {{0.0}};
  memcpy(one[0], parameters, (law == CAP_IDENTIFY_DAHL ? 6 : 5) * sizeof *parameters);
  const cap_status status = cap_identify_law_init(&model, cycle, law, cycle->n, cycle->u, cycle->v,
                                                  cycle->stroke_of, false, &arena);
  if (status == CAP_OK) cap_identify_law_force(&model, 1, one, force);
  cap_arena_free(&arena);
  return status;
}

/* ---- results ---- */

const char *cap_identify_fragment(cap_identify_result *r, cap_identify_law law)
{
  const cap_identify_fit *fit = &r->fits[law];
  const cap_identify_parameter *q = fit->parameters;
  if (!fit->done) return NULL;
  if (law == CAP_IDENTIFY_DAHL)
    return cap_arena_format(
        &r->arena,
        "tensioner:\n  law: dahl\n  a: %.6g N/m\n  b: %.6g N\n  d: %.6g N/m\n  e: %.6g N\n"
        "  lambda: %.6g\n  mu: %.6g\n",
        q[0].value, q[1].value, q[2].value, q[3].value, q[4].value, q[5].value);
  return cap_arena_format(
      &r->arena,
      "tensioner:\n  law: masing\n  k0: %.6g N/m\n  F0: %.6g N\n  c: %.6g N s/m\n"
      "  # c_angular_frequency: %.6g rad/s   # to keep c times the angular_frequency constant, eq. (29)\n"
      "  sliders: [{k: %.6g N/m, alpha: %.6g N}]\n",
      q[1].value, q[3].value, fmax(q[4].value, 0.0), r->cycle.angular_frequency, q[0].value, q[2].value);
}

static cap_status put_vector(cap_sink *sink, const char *name, const char *unit, const char *meaning, int n,
                             const double *values)
{
  const int64_t dims[1] = {n};
  return sink->array(sink, (cap_column){name, unit, meaning}, 1, dims, NULL, values);
}

static cap_status put_number(cap_sink *sink, const char *name, const char *unit, const char *meaning,
                             double value)
{
  return sink->number(sink, (cap_column){name, unit, meaning}, value);
}

static cap_status write_cycle(const cap_identify_result *r, cap_sink *sink)
{
  const cap_identify_cycle *y = &r->cycle;
  CAP_TRY(sink->open(sink, "identify", "identify", "Identification of hysteresis laws"));
  CAP_TRY(put_number(sink, "angular_frequency", "rad/s", "angular frequency of the deflection",
                     y->angular_frequency));
  CAP_TRY(put_number(sink, "cycles", "1", "number of steady cycles used", y->cycles));
  CAP_TRY(put_number(sink, "first_sample", "1", "samples dropped as start-up", y->first));
  CAP_TRY(
      put_number(sink, "force_noise", "N", "noise of the force, from its second differences", y->f_noise));
  CAP_TRY(put_number(sink, "loop_area", "J", "measured loop area", y->area));
  CAP_TRY(sink->text(sink, "best", r->best >= 0 ? r->fits[r->best].law : "none"));
  CAP_TRY(put_vector(sink, "time", "s", "time", y->n, y->time));
  CAP_TRY(put_vector(sink, "deflection", "m", "measured deflection", y->n, r->measured));
  CAP_TRY(put_vector(sink, "deflection.smooth", "m", "deflection used by the laws", y->n, y->u));
  CAP_TRY(put_vector(sink, "velocity", "m/s", "velocity used by the laws", y->n, y->v));
  CAP_TRY(put_vector(sink, "force", "N", "measured force", y->n, y->force));
  CAP_TRY(put_vector(sink, "loop.phase", "rad", "phase within one cycle", LOOP, r->loop_phase));
  CAP_TRY(put_vector(sink, "loop.deflection", "m", "deflection over one cycle", LOOP, r->loop_u));
  return CAP_OK;
}

/* Residual, score and area. */
static cap_status write_score(const cap_identify_fit *fit, cap_sink *sink)
{
  char name[64];
  const struct {
    const char *part, *unit, *meaning;
    double value;
  } numbers[] = {
      {"rms", "N", "residual force", fit->rms},
      {"durbin_watson", "1", "Durbin-Watson statistic of the residuals; 2 = white", fit->durbin_watson},
      {"aic", "1", "Akaike information criterion", fit->aic},
      {"bic", "1", "Bayesian information criterion", fit->bic},
      {"area", "J", "loop area of the law", fit->area}};
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers - !fit->done; k++) {
    snprintf(name, sizeof name, "%s.%s", fit->law, numbers[k].part);
    CAP_TRY(put_number(sink, name, numbers[k].unit, numbers[k].meaning, numbers[k].value));
  }
  return CAP_OK;
}

static cap_status write_fit(cap_identify_result *r, cap_identify_law law, cap_sink *sink)
{
  const cap_identify_fit *fit = &r->fits[law];
  char name[64];
  double table[CAP_IDENTIFY_PARAMETERS][5], square[CAP_IDENTIFY_PARAMETERS * CAP_IDENTIFY_PARAMETERS];
  if (fit->scored) CAP_TRY(write_score(fit, sink));
  if (!fit->done) {
    snprintf(name, sizeof name, "%s.refusal", fit->law);
    return sink->text(sink, name, fit->refusal);
  }
  for (int j = 0; j < fit->nparameter; j++) {
    const cap_identify_parameter *q = &fit->parameters[j];
    const double row[5] = {q->value, q->error, q->low, q->high, q->start};
    const char *parts[5] = {"", ".error", ".low", ".high", ".start"};
    memcpy(table[j], row, sizeof row);
    for (int k = 0; k < 5; k++) {
      snprintf(name, sizeof name, "%s.%s%s", fit->law, q->name, parts[k]);
      CAP_TRY(put_number(sink, name, q->unit, q->meaning, table[j][k]));
    }
    for (int k = 0; k < fit->nparameter; k++) square[j * fit->nparameter + k] = fit->correlation[j][k];
  }
  const char *fragment = cap_identify_fragment(r, law);
  if (!fragment) return CAP_ERR_NOMEM;
  snprintf(name, sizeof name, "%s.model", fit->law);
  CAP_TRY(sink->text(sink, name, fragment));
  const int64_t dims[2] = {fit->nparameter, fit->nparameter};
  snprintf(name, sizeof name, "%s.correlation", fit->law);
  CAP_TRY(sink->array(sink, (cap_column){name, "1", "correlation of the parameters"}, 2, dims, NULL, square));
  snprintf(name, sizeof name, "%s.force", fit->law);
  CAP_TRY(put_vector(sink, name, "N", "force of the law at the samples", r->cycle.n, fit->force));
  snprintf(name, sizeof name, "%s.loop.force", fit->law);
  return put_vector(sink, name, "N", "force of the law over one cycle", LOOP, fit->loop_force);
}

cap_status cap_identify_write(cap_identify_result *result, cap_sink *sink)
{
  CAP_TRY(write_cycle(result, sink));
  for (int law = 0; law < CAP_IDENTIFY_LAWS; law++)
    if (result->fits[law].asked) CAP_TRY(write_fit(result, (cap_identify_law)law, sink));
  return sink->close(sink);
}
