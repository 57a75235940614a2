/* study/sensitivity_given.c — see sensitivity_given.h.
 *
 * All estimates are functions of sums over the points, so that a sample of the bootstrap is one pass with
 * weights: sums of products of standardised columns for the regression, and sums by class for the indices.
 */
#include "study/sensitivity_given.h"

#include "base/clones.h"
#include "linalg/dot.h"
#include "study/resample.h"
#include "study/sample.h"
#include "study/sensitivity_classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 512 };

typedef struct work {
  const cap_sensitivity_given_sample *s;
  int p;            /* columns of the regression */
  int *column;      /* [nfactor] of its coefficient; -1 = none */
  double *z;        /* [p + nresponse][n] standardised: columns, then responses */
  double *products; /* [(p + nresponse + 1)^2] sums; the last row and column are with 1 */
  double *matrix;   /* [p][p] */
  double *beta;     /* [nresponse][p] */
  uint16_t *counts; /* [n] */
  double *weights;  /* [n] */
  double *samples;  /* [nsample][2][nresponse][nfactor] */
  bool *constant;   /* [nresponse] */
  int *levels;      /* [nfactor] columns of a factor */
  cap_sensitivity_classes classes;
} work;

static void release(work *w)
{
  cap_sensitivity_classes_free(&w->classes);
  free(w->column), free(w->levels), free(w->z), free(w->products), free(w->matrix), free(w->beta);
  free(w->counts), free(w->weights), free(w->samples), free(w->constant);
}

static void standardise(int n, const double *x, double *z)
{
  double mean = 0.0, squares = 0.0;
  for (int i = 0; i < n; i++) mean += x[i] / n;
  for (int i = 0; i < n; i++) squares += (x[i] - mean) * (x[i] - mean);
  double scale = squares > 0.0 ? sqrt(n / squares) : 0.0;
  for (int i = 0; i < n; i++) z[i] = (x[i] - mean) * scale;
}

/* How many columns a factor gives: one a number, one for every level but the first. Its points in their
 * order. */
static bool count_columns(work *w, int f, int *order)
{
  const cap_sensitivity_given_sample *s = w->s;
  const double *x = s->x + (int64_t)f * s->n;
  w->levels[f] = s->kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER;
  if (s->kinds[f] != CAP_SENSITIVITY_GIVEN_LEVEL || s->n == 0) return true;
  if (!cap_sample_sort(s->n, x, order)) return false;
  w->levels[f] = cap_sample_distinct(s->n, x, order) - 1;
  if (w->levels[f] > CAP_SENSITIVITY_CLASSES) w->levels[f] = 0; /* no use, and too much */
  return true;
}

/* Columns of one factor from z on. */
static bool fill_factor(const work *w, int f, int *order, double *indicator, double *z)
{
  const cap_sensitivity_given_sample *s = w->s;
  const double *x = s->x + (int64_t)f * s->n;
  if (s->kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER) standardise(s->n, x, z);
  if (s->kinds[f] != CAP_SENSITIVITY_GIVEN_LEVEL || w->levels[f] == 0) return true;
  if (!cap_sample_sort(s->n, x, order)) return false;
  for (int i = 1, k = 0; i < s->n; i++) {
    const double level = x[order[i]];
    if (level == x[order[i - 1]]) continue;
    for (int j = 0; j < s->n; j++) indicator[j] = x[j] == level;
    standardise(s->n, indicator, z + (int64_t)k++ * s->n);
  }
  return true;
}

static bool fill_columns(work *w, int *order, double *indicator)
{
  const cap_sensitivity_given_sample *s = w->s;
  for (int f = 0, at = 0; f < s->nfactor; at += w->levels[f++]) {
    w->column[f] = s->kinds[f] == CAP_SENSITIVITY_GIVEN_NUMBER ? at : -1;
    if (!fill_factor(w, f, order, indicator, w->z + (int64_t)at * s->n)) return false;
  }
  for (int r = 0; r < s->nresponse; r++) {
    w->constant[r] = cap_sample_constant(s->n, s->y + (int64_t)r * s->n);
    standardise(s->n, s->y + (int64_t)r * s->n, w->z + (int64_t)(w->p + r) * s->n);
  }
  return true;
}

