/* drives/accessory_drive_build.c — the system of an accessory drive with its spans as springs.
 *
 * The system starts in its steady running at the speed of the start, creep included: no transient is left.
 */
#include "drives/accessory_drive.h"
#include "elements/elements.h"

#include <stdio.h>

typedef struct builder {
  cap_accessory_parts *parts;
  int span[CAP_ACCESSORY_DRIVE_PULLEYS]; /* handles of the elements */
} builder;

/* ---- elements ------------------------------------------------------------------------------------------ */

static void set_end(const cap_belt *belt, const cap_belt_pulley *p, double *par)
{
  par[0] = p->on_arm ? belt->arm.pivot_x : p->x;
  par[1] = p->on_arm ? belt->arm.pivot_y : p->y;
  par[2] = p->on_arm ? belt->arm.length : 0.0;
  par[3] = p->radius;
  par[4] = p->side;
}

/* The inner state is the unstretched length without what the rotations fed; the crank may start turned. */
static void add_spans(builder *w)
{
  const cap_belt *belt = w->parts->belt;
  for (int k = 0; k < belt->npulley; k++) {
    int next = (k + 1) % belt->npulley;
    const cap_belt_pulley *i = &belt->pulleys[k], *j = &belt->pulleys[next];
    double par[CAP_SPAN_NPARAM], stretch = w->parts->start->spans[k].stretch;
    set_end(belt, i, &par[CAP_SPAN_XI]);
    set_end(belt, j, &par[CAP_SPAN_XJ]);
    par[CAP_SPAN_ARM] = belt->arm.coordinate;
    par[CAP_SPAN_EA] = belt->EA;
    par[CAP_SPAN_MASS] = belt->mass;
    par[CAP_SPAN_DAMPING] = belt->damping;
    par[CAP_SPAN_STRETCH] = stretch;
    par[CAP_SPAN_DIRECTION] = w->parts->start->path.span[k].direction;
    double turned_i = k == belt->crank ? w->parts->turned : 0.0,
           turned_j = next == belt->crank ? w->parts->turned : 0.0;
    double fed = (i->radius * turned_i - j->radius * turned_j) / stretch;
    par[CAP_SPAN_ARC] = w->parts->start->path.pulley[k].arc;
    double enters = w->parts->start->spans[k ? k - 1 : belt->npulley - 1].stretch;
    double x0[2] = {w->parts->start->path.span[k].length / stretch - fed, par[CAP_SPAN_ARC] / enters};
    char name[160];
    snprintf(name, sizeof name, "span.%s", i->name);
    w->span[k] = cap_builder_element(w->parts->b, &cap_span_type, name, i->rotation, j->rotation, par, x0);
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
    cap_accessory_drive_parts_channel(w->parts, "span", p->name, "tension", "N",
                                      "tension of the span that leaves", 1, &tension);
    cap_accessory_drive_parts_channel(w->parts, "span", p->name, "effective", "N",
                                      "effective tension of the span that leaves", 1, &effective);
    cap_accessory_drive_parts_rotation(w->parts, k);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "torque", "N m", "torque of the belt on",
                                      2, pulled);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "hub_x", "N",
                                      "force along x of the belt on", 2, hub_x);
    cap_accessory_drive_parts_channel(w->parts, "pulley", p->name, "hub_y", "N",
                                      "force along y of the belt on", 2, hub_y);
  }
}

cap_status cap_accessory_drive_build_springs(cap_accessory_parts *parts, cap_error *error)
{
  builder w = {.parts = parts};
  CAP_TRY(cap_accessory_drive_parts_coordinates(parts, error));
  add_spans(&w);
  cap_accessory_drive_parts_loads(parts);
  add_channels(&w);
  cap_accessory_drive_parts_arm(parts);
  return CAP_OK;
}

cap_status cap_accessory_drive_build(const void *self, cap_builder *b, cap_error *error)
{
  const cap_accessory_spec *s = self;
  cap_belt belt;
  cap_belt_statics start;
  cap_arena arena = {0};
  const char *key;
  cap_accessory_parts parts = {.s = s, .b = b, .belt = &belt, .start = &start};
  cap_builder_start(b, s->start);
  cap_status status = cap_accessory_drive_belt(s, &arena, &belt, &start, &key, error);
  if (status == CAP_OK) status = cap_accessory_drive_build_springs(&parts, error);
  if (status == CAP_OK) cap_builder_belt(b, &belt);
  cap_arena_free(&arena);
  return status;
}
