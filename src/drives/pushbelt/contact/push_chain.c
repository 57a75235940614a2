/* drives/pushbelt/contact/push_chain.c — see push_chain.h.
 *
 * Runs of joints are worked off stage by stage, in blocks of eight, on contiguous arrays: cosines and sines
 * (turned on from those of a while ago, which are part of the data), where the joints are and how they move,
 * forces of the edges by their law, their dampers and friction, the same of the heads where one of a block
 * touches, their pins where one of a block is at the wall of its hole, and sums, in which each element takes
 * the forces of the joint before it and of the one behind. The last few joints, where the chain closes, are
 * one padded block. So the bits depend neither on the width of the registers nor on the runs.
 */
#include "drives/pushbelt/contact/push_chain.h"
#include "base/clones.h"
#include "drives/pushbelt/contact/groove.h"
#include "drives/pushbelt/contact/press_place.h"
#include "drives/pushbelt/description/variator_geometry.h"
#include "laws/sine.h"
#include "laws/stick.h"

#include <math.h>
#include <string.h>

enum { LANES = 8, RUN = 64, PARTS = CAP_VARIATOR_SECTIONS };

/* Of the bristles over the stiffness along the normal. As usual: shear modulus over Young's modulus of steel,
 * for an element is sheared as it is compressed. */
static double shear_share(const cap_variator *v)
{
  return v->contact.press_shear > 0.0 ? v->contact.press_shear : 0.385;
}

/* One of the two places in all joints. */
typedef struct places {
  capm_compression law;
  cap_press_place_arc arc;
  double shear, per_shear;                                /* N, 1/N: stiffness of the bristle times t_loc */
  const double *along, *back, *thickness, *per_thickness; /* [n and some] m, m, m (t_loc), 1/m */
} places;

/* Of a joint of simulated elements: the height of the pin, how far it may move off the middle of its hole
 * (INFINITY: there is none), and what its wall is like. */
typedef struct pins {
  double height, reach, stiffness; /* m, m, N/m */
} pins;

typedef struct chain {
  int n, x, y, pitch; /* elements; coordinates of the first one */
  places edge, head;
  pins pin;
  double damping, mu;
  bool stacked; /* a joint is `stack` joints of real elements */
  double stack; /* 1 where not */
  cap_press_place_stack by;
  const double *nowhere; /* [n and some] sections where nobody tells: the first */
} chain;

/* ---- arrays of a call ---------------------------------------------------------------------------------- */

/* What a joint had at the end of the step before, one array each, of edge, head and pin: forces of the
 * dampers and friction. */
enum { BEFORE = 5 };
typedef struct before {
  double *edge_drag, *edge_rub, *head_drag, *head_rub, *pin_drag;
} before;

/* Of the elements, from the first of a run on, one more than it has joints; u: velocities. phi: forces of the
 * bristles. */
typedef struct arrays {
  const double *x, *y, *pitch, *ux, *uy, *uw, *section;
  double *edge_phi, *head_phi;
  before before;
} arrays;

/* Of a run: entry 0 of what has one more is of the element, or the joint, before. Names as in theory §44. */
typedef struct run {
  _Alignas(64) double c[RUN + LANES], s[RUN + LANES], fx[RUN + LANES], fy[RUN + LANES], mj[RUN + LANES];
  double along[RUN], across[RUN]; /* D_t, D_n */
  double dir_c[RUN], dir_s[RUN], cos_one[RUN],
      sin_one[RUN];                                    /* of stacks: the direction, delta of one joint */
  double closing[RUN], sliding[RUN], turning[RUN];     /* of the velocities u */
  double lever[RUN], slope[RUN], xi[RUN], head_g[RUN]; /* of the edge; of the head */
  double force[RUN], steep[RUN];                       /* F and F' of a place */
  double normal[RUN], tangential[RUN], moment[RUN];    /* N, T and N s + T l, of both places */
  double friction[RUN], damping[RUN];                  /* J over the step, or W */
  double edge[RUN], pin[RUN];                          /* N */
  uint64_t marks[RUN / LANES];                         /* of blocks */
} run;

/* Of the step. What is lost over it is the mean of the forces at its ends times the way between them: that is
 * just what staggered steps take from the motion (docs/theory.md §47.5). `now` and `then` are the weights of
 * both, in s; where nothing marches now is 1 and the losses are powers. */
typedef struct pace {
  double march, keep;       /* s; what is left of a sliding bristle's misfit after it */
  double now, then, stored; /* stored: 1, or 0 where nothing marches */
} pace;

/* Marks of a block: some edge is in the exponential part of its law; some head touches, or its bristle is
 * drawn; some pin is at the wall of its hole, or was at the step before. */
static const uint64_t pin_mark = 0x2000000000000000u, soft_mark = 0x4000000000000000u,
                      head_mark = 0x8000000000000000u;

/* ---- runs of joints, stage by stage: short loops, of which the processor has several turns at work ----- */

CAP_CLONES __attribute__((noinline)) static void turn_run(int count, const double *restrict pitch,
                                                          double *restrict c, double *restrict s)
{
  for (int at = 0; at < count; at += LANES) CAP_EACH_LANE(l, LANES)
    {
      double cosine;
      s[at + l] = capm_sine_both(pitch[at + l], &cosine);
      c[at + l] = cosine;
    }
}

/* The same by a turn on from angles of before, as long as all of a block are within 0.01 rad of them: error
 * 4e-16. */
typedef struct angles {
  double *pitch, *c, *s;
} angles;

