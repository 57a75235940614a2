/* drives/pushbelt/observe/variator_figures.c — see variator_figures.h. What belongs to one arc is in
 * variator_arcs.c. */
#include "drives/pushbelt/observe/variator_figures.h"
#include "analysis/observe/steady.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/observe/variator_arcs.h"
#include "drives/pushbelt/observe/variator_asked.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const cap_column cap_variator_figures_columns[CAP_VARIATOR_NFIGURE] = {
#define COLUMN(id, name, unit, text) {name, unit, text},
    CAP_VARIATOR_FIGURES(COLUMN)
#undef COLUMN
};

const cap_column cap_variator_figures_losses[CAP_VARIATOR_LOST] = {
    {"loss.flank.longitudinal", "W", "power lost by longitudinal friction between element and pulley"},
    {"loss.flank.radial", "W", "power lost by radial friction between element and pulley"},
    {"loss.flank.drilling", "W", "power lost by drilling friction between element and pulley"},
    {"loss.flank.damping", "W", "power lost by damping between element and pulley"},
    {"loss.ring.longitudinal", "W", "power lost by friction between element and ring"},
    {"loss.ring.damping", "W", "power lost by damping between element and ring"},
    {"loss.push.friction", "W", "power lost by friction between elements"},
    {"loss.push.damping", "W", "power lost by damping between elements"},
};

static const double LEAD = 1.0, LEAST = 2.0;               /* revolutions: left out, and averaged, at least */
static const double POWER_SHARE = 1e-3, LOSS_SHARE = 0.02; /* that a credible balance closes within */
static const double MACRO_LEAST = 0.2;                     /* revolutions that macro slip lasts */

#define FIGURE(f, id) (f)->value[CAP_VARIATOR_FIGURE_##id]
#define MEAN(f, id)   (f)->scalar[CAP_VARIATOR_##id].value

/* ---- is it stationary? --------------------------------------------------------------------------------- */

enum { FORCES = 6, WATCHED = FORCES + CAP_VARIATOR_LOST + 1 };

typedef struct watched {
  int n, worst;
  cap_steady_series series[WATCHED];
  double values[WATCHED][CAP_VARIATOR_MEANS_MOST];
} watched;

static double mean_of(int n, const double *values)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += values[k];
  return sum / n;
}

/* Means over the second half: of what changes, those to come. */
static double size_of(const watched *w, int k)
{
  return fabs(mean_of(w->n - w->n / 2, w->values[k] + w->n / 2));
}

static void watch_scalars(watched *w, const cap_variator_record *r)
{
  static const struct {
    const char *name, *unit;
    int scalar;
    double share;
  } of[FORCES] = {{"i_s", "", CAP_VARIATOR_RATIO, CAP_VARIATOR_ASKED_SPEED},
                  {"i_F", "", CAP_VARIATOR_THRUST, CAP_VARIATOR_ASKED_THRUST},
                  {"the endplay", "m", CAP_VARIATOR_ENDPLAY, CAP_VARIATOR_ASKED_GAPS},
                  {"the operational endplay", "m", CAP_VARIATOR_OEP, CAP_VARIATOR_ASKED_GAPS},
                  {"the push force of the upper strand", "N", CAP_VARIATOR_PUSH_US, CAP_VARIATOR_ASKED_PUSH},
                  {"the push force of the lower strand", "N", CAP_VARIATOR_PUSH_LS, CAP_VARIATOR_ASKED_PUSH}};
  for (int k = 0; k < FORCES; k++) {
    w->series[k] = (cap_steady_series){of[k].name, of[k].unit, w->values[k], 1, of[k].share};
    w->n = cap_variator_means_series(&r->means, 1, &(cap_variator_means_term){of[k].scalar, false, 1.0},
                                     -INFINITY, w->values[k]);
  }
  double push = size_of(w, 4) + size_of(w, 5);
  const double scale[FORCES] = {size_of(w, 0), 1.0, CAP_VARIATOR_ASKED_ELEMENT, CAP_VARIATOR_ASKED_ELEMENT,
                                push,          push};
  for (int k = 0; k < FORCES; k++) w->series[k].asked *= CAP_VARIATOR_ASKED_ERROR * scale[k];
}

