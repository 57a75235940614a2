/* drives/accessory/analyses/statics_belt_positions.c — see statics_belt.h: where the arm stands at rest. */
#include "drives/accessory/analyses/statics_belt.h"

#include <math.h>

static void fill(const cap_belt *belt, const cap_belt_path *path, double angle, cap_statics_belt_position *p)
{
  double spring = cap_belt_spring(&belt->arm, angle);
  p->angle = angle;
  p->torque = spring;
  p->take_up = fabs(path->take_up);
  p->tension = spring / p->take_up;
  p->length = path->length / (1.0 + p->tension / belt->EA) - 2.0 * M_PI * belt->hb;
  p->path = path->length - 2.0 * M_PI * belt->hb;
}

static void place(const cap_belt *belt, cap_statics_belt_position *p)
{
  cap_error error;
  cap_belt_path path;
  cap_belt_statics s;
  cap_belt_statics_case rest = {.arm = CAP_BELT_STATICS_FREE, .longer = p->longer, .unloaded = true};
  double angle = p->angle;
  if (!p->of_belt) p->torque = cap_belt_spring(&belt->arm, angle);
  p->length = p->path = p->tension = p->take_up = NAN;
  if (p->of_belt) {
    p->angle = p->torque = NAN;
    if (cap_belt_statics_solve(belt, &rest, &s, &error) == CAP_OK) fill(belt, &s.path, s.angle, p);
  } else if (cap_belt_path_solve(belt, angle, &path, &error) == CAP_OK &&
             path.take_up * belt->arm.sense > 0.0)
    fill(belt, &path, angle, p);
}

/* The arm without a belt: where its spring has no torque, or its stop on the way there. */
static double free_angle(const cap_belt_arm *arm)
{
  double angle = arm->rate > 0.0 ? cap_belt_statics_free_angle(arm) : arm->sense * INFINITY;
  return arm->stop_low < arm->stop_high ? fmin(fmax(angle, arm->stop_low), arm->stop_high) : angle;
}

int cap_statics_belt_positions(const cap_belt *belt, const cap_statics_belt_spec *s,
                               cap_statics_belt_position positions[CAP_STATICS_BELT_POSITIONS])
{
  const cap_belt_arm *arm = &belt->arm;
  int n = 0;
  if (!cap_belt_has_arm(belt)) return 0;
  if (isfinite(free_angle(arm)))
    positions[n++] = (cap_statics_belt_position){.name = "free", .angle = free_angle(arm)};
  if (s->replace > 0.0)
    positions[n++] = (cap_statics_belt_position){.name = "replace", .of_belt = true, .longer = s->replace};
  if (s->length_tolerance > 0.0)
    positions[n++] = (cap_statics_belt_position){
        .name = "longest", .of_belt = true, .longer = s->length_tolerance};
  positions[n++] = (cap_statics_belt_position){.name = "nominal", .of_belt = true};
  if (s->length_tolerance > 0.0)
    positions[n++] = (cap_statics_belt_position){
        .name = "shortest", .of_belt = true, .longer = -s->length_tolerance};
  if (isfinite(arm->stop_low) && arm->stop_low < arm->stop_high)
    positions[n++] = (cap_statics_belt_position){.name = "low stop", .angle = arm->stop_low};
  if (isfinite(arm->stop_high) && arm->stop_low < arm->stop_high)
    positions[n++] = (cap_statics_belt_position){.name = "high stop", .angle = arm->stop_high};
  for (int k = 0; k < n; k++) place(belt, &positions[k]);
  return n;
}
