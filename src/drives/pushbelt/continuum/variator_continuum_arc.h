/* drives/pushbelt/continuum/variator_continuum_arc.h — a belt of constant width that creeps through the
 * groove of a tilted pulley.
 *
 * Maths:   docs/theory.md §49.1 to §49.3 (symbols as there)
 *
 * Along the arc, theta from 0 at the entry to `wrap` at the exit, in units of omega R Delta / sin 2 beta0:
 *   v_r = A + sin(theta - theta_c),   v_t = C - A theta + cos(theta - theta_c)         slip of the belt
 *   e   = (v_r / cos beta0, v_t) / |.|                                    along the generatrix, and along t
 *   (ln N)' = mu e_t / (sin beta0 - mu e_s cos beta0)
 *   p = N / 2 (sin beta0 - mu e_s cos beta0),   q = p (cos beta0 + mu e_s sin beta0)     a flank, per radian
 * The groove opens most at theta_c, where the radius of the belt is smallest:
 *   theta_c = arg int q e^(i theta).
 * Two numbers are unknown, theta_c and C; C is given by what the arc must do. The slip does not depend on N,
 * so that all is integrals: Gauss' rule on panels that shrink towards places where the slip vanishes.
 *
 * Sheaves that do not tilt at all are another case, not the limit of small Delta (which cancels): the belt
 * rests at N_in over the idle arc and slides along t over the active one, at the exit.
 *
 * Cost: 5 us a sweep, about ten of them for an arc.
 */
#pragma once
#include "laws/friction.h"
#include <stdbool.h>

enum { CAP_VARIATOR_CONTINUUM_NODES = 6, CAP_VARIATOR_CONTINUUM_PANELS = 256 };

enum {
  CAP_VARIATOR_CONTINUUM_STAGES = 3,
  CAP_VARIATOR_CONTINUUM_HARMONICS = 8,
  CAP_VARIATOR_CONTINUUM_RUBS = 33
};

/* What Gauss' rule needs: nodes in [0, 1], weights, and integrals from 0 to each node; and Radau's method. */
typedef struct cap_variator_continuum_rule {
  double at[CAP_VARIATOR_CONTINUUM_NODES], weight[CAP_VARIATOR_CONTINUUM_NODES];
  double upto[CAP_VARIATOR_CONTINUUM_NODES][CAP_VARIATOR_CONTINUUM_NODES];
  double node[CAP_VARIATOR_CONTINUUM_STAGES];
  double stage[CAP_VARIATOR_CONTINUUM_STAGES][CAP_VARIATOR_CONTINUUM_STAGES];
  double rougher[CAP_VARIATOR_CONTINUUM_STAGES]; /* quadrature at 0 and the first two nodes */
} cap_variator_continuum_rule;

/* Which force makes the groove open: that on the sheave along the axis, or, as published, the normal one. */
typedef enum cap_variator_continuum_centre {
  CAP_VARIATOR_CONTINUUM_AXIAL,
  CAP_VARIATOR_CONTINUUM_NORMAL
} cap_variator_continuum_centre;

/* Compliant flanks, variator_continuum_flank.h: what they are, and what was found of them. Ways over w_1. */
typedef struct cap_variator_continuum_flank {
  bool given;                                    /* else rigid flanks: everything here is unused */
  int harmonics;                                 /* m = 1 .. harmonics, of the opening; 0: rigid sheaves */
  double gain[CAP_VARIATOR_CONTINUUM_HARMONICS]; /* Gamma_m, m = 1 .. */
  double opening;   /* > 0: the first harmonic has this amplitude, Gamma_1 or not */
  double entry;     /* e_s(0); -1 without bending of the ring */
  double blunt;     /* eps over the slips that the opening makes; 0 = usual */
  double tolerance; /* of a step; 0 = usual */
  bool even_rub;    /* mu stays the same all along */
  int places;       /* of mu along the arc; 0: that of the slips that the opening makes, all along */
  double mu[CAP_VARIATOR_CONTINUUM_RUBS]; /* at even places from the entry */
  /* found */
  bool known;
  double offset;                                                                        /* S */
  double even[CAP_VARIATOR_CONTINUUM_HARMONICS], odd[CAP_VARIATOR_CONTINUUM_HARMONICS]; /* a_m, b_m */
  double lowest, highest, nearest; /* of Y; rad, where it is smallest */
  double force_in, force_out;      /* P at the ends */
  double ends;                     /* power of friction in sinking in and coming out */
  int steps;
} cap_variator_continuum_flank;

