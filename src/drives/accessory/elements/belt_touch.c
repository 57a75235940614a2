/* drives/accessory/elements/belt_touch.c — belt segments on pulleys, in vector registers.
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
#include "drives/accessory/elements/belt_touch.h"
#include "base/clones.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"
#include "laws/pow.h"
#include "laws/stick.h"

#include <math.h>

enum { POINTS = CAP_BELT_CONTACT_POINTS, WIDE = 32, LANES = 8, FEW = 4 };
static const double budget = 0.2; /* of a segment */

/* ---- a block of segments on one pulley ----------------------------------------------------------------- */

/* A pulley at the moment; what the law has, per length of belt. */
typedef struct around {
  double cx, cy, cvx, cvy, radius, lever, side,
      surface; /* radius of the surface; surface: speed of the rim */
  double k, c, per_touch;
  double kt, per_kt, shear, keep;
  capm_friction_lane friction;
  capm_friction_form form;
  double h, half; /* s */
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
  double angle[WIDE];     /* of the chord */
  double z[POINTS][WIDE]; /* deflections; then those after the step, or their rates */
  SEGMENT_SUMS(SUM_ARRAY)
  SEGMENT_SHOWN(SUM_ARRAY)
} block;

/* A segment while its points are worked off; sums per length of a point: force on both nodes and of it on the
 * second, moments, friction, losses, the energy that slip takes from deflections. */
typedef struct lane {
  double px, py, vx, vy, dx, dy, dvx, dvy; /* p: on the chord, from the centre */
  double th1, th2, w1, w2;                 /* against the chord */
  SEGMENT_SUMS(SUM_MEMBER)
  SEGMENT_SHOWN(SUM_MEMBER)
} lane;

