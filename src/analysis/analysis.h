/* analysis/analysis.h — what every analysis looks like, and what it is given.
 *
 * An analysis knows no drive. It is one file with a table of its keys (base/fields.h), a struct that the
 * table fills, and a run function; drives/registry.h lists it. It computes on run->model and run->data (from
 * the state that the analysis before it left) and puts what it finds into run->sink.
 */
#pragma once
#include "base/diag.h"
#include "base/fields.h"
#include "base/progress.h"
#include "base/sink.h"
#include "base/status.h"
#include "base/summary.h"

typedef struct cap_model cap_model;
typedef struct cap_data cap_data;
typedef struct cap_feed cap_feed;

enum cap_outputs_balance { CAP_BALANCE_CHECK, CAP_BALANCE_IGNORE };

/* The section "outputs" of a model file. */
typedef struct cap_outputs {
  double every;       /* s between rows; 0 = the analysis chooses */
  double checkpoint;  /* s of simulated time between checkpoints; 0 = 1000 rows */
  cap_texts channels; /* names or patterns such as "span.*.tension"; none = all */
  int balance;        /* what an energy balance that does not close means (cap_outputs_balance) */
  int film;           /* frames of a film (analysis/observe/film.h); 0 = none */
  bool film_given;
} cap_outputs;

extern const cap_field cap_registry_outputs_fields[];

typedef struct cap_run cap_run;
struct cap_run {
  cap_model *model; /* one lane, as the model file says */
  cap_data *data;   /* state; analyses hand it on to the next */
  const cap_outputs *outputs;
  cap_sink *sink;
  const cap_progress *progress; /* may be NULL */
  cap_error *error;
  int threads;
  int seed; /* of whatever is drawn at random */
  /* The same drive with other parameters: a new model of nlane lanes where parameter p (of nparameter, by
   * path) has values[p * nlane + lane]. Freed by the caller with cap_model_free. */
  cap_status (*rebuild)(cap_run *run, int nparameter, const char *const *paths, int nlane,
                        const double *values, cap_model **model);
  /* The same with settings as of --set, "elements.simulated=218", of any kind; one lane. `own` is the struct
   * of the analysis that asks, or NULL; `*theirs` receives what its keys are with these settings. */
  cap_status (*rebuild_set)(cap_run *run, int nsetting, const char *const *settings, const void *own,
                            const void **theirs, cap_model **model);
  void *rebuild_self; /* both may be called from several threads at once */
  /* Arrays of a result file, for the caller to free; its path counts from the folder of the model file. Of
   * `group`; NULL: of the group `prefer` where it has them, else of the only group that has. */
  cap_status (*recall)(cap_run *run, const char *path, const char *group, const char *prefer, int narray,
                       const char *const *names, double **values, int64_t *counts);
  const cap_feed
      *feed; /* of the inputs over time (analysis/feed.h), for analyses that follow them; or NULL */
  const cap_model *like; /* they start where this one did, where the drive can (cap_builder_like); or NULL */
};

typedef struct cap_analysis {
  const char *name, *doc;
  const cap_field *fields;
  size_t spec_size; /* the struct's first member is `int kind`, the index in the registry */
  bool contacts;    /* treats systems with contacts (model/contact.h) */
  bool still;       /* treats systems that have no coordinates */
  bool follows;     /* inputs (model/input.h) as they vary; else they stay at their start */
  bool marched;     /* treats systems that can be marched in time only: they have no rates and tangents */
  /* Patterns, ending with NULL, of the columns and arrays that it puts beside the channels of the model.
   * NULL: they are known only when it has run. */
  const char *const *beside;
  /* What the model cannot do with these keys, said before anything is computed: findings by path, below
   * `path` ("analyses[2].transient"). *time is when the analysis will start, and is set to when it will end.
   * May be NULL: nothing to say, and no time passes. */
  void (*check)(const cap_model *model, const void *spec, double *time, const char *path, cap_diag *diag);
  /* What is wrong with the rows that it would write from `start` to `end`: findings at "outputs" or below
   * `path`, when `check` has found that it takes time. May be NULL. */
  void (*check_rows)(const void *spec, const cap_outputs *outputs, double start, double end, const char *path,
                     cap_diag *diag);
  /* The k-th list of settings that it will hand to rebuild_set, for checks of them; `key` receives where it
   * stands below the analysis. NULL: there are no more. May be NULL. */
  const cap_texts *(*settings)(const void *spec, int k, char *key, size_t size);
  /* What a run would do beside what the keys say, for `capstan check`: durations, steps, rows. `time` is when
   * it would start. May be NULL. */
  void (*plan)(const cap_model *model, const void *spec, const cap_outputs *outputs, double time,
               cap_summary *summary);
  cap_status (*run)(cap_run *run, const void *spec);
} cap_analysis;

/* All analyses, in the order of the documentation, ending with NULL; the same as the variants of "analyses".
 * drives/registry.c has the list, as some analyses are those of a drive. */
extern const cap_analysis *const cap_registry_analyses[];
extern const cap_variant cap_registry_analysis_variants[];
size_t cap_registry_largest_spec(void);
/* Why the analysis cannot treat a model of this kind at all; NULL: it can. */
const char *cap_registry_obstacle(const cap_analysis *analysis, const cap_model *model);
