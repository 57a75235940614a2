/* drives/pushbelt/ring/ring_ale_part.h — one part of the reference curve of an `ale` ring as polynomials.
 *
 * On one part everything is a low polynomial of one coordinate z times two directions: e = (-C, S) and f =
 * (S, C), f = r'. On an arc z is the angle and (C, S) turn along with it, on a strand z is the distance and
 * they stand still.
 */
#pragma once
#include "drives/pushbelt/ring/ring_ale.h"

#include <math.h>

/* Coefficients over z of one part. */
typedef struct part {
  double rT_e[2], rT_f[2];   /* r_Theta */
  double r1T_e[2];           /* r'_Theta */
  double rTT_e[3], rTT_f[2]; /* r_Theta_Theta */
  double k, kq;              /* r'' = -k e, r''' = -k^2 f, r''_Theta = kq (e + z f) */
  double rate;               /* dz/dxi */
} part;

static inline void arc_part(const capm_ring_jet *radius, part *p)
{
  double rho = radius->d[0], rho1 = radius->d[1], rho2 = radius->d[2], k = 1.0 / rho, q = rho1 * k;
  *p = (part){.rT_e = {rho1, 0.0},
              .rT_f = {0.0, -rho1},
              .r1T_e = {0.0, q},
              .rTT_e = {rho2, 0.0, -rho1 * q},
              .rTT_f = {0.0, -rho2},
              .k = k,
              .kq = k * q,
              .rate = k};
}

/* side 1: upper, -1: lower, run through backward. */
static inline void strand_part(const cap_ring_frame *f, double side, part *p)
{
  double rho1 = f->rS.d[1], rho2 = f->rS.d[2], p1 = f->psi.d[1], p2 = f->psi.d[2];
  double phi = 0.5 * M_PI - f->psi.d[0], B = rho1 * phi, B1 = rho2 * phi - rho1 * p1;
  *p = (part){.rT_e = {rho1, p1},
              .rT_f = {-side * B, 0.0},
              .r1T_e = {side * p1, 0.0},
              .rTT_e = {rho2 - f->a.d[1] * p1 - B * p1, p2, 0.0},
              .rTT_f = {-side * (p1 * rho1 + B1), -side * p1 * p1},
              .rate = side};
}

/* The place where z = 0. `after`: the secondary arc beyond the last joint. */
static inline double part_load(const cap_ring_ale *a, const cap_ring_frame *f, int which, bool after, part *p)
{
  double L = a->ref.length;
  switch (which) {
  case CAP_RING_PART_S:
    arc_part(&f->rS, p);
    return after ? L : 0.0;
  case CAP_RING_PART_P:
    arc_part(&f->rP, p);
    return 0.5 * L;
  case CAP_RING_PART_UPPER:
    strand_part(f, 1.0, p);
    return f->a.d[0];
  default:
    strand_part(f, -1.0, p);
    return L - f->a.d[0];
  }
}
