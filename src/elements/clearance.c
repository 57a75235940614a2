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
  double loss[CAP_LANES_MOST];
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

/* Force and slope of the spring in every lane, for one kind of smoothing that the compiler knows. */
CAP_INLINE void spring_lanes(int kind, int nstage, const double *restrict par, int nlane, lanes *restrict a)
{
  const double *restrict slope = par + CAP_CLEARANCE_SLOPE * nlane, *restrict offset = par +
                                                                                       CAP_CLEARANCE_OFFSET *
                                                                                           nlane;
  const double *restrict sigma = par + CAP_CLEARANCE_SIGMA * nlane, *restrict width = par +
                                                                                      CAP_CLEARANCE_WIDTH *
                                                                                          nlane;
  for (int l = 0; l < nlane; l++) {
    a->f[l] = offset[l] + slope[l] * a->u[l];
    a->to_u[l] = slope[l];
    a->to_v[l] = a->loss[l] = 0.0;
  }
  for (int j = 0; j < nstage; j++) {
    const double *restrict at = par + (CAP_CLEARANCE_AT + j) * nlane, *restrict jump = par +
                                                                                       (CAP_CLEARANCE_JUMP +
                                                                                        j) *
                                                                                           nlane;
    for (int l = 0; l < nlane; l++) {
      const capm_smoothing g = capm_smoothing_of(kind, a->u[l] - at[l], sigma[l], width[l]);
      a->f[l] += 0.5 * jump[l] * g.g;
      a->to_u[l] += 0.5 * jump[l] * g.d1;
    }
  }
}

/* The hysteresis on top of it. */
CAP_INLINE void hysteresis_lanes(int kind, const double *restrict par, int nlane, lanes *restrict a)
{
  for (int l = 0; l < nlane; l++) {
    const capm_clearance p = {.kind = kind,
                              .sigma = par[CAP_CLEARANCE_SIGMA * nlane + l],
                              .width = par[CAP_CLEARANCE_WIDTH * nlane + l],
                              .h1 = par[CAP_CLEARANCE_H1 * nlane + l],
                              .h2 = par[CAP_CLEARANCE_H2 * nlane + l],
                              .low = par[CAP_CLEARANCE_LOW * nlane + l],
                              .high = par[CAP_CLEARANCE_HIGH * nlane + l]};
    double to_u, to_v, force = capm_clearance_hysteresis(&p, a->u[l], a->v[l], &to_u, &to_v);
    a->f[l] += force;
    a->to_u[l] += to_u;
    a->to_v[l] += to_v;
    a->loss[l] = force * a->v[l];
  }
}

CAP_CLONES static void law_of_lanes(int kind, int nstage, int hysteresis, const double *par, int nlane,
                                    lanes *a)
{
#define KIND(kind_)                                                                                          \
  case kind_:                                                                                                \
    spring_lanes(kind_, nstage, par, nlane, a);                                                              \
    if (hysteresis) hysteresis_lanes(kind_, par, nlane, a);                                                  \
    break
  switch (kind) {
    KIND(CAPM_SMOOTHING_ABS);
    KIND(CAPM_SMOOTHING_G1);
    KIND(CAPM_SMOOTHING_G2);
    KIND(CAPM_SMOOTHING_G3);
    KIND(CAPM_SMOOTHING_G4);
  }
#undef KIND
}

/* Lanes of different form (kind, stages), one by one. */
static void law_one_by_one(const cap_batch *b, int n, int nlane, lanes *a)
{
  for (int l = 0; l < nlane; l++) {
    capm_clearance p = law(b, n, l);
    double hysteresis = 0.0, to_u = 0.0;
    a->to_v[l] = 0.0;
    a->f[l] = capm_clearance_force(&p, a->u[l], &a->to_u[l]);
    if (p.h1 != 0.0 || p.h2 != 0.0)
      hysteresis = capm_clearance_hysteresis(&p, a->u[l], a->v[l], &to_u, &a->to_v[l]);
    a->f[l] += hysteresis;
    a->to_u[l] += to_u;
    a->loss[l] = hysteresis * a->v[l];
  }
}

