/* drives/pushbelt/ring_drive/ring_summary.c — what a person reads first about a ring, and how it lies at the
 * start. */
#include "analysis/observe/start_values.h"
#include "drives/pushbelt/ring_drive/ring.h"

#include <math.h>

typedef struct cap_ring_wheel wheel;

static const char *const names[2] = {"secondary", "primary"};

static const wheel *wheel_of(const cap_ring_spec *s, int k)
{
  return k ? &s->pulleys.primary : &s->pulleys.secondary;
}

/* Wrap of a tight ring: pi plus or minus twice the slope of the strands. */
static double wrap_of(const cap_ring_spec *s, int k)
{
  double slope = asin((s->pulleys.primary.radius - s->pulleys.secondary.radius) / s->centre_distance);
  return M_PI + (k ? 2.0 : -2.0) * slope;
}

static void add_pulleys(const cap_ring_spec *s, cap_summary *out)
{
  double apart = s->centre_distance, difference = s->pulleys.primary.radius - s->pulleys.secondary.radius;
  cap_summary_begin(out, "pulleys");
  cap_summary_number(out, "centre distance", "mm", apart);
  cap_summary_number(out, "length of each strand", "mm", sqrt(apart * apart - difference * difference));
  cap_summary_number(out, "coefficient of friction", "", s->pulleys.friction);
  if (s->pulleys.clamping_given) cap_summary_number(out, "force between the axes", "N", s->pulleys.clamping);
  for (int k = 0; k < 2; k++) {
    const wheel *w = wheel_of(s, k);
    cap_summary_item(out, names[k]);
    cap_summary_number(out, "radius", "mm", w->radius);
    cap_summary_number(out, "wrap angle", "deg", wrap_of(s, k));
    if (w->speed_given) cap_summary_number(out, "prescribed speed", "rpm", w->speed);
    if (w->torque_given) cap_summary_number(out, "torque", "N m", w->torque);
  }
}

void cap_ring_summary(const void *spec, const void *description, const cap_model *model, cap_summary *out)
{
  const cap_ring_spec *s = spec;
  const cap_ring_shape shape = cap_ring_drive_shape(s);
  cap_start_values start;
  (void)description;
  cap_summary_begin(out, "ring");
  cap_summary_text(out, "model", "%s, %d nodes", shape.model, shape.nodes);
  cap_summary_text(out, "section", "%d packs of %d layers", shape.section.packs, shape.section.layers);
  cap_summary_number(out, "length at the start", "mm", shape.length);
  cap_summary_number(out, "free length", "mm", shape.free_length > 0.0 ? shape.free_length : shape.length);
  cap_summary_number(out, "stiffness in tension EA", "kN", shape.section.EA);
  cap_summary_number(out, "mass per length", "kg/m", shape.section.mass);
  cap_summary_number(out, "speed at the start", "m/s", shape.speed);
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  cap_start_values_tell(&start, "ring.tension", "mean tension at the start", "N", out);
  cap_start_values_close(&start);
  if (s->pulleys_given) add_pulleys(s, out);
}

static void draw_pulleys(const cap_ring_spec *s, cap_drawing *d)
{
  for (int k = 0; k < 2; k++) {
    const wheel *w = wheel_of(s, k);
    double x = k ? s->centre_distance : 0.0;
    cap_drawing_circle(d, CAP_DRAWING_PART, x, 0.0, w->radius);
    cap_drawing_text(d, x, 0.0, 0.0, 0.0, "%s\nradius %.4g mm\nwrap %.4g°", names[k], 1e3 * w->radius,
                     wrap_of(s, k) * 180.0 / M_PI);
  }
}

void cap_ring_summary_draw(const void *spec, const void *description, const cap_model *model, cap_drawing *d)
{
  const cap_ring_spec *s = spec;
  const cap_ring_shape shape = cap_ring_drive_shape(s);
  cap_start_values start;
  (void)description;
  if (s->pulleys_given) draw_pulleys(s, d);
  if (!cap_start_values_open(&start, model)) {
    d->exhausted = true;
    return;
  }
  cap_start_values_draw(&start, model, d);
  cap_start_values_close(&start);
  cap_drawing_say(d, "ring of %.5g mm by the model %s with %d nodes, as it lies at the start",
                  1e3 * shape.length, shape.model, shape.nodes);
}
