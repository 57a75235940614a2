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
    CAP_EACH_LANE(l, width) out[l] = ai[l];
    return;
  }
  const double *aj = a + j * width;
  CAP_EACH_LANE(l, width) out[l] = ai[l] - aj[l];
}

/* A force that resists: h_i -= f, h_j += f. */
CAP_INLINE void cap_ends_resist(double *restrict h, int i, int j, int width, const double *restrict f)
{
  double *hi = h + i * width;
  CAP_EACH_LANE(l, width) hi[l] -= f[l];
  if (j == CAP_GROUND) return;
  double *hj = h + j * width;
  CAP_EACH_LANE(l, width) hj[l] += f[l];
}

/* The row of an end: of the ground it is `ground`, a row of zeros to read from or to lose forces in. */
CAP_INLINE double *cap_ends_row(double *rows, int dof, int width, double *ground)
{
  return dof == CAP_GROUND ? ground : rows + dof * width;
}

CAP_INLINE const double *cap_ends_values(const double *rows, int dof, int width, const double *ground)
{
  return dof == CAP_GROUND ? ground : rows + dof * width;
}

/* A row of zeros. */
static const double cap_ends_zeros[CAP_LANES_MOST];
