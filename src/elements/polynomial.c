/* elements/polynomial.c — spring with a force of second, third and fifth power of its deflection. */
#include "laws/polynomial.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

static inline capm_polynomial law(const double *par, int nlane, int lane)
{
  return (capm_polynomial){par[CAP_POLYNOMIAL_K2 * nlane + lane], par[CAP_POLYNOMIAL_K3 * nlane + lane],
                           par[CAP_POLYNOMIAL_K5 * nlane + lane]};
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_POLYNOMIAL_NPARAM * nlane;
    double u[CAP_LANES_MOST], f[CAP_LANES_MOST], slope[CAP_LANES_MOST], df[CAP_LANES_MOST];
    int i = b->i[n], j = b->j[n], ncol = e->ncol;
    cap_ends_difference(e->q, i, j, nlane, u);
    CAP_EACH_LANE(l, nlane)
    {
      const capm_polynomial p = law(par, nlane, l);
      f[l] = capm_polynomial_force(&p, u[l], &slope[l]);
    }
    cap_ends_resist(e->h, i, j, nlane, f);
    if (e->force) CAP_EACH_LANE(l, nlane) e->force[(b->elem_adr + n) * nlane + l] = f[l];
    for (int c = 0; c < ncol; c++) {
      int at_i = i * ncol + c, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + c;
      cap_ends_difference(e->dq, at_i, at_j, nlane, df);
      CAP_EACH_LANE(l, nlane) df[l] *= slope[l];
      cap_ends_resist(e->dh, at_i, at_j, nlane, df);
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
    const double *par = b->par + n * CAP_POLYNOMIAL_NPARAM * nlane;
    double u[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, u);
    CAP_EACH_LANE(l, nlane)
    {
      const capm_polynomial p = law(par, nlane, l);
      stored[l] += capm_polynomial_energy(&p, u[l]);
    }
  }
}

static const cap_param params[] = {{"quadratic", "N/m2"}, {"cubic", "N/m3"}, {"quintic", "N/m5"}};

const cap_element_type cap_polynomial_type = {
    .name = "polynomial-spring",
    .doc = "spring whose force has terms of second, third and fifth power of the deflection",
    .nparam = CAP_POLYNOMIAL_NPARAM,
    .params = params,
    .rates = rates,
    .energy = energy,
};
