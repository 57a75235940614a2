/* drives/accessory/elements/belt_contact.c — contact of the curved segments of a belt with the pulleys.
 *
 * Maths: docs/theory.md §27. With d = x2 - x1, d' = d turned by +90 degrees, th_k the slopes of the beam:
 *   p  = x1 + xi d + eta d',   eta = H1 th1 + H2 th2,   H1 = xi (1 - xi)^2,   H2 = -xi^2 (1 - xi)
 *   dp = dx1 + xi dd + eta dd' + d' (H1 dphi1 + H2 dphi2 - (H1 + H2) da),   da = (d x dd)/L^2
 * Forces on the nodes by the exact transpose. At a point, with n from the centre of the pulley to it and
 * t = side (-n_y, n_x) along the travel: normal force lc (k gap + c ramp(gap) gap'), never pulling;
 * tangential force by laws/stick.h over the velocity t . (v_p - v_c) - R omega.
 */
#include "drives/accessory/elements/belt_elements.h"
#include "drives/accessory/elements/belt_touch.h"
#include "elements/elements.h"
#include "laws/stick.h"

#include <math.h>

enum { POINTS = CAP_BELT_CONTACT_POINTS };

typedef struct vec {
  double x, y;
} vec;

CAP_INLINE vec add(vec a, vec b)
{
  return (vec){a.x + b.x, a.y + b.y};
}
CAP_INLINE vec sub(vec a, vec b)
{
  return (vec){a.x - b.x, a.y - b.y};
}
CAP_INLINE vec scaled(double f, vec a)
{
  return (vec){f * a.x, f * a.y};
}
CAP_INLINE vec turned(vec a) /* by +90 degrees */
{
  return (vec){-a.y, a.x};
}
CAP_INLINE double dot(vec a, vec b)
{
  return a.x * b.x + a.y * b.y;
}
CAP_INLINE double cross(vec a, vec b)
{
  return a.x * b.y - a.y * b.x;
}
CAP_INLINE vec at(const double *a, int i)
{
  return (vec){a[i], a[i + 1]};
}

/* Where the points are on the segment: in the middles of equal parts of it. */
typedef struct shape {
  double xi, h1, h2;
} shape;

CAP_INLINE shape shape_of(int point)
{
  double xi = (point + 0.5) / POINTS, rest = 1.0 - xi;
  return (shape){xi, xi * rest * rest, -xi * xi * rest};
}

/* A pulley at the moment. */
typedef struct pulley {
  const double *par;
  cap_mount_place mount;
  vec c, v;
  double omega;
} pulley;

static pulley pulley_at(const double *par, const double *q, const double *v)
{
  pulley p = {.par = par, .mount = cap_mount_at(par + CAP_BELT_PULLEY_MOUNT, q, 1)};
  p.c = (vec){p.mount.x, p.mount.y};
  cap_mount_velocity(&p.mount, v, 1, &p.v.x, &p.v.y);
  p.omega = v[(int)par[CAP_BELT_PULLEY_ROTATION]];
  return p;
}

static int pulleys_at(const cap_batch *b, const double *q, const double *v, pulley *pulleys)
{
  int n = b->ncommon / CAP_BELT_PULLEY_NPARAM;
  for (int k = 0; k < n; k++) pulleys[k] = pulley_at(b->common + k * CAP_BELT_PULLEY_NPARAM, q, v);
  return n;
}

static double surface_of(const pulley *p)
{
  return p->par[CAP_BELT_PULLEY_RADIUS] + p->par[CAP_BELT_PULLEY_SINK];
}

/* A segment at the moment, and what its nodes feel. */
typedef struct segment {
  int i, j;
  vec x1, d;
  double square, th1, th2; /* L^2 */
  vec v1, dv;
  double omega1, omega2, turn; /* of the nodes, of the chord */
  vec sum, second;             /* force on both nodes, of it on the second */
  double m1, m2;
} segment;

