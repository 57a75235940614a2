/* hb/hb_branches.h — the set of branches of periodic solutions over one parameter.
 *
 * Maths: docs/theory.md §13. A branch is a curve of solutions, followed both ways from a start until it
 * leaves the range, closes, or can go no further; every point is stored with its tangent, what it is (fold,
 * branch point, period doubling, Neimark-Sacker) and its stability. The set knows which solutions it has, so
 * any search can hand in candidates: a solution that lies on a known branch is recognised, also when an orbit
 * of several periods is given with another of them first. Orbits of `sub` periods of the forcing have sub
 * times as many harmonics.
 *
 * Cost:    that of the continuation; a test of identity some Newton iterations per stored piece that
 *          straddles p, and nothing for pieces that are far from the candidate
 * Threads: a set serves one thread at a time; results depend on nothing but the input
 */
#pragma once
#include "hb/hb_curve.h"

typedef enum cap_hb_point_kind {
  CAP_HB_POINT,
  CAP_HB_FOLD,
  CAP_HB_BRANCH_POINT,
  CAP_HB_DOUBLING,
  CAP_HB_TORUS
} cap_hb_point_kind;

/* One stored solution. */
typedef struct cap_hb_point {
  cap_hb_point_kind kind;
  int harmonics; /* of the forcing's period */
  double p;
  double *x,
      *tangent;      /* [n], [n + 1] in the unknowns of the branch's balance; the tangent along the branch */
  double *other;     /* [n + 1] tangent of the crossing branch at a BRANCH_POINT, else NULL */
  bool crossing;     /* another branch passes here: a BRANCH_POINT, or a start at one or at a DOUBLING */
  double largest;    /* modulus of the largest multiplier; NaN: not known */
  int unstable;      /* multipliers outside the unit circle; -1: not known */
  double truncation; /* relative estimate of what the harmonics leave out; NaN: not asked for */
} cap_hb_point;

typedef struct cap_hb_branch {
  int sub;           /* period in periods of the forcing */
  int harmonics;     /* of the forcing's period */
  int samples;       /* per forcing's period */
  const char *name;  /* main, main-2, detached-1, bifurcated-1, period-2-1, ... */
  const char *found; /* how, such as "from the first value of the sweep" */
  int parent;        /* the branch that it springs from, or -1 */
  bool closed;
  char end[2][400];    /* why it stopped at its first and at its last point */
  bool complete[2];    /* that end is the range's limit, a closure or a junction: nothing is missing there */
  char shortfall[240]; /* accuracy that was asked for and not reached; empty: fine */
  double sampling;     /* relative estimate of what the samples get wrong; NaN: not asked for */
  int npoint;
  cap_hb_point *points; /* in order along the curve */
  int level;            /* which of the set's balances it is written in */
} cap_hb_branch;

typedef struct cap_hb_branches_settings {
  cap_hb_curve_parameter parameter;
  cap_hb_curve_source source;  /* of models, for CAP_HB_CURVE_MODEL */
  double first, last;          /* limits of p, in the order of the sweep */
  int harmonics;               /* of the forcing's period */
  int samples;                 /* per forcing's period; 0 = chosen */
  int harmonics_most;          /* > harmonics: raised until the truncation is below the tolerance */
  double tolerance;            /* of the truncation, relative */
  bool truncation;             /* estimate it at every point even when nothing is raised */
  bool stability;              /* multipliers, period doublings and Neimark-Sacker points */
  int points_most;             /* of a branch in each direction; 0 = 20000 */
  bool (*stopped)(void *self); /* asked at every point and every Jacobian; may be NULL */
  void *stopped_self;
} cap_hb_branches_settings;

typedef struct cap_hb_branches cap_hb_branches;

/* m: the model at the first value (of one lane); it must outlive the set. */
cap_status cap_hb_branches_create(const cap_model *m, const cap_hb_branches_settings *settings,
                                  cap_hb_branches **set, cap_error *error);
void cap_hb_branches_free(cap_hb_branches *set); /* accepts NULL */

int cap_hb_branches_count(const cap_hb_branches *set);
const cap_hb_branch *cap_hb_branches_get(const cap_hb_branches *set, int branch);
const cap_hb_branches_settings *cap_hb_branches_settings_of(const cap_hb_branches *set);

/* The balance of orbits of `sub` periods in which candidates are given (settings.harmonics * sub harmonics),
 * made on demand; and that of a branch, which may have more harmonics. The set's own; place it before use. */
cap_status cap_hb_branches_hb(cap_hb_branches *set, int sub, cap_hb **hb, cap_error *error);
cap_hb *cap_hb_branches_hb_of(const cap_hb_branches *set, int branch);
/* Bring such a balance to p; *angular frequency is that of the forcing there, for cap_hb_residual,
 * cap_hb_output_... */
cap_status cap_hb_branches_place(cap_hb_branches *set, cap_hb *hb, double p, double *angular_frequency,
                                 cap_error *error);
/* The continuation of orbits of `sub` periods, for Newton, deflation and `at`; made on demand. */
cap_status cap_hb_branches_path(cap_hb_branches *set, int sub, cap_continuation **path, cap_error *error);

/* A solution of one period at p from rest: the harmonic load is raised in steps, and by continuation in the
 * load where these fail. x[nunknown of hb(set, 1)]. CAP_RETRY_NOCONV without one. */
cap_status cap_hb_branches_start(cap_hb_branches *set, double p, double *x, cap_error *error);
/* Sizes of the unknowns from typical solutions of one period, before the first branch is followed; else those
 * of the first start are taken. */
void cap_hb_branches_scales(cap_hb_branches *set, int nsolution, const double *const *x);

/* Whether the solution x of hb(set, sub) at p lies on a known branch: *branch, or -1. x is improved by Newton
 * first. */
cap_status cap_hb_branches_known(cap_hb_branches *set, int sub, const double *x, double p, int *branch,
                                 cap_error *error);

/* Smallest number of periods after which x of this balance repeats itself (a divisor of its sub). */
int cap_hb_branches_known_period(const cap_hb_branches *set, const cap_hb *hb, const double *x);

/* Improve x at p and follow the branch through it: direction 0 both ways, +1 or -1 one way only, p growing or
 * falling at first. CAP_OK with *branch the new one, or the known one that x lies on. CAP_RETRY_NOCONV with
 * the reason when there is no solution near x, or one of fewer periods than `sub`. `found` is copied. */
cap_status cap_hb_branches_follow(cap_hb_branches *set, int sub, const double *x, double p, const char *found,
                                  int direction, int *branch, cap_error *error);

/* Main branches: from the first value of the range, and from the last unless it is on the same one. What
 * fails is told in note[2][400] (empty: fine). CAP_RETRY_NOCONV when neither end has a solution. */
cap_status cap_hb_branches_follow_ends(cap_hb_branches *set, char note[2][400], cap_error *error);

/* Follow the branch that crosses at a stored BRANCH_POINT, or the one of twice the period that starts at a
 * DOUBLING. *branch as for follow. */
cap_status cap_hb_branches_switch_at(cap_hb_branches *set, int branch, int point, int *other,
                                     cap_error *error);

/* Rename a branch (copied); where a branch springs from. */
cap_status cap_hb_branches_rename(cap_hb_branches *set, int branch, const char *name, int parent);
