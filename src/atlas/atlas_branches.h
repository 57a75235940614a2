/* atlas/atlas_branches.h — a response by harmonic balance as series: one curve a branch, and its special
 * points.
 *
 * The run's table has one row a point with the columns "branch", "kind" (1 fold, 2 branch point, 3 period
 * doubling, 4 Neimark-Sacker) and "unstable"; texts "branch.N.name", ".found" and ".ends" and arrays
 * "branch.period" and "branch.closed" describe the branches (src/analysis/response/response_hb.c).
 *
 * In formulas a series that is declared `by: branch`, with the id `g1` say, is known as
 *   'g1 main'             its y over the parameter, along the branch called main
 *   'g1 main/max'         another column there: by its whole name, or by its last part when it is one of the
 *                         same channel as y
 *   'g1 main/folds'       y at the folds of the branch; also branch-points, doublings, tori, and points for
 *                         all that are nothing special, between which the steps are even
 *   'g1/folds' 'g1/max'   the same of all branches
 *   'g1/branches'         their periods over their numbers, to be counted;
 *   'g1/branches detached'  those whose names begin so
 */
#pragma once
#include "atlas/curve.h"

typedef struct cap_atlas_branch {
  const char *name;         /* "main", "detached-1", ... */
  const char *found, *ends; /* how it was found and why it ended, "" = not told */
  int number, period;       /* in the table; in periods of the forcing */
  bool closed;
  int64_t n;
  const int64_t *rows; /* [n] of the table, in order */
} cap_atlas_branch;

typedef struct cap_atlas_branches {
  cap_results_file *file;
  const char *group;
  int n;
  cap_atlas_branch *list;
  cap_atlas_branch all;  /* every row */
  const double *kind;    /* [rows] */
  const double *outside; /* [rows] number of multipliers outside the unit circle, NaN = not known */
} cap_atlas_branches;

/* Kinds of points, as numbered in the table: points, folds, branch-points, doublings, tori. */
enum { CAP_ATLAS_BRANCHES_KINDS = 5 };
extern const char *const cap_atlas_branches_kinds[CAP_ATLAS_BRANCHES_KINDS];

cap_status cap_atlas_branches_read(cap_results_file *file, const char *group, cap_arena *arena,
                                   cap_atlas_branches *set, cap_error *error);
/* Column `y`, or the column `y` of the channel that `channel` belongs to, along one branch; over `x`, NULL =
 * the parameter. */
cap_status cap_atlas_branches_curve(const cap_atlas_branches *set, const cap_atlas_branch *branch,
                                    const char *channel, const char *y, const char *x, cap_arena *arena,
                                    cap_curve *curve, cap_error *error);
/* The points of a curve along `branch` that are of one kind; may be none. */
cap_status cap_atlas_branches_special(const cap_atlas_branches *set, const cap_atlas_branch *branch, int kind,
                                      const cap_curve *along, cap_arena *arena, cap_curve *curve,
                                      cap_error *error);
/* What stands behind the series' id in a formula: " main", " main/folds", "/branches detached". `y` and `x`
 * are those of the series. */
cap_status cap_atlas_branches_named(const cap_atlas_branches *set, const char *rest, const char *y,
                                    const char *x, cap_arena *arena, cap_curve *curve, cap_error *error);
