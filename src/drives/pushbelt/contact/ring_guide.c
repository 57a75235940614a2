/* drives/pushbelt/contact/ring_guide.c — see ring_guide.h. */
#include "drives/pushbelt/contact/ring_guide.h"
#include "base/clones.h"
#include "drives/pushbelt/impulses/held.h"
#include "drives/pushbelt/impulses/pushbelt_impulses.h"
#include "drives/pushbelt/ring/ring_crowd.h"
#include "laws/sine.h"
#include "laws/stick.h"
#include "step/staggered.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUP = CAP_RING_CROWD_GROUP, LANES = 8, PARTS = CAP_VARIATOR_SECTIONS };

/* Of a simulated element. */
typedef struct law {
  double height, slot, half_thick;   /* m: of the saddle; from saddle to ear; of the pack */
  double saddle, ear, delay;         /* N/m, s */
  double stick, per_stick, drag, mu; /* N/m, m/N, N s/m */
  double keep, dt, half;             /* of a deflection that slides; s, whole and half a step */
} law;

/* What the elements have in common that is more than numbers. */
typedef struct guide {
  const cap_ring *ring;
  int x, y, pitch;
  law law;
  capm_friction friction;
  bool coulomb;
  bool held, rigid;                 /* friction, saddle and ear set-valued */
  cap_ring_guide_sections sections; /* or NULLs */
} guide;

/* ---- kernels ------------------------------------------------------------------------------------------- */

/* A group of elements: state, contact, answers. */
typedef struct group {
  cap_ring_group at;
  _Alignas(64) double ax[GROUP], ay[GROUP];          /* from the centre of gravity to the saddle */
  double depth[GROUP], closing[GROUP], slide[GROUP]; /* of the saddle; its rate; m/s */
  double ear[GROUP];                                 /* the slot where the ear touches, else 0 */
  double normal[GROUP], spring[GROUP], limit[GROUP]; /* saddle less ear; of the springs; mu |N| */
  double z[GROUP], friction[GROUP];                  /* deflection (then its next, or rate); on the element */
  double lost[CAP_RING_GUIDE_NLOSS][GROUP];          /* W, or J over the step */
} group;

CAP_CLONES __attribute__((noinline)) static void place(double height, int n, const double *restrict x,
                                                       const double *restrict y, const double *restrict pitch,
                                                       double *restrict ax, double *restrict ay,
                                                       double *restrict px, double *restrict py)
{
  CAP_EACH_LANE(k, n)
  {
    double cosine;
    ax[k] = -height * capm_sine_both(pitch[k], &cosine);
    ay[k] = height * cosine;
    px[k] = x[k] + ax[k];
    py[k] = y[k] + ay[k];
  }
}

/* Velocities and normal forces. Friction acts where the surfaces touch: on the ear this is the slot's height
 * along the ring's normal from the saddle's point. */
CAP_CLONES __attribute__((noinline)) static void press(const law *restrict w, int n,
                                                       const double *restrict vx, const double *restrict vy,
                                                       const double *restrict turn, group *restrict g)
{
  const double half_thick = w->half_thick, slot = w->slot, delay = w->delay, mu = w->mu;
  const double saddle = w->saddle, ear = w->ear, half = w->half;
  CAP_EACH_LANE(k, n)
  {
    const double tx = g->at.tx[k], ty = g->at.ty[k], d = g->at.d[k], omega = turn[k];
    const double ux = vx[k] - omega * g->ay[k] - g->at.ux[k], uy = vy[k] + omega * g->ax[k] - g->at.uy[k];
    const double closing = tx * uy - ty * ux - half * g->at.bend[k];
    const double depth = d + half_thick, over = half_thick - d - slot;
    const double on = depth > 0.0 ? depth : 0.0, under = over > 0.0 ? over : 0.0;
    const double N = depth > 0.0 ? depth + delay * closing : 0.0;
    const double E = over > 0.0 ? over - delay * closing : 0.0;
    const double Ns = N > 0.0 ? saddle * N : 0.0, Ne = E > 0.0 ? ear * E : 0.0;
    const double off = under > 0.0 ? slot : 0.0;
    g->depth[k] = depth;
    g->closing[k] = closing;
    g->ear[k] = off;
    g->slide[k] = tx * ux + ty * uy - omega * off + (d + off) * g->at.turn[k];
    g->normal[k] = Ns - Ne;
    g->spring[k] = saddle * on - ear * under;
    g->limit[k] = mu * (Ns + Ne);
    g->lost[CAP_RING_GUIDE_DAMPING][k] = ((Ns - Ne) - g->spring[k]) * closing;
  }
}

