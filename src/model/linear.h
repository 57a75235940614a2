/* model/linear.h — a system that is linear between stick and slip.
 *
 * Maths: docs/theory.md §5.
 *   M q'' + C q' + K q = f0 + sum_k [fc_k cos(w_k t) + fs_k sin(w_k t)] - sum_s b_s z_s
 *   z_s = k_s w_s,  |z_s| <= limit_s,  w_s' = s_s' while stuck, w_s' = 0 while slipping (|z_s| = limit_s)
 *   s_s(t) = b_s . q + sum_k [dc_sk cos(w_k t) + ds_sk sin(w_k t)]     (the second part: imposed motion)
 * A slider is a spring in series with dry friction (Jenkins element); Masing's law is sliders beside a
 * spring. model/model.c extracts this form from a model whose elements are all linear; step/exact/exact.c
 * propagates it. All matrices are row-major; nv may be 0 (every coordinate imposed).
 */
#pragma once
#include "base/arena.h"
#include "base/progress.h"
#include "base/status.h"

typedef struct cap_linear {
  int nv, nharmonic, nslider;
  double *mass, *damping, *stiffness; /* [nv][nv] kg, N s/m, N/m */
  double *f0;                         /* [nv] N */
  double *angular_frequency;          /* [nharmonic] rad/s, all > 0 */
  double *fc, *fs;                    /* [nharmonic][nv] N */
  double *b;                          /* [nslider][nv] direction */
  double *k, *limit;                  /* [nslider] N/m (> 0, finite), N */
  double *dc, *ds;                    /* [nslider][nharmonic] m */
  const cap_progress *progress;       /* of the model: whether to stop; or NULL */
} cap_linear;

/* A linear output y = c0 + cq.q + cv.v + cz.z + sum_k [cc_k cos(w_k t) + cs_k sin(w_k t)]. */
typedef struct cap_functional {
  double c0;
  const double *cq, *cv; /* [nv] */
  const double *cz;      /* [nslider], on the forces z */
  const double *cc, *cs; /* [nharmonic] */
} cap_functional;

/* All arrays zeroed, in `arena`. */
cap_status cap_linear_create(cap_arena *arena, int nv, int nharmonic, int nslider, cap_linear *linear);
