/* bench/siconos_case.c — see siconos_case.h. */
#include "siconos_case.h"
#include "bench.h"
#include "bench_model.h"
#include "linalg/lapack.h"
#include "step/stepper.h"

#include <math.h>

typedef struct watch {
  const cap_channel *tension;
  double low, high;
} watch;

static void see(void *self, const cap_model *m, const double *t, const double *y, const double *force,
                const double *decay)
{
  watch *w = self;
  (void)t, (void)decay;
  double now = cap_model_channel(w->tension, 0, 1, y, y + m->nv, y + 2 * m->nv, force);
  w->low = fmin(w->low, now);
  w->high = fmax(w->high, now);
}

/* All steps to `until`; with `w` they are watched. */
static double march(const cap_model *m, double step, double from, double until, cap_data *d, watch *w)
{
  cap_error error;
  cap_observer observer = {see, w};
  cap_stepper_settings settings = {.step = step, .observer = w ? &observer : NULL};
  cap_stepper stepper;
  bench_need(cap_stepper_create(&cap_theta_euler_type, m, &settings, &stepper, &error), &error);
  double start = bench_cpu();
  if (from < until) bench_need(cap_stepper_advance(&stepper, m, d, &until, NULL, &error), &error);
  double took = bench_cpu() - start;
  cap_stepper_free(&stepper);
  return took;
}

siconos_case siconos_case_run(double step, double until)
{
  cap_model *m = bench_tensioner("masing", 1);
  cap_data *d = cap_data_create(m);
  siconos_case result = {0};
  watch w = {.low = INFINITY, .high = -INFINITY};
  if (!d) exit(1);
  capm_lapack_one_thread(); /* for both sides: threads on matrices of five rows cost far
                             * more than they gain */
  for (int c = 0; c < m->nchannel; c++)
    if (strcmp(m->channels[c].column.name, "belt.tension") == 0) w.tension = &m->channels[c];
  if (!w.tension) exit(1);
  result.seconds = march(m, step, 0.0, until, d, NULL);
  result.steps = (long)d->steps[CAP_STEPS_STEPS];
  cap_data_reset(m, d);
  double last = step * floor((until - m->period[0]) / step); /* the same instants as without a halt */
  march(m, step, 0.0, last, d, NULL);
  march(m, step, last, until, d, &w);
  result.low = w.low;
  result.high = w.high;
  cap_data_free(d);
  cap_model_free(m);
  return result;
}
