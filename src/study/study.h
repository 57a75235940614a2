/* study/study.h — a study: one model, what is varied in it, in which cases, and what is looked at.
 *
 * A study is a list of cases; a case is a list of settings as of --set. All of it is a pure function of the
 * study file and of the files that it names, so that every process (workers, tasks of a cluster, a resumed
 * study) finds the same cases by itself. study_file.c reads it, design.c makes the cases.
 */
#pragma once
#include "base/arena.h"
#include "base/hash.h"
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

enum { CAP_STUDY_REPLICATE = -1 }; /* in place of a factor */
enum { CAP_STUDY_FACTORS = 64, CAP_STUDY_RESPONSES = 64, CAP_STUDY_CASES = 1000000 }; /* at most */

typedef enum cap_study_design_kind {
  CAP_STUDY_GRID,
  CAP_STUDY_ONE_AT_A_TIME,
  CAP_STUDY_LATIN_HYPERCUBE,
  CAP_STUDY_SOBOL,
  CAP_STUDY_SALTELLI, /* Sobol' points in pairs, for indices of first order and total */
  CAP_STUDY_TABLE
} cap_study_design_kind;

typedef enum cap_study_law {
  CAP_STUDY_LISTED,  /* values given one by one, or a range with a count */
  CAP_STUDY_UNIFORM, /* between low and high */
  CAP_STUDY_LOG_UNIFORM,
  CAP_STUDY_NORMAL, /* mean, deviation; cut at low and high */
  CAP_STUDY_LOG_NORMAL,
  CAP_STUDY_TRIANGULAR, /* low, mean = mode, high */
  CAP_STUDY_FORMULA     /* from the other factors */
} cap_study_law;

typedef struct cap_study_factor {
  const char *name, *doc; /* doc never NULL */
  const char *unit;       /* SI of its values; "" = pure number or level */
  int npath;
  const char *const *paths; /* keys of the model that it sets; 0: only formulas use it */
  cap_study_law law;
  /* LISTED: values in SI. Of a factor with levels (a text, a choice, a whole section) they are 1, 2, ..., and
   * `levels` are the texts that are set, `labels` what they are called. */
  int nvalue;
  const double *values;
  int nlevel;
  const char *const *levels, *const *labels;
  double low, high, mean, deviation; /* of distributions, SI; low and high also of LISTED: its range */
  double nominal;   /* what it is when others vary (one at a time), and where an optimum is looked for from */
  bool whole;       /* its key takes whole numbers only */
  bool logarithmic; /* a range by factors: surfaces and optimisers see its logarithm */
  const char *formula;
} cap_study_factor;

typedef enum cap_study_goal { CAP_STUDY_NO_GOAL, CAP_STUDY_MINIMISE, CAP_STUDY_MAXIMISE } cap_study_goal;

typedef enum cap_study_reduction {
  CAP_STUDY_VALUE, /* a number of a group as it stands */
  CAP_STUDY_MEAN,
  CAP_STUDY_RMS,
  CAP_STUDY_AMPLITUDE, /* half of the range */
  CAP_STUDY_PEAK,      /* largest magnitude */
  CAP_STUDY_MAX,
  CAP_STUDY_MIN,
  CAP_STUDY_RANGE,
  CAP_STUDY_FIRST,
  CAP_STUDY_LAST,
  CAP_STUDY_SETTLED,    /* mean over the last part, when it has come to rest there */
  CAP_STUDY_STATIONARY, /* mean from where the channel has become stationary */
  CAP_STUDY_EXPRESSION
} cap_study_reduction;

typedef struct cap_study_response {
  const char *name, *doc, *unit; /* unit SI; NULL: that of the channel, known when a run is there */
  const char *group;             /* of the result; NULL: the last one that has the channel */
  const char *channel;
  cap_study_reduction reduction;
  double from, to;                 /* of the first column (time, parameter); -INFINITY, INFINITY: all */
  const char *from_unit, *to_unit; /* SI; NULL: not given */
  double part;                     /* SETTLED: the last part of the rows, 0..1 */
  double tolerance;                /* SETTLED, STATIONARY: relative */
  const char *expression; /* base/expr.h over channels, numbers, factors and the responses before it */
  cap_study_goal goal;
} cap_study_response;

/* Something that the study read: for the fingerprint, and to see when it changes. */
typedef struct cap_study_input {
  const char *path;
  cap_hash128 hash;
} cap_study_input;

