/* laws/dahl_lanes.c — the modified Dahl law along a slow motion, for several parameter sets at once. */
#include "laws/dahl_lanes.h"
#include "base/clones.h"
#include <math.h>
#include <stdbool.h>

enum { LANES = CAPM_DAHL_LANES, STAGES = 4, MOST_PARTS = 4096 };
static const double FLOOR = 1e-6, TOLERANCE = 0.3; /* of the distance of the envelopes, of the floor */

/* Slope Lambda sign(q)|q|^mu and its derivative, with a floor as in laws/dahl.h. */
CAP_INLINE void slopes(const double q[restrict], const double floors[restrict], const double lambda[restrict],
                       const double mu[restrict], double slope[restrict], double slope_q[restrict])
{
  for (int l = 0; l < LANES; l++) {
    const double size = fabs(q[l]), held = size < floors[l] ? floors[l] : size;
    const double secant = lambda[l] * (capm_pow_short(held, mu[l]) / held), tangent = mu[l] * secant;
    slope[l] = secant * q[l];
    slope_q[l] = size < floors[l] ? secant : tangent;
  }
}

CAP_INLINE void add_scaled(double x[restrict], double h, const double h_u[restrict],
                           const double slope[restrict], const double scale[restrict])
{
  for (int l = 0; l < LANES; l++) x[l] += h * (h_u[l] - slope[l]) * scale[l];
}

typedef struct stroke {
  double h_u[LANES], floors[LANES];
} stroke;

/* next := q after one step; slope and slope_q belong to its start. Aitken-Neville over 1..STAGES substeps.
 * Returns the largest difference of the last two orders over the lanes, in units of their floors. */
CAP_INLINE double advance(const capm_dahl_lanes *p, const stroke *s, double step, const double q[restrict],
                          const double slope[restrict], const double slope_q[restrict], double next[restrict])
{
  double table[STAGES][LANES], x[LANES], r[LANES], unused[LANES], scale[LANES], worst = 0.0;
  for (int j = 0; j < STAGES; j++) {
    const double h = step / (j + 1);
    for (int l = 0; l < LANES; l++) x[l] = q[l], scale[l] = 1.0 / (1.0 + h * slope_q[l]);
    add_scaled(x, h, s->h_u, slope, scale);
    for (int i = 0; i < j; i++) {
      slopes(x, s->floors, p->lambda, p->mu, r, unused);
      add_scaled(x, h, s->h_u, r, scale);
    }
    for (int k = 1; k <= j; k++) {
      const double factor = (double)(j + 1 - k) / k;
      for (int l = 0; l < LANES; l++) {
        const double previous = table[k - 1][l];
        table[k - 1][l] = x[l];
        x[l] += (x[l] - previous) * factor;
      }
    }
    for (int l = 0; l < LANES; l++) table[j][l] = x[l];
  }
  for (int l = 0; l < LANES; l++) {
    const double error = fabs(x[l] - table[STAGES - 2][l]) / s->floors[l];
    worst = error > worst ? error : worst; /* a lane that is not a number does not count */
    next[l] = x[l];
  }
  return worst;
}

CAP_CLONES void capm_dahl_lanes_march(const capm_dahl_lanes *p, int nstep, const double *u,
                                      double force[][CAPM_DAHL_LANES], double slope[][CAPM_DAHL_LANES])
{
  const double side = u[nstep] < u[0] ? -1.0 : 1.0;
  const double *h0 = side < 0.0 ? p->e : p->b, *h1 = side < 0.0 ? p->d : p->a;
  stroke s;
  double q[LANES], next[LANES], rate[LANES], slope_q[LANES], step = INFINITY;
  for (int l = 0; l < LANES; l++) {
    s.h_u[l] = h1[l];
    s.floors[l] = FLOOR * fabs(p->b[l] - p->e[l] + (p->a[l] - p->d[l]) * u[0]) + 1e-12;
    q[l] = side * (h0[l] + h1[l] * u[0] - force[0][l]);
  }
  slopes(q, s.floors, p->lambda, p->mu, rate, slope_q);
  for (int l = 0; l < LANES; l++) slope[0][l] = rate[l];
  for (int i = 1; i <= nstep; i++) {
    const double interval = fabs(u[i] - u[i - 1]);
    double left = interval;
    while (left > 0.0) {
      const bool last = step >= left;
      const double length = last ? left : step, error = advance(p, &s, length, q, rate, slope_q, next);
      if (error > TOLERANCE && length > interval / MOST_PARTS) {
        step = 0.5 * length;
        continue;
      }
      step = error < TOLERANCE / 40.0 ? fmax(step, 2.0 * length) : fmax(step * (last ? 1.0 : 0.0), length);
      left = last ? 0.0 : left - length;
      for (int l = 0; l < LANES; l++) q[l] = next[l];
      slopes(q, s.floors, p->lambda, p->mu, rate, slope_q);
    }
    for (int l = 0; l < LANES; l++) force[i][l] = h0[l] + h1[l] * u[i] - side * q[l], slope[i][l] = rate[l];
  }
}
