/* study/reduce.c — see reduce.h. */
#include "study/reduce.h"
#include "analysis/observe/steady.h"
#include "base/expr.h"
#include "base/nearest.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one series ---------------------------------------------------------------------------------------- */

/* Steps of x that differ by less than this part of the mean step are equal:
 * times are sums of rounded steps. */
static const double EQUAL_STEPS = 1e-6;

/* Whether x rises or falls by unequal steps, so that a mean over x needs weights. A curve along which x turns
 * back has no such mean: its values count alike. */
static bool is_uneven(int64_t n, const double *x)
{
  if (n < 3) return false;
  double mean = (x[n - 1] - x[0]) / (double)(n - 1);
  bool uneven = false;
  for (int64_t k = 1; k < n; k++) {
    double step = x[k] - x[k - 1];
    if (!(step * mean > 0.0)) return false;
    uneven = uneven || fabs(step - mean) > EQUAL_STEPS * fabs(mean);
  }
  return uneven;
}

/* Mean of y or of its square. */
static double mean_of(int64_t n, const double *x, const double *y, bool square)
{
  bool uneven = is_uneven(n, x);
  double sum = 0.0, whole = uneven ? x[n - 1] - x[0] : (double)n;
  for (int64_t k = 0; k < n; k++) {
    double weight = 1.0;
    if (uneven) weight = 0.5 * (x[k + 1 < n ? k + 1 : k] - x[k ? k - 1 : 0]);
    sum += weight * (square ? y[k] * y[k] : y[k]);
  }
  return sum / whole;
}

typedef struct extent {
  double least, most, largest; /* largest magnitude */
} extent;

/* A value that is not a number makes all of them so. */
static extent extent_of(int64_t n, const double *y)
{
  extent e = {INFINITY, -INFINITY, 0.0};
  for (int64_t k = 0; k < n; k++) {
    if (isnan(y[k])) return (extent){NAN, NAN, NAN};
    e.least = fmin(e.least, y[k]);
    e.most = fmax(e.most, y[k]);
    e.largest = fmax(e.largest, fabs(y[k]));
  }
  return e;
}

static double settled(const cap_study_response *r, int64_t n, const double *x, const double *y, char *why,
                      size_t size)
{
  double largest = extent_of(n, y).largest;
  int64_t last = (int64_t)ceil(r->part * (double)n), half;
  if (last > n) last = n;
  half = last / 2;
  if (half < 1) {
    snprintf(why, size, "not settled: its last part has %lld rows", (long long)last);
    return NAN;
  }
  const double *late = y + (n - half), *early = late - half;
  const double *at = x + (n - half);
  extent a = extent_of(half, early), b = extent_of(half, late);
  double off = fabs(mean_of(half, at - half, early, false) - mean_of(half, at, late, false));
  off = fmax(off, fmax(fabs(a.least - b.least), fabs(a.most - b.most)));
  if (!(off <= r->tolerance * largest)) {
    snprintf(why, size, "not settled: the halves of its last part differ by %.3g of its largest magnitude",
             largest > 0.0 ? off / largest : NAN);
    return NAN;
  }
  return mean_of(last, x + (n - last), y + (n - last), false);
}

static double stationary(const cap_study_response *r, int64_t n, const double *x, const double *y, char *why,
                         size_t size)
{
  extent e = extent_of(n, y);
  double scale = fmax(fabs(mean_of(n - n / 2, x + n / 2, y + n / 2, false)), 0.01 * e.largest);
  cap_steady_series series = {.name = "its mean", .unit = "", .values = y, .stride = 1};
  series.asked = r->tolerance * scale;
  if (n > INT_MAX / 2 || isnan(e.largest)) return NAN;
  cap_steady_found found = cap_steady_find((int)n, 0, 0, 1, &series, 0);
  if (found.verdict == CAP_STEADY_YES) return mean_of(n - found.from, x + found.from, y + found.from, false);
  if (found.verdict == CAP_STEADY_SHORT)
    snprintf(why, size, "not stationary: too few rows, %lld", (long long)n);
  else if (found.verdict == CAP_STEADY_MOVES)
    snprintf(why, size, "not stationary: it changes by %.3g in the last %d rows", found.change,
             (int)n - found.from);
  else
    snprintf(why, size, "not stationary: the standard error of its mean is %.3g, asked for is %.3g",
             found.error, series.asked);
  return NAN;
}

