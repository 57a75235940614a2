/* tests/support/variator_synthetic.h — a made-up variator whose curves along the belt are known.
 *
 * Elements go around in T seconds: PRI up to share 0.3 of the way, US to 0.5, SEC to 0.8, LS to 1. Each adds
 * an oscillation of its own, and those in the lower strand knock against each other.
 */
#pragma once
#include "drives/pushbelt/observe/variator_figures.h"

#include <math.h>
#include <string.h>

static const double synthetic_ends[CAP_VARIATOR_SECTIONS + 1] = {0.0, 0.3, 0.5, 0.8, 1.0};

typedef struct synthetic {
  double T, iota, noise;      /* s; oscillation of each element, N */
  double clamping;            /* N on each pulley */
  double omega[2], radius[2]; /* rad/s, m */
  double arc[2];              /* rad */
  double run_up, tau;         /* excess of the axial force of PRI at t = 0, and how fast it goes */
  bool bounce;                /* at the entry and at the exit of PRI */
  double slip;                /* of all flanks on SEC, share of the belt's speed, from `slip_from` on */
  double slip_from;
} synthetic;

static inline synthetic synthetic_default(void)
{
  return (synthetic){.T = 0.05,
                     .iota = 2.0,
                     .noise = 100.0,
                     .clamping = 9000.0,
                     .omega = {200.0, 200.0},
                     .radius = {0.055, 0.055},
                     .arc = {3.1, 3.1},
                     .tau = 0.01,
                     .slip_from = INFINITY};
}

/* The push force without oscillations at the share `at` of the way: idle up to a third of PRI. */
static inline double synthetic_push(double at)
{
  if (at < 0.1) return 10.0;
  if (at < 0.3) return 10.0 + 990.0 * (at - 0.1) / 0.2;
  if (at < 0.5) return 1000.0;
  if (at < 0.8) return 1000.0 - 990.0 * (at - 0.5) / 0.3;
  return 10.0;
}

/* Transmitting force of an element: against the travel in the idle part of PRI, then with it. */
static inline double synthetic_longitudinal(double at)
{
  if (at < 0.1) return -2.0;
  if (at < 0.3) return 6.0;
  return at >= 0.5 && at < 0.8 ? -10.0 / 3.0 : 0.0;
}

static inline int synthetic_section(double at)
{
  int s = 0;
  while (at >= synthetic_ends[s + 1]) s++;
  return s;
}

static inline void synthetic_element(const synthetic *y, cap_variator_sample *s, int k, double at, double t)
{
  double **v = s->value, wave = sin(2.0 * M_PI * 20.0 * at + 2.4 * k);
  int section = synthetic_section(at), pulley = section / 2;
  bool touches = section == CAP_VARIATOR_IN_PRI || section == CAP_VARIATOR_IN_SEC;
  double share = (at - synthetic_ends[section]) / (synthetic_ends[section + 1] - synthetic_ends[section]);
  for (int q = 0; q < CAP_VARIATOR_QUANTITIES; q++) v[q][k] = 0.0;
  s->section[k] = section;
  s->nearer[k] = at > 0.4 && at < 0.9;
  v[CAP_VARIATOR_PUSH][k] = v[CAP_VARIATOR_PUSH_EDGE][k] = synthetic_push(at) + y->noise * wave;
  v[CAP_VARIATOR_RING_TENSION][k] = section < CAP_VARIATOR_IN_SEC ? 1500.0 : 1800.0;
  v[CAP_VARIATOR_SPEED][k] = 11.0;
  v[CAP_VARIATOR_GAP_EDGE][k] = section == CAP_VARIATOR_IN_LS ? 2e-6 : -1e-6;
  if (!touches) return;
  double in_arc = (synthetic_ends[section + 1] - synthetic_ends[section]) * s->n *
                  s->iota; /* real elements */
  double excess = pulley == CAP_VARIATOR_PRI ? y->run_up * exp(-t / y->tau) : 0.0;
  v[CAP_VARIATOR_FLANK_NORMAL][k] = 30.0 + (share < 0.1 || share > 0.9 ? 15.0 : 0.0);
  v[CAP_VARIATOR_FLANK_AXIAL][k] = y->clamping * (1.0 + excess) / in_arc + 0.1 * wave;
  v[CAP_VARIATOR_FLANK_LONGITUDINAL][k] = synthetic_longitudinal(at);
  v[CAP_VARIATOR_MOMENT][k] = synthetic_longitudinal(at) * y->radius[pulley];
  v[CAP_VARIATOR_ANGLE][k] = (share - 0.5) * y->arc[pulley];
  v[CAP_VARIATOR_RADIUS][k] = y->radius[pulley] + 2e-4 * (share - 0.7) * (share - 0.7);
  v[CAP_VARIATOR_RING_RADIUS][k] = v[CAP_VARIATOR_RADIUS][k] + 4e-3 + (share < 0.03 ? 5e-5 : 0.0);
  v[CAP_VARIATOR_PITCH][k] = -0.02 + 0.001 * wave;
  v[CAP_VARIATOR_SLIP_LONGITUDINAL][k] = t >= y->slip_from ? y->slip * 11.0
                                                           : 0.02 * (share > 0.4 ? -1.0 : 1.0);
  v[CAP_VARIATOR_LOSS_LONGITUDINAL][k] = 0.05;
}