CAP_INLINE bool turn_on_block(const double *restrict pitch, const double *restrict from,
                              const double *restrict c0, const double *restrict s0, double *restrict c,
                              double *restrict s)
{
  uint64_t far = 0;
  CAP_EACH_LANE(l, LANES)
  {
    const double d = pitch[l] - from[l], z = d * d;
    const double less = z * (-0.5 + z * (1.0 / 24.0 - z * (1.0 / 720.0))); /* cos d - 1 */
    const double sine = d + d * z * (-1.0 / 6.0 + z * (1.0 / 120.0));
    far |= capm_pow_bits(1e-4 - z);
    c[l] = c0[l] + (c0[l] * less - s0[l] * sine);
    s[l] = s0[l] + (s0[l] * less + c0[l] * sine);
  }
  return !(far & head_mark);
}

CAP_CLONES __attribute__((noinline)) static void turn_on_run(int count, const double *restrict pitch,
                                                             angles from, bool anew, double *restrict c,
                                                             double *restrict s)
{
  const size_t block = sizeof(double) * LANES;
  for (int at = 0; at < count; at += LANES) {
    if (turn_on_block(pitch + at, from.pitch + at, from.c + at, from.s + at, c + at, s + at) && !anew)
      continue;
    turn_run(LANES, pitch + at, c + at, s + at);
    memcpy(from.pitch + at, pitch + at, block);
    memcpy(from.c + at, c + at, block);
    memcpy(from.s + at, s + at, block);
  }
}

/* A pin bears at its root, in the front face of i. */
CAP_INLINE cap_press_place pin_place(const chain *c, const cap_press_place_pair *p, int of)
{
  return cap_press_place_point(p, c->edge.along[of] + c->edge.arc.radius, c->pin.height);
}

/* How far it is off the middle of its hole, outward; of stacks of all their pins together. */
CAP_INLINE double pin_offset(const chain *c, double across, const cap_press_place *pin, double stack)
{
  return across - stack * (pin->slope + c->pin.height);
}

/* Where all joints are, and how they move. */
CAP_INLINE void place_blocks(const chain *c, const arrays *a, run *restrict r, int first, int count,
                             bool stacked)
{
  const places *e = &c->edge, *h = &c->head;
  const double *phi = a->head_phi, *drag = a->before.head_drag, *rub = a->before.head_rub;
  const double *pin_drag = a->before.pin_drag;
  const double stack = stacked ? c->stack : 1.0, lean = stacked ? c->by.lean : 0.0;
  const cap_press_place_stack by = c->by;
  for (int at = 0; at < count; at += LANES) {
    uint64_t marks = 0;
    CAP_EACH_LANE(l, LANES)
    {
      const int k = at + l, of = first + k;
      const double dx = a->x[k] - a->x[k + 1], dy = a->y[k] - a->y[k + 1];
      double cj = r->c[k + 1], sj = r->s[k + 1], wj = a->uw[k + 1];
      cap_press_place_pair p;
      if (stacked) {
        const cap_press_place_stacked joint = cap_press_place_stacked_of(dx, dy, cj, sj,
                                                                         a->pitch[k + 1] - a->pitch[k], by);
        p = joint.pair, cj = joint.c, sj = joint.s, wj += lean * (a->uw[k] - a->uw[k + 1]);
        r->dir_c[k] = cj, r->dir_s[k] = sj, r->cos_one[k] = p.cos_delta, r->sin_one[k] = p.sin_delta;
      } else p = cap_press_place_of(dx, dy, r->c[k], r->s[k], cj, sj);
      const cap_press_place_motion u = cap_press_place_move(&p, a->ux[k] - a->ux[k + 1],
                                                            a->uy[k] - a->uy[k + 1], a->uw[k], wj, cj, sj);
      const cap_press_place edge = cap_press_place_edge(&p, e->along[of], &e->arc);
      const cap_press_place head = cap_press_place_point(&p, h->along[of], h->arc.height);
      const double xi = (p.along + stack * edge.lever + e->back[of]) * e->per_thickness[of];
      const double head_g = p.along + stack * head.lever + h->back[of];
      const uint64_t soft = capm_pow_bits(xi - e->law.xi0) & ~capm_pow_bits(xi) & head_mark;
      const uint64_t rest = (capm_pow_bits(phi[k]) | capm_pow_bits(drag[k]) | capm_pow_bits(rub[k])) << 1;
      const cap_press_place pin = pin_place(c, &p, of);
      const double free = c->pin.reach - fabs(pin_offset(c, p.across, &pin, stack));
      const uint64_t held = capm_pow_bits(pin_drag[k]) << 1;
      marks |= (soft >> 1) | (rest != 0 ? head_mark : ~capm_pow_bits(head_g) & head_mark) |
               (held != 0 ? pin_mark : (capm_pow_bits(free) & head_mark) >> 2);
      r->along[k] = p.along, r->across[k] = p.across;
      r->closing[k] = u.closing, r->sliding[k] = u.sliding, r->turning[k] = a->uw[k] - a->uw[k + 1];
      r->lever[k] = edge.lever, r->slope[k] = edge.slope, r->xi[k] = xi, r->head_g[k] = head_g;
    }
    r->marks[at / LANES] = marks;
  }
}

CAP_CLONES __attribute__((noinline)) static void place_run(const chain *c, const arrays *a, run *restrict r,
                                                           int first, int count)
{
  if (c->stacked) place_blocks(c, a, r, first, count, true);
  else place_blocks(c, a, r, first, count, false);
}

