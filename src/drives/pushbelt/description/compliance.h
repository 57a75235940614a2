/* drives/pushbelt/description/compliance.h — the compliance of sheaves: keys of a model file, and
 * influence numbers from them.
 *
 * Maths: docs/theory.md §33.2. Shared by the drives "sheave" and "variator". */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/fields.h"
#include "base/status.h"
#include "drives/pushbelt/contact/influence.h"

typedef enum cap_compliance_kind {
  CAP_COMPLIANCE_NONE,
  CAP_COMPLIANCE_TILT,
  CAP_COMPLIANCE_TILT_PLATE,
  CAP_COMPLIANCE_TABLE
} cap_compliance_kind;

enum { CAP_COMPLIANCE_LOOSE, CAP_COMPLIANCE_FIXED, CAP_COMPLIANCE_SIDES };

typedef struct cap_compliance_side {
  double tilt;     /* rad/(N m) */
  cap_reals plate; /* m/N */
} cap_compliance_side;

typedef struct cap_compliance_spec {
  int kind;
  cap_compliance_side side[CAP_COMPLIANCE_SIDES];
  cap_table table[CAP_COMPLIANCE_SIDES];
} cap_compliance_spec;

/* For a field of kind VARIANT whose struct is a cap_compliance_spec; tag_key "kind". */
extern const cap_variant cap_compliance_variants[];

/* The influence of a side, with memory from the arena where there is a table. */
cap_status cap_compliance_influence(const cap_compliance_spec *s, int side, double inner, double outer,
                                    cap_arena *arena, cap_influence *influence, cap_error *error);
/* What is wrong with the tables, when there are any: findings at `path`.loose, .fixed. */
void cap_compliance_check(const cap_compliance_spec *s, const char *path, cap_diag *diag);