/* One arc: what it is, what is asked, and what was found. Forces over N at the entry, slips in their unit. */
typedef struct cap_variator_continuum_arc {
  double wrap, wedge; /* rad: phi, beta0 */
  double shift;       /* A = R' over the unit of the slips */
  double unit; /* m/s: omega R Delta / sin 2 beta0, or omega w_1: where the friction depends on speed */
  bool rigid;  /* sheaves that do not tilt: Eytelwein and Grashof, idle arc and active arc */
  capm_friction friction;
  cap_variator_continuum_centre by;
  cap_variator_continuum_flank flank;
  /* found */
  double offset, centre;    /* C; rad, theta_c */
  double growth;            /* ln(N_out / N_in) */
  double clamp;             /* F */
  double slip_in, slip_out; /* v_t at the ends */
  double slip_mean;         /* over the arc */
  double along, across;     /* power of friction along t and along the generatrix, both flanks */
  double normal_mean;       /* mean of p */
  int sweeps;               /* integrations that it took */
} cap_variator_continuum_arc;

/* The arc at one place. */
typedef struct cap_variator_continuum_place {
  double slip_r, slip_t; /* v_r, v_t */
  double e_s, e_t;       /* direction of the slip */
  double rate;           /* (ln N)' */
  double normal, axial;  /* p / N, q / N */
} cap_variator_continuum_place;

void cap_variator_continuum_arc_rule(cap_variator_continuum_rule *rule);

/* At theta, with offset and centre as they stand. */
cap_variator_continuum_place cap_variator_continuum_arc_at(const cap_variator_continuum_arc *arc,
                                                           double theta);

/* theta_c and everything that follows, for the offset that stands; from the centre that stands. */
void cap_variator_continuum_arc_settle(const cap_variator_continuum_rule *rule,
                                       cap_variator_continuum_arc *arc);

/* What of the arc is to have a value: its growth; or (e^growth - 1)/clamp, the force that the belt gains
 * over the clamping force. */
typedef enum cap_variator_continuum_aim {
  CAP_VARIATOR_CONTINUUM_GROWTH,
  CAP_VARIATOR_CONTINUUM_GAIN
} cap_variator_continuum_aim;

/* Find C, from that which stands. false: there is none, the belt slides through (the arc is left at the
 * largest slip that is looked at). */
bool cap_variator_continuum_arc_find(const cap_variator_continuum_rule *rule, cap_variator_continuum_arc *arc,
                                     cap_variator_continuum_aim aim, double value);

/* n values each at even places from entry to exit: theta, ln(N / N_in), its rate, p and q over N_in, v_r,
 * v_t. Any of the arrays may be NULL. */
typedef struct cap_variator_continuum_profile {
  double *theta, *log_force, *rate, *normal, *axial, *slip_r, *slip_t;
  double *sunk; /* Y; of compliant flanks alone */
} cap_variator_continuum_profile;
void cap_variator_continuum_arc_curve(const cap_variator_continuum_rule *rule,
                                      const cap_variator_continuum_arc *arc, int n,
                                      const cap_variator_continuum_profile *curve);

/* Moments int q e^(i m theta) over N_in, m = 0 .. n - 1, about theta_c. */
void cap_variator_continuum_arc_moments(const cap_variator_continuum_rule *rule,
                                        const cap_variator_continuum_arc *arc, int n, double *even,
                                        double *odd);
