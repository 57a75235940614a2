/* drives/accessory/elements/schedule.c — torque against a shaft over time or as an input: what an accessory
 * takes beside its load over speed.
 */
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

/* `step` doubles from one parameter to the next. */
static double torque_at(const double *par, int step, const double *inputs, double t)
{
  int input = (int)par[CAP_SCHEDULE_INPUT * step];
  if (input) return cap_input_at(inputs, input - 1, t);
  const double *time = par + CAP_SCHEDULE_TIME * step, *torque = par + CAP_SCHEDULE_TORQUE * step;
  int n = (int)par[CAP_SCHEDULE_COUNT * step], low = 0, high = n - 1;
  if (t <= time[0]) return torque[0];
  if (t >= time[high * step]) return torque[high * step];
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (time[middle * step] <= t) low = middle;
    else high = middle;
  }
  double part = (t - time[low * step]) / (time[high * step] - time[low * step]);
  return torque[low * step] + part * (torque[high * step] - torque[low * step]);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int width = e->nlane;
  for (int n = 0; n < b->n; n++)
    for (int l = 0; l < width; l++) {
      int i = b->i[n] * width + l;
      const double *par = b->par + n * CAP_SCHEDULE_NPARAM * width + l;
      double torque = torque_at(par, width, e->input, e->t[l]), w = par[CAP_SCHEDULE_BASE * width] + e->v[i];
      e->h[i] -= torque;
      if (e->force) e->force[(b->elem_adr + n) * width + l] = torque;
      if (e->power) e->power[(b->mech_adr + n) * width + l] = torque * w;
    }
}

const cap_element_type cap_schedule_type = {
    .name = "schedule",
    .doc = "braking torque of a shaft, vs time",
    .nparam = CAP_SCHEDULE_NPARAM,
    .nmech = 1,
    .mech_name = {"work"},
    .rates = rates,
};
