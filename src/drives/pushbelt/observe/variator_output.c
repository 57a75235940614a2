/* drives/pushbelt/observe/variator_output.c — see variator_output.h. */
#include "drives/pushbelt/observe/variator_output.h"
#include "drives/pushbelt/continuum/variator_continuum_beside.h"
#include "drives/pushbelt/observe/variator_arcs.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- numbers ------------------------------------------------------------------------------------------- */

static cap_status put_number(cap_sink *sink, const char *before, const cap_column *what, double value,
                             double error)
{
  char name[120], text[200];
  if (isnan(value)) return CAP_OK; /* not to be told */
  snprintf(name, sizeof name, "%s%s", before, what->name);
  CAP_TRY(sink->number(sink, (cap_column){name, what->unit, what->long_name}, value));
  if (!isfinite(error)) return CAP_OK;
  snprintf(name, sizeof name, "%s%s.error", before, what->name);
  snprintf(text, sizeof text, "standard error: %s", what->long_name);
  return sink->number(sink, (cap_column){name, what->unit, text}, error);
}

static cap_status put_numbers(cap_sink *sink, const cap_variator_figures *f)
{
  for (int k = 0; k < CAP_VARIATOR_SCALARS; k++)
    CAP_TRY(put_number(sink, "variator.", &cap_variator_sample_scalars[k], f->scalar[k].value,
                       f->scalar[k].error));
  for (int k = 0; k < CAP_VARIATOR_NFIGURE; k++)
    CAP_TRY(put_number(sink, "variator.", &cap_variator_figures_columns[k], f->value[k], f->error[k]));
  return CAP_OK;
}

/* The six losses that the document names, and all the others of contacts together. */
static const struct {
  cap_column column;
  int loss, section;
} named[] = {
    {{"ElPuLoPRI", "W", "power lost by longitudinal friction between element and pulley, primary"},
     CAP_VARIATOR_LOST_LONGITUDINAL,
     CAP_VARIATOR_IN_PRI},
    {{"ElPuLoSEC", "W", "power lost by longitudinal friction between element and pulley, secondary"},
     CAP_VARIATOR_LOST_LONGITUDINAL,
     CAP_VARIATOR_IN_SEC},
    {{"ElPuRaPRI", "W", "power lost by radial friction between element and pulley, primary"},
     CAP_VARIATOR_LOST_RADIAL,
     CAP_VARIATOR_IN_PRI},
    {{"ElPuRaSEC", "W", "power lost by radial friction between element and pulley, secondary"},
     CAP_VARIATOR_LOST_RADIAL,
     CAP_VARIATOR_IN_SEC},
    {{"ElRiLoPRI", "W", "power lost by friction between element and ring, primary"},
     CAP_VARIATOR_LOST_RING,
     CAP_VARIATOR_IN_PRI},
    {{"ElRiLoSEC", "W", "power lost by friction between element and ring, secondary"},
     CAP_VARIATOR_LOST_RING,
     CAP_VARIATOR_IN_SEC},
};

static cap_status put_named(cap_sink *sink, const cap_variator_figures *f)
{
  double rest = 0.0;
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) rest += f->loss[k][s].value;
  for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
    const cap_variator_mean *loss = &f->loss[named[i].loss][named[i].section];
    CAP_TRY(put_number(sink, "loss.", &named[i].column, loss->value, loss->error));
    rest -= loss->value;
  }
  return put_number(sink, "loss.", &(cap_column){"rest", "W", "power lost at contacts by other mechanisms"},
                    rest, NAN);
}

/* ---- losses by section --------------------------------------------------------------------------------- */

