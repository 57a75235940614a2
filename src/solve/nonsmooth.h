/* solve/nonsmooth.h — the impulses of contacts that touch, part, stick and slide, and who finds them.
 *
 * Maths:   docs/theory.md §36.3. xi = G lambda + c, G = W' M^-1 W; for each contact
 *          normal row      0 <= xi_n, 0 <= lambda_n, xi_n lambda_n = 0    (unilateral), or xi_n = 0
 *                          (bilateral)
 *          tangential rows |lambda_t| <= mu |lambda_n| or a given limit; below it xi_t = 0, at it
 *                          xi_t = -a lambda_t
 * Solvers: one table; all of them find the same impulses where these are unique, and the same xi in any case
 *          where friction does not make the problem itself ambiguous.
 * Memory:  a solver's memory grows to the largest problem; a warm call allocates nothing.
 * Threads: none; the order of all sums is fixed.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum { CAP_NONSMOOTH_ROWS = 3 }; /* of a contact */

typedef struct cap_nonsmooth_contact {
  int row;        /* the first of its rows, which are consecutive and in the order of the contacts */
  int nnormal;    /* 1: its first row is normal; 0: friction alone */
  int ntangent;   /* rows after that: 0 to 2; 3 without a normal row and with limit INFINITY */
  bool bilateral; /* the normal row never parts */
  double mu;      /* with a normal row; INFINITY (bilateral only) = never slips */
  double limit;   /* N s, without a normal row; INFINITY = never slips */
} cap_nonsmooth_contact;

typedef struct cap_nonsmooth_problem {
  int ncontact, nrow;
  const cap_nonsmooth_contact *contacts;
  const int *start, *column; /* G by compressed rows, columns ascending, both triangles */
  const double *value;       /* kg^-1 */
  const double *c;           /* [nrow] m/s */
  double *lambda;            /* [nrow] N s, in: a guess (0 where nothing is known), out */
} cap_nonsmooth_problem;

typedef struct cap_nonsmooth_settings {
  double tolerance;    /* of the residual */
  int iterations_most; /* sweeps, or Newton's and sweeps */
} cap_nonsmooth_settings;

typedef struct cap_nonsmooth_stats {
  int iterations;
  double residual; /* as cap_nonsmooth_residual tells it */
  int fallbacks;   /* times that Newton needed another way */
} cap_nonsmooth_stats;

typedef struct cap_nonsmooth cap_nonsmooth;

/* `name` as in model files (cap_nonsmooth_names). CAP_ERR_UNSUPPORTED when there is none of that name. */
cap_status cap_nonsmooth_create(const char *name, cap_nonsmooth **s, cap_error *error);
void cap_nonsmooth_free(cap_nonsmooth *s); /* accepts NULL */
const char *cap_nonsmooth_name(const cap_nonsmooth *s);

/* CAP_OK; CAP_RETRY_NOCONV: not to tolerance, lambda is the best found; CAP_ERR_NOMEM. `stats` is set in any
 * case. */
cap_status cap_nonsmooth_solve(cap_nonsmooth *s, const cap_nonsmooth_problem *p,
                               const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats);

/* How far lambda is from a solution: the largest |lambda - prox(lambda - rho xi)| / rho, m/s, over all rows,
 * relative to the largest |c|, where 1 / rho is what a contact's own block of G gives. Rows on which nothing
 * can move do not count, nor does what is rounding of the largest |lambda| / rho. */
cap_status cap_nonsmooth_residual(cap_nonsmooth *s, const cap_nonsmooth_problem *p, double *residual);

/* Names of all solvers, ending with NULL. */
extern const char *const cap_nonsmooth_names[];
