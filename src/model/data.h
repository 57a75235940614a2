/* model/data.h — the mutable state of one system (or of an ensemble, lane by lane).
 *
 * One list of fields makes the struct, the checkpoint, the restart, the hash and the comparison. What is in
 * it is exactly what makes a restart bit-identical; scratch memory belongs to the steppers.
 */
#pragma once
#include "model/model.h"
#include <stdint.h>

#define CAP_DATA_FIELDS(X)                                                                                   \
  /* type    name         count              unit       meaning                                      */      \
  X(double, t, m->nlane, "s", "time")                                                                        \
  X(double, y, m->nstate * m->nlane, "SI", "positions, velocities, internal variables")                      \
  X(double, input, m->ninput *CAP_INPUT_NVALUE, "SI", "inputs: value, rate, since, travel")                  \
  X(double, work, m->nmech * m->nlane, "J", "energy through each mechanism since the start")                 \
  X(double, integrator, m->nlane, "J", "energy lost by the time integration itself")                         \
  X(double, start_energy, m->nlane, "J", "stored energy at the start")                                       \
  X(int64_t, regime, m->nslider * m->nlane, "1", "friction element: 0 stuck, 1 or -1 direction of slip")     \
  X(int64_t, sense, m->nelem * m->nlane, "1", "element: sign of its deflection rate, 0 = not set")           \
  X(int64_t, steps, 4, "1", "steps, function evaluations, iterations, events")                               \
  X(int64_t, impacts, m->nset || m->impulses ? CAP_IMPACTS_COUNT : 0, "1",                                   \
    "set-valued contacts: CAP_IMPACTS_*")                                                                    \
  X(double, impact_worst, m->nset || m->impulses ? CAP_WORST_COUNT : 0, "SI",                                \
    "set-valued contacts: CAP_WORST_*")                                                                      \
  X(int64_t, solves, m->nwarm ? CAP_SOLVES_NCOUNT : 0, "1",                                                  \
    "coupled contact solutions by their number of iterations")                                               \
  X(double, warm, m->nwarm, "SI", "start values of the elements' iterations")

enum { CAP_STEPS_STEPS, CAP_STEPS_EVALUATIONS, CAP_STEPS_ITERATIONS, CAP_STEPS_EVENTS };

/* What was needed to find the forces of set-valued contacts (step/timestepping.c). */
enum { CAP_IMPACTS_BINS = 16 };
enum {
  CAP_IMPACTS_STEPS,       /* steps with closed contacts */
  CAP_IMPACTS_CLOSED,      /* sum of closed contacts over them */
  CAP_IMPACTS_MOST_CLOSED, /* largest number */
  CAP_IMPACTS_ITERATIONS,  /* of the solver, sum */
  CAP_IMPACTS_MOST,        /* in one step */
  CAP_IMPACTS_FALLBACKS,   /* Newton needed another way */
  CAP_IMPACTS_MISSED,      /* steps that ended above the tolerance */
  CAP_IMPACTS_CORRECTED,   /* steps whose positions were corrected */
  CAP_IMPACTS_HISTOGRAM,   /* steps by their iterations: bins as cap_data_impact_bins */
  CAP_IMPACTS_COUNT = CAP_IMPACTS_HISTOGRAM + CAP_IMPACTS_BINS
};
enum {
  CAP_WORST_RESIDUAL, /* of the solver, largest */
  CAP_WORST_DRIFT,    /* m, deepest gap of closed contacts at the end of a step that still would be closed */
  CAP_WORST_MOVED,    /* m, deepest gap that was corrected */
  CAP_WORST_COUNT
};
/* Largest number of iterations of each bin; of the last: no bound. */
extern const int cap_data_impact_bins[CAP_IMPACTS_BINS];

typedef struct cap_data {
#define CAP_DATA_MEMBER(type, name, count, unit, meaning) type *name;
  CAP_DATA_FIELDS(CAP_DATA_MEMBER)
#undef CAP_DATA_MEMBER
  double *q, *v, *x;    /* parts of y */
  double *inertia_work; /* scratch, for energies */
  void *block;          /* the memory of all of them */
} cap_data;

enum { CAP_DATA_NVIEW = 13 };

cap_data *cap_data_create(const cap_model *m); /* at the model's initial state; NULL: out of memory */
void cap_data_free(cap_data *d);               /* accepts NULL */
/* Back to the initial state of the model. */
void cap_data_reset(const cap_model *m, cap_data *d);
/* Start a new energy balance at the present state. */
void cap_data_start_audit(const cap_model *m, cap_data *d);
/* Forget what set-valued contacts needed so far. */
void cap_data_start_impacts(const cap_model *m, cap_data *d);
void cap_data_copy(const cap_model *m, cap_data *to, const cap_data *from);
/* All fields, for checkpoint and restart. */
void cap_data_views(const cap_model *m, cap_data *d, cap_view views[CAP_DATA_NVIEW]);
/* Those of them that another run may start from: all but time, energy balance and counts.
 * Returns how many. */
int cap_data_start_views(const cap_model *m, cap_data *d, cap_view views[CAP_DATA_NVIEW]);
/* Start at that state of an earlier run, whose views are matched by name and size, at the model's own time
 * and with a new energy balance. CAP_ERR_INPUT when it is of another structure. */
cap_status cap_data_start_at(const cap_model *m, cap_data *d, int nview, const cap_view *views,
                             cap_error *error);
uint64_t cap_data_hash(const cap_model *m, const cap_data *d);
/* Energies of one lane as lines of a balance: inputs, stored, each mechanism, integrator, residual. Returns
 * the number of lines (at most nmech + 3); *scale is the energy that the residual is to be compared with. */
int cap_data_balance(const cap_model *m, const cap_data *d, int lane, cap_balance_line *lines, double *scale);
