/* drives/pushbelt/variator/variator_start.c — see variator_start.h: forces, radii, flanks and sheaves in one
 * fixed point. */
#include "drives/pushbelt/variator/variator_start.h"
#include "drives/pushbelt/contact/flank.h"
#include "drives/pushbelt/description/tuned.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "drives/pushbelt/variator/variator_start_belt.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC, ROUNDS = 200 };

static const double MOST_STRAIN = 0.01; /* of the ring: beyond, rings of steel yield */

/* What the fixed point is about beside the state. */
typedef struct attempt {
  const cap_variator *v;
  double prestress;                   /* N */
  double shift[CAP_VARIATOR_PULLEYS]; /* m: arc's middle off the axis, towards the other pulley */
} attempt;

/* ---- forces -------------------------------------------------------------------------------------------- */

/* Eytelwein's belt on the secondary: entry force N whose wedge force, over the idle arc and the active one of
 * alpha = |ln(1 + d/N)|/mu, makes `clamp` = 2 tan(beta) F_S; d is what it gains. */
static double entry_force(double clamp, double wrap, double mu, double d)
{
  double low = d >= 0.0 ? d / expm1(mu * wrap) : -d / -expm1(-mu * wrap); /* all of the arc slides */
  double high = low + clamp / wrap + fabs(d) + 1.0;
  for (int k = 0; k < 200 && high - low > DBL_EPSILON * high; k++) {
    double n = 0.5 * (low + high), alpha = fabs(log1p(d / n)) / mu;
    double miss = (wrap - alpha) * n + fabs(d) / mu - clamp;
    *(miss > 0.0 ? &high : &low) = n;
  }
  return 0.5 * (low + high);
}

/* Tension less push in the strands, and the clamping of the primary. */
static void net_forces(const cap_variator *v, cap_variator_state *s)
{
  cap_variator_start_arc *p = &s->arc[PRI], *q = &s->arc[SEC];
  double tangent = 2.0 * tan(v->wedge), clamp = tangent * v->load.clamping;
  double mu = fmax(capm_friction_at(&v->contact.flank_friction, CAP_TUNED_START_CREEP, NULL), 1e-3) /
              sin(v->wedge);
  double mass = v->ring.mass + v->real * v->element.mass / s->edge_length, whirl = mass * s->speed * s->speed;
  double d = -v->load.torque / q->mean_edge, most = 0.999 * clamp * mu;
  s->slips = fabs(d) > most;
  if (s->slips) d = copysign(most, d);
  double in = entry_force(clamp, q->wrap, mu, d), out = in + d;
  double alpha = fabs(log(out / in)) / mu;
  s->slips = s->slips || alpha > p->wrap;
  s->active = alpha;
  s->net_us = in + whirl;
  s->net_ls = out + whirl;
  q->clamping = v->load.clamping;
  p->clamping = (fmax(p->wrap - alpha, 0.0) * out + fabs(d) / mu) / tangent;
}

/* (2.42): rings stick on the larger pulley and slide on the smaller one, with exp(mu_R phi); near the ratio 1
 * only as far as their strain takes up the difference of speeds. One strand does not push. */
static void ring_forces(const attempt *a, cap_variator_state *s)
{
  const cap_variator *v = a->v;
  const cap_variator_start_arc *p = &s->arc[PRI], *q = &s->arc[SEC];
  double mu = capm_friction_at(&v->contact.ring_friction, CAP_TUNED_START_CREEP, NULL);
  double wrap = fmin(p->wrap, q->wrap), lever = cap_variator_geometry_ring_over_edge(v);
  double slides = lever * fabs(1.0 / p->ring - 1.0 / q->ring);
  double gives = expm1(mu * wrap) * fmax(s->net_ls, s->net_us) / v->ring.EA;
  double factor = exp(mu * wrap * (gives > 0.0 ? fmin(1.0, slides / gives) : 1.0));
  if (q->ring > p->ring) factor = 1.0 / factor;
  double whirl = v->ring.mass * s->speed * s->speed;
  s->tension_ls = s->net_ls;
  s->tension_us = whirl + (s->tension_ls - whirl) * factor;
  if (s->tension_us < s->net_us) { /* the lower strand pushes */
    s->tension_us = s->net_us;
    s->tension_ls = whirl + (s->tension_us - whirl) / factor;
  }
  s->prestress = a->prestress;
  s->tension_us += a->prestress;
  s->tension_ls += a->prestress;
  s->push_us = fmax(s->tension_us - s->net_us, 0.0);
  s->push_ls = fmax(s->tension_ls - s->net_ls, 0.0);
  s->strain = v->begin == CAP_VARIATOR_BEGIN_PRIOR ? 0.0 : 0.5 * (s->tension_us + s->tension_ls) / v->ring.EA;
}

