/* step/headway.h — what is heard of a run between its rows: how far it is, and whether it is stuck.
 *
 * Whoever moves a model for long puts one into cap_model.headway; every stepper then tells it of each of its
 * steps. It looks at the clock every twentieth of a second or so, however long a step takes. A run is stuck
 * when at its present pace it would need more than three months for the whole of its time: the steps have
 * come down to where the clock of the model hardly moves. That is said once, after ten seconds, then after a
 * hundred and so on.
 */
#pragma once
#include "model/model.h"

typedef struct cap_headway {
  const char *what;             /* "transient" */
  const cap_progress *progress; /* receives the messages */
  double start, span;           /* s of the model */
  double patience;              /* s of the clock before it is said to be stuck */
  double (*clock)(void);        /* s; that on the wall, but for tests */
  double *v;                    /* [nv] velocities at the last look; NULL: no name is given */
  /* its own */
  int64_t steps, next, stride;
  double looked;             /* s of the clock, at the last look */
  double since, from, least; /* where the pace is measured from: s of the clock, s of the model, steps */
  int fastest;               /* coordinate whose velocity changed most between the last two looks; -1 */
} cap_headway;

/* `v` [nv] of memory, or NULL. */
void cap_headway_begin(cap_headway *h, const char *what, const cap_progress *progress, double start,
                       double span, double *v);
/* Go by another clock, from now on. */
void cap_headway_go_by(cap_headway *h, double (*clock)(void));
/* The clock, the report and the verdict. */
void cap_headway_look(cap_headway *h, const cap_model *m, double t, const double *v);

/* One more step from t on, with the velocities v[nv] there; NULL: they are not known. */
static inline void cap_headway_step(const cap_model *m, double t, const double *v)
{
  cap_headway *h = m->headway;
  if (h && ++h->steps >= h->next) cap_headway_look(h, m, t, v);
}
