/* elements/dahl.c — the modified Dahl law as an element: its force is its inner state. */
#include "laws/dahl.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

/* What the tangent needs of each lane: speed, slope dF/du and its derivatives to u and F. */
typedef struct lanes {
  double v[CAP_LANES_MOST], slope[CAP_LANES_MOST], slope_u[CAP_LANES_MOST], slope_f[CAP_LANES_MOST];
} lanes;

/* The rate of the force in every lane, and the force felt by both ends: all the cost of the law is here. The
 * side is that of the velocity, or `fixed` (not zero) where an event has told it. One loop, so that nothing
 * but the results goes through memory. */
CAP_INLINE void rates_of_lanes(const double *restrict par, double fixed, const double *restrict qi,
                               const double *restrict qj, const double *restrict vi,
                               const double *restrict vj, const double *restrict f, double *restrict rate,
                               double *restrict hi, double *restrict hj, lanes *restrict a, int nlane)
{
  const double *restrict pa = par + CAP_DAHL_A * nlane, *restrict pb = par + CAP_DAHL_B * nlane;
  const double *restrict pd = par + CAP_DAHL_D * nlane, *restrict pe = par + CAP_DAHL_E * nlane;
  const double *restrict lambda = par + CAP_DAHL_LAMBDA * nlane, *restrict mu = par + CAP_DAHL_MU * nlane;
  CAP_EACH_LANE(l, nlane)
  {
    double u = qi[l] - qj[l], v = vi[l] - vj[l], moving = v < 0.0 ? -1.0 : 1.0;
    double side = fixed != 0.0 ? fixed : moving;
    capm_dahl_tangent t = capm_dahl_tangents(pa[l] * u + pb[l], pa[l], pd[l] * u + pe[l], pd[l], side, f[l],
                                             lambda[l], mu[l]);
    rate[l] = t.slope * v;
    hi[l] -= f[l];
    hj[l] += f[l];
    a->v[l] = v;
    a->slope[l] = t.slope;
    a->slope_u[l] = side * t.rate_u;
    a->slope_f[l] = side * t.rate_force;
  }
}

CAP_INLINE void tangent_of_lanes(const lanes *restrict a, const double *restrict dqi,
                                 const double *restrict dqj, const double *restrict dvi,
                                 const double *restrict dvj, const double *restrict df,
                                 double *restrict drate, double *restrict dhi, double *restrict dhj,
                                 int nlane)
{
  CAP_EACH_LANE(l, nlane)
  {
    drate[l] = a->slope[l] * (dvi[l] - dvj[l]) +
               a->v[l] * (a->slope_u[l] * (dqi[l] - dqj[l]) + a->slope_f[l] * df[l]);
    dhi[l] -= df[l];
    dhj[l] += df[l];
  }
}

static capm_dahl law(const cap_batch *b, int n, int lane)
{
  const double *par = b->par + n * CAP_DAHL_NPARAM * b->nlane + lane;
  int s = b->nlane;
  return capm_dahl_straight(par[CAP_DAHL_A * s], par[CAP_DAHL_B * s], par[CAP_DAHL_D * s],
                            par[CAP_DAHL_E * s], par[CAP_DAHL_LAMBDA * s], par[CAP_DAHL_MU * s]);
}

