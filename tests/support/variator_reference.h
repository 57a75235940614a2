/* The public reference variator: 437 elements of 1.5 mm, axes 155 mm apart, sheaves that tilt and bend. */
#pragma once
#include "pushbelt.h"

/* The same of other loads, with fewer elements, and friction between them. */
static inline cap_variator variator_reference(double ratio, double torque, double clamping, int simulated)
{
  cap_variator v = pushbelt_reference();
  v.simulated = simulated;
  v.iota = 437.0 / simulated;
  v.contact.press_friction = 0.1;
  v.load = (cap_variator_loads){2000.0 * M_PI / 30.0, ratio, torque, clamping};
  return v;
}
