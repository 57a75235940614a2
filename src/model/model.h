/* model/model.h — the constant description of a system: what an analysis sees of a drive.
 *
 * Maths:   docs/theory.md §2.   q' = v,   M v' = h(q, v, x, t),   x' = g(q, v, x, t)
 *
 * A model is built once (model/builder.h), is one block of memory and then read-only; many data
 * (model/data.h) may run on it. It holds `nlane` variants of the same structure side by side: every parameter
 * is an array [nlane] with the lane innermost, so that an ensemble (say sixteen load amplitudes) is computed
 * in vector registers by the same code that computes one drive.
 *
 * Elements are forces, grouped in batches by type: one indirect call per type, never per object. Sliders are
 * dry-friction elements with a set-valued law: force x_s in [-limit, limit], x_s' = k s' while stuck; what
 * moves them is the stepper's business. The inner states x are those of the elements, then one force per
 * slider. Coordinates may be driven: their motion is imposed, and they have no equation of motion.
 *
 * Contacts (model/contact.h) couple velocities by rows J v = b: viscoelastic ones are forces with inner
 * states like elements; ideal ones need a stepper that finds their multipliers (model/constraints.h);
 * set-valued ones, whose forces are inner states, one that steps over impacts (step/timestepping.c).
 * A body in space turns by quasi-velocities in its own axes, so that the mass matrix stays constant and
 * diagonal; its orientation, a unit quaternion, is an inner state of the element that carries its gyroscopic
 * torque (elements/attitude.c). Models with contacts have one lane.
 *
 * Bodies whose mass matrix depends on the state or is not diagonal (rings) are blocks: model/inertia.h.
 */
#pragma once
#include "base/arena.h"
#include "base/progress.h"
#include "base/sink.h"
#include "base/status.h"
#include "model/contact.h"
#include "model/inertia.h"
#include "model/input.h"
#include "model/motion.h"
#include "model/scene.h"
#include "model/subject.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_element_type cap_element_type;
typedef struct cap_impulse_type cap_impulse_type; /* model/impulse.h */

enum { CAP_LANES_MOST = 64 };    /* lanes of one model; larger ensembles are cut into such groups */
enum { CAP_SOLVES_NCOUNT = 16 }; /* the last: as many iterations or more */
/* Which elements an evaluation is of: a stepper may take fast ones (cap_element_type.fast) more often. */
typedef enum cap_eval_part { CAP_EVAL_ALL, CAP_EVAL_SLOW, CAP_EVAL_FAST } cap_eval_part;
enum { CAP_GROUND = -1 }; /* the far end of an element that acts against the fixed frame */

/* One evaluation of all elements: values for nlane lanes and, when ncol > 0, derivatives along ncol
 * directions. Lane innermost: q[dof * nlane + lane], dq[(dof * ncol + column) * nlane + lane]. */
