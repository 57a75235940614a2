/* drives/pushbelt/observe/variator_pins.c — see variator_pins.h. */
#include "drives/pushbelt/observe/variator_pins.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "model/builder.h"

#include <math.h>

/* How far a joint is open it is at the head, near which the pin is. */
static void rates(const cap_batch *b, cap_eval *e)
{
  if (!e->force) return;
  const cap_variator *v = b->bodies[0];
  const double *joint = e->force + (b + b->reads[0])->output_adr;
  const double length = v->iota * v->element.pin_length;
  double most = 0.0, pressing = 0.0, open = 0.0;
  for (int k = 0; k < v->simulated && v->contact.pin_stiffness > 0.0; k++, joint += CAP_PUSH_CHAIN_NOUTPUT) {
    const double force = fabs(joint[CAP_PUSH_CHAIN_PIN]);
    most = fmax(most, force);
    pressing += force > 0.0;
    open += joint[CAP_PUSH_CHAIN_HEAD_GAP] > length;
  }
  double *out = e->force + b->output_adr;
  out[CAP_VARIATOR_PINS_FORCE] = most;
  out[CAP_VARIATOR_PINS_SHARE] = pressing / v->simulated;
  out[CAP_VARIATOR_PINS_OUT] = open;
  e->force[b->elem_adr] = 0.0;
}

int cap_variator_pins_add(cap_builder *b, const cap_variator *v)
{
  const cap_element_type *reads[] = {&cap_push_chain_type};
  cap_builder_common(b, &cap_variator_pins_type, 0, NULL, 0, NULL);
  cap_builder_reads(b, &cap_variator_pins_type, 1, reads);
  int handle = cap_builder_element(b, &cap_variator_pins_type, "pins", v->x, CAP_GROUND, NULL, NULL);
  cap_builder_body(b, handle, v);
  return handle;
}

const cap_element_type cap_variator_pins_type = {
    .name = "pin sensor",
    .doc = "forces of the pins of all elements, and joints that are open beyond them; no force",
    .noutput = CAP_VARIATOR_PINS_NOUTPUT,
    .wide = true,
    .rates = rates,
};
