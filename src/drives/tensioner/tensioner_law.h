/* drives/tensioner/tensioner_law.h — the section "tensioner" of a model file: a law between a deflection and
 * a force.
 *
 * Shared by every drive with a tensioner. Sign: force and deflection count positive the same way; the force
 * resists. Symbols as in docs/theory.md §3 (and in Bastien et al.).
 */
#pragma once
#include "base/diag.h"
#include "base/drawing.h"
#include "base/fields.h"
#include "base/summary.h"
#include "model/builder.h"

/* All of them, in the order of the documentation. X(dahl) stands for cap_tensioner_law_dahl with
 * cap_tensioner_law_dahl_doc and cap_tensioner_law_dahl_fields; a further law is its file and a line here. */
#define CAP_TENSIONER_LAWS(X)                                                                                \
  X(linear)                                                                                                  \
  X(coulomb)                                                                                                 \
  X(masing)                                                                                                  \
  X(dahl)

typedef struct cap_tensioner_slider {
  double k, alpha; /* N/m, N */
  double w0;       /* m: deflection of its spring at the start */
} cap_tensioner_slider;

enum { CAP_TENSIONER_OWN = 8 };

typedef struct cap_tensioner_law {
  int kind; /* place in CAP_TENSIONER_LAWS */
  double k0, c, F0,
      c_angular_frequency;       /* linear, coulomb, masing; c_angular_frequency > 0: damper scaled by (29) */
  double alpha;                  /* coulomb: friction limit, N */
  cap_list sliders;              /* masing: cap_tensioner_slider */
  double a, b, d, e, lambda, mu; /* dahl */
  double force;                  /* dahl: force at the start, N */
  bool force_given;
  double own[CAP_TENSIONER_OWN]; /* numbers of a law that shares none of the above */
} cap_tensioner_law;

extern const cap_variant cap_tensioner_law_variants[];

/* Handles of what was built, for channels. */
typedef struct cap_tensioner_parts {
  int nterm;
  cap_term
      *force; /* [nterm] the whole force of the law: its element, then its sliders; in the builder's arena */
} cap_tensioner_parts;

/* A number of the law by which drawings know it. */
typedef struct cap_tensioner_fact {
  const char *name, *unit, *meaning;
  size_t offset; /* in cap_tensioner_law */
} cap_tensioner_fact;

typedef struct cap_tensioner_law_type {
  const cap_tensioner_fact *facts; /* ends with name NULL; or NULL: none */
  /* What no single key shows. May be NULL. */
  void (*check)(const cap_tensioner_law *law, const char *path, cap_diag *diag);
  /* Add the element that is the law, between coordinate i and the ground, and return its handle; u0 is the
   * deflection at the start. NULL: spring and damper, k0 u + c u' - F0. */
  int (*element)(const cap_tensioner_law *law, cap_builder *b, const char *name, int i, double u0);
  /* Of spring and damper: the sliders beside them, into parts->force. NULL: none. */
  void (*sliders)(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                  cap_tensioner_parts *parts);
} cap_tensioner_law_type;

#define CAP_TENSIONER_LAW_DECLARE(x_)                                                                        \
  extern const cap_tensioner_law_type cap_tensioner_law_##x_;                                                \
  extern const char cap_tensioner_law_##x_##_doc[];                                                          \
  extern const cap_field cap_tensioner_law_##x_##_fields[];
CAP_TENSIONER_LAWS(CAP_TENSIONER_LAW_DECLARE)

/* Add the law between coordinate i and the ground. `angular_frequency` is that of the excitation, for (29);
 * 0 = none. */
cap_status cap_tensioner_law_build(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                   double u0, double angular_frequency, cap_tensioner_parts *parts,
                                   cap_error *error);
/* Add channels <name>.deflection, .velocity, .force and those of the parts. */
cap_status cap_tensioner_law_channels(const cap_tensioner_law *law, cap_builder *b, const char *name, int i,
                                      const cap_tensioner_parts *parts, cap_error *error);
void cap_tensioner_law_check(const cap_tensioner_law *law, const char *path, cap_diag *diag);

/* The section "tensioner" of `capstan check`. `middle`: deflection at which a width is given, m; the angular
 * frequency is that of the excitation, 0 = none. */
void cap_tensioner_law_summary(const cap_tensioner_law *law, double middle, double angular_frequency,
                               cap_summary *out);
/* Its scheme from x0 to x1, the uppermost part on y = 0. */
void cap_tensioner_law_summary_draw(const cap_tensioner_law *law, double x0, double x1, cap_drawing *d);
