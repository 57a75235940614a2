/* analysis/observe/spectrum.c — see spectrum.h. */
#include "analysis/observe/spectrum.h"
#include "base/whole.h"
#include "linalg/fft.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_SAMPLES = 8 };

static const double MOST_VALUES = 5e7; /* 400 MB */

static const char *const windows[] = {"hann", "flattop", "none", NULL};

const cap_field cap_spectrum_fields[] = {
    {.key = "channels",
     .kind = CAP_FIELD_TEXTS,
     .offset = offsetof(cap_spectrum_spec, channels),
     .required = true,
     .least = 1,
     .most = 1000,
     .example = "[\"span.*.tension\"]",
     .means = CAP_MEANS_CHANNEL,
     .doc = "names or patterns of the channels; they need not be listed in outputs.channels"},
    {.key = "from",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_spectrum_spec, from),
     .present = 1 + offsetof(cap_spectrum_spec, from_given),
     .unit = "s",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "0.25 s",
     .doc = "start of the transformed interval; default: start of the run"},
    {.key = "until",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_spectrum_spec, until),
     .present = 1 + offsetof(cap_spectrum_spec, until_given),
     .unit = "s",
     .low = -INFINITY,
     .high = INFINITY,
     .example = "0.35 s",
     .doc = "end of the transformed interval; default: end of the run"},
    {.key = "window",
     .kind = CAP_FIELD_CHOICE,
     .offset = offsetof(cap_spectrum_spec, window),
     .choices = windows,
     .fallback = "hann",
     .example = "hann",
     .doc =
         "window: hann (separates close lines), flattop (accurate amplitudes) or none (for whole periods)"},
    {.key = "up_to",
     .kind = CAP_FIELD_REAL,
     .offset = offsetof(cap_spectrum_spec, up_to),
     .present = 1 + offsetof(cap_spectrum_spec, up_to_given),
     .unit = "Hz",
     .low = 0,
     .low_open = true,
     .high = INFINITY,
     .example = "1 kHz",
     .doc = "highest frequency in the spectrum; default: half the sampling rate of the rows"},
    {0}};

/* Rows from `first` on that stand at equal distances;
 * of them a number that transforms well, the last ones. */
static void plan(cap_spectrum *s, double t_start, double t_end, int64_t nrow)
{
  double from = s->spec->from_given ? s->spec->from : t_start;
  int64_t first = capm_whole_wide(ceil((from - t_start) / s->every * (1.0 - 1e-12)), 0, nrow);
  bool whole = fabs(t_start + (double)(nrow - 1) * s->every - t_end) < 1e-6 * s->every;
  int64_t end = whole ? nrow : nrow - 1;
  if (s->spec->until_given && s->spec->until < t_end) {
    double before = ceil((s->spec->until - t_start) / s->every * (1.0 - 1e-12)); /* rows before that time */
    end = capm_whole_wide(before, 0, end);
  }
  int64_t count = end > first ? end - first : 0;
  s->nsample = capm_fft_length(count > 1000000000 ? 1000000000 : (int)count);
  s->first = end - s->nsample;
}

cap_status cap_spectrum_create(cap_run *run, const cap_spectrum_spec *spec, double t_start, double t_end,
                               double every, int64_t nrow, cap_spectrum *s)
{
  *s = (cap_spectrum){.spec = spec, .every = every};
  if (!spec->channels.n) return CAP_OK;
  plan(s, t_start, t_end, nrow);
  CAP_TRY(cap_channels_select(&s->channels, run->model, &spec->channels, run->error));
  if (s->nsample < LEAST_SAMPLES)
    return cap_status_fail(run->error, CAP_ERR_INPUT,
                           "spectrum: too few rows; expected at least %d, got %lld; reduce outputs.every",
                           LEAST_SAMPLES, (long long)s->nsample);
  if (!((double)s->nsample * s->channels.n <= MOST_VALUES))
    return cap_status_fail(run->error, CAP_ERR_INPUT,
                           "spectrum: %d channels of %lld rows exceed the limit; expected at most %.0f "
                           "values; reduce the number of channels, or increase outputs.every",
                           s->channels.n, (long long)s->nsample, MOST_VALUES);
  s->samples = calloc((size_t)s->nsample * (size_t)s->channels.n, sizeof(double));
  s->values = calloc((size_t)s->channels.n, sizeof(double));
  return s->samples && s->values ? CAP_OK : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
}

void cap_spectrum_free(cap_spectrum *s)
{
  cap_channels_free(&s->channels);
  free(s->samples);
  free(s->values);
  *s = (cap_spectrum){0};
}

cap_view cap_spectrum_view(const cap_spectrum *s)
{
  return (cap_view){"spectrum", "1", "samples of the spectra", false, s->nsample * s->channels.n, s->samples};
}

void cap_spectrum_take(cap_spectrum *s, const cap_run *run, int64_t row)
{
  int64_t at = row - s->first;
  if (!s->nsample || at < 0 || at >= s->nsample) return;
  cap_channels_values(&s->channels, run->model, run->data, s->values);
  for (int c = 0; c < s->channels.n; c++) s->samples[c * s->nsample + at] = s->values[c];
}

