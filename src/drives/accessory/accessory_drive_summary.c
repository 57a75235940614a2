/* drives/accessory/accessory_drive_summary.c — what a person reads first about an accessory drive: lengths,
 * wraps and spans, the place of the tensioner, tensions and slip safety. All of it by the statics of the
 * belt (belt/belt_statics.h), which the analysis `statics` uses, too.
 */
#include "drives/accessory/accessory_drive.h"
#include "drives/accessory/analyses/statics_belt.h"

#include <math.h>
#include <stdio.h>

typedef struct writer {
  const cap_accessory_spec *s;
  const cap_belt *belt;
  const cap_belt_statics *start;
  cap_summary *out;
} writer;

static const char *const kinds[] = {"PK", "flat", "V"};

/* A pitch length without tension (m) in the type of length that the model file names, at the tension at
 * which it is measured. */
static double named_length(const cap_belt *belt, double unstretched)
{
  double pitch = unstretched * belt->named_length / belt->length0;
  return belt->named_pitch ? pitch : pitch - 2.0 * M_PI * belt->hb;
}

static double unstretched_of(const cap_belt *belt, double effective)
{
  return effective + 2.0 * M_PI * belt->hb;
}

/* ---- belt ---------------------------------------------------------------------------------------------- */

/* The belt that fits with the arm at one of its stops (m, as named), stretched by its spring; elsewhere the
 * path itself, without stretch. */
static double fitting_length(const writer *w, double angle, double path, cap_belt_path_end end)
{
  static const cap_statics_belt_spec none = {0};
  cap_statics_belt_position positions[CAP_STATICS_BELT_POSITIONS];
  int n = cap_statics_belt_positions(w->belt, &none, positions);
  double length = path;
  for (int k = 0; end == CAP_BELT_PATH_STOP && k < n; k++)
    if (!positions[k].of_belt && positions[k].angle == angle && isfinite(positions[k].length))
      length = unstretched_of(w->belt, positions[k].length);
  return named_length(w->belt, length);
}

static void describe_end(const writer *w, double angle, cap_belt_path_end end, char *text, size_t size)
{
  const cap_belt_words *t = cap_belt_words_of(&w->belt->arm);
  bool stop = angle == w->belt->arm.stop_low || angle == w->belt->arm.stop_high;
  const char *what = end == CAP_BELT_PATH_DEAD      ? "dead centre (path length without stretch)"
                     : end == CAP_BELT_PATH_BLOCKED ? "no belt can run beyond"
                     : stop                         ? "stop"
                                                    : "no stop, end of the search";
  snprintf(text, size, "%s at %.5g %s: %s", t->part, angle * t->scale, t->unit, what);
}

/* Lengths at the ends of that part of the travel of the arm in which it is. */
static void add_range_of_arm(const writer *w)
{
  cap_belt_path_piece pieces[CAP_BELT_PATH_PIECES];
  int n = cap_belt_path_arm_pieces(w->belt, pieces);
  char text[128];
  for (int k = 0; k < n; k++) {
    const cap_belt_path_piece *p = &pieces[k];
    if (w->belt->arm.angle < p->angle[0] || w->belt->arm.angle > p->angle[1]) continue;
    int shorter = p->length[0] < p->length[1] ? 0 : 1;
    for (int i = 0; i < 2; i++) {
      int e = i ? 1 - shorter : shorter;
      cap_summary_number(w->out, i ? "longest belt that fits" : "shortest belt that fits", "mm",
                         fitting_length(w, p->angle[e], p->length[e], p->end[e]));
      describe_end(w, p->angle[e], p->end[e], text, sizeof text);
      cap_summary_text(w->out, i ? "limit of the longest belt" : "limit of the shortest belt", "%s", text);
    }
    return;
  }
}

