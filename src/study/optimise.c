/* study/optimise.c — see optimise.h. Results are written by optimise_put.c. */
#include "study/optimise.h"

#include "study/optimise_box.h"

#include <nlopt.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const cap_optimise_methods[] = {"bobyqa", "cobyla", "sbplx", "direct-l", NULL};
static const nlopt_algorithm algorithms[] = {NLOPT_LN_BOBYQA, NLOPT_LN_COBYLA, NLOPT_LN_SBPLX,
                                             NLOPT_GN_DIRECT_L};
enum { BOBYQA, COBYLA, SBPLX, DIRECT };

static const double first_step = 0.15; /* of the range */

void cap_optimise_trace_free(cap_optimise_trace *t)
{
  if (!t) return;
  free(t->values), free(t->responses), free(t->failed), free(t->violation), free(t->s), free(t->goal);
  *t = (cap_optimise_trace){0};
}

typedef struct work {
  const cap_optimise_problem *problem;
  cap_optimise_box box;
  cap_optimise_trace *trace;
  int method, limit;
  double worst;      /* known objective, in the sense in which small is good, over the scale */
  double best;       /* and the smallest */
  bool out_of_turns; /* the evaluations are spent */
  nlopt_opt search;
  cap_status status;
  cap_error *error;
} work;

/* Room for one more evaluation. */
static bool grow(work *w)
{
  cap_optimise_trace *t = w->trace;
  const cap_study *study = w->problem->study;
  if (t->n < t->room) return true;
  const int room = 2 * t->room + 64;
#define GROW(member, width)                                                                                  \
  do {                                                                                                       \
    void *grown = realloc(t->member,                                                                         \
                          sizeof *t->member * (size_t)room * (size_t)((width) > 0 ? (width) : 1));           \
    if (!grown) return false;                                                                                \
    t->member = grown;                                                                                       \
  } while (0)
  GROW(values, study->nfactor);
  GROW(responses, study->nresponse);
  GROW(failed, 1);
  GROW(violation, 1);
  GROW(s, w->box.n);
  GROW(goal, 1);
#undef GROW
  t->room = room;
  return true;
}

/* What a method sees of evaluation k: the objective, or a wall where there is none. */
static double seen(work *w, int k)
{
  cap_optimise_trace *t = w->trace;
  const cap_study *study = w->problem->study;
  const double wall = isfinite(w->worst) ? w->worst + 0.1 * fmax(w->worst - w->best, 1.0) : 1e20;
  if (t->failed[k]) return wall;
  const double y = t->responses[(int64_t)k * study->nresponse + study->objective];
  if (!(w->box.scale > 0.0)) w->box.scale = fabs(y) > 0.0 ? fabs(y) : 1.0;
  const double goal = cap_optimise_box_goal(&w->box, y);
  w->worst = isfinite(w->worst) ? fmax(w->worst, goal) : goal;
  w->best = fmin(w->best, goal);
  if (w->method == DIRECT && t->violation[k] > 0.0) return fmax(wall, goal) + t->violation[k];
  return goal;
}

/* Evaluation of s: the same one when it has been asked for before; -1 when there is none any more. */
static int evaluate(work *w, const double *s)
{
  cap_optimise_trace *t = w->trace;
  const cap_study *study = w->problem->study;
  const int d = w->box.n;
  double inside[64];
  for (int k = 0; k < d; k++) inside[k] = fmin(fmax(s[k], 0.0), 1.0);
  for (int k = t->n - 1; k >= 0; k--)
    if (memcmp(t->s + (int64_t)k * d, inside, sizeof *inside * (size_t)d) == 0) return k;
  w->out_of_turns = w->out_of_turns || t->n >= w->limit;
  if (w->status == CAP_OK && !w->out_of_turns && !grow(w))
    w->status = cap_status_fail(w->error, CAP_ERR_NOMEM, "out of memory for %d evaluations", t->n + 1);
  if (w->status != CAP_OK || w->out_of_turns) {
    nlopt_force_stop(w->search);
    return -1;
  }
  const int k = t->n;
  double *values = t->values + (int64_t)k * study->nfactor;
  double *responses = t->responses + (int64_t)k * study->nresponse;
  memcpy(t->s + (int64_t)k * d, inside, sizeof *inside * (size_t)d);
  t->failed[k] = false;
  w->status = cap_optimise_box_values(&w->box, inside, values, w->error);
  if (w->status == CAP_ERR_INPUT) { /* a formula without a value here is no reason to stop */
    w->status = CAP_OK;
    t->failed[k] = true;
    for (int f = 0; f < study->nfactor; f++)
      if (study->factors[f].law == CAP_STUDY_FORMULA) values[f] = NAN;
  } else if (w->status == CAP_OK)
    w->status = w->problem->evaluate(w->problem->self, t->start, k + 1, values, responses, &t->failed[k],
                                     w->error);
  if (w->status != CAP_OK) {
    nlopt_force_stop(w->search);
    return -1;
  }
  if (!t->failed[k]) t->failed[k] = !cap_optimise_box_known(&w->box, responses);
  for (int r = 0; r < study->nresponse && t->failed[k]; r++) responses[r] = NAN;
  t->violation[k] = t->failed[k] ? INFINITY : cap_optimise_box_violation(&w->box, responses);
  t->nfailed += t->failed[k];
  t->n++;
  t->goal[k] = seen(w, k);
  if (k == 0 && t->failed[0] && w->method != DIRECT) nlopt_force_stop(w->search);
  return k;
}

