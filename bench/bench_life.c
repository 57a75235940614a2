/* bench/bench_life.c — indicators of life and noise at one speed (damage, entry angles, frequencies of spans)
 * of the 6PK1940 drive, and amplitude spectra over their length. */
#include "../tests/support/belt.h"
#include "bench.h"
#include "drives/accessory/belt/belt_life.h"
#include "drives/accessory/belt/belt_noise.h"
#include "linalg/fft.h"

#include <stdlib.h>

typedef struct indicators {
  belt_case drive;
  cap_belt_statics s;
  double sum;
} indicators;

static void run_indicators(void *self)
{
  static const cap_belt_life_fatigue law = {
      .exponent = 5.6, .groove = 1.0, .back = 0.31, .tension_exponent = 1.13, .halving = 23.0};
  indicators *w = self;
  cap_belt_life_damage damage;
  cap_belt_noise_entry entries[CAP_BELT_PATH_MOST];
  cap_belt_life_pass pass = cap_belt_life_running(&w->drive.belt, &w->s);
  cap_belt_life_miner(&law, &pass, &damage);
  cap_belt_noise_entries(&w->drive.belt, &w->s.path, entries);
  w->sum += damage.rate + entries[0].entry;
  for (int i = 0; i < w->s.n; i++) w->sum += cap_belt_noise_frequency(&w->drive.belt, &w->s, i, 1);
}

typedef struct record {
  int n;
  double *x, *y, *amplitude; /* [n], [n], [n/2 + 1] */
} record;

static void run_spectrum(void *self)
{
  record *r = self;
  for (int k = 0; k < r->n; k++) r->y[k] = r->x[k];
  if (capm_fft_amplitudes(r->n, r->y, CAPM_FFT_HANN, r->amplitude) != CAP_OK) abort();
}

int main(int argc, char **argv)
{
  static const int lengths[] = {1000, 4096, 10000, 100000, 1000000};
  static indicators w;
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  cap_belt_statics_case which = {.arm = CAP_BELT_STATICS_FREE, .speed = 209.4395102};
  belt_6pk1940(&w.drive);
  if (cap_belt_statics_solve(&w.drive.belt, &which, &w.s, NULL) != CAP_OK) abort();
  bench_row(&table, "indicators at a speed", w.s.n, bench_best(run_indicators, &w, 0.2) * 1e9, "ns");
  for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++) {
    record r = {.n = lengths[k]};
    size_t bytes = (size_t)r.n * sizeof(double);
    r.x = malloc(bytes), r.y = malloc(bytes), r.amplitude = malloc(bytes);
    if (!r.x || !r.y || !r.amplitude) abort();
    for (int i = 0; i < r.n; i++) r.x[i] = sin(0.1 * i) + 0.1 * sin(1.7 * i);
    bench_row(&table, "amplitude spectrum, a sample", r.n, bench_best(run_spectrum, &r, 0.3) / r.n * 1e9,
              "ns");
    free(r.x), free(r.y), free(r.amplitude);
  }
  return bench_close(&table);
}
