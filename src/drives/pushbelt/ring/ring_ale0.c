/* drives/pushbelt/ring/ring_ale0.c — the `ale0` ring: the reference curve alone, travel s and ratio Theta.
 *
 * Maths: docs/theory.md §34.5. All integrals over the four parts are closed forms, T = (rho L s'^2 + M(Theta)
 * Theta'^2) / 2 and V(Theta): the couplings of s and Theta cancel, the curve being alike above and below.
 * The ring does not stretch: its tension is a reaction that is not computed.
 */
#include "drives/pushbelt/ring/ring.h"
#include "drives/pushbelt/ring/ring_ale.h"
#include "drives/pushbelt/ring/ring_reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct body {
  cap_ring ring; /* first */
  cap_ring_reference ref;
  int travel, ratio;
  double theta;   /* where it is locked */
  double bending; /* N m2: EI length / free length */
  double density; /* kg/m of the curve */
} body;

/* ---- functions of Theta to the second order ------------------------------------------------------------ */

typedef struct jet {
  double d[3];
} jet;

static inline jet times(jet a, jet b)
{
  return (jet){{a.d[0] * b.d[0], a.d[1] * b.d[0] + a.d[0] * b.d[1],
                a.d[2] * b.d[0] + 2.0 * a.d[1] * b.d[1] + a.d[0] * b.d[2]}};
}

static inline jet plus(jet a, double factor, jet b)
{
  for (int k = 0; k < 3; k++) a.d[k] += factor * b.d[k];
  return a;
}

static inline jet shifted(jet a, double by, double factor)
{
  return (jet){{by + factor * a.d[0], factor * a.d[1], factor * a.d[2]}};
}

static inline jet inverse(jet a)
{
  double i = 1.0 / a.d[0], i2 = i * i;
  return (jet){{i, -a.d[1] * i2, (2.0 * a.d[1] * a.d[1] * i - a.d[2]) * i2}};
}

/* The jet of a function, and of its derivative. */
static inline jet of(capm_ring_jet j)
{
  return (jet){{j.d[0], j.d[1], j.d[2]}};
}

static inline jet slope_of(capm_ring_jet j)
{
  return (jet){{j.d[1], j.d[2], j.d[3]}};
}

typedef struct terms {
  jet M; /* m3: inertia of Theta over the density */
  jet V; /* 1/m: bending energy over EI */
  jet D; /* 1/m3..: int of the square of the curvature's rate over Theta'^2 */
} terms;

/* An arc of radius r and half angle phi: int (r_T)^2 = r r'^2 (2 phi + 2/3 phi^3), bending phi/r, and
 * int (kappa_T)^2 = 2 phi r'^2 / r^3. */
static inline void add_arc(capm_ring_jet radius, jet phi, terms *t)
{
  jet r = of(radius), r1 = slope_of(radius), square = times(r1, r1), i = inverse(r), bend = times(phi, i);
  jet angle = times(phi, shifted(times(phi, phi), 2.0, 2.0 / 3.0));
  t->M = plus(t->M, 1.0, times(times(r, square), angle));
  t->V = plus(t->V, 1.0, bend);
  t->D = plus(t->D, 2.0, times(times(square, bend), times(i, i)));
}

static void terms_at(const cap_ring_frame *f, terms *t)
{
  *t = (terms){0};
  jet psi = of(f->psi), turn = slope_of(f->psi), a1 = slope_of(f->rS), b = plus(of(f->c), -1.0, of(f->a));
  jet phi = shifted(psi, 0.5 * M_PI, -1.0);
  add_arc(f->rS, phi, t);
  add_arc(f->rP, shifted(psi, 0.5 * M_PI, 1.0), t);
  /* two strands: int_0^b (rS' + x psi')^2 + (rS' phi)^2 dx */
  jet swing = times(turn, b), sum = times(times(a1, a1), shifted(times(phi, phi), 1.0, 1.0));
  sum = plus(sum, 1.0, times(swing, plus(a1, 1.0 / 3.0, swing)));
  t->M = plus(t->M, 2.0, times(b, sum));
}

