/* step/exact/exact_piece.c — see exact_piece.h. */
#include "step/exact/exact_piece.h"

#include "step/exact/exact_drift.h"
#include "step/exact/exact_series.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ORDERS = 4 };

static bool sticks(const cap_exact_piece *piece, int s)
{
  return piece->regime->stuck >> s & 1;
}

cap_status cap_exact_piece_curve(cap_exact *e, cap_exact_curve *curve)
{
  int most = e->nx + e->nharmonic;
  curve->p = CAP_ARENA_NEW(&e->arena, double, (ORDERS * most));
  curve->r = CAP_ARENA_NEW(&e->arena, double, (ORDERS * most));
  curve->size = CAP_ARENA_NEW(&e->arena, double, most);
  curve->blur = CAP_ARENA_NEW(&e->arena, double, most);
  return curve->p && curve->r && curve->size && curve->blur ? CAP_OK : CAP_ERR_NOMEM;
}

cap_status cap_exact_piece_allocate(cap_exact *e)
{
  cap_exact_piece *p = &e->piece;
  cap_arena *arena = &e->arena;
  int most = e->nx + e->nharmonic;
  p->mean = CAP_ARENA_NEW(arena, double, e->nx);
  p->linear = CAP_ARENA_NEW(arena, double, e->nx);
  p->quadratic = CAP_ARENA_NEW(arena, double, e->nx);
  p->modal = CAP_ARENA_NEW(arena, double, e->nx);
  p->doubt = CAP_ARENA_NEW(arena, double, e->nx);
  p->cos0 = CAP_ARENA_NEW(arena, double, e->nharmonic);
  p->sin0 = CAP_ARENA_NEW(arena, double, e->nharmonic);
  p->anchored = CAP_ARENA_NEW(arena, double, e->nslider);
  p->series_q = CAP_ARENA_NEW(arena, double, (CAP_EXACT_SERIES_ORDER + 1) * e->nv);
  p->slider = CAP_ARENA_NEW(arena, cap_exact_curve, e->nslider);
  p->growth = CAP_ARENA_NEW(arena, double, most);
  p->ec = CAP_ARENA_NEW(arena, double, most);
  p->es = CAP_ARENA_NEW(arena, double, most);
  if (!p->mean || !p->linear || !p->quadratic || !p->modal || !p->doubt || !p->cos0 || !p->sin0 ||
      !p->anchored || !p->series_q || !p->slider || !p->growth || !p->ec || !p->es)
    return CAP_ERR_NOMEM;
  for (int s = 0; s < e->nslider; s++) CAP_TRY(cap_exact_piece_curve(e, &p->slider[s]));
  return CAP_OK;
}

/* a_s = w_s - s_s of sticking sliders (it stays), w_s of slipping ones */
static void fix_anchors(cap_exact *e, const double *y)
{
  cap_exact_piece *p = &e->piece;
  const cap_linear *l = &e->linear;
  int nv = e->nv, nh = e->nharmonic;
  for (int s = 0; s < e->nslider; s++) {
    double a = y[e->nx + s];
    if (sticks(p, s)) {
      for (int i = 0; i < nv; i++) a -= l->b[s * nv + i] * y[i];
      for (int h = 0; h < nh; h++) a -= l->dc[s * nh + h] * p->cos0[h] + l->ds[s * nh + h] * p->sin0[h];
    }
    p->anchored[s] = a;
  }
}

/* x := x - harmonic response at the start */
static void take_harmonics(const cap_exact *e, double *x)
{
  const cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  int nv = e->nv;
  for (int h = 0; h < e->nharmonic; h++) {
    double c = p->cos0[h], s = p->sin0[h], w = e->linear.angular_frequency[h];
    for (int i = 0; i < nv; i++) {
      double hc = r->hc[h * nv + i], hs = r->hs[h * nv + i];
      x[i] -= hc * c + hs * s;
      x[nv + i] -= w * (hs * c - hc * s);
    }
  }
}