static bool prepare_columns(work *w, int *order, double *indicator)
{
  const size_t n = (size_t)w->s->n, nr = (size_t)w->s->nresponse;
  for (int f = 0; f < w->s->nfactor; f++) {
    if (!count_columns(w, f, order)) return false;
    w->p += w->levels[f];
  }
  const size_t p = (size_t)w->p, q = p + nr + 1;
  w->z = malloc(sizeof *w->z * (q * n + 1));
  w->products = malloc(sizeof *w->products * q * q);
  w->matrix = malloc(sizeof *w->matrix * (p * p + 1));
  w->beta = malloc(sizeof *w->beta * (p * nr + 1));
  return w->z && w->products && w->matrix && w->beta && fill_columns(w, order, indicator);
}

static cap_status prepare(work *w, const cap_sensitivity_given_sample *s, int nsample)
{
  const size_t n = (size_t)s->n, nf = (size_t)s->nfactor, nr = (size_t)s->nresponse;
  *w = (work){.s = s, .classes = {.s = s}};
  w->column = malloc(sizeof *w->column * (nf + 1));
  w->levels = malloc(sizeof *w->levels * (nf + 1));
  w->counts = malloc(sizeof *w->counts * (n + 1));
  w->weights = malloc(sizeof *w->weights * (n + 1));
  w->samples = malloc(sizeof *w->samples * ((size_t)nsample * 2 * nr * nf + 1));
  w->constant = calloc(nr + 1, sizeof *w->constant);
  int *order = malloc(sizeof *order * (n + 1));
  double *indicator = malloc(sizeof *indicator * (n + 1));
  bool fine = w->column && w->levels && w->counts && w->weights && w->samples && w->constant && order &&
              indicator;
  fine = fine && prepare_columns(w, order, indicator);
  free(order), free(indicator);
  fine = fine && cap_sensitivity_classes_init(&w->classes, s, w->z + (int64_t)w->p * s->n, w->constant);
  return fine ? CAP_OK : CAP_ERR_NOMEM;
}

/* Sums of products with weights, in pieces that stay in the cache. Products of two responses are not needed
 * but for squares. */
CAP_CLONES static void sum_products(const work *w)
{
  const int n = w->s->n, p = w->p, q = p + w->s->nresponse;
  double *to = w->products;
  memset(to, 0, sizeof *to * (size_t)(q + 1) * (size_t)(q + 1));
  double piece[PIECE];
  for (int from = 0; from < n; from += PIECE) {
    const int m = n - from < PIECE ? n - from : PIECE;
    const double *weights = w->weights + from;
    for (int a = 0; a < q; a++) {
      const double *z = w->z + (int64_t)a * n + from;
      for (int i = 0; i < m; i++) piece[i] = weights[i] * z[i];
      to[a * (q + 1) + q] += capm_dot(m, weights, z);
      if (a >= p) to[a * (q + 1) + a] += capm_dot(m, piece, z);
      else
        for (int b = a; b < q; b++) to[a * (q + 1) + b] += capm_dot(m, piece, w->z + (int64_t)b * n + from);
    }
  }
  to[q * (q + 1) + q] = n; /* as many draws as points */
}

/* Correlation of columns a <= b from the sums. */
static double correlation(const work *w, int a, int b)
{
  const int q = w->p + w->s->nresponse;
  const double *s = w->products, n = s[q * (q + 1) + q];
  double ma = s[a * (q + 1) + q] / n, mb = s[b * (q + 1) + q] / n;
  double va = s[a * (q + 1) + a] / n - ma * ma, vb = s[b * (q + 1) + b] / n - mb * mb;
  return a == b ? 1.0 : (s[a * (q + 1) + b] / n - ma * mb) / sqrt(va * vb);
}

/* Standardised coefficients of all responses by Cholesky's factors of the correlations, column by column: one
 * that the columns before it make up is left out, its coefficient NaN (56.2). */