/* The bristle over a step. What the force does beyond the energy of the deflection is lost. */
CAP_CLONES __attribute__((noinline)) static void march(const law *restrict w, int n, group *restrict g)
{
  const double k = w->stick, per = w->per_stick, d = w->drag, keep = w->keep, dt = w->dt;
  CAP_EACH_LANE(i, n)
  {
    const double z = g->z[i], v = g->slide[i];
    const capm_stick_step s = capm_stick_march(k, per, d, keep, dt, z, v, v, g->limit[i]);
    const double slid = dt * s.force * v + 0.5 * k * ((z - s.z) * (z + s.z)), stuck = dt * d * (v * v);
    g->friction[i] = -s.force;
    g->z[i] = s.z;
    g->lost[CAP_RING_GUIDE_LONGITUDINAL][i] = s.slides > 0.0 ? slid : stuck;
    g->lost[CAP_RING_GUIDE_DAMPING][i] *= dt;
  }
}

/* Set-valued friction: z is the force. */
static void hold(int n, group *g)
{
  for (int k = 0; k < n; k++) {
    g->friction[k] = g->z[k];
    g->lost[CAP_RING_GUIDE_LONGITUDINAL][k] = 0.0;
  }
}

/* The same of saddle or ear, whichever the ring is nearer to. */
static void hold_normal(const law *w, int n, const double *force, const double *turn, group *g)
{
  for (int k = 0; k < n; k++) {
    bool under = 2.0 * g->depth[k] < 2.0 * w->half_thick - w->slot;
    double off = under ? w->slot : 0.0;
    g->slide[k] += (off - g->ear[k]) * (g->at.turn[k] - turn[k]);
    g->ear[k] = off;
    g->normal[k] = under ? -force[k] : force[k];
    g->limit[k] = w->mu;
    g->lost[CAP_RING_GUIDE_DAMPING][k] = 0.0;
  }
}

/* The law at a moment: z becomes its rate. Without a damper deflections beyond the limit do not move. */
CAP_CLONES __attribute__((noinline)) static void rate(const law *restrict w, int n, group *restrict g)
{
  const double k = w->stick, d = w->drag, per_drag = d > 0.0 ? 1.0 / d : 0.0;
  CAP_EACH_LANE(i, n)
  {
    const double z = g->z[i], v = g->slide[i], limit = g->limit[i], trial = k * z + d * v;
    const double above = trial > limit ? limit : trial, force = above < -limit ? -limit : above;
    const double rate = force != trial ? (force - k * z) * per_drag : v;
    g->friction[i] = -force;
    g->z[i] = rate;
    g->lost[CAP_RING_GUIDE_LONGITUDINAL][i] = force * v - k * z * rate;
  }
}

/* Forces on the elements, added to theirs, and those on the ring. */
CAP_CLONES __attribute__((noinline)) static void push(int n, group *restrict g, double *restrict hx,
                                                      double *restrict hy, double *restrict hp)
{
  CAP_EACH_LANE(k, n)
  {
    const double tx = g->at.tx[k], ty = g->at.ty[k], N = g->normal[k], f = g->friction[k], off = g->ear[k];
    const double fx = N * ty + f * tx, fy = f * ty - N * tx;
    hx[k] += fx;
    hy[k] += fy;
    hp[k] += g->ax[k] * fy - g->ay[k] * fx - off * f;
    g->at.fx[k] = -fx;
    g->at.fy[k] = -fy;
    g->at.moment[k] = (g->at.d[k] + off) * f;
  }
}