static cap_status put_losses(cap_sink *sink, const cap_variator_figures *f)
{
  int64_t n = CAP_VARIATOR_SECTIONS;
  double values[CAP_VARIATOR_SECTIONS], errors[CAP_VARIATOR_SECTIONS];
  char name[120], text[200];
  CAP_TRY(sink->text(sink, "sections", "PRI, US, SEC, LS"));
  for (int k = 0; k < CAP_VARIATOR_LOST; k++) {
    const cap_column *c = &cap_variator_figures_losses[k];
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
      values[s] = f->loss[k][s].value;
      errors[s] = f->loss[k][s].error;
    }
    CAP_TRY(sink->array(sink, *c, 1, &n, NULL, values));
    snprintf(name, sizeof name, "%s.error", c->name);
    snprintf(text, sizeof text, "standard error: %s", c->long_name);
    CAP_TRY(sink->array(sink, (cap_column){name, c->unit, text}, 1, &n, NULL, errors));
    if (isnan(f->average[k][0])) continue;
    snprintf(name, sizeof name, "%s.average", c->name);
    snprintf(text, sizeof text, "%s, from the averaged curves", c->long_name);
    CAP_TRY(sink->array(sink, (cap_column){name, c->unit, text}, 1, &n, NULL, f->average[k]));
  }
  return CAP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

enum { SPREADS = CAP_VARIATOR_RING_TENSION + 1 }; /* quantities whose standard deviation is written: forces */

static cap_status put_curve(cap_sink *sink, const cap_variator_curves *c, cap_column column,
                            const char *after, const char *meaning, const double *values)
{
  char name[120], text[200];
  int64_t n = c->npoint;
  snprintf(name, sizeof name, "along.%s%s", column.name, after);
  snprintf(text, sizeof text, "%s%s", column.long_name, meaning);
  return sink->array(sink, (cap_column){name, column.unit, text}, 1, &n, "along.time", values);
}

static cap_status put_marks(cap_sink *sink, const cap_variator_curves *c, double *scratch)
{
  double marks[CAP_VARIATOR_SECTIONS + 1] = {0.0};
  int64_t n = CAP_VARIATOR_SECTIONS + 1;
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    marks[s + 1] = marks[s] + c->span[s];
    for (int i = c->first[s]; i < c->first[s + 1]; i++) scratch[i] = s;
  }
  CAP_TRY(
      sink->array(sink,
                  (cap_column){"along.marks", "s",
                               "ends of the sections primary arc, upper strand, secondary arc, lower strand"},
                  1, &n, NULL, marks));
  return put_curve(
      sink, c,
      (cap_column){
          "section", "1",
          "section of the belt: 0 = primary arc, 1 = upper strand, 2 = secondary arc, 3 = lower strand"},
      "", "", scratch);
}

/* Angles from the entry of the arc on. */
static void local_angles(const cap_variator_curves *c, const cap_variator_figures *f, double *out)
{
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    double entry = f->value[CAP_VARIATOR_FIGURE_ENTRY_P + s / 2];
    for (int i = c->first[s]; i < c->first[s + 1]; i++)
      out[i] = s % 2 ? NAN : c->value[CAP_VARIATOR_ANGLE][i] - entry;
  }
}

/* What has no meaning in strands. */
static bool of_arcs(int quantity)
{
  return quantity == CAP_VARIATOR_PITCH || quantity == CAP_VARIATOR_RADIUS ||
         quantity == CAP_VARIATOR_RING_RADIUS || quantity == CAP_VARIATOR_SLIP_LONGITUDINAL ||
         quantity == CAP_VARIATOR_SLIP_RADIAL;
}

static const double *cut_strands(const cap_variator_curves *c, int quantity, double *scratch)
{
  if (!of_arcs(quantity)) return c->value[quantity];
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
    for (int i = c->first[s]; i < c->first[s + 1]; i++) scratch[i] = s % 2 ? NAN : c->value[quantity][i];
  return scratch;
}

