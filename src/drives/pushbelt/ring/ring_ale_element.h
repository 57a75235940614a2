/* drives/pushbelt/ring/ring_ale_element.h — forces of one element of the `ale` ring, for numbers of any kind.
 *
 * Included with NUM, NUM_NAME, NUM_SIN, NUM_COS, NUM_SQRT and NUM_REAL set (ring_reference_place.h).
 *
 * Maths: docs/theory.md §34.3. At a point of the element, with u = s', w = Theta', c = q_f':
 *     v  = u r' + y,  y = w r_T + S c    f' = w r'_T + S' c  (change of r' at the place)
 *     a0 = u f' + w^2 r_TT               (what the acceleration has without s'', Theta'', q_f'')
 *     h_f = int  -rho S a0 + S' (rho u v - N t - M A) - S'' M B
 *     h_s = int  -rho (a0 . r' + v . f')
 *     h_T = int  -rho (a0 . r_T - u v . r'_T) - N t . r'_T - M (A . r'_T + B . r''_T)
 * where A, B are the derivatives of the curvature to r', r''. Joints move with Theta, and with them the
 * points of the elements that they cut: h_T is the exact derivative of the sum that stands for the elastic
 * energy, which has the jump of the bending energy at the joints in it.
 */
#include "drives/pushbelt/ring/ring_ale_points.h"

typedef struct NUM_NAME(motion) {
  NUM u, w; /* s', Theta' */
  NUM q[CAP_RING_ALE_LOCAL], v[CAP_RING_ALE_LOCAL];
} NUM_NAME(motion);

typedef struct NUM_NAME(answer) {
  NUM f[CAP_RING_ALE_LOCAL], s, theta;
  NUM tension, bending, kinetic, lost; /* energies, power */
} NUM_NAME(answer);

/* f += n F, which belongs to one derivative of the Hermite functions. */
NUM_INLINE void NUM_NAME(spread)(const NUM n[4], const NUM F[2], NUM *f)
{
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) f[2 * k + i] += n[k] * F[i];
}

/* T without the square of s': rho (u r' . y + y . y / 2), y = w r_T + S c. */
NUM_INLINE void NUM_NAME(add_kinetic)(const cap_ring_ale *a, const NUM_NAME(point) * point,
                                      const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  const NUM_NAME(place) *p = &point->place;
  const NUM_NAME(shape) *s = &point->shape;
  NUM rho = a->ring.section.mass / a->gain * point->weight, u = m->u, w = m->w;
  NUM r1[2], c0[2], c1[2], f1[2], y[2], y0[2], a0[2], F0[2], F1[2];
  NUM_NAME(blend)(s->n1, m->q, r1);
  NUM_NAME(blend)(s->n0, m->v, c0);
  NUM_NAME(blend)(s->n1, m->v, c1);
  for (int i = 0; i < 2; i++) {
    r1[i] += p->r1[i];
    f1[i] = w * p->r1T[i] + c1[i];
    y[i] = w * p->rT[i] + c0[i];
    y0[i] = w * w * p->rTT[i];
    a0[i] = u * f1[i] + y0[i];
    F0[i] = -rho * a0[i];
    F1[i] = rho * u * y[i];
  }
  NUM_NAME(spread)(s->n0, F0, out->f);
  NUM_NAME(spread)(s->n1, F1, out->f);
  out->s -= rho * (NUM_NAME(dot)(f1, y) + NUM_NAME(dot)(r1, y0));
  out->theta -= rho * (NUM_NAME(dot)(a0, p->rT) - u * NUM_NAME(dot)(y, p->r1T));
  out->kinetic += rho * (u * NUM_NAME(dot)(r1, y) + 0.5 * NUM_NAME(dot)(y, y));
}

/* Tension N = EA (strain + damping * its rate along with the material), and the square of s' in T, rho u^2
 * |r'|^2 / 2, at the same points: so a spinning ring is in balance at each of them, N = rho u^2 |r'|. */
NUM_INLINE void NUM_NAME(add_strain)(const cap_ring_ale *a, const NUM_NAME(point) * point,
                                     const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  const NUM_NAME(place) *p = &point->place;
  const NUM_NAME(shape) *s = &point->shape;
  double EA = a->ring.section.EA, rho = a->ring.section.mass / a->gain;
  NUM weight = point->weight, r1[2], r2[2], c1[2], f1[2], t[2], F1[2], faster = {0.0}, u = m->u;
  NUM_NAME(blend)(s->n1, m->q, r1);
  NUM_NAME(blend)(s->n2, m->q, r2);
  NUM_NAME(blend)(s->n1, m->v, c1);
  for (int i = 0; i < 2; i++) {
    r1[i] += p->r1[i];
    r2[i] += p->r2[i];
  }
  NUM stretch = NUM_SQRT(NUM_NAME(dot)(r1, r1)), strain = a->gain * stretch - 1.0;
  for (int i = 0; i < 2; i++) {
    t[i] = r1[i] / stretch;
    f1[i] = m->w * p->r1T[i] + c1[i];
    faster += t[i] * (u * r2[i] + f1[i]);
  }
  NUM drag = EA * a->gain * a->ring.section.damping * faster, N = EA * strain + drag;
  NUM pull = N - rho * u * u * stretch; /* as if at rest */
  NUM elastic = 0.5 * EA / a->gain * strain * strain, motion = 0.5 * rho * stretch * stretch; /* per u^2 */
  NUM along = stretch * NUM_NAME(dot)(t, r2), moved = 2.0 * weight * point->shift * rho * along;
  for (int i = 0; i < 2; i++) F1[i] = -weight * pull * t[i];
  NUM_NAME(spread)(s->n1, F1, out->f);
  out->s -= weight * (drag * NUM_NAME(dot)(t, r2) + 2.0 * rho * u * NUM_NAME(dot)(r1, f1)) +
            u * m->w * (2.0 * point->growth * motion + moved);
  out->theta -= weight * (pull * NUM_NAME(dot)(t, p->r1T) +
                          point->shift * (EA * strain - rho * u * u * stretch) * NUM_NAME(dot)(t, r2)) +
                point->growth * (elastic - u * u * motion);
  out->tension += weight * elastic;
  out->kinetic += weight * u * u * motion;
  out->lost += weight * drag * faster;
}

