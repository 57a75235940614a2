/* elements/span.c — the free spans of a running belt as springs, in one closed loop.
 *
 * Maths: docs/theory.md §24. Span k runs from pulley i to the next, j; q are their rotations, V = r q' the
 * speeds with which the pulleys feed the belt, theta the angle of the tensioner's arm.
 *   s = x + (r_i q_i - r_j q_j)/lambda0,   lambda = l(theta)/s,   T = EA (lambda - 1 + tau lambda')
 *   s' = V_i/lambda_arc - V_j/lambda,   a' = V_i/lambda_before - V_i/lambda_arc,   lambda_arc = A/a
 * s and a are the unstretched lengths in the span and on the arc A of pulley i before it: the belt enters a
 * pulley as stretched as the span `before` is, sticks there, and leaves it so.
 * The pulleys and the arm feel t = T - m g^2 lambda, what the belt's own momentum does not need (g: mean of
 * the two rates in s'): forwards on pulley i t r_i, on j -t r_j, on the arm -t dl/dtheta. A slack span has
 * no tension.
 */
#include "elements/elements.h"

#include <math.h>

/* Geometry of a span over the angle of the arm. */
typedef struct shape {
  double l, first, second; /* m, and its derivatives to theta */
  double ux, uy;           /* direction of travel */
} shape;

typedef struct span {
  shape g;
  int i, j, arm;
  double ri, rj, EA, m, tau, stretch;
  double s, lambda, a, lambda_arc, vi, vj;
  double s_rate, a_rate, lambda_rate, flow, tension, centrifugal, effective;
  bool taut;
} span;

/* The length that the belt takes between points that stick to the two pulleys: that of the free span and
 * what goes from it onto them when its direction a turns, l = L + (side_i r_i - side_j r_j) (a - a0), so that
 * dl/dtheta = u . (c_j - c_i)' with the direction u of the span. */
static shape shape_of(const double *p, int w, double theta)
{
  double ai = p[CAP_SPAN_AI * w], aj = p[CAP_SPAN_AJ * w], c = cos(theta), s = sin(theta);
  double dx = p[CAP_SPAN_XJ * w] - p[CAP_SPAN_XI * w] + (aj - ai) * c;
  double dy = p[CAP_SPAN_YJ * w] - p[CAP_SPAN_YI * w] + (aj - ai) * s;
  double fx = -(aj - ai) * s, fy = (aj - ai) * c; /* first derivatives; the second are (-fy, fx) */
  double rho = p[CAP_SPAN_SIDEI * w] * p[CAP_SPAN_RI * w] - p[CAP_SPAN_SIDEJ * w] * p[CAP_SPAN_RJ * w];
  double square = dx * dx + dy * dy, length = sqrt(square - rho * rho);
  double a = atan2(dy, dx) + asin(rho / sqrt(square));
  double along = dx * fx + dy * fy, turn = (dx * fy - dy * fx - rho * along / length) / square;
  double ux = cos(a), uy = sin(a);
  return (shape){.l = length + rho * remainder(a - p[CAP_SPAN_DIRECTION * w], 2.0 * M_PI),
                 .ux = ux,
                 .uy = uy,
                 .first = ux * fx + uy * fy,
                 .second = turn * (ux * fy - uy * fx) + (uy * fx - ux * fy)};
}

static void place(const cap_batch *b, const cap_eval *e, int k, int lane, span *n)
{
  int w = e->nlane;
  const double *p = b->par + k * CAP_SPAN_NPARAM * w + lane;
  *n = (span){.i = b->i[k],
              .j = b->j[k],
              .arm = (int)p[CAP_SPAN_ARM * w],
              .ri = p[CAP_SPAN_RI * w],
              .rj = p[CAP_SPAN_RJ * w],
              .EA = p[CAP_SPAN_EA * w],
              .m = p[CAP_SPAN_MASS * w],
              .tau = p[CAP_SPAN_DAMPING * w],
              .stretch = p[CAP_SPAN_STRETCH * w]};
  n->g = shape_of(p, w, n->arm < 0 ? 0.0 : e->q[n->arm * w + lane]);
  n->a = e->x[(b->x_adr + 2 * k + 1) * w + lane];
  n->lambda_arc = p[CAP_SPAN_ARC * w] / n->a;
  n->s = e->x[(b->x_adr + 2 * k) * w + lane] +
         (n->ri * e->q[n->i * w + lane] - n->rj * e->q[n->j * w + lane]) / n->stretch;
  n->lambda = n->g.l / n->s;
  n->vi = n->ri * e->v[n->i * w + lane];
  n->vj = n->rj * e->v[n->j * w + lane];
}

static double arm_rate(const cap_eval *e, const span *n, int lane)
{
  return n->arm < 0 ? 0.0 : e->v[n->arm * e->nlane + lane];
}

