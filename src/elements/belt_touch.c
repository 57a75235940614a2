/* elements/belt_touch.c — belt segments on pulleys, in vector registers.
 *
 * Maths: docs/theory.md §27.2 to 27.4; belt_contact.c has the same in plain code, with tangents. Over a step
 * of an explicit method the velocities are those of its middle, where the rate of the gap is, since a point
 * that goes round a pulley does not come nearer,  gap' = -n . u + (h/2) (t . u)^2/dist.
 *
 * Only segments near a pulley are looked at: runs of consecutive ones that might touch it before anything has
 * moved by BUDGET of a segment; where there are hints the list is kept until something may have. Eight
 * segments of a run are worked on at a time, lane by lane; sums over segments go in their order. So the bits
 * depend neither on the width of the registers nor on the lists.
 */
#include "elements/belt_touch.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "laws/pow.h"
#include "laws/stick.h"

#include <math.h>

enum { POINTS = CAP_BELT_CONTACT_POINTS, WIDE = 8 };
static const double budget = 0.2; /* of a segment */

/* ---- a block of segments on one pulley ------------------------------------------------------------------
 */

/* A pulley at the moment; what the law has, per length of belt. */
typedef struct around {
  double cx, cy, cvx, cvy, radius, side, surface; /* surface: speed of the rim */
  double k, c, per_touch;
  double kt, per_kt, shear, keep;
  double mu, fall, per_v2; /* Stribeck: mu + fall 2^(-g^2 per_v2) */
  double h;                /* s */
  cap_mount_place mount;
  int rotation;
} around;

/* What comes of a segment. */
#define SEGMENT_SUMS(X)  X(fx) X(fy) X(sx) X(sy) X(m1) X(m2) X(friction) X(normal) X(shear) X(slip) X(jump)
#define SEGMENT_SHOWN(X) X(pressed) X(sliding) X(slipping) X(peak)
#define SUM_ARRAY(name)  double name[WIDE];
#define SUM_MEMBER(name) double name;
#define SUM_STORE(name)  k->name[l] = lc * s.name;

typedef struct block {
  double x[WIDE + 1], y[WIDE + 1], phi[WIDE + 1]; /* of the nodes */
  double vx[WIDE + 1], vy[WIDE + 1], omega[WIDE + 1];
  double lc[WIDE];        /* length of belt of a point */
  double z[POINTS][WIDE]; /* deflections; then those after the step, or their rates */
  SEGMENT_SUMS(SUM_ARRAY)
  SEGMENT_SHOWN(SUM_ARRAY)
} block;

/* A segment while its points are worked off; sums per length of a point: force on both nodes and of it on the
 * second, moments, friction, losses, the energy that slip takes from deflections. */
typedef struct lane {
  double x1, y1, dx, dy, th1, th2, v1x, v1y, dvx, dvy, w1, w2; /* th and w against the chord */
  double moment;                                               /* sum of (h1 + h2) F . d' */
  SEGMENT_SUMS(SUM_MEMBER)
  SEGMENT_SHOWN(SUM_MEMBER)
} lane;

/* What is wanted of a kernel, known when it is compiled. */
typedef struct want {
  bool march, stribeck, shown;
} want;

typedef struct pressing {
  double force, slides, z; /* tangential; z: next deflection, or its rate */
} pressing;

CAP_INLINE pressing stick(const around *p, double z, double g, double limit, want w)
{
  if (w.march) {
    const capm_stick_step t = capm_stick_march(p->kt, p->per_kt, p->shear, p->keep, p->h, z, g, g, limit);
    return (pressing){t.force, t.slides, t.z};
  }
  const double trial = p->kt * z + p->shear * g, above = trial > limit ? limit : trial;
  const double force = above < -limit ? -limit : above, slid = (force - p->kt * z) / p->shear;
  return (pressing){force, force != trial ? 1.0 : 0.0, force != trial ? slid : g};
}

