/* drives/pushbelt/ring/clamp.c — a node of a beam, clamped by a lever that turns about a fixed hinge.
 *
 * Maths: docs/theory.md §40.4. In the frame of the lever, whose angle is theta, the node is away from where
 * it is clamped by (u, w) = R(-theta) (node - hinge) - (distance, 0), and turned by phi - theta; springs
 * along, across and against turning hold it. Its force is that along the lever.
 */
#include "drives/pushbelt/ring/clamp.h"
#include "base/clones.h"
#include "elements/elements.h"

#include <math.h>

typedef struct clamp {
  double rx, ry, c, s; /* node from the hinge; direction of the lever */
  double along, across, turn;
  double u, w, angle;    /* deflections */
  double fu, fw, moment; /* that resist */
} clamp;

static clamp clamp_at(const cap_batch *b, const cap_eval *e, int k, int lane)
{
  int n = e->nlane;
  const double *par = b->par + (long)k * CAP_CLAMP_NPARAM * n + lane, *q = e->q + b->j[k] * n + lane;
  double theta = e->q[b->i[k] * n + lane];
  clamp m = {.rx = q[0] - par[CAP_CLAMP_X * n],
             .ry = q[n] - par[CAP_CLAMP_Y * n],
             .c = cos(theta),
             .s = sin(theta),
             .along = par[CAP_CLAMP_ALONG * n],
             .across = par[CAP_CLAMP_ACROSS * n],
             .turn = par[CAP_CLAMP_TURN * n],
             .angle = q[2 * n] - theta};
  m.u = m.rx * m.c + m.ry * m.s - par[CAP_CLAMP_DISTANCE * n];
  m.w = m.ry * m.c - m.rx * m.s;
  m.fu = m.along * m.u;
  m.fw = m.across * m.w;
  m.moment = m.turn * m.angle;
  return m;
}

/* Moment on the lever: of the springs along and across about the hinge, with the sign of theta. */
static double lever_moment(const clamp *m)
{
  return m->fw * (m->rx * m->c + m->ry * m->s) - m->fu * (m->ry * m->c - m->rx * m->s) + m->moment;
}

static void tangent(const clamp *m, const double *dtheta, const double *dq, double *dh_lever, double *dh,
                    long step)
{
  const double turn = *dtheta, x = dq[0], y = dq[step];
  const double side = m->ry * m->c - m->rx * m->s, ahead = m->rx * m->c + m->ry * m->s;
  const double du = x * m->c + y * m->s + side * turn, dw = y * m->c - x * m->s - ahead * turn;
  const double dfu = m->along * du, dfw = m->across * dw, dmoment = m->turn * (dq[2 * step] - turn);
  dh[0] -= dfu * m->c - dfw * m->s - (m->fu * m->s + m->fw * m->c) * turn;
  dh[step] -= dfu * m->s + dfw * m->c + (m->fu * m->c - m->fw * m->s) * turn;
  dh[2 * step] -= dmoment;
  *dh_lever += dfw * ahead + m->fw * du - dfu * side - m->fu * dw + dmoment;
}

static void rates(const cap_batch *b, cap_eval *e)
{
  int n = e->nlane;
  long step = (long)e->ncol * n;
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < n; lane++) {
      const clamp m = clamp_at(b, e, k, lane);
      double *h = e->h + b->j[k] * n + lane;
      h[0] -= m.fu * m.c - m.fw * m.s;
      h[n] -= m.fu * m.s + m.fw * m.c;
      h[2 * n] -= m.moment;
      e->h[b->i[k] * n + lane] += lever_moment(&m);
      if (e->force) e->force[(b->elem_adr + k) * n + lane] = m.fu;
      for (int c = 0; c < e->ncol; c++) {
        long at = (long)c * n + lane, lever = b->i[k] * step + at, node = b->j[k] * step + at;
        tangent(&m, e->dq + lever, e->dq + node, e->dh + lever, e->dh + node, step);
      }
    }
}

static void energy(const cap_batch *b, const cap_eval *e, double *stored)
{
  for (int k = 0; k < b->n; k++)
    for (int lane = 0; lane < e->nlane; lane++) {
      const clamp m = clamp_at(b, e, k, lane);
      stored[lane] += 0.5 * (m.fu * m.u + m.fw * m.w + m.moment * m.angle);
    }
}

static int reach(const cap_batch *b, int k, int coords[CAP_REACH_MOST])
{
  coords[0] = b->i[k];
  for (int c = 0; c < 3; c++) coords[1 + c] = b->j[k] + c;
  return 4;
}

static const cap_param params[] = {{"hinge x", "m"},
                                   {"hinge y", "m"},
                                   {"distance", "m"},
                                   {"longitudinal stiffness", "N/m"},
                                   {"transverse stiffness", "N/m"},
                                   {"rotational stiffness", "N m/rad"}};

const cap_element_type cap_clamp_type = {
    .name = "clamp",
    .doc = "clamp of a beam's node on a lever that turns about a fixed hinge",
    .nparam = CAP_CLAMP_NPARAM,
    .params = params,
    .wide = true,
    .rates = rates,
    .reach = reach,
    .energy = energy,
};