static void weigh_doubts(cap_exact *e, const double *y)
{
  const cap_exact_piece *p = &e->piece;
  int nv = e->nv, nx = e->nx;
  double *size = e->work;
  for (int i = 0; i < nv; i++) {
    size[i] = fabs(y[i]) + fabs(p->mean[i]);
    size[nv + i] = fabs(y[nv + i]) + fabs(p->mean[nv + i]);
  }
  for (int j = 0; j < nx; j++) {
    double doubt = 0.0;
    for (int i = 0; i < nx; i++) doubt += fabs(p->regime->inverse[j * nx + i]) * size[i];
    p->doubt[j] = doubt;
  }
}

/* The constant force: loads, slipping sliders, anchors of sticking ones. */
static void constant_force(const cap_exact *e, double *force)
{
  int nv = e->nv;
  for (int i = 0; i < nv; i++) force[i] = e->linear.f0[i];
  for (int s = 0; s < e->nslider; s++)
    for (int i = 0; i < nv; i++) force[i] -= e->linear.k[s] * e->linear.b[s * nv + i] * e->piece.anchored[s];
}

/* Split the state into polynomial part, harmonic response and modes. */
static void split_state(cap_exact *e, const double *y)
{
  cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  int nv = e->nv, nx = e->nx;
  double *x = e->work;
  memcpy(x, y, (size_t)nx * sizeof(double));
  take_harmonics(e, x);
  if (r->ndrift > 0) {
    double *force = x + nx;
    constant_force(e, force);
    cap_exact_drift_split(e, r, x, force, p->mean, p->linear, p->quadratic, p->modal);
  } else {
    for (int i = 0; i < nv; i++) {
      double mean = r->rest[i];
      for (int s = 0; s < e->nslider; s++) mean -= r->anchor[s * nv + i] * p->anchored[s];
      p->mean[i] = mean;
      p->mean[nv + i] = 0.0;
      x[i] -= mean;
    }
    for (int j = 0; j < nx; j++) {
      double sum = 0.0;
      for (int i = 0; i < nx; i++) sum += r->inverse[j * nx + i] * x[i];
      p->modal[j] = sum;
    }
  }
  weigh_doubts(e, y);
}

void cap_exact_piece_derive(const cap_exact_piece *piece, cap_exact_curve *curve)
{
  const cap_exact_regime *r = piece->regime;
  int n = piece->nterm;
  for (int j = 0; j < n; j++) {
    double alpha = r->alpha[j], beta = r->beta[j], p = curve->p[j], q = curve->r[j];
    curve->size[j] = sqrt(p * p + q * q);
    for (int order = 1; order < ORDERS; order++) {
      double next = alpha * p + beta * q;
      q = alpha * q - beta * p;
      p = next;
      curve->p[order * n + j] = p;
      curve->r[order * n + j] = q;
    }
  }
}

static void slider_curve(cap_exact *e, int s)
{
  cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  cap_exact_curve *curve = &p->slider[s];
  int nv = e->nv, nh = e->nharmonic;
  const double *slide = r->slide + s * e->nx, *size = r->slide_size + s * e->nx;
  curve->constant = curve->linear = curve->quadratic = curve->summed[0] = curve->summed[1] = 0.0;
  for (int i = 0; i < nv; i++) {
    double b = e->linear.b[s * nv + i];
    curve->constant += b * p->mean[i];
    curve->summed[0] += fabs(b * p->mean[i]);
    if (r->ndrift == 0) continue;
    curve->linear += b * p->linear[i];
    curve->quadratic += b * p->quadratic[i];
    curve->summed[1] += fabs(b * p->linear[i]);
  }
  for (int m = 0; m < r->nmode; m++) {
    int c = r->column[m];
    double x1 = p->modal[c];
    curve->p[m] = x1 * slide[c];
    curve->r[m] = 0.0;
    curve->blur[m] = p->doubt[c] * size[c];
    if (r->beta[m] == 0.0) continue;
    double x2 = p->modal[c + 1];
    curve->p[m] += x2 * slide[c + 1];
    curve->r[m] = x2 * slide[c] - x1 * slide[c + 1];
    curve->blur[m] = (p->doubt[c] + p->doubt[c + 1]) * (size[c] + size[c + 1]);
  }
  for (int h = 0; h < nh; h++) {
    double pc = r->slide_c[s * nh + h], ps = r->slide_s[s * nh + h];
    curve->p[r->nmode + h] = pc * p->cos0[h] + ps * p->sin0[h];
    curve->r[r->nmode + h] = ps * p->cos0[h] - pc * p->sin0[h];
    curve->blur[r->nmode + h] = fabs(pc) + fabs(ps);
  }
  cap_exact_piece_derive(p, curve);
}

