/* drives/accessory/analyses/statics_belt.c — see statics_belt.h: the cases, and the table of results. */
#include "drives/accessory/analyses/statics_belt.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const arm_names[] = {"free", "locked", "nominal"};

/* ---- the columns of the table: name, unit, meaning, value ---------------------------------------------- */

/* What a column may ask for: the solution, its drive and the index of a span or pulley. */
#define DRIVE_COLUMNS(X)                                                                                     \
  X("belt.speed", "m/s", "belt speed at the entry of the crank", s->belt_speed)                              \
  X("belt.centrifugal", "N", "centrifugal tension, at the exit of the crank", s->centrifugal)                \
  X("belt.length", "m", "pitch length of the stretched belt", s->pitch_length)                               \
  X("crank.torque", "N m", "crank torque on the belt", -s->pulleys[belt->crank].torque)                      \
  X("crank.power", "W", "crank power into the belt", -s->pulleys[belt->crank].power)

#define SPAN_COLUMNS(X)                                                                                      \
  X("tension", "N", "tension of the span after", s->spans[i].tension)                                        \
  X("effective_tension", "N", "effective tension of the span after", s->spans[i].effective)                  \
  X("length", "m", "length of the span after", s->path.span[i].length)                                       \
  X("direction", "rad", "direction of the span after", s->path.span[i].direction)                            \
  X("from_x", "m", "tangent point x at the exit of", s->path.span[i].from[0])                                \
  X("from_y", "m", "tangent point y at the exit of", s->path.span[i].from[1])                                \
  X("to_x", "m", "tangent point x at the end of the span after", s->path.span[i].to[0])                      \
  X("to_y", "m", "tangent point y at the end of the span after", s->path.span[i].to[1])

#define PULLEY_COLUMNS(X)                                                                                    \
  X("x", "m", "centre x of", s->path.pulley[i].centre[0])                                                    \
  X("y", "m", "centre y of", s->path.pulley[i].centre[1])                                                    \
  X("wrap", "rad", "wrap of", s->path.pulley[i].wrap)                                                        \
  X("speed", "rad/s", "speed of", s->pulleys[i].speed)                                                       \
  X("torque", "N m", "belt torque on", s->pulleys[i].torque)                                                 \
  X("power", "W", "belt power into", s->pulleys[i].power)                                                    \
  X("hub_x", "N", "hub load along x from the belt on", s->pulleys[i].hub_x)                                  \
  X("hub_y", "N", "hub load along y from the belt on", s->pulleys[i].hub_y)                                  \
  X("hub", "N", "hub load of", hypot(s->pulleys[i].hub_x, s->pulleys[i].hub_y))                              \
  X("hub_direction", "rad", "direction of the hub load of", atan2(s->pulleys[i].hub_y, s->pulleys[i].hub_x)) \
  X("slip_arc", "rad", "slip arc on", isinf(s->pulleys[i].slip_arc) ? NAN : s->pulleys[i].slip_arc)          \
  X("safety", "1", "slip safety on", isinf(s->pulleys[i].safety) ? NAN : s->pulleys[i].safety)               \
  X("reserve", "1", "capstan ratio / tension ratio on", s->pulleys[i].reserve)                               \
  X("slip_torque", "N m", "torque at gross slip on", s->pulleys[i].slip_torque)                              \
  X("creep", "1", "relative rim speed loss to the crank of", s->pulleys[i].creep)                            \
  X("slip_speed", "m/s", "sliding velocity of the belt at the exit of", s->pulleys[i].slip_speed)            \
  X("loss", "W", "power loss due to creep on", s->pulleys[i].loss)

#define HUB_COLUMNS(X)                                                                                       \
  X("shift_x", "m", "hub displacement along x of", s->pulleys[i].shift_x)                                    \
  X("shift_y", "m", "hub displacement along y of", s->pulleys[i].shift_y)

