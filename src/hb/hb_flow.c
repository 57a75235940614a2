/* hb/hb_flow.c — see hb_flow.h. */
#include "hb/hb_flow.h"
#include "base/clones.h"
#include "hb/hb_march.h"
#include "linalg/expm.h"
#include "linalg/lu.h"

#include <math.h>
#include <string.h>

static bool remembers(const cap_hb_law *law)
{
  return law->kind == CAP_HB_LAW_STATE || law->kind == CAP_HB_LAW_SLIDER;
}

int cap_hb_flow_states(const cap_hb *hb)
{
  int n = 2 * hb->linear->nfree;
  for (int k = 0; k < hb->nlaw; k++) n += remembers(&hb->laws[k]);
  return n;
}

size_t cap_hb_flow_work(const cap_hb *hb)
{
  size_t n = (size_t)cap_hb_flow_states(hb);
  return 10 * n * n + 16 * n + 16;
}

bool cap_hb_flow_has_memory(const cap_hb *hb)
{
  if (hb->linear->nstate) return true; /* inner states have no mass, which the midpoint rule allows */
  for (int k = 0; k < hb->nlaw; k++)
    if (remembers(&hb->laws[k]) || hb->laws[k].kind == CAP_HB_LAW_COULOMB) return true;
  return false;
}

bool cap_hb_flow_is_piecewise(const cap_hb *hb)
{
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind != CAP_HB_LAW_PIECES) return false;
  return true;
}

static int place_of(const cap_hb *hb, int end)
{
  return end == CAP_GROUND || hb->linear->place[end] < 0 ? -1 : hb->linear->place[end];
}

/* matrix[n][n] += value b b^T, b the direction of a law's deflection; rows scaled by `rows` when not NULL. */
static void add_rank_one(const cap_hb *hb, const cap_hb_law *law, double value, const double *rows,
                         int stride, double *matrix)
{
  int i = place_of(hb, law->i), j = place_of(hb, law->j);
  if (i >= 0) matrix[i * stride + i] += value * (rows ? rows[i] : 1.0);
  if (j >= 0) matrix[j * stride + j] += value * (rows ? rows[j] : 1.0);
  if (i < 0 || j < 0) return;
  matrix[i * stride + j] -= value * (rows ? rows[i] : 1.0);
  matrix[j * stride + i] -= value * (rows ? rows[j] : 1.0);
}

/* inverse[nfree]: 1/mass. */
static void inverse_masses(const cap_hb *hb, double *inverse)
{
  for (int e = 0; e < hb->linear->nentry; e++) {
    const cap_hb_entry *entry = &hb->linear->entries[e];
    if (entry->row == entry->column) inverse[entry->row] = 1.0 / entry->m;
  }
}

/* a[2c][2c] := the linear system without its nonlinear laws: (q, v)' = a (q, v). */
static void linear_system(const cap_hb *hb, const double *inverse, double *a)
{
  int c = hb->linear->nfree, n = 2 * c;
  memset(a, 0, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < c; i++) a[i * n + c + i] = 1.0;
  for (int e = 0; e < hb->linear->nentry; e++) {
    const cap_hb_entry *entry = &hb->linear->entries[e];
    a[(c + entry->row) * n + entry->column] -= inverse[entry->row] * entry->k;
    a[(c + entry->row) * n + c + entry->column] -= inverse[entry->row] *
                                                   (entry->c - hb->linear->excitation * entry->m);
  }
}

/* Chains have few entries a row: what is zero is skipped. */
CAP_CLONES static void multiply(int n, const double *restrict a, const double *restrict b,
                                double *restrict out)
{
  for (int i = 0; i < n; i++) {
    double *restrict row = out + i * n;
    for (int c = 0; c < n; c++) row[c] = 0.0;
    for (int k = 0; k < n; k++) {
      double factor = a[i * n + k];
      for (int c = 0; c < n && factor != 0.0; c++) row[c] += factor * b[k * n + c];
    }
  }
}