struct cap_eval {
  int nlane, ncol;
  cap_eval_part part;         /* contacts and sliders are among the slow ones */
  const double *t;            /* [nlane] s */
  const double *input;        /* [ninput][CAP_INPUT_NVALUE], or NULL: as the model starts */
  const double *q, *v, *x;    /* [nv], [nv], [nx] */
  const double *dq, *dv, *dx; /* the same with columns */
  bool steady;                /* loads without their time-dependent part, for statics */
  const signed char *sense; /* [nelem] or NULL: sign of the deflection's velocity, where an event fixed it */
  double *h, *dh;           /* [nv] generalised force: elements add */
  double *xdot, *dxdot;     /* [nx] rates of the elements' inner states: elements set their own */
  double *force; /* [noutput] the elements' own forces, then what contacts and elements show, or NULL */
  double *power; /* [nmech] W: fed in (inputs) or lost (the others), or NULL */
  double *decay; /* [nx] 1/s: how fast the inner state forgets, |d xdot / d x|, or NULL */
  /* ideal contacts */
  const double *multiplier; /* [nideal] N: forces Lambda of the rows, or NULL: they exert none */
  double *slip, *dslip;     /* [nideal] m/s: velocities of the rows, or NULL */
  double *gap, *dgap;       /* [ngap] m, or NULL */
  double *rows;             /* [nideal][nv] the Jacobian J, or NULL */
  double *workspace;        /* [nworkspace] scratch of what solves for the multipliers */
  bool parted; /* set-valued contacts do not act (but for compliant normal rows): the stepper finds what they
                  do; else with the forces that stand in x */
  /* viscoelastic contacts, whose rows stand in the order of their deflections, nlaw of them */
  const double *stick; /* N: forces with which they act in the place of those of their law, or NULL */
  double *law, *dlaw;  /* N: forces of their law, or NULL; dlaw with `stick` only */
  double *law_rows;    /* [][nv] their Jacobian J, or NULL */
  /* A step of a stepper that marches (step/leapfrog.c), one lane, no columns: elements whose type marches
   * move their own inner states, x_march, over the step that ends at t, and then give their forces there. */
  double *x_march;      /* [nx] or NULL: rates as ever; the states before, becomes those after; the array x */
  double march;         /* s, length of the step; 0: the forces only */
  const double *v_half; /* [nv] mean velocities over the step; q and v are those at its end */
  double *jump;         /* [nmech] J lost over the step beside the power, added, or NULL */
  double relax;         /* 1/s: drag on what settles before a run (an element that knows it) */
  double *hints;        /* [nhint] scratch of the elements that only saves time, first all 0; or NULL */
  double *warm;    /* [nwarm] from where solvers of the elements start; becomes where they ended; or NULL */
  int64_t *solves; /* [CAP_SOLVES_NCOUNT] solutions of coupled contacts by their iterations; or NULL */
  double *inertia_work; /* [ninertia_work] scratch where accelerations are wanted */
  void *held; /* elements with impulses give their rows there and do not act; NULL: they act as x says */
};

enum { CAP_READS_MOST = 3 };

typedef struct cap_batch {
  const cap_element_type *type;
  int n, nlane;
  int elem_adr;      /* index of the first element in force[] */
  int x_adr;         /* of its first inner state; type->nstate each */
  int mech_adr;      /* of its first mechanism; type->nmech each */
  int output_adr;    /* in cap_eval.force, of its first further output; type->noutput each */
  const int *i, *j;  /* [n] coordinates: the deflection is q_i - q_j; j may be CAP_GROUND */
  const double *par; /* [n][nparam][nlane] */
  bool uniform;      /* all elements have the same parameters, in one lane */
  int npart;         /* parts that the mechanisms are counted by; 0 = by elements */
  int ncommon;
  const double *common;      /* [ncommon] what all elements have in common */
  int hint_adr;              /* in cap_eval.hints, of its type->nhint + n type->nhint_each values */
  int warm_adr;              /* in cap_eval.warm, likewise */
  int reads[CAP_READS_MOST]; /* batches whose outputs it looks at, counted from this one: b + reads[0] */
  const void *const *bodies; /* [n] what an element has that is more than numbers (cap_builder_body) */
} cap_batch;

/* A force u -> k u + c v + f0 + sum of one harmonic, for the linear form. */
typedef struct cap_linear_part {
  double k, c, f0; /* resists: acts as -(k u + c v + f0) on i, + on j */
  double angular_frequency, fc,
      fs; /* load: acts as + (fc cos + fs sin) on i, - on j; angular frequency 0 = none */
} cap_linear_part;

enum { CAP_PIECES_MOST = 8 };

/* A piecewise-linear force of the deflection: offset + slope u + sum (jump/2) |u - at|. */
typedef struct cap_pieces {
  double offset, slope; /* N, N/m */
  int n;
  double at[CAP_PIECES_MOST], jump[CAP_PIECES_MOST]; /* m, N/m */
} cap_pieces;

enum { CAP_JOINTS_MOST = 32 };

/* A deflection (or a velocity of it) at which a smooth law is pieced together. */
typedef struct cap_joint {
  bool velocity;
  double at; /* m, m/s */
} cap_joint;

typedef struct cap_param {
  const char *name, *unit;
} cap_param;

enum { CAP_MECH_MOST = 4, CAP_OUTPUTS_MOST = 32, CAP_REACH_MOST = 16 };

