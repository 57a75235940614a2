/* hb/hb_output.c — see hb_output.h. */
#include "hb/hb_output.h"
#include "hb/hb_tangent.h"
#include "model/lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LANES = CAPM_FOURIER_BLOCK };

/* Samples of all coordinates, velocities and inner states, and the laws brought to this solution. */
typedef struct motion {
  double *q, *v, *x; /* [nv], [nv], [nx] by [nsample] */
  cap_arena arena;
} motion;

static cap_status allocate(const cap_hb *hb, motion *w, double **c)
{
  size_t n = (size_t)hb->nsample, nv = (size_t)hb->m->nv;
  *w = (motion){0};
  w->q = CAP_ARENA_NEW(&w->arena, double, (nv * n));
  w->v = CAP_ARENA_NEW(&w->arena, double, (nv * n));
  w->x = CAP_ARENA_NEW(&w->arena, double, ((size_t)hb->m->nx * n));
  *c = CAP_ARENA_NEW(&w->arena, double, (nv + (size_t)hb->m->nx + 1) * (size_t)hb->ncoef + nv);
  return w->q && w->v && w->x && *c ? CAP_OK : CAP_ERR_NOMEM;
}

static void copy_states(const cap_hb *hb, motion *w)
{
  const cap_model *m = hb->m;
  for (int k = 0; k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    int at = -1;
    if (law->slider >= 0) at = m->nx - m->nslider + law->slider;
    for (int b = 0; b < m->nbatch && law->kind == CAP_HB_LAW_STATE; b++) {
      const cap_batch *batch = &m->batches[b];
      if (law->elem >= batch->elem_adr && law->elem < batch->elem_adr + batch->n)
        at = batch->x_adr + law->elem - batch->elem_adr;
    }
    if (at < 0) continue;
    const double *from = law->kind == CAP_HB_LAW_COULOMB ? law->f : law->x;
    memcpy(w->x + (size_t)at * (size_t)hb->nsample, from, sizeof(double) * (size_t)hb->nsample);
  }
}

static cap_status sample_motion(cap_hb *hb, const double *x, double angular_frequency, motion *w,
                                cap_error *error)
{
  double *c;
  if (allocate(hb, w, &c) != CAP_OK) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  int nv = hb->m->nv, nc = hb->ncoef, n = hb->nsample;
  double *rate = c + (size_t)nv * (size_t)nc, *states = rate + nc,
         *drift = states + (size_t)hb->m->nx * (size_t)nc;
  CAP_TRY(cap_hb_sample(hb, x, angular_frequency, false, error));
  CAP_TRY(cap_hb_coordinates(hb, x, angular_frequency, c, drift, states, error));
  for (int i = 0; i < nv; i++) {
    capm_fourier_synthesis(&hb->fourier, c + (size_t)i * (size_t)nc, w->q + (size_t)i * (size_t)n);
    capm_fourier_derivative(hb->nharmonic, c + (size_t)i * (size_t)nc, rate);
    for (int k = 0; k < nc; k++) rate[k] *= angular_frequency / hb->sub;
    rate[0] += drift[i];
    capm_fourier_synthesis(&hb->fourier, rate, w->v + (size_t)i * (size_t)n);
  }
  for (int k = 0; k < hb->m->nx; k++)
    if (hb->linear->state_place[k] >= 0)
      capm_fourier_synthesis(&hb->fourier, states + (size_t)k * (size_t)nc, w->x + (size_t)k * (size_t)n);
  copy_states(hb, w);
  return CAP_OK;
}

/* Rows [count][nsample] of one block as rows [count][LANES]. */
static void gather(int count, int nsample, int start, const double *from, double *to)
{
  for (int i = 0; i < count; i++)
    memcpy(to + i * LANES, from + (size_t)i * (size_t)nsample + start, sizeof(double) * LANES);
}