static void set_identity(int n, double *a)
{
  memset(a, 0, sizeof(double) * (size_t)(n * n));
  for (int i = 0; i < n; i++) a[i * n + i] = 1.0;
}

/* ---- between corners ----------------------------------------------------------------------------------- */

/* exp(t a) of a 2 x 2 matrix in closed form. */
static void exponential_2(const double a[4], double t, double e[4])
{
  double s = 0.5 * t * (a[0] + a[3]), b0 = 0.5 * t * (a[0] - a[3]), b1 = t * a[1], b2 = t * a[2];
  double d = b0 * b0 + b1 * b2, root = sqrt(fabs(d)), c, f;
  if (root < 1e-4) c = 1.0 + 0.5 * d, f = 1.0 + d / 6.0;
  else if (d > 0.0) c = cosh(root), f = sinh(root) / root;
  else c = cos(root), f = sin(root) / root;
  double scale = exp(s);
  e[0] = scale * (c + f * b0);
  e[1] = scale * f * b1;
  e[2] = scale * f * b2;
  e[3] = scale * (c - f * b0);
}

static cap_status propagate(int n, const double *a, double t, double *e, double *monodromy, double *scratch)
{
  if (n == 2) exponential_2(a, t, e);
  else CAP_TRY(capm_expm(n, a, t, e));
  multiply(n, e, monodromy, scratch);
  memcpy(monodromy, scratch, sizeof(double) * (size_t)(n * n));
  return CAP_OK;
}

cap_status cap_hb_flow_pieces(const cap_hb *hb, double w, double *monodromy, double *work)
{
  int c = hb->linear->nfree, n = 2 * c, next[CAP_HB_FLOW_MOST] = {0};
  double *a = work, *e = a + n * n, *scratch = e + n * n, *inverse = scratch + n * n, now = 0.0;
  if (hb->nlaw > CAP_HB_FLOW_MOST) return CAP_ERR_UNSUPPORTED;
  inverse_masses(hb, inverse);
  linear_system(hb, inverse, a);
  for (int k = 0; k < hb->nlaw; k++)
    add_rank_one(hb, &hb->laws[k], -hb->laws[k].pieces->start, inverse, n, a + c * n);
  set_identity(n, monodromy);
  for (;;) {
    int first = -1;
    double theta = 2.0 * M_PI;
    for (int k = 0; k < hb->nlaw; k++) {
      const cap_hb_pieces *p = hb->laws[k].pieces;
      if (next[k] < p->ncrossing && p->crossings[next[k]].theta <= theta)
        first = k, theta = p->crossings[next[k]].theta;
    }
    if (theta > now) CAP_TRY(propagate(n, a, (theta - now) / w, e, monodromy, scratch));
    now = theta;
    if (first < 0) return CAP_OK;
    const cap_hb_law *law = &hb->laws[first];
    add_rank_one(hb, law, -law->pieces->crossings[next[first]++].change, inverse, n, a + c * n);
  }
}

/* ---- smooth laws --------------------------------------------------------------------------------------- */

/* a := the linear system with the laws' slopes at sample s. */
static void system_at(const cap_hb *hb, const double *base, const double *inverse, int s, double *a)
{
  int c = hb->linear->nfree, n = 2 * c;
  memcpy(a, base, sizeof(double) * (size_t)(n * n));
  for (int k = 0; k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    add_rank_one(hb, law, -law->f_u[s], inverse, n, a + c * n);
    if (law->rate_dependent) add_rank_one(hb, law, -law->f_v[s], inverse, n, a + c * n + c);
  }
}

/* monodromy := exp(o) monodromy by the (2, 2) Pade approximant:
 * with p = 1 + o^2/12, (p - o/2)^-1 (p + o/2). */
