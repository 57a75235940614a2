/* hb/hb.c — see hb.h. */
#include "hb/hb.h"
#include "hb/hb_condense.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------------------------- */

static int count_laws(const cap_model *m)
{
  int n = m->nslider;
  for (int b = 0; b < m->nbatch; b++)
    if (cap_hb_linear_is_law(&m->batches[b])) n += m->batches[b].n;
  return n;
}

/* Scale of force over velocity at a slider's ends: many times sqrt(k m) + m w + c there, k and c of what is
 * condensed on them. The larger, the nearer to the sign of the velocity (what is left of z in its place is an
 * error of some 1e-4 at ten times), as long as a reversal takes longer than a sample: then it can lie between
 * two of them. */
static double impedance(cap_hb *hb, const cap_hb_law *law)
{
  const cap_hb_linear *lin = hb->linear;
  cap_error ignored;
  double sum = 0.0, w = hb->angular_frequency / hb->sub;
  int ends[2] = {law->i, law->j}, no = lin->nouter;
  bool condensed = cap_hb_linear_condense(hb->linear, w, &ignored) ==
                   CAP_OK; /* else whoever solves will say */
  for (int side = 0; side < 2; side++) {
    int place = ends[side] == CAP_GROUND ? -1 : lin->place[ends[side]];
    if (place < 0) continue;
    double mass = hb->m->mass[ends[side] * hb->m->nlane + hb->lane];
    sum += mass * hb->angular_frequency;
    if (!condensed) continue;
    double k = creal(lin->stiffness[place * no + place]);
    sum += sqrt(fabs(k) * mass) + fabs(cimag(lin->stiffness[(no + place) * no + place])) / w;
  }
  return sum > 0.0 ? fmax(10.0, 0.01 * hb->nsample) * sum : 1.0;
}

static double mobility(const cap_hb *hb, const cap_hb_law *law)
{
  double sum = 0.0;
  int ends[2] = {law->i, law->j};
  for (int side = 0; side < 2; side++)
    if (ends[side] != CAP_GROUND && hb->linear->place[ends[side]] >= 0)
      sum += 1.0 / hb->m->mass[ends[side] * hb->m->nlane + hb->lane];
  return sum;
}

static cap_status create_laws(cap_hb *hb, cap_error *error)
{
  const cap_model *m = hb->m;
  hb->laws = CAP_ARENA_NEW(&hb->arena, cap_hb_law, count_laws(m));
  if (!hb->laws) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  for (int b = 0; b < m->nbatch; b++)
    for (int k = 0; k < m->batches[b].n && cap_hb_linear_is_law(&m->batches[b]); k++)
      CAP_TRY(cap_hb_law_element(m, hb->lane, &m->batches[b], k, &hb->fourier, &hb->arena,
                                 &hb->laws[hb->nlaw++], error));
  for (int s = 0; s < m->nslider; s++) {
    cap_hb_law *law = &hb->laws[hb->nlaw++];
    CAP_TRY(cap_hb_law_slider(m, hb->lane, s, &hb->fourier, &hb->arena, law, error));
    if (law->kind == CAP_HB_LAW_COULOMB) {
      hb->ncoulomb++;
      law->regular = impedance(hb, law);
    }
    law->mobility = mobility(hb, law);
  }
  return CAP_OK;
}

static cap_status allocate(cap_hb *hb)
{
  size_t n = (size_t)hb->ncoef;
  hb->outer_dof = CAP_ARENA_NEW(&hb->arena, int, hb->nouter);
  hb->deflection = CAP_ARENA_NEW(&hb->arena, double, 2 * n);
  hb->force = CAP_ARENA_NEW(&hb->arena, double, n);
  hb->to_w = CAP_ARENA_NEW(&hb->arena, double, n);
  hb->tangent = CAP_ARENA_NEW(&hb->arena, double, (n * n));
  hb->to_z = CAP_ARENA_NEW(&hb->arena, double, (n * n));
  if (!hb->outer_dof || !hb->deflection || !hb->force || !hb->to_w || !hb->tangent || !hb->to_z)
    return CAP_ERR_NOMEM;
  for (int i = 0; i < hb->m->nv; i++) {
    int place = hb->linear->place[i];
    if (place >= 0 && place < hb->nouter) hb->outer_dof[place] = i;
  }
  return CAP_OK;
}