typedef struct cap_study_bound {
  int response; /* index */
  double low, high;
  const char *low_unit, *high_unit; /* SI; NULL: not given */
} cap_study_bound;

typedef struct cap_study {
  const char *path, *text; /* of the study file */
  const char *name, *description;
  const char *model_path, *model_text;
  const char *drive; /* of the model */
  int nsetting;
  const char *const *settings; /* of all cases, before their own */
  int nfeed;
  const struct cap_feed_source *feeds; /* files that feed inputs of all cases (io/feed_file.h) */
  int nfactor;
  cap_study_factor *factors;
  int nresponse;
  cap_study_response *responses;
  /* the design */
  cap_study_design_kind design;
  const char *design_text; /* in words: "Sobol sequence, 1024 cases" */
  int64_t count;           /* points asked for (not GRID, ONE_AT_A_TIME, TABLE) */
  uint64_t seed;
  double time_limit, case_time_limit; /* s of the wall clock; 0 = none. No part of the fingerprint */
  int replicates;         /* of each point, each with its own seed; 1 = none; cases next to each other */
  int model_seed;         /* of the model: replicate r has model_seed + r */
  int along;              /* factor of the continuation; -1 = none */
  bool from_high;         /* it begins with the highest value */
  int nindependent;       /* factors that the design varies: all but the formulas */
  const int *independent; /* [nindependent] factors */
  int nformula;
  const int *formulas; /* [nformula] factors, each after those that it needs */
  /* the cases, from 0 on in the program and from 1 on wherever a user sees them */
  int64_t ncase;
  double *values; /* [ncase][nfactor], formulas included. Saltelli, with d = nindependent: rows of point p are
                   * p (d + 2) + 0: A, + 1: B, + 1 + i: A with the i-th independent factor (from 1) of B */
  int64_t nchain; /* cases that must be computed one after the other, each from the end of the one before */
  int64_t *chains; /* [nchain + 1] where they begin in `order` */
  int64_t *order;  /* [ncase] */
  /* the analysis */
  int npareto;
  int pareto[3]; /* responses */
  bool surface;
  int bootstrap; /* samples for confidence */
  double confidence;
  /* the optimum */
  bool optimise;
  int objective; /* response */
  int nbound;
  cap_study_bound *bounds; /* on other responses */
  const char *method;      /* name of an NLopt algorithm that suits, see optimise.h */
  int evaluations, starts;
  double optimise_tolerance;
  /* Slurm: options that are handed to sbatch as they are;
   * cases of a task (0: chosen), tasks at once (0: any) */
  int noption;
  const char *const *options;
  int chunk, at_once;
  int ninput;
  cap_study_input *inputs;
  cap_hash128 fingerprint; /* of everything that decides what the cases are and what they give */
  cap_arena arena;
} cap_study;

void cap_study_free(cap_study *study); /* accepts NULL */

/* The settings of case k in `arena`: those of all cases, its factors', its seed ("seed=17") when the study
 * has replicates. Numbers are written so that they are read back to the same bits. NULL: out of memory. */
const char *const *cap_study_settings(const cap_study *study, int64_t k, int *nsetting, cap_arena *arena);
/* The same for values that no case has (an optimiser's); seed < 0: the model's own. */
const char *const *cap_study_settings_at(const cap_study *study, const double *values, int64_t seed,
                                         int *nsetting, cap_arena *arena);
/* Fill the factors that are formulas from the others. */
cap_status cap_study_fill(const cap_study *study, double *values, cap_error *error);
/* The same with an arena that many calls share. */
cap_status cap_study_fill_with(const cap_study *study, double *values, cap_arena *arena, cap_error *error);
/* Replicate of case k, from 0. */
int cap_study_replicate(const cap_study *study, int64_t k);

/* What came of the cases, in memory: one row a case. */
typedef enum cap_study_state { CAP_STUDY_FINE, CAP_STUDY_FAILED, CAP_STUDY_MISSING } cap_study_state;

typedef struct cap_study_table {
  int64_t ncase;
  int nfactor, nresponse;
  const double *factors; /* [ncase][nfactor] */
  double *responses;     /* [ncase][nresponse]; NaN where there is none */
  unsigned char *states; /* [ncase] cap_study_state */
} cap_study_table;