double cap_reduce_series(const cap_study_response *r, int64_t n, const double *x, const double *y, char *why,
                         size_t size)
{
  extent e = extent_of(n, y);
  switch (r->reduction) {
  case CAP_STUDY_MEAN:
    return mean_of(n, x, y, false);
  case CAP_STUDY_RMS:
    return sqrt(mean_of(n, x, y, true));
  case CAP_STUDY_AMPLITUDE:
    return 0.5 * (e.most - e.least);
  case CAP_STUDY_PEAK:
    return e.largest;
  case CAP_STUDY_MAX:
    return e.most;
  case CAP_STUDY_MIN:
    return e.least;
  case CAP_STUDY_RANGE:
    return e.most - e.least;
  case CAP_STUDY_VALUE:
  case CAP_STUDY_FIRST:
    return y[0];
  case CAP_STUDY_LAST:
    return y[n - 1];
  case CAP_STUDY_SETTLED:
    return settled(r, n, x, y, why, size);
  case CAP_STUDY_STATIONARY:
    return stationary(r, n, x, y, why, size);
  case CAP_STUDY_EXPRESSION:
    break;
  }
  return NAN;
}

/* ---- channels ------------------------------------------------------------------------------------------ */

typedef struct job {
  const cap_study *study;
  const double *factors;
  const cap_reduce_source *source;
  cap_arena *arena;
  cap_reduce_outcome *out;
  const cap_study_response *response; /* the present one */
  int nknown;                         /* responses before it */
  cap_status failed;                  /* of a search by an expression */
  cap_error *error;
} job;

typedef struct channel {
  const cap_results_group *group;
  const cap_results_dataset *dataset;
} channel;

static cap_status no_memory(const job *j)
{
  return cap_status_fail(j->error, CAP_ERR_NOMEM, "out of memory for the responses");
}

static bool offered(const cap_results_dataset *d)
{
  return d->role != CAP_RESULTS_TEXT;
}

/* The dataset of that name that is no text. */
static const cap_results_dataset *dataset_of(const cap_results_group *g, const char *name)
{
  const cap_results_dataset *d = cap_results_tree_dataset(g, name);
  return d && offered(d) ? d : NULL;
}

/* In the last group that has it, or in the one that is named. "GROUP/NAME" names both. */
static bool find(const job *j, const char *group, const char *name, channel *found)
{
  const cap_results_tree *tree = j->source->tree;
  const char *slash = strrchr(name, '/');
  size_t length = slash ? (size_t)(slash - name) : 0;
  for (int k = tree->ngroup - 1; k >= 0; k--) {
    const cap_results_group *g = tree->groups[k];
    if (strcmp(g->kind, "case") == 0) continue; /* what is being made */
    if (slash ? strlen(g->name) != length || strncmp(g->name, name, length) != 0
              : group && strcmp(g->name, group) != 0)
      continue;
    const cap_results_dataset *d = dataset_of(g, slash ? slash + 1 : name);
    if (d) {
      *found = (channel){g, d};
      return true;
    }
  }
  return false;
}

static void append(char *text, size_t size, const char *format, const char *word)
{
  size_t used = strlen(text);
  snprintf(text + used, size - used, format, word);
}

/* The known names that are nearest, or the first few. */
static void suggest(const job *j, const char *group, const char *name, char *text, size_t size)
{
  enum { SHOWN = 6 };
  const cap_results_tree *tree = j->source->tree;
  cap_nearest nearest;
  int shown = 0;
  cap_nearest_start(&nearest, name);
  text[0] = 0;
  for (int k = 0; k < tree->ngroup; k++) {
    const cap_results_group *g = tree->groups[k];
    if (group && strcmp(g->name, group) != 0) continue;
    for (int i = 0; i < g->ncolumn + g->nitem; i++) {
      const cap_results_dataset *d = i < g->ncolumn ? &g->columns[i] : &g->items[i - g->ncolumn];
      if (!offered(d)) continue;
      cap_nearest_offer(&nearest, d->name);
      if (shown <= SHOWN)
        append(text, size, shown == SHOWN ? ", ...%s" : shown ? ", %s" : "%s", shown == SHOWN ? "" : d->name);
      shown++;
    }
  }
  if (nearest.best) snprintf(text, size, "did you mean %s?", nearest.best);
  else if (shown == 0) snprintf(text, size, "there is nothing in it");
  else {
    char names[300];
    snprintf(names, sizeof names, "%.290s", text);
    snprintf(text, size, "there are %s", names);
  }
}

