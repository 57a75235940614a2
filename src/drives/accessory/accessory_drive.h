/* drives/accessory/accessory_drive.h — what the files of the accessory drive share: the sections of its
 * model file. */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "drives/accessory/belt/belt_statics.h"
#include "drives/drive.h"
#include "laws/friction_keys.h"
#include "model/builder.h"

enum { CAP_ACCESSORY_DRIVE_PULLEYS = 32, CAP_ACCESSORY_DRIVE_ORDERS = 32 };

typedef struct cap_accessory_load {
  double torque, power; /* N m, W: constant */
  bool torque_given, power_given;
  cap_series torques, powers; /* over speed */
  cap_series over_time;       /* N m beside, over time */
  cap_input_key input;        /* or as an input */
  int speed_of;               /* whose speed: the pulley's, the crank's */
} cap_accessory_load;

/* A one-way clutch, or a decoupler: such a clutch in series with a spring. */
typedef struct cap_accessory_clutch {
  int kind;
  double spring, stiffness, damping, drag, capacity; /* N m/rad, N m s/rad, N m */
  bool stiffness_given, capacity_given;
} cap_accessory_clutch;
/* A mode of the structure behind a hub. */
typedef struct cap_accessory_mode {
  double frequency, ratio, mass; /* Hz, 1, kg */
  cap_reals shape;               /* x, y */
} cap_accessory_mode;

typedef struct cap_accessory_pulley {
  const char *name, *on;
  cap_reals at;
  double diameter, inertia, mass, friction, shaft_inertia, groove_angle;
  bool friction_given, clutch_given, decoupler_given, shaft_inertia_given, groove_angle_given;
  cap_accessory_clutch clutch, decoupler;
  int diameter_is, side;
  cap_accessory_load load;
  double offset;
  cap_reals tilt;
  cap_belt_bearing bearing;
  bool hub_given;
  struct {
    cap_reals stiffness, damping;
    double mass;
    cap_list modes; /* cap_accessory_mode */
  } hub;
} cap_accessory_pulley;

typedef struct cap_accessory_order {
  double order, amplitude, phase;
} cap_accessory_order;

typedef enum cap_accessory_kind { CAP_ACCESSORY_PK, CAP_ACCESSORY_FLAT, CAP_ACCESSORY_V } cap_accessory_kind;

typedef enum cap_accessory_model { CAP_ACCESSORY_SPRINGS, CAP_ACCESSORY_SEGMENTS } cap_accessory_model;

typedef enum cap_accessory_law {
  CAP_ACCESSORY_NONE,
  CAP_ACCESSORY_COULOMB,
  CAP_ACCESSORY_MASING,
  CAP_ACCESSORY_DAHL
} cap_accessory_law;

typedef enum cap_accessory_tensioner_kind {
  CAP_ACCESSORY_ROTARY,
  CAP_ACCESSORY_LINEAR
} cap_accessory_tensioner_kind;

/* In the words of a rotary one. Of a linear one: base for pivot, position for angle, force for torque, mass
 * for inertia. */
typedef struct cap_accessory_tensioner {
  int kind;
  cap_reals pivot, stops;
  double arm, direction, angle, rate, tension, torque, torque_angle, free_angle;
  bool tension_given, torque_given, torque_angle_given, free_angle_given, stops_given;
  double inertia, damping, stop_stiffness;
  struct {
    int law;
    double friction, stiffness;
  } hysteresis;
  bool hydraulic_given;
  struct {
    double stiffness, leak, valve, opening, lever;
  } hydraulic;
} cap_accessory_tensioner;

/* Contact of a belt of segments with its pulleys. */
typedef struct cap_accessory_contact {
  double normal, tangential;                     /* stiffness per length over EA/l^2 */
  double normal_stiffness, tangential_stiffness; /* N/m2, instead */
  bool normal_stiffness_given, tangential_stiffness_given;
  double normal_damping, tangential_damping; /* ratios to the critical one of a node's mass */
  capm_friction_keys_ratio friction;         /* at rest over that of sliding */
} cap_accessory_contact;