/* From where to search: the last foot, moved on at its last pace. */
CAP_CLONES __attribute__((noinline)) static void foresee(int n, double length, double dt,
                                                         const double *restrict warm,
                                                         const double *restrict pace, double *restrict xi)
{
  CAP_EACH_LANE(k, n)
  {
    double x = warm[k] - length + dt * pace[k];
    x = x < 0.0 ? x + length : x;
    xi[k] = x >= length ? x - length : x;
  }
}

CAP_CLONES __attribute__((noinline)) static void remember(int n, double length, double dt,
                                                          const double *restrict xi, double *restrict warm,
                                                          double *restrict pace)
{
  const double per = 1.0 / dt, half = 0.5 * length;
  CAP_EACH_LANE(k, n)
  {
    const double x = xi[k] + length, way = x - warm[k], less = way > half ? way - length : way;
    pace[k] = (less < -half ? less + length : less) * per;
    warm[k] = x;
  }
}

typedef double eight __attribute__((vector_size(LANES * sizeof(double))));
typedef long long mask __attribute__((vector_size(LANES * sizeof(double))));

/* Sums by section: eight lanes of each, in one order for all widths. */
CAP_CLONES __attribute__((noinline)) static void
count(int n, const double *restrict lost, const double *restrict section, double (*restrict sum)[LANES])
{
  eight total[PARTS], in, loss;
  int first = 0;
  memcpy(total, sum, sizeof total);
  for (; first + LANES <= n; first += LANES) {
    memcpy(&in, section + first, sizeof in);
    memcpy(&loss, lost + first, sizeof loss);
    for (int p = 0; p < PARTS; p++) total[p] += (eight)((mask)loss & (in == (double)p));
  }
  memcpy(sum, total, sizeof total);
  for (int k = first; k < n; k++) sum[(int)section[k]][k - first] += lost[k];
}

/* ---- the batch ----------------------------------------------------------------------------------------- */

/* All that one evaluation needs. */
typedef struct job {
  const cap_batch *b;
  cap_eval *e;
  const guide *guide;
  law law;
  const double *v, *x; /* velocities, deflections */
  double *out;         /* [n] where deflections or rates go */
  double *xi, *pace;   /* [n] m + length (never 0), m/s: warm; or NULL */
  const double *start; /* [n] where there is nothing warm */
  const double *section;
  bool marches;
  double sums[CAP_RING_GUIDE_NLOSS][PARTS][LANES];
} job;

static const double *sections_of(const guide *g, const cap_batch *b, const cap_eval *e)
{
  if (!g->sections.of) return NULL;
  return e->x + g->sections.sections(b + b->reads[0]);
}

static void start_group(const job *j, int first, int n, double *xi)
{
  if (j->start) memcpy(xi, j->start + first, sizeof(double) * (size_t)n);
  else foresee(n, j->guide->ring->length, j->law.dt, j->xi + first, j->pace + first, xi);
}

static void keep_group(const job *j, int first, int n, const double *xi)
{
  const double L = j->guide->ring->length;
  if (!j->xi) return;
  if (!j->start && j->law.dt > 0.0) {
    remember(n, L, j->law.dt, xi, j->xi + first, j->pace + first);
    return;
  }
  for (int k = 0; k < n; k++) j->xi[first + k] = xi[k] + L;
  for (int k = 0; j->start && k < n; k++) j->pace[first + k] = 0.0;
}

/* mu over the sliding speed. */
static void slacken(const guide *g, int n, group *at)
{
  for (int k = 0; k < n; k++) at->limit[k] *= capm_friction_at(&g->friction, fabs(at->slide[k]), NULL);
}

static void show(const job *j, int first, int n, const group *g)
{
  const cap_batch *b = j->b;
  double *out = j->e->force + b->output_adr + (ptrdiff_t)first * CAP_RING_GUIDE_NOUTPUT;
  for (int k = 0; k < n; k++, out += CAP_RING_GUIDE_NOUTPUT) {
    cap_ring_point p;
    cap_ring_point_at(j->guide->ring, j->e->q, g->at.xi[k], &p);
    j->e->force[b->elem_adr + first + k] = out[CAP_RING_GUIDE_NORMAL] = g->normal[k];
    out[CAP_RING_GUIDE_FRICTION] = g->friction[k];
    out[CAP_RING_GUIDE_SLIDE] = g->slide[k];
    out[CAP_RING_GUIDE_GAP] = -g->depth[k];
    out[CAP_RING_GUIDE_XI] = g->at.xi[k];
    out[CAP_RING_GUIDE_TENSION] = p.tension;
  }
}

