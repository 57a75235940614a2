/* drives/pushbelt/observe/variator_watch.h — post-processing of a run of a pushbelt variator, as section 2.4
 * has it.
 *
 * Maths:   docs/theory.md §51
 * Reads:   at every row of a run the contacts of all elements (variator_probe.h); what happens between rows
 *          is seen by the works alone, which steppers add up exactly.
 *
 * For any analysis that moves a variator: create it when the energy audit has been started, take every row,
 * put the results into the open group. The views belong to the checkpoints. While the run goes on,
 * cap_variator_figures_steady(&w.record, ...) tells whether it is stationary, and cap_variator_means_of and
 * _rate(&w.record.means, ...) give means.
 */
#pragma once
#include "analysis/observe/observers.h"
#include "drives/pushbelt/observe/variator_figures.h"
#include "drives/pushbelt/observe/variator_probe.h"

/* Section "variator" of an analysis. */
typedef struct cap_variator_watch_spec {
  int average_elements;
  bool histories;
  int average_from; /* last turnaround, stationary time */
  double reference_ratio, bearing_torque, bearing_friction, pump_power, pump_slope, pump_torque, pump_stroke;
} cap_variator_watch_spec;

extern const cap_field cap_variator_watch_fields[];

enum { CAP_VARIATOR_WATCH_VIEWS = CAP_VARIATOR_RECORD_VIEWS + 2 };

typedef struct cap_variator_watch {
  const cap_variator_watch_spec *spec;
  const cap_variator *variator; /* NULL: nothing to watch */
  cap_variator_probe probe;
  cap_variator_levels level;
  cap_variator_sample sample;
  cap_variator_record record;
  cap_variator_track history; /* of all elements, when asked for */
  int history_stride;
  double *rows;   /* [1] so far */
  double *levels; /* [level.n] */
  cap_balance_line *lines;
  bool judged;   /* whoever runs it has a criterion of its own: */
  double steady; /* s, stationary from then on; NAN: it is not */
} cap_variator_watch;

/* A model that is no variator is not watched. every: s between rows. Free it in any case. */
cap_status cap_variator_watch_create(cap_run *run, const cap_variator_watch_spec *spec, double every,
                                     cap_variator_watch *w);
void cap_variator_watch_free(cap_variator_watch *w);

/* Returns their number. */
int cap_variator_watch_views(const cap_variator_watch *w, cap_view views[CAP_VARIATOR_WATCH_VIEWS]);

/* Take the state of run->data with the forces that were computed there (cap_channels.force).
 * CAP_ERR_NUMERICS: the belt has left the sheaves. */
cap_status cap_variator_watch_take(cap_variator_watch *w, const cap_run *run, const double *force);

/* From when on the run is stationary, by the one who runs it (NAN: not at all), in place of its own view. */
void cap_variator_watch_judge(cap_variator_watch *w, double steady);

/* Everything into the open group, and notes that begin with `what`. figures (or NULL) receives the global
 * results. */
cap_status cap_variator_watch_put(cap_variator_watch *w, cap_run *run, const char *what,
                                  cap_variator_figures *figures);

/* What those figures are in the continuum and how far they are from it
 * (drives/pushbelt/continuum/variator_continuum_beside.h); NAN, and `why`, where there is none. */
cap_status cap_variator_watch_beside(const cap_variator *v, const cap_variator_figures *figures,
                                     double *values, cap_error *why);

/* The global results alone; NAN where there are none. */
cap_status cap_variator_watch_figures(cap_variator_watch *w, cap_run *run, cap_variator_figures *figures);

extern const cap_observer_type cap_variator_watch_observer;
