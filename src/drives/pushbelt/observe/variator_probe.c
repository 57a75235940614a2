/* drives/pushbelt/observe/variator_probe.c — see variator_probe.h. */
#include "drives/pushbelt/observe/variator_probe.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/push_chain.h"
#include "drives/pushbelt/contact/ring_guide.h"
#include "drives/pushbelt/observe/variator_carried.h"

#include <math.h>
#include <string.h>

static const cap_batch *find_batch(const cap_model *m, const char *name, int n)
{
  for (int b = 0; b < m->nbatch; b++)
    if (strncmp(m->batches[b].type->name, name, strlen(name)) == 0 && m->batches[b].n == n)
      return &m->batches[b];
  return NULL;
}

static int find_element(const cap_model *m, const char *name)
{
  for (int e = 0; e < m->nelem; e++)
    if (strcmp(m->elem_name[e], name) == 0) return e;
  return -1;
}

bool cap_variator_probe_find(cap_variator_probe *p, const cap_model *m)
{
  *p = (cap_variator_probe){.variator = cap_variator_of(m)};
  if (!cap_variator_of(m)) return false;
  int n = cap_variator_of(m)->simulated;
  p->groove = find_batch(m, "groove", n);
  p->chain = find_batch(m, "push chain", n);
  p->guide = find_batch(m, "ring guide", n);
  p->clamping = find_element(m, "secondary.clamping");
  p->torque = find_element(m, "secondary.torque");
  if (!p->groove || !p->chain || !p->guide) return false;
  p->ring = cap_ring_guide_ring(p->guide);
  return true;
}

/* What element k of a batch shows. */
static const double *shown(const cap_batch *b, const double *force, int k)
{
  return force + b->output_adr + k * b->type->noutput;
}

/* ---- one element --------------------------------------------------------------------------------------- */

/* Power of longitudinal friction and drilling on the element, as it moves itself. */
static double flank_power(const cap_variator_probe *p, const cap_data *d, const double *g, int k)
{
  int pulley = (int)g[CAP_GROOVE_PULLEY];
  if (pulley < 0) return 0.0;
  double speed = g[CAP_GROOVE_SLIDE_T] + d->v[p->variator->pulley[pulley].rotation] * g[CAP_GROOVE_RADIUS];
  return g[CAP_GROOVE_LONGITUDINAL] * speed + g[CAP_GROOVE_DRILLING] * d->v[p->variator->pitch + k];
}

static void take_flank(const cap_variator_probe *p, const cap_data *d, const double *force, int k,
                       cap_variator_sample *s)
{
  const double *g = shown(p->groove, force, k);
  double **v = s->value, real = 1.0 / s->iota;
  s->section[k] = g[CAP_GROOVE_SECTION];
  v[CAP_VARIATOR_FLANK_NORMAL][k] = real * g[CAP_GROOVE_NORMAL];
  v[CAP_VARIATOR_FLANK_LONGITUDINAL][k] = real * g[CAP_GROOVE_LONGITUDINAL];
  v[CAP_VARIATOR_FLANK_RADIAL][k] = real * g[CAP_GROOVE_RADIAL];
  v[CAP_VARIATOR_FLANK_AXIAL][k] = real * g[CAP_GROOVE_AXIAL];
  v[CAP_VARIATOR_SLIP_LONGITUDINAL][k] = g[CAP_GROOVE_SLIDE_T];
  v[CAP_VARIATOR_SLIP_RADIAL][k] = g[CAP_GROOVE_SLIDE_G];
  v[CAP_VARIATOR_LOSS_LONGITUDINAL][k] = -real * g[CAP_GROOVE_LONGITUDINAL] * g[CAP_GROOVE_SLIDE_T];
  v[CAP_VARIATOR_LOSS_RADIAL][k] = -real * g[CAP_GROOVE_RADIAL] * g[CAP_GROOVE_SLIDE_G];
  v[CAP_VARIATOR_MOMENT][k] = -real * g[CAP_GROOVE_TORQUE];
  v[CAP_VARIATOR_POWER_FLANK][k] = real * flank_power(p, d, g, k);
}