/* Inner states are marched over the samples, so that they need more of them: with 256 a reversal that passes
 * from one step to the next shows as a ripple of the balance, on which a continuation stumbles. */
static int fewest_samples(const cap_model *m)
{
  for (int b = 0; b < m->nbatch; b++)
    if (cap_hb_linear_is_law(&m->batches[b]) && m->batches[b].type->nstate) return 512;
  return 256;
}

static int choose_samples(const cap_model *m, const cap_hb_settings *s)
{
  int least = s->samples > 0 ? s->samples : 16 * s->harmonics, block = CAPM_FOURIER_BLOCK;
  if (s->samples <= 0 && least < fewest_samples(m)) least = fewest_samples(m);
  if (least < 4 * s->harmonics + 2) least = 4 * s->harmonics + 2; /* no aliasing in products */
  return (least + block - 1) / block * block;
}

/* Steady running: the balance of h = 0 without the laws. Not the start of the model itself, which is known to
 * the tolerance of its statics only; of that the balance is free to first order. */
static cap_status find_steady(cap_hb *hb, cap_error *error)
{
  enum { MOST = 64 };
  int no = hb->nouter, pivot[MOST];
  double a[MOST];
  for (int i = 0; i < no; i++) hb->steady[i] = hb->m->initial[hb->outer_dof[i] * hb->m->nlane + hb->lane];
  if (no * no > MOST) return CAP_OK;
  CAP_TRY(cap_hb_condense_harmonic(hb->linear, 0, 1.0, error));
  for (int k = 0; k < no * no; k++) a[k] = creal(hb->linear->stiffness[k]);
  if (capm_lu_factor(no, a, pivot) != 0) return CAP_OK;
  for (int i = 0; i < no; i++) hb->steady[i] = creal(hb->linear->force[i]);
  capm_lu_solve(no, a, pivot, hb->steady);
  return CAP_OK;
}

static cap_status count_from_steady(cap_hb *hb, cap_error *error)
{
  hb->shifted = CAP_ARENA_NEW(&hb->arena, double, hb->nunknown);
  hb->steady = CAP_ARENA_NEW(&hb->arena, double, hb->nouter);
  if (!hb->shifted || !hb->steady) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  return find_steady(hb, error);
}

/* Which coordinates stay unknowns, for free motions; NULL in a forced one. */
typedef struct kept {
  int n;
  const int *dof;
} kept;

static cap_status build(cap_hb *hb, const cap_hb_settings *settings, const kept *keep, cap_error *error)
{
  if (settings->harmonics < 1 || settings->harmonics > CAP_HB_HARMONICS_MOST)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected 1 to %d harmonics, got %d", CAP_HB_HARMONICS_MOST,
                           settings->harmonics);
  if (settings->samples > CAP_HB_SAMPLES_MOST)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected at most %d samples, got %d", CAP_HB_SAMPLES_MOST,
                           settings->samples);
  hb->nharmonic = settings->harmonics;
  hb->ncoef = 2 * hb->nharmonic + 1;
  hb->nsample = choose_samples(hb->m, settings);
  CAP_TRY(
      keep ? cap_hb_linear_create_free(hb->m, hb->lane, hb->nharmonic, keep->n, keep->dof, &hb->linear, error)
           : cap_hb_linear_create(hb->m, hb->lane, hb->nharmonic, hb->sub, &hb->linear, error));
  hb->angular_frequency = hb->m->period[hb->lane] > 0.0 ? 2.0 * M_PI / hb->m->period[hb->lane] : 1.0;
  hb->nouter = hb->linear->nouter;
  if (capm_fourier_create(&hb->arena, hb->nharmonic, hb->nsample, &hb->fourier) != CAP_OK ||
      allocate(hb) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(create_laws(hb, error));
  hb->nunknown = (hb->nouter + hb->ncoulomb) * hb->ncoef;
  return hb->linear->nstate ? count_from_steady(hb, error) : CAP_OK;
}

static cap_status create(const cap_model *m, int lane, const cap_hb_settings *settings, const kept *keep,
                         cap_hb **out, cap_error *error)
{
  cap_hb *hb = calloc(1, sizeof *hb);
  *out = NULL;
  if (!hb) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  hb->m = m;
  hb->lane = lane;
  hb->sub = settings->sub > 1 && !keep ? settings->sub : 1;
  cap_status status = build(hb, settings, keep, error);
  if (status == CAP_OK) *out = hb;
  else cap_hb_free(hb);
  return status;
}

