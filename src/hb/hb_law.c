/* hb/hb_law.c — see hb_law.h. */
#include "hb/hb_law.h"
#include "hb/hb_march.h"
#include "model/lanes.h"

#include <math.h>
#include <string.h>

enum { LANES = CAPM_FOURIER_BLOCK };
_Static_assert((int)LANES <= (int)CAP_LANES_MOST, "a block of samples must fit into the lanes of a model");

/* ---- life ---------------------------------------------------------------------------------------------- */

static cap_status allocate_samples(cap_hb_law *law, const capm_fourier *f, cap_arena *arena)
{
  enum { ARRAYS = 11 };
  size_t n = (size_t)f->nsample, extra = (size_t)(4 * f->ncoef + f->nrow + 18);
  double *block = CAP_ARENA_NEW(arena, double, (ARRAYS * n + extra));
  if (!block) return CAP_ERR_NOMEM;
  double **arrays[ARRAYS] = {&law->u, &law->v,   &law->f,   &law->f_u, &law->f_v,   &law->f_x,
                             &law->x, &law->x_u, &law->x_v, &law->x_x, &law->x_rate};
  for (int a = 0; a < ARRAYS; a++) *arrays[a] = block + (size_t)a * n;
  law->work = block + ARRAYS * n;
  if (law->kind != CAP_HB_LAW_STATE) return CAP_OK;
  law->march = CAP_ARENA_NEW(arena, double, (n + (size_t)f->ncoef) * (size_t)cap_hb_law_stride(f->ncoef));
  law->turns = CAP_ARENA_NEW(arena, cap_hb_turn, n);
  return law->march && law->turns ? CAP_OK : CAP_ERR_NOMEM;
}

static cap_status create_batch(const cap_batch *b, int nlane, cap_arena *arena, cap_batch *own)
{
  int *ends = CAP_ARENA_NEW(arena, int, 2);
  double *par = CAP_ARENA_NEW(arena, double, (b->type->nparam * nlane));
  if (!ends || !par) return CAP_ERR_NOMEM;
  ends[1] = CAP_GROUND;
  *own = (cap_batch){.type = b->type, .n = 1, .nlane = nlane, .i = ends, .j = ends + 1, .par = par};
  return CAP_OK;
}

static cap_status create_pieces(cap_hb_law *law, const capm_fourier *f, cap_arena *arena)
{
  law->pieces = CAP_ARENA_NEW(arena, cap_hb_pieces, 1);
  law->scratch = CAP_ARENA_NEW(arena, double, ((size_t)f->ncoef * (size_t)f->ncoef));
  if (!law->pieces || !law->scratch) return CAP_ERR_NOMEM;
  return cap_hb_pieces_create(arena, f->nharmonic, law->pieces);
}

static double initial_position(const cap_model *m, int end, int lane)
{
  return end == CAP_GROUND ? 0.0 : m->initial[end * m->nlane + lane];
}

static void read_element(cap_hb_law *law, const cap_model *m, const cap_batch *b, int k, int lane)
{
  if (law->pieces)
    law->kind = b->type->pieces(b, k, lane, &law->pieces->law) ? CAP_HB_LAW_PIECES : CAP_HB_LAW_MEMORYLESS;
  int nparam = b->type->nparam;
  const double *from = b->par + (size_t)(k * nparam) * (size_t)m->nlane;
  cap_lanes_spread(nparam, m->nlane, lane, from, LANES, (double *)(uintptr_t)law->lanes.par);
  cap_lanes_spread(nparam, m->nlane, lane, from, CAP_HB_LAW_SEGMENTS, (double *)(uintptr_t)law->segments.par);
  if (!b->type->nstate) return;
  law->rest = m->initial[(2 * m->nv + b->x_adr + k) * m->nlane + lane];
  law->rest_u = initial_position(m, b->i[k], lane) - initial_position(m, b->j[k], lane);
}

