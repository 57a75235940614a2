/* drives/pushbelt/continuum/variator_continuum_flank.c — see variator_continuum_flank.h. */
#include "drives/pushbelt/continuum/variator_continuum_flank.h"
#include "base/whole.h"
#include "linalg/lu.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum {
  STAGES = CAP_VARIATOR_CONTINUUM_STAGES,
  HARMONICS = CAP_VARIATOR_CONTINUUM_HARMONICS,
  UNKNOWN = 1 + 2 * (HARMONICS - 1), /* S, then a_m, b_m */
  STEPS = 6000
};

static const double usual_blunt = 3e-4, usual_tolerance = 1e-6, solved = 1e-11;
static const double first_step = 1e-7, widest_step = 0.12; /* of the arc; rad */

/* ---- the arc ------------------------------------------------------------------------------------------- */

/* What stays along the arc. */
typedef struct ground {
  const cap_variator_continuum_rule *rule;
  const cap_variator_continuum_arc *arc;
  bool local; /* mu at each place, else the same all along */
  double mu, sine, cosine,
      follow;        /* follow: sin^2/cos^2, of W' that Y' takes with it where the flank sticks */
  double creep;      /* A / cos^2: of Y' that shifting takes */
  double eps, scale; /* scale: slips that the opening makes */
  double sum;        /* P(0) + W(0) */
  int n;             /* unknowns */
} ground;

/* W at theta, its slope, and their derivatives to the harmonics. */
typedef struct opening {
  double W, slope;
  double cosine[HARMONICS], sine[HARMONICS];
} opening;

static opening opening_at(const cap_variator_continuum_flank *f, double theta)
{
  opening o = {0};
  double c = cos(theta), s = sin(theta), even = 1.0, odd = 0.0;
  for (int m = 1; m <= f->harmonics; m++) {
    double next = even * c - odd * s;
    odd = odd * c + even * s;
    even = next;
    o.cosine[m] = even, o.sine[m] = odd;
    o.W += f->even[m] * even + f->odd[m] * odd;
    o.slope += m * (f->odd[m] * even - f->even[m] * odd);
  }
  return o;
}

/* mu at theta where it is not that of the slip there. */
static double friction_at(const ground *g, double theta)
{
  const cap_variator_continuum_flank *f = &g->arc->flank;
  if (f->places < 2) return g->mu;
  double x = theta / g->arc->wrap * (f->places - 1);
  int k = capm_whole_between(x, 0, f->places - 2);
  return f->mu[k] + (x - k) * (f->mu[k + 1] - f->mu[k]);
}

static ground ground_of(const cap_variator_continuum_rule *rule, const cap_variator_continuum_arc *arc)
{
  const cap_variator_continuum_flank *f = &arc->flank;
  ground g = {.rule = rule, .arc = arc, .sine = sin(arc->wedge), .cosine = cos(arc->wedge)};
  double tangent = g.sine / g.cosine, blunt = f->blunt > 0.0 ? f->blunt : usual_blunt;
  double way = f->opening > 0.0   ? f->opening
               : f->harmonics > 0 ? f->gain[1] * arc->wrap * 0.5 / tangent
                                  : 0.0;
  g.follow = tangent * tangent;
  g.creep = arc->shift / (g.cosine * g.cosine);
  g.scale = fmax(way, 0.25 / tangent);
  g.eps = blunt * g.scale;
  g.n = 1 + 2 * f->harmonics;
  g.local = arc->friction.mu_static < arc->friction.mu_kinetic;
  g.mu = capm_friction_at(&arc->friction, g.scale * fabs(arc->unit), NULL);
  g.sum = 0.5 / (g.sine - friction_at(&g, 0.0) * g.cosine * f->entry) + opening_at(f, 0.0).W;
  return g;
}

/* Friction of one place: everything of z and T, with derivatives to both. */
typedef struct rub {
  double e_s, e_t;
  double h, h_z, h_T;             /* sin - mu e_s cos */
  double axial, axial_z, axial_T; /* cos + mu e_s sin */
  double rate, rate_z, rate_T;    /* L' */
} rub;

