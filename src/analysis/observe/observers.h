/* analysis/observe/observers.h — what watches a run, row by row: films, spectra, loads, figures of a drive.
 *
 * All observers have one interface: made when the rows of a run are planned, they take every row, what they
 * have gathered is part of the checkpoints, and at the end they put it into the open group. An analysis
 * holds a list of them and knows none by name: which ones watch which analysis says the list
 * cap_registry_observers, in which drives have their own. An observer that finds nothing to watch in a model
 * stays in the list and does nothing.
 *
 * What needs every step of a stepper instead of the rows of an analysis is a cap_observer (step/stepper.h).
 */
#pragma once
#include "analysis/analysis.h"

/* The rows that are to come. */
typedef struct cap_observer_plan {
  const void *keys;    /* of the observer's section in the analysis, or NULL: it has none */
  double start, until; /* s: of the first and the last row */
  double every;        /* s between rows, but for the last */
  int64_t nrow;
} cap_observer_plan;

typedef struct cap_observer_points cap_observer_points;

enum { CAP_OBSERVER_NAME = 256 };

enum { CAP_OBSERVER_VIEWS = 16 }; /* at most, of one observer */

typedef struct cap_observer_type {
  const char *name;
  size_t size; /* of its memory, which is zeroed before `create`; freed in any case */
  cap_status (*create)(void *self, cap_run *run, const cap_observer_plan *plan);
  /* Row number `row`: the state of run->data with the forces that were computed there
   * (cap_channels.force). */
  cap_status (*take)(void *self, const cap_run *run, int64_t row, const double *force);
  /* What it has gathered, for checkpoints; returns the number of views. NULL: nothing. */
  int (*views)(const void *self, cap_view views[CAP_OBSERVER_VIEWS]);
  /* What a resumed state does not show: called when the views have been filled. May be NULL. */
  void (*resume)(void *self, const cap_data *d);
  /* There are no more rows, whether the run has reached its end or not: notes. May be NULL. */
  void (*end)(void *self, const cap_run *run);
  /* Results into the open group, and notes that begin with `what`. May be NULL. */
  cap_status (*put)(void *self, cap_run *run, const char *what);
  /* What there is of a run that broke off after so many rows. May be NULL. */
  cap_status (*put_part)(void *self, cap_run *run, int64_t rows);
  void (*free)(void *self);
  /* What is wrong with its keys for rows up to `until`, below `path`. May be NULL. */
  void (*check)(const void *keys, const cap_model *m, double until, const char *path, cap_diag *diag);
  /* For analyses of several runs, points; all may be NULL. From when on a run was stationary, s, by the one
   * who runs it; NAN: not at all. Whether a point has enough to show for a group of its own. Figures of all
   * points side by side. */
  void (*judge)(void *self, double steady);
  bool (*has_group)(const void *self);
  cap_status (*put_points)(const cap_observer_points *points);
} cap_observer_type;

/* Runs of one analysis beside each other. */
struct cap_observer_points {
  cap_run *run; /* of the analysis: its model is that of the file */
  const char *what;
  int n;
  void *const *self;                      /* [n] of the observer; NULL: the run failed */
  cap_run *runs;                          /* [n] with the model and the data of each */
  const char (*names)[CAP_OBSERVER_NAME]; /* [n] for messages */
  /* An array over the points into the open group. */
  cap_status (*put)(const cap_observer_points *points, cap_column column);
  double *values; /* [n] its values */
  void *put_self;
};

/* Which observer watches which analysis, and where the struct of its keys stands in the spec of that. */
typedef struct cap_observer_entry {
  const cap_observer_type *type; /* NULL: the end of the list */
  const char *analysis;
  size_t keys; /* 0: it has none */
} cap_observer_entry;

extern const cap_observer_entry cap_registry_observers[]; /* drives/registry.c */

enum { CAP_OBSERVERS_MOST = 16, CAP_OBSERVERS_VIEWS = 48 };

/* Those that watch one run. */
typedef struct cap_observers {
  int n;
  const cap_observer_type *type[CAP_OBSERVERS_MOST];
  void *self[CAP_OBSERVERS_MOST];
} cap_observers;

/* All that the registry has for the analysis; plan->keys is chosen by `spec`. Free it in any case. */
cap_status cap_observers_create(cap_observers *o, const char *analysis, const void *spec, cap_run *run,
                                const cap_observer_plan *plan);
void cap_observers_free(cap_observers *o);
cap_status cap_observers_take(cap_observers *o, const cap_run *run, int64_t row, const double *force);
int cap_observers_views(const cap_observers *o, cap_view views[CAP_OBSERVERS_VIEWS]);
void cap_observers_resume(cap_observers *o, const cap_data *d);
void cap_observers_end(cap_observers *o, const cap_run *run);
cap_status cap_observers_put(cap_observers *o, cap_run *run, const char *what);
/* Of a run that breaks off with `status`, which it returns, whatever else goes wrong. */
cap_status cap_observers_put_part(cap_observers *o, cap_run *run, int64_t rows, cap_status status);
void cap_observers_judge(cap_observers *o, double steady);
bool cap_observers_have_group(const cap_observers *o);
/* The memory of that type's observer; NULL: it is not in the list. */
void *cap_observers_find(const cap_observers *o, const cap_observer_type *type);
/* The keys of all observers of an analysis. */
void cap_observers_check(const char *analysis, const void *spec, const cap_model *m, double until,
                         const char *path, cap_diag *diag);
