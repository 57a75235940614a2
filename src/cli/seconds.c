/* cli/seconds.c — see seconds.h. */
#include "cli/seconds.h"
#include "base/units.h"

#include <math.h>
#include <stdlib.h>

bool cap_seconds_read(const char *text, double *seconds)
{
  char reason[CAP_UNITS_REASON], *end;
  double value = 0.0;
  cap_units *units = cap_units_create();
  double plain = strtod(text, &end);
  bool fine = units && cap_units_parse(units, text, "s", &value, reason);
  if (!fine && end != text && !*end) value = plain, fine = true;
  cap_units_free(units);
  if (!fine || !(value > 0.0) || !isfinite(value)) return false;
  *seconds = value;
  return true;
}
