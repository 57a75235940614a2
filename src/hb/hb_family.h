/* hb/hb_family.h — harmonic balance over two parameters: F(x, p, q) = 0, whatever p and q are in the model.
 *
 * Maths: docs/theory.md §16. The balance takes the values of the model at (p, q). Derivatives to p and q are
 * central differences of two more models each; where the angular frequency of the forcing explains all of
 * dF/dp, the
 * exact derivative to it is taken. Folds in two parameters go to cap_continuation_fold; period doublings have
 * a problem of their own: x and p from F = 0 and g = product of (1 + multiplier) = 0 over q, with the
 * gradient of g by central differences.
 *
 * Cost:    a Jacobian for folds takes three to five models and residuals, one for doublings 2 (n + 2)
 *          monodromy matrices more
 * Threads: one handle per thread
 */
#pragma once
#include "hb/hb.h"
#include "hb/hb_stability.h"
#include "solve/continuation/continuation.h"

/* How to make a model of one lane; the family frees it. */
typedef struct cap_hb_family_source {
  cap_status (*build)(void *self, double p, double q, cap_model **m, cap_error *error);
  void *self;
  double p_size, q_size; /* of the parameters, for steps of differences and scales */
} cap_hb_family_source;

typedef struct cap_hb_family {
  cap_hb_family_source source;
  cap_hb *hb, *probe;
  cap_model *m, *probe_model;
  double p, q;    /* where hb is */
  double fixed_q; /* of cap_hb_family_curve */
  cap_hb_stability *stability;
  bool angular_frequency;                   /* p is the angular frequency, and only loads depend on it */
  double *x_scale;                          /* [nunknown + 1]: those of x, then p_size */
  double *plus, *minus, *jac, *fp, *fq, *x; /* work */
  cap_error error;                          /* of the last call that failed */
  cap_arena arena;
} cap_hb_family;

/* A family through the solution x of a balance with these settings at (p, q), from which sizes are taken. */
cap_status cap_hb_family_open(const cap_hb_family_source *source, const cap_hb_settings *settings,
                              const double *x, double p, double q, cap_hb_family *family, cap_error *error);
void cap_hb_family_close(cap_hb_family *family);

/* Bring the balance to (p, q); its angular frequency is then family->hb->angular_frequency. */
cap_status cap_hb_family_place(cap_hb_family *family, double p, double q);

/* For cap_continuation_fold. */
cap_continuation_family cap_hb_family_folds(cap_hb_family *family);
/* Solutions over p at a fixed q. */
cap_continuation_problem cap_hb_family_curve(cap_hb_family *family, double q);
/* Period doublings over q, unknowns (x, p). */
cap_continuation_problem cap_hb_family_doublings(cap_hb_family *family);
