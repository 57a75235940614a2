/* laws/friction.h — the coefficient of dry friction over the slip speed: the one curve of all contacts.
 *
 * Maths: docs/theory.md §36.2. mu(g) = mu_k + (mu_s - mu_k) f(g / v_s) with Stribeck's f(s) = exp(-s^2), or,
 * with an exponent n > 0, f(s) = 1 / (1 + s^n): this is mu_0 + mu_1 / (1 + mu_2 g^n) with mu_k = mu_0, mu_s =
 * mu_0 + mu_1 and v_s = mu_2^(-1/n). Plain Coulomb where mu_s = mu_k or v_s = 0 (then mu_k, everywhere).
 *
 * The curve is wanted in three ways: over the slip speed (`at`), over its square, where a contact slides in
 * two directions and the derivative must exist at rest (`square`), and in kernels (`lane`), which are
 * compiled once for each form. A further form is a word in CAPM_FRICTION_FORMS, a branch in each function of
 * this file that asks for the form, and its keys (laws/friction_keys.h): all contacts then have it.
 *
 * The three ways round differently, and results are compared bit by bit: do not derive one from another.
 */
#pragma once
#include "laws/pow.h"
#include <math.h>
#include <stdbool.h>
#include <string.h>

typedef struct capm_friction {
  double mu_static, mu_kinetic; /* at rest, and of fast sliding; INFINITY (both) = never slips */
  double v_stribeck;            /* m/s; 0 = plain Coulomb with mu_kinetic */
  double exponent;              /* 0 = Stribeck's exponential */
} capm_friction;

/* The same as parameters of an element, which are rows of numbers. */
enum { CAPM_FRICTION_NPARAM = sizeof(capm_friction) / sizeof(double) };

static inline void capm_friction_put(const capm_friction *p, double *par)
{
  memcpy(par, p, sizeof *p);
}
static inline capm_friction capm_friction_from(const double *par)
{
  capm_friction p;
  memcpy(&p, par, sizeof p);
  return p;
}

#define CAPM_FRICTION_FORMS(X)   X(CONSTANT) X(EXPONENTIAL) X(POWER)
#define CAPM_FRICTION_FORM(name) CAPM_FRICTION_##name,
typedef enum capm_friction_form { CAPM_FRICTION_FORMS(CAPM_FRICTION_FORM) } capm_friction_form;
#undef CAPM_FRICTION_FORM

static inline capm_friction_form capm_friction_form_of(const capm_friction *p)
{
  if (!(p->v_stribeck > 0.0) || p->mu_static == p->mu_kinetic) return CAPM_FRICTION_CONSTANT;
  return p->exponent > 0.0 ? CAPM_FRICTION_POWER : CAPM_FRICTION_EXPONENTIAL;
}

/* The smallest and the largest coefficient of the curve. */
static inline double capm_friction_least(const capm_friction *p)
{
  return p->mu_static < p->mu_kinetic ? p->mu_static : p->mu_kinetic;
}
static inline double capm_friction_most(const capm_friction *p)
{
  return p->mu_static > p->mu_kinetic ? p->mu_static : p->mu_kinetic;
}

/* mu at slip speed g >= 0, m/s; *slope (or NULL) receives its derivative to g. */
static inline double capm_friction_at(const capm_friction *p, double g, double *slope)
{
  const capm_friction_form form = capm_friction_form_of(p);
  if (slope) *slope = 0.0;
  if (form == CAPM_FRICTION_CONSTANT) return p->mu_kinetic;
  double s = g / p->v_stribeck, rise = p->mu_static - p->mu_kinetic;
  if (form == CAPM_FRICTION_EXPONENTIAL) {
    double f = exp(-s * s);
    if (slope) *slope = -2.0 * rise * f * s / p->v_stribeck;
    return p->mu_kinetic + rise * f;
  }
  double power = pow(s, p->exponent), f = 1.0 / (1.0 + power);
  if (slope && s > 0.0) *slope = -rise * f * f * p->exponent * power / (s * p->v_stribeck);
  return p->mu_kinetic + rise * f;
}

/* mu at the square of the slip speed; *slope receives its derivative to that square. */
static inline double capm_friction_square(const capm_friction *p, double speed2, double *slope)
{
  const capm_friction_form form = capm_friction_form_of(p);
  const double rise = p->mu_static - p->mu_kinetic, v2 = p->v_stribeck * p->v_stribeck;
  *slope = 0.0;
  if (form == CAPM_FRICTION_CONSTANT || v2 == 0.0) return p->mu_kinetic;
  if (form == CAPM_FRICTION_EXPONENTIAL) {
    const double e = exp(-speed2 / v2);
    *slope = -rise * e / v2;
    return p->mu_kinetic + rise * e;
  }
  const double half = 0.5 * p->exponent, power = pow(speed2 / v2, half), f = 1.0 / (1.0 + power);
  if (speed2 > 0.0) *slope = -rise * f * f * half * power / speed2;
  return p->mu_kinetic + rise * f;
}

/* What a kernel has of a curve. `folded`, known when it is compiled: log2 e is part of the scale of the
 * speed, which saves a product at each point, and rounds differently. */
typedef struct capm_friction_lane {
  double mu, rise, per_v2, exponent;
} capm_friction_lane;

static inline capm_friction_lane capm_friction_lane_of(const capm_friction *p, bool folded)
{
  const capm_friction_form form = capm_friction_form_of(p);
  const double v = p->v_stribeck, per_v = 1.0 / v;
  if (form == CAPM_FRICTION_CONSTANT) return (capm_friction_lane){.mu = p->mu_kinetic};
  const bool fold = folded && form == CAPM_FRICTION_EXPONENTIAL;
  return (capm_friction_lane){.mu = p->mu_kinetic,
                              .rise = p->mu_static - p->mu_kinetic,
                              .per_v2 = fold ? M_LOG2E / (v * v) : per_v * per_v,
                              .exponent = p->exponent};
}

/* mu at the square of the slip speed, straight-line code for a `form` that is known when it is compiled. */
static inline double capm_friction_lane_at(const capm_friction_lane *p, double speed2,
                                           capm_friction_form form, bool folded)
{
  const double s2 = speed2 * p->per_v2;
  if (form == CAPM_FRICTION_EXPONENTIAL)
    return p->mu + p->rise * capm_pow_exp2_parts(folded ? -s2 : -s2 * M_LOG2E, 0.0);
  if (form == CAPM_FRICTION_POWER) return p->mu + p->rise / (1.0 + capm_pow_short(s2, 0.5 * p->exponent));
  return p->mu;
}
