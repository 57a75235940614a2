/* analysis/observe/audit.c — see audit.h. */
#include "analysis/observe/audit.h"
#include "model/data.h"

#include <math.h>
#include <stdlib.h>

cap_status cap_audit_put(cap_run *run, const char *what)
{
  double scale;
  cap_balance_line *lines = calloc((size_t)run->model->nmech + 4, sizeof *lines);
  if (!lines) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  int n = cap_data_balance(run->model, run->data, 0, lines, &scale);
  double residual = lines[n - 1].energy;
  lines[n++] = (cap_balance_line){"energy converted or in motion", "scale", scale};
  cap_status status = run->sink->balance(run->sink, n, lines);
  free(lines);
  CAP_TRY(status);
  if (!isfinite(residual))
    return cap_status_fail(run->error, CAP_ERR_NUMERICS, "%s: the energy balance is not finite", what);
  cap_progress_note(run->progress, "%s: energy residual %.3g J of %.6g J converted (%.2g)", what, residual,
                    scale, scale > 0.0 ? fabs(residual) / scale : 0.0);
  return CAP_OK;
}