static double objective(unsigned n, const double *s, double *gradient, void *self)
{
  (void)n, (void)gradient;
  work *w = self;
  const int k = evaluate(w, s);
  return k >= 0 ? w->trace->goal[k] : isfinite(w->worst) ? w->worst : 1e20;
}

static void constraints(unsigned m, double *to, unsigned n, const double *s, double *gradient, void *self)
{
  (void)n, (void)gradient;
  work *w = self;
  const int k = evaluate(w, s);
  if (k < 0 || w->trace->failed[k])
    for (unsigned c = 0; c < m; c++) to[c] = 1.0;
  else
    cap_optimise_box_constraints(&w->box, w->trace->responses + (int64_t)k * w->problem->study->nresponse,
                                 to);
}

static void say(work *w, nlopt_result result)
{
  const cap_optimise_trace *t = w->trace;
  const char *why = "";
  if (t->n > 0 && t->failed[0] && t->n == 1 && w->method != DIRECT && !w->out_of_turns)
    why = "its first evaluation failed";
  else if (w->out_of_turns || result == NLOPT_MAXEVAL_REACHED) why = "the evaluations are spent";
  else if (result == NLOPT_XTOL_REACHED) why = "steps are below the tolerance";
  else if (result == NLOPT_FTOL_REACHED) why = "the objective changes by less than the tolerance";
  else if (result == NLOPT_SUCCESS) why = "its models show nothing better";
  else if (result == NLOPT_ROUNDOFF_LIMITED) why = "rounding allows no better";
  else why = nlopt_result_to_string(result);
  snprintf(w->trace->outcome, sizeof w->trace->outcome, "%s", why ? why : "");
}

static void settle(nlopt_opt search, const cap_study *study, int method)
{
  const double tolerance = study->optimise_tolerance > 0.0 ? study->optimise_tolerance : 1e-4;
  nlopt_set_lower_bounds1(search, 0.0);
  nlopt_set_upper_bounds1(search, 1.0);
  nlopt_set_xtol_abs1(search, tolerance);
  /* a change of the objective by the square: near an optimum that is a step of the tolerance */
  nlopt_set_ftol_abs(search, 0.1 * tolerance * tolerance);
  if (method != DIRECT) nlopt_set_initial_step1(search, first_step);
}

static cap_status search(work *w, double *s)
{
  const cap_study *study = w->problem->study;
  const unsigned d = (unsigned)w->box.n, m = (unsigned)w->box.nconstraint;
  const bool around = m > 0 && (w->method == BOBYQA || w->method == SBPLX);
  double f, tolerance[128];
  for (unsigned c = 0; c < m; c++) tolerance[c] = 0.1 * CAP_OPTIMISE_BOX_FEASIBLE;
  nlopt_opt inner = nlopt_create(algorithms[w->method], d);
  nlopt_opt outer = around ? nlopt_create(NLOPT_AUGLAG, d) : inner;
  if (!inner || !outer) {
    nlopt_destroy(inner);
    if (around) nlopt_destroy(outer);
    return cap_status_fail(w->error, CAP_ERR_NOMEM, "out of memory for the optimiser");
  }
  w->search = outer;
  settle(inner, study, w->method);
  if (around) {
    settle(outer, study, w->method);
    nlopt_set_local_optimizer(outer, inner);
  }
  nlopt_set_min_objective(outer, objective, w);
  if (m > 0 && w->method != DIRECT) nlopt_add_inequality_mconstraint(outer, m, constraints, w, tolerance);
  if (w->method == DIRECT) nlopt_set_maxeval(outer, 20 * w->limit); /* it comes back to no point */
  say(w, nlopt_optimize(outer, s, &f));
  nlopt_destroy(outer);
  if (around) nlopt_destroy(inner);
  return w->status;
}

cap_status cap_optimise_start(const cap_optimise_problem *problem, int start, cap_optimise_trace *trace,
                              cap_error *error)
{
  work w = {.problem = problem,
            .trace = trace,
            .limit = problem->study->evaluations,
            .worst = NAN,
            .best = INFINITY,
            .error = error};
  double s[64] = {0};
  *trace = (cap_optimise_trace){.start = start};
  CAP_TRY(cap_optimise_box_init(&w.box, problem->study, problem->table, start, s, error));
  w.worst = w.box.worst;
  if (isfinite(w.box.best)) w.best = w.box.best;
  while (cap_optimise_methods[w.method] &&
         strcmp(cap_optimise_methods[w.method], problem->study->method) != 0)
    w.method++;
  if (!cap_optimise_methods[w.method])
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "unknown method \"%s\" for an optimum; expected one of the choices of method",
                           problem->study->method);
  if (w.method == BOBYQA && w.box.n < 2) w.method = COBYLA; /* its models need two factors */
  if (w.box.n == 0) {
    evaluate(&w, s);
    snprintf(trace->outcome, sizeof trace->outcome, "there is no factor to vary");
    return w.status;
  }
  return search(&w, s);
}

