/* study/study_fields.h — the keys of a study file, as tables of base/fields.h, and the structs that they
 * fill.
 *
 * Values of factors stay texts here: what they may be is known only when the key that a factor sets is known.
 * factor.c reads them from the tree.
 */
#pragma once
#include "base/fields.h"

typedef struct cap_study_fields_distribution {
  int law; /* of cap_study_fields_laws */
  const char *low, *high, *mean, *deviation, *mode;
} cap_study_fields_distribution;

typedef struct cap_study_fields_factor {
  const char *name, *doc, *path;
  cap_texts paths, values;
  cap_named levels;
  const char *from, *to;
  int count, spacing;
  cap_study_fields_distribution distribution;
  bool distribution_given;
  const char *formula, *nominal;
} cap_study_fields_factor;

typedef struct cap_study_fields_design {
  int kind; /* cap_study_design_kind */
  int count, seed;
  const char *file;
} cap_study_fields_design;

typedef struct cap_study_fields_response {
  const char *name, *doc, *group, *channel, *expression, *unit, *from, *to;
  int reduce, goal;
  bool reduce_given, tolerance_given;
  double part, tolerance;
} cap_study_fields_response;

typedef struct cap_study_fields_bound {
  const char *response, *below, *above;
} cap_study_fields_bound;

typedef struct cap_study_fields_optimise {
  const char *response;
  int method; /* of cap_optimise_methods */
  int goal;   /* 0: minimise, 1: maximise */
  int evaluations, starts;
  bool goal_given, method_given;
  double tolerance;
  cap_list bounds;
} cap_study_fields_optimise;

typedef struct cap_study_fields_root {
  int format;
  const char *study, *description, *model;
  cap_texts set, inputs, inputs_held;
  cap_list factors; /* cap_study_fields_factor */
  cap_study_fields_design design;
  int replicates;
  double time_limit, case_time_limit;
  struct {
    const char *factor;
    int from;
  } continuation;
  cap_list responses; /* cap_study_fields_response */
  struct {
    cap_texts pareto;
    bool surface;
    int bootstrap;
    double confidence;
  } analysis;
  bool optimise_given;
  cap_study_fields_optimise optimise;
  struct {
    int chunk, at_once;
    cap_texts options;
  } slurm;
} cap_study_fields_root;

/* Study files have the versions of model files: those of the first take old names of keys and channels, too.
 * */
enum { CAP_STUDY_FIELDS_FIRST = 1, CAP_STUDY_FIELDS_FORMAT = 2 };

extern const cap_field cap_study_fields_table[];
extern const cap_variant cap_study_fields_laws[];
