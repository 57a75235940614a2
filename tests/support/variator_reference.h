/* The public reference variator: 437 elements of 1.5 mm, axes 155 mm apart, sheaves that tilt and bend. */
#pragma once
#include "contact/variator.h"
#include "flanks.h"

#include <math.h>

static inline cap_variator variator_reference(double ratio, double torque, double clamping, int simulated)
{
  cap_variator v = {
      .simulated = simulated,
      .real = 437,
      .iota = 437.0 / simulated,
      .centre_distance = 0.155,
      .wedge = 11.0 * M_PI / 180.0,
      .inner = 0.020,
      .outer = 0.078,
      .ring = {.layers = 9, .packs = 2, .thickness = 0.185e-3, .width = 9.75e-3, .modulus = 1.8e11},
      .ring_length = 0.6666,
      .ring_thickness = 9 * 0.185e-3,
      .load = {2000.0 * M_PI / 30.0, ratio, torque, clamping},
      .x = -1,
      .y = -1,
      .pitch = -1};
  v.element = (cap_variator_element){.thickness = 1.5e-3,
                                     .head_thickness = 1.5e-3,
                                     .edge = -0.97e-3,
                                     .flank = -1.09e-3,
                                     .saddle = 0.03e-3,
                                     .ear = 2.23e-3,
                                     .head = 4.93e-3,
                                     .half_width = 12e-3,
                                     .edge_radius = 4e-3,
                                     .edge_turn = 4.9 * M_PI / 180.0,
                                     .mass = 2.25e-3,
                                     .inertia = 2.93e-8};
  v.contact = (cap_variator_contacts){.edge = {5e6, 4e-4, 7500.0},
                                      .head = {5e6, 4e-4, 7500.0},
                                      .press_friction = 0.1,
                                      .flank_stiffness = 2e7,
                                      .flank_friction = {.mu_static = 0.09, .mu_kinetic = 0.09},
                                      .flank_points = 1,
                                      .flank_coupled = true,
                                      .saddle_stiffness = 1e7,
                                      .ear_stiffness = 1e7,
                                      .ring_friction = {.mu_static = 0.1, .mu_kinetic = 0.1}};
  cap_ring_section_fill(&v.ring, 8000.0);
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++)
    v.pulley[k] = (cap_variator_pulley){.inertia = 0.014,
                                        .loose_mass = 2.5,
                                        .sheave = {flanks_sheave(false), flanks_sheave(true)},
                                        .x = k * 0.155,
                                        .rotation = -1,
                                        .closing = -1};
  return v;
}
