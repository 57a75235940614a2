/* step/exact/exact_range.c — see exact_range.h. */
#include "step/exact/exact_range.h"

#include "step/exact/exact_piece.h"
#include "step/exact/exact_run.h"
#include "step/exact/exact_series.h"

#include <math.h>
#include <string.h>

enum { MOST_SPLITS = 50 };

typedef struct scan {
  cap_exact *e;
  const cap_exact_orbit *orbit;
  int nfunctional;
  const cap_functional *functionals;
  double *low, *high, *mean, *rms;
} scan;

static double coefficient(const double *values, int i)
{
  return values ? values[i] : 0.0;
}

/* The curve of a functional on the modal piece in hand. */
static void modal_curve(cap_exact *e, const cap_functional *f, cap_exact_curve *curve)
{
  const cap_exact_piece *p = &e->piece;
  const cap_exact_regime *r = p->regime;
  int nv = e->nv, nx = e->nx;
  double *row = e->work;
  curve->constant = f->c0;
  curve->linear = curve->quadratic = 0.0;
  memset(row, 0, (size_t)nx * sizeof(double));
  for (int i = 0; i < nv; i++) {
    double cq = coefficient(f->cq, i), cv = coefficient(f->cv, i);
    curve->constant += cq * p->mean[i] + cv * p->mean[nv + i];
    if (r->ndrift > 0) {
      curve->linear += cq * p->linear[i] + cv * p->linear[nv + i];
      curve->quadratic += cq * p->quadratic[i] + cv * p->quadratic[nv + i];
    }
    for (int j = 0; j < nx; j++) row[j] += cq * r->shape[i * nx + j] + cv * r->shape[(nv + i) * nx + j];
  }
  for (int m = 0; m < r->nmode; m++) {
    int c = r->column[m];
    curve->p[m] = p->modal[c] * row[c];
    curve->r[m] = 0.0;
    if (r->beta[m] == 0.0) continue;
    curve->p[m] += p->modal[c + 1] * row[c + 1];
    curve->r[m] = p->modal[c + 1] * row[c] - p->modal[c] * row[c + 1];
  }
  for (int h = 0; h < e->nharmonic; h++) {
    double pc = coefficient(f->cc, h), ps = coefficient(f->cs, h), w = e->linear.angular_frequency[h];
    for (int i = 0; i < nv; i++) {
      double cq = coefficient(f->cq, i), cv = w * coefficient(f->cv, i);
      pc += cq * r->hc[h * nv + i] + cv * r->hs[h * nv + i];
      ps += cq * r->hs[h * nv + i] - cv * r->hc[h * nv + i];
    }
    curve->p[r->nmode + h] = pc * p->cos0[h] + ps * p->sin0[h];
    curve->r[r->nmode + h] = ps * p->cos0[h] - pc * p->sin0[h];
  }
}

/* The forces of the sliders: constant, plus k s while sticking. */
static void add_sliders(cap_exact *e, const cap_functional *f, cap_exact_curve *curve)
{
  const cap_exact_piece *p = &e->piece;
  for (int s = 0; f->cz && s < e->nslider; s++) {
    double factor = f->cz[s] * e->linear.k[s];
    bool stuck = p->regime->stuck >> s & 1;
    const cap_exact_curve *slider = &p->slider[s];
    curve->constant += factor * (p->anchored[s] + (stuck && !p->series ? slider->constant : 0.0));
    if (stuck && !p->series) {
      curve->linear += factor * slider->linear;
      curve->quadratic += factor * slider->quadratic;
    }
    for (int j = 0; stuck && !p->series && j < p->nterm; j++) {
      curve->p[j] += factor * slider->p[j];
      curve->r[j] += factor * slider->r[j];
    }
    for (int m = 0; stuck && p->series && m <= CAP_EXACT_SERIES_ORDER; m++)
      curve->taylor[m] += factor * slider->taylor[m];
  }
}

