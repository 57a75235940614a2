/* analysis/observe/channels.h — the channels that a user asked for, their values, and their table over
 * time. */
#pragma once
#include "base/fields.h"
#include "model/data.h"

typedef struct cap_channels {
  int n;
  int *number;                                  /* [n] in the model, in its order */
  cap_column *columns;                          /* [n] */
  double *force, *h, *xdot, *workspace, *hints; /* scratch of one evaluation, one lane */
} cap_channels;

/* Those that match one of the patterns ("span.*.tension"); all but the details when there are none. A pattern
 * that matches nothing is an error that lists what there is. */
cap_status cap_channels_select(cap_channels *channels, const cap_model *m, const cap_texts *patterns,
                               cap_error *error);
void cap_channels_free(cap_channels *channels);
/* values[n] at the state of `d` (one lane). m: the model that they were selected from, or one of the same
 * structure with other parameters, on which factors of channels may depend. */
void cap_channels_values(cap_channels *channels, const cap_model *m, const cap_data *d, double *values);
/* They are finite, at the time t, s; else the reason. */
cap_status cap_channels_check(const cap_channels *channels, const cap_model *m, double t,
                              const double *values, cap_error *error);
/* Declare a table of the time and these channels. */
cap_status cap_channels_put_columns(const cap_channels *channels, cap_sink *sink, cap_error *error);
/* Append the state of `d` to it; row[n + 1] is scratch. A value that is not finite is an error. */
cap_status cap_channels_put_row(cap_channels *channels, const cap_model *m, const cap_data *d, double *row,
                                cap_sink *sink, cap_error *error);
