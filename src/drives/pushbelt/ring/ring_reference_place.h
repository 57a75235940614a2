/* drives/pushbelt/ring/ring_reference_place.h — the reference curve at one place, for numbers of any kind.
 *
 * Included with NUM (double, or double complex for exact derivatives by an infinitely small imaginary step)
 * and NUM_NAME, NUM_SIN, NUM_COS set.
 *
 * Maths: ring_reference.h.
 */
#include "drives/pushbelt/ring/ring_reference.h"

/* cap_ring_frame up to second derivatives. */
typedef struct NUM_NAME(frame) {
  NUM psi[3], rS[3], rP[3], a[2], c[2], sine, cosine;
} NUM_NAME(frame);

typedef struct NUM_NAME(place) {
  NUM r[2], r1[2], r2[2], r3[2], rT[2], r1T[2], r2T[2], rTT[2];
} NUM_NAME(place);

#ifndef NUM_LANES
/* The frame at Theta + step, step infinitely small (0 for real numbers). */
static inline void NUM_NAME(load_frame)(const cap_ring_frame *from, NUM step, NUM_NAME(frame) * f)
{
  for (int k = 0; k < 3; k++) {
    f->psi[k] = from->psi.d[k] + step * from->psi.d[k + 1];
    f->rS[k] = from->rS.d[k] + step * from->rS.d[k + 1];
    f->rP[k] = from->rP.d[k] + step * from->rP.d[k + 1];
  }
  for (int k = 0; k < 2; k++) {
    f->a[k] = from->a.d[k] + step * from->a.d[k + 1];
    f->c[k] = from->c.d[k] + step * from->c.d[k + 1];
  }
  f->sine = from->sine + step * from->cosine * from->psi.d[1];
  f->cosine = from->cosine - step * from->sine * from->psi.d[1];
}

/* On an arc about (x, 0), e = (-cos, sin) of the angle g0 + al, al = along/radius, where g0 is 0 or pi. */
static inline void NUM_NAME(arc)(const NUM radius[3], double x, NUM along, double sign, NUM_NAME(place) * p)
{
  NUM rho = radius[0], rho1 = radius[1], rho2 = radius[2], k = 1.0 / rho, al = along * k, q = rho1 * k;
  NUM c = sign * NUM_COS(al), s = sign * NUM_SIN(al), e[2] = {-c, s}, f[2] = {s, c};
  for (int i = 0; i < 2; i++) {
    p->r[i] = rho * e[i];
    p->r1[i] = f[i];
    p->r2[i] = -k * e[i];
    p->r3[i] = -k * k * f[i];
    p->rT[i] = rho1 * (e[i] - al * f[i]);
    p->r1T[i] = al * q * e[i];
    p->r2T[i] = k * q * (e[i] + al * f[i]);
    p->rTT[i] = rho2 * (e[i] - al * f[i]) - rho1 * q * al * al * e[i];
  }
  p->r[0] += x;
}

static inline void NUM_NAME(strand)(const NUM_NAME(frame) * f, NUM xi, NUM_NAME(place) * p)
{
  NUM n[2] = {-f->sine, f->cosine}, t[2] = {f->cosine, f->sine};
  NUM rho = f->rS[0], rho1 = f->rS[1], rho2 = f->rS[2], x = xi - f->a[0];
  NUM p1 = f->psi[1], p2 = f->psi[2], phi = 0.5 * M_PI - f->psi[0];
  NUM A = rho1 + x * p1, B = rho1 * phi;
  NUM A1 = rho2 - f->a[1] * p1 + x * p2, B1 = rho2 * phi - rho1 * p1;
  for (int i = 0; i < 2; i++) {
    p->r[i] = rho * n[i] + x * t[i];
    p->r1[i] = t[i];
    p->r2[i] = p->r3[i] = p->r2T[i] = 0.0;
    p->rT[i] = A * n[i] - B * t[i];
    p->r1T[i] = p1 * n[i];
    p->rTT[i] = (A1 - B * p1) * n[i] - (A * p1 + B1) * t[i];
  }
}

/* The analytic continuation of `part` at xi. The lower strand is the upper one in a mirror, run through
 * backward. */
static inline void NUM_NAME(place_at)(const cap_ring_reference *ref, const NUM_NAME(frame) * f, int part,
                                      NUM xi, NUM_NAME(place) * p)
{
  double L = ref->length;
  switch (part) {
  case CAP_RING_PART_S:
    NUM_NAME(arc)(f->rS, 0.0, xi, 1.0, p);
    break;
  case CAP_RING_PART_P:
    NUM_NAME(arc)(f->rP, ref->distance, xi - 0.5 * L, -1.0, p);
    break;
  case CAP_RING_PART_UPPER:
    NUM_NAME(strand)(f, xi, p);
    break;
  default:
    NUM_NAME(strand)(f, L - xi, p);
    p->r[1] = -p->r[1];
    p->rT[1] = -p->rT[1];
    p->rTT[1] = -p->rTT[1];
    p->r1[0] = -p->r1[0];
    p->r1T[0] = -p->r1T[0];
  }
}
#endif