/* A ring that does not stretch has no tension of its own: it is what the contacts demand of a thin ring in
 * stationary travel, docs/theory.md §46.2. Differences come from friction, the level from normal forces. */
static void balance_tension(const job *j)
{
  const cap_ring *ring = j->guide->ring;
  double *out = j->e->force + j->b->output_adr, sum = 0.0, turned = 0.0, missing = 0.0;
  const double *before = out + (ptrdiff_t)(j->b->n - 1) * CAP_RING_GUIDE_NOUTPUT, *v = j->e->v;
  double speed = ring->flow >= 0 ? v[ring->flow] : 0.0, thrown = ring->section.mass * speed * speed;
  for (int k = 0; k < j->b->n; k++, before = out, out += CAP_RING_GUIDE_NOUTPUT) {
    cap_ring_point p;
    double way = out[CAP_RING_GUIDE_XI] - before[CAP_RING_GUIDE_XI];
    cap_ring_point_at(ring, j->e->q, out[CAP_RING_GUIDE_XI], &p);
    double turn = p.curvature * (way < 0.0 ? way + ring->length : way);
    sum += out[CAP_RING_GUIDE_FRICTION];
    out[CAP_RING_GUIDE_TENSION] = sum;
    turned += turn;
    missing += out[CAP_RING_GUIDE_NORMAL] - (sum - thrown) * turn;
  }
  double level = turned > 0.0 ? missing / turned : 0.0;
  out = j->e->force + j->b->output_adr;
  for (int k = 0; k < j->b->n; k++, out += CAP_RING_GUIDE_NOUTPUT) out[CAP_RING_GUIDE_TENSION] += level;
}

static void add_losses(job *j, int first, int n, const group *g)
{
  static const double zero[GROUP] = {0.0};
  const double *section = j->section ? j->section + first : zero;
  for (int m = 0; m < CAP_RING_GUIDE_NLOSS; m++) count(n, g->lost[m], section, j->sums[m]);
}

/* ---- set-valued ---------------------------------------------------------------------------------------- */

/* Rows are those of the middle of the step, when directions have turned with the ring's section. Row of the
 * gap of saddle (side 1) or ear (-1): forces on element and ring, each by 1 N. */
CAP_CLONES __attribute__((noinline)) static void row_normal(int n, double ahead, group *restrict g,
                                                            const double *restrict side, double *restrict ex,
                                                            double *restrict ey, double *restrict ep)
{
  CAP_EACH_LANE(k, n)
  {
    const double fx = side[k] * g->at.ty[k], fy = -side[k] * g->at.tx[k], s = ahead * g->at.turn[k];
    ex[k] = fx - s * fy;
    ey[k] = fy + s * fx;
    ep[k] = g->ax[k] * fy - g->ay[k] * fx;
    g->at.fx[k] = -ex[k];
    g->at.fy[k] = -ey[k];
    g->at.moment[k] = 0.0;
  }
}

CAP_CLONES __attribute__((noinline)) static void row_tangent(int n, double ahead, group *restrict g,
                                                             double *restrict ex, double *restrict ey,
                                                             double *restrict ep)
{
  CAP_EACH_LANE(k, n)
  {
    const double fx = g->at.tx[k], fy = g->at.ty[k], s = ahead * g->at.turn[k];
    ex[k] = fx - s * fy;
    ey[k] = fy + s * fx;
    ep[k] = g->ax[k] * fy - g->ay[k] * fx - g->ear[k];
    g->at.fx[k] = -ex[k];
    g->at.fy[k] = -ey[k];
    g->at.moment[k] = g->at.d[k] + g->ear[k];
  }
}

static void tell_row(const cap_held *h, int row, const cap_ring_crowd *crowd, cap_ring_group *at, int first)
{
  cap_ring_crowd_rows(crowd, at, h->link + first, h->on_ring[row] + first, h->travel[row] + first,
                      h->ratio[row] + first);
}

