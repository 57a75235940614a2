/* drives/tensioner/tensioner_law.h — the section "tensioner" of a model file: a law between a deflection and
 * a force.
 *
 * Shared by every drive with a tensioner. Sign: force and deflection count positive the same way; the force
 * resists. Symbols as in docs/theory.md §3 (and in Bastien et al.).
 */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "model/builder.h"

typedef enum cap_tensioner_kind {
  CAP_TENSIONER_LINEAR,
  CAP_TENSIONER_COULOMB,
  CAP_TENSIONER_MASING,
  CAP_TENSIONER_DAHL
} cap_tensioner_kind;

typedef struct cap_tensioner_slider {
  double k, alpha; /* N/m, N */
  double w0;       /* m: deflection of its spring at the start */
} cap_tensioner_slider;

typedef struct cap_tensioner_law {
  int kind;
  double k0, c, F0, c_pulsation; /* linear, coulomb, masing; c_pulsation > 0: damper scaled by (29) */
  double alpha;                  /* coulomb: friction limit, N */
  cap_list sliders;              /* masing: cap_tensioner_slider */
  double a, b, d, e, lambda, mu; /* dahl */
  double force;                  /* dahl: force at the start, N */
  bool force_given;
} cap_tensioner_law;

extern const cap_variant cap_tensioner_law_variants[];

/* Handles of what was built, for channels. */
typedef struct cap_tensioner_parts {
  int nterm;
  cap_term
      *force; /* [nterm] the whole force of the law: its element, then its sliders; in the builder's arena */
} cap_tensioner_parts;

/* Add the law between coordinate i and the ground. `pulsation` is that of the excitation, for (29);
 * 0 = none. */
cap_status cap_tensioner_law_build(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                   double u0, double pulsation, cap_tensioner_parts *parts, cap_error *error);
/* Add channels <name>.deflection, .velocity, .force and those of the parts. */
cap_status cap_tensioner_law_channels(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                      const cap_tensioner_parts *parts, cap_error *error);
void cap_tensioner_law_check(const cap_tensioner_law *law, const char *path, cap_diag *diag);