static uint64_t stuck_set(const cap_exact *e, const int *flags)
{
  uint64_t stuck = 0;
  for (int s = 0; s < e->nslider; s++)
    if (flags[s] != CAP_EXACT_SLIP_UP && flags[s] != CAP_EXACT_SLIP_DOWN) stuck |= (uint64_t)1 << s;
  return stuck & ~e->loose;
}

cap_status cap_exact_piece_begin(cap_exact *e, double t, double length, const double *y, const int *flags)
{
  cap_exact_piece *p = &e->piece;
  cap_exact_regime *regime;
  CAP_TRY(cap_exact_regime_get(e, stuck_set(e, flags), &regime));
  CAP_TRY(cap_exact_regime_prepare(e, regime));
  p->regime = regime;
  p->series = !regime->modal;
  p->nterm = regime->nmode + e->nharmonic;
  p->t = t;
  p->length = length;
  for (int h = 0; h < e->nharmonic; h++) {
    double phase = e->linear.angular_frequency[h] * t;
    p->cos0[h] = cos(phase);
    p->sin0[h] = sin(phase);
  }
  fix_anchors(e, y);
  if (p->series) {
    cap_exact_series_begin(e, y);
    return CAP_OK;
  }
  split_state(e, y);
  for (int s = 0; s < e->nslider; s++) slider_curve(e, s);
  return CAP_OK;
}

void cap_exact_piece_at(cap_exact *e, double tau)
{
  cap_exact_piece *p = &e->piece;
  if (p->series) return;
  const cap_exact_regime *r = p->regime;
  for (int j = 0; j < p->nterm; j++) {
    double growth = r->alpha[j] != 0.0 ? exp(r->alpha[j] * tau) : 1.0;
    p->growth[j] = p->ec[j] = growth;
    p->es[j] = 0.0;
    if (r->beta[j] == 0.0) continue;
    double phase = r->beta[j] * tau;
    p->ec[j] *= cos(phase);
    p->es[j] = growth * sin(phase);
  }
}

/* modal coordinates at tau from those at the start, in steps of `stride` (several columns at once) */
static void turn_modes(const cap_exact_piece *p, int ncolumn, const double *from, double *to)
{
  const cap_exact_regime *r = p->regime;
  for (int m = 0; m < r->nmode; m++) {
    const double *x1 = from + r->column[m] * ncolumn, *x2 = x1 + ncolumn;
    double *y1 = to + r->column[m] * ncolumn, *y2 = y1 + ncolumn, ec = p->ec[m], es = p->es[m];
    if (r->beta[m] == 0.0)
      for (int c = 0; c < ncolumn; c++) y1[c] = ec * x1[c];
    else
      for (int c = 0; c < ncolumn; c++) {
        double a = x1[c], b = x2[c];
        y1[c] = ec * a + es * b;
        y2[c] = ec * b - es * a;
      }
  }
}