static cap_status put_singles(cap_sink *sink, const cap_variator_curves *c,
                              const cap_variator_track *averaged)
{
  char name[40], text[80];
  for (int k = 0; k < CAP_VARIATOR_CURVE_SINGLES && k < averaged->nelement; k++) {
    snprintf(name, sizeof name, "single.%d", averaged->element[k] + 1);
    snprintf(text, sizeof text, "push force of element %d", averaged->element[k] + 1);
    CAP_TRY(put_curve(sink, c, (cap_column){name, "N", text}, "", "", c->single[k]));
  }
  return CAP_OK;
}

static cap_status put_curves(cap_sink *sink, const cap_variator_curves *c, const cap_variator_figures *f,
                             const cap_variator_track *averaged, double *scratch)
{
  int64_t n = c->npoint;
  if (!n) return CAP_OK;
  CAP_TRY(sink->array(
      sink, (cap_column){"along.time", "s", "virtual time of an element on its way around the belt"}, 1, &n,
      NULL, c->time));
  CAP_TRY(put_curve(sink, c, (cap_column){"position", "m", "position along the belt"}, "", "", c->position));
  CAP_TRY(put_marks(sink, c, scratch));
  for (int k = 0; k < CAP_VARIATOR_QUANTITIES; k++) {
    if (k == CAP_VARIATOR_ANGLE) continue;
    CAP_TRY(put_curve(sink, c, cap_variator_sample_columns[k], "", "", cut_strands(c, k, scratch)));
    if (k < SPREADS)
      CAP_TRY(put_curve(sink, c, cap_variator_sample_columns[k], ".spread",
                        ", standard deviation between the elements", c->spread[k]));
  }
  local_angles(c, f, scratch);
  CAP_TRY(
      put_curve(sink, c, cap_variator_sample_columns[CAP_VARIATOR_ANGLE], "", ", from the entry", scratch));
  cap_variator_arcs_spiral(c, CAP_VARIATOR_RADIUS, scratch);
  CAP_TRY(put_curve(sink, c,
                    (cap_column){"spiral", "m", "spiral running: running radius minus its mean over the arc"},
                    "", "", scratch));
  cap_variator_arcs_spiral(c, CAP_VARIATOR_RING_RADIUS, scratch);
  CAP_TRY(put_curve(sink, c,
                    (cap_column){"ring.spiral", "m",
                                 "spiral running of the rings: radius of their outer face minus its mean "
                                 "over the arc"},
                    "", "", scratch));
  return put_singles(sink, c, averaged);
}

/* ---- histories ----------------------------------------------------------------------------------------- */

static const int exported[] = {CAP_VARIATOR_ANGLE,         CAP_VARIATOR_RADIUS,
                               CAP_VARIATOR_FLANK_NORMAL,  CAP_VARIATOR_FLANK_LONGITUDINAL,
                               CAP_VARIATOR_FLANK_RADIAL,  CAP_VARIATOR_FLANK_AXIAL,
                               CAP_VARIATOR_PUSH_EDGE,     CAP_VARIATOR_PUSH_HEAD,
                               CAP_VARIATOR_SADDLE_NORMAL, CAP_VARIATOR_RING_TRACTION};

static cap_status put_table(cap_sink *sink, const cap_variator_track *h, int quantity, double *values)
{
  char name[80];
  int64_t dims[2] = {cap_variator_track_rows(h), h->nelement};
  const cap_column section = {
      "section", "1",
      "section of each element: 0 = primary arc, 1 = upper strand, 2 = secondary arc, 3 = lower strand"};
  const cap_column *c = quantity < 0 ? &section : &cap_variator_sample_columns[quantity];
  for (int64_t i = 0; i < dims[0]; i++)
    for (int e = 0; e < h->nelement; e++)
      values[i * h->nelement + e] = quantity < 0 ? cap_variator_track_section(h, (int)i, e)
                                                 : cap_variator_track_value(h, (int)i, e, quantity);
  snprintf(name, sizeof name, "history.%s", c->name);
  return sink->array(sink, (cap_column){name, c->unit, c->long_name}, 2, dims, "history.time,history.element",
                     values);
}

