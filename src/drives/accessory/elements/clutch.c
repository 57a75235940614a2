/* drives/accessory/elements/clutch.c — one-way clutch or overrunning decoupler between a rim (i) and its
 * shaft (j). */
#include "laws/clutch.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "elements/ends.h"

/* Parameters of element n in a lane. */
static capm_clutch law_of(const cap_batch *b, int n, int lane)
{
  const double *par = b->par + n * CAP_CLUTCH_NPARAM * b->nlane + lane;
  return (capm_clutch){.k = par[CAP_CLUTCH_K * b->nlane],
                       .d = par[CAP_CLUTCH_D * b->nlane],
                       .drag = par[CAP_CLUTCH_DRAG * b->nlane],
                       .capacity = par[CAP_CLUTCH_CAPACITY * b->nlane]};
}

static double speed_of(const double *v, int i, int j, int width, int lane)
{
  return v[i * width + lane] - (j == CAP_GROUND ? 0.0 : v[j * width + lane]);
}

static void push(cap_eval *e, int i, int j, int width, int lane, double torque)
{
  e->h[i * width + lane] -= torque;
  if (j != CAP_GROUND) e->h[j * width + lane] += torque;
}

/* A step of an explicit method, or its start (march = 0). What the torque does beyond the energy of the
 * wind-up is lost: in the damper where the clutch holds, by overrunning where it does not. */
static void march_one(const cap_batch *b, cap_eval *e, int n)
{
  int i = b->i[n], j = b->j[n], x = b->x_adr + n, mech = b->mech_adr + 2 * n;
  capm_clutch law = law_of(b, n, 0);
  double g = speed_of(e->v, i, j, 1, 0), z = e->x_march[x];
  double g_mean = e->march > 0.0 ? speed_of(e->v_half, i, j, 1, 0) : g;
  capm_stick_step step = capm_clutch_march(&law, exp(-e->march * law.k / law.d), e->march, z, g_mean, g);
  if (e->march > 0.0) e->x_march[x] = step.z;
  push(e, i, j, 1, 0, step.force);
  if (e->force) e->force[b->elem_adr + n] = step.force;
  int loss = mech + (step.slides != 0.0), other = mech + (step.slides == 0.0);
  if (e->power) e->power[loss] = step.force * g, e->power[other] = 0.0;
  if (e->jump && e->march > 0.0) e->jump[loss] += 0.5 * law.k * (z * z - step.z * step.z);
}

/* One lane: values are `width` apart, columns of the tangent as cap_eval has them. */
static void rates_of_lane(const cap_batch *b, cap_eval *e, int n, int l)
{
  int width = e->nlane, ncol = e->ncol, i = b->i[n], j = b->j[n], x = b->x_adr + n;
  double g = speed_of(e->v, i, j, width, l);
  capm_clutch law = law_of(b, n, l);
  capm_stick_result r;
  capm_clutch_evaluate(&law, e->x[x * width + l], g, &r);
  push(e, i, j, width, l, r.force[0]);
  e->xdot[x * width + l] = r.rate[0];
  for (int c = 0; c < ncol; c++) {
    double dz = e->dx[(x * ncol + c) * width + l];
    double dg = e->dv[(i * ncol + c) * width + l];
    if (j != CAP_GROUND) dg -= e->dv[(j * ncol + c) * width + l];
    double df = r.force_z[0][0] * dz + r.force_g[0][0] * dg;
    e->dh[(i * ncol + c) * width + l] -= df;
    if (j != CAP_GROUND) e->dh[(j * ncol + c) * width + l] += df;
    e->dxdot[(x * ncol + c) * width + l] = r.rate_z[0][0] * dz + r.rate_g[0][0] * dg;
  }
  if (e->force) e->force[(b->elem_adr + n) * width + l] = r.force[0];
  if (e->decay) e->decay[x * width + l] = fabs(r.rate_z[0][0]);
  if (!e->power) return;
  e->power[(b->mech_adr + 2 * n) * width + l] = r.damping;
  e->power[(b->mech_adr + 2 * n + 1) * width + l] = r.slip;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; n < b->n; n++)
    if (e->x_march) march_one(b, e, n);
    else
      for (int l = 0; l < e->nlane; l++) rates_of_lane(b, e, n, l);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++)
    for (int l = 0; l < e->nlane; l++) {
      double z = e->x[(b->x_adr + n) * e->nlane + l];
      stored[l] += 0.5 * law_of(b, n, l).k * z * z;
    }
}

static void settle(const cap_batch *b, int n, int lane, double u0, double u, double *x, double *dxdu)
{
  capm_clutch law = law_of(b, n, lane);
  *x = capm_clutch_settle(&law, *x, u - u0, dxdu);
}

/* Engaged, the wind-up follows the rim; a clutch that overruns has no stiffness. */
static void slopes(const cap_batch *b, int n, int lane, double u, const double *x, double *stuck,
                   double *sliding)
{
  (void)b, (void)n, (void)lane, (void)u, (void)x;
  *stuck = 1.0;
  *sliding = 0.0;
}

static const cap_param params[] = {
    {"stiffness", "N m/rad"}, {"damping", "N m s/rad"}, {"drag", "N m"}, {"capacity", "N m"}};

const cap_element_type cap_clutch_type = {
    .name = "one-way clutch",
    .doc = "transmits torque by its wind-up in one direction, overruns in the other",
    .nparam = CAP_CLUTCH_NPARAM,
    .params = params,
    .nstate = 1,
    .state_unit = "rad",
    .nmech = 2,
    .mech_name = {"damping", "overrun"},
    .marches = true,
    .rates = rates,
    .energy = energy,
    .settle = settle,
    .slopes = slopes,
};
