/* study/optimise_box.h — the factors of an optimum as numbers in 0..1, its goal and its bounds over their
 * scales, and where starts are.
 *
 * Maths: docs/theory.md §60.
 */
#pragma once
#include "study/study.h"

#define CAP_OPTIMISE_BOX_FEASIBLE 1e-6 /* a constraint below it is kept */

typedef struct cap_optimise_box {
  const cap_study *study;
  int n;           /* factors that are varied */
  int factors[64]; /* [n] */
  double low[64], high[64];
  bool logarithmic[64];
  double others[64];  /* [nfactor] values of the others; of the varied ones those of the start */
  double start[64];   /* [n] the start, which has the values of its case to the last bit */
  double scale;       /* of the objective; 0: not known yet */
  int nconstraint;    /* finite ends of bounds */
  double scales[64];  /* [study->nbound] of the bounds */
  double worst, best; /* objective over the cases of the design, small is good; NaN, INFINITY: not known */
} cap_optimise_box;

/* With the beginning of a start in s[n]. `table` may be NULL. */
cap_status cap_optimise_box_init(cap_optimise_box *box, const cap_study *study, const cap_study_table *table,
                                 int start, double *s, cap_error *error);
/* Values of all factors, formulas too. */
cap_status cap_optimise_box_values(const cap_optimise_box *box, const double *s, double *values,
                                   cap_error *error);
/* Value x of varied factor k as a number in 0..1. */
double cap_optimise_box_unit(const cap_optimise_box *box, int k, double x);
/* Objective over its scale, small is good. */
double cap_optimise_box_goal(const cap_optimise_box *box, double y);
/* Whether the responses that matter are finite. */
bool cap_optimise_box_known(const cap_optimise_box *box, const double *responses);
/* Constraints [nconstraint], <= 0 where they are kept. */
void cap_optimise_box_constraints(const cap_optimise_box *box, const double *responses, double *to);
/* The largest of them; 0 where all are kept to CAP_OPTIMISE_BOX_FEASIBLE. */
double cap_optimise_box_violation(const cap_optimise_box *box, const double *responses);