/* F and F' of a block; `soft`: of some in the exponential part. */
CAP_INLINE void force_block(capm_compression law, bool soft, const double *restrict xi,
                            double *restrict force, double *restrict steep)
{
  const double bend = (law.c - law.ka) * law.per_k, xi0 = law.xi0, c = law.c;
  if (soft) CAP_EACH_LANE(l, LANES)
    {
      const capm_compression_value f = capm_compression_at(&law, xi[l]);
      force[l] = f.force;
      steep[l] = f.slope;
    }
  else CAP_EACH_LANE(l, LANES)
    {
      const double on = bend + c * (xi[l] - xi0);
      force[l] = xi[l] >= xi0 ? on : 0.0;
      steep[l] = xi[l] >= xi0 ? c : 0.0;
    }
}

CAP_CLONES __attribute__((noinline)) static void force_run(capm_compression law,
                                                           const uint64_t *restrict marks, int count,
                                                           const double *restrict xi, double *restrict force,
                                                           double *restrict steep)
{
  for (int at = 0; at < count; at += LANES)
    force_block(law, marks[at / LANES] & soft_mark, xi + at, force + at, steep + at);
}

/* What a place does. */
typedef struct contact {
  double normal, tangential, phi, drag; /* N; drag: what the damper has of the normal force */
} contact;

CAP_INLINE contact touch(const places *p, int of, double damping, double mu, pace t, double force,
                         double steep, double rate, double slip, double phi)
{
  const double per = p->per_thickness[of], stiffness = p->shear * per;
  const double all = force + (damping * per) * steep * rate, normal = all > 0.0 ? all : 0.0;
  const capm_stick_step b = capm_stick_march(1.0, 1.0, damping * stiffness, t.keep, t.march * stiffness, phi,
                                             slip, slip, mu * normal);
  return (contact){normal, b.force, b.z, normal - force};
}

/* What friction and what the damper takes; rub and drag: forces of before. */
CAP_INLINE double friction_of(const places *p, int of, pace t, const contact *n, double slip, double phi,
                              double rub)
{
  const double released = (phi - n->phi) * (phi + n->phi) * (0.5 * p->per_shear * p->thickness[of]);
  return (t.now * n->tangential + t.then * rub) * slip + released * t.stored;
}

CAP_INLINE double damping_of(pace t, const contact *n, double rate, double drag)
{
  return (t.now * n->drag + t.then * drag) * rate;
}

CAP_INLINE void edge_blocks(const chain *c, const arrays *a, run *restrict r, int first, int count, pace t,
                            bool power)
{
  const places *e = &c->edge;
  double *drag = a->before.edge_drag, *rub = a->before.edge_rub;
  for (int at = 0; at < count; at += LANES) CAP_EACH_LANE(l, LANES)
    {
      const int k = at + l, of = first + k;
      const double lever = r->lever[k], slope = r->slope[k], phi = a->edge_phi[k];
      const double rate = r->closing[k] + slope * r->turning[k], slip = r->sliding[k] + lever * r->turning[k];
      const contact n = touch(e, of, c->damping, c->mu, t, r->force[k], r->steep[k], rate, slip, phi);
      a->edge_phi[k] = n.phi;
      r->normal[k] = n.normal, r->tangential[k] = n.tangential;
      r->moment[k] = n.normal * slope + n.tangential * lever;
      if (power) {
        r->friction[k] = friction_of(e, of, t, &n, slip, phi, rub[k]);
        r->damping[k] = damping_of(t, &n, rate, drag[k]);
        r->edge[k] = n.normal, r->pin[k] = 0.0, rub[k] = n.tangential, drag[k] = n.drag;
      }
    }
}

/* The same of the heads of one block, with F and F' of it; what they do is added. */
CAP_INLINE void head_block(const chain *c, const arrays *a, run *restrict r, int first, int at, pace t,
                           bool power, bool stacked)
{
  const places *h = &c->head;
  double *drag = a->before.head_drag, *rub = a->before.head_rub;
  CAP_EACH_LANE(l, LANES)
  {
    const int k = at + l, of = first + k;
    const cap_press_place_pair p = stacked ? (cap_press_place_pair){.cos_delta = r->cos_one[k],
                                                                    .sin_delta = r->sin_one[k]}
                                           : cap_press_place_of(0.0, 0.0, r->c[k], r->s[k], r->c[k + 1],
                                                                r->s[k + 1]);
    const cap_press_place head = cap_press_place_point(&p, h->along[of], h->arc.height);
    const double phi = a->head_phi[k], rate = r->closing[k] + head.slope * r->turning[k];
    const double slip = r->sliding[k] + head.lever * r->turning[k];
    const contact n = touch(h, of, c->damping, c->mu, t, r->force[k], r->steep[k], rate, slip, phi);
    a->head_phi[k] = n.phi;
    r->normal[k] += n.normal, r->tangential[k] += n.tangential;
    r->moment[k] += n.normal * head.slope + n.tangential * head.lever;
    if (power) {
      r->friction[k] += friction_of(h, of, t, &n, slip, phi, rub[k]);
      r->damping[k] += damping_of(t, &n, rate, drag[k]);
      rub[k] = n.tangential, drag[k] = n.drag;
    }
  }
}

/* Pins of one block: the wall of the hole is a spring with a damper that does not pull. It acts across the
 * faces, as friction does, and is added to it. */
