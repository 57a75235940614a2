/* analysis/observe/start_values.h — channels of a model in its initial state, by name: for what is shown of
 * it
 * before anything is computed. */
#pragma once
#include "analysis/observe/channels.h"
#include "base/drawing.h"
#include "base/summary.h"

typedef struct cap_start_values {
  cap_channels channels; /* all, details too */
  double *values;        /* [channels.n] */
} cap_start_values;

/* False: out of memory; nothing has to be freed then. */
bool cap_start_values_open(cap_start_values *s, const cap_model *m);
void cap_start_values_close(cap_start_values *s);

/* NAN: there is no such channel. */
double cap_start_values_of(const cap_start_values *s, const char *name);
/* The channel as a quantity of a summary; nothing where the model does not have it. */
void cap_start_values_tell(const cap_start_values *s, const char *channel, const char *name, const char *unit,
                           cap_summary *summary);
/* Place and angle of a body of the scene, at[3]; the ground is at 0. False: its channels do not say. */
bool cap_start_values_place(const cap_start_values *s, const char *body, double at[3]);
/* The scene (model/scene.h) of the model where it starts: discs, outlines and links whose bodies have places,
 * and lines without ends as far as the rest reaches. */
void cap_start_values_draw(const cap_start_values *s, const cap_model *m, cap_drawing *drawing);
