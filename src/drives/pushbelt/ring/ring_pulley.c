/* drives/pushbelt/ring/ring_pulley.c — see ring_pulley.h. */
#include "drives/pushbelt/ring/ring_pulley.h"
#include "base/whole.h"

#include <math.h>
#include <string.h>

typedef struct touch {
  const cap_ring *ring;
  int points;
  double share; /* m of the ring for each point */
} touch;

/* A pulley at the moment. */
typedef struct around {
  const touch *t;
  double centre[2], speed, rim; /* m; m/s along x; m/s of the rim with the travel */
  double radius, k, a, mu, v;
  int slide, rotation;
} around;

/* A point that is pressed. */
typedef struct pressed {
  cap_ring_point p;
  double n[2], e[2], dist; /* away from the axis; with the travel; m from the axis */
  double depth, into;      /* m; m/s */
  double across, glide;    /* velocity along n and over the rim along e */
  double along;            /* velocity along e, of the material against the axis */
  double force, factor;    /* N/m; 1 + a into, 0 where it would pull */
  double friction, root;   /* N/m along e; sqrt(g^2 + v^2) */
} pressed;

static around around_of(const cap_batch *b, const cap_eval *e, int n)
{
  const double *par = b->par + n * CAP_RING_PULLEY_NPARAM;
  around w = {.t = b->bodies[n],
              .centre = {par[CAP_RING_PULLEY_X], par[CAP_RING_PULLEY_Y]},
              .radius = par[CAP_RING_PULLEY_RADIUS],
              .k = par[CAP_RING_PULLEY_NORMAL],
              .a = par[CAP_RING_PULLEY_DAMPING],
              .mu = par[CAP_RING_PULLEY_FRICTION],
              .v = par[CAP_RING_PULLEY_SLIP],
              .slide = (int)par[CAP_RING_PULLEY_SLIDE],
              .rotation = (int)par[CAP_RING_PULLEY_ROTATION]};
  double turning = par[CAP_RING_PULLEY_BASE];
  if (w.slide >= 0) w.centre[0] += e->q[w.slide], w.speed = e->v ? e->v[w.slide] : 0.0;
  if (w.rotation >= 0 && e->v) turning += e->v[w.rotation];
  w.rim = turning * w.radius;
  return w;
}

static double xi_of(const touch *t, int point)
{
  return (point + 0.5) * t->share;
}

/* How deep a point is within the pulley, m; the direction from the axis to it. */
static double depth_at(const around *w, const double r[2], pressed *s)
{
  double dx = r[0] - w->centre[0], dy = r[1] - w->centre[1];
  s->dist = sqrt(dx * dx + dy * dy);
  s->n[0] = dx / s->dist, s->n[1] = dy / s->dist;
  s->e[0] = s->n[1], s->e[1] = -s->n[0];
  return w->radius - s->dist;
}

static void press(const around *w, const cap_eval *e, pressed *s)
{
  double u[2] = {-w->speed, 0.0};
  for (int c = 0; c < s->p.ncoord; c++) {
    double v = e->v[s->p.coord[c]];
    u[0] += s->p.J[0][c] * v, u[1] += s->p.J[1][c] * v;
  }
  s->across = s->n[0] * u[0] + s->n[1] * u[1];
  s->along = s->e[0] * u[0] + s->e[1] * u[1];
  s->into = -s->across;
  s->factor = fmax(1.0 + w->a * s->into, 0.0);
  s->force = w->k * s->depth * s->factor;
  s->glide = s->along - w->rim;
  s->root = sqrt(s->glide * s->glide + w->v * w->v);
  s->friction = -w->mu * s->force * s->glide / s->root;
}

/* Points that come after one which is `far` from the surface cannot reach it sooner than by the way along the
 * ring, which is stretched by less than a fifth. */
static int skip_of(const around *w, double far)
{
  return capm_whole_between(far / (1.2 * w->t->share), 0, w->t->points);
}

/* The next point from `point` on that is pressed, or the number of points. Most are far from a pulley: of
 * them places alone are looked at, and many not at all. */
