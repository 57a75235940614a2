/* laws/dahl_lanes.h — the modified Dahl law along a slow motion, for several parameter sets at once.
 *
 * A fit evaluates the law with neighbouring parameters over the same motion: lanes side by side turn the
 * chain of powers into vector code. All lanes share their steps, so differences of lanes are smooth in the
 * parameters and may be taken as derivatives. Envelopes are straight (2).
 *
 * Method: linearly implicit Euler extrapolated to fourth order, L-stable as capm_dahl_path; an interval
 * between two nodes is halved while the worst lane errs by more than 3e-7 of the distance of the envelopes.
 * Seven powers a step. The floor below which the power becomes a line is 1e-6 of that distance: a fit strays
 * to places where a smaller one costs thousands of steps and changes nothing that can be measured.
 */
#pragma once
#include "laws/pow.h"

enum { CAPM_DAHL_LANES = 8 };

typedef struct capm_dahl_lanes {
  double a[CAPM_DAHL_LANES], b[CAPM_DAHL_LANES]; /* N/m, N: upper envelope */
  double d[CAPM_DAHL_LANES], e[CAPM_DAHL_LANES]; /* lower envelope */
  double lambda[CAPM_DAHL_LANES], mu[CAPM_DAHL_LANES];
} capm_dahl_lanes;

/* Along the monotone u[0..nstep]. force[0][lane] is given; force[i][lane] and slope[i][lane] = dF/du are
 * filled for i = 0..nstep. */
void capm_dahl_lanes_march(const capm_dahl_lanes *p, int nstep, const double *u,
                           double force[][CAPM_DAHL_LANES], double slope[][CAPM_DAHL_LANES]);
