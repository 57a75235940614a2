/* drives/accessory/belt/belt_statics.c — see belt_statics.h.
 *
 * Two nested iterations. Inside, at a fixed arm angle, Newton finds the tension x in the exit span of the
 * crank and the material rate g: one pass around the loop gives all tensions with their slopes. Outside, with
 * a free arm, Newton within a bracket finds the angle at which the belt closes; the closure grows with the
 * angle along the sense of the spring, so that there is one root at most.
 */
#include "drives/accessory/belt/belt_statics.h"

#include <math.h>

enum { X, G, NSLOPE }; /* slopes to x and g */
enum { MOST_INNER = 60, MOST_OUTER = 80 };

/* A quantity with its slopes. */
typedef struct value {
  double v, d[NSLOPE];
} value;

/* One trial: everything at an arm angle, x and g. */
typedef struct trial {
  const cap_belt *belt;
  const cap_belt_statics_case *which;
  cap_belt_path *path;
  bool elastic; /* stretches; the nominal belt does not */
  bool by_arm;  /* the spring of the arm sets the tension; else the closure */
  double angle, x, g;
  value firm;                                               /* N, EA - m g^2 */
  value t[CAP_BELT_PATH_MOST], stretch[CAP_BELT_PATH_MOST]; /* effective tension, stretch of the spans */
  bool slack;                                               /* refused because a span is */
} trial;

static int before(const trial *w, int i)
{
  return i ? i - 1 : w->belt->npulley - 1;
}

static int after(const trial *w, int i)
{
  return i + 1 < w->belt->npulley ? i + 1 : 0;
}

/* How far the tensioner moves to matter as much as a radian of an arm: its search takes steps by it. */
static double wide(const trial *w)
{
  return cap_belt_slides(&w->belt->arm) ? 0.1 : 1.0;
}

static double crank_rim(const trial *w)
{
  return w->belt->pulleys[w->belt->crank].radius * w->which->speed;
}

/* m of the unstretched belt. */
static double own_length(const trial *w)
{
  return w->belt->length0 + w->which->longer;
}

static cap_status place(trial *w, double angle, cap_error *error)
{
  w->angle = angle;
  w->slack = false;
  return cap_belt_path_solve(w->belt, angle, w->path, error);
}

static value stretch_of(const trial *w, const value *t)
{
  if (!w->elastic) return (value){.v = 1.0};
  value s = {.v = (w->belt->EA + t->v) / w->firm.v};
  for (int k = 0; k < NSLOPE; k++) s.d[k] = (t->d[k] - s.v * w->firm.d[k]) / w->firm.v;
  return s;
}

/* Effective tension behind a pulley that takes its load. */
static value pass(const trial *w, const cap_belt_pulley *p, const value *t, const value *stretch)
{
  value out = *t;
  if (w->which->unloaded) return out;
  double speed = w->g * stretch->v / p->radius, slope = cap_belt_torque_slope(&p->load, speed) / p->radius;
  out.v += (cap_belt_torque(&p->load, speed) + p->beside) / p->radius;
  out.d[X] += slope * w->g * stretch->d[X] / p->radius;
  out.d[G] += slope * (stretch->v + w->g * stretch->d[G]) / p->radius;
  return out;
}

/* All tensions, along the travel of the belt from the exit of the crank to its entry. */
static void go_around(trial *w)
{
  double m = w->belt->mass;
  w->firm = (value){.v = w->belt->EA - m * w->g * w->g, .d = {[G] = -2.0 * m * w->g}};
  int i = w->belt->crank;
  w->t[i] = (value){.v = w->x, .d = {[X] = 1.0}};
  w->stretch[i] = stretch_of(w, &w->t[i]);
  for (int p = after(w, i); p != w->belt->crank; i = p, p = after(w, p)) {
    w->t[p] = pass(w, &w->belt->pulleys[p], &w->t[i], &w->stretch[i]);
    w->stretch[p] = stretch_of(w, &w->t[p]);
  }
}

/* The same as of `arc` with a slack span at the pulley, which ends up refused: the limit of a tension that
 * vanishes, so that the closure goes on without a jump and Newton finds how much is missing. */
static value slack_arc(const trial *w, int p, double *over_wrap)
{
  double r = w->belt->pulleys[p].radius / w->belt->EA, wrap = w->path->pulley[p].wrap;
  *over_wrap = r * w->firm.v;
  value a = {.v = r * wrap * w->firm.v};
  for (int k = 0; k < NSLOPE; k++) a.d[k] = r * wrap * w->firm.d[k];
  return a;
}

