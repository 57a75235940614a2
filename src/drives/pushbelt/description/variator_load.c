/* drives/pushbelt/description/variator_load.c — see variator_load.h. */
#include "drives/pushbelt/description/variator_load.h"

#include <math.h>

double cap_variator_load_at(const cap_variator_load *load, const double *inputs, double t)
{
  if (load->input) return cap_input_at(inputs, load->input - 1, t);
  int low = 0, high = load->n - 1;
  if (t <= load->t[0]) return load->y[0];
  if (t >= load->t[high]) return load->y[high];
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (load->t[middle] <= t) low = middle;
    else high = middle;
  }
  double part = (t - load->t[low]) / (load->t[high] - load->t[low]);
  return load->y[low] + part * (load->y[high] - load->y[low]);
}

static double value_of(const cap_variator_load *load, const cap_eval *e)
{
  double value = cap_variator_load_at(load, e->input, e->t[0]);
  return load->of ? value * cap_variator_load_at(load->of, e->input, e->t[0]) : value;
}

static void act(const cap_batch *b, cap_eval *e, int n, double force)
{
  int i = b->i[n];
  e->h[i] += force;
  if (e->force) e->force[b->elem_adr + n] = -force;
  if (e->power) e->power[b->mech_adr + n] = force * e->v[i];
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; n < b->n; n++) act(b, e, n, value_of(b->bodies[n], e));
}

/* A secondary that stands still has no ratio: what it reaches at 1 rad/s is taken. */
static void control_rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; n < b->n; n++) {
    const cap_variator_load *load = b->bodies[n];
    double slow = fmax(e->v[load->secondary], 1.0);
    double off = e->v[load->primary] / slow - cap_variator_load_at(load, e->input, e->t[0]);
    double wanted = load->start + load->gain * off + e->x[b->x_adr + n];
    double force = fmin(fmax(wanted, 0.0), load->most);
    bool outward = (wanted > load->most && off > 0.0) || (wanted < 0.0 && off < 0.0);
    e->xdot[b->x_adr + n] = outward ? 0.0 : load->integral * off;
    act(b, e, n, force);
  }
}

const cap_element_type cap_variator_load_type = {
    .name = "variator load",
    .doc = "torque or clamping force on a pulley of a variator vs time",
    .nmech = 1,
    .mech_name = {"work"},
    .mech_input = {true},
    .rates = rates,
};

const cap_element_type cap_variator_load_control_type = {
    .name = "variator control",
    .doc = "clamping force set by a controller of the speed ratio",
    .nstate = 1,
    .nmech = 1,
    .mech_name = {"work"},
    .mech_input = {true},
    .wide = true,
    .rates = control_rates,
};