static void functional_curve(cap_exact *e, const cap_functional *f, cap_exact_curve *curve)
{
  if (e->piece.series) {
    curve->constant = 0.0;
    cap_exact_series_functional(e, f, curve);
    add_sliders(e, f, curve);
    curve->taylor[0] += curve->constant;
  } else {
    modal_curve(e, f, curve);
    add_sliders(e, f, curve);
    cap_exact_piece_derive(&e->piece, curve);
  }
}

typedef struct sample {
  double tau, value, slope, curvature, bound2, bound3;
} sample;

static sample sample_at(cap_exact *e, const cap_exact_curve *curve, double tau)
{
  const cap_exact_piece *p = &e->piece;
  cap_exact_piece_at(e, tau);
  return (sample){.tau = tau,
                  .value = cap_exact_piece_value(p, curve, tau, 0),
                  .slope = cap_exact_piece_value(p, curve, tau, 1),
                  .curvature = cap_exact_piece_value(p, curve, tau, 2),
                  .bound2 = cap_exact_piece_bound(p, curve, 2),
                  .bound3 = cap_exact_piece_bound(p, curve, 3)};
}

static void include(double value, double *low, double *high)
{
  *low = fmin(*low, value);
  *high = fmax(*high, value);
}

/* The slope changes sign once between a and b: Newton's method within the bracket. */
static void polish(cap_exact *e, const cap_exact_curve *curve, sample a, sample b, double *low, double *high)
{
  double left = a.tau, right = b.tau, tau = left + (right - left) * a.slope / (a.slope - b.slope);
  for (int i = 0; i < 60; i++) {
    sample s = sample_at(e, curve, tau);
    include(s.value, low, high);
    if (s.slope == 0.0) return;
    if ((s.slope > 0.0) == (a.slope > 0.0)) left = tau;
    else right = tau;
    double next = s.curvature != 0.0 ? tau - s.slope / s.curvature : left;
    if (!(next > left && next < right)) next = 0.5 * (left + right);
    /* the value is off by less than half slope times step */
    if (fabs(s.slope * (next - tau)) <= 1e-14 * (*high - *low) || next == tau) return;
    tau = next;
  }
}

/* Extremes inside (a, b), whose values are included already. */
static void scan_interval(cap_exact *e, const cap_exact_curve *curve, sample a, sample b, int split,
                          double *low, double *high)
{
  double h = b.tau - a.tau, bulge = a.bound2 * h * h / 8, slack = 1e-13 * (*high - *low);
  if (fmax(a.value, b.value) + bulge <= *high + slack && fmin(a.value, b.value) - bulge >= *low - slack)
    return;
  if (fabs(a.slope) > a.bound2 * h) return; /* monotonic */
  if (fabs(a.curvature) > a.bound3 * h) {   /* one extreme at most */
    if ((a.slope > 0.0) != (b.slope > 0.0)) polish(e, curve, a, b, low, high);
    return;
  }
  if (split == MOST_SPLITS) return;
  sample middle = sample_at(e, curve, a.tau + 0.5 * h);
  include(middle.value, low, high);
  scan_interval(e, curve, a, middle, split + 1, low, high);
  scan_interval(e, curve, middle, b, split + 1, low, high);
}

static void scan_piece(void *self, double tau)
{
  scan *s = self;
  cap_exact *e = s->e;
  double horizon = cap_exact_piece_horizon(&e->piece);
  for (int i = 0; i < s->nfunctional; i++) {
    cap_exact_curve *curve = &e->functional;
    functional_curve(e, &s->functionals[i], curve);
    sample a = sample_at(e, curve, 0.0);
    include(a.value, &s->low[i], &s->high[i]);
    while (a.tau < tau) {
      sample b = sample_at(e, curve, fmin(tau, a.tau + horizon));
      include(b.value, &s->low[i], &s->high[i]);
      scan_interval(e, curve, a, b, 0, &s->low[i], &s->high[i]);
      a = b;
    }
  }
}

static double functional_value(const cap_exact *e, const cap_functional *f, const cap_exact_node *node)
{
  double sum = f->c0;
  for (int i = 0; i < e->nv; i++)
    sum += coefficient(f->cq, i) * node->q[i] + coefficient(f->cv, i) * node->v[i];
  for (int s = 0; s < e->nslider; s++) sum += coefficient(f->cz, s) * node->z[s];
  for (int h = 0; h < e->nharmonic; h++) {
    double phase = e->linear.angular_frequency[h] * node->t;
    sum += coefficient(f->cc, h) * cos(phase) + coefficient(f->cs, h) * sin(phase);
  }
  return sum;
}

