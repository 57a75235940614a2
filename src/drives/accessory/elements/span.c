/* drives/accessory/elements/span.c — the free spans of a running belt as springs, in one closed loop.
 *
 * Maths: docs/theory.md §24. Span k runs from pulley k to the next; V = r (base + v) are the speeds of the
 * rims, B = V + w those of the belt on them, c the centres (drives/accessory/elements/mount.h).
 *   lambda = l(c)/s,   T = EA (lambda - 1 + tau lambda')
 *   s' = B_k/lambda_arc - B_next/lambda,   a' = B_k/lambda_before - B_k/lambda_arc,   lambda_arc = A/a
 * s and a are the unstretched lengths in the span and on the arc A of pulley k before it: the belt enters a
 * pulley as stretched as the span `before` is, sticks there, and leaves it so.
 * The pulleys and what they sit on feel t = T - m g^2 lambda, what the belt's own momentum does not need (g:
 * mean of the two rates in s'): forwards on pulley k t r, backwards on the next, and t along the span on
 * their centres. A span cannot push: T = 0 where the formula is negative.
 * A pulley slips, w != 0, where the tensions beside it would exceed the capstan relation. The belt on it has
 * no mass: w is what keeps them at its limit, so that there is no state for it, and no slip below.
 */
#include "drives/accessory/accessory_drive_tuned.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "linalg/lu.h"

#include <math.h>

typedef struct pulley {
  cap_mount_place at;
  double vx, vy; /* m/s, of the centre */
  int rotation;
  double r, R; /* m; R has the sign of the side */
  double v;    /* m/s, of the rim */
  double slip; /* m/s, of the belt over the rim */
  double belt; /* m/s, v + slip */
  double grip; /* friction times wrap */
  double most; /* the largest ratio of tensions, its exponential */
} pulley;

typedef struct span {
  double L, l;           /* m: straight part; between points that stick to its pulleys */
  double ux, uy, nx, ny; /* direction of travel, and across to the right */
  double l_rate, across; /* m/s: its ends apart along and across */
  double turn;           /* rad, from its direction at the start */
  double s, lambda, a, lambda_arc;
  double s_rate, a_rate, lambda_rate, flow, tension, centrifugal, effective;
  bool taut;
  double pull, pull_i, pull_j; /* N: effective tension ahead of time; over the belt's speed at both ends */
} span;

/* The loop in one lane. */
typedef struct loop {
  const cap_batch *b;
  int n, lane, width;
  double EA, m, tau;
  double ahead;                        /* s, tau and the time by which slip looks ahead */
  int nslip, slipping[CAP_SPANS_MOST]; /* pulleys that slip: k, or -1 - k where the belt lags */
  double slopes[CAP_SPANS_MOST * CAP_SPANS_MOST];
  int pivot[CAP_SPANS_MOST];
  double missing; /* m: unstretched length that the loop should hold beyond what it holds */
  double renewal; /* 1/s */
  pulley p[CAP_SPANS_MOST];
  span s[CAP_SPANS_MOST];
} loop;

static const double *params_of(const loop *o, int k)
{
  return o->b->par + k * CAP_SPAN_NPARAM * o->width + o->lane;
}

static int next_of(const loop *o, int k)
{
  return k + 1 < o->n ? k + 1 : 0;
}

static int before_of(const loop *o, int k)
{
  return k ? k - 1 : o->n - 1;
}

static bool is_fixed(const pulley *p)
{
  return p->at.arm < 0 && p->at.hub < 0;
}

static void place_pulley(const loop *o, const cap_eval *e, int k, pulley *p)
{
  int w = o->width;
  const double *par = params_of(o, k);
  *p = (pulley){.at = cap_mount_at(par + CAP_SPAN_MOUNT * w, e->q + o->lane, w),
                .rotation = o->b->i[k],
                .r = par[CAP_SPAN_R * w],
                .R = par[CAP_SPAN_R * w] * par[CAP_SPAN_SIDE * w]};
  cap_mount_velocity(&p->at, e->v + o->lane, w, &p->vx, &p->vy);
  p->belt = p->v = p->r * (par[CAP_SPAN_BASE * w] + e->v[p->rotation * w + o->lane]);
}