static rub rub_at(const ground *g, double mu, double z, double T)
{
  double size = sqrt(z * z + T * T + g->eps * g->eps), per = 1.0 / size, rise = 0.0;
  if (g->local) {
    const double unit = fabs(g->arc->unit);
    mu = capm_friction_at(&g->arc->friction, size * unit, &rise);
    rise *= unit;
  }
  rub r = {.e_s = z * per, .e_t = T * per};
  double s_z = mu * (1.0 - r.e_s * r.e_s) * per + rise * r.e_s * r.e_s; /* of mu e_s */
  double s_T = (rise - mu * per) * r.e_s * r.e_t, t_z = s_T;
  double t_T = mu * (1.0 - r.e_t * r.e_t) * per + rise * r.e_t * r.e_t; /* of mu e_t */
  r.h = g->sine - mu * r.e_s * g->cosine;
  double in = 1.0 / r.h;
  r.h_z = -g->cosine * s_z, r.h_T = -g->cosine * s_T;
  r.axial = g->cosine + mu * r.e_s * g->sine, r.axial_z = g->sine * s_z, r.axial_T = g->sine * s_T;
  r.rate = mu * r.e_t * in;
  r.rate_z = (t_z - r.rate * r.h_z) * in;
  r.rate_T = (t_T - r.rate * r.h_T) * in;
  return r;
}

/* ---- a step -------------------------------------------------------------------------------------------- */

typedef struct stage {
  double theta, mu, Y, slope, T, L, n, P, z;
  opening open;
  rub rub;
} stage;

typedef struct step {
  double from, size, Y, L; /* state at its start */
  stage at[STAGES];
  double inverse[STAGES][STAGES]; /* of the derivatives of the residuals to z */
} step;

/* Residuals of all stages at their z, relative to n; the largest. */
static double residuals(const ground *g, step *s, double *r)
{
  const cap_variator_continuum_rule *rule = g->rule;
  double worst = 0.0;
  for (int j = 0; j < STAGES; j++)
    s->at[j].slope = s->at[j].z / g->cosine + s->at[j].open.slope * g->follow - g->creep;
  for (int i = 0; i < STAGES; i++) {
    stage *a = &s->at[i];
    a->Y = s->Y;
    for (int j = 0; j < STAGES; j++) a->Y += s->size * rule->stage[i][j] * s->at[j].slope;
    a->T = g->arc->flank.offset - a->Y - g->arc->shift * a->theta;
    a->rub = rub_at(g, a->mu, a->z, a->T);
  }
  for (int i = 0; i < STAGES; i++) {
    stage *a = &s->at[i];
    a->L = s->L;
    for (int j = 0; j < STAGES; j++) a->L += s->size * rule->stage[i][j] * s->at[j].rub.rate;
    a->n = exp(a->L);
    a->P = g->sum - a->open.W - a->Y;
    r[i] = 2.0 * a->P * a->rub.h - a->n;
    double part = fabs(r[i]) / a->n;
    if (!isfinite(part)) return INFINITY;
    worst = fmax(worst, part);
  }
  return worst;
}

/* false: it is singular. */
static bool invert(const ground *g, step *s)
{
  double way[STAGES][STAGES], J[STAGES][STAGES]; /* dY_i/dz_j = - dT_i/dz_j = - dP_i/dz_j */
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) way[i][j] = s->size * g->rule->stage[i][j] / g->cosine;
  for (int i = 0; i < STAGES; i++) {
    const stage *a = &s->at[i];
    for (int j = 0; j < STAGES; j++) {
      double L = g->rule->stage[i][j] * s->at[j].rub.rate_z;
      for (int m = 0; m < STAGES; m++) L -= g->rule->stage[i][m] * s->at[m].rub.rate_T * way[m][j];
      double h = -a->rub.h_T * way[i][j] + (i == j ? a->rub.h_z : 0.0);
      J[i][j] = 2.0 * (a->P * h - a->rub.h * way[i][j]) - a->n * s->size * L;
    }
  }
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) { /* cofactors, by indices that go round */
      int a = (i + 1) % STAGES, b = (i + 2) % STAGES, c = (j + 1) % STAGES, d = (j + 2) % STAGES;
      s->inverse[j][i] = J[a][c] * J[b][d] - J[a][d] * J[b][c];
    }
  double det = J[0][0] * s->inverse[0][0] + J[0][1] * s->inverse[1][0] + J[0][2] * s->inverse[2][0];
  for (int i = 0; i < STAGES; i++)
    for (int j = 0; j < STAGES; j++) s->inverse[i][j] /= det;
  return det != 0.0 && isfinite(det);
}

/* x := J^-1 x. */
static void undo(const step *s, double *x)
{
  const double r[STAGES] = {x[0], x[1], x[2]};
  for (int i = 0; i < STAGES; i++)
    x[i] = s->inverse[i][0] * r[0] + s->inverse[i][1] * r[1] + s->inverse[i][2] * r[2];
}

/* z of all stages by Newton's method, damped: the direction of slip saturates. With the inverse
 * of the Jacobian at the solution. */
