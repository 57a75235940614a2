/* drives/accessory/accessory_drive_belt.c — the belt drive (drives/accessory/belt/belt.h) of a model file,
 * and what is wrong with it.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/belt/belt_path.h"
#include "drives/accessory/belt/belt_statics.h"
#include "drives/accessory/elements/belt_elements.h"
#include "elements/elements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef cap_accessory_spec spec;
typedef cap_accessory_pulley pulley;

enum { DIAMETER_EFFECTIVE, DIAMETER_OUTSIDE, DIAMETER_PITCH };

/* A PK belt's values for each rib, and its offsets (m). */
static const double RIB_EA = 20e3, RIB_EI = 8e-4, RIB_MASS = 0.0185, PK_HB = 1.2e-3, PK_HR = 1.1e-3;

/* ---- the crank ----------------------------------------------------------------------------------------- */

cap_status cap_accessory_drive_belt_motion(const spec *s, cap_arena *arena, cap_motion *motion)
{
  double part[3][CAP_ACCESSORY_DRIVE_ORDERS], zero = 0.0;
  const cap_accessory_order *orders = s->crank.orders.items;
  const cap_series *speeds = &s->crank.speeds;
  for (int k = 0; k < s->crank.orders.n; k++) {
    part[0][k] = orders[k].order;
    part[1][k] = orders[k].amplitude;
    part[2][k] = orders[k].phase;
  }
  if (s->crank.speed > 0.0) /* also where an analysis sets it in the place of a table */
    return cap_motion_shaft(arena, 1, &zero, &s->crank.speed, s->crank.orders.n, part[0], part[1], part[2],
                            motion);
  return cap_motion_shaft(arena, speeds->n, speeds->x, speeds->y, s->crank.orders.n, part[0], part[1],
                          part[2], motion);
}

/* Linear between the points, constant beyond. */
static double series_at(const cap_series *series, double x)
{
  int k = 0;
  if (series->n == 0) return 0.0;
  if (x <= series->x[0]) return series->y[0];
  if (x >= series->x[series->n - 1]) return series->y[series->n - 1];
  while (x >= series->x[k + 1]) k++;
  double part = (x - series->x[k]) / (series->x[k + 1] - series->x[k]);
  return series->y[k] + part * (series->y[k + 1] - series->y[k]);
}

static double speed_at(const spec *s, double t, double *fastest)
{
  const cap_series *speeds = &s->crank.speeds;
  *fastest = s->crank.speed;
  if (s->crank.speed > 0.0) return s->crank.speed;
  for (int k = 0; k < speeds->n; k++) *fastest = fmax(*fastest, speeds->y[k]);
  return series_at(speeds, t);
}

int cap_accessory_drive_belt_find(const spec *s, const char *name)
{
  const pulley *pulleys = s->pulleys.items;
  for (int k = 0; k < s->pulleys.n; k++)
    if (strcmp(pulleys[k].name, name) == 0) return k;
  return -1;
}

/* ---- loads --------------------------------------------------------------------------------------------- */

/* The torque of a power between two speeds, sampled finely: linear in between it is off by 2e-4 at most of a
 * constant power over a factor of 200 in speed. */
static int sample_power(double w0, double p0, double w1, double p1, int count, double *speed, double *torque)
{
  for (int i = 0; i < count; i++) {
    double w = w0 * pow(w1 / w0, (double)i / count), part = (w - w0) / (w1 - w0);
    speed[i] = w;
    torque[i] = (p0 + part * (p1 - p0)) / w;
  }
  return count;
}

static int power_points(const cap_accessory_load *l, double ratio, double fastest, double *speed,
                        double *torque)
{
  int n = 0, last = CAP_BRAKE_POINTS - 1;
  const cap_series *p = &l->powers;
  if (l->power_given) {
    n = sample_power(0.02 * fastest, l->power, 4.0 * fastest, l->power, last, speed, torque);
    speed[n] = 4.0 * fastest;
    torque[n++] = l->power / (4.0 * fastest);
    return n;
  }
  for (int k = 0; k + 1 < p->n; k++)
    n += sample_power(ratio * p->x[k], p->y[k], ratio * p->x[k + 1], p->y[k + 1], last / (p->n - 1),
                      speed + n, torque + n);
  speed[n] = ratio * p->x[p->n - 1];
  torque[n++] = p->y[p->n - 1] / (ratio * p->x[p->n - 1]);
  return n;
}

/* `gear`: speed of the pulley over that of the crank; `fastest` of the crank. */
static cap_status fill_load(const cap_accessory_load *l, double gear, double fastest, cap_arena *arena,
                            cap_belt_load *load)
{
  double *speed = CAP_ARENA_NEW(arena, double, CAP_BRAKE_POINTS);
  double *torque = CAP_ARENA_NEW(arena, double, CAP_BRAKE_POINTS);
  if (!speed || !torque) return CAP_ERR_NOMEM;
  double ratio = l->speed_of == 1 ? gear : 1.0;
  *load = (cap_belt_load){.speed = speed, .torque = torque};
  if (l->torque_given) {
    torque[0] = l->torque;
    load->n = 1;
  }
  for (int k = 0; k < l->torques.n; k++) {
    speed[k] = ratio * l->torques.x[k];
    torque[k] = l->torques.y[k];
    load->n = k + 1;
  }
  if (l->power_given || l->powers.n) load->n = power_points(l, ratio, gear * fastest, speed, torque);
  return CAP_OK;
}

