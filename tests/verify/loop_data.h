/* Measured loops made up from the tensioner document: deflection (30), laws with (31), (33) or (34), white
 * Gaussian noise from a seed. The forces come from laws/, sample by sample with exact reversals, not from the
 * forward models of the identification. */
#pragma once
#include "analysis/identify/identify.h"
#include "laws/dahl.h"
#include "laws/masing.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double loop_x0 = 5.4e-4, loop_x1 = 5.2e-4, loop_omega = 9.4, loop_phi = 4.8;
static const double loop_truth[CAP_IDENTIFY_LAWS][6] = {
    [CAP_IDENTIFY_DAHL] = {7.146e4, 959.6, 5.322e4, 397.2, 117355.0, 0.37},
    [CAP_IDENTIFY_MASING] = {4.84e5, 2.34e5, 163.0, -573.0, 1.93e4}};

typedef struct loop_random {
  uint64_t state;
} loop_random;

static inline uint64_t loop_mix(uint64_t z)
{
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/* The seed is mixed first: the generator's states are an arithmetic sequence, neighbouring seeds would share
 * noise. */
static inline loop_random loop_seed(uint64_t seed)
{
  return (loop_random){loop_mix(seed + 0x5851F42D4C957F2Du)};
}

/* splitmix64, the same on every machine */
static inline double loop_uniform(loop_random *r)
{
  return (double)(loop_mix(r->state += 0x9E3779B97F4A7C15u) >> 11) * 0x1p-53;
}

static inline double loop_gauss(loop_random *r)
{
  const double a = loop_uniform(r), b = loop_uniform(r);
  return sqrt(-2.0 * log(1.0 - a)) * cos(6.28318530717958647692 * b);
}

typedef struct loop_data {
  int n;
  double *time, *u, *force; /* [n] s, m, N */
} loop_data;

static inline loop_data loop_create(int n)
{
  loop_data d = {n, malloc((size_t)n * sizeof(double)), malloc((size_t)n * sizeof(double)),
                 malloc((size_t)n * sizeof(double))};
  if (!d.time || !d.u || !d.force) abort();
  return d;
}

static inline void loop_free(loop_data *d)
{
  free(d->time), free(d->u), free(d->force);
}

typedef struct loop_law {
  cap_identify_law law;
  capm_dahl dahl;
  capm_masing_slider slider;
  capm_masing masing;
  double state; /* F or w */
} loop_law;

static inline void loop_set(loop_law *l, cap_identify_law law, const double *p)
{
  l->law = law;
  if (law == CAP_IDENTIFY_DAHL) {
    l->dahl = capm_dahl_straight(p[0], p[1], p[2], p[3], p[4], p[5]);
    l->state = 0.5 * (p[1] + p[3]);
  } else {
    l->slider = (capm_masing_slider){p[0], p[2]};
    l->masing = (capm_masing){1, &l->slider, p[1], p[4], p[3]};
    l->state = 0.0;
  }
}

/* Monotone motion from u0 to u, arriving with velocity v. */
static inline double loop_move(loop_law *l, double u0, double u, double v)
{
  if (l->law == CAP_IDENTIFY_MASING) return capm_masing_advance(&l->masing, &l->state, u - u0, u, v).force;
  if (capm_dahl_path(&l->dahl, u0, u, &l->state) != CAP_OK) abort();
  return l->state;
}

/* The law along x0 + x1 sin(Omega t + phi) at the increasing times, through every reversal; before the first
 * sample it moves from phase `from`, a time with the state that `l` has. */
static inline void loop_follow(loop_law *l, double x1, double from, int n, const double *time, double *u,
                               double *force)
{
  const double half = 3.14159265358979323846;
  double turn = floor(from / half - 0.5); /* phase (turn + 1/2) pi is the last reversal */
  double at = loop_x0 + x1 * sin(from);
  for (int i = 0; i < n; i++) {
    const double phase = loop_omega * time[i] + loop_phi;
    while ((turn + 1.5) * half <= phase) {
      turn += 1.0;
      const double next = loop_x0 + x1 * sin((turn + 0.5) * half);
      loop_move(l, at, next, 0.0);
      at = next;
    }
    u[i] = loop_x0 + x1 * sin(phase);
    force[i] = loop_move(l, at, u[i], x1 * loop_omega * cos(phase));
    at = u[i];
  }
}

/* The steady loop: three cycles before the first sample reach the orbit. */
static inline void loop_steady(cap_identify_law law, const double *parameters, double x1, int n,
                               const double *time, double *u, double *force)
{
  loop_law l;
  loop_set(&l, law, parameters);
  loop_follow(&l, x1, loop_omega * time[0] + loop_phi - 6.0 * 3.14159265358979323846, n, time, u, force);
}

static inline double loop_range(int n, const double *x)
{
  double low = x[0], high = x[0];
  for (int i = 1; i < n; i++) low = fmin(low, x[i]), high = fmax(high, x[i]);
  return high - low;
}

/* The case of the acceptance criteria: three cycles at 5000 Hz without noise. */
static inline loop_data loop_document(cap_identify_law law)
{
  loop_data d = loop_create((int)(3.0 * 6.28318530717958647692 / loop_omega * 5000.0));
  for (int i = 0; i < d.n; i++) d.time[i] = i / 5000.0;
  loop_steady(law, loop_truth[law], loop_x1, d.n, d.time, d.u, d.force);
  return d;
}

/* The same from the initial conditions (32) and (35), which lie beside the orbit. */
static inline loop_data loop_from_start(cap_identify_law law)
{
  loop_data d = loop_document(law);
  const bool dahl = law == CAP_IDENTIFY_DAHL;
  const double start = dahl ? 1.988e-1 : 1.55e-2;
  loop_law l;
  for (int i = 0; i < d.n; i++) d.time[i] = start + i / 5000.0;
  loop_set(&l, law, loop_truth[law]);
  l.state = dahl ? 1009.0 : -3.24e-4;
  loop_follow(&l, loop_x1, loop_omega * start + loop_phi, d.n, d.time, d.u, d.force);
  return d;
}

static inline void loop_add_noise(loop_data *d, double sigma, uint64_t seed)
{
  loop_random r = loop_seed(seed);
  for (int i = 0; i < d->n; i++) d->force[i] += sigma * loop_gauss(&r);
}

/* examples/tensioner_loop.csv: from rest over a ramp of 0.4 s into three steady cycles at 2000 Hz; modified
 * Dahl law, noise of 1 % of the force range and of 0.5 um on the deflection. */
static inline loop_data loop_example(void)
{
  const double ramp = 0.4, rate = 2000.0, pi = 3.14159265358979323846;
  loop_data d = loop_create((int)((ramp + 3.0 * 2.0 * pi / loop_omega) * rate) + 1);
  loop_random r = loop_seed(2026);
  loop_law l;
  loop_set(&l, CAP_IDENTIFY_DAHL, loop_truth[CAP_IDENTIFY_DAHL]);
  double before = 0.0;
  for (int i = 0; i < d.n; i++) {
    enum { FINE = 8 }; /* substeps, so that reversals between samples matter little */
    double u = before;
    for (int k = 1; k <= FINE; k++) {
      const double t = (i + (double)(k - FINE) / FINE) / rate, s = fmax(fmin(t / ramp, 1.0), 0.0);
      u = s * s * (3.0 - 2.0 * s) * (loop_x0 + loop_x1 * sin(loop_omega * t + loop_phi));
      loop_move(&l, before, u, 0.0);
      before = u;
    }
    d.time[i] = i / rate;
    d.u[i] = u + 5e-7 * loop_gauss(&r);
    d.force[i] = l.state + 6.4 * loop_gauss(&r);
  }
  return d;
}

/* One row as in the file, without the end of the line. */
static inline void loop_print_row(const loop_data *d, int i, char *row, size_t size)
{
  snprintf(row, size, "%.4f, %.5f, %.2f", d->time[i], 1e3 * d->u[i], d->force[i]);
}
