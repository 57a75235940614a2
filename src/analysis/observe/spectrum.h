/* analysis/observe/spectrum.h — amplitude spectra of channels over a part of a transient.
 *
 * Maths:   docs/theory.md §32.5; linalg/fft.h transforms.
 *
 * The rows of the transient are the samples, so that outputs.every sets the highest frequency; what the
 * motion has above it is folded down. The samples are part of the checkpoints: a resumed run has the same
 * spectra.
 */
#pragma once
#include "analysis/observe/channels.h"
#include "analysis/observe/observers.h"

typedef struct cap_spectrum_spec {
  cap_texts channels; /* names or patterns; none: no spectra */
  double from, until; /* s: samples from this time on and before that one */
  double up_to;       /* Hz: lines above it are not written */
  int window;         /* capm_fft_window */
  bool from_given, until_given, up_to_given;
} cap_spectrum_spec;

extern const cap_field cap_spectrum_fields[];

typedef struct cap_spectrum {
  const cap_spectrum_spec *spec;
  cap_channels channels;
  int64_t first, nsample; /* row of the first sample; number of samples */
  double every;           /* s */
  double *samples;        /* [channels.n][nsample] */
  double *values;         /* [channels.n] scratch */
} cap_spectrum;

/* For rows 0 to nrow - 1, `every` apart from t_start on, of which the last may come sooner (t_end). An empty
 * spec makes an empty spectrum. Free it in any case. */
cap_status cap_spectrum_create(cap_run *run, const cap_spectrum_spec *spec, double t_start, double t_end,
                               double every, int64_t nrow, cap_spectrum *s);
void cap_spectrum_free(cap_spectrum *s);

/* The samples, for a checkpoint. */
cap_view cap_spectrum_view(const cap_spectrum *s);

/* Take the sample of a row from the state of run->data. */
void cap_spectrum_take(cap_spectrum *s, const cap_run *run, int64_t row);

/* Arrays spectrum.frequency and spectrum.CHANNEL into the open group. */
cap_status cap_spectrum_put(cap_spectrum *s, cap_run *run);

/* What is wrong with the keys, for a transient that ends at `until`. */
void cap_spectrum_check(const cap_spectrum_spec *spec, const cap_model *m, double until, const char *path,
                        cap_diag *diag);

/* Whether rows `every` apart are enough; the finding is at `path`. */
void cap_spectrum_check_rows(const cap_spectrum_spec *spec, double t_start, double t_end, double every,
                             const char *path, cap_diag *diag);

extern const cap_observer_type cap_spectrum_observer;
