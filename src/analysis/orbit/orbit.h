/* analysis/orbit/orbit.h — the steady orbit itself: Newton on the stroboscopic map.
 *
 * Maths: docs/theory.md §6. y is periodic when P(y) = y, P the flow over one period of the forcing. Newton's
 * step is (I - P') d = P(y) - y with P' from the stepper's own tangent (or by differences where it has none);
 * where I - P' is singular (families of stuck orbits) the step of least norm is taken. Lanes advance
 * together; each has its own damping and convergence. The matrix of an earlier pass serves on while it
 * contracts well, since a pass without tangent costs a fraction of one with; so does that of a neighbouring
 * orbit.
 */
#pragma once
#include "base/progress.h"
#include "step/stepper.h"

typedef struct cap_orbit_settings {
  double tolerance;          /* of the last Newton step, relative to the orbit's own extent */
  int most;                  /* passes over the period */
  bool multipliers;          /* the monodromy matrix must belong to the final orbit */
  void (*begin)(void *self); /* called before each pass (to reset what an observer keeps); or NULL */
  void *self;
  const cap_progress *progress; /* asked before each pass whether to stop (CAP_STOPPED); or NULL */
} cap_orbit_settings;

typedef struct cap_orbit {
  int nstate, nlane;
  double *y;            /* [nstate][nlane] at the start of the period; in: the guess */
  double *scale;        /* [nstate][nlane] extent of each state over the period */
  double *monodromy;    /* [nstate][nstate][nlane] P' at y */
  double *slope;        /* the same as Newton uses it: an earlier P', improved by what passes have shown */
  bool guided;          /* in: slope holds that of a neighbour, to start with */
  double *residual;     /* [nlane] |P(y) - y| in units of scale */
  double *change;       /* [nlane] last Newton step in units of scale */
  bool *converged;      /* [nlane] */
  int passes, tangents; /* periods integrated, and how many of them with tangent */
  cap_arena arena;
} cap_orbit;

cap_status cap_orbit_create(const cap_model *m, cap_orbit **orbit);
void cap_orbit_free(cap_orbit *orbit); /* accepts NULL */

/* Find the orbit of period m->period from the guess orbit->y; `d` is working memory. A lane that does not
 * converge is left with converged = false; the status is an error only when the flow itself fails. */
cap_status cap_orbit_find(cap_stepper *stepper, const cap_model *m, cap_data *d,
                          const cap_orbit_settings *settings, cap_orbit *orbit, cap_error *error);
/* What turns freely returns up to a turn: positions of a group (cap_model.cyclic) are counted from its first
 * coordinate, which is put to 0, in the state end[nstate][nlane] and in tangent[nstate][ncol][nlane] (may be
 * NULL). A multiplier 1 of the shift becomes 0. */
void cap_orbit_return(const cap_model *m, double *end, int ncol, double *tangent);

/* Floquet multipliers of one lane: re[nstate], im[nstate], largest modulus first. */
cap_status cap_orbit_multipliers(const cap_orbit *orbit, int lane, double *re, double *im);
