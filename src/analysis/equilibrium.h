/* analysis/equilibrium.h — the equilibrium that slow loading reaches, and stiffness about a state.
 *
 * Maths: docs/theory.md §7. One lane.
 */
#pragma once
#include "model/data.h"

typedef struct cap_equilibrium {
  int iterations;
  double residual; /* N: largest force out of balance */
} cap_equilibrium;

/* From the state in `d`, which is replaced by the equilibrium (velocities zero). */
cap_status cap_equilibrium_find(const cap_model *m, cap_data *d, double tolerance, int most,
                                cap_equilibrium *found, cap_error *error);

/* Stiffness K = -dh/dq and damping C = -dh/dv of the free coordinates about the state in `d`, [nfree][nfree],
 * with laws that have memory taken as stuck (right after a reversal) or as sliding. Returns nfree. Memory: K
 * and C of nv * nv. */
int cap_equilibrium_stiffness(const cap_model *m, const cap_data *d, bool sliding, double *K, double *C,
                              cap_error *error);