static int find(const around *w, const cap_eval *e, int point, pressed *s)
{
  const cap_ring *ring = w->t->ring;
  while (point < w->t->points) {
    double r[2], r1[2], r2[2], xi = xi_of(w->t, point);
    ring->type->place_at(ring, e->q, xi, r, r1, r2);
    double dx = r[0] - w->centre[0], dy = r[1] - w->centre[1], square = dx * dx + dy * dy;
    if (square < w->radius * w->radius) {
      cap_ring_point_at(ring, e->q, xi, &s->p);
      s->depth = depth_at(w, s->p.r, s);
      if (s->depth > 0.0) {
        press(w, e, s);
        return point;
      }
    }
    point += 1 + skip_of(w, fmax(sqrt(square) - w->radius, 0.0));
  }
  return point;
}

/* The column of the coordinate by which material flows past, or -1. */
static int flow_of(const around *w, const pressed *s)
{
  for (int c = 0; w->t->ring->flow >= 0 && c < s->p.ncoord; c++)
    if (s->p.coord[c] == w->t->ring->flow) return c;
  return -1;
}

static void push(const around *w, const pressed *s, double *h, double sum[2])
{
  double share = w->t->share, f[2];
  for (int i = 0; i < 2; i++) {
    f[i] = share * (s->force * s->n[i] + s->friction * s->e[i]);
    sum[i] -= f[i];
  }
  cap_ring_push(&s->p, f, 0.0, h);
  /* what the foundation stores does not depend on the material that flows past: all along the ring the
   * springs do no work on it, and sums over points must not, either */
  int c = flow_of(w, s);
  if (c >= 0) h[s->p.coord[c]] -= share * w->k * s->depth * (s->n[0] * s->p.J[0][c] + s->n[1] * s->p.J[1][c]);
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Changes along one column of what a point feels. */
static void turn(const around *w, const cap_eval *e, const pressed *s, double xi, int column)
{
  const double *dq = e->dq + column, *dv = e->dv + column, share = w->t->share;
  const int stride = e->ncol;
  double dr[2], dJ[2][CAP_RING_COORDS], du[2] = {0.0, 0.0}, df[2];
  w->t->ring->type->vary(w->t->ring, e->q, xi, dq, stride, dr, dJ);
  if (w->slide >= 0) dr[0] -= dq[w->slide * stride], du[0] = -dv[w->slide * stride];
  for (int c = 0; c < s->p.ncoord; c++) {
    double v = e->v[s->p.coord[c]], change = dv[s->p.coord[c] * stride];
    for (int i = 0; i < 2; i++) du[i] += dJ[i][c] * v + s->p.J[i][c] * change;
  }
  double angle = (s->e[0] * dr[0] + s->e[1] * dr[1]) / s->dist; /* dn = angle e, de = -angle n */
  double depth = -(s->n[0] * dr[0] + s->n[1] * dr[1]);
  double into = -(angle * s->along + s->n[0] * du[0] + s->n[1] * du[1]);
  double glide = s->e[0] * du[0] + s->e[1] * du[1] - angle * s->across;
  double rim = w->rotation >= 0 ? dv[w->rotation * stride] * w->radius : 0.0;
  glide -= rim;
  double force = w->k * (depth * s->factor + (s->factor > 0.0 ? s->depth * w->a * into : 0.0));
  double per = w->mu / s->root,
         friction = -per * (force * s->glide + s->force * glide * w->v * w->v / (s->root * s->root));
  for (int i = 0; i < 2; i++)
    df[i] = share * ((force - s->friction * angle) * s->n[i] + (friction + s->force * angle) * s->e[i]);
  for (int c = 0; c < s->p.ncoord; c++) {
    double sum = s->p.J[0][c] * df[0] + s->p.J[1][c] * df[1];
    for (int i = 0; i < 2; i++) sum += dJ[i][c] * share * (s->force * s->n[i] + s->friction * s->e[i]);
    e->dh[s->p.coord[c] * stride + column] += sum;
  }
  int flow = flow_of(w, s);
  for (int i = 0; flow >= 0 && i < 2; i++)
    e->dh[s->p.coord[flow] * stride + column] -= share * w->k *
                                                 ((depth * s->n[i] + s->depth * angle * s->e[i]) *
                                                      s->p.J[i][flow] +
                                                  s->depth * s->n[i] * dJ[i][flow]);
  if (w->slide >= 0) e->dh[w->slide * stride + column] -= df[0];
  if (w->rotation >= 0) e->dh[w->rotation * stride + column] -= share * friction * w->radius;
}

/* ---- the type ------------------------------------------------------------------------------------------ */

typedef struct sums {
  double f[2], torque, pressed, arc, peak, glide, damping, slip;
} sums;

static void add_sums(const around *w, const pressed *s, sums *all)
{
  double share = w->t->share;
  all->torque -= share * s->friction * w->radius;
  all->pressed += share * s->force;
  all->arc += share * s->p.stretch / s->dist;
  all->peak = fmax(all->peak, s->force);
  all->glide += share * s->force * s->glide;
  all->damping += share * (s->force - w->k * s->depth) * s->into;
  all->slip -= share * s->friction * s->glide;
}

static void show(const cap_batch *b, cap_eval *e, int n, const sums *all)
{
  if (e->power) {
    e->power[b->mech_adr + 2 * n] = all->damping;
    e->power[b->mech_adr + 2 * n + 1] = all->slip;
  }
  if (!e->force) return;
  double *out = e->force + b->output_adr + n * CAP_RING_PULLEY_NOUTPUT;
  e->force[b->elem_adr + n] = all->pressed;
  out[CAP_RING_PULLEY_FX] = all->f[0];
  out[CAP_RING_PULLEY_FY] = all->f[1];
  out[CAP_RING_PULLEY_TORQUE] = all->torque;
  out[CAP_RING_PULLEY_PRESSED] = all->pressed;
  out[CAP_RING_PULLEY_ARC] = all->arc;
  out[CAP_RING_PULLEY_PEAK] = all->peak;
  out[CAP_RING_PULLEY_GLIDE] = all->pressed > 0.0 ? all->glide / all->pressed : 0.0;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  for (int n = 0; n < b->n; n++) {
    const around w = around_of(b, e, n);
    sums all = {0};
    pressed s;
    for (int point = find(&w, e, 0, &s); point < w.t->points; point = find(&w, e, point + 1, &s)) {
      push(&w, &s, e->h, all.f);
      add_sums(&w, &s, &all);
      for (int c = 0; c < e->ncol; c++) turn(&w, e, &s, xi_of(w.t, point), c);
    }
    if (w.slide >= 0) e->h[w.slide] += all.f[0];
    if (w.rotation >= 0) e->h[w.rotation] += all.torque;
    show(b, e, n, &all);
  }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++) {
    const around w = around_of(b, e, n);
    for (int point = 0; point < w.t->points; point++) {
      pressed s;
      double r[2], r1[2], r2[2];
      w.t->ring->type->place_at(w.t->ring, e->q, xi_of(w.t, point), r, r1, r2);
      double depth = depth_at(&w, r, &s);
      if (depth > 0.0) *stored += 0.5 * w.t->share * w.k * depth * depth;
      else point += skip_of(&w, -depth);
    }
  }
}