/* ---- the best of all ----------------------------------------------------------------------------------- */

static void append(cap_optimise_best *best, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void append(cap_optimise_best *best, const char *format, ...)
{
  const size_t at = strlen(best->words);
  va_list list;
  va_start(list, format);
  vsnprintf(best->words + at, sizeof best->words - at, format, list);
  va_end(list);
}

static void append_value(cap_optimise_best *best, const cap_study_factor *f, double value)
{
  if (f->nlevel > 0 && value >= 1.0 && value <= f->nlevel) append(best, "%s", f->labels[(int)value - 1]);
  else append(best, "%.6g%s%s", value, f->unit[0] ? " " : "", f->unit);
}

/* Factors at the ends of their ranges, and bounds that are reached. */
static void append_active(cap_optimise_best *best, const cap_optimise_problem *problem, const double *values,
                          const double *responses)
{
  cap_optimise_box box;
  double s[64];
  const char *between = "; at their limits: ";
  if (cap_optimise_box_init(&box, problem->study, problem->table, 0, s, NULL) != CAP_OK) return;
  for (int k = 0; k < box.n; k++) {
    const double at = cap_optimise_box_unit(&box, k, values[box.factors[k]]);
    if (at > 1e-6 && at < 1.0 - 1e-6) continue;
    append(best, "%s%s (%s)", between, problem->study->factors[box.factors[k]].name,
           at < 0.5 ? "low" : "high");
    between = ", ";
  }
  double to[128];
  cap_optimise_box_constraints(&box, responses, to);
  for (int c = 0, at = 0; c < problem->study->nbound; c++) {
    const cap_study_bound *b = problem->study->bounds + c;
    for (int end = 0; end < 2; end++) {
      if (!isfinite(end ? b->high : b->low) || fabs(to[at++]) > 1e-3) continue;
      append(best, "%s%s (%s)", between, problem->study->responses[b->response].name,
             end ? "below" : "above");
      between = ", ";
    }
  }
}

static void describe(const cap_optimise_problem *problem, const cap_optimise_trace *traces,
                     const char *const *units, cap_optimise_best *best)
{
  const cap_study *study = problem->study;
  const cap_study_response *r = study->responses + study->objective;
  if (best->trace < 0 && best->failed == best->evaluations)
    append(best, "none of %d evaluations has a value", best->evaluations);
  else if (best->trace < 0) append(best, "none of %d evaluations keeps all bounds", best->evaluations);
  else {
    const cap_optimise_trace *t = traces + best->trace;
    const double *values = t->values + (int64_t)best->at * study->nfactor;
    const char *unit = units && units[study->objective] ? units[study->objective] : r->unit ? r->unit : "";
    append(best, "%s = %.6g%s%s (%s) at ", r->name, best->objective, unit[0] ? " " : "", unit,
           r->goal == CAP_STUDY_MAXIMISE ? "largest" : "least");
    for (int f = 0; f < study->nfactor; f++) {
      append(best, "%s%s = ", f > 0 ? ", " : "", study->factors[f].name);
      append_value(best, study->factors + f, values[f]);
    }
    append(best, "; %d evaluations", best->evaluations);
  }
  if (best->failed > 0) append(best, ", %d failed", best->failed);
  if (best->trace < 0) return;
  append(best, "; %s", traces[best->trace].outcome);
  append_active(best, problem, traces[best->trace].values + (int64_t)best->at * study->nfactor,
                traces[best->trace].responses + (int64_t)best->at * study->nresponse);
}

void cap_optimise_find(const cap_optimise_problem *problem, int ntrace, const cap_optimise_trace *traces,
                       const char *const *units, cap_optimise_best *best)
{
  const cap_study *study = problem->study;
  const double sign = study->responses[study->objective].goal == CAP_STUDY_MAXIMISE ? -1.0 : 1.0;
  *best = (cap_optimise_best){.trace = -1, .at = -1, .objective = NAN};
  for (int t = 0; t < ntrace; t++) {
    best->evaluations += traces[t].n;
    best->failed += traces[t].nfailed;
    for (int k = 0; k < traces[t].n; k++) {
      const double y = traces[t].responses[(int64_t)k * study->nresponse + study->objective];
      if (traces[t].violation[k] > 0.0 || (best->trace >= 0 && !(sign * y < sign * best->objective)))
        continue;
      best->trace = t;
      best->at = k;
      best->objective = y;
    }
  }
  describe(problem, traces, units, best);
}