static cap_status put_history(cap_sink *sink, const cap_variator_track *h, double *values)
{
  int64_t rows = cap_variator_track_rows(h), n = h->nelement;
  for (int i = 0; i < rows; i++) values[i] = cap_variator_track_time(h, i);
  CAP_TRY(sink->array(sink, (cap_column){"history.time", "s", "time"}, 1, &rows, NULL, values));
  for (int e = 0; e < n; e++) values[e] = e + 1;
  CAP_TRY(
      sink->array(sink, (cap_column){"history.element", "1", "number of the element"}, 1, &n, NULL, values));
  CAP_TRY(put_table(sink, h, -1, values));
  for (size_t k = 0; k < sizeof exported / sizeof *exported; k++)
    CAP_TRY(put_table(sink, h, exported[k], values));
  return CAP_OK;
}

static cap_status put_arrays(cap_sink *sink, const cap_variator_figures *f, const cap_variator_curves *c,
                             const cap_variator_track *averaged, const cap_variator_track *history,
                             cap_error *error)
{
  size_t all = history ? (size_t)(cap_variator_track_rows(history) + 1) * (size_t)history->nelement : 0;
  size_t room = all > (size_t)c->npoint ? all : (size_t)c->npoint;
  double *scratch = calloc(room + 1, sizeof *scratch);
  if (!scratch) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = put_curves(sink, c, f, averaged, scratch);
  if (status == CAP_OK && history) status = put_history(sink, history, scratch);
  free(scratch);
  return status;
}

cap_status cap_variator_output_put(cap_sink *sink, const cap_variator_figures *f,
                                   const cap_variator_curves *c, const cap_variator_track *averaged,
                                   const cap_variator_track *history, cap_error *error)
{
  CAP_TRY(put_numbers(sink, f));
  if (*f->why) CAP_TRY(sink->text(sink, "not_stationary", f->why));
  CAP_TRY(put_named(sink, f));
  CAP_TRY(put_losses(sink, f));
  return put_arrays(sink, f, c, averaged, history, error);
}

/* ---- words --------------------------------------------------------------------------------------------- */

#define FIGURE(id) f->value[CAP_VARIATOR_FIGURE_##id]
#define MEAN(id)   f->scalar[CAP_VARIATOR_##id].value

static void tell_window(const cap_progress *progress, const char *what, const cap_variator_figures *f,
                        const cap_variator_curves *c, bool run_up)
{
  if (isnan(FIGURE(STEADY)))
    cap_progress_note(
        progress,
        "%s: not stationary%s%s; means over t = %.4g s to %.4g s are not those of a stationary point", what,
        *f->why ? ": " : " at the end", f->why, f->from, f->until);
  else
    cap_progress_note(progress, "%s: stationary from t = %.4g s; means over t = %.4g s to %.4g s", what,
                      FIGURE(STEADY), f->from, f->until);
  if (!cap_variator_curves_complete(c))
    cap_progress_note(
        progress,
        "%s: no curves along the whole belt, since no element passed every section; they require "
        "slightly more than one turnaround of the belt",
        what);
  else if (run_up && !isnan(FIGURE(STEADY)))
    cap_progress_note(
        progress, "%s: the curves along the belt include part of the time before the stationary state", what);
}

void cap_variator_output_tell_balance(const cap_progress *progress, const char *what,
                                      const cap_variator_figures *f, bool closed)
{
  if (FIGURE(CREDIBLE) == 1.0 && !closed) return;
  if (FIGURE(CREDIBLE) == 1.0)
    cap_progress_note(progress, "%s: power balance closes within %.2g of %.4g W, %.2g of the losses", what,
                      FIGURE(RESIDUAL), FIGURE(POWER_SCALE), FIGURE(RESIDUAL_LOSS));
  else
    cap_progress_note(
        progress,
        "%s: WARNING: the power balance does not close; expected a residual of at most 0.1 %% of the power "
        "and "
        "2 %% of the losses, got %.2g %% of %.4g W and %.2g %%. Losses and efficiencies of this run are not "
        "credible; reduce the time step",
        what, 100.0 * FIGURE(RESIDUAL), FIGURE(POWER_SCALE), 100.0 * FIGURE(RESIDUAL_LOSS));
}

