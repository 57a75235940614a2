/* elements/dahl.c — the modified Dahl law as an element: its force is its inner state. */
#include "laws/dahl.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

/* Which way the deflection moves, per lane: from its velocity, or as an event has fixed it. */
CAP_INLINE void set_side(const cap_batch *b, const cap_eval *e, int n, const double *v, double *side,
                         int nlane)
{
  signed char fixed = e->sense ? e->sense[b->elem_adr + n] : 0;
  for (int l = 0; l < nlane; l++) side[l] = fixed ? fixed : v[l] < 0.0 ? -1.0 : 1.0;
}

/* Slope dF/du and its derivatives to u and F in every lane: all the cost of the law is here. */
CAP_INLINE void slopes_of_lanes(int nlane, const double *restrict par, const double *restrict u,
                                const double *restrict side, const double *restrict f, double *restrict slope,
                                double *restrict slope_u, double *restrict slope_f)
{
  const double *restrict pa = par + CAP_DAHL_A * nlane, *restrict pb = par + CAP_DAHL_B * nlane;
  const double *restrict pd = par + CAP_DAHL_D * nlane, *restrict pe = par + CAP_DAHL_E * nlane;
  const double *restrict lambda = par + CAP_DAHL_LAMBDA * nlane, *restrict mu = par + CAP_DAHL_MU * nlane;
  for (int l = 0; l < nlane; l++) {
    capm_dahl_tangent t = capm_dahl_tangents(pa[l] * u[l] + pb[l], pa[l], pd[l] * u[l] + pe[l], pd[l],
                                             side[l], f[l], lambda[l], mu[l]);
    slope[l] = t.slope;
    slope_u[l] = side[l] * t.rate_u;
    slope_f[l] = side[l] * t.rate_force;
  }
}

typedef struct lanes {
  double u[CAP_LANES_MOST], v[CAP_LANES_MOST], slope[CAP_LANES_MOST];
  double slope_u[CAP_LANES_MOST], slope_f[CAP_LANES_MOST];
} lanes;

CAP_INLINE void tangent_of_lanes(int nlane, const lanes *restrict a, const double *restrict du,
                                 const double *restrict dv, const double *restrict df, double *restrict dxdot)
{
  for (int l = 0; l < nlane; l++)
    dxdot[l] = a->slope[l] * dv[l] + a->v[l] * (a->slope_u[l] * du[l] + a->slope_f[l] * df[l]);
}

CAP_INLINE void tangent(const cap_batch *b, cap_eval *e, int n, const lanes *a, int nlane)
{
  int ncol = e->ncol, i = b->i[n], j = b->j[n], x = b->x_adr + n;
  for (int c = 0; c < ncol; c++) {
    double du[CAP_LANES_MOST], dv[CAP_LANES_MOST];
    int at_i = i * ncol + c, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + c;
    cap_ends_difference(e->dq, at_i, at_j, nlane, du);
    cap_ends_difference(e->dv, at_i, at_j, nlane, dv);
    tangent_of_lanes(nlane, a, du, dv, e->dx + (x * ncol + c) * nlane, e->dxdot + (x * ncol + c) * nlane);
  }
  cap_ends_resist(e->dh, i, j, ncol * nlane, e->dx + x * ncol * nlane);
}

static capm_dahl law(const cap_batch *b, int n, int lane)
{
  const double *par = b->par + n * CAP_DAHL_NPARAM * b->nlane + lane;
  int s = b->nlane;
  return capm_dahl_straight(par[CAP_DAHL_A * s], par[CAP_DAHL_B * s], par[CAP_DAHL_D * s],
                            par[CAP_DAHL_E * s], par[CAP_DAHL_LAMBDA * s], par[CAP_DAHL_MU * s]);
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    lanes a;
    double side[CAP_LANES_MOST];
    const double *f = e->x + (b->x_adr + n) * nlane;
    double *rate = e->xdot + (b->x_adr + n) * nlane;
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, a.u);
    cap_ends_difference(e->v, b->i[n], b->j[n], nlane, a.v);
    set_side(b, e, n, a.v, side, nlane);
    slopes_of_lanes(nlane, b->par + n * CAP_DAHL_NPARAM * nlane, a.u, side, f, a.slope, a.slope_u, a.slope_f);
    for (int l = 0; l < nlane; l++) rate[l] = a.slope[l] * a.v[l];
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, f);
    if (e->ncol) tangent(b, e, n, &a, nlane);
    if (e->force)
      for (int l = 0; l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = f[l];
    if (e->decay)
      for (int l = 0; l < nlane; l++) e->decay[(b->x_adr + n) * nlane + l] = fabs(a.slope_f[l] * a.v[l]);
    if (!e->power) continue;
    for (int l = 0; l < nlane; l++) {
      capm_dahl p = law(b, n, l);
      e->power[(b->mech_adr + n) * nlane + l] = capm_dahl_dissipation(&p, a.u[l], a.v[l], f[l]);
    }
  }
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
    for (int l = 0; l < nlane; l++) {
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
    .doc = "restoring force drawn towards an upper and a lower envelope",
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
