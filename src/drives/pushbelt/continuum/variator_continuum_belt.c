/* drives/pushbelt/continuum/variator_continuum_belt.c — see variator_continuum_belt.h. */
#include "drives/pushbelt/continuum/variator_continuum_belt.h"

#include <math.h>

enum { PRI = CAP_VARIATOR_PRI, SEC = CAP_VARIATOR_SEC, UPPER = 0, LOWER = 1, PLACES = 33 };

double cap_variator_continuum_belt_inertia(const cap_variator *v, double speed)
{
  return v->element.mass / v->element.thickness * speed * speed;
}

double cap_variator_continuum_belt_ring_inertia(const cap_variator *v, double speed)
{
  return v->ring.mass * speed * speed;
}

/* ---- rings --------------------------------------------------------------------------------------------- */

/* The elements carry the ring at the speed of its line. Those on the smaller pulley would carry it faster by
 * delta (1/r_small - 1/r_large); it sticks on the larger one and is pulled through the smaller one, as soon
 * as this exceeds what its own strain can follow. */
double cap_variator_continuum_belt_growth(const cap_variator *v, const double *radius, const double *wrap,
                                          double speed, double tension, double *slip)
{
  double delta = cap_variator_geometry_ring_over_edge(v),
         ahead = delta * (1.0 / radius[PRI] - 1.0 / radius[SEC]);
  double sliding = fabs(ahead) * speed, mu = capm_friction_at(&v->contact.ring_friction, sliding, NULL);
  double full = mu * fmin(wrap[PRI], wrap[SEC]), follows = fabs(ahead) * v->ring.EA / fmax(tension, 1e-9);
  if (slip) *slip = follows < full ? 0.0 : sliding;
  return copysign(fmin(full, follows), ahead);
}

double cap_variator_continuum_belt_ring_at(const cap_variator *v, const cap_variator_continuum_point *point,
                                           int pulley, double theta)
{
  double hoop = cap_variator_continuum_belt_ring_inertia(v, point->speed);
  double wrap = point->pulley[pulley].wrap, other = point->pulley[1 - pulley].wrap;
  double in = point->ring[pulley == PRI ? LOWER : UPPER] - hoop;
  double growth = pulley == PRI ? -point->ring_growth : point->ring_growth;
  /* over the whole of the smaller arc; at the exit of the larger one, over as much */
  double active = fmin(wrap, other), since = fmax(theta - (wrap - active), 0.0);
  return hoop + in * exp(growth * since / active);
}

/* ---- compression --------------------------------------------------------------------------------------- */

static double strain_of(const capm_compression *law, double force)
{
  if (!(force > 0.0)) return 0.0;
  double bend = law->a * expm1(law->k * law->xi0);
  return force < bend ? log1p(force / law->a) / law->k : law->xi0 + (force - bend) / law->c;
}

typedef struct belt {
  const cap_variator *v;
  cap_variator_continuum_point *point;
  capm_compression law;
  double hoop, inertia, kappa;
  double net[CAP_VARIATOR_PULLEYS][PLACES]; /* N along the arcs */
  double rolling, stack;                    /* m */
} belt;

static double mean_strain(const belt *b, int pulley)
{
  double sum = 0.0, wrap = b->point->pulley[pulley].wrap;
  for (int k = 0; k < PLACES; k++) {
    double ring = cap_variator_continuum_belt_ring_at(b->v, b->point, pulley, wrap * k / (PLACES - 1));
    double push = ring - b->hoop - b->inertia - b->net[pulley][k];
    sum += strain_of(&b->law, push) * (k == 0 || k == PLACES - 1 ? 0.5 : 1.0);
  }
  return sum / (PLACES - 1);
}