CAP_INLINE void pin_block(const chain *c, const arrays *a, run *restrict r, int first, int at, pace t,
                          bool power, bool stacked)
{
  const double k = c->pin.stiffness, damper = c->damping * k, stack = stacked ? c->stack : 1.0;
  double *drag = a->before.pin_drag;
  CAP_EACH_LANE(l, LANES)
  {
    const int at_k = at + l, of = first + at_k;
    const cap_press_place_pair p = stacked ? (cap_press_place_pair){.cos_delta = r->cos_one[at_k],
                                                                    .sin_delta = r->sin_one[at_k]}
                                           : cap_press_place_of(0.0, 0.0, r->c[at_k], r->s[at_k],
                                                                r->c[at_k + 1], r->s[at_k + 1]);
    const cap_press_place pin = pin_place(c, &p, of);
    const double offset = pin_offset(c, r->across[at_k], &pin, stack), side = offset < 0.0 ? -1.0 : 1.0;
    const double rate = r->sliding[at_k] + pin.lever * r->turning[at_k];
    const double depth = fabs(offset) - c->pin.reach, spring = k * depth, all = spring + damper * side * rate;
    const double pushed = all > 0.0 ? all : 0.0;
    const double force = depth > 0.0 ? side * pushed : 0.0;
    const double lag = depth > 0.0 ? force - side * spring : 0.0;
    r->tangential[at_k] += force;
    r->moment[at_k] += force * pin.lever;
    if (power) {
      r->damping[at_k] += (t.now * lag + t.then * drag[at_k]) * rate;
      r->pin[at_k] = force, drag[at_k] = lag;
    }
  }
}

/* F and F' of the heads, where they are wanted, in the place of those of the edges. */
CAP_INLINE void force_heads(const places *h, run *restrict r, int first, int count)
{
  for (int at = 0; at < count; at += LANES) {
    double xi[LANES];
    if (!(r->marks[at / LANES] & head_mark)) continue;
    CAP_EACH_LANE(l, LANES) xi[l] = r->head_g[at + l] * h->per_thickness[first + at + l];
    force_block(h->law, true, xi, r->force + at, r->steep + at);
  }
}

CAP_CLONES __attribute__((noinline)) static void press_run(const chain *c, const arrays *a, run *restrict r,
                                                           int first, int count, pace t, bool power)
{
  if (power) edge_blocks(c, a, r, first, count, t, true);
  else edge_blocks(c, a, r, first, count, t, false);
  force_heads(&c->head, r, first, count);
  for (int at = 0; at < count; at += LANES) {
    if (!(r->marks[at / LANES] & head_mark)) continue;
    if (c->stacked) head_block(c, a, r, first, at, t, power, true);
    else if (power) head_block(c, a, r, first, at, t, true, false);
    else head_block(c, a, r, first, at, t, false, false);
  }
  for (int at = 0; at < count; at += LANES) {
    if (!(r->marks[at / LANES] & pin_mark)) continue;
    if (c->stacked) pin_block(c, a, r, first, at, t, power, true);
    else pin_block(c, a, r, first, at, t, power, false);
  }
}

/* Forces of the joints; then each element has the joint in front of it and the one behind. */
CAP_CLONES __attribute__((noinline)) static void turn_forces(int count, run *restrict r)
{
  for (int at = 0; at < count; at += LANES) CAP_EACH_LANE(l, LANES)
    {
      const int k = at + l;
      const double normal = r->normal[k], tangential = r->tangential[k], c = r->c[k + 1], s = r->s[k + 1];
      r->fx[k + 1] = tangential * s - normal * c;
      r->fy[k + 1] = -(tangential * c + normal * s);
      r->mj[k + 1] = r->moment[k] - normal * r->across[k] + tangential * r->along[k];
    }
}

/* The same of stacks, along their own directions, of whose turning i has its part, too. */
CAP_CLONES __attribute__((noinline)) static void turn_stacks(double lean, int count, run *restrict r)
{
  for (int at = 0; at < count; at += LANES) CAP_EACH_LANE(l, LANES)
    {
      const int k = at + l;
      const double normal = r->normal[k], tangential = r->tangential[k], c = r->dir_c[k], s = r->dir_s[k];
      const double turned = normal * r->across[k] - tangential * r->along[k], moment = r->moment[k];
      r->fx[k + 1] = tangential * s - normal * c;
      r->fy[k + 1] = -(tangential * c + normal * s);
      r->mj[k + 1] = moment - (1.0 - lean) * turned;
      r->moment[k] = moment + lean * turned;
    }
}

CAP_CLONES __attribute__((noinline)) static void add_forces(int n, const run *restrict r, double *restrict hx,
                                                            double *restrict hy, double *restrict hp)
{
  CAP_EACH_LANE(k, n)
  {
    hx[k] += r->fx[k + 1] - r->fx[k];
    hy[k] += r->fy[k + 1] - r->fy[k];
    hp[k] += r->mj[k] - r->moment[k];
  }
}

/* By sections, eight sums of each. */
typedef struct tally {
  double friction[PARTS][LANES], damping[PARTS][LANES];
} tally;

CAP_CLONES __attribute__((noinline)) static void count_run(int count, const double *restrict section,
                                                           const run *restrict r, tally *restrict sum)
{
  for (int at = 0; at < count; at += LANES) {
    const double *in = section + at, *friction = r->friction + at, *damping = r->damping + at;
    uint64_t differ = 0;
    CAP_EACH_LANE(l, LANES) differ |= capm_pow_bits(in[l]) ^ capm_pow_bits(in[0]);
    if (!differ && in[0] >= 0.0) { /* as a rule */
      double *f = sum->friction[(int)in[0]], *d = sum->damping[(int)in[0]];
      CAP_EACH_LANE(l, LANES) f[l] += friction[l], d[l] += damping[l];
      continue;
    }
    for (int part = 0; part < PARTS; part++) CAP_EACH_LANE(l, LANES)
      {
        sum->friction[part][l] += in[l] == part ? friction[l] : 0.0;
        sum->damping[part][l] += in[l] == part ? damping[l] : 0.0;
      }
  }
}

