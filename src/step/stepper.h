/* step/stepper.h — one interface of all time steppers.
 *
 * A stepper takes the data from its time to t_end[nlane] exactly; the policy (when to write, checkpoint,
 * stop) is the analysis' business. On request it multiplies a tangent by the derivative of its own discrete
 * flow, so that Newton on a period map converges quadratically. A stepper is created for one model and keeps
 * only scratch memory: all that a restart needs is in cap_data.
 *
 * Unless it carries (cap_stepper_settings.carry). Then it goes on with what the last advance left,
 * such as the step that it would have taken next, so that short advances cost little. That is named by
 * cap_stepper_views, which a checkpoint has to hold beside the data's fields: with both, going on and
 * restoring give the same bits. What is carried belongs to the data at which the last advance ended. Where
 * they are others at the next one (compared by a hash of time, state, regimes and senses), all of it is
 * forgotten; where inputs alone were set anew, what was computed with them.
 */
#pragma once
#include "model/data.h"
#include "model/model.h"
#include "step/headway.h"
#include "step/steppers.h"

typedef struct cap_observer {
  /* Called at each step's start and at the end, with the state there, the elements' forces and (rk4) the
   * decay rates of the inner states, else NULL. */
  void (*see)(void *self, const cap_model *m, const double *t, const double *y, const double *force,
              const double *decay);
  void *self;
} cap_observer;

/* What all methods are told and, below that, what is for one of them alone, with the file that owns it. They
 * share one struct because whoever moves a system without knowing by which method sets nothing below, so that
 * 0 must be the default of each; and because the keys that lead here mix the methods: substeps of multirate,
 * then tolerance of four of them, then solver and correction of timestepping. */
typedef struct cap_stepper_settings {
  double step; /* s: largest step of the fixed-step methods; 0: leapfrog, multirate choose it, midpoint varies
                * it by the tolerance */
  double tolerance;             /* relative, of the adaptive ones */
  bool audit;                   /* keep d->work and d->integrator */
  bool carry;                   /* an advance goes on with what the last one left; else it starts anew */
  const cap_observer *observer; /* or NULL */
  /* multirate.c: parts of a step for fast elements; 0 = its own */
  int substeps;
  /* staggered.c: a drag that settles a belt before a run (cap_eval.relax), 1/s, falling to 0 linearly over
   * the time `relax_fade` before `relax_until`, both s; relax 0 = none */
  double relax, relax_fade, relax_until;
  /* timestepping.c: the solver of its contacts (solve/nonsmooth.h; NULL = newton) and its tolerance (0 =
   * 1e-10); positions are corrected unless told otherwise */
  const char *solver;
  double solver_tolerance;
  bool uncorrected;
} cap_stepper_settings;

/* What an advance finds of what the one before has left. */
typedef enum cap_stepper_left {
  CAP_STEPPER_WHOLE,  /* all of it */
  CAP_STEPPER_DRIVEN, /* inputs were set: forces and what follows from them are others */
  CAP_STEPPER_MOVED   /* the data are others: nothing holds; also at first */
} cap_stepper_left;

enum { CAP_STEPPER_NVIEW = 16 }; /* most of cap_stepper_views */

typedef struct cap_stepper_type cap_stepper_type;
struct cap_stepper_type {
  char name[16]; /* as in model files; an array, so that lists of choices can point to it (step/steppers.h) */
  const char *doc;
  int order; /* of accuracy; 0 = exact or to tolerance */

  /* What it takes; what is not said here, a model must not have. */
  bool sliders;     /* set-valued sliders */
  bool smooth;      /* elements that are not linear */
  bool lanes;       /* ensembles */
  bool constraints; /* ideal contacts */
  bool impacts;     /* set-valued contacts */
  bool held;        /* elements whose set-valued forces it finds itself (cap_element_type.impulses) */
  bool inertia;     /* bodies with a mass matrix that is not diagonal */
  bool frozen;      /* inputs only as constants: it refuses a model that has any */
  bool marches;     /* elements that march move their own inner states (cap_eval.march) */

  /* How it goes. */
  bool fixed;     /* by settings.step */
  bool varies;    /* its step follows settings.tolerance where that is given and the step is not */
  bool parts;     /* fast elements by settings.substeps parts of it */
  bool explicit;  /* a fixed step that is too long blows up */
  bool staggered; /* explicit and stable below 2/angular_frequency; knows settings.relax */
  bool exact;     /* of piecewise-linear systems, whose orbits have closed forms (step/exact) */
  bool decays;    /* tells observers the decay rates of inner states */
  bool tangents;  /* can give the derivative of its flow */

  /* Who does instead of it what it does not do well, or NULL. */
  const cap_stepper_type *ensemble;  /* lanes */
  const cap_stepper_type *repeating; /* the same steps in every period, where small errors add up */

