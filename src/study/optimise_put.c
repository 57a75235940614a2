/* study/optimise_put.c — the group `optimise`, see optimise.h. */
#include "study/optimise.h"
#include "study/optimise_box.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct job {
  const cap_optimise_problem *problem;
  const cap_study *study;
  int ntrace;
  const cap_optimise_trace *traces;
  const char *const *units;
  cap_sink *sink;
  cap_arena arena;
  cap_error *error;
} job;

static cap_status no_memory(job *j)
{
  return cap_status_fail(j->error, CAP_ERR_NOMEM, "out of memory for the optimum of a study");
}

static const char *unit_of(const job *j, int response)
{
  const char *unit = j->units ? j->units[response] : j->study->responses[response].unit;
  return unit && unit[0] ? unit : "1";
}

static cap_status put_columns(job *j, int *ncolumn)
{
  const cap_study *s = j->study;
  cap_column *c = CAP_ARENA_NEW(&j->arena, cap_column, s->nfactor + s->nresponse + 6);
  int n = 0;
  if (!c) return no_memory(j);
  c[n++] = (cap_column){"evaluation", "1", "number of the evaluation within its start"};
  c[n++] = (cap_column){"start", "1", "number of the start"};
  for (int f = 0; f < s->nfactor; f++)
    c[n++] = (cap_column){cap_arena_format(&j->arena, "factor.%s", s->factors[f].name),
                          s->factors[f].unit[0] ? s->factors[f].unit : "1", s->factors[f].doc};
  for (int r = 0; r < s->nresponse; r++)
    c[n++] = (cap_column){cap_arena_format(&j->arena, "response.%s", s->responses[r].name), unit_of(j, r),
                          s->responses[r].doc};
  c[n++] = (cap_column){"objective", unit_of(j, s->objective), "objective"};
  c[n++] = (cap_column){"feasible", "1", "1: all bounds are satisfied; 0: not, or failed"};
  c[n++] = (cap_column){"best", "1", "1: better than all evaluations before"};
  c[n++] = (cap_column){"status", "1", "0: computed, 1: failed"};
  for (int k = 0; k < n; k++)
    if (!c[k].name) return no_memory(j);
  *ncolumn = n;
  return j->sink->columns(j->sink, n, c);
}

/* Rows of all starts, in their order. *row is that of the best, from 1. */
static cap_status put_rows(job *j, int ncolumn, double *row)
{
  const cap_study *s = j->study;
  const double sign = s->responses[s->objective].goal == CAP_STUDY_MAXIMISE ? -1.0 : 1.0;
  double *one = CAP_ARENA_NEW(&j->arena, double, ncolumn), best = INFINITY;
  int64_t count = 0;
  if (!one) return no_memory(j);
  *row = NAN;
  for (int t = 0; t < j->ntrace; t++)
    for (int k = 0; k < j->traces[t].n; k++) {
      const cap_optimise_trace *trace = j->traces + t;
      const double *values = trace->values + (int64_t)k * s->nfactor;
      const double *responses = trace->responses + (int64_t)k * s->nresponse;
      const double y = responses[s->objective];
      const bool feasible = !(trace->violation[k] > 0.0), better = feasible && sign * y < best;
      int n = 0;
      count++;
      one[n++] = k + 1;
      one[n++] = trace->start + 1;
      for (int f = 0; f < s->nfactor; f++) one[n++] = values[f];
      for (int r = 0; r < s->nresponse; r++) one[n++] = responses[r];
      one[n++] = y;
      one[n++] = feasible;
      one[n++] = better;
      one[n++] = trace->failed[k] ? CAP_STUDY_FAILED : CAP_STUDY_FINE;
      if (better) best = sign * y, *row = (double)count;
      CAP_TRY(j->sink->rows(j->sink, 1, one));
    }
  return CAP_OK;
}