static double total(const double part[LANES])
{
  return ((part[0] + part[4]) + (part[2] + part[6])) + ((part[1] + part[5]) + (part[3] + part[7]));
}

/* ---- the whole chain ----------------------------------------------------------------------------------- */

typedef struct job {
  const chain *c;
  const cap_batch *b;
  cap_eval *e;
  pace pace;
  double *march;  /* the states, while they move; else NULL */
  double *before; /* [BEFORE][n] forces of before, while a stepper steps; else NULL */
  double *angles; /* of before: whether there are any, [3][n]; or NULL */
  run run;
  tally tally;
} job;

static void show_run(const job *j, int first, int count)
{
  double *out = j->e->force + j->b->output_adr + first * CAP_PUSH_CHAIN_NOUTPUT;
  const run *r = &j->run;
  for (int k = 0; k < count; k++, out += CAP_PUSH_CHAIN_NOUTPUT) {
    j->e->force[j->b->elem_adr + first + k] = r->normal[k];
    out[CAP_PUSH_CHAIN_EDGE] = r->edge[k];
    out[CAP_PUSH_CHAIN_HEAD] = r->normal[k] - r->edge[k];
    out[CAP_PUSH_CHAIN_EDGE_GAP] = -r->xi[k] * j->c->edge.thickness[first + k];
    out[CAP_PUSH_CHAIN_HEAD_GAP] = -r->head_g[k];
    out[CAP_PUSH_CHAIN_FRICTION] = r->pin[k] - r->tangential[k];
    out[CAP_PUSH_CHAIN_PIN] = -r->pin[k];
  }
}

/* The joints [first, first + count) with padding up to whole blocks. */
static void do_run(job *j, const arrays *a, int first, int count)
{
  const int padded = (count + LANES - 1) / LANES * LANES;
  const cap_eval *e = j->e;
  run *r = &j->run;
  if (j->angles && count == padded && first + count < j->c->n) {
    double *at = j->angles + 1 + first + 1; /* of the elements in front */
    const angles from = {at, at + j->c->n, at + 2 * j->c->n};
    turn_on_run(count, a->pitch + 1, from, j->angles[0] == 0.0, r->c + 1, r->s + 1);
  } else turn_run(padded, a->pitch + 1, r->c + 1, r->s + 1);
  place_run(j->c, a, r, first, padded);
  force_run(j->c->edge.law, r->marks, padded, r->xi, r->force, r->steep);
  press_run(j->c, a, r, first, padded, j->pace, e->power || e->force);
  if (j->c->stacked) turn_stacks(j->c->by.lean, padded, r);
  else turn_forces(padded, r);
  add_forces(count, r, e->h + j->c->x + first, e->h + j->c->y + first, e->h + j->c->pitch + first);
  if (e->power) count_run(padded, a->section, r, &j->tally);
  if (e->force) show_run(j, first, count);
  r->c[0] = r->c[count], r->s[0] = r->s[count];
  r->fx[0] = r->fx[count], r->fy[0] = r->fy[count], r->mj[0] = r->mj[count];
}

/* Bristles: where they march, in the states themselves; else in a copy. Forces of before: in the stepper's
 * scratch, while it steps; else nowhere. */
typedef struct copies {
  double edge[RUN], head[RUN], before[BEFORE][RUN];
} copies;

static void hold(const job *j, int first, int count, copies *copy)
{
  const double *x = j->e->x + j->b->x_adr + first;
  memcpy(copy->edge, x, sizeof(double) * (size_t)count);
  memcpy(copy->head, x + j->c->n, sizeof(double) * (size_t)count);
}

static before before_of(double *at, int apart)
{
  return (before){at, at + apart, at + 2 * apart, at + 3 * apart, at + 4 * apart};
}

static arrays arrays_of(const job *j, int first, const double *section)
{
  const cap_eval *e = j->e;
  const double *u = j->march ? e->v_half : e->v;
  return (arrays){.x = e->q + j->c->x + first,
                  .y = e->q + j->c->y + first,
                  .pitch = e->q + j->c->pitch + first,
                  .ux = u + j->c->x + first,
                  .uy = u + j->c->y + first,
                  .uw = u + j->c->pitch + first,
                  .section = section + first};
}

/* The last joints, the very last with the first element: what lies around the end of the arrays, put in a
 * row. Padding: elements that turn with nobody, far from each other but in line, in no section. */
typedef struct closing {
  double x[LANES + 1], y[LANES + 1], pitch[LANES + 1], ux[LANES + 1], uy[LANES + 1], uw[LANES + 1];
  double section[LANES + 1];
} closing;

static void lay_row(const double *from, int left, const double *start, double to[LANES + 1])
{
  memcpy(to, from, sizeof(double) * (size_t)left);
  to[left] = *start;
  for (int k = left + 1; k <= LANES; k++) to[k] = 0.0;
}