static void modal_state(const cap_exact *e, double tau, double *y)
{
  const cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  int nv = e->nv, nx = e->nx;
  double *modal = e->work;
  turn_modes(p, 1, p->modal, modal);
  for (int k = 0; k < r->ndrift; k++) modal[r->drift[k]] = 0.0;
  for (int i = 0; i < nx; i++) {
    double sum = p->mean[i];
    if (r->ndrift > 0) sum += (p->linear[i] + p->quadratic[i] * tau) * tau;
    for (int j = 0; j < nx; j++) sum += r->shape[i * nx + j] * modal[j];
    y[i] = sum;
  }
  for (int h = 0; h < e->nharmonic; h++) {
    double ec = p->ec[r->nmode + h], es = p->es[r->nmode + h], w = e->linear.angular_frequency[h];
    double c = p->cos0[h] * ec - p->sin0[h] * es, s = p->sin0[h] * ec + p->cos0[h] * es;
    for (int i = 0; i < nv; i++) {
      double hc = r->hc[h * nv + i], hs = r->hs[h * nv + i];
      y[i] += hc * c + hs * s;
      y[nv + i] += w * (hs * c - hc * s);
    }
  }
}

void cap_exact_piece_state(const cap_exact *e, double tau, double *y)
{
  const cap_exact_piece *p = &e->piece;
  if (p->series) cap_exact_series_state(e, tau, y);
  else modal_state(e, tau, y);
  for (int s = 0; s < e->nslider; s++) {
    y[e->nx + s] = p->anchored[s];
    if (sticks(p, s)) y[e->nx + s] += cap_exact_piece_value(p, &p->slider[s], tau, 0);
  }
}

/* b_s . (rows of q) of the tangent, added to row[n] with a factor */
static void add_slide(const cap_exact *e, int s, double factor, const double *tangent, double *row)
{
  for (int i = 0; i < e->nv; i++) {
    double f = factor * e->linear.b[s * e->nv + i];
    if (f == 0.0) continue;
    for (int c = 0; c < e->n; c++) row[c] += f * tangent[i * e->n + c];
  }
}

static void modal_tangent(cap_exact *e, double *tangent)
{
  const cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  int nv = e->nv, nx = e->nx, n = e->n;
  double *mean = e->column, *modal = e->column2;
  /* rows of w now hold the constant part of each slider */
  memset(mean, 0, (size_t)(nv * n) * sizeof(double));
  for (int s = 0; s < e->nslider; s++)
    for (int i = 0; i < nv; i++) {
      double f = r->anchor[s * nv + i];
      for (int c = 0; c < n; c++) mean[i * n + c] -= f * tangent[(nx + s) * n + c];
    }
  for (int i = 0; i < nv * n; i++) tangent[i] -= mean[i];
  for (int j = 0; j < nx; j++) {
    double *row = modal + j * n;
    for (int c = 0; c < n; c++) row[c] = 0.0;
    for (int i = 0; i < nx; i++) {
      double f = r->inverse[j * nx + i];
      for (int c = 0; c < n; c++) row[c] += f * tangent[i * n + c];
    }
  }
  turn_modes(p, n, modal, modal);
  for (int i = 0; i < nx; i++) {
    double *row = tangent + i * n;
    for (int c = 0; c < n; c++) row[c] = i < nv ? mean[i * n + c] : 0.0;
    for (int j = 0; j < nx; j++) {
      double f = r->shape[i * nx + j];
      for (int c = 0; c < n; c++) row[c] += f * modal[j * n + c];
    }
  }
}

/* The same for regimes with rigid motion, column by column. */
static void drift_tangent(cap_exact *e, double tau, double *tangent)
{
  const cap_exact_regime *r = e->piece.regime;
  int nv = e->nv, nx = e->nx, n = e->n;
  double *x = e->column, *force = x + nx, *mean = force + nx, *linear = mean + nx, *quadratic = linear + nx;
  double *modal = e->column2;
  for (int c = 0; c < n; c++) {
    for (int i = 0; i < nx; i++) x[i] = tangent[i * n + c];
    for (int i = 0; i < nv; i++) {
      force[i] = 0.0;
      for (int s = 0; s < e->nslider; s++)
        force[i] -= e->linear.k[s] * e->linear.b[s * nv + i] * tangent[(nx + s) * n + c];
    }
    cap_exact_drift_split(e, r, x, force, mean, linear, quadratic, modal);
    turn_modes(&e->piece, 1, modal, modal);
    for (int k = 0; k < r->ndrift; k++) modal[r->drift[k]] = 0.0;
    for (int i = 0; i < nx; i++) {
      double sum = mean[i] + (linear[i] + quadratic[i] * tau) * tau;
      for (int j = 0; j < nx; j++) sum += r->shape[i * nx + j] * modal[j];
      tangent[i * n + c] = sum;
    }
  }
}