static cap_status unknown(const job *j, const char *group, const char *name)
{
  const cap_results_tree *tree = j->source->tree;
  char near[320];
  if (group && !cap_results_tree_group(tree, group)) {
    near[0] = 0;
    for (int k = 0; k < tree->ngroup; k++)
      append(near, sizeof near, k ? ", %s" : "%s", tree->groups[k]->name);
    return cap_status_fail(j->error, CAP_ERR_INPUT,
                           "response %s: no group \"%s\" in the results; there are %s", j->response->name,
                           group, near);
  }
  suggest(j, group, name, near, sizeof near);
  return cap_status_fail(j->error, CAP_ERR_INPUT, "response %s: no channel \"%s\" in the %s%s; %s",
                         j->response->name, name, group ? "group " : "results", group ? group : "", near);
}

/* The values along a channel and what they are over. */
static cap_status series(const job *j, channel c, int64_t *n, double **x, double **y)
{
  const cap_reduce_source *s = j->source;
  const cap_results_dataset *axis = NULL;
  *n = c.dataset->role == CAP_RESULTS_NUMBER ? 1 : s->count(c.group, c.dataset);
  *x = CAP_ARENA_NEW(j->arena, double, *n + 1);
  *y = CAP_ARENA_NEW(j->arena, double, *n + 1);
  if (!*x || !*y) return no_memory(j);
  for (int64_t k = 0; k < *n; k++) (*x)[k] = (double)k;
  if (c.dataset->role == CAP_RESULTS_NUMBER) {
    **y = c.dataset->number;
    return CAP_OK;
  }
  if (c.dataset->role == CAP_RESULTS_COLUMN) axis = &c.group->columns[0];
  else if (c.dataset->rank == 1) axis = cap_results_tree_axis(c.group, c.dataset, 0);
  if (axis) CAP_TRY(s->values(s->self, c.group, axis, *x, j->error));
  return s->values(s->self, c.group, c.dataset, *y, j->error);
}

/* Those with x between from and to, up to the rounding of x, in place. */
static int64_t cut(const cap_study_response *r, int64_t n, double *x, double *y)
{
  int64_t kept = 0;
  double span = 0.0;
  if (r->from == -INFINITY && r->to == INFINITY) return n;
  for (int64_t k = 0; k < n; k++) span = fmax(span, fabs(x[k]));
  for (int64_t k = 0; k < n; k++) {
    if (!(x[k] >= r->from - 1e-9 * span && x[k] <= r->to + 1e-9 * span)) continue;
    x[kept] = x[k];
    y[kept++] = y[k];
  }
  return kept;
}

/* The mean at its point, where the analysis `stationary` has found it. */
static bool find_mean(const job *j, channel *c)
{
  char name[256];
  if (j->response->reduction != CAP_STUDY_STATIONARY || strcmp(c->group->kind, "stationary") != 0)
    return false;
  snprintf(name, sizeof name, "mean.%s", c->dataset->name);
  const cap_results_dataset *d = dataset_of(c->group, name);
  if (!d || cap_results_tree_count(d) != 1) return false;
  c->dataset = d;
  return true;
}

static void tell(job *j, const char *why)
{
  if (!j->out->note[0])
    snprintf(j->out->note, sizeof j->out->note, "response %s: %s", j->response->name, why);
}

/* Of the analysis `stationary`: 0 where its point is stationary. */
static bool is_point(const job *j, const cap_results_group *g)
{
  const cap_results_dataset *end = dataset_of(g, "point.end");
  double value = 0.0;
  if (end && cap_results_tree_count(end) == 1) (void)j->source->values(j->source->self, g, end, &value, NULL);
  return value == 0.0;
}