/* What a stepper needs to find the forces. */
static void give_rows(const job *j, const cap_ring_crowd *crowd, int first, int n, group *g)
{
  const law *w = &j->law;
  cap_held *h = j->e->held;
  double **normal = h->arm[CAP_HELD_NORMAL], **tangent = h->arm[CAP_HELD_TANGENT];
  h->ring = j->guide->ring;
  for (int k = 0; k < n; k++) {
    h->section[first + k] = j->section ? j->section[first + k] : 0.0;
    h->limit_ring[first + k] = g->limit[k];
    h->turning[CAP_HELD_TANGENT][first + k] = 0.0;
  }
  row_tangent(n, h->ahead, g, tangent[0] + first, tangent[1] + first, tangent[2] + first);
  tell_row(h, CAP_HELD_TANGENT, crowd, &g->at, first);
  if (!j->guide->rigid) return;
  for (int k = 0; k < n; k++) {
    bool under = g->ear[k] > 0.0;
    h->side[first + k] = under ? -1.0 : 1.0;
    h->gap[first + k] = under ? w->slot - 2.0 * w->half_thick + g->depth[k] : -g->depth[k];
    h->turning[CAP_HELD_NORMAL][first + k] = 0.5 * (under ? g->at.bend[k] : -g->at.bend[k]);
  }
  row_normal(n, h->ahead, g, h->side + first, normal[0] + first, normal[1] + first, normal[2] + first);
  tell_row(h, CAP_HELD_NORMAL, crowd, &g->at, first);
  for (int k = 0; k < n; k++) h->travel[CAP_HELD_NORMAL][first + k] = 0.0; /* the ring's place goes along */
}

/* Then these do not act themselves. */
static void release(int n, bool rigid, group *g)
{
  for (int k = 0; k < n; k++) {
    g->friction[k] = 0.0;
    if (rigid) g->normal[k] = 0.0;
  }
}

static void take_law(const job *j, int first, int n, group *g)
{
  const guide *u = j->guide;
  const double *x = j->x + first;
  if (u->rigid) hold_normal(&j->law, n, x + CAP_HELD_NORMAL * j->b->n, j->v + u->pitch + first, g);
  if (!u->coulomb) slacken(u, n, g);
  if (u->held) {
    memcpy(g->z, x + CAP_HELD_TANGENT * j->b->n, sizeof(double) * (size_t)n);
    hold(n, g);
    if (j->marches) /* of the dampers, over the step */
      for (int k = 0; k < n; k++) g->lost[CAP_RING_GUIDE_DAMPING][k] *= j->law.dt;
    return;
  }
  memcpy(g->z, x, sizeof(double) * (size_t)n);
  if (j->marches) march(&j->law, n, g);
  else rate(&j->law, n, g);
  memcpy(j->out + first, g->z, sizeof(double) * (size_t)n);
}

static void work_group(job *j, cap_ring_crowd *crowd, int first, int n)
{
  const guide *u = j->guide;
  const double *q = j->e->q, *v = j->v;
  double *h = j->e->h;
  group g;
  g.at.n = n;
  place(j->law.height, n, q + u->x + first, q + u->y + first, q + u->pitch + first, g.ax, g.ay, g.at.px,
        g.at.py);
  start_group(j, first, n, g.at.xi);
  cap_ring_crowd_meet(crowd, &g.at);
  keep_group(j, first, n, g.at.xi);
  press(&j->law, n, v + u->x + first, v + u->y + first, v + u->pitch + first, &g);
  take_law(j, first, n, &g);
  if (j->e->force) show(j, first, n, &g);
  if (u->held && j->e->held) {
    give_rows(j, crowd, first, n, &g);
    release(n, u->rigid, &g);
  }
  push(n, &g, h + u->x + first, h + u->y + first, h + u->pitch + first);
  cap_ring_crowd_push(crowd, &g.at);
  if (j->e->power || j->e->jump) add_losses(j, first, n, &g);
}

