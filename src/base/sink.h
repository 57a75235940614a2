/* base/sink.h — where an analysis puts its results, without knowing what becomes of them.
 *
 * io/results.c writes them to HDF5. An analysis opens a group, then either declares columns and appends rows
 * (a growing table: one dataset per column), or puts whole arrays; both may be mixed. Values are SI.
 * Every call returns CAP_OK or a negative status with the reason in the sink's `error`.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_column {
  const char *name, *unit, *long_name;
} cap_column;

/* One field of the mutable state, for checkpoint, restart, hash and comparison (model/data.h makes the
 * list). */
typedef struct cap_view {
  const char *name, *unit, *meaning;
  bool integer; /* int64_t instead of double */
  int64_t count;
  void *values;
} cap_view;

/* How the names of what a stepper carries over an advance begin (step/stepper.h). Checkpoints of version 0.1
 * have none. */
#define CAP_VIEW_CARRIED "stepper."

/* One line of the energy balance. */
typedef struct cap_balance_line {
  const char *name;
  const char *kind; /* "input", "stored", "dissipated", "integrator", "residual"; "scale": what the
                     * residual is to be compared with, no part of the balance */
  double energy;    /* J: work done, growth of the stored energy, energy lost */
} cap_balance_line;

typedef struct cap_sink cap_sink;
struct cap_sink {
  cap_error *error;
  /* Start a group; `name` such as "transient", made unique by the sink ("transient-2"). */
  cap_status (*open)(cap_sink *sink, const char *name, const char *kind, const char *title);
  cap_status (*columns)(cap_sink *sink, int ncolumn, const cap_column *columns);
  /* Append rows to the columns; values[row * ncolumn + column]. */
  cap_status (*rows)(cap_sink *sink, int nrow, const double *values);
  /* A whole array of `rank` dimensions; `axes` names the arrays of this group along each dimension,
   * "load.amplitude,load.angular_frequency", or NULL. */
  cap_status (*array)(cap_sink *sink, cap_column what, int rank, const int64_t *dims, const char *axes,
                      const double *values);
  cap_status (*text)(cap_sink *sink, const char *name, const char *value);
  /* Number attached to the group, such as a count of iterations. */
  cap_status (*number)(cap_sink *sink, cap_column what, double value);
  cap_status (*balance)(cap_sink *sink, int nline, const cap_balance_line *lines);
  /* Make durable what was appended so far, together with the state to continue from. */
  cap_status (*checkpoint)(cap_sink *sink, int nview, const cap_view *views);
  /* Fill the views from the checkpoint of this group when a run is resumed, and drop rows written after it.
   * The last ones, where they are named CAP_VIEW_CARRIED, may be missing in it and then stay as they are.
   * *found = false: start afresh. A group that was finished before is told by *finished. Without views (0,
   * NULL) nothing is filled: `kept` then hands them out. */
  cap_status (*restore)(cap_sink *sink, int nview, const cap_view *views, bool *found, bool *finished);
  /* After a restore that found a checkpoint: the view of that name in it, of whatever size; NULL = none.
   * Lives until the next checkpoint or close. */
  const cap_view *(*kept)(cap_sink *sink, const char *name);
  cap_status (*close)(cap_sink *sink);
};
