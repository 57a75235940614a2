/* drives/accessory/analyses/life.h — belt life, hub loads and noise indicators of a belt drive over a duty
 * cycle.
 *
 * Maths:   docs/theory.md §32; drives/accessory/belt/belt_statics.h gives each speed,
 *          drives/accessory/belt/belt_life.h the damage,
 *          drives/accessory/belt/belt_noise.h spans and misalignment.
 * Reads:   cap_belt_of(model).
 *
 * Files: life.c keys and findings, life_duty.c the computation, life_output.c results and notes.
 */
#pragma once
#include "analysis/analysis.h"
#include "drives/accessory/belt/belt_life.h"
#include "drives/accessory/belt/belt_noise.h"
#include "laws/friction_keys.h"

/* A belt of which the life is known: this drive at a speed of its crank, or a rig. */
typedef struct cap_life_reference {
  double life;                   /* s */
  double at;                     /* rad/s of this drive's crank */
  double temperature;            /* K */
  double tension, speed, length; /* N, m/s, m of a rig */
  int ribs;
  cap_reals groove, back; /* m, diameters of its pulleys */
  bool at_given, temperature_given, tension_given, speed_given, length_given, ribs_given;
} cap_life_reference;

typedef struct cap_life_spec {
  int kind;
  cap_reals speeds;      /* rad/s of the crank; none: the one at the start */
  cap_reals weights;     /* share of time at each; none: all the same */
  cap_reals temperature; /* K, one or one for each speed */
  cap_reals orders;      /* per turn of the crank */
  double target;         /* s, life asked for */
  cap_belt_life_fatigue fatigue;
  cap_life_reference reference;
  capm_friction_keys_ratio stribeck; /* of fast sliding over that of sticking */
  double slip_limit, entry_limit, resonance_limit;
  bool target_given, reference_given, stribeck_given;
} cap_life_spec;

/* One speed of the duty cycle. */
typedef struct cap_life_point {
  double speed, weight; /* rad/s; weights together 1 */
  cap_belt_statics s;
  cap_belt_life_pass pass;
  cap_belt_life_damage damage;
  double life;                                                                /* s; NaN without a reference */
  double slip_safety[CAP_BELT_PATH_MOST], friction_slope[CAP_BELT_PATH_MOST]; /* 1, s/m */
  double frequency[CAP_BELT_PATH_MOST];                                       /* Hz of the spans */
  double margin[CAP_BELT_PATH_MOST];  /* Hz: nearest order above (+) or below f or 2 f; NaN: no orders */
  double nearest[CAP_BELT_PATH_MOST]; /* that order; negative: at 2 f */
} cap_life_point;

/* A pulley over the duty cycle; NaN: not known. */
typedef struct cap_life_pulley {
  double share;                         /* of the damage */
  double hub_most, hub_equivalent;      /* N: largest, and the cubic mean over its turns */
  double static_safety, dynamic_safety; /* allowed over these */
  double bearing_life;                  /* s, L10 */
  double slip_safety, slip_speed;       /* the least, and at which speed of the crank, rad/s */
} cap_life_pulley;

/* Speed at which an order meets a span: its frequency, or twice that. */
typedef struct cap_life_resonance {
  int span;
  double order, multiple;  /* multiple: 1, or 2 (parametric) */
  double speed, frequency; /* rad/s of the crank, Hz of the order */
  double margin;           /* rad/s from it to the nearest speed of the duty cycle, up positive */
  double near;             /* |margin| over speed */
} cap_life_resonance;

enum { CAP_LIFE_ORDERS = 32, CAP_LIFE_RESONANCES = 1024 };

typedef struct cap_life {
  const cap_belt *belt;
  const cap_life_spec *s;
  int npoint, nresonance;
  cap_life_point *points;         /* [npoint] */
  cap_life_pulley *pulleys;       /* [npulley] */
  cap_life_resonance *resonances; /* [nresonance], by order and speed */
  cap_belt_noise_entry entries[CAP_BELT_PATH_MOST];
  double rate;     /* 1/s, damage over the duty cycle */
  double life;     /* s; NaN without a reference */
  double relative; /* life over that at the first speed all the time */
  double used;     /* damage sum after the target life; NaN without */
  cap_arena arena;
} cap_life;

/* Compute all of it; free its arena in any case. */
cap_status cap_life_duty(cap_run *run, cap_life *life);

cap_status cap_life_output(cap_run *run, cap_life *life);
void cap_life_output_tell(cap_run *run, const cap_life *life);