/* Outputs of elements that are linear about the start, from the states of one block. */
static void show_tangents(const cap_hb_tangent_shown *s, const cap_model *lanes, const double *q,
                          const double *v, const double *x, double *force)
{
  int nv = lanes->nv, n = lanes->nstate;
  for (int o = 0; o < s->n; o++) {
    double *to = force + s->at[o] * LANES;
    for (int l = 0; l < LANES; l++) to[l] = s->value[o];
    for (int k = 0; k < n; k++) {
      double slope = s->slope[o * n + k];
      if (slope == 0.0) continue;
      const double *row = k < nv       ? q + k * LANES
                          : k < 2 * nv ? v + (k - nv) * LANES
                                       : x + (k - 2 * nv) * LANES;
      for (int l = 0; l < LANES; l++) to[l] += slope * (row[l] - s->start[k]);
    }
  }
}

static cap_status channel_block(const cap_hb *hb, const cap_model *lanes, const motion *w,
                                const cap_hb_tangent_shown *shown, int start, double *work, int nchannel,
                                const int *channel, cap_hb_wave *wave)
{
  int nv = lanes->nv, nx = lanes->nx;
  double t[LANES], *q = work, *v = q + nv * LANES, *x = v + nv * LANES, *h = x + nx * LANES;
  double *xdot = h + nv * LANES, *force = xdot + nx * LANES;
  gather(nv, hb->nsample, start, w->q, q);
  gather(nv, hb->nsample, start, w->v, v);
  gather(nx, hb->nsample, start, w->x, x);
  /* loads follow the forcing: their own time in the model gives the same angle */
  for (int l = 0; l < LANES; l++) t[l] = hb->sub * hb->m->period[hb->lane] * (start + l) / hb->nsample;
  cap_eval e = {.nlane = LANES,
                .t = t,
                .steady = hb->linear->autonomous,
                .q = q,
                .v = v,
                .x = x,
                .h = h,
                .xdot = xdot,
                .force = force};
  cap_model_rates(lanes, &e);
  show_tangents(shown, lanes, q, v, x, force);
  for (int c = 0; c < nchannel; c++)
    cap_model_channel_lanes(&lanes->channels[channel[c]], LANES, q, v, x, force,
                            wave->values + (size_t)c * (size_t)hb->nsample + start);
  return CAP_OK;
}

static cap_status fill_wave(cap_hb *hb, const motion *w, int nchannel, const int *channel, cap_hb_wave *wave)
{
  cap_model *lanes;
  CAP_TRY(cap_lanes_copy(hb->m, hb->lane, LANES, &lanes));
  size_t rows = (size_t)(3 * lanes->nv + 2 * lanes->nx + lanes->noutput);
  double *work = malloc(sizeof(double) * rows * LANES + 1);
  cap_hb_tangent_shown shown = {0};
  cap_status status = work ? cap_hb_tangent_show(hb->m, hb->lane, &shown) : CAP_ERR_NOMEM;
  for (int start = 0; status == CAP_OK && start < hb->nsample; start += LANES)
    status = channel_block(hb, lanes, w, &shown, start, work, nchannel, channel, wave);
  cap_hb_tangent_hide(&shown);
  free(work);
  cap_model_free(lanes);
  return status;
}

/* ---- channels of positions and velocities: a series, no evaluation of elements ------------------------- */

static bool is_series(const cap_channel *channel)
{
  for (int t = 0; t < channel->nterm; t++)
    if (channel->terms[t].kind != CAP_TERM_CONSTANT && channel->terms[t].kind != CAP_TERM_Q &&
        channel->terms[t].kind != CAP_TERM_V)
      return false;
  return true;
}

/* values[nsample] of such a channel from the coefficients c[nv][ncoef] and drift[nv]; scratch[2 ncoef]. */
static void series_channel(const cap_hb *hb, const cap_channel *channel, double w, const double *c,
                           const double *drift, double *scratch, double *values)
{
  int nc = hb->ncoef;
  double *sum = scratch, *rate = scratch + nc;
  memset(sum, 0, sizeof(double) * (size_t)nc);
  for (int t = 0; t < channel->nterm; t++) {
    double factor = channel->factors[t * hb->m->nlane + hb->lane];
    const double *row = c + (size_t)channel->terms[t].index * (size_t)nc;
    if (channel->terms[t].kind == CAP_TERM_CONSTANT) {
      sum[0] += factor;
      continue;
    }
    if (channel->terms[t].kind == CAP_TERM_V) {
      capm_fourier_derivative(hb->nharmonic, row, rate);
      sum[0] += factor * drift[channel->terms[t].index];
      factor *= w;
      row = rate;
    }
    for (int k = 0; k < nc; k++) sum[k] += factor * row[k];
  }
  capm_fourier_synthesis(&hb->fourier, sum, values);
}