static void pull(const cap_eval *e, const span *before, int lane, span *n)
{
  double enters = n->vi / n->lambda_arc, leaves = n->vj / n->lambda;
  n->s_rate = enters - leaves;
  n->a_rate = n->vi / before->lambda - enters;
  n->flow = 0.5 * (enters + leaves);
  n->lambda_rate = (n->g.first * arm_rate(e, n, lane) - n->lambda * n->s_rate) / n->s;
  double tension = n->EA * (n->lambda - 1.0 + n->tau * n->lambda_rate);
  n->taut = n->lambda > 1.0 && tension > 0.0;
  n->tension = n->taut ? tension : 0.0;
  n->centrifugal = n->m * n->flow * n->flow * n->lambda;
  n->effective = n->tension - n->centrifugal;
}

static void feed(const span *n, cap_eval *e, int lane)
{
  int w = e->nlane;
  e->h[n->i * w + lane] += n->effective * n->ri;
  e->h[n->j * w + lane] -= n->effective * n->rj;
  if (n->arm >= 0) e->h[n->arm * w + lane] -= n->effective * n->g.first;
}

static double energy_per_length(const span *n, double lambda)
{
  return lambda > 1.0 ? 0.5 * n->EA * (lambda - 1.0) * (lambda - 1.0) : 0.0;
}

static double strain_of(double lambda)
{
  return fmax(lambda - 1.0, 0.0);
}

/* What the ends put in and the span does not store is lost: in the damper, and where the belt creeps over
 * the pulleys. What its momentum takes of the tension does work of its own. */
