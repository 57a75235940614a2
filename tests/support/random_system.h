/* Random vibrating chains with sliders, for tests. */
#pragma once
#include "model/linear.h"

#include <stdint.h>

static inline double random_unit(uint64_t *seed) /* in [0, 1) */
{
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(*seed >> 11) / 9007199254740992.0;
}

static inline double random_between(uint64_t *seed, double low, double high)
{
  return low + (high - low) * random_unit(seed);
}

/* nv masses in a chain from wall to wall, light damping, forces of some newtons at angular frequency w, 2
 * w, ...,
 * sliders across random pairs or to ground with limits that are reached now and then. */
static inline void random_system_fill(uint64_t *seed, double w, cap_linear *l)
{
  int nv = l->nv, ns = l->nslider, nh = l->nharmonic;
  for (int i = 0; i < nv * nv; i++) l->mass[i] = l->damping[i] = l->stiffness[i] = 0.0;
  for (int i = 0; i < nv; i++) l->mass[i * nv + i] = random_between(seed, 0.5, 2.0);
  for (int i = 0; i <= nv; i++) {
    double k = random_between(seed, 400, 4000), c = random_between(seed, 0.5, 6);
    int left = i - 1, right = i < nv ? i : -1;
    if (left >= 0) l->stiffness[left * nv + left] += k, l->damping[left * nv + left] += c;
    if (right >= 0) l->stiffness[right * nv + right] += k, l->damping[right * nv + right] += c;
    if (left < 0 || right < 0) continue;
    l->stiffness[left * nv + right] -= k, l->stiffness[right * nv + left] -= k;
    l->damping[left * nv + right] -= c, l->damping[right * nv + left] -= c;
  }
  for (int h = 0; h < nh; h++) {
    l->angular_frequency[h] = (h + 1) * w;
    for (int i = 0; i < nv; i++) {
      l->fc[h * nv + i] = random_between(seed, -5, 5) / (h + 1);
      l->fs[h * nv + i] = random_between(seed, -5, 5) / (h + 1);
    }
  }
  for (int i = 0; i < nv; i++) l->f0[i] = random_between(seed, -3, 3);
  for (int s = 0; s < ns; s++) {
    int a = (int)random_between(seed, 0, nv), b = (int)random_between(seed, 0, nv);
    for (int i = 0; i < nv; i++) l->b[s * nv + i] = 0.0;
    l->b[s * nv + a] = 1.0;
    if (b != a) l->b[s * nv + b] = -1.0;
    l->k[s] = random_between(seed, 500, 3000);
    l->limit[s] = random_between(seed, 0.5, 3.0);
    for (int h = 0; h < nh; h++) {
      l->dc[s * nh + h] = random_between(seed, -2e-4, 2e-4);
      l->ds[s * nh + h] = random_between(seed, -2e-4, 2e-4);
    }
  }
}