/* Each kind of loss, and all of them together. */
static void watch_losses(watched *w, const cap_variator_record *r, const cap_variator_levels *l)
{
  double sum = 0.0;
  for (int k = 0; k < CAP_VARIATOR_LOST + 1; k++) {
    cap_variator_means_term terms[CAP_VARIATOR_SECTIONS] = {{0}};
    int n = 0;
    for (int s = 0; s < CAP_VARIATOR_SECTIONS && k < CAP_VARIATOR_LOST; s++)
      if (l->loss[k][s] >= 0) terms[n++] = (cap_variator_means_term){l->loss[k][s], true, 1.0};
    if (k == CAP_VARIATOR_LOST) terms[n++] = (cap_variator_means_term){l->lost, true, 1.0};
    cap_variator_means_series(&r->means, n, terms, -INFINITY, w->values[FORCES + k]);
    if (k < CAP_VARIATOR_LOST) sum += size_of(w, FORCES + k);
    w->series[FORCES + k] = (cap_steady_series){
        .name = k < CAP_VARIATOR_LOST ? cap_variator_figures_losses[k].long_name : "the power lost in all",
        .unit = "W",
        .values = w->values[FORCES + k],
        .stride = 1};
  }
  for (int k = 0; k < CAP_VARIATOR_LOST + 1; k++)
    w->series[FORCES + k].asked = CAP_VARIATOR_ASKED_ERROR * CAP_VARIATOR_ASKED_LOSS *
                                  (k < CAP_VARIATOR_LOST ? sum : size_of(w, FORCES + k));
}

double cap_variator_figures_steady(const cap_variator_record *r, const cap_variator_levels *levels, char *why,
                                   size_t size)
{
  watched *w = calloc(1, sizeof *w); /* 60 kB; without it the run is not known to be stationary */
  double length = cap_variator_means_length(&r->means), steady = NAN;
  if (!w) return NAN;
  watch_scalars(w, r);
  watch_losses(w, r, levels);
  int lead = (int)ceil(LEAD * r->revolution / length), least = (int)ceil(LEAST * r->revolution / length);
  cap_steady_found found = cap_steady_find(w->n, lead, least, WATCHED, w->series, 1);
  if (found.verdict == CAP_STEADY_YES) steady = cap_variator_means_end(&r->means, found.from - 1);
  else if (found.verdict == CAP_STEADY_SHORT)
    snprintf(why, size, "too short: expected at least %.3g s, three turnarounds of the belt",
             (LEAD + LEAST) * r->revolution);
  else cap_steady_tell(&found, w->series, (w->n - found.from) * length / r->revolution, why, size);
  free(w);
  return steady;
}

/* ---- time ---------------------------------------------------------------------------------------------- */

static void place_window(cap_variator_figures *f, const cap_variator_record *r, const cap_variator_curves *c,
                         bool from_steady, double steady)
{
  double start = cap_variator_means_end(&r->means, -1);
  f->until = cap_variator_means_end(&r->means, cap_variator_means_batches(&r->means) - 1);
  FIGURE(f, STEADY) = steady;
  FIGURE(f, IS_STEADY) = isfinite(steady) ? 1.0 : 0.0;
  bool complete = cap_variator_curves_complete(c);
  FIGURE(f, REVOLUTION) = complete ? c->revolution : NAN;
  FIGURE(f, TURNAROUND) = complete && f->until - c->revolution >= start ? f->until - c->revolution : NAN;
  double turnaround = FIGURE(f, TURNAROUND);
  if (isnan(turnaround) || (from_steady && isfinite(steady))) f->from = isfinite(steady) ? steady : start;
  else f->from = isfinite(steady) ? fmax(turnaround, steady) : turnaround;
}

static void set(cap_variator_figures *f, int figure, double value, double error)
{
  f->value[figure] = value;
  f->error[figure] = error;
}

/* ---- powers -------------------------------------------------------------------------------------------- */

static cap_variator_mean rate_of(const cap_variator_record *r, int level, double from)
{
  return level < 0 ? (cap_variator_mean){0} : cap_variator_means_rate(&r->means, level, from);
}

static void take_losses(cap_variator_figures *f, const cap_variator_record *r, const cap_variator_levels *l)
{
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) f->loss[k][s] = rate_of(r, l->loss[k][s], f->from);
}

