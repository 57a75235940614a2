/* drives/pushbelt/contact/maxwell_amplitudes.h — coupled contact with K influence functions, as K piecewise
 * linear equations.
 *
 * Maths:   docs/theory.md §33.3.  b = sum_i psi_i lambda_i,  lambda_i = <p_i - psi_i . b>_+ / d_i
 */
#pragma once
#include "base/status.h"
#include "drives/pushbelt/contact/influence.h"

enum { CAP_MAXWELL_FUNCTIONS = CAP_INFLUENCE_FUNCTIONS };

/* Work space of one problem, and its amplitudes from the last call: the start of the next. */
typedef struct cap_maxwell_amplitudes {
  int K, stride;
  double *b;       /* [K] */
  double *psi;     /* [K][stride] */
  double *weighed; /* [K][stride] */
  double *weight;  /* [stride] 1/d of those that touch, else 0 */
  double *u, *du;  /* [stride] deflection, and its change along a step */
  double *H;       /* [K][K] */
} cap_maxwell_amplitudes;

size_t cap_maxwell_amplitudes_room(int stride);
cap_maxwell_amplitudes cap_maxwell_amplitudes_at(double *memory, int stride, int K);

/* psi is filled. Forces of n contacts with compliances d and penetrations p. */
cap_status cap_maxwell_amplitudes_solve(cap_maxwell_amplitudes *a, int n, const double *d, const double *p,
                                        double *force, int *iterations, double *residual);
/* deflection_i = psi_i . sum_j psi_j force_j */
void cap_maxwell_amplitudes_deflect(const cap_maxwell_amplitudes *a, int n, const double *force,
                                    double *deflection);
/* dforce by dp with the flanks that touch, after a solve; psi is that of the solve. */
void cap_maxwell_amplitudes_tangent(const cap_maxwell_amplitudes *a, int n, const double *dp, double *dforce);
/* sum_i slopes_i . (sum_j psi_j force_j) force_i dr_i, with the slopes of psi in a->weighed. */
double cap_maxwell_amplitudes_slide(const cap_maxwell_amplitudes *a, int n, const double *force,
                                    const double *dr);
