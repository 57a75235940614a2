/* step/staggered_work.h — what the files of the staggered steps share. */
#pragma once
#include "step/staggered.h"

/* Inner states of elements that do not march, and of no slider. */
typedef struct staggered_states {
  int n, *at;
} staggered_states;

/* Mechanisms of the energy audit, in whole ranges. */
typedef struct staggered_range {
  int from, to;
} staggered_range;

typedef struct staggered_held staggered_held; /* staggered_held.c */

/* What is carried over an advance beside the arrays; doubles alone, for a view. */
typedef struct staggered_carried {
  double h; /* s, of the last step; 0: there is none */
} staggered_carried;

typedef struct staggered {
  cap_stepper_settings settings;
  staggered_carried own;
  bool goes_on;  /* what is carried holds */
  bool factored; /* mass matrices that do not vary */
  cap_staggered_plan plan;
  int nv, nx, nmech;
  bool coulomb;                     /* some slider has no compliance */
  bool apart;                       /* slow elements are evaluated apart from the fast ones */
  staggered_held *held;             /* set-valued contacts, or NULL */
  double *inverse;                  /* [nv] 1/mass */
  double *v_half, *v_star, *v_mean; /* [nv]; v_mean: over a step of several parts, else NULL */
  double *h, *a;                    /* [nv] of all forces, or of the fast ones */
  double *slow, *a_slow;            /* [nv] of the slow ones, where these are apart */
  double *a_held, *a_even; /* [nv] of held forces; with the slow ones: what acts evenly over a step */
  double *xdot, *xdot0, *x0, *decay, *rate;    /* [nx]; of the step's start: x0, xdot0, rate */
  double *force, *power, *work, *jump, *hints; /* [noutput], [nmech], ..., [nhint] */
  staggered_states other, other_fast;          /* those of slow (or all), of fast elements */
  staggered_range *fast_mechs;                 /* [nfast] */
  double *slip;                                /* [nslider] velocity over the last step */
  double *q_end;                               /* [nv] positions at the end of the last call */
  double *inertia_work;                        /* [ninertia_work] */
  double *stiff_work;                          /* [nstiff_work] of stiffened bodies, in their order */
  double *column;                              /* [nv] scratch */
  double stiff_energy;                         /* J: of v_half or v with what was added to M, at last */
  cap_arena arena;
} staggered;

/* staggered_states.c: a step h of inner states that do not march, first stage from the rates of the
 * evaluation before, second from those at the predicted state. */
void cap_staggered_states_predict(staggered *w, const staggered_states *s, double *x, double h);
void cap_staggered_states_correct(staggered *w, const staggered_states *s, double *x, double h);

/* staggered_sliders.c: sliders with compliance go with the positions over a step h at the velocities v; what
 * they do not store is slip. */
void cap_staggered_sliders_move(const cap_model *m, staggered *w, cap_data *d, const double *v, double h);
/* Coulomb friction: forces that bring the velocities after the kick h to rest, or their limits. w->v_half has
 * the velocities under the forces so far. */
cap_status cap_staggered_sliders_hold(const cap_model *m, staggered *w, cap_data *d, double h);
/* Power of Coulomb friction between the velocities before and after the kick. */
void cap_staggered_sliders_tell(const cap_model *m, staggered *w, cap_data *d, bool first);
/* Which of them slide, into d->regime. */
void cap_staggered_sliders_regimes(const cap_model *m, cap_data *d);

/* staggered_bodies.c: bodies with a mass matrix of their own. */
int cap_staggered_bodies_nwork(const cap_model *m);
/* Matrices at q: those that vary, or all at first; with `stiff` also what is added to them, for steps h. */
bool cap_staggered_bodies_factor(const cap_model *m, staggered *w, const double *q, bool first, bool stiff,
                                 double h);
/* a of their coordinates from the forces f, and v_half += h a. */
void cap_staggered_bodies_kick(const cap_model *m, staggered *w, double h, const double *f, double *a);
/* Energy of the velocities v with what was added to M, J. */
double cap_staggered_bodies_energy(const cap_model *m, staggered *w, const double *v);
