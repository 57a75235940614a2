/* drives/pushbelt/continuum/variator_continuum.c — see variator_continuum.h. */
#include "drives/pushbelt/continuum/variator_continuum.h"
#include "drives/pushbelt/continuum/variator_continuum_belt.h"
#include "drives/pushbelt/continuum/variator_continuum_entry.h"
#include "drives/pushbelt/continuum/variator_continuum_flank.h"
#include "drives/pushbelt/continuum/variator_continuum_sheave.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC, PULLEYS = CAP_VARIATOR_PULLEYS, UPPER = 0, LOWER = 1 };

struct cap_variator_continuum {
  const cap_variator *v;
  cap_variator_continuum_settings settings;
  cap_variator_continuum_rule rule;
  bool compliant;                                    /* flanks */
  bool rigid[PULLEYS];                               /* sheaves that stay as they are */
  cap_variator_continuum_flank warm[PULLEYS];        /* of the last point, for the next */
  cap_variator_continuum_flank limit[2], transition; /* the same of the limits; and their force differences */
  double limit_was[2], transition_was, transition_entry;
  double flank; /* m, the flanks touch this far outside of the line of the rocking edge */
  double delta; /* m, and the ring lies */
};

cap_status cap_variator_continuum_create(const cap_variator *v,
                                         const cap_variator_continuum_settings *settings,
                                         cap_variator_continuum **made, cap_error *error)
{
  *made = NULL;
  if (v->pulley[PRI].curved || v->pulley[SEC].curved)
    return cap_status_fail(
        error, CAP_ERR_UNSUPPORTED,
        "the continuum model requires conical sheaves; expected contour.kind: flat, got curved");
  cap_variator_continuum *c = calloc(1, sizeof *c);
  if (!c) return cap_status_fail(error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
  c->v = v;
  if (settings) c->settings = *settings;
  c->compliant = c->settings.model == CAP_VARIATOR_CONTINUUM_COMPLIANT;
  c->flank = v->element.flank - v->element.edge;
  c->delta = cap_variator_geometry_ring_over_edge(v);
  for (int p = 0; p < PULLEYS; p++)
    c->rigid[p] = c->settings.model == CAP_VARIATOR_CONTINUUM_GRASHOF ||
                  (c->settings.tilt[p] <= 0.0 && cap_variator_continuum_sheave_rigid(&v->pulley[p]));
  const capm_friction *friction = &v->contact.flank_friction;
  double mu = capm_friction_most(friction);
  if ((c->compliant || !(c->rigid[PRI] && c->rigid[SEC])) && !(mu < tan(v->wedge))) {
    free(c);
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "the elements lock in the groove, so the continuum model has no solution with "
                           "creep; expected a flank "
                           "friction below the tangent of the half wedge angle (%.3g), got %.3g",
                           tan(v->wedge), mu);
  }
  cap_variator_continuum_arc_rule(&c->rule);
  *made = c;
  return CAP_OK;
}

void cap_variator_continuum_free(cap_variator_continuum *c)
{
  free(c);
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

enum { RATIOS_TEXT = 80 };

static const char *fitting_ratios(const cap_variator *v, char text[RATIOS_TEXT])
{
  double least, most;
  if (!cap_variator_geometry_ratios(v, &least, &most)) return "another length or distance of the axes";
  snprintf(text, RATIOS_TEXT, "ratios from %.4g to %.4g", least, most);
  return text;
}

static cap_status place_belt(const cap_variator_continuum *c, double length, cap_variator_continuum_point *p,
                             cap_error *error)
{
  const cap_variator *v = c->v;
  cap_variator_line ring = cap_variator_geometry_line(length, v->centre_distance, p->load.ratio);
  cap_variator_line edge = cap_variator_geometry_beside(&ring, -c->delta);
  char text[RATIOS_TEXT];
  if (!(isfinite(edge.r[PRI]) && isfinite(edge.r[SEC]) && edge.r[PRI] > 0.0 && edge.r[SEC] > 0.0 &&
        isfinite(edge.wrap[PRI])))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "no belt of %.6g mm around axes %.6g mm apart has the ratio %.6g; expected %s",
                           1e3 * length, 1e3 * v->centre_distance, p->load.ratio, fitting_ratios(v, text));
  for (int k = 0; k < PULLEYS; k++) {
    double flank = edge.r[k] + c->flank;
    if (v->outer > v->inner && !(flank > v->inner && flank < v->outer))
      return cap_status_fail(
          error, CAP_ERR_INPUT,
          "at the ratio %.6g the flanks run outside the sheaves of the %s; expected a radius "
          "from %.6g mm to %.6g mm, got %.6g mm; the unloaded belt fits with %s",
          p->load.ratio, k == PRI ? "primary" : "secondary", 1e3 * v->inner, 1e3 * v->outer, 1e3 * flank,
          fitting_ratios(v, text));
    p->pulley[k].radius = edge.r[k];
    p->pulley[k].ring_radius = ring.r[k];
    p->pulley[k].wrap = edge.wrap[k];
  }
  p->strand = edge.strand;
  p->edge_ratio = edge.r[SEC] / edge.r[PRI];
  return CAP_OK;
}

