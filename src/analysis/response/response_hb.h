/* analysis/response/response_hb.h — what harmonic balance found for one member of the family: rows of the
 * table and what is known of each branch. response_hb.c follows, response_hb_output.c makes rows and writes
 * them. */
#pragma once
#include "analysis/response/response.h"
#include "hb/hb_branches.h"

typedef struct cap_response_branch {
  const char *name, *found, *ends;
  int period, parent; /* parent: number within the member, -1: none */
  bool closed, complete;
  double from, to, stable;
} cap_response_branch;

typedef struct cap_response_member {
  int family;
  int nrow, ncolumn;
  double *rows; /* [nrow][ncolumn]; the branch is numbered within the member, from 0 */
  int nbranch;
  cap_response_branch *branches;
  char note[2][400];  /* what went wrong at the first and at the last value */
  char failure[400];  /* no branch at all: why */
  char unstable[400]; /* no multipliers: why */
  char search[800];   /* what the search left open */
  /* by shooting */
  int nverified, nconfirmed;   /* points tried; those with the same orbit */
  int nother;                  /* confirmed, but with another number of unstable multipliers */
  double distance, multiplier; /* largest of the confirmed */
  char refused[400];           /* shooting cannot do this model: why */
  char unconfirmed[400];       /* the first point that was not: why */
  cap_arena arena;
} cap_response_member;

/* A point whose motion is known by its samples alone. */
typedef struct cap_response_motion {
  double p;
  int branch, kind; /* branch: within the member; kind: cap_hb_point_kind */
  double largest;   /* multiplier; NaN: not known */
  int unstable;     /* -1: not known */
} cap_response_motion;

/* Branches of one member by shooting (response_shooting.c). */
cap_status cap_response_shooting_member(cap_response *r, cap_response_member *member, cap_error *error);

/* A model of this member with the sweep's parameter at p. */
cap_status cap_response_hb_model(cap_response *r, int family, double p, cap_model **m, cap_error *error);

int cap_response_hb_output_columns(const cap_response *r);
/* Rows and branches of a set into the member. */
cap_status cap_response_hb_output_collect(cap_response *r, cap_hb_branches *set, cap_response_member *member,
                                          cap_error *error);
/* The row of a motion of one period of the forcing, waves[channel][nsample]. */
void cap_response_hb_output_motion(const cap_response *r, const cap_response_member *member,
                                   const cap_response_motion *motion, int nsample, const double *waves,
                                   double *row);
/* Share of stable ones among the points from a row on; NaN: not known. */
double cap_response_hb_output_stable(const cap_response_member *member, int first_row);
/* All members, in order, into the open group. */
cap_status cap_response_hb_output_put(cap_response *r, const cap_response_member *members);
