/* analysis/model_path.h — models along a parameter, for curves that are followed over any key of a model
 * file.
 *
 * The model at p is kept; the derivative of what a model gives to p comes from two more models
 * (solve/stencil.h). Outside the range where models exist everything is continued linearly, so that a curve
 * can step over its limit and be cut there.
 */
#pragma once
#include "hb/hb_curve.h"

typedef struct cap_model_path {
  cap_hb_curve_source source;
  cap_model *m; /* at p; the path's own */
  double p;     /* NaN: none yet */
} cap_model_path;

/* What a model gives: f[n]. */
typedef cap_status (*cap_model_path_value)(void *self, const cap_model *m, double *f, cap_error *error);

void cap_model_path_open(const cap_hb_curve_source *source, cap_model_path *path);
void cap_model_path_close(cap_model_path *path);

/* The model at p, or at the end of the range when p lies outside. A model that cannot be built is a place
 * where the curve is not defined: CAP_RETRY_NONFINITE. */
cap_status cap_model_path_place(cap_model_path *path, double p, cap_error *error);

/* slope[n] = df/dp at path->p, where f[n] is the value of path->m; beside[n] is scratch. */
cap_status cap_model_path_slope(const cap_model_path *path, int n, const double *f,
                                cap_model_path_value value, void *self, double *beside, double *slope,
                                cap_error *error);
