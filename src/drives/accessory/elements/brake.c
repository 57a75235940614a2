/* drives/accessory/elements/brake.c — torque that brakes a shaft, over its speed: an accessory's load. */
#include "drives/accessory/accessory_drive_tuned.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>

/* Torque and its slope at the speed w; `step` doubles from one parameter to the next. */
static double torque_at(const double *par, int step, double w, double *slope)
{
  const double *speed = par + CAP_BRAKE_SPEED * step, *torque = par + CAP_BRAKE_TORQUE * step;
  int n = (int)par[CAP_BRAKE_COUNT * step], low = 0, high = n - 1;
  double size = fabs(w), value;
  *slope = 0.0;
  if (n == 0) return 0.0;
  if (size <= speed[0]) value = torque[0];
  else if (size >= speed[(n - 1) * step]) value = torque[(n - 1) * step];
  else {
    while (high - low > 1) {
      int middle = (low + high) / 2;
      if (speed[middle * step] <= size) low = middle;
      else high = middle;
    }
    *slope = (torque[high * step] - torque[low * step]) / (speed[high * step] - speed[low * step]);
    value = torque[low * step] + *slope * (size - speed[low * step]);
  }
  if (size >= CAP_ACCESSORY_TUNED_BRAKE_SLOW) return w < 0.0 ? -value : value;
  *slope += torque[0] / CAP_ACCESSORY_TUNED_BRAKE_SLOW;
  return copysign(value - torque[0], w) + torque[0] * w / CAP_ACCESSORY_TUNED_BRAKE_SLOW;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int width = e->nlane, ncol = e->ncol;
  for (int n = 0; n < b->n; n++)
    for (int l = 0; l < width; l++) {
      int i = b->i[n];
      const double *par = b->par + n * CAP_BRAKE_NPARAM * width + l;
      double slope, w = par[CAP_BRAKE_BASE * width] + e->v[i * width + l];
      double torque = torque_at(par, width, w, &slope);
      e->h[i * width + l] -= torque;
      for (int c = 0; c < ncol; c++)
        e->dh[(i * ncol + c) * width + l] -= slope * e->dv[(i * ncol + c) * width + l];
      if (e->force) e->force[(b->elem_adr + n) * width + l] = torque;
      if (e->power) e->power[(b->mech_adr + n) * width + l] = torque * w;
    }
}

/* The corners of the table next to the speed of the frame, as many as there is room for. */
static int joints(const cap_batch *b, int n, int lane, cap_joint out[CAP_JOINTS_MOST])
{
  const double *par = b->par + n * CAP_BRAKE_NPARAM * b->nlane + lane;
  int count = (int)par[CAP_BRAKE_COUNT * b->nlane], first = 0, most = CAP_JOINTS_MOST;
  double base = par[CAP_BRAKE_BASE * b->nlane];
  while (first < count && par[(CAP_BRAKE_SPEED + first) * b->nlane] < base) first++;
  first = first > most / 2 ? first - most / 2 : 0;
  if (first + most > count) first = count > most ? count - most : 0;
  int found = count - first < most ? count - first : most;
  if (count < 2) return 0;
  for (int k = 0; k < found; k++)
    out[k] = (cap_joint){.velocity = true, .at = par[(CAP_BRAKE_SPEED + first + k) * b->nlane] - base};
  return found;
}

const cap_element_type cap_brake_type = {
    .name = "brake",
    .doc = "braking torque of a shaft, vs its speed",
    .nparam = CAP_BRAKE_NPARAM,
    .nmech = 1,
    .mech_name = {"work"},
    .tangent = true,
    .joints = joints,
    .rates = rates,
};
