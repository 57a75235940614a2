/* analysis/identify/fit.h — parameters of a model from measured curves: what the files of the analysis share.
 *
 * Maths: docs/theory.md §42; docs/identify.md tells how it is used. Any analysis that gives channels over a
 * channel is run with changed parameters; its curves, read at the places of the data, less the data, over the
 * standard deviation of the noise, are residuals of a least-squares problem (solve/levenberg.h).
 */
#pragma once
#include "analysis/analysis.h"
#include "analysis/identify/fit_directions.h"
#include "base/arena.h"

enum { CAP_FIT_ROOM = 4096, CAP_FIT_MOST = 16, CAP_FIT_CURVES = 16 };

/* One curve as a model file says it. */
typedef struct cap_fit_curve {
  const char *channel, *column, *sigma, *sigma_column;
  double relative;
} cap_fit_curve;

typedef struct cap_fit_spec {
  int kind;
  cap_table data;
  cap_list analysis; /* one, of CAP_FIT_ROOM bytes */
  struct {
    const char *channel, *column;
  } over;
  cap_list curves;     /* cap_fit_curve */
  cap_list parameters; /* cap_unknown */
  double limit;
  int iterations;
} cap_fit_spec;

/* The analyses whose curves can be fitted; ends with NULL. */
extern const cap_analysis *const cap_fit_analyses[];

/* ---- data and runs (fit_curve.c) ----------------------------------------------------------------------- */

typedef struct cap_fit_data {
  int nrow, ncurve;
  const double *x;                 /* [nrow] abscissa */
  const double *y[CAP_FIT_CURVES]; /* [nrow] measured */
  double *sigma[CAP_FIT_CURVES];   /* [nrow] standard deviation of the noise */
  bool estimated[CAP_FIT_CURVES];  /* it is not given: sigma is set from the residuals */
  const char *over, *channel[CAP_FIT_CURVES];
  const char *over_unit, *unit[CAP_FIT_CURVES]; /* SI, those of the columns */
} cap_fit_data;

/* The columns that the spec names, and their noise; findings below `path`. */
cap_status cap_fit_curve_read(const cap_model *m, const cap_fit_spec *s, const char *path, cap_diag *diag,
                              cap_arena *arena, cap_fit_data *data);
/* Run the analysis with the parameters p[n] (SI) and read its curves at the data's places: f[ncurve][nrow].
 * CAP_RETRY_NOCONV: with these parameters it gives no curve there, `error` says why. May be called from
 * several threads at once. */
cap_status cap_fit_curve_run(const cap_run *run, const cap_fit_spec *s, const cap_fit_data *data,
                             const double *p, double *f, cap_error *error);

/* ---- the result (fit_output.c) ------------------------------------------------------------------------- */

typedef struct cap_fit_result {
  int n;
  const char **names;
  double *value;              /* [n] SI */
  bool *bound;                /* [n] at a bound */
  double *low, *high, *error; /* [n] SI; NAN where it is not known */
  cap_fit_directions directions;
  double *start, *fitted;     /* [ncurve][nrow] */
  double rms[CAP_FIT_CURVES]; /* of the residuals, unit of the curve */
  double chi2, freedom, durbin_watson;
  int iterations, evaluations;
  bool converged;
} cap_fit_result;

cap_status cap_fit_output_put(cap_run *run, const cap_fit_spec *s, const cap_fit_data *data,
                              const cap_fit_result *r);
