/* drives/accessory/belt/belt_noise.c — see belt_noise.h. */
#include "drives/accessory/belt/belt_noise.h"

#include <math.h>

double cap_belt_noise_frequency(const cap_belt *belt, const cap_belt_statics *s, int span, int n)
{
  double length = s->path.span[span].length, wave = n * M_PI / length, speed = s->belt_speed;
  double still = (s->spans[span].effective + belt->EI * wave * wave) / belt->mass; /* c^2 - v^2 */
  return n * still / (2.0 * length * sqrt(still + speed * speed));
}

/* By how much the plane of a pulley comes out towards the viewer along (x, y). */
static double rise(const cap_belt_pulley *p, double x, double y)
{
  return p->tilt[0] * y - p->tilt[1] * x;
}

/* Where a grooved pulley holds the belt at a point of its path. */
static double held_at(const cap_belt_pulley *p, const double centre[2], const double at[2])
{
  return p->offset + rise(p, at[0] - centre[0], at[1] - centre[1]);
}

void cap_belt_noise_entries(const cap_belt *belt, const cap_belt_path *path,
                            cap_belt_noise_entry entries[CAP_BELT_PATH_MOST])
{
  int n = belt->npulley, first = 0;
  while (first < n - 1 && belt->pulleys[first].side != CAP_BELT_GROOVE) first++; /* every loop has one */
  double z = held_at(&belt->pulleys[first], path->pulley[first].centre, path->span[first].from);
  for (int k = 0; k < n; k++) {
    int i = (first + k) % n, j = (i + 1) % n;
    const cap_belt_pulley *leaves = &belt->pulleys[i], *enters = &belt->pulleys[j];
    const cap_belt_path_span *span = &path->span[i];
    const double *next = path->span[j].from;
    double own = held_at(enters, path->pulley[j].centre, span->to);
    double along = rise(enters, span->u[0], span->u[1]), slope = along;
    if (enters->side == CAP_BELT_GROOVE) slope = (own - z) / span->length;
    entries[i].entry = slope - along;
    entries[i].exit = slope - rise(leaves, span->u[0], span->u[1]);
    z += slope * span->length;
    entries[i].position = enters->side == CAP_BELT_GROOVE ? 0.0 : z - own;
    z += rise(enters, next[0] - span->to[0], next[1] - span->to[1]);
  }
}
