/* drives/pushbelt/observe/variator_carried.c — see variator_carried.h. */
#include "drives/pushbelt/observe/variator_carried.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/contact/ring_guide.h"

#include <math.h>

typedef struct cut {
  const cap_variator_probe *probe;
  const cap_data *d;
  double rate; /* 1/s, simulated elements that go through a place */
} cut;

/* Of a vector at (x, y) about the primary's axis, clockwise. */
static double moment(const cut *c, double x, double y, double fx, double fy)
{
  const cap_variator_pulley *axis = &c->probe->variator->pulley[CAP_VARIATOR_PRI];
  return (y - axis->y) * fx - (x - axis->x) * fy;
}

/* What element k gives to the next one. */
static double of_joint(const cut *c, const double *joint, int k, int next)
{
  const cap_variator *v = c->probe->variator;
  const double *q = c->d->q;
  const double behind[3] = {q[v->x + k], q[v->y + k], q[v->pitch + k]};
  const double front[3] = {q[v->x + next], q[v->y + next], q[v->pitch + next]};
  double given[3];
  cap_push_chain_give(v, k, behind, front, joint, given);
  return moment(c, behind[0], behind[1], given[0], given[1]) - given[2];
}

/* The ring pulls back, and takes its momentum along. */
static double of_ring(const cut *c, const double *guide)
{
  const cap_ring *ring = c->probe->ring;
  cap_ring_point p;
  cap_ring_point_at(ring, c->d->q, guide[CAP_RING_GUIDE_XI], &p);
  double tension = guide[CAP_RING_GUIDE_TENSION], vx = 0.0, vy = 0.0;
  for (int i = 0; i < p.ncoord; i++) {
    vx += p.J[0][i] * c->d->v[p.coord[i]];
    vy += p.J[1][i] * c->d->v[p.coord[i]];
  }
  double flow = ring->section.mass * (vx * p.t[0] + vy * p.t[1]) / (1.0 + tension / ring->section.EA);
  return moment(c, p.r[0], p.r[1], flow * vx - tension * p.t[0], flow * vy - tension * p.t[1]);
}

/* Angular momentum of an element that goes through. */
static double of_element(const cut *c, int k)
{
  const cap_variator *v = c->probe->variator;
  const double *q = c->d->q, *u = c->d->v;
  return v->iota * (v->element.mass * moment(c, q[v->x + k], q[v->y + k], u[v->x + k], u[v->y + k]) -
                    v->element.inertia * u[v->pitch + k]);
}

/* Speeds of all over distances of all: in stationary travel as many as go through any place. */
static double rate_of(const cap_variator *v, const cap_data *d)
{
  double speeds = 0.0, ways = 0.0;
  for (int k = 0, last = v->simulated - 1; k < v->simulated; last = k++) {
    speeds += hypot(d->v[v->x + k], d->v[v->y + k]);
    ways += hypot(d->q[v->x + k] - d->q[v->x + last], d->q[v->y + k] - d->q[v->y + last]);
  }
  return speeds / ways;
}

void cap_variator_carried_take(const cap_variator_probe *p, const cap_data *d, const double *force,
                               double *carried)
{
  const cap_variator *v = p->variator;
  cut c = {p, d, rate_of(v, d)};
  for (int k = 0; k < v->simulated; k++) {
    const double *joint = force + p->chain->output_adr + k * CAP_PUSH_CHAIN_NOUTPUT;
    const double *guide = force + p->guide->output_adr + k * CAP_RING_GUIDE_NOUTPUT;
    carried[k] = of_joint(&c, joint, k, k + 1 == v->simulated ? 0 : k + 1) + of_ring(&c, guide) +
                 c.rate * of_element(&c, k);
  }
}