typedef struct cap_accessory_spec {
  struct {
    int kind, ribs, length_is, model;
    double length, measured_at, EA, EI, mass, damping, hb, hr;
    bool ribs_given, EA_given, EI_given, mass_given, hb_given, hr_given, damping_given;
    int segments;
    bool segments_given;
    double drag; /* 1/s */
    cap_reals gravity;
    cap_accessory_contact contact;
    struct {
      double groove, back;
      bool groove_given;
    } friction;
    double groove_angle;
    bool groove_angle_given;
  } belt;
  cap_list pulleys;
  cap_accessory_tensioner tensioner;
  bool tensioner_given;
  struct {
    const char *pulley;
    double speed; /* 0: not given, unless an analysis sets it in the place of the table */
    cap_input_key speed_input;
    double torque; /* of a crank that is not held */
    cap_input_key torque_input;
    bool held, torque_given;
    cap_series speeds;
    cap_list orders;
  } crank;
  double start;
} cap_accessory_spec;

/* The crank's mean speed and its orders as a motion; memory from the arena. */
cap_status cap_accessory_drive_belt_motion(const cap_accessory_spec *s, cap_arena *arena, cap_motion *motion);

/* Index of the pulley of that name; -1: there is none. */
int cap_accessory_drive_belt_find(const cap_accessory_spec *s, const char *name);

/* The belt drive of the model file and its steady running at the start, with the arm where that puts it;
 * memory from the arena. When it is impossible, `error` has the reason and `key` the path of the key that it
 * belongs to. */
cap_status cap_accessory_drive_belt(const cap_accessory_spec *s, cap_arena *arena, cap_belt *belt,
                                    cap_belt_statics *start, const char **key, cap_error *error);

/* Keys of the tensioner by its kind. */
extern const cap_variant cap_accessory_drive_tensioner_kinds[];
/* "arm" or "slide". */
const char *cap_accessory_drive_tensioner_part(const cap_accessory_spec *s);
void cap_accessory_drive_tensioner_check(const cap_accessory_spec *s, cap_diag *diag);
/* The tensioner but for its spring's preload. */
void cap_accessory_drive_tensioner_fill(const cap_accessory_spec *s, cap_belt *belt);
/* Move it, with its pulley, to an angle (a position). */
void cap_accessory_drive_tensioner_place(cap_belt *belt, double angle);
/* The preload of its spring, which pushes to where the path of the belt, given at its place, grows longer. */
cap_status cap_accessory_drive_tensioner_spring(const cap_accessory_spec *s, cap_belt *belt,
                                                cap_belt_path *path, cap_error *error);

/* The oil chamber as parameters of the element, about the coordinate of the tensioner. */
void cap_accessory_drive_tensioner_chamber(const cap_accessory_spec *s, const cap_belt_arm *arm, double *par);

/* What is built, as far as both models of the belt share it. */
typedef struct cap_accessory_parts {
  const cap_accessory_spec *s;
  cap_builder *b;
  cap_belt *belt;                            /* gets the coordinates */
  const cap_belt_statics *start;             /* steady running at the start */
  int brake[CAP_ACCESSORY_DRIVE_PULLEYS];    /* handles of the loads' elements; -1: none */
  int schedule[CAP_ACCESSORY_DRIVE_PULLEYS]; /* the same, of the torques over time */
  bool steady;                               /* rotations are counted beyond the steady running */
} cap_accessory_parts;

/* Rotations of the pulleys, in their order, the place of the tensioner, the hubs. */
cap_status cap_accessory_drive_parts_coordinates(cap_accessory_parts *w, cap_error *error);
/* rad/s that the rotation of pulley k does not count: its speed is that + v. */
double cap_accessory_drive_parts_base(const cap_accessory_parts *w, int k);
/* Effective coefficient of friction of a pulley, wedge included; what is wrong with a belt that wedges. */
double cap_accessory_drive_wedge_friction(const cap_accessory_spec *s, const cap_accessory_pulley *p);
void cap_accessory_drive_wedge_check(const cap_accessory_spec *s, cap_diag *diag);
/* Keys of a clutch and of a decoupler, into cap_accessory_clutch. */
extern const cap_field cap_accessory_drive_shaft_clutch[], cap_accessory_drive_shaft_decoupler[];
/* What is wrong with the clutch of pulley k. */
void cap_accessory_drive_shaft_check(const cap_accessory_spec *s, int k, cap_diag *diag);
/* The clutch of a pulley as the belt drive has it. */
void cap_accessory_drive_shaft_fill(const cap_accessory_pulley *p, cap_belt_pulley *out);
/* Whether the clutches can pass the loads on in the steady running of the start. */
cap_status cap_accessory_drive_shaft_holds(const cap_belt *belt, const cap_belt_statics *start,
                                           cap_error *error);
