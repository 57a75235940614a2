/* drives/pushbelt/contact/pose.h — where a planar rigid body is, by the coordinates that move it.
 *
 * Maths: docs/theory.md §40.2. A body is either free, with the consecutive coordinates x, y and pitch of its
 * origin, or held by a lever that turns about a fixed hinge, with the coordinates rho (distance from the
 * hinge) and pitch (angle of the lever):
 *   r = hinge + side rho t + offset n,   t = (cos pitch, sin pitch),   n = (-sin pitch, cos pitch).
 * Forces on the body go to its coordinates by virtual work, and so do their derivatives. Values of one lane
 * stand `step` apart.
 */
#pragma once
#include "base/clones.h"
#include <math.h>
#include <stdbool.h>

enum { CAP_POSE_HINGED, CAP_POSE_X, CAP_POSE_Y, CAP_POSE_SIDE, CAP_POSE_OFFSET, CAP_POSE_NPARAM };

/* What the parameters say. */
typedef struct cap_pose_map {
  bool hinged;
  double x, y, side, offset;
} cap_pose_map;

typedef struct cap_pose {
  double x, y, pitch, c, s;
  double vx, vy, w;
  double rx, ry; /* from the hinge */
} cap_pose;

/* Change of a pose along a direction. */
typedef struct cap_pose_change {
  double x, y, pitch, vx, vy, w;
} cap_pose_change;

CAP_INLINE cap_pose_map cap_pose_map_of(const double *par, int step)
{
  return (cap_pose_map){par[CAP_POSE_HINGED * step] != 0.0, par[CAP_POSE_X * step], par[CAP_POSE_Y * step],
                        par[CAP_POSE_SIDE * step], par[CAP_POSE_OFFSET * step]};
}

/* Number of coordinates. */
static inline int cap_pose_ncoord(const cap_pose_map *m)
{
  return m->hinged ? 2 : 3;
}

/* q and v: of the body's first coordinate. */
static inline cap_pose cap_pose_at(const cap_pose_map *m, const double *q, const double *v, int step)
{
  cap_pose p;
  if (!m->hinged) {
    p = (cap_pose){.x = q[0],
                   .y = q[step],
                   .pitch = q[2 * step],
                   .c = cos(q[2 * step]),
                   .s = sin(q[2 * step]),
                   .vx = v[0],
                   .vy = v[step],
                   .w = v[2 * step]};
    return p;
  }
  p = (cap_pose){.pitch = q[step], .c = cos(q[step]), .s = sin(q[step]), .w = v[step]};
  const double along = m->side * q[0], rate = m->side * v[0];
  p.rx = along * p.c - m->offset * p.s;
  p.ry = along * p.s + m->offset * p.c;
  p.x = m->x + p.rx;
  p.y = m->y + p.ry;
  p.vx = rate * p.c - p.ry * p.w;
  p.vy = rate * p.s + p.rx * p.w;
  return p;
}

/* Along the direction dq, dv of its coordinates, `step` apart. */
CAP_INLINE cap_pose_change cap_pose_turn(const cap_pose_map *m, const cap_pose *p, const double *dq,
                                         const double *dv, long step)
{
  if (!m->hinged) return (cap_pose_change){dq[0], dq[step], dq[2 * step], dv[0], dv[step], dv[2 * step]};
  const double along = m->side * dq[0], turn = dq[step], spin = dv[step];
  cap_pose_change d = {.pitch = turn, .w = spin};
  d.x = along * p->c - p->ry * turn;
  d.y = along * p->s + p->rx * turn;
  /* v = rate t + w (-ry, rx) with rate = v . t + w (r . n) along t */
  const double rate = (p->vx + p->ry * p->w) * p->c + (p->vy - p->rx * p->w) * p->s;
  const double spread = m->side * dv[0];
  d.vx = spread * p->c - rate * p->s * turn - d.y * p->w - p->ry * spin;
  d.vy = spread * p->s + rate * p->c * turn + d.x * p->w + p->rx * spin;
  return d;
}

/* h of its coordinates += force (fx, fy) at its origin and moment. */
CAP_INLINE void cap_pose_push(const cap_pose_map *m, const cap_pose *p, double fx, double fy, double moment,
                              double *h, int step)
{
  if (!m->hinged) {
    h[0] += fx;
    h[step] += fy;
    h[2 * step] += moment;
    return;
  }
  h[0] += m->side * (fx * p->c + fy * p->s);
  h[step] += moment + p->rx * fy - p->ry * fx;
}

/* The same for the derivatives of force and moment, where the force itself is (fx, fy). */
CAP_INLINE void cap_pose_push_turn(const cap_pose_map *m, const cap_pose *p, const cap_pose_change *d,
                                   double fx, double fy, double dfx, double dfy, double dmoment, double *dh,
                                   long step)
{
  if (!m->hinged) {
    dh[0] += dfx;
    dh[step] += dfy;
    dh[2 * step] += dmoment;
    return;
  }
  dh[0] += m->side * (dfx * p->c + dfy * p->s + (fy * p->c - fx * p->s) * d->pitch);
  dh[step] += dmoment + p->rx * dfy - p->ry * dfx + d->x * fy - d->y * fx;
}

/* Its generalised force along its first coordinate. */
CAP_INLINE double cap_pose_along(const cap_pose_map *m, const cap_pose *p, double fx, double fy)
{
  return m->hinged ? m->side * (fx * p->c + fy * p->s) : fx;
}