static cap_status all_series(cap_hb *hb, const double *x, double angular_frequency, int nchannel,
                             const int *channel, cap_hb_wave *wave, cap_error *error)
{
  size_t nc = (size_t)hb->ncoef, nv = (size_t)hb->m->nv;
  double *c = malloc(sizeof(double) * ((nv + 2) * nc + nv)), *drift = c + (nv + 2) * nc;
  if (!c) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_hb_coordinates(hb, x, angular_frequency, c, drift, NULL, error);
  for (int k = 0; status == CAP_OK && k < nchannel; k++)
    series_channel(hb, &hb->m->channels[channel[k]], angular_frequency / hb->sub, c, drift, c + nv * nc,
                   wave->values + (size_t)k * (size_t)hb->nsample);
  free(c);
  return status;
}

cap_status cap_hb_output_wave(cap_hb *hb, const double *x, double angular_frequency, int nchannel,
                              const int *channel, cap_hb_wave *wave, cap_error *error)
{
  motion w;
  bool series = true;
  *wave = (cap_hb_wave){.nsample = hb->nsample};
  wave->values = CAP_ARENA_NEW(&wave->arena, double, ((size_t)nchannel * (size_t)hb->nsample));
  if (!wave->values) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < nchannel; k++) series = series && is_series(&hb->m->channels[channel[k]]);
  if (series) return all_series(hb, x, angular_frequency, nchannel, channel, wave, error);
  cap_status status = sample_motion(hb, x, angular_frequency, &w, error);
  if (status == CAP_OK) {
    status = fill_wave(hb, &w, nchannel, channel, wave);
    if (status != CAP_OK) cap_status_fail(error, status, "out of memory");
  }
  cap_arena_free(&w.arena);
  return status;
}

/* ---- energy -------------------------------------------------------------------------------------------- */

/* Stored energy of nlane states less the work of constant loads from q = 0. */
static void total_energy(const cap_model *m, int nlane, const double *q, const double *v, const double *x,
                         double *energy)
{
  cap_eval e = {.nlane = nlane, .q = q, .v = v, .x = x};
  cap_model_energy(m, &e, energy);
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    for (int k = 0; k < batch->n && batch->type->linear && !batch->type->energy; k++) {
      cap_linear_part part = {0};
      batch->type->linear(batch, k, 0, &part);
      int i = batch->i[k], j = batch->j[k];
      for (int l = 0; l < nlane; l++)
        energy[l] += part.f0 * (q[i * nlane + l] - (j == CAP_GROUND ? 0.0 : q[j * nlane + l]));
    }
  }
}

static cap_status energy_wave(cap_hb *hb, const motion *w, double rest, double *values)
{
  cap_model *lanes;
  CAP_TRY(cap_lanes_copy(hb->m, hb->lane, LANES, &lanes));
  int nv = lanes->nv, nx = lanes->nx;
  double *q = malloc(sizeof(double) * (size_t)(2 * nv + nx) * LANES + 1), *v = q + nv * LANES;
  for (int start = 0; q && start < hb->nsample; start += LANES) {
    gather(nv, hb->nsample, start, w->q, q);
    gather(nv, hb->nsample, start, w->v, v);
    gather(nx, hb->nsample, start, w->x, v + nv * LANES);
    total_energy(lanes, LANES, q, v, v + nv * LANES, values + start);
    for (int l = 0; l < LANES; l++) values[start + l] -= rest;
  }
  cap_status status = q ? CAP_OK : CAP_ERR_NOMEM;
  free(q);
  cap_model_free(lanes);
  return status;
}