CAP_INLINE void rates_of_one(const cap_batch *b, cap_eval *e, int n, int nlane)
{
  const double *zeros = cap_ends_zeros;
  double nowhere[CAP_LANES_MOST];
  CAP_EACH_LANE(l, nlane) nowhere[l] = 0.0;
  lanes a;
  int i = b->i[n], j = b->j[n], x = b->x_adr + n, ncol = e->ncol;
  const double *f = e->x + x * nlane, *vj = cap_ends_values(e->v, j, nlane, zeros);
  rates_of_lanes(b->par + n * CAP_DAHL_NPARAM * nlane, e->sense ? e->sense[b->elem_adr + n] : 0.0,
                 e->q + i * nlane, cap_ends_values(e->q, j, nlane, zeros), e->v + i * nlane, vj, f,
                 e->xdot + x * nlane, e->h + i * nlane, cap_ends_row(e->h, j, nlane, nowhere), &a, nlane);
  for (int c = 0; c < ncol; c++) {
    int at_i = i * ncol + c, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + c, at_x = x * ncol + c;
    tangent_of_lanes(&a, e->dq + at_i * nlane, cap_ends_values(e->dq, at_j, nlane, zeros),
                     e->dv + at_i * nlane, cap_ends_values(e->dv, at_j, nlane, zeros), e->dx + at_x * nlane,
                     e->dxdot + at_x * nlane, e->dh + at_i * nlane, cap_ends_row(e->dh, at_j, nlane, nowhere),
                     nlane);
  }
  if (e->force) CAP_EACH_LANE(l, nlane) e->force[(b->elem_adr + n) * nlane + l] = f[l];
  if (e->decay) CAP_EACH_LANE(l, nlane) e->decay[x * nlane + l] = fabs(a.slope_f[l] * a.v[l]);
  if (!e->power) return;
  for (int l = 0; l < nlane; l++) {
    capm_dahl p = law(b, n, l);
    double u = e->q[i * nlane + l] - cap_ends_values(e->q, j, nlane, zeros)[l];
    e->power[(b->mech_adr + n) * nlane + l] = capm_dahl_dissipation(&p, u, a.v[l], f[l]);
  }
}

/* A loop of one turn would have the many constants of the law stored before it and loaded within. */
CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  if (b->n == 1) rates_of_one(b, e, 0, nlane);
  else
    for (int n = 0; n < b->n; n++) rates_of_one(b, e, n, nlane);
}

CAP_CLONES static void rates(const cap_batch *b, cap_eval *e)
{
  CAP_LANE_CASES(e->nlane, rates_of, b, e);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++) {
    double u[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, u);
    CAP_EACH_LANE(l, nlane)
    {
      capm_dahl p = law(b, n, l);
      stored[l] += capm_dahl_energy(&p, u[l], e->x[(b->x_adr + n) * nlane + l]);
    }
  }
}

static void settle(const cap_batch *b, int n, int lane, double u0, double u, double *x, double *dxdu)
{
  capm_dahl p = law(b, n, lane);
  /* finite input cannot fail; what is not finite is caught by the caller's check of the residual */
  if (capm_dahl_path(&p, u0, u, x) != CAP_OK) *x = NAN;
  double v = u < u0 ? -1.0 : 1.0;
  *dxdu = capm_dahl_rate_tangent(&p, u, v, *x).slope;
}

static void slopes(const cap_batch *b, int n, int lane, double u, const double *x, double *stuck,
                   double *sliding)
{
  capm_dahl p = law(b, n, lane);
  double up = capm_dahl_rate_tangent(&p, u, 1.0, *x).slope,
         down = capm_dahl_rate_tangent(&p, u, -1.0, *x).slope;
  *stuck = fmax(up, down); /* a small motion back and forth sees mostly the stiffer of the two */
  *sliding = up > down ? capm_dahl_envelope_slope(p.lower, u) : capm_dahl_envelope_slope(p.upper, u);
}

static const cap_param params[] = {{"upper slope a", "N/m"},      {"upper force b", "N"},
                                   {"lower slope d", "N/m"},      {"lower force e", "N"},
                                   {"rate Lambda", "N^(1-mu)/m"}, {"exponent mu", "1"}};

const cap_element_type cap_dahl_type = {
    .name = "modified Dahl",
    .doc = "restoring force that approaches an upper and a lower envelope",
    .nparam = CAP_DAHL_NPARAM,
    .params = params,
    .nstate = 1,
    .nmech = 1,
    .mech_name = {"hysteresis"},
    .reversal = true,
    .rates = rates,
    .energy = energy,
    .settle = settle,
    .slopes = slopes,
};
