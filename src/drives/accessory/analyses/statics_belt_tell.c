/* drives/accessory/analyses/statics_belt_tell.c — see statics_belt.h: tables for a person, as notes. */
#include "drives/accessory/analyses/statics_belt.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN = 8, LINE = 400 }; /* speeds side by side; the file has all */

typedef struct teller {
  const cap_progress *progress;
  const cap_belt *belt;
  int npoint; /* shown */
  const cap_statics_belt_point *points;
} teller;

static double degrees(double angle)
{
  return angle * 180.0 / M_PI;
}

static double hub(const cap_belt_statics *s, int i)
{
  return hypot(s->pulleys[i].hub_x, s->pulleys[i].hub_y);
}

static double tension(const cap_belt_statics *s, int i)
{
  return s->spans[i].tension;
}

static double torque(const cap_belt_statics *s, int i)
{
  return s->pulleys[i].torque;
}

static double safety(const cap_belt_statics *s, int i)
{
  return s->pulleys[i].safety;
}

static double creep(const cap_belt_statics *s, int i)
{
  return 100.0 * s->pulleys[i].creep;
}

/* A number of a table; "-" for what does not exist. */
static void add(char line[LINE], const char *format, double value)
{
  char text[32];
  size_t used = strlen(line);
  snprintf(text, sizeof text, format, value);
  snprintf(line + used, (size_t)LINE - used, " %9s", isfinite(value) ? text : "-");
}

/* One quantity of all pulleys (or the spans that leave them) over the speeds. */
static void tell_table(const teller *t, const char *title, const char *format,
                       double (*value)(const cap_belt_statics *s, int i))
{
  char line[LINE];
  snprintf(line, sizeof line, "  %-26.26s", title);
  for (int k = 0; k < t->npoint; k++) add(line, "%.0f rpm", t->points[k].speed * 30.0 / M_PI);
  cap_progress_note(t->progress, "%s", line);
  for (int i = 0; i < t->belt->npulley; i++) {
    snprintf(line, sizeof line, "    %-24.24s", t->belt->pulleys[i].name);
    for (int k = 0; k < t->npoint; k++)
      add(line, format, t->points[k].found ? value(&t->points[k].s, i) : NAN);
    cap_progress_note(t->progress, "%s", line);
  }
}

static void tell_geometry(const teller *t, const cap_belt_statics *s)
{
  cap_progress_note(t->progress, "  %-26s %9s %9s %9s", "geometry at first speed", "wrap deg", "span mm",
                    "deg");
  for (int i = 0; i < s->n; i++)
    cap_progress_note(t->progress, "    %-24.24s %9.2f %9.2f %9.2f", t->belt->pulleys[i].name,
                      degrees(s->path.pulley[i].wrap), 1e3 * s->path.span[i].length,
                      degrees(s->path.span[i].direction));
}

static void tell_speed(const teller *t, const cap_statics_belt_point *p)
{
  const cap_belt_statics *s = &p->s;
  char arm[96] = "", creep_loss[48] = "";
  double lost = 0.0;
  for (int i = 0; i < s->n; i++) lost += s->pulleys[i].loss;
  const cap_belt_words *words = cap_belt_words_of(&t->belt->arm);
  if (cap_belt_has_arm(t->belt))
    snprintf(arm, sizeof arm, ", %s at %.3f %s (take-up %.4f mm/%s)", words->part, s->angle * words->scale,
             words->unit, fabs(s->take_up) * 1e3 / words->scale, words->unit);
  if (lost > 0.0) snprintf(creep_loss, sizeof creep_loss, ", of which %.3g W creep loss", lost);
  cap_progress_note(t->progress,
                    "statics: %.6g rpm: belt %.4g m/s (m v2 %.4g N)%s, crank %.4g N m, %.4g kW%s",
                    p->speed * 30.0 / M_PI, s->belt_speed, s->centrifugal, arm,
                    -s->pulleys[t->belt->crank].torque, -1e-3 * s->pulleys[t->belt->crank].power, creep_loss);
  if (s->slipping >= 0)
    cap_progress_note(t->progress,
                      "statics: %.6g rpm: the belt slips on %s (slip safety %.3f): no steady running exists; "
                      "the values assume just enough friction",
                      p->speed * 30.0 / M_PI, t->belt->pulleys[s->slipping].name,
                      s->pulleys[s->slipping].safety);
}

static void tell_positions(const teller *t, int n, const cap_statics_belt_position *positions)
{
  if (!n) return;
  const cap_belt_words *words = cap_belt_words_of(&t->belt->arm);
  char title[LINE];
  snprintf(title, sizeof title, "%s at rest", words->part);
  cap_progress_note(t->progress, "  %-26s %9s %9s %9s %9s", title, words->unit, "N",
                    cap_belt_slides(&t->belt->arm) ? "force N" : "N m", "path mm");
  for (int k = 0; k < n; k++) {
    const cap_statics_belt_position *p = &positions[k];
    char line[LINE];
    snprintf(line, sizeof line, "    %-24s", p->name);
    add(line, "%.3f", p->angle * words->scale);
    add(line, "%.1f", p->tension);
    add(line, "%.3f", p->torque);
    add(line, "%.2f", 1e3 * p->path);
    cap_progress_note(t->progress, "%s", line);
  }
}

void cap_statics_belt_tell(cap_run *run, const cap_statics_belt_spec *s, int npoint,
                           const cap_statics_belt_point *points, int nposition,
                           const cap_statics_belt_position *positions)
{
  teller t = {
      .progress = run->progress, .belt = cap_belt_of(run->model), .npoint = npoint < SHOWN ? npoint : SHOWN};
  t.points = points;
  for (int k = 0; k < t.npoint; k++)
    if (points[k].found) tell_speed(&t, &points[k]);
  for (int k = 0; k < t.npoint; k++)
    if (points[k].found) {
      tell_geometry(&t, &points[k].s);
      break;
    }
  tell_table(&t, "tension after it, N", "%.1f", tension);
  tell_table(&t, "hub load, N", "%.1f", hub);
  tell_table(&t, "torque from the belt, N m", "%.3f", torque);
  tell_table(&t, "slip safety", "%.2f", safety);
  if (s->arm != CAP_BELT_STATICS_NOMINAL) tell_table(&t, "creep, %", "%.3f", creep);
  if (s->arm == CAP_BELT_STATICS_FREE) tell_positions(&t, nposition, positions);
  if (npoint > SHOWN) cap_progress_note(run->progress, "  %d more speeds are in the results", npoint - SHOWN);
}