static void evaluate(const cap_batch *b, int n, int nlane, lanes *a)
{
  const double *par = b->par + n * CAP_CLEARANCE_NPARAM * nlane;
  const double *kind = par + CAP_CLEARANCE_KIND * nlane, *count = par + CAP_CLEARANCE_COUNT * nlane,
               *h1 = par + CAP_CLEARANCE_H1 * nlane, *h2 = par + CAP_CLEARANCE_H2 * nlane;
  int alike = 1, rubs = 0;
  for (int l = 0; l < nlane; l++) {
    alike &= kind[l] == kind[0] && count[l] == count[0];
    rubs |= h1[l] != 0.0 || h2[l] != 0.0;
  }
  if (alike) law_of_lanes((int)kind[0], (int)count[0], rubs, par, nlane, a);
  else law_one_by_one(b, n, nlane, a);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int nlane = e->nlane;
  for (int n = 0; n < b->n; n++) {
    lanes a;
    cap_ends_difference(e->q, b->i[n], b->j[n], nlane, a.u);
    cap_ends_difference(e->v, b->i[n], b->j[n], nlane, a.v);
    evaluate(b, n, nlane, &a);
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, a.f);
    if (e->ncol) tangent(b, e, n, &a);
    if (e->force)
      for (int l = 0; l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = a.f[l];
    if (e->power)
      for (int l = 0; l < nlane; l++) e->power[(b->mech_adr + n) * nlane + l] = a.loss[l];
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

/* Hysteresis with the sign itself, where nothing rounds it. */
static bool jumps(const cap_batch *b, int n, int lane)
{
  capm_clearance p = law(b, n, lane);
  return p.kind == CAPM_SMOOTHING_ABS && (p.h1 != 0.0 || p.h2 != 0.0);
}

/* The quartic of g4 meets the straight line with two derivatives, no more. */
static int joints(const cap_batch *b, int n, int lane, cap_joint out[CAP_JOINTS_MOST])
{
  capm_clearance p = law(b, n, lane);
  bool rubs = p.h1 != 0.0 || p.h2 != 0.0;
  int count = 0;
  for (int side = -1; p.kind == CAPM_SMOOTHING_G4 && side <= 1; side += 2) {
    for (int j = 0; j < p.nstage; j++) out[count++] = (cap_joint){.at = p.at[j] + side * p.width};
    if (!rubs) continue;
    out[count++] = (cap_joint){.at = p.low + side * p.width};
    out[count++] = (cap_joint){.at = p.high + side * p.width};
    out[count++] = (cap_joint){.velocity = true, .at = side * p.width};
  }
  return count;
}

static const cap_param params[] = {
    {"smoothing", "1"}, {"sigma", "1/m"},  {"width", "m"},    {"stages", "1"},   {"slope", "N/m"},
    {"offset", "N"},    {"H1", "N"},       {"H2", "N"},       {"gap low", "m"},  {"gap high", "m"},
    {"edge 1", "m"},    {"edge 2", "m"},   {"edge 3", "m"},   {"edge 4", "m"},   {"edge 5", "m"},
    {"edge 6", "m"},    {"jump 1", "N/m"}, {"jump 2", "N/m"}, {"jump 3", "N/m"}, {"jump 4", "N/m"},
    {"jump 5", "N/m"},  {"jump 6", "N/m"}};

const cap_element_type cap_clearance_type = {
    .name = "clearance",
    .doc = "spring with clearance and any number of stages, exact or smoothed, with frictional hysteresis",
    .nparam = CAP_CLEARANCE_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"hysteresis"},
    .rates = rates,
    .energy = energy,
    .pieces = pieces,
    .jumps = jumps,
    .joints = joints,
};
