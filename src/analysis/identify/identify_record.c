/* analysis/identify/identify_record.c — the deflection as recorded, where no smooth series describes it. */
#include "analysis/identify/identify_record.h"
#include "analysis/observe/filter.h"
#include "linalg/spline.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_TURNS = 20000 };
static const double CUTOFF = 60.0; /* of the low-pass for the velocity, in frequencies of the cycle */

/* Noise of the record: from second differences, and what rounding to its smallest step makes. */
static double record_noise(const cap_identify_cycle *y, const double *u)
{
  double quantum = INFINITY;
  for (int i = 1; i < y->n; i++) {
    const double change = fabs(u[i] - u[i - 1]);
    if (change > 0.0 && change < quantum) quantum = change;
  }
  const double rounding = isfinite(quantum) ? quantum / sqrt(12.0) : 0.0;
  return fmax(y->u_noise, fmin(rounding, 1e-3 * (y->u_max - y->u_min)));
}

/* Reversals by more than `least`: turn_u, and the piece of every sample. */
static cap_status find_turns(cap_identify_cycle *y, const double *u, double least, cap_error *error)
{
  int direction = 0, high = 0, low = 0, start = 0;
  y->nturn = 0;
  for (int i = 0; i < y->n; i++) {
    if (u[i] > u[high]) high = i;
    if (u[i] < u[low]) low = i;
    const int turn = direction >= 0 && u[high] - u[i] > least  ? high
                     : direction <= 0 && u[i] - u[low] > least ? low
                                                               : -1;
    if (turn < 0) continue;
    direction = turn == high ? -1 : 1;
    if (turn > 0) {
      if (y->nturn == MOST_TURNS)
        return cap_status_fail(
            error, CAP_ERR_INPUT,
            "the deflection reverses too often: too noisy, or not one motion; expected at most %d reversals",
            MOST_TURNS);
      for (; start <= turn; start++) y->piece_of[start] = y->nturn;
      y->turn_u[y->nturn++] = u[turn];
    }
    high = low = i;
  }
  for (; start < y->n; start++) y->piece_of[start] = y->nturn;
  y->turn_u[y->nturn] = direction >= 0 ? u[high] : u[low]; /* where the last piece gets to */
  return CAP_OK;
}

/* The low-passed record at the samples into y->u, its slope into y->v. */
static cap_status smooth_record(cap_identify_cycle *y, const double *u)
{
  const int n = y->n;
  const double span = y->time[n - 1] - y->time[0], dt = span / (n - 1);
  double *t = malloc((size_t)n * sizeof *t), *x = malloc((size_t)n * sizeof *x),
         *slopes = malloc((size_t)n * sizeof *slopes);
  cap_status status = t && x && slopes ? capm_filter_resample(n, y->time, u, n, x) : CAP_ERR_NOMEM;
  if (status == CAP_OK)
    status = capm_filter_lowpass(
        n, dt, fmin(CUTOFF * y->angular_frequency / 6.28318530717958647692, 0.2 / dt), x, x);
  for (int i = 0; i < n && status == CAP_OK; i++) t[i] = y->time[0] + span * i / (n - 1);
  if (status == CAP_OK) status = capm_spline_slopes(n, t, x, slopes);
  for (int i = 0; i < n && status == CAP_OK; i++)
    y->u[i] = capm_spline_at(n, t, x, slopes, y->time[i], &y->v[i], NULL);
  free(t), free(x), free(slopes);
  return status;
}

/* Root mean square of what the low-pass took off. */
static double taken_off(const cap_identify_cycle *y, const double *u)
{
  double sum = 0.0;
  for (int i = 0; i < y->n; i++) sum += (u[i] - y->u[i]) * (u[i] - y->u[i]);
  return sqrt(sum / y->n);
}

cap_status cap_identify_record_use(cap_identify_cycle *y, const double *measured, cap_arena *arena,
                                   cap_error *error)
{
  const double range = y->u_max - y->u_min, noise = record_noise(y, measured);
  const double missed = sqrt(fmax(y->u_rms * y->u_rms - noise * noise, 0.0));
  if (missed < 0.7 * noise || missed < 1e-6 * range) return CAP_OK;
  y->turn_u = CAP_ARENA_NEW(arena, double, MOST_TURNS + 1);
  y->piece_of = CAP_ARENA_NEW(arena, int, y->n);
  if (!y->turn_u || !y->piece_of) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  const cap_status status = smooth_record(y, measured);
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", cap_status_text(status));
  if (taken_off(y, measured) > 1.1 * noise) /* more than noise: corners, which the low-pass would round */
    for (int i = 0; i < y->n; i++) y->u[i] = measured[i];
  CAP_TRY(find_turns(y, y->u, fmax(6.0 * noise, 0.002 * range), error));
  y->recorded = true;
  return CAP_OK;
}
