/* study/surface.c — see surface.h. */
#include "study/surface.h"

#include "study/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What a surface may cost: numbers in memory, and sums of products. */
static const double numbers_most = 5e7, products_most = 4e9;
/* A term whose part of its own is smaller is made up by the others; standardised factors, so that rounding is
 * far below. */
static const double apart = 1e-7;

void cap_surface_design_free(cap_surface_design *d)
{
  if (!d) return;
  free(d->centre), free(d->scale), free(d->offered), free(d->terms);
  for (int c = 0; c < CAP_SURFACE_CLASSES; c++) free(d->leverages[c]);
  capm_qr_free(&d->qr);
  *d = (cap_surface_design){0};
}

static void standardise(int n, const double *x, double *centre, double *scale)
{
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < n; i++) mean += x[i] / n;
  for (int i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean) / n;
  *centre = mean;
  *scale = squares > 0.0 ? sqrt(squares) : 1.0;
}

/* Terms of the levels of a factor, from the second lowest on. */
static bool offer_levels(cap_surface_design *d, int f, const double *x)
{
  int *order = malloc(sizeof *order * ((size_t)d->n + 1));
  if (!order || !cap_sample_sort(d->n, x, order)) {
    free(order);
    return false;
  }
  int more = cap_sample_distinct(d->n, x, order) - 1;
  cap_surface_term *grown = realloc(d->offered, sizeof *grown * ((size_t)(d->noffered + more) + 1));
  if (grown) {
    d->offered = grown;
    for (int i = 1; i < d->n; i++)
      if (x[order[i]] != x[order[i - 1]]) d->offered[d->noffered++] = (cap_surface_term){f, -2, x[order[i]]};
  }
  free(order);
  return grown != NULL;
}

static bool offer(cap_surface_design *d, const double *x, const cap_sensitivity_given_kind *kinds)
{
  const int nf = d->nfactor;
  d->offered[d->noffered++] = (cap_surface_term){-1, -1, 0.0};
  for (int f = 0; f < nf; f++)
    if (kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER) d->offered[d->noffered++] = (cap_surface_term){f, -1, 0.0};
  for (int f = 0; f < nf; f++)
    if (kinds[f] == CAP_SENSITIVITY_GIVEN_LEVEL && !offer_levels(d, f, x + (int64_t)f * d->n)) return false;
  d->limit[0] = d->noffered;
  const size_t room = (size_t)d->noffered + (size_t)nf * ((size_t)nf + 1) / 2 + 1;
  cap_surface_term *grown = realloc(d->offered, sizeof *grown * room);
  if (!grown) return false;
  d->offered = grown;
  for (int f = 0; f < nf; f++)
    if (kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER) d->offered[d->noffered++] = (cap_surface_term){f, f, 0.0};
  d->limit[1] = d->noffered;
  for (int f = 0; f < nf; f++)
    for (int g = f + 1; g < nf; g++)
      if (kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER && kinds[g] == CAP_SENSITIVITY_GIVEN_NUMBER)
        d->offered[d->noffered++] = (cap_surface_term){f, g, 0.0};
  d->limit[2] = d->noffered;
  for (int c = CAP_SURFACE_CLASSES - 1; c >= 0; c--) {
    const double n = d->n, p = d->limit[c];
    if (n * p <= numbers_most && n * p * p <= products_most) break;
    d->large = true;
    d->noffered = c > 0 ? d->limit[c - 1] : 0;
    d->limit[c] = 0;
  }
  return true;
}

static void column(const cap_surface_design *d, cap_surface_term t, const double *x, double *to)
{
  for (int i = 0; i < d->n; i++) {
    to[i] = 1.0;
    if (t.b == -2) to[i] = x[(int64_t)t.a * d->n + i] == t.level;
    else {
      if (t.a >= 0) to[i] *= (x[(int64_t)t.a * d->n + i] - d->centre[t.a]) / d->scale[t.a];
      if (t.b >= 0) to[i] *= (x[(int64_t)t.b * d->n + i] - d->centre[t.b]) / d->scale[t.b];
    }
  }
}

/* Leverages of the surfaces of all classes. */
static bool find_leverages(cap_surface_design *d)
{
  for (int c = 0; c < CAP_SURFACE_CLASSES; c++) {
    if (d->limit[c] == 0) continue;
    d->leverages[c] = malloc(sizeof(double) * ((size_t)d->n + 1));
    if (!d->leverages[c]) return false;
    capm_qr part = d->qr;
    part.n = d->cut[c];
    capm_qr_leverages(&part, d->leverages[c]);
  }
  return true;
}

