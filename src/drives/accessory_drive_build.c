/* drives/accessory_drive_build.c — the system of an accessory drive: rotations, arm, spans, loads, channels.
 *
 * The system starts in its steady running at the speed of the start, creep included: no transient is left.
 */
#include "drives/accessory_drive.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef cap_accessory_spec spec;

typedef struct builder {
  const spec *s;
  cap_builder *b;
  cap_belt *belt;
  const cap_belt_statics *start;
  int span[CAP_ACCESSORY_DRIVE_PULLEYS];  /* handles of the elements */
  int brake[CAP_ACCESSORY_DRIVE_PULLEYS]; /* -1: none */
  double turned;                          /* rad, of the crank at the start */
} builder;

/* ---- coordinates --------------------------------------------------------------------------------------- */

static cap_status add_crank(builder *w, const cap_belt_pulley *p, int *rotation, cap_error *error)
{
  cap_motion motion;
  double v, a;
  if (!w->s->crank.held) {
    *rotation = cap_builder_dof(w->b, p->name, "rad", p->inertia, 0.0, w->belt->speed);
    return CAP_OK;
  }
  if (cap_accessory_drive_belt_motion(w->s, cap_builder_arena(w->b), &motion) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  *rotation = cap_builder_driven(w->b, p->name, "rad", &motion);
  cap_motion_at(&motion, w->s->start, &w->turned, &v, &a);
  return CAP_OK;
}

static cap_status add_coordinates(builder *w, cap_error *error)
{
  cap_belt *belt = w->belt;
  double carried = 0.0;
  for (int k = 0; k < belt->npulley; k++) {
    cap_belt_pulley *p = &belt->pulleys[k];
    if (k == belt->crank) CAP_TRY(add_crank(w, p, &p->rotation, error));
    else p->rotation = cap_builder_dof(w->b, p->name, "rad", p->inertia, 0.0, w->start->pulleys[k].speed);
    if (p->on_arm) carried += p->mass * belt->arm.length * belt->arm.length;
  }
  if (belt->arm.length > 0.0)
    belt->arm.coordinate = cap_builder_dof(w->b, "arm", "rad", belt->arm.inertia + carried, belt->arm.angle,
                                           0.0);
  return CAP_OK;
}

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
  const cap_belt *belt = w->belt;
  for (int k = 0; k < belt->npulley; k++) {
    int next = (k + 1) % belt->npulley;
    const cap_belt_pulley *i = &belt->pulleys[k], *j = &belt->pulleys[next];
    double par[CAP_SPAN_NPARAM], stretch = w->start->spans[k].stretch;
    set_end(belt, i, &par[CAP_SPAN_XI]);
    set_end(belt, j, &par[CAP_SPAN_XJ]);
    par[CAP_SPAN_ARM] = belt->arm.coordinate;
    par[CAP_SPAN_EA] = belt->EA;
    par[CAP_SPAN_MASS] = belt->mass;
    par[CAP_SPAN_DAMPING] = belt->damping;
    par[CAP_SPAN_STRETCH] = stretch;
    par[CAP_SPAN_DIRECTION] = w->start->path.span[k].direction;
    double turned_i = k == belt->crank ? w->turned : 0.0, turned_j = next == belt->crank ? w->turned : 0.0;
    double fed = (i->radius * turned_i - j->radius * turned_j) / stretch;
    par[CAP_SPAN_ARC] = w->start->path.pulley[k].arc;
    double enters = w->start->spans[k ? k - 1 : belt->npulley - 1].stretch;
    double x0[2] = {w->start->path.span[k].length / stretch - fed, par[CAP_SPAN_ARC] / enters};
    char name[160];
    snprintf(name, sizeof name, "span.%s", i->name);
    w->span[k] = cap_builder_element(w->b, &cap_span_type, name, i->rotation, j->rotation, par, x0);
  }
}

