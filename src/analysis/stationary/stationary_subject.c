/* analysis/stationary/stationary_subject.c — see stationary_subject.h. */
#include "analysis/stationary/stationary_subject.h"

double cap_stationary_subject_turn(const cap_model *m)
{
  const cap_stationary_subject *s = m->subject.type->stationary;
  return s && s->turn ? s->turn(m->subject.self) : m->period[0];
}

void cap_stationary_subject_slips(const cap_model *m, int outputs[2])
{
  const cap_stationary_subject *s = m->subject.type->stationary;
  outputs[0] = outputs[1] = -1;
  if (s && s->slips) s->slips(m, outputs);
}

cap_status cap_stationary_subject_put_state(cap_run *run)
{
  const cap_stationary_subject *s = run->model->subject.type->stationary;
  return s && s->put_state ? s->put_state(run) : CAP_OK;
}