#define COUNT(name, unit, text, value) +1
#define UNIT(name, unit, text, value)  {name, unit, text},
enum {
  NDRIVE = 0 DRIVE_COLUMNS(COUNT),
  NARM = 4,
  NSPAN = 0 SPAN_COLUMNS(COUNT),
  NPULLEY = 0 PULLEY_COLUMNS(COUNT),
  NHUB = 0 HUB_COLUMNS(COUNT),
  NBAND = 4,     /* two ends of the band that dry friction leaves: angle and tension */
  NPOSITION = 2, /* of each belt length: angle and tension */
  NPLACE = 6     /* arrays of the positions at rest */
};
static const cap_column drive_columns[] = {DRIVE_COLUMNS(UNIT)}, span_columns[] = {SPAN_COLUMNS(UNIT)},
                        pulley_columns[] = {PULLEY_COLUMNS(UNIT)}, hub_columns[] = {HUB_COLUMNS(UNIT)};

/* ---- the work ------------------------------------------------------------------------------------------ */

typedef struct work {
  cap_run *run;
  const cap_belt *belt;
  const cap_statics_belt_spec *s;
  int npoint, nposition, ncolumn, nput;
  cap_statics_belt_point *points; /* [npoint] */
  cap_statics_belt_position positions[CAP_STATICS_BELT_POSITIONS];
  cap_column *columns; /* [ncolumn] */
  double *row;         /* [ncolumn] */
  cap_arena arena;
} work;

static bool has_arm(const work *w)
{
  return cap_belt_has_arm(w->belt);
}

static bool has_band(const work *w)
{
  return has_arm(w) && w->belt->arm.friction > 0.0 && w->s->arm == CAP_BELT_STATICS_FREE;
}

static cap_belt_statics_case case_at(const work *w, double speed)
{
  const cap_belt *belt = w->belt;
  return (cap_belt_statics_case){.arm = (cap_belt_statics_arm)w->s->arm,
                                 .speed = speed,
                                 .angle = w->s->angle_given      ? w->s->angle
                                          : w->s->position_given ? w->s->position
                                                                 : belt->arm.angle};
}

static cap_status compute(work *w)
{
  int found = 0;
  for (int k = 0; k < w->npoint; k++) {
    cap_statics_belt_point *p = &w->points[k];
    p->speed = w->s->speeds.n ? w->s->speeds.v[k] : w->belt->speed;
    cap_belt_statics_case which = case_at(w, p->speed);
    cap_status status = cap_belt_statics_solve(w->belt, &which, &p->s, w->run->error);
    p->found = status == CAP_OK;
    found += p->found;
    if (!p->found && (k < w->npoint - 1 || found))
      cap_progress_note(w->run->progress, "statics: %s", w->run->error->text);
  }
  if (!found) return w->run->error->status;
  *w->run->error = (cap_error){0};
  return CAP_OK;
}

/* ---- the table ----------------------------------------------------------------------------------------- */

static void name_column(work *w, const char *name, const char *unit, const char *text)
{
  w->columns[w->nput++] = (cap_column){name, unit, text};
}

/* "pulley.alternator.torque", "torque of the belt on alternator" */
static bool name_columns(work *w, int n, const cap_column *kind, const char *before, const char *of)
{
  for (int k = 0; k < n; k++) {
    size_t size = strlen(before) + strlen(of) + strlen(kind[k].name) + strlen(kind[k].long_name) + 8;
    char *name = CAP_ARENA_NEW(&w->arena, char, size), *text = CAP_ARENA_NEW(&w->arena, char, size);
    if (!name || !text) return false;
    snprintf(name, size, "%s.%s.%s", before, of, kind[k].name);
    snprintf(text, size, "%s %s", kind[k].long_name, of);
    name_column(w, name, kind[k].unit, text);
  }
  return true;
}

/* "arm.angle" in "rad", or "slide.position" in "m". */
static bool name_tensioner(work *w)
{
  const cap_belt_words *t = cap_belt_words_of(&w->belt->arm);
  cap_arena *a = &w->arena;
  int first = w->nput;
  name_column(w, cap_arena_format(a, "%s.%s", t->part, t->place), t->place_unit,
              cap_arena_format(a, "%s of the %s", t->place, t->part));
  name_column(w, cap_arena_format(a, "%s.take_up", t->part), t->take_up_unit,
              cap_arena_format(a, "derivative of the pitch length with respect to the %s", t->place));
  name_column(w, cap_arena_format(a, "%s.%s", t->part, t->push), t->push_unit,
              cap_arena_format(a, "%s of the belt on the %s, against the spring", t->push, t->part));
  name_column(w, cap_arena_format(a, "%s.stop_%s", t->part, t->push), t->push_unit,
              cap_arena_format(a, "holding %s on the %s, in addition to the spring", t->push, t->part));
  static const char *const ends[] = {"lowest", "highest"}, *const how[] = {"against", "with"};
  for (int k = 0; has_band(w) && k < 2; k++) {
    name_column(w, cap_arena_format(a, "%s.%s.%s", t->part, ends[k], t->place), t->place_unit,
                cap_arena_format(a, "%s of the %s, friction %s the spring", t->place, t->part, how[k]));
    name_column(w, cap_arena_format(a, "%s.%s.tension", t->part, ends[k]), "N",
                cap_arena_format(a, "effective tension at the %s, friction %s the spring", t->part, how[k]));
  }
  for (int k = first; k < w->nput; k++)
    if (!w->columns[k].name || !w->columns[k].long_name) return false;
  return true;
}

