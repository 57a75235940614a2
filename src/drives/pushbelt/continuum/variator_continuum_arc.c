/* drives/pushbelt/continuum/variator_continuum_arc.c — see variator_continuum_arc.h. */
#include "drives/pushbelt/continuum/variator_continuum_arc.h"
#include "base/whole.h"
#include "drives/pushbelt/continuum/variator_continuum_flank.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>

enum {
  NODES = CAP_VARIATOR_CONTINUUM_NODES,
  PANELS = CAP_VARIATOR_CONTINUUM_PANELS,
  STAGES = CAP_VARIATOR_CONTINUUM_STAGES
};

/* C = sinh w: the slips that are looked at go this far beyond those that the tilt makes. */
static const double farthest = 9.0;
static const double widest_panel = 0.7, narrowest_panel = 1e-7; /* rad */

/* ---- Gauss' rule --------------------------------------------------------------------------------------- */

static double legendre(int n, double x, double *slope)
{
  double before = 1.0, now = x;
  for (int k = 2; k <= n; k++) {
    double next = ((2 * k - 1) * x * now - (k - 1) * before) / k;
    before = now, now = next;
  }
  *slope = n * (x * now - before) / (x * x - 1.0);
  return now;
}

static double lagrange(const double *at, int j, double x)
{
  double product = 1.0;
  for (int k = 0; k < NODES; k++)
    if (k != j) product *= (x - at[k]) / (at[j] - at[k]);
  return product;
}

/* Integral from 0 to x of the quadratic that is 1 at the place j of three and 0 at the others. */
static double area(const double *at, int j, double x)
{
  double a = at[(j + 1) % STAGES], b = at[(j + 2) % STAGES];
  return x * (x * x / 3.0 - 0.5 * x * (a + b) + a * b) / ((at[j] - a) * (at[j] - b));
}

/* Radau IIA with three stages, and the quadrature that is exact for squares at 0 and its first two nodes. */
static void radau(cap_variator_continuum_rule *rule)
{
  const double node[STAGES] = {0.4 - 0.1 * sqrt(6.0), 0.4 + 0.1 * sqrt(6.0), 1.0};
  const double rough[STAGES] = {0.0, node[0], node[1]};
  for (int i = 0; i < STAGES; i++) {
    rule->node[i] = node[i];
    rule->rougher[i] = area(rough, i, 1.0);
    for (int j = 0; j < STAGES; j++) rule->stage[i][j] = area(node, j, node[i]);
  }
}

void cap_variator_continuum_arc_rule(cap_variator_continuum_rule *rule)
{
  radau(rule);
  for (int i = 0; i < NODES; i++) {
    double x = -cos(M_PI * (i + 0.75) / (NODES + 0.5)), slope = 1.0;
    for (int k = 0; k < 20; k++) x -= legendre(NODES, x, &slope) / slope;
    legendre(NODES, x, &slope);
    rule->at[i] = 0.5 * (1.0 + x);
    rule->weight[i] = 1.0 / ((1.0 - x * x) * slope * slope);
  }
  for (int i = 0; i < NODES; i++)
    for (int j = 0; j < NODES; j++) {
      rule->upto[i][j] = 0.0;
      for (int k = 0; k < NODES; k++)
        rule->upto[i][j] += rule->at[i] * rule->weight[k] * lagrange(rule->at, j, rule->at[i] * rule->at[k]);
    }
}

/* ---- the arc at a place -------------------------------------------------------------------------------- */

cap_variator_continuum_place cap_variator_continuum_arc_at(const cap_variator_continuum_arc *arc,
                                                           double theta)
{
  const double sine = sin(arc->wedge), cosine = cos(arc->wedge), turn = theta - arc->centre;
  cap_variator_continuum_place p;
  p.slip_r = arc->shift + sin(turn);
  p.slip_t = arc->offset - arc->shift * theta + cos(turn);
  double along = p.slip_r / cosine, speed = sqrt(along * along + p.slip_t * p.slip_t);
  double mu = capm_friction_at(&arc->friction, speed * arc->unit, NULL);
  double per = speed > 0.0 ? 1.0 / speed : 0.0;
  p.e_s = along * per;
  p.e_t = p.slip_t * per;
  double wedged = 1.0 / (sine - mu * p.e_s * cosine);
  p.rate = mu * p.e_t * wedged;
  p.normal = 0.5 * wedged;
  p.axial = p.normal * (cosine + mu * p.e_s * sine);
  return p;
}

/* ---- panels -------------------------------------------------------------------------------------------- */