static cap_status apply_pade(int n, const double *o, double *monodromy, double *work, int *pivot)
{
  double *square = work, *up = square + n * n, *down = up + n * n;
  multiply(n, o, o, square);
  for (int i = 0; i < n * n; i++) {
    up[i] = square[i] / 12.0 + 0.5 * o[i];
    down[i] = square[i] / 12.0 - 0.5 * o[i];
  }
  for (int i = 0; i < n; i++) up[i * n + i] += 1.0, down[i * n + i] += 1.0;
  multiply(n, up, monodromy, square);
  if (capm_lu_factor(n, down, pivot) != 0) return CAP_RETRY_NONFINITE;
  memcpy(monodromy, square, sizeof(double) * (size_t)(n * n));
  capm_lu_solve_rows(n, down, pivot, n, monodromy);
  return CAP_OK;
}

/* The same for one coordinate, without loops: all but the cost of the laws is here for an oscillator. */
static void smooth_single(const cap_hb *hb, double step, const double *base, double inverse, double m[4])
{
  double k0 = -base[2], c0 = -base[3];
  const cap_hb_law *laws = hb->laws;
  for (int s = 0; s < hb->nsample; s += 2) {
    double k[3] = {k0, k0, k0}, c[3] = {c0, c0, c0};
    for (int l = 0; l < hb->nlaw; l++)
      for (int i = 0; i < 3; i++) {
        int at = s + i < hb->nsample ? s + i : 0;
        k[i] += inverse * laws[l].f_u[at];
        if (laws[l].rate_dependent) c[i] += inverse * laws[l].f_v[at];
      }
    /* o = step/6 (a0 + 4 a1 + a2) - step^2/12 [a0, a2] */
    double f = step * step / 12.0, dk = k[2] - k[0], dc = c[2] - c[0];
    double o00 = f * dk, o01 = step + f * dc;
    double o10 = -step / 6.0 * (k[0] + 4.0 * k[1] + k[2]) - f * (c[0] * k[2] - c[2] * k[0]);
    double o11 = -step / 6.0 * (c[0] + 4.0 * c[1] + c[2]) - f * dk;
    double q00 = (o00 * o00 + o01 * o10) / 12.0, q01 = (o00 + o11) * o01 / 12.0,
           q10 = (o00 + o11) * o10 / 12.0, q11 = (o01 * o10 + o11 * o11) / 12.0;
    double u00 = 1.0 + q00 + 0.5 * o00, u01 = q01 + 0.5 * o01, u10 = q10 + 0.5 * o10,
           u11 = 1.0 + q11 + 0.5 * o11;
    double d00 = 1.0 + q00 - 0.5 * o00, d01 = q01 - 0.5 * o01, d10 = q10 - 0.5 * o10,
           d11 = 1.0 + q11 - 0.5 * o11, det = 1.0 / (d00 * d11 - d01 * d10);
    for (int col = 0; col < 2; col++) {
      double a = u00 * m[col] + u01 * m[2 + col], b = u10 * m[col] + u11 * m[2 + col];
      m[col] = det * (d11 * a - d01 * b);
      m[2 + col] = det * (d00 * b - d10 * a);
    }
  }
}

cap_status cap_hb_flow_smooth(const cap_hb *hb, double w, double *monodromy, double *work)
{
  int n = 2 * hb->linear->nfree, square = n * n, pivot[CAP_HB_FLOW_MOST];
  double *base = work, *a[3] = {base + square, base + 2 * square, base + 3 * square}, *o = base + 4 * square;
  double *scratch = o + square, *inverse = scratch + 3 * square, step = 4.0 * M_PI / (w * hb->nsample);
  inverse_masses(hb, inverse);
  linear_system(hb, inverse, base);
  set_identity(n, monodromy);
  if (n == 2) {
    smooth_single(hb, step, base, inverse[0], monodromy);
    return CAP_OK;
  }
  system_at(hb, base, inverse, 0, a[2]);
  for (int s = 0; s < hb->nsample; s += 2) {
    memcpy(a[0], a[2], sizeof(double) * (size_t)square);
    system_at(hb, base, inverse, s + 1, a[1]);
    system_at(hb, base, inverse, s + 2 < hb->nsample ? s + 2 : 0, a[2]);
    multiply(n, a[0], a[2], o);
    multiply(n, a[2], a[0], scratch);
    for (int i = 0; i < square; i++)
      o[i] = step / 6.0 * (a[0][i] + 4.0 * a[1][i] + a[2][i]) - step * step / 12.0 * (o[i] - scratch[i]);
    CAP_TRY(apply_pade(n, o, monodromy, scratch, pivot));
  }
  return CAP_OK;
}