static void move_segment(segment *s, const double *v)
{
  s->v1 = at(v, s->i);
  s->dv = sub(at(v, s->j), s->v1);
  s->omega1 = v[s->i + 2];
  s->omega2 = v[s->j + 2];
  s->turn = cross(s->d, s->dv) / s->square;
}

static segment segment_at(const cap_batch *b, const double *q, int k)
{
  segment s = {.i = b->i[k], .j = b->j[k]};
  s.x1 = at(q, s.i);
  s.d = sub(at(q, s.j), s.x1);
  s.square = dot(s.d, s.d);
  double angle = capm_angle_of(s.d.y, s.d.x);
  s.th1 = capm_angle_wrap(q[s.i + 2] - angle);
  s.th2 = capm_angle_wrap(q[s.j + 2] - angle);
  return s;
}

/* The pulley to which the middle of the chord is nearest; NULL where the segment cannot reach it. */
static const pulley *nearest(const segment *s, int n, const pulley *pulleys)
{
  vec middle = add(s->x1, scaled(0.5, s->d));
  const pulley *found = NULL;
  double least = 0.75 * sqrt(s->square); /* half a segment, and what it bows */
  for (int k = 0; k < n; k++) {
    vec r = sub(middle, pulleys[k].c);
    double clear = sqrt(dot(r, r)) - surface_of(&pulleys[k]);
    if (clear < least) least = clear, found = &pulleys[k];
  }
  return found;
}

/* A point of a segment against a pulley: geometry and velocities. */
typedef struct touch {
  shape f;
  double lc, eta, eta_rate;
  vec n, t, u; /* u: velocity against the centre */
  double dist, gap, rate, g;
} touch;

static void place_touch(const segment *s, const pulley *p, touch *c)
{
  c->eta = c->f.h1 * s->th1 + c->f.h2 * s->th2;
  vec r = sub(add(s->x1, add(scaled(c->f.xi, s->d), scaled(c->eta, turned(s->d)))), p->c);
  c->dist = sqrt(dot(r, r));
  c->n = scaled(1.0 / c->dist, r);
  c->t = scaled(p->par[CAP_BELT_PULLEY_SIDE], turned(c->n));
  c->gap = surface_of(p) - c->dist;
}

static void move_touch(const segment *s, const pulley *p, touch *c)
{
  c->eta_rate = c->f.h1 * s->omega1 + c->f.h2 * s->omega2 - (c->f.h1 + c->f.h2) * s->turn;
  vec v = add(add(s->v1, scaled(c->f.xi, s->dv)),
              add(scaled(c->eta, turned(s->dv)), scaled(c->eta_rate, turned(s->d))));
  c->u = sub(v, p->v);
  c->rate = -dot(c->n, c->u);
  c->g = dot(c->t, c->u) - p->par[CAP_BELT_PULLEY_RADIUS] * p->omega;
}

/* The damper comes in with the penetration, so that the force does not jump at the first touch. */
CAP_INLINE double ramp(double gap, double full)
{
  double u = gap < full ? gap / full : 1.0;
  return u * (2.0 - u);
}
CAP_INLINE double ramp_slope(double gap, double full)
{
  return gap < full ? 2.0 * (1.0 - gap / full) / full : 0.0;
}

static double normal_force(const pulley *p, const touch *c)
{
  double soft = ramp(c->gap, p->par[CAP_BELT_PULLEY_TOUCH]);
  double f = c->lc *
             (p->par[CAP_BELT_PULLEY_NORMAL] * c->gap + p->par[CAP_BELT_PULLEY_DAMPING] * soft * c->rate);
  return c->gap > 0.0 && f > 0.0 ? f : 0.0;
}

static capm_stick law_of(const pulley *p, double lc)
{
  const double *par = p->par;
  return (capm_stick){.k = lc * par[CAP_BELT_PULLEY_TANGENTIAL],
                      .d = lc * par[CAP_BELT_PULLEY_SHEAR],
                      .friction = capm_friction_from(par + CAP_BELT_PULLEY_FRICTION)};
}