/* The length that the belt takes between points that stick to the two pulleys: that of the free span and what
 * goes from it onto them when its direction turns, l = L + (R_i - R_j) (angle - angle0), so that
 * l' = u . (c_j - c_i)'. */
static void lay(const loop *o, int k, span *n)
{
  const pulley *i = &o->p[k], *j = &o->p[next_of(o, k)];
  double dx = j->at.x - i->at.x, dy = j->at.y - i->at.y, R = i->R - j->R, square = dx * dx + dy * dy;
  n->L = sqrt(square - R * R);
  n->ux = (n->L * dx - R * dy) / square;
  n->uy = (n->L * dy + R * dx) / square;
  n->nx = n->uy;
  n->ny = -n->ux;
  n->l = n->L;
  if (is_fixed(i) && is_fixed(j)) return;
  double start = params_of(o, k)[CAP_SPAN_DIRECTION * o->width];
  n->turn = remainder(atan2(n->uy, n->ux) - start, 2.0 * M_PI);
  n->l += R * n->turn;
  n->l_rate = n->ux * (j->vx - i->vx) + n->uy * (j->vy - i->vy);
  n->across = n->nx * (j->vx - i->vx) + n->ny * (j->vy - i->vy);
}

static void place(const cap_batch *b, const cap_eval *e, int lane, loop *o)
{
  int w = e->nlane;
  o->b = b;
  o->n = b->n;
  o->lane = lane;
  o->width = w;
  const double *par = params_of(o, 0);
  o->EA = par[CAP_SPAN_EA * w];
  o->m = par[CAP_SPAN_MASS * w];
  o->tau = par[CAP_SPAN_DAMPING * w];
  o->ahead = o->tau + par[CAP_SPAN_LEAD * w];
  o->nslip = 0;
  o->renewal = par[CAP_SPAN_RENEWAL * w];
  o->missing = par[CAP_SPAN_LOOP * w];
  for (int k = 0; k < o->n; k++) place_pulley(o, e, k, &o->p[k]);
  for (int k = 0; k < o->n; k++) {
    span *n = &o->s[k];
    *n = (span){.s = e->x[(b->x_adr + 2 * k) * w + lane], .a = e->x[(b->x_adr + 2 * k + 1) * w + lane]};
    lay(o, k, n);
    n->lambda = n->l / n->s;
    n->lambda_arc = params_of(o, k)[CAP_SPAN_ARC * w] / n->a;
    o->missing -= n->s + n->a;
  }
}

static void flow(const loop *o, int k, span *n)
{
  double enters = o->p[k].belt / n->lambda_arc, leaves = o->p[next_of(o, k)].belt / n->lambda;
  n->s_rate = enters - leaves;
  n->a_rate = o->p[k].belt / o->s[before_of(o, k)].lambda - enters + o->renewal * o->missing / o->n;
  n->flow = 0.5 * (enters + leaves);
  n->lambda_rate = (n->l_rate - n->lambda * n->s_rate) / n->s;
}

/* ---- gross slip ---------------------------------------------------------------------------------------- */

enum { SLIP_TRIALS = 8, SLIP_SWEEPS = 200 };
#define GRIP_MOST 8.0 /* friction times wrap beyond which a ratio of tensions is as good as infinite */

/* The tension that slip is judged by, with the rate of stretch weighted by `ahead`;
 * negative in a slack span. */
static void look_ahead(const loop *o, int k, span *n)
{
  flow(o, k, n);
  n->pull = o->EA * (n->lambda - 1.0 + o->ahead * n->lambda_rate) - o->m * n->flow * n->flow * n->lambda;
  n->pull_i = -(o->EA * o->ahead / n->s + o->m * n->flow) * n->lambda / n->lambda_arc;
  n->pull_j = o->EA * o->ahead / n->s - o->m * n->flow;
}

/* The largest ratio of tensions at pulley k, the slack side of which is pulled so: nothing holds a belt that
 * is not pressed on. */
static double most_of(const loop *o, int k, double slack)
{
  return slack > 0.0 ? o->p[k].most : 1.0;
}

/* What the tensions at pulley k exceed the capstan relation by, the belt running ahead of the rim or lagging,
 * and its slopes over the belt's speed at the pulley before, at k, and at the next one. A trace of viscous
 * friction gives the belt a speed where it slips on all pulleys. */
