/* model/input.h — inputs: numbers that someone outside sets while a system moves.
 *
 * Maths: docs/theory.md §2.9. An input is u(t) = value + rate (t - since): held (rate 0) or linear over a
 * step, and set anew from time to time. Its values are part of the data (model/data.h), so a checkpoint, a
 * hash and a saved state have them. `travel` is the integral of u up to `since`: the angle of a shaft whose
 * speed is the input. A position that an input imposes must not jump, since nothing can follow a jump: it
 * goes on from where it is, and only its rate is set anew.
 *
 * Who computes without data (statics, harmonic balance) sees the inputs held at their start.
 */
#pragma once
#include "base/status.h"
#include <stdbool.h>

typedef struct cap_field cap_field;

/* Stored by the table of keys where {input: NAME, start: VALUE} was given (cap_field.input). */
typedef struct cap_input_key {
  const char *name;       /* NULL: it was not; the start is in the key itself */
  const cap_field *field; /* what it stands for: unit, limits, sentence */
} cap_input_key;

/* What a model knows of an input. */
typedef struct cap_input {
  const char *name, *unit, *doc;
  double start, low, high; /* SI; low = -INFINITY, high = INFINITY: no limit */
  bool low_open, high_open;
  bool position; /* imposes a position, which must not jump */
} cap_input;

/* Values of one input. */
enum { CAP_INPUT_VALUE, CAP_INPUT_RATE, CAP_INPUT_SINCE, CAP_INPUT_TRAVEL, CAP_INPUT_NVALUE };

/* u(t) of the input `slot`. */
static inline double cap_input_at(const double *inputs, int slot, double t)
{
  const double *u = inputs + slot * CAP_INPUT_NVALUE;
  return u[CAP_INPUT_VALUE] + u[CAP_INPUT_RATE] * (t - u[CAP_INPUT_SINCE]);
}

static inline double cap_input_rate(const double *inputs, int slot)
{
  return inputs[slot * CAP_INPUT_NVALUE + CAP_INPUT_RATE];
}

/* Its integral since the start of the model. */
static inline double cap_input_travel(const double *inputs, int slot, double t)
{
  const double *u = inputs + slot * CAP_INPUT_NVALUE;
  double since = t - u[CAP_INPUT_SINCE];
  return u[CAP_INPUT_TRAVEL] + (u[CAP_INPUT_VALUE] + 0.5 * u[CAP_INPUT_RATE] * since) * since;
}

/* From `t` on it is value + rate (t' - t). */
void cap_input_set(double *inputs, int slot, double t, double value, double rate);

/* Why a value is not one of the input's, as a sentence in `why`; true: it is. */
enum { CAP_INPUT_WHY = 320 };
bool cap_input_accepts(const cap_input *input, double value, char why[CAP_INPUT_WHY]);
