/* analysis/model_path.c — see model_path.h. */
#include "analysis/model_path.h"
#include "solve/stencil.h"

#include <math.h>

void cap_model_path_open(const cap_hb_curve_source *source, cap_model_path *path)
{
  *path = (cap_model_path){.source = *source, .p = NAN};
}

void cap_model_path_close(cap_model_path *path)
{
  cap_model_free(path->m);
  *path = (cap_model_path){.p = NAN};
}

static cap_status build(const cap_model_path *path, double p, cap_model **m, cap_error *error)
{
  cap_status status = path->source.build(path->source.self, p, m, error);
  return status == CAP_ERR_INPUT ? CAP_RETRY_NONFINITE : status;
}

cap_status cap_model_path_place(cap_model_path *path, double p, cap_error *error)
{
  cap_model *m = NULL;
  p = fmin(fmax(p, path->source.low), path->source.high);
  if (p == path->p) return CAP_OK;
  CAP_TRY(build(path, p, &m, error));
  cap_model_free(path->m);
  path->m = m;
  path->p = p;
  return CAP_OK;
}

static cap_status value_at(const cap_model_path *path, double p, cap_model_path_value value, void *self,
                           double *f, cap_error *error)
{
  cap_model *m = NULL;
  CAP_TRY(build(path, p, &m, error));
  cap_status status = value(self, m, f, error);
  cap_model_free(m);
  return status;
}

cap_status cap_model_path_slope(const cap_model_path *path, int n, const double *f,
                                cap_model_path_value value, void *self, double *beside, double *slope,
                                cap_error *error)
{
  double low = path->source.low, high = path->source.high;
  capm_stencil two = capm_stencil_at(path->p, 1e-5 * fmax(fabs(path->p), 1e-3 * (high - low)), low, high);
  for (int i = 0; i < n; i++) slope[i] = two.weight_f * f[i];
  for (int k = 0; k < 2; k++) {
    CAP_TRY(value_at(path, two.at[k], value, self, beside, error));
    for (int i = 0; i < n; i++) slope[i] += two.weight[k] * beside[i];
  }
  return CAP_OK;
}
