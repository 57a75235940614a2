/* drives/pushbelt/contact/slot.c — see slot.h. */
#include "drives/pushbelt/contact/slot.h"

enum { A, B, NODES, SEARCHES = 12 };

typedef struct vec {
  double x, y;
} vec;

static inline double dot(vec a, vec b)
{
  return a.x * b.x + a.y * b.y;
}
static inline vec sub(vec a, vec b)
{
  return (vec){a.x - b.x, a.y - b.y};
}
static inline vec add_scaled(vec a, double s, vec b)
{
  return (vec){a.x + s * b.x, a.y + s * b.y};
}
static inline vec across(vec a)
{
  return (vec){-a.y, a.x};
}

/* ---- law ----------------------------------------------------------------------------------------------- */

/* max(x, 0), rounded within +-w: value, slope, curvature, integral. */
typedef struct rounded {
  double value, slope, curvature, integral;
} rounded;

static rounded round_off(double x, double w)
{
  if (x <= -w) return (rounded){0};
  if (x >= w) return (rounded){x, 1.0, 0.0, 0.5 * x * x + w * w / 6.0};
  double y = x + w;
  return (rounded){0.25 * y * y / w, 0.5 * y / w, 0.5 / w, y * y * y / (12.0 * w)};
}

typedef struct law {
  double play, saddle, ear, hold, width, damping;
} law;

typedef struct hold_value {
  double force, stiffness, stiffening, energy; /* N = -V', V'', V''', V */
} hold_value;

static hold_value hold_at(const law *p, double z)
{
  const rounded below = round_off(-z - p->width, p->width),
                above = round_off(z - p->play - p->width, p->width);
  return (hold_value){p->saddle * below.value - p->ear * above.value - p->hold * z,
                      p->saddle * below.slope + p->ear * above.slope + p->hold,
                      p->ear * above.curvature - p->saddle * below.curvature,
                      p->saddle * below.integral + p->ear * above.integral + 0.5 * p->hold * z * z};
}

/* ---- geometry ------------------------------------------------------------------------------------------ */

/* Weights of places and of tangents (with l) of the nodes, and their first two derivatives. */
typedef struct weights {
  double place[3][NODES], tangent[3][NODES];
} weights;

static weights weights_at(double u, double l)
{
  double u2 = u * u, u3 = u2 * u;
  return (weights){{{2.0 * u3 - 3.0 * u2 + 1.0, 3.0 * u2 - 2.0 * u3},
                    {6.0 * u2 - 6.0 * u, 6.0 * u - 6.0 * u2},
                    {12.0 * u - 6.0, 6.0 - 12.0 * u}},
                   {{l * (u3 - 2.0 * u2 + u), l * (u3 - u2)},
                    {l * (3.0 * u2 - 4.0 * u + 1.0), l * (3.0 * u2 - 2.0 * u)},
                    {l * (6.0 * u - 4.0), l * (6.0 * u - 2.0)}}};
}

typedef struct seat {
  cap_pose_map map;
  cap_pose body;
  law law;
  double half, length;
  vec at[NODES], e[NODES], v[NODES]; /* places, tangents, velocities of the nodes */
  double w[NODES];
  vec lever, p, pv;       /* saddle: from the origin, its place, its velocity */
  double u;               /* nearest point */
  weights k;              /* there */
  vec r, r1, r2, rv, rv1; /* place, derivatives along u; velocity, its derivative */
  vec t, n;
  double long_r1, bend; /* |r'|, slope of (p - r) . r' */
  double z, rate;
  hold_value value;
  double force;
} seat;

static vec blend(const seat *s, int derivative)
{
  vec r = {0};
  for (int m = A; m <= B; m++) {
    r = add_scaled(r, s->k.place[derivative][m], s->at[m]);
    r = add_scaled(r, s->k.tangent[derivative][m], s->e[m]);
  }
  return r;
}

static vec blend_velocity(const seat *s, int derivative)
{
  vec r = {0};
  for (int m = A; m <= B; m++) {
    r = add_scaled(r, s->k.place[derivative][m], s->v[m]);
    r = add_scaled(r, s->k.tangent[derivative][m] * s->w[m], across(s->e[m]));
  }
  return r;
}

static void find_nearest(seat *s)
{
  s->u = 0.5;
  for (int k = 0; k < SEARCHES; k++) {
    s->k = weights_at(s->u, s->length);
    s->r = blend(s, 0);
    s->r1 = blend(s, 1);
    s->r2 = blend(s, 2);
    vec apart = sub(s->p, s->r);
    s->bend = dot(apart, s->r2) - dot(s->r1, s->r1);
    double step = dot(apart, s->r1) / s->bend;
    if (!(fabs(step) > 1e-15)) break;
    s->u -= step;
  }
}