static cap_status reduce(job *j, double *value, const char **unit)
{
  const cap_study_response *r = j->response;
  channel c;
  int64_t n;
  double *x, *y;
  char why[200] = "";
  if (!find(j, r->group, r->channel, &c)) return unknown(j, r->group, r->channel);
  bool at_point = find_mean(j, &c);
  CAP_TRY(series(j, c, &n, &x, &y));
  *unit = c.dataset->unit;
  if (r->reduction == CAP_STUDY_VALUE && n > 1)
    return cap_status_fail(
        j->error, CAP_ERR_INPUT,
        "response %s: expected one value of %s, got %lld; give \"reduce\", which makes one of them", r->name,
        r->channel, (long long)n);
  if (at_point) {
    *value = is_point(j, c.group) ? *y : NAN;
    if (isnan(*value)) tell(j, "the analysis did not find a stationary point");
    return CAP_OK;
  }
  if (c.dataset->role != CAP_RESULTS_NUMBER) n = cut(r, n, x, y);
  if (n == 0)
    return cap_status_fail(j->error, CAP_ERR_INPUT,
                           "response %s: expected values of %s from %g to %g, got none", r->name, r->channel,
                           r->from, r->to);
  *value = cap_reduce_series(r, n, x, y, why, sizeof why);
  if (isnan(*value)) tell(j, why[0] ? why : "its channel has values that are not a number");
  return CAP_OK;
}

/* ---- expressions --------------------------------------------------------------------------------------- */

static bool find_number(const job *j, const char *name, double *value)
{
  for (int k = 0; k < j->nknown; k++)
    if (strcmp(j->study->responses[k].name, name) == 0) {
      *value = j->out->values[k];
      return true;
    }
  for (int k = 0; j->factors && k < j->study->nfactor; k++)
    if (strcmp(j->study->factors[k].name, name) == 0) {
      *value = j->factors[k];
      return true;
    }
  return false;
}

static bool scope_find(void *self, const char *name, cap_expr_value *value)
{
  job *j = self;
  channel c;
  int64_t n;
  double *x, *y;
  *value = (cap_expr_value){0};
  if (find_number(j, name, &value->number)) return true;
  if (!find(j, j->response->group, name, &c)) return false;
  cap_status status = series(j, c, &n, &x, &y);
  if (status != CAP_OK) {
    j->failed = status;
    return false;
  }
  if (c.dataset->role == CAP_RESULTS_NUMBER) value->number = *y;
  else *value = (cap_expr_value){.series = true, .n = cut(j->response, n, x, y), .x = x, .y = y};
  return true;
}

static cap_status evaluate(job *j, double *value)
{
  cap_expr_scope scope = {scope_find, j};
  cap_error own = {0};
  j->failed = CAP_OK;
  cap_status status = cap_expr_number(j->response->expression, &scope, j->arena, value, &own);
  if (j->failed != CAP_OK) return j->failed; /* its error is told already */
  if (status != CAP_OK)
    return cap_status_fail(j->error, status, "response %s: %s", j->response->name, own.text);
  if (isnan(*value)) tell(j, "its expression is not a number");
  return CAP_OK;
}

cap_status cap_reduce_responses(const cap_study *study, const double *factors,
                                const cap_reduce_source *source, cap_arena *arena,
                                cap_reduce_outcome *outcome, cap_error *error)
{
  job j = {
      .study = study, .factors = factors, .source = source, .arena = arena, .out = outcome, .error = error};
  outcome->note[0] = 0;
  for (int k = 0; k < study->nresponse; k++) {
    outcome->values[k] = NAN;
    outcome->units[k] = study->responses[k].unit ? study->responses[k].unit : "";
  }
  for (int k = 0; k < study->nresponse; k++) {
    const char *unit = "";
    j.response = &study->responses[k];
    j.nknown = k;
    if (j.response->reduction == CAP_STUDY_EXPRESSION) CAP_TRY(evaluate(&j, &outcome->values[k]));
    else CAP_TRY(reduce(&j, &outcome->values[k], &unit));
    if (!j.response->unit) outcome->units[k] = unit;
  }
  return CAP_OK;
}
