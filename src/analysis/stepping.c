/* analysis/stepping.c — see stepping.h. */
#include "analysis/stepping.h"

#include <stdio.h>
#include <string.h>

const cap_stepper_type *cap_stepping_find(const char *name)
{
  for (int k = 0; cap_stepper_types[k]; k++)
    if (strcmp(cap_stepper_types[k]->name, name) == 0) return cap_stepper_types[k];
  return NULL;
}

const cap_stepper_type *cap_stepping_choose(const char *name, const cap_model *m)
{
  const cap_stepper_type *named = cap_stepping_find(name);
  return named ? named : cap_stepper_best(m);
}

void cap_stepping_check(const cap_stepper_type *type, const cap_model *m, const char *path, cap_diag *diag)
{
  const char *reason = type ? cap_stepper_obstacle(type, m) : NULL;
  if (!reason) return;
  char key[512], fitting[256];
  snprintf(key, sizeof key, "%s.method", path);
  cap_stepper_fitting(m, fitting, sizeof fitting);
  cap_diag_at(diag, key, "\"%s\" cannot compute this system: %s; use one of: %s", type->name, reason,
              fitting);
}

void cap_stepping_check_period(const cap_model *m, const char *path, cap_diag *diag)
{
  if (!(m->period[0] > 0.0))
    cap_diag_at(diag, path, "this drive has no periodic forcing, so no steady orbit to find");
}