static void read_seat(const cap_batch *b, const cap_eval *e, int k, int lane, seat *s)
{
  int n = e->nlane;
  const double *par = b->par + (long)k * CAP_SLOT_NPARAM * n + lane;
  const double *q = e->q + b->j[k] * n + lane, *v = e->v + b->j[k] * n + lane;
  s->map = cap_pose_map_of(par + CAP_SLOT_POSE * n, n);
  s->body = cap_pose_at(&s->map, e->q + b->i[k] * n + lane, e->v + b->i[k] * n + lane, n);
  s->law = (law){par[CAP_SLOT_PLAY * n], par[CAP_SLOT_SADDLE * n], par[CAP_SLOT_EAR * n],
                 par[CAP_SLOT_HOLD * n], par[CAP_SLOT_WIDTH * n],  par[CAP_SLOT_DAMPING * n]};
  s->half = par[CAP_SLOT_HALF * n];
  s->length = par[CAP_SLOT_LENGTH * n];
  for (int m = A; m <= B; m++, q += 3 * n, v += 3 * n) {
    s->at[m] = (vec){q[0], q[n]};
    s->e[m] = (vec){cos(q[2 * n]), sin(q[2 * n])};
    s->v[m] = (vec){v[0], v[n]};
    s->w[m] = v[2 * n];
  }
  double height = par[CAP_SLOT_HEIGHT * n];
  s->lever = (vec){-height * s->body.s, height * s->body.c};
  s->p = (vec){s->body.x + s->lever.x, s->body.y + s->lever.y};
  s->pv = add_scaled((vec){s->body.vx, s->body.vy}, s->body.w, across(s->lever));
}

static void evaluate(seat *s)
{
  find_nearest(s);
  s->long_r1 = sqrt(dot(s->r1, s->r1));
  s->t = (vec){s->r1.x / s->long_r1, s->r1.y / s->long_r1};
  s->n = across(s->t);
  s->rv = blend_velocity(s, 0);
  s->rv1 = blend_velocity(s, 1);
  s->z = dot(sub(s->r, s->p), s->n) - s->half;
  s->rate = dot(sub(s->rv, s->pv), s->n);
  s->value = hold_at(&s->law, s->z);
  s->force = s->value.force - s->law.damping * s->value.stiffness * s->rate;
}

/* ---- forces -------------------------------------------------------------------------------------------- */

static void push(const cap_batch *b, cap_eval *e, int k, int lane, const seat *s)
{
  int n = e->nlane;
  double *h = e->h + b->j[k] * n + lane;
  for (int m = A; m <= B; m++, h += 3 * n) {
    h[0] += s->force * s->k.place[0][m] * s->n.x;
    h[n] += s->force * s->k.place[0][m] * s->n.y;
    h[2 * n] += s->force * s->k.tangent[0][m] * dot(s->n, across(s->e[m]));
  }
  double fx = -s->force * s->n.x, fy = -s->force * s->n.y;
  cap_pose_push(&s->map, &s->body, fx, fy, s->lever.x * fy - s->lever.y * fx, e->h + b->i[k] * n + lane, n);
}

static void show(const cap_batch *b, cap_eval *e, int k, int lane, const seat *s)
{
  int n = e->nlane;
  if (e->force) {
    double *out = e->force + (b->output_adr + k * CAP_SLOT_NOUTPUT) * n + lane;
    e->force[(b->elem_adr + k) * n + lane] = s->force;
    out[CAP_SLOT_LIFT * n] = s->z;
    out[CAP_SLOT_ALONG * n] = cap_pose_along(&s->map, &s->body, -s->force * s->n.x, -s->force * s->n.y);
    out[CAP_SLOT_PLACE * n] = s->u;
  }
  if (e->power) {
    double loss = s->law.damping * s->value.stiffness * s->rate * s->rate;
    if (b->npart) e->power[b->mech_adr] += loss; /* one lane */
    else e->power[(b->mech_adr + k) * n + lane] = loss;
  }
}