static double excess(const loop *o, int k, bool lags, double slope[3])
{
  const span *in = &o->s[before_of(o, k)], *out = &o->s[k];
  double a = lags ? 1.0 : -most_of(o, k, in->pull), b = lags ? -most_of(o, k, out->pull) : 1.0;
  double trace = (lags ? CAP_ACCESSORY_TUNED_SLIP_TRACE : -CAP_ACCESSORY_TUNED_SLIP_TRACE) * o->EA * o->ahead;
  slope[0] = a * in->pull_i;
  slope[1] = a * in->pull_j + b * out->pull_i + trace;
  slope[2] = b * out->pull_j;
  return a * in->pull + b * out->pull + trace * o->p[k].slip;
}

/* Which pulleys slip, by the slip as it is and the excess that would be without it. */
static void choose(loop *o)
{
  o->nslip = 0;
  for (int k = 0; k < o->n; k++) {
    double slope[3], slip = o->p[k].slip, over = excess(o, k, false, slope);
    bool runs = slope[1] < 0.0 && over - slope[1] * slip > 0.0;
    over = excess(o, k, true, slope);
    bool lags = slope[1] > 0.0 && over - slope[1] * slip > 0.0;
    if (runs || lags) o->slipping[o->nslip++] = lags ? -1 - k : k;
  }
}

static int slipping_pulley(const loop *o, int n)
{
  return o->slipping[n] < 0 ? -1 - o->slipping[n] : o->slipping[n];
}

/* Factors of the slopes of all excesses over all slips; step[nslip] becomes the way to no excess. */
static bool set_slopes(loop *o, double *step)
{
  int place[CAP_SPANS_MOST], n = o->nslip;
  for (int k = 0; k < o->n; k++) place[k] = -1;
  for (int i = 0; i < n; i++) place[slipping_pulley(o, i)] = i;
  for (int i = 0; i < n * n; i++) o->slopes[i] = 0.0;
  for (int i = 0; i < n; i++) {
    int k = slipping_pulley(o, i), of[3] = {before_of(o, k), k, next_of(o, k)};
    double slope[3];
    step[i] = -excess(o, k, o->slipping[i] < 0, slope);
    for (int j = 0; j < 3; j++)
      if (place[of[j]] >= 0) o->slopes[i * n + place[of[j]]] += slope[j];
  }
  if (capm_lu_factor(n, o->slopes, o->pivot)) return false;
  capm_lu_solve(n, o->slopes, o->pivot, step);
  return true;
}

static double take_step(loop *o, const double *step)
{
  double slip[CAP_SPANS_MOST] = {0}, largest = 0.0, fastest = CAP_ACCESSORY_TUNED_SLIP_LEAST;
  for (int i = 0; i < o->nslip; i++) slip[slipping_pulley(o, i)] = o->p[slipping_pulley(o, i)].slip + step[i];
  for (int k = 0; k < o->n; k++) {
    pulley *p = &o->p[k];
    largest = fmax(largest, fabs(slip[k] - p->slip));
    fastest = fmax(fastest, fmax(fabs(p->v), fabs(slip[k])));
    p->slip = slip[k];
    p->belt = p->v + p->slip;
  }
  return largest / fastest;
}

/* Newton on which pulleys slip and how fast. */
static bool improve(loop *o)
{
  for (int trial = 0; trial < SLIP_TRIALS; trial++) {
    double step[CAP_SPANS_MOST];
    for (int k = 0; k < o->n; k++) look_ahead(o, k, &o->s[k]);
    choose(o);
    if (o->nslip && !set_slopes(o, step)) return false;
    if (take_step(o, step) < 1e-9) return true; /* which squares with the next one */
  }
  return false;
}

/* The slip of one pulley, those of the others as they are; returns its change. */
static double settle_one(loop *o, int k)
{
  enum { TRIALS = 6 };
  pulley *p = &o->p[k];
  int before = before_of(o, k);
  double start = p->slip;
  for (int trial = 0; trial < TRIALS; trial++) {
    double slope[3], last = p->slip;
    look_ahead(o, before, &o->s[before]);
    look_ahead(o, k, &o->s[k]);
    double ahead = last - excess(o, k, false, slope) / slope[1];
    ahead = slope[1] < 0.0 ? fmax(ahead, 0.0) : 0.0;
    double lag = last - excess(o, k, true, slope) / slope[1];
    lag = slope[1] > 0.0 ? fmin(lag, 0.0) : 0.0;
    p->slip = ahead > 0.0 ? ahead : lag;
    p->belt = p->v + p->slip;
    if (p->slip == last) break;
  }
  return fabs(p->slip - start);
}

