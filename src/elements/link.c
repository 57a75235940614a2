/* elements/link.c — spring and damper in parallel (belt span, mount, viscous part of a tensioner). */
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

/* One row: forces of the deflections u = qi - qj and v = vi - vj, felt by both ends. The ends differ, so
 * their rows do not overlap. */
CAP_INLINE void row_of_lanes(const double *restrict k, const double *restrict c, const double *restrict f0,
                             const double *restrict qi, const double *restrict qj, const double *restrict vi,
                             const double *restrict vj, double *restrict hi, double *restrict hj,
                             double *restrict force, int nlane)
{
  CAP_EACH_LANE(l, nlane)
  {
    double f = k[l] * (qi[l] - qj[l]) + c[l] * (vi[l] - vj[l]) + f0[l];
    force[l] = f;
    hi[l] -= f;
    hj[l] += f;
  }
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  double nowhere[CAP_LANES_MOST], unread[CAP_LANES_MOST];
  CAP_EACH_LANE(l, nlane) nowhere[l] = 0.0;
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_LINK_NPARAM * nlane, *zeros = cap_ends_zeros;
    const double *k = par + CAP_LINK_K * nlane, *c = par + CAP_LINK_C * nlane,
                 *f0 = par + CAP_LINK_F0 * nlane;
    int i = b->i[n], j = b->j[n], ncol = e->ncol;
    row_of_lanes(k, c, f0, e->q + i * nlane, cap_ends_values(e->q, j, nlane, zeros), e->v + i * nlane,
                 cap_ends_values(e->v, j, nlane, zeros), e->h + i * nlane,
                 cap_ends_row(e->h, j, nlane, nowhere),
                 e->force ? e->force + (b->elem_adr + n) * nlane : unread, nlane);
    for (int col = 0; col < ncol; col++) {
      int at_i = i * ncol + col, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + col;
      row_of_lanes(k, c, zeros, e->dq + at_i * nlane, cap_ends_values(e->dq, at_j, nlane, zeros),
                   e->dv + at_i * nlane, cap_ends_values(e->dv, at_j, nlane, zeros), e->dh + at_i * nlane,
                   cap_ends_row(e->dh, at_j, nlane, nowhere), unread, nlane);
    }
    if (!e->power) continue;
    double v[CAP_LANES_MOST];
    cap_ends_difference(e->v, i, j, nlane, v);
    CAP_EACH_LANE(l, nlane) e->power[(b->mech_adr + n) * nlane + l] = c[l] * v[l] * v[l];
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
    const double *par = b->par + n * CAP_LINK_NPARAM * nlane;
    double u[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, u);
    CAP_EACH_LANE(l, nlane)
    stored[l] += (0.5 * par[CAP_LINK_K * nlane + l] * u[l] + par[CAP_LINK_F0 * nlane + l]) * u[l];
  }
}

static void linear(const cap_batch *b, int n, int lane, cap_linear_part *part)
{
  const double *par = b->par + n * CAP_LINK_NPARAM * b->nlane + lane;
  part->k = par[CAP_LINK_K * b->nlane];
  part->c = par[CAP_LINK_C * b->nlane];
  part->f0 = par[CAP_LINK_F0 * b->nlane];
}

static const cap_param params[] = {{"stiffness", "N/m"}, {"damping", "N s/m"}, {"preload", "N"}};

const cap_element_type cap_link_type = {
    .name = "spring-damper",
    .doc = "spring and viscous damper in parallel",
    .nparam = CAP_LINK_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"viscous"},
    .rates = rates,
    .energy = energy,
    .linear = linear,
};
