/* The belt-tensioner-mass system with Masing's law as a piecewise linear system, for tests.
 * Bastien, Michon, Manin, Dufour: eqs. (36), (41), parameters (35), (37), damper (29). */
#pragma once
#include "model/linear.h"

typedef struct belt_mass {
  cap_arena arena;
  cap_linear linear;
  double cq[2], cv[2]; /* tension of the belt */
  cap_functional tension;
} belt_mass;

static const double BELT_MASS_M1 = 73.84, BELT_MASS_M2 = 0.15, BELT_MASS_K = 560000, BELT_MASS_C = 160,
                    BELT_MASS_G = 9.81, BELT_MASS_SLIDER = 4.84e5, BELT_MASS_K0 = 2.34e5,
                    BELT_MASS_LIMIT = 163, BELT_MASS_F0 = -573, BELT_MASS_DAMPING = 1.93e4 * 9.4;

static inline cap_status belt_mass_create(belt_mass *b)
{
  *b = (belt_mass){0};
  return cap_linear_create(&b->arena, 2, 1, 1, &b->linear);
}

static inline void belt_mass_fill(belt_mass *b, double force, double angular_frequency)
{
  cap_linear *l = &b->linear;
  double c0 = BELT_MASS_DAMPING / angular_frequency;
  l->mass[0] = BELT_MASS_M1;
  l->mass[3] = BELT_MASS_M2;
  l->stiffness[0] = BELT_MASS_K;
  l->stiffness[1] = l->stiffness[2] = -BELT_MASS_K;
  l->stiffness[3] = BELT_MASS_K + BELT_MASS_K0;
  l->damping[0] = BELT_MASS_C;
  l->damping[1] = l->damping[2] = -BELT_MASS_C;
  l->damping[3] = BELT_MASS_C + c0;
  l->f0[0] = BELT_MASS_M1 * BELT_MASS_G;
  l->f0[1] = BELT_MASS_M2 * BELT_MASS_G + BELT_MASS_F0;
  l->angular_frequency[0] = angular_frequency;
  l->fs[0] = force;
  l->b[1] = 1.0;
  l->k[0] = BELT_MASS_SLIDER;
  l->limit[0] = BELT_MASS_LIMIT;
  b->cq[0] = BELT_MASS_K;
  b->cq[1] = -BELT_MASS_K;
  b->cv[0] = BELT_MASS_C;
  b->cv[1] = -BELT_MASS_C;
  b->tension = (cap_functional){.cq = b->cq, .cv = b->cv};
}
