/* elements/load.c — applied load: mean and one harmonic. */
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"

#include <math.h>

CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  for (int n = 0; n < b->n; n++) {
    const double *par = b->par + n * CAP_LOAD_NPARAM * nlane;
    const double *pulsation = par + CAP_LOAD_PULSATION * nlane, *phase = par + CAP_LOAD_PHASE * nlane;
    double f[CAP_LANES_MOST], v[CAP_LANES_MOST];
    double angle = NAN, sine = 0.0; /* lanes often share the angle: one sine then serves all */
    for (int l = 0; l < nlane; l++) {
      double here = pulsation[l] * e->t[l] + phase[l];
      if (here != angle) sine = e->steady ? 0.0 : sin(here);
      angle = here;
      f[l] = -(par[CAP_LOAD_MEAN * nlane + l] + par[CAP_LOAD_AMPLITUDE * nlane + l] * sine);
    }
    cap_ends_resist(e->h, b->i[n], b->j[n], nlane, f);
    if (e->force)
      for (int l = 0; l < nlane; l++) e->force[(b->elem_adr + n) * nlane + l] = f[l];
    if (!e->power) continue;
    cap_ends_difference(e->v, b->i[n], b->j[n], nlane, v);
    for (int l = 0; l < nlane; l++) e->power[(b->mech_adr + n) * nlane + l] = -f[l] * v[l];
  }
}

CAP_CLONES static void rates(const cap_batch *b, cap_eval *e)
{
  CAP_LANE_CASES(e->nlane, rates_of, b, e);
}

static void linear(const cap_batch *b, int n, int lane, cap_linear_part *part)
{
  const double *par = b->par + n * CAP_LOAD_NPARAM * b->nlane + lane;
  double amplitude = par[CAP_LOAD_AMPLITUDE * b->nlane], phase = par[CAP_LOAD_PHASE * b->nlane];
  part->f0 = -par[CAP_LOAD_MEAN * b->nlane];
  part->pulsation = amplitude != 0.0 ? par[CAP_LOAD_PULSATION * b->nlane] : 0.0;
  part->fc = amplitude * sin(phase);
  part->fs = amplitude * cos(phase);
  if (part->pulsation == 0.0) part->f0 -= part->fc; /* a harmonic of no pulsation is a constant */
}

static const cap_param params[] = {
    {"mean", "N"}, {"amplitude", "N"}, {"pulsation", "rad/s"}, {"phase", "rad"}};

const cap_element_type cap_load_type = {
    .name = "load",
    .doc = "applied load: mean and one harmonic",
    .nparam = CAP_LOAD_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"work"},
    .mech_input = {true},
    .rates = rates,
    .linear = linear,
};