/* ---- arcs ---------------------------------------------------------------------------------------------- */

static double sin_twice(const cap_variator_continuum *c)
{
  return sin(2.0 * c->v->wedge);
}

/* R' of both pulleys when i_g changes: the length of the belt stays, phi_P R_P' + phi_S R_S' = 0. */
static void radial_speeds(const cap_variator_continuum_point *p, double *speed)
{
  const cap_variator_continuum_pulley *P = &p->pulley[PRI], *S = &p->pulley[SEC];
  double share = S->wrap / P->wrap;
  speed[SEC] = p->rate / p->load.ratio / (1.0 / S->ring_radius + share / P->ring_radius);
  speed[PRI] = -share * speed[SEC];
}

static double entry_force(const cap_variator_continuum_point *p, int pulley)
{
  return p->net[pulley == PRI ? LOWER : UPPER];
}

/* m a radian: the unit of the slips of an arc, R Delta / sin 2 beta0, or w_1. */
static double slip_unit(const cap_variator_continuum *c, const cap_variator_continuum_point *p, int pulley)
{
  const cap_variator_continuum_pulley *q = &p->pulley[pulley];
  if (!c->compliant) return q->radius * q->tilt / sin_twice(c);
  return entry_force(p, pulley) * c->v->element.thickness /
         (c->v->contact.flank_stiffness * q->radius * sin(c->v->wedge));
}

/* e_s(0) under the net force that enters. */
static double entry_slip(const cap_variator_continuum *c, double net)
{
  const cap_variator *v = c->v;
  double mu = capm_friction_at(&v->contact.flank_friction, 0.0, NULL), b = v->wedge;
  if (c->settings.limp) return -1.0;
  double k = 2.0 * v->contact.flank_stiffness * sin(b) * (sin(b) + mu * cos(b)) / v->element.thickness;
  return cap_variator_continuum_entry_slip(mu, b,
                                           cap_variator_continuum_entry_dip(sqrt(v->ring.EI * k) / net));
}

/* What an arc with compliant flanks is: gains of the harmonics of its groove, and its entry. */
static void prepare_flank(const cap_variator_continuum *c, cap_variator_continuum_point *p, int pulley)
{
  cap_variator_continuum_pulley *q = &p->pulley[pulley];
  cap_variator_continuum_flank *f = &q->arc.flank;
  const cap_variator *v = c->v;
  double C[CAP_VARIATOR_CONTINUUM_HARMONICS], given = c->settings.tilt[pulley], wedge = v->wedge;
  double stiff = v->contact.flank_stiffness * cos(wedge) * q->radius / (2.0 * v->element.thickness);
  f->given = true;
  p->rubs[pulley] = cap_variator_continuum_flank_rub(&c->rule, &q->arc,
                                                     p->passes > 15  ? 0.25
                                                     : p->passes > 2 ? 0.5
                                                                     : 1.0);
  f->harmonics = 0;
  f->opening = 0.0;
  double entry = entry_slip(c, entry_force(p, pulley));
  /* half the way, should entry and force chase each other */
  f->entry = q->entry = p->passes > 8 ? 0.5 * (q->entry + entry) : entry;
  if (given > 0.0) {
    f->harmonics = 1;
    f->opening = given * (q->radius + c->flank) / (2.0 * cos(wedge) * sin(wedge) * slip_unit(c, p, pulley));
  } else if (!c->rigid[pulley]) {
    cap_variator_continuum_sheave_spectrum(&v->pulley[pulley], q->radius + c->flank, C);
    for (int m = 1; m < CAP_VARIATOR_CONTINUUM_HARMONICS; m++) {
      f->gain[m] = stiff * C[m];
      if (fabs(C[m]) > 1e-3 * fabs(C[1])) f->harmonics = m;
    }
  }
}

