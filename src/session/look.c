/* session/look.c — what a session shows: outputs, states, the energy balance. */
#include "session/session.h"

#include <math.h>

/* As cap_session_enter, but what the session had to say of an event is there until a look fails. */
static locale_t plainly(capstan_session *s)
{
  s->error = (cap_error){0};
  return s->plain ? uselocale(s->plain) : (locale_t)0;
}

cap_status cap_session_look(capstan_session *s)
{
  if (s->looked) return CAP_OK;
  cap_channels_values(&s->channels, s->model, s->data, s->outputs);
  CAP_TRY(cap_channels_check(&s->channels, s->model, *s->data->t, s->outputs, &s->error));
  s->looked = true;
  return CAP_OK;
}

const double *capstan_outputs(capstan_session *session)
{
  capstan_session *s = session;
  if (!s || !s->started) return NULL;
  if (s->looked) return s->outputs;
  locale_t before = plainly(s);
  return cap_session_leave(s, before, cap_session_look(s)) == CAPSTAN_OK ? s->outputs : NULL;
}

capstan_code capstan_output(capstan_session *session, int n, const int *index, double *value)
{
  capstan_session *s = session;
  if (!s || !s->started || !value) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, n, index, s->channels.n, "output")) return CAPSTAN_BAD_INPUT;
  const double *all = capstan_outputs(s);
  if (!all) return CAPSTAN_FAILED;
  for (int k = 0; k < n; k++) value[k] = all[index[k]];
  return CAPSTAN_OK;
}

const double *capstan_states(const capstan_session *session)
{
  return session && session->started ? session->data->y : NULL;
}

capstan_code capstan_state(capstan_session *session, int n, const int *index, double *value)
{
  capstan_session *s = session;
  if (!s || !s->started || !value) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, n, index, s->model->nstate, "state")) return CAPSTAN_BAD_INPUT;
  for (int k = 0; k < n; k++) value[k] = s->data->y[index[k]];
  return CAPSTAN_OK;
}

int capstan_balance(const capstan_session *session, int room, capstan_energy *lines, double *scale)
{
  capstan_session *s = (capstan_session *)session; /* its scratch and its message */
  double compared = 0.0;
  if (scale) *scale = 0.0;
  if (!s || !s->started) return 0;
  const cap_balance_line *all = s->lines;
  int n = cap_data_balance(s->model, s->data, 0, s->lines, &compared);
  locale_t before = plainly(s);
  cap_status status = isfinite(all[n - 1].energy)
                          ? CAP_OK
                          : cap_status_fail(&s->error, CAP_ERR_NUMERICS,
                                            "at t = %.9g s the energy balance is not finite", *s->data->t);
  if (cap_session_leave(s, before, status) != CAPSTAN_OK) return 0;
  if (scale) *scale = compared;
  for (int k = 0; lines && k < n && k < room; k++)
    lines[k] = (capstan_energy){.name = all[k].name, .kind = all[k].kind, .energy = all[k].energy};
  return n;
}
