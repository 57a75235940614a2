/* hb/hb_pieces.h — piecewise-linear laws over a periodic deflection, exactly: no sampling of the corners.
 *
 * Maths: docs/theory.md §13. Between the instants theta_r where the deflection crosses a corner the slope of
 * the force is constant, so its Fourier coefficients are closed forms of the theta_r; the force is that slope
 * times the deflection plus a constant, and the derivative to the theta_r vanishes because the force is
 * continuous. Sampling a corner instead makes spurious folds of the size of the sampling error.
 *
 * Cost: synthesis on some 10 H samples to bracket the crossings, some 0.1 us each to refine and sum them.
 */
#pragma once
#include "hb/fourier.h"
#include "model/model.h"

typedef struct cap_hb_crossing {
  double theta;  /* in [0, 2 pi] */
  double change; /* of the slope there, N/m */
} cap_hb_crossing;

typedef struct cap_hb_pieces {
  cap_pieces law;
  capm_fourier coarse;  /* to bracket the crossings */
  double *value, *rate; /* [coarse.nsample] deflection and its derivative to theta */
  double *derivative;   /* [ncoef] */
  double *sums;         /* [nrow] */
  int ncrossing, most;
  cap_hb_crossing *crossings; /* of the last evaluation, in ascending order */
  double start;               /* slope at theta = 0, N/m */
} cap_hb_pieces;

cap_status cap_hb_pieces_create(cap_arena *arena, int nharmonic, cap_hb_pieces *pieces);

/* Coefficients force[ncoef] of the force at deflection u[ncoef], and its tangent[ncoef][ncoef] (needed as
 * scratch, too). */
void cap_hb_pieces_evaluate(cap_hb_pieces *c, const double *u, double *force, double *tangent);
