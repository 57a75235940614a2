/* analysis/identify/identify.h — from a measured force-deflection loop to the parameters of a hysteresis law.
 *
 * Maths:   docs/identify.md
 * Way:     check the data -> steady cycles and smooth deflection (identify_cycle) -> a start from the
 *          geometry of the loop, then least squares on all parameters (identify_fit) -> intervals, score of
 *          the laws. The noise is taken as white, Gaussian and on the force alone; then the estimate is the
 *          most likely one and its scatter the smallest possible.
 * Cost:    about 10 ms a law for 10 000 samples
 */
#pragma once
#include "analysis/identify/identify_cycle.h"
#include "base/arena.h"
#include "base/sink.h"
#include "base/status.h"
#include <stdbool.h>

typedef enum cap_identify_law { CAP_IDENTIFY_DAHL, CAP_IDENTIFY_MASING, CAP_IDENTIFY_LAWS } cap_identify_law;

enum { CAP_IDENTIFY_PARAMETERS = 6, CAP_IDENTIFY_LOOP = 401 };

typedef struct cap_identify_parameter {
  const char *name, *unit, *meaning;
  double start;     /* from the geometry of the loop */
  double value;     /* by least squares */
  double error;     /* standard error */
  double low, high; /* 95 % interval */
} cap_identify_parameter;

typedef struct cap_identify_fit {
  const char *law; /* "dahl", "masing" */
  bool asked, done;
  bool scored; /* rms, durbin_watson, aic and bic are there, also of a law whose parameters are refused */
  char refusal[512]; /* asked and not done: which parameter and why */
  char warning[512]; /* done, but something to know; else empty */
  int nparameter;
  cap_identify_parameter parameters[CAP_IDENTIFY_PARAMETERS];
  double correlation[CAP_IDENTIFY_PARAMETERS][CAP_IDENTIFY_PARAMETERS];
  double rms;           /* N: residual force */
  double durbin_watson; /* 2 = white residuals; small = the law misses something */
  double aic, bic;      /* information criteria, lower is better */
  double area;          /* J: loop area of the law */
  int iterations, evaluations;
  double *force;                        /* [cycle.n] N: the law at the samples */
  double loop_force[CAP_IDENTIFY_LOOP]; /* N: the law over one cycle */
} cap_identify_fit;

typedef struct cap_identify_result {
  cap_identify_cycle cycle;
  const double *measured; /* [cycle.n] m: deflection as recorded */
  double loop_phase[CAP_IDENTIFY_LOOP], loop_u[CAP_IDENTIFY_LOOP],
      loop_v[CAP_IDENTIFY_LOOP]; /* one cycle: rad, m, m/s */
  cap_identify_fit fits[CAP_IDENTIFY_LAWS];
  int best; /* law of the lower AIC; -1 = none could be identified */
  cap_arena arena;
} cap_identify_result;

/* Identify the laws asked for (asked[law]) from n samples of time (s), deflection (m) and force (N). The
 * arrays must outlive the result. CAP_ERR_INPUT with the reason when the data are unusable, or no law asked
 * for can be identified (then *result is still given, each law with its refusal). */
cap_status cap_identify_run(int n, const double *time, const double *deflection, const double *force,
                            const bool asked[CAP_IDENTIFY_LAWS], cap_identify_result **result,
                            cap_error *error);
void cap_identify_free(cap_identify_result *result); /* accepts NULL */

/* The law with given parameters (in the order of the fit's) over the samples of a cycle; for overlays and
 * checks. */
cap_status cap_identify_simulate(const cap_identify_cycle *cycle, cap_identify_law law,
                                 const double *parameters, double *force);

/* The law as a section of a model file, to paste: YAML text in the result's arena; NULL when it was refused
 * or memory is exhausted. */
const char *cap_identify_fragment(cap_identify_result *result, cap_identify_law law);

/* Put everything into an open sink: group "identify". */
cap_status cap_identify_write(cap_identify_result *result, cap_sink *sink);
