/* analysis/stepping.c — see stepping.h. */
#include "analysis/stepping.h"
#include <math.h>

#include <stdio.h>
#include <string.h>

/* A month at a microsecond each. */
static const double STEPS_MOST = 1e10;

#define OFFERED(x_, motion_, ...) CAP_STEPPERS_CHOICE(1, x_, motion_)
const char *const cap_stepping_methods[] = {"auto", CAP_STEPPERS(OFFERED) CAP_STEPPERS_END};
const char *const cap_stepping_left[] = {"moreau", "midpoint", "ida", "extrapolation or radau", NULL};

const cap_stepper_type *cap_stepping_of(const cap_stepping_spec *s, const cap_model *m)
{
  return s->method ? cap_stepping_find(cap_stepping_methods[s->method]) : cap_stepper_mover(m);
}

double cap_stepping_step(const cap_stepping_spec *s, const cap_stepper_type *type)
{
  return type->chosen && !s->step_given ? 0.0 : s->step;
}

void cap_stepping_check_keys(const cap_stepping_spec *s, const cap_model *m, const char *path, cap_diag *diag)
{
  const cap_stepper_type *type = cap_stepping_of(s, m);
  cap_stepping_check(cap_stepping_find(cap_stepping_methods[s->method]), m, path, diag);
  cap_stepping_check_step(type, cap_stepping_step(s, type), m, path, diag);
}

const cap_stepper_type *cap_stepping_find(const char *name)
{
  for (int k = 0; cap_stepper_types[k]; k++)
    if (strcmp(cap_stepper_types[k]->name, name) == 0) return cap_stepper_types[k];
  return NULL;
}

const cap_stepper_type *cap_stepping_choose(const char *name, const cap_model *m)
{
  const cap_stepper_type *named = cap_stepping_find(name);
  return named ? named : cap_stepper_best(m);
}

void cap_stepping_check(const cap_stepper_type *type, const cap_model *m, const char *path, cap_diag *diag)
{
  const char *reason = type ? cap_stepper_obstacle(type, m) : NULL;
  if (!reason) return;
  char key[512], fitting[256];
  snprintf(key, sizeof key, "%s.method", path);
  cap_stepper_fitting(m, fitting, sizeof fitting);
  cap_diag_at(diag, key, "the method \"%s\" cannot compute this system: %s; use one of: %s", type->name,
              reason, fitting);
}

/* Whether a system goes in staggered steps without fast elements, as belts of segments do. */
static bool goes_whole(const cap_stepper_type *type)
{
  return type->staggered && !type->parts;
}

void cap_stepping_check_period(const cap_model *m, const char *path, cap_diag *diag)
{
  if (m->period[0] > 0.0) return;
  if (goes_whole(cap_stepper_best(m)))
    cap_diag_at(
        diag, path,
        "a belt of segments is not periodic with the crank; expected belt.model: springs, or use transient");
  else if (m->subject.type->no_period) cap_diag_at(diag, path, "%s", m->subject.type->no_period);
  else
    cap_diag_at(diag, path,
                "no periodic forcing, so no steady orbit; expected a periodic load or prescribed motion; use "
                "transient");
}

/* A limit for a message: three digits, none of them rounded up. */
static double rounded_down(double limit)
{
  double unit = pow(10.0, floor(log10(limit)) - 2.0);
  return floor(limit / unit * (1.0 + 1e-9)) * unit;
}

