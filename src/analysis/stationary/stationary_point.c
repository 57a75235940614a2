/* analysis/stationary/stationary_point.c — see stationary_point.h. */
#include "analysis/stationary/stationary_point.h"
#include "linalg/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LINES = 3, PULLEYS = 2, WATCHED_MOST = 256 }; /* LINES: stored, integrator, residual */

static const double SLIP_TURNS = 0.08;  /* over which slip is averaged */
static const double CHECK_TURNS = 0.25; /* from look to look, at least */
static const double CHECK_GROWTH = 0.1; /* of what has been run */
static const double SHIFT_TURNS = 2.0;  /* at least, for a rate of both halves */
static const double LEAST_SCALE = 0.01; /* of the largest value: of what vanishes in the mean */
static const double LOSSES_SHARE = 2.0; /* of the error that is asked for: of what is lost in all */

typedef struct job {
  const cap_stationary_point_plan *plan;
  const cap_model *m;
  cap_data *d;
  cap_channels *channels;
  cap_stationary_point *point;
  cap_balance_line *lines; /* [nmech + LINES] */
  int width;               /* of a sample */
  double lost;             /* J in all, at the sample before */
  int hint;                /* series that was in the way */
  cap_error *error;
} job;

/* ---- samples ------------------------------------------------------------------------------------------- */

static double *sample(const job *j, int k)
{
  return j->point->samples + (size_t)k * (size_t)j->width;
}

/* Mean power that has been lost since the sample before; at the first one there is none. */
static double lost_since(job *j)
{
  double lost = 0.0, before = j->lost;
  for (int k = 0; k < j->point->nmech; k++)
    if (!j->point->input[k]) lost += j->lines[k].energy;
  j->lost = lost;
  return j->point->nsample ? (lost - before) / j->plan->every : 0.0;
}

static cap_status take(job *j)
{
  cap_stationary_point *p = j->point;
  if (p->nsample == p->room) {
    int room = p->room ? 2 * p->room : 256;
    double *more = realloc(p->samples, sizeof *more * (size_t)room * (size_t)j->width);
    if (!more) return cap_status_fail(j->error, CAP_ERR_NOMEM, "out of memory");
    p->samples = more;
    p->room = room;
  }
  double *s = sample(j, p->nsample), scale;
  s[0] = *j->d->t;
  cap_channels_values(j->channels, j->m, j->d, s + 1);
  for (int c = 0; c < p->nchannel; c++)
    if (!isfinite(s[1 + c]))
      return cap_status_fail(j->error, CAP_RETRY_NONFINITE, "at t = %.9g s the channel %s is not finite",
                             s[0], j->channels->columns[c].name);
  cap_data_balance(j->m, j->d, 0, j->lines, &scale);
  for (int k = 0; k < p->nmech + LINES; k++) s[1 + p->nchannel + k] = j->lines[k].energy;
  s[j->width - PULLEYS - 1] = lost_since(j);
  for (int k = 0; k < PULLEYS; k++)
    s[j->width - PULLEYS + k] = j->plan->slip[k] < 0 ? 0.0 : j->channels->force[j->plan->slip[k]];
  p->nsample++;
  return j->plan->see ? j->plan->see(j->plan->see_self, j->channels->force) : CAP_OK;
}

static int samples_of(const job *j, double turns)
{
  return (int)lround(turns * j->plan->turn / j->plan->every);
}

/* ---- is it stationary? --------------------------------------------------------------------------------- */

static double mean_of(int n, int stride, const double *values)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += values[(size_t)k * (size_t)stride];
  return sum / n;
}

/* Size of a watched channel over the samples from `from` on; of what vanishes in the mean, part of the
 * largest value that it has had. */
static double size_of(const job *j, int channel, int from)
{
  double largest = 0.0;
  int n = j->point->nsample - from;
  for (int k = 0; k < j->point->nsample; k++) largest = fmax(largest, fabs(sample(j, k)[1 + channel]));
  return fmax(fabs(mean_of(n, j->width, sample(j, from) + 1 + channel)), LEAST_SCALE * largest);
}

static double scale_of(const job *j, int w, int from)
{
  const cap_stationary_figure *f = &j->plan->figure[w];
  if (f->scale > 0.0) return f->scale;
  if (!f->group) return size_of(j, j->plan->watch[w], from);
  double sum = 0.0;
  for (int k = 0; k < j->plan->nwatch; k++)
    if (j->plan->figure[k].group == f->group) sum += size_of(j, j->plan->watch[k], from);
  return sum;
}