/* Shafts behind clutches: coordinates NAME.shaft, elements, channels. */
void cap_accessory_drive_shaft_add(cap_accessory_parts *w);
/* Coordinate on which the load of a pulley acts. */
int cap_accessory_drive_shaft_loaded(const cap_belt_pulley *p);
/* Elements of the loads, and the torque that drives a crank which is not held. */
void cap_accessory_drive_parts_loads(cap_accessory_parts *w);
/* Spring, friction, stops and oil of the tensioner, and the hubs, with their channels. */
void cap_accessory_drive_parts_arm(cap_accessory_parts *w);
/* Angle, speed and load of pulley k as channels. */
void cap_accessory_drive_parts_rotation(const cap_accessory_parts *w, int k);
/* A channel kind.of.what, "span.crank.tension". */
void cap_accessory_drive_parts_channel(const cap_accessory_parts *w, const char *kind, const char *of,
                                       const char *what, const char *unit, const char *meaning, int nterm,
                                       const cap_term *terms);

/* Keys of a compliant hub. */
extern const cap_field cap_accessory_drive_hub_fields[];
void cap_accessory_drive_hub_check(const cap_accessory_spec *s, int k, cap_diag *diag);
/* The hub of a pulley, or none; memory from the arena. */
cap_status cap_accessory_drive_hub_fill(const cap_accessory_pulley *p, cap_arena *arena,
                                        cap_belt_pulley *out);
/* Shift the centres to where one tension in all spans of the path moves them; by how much further, m. */
double cap_accessory_drive_hub_shift(cap_belt *belt, const cap_belt_path *path, double tension);
/* Coordinates of the hubs, at rest under the loads of the start. */
void cap_accessory_drive_hub_coordinates(cap_accessory_parts *w);
/* Their elements and channels. */
void cap_accessory_drive_hub_build(cap_accessory_parts *w);

/* The system with the spans as springs. */
cap_status cap_accessory_drive_build_springs(cap_accessory_parts *w, cap_error *error);
/* The system with the belt as segments. */
cap_status cap_accessory_drive_segments_build(cap_accessory_parts *w, cap_error *error);
/* What is wrong with a belt of segments; with the path at the start. */
void cap_accessory_drive_segments_check(const cap_accessory_spec *s, const cap_belt *belt,
                                        const cap_belt_statics *start, cap_diag *diag);
extern const cap_field cap_accessory_drive_segments_contact[];
/* How many there are. */
int cap_accessory_drive_segments_count(const cap_accessory_spec *s, const cap_belt *belt);

/* power.in, power.out, power.lost.*: what the mechanisms take and give, by kind. */
void cap_accessory_drive_power(cap_builder *b);

/* What a drive is found to be when it is checked. */
typedef struct cap_accessory_described {
  cap_belt belt;
  cap_belt_statics start;
} cap_accessory_described;

void cap_accessory_drive_check(const void *spec, cap_diag *diag);
void cap_accessory_drive_check_describe(const void *spec, cap_description *description, cap_diag *diag);
cap_status cap_accessory_drive_build(const void *spec, cap_builder *builder, cap_error *error);
/* The sections of the drive for `capstan check`. */
void cap_accessory_drive_summary(const void *spec, const void *description, const cap_model *model,
                                 cap_summary *out);
/* The drive to scale for `capstan check --picture`. */
void cap_accessory_drive_draw(const void *spec, const void *description, const cap_model *model,
                              cap_drawing *drawing);