static void close_chain(job *j, int first, const double *section)
{
  const int n = j->c->n, left = n - first;
  const arrays from = arrays_of(j, first, section), start = arrays_of(j, 0, section);
  closing k;
  copies own = {0};
  lay_row(from.x, left, start.x, k.x);
  lay_row(from.y, left, start.y, k.y);
  lay_row(from.pitch, left, start.pitch, k.pitch);
  lay_row(from.ux, left, start.ux, k.ux);
  lay_row(from.uy, left, start.uy, k.uy);
  lay_row(from.uw, left, start.uw, k.uw);
  lay_row(from.section, left, start.section, k.section);
  double cosine, sine = capm_sine_both(*start.pitch, &cosine);
  for (int l = left + 1; l <= LANES; l++) {
    k.x[l] = k.x[l - 1] + cosine, k.y[l] = k.y[l - 1] + sine;
    k.pitch[l] = k.pitch[l - 1];
  }
  for (int l = left; l <= LANES; l++) k.section[l] = -1.0;
  hold(j, first, left, &own);
  for (int i = 0; j->before && i < BEFORE; i++)
    memcpy(own.before[i], j->before + i * n + first, sizeof(double) * (size_t)left);
  const arrays a = {k.x,  k.y,       k.pitch,  k.ux,     k.uy,
                    k.uw, k.section, own.edge, own.head, before_of(own.before[0], RUN)};
  do_run(j, &a, first, left);
  for (int i = 0; j->before && i < BEFORE; i++)
    memcpy(j->before + i * n + first, own.before[i], sizeof(double) * (size_t)left);
  if (!j->march) return;
  memcpy(j->march + first, own.edge, sizeof(double) * (size_t)left);
  memcpy(j->march + n + first, own.head, sizeof(double) * (size_t)left);
}

static void press_all(job *j, const double *section)
{
  const int n = j->c->n, direct = (n - 1) / LANES * LANES;
  run *r = &j->run;
  copies copy;
  if (!j->before) memset(copy.before, 0, sizeof copy.before);
  r->s[0] = capm_sine_both(j->e->q[j->c->pitch], &r->c[0]);
  r->fx[0] = r->fy[0] = r->mj[0] = 0.0;
  for (int first = 0; first < direct; first += RUN) {
    const int count = direct - first < RUN ? direct - first : RUN;
    arrays a = arrays_of(j, first, section);
    a.edge_phi = j->march ? j->march + first : copy.edge;
    a.head_phi = j->march ? j->march + n + first : copy.head;
    a.before = j->before ? before_of(j->before + first, n) : before_of(copy.before[0], RUN);
    if (!j->march) hold(j, first, count, &copy);
    do_run(j, &a, first, count);
  }
  close_chain(j, direct, section);
  double *h = j->e->h;
  h[j->c->x] -= r->fx[0], h[j->c->y] -= r->fy[0], h[j->c->pitch] += r->mj[0];
}

/* While a stepper steps all losses are those over its steps. */
static void tell_losses(const job *j)
{
  const bool steps = j->e->x_march && j->e->jump;
  double *to = (steps ? j->e->jump : j->e->power) + j->b->mech_adr;
  memset(j->e->power + j->b->mech_adr, 0, sizeof(double) * PARTS * CAP_PUSH_CHAIN_NLOSS);
  for (int part = 0; part < PARTS && (j->march || !steps); part++, to += CAP_PUSH_CHAIN_NLOSS) {
    to[CAP_PUSH_CHAIN_LOSS_FRICTION] += total(j->tally.friction[part]);
    to[CAP_PUSH_CHAIN_LOSS_DAMPING] += total(j->tally.damping[part]);
  }
}

static const chain *chain_of(const cap_batch *b)
{
  return b->bodies[0];
}

static void rates(const cap_batch *b, cap_eval *e)
{
  const chain *c = chain_of(b);
  const bool marches = e->x_march && e->march > 0.0;
  job j; /* its arrays are filled as they are needed */
  j.c = c, j.b = b, j.e = e;
  j.march = marches ? e->x_march + b->x_adr : NULL;
  j.before = e->x_march && e->hints ? e->hints + b->hint_adr : NULL;
  j.angles = marches && e->warm ? e->warm + b->warm_adr : NULL;
  j.pace = (pace){.now = 1.0};
  if (marches) {
    const double half = j.before ? 0.5 * e->march : 0.0;
    j.pace = (pace){e->march, c->damping > 0.0 ? exp(-e->march / c->damping) : 0.0, e->march - half, half,
                    1.0};
  }
  if (e->power) memset(&j.tally, 0, sizeof j.tally);
  press_all(&j, b->reads[0] ? e->x + cap_groove_sections(b + b->reads[0]) : c->nowhere);
  if (j.angles) j.angles[0] = 1.0;
  if (e->power) tell_losses(&j);
  if (!marches && e->xdot) memset(e->xdot + b->x_adr, 0, sizeof(double) * 2 * (size_t)c->n);
  if (e->decay) memset(e->decay + b->x_adr, 0, sizeof(double) * 2 * (size_t)c->n);
}

static cap_press_place_pair pair_of(bool stacked, cap_press_place_stack by, const double i[3],
                                    const double j[3])
{
  const double dx = i[0] - j[0], dy = i[1] - j[1], cj = cos(j[2]), sj = sin(j[2]);
  if (stacked) return cap_press_place_stacked_of(dx, dy, cj, sj, j[2] - i[2], by).pair;
  return cap_press_place_of(dx, dy, cos(i[2]), sin(i[2]), cj, sj);
}

static double stored_at(const places *p, int k, double g, double phi)
{
  const double t = p->thickness[k];
  return t * (capm_compression_energy(&p->law, g / t) + 0.5 * p->per_shear * phi * phi);
}

