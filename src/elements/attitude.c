/* elements/attitude.c — how a rigid body stands in space: its quaternion, and the torque of Euler's
 * equations.
 *
 * Maths: docs/theory.md §18. Coordinates i, i + 1, i + 2 are the turned angles about the body's principal
 * axes (quasi-coordinates: their rates w are the angular velocity in body axes, nothing depends on their
 * values); the orientation is the quaternion e, four inner states,
 *     e' = 1/2 e o (0, w),     h_rot += (I w) x w
 * The torque is normal to w, so it does no work; |e| is an invariant of the flow.
 */
#include "base/clones.h"
#include "elements/elements.h"

/* Rows of three angular velocities (or of their derivatives in one column), and of four inner states. */
typedef struct rows {
  const double *w1, *w2, *w3, *e0, *e1, *e2, *e3;
} rows;

static inline rows rows_at(const double *v, const double *x, int step, int width)
{
  int s = step * width; /* from one coordinate to the next */
  return (rows){v, v + s, v + 2 * s, x, x + s, x + 2 * s, x + 3 * s};
}

CAP_INLINE void torques(const double *restrict par, rows a, double *restrict h1, double *restrict h2,
                        double *restrict h3, int nlane)
{
  const double *i1 = par + CAP_ATTITUDE_I1 * nlane, *i2 = par + CAP_ATTITUDE_I2 * nlane;
  const double *i3 = par + CAP_ATTITUDE_I3 * nlane;
  CAP_EACH_LANE(l, nlane)
  {
    h1[l] += (i2[l] - i3[l]) * a.w2[l] * a.w3[l];
    h2[l] += (i3[l] - i1[l]) * a.w3[l] * a.w1[l];
    h3[l] += (i1[l] - i2[l]) * a.w1[l] * a.w2[l];
  }
}

CAP_INLINE void torque_tangents(const double *restrict par, rows a, rows d, double *restrict h1,
                                double *restrict h2, double *restrict h3, int nlane)
{
  const double *i1 = par + CAP_ATTITUDE_I1 * nlane, *i2 = par + CAP_ATTITUDE_I2 * nlane;
  const double *i3 = par + CAP_ATTITUDE_I3 * nlane;
  CAP_EACH_LANE(l, nlane)
  {
    h1[l] += (i2[l] - i3[l]) * (d.w2[l] * a.w3[l] + a.w2[l] * d.w3[l]);
    h2[l] += (i3[l] - i1[l]) * (d.w3[l] * a.w1[l] + a.w3[l] * d.w1[l]);
    h3[l] += (i1[l] - i2[l]) * (d.w1[l] * a.w2[l] + a.w1[l] * d.w2[l]);
  }
}

/* rate := 1/2 e o (0, w), `s` from one component to the next. As capm_quaternion_rate, in lanes. */
CAP_INLINE void turning(rows e, rows w, double *restrict rate, int s, int nlane)
{
  CAP_EACH_LANE(l, nlane)
  {
    rate[l] = 0.5 * (-e.e1[l] * w.w1[l] - e.e2[l] * w.w2[l] - e.e3[l] * w.w3[l]);
    rate[s + l] = 0.5 * (e.e0[l] * w.w1[l] + e.e2[l] * w.w3[l] - e.e3[l] * w.w2[l]);
    rate[2 * s + l] = 0.5 * (e.e0[l] * w.w2[l] - e.e1[l] * w.w3[l] + e.e3[l] * w.w1[l]);
    rate[3 * s + l] = 0.5 * (e.e0[l] * w.w3[l] + e.e1[l] * w.w2[l] - e.e2[l] * w.w1[l]);
  }
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  int ncol = e->ncol;
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_ATTITUDE_NPARAM * nlane;
    int i = b->i[n], x = b->x_adr + n * 4;
    rows a = rows_at(e->v + i * nlane, e->x + x * nlane, 1, nlane);
    double *h = e->h + i * nlane;
    torques(par, a, h, h + nlane, h + 2 * nlane, nlane);
    turning(a, a, e->xdot + x * nlane, nlane, nlane);
    for (int c = 0; c < ncol; c++) {
      int s = ncol * nlane;
      rows d = rows_at(e->dv + (i * ncol + c) * nlane, e->dx + (x * ncol + c) * nlane, ncol, nlane);
      double *dh = e->dh + (i * ncol + c) * nlane, *drate = e->dxdot + (x * ncol + c) * nlane;
      double part[4 * CAP_LANES_MOST];
      torque_tangents(par, a, d, dh, dh + s, dh + 2 * s, nlane);
      turning(d, a, drate, s, nlane);
      turning(a, d, part, nlane, nlane);
      for (int k = 0; k < 4; k++) CAP_EACH_LANE(l, nlane) drate[k * s + l] += part[k * nlane + l];
    }
    if (e->force) CAP_EACH_LANE(l, nlane) e->force[(b->elem_adr + n) * nlane + l] = 0.0;
    if (e->decay) CAP_EACH_LANE(l, 4 * nlane) e->decay[x * nlane + l] = 0.0;
  }
}

/* Not compiled for several vector widths: of this pattern of sums and differences gcc 12 makes fused
 * operations there in spite of -ffp-contract=off, and one lane would differ from eight in the last bit. */
static void rates(const cap_batch *b, cap_eval *e)
{
  CAP_LANE_CASES(e->nlane, rates_of, b, e);
}

static const cap_param params[] = {{"inertia I1", "kg m2"}, {"inertia I2", "kg m2"}, {"inertia I3", "kg m2"}};

const cap_element_type cap_attitude_type = {
    .name = "attitude",
    .doc = "orientation of a rigid body in space, with the gyroscopic torque",
    .nparam = CAP_ATTITUDE_NPARAM,
    .params = params,
    .nstate = 4,
    .state_unit = "1",
    .rates = rates,
};
