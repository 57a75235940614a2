/* drives/accessory/elements/belt_elements.h — the force elements of an accessory drive, one type each.
 *
 * Signs and parameters as in elements/elements.h: an element acts as -force on i and +force on j.
 */
#pragma once
#include "drives/accessory/elements/mount.h"
#include "elements/elements.h"
#include "laws/friction.h"

/* Oil chamber of a hydraulic tensioner (laws/hydraulic.h): its force is its inner state. SENSE (+1, -1) is
 * the direction of the deflection in which its plunger comes out. */
enum {
  CAP_HYDRAULIC_STIFFNESS,
  CAP_HYDRAULIC_LEAK,
  CAP_HYDRAULIC_VALVE,
  CAP_HYDRAULIC_OPENING,
  CAP_HYDRAULIC_BLEND,
  CAP_HYDRAULIC_SENSE,
  CAP_HYDRAULIC_NPARAM
};
extern const cap_element_type cap_hydraulic_type;

/* Free span of a running belt from its pulley to that of the next span; all spans of a model are one closed
 * loop, in the order of travel, and the coordinates i and j are the rotations of its two pulleys. Its force
 * is the tension; its inner states are the unstretched lengths within it and on the arc of its pulley. EA,
 * MASS, DAMPING, LEAD, LOOP and RENEWAL are those of the first span. */
enum {
  CAP_SPAN_MOUNT,                                 /* of its pulley (drives/accessory/elements/mount.h) */
  CAP_SPAN_R = CAP_SPAN_MOUNT + CAP_MOUNT_NPARAM, /* m */
  CAP_SPAN_SIDE,                                  /* +1 groove, -1 back */
  CAP_SPAN_BASE,                                  /* rad/s: the pulley turns at BASE + v */
  CAP_SPAN_EA,
  CAP_SPAN_MASS,      /* kg/m */
  CAP_SPAN_DAMPING,   /* s */
  CAP_SPAN_STRETCH,   /* at the start: length over unstretched length */
  CAP_SPAN_DIRECTION, /* rad, of the span at the start */
  CAP_SPAN_ARC,       /* m, on its pulley at the start */
  CAP_SPAN_FRICTION,  /* of its pulley; where it is 0 the pulley does not hold the belt at all */
  CAP_SPAN_LEAD,      /* s, time by which slip looks ahead */
  CAP_SPAN_LOOP,      /* m, sum of all inner states at the start, which stays */
  CAP_SPAN_RENEWAL,   /* 1/s, at which it would come back to that if it did not */
  CAP_SPAN_NPARAM
};
/* Beside its force it shows what the pulleys feel:
 * the effective tension, and its pull on the first pulley. */
enum {
  CAP_SPAN_EFFECTIVE,
  CAP_SPAN_PULL_X,
  CAP_SPAN_PULL_Y,
  CAP_SPAN_SLIP, /* m/s of the belt over the rim of its pulley; 0: it sticks or creeps */
  CAP_SPAN_USE,  /* slip arc over wrap of its pulley; 1: gross slip */
  CAP_SPAN_NOUTPUT
};
enum { CAP_SPANS_MOST = 64 };
extern const cap_element_type cap_span_type;

/* Torque that brakes a shaft over its speed: linear between COUNT points (speed, torque) of ascending speed,
 * constant beyond; it turns its sign with the speed, what there is at rest linearly within a slow speed. The
 * shaft turns at BASE + v. */
enum { CAP_BRAKE_POINTS = 128 };
enum {
  CAP_BRAKE_COUNT,
  CAP_BRAKE_BASE, /* rad/s */
  CAP_BRAKE_SPEED,
  CAP_BRAKE_TORQUE = CAP_BRAKE_SPEED + CAP_BRAKE_POINTS,
  CAP_BRAKE_NPARAM = CAP_BRAKE_TORQUE + CAP_BRAKE_POINTS
};
extern const cap_element_type cap_brake_type;

/* One-way clutch (laws/clutch.h) between a driving side i and a driven one j: its force is the torque that it
 * passes on, its inner state the wind-up (rad). A decoupler is one with a soft spring. */
enum { CAP_CLUTCH_K, CAP_CLUTCH_D, CAP_CLUTCH_DRAG, CAP_CLUTCH_CAPACITY, CAP_CLUTCH_NPARAM };
extern const cap_element_type cap_clutch_type;

/* Torque against a shaft over time: linear between COUNT points (time, torque), constant beyond; or, where
 * INPUT is not 0, the input of the slot INPUT - 1. The shaft turns at BASE + v. */
