/* The tensioner map of Fig. 13 (1856 orbits a law) by harmonic balance, Newton's method from angular
 * frequency to
 * angular frequency, beside the same orbits by shooting in the same run; and how far the tension ranges are
 * apart. */
#include "bench.h"
#include "bench_model.h"
#include "hb/hb_newton.h"
#include "hb/hb_output.h"
#include "io/results_read.h"
#include "linalg/lapack.h"

#include <math.h>
#include <unistd.h>

enum { AMPLITUDES = 16, ANGULAR_FREQUENCIES = 116, POINTS = AMPLITUDES * ANGULAR_FREQUENCIES };

static const char *const laws[] = {"masing", "dahl"};
static const char *const examples[] = {"tensioner_map", "tensioner_map_dahl"};
static const double amplitudes[AMPLITUDES] = {13,  27,  41,  54,  67,  79,  90,  100,
                                              110, 120, 140, 160, 200, 230, 260, 300};

/* Processor seconds of all orbits by shooting, from the example file to the result file. */
static double shoot(int law, double *ranges)
{
  char path[512];
  cap_execute_options options = {.threads = 1};
  cap_error error;
  snprintf(path, sizeof path, "%s/hb_map_%s.h5", CAPSTAN_BENCH_DIR, laws[law]);
  double start = bench_cpu();
  cap_model_file *model = bench_example(examples[law], 0, NULL);
  bench_need(cap_execute_file(model, path, &options, NULL, 0, &error), &error);
  cap_model_file_free(model);
  double took = bench_cpu() - start, *values = NULL;
  cap_results_file *file = NULL;
  bench_need(cap_results_read_open(path, &file, &error), &error);
  const cap_results_group *group = cap_results_tree_group(cap_results_read_tree(file), "response");
  const cap_results_dataset *range = group ? cap_results_tree_dataset(group, "belt.tension.range") : NULL;
  if (!range) exit(1);
  bench_need(cap_results_read_all(file, group, range, &values, NULL, &error), &error);
  memcpy(ranges, values, sizeof(double) * POINTS);
  free(values);
  cap_results_read_close(file);
  unlink(path);
  return took;
}

static cap_model *model_at(int law, double force, double angular_frequency)
{
  char amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  cap_model *m;
  cap_error error;
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", force);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  cap_model_file *file = bench_example(examples[law], 2, settings);
  bench_need(cap_execute_build(file, &m, &error), &error);
  cap_model_file_free(file);
  return m;
}

static double tension_range(cap_hb *hb, const double *x, double angular_frequency)
{
  cap_hb_wave wave;
  cap_error error;
  int channel = 0;
  bench_need(cap_hb_output_wave(hb, x, angular_frequency, 1, &channel, &wave, &error), &error);
  cap_hb_output o = cap_hb_output_of(wave.nsample, wave.values);
  cap_arena_free(&wave.arena);
  return o.high - o.low;
}

/* Processor seconds of all orbits of one amplitude, from the models on. */
static double walk(cap_model **models, int harmonics, int samples, double *ranges)
{
  cap_hb *hb;
  cap_error error;
  cap_hb_settings settings = {harmonics, samples, 1};
  cap_hb_newton_settings newton = {1e-6, 50};
  cap_hb_newton_report report;
  double start = bench_cpu();
  bench_need(cap_hb_create(models[0], 0, &settings, &hb, &error), &error);
  size_t n = (size_t)hb->nunknown;
  double *x = calloc(2 * n, sizeof *x), *before = x + n;
  if (!x) exit(1);
  cap_hb_start(hb, x);
  for (int p = 0; p < ANGULAR_FREQUENCIES; p++) {
    double angular_frequency = 10.0 + p;
    bench_need(cap_hb_update(hb, models[p], 0, &error), &error);
    for (size_t i = 0; i < n; i++) {
      double now = x[i];
      if (p > 1) x[i] = 2.0 * now - before[i];
      before[i] = now;
    }
    if (cap_hb_newton_solve(hb, x, angular_frequency, &newton, &report, &error) != CAP_OK) {
      memcpy(x, before, sizeof(double) * n);
      bench_need(cap_hb_newton_solve(hb, x, angular_frequency, &newton, &report, &error), &error);
    }
    ranges[p] = tension_range(hb, x, angular_frequency);
  }
  free(x);
  cap_hb_free(hb);
  return bench_cpu() - start;
}

static void map_by(bench_table *table, int law, int harmonics, int samples, const double *orbits)
{
  double seconds = 0.0, worst = 0.0, ranges[ANGULAR_FREQUENCIES];
  char name[96];
  for (int a = 0; a < AMPLITUDES; a++) {
    cap_model *models[ANGULAR_FREQUENCIES];
    double best = INFINITY;
    for (int p = 0; p < ANGULAR_FREQUENCIES; p++) models[p] = model_at(law, amplitudes[a], 10.0 + p);
    for (int repeat = 0; repeat < 3; repeat++) best = fmin(best, walk(models, harmonics, samples, ranges));
    for (int p = 0; p < ANGULAR_FREQUENCIES; p++) {
      worst = fmax(worst, fabs(ranges[p] / orbits[a * ANGULAR_FREQUENCIES + p] - 1.0));
      cap_model_free(models[p]);
    }
    seconds += best;
  }
  snprintf(name, sizeof name, "%s: whole map by harmonic balance", laws[law]);
  bench_row(table, name, harmonics, seconds, "s");
  snprintf(name, sizeof name, "%s: orbit by harmonic balance", laws[law]);
  bench_row(table, name, harmonics, 1e6 * seconds / POINTS, "us");
  snprintf(name, sizeof name, "%s: distance from the orbits", laws[law]);
  bench_row(table, name, harmonics, worst, "relative");
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  capm_lapack_one_thread();
  /* size: harmonics */
  static const int harmonics[2][4] = {{7, 11, 15, 31}, {15, 25, 47, 63}}, samples[2] = {256, 512};
  for (int law = 0; law < 2; law++) {
    double orbits[POINTS], best = INFINITY;
    char name[96];
    for (int repeat = 0; repeat < 3; repeat++) best = fmin(best, shoot(law, orbits));
    snprintf(name, sizeof name, "%s: whole map by shooting", laws[law]);
    bench_row(&table, name, 0, best, "s");
    for (int k = 0; k < 4; k++) map_by(&table, law, harmonics[law][k], samples[law], orbits);
  }
  return bench_close(&table);
}