static bool solve_step(const ground *g, step *s)
{
  double r[STAGES], worst = residuals(g, s, r);
  for (int k = 0; k < 30 && isfinite(worst); k++) {
    if (!invert(g, s)) return false;
    if (worst < solved) return true;
    double z[STAGES], part = 1.0, before = worst;
    for (int i = 0; i < STAGES; i++) z[i] = s->at[i].z;
    undo(s, r);
    double move[STAGES] = {r[0], r[1], r[2]};
    for (int c = 0; c < 12; c++, part *= 0.5) {
      for (int i = 0; i < STAGES; i++) s->at[i].z = z[i] - part * move[i];
      worst = residuals(g, s, r);
      if (worst < before || worst < solved) break;
    }
    if (!(worst < before)) return before < 100.0 * solved;
  }
  return false;
}

/* ---- derivatives --------------------------------------------------------------------------------------- */

/* Derivatives of the state to S and the harmonics, and of what is integrated. */
typedef struct trail {
  double Y[UNKNOWN], L[UNKNOWN], clamp[UNKNOWN];
  double even[HARMONICS][UNKNOWN], odd[HARMONICS][UNKNOWN];
} trail;

/* dW and dW' at a stage, to unknown k. */
static void open_slope(const opening *o, int k, double *W, double *slope)
{
  int m = (k + 1) / 2;
  *W = k % 2 ? o->cosine[m] : o->sine[m];
  *slope = k % 2 ? -m * o->sine[m] : m * o->cosine[m];
}

static void follow_trail(const ground *g, const step *s, trail *t)
{
  const cap_variator_continuum_rule *rule = g->rule;
  const bool normal = g->arc->by == CAP_VARIATOR_CONTINUUM_NORMAL;
  for (int k = 0; k < g->n; k++) {
    double Y[STAGES], T[STAGES], P[STAGES], L[STAGES], W[STAGES], slope[STAGES], z[STAGES];
    for (int i = 0; i < STAGES; i++) {
      W[i] = slope[i] = 0.0;
      if (k > 0) open_slope(&s->at[i].open, k, &W[i], &slope[i]);
    }
    double start = k % 2 ? 1.0 : 0.0; /* of W(0): cos 0, sin 0 */
    for (int i = 0; i < STAGES; i++) {
      Y[i] = t->Y[k];
      for (int j = 0; j < STAGES; j++) Y[i] += s->size * rule->stage[i][j] * g->follow * slope[j];
      T[i] = (k == 0) - Y[i];
      P[i] = start - W[i] - Y[i];
    }
    for (int i = 0; i < STAGES; i++) {
      const stage *a = &s->at[i];
      L[i] = t->L[k];
      for (int j = 0; j < STAGES; j++) L[i] += s->size * rule->stage[i][j] * s->at[j].rub.rate_T * T[j];
      z[i] = -2.0 * (P[i] * a->rub.h + a->P * a->rub.h_T * T[i]) + a->n * L[i];
    }
    undo(s, z);
    double rate[STAGES];
    for (int i = 0; i < STAGES; i++) {
      double way = 0.0;
      for (int j = 0; j < STAGES; j++) way += s->size * rule->stage[i][j] * z[j] / g->cosine;
      Y[i] += way, T[i] -= way, P[i] -= way;
      rate[i] = s->at[i].rub.rate_z * z[i] + s->at[i].rub.rate_T * T[i];
    }
    t->Y[k] = Y[STAGES - 1];
    for (int i = 0; i < STAGES; i++) {
      const stage *a = &s->at[i];
      double weight = s->size * rule->stage[STAGES - 1][i];
      t->L[k] += weight * rate[i];
      double axial = P[i] * a->rub.axial + a->P * (a->rub.axial_z * z[i] + a->rub.axial_T * T[i]);
      double load = weight * (normal ? P[i] * g->cosine : axial);
      t->clamp[k] += weight * axial;
      for (int m = 1; m <= g->arc->flank.harmonics; m++) {
        t->even[m][k] += load * a->open.cosine[m];
        t->odd[m][k] += load * a->open.sine[m];
      }
    }
  }
}

/* ---- the march ----------------------------------------------------------------------------------------- */

/* Integrals over the arc. */
typedef struct sums {
  double clamp, normal, along, across, slip;
  double even[HARMONICS], odd[HARMONICS];
  double lowest, highest, nearest;
  double growth, slip_out, force_out;
  int steps;
} sums;