struct cap_element_type {
  const char *name, *doc;
  int nparam, nstate, nmech;
  int noutput;                          /* what it shows beside its force, at most CAP_OUTPUTS_MOST */
  const cap_param *params;              /* [nparam] */
  const char *state_unit;               /* of the inner states; NULL = N */
  const char *mech_name[CAP_MECH_MOST]; /* of the energy audit */
  bool mech_input[CAP_MECH_MOST];       /* power fed in, instead of lost */
  bool wide;                            /* acts on more than the deflection between its two coordinates */
  bool tangent;                         /* harmonic balance takes it by its tangent at the model's start */
  bool reversal;                        /* changes form where the deflection's velocity changes sign */
  bool marches;                         /* moves its inner states itself when cap_eval.march > 0 */
  bool march_only; /* so alone do they move: it has no rates, and steppers that do not march refuse it */
  const cap_impulse_type *impulses; /* set-valued: who finds its forces, once a step; or NULL */
  bool fast; /* so fast that a stepper with inner steps evaluates it in these (step/multirate.c) */
  bool many; /* comes in such numbers that the explicit stepper is the one for it */
  int nhint, nhint_each; /* scratch values of a batch, and of each element beside */
  int nwarm, nwarm_each; /* the same of cap_eval.warm */
  void (*rates)(const cap_batch *b, cap_eval *e);
  /* The coordinates that element k acts on or depends on, for sparse tangents; returns their number. NULL: i
   * and j alone, or, when it is wide, any. */
  int (*reach)(const cap_batch *b, int k, int coords[CAP_REACH_MOST]);
  /* Stored energy, added to stored[nlane]; NULL = stores none. */
  void (*energy)(const cap_batch *b, const cap_eval *e, double *stored);
  /* Coefficients of element k in `lane`; NULL = not linear. */
  void (*linear)(const cap_batch *b, int k, int lane, cap_linear_part *part);
  /* Element k in `lane` as a piecewise-linear force of the deflection alone; false when it is not one there
   * (as a law that may be smoothed). NULL = never. */
  bool (*pieces)(const cap_batch *b, int k, int lane, cap_pieces *pieces);
  /* Whether the force of element k jumps with its deflection or velocity. NULL = it never does. */
  bool (*jumps)(const cap_batch *b, int k, int lane);
  /* Where the force of element k is continuous but some derivative of it is not, beside the corners that
   * `pieces` tells: a step of high order should end there. Returns their number. NULL = nowhere. */
  int (*joints)(const cap_batch *b, int k, int lane, cap_joint joints[CAP_JOINTS_MOST]);
  /* Statics: the inner states after a slow monotone motion of the deflection from u0 to u, and their
   * derivatives to u. NULL when there are none. */
  void (*settle)(const cap_batch *b, int k, int lane, double u0, double u, double *x, double *dxdu);
  /* Modes: inner states of element k that move along with fast small motions of the coordinates:
   * dx[nstate][n] from the columns dq[nv][n]; they take the place of those by `settle` and `slopes`. NULL =
   * none does. */
  void (*follow)(const cap_batch *b, int k, int lane, int n, const double *dq, double *dx);
  /* Modes: slope of the force over deflection right after a reversal, and while sliding; NULL when the force
   * is a function of deflection and velocity, whose derivative serves. */
  void (*slopes)(const cap_batch *b, int k, int lane, double u, const double *x, double *stuck,
                 double *sliding);
};

typedef enum cap_term_kind {
  CAP_TERM_CONSTANT,
  CAP_TERM_Q,
  CAP_TERM_V,
  CAP_TERM_X,
  CAP_TERM_FORCE,
  CAP_TERM_SLIDER,
  /* only in calls of the builder, which turns them into those above */
  CAP_TERM_ATTITUDE,           /* component of a quaternion: index = element * 4 + component */
  CAP_TERM_CONTACT_FORCE,      /* Lambda of a row: index = contact * 4 + row */
  CAP_TERM_CONTACT_SPEED,      /* its velocity */
  CAP_TERM_CONTACT_MEASURE,    /* index = contact * 4 + measure */
  CAP_TERM_CONTACT_DEFLECTION, /* z of a row of a viscoelastic contact */
  CAP_TERM_OUTPUT,             /* what an element shows: index = element * CAP_OUTPUTS_MOST + output */
} cap_term_kind;

