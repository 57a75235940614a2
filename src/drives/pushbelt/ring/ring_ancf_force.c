/* drives/pushbelt/ring/ring_ancf_force.c — see ring_ancf.h.
 *
 * Elements are worked off in blocks of eight, lane by lane; tangents column by column. Of its nodes an
 * element sees d = (r2 - r1)/l and the two slopes g1, g2:  r' = A d + B g1 + C g2 with polynomials A, B, C
 * of the place, r'' alike over l. The tension is taken at the ends and in the middle (Simpson's rule), the
 * moment at three points (Gauss's). At Gauss's two points for the tension the element would not feel slopes
 * that are longer than they should be; with three it locks: it could not bend without stretching somewhere
 * (docs/theory.md §35.4).
 */
#include "base/clones.h"
#include "drives/pushbelt/ring/ring_ancf.h"

enum { LANES = 8, PULLS = 3, BENDS = 3 };

typedef capm_ancf_vector vector;

/* What an element has of its nodes: values, rates, directions; or the forces that go with them. */
typedef struct ends {
  vector d, g1, g2;
} ends;

typedef struct rule {
  double weight;
  double d, g1, g2;    /* of r' */
  double dd, dg1, dg2; /* of l r'' */
} rule;

#define RULE(z, w)                                                                                           \
  {                                                                                                          \
    (w), 6.0 * (z) * (1.0 - (z)), 1.0 - 4.0 * (z) + 3.0 * (z) * (z), 3.0 * (z) * (z)-2.0 * (z),              \
        6.0 - 12.0 * (z), 6.0 * (z)-4.0, 6.0 * (z)-2.0                                                       \
  }

/* Simpson; Gauss: 1/2 -+ sqrt(0.15), 1/2. */
static const rule pulls[PULLS] = {RULE(0.0, 1.0 / 6), RULE(0.5, 4.0 / 6), RULE(1.0, 1.0 / 6)};
static const rule bends[BENDS] = {RULE(0.11270166537925831, 5.0 / 18), RULE(0.5, 8.0 / 18),
                                  RULE(0.88729833462074169, 5.0 / 18)};

CAP_INLINE vector first_at(const rule *r, ends q)
{
  return (vector){r->d * q.d.x + r->g1 * q.g1.x + r->g2 * q.g2.x,
                  r->d * q.d.y + r->g1 * q.g1.y + r->g2 * q.g2.y};
}

CAP_INLINE vector second_at(const rule *r, double per, ends q)
{
  return (vector){per * (r->dd * q.d.x + r->dg1 * q.g1.x + r->dg2 * q.g2.x),
                  per * (r->dd * q.d.y + r->dg1 * q.g1.y + r->dg2 * q.g2.y)};
}

CAP_INLINE void add_first(const rule *r, double fx, double fy, ends *f)
{
  const double x = r->weight * fx, y = r->weight * fy;
  f->d.x += r->d * x, f->d.y += r->d * y;
  f->g1.x += r->g1 * x, f->g1.y += r->g1 * y;
  f->g2.x += r->g2 * x, f->g2.y += r->g2 * y;
}

CAP_INLINE void add_second(const rule *r, double per, double fx, double fy, ends *f)
{
  const double x = per * r->weight * fx, y = per * r->weight * fy;
  f->d.x += r->dd * x, f->d.y += r->dd * y;
  f->g1.x += r->dg1 * x, f->g1.y += r->dg1 * y;
  f->g2.x += r->dg2 * x, f->g2.y += r->dg2 * y;
}

/* An element with its parameters. */
typedef struct strip {
  capm_ancf law;
  double length, per; /* m; 1/m */
} strip;

CAP_INLINE strip strip_of(const double *par)
{
  return (strip){{par[CAP_RING_ANCF_EA], par[CAP_RING_ANCF_EI], par[CAP_RING_ANCF_AXIAL],
                  par[CAP_RING_ANCF_BENDING], par[CAP_RING_ANCF_CURVATURE]},
                 par[CAP_RING_ANCF_LENGTH],
                 1.0 / par[CAP_RING_ANCF_LENGTH]};
}

/* Of one element. */
typedef struct answer {
  ends force;           /* per length, conjugate to the ends */
  double tension, loss; /* N, mean; W per length */
} answer;

CAP_INLINE answer resist(const strip *e, ends q, ends v)
{
  answer a = {0};
  for (int k = 0; k < PULLS; k++) {
    capm_ancf_stretch s;
    const vector f = capm_ancf_pull(&e->law, first_at(&pulls[k], q), first_at(&pulls[k], v), &s);
    add_first(&pulls[k], f.x, f.y, &a.force);
    a.tension += pulls[k].weight * s.force;
    a.loss += pulls[k].weight * e->law.axial * s.rate * s.rate;
  }
  for (int k = 0; k < BENDS; k++) {
    capm_ancf_bend s;
    capm_ancf_curve(first_at(&bends[k], q), second_at(&bends[k], e->per, q), &s);
    capm_ancf_moment(&e->law, first_at(&bends[k], v), second_at(&bends[k], e->per, v), &s);
    add_first(&bends[k], s.moment * s.ax, s.moment * s.ay, &a.force);
    add_second(&bends[k], e->per, s.moment * s.bx, s.moment * s.by, &a.force);
    a.loss += bends[k].weight * e->law.bending * s.rate * s.rate;
  }
  return a;
}