static bool name_positions(work *w)
{
  static const cap_column rotary[NPOSITION] = {{"angle", "rad", "angle of the free arm, belt"},
                                               {"tension", "N", "effective tension at the free arm, belt"}};
  static const cap_column linear[NPOSITION] = {{"position", "m", "position of the free slide, belt"},
                                               {"tension", "N", "effective tension at the free slide, belt"}};
  const cap_column *kind = cap_belt_slides(&w->belt->arm) ? linear : rotary;
  bool done = true;
  for (int k = 0; done && k < w->nposition; k++)
    if (w->positions[k].of_belt) done = name_columns(w, NPOSITION, kind, "position", w->positions[k].name);
  return done;
}

static bool name_all(work *w)
{
  name_column(w, "speed", "rad/s", "crank speed");
  for (int k = 0; k < NDRIVE; k++) w->columns[w->nput++] = drive_columns[k];
  bool done = !has_arm(w) || name_tensioner(w);
  for (int i = 0; done && i < w->belt->npulley; i++)
    done = name_columns(w, NSPAN, span_columns, "span", w->belt->pulleys[i].name) &&
           name_columns(w, NPULLEY, pulley_columns, "pulley", w->belt->pulleys[i].name) &&
           (!w->belt->pulleys[i].hub ||
            name_columns(w, NHUB, hub_columns, "pulley", w->belt->pulleys[i].name));
  return done && name_positions(w);
}

static void put(work *w, double value)
{
  w->row[w->nput++] = value;
}

/* Arm angle and tension there in another case; NaN where it has no solution. */
static void put_other(work *w, cap_belt_statics_case which)
{
  cap_belt_statics s;
  cap_error error;
  int at = 0;
  while (at < w->belt->npulley - 1 && !w->belt->pulleys[at].on_arm) at++;
  which.arm = CAP_BELT_STATICS_FREE;
  bool found = cap_belt_statics_solve(w->belt, &which, &s, &error) == CAP_OK;
  put(w, found ? s.angle : NAN);
  put(w, found ? s.spans[at].effective : NAN);
}

static void put_others(work *w, double speed)
{
  cap_belt_statics_case which = case_at(w, speed);
  for (int k = 0; k < w->nposition; k++)
    if (w->positions[k].of_belt) {
      which.longer = w->positions[k].longer;
      put_other(w, which);
    }
}

static void put_band(work *w, double speed)
{
  cap_belt_statics_case which = case_at(w, speed);
  which.friction = -w->belt->arm.friction;
  put_other(w, which);
  which.friction = w->belt->arm.friction;
  put_other(w, which);
}

#define PUT(name, unit, text, value) put(w, p->found ? (value) : NAN);

static cap_status put_row(work *w, const cap_statics_belt_point *p)
{
  const cap_belt_statics *s = &p->s;
  const cap_belt *belt = w->belt;
  w->nput = 0;
  put(w, p->speed);
  DRIVE_COLUMNS(PUT)
  const double of_arm[NARM] = {s->angle, fabs(s->take_up), s->arm_torque, s->stop_torque};
  for (int k = 0; has_arm(w) && k < NARM; k++) put(w, p->found ? of_arm[k] : NAN);
  if (has_band(w)) put_band(w, p->speed);
  for (int i = 0; i < belt->npulley; i++) {
    SPAN_COLUMNS(PUT)
    PULLEY_COLUMNS(PUT)
    if (!belt->pulleys[i].hub) continue;
    HUB_COLUMNS(PUT)
  }
  put_others(w, p->speed);
  return w->run->sink->rows(w->run->sink, 1, w->row);
}