static void add_belt(const writer *w)
{
  const cap_belt *b = w->belt;
  char name[64];
  cap_summary_begin(w->out, "belt");
  if (b->ribs) cap_summary_text(w->out, "section", "%dPK", b->ribs);
  else cap_summary_text(w->out, "section", "%s", kinds[w->s->belt.kind]);
  if (w->s->belt.model == CAP_ACCESSORY_SEGMENTS)
    cap_summary_text(w->out, "model", "%d segments", cap_accessory_drive_segments_count(w->s, b));
  else cap_summary_text(w->out, "model", "springs");
  snprintf(name, sizeof name, "%s length", b->named_pitch ? "pitch" : "effective");
  cap_summary_number(w->out, name, "mm", named_length(b, b->length0));
  if (w->s->belt.measured_at > 0.0)
    cap_summary_number(w->out, "length measured at", "N", w->s->belt.measured_at);
  if (cap_belt_has_arm(b)) add_range_of_arm(w);
  else
    cap_summary_number(w->out, "longest belt that is not slack", "mm",
                       named_length(b, w->start->path.length));
  cap_summary_number(w->out, "pitch length of the path at the start", "mm", w->start->path.length);
}

/* ---- tensioner and state at rest ----------------------------------------------------------------------- */

static void add_stop(const writer *w, const char *which, double stop, double angle)
{
  const cap_belt_words *t = cap_belt_words_of(&w->belt->arm);
  char name[64];
  if (!isfinite(stop)) return;
  snprintf(name, sizeof name, "%s stop at", which);
  cap_summary_number(w->out, name, t->unit, stop);
  snprintf(name, sizeof name, "distance to the %s stop", which);
  cap_summary_number(w->out, name, t->unit, fabs(angle - stop));
}

static void add_tensioner(const writer *w, const cap_belt_statics *rest)
{
  const cap_belt_arm *arm = &w->belt->arm;
  const cap_belt_words *t = cap_belt_words_of(arm);
  char name[64];
  bool slides = cap_belt_slides(arm);
  cap_summary_begin(w->out, "tensioner at rest, without loads");
  snprintf(name, sizeof name, "%s %s", t->part, t->place);
  cap_summary_number(w->out, name, t->unit, rest->angle);
  add_stop(w, "low", arm->stop_low, rest->angle);
  add_stop(w, "high", arm->stop_high, rest->angle);
  snprintf(name, sizeof name, "spring %s", t->push);
  cap_summary_number(w->out, name, slides ? "N" : "N m", cap_belt_spring(arm, rest->angle));
  snprintf(name, sizeof name, "spring rate");
  cap_summary_number(w->out, name, slides ? "N/mm" : "N m/deg", arm->rate);
  if (slides) cap_summary_number(w->out, "take-up (belt length per travel)", "", fabs(rest->take_up));
  else cap_summary_number(w->out, "take-up (belt length per angle)", "mm/deg", fabs(rest->take_up));
  if (arm->friction > 0.0)
    cap_summary_number(w->out, slides ? "dry friction force" : "dry friction torque", slides ? "N" : "N m",
                       arm->friction);
}

static void add_rest(const writer *w)
{
  cap_belt_statics rest;
  cap_error error = {0};
  const cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .unloaded = true};
  if (cap_belt_statics_solve(w->belt, &which, &rest, &error) != CAP_OK) {
    cap_summary_begin(w->out, "at rest, without loads");
    cap_summary_text(w->out, "no solution", "%s", error.text);
    return;
  }
  if (cap_belt_has_arm(w->belt)) add_tensioner(w, &rest);
  else cap_summary_begin(w->out, "at rest, without loads");
  cap_summary_number(w->out, "belt tension", "N", rest.spans[0].tension);
}

/* ---- pulleys ------------------------------------------------------------------------------------------- */