/* ---- blocks of elements -------------------------------------------------------------------------------- */

typedef struct row {
  double dx[LANES], dy[LANES], g1x[LANES], g1y[LANES], g2x[LANES], g2y[LANES];
} row;

typedef struct block {
  row q, v, f;
  double tension[LANES], loss[LANES];
} block;

CAP_INLINE ends ends_at(const row *r, int l)
{
  return (ends){{r->dx[l], r->dy[l]}, {r->g1x[l], r->g1y[l]}, {r->g2x[l], r->g2y[l]}};
}

CAP_INLINE void gather_row(row *r, int l, const double *first, const double *second, double per)
{
  r->dx[l] = per * (second[0] - first[0]);
  r->dy[l] = per * (second[1] - first[1]);
  r->g1x[l] = first[2];
  r->g1y[l] = first[3];
  r->g2x[l] = second[2];
  r->g2y[l] = second[3];
}

/* What is left of a block repeats its last element, unused. */
CAP_INLINE void gather(const cap_batch *b, const cap_eval *e, block *k, int first, int count, double per)
{
  for (int l = 0; l < LANES; l++) {
    int n = first + (l < count ? l : count - 1);
    gather_row(&k->q, l, e->q + b->i[n], e->q + b->j[n], per);
    gather_row(&k->v, l, e->v + b->i[n], e->v + b->j[n], per);
  }
}

CAP_INLINE void evaluate(block *restrict k, const strip *all)
{
  CAP_EACH_LANE(l, LANES)
  {
    const strip e = *all;
    const answer a = resist(&e, ends_at(&k->q, l), ends_at(&k->v, l));
    k->f.dx[l] = a.force.d.x, k->f.dy[l] = a.force.d.y;
    k->f.g1x[l] = e.length * a.force.g1.x, k->f.g1y[l] = e.length * a.force.g1.y;
    k->f.g2x[l] = e.length * a.force.g2.x, k->f.g2y[l] = e.length * a.force.g2.y;
    k->tension[l] = a.tension;
    k->loss[l] = e.length * a.loss;
  }
}

