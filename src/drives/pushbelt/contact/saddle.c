/* drives/pushbelt/contact/saddle.c — see saddle.h. */
#include "drives/pushbelt/contact/saddle.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* ---- where --------------------------------------------------------------------------------------------- */

static double distance2(const cap_ring *ring, const double *q, double xi, const double place[2])
{
  double r[2], r1[2], r2[2];
  ring->type->place_at(ring, q, xi, r, r1, r2);
  return (place[0] - r[0]) * (place[0] - r[0]) + (place[1] - r[1]) * (place[1] - r[1]);
}

/* The nearest of many points all around. */
static double scan(const cap_ring *ring, const double *q, const double place[2])
{
  enum { MANY = 128 };
  double best = INFINITY, at = 0.0;
  for (int k = 0; k < MANY; k++) {
    double xi = ring->length * k / MANY, far = distance2(ring, q, xi, place);
    if (far < best) best = far, at = xi;
  }
  return at;
}

void cap_saddle_find(const cap_saddle_point *p, const double *q, double *hint, cap_saddle_place *at)
{
  double c = cos(q[p->coord[2]]), s = sin(q[p->coord[2]]);
  at->arm[0] = c * p->a[0] - s * p->a[1];
  at->arm[1] = s * p->a[0] + c * p->a[1];
  at->place[0] = q[p->coord[0]] + at->arm[0];
  at->place[1] = q[p->coord[1]] + at->arm[1];
  bool warm = hint && *hint > 0.0;
  double start = warm ? *hint - p->ring->length : scan(p->ring, q, at->place);
  at->xi = cap_ring_nearest(p->ring, q, at->place, start);
  if (hint) *hint = at->xi + p->ring->length; /* never 0 */
  cap_ring_point_at(p->ring, q, at->xi, &at->on);
  at->n[0] = -at->on.t[1];
  at->n[1] = at->on.t[0];
  at->d = (at->place[0] - at->on.r[0]) * at->n[0] + (at->place[1] - at->on.r[1]) * at->n[1];
  at->gap = -p->side * at->d - p->half_thick;
}

/* ---- velocities and forces ----------------------------------------------------------------------------- */

void cap_saddle_velocity(const cap_saddle_point *p, const cap_saddle_place *at, const double *v,
                         double g[CAP_SADDLE_ROWS])
{
  const cap_ring_point *on = &at->on;
  double w = v[p->coord[2]], turn = 0.0;
  double u[2] = {v[p->coord[0]] - w * at->arm[1], v[p->coord[1]] + w * at->arm[0]};
  for (int k = 0; k < on->ncoord; k++) {
    double own = v[on->coord[k]];
    u[0] -= on->J[0][k] * own;
    u[1] -= on->J[1][k] * own;
    turn += on->turn[k] * own;
  }
  g[0] = -p->side * (at->n[0] * u[0] + at->n[1] * u[1]);
  g[1] = on->t[0] * u[0] + on->t[1] * u[1] + at->d * turn;
}

void cap_saddle_push(const cap_saddle_point *p, const cap_saddle_place *at, const double f[CAP_SADDLE_ROWS],
                     double *h)
{
  double force[2], back[2];
  for (int i = 0; i < 2; i++) {
    force[i] = -p->side * at->n[i] * f[0] + at->on.t[i] * f[1];
    back[i] = -force[i];
  }
  h[p->coord[0]] += force[0];
  h[p->coord[1]] += force[1];
  h[p->coord[2]] += at->arm[0] * force[1] - at->arm[1] * force[0];
  cap_ring_push(&at->on, back, at->d * f[1], h);
}

int cap_saddle_jacobian(const cap_saddle_point *p, const cap_saddle_place *at, int coord[CAP_SADDLE_COORDS],
                        double J[CAP_SADDLE_ROWS][CAP_SADDLE_COORDS])
{
  const cap_ring_point *on = &at->on;
  const double *direction[CAP_SADDLE_ROWS] = {at->n, on->t}, sign[CAP_SADDLE_ROWS] = {-p->side, 1.0};
  memcpy(coord, p->coord, sizeof p->coord);
  memcpy(coord + 3, on->coord, sizeof(int) * (size_t)on->ncoord);
  for (int r = 0; r < CAP_SADDLE_ROWS; r++) {
    const double *e = direction[r];
    J[r][0] = sign[r] * e[0];
    J[r][1] = sign[r] * e[1];
    J[r][2] = sign[r] * (at->arm[0] * e[1] - at->arm[1] * e[0]);
    for (int k = 0; k < on->ncoord; k++)
      J[r][3 + k] = -sign[r] * (e[0] * on->J[0][k] + e[1] * on->J[1][k]) + (r ? at->d * on->turn[k] : 0.0);
  }
  return 3 + on->ncoord;
}

/* ---- the smooth element -------------------------------------------------------------------------------- */

typedef struct contact {
  cap_saddle_point point;
  cap_saddle_place at;
  capm_stick stick;
  capm_stick_result friction;
  double k, damping, z, g[CAP_SADDLE_ROWS];
  double normal, spring; /* N; the part of the spring alone */
  double f[CAP_SADDLE_ROWS];
} contact;