/* Each excess falls with the slip of its pulley and grows with those of the neighbours by no more: taking one
 * pulley after the other always ends, if slowly. Newton, which is quick, may go in circles where several
 * slip. */
static void find_slip(loop *o)
{
  double fastest = CAP_ACCESSORY_TUNED_SLIP_LEAST;
  for (int k = 0; k < o->n; k++) {
    pulley *p = &o->p[k];
    const double *par = params_of(o, k);
    double wrap = par[CAP_SPAN_ARC * o->width] / p->r +
                  copysign(1.0, p->R) * (o->s[k].turn - o->s[before_of(o, k)].turn);
    p->grip = fmin(par[CAP_SPAN_FRICTION * o->width] * fmax(wrap, 0.0), GRIP_MOST);
    p->most = exp(p->grip);
    fastest = fmax(fastest, fabs(p->v));
  }
  if (improve(o)) return;
  for (int k = 0; k < o->n; k++) o->p[k].slip = 0.0, o->p[k].belt = o->p[k].v;
  for (int sweep = 0; sweep < SLIP_SWEEPS; sweep++) {
    double change = 0.0;
    for (int k = 0; k < o->n; k++) change = fmax(change, settle_one(o, k));
    if (change < 1e-9 * fastest) break;
  }
  improve(o);
}

static void pull(const loop *o, int k, span *n)
{
  flow(o, k, n);
  double tension = o->EA * (n->lambda - 1.0 + o->tau * n->lambda_rate);
  n->taut = tension > 0.0;
  n->tension = n->taut ? tension : 0.0;
  n->centrifugal = o->m * n->flow * n->flow * n->lambda;
  n->effective = n->tension - n->centrifugal;
}

static void feed(const loop *o, int k, cap_eval *e)
{
  const pulley *i = &o->p[k], *j = &o->p[next_of(o, k)];
  int w = o->width;
  double *h = e->h + o->lane, t = o->s[k].effective, x = t * o->s[k].ux, y = t * o->s[k].uy;
  h[i->rotation * w] += t * i->r;
  h[j->rotation * w] -= t * j->r;
  cap_mount_push(&i->at, h, w, x, y);
  cap_mount_push(&j->at, h, w, -x, -y);
}

static double energy_per_length(const loop *o, double lambda)
{
  return lambda > 1.0 ? 0.5 * o->EA * (lambda - 1.0) * (lambda - 1.0) : 0.0;
}

static double strain_of(double lambda)
{
  return fmax(lambda - 1.0, 0.0);
}

/* What the ends put in and the span does not store is lost: in the damper, and where the belt creeps over
 * the pulleys. What its momentum takes of the tension does work of its own. */