static double theta_of(const body *a, const double *q)
{
  return a->ratio >= 0 ? q[a->ratio] : a->theta;
}

static void look(const body *a, const double *q, terms *t)
{
  cap_ring_frame f;
  cap_ring_reference_at(&a->ref, theta_of(a, q), &f);
  terms_at(&f, t);
}

/* ---- inertia ------------------------------------------------------------------------------------------- */

enum { OF_TRAVEL, OF_RATIO, NWORK };

static int nwork(const cap_inertia *b)
{
  (void)b;
  return NWORK;
}

static bool factor(const cap_inertia *b, const double *q, double *work)
{
  const body *a = b->body;
  terms t;
  work[OF_TRAVEL] = a->density * a->ref.length;
  work[OF_RATIO] = 1.0;
  if (a->ratio < 0) return true;
  look(a, q, &t);
  work[OF_RATIO] = a->density * t.M.d[0];
  return work[OF_RATIO] > 0.0;
}

/* The mass of coordinate i of the block. */
static double mass_of(const body *a, const double *work, int i)
{
  return i == 0 && a->travel >= 0 ? work[OF_TRAVEL] : work[OF_RATIO];
}

static void solve(const cap_inertia *b, const double *work, int ncol, double *x)
{
  for (int c = 0; c < ncol; c++)
    for (int i = 0; i < b->n; i++) x[c * b->n + i] /= mass_of(b->body, work, i);
}

static void half(const cap_inertia *b, const double *work, int ncol, double *x)
{
  for (int c = 0; c < ncol; c++)
    for (int i = 0; i < b->n; i++) x[c * b->n + i] /= sqrt(mass_of(b->body, work, i));
}

static void multiply(const cap_inertia *b, const double *work, const double *v, double *p)
{
  for (int i = 0; i < b->n; i++) p[i] = mass_of(b->body, work, i) * v[i];
}

static void turn(const cap_inertia *b, const double *q, const double *acceleration, const double *dq,
                 int stride, double *out)
{
  const body *a = b->body;
  memset(out, 0, sizeof(double) * (size_t)b->n);
  if (a->ratio < 0 || dq[a->ratio * stride] == 0.0) return;
  terms t;
  look(a, q, &t);
  int at = a->ratio - b->first;
  out[at] = a->density * t.M.d[1] * dq[a->ratio * stride] * acceleration[at];
}

/* A chain of no blocks. */
static int chain_nblock(const cap_inertia *b)
{
  (void)b;
  return 0;
}

static bool chain_load(const cap_inertia *b, const double *added, const double *work, const capm_bordered *to,
                       bool locked[2])
{
  const body *a = b->body;
  (void)added;
  locked[0] = a->travel < 0;
  locked[1] = a->ratio < 0;
  to->corner[0] = locked[0] ? 1.0 : work[OF_TRAVEL];
  to->corner[to->m + 1] = locked[1] ? 1.0 : work[OF_RATIO];
  to->corner[1] = to->corner[to->m] = 0.0;
  return true;
}

static const cap_inertia_chain chain = {.nblock = chain_nblock, .load = chain_load};

static const cap_inertia_type inertia_type = {
    .name = "ring-ale0",
    .nwork = nwork,
    .factor = factor,
    .solve = solve,
    .half = half,
    .multiply = multiply,
    .turn = turn,
    .chain = &chain,
};

/* ---- forces -------------------------------------------------------------------------------------------- */

static void add_forces(const body *a, const terms *t, cap_eval *e)
{
  double w = e->v[a->ratio], drag = a->ring.section.damping * a->bending;
  e->h[a->ratio] -= 0.5 * a->density * t->M.d[1] * w * w + a->bending * t->V.d[1] + drag * t->D.d[0] * w;
  for (int c = 0; c < e->ncol; c++) {
    double dq = e->dq[a->ratio * e->ncol + c], dw = e->dv[a->ratio * e->ncol + c];
    e->dh[a->ratio * e->ncol + c] -= dq * (0.5 * a->density * t->M.d[2] * w * w + a->bending * t->V.d[2] +
                                           drag * t->D.d[1] * w) +
                                     dw * (a->density * t->M.d[1] * w + drag * t->D.d[0]);
  }
}

