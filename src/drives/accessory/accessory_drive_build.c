/* drives/accessory/accessory_drive_build.c — the system of an accessory drive with its spans as springs.
 *
 * The system starts in its steady running at the speed of the start, creep included: no transient is left.
 * When the crank turns at one speed, the rotations are counted beyond that steady running, so that they swing
 * about 0 and the system has a period; when it follows speeds over time or is free, they are turned angles.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>

typedef struct builder {
  cap_accessory_parts *parts;
  int span[CAP_ACCESSORY_DRIVE_PULLEYS]; /* handles of the elements */
} builder;

/* 2 pi over the common divisor of the orders and the speed; none when that is below a part in a thousand. */
static void set_period(const cap_accessory_parts *w)
{
  const cap_accessory_order *orders = w->s->crank.orders.items;
  const cap_accessory_pulley *pulleys = w->s->pulleys.items;
  double divisor = 0.0, largest = 0.0;
  bool once = false; /* loads over time do not come back */
  for (int k = 0; k < w->s->pulleys.n; k++) once = once || pulleys[k].load.over_time.n;
  if (!w->steady || once) return;
  for (int k = 0; k < w->s->crank.orders.n; k++) {
    double a = orders[k].order, b = divisor;
    largest = fmax(largest, a);
    while (b > 1e-6 * largest) {
      double rest = fabs(remainder(a, b));
      a = b, b = rest;
    }
    divisor = a;
  }
  if (divisor > 1e-3 * largest) cap_builder_period(w->b, 2.0 * M_PI / (divisor * w->s->crank.speed));
}

/* ---- elements ------------------------------------------------------------------------------------------ */

/* Unstretched lengths in span k and on the arc of its pulley: the belt sticks there as the span before it. */
static void set_lengths(const cap_accessory_parts *w, int k, double x0[2])
{
  const cap_belt_statics *start = w->start;
  x0[0] = start->path.span[k].length / start->spans[k].stretch;
  x0[1] = start->path.pulley[k].arc / start->spans[k ? k - 1 : w->belt->npulley - 1].stretch;
}

/* Slip looks ahead by a part of the time that a wave of tension takes through a span, which this belt without
 * inertia along it does not know. */
static double lead_of(const cap_accessory_parts *w)
{
  const cap_belt *belt = w->belt;
  double length = 0.0;
  for (int k = 0; k < belt->npulley; k++) length += w->start->path.span[k].length;
  return 0.25 * length / belt->npulley * sqrt(belt->mass / belt->EA);
}

static void add_spans(builder *b)
{
  const cap_accessory_parts *w = b->parts;
  const cap_belt *belt = w->belt;
  double x0[2], loop = 0.0;
  for (int k = 0; k < belt->npulley; k++) {
    set_lengths(w, k, x0);
    loop += x0[0] + x0[1];
  }
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    double par[CAP_SPAN_NPARAM] = {[CAP_SPAN_R] = p->radius,
                                   [CAP_SPAN_SIDE] = p->side,
                                   [CAP_SPAN_BASE] = cap_accessory_drive_parts_base(w, k),
                                   [CAP_SPAN_EA] = belt->EA,
                                   [CAP_SPAN_MASS] = belt->mass,
                                   [CAP_SPAN_DAMPING] = belt->damping,
                                   [CAP_SPAN_STRETCH] = w->start->spans[k].stretch,
                                   [CAP_SPAN_DIRECTION] = w->start->path.span[k].direction,
                                   [CAP_SPAN_ARC] = w->start->path.pulley[k].arc,
                                   [CAP_SPAN_FRICTION] = p->friction,
                                   [CAP_SPAN_LEAD] = lead_of(w),
                                   [CAP_SPAN_LOOP] = loop,
                                   [CAP_SPAN_RENEWAL] = w->start->rate / loop};
    cap_mount_of(belt, k, &par[CAP_SPAN_MOUNT]);
    set_lengths(w, k, x0);
    char name[160];
    snprintf(name, sizeof name, "span.%s", p->name);
    b->span[k] = cap_builder_element(w->b, &cap_span_type, name, p->rotation,
                                     belt->pulleys[(k + 1) % belt->npulley].rotation, par, x0);
  }
}

/* ---- channels ------------------------------------------------------------------------------------------ */