/* Force of a point on the belt, onto the nodes. */
static void push_nodes(segment *s, const touch *c, vec f)
{
  double moment = dot(f, turned(s->d)), along = moment * (c->f.h1 + c->f.h2) / s->square;
  s->sum = add(s->sum, f);
  s->second = sub(add(s->second, scaled(c->f.xi, f)),
                  add(scaled(c->eta, turned(f)), scaled(along, turned(s->d))));
  s->m1 += moment * c->f.h1;
  s->m2 += moment * c->f.h2;
}

static void add_nodes(const segment *s, double *h)
{
  h[s->i] += s->sum.x - s->second.x;
  h[s->i + 1] += s->sum.y - s->second.y;
  h[s->i + 2] += s->m1;
  h[s->j] += s->second.x;
  h[s->j + 1] += s->second.y;
  h[s->j + 2] += s->m2;
}

/* ---- tangents ------------------------------------------------------------------------------------------ */

/* Column `col` of a direction, entry i. */
static double column(const double *d, int i, const cap_eval *e, int col)
{
  return d[(long)i * e->ncol + col];
}
static vec column2(const double *d, int i, const cap_eval *e, int col)
{
  return (vec){column(d, i, e, col), column(d, i + 1, e, col)};
}

/* Derivatives of a segment and of a pulley along one column. */
typedef struct change {
  vec x1, d, v1, dv, c, v;
  double th1, th2, omega1, omega2, turn, omega, arm;
} change;

static change change_of(const cap_eval *e, const segment *s, const pulley *p, int col)
{
  change o = {.x1 = column2(e->dq, s->i, e, col), .v1 = column2(e->dv, s->i, e, col)};
  o.d = sub(column2(e->dq, s->j, e, col), o.x1);
  o.dv = sub(column2(e->dv, s->j, e, col), o.v1);
  double angle = cross(s->d, o.d) / s->square;
  o.th1 = column(e->dq, s->i + 2, e, col) - angle;
  o.th2 = column(e->dq, s->j + 2, e, col) - angle;
  o.omega1 = column(e->dv, s->i + 2, e, col);
  o.omega2 = column(e->dv, s->j + 2, e, col);
  o.turn = (cross(o.d, s->dv) + cross(s->d, o.dv) - 2.0 * s->turn * dot(s->d, o.d)) / s->square;
  o.omega = column(e->dv, (int)p->par[CAP_BELT_PULLEY_ROTATION], e, col);
  const cap_mount_place *m = &p->mount;
  if (m->arm >= 0) {
    o.arm = column(e->dq, m->arm, e, col);
    double rate = e->v[m->arm], moved = column(e->dv, m->arm, e, col);
    o.c = (vec){m->dx * o.arm, m->dy * o.arm};
    o.v = (vec){m->ddx * o.arm * rate + m->dx * moved, m->ddy * o.arm * rate + m->dy * moved};
  }
  if (m->hub >= 0) {
    vec dq = column2(e->dq, m->hub, e, col), dv = column2(e->dv, m->hub, e, col);
    cap_mount_add_hub(m, dq.x, dq.y, &o.c.x, &o.c.y);
    cap_mount_add_hub(m, dv.x, dv.y, &o.v.x, &o.v.y);
  }
  return o;
}

/* Derivatives of the geometry and velocities of a point. */
static touch touch_change(const segment *s, const pulley *p, const touch *c, const change *o)
{
  touch d = {.eta = c->f.h1 * o->th1 + c->f.h2 * o->th2};
  d.eta_rate = c->f.h1 * o->omega1 + c->f.h2 * o->omega2 - (c->f.h1 + c->f.h2) * o->turn;
  vec r = sub(
      add(add(o->x1, scaled(c->f.xi, o->d)), add(scaled(d.eta, turned(s->d)), scaled(c->eta, turned(o->d)))),
      o->c);
  vec v = add(add(o->v1, scaled(c->f.xi, o->dv)),
              add(scaled(d.eta, turned(s->dv)), scaled(c->eta, turned(o->dv))));
  v = add(v, add(scaled(d.eta_rate, turned(s->d)), scaled(c->eta_rate, turned(o->d))));
  d.u = sub(v, o->v);
  d.gap = -dot(c->n, r);
  d.n = scaled(1.0 / c->dist, add(r, scaled(d.gap, c->n)));
  d.t = scaled(p->par[CAP_BELT_PULLEY_SIDE], turned(d.n));
  d.rate = -dot(d.n, c->u) - dot(c->n, d.u);
  d.g = dot(d.t, c->u) + dot(c->t, d.u) - p->par[CAP_BELT_PULLEY_RADIUS] * o->omega;
  return d;
}

