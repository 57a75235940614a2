/* analysis/search/search.h — what a single continuation misses: detached branches, orbits of several periods.
 *
 * Maths: docs/theory.md §14. Given a set of branches (hb/hb_branches.h) in which both ends of the range were
 * followed, candidates come from
 *   switching at branch points and period doublings, on new branches too;
 *   the load: at many values of the sweep the curve over the load's factor is followed from nothing to
 *     beyond the full load, and every solution on it at the full load is a candidate (search_load.c);
 *   states: drawn at random at many values and integrated to attractors (search_states.c);
 *   folds: each followed over the load's factor; where it is back at the full load there is another fold
 *     (search_folds.c);
 *   deflation: Newton away from all that is known (search_deflation.c).
 * Each candidate is followed unless it lies on a known branch. What does not depend on chance comes first.
 *
 * Threads: as the set
 */
#pragma once
#include "base/fields.h"
#include "base/progress.h"
#include "hb/hb_branches.h"
#include <stdint.h>

/* Section "search" of a response. */
typedef struct cap_search_spec {
  int load;   /* values of the sweep at which the load is raised; 0 = none */
  int states; /* random ones at each of `values` values of the sweep; 0 = none */
  int values;
  int periods; /* most of an orbit */
  bool folds, deflation;
} cap_search_spec;

extern const cap_field cap_search_fields[];

typedef struct cap_search {
  cap_hb_branches *set;
  const cap_search_spec *spec;
  uint64_t seed;
  const cap_progress *progress; /* may be NULL */
  /* out */
  int noffer, nlost; /* candidates, and how many led to no solution */
  char lost[400];    /* the first of these, and why */
  int nlonger;   /* values at which some state came to a longer period than looked for, to chaos or nowhere */
  double longer; /* the first of these */
  double seconds[5]; /* processor time of switching, load, states, folds, deflation */
  /* inside */
  int next_branch; /* the first whose special points were not looked at */
} cap_search;

/* What it left open, as a sentence; empty when nothing. */
void cap_search_left(const cap_search *s, char text[800]);

/* Enlarge the set. What cannot be done for this model (states without a source of models) is left out. */
cap_status cap_search_run(cap_search *s, cap_error *error);

/* ---- the inside ---- */

/* The k-th of `count` values evenly spread over the sweep, away from its ends. */
double cap_search_value(const cap_search *s, int k, int count);
/* Hand in a candidate; only what must end the search is an error. *fresh: it is on a branch of its own. */
cap_status cap_search_offer(cap_search *s, int sub, const double *x, double p, const char *found, bool *fresh,
                            cap_error *error);
/* Whether a failure of a candidate is no reason to end the search; it is counted, with where it came from. */
bool cap_search_lost(cap_search *s, cap_status status, const char *found, const char *why);
/* Largest harmonic coefficient of a coordinate over all stored points: the size of the unknowns. */
double cap_search_size(const cap_search *s);
/* Whether folds can be followed over the load. */
bool cap_search_folds_possible(const cap_search *s);
cap_status cap_search_load_run(cap_search *s, cap_error *error);
cap_status cap_search_states_run(cap_search *s, cap_error *error);
cap_status cap_search_folds_run(cap_search *s, cap_error *error);
cap_status cap_search_deflation_run(cap_search *s, cap_error *error);
