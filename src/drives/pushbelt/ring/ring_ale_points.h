/* drives/pushbelt/ring/ring_ale_points.h — where the integrals of an element of the `ale` ring are
 * evaluated, for numbers of any kind.
 *
 * Included with NUM, NUM_NAME, NUM_SIN, NUM_COS and NUM_REAL set (ring_reference_place.h). With NUM_LANES set
 * NUM is a vector, whose numbers belong to different elements: then NUM_SIZE is the type of their lengths,
 * and who includes this finds the points.
 */
#include "drives/pushbelt/ring/ring_ale.h"
#include "drives/pushbelt/ring/ring_reference_place.h"

#ifndef NUM_LANES
#undef NUM_SIZE
#undef NUM_INLINE
#define NUM_SIZE   double
#define NUM_INLINE static inline
#endif

/* Hermite functions and three derivatives. */
typedef struct NUM_NAME(shape) {
  NUM n0[4], n1[4], n2[4], n3[4];
} NUM_NAME(shape);

NUM_INLINE void NUM_NAME(shape_at)(NUM x, NUM_SIZE l, NUM_NAME(shape) * s)
{
  NUM_SIZE i = 1.0 / l, i2 = i * i, i3 = i2 * i;
  NUM y = 1.0 - x;
  s->n0[0] = y * y * (1.0 + 2.0 * x);
  s->n0[1] = l * x * y * y;
  s->n0[2] = x * x * (1.0 + 2.0 * y);
  s->n0[3] = -l * x * x * y;
  s->n1[0] = -6.0 * i * x * y;
  s->n1[1] = y * (1.0 - 3.0 * x);
  s->n1[2] = 6.0 * i * x * y;
  s->n1[3] = -x * (3.0 * y - 1.0);
  s->n2[0] = i2 * (12.0 * x - 6.0);
  s->n2[1] = i * (6.0 * x - 4.0);
  s->n2[2] = i2 * (6.0 - 12.0 * x);
  s->n2[3] = i * (6.0 * x - 2.0);
  s->n3[0] = 12.0 * i3;
  s->n3[1] = 6.0 * i2;
  s->n3[2] = -12.0 * i3;
  s->n3[3] = 6.0 * i2;
}

/* sum n[k] local[2 k + i] */
NUM_INLINE void NUM_NAME(blend)(const NUM n[4], const NUM *local, NUM out[2])
{
  for (int i = 0; i < 2; i++)
    out[i] = n[0] * local[i] + n[1] * local[2 + i] + n[2] * local[4 + i] + n[3] * local[6 + i];
}

NUM_INLINE NUM NUM_NAME(dot)(const NUM a[2], const NUM b[2])
{
  return a[0] * b[0] + a[1] * b[1];
}

/* A point of an integral. Where it lies in a part of an element that ends at a joint it moves with Theta. */
typedef struct NUM_NAME(point) {
  NUM_NAME(place) place;
  NUM_NAME(shape) shape;
  NUM weight, shift, growth; /* m; d xi / d Theta, d weight / d Theta, m */
} NUM_NAME(point);

/* Rules on [0, 1]. That of the kinetic energy is accurate; those of strain and bending take just the points
 * where a cubic that meets place and slope at its ends has the best slopes and curvatures, which keeps a
 * curved element from being too stiff. */
enum { CAP_RING_ALE_KINETIC, CAP_RING_ALE_STRAIN, CAP_RING_ALE_BENDING };
typedef struct NUM_NAME(rule) {
  int n;
  double at[5], weight[5];
} NUM_NAME(rule);

static inline const NUM_NAME(rule) * NUM_NAME(rule_of)(int kind, bool fine)
{
  static const NUM_NAME(rule) rules[] = {
      {3,
       {0.11270166537925831148, 0.5, 0.88729833462074168852},
       {0.27777777777777777778, 0.44444444444444444444, 0.27777777777777777778}},
      {3, {0.0, 0.5, 1.0}, {0.16666666666666666667, 0.66666666666666666667, 0.16666666666666666667}},
      {2, {0.21132486540518711775, 0.78867513459481288225}, {0.5, 0.5}},
      {5,
       {0.046910077030668003601, 0.23076534494715845448, 0.5, 0.76923465505284154552, 0.9530899229693319964},
       {0.11846344252809454376, 0.23931433524968323402, 0.28444444444444444444, 0.23931433524968323402,
        0.11846344252809454376}}};
  return &rules[kind == CAP_RING_ALE_KINETIC && fine ? 3 : kind];
}

#ifndef NUM_LANES
/* The joints of the reference curve in ascending order, and the part after each; S is before the first. */
static inline void NUM_NAME(joints)(const cap_ring_ale *a, const NUM_NAME(frame) * f,
                                    NUM joint[CAP_RING_PARTS], NUM slope[CAP_RING_PARTS])
{
  double L = a->ref.length;
  joint[0] = f->a[0];
  joint[1] = f->c[0];
  joint[2] = L - f->c[0];
  joint[3] = L - f->a[0];
  slope[0] = f->a[1];
  slope[1] = f->c[1];
  slope[2] = -f->c[1];
  slope[3] = -f->a[1];
}

static inline int NUM_NAME(part_after)(int joint)
{
  static const int parts[CAP_RING_PARTS] = {CAP_RING_PART_UPPER, CAP_RING_PART_P, CAP_RING_PART_LOWER,
                                            CAP_RING_PART_S};
  return joint < 0 ? CAP_RING_PART_S : parts[joint];
}

enum { NUM_NAME(POINTS_MOST) = 5 * (CAP_RING_PARTS + 1) };

/* Points of element e, of each of its parts where joints cut it. Returns their number. */
static inline int NUM_NAME(points_of)(const cap_ring_ale *a, const NUM_NAME(frame) * f, int kind, int e,
                                      NUM_NAME(point) points[NUM_NAME(POINTS_MOST)])
{
  double from = a->node[e], l = a->size[e], end = from + l;
  NUM joint[CAP_RING_PARTS], slope[CAP_RING_PARTS], start = from, start_slope = 0.0;
  int next = 0, count = 0;
  NUM_NAME(joints)(a, f, joint, slope);
  while (next < CAP_RING_PARTS && NUM_REAL(joint[next]) <= from) next++;
  const NUM_NAME(rule) *rule = NUM_NAME(rule_of)(kind, a->coarse);
  for (bool last = false; !last; next++) {
    last = next == CAP_RING_PARTS || NUM_REAL(joint[next]) >= end;
    NUM stop = last ? end : joint[next], stop_slope = last ? 0.0 : slope[next];
    /* the secondary arc goes on beyond xi = 0 */
    double back = next == CAP_RING_PARTS ? a->ref.length : 0.0;
    for (int k = 0; k < rule->n && NUM_REAL(stop) > NUM_REAL(start); k++) {
      NUM xi = start + rule->at[k] * (stop - start);
      NUM_NAME(point) *p = &points[count++];
      NUM_NAME(place_at)(&a->ref, f, NUM_NAME(part_after)(next - 1), xi - back, &p->place);
      NUM_NAME(shape_at)((xi - from) / l, l, &p->shape);
      p->weight = rule->weight[k] * (stop - start);
      p->growth = rule->weight[k] * (stop_slope - start_slope);
      p->shift = start_slope + rule->at[k] * (stop_slope - start_slope);
    }
    start = stop;
    start_slope = stop_slope;
  }
  return count;
}
#endif