/* Unstretched length on the arc of a pulley, and its slope over the wrap. */
static value arc(const trial *w, int p, double *over_wrap)
{
  const value *t1 = &w->t[before(w, p)], *t2 = &w->t[p];
  const value *s1 = &w->stretch[before(w, p)], *s2 = &w->stretch[p];
  double r = w->belt->pulleys[p].radius, wrap = w->path->pulley[p].wrap, mu = w->belt->pulleys[p].friction;
  if (!(t1->v > 0.0 && t2->v > 0.0)) return slack_arc(w, p, over_wrap);
  double EA = w->belt->EA, ratio = log(t2->v / t1->v);
  bool gross = fabs(ratio) > mu * wrap; /* the friction that would just do stands in */
  double signed_mu = copysign(gross ? fabs(ratio) / wrap : mu, ratio);
  double beta = ratio != 0.0 ? ratio / signed_mu : 0.0,
         thin = ratio != 0.0 ? log(s2->v / s1->v) / signed_mu : 0.0;
  double firm = w->firm.v / EA;
  value a = {.v = r * ((wrap - beta) / s1->v + firm * (beta - thin))};
  *over_wrap = gross ? a.v / wrap : r / s1->v;
  for (int k = 0; k < NSLOPE; k++) {
    double dratio = ratio != 0.0 ? t2->d[k] / t2->v - t1->d[k] / t1->v : 0.0;
    double dthin = ratio != 0.0 ? (s2->d[k] / s2->v - s1->d[k] / s1->v) / signed_mu : 0.0;
    double dbeta = gross || ratio == 0.0 ? 0.0 : dratio / signed_mu;
    if (gross) dthin -= thin * dratio / ratio;
    a.d[k] = r * (-dbeta / s1->v - (wrap - beta) * s1->d[k] / (s1->v * s1->v) +
                  w->firm.d[k] / EA * (beta - thin) + firm * (dbeta - dthin));
  }
  return a;
}

/* Unstretched length that the loop holds, less that of the belt; over_angle: its slope at fixed x and g. */
static value closure(const trial *w, double *over_angle)
{
  value sum = {.v = -own_length(w)};
  *over_angle = 0.0;
  for (int i = 0; i < w->belt->npulley; i++) {
    double over_wrap, length = w->path->span[i].length, s = w->stretch[i].v;
    value a = arc(w, i, &over_wrap);
    sum.v += length / s + a.v;
    for (int k = 0; k < NSLOPE; k++) sum.d[k] += a.d[k] - length * w->stretch[i].d[k] / (s * s);
    *over_angle += w->path->span[i].dlength / s + over_wrap * w->path->pulley[i].dwrap;
  }
  return sum;
}

/* Torque of the belt on the arm less that of its spring; both against and along the sense. */
static value balance(const trial *w, double *over_angle)
{
  const cap_belt_arm *arm = &w->belt->arm;
  value sum = {.v = -arm->sense * (cap_belt_spring(arm, w->angle) + w->which->friction)};
  *over_angle = arm->rate;
  for (int i = 0; i < w->belt->npulley; i++) {
    sum.v += w->t[i].v * w->path->span[i].stretch;
    for (int k = 0; k < NSLOPE; k++) sum.d[k] += w->t[i].d[k] * w->path->span[i].stretch;
    *over_angle += w->t[i].v * w->path->span[i].dstretch;
  }
  return sum;
}

/* Speed of the belt where it meets the crank, less that of the rim. */
static value crank_speed(const trial *w)
{
  const value *s = &w->stretch[before(w, w->belt->crank)];
  return (value){.v = w->g * s->v - crank_rim(w), .d = {w->g * s->d[X], s->v + w->g * s->d[G]}};
}

/* (a, b) := -[a.d; b.d]^-1 (a, b). */
static bool newton_step(const value *a, const value *b, double *dx, double *dg)
{
  double det = a->d[X] * b->d[G] - a->d[G] * b->d[X];
  *dx = (a->d[G] * b->v - b->d[G] * a->v) / det;
  *dg = (b->d[X] * a->v - a->d[X] * b->v) / det;
  return isfinite(*dx) && isfinite(*dg);
}

