/* study/optimise_box.c — see optimise_box.h. */
#include "study/optimise_box.h"

#include "study/distribution.h"

#include <math.h>
#include <string.h>

/* Range of a factor: what the study says, else three deviations of its normal law (of its logarithm), else
 * what its cases have. */
static void range_of(const cap_study *study, int f, double *low, double *high)
{
  const cap_study_factor *factor = study->factors + f;
  *low = factor->low;
  *high = factor->high;
  if (factor->law == CAP_STUDY_NORMAL || factor->law == CAP_STUDY_LOG_NORMAL) { /* -+ 3 deviations */
    if (!isfinite(*low) || (*low <= 0.0 && factor->law == CAP_STUDY_LOG_NORMAL))
      *low = cap_distribution_quantile(factor, capm_distribution_normal(-3.0));
    if (!isfinite(*high)) *high = cap_distribution_quantile(factor, capm_distribution_normal(3.0));
  }
  if (isfinite(*low) && isfinite(*high) && *low < *high) return;
  *low = INFINITY;
  *high = -INFINITY;
  for (int64_t k = 0; k < study->ncase; k++) {
    *low = fmin(*low, study->values[k * study->nfactor + f]);
    *high = fmax(*high, study->values[k * study->nfactor + f]);
  }
}

static void choose_factors(cap_optimise_box *b)
{
  for (int f = 0; f < b->study->nfactor; f++) {
    const cap_study_factor *factor = b->study->factors + f;
    double low, high;
    if (factor->law == CAP_STUDY_FORMULA || factor->nlevel > 0 || factor->whole) continue;
    range_of(b->study, f, &low, &high);
    if (!(low < high) || !isfinite(high - low)) continue;
    b->factors[b->n] = f;
    b->low[b->n] = low;
    b->high[b->n] = high;
    b->logarithmic[b->n++] = factor->logarithmic && low > 0.0;
  }
}

static bool fine(const cap_study_table *t, const cap_optimise_box *b, int64_t k)
{
  return t->states[k] == CAP_STUDY_FINE && cap_optimise_box_known(b, t->responses + k * t->nresponse);
}

/* Scales by the ranges over the cases. */
static void find_scales(cap_optimise_box *b, const cap_study_table *t)
{
  const cap_study *study = b->study;
  for (int c = -1; c < study->nbound; c++) {
    const int r = c < 0 ? study->objective : study->bounds[c].response;
    double low = INFINITY, high = -INFINITY;
    for (int64_t k = 0; t && k < t->ncase; k++) {
      if (!fine(t, b, k)) continue;
      low = fmin(low, t->responses[k * t->nresponse + r]);
      high = fmax(high, t->responses[k * t->nresponse + r]);
    }
    double scale = high > low ? high - low : 0.0;
    if (c < 0) {
      b->scale = scale;
      continue;
    }
    const cap_study_bound *bound = study->bounds + c;
    if (!(scale > 0.0) && isfinite(bound->low)) scale = fabs(bound->low);
    if (isfinite(bound->high)) scale = scale > 0.0 ? scale : fabs(bound->high);
    b->scales[c] = scale > 0.0 ? scale : 1.0;
    b->nconstraint += isfinite(bound->low) + isfinite(bound->high);
  }
}

double cap_optimise_box_goal(const cap_optimise_box *b, double y)
{
  const double scale = b->scale > 0.0 ? b->scale : 1.0;
  return (b->study->responses[b->study->objective].goal == CAP_STUDY_MAXIMISE ? -y : y) / scale;
}

bool cap_optimise_box_known(const cap_optimise_box *b, const double *responses)
{
  bool known = isfinite(responses[b->study->objective]);
  for (int c = 0; c < b->study->nbound; c++)
    known = known && isfinite(responses[b->study->bounds[c].response]);
  return known;
}

void cap_optimise_box_constraints(const cap_optimise_box *b, const double *responses, double *to)
{
  for (int c = 0, at = 0; c < b->study->nbound; c++) {
    const cap_study_bound *bound = b->study->bounds + c;
    const double y = responses[bound->response];
    if (isfinite(bound->low)) to[at++] = (bound->low - y) / b->scales[c];
    if (isfinite(bound->high)) to[at++] = (y - bound->high) / b->scales[c];
  }
}

double cap_optimise_box_violation(const cap_optimise_box *b, const double *responses)
{
  double to[128], most = 0.0;
  cap_optimise_box_constraints(b, responses, to);
  for (int c = 0; c < b->nconstraint; c++)
    if (to[c] > CAP_OPTIMISE_BOX_FEASIBLE) most = fmax(most, to[c]);
  return most;
}

