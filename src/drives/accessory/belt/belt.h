/* drives/accessory/belt/belt.h — the constant description of a belt drive: belt, pulleys in the order of
 * travel, tensioner.
 *
 * Maths:   docs/theory.md §22.
 *
 * Everything lies in one plane. The belt travels counter-clockwise; pulley i is followed by i + 1, the last
 * by the first. It touches a pulley with its grooved side (the pulley turns with the loop, counter-clockwise)
 * or with its back (it turns against it). The pitch line is the line of the belt that keeps its length in
 * bending; it runs around a pulley at `radius`. Analyses of belt drives find this by cap_belt_of.
 */
#pragma once
#include "base/arena.h"
#include "model/builder.h"
#include <stdbool.h>

typedef enum cap_belt_side {
  CAP_BELT_BACK = -1,
  CAP_BELT_GROOVE = 1,
} cap_belt_side;

/* Torque that brakes a pulley over its speed: n = 0 none, n = 1 constant, else linear between the points and
 * constant beyond the ends. */
typedef struct cap_belt_load {
  int n;
  const double *speed;  /* [n] rad/s of the pulley, ascending */
  const double *torque; /* [n] N m */
} cap_belt_load;

/* What the bearing of a pulley may carry, for indicators only; 0: not known. */
typedef struct cap_belt_bearing {
  double static_load, dynamic_load; /* N, hub load allowed at any time, and lasting */
  double C, C0;                     /* N, dynamic and static load rating of a rolling bearing */
} cap_belt_bearing;

enum { CAP_BELT_HUB_MOST = 9 };

/* What a pulley's centre sits on when that is compliant: mass w'' + C w' + K w = force in n coordinates (m).
 * The first two move the centre, by w[0] axis + w[1] (axis turned by +90 deg); the others, of a structure
 * given by more modes, move with them only. */
typedef struct cap_belt_hub {
  int n; /* 2 to CAP_BELT_HUB_MOST */
  double axis[2];
  bool straight; /* the centre moves along the axis alone, w[1] = 0 */
  double mass[CAP_BELT_HUB_MOST];
  double K[CAP_BELT_HUB_MOST][CAP_BELT_HUB_MOST], C[CAP_BELT_HUB_MOST][CAP_BELT_HUB_MOST];
  int coordinate; /* the first of them, or -1 */
} cap_belt_hub;

/* One-way clutch or decoupler between a pulley's rim and the shaft of what it drives (laws/clutch.h).
 * stiffness = 0: there is none. */
typedef struct cap_belt_clutch {
  double stiffness, damping; /* N m/rad, N m s/rad, engaged */
  double drag, capacity;     /* N m, at which it overruns, at which it slips forwards (may be INFINITY) */
  double inertia;            /* kg m2 of the shaft with what it drives */
  int shaft;                 /* coordinate of the shaft's rotation, or -1 */
} cap_belt_clutch;

typedef struct cap_belt_pulley {
  const char *name;
  double x, y;               /* m, centre; of a pulley on the tensioner: with that at cap_belt_arm.angle */
  double radius;             /* m, of the pitch line */
  double outside, effective; /* m, diameters */
  cap_belt_side side;
  bool on_arm;
  double inertia, mass; /* kg m2, kg; with a clutch the inertia of the rim alone */
  double friction;      /* effective coefficient towards the belt: that of the side it touches */
  cap_belt_load load;
  double offset;  /* m, its plane out of that of the drive, towards the viewer: misalignment */
  double tilt[2]; /* rad, small turns of its plane about x and y */
  cap_belt_bearing bearing;
  cap_belt_clutch clutch; /* the load acts behind it */
  double beside;     /* N m that brake in addition, whatever the speed: a torque over time, at the start */
  cap_belt_hub *hub; /* NULL: its centre is fixed (or on the tensioner) */
  double shift_x, shift_y; /* m by which the hub has given way: for the geometry the centre is there */
  int rotation; /* coordinate of its rotation, counted so that positive moves the belt forwards; or -1 */
} cap_belt_pulley;