/* One point: deflection in, deflection (or its rate) out. */
CAP_INLINE double touch(const around *p, lane *s, double xi, double z, want w)
{
  const double rest = 1.0 - xi, h1 = xi * rest * rest, h2 = -xi * xi * rest;
  const double eta = h1 * s->th1 + h2 * s->th2, eta_rate = h1 * s->w1 + h2 * s->w2;
  const double rx = s->x1 + xi * s->dx - eta * s->dy, ry = s->y1 + xi * s->dy + eta * s->dx;
  const double dist = sqrt(rx * rx + ry * ry), per = 1.0 / dist, nx = rx * per, ny = ry * per;
  const double ux = s->v1x + xi * s->dvx - (eta * s->dvy + eta_rate * s->dy);
  const double uy = s->v1y + xi * s->dvy + (eta * s->dvx + eta_rate * s->dx);
  const double gap = p->radius - dist, round = nx * uy - ny * ux, apart = nx * ux + ny * uy;
  const double rate = w.march ? 0.5 * p->h * per * (round * round) - apart : -apart;
  const double g = p->side * round - p->surface;

  const double part = gap * p->per_touch, u = part < 1.0 ? part : 1.0, spring = p->k * gap;
  const double damped = spring + p->c * (u * (2.0 - u)) * rate;
  const double pushing = damped > 0.0 ? damped : 0.0, normal = gap > 0.0 ? pushing : 0.0;

  const double mu = w.stribeck ? p->mu + p->fall * capm_pow_exp2_parts(-(g * g) * p->per_v2, 0.0) : p->mu;
  const pressing t = stick(p, z, g, mu * normal, w);
  const double along = p->side * t.force, fx = normal * nx + along * ny, fy = normal * ny - along * nx;

  const double moment = fy * s->dx - fx * s->dy;
  s->fx += fx;
  s->fy += fy;
  s->sx += xi * fx + eta * fy;
  s->sy += xi * fy - eta * fx;
  s->moment += (h1 + h2) * moment;
  s->m1 += h1 * moment;
  s->m2 += h2 * moment;
  s->friction += t.force;

  const double lost = (normal - spring) * rate;
  s->normal += gap > 0.0 ? lost : 0.0;
  if (w.march) { /* what the force does beyond the energy of the deflection is lost */
    const double work = t.force * g, stuck = p->shear * (g * g), stored = 0.5 * p->kt * (z * z - t.z * t.z);
    s->shear += t.slides > 0.0 ? 0.0 : stuck;
    s->slip += t.slides > 0.0 ? work : 0.0;
    s->jump += t.slides > 0.0 ? stored : 0.0;
  } else {
    s->shear += p->shear * (t.z * t.z);
    s->slip += t.force * (g - t.z);
  }
  if (w.shown) {
    const double moving = w.march ? g : g - t.z;
    s->pressed += normal;
    s->sliding += t.slides > 0.0 ? normal : 0.0;
    s->slipping += t.slides > 0.0 ? normal * moving : 0.0;
    s->peak = normal > s->peak ? normal : s->peak;
  }
  return t.z;
}

CAP_INLINE void touch_lanes(const around *restrict p, block *restrict k, want w)
{
  CAP_EACH_LANE(l, WIDE)
  {
    lane s = {
        .x1 = k->x[l] - p->cx, .y1 = k->y[l] - p->cy, .v1x = k->vx[l] - p->cvx, .v1y = k->vy[l] - p->cvy};
    s.dx = k->x[l + 1] - k->x[l], s.dy = k->y[l + 1] - k->y[l];
    s.dvx = k->vx[l + 1] - k->vx[l], s.dvy = k->vy[l + 1] - k->vy[l];
    const double angle = capm_angle_of(s.dy, s.dx), per_square = 1.0 / (s.dx * s.dx + s.dy * s.dy);
    const double turn = (s.dx * s.dvy - s.dy * s.dvx) * per_square, lc = k->lc[l];
    s.th1 = capm_angle_wrap(k->phi[l] - angle), s.th2 = capm_angle_wrap(k->phi[l + 1] - angle);
    s.w1 = k->omega[l] - turn, s.w2 = k->omega[l + 1] - turn;
    k->z[0][l] = touch(p, &s, 0.125, k->z[0][l], w);
    k->z[1][l] = touch(p, &s, 0.375, k->z[1][l], w);
    k->z[2][l] = touch(p, &s, 0.625, k->z[2][l], w);
    k->z[3][l] = touch(p, &s, 0.875, k->z[3][l], w);
    const double along = s.moment * per_square, peak = s.peak;
    s.sx += along * s.dy, s.sy -= along * s.dx;
    SEGMENT_SUMS(SUM_STORE)
    if (w.shown) {
      SEGMENT_SHOWN(SUM_STORE)
      k->peak[l] = peak;
    }
  }
}

/* ---- segments of a run -----------------------------------------------------------------------------------
 */

/* All that one evaluation needs. */
typedef struct job {
  const cap_batch *b;
  cap_eval *e;
  const double *v, *x; /* velocities, deflections */
  double *out;         /* [nx] where deflections or rates go */
  bool march;
  int n; /* pulleys */
  around *pulleys;
  double *sums; /* [n][NSUM] over the segments of a pulley */
} job;