cap_status cap_hb_create(const cap_model *m, int lane, const cap_hb_settings *settings, cap_hb **hb,
                         cap_error *error)
{
  return create(m, lane, settings, NULL, hb, error);
}

cap_status cap_hb_create_free(const cap_model *m, int lane, const cap_hb_settings *settings, int nkeep,
                              const int *keep, cap_hb **hb, cap_error *error)
{
  return create(m, lane, settings, &(kept){nkeep, keep}, hb, error);
}

void cap_hb_free(cap_hb *hb)
{
  if (!hb) return;
  cap_hb_linear_free(hb->linear);
  cap_arena_free(&hb->arena);
  free(hb);
}

cap_status cap_hb_update(cap_hb *hb, const cap_model *m, int lane, cap_error *error)
{
  hb->m = m;
  hb->lane = lane;
  hb->angular_frequency = 2.0 * M_PI / m->period[lane];
  for (int k = 0; k < hb->nlaw; k++) {
    cap_hb_law_update(&hb->laws[k], m, lane);
    hb->laws[k].mobility = mobility(hb, &hb->laws[k]);
  }
  CAP_TRY(cap_hb_linear_update(hb->linear, m, lane, hb->sub, error));
  return hb->shifted ? find_steady(hb, error) : CAP_OK;
}

/* ---- residual ------------------------------------------------------------------------------------------ */

/* A block [[R, I], [-I, R]] of the complex number s, acting on (a, b). */
static void add_block(double *J, int n, int row, int column, double complex s)
{
  double re = creal(s), im = cimag(s);
  J[row * n + column] += re;
  J[row * n + column + 1] += im;
  J[(row + 1) * n + column] -= im;
  J[(row + 1) * n + column + 1] += re;
}

/* y := y + s x for one harmonic in real form. */
static void add_product(double *y, double complex s, const double *x)
{
  double re = creal(s), im = cimag(s);
  y[0] += re * x[0] + im * x[1];
  y[1] += re * x[1] - im * x[0];
}

static void linear_harmonic(const cap_hb *hb, int h, const double *x, double *r, double *J, double *r_w)
{
  const cap_hb_linear *lin = hb->linear;
  int no = hb->nouter, nc = hb->ncoef, n = hb->nunknown, at = h ? 2 * h - 1 : 0;
  double scale = h ? lin->load_scale : 1.0;
  for (int i = 0; i < no; i++) {
    int row = i * nc + at;
    double complex g = scale * lin->force[h * no + i], g_w = scale * lin->force_w[h * no + i];
    r[row] -= creal(g);
    if (h) r[row + 1] += cimag(g);
    if (r_w) r_w[row] -= creal(g_w);
    if (r_w && h) r_w[row + 1] += cimag(g_w);
    for (int j = 0; j < no; j++) {
      double complex s = lin->stiffness[(h * no + i) * no + j];
      int column = j * nc + at;
      if (h == 0) {
        r[row] += creal(s) * x[column];
        if (J) J[row * n + column] += creal(s);
        continue;
      }
      add_product(r + row, s, x + column);
      if (J) add_block(J, n, row, column, s);
      if (r_w) add_product(r_w + row, lin->stiffness_w[(h * no + i) * no + j], x + column);
    }
  }
}

/* The place of an end's coefficients in x, or -1. */
static int unknown_of(const cap_hb *hb, int end)
{
  int place = end == CAP_GROUND ? -1 : hb->linear->place[end];
  return place >= 0 ? place * hb->ncoef : -1;
}

static void add_end(const cap_hb *hb, int end, double sign, const double *x, double *u, double *scratch)
{
  if (end == CAP_GROUND) return;
  int at = unknown_of(hb, end);
  const double *c = x + at;
  if (at < 0) {
    cap_hb_linear_known(hb->linear, -1 - hb->linear->place[end], scratch);
    c = scratch;
  }
  for (int r = 0; r < hb->ncoef; r++) u[r] += sign * c[r];
}

/* J[rows][columns] += sign * block. */
static void add_matrix(const cap_hb *hb, double *J, int row, int column, double sign, const double *block)
{
  int nc = hb->ncoef, n = hb->nunknown;
  for (int i = 0; i < nc; i++) {
    double *to = J + (size_t)(row + i) * (size_t)n + column;
    const double *from = block + i * nc;
    for (int r = 0; r < nc; r++) to[r] += sign * from[r];
  }
}

