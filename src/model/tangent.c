/* model/tangent.c — see tangent.h. */
#include "model/tangent.h"
#include "linalg/clu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static cap_status allocate(cap_tangent *w, const cap_model *m)
{
  cap_arena *a = &w->arena;
  size_t n = (size_t)w->n, nv = (size_t)w->nv, nx = (size_t)w->nx, ncol = 2 * nv + nx;
  w->place = CAP_ARENA_NEW(a, int, nv);
  w->M = CAP_ARENA_NEW(a, double, n);
  w->C = CAP_ARENA_NEW(a, double, (n * n));
  w->K = CAP_ARENA_NEW(a, double, (n * n));
  w->Cd = CAP_ARENA_NEW(a, double, (n * (size_t)w->ndriven));
  w->Kd = CAP_ARENA_NEW(a, double, (n * (size_t)w->ndriven));
  w->force = CAP_ARENA_NEW(a, double, m->noutput);
  /* dq, dv, dx, then dh and dxdot, h and xdot */
  w->columns = CAP_ARENA_NEW(a, double, (3 * nv + 2 * nx) * ncol + nv + nx);
  w->slopes = CAP_ARENA_NEW(a, double, nx);
  w->re = CAP_ARENA_NEW(a, double, (n * n));
  w->im = CAP_ARENA_NEW(a, double, (n * n));
  w->zr = CAP_ARENA_NEW(a, double, n);
  w->zi = CAP_ARENA_NEW(a, double, n);
  w->pivot = CAP_ARENA_NEW(a, int, n);
  bool all = w->place && w->M && w->C && w->K && w->Cd && w->Kd && w->force && w->columns && w->slopes &&
             w->re && w->im && w->zr && w->zi && w->pivot;
  return all ? CAP_OK : CAP_ERR_NOMEM;
}

cap_status cap_tangent_create(const cap_model *m, cap_tangent **tangent)
{
  cap_tangent *w = *tangent = calloc(1, sizeof *w);
  if (!w) return CAP_ERR_NOMEM;
  w->nv = m->nv;
  w->nx = m->nx;
  w->ndriven = m->nmotion;
  w->nfree = m->nv - m->nmotion;
  w->n = w->nfree + w->nx;
  if (allocate(w, m) == CAP_OK) {
    for (int i = 0, at = 0; i < m->nv; i++) w->place[i] = m->driven[i] >= 0 ? -1 - m->driven[i] : at++;
    return CAP_OK;
  }
  cap_tangent_free(w);
  *tangent = NULL;
  return CAP_ERR_NOMEM;
}

