/* drives/accessory/accessory_drive_parts.c — what both models of the belt share: rotations, arm, loads,
 * their channels.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- coordinates */

static cap_status add_crank(cap_accessory_parts *w, const cap_belt_pulley *p, int *rotation, cap_error *error)
{
  cap_motion motion;
  if (!w->s->crank.held) {
    *rotation = cap_builder_dof(w->b, p->name, "rad", p->inertia, 0.0, w->belt->speed);
    return CAP_OK;
  }
  if (cap_accessory_drive_belt_motion(w->s, cap_builder_arena(w->b), &motion) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  motion.swing = w->steady;
  if (w->s->crank.speed_input.name)
    motion.input = 1 + cap_builder_input(w->b, &w->s->crank.speed_input, w->s->crank.speed, false);
  *rotation = cap_builder_driven(w->b, p->name, "rad", &motion);
  return CAP_OK;
}

double cap_accessory_drive_parts_base(const cap_accessory_parts *w, int k)
{
  return w->steady ? w->start->pulleys[k].speed : 0.0;
}

cap_status cap_accessory_drive_parts_coordinates(cap_accessory_parts *w, cap_error *error)
{
  cap_belt *belt = w->belt;
  for (int k = 0; k < belt->npulley; k++) {
    cap_belt_pulley *p = &belt->pulleys[k];
    if (k == belt->crank) CAP_TRY(add_crank(w, p, &p->rotation, error));
    else
      p->rotation = cap_builder_dof(w->b, p->name, "rad", p->inertia, 0.0,
                                    w->start->pulleys[k].speed - cap_accessory_drive_parts_base(w, k));
    bool held = k == belt->crank && w->s->crank.held;
    cap_builder_turn(w->b, p->rotation, cap_accessory_drive_parts_base(w, k), held ? -1 : k);
  }
  const cap_belt_words *words = cap_belt_words_of(&belt->arm);
  if (cap_belt_has_arm(belt))
    belt->arm.coordinate = cap_builder_dof(w->b, words->part, words->place_unit, cap_belt_arm_inertia(belt),
                                           belt->arm.angle, 0.0);
  cap_accessory_drive_shaft_add(w);
  cap_accessory_drive_hub_coordinates(w);
  return CAP_OK;
}

/* ---- loads, arm */

static void add_schedules(cap_accessory_parts *w)
{
  const cap_accessory_pulley *pulleys = w->s->pulleys.items;
  for (int k = 0; k < w->belt->npulley; k++) {
    const cap_series *torques = &pulleys[k].load.over_time;
    char name[160];
    snprintf(name, sizeof name, "pulley.%s.over_time", w->belt->pulleys[k].name);
    w->schedule[k] = -1;
    if (!torques->n) continue;
    const cap_input_key *input = &pulleys[k].load.input;
    double par[CAP_SCHEDULE_NPARAM] = {
        [CAP_SCHEDULE_COUNT] = torques->n, [CAP_SCHEDULE_BASE] = cap_accessory_drive_parts_base(w, k)};
    if (input->name) par[CAP_SCHEDULE_INPUT] = 1 + cap_builder_input(w->b, input, torques->y[0], false);
    memcpy(&par[CAP_SCHEDULE_TIME], torques->x, (size_t)torques->n * sizeof *par);
    memcpy(&par[CAP_SCHEDULE_TORQUE], torques->y, (size_t)torques->n * sizeof *par);
    w->schedule[k] = cap_builder_element(w->b, &cap_schedule_type, name,
                                         cap_accessory_drive_shaft_loaded(&w->belt->pulleys[k]), CAP_GROUND,
                                         par, NULL);
  }
}

/* Of a crank that rotates freely. */
static void add_crank_torque(cap_accessory_parts *w)
{
  const cap_belt *belt = w->belt;
  const int rotation = belt->pulleys[belt->crank].rotation;
  if (w->s->crank.torque_input.name) {
    cap_load_input_add(w->b, "crank.torque", rotation, &w->s->crank.torque_input, w->s->crank.torque, 1.0);
    return;
  }
  double drive[CAP_LOAD_NPARAM] = {[CAP_LOAD_MEAN] = w->s->crank.torque_given
                                                         ? w->s->crank.torque
                                                         : -w->start->pulleys[belt->crank].torque};
  cap_builder_element(w->b, &cap_load_type, "crank.torque", rotation, CAP_GROUND, drive, NULL);
}

void cap_accessory_drive_parts_loads(cap_accessory_parts *w)
{
  const cap_belt *belt = w->belt;
  for (int k = 0; k < belt->npulley; k++) {
    const cap_belt_load *load = &belt->pulleys[k].load;
    char name[160];
    snprintf(name, sizeof name, "pulley.%s.load", belt->pulleys[k].name);
    w->brake[k] = -1;
    if (load->n) {
      double par[CAP_BRAKE_NPARAM] = {
          [CAP_BRAKE_COUNT] = load->n, [CAP_BRAKE_BASE] = cap_accessory_drive_parts_base(w, k)};
      memcpy(&par[CAP_BRAKE_SPEED], load->speed, (size_t)load->n * sizeof *par);
      memcpy(&par[CAP_BRAKE_TORQUE], load->torque, (size_t)load->n * sizeof *par);
      w->brake[k] = cap_builder_element(w->b, &cap_brake_type, name,
                                        cap_accessory_drive_shaft_loaded(&belt->pulleys[k]), CAP_GROUND, par,
                                        NULL);
    }
  }
  add_schedules(w);
  if (w->s->crank.held) return;
  add_crank_torque(w);
}

/* "arm.stops" or "slide.stops" */
static const char *part_name(const cap_belt_arm *arm, const char *what, char name[32])
{
  snprintf(name, 32, "%s.%s", cap_belt_words_of(arm)->part, what);
  return name;
}

static void add_stops(cap_accessory_parts *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  char name[32];
  double k = w->s->tensioner.stop_stiffness, par[CAP_CLEARANCE_NPARAM];
  capm_clearance law = {.nstage = 2,
                        .at = {arm->stop_low, arm->stop_high},
                        .jump = {-k, k},
                        .low = arm->stop_low,
                        .high = arm->stop_high};
  capm_clearance_finish(&law, k);
  /* that force vanishes at the place 0, ours between the stops */
  double slope, middle = 0.5 * (arm->stop_low + arm->stop_high);
  law.offset -= capm_clearance_force(&law, middle, &slope);
  cap_clearance_params(&law, par);
  cap_builder_element(w->b, &cap_clearance_type, part_name(arm, "stops", name), arm->coordinate, CAP_GROUND,
                      par, NULL);
}

/* Dahl's curve without torque has the slope lambda friction, with the exponent 1. */
static cap_term add_friction(cap_accessory_parts *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_accessory_tensioner *t = &w->s->tensioner;
  double stiffness = t->hysteresis.law == CAP_ACCESSORY_COULOMB ? INFINITY : t->hysteresis.stiffness;
  char name[32];
  part_name(arm, "friction", name);
  if (t->hysteresis.law != CAP_ACCESSORY_DAHL)
    return (cap_term){
        CAP_TERM_SLIDER,
        cap_builder_slider(w->b, name, arm->coordinate, CAP_GROUND, stiffness, arm->friction, 0.0),
        -arm->sense};
  double par[CAP_DAHL_NPARAM] = {[CAP_DAHL_B] = arm->friction,
                                 [CAP_DAHL_E] = -arm->friction,
                                 [CAP_DAHL_LAMBDA] = stiffness / arm->friction,
                                 [CAP_DAHL_MU] = 1.0};
  double start = 0.0;
  return (cap_term){CAP_TERM_FORCE,
                    cap_builder_element(w->b, &cap_dahl_type, name, arm->coordinate, CAP_GROUND, par, &start),
                    -arm->sense};
}

/* It starts without pressure, as it is after a long rest. */
static cap_term add_chamber(cap_accessory_parts *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_belt_words *words = cap_belt_words_of(arm);
  double par[CAP_HYDRAULIC_NPARAM], start = 0.0;
  char name[32], label[80];
  cap_accessory_drive_tensioner_chamber(w->s, arm, par);
  part_name(arm, "oil", name);
  cap_term oil = {
      CAP_TERM_FORCE,
      cap_builder_element(w->b, &cap_hydraulic_type, name, arm->coordinate, CAP_GROUND, par, &start),
      -arm->sense};
  snprintf(label, sizeof label, "hydraulic %s, positive when tightening the belt", words->push);
  cap_builder_channel(w->b, name, words->push_unit, label, 1, &oil);
  return oil;
}

/* arm.angle, arm.speed, arm.torque; of a linear tensioner slide.position, slide.speed, slide.force. */
static void add_arm_channels(const cap_accessory_parts *w, const cap_belt_words *words, int npush,
                             const cap_term *push)
{
  const cap_belt_arm *arm = &w->belt->arm;
  cap_term place = {CAP_TERM_Q, arm->coordinate, 1.0}, speed = {CAP_TERM_V, arm->coordinate, 1.0};
  char name[32], label[80];
  snprintf(label, sizeof label, "%s of the tensioner %s", words->place, words->part);
  cap_builder_channel(w->b, part_name(arm, words->place, name), words->place_unit, label, 1, &place);
  cap_builder_film(w->b);
  snprintf(label, sizeof label, "speed of the tensioner %s", words->part);
  cap_builder_channel(w->b, part_name(arm, "speed", name), words->speed_unit, label, 1, &speed);
  snprintf(label, sizeof label, "%s of the tensioner, positive when tightening the belt", words->push);
  cap_builder_channel(w->b, part_name(arm, words->push, name), words->push_unit, label, npush, push);
}

void cap_accessory_drive_parts_arm(cap_accessory_parts *w)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_accessory_tensioner *t = &w->s->tensioner;
  cap_accessory_drive_hub_build(w);
  if (arm->coordinate < 0) return;
  double par[CAP_LINK_NPARAM] = {
      [CAP_LINK_K] = arm->rate,
      [CAP_LINK_C] = t->damping,
      [CAP_LINK_F0] = -(arm->sense * arm->torque_at + arm->rate * arm->torque_angle)};
  const cap_belt_words *words = cap_belt_words_of(arm);
  cap_term push[3] = {{CAP_TERM_FORCE, 0, -arm->sense}};
  int npush = 1;
  push[0].index = cap_builder_element(w->b, &cap_link_type, words->part, arm->coordinate, CAP_GROUND, par,
                                      NULL);
  if (t->hysteresis.law != CAP_ACCESSORY_NONE) push[npush++] = add_friction(w);
  if (t->hydraulic_given) push[npush++] = add_chamber(w);
  if (t->stops_given) add_stops(w);
  add_arm_channels(w, words, npush, push);
}