/* ---- laws with memory ---------------------------------------------------------------------------------- */

/* One memory over the step from sample s. */
static cap_hb_march_step memory_over(const cap_hb_law *law, int s, int next, double h)
{
  if (law->kind != CAP_HB_LAW_SLIDER) return cap_hb_march_over(law, s, h);
  if (law->x_u[next] == 0.0) return (cap_hb_march_step){0};
  return (cap_hb_march_step){1.0, 0.0, h * law->k};
}

typedef struct midpoint {
  const cap_hb *hb;
  int c, n;
  double h;
  double *inverse, *linear_k, *linear_c, *matrix, *rhs;
  int pivot[CAP_HB_FLOW_MOST];
} midpoint;

static double force_of_memory(const cap_hb_law *law, int s)
{
  return law->kind == CAP_HB_LAW_STATE ? law->f_x[s] : 1.0;
}

static double mobility_of(const midpoint *d, const cap_hb_law *law)
{
  int i = place_of(d->hb, law->i), j = place_of(d->hb, law->j);
  return (i >= 0 ? d->inverse[i] : 0.0) + (j >= 0 ? d->inverse[j] : 0.0);
}

/* What Coulomb friction leaves of the velocity along it over a step: 1 while sliding, 0 while stuck. Where
 * the velocity changes sign its force jumps by twice the limit, so with the mean acceleration a and the
 * friction's own L the perturbation is multiplied by (|a| - L)/(|a| + L), or held when
 * friction is stronger. */
static double coulomb_pass(const midpoint *d, const cap_hb_law *law, int s, int next)
{
  double a = fabs(law->v[next] - law->v[s]) / d->h, own = law->limit * mobility_of(d, law);
  bool within = law->x_u[s] != 0.0 && law->x_u[next] != 0.0;
  if (within && a < own) return 0.0;
  if ((law->v[s] > 0.0) == (law->v[next] > 0.0)) return 1.0;
  return a > own ? (a - own) / (a + own) : 0.0;
}

/* Matrix of the mean velocity: 2 M/h + C + h K/2 and what the laws add. */
static cap_status prepare(midpoint *d, int s, int next)
{
  const cap_hb *hb = d->hb;
  int c = d->c;
  for (int i = 0; i < c * c; i++) d->matrix[i] = d->linear_c[i] + 0.5 * d->h * d->linear_k[i];
  for (int i = 0; i < c; i++) d->matrix[i * c + i] += 2.0 / (d->h * d->inverse[i]);
  for (int k = 0; k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    double value = 0.0;
    if (law->slider < 0)
      value = 0.25 * d->h * (law->f_u[s] + law->f_u[next]) +
              (law->rate_dependent ? 0.5 * (law->f_v[s] + law->f_v[next]) : 0.0);
    if (remembers(law)) value += 0.5 * force_of_memory(law, s) * memory_over(law, s, next, d->h).by_p;
    /* stuck Coulomb friction holds the velocity */
    if (law->kind == CAP_HB_LAW_COULOMB && coulomb_pass(d, law, s, next) == 0.0) value = 1e9 * law->regular;
    add_rank_one(hb, law, value, NULL, c, d->matrix);
  }
  return capm_lu_factor(c, d->matrix, d->pivot) == 0 ? CAP_OK : CAP_RETRY_NONFINITE;
}

static double along(const cap_hb *hb, const cap_hb_law *law, const double *q)
{
  int i = place_of(hb, law->i), j = place_of(hb, law->j);
  return (i >= 0 ? q[i] : 0.0) - (j >= 0 ? q[j] : 0.0);
}

static void resist(const cap_hb *hb, const cap_hb_law *law, double force, double *rhs)
{
  int i = place_of(hb, law->i), j = place_of(hb, law->j);
  if (i >= 0) rhs[i] -= force;
  if (j >= 0) rhs[j] += force;
}