enum { CAP_SCHEDULE_POINTS = 128 };
enum {
  CAP_SCHEDULE_COUNT,
  CAP_SCHEDULE_BASE, /* rad/s */
  CAP_SCHEDULE_INPUT,
  CAP_SCHEDULE_TIME,
  CAP_SCHEDULE_TORQUE = CAP_SCHEDULE_TIME + CAP_SCHEDULE_POINTS,
  CAP_SCHEDULE_NPARAM = CAP_SCHEDULE_TORQUE + CAP_SCHEDULE_POINTS
};
extern const cap_element_type cap_schedule_type;

/* Contact of a segment of belt with the pulleys (docs/theory.md §27): i and j are the first of the three
 * consecutive coordinates (x, y, phi) of its nodes, as of the beam between them. It touches the pulley
 * nearest to it at CAP_BELT_CONTACT_POINTS points of the curved segment, whose tangential deflections (m,
 * along the travel) are its inner states. Its force is the normal one, summed over its points. In a model of
 * one lane.
 *
 * What the segments share, by cap_builder_common: the pulleys, CAP_BELT_PULLEY_NPARAM values each, in the
 * order of travel, as many as there are parts (their names). Stiffness and damping are per length of belt, at
 * the line of belt that touches at RADIUS; the belt is outside of it on either side of itself. */
enum { CAP_BELT_CONTACT_POINTS = 4, CAP_BELT_PULLEYS_MOST = 64 };
enum { CAP_BELT_CONTACT_LENGTH, CAP_BELT_CONTACT_NPARAM }; /* m, unstrained */
enum {
  CAP_BELT_PULLEY_MOUNT,                       /* as in mount.h */
  CAP_BELT_PULLEY_ROTATION = CAP_MOUNT_NPARAM, /* coordinate; positive moves the belt forwards */
  CAP_BELT_PULLEY_RADIUS,                      /* m: lever of friction; rims are as fast as the belt there */
  CAP_BELT_PULLEY_SINK,                        /* m by which the surface lies outside of it */
  CAP_BELT_PULLEY_SIDE,       /* +1: the travel turns to the left about it (groove of a loop that runs
                               * counter-clockwise), -1 to the right (back) */
  CAP_BELT_PULLEY_NORMAL,     /* N/m2 */
  CAP_BELT_PULLEY_DAMPING,    /* N s/m2 */
  CAP_BELT_PULLEY_TOUCH,      /* m: penetration over which the damper comes in, > 0 */
  CAP_BELT_PULLEY_TANGENTIAL, /* N/m2 */
  CAP_BELT_PULLEY_SHEAR,      /* N s/m2 > 0: tangential damping */
  CAP_BELT_PULLEY_FRICTION,   /* a curve: capm_friction_from, capm_friction_put */
  CAP_BELT_PULLEY_NPARAM = CAP_BELT_PULLEY_FRICTION + CAPM_FRICTION_NPARAM
};
/* What a segment shows: sums over its points. */
enum {
  CAP_BELT_CONTACT_PULLEY,   /* the one it touches, counted from 0; -1 = none */
  CAP_BELT_CONTACT_NORMAL,   /* N */
  CAP_BELT_CONTACT_FRICTION, /* N on the belt, positive along the travel */
  CAP_BELT_CONTACT_SLIP,     /* N m/s: normal force times velocity of belt over pulley, less that of the
                              * deflection: of points that stick 0; positive: the belt is faster */
  CAP_BELT_CONTACT_SLIDING,  /* N: normal force of the points that slide */
  CAP_BELT_CONTACT_X,        /* N: force on the pulley */
  CAP_BELT_CONTACT_Y,
  CAP_BELT_CONTACT_PEAK,  /* N/m: largest normal force per length of its points */
  CAP_BELT_CONTACT_SPEED, /* m/s: SLIP over the normal force, 0 where there is none */
  CAP_BELT_CONTACT_NOUTPUT
};
/* Mechanisms of each pulley, in this order: power lost in the normal damper,
 * in the tangential one, by slip. */
enum { CAP_BELT_LOSS_NORMAL, CAP_BELT_LOSS_SHEAR, CAP_BELT_LOSS_SLIP, CAP_BELT_NLOSS };
extern const cap_element_type cap_belt_contact_type;

/* Drag on the velocity of a segment of belt across its chord, which is 0 while the belt runs along itself:
 * force RATE MASS times that velocity; i and j as of the beam. While a belt settles (cap_eval.relax) that
 * rate is added to RATE, and the coordinates in common (cap_builder_common: pairs of coordinate and inertia)
 * are dragged by it. One part. Its force is the drag. */
