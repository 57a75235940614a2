/* elements/clearance.c — a spring with clearance and frictional hysteresis (laws/clearance.h) as an element.
 */
#include "laws/clearance.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

static capm_clearance law(const cap_batch *b, int n, int lane)
{
  const double *par = b->par + n * CAP_CLEARANCE_NPARAM * b->nlane + lane;
  int s = b->nlane;
  capm_clearance p = {.kind = (int)par[CAP_CLEARANCE_KIND * s],
                      .sigma = par[CAP_CLEARANCE_SIGMA * s],
                      .width = par[CAP_CLEARANCE_WIDTH * s],
                      .nstage = (int)par[CAP_CLEARANCE_COUNT * s],
                      .slope = par[CAP_CLEARANCE_SLOPE * s],
                      .offset = par[CAP_CLEARANCE_OFFSET * s],
                      .h1 = par[CAP_CLEARANCE_H1 * s],
                      .h2 = par[CAP_CLEARANCE_H2 * s],
                      .low = par[CAP_CLEARANCE_LOW * s],
                      .high = par[CAP_CLEARANCE_HIGH * s]};
  for (int j = 0; j < p.nstage; j++) {
    p.at[j] = par[(CAP_CLEARANCE_AT + j) * s];
    p.jump[j] = par[(CAP_CLEARANCE_JUMP + j) * s];
  }
  return p;
}

void cap_clearance_params(const capm_clearance *p, double par[CAP_CLEARANCE_NPARAM])
{
  for (int k = 0; k < CAP_CLEARANCE_NPARAM; k++) par[k] = 0.0;
  par[CAP_CLEARANCE_KIND] = p->kind;
  par[CAP_CLEARANCE_SIGMA] = p->sigma;
  par[CAP_CLEARANCE_WIDTH] = p->width;
  par[CAP_CLEARANCE_COUNT] = p->nstage;
  par[CAP_CLEARANCE_SLOPE] = p->slope;
  par[CAP_CLEARANCE_OFFSET] = p->offset;
  par[CAP_CLEARANCE_H1] = p->h1;
  par[CAP_CLEARANCE_H2] = p->h2;
  par[CAP_CLEARANCE_LOW] = p->low;
  par[CAP_CLEARANCE_HIGH] = p->high;
  for (int j = 0; j < p->nstage; j++) {
    par[CAP_CLEARANCE_AT + j] = p->at[j];
    par[CAP_CLEARANCE_JUMP + j] = p->jump[j];
  }
}

typedef struct lanes {
  double u[CAP_LANES_MOST], v[CAP_LANES_MOST], f[CAP_LANES_MOST], to_u[CAP_LANES_MOST], to_v[CAP_LANES_MOST];
} lanes;

static void tangent(const cap_batch *b, cap_eval *e, int n, const lanes *a)
{
  int nlane = e->nlane, ncol = e->ncol, i = b->i[n], j = b->j[n];
  for (int c = 0; c < ncol; c++) {
    double du[CAP_LANES_MOST], dv[CAP_LANES_MOST];
    int at_i = i * ncol + c, at_j = j == CAP_GROUND ? CAP_GROUND : j * ncol + c;
    cap_ends_difference(e->dq, at_i, at_j, nlane, du);
    cap_ends_difference(e->dv, at_i, at_j, nlane, dv);
    for (int l = 0; l < nlane; l++) du[l] = a->to_u[l] * du[l] + a->to_v[l] * dv[l];
    cap_ends_resist(e->dh, at_i, at_j, nlane, du);
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++) {
    lanes a;
    double loss[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, a.u);
    cap_ends_difference(e->v, b->i[n], b->j[n], nlane, a.v);
    for (int l = 0; l < nlane; l++) {
      capm_clearance p = law(b, n, l);
      double hysteresis = 0.0, to_u = 0.0;
      a.to_v[l] = 0.0;
      a.f[l] = capm_clearance_force(&p, a.u[l], &a.to_u[l]);
      if (p.h1 != 0.0 || p.h2 != 0.0)
        hysteresis = capm_clearance_hysteresis(&p, a.u[l], a.v[l], &to_u, &a.to_v[l]);
      a.f[l] += hysteresis;
      a.to_u[l] += to_u;
      loss[l] = hysteresis * a.v[l];
    }
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, a.f);
    if (e->ncol) tangent(b, e, n, &a);
    if (e->force)
      for (int l = 0; l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = a.f[l];
    if (e->power)
      for (int l = 0; l < nlane; l++) e->power[(b->mech_adr + n) * nlane + l] = loss[l];
  }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++) {
    double u[CAP_LANES_MOST];
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, u);
    for (int l = 0; l < nlane; l++) {
      capm_clearance p = law(b, n, l);
      stored[l] += capm_clearance_energy(&p, u[l]);
    }
  }
}

static bool pieces(const cap_batch *b, int n, int lane, cap_pieces *c)
{
  capm_clearance p = law(b, n, lane);
  if (p.kind != CAPM_SMOOTHING_ABS || p.h1 != 0.0 || p.h2 != 0.0) return false;
  *c = (cap_pieces){.offset = p.offset, .slope = p.slope, .n = p.nstage};
  for (int j = 0; j < p.nstage; j++) {
    c->at[j] = p.at[j];
    c->jump[j] = p.jump[j];
  }
  return true;
}

static const cap_param params[] = {
    {"smoothing", "1"}, {"sigma", "1/m"},  {"width", "m"},    {"stages", "1"},   {"slope", "N/m"},
    {"offset", "N"},    {"H1", "N"},       {"H2", "N"},       {"gap low", "m"},  {"gap high", "m"},
    {"edge 1", "m"},    {"edge 2", "m"},   {"edge 3", "m"},   {"edge 4", "m"},   {"edge 5", "m"},
    {"edge 6", "m"},    {"jump 1", "N/m"}, {"jump 2", "N/m"}, {"jump 3", "N/m"}, {"jump 4", "N/m"},
    {"jump 5", "N/m"},  {"jump 6", "N/m"}};

const cap_element_type cap_clearance_type = {
    .name = "clearance",
    .doc = "spring with clearance in any number of stages, exact or smoothed, with frictional hysteresis",
    .nparam = CAP_CLEARANCE_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"hysteresis"},
    .rates = rates,
    .energy = energy,
    .pieces = pieces,
};