void cap_stepping_check_step(const cap_stepper_type *type, double step, const cap_model *m, const char *path,
                             cap_diag *diag)
{
  char key[512];
  snprintf(key, sizeof key, "%s.step", path);
  double fastest = cap_stepper_fastest(type, m);
  if (type->staggered && step * fastest > 2.0)
    cap_diag_at(diag, key, "above the stability limit of this method; expected at most %s, got %s",
                cap_diag_quantity(diag, key, rounded_down(2.0 / fastest), "s"),
                cap_diag_quantity(diag, key, step, "s"));
  if (type->staggered || !type->fixed || step * fastest <= 1.0) return;
  if (goes_whole(cap_stepper_best(m))) {
    cap_diag_warn(
        diag, key,
        "too long for the segments of the belt (angular frequency %.3g rad/s); expected at most %s, "
        "got %s; remove method and step, leapfrog chooses its own",
        fastest, cap_diag_quantity(diag, key, rounded_down(1.0 / fastest), "s"),
        cap_diag_quantity(diag, key, step, "s"));
    return;
  }
  (type->explicit ? cap_diag_at : cap_diag_warn)(
      diag, key,
      "too long for the contact's natural angular frequency of %.3g rad/s; expected at most %s, got %s; use "
      "this step or a method with variable step: cvode, radau%s",
      fastest, cap_diag_quantity(diag, key, rounded_down(1.0 / fastest), "s"),
      cap_diag_quantity(diag, key, step, "s"),
      type->explicit ? "" : " (the motion after the initial layer may still be right)");
}

/* The step that a stepper takes with these settings, and its parts; 0: it varies, or is not known: NAN for
 * lack of memory. */
static double step_of(const cap_stepper_type *type, const cap_stepper_settings *settings, const cap_model *m,
                      int *parts)
{
  double step = settings->step;
  cap_stepper stepper;
  cap_error unused = {0};
  *parts = 0;
  cap_status status = type->chosen ? cap_stepper_create(type, m, settings, &stepper, &unused) : CAP_OK;
  if (status == CAP_ERR_NOMEM) return NAN;
  if (type->chosen && status == CAP_OK) {
    type->chosen(stepper.memory, &step, parts);
    cap_stepper_free(&stepper);
  }
  return (type->fixed || type->chosen) && step > 0.0 ? step : 0.0;
}

void cap_stepping_check_count(const cap_stepper_type *type, const cap_stepper_settings *settings,
                              const cap_model *m, double duration, const char *path, cap_diag *diag)
{
  int parts;
  double step = cap_stepper_obstacle(type, m) ? 0.0 : step_of(type, settings, m, &parts);
  char key[512];
  if (!(step > 0.0) || !(duration / step > STEPS_MOST)) return;
  snprintf(key, sizeof key, "%s%s", path, settings->step > 0.0 ? ".step" : "");
  cap_diag_at(
      diag, key,
      "%.3g time steps of %s would be needed; expected at most %.0e; increase the step, or reduce the "
      "time",
      duration / step, cap_diag_quantity(diag, key, step, "s"), STEPS_MOST);
}

/* Equal steps of at most `step`, as cap_stepper_count has them. */
static double count_steps(double duration, double step)
{
  return fmax(1.0, ceil(duration / step * (1.0 - 1e-12)));
}

double cap_stepping_plan(const cap_stepper_type *type, const cap_stepper_settings *settings,
                         const cap_model *m, double duration, double interval, const char *of,
                         cap_summary *summary)
{
  int parts;
  double step = step_of(type, settings, m, &parts);
  char name[64];
  cap_summary_text(summary, "time stepper", "%s", type->name);
  if (isnan(step)) {
    summary->exhausted = true;
    return 0.0;
  }
  if (!(step > 0.0)) {
    if (type->exact) cap_summary_text(summary, "time step", "none, exact from event to event");
    else {
      cap_summary_text(summary, "time step", "variable");
      cap_summary_number(summary, "relative tolerance of a step", "", settings->tolerance);
    }
    return 0.0;
  }
  double whole = interval > 0.0 ? floor(duration / interval * (1.0 + 1e-12)) : 0.0,
         rest = duration - whole * interval;
  double steps = whole > 0.0 ? whole * count_steps(interval, step) : 0.0;
  if (rest > 1e-9 * duration) steps += count_steps(rest, step);
  cap_summary_number(summary, "time step", "ms", duration / steps);
  if (parts > 1) cap_summary_number(summary, "parts of a step for fast elements", "", parts);
  snprintf(name, sizeof name, of ? "steps per %s" : "steps", of);
  cap_summary_number(summary, name, "", steps);
  return duration / steps;
}