enum { SUM_FX, SUM_FY, SUM_FRICTION, SUM_NORMAL, SUM_SHEAR, SUM_SLIP, SUM_JUMP, NSUM };

CAP_INLINE void load_node(const job *j, block *k, int l, int node)
{
  const double *q = j->e->q + node, *v = j->v + node;
  k->x[l] = q[0], k->y[l] = q[1], k->phi[l] = q[2];
  k->vx[l] = v[0], k->vy[l] = v[1], k->omega[l] = v[2];
}

/* `count` segments from `first` on; lanes beyond them are far from the pulley. */
CAP_INLINE void load_block(const job *j, const around *p, block *k, int first, int count)
{
  const cap_batch *b = j->b;
  const double *z = j->x + b->x_adr + first * POINTS;
  for (int l = 0; l < count; l++) {
    load_node(j, k, l, b->i[first + l]);
    k->lc[l] = b->par[(first + l) * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH] * (1.0 / POINTS);
    for (int point = 0; point < POINTS; point++) k->z[point][l] = z[l * POINTS + point];
  }
  load_node(j, k, count, b->j[first + count - 1]);
  for (int l = count; l < WIDE; l++) {
    k->x[l + 1] = p->cx + 10.0 * (l + 1) * p->radius, k->y[l + 1] = p->cy, k->phi[l + 1] = 0.0;
    k->vx[l + 1] = k->vy[l + 1] = k->omega[l + 1] = k->lc[l] = 0.0;
    for (int point = 0; point < POINTS; point++) k->z[point][l] = 0.0;
  }
}

CAP_INLINE void store_block(const job *j, const block *k, double *restrict sum, int first, int count)
{
  const cap_batch *b = j->b;
  double *z = j->out + b->x_adr + first * POINTS, *h = j->e->h;
  for (int l = 0; l < count; l++) {
    double *hi = h + b->i[first + l], *hj = h + b->j[first + l];
    hi[0] += k->fx[l] - k->sx[l], hi[1] += k->fy[l] - k->sy[l], hi[2] += k->m1[l];
    hj[0] += k->sx[l], hj[1] += k->sy[l], hj[2] += k->m2[l];
    for (int point = 0; point < POINTS; point++) z[l * POINTS + point] = k->z[point][l];
    sum[SUM_FX] += k->fx[l], sum[SUM_FY] += k->fy[l], sum[SUM_FRICTION] += k->friction[l];
    sum[SUM_NORMAL] += k->normal[l], sum[SUM_SHEAR] += k->shear[l];
    sum[SUM_SLIP] += k->slip[l], sum[SUM_JUMP] += k->jump[l];
  }
}

static void show_block(const job *j, const block *k, int pulley, int first, int count)
{
  double *out = j->e->force + j->b->output_adr + first * CAP_BELT_CONTACT_NOUTPUT;
  for (int l = 0; l < count; l++, out += CAP_BELT_CONTACT_NOUTPUT) {
    j->e->force[j->b->elem_adr + first + l] = out[CAP_BELT_CONTACT_NORMAL] = k->pressed[l];
    out[CAP_BELT_CONTACT_PULLEY] = k->pressed[l] > 0.0 ? pulley : -1.0;
    out[CAP_BELT_CONTACT_FRICTION] = -k->friction[l];
    out[CAP_BELT_CONTACT_SLIP] = k->slipping[l];
    out[CAP_BELT_CONTACT_SLIDING] = k->sliding[l];
    out[CAP_BELT_CONTACT_X] = -k->fx[l];
    out[CAP_BELT_CONTACT_Y] = -k->fy[l];
    out[CAP_BELT_CONTACT_PEAK] = k->peak[l];
  }
}

CAP_CLONES static void touch_run(const job *j, int pulley, int first, int count)
{
  const around *p = &j->pulleys[pulley];
  const bool stribeck = p->fall != 0.0, shown = j->e->force;
  double *sum = j->sums + pulley * NSUM;
  block k;
  for (int done = 0; done < count; done += WIDE) {
    int n = count - done < WIDE ? count - done : WIDE, at = first + done;
    load_block(j, p, &k, at, n);
    if (j->march && !stribeck && !shown) touch_lanes(p, &k, (want){true, false, false});
    else if (j->march) touch_lanes(p, &k, (want){true, true, true});
    else touch_lanes(p, &k, (want){false, true, true});
    store_block(j, &k, sum, at, n);
    if (shown) show_block(j, &k, pulley, at, n);
  }
}