/* Ends of the panels, ascending: edge[0] = 0 to edge[n] = wrap. */
typedef struct panels {
  int n;
  double edge[PANELS + 1];
} panels;

static double slip_size(const cap_variator_continuum_arc *arc, double theta)
{
  double turn = theta - arc->centre, r = (arc->shift + sin(turn)) / cos(arc->wedge);
  double t = arc->offset - arc->shift * theta + cos(turn);
  return sqrt(r * r + t * t);
}

/* Halvings of `half` until a panel is no wider than the distance over which the slip there turns. */
static int halvings(double half, double slip)
{
  double least = fmax(slip, narrowest_panel), size = half;
  int k = 0;
  for (; size > least && k < 26; k++) size *= 0.5;
  return k;
}

static void put(panels *p, double to)
{
  double from = p->edge[p->n];
  int parts = capm_whole_between(ceil((to - from) / widest_panel - 1e-9), 0, INT_MAX);
  for (int k = 1; k <= parts && p->n < PANELS; k++)
    p->edge[++p->n] = k < parts ? from + (to - from) * k / parts : to;
}

/* From a to b, finer towards both ends as far as the slip is small there. */
static void put_graded(const cap_variator_continuum_arc *arc, double a, double b, panels *p)
{
  double half = 0.5 * (b - a);
  if (!(half > 0.5 * narrowest_panel)) return;
  int left = halvings(half, slip_size(arc, a)), right = halvings(half, slip_size(arc, b));
  for (int k = left; k >= 0; k--) put(p, a + ldexp(half, -k));
  for (int k = 1; k <= right; k++) put(p, b - ldexp(half, -k));
  put(p, b);
}

/* Places where the radial slip vanishes, inside of the arc, ascending. */
static int stagnation(const cap_variator_continuum_arc *arc, double *at)
{
  int n = 0;
  if (fabs(arc->shift) >= 1.0) {
    double nearest = remainder(arc->centre - copysign(0.5 * M_PI, arc->shift), 2.0 * M_PI);
    if (nearest < 0.0) nearest += 2.0 * M_PI;
    if (nearest > 0.0 && nearest < arc->wrap) at[n++] = nearest;
    return n;
  }
  double lag = asin(arc->shift), place[2] = {arc->centre - lag, arc->centre + M_PI + lag};
  for (int k = 0; k < 2; k++) {
    double x = fmod(place[k], 2.0 * M_PI);
    if (x < 0.0) x += 2.0 * M_PI;
    if (x > 0.0 && x < arc->wrap) at[n++] = x;
  }
  if (n == 2 && at[1] < at[0]) {
    double x = at[0];
    at[0] = at[1], at[1] = x;
  }
  return n;
}

static void lay(const cap_variator_continuum_arc *arc, panels *p)
{
  double at[2], from = 0.0;
  int n = stagnation(arc, at);
  p->n = 0;
  p->edge[0] = 0.0;
  for (int k = 0; k < n; k++) {
    put_graded(arc, from, at[k], p);
    from = p->edge[p->n];
  }
  put_graded(arc, from, arc->wrap, p);
  p->edge[p->n] = arc->wrap;
}

/* ---- sweeps -------------------------------------------------------------------------------------------- */

/* A panel: force and place at its nodes, and ln N at its end. */
static double panel(const cap_variator_continuum_rule *rule, const cap_variator_continuum_arc *arc,
                    double from, double size, double log_force, cap_variator_continuum_place *place,
                    double *force)
{
  double end = log_force;
  for (int i = 0; i < NODES; i++) place[i] = cap_variator_continuum_arc_at(arc, from + size * rule->at[i]);
  for (int i = 0; i < NODES; i++) {
    double sum = 0.0;
    for (int j = 0; j < NODES; j++) sum += rule->upto[i][j] * place[j].rate;
    force[i] = exp(log_force + size * sum);
    end += size * rule->weight[i] * place[i].rate;
  }
  return end;
}