static void prepare(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  double radial[PULLEYS];
  radial_speeds(p, radial);
  p->pulley[PRI].speed = p->load.speed;
  p->pulley[SEC].speed = p->load.speed / p->edge_ratio;
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    q->arc.wrap = q->wrap;
    q->arc.wedge = c->v->wedge;
    q->arc.friction = c->v->contact.flank_friction;
    q->arc.by = c->settings.by;
    q->arc.rigid = c->rigid[k];
    if (c->compliant) prepare_flank(c, p, k);
    q->arc.unit = q->speed * slip_unit(c, p, k);
    q->arc.shift = p->rate != 0.0 ? radial[k] / q->arc.unit : 0.0;
  }
}

static double largest_growth(const cap_variator_continuum_arc *arc)
{
  double mu = capm_friction_at(&arc->friction, arc->rigid ? 0.0 : 1e3 * arc->unit, NULL);
  return mu / sin(arc->wedge) * arc->wrap;
}

/* All of the arc slides along the belt: 2 mu / cos beta0, (2.49) with S = 1. */
static double largest_gain(const cap_variator_continuum_arc *arc)
{
  return 2.0 * tan(arc->wedge) * largest_growth(arc) / arc->wrap;
}

/* Of the largest force that friction can transmit: an arc that is not found beyond this slides. */
static const double near_slip = 0.9;

static void solve_arcs(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  cap_variator_continuum_arc *P = &p->pulley[PRI].arc, *S = &p->pulley[SEC].arc;
  double gain = -p->load.torque / (p->pulley[SEC].radius * p->load.clamping);
  p->state = CAP_VARIATOR_CONTINUUM_HOLDS;
  double most = largest_gain(S);
  if (fabs(gain) > most || !cap_variator_continuum_arc_find(&c->rule, S, CAP_VARIATOR_CONTINUUM_GAIN, gain)) {
    p->state = c->compliant && fabs(gain) < near_slip * most ? CAP_VARIATOR_CONTINUUM_UNSOLVED
                                                             : CAP_VARIATOR_CONTINUUM_SLIDES_SEC;
    return;
  }
  most = largest_growth(P);
  if (fabs(S->growth) > most ||
      !cap_variator_continuum_arc_find(&c->rule, P, CAP_VARIATOR_CONTINUUM_GROWTH, -S->growth)) {
    p->state = c->compliant && fabs(S->growth) < near_slip * most ? CAP_VARIATOR_CONTINUUM_UNSOLVED
                                                                  : CAP_VARIATOR_CONTINUUM_SLIDES_PRI;
    return;
  }
  p->net[UPPER] = p->load.clamping / S->clamp;
  p->net[LOWER] = p->net[UPPER] * exp(S->growth);
  p->pulley[SEC].clamping = p->load.clamping;
  p->pulley[PRI].clamping = p->net[LOWER] * P->clamp;
}

/* Delta of both pulleys from what acts on them; the largest change of one, relative. */
static double tilt_sheaves(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  double change = 0.0;
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    cap_variator_continuum_sheave sheave = {0};
    double before = q->tilt;
    q->spiral = c->compliant ? slip_unit(c, p, k) * (q->arc.flank.highest - q->arc.flank.lowest) : 0.0;
    if (c->rigid[k]) continue;
    cap_variator_continuum_sheave_open(&c->rule, &q->arc, &c->v->pulley[k], q->radius + c->flank,
                                       entry_force(p, k), &sheave);
    q->tilt = sheave.tilt;
    if (!c->compliant) q->spiral = sheave.spiral;
    if (c->settings.tilt[k] > 0.0) {
      double stretched = c->settings.tilt[k] * (q->radius + c->flank) / sin_twice(c);
      double far = fmax(q->arc.centre, q->wrap - q->arc.centre);
      q->tilt = c->settings.tilt[k];
      if (!c->compliant) q->spiral = stretched * (1.0 - cos(fmin(far, M_PI)));
    }
    change = fmax(change, fabs(q->tilt - before) / q->tilt);
  }
  return change;
}

/* A first Delta and net force, from forces that are spread evenly. */
static void guess(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  p->net[UPPER] = p->net[LOWER] = p->load.clamping * 2.0 * tan(c->v->wedge) / p->pulley[SEC].wrap;
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    cap_variator_continuum_sheave sheave = {0};
    if (!c->rigid[k] && !(c->settings.tilt[k] > 0.0))
      cap_variator_continuum_sheave_even(&c->v->pulley[k], q->radius + c->flank, q->wrap, c->v->wedge,
                                         p->load.clamping, &sheave);
    q->tilt = c->settings.tilt[k] > 0.0 ? c->settings.tilt[k] : sheave.tilt;
    q->arc.flank = c->warm[k];
    q->arc.flank.even_rub = false;
    q->arc.offset = -0.8;
    q->arc.centre = 0.65 * q->wrap;
    q->arc.sweeps = 0;
  }
}