/* ---- which segments may touch ----------------------------------------------------------------------------
 */

/* Distance of the centre to the chord of a segment, less what it may bow towards it. */
static double distance(const cap_batch *b, const double *q, int k, const around *p)
{
  const double *a = q + b->i[k], *c = q + b->j[k];
  double dx = c[0] - a[0], dy = c[1] - a[1], rx = p->cx - a[0], ry = p->cy - a[1], square = dx * dx + dy * dy;
  double along = fmin(fmax((dx * rx + dy * ry) / square, 0.0), 1.0), angle = capm_angle_of(dy, dx);
  double bow = fabs(capm_angle_wrap(a[2] - angle)) + fabs(capm_angle_wrap(c[2] - angle));
  rx -= along * dx, ry -= along * dy;
  return sqrt(rx * rx + ry * ry) - 0.15 * bow * sqrt(square);
}

/* The pulley that a segment is least clear of, -1 where it is clear of all. */
static int owner_of(const job *j, int k)
{
  const double *x = j->e->q + j->b->i[k];
  double length = j->b->par[k * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH];
  double least = budget * length, far = (1.5 + budget) * length;
  int owner = -1;
  for (int n = 0; n < j->n; n++) {
    const around *p = &j->pulleys[n];
    double dx = x[0] - p->cx, dy = x[1] - p->cy, reach = p->radius + far;
    if (dx * dx + dy * dy > reach * reach) continue;
    double clear = distance(j->b, j->e->q, k, p) - p->radius;
    if (clear < least) least = clear, owner = n;
  }
  return owner;
}

typedef struct run {
  double first, count, pulley;
} run;

/* From segment k on, the next run of segments of one pulley, each beginning where the one before ends. */
static bool next_run(const job *j, int *k, run *r)
{
  while (*k < j->b->n) {
    int owner = owner_of(j, *k), first = (*k)++;
    if (owner < 0) continue;
    while (*k < j->b->n && j->b->j[*k - 1] == j->b->i[*k] && owner_of(j, *k) == owner) ++*k;
    *r = (run){first, *k - first, owner};
    return true;
  }
  return false;
}

/* The hints: the way that may still be gone (m), the number of runs, the step for which KEEP has the factors
 * of the pulleys; the runs. */
enum { HINT_LEFT, HINT_RUNS, HINT_STEP, HINT_KEEP = 8, HINT_LIST = CAP_BELT_TOUCH_BATCH };

/* How far any point of the belt may go in a second, from its nodes. */
CAP_CLONES static double pace_of(const cap_batch *b, const double *restrict v, double length)
{
  const int *restrict node = b->i;
  double speed = 0.0, turning = 0.0;
  for (int k = 0; k < b->n; k++) {
    const double *w = v + node[k];
    double square = w[0] * w[0] + w[1] * w[1], turn = fabs(w[2]);
    speed = square > speed ? square : speed;
    turning = turn > turning ? turn : turning;
  }
  return 1.6 * sqrt(speed) + 0.3 * length * turning;
}

/* Keeps the list of runs; makes it anew when something may have moved as far as it allows. */
static void touch_listed(const job *j, double *hints)
{
  double length = j->b->par[CAP_BELT_CONTACT_LENGTH], pace = 0.0;
  run *list = (run *)(void *)(hints + HINT_LIST);
  for (int k = 0; k < j->n; k++) pace = fmax(pace, hypot(j->pulleys[k].cvx, j->pulleys[k].cvy));
  hints[HINT_LEFT] -= j->e->march * (pace + pace_of(j->b, j->v, length));
  if (!(hints[HINT_LEFT] > 0.0)) {
    int k = 0, n = 0;
    hints[HINT_LEFT] = budget * length;
    while (next_run(j, &k, &list[n])) n++;
    hints[HINT_RUNS] = n;
  }
  for (int n = 0; n < (int)hints[HINT_RUNS]; n++)
    touch_run(j, (int)list[n].pulley, (int)list[n].first, (int)list[n].count);
}

static void touch_found(const job *j)
{
  run r;
  for (int k = 0; next_run(j, &k, &r);) touch_run(j, (int)r.pulley, (int)r.first, (int)r.count);
}

/* ---- the batch -------------------------------------------------------------------------------------------
 */

