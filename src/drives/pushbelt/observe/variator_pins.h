/* drives/pushbelt/observe/variator_pins.h — what the pins of a variator's elements show as a whole; one
 * element without forces.
 *
 * Maths: docs/theory.md §44.6. Reads the push chain; works only where outputs are wanted. Its body is the
 * cap_variator. Without pins it shows none, under the same names.
 */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "model/model.h"

enum {
  CAP_VARIATOR_PINS_FORCE, /* N, largest */
  CAP_VARIATOR_PINS_SHARE, /* of the joints: whose pins press */
  CAP_VARIATOR_PINS_OUT,   /* simulated joints that are open further than pins are long */
  CAP_VARIATOR_PINS_NOUTPUT
};
extern const cap_element_type cap_variator_pins_type;

/* Adds it; returns its handle. The push chain has been described. */
int cap_variator_pins_add(cap_builder *b, const cap_variator *v);
