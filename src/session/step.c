/* session/step.c — inputs, and the way from one time to the next: capstan_input, capstan_step. */
#include "base/units.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double capstan_time(const capstan_session *session)
{
  return session && session->started ? *session->data->t : NAN;
}

void capstan_observe(capstan_session *session, int (*observe)(void *self, capstan_session *session),
                     void *self, double every)
{
  if (!session) return;
  session->options.observe = observe;
  session->options.observe_self = self;
  session->options.observe_every = every > 0.0 && isfinite(every) ? every : 0.0;
}

/* A position that is given beside its rate may differ from where the input is by rounding alone. */
static bool stays(double given, double present)
{
  return fabs(given - present) <= 1e-9 * fmax(fabs(given), fabs(present)) + 1e-15;
}

/* Whether an input may be set so; else the message is set. */
static bool accepts(capstan_session *s, int slot, const double *value, double rate)
{
  const cap_input *input = &s->model->inputs[slot];
  char why[CAP_INPUT_WHY], given[64], present[64];
  double now = cap_input_at(s->data->input, slot, *s->data->t);
  if (!isfinite(rate)) {
    cap_session_refuse(s, "input \"%s\": expected a finite rate, got %g", input->name, rate);
    return false;
  }
  if (!value) return true;
  if (!cap_input_accepts(input, *value, why)) {
    cap_session_refuse(s, "%s", why);
    return false;
  }
  if (!input->position || stays(*value, now)) return true;
  cap_units_format(given, sizeof given, *value, input->unit);
  cap_units_format(present, sizeof present, now, input->unit);
  cap_session_refuse(
      s,
      "input \"%s\": it imposes a position, which must not jump; expected %s, where it is, and a "
      "rate, got %s",
      input->name, present, given);
  return false;
}

/* The last of several that name one slot counts. */
capstan_code capstan_input(capstan_session *session, int n, const int *index, const double *value,
                           const double *rate)
{
  capstan_session *s = session;
  if (!s || !s->started) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, n, index, s->model->ninput, "input")) return CAPSTAN_BAD_INPUT;
  for (int k = 0; k < n; k++)
    if (!accepts(s, index[k], value ? &value[k] : NULL, rate ? rate[k] : 0.0)) return CAPSTAN_BAD_INPUT;
  double t = *s->data->t;
  for (int k = 0; k < n; k++) {
    double now = cap_input_at(s->data->input, index[k], t);
    bool given = value && !s->model->inputs[index[k]].position;
    cap_input_set(s->data->input, index[k], t, given ? value[k] : now, rate ? rate[k] : 0.0);
  }
  if (s->model->nmotion) cap_model_drive(s->model, s->data->input, s->data->t, s->data->q, s->data->v, NULL);
  s->looked = false;
  return cap_session_leave(s, cap_session_enter(s), CAP_OK);
}

capstan_code capstan_input_value(const capstan_session *session, int n, const int *index, double *value)
{
  capstan_session *s = (capstan_session *)session;
  if (!s || !s->started || !value) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, n, index, s->model->ninput, "input")) return CAPSTAN_BAD_INPUT;
  for (int k = 0; k < n; k++) value[k] = cap_input_at(s->data->input, index[k], *s->data->t);
  return CAPSTAN_OK;
}

/* Whether the time may be stepped to: inputs that are linear must not leave their ranges on the way. */
static bool may_go(capstan_session *s, double until)
{
  char why[CAP_INPUT_WHY];
  double now = *s->data->t;
  if (!isfinite(until) || until < now) {
    cap_session_refuse(s, "until: expected a time of at least %.9g s, where the session is, got %.9g s", now,
                       until);
    return false;
  }
  for (int k = 0; k < s->model->ninput; k++)
    if (cap_input_rate(s->data->input, k) != 0.0 &&
        !cap_input_accepts(&s->model->inputs[k], cap_input_at(s->data->input, k, until), why)) {
      cap_session_refuse(s, "%s at %.9g s, as its rate has it", why, until);
      return false;
    }
  return true;
}

/* The next time to look at between now and `until`: a multiple of `every` after the start; rounding must not
 * give one that is nearly now. */