static void add_step(const ground *g, const step *s, sums *to)
{
  const bool normal = g->arc->by == CAP_VARIATOR_CONTINUUM_NORMAL;
  for (int i = 0; i < STAGES; i++) {
    const stage *a = &s->at[i];
    double weight = s->size * g->rule->stage[STAGES - 1][i], axial = a->P * a->rub.axial;
    double load = weight * (normal ? a->P * g->cosine : axial);
    to->clamp += weight * axial;
    to->normal += weight * a->P;
    to->slip += weight * a->T;
    to->along += weight * a->n * a->rub.rate * a->T;
    /* 2 mu p e_s = (2 p sin - N) / cos */
    to->across += weight * (2.0 * a->P * g->sine - a->n) / g->cosine * a->z;
    for (int m = 1; m <= g->arc->flank.harmonics; m++) {
      to->even[m] += load * a->open.cosine[m];
      to->odd[m] += load * a->open.sine[m];
    }
    if (a->Y < to->lowest) to->lowest = a->Y, to->nearest = a->theta;
    to->highest = fmax(to->highest, a->Y);
  }
}

/* How far a rougher quadrature is from the step's, over the tolerance. */
static double step_error(const ground *g, const step *s, double slope, double rate)
{
  const double *w = g->rule->rougher,
               tolerance = g->arc->flank.tolerance > 0.0 ? g->arc->flank.tolerance : usual_tolerance;
  const stage *a = s->at;
  double Y = a[2].Y - s->Y - s->size * (w[0] * slope + w[1] * a[0].slope + w[2] * a[1].slope);
  double L = a[2].L - s->L - s->size * (w[0] * rate + w[1] * a[0].rub.rate + w[2] * a[1].rub.rate);
  return fmax(fabs(Y) / g->scale, fabs(L)) / tolerance;
}

static void lay_step(const ground *g, const step *before, bool smooth, step *s)
{
  const double *c = g->rule->node;
  for (int i = 0; i < STAGES; i++) {
    s->at[i].theta = s->from + s->size * c[i];
    s->at[i].open = opening_at(&g->arc->flank, s->at[i].theta);
    s->at[i].mu = friction_at(g, s->at[i].theta);
    double x = 1.0 + s->size / before->size * c[i], z = before->at[2].z;
    if (smooth) { /* the polynomial through the stages before */
      z = 0.0;
      for (int j = 0; j < STAGES; j++) {
        double weight = before->at[j].z;
        for (int k = 0; k < STAGES; k++)
          if (k != j) weight *= (x - c[k]) / (c[j] - c[k]);
        z += weight;
      }
    }
    s->at[i].z = z;
  }
}

typedef void visit(void *self, const ground *g, const step *s);

/* From the entry to the exit. `t` (or NULL) receives derivatives; `each` (or NULL) sees every step. */
static bool march(const ground *g, sums *to, trail *t, visit *each, void *self)
{
  const cap_variator_continuum_arc *arc = g->arc;
  step s = {.size = first_step * arc->wrap}, before = s;
  double steepest = fmin(fmax(arc->flank.entry, -0.999), 0.999), slope = 0.0, rate = 0.0;
  double T = hypot(arc->flank.offset, g->eps);
  before.at[2].z = steepest / sqrt(1.0 - steepest * steepest) * T;
  *to = (sums){0};
  if (t) memset(t, 0, sizeof *t);
  bool smooth = false;
  for (int tries = 0; s.from < arc->wrap && tries < STEPS; tries++) {
    bool last = s.from + 1.0001 * s.size >= arc->wrap, done;
    double size = s.size, wanted = 0.25;
    if (last) s.size = arc->wrap - s.from;
    lay_step(g, &before, smooth, &s);
    done = solve_step(g, &s);
    if (!done && smooth) {
      lay_step(g, &before, false, &s);
      done = solve_step(g, &s);
    }
    if (done && to->steps > 0) {
      double error = step_error(g, &s, slope, rate);
      wanted = fmin(4.0, fmax(0.2, 0.9 / sqrt(sqrt(error + 1e-30))));
      done = error <= 1.0;
    } else if (done) wanted = 2.0;
    if (!done) {
      s.size *= fmin(wanted, 0.7);
      smooth = false;
      if (!(s.size > 1e-13 * arc->wrap)) return false;
      continue;
    }
    add_step(g, &s, to);
    if (t) follow_trail(g, &s, t);
    if (each) each(self, g, &s);
    to->steps++;
    before = s;
    slope = s.at[2].slope, rate = s.at[2].rub.rate;
    s.from = last ? arc->wrap : s.from + s.size;
    s.Y = s.at[2].Y, s.L = s.at[2].L;
    s.size = fmin((last ? size : s.size) * wanted, widest_step);
    smooth = to->steps > 3 && s.size < 2.5 * before.size;
  }
  to->growth = s.L, to->slip_out = before.at[2].T, to->force_out = before.at[2].P;
  return s.from >= arc->wrap;
}