/* ---- what follows -------------------------------------------------------------------------------------- */

static void follow_speeds(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    q->slip = slip_unit(c, p, k) / q->radius * q->arc.slip_mean;
    q->centre = (c->compliant ? q->arc.flank.nearest : q->arc.centre) / q->wrap;
  }
  cap_variator_continuum_pulley *P = &p->pulley[PRI], *S = &p->pulley[SEC];
  p->speed = fabs(P->speed * P->radius * (1.0 + P->slip));
  p->slip_creep = (1.0 + S->slip) / (1.0 + P->slip) - 1.0;
  p->slip_gaps = p->push[LOWER] <= p->push[UPPER] ? p->endplay / (P->radius * P->wrap)
                                                  : -p->endplay / (S->radius * S->wrap);
  p->speed_ratio = p->edge_ratio * (1.0 + p->slip_creep) * (1.0 + p->slip_chain) * (1.0 + p->slip_gaps);
  S->speed = P->speed / p->speed_ratio;
}

static void follow_powers(const cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  double difference = p->net[LOWER] - p->net[UPPER];
  p->loss_ring = fabs(p->ring[LOWER] - p->ring[UPPER]) * p->ring_slip;
  p->loss_chain = fabs(p->push[UPPER] - p->push[LOWER]) * p->speed *
                  (fabs(p->slip_chain) + fabs(p->slip_gaps));
  p->loss = p->loss_ring + p->loss_chain;
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    double scale = entry_force(p, k) * fabs(q->speed) * slip_unit(c, p, k);
    q->loss_along = scale * q->arc.along;
    q->loss_across = scale * q->arc.across;
    q->loss_ends = c->compliant ? scale * q->arc.flank.ends : 0.0;
    p->loss += q->loss_along + q->loss_across + q->loss_ends;
  }
  double out = -p->load.torque * p->pulley[SEC].speed, in = out + p->loss;
  p->pulley[SEC].torque = p->load.torque;
  p->pulley[PRI].torque = p->load.speed != 0.0 ? in / p->load.speed : difference * p->pulley[PRI].radius;
  p->efficiency = out > 0.0 ? out / in : in < 0.0 ? in / out : 0.0;
  p->ring_share = fabs(difference) > 1e-6 * p->net[UPPER] ? (p->ring[LOWER] - p->ring[UPPER]) / difference
                                                          : 0.0;
}

/* ---- limits -------------------------------------------------------------------------------------------- */

/* Force difference N_l - N_u for which the secondary's growth is this; its N_u goes to *entry. `warm`: where
 * an arc with compliant flanks begins to look. NAN: none. */
static double difference_at(const cap_variator_continuum *c, const cap_variator_continuum_point *p,
                            double growth, cap_variator_continuum_flank *warm, double *entry)
{
  cap_variator_continuum_arc arc = p->pulley[SEC].arc;
  if (c->compliant && warm->known) {
    cap_variator_continuum_flank now = arc.flank;
    arc.flank = *warm;
    memcpy(arc.flank.gain, now.gain, sizeof now.gain);
    arc.flank.harmonics = now.harmonics, arc.flank.opening = now.opening;
  }
  if (!cap_variator_continuum_arc_find(&c->rule, &arc, CAP_VARIATOR_CONTINUUM_GROWTH, growth)) return NAN;
  *entry = p->load.clamping / arc.clamp;
  if (c->compliant) {
    arc.flank.entry = entry_slip(c, *entry); /* for the next */
    *warm = arc.flank;
  }
  return *entry * expm1(growth);
}

/* Up to twelve rounds: the direction of slip at the entry goes with the force that enters. `was`: of the
 * point before, or 0. */
static double limit_at(const cap_variator_continuum *c, const cap_variator_continuum_point *p, double growth,
                       cap_variator_continuum_flank *warm, double was)
{
  double now = was, before, entry;
  for (int k = 0; k < 12; k++) {
    before = now, now = difference_at(c, p, growth, warm, &entry);
    if (!c->compliant || !isfinite(now) || fabs(now - before) < 3e-5 * fabs(now)) break;
  }
  return now;
}

