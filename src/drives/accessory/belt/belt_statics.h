/* drives/accessory/belt/belt_statics.h — steady running of a belt drive: tensions, arm angle, hub loads,
 * creep and slip.
 *
 * Maths:   docs/theory.md §23 (t effective tension, lambda stretch, g material rate, beta slip arc).
 * Reads:   drives/accessory/belt/belt.h and the geometry of drives/accessory/belt/belt_path.h.
 * Cost:    some microseconds; allocates nothing.
 *
 * Unknown are the effective tension in the exit span of the crank, the material rate and, with a free arm,
 * the arm angle. Equations: speed of the crank, closure of the belt, torque balance of the arm. The loads act
 * as at the speeds without gross slip. Where a pulley cannot carry its load (slip arc longer than its wrap)
 * no steady running exists; the result is still given as if the friction were just enough, with a safety
 * below 1 and in `slipping` the pulley that lacks most: a safety that can be read is worth more than a
 * refusal. A belt that would be slack in a span is refused, and so is an arm that would pass its stop.
 * Of a linear tensioner read m for rad, N for N m.
 */
#pragma once
#include "base/status.h"
#include "drives/accessory/belt/belt.h"
#include "drives/accessory/belt/belt_path.h"

typedef enum cap_belt_statics_arm {
  CAP_BELT_STATICS_FREE,   /* torque balance of the arm and closure of the belt; without an arm: closure */
  CAP_BELT_STATICS_LOCKED, /* arm at `angle`, closure of the belt */
  CAP_BELT_STATICS_NOMINAL /* arm and its effective tension as at rest without loads, no further stretch */
} cap_belt_statics_arm;

typedef struct cap_belt_statics_case {
  cap_belt_statics_arm arm;
  double speed;    /* rad/s of the crank, not negative */
  double angle;    /* rad of a locked arm */
  double friction; /* N m that act on the arm with the spring (negative: against it) */
  double longer;   /* m by which the unstretched belt is longer than cap_belt.length0 */
  bool unloaded;   /* the pulleys carry no loads */
} cap_belt_statics_case;

typedef struct cap_belt_statics_span {
  double tension;   /* N, T */
  double effective; /* N, t = T - m g^2 lambda: what the pulleys feel */
  double stretch;   /* lambda; 1 with the nominal belt */
} cap_belt_statics_span;

typedef struct cap_belt_statics_pulley {
  double speed;            /* rad/s, positive */
  double torque;           /* N m that it takes from the belt; the crank gives: negative */
  double power;            /* W, the same */
  double hub_x, hub_y;     /* N, force of the belt on it */
  double shift_x, shift_y; /* m by which its hub deflects under that */
  double slip_arc;         /* rad, at the exit; longer than the wrap: gross slip */
  double safety;           /* friction wrap / |ln(t_out / t_in)|; INFINITY without torque */
  double reserve;          /* e^(friction wrap) / (tight over slack effective tension): the same as a ratio */
  double slip_torque; /* N m, magnitude at which it would slip, the tension of its slack side unchanged */
  double creep;       /* 1 - rim speed / rim speed of the crank */
  double slip_speed;  /* m/s, of the belt over the rim at the exit, forwards positive */
  double loss;        /* W, lost by the creep on it */
} cap_belt_statics_pulley;

typedef struct cap_belt_statics {
  int n;
  cap_belt_statics_span spans[CAP_BELT_PATH_MOST];     /* [n] span i leaves pulley i */
  cap_belt_statics_pulley pulleys[CAP_BELT_PATH_MOST]; /* [n] */
  double angle;                                        /* rad of the arm */
  double take_up;      /* m/rad: rate of the pitch length over the arm angle */
  double arm_torque;   /* N m of the belt on the arm against the spring's sense */
  double stop_torque;  /* N m that hold a locked arm beside its spring, along its sense */
  double rate;         /* m/s, material rate g */
  double belt_speed;   /* m/s, where the belt meets the crank */
  double centrifugal;  /* N, m g^2 lambda at the exit of the crank */
  double pitch_length; /* m, of the stretched belt */
  int slipping;        /* the pulley with the least safety below 1; -1: none */
  int iterations;      /* arm angles tried */
  bool slack;          /* no solution: a span would be slack */
  cap_belt_path path;  /* geometry at `angle` */
} cap_belt_statics;

/* CAP_ERR_INPUT: the case has no solution, with the reason. */
cap_status cap_belt_statics_solve(const cap_belt *belt, const cap_belt_statics_case *which,
                                  cap_belt_statics *s, cap_error *error);

/* The same without regard to hubs, and without the load that would do. */
cap_status cap_belt_statics_solve_fixed(const cap_belt *belt, const cap_belt_statics_case *which,
                                        cap_belt_statics *s, cap_error *error);

/* A case was refused because a span would be slack: append to the sentence how much of its load the most
 * loaded pulley may have. */
void cap_belt_statics_limit(const cap_belt *belt, const cap_belt_statics_case *which, cap_error *error);

/* The same for a drive with compliant hubs: cap_belt_statics_solve calls it. */
cap_status cap_belt_statics_hubs_solve(const cap_belt *belt, const cap_belt_statics_case *which,
                                       cap_belt_statics *s, cap_error *error);

/* Arm angle at which the spring is without torque. */
double cap_belt_statics_free_angle(const cap_belt_arm *arm);
