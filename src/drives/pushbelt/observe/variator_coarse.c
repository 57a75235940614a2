/* drives/pushbelt/observe/variator_coarse.c — see variator_coarse.h. */
#include "drives/pushbelt/observe/variator_coarse.h"

#include <stdio.h>

static const struct {
  cap_column of;
  double constant;
} coarse[CAP_VARIATOR_COARSES] = {
#define ROW(id, name, unit, text, constant) {{name, unit, text}, constant},
    CAP_VARIATOR_COARSE(ROW)
#undef ROW
};

bool cap_variator_coarse_errors(const cap_variator *v, double errors[CAP_VARIATOR_COARSES])
{
  for (int k = 0; k < CAP_VARIATOR_COARSES; k++) errors[k] = coarse[k].constant * (v->iota * v->iota - 1.0);
  return v->stacked && v->iota > 1.0;
}

cap_status cap_variator_coarse_put(const cap_variator *v, cap_sink *sink)
{
  double errors[CAP_VARIATOR_COARSES];
  char name[80], text[160];
  if (!cap_variator_coarse_errors(v, errors)) return CAP_OK;
  for (int k = 0; k < CAP_VARIATOR_COARSES; k++) {
    snprintf(name, sizeof name, "coarse.%s.error", coarse[k].of.name);
    snprintf(text, sizeof text, "expected error from fewer simulated than real elements: %s",
             coarse[k].of.long_name);
    CAP_TRY(sink->number(sink, (cap_column){name, coarse[k].of.unit, text}, errors[k]));
  }
  return sink->number(
      sink, (cap_column){"coarse.few", "1", "1 if so few elements are simulated that it is warned of"},
      v->simulated < CAP_VARIATOR_COARSE_FEW);
}

void cap_variator_coarse_tell(const cap_variator *v, const char *what, const cap_progress *progress)
{
  double e[CAP_VARIATOR_COARSES];
  if (!cap_variator_coarse_errors(v, e)) return;
  cap_progress_note(
      progress,
      "%s: %s%d elements for %d real ones: in addition to the intervals, expect errors of up to %.2g in i_F, "
      "%.2g mm in operational endplay, %.2g points of efficiency",
      what, v->simulated < CAP_VARIATOR_COARSE_FEW ? "WARNING: " : "", v->simulated, v->real,
      e[CAP_VARIATOR_COARSE_THRUST], 1e3 * e[CAP_VARIATOR_COARSE_OEP],
      100.0 * e[CAP_VARIATOR_COARSE_EFFICIENCY]);
}

void cap_variator_coarse_summary(const cap_variator *v, cap_summary *out)
{
  double e[CAP_VARIATOR_COARSES];
  if (!cap_variator_coarse_errors(v, e)) return;
  cap_summary_number(out, "expected error of the thrust ratio from fewer elements", "",
                     e[CAP_VARIATOR_COARSE_THRUST]);
}
