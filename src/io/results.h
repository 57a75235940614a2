/* io/results.h — a result file being written: the sink of base/sink.h on HDF5.
 *
 * While a run goes on, its data are in OUT.h5.part beside OUT.h5. That file is a valid HDF5 file at every
 * moment, also when the process is killed:
 *   - its structure never changes in place: a new structure is written to OUT.h5.part.new and renamed over
 *     it;
 *   - rows go into space that was reserved for them (doubled when it is full), and do not count before
 *   - the checkpoint that covers them is committed: state and commit record go to the older of two slots, the
 *     record with a checksum, so that the newer slot stays valid until the other one is complete.
 * Rejected: appending to extendible datasets, where a kill during a flush leaves torn HDF5 metadata.
 *
 * The finished file is written in one go from what is there, to OUT.h5 by rename; its bytes do not depend on
 * where the run was interrupted and resumed. Writes are at most a quarter of a second of work behind, so a
 * run that checkpoints at every row is not slowed down. A lock on OUT.h5.part keeps a second run away.
 *
 * HDF5 is called from one thread at a time. The process should ignore SIGXFSZ (a file size limit).
 */
#pragma once
#include "io/durable.h"
#include "io/results_tree.h"

#include <signal.h>

typedef struct cap_results cap_results;

typedef struct cap_results_options {
  bool resume; /* continue OUT.h5.part or an incomplete OUT.h5; start afresh when there is none */
  bool eager;  /* write at every checkpoint, however quickly they follow each other */
  /* For runs that may be over in no time: OUT.h5.part is an empty locked file, which is no result, until a
   * quarter of a second has passed. What ends before that is written once, and without dimension scales: of
   * a run of a millisecond they would take a tenth. */
  bool brief;
  /* Hands the finished file over, so that the caller does not wait for the disk: `path` is there when
   * `done` of it is called, with `tag`. NULL: it is there when cap_results_finish returns. */
  cap_durable *durable;
  int64_t tag;
} cap_results_options;

/* Start (or continue) the result file `path`; NULL: results in memory, which cap_results_take hands out. Of
 * `meta` the caller fills drive, name, model, settings and seed; version, hash, compiler and flags are this
 * program's. `error` is kept as the sink's error. Refuses with CAP_ERR_IO what cannot be written, and with
 * CAP_ERR_INPUT to resume a run of another model or program. */
cap_status cap_results_create(const char *path, const cap_results_meta *meta, cap_results_options options,
                              cap_results **results, cap_error *error);
cap_sink *cap_results_sink(cap_results *results);
/* Whether a resumed run was begun on another kind of machine (base/machine.h): its last digits may then be
 * others than those of a run that was not interrupted. */
bool cap_results_elsewhere(const cap_results *results);
/* What is there so far; for messages ("resumed at ..."). */
const cap_results_tree *cap_results_contents(const cap_results *results);

/* As long as *heard (cap_progress.heard) is 0, groups may be closed; a group of which a part was asked to
 * stop is not complete, whatever became of that part: closing it is CAP_STOPPED. NULL = all may. */
void cap_results_listen(cap_results *results, const volatile sig_atomic_t *heard);
/* Go out of the group that a failed analysis left open, so that another can be opened; it stays "running". */
void cap_results_leave(cap_results *results);
/* The values so far of a column or an array of cap_results_contents, wherever they are now; `values` has room
 * for `cap_results_count` of them. */
int64_t cap_results_count(const cap_results_group *group, const cap_results_dataset *dataset);
cap_status cap_results_peek(cap_results *results, const cap_results_group *group,
                            const cap_results_dataset *dataset, double *values, cap_error *error);

/* Write the file in its final form and rename it to `path`. With complete = false (interrupted, failed) it
 * says so and can be resumed; it then stays OUT.h5.part when `path` holds a complete result, which is never
 * destroyed by an incomplete one. cap_results_where tells which it was. */
cap_status cap_results_finish(cap_results *results, bool complete);
/* Bring OUT.h5.part up to date and leave it there, to be resumed. */
cap_status cap_results_pause(cap_results *results);
const char *cap_results_where(const cap_results *results);
/* Results in memory, after their finish: the same bytes as of a file, under a descriptor for the caller to
 * close; -1: there are none. */
int cap_results_take(cap_results *results);
/* Without a finish before, OUT.h5.part stays as its last checkpoint left it. Accepts NULL. */
void cap_results_free(cap_results *results);