CAP_INLINE void scatter(const cap_batch *b, cap_eval *e, const block *k, int first, int count)
{
  for (int l = 0; l < count; l++) {
    double *hi = e->h + b->i[first + l], *hj = e->h + b->j[first + l];
    hi[0] += k->f.dx[l], hi[1] += k->f.dy[l];
    hi[2] -= k->f.g1x[l], hi[3] -= k->f.g1y[l];
    hj[0] -= k->f.dx[l], hj[1] -= k->f.dy[l];
    hj[2] -= k->f.g2x[l], hj[3] -= k->f.g2y[l];
    if (e->force) e->force[b->elem_adr + first + l] = k->tension[l];
    if (e->power && b->npart) e->power[b->mech_adr] += k->loss[l];
    else if (e->power) e->power[b->mech_adr + first + l] = k->loss[l];
  }
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* The state of an element at its points. */
typedef struct state {
  capm_ancf_stretch pull[PULLS];
  capm_ancf_bend bend[BENDS];
  vector first[BENDS], first_rate[BENDS], second_rate[BENDS];
} state;

static state state_of(const strip *e, ends q, ends v)
{
  state s;
  for (int k = 0; k < PULLS; k++)
    capm_ancf_pull(&e->law, first_at(&pulls[k], q), first_at(&pulls[k], v), &s.pull[k]);
  for (int k = 0; k < BENDS; k++) {
    s.first[k] = first_at(&bends[k], q);
    s.first_rate[k] = first_at(&bends[k], v);
    s.second_rate[k] = second_at(&bends[k], e->per, v);
    capm_ancf_curve(s.first[k], second_at(&bends[k], e->per, q), &s.bend[k]);
    capm_ancf_moment(&e->law, s.first_rate[k], s.second_rate[k], &s.bend[k]);
  }
  return s;
}

/* Of the forces at a point that bends. */
CAP_INLINE void turn_bend(const strip *e, const state *s, int k, ends dq, ends dv, ends *f)
{
  const rule *r = &bends[k];
  const capm_ancf_bend *b = &s->bend[k];
  const vector va = first_at(r, dv), vb = second_at(r, e->per, dv);
  const capm_ancf_slopes d = capm_ancf_curve_tangent(b, s->first[k], first_at(r, dq),
                                                     second_at(r, e->per, dq));
  const double rate = d.ax * s->first_rate[k].x + d.ay * s->first_rate[k].y + d.bx * s->second_rate[k].x +
                      d.by * s->second_rate[k].y + b->ax * va.x + b->ay * va.y + b->bx * vb.x + b->by * vb.y;
  const double moment = e->law.EI * d.curvature + e->law.bending * rate;
  add_first(r, moment * b->ax + b->moment * d.ax, moment * b->ay + b->moment * d.ay, f);
  add_second(r, e->per, moment * b->bx + b->moment * d.bx, moment * b->by + b->moment * d.by, f);
}

CAP_INLINE ends turn(const strip *e, const state *s, ends dq, ends dv)
{
  ends f = {0};
  for (int k = 0; k < PULLS; k++) {
    const vector p = capm_ancf_pull_tangent(&e->law, &s->pull[k], first_at(&pulls[k], dq),
                                            first_at(&pulls[k], dv));
    add_first(&pulls[k], p.x, p.y, &f);
  }
  for (int k = 0; k < BENDS; k++) turn_bend(e, s, k, dq, dv, &f);
  return f;
}

CAP_INLINE ends column(const double *first, const double *second, int n, int c, double per)
{
  return (ends){{per * (second[c] - first[c]), per * (second[n + c] - first[n + c])},
                {first[2 * n + c], first[3 * n + c]},
                {second[2 * n + c], second[3 * n + c]}};
}

CAP_INLINE void tangents(const cap_batch *b, cap_eval *e, const strip *all, int element)
{
  const int n = e->ncol, i = b->i[element] * n, j = b->j[element] * n;
  const double l = all->length;
  row q, v;
  gather_row(&q, 0, e->q + b->i[element], e->q + b->j[element], all->per);
  gather_row(&v, 0, e->v + b->i[element], e->v + b->j[element], all->per);
  const state s = state_of(all, ends_at(&q, 0), ends_at(&v, 0));
  double *hi = e->dh + i, *hj = e->dh + j;
  for (int c = 0; c < n; c++) {
    const ends f = turn(all, &s, column(e->dq + i, e->dq + j, n, c, all->per),
                        column(e->dv + i, e->dv + j, n, c, all->per));
    hi[c] += f.d.x, hi[n + c] += f.d.y;
    hi[2 * n + c] -= l * f.g1.x, hi[3 * n + c] -= l * f.g1.y;
    hj[c] -= f.d.x, hj[n + c] -= f.d.y;
    hj[2 * n + c] -= l * f.g2.x, hj[3 * n + c] -= l * f.g2.y;
  }
}

/* ---- the type ------------------------------------------------------------------------------------------ */

/* Elements from `first` on with the parameters of that one. */
CAP_INLINE int run_of(const cap_batch *b, int first)
{
  if (b->uniform) return b->n - first < LANES ? b->n - first : LANES;
  return 1;
}

CAP_CLONES static void rates(const cap_batch *b, cap_eval *e)
{
  if (e->power && b->npart) e->power[b->mech_adr] = 0.0;
  for (int first = 0, count; first < b->n; first += count) {
    const strip all = strip_of(b->par + first * CAP_RING_ANCF_NPARAM);
    block k;
    count = run_of(b, first);
    gather(b, e, &k, first, count, all.per);
    evaluate(&k, &all);
    scatter(b, e, &k, first, count);
    for (int l = 0; e->ncol && l < count; l++) tangents(b, e, &all, first + l);
  }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++) {
    const strip all = strip_of(b->par + n * CAP_RING_ANCF_NPARAM);
    row q;
    gather_row(&q, 0, e->q + b->i[n], e->q + b->j[n], all.per);
    const state s = state_of(&all, ends_at(&q, 0), (ends){0});
    for (int k = 0; k < PULLS; k++) {
      double strain = s.pull[k].stretch - 1.0;
      *stored += 0.5 * all.length * pulls[k].weight * all.law.EA * strain * strain;
    }
    for (int k = 0; k < BENDS; k++) {
      double bent = s.bend[k].curvature - all.law.curvature;
      *stored += 0.5 * all.length * bends[k].weight * all.law.EI * bent * bent;
    }
  }
}

static const cap_param params[] = {
    {"axial stiffness EA", "N"}, {"bending stiffness EI", "N m2"}, {"length", "m"},
    {"axial damping", "N s"},    {"bending damping", "N m2 s"},    {"curvature", "1/m"}};

const cap_element_type cap_ring_ancf_force_type = {
    .name = "ancf strip",
    .doc = "planar strip between two nodes with slopes, in absolute nodal coordinates",
    .nparam = CAP_RING_ANCF_NPARAM,
    .params = params,
    .nmech = 1,
    .mech_name = {"viscous"},
    .wide = true,
    .rates = rates,
    .energy = energy,
};