/* ---- channels */

void cap_accessory_drive_parts_channel(const cap_accessory_parts *w, const char *kind, const char *of,
                                       const char *what, const char *unit, const char *meaning, int nterm,
                                       const cap_term *terms)
{
  char name[200], label[300];
  snprintf(name, sizeof name, "%s.%s.%s", kind, of, what);
  snprintf(label, sizeof label, "%s %s", meaning, of);
  cap_builder_channel(w->b, name, unit, label, nterm, terms);
}

void cap_accessory_drive_parts_rotation(const cap_accessory_parts *w, int k)
{
  const cap_belt_pulley *p = &w->belt->pulleys[k];
  cap_term angle = {CAP_TERM_Q, p->rotation, 1.0};
  cap_term speed[2] = {{CAP_TERM_V, p->rotation, 1.0},
                       {CAP_TERM_CONSTANT, 0, cap_accessory_drive_parts_base(w, k)}};
  cap_accessory_drive_parts_channel(w, "pulley", p->name, "angle", "rad",
                                    w->steady ? "angle relative to steady running of" : "rotation angle of",
                                    1, &angle);
  cap_builder_film_member(w->b);
  cap_accessory_drive_parts_channel(w, "pulley", p->name, "speed", "rad/s", "speed of", 2, speed);
  cap_builder_film_member(w->b);
  cap_term load[2];
  int n = 0;
  if (w->brake[k] >= 0) load[n++] = (cap_term){CAP_TERM_FORCE, w->brake[k], 1.0};
  if (w->schedule[k] >= 0) load[n++] = (cap_term){CAP_TERM_FORCE, w->schedule[k], 1.0};
  if (n) cap_accessory_drive_parts_channel(w, "pulley", p->name, "load", "N m", "braking torque on", n, load);
}
