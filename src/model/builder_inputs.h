/* model/builder_inputs.h — the inputs of a model that is being built (builder.h). */
#pragma once
#include "base/arena.h"
#include "model/model.h"

enum { CAP_BUILDER_INPUTS_MOST = 256 };

typedef struct cap_builder_inputs {
  int n;
  cap_input list[CAP_BUILDER_INPUTS_MOST];
} cap_builder_inputs;

/* Slot of the input of that name; -1 = none. */
int cap_builder_inputs_find(const cap_builder_inputs *inputs, const char *name);
/* A new one that stands for the key, with `name` of the model's own; there is room. Returns its slot. */
int cap_builder_inputs_add(cap_builder_inputs *inputs, const cap_input_key *key, const char *name,
                           double start, bool position);
/* Where a motion is when the model starts at t0. */
void cap_builder_inputs_motion(const cap_builder_inputs *inputs, const cap_motion *motion, double t0,
                               double *q, double *v);
/* Into the model, behind its other channels: every input is one, "input.NAME". */
cap_status cap_builder_inputs_pack(const cap_builder_inputs *inputs, double t0, cap_arena *arena,
                                   cap_model *m);