/* What is wanted of a kernel, known when it is compiled. */
typedef struct want {
  bool march;
  capm_friction_form form;
  bool shown;
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

/* Point `m` of the segment, m = 0 ... 3, at xi = (m + 1/2)/4: deflection in, deflection (or its rate) out. */
CAP_INLINE double touch(const around *p, lane *s, int m, double z, want w)
{
  const double xi = (m + 0.5) / POINTS, rest = 1.0 - xi, h1 = xi * rest * rest, h2 = -xi * xi * rest;
  const double eta = h1 * s->th1 + h2 * s->th2, bow = h1 * s->w1 + h2 * s->w2;
  const double rx = s->px - eta * s->dy, ry = s->py + eta * s->dx;
  const double ux = s->vx - (eta * s->dvy + bow * s->dy), uy = s->vy + (eta * s->dvx + bow * s->dx);
  s->px += s->dx * (1.0 / POINTS), s->py += s->dy * (1.0 / POINTS); /* on to the next point */
  s->vx += s->dvx * (1.0 / POINTS), s->vy += s->dvy * (1.0 / POINTS);
  const double dist = sqrt(rx * rx + ry * ry), per = 1.0 / dist, nx = rx * per, ny = ry * per;
  const double round = nx * uy - ny * ux, apart = nx * ux + ny * uy, into = p->radius - dist;
  const double rate = w.march ? p->half * per * (round * round) - apart : -apart;
  const double g = p->side * round - p->surface;

  const double gap = into > 0.0 ? into : 0.0, part = gap * p->per_touch, u = part < 1.0 ? part : 1.0;
  const double spring = p->k * gap, damped = spring + (p->c * rate) * (u * (2.0 - u));
  const double normal = damped > 0.0 ? damped : 0.0;

  const double mu = capm_friction_lane_at(&p->friction, g * g, w.form, true);
  const pressing t = stick(p, z, g, mu * normal, w);
  const double along = p->side * t.force, fx = normal * nx + along * ny, fy = normal * ny - along * nx;

  const double moment = fy * s->dx - fx * s->dy;
  s->fx += fx;
  s->fy += fy;
  s->sx += xi * fx + eta * fy;
  s->sy += xi * fy - eta * fx;
  s->m1 += h1 * moment;
  s->m2 += h2 * moment;
  s->friction += t.force;

  s->normal += (normal - spring) * rate;
  if (w.march) { /* what the force does beyond the energy of the deflection is lost */
    const double square = g * g, work = t.force * g, change = (z - t.z) * (z + t.z);
    s->shear += t.slides > 0.0 ? 0.0 : square;
    s->slip += t.slides > 0.0 ? work : 0.0;
    s->jump += t.slides > 0.0 ? change : 0.0;
  } else {
    s->shear += t.z * t.z;
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

/* The chains of operations are long: with the angles found before those of neighbouring lanes overlap. */
CAP_INLINE void find_angles(block *restrict k, int c, int lanes)
{
  CAP_EACH_LANE(l, lanes)
  k->angle[c + l] = capm_angle_of(k->y[c + l + 1] - k->y[c + l], k->x[c + l + 1] - k->x[c + l]);
}

CAP_INLINE void touch_lanes(const around *restrict p, block *restrict k, int c, int lanes, want w)
{
  CAP_EACH_LANE(n, lanes)
  {
    const int l = c + n;
    lane s = {.dx = k->x[l + 1] - k->x[l],
              .dy = k->y[l + 1] - k->y[l],
              .dvx = k->vx[l + 1] - k->vx[l],
              .dvy = k->vy[l + 1] - k->vy[l]};
    s.px = (k->x[l] - p->cx) + s.dx * (0.5 / POINTS), s.py = (k->y[l] - p->cy) + s.dy * (0.5 / POINTS);
    s.vx = (k->vx[l] - p->cvx) + s.dvx * (0.5 / POINTS), s.vy = (k->vy[l] - p->cvy) + s.dvy * (0.5 / POINTS);
    const double angle = k->angle[l], per_square = 1.0 / (s.dx * s.dx + s.dy * s.dy);
    const double turn = (s.dx * s.dvy - s.dy * s.dvx) * per_square, lc = k->lc[l];
    s.th1 = capm_angle_wrap(k->phi[l] - angle), s.th2 = capm_angle_wrap(k->phi[l + 1] - angle);
    s.w1 = k->omega[l] - turn, s.w2 = k->omega[l + 1] - turn;
    k->z[0][l] = touch(p, &s, 0, k->z[0][l], w);
    k->z[1][l] = touch(p, &s, 1, k->z[1][l], w);
    k->z[2][l] = touch(p, &s, 2, k->z[2][l], w);
    k->z[3][l] = touch(p, &s, 3, k->z[3][l], w);
    const double along = (s.m1 + s.m2) * per_square, peak = s.peak;
    s.sx += along * s.dy, s.sy -= along * s.dx;
    s.shear *= p->shear, s.jump *= 0.5 * p->kt;
    SEGMENT_SUMS(SUM_STORE)
    if (w.shown) {
      SEGMENT_SHOWN(SUM_STORE)
      k->peak[l] = peak;
    }
  }
}

/* ---- segments of a run --------------------------------------------------------------------------------- */

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
  for (int l = count; l % FEW; l++) {
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
    out[CAP_BELT_CONTACT_SPEED] = k->pressed[l] > 0.0 ? k->slipping[l] / k->pressed[l] : 0.0;
  }
}

/* All that is not the march of plain friction, a few lanes at a time. */
CAP_INLINE void touch_few(const job *j, const around *p, block *k, int count, capm_friction_form form)
{
  for (int c = 0; c < count; c += FEW) {
    if (j->march) touch_lanes(p, k, c, FEW, (want){true, form, true});
    else touch_lanes(p, k, c, FEW, (want){false, form, true});
  }
}

/* Eight lanes at a time; the last few, if they are no more than four, as four. */
CAP_INLINE void touch_block(const job *j, const around *p, block *k, int count)
{
  const bool plain = j->march && p->form == CAPM_FRICTION_CONSTANT && !j->e->force;
  int even = (count + LANES - FEW - 1) / LANES * LANES;
  for (int c = 0; c < even; c += LANES) find_angles(k, c, LANES);
  if (even < count) find_angles(k, even, FEW);
  if (plain) {
    for (int c = 0; c < even; c += LANES)
      touch_lanes(p, k, c, LANES, (want){true, CAPM_FRICTION_CONSTANT, false});
    if (even < count) touch_lanes(p, k, even, FEW, (want){true, CAPM_FRICTION_CONSTANT, false});
    return;
  }
  switch (p->form) {
#define FORM(name)                                                                                           \
  case CAPM_FRICTION_##name:                                                                                 \
    touch_few(j, p, k, count, CAPM_FRICTION_##name);                                                         \
    break;
    CAPM_FRICTION_FORMS(FORM)
  }
}

CAP_CLONES static void touch_run(const job *j, int pulley, int first, int count)
{
  const around *p = &j->pulleys[pulley];
  const bool shown = j->e->force;
  double *sum = j->sums + pulley * NSUM;
  block k;
  for (int done = 0; done < count; done += WIDE) {
    int n = count - done < WIDE ? count - done : WIDE, at = first + done;
    load_block(j, p, &k, at, n);
    touch_block(j, p, &k, n);
    store_block(j, &k, sum, at, n);
    if (shown) show_block(j, &k, pulley, at, n);
  }
}

/* ---- which segments may touch -------------------------------------------------------------------------- */

/* Distance of the centre to the chord of a segment. */
static double distance(const double *a, const double *c, const around *p)
{
  double dx = c[0] - a[0], dy = c[1] - a[1], rx = p->cx - a[0], ry = p->cy - a[1];
  double along = (dx * rx + dy * ry) / (dx * dx + dy * dy);
  along = along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
  rx -= along * dx, ry -= along * dy;
  return sqrt(rx * rx + ry * ry);
}

/* What a segment may bow beyond its chord. */
static double bow_of(const double *a, const double *c)
{
  double dx = c[0] - a[0], dy = c[1] - a[1], angle = capm_angle_of(dy, dx);
  double turns = fabs(capm_angle_wrap(a[2] - angle)) + fabs(capm_angle_wrap(c[2] - angle));
  return 0.15 * turns * sqrt(dx * dx + dy * dy);
}

enum { SKIP = 3, SKIP_MOST = 10 }; /* segments at a time that a search passes over */

/* The pulley that a segment is least clear of, -1 where it is clear of all: then *skip receives how many of
 * the next segments of the chain are so, too, as chords are shorter than 1.5 segments. */
static int owner_of(const job *j, int k, int *skip)
{
  const double *a = j->e->q + j->b->i[k], *c = j->e->q + j->b->j[k];
  double length = j->b->par[k * CAP_BELT_CONTACT_NPARAM + CAP_BELT_CONTACT_LENGTH];
  double reach = budget * length, far = (1.5 + budget) * length, chord = 1.5 * length, least = INFINITY;
  int owner = -1;
  *skip = j->b->uniform ? SKIP_MOST : 0;
  for (int n = 0; n < j->n; n++) {
    const around *p = &j->pulleys[n];
    double dx = a[0] - p->cx, dy = a[1] - p->cy, square = dx * dx + dy * dy, most = p->radius + far;
    double ahead = most + *skip * chord;
    if (square > ahead * ahead) continue;
    *skip = square > (most + SKIP * chord) * (most + SKIP * chord) && *skip ? SKIP : 0;
    if (square > most * most) continue;
    double clear = distance(a, c, p) - p->radius;
    if (clear >= least || (clear >= reach && clear >= reach + bow_of(a, c))) continue;
    least = clear, owner = n;
  }
  return owner;
}

/* Whether a segment belongs to the pulley of the one before it. Pulleys do not overlap: one that lies on a
 * pulley is asked about no other. */
static bool stays(const job *j, int k, int owner)
{
  const around *p = &j->pulleys[owner];
  int skip;
  return distance(j->e->q + j->b->i[k], j->e->q + j->b->j[k], p) <= p->radius ||
         owner_of(j, k, &skip) == owner;
}

typedef struct run {
  double first, count, pulley;
} run;

/* From segment k on, the next run of segments of one pulley, each beginning where the one before ends. */
static bool next_run(const job *j, int *k, run *r)
{
  int skip;
  while (*k < j->b->n) {
    int owner = owner_of(j, *k, &skip), first = (*k)++;
    while (skip-- > 0 && *k < j->b->n && j->b->j[*k - 1] == j->b->i[*k]) ++*k;
    if (owner < 0) continue;
    while (*k < j->b->n && j->b->j[*k - 1] == j->b->i[*k] && stays(j, *k, owner)) ++*k;
    *r = (run){first, *k - first, owner};
    return true;
  }
  return false;
}

/* The hints: the way that may still be gone (m), the number of runs, the step for which KEEP has the factors
 * of the pulleys, whether the nodes follow each other; the runs. */
enum { HINT_LEFT, HINT_RUNS, HINT_STEP, HINT_IN_ROW, HINT_KEEP = 8, HINT_LIST = CAP_BELT_TOUCH_BATCH };

/* Largest squares of speeds and of turning of n nodes, `step` doubles apart. */
CAP_CLONES static void fastest_of(int n, int step, const double *restrict v, double *speed, double *turning)
{
  double fast = *speed, turns = *turning;
  if (step == 3) {
    for (int k = 0; k < n; k++) {
      const double square = v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1], turn = fabs(v[3 * k + 2]);
      fast = square > fast ? square : fast;
      turns = turn > turns ? turn : turns;
    }
  } else {
    const double square = v[0] * v[0] + v[1] * v[1], turn = fabs(v[2]);
    fast = square > fast ? square : fast;
    turns = turn > turns ? turn : turns;
  }
  *speed = fast;
  *turning = turns;
}

/* How far any point of the belt may go in a second, from its nodes. */
static double pace_of(const job *j, const double *hints, double length)
{
  const cap_batch *b = j->b;
  double speed = 0.0, turning = 0.0, moves = 0.0;
  if (hints[HINT_IN_ROW] > 0.0) fastest_of(b->n, 3, j->v + b->i[0], &speed, &turning);
  else
    for (int k = 0; k < b->n; k++) fastest_of(1, 0, j->v + b->i[k], &speed, &turning);
  for (int k = 0; k < j->n; k++)
    if (j->pulleys[k].mount.arm >= 0 || j->pulleys[k].mount.hub >= 0)
      moves = fmax(moves, hypot(j->pulleys[k].cvx, j->pulleys[k].cvy));
  return 1.6 * sqrt(speed) + 0.3 * length * turning + moves;
}

/* Whether the first nodes of all segments follow each other. */
static double in_row(const cap_batch *b)
{
  for (int k = 1; k < b->n; k++)
    if (b->i[k] != b->i[0] + 3 * k) return 0.0;
  return 1.0;
}

/* Keeps the list of runs; makes it anew when something may have moved as far as it allows. */
static void touch_listed(const job *j, double *hints)
{
  double length = j->b->par[CAP_BELT_CONTACT_LENGTH];
  run *list = (run *)(void *)(hints + HINT_LIST);
  if (hints[HINT_LEFT] > 0.0) hints[HINT_LEFT] -= j->e->march * pace_of(j, hints, length);
  if (!(hints[HINT_LEFT] > 0.0)) {
    int k = 0, n = 0;
    hints[HINT_IN_ROW] = in_row(j->b);
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

/* ---- the batch ----------------------------------------------------------------------------------------- */

static around around_of(const double *par, const job *j)
{
  const capm_friction friction = capm_friction_from(par + CAP_BELT_PULLEY_FRICTION);
  around p = {.radius = par[CAP_BELT_PULLEY_RADIUS] + par[CAP_BELT_PULLEY_SINK],
              .lever = par[CAP_BELT_PULLEY_RADIUS],
              .side = par[CAP_BELT_PULLEY_SIDE],
              .k = par[CAP_BELT_PULLEY_NORMAL],
              .c = par[CAP_BELT_PULLEY_DAMPING],
              .per_touch = 1.0 / par[CAP_BELT_PULLEY_TOUCH],
              .kt = par[CAP_BELT_PULLEY_TANGENTIAL],
              .per_kt = 1.0 / par[CAP_BELT_PULLEY_TANGENTIAL],
              .shear = par[CAP_BELT_PULLEY_SHEAR],
              .friction = capm_friction_lane_of(&friction, true),
              .form = capm_friction_form_of(&friction),
              .h = j->march ? j->e->march : 0.0,
              .half = j->march ? 0.5 * j->e->march : 0.0,
              .rotation = (int)par[CAP_BELT_PULLEY_ROTATION],
              .mount = cap_mount_at(par + CAP_BELT_PULLEY_MOUNT, j->e->q, 1)};
  p.cx = p.mount.x, p.cy = p.mount.y;
  cap_mount_velocity(&p.mount, j->v, 1, &p.cvx, &p.cvy);
  p.surface = p.lever * j->v[p.rotation];
  return p;
}

/* exp is a call: its values are kept while the step stays. */
static void place_pulleys(const job *j, double *hints)
{
  bool known = hints && j->e->march > 0.0 && hints[HINT_STEP] == j->e->march; /* 0: nothing is known yet */
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
  e->h[p->rotation] += p->lever * sum[SUM_FRICTION];
  const double lost[CAP_BELT_NLOSS] = {sum[SUM_NORMAL], sum[SUM_SHEAR], sum[SUM_SLIP]};
  for (int m = 0; m < CAP_BELT_NLOSS; m++) {
    if (e->power) e->power[mech + m] = j->march ? 0.0 : lost[m];
    if (j->march && e->jump) e->jump[mech + m] += p->h * lost[m];
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
