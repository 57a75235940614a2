/* drives/bodies/rolling/rolling_body.h — what the files of the drive `rolling-body` share: its struct and
 * its parts.
 *
 * Maths: docs/theory.md §18 (bodies, rows), §21 (closed forms of the ready models).
 *   rolling_body.c         the drive itself: tables of the keys
 *   rolling_body_build.c   the struct -> coordinates, weights, contacts, channels
 *   rolling_body_start.c   velocities at the start that roll
 *   rolling_body_check.c   what no single key shows; rolling_body_check_system.c: what only the system shows
 */
#pragma once
#include "base/diag.h"
#include "base/drawing.h"
#include "base/fields.h"
#include "base/status.h"
#include "base/summary.h"
#include "laws/friction_keys.h"
#include "model/builder.h"

/* In the order of the variants of `bodies`. */
typedef enum cap_rolling_kind {
  CAP_ROLLING_KNIFE_EDGE,
  CAP_ROLLING_SLEIGH,
  CAP_ROLLING_WHEEL,
  CAP_ROLLING_DISC,
  CAP_ROLLING_BALL,
  CAP_ROLLING_BLOCK,
  CAP_ROLLING_PLANAR
} cap_rolling_kind;

/* A velocity that a user may give: its value, and whether it was given. */
typedef struct cap_rolling_rate {
  double value;
  bool given;
} cap_rolling_rate;

typedef struct cap_rolling_blade {
  const char *name; /* NULL = numbered */
  double x, y;      /* m, in the body's frame */
  double angle;     /* rad, to the body's heading */
} cap_rolling_blade;

typedef struct cap_rolling_body {
  int kind;
  const char *name;
  double mass;         /* kg */
  double radius, arm;  /* m */
  double inertia;      /* kg m2 about the vertical (planar), the diameter (disc), any axis (ball) */
  double inertia_axis; /* kg m2 about the own axis: wheel, disc */
  bool inertia_given, axis_given;
  double x, y; /* m, centre of mass */
  bool x_given, y_given;
  double heading, tilt;               /* rad; tilt of a disc's axis = inclination of its plane */
  cap_rolling_rate vx, vy, vz, speed; /* m/s */
  cap_rolling_rate turn;              /* rad/s about the vertical */
  cap_rolling_rate spin, tilt_rate;   /* rad/s: about the own axis; of the tilt */
  cap_rolling_rate wx, wy, wz;        /* rad/s of a ball about the world's axes */
  double circle;                      /* m, of a disc's steady precession */
  bool circle_given;
  cap_list blades; /* cap_rolling_blade */
} cap_rolling_body;

typedef struct cap_rolling_hinge {
  const char *name, *from, *to;
  double from_x, from_y, to_x, to_y; /* m, in the bodies' frames */
} cap_rolling_hinge;

typedef struct cap_rolling_friction {
  capm_friction_keys_pair mu;
  double width;
} cap_rolling_friction;

typedef struct cap_rolling_spec {
  struct {
    double slope, gravity, turning; /* rad, m/s2, rad/s */
  } ground;
  cap_list bodies; /* cap_rolling_body */
  cap_list hinges; /* cap_rolling_hinge */
  struct {
    double epsilon, stiffness, damping_ratio;
    int start; /* 0 unloaded, 1 loaded */
    cap_rolling_friction friction;
    bool friction_given;
  } contact;
  int start_velocity; /* 0 as given, 1 projected */
  double start;       /* s */
} cap_rolling_spec;

enum { CAP_ROLLING_BODIES = 100, CAP_ROLLING_BLADES = 20, CAP_ROLLING_HINGES = 100 };
enum { CAP_ROLLING_COORDS = 6 }; /* of one body, at most */

/* Name of a kind, as in paths: "knife-edge". */
const char *cap_rolling_body_kind(int kind);

/* ---- rolling_body_build.c ---- */