/* ---- what the march says ------------------------------------------------------------------------------- */

static void keep(const ground *g, const sums *is, cap_variator_continuum_arc *arc)
{
  cap_variator_continuum_flank *f = &arc->flank;
  arc->growth = is->growth;
  arc->clamp = is->clamp;
  arc->along = is->along, arc->across = is->across;
  arc->normal_mean = is->normal / arc->wrap;
  arc->slip_in = f->offset, arc->slip_out = is->slip_out, arc->slip_mean = is->slip / arc->wrap;
  arc->centre = f->harmonics > 0 ? atan2(is->odd[1], is->even[1]) : 0.5 * arc->wrap;
  if (arc->centre < 0.0) arc->centre += 2.0 * M_PI;
  f->lowest = is->lowest, f->highest = is->highest, f->nearest = is->nearest, f->steps = is->steps;
  f->force_in = g->sum - opening_at(f, 0.0).W, f->force_out = is->force_out;
  f->ends = g->cosine * (friction_at(g, 0.0) * f->force_in * f->force_in +
                         friction_at(g, arc->wrap) * f->force_out * f->force_out);
}

bool cap_variator_continuum_flank_settle(const cap_variator_continuum_rule *rule,
                                         cap_variator_continuum_arc *arc)
{
  ground g = ground_of(rule, arc);
  sums is;
  arc->sweeps++;
  if (!march(&g, &is, NULL, NULL, NULL)) return false;
  keep(&g, &is, arc);
  return true;
}

/* ---- the unknowns -------------------------------------------------------------------------------------- */

typedef struct search {
  const cap_variator_continuum_rule *rule;
  cap_variator_continuum_arc *arc;
  cap_variator_continuum_aim aim;
  double value, scale;
  int n;
} search;

static void take(const search *s, const double *x)
{
  cap_variator_continuum_flank *f = &s->arc->flank;
  f->offset = s->scale * sinh(x[0]);
  for (int k = 1; k < s->n; k++) *(k % 2 ? &f->even[(k + 1) / 2] : &f->odd[k / 2]) = s->scale * x[k];
}

static void give(const search *s, double *x)
{
  const cap_variator_continuum_flank *f = &s->arc->flank;
  x[0] = asinh(f->offset / s->scale);
  for (int k = 1; k < s->n; k++) x[k] = (k % 2 ? f->even[(k + 1) / 2] : f->odd[k / 2]) / s->scale;
}

/* What is missed, and its derivatives to the unknowns. NAN: the march came to nothing. */
static double look(const search *s, const double *x, double *miss, double *J)
{
  cap_variator_continuum_arc *arc = s->arc;
  const cap_variator_continuum_flank *f = &arc->flank;
  sums is;
  trail t;
  take(s, x);
  ground g = ground_of(s->rule, arc);
  arc->sweeps++;
  if (!march(&g, &is, &t, NULL, NULL)) return NAN;
  keep(&g, &is, arc);
  bool growth = s->aim == CAP_VARIATOR_CONTINUUM_GROWTH;
  double gain = expm1(is.growth) / is.clamp, way = s->scale * cosh(x[0]), worst;
  miss[0] = (growth ? is.growth : gain) - s->value;
  for (int k = 0; k < s->n; k++) {
    double slope = growth ? t.L[k] : (exp(is.growth) * t.L[k] - gain * t.clamp[k]) / is.clamp;
    J[k] = slope * (k == 0 ? way : s->scale);
  }
  worst = fabs(miss[0]);
  for (int i = 1; i < s->n; i++) {
    int m = (i + 1) / 2;
    const double E = is.even[m], O = is.odd[m], *dE = t.even[m], *dO = t.odd[m];
    double gain_m = f->gain[m], size = hypot(E, O);
    bool given = m == 1 && f->opening > 0.0;
    if (given) gain_m = f->opening / size;
    double own = i % 2 ? E : O;
    miss[i] = x[i] - gain_m * own / s->scale;
    for (int k = 0; k < s->n; k++) {
      double d = i % 2 ? dE[k] : dO[k];
      if (given) d -= own * (E * dE[k] + O * dO[k]) / (size * size);
      J[i * s->n + k] = (i == k) - gain_m * d / s->scale * (k == 0 ? way : s->scale);
    }
    worst = fmax(worst, fabs(miss[i]));
    if (!isfinite(miss[i])) return NAN;
  }
  return isfinite(miss[0]) ? worst : NAN;
}

static const double found = 1e-8, farthest = 9.0;
enum { FEW = 8, MANY = 40 };