static void regress(work *w, double *coefficients, double *r2)
{
  const int p = w->p, nr = w->s->nresponse, nf = w->s->nfactor;
  double *l = w->matrix;
  for (int a = 0; a < p; a++) {
    double pivot = 1.0;
    for (int b = 0; b < a; b++) {
      double sum = correlation(w, b, a);
      for (int k = 0; k < b; k++) sum -= l[a * p + k] * l[b * p + k];
      l[a * p + b] = l[b * p + b] > 0.0 ? sum / l[b * p + b] : 0.0;
      pivot -= l[a * p + b] * l[a * p + b];
    }
    l[a * p + a] = pivot > 1e-9 ? sqrt(pivot) : 0.0; /* also where the correlation is NaN */
    if (l[a * p + a] == 0.0)
      for (int b = 0; b < a; b++) l[a * p + b] = 0.0;
  }
  for (int r = 0; r < nr; r++) {
    double *beta = w->beta + (int64_t)r * p, sum = 0.0;
    for (int a = 0; a < p; a++) {
      double right = correlation(w, a, p + r);
      for (int k = 0; k < a; k++) right -= l[a * p + k] * beta[k];
      beta[a] = l[a * p + a] > 0.0 ? right / l[a * p + a] : 0.0;
      sum += beta[a] * beta[a];
    }
    if (r2) r2[r] = p > 0 && !w->constant[r] ? sum : NAN;
    for (int a = p - 1; a >= 0; a--) {
      for (int k = a + 1; k < p; k++) beta[a] -= l[k * p + a] * beta[k];
      beta[a] = l[a * p + a] > 0.0 ? beta[a] / l[a * p + a] : 0.0;
    }
    for (int f = 0; f < nf; f++) {
      const int at = w->column[f];
      const bool known = at >= 0 && l[at * p + at] > 0.0 && !w->constant[r];
      coefficients[(int64_t)r * nf + f] = known ? beta[at] : NAN;
    }
  }
}

static void estimate(work *w, bool whole, double *first, double *coefficients, double *r2)
{
  sum_products(w);
  regress(w, coefficients, r2);
  cap_sensitivity_classes_estimate(&w->classes, w->weights, whole, first);
}

cap_status cap_sensitivity_given(const cap_sensitivity_given_sample *s, const cap_sensitivity_confidence *by,
                                 cap_sensitivity_index *first, cap_sensitivity_index *regression, double *r2,
                                 cap_error *error)
{
  const int nsample = by->bootstrap > 0 ? by->bootstrap : 0, count = s->nresponse * s->nfactor;
  work w;
  double *all = malloc(sizeof *all * (2 * (size_t)count + (size_t)nsample + 1)), *one = all + 2 * count;
  cap_status status = all && s->nresponse <= 64 ? prepare(&w, s, nsample) : CAP_ERR_NOMEM;
  if (status == CAP_OK) {
    for (int i = 0; i < s->n; i++) w.weights[i] = 1.0;
    estimate(&w, true, all, all + count, r2);
    if (s->n < w.p + 2) /* as many coefficients as points tell nothing */
      for (int k = 0; k < count; k++) all[count + k] = NAN;
    for (int r = 0; r < s->nresponse && s->n < w.p + 2; r++) r2[r] = NAN;
    for (int b = 0; b < nsample; b++) {
      cap_resample_counts(by->seed, b, s->n, w.counts);
      for (int i = 0; i < s->n; i++) w.weights[i] = w.counts[i];
      estimate(&w, false, w.samples + (int64_t)b * 2 * count, w.samples + (int64_t)(b * 2 + 1) * count, NULL);
    }
    for (int k = 0; k < 2 * count; k++) {
      cap_sensitivity_index *to = k < count ? first + k : regression + (k - count);
      for (int b = 0; b < nsample; b++) one[b] = w.samples[(int64_t)b * 2 * count + k];
      to->value = all[k];
      cap_resample_interval(nsample, one, all[k], by->confidence, &to->low, &to->high);
      if (k >= count || !isfinite(to->low)) continue;
      to->low = fmin(to->low, all[k] - 4.0 / s->n); /* what classes and polynomials cannot resolve, §56 */
      to->high = fmax(to->high, all[k] + 4.0 / s->n);
    }
  }
  if (all && s->nresponse <= 64) release(&w);
  free(all);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "out of memory for the sensitivities of %d points", s->n);
  return CAP_OK;
}