static cap_status put_line(cap_spectrum *s, cap_run *run, int c, int64_t nline, double *amplitude)
{
  char name[300], text[400];
  const cap_column *of = &s->channels.columns[c];
  if (capm_fft_amplitudes((int)s->nsample, s->samples + c * s->nsample, (capm_fft_window)s->spec->window,
                          amplitude) != CAP_OK)
    return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  snprintf(name, sizeof name, "spectrum.%s", of->name);
  snprintf(text, sizeof text, "amplitudes of %s", of->long_name);
  cap_column column = {name, of->unit, text};
  return run->sink->array(run->sink, column, 1, &nline, "spectrum.frequency", amplitude);
}

static cap_status put_lines(cap_spectrum *s, cap_run *run, double *frequency, double *amplitude)
{
  int64_t nline = 0;
  double apart = 1.0 / ((double)s->nsample * s->every);
  for (int64_t k = 0; k <= s->nsample / 2; k++) {
    frequency[k] = (double)k * apart;
    if (!s->spec->up_to_given || frequency[k] <= s->spec->up_to * (1.0 + 1e-12)) nline = k + 1;
  }
  CAP_TRY(run->sink->array(run->sink, (cap_column){"spectrum.frequency", "Hz", "frequency"}, 1, &nline, NULL,
                           frequency));
  CAP_TRY(run->sink->text(run->sink, "spectrum.window", windows[s->spec->window]));
  for (int c = 0; c < s->channels.n; c++) CAP_TRY(put_line(s, run, c, nline, amplitude));
  cap_progress_note(run->progress, "transient: spectra of %d channels from %lld rows, lines %.4g Hz apart",
                    s->channels.n, (long long)s->nsample, apart);
  return CAP_OK;
}

cap_status cap_spectrum_put(cap_spectrum *s, cap_run *run)
{
  if (!s->nsample) return CAP_OK;
  size_t room = (size_t)(s->nsample / 2 + 1);
  double *frequency = calloc(room, sizeof *frequency), *amplitude = calloc(room, sizeof *amplitude);
  cap_status status = frequency && amplitude ? put_lines(s, run, frequency, amplitude)
                                             : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  free(frequency);
  free(amplitude);
  return status;
}

void cap_spectrum_check(const cap_spectrum_spec *spec, const cap_model *m, double until, const char *path,
                        cap_diag *diag)
{
  char key[512];
  cap_channels found;
  cap_error error = {0};
  if (!spec->channels.n) return;
  snprintf(key, sizeof key, "%s.spectrum.channels", path);
  if (cap_channels_select(&found, m, &spec->channels, &error) != CAP_OK)
    cap_diag_at(diag, key, "%s", error.text);
  cap_channels_free(&found);
  double end = spec->until_given && spec->until < until ? spec->until : until;
  snprintf(key, sizeof key, "%s.spectrum.from", path);
  if (spec->from_given && !(spec->from < end))
    cap_diag_at(diag, key, "expected a time before the end (%s), got %s",
                cap_diag_quantity(diag, key, end, "s"), cap_diag_quantity(diag, key, spec->from, "s"));
}

void cap_spectrum_check_rows(const cap_spectrum_spec *spec, double t_start, double t_end, double every,
                             const char *path, cap_diag *diag)
{
  double rows = ceil((t_end - t_start) / every * (1.0 - 1e-12)) + 1.0;
  cap_spectrum s = {.spec = spec, .every = every};
  if (!spec->channels.n || !(rows < 1e9) || (spec->from_given && !(spec->from < t_end))) return;
  plan(&s, t_start, t_end, (int64_t)rows);
  if (s.nsample < LEAST_SAMPLES)
    cap_diag_at(diag, path,
                "too few rows for the spectrum; expected at least %d in its interval, got %lld; reduce "
                "outputs.every, or extend the interval",
                LEAST_SAMPLES, (long long)s.nsample);
}

/* ---- as an observer ------------------------------------------------------------------------------------ */

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  return cap_spectrum_create(run, plan->keys, plan->start, plan->until, plan->every, plan->nrow, self);
}

static cap_status take(void *self, const cap_run *run, int64_t row, const double *force)
{
  (void)force; /* its channels compute their own */
  cap_spectrum_take(self, run, row);
  return CAP_OK;
}

static int views_of(const void *self, cap_view *views)
{
  const cap_spectrum *s = self;
  if (s->nsample) views[0] = cap_spectrum_view(s);
  return s->nsample > 0;
}

static cap_status put(void *self, cap_run *run, const char *what)
{
  (void)what;
  return cap_spectrum_put(self, run);
}

static void destroy(void *self)
{
  cap_spectrum_free(self);
}

static void check(const void *keys, const cap_model *m, double until, const char *path, cap_diag *diag)
{
  cap_spectrum_check(keys, m, until, path, diag);
}

const cap_observer_type cap_spectrum_observer = {
    .name = "spectrum",
    .size = sizeof(cap_spectrum),
    .create = create,
    .take = take,
    .views = views_of,
    .put = put,
    .free = destroy,
    .check = check,
};
