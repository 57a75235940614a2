/* analysis/observe/steady.c — see steady.h. */
#include "analysis/observe/steady.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const double CHANCE = 0.01; /* of a change without a cause that is taken for one */
static const double HEAD = 0.25;   /* of the series, that is compared with the rest */
static const double ALIKE = 0.3;   /* difference of the rates of both halves of what shifts, of their mean */
static const double GROWTH = 1.25; /* from lead to lead */

static const double *from_value(const cap_steady_series *s, int from)
{
  return s->values + (ptrdiff_t)from * s->stride;
}

static bool counts(const capm_series_change *c, double asked)
{
  return c->chance < CHANCE && fabs(c->size) > asked;
}

/* How far the mean of the values [from, n) is known. */
static bool vague(int n, int from, const cap_steady_series *s, cap_steady_found *found)
{
  capm_series_mean mean = capm_series_mean_of(n - from, s->stride, from_value(s, from));
  if (mean.error <= s->asked) return false;
  found->verdict = CAP_STEADY_VAGUE;
  found->error = mean.error;
  return true;
}

static bool moves(int n, int from, const cap_steady_series *s, cap_steady_found *found)
{
  capm_series_change drift = capm_series_drift(n - from, s->stride, from_value(s, from));
  capm_series_change step = capm_series_step(n - from, s->stride, from_value(s, from), HEAD);
  bool drifts = counts(&drift, s->asked), steps = counts(&step, s->asked);
  if (!drifts && !steps) return false;
  found->verdict = CAP_STEADY_MOVES;
  found->change = drifts ? drift.size : step.size;
  return true;
}

static cap_steady_found look(int n, int from, int nseries, const cap_steady_series *series, int hint)
{
  cap_steady_found found = {.verdict = CAP_STEADY_YES, .from = from, .worst = -1};
  for (int pass = 0; pass < 2; pass++)
    for (int k = 0; k < nseries; k++) {
      found.worst = (k + hint) % nseries;
      if ((pass ? moves : vague)(n, from, &series[found.worst], &found)) return found;
    }
  found.worst = -1;
  return found;
}

cap_steady_found cap_steady_find(int n, int lead, int least, int nseries, const cap_steady_series *series,
                                 int hint)
{
  cap_steady_found best = {.verdict = CAP_STEADY_SHORT, .from = lead, .worst = -1};
  if (least < CAPM_SERIES_LEAST) least = CAPM_SERIES_LEAST;
  for (int from = lead; n - from >= least && from <= (n + lead) / 2;) {
    cap_steady_found found = look(n, from, nseries, series, hint >= 0 && hint < nseries ? hint : 0);
    if (found.verdict == CAP_STEADY_YES) return found;
    /* told is what is left in the way when the start is left out, vague means of the longest part */
    if (best.verdict == CAP_STEADY_SHORT || best.verdict == CAP_STEADY_MOVES) best = found;
    hint = found.worst;
    int next = (int)ceil(from * GROWTH);
    from = next > from ? next : from + 1;
  }
  return best;
}

bool cap_steady_shifts(int n, int from, const cap_steady_series *s, double least, double *change)
{
  int half = (n - from) / 2;
  if (half < CAPM_SERIES_LEAST) return false;
  capm_series_change all = capm_series_drift(n - from, s->stride, from_value(s, from));
  capm_series_change first = capm_series_drift(half, s->stride, from_value(s, from));
  capm_series_change last = capm_series_drift(half, s->stride, from_value(s, n - half));
  *change = all.size;
  bool alike = fabs(first.size - last.size) <= ALIKE * 0.5 * fabs(first.size + last.size);
  return fabs(all.size) > least && all.chance < CHANCE && first.chance < CHANCE && last.chance < CHANCE &&
         alike;
}

void cap_steady_tell(const cap_steady_found *found, const cap_steady_series *series, double turns, char *text,
                     size_t size)
{
  const cap_steady_series *s = found->worst >= 0 ? &series[found->worst] : NULL;
  const char *gap = s && *s->unit && strcmp(s->unit, "1") ? " " : "";
  const char *unit = *gap ? s->unit : "";
  if (!s) snprintf(text, size, "too short");
  else if (found->verdict == CAP_STEADY_MOVES)
    snprintf(text, size, "%s changes by %+.2g%s%s in the last %.2g turns", s->name, found->change, gap, unit,
             turns);
  else
    snprintf(text, size, "the standard error of %s is %.2g%s%s, asked for is %.2g%s%s", s->name, found->error,
             gap, unit, s->asked, gap, unit);
}
