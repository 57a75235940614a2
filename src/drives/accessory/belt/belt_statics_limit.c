/* drives/accessory/belt/belt_statics_limit.c — the load at which a belt is about to be slack; see
 * belt_statics.h. */
#include "drives/accessory/belt/belt_statics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 14 }; /* to 1e-4 of the load */

/* Torque that brakes a pulley while the belt runs with the crank. */
static double torque_of(const cap_belt *belt, const cap_belt_statics_case *which, int k)
{
  const cap_belt_pulley *p = &belt->pulleys[k];
  return cap_belt_torque(&p->load, which->speed * belt->pulleys[belt->crank].radius / p->radius) + p->beside;
}

/* Pulley whose load pulls at the belt most, but the crank; -1: none has a load. */
static int most_loaded(const cap_belt *belt, const cap_belt_statics_case *which)
{
  int most = -1;
  double force = 0.0;
  for (int k = 0; k < belt->npulley; k++) {
    double own = fabs(torque_of(belt, which, k)) / belt->pulleys[k].radius;
    if (k == belt->crank || !(own > force)) continue;
    most = k;
    force = own;
  }
  return most;
}

/* Whether the drive runs with a constant torque as the load of pulley k. */
static bool runs_with(const cap_belt *belt, const cap_belt_statics_case *which, int k, double torque)
{
  cap_belt_pulley pulleys[CAP_BELT_PATH_MOST];
  cap_belt_statics s;
  cap_belt tried = *belt;
  double zero = 0.0;
  memcpy(pulleys, belt->pulleys, (size_t)belt->npulley * sizeof *pulleys);
  pulleys[k].load = (cap_belt_load){.n = 1, .speed = &zero, .torque = &torque};
  pulleys[k].beside = 0.0;
  tried.pulleys = pulleys;
  return cap_belt_statics_solve(&tried, which, &s, NULL) == CAP_OK;
}

void cap_belt_statics_limit(const cap_belt *belt, const cap_belt_statics_case *which, cap_error *error)
{
  int k = which->unloaded ? -1 : most_loaded(belt, which);
  if (k < 0 || !runs_with(belt, which, k, 0.0)) return;
  double torque = torque_of(belt, which, k), good = 0.0, bad = torque;
  for (int i = 0; i < HALVINGS; i++) {
    double middle = 0.5 * (good + bad);
    if (runs_with(belt, which, k, middle)) good = middle;
    else bad = middle;
  }
  size_t used = strlen(error->text);
  snprintf(error->text + used, sizeof error->text - used, "; reduce the load on %s from %.4g N m to %.4g N m",
           belt->pulleys[k].name, torque, good);
}