int cap_ring_pulley_add(cap_builder *b, const cap_ring *ring, const char *name, int points,
                        const double par[CAP_RING_PULLEY_NPARAM])
{
  touch *t = CAP_ARENA_NEW(cap_builder_arena(b), touch, 1);
  if (!t) return -1;
  *t = (touch){ring, points, ring->length / points};
  int handle = cap_builder_element(b, &cap_ring_pulley_type, name, ring->first, CAP_GROUND, par, NULL);
  cap_builder_body(b, handle, t);
  return handle;
}

static const cap_param params[] = {{"x", "m"},
                                   {"y", "m"},
                                   {"slide", "1"},
                                   {"rotation", "1"},
                                   {"base", "rad/s"},
                                   {"radius", "m"},
                                   {"normal stiffness", "N/m2"},
                                   {"normal damping", "s/m"},
                                   {"friction", "1"},
                                   {"slip speed", "m/s"}};

const cap_element_type cap_ring_pulley_type = {
    .name = "ring pulley",
    .doc = "contact of a ring with a round pulley inside the ring",
    .nparam = CAP_RING_PULLEY_NPARAM,
    .params = params,
    .nmech = 2,
    .mech_name = {"normal", "slip"},
    .noutput = CAP_RING_PULLEY_NOUTPUT,
    .wide = true,
    .rates = rates,
    .energy = energy,
};