/* Where Newton starts: a belt that does not stretch, then the tension that the arm or the length asks for. */
static void guess(trial *w)
{
  bool elastic = w->elastic;
  double mean = 0.0, length = 0.0, unused;
  w->x = 0.0, w->g = crank_rim(w), w->elastic = false;
  go_around(w);
  w->elastic = elastic;
  if (w->by_arm) {
    value b = balance(w, &unused);
    w->x = -b.v / b.d[X];
    return;
  }
  for (int i = 0; i < w->belt->npulley; i++) {
    mean += w->t[i].v * w->path->span[i].length;
    length += w->path->span[i].length;
  }
  w->x = w->firm.v * w->path->length / own_length(w) - w->belt->EA - mean / length;
}

static double rpm(const trial *w)
{
  return w->which->speed * 30.0 / M_PI;
}

/* A ratio of tensions of 1e6 would need friction times wrap of 14, which no belt has: that is slack, too. */
static cap_status refuse_slack(trial *w, cap_error *error)
{
  int low = 0, high = 0;
  for (int i = 1; i < w->belt->npulley; i++) {
    if (w->t[i].v < w->t[low].v) low = i;
    if (w->t[i].v > w->t[high].v) high = i;
  }
  if (w->t[low].v > 1e-6 * w->t[high].v && w->t[low].v > 0.0) return CAP_OK;
  w->slack = true;
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "the belt would be slack from %s to %s at a crank speed of %.6g rpm; expected an "
                         "effective tension above 0 N, got %.4g N",
                         w->belt->pulleys[low].name, w->belt->pulleys[after(w, low)].name, rpm(w),
                         w->t[low].v);
}

/* Newton goes to and fro over the kink where a span gets slack: judged by the slacker one of two steps. */
static cap_status refuse_restless(trial *w, double dx, double dg, cap_error *error)
{
  go_around(w);
  CAP_TRY(refuse_slack(w, error));
  w->x -= dx, w->g -= dg;
  go_around(w);
  CAP_TRY(refuse_slack(w, error));
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "the belt tensions did not converge at a crank speed of %.6g rpm", rpm(w));
}

/* x and g at the angle where the path stands. */
static cap_status find_tensions(trial *w, cap_error *error)
{
  guess(w);
  double unused, dx = 0.0, dg = 0.0, rounding = 1e-14 * w->belt->EA, rim = crank_rim(w);
  for (int k = 0; k < MOST_INNER; k++) {
    go_around(w);
    if (!(w->firm.v > 0.0))
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "the belt runs faster than its longitudinal waves at a crank speed of %.6g rpm; "
                             "expected a lower speed, or a belt with a higher stiffness or a smaller mass",
                             rpm(w));
    value a = w->by_arm ? balance(w, &unused) : closure(w, &unused), b = crank_speed(w);
    if (!newton_step(&a, &b, &dx, &dg)) break;
    w->x += dx, w->g += dg;
    if (fabs(dx) <= 1e-10 * fabs(w->x) + rounding && fabs(dg) <= 1e-11 * rim) {
      go_around(w);
      return CAP_OK;
    }
  }
  return refuse_restless(w, dx, dg, error);
}

/* Total slope of the closure over the arm angle, the arm in balance. */
static double closure_slope(const trial *w, const value *c, double over_angle)
{
  double bent;
  value a = balance(w, &bent), b = crank_speed(w);
  double dx, dg;
  a.v = bent, b.v = 0.0;
  if (!newton_step(&a, &b, &dx, &dg)) return NAN;
  return over_angle + c->d[X] * dx + c->d[G] * dg;
}

/* The closure in m with the arm in balance at an angle, and its slope. */
static cap_status try_angle(trial *w, double angle, double *residual, double *slope, cap_error *error)
{
  const cap_belt_words *words = cap_belt_words_of(&w->belt->arm);
  CAP_TRY(place(w, angle, error));
  if (!(w->path->take_up * w->belt->arm.sense > 0.0))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the spring does not tighten the belt with the %s at %.4g %s, beyond its dead "
                           "centre; expected a shorter belt, or another start %s",
                           words->part, angle * words->scale, words->unit, words->place);
  CAP_TRY(find_tensions(w, error));
  double over_angle;
  value c = closure(w, &over_angle);
  *residual = c.v;
  *slope = closure_slope(w, &c, over_angle);
  return CAP_OK;
}

/* Angles between which the root lies. An end that is a stop was not tried yet. */
typedef struct bracket {
  double low, high;
  bool low_is_stop, high_is_stop;
} bracket;

static bracket open_bracket(const cap_belt_arm *arm)
{
  if (arm->stop_low < arm->stop_high) return (bracket){arm->stop_low, arm->stop_high, true, true};
  return (bracket){-INFINITY, INFINITY, false, false};
}

