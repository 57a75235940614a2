/* elements/mount.h — where the centre of a pulley is: fixed, on a rotary or linear tensioner, on a hub.
 *
 * Maths: docs/theory.md §22.3. With s the coordinate ARM (rad or m) and h the two coordinates from HUB on
 * (m): c = (X, Y) + LENGTH (cos s, sin s) + (UX, UY) s + h LENGTH belongs to a rotary tensioner, (UX, UY) to
 * a linear one; both are 0 for a pulley on fixed ground. The parameters of an element hold one such group for
 * each pulley that it touches, as doubles.
 */
#pragma once
#include "base/clones.h"
#include "model/belt.h"
#include <math.h>

enum {
  CAP_MOUNT_X,
  CAP_MOUNT_Y,
  CAP_MOUNT_LENGTH,
  CAP_MOUNT_UX,
  CAP_MOUNT_UY,
  CAP_MOUNT_ARM, /* coordinate, or -1 */
  CAP_MOUNT_HUB, /* the first of two consecutive coordinates, or -1 */
  CAP_MOUNT_NPARAM
};

typedef struct cap_mount_place {
  double x, y;   /* m */
  double dx, dy; /* derivatives to the arm's coordinate; 0 without an arm */
  double ddx, ddy;
  int arm, hub;
} cap_mount_place;

/* The group of pulley i of a belt drive. */
static inline void cap_mount_of(const cap_belt *belt, int i, double par[CAP_MOUNT_NPARAM])
{
  const cap_belt_pulley *p = &belt->pulleys[i];
  const cap_belt_arm *arm = &belt->arm;
  par[CAP_MOUNT_X] = p->on_arm ? arm->pivot_x : p->x;
  par[CAP_MOUNT_Y] = p->on_arm ? arm->pivot_y : p->y;
  par[CAP_MOUNT_LENGTH] = p->on_arm ? arm->length : 0.0;
  par[CAP_MOUNT_UX] = p->on_arm ? arm->slide_x : 0.0;
  par[CAP_MOUNT_UY] = p->on_arm ? arm->slide_y : 0.0;
  par[CAP_MOUNT_ARM] = p->on_arm ? arm->coordinate : -1;
  par[CAP_MOUNT_HUB] = -1;
}

/* par: the first of the group, `step` doubles from one parameter to the next; q: the coordinates, `step`
 * doubles from one to the next (both: the lane innermost, pointing at the lane). */
CAP_INLINE cap_mount_place cap_mount_at(const double *par, const double *q, int step)
{
  cap_mount_place p = {.x = par[CAP_MOUNT_X * step],
                       .y = par[CAP_MOUNT_Y * step],
                       .arm = (int)par[CAP_MOUNT_ARM * step],
                       .hub = (int)par[CAP_MOUNT_HUB * step]};
  if (p.arm >= 0) {
    double s = q[p.arm * step], length = par[CAP_MOUNT_LENGTH * step];
    double c = length != 0.0 ? length * cos(s) : 0.0, i = length != 0.0 ? length * sin(s) : 0.0;
    p.x += c + par[CAP_MOUNT_UX * step] * s;
    p.y += i + par[CAP_MOUNT_UY * step] * s;
    p.dx = par[CAP_MOUNT_UX * step] - i;
    p.dy = par[CAP_MOUNT_UY * step] + c;
    p.ddx = -c;
    p.ddy = -i;
  }
  if (p.hub >= 0) {
    p.x += q[p.hub * step];
    p.y += q[(p.hub + 1) * step];
  }
  return p;
}

/* Velocity of the centre, with v laid out as q. */
CAP_INLINE void cap_mount_velocity(const cap_mount_place *p, const double *v, int step, double *vx,
                                   double *vy)
{
  *vx = *vy = 0.0;
  if (p->arm >= 0) *vx = p->dx * v[p->arm * step], *vy = p->dy * v[p->arm * step];
  if (p->hub >= 0) *vx += v[p->hub * step], *vy += v[(p->hub + 1) * step];
}

/* A force (fx, fy) on the centre, added to the generalised forces h, laid out as q. */
CAP_INLINE void cap_mount_push(const cap_mount_place *p, double *h, int step, double fx, double fy)
{
  if (p->arm >= 0) h[p->arm * step] += p->dx * fx + p->dy * fy;
  if (p->hub >= 0) h[p->hub * step] += fx, h[(p->hub + 1) * step] += fy;
}