enum { CAP_BELT_DRAG_RATE, CAP_BELT_DRAG_MASS, CAP_BELT_DRAG_NPARAM }; /* 1/s, kg */
extern const cap_element_type cap_belt_drag_type;

/* Fastest angular frequency of a segment of belt on a pulley, for the step of an explicit method, rad/s:
 * its beam,
 * the contact, and half of each node's mass (kg/m of belt; kg m2 of rotation); all larger systems of such
 * segments are slower (docs/theory.md §27.6). Counts damping as leapfrog feels it. `pulley`:
 * CAP_BELT_PULLEY_NPARAM values, NULL = none. NAN: out of memory. */
double cap_belt_frequency_of(const capm_beam *beam, double tension, double mass, double rotary,
                             const double *pulley);

/* What a belt of segments shows of a pulley and of the span that leaves it (docs/theory.md §28.3); no force.
 * The elements are the pulleys in the order of travel (i: their rotations). They read the beams, then the
 * contacts of the belt (cap_builder_reads), whose elements k join node k to node k + 1. In common: EA (N),
 * mass per length (kg/m). */
enum {
  CAP_BELT_GAUGE_MOUNT,                     /* as in mount.h */
  CAP_BELT_GAUGE_RADIUS = CAP_MOUNT_NPARAM, /* m, of the pitch line */
  CAP_BELT_GAUGE_SIDE,
  CAP_BELT_GAUGE_NPARAM
};
enum { CAP_BELT_GAUGE_EA, CAP_BELT_GAUGE_MASS, CAP_BELT_GAUGE_NCOMMON };
enum { CAP_BELT_GAUGE_BINS = 8 };
enum {
  CAP_BELT_GAUGE_TENSION,   /* N: mean over the free span */
  CAP_BELT_GAUGE_EFFECTIVE, /* N: the same without what turns the belt's momentum */
  CAP_BELT_GAUGE_MIDDLE,    /* N: tension in its middle */
  CAP_BELT_GAUGE_MOTION,    /* m: of its middle across, to the left of the travel */
  CAP_BELT_GAUGE_TORQUE,    /* N m of the belt on the pulley */
  CAP_BELT_GAUGE_X,         /* N: force of the belt on the pulley */
  CAP_BELT_GAUGE_Y,
  CAP_BELT_GAUGE_NORMAL,   /* N: sum of the normal forces */
  CAP_BELT_GAUGE_SLIP,     /* m/s of belt over pulley, mean weighted by the normal force */
  CAP_BELT_GAUGE_SLIDING,  /* share of the normal force that slides */
  CAP_BELT_GAUGE_SLIP_ARC, /* rad that slide */
  CAP_BELT_GAUGE_IMPACT,   /* N/m: largest normal force per length in the first quarter of the wrap */
  CAP_BELT_GAUGE_ENTRY,    /* rad from the tangent point to where the belt touches first */
  CAP_BELT_GAUGE_EXIT,     /* rad from where it touches last to the tangent point */
  CAP_BELT_GAUGE_PRESSURE, /* N/m in equal parts of the wrap, from the entry on */
  CAP_BELT_GAUGE_FRICTION = CAP_BELT_GAUGE_PRESSURE +
                            CAP_BELT_GAUGE_BINS, /* N/m along the travel, on the belt */
  CAP_BELT_GAUGE_NOUTPUT = CAP_BELT_GAUGE_FRICTION + CAP_BELT_GAUGE_BINS
};
extern const cap_element_type cap_belt_gauge_type;

/* Structure behind the hub of a pulley: i is the first of COUNT consecutive coordinates w (m), j =
 * CAP_GROUND; it acts with -(K w + C w') on them (drives/accessory/belt/belt.h). Its force is the first of
 * these. */
enum {
  CAP_HUB_COUNT,
  CAP_HUB_STIFFNESS, /* [CAP_BELT_HUB_MOST][CAP_BELT_HUB_MOST] */
  CAP_HUB_DAMPING = CAP_HUB_STIFFNESS + CAP_BELT_HUB_MOST * CAP_BELT_HUB_MOST,
  CAP_HUB_NPARAM = CAP_HUB_DAMPING + CAP_BELT_HUB_MOST * CAP_BELT_HUB_MOST
};
extern const cap_element_type cap_hub_type;
void cap_hub_params(const cap_belt_hub *hub, double par[CAP_HUB_NPARAM]);