static void narrow(bracket *b, double angle, bool root_above)
{
  if (root_above) b->low = angle, b->low_is_stop = false;
  else b->high = angle, b->high_is_stop = false;
}

/* The next angle: as Newton wants it, but within the bracket and not too far. */
static double next_angle(const bracket *b, double angle, double way, double most)
{
  double want = angle + fmin(fmax(way, -most), most);
  if (want <= b->low) return b->low_is_stop ? b->low : 0.5 * (angle + b->low);
  if (want >= b->high) return b->high_is_stop ? b->high : 0.5 * (angle + b->high);
  return want;
}

static cap_status refuse_stop(const trial *w, double residual, cap_error *error)
{
  const cap_belt_words *words = cap_belt_words_of(&w->belt->arm);
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "the %s would pass its stop at %.4g %s at a crank speed of %.6g rpm; expected a "
                         "belt %s by %.3g mm, or wider stops",
                         words->part, w->angle * words->scale, words->unit, rpm(w),
                         residual > 0.0 ? "longer" : "shorter", fabs(residual) * 1e3);
}

/* From an angle with a geometry towards another, as far as there is one. */
static cap_status approach(trial *w, double from, double *to, double *residual, double *slope,
                           cap_error *error)
{
  cap_status status = try_angle(w, *to, residual, slope, error);
  while (status != CAP_OK && fabs(*to - from) > 1e-6 * wide(w)) {
    *to = 0.5 * (from + *to);
    status = try_angle(w, *to, residual, slope, error);
  }
  return status;
}

/* Where the search starts: the arm as it stands, or where a belt without stretch would put it. */
static cap_status first_angle(trial *w, const bracket *b, double *angle, double *residual, double *slope,
                              cap_error *error)
{
  cap_belt_path_roots roots;
  *angle = fmin(fmax(w->belt->arm.angle, b->low), b->high);
  if (try_angle(w, *angle, residual, slope, error) == CAP_OK) return CAP_OK;
  CAP_TRY(cap_belt_path_arm_angle(w->belt, own_length(w), &roots, error));
  *angle = roots.angle[0];
  return try_angle(w, *angle, residual, slope, error);
}

/* The arm angle at which the belt closes. */
static cap_status find_angle(trial *w, int *tried, cap_error *error)
{
  const cap_belt_arm *arm = &w->belt->arm;
  bracket b = open_bracket(arm);
  double angle, residual, slope;
  CAP_TRY(first_angle(w, &b, &angle, &residual, &slope, error));
  for (*tried = 1; *tried < MOST_OUTER; (*tried)++) {
    bool above = residual * arm->sense < 0.0;
    if ((angle == b.low && b.low_is_stop && !above) || (angle == b.high && b.high_is_stop && above))
      return refuse_stop(w, residual, error);
    narrow(&b, angle, above);
    double way = -residual / slope;
    if (fabs(way) <= 1e-12 * wide(w)) return CAP_OK;
    if (b.high - b.low <= 1e-12 * wide(w)) break;
    if (!isfinite(way) || (way > 0.0) != above) way = (above ? 0.1 : -0.1) * wide(w);
    double next = next_angle(&b, angle, way, 0.2 * wide(w));
    CAP_TRY(approach(w, angle, &next, &residual, &slope, error));
    angle = next;
  }
  CAP_TRY(refuse_slack(w, error));
  const cap_belt_words *words = cap_belt_words_of(arm);
  return cap_status_fail(error, CAP_ERR_NUMERICS, "the %s %s did not converge at a crank speed of %.6g rpm",
                         words->part, words->place, rpm(w));
}

static void fill_span(const trial *w, int i, cap_belt_statics_span *span)
{
  span->effective = w->t[i].v;
  span->stretch = w->stretch[i].v;
  span->tension = w->t[i].v + w->belt->mass * w->g * w->g * w->stretch[i].v;
}

/* ln(t_out / t_in), 0 within rounding. */
static double tension_ratio(const trial *w, int i)
{
  double in = w->t[before(w, i)].v, out = w->t[i].v;
  return fabs(out - in) <= 1e-12 * (fabs(in) + fabs(out)) ? 0.0 : log(out / in);
}

