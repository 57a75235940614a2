/* elements/belt_march.c — belt segments on pulleys over an explicit step, in vector registers.
 *
 * Maths: docs/theory.md §27.2 to 27.4; the law at a point is that of belt_contact.c, which has it in plain
 * code. Velocities are those over the step; the rate of the gap in its middle is, since a point that goes
 * round a pulley does not come nearer,  gap' = -n . u + (h/2) (t . u)^2/dist.
 *
 * Only segments near a pulley are looked at: runs of consecutive ones that might touch it before anything has
 * moved by BUDGET of a segment; the list is made anew when something may have. Eight segments of a run are
 * worked on at a time, lane by lane; sums over them keep their order whatever the width of the registers.
 */
#include "elements/belt_march.h"
#include "base/clones.h"
#include "elements/elements.h"
#include "laws/pow.h"
#include "laws/stick.h"

#include <assert.h>
#include <math.h>

enum { POINTS = CAP_BELT_CONTACT_POINTS, WIDE = 8 };
static const double budget = 0.2; /* of a segment */

/* ---- a block of segments on one pulley ------------------------------------------------------------------
 */

/* A pulley over the step; what the law has, per length of belt. */
typedef struct around {
  double cx, cy, cvx, cvy, radius, side, surface; /* surface: speed of the rim */
  double k, c, per_touch;
  double kt, per_kt, shear, keep;
  double mu, fall, per_v2; /* Stribeck: mu + fall 2^(-g^2 per_v2) */
  double h;                /* s */
  cap_mount_place mount;
  int rotation;
} around;

typedef struct block {
  double x[WIDE + 1], y[WIDE + 1], phi[WIDE + 1];     /* of the nodes */
  double vx[WIDE + 1], vy[WIDE + 1], omega[WIDE + 1]; /* over the step */
  double lc[WIDE];                                    /* length of belt of a point */
  double z[POINTS][WIDE];
  double fx[WIDE], fy[WIDE], sx[WIDE], sy[WIDE], m1[WIDE],
      m2[WIDE]; /* on both nodes, on the second of them */
} block;

/* Sums over the segments of a pulley, lane by lane. */
typedef struct sums {
  double fx[WIDE], fy[WIDE], friction[WIDE];
  double normal[WIDE], shear[WIDE], slip[WIDE], jump[WIDE]; /* W, W, W, J */
} sums;

/* A segment while its points are worked off, per length of a point. */
typedef struct lane {
  double x1, y1, dx, dy, th1, th2, v1x, v1y, dvx, dvy, w1, w2; /* th and w against the chord */
  double fx, fy, sx, sy, moment, m1, m2;                       /* moment: sum of (h1 + h2) F . d' */
  double friction, normal, shear, slip, jump;
} lane;

/* One point: deflection in, deflection out. */
CAP_INLINE double touch(const around *p, lane *s, double xi, double z, bool stribeck)
{
  const double rest = 1.0 - xi, h1 = xi * rest * rest, h2 = -xi * xi * rest;
  const double eta = h1 * s->th1 + h2 * s->th2, eta_rate = h1 * s->w1 + h2 * s->w2;
  const double rx = s->x1 + xi * s->dx - eta * s->dy, ry = s->y1 + xi * s->dy + eta * s->dx;
  const double dist = sqrt(rx * rx + ry * ry), per = 1.0 / dist, nx = rx * per, ny = ry * per;
  const double ux = s->v1x + xi * s->dvx - (eta * s->dvy + eta_rate * s->dy);
  const double uy = s->v1y + xi * s->dvy + (eta * s->dvx + eta_rate * s->dx);
  const double gap = p->radius - dist, round = nx * uy - ny * ux;
  const double rate = 0.5 * p->h * per * (round * round) - (nx * ux + ny * uy);
  const double g = p->side * round - p->surface;

  const double part = gap * p->per_touch, u = part < 1.0 ? part : 1.0, spring = p->k * gap;
  const double damped = spring + p->c * (u * (2.0 - u)) * rate;
  const double pushing = damped > 0.0 ? damped : 0.0, normal = gap > 0.0 ? pushing : 0.0;

  const double mu = stribeck ? p->mu + p->fall * capm_pow_exp2_parts(-(g * g) * p->per_v2, 0.0) : p->mu;
  const capm_stick_step t = capm_stick_march(p->kt, p->per_kt, p->shear, p->keep, p->h, z, g, g, mu * normal);
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

  /* what the force does beyond the energy of the deflection is lost */
  const double lost = (normal - spring) * rate, work = t.force * g, stuck = p->shear * (g * g);
  const double stored = 0.5 * p->kt * (z * z - t.z * t.z);
  s->normal += gap > 0.0 ? lost : 0.0;
  s->shear += t.slides ? 0.0 : stuck;
  s->slip += t.slides ? work : 0.0;
  s->jump += t.slides ? stored : 0.0;
  return t.z;
}