static void take_average(cap_variator_figures *f, const cap_variator_curves *c, double nreal)
{
  static const int quantity[CAP_VARIATOR_LOST] = {
      [CAP_VARIATOR_LOST_LONGITUDINAL] = CAP_VARIATOR_LOSS_LONGITUDINAL,
      [CAP_VARIATOR_LOST_RADIAL] = CAP_VARIATOR_LOSS_RADIAL,
      [CAP_VARIATOR_LOST_RING] = CAP_VARIATOR_LOSS_RING};
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
      f->average[k][s] = quantity[k] && cap_variator_curves_complete(c)
                             ? cap_variator_curves_total(c, s, quantity[k], nreal)
                             : NAN;
}

/* Losses of all contacts; by the averaged element where it knows them, else by the works. */
static double contact_losses(const cap_variator_figures *f, bool average)
{
  double total = 0.0;
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
      total += average && !isnan(f->average[k][s]) ? f->average[k][s] : f->loss[k][s].value;
  return total;
}

/* Standard error of (sum of terms)/in, which is `ratio`, where `in` is the growth of a level; NAN: none. */
static double error_of_ratio(const cap_variator_record *r, int nterm, cap_variator_means_term *terms, int in,
                             double power, double ratio, double from)
{
  if (in < 0) return NAN;
  for (int k = 0; k < nterm; k++) terms[k].factor /= power;
  terms[nterm] = (cap_variator_means_term){in, true, -ratio / power};
  return cap_variator_means_sum(&r->means, nterm + 1, terms, from).error;
}

/* Of the efficiencies. What does not come out is lost, but for what is stored at the end of the means and was
 * not at their start: by that much power out over power in is off. */
static void take_errors(cap_variator_figures *f, const cap_variator_record *r, const cap_variator_levels *l,
                        int in)
{
  cap_variator_means_term terms[CAP_VARIATOR_LOST * CAP_VARIATOR_SECTIONS + 1];
  int n = 0, level = l->power[in];
  double power = f->value[CAP_VARIATOR_FIGURE_POWER_P + in];
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
      if (l->loss[k][s] >= 0) terms[n++] = (cap_variator_means_term){l->loss[k][s], true, 1.0};
  double local = error_of_ratio(r, n, terms, level, power, 1.0 - FIGURE(f, EFFICIENCY_LOCAL), f->from);
  f->error[CAP_VARIATOR_FIGURE_EFFICIENCY_LOCAL] = local;
  f->error[CAP_VARIATOR_FIGURE_EFFICIENCY_GLOBAL] = local;
  double all = rate_of(r, l->lost, f->from).value / power, stored = 1.0 - FIGURE(f, EFFICIENCY) - all;
  terms[0] = (cap_variator_means_term){l->lost, true, 1.0};
  if (isfinite(FIGURE(f, EFFICIENCY)))
    f->error[CAP_VARIATOR_FIGURE_EFFICIENCY] = hypot(stored,
                                                     error_of_ratio(r, 1, terms, level, power, all, f->from));
}

/* Power of a pulley: by the works, which see every step; else by what the rows show. */
static double power_of(const cap_variator_figures *f, const cap_variator_record *r,
                       const cap_variator_levels *l, int pulley)
{
  if (l->power[pulley] >= 0) return rate_of(r, l->power[pulley], f->from).value;
  return f->scalar[CAP_VARIATOR_MOMENT_P + pulley].value * f->scalar[CAP_VARIATOR_OMEGA_P + pulley].value;
}

static void take_efficiency(cap_variator_figures *f, const cap_variator_record *r,
                            const cap_variator_levels *l, const cap_variator_curves *c,
                            const cap_variator_terms *terms)
{
  double p = power_of(f, r, l, CAP_VARIATOR_PRI), s = power_of(f, r, l, CAP_VARIATOR_SEC);
  double in = fmax(p, s), out = -fmin(p, s);
  double force_p = MEAN(f, FORCE_P), force_s = MEAN(f, FORCE_S);
  FIGURE(f, POWER_P) = p;
  FIGURE(f, POWER_S) = s;
  /* more out than in: what is stored in the drive, as while the secondary slows down */
  FIGURE(f, EFFICIENCY) = out <= in ? out / in : NAN;
  FIGURE(f, EFFICIENCY_LOCAL) = 1.0 - contact_losses(f, false) / in;
  FIGURE(f, EFFICIENCY_AVERAGE) = cap_variator_curves_complete(c) ? 1.0 - contact_losses(f, true) / in : NAN;
  double bearings = (terms->bearing_torque + terms->bearing_friction * force_p) * fabs(MEAN(f, OMEGA_P)) +
                    (terms->bearing_torque + terms->bearing_friction * force_s) * fabs(MEAN(f, OMEGA_S));
  double clamping = fmax(force_p, force_s);
  double hydraulics = terms->pump_power + terms->pump_slope * clamping +
                      (terms->pump_torque + terms->pump_stroke * clamping) * fabs(MEAN(f, OMEGA_P));
  FIGURE(f, LOSS_BEARINGS) = bearings;
  FIGURE(f, LOSS_HYDRAULICS) = hydraulics;
  FIGURE(f, EFFICIENCY_GLOBAL) = 1.0 - (contact_losses(f, false) + bearings + hydraulics) / in;
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++)
    if (l->power[k] >= 0) f->error[CAP_VARIATOR_FIGURE_POWER_P + k] = rate_of(r, l->power[k], f->from).error;
  take_errors(f, r, l, p > s ? CAP_VARIATOR_PRI : CAP_VARIATOR_SEC);
}

