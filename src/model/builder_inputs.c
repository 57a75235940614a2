/* model/builder_inputs.c — see builder_inputs.h. */
#include "model/builder_inputs.h"
#include "base/fields.h"

#include <math.h>
#include <string.h>

int cap_builder_inputs_find(const cap_builder_inputs *inputs, const char *name)
{
  for (int k = 0; k < inputs->n; k++)
    if (strcmp(inputs->list[k].name, name) == 0) return k;
  return -1;
}

int cap_builder_inputs_add(cap_builder_inputs *inputs, const cap_input_key *key, const char *name,
                           double start, bool position)
{
  const cap_field *field = key->field;
  bool limited = field->low != 0.0 || field->high != 0.0;
  inputs->list[inputs->n] = (cap_input){.name = name,
                                        .unit = field->unit ? field->unit : "",
                                        .doc = field->doc,
                                        .start = start,
                                        .low = limited ? field->low : -INFINITY,
                                        .high = limited ? field->high : INFINITY,
                                        .low_open = field->low_open,
                                        .high_open = field->high_open,
                                        .position = position};
  return inputs->n++;
}

void cap_builder_inputs_motion(const cap_builder_inputs *inputs, const cap_motion *motion, double t0,
                               double *q, double *v)
{
  double a, values[CAP_BUILDER_INPUTS_MOST * CAP_INPUT_NVALUE];
  for (int k = 0; k < inputs->n; k++) {
    double *u = values + k * CAP_INPUT_NVALUE;
    u[CAP_INPUT_VALUE] = inputs->list[k].start;
    u[CAP_INPUT_SINCE] = t0;
    u[CAP_INPUT_RATE] = u[CAP_INPUT_TRAVEL] = 0.0;
  }
  cap_motion_at(motion, values, t0, q, v, &a);
}

static cap_status pack_channel(const cap_input *input, int address, cap_arena *arena, cap_model *m)
{
  cap_channel *c = &m->channels[m->nchannel];
  const char *name = cap_arena_format(arena, "input.%s", input->name);
  *c = (cap_channel){.column = {name, input->unit, input->doc}, .nterm = 1};
  c->terms = CAP_ARENA_NEW(arena, cap_term, 1);
  c->factors = CAP_ARENA_NEW(arena, double, m->nlane);
  if (!name || !c->terms || !c->factors) return CAP_ERR_NOMEM;
  c->terms[0] = (cap_term){CAP_TERM_FORCE, address, 1.0};
  for (int l = 0; l < m->nlane; l++) c->factors[l] = 1.0;
  m->nchannel++;
  return CAP_OK;
}

cap_status cap_builder_inputs_pack(const cap_builder_inputs *inputs, double t0, cap_arena *arena,
                                   cap_model *m)
{
  int n = inputs->n;
  m->ninput = n;
  m->input_adr = m->noutput;
  m->noutput += n;
  m->inputs = CAP_ARENA_NEW(arena, cap_input, n);
  m->input_start = CAP_ARENA_NEW(arena, double, (n * CAP_INPUT_NVALUE));
  if (!m->inputs || !m->input_start) return CAP_ERR_NOMEM;
  for (int k = 0; k < n; k++) {
    m->inputs[k] = inputs->list[k];
    m->input_start[k * CAP_INPUT_NVALUE + CAP_INPUT_VALUE] = inputs->list[k].start;
    m->input_start[k * CAP_INPUT_NVALUE + CAP_INPUT_SINCE] = t0;
    CAP_TRY(pack_channel(&inputs->list[k], m->input_adr + k, arena, m));
  }
  return CAP_OK;
}
