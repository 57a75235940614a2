/* step/stepper.h — one interface of all time steppers.
 *
 * A stepper takes the data from its time to t_end[nlane] exactly; the policy (when to write, checkpoint,
 * stop) is the analysis' business. On request it multiplies a tangent by the derivative of its own discrete
 * flow, so that Newton on a period map converges quadratically. A stepper is created for one model and keeps
 * only scratch memory: all that a restart needs is in cap_data.
 */
#pragma once
#include "model/data.h"
#include "model/model.h"

typedef struct cap_observer {
  /* Called at each step's start and at the end, with the state there, the elements' forces and (rk4) the
   * decay rates of the inner states, else NULL. */
  void (*see)(void *self, const cap_model *m, const double *t, const double *y, const double *force,
              const double *decay);
  void *self;
} cap_observer;

typedef struct cap_stepper_settings {
  double step;      /* s: largest step of the fixed-step methods; leapfrog, multirate: 0 = their own */
  int substeps;     /* multirate: parts of a step for fast elements; 0 = its own */
  double tolerance; /* relative, of the adaptive ones */
  bool audit;       /* keep d->work and d->integrator */
  const cap_observer *observer; /* or NULL */
  /* leapfrog: a drag that settles a belt before a run (cap_eval.relax), 1/s, falling to 0 linearly over the
   * time `relax_fade` before `relax_until`, both s; relax 0 = none */
  double relax, relax_fade, relax_until;
  /* timestepping: the solver of its contacts (solve/nonsmooth.h; NULL = newton) and its tolerance (0 =
   * 1e-10); positions are corrected unless told otherwise */
  const char *solver;
  double solver_tolerance;
  bool uncorrected;
} cap_stepper_settings;

typedef struct cap_stepper_type {
  const char *name, *doc;
  int order;        /* of accuracy; 0 = exact or to tolerance */
  bool sliders;     /* treats set-valued sliders */
  bool smooth;      /* treats elements that are not linear */
  bool lanes;       /* treats ensembles */
  bool fixed;       /* uses settings.step */
  bool constraints; /* treats ideal contacts */
  bool impacts;     /* treats set-valued contacts */
  bool inertia;     /* treats bodies with a mass matrix that is not diagonal */
  bool marches;     /* elements that march move their own inner states (cap_eval.march) */
  bool tangents;    /* can give the derivative of its flow */
  cap_status (*create)(const cap_model *m, const cap_stepper_settings *settings, void **memory,
                       cap_error *error);
  /* tangent: [nstate][nstate][nlane], in: directions, out: their images; or NULL. */
  cap_status (*advance)(void *memory, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                        cap_error *error);
  /* Largest step and its parts as chosen; NULL = as in the settings, undivided. */
  void (*chosen)(const void *memory, double *step, int *substeps);
  void (*free)(void *memory); /* accepts NULL */
} cap_stepper_type;

extern const cap_stepper_type cap_theta_euler_type;    /* theta.c: implicit Euler */
extern const cap_stepper_type cap_theta_midpoint_type; /* theta.c: implicit midpoint rule */
extern const cap_stepper_type cap_timestepping_type;   /* timestepping.c: set-valued contacts */
extern const cap_stepper_type cap_moreau_type;         /* moreau.c: half-explicit Moreau step */
extern const cap_stepper_type cap_leapfrog_type;       /* leapfrog.c: explicit staggered steps */
extern const cap_stepper_type cap_multirate_type;      /* multirate.c: fast elements in parts of a step */
extern const cap_stepper_type cap_rk4_type;            /* rk4.c: classical Runge-Kutta, ensembles */
extern const cap_stepper_type cap_cvode_type;          /* cvode.c: SUNDIALS CVODE with reversal events */
extern const cap_stepper_type cap_ida_type;            /* ida.c: SUNDIALS IDA, ideal contacts */
extern const cap_stepper_type cap_extrapolate_type;    /* extrapolate.c: order twelve, lands on corners */
extern const cap_stepper_type cap_radau_type;          /* radau.c: implicit Runge-Kutta, orders 5, 9, 13 */
extern const cap_stepper_type cap_propagate_type;      /* propagate.c: exact between stick and slip */

/* All of them, ending with NULL; names as in model files. */
extern const cap_stepper_type *const cap_stepper_types[];

typedef struct cap_stepper {
  const cap_stepper_type *type;
  void *memory;
} cap_stepper;

/* Refuses a stepper that does not suit the model, with the reason and those that do. */
cap_status cap_stepper_create(const cap_stepper_type *type, const cap_model *m,
                              const cap_stepper_settings *settings, cap_stepper *stepper, cap_error *error);
void cap_stepper_free(cap_stepper *stepper);
cap_status cap_stepper_advance(cap_stepper *stepper, const cap_model *m, cap_data *d, const double *t_end,
                               double *tangent, cap_error *error);
/* Fastest pulsation that bounds the step of a method, rad/s; 0 = none is known. Multirate: that of the slow
 * elements. */
double cap_stepper_fastest(const cap_stepper_type *type, const cap_model *m);
/* Why a stepper cannot take a model, or NULL when it can. */
const char *cap_stepper_obstacle(const cap_stepper_type *type, const cap_model *m);
/* Names of those that can, "exact, midpoint". */
void cap_stepper_fitting(const cap_model *m, char *names, size_t size);
/* The one that suits a model best: exact where it applies, extrapolation for ideal contacts, radau for
 * viscoelastic ones, midpoint for set-valued laws, CVODE otherwise. */
const cap_stepper_type *cap_stepper_best(const cap_model *m);
/* To which a multistep method's tolerance of the inner state k is relative, beside its value, when velocities
 * are of the size `speed`, m/s. */
double cap_stepper_inner_size(const cap_model *m, int k, double speed);
/* Number of equal steps of at most `step` from t to t_end, the same for all lanes. */
int64_t cap_stepper_count(const cap_model *m, const cap_data *d, const double *t_end, double step);
