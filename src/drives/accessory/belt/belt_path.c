/* drives/accessory/belt/belt_path.c — see belt_path.h. */
#include "drives/accessory/belt/belt_path.h"
#include "drives/accessory/elements/mount.h"

#include <math.h>

#define PI 3.14159265358979323846

static void place_pulley(const cap_belt *belt, int i, double angle, cap_belt_path_pulley *at)
{
  cap_mount_place p = cap_mount_with(belt, i, angle);
  const cap_belt_pulley *pulley = &belt->pulleys[i];
  *at = (cap_belt_path_pulley){.centre = {p.x + pulley->shift_x, p.y + pulley->shift_y},
                               .dcentre = {p.dx, p.dy},
                               .ddcentre = {p.ddx, p.ddy}};
}

/* The common tangent (22.2) of pulleys i and j and its derivatives (22.6), (22.7). */
static bool lay_span(const cap_belt *belt, const cap_belt_path *path, int i, int j, cap_belt_path_span *span)
{
  const cap_belt_path_pulley *p = &path->pulley[i], *q = &path->pulley[j];
  double Ri = belt->pulleys[i].side * belt->pulleys[i].radius;
  double Rj = belt->pulleys[j].side * belt->pulleys[j].radius;
  double d[2], dd[2], ddd[2];
  for (int k = 0; k < 2; k++) {
    d[k] = q->centre[k] - p->centre[k];
    dd[k] = q->dcentre[k] - p->dcentre[k];
    ddd[k] = q->ddcentre[k] - p->ddcentre[k];
  }
  double D2 = d[0] * d[0] + d[1] * d[1], across = Ri - Rj, along2 = D2 - across * across;
  double L = along2 > 0.0 ? sqrt(along2) : NAN;
  double u[2] = {(d[0] * L - d[1] * across) / D2, (d[1] * L + d[0] * across) / D2}, n[2] = {u[1], -u[0]};
  double dd_along = dd[0] * u[0] + dd[1] * u[1], dd_across = dd[0] * n[0] + dd[1] * n[1];
  span->length = L;
  span->direction = atan2(u[1], u[0]);
  for (int k = 0; k < 2; k++) {
    span->u[k] = u[k];
    span->from[k] = p->centre[k] + Ri * n[k];
    span->to[k] = q->centre[k] + Rj * n[k];
  }
  span->ddirection = -dd_across / L;
  span->dlength = dd_along - across * span->ddirection;
  span->stretch = dd_along;
  span->dstretch = ddd[0] * u[0] + ddd[1] * u[1] + dd_across * dd_across / L;
  return along2 > 0.0;
}

/* Angle from 0 to below 2 pi. */
static double whole_turn(double angle)
{
  double rest = fmod(angle, 2.0 * PI);
  return rest < 0.0 ? rest + 2.0 * PI : rest;
}

static void wrap_pulley(const cap_belt *belt, cap_belt_path *path, int i)
{
  const cap_belt_path_span *in = &path->span[i == 0 ? path->n - 1 : i - 1], *out = &path->span[i];
  cap_belt_path_pulley *at = &path->pulley[i];
  int side = belt->pulleys[i].side;
  at->wrap = whole_turn(side * (out->direction - in->direction));
  at->dwrap = side * (out->ddirection - in->ddirection);
  at->arc = belt->pulleys[i].radius * at->wrap;
  path->turning += side * at->wrap;
}

int cap_belt_path_trace(const cap_belt *belt, double angle, cap_belt_path *path)
{
  int missing = -1, n = belt->npulley;
  path->n = n;
  path->angle = angle;
  path->length = path->take_up = path->dtake_up = path->turning = 0.0;
  for (int i = 0; i < n; i++) place_pulley(belt, i, angle, &path->pulley[i]);
  for (int i = 0; i < n; i++)
    if (!lay_span(belt, path, i, i + 1 < n ? i + 1 : 0, &path->span[i]) && missing < 0) missing = i;
  for (int i = 0; i < n; i++) {
    wrap_pulley(belt, path, i);
    path->length += path->span[i].length + path->pulley[i].arc;
    path->take_up += path->span[i].stretch;
    path->dtake_up += path->span[i].dstretch;
  }
  path->effective_length = path->length - 2.0 * PI * belt->hb;
  return missing;
}

static cap_status check_input(const cap_belt *belt, double angle, cap_error *error)
{
  int on_arm = 0;
  if (belt->npulley < 2 || belt->npulley > CAP_BELT_PATH_MOST)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected 2 to %d pulleys on a belt, got %d",
                           CAP_BELT_PATH_MOST, belt->npulley);
  for (int i = 0; i < belt->npulley; i++) {
    const cap_belt_pulley *p = &belt->pulleys[i];
    bool placed = p->on_arm || (isfinite(p->x) && isfinite(p->y));
    if (!(p->radius > 0.0) || !isfinite(p->radius) || !placed)
      return cap_status_fail(error, CAP_ERR_INPUT,
                             "pulley '%s': expected a finite centre and a radius above 0", p->name);
    on_arm += p->on_arm;
  }
  if (on_arm > 1)
    return cap_status_fail(error, CAP_ERR_INPUT, "expected one pulley on the %s, got %d",
                           cap_belt_words_of(&belt->arm)->part, on_arm);
  if (on_arm && (!cap_belt_has_arm(belt) || !isfinite(belt->arm.length) || !isfinite(angle)))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "expected a tensioner with an arm length above 0 or a sliding direction, and a "
                           "finite angle or position");
  return CAP_OK;
}

cap_status cap_belt_path_solve(const cap_belt *belt, double angle, cap_belt_path *path, cap_error *error)
{
  CAP_TRY(check_input(belt, angle, error));
  cap_belt_path_trace(belt, angle, path);
  return cap_belt_path_check(belt, path, error);
}