static double next_look(const capstan_session *s, double every, double until)
{
  if (!(every > 0.0)) return until;
  double start = s->march.start, now = *s->data->t;
  double t = start + every * (floor((now - start) / every * (1.0 + 1e-12) + 1e-9) + 1.0);
  return t < until - 1e-9 * every ? t : until;
}

static bool watches(const capstan_session *s)
{
  return s->watch.kinds != 0 || s->watch.nlevel > 0;
}

/* The event is between the marked state and the present one: halve that, and end just behind it. */
static cap_status narrow(capstan_session *s, double tolerance, char *what, size_t size)
{
  double behind = *s->data->t;
  for (;;) {
    cap_march_restore(&s->march, s->mark);
    double before = *s->data->t, middle = 0.5 * (before + behind);
    if (behind - before <= tolerance || middle <= before || middle >= behind) break;
    CAP_TRY(cap_march_to(&s->march, middle));
    CAP_TRY(cap_session_watch_look(s, s->watch.next));
    if (cap_session_watch_changed(s, what, size)) behind = middle;
    else cap_march_store(&s->march, s->mark);
  }
  CAP_TRY(cap_march_to(&s->march, behind));
  return CAP_OK;
}

/* To t, or to just behind an event before, and its sentence. */
static cap_status watch(capstan_session *s, double t, double tolerance, char *event, size_t size)
{
  char what[200];
  CAP_TRY(cap_session_watch_look(s, s->watch.now));
  cap_march_store(&s->march, s->mark);
  cap_status status = cap_march_to(&s->march, t);
  if (status == CAP_OK) status = cap_session_watch_look(s, s->watch.next);
  bool changed = status == CAP_OK && cap_session_watch_changed(s, what, sizeof what);
  if (changed) status = narrow(s, tolerance, what, sizeof what);
  if (changed || status != CAP_OK) s->looked = false; /* what was seen is not where it is now */
  if (status != CAP_OK) cap_march_restore(&s->march, s->mark);
  if (!changed || status != CAP_OK) return status;
  snprintf(event, size, "t = %.9g s: %s", *s->data->t, what);
  if (s->options.log) s->options.log(s->options.self, "event", event);
  return CAP_OK;
}

static cap_status go(capstan_session *s, double t, double tolerance, char *event, size_t size)
{
  s->looked = false;
  return watches(s) ? watch(s, t, tolerance, event, size) : cap_march_to(&s->march, t);
}

/* Who observes may call the session, whose messages are then its own. */
static bool observed(capstan_session *s, locale_t before)
{
  if (!s->options.observe) return true;
  if (before) uselocale(before);
  int stop = s->options.observe(s->options.observe_self, s);
  if (s->plain) uselocale(s->plain);
  if (stop) cap_status_fail(&s->error, CAP_STOPPED, "ended by its observer at t = %.9g s", *s->data->t);
  return !stop;
}

capstan_code capstan_step(capstan_session *session, double until, double *reached)
{
  capstan_session *s = session;
  if (reached) *reached = capstan_time(s);
  if (!s || !s->started || !may_go(s, until)) return CAPSTAN_BAD_INPUT;
  locale_t before = cap_session_enter(s);
  double span = until - *s->data->t;
  double every = s->watch.every > 0.0 ? s->watch.every : 0.1 * span;
  double tolerance = s->watch.tolerance > 0.0 ? s->watch.tolerance : 1e-6 * every;
  cap_status status = CAP_OK;
  char event[sizeof s->message] = ""; /* observers may empty that of the session */
  while (status == CAP_OK && !*event && *s->data->t < until) {
    double look = next_look(s, s->options.observe_every, until), t = look;
    if (watches(s)) t = fmin(look, *s->data->t + every);
    if (t > look - 1e-9 * every) t = look;
    status = go(s, t, tolerance, event, sizeof event);
    if (status == CAP_OK && (t == look || *event) && !observed(s, before)) status = CAP_STOPPED;
  }
  if (reached) *reached = *s->data->t;
  capstan_code code = cap_session_leave(s, before, status);
  if (code != CAPSTAN_OK || !*event) return code;
  memcpy(s->message, event, sizeof event);
  return CAPSTAN_EVENT;
}
