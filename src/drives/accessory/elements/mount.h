/* drives/accessory/elements/mount.h — where the centre of a pulley is: fixed, on a rotary or linear
 * tensioner, on a hub.
 *
 * Maths: docs/theory.md §22.3. With s the coordinate ARM (rad or m) and h the two coordinates from HUB on
 * (m): c = (X, Y) + LENGTH (cos s, sin s) + (UX, UY) s + h turned by TURN. LENGTH belongs to a
 * rotary tensioner, (UX, UY) to a linear one; both are 0 for a pulley on fixed ground. The parameters of an
 * element hold one such group for each pulley that it touches, as doubles.
 */
#pragma once
#include "base/clones.h"
#include "drives/accessory/belt/belt.h"
#include <math.h>

enum {
  CAP_MOUNT_X,
  CAP_MOUNT_Y,
  CAP_MOUNT_LENGTH,
  CAP_MOUNT_UX,
  CAP_MOUNT_UY,
  CAP_MOUNT_ARM,  /* coordinate, or -1 */
  CAP_MOUNT_HUB,  /* the first of two consecutive coordinates, or -1 */
  CAP_MOUNT_TURN, /* rad, of the axis along which the first of them moves the centre */
  CAP_MOUNT_NPARAM
};

typedef struct cap_mount_place {
  double x, y;   /* m */
  double dx, dy; /* derivatives to the arm's coordinate; 0 without an arm */
  double ddx, ddy;
  double ax, ay; /* axis of the hub */
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
  par[CAP_MOUNT_HUB] = p->hub ? p->hub->coordinate : -1;
  par[CAP_MOUNT_TURN] = p->hub ? atan2(p->hub->axis[1], p->hub->axis[0]) : 0.0;
}

/* How the two coordinates of the hub move the centre: adds to (x, y). */
CAP_INLINE void cap_mount_add_hub(const cap_mount_place *p, double first, double second, double *x, double *y)
{
  *x += p->ax * first - p->ay * second;
  *y += p->ay * first + p->ax * second;
}

/* A force on the centre as forces on the two coordinates of the hub. */
CAP_INLINE void cap_mount_on_hub(const cap_mount_place *p, double fx, double fy, double *first,
                                 double *second)
{
  *first = p->ax * fx + p->ay * fy;
  *second = p->ax * fy - p->ay * fx;
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
    double turn = par[CAP_MOUNT_TURN * step];
    p.ax = turn != 0.0 ? cos(turn) : 1.0;
    p.ay = turn != 0.0 ? sin(turn) : 0.0;
    cap_mount_add_hub(&p, q[p.hub * step], q[(p.hub + 1) * step], &p.x, &p.y);
  }
  return p;
}

/* Pulley i of a belt drive with the tensioner at a place, its hub not moved. */
static inline cap_mount_place cap_mount_with(const cap_belt *belt, int i, double place)
{
  double par[CAP_MOUNT_NPARAM];
  cap_mount_of(belt, i, par);
  par[CAP_MOUNT_ARM] = belt->pulleys[i].on_arm ? 0 : -1; /* the only coordinate here */
  par[CAP_MOUNT_HUB] = -1;
  return cap_mount_at(par, &place, 1);
}

/* Velocity of the centre, with v laid out as q; or how it moves with changes of q in the place of v. */
CAP_INLINE void cap_mount_velocity(const cap_mount_place *p, const double *v, int step, double *vx,
                                   double *vy)
{
  *vx = *vy = 0.0;
  if (p->arm >= 0) *vx = p->dx * v[p->arm * step], *vy = p->dy * v[p->arm * step];
  if (p->hub >= 0) cap_mount_add_hub(p, v[p->hub * step], v[(p->hub + 1) * step], vx, vy);
}

/* A force (fx, fy) on the centre, added to the generalised forces h, laid out as q. */
CAP_INLINE void cap_mount_push(const cap_mount_place *p, double *h, int step, double fx, double fy)
{
  if (p->arm >= 0) h[p->arm * step] += p->dx * fx + p->dy * fy;
  if (p->hub >= 0) {
    double first, second;
    cap_mount_on_hub(p, fx, fy, &first, &second);
    h[p->hub * step] += first;
    h[(p->hub + 1) * step] += second;
  }
}
