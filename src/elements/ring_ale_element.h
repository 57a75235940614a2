/* elements/ring_ale_element.h — forces of one element of the `ale` ring, for numbers of any kind.
 *
 * Included with NUM, NUM_NAME, NUM_SIN, NUM_COS, NUM_SQRT and NUM_REAL set (ring_reference_place.h). Maths:
 * docs/theory.md §34.3. At a point of the element, with u = s', w = Theta', c = q_f':
 *     v  = u r' + w r_T + S c            f' = w r'_T + S' c  (change of r' at the place)
 *     a0 = u f' + w^2 r_TT               (what the acceleration has without s'', Theta'', q_f'')
 *     h_f = int  -rho S' a0 + S'' (rho u v - N t - M A) - S''' M B          (S', S'', S''' transposed S, S',
 * S'') h_s = int  -rho (a0 . r' + v . f') h_T = int  -rho (a0 . r_T - u v . r'_T) - N t . r'_T - M (A . r'_T
 * + B . r''_T)  - jumps where A, B are the derivatives of the curvature to r', r''. The bending energy per
 * length jumps at a joint by the curvature of the reference; when the joint moves with Theta, h_T gets
 * (f_right - f_left) dxi/dTheta.
 */
#include "elements/ring_ale_points.h"

typedef struct NUM_NAME(motion) {
  NUM u, w; /* s', Theta' */
  NUM q[CAP_RING_ALE_LOCAL], v[CAP_RING_ALE_LOCAL];
} NUM_NAME(motion);

typedef struct NUM_NAME(answer) {
  NUM f[CAP_RING_ALE_LOCAL], s, theta;
  NUM tension, bending, kinetic, lost; /* energies, power */
} NUM_NAME(answer);

/* Curvature k (negative around pulleys), and its derivatives: A to r', B to r''; to Theta and xi directly. */
typedef struct NUM_NAME(bend) {
  NUM k, A[2], B[2], theta, xi;
} NUM_NAME(bend);

