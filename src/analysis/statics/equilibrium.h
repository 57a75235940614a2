/* analysis/statics/equilibrium.h — the equilibrium that slow loading reaches, and stiffness about a state.
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

/* Forces out of balance f[nv] at the positions q[nv], after the slow motion from the state `start` to there,
 * and their slopes fq[nv][nv] (may be NULL); x[nx] (may be NULL) are the inner states there. For a driven
 * coordinate f is how far q is from where `start` has it. */
cap_status cap_equilibrium_forces(const cap_model *m, const cap_data *start, const double *q, double *f,
                                  double *fq, double *x);

/* Eigenvalues re[2 nfree] + i im[2 nfree] (1/s) of the motion about the state in `d`; returns their number,
 * or -1 with the reason. Memory of re and im: 2 nv. */
int cap_equilibrium_eigenvalues(const cap_model *m, const cap_data *d, bool sliding, double *re, double *im,
                                cap_error *error);

/* Mass matrix M[nfree][nfree] of the free coordinates about the state in `d`. Out of memory is the only
 * failure. */
cap_status cap_equilibrium_mass(const cap_model *m, const cap_data *d, double *M);

/* Stiffness K = -dh/dq and damping C = -dh/dv of the free coordinates about the state in `d`, [nfree][nfree],
 * with laws that have memory taken as stuck (right after a reversal) or as sliding. Returns nfree.
 * Memory: K and C of nv * nv. */
int cap_equilibrium_stiffness(const cap_model *m, const cap_data *d, bool sliding, double *K, double *C,
                              cap_error *error);