/* Newton's method from what the arc has; damped. `enough`: what may be missed. No more than some looks. */
static bool newton(const search *s, double enough, int most_looks)
{
  double x[UNKNOWN], f[UNKNOWN], J[UNKNOWN * UNKNOWN], g[UNKNOWN], K[UNKNOWN * UNKNOWN];
  int pivot[UNKNOWN];
  give(s, x);
  double worst = look(s, x, f, J);
  for (int k = 0; k < most_looks && isfinite(worst); k++) {
    double move[UNKNOWN], next[UNKNOWN], most = 0.0, part = 1.0, now = NAN;
    if (capm_lu_factor(s->n, J, pivot) != 0) return false;
    memcpy(move, f, sizeof move);
    capm_lu_solve(s->n, J, pivot, move);
    for (int i = 0; i < s->n; i++) most = fmax(most, fabs(move[i]) / (i == 0 ? 0.7 : 0.5));
    if (!(most < 1e6)) return false;
    if (worst < enough || most < 1e-9) return worst < fmax(enough, 1e-6);
    if (most > 1.0) part = 1.0 / most;
    for (int c = 0; c < 8; c++, part *= 0.5) {
      for (int i = 0; i < s->n; i++) next[i] = x[i] - part * move[i];
      if (fabs(next[0]) > farthest) continue;
      now = look(s, next, g, K);
      if (now < worst) break;
      now = NAN;
    }
    if (!isfinite(now)) { /* as near as it comes: back to there */
      look(s, x, f, J);
      return worst < fmax(enough, 1e-6);
    }
    memcpy(x, next, sizeof x), memcpy(f, g, sizeof f), memcpy(J, K, sizeof J);
    worst = now;
  }
  return worst < fmax(enough, 1e-6);
}

/* The same where nothing near is known: first with a friction that turns less sharply. */
static bool sharpen(const search *s)
{
  cap_variator_continuum_flank *f = &s->arc->flank;
  const double blunt = f->blunt, tolerance = f->tolerance, start[] = {0.1, 0.01, 0.0};
  bool done = true;
  for (int k = 0; k < 3; k++) {
    f->blunt = fmax(start[k], blunt > 0.0 ? blunt : usual_blunt);
    f->tolerance = start[k] > 0.0 ? fmax(tolerance, 1e-5) : tolerance;
    done = newton(s, start[k] > 0.0 ? 1e-2 * start[k] : found, MANY);
  }
  f->blunt = blunt, f->tolerance = tolerance;
  return done;
}

/* From rigid flanks: slips by the opening of the groove alone. */
static bool begin(const search *s)
{
  cap_variator_continuum_flank *f = &s->arc->flank;
  cap_variator_continuum_arc creep = *s->arc;
  double even[2], odd[2];
  creep.flank.given = false, creep.shift = 0.0, creep.rigid = false;
  creep.offset = -0.8, creep.centre = 0.65 * creep.wrap;
  memset(f->even, 0, sizeof f->even), memset(f->odd, 0, sizeof f->odd);
  if (!cap_variator_continuum_arc_find(s->rule, &creep, s->aim, s->value)) return false;
  cap_variator_continuum_arc_moments(s->rule, &creep, 2, even, odd);
  double way = f->opening > 0.0 ? f->opening : f->harmonics > 0 ? f->gain[1] * even[1] : 0.0;
  if (f->harmonics > 0) f->even[1] = way * cos(creep.centre), f->odd[1] = way * sin(creep.centre);
  f->offset = way * (creep.offset + cos(creep.centre));
  return true;
}

/* All compliances of the sheaves and all slips, as if the flanks were `factor` as stiff. */
static void stiffen(cap_variator_continuum_flank *f, double factor)
{
  for (int m = 0; m < HARMONICS; m++) f->gain[m] *= factor, f->even[m] *= factor, f->odd[m] *= factor;
  f->offset *= factor;
  f->opening *= factor;
}

/* With stiffer flanks first, which behave as rigid ones do, then down to those that are asked for. */
static bool from_stiff(const search *s)
{
  cap_variator_continuum_flank *f = &s->arc->flank, kept;
  double at = log(1000.0), stride = 1.5; /* logarithms */
  if (!begin(s)) return false;
  stiffen(f, exp(at));
  for (int k = 0; k < 60; k++) {
    double to = k == 0 ? at : fmax(at - stride, 0.0);
    search part = *s;
    kept = *f;
    stiffen(f, exp(to - at));
    ground g = ground_of(s->rule, s->arc);
    part.scale = g.scale;
    if (k == 0 ? sharpen(&part) : newton(&part, found, MANY)) {
      if (to == 0.0) return true;
      at = to;
      stride = fmin(1.5 * stride, 2.0);
    } else {
      *f = kept;
      stride *= 0.5;
      if (k == 0 || stride < 0.02) return false;
    }
  }
  return false;
}

