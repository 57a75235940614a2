/* Harmonic balance: residual with Jacobian, stability, a point of a response, against harmonics, samples and
 * degrees of freedom, beside a point by shooting; whole curves. */
#include "analysis/orbit/orbit.h"
#include "bench.h"
#include "elements/elements.h"
#include "hb/hb_curve.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "hb/hb_stability.h"
#include "linalg/lapack.h"
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>

typedef struct work {
  cap_model *m;
  cap_hb *hb;
  cap_hb_stability *stability;
  double *x, *start, *r, *J, *w, angular_frequency;
  cap_data *data; /* of shooting */
  cap_orbit *orbit;
  cap_stepper stepper;
  int failed;
} work;

/* The oscillator of Kim, Rook and Singh (case 1) at the end of a chain of ndof masses. */
static cap_model *oscillator(int ndof, int kind, double sigma, double angular_frequency)
{
  cap_model *m = NULL;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  if (!b) return NULL;
  capm_clearance law = {.kind = kind, .sigma = sigma, .width = 0.1745 / sigma, .nstage = 2};
  law.at[0] = law.low = -0.1745;
  law.at[1] = law.high = 0.1745;
  law.jump[0] = -1.0;
  law.jump[1] = 1.0;
  capm_clearance_finish(&law, 1.0);
  double par[CAP_CLEARANCE_NPARAM], link[CAP_LINK_NPARAM] = {0.0, 0.05, 0.0};
  double load[CAP_LOAD_NPARAM] = {0.05, 0.008, angular_frequency, 0.0};
  cap_clearance_params(&law, par);
  cap_term position = {CAP_TERM_Q, 0, 1.0};
  for (int i = 0; i < ndof; i++) cap_builder_dof(b, "q", "m", 1.0, 0.2245, 0.0);
  cap_builder_element(b, &cap_clearance_type, "gap", 0, CAP_GROUND, par, NULL);
  cap_builder_element(b, &cap_link_type, "damper", 0, CAP_GROUND, link, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  double coupling[CAP_LINK_NPARAM] = {100.0, 0.1, 0.0};
  for (int i = 1; i < ndof; i++) cap_builder_element(b, &cap_link_type, "link", i, i - 1, coupling, NULL);
  cap_builder_channel(b, "q", "m", "position", 1, &position);
  cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fprintf(stderr, "%s\n", error.text);
  cap_builder_free(b);
  return m;
}

/* A belt-tensioner-mass system with one slider or a Dahl element. */
static cap_model *tensioner(int dahl, double force, double angular_frequency)
{
  cap_model *m = NULL;
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  if (!b) return NULL;
  double belt[CAP_LINK_NPARAM] = {560e3, 160, 0}, load[CAP_LOAD_NPARAM] = {0, force, angular_frequency, 0};
  double weight = 73.84 * 9.81, spring[CAP_LINK_NPARAM] = {2.34e5, 1.93e4 * 9.4 / angular_frequency, 573};
  double law[CAP_DAHL_NPARAM] = {7.146e4, 959.6, 5.322e4, 397.2, 117355, 0.37}, middle = 678.4;
  cap_term position = {CAP_TERM_Q, 0, 1.0};
  cap_builder_dof(b, "mass", "m", 73.84, 0, 0);
  cap_builder_dof(b, "pulley", "m", 0.15, 0, 0);
  cap_builder_element(b, &cap_link_type, "belt", 0, 1, belt, NULL);
  cap_builder_element(b, &cap_load_type, "load", 0, CAP_GROUND, load, NULL);
  cap_builder_element(b, &cap_weight_type, "weight", 0, CAP_GROUND, &weight, NULL);
  if (dahl) cap_builder_element(b, &cap_dahl_type, "tensioner", 1, CAP_GROUND, law, &middle);
  else cap_builder_element(b, &cap_link_type, "tensioner", 1, CAP_GROUND, spring, NULL);
  if (!dahl) cap_builder_slider(b, "slider", 1, CAP_GROUND, 4.84e5, 163, 0);
  cap_builder_channel(b, "q", "m", "position", 1, &position);
  cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fprintf(stderr, "%s\n", error.text);
  cap_builder_free(b);
  return m;
}

static int open_work(work *s, cap_model *m, int harmonics, int samples)
{
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, samples, 1};
  cap_hb_newton_report report;
  *s = (work){.m = m};
  if (!m || cap_hb_create(m, 0, &settings, &s->hb, &error) != CAP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  size_t n = (size_t)s->hb->nunknown;
  s->angular_frequency = s->hb->angular_frequency;
  s->x = calloc(n * n + 4 * n, sizeof(double));
  if (!s->x) return 1;
  s->start = s->x + n;
  s->r = s->start + n;
  s->w = s->r + n;
  s->J = s->w + n;
  cap_hb_start(s->hb, s->x);
  if (cap_hb_newton_solve(s->hb, s->x, s->angular_frequency, NULL, &report, &error) != CAP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  for (size_t i = 0; i < n; i++) s->start[i] = s->x[i] * 1.001;
  if (cap_hb_stability_create(s->hb, &s->stability, &error) != CAP_OK) s->stability = NULL;
  return 0;
}

static void close_work(work *s)
{
  cap_hb_stability_free(s->stability);
  cap_hb_free(s->hb);
  cap_model_free(s->m);
  free(s->x);
}

/* A continuation changes the angular frequency with every evaluation, so that the linear part is condensed
   anew. */
static void evaluate(void *self)
{
  work *s = self;
  cap_error error;
  s->angular_frequency = s->angular_frequency == s->hb->angular_frequency
                             ? s->hb->angular_frequency * (1 + 1e-9)
                             : s->hb->angular_frequency;
  s->failed |= cap_hb_residual(s->hb, s->x, s->angular_frequency, s->r, s->J, s->w, &error) != CAP_OK;
}

static void multipliers(void *self)
{
  work *s = self;
  cap_error error;
  s->failed |= cap_hb_stability_find(s->stability, s->hb, s->x, s->angular_frequency, &error) != CAP_OK;
}

/* What a response writes about a point. */
static void output(void *self)
{
  work *s = self;
  cap_error error;
  cap_hb_wave wave;
  int channel = 0;
  s->failed |= cap_hb_output_wave(s->hb, s->x, s->angular_frequency, 1, &channel, &wave, &error) != CAP_OK;
  if (wave.values) s->r[0] = cap_hb_output_of(wave.nsample, wave.values).rms_ac;
  cap_arena_free(&wave.arena);
}

/* A point from a guess 1e-3 away, at another angular frequency than the last one. */
static void solve(void *self)
{
  work *s = self;
  cap_error error;
  cap_hb_newton_settings settings = {1e-8, 20};
  cap_hb_newton_report report;
  memcpy(s->x, s->start, sizeof(double) * (size_t)s->hb->nunknown);
  s->angular_frequency = s->angular_frequency == s->hb->angular_frequency
                             ? s->hb->angular_frequency * (1 + 1e-9)
                             : s->hb->angular_frequency;
  s->failed |= cap_hb_newton_solve(s->hb, s->x, s->angular_frequency, &settings, &report, &error) != CAP_OK;
}

/* Seconds of a point with (or without) stability. */
static int rows(bench_table *table, const char *name, long size, cap_model *m, int harmonics, int samples,
                double *seconds)
{
  work s;
  char label[96];
  if (open_work(&s, m, harmonics, samples)) return 1;
  snprintf(label, sizeof label, "%s: residual and Jacobian", name);
  bench_row(table, label, size, bench_best(evaluate, &s, 0.05) * 1e6, "us");
  snprintf(label, sizeof label, "%s: channel", name);
  bench_row(table, label, size, bench_best(output, &s, 0.05) * 1e6, "us");
  snprintf(label, sizeof label, "%s: point", name);
  bench_row(table, label, size, (*seconds = bench_best(solve, &s, 0.05)) * 1e6, "us");
  if (s.stability) {
    snprintf(label, sizeof label, "%s: multipliers", name);
    bench_row(table, label, size, bench_best(multipliers, &s, 0.05) * 1e6, "us");
  }
  int failed = s.failed;
  close_work(&s);
  return failed;
}

/* The same model by shooting: CVODE and Newton's method on the period map, from the state of the balance. */
static void shoot(void *self)
{
  work *s = self;
  cap_error error;
  cap_orbit_settings search = {.tolerance = 1e-6, .most = 50};
  double y[8];
  bool failed = s->m->nstate > 8 ||
                cap_hb_output_state(s->hb, s->start, s->angular_frequency, y, &error) != CAP_OK;
  if (!failed) memcpy(s->orbit->y, y, sizeof(double) * (size_t)s->m->nstate);
  failed = failed || cap_orbit_find(&s->stepper, s->m, s->data, &search, s->orbit, &error) != CAP_OK;
  s->failed |= failed || !s->orbit->converged[0];
}

static int shooting(bench_table *table, const char *name, cap_model *m)
{
  work s;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 1.0, .tolerance = 1e-8};
  if (open_work(&s, m, 12, 512)) return 1;
  s.data = cap_data_create(m);
  if (!s.data || cap_orbit_create(m, &s.orbit) != CAP_OK ||
      cap_stepper_create(&cap_cvode_type, m, &settings, &s.stepper, &error) != CAP_OK)
    return 1;
  bench_row(table, name, 1, bench_best(shoot, &s, 0.2) * 1e6, "us");
  int failed = s.failed;
  cap_stepper_free(&s.stepper);
  cap_orbit_free(s.orbit);
  cap_data_free(s.data);
  close_work(&s);
  return failed;
}

/* Exponent of the growth between neighbours in the table. */
static void growth(bench_table *table, const char *name, int count, const int *sizes, const double *seconds)
{
  for (int k = 1; k < count; k++)
    bench_row(table, name, sizes[k], log(seconds[k] / seconds[k - 1]) / log((double)sizes[k] / sizes[k - 1]),
              "exponent");
}

/* ---- a whole response curve ---------------------------------------------------------------------------- */

typedef struct curve_run {
  cap_hb_curve curve;
  cap_continuation *continuation;
  double *x;
  int npoint, nfold, failed;
} curve_run;

static bool count_point(void *self, const cap_continuation_point *point)
{
  curve_run *r = self;
  r->npoint++;
  r->nfold += point->kind == CAP_CONTINUATION_FOLD;
  return true;
}

static void follow(void *self)
{
  curve_run *r = self;
  cap_error error;
  cap_continuation_result result;
  cap_continuation_start start = {.x = r->x, .p = 0.1};
  r->npoint = r->nfold = 0;
  cap_hb_start(r->curve.hb, r->x);
  r->failed |= cap_continuation_run(r->continuation, &start, 1, count_point, r, &result, &error) != CAP_OK;
}

/* Case 1 from Omega = 0.1 to 1.6 in about 300 points, each with its multipliers, folds located. */
static int response_curve(bench_table *table, const char *name, int ndof, int kind, int samples)
{
  work s;
  char label[96];
  cap_error error = {0};
  curve_run r = {0};
  if (open_work(&s, oscillator(ndof, kind, 100, 0.1), 12, samples)) return 1;
  if (ndof > 1) { /* without multipliers */
    cap_hb_stability_free(s.stability);
    s.stability = NULL;
  }
  cap_continuation_options options = {.step = 0.02, .step_max = 0.0275, .p_min = 0.1, .p_max = 1.6};
  if (cap_hb_curve_open(s.hb, s.stability, 0.1, &r.curve) != CAP_OK) return 1;
  cap_continuation_problem problem = cap_hb_curve_problem(&r.curve, 1.0);
  if (cap_continuation_create(&problem, &options, &r.continuation, &error) != CAP_OK) return 1;
  r.x = s.x;
  double seconds = bench_best(follow, &r, 0.3);
  snprintf(label, sizeof label, "curve of case 1 %s: %d folds", name, r.nfold);
  bench_row(table, label, r.npoint, seconds * 1e3, "ms");
  cap_continuation_free(r.continuation);
  cap_hb_curve_close(&r.curve);
  close_work(&s);
  return r.failed || (ndof == 1 && r.nfold != 2);
}

int main(int argc, char **argv)
{
  bench_table table;
  int failed = 0;
  if (bench_open(&table, argc, argv)) return 1;
  /* size: harmonics */
  enum { SIZES = 5 };
  static const int harmonics[SIZES] = {3, 6, 12, 24, 48}, masses[SIZES] = {1, 2, 10, 50, 200};
  double smooth[SIZES], exact[SIZES], other;
  capm_lapack_one_thread();
  for (int k = 0; k < SIZES; k++) {
    int h = harmonics[k], samples = h <= 12 ? 512 : 40 * h;
    failed |= rows(&table, "g1 sigma 100", h, oscillator(1, CAPM_SMOOTHING_G1, 100, 1.0), h, samples,
                   &smooth[k]);
    failed |= rows(&table, "exact", h, oscillator(1, CAPM_SMOOTHING_ABS, 100, 1.0), h, samples, &exact[k]);
  }
  growth(&table, "g1 sigma 100: growth of a point", SIZES, harmonics, smooth);
  growth(&table, "exact: growth of a point", SIZES, harmonics, exact);
  failed |= shooting(&table, "g1 sigma 100: point by shooting", oscillator(1, CAPM_SMOOTHING_G1, 100, 1.0));
  failed |= rows(&table, "g1 sigma 100 2048 samples", 12, oscillator(1, CAPM_SMOOTHING_G1, 100, 1.0), 12,
                 2048, &other);
  failed |= rows(&table, "g3 sigma 100", 12, oscillator(1, CAPM_SMOOTHING_G3, 100, 1.0), 12, 512, &other);
  failed |= rows(&table, "masing tensioner", 11, tensioner(0, 120, 50), 11, 512, &other);
  failed |= rows(&table, "dahl tensioner", 47, tensioner(1, 120, 50), 47, 1024, &other);
  /* size: degrees of freedom */
  for (int k = 0; k < SIZES; k++) {
    int n = masses[k];
    failed |= rows(&table, "chain g1", n, oscillator(n, CAPM_SMOOTHING_G1, 100, 1.6), 12, 512, &smooth[k]);
    failed |= rows(&table, "chain exact", n, oscillator(n, CAPM_SMOOTHING_ABS, 100, 1.6), 12, 512, &exact[k]);
  }
  growth(&table, "chain g1: growth of a point", SIZES, masses, smooth);
  growth(&table, "chain exact: growth of a point", SIZES, masses, exact);
  /* size: points */
  failed |= response_curve(&table, "exact", 1, CAPM_SMOOTHING_ABS, 512);
  failed |= response_curve(&table, "g1 sigma 100", 1, CAPM_SMOOTHING_G1, 512);
  failed |= response_curve(&table, "g3 sigma 100", 1, CAPM_SMOOTHING_G3, 512);
  failed |= response_curve(&table, "g4 sigma 100 2048 samples", 1, CAPM_SMOOTHING_G4, 2048);
  failed |= response_curve(&table, "exact 200 masses no stability", 200, CAPM_SMOOTHING_ABS, 512);
  failed |= response_curve(&table, "g1 200 masses no stability", 200, CAPM_SMOOTHING_G1, 512);
  if (failed) fprintf(stderr, "a case failed\n");
  return bench_close(&table) || failed;
}