CAP_INLINE void touch_lanes(const around *restrict p, block *restrict k, sums *restrict a, bool stribeck)
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
    k->z[0][l] = touch(p, &s, 0.125, k->z[0][l], stribeck);
    k->z[1][l] = touch(p, &s, 0.375, k->z[1][l], stribeck);
    k->z[2][l] = touch(p, &s, 0.625, k->z[2][l], stribeck);
    k->z[3][l] = touch(p, &s, 0.875, k->z[3][l], stribeck);
    const double along = s.moment * per_square;
    k->fx[l] = lc * s.fx, k->fy[l] = lc * s.fy;
    k->sx[l] = lc * (s.sx + along * s.dy), k->sy[l] = lc * (s.sy - along * s.dx);
    k->m1[l] = lc * s.m1, k->m2[l] = lc * s.m2;
    a->fx[l] += k->fx[l], a->fy[l] += k->fy[l];
    a->friction[l] += lc * s.friction;
    a->normal[l] += lc * s.normal, a->shear[l] += lc * s.shear;
    a->slip[l] += lc * s.slip, a->jump[l] += lc * s.jump;
  }
}

/* ---- segments of a run -----------------------------------------------------------------------------------
 */

CAP_INLINE void load_node(const cap_eval *e, block *k, int l, int node)
{
  k->x[l] = e->q[node], k->y[l] = e->q[node + 1], k->phi[l] = e->q[node + 2];
  k->vx[l] = e->v_half[node], k->vy[l] = e->v_half[node + 1], k->omega[l] = e->v_half[node + 2];
}

/* `count` segments from `first` on; lanes beyond them are far from the pulley. */
CAP_INLINE void load_block(const cap_batch *b, const cap_eval *e, const around *p, block *k, int first,
                           int count)
{
  const double *z = e->x_march + b->x_adr + first * POINTS;
  for (int l = 0; l < count; l++) {
    load_node(e, k, l, b->i[first + l]);
    k->lc[l] = b->par[(first + l) * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH] * (1.0 / POINTS);
    for (int point = 0; point < POINTS; point++) k->z[point][l] = z[l * POINTS + point];
  }
  load_node(e, k, count, b->j[first + count - 1]);
  for (int l = count; l < WIDE; l++) {
    k->x[l + 1] = p->cx + 10.0 * (l + 1) * p->radius, k->y[l + 1] = p->cy, k->phi[l + 1] = 0.0;
    k->vx[l + 1] = k->vy[l + 1] = k->omega[l + 1] = k->lc[l] = 0.0;
    for (int point = 0; point < POINTS; point++) k->z[point][l] = 0.0;
  }
}