static void tell_losses(const job *j)
{
  for (int p = 0; p < PARTS; p++)
    for (int m = 0; m < CAP_RING_GUIDE_NLOSS; m++) {
      int mech = j->b->mech_adr + p * CAP_RING_GUIDE_NLOSS + m;
      double lost = 0.0;
      for (int i = 0; i < LANES; i++) lost += j->sums[m][p][i];
      if (j->e->power) j->e->power[mech] = j->marches ? 0.0 : lost;
      if (j->marches && j->e->jump) j->e->jump[mech] += lost;
    }
}

static void scan(const guide *g, int n, const double *q, double *xi)
{
  for (int first = 0; first < n; first += GROUP) {
    double ax[GROUP], ay[GROUP], px[GROUP], py[GROUP];
    int some = n - first < GROUP ? n - first : GROUP;
    place(g->law.height, some, q + g->x + first, q + g->y + first, q + g->pitch + first, ax, ay, px, py);
    cap_ring_crowd_scan(g->ring, q, some, px, py, xi + first);
  }
}

enum { ELEMENTS_MOST = 4096 };

static void rates(const cap_batch *b, cap_eval *e)
{
  const guide *g = b->bodies[0];
  job j = {.b = b, .e = e, .guide = g, .law = g->law, .v = e->v, .x = e->x + b->x_adr};
  double start[ELEMENTS_MOST];
  cap_ring_crowd crowd;
  j.section = sections_of(g, b, e);
  j.marches = e->x_march;
  if (j.marches) {
    j.v = e->v_half;
    j.x = j.out = e->x_march + b->x_adr;
    j.law.dt = e->march;
    j.law.half = 0.5 * e->march;
    j.law.keep = j.law.drag > 0.0 ? exp(-e->march * j.law.stick / j.law.drag) : 0.0;
  } else j.out = e->xdot + b->x_adr;
  if (e->warm) j.xi = e->warm + b->warm_adr, j.pace = j.xi + b->n;
  if (!j.xi || !(j.xi[0] > 0.0)) scan(g, b->n, e->q, start), j.start = start;
  cap_ring_crowd_open(&crowd, g->ring, e->q, j.v, e->h);
  for (int first = 0; first < b->n; first += GROUP)
    work_group(&j, &crowd, first, b->n - first < GROUP ? b->n - first : GROUP);
  cap_ring_crowd_close(&crowd);
  if (g->held && !j.marches) memset(j.out, 0, sizeof(double) * (size_t)(b->n * b->type->nstate));
  if (e->force && isnan(e->force[b->output_adr + CAP_RING_GUIDE_TENSION])) balance_tension(&j);
  tell_losses(&j);
  for (int k = 0; e->decay && k < b->n * b->type->nstate; k++)
    e->decay[b->x_adr + k] = g->law.drag > 0.0 && !g->held ? g->law.stick / g->law.drag : 0.0;
  for (int k = 0; e->ncol && k < b->n * b->type->nstate * e->ncol; k++)
    e->dxdot[b->x_adr * e->ncol + k] = NAN;
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const guide *g = b->bodies[0];
  const double *z = e->x + b->x_adr, *q = e->q;
  double xi[ELEMENTS_MOST];
  cap_ring_crowd crowd;
  if (g->rigid) return;
  scan(g, b->n, q, xi);
  cap_ring_crowd_open(&crowd, g->ring, q, q, NULL); /* velocities do not matter */
  for (int first = 0; first < b->n; first += GROUP) {
    int n = b->n - first < GROUP ? b->n - first : GROUP;
    double ax[GROUP], ay[GROUP];
    cap_ring_group at = {.n = n};
    place(g->law.height, n, q + g->x + first, q + g->y + first, q + g->pitch + first, ax, ay, at.px, at.py);
    memcpy(at.xi, xi + first, sizeof(double) * (size_t)n);
    cap_ring_crowd_meet(&crowd, &at);
    for (int k = 0; k < n; k++) {
      double on = fmax(0.0, at.d[k] + g->law.half_thick);
      double under = fmax(0.0, g->law.half_thick - at.d[k] - g->law.slot);
      double bristle = g->held ? 0.0 : g->law.stick * z[first + k] * z[first + k];
      *stored += 0.5 * (g->law.saddle * on * on + g->law.ear * under * under + bristle);
    }
  }
}