static void find_limits(cap_variator_continuum *c, cap_variator_continuum_point *p)
{
  const cap_variator_continuum_pulley *P = &p->pulley[PRI], *S = &p->pulley[SEC];
  double most = fmin(largest_growth(&P->arc), largest_growth(&S->arc));
  double sign = p->load.torque > 0.0 ? -1.0 : 1.0, limit = largest_gain(&S->arc) * p->load.clamping;
  if (P->wrap < (c->compliant ? 0.995 : 1.02) * S->wrap) {
    int way = sign > 0.0;
    double most_there = limit_at(c, p, sign * largest_growth(&P->arc), &c->limit[way], c->limit_was[way]);
    c->limit_was[way] = isfinite(most_there) ? most_there : 0.0;
    limit = fmin(limit, fabs(most_there));
  }
  p->torque_limit = -S->radius * sign * limit;
  double radius[PULLEYS] = {P->radius, S->radius}, wrap[PULLEYS] = {P->wrap, S->wrap};
  double entry = p->load.clamping / S->arc.clamp;
  double inertia = cap_variator_continuum_belt_inertia(c->v, p->speed) + p->prestress, growth, now = 0.0;
  growth = cap_variator_continuum_belt_growth(c->v, radius, wrap, p->speed, entry, NULL);
  double kappa = exp(growth), nearly = c->compliant ? 3e-5 : 1e-7;
  if (c->compliant && c->transition_entry > 0.0) { /* the force that enters then, as it was last */
    now = c->transition_was;
    growth = log(kappa + inertia * (kappa - 1.0) / c->transition_entry);
    if (!(fabs(growth) < most)) now = 0.0, growth = log(kappa);
  }
  for (int k = 0; k < 12; k++) {
    double before = now;
    now = difference_at(c, p, growth, &c->transition, &entry);
    if (!isfinite(now) || fabs(now - before) < nearly * (1.0 + fabs(now))) break;
    growth = log(kappa + inertia * (kappa - 1.0) / entry);
    if (!(fabs(growth) < most)) now = NAN;
  }
  c->transition_was = now;
  c->transition_entry = isfinite(now) ? entry : 0.0;
  p->torque_transition = -S->radius * now;
}

/* Figures that have no value while the belt slides through. */
static void slide(cap_variator_continuum_point *p)
{
  double *none[] = {&p->thrust_ratio, &p->speed_ratio, &p->net[0],      &p->net[1],      &p->push[0],
                    &p->push[1],      &p->ring[0],     &p->ring[1],     &p->ring_growth, &p->ring_slip,
                    &p->ring_share,   &p->stretch,     &p->compression, &p->endplay,     &p->prestress,
                    &p->slip_creep,   &p->slip_chain,  &p->slip_gaps,   &p->loss_ring,   &p->loss_chain,
                    &p->loss,         &p->efficiency};
  for (size_t k = 0; k < sizeof none / sizeof *none; k++) *none[k] = NAN;
  for (int k = 0; k < PULLEYS; k++) {
    cap_variator_continuum_pulley *q = &p->pulley[k];
    q->clamping = k == SEC ? p->load.clamping : NAN;
    q->torque = k == SEC ? p->load.torque : NAN;
    q->spiral = q->centre = q->slip = q->loss_along = q->loss_across = q->loss_ends = NAN;
  }
  p->pulley[SEC].speed = NAN;
}

/* ---- a point ------------------------------------------------------------------------------------------- */

static cap_status check_loads(const cap_variator_continuum *c, const cap_variator_loads *load, double rate,
                              cap_error *error)
{
  if (!(isfinite(load->ratio) && load->ratio > 0.0 && isfinite(load->torque) && isfinite(load->speed) &&
        isfinite(rate)))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected finite ratio, torque, speed and rate of shifting, and a ratio above 0");
  if (!(isfinite(load->clamping) && load->clamping > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a clamping force above 0 N, got %.6g N",
                           load->clamping);
  bool rigid = !c->compliant && (c->rigid[PRI] || c->rigid[SEC]);
  if (rate != 0.0 && (rigid || load->speed == 0.0))
    return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                           "shifting in the creep mode requires sheaves that tilt and a speed above 0; "
                           "expected a compliance of the "
                           "sheaves, or a tilt above 0");
  return CAP_OK;
}

/* Length of the ring under the tension that (2.45) gives. */
static double first_length(const cap_variator *v, const cap_variator_loads *load)
{
  double tension = 2.0 * load->clamping * tan(v->wedge) / M_PI;
  return v->ring_length * (1.0 + tension / v->ring.EA);
}

/* A new point; or, from one that was solved, another near it: its arcs, tilts and length of the ring are
 * kept. */
static double begin(const cap_variator_continuum *c, const cap_variator_loads *load, double rate, bool near,
                    cap_variator_continuum_point *point)
{
  double length = near ? c->v->ring_length + point->stretch : first_length(c->v, load);
  if (!near) *point = (cap_variator_continuum_point){.load = *load};
  point->rate = rate;
  return length;
}