/* A channel is a sum of factor * (q, v, x, element force or slider force) [index]. The factor here is that of
 * the first lane; cap_channel.factors has those of all. */
typedef struct cap_term {
  cap_term_kind kind;
  int index;
  double factor;
} cap_term;

typedef struct cap_channel {
  cap_column column;
  bool detail; /* shown only when a pattern names it */
  bool film;   /* part of what pictures of a motion are drawn from (analysis/observe/film.h) */
  bool member; /* of a family "kind.*.what": its name is kind.MEMBER.what */
  int nterm;
  cap_term *terms; /* [nterm] */
  double *factors; /* [nterm][nlane] */
} cap_channel;

typedef struct cap_mechanism {
  const char *name;
  bool input;
} cap_mechanism;

struct cap_model {
  int nlane;
  int nv;     /* coordinates = velocities */
  int nx;     /* inner states: of elements, deflections of viscoelastic contacts, forces of set-valued ones,
                 one force per slider */
  int nstate; /* 2 nv + nx */
  int nelem, nbatch, nslider, nmotion, nchannel;
  int ncontact, ncontactbatch;
  int nrow;    /* rows of all contacts */
  int nideal;  /* of the ideal ones */
  int ngap;    /* of these, rates of a gap */
  int nlaw;    /* rows of viscoelastic contacts, a deflection in x each */
  int nset;    /* rows of set-valued contacts, a force in x each */
  int noutput; /* values that cap_eval.force has room for */
  int ninput;
  int input_adr;  /* in cap_eval.force, of the values of the inputs */
  int power_adr;  /* in cap_eval.force, of the powers of all mechanisms, which channels show; 0 = none do */
  int nworkspace; /* values of cap_eval.workspace */
  int nhint;      /* of cap_eval.hints */
  int nwarm;      /* of cap_eval.warm, which is part of the data */
  int ninertia;   /* bodies whose mass matrix is not diagonal */
  int ninertia_work; /* values of cap_eval.inertia_work */
  int nmech;         /* elements', contacts', then one per slider, one per motion (its reaction's power) */
  const char **dof_name, **dof_unit; /* [nv] */
  const char **elem_name;            /* [nelem] */
  const char **slider_name;          /* [nslider] */
  const char **x_name, **x_unit;     /* [nx] */
  double *mass;                      /* [nv][nlane] kg or kg m2; 1 for a driven coordinate */
  double *inverse_mass;              /* [nv][nlane] 1/kg or 1/(kg m2) */
  cap_inertia *inertias;             /* [ninertia] */
  double *base;                      /* [nv][nlane] speed of the frame: the true velocity is base + v */
  int *cyclic;                       /* [nv] coordinates of one group (0, 1, ...) turn freely: nothing
                                        depends on a shift of all of them, and an orbit returns to all else;
                                        -1 */
  int *driven;                       /* [nv] index of its motion, or -1 */
  cap_motion *motions;               /* [nmotion][nlane] */
  int *motion_dof;                   /* [nmotion] */
  cap_batch *batches;                /* [nbatch] */
  cap_contact_batch *contacts;       /* [ncontactbatch] */
  const char **contact_name;         /* [ncontact] */
  const char **row_name;             /* [nrow] "disc.rolling" */
  int *ideal_row;                    /* [nideal] index among all rows */
  double *x_size;                    /* [nx] typical size of an inner state, for tolerances */
  double fastest;       /* rad/s: largest angular frequency of a compliant contact or as the drive says */
  double fastest_inner; /* rad/s: the same of what fast elements move; 0 = there are none */
  double fastest_body;  /* rad/s: of the elastic motion of bodies that can be stiffened */
  double coarsest;      /* s: longest step over which slow forces may be held; 0 = no bound */
  int nfast;            /* batches of fast elements */
  const cap_impulse_type *impulses; /* who finds the set-valued forces of elements; NULL: there are none */
  bool march_only;                  /* some element moves its inner states by marching alone */
  bool marches;                     /* some element comes in numbers: made for the explicit stepper */
  int *slider_i, *slider_j;         /* [nslider] */
  double *slider_k, *slider_limit;  /* [nslider][nlane] N/m (INFINITY = Coulomb), N */
  cap_mechanism *mechs;             /* [nmech] */
  cap_input *inputs;                /* [ninput] */
  double *input_start;              /* [ninput][CAP_INPUT_NVALUE] */
  cap_channel *channels;            /* [nchannel] */
  double *initial;                  /* [nstate][nlane] q, v, x */
  double *period;                   /* [nlane] s of the forcing; 0 = none */
  double t0;                        /* s */
  cap_subject subject;              /* what it is beside its equations */
  cap_scene scene;                  /* what its bodies look like */
  bool linear;                      /* every element has a linear form */
  bool reversal;                    /* some element changes form at velocity reversals */
  /* Who may stop what is computed of it, which steppers and solvers ask; set by whoever runs an analysis, as
   * long as that runs. NULL = no one. */
  const cap_progress *progress;
  struct cap_headway *headway; /* who watches how far steppers come (step/headway.h), likewise; or NULL */
  cap_arena arena;
};