#define TYPE(name_, doc_, states, unit, ...)                                                                 \
  {                                                                                                          \
    .name = name_, .doc = doc_, .nstate = states, .state_unit = unit, .nmech = CAP_RING_GUIDE_NLOSS,         \
    .mech_name = {"longitudinal", "damping"}, .noutput = CAP_RING_GUIDE_NOUTPUT, .wide = true,               \
    .marches = true, .many = true,                                                                           \
    .nwarm_each = 2, /* of the data: from where Newton starts is in the last bits of xi */                   \
        .rates = rates, .energy = energy, __VA_ARGS__                                                        \
  }

const cap_element_type cap_ring_guide_type = TYPE(
    "ring guide", "unilateral contact of saddle and ear of an element with the ring, with friction", 1, "m");
const cap_element_type cap_ring_guide_held_type = TYPE(
    "ring guide, set-valued",
    "contact of saddle and ear of an element with the ring; friction, or friction and normal force, "
    "set-valued",
    CAP_HELD_GUIDE_NSTATE, "N", .march_only = true, .impulses = &cap_pushbelt_impulses_type);

const cap_element_type *cap_ring_guide_type_of(const cap_variator *v)
{
  return v->contact.ring_held ? &cap_ring_guide_held_type : &cap_ring_guide_type;
}

/* ---- building ------------------------------------------------------------------------------------------ */

static law law_of(const cap_variator *v)
{
  const cap_variator_contacts *c = &v->contact;
  law w = {.height = v->element.saddle,
           .slot = v->element.ear - v->element.saddle,
           .half_thick = 0.5 * v->ring_thickness,
           .saddle = v->iota * c->saddle_stiffness,
           .ear = v->iota * c->ear_stiffness,
           .delay = c->saddle_damping,
           .mu = c->ring_friction.mu_kinetic};
  w.stick = w.saddle * (c->saddle_shear > 0.0 ? c->saddle_shear : 1.0);
  w.per_stick = 1.0 / w.stick;
  w.drag = w.stick * c->saddle_damping;
  return w;
}

/* Acceleration of a ring by a load at one point, per force across it, force along it and moment. Its nodes
 * are light; where a step takes its bending and stretching implicitly, their inertia makes it heavier. */
typedef struct mobility {
  double across, along, moment; /* 1/kg, 1/kg, 1/(kg m2) */
} mobility;

static mobility mobility_of(const cap_variator *v, const cap_ring *ring, double step)
{
  /* a ring without nodes moves as a whole, but its elements should not be followed in coarser steps */
  double each = v->iota * v->element.thickness, l = ring->finest > 0.0 ? ring->finest : each;
  const cap_ring_section *s = &ring->section;
  mobility gives = {2.4 / l, 2.4 / l, 0.0};
  if (step > 0.0) {
    double share = CAP_STAGGERED_BETA * step * step;
    double reach = pow(share * s->EI / s->mass, 0.25), far = sqrt(share * s->EA / s->mass);
    gives.across = fmin(gives.across, M_SQRT1_2 / (2.0 * reach));
    gives.along = fmin(gives.along, 1.0 / (2.0 * far));
    gives.moment = fmin(95.0 / (l * l * l), M_SQRT1_2 / (2.0 * reach * reach * reach));
  }
  double near = each > 0.0 ? 1.0 / each : 0.0; /* loads that are denser than the nodes */
  return (mobility){(gives.across + near) / s->mass, (gives.along + near) / s->mass, gives.moment / s->mass};
}

/* An element against the ring; docs/theory.md §46.3. step: by which the ring is taken implicitly, or 0;
 * turns: with what friction turns its sections. */
static double angular_frequency(const cap_variator *v, const cap_ring *ring, const law *w, double step,
                                bool turns)
{
  mobility gives = mobility_of(v, ring, step);
  double own = 1.0 / (v->iota * v->element.mass), lever = turns ? w->half_thick : 0.0;
  double across = fmax(w->saddle, w->ear) * (own + gives.across);
  double along = w->stick * (own + gives.along + lever * lever * gives.moment), square = fmax(across, along);
  return sqrt(square) + 0.5 * v->contact.saddle_damping * square;
}

