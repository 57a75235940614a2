/* bench/bench.h — what every benchmark shares: a clock, repetition, and one table in two forms.
 *
 *   int main(int argc, char **argv)
 *   {
 *     bench_table table;
 *     if (bench_open(&table, argc, argv)) return 1;
 *     bench_row(&table, "exact stepper", 1, bench_best(run, &self, 0.2) / steps * 1e9, "ns/step");
 *     return bench_close(&table);
 *   }
 * The table goes to the terminal and, when a path is given as first argument, to that file as CSV with the
 * columns case, size, value, unit. Also usable from C++ (the programs that time a peer).
 */
#ifndef CAPSTAN_BENCH_H
#define CAPSTAN_BENCH_H
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct bench_table {
  FILE *csv; /* NULL: terminal only */
} bench_table;

/* Seconds of processor time of this process, all threads. */
static inline double bench_cpu(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Seconds on the wall. */
static inline double bench_wall(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double bench_batch(void (*run)(void *self), void *self, long calls)
{
  double start = bench_cpu();
  for (long i = 0; i < calls; i++) run(self);
  return bench_cpu() - start;
}

/* Processor seconds of one call of `run`: the best of at least three batches, after some to warm up, repeated
 * for `least` seconds. The best, because everything else on the machine can only make it slower. A batch is
 * long enough (1 ms) for the clock. */
static inline double bench_best(void (*run)(void *self), void *self, double least)
{
  long calls = 1;
  while (bench_batch(run, self, calls) < 1e-3 && calls < 1L << 30) calls *= 2;
  double best = 0.0, total = 0.0;
  for (int i = 0; i < 3 || total < least; i++) {
    double took = bench_batch(run, self, calls);
    total += took;
    if (i == 0 || took < best) best = took;
  }
  return best / (double)calls;
}

static inline int bench_open(bench_table *table, int argc, char **argv)
{
  table->csv = NULL;
  if (argc > 1) {
    table->csv = fopen(argv[1], "w");
    if (!table->csv) {
      fprintf(stderr, "%s: %s\n", argv[1], strerror(errno));
      return 1;
    }
    fprintf(table->csv, "case,size,value,unit\n");
  }
  printf("%-44s %10s %14s\n", "case", "size", "value");
  return 0;
}

/* `name` without commas; size 0 = not a matter of size. */
static inline void bench_row(bench_table *table, const char *name, long size, double value, const char *unit)
{
  printf("%-44s %10ld %14.5g %s\n", name, size, value, unit);
  fflush(stdout);
  if (table->csv) fprintf(table->csv, "%s,%ld,%.9g,%s\n", name, size, value, unit);
}

static inline int bench_close(bench_table *table)
{
  if (!table->csv) return 0;
  int failed = ferror(table->csv);
  if (fclose(table->csv)) failed = 1;
  if (failed) fprintf(stderr, "the benchmark's CSV could not be written\n");
  return failed ? 1 : 0;
}

#endif
