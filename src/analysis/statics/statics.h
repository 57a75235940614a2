/* analysis/statics/statics.h — the keys of the analysis `statics`, for who adds to them. */
#pragma once
#include "analysis/extension.h"

typedef struct cap_statics_spec {
  int kind;
  cap_sweep sweep;
  double tolerance;
  int iterations;
  cap_more more; /* keys that drives add (drives/registry.c) */
} cap_statics_spec;

extern const cap_field cap_registry_statics_fields[]; /* drives/registry.c */