/* The step that multirate takes and the frequency that it then meets: the longer the step, the lower that
 * is. With few elements a ring that is turned meets nearly the same part of its limit, some 0.6, with all
 * steps: then it does not ask for short ones, and the step is two thirds of what the others ask for. */
static double stiffened_frequency(const cap_variator *v, const cap_ring *ring, const law *w)
{
  enum { ROUNDS = 60 };
  const double share = 2.0 * CAP_STAGGERED_SHARE, others = 2.0 / 3.0 * share, most = 1.9;
  double step = 0.0, longer = 1e-5;
  for (int k = 0; k < ROUNDS; k++) {
    double fastest = angular_frequency(v, ring, w, step, true);
    step = k == 0 ? share / fastest : sqrt(step * share / fastest);
  }
  while (longer > step && (longer * angular_frequency(v, ring, w, longer, false) > others ||
                           longer * angular_frequency(v, ring, w, longer, true) > most))
    longer *= 0.98;
  return share / fmax(step, longer);
}

static const char *obstacle(const cap_variator *v)
{
  if (v->x < 0 || v->y < 0 || v->pitch < 0) return "expected elements with coordinates";
  if (v->simulated > ELEMENTS_MOST) return "expected at most 4096 elements";
  if (!(v->element.ear - v->element.saddle > v->ring_thickness))
    return "the ring pack does not fit between saddle and ear; expected a thickness below that height";
  if (!(v->contact.saddle_stiffness > 0.0) || !(v->contact.ear_stiffness > 0.0))
    return "expected a stiffness of saddle and ear above 0";
  if (!(v->contact.saddle_damping >= 0.0)) return "expected a damping of the saddle of at least 0";
  if (v->contact.saddle_held && !v->contact.ring_held)
    return "expected set-valued friction on a rigid saddle, which has no bristles";
  return NULL;
}

cap_status cap_ring_guide_build(cap_builder *b, const cap_variator *v, const cap_ring *ring,
                                const cap_ring_guide_sections *sections, cap_error *error)
{
  static const char *const parts[PARTS] = {"guide.pri", "guide.us", "guide.sec", "guide.ls"};
  const cap_element_type *type = cap_ring_guide_type_of(v);
  const char *wrong = obstacle(v);
  if (wrong) return cap_status_fail(error, CAP_ERR_INPUT, "guidance of the elements on the ring: %s", wrong);
  guide *g = CAP_ARENA_NEW(cap_builder_arena(b), guide, 1);
  if (!g) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  *g = (guide){.ring = ring,
               .x = v->x,
               .y = v->y,
               .pitch = v->pitch,
               .law = law_of(v),
               .friction = v->contact.ring_friction,
               .held = v->contact.ring_held,
               .rigid = v->contact.saddle_held};
  g->coulomb = capm_friction_form_of(&g->friction) == CAPM_FRICTION_CONSTANT;
  if (!g->coulomb) g->law.mu = 1.0; /* times that of the speed */
  if (sections) g->sections = *sections;
  for (int k = 0; k < v->simulated; k++) {
    char name[64];
    const double none[CAP_HELD_GUIDE_NSTATE] = {0.0};
    snprintf(name, sizeof name, "guide.%d", k);
    int handle = cap_builder_element(b, type, name, v->x + k, CAP_GROUND, NULL, none);
    cap_builder_body(b, handle, g);
  }
  cap_builder_common(b, type, PARTS, parts, 0, NULL);
  if (sections) cap_builder_reads(b, type, 1, &sections->of);
  double plain = angular_frequency(v, ring, &g->law, 0.0, true);
  cap_builder_fastest(b, ring->type->stiffens ? stiffened_frequency(v, ring, &g->law) : plain);
  if (ring->type->stiffens) cap_builder_fastest_body(b, plain);
  return CAP_OK;
}

const cap_ring *cap_ring_guide_ring(const cap_batch *batch)
{
  const guide *g = batch->bodies[0];
  return g->ring;
}