static void show(const body *a, const terms *t, const cap_batch *b, int k, cap_eval *e)
{
  double *out = e->force + b->output_adr + k * b->type->noutput;
  double u = a->travel >= 0 ? e->v[a->travel] : 0.0, w = a->ratio >= 0 ? e->v[a->ratio] : 0.0;
  out[CAP_RING_ALE_TENSION_ENERGY] = 0.0;
  out[CAP_RING_ALE_BENDING_ENERGY] = a->bending * t->V.d[0];
  out[CAP_RING_ALE_KINETIC_ENERGY] = 0.5 * a->density * (a->ref.length * u * u + t->M.d[0] * w * w);
  e->force[b->elem_adr + k] = 0.0;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int k = 0; k < b->n; k++) {
    const body *a = b->bodies[k];
    terms t;
    look(a, e->q, &t);
    if (a->ratio >= 0) add_forces(a, &t, e);
    if (e->power) {
      double w = a->ratio >= 0 ? e->v[a->ratio] : 0.0;
      e->power[b->mech_adr + k] = a->ring.section.damping * a->bending * t.D.d[0] * w * w;
    }
    if (e->force) show(a, &t, b, k, e);
  }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++) {
    const body *a = b->bodies[k];
    terms t;
    look(a, e->q, &t);
    stored[0] += a->bending * t.V.d[0];
  }
}

static const cap_element_type force_type = {
    .name = "ring-ale0",
    .doc = "ring as a curve around two pulleys that runs and changes its ratio",
    .nmech = 1,
    .noutput = CAP_RING_ALE_NOUTPUT,
    .mech_name = {"damping"},
    .wide = true,
    .rates = rates,
    .energy = energy,
};

/* ---- points -------------------------------------------------------------------------------------------- */

static void reference_at(const body *a, const double *q, double xi, cap_ring_place *p)
{
  cap_ring_frame f;
  cap_ring_reference_at(&a->ref, theta_of(a, q), &f);
  cap_ring_reference_place(&a->ref, &f, cap_ring_reference_part(&a->ref, &f, xi), xi, p);
}

static void place_at(const cap_ring *ring, const double *q, double xi, double *r, double *r1, double *r2)
{
  cap_ring_place p;
  reference_at((const body *)ring, q, xi, &p);
  memcpy(r, p.r, sizeof p.r);
  memcpy(r1, p.r1, sizeof p.r1);
  memcpy(r2, p.r2, sizeof p.r2);
}

static void point_at(const cap_ring *ring, const double *q, double xi, cap_ring_point *point)
{
  const body *a = (const body *)ring;
  cap_ring_place p;
  reference_at(a, q, xi, &p);
  *point = (cap_ring_point){.stretch = 1.0, .tension = NAN};
  memcpy(point->r, p.r, sizeof p.r);
  memcpy(point->t, p.r1, sizeof p.r1);
  point->curvature = -(p.r1[0] * p.r2[1] - p.r1[1] * p.r2[0]);
  for (int k = 0; k < 2; k++) {
    int coord = k == 0 ? a->travel : a->ratio, at = point->ncoord;
    const double *move = k == 0 ? p.r1 : p.rT, *swing = k == 0 ? p.r2 : p.r1T;
    if (coord < 0) continue;
    point->coord[at] = coord;
    point->J[0][at] = move[0];
    point->J[1][at] = move[1];
    point->turn[at] = p.r1[0] * swing[1] - p.r1[1] * swing[0];
    point->ncoord++;
  }
}

/* As of `ale` (ring_ale_vary.c), without deformation. */
static void vary(const cap_ring *ring, const double *q, double xi, const double *dq, int stride, double dr[2],
                 double dJ[2][CAP_RING_COORDS])
{
  const body *a = (const body *)ring;
  cap_ring_place p;
  double theta = a->ratio >= 0 ? dq[a->ratio * stride] : 0.0;
  int ratio = a->travel >= 0 ? 1 : 0;
  reference_at(a, q, xi, &p);
  memset(dJ, 0, 2 * sizeof dJ[0]);
  for (int i = 0; i < 2; i++) {
    dr[i] = p.rT[i] * theta;
    if (a->travel >= 0) dJ[i][0] = p.r1T[i] * theta;
    if (a->ratio >= 0) dJ[i][ratio] = p.rTT[i] * theta;
  }
}

