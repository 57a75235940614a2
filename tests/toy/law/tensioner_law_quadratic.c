/* A law as one adds one: a spring that grows stiffer, F = k u + s u^2. The pure function with its derivative
 * would be a header of src/laws/, the element a file of src/elements/, if others used them too. */
#include "base/clones.h"
#include "drives/tensioner/tensioner_law.h"
#include "elements/ends.h"

#include <math.h>
#include <stddef.h>

enum { STIFFNESS, SECOND, NPARAM };

static inline double force_at(double k, double second, double u, double *slope)
{
  *slope = k + 2.0 * second * u;
  return (k + second * u) * u;
}

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * NPARAM * nlane;
    double u[CAP_LANES_MOST], f[CAP_LANES_MOST], slope[CAP_LANES_MOST], df[CAP_LANES_MOST];
    int i = b->i[n], j = b->j[n], ncol = e->ncol;
    cap_ends_difference(e->q, i, j, nlane, u);
    CAP_EACH_LANE(l, nlane)
    f[l] = force_at(par[STIFFNESS * nlane + l], par[SECOND * nlane + l], u[l], &slope[l]);
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

static void rates(const cap_batch *b, cap_eval *e)
{
  rates_of(b, e, e->nlane);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * NPARAM * e->nlane;
    double u[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], e->nlane, u);
    for (int l = 0; l < e->nlane; l++)
      stored[l] += u[l] * u[l] *
                   (par[STIFFNESS * e->nlane + l] / 2.0 + par[SECOND * e->nlane + l] * u[l] / 3.0);
  }
}

static const cap_param params[NPARAM] = {{"stiffness", "N/m"}, {"second", "N/m2"}};

static const cap_element_type type = {
    .name = "quadratic-spring",
    .doc = "spring with a force over the square of its deflection",
    .nparam = NPARAM,
    .params = params,
    .rates = rates,
    .energy = energy,
};

static int element(const cap_tensioner_law *law, cap_builder *b, const char *name, int i, double u0)
{
  (void)u0;
  return cap_builder_element(b, &type, name, i, CAP_GROUND, law->own, NULL);
}

const cap_tensioner_law_type cap_tensioner_law_quadratic = {.element = element};

const char cap_tensioner_law_quadratic_doc[] = "a spring that grows stiffer: F = k u + s u^2";

#define REAL(key_, number, unit_, example_, doc_)                                                            \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(cap_tensioner_law, own[number]), .unit = unit_,  \
    .low = 0, .high = INFINITY, .required = true, .example = example_, .doc = doc_                           \
  }

const cap_field cap_tensioner_law_quadratic_fields[] = {
    REAL("k", STIFFNESS, "N/m", "1000 N/m", "stiffness at zero deflection"),
    REAL("second", SECOND, "N/m2", "2e5 N/m2", "force over the square of the deflection"),
    {0}};
