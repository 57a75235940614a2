/* drives/pushbelt/observe/variator_points.c — see variator_points.h. */
#include "drives/pushbelt/observe/variator_points.h"
#include "drives/pushbelt/continuum/variator_continuum_beside.h"
#include "drives/pushbelt/observe/variator_coarse.h"
#include "drives/pushbelt/observe/variator_output.h"
#include "drives/pushbelt/observe/variator_watch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Least and largest of what is known. */
static void range_of(int n, int stride, const double *values, double range[2])
{
  range[0] = INFINITY, range[1] = -INFINITY;
  for (int k = 0; k < n; k++) {
    double v = values[(size_t)k * (size_t)stride];
    if (isfinite(v)) range[0] = fmin(range[0], v), range[1] = fmax(range[1], v);
  }
}

static void tell_beside(const cap_observer_points *p, const double *values, const char *why)
{
  enum { N = CAP_VARIATOR_CONTINUUM_BESIDE, OFF = CAP_VARIATOR_CONTINUUM_BESIDE_DISTANCE };
  double thrust[2], ratio[2];
  int known = 0;
  for (int k = 0; k < p->n; k++) known += isfinite(values[(size_t)k * N]);
  range_of(p->n, N, values + OFF + CAP_VARIATOR_CONTINUUM_BESIDE_THRUST, thrust);
  range_of(p->n, N, values + OFF + CAP_VARIATOR_CONTINUUM_BESIDE_RATIO, ratio);
  if (!known)
    cap_progress_note(p->run->progress, "%s: no comparison with the continuum model: %s", p->what, why);
  else
    cap_progress_note(p->run->progress,
                      "%s: minus the continuum model: i_F %+.4f to %+.4f, i_s %+.4f to %+.4f%s%s", p->what,
                      thrust[0], thrust[1], ratio[0], ratio[1], *why ? "; not at all points: " : "", why);
}

/* What the continuum says of each point, and how far it is from that. Many points are told by one line. */
static cap_status put_beside(const cap_observer_points *p, const cap_variator_figures *f)
{
  enum { N = CAP_VARIATOR_CONTINUUM_BESIDE };
  char why[1024] = "";
  double *values = calloc((size_t)p->n, N * sizeof *values);
  cap_status status = values ? CAP_OK : cap_status_fail(p->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < p->n && status == CAP_OK; k++) {
    cap_error error = {0};
    double *row = values + (size_t)k * N;
    for (int i = 0; i < N; i++) row[i] = NAN;
    if (isnan(f[k].value[CAP_VARIATOR_FIGURE_POWER_SCALE])) continue; /* nothing was seen */
    status = cap_variator_watch_beside(cap_variator_of(p->runs[k].model), &f[k], row, &error);
    if (isnan(row[0])) snprintf(why, sizeof why, "%s", error.text);
  }
  for (int i = 0; i < N && status == CAP_OK; i++) {
    for (int k = 0; k < p->n; k++) p->values[k] = values[(size_t)k * N + i];
    status = p->put(p, cap_variator_continuum_beside_column(i));
  }
  if (status == CAP_OK && *why) status = p->run->sink->text(p->run->sink, "continuum", why);
  if (status == CAP_OK && p->n > 1) tell_beside(p, values, why);
  free(values);
  return status;
}

static void tell_balance(const cap_observer_points *p, int k, const cap_variator_figures *f)
{
  char what[320];
  if (isnan(f->value[CAP_VARIATOR_FIGURE_CREDIBLE])) return;
  snprintf(what, sizeof what, "%s: %s", p->what, p->names[k]);
  cap_variator_output_tell_balance(p->run->progress, what, f, false);
}

/* With its standard errors, where some point has one. */
static cap_status put_figure(const cap_observer_points *p, const cap_variator_figures *f, int i)
{
  const cap_column *c = &cap_variator_figures_columns[i];
  char name[128], text[256];
  bool any = false;
  snprintf(name, sizeof name, "figure.%s", c->name);
  for (int k = 0; k < p->n; k++) p->values[k] = f[k].value[i];
  CAP_TRY(p->put(p, (cap_column){name, c->unit, c->long_name}));
  for (int k = 0; k < p->n; k++) any = isfinite(p->values[k] = f[k].error[i]) || any;
  if (!any) return CAP_OK;
  snprintf(name, sizeof name, "figure.%s.error", c->name);
  snprintf(text, sizeof text, "standard error: %s", c->long_name);
  return p->put(p, (cap_column){name, c->unit, text});
}

/* Means over time are among the channels. */
cap_status cap_variator_points_put(const cap_observer_points *p)
{
  if (!cap_variator_of(p->run->model)) return CAP_OK;
  cap_variator_figures *f = calloc((size_t)p->n, sizeof *f);
  cap_status status = f ? CAP_OK : cap_status_fail(p->run->error, CAP_ERR_NOMEM, "out of memory");
  for (int k = 0; k < p->n && status == CAP_OK; k++) {
    cap_variator_watch *watch = p->self[k];
    bool none = !watch || !watch->variator;
    if (!none) status = cap_variator_watch_figures(watch, &p->runs[k], &f[k]);
    for (int i = 0; none && i < CAP_VARIATOR_NFIGURE; i++) f[k].value[i] = f[k].error[i] = NAN;
    if (status == CAP_OK && p->n > 1) tell_balance(p, k, &f[k]);
  }
  for (int i = 0; i < CAP_VARIATOR_NFIGURE && status == CAP_OK; i++) status = put_figure(p, f, i);
  if (status == CAP_OK) status = cap_variator_coarse_put(cap_variator_of(p->run->model), p->run->sink);
  if (status == CAP_OK && p->n > 1)
    cap_variator_coarse_tell(cap_variator_of(p->run->model), p->what, p->run->progress);
  if (status == CAP_OK) status = put_beside(p, f);
  free(f);
  return status;
}
