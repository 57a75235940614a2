/* laws/stick.c — see stick.h. */
#include "laws/stick.h"

#include <assert.h>
#include <math.h>

/* What the contact would carry if it stuck, and what it can. */
typedef struct trial {
  double force[2], size; /* f*, N */
  double limit;          /* N */
  double limit_n;        /* its derivative to the normal force */
  double limit_speed2;   /* and to |g|^2 */
} trial;

/* The size of the force as a function of those of trial force and limit, homogeneous of degree 1. */
typedef struct blend {
  double size;               /* N */
  double to_trial, to_limit; /* derivatives */
  double rest;               /* N, |f*| - |f| >= 0 without cancellation: d times the velocity of slip */
} blend;

/* Beyond the exact stick. d|f| / d|f*| falls from 1 to 0 as 1 - 3 t^2 + 2 t^3, 0 <= t <= 1. */
static blend pass(double size, double limit, double width)
{
  if (size >= (1.0 + width) * limit) return (blend){limit, 0.0, 1.0, size - limit};
  const double range = 2.0 * width * limit, t = (size - (1.0 - width) * limit) / range, t2 = t * t;
  const double rest = range * t2 * t * (1.0 - 0.5 * t), to_trial = 1.0 - t2 * (3.0 - 2.0 * t);
  return (blend){size - rest, to_trial, (size * (1.0 - to_trial) - rest) / limit, rest};
}

/* Entry by entry: for these few a call or a string instruction takes as long as the law itself. */
static void clear(capm_stick_result *r)
{
  for (int i = 0; i < 2; i++) {
    r->force[i] = r->rate[i] = r->force_n[i] = r->rate_n[i] = 0.0;
    for (int j = 0; j < 2; j++) r->force_z[i][j] = r->force_g[i][j] = r->rate_z[i][j] = r->rate_g[i][j] = 0.0;
  }
  r->damping = r->slip = 0.0;
}

static trial trial_of(const capm_stick *p, int n, const double *z, const double *g)
{
  trial t = {.force = {p->k * z[0] + p->d * g[0]}};
  t.size = fabs(t.force[0]);
  if (n == 1) return t;
  t.force[1] = p->k * z[1] + p->d * g[1];
  t.size = sqrt(t.force[0] * t.force[0] + t.force[1] * t.force[1]);
  return t;
}

static void limit_trial(const capm_stick *p, int n, const double *g, double normal, trial *t)
{
  double slope;
  t->limit_n = capm_friction_square(&p->friction, g[0] * g[0] + (n == 2 ? g[1] * g[1] : 0.0), &slope);
  t->limit = t->limit_n * normal;
  t->limit_speed2 = slope * normal;
}

static void stick(const capm_stick *p, int n, const double *g, const trial *t, capm_stick_result *r)
{
  for (int i = 0; i < n; i++) {
    r->force[i] = t->force[i], r->rate[i] = g[i];
    r->force_z[i][i] = p->k, r->force_g[i][i] = p->d;
    r->rate_g[i][i] = 1.0;
    r->damping += p->d * g[i] * g[i];
  }
}

/* No force: the deflection relaxes. */
static void relax(const capm_stick *p, int n, const double *z, capm_stick_result *r)
{
  const double pace = p->k / p->d;
  for (int i = 0; i < n; i++) {
    r->rate[i] = -pace * z[i];
    r->rate_z[i][i] = -pace;
    r->damping += p->d * r->rate[i] * r->rate[i];
  }
}

/* f = |f| e along e, the direction of f*: a change of f* along e changes |f|, one across it turns f. */
static void slip_tangents(const capm_stick *p, int n, const double *g, const double *e, const trial *t,
                          const blend *b, capm_stick_result *r)
{
  const double across = b->size / t->size, along = b->to_trial - across;
  const double per_d = 1.0 / p->d;
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) {
      const double to_trial = along * e[i] * e[j] + (i == j ? across : 0.0);
      r->force_z[i][j] = p->k * to_trial;
      r->force_g[i][j] = p->d * to_trial + b->to_limit * e[i] * t->limit_speed2 * 2.0 * g[j];
      r->rate_z[i][j] = (r->force_z[i][j] - (i == j ? p->k : 0.0)) * per_d;
      r->rate_g[i][j] = r->force_g[i][j] * per_d;
    }
    r->force_n[i] = b->to_limit * t->limit_n * e[i];
    r->rate_n[i] = r->force_n[i] * per_d;
  }
}

static void slip(const capm_stick *p, int n, const double *z, const double *g, const trial *t,
                 capm_stick_result *r)
{
  const double e[2] = {t->force[0] / t->size, t->force[1] / t->size};
  const blend b = pass(t->size, t->limit, p->width);
  for (int i = 0; i < n; i++) {
    r->force[i] = b.size * e[i];
    /* two forms of the same: close to stick slip is small, in steady slip the deflection rests */
    r->rate[i] = b.to_trial > 0.0 ? g[i] - b.rest / p->d * e[i] : (r->force[i] - p->k * z[i]) / p->d;
    r->damping += p->d * r->rate[i] * r->rate[i];
  }
  r->slip = b.size * (b.rest / p->d);
  slip_tangents(p, n, g, e, t, &b, r);
}

void capm_stick_evaluate(const capm_stick *p, int n, const double *z, const double *g, double normal,
                         capm_stick_result *r)
{
  assert((n == 1 || n == 2) && (p->d > 0.0 || isinf(p->friction.mu_kinetic)));
  clear(r);
  trial t = trial_of(p, n, z, g);
  const double within = 1.0 - p->width, least = capm_friction_least(&p->friction);
  if (isinf(p->friction.mu_kinetic) || (normal > 0.0 && t.size <= within * least * normal)) {
    stick(p, n, g, &t, r); /* without asking for the velocity */
    return;
  }
  limit_trial(p, n, g, normal, &t);
  if (t.limit <= 0.0) relax(p, n, z, r);
  else if (t.size <= within * t.limit) stick(p, n, g, &t, r);
  else slip(p, n, z, g, &t, r);
}

double capm_stick_energy(const capm_stick *p, int n, const double *z)
{
  return 0.5 * p->k * (z[0] * z[0] + (n == 2 ? z[1] * z[1] : 0.0));
}