static void read_element(const cap_batch *b, int n, contact *c)
{
  const double *par = b->par + n * CAP_SADDLE_NPARAM, iota = par[CAP_SADDLE_IOTA];
  c->point = (cap_saddle_point){.ring = b->bodies[n],
                                .coord = {b->i[n], (int)par[CAP_SADDLE_Y], (int)par[CAP_SADDLE_PITCH]},
                                .a = {par[CAP_SADDLE_AX], par[CAP_SADDLE_AY]},
                                .side = par[CAP_SADDLE_SIDE],
                                .half_thick = 0.5 * par[CAP_SADDLE_THICKNESS]};
  c->stick = (capm_stick){.k = iota * par[CAP_SADDLE_STICK],
                          .d = iota * par[CAP_SADDLE_STICK_DAMPING],
                          .friction = {.mu_static = par[CAP_SADDLE_MU_STATIC],
                                       .mu_kinetic = par[CAP_SADDLE_MU_KINETIC],
                                       .v_stribeck = par[CAP_SADDLE_V_STRIBECK]},
                          .width = par[CAP_SADDLE_WIDTH]};
  c->k = iota * par[CAP_SADDLE_STIFFNESS];
  c->damping = par[CAP_SADDLE_DAMPING];
}

/* Law at the place, with velocities g and deflection z. */
static void evaluate(contact *c)
{
  double depth = c->at.gap < 0.0 ? -c->at.gap : 0.0;
  c->spring = c->k * depth;
  c->normal = c->spring * fmax(0.0, 1.0 - c->damping * c->g[0]);
  capm_stick_evaluate(&c->stick, 1, &c->z, &c->g[1], c->normal, &c->friction);
  c->f[0] = c->normal;
  c->f[1] = -c->friction.force[0];
}

/* Changes of the forces and of the deflection's rate from those of velocities and deflection alone. */
static void by_velocity(const contact *c, const double dg[CAP_SADDLE_ROWS], double dz,
                        double df[CAP_SADDLE_ROWS], double *drate)
{
  bool pressed = 1.0 - c->damping * c->g[0] > 0.0;
  const capm_stick_result *r = &c->friction;
  df[0] = pressed ? -c->spring * c->damping * dg[0] : 0.0;
  df[1] = -(r->force_g[0][0] * dg[1] + r->force_z[0][0] * dz + r->force_n[0] * df[0]);
  *drate = r->rate_g[0][0] * dg[1] + r->rate_z[0][0] * dz + r->rate_n[0] * df[0];
}

/* Scratch for differences: positions moved, and the forces there. */
typedef struct beside {
  double *q, *h; /* [n] */
  int n;
} beside;

/* Coordinates of the contact: the element's three, then the ring's. */
static int count_of(const contact *c)
{
  return 3 + c->point.ring->ncoord;
}

static int coord_of(const contact *c, int k)
{
  return k < 3 ? c->point.coord[k] : c->point.ring->first + k - 3;
}

/* A step along a column that moves neither point by more than 3e-9 m: between rounding of the gap (1e-17 m)
 * and the size of depths. 0 = it moves none. */
static double step_of(const contact *c, const cap_eval *e, int column)
{
  const cap_ring_point *on = &c->at.on;
  const double *dq = e->dq + column, arm = hypot(c->at.arm[0], c->at.arm[1]);
  double most = fmax(fabs(dq[c->point.coord[0] * e->ncol]), fabs(dq[c->point.coord[1] * e->ncol]));
  most = fmax(most, arm * fabs(dq[c->point.coord[2] * e->ncol]));
  for (int k = 0; k < on->ncoord; k++)
    most = fmax(most, hypot(on->J[0][k], on->J[1][k]) * fabs(dq[on->coord[k] * e->ncol]));
  return most > 0.0 ? 3e-9 / most : 0.0;
}

/* The forces where q is moved along a column by `step`, times `factor`, added to there->h; returns the rate
 * of the deflection, times `factor`. */
static double moved(const contact *c, const cap_eval *e, int column, double step, double factor,
                    const beside *there)
{
  contact other = *c;
  double hint = c->at.xi + c->point.ring->length;
  for (int k = 0; k < count_of(c); k++) {
    int i = coord_of(c, k);
    there->q[i] = e->q[i] + step * e->dq[i * e->ncol + column];
  }
  cap_saddle_find(&other.point, there->q, &hint, &other.at);
  cap_saddle_velocity(&other.point, &other.at, e->v, other.g);
  evaluate(&other);
  for (int r = 0; r < CAP_SADDLE_ROWS; r++) other.f[r] *= factor;
  cap_saddle_push(&other.point, &other.at, other.f, there->h);
  return factor * other.friction.rate[0];
}

/* The ring's point is known by value only: derivatives to positions are differences. */
static double by_position(const contact *c, cap_eval *e, int column, const beside *there)
{
  double step = step_of(c, e, column);
  if (step == 0.0) return 0.0;
  for (int k = 0; k < count_of(c); k++) there->h[coord_of(c, k)] = 0.0;
  double rate = moved(c, e, column, step, 0.5 / step, there) + moved(c, e, column, -step, -0.5 / step, there);
  for (int k = 0; k < count_of(c); k++) {
    int i = coord_of(c, k);
    e->dh[i * e->ncol + column] += there->h[i];
  }
  return rate;
}