static cap_status put_ends(job *j)
{
  const cap_study *s = j->study;
  cap_optimise_box box;
  double start[64], ends[2][64], limits[2][64];
  CAP_TRY(cap_optimise_box_init(&box, s, j->problem->table, 0, start, j->error));
  for (int f = 0; f < 64; f++) ends[0][f] = ends[1][f] = limits[0][f] = limits[1][f] = NAN;
  for (int k = 0; k < box.n; k++) ends[0][box.factors[k]] = box.low[k], ends[1][box.factors[k]] = box.high[k];
  for (int c = 0; c < s->nbound; c++) {
    if (isfinite(s->bounds[c].low)) limits[0][s->bounds[c].response] = s->bounds[c].low;
    if (isfinite(s->bounds[c].high)) limits[1][s->bounds[c].response] = s->bounds[c].high;
  }
  static const char *const names[4] = {"bounds.low", "bounds.high", "limit.low", "limit.high"};
  static const char *const about[4] = {"lower limit of the factors, SI", "upper limit of the factors, SI",
                                       "lower limit of the responses, SI", "most"};
  const int64_t dims[2] = {s->nfactor, s->nresponse};
  for (int k = 0; k < 4; k++)
    CAP_TRY(j->sink->array(j->sink, (cap_column){names[k], "1", about[k]}, 1, dims + k / 2, NULL,
                           k < 2 ? ends[k] : limits[k - 2]));
  return CAP_OK;
}

static cap_status put_words(job *j, const cap_optimise_best *best)
{
  const cap_study_response *r = j->study->responses + j->study->objective;
  const char *goal = cap_arena_format(&j->arena, "%s %s",
                                      r->goal == CAP_STUDY_MAXIMISE ? "maximise" : "minimise", r->name);
  const char *starts = "";
  for (int t = 0; t < j->ntrace && starts; t++)
    starts = cap_arena_format(&j->arena, "%s%s%d: %d evaluations, %d failed; %s", starts, t > 0 ? "\n" : "",
                              j->traces[t].start + 1, j->traces[t].n, j->traces[t].nfailed,
                              j->traces[t].outcome);
  if (!goal || !starts) return no_memory(j);
  CAP_TRY(j->sink->text(j->sink, "method", j->study->method));
  CAP_TRY(j->sink->text(j->sink, "goal", goal));
  CAP_TRY(j->sink->text(j->sink, "starts", starts));
  return j->sink->text(j->sink, "outcome", best->words);
}

static cap_status put_all(job *j)
{
  int ncolumn = 0;
  double row = NAN;
  cap_optimise_best best;
  cap_optimise_find(j->problem, j->ntrace, j->traces, j->units, &best);
  CAP_TRY(j->sink->open(j->sink, "optimise", "optimise", "optimum: values of the factors and responses"));
  CAP_TRY(put_columns(j, &ncolumn));
  CAP_TRY(put_rows(j, ncolumn, &row));
  CAP_TRY(put_ends(j));
  const cap_column numbers[4] = {{"best_row", "1", "row of the best evaluation, from 1"},
                                 {"value", unit_of(j, j->study->objective), "best value"},
                                 {"evaluations", "1", "number of evaluations of all starts"},
                                 {"failed", "1", "number of failed evaluations"}};
  const double values[4] = {row, best.objective, best.evaluations, best.failed};
  for (int k = 0; k < 4; k++) CAP_TRY(j->sink->number(j->sink, numbers[k], values[k]));
  CAP_TRY(put_words(j, &best));
  return j->sink->close(j->sink);
}

cap_status cap_optimise_put(const cap_optimise_problem *problem, int ntrace, const cap_optimise_trace *traces,
                            const char *const *units, cap_sink *sink, cap_error *error)
{
  job j = {.problem = problem,
           .study = problem->study,
           .ntrace = ntrace,
           .traces = traces,
           .units = units,
           .sink = sink,
           .error = error};
  cap_status status = put_all(&j);
  if (status != CAP_OK && error && error->status == CAP_OK && sink->error && sink->error != error)
    *error = *sink->error;
  cap_arena_free(&j.arena);
  return status;
}