static double stored_at_pin(const chain *c, int k, const cap_press_place_pair *p)
{
  const cap_press_place pin = pin_place(c, p, k);
  const double depth = fmax(fabs(pin_offset(c, p->across, &pin, c->stack)) - c->pin.reach, 0.0);
  return 0.5 * c->pin.stiffness * depth * depth;
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  const chain *c = chain_of(b);
  const double *x = e->q + c->x, *y = e->q + c->y, *pitch = e->q + c->pitch, *phi = e->x + b->x_adr;
  for (int i = 0; i < c->n; i++) {
    const int j = i + 1 < c->n ? i + 1 : 0;
    const cap_press_place_pair p = pair_of(c->stacked, c->by, (double[]){x[i], y[i], pitch[i]},
                                           (double[]){x[j], y[j], pitch[j]});
    const cap_press_place edge = cap_press_place_edge(&p, c->edge.along[i], &c->edge.arc);
    const cap_press_place head = cap_press_place_point(&p, c->head.along[i], c->head.arc.height);
    *stored += stored_at(&c->edge, i, p.along + c->stack * edge.lever + c->edge.back[i], phi[i]);
    *stored += stored_at(&c->head, i, p.along + c->stack * head.lever + c->head.back[i], phi[c->n + i]);
    *stored += stored_at_pin(c, i, &p);
  }
}

static int reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  const chain *c = chain_of(b);
  const int next = k + 1 < c->n ? k + 1 : 0, first[] = {c->x, c->y, c->pitch};
  for (int a = 0; a < 3; a++) coords[a] = first[a] + k, coords[3 + a] = first[a] + next;
  return 6;
}

const cap_element_type cap_push_chain_type = {
    .name = "push chain",
    .doc = "contacts of all neighbouring elements of a pushbelt, at rocking edge, head and pin",
    .nstate = 2,
    .noutput = CAP_PUSH_CHAIN_NOUTPUT,
    .nmech = CAP_PUSH_CHAIN_NLOSS,
    .mech_name = {"friction", "damping"},
    .wide = true,
    .marches = true,
    .march_only = true,
    .nhint_each = BEFORE,
    .nwarm = 1,
    .nwarm_each = 3,
    .many = true,
    .fast = true,
    .rates = rates,
    .reach = reach,
    .energy = energy,
};

/* ---- building ------------------------------------------------------------------------------------------ */

/* Tables of a place; behind the last joint they go on as at the first. */
static bool lay_places(cap_arena *arena, const cap_variator *v, const cap_variator_press *law,
                       double (*thickness)(const cap_variator *, int), double radius, places *p)
{
  const int n = v->simulated, room = n + LANES;
  double *table[4];
  for (int k = 0; k < 4; k++)
    if (!(table[k] = CAP_ARENA_NEW(arena, double, room))) return false;
  for (int k = 0; k < room; k++) {
    const double behind = thickness(v, k % n), front = thickness(v, (k + 1) % n);
    table[0][k] = 0.5 * behind / cap_variator_geometry_joints(v) - radius;
    table[1][k] = 0.5 * front;
    table[2][k] = 0.5 * (behind + front);
    table[3][k] = 1.0 / table[2][k];
  }
  p->along = table[0], p->back = table[1], p->thickness = table[2], p->per_thickness = table[3];
  p->law = capm_compression_of(law->c, law->xi0, law->k);
  p->shear = shear_share(v) * law->c;
  p->per_shear = 1.0 / p->shear;
  return true;
}

static cap_press_place_arc arc_of(const cap_variator_element *e)
{
  return (cap_press_place_arc){e->edge, e->edge_radius, cos(e->edge_turn), sin(e->edge_turn)};
}

static cap_press_place_stack stack_of(const cap_variator *v)
{
  const double share = 1.0 / cap_variator_geometry_joints(v);
  return (cap_press_place_stack){share, 0.5 * (1.0 - share)};
}

/* iota joints share the offset, and pass the force on. Where simulated elements touch as one joint they lean
 * by the same angle at the same share of their thickness. */
static pins pin_of(const cap_variator *v)
{
  const cap_variator_contacts *k = &v->contact;
  const bool none = !(k->pin_stiffness > 0.0);
  return (pins){.height = v->element.pin,
                .reach = none ? INFINITY : v->iota * k->pin_clearance,
                .stiffness = none ? 0.0 : k->pin_stiffness / v->iota};
}

static chain *lay_chain(cap_arena *arena, const cap_variator *v)
{
  const cap_variator_element *element = &v->element;
  chain *c = CAP_ARENA_NEW(arena, chain, 1);
  double *nowhere = CAP_ARENA_NEW(arena, double, v->simulated);
  if (!c || !nowhere) return NULL;
  memset(nowhere, 0, sizeof(double) * (size_t)v->simulated);
  *c = (chain){.n = v->simulated,
               .x = v->x,
               .y = v->y,
               .pitch = v->pitch,
               .damping = v->contact.press_damping,
               .mu = v->contact.press_friction,
               .stack = cap_variator_geometry_joints(v),
               .by = stack_of(v),
               .nowhere = nowhere};
  c->stacked = c->stack != 1.0;
  if (!lay_places(arena, v, &v->contact.edge, cap_variator_geometry_edge_thickness, element->edge_radius,
                  &c->edge) ||
      !lay_places(arena, v, &v->contact.head, cap_variator_geometry_head_thickness, 0.0, &c->head))
    return NULL;
  c->edge.arc = arc_of(element);
  c->head.arc.height = element->head;
  c->pin = pin_of(v);
  return c;
}

static double still_force(const cap_variator_press *law, double g, double behind, double front)
{
  const capm_compression at = capm_compression_of(law->c, law->xi0, law->k);
  return capm_compression_at(&at, 2.0 * g / (behind + front)).force;
}

