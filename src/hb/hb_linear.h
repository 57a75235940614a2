/* hb/hb_linear.h — the linear part of a system in the frequency domain, exactly.
 *
 * Maths: docs/theory.md §13. At harmonic h of the base angular frequency w the free coordinates obey
 *   Z_h q_h + (nonlinear forces)_h = f_h,   Z_h = K - (h w)^2 M + i h w C,   q_h = a_h - i b_h.
 * Coordinates that no nonlinear element or slider touches are eliminated (Schur complement), so that the
 * unknowns are those of the nonlinear ones: S_h q_h + ... = g_h. Loads are those of the linear elements;
 * driven coordinates are known and become loads. Everything is there with its derivative to w.
 *
 * Elements of a running belt (`tangent` of their type) are taken by their tangent at the model's start, with
 * their inner states as further unknowns that have no mass: docs/theory.md §29. Coordinates that turn freely
 * (cap_model.cyclic) have no mean position; in its place stands the mean of their velocity.
 *
 * Cost: a condensation is one sparse factorisation per harmonic; repeated only when w has changed.
 */
#pragma once
#include "model/model.h"
#include <complex.h>

typedef struct cap_hb_entry {
  int row, column; /* places of free coordinates */
  double k, c, m;  /* N/m, N s/m, kg */
  double rest;     /* what is in the place of k at h = 0 */
} cap_hb_entry;

typedef struct cap_hb_linear {
  int nfree, ninner; /* free coordinates; the first nfree - ninner of them are the nonlinear ones */
  int nouter;        /* nfree - ninner */
  int nharmonic, ndriven;
  int nstate;       /* of the free ones, the last: inner states of elements that are taken by their tangent */
  int *place;       /* [nv] free: its place; driven: -1 - its motion */
  int *state_place; /* [nx] place of such a state; else -1 */
  bool *drifts;     /* [nfree] at h = 0 it stands for the mean velocity of its group */
  int nentry;
  cap_hb_entry *entries;
  double complex *known;       /* [ndriven][nharmonic + 1] the imposed motions */
  double complex *load, *drag; /* [nharmonic + 1][nfree] f_h = load + i h w drag */
  double load_scale;           /* of the harmonics h >= 1 of loads and imposed motions */
  bool autonomous;             /* free motions: no harmonics of loads and imposed motions at all */
  double excitation;           /* 1/s: C - excitation M is the damping; 0 but for nonlinear modes */
  /* condensed, at `angular_frequency`; [nharmonic + 1] blocks */
  double angular_frequency;
  double complex *stiffness, *stiffness_w; /* [nouter][nouter] S_h and its derivative to w */
  double complex *stiffness_x;             /* the same to the excitation; NULL unless autonomous */
  double complex *force, *force_w;         /* [nouter] g_h for load_scale = 1 */
  double complex *inner;                   /* [nouter + 1][ninner] columns -Z_II^-1 Z_IO, then Z_II^-1 f_I */
  struct cap_hb_condense *condense;        /* work of the elimination */
  cap_arena arena;
} cap_hb_linear;

/* Whether the elements of a batch are nonlinear laws. */
static inline bool cap_hb_linear_is_law(const cap_batch *b)
{
  return !b->type->linear && !b->type->tangent;
}

/* The linear part of one lane. `sub`: the base angular frequency is that of the forcing divided by it.
 * Refused with
 * the reason: no period, a motion that is sampled, a load that is no multiple of the base angular frequency
 * or above
 * the last harmonic. On failure free what is there. */
cap_status cap_hb_linear_create(const cap_model *m, int lane, int nharmonic, int sub, cap_hb_linear **linear,
                                cap_error *error);
/* For free motions: mean loads only, no period needed, and the coordinates keep[nkeep] stay unknowns whether
 * a nonlinear element touches them or not. */
cap_status cap_hb_linear_create_free(const cap_model *m, int lane, int nharmonic, int nkeep, const int *keep,
                                     cap_hb_linear **linear, cap_error *error);
void cap_hb_linear_free(cap_hb_linear *linear); /* accepts NULL */

/* Damping C - excitation M from now on. */
void cap_hb_linear_excite(cap_hb_linear *linear, double excitation);

/* Read the values of another model of the same structure. */
cap_status cap_hb_linear_update(cap_hb_linear *linear, const cap_model *m, int lane, int sub,
                                cap_error *error);

/* Condense at the base angular frequency w, if it is not there already. */
cap_status cap_hb_linear_condense(cap_hb_linear *linear, double w, cap_error *error);

/* Coefficients all[nfree][2H + 1] of every free coordinate from those of the nonlinear ones (the condensed
 * values must be there). */
void cap_hb_linear_expand(const cap_hb_linear *linear, const double *outer, double *all);

/* The entry of a place that has one. */
cap_hb_entry *cap_hb_linear_entry(cap_hb_linear *linear, int row, int column);

/* Coefficients of an imposed motion. */
void cap_hb_linear_known(const cap_hb_linear *linear, int motion, double *c);