static void powers(const loop *o, int k, cap_eval *e)
{
  const span *n = &o->s[k], *before = &o->s[before_of(o, k)];
  double vi = o->p[k].belt, vj = o->p[next_of(o, k)].belt, EA = o->EA;
  double *power = e->power + (o->b->mech_adr + 4 * k) * o->width + o->lane;
  double drawn = vj - vi + n->l_rate, in = n->tension * drawn;
  double stored = energy_per_length(o, n->lambda) * n->s_rate +
                  n->s * EA * strain_of(n->lambda) * n->lambda_rate +
                  (energy_per_length(o, n->lambda_arc) - EA * strain_of(n->lambda_arc) * n->lambda_arc) *
                      n->a_rate;
  double damped = (n->tension - EA * strain_of(n->lambda)) * n->s * n->lambda_rate;
  /* the belt brings the energy of the span before and takes that of this one along: nothing in the sum */
  double carried = energy_per_length(o, before->lambda) * vi / before->lambda -
                   energy_per_length(o, n->lambda) * vj / n->lambda;
  power[0] = in + carried - stored - damped;
  power[o->width] = damped;
  power[2 * o->width] = n->centrifugal * drawn;
  power[3 * o->width] = (n->effective - before->effective) * o->p[k].slip;
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Derivatives along one column. */
typedef struct pulley_change {
  double v; /* of the belt on it */
  double x, y, vx, vy, arm;
} pulley_change;

typedef struct change {
  pulley_change p[CAP_SPANS_MOST];
  double ux[CAP_SPANS_MOST], uy[CAP_SPANS_MOST], turn[CAP_SPANS_MOST], l_rate[CAP_SPANS_MOST];
  double s[CAP_SPANS_MOST], lambda[CAP_SPANS_MOST], lambda_arc[CAP_SPANS_MOST];
  double missing;
} change;

static double column_of(const double *d, int at, const cap_eval *e, int col, int lane)
{
  return d[(at * e->ncol + col) * e->nlane + lane];
}

static pulley_change change_of(const loop *o, const cap_eval *e, const pulley *p, int col)
{
  pulley_change d = {.v = p->r * column_of(e->dv, p->rotation, e, col, o->lane)};
  if (p->at.arm >= 0) {
    double rate = e->v[p->at.arm * o->width + o->lane], swing = column_of(e->dv, p->at.arm, e, col, o->lane);
    d.arm = column_of(e->dq, p->at.arm, e, col, o->lane);
    d.x = p->at.dx * d.arm;
    d.y = p->at.dy * d.arm;
    d.vx = p->at.dx * swing + p->at.ddx * rate * d.arm;
    d.vy = p->at.dy * swing + p->at.ddy * rate * d.arm;
  }
  if (p->at.hub >= 0) {
    cap_mount_add_hub(&p->at, column_of(e->dq, p->at.hub, e, col, o->lane),
                      column_of(e->dq, p->at.hub + 1, e, col, o->lane), &d.x, &d.y);
    cap_mount_add_hub(&p->at, column_of(e->dv, p->at.hub, e, col, o->lane),
                      column_of(e->dv, p->at.hub + 1, e, col, o->lane), &d.vx, &d.vy);
  }
  return d;
}

static void change_span(const loop *o, const cap_eval *e, int k, int col, change *d)
{
  const span *n = &o->s[k];
  int x = o->b->x_adr + 2 * k, j = next_of(o, k);
  double dl = 0.0;
  d->ux[k] = d->uy[k] = d->turn[k] = d->l_rate[k] = 0.0;
  if (!is_fixed(&o->p[k]) || !is_fixed(&o->p[j])) {
    const pulley_change *a = &d->p[k], *b = &d->p[j];
    double side = (n->nx * (b->x - a->x) + n->ny * (b->y - a->y)) / n->L;
    dl = n->ux * (b->x - a->x) + n->uy * (b->y - a->y);
    d->turn[k] = -side;
    d->ux[k] = side * n->nx;
    d->uy[k] = side * n->ny;
    d->l_rate[k] = n->ux * (b->vx - a->vx) + n->uy * (b->vy - a->vy) + side * n->across;
  }
  double da = column_of(e->dx, x + 1, e, col, o->lane);
  d->s[k] = column_of(e->dx, x, e, col, o->lane);
  d->lambda[k] = (dl - n->lambda * d->s[k]) / n->s;
  d->lambda_arc[k] = -n->lambda_arc / n->a * da;
  d->missing -= d->s[k] + da;
}

/* Of a force (fx, fy) on a centre. */
static void push_tangent(const loop *o, cap_eval *e, const pulley *p, const pulley_change *dp, int col,
                         double fx, double fy, double dfx, double dfy)
{
  int w = o->width;
  if (p->at.arm >= 0)
    e->dh[(p->at.arm * e->ncol + col) * w + o->lane] += p->at.dx * dfx + p->at.dy * dfy +
                                                        (p->at.ddx * fx + p->at.ddy * fy) * dp->arm;
  if (p->at.hub >= 0) {
    double first, second;
    cap_mount_on_hub(&p->at, dfx, dfy, &first, &second);
    e->dh[(p->at.hub * e->ncol + col) * w + o->lane] += first;
    e->dh[((p->at.hub + 1) * e->ncol + col) * w + o->lane] += second;
  }
}

/* Effective tension with the rate of stretch weighted by `tau`, and the rates into the span and out of it. */
static double tension_change(const loop *o, const change *d, int k, double tau, double *enters,
                             double *leaves)
{
  const span *n = &o->s[k];
  int j = next_of(o, k);
  *enters = (d->p[k].v - o->p[k].belt * d->lambda_arc[k] / n->lambda_arc) / n->lambda_arc;
  *leaves = (d->p[j].v - o->p[j].belt * d->lambda[k] / n->lambda) / n->lambda;
  double lambda_rate = (d->l_rate[k] - d->lambda[k] * n->s_rate - n->lambda * (*enters - *leaves) -
                        n->lambda_rate * d->s[k]) /
                       n->s;
  return o->EA * (d->lambda[k] + tau * lambda_rate) -
         o->m * n->flow * (n->lambda * (*enters + *leaves) + n->flow * d->lambda[k]);
}

/* The slips change so that the excesses stay zero. */
static void slip_tangent(const loop *o, change *d)
{
  double step[CAP_SPANS_MOST], pull[CAP_SPANS_MOST], enters, leaves;
  for (int k = 0; k < o->n; k++) pull[k] = tension_change(o, d, k, o->ahead, &enters, &leaves);
  for (int i = 0; i < o->nslip; i++) {
    int k = slipping_pulley(o, i), before = before_of(o, k);
    bool lags = o->slipping[i] < 0;
    int slack = lags ? k : before, tight = lags ? before : k;
    const pulley *p = &o->p[k];
    double wrap = copysign(1.0, p->R) * (d->turn[k] - d->turn[before]), most = 0.0;
    if (o->s[slack].pull > 0.0 && p->grip < GRIP_MOST)
      most = p->most * params_of(o, k)[CAP_SPAN_FRICTION * o->width] * wrap;
    step[i] = most_of(o, k, o->s[slack].pull) * pull[slack] + most * o->s[slack].pull - pull[tight];
  }
  capm_lu_solve(o->nslip, o->slopes, o->pivot, step);
  for (int i = 0; i < o->nslip; i++) d->p[slipping_pulley(o, i)].v += step[i];
}

static void feed_tangent(const loop *o, cap_eval *e, const change *d, int k, int col)
{
  int w = o->width, ncol = e->ncol, j = next_of(o, k), before = before_of(o, k);
  const span *n = &o->s[k];
  double lambda_before = o->s[before].lambda, enters, leaves;
  double meets = (d->p[k].v - o->p[k].belt * d->lambda[before] / lambda_before) / lambda_before;
  double t = tension_change(o, d, k, o->tau, &enters, &leaves);
  if (!n->taut) t = -o->m * n->flow * (n->lambda * (enters + leaves) + n->flow * d->lambda[k]);
  double *dxdot = e->dxdot + ((o->b->x_adr + 2 * k) * ncol + col) * w + o->lane;
  dxdot[0] = enters - leaves;
  dxdot[ncol * w] = meets - enters + o->renewal * d->missing / o->n;
  e->dh[(o->p[k].rotation * ncol + col) * w + o->lane] += t * o->p[k].r;
  e->dh[(o->p[j].rotation * ncol + col) * w + o->lane] -= t * o->p[j].r;
  double x = n->effective * n->ux, dx = t * n->ux + n->effective * d->ux[k];
  double y = n->effective * n->uy, dy = t * n->uy + n->effective * d->uy[k];
  push_tangent(o, e, &o->p[k], &d->p[k], col, x, y, dx, dy);
  push_tangent(o, e, &o->p[j], &d->p[j], col, -x, -y, -dx, -dy);
}

static void tangents(const loop *o, cap_eval *e, int col)
{
  change d;
  d.missing = 0.0;
  for (int k = 0; k < o->n; k++) d.p[k] = change_of(o, e, &o->p[k], col);
  for (int k = 0; k < o->n; k++) change_span(o, e, k, col, &d);
  if (o->nslip) slip_tangent(o, &d);
  for (int k = 0; k < o->n; k++) feed_tangent(o, e, &d, k, col);
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

/* Slip arc over wrap. */
static double use_of(const loop *o, int k)
{
  double in = o->s[before_of(o, k)].effective, out = o->s[k].effective;
  if (in > 0.0 && out > 0.0 && o->p[k].grip > 0.0) return fabs(log(out / in)) / o->p[k].grip;
  return in > 0.0 || out > 0.0 ? 1.0 : 0.0;
}

static void show(const loop *o, int k, cap_eval *e)
{
  const span *n = &o->s[k];
  double *out = e->force + (o->b->output_adr + CAP_SPAN_NOUTPUT * k) * o->width + o->lane;
  e->force[(o->b->elem_adr + k) * o->width + o->lane] = n->tension;
  out[CAP_SPAN_EFFECTIVE * o->width] = n->effective;
  out[CAP_SPAN_PULL_X * o->width] = n->effective * n->ux;
  out[CAP_SPAN_PULL_Y * o->width] = n->effective * n->uy;
  out[CAP_SPAN_SLIP * o->width] = o->p[k].slip;
  out[CAP_SPAN_USE * o->width] = use_of(o, k);
}

static void lane_rates(const cap_batch *b, cap_eval *e, int lane)
{
  loop o;
  int w = e->nlane;
  place(b, e, lane, &o);
  find_slip(&o);
  for (int k = 0; k < o.n; k++) pull(&o, k, &o.s[k]);
  for (int k = 0; k < o.n; k++) {
    span *n = &o.s[k];
    int x = (b->x_adr + 2 * k) * w + lane;
    feed(&o, k, e);
    e->xdot[x] = n->s_rate;
    e->xdot[x + w] = n->a_rate;
    if (e->decay) {
      e->decay[x] = fabs(o.p[next_of(&o, k)].belt) / n->l;
      e->decay[x + w] = fabs(o.p[k].belt) / (n->lambda_arc * n->a);
    }
    if (e->force) show(&o, k, e);
    if (e->power) powers(&o, k, e);
  }
  for (int col = 0; col < e->ncol; col++) tangents(&o, e, col);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int lane = 0; lane < e->nlane; lane++) lane_rates(b, e, lane);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int lane = 0; lane < e->nlane; lane++) {
    loop o;
    place(b, e, lane, &o);
    for (int k = 0; k < o.n; k++)
      stored[lane] += o.s[k].s * energy_per_length(&o, o.s[k].lambda) +
                      o.s[k].a * energy_per_length(&o, o.s[k].lambda_arc);
  }
}

