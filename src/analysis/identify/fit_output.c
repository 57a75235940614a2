/* analysis/identify/fit_output.c — what a fit found: into the results, and in words. See fit.h. */
#include "analysis/identify/fit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *unit_of(const cap_unknown *u)
{
  return u->target->unit && u->target->unit[0] ? u->target->unit : "1";
}

static bool noise_given(const cap_fit_data *data)
{
  for (int c = 0; c < data->ncurve; c++)
    if (data->estimated[c]) return false;
  return true;
}

/* Five digits and the unit. */
static void put_down(char *text, size_t size, double value, const char *unit)
{
  snprintf(text, size, "%.5g%s%s", value, unit && unit[0] ? " " : "", unit ? unit : "");
}

/* ---- in words ------------------------------------------------------------------------------------------ */

static void tell_parameter(const cap_run *run, const cap_unknown *u, const cap_fit_result *r, int k)
{
  char value[64], low[64], high[64], width[64];
  put_down(value, sizeof value, r->value[k], u->target->unit);
  put_down(low, sizeof low, r->low[k], NULL);
  put_down(high, sizeof high, r->high[k], u->target->unit);
  double half = r->directions.quantile * r->directions.error[k];
  if (half < 1.0) snprintf(width, sizeof width, "+- %.2g %% or more", 100.0 * half);
  else snprintf(width, sizeof width, "undetermined");
  if (r->bound[k])
    cap_progress_note(run->progress, "fit: %-28s %s, limited by its bound: the best fit lies beyond", u->path,
                      value);
  else if (r->directions.known[k])
    cap_progress_note(run->progress, "fit: %-28s %s, 95 %% interval %s to %s (+- %.2g %%)", u->path, value,
                      low, high, 100.0 * half);
  else
    cap_progress_note(run->progress, "fit: %-28s not identified by these data, %s (last value %s)", u->path,
                      width, value);
}

static void tell_reach(double reach, char *text, size_t size)
{
  if (reach < 100.0) snprintf(text, size, "only within +- %.3g %%", 100.0 * reach);
  else snprintf(text, size, "not at all");
}

static void tell_directions(const cap_run *run, const cap_fit_result *r)
{
  const cap_fit_directions *d = &r->directions;
  for (int k = 0; k < d->nopen; k++) {
    char what[512], reach[64];
    cap_fit_directions_tell(d, k, r->names, what, sizeof what);
    tell_reach(d->reach[k], reach, sizeof reach);
    cap_progress_note(run->progress, "fit: not determined by the data: %s; this combination is determined %s",
                      what, reach);
  }
}

static void tell_doubts(const cap_run *run, const cap_fit_data *data, const cap_fit_result *r)
{
  double excess = r->chi2 / r->freedom;
  if (!r->converged)
    cap_progress_note(run->progress, "fit: not converged after %d iterations; increase `iterations`",
                      r->iterations);
  if (noise_given(data) && excess > 1.0 + 3.0 * sqrt(2.0 / r->freedom))
    cap_progress_note(run->progress,
                      "fit: the residuals are %.3g times the given noise: the model or the noise is "
                      "incomplete, and the intervals are too narrow",
                      sqrt(excess));
  if (r->durbin_watson < 1.5)
    cap_progress_note(run->progress,
                      "fit: the residuals are not white (Durbin-Watson %.2f): the model is incomplete, and "
                      "the intervals are too narrow",
                      r->durbin_watson);
}

static void tell(const cap_run *run, const cap_fit_spec *s, const cap_fit_data *data, const cap_fit_result *r)
{
  const cap_unknown *u = s->parameters.items;
  for (int k = 0; k < r->n; k++) tell_parameter(run, &u[k], r, k);
  for (int c = 0; c < data->ncurve; c++) {
    char rms[64];
    put_down(rms, sizeof rms, r->rms[c], data->unit[c]);
    cap_progress_note(run->progress, "fit: %s: rms residual %s over %d points", data->channel[c], rms,
                      data->nrow);
  }
  tell_directions(run, r);
  tell_doubts(run, data, r);
}

/* ---- numbers ------------------------------------------------------------------------------------------- */

static cap_status put_parameters(cap_sink *sink, const cap_fit_spec *s, const cap_fit_result *r)
{
  const cap_unknown *unknowns = s->parameters.items;
  for (int k = 0; k < r->n; k++) {
    const cap_unknown *u = &unknowns[k];
    const struct {
      const char *part, *meaning;
      double value;
    } numbers[] = {{"", u->target->doc ? u->target->doc : u->path, r->value[k]},
                   {".start", "start value", u->start},
                   {".error", "standard error", r->error[k]},
                   {".low", "lower limit of the 95 % confidence interval", r->low[k]},
                   {".high", "upper limit of the 95 % confidence interval", r->high[k]}};
    char name[256];
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
      snprintf(name, sizeof name, "%s%s", u->path, numbers[i].part);
      if (!isnan(numbers[i].value))
        CAP_TRY(sink->number(sink, (cap_column){name, unit_of(u), numbers[i].meaning}, numbers[i].value));
    }
    snprintf(name, sizeof name, "%s.state", u->path);
    CAP_TRY(sink->text(sink, name,
                       r->bound[k]              ? "limited by its bound"
                       : r->directions.known[k] ? "identified"
                                                : "not identified"));
  }
  return CAP_OK;
}