/* ---- belt and pulleys ---------------------------------------------------------------------------------- */

static void fill_belt(const spec *s, cap_belt *b)
{
  bool pk = s->belt.kind == CAP_ACCESSORY_PK;
  int ribs = pk ? s->belt.ribs : 0;
  b->ribs = ribs;
  b->EA = s->belt.EA_given ? s->belt.EA : RIB_EA * ribs;
  b->EI = s->belt.EI_given ? s->belt.EI : RIB_EI * ribs;
  b->mass = s->belt.mass_given ? s->belt.mass : RIB_MASS * ribs;
  b->damping = s->belt.damping;
  b->hb = s->belt.hb_given ? s->belt.hb : pk ? PK_HB : 0.0;
  b->hr = s->belt.hr_given ? s->belt.hr : pk ? PK_HR : 0.0;
  double pitch = s->belt.length + (s->belt.length_is == 0 ? 2.0 * M_PI * b->hb : 0.0);
  b->named_length = pitch;
  b->named_pitch = s->belt.length_is != 0;
  b->length0 = pitch / (1.0 + s->belt.measured_at / b->EA);
  b->effective_length = b->length0 - 2.0 * M_PI * b->hb;
}

static void fill_pulley(const spec *s, const pulley *p, const cap_belt *b, cap_belt_pulley *out)
{
  bool back = p->side == 1;
  double offset = back ? b->hr : b->hb, half = 0.5 * p->diameter;
  out->name = p->name;
  out->side = back ? CAP_BELT_BACK : CAP_BELT_GROOVE;
  out->radius = p->diameter_is == DIAMETER_PITCH ? half : half + offset;
  out->outside = out->effective = 2.0 * (out->radius - offset);
  out->inertia = p->inertia;
  out->mass = p->mass;
  out->on_arm = p->on != NULL;
  out->rotation = -1;
  out->offset = p->offset;
  for (int k = 0; k < p->tilt.n; k++) out->tilt[k] = p->tilt.v[k];
  out->bearing = p->bearing;
  cap_accessory_drive_shaft_fill(p, out);
  out->beside = series_at(&p->load.over_time, s->start);
  out->friction = cap_accessory_drive_wedge_friction(s, p);
  if (out->on_arm) return; /* the tensioner places it */
  out->x = p->at.v[0];
  out->y = p->at.v[1];
}

static cap_status fill_pulleys(const spec *s, cap_arena *arena, cap_belt *b)
{
  const pulley *pulleys = s->pulleys.items;
  double fastest;
  b->npulley = s->pulleys.n;
  b->pulleys = CAP_ARENA_NEW(arena, cap_belt_pulley, b->npulley);
  if (!b->pulleys) return CAP_ERR_NOMEM;
  b->crank = cap_accessory_drive_belt_find(s, s->crank.pulley);
  b->speed = speed_at(s, s->start, &fastest);
  for (int k = 0; k < b->npulley; k++) {
    fill_pulley(s, &pulleys[k], b, &b->pulleys[k]);
    CAP_TRY(cap_accessory_drive_hub_fill(&pulleys[k], arena, &b->pulleys[k]));
  }
  for (int k = 0; k < b->npulley; k++) {
    double gear = b->pulleys[b->crank].radius / b->pulleys[k].radius;
    CAP_TRY(fill_load(&pulleys[k].load, gear, fastest, arena, &b->pulleys[k].load));
  }
  return CAP_OK;
}

/* ---- all ----------------------------------------------------------------------------------------------- */

cap_status cap_accessory_drive_belt(const spec *s, cap_arena *arena, cap_belt *b, cap_belt_statics *start,
                                    const char **key, cap_error *error)
{
  *b = (cap_belt){0};
  *start = (cap_belt_statics){0};
  *key = "pulleys";
  fill_belt(s, b);
  cap_accessory_drive_tensioner_fill(s, b);
  if (fill_pulleys(s, arena, b) != CAP_OK) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_accessory_drive_tensioner_place(b, b->arm.angle);
  CAP_TRY(cap_belt_path_solve(b, b->arm.angle, &start->path, error));
  *key = "belt.length";
  if (s->tensioner_given) {
    CAP_TRY(cap_accessory_drive_tensioner_spring(s, b, &start->path, error));
    *key = "tensioner";
  }
  cap_belt_statics_case running = {.arm = CAP_BELT_STATICS_FREE, .speed = b->speed};
  CAP_TRY(cap_belt_statics_solve(b, &running, start, error));
  if (s->tensioner_given) cap_accessory_drive_tensioner_place(b, start->angle);
  for (int k = 0; k < b->npulley; k++) {
    b->pulleys[k].shift_x = start->pulleys[k].shift_x;
    b->pulleys[k].shift_y = start->pulleys[k].shift_y;
  }
  *key = "pulleys";
  return cap_accessory_drive_shaft_holds(b, start, error);
}
