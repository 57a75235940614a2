/* drives/bodies/planar/bodies.h — what the files of the drive `bodies` share: its struct and its parts.
 *
 * Maths: docs/theory.md §37 (geometry of contacts), §36 (set-valued laws).
 *   bodies.c            the drive itself: tables of the keys
 *   bodies_scene.c      the struct -> places, points that touch: what is where at the start
 *   bodies_build.c      the scene -> coordinates, forces, joints, contacts, channels
 *   bodies_check.c      what no single key shows
 */
#pragma once
#include "base/diag.h"
#include "base/drawing.h"
#include "base/fields.h"
#include "base/status.h"
#include "base/summary.h"
#include "contact/contacts.h"
#include "laws/friction_keys.h"
#include "model/builder.h"

/* In the order of the variants of `bodies`. */
typedef enum cap_bodies_kind {
  CAP_BODIES_DISC,
  CAP_BODIES_BLOCK,
  CAP_BODIES_POLYGON,
  CAP_BODIES_POINT
} cap_bodies_kind;

typedef enum cap_bodies_hold { CAP_BODIES_FREE, CAP_BODIES_ANGLE, CAP_BODIES_PLACE } cap_bodies_hold;

typedef struct cap_bodies_corner {
  double x, y; /* m, in the body's frame */
} cap_bodies_corner;

typedef struct cap_bodies_shake {
  double direction, amplitude, angular_frequency, phase; /* rad, m, rad/s, rad */
} cap_bodies_shake;

typedef struct cap_bodies_body {
  int kind;
  const char *name;
  double mass, inertia; /* kg, kg m2 about the centre of mass */
  bool inertia_given;
  double radius, width, height; /* m */
  cap_list corners;             /* cap_bodies_corner, counterclockwise */
  double x, y, angle;           /* m, m, rad: centre of mass at the start */
  bool x_given, y_given;
  double vx, vy, turn; /* m/s, m/s, rad/s */
  int hold;            /* cap_bodies_hold */
  double speed;        /* rad/s of a body whose place is held */
  cap_input_key speed_input;
  cap_bodies_shake shake;
  bool shake_given;
} cap_bodies_body;

typedef enum cap_bodies_line_kind { CAP_BODIES_LINE, CAP_BODIES_SLOT } cap_bodies_line_kind;

typedef struct cap_bodies_line {
  int kind;
  const char *name, *of; /* of: body that it is fixed to, NULL = ground */
  double x, y, angle;    /* m, m, rad: in the frame of that */
  double speed;          /* m/s along the angle: a conveyor */
  double width;          /* m: slot */
} cap_bodies_line;

typedef enum cap_bodies_law_kind {
  CAP_BODIES_SET_VALUED,
  CAP_BODIES_COMPLIANT,
  CAP_BODIES_REGULARISED
} cap_bodies_law_kind;

typedef struct cap_bodies_law {
  int kind;
  double restitution, restitution_speed; /* 1, m/s */
  double stiffness, damping;             /* N/m, N s/m */
  capm_friction_keys_pair friction;
  double regular; /* m/s */
} cap_bodies_law;

typedef enum cap_bodies_contact_kind { CAP_BODIES_TOUCH, CAP_BODIES_PIN } cap_bodies_contact_kind;

typedef struct cap_bodies_contact {
  int kind;
  const char *name, *from, *to; /* name: NULL = from-to */
  double from_x, from_y, to_x, to_y, radius, hole;
  cap_bodies_law law;
  bool law_given;
} cap_bodies_contact;

typedef enum cap_bodies_joint_kind {
  CAP_BODIES_HINGE,
  CAP_BODIES_GUIDE,
  CAP_BODIES_SLIDE,
  CAP_BODIES_ROD,
  CAP_BODIES_ROPE
} cap_bodies_joint_kind;

typedef struct cap_bodies_joint {
  int kind;
  const char *name, *from, *to; /* to: NULL = ground */
  double from_x, from_y, to_x, to_y;
  double angle;  /* rad: direction of a guide or slide in the frame of `to` */
  double length; /* m: of a rope */
  bool length_given;
  double restitution;
} cap_bodies_joint;