cap_status cap_hb_law_element(const cap_model *m, int lane, const cap_batch *b, int k, const capm_fourier *f,
                              cap_arena *arena, cap_hb_law *law, cap_error *error)
{
  if (b->type->wide)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "%s (%s) acts on several coordinates at once; expected laws between two "
                           "coordinates; use another method",
                           m->elem_name[b->elem_adr + k], b->type->name);
  if (b->type->nstate > 1)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "%s (%s) has %d internal variables; expected laws with at most one; use another method",
        m->elem_name[b->elem_adr + k], b->type->name, b->type->nstate);
  *law = (cap_hb_law){.kind = b->type->nstate ? CAP_HB_LAW_STATE : CAP_HB_LAW_MEMORYLESS,
                      .i = b->i[k],
                      .j = b->j[k],
                      .elem = b->elem_adr + k,
                      .slider = -1};
  if (create_batch(b, LANES, arena, &law->lanes) != CAP_OK ||
      create_batch(b, CAP_HB_LAW_SEGMENTS, arena, &law->segments) != CAP_OK ||
      allocate_samples(law, f, arena) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (b->type->pieces && create_pieces(law, f, arena) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  read_element(law, m, b, k, lane);
  if (b->type->jumps && b->type->jumps(b, k, lane))
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "the force of %s is discontinuous in the velocity and can lock its ends, so it is no function of "
        "deflection and velocity; expected a smoothed law (smoothing: g1 to g4)",
        m->elem_name[b->elem_adr + k]);
  for (int n = 0; n < f->nsample && b->type->nstate; n++) law->x[n] = law->rest;
  return CAP_OK;
}

