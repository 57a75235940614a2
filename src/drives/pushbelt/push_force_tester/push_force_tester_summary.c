/* drives/pushbelt/push_force_tester/push_force_tester_summary.c — what a person reads first about the tester,
 * and the stack before it is compressed. */
#include "analysis/observe/start_values.h"
#include "drives/pushbelt/push_force_tester/push_force_tester.h"

#include <stdio.h>

void cap_push_force_tester_summary(const void *spec, const void *description, const cap_model *model,
                                   cap_summary *out)
{
  const cap_push_force_tester_spec *s = spec;
  double length = cap_push_force_tester_length(s), most = cap_push_force_tester_most(s);
  cap_start_values start;
  (void)description;
  cap_summary_begin(out, "stack");
  cap_summary_number(out, "real elements", "", s->elements.real);
  cap_summary_number(out, "simulated elements", "", s->elements.simulated);
  cap_summary_number(out, "real elements per simulated one", "", cap_push_force_tester_iota(s));
  cap_summary_number(out, "thickness of a real element, rocking edge", "mm", s->element.thickness);
  cap_summary_number(out, "thickness of a real element, head", "mm", cap_push_force_tester_head(s));
  cap_summary_number(out, "length before compression", "mm", length);
  cap_summary_number(out, "largest compression", "mm", most * length);
  cap_summary_number(out, "largest compression, relative", "%", most);
  cap_summary_text(out, "lateral motion", "%s",
                   s->lateral == CAP_PUSH_FORCE_TESTER_LOCKED ? "locked" : "free");
  cap_summary_begin(out, "rings and clamps");
  cap_summary_text(out, "ring packs", "%d of %d layers", s->ring.pack.packs, s->ring.pack.layers);
  cap_summary_number(out, "prestress of the rings", "N", s->ring.prestress);
  cap_summary_number(out, "hinges beyond the ends of the stack", "mm", s->clamp.hinge);
  cap_summary_number(out, "clamps of the rings beyond the hinges", "mm", s->clamp.ring);
  cap_summary_begin(out, "at the start");
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  cap_start_values_tell(&start, "clamp.force", "clamp force", "N", out);
  cap_start_values_tell(&start, "ring.tension", "ring tension", "N", out);
  cap_start_values_close(&start);
}

void cap_push_force_tester_summary_draw(const void *spec, const void *description, const cap_model *model,
                                        cap_drawing *d)
{
  const cap_push_force_tester_spec *s = spec;
  double half = 0.5 * cap_push_force_tester_length(s), reach = half + s->clamp.hinge, arm = 0.1 * half;
  double y = s->element.saddle - s->element.centre;
  cap_start_values start;
  (void)description;
  if (!cap_start_values_open(&start, model)) {
    d->exhausted = true;
    return;
  }
  cap_start_values_draw(&start, model, d);
  double first[3] = {0.0}, last[3] = {0.0};
  char name[64];
  snprintf(name, sizeof name, "element.%d", s->elements.simulated);
  if (cap_start_values_place(&start, "element.0", first) && cap_start_values_place(&start, name, last)) {
    double middle = 0.5 * (first[0] + last[0]);
    y += 0.5 * (first[1] + last[1]);
    for (int k = -1; k <= 1; k += 2) {
      cap_drawing_circle(d, CAP_DRAWING_ARM, middle + k * reach, y, 0.015 * half);
      cap_drawing_arrow(d, middle + k * (reach + 2.0 * arm), y, middle + k * (reach + 0.6 * arm), y);
      cap_drawing_text(d, middle + k * (reach + 2.0 * arm), y, k, 0.0, "%s clamp\nhinge at %.4g mm",
                       k < 0 ? "left" : "right", 1e3 * s->clamp.hinge);
    }
    cap_drawing_text(d, middle, y + s->element.head, 0.0, 1.0,
                     "stack\n%d simulated elements for %d real ones\nlength %.4g mm", s->elements.simulated,
                     s->elements.real, 2e3 * half);
  }
  cap_start_values_close(&start);
  cap_drawing_say(d, "before compression; rings prestressed by %.4g N", s->ring.prestress);
}