/* Largest change of an entry force and of a mean slip, relative, and of a direction of slip at the entry. */
static double entry_change(const cap_variator_continuum_point *p, const double *net, const double *entry)
{
  double change = 0.0;
  for (int k = 0; k < PULLEYS; k++) {
    change = fmax(change, fabs(p->net[k] - net[k]) / p->net[k]);
    change = fmax(change, fabs(p->pulley[k].entry - entry[k]));
    change = fmax(change, 3e-4 * p->rubs[k]); /* to 0.003 */
  }
  return change;
}

/* Passes over arcs, sheaves and belt until length and tilts stay. */
static cap_status settle_point(const cap_variator_continuum *c, double length, bool near,
                               cap_variator_continuum_point *point, cap_error *error)
{
  bool speeds_matter = point->rate != 0.0 ||
                       capm_friction_form_of(&c->v->contact.flank_friction) != CAPM_FRICTION_CONSTANT;
  for (point->passes = 1; point->passes <= 60; point->passes++) {
    if (cap_progress_stopped(c->settings.progress))
      return cap_status_fail(error, CAP_STOPPED, "interrupted in the continuum model");
    CAP_TRY(place_belt(c, length, point, error));
    if (point->passes == 1 && !near) guess(c, point);
    const double net[2] = {point->net[0], point->net[1]};
    const double entry[2] = {point->pulley[0].entry, point->pulley[1].entry};
    prepare(c, point);
    solve_arcs(c, point);
    if (point->state != CAP_VARIATOR_CONTINUUM_HOLDS) break;
    double change = c->compliant ? entry_change(point, net, entry) : tilt_sheaves(c, point), before = length;
    follow_speeds(c, point);
    length = cap_variator_continuum_belt_fill(c->v, &c->rule, point);
    follow_speeds(c, point);
    bool level = !c->compliant && !speeds_matter;
    if (fabs(length - before) < 1e-9 * length && (level || change < (c->compliant ? 1e-6 : 1e-9))) break;
  }
  if (c->compliant && point->state == CAP_VARIATOR_CONTINUUM_HOLDS) tilt_sheaves(c, point);
  point->thrust_ratio = point->pulley[PRI].clamping / point->load.clamping;
  return CAP_OK;
}

static void finish(cap_variator_continuum *c, cap_variator_continuum_point *point)
{
  for (int k = 0; k < PULLEYS && !c->compliant; k++) point->pulley[k].entry = NAN;
  const cap_variator_continuum_pulley *S = &point->pulley[SEC];
  double mu = capm_friction_at(&c->v->contact.flank_friction, S->arc.unit, NULL);
  double most = 2.0 * mu * point->load.clamping / cos(c->v->wedge);
  point->torque_ratio = fabs(point->load.torque) / S->radius / most;
  point->sweeps = point->pulley[PRI].arc.sweeps + S->arc.sweeps;
  if (point->state == CAP_VARIATOR_CONTINUUM_HOLDS) {
    follow_powers(c, point);
    find_limits(c, point);
    return;
  }
  point->speed = fabs(point->load.speed) * point->pulley[PRI].radius;
  find_limits(c, point);
  slide(point);
}

/* A point without its limits and powers. */
static cap_status hold(cap_variator_continuum *c, const cap_variator_loads *load, double rate,
                       cap_variator_continuum_point *point, cap_error *error)
{
  double length = begin(c, load, rate, false, point);
  CAP_TRY(check_loads(c, load, rate, error));
  CAP_TRY(settle_point(c, length, false, point, error));
  for (int k = 0; k < PULLEYS && point->state == CAP_VARIATOR_CONTINUUM_HOLDS; k++)
    c->warm[k] = point->pulley[k].arc.flank;
  return CAP_OK;
}

cap_status cap_variator_continuum_solve(cap_variator_continuum *c, const cap_variator_loads *load,
                                        double rate, cap_variator_continuum_point *point, cap_error *error)
{
  CAP_TRY(hold(c, load, rate, point, error));
  finish(c, point);
  return CAP_OK;
}

double cap_variator_continuum_capacity(const cap_variator_continuum *c, double ratio, double clamping)
{
  cap_variator_loads load = {.ratio = ratio, .clamping = clamping};
  cap_variator_continuum_point p = {.load = load};
  if (place_belt(c, first_length(c->v, &load), &p, NULL) != CAP_OK) return NAN;
  double mu = capm_friction_at(&c->v->contact.flank_friction, 0.0, NULL);
  return 2.0 * mu * p.pulley[SEC].radius * clamping / cos(c->v->wedge);
}