/* Everything that follows from offset and centre; returns how far the centre of force lies behind it. */
static double sweep(const cap_variator_continuum_rule *rule, cap_variator_continuum_arc *arc)
{
  panels p;
  double log_force = 0.0, even = 0.0, odd = 0.0;
  cap_variator_continuum_place place[NODES];
  double force[NODES];
  lay(arc, &p);
  arc->sweeps++;
  arc->clamp = arc->along = arc->across = arc->normal_mean = 0.0;
  for (int k = 0; k < p.n; k++) {
    double from = p.edge[k], size = p.edge[k + 1] - from;
    log_force = panel(rule, arc, from, size, log_force, place, force);
    for (int i = 0; i < NODES; i++) {
      double part = size * rule->weight[i] * force[i], turn = from + size * rule->at[i] - arc->centre;
      double normal = part * place[i].normal, axial = part * place[i].axial;
      double weight = arc->by == CAP_VARIATOR_CONTINUUM_NORMAL ? normal : axial;
      even += weight * cos(turn);
      odd += weight * sin(turn);
      arc->clamp += axial;
      arc->normal_mean += normal;
      arc->along += part * place[i].rate * place[i].slip_t;
      /* 2 mu p e_s = (2 p sin - N) / cos, along the generatrix with v_r / cos */
      double cosine = cos(arc->wedge);
      arc->across += (2.0 * normal * sin(arc->wedge) - part) * place[i].slip_r / (cosine * cosine);
    }
  }
  arc->growth = log_force;
  arc->normal_mean /= arc->wrap;
  return atan2(odd, even);
}

/* The slip along t at the ends and in the mean. */
static void ends(cap_variator_continuum_arc *arc)
{
  double w = arc->wrap, A = arc->shift;
  arc->slip_in = arc->offset + cos(arc->centre);
  arc->slip_out = arc->offset - A * w + cos(w - arc->centre);
  arc->slip_mean = arc->offset - 0.5 * A * w + (sin(w - arc->centre) + sin(arc->centre)) / w;
}

void cap_variator_continuum_arc_settle(const cap_variator_continuum_rule *rule,
                                       cap_variator_continuum_arc *arc)
{
  double low = 0.0, high = arc->wrap; /* the centre of positive forces lies between the ends */
  if (!(arc->centre > low && arc->centre < high)) arc->centre = 0.65 * arc->wrap;
  double lag = sweep(rule, arc), before = arc->centre, lag_before = lag;
  for (int k = 0; k < 60 && fabs(lag) > 1e-12; k++) {
    if (lag > 0.0) low = arc->centre;
    else high = arc->centre;
    double slope = k > 0 && before != arc->centre ? (lag - lag_before) / (arc->centre - before) : -1.0;
    double next = slope < 0.0 ? arc->centre - lag / slope : 0.5 * (low + high);
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    before = arc->centre, lag_before = lag;
    if (fabs(next - before) < 1e-13) break;
    arc->centre = next;
    lag = sweep(rule, arc);
  }
  ends(arc);
}

/* ---- rigid sheaves ------------------------------------------------------------------------------------- */

static double rigid_grip(const cap_variator_continuum_arc *arc)
{
  return capm_friction_at(&arc->friction, 0.0, NULL) / sin(arc->wedge);
}

/* All that follows from the growth; true: it is within what friction can hold. */
static bool rigid_settle(cap_variator_continuum_arc *arc, double growth)
{
  double grip = rigid_grip(arc), active = fabs(growth) / grip;
  bool holds = active <= arc->wrap;
  if (!holds) growth = copysign(grip * arc->wrap, growth), active = arc->wrap;
  arc->growth = growth;
  arc->clamp = (arc->wrap - active + fabs(expm1(growth)) / grip) / (2.0 * tan(arc->wedge));
  arc->normal_mean = arc->clamp / (arc->wrap * cos(arc->wedge));
  arc->centre = 0.5 * arc->wrap;
  arc->offset = arc->slip_in = arc->slip_out = arc->slip_mean = arc->along = arc->across = 0.0;
  return holds;
}

static bool rigid_find(cap_variator_continuum_arc *arc, cap_variator_continuum_aim aim, double value)
{
  if (aim == CAP_VARIATOR_CONTINUUM_GROWTH) return rigid_settle(arc, value);
  double high = rigid_grip(arc) * arc->wrap, low = -high;
  for (int k = 0; k < 200 && high - low > 1e-15; k++) {
    double middle = 0.5 * (low + high);
    rigid_settle(arc, middle);
    if (expm1(arc->growth) / arc->clamp < value) low = middle;
    else high = middle;
  }
  rigid_settle(arc, 0.5 * (low + high));
  double got = expm1(arc->growth) / arc->clamp;
  return fabs(got - value) < 1e-9 * (1.0 + fabs(value));
}

/* Without slip along the generatrix; slips are not known. */
static cap_variator_continuum_place rigid_at(const cap_variator_continuum_arc *arc)
{
  double sine = sin(arc->wedge), cosine = cos(arc->wedge);
  return (cap_variator_continuum_place){.normal = 0.5 / sine, .axial = 0.5 * cosine / sine};
}