static void tangent(const cap_batch *b, cap_eval *e, int n, const contact *c, const beside *there)
{
  int coord[CAP_SADDLE_COORDS], state = b->x_adr + n;
  double J[CAP_SADDLE_ROWS][CAP_SADDLE_COORDS];
  int count = cap_saddle_jacobian(&c->point, &c->at, coord, J);
  for (int column = 0; column < e->ncol; column++) {
    double dg[CAP_SADDLE_ROWS] = {0}, df[CAP_SADDLE_ROWS], rate;
    for (int r = 0; r < CAP_SADDLE_ROWS; r++)
      for (int k = 0; k < count; k++) dg[r] += J[r][k] * e->dv[coord[k] * e->ncol + column];
    by_velocity(c, dg, e->dx[state * e->ncol + column], df, &rate);
    for (int k = 0; k < count; k++) e->dh[coord[k] * e->ncol + column] += J[0][k] * df[0] + J[1][k] * df[1];
    e->dxdot[state * e->ncol + column] = rate + by_position(c, e, column, there);
  }
}

static void show(const cap_batch *b, const cap_eval *e, int n, const contact *c)
{
  double *out = e->force + b->output_adr + (ptrdiff_t)n * CAP_SADDLE_NOUTPUT;
  e->force[b->elem_adr + n] = c->normal;
  out[CAP_SADDLE_GAP] = c->at.gap;
  out[CAP_SADDLE_SLIDE] = c->g[1];
  out[CAP_SADDLE_FRICTION] = c->f[1];
  out[CAP_SADDLE_XI] = c->at.xi;
}

/* Room for the coordinates of all contacts of the batch; without memory there are no tangents. */
static beside scratch(const cap_batch *b)
{
  beside there = {0};
  for (int n = 0; n < b->n; n++) {
    contact c;
    read_element(b, n, &c);
    for (int k = 0; k < count_of(&c); k++)
      there.n = coord_of(&c, k) < there.n ? there.n : coord_of(&c, k) + 1;
  }
  there.q = malloc(2 * sizeof(double) * (size_t)there.n);
  there.h = there.q ? there.q + there.n : NULL;
  return there;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  beside there = {0};
  if (e->ncol) there = scratch(b);
  for (int n = 0; n < b->n; n++) {
    contact c;
    read_element(b, n, &c);
    c.z = e->x[b->x_adr + n];
    cap_saddle_find(&c.point, e->q, e->warm ? e->warm + b->warm_adr + n : NULL, &c.at);
    cap_saddle_velocity(&c.point, &c.at, e->v, c.g);
    evaluate(&c);
    cap_saddle_push(&c.point, &c.at, c.f, e->h);
    e->xdot[b->x_adr + n] = c.friction.rate[0];
    if (there.q) tangent(b, e, n, &c, &there);
    else if (e->ncol) e->dxdot[(b->x_adr + n) * e->ncol] = NAN;
    if (e->force) show(b, e, n, &c);
    if (e->power) {
      e->power[b->mech_adr + 2 * n] = (c.spring - c.normal) * c.g[0] + c.friction.damping;
      e->power[b->mech_adr + 2 * n + 1] = c.friction.slip;
    }
    if (e->decay) e->decay[b->x_adr + n] = fabs(c.friction.rate_z[0][0]);
  }
  free(there.q);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int n = 0; n < b->n; n++) {
    contact c;
    read_element(b, n, &c);
    cap_saddle_find(&c.point, e->q, NULL, &c.at);
    double depth = fmax(0.0, -c.at.gap);
    *stored += 0.5 * c.k * depth * depth + capm_stick_energy(&c.stick, 1, &e->x[b->x_adr + n]);
  }
}

static const cap_param params[] = {{"y", "1"},
                                   {"pitch", "1"},
                                   {"point x", "m"},
                                   {"point y", "m"},
                                   {"side", "1"},
                                   {"thickness", "m"},
                                   {"stiffness", "N/m"},
                                   {"iota", "1"},
                                   {"damping", "s/m"},
                                   {"stick stiffness", "N/m"},
                                   {"stick damping", "N s/m"},
                                   {"mu static", "1"},
                                   {"mu kinetic", "1"},
                                   {"stribeck speed", "m/s"},
                                   {"width", "1"}};

const cap_element_type cap_saddle_type = {
    .name = "saddle",
    .doc = "unilateral contact of saddle or ear of an element with a ring, with friction",
    .nparam = CAP_SADDLE_NPARAM,
    .params = params,
    .nstate = 1,
    .state_unit = "m",
    .nmech = 2,
    .mech_name = {"damping", "slip"},
    .noutput = CAP_SADDLE_NOUTPUT,
    .wide = true,
    .nwarm_each = 1, /* of the data, not scratch: from where Newton starts is in the last bits of xi */
    .rates = rates,
    .energy = energy,
};