cap_status cap_surface_design_init(cap_surface_design *d, int n, int nfactor, const double *x,
                                   const cap_sensitivity_given_kind *kinds, cap_error *error)
{
  *d = (cap_surface_design){.n = n, .nfactor = nfactor};
  d->centre = malloc(sizeof *d->centre * ((size_t)nfactor + 1));
  d->scale = malloc(sizeof *d->scale * ((size_t)nfactor + 1));
  d->offered = malloc(sizeof *d->offered * ((size_t)nfactor + 2));
  double *one = malloc(sizeof *one * ((size_t)n + 1));
  bool fine = d->centre && d->scale && d->offered && one;
  for (int f = 0; fine && f < nfactor; f++) {
    d->centre[f] = d->scale[f] = NAN;
    if (kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER)
      standardise(n, x + (int64_t)f * n, d->centre + f, d->scale + f);
  }
  fine = fine && offer(d, x, kinds);
  fine = fine && (d->terms = malloc(sizeof *d->terms * ((size_t)d->noffered + 1)));
  fine = fine && capm_qr_init(&d->qr, n, d->noffered < n ? d->noffered : n);
  for (int t = 0, c = 0; fine && t <= d->noffered; t++) {
    while (c < CAP_SURFACE_CLASSES && d->limit[c] == t) d->cut[c++] = d->qr.n;
    if (t == d->noffered) break;
    if (d->qr.n == d->qr.most) continue; /* as many terms as points */
    column(d, d->offered[t], x, one);
    if (capm_qr_add(&d->qr, one, apart)) d->terms[d->nterm++] = t;
  }
  fine = fine && find_leverages(d);
  free(one);
  if (fine) return CAP_OK;
  cap_surface_design_free(d);
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for a surface through %d points", n);
}

/* Fit with the terms of class c, and what each point is by the others: y - e/(1 - h) (58.3). */
static void fit(const cap_surface_design *d, int c, const double *y, cap_surface *s, double *coefficients,
                double *fitted, double *left_out)
{
  double mean = 0.0, all = 0.0, errors = 0.0, press = 0.0;
  capm_qr part = d->qr;
  part.n = d->cut[c];
  capm_qr_solve(&part, y, coefficients, fitted);
  for (int i = 0; i < d->n; i++) mean += y[i] / d->n;
  for (int i = 0; i < d->n; i++) {
    const double e = y[i] - fitted[i], own = 1.0 - d->leverages[c][i];
    left_out[i] = own > 1e-9 ? y[i] - e / own : NAN; /* else the others say nothing of it */
    all += (y[i] - mean) * (y[i] - mean);
    errors += e * e;
    press += (y[i] - left_out[i]) * (y[i] - left_out[i]);
  }
  const bool constant = cap_sample_constant(d->n, y);
  *s = (cap_surface){.kind = c,
                     .nterm = part.n,
                     .r2 = constant ? NAN : 1.0 - errors / all,
                     .q2 = constant ? NAN : 1.0 - press / all,
                     .rms = sqrt(errors / d->n),
                     .rms_left_out = sqrt(press / d->n)};
}

cap_status cap_surface_fit(const cap_surface_design *d, const double *y, cap_surface *surface,
                           double *coefficients, double *fitted, double *left_out, cap_error *error)
{
  *surface = (cap_surface){.kind = -1, .r2 = NAN, .q2 = NAN, .rms = NAN, .rms_left_out = NAN};
  double *work = malloc(sizeof *work * (2 * (size_t)d->n + (size_t)d->nterm + 1));
  if (!work)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for a surface through %d points", d->n);
  for (int i = 0; i < d->n; i++) fitted[i] = left_out[i] = NAN;
  for (int k = 0; k < d->nterm; k++) coefficients[k] = NAN;
  for (int c = CAP_SURFACE_CLASSES - 1; c >= 0; c--) {
    if (d->limit[c] == 0 || d->cut[c] >= d->n) continue;
    if (c > 0 && d->limit[c - 1] > 0 && d->cut[c] == d->cut[c - 1]) continue; /* the same surface */
    cap_surface one;
    double *at = work + d->nterm, *without = at + d->n;
    fit(d, c, y, &one, work, at, without);
    if (surface->kind >= 0 && !(one.q2 > surface->q2 + 0.01) && !(isnan(surface->q2) && isfinite(one.q2)))
      continue;
    *surface = one;
    for (int k = 0; k < d->nterm; k++) coefficients[k] = k < one.nterm ? work[k] : NAN;
    memcpy(fitted, at, sizeof *fitted * (size_t)d->n);
    memcpy(left_out, without, sizeof *left_out * (size_t)d->n);
  }
  free(work);
  return CAP_OK;
}