/* ---- shifting ------------------------------------------------------------------------------------------ */

/* ln i_F at a rate, less what it should be, near a point that was solved. NAN: the belt slides there. */
static double thrust_miss(const cap_variator_continuum *c, double rate, double aim,
                          cap_variator_continuum_point *point, cap_status *status, cap_error *error)
{
  cap_variator_continuum_point before = *point;
  double length = begin(c, &point->load, rate, true, point);
  *status = settle_point(c, length, true, point, error);
  if (*status == CAP_OK && point->state == CAP_VARIATOR_CONTINUUM_HOLDS)
    return log(point->thrust_ratio) - aim;
  *point = before;
  return NAN;
}

/* Delta that would make such slips. */
static double tilt_alike(const cap_variator_continuum *c, const cap_variator_continuum_point *p, int pulley)
{
  const cap_variator_continuum_pulley *q = &p->pulley[pulley];
  if (!c->compliant) return q->tilt;
  double slip = slip_unit(c, p, pulley) * cap_variator_continuum_flank_scale(&c->rule, &q->arc);
  return slip / q->radius * sin_twice(c);
}

/* i_F falls as the rate grows. Rates are looked at up to |A| of a few, beyond which the belt slides along the
 * generatrix everywhere. */
cap_status cap_variator_continuum_shift(cap_variator_continuum *c, const cap_variator_loads *load,
                                        double thrust_ratio, cap_variator_continuum_point *point,
                                        cap_error *error)
{
  if (!(thrust_ratio > 0.0 && isfinite(thrust_ratio)))
    return cap_status_fail(error, CAP_ERR_INPUT, "expected a thrust ratio above 0, got %.6g", thrust_ratio);
  CAP_TRY(hold(c, load, 0.0, point, error));
  if (point->state != CAP_VARIATOR_CONTINUUM_HOLDS) {
    finish(c, point);
    return CAP_OK;
  }
  cap_status status = check_loads(c, load, 1.0, error);
  double still = point->thrust_ratio, enough = c->compliant ? 1e-6 : 1e-10;
  double aim = log(thrust_ratio), f = log(point->thrust_ratio) - aim;
  if (status != CAP_OK) return status;
  double unit = fabs(load->speed) * fmin(tilt_alike(c, point, PRI), tilt_alike(c, point, SEC));
  double low = 0.0, high = 0.0, below = f, above = f;
  /* of the law, K is 4 to 8: a little beyond it */
  double first = c->compliant ? fmin(fmax(8.0 * fabs(f), 1e-3), 1.0) : 0.2;
  for (double step = first * unit; step < 200.0 * unit && high == 0.0 && fabs(f) > enough; step *= 2.0) {
    double rate = f > 0.0 ? step : -step, g = thrust_miss(c, rate, aim, point, &status, error);
    if (status != CAP_OK) return status;
    if (isnan(g)) break;
    if ((g > 0.0) != (f > 0.0)) high = rate, above = g;
    else low = rate, below = g;
  }
  if (high == 0.0 && fabs(f) > enough)
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "no rate of shifting in the creep mode was found for the thrust ratio %.6g; expected a value closer "
        "to the equilibrium (%.4g)",
        thrust_ratio, still);
  for (int k = 0; k < 100 && high != 0.0; k++) { /* Illinois */
    double rate = high - above * (high - low) / (above - below),
           g = thrust_miss(c, rate, aim, point, &status, error);
    if (status != CAP_OK) return status;
    if (!(fabs(g) > enough) || fabs(high - low) < enough * fabs(high)) break;
    if ((g > 0.0) != (above > 0.0)) low = high, below = above;
    else below *= 0.5;
    high = rate, above = g;
  }
  finish(c, point);
  return CAP_OK;
}

/* ---- curves -------------------------------------------------------------------------------------------- */

static void set(double *array, int at, double value)
{
  if (array) array[at] = value;
}

static void put_strand(const cap_variator_continuum_point *p, int section, double from, int n,
                       const cap_variator_continuum_curves *to)
{
  int s = section == CAP_VARIATOR_IN_US ? UPPER : LOWER;
  for (int k = 0; k < n; k++) {
    int at = section * n + k;
    set(to->along, at, from + (n > 1 ? p->strand * k / (n - 1) : 0.0));
    set(to->section, at, section);
    set(to->push, at, p->push[s]);
    set(to->ring, at, p->ring[s]);
    set(to->net, at, p->net[s]);
    set(to->normal, at, 0.0);
    set(to->axial, at, 0.0);
    set(to->longitudinal, at, 0.0);
    set(to->slip, at, 0.0);
    set(to->radial, at, 0.0);
    set(to->radius, at, NAN);
  }
}

