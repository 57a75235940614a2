/* drives/accessory/belt/belt_life.h — how fast a running belt wears out: damage of each pulley, by Miner's
 * rule.
 *
 * Maths:   docs/theory.md §32.1 (w, d, m, T, p, sigma, N as there)
 * Cost:    two powers a pulley; allocates nothing.
 *
 * Indicators, no prediction: the laws are fits to lives of whole drives, and nothing here knows of cracks,
 * wear of the ribs, dirt or age.
 */
#pragma once
#include "drives/accessory/belt/belt_statics.h"

typedef enum cap_belt_life_law {
  CAP_BELT_LIFE_DIAMETER, /* damage of a pass over a pulley ~ w d^-m (T / ribs)^p 2^(temperature / halving) */
  CAP_BELT_LIFE_STRESS    /* damage of a pass over a pulley = 1/N, N = (strength / sigma)^exponent */
} cap_belt_life_law;

/* Which tension wears the belt in the diameter law: the mean of the spans, the same for all pulleys, or the
 * larger one of the two beside each pulley. */
typedef enum cap_belt_life_tension { CAP_BELT_LIFE_MEAN, CAP_BELT_LIFE_TIGHT } cap_belt_life_tension;

typedef struct cap_belt_life_fatigue {
  int law;                 /* cap_belt_life_law; first: the tag of a section with variants */
  int tension;             /* cap_belt_life_tension */
  double exponent;         /* m, or that of N */
  double groove, back;     /* w of a pulley on either side */
  double tension_exponent; /* p */
  double halving;          /* K: temperature that halves the life */
  double area,
      thickness; /* m2 and m, of the belt's cross-section: sigma = T / area + modulus thickness / d */
  double modulus, strength; /* Pa; strength: sigma that a belt carries once */
} cap_belt_life_fatigue;

/* What a belt meets in one pass around. */
typedef struct cap_belt_life_pass {
  int n;
  double diameter[CAP_BELT_PATH_MOST]; /* m, effective */
  bool back[CAP_BELT_PATH_MOST];
  double tight[CAP_BELT_PATH_MOST]; /* N, the larger tension beside the pulley, centrifugal part included */
  double tension;                   /* N, mean over the spans, the same */
  double ribs;                      /* or 1 for a belt without */
  double passes;                    /* 1/s */
  double heat;                      /* K above the temperature that counts as none */
} cap_belt_life_pass;

typedef struct cap_belt_life_damage {
  double share[CAP_BELT_PATH_MOST]; /* of each pulley; together 1 */
  double pass; /* of one pass. Stress law: part of the life. Diameter law: in units of one
                * grooved pulley of 100 mm at 100 N a rib */
  double rate; /* 1/s: pass times passes */
} cap_belt_life_damage;

/* Of a steady running. */
cap_belt_life_pass cap_belt_life_running(const cap_belt *belt, const cap_belt_statics *s);

void cap_belt_life_miner(const cap_belt_life_fatigue *fatigue, const cap_belt_life_pass *pass,
                         cap_belt_life_damage *damage);
