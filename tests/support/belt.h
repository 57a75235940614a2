/* support/belt.h — belt drives for the tests: the 6PK1940 drive and a three-pulley drive. */
#pragma once
#include "drives/accessory/belt/belt.h"

#include <math.h>

#define BELT_DEG (M_PI / 180.0)

enum { BELT_CRK, BELT_TEN, BELT_ALT, BELT_WP, BELT_PS, BELT_AC, BELT_6PK_PULLEYS };

typedef struct belt_case {
  cap_belt belt;
  cap_belt_pulley pulleys[32];
} belt_case;

static inline cap_belt_pulley belt_pulley(const char *name, double x, double y, double radius,
                                          cap_belt_side side)
{
  return (cap_belt_pulley){.name = name, .x = x, .y = y, .radius = radius, .side = side, .rotation = -1};
}

/* By the outside diameter of a ribbed pulley or flat idler, mm; the effective diameter is the same. */
static inline cap_belt_pulley belt_by_diameter(const cap_belt *belt, const char *name, double x, double y,
                                               double diameter, cap_belt_side side, double inertia)
{
  double offset = side == CAP_BELT_GROOVE ? belt->hb : belt->hr;
  cap_belt_pulley p = belt_pulley(name, x * 1e-3, y * 1e-3, 0.5e-3 * diameter + offset, side);
  p.outside = p.effective = diameter * 1e-3;
  p.inertia = inertia;
  p.friction = side == CAP_BELT_GROOVE ? 0.9 : 0.35;
  return p;
}

/* A passenger car's drive with a six-ribbed belt of 1940 mm effective length, six pulleys, tensioner on the
 * slack side: its arm stands at 253.101 deg and its spring turns it towards smaller angles. */
static inline cap_belt *belt_6pk1940(belt_case *c)
{
  cap_belt *b = &c->belt;
  *b = (cap_belt){.EA = 120e3, .mass = 0.111, .hb = 1.2e-3, .hr = 1.1e-3, .ribs = 6, .crank = BELT_CRK};
  b->effective_length = 1.940;
  b->length0 = b->effective_length + 2.0 * M_PI * b->hb;
  b->npulley = BELT_6PK_PULLEYS;
  b->pulleys = c->pulleys;
  c->pulleys[BELT_CRK] = belt_by_diameter(b, "CRK", 0, 0, 165, CAP_BELT_GROOVE, 0.20);
  c->pulleys[BELT_TEN] = belt_by_diameter(b, "TEN", 116.75, 168.45, 70, CAP_BELT_BACK, 0.0002);
  c->pulleys[BELT_ALT] = belt_by_diameter(b, "ALT", 235, 300, 56, CAP_BELT_GROOVE, 0.0030);
  c->pulleys[BELT_WP] = belt_by_diameter(b, "WP", 30, 380, 120, CAP_BELT_BACK, 0.0010);
  c->pulleys[BELT_PS] = belt_by_diameter(b, "PS", -205, 425, 130, CAP_BELT_GROOVE, 0.0010);
  c->pulleys[BELT_AC] = belt_by_diameter(b, "AC", -265, 35, 115, CAP_BELT_GROOVE, 0.0030);
  c->pulleys[BELT_TEN].on_arm = true;
  c->pulleys[BELT_TEN].mass = 0.35;
  b->arm = (cap_belt_arm){.pivot_x = 0.140,
                          .pivot_y = 0.245,
                          .length = 0.080,
                          .angle = 253.0 * BELT_DEG,
                          .rate = 0.35 / BELT_DEG,
                          .torque_at = 29.01,
                          .torque_angle = 253.101 * BELT_DEG,
                          .sense = -1,
                          .stop_low = 225.0 * BELT_DEG,
                          .stop_high = 285.0 * BELT_DEG,
                          .inertia = 0.0012,
                          .coordinate = -1};
  return b;
}

/* Three pulleys (Beikmann, Perkins and Ulsoy): crank, tensioner on the back, accessory. */
static inline cap_belt *belt_three_pulleys(belt_case *c)
{
  cap_belt *b = &c->belt;
  *b = (cap_belt){.EA = 170e3, .mass = 0.1029, .npulley = 3, .pulleys = c->pulleys};
  c->pulleys[0] = belt_pulley("crank", 0.5525, 0.0556, 0.0889, CAP_BELT_GROOVE);
  c->pulleys[1] = belt_pulley("tensioner", 0.3477, 0.05715, 0.0452, CAP_BELT_BACK);
  c->pulleys[2] = belt_pulley("accessory", 0.0, 0.0, 0.02697, CAP_BELT_GROOVE);
  c->pulleys[0].inertia = 0.07248;
  c->pulleys[1].inertia = 0.000293;
  c->pulleys[2].inertia = 0.00293;
  c->pulleys[1].on_arm = true;
  b->arm = (cap_belt_arm){
      .pivot_x = 0.2508, .pivot_y = 0.0635, .rate = 54.37, .inertia = 0.001165, .coordinate = -1};
  double x = c->pulleys[1].x - b->arm.pivot_x, y = c->pulleys[1].y - b->arm.pivot_y;
  b->arm.length = hypot(x, y);
  b->arm.angle = atan2(y, x);
  return b;
}