/* Energy of the state y[nstate], one lane. */
static cap_status rest_energy(const cap_hb *hb, const double *y, double *rest)
{
  cap_model *one;
  CAP_TRY(cap_lanes_copy(hb->m, hb->lane, 1, &one));
  total_energy(one, 1, y, y + one->nv, y + 2 * one->nv, rest);
  cap_model_free(one);
  return CAP_OK;
}

cap_status cap_hb_output_energy(cap_hb *hb, const double *x, double angular_frequency, const double *at_rest,
                                cap_hb_output *energy, cap_error *error)
{
  motion w;
  double rest = 0.0, *values = NULL;
  cap_status status = sample_motion(hb, x, angular_frequency, &w, error);
  if (status == CAP_OK) {
    values = CAP_ARENA_NEW(&w.arena, double, hb->nsample);
    status = values ? rest_energy(hb, at_rest, &rest) : CAP_ERR_NOMEM;
    if (status == CAP_OK) status = energy_wave(hb, &w, rest, values);
    if (status == CAP_OK) *energy = cap_hb_output_of(hb->nsample, values);
    else cap_status_fail(error, status, "out of memory");
  }
  cap_arena_free(&w.arena);
  return status;
}

cap_status cap_hb_output_states(cap_hb *hb, const double *x, double angular_frequency, int count,
                                double *states, cap_error *error)
{
  motion w;
  const cap_model *m = hb->m;
  size_t n = (size_t)hb->nsample, stride = n / (size_t)count;
  cap_status status = sample_motion(hb, x, angular_frequency, &w, error);
  for (int k = 0; status == CAP_OK && k < count; k++) {
    double *y = states + (size_t)k * (size_t)m->nstate;
    size_t at = (size_t)k * stride;
    for (int i = 0; i < m->nv; i++) {
      y[i] = w.q[(size_t)i * n + at];
      y[m->nv + i] = w.v[(size_t)i * n + at];
    }
    for (int i = 0; i < m->nx; i++) y[2 * m->nv + i] = w.x[(size_t)i * n + at];
  }
  cap_arena_free(&w.arena);
  return status;
}

cap_status cap_hb_output_state(cap_hb *hb, const double *x, double angular_frequency, double *y,
                               cap_error *error)
{
  return cap_hb_output_states(hb, x, angular_frequency, 1, y, error);
}

/* Largest value of sign * values, with a parabola through the best sample and its neighbours. */
static double extreme(int n, const double *values, double sign)
{
  int best = 0;
  for (int i = 1; i < n; i++)
    if (sign * values[i] > sign * values[best]) best = i;
  double here = sign * values[best], before = sign * values[(best + n - 1) % n],
         after = sign * values[(best + 1) % n];
  double bend = before - 2.0 * here + after;
  if (bend < 0.0) here -= (after - before) * (after - before) / (8.0 * bend);
  return sign * here;
}

cap_hb_output cap_hb_output_of(int nsample, const double *values)
{
  cap_hb_output o = {0};
  for (int n = 0; n < nsample; n++) o.mean += values[n] / nsample;
  for (int n = 0; n < nsample; n++) o.rms_ac += (values[n] - o.mean) * (values[n] - o.mean) / nsample;
  o.rms_total = sqrt(o.rms_ac + o.mean * o.mean);
  o.rms_ac = sqrt(o.rms_ac);
  o.low = extreme(nsample, values, -1.0);
  o.high = extreme(nsample, values, 1.0);
  return o;
}

void cap_hb_output_harmonic(int nsample, const double *values, int h, double *amplitude, double *phase)
{
  double a = 0.0, b = 0.0, weight = (h ? 2.0 : 1.0) / nsample;
  for (int n = 0; n < nsample; n++) {
    double angle = 2.0 * M_PI * (double)((long)n * h % nsample) / nsample;
    a += weight * values[n] * cos(angle);
    b += weight * values[n] * sin(angle);
  }
  *amplitude = hypot(a, b);
  *phase = atan2(b, a);
}
