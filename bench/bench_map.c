/* The map of Fig. 13: the steady orbits of the belt-tensioner-mass system for both laws, sixteen amplitudes
 * and 116 angular frequencies, 3712 orbits, from the example files to a result file on disk. Processor time
 * of one
 * thread; how it grows with the number of angular frequencies; and how far the ranges are from the
 * reference values
 * and from a run with a tolerance of 1e-7, so that speed is never bought with accuracy unseen. */
#include "bench.h"
#include "bench_model.h"
#include "io/results_read.h"
#include "linalg/lapack.h"

#include <math.h>
#include <unistd.h>

enum { AMPLITUDES = 16, ANGULAR_FREQUENCIES = 116, REPEAT = 5 };

static const char *const laws[] = {"masing", "dahl"};
static const char *const examples[] = {"tensioner_map", "tensioner_map_dahl"};
static const double amplitudes[AMPLITUDES] = {13,  27,  41,  54,  67,  79,  90,  100,
                                              110, 120, 140, 160, 200, 230, 260, 300};

/* Ranges of the belt tension [AMPLITUDES][angular_frequencies] from a result file; the caller frees. */
static double *read_ranges(const char *path)
{
  cap_results_file *file = NULL;
  cap_error error;
  double *values = NULL;
  bench_need(cap_results_read_open(path, &file, &error), &error);
  const cap_results_group *group = cap_results_tree_group(cap_results_read_tree(file), "response");
  const cap_results_dataset *lost = group ? cap_results_tree_dataset(group, "orbits.missed") : NULL;
  const cap_results_dataset *range = group ? cap_results_tree_dataset(group, "belt.tension.range") : NULL;
  if (!range || !lost || lost->number != 0.0) {
    fprintf(stderr, "the map is not whole\n");
    exit(1);
  }
  bench_need(cap_results_read_all(file, group, range, &values, NULL, &error), &error);
  cap_results_read_close(file);
  return values;
}

/* Processor seconds of one map, model file in, result file out; *ranges (or NULL) gets what it found. */
static double run_map(int law, int angular_frequencies, bool stability, double tolerance, double **ranges)
{
  char sweep[160], stable[80], tight[80], path[512];
  snprintf(sweep, sizeof sweep,
           "analyses[0].response.sweep={parameter: load.angular_frequency, from: 10 rad/s, to: 125 rad/s, "
           "count: %d}",
           angular_frequencies);
  snprintf(stable, sizeof stable, "analyses[0].response.stability=%s", stability ? "true" : "false");
  snprintf(tight, sizeof tight, "analyses[0].response.tolerance=%g", tolerance);
  snprintf(path, sizeof path, "%s/map_%s.h5", CAPSTAN_BENCH_DIR, laws[law]);
  const char *settings[] = {sweep, stable, tight};
  cap_execute_options options = {.threads = 1};
  cap_error error;
  double start = bench_cpu();
  cap_model_file *file = bench_example(examples[law], 3, settings);
  bench_need(cap_execute_file(file, path, &options, NULL, 0, &error), &error);
  cap_model_file_free(file);
  double took = bench_cpu() - start;
  if (ranges) *ranges = read_ranges(path);
  unlink(path);
  return took;
}

static double best_map(int law, int angular_frequencies, bool stability, int repeat)
{
  double best = INFINITY;
  for (int k = 0; k < repeat; k++)
    best = fmin(best, run_map(law, angular_frequencies, stability, 1e-4, NULL));
  return best;
}

/* Largest relative distance from the reference values of tests/data, at the points that it has. */
static double error_to_reference(int law, const double *ranges)
{
  char path[512], line[256], name[32];
  snprintf(path, sizeof path, "%s/tests/data/tensioner_map.csv", CAPSTAN_SOURCE_DIR);
  FILE *file = fopen(path, "r");
  double worst = 0.0, amplitude, angular_frequency, range;
  int seen = 0;
  while (file && fgets(line, sizeof line, file)) {
    if (sscanf(line, "%31[a-z],%lf,%lf,%lf", name, &amplitude, &angular_frequency, &range) != 4) continue;
    if (strcmp(name, laws[law]) != 0) continue;
    for (int a = 0; a < AMPLITUDES; a++)
      if (amplitudes[a] == amplitude) {
        double own = ranges[a * ANGULAR_FREQUENCIES + (int)lround(angular_frequency) - 10];
        worst = fmax(worst, fabs(own / range - 1.0));
        seen++;
      }
  }
  if (file) fclose(file);
  if (seen) return worst;
  fprintf(stderr, "no reference values in %s\n", path);
  exit(1);
}

static double error_to_ranges(const double *ranges, const double *reference)
{
  double worst = 0.0;
  for (int k = 0; k < AMPLITUDES * ANGULAR_FREQUENCIES; k++)
    worst = fmax(worst, fabs(ranges[k] / reference[k] - 1.0));
  return worst;
}

static void row(bench_table *table, const char *law, const char *what, long size, double value,
                const char *unit)
{
  char name[80];
  snprintf(name, sizeof name, "%s: %s", law, what);
  bench_row(table, name, size, value, unit);
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  capm_lapack_one_thread(); /* as the program does */
  int orbits = AMPLITUDES * ANGULAR_FREQUENCIES;
  double both[2] = {0.0, 0.0};
  for (int law = 0; law < 2; law++)
    for (int stability = 0; stability < 2; stability++) {
      double took = best_map(law, ANGULAR_FREQUENCIES, stability, REPEAT);
      both[stability] += took;
      const char *what = stability ? "whole map with multipliers" : "whole map";
      row(&table, laws[law], what, orbits, took, "s");
      row(&table, laws[law], stability ? "one orbit with multipliers" : "one orbit", orbits,
          1e6 * took / orbits, "us/orbit");
    }
  row(&table, "both laws", "whole map", 2 * orbits, both[0], "s");
  row(&table, "both laws", "whole map with multipliers", 2 * orbits, both[1], "s");

  for (int law = 0; law < 2; law++)
    for (int count = 15; count <= 464; count = 2 * count - (count == 15)) {
      double took = best_map(law, count, false, count > 200 ? 1 : 3);
      row(&table, laws[law], "orbit, by number of angular_frequencies", count,
          1e6 * took / (AMPLITUDES * count), "us/orbit");
    }

  for (int law = 0; law < 2; law++) {
    double *usual, *tight;
    run_map(law, ANGULAR_FREQUENCIES, false, 1e-4, &usual);
    run_map(law, ANGULAR_FREQUENCIES, false, 1e-7, &tight);
    row(&table, laws[law], "error to the reference values", orbits, error_to_reference(law, usual),
        "relative");
    row(&table, laws[law], "error to a run at 1e-7", orbits, error_to_ranges(usual, tight), "relative");
    row(&table, laws[law], "error of the run at 1e-7", orbits, error_to_reference(law, tight), "relative");
    free(usual);
    free(tight);
  }
  return bench_close(&table);
}
