/* Nonlinear modes and fold curves: what a point of a curve costs over the number of harmonics and of masses.
 * Modes: Duffing's oscillator, an exact gap, a slider, a chain with a gap at its end (condensed). Folds:
 * Duffing's oscillator and the oscillator with clearance, over the load. */
#include "bench.h"

#include "elements/elements.h"
#include "hb/hb_family.h"
#include "hb/hb_mode.h"
#include "model/builder.h"

#include <math.h>
#include <stdlib.h>

enum { DUFFING, GAP, SLIDER, CHAIN };

static void add_gap(cap_builder *b, int i, double inner)
{
  capm_clearance gap = {.kind = CAPM_SMOOTHING_ABS, .nstage = 2, .at = {-0.1745, 0.1745}};
  double par[CAP_CLEARANCE_NPARAM];
  gap.jump[0] = inner - 1.0;
  gap.jump[1] = 1.0 - inner;
  gap.low = -0.1745;
  gap.high = 0.1745;
  capm_clearance_finish(&gap, 1.0);
  cap_clearance_params(&gap, par);
  cap_builder_element(b, &cap_clearance_type, "gap", i, CAP_GROUND, par, NULL);
}

/* Masses in a row, the law between the last and the ground; load and mean on it. */
static cap_model *build(int law, int masses, double angular_frequency, double amplitude, double mean,
                        double damping)
{
  cap_builder *b = cap_builder_create(1);
  cap_model *m = NULL;
  cap_error error = {0};
  double link[CAP_LINK_NPARAM] = {law == GAP ? 0.0 : 1.0, damping, 0.0},
         between[CAP_LINK_NPARAM] = {400.0, 4.0, 0.0};
  double powers[CAP_POLYNOMIAL_NPARAM] = {0.0, 0.5, 0.0},
         load[CAP_LOAD_NPARAM] = {mean, amplitude, angular_frequency, 0.0};
  if (!b) return NULL;
  for (int i = 0; i < masses; i++) {
    cap_builder_dof(b, "mass", "m", 1.0, i == masses - 1 ? mean : 0.0, 0.0);
    if (i) cap_builder_element(b, &cap_link_type, "between", i, i - 1, between, NULL);
  }
  cap_builder_element(b, &cap_link_type, "spring", 0, CAP_GROUND, link, NULL);
  if (law == DUFFING)
    cap_builder_element(b, &cap_polynomial_type, "cubic", masses - 1, CAP_GROUND, powers, NULL);
  if (law == GAP || law == CHAIN) add_gap(b, masses - 1, law == GAP ? 0.18 : 0.5);
  if (law == SLIDER) cap_builder_slider(b, "slider", masses - 1, CAP_GROUND, 0.5, 0.2, 0.0);
  cap_builder_element(b, &cap_load_type, "load", masses - 1, CAP_GROUND, load, NULL);
  cap_builder_period(b, 2.0 * M_PI / angular_frequency);
  if (cap_builder_finish(b, &m, &error) != CAP_OK) fprintf(stderr, "%s\n", error.text);
  cap_builder_free(b);
  return m;
}

/* ---- modes --------------------------------------------------------------------------------------------- */

typedef struct modes {
  cap_hb *hb;
  cap_hb_mode mode;
  cap_continuation *path;
  double *y;
  double least, most;
  long points;
  int failed;
} modes;

static bool count_mode(void *self, const cap_continuation_point *point)
{
  modes *s = self;
  double angular_frequency, ratio;
  cap_hb_mode_read(&s->mode, point->x, point->p, s->mode.x, &angular_frequency, &ratio);
  s->points++;
  return true;
}

static void follow_mode(void *self)
{
  modes *s = self;
  cap_continuation_start start = {.x = s->y, .p = log(s->least)};
  cap_continuation_result result;
  cap_error error;
  s->points = 0;
  s->failed |= cap_continuation_run(s->path, &start, 1, count_mode, s, &result, &error) != CAP_OK;
  s->failed |= result.end[0] != CAP_CONTINUATION_END_LIMIT;
}

static int time_mode(bench_table *table, const char *name, int law, int masses, int harmonics, int size,
                     double angular_frequency)
{
  modes s = {.least = 0.01, .most = 10.0};
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, 0, 1};
  double one = 1.0, zero = 0.0;
  cap_hb_mode_linear linear = {
      .angular_frequency = angular_frequency, .shape = &one, .weight = &one, .rest = &zero};
  cap_model *m = build(law, masses, 1.0, 0.0, 0.0, 0.0);
  if (!m || cap_hb_create_free(m, 0, &settings, 0, NULL, &s.hb, &error) != CAP_OK ||
      cap_hb_mode_open(s.hb, &linear, s.least, s.most, &s.mode, &error) != CAP_OK ||
      !(s.y = calloc((size_t)s.hb->nunknown + 2, sizeof *s.y)) ||
      cap_hb_mode_start(&s.mode, &linear, s.least, false, s.y, &error) != CAP_OK) {
    fprintf(stderr, "%s\n", error.text);
    return 1;
  }
  cap_continuation_problem problem = cap_hb_mode_problem(&s.mode);
  cap_continuation_options options = {
      .step = 0.05, .step_max = 0.1, .p_min = log(s.least), .p_max = log(s.most), .max_points = 5000};
  if (cap_continuation_create(&problem, &options, &s.path, &error) != CAP_OK) return 1;
  double seconds = bench_best(follow_mode, &s, 0.2);
  if (s.failed) fprintf(stderr, "%s: not followed to the end\n", name);
  else bench_row(table, name, size, seconds / (double)s.points * 1e6, "us/point");
  cap_continuation_free(s.path);
  cap_hb_mode_close(&s.mode);
  cap_hb_free(s.hb);
  cap_model_free(m);
  free(s.y);
  return s.failed;
}

