/* analysis/observe/held_effort.c — see held_effort.h. */
#include "analysis/observe/held_effort.h"

const cap_column cap_held_effort_columns[CAP_HELD_EFFORT_NFIGURE] = {
    {"held.iterations", "1", "mean number of iterations per step for the set-valued forces"},
    {"held.iterations.most", "1", "largest number of iterations per step for the set-valued forces"},
    {"held.residual", "1", "largest residual of the set-valued forces"},
    {"held.missed", "1", "number of steps whose set-valued forces did not converge to the tolerance"},
    {"held.fallbacks", "1", "number of steps in which Newton's method needed a fallback"},
    {"held.penetration", "m", "largest penetration of rigid saddles"}};

void cap_held_effort_figures(const cap_data *d, double figures[CAP_HELD_EFFORT_NFIGURE])
{
  const int64_t *n = d->impacts;
  double steps = (double)n[CAP_IMPACTS_STEPS];
  figures[CAP_HELD_EFFORT_ITERATIONS] = steps > 0.0 ? (double)n[CAP_IMPACTS_ITERATIONS] / steps : 0.0;
  figures[CAP_HELD_EFFORT_MOST] = (double)n[CAP_IMPACTS_MOST];
  figures[CAP_HELD_EFFORT_RESIDUAL] = d->impact_worst[CAP_WORST_RESIDUAL];
  figures[CAP_HELD_EFFORT_MISSED] = (double)n[CAP_IMPACTS_MISSED];
  figures[CAP_HELD_EFFORT_FALLBACKS] = (double)n[CAP_IMPACTS_FALLBACKS];
  figures[CAP_HELD_EFFORT_PENETRATION] = d->impact_worst[CAP_WORST_DRIFT];
}

void cap_held_effort_warn(const cap_progress *progress, const char *what,
                          const double figures[CAP_HELD_EFFORT_NFIGURE], double steps)
{
  if (!(figures[CAP_HELD_EFFORT_MISSED] > 0.0)) return;
  cap_progress_note(progress,
                    "%s: warning: the set-valued forces of %.0f of %.0f steps did not converge to the "
                    "tolerance (largest residual %.2g)",
                    what, figures[CAP_HELD_EFFORT_MISSED], steps, figures[CAP_HELD_EFFORT_RESIDUAL]);
}

cap_status cap_held_effort_put(cap_run *run, const char *what)
{
  double figures[CAP_HELD_EFFORT_NFIGURE], steps;
  if (!run->model->impulses) return CAP_OK;
  cap_held_effort_figures(run->data, figures);
  steps = (double)run->data->impacts[CAP_IMPACTS_STEPS];
  for (int k = 0; k < CAP_HELD_EFFORT_NFIGURE; k++)
    CAP_TRY(run->sink->number(run->sink, cap_held_effort_columns[k], figures[k]));
  cap_progress_note(
      run->progress,
      "%s: set-valued forces: %.3g iterations per step on average (largest %.0f), residual %.2g", what,
      figures[CAP_HELD_EFFORT_ITERATIONS], figures[CAP_HELD_EFFORT_MOST], figures[CAP_HELD_EFFORT_RESIDUAL]);
  cap_held_effort_warn(run->progress, what, figures, steps);
  return CAP_OK;
}
