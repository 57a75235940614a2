/* analysis/search/attractors.h — where motions end: states integrated over periods of the forcing to
 * attractors.
 *
 * Maths: docs/theory.md §14. The state at the start of every forcing period (the stroboscopic map P) tells
 * what a motion has come to: it is near an attractor that is known already and comes nearer, or it repeats
 * itself after p periods, and Newton on P^p (analysis/orbit/orbit.h) finds a stable orbit there. Orbits of p
 * periods that are each other's shifts by some forcing periods are one attractor. What does neither within
 * the periods that are granted is longer than looked for, quasi-periodic or chaotic: period 0. So is, where
 * it is allowed, what leaves every bound.
 *
 * Smooth and piecewise-linear laws run in the lanes of the Runge-Kutta method, 32 states at a time; a lane
 * that has arrived takes the next state. Lanes do not see each other, so a result depends on the states and
 * their order alone. Models with set-valued friction run one at a time with the stepper that suits them.
 *
 * Distances are relative to the extent of the motion over a period, largest of the coordinates and largest of
 * the velocities; inner states follow those and are left out.
 *
 * Threads: one set per thread; cap_attractors_add joins sets, in the order in which it is called.
 */
#pragma once
#include "base/progress.h"
#include "step/stepper.h"
#include <stdint.h>

enum { CAP_ATTRACTORS_PERIODS_MOST = 64, CAP_ATTRACTORS_MOST = 1000 };

typedef struct cap_attractor {
  int period;        /* in periods of the forcing; 0: longer, or chaotic */
  double *y;         /* [period][nstate] at the starts of the forcing periods; period 0: one state on it */
  double extent[2];  /* of coordinates and of velocities over the orbit */
  double multiplier; /* largest modulus; NaN when it was handed in, or of period 0 */
  int first, count;  /* number of the first state that came to it (-1 none), and how many did */
} cap_attractor;

typedef struct cap_attractors_settings {
  int periods;                  /* longest period that is told from chaos; 0 = 8 */
  int most;                     /* forcing periods granted to a state; 0 = 1000 */
  double step;                  /* s: largest time step; 0 = from the fastest motion within the box */
  const double *low, *high;     /* [nstate] the box of states that are expected, for that step */
  bool boundless;               /* a state that leaves every bound counts as period 0; else it is an error */
  const cap_progress *progress; /* asked every period whether to stop (CAP_STOPPED); or NULL */
} cap_attractors_settings;

typedef struct cap_attractors {
  const cap_model *m;
  int lane;
  cap_attractors_settings settings;
  const cap_stepper_type *type;
  double step; /* a whole fraction of the period */
  int n;
  cap_attractor list[CAP_ATTRACTORS_MOST];
  cap_arena arena;
} cap_attractors;

/* m (one lane of it) must outlive the set, low and high need not. Refused: no periodic forcing. */
cap_status cap_attractors_create(const cap_model *m, int lane, const cap_attractors_settings *settings,
                                 cap_attractors **set, cap_error *error);
void cap_attractors_free(cap_attractors *set); /* accepts NULL */

/* State number k of the stream `seed`, within the box: y_i = low_i + (high_i - low_i) frac(s_i + k g_i), an
 * additive lattice that fills the box evenly, from a start s that the seed draws. */
void cap_attractors_random(uint64_t seed, int64_t k, int nstate, const double *low, const double *high,
                           double *y);

/* Make an orbit of `period` forcing periods known that another method has found stable; y[nstate] lies on it
 * at the start of a forcing period. *index is its number, also when it was there already. */
cap_status cap_attractors_know(cap_attractors *set, int period, const double *y, int *index,
                               cap_error *error);
/* Newton on P^period from y: a stable orbit near it enters the set, *index its number; -1 when there is
 * none. */
cap_status cap_attractors_polish(cap_attractors *set, int period, const double *y, int *index,
                                 cap_error *error);
/* Number of the orbit in the set that is this one but for a shift by forcing periods; -1 none. */
int cap_attractors_find(const cap_attractors *set, const cap_attractor *orbit);
/* Take over an attractor of another set of the same model: *index is its number here. Counts add up. */
cap_status cap_attractors_add(cap_attractors *set, const cap_attractor *other, int *index, cap_error *error);

/* Integrate `count` states y[count][nstate] until they arrive; which[count] are the numbers of their
 * attractors. States are numbered from `first` (attractors_reach.c). */
cap_status cap_attractors_reach(cap_attractors *set, int first, int count, const double *y, int *which,
                                cap_error *error);

/* Samples q[nv][nsample] of the coordinates over the whole orbit k, equidistant from its first forcing
 * period. */
cap_status cap_attractors_wave(const cap_attractors *set, int k, int nsample, double *q, cap_error *error);

/* ---- the inside, shared with attractors_reach.c ---- */

/* Distance of two states of `stride`-spaced values, relative to extent[2]. */
double cap_attractors_distance(const cap_model *m, const double *a, int stride_a, const double *b,
                               int stride_b, const double extent[2]);
/* One-lane copy of the model with `period` forcing periods as its period. */
cap_status cap_attractors_copy(const cap_attractors *set, int nlane, int period, cap_model **model,
                               cap_error *error);
/* The number of the one attractor of period 0, made when it is not there. */
cap_status cap_attractors_other(cap_attractors *set, const double *y, int stride, int *index,
                                cap_error *error);