/* Speed of the saddle along the element. */
static double saddle_speed(const cap_variator *v, const cap_data *d, int k)
{
  double pitch = d->q[v->pitch + k];
  return d->v[v->x + k] * cos(pitch) + d->v[v->y + k] * sin(pitch) - d->v[v->pitch + k] * v->element.saddle;
}

static void take_ring(const cap_variator_probe *p, const cap_data *d, const double *force, int k,
                      cap_variator_sample *s)
{
  const double *g = shown(p->guide, force, k);
  double **v = s->value, real = 1.0 / s->iota;
  v[CAP_VARIATOR_SADDLE_NORMAL][k] = real * g[CAP_RING_GUIDE_NORMAL];
  v[CAP_VARIATOR_RING_TRACTION][k] = real * g[CAP_RING_GUIDE_FRICTION];
  v[CAP_VARIATOR_RING_TENSION][k] = g[CAP_RING_GUIDE_TENSION];
  v[CAP_VARIATOR_SLIP_RING][k] = g[CAP_RING_GUIDE_SLIDE];
  v[CAP_VARIATOR_LOSS_RING][k] = -real * g[CAP_RING_GUIDE_FRICTION] * g[CAP_RING_GUIDE_SLIDE];
  v[CAP_VARIATOR_POWER_RING][k] = real * g[CAP_RING_GUIDE_FRICTION] *
                                  (saddle_speed(p->variator, d, k) - g[CAP_RING_GUIDE_SLIDE]);
}

/* What a probe beside the belt feels: the outer face of the pack, over the element. */
static double face_radius(const cap_variator_probe *p, const cap_data *d, const double *force, int k)
{
  const cap_variator *v = p->variator;
  const cap_variator_pulley
      *pulley = &v->pulley[d->q[v->x + k] > 0.5 * v->centre_distance ? CAP_VARIATOR_SEC : CAP_VARIATOR_PRI];
  cap_ring_point at;
  cap_ring_point_at(p->ring, d->q, shown(p->guide, force, k)[CAP_RING_GUIDE_XI], &at);
  return hypot(at.r[0] - pulley->x, at.r[1] - pulley->y) + 0.5 * v->ring_thickness;
}

/* The push force goes through the belt: that of a real element is the same. */
static void take_push(const cap_variator_probe *p, const double *force, int k, cap_variator_sample *s)
{
  const double *g = shown(p->chain, force, k);
  double **v = s->value;
  v[CAP_VARIATOR_PUSH_EDGE][k] = g[CAP_PUSH_CHAIN_EDGE];
  v[CAP_VARIATOR_PUSH_HEAD][k] = g[CAP_PUSH_CHAIN_HEAD];
  v[CAP_VARIATOR_PUSH][k] = g[CAP_PUSH_CHAIN_EDGE] + g[CAP_PUSH_CHAIN_HEAD];
  v[CAP_VARIATOR_GAP_EDGE][k] = g[CAP_PUSH_CHAIN_EDGE_GAP] / s->iota;
  v[CAP_VARIATOR_GAP_HEAD][k] = g[CAP_PUSH_CHAIN_HEAD_GAP] / s->iota;
}

/* Angle of the centre of gravity about the nearer axis, from the middle of the arc along the travel;
 * element-sheave pitch (2.50), with the element's radial axis against the direction from that axis. Also
 * where a flank has just lost its sheave. */
static void take_place(const cap_variator_probe *p, const cap_data *d, int k, cap_variator_sample *s)
{
  const cap_variator *v = p->variator;
  bool secondary = d->q[v->x + k] > 0.5 * v->centre_distance;
  const cap_variator_pulley *pulley = &v->pulley[secondary ? CAP_VARIATOR_SEC : CAP_VARIATOR_PRI];
  double x = d->q[v->x + k] - pulley->x, y = d->q[v->y + k] - pulley->y, pitch = d->q[v->pitch + k];
  double c = cos(pitch), sn = sin(pitch), along = x * c + y * sn, out = -x * sn + y * c;
  s->nearer[k] = secondary ? CAP_VARIATOR_SEC : CAP_VARIATOR_PRI;
  s->value[CAP_VARIATOR_RADIUS][k] = hypot(x, y);
  s->value[CAP_VARIATOR_ANGLE][k] = secondary ? atan2(-y, x) : atan2(y, -x);
  s->value[CAP_VARIATOR_PITCH][k] = atan2(-along, out);
  s->value[CAP_VARIATOR_SPEED][k] = d->v[v->x + k] * c + d->v[v->y + k] * sn;
}