/* ---- flanks and sheaves -------------------------------------------------------------------------------- */

/* The contact kinematics of a flank at the distance rho from the axis and at `place` along it. */
typedef cap_flank_place (*kinematics)(const cap_variator *v, const cap_variator_pulley *p, double rho,
                                      double place);

/* A cone whose tip is at place 0. */
static cap_flank_place on_cone(const cap_variator *v, const cap_variator_pulley *p, double rho, double place)
{
  double sine = sin(v->wedge);
  return cap_flank_on_cone(sine, cos(v->wedge), p->flank_radius / sine, p->flank_radius, rho, 0.0,
                           -2.0 * place);
}

static cap_flank_place on_curve(const cap_variator *v, const cap_variator_pulley *p, double rho, double place)
{
  (void)v;
  _Static_assert((int)CAP_VARIATOR_SHAPE_ORDER == (int)CAP_FLANK_ORDER, "one polynomial");
  cap_flank_curve c = {.low = p->shape_low, .high = p->shape_high};
  for (int i = 0; i <= CAP_FLANK_ORDER; i++) c.a[i] = p->shape[i];
  double x = cap_flank_guess(&c, place, rho, p->flank_radius);
  cap_flank_foot(&c, place, rho, &x);
  return cap_flank_on_curve(&c, p->flank_radius, rho, 0.0, place, x);
}

/* Height of the centre of a flank above the centre of gravity. */
static double flank_height(const cap_variator *v, const cap_variator_pulley *p)
{
  return v->element.flank + p->flank_radius * sin(v->wedge);
}

/* Deflection of both sheaves under a force that is spread evenly over the arc: u = mean + swing cos(angle
 * from the middle of the arc), by least squares. */
static void deflect(const cap_variator_pulley *p, double force, double r, double wrap, double *mean,
                    double *swing)
{
  enum { N = 32 };
  double influence[N], one = 0.0, c1 = 0.0, c2 = 0.0, u0 = 0.0, u1 = 0.0, step = wrap / N;
  for (int k = 0; k < N; k++) {
    influence[k] = 0.0;
    for (int side = 0; side < CAP_VARIATOR_SHEAVES; side++)
      influence[k] += cap_influence_at(&p->sheave[side], r, k * step, r, 0.0);
  }
  for (int i = 0; i < N; i++) {
    double u = 0.0, c = cos((i + 0.5) * step - 0.5 * wrap);
    for (int j = 0; j < N; j++) u += influence[i > j ? i - j : j - i] * force / N;
    one += 1.0, c1 += c, c2 += c * c, u0 += u, u1 += u * c;
  }
  double det = one * c2 - c1 * c1;
  *swing = (one * u1 - c1 * u0) / det;
  *mean = (c2 * u0 - c1 * u1) / det;
}

/* Radius of the point of contact where a flank just touches. */
static double touching_radius(const cap_variator *v, const cap_variator_pulley *p, kinematics touch,
                              double place, double rho)
{
  cap_flank_place at = touch(v, p, rho, place);
  for (int k = 0; k < 60 && fabs(at.gap) > 1e-17; k++) {
    double step = at.gap / at.nr;
    rho -= step;
    at = touch(v, p, rho, place);
    if (!(fabs(step) > 1e-16)) break;
  }
  return at.reach;
}