static cap_term shown(const builder *w, int span, int output, double factor)
{
  return (cap_term){CAP_TERM_OUTPUT, w->span[span] * CAP_OUTPUTS_MOST + output, factor};
}

static void add_channels(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    int before = k ? k - 1 : belt->npulley - 1;
    cap_term tension = {CAP_TERM_FORCE, w->span[k], 1.0};
    cap_term effective = shown(w, k, CAP_SPAN_EFFECTIVE, 1.0);
    cap_term pulled[2] = {shown(w, k, CAP_SPAN_EFFECTIVE, p->radius),
                          shown(w, before, CAP_SPAN_EFFECTIVE, -p->radius)};
    cap_term hub_x[2] = {shown(w, k, CAP_SPAN_PULL_X, 1.0), shown(w, before, CAP_SPAN_PULL_X, -1.0)};
    cap_term hub_y[2] = {shown(w, k, CAP_SPAN_PULL_Y, 1.0), shown(w, before, CAP_SPAN_PULL_Y, -1.0)};
    cap_accessory_drive_parts_channel(w->parts, "span", p->name, "tension", "N", "tension of the span after",
                                      1, &tension);
    cap_builder_film_member(w->parts->b);
    cap_accessory_drive_parts_channel(w->parts, "span", p->name, "effective_tension", "N",
                                      "effective tension of the span after", 1, &effective);
    cap_accessory_drive_parts_rotation(w->parts, k);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "torque", "N m", "belt torque on", 2,
                                      pulled);
    cap_term slip = shown(w, k, CAP_SPAN_SLIP, 1.0), use = shown(w, k, CAP_SPAN_USE, 1.0);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "slip", "m/s",
                                      "gross slip velocity of the belt on", 1, &slip);
    cap_builder_film_member(w->parts->b);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "friction_use", "1",
                                      "ratio of slip arc to wrap angle (1: gross slip) on", 1, &use);
    cap_builder_film_member(w->parts->b);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "hub_x", "N",
                                      "hub load along x from the belt on", 2, hub_x);
    cap_builder_film_member(w->parts->b);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "hub_y", "N",
                                      "hub load along y from the belt on", 2, hub_y);
    cap_builder_film_member(w->parts->b);
  }
}

cap_status cap_accessory_drive_build_springs(cap_accessory_parts *parts, cap_error *error)
{
  builder w = {.parts = parts};
  parts->steady = parts->s->crank.speed > 0.0 && parts->s->crank.held && !parts->s->crank.speed_input.name;
  CAP_TRY(cap_accessory_drive_parts_coordinates(parts, error));
  add_spans(&w);
  cap_accessory_drive_parts_loads(parts);
  add_channels(&w);
  cap_accessory_drive_parts_arm(parts);
  set_period(parts);
  return CAP_OK;
}

/* What is known from checking the model, or the same found out here. */
static cap_status described(const cap_accessory_spec *s, cap_builder *b, cap_arena *arena,
                            cap_accessory_described *found, cap_error *error)
{
  const cap_description *known = cap_builder_description(b);
  const char *key;
  if (!known || !known->self)
    return cap_accessory_drive_belt(s, arena, &found->belt, &found->start, &key, error);
  *found = *(const cap_accessory_described *)known->self;
  const cap_belt *own = cap_belt_copy(arena, &found->belt); /* it gets its coordinates */
  if (!own) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  found->belt = *own;
  return CAP_OK;
}

cap_status cap_accessory_drive_build(const void *self, cap_builder *b, cap_error *error)
{
  const cap_accessory_spec *s = self;
  cap_accessory_described found;
  cap_arena arena = {0};
  cap_accessory_parts parts = {.s = s, .b = b, .belt = &found.belt, .start = &found.start};
  cap_builder_start(b, s->start);
  cap_status status = described(s, b, &arena, &found, error);
  if (status == CAP_OK && s->belt.model == CAP_ACCESSORY_SEGMENTS)
    status = cap_accessory_drive_segments_build(&parts, error);
  else if (status == CAP_OK) status = cap_accessory_drive_build_springs(&parts, error);
  if (status == CAP_OK) cap_accessory_drive_power(b);
  if (status == CAP_OK) cap_belt_describe(b, &found.belt);
  cap_arena_free(&arena);
  return status;
}
