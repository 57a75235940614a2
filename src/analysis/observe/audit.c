/* analysis/observe/audit.c — see audit.h. */
#include "analysis/observe/audit.h"
#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cap_status cap_audit_judge(cap_run *run, const char *what, double share)
{
  if (share <= CAP_AUDIT_OPEN) return CAP_OK;
  const bool unusable = !(share <= CAP_AUDIT_UNUSABLE);
  const bool ignored = unusable && run->outputs->balance == CAP_BALANCE_IGNORE;
  char text[256];
  snprintf(text, sizeof text, "%s: %.2g of the energy converted is not accounted for; expected at most %g",
           ignored    ? "ignored"
           : unusable ? "unusable"
                      : "open",
           share, unusable ? CAP_AUDIT_UNUSABLE : CAP_AUDIT_OPEN);
  if (!unusable || ignored) /* else the run fails with that */
    cap_progress_warn(run->progress, "%s: warning: the energy balance is %s", what, text);
  return run->sink->text(run->sink, CAP_AUDIT_MARK, text);
}

/* What time integration took out of the motion (> 0) or added to it, as a share of all that was supplied or
 * released, or of what is in motion where that is more. */
static double lost_share(int n, const cap_balance_line *lines, double scale)
{
  double came = 0.0, went = 0.0, integrator = 0.0;
  for (int k = 0; k < n; k++) {
    if (strcmp(lines[k].kind, "residual") == 0) continue;
    if (strcmp(lines[k].kind, "integrator") == 0) integrator = lines[k].energy;
    double in = strcmp(lines[k].kind, "input") == 0 ? lines[k].energy : -lines[k].energy;
    if (in > 0.0) came += in;
    else went -= in;
  }
  double whole = fmax(scale, fmax(came, went));
  return whole > CAP_AUDIT_ROUNDING ? integrator / whole : 0.0;
}

static void tell_loss(const cap_run *run, const char *what, double share)
{
  if (!(fabs(share) > CAP_AUDIT_LOSS)) return;
  cap_progress_warn(
      run->progress,
      "%s: warning: time integration %s %.2g %% of the energy supplied or in motion; expected at "
      "most %g %%; "
      "it falls with the step",
      what, share > 0.0 ? "takes" : "adds", 100.0 * fabs(share), 100.0 * CAP_AUDIT_LOSS);
}

cap_status cap_audit_put(cap_run *run, const char *what)
{
  double scale;
  cap_balance_line *lines = calloc((size_t)run->model->nmech + 4, sizeof *lines);
  if (!lines) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  int n = cap_data_balance(run->model, run->data, 0, lines, &scale);
  double residual = lines[n - 1].energy, lost = lost_share(n, lines, scale);
  lines[n++] = (cap_balance_line){"energy converted or in motion", "scale", scale};
  cap_status status = run->sink->balance(run->sink, n, lines);
  free(lines);
  CAP_TRY(status);
  if (!isfinite(residual))
    return cap_status_fail(run->error, CAP_ERR_NUMERICS, "%s: the energy balance is not finite", what);
  double share = scale > 0.0 ? fabs(residual) / scale : 0.0;
  cap_progress_note(run->progress, "%s: energy residual %.3g J of %.6g J converted (%.2g)", what, residual,
                    scale, share);
  tell_loss(run, what, lost);
  return fabs(residual) <= CAP_AUDIT_ROUNDING ? CAP_OK : cap_audit_judge(run, what, share);
}
