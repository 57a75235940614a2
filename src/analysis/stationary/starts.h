/* analysis/stationary/starts.h — where runs may start in place of the model's own start: what drives offer.
 *
 * A drive may offer to start from a stored state, or from a coarser model of the same that is run to its
 * stationary point first. The keys that ask for it are the drive's own (drives/registry.c puts them among
 * those of the analysis).
 */
#pragma once
#include "analysis/stationary/stationary_point.h"

/* A model to start, and how it differs from that of the run. */
typedef struct cap_start_goal {
  const cap_model *m;
  cap_data *d;
  int nsetting;
  const char *const *settings; /* [nsetting] as of --set */
  const char *what;            /* for messages: "stationary: BC05" */
} cap_start_goal;

typedef struct cap_start_type {
  const char *name;
  /* Whether the keys ask for anything; the file from which they ask for a state, NULL: from a coarser
   * model. */
  bool (*given)(const void *keys);
  const char *(*file)(const void *keys);
  void (*check)(const void *keys, const cap_model *m, const char *path, cap_diag *diag);
  /* Read the stored state of the group `prefer`, where the keys name none; `*state` is to be released. */
  cap_status (*load)(const void *keys, cap_run *run, const char *prefer, void **state, cap_error *error);
  cap_status (*place)(const void *state, const cap_model *m, cap_data *d, cap_error *why);
  void (*release)(void *state); /* accepts NULL */
  /* Run a coarser model to its stationary point by `plan` (its watch and channels are chosen there) and put
   * what it came to on the goal. *warm = false: it slips or fails, and the goal is as it was. An error is a
   * lack of memory, an interruption, or a model that cannot be built. */
  cap_status (*approach)(const void *keys, cap_run *run, const cap_stationary_point_plan *plan,
                         const cap_start_goal *goal, bool *warm, cap_error *error);
} cap_start_type;

/* Which analysis takes which keys, and where the struct of the keys stands in its spec. */
typedef struct cap_start_entry {
  const cap_start_type *type; /* NULL: the end of the list */
  const char *analysis;
  size_t keys;
} cap_start_entry;

extern const cap_start_entry cap_registry_starts[]; /* drives/registry.c */

/* What the keys of an analysis ask for. */
typedef struct cap_starts {
  const cap_start_type *type; /* NULL: the model's own start */
  const void *keys;
} cap_starts;

cap_starts cap_starts_of(const char *analysis, const void *spec);
void cap_starts_check(const char *analysis, const void *spec, const cap_model *m, const char *path,
                      cap_diag *diag);
/* NULL: not from a file. */
const char *cap_starts_file(const cap_starts *start);

/* How a coarser model is run when nobody says otherwise. */
cap_stationary_point_plan cap_starts_plan(const cap_model *m);
