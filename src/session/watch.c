/* session/watch.c — events of a session: what has changed between two times. */
#include "base/units.h"
#include "session/session.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int count_reversals(const cap_model *m)
{
  int n = 0;
  for (int b = 0; b < m->nbatch; b++) n += m->batches[b].type->reversal ? m->batches[b].n : 0;
  return n;
}

static cap_status copy_levels(capstan_session *s)
{
  cap_session_watch *w = &s->watch;
  const capstan_start_options *o = &s->options;
  if (o->nlevel < 0 || (o->nlevel > 0 && (!o->level_outputs || !o->levels)))
    return cap_status_fail(&s->error, CAP_ERR_INPUT,
                           "options.nlevel: expected a number of levels with their outputs, got %d",
                           o->nlevel);
  for (int k = 0; k < o->nlevel; k++) {
    if (o->level_outputs[k] < 0 || o->level_outputs[k] >= s->channels.n)
      return cap_status_fail(&s->error, CAP_ERR_INPUT,
                             "options.level_outputs[%d]: expected an index from 0 to %d, got %d", k,
                             s->channels.n - 1, o->level_outputs[k]);
    if (!isfinite(o->levels[k]))
      return cap_status_fail(&s->error, CAP_ERR_INPUT, "options.levels[%d]: expected a finite number, got %g",
                             k, o->levels[k]);
    w->outputs[k] = o->level_outputs[k];
    w->levels[k] = o->levels[k];
  }
  return CAP_OK;
}

static void find_reversals(const cap_model *m, cap_session_watch *w)
{
  for (int b = 0, n = 0; b < m->nbatch; b++)
    for (int k = 0; m->batches[b].type->reversal && k < m->batches[b].n; k++, n++) {
      w->element[n] = m->batches[b].elem_adr + k;
      w->i[n] = m->batches[b].i[k];
      w->j[n] = m->batches[b].j[k];
    }
}

cap_status cap_session_watch_create(capstan_session *s)
{
  cap_session_watch *w = &s->watch;
  const cap_model *m = s->model;
  const capstan_start_options *o = &s->options;
  unsigned known = CAPSTAN_EVENT_SLIP | CAPSTAN_EVENT_REVERSAL;
  if (o->events & ~known)
    return cap_status_fail(&s->error, CAP_ERR_INPUT,
                           "options.events: expected CAPSTAN_EVENT_* joined by |, got %#x", o->events);
  if (!(o->event_every >= 0.0) || !(o->event_tolerance >= 0.0) || !(o->observe_every >= 0.0))
    return cap_status_fail(
        &s->error, CAP_ERR_INPUT,
        "options.event_every, event_tolerance, observe_every: expected times of at least 0 s");
  w->kinds = o->events;
  w->nlevel = o->nlevel;
  w->every = o->event_every;
  w->tolerance = o->event_tolerance;
  w->nreversal = o->events & CAPSTAN_EVENT_REVERSAL ? count_reversals(m) : 0;
  if (w->nlevel < 0) return copy_levels(s);
  int n = m->nslider + w->nreversal + w->nlevel;
  w->outputs = CAP_ARENA_NEW(&s->arena, int, w->nlevel + 1);
  w->levels = CAP_ARENA_NEW(&s->arena, double, w->nlevel + 1);
  w->element = CAP_ARENA_NEW(&s->arena, int, w->nreversal + 1);
  w->i = CAP_ARENA_NEW(&s->arena, int, w->nreversal + 1);
  w->j = CAP_ARENA_NEW(&s->arena, int, w->nreversal + 1);
  w->now = CAP_ARENA_NEW(&s->arena, signed char, n + 1);
  w->next = CAP_ARENA_NEW(&s->arena, signed char, n + 1);
  s->mark = malloc(cap_march_size(&s->march) + 1);
  if (!w->outputs || !w->levels || !w->element || !w->i || !w->j || !w->now || !w->next || !s->mark)
    return cap_status_fail(&s->error, CAP_ERR_NOMEM, "out of memory");
  if (w->nreversal) find_reversals(m, w);
  return copy_levels(s);
}

/* Its force is at its limit; steppers may miss that by rounding. */
static signed char slip_of(const cap_model *m, const cap_data *d, int k)
{
  double z = d->x[m->nx - m->nslider + k];
  return fabs(z) < m->slider_limit[k] * (1.0 - 1e-9) ? 0 : z > 0.0 ? 1 : -1;
}

cap_status cap_session_watch_look(capstan_session *s, signed char *at)
{
  const cap_session_watch *w = &s->watch;
  const cap_model *m = s->model;
  int n = 0;
  if (w->kinds & CAPSTAN_EVENT_SLIP)
    for (int k = 0; k < m->nslider; k++) at[n++] = slip_of(m, s->data, k);
  for (int k = 0; k < w->nreversal; k++) {
    double v = s->data->v[w->i[k]] - (w->j[k] == CAP_GROUND ? 0.0 : s->data->v[w->j[k]]);
    at[n++] = (signed char)((v > 0.0) - (v < 0.0));
  }
  if (!w->nlevel) return CAP_OK;
  s->looked = false;
  CAP_TRY(cap_session_look(s));
  for (int k = 0; k < w->nlevel; k++) at[n++] = s->outputs[w->outputs[k]] >= w->levels[k];
  return CAP_OK;
}

static void tell_level(const capstan_session *s, int k, bool above, char *what, size_t size)
{
  const cap_column *column = &s->channels.columns[s->watch.outputs[k]];
  char level[64];
  cap_units_format(level, sizeof level, s->watch.levels[k], column->unit);
  snprintf(what, size, "%s passes %s %s", column->name, level, above ? "upwards" : "downwards");
}

bool cap_session_watch_changed(const capstan_session *s, char *what, size_t size)
{
  const cap_session_watch *w = &s->watch;
  const cap_model *m = s->model;
  int n = 0;
  if (w->kinds & CAPSTAN_EVENT_SLIP)
    for (int k = 0; k < m->nslider; k++, n++)
      if (w->now[n] != w->next[n]) {
        snprintf(what, size, "%s %s", m->slider_name[k], w->next[n] ? "slips" : "sticks");
        return true;
      }
  for (int k = 0; k < w->nreversal; k++, n++)
    if (w->now[n] * w->next[n] < 0) { /* from rest, it starts */
      snprintf(what, size, "%s is deformed the other way", m->elem_name[w->element[k]]);
      return true;
    }
  for (int k = 0; k < w->nlevel; k++, n++)
    if (w->now[n] != w->next[n]) {
      tell_level(s, k, w->next[n] != 0, what, size);
      return true;
    }
  return false;
}