static void fill_pulley(const trial *w, int i, cap_belt_statics_pulley *p)
{
  const cap_belt_pulley *pulley = &w->belt->pulleys[i];
  const value *t1 = &w->t[before(w, i)], *t2 = &w->t[i];
  const value *s1 = &w->stretch[before(w, i)], *s2 = &w->stretch[i];
  const double *u1 = w->path->span[before(w, i)].u, *u2 = w->path->span[i].u;
  double ratio = fabs(tension_ratio(w, i)), grip = pulley->friction * w->path->pulley[i].wrap;
  p->speed = w->g * s1->v / pulley->radius;
  p->torque = (t2->v - t1->v) * pulley->radius;
  p->power = p->torque * p->speed;
  p->hub_x = t2->v * u2[0] - t1->v * u1[0];
  p->hub_y = t2->v * u2[1] - t1->v * u1[1];
  p->slip_arc = ratio > 0.0 ? ratio / pulley->friction : 0.0;
  p->safety = ratio > 0.0 ? grip / ratio : INFINITY;
  p->reserve = exp(grip - ratio);
  p->slip_torque = pulley->radius * fmin(t1->v, t2->v) * expm1(grip);
  p->creep = 1.0 - s1->v / w->stretch[before(w, w->belt->crank)].v;
  p->slip_speed = w->g * (s2->v - s1->v);
  p->loss = 0.5 * (t2->v - t1->v) * p->slip_speed;
}

static void fill(const trial *w, cap_belt_statics *s)
{
  int crank = w->belt->crank;
  double torque = 0.0;
  s->slipping = -1;
  for (int i = 0; i < s->n; i++) {
    fill_span(w, i, &s->spans[i]);
    fill_pulley(w, i, &s->pulleys[i]);
    torque += w->t[i].v * w->path->span[i].stretch;
    if (s->pulleys[i].safety < (s->slipping < 0 ? 1.0 : s->pulleys[s->slipping].safety)) s->slipping = i;
  }
  s->angle = w->angle;
  s->take_up = w->path->take_up;
  s->arm_torque = cap_belt_has_arm(w->belt) ? w->belt->arm.sense * torque : 0.0;
  s->stop_torque = cap_belt_has_arm(w->belt) ? s->arm_torque - cap_belt_spring(&w->belt->arm, w->angle) : 0.0;
  s->rate = w->g;
  s->belt_speed = crank_rim(w);
  s->centrifugal = s->spans[crank].tension - s->spans[crank].effective;
  s->pitch_length = w->path->length;
}

static cap_status solve_at(trial *w, double angle, cap_error *error)
{
  CAP_TRY(place(w, angle, error));
  return find_tensions(w, error);
}

/* The nominal drive: it rests first; then the belt stretches no more, and the arm stays where it is. */
static cap_status solve_nominal(trial *w, int *tried, cap_error *error)
{
  const cap_belt_statics_case *which = w->which, rest = {.longer = which->longer, .unloaded = true};
  if (!w->by_arm)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "no nominal tension without a tensioner; expected arm: free or locked");
  w->which = &rest;
  CAP_TRY(find_angle(w, tried, error));
  w->which = which;
  w->elastic = false;
  return solve_at(w, w->angle, error);
}

cap_status cap_belt_statics_solve_fixed(const cap_belt *belt, const cap_belt_statics_case *which,
                                        cap_belt_statics *s, cap_error *error)
{
  trial w = {.belt = belt, .which = which, .path = &s->path, .elastic = true};
  cap_status status;
  w.by_arm = which->arm != CAP_BELT_STATICS_LOCKED && cap_belt_has_arm(belt);
  *s = (cap_belt_statics){.n = belt->npulley, .slipping = -1, .iterations = 1};
  if (which->arm == CAP_BELT_STATICS_NOMINAL) status = solve_nominal(&w, &s->iterations, error);
  else if (w.by_arm) status = find_angle(&w, &s->iterations, error);
  else status = solve_at(&w, which->angle, error);
  if (status == CAP_OK) status = refuse_slack(&w, error);
  if (status == CAP_OK) fill(&w, s);
  s->slack = status != CAP_OK && w.slack;
  return status;
}

cap_status cap_belt_statics_solve(const cap_belt *belt, const cap_belt_statics_case *which,
                                  cap_belt_statics *s, cap_error *error)
{
  bool hubs = belt->npulley <= CAP_BELT_PATH_MOST && cap_belt_has_hubs(belt);
  cap_status status = hubs ? cap_belt_statics_hubs_solve(belt, which, s, error)
                           : cap_belt_statics_solve_fixed(belt, which, s, error);
  if (status == CAP_ERR_INPUT && s->slack && error) cap_belt_statics_limit(belt, which, error);
  return status;
}

double cap_belt_statics_free_angle(const cap_belt_arm *arm)
{
  return arm->torque_angle + arm->sense * arm->torque_at / arm->rate;
}
