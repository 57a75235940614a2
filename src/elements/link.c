/* elements/link.c — spring and damper in parallel (belt span, mount, viscous part of a tensioner). */
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

/* dh of one column: the ends' rows of column `col` start at (dof * ncol + col) * nlane. */
CAP_INLINE void tangent(const cap_eval *e, int i, int j, const double *restrict k, const double *restrict c,
                        int nlane)
{
  int ncol = e->ncol;
  for (int col = 0; col < ncol; col++) {
    double du[CAP_LANES_MOST], dv[CAP_LANES_MOST];
    int at_i = i * ncol + col, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + col;
    cap_ends_difference(e->dq, at_i, at_j, nlane, du);
    cap_ends_difference(e->dv, at_i, at_j, nlane, dv);
    for (int l = 0; l < nlane; l++) du[l] = k[l] * du[l] + c[l] * dv[l];
    cap_ends_resist(e->dh, at_i, at_j, nlane, du);
  }
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_LINK_NPARAM * nlane;
    const double *k = par + CAP_LINK_K * nlane, *c = par + CAP_LINK_C * nlane,
                 *f0 = par + CAP_LINK_F0 * nlane;
    double u[CAP_LANES_MOST], v[CAP_LANES_MOST], f[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, u);
    cap_ends_difference(e->v, b->i[n], b->j[n], nlane, v);
    for (int l = 0; l < nlane; l++) f[l] = k[l] * u[l] + c[l] * v[l] + f0[l];
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, f);
    if (e->ncol) tangent(e, b->i[n], b->j[n], k, c, nlane);
    if (e->force)
      for (int l = 0; l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = f[l];
    if (e->power)
      for (int l = 0; l < nlane; l++) e->power[(b->mech_adr + n) * nlane + l] = c[l] * v[l] * v[l];
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
    for (int l = 0; l < nlane; l++)
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
