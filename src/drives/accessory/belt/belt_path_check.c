/* drives/accessory/belt/belt_path_check.c — which paths a belt can run, and what to change in one that it
 * cannot.
 *
 * One finding at a time, in the order in which a cause precedes its consequences: pulleys that overlap, spans
 * that do not exist, wraps, total turning, crossings. See belt_path.h.
 */
#include "drives/accessory/belt/belt_path.h"

#include <math.h>
#include <stdio.h>

#define PI  3.14159265358979323846
#define DEG (180.0 / PI)
#define MM  1e3

static const double least_wrap = 1e-6;  /* rad: below it, whether the belt touches is rounding */
static const double same_length = 1e-9; /* of a pulley's size: rounding of places */

typedef enum finding_kind {
  FINDING_NONE,
  FINDING_OVERLAP, /* pulleys i and j */
  FINDING_TANGENT, /* no tangent from i to j */
  FINDING_WRAP,    /* of pulley i */
  FINDING_TURNING,
  FINDING_ON_PULLEY, /* span i over pulley j */
  FINDING_CROSSING,  /* spans i and j */
  FINDING_MEETING,   /* the belt on pulleys i and j */
} finding_kind;

typedef struct finding {
  finding_kind kind;
  int i, j;
} finding;

static int next(const cap_belt_path *path, int i)
{
  return i + 1 < path->n ? i + 1 : 0;
}

/* Of the body: outside diameter where it is known. */
static double body_radius(const cap_belt_pulley *p)
{
  return p->outside > 0.0 ? 0.5 * p->outside : p->radius;
}

static double centre_distance(const cap_belt_path *path, int i, int j)
{
  return hypot(path->pulley[j].centre[0] - path->pulley[i].centre[0],
               path->pulley[j].centre[1] - path->pulley[i].centre[1]);
}

static finding find_overlap(const cap_belt *belt, const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++)
    for (int j = i + 1; j < path->n; j++) {
      double x = path->pulley[j].centre[0] - path->pulley[i].centre[0];
      double y = path->pulley[j].centre[1] - path->pulley[i].centre[1];
      double sum = (body_radius(&belt->pulleys[i]) + body_radius(&belt->pulleys[j])) * (1.0 - same_length);
      if (x * x + y * y < sum * sum) return (finding){FINDING_OVERLAP, i, j};
    }
  return (finding){FINDING_NONE, 0, 0};
}

static finding find_turns(const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++)
    if (!(path->span[i].length > 0.0)) return (finding){FINDING_TANGENT, i, next(path, i)};
  if (fabs(path->turning - 2.0 * PI) > 1e-3) return (finding){FINDING_TURNING, 0, 0};
  for (int i = 0; i < path->n; i++)
    if (path->pulley[i].wrap < least_wrap || path->pulley[i].wrap > 2.0 * PI - least_wrap)
      return (finding){FINDING_WRAP, i, 0};
  return (finding){FINDING_NONE, 0, 0};
}

/* Distance of a point from the span. */
static double span_distance(const cap_belt_path_span *span, const double point[2])
{
  double x = point[0] - span->from[0], y = point[1] - span->from[1];
  double along = x * span->u[0] + y * span->u[1], across = x * span->u[1] - y * span->u[0];
  if (along < 0.0) return hypot(x, y);
  if (along > span->length) return hypot(point[0] - span->to[0], point[1] - span->to[1]);
  return fabs(across);
}

static finding find_on_pulley(const cap_belt *belt, const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++)
    for (int j = 0; j < path->n; j++) {
      if (j == i || j == next(path, i)) continue;
      double room = belt->pulleys[j].radius * (1.0 - same_length);
      if (span_distance(&path->span[i], path->pulley[j].centre) < room)
        return (finding){FINDING_ON_PULLEY, i, j};
    }
  return (finding){FINDING_NONE, 0, 0};
}

/* On which side of the span the point lies: positive to its right. */
static double beside(const cap_belt_path_span *span, const double point[2])
{
  return (point[0] - span->from[0]) * span->u[1] - (point[1] - span->from[1]) * span->u[0];
}

static bool cross(const cap_belt_path_span *a, const cap_belt_path_span *b)
{
  return beside(a, b->from) * beside(a, b->to) < 0.0 && beside(b, a->from) * beside(b, a->to) < 0.0;
}

static finding find_crossing(const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++)
    for (int j = i + 1; j < path->n; j++)
      if (cross(&path->span[i], &path->span[j])) return (finding){FINDING_CROSSING, i, j};
  return (finding){FINDING_NONE, 0, 0};
}

/* Whether the belt lies on pulley i at a place of its rim. */
static bool on_arc(const cap_belt *belt, const cap_belt_path *path, int i, double angle)
{
  int side = belt->pulleys[i].side;
  double entry = path->span[i == 0 ? path->n - 1 : i - 1].direction - side * 0.5 * PI;
  double turned = remainder(side * (angle - entry), 2.0 * PI);
  return (turned < 0.0 ? turned + 2.0 * PI : turned) <= path->pulley[i].wrap;
}

