/* drives/accessory/analyses/belt_layout.c — see belt_layout.h. */
#include "drives/accessory/analyses/belt_layout.h"
#include "base/arena.h"
#include "drives/accessory/belt/belt.h"
#include "model/model.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* A number of a struct, by its place there. */
typedef struct place {
  cap_column what;
  size_t offset;
} place;

static const place of_pulley[] = {
    {{"pulley.x", "m", "centre x, with the arm at its start angle"}, offsetof(cap_belt_pulley, x)},
    {{"pulley.y", "m", "centre y, with the arm at its start angle"}, offsetof(cap_belt_pulley, y)},
    {{"pulley.radius", "m", "radius of the pitch line"}, offsetof(cap_belt_pulley, radius)},
    {{"pulley.effective", "m", "effective diameter"}, offsetof(cap_belt_pulley, effective)},
    {{"pulley.outside", "m", "outside diameter"}, offsetof(cap_belt_pulley, outside)},
    {{"pulley.inertia", "kg m2", "moment of inertia"}, offsetof(cap_belt_pulley, inertia)},
    {{0}, 0}};

static const place of_belt[] = {
    {{"belt.length", "m", "effective length, unstretched"}, offsetof(cap_belt, effective_length)},
    {{"belt.stiffness", "N", "tensile stiffness EA"}, offsetof(cap_belt, EA)},
    {{"belt.bending_stiffness", "N m2", "bending stiffness EI"}, offsetof(cap_belt, EI)},
    {{"belt.mass", "kg/m", "mass per length"}, offsetof(cap_belt, mass)},
    {{0}, 0}};

static const place of_arm[] = {
    {{"arm.pivot_x", "m", "pivot of the arm, x"}, offsetof(cap_belt_arm, pivot_x)},
    {{"arm.pivot_y", "m", "pivot of the arm, y"}, offsetof(cap_belt_arm, pivot_y)},
    {{"arm.length", "m", "length of the arm"}, offsetof(cap_belt_arm, length)},
    {{"arm.angle", "rad", "angle of the arm at the start"}, offsetof(cap_belt_arm, angle)},
    {{"arm.stop_low", "rad", "lower stop of the arm"}, offsetof(cap_belt_arm, stop_low)},
    {{"arm.stop_high", "rad", "upper stop of the arm"}, offsetof(cap_belt_arm, stop_high)},
    {{0}, 0}};

static const place of_slide[] = {
    {{"slide.origin_x", "m", "pulley at position 0 of the slide, x"}, offsetof(cap_belt_arm, pivot_x)},
    {{"slide.origin_y", "m", "pulley at position 0 of the slide, y"}, offsetof(cap_belt_arm, pivot_y)},
    {{"slide.along_x", "1", "direction of the slide, x"}, offsetof(cap_belt_arm, slide_x)},
    {{"slide.along_y", "1", "direction of the slide, y"}, offsetof(cap_belt_arm, slide_y)},
    {{"slide.position", "m", "position of the slide at the start"}, offsetof(cap_belt_arm, angle)},
    {{"slide.stop_low", "m", "lower stop of the slide"}, offsetof(cap_belt_arm, stop_low)},
    {{"slide.stop_high", "m", "upper stop of the slide"}, offsetof(cap_belt_arm, stop_high)},
    {{0}, 0}};

static double value_at(const void *self, const place *p)
{
  return *(const double *)(const void *)((const char *)self + p->offset);
}

/* "crank,tensioner,alternator" */
static char *names_of(const cap_belt *belt, cap_arena *arena)
{
  size_t room = 1;
  for (int i = 0; i < belt->npulley; i++) room += strlen(belt->pulleys[i].name) + 1;
  char *names = CAP_ARENA_NEW(arena, char, room), *end = names;
  if (!names) return NULL;
  for (int i = 0; i < belt->npulley; i++) {
    if (i) *end++ = ',';
    end = stpcpy(end, belt->pulleys[i].name);
  }
  return names;
}

static cap_status put_vector(cap_sink *sink, cap_column what, int64_t n, const double *values)
{
  return sink->array(sink, what, 1, &n, "pulley", values);
}

static cap_status put_pulleys(cap_sink *sink, const cap_model *m, const cap_belt *belt, double *values)
{
  const cap_belt_pulley *pulleys = belt->pulleys;
  int64_t n = belt->npulley;
  for (int i = 0; i < n; i++) values[i] = i + 1;
  CAP_TRY(sink->array(sink, (cap_column){"pulley", "1", "pulley, in the order of belt travel"}, 1, &n, NULL,
                      values));
  for (const place *p = of_pulley; p->what.name; p++) {
    for (int i = 0; i < n; i++) values[i] = value_at(&pulleys[i], p);
    CAP_TRY(put_vector(sink, p->what, n, values));
  }
  for (int i = 0; i < n; i++) values[i] = pulleys[i].side;
  CAP_TRY(put_vector(
      sink, (cap_column){"pulley.side", "1", "side of the belt in contact: 1 grooves, -1 back"}, n, values));
  for (int i = 0; i < n; i++) values[i] = pulleys[i].rotation < 0 ? 0.0 : m->base[pulleys[i].rotation];
  CAP_TRY(put_vector(
      sink,
      (cap_column){"pulley.base", "rad/s", "steady speed to which the angle is relative; 0: total angle"}, n,
      values));
  if (cap_belt_has_hubs(belt)) {
    for (int i = 0; i < n; i++)
      values[i] = pulleys[i].hub ? atan2(pulleys[i].hub->axis[1], pulleys[i].hub->axis[0]) : NAN;
    CAP_TRY(put_vector(sink, (cap_column){"pulley.hub_axis", "rad", "direction of the first hub coordinate"},
                       n, values));
  }
  for (int i = 0; i < n; i++) values[i] = pulleys[i].on_arm;
  return put_vector(sink, (cap_column){"pulley.on_arm", "1", "1: on the arm"}, n, values);
}

/* Without those that are infinite: stops that are not there. */
static cap_status put_numbers(cap_sink *sink, const place *places, const void *self)
{
  for (const place *p = places; p->what.name; p++) {
    double value = value_at(self, p);
    if (isfinite(value)) CAP_TRY(sink->number(sink, p->what, value));
  }
  return CAP_OK;
}

static cap_status put_all(cap_run *run, const cap_belt *belt, cap_arena *arena)
{
  cap_sink *sink = run->sink;
  const char *names = names_of(belt, arena);
  double *values = CAP_ARENA_NEW(arena, double, belt->npulley);
  if (!names || !values) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->open(sink, "layout", "layout", "layout of the drive"));
  CAP_TRY(sink->text(sink, "pulleys", names));
  CAP_TRY(sink->text(sink, "crank", belt->pulleys[belt->crank].name));
  CAP_TRY(put_pulleys(sink, run->model, belt, values));
  CAP_TRY(put_numbers(sink, of_belt, belt));
  if (cap_belt_has_arm(belt))
    CAP_TRY(put_numbers(sink, cap_belt_slides(&belt->arm) ? of_slide : of_arm, &belt->arm));
  return sink->close(sink);
}

cap_status cap_belt_layout_put(cap_run *run)
{
  cap_arena arena = {0};
  cap_status status = put_all(run, cap_belt_of(run->model), &arena);
  cap_arena_free(&arena);
  return status;
}