static void add_pulleys(const writer *w)
{
  const cap_belt_path *path = &w->start->path;
  cap_summary_begin(w->out, "pulleys and spans, with the tensioner as at the start");
  for (int k = 0; k < w->belt->npulley; k++) {
    const cap_belt_pulley *p = &w->belt->pulleys[k];
    cap_summary_item(w->out, p->name);
    cap_summary_text(w->out, "side", "%s", p->side == CAP_BELT_BACK ? "back" : "groove");
    cap_summary_number(w->out, "effective diameter", "mm", p->effective);
    cap_summary_number(w->out, "x", "mm", path->pulley[k].centre[0]);
    cap_summary_number(w->out, "y", "mm", path->pulley[k].centre[1]);
    cap_summary_number(w->out, "wrap angle", "deg", path->pulley[k].wrap);
    cap_summary_number(w->out, "span after", "mm", path->span[k].length);
    cap_summary_number(w->out, "speed ratio", "", w->belt->pulleys[w->belt->crank].radius / p->radius);
    cap_summary_number(w->out, "inertia", "kg m2", p->inertia);
  }
}

static void add_running(const writer *w, const char *when, double speed, const cap_belt_statics *s)
{
  char title[96];
  const cap_belt_words *t = cap_belt_words_of(&w->belt->arm);
  snprintf(title, sizeof title, "steady running at %.6g rpm, %s", speed * 30.0 / M_PI, when);
  cap_summary_begin(w->out, title);
  if (cap_belt_has_arm(w->belt)) {
    char name[32];
    snprintf(name, sizeof name, "%s %s", t->part, t->place);
    cap_summary_number(w->out, name, t->unit, s->angle);
  }
  cap_summary_number(w->out, "belt speed", "m/s", s->belt_speed);
  cap_summary_number(w->out, "torque of the driving pulley", "N m", -s->pulleys[w->belt->crank].torque);
  if (s->slipping >= 0)
    cap_summary_text(w->out, "gross slip", "the belt slips on %s", w->belt->pulleys[s->slipping].name);
  for (int k = 0; k < w->belt->npulley; k++) {
    const cap_belt_statics_pulley *p = &s->pulleys[k];
    cap_summary_item(w->out, w->belt->pulleys[k].name);
    cap_summary_number(w->out, "speed", "rpm", p->speed);
    cap_summary_number(w->out, "torque on pulley", "N m", p->torque);
    cap_summary_number(w->out, "tension after", "N", s->spans[k].tension);
    cap_summary_number(w->out, "hub load", "N", hypot(p->hub_x, p->hub_y));
    cap_summary_number(w->out, "slip safety", "", isinf(p->safety) ? NAN : p->safety);
  }
}

/* The lowest speed above 0 that the table of the crank reaches; 0: there is none below that at the start. */
static double lowest_speed(const writer *w)
{
  const cap_series *speeds = &w->s->crank.speeds;
  double lowest = w->belt->speed;
  for (int k = 0; k < speeds->n; k++)
    if (speeds->y[k] > 0.0 && (speeds->y[k] < lowest || lowest <= 0.0)) lowest = speeds->y[k];
  return lowest == w->belt->speed ? 0.0 : lowest;
}

static void add_lowest(const writer *w)
{
  cap_belt_statics s;
  cap_error error = {0};
  double speed = lowest_speed(w);
  if (!(speed > 0.0)) return;
  const cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = speed};
  if (cap_belt_statics_solve(w->belt, &which, &s, &error) == CAP_OK) {
    add_running(w, "the lowest crank speed", speed, &s);
    return;
  }
  cap_summary_begin(w->out, "steady running at the lowest crank speed");
  cap_summary_number(w->out, "crank speed", "rpm", speed);
  cap_summary_text(w->out, "no solution", "%s", error.text);
}

void cap_accessory_drive_summary(const void *spec, const void *description, const cap_model *model,
                                 cap_summary *out)
{
  const cap_accessory_described *found = description;
  (void)model;
  if (!found) return;
  const writer w = {.s = spec, .belt = &found->belt, .start = &found->start, .out = out};
  add_belt(&w);
  add_pulleys(&w);
  add_rest(&w);
  add_running(&w, "as at the start", found->belt.speed, &found->start);
  add_lowest(&w);
}
