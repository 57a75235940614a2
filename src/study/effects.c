/* study/effects.c — see effects.h. */
#include "study/effects.h"

#include "linalg/student.h"

#include <math.h>
#include <stdlib.h>

void cap_effects_free(cap_effects *e)
{
  if (!e) return;
  free(e->at);
  free(e->members);
  *e = (cap_effects){0};
}

/* One at a time: whether all factors but one (and formulas) are as in the first point. */
static bool on_line(const cap_sample *s, const cap_study *study, int p, int factor)
{
  for (int f = 0; f < s->nfactor; f++) {
    const double *x = s->x + (int64_t)f * s->npoint;
    if (f != factor && study->factors[f].law != CAP_STUDY_FORMULA && x[p] != x[0]) return false;
  }
  return true;
}

static int choose(const cap_sample *s, const cap_study *study, int factor, int *chosen)
{
  int n = 0;
  const bool line = study->design == CAP_STUDY_ONE_AT_A_TIME &&
                    study->factors[factor].law != CAP_STUDY_FORMULA;
  for (int p = 0; p < s->npoint; p++)
    if (s->drawn[p] && isfinite(s->x[(int64_t)factor * s->npoint + p]) &&
        (!line || on_line(s, study, p, factor)))
      chosen[n++] = p;
  return n;
}

cap_status cap_effects_init(cap_effects *e, const cap_sample *s, const cap_study *study, int factor,
                            cap_error *error)
{
  const size_t n = (size_t)s->npoint + 1;
  int *chosen = malloc(sizeof *chosen * n), *order = malloc(sizeof *order * n);
  int *starts = malloc(sizeof *starts * (n + 1));
  double *x = malloc(sizeof *x * n);
  *e = (cap_effects){.at = malloc(sizeof *e->at * n), .members = malloc(sizeof *e->members * n)};
  bool fine = chosen && order && starts && x && e->at && e->members;
  int count = 0;
  if (fine) {
    count = choose(s, study, factor, chosen);
    for (int i = 0; i < count; i++) x[i] = s->x[(int64_t)factor * s->npoint + chosen[i]];
    fine = cap_sample_sort(count, x, order);
  }
  if (fine) {
    const bool listed = study->factors[factor].law == CAP_STUDY_LISTED ||
                        study->design == CAP_STUDY_ONE_AT_A_TIME;
    const bool logarithmic = cap_sample_logarithmic(s, study, factor);
    e->nclass = cap_sample_classes(count, x, order, listed ? s->npoint : CAP_EFFECTS_BINS, starts);
    for (int p = 0; p < s->npoint; p++) e->members[p] = -1;
    for (int c = 0; c < e->nclass; c++) {
      const double first = x[order[starts[c]]];
      double sum = 0.0;
      for (int i = starts[c]; i < starts[c + 1]; i++) {
        sum += logarithmic ? log(x[order[i]] / first) : x[order[i]] - first;
        e->members[chosen[order[i]]] = c;
      }
      sum /= starts[c + 1] - starts[c];
      e->at[c] = logarithmic ? first * exp(sum) : first + sum; /* a listed value stays what it is */
    }
  }
  free(chosen), free(order), free(starts), free(x);
  if (fine) return CAP_OK;
  cap_effects_free(e);
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory for the main effects of %d points", s->npoint);
}

void cap_effects_means(const cap_effects *e, int npoint, const double *y, double confidence, double *mean,
                       double *low, double *high)
{
  /* three passes; `low` counts and `high` sums squares on the way */
  for (int c = 0; c < e->nclass; c++) mean[c] = low[c] = high[c] = 0.0;
  for (int p = 0; p < npoint; p++)
    if (e->members[p] >= 0 && isfinite(y[p])) mean[e->members[p]] += y[p], low[e->members[p]] += 1.0;
  for (int c = 0; c < e->nclass; c++) mean[c] = low[c] > 0.0 ? mean[c] / low[c] : NAN;
  for (int p = 0; p < npoint; p++)
    if (e->members[p] >= 0 && isfinite(y[p]))
      high[e->members[p]] += (y[p] - mean[e->members[p]]) * (y[p] - mean[e->members[p]]);
  double quantile = NAN, freedom = 0.0;
  for (int c = 0; c < e->nclass; c++) {
    const double n = low[c];
    if (n > 1.0 && n - 1.0 != freedom) quantile = capm_student_two_sided(confidence, freedom = n - 1.0);
    const double half = n > 1.0 ? quantile * sqrt(high[c] / (n * (n - 1.0))) : NAN; /* (53.2) */
    low[c] = mean[c] - half;
    high[c] = mean[c] + half;
  }
}
