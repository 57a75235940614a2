/* elements/load.c — applied load: mean and one harmonic. */
#include "base/clones.h"
#include "elements/elements.h"
#include "elements/ends.h"
#include "laws/sine.h"

#include <math.h>

/* The load resists with -f; its sine is computed in every lane, which costs as much as in one. */
CAP_INLINE void forces_of_lanes(const double *restrict par, const double *restrict t, bool steady,
                                double *restrict f, int nlane)
{
  const double *mean = par + CAP_LOAD_MEAN * nlane, *amplitude = par + CAP_LOAD_AMPLITUDE * nlane;
  const double *angular_frequency = par + CAP_LOAD_ANGULAR_FREQUENCY * nlane,
               *phase = par + CAP_LOAD_PHASE * nlane;
  double shown = steady ? 0.0 : 1.0;
  CAP_EACH_LANE(l, nlane)
  f[l] = -(mean[l] + shown * amplitude[l] * capm_sine(angular_frequency[l] * t[l] + phase[l]));
}

CAP_INLINE void rates_of_one(const cap_batch *b, cap_eval *e, int n, int nlane)
{
  double f[CAP_LANES_MOST], v[CAP_LANES_MOST];
  forces_of_lanes(b->par + n * CAP_LOAD_NPARAM * nlane, e->t, e->steady, f, nlane);
  cap_ends_resist(e->h, b->i[n], b->j[n], nlane, f);
  if (e->force) CAP_EACH_LANE(l, nlane) e->force[(b->elem_adr + n) * nlane + l] = f[l];
  if (!e->power) return;
  cap_ends_difference(e->v, b->i[n], b->j[n], nlane, v);
  CAP_EACH_LANE(l, nlane) e->power[(b->mech_adr + n) * nlane + l] = -f[l] * v[l];
}

/* A loop of one turn would have the many constants of the sine stored before it and loaded within. */
CAP_INLINE void rates_of(const cap_batch *b, cap_eval *e, int nlane)
{
  if (b->n == 1) rates_of_one(b, e, 0, nlane);
  else
    for (int n = 0; n < b->n; n++) rates_of_one(b, e, n, nlane);
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
  part->angular_frequency = amplitude != 0.0 ? par[CAP_LOAD_ANGULAR_FREQUENCY * b->nlane] : 0.0;
  part->fc = amplitude * sin(phase);
  part->fs = amplitude * cos(phase);
  if (part->angular_frequency == 0.0)
    part->f0 -= part->fc; /* a harmonic of no angular frequency is a constant */
}

static const cap_param params[] = {
    {"mean", "N"}, {"amplitude", "N"}, {"angular_frequency", "rad/s"}, {"phase", "rad"}};

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
