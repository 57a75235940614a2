/* session/units.c — from one unit to another: capstan_convert. */
#include "base/units.h"
#include "capstan/capstan.h"

#include <string.h>

capstan_code capstan_convert(const char *unit, const char *to, double *factor)
{
  char si[CAP_UNITS_LONGEST], other[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  double from = 0.0, into = 1.0;
  if (!unit || !to || !factor) return CAPSTAN_BAD_INPUT;
  cap_units *units = cap_units_create();
  if (!units) return CAPSTAN_FAILED;
  bool fine = cap_units_base(units, unit, &from, si, reason) &&
              cap_units_base(units, to, &into, other, reason) && cap_units_alike(units, unit, to);
  cap_units_free(units);
  if (!fine) return CAPSTAN_BAD_INPUT;
  *factor = from / into;
  return CAPSTAN_OK;
}
