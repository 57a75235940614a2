/* analysis/identify/identify_cycle.h — the steady cycles of a measured loop: period, smooth deflection,
 * strokes.
 *
 * Maths:   docs/identify.md §2
 *   u(t) = m0 + sum_h [c_h cos(h p) + s_h sin(h p)],  p = angular frequency (t - origin),
 * by least squares over the steady part with the angular frequency itself a parameter; its order by the
 * Bayesian
 * information criterion. The velocity is its derivative: no difference of noisy samples is ever taken. Works
 * on uneven sampling. A stroke is a part of the cycle between two reversals of u; a plain loop has two.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>

enum { CAP_IDENTIFY_CYCLE_STROKES = 64, CAP_IDENTIFY_CYCLE_HARMONICS = 24 };

typedef struct cap_identify_stroke {
  double phase;  /* of its start, rad in [0, 2 pi) */
  double u0, u1; /* m: deflection at its start and end */
} cap_identify_stroke;

typedef struct cap_identify_cycle {
  int first, n;                     /* steady samples: first .. first + n - 1 of the data */
  const double *time, *force;       /* [n] s, N: into the data */
  double *phase;                    /* [n] rad in [0, 2 pi) */
  double *u, *v;                    /* [n] m, m/s: smooth */
  int *stroke_of;                   /* [n] */
  double angular_frequency, origin; /* rad/s, s */
  double cycles;                    /* length of the steady part in periods */
  int nharmonic;
  double cosine[CAP_IDENTIFY_CYCLE_HARMONICS + 1], sine[CAP_IDENTIFY_CYCLE_HARMONICS + 1]; /* m */
  double u_rms;            /* m: measured less smooth deflection */
  double u_min, u_max;     /* m */
  double f_noise;          /* N: noise of the force, from second differences */
  double f_range;          /* N: largest less smallest of the steady force, noise included */
  double area, area_error; /* J: loop area and its standard error */
  double u_noise;          /* m: noise of the deflection, from second differences */
  bool recorded;           /* u and v are those of the record (identify_record), not of the series */
  int nturn;               /* ... its reversals */
  double *turn_u;          /* [nturn + 1] m: deflection at them, and at the end */
  int *piece_of;           /* [n]: reversals before each sample */
  int nstroke;
  cap_identify_stroke strokes[CAP_IDENTIFY_CYCLE_STROKES];
} cap_identify_cycle;

/* Find the cycles in n samples (SI, finite, time increasing). Arrays live in `arena`. CAP_ERR_INPUT with the
 * reason when there are too few, too sparse or none. */
cap_status cap_identify_cycle_find(int n, const double *time, const double *u, const double *force,
                                   cap_arena *arena, cap_identify_cycle *cycle, cap_error *error);

/* Smooth deflection and velocity at a phase. */
double cap_identify_cycle_at(const cap_identify_cycle *cycle, double phase, double *v);