  /* How well it suits a model for which none is named; the highest wins. 0 or NULL = not at all. In use: 10
   * cvode, 20 midpoint, 30 radau, 40 extrapolation, 50 timestepping, 60 exact, 70 multirate where leapfrog
   * cannot, 80 leapfrog, 90 multirate. */
  int (*suits)(const cap_stepper_type *self, const cap_model *m);
  /* The same for going from row to row with cap_stepper_settings.carry, where a lower rank of `suits`
   * does not count. In use beside those: 12 midpoint, 15 switching (35 with contacts), 16 extrapolation. */
  int (*moves)(const cap_stepper_type *self, const cap_model *m);
  /* Why it cannot take a model, or NULL; where it is not given, what is said above decides alone
   * (cap_stepper_misses). */
  const char *(*obstacle)(const cap_stepper_type *self, const cap_model *m);
  /* Angular frequency that bounds its step, rad/s; where it is not given, the fastest of all. */
  double (*fastest)(const cap_model *m);

  cap_status (*create)(const cap_model *m, const cap_stepper_settings *settings, void **memory,
                       cap_error *error);
  /* tangent: [nstate][nstate][nlane], in: directions, out: their images; or NULL. */
  cap_status (*advance)(void *memory, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                        cap_error *error);
  /* Before an advance of a stepper that carries: forget what does not hold. */
  void (*resume)(void *memory, cap_stepper_left left);
  /* What it carries, on its memory, at most CAP_STEPPER_NVIEW - 1; returns how many. Both NULL: nothing. */
  int (*views)(void *memory, cap_view *views);
  /* Largest step and its parts as chosen; NULL = as in the settings, undivided. */
  void (*chosen)(const void *memory, double *step, int *substeps);
  void (*free)(void *memory); /* accepts NULL */
};

#define CAP_STEPPER_DECLARE(x_, ...) extern const cap_stepper_type cap_##x_##_type;
CAP_STEPPERS(CAP_STEPPER_DECLARE)

/* All of them, ending with NULL. */
extern const cap_stepper_type *const cap_stepper_types[];

typedef struct cap_stepper {
  const cap_stepper_type *type;
  void *memory;
  int64_t *ended; /* hashes of the data and of the inputs where the last advance ended; NULL: it carries
                   * nothing */
} cap_stepper;

/* Refuses a stepper that does not suit the model, with the reason and those that do. */
cap_status cap_stepper_create(const cap_stepper_type *type, const cap_model *m,
                              const cap_stepper_settings *settings, cap_stepper *stepper, cap_error *error);
void cap_stepper_free(cap_stepper *stepper);
cap_status cap_stepper_advance(cap_stepper *stepper, const cap_model *m, cap_data *d, const double *t_end,
                               double *tangent, cap_error *error);
/* What it carries from one advance to the next, for checkpoint and restore beside cap_data_views; returns how
 * many, 0 where nothing is carried. Named apart from the data's fields. */
int cap_stepper_views(const cap_stepper *stepper, cap_view views[CAP_STEPPER_NVIEW]);
/* Nothing is carried into the next advance, as after creation. */
void cap_stepper_forget(cap_stepper *stepper);
/* Asked by every stepper before each of its steps, with the velocities there (NULL: they are not known):
 * whether whoever runs the model wants it to stop (CAP_STOPPED). The data are then between two steps, and
 * good for nothing but the state at which they began. */
static inline cap_status cap_stepper_look(const cap_model *m, double t, const double *v, cap_error *error)
{
  cap_headway_step(m, t, v);
  if (!cap_progress_stopped(m->progress)) return CAP_OK;
  return cap_status_fail(error, CAP_STOPPED, "interrupted at t = %.6g s", t);
}

/* Fastest angular frequency that bounds the step of a method, rad/s; 0 = none is known. */
double cap_stepper_fastest(const cap_stepper_type *type, const cap_model *m);
/* Why a stepper cannot take a model, or NULL when it can. */
const char *cap_stepper_obstacle(const cap_stepper_type *type, const cap_model *m);
/* What a model has that a method does not say it takes, as a sentence or NULL: in its bodies, in its laws, in
 * both. An obstacle of a stepper's own is told before, between or after these. */
const char *cap_stepper_misses_bodies(const cap_stepper_type *type, const cap_model *m);
const char *cap_stepper_misses_laws(const cap_stepper_type *type, const cap_model *m);
const char *cap_stepper_misses(const cap_stepper_type *type, const cap_model *m);
/* What several of them ask of a model: whether it has regularised contacts, which part, and whether the force
 * of an element jumps. */
bool cap_stepper_parting(const cap_model *m);
bool cap_stepper_jumping(const cap_model *m);
/* Names of those that can, "exact, midpoint". */
void cap_stepper_fitting(const cap_model *m, char *names, size_t size);
/* The one that suits a model best (cap_stepper_type.suits). */
const cap_stepper_type *cap_stepper_best(const cap_model *m);
/* The one that moves it best from row to row, or from call to call of whoever couples it to something else
 * (cap_stepper_type.moves): cvode, which starts anew at each of them, only where no other can. */
const cap_stepper_type *cap_stepper_mover(const cap_model *m);
/* To which a multistep method's tolerance of the inner state k is relative, beside its value, when velocities
 * are of the size `speed`, m/s. */
double cap_stepper_inner_size(const cap_model *m, int k, double speed);
/* Number of equal steps of at most `step` from t to t_end, the same for all lanes. */
int64_t cap_stepper_count(const cap_model *m, const cap_data *d, const double *t_end, double step);
