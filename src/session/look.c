/* session/look.c — what a session shows: outputs, states, the energy balance. */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

const double *capstan_outputs(capstan_session *session)
{
  capstan_session *s = session;
  if (!s || !s->started) return NULL;
  if (!s->looked) cap_channels_values(&s->channels, s->model, s->data, s->outputs);
  s->looked = true;
  return s->outputs;
}

capstan_code capstan_output(capstan_session *session, int n, const int *index, double *value)
{
  capstan_session *s = session;
  if (!s || !s->started || !value) return CAPSTAN_BAD_INPUT;
  if (!cap_session_indices(s, n, index, s->channels.n, "output")) return CAPSTAN_BAD_INPUT;
  const double *all = capstan_outputs(s);
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
  const capstan_session *s = session;
  double unused;
  if (scale) *scale = 0.0;
  if (!s || !s->started) return 0;
  cap_balance_line *all = calloc((size_t)s->model->nmech + 4, sizeof *all);
  if (!all) return 0;
  int n = cap_data_balance(s->model, s->data, 0, all, scale ? scale : &unused);
  for (int k = 0; lines && k < n && k < room; k++)
    lines[k] = (capstan_energy){.name = all[k].name, .kind = all[k].kind, .energy = all[k].energy};
  free(all);
  return n;
}
