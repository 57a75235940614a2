/* model/input.c — see input.h. */
#include "model/input.h"
#include "base/units.h"

#include <math.h>
#include <stdio.h>

void cap_input_set(double *inputs, int slot, double t, double value, double rate)
{
  double *u = inputs + slot * CAP_INPUT_NVALUE, travel = cap_input_travel(inputs, slot, t);
  u[CAP_INPUT_VALUE] = value;
  u[CAP_INPUT_RATE] = rate;
  u[CAP_INPUT_SINCE] = t;
  u[CAP_INPUT_TRAVEL] = travel;
}

bool cap_input_accepts(const cap_input *input, double value, char why[CAP_INPUT_WHY])
{
  char got[64], low[64], high[64];
  if (!isfinite(value)) {
    snprintf(why, CAP_INPUT_WHY, "input \"%s\": expected a finite number, got %g", input->name, value);
    return false;
  }
  bool below = input->low_open ? value <= input->low : value < input->low;
  bool above = input->high_open ? value >= input->high : value > input->high;
  if (!below && !above) return true;
  cap_units_format(got, sizeof got, value, input->unit);
  cap_units_format(low, sizeof low, input->low, input->unit);
  cap_units_format(high, sizeof high, input->high, input->unit);
  snprintf(why, CAP_INPUT_WHY, "input \"%s\": expected a value %s %s, got %s", input->name,
           below ? (input->low_open ? "above" : "of at least") : (input->high_open ? "below" : "of at most"),
           below ? low : high, got);
  return false;
}
