/* drives/pushbelt/contact/maxwell.h — coupled contact of all flanks on a pulley: g = C lambda + g~, 0 <=
 * lambda _|_ g >= 0.
 *
 * Maths:   docs/theory.md §33
 * Cost:    functions: O(n K^2) an iteration, K the number of influence functions; table: as linalg/lcp.h
 * Memory:  given by the caller, cap_maxwell_room doubles, zeros at first; it keeps what warms the next start.
 *          Nothing is allocated.
 *
 * C is the compliance of each flank on the diagonal and the influence of the sheave (influence.h). Separate
 * flanks (2.34): the loose and the fixed sheave are two problems. Coupled flanks (2.35): one problem with the
 * sum of both sheaves, and one force for both flanks of an element.
 *
 * Where the sheave is given by K functions, C = D + Psi' Psi, the n forces follow from the K amplitudes b =
 * Psi lambda: lambda_i = <p_i - psi_i . b>_+ / d_i with the penetration p = -g~. What remains are K piecewise
 * linear equations, the gradient of a strictly convex function; Newton's method with a line search that is
 * exact where it is needed finds their solution from everywhere. A step solves for b itself and not for its
 * change: the answer depends on the set of touching flanks alone, not on where the iteration came from.
 */
#pragma once
#include "base/status.h"
#include "drives/pushbelt/contact/influence.h"
#include "linalg/lcp.h"

typedef enum cap_maxwell_form {
  CAP_MAXWELL_AUTO, /* amplitudes where there are functions only, else Newton on all forces */
  CAP_MAXWELL_FULL, /* Newton on all forces */
  CAP_MAXWELL_LEMKE /* Lemke on all forces */
} cap_maxwell_form;

/* One pulley; constant. */
typedef struct cap_maxwell {
  cap_influence sheave[2]; /* loose, fixed: both by functions of the same radii, or by tables */
  bool coupled;            /* (2.35) */
  cap_maxwell_form form;
} cap_maxwell;

typedef struct cap_maxwell_contacts {
  int n;
  const double *r, *phi;        /* [n] m, rad */
  const double *cosine, *sine;  /* [n] of phi, or NULL */
  const double *compliance;     /* [n] m/N > 0: of one flank; coupled: of both in a row */
  const double *penetration[2]; /* [n] m: -g~ of the loose and the fixed flank; coupled: [0] that of both */
  const int *id;                /* [n] 0 <= id < most: who they are, for warm starts; NULL = as they stand */
} cap_maxwell_contacts;

typedef struct cap_maxwell_result {
  double *force[2];      /* [n] N on the loose and the fixed sheave */
  double *deflection[2]; /* [n] m, of the sheaves there; NULL = not wanted */
  int iterations[2];     /* of Newton; coupled: [1] = 0 */
  int pivots;            /* of Lemke */
  bool fallback;         /* Newton handed over to Lemke */
  double residual;       /* largest |min(d lambda, g)| over the largest penetration */
} cap_maxwell_result;

/* Doubles of memory for up to `most` contacts. */
size_t cap_maxwell_room(const cap_maxwell *m, int most);
/* CAP_ERR_NUMERICS: no answer passed the check. Zero the memory to start cold. */
cap_status cap_maxwell_solve(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                             cap_maxwell_result *result);
/* What the next solve starts from, cap_maxwell_nwarm values: out of the memory, and into it. */
int cap_maxwell_nwarm(const cap_maxwell *m, int most);
void cap_maxwell_keep(const cap_maxwell *m, int most, double *memory, double *warm);
void cap_maxwell_warm(const cap_maxwell *m, int most, double *memory, const double *warm);
/* W: sum over contacts and sheaves of force times dr (m/s) times the slope of the deflection along the radius
 * under the forces of the last solve: what the sheaves take up when contacts move over them. */
double cap_maxwell_slide(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                         const cap_maxwell_result *result, const double *dr);
/* The change of the forces with the penetrations, dforce[2][n] by dpenetration[2][n], at the contacts and the
 * answer of the last solve, whose memory this is. False: not known (the block of the flanks that touch could
 * not be factored). */
bool cap_maxwell_tangent(const cap_maxwell *m, const cap_maxwell_contacts *c, int most, double *memory,
                         const double *const dpenetration[2], double *const dforce[2]);
