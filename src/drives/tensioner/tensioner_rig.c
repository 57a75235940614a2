/* drives/tensioner/tensioner_rig.c — a tensioner alone, its deflection imposed: eq. (27) of Bastien et al.,
 * or as measured.
 *
 * Measured motion is filtered without phase shift and resampled before a spline is laid through it, so that
 * the velocity that the laws need is that of the motion, not of the noise.
 */
#include "analysis/observe/filter.h"
#include "drives/drive.h"
#include "drives/registry.h"
#include "drives/tensioner/tensioner_law.h"

#include <math.h>
#include <stddef.h>

typedef enum motion_kind { MOTION_HARMONIC, MOTION_MEASURED, MOTION_INPUT } motion_kind;

enum { MOST_SAMPLES = 1000000 /* of a motion that is resampled */ };

typedef struct spec {
  cap_tensioner_law tensioner;
  struct {
    int kind;
    double mean, amplitude, angular_frequency, phase;
    cap_series series;
    double cutoff, rate, angular_frequency_hint;
    cap_input_key input;
  } deflection;
  double start;
} spec;

#define REAL(key_, member, unit_, ...)                                                                       \
  {                                                                                                          \
    .key = key_, .kind = CAP_FIELD_REAL, .offset = offsetof(spec, member) - BASE, .unit = unit_, __VA_ARGS__ \
  }
#define BASE offsetof(spec, deflection)

static const cap_field harmonic_fields[] = {
    REAL("mean", deflection.mean, "m", .fallback = "0 m", .example = "0.54 mm", .doc = "mean deflection x0"),
    REAL("amplitude", deflection.amplitude, "m", .required = true, .low = 0, .high = INFINITY,
         .example = "0.52 mm", .doc = "amplitude x1"),
    REAL("angular_frequency", deflection.angular_frequency, "rad/s", .required = true, .low = 0,
         .low_open = true, .high = INFINITY, .example = "9.4 rad/s", .was = "pulsation", .hertz = "frequency",
         .doc = "angular frequency Omega"),
    REAL("phase", deflection.phase, "rad", .fallback = "0 rad", .example = "4.8 rad", .doc = "phase phi"),
    {0}};

static const cap_field measured_fields[] = {
    {.key = "samples",
     .kind = CAP_FIELD_SERIES,
     .offset = offsetof(spec, deflection.series) - BASE,
     .unit = "m",
     .unit_x = "s",
     .required = true,
     .least = 8,
     .most = 10000000,
     .increasing = true,
     .example = "{file: loop.csv, x: time, y: deflection}",
     .doc = "deflection vs time, from a CSV file with units in its header or as pairs"},
    REAL("cutoff", deflection.cutoff, "1/s", .fallback = "0 1/s", .low = 0, .high = INFINITY,
         .example = "100 Hz", .doc = "cut-off frequency of the zero-phase low-pass filter; 0 = not filtered"),
    REAL("sample_rate", deflection.rate, "1/s", .fallback = "0 1/s", .low = 0, .high = INFINITY,
         .example = "1000 Hz", .was = "rate", .doc = "sampling rate after resampling; 0 = as measured"),
    REAL("angular_frequency", deflection.angular_frequency_hint, "rad/s", .fallback = "0 rad/s", .low = 0,
         .high = INFINITY, .example = "9.4 rad/s", .was = "pulsation", .hertz = "frequency",
         .doc = "angular frequency of the motion, for a damper scaled by c_angular_frequency; 0 = unknown"),
    {0}};
static const cap_field input_fields[] = {
    REAL("deflection", deflection.mean, "m", .required = true,
         .input = 1 + offsetof(spec, deflection.input) - BASE, .example = "0 mm",
         .doc = "deflection that whoever runs the rig sets; it begins at its start and does not jump"),
    REAL("angular_frequency", deflection.angular_frequency_hint, "rad/s", .fallback = "0 rad/s", .low = 0,
         .high = INFINITY, .example = "9.4 rad/s", .hertz = "frequency",
         .doc = "angular frequency of the motion, for a damper scaled by c_angular_frequency; 0 = unknown"),
    {0}};
#undef BASE
#define BASE 0

static const cap_variant motions[] = {
    {"harmonic", "harmonic motion x0 + x1 sin(Omega t + phi)", harmonic_fields},
    {"measured", "measured samples vs time, filtered and resampled", measured_fields},
    {"input", "an input, {input: NAME, start: VALUE}", input_fields},
    {0}};

