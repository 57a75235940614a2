/* elements/weight.c — constant force of a potential, such as gravity. */
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    double f[CAP_LANES_MOST];
    CAP_EACH_LANE(l, nlane) f[l] = -b->par[n * nlane + l];
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, f);
    if (e->force) CAP_EACH_LANE(l, nlane) e->force[(b->elem_adr + n) * nlane + l] = f[l];
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
    CAP_EACH_LANE(l, nlane) stored[l] -= b->par[n * nlane + l] * u[l];
  }
}

static void linear(const cap_batch *b, int n, int lane, cap_linear_part *part)
{
  part->f0 = -b->par[n * b->nlane + lane];
}

static const cap_param params[] = {{"force", "N"}};

const cap_element_type cap_weight_type = {
    .name = "weight",
    .doc = "constant force with a potential",
    .nparam = CAP_WEIGHT_NPARAM,
    .params = params,
    .rates = rates,
    .energy = energy,
    .linear = linear,
};
