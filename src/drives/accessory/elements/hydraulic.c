/* drives/accessory/elements/hydraulic.c — the oil chamber of a hydraulic tensioner: its force is its inner
 * state.
 *
 * SENSE is the direction of the deflection u = q_i - q_j in which the plunger comes out: pressed in it moves
 * with z' = -SENSE u'. The inner state is the force that resists the deflection, x = -SENSE f.
 */
#include "laws/hydraulic.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "elements/ends.h"

static capm_hydraulic law(const double *par, int step)
{
  return (capm_hydraulic){.stiffness = par[CAP_HYDRAULIC_STIFFNESS * step],
                          .leak = par[CAP_HYDRAULIC_LEAK * step],
                          .valve = par[CAP_HYDRAULIC_VALVE * step],
                          .opening = par[CAP_HYDRAULIC_OPENING * step],
                          .blend = par[CAP_HYDRAULIC_BLEND * step]};
}

static void put_powers(const cap_batch *b, cap_eval *e, int n, int lane, const capm_hydraulic *p, double f)
{
  double slope, refill = capm_hydraulic_refill(p, f, &slope);
  double *power = e->power + (b->mech_adr + 2 * n) * e->nlane + lane;
  power[0] = f * f / p->leak;
  power[e->nlane] = -f * refill;
}

static void rates_of_lane(const cap_batch *b, cap_eval *e, int n, int lane)
{
  int w = e->nlane, ncol = e->ncol, i = b->i[n], j = b->j[n], x = b->x_adr + n;
  const double *par = b->par + n * CAP_HYDRAULIC_NPARAM * w + lane;
  capm_hydraulic p = law(par, w);
  double sense = par[CAP_HYDRAULIC_SENSE * w], force = e->x[x * w + lane], f = -sense * force, slope;
  double v = e->v[i * w + lane] - (j == CAP_GROUND ? 0.0 : e->v[j * w + lane]);
  double flow = capm_hydraulic_flow(&p, f, &slope);
  e->xdot[x * w + lane] = p.stiffness * (v + sense * flow);
  e->h[i * w + lane] -= force;
  if (j != CAP_GROUND) e->h[j * w + lane] += force;
  for (int c = 0; c < ncol; c++) {
    int at_i = (i * ncol + c) * w + lane, at_j = (j * ncol + c) * w + lane, at_x = (x * ncol + c) * w + lane;
    double dv = e->dv[at_i] - (j == CAP_GROUND ? 0.0 : e->dv[at_j]), dx = e->dx[at_x];
    e->dxdot[at_x] = p.stiffness * (dv - slope * dx);
    e->dh[at_i] -= dx;
    if (j != CAP_GROUND) e->dh[at_j] += dx;
  }
  if (e->force) e->force[(b->elem_adr + n) * w + lane] = force;
  if (e->decay) e->decay[x * w + lane] = p.stiffness * slope;
  if (e->power) put_powers(b, e, n, lane, &p, f);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; n < b->n; n++)
    for (int lane = 0; lane < e->nlane; lane++) rates_of_lane(b, e, n, lane);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++)
    for (int lane = 0; lane < e->nlane; lane++) {
      double k = b->par[(n * CAP_HYDRAULIC_NPARAM + CAP_HYDRAULIC_STIFFNESS) * e->nlane + lane];
      double force = e->x[(b->x_adr + n) * e->nlane + lane];
      stored[lane] += 0.5 * force * force / k;
    }
}

/* Moved slowly enough it has no force. */
static void settle(const cap_batch *b, int n, int lane, double u0, double u, double *x, double *dxdu)
{
  (void)b, (void)n, (void)lane, (void)u0, (void)u;
  *x = *dxdu = 0.0;
}

/* Too quick for the leak: the oil is a spring. Slow: it is not there. */
static void slopes(const cap_batch *b, int n, int lane, double u, const double *x, double *stuck,
                   double *sliding)
{
  (void)u, (void)x;
  *stuck = b->par[(n * CAP_HYDRAULIC_NPARAM + CAP_HYDRAULIC_STIFFNESS) * b->nlane + lane];
  *sliding = 0.0;
}

static const cap_param params[] = {{"stiffness of the oil", "N/m"}, {"leak gap", "N s/m"},
                                   {"open valve", "N s/m"},         {"opening force of the valve", "N"},
                                   {"width of its opening", "N"},   {"direction out", "1"}};

const cap_element_type cap_hydraulic_type = {
    .name = "hydraulic chamber",
    .doc = "plunger over an oil chamber with leak gap and check valve",
    .nparam = CAP_HYDRAULIC_NPARAM,
    .params = params,
    .nstate = 1,
    .nmech = 2,
    .mech_name = {"leak", "valve"},
    .rates = rates,
    .energy = energy,
    .settle = settle,
    .slopes = slopes,
};