/* The best case: feasible before not, then by violation, then by objective; -1: none is fine. */
static int64_t best_case(cap_optimise_box *b, const cap_study_table *t)
{
  int64_t best = -1;
  double violation = INFINITY, goal = INFINITY;
  for (int64_t k = 0; t && k < t->ncase; k++) {
    if (!fine(t, b, k)) continue;
    const double *y = t->responses + k * t->nresponse;
    const double v = cap_optimise_box_violation(b, y), g = cap_optimise_box_goal(b, y[b->study->objective]);
    b->worst = isfinite(b->worst) ? fmax(b->worst, g) : g;
    b->best = fmin(b->best, g);
    if (best >= 0 && (v > violation || (v == violation && g >= goal))) continue;
    best = k;
    violation = v;
    goal = g;
  }
  return best;
}

double cap_optimise_box_unit(const cap_optimise_box *b, int k, double x)
{
  const double s = b->logarithmic[k] ? log(fmax(x, b->low[k]) / b->low[k]) / log(b->high[k] / b->low[k])
                                     : (x - b->low[k]) / (b->high[k] - b->low[k]);
  return fmin(fmax(s, 0.0), 1.0);
}

/* Root of g^(d+1) = g + 1: powers of its inverse make an even lattice in d dimensions. */
static double lattice_root(int d)
{
  double g = 2.0;
  for (int k = 0; k < 64; k++) g = pow(1.0 + g, 1.0 / (d + 1.0));
  return g;
}

/* The value after `steps` others of a factor that has some to choose from: levels, whole numbers. */
static double another(const cap_study_factor *f, double value, int steps)
{
  int at = 0;
  for (int k = 0; k < f->nvalue; k++)
    if (f->values[k] == value) at = k;
  return f->values[(at + steps) % f->nvalue];
}

/* The start: s moved on the lattice, levels and whole numbers to their next combination. */
static void move(cap_optimise_box *b, int start, double *s)
{
  const double root = lattice_root(b->n);
  double step = 1.0;
  int turn = start;
  for (int k = 0; k < b->n && start > 0; k++) {
    const double at = s[k] + start * (step /= root);
    s[k] = at - floor(at);
  }
  for (int f = 0; f < b->study->nfactor && turn > 0; f++) {
    const cap_study_factor *factor = b->study->factors + f;
    if (factor->law != CAP_STUDY_LISTED || factor->nvalue < 2 || (factor->nlevel == 0 && !factor->whole))
      continue;
    b->others[f] = another(factor, b->others[f], turn % factor->nvalue);
    turn /= factor->nvalue;
  }
}

cap_status cap_optimise_box_init(cap_optimise_box *b, const cap_study *study, const cap_study_table *table,
                                 int start, double *s, cap_error *error)
{
  *b = (cap_optimise_box){.study = study, .worst = NAN, .best = INFINITY};
  if (study->nfactor > 64 || study->nbound > 64 || study->objective < 0)
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "expected a response, and at most 64 factors");
  choose_factors(b);
  find_scales(b, table);
  const int64_t best = best_case(b, table);
  for (int f = 0; f < study->nfactor; f++)
    b->others[f] = best >= 0 ? table->factors[best * study->nfactor + f] : study->factors[f].nominal;
  for (int k = 0; k < b->n; k++) s[k] = cap_optimise_box_unit(b, k, b->others[b->factors[k]]);
  for (int k = 0; k < b->n; k++) b->start[k] = start == 0 ? s[k] : NAN;
  move(b, start, s);
  return CAP_OK;
}

cap_status cap_optimise_box_values(const cap_optimise_box *b, const double *s, double *values,
                                   cap_error *error)
{
  memcpy(values, b->others, sizeof *values * (size_t)b->study->nfactor);
  for (int k = 0; k < b->n; k++) {
    const double low = b->low[k], high = b->high[k];
    const double x = b->logarithmic[k] ? low * exp(s[k] * log(high / low)) : low + s[k] * (high - low);
    const double known = b->others[b->factors[k]];
    if (s[k] == b->start[k] && known >= low && known <= high) continue; /* it is there already */
    values[b->factors[k]] = s[k] >= 1.0 ? high
                                        : fmin(fmax(x, low), high); /* rounding never leaves the range */
  }
  return cap_study_fill(b->study, values, error);
}