static const cap_field fields[] = {
    {.key = "tensioner",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, tensioner),
     .variants = cap_tensioner_law_variants,
     .tag_key = "law",
     .required = true,
     .doc = "hysteresis law: force vs deflection"},
    {.key = "deflection",
     .kind = CAP_FIELD_VARIANT,
     .offset = offsetof(spec, deflection),
     .variants = motions,
     .tag_key = "motion",
     .required = true,
     .doc = "prescribed deflection"},
    REAL("start", start, "s", .fallback = "0 s", .example = "15.5 ms", .doc = "start time"),
    {0}};

static void check(const void *self, cap_diag *diag)
{
  const spec *s = self;
  cap_tensioner_law_check(&s->tensioner, "tensioner", diag);
  if (s->deflection.kind != MOTION_MEASURED) return;
  const cap_series *series = &s->deflection.series;
  double interval = (series->x[series->n - 1] - series->x[0]) / (series->n - 1);
  if (s->deflection.cutoff > 0.0 && s->deflection.cutoff * interval >= 0.5)
    cap_diag_at(diag, "deflection.cutoff", "expected a frequency below half the sampling rate (%s), got %s",
                cap_diag_quantity(diag, "deflection.cutoff", 0.5 / interval, "1/s"),
                cap_diag_quantity(diag, "deflection.cutoff", s->deflection.cutoff, "1/s"));
  double duration = series->x[series->n - 1] - series->x[0];
  if (s->deflection.rate * duration > MOST_SAMPLES)
    cap_diag_at(diag, "deflection.sample_rate", "expected a rate that gives at most %d samples (%s), got %s",
                MOST_SAMPLES,
                cap_diag_quantity(diag, "deflection.sample_rate", MOST_SAMPLES / duration, "1/s"),
                cap_diag_quantity(diag, "deflection.sample_rate", s->deflection.rate, "1/s"));
  if (s->start < series->x[0] || s->start >= series->x[series->n - 1])
    cap_diag_at(diag, "start", "expected a time within the samples (%s to %s), got %s",
                cap_diag_quantity(diag, "start", series->x[0], "s"),
                cap_diag_quantity(diag, "start", series->x[series->n - 1], "s"),
                cap_diag_quantity(diag, "start", s->start, "s"));
}

static void equal_steps(const cap_series *series, int n, double *x)
{
  double duration = series->x[series->n - 1] - series->x[0];
  for (int k = 0; k < n; k++) x[k] = series->x[0] + duration * k / (n - 1);
}

/* Equal steps (the filter needs them), the filter, and only then another rate: the other way round, noise
 * above half that rate would come back as slow motion. */
static cap_status measured_motion(const spec *s, cap_builder *b, cap_motion *motion, cap_error *error)
{
  const cap_series *series = &s->deflection.series;
  double duration = series->x[series->n - 1] - series->x[0], rate = s->deflection.rate;
  int n = series->n, m = rate > 0.0 ? 1 + (int)ceil(duration * rate) : n;
  cap_arena scratch = {0};
  double *x = CAP_ARENA_NEW(&scratch, double, n), *y = CAP_ARENA_NEW(&scratch, double, n);
  double *xm = CAP_ARENA_NEW(&scratch, double, m), *ym = CAP_ARENA_NEW(&scratch, double, m);
  cap_status status = x && y && xm && ym ? capm_filter_resample(n, series->x, series->y, n, y)
                                         : CAP_ERR_NOMEM;
  if (status == CAP_OK && s->deflection.cutoff > 0.0)
    status = capm_filter_lowpass(n, duration / (n - 1), s->deflection.cutoff, y, y);
  if (status == CAP_OK) {
    equal_steps(series, n, x);
    equal_steps(series, m, xm);
    status = capm_filter_resample(n, x, y, m, ym);
  }
  if (status == CAP_OK) status = cap_motion_sampled(cap_builder_arena(b), m, xm, ym, motion);
  cap_arena_free(&scratch);
  if (status != CAP_OK)
    return cap_status_fail(error, status, "deflection.samples: %s", cap_status_text(status));
  return CAP_OK;
}