/* Sheaves that do not open: S alone, by halving. */
static bool halve(const search *s)
{
  double low = -farthest, high = farthest, f[1], J[1], x = 0.0;
  for (int k = 0; k < 60; k++) {
    x = 0.5 * (low + high);
    double worst = look(s, &x, f, J);
    if (!isfinite(worst)) return false;
    if (worst < found) return true;
    if (f[0] < 0.0) low = x;
    else high = x;
  }
  return fabs(f[0]) < 1e-6;
}

/* From sheaves that do not open to those that do. */
static bool from_rigid(const search *s)
{
  cap_variator_continuum_flank *f = &s->arc->flank;
  const cap_variator_continuum_flank given = *f;
  search part = *s;
  double at = 0.0, stride = 0.1;
  if (given.opening > 0.0) return false;
  memset(f->even, 0, sizeof f->even), memset(f->odd, 0, sizeof f->odd);
  f->harmonics = 0;
  part.n = 1;
  if (!halve(&part)) return false;
  for (int k = 0; k < 60 && at < 1.0; k++) {
    const cap_variator_continuum_flank kept = *f;
    double to = fmin(at + stride, 1.0);
    f->harmonics = given.harmonics;
    for (int m = 0; m < HARMONICS; m++) f->gain[m] = to * given.gain[m];
    ground g = ground_of(s->rule, s->arc);
    part.n = s->n, part.scale = g.scale;
    if (given.harmonics == 0 || newton(&part, found, FEW)) {
      at = to, stride *= 1.7;
    } else {
      *f = kept, stride *= 0.5;
      if (stride < 0.003) return false;
    }
  }
  memcpy(f->gain, given.gain, sizeof f->gain);
  return at >= 1.0;
}

/* From what the arc has to what is asked, in strides that are as long as Newton's method allows. */
static bool walk(const search *s)
{
  cap_variator_continuum_arc *arc = s->arc, kept;
  double x[UNKNOWN], f[UNKNOWN], J[UNKNOWN * UNKNOWN], at = 0.0, stride = 0.5;
  search part = *s;
  give(s, x);
  if (!isfinite(look(s, x, f, J))) return false;
  for (int k = 0; k < 40; k++) {
    double to = fmin(at + stride, 1.0);
    kept = *arc;
    part.value = s->value + (1.0 - to) * f[0]; /* f[0]: what was missed at the start */
    if (newton(&part, to < 1.0 ? 1e-4 : found, FEW)) {
      if (to >= 1.0) return true;
      at = to;
      stride *= 1.7;
    } else {
      int sweeps = arc->sweeps;
      *arc = kept, arc->sweeps = sweeps;
      stride *= 0.5;
      if (stride < 0.01) return false;
    }
  }
  return false;
}

/* Falling friction that leads nowhere: its mean all along. */
static void level_friction(cap_variator_continuum_flank *f)
{
  double sum = 0.0;
  for (int k = 0; k < f->places; k++) sum += f->mu[k] / f->places;
  for (int k = 0; k < f->places; k++) f->mu[k] = sum;
  f->even_rub = true;
  f->known = false;
}

bool cap_variator_continuum_flank_find(const cap_variator_continuum_rule *rule,
                                       cap_variator_continuum_arc *arc, cap_variator_continuum_aim aim,
                                       double value)
{
  const cap_variator_continuum_arc kept = *arc;
  ground g = ground_of(rule, arc);
  const search s = {rule, arc, aim, value, g.scale, g.n};
  enum { NEAR, WALK, QUICK, SHARPEN, STIFF, RIGID, WAYS };
  bool done = false;
  for (int way = kept.flank.known ? NEAR : QUICK; way < WAYS && !done; way++) {
    arc->flank = kept.flank;
    if (way == NEAR) done = newton(&s, found, FEW);
    else if (way == WALK) done = walk(&s);
    else if (way == QUICK) done = begin(&s) && newton(&s, found, FEW);
    else if (way == SHARPEN) done = begin(&s) && sharpen(&s);
    else if (way == STIFF) done = from_stiff(&s);
    else done = from_rigid(&s);
  }
  int sweeps = arc->sweeps;
  if (!done) *arc = kept, arc->sweeps = sweeps;
  arc->flank.known = done;
  if (done || kept.flank.places == 0 || kept.flank.even_rub) return done;
  level_friction(&arc->flank);
  return cap_variator_continuum_flank_find(rule, arc, aim, value);
}

