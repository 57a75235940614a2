/* hb/hb_branches_work.h — the inside of a set of branches. */
#pragma once
#include "hb/hb_branches.h"

/* A balance with all that is needed to follow curves in it. */
typedef struct cap_hb_level {
  int sub, harmonics, samples; /* harmonics and samples of the forcing's period; samples as asked for */
  cap_hb *hb;
  cap_hb_stability *stability;
  cap_hb_curve curve;
  cap_continuation *path; /* made when it is first needed */
} cap_hb_level;

struct cap_hb_branches {
  const cap_model *m;
  cap_hb_branches_settings settings;
  double low, high; /* limits of p */
  bool choose_samples;
  int harmonics; /* that branches have needed so far */
  int nlevel;
  cap_hb_level *levels[64];
  double *scale; /* [coordinates and Coulomb sliders] sizes of the unknowns; 0: not known yet */
  int nscale;
  int nbranch, room;
  cap_hb_branch *branches;
  cap_arena arena;
};

/* What a branch is followed from. */
typedef struct cap_hb_seed {
  int level;
  const double *x; /* [nunknown] */
  double p;
  const double *tangent; /* [n + 1]: x is on the curve, which leaves it this way; NULL: improve x at p */
  int direction;
  const char *found;
  int parent;
  bool check; /* compare with the known branches after following, too */
} cap_hb_seed;

/* The level with these sizes, made on demand. */
cap_status cap_hb_branches_level(cap_hb_branches *set, int sub, int harmonics, int samples, int *level,
                                 cap_error *error);
cap_status cap_hb_branches_level_path(cap_hb_branches *set, int level, cap_error *error);
/* Bring the level's balance to p, with the reason where that is not possible. */
cap_status cap_hb_branches_level_place(cap_hb_level *level, double p, double *angular_frequency,
                                       cap_error *error);

/* Follow and store (hb_branches_follow.c). */
cap_status cap_hb_branches_follow_trace(cap_hb_branches *set, const cap_hb_seed *seed, int *branch,
                                        cap_error *error);

/* A candidate x of orbits of `sub` periods improved at p: *copy (to be freed, also after a failure) in the
 * unknowns of *level. */
cap_status cap_hb_branches_follow_improve(cap_hb_branches *set, int sub, const double *x, double p,
                                          int *level, double **copy, cap_error *error);

/* y := x with its k-th period of the forcing first. */
void cap_hb_branches_known_shift(const cap_hb *hb, const double *x, int k, double *y);
/* The branch on which the solution x of a level at p lies; -1: none. x is a solution of that level. */
cap_status cap_hb_branches_known_find(cap_hb_branches *set, int level, const double *x, double p, int *branch,
                                      cap_error *error);

/* Estimates along a branch and where they are largest (hb_branches_accuracy.c): what the harmonics leave out,
 * at every point; what the samples get wrong, at some. */
cap_status cap_hb_branches_accuracy_truncation(cap_hb_branches *set, cap_hb_branch *b, double *worst,
                                               double *at, cap_error *error);
/* *samples per period of the forcing, at least those of the branch, with which that error is below the
 * tolerance; *worst is what it will be. */
cap_status cap_hb_branches_accuracy_samples(cap_hb_branches *set, const cap_hb_branch *b, double tolerance,
                                            int *samples, double *worst, cap_error *error);