static double rigid_rate(const cap_variator_continuum_arc *arc, double theta)
{
  double grip = rigid_grip(arc);
  return theta > arc->wrap - fabs(arc->growth) / grip ? copysign(grip, arc->growth) : 0.0;
}

static double rigid_log_force(const cap_variator_continuum_arc *arc, double theta)
{
  double grip = rigid_grip(arc), idle = arc->wrap - fabs(arc->growth) / grip;
  return theta > idle ? copysign(grip * (theta - idle), arc->growth) : 0.0;
}

/* ---- the offset that does what is asked ---------------------------------------------------------------- */

typedef struct search {
  const cap_variator_continuum_rule *rule;
  cap_variator_continuum_arc *arc;
  cap_variator_continuum_aim aim;
  double value;
} search;

static double miss(const search *s, double w)
{
  s->arc->offset = sinh(w);
  cap_variator_continuum_arc_settle(s->rule, s->arc);
  double got = s->aim == CAP_VARIATOR_CONTINUUM_GROWTH ? s->arc->growth
                                                       : expm1(s->arc->growth) / s->arc->clamp;
  return got - s->value;
}

/* Chandrupatla's method between a and b, where the signs differ. */
static void close_in(const search *s, double a, double fa, double b, double fb)
{
  double c = a, fc = fa, t = 0.5;
  for (int k = 0; k < 100; k++) {
    double x = a + t * (b - a), fx = miss(s, x);
    if ((fx > 0.0) == (fa > 0.0)) c = a, fc = fa;
    else c = b, fc = fb, b = a, fb = fa;
    a = x, fa = fx;
    double best = fabs(fa) < fabs(fb) ? a : b, width = fabs(b - a);
    if (fx == 0.0 || width < 1e-12 * (1.0 + fabs(best))) {
      if (best != a) miss(s, best);
      return;
    }
    double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = 0.5;
    if (phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi)
      t = fa / (fb - fa) * fc / (fb - fc) + (c - a) / (b - a) * fa / (fc - fa) * fb / (fc - fb);
    double least = 0.5e-12 * (1.0 + fabs(best)) / width;
    t = fmin(fmax(t, least), 1.0 - least);
  }
}

/* One sweep at (w, theta_c): what is missed, and how far the centre of force lies behind. */
static void look(const search *s, const double *x, double *f)
{
  s->arc->offset = sinh(x[0]);
  s->arc->centre = x[1];
  f[1] = sweep(s->rule, s->arc);
  double got = s->aim == CAP_VARIATOR_CONTINUUM_GROWTH ? s->arc->growth
                                                       : expm1(s->arc->growth) / s->arc->clamp;
  f[0] = got - s->value;
}

/* Both unknowns at once, by Broyden's method: a quarter of the sweeps, where it converges. */
static bool at_once(const search *s)
{
  const double small = 1e-6;
  double x[2] = {asinh(s->arc->offset), s->arc->centre}, f[2], J[2][2];
  if (!(x[1] > 0.0 && x[1] < s->arc->wrap)) x[1] = 0.65 * s->arc->wrap;
  look(s, x, f);
  for (int j = 0; j < 2; j++) {
    double moved[2] = {x[0] + (j == 0 ? small : 0.0), x[1] + (j == 1 ? small : 0.0)}, g[2];
    look(s, moved, g);
    for (int i = 0; i < 2; i++) J[i][j] = (g[i] - f[i]) / small;
  }
  for (int k = 0; k < 25; k++) {
    double det = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    double step[2] = {(J[0][1] * f[1] - J[1][1] * f[0]) / det, (J[1][0] * f[0] - J[0][0] * f[1]) / det};
    double size = fmax(fabs(step[0]) / 0.5, fabs(step[1]) / 0.3);
    if (!(size < 1e3)) return false;
    if (size > 1.0) step[0] /= size, step[1] /= size;
    x[0] += step[0], x[1] += step[1];
    if (!(fabs(x[0]) < farthest && x[1] > 0.0 && x[1] < s->arc->wrap)) return false;
    double before[2] = {f[0], f[1]}, length = step[0] * step[0] + step[1] * step[1];
    look(s, x, f);
    if (fabs(f[0]) < 1e-12 && fabs(f[1]) < 1e-12) return true;
    if (length < 1e-24) return fabs(f[0]) < 1e-9 && fabs(f[1]) < 1e-9;
    for (int i = 0; i < 2; i++) {
      double wrong = (f[i] - before[i] - J[i][0] * step[0] - J[i][1] * step[1]) / length;
      for (int j = 0; j < 2; j++) J[i][j] += wrong * step[j];
    }
  }
  return false;
}