static void average_node(void *self, const cap_exact_node *node)
{
  scan *s = self;
  for (int i = 0; i < s->nfunctional; i++) {
    double value = functional_value(s->e, &s->functionals[i], node), share = node->weight / s->orbit->period;
    if (s->mean) s->mean[i] += share * value;
    if (s->rms) s->rms[i] += share * value * value;
  }
}

/* Amplitude of a functional on a fully stuck orbit with one harmonic, and its mean. */
static void stuck_functional(const scan *s, const cap_exact_regime *r, int i)
{
  const cap_exact *e = s->e;
  const cap_functional *f = &s->functionals[i];
  const double *y = s->orbit->y;
  double w = e->linear.angular_frequency[0], c = coefficient(f->cc, 0), d = coefficient(f->cs, 0),
         mean = f->c0;
  for (int j = 0; j < e->nv; j++) {
    double cq = coefficient(f->cq, j), cv = w * coefficient(f->cv, j);
    c += cq * r->hc[j] + cv * r->hs[j];
    d += cq * r->hs[j] - cv * r->hc[j];
    mean += cq * (y[j] - r->hc[j]);
  }
  for (int k = 0; k < e->nslider; k++) {
    double factor = coefficient(f->cz, k) * e->linear.k[k];
    bool stuck = r->stuck >> k & 1;
    if (stuck) c += factor * r->slide_c[k];
    if (stuck) d += factor * r->slide_s[k];
    mean += factor * (y[e->nx + k] - (stuck ? r->slide_c[k] : 0.0));
  }
  double amplitude = hypot(c, d);
  s->low[i] = mean - amplitude;
  s->high[i] = mean + amplitude;
  if (s->mean) s->mean[i] = mean;
  if (s->rms) s->rms[i] = sqrt(mean * mean + 0.5 * amplitude * amplitude);
}

/* Extremes, and the averages as far as they are asked for. */
static cap_status scan_orbit(scan *s, cap_error *error)
{
  cap_exact *e = s->e;
  double *y = s->orbit->work;
  int *flags = s->orbit->index;
  memcpy(y, s->orbit->y, (size_t)e->n * sizeof(double));
  memcpy(flags, s->orbit->flags, (size_t)e->nslider * sizeof(int));
  cap_exact_watch watch = {.self = s};
  if (s->mean || s->rms) watch.node = average_node;
  for (int i = 0; i < s->nfunctional; i++) {
    s->low[i] = INFINITY;
    s->high[i] = -INFINITY;
    if (s->mean) s->mean[i] = 0.0;
    if (s->rms) s->rms[i] = 0.0;
  }
  CAP_TRY(cap_exact_run(e, 0.0, s->orbit->period, y, flags, &watch, scan_piece, s, error));
  for (int i = 0; s->rms && i < s->nfunctional; i++) s->rms[i] = sqrt(s->rms[i]);
  return CAP_OK;
}

cap_status cap_exact_range(cap_exact *exact, const cap_exact_orbit *orbit, int nfunctional,
                           const cap_functional *functionals, double *low, double *high, double *mean,
                           double *rms, cap_error *error)
{
  scan s = {.e = exact,
            .orbit = orbit,
            .nfunctional = nfunctional,
            .functionals = functionals,
            .low = low,
            .high = high,
            .mean = mean,
            .rms = rms};
  if (!orbit->fully_stuck || exact->nharmonic != 1) return scan_orbit(&s, error);
  cap_exact_regime *stuck;
  cap_status status = cap_exact_regime_get(exact, cap_exact_regime_all_stuck(exact), &stuck);
  if (status != CAP_OK) return cap_status_fail(error, status, "out of memory");
  cap_exact_regime_forced(exact, stuck);
  for (int i = 0; i < nfunctional; i++) stuck_functional(&s, stuck, i);
  return CAP_OK;
}