static around around_of(const double *par, const job *j)
{
  around p = {.radius = par[CAP_BELT_PULLEY_RADIUS],
              .side = par[CAP_BELT_PULLEY_SIDE],
              .k = par[CAP_BELT_PULLEY_NORMAL],
              .c = par[CAP_BELT_PULLEY_DAMPING],
              .per_touch = 1.0 / par[CAP_BELT_PULLEY_TOUCH],
              .kt = par[CAP_BELT_PULLEY_TANGENTIAL],
              .per_kt = 1.0 / par[CAP_BELT_PULLEY_TANGENTIAL],
              .shear = par[CAP_BELT_PULLEY_SHEAR],
              .mu = par[CAP_BELT_PULLEY_MU_KINETIC],
              .h = j->march ? j->e->march : 0.0,
              .rotation = (int)par[CAP_BELT_PULLEY_ROTATION],
              .mount = cap_mount_at(par + CAP_BELT_PULLEY_MOUNT, j->e->q, 1)};
  double v = par[CAP_BELT_PULLEY_V_STRIBECK];
  if (v > 0.0) p.fall = par[CAP_BELT_PULLEY_MU_STATIC] - p.mu, p.per_v2 = M_LOG2E / (v * v);
  p.cx = p.mount.x, p.cy = p.mount.y;
  cap_mount_velocity(&p.mount, j->v, 1, &p.cvx, &p.cvy);
  p.surface = p.radius * j->v[p.rotation];
  return p;
}

/* exp is a call: its values are kept while the step stays. */
static void place_pulleys(const job *j, double *hints)
{
  bool known = hints && hints[HINT_STEP] == j->e->march;
  if (hints) hints[HINT_STEP] = j->e->march;
  for (int k = 0; k < j->n; k++) {
    around *p = &j->pulleys[k];
    *p = around_of(j->b->common + k * CAP_BELT_PULLEY_NPARAM, j);
    if (!j->march) continue;
    p->keep = known ? hints[HINT_KEEP + k] : exp(-p->h * p->kt / p->shear);
    if (hints) hints[HINT_KEEP + k] = p->keep;
  }
}

/* Away from all pulleys nothing is deflected; what was, relaxes. */
static void let_go(const job *j)
{
  const double *common = j->b->common;
  double pace = common[CAP_BELT_PULLEY_TANGENTIAL] / common[CAP_BELT_PULLEY_SHEAR];
  int first = j->b->x_adr, last = first + j->b->n * POINTS;
  for (int x = first; !j->march && x < last; x++) j->out[x] = -pace * j->x[x];
  if (!j->e->force) return;
  for (int k = 0; k < j->b->n; k++) {
    double *out = j->e->force + j->b->output_adr + k * CAP_BELT_CONTACT_NOUTPUT;
    for (int o = 0; o < CAP_BELT_CONTACT_NOUTPUT; o++) out[o] = 0.0;
    out[CAP_BELT_CONTACT_PULLEY] = -1.0;
    j->e->force[j->b->elem_adr + k] = 0.0;
  }
}

static void push_pulley(const job *j, int k)
{
  const around *p = &j->pulleys[k];
  const double *sum = j->sums + k * NSUM;
  cap_eval *e = j->e;
  int mech = j->b->mech_adr + k * CAP_BELT_NLOSS;
  cap_mount_push(&p->mount, e->h, 1, -sum[SUM_FX], -sum[SUM_FY]);
  e->h[p->rotation] += p->radius * sum[SUM_FRICTION];
  if (e->power) {
    e->power[mech + CAP_BELT_LOSS_NORMAL] = sum[SUM_NORMAL];
    e->power[mech + CAP_BELT_LOSS_SHEAR] = sum[SUM_SHEAR];
    e->power[mech + CAP_BELT_LOSS_SLIP] = sum[SUM_SLIP];
  }
  if (j->march && e->jump) e->jump[mech + CAP_BELT_LOSS_SLIP] += sum[SUM_JUMP];
}

void cap_belt_touch_rates(const cap_batch *b, cap_eval *e)
{
  around pulleys[CAP_BELT_PULLEYS_MOST];
  double sums[CAP_BELT_PULLEYS_MOST * NSUM];
  job j = {b, e, e->v, e->x, e->xdot, false, b->ncommon / CAP_BELT_PULLEY_NPARAM, pulleys, sums};
  if (e->x_march) j.v = e->v_half, j.x = j.out = e->x_march, j.march = true;
  double *hints = j.march && e->hints ? e->hints + b->hint_adr : NULL;
  for (int k = 0; k < j.n * NSUM; k++) sums[k] = 0.0;
  place_pulleys(&j, hints);
  let_go(&j);
  if (hints) touch_listed(&j, hints);
  else touch_found(&j);
  for (int k = 0; k < j.n; k++) push_pulley(&j, k);
}
