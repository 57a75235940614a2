/* elements/ends.h — the two ends of an element: deflections in, forces out, for all lanes.
 *
 * Lane loops are plain so that they vectorise; a row is the values of one coordinate in all lanes.
 */
#pragma once
#include "base/clones.h"
#include "model/model.h"

/* out = a_i - a_j, rows of `width` values. */
CAP_INLINE void cap_ends_difference(const double *restrict a, int i, int j, int width, double *restrict out)
{
  const double *ai = a + i * width;
  if (j == CAP_GROUND) {
    for (int l = 0; l < width; l++) out[l] = ai[l];
    return;
  }
  const double *aj = a + j * width;
  for (int l = 0; l < width; l++) out[l] = ai[l] - aj[l];
}

/* A force that resists: h_i -= f, h_j += f. */
CAP_INLINE void cap_ends_resist(double *restrict h, int i, int j, int width, const double *restrict f)
{
  double *hi = h + i * width;
  for (int l = 0; l < width; l++) hi[l] -= f[l];
  if (j == CAP_GROUND) return;
  double *hj = h + j * width;
  for (int l = 0; l < width; l++) hj[l] += f[l];
}