static cap_status put_positions(work *w)
{
  cap_sink *sink = w->run->sink;
  double number[CAP_STATICS_BELT_POSITIONS], value[NPLACE][CAP_STATICS_BELT_POSITIONS];
  char names[160] = "";
  int64_t n = w->nposition;
  static const cap_column rotary[NPLACE] = {
      {"position.angle", "rad", "arm angle at rest"},
      {"position.length", "m", "effective length of the fitting belt, unstretched"},
      {"position.path", "m", "effective length of the belt path"},
      {"position.torque", "N m", "spring torque"},
      {"position.tension", "N", "tension at rest without loads"},
      {"position.take_up", "m/rad", "derivative of the pitch length with respect to the angle"}};
  static const cap_column linear[NPLACE] = {
      {"position.position", "m", "slide position at rest"},
      {"position.length", "m", "effective length of the fitting belt, unstretched"},
      {"position.path", "m", "effective length of the belt path"},
      {"position.force", "N", "spring force"},
      {"position.tension", "N", "tension at rest without loads"},
      {"position.take_up", "1", "derivative of the pitch length with respect to the position"}};
  const cap_column *what = cap_belt_slides(&w->belt->arm) ? linear : rotary;
  if (!n) return CAP_OK;
  for (int k = 0; k < n; k++) {
    const cap_statics_belt_position *p = &w->positions[k];
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s%s", k ? "," : "", p->name);
    number[k] = k + 1;
    value[0][k] = p->angle;
    value[1][k] = p->length;
    value[2][k] = p->path;
    value[3][k] = p->torque;
    value[4][k] = p->tension;
    value[5][k] = p->take_up;
  }
  CAP_TRY(sink->text(sink, "positions", names));
  cap_column axis = {"position", "1", "position"};
  CAP_TRY(sink->array(sink, axis, 1, &n, NULL, number));
  for (int k = 0; k < NPLACE; k++) CAP_TRY(sink->array(sink, what[k], 1, &n, axis.name, value[k]));
  return CAP_OK;
}

static cap_status put_all(work *w)
{
  cap_sink *sink = w->run->sink;
  CAP_TRY(sink->open(sink, "statics", "statics", "steady running of the belt drive vs crank speed"));
  CAP_TRY(sink->text(sink, "arm", has_arm(w) ? arm_names[w->s->arm] : "none"));
  w->nput = 0;
  if (!name_all(w)) return cap_status_fail(w->run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->columns(sink, w->ncolumn, w->columns));
  for (int k = 0; k < w->npoint; k++) CAP_TRY(put_row(w, &w->points[k]));
  CAP_TRY(put_positions(w));
  return sink->close(sink);
}

static int count_columns(const work *w)
{
  int n = 1 + NDRIVE + (has_arm(w) ? NARM : 0) + (has_band(w) ? NBAND : 0);
  n += w->belt->npulley * (NSPAN + NPULLEY);
  for (int i = 0; i < w->belt->npulley; i++) n += w->belt->pulleys[i].hub ? NHUB : 0;
  for (int k = 0; k < w->nposition; k++) n += w->positions[k].of_belt ? NPOSITION : 0;
  return n;
}

cap_status cap_statics_belt_run(cap_run *run, const cap_statics_belt_spec *s)
{
  work w = {.run = run, .belt = cap_belt_of(run->model), .s = s, .npoint = s->speeds.n ? s->speeds.n : 1};
  w.nposition = cap_statics_belt_positions(w.belt, s, w.positions);
  w.ncolumn = count_columns(&w);
  w.points = CAP_ARENA_NEW(&w.arena, cap_statics_belt_point, w.npoint);
  w.columns = CAP_ARENA_NEW(&w.arena, cap_column, w.ncolumn);
  w.row = CAP_ARENA_NEW(&w.arena, double, w.ncolumn);
  cap_status status = w.points && w.columns && w.row
                          ? compute(&w)
                          : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK) status = put_all(&w);
  if (status == CAP_OK) cap_statics_belt_tell(run, s, w.npoint, w.points, w.nposition, w.positions);
  cap_arena_free(&w.arena);
  return status;
}
