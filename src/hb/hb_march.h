/* hb/hb_march.h — laws with memory over one period; the inside of hb_law. */
#pragma once
#include "hb/hb_law.h"

/* Inner state: law->x at the samples from law->u, closing the period; with tangent when wanted. */
cap_status cap_hb_march_state(cap_hb_law *law, const capm_fourier *f, double w, bool tangent,
                              cap_error *error);
/* Perturbations over the step of duration h from sample n: dx1 = gain dx0 + by_q du0 + by_p p, where du moves
 * from du0 with the constant velocity p. */
typedef struct cap_hb_march_step {
  double gain, by_q, by_p;
} cap_hb_march_step;
cap_hb_march_step cap_hb_march_over(const cap_hb_law *law, int n, double h);

/* Add the march's part of tangent and to_w, through f_x. */
void cap_hb_march_add(const cap_hb_law *law, const capm_fourier *f, const cap_hb_law_result *out);

/* Slider with finite stiffness; `u` are the coefficients whose samples are law->u. */
void cap_hb_march_slider(cap_hb_law *law, const capm_fourier *f, const double *u,
                         const cap_hb_law_result *out);
/* Coulomb friction with its force z[ncoef] as unknown. */
void cap_hb_march_coulomb(cap_hb_law *law, const capm_fourier *f, double w, const double *u, const double *z,
                          const cap_hb_law_result *out);