cap_status cap_hb_law_slider(const cap_model *m, int lane, int slider, const capm_fourier *f,
                             cap_arena *arena, cap_hb_law *law, cap_error *error)
{
  bool coulomb = !isfinite(m->slider_k[slider * m->nlane + lane]);
  *law = (cap_hb_law){.kind = coulomb ? CAP_HB_LAW_COULOMB : CAP_HB_LAW_SLIDER,
                      .i = m->slider_i[slider],
                      .j = m->slider_j[slider],
                      .elem = -1,
                      .slider = slider};
  if (allocate_samples(law, f, arena) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_hb_law_update(law, m, lane);
  return CAP_OK;
}

void cap_hb_law_update(cap_hb_law *law, const cap_model *m, int lane)
{
  if (law->slider >= 0) {
    int at = law->slider * m->nlane + lane;
    law->k = m->slider_k[at];
    law->limit = m->slider_limit[at];
    law->rest = m->initial[(2 * m->nv + m->nx - m->nslider + law->slider) * m->nlane + lane];
    return;
  }
  int b = 0;
  while (law->elem >= m->batches[b].elem_adr + m->batches[b].n) b++;
  read_element(law, m, &m->batches[b], law->elem - m->batches[b].elem_adr, lane);
}

/* ---- samples ------------------------------------------------------------------------------------------- */

/* Directions of the tangent: columns u, v and x with ones in one of them. */
typedef struct directions {
  double to_u[3][LANES], to_v[3][LANES], to_x[3][LANES];
} directions;

static void set_directions(directions *d)
{
  memset(d, 0, sizeof *d);
  for (int l = 0; l < LANES; l++) d->to_u[0][l] = d->to_v[1][l] = d->to_x[2][l] = 1.0;
}

/* Force and derivatives at all samples from u, v and x. */
static void evaluate_samples(cap_hb_law *law, const capm_fourier *f, double period, bool tangent)
{
  directions d;
  double t[LANES], h[LANES], dh[3][LANES], xdot[LANES], dxdot[3][LANES];
  int ncol = !tangent ? 0 : law->kind == CAP_HB_LAW_STATE ? 3 : 2;
  bool rate_dependent = false;
  set_directions(&d);
  for (int start = 0; start < f->nsample; start += LANES) {
    for (int l = 0; l < LANES; l++) t[l] = period * (start + l) / f->nsample;
    memset(h, 0, sizeof h);
    memset(dh, 0, sizeof dh);
    cap_eval e = {.nlane = LANES,
                  .ncol = ncol,
                  .t = t,
                  .q = law->u + start,
                  .v = law->v + start,
                  .x = law->x + start,
                  .dq = d.to_u[0],
                  .dv = d.to_v[0],
                  .dx = d.to_x[0],
                  .h = h,
                  .dh = dh[0],
                  .xdot = xdot,
                  .dxdot = dxdot[0]};
    law->lanes.type->rates(&law->lanes, &e);
    for (int l = 0; l < LANES; l++) law->f[start + l] = -h[l];
    if (!tangent) continue;
    for (int l = 0; l < LANES; l++) law->f_u[start + l] = -dh[0][l];
    for (int l = 0; l < LANES; l++) law->f_v[start + l] = -dh[1][l];
    for (int l = 0; l < LANES; l++) rate_dependent = rate_dependent || dh[1][l] != 0.0;
    if (ncol > 2)
      for (int l = 0; l < LANES; l++) law->f_x[start + l] = -dh[2][l];
  }
  if (tangent) law->rate_dependent = rate_dependent;
}

/* Tangent of the sampled force through deflection and velocity. */
static void project_tangent(cap_hb_law *law, const capm_fourier *f, double w, const cap_hb_law_result *out)
{
  double *sums = law->work;
  if (out->tangent) {
    memset(out->tangent, 0, sizeof(double) * (size_t)(f->ncoef * f->ncoef));
    capm_fourier_sums(f, f->nrow, law->f_u, sums);
    capm_fourier_multiply(f, sums, 1.0, out->tangent);
  }
  if (out->to_w) memset(out->to_w, 0, sizeof(double) * (size_t)f->ncoef);
  if (!law->rate_dependent) return;
  if (out->tangent) {
    capm_fourier_sums(f, f->nrow, law->f_v, sums);
    capm_fourier_multiply_derivative(f, sums, w, out->tangent);
  }
  if (!out->to_w) return;
  for (int n = 0; n < f->nsample; n++) law->x_rate[n] = law->f_v[n] * law->v[n] / w;
  capm_fourier_analysis(f, law->x_rate, out->to_w);
}

static void sample_deflection(cap_hb_law *law, const capm_fourier *f, double w, const double *u)
{
  double *rate = law->work;
  capm_fourier_synthesis(f, u, law->u);
  capm_fourier_derivative(f->nharmonic, u, rate);
  for (int r = 0; r < f->ncoef; r++) rate[r] *= w;
  capm_fourier_synthesis(f, rate, law->v);
}

void cap_hb_law_samples(cap_hb_law *law, const capm_fourier *f, double w, double period, const double *u)
{
  if (law->kind != CAP_HB_LAW_PIECES && law->kind != CAP_HB_LAW_MEMORYLESS) return;
  sample_deflection(law, f, w, u);
  evaluate_samples(law, f, period, true);
}

cap_status cap_hb_law_evaluate(cap_hb_law *law, const capm_fourier *f, double w, double period,
                               const double *u, const double *z, const cap_hb_law_result *out,
                               cap_error *error)
{
  bool tangent = out->tangent || out->to_w;
  if (law->kind == CAP_HB_LAW_PIECES) {
    cap_hb_pieces_evaluate(law->pieces, u, out->force, out->tangent ? out->tangent : law->scratch);
    if (out->to_w) memset(out->to_w, 0, sizeof(double) * (size_t)f->ncoef);
    return CAP_OK;
  }
  sample_deflection(law, f, w, u);
  if (law->kind == CAP_HB_LAW_SLIDER) cap_hb_march_slider(law, f, u, out);
  if (law->kind == CAP_HB_LAW_COULOMB) cap_hb_march_coulomb(law, f, w, u, z, out);
  if (law->slider >= 0) return CAP_OK;
  if (law->kind == CAP_HB_LAW_STATE) CAP_TRY(cap_hb_march_state(law, f, w, tangent, error));
  evaluate_samples(law, f, period, tangent);
  capm_fourier_analysis(f, law->f, out->force);
  if (!tangent) return CAP_OK;
  project_tangent(law, f, w, out);
  if (law->kind == CAP_HB_LAW_STATE) cap_hb_march_add(law, f, out);
  return CAP_OK;
}
