/* analysis/observe/impacts.c — see impacts.h. */
#include "analysis/observe/impacts.h"
#include "model/data.h"

cap_status cap_impacts_put(cap_run *run, const char *what, const char *solver)
{
  cap_sink *sink = run->sink;
  if (!run->model->nset) return CAP_OK;
  const int64_t *n = run->data->impacts;
  const double *worst = run->data->impact_worst, steps = (double)n[CAP_IMPACTS_STEPS];
  double mean = steps > 0.0 ? (double)n[CAP_IMPACTS_ITERATIONS] / steps : 0.0;
  const struct {
    cap_column what;
    double value;
  } numbers[] = {
      {{"contact.steps", "1", "number of steps with closed contacts"}, steps},
      {{"contact.closed", "1", "mean number of closed contacts in these steps"},
       steps > 0.0 ? (double)n[CAP_IMPACTS_CLOSED] / steps : 0.0},
      {{"contact.closed.most", "1", "largest number of closed contacts"}, (double)n[CAP_IMPACTS_MOST_CLOSED]},
      {{"contact.iterations", "1", "mean number of contact solver iterations in these steps"}, mean},
      {{"contact.iterations.most", "1", "largest number of contact solver iterations"},
       (double)n[CAP_IMPACTS_MOST]},
      {{"contact.fallbacks", "1", "number of times Newton's method needed a fallback"},
       (double)n[CAP_IMPACTS_FALLBACKS]},
      {{"contact.missed", "1", "number of steps that ended above the tolerance"},
       (double)n[CAP_IMPACTS_MISSED]},
      {{"contact.residual", "1", "largest residual of the contact solver"}, worst[CAP_WORST_RESIDUAL]},
      {{"contact.corrected", "1", "number of steps with corrected positions"},
       (double)n[CAP_IMPACTS_CORRECTED]},
      {{"contact.corrected.most", "m", "largest corrected penetration"}, worst[CAP_WORST_MOVED]},
      {{"contact.drift", "m", "largest penetration of contacts that stay closed"}, worst[CAP_WORST_DRIFT]}};
  CAP_TRY(sink->text(sink, "solver", solver));
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    CAP_TRY(sink->number(sink, numbers[k].what, numbers[k].value));
  double most[CAP_IMPACTS_BINS], counts[CAP_IMPACTS_BINS];
  int64_t bins = 1;
  for (int k = 0; k < CAP_IMPACTS_BINS; k++) {
    most[k] = k + 1 < CAP_IMPACTS_BINS ? (double)cap_data_impact_bins[k] : (double)n[CAP_IMPACTS_MOST];
    counts[k] = (double)n[CAP_IMPACTS_HISTOGRAM + k];
    if (counts[k] > 0.0) bins = k + 1;
  }
  CAP_TRY(sink->array(sink, (cap_column){"contact.bins", "1", "upper limit of the iterations per step"}, 1,
                      &bins, NULL, most));
  CAP_TRY(sink->array(sink,
                      (cap_column){"contact.histogram", "1", "number of steps with that many iterations"}, 1,
                      &bins, "contact.bins", counts));
  cap_progress_note(run->progress,
                    "%s: %s, on average %.3g closed contacts and %.3g iterations per step (largest %lld), "
                    "residual %.2g, %lld steps above the tolerance, drift %.2g m",
                    what, solver, steps > 0.0 ? (double)n[CAP_IMPACTS_CLOSED] / steps : 0.0, mean,
                    (long long)n[CAP_IMPACTS_MOST], worst[CAP_WORST_RESIDUAL],
                    (long long)n[CAP_IMPACTS_MISSED], worst[CAP_WORST_DRIFT]);
  return CAP_OK;
}