static double normal_change(const pulley *p, const touch *c, const touch *d)
{
  double full = p->par[CAP_BELT_PULLEY_TOUCH];
  double soft = ramp_slope(c->gap, full) * d->gap * c->rate + ramp(c->gap, full) * d->rate;
  return c->lc * (p->par[CAP_BELT_PULLEY_NORMAL] * d->gap + p->par[CAP_BELT_PULLEY_DAMPING] * soft);
}

static void push_change(cap_eval *e, const segment *s, const touch *c, const touch *d, const change *o, vec f,
                        vec df, int col)
{
  double moment = dot(f, turned(s->d)), dmoment = dot(df, turned(s->d)) + dot(f, turned(o->d));
  double sum = c->f.h1 + c->f.h2, along = moment * sum / s->square;
  double dalong = (dmoment * sum - 2.0 * along * dot(s->d, o->d)) / s->square;
  vec second = sub(scaled(c->f.xi, df), add(scaled(d->eta, turned(f)), scaled(c->eta, turned(df))));
  second = sub(second, add(scaled(dalong, turned(s->d)), scaled(along, turned(o->d))));
  vec first = sub(df, second);
  const double add_first[3] = {first.x, first.y, dmoment * c->f.h1};
  const double add_second[3] = {second.x, second.y, dmoment * c->f.h2};
  for (int r = 0; r < 3; r++) {
    e->dh[(long)(s->i + r) * e->ncol + col] += add_first[r];
    e->dh[(long)(s->j + r) * e->ncol + col] += add_second[r];
  }
}

static void push_mount_change(cap_eval *e, const pulley *p, const change *o, vec f, vec df, int col)
{
  const cap_mount_place *m = &p->mount;
  if (m->arm >= 0)
    e->dh[(long)m->arm * e->ncol + col] -= m->dx * df.x + m->dy * df.y +
                                           (m->ddx * f.x + m->ddy * f.y) * o->arm;
  if (m->hub < 0) return;
  double first, second;
  cap_mount_on_hub(m, df.x, df.y, &first, &second);
  e->dh[(long)m->hub * e->ncol + col] -= first;
  e->dh[(long)(m->hub + 1) * e->ncol + col] -= second;
}

static void tangents(cap_eval *e, const segment *s, const pulley *p, const touch *c, double normal,
                     const capm_stick_result *r, vec f, int x)
{
  int rotation = (int)p->par[CAP_BELT_PULLEY_ROTATION];
  for (int col = 0; col < e->ncol; col++) {
    change o = change_of(e, s, p, col);
    touch d = touch_change(s, p, c, &o);
    double z = column(e->dx, x, e, col), pressed = normal > 0.0 ? normal_change(p, c, &d) : 0.0;
    double friction = r->force_z[0][0] * z + r->force_g[0][0] * d.g + r->force_n[0] * pressed;
    e->dxdot[(long)x * e->ncol + col] = r->rate_z[0][0] * z + r->rate_g[0][0] * d.g + r->rate_n[0] * pressed;
    if (!(normal > 0.0)) continue;
    vec df = sub(add(scaled(pressed, c->n), scaled(normal, d.n)),
                 add(scaled(friction, c->t), scaled(r->force[0], d.t)));
    push_change(e, s, c, &d, &o, f, df, col);
    push_mount_change(e, p, &o, f, df, col);
    e->dh[(long)rotation * e->ncol + col] += p->par[CAP_BELT_PULLEY_RADIUS] * friction;
  }
}

