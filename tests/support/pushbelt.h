/* tests/support/pushbelt.h — the public reference variator as a description alone, without any model. */
#pragma once
#include "drives/pushbelt/description/variator.h"
#include "flanks.h"

#include <math.h>

static inline cap_variator pushbelt_reference(void)
{
  cap_variator v = {
      .simulated = 437,
      .real = 437,
      .iota = 1.0,
      .centre_distance = 0.155,
      .wedge = 11.0 * M_PI / 180.0,
      .inner = 0.020,
      .outer = 0.078,
      .element = {.thickness = 1.5e-3,
                  .head_thickness = 1.5e-3,
                  .edge = -0.97e-3,
                  .flank = -1.09e-3,
                  .saddle = 0.03e-3,
                  .ear = 2.23e-3,
                  .head = 4.93e-3,
                  .edge_radius = 4e-3,
                  .edge_turn = 4.9 * M_PI / 180.0,
                  .mass = 2.25e-3,
                  .inertia = 2.93e-8},
      .contact = {.edge = {5e6, 4e-4, 7500.0},
                  .head = {5e6, 4e-4, 7500.0},
                  .flank_stiffness = 2e7,
                  .flank_friction = {0.09, 0.09, 0.0, 0.0},
                  .flank_points = 1,
                  .flank_coupled = true,
                  .saddle_stiffness = 1e7,
                  .ear_stiffness = 1e7,
                  .ring_friction = {0.10, 0.10, 0.0, 0.0}},
      .ring = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .ring_length = 0.6666,
      .ring_thickness = 9 * 0.185e-3,
      .load = {.speed = 2000.0 * M_PI / 30.0, .ratio = 1.0, .torque = -50.0, .clamping = 6446.0},
      .x = -1,
      .y = -1,
      .pitch = -1};
  cap_ring_section_fill(&v.ring, 8000.0);
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    cap_variator_pulley *pulley = &v.pulley[p];
    pulley->inertia = 0.014;
    pulley->loose_mass = 2.5;
    pulley->x = p * v.centre_distance;
    pulley->rotation = pulley->closing = -1;
    for (int s = 0; s < CAP_VARIATOR_SHEAVES; s++) pulley->sheave[s] = flanks_sheave(s == CAP_VARIATOR_FIXED);
  }
  return v;
}

/* Its elements alone, with friction and a little damping between them. */
static inline cap_variator pushbelt_chain(int simulated, int real)
{
  cap_variator v = pushbelt_reference();
  v.simulated = simulated;
  v.real = real;
  v.iota = (double)real / simulated;
  v.contact.press_damping = 2e-8;
  v.contact.press_friction = 0.1;
  return v;
}

/* The ratio of the ring's line at which that of the rocking edge is `edge`. */
static inline double pushbelt_ring_ratio(const cap_variator *v, double edge)
{
  double delta = v->element.saddle + 0.5 * v->ring_thickness - v->element.edge,
         length = v->ring_length - 2.0 * M_PI * delta;
  double low = 1e-3, high = 0.5 * length, d = v->centre_distance;
  for (int k = 0; k < 200; k++) {
    double r = 0.5 * (low + high), s = (edge - 1.0) * r / d;
    double a = fabs(s) < 1.0 ? asin(s) : copysign(0.5 * M_PI, s);
    double is = r * (M_PI - 2.0 * a) + edge * r * (M_PI + 2.0 * a) + 2.0 * d * cos(a);
    if (is < length && fabs(s) < 1.0) low = r;
    else high = r;
  }
  return (edge * low + delta) / (low + delta);
}
