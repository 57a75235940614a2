/* analysis/stationary/stationary_point.c — see stationary_point.h. */
#include "analysis/stationary/stationary_point.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  CHUNKS = 5,
  SCATTER = 4,
  BATCHES = 10,
  LINES = 3,
  PULLEYS = 2
}; /* LINES: stored, integrator, residual */

typedef struct job {
  const cap_stationary_point_plan *plan;
  const cap_model *m;
  cap_data *d;
  cap_channels *channels;
  cap_stationary_point *point;
  cap_balance_line *lines; /* [nmech + LINES] */
  int width;               /* of a sample */
  cap_error *error;
} job;

/* ---- means --------------------------------------------------------------------------------------------- */

static double mean_of(int n, int stride, const double *values)
{
  double sum = 0.0;
  for (int k = 0; k < n; k++) sum += values[(size_t)k * (size_t)stride];
  return sum / n;
}

void cap_stationary_point_mean(int n, int stride, const double *values, double *mean, double *error)
{
  double batch[BATCHES], square = 0.0, product = 0.0;
  int nbatch = n < BATCHES ? n : BATCHES;
  *mean = mean_of(n, stride, values);
  *error = 0.0;
  if (nbatch < 2) return;
  for (int b = 0; b < nbatch; b++) {
    int from = (int)((int64_t)b * n / nbatch), to = (int)((int64_t)(b + 1) * n / nbatch);
    batch[b] = mean_of(to - from, stride, values + (size_t)from * (size_t)stride) - *mean;
    square += batch[b] * batch[b];
    if (b) product += batch[b] * batch[b - 1];
  }
  /* a first-order process with this correlation from batch to batch */
  double along = square > 0.0 ? fmin(fmax(product / square, 0.0), 0.9) : 0.0;
  *error = sqrt(square / (nbatch - 1.0) / nbatch * (1.0 + along) / (1.0 - along));
}

/* ---- samples ------------------------------------------------------------------------------------------- */

static double *sample(const job *j, int k)
{
  return j->point->samples + (size_t)k * (size_t)j->width;
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

/* Where the means of the parts scatter by more than allowed, they must have no trend that stands out of the
 * scatter. */
bool cap_stationary_point_steady(int n, int stride, const double *values, double largest, double tolerance)
{
  double low = INFINITY, high = -INFINITY, mean = 0.0, part[CHUNKS], trend = 0.0, rest = 0.0;
  if (n < CHUNKS) return false;
  for (int c = 0; c < CHUNKS; c++) {
    int a = (int)((int64_t)c * n / CHUNKS), b = (int)((int64_t)(c + 1) * n / CHUNKS);
    part[c] = mean_of(b - a, stride, values + (size_t)a * (size_t)stride);
    low = fmin(low, part[c]);
    high = fmax(high, part[c]);
    mean += part[c] / CHUNKS;
  }
  double allowed = tolerance * fmax(fabs(mean), 0.01 * largest), squares = 0.0;
  if (high - low <= allowed) return true;
  if (!(high - low <= SCATTER * allowed)) return false;
  for (int c = 0; c < CHUNKS; c++) {
    double x = c - 0.5 * (CHUNKS - 1);
    trend += x * part[c];
    squares += x * x;
  }
  trend /= squares;
  for (int c = 0; c < CHUNKS; c++) {
    double miss = part[c] - mean - trend * (c - 0.5 * (CHUNKS - 1));
    rest += miss * miss;
  }
  double error = sqrt(rest / (CHUNKS - 2) / squares);
  return fabs(trend) * (CHUNKS - 1) <= fmax(0.5 * allowed, error * (CHUNKS - 1));
}

static bool steady(const job *j, int channel, int from, int to)
{
  double largest = 0.0; /* what vanishes in the mean is looked at against what it has been */
  for (int k = 0; k < j->point->nsample; k++) largest = fmax(largest, fabs(sample(j, k)[1 + channel]));
  return cap_stationary_point_steady(to - from, j->width, sample(j, from) + 1 + channel, largest,
                                     j->plan->tolerance);
}

static bool all_steady(const job *j, int from, int to)
{
  for (int k = 0; k < j->plan->nwatch; k++)
    if (!steady(j, j->plan->watch[k], from, to)) return false;
  return true;
}

bool cap_stationary_point_stays(int n, int stride, const double *values, double tolerance)
{
  int half = n / 2;
  double first, second, first_error, second_error;
  if (half < 1) return false;
  cap_stationary_point_mean(half, stride, values, &first, &first_error);
  cap_stationary_point_mean(n - half, stride, values + (size_t)half * (size_t)stride, &second, &second_error);
  double allowed = tolerance * 0.5 * (fabs(first) + fabs(second));
  return fabs(first - second) <= fmax(allowed, 3.0 * hypot(first_error, second_error));
}

static bool no_drift(const job *j, int from, int to)
{
  for (int k = 0; k < j->plan->nwatch; k++)
    if (!cap_stationary_point_stays(to - from, j->width, sample(j, from) + 1 + j->plan->watch[k],
                                    j->plan->tolerance))
      return false;
  return true;
}

/* Macro slip: the mean slip of a pulley over a part of the window is beyond what creep makes. */
static bool slips(const job *j)
{
  const cap_stationary_point *p = j->point;
  int n = samples_of(j, j->plan->window / CHUNKS);
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
    cap_stationary_point_mean(to - from + 1, j->width, a + 1 + c, &p->mean[c], &p->error[c]);
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

static cap_status follow(job *j, cap_stepper *stepper, const cap_progress *progress)
{
  const cap_stationary_point_plan *plan = j->plan;
  cap_stationary_point *p = j->point;
  int window = samples_of(j, plan->window), average = samples_of(j, plan->average),
      limit = samples_of(j, plan->limit), lead = samples_of(j, plan->lead), from = -1;
  CAP_TRY(take(j));
  for (int k = 1; k <= limit; k++) {
    if (cap_progress_stopped(progress))
      return cap_status_fail(j->error, CAP_STOPPED, "interrupted at t = %.6g s", *j->d->t);
    double t = p->start + k * plan->every;
    CAP_TRY(cap_stepper_advance(stepper, j->m, j->d, &t, NULL, j->error));
    CAP_TRY(take(j));
    if (slips(j)) {
      p->end = CAP_STATIONARY_SLIPS;
      p->settled = k * plan->every / plan->turn;
      conclude(j, k > average ? k - average : 0, k);
      return CAP_OK;
    }
    if (from < 0 && k >= lead + window && all_steady(j, k - window, k)) from = k - window;
    if (from < 0 || k - from < average) continue;
    if (no_drift(j, from, k)) {
      p->end = CAP_STATIONARY_REACHED;
      p->settled = from * plan->every / plan->turn;
      conclude(j, from, k);
      return CAP_OK;
    }
    from = all_steady(j, k - window, k) ? k - window : -1; /* it moved on after all */
  }
  p->end = CAP_STATIONARY_MISSED;
  p->settled = plan->limit;
  conclude(j, limit > average ? limit - average : 0, limit);
  return CAP_OK;
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
  j.width = point->width = 1 + point->nchannel + point->nmech + LINES + PULLEYS;
  point->start = *d->t;
  point->settled = NAN;
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