/* ---- along the arc ------------------------------------------------------------------------------------- */

typedef struct sketch {
  const cap_variator_continuum_profile *to;
  int n, next;
} sketch;

static void put_place(const ground *g, const step *s, double theta, sketch *d)
{
  const double *c = g->rule->node;
  double x = (theta - s->from) / s->size, z = 0.0, Y = s->Y, L = s->L;
  for (int j = 0; j < STAGES; j++) { /* quadratic through the stages, and its integral */
    double a = c[(j + 1) % STAGES], b = c[(j + 2) % STAGES], per = 1.0 / ((c[j] - a) * (c[j] - b));
    double area = s->size * per * x * (x * x / 3.0 - x * (a + b) / 2.0 + a * b);
    z += s->at[j].z * per * (x - a) * (x - b);
    Y += area * s->at[j].slope;
    L += area * s->at[j].rub.rate;
  }
  double T = g->arc->flank.offset - Y - g->arc->shift * theta;
  double P = g->sum - opening_at(&g->arc->flank, theta).W - Y;
  rub r = rub_at(g, friction_at(g, theta), z, T);
  const cap_variator_continuum_profile *to = d->to;
  int k = d->next;
  if (to->theta) to->theta[k] = theta;
  if (to->log_force) to->log_force[k] = L;
  if (to->rate) to->rate[k] = r.rate;
  if (to->normal) to->normal[k] = P;
  if (to->axial) to->axial[k] = P * r.axial;
  if (to->slip_r) to->slip_r[k] = z;
  if (to->slip_t) to->slip_t[k] = T;
  if (to->sunk) to->sunk[k] = Y;
}

static void sketch_step(void *self, const ground *g, const step *s)
{
  sketch *d = self;
  for (; d->next < d->n; d->next++) {
    double theta = d->n > 1 ? g->arc->wrap * d->next / (d->n - 1) : 0.0;
    if (theta > s->from + s->size && d->next + 1 < d->n) return;
    if (theta > s->from + s->size * (1.0 + 1e-9)) return;
    put_place(g, s, theta, d);
  }
}

void cap_variator_continuum_flank_curve(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc, int n,
                                        const cap_variator_continuum_profile *curve)
{
  ground g = ground_of(rule, arc);
  sketch d = {curve, n, 0};
  sums is;
  march(&g, &is, NULL, sketch_step, &d);
}

typedef struct moments {
  int n;
  double *even, *odd;
} moments;

static void add_moments(void *self, const ground *g, const step *s)
{
  moments *to = self;
  for (int i = 0; i < STAGES; i++) {
    const stage *a = &s->at[i];
    double part = s->size * g->rule->stage[STAGES - 1][i] * a->P * a->rub.axial;
    for (int m = 0; m < to->n; m++) {
      to->even[m] += part * cos(m * (a->theta - g->arc->centre));
      to->odd[m] += part * sin(m * (a->theta - g->arc->centre));
    }
  }
}

void cap_variator_continuum_flank_moments(const cap_variator_continuum_rule *rule,
                                          const cap_variator_continuum_arc *arc, int n, double *even,
                                          double *odd)
{
  ground g = ground_of(rule, arc);
  moments to = {n, even, odd};
  sums is;
  for (int m = 0; m < n; m++) even[m] = odd[m] = 0.0;
  march(&g, &is, NULL, add_moments, &to);
}

double cap_variator_continuum_flank_scale(const cap_variator_continuum_rule *rule,
                                          const cap_variator_continuum_arc *arc)
{
  return ground_of(rule, arc).scale;
}

double cap_variator_continuum_flank_rub(const cap_variator_continuum_rule *rule,
                                        cap_variator_continuum_arc *arc, double part)
{
  enum { N = CAP_VARIATOR_CONTINUUM_RUBS };
  cap_variator_continuum_flank *f = &arc->flank;
  double z[N], T[N], change = 0.0;
  cap_variator_continuum_profile curve = {.slip_r = z, .slip_t = T};
  if (!f->known || f->even_rub || arc->friction.mu_static <= arc->friction.mu_kinetic) return 0.0;
  ground g = ground_of(rule, arc);
  cap_variator_continuum_flank_curve(rule, arc, N, &curve);
  for (int k = 0; k < N; k++) {
    double is = f->places ? f->mu[k] : g.mu;
    double mu = capm_friction_at(&arc->friction, hypot(z[k], T[k]) * fabs(arc->unit), NULL);
    f->mu[k] = is + part * (mu - is);
    change = fmax(change, fabs(mu / is - 1.0));
  }
  f->places = N;
  return change;
}