void cap_model_free(cap_model *model); /* accepts NULL */

/* Those of the data, or those that the model starts with. */
static inline const double *cap_model_inputs(const cap_model *m, const double *inputs)
{
  return inputs ? inputs : m->input_start;
}

/* h, xdot, force, power and their tangents from the elements of e->part, contacts and sliders (sliders: force
 * only, xdot = 0). What belongs to the other part stays as it is, but for h, which starts from 0. Ideal
 * contacts act with e->multiplier. */
void cap_model_rates(const cap_model *m, cap_eval *e);

/* The same, where the multipliers of ideal contacts are found from the accelerations: without tangents, and
 * with e->workspace where there are any. */
void cap_model_outputs(const cap_model *m, cap_eval *e);

/* y = (q, v, x) -> dy/dt, [nstate][nlane], and tangents [nstate][ncol][nlane] when e->ncol > 0. `e` supplies
 * h, dh (scratch) and force, power (wanted or NULL). Driven coordinates get their imposed velocity and
 * acceleration. Not for models with sliders. With ideal contacts: needs e->workspace, gives no tangents. With
 * blocks of inertia: needs e->inertia_work. */
void cap_model_derivative(const cap_model *m, cap_eval *e, const double *y, const double *dy, double *ydot,
                          double *dydot);
/* The same without the positions, whose derivative is the velocity: their part of ydot and dydot is left as
 * it is. */
void cap_model_slopes(const cap_model *m, cap_eval *e, const double *y, const double *dy, double *ydot,
                      double *dydot);

/* Set q and v of the driven coordinates to their motion at t[nlane]; the accelerations, too, unless NULL.
 * inputs: those of the data, or NULL: as the model starts. */
void cap_model_drive(const cap_model *m, const double *inputs, const double *t, double *q, double *v,
                     double *acceleration);

/* Kinetic, potential and inner stored energy of each lane. With blocks of inertia: needs e->inertia_work. */
void cap_model_energy(const cap_model *m, const cap_eval *e, double *stored);

/* Power of the motions into the system: what the elements resist (e->h) times the imposed velocity. The
 * sliders' part of power[nmech] is set to 0 (the stepper knows their slip). */
void cap_model_motion_power(const cap_model *m, const cap_eval *e, double *power);

/* Value of a channel in one lane of nlane; `force` as from cap_model_rates. */
double cap_model_channel(const cap_channel *c, int lane, int nlane, const double *q, const double *v,
                         const double *x, const double *force);

/* The same in all lanes, values[nlane]. */
void cap_model_channel_lanes(const cap_channel *c, int nlane, const double *q, const double *v,
                             const double *x, const double *force, double *values);

/* Check a state for values that are not finite: names the time, the coordinate and the quantity. And for
 * contacts that have lost their point of contact. */
cap_status cap_model_check_finite(const cap_model *m, double t, const double *y, cap_error *error);