/* The watched channels as series over all samples but the first, which has no power lost. */
static int series_of(const job *j, cap_steady_series series[WATCHED_MOST + 1])
{
  const cap_stationary_point_plan *plan = j->plan;
  int n = 0, half = j->point->nsample / 2;
  for (int w = 0; w < plan->nwatch && w < WATCHED_MOST; w++) {
    const cap_column *column = &j->channels->columns[plan->watch[w]];
    series[n++] = (cap_steady_series){.name = column->name,
                                      .unit = column->unit,
                                      .values = sample(j, 1) + 1 + plan->watch[w],
                                      .stride = j->width,
                                      .asked = plan->error * plan->figure[w].share * scale_of(j, w, half)};
  }
  if (!plan->losses) return n;
  const double *lost = sample(j, 1) + j->width - PULLEYS - 1;
  double mean = mean_of(j->point->nsample - 1 - half, j->width, lost + (size_t)half * (size_t)j->width);
  series[n++] = (cap_steady_series){.name = "the power lost in all",
                                    .unit = "W",
                                    .values = lost,
                                    .stride = j->width,
                                    .asked = plan->error * LOSSES_SHARE * fabs(mean)};
  return n;
}

/* The first sample of the stationary part; -1: there is none yet. `last`: tell what is in the way. */
static int look(job *j, bool last)
{
  cap_steady_series series[WATCHED_MOST + 1];
  cap_stationary_point *p = j->point;
  int n = series_of(j, series), lead = samples_of(j, j->plan->lead), least = samples_of(j, j->plan->average);
  cap_steady_found found = cap_steady_find(p->nsample - 1, lead, least, n, series, j->hint);
  j->hint = found.worst;
  if (found.verdict == CAP_STEADY_YES) return found.from + 1;
  double turns = (p->nsample - 1 - found.from) * j->plan->every / j->plan->turn;
  if (last) cap_steady_tell(&found, series, turns, p->why, sizeof p->why);
  return -1;
}

/* Whether the system shifts at one rate from the lead on, and the rate. */
static bool shifts(job *j)
{
  cap_steady_series series[WATCHED_MOST + 1];
  cap_stationary_point *p = j->point;
  int lead = samples_of(j, j->plan->lead), n = p->nsample - 1;
  double change, turns = (n - lead) * j->plan->every / j->plan->turn;
  if (j->plan->shifts < 0 || turns < SHIFT_TURNS) return false;
  series_of(j, series);
  const cap_steady_series *s = &series[j->plan->shifts];
  double least = j->plan->shift_least * turns * size_of(j, j->plan->watch[j->plan->shifts], lead);
  if (!cap_steady_shifts(n, lead, s, least, &change)) return false;
  p->rate = change / ((n - lead) * j->plan->every);
  snprintf(p->why, sizeof p->why, "%s changes by %+.3g 1/s", s->name, p->rate);
  return true;
}