/* ---- folds --------------------------------------------------------------------------------------------- */

typedef struct folds {
  int law;
  cap_hb_family family;
  double *x, p, q0, q1;
  long points;
  bool found;
  int failed;
} folds;

static cap_status build_at(void *self, double p, double q, cap_model **m, cap_error *error)
{
  const folds *s = self;
  (void)error;
  *m = s->law == DUFFING ? build(DUFFING, 1, p, q, 0.0, 0.1) : build(GAP, 1, p, q, 0.05, 0.05);
  return *m ? CAP_OK : CAP_ERR_NOMEM;
}

static bool count_fold(void *self, const cap_continuation_point *point)
{
  (void)point;
  ((folds *)self)->points++;
  return true;
}

static bool first_fold(void *self, const cap_continuation_point *point)
{
  folds *s = self;
  if (point->kind != CAP_CONTINUATION_FOLD) return true;
  for (int i = 0; i < s->family.hb->nunknown; i++) s->x[i] = point->x[i];
  s->p = point->p;
  s->found = true;
  return false;
}

static void follow_fold(void *self)
{
  folds *s = self;
  cap_continuation_family family = cap_hb_family_folds(&s->family);
  cap_continuation_options options = {
      .step = 0.05, .step_max = 0.1, .p_min = s->q0, .p_max = s->q1, .max_points = 2000, .tolerance = 1e-8};
  cap_continuation_result result;
  cap_error error;
  s->points = 0;
  s->failed |= cap_continuation_fold(&family, &options, s->x, s->p, s->q0, 1, count_fold, s, &result,
                                     &error) != CAP_OK;
}

static int time_fold(bench_table *table, const char *name, int law, int harmonics)
{
  folds s = {.law = law, .q0 = law == DUFFING ? 0.1 : 0.02, .q1 = law == DUFFING ? 0.4 : 0.03};
  cap_error error = {0};
  cap_hb_settings settings = {harmonics, 0, 1};
  cap_hb_family_source source = {build_at, &s, 0.15, 0.1 * (s.q1 - s.q0)};
  double from = law == DUFFING ? 0.8 : 1.5;
  s.x = calloc(2 * (size_t)harmonics + 1, sizeof *s.x);
  if (!s.x) return 1;
  s.x[0] = law == DUFFING ? 0.0 : 0.05;
  s.x[2] = 0.1;
  if (cap_hb_family_open(&source, &settings, s.x, from, s.q0, &s.family, &error) != CAP_OK) {
    fprintf(stderr, "%s: %s\n", name, error.text);
    return 1;
  }
  cap_continuation_problem problem = cap_hb_family_curve(&s.family, s.q0);
  cap_continuation_options options = {.step = 0.02, .step_max = 0.2, .p_min = 0.3, .p_max = 2.0};
  cap_continuation *path = NULL;
  cap_continuation_start start = {.x = s.x, .p = from};
  cap_continuation_result result;
  if (cap_continuation_create(&problem, &options, &path, &error) == CAP_OK)
    (void)cap_continuation_run(path, &start, law == DUFFING ? 1 : -1, first_fold, &s, &result, &error);
  cap_continuation_free(path);
  if (s.found) {
    double seconds = bench_best(follow_fold, &s, 0.2);
    bench_row(table, name, harmonics, seconds / (double)s.points * 1e6, "us/point");
  } else {
    fprintf(stderr, "%s: no fold: %s\n", name, error.text);
  }
  cap_hb_family_close(&s.family);
  free(s.x);
  return s.failed || !s.found;
}

int main(int argc, char **argv)
{
  static const int harmonics[] = {3, 6, 12, 24, 48}, masses[] = {1, 10, 50, 200};
  bench_table table;
  int failed = 0;
  if (bench_open(&table, argc, argv)) return 1;
  for (int k = 0; k < 5; k++) {
    failed |= time_mode(&table, "mode of Duffing, over harmonics", DUFFING, 1, harmonics[k], harmonics[k],
                        1.0);
    failed |= time_mode(&table, "mode of a gap, over harmonics", GAP, 1, harmonics[k], harmonics[k],
                        sqrt(0.18));
    failed |= time_mode(&table, "mode of a slider, over harmonics", SLIDER, 1, harmonics[k], harmonics[k],
                        sqrt(1.5));
  }
  for (int k = 0; k < 4; k++)
    failed |= time_mode(&table, "mode of a chain with a gap, over masses", CHAIN, masses[k], 12, masses[k],
                        sqrt(1.5 / masses[k]));
  for (int k = 0; k < 4; k++) {
    failed |= time_fold(&table, "folds of Duffing, over harmonics", DUFFING, harmonics[k]);
    failed |= time_fold(&table, "folds of a gap, over harmonics", GAP, harmonics[k]);
  }
  return bench_close(&table) | failed;
}
