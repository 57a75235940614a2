/* A second way through a piecewise linear system, for tests: the implicit midpoint rule with projected
 * sliders. Small fixed steps, no events, no modes; shares nothing with step/exact but the definition of the
 * system. */
#pragma once
#include "linalg/lu.h"
#include "model/linear.h"

#include <math.h>
#include <string.h>

enum { MIDPOINT_MOST = 8 };

static inline double midpoint_imposed(const cap_linear *l, int s, double t)
{
  double sum = 0.0;
  for (int h = 0; h < l->nharmonic; h++)
    sum += l->dc[s * l->nharmonic + h] * cos(l->angular_frequency[h] * t) +
           l->ds[s * l->nharmonic + h] * sin(l->angular_frequency[h] * t);
  return sum;
}

/* One step: the mean velocity u solves a linear system in which sliders stick (+ stiffness) or slip (+
 * force); slip is assumed where sticking would pass the limit, until nothing changes. */
static inline void midpoint_step(const cap_linear *l, double t, double h, double *y, int *slip)
{
  int nv = l->nv, ns = l->nslider;
  double *q = y, *v = y + nv, *w = y + 2 * nv;
  double matrix[MIDPOINT_MOST * MIDPOINT_MOST], u[MIDPOINT_MOST], w1[MIDPOINT_MOST] = {0};
  int pivot[MIDPOINT_MOST];
  memset(slip, 0, (size_t)ns * sizeof(int));
  for (int again = 1, round = 0; again && round < 10; round++) {
    again = 0;
    for (int i = 0; i < nv; i++) {
      u[i] = l->f0[i];
      for (int k = 0; k < l->nharmonic; k++)
        u[i] += l->fc[k * nv + i] * cos(l->angular_frequency[k] * (t + h / 2)) +
                l->fs[k * nv + i] * sin(l->angular_frequency[k] * (t + h / 2));
      for (int j = 0; j < nv; j++) {
        matrix[i * nv + j] = 2 / h * l->mass[i * nv + j] + l->damping[i * nv + j] +
                             h / 2 * l->stiffness[i * nv + j];
        u[i] += 2 / h * l->mass[i * nv + j] * v[j] - l->stiffness[i * nv + j] * q[j];
      }
      for (int s = 0; s < ns; s++) {
        double b = l->b[s * nv + i] * l->k[s],
               change = midpoint_imposed(l, s, t + h) - midpoint_imposed(l, s, t);
        if (slip[s]) {
          u[i] -= b * 0.5 * (w[s] + slip[s] * l->limit[s] / l->k[s]);
        } else {
          u[i] -= b * (w[s] + 0.5 * change);
          for (int j = 0; j < nv; j++) matrix[i * nv + j] += h / 2 * b * l->b[s * nv + j];
        }
      }
    }
    capm_lu_factor(nv, matrix, pivot);
    capm_lu_solve(nv, matrix, pivot, u);
    for (int s = 0; s < ns; s++) {
      double reach = l->limit[s] / l->k[s];
      w1[s] = w[s] + midpoint_imposed(l, s, t + h) - midpoint_imposed(l, s, t);
      for (int i = 0; i < nv; i++) w1[s] += h * l->b[s * nv + i] * u[i];
      int now = w1[s] > reach ? 1 : w1[s] < -reach ? -1 : 0;
      if (now != slip[s]) again = 1;
      slip[s] = now;
      if (now) w1[s] = now * reach;
    }
  }
  for (int i = 0; i < nv; i++) {
    q[i] += h * u[i];
    v[i] = 2 * u[i] - v[i];
  }
  memcpy(w, w1, (size_t)ns * sizeof(double));
}

static inline void midpoint_advance(const cap_linear *l, double t0, double t1, int nstep, double *y)
{
  int slip[MIDPOINT_MOST];
  double h = (t1 - t0) / nstep;
  for (int i = 0; i < nstep; i++) midpoint_step(l, t0 + i * h, h, y, slip);
}