/* Macro slip: the mean slip of a pulley over a part of a turn is beyond what creep makes. */
static bool slips(const job *j)
{
  const cap_stationary_point *p = j->point;
  int n = samples_of(j, SLIP_TURNS);
  for (int k = 0; k < PULLEYS && p->nsample > n; k++)
    if (fabs(mean_of(n, j->width, sample(j, p->nsample - n) + j->width - PULLEYS + k)) > j->plan->slip_most)
      return true;
  return false;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

/* Means over the samples [from, to]. */
static void conclude(job *j, int from, int to)
{
  cap_stationary_point *p = j->point;
  const double *a = sample(j, from), *b = sample(j, to);
  double span = fmax(b[0] - a[0], 1e-300), passed = 0.0;
  p->averaged = span / j->plan->turn;
  for (int c = 0; c < p->nchannel; c++) {
    capm_series_mean mean = capm_series_mean_of(to - from + 1, j->width, a + 1 + c);
    p->mean[c] = mean.value, p->error[c] = mean.error;
    p->least[c] = INFINITY;
    p->most[c] = -INFINITY;
    for (int k = from; k <= to; k++) {
      p->least[c] = fmin(p->least[c], sample(j, k)[1 + c]);
      p->most[c] = fmax(p->most[c], sample(j, k)[1 + c]);
    }
  }
  const double *before = a + 1 + p->nchannel, *after = b + 1 + p->nchannel;
  for (int k = 0; k < p->nmech; k++) {
    p->power[k] = (after[k] - before[k]) / span;
    passed += 0.5 * fabs(p->power[k]);
  }
  p->passed = passed;
  p->residual = (after[p->nmech + LINES - 1] - before[p->nmech + LINES - 1]) / span;
}

static cap_status advance(job *j, cap_stepper *stepper, int k, const cap_progress *progress)
{
  if (cap_progress_stopped(progress))
    return cap_status_fail(j->error, CAP_STOPPED, "interrupted at t = %.6g s", *j->d->t);
  double t = j->point->start + k * j->plan->every;
  CAP_TRY(cap_stepper_advance(stepper, j->m, j->d, &t, NULL, j->error));
  return take(j);
}

static cap_status finish(job *j, cap_stationary_point_end end, int from, int to, double settled)
{
  j->point->end = end;
  j->point->settled = settled;
  conclude(j, from, to);
  return CAP_OK;
}

static cap_status follow(job *j, cap_stepper *stepper, const cap_progress *progress)
{
  const cap_stationary_point_plan *plan = j->plan;
  double sample_turns = plan->every / plan->turn;
  int average = samples_of(j, plan->average), limit = samples_of(j, plan->limit);
  int next = samples_of(j, plan->lead) + average;
  CAP_TRY(take(j));
  for (int k = 1; k <= limit; k++) {
    CAP_TRY(advance(j, stepper, k, progress));
    if (slips(j)) return finish(j, CAP_STATIONARY_SLIPS, k > average ? k - average : 0, k, k * sample_turns);
    if (k < next) continue;
    next = k + (int)fmax(samples_of(j, CHECK_TURNS), CHECK_GROWTH * k);
    if (shifts(j)) return finish(j, CAP_STATIONARY_SHIFTS, k - average, k, k * sample_turns);
    int from = look(j, false);
    if (from >= 0) return finish(j, CAP_STATIONARY_REACHED, from, k, from * sample_turns);
  }
  int from = look(j, true);
  if (from >= 0) return finish(j, CAP_STATIONARY_REACHED, from, limit, from * sample_turns);
  return finish(j, CAP_STATIONARY_MISSED, limit / 2, limit, plan->limit);
}

static bool make_room(cap_stationary_point *p, const cap_model *m, int nchannel)
{
  size_t n = (size_t)nchannel + 1;
  *p = (cap_stationary_point){.nchannel = nchannel, .nmech = m->nmech, .end = CAP_STATIONARY_FAILED};
  p->mean = calloc(4 * n, sizeof(double));
  p->power = calloc((size_t)m->nmech + 1, sizeof(double));
  p->mechanism = calloc((size_t)m->nmech + 1, sizeof *p->mechanism);
  p->input = calloc((size_t)m->nmech + 1, sizeof *p->input);
  if (!p->mean || !p->power || !p->mechanism || !p->input) return false;
  p->error = p->mean + n;
  p->least = p->error + n;
  p->most = p->least + n;
  for (size_t k = 0; k < 4 * n; k++) p->mean[k] = NAN;
  return true;
}

/* The model may be gone when the names are wanted. */
static bool keep_names(cap_stationary_point *p, const cap_model *m, const cap_data *d)
{
  double scale;
  cap_balance_line *lines = calloc((size_t)m->nmech + LINES + 1, sizeof *lines);
  bool kept = lines != NULL;
  if (lines) cap_data_balance(m, d, 0, lines, &scale);
  for (int k = 0; kept && k < p->nmech; k++) {
    p->input[k] = strcmp(lines[k].kind, "input") == 0;
    kept = (p->mechanism[k] = strdup(lines[k].name)) != NULL;
  }
  free(lines);
  return kept;
}

cap_status cap_stationary_point_create(const cap_model *m, const cap_data *d, int nchannel,
                                       cap_stationary_point *point, cap_error *error)
{
  if (make_room(point, m, nchannel) && keep_names(point, m, d)) return CAP_OK;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

void cap_stationary_point_free(cap_stationary_point *p)
{
  for (int k = 0; p->mechanism && k < p->nmech; k++) free(p->mechanism[k]);
  free(p->mechanism);
  free(p->input);
  free(p->samples);
  free(p->mean);
  free(p->power);
  *p = (cap_stationary_point){0};
}

/* What went wrong in the numbers is a result. */
static cap_status tell_failure(cap_stationary_point *p, cap_status status, const cap_error *error)
{
  if (status == CAP_OK || status == CAP_STOPPED || status == CAP_ERR_NOMEM) return status;
  p->end = CAP_STATIONARY_FAILED;
  snprintf(p->why, sizeof p->why, "%s", error->text);
  return CAP_OK;
}

static double processor_time(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

cap_status cap_stationary_point_run(const cap_stationary_point_plan *plan, const cap_model *m, cap_data *d,
                                    cap_channels *channels, const cap_progress *progress,
                                    cap_stationary_point *point, cap_error *error)
{
  cap_stepper stepper = {0};
  job j = {.plan = plan, .m = m, .d = d, .channels = channels, .point = point, .error = error};
  double begun = processor_time();
  j.lines = calloc((size_t)m->nmech + LINES + 1, sizeof *j.lines);
  cap_status status = cap_stationary_point_create(m, d, channels->n, point, error);
  if (status == CAP_OK && !j.lines) status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  j.width = point->width = 1 + point->nchannel + point->nmech + LINES + 1 + PULLEYS;
  point->start = *d->t;
  point->settled = point->rate = NAN;
  cap_data_start_audit(m, d);
  cap_data_start_impacts(m, d);
  int64_t steps = d->steps[CAP_STEPS_STEPS];
  if (status == CAP_OK) status = cap_stepper_create(plan->type, m, &plan->settings, &stepper, error);
  if (status == CAP_OK) status = follow(&j, &stepper, progress);
  point->steps = (double)(d->steps[CAP_STEPS_STEPS] - steps);
  point->seconds = processor_time() - begun;
  point->is_held = m->impulses != NULL;
  if (m->impulses) cap_held_effort_figures(d, point->held);
  cap_stepper_free(&stepper);
  free(j.lines);
  return tell_failure(point, status, error);
}
