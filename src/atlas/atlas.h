/* atlas/atlas.h — runs entries of the atlas: models, then series, then claims.
 *
 * Models are run by a function that the program hands in, the one behind `capstan run`, and only those that
 * the wanted claims and series need. Two entries that want the same model with the same settings share a run.
 * Their results lie in a scratch folder that goes with the cap_atlas.
 */
#pragma once
#include "atlas/atlas_branches.h"
#include "atlas/entry.h"
#include "base/status.h"
#include <stdint.h>

/* Run `model` with `settings` and leave the result in `h5`. */
typedef cap_status (*cap_atlas_run_model)(void *self, const char *model, int nsetting,
                                          const char *const *settings, const char *h5, cap_error *error);

typedef struct cap_atlas_options {
  cap_atlas_run_model run;
  void *self;
  bool quick; /* only claims with the tag quick, and the series that they need */
} cap_atlas_options;

typedef struct cap_atlas_claim {
  const cap_entry_claim *claim;
  double value; /* in the claim's unit; NaN when there is none */
  bool holds;
  bool changed;        /* not what the entry knows */
  const char *trouble; /* why there is no value; NULL = there is one */
  cap_status status;   /* of the trouble */
} cap_atlas_claim;

typedef struct cap_atlas_points {
  int64_t n;
  const double *x, *y; /* [n] in the units of the series */
} cap_atlas_points;

typedef struct cap_atlas_series {
  const char *name, *x_name, *x_unit, *y_name, *y_unit;
  int64_t n;
  const double *x, *y;     /* [n] in these units */
  const cap_texts *panels; /* plots that it is drawn in */
  /* of a branch only, else NULL and 0 */
  const cap_atlas_branch *branch;
  const char *curve;     /* the name of which those of its branches are made */
  const double *outside; /* [n] multipliers outside the unit circle, NaN = not known */
  const cap_texts *beside_names;
  int nbeside;
  const double **beside; /* [nbeside][n]; in the unit of y where that fits, else SI */
  cap_atlas_points special[CAP_ATLAS_BRANCHES_KINDS];
} cap_atlas_series;

typedef struct cap_atlas_outcome {
  const cap_entry *entry;
  int nclaim, nseries;
  cap_atlas_claim *claims;
  cap_atlas_series *series;
  int ntrouble;        /* claims and series that could not be computed */
  const char *trouble; /* the first of them */
  cap_status trouble_status;
  int nchanged;  /* claims whose state changed */
  double wall_s; /* of this entry */
  cap_arena arena;
} cap_atlas_outcome;

typedef struct cap_atlas cap_atlas;

cap_status cap_atlas_create(cap_atlas_options options, cap_atlas **atlas, cap_error *error);
void cap_atlas_free(cap_atlas *atlas); /* removes the scratch folder; accepts NULL */

/* Names of the folders in `folder` that hold an entry.yaml, sorted; in `arena`. */
cap_status cap_atlas_list(const char *folder, cap_arena *arena, int *n, const char ***ids, cap_error *error);

/* Run one entry. What goes wrong with single claims and series stands in the outcome; a status other than
 * CAP_OK means that there is no outcome (memory, an interruption). The entry must outlive the outcome. */
cap_status cap_atlas_run(cap_atlas *atlas, const cap_entry *entry, cap_atlas_outcome **outcome,
                         cap_error *error);
void cap_atlas_free_outcome(cap_atlas_outcome *outcome); /* accepts NULL */
