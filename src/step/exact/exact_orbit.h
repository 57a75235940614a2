/* step/exact/exact_orbit.h — periodic orbits of a piecewise linear system, by exact propagation.
 *
 * Maths: docs/theory.md §5. First the orbit on which every slider sticks, in closed form; when it does not
 * fit into the limits, Newton's method on the map of one period with its exact derivative. A slider that
 * never slips leaves its mean free (a multiplier of one): the step of least norm keeps it where the start put
 * it.
 */
#pragma once
#include "step/exact/exact.h"
#include <stdbool.h>

typedef struct cap_exact_orbit {
  double period;     /* s */
  double *y;         /* [n] state at t = 0 */
  int *flags;        /* [nslider] at t = 0 */
  double residual;   /* largest change of a coordinate over a period, relative to its amplitude */
  int iterations;    /* Newton steps */
  int relaxed;       /* periods that were run to come near the orbit */
  long nevent;       /* changes between stick and slip in a period */
  bool fully_stuck;  /* no slider ever slips: the orbit is the linear response */
  double *monodromy; /* [n][n] derivative of the period map; set by cap_exact_orbit_multipliers when fully
                        stuck */
  double *work;      /* scratch */
  int *index;
} cap_exact_orbit;

/* Room for orbits of systems of this size, in `arena`. */
cap_status cap_exact_orbit_create(cap_arena *arena, const cap_exact *exact, cap_exact_orbit *orbit);

/* The orbit of a period that all angular frequencies divide. Starts from the state guess[n] at t = 0 (the
 * orbit of a
 * neighbour; may be orbit->y itself) or, with NULL, from the linear response. Returns CAP_RETRY_NOCONV when
 * there is none near, CAP_ERR_INPUT when the forcing does not have the period. */
cap_status cap_exact_orbit_find(cap_exact *exact, double period, const double *guess, cap_exact_orbit *orbit,
                                cap_error *error);

/* Floquet multipliers re[n] + i im[n] of the orbit found last. */
cap_status cap_exact_orbit_multipliers(cap_exact *exact, cap_exact_orbit *orbit, double *re, double *im,
                                       cap_error *error);