static cap_status put_directions(cap_sink *sink, const cap_fit_result *r)
{
  const cap_fit_directions *d = &r->directions;
  const int64_t one[1] = {d->n}, two[2] = {d->n, d->n}, open[2] = {d->nopen, d->n};
  CAP_TRY(sink->array(
      sink,
      (cap_column){
          "singular", "1",
          "sensitivity of the curves to relative changes along each direction, in standard deviations"},
      1, one, NULL, d->singular));
  CAP_TRY(sink->array(sink, (cap_column){"direction", "1", "weights of the parameters in each direction"}, 2,
                      two, NULL, d->vector));
  CAP_TRY(sink->array(sink, (cap_column){"correlation", "1", "correlation of the parameters"}, 2, two, NULL,
                      d->correlation));
  if (d->nopen)
    CAP_TRY(sink->array(
        sink, (cap_column){"open", "1", "combinations of parameters that the data do not determine"}, 2, open,
        NULL, d->combination));
  for (int k = 0; k < d->nopen; k++) {
    char name[32], what[512], reach[64], text[640];
    cap_fit_directions_tell(d, k, r->names, what, sizeof what);
    tell_reach(d->reach[k], reach, sizeof reach);
    snprintf(name, sizeof name, "open.%d", k + 1);
    snprintf(text, sizeof text, "%s: determined %s", what, reach);
    CAP_TRY(sink->text(sink, name, text));
  }
  return CAP_OK;
}

static cap_status put_scores(cap_sink *sink, const cap_fit_data *data, const cap_fit_result *r)
{
  const struct {
    const char *name, *meaning;
    double value;
  } numbers[] = {{"chi2", "sum of squared residuals relative to the noise", r->chi2},
                 {"freedom", "degrees of freedom: number of values minus number of parameters", r->freedom},
                 {"durbin_watson", "Durbin-Watson statistic of the residuals; 2 = white", r->durbin_watson},
                 {"identified", "number of parameter directions determined by the data",
                  r->directions.n - r->directions.nopen},
                 {"iterations", "iterations", r->iterations},
                 {"runs", "runs of the analysis", r->evaluations}};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    CAP_TRY(sink->number(sink, (cap_column){numbers[i].name, "1", numbers[i].meaning}, numbers[i].value));
  CAP_TRY(sink->text(sink, "noise", noise_given(data) ? "given" : "estimated from the residuals"));
  for (int c = 0; c < data->ncurve; c++) {
    char name[256];
    snprintf(name, sizeof name, "%s.rms", data->channel[c]);
    CAP_TRY(sink->number(sink, (cap_column){name, data->unit[c][0] ? data->unit[c] : "1", "residuals"},
                         r->rms[c]));
  }
  return CAP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

enum { MEASURED, FITTED, START, SIGMA, PARTS };

static cap_status put_rows(cap_sink *sink, const cap_fit_data *data, const cap_fit_result *r)
{
  static const char *const part[PARTS] = {"measured", "fitted", "start", "sigma"};
  static const char *const meaning[PARTS] = {"measured", "curve with the identified parameters",
                                             "curve with the start values",
                                             "standard deviation of the noise"};
  cap_column columns[1 + PARTS * CAP_FIT_CURVES];
  char names[PARTS * CAP_FIT_CURVES][160];
  double row[1 + PARTS * CAP_FIT_CURVES];
  columns[0] = (cap_column){data->over, data->over_unit[0] ? data->over_unit : "1", "abscissa of the data"};
  for (int c = 0; c < data->ncurve; c++)
    for (int p = 0; p < PARTS; p++) {
      char *name = names[c * PARTS + p];
      snprintf(name, sizeof names[0], "%s.%s", data->channel[c], part[p]);
      columns[1 + c * PARTS + p] = (cap_column){name, data->unit[c][0] ? data->unit[c] : "1", meaning[p]};
    }
  CAP_TRY(sink->columns(sink, 1 + PARTS * data->ncurve, columns));
  for (int i = 0; i < data->nrow; i++) {
    row[0] = data->x[i];
    for (int c = 0; c < data->ncurve; c++) {
      double *at = row + 1 + c * PARTS;
      at[MEASURED] = data->y[c][i];
      at[FITTED] = r->fitted[c * data->nrow + i];
      at[START] = r->start[c * data->nrow + i];
      at[SIGMA] = data->sigma[c][i];
    }
    CAP_TRY(sink->rows(sink, 1, row));
  }
  return CAP_OK;
}

cap_status cap_fit_output_put(cap_run *run, const cap_fit_spec *s, const cap_fit_data *data,
                              const cap_fit_result *r)
{
  CAP_TRY(put_parameters(run->sink, s, r));
  CAP_TRY(put_scores(run->sink, data, r));
  CAP_TRY(put_directions(run->sink, r));
  CAP_TRY(put_rows(run->sink, data, r));
  tell(run, s, data, r);
  return CAP_OK;
}