CAP_INLINE void store_block(const cap_batch *b, cap_eval *e, const block *k, int first, int count)
{
  double *z = e->x_march + b->x_adr + first * POINTS;
  for (int l = 0; l < count; l++) {
    double *hi = e->h + b->i[first + l], *hj = e->h + b->j[first + l];
    hi[0] += k->fx[l] - k->sx[l], hi[1] += k->fy[l] - k->sy[l], hi[2] += k->m1[l];
    hj[0] += k->sx[l], hj[1] += k->sy[l], hj[2] += k->m2[l];
    for (int point = 0; point < POINTS; point++) z[l * POINTS + point] = k->z[point][l];
  }
}

CAP_CLONES static void march_run(const cap_batch *b, cap_eval *e, const around *p, int first, int count,
                                 sums *a)
{
  block k;
  for (int done = 0; done < count; done += WIDE) {
    int n = count - done < WIDE ? count - done : WIDE;
    load_block(b, e, p, &k, first + done, n);
    if (p->fall != 0.0) touch_lanes(p, &k, a, true);
    else touch_lanes(p, &k, a, false);
    store_block(b, e, &k, first + done, n);
  }
}

/* ---- which segments may touch ----------------------------------------------------------------------------
 */

/* The hints: the way that may still be gone (m), the number of runs, the step for which KEEP has the factors
 * of the pulleys; for each segment its pulley (-1 none) and how clear of it the segment is (m); the runs. */
enum { HINT_LEFT, HINT_RUNS, HINT_STEP, HINT_KEEP = 8, HINT_SEGMENTS = CAP_BELT_MARCH_BATCH };

typedef struct run {
  double first, count, pulley;
} run;

typedef struct hints {
  double *batch, *owner, *clear;
  run *runs;
} hints;

static hints hints_of(const cap_batch *b, const cap_eval *e)
{
  double *all = e->hints + b->hint_adr, *each = all + HINT_SEGMENTS;
  return (hints){all, each, each + b->n, (run *)(void *)(each + 2 * b->n)};
}

/* Distance of the centre to the chord of a segment, less what it may bow towards it. */
static double distance(const cap_batch *b, const double *q, int k, double cx, double cy)
{
  const double *a = q + b->i[k], *c = q + b->j[k];
  double dx = c[0] - a[0], dy = c[1] - a[1], rx = cx - a[0], ry = cy - a[1], square = dx * dx + dy * dy;
  double along = fmin(fmax((dx * rx + dy * ry) / square, 0.0), 1.0), angle = capm_angle_of(dy, dx);
  double bow = fabs(capm_angle_wrap(a[2] - angle)) + fabs(capm_angle_wrap(c[2] - angle));
  rx -= along * dx, ry -= along * dy;
  return sqrt(rx * rx + ry * ry) - 0.15 * bow * sqrt(square);
}

/* Gives each segment the pulley that it is least clear of, if it can reach it. */
static void find_owners(const cap_batch *b, const double *q, int pulley, const around *p, hints *t,
                        double length)
{
  double reach = p->radius + (1.5 + budget) * length;
  for (int k = 0; k < b->n; k++) {
    double dx = q[b->i[k]] - p->cx, dy = q[b->i[k] + 1] - p->cy;
    if (dx * dx + dy * dy > reach * reach) continue;
    double clear = distance(b, q, k, p->cx, p->cy) - p->radius;
    if (clear < t->clear[k]) t->clear[k] = clear, t->owner[k] = pulley;
  }
}

/* Segments of the same pulley, each beginning where the one before ends. */
static void join_runs(const cap_batch *b, hints *t)
{
  int n = 0;
  for (int k = 0; k < b->n; k++) {
    if (t->owner[k] < 0.0) continue;
    bool joined = k > 0 && t->owner[k - 1] == t->owner[k] && b->j[k - 1] == b->i[k];
    if (joined) t->runs[n - 1].count += 1.0;
    else t->runs[n++] = (run){k, 1.0, t->owner[k]};
  }
  t->batch[HINT_RUNS] = n;
}

/* Longest segment and fastest node: how far any point of the belt may go in one second. */
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