static void powers(const cap_batch *b, const span *n, const span *before, cap_eval *e, int k, int lane)
{
  double *power = e->power + (b->mech_adr + 3 * k) * e->nlane + lane;
  double lengthening = n->g.first * arm_rate(e, n, lane);
  double drawn = n->vj - n->vi + lengthening, in = n->tension * drawn;
  double stored = energy_per_length(n, n->lambda) * n->s_rate +
                  n->s * n->EA * strain_of(n->lambda) * n->lambda_rate +
                  (energy_per_length(n, n->lambda_arc) - n->EA * strain_of(n->lambda_arc) * n->lambda_arc) *
                      n->a_rate;
  double damped = (n->tension - n->EA * strain_of(n->lambda)) * n->s * n->lambda_rate;
  /* the belt brings the energy of the span before and takes that of this one along: nothing in the sum */
  double carried = energy_per_length(before, before->lambda) * n->vi / before->lambda -
                   energy_per_length(n, n->lambda) * n->vj / n->lambda;
  power[0] = in + carried - stored - damped;
  power[e->nlane] = damped;
  power[2 * e->nlane] = n->centrifugal * drawn;
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Derivatives of a span along one column. */
typedef struct change {
  double theta, theta_rate, s, lambda, lambda_arc, vi, vj, s_rate;
} change;

static double column_of(const double *d, int at, const cap_eval *e, int col, int lane)
{
  return d[(at * e->ncol + col) * e->nlane + lane];
}

static change change_of(const cap_batch *b, const cap_eval *e, const span *n, int k, int col, int lane)
{
  change d = {0};
  if (n->arm >= 0) {
    d.theta = column_of(e->dq, n->arm, e, col, lane);
    d.theta_rate = column_of(e->dv, n->arm, e, col, lane);
  }
  d.lambda_arc = -n->lambda_arc / n->a * column_of(e->dx, b->x_adr + 2 * k + 1, e, col, lane);
  d.s = column_of(e->dx, b->x_adr + 2 * k, e, col, lane) +
        (n->ri * column_of(e->dq, n->i, e, col, lane) - n->rj * column_of(e->dq, n->j, e, col, lane)) /
            n->stretch;
  d.lambda = (n->g.first * d.theta - n->lambda * d.s) / n->s;
  d.vi = n->ri * column_of(e->dv, n->i, e, col, lane);
  d.vj = n->rj * column_of(e->dv, n->j, e, col, lane);
  return d;
}

static void feed_tangent(const cap_batch *b, cap_eval *e, const span *n, const span *before, change d,
                         double d_before, int k, int col, int lane)
{
  int w = e->nlane, ncol = e->ncol;
  double meets = (d.vi - n->vi * d_before / before->lambda) / before->lambda;
  double enters = (d.vi - n->vi * d.lambda_arc / n->lambda_arc) / n->lambda_arc;
  double leaves = (d.vj - n->vj * d.lambda / n->lambda) / n->lambda;
  d.s_rate = enters - leaves;
  e->dxdot[((b->x_adr + 2 * k) * ncol + col) * w + lane] = d.s_rate - (d.vi - d.vj) / n->stretch;
  e->dxdot[((b->x_adr + 2 * k + 1) * ncol + col) * w + lane] = meets - enters;
  double rate = arm_rate(e, n, lane);
  double lambda_rate = (n->g.second * rate * d.theta + n->g.first * d.theta_rate - d.lambda * n->s_rate -
                        n->lambda * d.s_rate - n->lambda_rate * d.s) /
                       n->s;
  double tension = n->taut ? n->EA * (d.lambda + n->tau * lambda_rate) : 0.0;
  double effective = tension - n->m * n->flow * (n->lambda * (enters + leaves) + n->flow * d.lambda);
  e->dh[(n->i * ncol + col) * w + lane] += effective * n->ri;
  e->dh[(n->j * ncol + col) * w + lane] -= effective * n->rj;
  if (n->arm >= 0)
    e->dh[(n->arm * ncol + col) * w + lane] -= effective * n->g.first + n->effective * n->g.second * d.theta;
}

static void tangents(const cap_batch *b, cap_eval *e, const span *spans, int col, int lane)
{
  change d[CAP_SPANS_MOST];
  for (int k = 0; k < b->n; k++) d[k] = change_of(b, e, &spans[k], k, col, lane);
  for (int k = 0; k < b->n; k++) {
    int before = k ? k - 1 : b->n - 1;
    feed_tangent(b, e, &spans[k], &spans[before], d[k], d[before].lambda, k, col, lane);
  }
}

/* ---- the loop ------------------------------------------------------------------------------------------ */

static void show(const cap_batch *b, const span *n, cap_eval *e, int k, int lane)
{
  double *out = e->force + (b->output_adr + CAP_SPAN_NOUTPUT * k) * e->nlane + lane;
  e->force[(b->elem_adr + k) * e->nlane + lane] = n->tension;
  out[CAP_SPAN_EFFECTIVE * e->nlane] = n->effective;
  out[CAP_SPAN_PULL_X * e->nlane] = n->effective * n->g.ux;
  out[CAP_SPAN_PULL_Y * e->nlane] = n->effective * n->g.uy;
}

static void lane_rates(const cap_batch *b, cap_eval *e, int lane)
{
  span spans[CAP_SPANS_MOST];
  int w = e->nlane;
  for (int k = 0; k < b->n; k++) place(b, e, k, lane, &spans[k]);
  for (int k = 0; k < b->n; k++) {
    span *n = &spans[k];
    int x = (b->x_adr + 2 * k) * w + lane;
    const span *before = &spans[k ? k - 1 : b->n - 1];
    pull(e, before, lane, n);
    feed(n, e, lane);
    e->xdot[x] = n->s_rate - (n->vi - n->vj) / n->stretch;
    e->xdot[x + w] = n->a_rate;
    if (e->decay) {
      e->decay[x] = fabs(n->vj) / n->g.l;
      e->decay[x + w] = fabs(n->vi) / (n->lambda_arc * n->a);
    }
    if (e->force) show(b, n, e, k, lane);
    if (e->power) powers(b, n, before, e, k, lane);
  }
  for (int col = 0; col < e->ncol; col++) tangents(b, e, spans, col, lane);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int lane = 0; lane < e->nlane; lane++) lane_rates(b, e, lane);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) {
      span n;
      place(b, e, k, lane, &n);
      stored[lane] += n.s * energy_per_length(&n, n.lambda) + n.a * energy_per_length(&n, n.lambda_arc);
    }
}

static const cap_param params[] = {{"centre x of the first pulley", "m"},
                                   {"centre y of the first pulley", "m"},
                                   {"arm of the first pulley", "m"},
                                   {"radius of the first pulley", "m"},
                                   {"side of the first pulley", "1"},
                                   {"centre x of the second pulley", "m"},
                                   {"centre y of the second pulley", "m"},
                                   {"arm of the second pulley", "m"},
                                   {"radius of the second pulley", "m"},
                                   {"side of the second pulley", "1"},
                                   {"coordinate of the arm", "1"},
                                   {"axial stiffness", "N"},
                                   {"mass per length", "kg/m"},
                                   {"damping", "s"},
                                   {"stretch at the start", "1"},
                                   {"direction at the start", "rad"},
                                   {"arc on the first pulley", "m"}};

const cap_element_type cap_span_type = {
    .name = "span",
    .doc = "free span of a running belt, with creep over its pulleys",
    .nparam = CAP_SPAN_NPARAM,
    .params = params,
    .noutput = CAP_SPAN_NOUTPUT,
    .nstate = 2,
    .state_unit = "m",
    .nmech = 3,
    .mech_name = {"creep", "damping", "centrifugal"},
    .mech_input = {false, false, true},
    .rates = rates,
    .energy = energy,
};