/* Force of a law on its ends, derived by its deflection: four blocks at most. */
static void scatter(const cap_hb *hb, const cap_hb_law *law, double *r, double *J, double *r_w)
{
  int ends[2] = {unknown_of(hb, law->i), unknown_of(hb, law->j)};
  for (int side = 0; side < 2; side++) {
    double sign = side == 0 ? 1.0 : -1.0;
    if (ends[side] < 0) continue;
    for (int k = 0; k < hb->ncoef; k++) r[ends[side] + k] += sign * hb->force[k];
    for (int k = 0; r_w && k < hb->ncoef; k++) r_w[ends[side] + k] += sign * hb->to_w[k];
    for (int other = 0; J && other < 2; other++)
      if (ends[other] >= 0)
        add_matrix(hb, J, ends[side], ends[other], other == 0 ? sign : -sign, hb->tangent);
  }
}

/* Coulomb friction: its force z acts on the ends, and z - proj(z + regular v) = 0 is its own equation. */
static void scatter_coulomb(const cap_hb *hb, const cap_hb_law *law, int own, const double *x, double *r,
                            double *J, double *r_w)
{
  int ends[2] = {unknown_of(hb, law->i), unknown_of(hb, law->j)}, nc = hb->ncoef, n = hb->nunknown;
  for (int k = 0; k < nc; k++) {
    r[own + k] += x[own + k] - hb->force[k];
    if (r_w) r_w[own + k] -= hb->to_w[k];
    if (J) J[(own + k) * n + own + k] += 1.0;
  }
  if (J) add_matrix(hb, J, own, own, -1.0, hb->to_z);
  for (int side = 0; side < 2; side++) {
    double sign = side == 0 ? 1.0 : -1.0;
    if (ends[side] < 0) continue;
    if (J) add_matrix(hb, J, own, ends[side], -sign, hb->tangent);
    for (int k = 0; k < nc; k++) {
      r[ends[side] + k] += sign * x[own + k];
      if (J) J[(ends[side] + k) * n + own + k] += sign;
    }
  }
}

static void find_deflection(cap_hb *hb, const cap_hb_law *law, const double *x)
{
  memset(hb->deflection, 0, sizeof(double) * (size_t)hb->ncoef);
  add_end(hb, law->i, 1.0, x, hb->deflection, hb->deflection + hb->ncoef);
  add_end(hb, law->j, -1.0, x, hb->deflection, hb->deflection + hb->ncoef);
}

static cap_status add_laws(cap_hb *hb, const double *x, double w, double *r, double *J, double *r_w,
                           cap_error *error)
{
  int own = hb->nouter * hb->ncoef;
  double period = hb->sub * hb->m->period[hb->lane];
  for (int k = 0; k < hb->nlaw; k++) {
    cap_hb_law *law = &hb->laws[k];
    bool coulomb = law->kind == CAP_HB_LAW_COULOMB;
    cap_hb_law_result out = {hb->force, J ? hb->tangent : NULL, r_w ? hb->to_w : NULL,
                             J && coulomb ? hb->to_z : NULL};
    find_deflection(hb, law, x);
    CAP_TRY(cap_hb_law_evaluate(law, &hb->fourier, w, period, hb->deflection, coulomb ? x + own : NULL, &out,
                                error));
    if (!coulomb) {
      scatter(hb, law, r, J, r_w);
      continue;
    }
    scatter_coulomb(hb, law, own, x, r, J, r_w);
    own += hb->ncoef;
  }
  return CAP_OK;
}

/* The unknowns with absolute means. */
static const double *absolute(cap_hb *hb, const double *x)
{
  if (!hb->shifted) return x;
  memcpy(hb->shifted, x, sizeof(double) * (size_t)hb->nunknown);
  for (int i = 0; i < hb->nouter; i++) hb->shifted[i * hb->ncoef] += hb->steady[i];
  return hb->shifted;
}