double cap_push_chain_joint(const cap_variator *v, int i, int j, const double pose_i[3],
                            const double pose_j[3])
{
  const double ti = cap_variator_geometry_edge_thickness(v, i);
  const double tj = cap_variator_geometry_edge_thickness(v, j);
  const double hi = cap_variator_geometry_head_thickness(v, i);
  const double hj = cap_variator_geometry_head_thickness(v, j);
  const cap_press_place_arc arc = arc_of(&v->element);
  const double stack = cap_variator_geometry_joints(v);
  const cap_press_place_pair p = pair_of(stack != 1.0, stack_of(v), pose_i, pose_j);
  const cap_press_place edge = cap_press_place_edge(&p, 0.5 * ti / stack - arc.radius, &arc);
  const cap_press_place head = cap_press_place_point(&p, 0.5 * hi / stack, v->element.head);
  return still_force(&v->contact.edge, p.along + stack * edge.lever + 0.5 * tj, ti, tj) +
         still_force(&v->contact.head, p.along + stack * head.lever + 0.5 * hj, hi, hj);
}

void cap_push_chain_give(const cap_variator *v, int i, const double pose_i[3], const double pose_j[3],
                         const double output[CAP_PUSH_CHAIN_NOUTPUT], double given[3])
{
  const double stack = cap_variator_geometry_joints(v),
               angle = cap_push_chain_normal(v, pose_i[2], pose_j[2]);
  const cap_press_place_stack by = stack_of(v);
  const cap_press_place_arc arc = arc_of(&v->element);
  const cap_press_place_pair p = pair_of(stack != 1.0, by, pose_i, pose_j);
  const double ti = cap_variator_geometry_edge_thickness(v, i),
               hi = cap_variator_geometry_head_thickness(v, i);
  const cap_press_place edge = cap_press_place_edge(&p, 0.5 * ti / stack - arc.radius, &arc);
  const cap_press_place head = cap_press_place_point(&p, 0.5 * hi / stack, v->element.head);
  const cap_press_place pin = cap_press_place_point(&p, 0.5 * ti / stack, v->element.pin);
  const double c = cos(angle), s = sin(angle), held = -output[CAP_PUSH_CHAIN_PIN],
               rubs = -output[CAP_PUSH_CHAIN_FRICTION], across = rubs + held;
  const double normal = output[CAP_PUSH_CHAIN_EDGE] + output[CAP_PUSH_CHAIN_HEAD];
  given[0] = normal * c - across * s;
  given[1] = normal * s + across * c;
  given[2] = output[CAP_PUSH_CHAIN_EDGE] * edge.slope + output[CAP_PUSH_CHAIN_HEAD] * head.slope +
             rubs * edge.lever + held * pin.lever + by.lean * (normal * p.across - across * p.along);
}

double cap_push_chain_normal(const cap_variator *v, double pitch_i, double pitch_j)
{
  return pitch_j - stack_of(v).lean * remainder(pitch_j - pitch_i, 2.0 * M_PI);
}

/* Neighbours move against each other: along the belt with pitching, across it. */
double cap_push_chain_angular_frequency(const cap_variator *v)
{
  const cap_variator_contacts *k = &v->contact;
  const double mass = v->iota * v->element.mass, inertia = v->iota * v->element.inertia;
  double edge_t = INFINITY, head_t = INFINITY;
  for (int i = 0; i < v->simulated; i++) {
    edge_t = fmin(edge_t, cap_variator_geometry_edge_thickness(v, i));
    head_t = fmin(head_t, cap_variator_geometry_head_thickness(v, i));
  }
  const double edge = k->edge.c / edge_t, head = k->head.c / head_t, he = v->element.edge,
               hh = v->element.head;
  const double along = (edge + head) / mass, pitching = (edge * he * he + head * hh * hh) / inertia;
  const double both = (edge * he + head * hh) * (edge * he + head * hh) / (mass * inertia);
  const double normal = 0.5 * (along + pitching) +
                        sqrt(0.25 * (along - pitching) * (along - pitching) + both);
  const double pinned = pin_of(v).stiffness * fmax(1.0 / mass, 0.25 * edge_t * edge_t / inertia);
  const double across = pinned + (k->press_friction > 0.0 ? shear_share(v) * along : 0.0);
  const double angular_frequency = 2.0 * sqrt(fmax(normal, across)),
               zeta = 0.5 * k->press_damping * angular_frequency;
  return angular_frequency *
         (sqrt(1.0 + zeta * zeta) + zeta); /* dampers go by the velocity half a step before */
}

cap_status cap_push_chain_build(cap_builder *b, const cap_variator *v, int *first, cap_error *error)
{
  static const char *const parts[PARTS] = {"chain.pri", "chain.us", "chain.sec", "chain.ls"};
  if (v->simulated < 3)
    return cap_status_fail_at(error, CAP_ERR_INPUT, "elements.simulated",
                              "a belt must close; expected at least 3 elements, got %d", v->simulated);
  cap_arena *arena = cap_builder_arena(b);
  chain *c = lay_chain(arena, v);
  if (!c) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  const double still[2] = {0.0, 0.0};
  for (int k = 0; k < c->n; k++) {
    const char *name = cap_arena_format(arena, "joint.%d", k);
    if (!name) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    int handle = cap_builder_element(b, &cap_push_chain_type, name, v->x + k, v->x + (k + 1) % c->n, NULL,
                                     still);
    if (k == 0) cap_builder_body(b, handle, c);
    if (k == 0 && first) *first = handle;
  }
  cap_builder_common(b, &cap_push_chain_type, PARTS, parts, 0, NULL);
  const cap_element_type *sections[] = {cap_groove_type_of(v)};
  cap_builder_reads(b, &cap_push_chain_type, 1, sections);
  cap_builder_fastest_inner(b, cap_push_chain_angular_frequency(v));
  return CAP_OK;
}