/* The sample of all elements at time t. */
static inline void synthetic_sample(const synthetic *y, cap_variator_sample *s, double t)
{
  s->t = t;
  s->clamping = y->clamping;
  s->torque = -s->n * s->iota * 0.3 * (10.0 / 3.0) * y->radius[1];
  memcpy(s->omega, y->omega, sizeof s->omega);
  for (int k = 0; k < s->n; k++) {
    double turns = t / y->T + (double)k / s->n, at = turns - floor(turns);
    synthetic_element(y, s, k, at, t);
    /* off the sheave for a moment after the first touch, and once more on it behind the end */
    if (y->bounce && at > 0.01 && at < 0.014) s->section[k] = CAP_VARIATOR_IN_US;
    if (y->bounce && at > 0.29 && at < 0.295) s->section[k] = CAP_VARIATOR_IN_US;
  }
}

/* ---- a run of it --------------------------------------------------------------------------------------- */

enum { SYNTHETIC_N = 120, SYNTHETIC_POINTS = 400, SYNTHETIC_LEVELS = 4 };

typedef struct synthetic_run {
  cap_variator_record record;
  cap_variator_curves curves;
  cap_variator_figures figures;
  cap_status status; /* of the first that failed */
} synthetic_run;

/* Works that grow evenly: 100 W lost by the flanks in PRI, 120 W in all, and `residual` W nowhere. */
static inline void synthetic_levels(double t, double residual, double *levels)
{
  levels[0] = 100.0 * t;
  levels[1] = 120.0 * t;
  levels[2] = residual * t;
  levels[3] = 0.0;
}

static inline cap_variator synthetic_variator(const synthetic *y)
{
  cap_variator v = {.simulated = SYNTHETIC_N, .real = (int)(SYNTHETIC_N * y->iota), .iota = y->iota};
  v.centre_distance = 0.155;
  v.wedge = 11.0 * M_PI / 180.0;
  v.contact.flank_friction = (capm_friction){.mu_static = 0.09, .mu_kinetic = 0.09};
  v.contact.ring_friction = (capm_friction){.mu_static = 0.1, .mu_kinetic = 0.1};
  v.element = (cap_variator_element){.edge = -0.001, .saddle = 0.0};
  v.ring.mass = 0.26;
  return v;
}

static inline cap_variator_levels synthetic_which(void)
{
  cap_variator_levels which = {.n = SYNTHETIC_LEVELS,
                               .lost = 1,
                               .residual = 2,
                               .integrator = 3,
                               .input = -1,
                               .power = {-1, -1},
                               .spin = -1,
                               .sheave = -1};
  for (int k = 0; k < CAP_VARIATOR_LOST; k++)
    for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) which.loss[k][s] = -1;
  which.loss[CAP_VARIATOR_LOST_LONGITUDINAL][CAP_VARIATOR_IN_PRI] = 0;
  return which;
}

static inline cap_status synthetic_march(const synthetic *y, synthetic_run *r, double until, double residual,
                                         cap_variator_sample *sample, double *steady)
{
  char why[200];
  double every = y->T / 500.0, levels[SYNTHETIC_LEVELS];
  synthetic_levels(0.0, residual, levels);
  cap_variator_record_start(&r->record, 0.0, levels);
  for (int i = 1; i * every <= until * (1.0 + 1e-9); i++) {
    synthetic_sample(y, sample, i * every);
    synthetic_levels(i * every, residual, levels);
    if (cap_variator_record_take(&r->record, sample))
      cap_variator_means_close(&r->record.means, sample->t, levels);
  }
  if (cap_variator_means_open(&r->record.means))
    cap_variator_means_close(&r->record.means, sample->t, levels);
  const cap_variator_levels which = synthetic_which();
  *steady = cap_variator_figures_steady(&r->record, &which, why, sizeof why);
  return cap_variator_curves_make(&r->curves, &r->record.track, isfinite(*steady) ? *steady : -INFINITY,
                                  SYNTHETIC_POINTS, NULL);
}

static inline synthetic_run synthetic_compute(const synthetic *y, int average_elements, double until,
                                              double residual)
{
  synthetic_run r = {0};
  double steady = NAN;
  cap_variator_sample sample;
  cap_variator v = synthetic_variator(y);
  cap_variator_levels which = synthetic_which();
  cap_variator_terms terms = {.reference_ratio = 0.98,
                              .bearing_torque = 0.1,
                              .bearing_friction = 2e-5,
                              .pump_power = 30.0,
                              .pump_slope = 4e-3,
                              .pump_torque = 0.2,
                              .pump_stroke = 3e-5};
  r.status = cap_variator_sample_create(&sample, SYNTHETIC_N, y->iota, NULL);
  if (r.status == CAP_OK)
    r.status = cap_variator_record_create(&r.record, SYNTHETIC_N, average_elements, y->T / 500.0, y->T,
                                          SYNTHETIC_LEVELS, NULL);
  if (r.status == CAP_OK) r.status = synthetic_march(y, &r, until, residual, &sample, &steady);
  if (r.status == CAP_OK)
    cap_variator_figures_make(&r.figures, &v, &r.record, &r.curves, &which, &terms, steady);
  cap_variator_sample_free(&sample);
  return r;
}

static inline void synthetic_release(synthetic_run *r)
{
  cap_variator_record_free(&r->record);
  cap_variator_curves_free(&r->curves);
}
