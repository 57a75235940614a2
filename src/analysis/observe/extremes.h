/* analysis/observe/extremes.h — smallest, largest and mean value of channels along a computed motion, lane
 * by lane.
 *
 * An observer of fixed-step methods: peaks between steps are taken from the parabola through three
 * neighbours, so that their error is of fourth order in the step. The mean is by the trapezoidal rule.
 */
#pragma once
#include "analysis/observe/channels.h"
#include "step/stepper.h"

typedef struct cap_extremes {
  const cap_channels *channels;
  int nlane;
  long seen;
  double *low, *high, *mean; /* [n][nlane] of the channels */
  double *last, *before;     /* values one and two steps ago */
  double *span;              /* [nlane] time covered */
  double *t_last;            /* [nlane] */
  double *decay;             /* [nlane] fastest decay rate of an inner state met, 1/s */
  cap_arena arena;
} cap_extremes;

cap_status cap_extremes_create(const cap_channels *channels, int nlane, cap_extremes *extremes);
void cap_extremes_free(cap_extremes *extremes);
void cap_extremes_begin(void *self); /* forget all; a cap_extremes */
/* The function of a cap_observer whose self is a cap_extremes. */
void cap_extremes_see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                      const double *decay);
/* Mean of channel c in a lane. */
double cap_extremes_mean(const cap_extremes *extremes, int channel, int lane);