/* "666 +- 10": the 95 % interval, where it is known. */
static const char *interval(char text[64], const char *format, double value, double error, double unit)
{
  int n = snprintf(text, 64, format, unit * value);
  if (isfinite(error)) snprintf(text + n, (size_t)(64 - n), " +- %.2g", unit * CAPM_SERIES_95 * error);
  return text;
}

#define OF(id) f->scalar[CAP_VARIATOR_##id].value, f->scalar[CAP_VARIATOR_##id].error

void cap_variator_output_tell(const cap_progress *progress, const char *what, const cap_variator_figures *f,
                              const cap_variator_curves *c, bool run_up)
{
  char efficiency[96] = "", text[6][64];
  tell_window(progress, what, f, c, run_up);
  if (isfinite(FIGURE(EFFICIENCY)))
    snprintf(efficiency, sizeof efficiency, "efficiency %s %%, ",
             interval(text[0], "%.2f", FIGURE(EFFICIENCY), f->error[CAP_VARIATOR_FIGURE_EFFICIENCY], 100.0));
  cap_progress_note(progress,
                    "%s: i_s %s, i_F %s, M_P %.4g N m, %spush force %s N in the upper strand and %s N in the "
                    "lower strand, operational endplay %s mm",
                    what, interval(text[1], "%.4f", OF(RATIO), 1.0),
                    interval(text[2], "%.4f", OF(THRUST), 1.0), MEAN(MOMENT_P), efficiency,
                    interval(text[3], "%.4g", OF(PUSH_US), 1.0), interval(text[4], "%.4g", OF(PUSH_LS), 1.0),
                    interval(text[5], "%.3g", OF(OEP), 1e3));
  if (!(MEAN(OEP) > 0.0) && MEAN(PUSH_US) > 0.0 && MEAN(PUSH_LS) > 0.0)
    cap_progress_note(progress,
                      "%s: prestressed belt: no gaps between the elements, push force in both strands", what);
  if (FIGURE(MACRO) == 1.0)
    cap_progress_note(progress, "%s: macro slip on a pulley since t = %.4g s", what, FIGURE(MACRO_BEGIN));
  cap_variator_output_tell_balance(progress, what, f, true);
}

void cap_variator_output_tell_beside(const cap_progress *progress, const char *what, const double *values,
                                     const cap_error *why)
{
  const double *off = values + CAP_VARIATOR_CONTINUUM_BESIDE_DISTANCE;
  char efficiency[64] = "";
  if (isnan(values[0])) {
    cap_progress_note(progress, "%s: no comparison with the continuum model: %s", what, why->text);
    return;
  }
  if (isfinite(off[CAP_VARIATOR_CONTINUUM_BESIDE_EFFICIENCY]))
    snprintf(efficiency, sizeof efficiency, ", efficiency %+.2f points",
             100.0 * off[CAP_VARIATOR_CONTINUUM_BESIDE_EFFICIENCY]);
  cap_progress_note(progress,
                    "%s: minus the continuum model: i_F %+.4f, i_s %+.4f%s, push force %+.3g N in the upper "
                    "strand and %+.3g N in the lower strand",
                    what, off[CAP_VARIATOR_CONTINUUM_BESIDE_THRUST], off[CAP_VARIATOR_CONTINUUM_BESIDE_RATIO],
                    efficiency, off[CAP_VARIATOR_CONTINUUM_BESIDE_PUSH],
                    off[CAP_VARIATOR_CONTINUUM_BESIDE_PUSH + 1]);
}
