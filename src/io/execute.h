/* io/execute.h — a model file computed from end to end, into a result file.
 *
 * The one way in which the program, the atlas and the tests run a model. Nothing is written before the model
 * is built; what fails or is interrupted leaves a result that says that it is not complete and can be
 * resumed.
 */
#pragma once
#include "analysis/analysis.h"
#include "base/progress.h"
#include "io/model_file.h"
#include "model/model.h"

typedef struct cap_results cap_results;
typedef struct cap_results_tree cap_results_tree;
typedef struct cap_durable cap_durable;
typedef struct cap_feed_source cap_feed_source;

/* What has become of a run, when only its file remains to be finished. */
typedef struct cap_execute_outcome {
  const cap_model *model;
  cap_data *data;       /* as the last analysis left it */
  cap_results *results; /* no group is open */
  cap_status status;    /* fine, or why the computation failed: CAP_ERR_NUMERICS, _INPUT, _UNSUPPORTED */
  const char *reason;   /* of a failure; else "" */
} cap_execute_outcome;

/* Where a run is among its analyses. */
typedef struct cap_execute_stage {
  const char *analysis;
  bool ended;
  cap_status status;                /* of what has ended */
  const cap_results_tree *contents; /* of the result file so far; groups of this run are `opened` */
} cap_execute_stage;

typedef struct cap_execute_options {
  cap_model *model; /* of the file, from cap_execute_check; freed in any case. NULL: it is built here */
  bool resume;
  int threads;
  const cap_progress *progress; /* may be NULL */
  /* Files that feed the inputs (io/feed_file.h), when the file is not fed yet; their first finding is the
   * error. */
  int nfeed;
  const cap_feed_source *feeds;
  double time_limit; /* s of the wall clock, beside that of the file; 0 = none */
  /* Set to a descriptor of the results, complete or not (cap_results_take), for the caller to close; -1:
   * there are none. `output` is NULL then, and no file is written. */
  int *memory;
  /* A state to start from in place of the model's own (cap_data_start_at); 0: the model's own. */
  int nstart;
  const cap_view *start;
  /* Refuse what cap_execute_check would find before anything is written; the first finding is the error. */
  bool check;
  /* For runs among many others: results in brief (cap_results_options), and an interrupted run stays
   * OUT.h5.part in place of an incomplete OUT.h5. */
  bool brief;
  /* Takes the finished file (io/durable.h), with `tag`; NULL: it is there when cap_execute_file returns. */
  cap_durable *durable;
  int64_t tag;
  /* Called before the results are finished, to put a last group, also when the computation failed; not when
   * it was interrupted (but when it took too long), or when memory or the disk are the trouble. Its failure
   * is that of the run. May be NULL. When there is one, a failure to finish the file counts more than that of
   * the computation. */
  cap_status (*epilogue)(void *self, const cap_execute_outcome *outcome, cap_error *error);
  void *epilogue_self;
  /* Called before and after each analysis; may be NULL. */
  void (*stage)(void *self, const cap_execute_stage *stage);
  void *stage_self;
  /* Set when it is the model that is refused (it cannot be built, does not pass the check, or does not fit
   * the start), and nothing was written. May be NULL. */
  bool *refused;
  /* Set when all analyses were computed to their ends, also when the run fails because an energy balance does
   * not close. May be NULL. */
  bool *complete;
} cap_execute_options;

/* Run all analyses of `file` into `output` (NULL: into memory). `where` (may be NULL, of `size` bytes) gets
 * the path of the file that was written, also when it is incomplete; empty when there is none. */
cap_status cap_execute_file(cap_model_file *file, const char *output, const cap_execute_options *options,
                            char *where, size_t size, cap_error *error);

/* What only the built system can tell: analyses that do not suit it, channels that it does not have. Findings
 * go to `diag` with their places in the file; CAP_ERR_INPUT when there are any. Without findings the system
 * is handed on in *model; NULL: it is not wanted. */
cap_status cap_execute_check(const cap_model_file *file, cap_model **model, cap_diag *diag, cap_error *error);

/* The system of a model file, one lane. */
cap_status cap_execute_build(const cap_model_file *file, cap_model **model, cap_error *error);

/* What an analysis computes with beside model, data and sink: the means to make the model anew with other
 * values and to read other results. Set in `run` with the file's outputs and seed, as long as the workshop
 * lives; NULL: out of memory. */
typedef struct cap_execute_workshop cap_execute_workshop;
cap_execute_workshop *cap_execute_workshop_create(cap_model_file *file, cap_run *run);
void cap_execute_workshop_free(cap_execute_workshop *shop); /* accepts NULL; models made in it are gone */

/* The k-th analysis of that name in the file, counted from 0; NULL: there are not as many. */
const void *cap_execute_analysis(const cap_model_file *file, const char *name, int k);
