/* step/radau_system.h — the equations that the implicit Runge-Kutta stepper solves, and their linear systems.
 *
 * Maths: docs/theory.md §19.4.   E w' = F(t, w),   w = (q, v, x, Lambda),   (g E - F_w) d = r   for real and
 * complex g. Lambda are the forces of all contact rows, which have no derivative: E is zero there. The last
 * rows of F are the velocities of ideal contacts, and what the law of viscoelastic ones says less Lambda:
 * with the force as an unknown of its own Newton's iteration does not notice how stiff they are. Positions
 * are eliminated, their derivative being the velocity: the matrices have the size of (v, x, Lambda). Driven
 * coordinates have no equation: their residuals are zero, and so are their increments.
 */
#pragma once
#include "model/model.h"
#include "step/radau_method.h"

typedef struct cap_radau_system {
  const cap_model *m;
  const double *inputs;          /* of the data that are being moved */
  int n;                         /* unknowns w */
  int nreduced;                  /* n without the positions */
  int npair;                     /* complex systems */
  double *h, *dh;                /* scratch of an evaluation */
  double *columns;               /* [nstate][nstate] the identity */
  double *dxdot;                 /* [nx][nstate] */
  int nlaw;                      /* rows of viscoelastic contacts */
  double *law, *dlaw, *law_rows; /* [nlaw], [nlaw][nstate], [nlaw][nv] */
  double *scale;                 /* [nreduced] of the rows: laws to velocities */
  double *slip, *dslip, *rows;   /* [nideal], [nideal][nstate], [nideal][nv] */
  double *jacobian;              /* [nreduced][n] of F without its first nv rows */
  double gamma;                  /* the real g of the last factorisation, 1/s */
  double alpha[CAPM_RADAU_METHOD_PAIRS],
      beta[CAPM_RADAU_METHOD_PAIRS]; /* and the complex ones, alpha - i beta */
  double *real;
  double *re[CAPM_RADAU_METHOD_PAIRS], *im[CAPM_RADAU_METHOD_PAIRS];
  int *pivot, *pivots[CAPM_RADAU_METHOD_PAIRS];
  double *sum;              /* [2][nreduced] */
  double *moved, *response; /* [n] */
  double *before;           /* [n] */
  double *inertia;          /* [ninertia_work] */
} cap_radau_system;

/* false: out of memory. */
bool cap_radau_system_create(cap_radau_system *y, const cap_model *m, int npair, cap_arena *arena);
/* Forces of viscoelastic contacts in w by their law. */
void cap_radau_system_load(cap_radau_system *y, double t, double *w);
/* f[n] := F(t, w); power[nmech] of the mechanisms, or NULL. w holds the driven coordinates' motion. */
void cap_radau_system_evaluate(cap_radau_system *y, double t, const double *w, double *f, double *power);
/* F_w at (t, w), for the factorisations that follow. */
void cap_radau_system_linearise(cap_radau_system *y, double t, const double *w);
/* g E - F_w for the eigenvalues of A^-1 over h; false when one of them is singular. */
bool cap_radau_system_factor(cap_radau_system *y, const capm_radau_method *method, double h);
/* r[n] := (gamma E - F_w)^-1 r */
void cap_radau_system_solve(const cap_radau_system *y, double *r);
/* a + i b := ((alpha_k - i beta_k) E - F_w)^-1 (a + i b) */
void cap_radau_system_solve_pair(const cap_radau_system *y, int k, double *a, double *b);
/* r[n] := gamma (gamma E - F_w)^-1 E r - r = (gamma E - F_w)^-1 F_w r: keeps what is stiff, takes the order
 * one higher of what is not. */
void cap_radau_system_sharpen(const cap_radau_system *y, double *r);
/* What rounding of the state w, where F is f, makes of a solution of the real system, sharpened up to `times`
 * times: noise[n]. Measured by evaluations with other last digits, so that noise which is equal and opposite
 * (the force of a stiff spring on its two ends) stays so. */
void cap_radau_system_noise(cap_radau_system *y, double t, const double *w, const double *f, int times,
                            double *noise);
