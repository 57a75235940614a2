/* drives/accessory/belt/belt_path.h — the path of a belt around its pulleys: pure geometry of the pitch line.
 *
 * Maths:   docs/theory.md §22 (R_i = side_i r_i, a_i, u_i, n_i, L_i, phi_i as there)
 * Cost:    about 35 ns a pulley; the checks of cap_belt_path_solve grow with the square of their number.
 *          Allocates nothing.
 *
 * Span i runs from pulley i to the next one. Derivatives are those to the place of the tensioner, which is
 * the angle of its arm or, for a linear one, the length by which it slides (then read m for rad); without a
 * tensioner they are 0.
 */
#pragma once
#include "base/status.h"
#include "drives/accessory/belt/belt.h"

enum { CAP_BELT_PATH_MOST = 32, CAP_BELT_PATH_PIECES = 8 };

typedef struct cap_belt_path_span {
  double length;         /* m, L: straight part between the tangent points */
  double direction;      /* rad, a in (-pi, pi] */
  double u[2];           /* unit tangent in the direction of travel */
  double from[2], to[2]; /* m, tangent points: exit of pulley i, entry of the next */
  double dlength;        /* m/rad, of the straight part; arcs take or give the rest */
  double ddirection;     /* rad/rad */
  double stretch;        /* m/rad, u . d(c_next - c_i): how much longer it gets when no pulley turns. A
                          * tension T in it pulls at the arm with the torque -T stretch */
  double dstretch;       /* m/rad2: its derivative; sum T dstretch is the arm's geometric stiffness. Of it,
                          * length ddirection^2 is the span's swing, the rest the curvature of the arm's
                          * path */
} cap_belt_path_span;

typedef struct cap_belt_path_pulley {
  double centre[2];   /* m */
  double dcentre[2];  /* m/rad */
  double ddcentre[2]; /* m/rad2 */
  double wrap, dwrap; /* rad, rad/rad */
  double arc;         /* m, of the pitch line */
} cap_belt_path_pulley;

typedef struct cap_belt_path {
  int n;
  double angle;            /* rad, of the arm */
  double length;           /* m, of the pitch line */
  double effective_length; /* m */
  double take_up;          /* m/rad, its derivative: sum of the stretches */
  double dtake_up;         /* m/rad2, its second derivative */
  double turning;          /* rad, sum of side_i wrap_i: 2 pi when the belt is a simple loop */
  cap_belt_path_span span[CAP_BELT_PATH_MOST];
  cap_belt_path_pulley pulley[CAP_BELT_PATH_MOST];
} cap_belt_path;

/* The path with the arm at `angle` (not looked at without an arm), checked. CAP_ERR_INPUT with the reason and
 * the pulleys' names when no belt can run so. */
cap_status cap_belt_path_solve(const cap_belt *belt, double angle, cap_belt_path *path, cap_error *error);

/* The same without checks, for calls in inner loops, on a belt (of at most CAP_BELT_PATH_MOST pulleys) that
 * was checked nearby. Returns -1, or the first span that does not exist because one pulley lies within the
 * other: what follows from it is NaN. */
int cap_belt_path_trace(const cap_belt *belt, double angle, cap_belt_path *path);

/* Whether a path is one that a belt can run: pulleys that overlap, wraps of 0 or 2 pi, spans that cross a
 * pulley or each other. The sentence names them, and the change of side or order that would help when one
 * does. */
cap_status cap_belt_path_check(const cap_belt *belt, const cap_belt_path *path, cap_error *error);

/* Why the arm's travel goes no further. */
typedef enum cap_belt_path_end {
  CAP_BELT_PATH_STOP,    /* the arm's stop; without one half a turn from the arm's angle, or for a linear
                          * tensioner half the belt's length from its place */
  CAP_BELT_PATH_DEAD,    /* dead centre: the take-up vanishes */
  CAP_BELT_PATH_BLOCKED, /* beyond it no belt can run: pulleys overlap, a wrap is 0, ... */
} cap_belt_path_end;

/* A part of the arm's travel over which the belt's length grows or falls throughout. */
typedef struct cap_belt_path_piece {
  double angle[2];  /* rad, ascending */
  double length[2]; /* m, pitch length there */
  cap_belt_path_end end[2];
} cap_belt_path_piece;

/* The pieces between the stops, ascending in angle; returns their number (0: no belt can run anywhere). */
int cap_belt_path_arm_pieces(const cap_belt *belt, cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES]);

typedef struct cap_belt_path_roots {
  int n;
  double angle[CAP_BELT_PATH_PIECES]; /* rad; the first is the one to use */
} cap_belt_path_roots;

/* Arm angles between the stops at which the path has a pitch length (m). First comes one at which the spring
 * tightens the belt (take_up arm.sense > 0), nearest to arm.angle; the others follow in that order, too.
 * CAP_ERR_INPUT when there is none, with the lengths that the arm reaches and what ends its travel, or when
 * at all of them the spring would slacken the belt. */
cap_status cap_belt_path_arm_angle(const cap_belt *belt, double length, cap_belt_path_roots *roots,
                                   cap_error *error);