static void add_loads(builder *w)
{
  const cap_belt *belt = w->belt;
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_load *load = &belt->pulleys[k].load;
    char name[160];
    snprintf(name, sizeof name, "pulley.%s.load", belt->pulleys[k].name);
    w->brake[k] = -1;
    if (load->n) {
      double par[CAP_BRAKE_NPARAM] = {[CAP_BRAKE_COUNT] = load->n};
      memcpy(&par[CAP_BRAKE_SPEED], load->speed, (size_t)load->n * sizeof *par);
      memcpy(&par[CAP_BRAKE_TORQUE], load->torque, (size_t)load->n * sizeof *par);
      w->brake[k] = cap_builder_element(w->b, &cap_brake_type, name, belt->pulleys[k].rotation, CAP_GROUND,
                                        par, NULL);
    }
  }
  if (w->s->crank.held) return;
  double drive[CAP_LOAD_NPARAM] = {[CAP_LOAD_MEAN] = -w->start->pulleys[belt->crank].torque};
  cap_builder_element(w->b, &cap_load_type, "crank.torque", belt->pulleys[belt->crank].rotation, CAP_GROUND,
                      drive, NULL);
}

static void add_stops(builder *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  double k = w->s->tensioner.stop_stiffness, par[CAP_CLEARANCE_NPARAM];
  capm_clearance law = {.nstage = 2,
                        .at = {arm->stop_low, arm->stop_high},
                        .jump = {-k, k},
                        .low = arm->stop_low,
                        .high = arm->stop_high};
  capm_clearance_finish(&law, k);
  /* that force vanishes at the angle 0, ours between the stops */
  double slope, middle = 0.5 * (arm->stop_low + arm->stop_high);
  law.offset -= capm_clearance_force(&law, middle, &slope);
  cap_clearance_params(&law, par);
  cap_builder_element(w->b, &cap_clearance_type, "arm.stops", arm->coordinate, CAP_GROUND, par, NULL);
}

/* Dahl's curve without torque has the slope lambda friction, with the exponent 1. */
static cap_term add_friction(builder *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_accessory_tensioner *t = &w->s->tensioner;
  double stiffness = t->hysteresis.law == CAP_ACCESSORY_COULOMB ? INFINITY : t->hysteresis.stiffness;
  if (t->hysteresis.law != CAP_ACCESSORY_DAHL)
    return (cap_term){
        CAP_TERM_SLIDER,
        cap_builder_slider(w->b, "arm.friction", arm->coordinate, CAP_GROUND, stiffness, arm->friction, 0.0),
        -arm->sense};
  double par[CAP_DAHL_NPARAM] = {[CAP_DAHL_B] = arm->friction,
                                 [CAP_DAHL_E] = -arm->friction,
                                 [CAP_DAHL_LAMBDA] = stiffness / arm->friction,
                                 [CAP_DAHL_MU] = 1.0};
  double start = 0.0;
  return (cap_term){
      CAP_TERM_FORCE,
      cap_builder_element(w->b, &cap_dahl_type, "arm.friction", arm->coordinate, CAP_GROUND, par, &start),
      -arm->sense};
}

static void add_arm(builder *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_accessory_tensioner *t = &w->s->tensioner;
  if (arm->coordinate < 0) return;
  double par[CAP_LINK_NPARAM] = {
      [CAP_LINK_K] = arm->rate,
      [CAP_LINK_C] = t->damping,
      [CAP_LINK_F0] = -(arm->sense * arm->torque_at + arm->rate * arm->torque_angle)};
  cap_term angle = {CAP_TERM_Q, arm->coordinate, 1.0}, speed = {CAP_TERM_V, arm->coordinate, 1.0};
  cap_term torque[2] = {{CAP_TERM_FORCE, 0, -arm->sense}};
  torque[0].index = cap_builder_element(w->b, &cap_link_type, "arm", arm->coordinate, CAP_GROUND, par, NULL);
  bool rubs = t->hysteresis.law != CAP_ACCESSORY_NONE;
  if (rubs) torque[1] = add_friction(w);
  if (t->stops_given) add_stops(w);
  cap_builder_channel(w->b, "arm.angle", "rad", "angle of the tensioner's arm", 1, &angle);
  cap_builder_channel(w->b, "arm.speed", "rad/s", "speed of the tensioner's arm", 1, &speed);
  cap_builder_channel(w->b, "arm.torque", "N m", "torque of the tensioner towards a tighter belt",
                      rubs ? 2 : 1, torque);
}

