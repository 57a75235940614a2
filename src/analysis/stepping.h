/* analysis/stepping.h — the choice of a time stepper by name, and whether it suits the model. */
#pragma once
#include "base/diag.h"
#include "step/stepper.h"

/* The stepper of a name; NULL for "auto" and unknown ones. */
const cap_stepper_type *cap_stepping_find(const char *name);
/* The stepper of a name, or for "auto" the one that suits the model best. */
const cap_stepper_type *cap_stepping_choose(const char *name, const cap_model *m);
/* Say at <path>.method why a stepper cannot compute the model, and which can. `type` NULL: nothing to say. */
void cap_stepping_check(const cap_stepper_type *type, const cap_model *m, const char *path, cap_diag *diag);
/* Say at `path` that there is no periodic forcing, when there is none. */
void cap_stepping_check_period(const cap_model *m, const char *path, cap_diag *diag);
/* Say at <path>.step that a fixed step cannot resolve the pulsation of a viscoelastic contact, with one that
 * can: an error for explicit methods, which would blow up, a warning for implicit ones, which do not follow
 * it. */
void cap_stepping_check_step(const cap_stepper_type *type, double step, const cap_model *m, const char *path,
                             cap_diag *diag);