typedef struct cap_bodies_spring {
  const char *name, *from, *to;
  double from_x, from_y, to_x, to_y, stiffness, damping, length;
  bool length_given;
} cap_bodies_spring;

typedef enum cap_bodies_load_kind { CAP_BODIES_FORCE, CAP_BODIES_TORQUE } cap_bodies_load_kind;

typedef struct cap_bodies_load {
  int kind;
  const char *name, *on;
  double direction, mean, amplitude, angular_frequency, phase;
  cap_input_key mean_input;
} cap_bodies_load;

typedef struct cap_bodies_spec {
  double gravity, start; /* m/s2, s */
  cap_list bodies;       /* cap_bodies_body */
  cap_list lines;        /* cap_bodies_line */
  int pairs;             /* 0 all, 1 listed */
  cap_bodies_law contact;
  cap_list contacts; /* cap_bodies_contact */
  cap_list joints;   /* cap_bodies_joint */
  int joint_law;     /* 0 auto, 1 ideal, 2 set-valued */
  cap_list springs;  /* cap_bodies_spring */
  cap_list loads;    /* cap_bodies_load */
} cap_bodies_spec;

enum {
  CAP_BODIES_MOST = 100,
  CAP_BODIES_LINES = 50,
  CAP_BODIES_CONTACTS = 400,
  CAP_BODIES_JOINTS = 100,
  CAP_BODIES_SPRINGS = 100,
  CAP_BODIES_LOADS = 100,
  CAP_BODIES_PATH = 200
};
enum { CAP_BODIES_GROUND = -1 }; /* in the place of a body */

/* Name of a kind of body, as in paths: "block". */
const char *cap_bodies_kind_name(int kind);

/* ---- bodies_scene.c ---- */

/* One point of contact between bodies, as it is declared to the builder. */
typedef struct cap_bodies_point {
  const cap_contact_type *type;
  int a, b;                            /* bodies, CAP_BODIES_GROUND */
  double par[CAP_DISC_POLYGON_NPARAM]; /* of its type */
  const char *pair;                    /* name of the pair that it belongs to: "block-floor" */
  int number;                          /* within the pair, from 0 */
  const cap_bodies_law *law;
} cap_bodies_point;

typedef struct cap_bodies_scene {
  const cap_bodies_spec *s;
  double q[CAP_BODIES_MOST][3]; /* places at the start: x, y, angle */
  bool placed[CAP_BODIES_MOST];
  int npoint, capacity;
  cap_bodies_point *points; /* in the order of pairs */
  cap_arena arena;
} cap_bodies_scene;

/* Places, and every point that may touch. `scene` needs cap_bodies_scene_free also after a failure. */
cap_status cap_bodies_scene_make(const cap_bodies_spec *s, cap_bodies_scene *scene, cap_error *error);
void cap_bodies_scene_free(cap_bodies_scene *scene);
/* Index of a body by its name (NULL = CAP_BODIES_GROUND), of a line; -2 = there is none. */
int cap_bodies_scene_find(const cap_bodies_spec *s, const char *name);
int cap_bodies_scene_find_line(const cap_bodies_spec *s, const char *name);
double cap_bodies_scene_inertia(const cap_bodies_body *body);
/* Corners of a body, counterclockwise; a disc and a point have none. */
int cap_bodies_scene_corners(const cap_bodies_body *body, double corners[CAP_DISC_POLYGON_MOST][2]);
/* A body-fixed point in the world at the start. */
void cap_bodies_scene_world(const cap_bodies_scene *scene, int body, double x, double y, double at[2]);
/* Gap of a point of contact at the start, m. */
double cap_bodies_scene_gap(const cap_bodies_scene *scene, const cap_bodies_point *point);

/* ---- bodies_build.c ---- */

cap_status cap_bodies_build(const void *spec, cap_builder *b, cap_error *error);
/* Whether joints are set-valued. */
bool cap_bodies_build_set_valued(const cap_bodies_spec *s);

/* ---- bodies_check.c ---- */

void cap_bodies_check(const void *spec, cap_diag *diag);

/* ---- bodies_summary.c ---- */

void cap_bodies_summary(const void *spec, const void *description, const cap_model *model, cap_summary *out);
void cap_bodies_summary_draw(const void *spec, const void *description, const cap_model *model,
                             cap_drawing *d);