/* Where the sheaves of a pulley are, and how much its arc is off the axis. */
static void set_flanks(const attempt *a, cap_variator_state *s, int pulley, double *shift)
{
  const cap_variator *v = a->v;
  const cap_variator_pulley *p = &v->pulley[pulley];
  cap_variator_start_arc *arc = &s->arc[pulley];
  kinematics touch = p->curved ? on_curve : on_cone;
  bool presses = v->begin == CAP_VARIATOR_BEGIN_NEW;
  double mean = 0.0, swing = 0.0, place = arc->touch_place;
  cap_flank_place at = touch(v, p, arc->flank, place);
  for (int k = 0; k < 60; k++) {
    if (presses) deflect(p, arc->clamping, at.reach, arc->wrap, &mean, &swing);
    arc->flank_depth = presses ? arc->clamping / (arc->elements * v->contact.flank_stiffness * at.nx) : 0.0;
    arc->gap = presses ? -arc->flank_depth - 0.5 * at.nx * mean : CAP_TUNED_START_OPEN;
    double step = (arc->gap - at.gap) / at.nx;
    place += step;
    at = touch(v, p, arc->flank, place);
    if (!(fabs(step) > 1e-16)) break;
  }
  arc->touch_place = place;
  arc->touch_radius = touching_radius(v, p, touch, place, arc->flank);
  arc->deflection = mean + swing * sin(0.5 * arc->wrap) / (0.5 * arc->wrap);
  *shift = 0.5 * swing * at.nx / at.nr;
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

static void set_arc(const attempt *a, cap_variator_state *s, int pulley, double radius, double wrap)
{
  const cap_variator *v = a->v;
  cap_variator_start_arc *arc = &s->arc[pulley];
  double tension = v->begin == CAP_VARIATOR_BEGIN_PRIOR ? 0.0 : 0.5 * (s->tension_us + s->tension_ls);
  double press = fmax(tension - v->ring.mass * s->speed * s->speed, 0.0) * v->element.thickness / radius;
  double off = a->shift[pulley] * sin(0.5 * wrap) / (0.5 * wrap);
  arc->wrap = wrap;
  arc->ring = radius;
  arc->saddle_depth = v->contact.saddle_held ? 0.0 : press / v->contact.saddle_stiffness;
  double origin = radius + arc->saddle_depth - cap_variator_geometry_ring_height(v);
  arc->edge = origin + v->element.edge;
  arc->flank = origin + flank_height(v, &v->pulley[pulley]);
  arc->mean = radius - off;
  arc->mean_edge = arc->edge - off;
  arc->centre = pulley == PRI ? 0.0 : s->ring_distance;
  arc->axis = pulley == PRI ? -a->shift[PRI] : s->ring_distance + a->shift[SEC];
}

/* The curve of the ring's length, and the ratio of its circles that makes that of the mean radii the one
 * asked for. Returns how much has changed. */
static double lay_out(const attempt *a, cap_variator_state *s)
{
  const cap_variator *v = a->v;
  double theta = s->ring_theta;
  s->ring_length = v->ring_length * (1.0 + s->strain);
  s->ring_distance = v->centre_distance - a->shift[PRI] - a->shift[SEC];
  cap_variator_line line = cap_variator_geometry_line(s->ring_length, s->ring_distance,
                                                      (1.0 + theta) / (1.0 - theta));
  s->strand = line.strand;
  s->slope = line.rise;
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) set_arc(a, s, k, line.r[k], line.wrap[k]);
  const cap_variator_start_arc *p = &s->arc[PRI], *q = &s->arc[SEC];
  double wanted = v->load.ratio * p->mean + (q->ring - q->mean);
  s->ring_theta = (wanted - p->ring) / (wanted + p->ring);
  s->edge_length = 2.0 * s->strand + p->edge * p->wrap + q->edge * q->wrap;
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++)
    s->arc[k].elements = v->real * s->arc[k].edge * s->arc[k].wrap / s->edge_length;
  s->speed = v->load.speed * p->mean_edge;
  return fabs(s->ring_theta - theta);
}

static void set_speeds(const cap_variator *v, cap_variator_state *s)
{
  const cap_variator_start_arc *large = &s->arc[v->load.ratio >= 1.0 ? SEC : PRI];
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) s->arc[k].speed = s->speed / s->arc[k].mean_edge;
  s->ring_speed = s->speed * large->ring / large->edge;
}

/* Everything but the elements; false: there is no such curve. */
static bool balance(attempt *a, cap_variator_state *s)
{
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) a->shift[k] = 0.0;
  s->ring_theta = (a->v->load.ratio - 1.0) / (a->v->load.ratio + 1.0);
  s->tension_us = s->tension_ls = s->strain = 0.0;
  for (int round = 0; round < ROUNDS; round++) {
    double length = s->ring_length, change = lay_out(a, s), shift[CAP_VARIATOR_PULLEYS];
    if (!isfinite(s->edge_length) || !(s->arc[PRI].edge > 0.0 && s->arc[SEC].edge > 0.0)) return false;
    net_forces(a->v, s);
    ring_forces(a, s);
    for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
      set_flanks(a, s, k, &shift[k]);
      change += fabs(shift[k] - a->shift[k]) / s->edge_length;
      a->shift[k] = shift[k];
    }
    change += fabs(s->ring_length - length) / s->ring_length;
    if (change < 4.0 * DBL_EPSILON) break;
  }
  set_speeds(a->v, s);
  return true;
}

/* ---- what cannot be ------------------------------------------------------------------------------------ */

static cap_status refuse(const cap_variator *v, cap_error *error, const char *why)
{
  double least, most;
  if (!cap_variator_geometry_ratios(v, &least, &most))
    return cap_status_fail_at(
        error, CAP_ERR_INPUT, "ratio",
        "%s; a ring of %.6g mm around axes %.6g mm apart fits these sheaves at no ratio", why,
        1e3 * v->ring_length, 1e3 * v->centre_distance);
  if (v->load.ratio >= least && v->load.ratio <= most)
    return cap_status_fail_at(error, CAP_ERR_INPUT, "ratio",
                              "%s; the unloaded belt fits, so saddles (%.3g N/m), flanks (%.3g N/m) or rings "
                              "are too compliant for a "
                              "clamping force of %.4g N",
                              why, v->contact.saddle_stiffness, v->contact.flank_stiffness, v->load.clamping);
  return cap_status_fail_at(error, CAP_ERR_INPUT, "ratio",
                            "%s; the unloaded belt fits with a ratio from %.4g to "
                            "%.4g",
                            why, least, most);
}