/* Forces of the strands when the one that pushes less does so with `least`; returns the endplay. */
static double load(belt *b, double least)
{
  cap_variator_continuum_point *p = b->point;
  double c = b->inertia, upper = (p->net[LOWER] + c) / b->kappa - p->net[UPPER] - c;
  if (upper >= 0.0) {
    p->push[LOWER] = least;
    p->push[UPPER] = (p->net[LOWER] + c + least) / b->kappa - p->net[UPPER] - c;
  } else {
    p->push[UPPER] = least;
    p->push[LOWER] = (p->net[UPPER] + c + least) * b->kappa - p->net[LOWER] - c;
  }
  for (int s = 0; s < 2; s++) p->ring[s] = p->net[s] + c + p->push[s] + b->hoop;
  double strain[CAP_VARIATOR_PULLEYS] = {mean_strain(b, PRI), mean_strain(b, SEC)};
  p->stretch = b->v->ring_length * 0.5 * (p->ring[UPPER] + p->ring[LOWER]) / b->v->ring.EA;
  p->compression = p->strand * (strain_of(&b->law, p->push[UPPER]) + strain_of(&b->law, p->push[LOWER]));
  for (int k = 0; k < CAP_VARIATOR_PULLEYS; k++)
    p->compression += p->pulley[k].radius * p->pulley[k].wrap * strain[k];
  p->slip_chain = (1.0 - strain[PRI]) / (1.0 - strain[SEC]) - 1.0;
  double room = b->v->ring_length + p->stretch - 2.0 * M_PI * cap_variator_geometry_ring_over_edge(b->v);
  return room - b->stack - b->rolling + p->compression;
}

/* The push force that closes a belt without endplay, by the method of Illinois. */
static void prestress(belt *b, double lack)
{
  double low = 0.0, high = 500.0, below = lack, above = load(b, high);
  for (; above < 0.0 && high < 1e9; above = load(b, high)) low = high, below = above, high *= 2.0;
  double now = high;
  for (int k = 0, side = 0; k < 100; k++) {
    now = (low * above - high * below) / (above - below);
    double gap = load(b, now);
    if (fabs(gap) < 1e-13) break;
    if (gap < 0.0) {
      low = now, below = gap;
      if (side < 0) above *= 0.5;
      side = -1;
    } else {
      high = now, above = gap;
      if (side > 0) below *= 0.5;
      side = 1;
    }
  }
  b->point->prestress = now;
}

double cap_variator_continuum_belt_fill(const cap_variator *v, const cap_variator_continuum_rule *rule,
                                        cap_variator_continuum_point *point)
{
  const cap_variator_press *press = &v->contact.edge;
  belt b = {.v = v,
            .point = point,
            .law = capm_compression_of(press->c, press->xi0, press->k),
            .hoop = cap_variator_continuum_belt_ring_inertia(v, point->speed),
            .inertia = cap_variator_continuum_belt_inertia(v, point->speed),
            .stack = cap_variator_geometry_stack(v)};
  double radius[CAP_VARIATOR_PULLEYS], wrap[CAP_VARIATOR_PULLEYS],
      thickness = b.stack / (v->simulated * cap_variator_geometry_joints(v));
  for (int p = 0; p < CAP_VARIATOR_PULLEYS; p++) {
    cap_variator_continuum_profile curve = {.log_force = b.net[p]};
    radius[p] = point->pulley[p].radius, wrap[p] = point->pulley[p].wrap;
    cap_variator_continuum_arc_curve(rule, &point->pulley[p].arc, PLACES, &curve);
    for (int k = 0; k < PLACES; k++) b.net[p][k] = point->net[p == PRI ? LOWER : UPPER] * exp(b.net[p][k]);
    b.rolling += 0.5 * v->element.edge_radius * thickness * wrap[p] / radius[p];
  }
  double tension = 0.5 * (point->net[UPPER] + point->net[LOWER]) + b.inertia;
  point->ring_growth = cap_variator_continuum_belt_growth(v, radius, wrap, point->speed, tension,
                                                          &point->ring_slip);
  b.kappa = exp(point->ring_growth);
  point->prestress = 0.0;
  point->endplay = load(&b, 0.0);
  if (point->endplay < 0.0) {
    prestress(&b, point->endplay);
    point->endplay = 0.0;
  }
  return v->ring_length + point->stretch;
}