/* Belt that the rotations feed into a span and draw from it; what is on the arc stays there. */
static void follow(const cap_batch *b, int k, int lane, int n, const double *dq, double *dx)
{
  int next = k + 1 < b->n ? k + 1 : 0, size = CAP_SPAN_NPARAM * b->nlane;
  const double *par = b->par + lane;
  double stretch = par[k * size + CAP_SPAN_STRETCH * b->nlane];
  double into = par[k * size + CAP_SPAN_R * b->nlane] / stretch;
  double from = par[next * size + CAP_SPAN_R * b->nlane] / stretch;
  for (int c = 0; c < n; c++) {
    dx[c] = into * dq[b->i[k] * n + c] - from * dq[b->i[next] * n + c];
    dx[n + c] = 0.0;
  }
}

static const cap_param params[] = {{"centre x of the pulley, or of the pivot", "m"},
                                   {"centre y of the pulley, or of the pivot", "m"},
                                   {"length of its arm", "m"},
                                   {"direction x of its guide", "1"},
                                   {"direction y of its guide", "1"},
                                   {"coordinate of the arm", "1"},
                                   {"first coordinate of the hub", "1"},
                                   {"radius of the pulley", "m"},
                                   {"side of the pulley", "1"},
                                   {"steady speed of the pulley", "rad/s"},
                                   {"axial stiffness", "N"},
                                   {"mass per length", "kg/m"},
                                   {"damping", "s"},
                                   {"stretch at the start", "1"},
                                   {"direction at the start", "rad"},
                                   {"arc on the pulley", "m"},
                                   {"friction of the pulley", "1"},
                                   {"look-ahead time of slip", "s"},
                                   {"unstretched length of the loop", "m"},
                                   {"rate at which the unstretched length is restored", "1/s"}};

const cap_element_type cap_span_type = {
    .name = "span",
    .doc = "free span of a running belt, with creep and gross slip over its pulleys",
    .nparam = CAP_SPAN_NPARAM,
    .params = params,
    .noutput = CAP_SPAN_NOUTPUT,
    .nstate = 2,
    .state_unit = "m",
    .nmech = 4,
    .mech_name = {"creep", "damping", "centrifugal", "slip"},
    .mech_input = {false, false, true, false},
    .wide = true,
    .tangent = true,
    .rates = rates,
    .energy = energy,
    .follow = follow,
};