void cap_tangent_free(cap_tangent *w)
{
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

/* What one evaluation gives: derivatives of h and xdot along all states. */
typedef struct slopes {
  int ncol;
  const double *dh, *dxdot;
} slopes;

/* Row `row` has the term -(to_q q + to_v q') of coordinate i. */
static void subtract(cap_tangent *w, int row, int i, double to_q, double to_v)
{
  int place = w->place[i];
  double *k = place >= 0 ? w->K + row * w->n + place : w->Kd + row * w->ndriven - 1 - place;
  double *c = place >= 0 ? w->C + row * w->n + place : w->Cd + row * w->ndriven - 1 - place;
  *k -= to_q;
  *c -= to_v;
}

static void set_row(cap_tangent *w, int row, const double *derivative)
{
  for (int i = 0; i < w->nv; i++) subtract(w, row, i, derivative[i], derivative[w->nv + i]);
  for (int k = 0; k < w->nx; k++) w->K[row * w->n + w->nfree + k] -= derivative[2 * w->nv + k];
}

/* A law with memory: x = slope u, or u = 0 where the slope is infinite. */
static void follow(cap_tangent *w, int x, int i, int j, double slope)
{
  int row = w->nfree + x;
  bool held = isinf(slope);
  memset(w->K + row * w->n, 0, sizeof(double) * (size_t)w->n);
  memset(w->C + row * w->n, 0, sizeof(double) * (size_t)w->n);
  memset(w->Kd + row * w->ndriven, 0, sizeof(double) * (size_t)w->ndriven);
  memset(w->Cd + row * w->ndriven, 0, sizeof(double) * (size_t)w->ndriven);
  if (!held) w->K[row * w->n + row] = 1.0;
  subtract(w, row, i, held ? 1.0 : slope, 0.0);
  if (j != CAP_GROUND) subtract(w, row, j, held ? -1.0 : -slope, 0.0);
}

static void follow_all(cap_tangent *w, const cap_model *m, const double *y, cap_tangent_friction friction)
{
  bool stuck = friction == CAP_TANGENT_STUCK;
  for (int b = 0; b < m->nbatch; b++) {
    const cap_batch *batch = &m->batches[b];
    for (int k = 0; batch->type->slopes && k < batch->n; k++) {
      int at = batch->x_adr + k * batch->type->nstate, i = batch->i[k], j = batch->j[k];
      double held, slides, u = y[i] - (j == CAP_GROUND ? 0.0 : y[j]);
      batch->type->slopes(batch, k, 0, u, y + 2 * m->nv + at, &held, &slides);
      follow(w, at, i, j, stuck ? held : slides);
    }
  }
  for (int s = 0; s < m->nslider; s++)
    follow(w, m->nx - m->nslider + s, m->slider_i[s], m->slider_j[s], stuck ? m->slider_k[s] : 0.0);
}

/* ---- evaluation ---------------------------------------------------------------------------------------- */

void cap_tangent_at(cap_tangent *w, const cap_model *m, double t, const double *y,
                    cap_tangent_friction friction)
{
  int nv = w->nv, nx = w->nx, ncol = 2 * nv + nx;
  double *dq = w->columns, *dv = dq + nv * ncol, *dx = dv + nv * ncol, *dh = dx + nx * ncol;
  double *dxdot = dh + nv * ncol, *h = dxdot + nx * ncol, *xdot = h + nv;
  memset(dq, 0, sizeof(double) * (size_t)((2 * nv + nx) * ncol));
  for (int i = 0; i < nv; i++) dq[i * ncol + i] = dv[i * ncol + nv + i] = 1.0;
  for (int k = 0; k < nx; k++) dx[k * ncol + 2 * nv + k] = 1.0;
  cap_eval e = {.nlane = 1,
                .ncol = ncol,
                .t = &t,
                .q = y,
                .v = y + nv,
                .x = y + 2 * nv,
                .dq = dq,
                .dv = dv,
                .dx = dx,
                .h = h,
                .dh = dh,
                .xdot = xdot,
                .dxdot = dxdot,
                .force = w->force};
  cap_model_rates(m, &e);
  memset(w->C, 0, sizeof(double) * (size_t)(w->n * w->n));
  memset(w->K, 0, sizeof(double) * (size_t)(w->n * w->n));
  memset(w->Cd, 0, sizeof(double) * (size_t)(w->n * w->ndriven));
  memset(w->Kd, 0, sizeof(double) * (size_t)(w->n * w->ndriven));
  memset(w->M, 0, sizeof(double) * (size_t)w->n);
  w->imbalance = 0.0;
  for (int i = 0; i < nv; i++) {
    if (w->place[i] < 0) continue;
    w->M[w->place[i]] = m->mass[i];
    set_row(w, w->place[i], dh + i * ncol);
    w->imbalance = fmax(w->imbalance, fabs(h[i]));
  }
  for (int k = 0; k < nx; k++) {
    w->C[(w->nfree + k) * (w->n + 1)] = 1.0;
    set_row(w, w->nfree + k, dxdot + k * ncol);
  }
  follow_all(w, m, y, friction);
}

/* ---- response ------------------------------------------------------------------------------------------ */

static void fill_matrix(cap_tangent *w, double angular_frequency, const double *dr, const double *di)
{
  int n = w->n, nd = w->ndriven;
  for (int k = 0; k < n * n; k++) {
    w->re[k] = w->K[k];
    w->im[k] = angular_frequency * w->C[k];
  }
  for (int i = 0; i < n; i++) {
    w->re[i * (n + 1)] -= angular_frequency * angular_frequency * w->M[i];
    w->zr[i] = w->zi[i] = 0.0;
    for (int d = 0; d < nd; d++) {
      double k = w->Kd[i * nd + d], c = angular_frequency * w->Cd[i * nd + d];
      w->zr[i] -= k * dr[d] - c * di[d];
      w->zi[i] -= k * di[d] + c * dr[d];
    }
  }
}

cap_status cap_tangent_respond(cap_tangent *w, double angular_frequency, const double *dr, const double *di,
                               double *re, double *im, cap_error *error)
{
  int nv = w->nv;
  fill_matrix(w, angular_frequency, dr, di);
  if (capm_clu_factor(w->n, w->re, w->im, w->pivot) != 0)
    return cap_status_fail(error, CAP_ERR_NUMERICS, "undamped resonance at %.9g rad/s", angular_frequency);
  capm_clu_solve(w->n, w->re, w->im, w->pivot, w->zr, w->zi);
  for (int i = 0; i < nv; i++) {
    int place = w->place[i];
    re[i] = place >= 0 ? w->zr[place] : dr[-1 - place];
    im[i] = place >= 0 ? w->zi[place] : di[-1 - place];
    re[nv + i] = -angular_frequency * im[i];
    im[nv + i] = angular_frequency * re[i];
  }
  memcpy(re + 2 * nv, w->zr + w->nfree, sizeof(double) * (size_t)w->nx);
  memcpy(im + 2 * nv, w->zi + w->nfree, sizeof(double) * (size_t)w->nx);
  return CAP_OK;
}
