/* model/subject.h — what a system is beside its equations of motion: the seam between a model and its drive.
 *
 * Most of what an analysis needs stands in the equations. The rest — that this is a belt over these pulleys,
 * what a turn of it is, why it has no equilibrium at rest — is the drive's: one table of what the drive
 * offers, and a pointer to its own description, which lives in the model's memory. Generic rooms use the
 * table; the drive's own analyses find their description again by the table's address (cap_subject_of).
 *
 * Functions that take a cap_run (analysis/analysis.h) are called by analyses only.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct cap_model cap_model;
typedef struct cap_run cap_run;
typedef struct cap_stationary_subject cap_stationary_subject; /* analysis/stationary/stationary_subject.h */

typedef struct cap_subject_type {
  const char *name;
  const char *alone;     /* why a model of several lanes cannot have it; NULL: it can */
  const char *no_rates;  /* what analyses say that need rates and tangents, where it can only be marched */
  const char *no_rest;   /* why it has no equilibrium at rest; NULL: it has */
  const char *no_sweep;  /* why there is none to follow over a parameter; NULL: there is */
  const char *no_period; /* what is missing where it has no period; NULL: a general sentence */
  bool runs;             /* runs through itself: small motions are about that running, and the energy of it
                          * is no measure of what passes through */
  bool steady_steps; /* damped so lightly that the steps of an orbit must not change from period to period */
  /* How it is laid out, as a group of the results; NULL: nothing. */
  cap_status (*put_layout)(cap_run *run);
  const cap_stationary_subject *stationary; /* what it offers to stationary points; or NULL */
} cap_subject_type;

typedef struct cap_subject {
  const cap_subject_type *type; /* never NULL; cap_subject_none: the equations are all */
  const void *self;             /* the drive's description of it */
  double settle, relax;         /* s, 1/s: how long it should run before its start, how damped */
} cap_subject;

extern const cap_subject_type cap_subject_none;

/* The description of a subject of that type; NULL: the model is of another. */
const void *cap_subject_of(const cap_model *m, const cap_subject_type *type);