/* ---- points -------------------------------------------------------------------------------------------- */

/* What a point contributes beside its force. */
typedef struct tally {
  double normal, friction, slip, sliding, peak; /* as the outputs */
  vec force;                                    /* on the belt */
  double loss[CAP_BELT_NLOSS];
} tally;

static void count_touch(tally *a, const touch *c, double normal, double friction, double slip, bool slides)
{
  a->normal += normal;
  a->friction -= friction;
  a->slip += normal * slip;
  a->sliding += slides ? normal : 0.0;
  a->peak = fmax(a->peak, normal / c->lc);
}

static void press(segment *s, tally *a, const touch *c, double normal, double friction, vec *f)
{
  *f = sub(scaled(normal, c->n), scaled(friction, c->t));
  a->force = add(a->force, *f);
  push_nodes(s, c, *f);
}

/* The law's rates at a point. */
static void rate_touch(cap_eval *e, segment *s, const pulley *p, const touch *c, int x, tally *a)
{
  capm_stick law = law_of(p, c->lc);
  capm_stick_result r;
  double normal = normal_force(p, c);
  vec f = {0.0, 0.0};
  capm_stick_evaluate(&law, 1, &e->x[x], &c->g, normal, &r);
  e->xdot[x] = r.rate[0];
  if (normal > 0.0) {
    press(s, a, c, normal, r.force[0], &f);
    count_touch(a, c, normal, r.force[0], c->g - r.rate[0], r.slip > 0.0);
  }
  if (c->gap > 0.0)
    a->loss[CAP_BELT_LOSS_NORMAL] += (normal - c->lc * p->par[CAP_BELT_PULLEY_NORMAL] * c->gap) * c->rate;
  a->loss[CAP_BELT_LOSS_SHEAR] += r.damping;
  a->loss[CAP_BELT_LOSS_SLIP] += r.slip;
  if (e->ncol) tangents(e, s, p, c, normal, &r, f, x);
}

/* ---- segments ------------------------------------------------------------------------------------------ */

static void push_pulley(cap_eval *e, const pulley *p, const tally *a)
{
  cap_mount_push(&p->mount, e->h, 1, -a->force.x, -a->force.y);
  e->h[(int)p->par[CAP_BELT_PULLEY_ROTATION]] -= p->par[CAP_BELT_PULLEY_RADIUS] * a->friction;
}

static void show(const cap_batch *b, cap_eval *e, int k, int touched, const tally *a)
{
  double *out = e->force + b->output_adr + k * CAP_BELT_CONTACT_NOUTPUT;
  e->force[b->elem_adr + k] = a->normal;
  out[CAP_BELT_CONTACT_PULLEY] = a->normal > 0.0 ? touched : -1.0;
  out[CAP_BELT_CONTACT_NORMAL] = a->normal;
  out[CAP_BELT_CONTACT_FRICTION] = a->friction;
  out[CAP_BELT_CONTACT_SLIP] = a->slip;
  out[CAP_BELT_CONTACT_SLIDING] = a->sliding;
  out[CAP_BELT_CONTACT_X] = -a->force.x;
  out[CAP_BELT_CONTACT_Y] = -a->force.y;
  out[CAP_BELT_CONTACT_PEAK] = a->peak;
  out[CAP_BELT_CONTACT_SPEED] = a->normal > 0.0 ? a->slip / a->normal : 0.0;
}

static void tell_losses(const cap_batch *b, cap_eval *e, int touched, const tally *a)
{
  int first = b->mech_adr + touched * CAP_BELT_NLOSS;
  for (int m = 0; e->power && m < CAP_BELT_NLOSS; m++) e->power[first + m] += a->loss[m];
}