/* Number of coordinates of a body. */
int cap_rolling_body_build_coords(const cap_rolling_body *body);
/* Position and quaternion of every body at the start: hinges place the bodies that do not say where they are.
 * q[bodies][CAP_ROLLING_COORDS], e[bodies][4]. */
void cap_rolling_body_build_places(const cap_rolling_spec *s, double (*q)[CAP_ROLLING_COORDS],
                                   double (*e)[4]);
/* Describe the system with the velocities v[nv]; `rigid`: all contacts ideal, whatever epsilon is. Channels
 * only when `channels`. */
cap_status cap_rolling_body_build_system(const cap_rolling_spec *s, bool rigid, bool channels,
                                         const double *v, cap_builder *b, cap_error *error);
/* The drive's build function. */
cap_status cap_rolling_body_build(const void *spec, cap_builder *b, cap_error *error);

/* ---- rolling_body_summary.c ---- */

void cap_rolling_body_summary(const void *spec, const void *description, const cap_model *model,
                              cap_summary *out);
void cap_rolling_body_summary_draw(const void *spec, const void *description, const cap_model *model,
                                   cap_drawing *d);

/* ---- rolling_body_build.c, for the others ---- */

/* Index of a body by its name, or -1. */
int cap_rolling_body_build_find(const cap_rolling_spec *s, const char *name);
double cap_rolling_body_build_inertia(const cap_rolling_body *body);
double cap_rolling_body_build_inertia_axis(const cap_rolling_body *body);

/* ---- rolling_body_start.c ---- */

/* One velocity that the user gave: coefficients over all coordinates, and where its key stands. */
typedef struct cap_rolling_given {
  int body;
  const char *key;
  double *row; /* [nv] */
  double value;
} cap_rolling_given;

/* The rigid system at its start, and the velocities there. */
typedef struct cap_rolling_start {
  cap_model *model; /* every contact ideal */
  int nv, nrow, ngiven;
  double *v;       /* [nv] the start: what was given is held, what was not follows from rolling */
  double *nearest; /* [nv] nearest to it (in the sense of kinetic energy) that rolls */
  double *J, *b;   /* [nrow][nv], [nrow] */
  double *slip;    /* [nrow] m/s, J v - b */
  cap_rolling_given *given;
  cap_arena arena;
} cap_rolling_start;

cap_status cap_rolling_body_start_find(const cap_rolling_spec *s, cap_rolling_start *start, cap_error *error);
void cap_rolling_body_start_free(cap_rolling_start *start);
/* J M^-1 J' of one row, 1/kg: the reciprocal of its effective mass. */
double cap_rolling_body_start_mobility(const cap_rolling_start *start, int row);
/* The row that slips fastest at the start, -1 when all roll. */
int cap_rolling_body_start_slipping(const cap_rolling_start *start);
/* Largest velocity that the kinetic energy at the start can give a contact, and that of the ground, m/s: what
 * slips are to be compared with. */
double cap_rolling_body_start_speed(const cap_rolling_start *start);
/* The precession of a disc whose centre runs on a circle (theory §21.4). */
void cap_rolling_body_start_steady(const cap_rolling_spec *s, const cap_rolling_body *disc, double *turn,
                                   double *spin);

/* ---- rolling_body_check.c ---- */

enum { CAP_ROLLING_PATH = 200 };

void cap_rolling_body_check(const void *spec, cap_diag *diag);
/* Path of a key of body k ("" = of the body), and the name of a blade, given or numbered. */
const char *cap_rolling_body_check_path(const cap_rolling_spec *s, int k, const char *key,
                                        char path[CAP_ROLLING_PATH]);
const char *cap_rolling_body_check_blade(const cap_rolling_body *body, int k, char name[CAP_ROLLING_PATH]);

/* ---- rolling_body_check_system.c ---- */

void cap_rolling_body_check_system(const cap_rolling_spec *s, cap_diag *diag);