static void find_runs(const cap_batch *b, cap_eval *e, int n, const around *pulleys, hints *t)
{
  double length = b->par[CAP_BELT_CONTACT_LENGTH], pace = 0.0;
  for (int k = 0; k < n; k++) pace = fmax(pace, hypot(pulleys[k].cvx, pulleys[k].cvy));
  t->batch[HINT_LEFT] -= e->march * (pace + pace_of(b, e->v_half, length));
  if (t->batch[HINT_LEFT] > 0.0) return;
  t->batch[HINT_LEFT] = budget * length;
  for (int k = 0; k < b->n; k++) t->owner[k] = -1.0, t->clear[k] = budget * length;
  for (int k = 0; k < n; k++) find_owners(b, e->q, k, &pulleys[k], t, length);
  join_runs(b, t);
}

/* ---- the step --------------------------------------------------------------------------------------------
 */

static around around_of(const double *par, const cap_eval *e)
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
              .h = e->march,
              .rotation = (int)par[CAP_BELT_PULLEY_ROTATION],
              .mount = cap_mount_at(par + CAP_BELT_PULLEY_MOUNT, e->q, 1)};
  double v = par[CAP_BELT_PULLEY_V_STRIBECK];
  if (v > 0.0) p.fall = par[CAP_BELT_PULLEY_MU_STATIC] - p.mu, p.per_v2 = M_LOG2E / (v * v);
  p.cx = p.mount.x, p.cy = p.mount.y;
  cap_mount_velocity(&p.mount, e->v_half, 1, &p.cvx, &p.cvy);
  p.surface = p.radius * e->v_half[p.rotation];
  return p;
}

static int arounds_of(const cap_batch *b, const cap_eval *e, hints *t, around *pulleys)
{
  int n = b->ncommon / CAP_BELT_PULLEY_NPARAM;
  bool known = t->batch[HINT_STEP] == e->march;
  t->batch[HINT_STEP] = e->march;
  for (int k = 0; k < n; k++) {
    around *p = &pulleys[k];
    *p = around_of(b->common + k * CAP_BELT_PULLEY_NPARAM, e);
    if (!known) t->batch[HINT_KEEP + k] = exp(-p->h * p->kt / p->shear);
    p->keep = t->batch[HINT_KEEP + k];
  }
  return n;
}

static double total(const double lanes[WIDE])
{
  double sum = 0.0;
  for (int l = 0; l < WIDE; l++) sum += lanes[l];
  return sum;
}

static void push_pulley(const cap_batch *b, cap_eval *e, int k, const around *p, const sums *a)
{
  int mech = b->mech_adr + k * CAP_BELT_NLOSS;
  cap_mount_push(&p->mount, e->h, 1, -total(a->fx), -total(a->fy));
  e->h[p->rotation] += p->radius * total(a->friction);
  if (e->power) {
    e->power[mech + CAP_BELT_LOSS_NORMAL] = total(a->normal);
    e->power[mech + CAP_BELT_LOSS_SHEAR] = total(a->shear);
    e->power[mech + CAP_BELT_LOSS_SLIP] = total(a->slip);
  }
  if (e->jump) e->jump[mech + CAP_BELT_LOSS_SLIP] += total(a->jump);
}

void cap_belt_march_step(const cap_batch *b, cap_eval *e)
{
  around pulleys[CAP_BELT_PULLEYS_MOST];
  assert(e->hints && e->nlane == 1);
  hints t = hints_of(b, e);
  int n = arounds_of(b, e, &t, pulleys), nrun = 0;
  find_runs(b, e, n, pulleys, &t);
  nrun = (int)t.batch[HINT_RUNS];
  for (int k = 0; k < n; k++) {
    sums a = {0};
    for (int r = 0; r < nrun; r++)
      if ((int)t.runs[r].pulley == k)
        march_run(b, e, &pulleys[k], (int)t.runs[r].first, (int)t.runs[r].count, &a);
    push_pulley(b, e, k, &pulleys[k], &a);
  }
}