/* The tensioner: rotary (an arm) or linear (a slide). With its place s, an angle or a length, its pulley sits
 * at pivot + length (cos s, sin s) + slide s: length = 0 for a linear one, slide = (0, 0) for a rotary one,
 * both: there is none. Its spring pushes with torque_at + rate (torque_angle - s) sense in the direction
 * `sense`. Units below are those of a rotary one; for a linear one rad becomes m, N m becomes N, kg m2
 * becomes kg. */
typedef struct cap_belt_arm {
  double pivot_x, pivot_y, length; /* m; for a linear one where its pulley is at s = 0 */
  double slide_x, slide_y;         /* unit vector along which the pulley moves with growing s */
  double angle;                    /* rad, s at which the system starts */
  double rate;                     /* N m/rad */
  double torque_at, torque_angle;  /* N m at rad */
  int sense;                       /* +1, -1: the direction in which the spring pushes to tighten the belt */
  double stop_low, stop_high;      /* rad */
  double friction;                 /* N m, dry friction of the bearing: half the width of its loop */
  double damping;                  /* N m s/rad, viscous */
  double oil;                      /* N m/rad, of a hydraulic chamber against quick motion; 0: none */
  double inertia;                  /* kg m2 about the pivot, without the pulley's mass */
  int coordinate;                  /* of its place, or -1 */
} cap_belt_arm;

/* How a tensioner and its place are told to people and named in results. */
typedef struct cap_belt_words {
  const char *part;                                               /* "arm", "slide" */
  const char *place;                                              /* "angle", "position" */
  const char *push;                                               /* "torque", "force" */
  const char *unit;                                               /* in which a place is told: "deg", "mm" */
  double scale;                                                   /* of it in the SI unit */
  const char *place_unit, *speed_unit, *push_unit, *take_up_unit; /* SI */
} cap_belt_words;

typedef struct cap_belt {
  double EA, EI;           /* N, N m2 */
  double mass;             /* kg/m */
  double damping;          /* s: tension EA (strain + damping strain') */
  double length0;          /* m, unstretched, of the pitch line */
  double effective_length; /* m, length0 - 2 pi hb */
  double named_length;     /* m, pitch length at the tension at which it is measured; 0: not known */
  bool named_pitch;        /* messages name pitch lengths, else effective ones */
  double hb, hr;           /* m, pitch line from the effective diameter, and from the back */
  double speed;            /* rad/s of the crank at the start */
  int ribs, crank;         /* crank: index of its pulley */
  int npulley;
  cap_belt_pulley *pulleys; /* [npulley] */
  cap_belt_arm arm;
} cap_belt;

extern const cap_subject_type cap_belt_subject; /* analyses/belt_subject.c */

/* The belt drive that a model is; NULL: it is none. */
const cap_belt *cap_belt_of(const cap_model *m);
/* The system that is being built is this one; copied. */
void cap_belt_describe(cap_builder *b, const cap_belt *belt);

/* A deep copy that lives in the arena; NULL: out of memory. */
cap_belt *cap_belt_copy(cap_arena *arena, const cap_belt *belt);

/* Coordinates w[n] of a hub at rest under a force (N) on the centre, and by how much that has moved, (x, y)
 * in shift (m). False: it holds nothing. */
bool cap_belt_hub_settle(const cap_belt_hub *hub, double fx, double fy, double w[CAP_BELT_HUB_MOST],
                         double shift[2]);
/* (x, y) by which the centre moves with the coordinate k = 0, 1. */
void cap_belt_hub_way(const cap_belt_hub *hub, int k, double way[2]);

/* N m that brake the pulley at a speed (rad/s). */
double cap_belt_torque(const cap_belt_load *load, double speed);
/* N m s/rad: its slope there; at a point of the table that of the interval above. */
double cap_belt_torque_slope(const cap_belt_load *load, double speed);
bool cap_belt_has_arm(const cap_belt *belt);
bool cap_belt_has_hubs(const cap_belt *belt);
/* Whether the tensioner is a linear one. */
bool cap_belt_slides(const cap_belt_arm *arm);
const cap_belt_words *cap_belt_words_of(const cap_belt_arm *arm);
/* N m (N of a linear one): push of the spring in the direction `sense` at an angle (place). */
double cap_belt_spring(const cap_belt_arm *arm, double angle);
/* kg m2 (kg): inertia of the tensioner with the mass of its pulley. */
double cap_belt_arm_inertia(const cap_belt *belt);
