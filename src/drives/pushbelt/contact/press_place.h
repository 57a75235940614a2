/* drives/pushbelt/contact/press_place.h — where neighbours of a pushbelt touch: the geometry of rocking edge
 * and head.
 *
 * Maths: docs/theory.md §40.2, §44.1. All is seen from j, the element in front, in its directions t_j and
 * n_j; of the turning of i against it, delta = pitch_j - pitch_i, which is less than a right angle, only
 * cosine and sine are needed, so that whole turns do not matter. Straight-line code without divisions, for
 * kernels on arrays as well as for single joints.
 */
#pragma once
#include "base/clones.h"

/* Bodies i and j = i + 1. */
typedef struct cap_press_place_pair {
  double along, across;        /* m: r_i - r_j along t_j and n_j */
  double cos_delta, sin_delta; /* pitch_j - pitch_i */
} cap_press_place_pair;

/* dx, dy: r_i - r_j; c, s: cosines and sines of the pitches. */
CAP_INLINE cap_press_place_pair cap_press_place_of(double dx, double dy, double ci, double si, double cj,
                                                   double sj)
{
  return (cap_press_place_pair){.along = dx * cj + dy * sj,
                                .across = dy * cj - dx * sj,
                                .cos_delta = ci * cj + si * sj,
                                .sin_delta = ci * sj - si * cj};
}

/* How i moves over j, as seen from the origin of j, which turns with j. */
typedef struct cap_press_place_motion {
  double closing, sliding; /* m/s along t_j and n_j */
  double turning;          /* rad/s: w_i - w_j */
} cap_press_place_motion;

/* vx, vy: v_i - v_j. */
CAP_INLINE cap_press_place_motion cap_press_place_move(const cap_press_place_pair *p, double vx, double vy,
                                                       double wi, double wj, double cj, double sj)
{
  return (cap_press_place_motion){.closing = (vx * cj + vy * sj) + p->across * wj,
                                  .sliding = (vy * cj - vx * sj) - p->along * wj,
                                  .turning = wi - wj};
}

/* Elements that stand for `stack` real ones each: a joint between two of them is as many real joints one
 * behind the other, which share its way and its turning alike, docs/theory.md §43.3. Their faces are normal
 * to the direction (c, s), which is that of j turned back by `lean` of delta. */
typedef struct cap_press_place_stack {
  double share, lean; /* 1/stack; (1 - 1/stack)/2: 0 where each is a single one */
} cap_press_place_stack;

/* Of the pair, seen along (c, s): the way of all its joints together, and the turning of one of them. */
typedef struct cap_press_place_stacked {
  cap_press_place_pair pair;
  double c, s;
} cap_press_place_stacked;

/* Polynomials that are good to 1e-11 up to 0.4 rad, for angles of fractions of a joint. */
CAP_INLINE double cap_press_place_cosine(double x)
{
  const double z = x * x;
  return 1.0 + z * (-0.5 + z * (1.0 / 24.0 + z * (-1.0 / 720.0 + z * (1.0 / 40320.0))));
}

CAP_INLINE double cap_press_place_sine(double x)
{
  const double z = x * x;
  return x + x * z * (-1.0 / 6.0 + z * (1.0 / 120.0 + z * (-1.0 / 5040.0 + z * (1.0 / 362880.0))));
}

/* delta: pitch_j - pitch_i, but for whole turns. */
CAP_INLINE cap_press_place_stacked cap_press_place_stacked_of(double dx, double dy, double cj, double sj,
                                                              double delta, cap_press_place_stack by)
{
  const double whole = 0x1.8p52, turns = (delta * 0.15915494309189535 + whole) - whole;
  const double turn = delta - turns * 6.283185307179586, one = turn * by.share, lean = turn * by.lean;
  const double cl = cap_press_place_cosine(lean), sl = cap_press_place_sine(lean);
  const double c = cj * cl + sj * sl, s = sj * cl - cj * sl;
  return (cap_press_place_stacked){.pair = {.along = dx * c + dy * s,
                                            .across = dy * c - dx * s,
                                            .cos_delta = cap_press_place_cosine(one),
                                            .sin_delta = cap_press_place_sine(one)},
                                   .c = c,
                                   .s = s};
}

/* What does not change of an arc; its centre lies at (along, height) in i. */
typedef struct cap_press_place_arc {
  double height, radius, cos_turn, sin_turn; /* turn: its extent, less than a right angle */
} cap_press_place_arc;

/* A place: the penetration is pair.along + lever + back. Its slope to the pitch of i is `slope`, to that of j
 * pair.across - slope; to r_i it is t_j. So its rate is closing + slope turning, and the material points that
 * touch slide over each other by sliding + lever turning, along n_j. */
typedef struct cap_press_place {
  double lever; /* m: (point - r_i) . t_j */
  double slope; /* m */
  double arm;   /* m: (centre - r_i) . t_j */
  double held;  /* m: radius cos eta where the point is held at an end of the arc; else 0 */
} cap_press_place;

CAP_INLINE cap_press_place cap_press_place_point(const cap_press_place_pair *p, double along, double height)
{
  const double arm = along * p->cos_delta + height * p->sin_delta;
  return (cap_press_place){arm, along * p->sin_delta - height * p->cos_delta, arm, 0.0};
}

/* eta: 0 on the arc, delta before it, delta + turn behind it. */
CAP_INLINE cap_press_place cap_press_place_edge(const cap_press_place_pair *p, double along,
                                                const cap_press_place_arc *a)
{
  const cap_press_place centre = cap_press_place_point(p, along, a->height);
  const double cos_end = p->cos_delta * a->cos_turn - p->sin_delta * a->sin_turn;
  const double sin_end = p->sin_delta * a->cos_turn + p->cos_delta * a->sin_turn;
  const double cos_behind = p->sin_delta < -a->sin_turn ? cos_end : 1.0,
               sin_behind = p->sin_delta < -a->sin_turn ? sin_end : 0.0;
  const double cosine = p->sin_delta >= 0.0 ? p->cos_delta : cos_behind;
  const double sine = p->sin_delta >= 0.0 ? p->sin_delta : sin_behind;
  const double reach = a->radius * cosine, before = p->sin_delta >= 0.0 ? reach : 0.0;
  return (cap_press_place){.lever = centre.arm + reach,
                           .slope = centre.slope + a->radius * sine,
                           .arm = centre.arm,
                           .held = p->sin_delta < -a->sin_turn ? reach : before};
}