/* ---- channels ------------------------------------------------------------------------------------------ */

static void channel(builder *w, const char *kind, const char *of, const char *what, const char *unit,
                    const char *meaning, int nterm, const cap_term *terms)
{
  char name[200], label[300];
  snprintf(name, sizeof name, "%s.%s.%s", kind, of, what);
  snprintf(label, sizeof label, "%s %s", meaning, of);
  cap_builder_channel(w->b, name, unit, label, nterm, terms);
}

static cap_term shown(const builder *w, int span, int output, double factor)
{
  return (cap_term){CAP_TERM_OUTPUT, w->span[span] * 4 + output, factor};
}

static void add_channels(builder *w)
{
  const cap_belt *belt = w->belt;
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_pulley *p = &belt->pulleys[k];
    int before = k ? k - 1 : belt->npulley - 1;
    cap_term tension = {CAP_TERM_FORCE, w->span[k], 1.0};
    cap_term angle = {CAP_TERM_Q, p->rotation, 1.0}, speed = {CAP_TERM_V, p->rotation, 1.0};
    cap_term effective = shown(w, k, CAP_SPAN_EFFECTIVE, 1.0);
    cap_term pulled[2] = {shown(w, k, CAP_SPAN_EFFECTIVE, p->radius),
                          shown(w, before, CAP_SPAN_EFFECTIVE, -p->radius)};
    cap_term hub_x[2] = {shown(w, k, CAP_SPAN_PULL_X, 1.0), shown(w, before, CAP_SPAN_PULL_X, -1.0)};
    cap_term hub_y[2] = {shown(w, k, CAP_SPAN_PULL_Y, 1.0), shown(w, before, CAP_SPAN_PULL_Y, -1.0)};
    channel(w, "span", p->name, "tension", "N", "tension of the span that leaves", 1, &tension);
    channel(w, "span", p->name, "effective", "N", "effective tension of the span that leaves", 1, &effective);
    channel(w, "pulley", p->name, "angle", "rad", "turned angle of", 1, &angle);
    channel(w, "pulley", p->name, "speed", "rad/s", "speed of", 1, &speed);
    channel(w, "pulley", p->name, "torque", "N m", "torque of the belt on", 2, pulled);
    channel(w, "pulley", p->name, "hub_x", "N", "force along x of the belt on", 2, hub_x);
    channel(w, "pulley", p->name, "hub_y", "N", "force along y of the belt on", 2, hub_y);
    if (w->brake[k] < 0) continue;
    cap_term load = {CAP_TERM_FORCE, w->brake[k], 1.0};
    channel(w, "pulley", p->name, "load", "N m", "torque that brakes", 1, &load);
  }
}

static cap_status build_with(builder *w, cap_error *error)
{
  cap_builder_start(w->b, w->s->start);
  CAP_TRY(add_coordinates(w, error));
  add_spans(w);
  add_loads(w);
  add_channels(w);
  add_arm(w);
  cap_builder_belt(w->b, w->belt);
  return CAP_OK;
}

cap_status cap_accessory_drive_build(const void *self, cap_builder *b, cap_error *error)
{
  cap_belt belt;
  cap_belt_statics start;
  cap_arena arena = {0};
  const char *key;
  builder w = {.s = self, .b = b, .belt = &belt, .start = &start};
  cap_status status = cap_accessory_drive_belt(self, &arena, &belt, &start, &key, error);
  if (status == CAP_OK) status = build_with(&w, error);
  cap_arena_free(&arena);
  return status;
}
