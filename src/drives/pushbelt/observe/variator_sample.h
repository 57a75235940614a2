/* drives/pushbelt/observe/variator_sample.h — what is looked at in a pushbelt variator at one instant,
 * element by element.
 *
 * Maths:   docs/theory.md §51.1. Forces are those of a real element (simulated / iota), with the signs of
 *          Fig. 2.21: normal forces press; friction is that on the element, longitudinal forward, radial
 *          outward. A sample belongs to nobody: variator_probe.c fills it from a model, tests by functions.
 */
#pragma once
#include "base/sink.h"
#include "drives/pushbelt/description/variator.h"

enum {
  CAP_VARIATOR_FLANK_NORMAL,       /* N, one flank */
  CAP_VARIATOR_FLANK_LONGITUDINAL, /* N, friction of both flanks along the belt: the transmitting force */
  CAP_VARIATOR_FLANK_RADIAL,       /* N, friction of both flanks across it */
  CAP_VARIATOR_FLANK_AXIAL,        /* N, from normal and radial force, one flank */
  CAP_VARIATOR_PUSH_EDGE,          /* N, with the element in front */
  CAP_VARIATOR_PUSH_HEAD,          /* N */
  CAP_VARIATOR_PUSH,               /* N, both */
  CAP_VARIATOR_SADDLE_NORMAL,      /* N */
  CAP_VARIATOR_RING_TRACTION,      /* N, friction of the ring */
  CAP_VARIATOR_RING_TENSION,       /* N, of the whole pack, where the element is */
  CAP_VARIATOR_SLIP_LONGITUDINAL,  /* m/s, of the flank over the sheave */
  CAP_VARIATOR_SLIP_RADIAL,        /* m/s, along the sheave's generator */
  CAP_VARIATOR_SLIP_RING,          /* m/s, of the saddle under the ring */
  CAP_VARIATOR_PITCH,              /* rad, (2.50): positive where the head leans forward */
  CAP_VARIATOR_RADIUS,             /* m, of the centre of gravity about the nearest axis */
  CAP_VARIATOR_ANGLE,              /* rad, about that axis along the travel, 0 in the middle of the arc */
  CAP_VARIATOR_SPEED,              /* m/s, forward */
  CAP_VARIATOR_GAP_EDGE,           /* m, open positive, to the element in front */
  CAP_VARIATOR_GAP_HEAD,
  CAP_VARIATOR_LOSS_LONGITUDINAL, /* W, friction of the flanks */
  CAP_VARIATOR_LOSS_RADIAL,
  CAP_VARIATOR_LOSS_RING,
  CAP_VARIATOR_MOMENT,      /* N m of the sheaves on the element about their axis, along the travel */
  CAP_VARIATOR_POWER_FLANK, /* W, of the flanks' longitudinal friction and drilling on the element */
  CAP_VARIATOR_POWER_RING,  /* W, of the ring's friction, at the speed of the ring's surface */
  CAP_VARIATOR_CARRIED,     /* N m about the primary's axis that the belt carries forward, (51.8) */
  CAP_VARIATOR_RING_RADIUS, /* m, of the rings' outer face over the element, about the nearest axis */
  CAP_VARIATOR_QUANTITIES
};

extern const cap_column cap_variator_sample_columns[CAP_VARIATOR_QUANTITIES];
extern const char *const cap_variator_sample_sections[CAP_VARIATOR_SECTIONS]; /* "pri", "us", "sec", "ls" */

typedef struct cap_variator_sample {
  int n;                                  /* simulated elements */
  double iota;                            /* real ones that each stands for */
  double t;                               /* s */
  double omega[CAP_VARIATOR_PULLEYS];     /* rad/s, along the travel */
  double clamping, torque;                /* applied to the secondary, N and N m; NAN: not given */
  double *section;                        /* [n] CAP_VARIATOR_IN_* */
  double *nearer;                         /* [n] the pulley whose axis is nearer, CAP_VARIATOR_PRI or _SEC */
  double *value[CAP_VARIATOR_QUANTITIES]; /* [n] each */
  double *block;
} cap_variator_sample;