static inline void NUM_NAME(bend_at)(bool document, const NUM_NAME(place) * p, const NUM r1[2],
                                     const NUM r2[2], NUM_NAME(bend) * b)
{
  if (document) { /* n_ref . r'' */
    b->A[0] = b->A[1] = 0.0;
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
  b->theta = b->xi = 0.0;
}

/* One point of weight `weight`, m. */
static inline void NUM_NAME(add_point)(const cap_ring_ale *a, const NUM_NAME(place) * p,
                                       const NUM_NAME(shape) * s, NUM weight, const NUM_NAME(motion) * m,
                                       NUM_NAME(answer) * out)
{
  const cap_ring_section *c = &a->ring.section;
  double rho = c->mass / a->gain, EA = c->EA, EI = c->EI;
  NUM r1[2], r2[2], r3[2], c0[2], c1[2], c2[2], f1[2], v[2], a0[2], v1[2], v2[2], t[2], F0[2], F1[2], F2[2];
  NUM u = m->u, w = m->w;
  NUM_NAME(blend)(s->n1, m->q, r1);
  NUM_NAME(blend)(s->n2, m->q, r2);
  NUM_NAME(blend)(s->n3, m->q, r3);
  NUM_NAME(blend)(s->n0, m->v, c0);
  NUM_NAME(blend)(s->n1, m->v, c1);
  NUM_NAME(blend)(s->n2, m->v, c2);
  for (int i = 0; i < 2; i++) {
    r1[i] += p->r1[i];
    r2[i] += p->r2[i];
    r3[i] += p->r3[i];
    f1[i] = w * p->r1T[i] + c1[i];
    v[i] = u * r1[i] + w * p->rT[i] + c0[i];
    a0[i] = u * f1[i] + w * w * p->rTT[i];
    v1[i] = u * r2[i] + f1[i]; /* of the material: d/dt r' and r'' along with it */
    v2[i] = u * r3[i] + w * p->r2T[i] + c2[i];
  }
  NUM stretch = NUM_SQRT(NUM_NAME(dot)(r1, r1)), strain = a->gain * stretch - 1.0;
  for (int i = 0; i < 2; i++) t[i] = r1[i] / stretch;
  NUM_NAME(bend) b;
  NUM_NAME(bend_at)(a->document, p, r1, r2, &b);
  NUM faster = NUM_NAME(dot)(t, v1);
  NUM turns = NUM_NAME(dot)(b.A, v1) + NUM_NAME(dot)(b.B, v2) + w * b.theta + u * b.xi;
  NUM Nd = EA * a->gain * c->damping * faster, Md = EI * a->gain * c->damping * turns;
  NUM N = EA * strain + Nd, M = EI * a->gain * b.k + Md;
  for (int i = 0; i < 2; i++) {
    F0[i] = -rho * weight * a0[i];
    F1[i] = weight * (rho * u * v[i] - N * t[i] - M * b.A[i]);
    F2[i] = -weight * M * b.B[i];
  }
  for (int k = 0; k < 4; k++)
    for (int i = 0; i < 2; i++) out->f[2 * k + i] += s->n0[k] * F0[i] + s->n1[k] * F1[i] + s->n2[k] * F2[i];
  out->s -= weight * (rho * (NUM_NAME(dot)(a0, r1) + NUM_NAME(dot)(v, f1)) + Nd * NUM_NAME(dot)(t, r2) +
                      Md * (NUM_NAME(dot)(b.A, r2) + NUM_NAME(dot)(b.B, r3) + b.xi));
  out->theta -= weight * (rho * (NUM_NAME(dot)(a0, p->rT) - u * NUM_NAME(dot)(v, p->r1T)) +
                          N * NUM_NAME(dot)(t, p->r1T) +
                          M * (NUM_NAME(dot)(b.A, p->r1T) + NUM_NAME(dot)(b.B, p->r2T) + b.theta));
  out->tension += 0.5 * weight * EA / a->gain * strain * strain;
  out->bending += 0.5 * weight * EI * a->gain * b.k * b.k;
  out->kinetic += 0.5 * weight * rho * NUM_NAME(dot)(v, v);
  out->lost += weight * (Nd * faster + Md * turns);
}

/* Bending energy per length at a joint, as seen from `part`. */
static inline NUM NUM_NAME(bending_density)(const cap_ring_ale *a, const NUM_NAME(frame) * f, int part,
                                            NUM place, const NUM_NAME(shape) * s, const NUM_NAME(motion) * m)
{
  NUM_NAME(place) p;
  NUM_NAME(bend) b;
  NUM r1[2], r2[2];
  NUM_NAME(place_at)(&a->ref, f, part, place, &p);
  NUM_NAME(blend)(s->n1, m->q, r1);
  NUM_NAME(blend)(s->n2, m->q, r2);
  for (int i = 0; i < 2; i++) {
    r1[i] += p.r1[i];
    r2[i] += p.r2[i];
  }
  NUM_NAME(bend_at)(a->document, &p, r1, r2, &b);
  return 0.5 * a->ring.section.EI * a->gain * b.k * b.k;
}

/* What the joints inside element e, moving with Theta, do. */
static inline void NUM_NAME(add_joints)(const cap_ring_ale *a, const NUM_NAME(frame) * f, int e,
                                        const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  double from = a->node[e], l = a->size[e];
  NUM joint[CAP_RING_PARTS], slope[CAP_RING_PARTS];
  NUM_NAME(joints)(a, f, joint, slope);
  for (int j = 0; j < CAP_RING_PARTS; j++) {
    if (NUM_REAL(joint[j]) <= from || NUM_REAL(joint[j]) >= from + l) continue;
    NUM_NAME(shape) s;
    NUM_NAME(shape_at)((joint[j] - from) / l, l, &s);
    double back = j == CAP_RING_PARTS - 1 ? a->ref.length : 0.0;
    NUM left = NUM_NAME(bending_density)(a, f, NUM_NAME(part_after)(j - 1), joint[j], &s, m);
    NUM right = NUM_NAME(bending_density)(a, f, NUM_NAME(part_after)(j), joint[j] - back, &s, m);
    out->theta += (right - left) * slope[j];
  }
}

/* The whole element e: adds to `out`. */
static inline void NUM_NAME(element)(const cap_ring_ale *a, const NUM_NAME(frame) * f, int e,
                                     const NUM_NAME(motion) * m, NUM_NAME(answer) * out)
{
  NUM_NAME(point) points[NUM_NAME(POINTS_MOST)];
  int n = NUM_NAME(points_of)(a, f, e, points);
  for (int k = 0; k < n; k++)
    NUM_NAME(add_point)(a, &points[k].place, &points[k].shape, points[k].weight, m, out);
  NUM_NAME(add_joints)(a, f, e, m, out);
}
