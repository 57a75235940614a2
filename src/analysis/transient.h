/* analysis/transient.h — the keys of the analysis `transient`, for who adds to them. */
#pragma once
#include "analysis/extension.h"
#include "analysis/observe/spectrum.h"
#include "analysis/stepping.h"

typedef struct cap_transient_spec {
  int kind;
  double until, tolerance, settle;
  bool settle_given, tolerance_given;
  cap_stepping_spec stepping;
  int solver;
  bool correction;
  cap_spectrum_spec spectrum;
  cap_more more; /* keys that drives add (drives/registry.c) */
} cap_transient_spec;

extern const cap_field cap_transient_fields[];
extern const cap_field cap_registry_transient_fields[]; /* drives/registry.c */