cap_status cap_variator_sample_create(cap_variator_sample *s, int n, double iota, cap_error *error);
void cap_variator_sample_free(cap_variator_sample *s); /* accepts a zeroed one */

/* Sums and means over the elements at one instant. */
enum {
  CAP_VARIATOR_RATIO,   /* i_s = omega_P / omega_S */
  CAP_VARIATOR_THRUST,  /* i_F = F_P / F_S */
  CAP_VARIATOR_FORCE_P, /* N, sums of the axial forces */
  CAP_VARIATOR_FORCE_S,
  CAP_VARIATOR_MOMENT_P, /* N m that the pulley gives to the belt */
  CAP_VARIATOR_MOMENT_S, /* negative: takes from it */
  CAP_VARIATOR_OMEGA_P,
  CAP_VARIATOR_OMEGA_S,
  CAP_VARIATOR_ENDPLAY, /* m, sum of all gaps at the rocking edge, penetrations negative */
  CAP_VARIATOR_ENDPLAY_HEAD,
  CAP_VARIATOR_OEP, /* m, sum of the open ones: operational endplay */
  CAP_VARIATOR_OEP_HEAD,
  CAP_VARIATOR_PUSH_US, /* N, means over the middle half of the strands */
  CAP_VARIATOR_PUSH_LS,
  CAP_VARIATOR_HEAD_US,
  CAP_VARIATOR_HEAD_LS,
  CAP_VARIATOR_TENSION_US,
  CAP_VARIATOR_TENSION_LS,
  CAP_VARIATOR_SUM_LONGITUDINAL, /* N, all around the belt; the same of magnitudes */
  CAP_VARIATOR_ABS_LONGITUDINAL,
  CAP_VARIATOR_SUM_TRACTION,
  CAP_VARIATOR_ABS_TRACTION,
  CAP_VARIATOR_SUM_POWER_FLANK, /* W, likewise */
  CAP_VARIATOR_ABS_POWER_FLANK,
  CAP_VARIATOR_SUM_POWER_RING,
  CAP_VARIATOR_ABS_POWER_RING,
  CAP_VARIATOR_CARRIED_US, /* N m, middle half of the strands */
  CAP_VARIATOR_CARRIED_LS,
  CAP_VARIATOR_HALF_TRACTION_P, /* N, ring friction on the half of the belt about a pulley */
  CAP_VARIATOR_HALF_TRACTION_S,
  CAP_VARIATOR_HALF_SADDLE_P, /* N, magnitudes of the normal forces of the ring there */
  CAP_VARIATOR_HALF_SADDLE_S,
  CAP_VARIATOR_BELT_SPEED, /* m/s, mean */
  CAP_VARIATOR_RADIUS_P,   /* m, mean of the centres of gravity in the arc */
  CAP_VARIATOR_RADIUS_S,
  CAP_VARIATOR_PITCH_P, /* rad, mean over the arc */
  CAP_VARIATOR_PITCH_S,
  CAP_VARIATOR_SLIP_P, /* m/s, mean weighed by the normal force */
  CAP_VARIATOR_SLIP_S,
  CAP_VARIATOR_STICKING, /* share of the flanks that slide slower than 1e-4 m/s */
  CAP_VARIATOR_WRAP_P,   /* rad, of the elements in contact */
  CAP_VARIATOR_WRAP_S,
  CAP_VARIATOR_CLAMPING_S, /* N, applied; NAN: none is */
  CAP_VARIATOR_TORQUE_S,   /* N m */
  CAP_VARIATOR_SCALARS
};

extern const cap_column cap_variator_sample_scalars[CAP_VARIATOR_SCALARS];

void cap_variator_sample_reduce(const cap_variator_sample *s, double scalars[CAP_VARIATOR_SCALARS]);

/* Whether a pulley as a whole slips under the belt: 95 % of the normal force slide the same way, by more than
 * `share` of the belt's speed on average. */
bool cap_variator_sample_slips(const cap_variator_sample *s, int pulley, double share);
