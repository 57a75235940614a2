/* drives/accessory/analyses/statics_belt.h — statics of a belt drive: tensions, hub loads, slip and arm
 * positions over speeds.
 *
 * Maths:   docs/theory.md §23; drives/accessory/belt/belt_statics.h solves one case.
 *
 * A table with one row for each speed of the crank, and the positions of the tensioner at rest as arrays. A
 * speed at which the drive cannot run has NaN in its row, and the reason is told; when no speed is left, the
 * analysis fails with it.
 */
#pragma once
#include "analysis/extension.h"
#include "drives/accessory/belt/belt_statics.h"

typedef struct cap_statics_belt_spec {
  cap_reals speeds;        /* rad/s of the crank; none: the one at the start */
  int arm;                 /* cap_belt_statics_arm */
  double angle;            /* rad of a locked arm */
  double position;         /* m of a locked slide */
  double length_tolerance; /* m */
  double replace;          /* m by which a belt to be replaced is longer */
  bool arm_given, angle_given, position_given, tolerance_given, replace_given;
} cap_statics_belt_spec;

typedef struct cap_statics_belt_point {
  double speed; /* rad/s */
  bool found;
  cap_belt_statics s;
} cap_statics_belt_point;

enum { CAP_STATICS_BELT_POSITIONS = 7 };

/* Where the arm stands at rest without loads; NaN where it cannot. */
typedef struct cap_statics_belt_position {
  const char *name;
  bool of_belt;   /* a belt `longer` than the nominal one puts it there; else the angle is given */
  double longer;  /* m */
  double angle;   /* rad */
  double length;  /* m, effective, of the unstretched belt that fits */
  double path;    /* m, effective, of its path: with the stretch */
  double torque;  /* N m of the spring */
  double tension; /* N */
  double take_up; /* m/rad */
} cap_statics_belt_position;

cap_status cap_statics_belt_run(cap_run *run, const cap_statics_belt_spec *s);

/* The positions that the keys ask for; returns their number, 0 without an arm. */
int cap_statics_belt_positions(const cap_belt *belt, const cap_statics_belt_spec *s,
                               cap_statics_belt_position positions[CAP_STATICS_BELT_POSITIONS]);

/* What a person wants to read, as notes. */
void cap_statics_belt_tell(cap_run *run, const cap_statics_belt_spec *s, int npoint,
                           const cap_statics_belt_point *points, int nposition,
                           const cap_statics_belt_position *positions);

/* The same as keys of the analysis `statics` and as its way with belt drives (statics_belt_keys.c). */
extern const cap_field cap_statics_belt_keys_fields[];
extern const cap_extension cap_statics_belt_keys_extension;
