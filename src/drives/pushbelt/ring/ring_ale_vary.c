/* drives/pushbelt/ring/ring_ale_vary.c — how the points of an `ale` ring change with its coordinates, for
 * the tangents of contacts on it: see cap_ring_type.vary.
 *
 * At a fixed xi the material flows past: s moves the point's material, with r', but not the place.
 *   dr = r_T dTheta + S dq_f;
 *   column of s:  dr' = r'_T dTheta + S' dq_f;   of Theta:  r_TT dTheta;   of q_f:  0
 */
#include "drives/pushbelt/ring/ring_ale.h"
#include "laws/hermite.h"

#include <string.h>

/* Change of Theta along dq. */
static double turn_of(const cap_ring_ale *a, const double *dq, int stride)
{
  return a->ratio >= 0 ? dq[a->ratio * stride] : 0.0;
}

void cap_ring_ale_vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride,
                       double dr[2], double dJ[2][CAP_RING_COORDS])
{
  const cap_ring_ale *a = (const cap_ring_ale *)ring;
  cap_ring_frame f;
  cap_ring_place p;
  capm_hermite w;
  int e = cap_ring_ale_find(a, xi), column = 0;
  double theta = turn_of(a, dq, stride), slope[2];
  cap_ring_reference_at(&a->ref, cap_ring_ale_theta(a, q), &f);
  cap_ring_reference_place(&a->ref, &f, cap_ring_reference_part(&a->ref, &f, xi), xi, &p);
  capm_hermite_at((xi - a->node[e]) / a->size[e], a->size[e], &w);
  for (int i = 0; i < 2; i++) {
    dr[i] = p.rT[i] * theta;
    slope[i] = p.r1T[i] * theta;
  }
  for (int k = 0; k < CAP_RING_ALE_LOCAL; k++) {
    int coord = cap_ring_ale_coordinate(a, e, k);
    double along = coord >= 0 ? dq[coord * stride] : 0.0;
    dr[k % 2] += w.value[k / 2] * along;
    slope[k % 2] += w.first[k / 2] * along;
  }
  memset(dJ, 0, 2 * sizeof dJ[0]);
  if (a->travel >= 0) dJ[0][column] = slope[0], dJ[1][column++] = slope[1];
  if (a->ratio >= 0) dJ[0][column] = p.rTT[0] * theta, dJ[1][column] = p.rTT[1] * theta;
}
