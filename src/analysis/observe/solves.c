/* analysis/observe/solves.c — see solves.h. */
#include "analysis/observe/solves.h"
#include "model/data.h"

enum { FEW = 5 };

static void tell(cap_run *run, const double *counts, double all, double few)
{
  double sum = 0.0;
  int most = 0;
  for (int k = 0; k < CAP_SOLVES_NCOUNT; k++) {
    sum += k * counts[k];
    if (counts[k] > 0.0) most = k;
  }
  cap_progress_note(run->progress,
                    "transient: %.0f coupled contact solutions in %.3g iterations on average, %s%d at most; "
                    "%.4g %% within %d",
                    all, sum / all, most == CAP_SOLVES_NCOUNT - 1 ? "at least " : "", most, 100.0 * few / all,
                    FEW);
}

cap_status cap_solves_put(cap_run *run, const int64_t *before)
{
  double counts[CAP_SOLVES_NCOUNT], numbers[CAP_SOLVES_NCOUNT], all = 0.0, few = 0.0;
  int64_t dims[1] = {CAP_SOLVES_NCOUNT};
  cap_sink *sink = run->sink;
  if (!run->model->nwarm) return CAP_OK;
  for (int k = 0; k < CAP_SOLVES_NCOUNT; k++) {
    counts[k] = (double)(run->data->solves[k] - before[k]);
    numbers[k] = k;
    all += counts[k];
    if (k <= FEW) few += counts[k];
  }
  if (!(all > 0.0)) return CAP_OK;
  CAP_TRY(sink->array(
      sink,
      (cap_column){"contact.bins", "1", "number of iterations; the last bin includes all larger numbers"}, 1,
      dims, NULL, numbers));
  CAP_TRY(sink->array(
      sink,
      (cap_column){"contact.histogram", "1", "number of coupled contact solutions with that many iterations"},
      1, dims, "contact.bins", counts));
  CAP_TRY(sink->number(sink, (cap_column){"contact.all", "1", "number of coupled contact solutions"}, all));
  CAP_TRY(sink->number(
      sink,
      (cap_column){"contact.within_5", "1", "share of coupled contact solutions within five iterations"},
      few / all));
  tell(run, counts, all, few);
  return CAP_OK;
}