/* Less its mean; `sunk`: Y at the same places. */
static void put_radius(const cap_variator_continuum *c, const cap_variator_continuum_point *p, int pulley,
                       int n, const double *sunk, double *radius)
{
  const cap_variator_continuum_pulley *q = &p->pulley[pulley];
  double sum = 0.0, weights = 0.0, wedge = c->v->wedge, given = c->settings.tilt[pulley];
  cap_variator_continuum_sheave sheave = {0};
  if (c->compliant) sheave.tilt = 0.0;
  else if (given > 0.0) sheave.even[1] = given * (q->radius + c->flank) / (cos(wedge) * cos(wedge));
  else if (!c->rigid[pulley])
    cap_variator_continuum_sheave_open(&c->rule, &q->arc, &c->v->pulley[pulley], q->radius + c->flank,
                                       entry_force(p, pulley), &sheave);
  for (int k = 0; k < n; k++) {
    double theta = n > 1 ? q->wrap * k / (n - 1) : 0.0, weight = k == 0 || k == n - 1 ? 0.5 : 1.0;
    radius[k] = c->compliant ? slip_unit(c, p, pulley) * sunk[k]
                             : cap_variator_continuum_sheave_radius(&sheave, wedge, theta - q->arc.centre);
    sum += weight * radius[k], weights += weight;
  }
  for (int k = 0; k < n; k++) radius[k] -= sum / weights;
}

static void put_arc(const cap_variator_continuum *c, const cap_variator_continuum_point *p, int pulley,
                    double from, int n, double *work, const cap_variator_continuum_curves *to)
{
  const cap_variator_continuum_pulley *q = &p->pulley[pulley];
  const cap_variator *v = c->v;
  cap_variator_continuum_profile f = {work,         work + n,     work + 2 * n, work + 3 * n,
                                      work + 4 * n, work + 5 * n, work + 6 * n, work + 7 * n};
  double hoop = cap_variator_continuum_belt_ring_inertia(v, p->speed);
  double inertia = cap_variator_continuum_belt_inertia(v, p->speed), entry = entry_force(p, pulley);
  double per_element = v->element.thickness / q->radius;
  double unit = q->speed * slip_unit(c, p, pulley);
  int section = pulley == PRI ? CAP_VARIATOR_IN_PRI : CAP_VARIATOR_IN_SEC;
  cap_variator_continuum_arc_curve(&c->rule, &q->arc, n, &f);
  for (int k = 0; k < n; k++) {
    int at = section * n + k;
    double net = entry * exp(f.log_force[k]);
    double ring = cap_variator_continuum_belt_ring_at(v, p, pulley, f.theta[k]);
    set(to->along, at, from + q->radius * f.theta[k]);
    set(to->section, at, section);
    set(to->push, at, fmax(ring - hoop - inertia - net, 0.0));
    set(to->ring, at, ring);
    set(to->net, at, net);
    set(to->normal, at, entry * f.normal[k] * per_element);
    set(to->axial, at, entry * f.axial[k] * per_element);
    set(to->longitudinal, at, -net * f.rate[k] * per_element);
    set(to->slip, at, f.slip_t[k] * unit);
    set(to->radial, at, f.slip_r[k] * unit);
  }
  if (to->radius) put_radius(c, p, pulley, n, f.sunk, to->radius + (size_t)section * n);
}

cap_status cap_variator_continuum_curve(const cap_variator_continuum *c,
                                        const cap_variator_continuum_point *point, int n,
                                        const cap_variator_continuum_curves *curves, cap_error *error)
{
  if (point->state != CAP_VARIATOR_CONTINUUM_HOLDS)
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "no curves along the belt at a point with macro slip or without solution; reduce the torque or "
        "increase the clamping force");
  double *work = malloc(8 * (size_t)n * sizeof *work), at = 0.0;
  if (!work) return cap_status_fail(error, CAP_ERR_NOMEM, "%s", cap_status_text(CAP_ERR_NOMEM));
  put_arc(c, point, PRI, at, n, work, curves);
  at += point->pulley[PRI].radius * point->pulley[PRI].wrap;
  put_strand(point, CAP_VARIATOR_IN_US, at, n, curves);
  at += point->strand;
  put_arc(c, point, SEC, at, n, work, curves);
  at += point->pulley[SEC].radius * point->pulley[SEC].wrap;
  put_strand(point, CAP_VARIATOR_IN_LS, at, n, curves);
  free(work);
  return CAP_OK;
}