cap_status cap_hb_residual(cap_hb *hb, const double *x, double angular_frequency, double *r, double *J,
                           double *dr_dangular_frequency, cap_error *error)
{
  int n = hb->nunknown;
  x = absolute(hb, x);
  double w = angular_frequency / hb->sub, *r_w = dr_dangular_frequency;
  CAP_TRY(cap_hb_linear_condense(hb->linear, w, error));
  memset(r, 0, sizeof(double) * (size_t)n);
  if (J) memset(J, 0, sizeof(double) * (size_t)n * (size_t)n);
  if (r_w) memset(r_w, 0, sizeof(double) * (size_t)n);
  for (int h = 0; h <= hb->nharmonic; h++) linear_harmonic(hb, h, x, r, J, r_w);
  CAP_TRY(add_laws(hb, x, w, r, J, r_w, error));
  for (int i = 0; r_w && i < n; i++) r_w[i] /= hb->sub;
  for (int i = 0; i < n; i++)
    if (!isfinite(r[i]))
      return cap_status_fail(error, CAP_RETRY_NONFINITE, "the harmonic balance is not finite at %.9g rad/s",
                             angular_frequency);
  return CAP_OK;
}

void cap_hb_excite(cap_hb *hb, double excitation)
{
  cap_hb_linear_excite(hb->linear, excitation);
}

void cap_hb_excitation_slope(const cap_hb *hb, const double *x, double *dr)
{
  int no = hb->nouter, nc = hb->ncoef;
  memset(dr, 0, sizeof(double) * (size_t)hb->nunknown);
  for (int h = 1; h <= hb->nharmonic; h++)
    for (int i = 0; i < no; i++)
      for (int j = 0; j < no; j++)
        add_product(dr + i * nc + 2 * h - 1, hb->linear->stiffness_x[(h * no + i) * no + j],
                    x + j * nc + 2 * h - 1);
}

cap_status cap_hb_sample(cap_hb *hb, const double *x, double angular_frequency, bool pieces, cap_error *error)
{
  int own = hb->nouter * hb->ncoef;
  double w = angular_frequency / hb->sub, period = hb->sub * hb->m->period[hb->lane];
  x = absolute(hb, x);
  for (int k = 0; k < hb->nlaw; k++) {
    cap_hb_law *law = &hb->laws[k];
    bool coulomb = law->kind == CAP_HB_LAW_COULOMB;
    cap_hb_law_result out = {hb->force, hb->tangent, hb->to_w, coulomb ? hb->to_z : NULL};
    find_deflection(hb, law, x);
    if (law->kind != CAP_HB_LAW_MEMORYLESS)
      CAP_TRY(cap_hb_law_evaluate(law, &hb->fourier, w, period, hb->deflection, coulomb ? x + own : NULL,
                                  &out, error));
    if (law->kind != CAP_HB_LAW_PIECES || !pieces)
      cap_hb_law_samples(law, &hb->fourier, w, period, hb->deflection);
    own += coulomb ? hb->ncoef : 0;
  }
  return CAP_OK;
}

/* ---- loads --------------------------------------------------------------------------------------------- */

void cap_hb_scale_load(cap_hb *hb, double factor)
{
  hb->linear->load_scale = factor;
}

cap_status cap_hb_load_slope(cap_hb *hb, double angular_frequency, double *dr, cap_error *error)
{
  const cap_hb_linear *lin = hb->linear;
  for (int k = 0; k < hb->nlaw; k++)
    if ((hb->laws[k].i != CAP_GROUND && lin->place[hb->laws[k].i] < 0) ||
        (hb->laws[k].j != CAP_GROUND && lin->place[hb->laws[k].j] < 0))
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "continuation in the load is not available with a nonlinear element at a "
                             "prescribed motion; expected nonlinear elements between free coordinates");
  CAP_TRY(cap_hb_linear_condense(hb->linear, angular_frequency / hb->sub, error));
  memset(dr, 0, sizeof(double) * (size_t)hb->nunknown);
  for (int h = 1; h <= hb->nharmonic; h++)
    for (int i = 0; i < hb->nouter; i++) {
      double complex g = lin->force[h * hb->nouter + i];
      dr[i * hb->ncoef + 2 * h - 1] = -creal(g);
      dr[i * hb->ncoef + 2 * h] = cimag(g);
    }
  return CAP_OK;
}

/* ---- unknowns ------------------------------------------------------------------------------------------ */

void cap_hb_start(const cap_hb *hb, double *x)
{
  memset(x, 0, sizeof(double) * (size_t)hb->nunknown);
  for (int i = 0; i < hb->nouter && !hb->shifted; i++)
    x[i * hb->ncoef] = hb->m->initial[hb->outer_dof[i] * hb->m->nlane + hb->lane];
}