void cap_exact_piece_tangent(cap_exact *e, double tau, double *tangent)
{
  const cap_exact_piece *p = &e->piece;
  for (int s = 0; s < e->nslider; s++)
    if (sticks(p, s)) add_slide(e, s, -1.0, tangent, tangent + (e->nx + s) * e->n);
  if (p->series) cap_exact_series_tangent(e, tau, tangent);
  else if (p->regime->ndrift > 0) drift_tangent(e, tau, tangent);
  else modal_tangent(e, tangent);
  for (int s = 0; s < e->nslider; s++)
    if (sticks(p, s)) add_slide(e, s, 1.0, tangent, tangent + (e->nx + s) * e->n);
}

double cap_exact_piece_value(const cap_exact_piece *piece, const cap_exact_curve *curve, double tau,
                             int order)
{
  if (piece->series) return cap_exact_series_value(curve, tau, order);
  const double *p = curve->p + order * piece->nterm, *r = curve->r + order * piece->nterm;
  double sum = order == 0 ? curve->constant : 0.0;
  if (piece->regime->ndrift > 0) {
    if (order == 0) sum += (curve->linear + curve->quadratic * tau) * tau;
    if (order == 1) sum += curve->linear + 2 * curve->quadratic * tau;
    if (order == 2) sum += 2 * curve->quadratic;
  }
  for (int j = 0; j < piece->nterm; j++) sum += p[j] * piece->ec[j] + r[j] * piece->es[j];
  return sum;
}

double cap_exact_piece_bound(const cap_exact_piece *piece, const cap_exact_curve *curve, int order)
{
  if (piece->series) return cap_exact_series_bound(curve, piece->length, order);
  double sum = 0.0;
  if (piece->regime->ndrift > 0) {
    double linear = fabs(curve->linear), quadratic = fabs(curve->quadratic), length = piece->length;
    if (order == 0) sum = (linear + quadratic * length) * length;
    if (order == 1) sum = linear + 2 * quadratic * length;
    if (order == 2) sum = 2 * quadratic;
  }
  for (int j = 0; j < piece->nterm; j++) {
    double part = curve->size[j] * piece->growth[j], rate = piece->regime->rate[j];
    if (piece->regime->alpha[j] > 0.0) part *= M_E;
    for (int m = 0; m < order; m++) part *= rate;
    sum += part;
  }
  return sum;
}

double cap_exact_piece_rounding(const cap_exact_piece *piece, const cap_exact_curve *curve, int order)
{
  double sum = order <= 1 ? curve->summed[order] : 0.0;
  if (piece->series) {
    double power = 1.0, rate = piece->regime->largest_rate;
    for (int m = 1; m < order; m++) power *= rate;
    sum += cap_exact_series_bound(curve, piece->length, order);
    if (order > 1) sum += (curve->summed[0] * rate + curve->summed[1]) * power;
    return DBL_EPSILON * sum;
  }
  for (int j = 0; j < piece->nterm; j++) {
    double part = curve->blur[j] * piece->growth[j], rate = piece->regime->rate[j];
    for (int m = 0; m < order; m++) part *= rate;
    sum += part;
  }
  return DBL_EPSILON * sum;
}

double cap_exact_piece_horizon(const cap_exact_piece *piece)
{
  double largest = 0.0;
  if (piece->series) return INFINITY;
  for (int j = 0; j < piece->nterm; j++) largest = fmax(largest, piece->regime->alpha[j]);
  return largest > 0.0 ? 1.0 / largest : INFINITY;
}