void cap_variator_probe_take(const cap_variator_probe *p, const cap_data *d, const double *force,
                             cap_variator_sample *s)
{
  const cap_variator *v = p->variator;
  s->t = *d->t;
  s->clamping = p->clamping < 0 ? NAN : -force[p->clamping];
  s->torque = p->torque < 0 ? NAN : -force[p->torque];
  for (int i = 0; i < CAP_VARIATOR_PULLEYS; i++) s->omega[i] = d->v[v->pulley[i].rotation];
  for (int k = 0; k < s->n; k++) {
    take_flank(p, d, force, k, s);
    take_ring(p, d, force, k, s);
    take_push(p, force, k, s);
    take_place(p, d, k, s);
    s->value[CAP_VARIATOR_RING_RADIUS][k] = face_radius(p, d, force, k);
  }
  cap_variator_carried_take(p, d, force, s->value[CAP_VARIATOR_CARRIED]);
}

/* ---- works --------------------------------------------------------------------------------------------- */

/* Mechanism `mech` of a batch whose parts are the sections, or the arcs alone. */
static void name_loss(const cap_batch *b, int mech, int of[CAP_VARIATOR_SECTIONS])
{
  for (int s = 0; s < CAP_VARIATOR_SECTIONS; s++) {
    int part = b->npart == CAP_VARIATOR_SECTIONS                ? s
               : b->npart == CAP_VARIATOR_PULLEYS && s % 2 == 0 ? s / 2
                                                                : -1;
    of[s] = part < 0 || mech >= b->type->nmech ? -1 : b->mech_adr + part * b->type->nmech + mech;
  }
}

cap_variator_levels cap_variator_probe_levels(const cap_variator_probe *p, const cap_model *m)
{
  cap_variator_levels l = {.n = m->nmech + 4 + CAP_VARIATOR_PULLEYS + 2};
  name_loss(p->groove, CAP_GROOVE_LOSS_LONGITUDINAL, l.loss[CAP_VARIATOR_LOST_LONGITUDINAL]);
  name_loss(p->groove, CAP_GROOVE_LOSS_RADIAL, l.loss[CAP_VARIATOR_LOST_RADIAL]);
  name_loss(p->groove, CAP_GROOVE_LOSS_DRILLING, l.loss[CAP_VARIATOR_LOST_DRILLING]);
  name_loss(p->groove, CAP_GROOVE_LOSS_DAMPING, l.loss[CAP_VARIATOR_LOST_FLANK_DAMPING]);
  name_loss(p->guide, CAP_RING_GUIDE_LONGITUDINAL, l.loss[CAP_VARIATOR_LOST_RING]);
  name_loss(p->guide, CAP_RING_GUIDE_DAMPING, l.loss[CAP_VARIATOR_LOST_RING_DAMPING]);
  name_loss(p->chain, CAP_PUSH_CHAIN_LOSS_FRICTION, l.loss[CAP_VARIATOR_LOST_PUSH]);
  name_loss(p->chain, CAP_PUSH_CHAIN_LOSS_DAMPING, l.loss[CAP_VARIATOR_LOST_PUSH_DAMPING]);
  l.input = m->nmech;
  l.lost = m->nmech + 1;
  l.residual = m->nmech + 2;
  l.integrator = m->nmech + 3;
  for (int i = 0; i < CAP_VARIATOR_PULLEYS; i++) l.power[i] = m->nmech + 4 + i;
  l.spin = m->nmech + 4 + CAP_VARIATOR_PULLEYS;
  l.sheave = l.spin + 1;
  return l;
}

void cap_variator_probe_momenta(const cap_variator_levels *l, const cap_variator *v, const cap_data *d,
                                double *levels)
{
  const cap_variator_pulley *p = &v->pulley[CAP_VARIATOR_SEC];
  levels[l->spin] = p->rotation < 0 ? 0.0 : p->inertia * d->v[p->rotation];
  levels[l->sheave] = p->closing < 0 ? 0.0
                                     : p->loose_mass * d->v[p->closing] + p->loose_damping * d->q[p->closing];
}