/* Curvature k (negative around pulleys), and its derivatives: A to r', B to r''; to Theta and xi directly. */
typedef struct NUM_NAME(bend) {
  NUM k, A[2], B[2], theta, xi;
} NUM_NAME(bend);

NUM_INLINE void NUM_NAME(bend_at)(bool document, const NUM_NAME(place) * p, const NUM r1[2], const NUM r2[2],
                                  NUM_NAME(bend) * b)
{
  NUM zero = {0.0};
  if (document) { /* n_ref . r'' */
    b->A[0] = b->A[1] = zero;
    b->B[0] = -p->r1[1];
    b->B[1] = p->r1[0];
    b->k = NUM_NAME(dot)(b->B, r2);
    b->theta = -p->r1T[1] * r2[0] + p->r1T[0] * r2[1];
    b->xi = -p->r2[1] * r2[0] + p->r2[0] * r2[1];
    return;
  }
  NUM i2 = 1.0 / NUM_NAME(dot)(r1, r1);
  b->k = (r1[0] * r2[1] - r1[1] * r2[0]) * i2;
  b->A[0] = (r2[1] - 2.0 * b->k * r1[0]) * i2;
  b->A[1] = (-r2[0] - 2.0 * b->k * r1[1]) * i2;
  b->B[0] = -r1[1] * i2;
  b->B[1] = r1[0] * i2;
  b->theta = b->xi = zero;
}

/* Moment M = EI (turn of the section per undeformed length + damping * its rate along with the material, as
 * far as it is within the parts and the elements: the jumps between them are left out). */
NUM_INLINE void NUM_NAME(add_bending)(const cap_ring_ale *a, const NUM_NAME(point) * point,
                                      const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  const NUM_NAME(place) *p = &point->place;
  const NUM_NAME(shape) *s = &point->shape;
  double EI = a->ring.section.EI * a->gain;
  NUM weight = point->weight, r1[2], r2[2], r3[2], c1[2], c2[2], v1[2], v2[2], F1[2], F2[2];
  NUM_NAME(bend) b;
  NUM_NAME(blend)(s->n1, m->q, r1);
  NUM_NAME(blend)(s->n2, m->q, r2);
  NUM_NAME(blend)(s->n3, m->q, r3);
  NUM_NAME(blend)(s->n1, m->v, c1);
  NUM_NAME(blend)(s->n2, m->v, c2);
  for (int i = 0; i < 2; i++) {
    r1[i] += p->r1[i];
    r2[i] += p->r2[i];
    r3[i] += p->r3[i];
    v1[i] = m->u * r2[i] + m->w * p->r1T[i] + c1[i];
    v2[i] = m->u * r3[i] + m->w * p->r2T[i] + c2[i];
  }
  NUM_NAME(bend_at)(a->document, p, r1, r2, &b);
  NUM turns = NUM_NAME(dot)(b.A, v1) + NUM_NAME(dot)(b.B, v2) + m->w * b.theta + m->u * b.xi;
  NUM along = NUM_NAME(dot)(b.A, r2) + NUM_NAME(dot)(b.B, r3) + b.xi; /* dk/dxi */
  NUM drag = EI * a->ring.section.damping * turns, M = EI * b.k + drag, density = 0.5 * EI * b.k * b.k;
  for (int i = 0; i < 2; i++) {
    F1[i] = -weight * M * b.A[i];
    F2[i] = -weight * M * b.B[i];
  }
  NUM_NAME(spread)(s->n1, F1, out->f);
  NUM_NAME(spread)(s->n2, F2, out->f);
  out->s -= weight * drag * along;
  out->theta -= weight * (M * (NUM_NAME(dot)(b.A, p->r1T) + NUM_NAME(dot)(b.B, p->r2T) + b.theta) +
                          point->shift * EI * b.k * along) +
                point->growth * density;
  out->bending += weight * density;
  out->lost += weight * drag * turns;
}

#ifndef NUM_LANES
/* The whole element e: adds to `out`. */
NUM_INLINE void NUM_NAME(element)(const cap_ring_ale *a, const NUM_NAME(frame) * f, int e,
                                  const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  NUM_NAME(point) points[NUM_NAME(POINTS_MOST)];
  int n = NUM_NAME(points_of)(a, f, CAP_RING_ALE_KINETIC, e, points);
  for (int k = 0; k < n; k++) NUM_NAME(add_kinetic)(a, &points[k], m, out);
  n = NUM_NAME(points_of)(a, f, CAP_RING_ALE_STRAIN, e, points);
  for (int k = 0; k < n; k++) NUM_NAME(add_strain)(a, &points[k], m, out);
  n = NUM_NAME(points_of)(a, f, CAP_RING_ALE_BENDING, e, points);
  for (int k = 0; k < n; k++) NUM_NAME(add_bending)(a, &points[k], m, out);
}
#endif