static cap_status build(const void *self, cap_builder *b, cap_error *error)
{
  const spec *s = self;
  cap_builder_start(b, s->start);
  cap_motion motion = {.mean = s->deflection.mean,
                       .amplitude = s->deflection.amplitude,
                       .angular_frequency = s->deflection.angular_frequency,
                       .phase = s->deflection.phase};
  double angular_frequency = s->deflection.angular_frequency;
  if (s->deflection.kind == MOTION_MEASURED) {
    CAP_TRY(measured_motion(s, b, &motion, error));
    angular_frequency = s->deflection.angular_frequency_hint;
  } else if (s->deflection.kind == MOTION_INPUT) {
    motion.input = 1 + cap_builder_input(b, &s->deflection.input, s->deflection.mean, true);
    motion.factor = 1.0;
    angular_frequency = s->deflection.angular_frequency_hint;
  } else {
    cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  }
  int rod = cap_builder_driven(b, "rod", "m", &motion);
  double u0 = s->deflection.mean, v0, a0;
  if (!motion.input) cap_motion_at(&motion, NULL, s->start, &u0, &v0, &a0);
  cap_tensioner_parts parts;
  CAP_TRY(cap_tensioner_law_build(&s->tensioner, b, "tensioner", rod, u0, angular_frequency, &parts, error));
  return cap_tensioner_law_channels(&s->tensioner, b, "tensioner", rod, &parts, error);
}

static void summarise(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  bool measured = s->deflection.kind == MOTION_MEASURED;
  const cap_series *series = &s->deflection.series;
  bool harmonic = s->deflection.kind == MOTION_HARMONIC;
  double angular_frequency = harmonic ? s->deflection.angular_frequency
                                      : s->deflection.angular_frequency_hint;
  double low = s->deflection.mean - s->deflection.amplitude,
         high = s->deflection.mean + s->deflection.amplitude;
  (void)description, (void)model;
  for (int k = 0; measured && k < series->n; k++) {
    low = k ? fmin(low, series->y[k]) : series->y[k];
    high = k ? fmax(high, series->y[k]) : series->y[k];
  }
  cap_tensioner_law_summary(&s->tensioner, 0.5 * (low + high), angular_frequency, out);
  cap_summary_begin(out, "prescribed deflection");
  cap_summary_text(out, "motion", "%s", motions[s->deflection.kind].name);
  if (s->deflection.kind == MOTION_INPUT) {
    cap_summary_text(out, "input", "%s", s->deflection.input.name);
    cap_summary_number(out, "deflection at the start", "mm", s->deflection.mean);
    return;
  }
  cap_summary_number(out, "smallest deflection", "mm", low);
  cap_summary_number(out, "largest deflection", "mm", high);
  if (measured) {
    cap_summary_number(out, "samples", "", series->n);
    cap_summary_number(out, "duration", "s", series->x[series->n - 1] - series->x[0]);
    return;
  }
  cap_summary_number(out, "frequency", "Hz", angular_frequency / (2.0 * M_PI));
  cap_summary_number(out, "largest velocity", "mm/s", s->deflection.amplitude * angular_frequency);
}

static void draw(const void *self, const void *description, const cap_model *model, cap_drawing *d)
{
  const spec *s = self;
  (void)description, (void)model;
  d->scheme = true;
  cap_tensioner_law_summary_draw(&s->tensioner, 0.6, 3.4, d);
  cap_drawing_wall(d, 0.0, 0.6, 0.0, -0.6, -0.12);
  cap_drawing_line(d, CAP_DRAWING_ARM, 0.0, 0.0, 0.6, 0.0);
  cap_drawing_line(d, CAP_DRAWING_BELT, 3.4, 0.0, 4.2, 0.0);
  cap_drawing_arrow(d, 4.0, 0.25, 4.6, 0.25);
  if (s->deflection.kind == MOTION_MEASURED)
    cap_drawing_text(d, 4.2, 0.0, 1.0, 0.0, "rod\nmeasured deflection");
  else if (s->deflection.kind == MOTION_INPUT)
    cap_drawing_text(d, 4.2, 0.0, 1.0, 0.0, "rod\ninput %s", s->deflection.input.name);
  else
    cap_drawing_text(d, 4.2, 0.0, 1.0, 0.0, "rod\n%.4g ± %.4g mm\n%.4g Hz", 1e3 * s->deflection.mean,
                     1e3 * s->deflection.amplitude, s->deflection.angular_frequency / (2.0 * M_PI));
}

const cap_drive cap_tensioner_rig_drive = {
    .name = "tensioner-rig",
    .doc = "tensioner on a test rig: prescribed deflection, harmonic or measured, and the resulting force "
           "(Bastien et al., section 3)",
    .starter = "tensioner_rig",
    .fields = fields,
    .spec_size = sizeof(spec),
    .check = check,
    .build = build,
    .summarise = summarise,
    .draw = draw,
};