/* Torque at the slip limit, (2.49) with S = 1. */
static double slip_torque(const cap_variator *v, const cap_variator_figures *f, int pulley)
{
  double slip = fabs(f->scalar[CAP_VARIATOR_SLIP_P + pulley].value);
  double mu = capm_friction_at(&v->contact.flank_friction, slip, NULL);
  double radius = f->scalar[CAP_VARIATOR_RADIUS_P + pulley].value + v->element.edge;
  return 2.0 * mu * radius * f->scalar[CAP_VARIATOR_FORCE_P + pulley].value / cos(v->wedge);
}

/* Residual of the whole run: what is wrong before the means are taken makes them doubtful, too. */
static void take_balance(cap_variator_figures *f, const cap_variator *v, const cap_variator_record *r,
                         const cap_variator_levels *l)
{
  double start = cap_variator_means_end(&r->means, -1);
  double limit = fmin(slip_torque(v, f, CAP_VARIATOR_PRI) * fabs(MEAN(f, OMEGA_P)),
                      slip_torque(v, f, CAP_VARIATOR_SEC) * fabs(MEAN(f, OMEGA_S)));
  double scale = fmax(limit, fmax(fabs(FIGURE(f, POWER_P)), fabs(FIGURE(f, POWER_S))));
  double lost = rate_of(r, l->lost, start).value;
  double residual = fabs(rate_of(r, l->residual, start).value + rate_of(r, l->integrator, start).value);
  FIGURE(f, POWER_SCALE) = scale;
  FIGURE(f, POWER_LOST) = lost;
  FIGURE(f, RESIDUAL) = residual / scale;
  FIGURE(f, RESIDUAL_LOSS) = residual / lost;
  FIGURE(f, CREDIBLE) = residual <= POWER_SHARE * scale && residual <= LOSS_SHARE * lost ? 1.0 : 0.0;
}

/* ---- forces -------------------------------------------------------------------------------------------- */

static void take_torques(cap_variator_figures *f, const cap_variator *v, const cap_variator_terms *terms)
{
  double most_p = slip_torque(v, f, CAP_VARIATOR_PRI), most_s = slip_torque(v, f, CAP_VARIATOR_SEC);
  double torque = MEAN(f, MOMENT_P), radius = MEAN(f, RADIUS_P);
  double rings = (MEAN(f, TENSION_LS) - MEAN(f, TENSION_US)) *
                 (radius + cap_variator_geometry_ring_height(v));
  double pushes = (MEAN(f, PUSH_US) - MEAN(f, PUSH_LS)) * (radius + v->element.edge);
  double scale = fmax(fabs(torque), 0.1 * most_p);
  FIGURE(f, TORQUE_RATIO) = fabs(MEAN(f, MOMENT_S)) / most_s;
  FIGURE(f, SAFETY_P) = most_p / fabs(torque);
  FIGURE(f, SAFETY_S) = most_s / fabs(MEAN(f, MOMENT_S));
  FIGURE(f, RING_SHARE) = rings / torque;
  FIGURE(f, ERROR_TORQUE) = (rings + pushes - torque) / scale;
  FIGURE(f, ERROR_CLAMPING) = MEAN(f, FORCE_S) / MEAN(f, CLAMPING_S) - 1.0;
  FIGURE(f, ERROR_LOAD) = (MEAN(f, MOMENT_S) - MEAN(f, TORQUE_S)) /
                          fmax(fabs(MEAN(f, TORQUE_S)), 0.1 * most_s);
  FIGURE(f, ERROR_LONGITUDINAL) = MEAN(f, SUM_LONGITUDINAL) / MEAN(f, ABS_LONGITUDINAL);
  FIGURE(f, ERROR_TRACTION) = MEAN(f, SUM_TRACTION) / MEAN(f, ABS_TRACTION);
  if (terms->reference_ratio > 0.0)
    set(f, CAP_VARIATOR_FIGURE_SLIP, MEAN(f, RATIO) / terms->reference_ratio - 1.0,
        f->scalar[CAP_VARIATOR_RATIO].error / terms->reference_ratio);
}

