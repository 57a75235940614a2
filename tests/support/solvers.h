/* tests/support/solvers.h — the contact solvers that a test can use. */
#pragma once
#include "solve/nonsmooth.h"

#include <string.h>

/* Siconos keeps a few bytes of every call, which a build with sanitizers does not forgive. */
static inline bool test_solver_there(const char *name)
{
#ifdef __SANITIZE_ADDRESS__
  if (strcmp(name, "siconos") == 0) return false;
#endif
  for (const char *const *known = cap_nonsmooth_names; *known; known++)
    if (strcmp(*known, name) == 0) return true;
  return false;
}