/* The velocity along a Coulomb slider times `factor`, by an impulse. */
static void weaken(const midpoint *d, const cap_hb_law *law, double factor, double *v)
{
  int i = place_of(d->hb, law->i), j = place_of(d->hb, law->j);
  double mobility = mobility_of(d, law);
  double impulse = mobility > 0.0 ? (1.0 - factor) * along(d->hb, law, v) / mobility : 0.0;
  if (i >= 0) v[i] -= d->inverse[i] * impulse;
  if (j >= 0) v[j] += d->inverse[j] * impulse;
}

/* One column y = (q, v, memories) over the step. */
static void step_column(midpoint *d, int s, int next, double *y)
{
  const cap_hb *hb = d->hb;
  int c = d->c;
  double *q = y, *v = y + c, *x = y + 2 * c, *p = d->rhs;
  for (int i = 0; i < c; i++) {
    p[i] = 2.0 / (d->h * d->inverse[i]) * v[i];
    for (int j = 0; j < c; j++) p[i] -= d->linear_k[i * c + j] * q[j];
  }
  for (int k = 0, m = 0; k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    if (law->slider < 0) resist(hb, law, 0.5 * (law->f_u[s] + law->f_u[next]) * along(hb, law, q), p);
    if (!remembers(law)) continue;
    cap_hb_march_step over = memory_over(law, s, next, d->h);
    double mean = 0.5 * ((1.0 + over.gain) * x[m] + over.by_q * along(hb, law, q));
    resist(hb, law, force_of_memory(law, s) * mean, p);
    m++;
  }
  capm_lu_solve(c, d->matrix, d->pivot, p);
  for (int k = 0, m = 0; k < hb->nlaw; k++) {
    const cap_hb_law *law = &hb->laws[k];
    if (!remembers(law)) continue;
    cap_hb_march_step over = memory_over(law, s, next, d->h);
    x[m] = over.gain * x[m] + over.by_q * along(hb, law, q) + over.by_p * along(hb, law, p);
    m++;
  }
  for (int i = 0; i < c; i++) {
    q[i] += d->h * p[i];
    v[i] = isinf(d->inverse[i]) ? 0.0 : 2.0 * p[i] - v[i]; /* what has no mass has no velocity of its own */
  }
  for (int k = 0; k < hb->nlaw; k++)
    if (hb->laws[k].kind == CAP_HB_LAW_COULOMB)
      weaken(d, &hb->laws[k], coulomb_pass(d, &hb->laws[k], s, next), v);
}

cap_status cap_hb_flow_memory(const cap_hb *hb, double w, double *monodromy, double *work)
{
  int c = hb->linear->nfree, n = cap_hb_flow_states(hb);
  double *columns = work; /* the transposed matrix: a row is one column of it */
  midpoint d = {.hb = hb, .c = c, .n = n, .h = 2.0 * M_PI / (w * hb->nsample)};
  d.linear_k = columns + n * n;
  d.linear_c = d.linear_k + c * c;
  d.matrix = d.linear_c + c * c;
  d.rhs = d.matrix + c * c;
  d.inverse = d.rhs + n;
  inverse_masses(hb, d.inverse);
  memset(d.linear_k, 0, sizeof(double) * (size_t)(2 * c * c));
  for (int e = 0; e < hb->linear->nentry; e++) {
    const cap_hb_entry *entry = &hb->linear->entries[e];
    d.linear_k[entry->row * c + entry->column] += entry->k;
    d.linear_c[entry->row * c + entry->column] += entry->c - hb->linear->excitation * entry->m;
  }
  set_identity(n, columns);
  for (int s = 0; s < hb->nsample; s++) {
    int next = s + 1 < hb->nsample ? s + 1 : 0;
    CAP_TRY(prepare(&d, s, next));
    for (int k = 0; k < n; k++) step_column(&d, s, next, columns + k * n);
  }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) monodromy[i * n + k] = columns[k * n + i];
  return CAP_OK;
}