/* Along one direction; dq, dv, dh: of the first coordinates of body and node A, `step` apart. */
static void turn(const seat *s, const double *bq, const double *bv, const double *rq, const double *rw,
                 double *dh_body, double *dh_ring, long step)
{
  const cap_pose_change d = cap_pose_turn(&s->map, &s->body, bq, bv, step);
  const vec dlever = {-s->lever.y * d.pitch, s->lever.x * d.pitch};
  const vec dp = {d.x + dlever.x, d.y + dlever.y};
  const vec dpv = {d.vx - s->lever.y * d.w - dlever.y * s->body.w,
                   d.vy + s->lever.x * d.w + dlever.x * s->body.w};
  vec dr = {0}, dr1 = {0}, drv = {0};
  for (int m = A; m <= B; m++) {
    const double *q = rq + 3 * m * step, *v = rw + 3 * m * step;
    const vec place = {q[0], q[step]}, speed = {v[0], v[step]}, side = across(s->e[m]);
    dr = add_scaled(add_scaled(dr, s->k.place[0][m], place), s->k.tangent[0][m] * q[2 * step], side);
    dr1 = add_scaled(add_scaled(dr1, s->k.place[1][m], place), s->k.tangent[1][m] * q[2 * step], side);
    drv = add_scaled(add_scaled(drv, s->k.place[0][m], speed), s->k.tangent[0][m] * v[2 * step], side);
    drv = add_scaled(drv, -s->k.tangent[0][m] * s->w[m] * q[2 * step], s->e[m]);
  }
  const double du = -(dot(sub(dp, dr), s->r1) + dot(sub(s->p, s->r), dr1)) / s->bend;
  const double angle = dot(s->n, add_scaled(dr1, du, s->r2)) / s->long_r1;
  const double dz = dot(s->n, sub(dr, dp));
  const double drate = -angle * dot(s->t, sub(s->rv, s->pv)) +
                       dot(s->n, sub(add_scaled(drv, du, s->rv1), dpv));
  const double df = -s->value.stiffness * dz -
                    s->law.damping * (s->value.stiffening * dz * s->rate + s->value.stiffness * drate);
  /* d(force n) */
  const vec change = {df * s->n.x - s->force * angle * s->t.x, df * s->n.y - s->force * angle * s->t.y};
  const vec f = {s->force * s->n.x, s->force * s->n.y};
  for (int m = A; m <= B; m++) {
    const double place = s->k.place[0][m], moved = s->k.place[1][m] * du, spin = rq[(3 * m + 2) * step];
    const vec side = across(s->e[m]);
    double *h = dh_ring + 3 * m * step;
    h[0] += place * change.x + moved * f.x;
    h[step] += place * change.y + moved * f.y;
    h[2 * step] += s->k.tangent[0][m] * (dot(change, side) - dot(f, s->e[m]) * spin) +
                   s->k.tangent[1][m] * du * dot(f, side);
  }
  const double moment = -(s->lever.x * change.y - s->lever.y * change.x) - (dlever.x * f.y - dlever.y * f.x);
  cap_pose_push_turn(&s->map, &s->body, &d, -f.x, -f.y, -change.x, -change.y, moment, dh_body, step);
}

static void tangents(const cap_batch *b, cap_eval *e, int k, int lane, const seat *s)
{
  long step = (long)e->ncol * e->nlane, body = b->i[k] * step + lane, ring = b->j[k] * step + lane;
  for (int c = 0; c < e->ncol; c++, body += e->nlane, ring += e->nlane)
    turn(s, e->dq + body, e->dv + body, e->dq + ring, e->dv + ring, e->dh + body, e->dh + ring, step);
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (e->power && b->npart) e->power[b->mech_adr] = 0.0;
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) {
      seat s;
      read_seat(b, e, k, lane, &s);
      evaluate(&s);
      push(b, e, k, lane, &s);
      show(b, e, k, lane, &s);
      if (e->ncol) tangents(b, e, k, lane, &s);
    }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) {
      seat s;
      read_seat(b, e, k, lane, &s);
      evaluate(&s);
      stored[lane] += s.value.energy;
    }
}

static int reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  const cap_pose_map map = cap_pose_map_of(b->par + (long)k * CAP_SLOT_NPARAM * b->nlane, b->nlane);
  int n = 0;
  for (int c = 0; c < cap_pose_ncoord(&map); c++) coords[n++] = b->i[k] + c;
  for (int c = 0; c < 3 * NODES; c++) coords[n++] = b->j[k] + c;
  return n;
}

static const cap_param params[] = {{"hinged", "1"},
                                   {"hinge x", "m"},
                                   {"hinge y", "m"},
                                   {"side of the hinge", "1"},
                                   {"offset", "m"},
                                   {"height of the saddle", "m"},
                                   {"half thickness of the ring", "m"},
                                   {"play", "m"},
                                   {"stiffness of the saddle", "N/m"},
                                   {"stiffness of the ear", "N/m"},
                                   {"stiffness in the play", "N/m"},
                                   {"width of the rounding", "m"},
                                   {"damping", "s"},
                                   {"length between the nodes", "m"}};

const cap_element_type cap_slot_type = {
    .name = "slot",
    .doc = "guidance of an element of a pushbelt on a ring of beams, between saddle and ear",
    .nparam = CAP_SLOT_NPARAM,
    .params = params,
    .noutput = CAP_SLOT_NOUTPUT,
    .nmech = 1,
    .mech_name = {"damping"},
    .wide = true,
    .rates = rates,
    .reach = reach,
    .energy = energy,
};