/* Away from all pulleys nothing is deflected; what was, relaxes. */
static void leave(const cap_batch *b, cap_eval *e, int k)
{
  for (int point = 0; point < POINTS; point++) {
    int x = b->x_adr + k * POINTS + point;
    double pace = b->common[CAP_BELT_PULLEY_TANGENTIAL] / b->common[CAP_BELT_PULLEY_SHEAR];
    e->xdot[x] = -pace * e->x[x];
    for (int col = 0; col < e->ncol; col++)
      e->dxdot[(long)x * e->ncol + col] = -pace * column(e->dx, x, e, col);
  }
}

static void touch_segment(const cap_batch *b, cap_eval *e, int k, segment *s, const pulley *p, tally *a)
{
  move_segment(s, e->v);
  for (int point = 0; point < POINTS; point++) {
    touch c = {.f = shape_of(point)};
    c.lc = b->par[k * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH] / POINTS;
    place_touch(s, p, &c);
    move_touch(s, p, &c);
    rate_touch(e, s, p, &c, b->x_adr + k * POINTS + point, a);
  }
}

static void tell_decay(const cap_batch *b, cap_eval *e)
{
  double pace = b->common[CAP_BELT_PULLEY_TANGENTIAL] / b->common[CAP_BELT_PULLEY_SHEAR];
  for (int k = 0; k < b->n * POINTS; k++) e->decay[b->x_adr + k] = pace;
}

/* Segment by segment, with tangents; belt_touch.c has the same without. */
static void rates_and_tangents(const cap_batch *b, cap_eval *e)
{
  pulley pulleys[CAP_BELT_PULLEYS_MOST];
  int n = pulleys_at(b, e->q, e->v, pulleys);
  for (int k = 0; e->power && k < b->npart * CAP_BELT_NLOSS; k++) e->power[b->mech_adr + k] = 0.0;
  for (int k = 0; k < b->n; k++) {
    segment s = segment_at(b, e->q, k);
    const pulley *p = nearest(&s, n, pulleys);
    int touched = p ? (int)(p - pulleys) : -1;
    tally a = {0};
    if (p) {
      touch_segment(b, e, k, &s, p, &a);
      add_nodes(&s, e->h);
      push_pulley(e, p, &a);
      tell_losses(b, e, touched, &a);
    } else leave(b, e, k);
    if (e->force) show(b, e, k, touched, &a);
  }
}

static void rates(const cap_batch *b, cap_eval *e)
{
  if (e->ncol) rates_and_tangents(b, e);
  else cap_belt_touch_rates(b, e);
  if (e->decay) tell_decay(b, e);
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  pulley pulleys[CAP_BELT_PULLEYS_MOST];
  int n = pulleys_at(b, e->q, e->v, pulleys);
  for (int k = 0; k < b->n; k++) {
    segment s = segment_at(b, e->q, k);
    const pulley *p = nearest(&s, n, pulleys), *any = p ? p : pulleys;
    double lc = b->par[k * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH] / POINTS;
    for (int point = 0; point < POINTS; point++) {
      double z = e->x[b->x_adr + k * POINTS + point];
      *stored += 0.5 * lc * any->par[CAP_BELT_PULLEY_TANGENTIAL] * z * z;
      if (!p) continue;
      touch c = {.f = shape_of(point)};
      place_touch(&s, p, &c);
      if (c.gap > 0.0) *stored += 0.5 * lc * p->par[CAP_BELT_PULLEY_NORMAL] * c.gap * c.gap;
    }
  }
}

static const cap_param params[] = {{"length", "m"}};

const cap_element_type cap_belt_contact_type = {
    .name = "belt contact",
    .doc = "curved belt segment on the pulleys: normal contact, stick and slip",
    .nparam = CAP_BELT_CONTACT_NPARAM,
    .params = params,
    .nstate = POINTS,
    .state_unit = "m",
    .noutput = CAP_BELT_CONTACT_NOUTPUT,
    .nmech = CAP_BELT_NLOSS,
    .mech_name = {"normal damping", "tangential damping", "slip"},
    .marches = true,
    .nhint = CAP_BELT_TOUCH_BATCH,
    .nhint_each = CAP_BELT_TOUCH_EACH,
    .many = true,
    .rates = rates,
    .energy = energy,
};