/* Bodies may clear each other where the pitch circles, which are larger, do not. */
static finding find_meeting(const cap_belt *belt, const cap_belt_path *path)
{
  for (int i = 0; i < path->n; i++)
    for (int j = i + 1; j < path->n; j++) {
      double x = path->pulley[j].centre[0] - path->pulley[i].centre[0];
      double y = path->pulley[j].centre[1] - path->pulley[i].centre[1];
      double r = belt->pulleys[i].radius, s = belt->pulleys[j].radius, D2 = x * x + y * y;
      if (D2 >= (r + s) * (r + s) || D2 <= (r - s) * (r - s)) continue;
      double D = sqrt(D2), line = atan2(y, x);
      double at_i = acos((D2 + r * r - s * s) / (2.0 * D * r)),
             at_j = acos((D2 + s * s - r * r) / (2.0 * D * s));
      for (int k = -1; k <= 1; k += 2)
        if (on_arc(belt, path, i, line + k * at_i) && on_arc(belt, path, j, line + PI - k * at_j))
          return (finding){FINDING_MEETING, i, j};
    }
  return (finding){FINDING_NONE, 0, 0};
}

static finding find_any(const cap_belt *belt, const cap_belt_path *path)
{
  finding f = find_overlap(belt, path);
  if (f.kind == FINDING_NONE) f = find_turns(path);
  if (f.kind == FINDING_NONE) f = find_on_pulley(belt, path);
  if (f.kind == FINDING_NONE) f = find_crossing(path);
  if (f.kind == FINDING_NONE) f = find_meeting(belt, path);
  return f;
}

/* ---- what would help -------------------------------------------------------------------------------- */

/* A belt with its own list of pulleys, to try changes on. */
typedef struct trial {
  cap_belt belt;
  cap_belt_pulley pulleys[CAP_BELT_PATH_MOST];
  cap_belt_path path;
} trial;

static void start_trial(trial *t, const cap_belt *belt)
{
  t->belt = *belt;
  t->belt.pulleys = t->pulleys;
  for (int i = 0; i < belt->npulley; i++) t->pulleys[i] = belt->pulleys[i];
}

static bool trial_runs(trial *t, double angle)
{
  cap_belt_path_trace(&t->belt, angle, &t->path);
  return find_any(&t->belt, &t->path).kind == FINDING_NONE;
}

static void flip_side(const cap_belt *belt, cap_belt_pulley *p)
{
  p->side = p->side == CAP_BELT_GROOVE ? CAP_BELT_BACK : CAP_BELT_GROOVE;
  if (p->side == CAP_BELT_GROOVE && p->effective > 0.0) p->radius = 0.5 * p->effective + belt->hb;
  if (p->side == CAP_BELT_BACK && p->outside > 0.0) p->radius = 0.5 * p->outside + belt->hr;
}

static void swap_pulleys(trial *t, int i, int j)
{
  cap_belt_pulley kept = t->pulleys[i];
  t->pulleys[i] = t->pulleys[j];
  t->pulleys[j] = kept;
}

/* The most wrapped pulley that may run on its other side: one that is on its wrong side is wrapped nearly all
 * round. */
static bool suggest_side(const cap_belt *belt, const cap_belt_path *path, trial *t, char *text, size_t size)
{
  int best = -1;
  double wrap = 0.0;
  for (int i = 0; i < path->n; i++) {
    start_trial(t, belt);
    flip_side(belt, &t->pulleys[i]);
    if ((best >= 0 && path->pulley[i].wrap <= path->pulley[best].wrap) || !trial_runs(t, path->angle))
      continue;
    best = i;
    wrap = t->path.pulley[i].wrap;
  }
  if (best < 0) return false;
  const cap_belt_pulley *p = &belt->pulleys[best];
  snprintf(text, size, "; set side: %s of '%s' (wrap angle %.1f deg instead of %.1f deg)",
           p->side == CAP_BELT_GROOVE ? "back" : "groove", p->name, wrap * DEG,
           path->pulley[best].wrap * DEG);
  return true;
}

static bool suggest_reverse(const cap_belt *belt, const cap_belt_path *path, trial *t, char *text,
                            size_t size)
{
  start_trial(t, belt);
  for (int i = 0; i < path->n / 2; i++) swap_pulleys(t, i, path->n - 1 - i);
  if (!trial_runs(t, path->angle)) return false;
  snprintf(text, size, "; list the pulleys in reverse order (counter-clockwise)");
  return true;
}

static bool suggest_order(const cap_belt *belt, const cap_belt_path *path, trial *t, char *text, size_t size)
{
  for (int apart = 1; apart < path->n; apart++)
    for (int i = 0; i + apart < path->n; i++) {
      start_trial(t, belt);
      swap_pulleys(t, i, i + apart);
      if (!trial_runs(t, path->angle)) continue;
      snprintf(text, size, "; exchange '%s' and '%s' in the list of pulleys", belt->pulleys[i].name,
               belt->pulleys[i + apart].name);
      return true;
    }
  return false;
}