/* The same conditions with all that belongs to them, §51.7. */
static void take_balances(cap_variator_figures *f, const cap_variator *v, const cap_variator_record *r,
                          const cap_variator_levels *l)
{
  double torque = MEAN(f, MOMENT_P), carried = MEAN(f, CARRIED_US) - MEAN(f, CARRIED_LS);
  double lost = rate_of(r, l->lost, f->from).value;
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++)
    lost -= f->loss[CAP_VARIATOR_LOST_LONGITUDINAL][s].value + f->loss[CAP_VARIATOR_LOST_DRILLING][s].value;
  double spin = rate_of(r, l->spin, f->from).value, sheave = rate_of(r, l->sheave, f->from).value;
  FIGURE(f, BALANCE_TORQUE) = (carried - torque) /
                              fmax(fabs(torque), 0.1 * slip_torque(v, f, CAP_VARIATOR_PRI));
  FIGURE(f, BALANCE_LONGITUDINAL) = (MEAN(f, SUM_POWER_FLANK) - lost) / MEAN(f, ABS_POWER_FLANK);
  FIGURE(f, BALANCE_TRACTION) = MEAN(f, SUM_POWER_RING) / MEAN(f, ABS_POWER_RING);
  FIGURE(f, BALANCE_CLAMPING) = (MEAN(f, FORCE_S) + sheave) / MEAN(f, CLAMPING_S) - 1.0;
  FIGURE(f, BALANCE_LOAD) = (MEAN(f, MOMENT_S) + spin - MEAN(f, TORQUE_S)) /
                            fmax(fabs(MEAN(f, TORQUE_S)), 0.1 * slip_torque(v, f, CAP_VARIATOR_SEC));
}

static void take_integrals(cap_variator_figures *f, const cap_variator *v, const cap_variator_curves *c)
{
  double sums[2] = {0.0}, magnitudes[2] = {0.0};
  static const int quantity[2] = {CAP_VARIATOR_FLANK_LONGITUDINAL, CAP_VARIATOR_RING_TRACTION};
  if (!cap_variator_curves_complete(c)) return;
  for (int k = 0; k < 2; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
      sums[k] += cap_variator_curves_total(c, s, quantity[k], v->real);
      magnitudes[k] += cap_variator_curves_magnitude(c, s, quantity[k], v->real);
    }
  double clamping = cap_variator_curves_total(c, CAP_VARIATOR_IN_SEC, CAP_VARIATOR_FLANK_AXIAL, v->real);
  double load = cap_variator_curves_total(c, CAP_VARIATOR_IN_SEC, CAP_VARIATOR_MOMENT, v->real);
  double scale = fmax(fabs(MEAN(f, TORQUE_S)), 0.1 * slip_torque(v, f, CAP_VARIATOR_SEC));
  FIGURE(f, AVERAGE_LONGITUDINAL) = sums[0] / magnitudes[0];
  FIGURE(f, AVERAGE_TRACTION) = sums[1] / magnitudes[1];
  FIGURE(f, AVERAGE_CLAMPING) = clamping / MEAN(f, CLAMPING_S) - 1.0;
  FIGURE(f, AVERAGE_LOAD) = (load - MEAN(f, TORQUE_S)) / scale;
  FIGURE(f, TRACTION_P) = cap_variator_curves_total(c, CAP_VARIATOR_IN_PRI, CAP_VARIATOR_RING_TRACTION,
                                                    v->real);
  FIGURE(f, TRACTION_S) = cap_variator_curves_total(c, CAP_VARIATOR_IN_SEC, CAP_VARIATOR_RING_TRACTION,
                                                    v->real);
}

