/* step/exact/exact_regime.c — see exact_regime.h. */
#include "step/exact/exact_regime.h"

#include "linalg/eigen.h"
#include "linalg/lu.h"
#include "step/exact/exact_drift.h"

#include <math.h>
#include <string.h>

/* Modes are given up for Taylor series when rounding errors would grow by more than this. */
static const double MOST_AMPLIFICATION = 1e5;

static double dot(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

size_t cap_exact_regime_work(int nv)
{
  size_t nx = 2 * (size_t)nv;
  return 3 * nx * nx + 6 * nx + capm_eigen_general_work((int)nx);
}

static cap_status regime_allocate(cap_exact *e, cap_exact_regime **place)
{
  int nv = e->nv, nx = e->nx, nh = e->nharmonic, ns = e->nslider;
  cap_arena *arena = &e->arena;
  cap_exact_regime *r = CAP_ARENA_NEW(arena, cap_exact_regime, 1);
  if (!r) return CAP_ERR_NOMEM;
  *r = (cap_exact_regime){
      .alpha = CAP_ARENA_NEW(arena, double, nx + nh),
      .beta = CAP_ARENA_NEW(arena, double, nx + nh),
      .rate = CAP_ARENA_NEW(arena, double, nx + nh),
      .column = CAP_ARENA_NEW(arena, int, nx),
      .drift = CAP_ARENA_NEW(arena, int, nx),
      .shape = CAP_ARENA_NEW(arena, double, (nx * nx)),
      .inverse = CAP_ARENA_NEW(arena, double, (nx * nx)),
      .stiffness = CAP_ARENA_NEW(arena, double, (nv * nv)),
      .lu = CAP_ARENA_NEW(arena, double, (nv * nv)),
      .pivot = CAP_ARENA_NEW(arena, int, nv),
      .anchor = CAP_ARENA_NEW(arena, double, (ns * nv)),
      .rest = CAP_ARENA_NEW(arena, double, nv),
      .hc = CAP_ARENA_NEW(arena, double, (nh * nv)),
      .hs = CAP_ARENA_NEW(arena, double, (nh * nv)),
      .slide = CAP_ARENA_NEW(arena, double, (ns * nx)),
      .slide_size = CAP_ARENA_NEW(arena, double, (ns * nx)),
      .slide_c = CAP_ARENA_NEW(arena, double, (ns * nh)),
      .slide_s = CAP_ARENA_NEW(arena, double, (ns * nh)),
  };
  if (!r->alpha || !r->beta || !r->rate || !r->column || !r->drift || !r->shape || !r->inverse ||
      !r->stiffness || !r->lu || !r->pivot || !r->anchor || !r->rest || !r->hc || !r->hs || !r->slide ||
      !r->slide_c || !r->slide_s)
    return CAP_ERR_NOMEM;
  *place = r;
  return CAP_OK;
}

uint64_t cap_exact_regime_all_stuck(const cap_exact *e)
{
  uint64_t all = e->nslider == 64 ? ~(uint64_t)0 : ((uint64_t)1 << e->nslider) - 1;
  return all & ~e->loose;
}

cap_status cap_exact_regime_get(cap_exact *e, uint64_t stuck, cap_exact_regime **regime)
{
  for (int i = 0; i < e->nregime; i++)
    if (e->regimes[i]->stuck == stuck) {
      *regime = e->regimes[i];
      return CAP_OK;
    }
  int slot;
  if (e->nregime < CAP_EXACT_MOST_REGIMES) {
    slot = e->nregime;
    CAP_TRY(regime_allocate(e, &e->regimes[slot]));
    e->nregime++;
  } else {
    slot = e->oldest;
    e->oldest = (e->oldest + 1) % CAP_EXACT_MOST_REGIMES;
  }
  cap_exact_regime *r = e->regimes[slot];
  r->stuck = stuck;
  r->has_static = r->has_forced = r->has_modes = r->prepared = false;
  *regime = r;
  return CAP_OK;
}

static void stiffness_fill(const cap_exact *e, cap_exact_regime *r)
{
  int nv = e->nv;
  memcpy(r->stiffness, e->linear.stiffness, (size_t)(nv * nv) * sizeof(double));
  for (int s = 0; s < e->nslider; s++) {
    if (!(r->stuck >> s & 1)) continue;
    const double *b = e->linear.b + s * nv;
    for (int i = 0; i < nv; i++)
      for (int j = 0; j < nv; j++) r->stiffness[i * nv + j] += e->linear.k[s] * b[i] * b[j];
  }
}

void cap_exact_regime_static(cap_exact *e, cap_exact_regime *r)
{
  if (r->has_static) return;
  int nv = e->nv;
  r->has_static = true;
  stiffness_fill(e, r);
  memcpy(r->lu, r->stiffness, (size_t)(nv * nv) * sizeof(double));
  r->regular = capm_lu_factor(nv, r->lu, r->pivot) == 0 &&
               (nv == 0 || capm_lu_pivot_ratio(nv, r->lu) > 1e-14);
  if (!r->regular) return;
  memcpy(r->rest, e->linear.f0, (size_t)nv * sizeof(double));
  capm_lu_solve(nv, r->lu, r->pivot, r->rest);
  for (int s = 0; s < e->nslider; s++) {
    double *anchor = r->anchor + s * nv;
    for (int i = 0; i < nv; i++) anchor[i] = e->linear.k[s] * e->linear.b[s * nv + i];
    capm_lu_solve(nv, r->lu, r->pivot, anchor);
  }
}

/* (K_S - w^2 M) hc + w C hs = fc,  (K_S - w^2 M) hs - w C hc = fs;
 * the forces less k b d of sticking sliders */
static bool harmonic_response(cap_exact *e, cap_exact_regime *r, int h)
{
  int nv = e->nv, nx = e->nx, nh = e->nharmonic;
  const cap_linear *l = &e->linear;
  double w = l->angular_frequency[h], *matrix = e->work, *x = matrix + nx * nx;
  for (int i = 0; i < nv; i++) {
    for (int j = 0; j < nv; j++) {
      double d = r->stiffness[i * nv + j] - w * w * l->mass[i * nv + j], c = w * l->damping[i * nv + j];
      matrix[i * nx + j] = matrix[(nv + i) * nx + nv + j] = d;
      matrix[i * nx + nv + j] = c;
      matrix[(nv + i) * nx + j] = -c;
    }
    x[i] = l->fc[h * nv + i];
    x[nv + i] = l->fs[h * nv + i];
  }
  for (int s = 0; s < e->nslider; s++) {
    if (!(r->stuck >> s & 1)) continue;
    for (int i = 0; i < nv; i++) {
      x[i] -= l->k[s] * l->b[s * nv + i] * l->dc[s * nh + h];
      x[nv + i] -= l->k[s] * l->b[s * nv + i] * l->ds[s * nh + h];
    }
  }
  if (capm_lu_factor(nx, matrix, e->index) != 0) return false;
  capm_lu_solve(nx, matrix, e->index, x);
  memcpy(r->hc + h * nv, x, (size_t)nv * sizeof(double));
  memcpy(r->hs + h * nv, x + nv, (size_t)nv * sizeof(double));
  return true;
}

void cap_exact_regime_forced(cap_exact *e, cap_exact_regime *r)
{
  if (r->has_forced) return;
  cap_exact_regime_static(e, r);
  int nv = e->nv, nh = e->nharmonic;
  r->has_forced = r->responsive = true;
  for (int h = 0; h < nh; h++) {
    r->responsive = r->responsive && harmonic_response(e, r, h);
    if (!r->responsive) return;
    for (int s = 0; s < e->nslider; s++) {
      const double *b = e->linear.b + s * nv;
      r->slide_c[s * nh + h] = e->linear.dc[s * nh + h] + dot(nv, b, r->hc + h * nv);
      r->slide_s[s * nh + h] = e->linear.ds[s * nh + h] + dot(nv, b, r->hs + h * nv);
    }
  }
}

/* First-order matrix of (q, v / scale); the scale makes both halves alike. */
static double first_order_matrix(const cap_exact *e, const cap_exact_regime *r, double *a)
{
  int nv = e->nv, nx = e->nx;
  double largest = 0.0;
  memset(a, 0, (size_t)(nx * nx) * sizeof(double));
  for (int i = 0; i < nv; i++)
    for (int k = 0; k < nv; k++) {
      double m = e->mass_inverse[i * nv + k];
      if (m == 0.0) continue;
      for (int j = 0; j < nv; j++) {
        a[(nv + i) * nx + j] -= m * r->stiffness[k * nv + j];
        a[(nv + i) * nx + nv + j] -= m * e->linear.damping[k * nv + j];
      }
    }
  for (int i = 0; i < nv; i++)
    for (int j = 0; j < nv; j++) largest = fmax(largest, fabs(a[(nv + i) * nx + j]));
  double scale = largest > 0.0 ? sqrt(largest) : 1.0;
  for (int i = 0; i < nv; i++) {
    a[i * nx + nv + i] = scale;
    for (int j = 0; j < nv; j++) a[(nv + i) * nx + j] /= scale;
  }
  return scale;
}

static void list_modes(int nx, const double *wr, const double *wi, cap_exact_regime *r)
{
  r->nmode = 0;
  r->largest_rate = 0.0;
  r->smallest_rate = INFINITY;
  for (int j = 0; j < nx; j += wi[j] != 0.0 ? 2 : 1) {
    if (r->ndrift > 0 && wr[j] == 0.0 && wi[j] == 0.0) continue;
    int m = r->nmode++;
    r->alpha[m] = wr[j];
    r->beta[m] = wi[j];
    r->rate[m] = hypot(wr[j], wi[j]);
    r->column[m] = j;
    r->largest_rate = fmax(r->largest_rate, r->rate[m]);
    r->smallest_rate = fmin(r->smallest_rate, r->rate[m]);
  }
}

static double row_norm(int n, const double *a)
{
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double sum = 0.0;
    for (int j = 0; j < n; j++) sum += fabs(a[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

/* r->inverse = r->shape^-1; returns how much rounding errors may grow, infinite when the modes are dependent.
 * Rows are scaled to a largest entry of one, so that lengths and angles are judged alike. */
static double invert_shapes(cap_exact *e, cap_exact_regime *r, double *work)
{
  int nx = e->nx;
  double *lu = work, *row_size = lu + nx * nx;
  for (int i = 0; i < nx; i++) {
    row_size[i] = 0.0;
    for (int j = 0; j < nx; j++) row_size[i] = fmax(row_size[i], fabs(r->shape[i * nx + j]));
    if (row_size[i] == 0.0) return INFINITY;
    for (int j = 0; j < nx; j++) lu[i * nx + j] = r->shape[i * nx + j] / row_size[i];
  }
  double norm = row_norm(nx, lu);
  if (capm_lu_factor(nx, lu, e->index) != 0) return INFINITY;
  capm_lu_invert(nx, lu, e->index, r->inverse);
  norm *= row_norm(nx, r->inverse);
  for (int i = 0; i < nx; i++)
    for (int j = 0; j < nx; j++) r->inverse[i * nx + j] /= row_size[j];
  return norm;
}

static cap_status build_modes(cap_exact *e, cap_exact_regime *r)
{
  if (r->has_modes) return CAP_OK;
  int nv = e->nv, nx = e->nx;
  double *a = e->work, *wr = a + nx * nx, *wi = wr + nx, *work = wi + nx;
  double scale = first_order_matrix(e, r, a);
  CAP_TRY(capm_eigen_general(nx, a, wr, wi, r->shape, work));
  for (int i = nv * nx; i < nx * nx; i++) r->shape[i] *= scale;
  r->ndrift = 0;
  r->drift_rate = scale;
  if (!r->regular) CAP_TRY(cap_exact_drift_modes(e, r, wr, wi));
  list_modes(nx, wr, wi, r);
  /* a weakly damped rigid motion loses twice: its modes are nearly parallel,
   * and it tends to a large velocity */
  double most = r->ndrift > 0 ? sqrt(MOST_AMPLIFICATION) : MOST_AMPLIFICATION;
  r->diagonalisable = invert_shapes(e, r, work) < most;
  for (int s = 0; s < e->nslider; s++)
    for (int j = 0; j < nx; j++) {
      double sum = 0.0, size = 0.0;
      for (int i = 0; i < nv; i++) {
        double part = e->linear.b[s * nv + i] * r->shape[i * nx + j];
        sum += part;
        size += fabs(part);
      }
      r->slide[s * nx + j] = sum;
      r->slide_size[s * nx + j] = size;
    }
  r->has_modes = true;
  return CAP_OK;
}

/* Close to resonance, and close to a free rigid motion,
 * the forced and the free part are large and opposite. */
static bool forcing_is_apart(const cap_exact *e, const cap_exact_regime *r)
{
  if (e->nv > 0 && !(r->smallest_rate > 1e-9 * r->largest_rate)) return false;
  for (int h = 0; h < e->nharmonic; h++) {
    double w = e->linear.angular_frequency[h];
    if (r->smallest_rate < w / MOST_AMPLIFICATION) return false;
    for (int m = 0; m < r->nmode; m++)
      if (hypot(r->alpha[m], r->beta[m] - w) < w / MOST_AMPLIFICATION) return false;
  }
  return true;
}

cap_status cap_exact_regime_prepare(cap_exact *e, cap_exact_regime *r)
{
  if (r->prepared) return CAP_OK;
  cap_exact_regime_forced(e, r);
  CAP_TRY(build_modes(e, r));
  for (int h = 0; h < e->nharmonic; h++) {
    r->alpha[r->nmode + h] = 0.0;
    r->beta[r->nmode + h] = r->rate[r->nmode + h] = e->linear.angular_frequency[h];
  }
  r->modal = (r->regular || r->ndrift > 0) && r->responsive && r->diagonalisable && forcing_is_apart(e, r);
  r->prepared = true;
  return CAP_OK;
}