static void suggest(const cap_belt *belt, const cap_belt_path *path, char *text, size_t size)
{
  trial t;
  text[0] = '\0';
  if (suggest_side(belt, path, &t, text, size) || suggest_reverse(belt, path, &t, text, size)) return;
  suggest_order(belt, path, &t, text, size);
}

/* ---- sentences -------------------------------------------------------------------------------------- */

static cap_status fail_overlap(const cap_belt *belt, const cap_belt_path *path, finding f, cap_error *error)
{
  const cap_belt_pulley *p = &belt->pulleys[f.i], *q = &belt->pulleys[f.j];
  double D = centre_distance(path, f.i, f.j), a = body_radius(p), b = body_radius(q);
  if (D <= fabs(a - b))
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "pulley '%s' lies inside pulley '%s'; expected a centre distance of at least %.4g mm, got %.4g mm",
        a < b ? p->name : q->name, a < b ? q->name : p->name, (a + b) * MM, D * MM);
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "pulleys '%s' and '%s' overlap; expected a centre distance of at least %.4g mm "
                         "(radii %.4g mm and %.4g mm), got %.4g mm",
                         p->name, q->name, (a + b) * MM, a * MM, b * MM, D * MM);
}

static cap_status fail_tangent(const cap_belt *belt, const cap_belt_path *path, finding f, cap_error *error)
{
  const cap_belt_pulley *p = &belt->pulleys[f.i], *q = &belt->pulleys[f.j];
  double D = centre_distance(path, f.i, f.j);
  if (p->side == q->side)
    return cap_status_fail(
        error, CAP_ERR_INPUT,
        "no common tangent from '%s' to '%s', one pitch circle lies inside the other; expected a centre "
        "distance above %.4g mm (pitch radii %.4g mm and %.4g mm), got %.4g mm",
        p->name, q->name, fabs(p->radius - q->radius) * MM, p->radius * MM, q->radius * MM, D * MM);
  return cap_status_fail(
      error, CAP_ERR_INPUT,
      "no crossed tangent from '%s' (%s) to '%s' (%s), the pitch circles overlap; expected a centre distance "
      "above %.4g mm (pitch radii %.4g mm and %.4g mm), got %.4g mm",
      p->name, p->side == CAP_BELT_GROOVE ? "groove" : "back", q->name,
      q->side == CAP_BELT_GROOVE ? "groove" : "back", (p->radius + q->radius) * MM, p->radius * MM,
      q->radius * MM, D * MM);
}

static cap_status fail_route(const cap_belt *belt, const cap_belt_path *path, finding f, cap_error *error)
{
  const cap_belt_pulley *p = belt->pulleys;
  char help[512];
  suggest(belt, path, help, sizeof help);
  if (f.kind == FINDING_TURNING)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "wrong side or order of a pulley, the belt would cross itself; expected a total "
                           "turning angle of 360 deg, got %.0f deg%s",
                           round(path->turning * DEG) + 0.0, help);
  if (f.kind == FINDING_WRAP)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the belt does not touch '%s'; expected a wrap angle above 0 deg, got %.4g deg%s",
                           p[f.i].name, path->pulley[f.i].wrap * DEG, help);
  if (f.kind == FINDING_ON_PULLEY)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the span from '%s' to '%s' crosses pulley '%s'; expected a distance of at least "
                           "%.4g mm from its centre "
                           "(pitch radius), got %.4g mm%s",
                           p[f.i].name, p[next(path, f.i)].name, p[f.j].name, p[f.j].radius * MM,
                           span_distance(&path->span[f.i], path->pulley[f.j].centre) * MM, help);
  if (f.kind == FINDING_MEETING)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the belt on '%s' touches the belt on '%s'; expected a centre distance of at "
                           "least %.4g mm (pitch radii "
                           "%.4g mm and %.4g mm), got %.4g mm%s",
                           p[f.i].name, p[f.j].name, (p[f.i].radius + p[f.j].radius) * MM, p[f.i].radius * MM,
                           p[f.j].radius * MM, centre_distance(path, f.i, f.j) * MM, help);
  return cap_status_fail(error, CAP_ERR_INPUT,
                         "the span from '%s' to '%s' crosses the span from '%s' to '%s'; expected a path "
                         "that does not cross itself%s",
                         p[f.i].name, p[next(path, f.i)].name, p[f.j].name, p[next(path, f.j)].name, help);
}

cap_status cap_belt_path_check(const cap_belt *belt, const cap_belt_path *path, cap_error *error)
{
  finding f = find_any(belt, path);
  if (f.kind == FINDING_NONE) return CAP_OK;
  if (!error) return CAP_ERR_INPUT;
  if (f.kind == FINDING_OVERLAP) return fail_overlap(belt, path, f, error);
  if (f.kind == FINDING_TANGENT) return fail_tangent(belt, path, f, error);
  return fail_route(belt, path, f, error);
}