/* Share of N that friction has along the half of the belt about a pulley, with its lever: it acts on the
 * inner side of the ring. */
static double friction_used(const cap_variator_figures *f, const cap_variator *v, int pulley)
{
  double used = fabs(f->scalar[CAP_VARIATOR_HALF_TRACTION_P + pulley].value) /
                f->scalar[CAP_VARIATOR_HALF_SADDLE_P + pulley].value;
  double radius = f->scalar[CAP_VARIATOR_RADIUS_P + pulley].value + cap_variator_geometry_ring_height(v);
  return used * (1.0 - 0.5 * v->ring_thickness / radius);
}

/* Tension of the ring that is not needed to keep it on its way,
 * over the strands and over all of the curve. */
static void take_tension(cap_variator_figures *f, const cap_variator *v, const cap_variator_curves *c)
{
  double speed = MEAN(f, BELT_SPEED), centrifugal = v->ring.mass * speed * speed;
  double us = MEAN(f, TENSION_US) - centrifugal, ls = MEAN(f, TENSION_LS) - centrifugal;
  cap_variator_line line = cap_variator_geometry_around(MEAN(f, RADIUS_P), MEAN(f, RADIUS_S),
                                                        v->centre_distance);
  double arc = fmin(line.wrap[0], line.wrap[1]);
  FIGURE(f, TENSION_RATIO) = fmax(us, ls) / fmin(us, ls);
  double mu = capm_friction_at(&v->contact.ring_friction, 0.0, NULL);
  FIGURE(f, TENSION_CAPSTAN) = exp(mu * arc);
  FIGURE(f, TENSION_EXPECTED) = exp(arc * friction_used(f, v, line.wrap[0] > line.wrap[1]));
  if (!c->npoint) return;
  double least = INFINITY, most = -INFINITY;
  for (int i = 0; i < c->npoint; i++) {
    least = fmin(least, c->value[CAP_VARIATOR_RING_TENSION][i]);
    most = fmax(most, c->value[CAP_VARIATOR_RING_TENSION][i]);
  }
  FIGURE(f, TENSION_MOST) = (most - centrifugal) / (least - centrifugal);
}

static void take_macro(cap_variator_figures *f, const cap_variator_record *r)
{
  FIGURE(f, MACRO) = 0.0;
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    cap_variator_macro macro = cap_variator_record_macro(r, p);
    if (!(macro.lasted >= MACRO_LEAST * r->revolution)) continue;
    double before = FIGURE(f, MACRO_BEGIN);
    FIGURE(f, MACRO) = 1.0;
    FIGURE(f, MACRO_BEGIN) = isnan(before) ? macro.begin : fmin(before, macro.begin);
  }
}

static void take_average_element(cap_variator_figures *f, const cap_variator_curves *c)
{
  double fewest = INFINITY;
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) fewest = fmin(fewest, c->elements[s]);
  FIGURE(f, AVERAGED) = fewest;
  FIGURE(f, PUSH_VARIATION) = c->push_variation;
  FIGURE(f, SINGLE_VARIATION) = c->single_variation;
}

void cap_variator_figures_make(cap_variator_figures *f, const cap_variator *v, const cap_variator_record *r,
                               const cap_variator_curves *c, const cap_variator_levels *levels,
                               const cap_variator_terms *terms, double steady)
{
  *f = (cap_variator_figures){0};
  for (int k = 0; k < CAP_VARIATOR_NFIGURE; k++) set(f, k, NAN, NAN);
  place_window(f, r, c, terms->from_steady, steady);
  for (int k = 0; k < CAP_VARIATOR_SCALARS; k++) f->scalar[k] = cap_variator_means_of(&r->means, k, f->from);
  take_losses(f, r, levels);
  take_average(f, c, v->real);
  take_average_element(f, c);
  take_efficiency(f, r, levels, c, terms);
  take_balance(f, v, r, levels);
  take_torques(f, v, terms);
  take_balances(f, v, r, levels);
  take_integrals(f, v, c);
  take_tension(f, v, c);
  take_macro(f, r);
  for (int k = 0; k < CAP_VARIATOR_NFIGURE; k++)
    if (isinf(f->value[k])) set(f, k, NAN, NAN); /* over a force, torque or loss that is zero */
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) cap_variator_arcs_take(f, c, p);
}
