/* analysis/statics/statics_curve.h — equilibria over a parameter, through their folds, on the continuation
 * core.
 *
 * Maths: docs/theory.md §15. F(q, p) = h(q; p), the forces out of balance of the model at p, with exact
 * slopes to q and differences of models to p. Laws with memory come to every point by one slow motion from
 * the state where the analysis starts. The curve through the equilibrium at the first value of the sweep is
 * followed both ways through all folds, then the one through that at the last value unless it is the same.
 * Stability by the eigenvalues of the linearised motion, laws with memory stuck. The run's own state is left
 * alone.
 */
#pragma once
#include "analysis/analysis.h"

/* The analysis; tolerance and iterations of the first equilibria as of statics. */
cap_status cap_statics_curve_run(cap_run *run, const cap_sweep *sweep, double tolerance, int iterations);
