/* step/rk_pair.h — explicit Runge-Kutta pairs: a result and what it is wrong by, from the same slopes.
 *
 * Maths: docs/theory.md §4.6. The result is the row behind the stages; where a pair closes, the slope there
 * is part of the error and the first slope of the next step.
 */
#pragma once
#include <stdbool.h>

enum { CAP_RK_MOST = 16 }; /* stages, those for the course included */

typedef struct cap_rk_pair {
  int stages;         /* slopes that the result is made of */
  bool closes;        /* the slope at the end takes part in the error */
  int further;        /* stages behind it for the course alone */
  int bends;          /* terms of the course beyond those that both ends and their slopes give */
  const double *node; /* [stages + 1 + further] */
  const double (*row)[CAP_RK_MOST - 1]; /* [stages + 1 + further] */
  const double *miss;                   /* [stages + closes] the result less one of a lower order; over h */
  const double *rough;                  /* the same of a still lower order; NULL: miss says it all */
  const double (*bend)[CAP_RK_MOST];    /* [bends]; over h */
  double power, trend; /* of the error of this step and of the one before, for the length of the next */
  double bound;        /* on h lambda: from about there stability, rather than accuracy, may limit the step */
} cap_rk_pair;

extern const cap_rk_pair cap_rk_pair_5; /* Dormand and Prince, 5(4) */
extern const cap_rk_pair cap_rk_pair_8; /* Dormand and Prince, 8(5,3), with a course of order 7 */
/* For single steps whose end nothing goes on from: no slope there, no course. */
extern const cap_rk_pair cap_rk_pair_brief_5; /* Cash and Karp, 5(4), six slopes */
extern const cap_rk_pair cap_rk_pair_brief_3; /* Bogacki and Shampine's three slopes, 3(2) */