/* ---- building ------------------------------------------------------------------------------------------ */

static cap_ring_fault obstacle(const cap_ring_shape *s)
{
  if (s->lock_theta && s->lock_travel)
    return (cap_ring_fault){"no motion is left; expected theta or travel unlocked, got both locked", "lock",
                            0.0};
  return cap_ring_ale_obstacle(s);
}

static cap_ring *build(cap_builder *b, const cap_ring_shape *s)
{
  cap_arena *arena = cap_builder_arena(b);
  body *a = CAP_ARENA_NEW(arena, body, 1);
  double gain = s->free_length > 0.0 ? s->length / s->free_length : 1.0;
  char name[128];
  if (!a) return NULL;
  a->ring = (cap_ring){.type = &cap_ring_ale0_type,
                       .section = s->section,
                       .name = cap_arena_copy_text(arena, s->name),
                       .length = s->length};
  if (!a->ring.name || !cap_ring_reference_create(&a->ref, s->length, s->centre_distance, arena)) return NULL;
  a->theta = s->theta;
  a->bending = s->section.EI * gain;
  a->density = s->section.mass / gain;
  a->travel = a->ratio = -1;
  snprintf(name, sizeof name, "%s.travel", s->name);
  if (!s->lock_travel) a->travel = cap_builder_dof(b, name, "m", 1.0, 0.0, s->speed);
  snprintf(name, sizeof name, "%s.ratio", s->name);
  if (!s->lock_theta) a->ratio = cap_builder_dof(b, name, "1", 1.0, s->theta, s->theta_speed);
  a->ring.first = a->travel >= 0 ? a->travel : a->ratio;
  a->ring.flow = a->travel;
  a->ring.ncoord = (a->travel >= 0) + (a->ratio >= 0);
  cap_builder_inertia(b, &inertia_type, a->ring.first, a->ring.ncoord, a);
  a->ring.element = cap_builder_element(b, &force_type, s->name, a->ring.first, CAP_GROUND, NULL, NULL);
  cap_builder_body(b, a->ring.element, a);
  return cap_ring_ale_channels(b, &a->ring, s, a->travel, a->ratio) ? &a->ring : NULL;
}

static bool nearest_all(const cap_ring *ring, const double *q, int n, const double (*places)[2], double *xi)
{
  const body *a = (const body *)ring;
  return cap_ring_ale_search_reference(ring, &a->ref, theta_of(a, q), q, n, places, xi);
}

static bool crowd(const cap_ring *ring, const double *q, const double *v, cap_ring_crowd *c)
{
  const body *a = (const body *)ring;
  c->curve = (cap_ring_crowd_curve){.curved = true,
                                    .length = ring->length,
                                    .distance = a->ref.distance,
                                    .speed = a->travel >= 0 ? v[a->travel] : 0.0,
                                    .theta_speed = a->ratio >= 0 ? v[a->ratio] : 0.0};
  cap_ring_reference_at(&a->ref, theta_of(a, q), &c->curve.frame);
  return isfinite(c->curve.frame.a.d[0]);
}

static void crowd_push(const cap_ring *ring, const double *q, const double (*force)[4], double travel,
                       double ratio, double *h)
{
  const body *a = (const body *)ring;
  (void)q, (void)force;
  if (a->travel >= 0) h[a->travel] += travel;
  if (a->ratio >= 0) h[a->ratio] += ratio;
}

const cap_ring_type cap_ring_ale0_type = {
    .name = "ale0",
    .flows = true,
    .obstacle = obstacle,
    .build = build,
    .point_at = point_at,
    .place_at = place_at,
    .vary = vary,
    .nearest_all = nearest_all,
    .crowd = crowd,
    .crowd_push = crowd_push,
};