bool cap_variator_continuum_arc_find(const cap_variator_continuum_rule *rule, cap_variator_continuum_arc *arc,
                                     cap_variator_continuum_aim aim, double value)
{
  search s = {rule, arc, aim, value};
  if (arc->flank.given) return cap_variator_continuum_flank_find(rule, arc, aim, value);
  if (arc->rigid) return rigid_find(arc, aim, value);
  double start[2] = {arc->offset, arc->centre};
  if (at_once(&s)) {
    ends(arc);
    return true;
  }
  arc->offset = start[0], arc->centre = start[1];
  double a = fmin(fmax(asinh(arc->offset), -farthest), farthest), fa = miss(&s, a), step = 0.05;
  if (fa == 0.0) return true;
  for (;;) {
    double b = a + (fa < 0.0 ? step : -step);
    b = fmin(fmax(b, -farthest), farthest);
    if (b == a) return false;
    double fb = miss(&s, b);
    if ((fb > 0.0) != (fa > 0.0)) {
      close_in(&s, a, fa, b, fb);
      return true;
    }
    a = b, fa = fb, step *= 2.0;
  }
}

/* ---- along the arc ------------------------------------------------------------------------------------- */

/* Growth of ln N from a to b, by the panels between. */
static double growth_between(const cap_variator_continuum_rule *rule, const cap_variator_continuum_arc *arc,
                             const panels *p, int *at, double a, double b)
{
  double sum = 0.0;
  while (a < b) {
    while (*at + 1 < p->n && p->edge[*at + 1] <= a) ++*at;
    double to = *at + 1 < p->n ? fmin(b, p->edge[*at + 1]) : b, size = to - a;
    for (int i = 0; i < NODES; i++)
      sum += size * rule->weight[i] * cap_variator_continuum_arc_at(arc, a + size * rule->at[i]).rate;
    a = to;
  }
  return sum;
}

void cap_variator_continuum_arc_curve(const cap_variator_continuum_rule *rule,
                                      const cap_variator_continuum_arc *arc, int n,
                                      const cap_variator_continuum_profile *curve)
{
  panels p;
  double log_force = 0.0, before = 0.0;
  int at = 0;
  if (arc->flank.given) {
    cap_variator_continuum_flank_curve(rule, arc, n, curve);
    return;
  }
  if (!arc->rigid) lay(arc, &p);
  for (int k = 0; k < n; k++) {
    double theta = n > 1 ? arc->wrap * k / (n - 1) : 0.0;
    if (arc->rigid) log_force = rigid_log_force(arc, theta);
    else log_force += growth_between(rule, arc, &p, &at, before, theta);
    before = theta;
    cap_variator_continuum_place here = arc->rigid ? rigid_at(arc)
                                                   : cap_variator_continuum_arc_at(arc, theta);
    double force = exp(log_force);
    if (curve->theta) curve->theta[k] = theta;
    if (curve->log_force) curve->log_force[k] = log_force;
    if (curve->rate) curve->rate[k] = arc->rigid ? rigid_rate(arc, theta) : here.rate;
    if (curve->normal) curve->normal[k] = force * here.normal;
    if (curve->axial) curve->axial[k] = force * here.axial;
    if (curve->slip_r) curve->slip_r[k] = here.slip_r;
    if (curve->slip_t) curve->slip_t[k] = here.slip_t;
  }
}

void cap_variator_continuum_arc_moments(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc, int n, double *even,
                                        double *odd)
{
  panels p;
  double log_force = 0.0, force[NODES];
  cap_variator_continuum_place place[NODES];
  if (arc->flank.given) {
    cap_variator_continuum_flank_moments(rule, arc, n, even, odd);
    return;
  }
  lay(arc, &p);
  for (int m = 0; m < n; m++) even[m] = odd[m] = 0.0;
  for (int k = 0; k < p.n; k++) {
    double from = p.edge[k], size = p.edge[k + 1] - from;
    log_force = panel(rule, arc, from, size, log_force, place, force);
    for (int i = 0; i < NODES; i++) {
      double part = size * rule->weight[i] * force[i] * place[i].axial;
      double turn = from + size * rule->at[i] - arc->centre;
      for (int m = 0; m < n; m++) {
        even[m] += part * cos(m * turn);
        odd[m] += part * sin(m * turn);
      }
    }
  }
}