cap_status cap_hb_fit(const cap_hb *hb, int nsample, const double *q, double *x)
{
  double *circle = malloc(sizeof(double) * 2 * (size_t)nsample);
  if (!circle) return CAP_ERR_NOMEM;
  for (int n = 0; n < nsample; n++) {
    circle[2 * n] = cos(2.0 * M_PI * n / nsample);
    circle[2 * n + 1] = sin(2.0 * M_PI * n / nsample);
  }
  memset(x, 0, sizeof(double) * (size_t)hb->nunknown);
  int most = (nsample - 1) / 2 < hb->nharmonic ? (nsample - 1) / 2 : hb->nharmonic;
  for (int i = 0; i < hb->nouter; i++) {
    const double *samples = q + (size_t)hb->outer_dof[i] * (size_t)nsample;
    double *c = x + i * hb->ncoef;
    for (int n = 0; n < nsample; n++) {
      c[0] += samples[n] / nsample;
      for (int h = 1; h <= most; h++) {
        int at = (int)((long)n * h % nsample);
        c[2 * h - 1] += 2.0 / nsample * samples[n] * circle[2 * at];
        c[2 * h] += 2.0 / nsample * samples[n] * circle[2 * at + 1];
      }
    }
    if (hb->shifted) c[0] -= hb->steady[i];
  }
  free(circle);
  return CAP_OK;
}

void cap_hb_transfer(const cap_hb *from, const double *x, const cap_hb *to, double *y)
{
  int least = from->ncoef < to->ncoef ? from->ncoef : to->ncoef, ratio = to->sub / from->sub;
  memset(y, 0, sizeof(double) * (size_t)to->nunknown);
  for (int i = 0; i < to->nouter + to->ncoulomb; i++) {
    const double *a = x + i * from->ncoef;
    double *b = y + i * to->ncoef;
    if (ratio <= 1) {
      memcpy(b, a, sizeof(double) * (size_t)least);
      continue;
    }
    /* an orbit of one period seen as one of several: harmonic h becomes ratio h */
    b[0] = a[0];
    for (int h = 1; h <= from->nharmonic && h * ratio <= to->nharmonic; h++) {
      b[2 * h * ratio - 1] = a[2 * h - 1];
      b[2 * h * ratio] = a[2 * h];
    }
  }
}

static bool drifts(const cap_hb *hb, int i)
{
  int place = hb->linear->place[i];
  return place >= 0 && hb->linear->drifts[place];
}

/* Mean velocity of every coordinate: that of the first of its group. */
static void find_drift(const cap_hb *hb, const double *all, double *drift)
{
  const cap_hb_linear *lin = hb->linear;
  const cap_model *m = hb->m;
  memset(drift, 0, sizeof(double) * (size_t)m->nv);
  for (int i = 0; i < m->nv; i++)
    for (int k = i; k < m->nv && drifts(hb, i); k++)
      if (m->cyclic[k] == m->cyclic[i]) drift[k] = all[(size_t)lin->place[i] * (size_t)hb->ncoef];
}

cap_status cap_hb_coordinates(cap_hb *hb, const double *x, double angular_frequency, double *c, double *drift,
                              double *states, cap_error *error)
{
  const cap_hb_linear *lin = hb->linear;
  size_t bytes = sizeof(double) * (size_t)hb->ncoef;
  CAP_TRY(cap_hb_linear_condense(hb->linear, angular_frequency / hb->sub, error));
  double *all = malloc(sizeof(double) * (size_t)(lin->nfree * hb->ncoef + 1));
  if (!all) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_hb_linear_expand(lin, absolute(hb, x), all);
  for (int i = 0; i < hb->m->nv; i++) {
    double *to = c + (size_t)i * (size_t)hb->ncoef;
    if (lin->place[i] < 0) cap_hb_linear_known(lin, -1 - lin->place[i], to);
    else memcpy(to, all + (size_t)lin->place[i] * (size_t)hb->ncoef, bytes);
    if (drifts(hb, i)) to[0] = 0.0; /* where it turns freely, its mean position is any */
  }
  if (drift) find_drift(hb, all, drift);
  for (int k = 0; states && k < hb->m->nx; k++)
    if (lin->state_place[k] >= 0)
      memcpy(states + (size_t)k * (size_t)hb->ncoef, all + (size_t)lin->state_place[k] * (size_t)hb->ncoef,
             bytes);
  free(all);
  return CAP_OK;
}
