/* analysis/stepping.h — the choice of a time stepper by name, and whether it suits the model. */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "base/summary.h"
#include "step/stepper.h"

#include <math.h>
#include <stddef.h>

/* Keys method, step and substeps of analyses that move a system. */
typedef struct cap_stepping_spec {
  int method; /* of cap_stepping_methods */
  double step;
  bool step_given;
  int substeps;
} cap_stepping_spec;

extern const char *const cap_stepping_methods[];
/* Methods of format version 1, and what serves instead (cap_field.names_left). */
extern const char *const cap_stepping_left[];
/* What each of them is for and which drives take it by themselves; in src/drives/registry.c, since generic
 * rooms know no drive. */
extern const char cap_registry_methods_doc[];

/* For a table of fields of the struct type_, whose member_ is a cap_stepping_spec. */
#define CAP_STEPPING_FIELDS(type_, member_)                                                                  \
  {.key = "method",                                                                                          \
   .kind = CAP_FIELD_CHOICE,                                                                                 \
   .offset = offsetof(type_, member_.method),                                                                \
   .choices = cap_stepping_methods,                                                                          \
   .names_left = cap_stepping_left,                                                                          \
   .fallback = "auto",                                                                                       \
   .example = "exact",                                                                                       \
   .doc = cap_registry_methods_doc},                                                                         \
      {.key = "step",                                                                                        \
       .kind = CAP_FIELD_REAL,                                                                               \
       .offset = offsetof(type_, member_.step),                                                              \
       .present = 1 + offsetof(type_, member_.step_given),                                                   \
       .unit = "s",                                                                                          \
       .fallback = "0.05 ms",                                                                                \
       .low = 0,                                                                                             \
       .low_open = true,                                                                                     \
       .high = INFINITY,                                                                                     \
       .example = "0.05 ms",                                                                                 \
       .doc = "largest step of the fixed-step methods; default of leapfrog: 0.9 of its stability limit, of " \
              "multirate: 0.45 of that of its slow elements"},                                               \
  {                                                                                                          \
    .key = "substeps", .kind = CAP_FIELD_INT, .offset = offsetof(type_, member_.substeps), .fallback = "0",  \
    .low = 0, .high = 1000, .example = "4",                                                                  \
    .doc = "multirate: number of parts of a step for the fast elements; 0 = as many as they need"            \
  }

/* The stepper that these keys ask for; for "auto" the one that moves the model best (cap_stepper_mover). */
const cap_stepper_type *cap_stepping_of(const cap_stepping_spec *s, const cap_model *m);
/* The step that was given; 0 where the stepper has one of its own. */
double cap_stepping_step(const cap_stepping_spec *s, const cap_stepper_type *type);
/* Say what is wrong with them at their paths below `path`. */
void cap_stepping_check_keys(const cap_stepping_spec *s, const cap_model *m, const char *path,
                             cap_diag *diag);

/* The stepper of a name; NULL for "auto" and unknown ones. */
const cap_stepper_type *cap_stepping_find(const char *name);
/* The stepper of a name, or for "auto" the one that suits the model best. */
const cap_stepper_type *cap_stepping_choose(const char *name, const cap_model *m);
/* Say at <path>.method why a stepper cannot compute the model, and which can. `type` NULL: nothing to say. */
void cap_stepping_check(const cap_stepper_type *type, const cap_model *m, const char *path, cap_diag *diag);
/* Say at `path` that there is no periodic forcing, when there is none. */
void cap_stepping_check_period(const cap_model *m, const char *path, cap_diag *diag);
/* Say at <path>.step that a fixed step cannot resolve the angular frequency of a viscoelastic contact, with
 * one that
 * can: an error for explicit methods, which would blow up, a warning for implicit ones, which do not follow
 * it. */
void cap_stepping_check_step(const cap_stepper_type *type, double step, const cap_model *m, const char *path,
                             cap_diag *diag);
/* Say that more than 1e10 steps over `duration`, s, are more than anyone waits for: at <path>.step where the
 * step was given (settings->step), else at <path>. Of methods whose steps are known before. */
void cap_stepping_check_count(const cap_stepper_type *type, const cap_stepper_settings *settings,
                              const cap_model *m, double duration, const char *path, cap_diag *diag);
/* Method, step and number of steps over `duration` (s) as `capstan check` shows them; of a method with a
 * variable step its tolerance. Steps end at every multiple of `interval`, s; 0: only at the end. `of`: what
 * the duration is, "period"; NULL: that of the run. Returns the step, s; 0: there is no fixed one. */
double cap_stepping_plan(const cap_stepper_type *type, const cap_stepper_settings *settings,
                         const cap_model *m, double duration, double interval, const char *of,
                         cap_summary *summary);