static cap_status check_radii(const cap_variator *v, const cap_variator_state *s, cap_error *error)
{
  static const char *const names[] = {"primary", "secondary"};
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++) {
    double r = s->arc[k].flank - v->pulley[k].flank_radius * sin(v->wedge);
    if (r >= v->inner && r <= v->outer) continue;
    char why[256];
    snprintf(why, sizeof why,
             "the flanks run outside the sheaves of the %s at the start; expected a radius from %.4g mm to "
             "%.4g mm, "
             "got %.4g mm at the ratio %.4g",
             names[k], 1e3 * v->inner, 1e3 * v->outer, 1e3 * r, v->load.ratio);
    return refuse(v, error, why);
  }
  return CAP_OK;
}

static cap_status attempt_at(attempt *a, double prestress, cap_variator_state *s, double *overlap,
                             cap_error *error)
{
  a->prestress = prestress;
  if (!balance(a, s)) {
    char why[128];
    snprintf(why, sizeof why, "no loaded belt with the ratio %.4g was found", a->v->load.ratio);
    return refuse(a->v, error, why);
  }
  CAP_TRY(check_radii(a->v, s, error));
  if (s->strain > MOST_STRAIN && prestress == 0.0)
    return cap_status_fail_at(error, CAP_ERR_INPUT, "secondary.clamping",
                              "the ring is stretched more than it bears; expected a strain of at most %.3g "
                              "%%, got %.3g %% under %.4g "
                              "N",
                              100.0 * MOST_STRAIN, 100.0 * s->strain, a->v->load.clamping);
  *overlap = cap_variator_start_belt_place(a->v, s);
  return CAP_OK;
}

/* ---- prestress ----------------------------------------------------------------------------------------- */

/* Elements that need more room than the ring has: the force in both, by which they agree. */
static cap_status prestress(attempt *a, cap_variator_state *s, double overlap, cap_error *error)
{
  const cap_variator *v = a->v;
  double first = overlap, low = 0.0, at_low = overlap, high = 0.0, at_high = overlap;
  double most = v->begin == CAP_VARIATOR_BEGIN_PRIOR ? MOST_STRAIN * v->contact.edge.c
                                                     : MOST_STRAIN * v->ring.EA;
  for (double step = overlap / v->ring_length * v->ring.EA; at_high > 0.0; step *= 2.0) {
    low = high;
    at_low = at_high;
    if (low >= most)
      return cap_status_fail_at(
          error, CAP_ERR_INPUT, "elements.real",
          "%d elements of %.6g mm are %.4g mm too long for the ring of %.6g mm; expected a strain of at most "
          "%.3g %%; reduce their number, or increase the length of the ring",
          v->real, 1e3 * v->element.thickness, 1e3 * first, 1e3 * v->ring_length, 100.0 * MOST_STRAIN);
    high = fmin(low + step, most);
    CAP_TRY(attempt_at(a, high, s, &at_high, error));
  }
  for (int k = 0; k < 100 && fabs(at_high) > 1e-14 && fabs(high - low) > DBL_EPSILON * high; k++) {
    double next = high - at_high * (high - low) / (at_high - at_low), at;
    CAP_TRY(attempt_at(a, next, s, &at, error));
    if ((at > 0.0) == (at_high > 0.0)) at_low *= 0.5; /* Illinois */
    else {
      low = high;
      at_low = at_high;
    }
    high = next;
    at_high = at;
  }
  return CAP_OK;
}

cap_status cap_variator_start(const cap_variator *v, cap_arena *arena, cap_variator_state *out,
                              cap_error *error)
{
  *out = (cap_variator_state){.n = v->simulated};
  if (v->simulated < 8)
    return cap_status_fail_at(error, CAP_ERR_INPUT, "elements.simulated", "expected at least 8, got %d",
                              v->simulated);
  double **arrays[] = {&out->x,  &out->y, &out->pitch, &out->vx,
                       &out->vy, &out->w, &out->place, &out->section};
  for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
    if (!(*arrays[k] = CAP_ARENA_NEW(arena, double, v->simulated)))
      return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  attempt a = {.v = v};
  double overlap;
  CAP_TRY(attempt_at(&a, 0.0, out, &overlap, error));
  if (overlap > 0.0) CAP_TRY(prestress(&a, out, overlap, error));
  else cap_variator_start_belt_open(v, out, -overlap);
  cap_variator_start_belt_move(v, out);
  return CAP_OK;
}
