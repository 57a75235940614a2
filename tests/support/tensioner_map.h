/* The map of Fig. 13 (range of the belt tension over angular frequency and amplitude) by harmonic balance:
 * Newton's
 * method from angular frequency to angular frequency, harmonics by the estimate of what they leave out; and
 * the orbits that
 * it is compared with. Include after run.h. */
#pragma once
#include "hb/hb_newton.h"
#include "hb/hb_output.h"

#include <time.h>

enum { MAP_RUNGS = 4 };

typedef struct map_law {
  const char *name, *tensioner;
  int harmonics[MAP_RUNGS]; /* tried one after the other; 0 = no more */
  int samples;
} map_law;

static const map_law MAP_LAWS[2] = {{"masing", TEST_MASING, {7, 11, 15, 0}, 256},
                                    {"dahl", TEST_DAHL, {15, 25, 39, 63}, 512}};

typedef struct map_grid {
  int nforce, nangular_frequency;
  const double *force; /* N */
  double first, step;  /* rad/s */
} map_grid;

/* Ranges [force][angular_frequency] of the steady orbits, to be freed. */
static inline double *map_orbits(const map_law *law, const map_grid *g)
{
  char text[2048];
  int at = snprintf(
      text, sizeof text,
      "%s%sanalyses:\n  - response:\n      tolerance: 1e-7\n"
      "      sweep: {parameter: load.angular_frequency, from: %g rad/s, to: %g rad/s, count: %d}\n"
      "      family: {parameter: load.amplitude, values: [",
      TEST_BELT, law->tensioner, g->first, g->first + g->step * (g->nangular_frequency - 1),
      g->nangular_frequency);
  for (int f = 0; f < g->nforce; f++)
    at += snprintf(text + at, sizeof text - (size_t)at, "%s%g N", f ? ", " : "", g->force[f]);
  snprintf(text + at, sizeof text - (size_t)at, "]}\noutputs: {channels: [belt.tension]}\n");
  int64_t count;
  test_result r = test_result_run(text);
  assert_true(test_number(&r, "response", "orbits.missed") == 0.0);
  double *range = test_values(&r, "response", "belt.tension.range", &count);
  assert_true(count == g->nforce * g->nangular_frequency);
  test_result_close(&r);
  return range;
}

static inline test_system map_system(const map_law *law, double force, double angular_frequency)
{
  char text[1024], amplitude[64], speed[64];
  const char *settings[] = {amplitude, speed};
  snprintf(text, sizeof text, "%s%s%s", TEST_BELT, law->tensioner, TEST_ANY);
  snprintf(amplitude, sizeof amplitude, "load.amplitude=%.17g N", force);
  snprintf(speed, sizeof speed, "load.angular_frequency=%.17g rad/s", angular_frequency);
  return test_system_with(text, 2, settings);
}

/* One amplitude being followed: a balance for each rung, and the last two solutions in the largest. */
typedef struct map_walk {
  const map_law *law;
  int nrung, rung, seen;
  cap_hb *hb[MAP_RUNGS];
  double *x, *last, *before, *guess;
  double tolerance; /* of what the harmonics leave out; 0 = the last rung only */
  long evaluations, solved[MAP_RUNGS];
  double seconds;
} map_walk;

static inline double map_clock(void)
{
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline map_walk map_walk_open(const map_law *law, double tolerance)
{
  map_walk w = {.law = law, .tolerance = tolerance};
  while (w.nrung < MAP_RUNGS && law->harmonics[w.nrung]) w.nrung++;
  if (tolerance == 0.0) w.rung = w.nrung - 1;
  return w;
}

static inline void map_walk_close(map_walk *w)
{
  for (int r = 0; r < w->nrung; r++) cap_hb_free(w->hb[r]);
  free(w->x);
}

static inline void map_walk_place(map_walk *w, const cap_model *m)
{
  cap_error error = {0};
  for (int r = 0; r < w->nrung; r++) {
    cap_hb_settings settings = {w->law->harmonics[r], w->law->samples, 1};
    cap_status status = w->hb[r] ? cap_hb_update(w->hb[r], m, 0, &error)
                                 : cap_hb_create(m, 0, &settings, &w->hb[r], &error);
    if (status != CAP_OK) fail_msg("%s", error.text);
  }
  if (w->x) return;
  size_t n = (size_t)w->hb[w->nrung - 1]->nunknown;
  assert_non_null(w->x = calloc(4 * n, sizeof(double)));
  w->last = w->x + n;
  w->before = w->last + n;
  w->guess = w->before + n;
}

/* Newton's method with the harmonics of one rung: from what two angular frequencies before let expect, else
 * from the
 * last one, else from rest. */
static inline cap_hb *map_walk_solve(map_walk *w, double angular_frequency)
{
  cap_hb *hb = w->hb[w->rung], *top = w->hb[w->nrung - 1];
  cap_hb_newton_settings settings = {1e-6, 50};
  cap_hb_newton_report report;
  cap_error error = {0};
  cap_status status = CAP_RETRY_NOCONV;
  for (int attempt = w->seen > 1 ? 0 : w->seen ? 1 : 2; attempt < 3 && status != CAP_OK; attempt++) {
    for (int i = 0; i < top->nunknown; i++)
      w->guess[i] = attempt ? w->last[i] : 2.0 * w->last[i] - w->before[i];
    if (attempt < 2) cap_hb_transfer(top, w->guess, hb, w->x);
    else cap_hb_start(hb, w->x);
    status = cap_hb_newton_solve(hb, w->x, angular_frequency, &settings, &report, &error);
    w->evaluations += report.evaluations;
  }
  if (status != CAP_OK) fail_msg("%s", error.text);
  return hb;
}

/* The next point: range of the belt tension. */
static inline double map_walk_range(map_walk *w, const cap_model *m, double angular_frequency)
{
  cap_error error = {0};
  cap_hb_wave wave;
  int channel = 0;
  double tail = 0.0, start = map_clock();
  map_walk_place(w, m);
  cap_hb *hb = map_walk_solve(w, angular_frequency);
  for (; w->tolerance > 0.0; hb = map_walk_solve(w, angular_frequency)) {
    assert_int_equal(cap_hb_newton_tail(hb, w->x, angular_frequency, &tail, &error), CAP_OK);
    if (tail <= w->tolerance || w->rung + 1 == w->nrung) break;
    w->rung++;
  }
  w->solved[w->rung]++;
  if (cap_hb_output_wave(hb, w->x, angular_frequency, 1, &channel, &wave, &error) != CAP_OK)
    fail_msg("%s", error.text);
  cap_hb_output o = cap_hb_output_of(wave.nsample, wave.values);
  cap_arena_free(&wave.arena);
  double *keep = w->before;
  w->before = w->last;
  w->last = keep;
  cap_hb_transfer(hb, w->x, w->hb[w->nrung - 1], w->last);
  w->seen++;
  if (w->tolerance > 0.0 && tail < w->tolerance / 6.0 && w->rung > 0) w->rung--;
  w->seconds += map_clock() - start;
  return o.high - o.low;
}

/* Every point of the grid; returns the largest relative distance from `orbits`. */
static inline double map_compare(const map_law *law, const map_grid *g, const double *orbits,
                                 double tolerance, double limit)
{
  double worst = 0.0, seconds = 0.0;
  long evaluations = 0, solved[MAP_RUNGS] = {0};
  int points = g->nforce * g->nangular_frequency;
  for (int f = 0; f < g->nforce; f++) {
    map_walk w = map_walk_open(law, tolerance);
    test_system before = {0};
    for (int p = 0; p < g->nangular_frequency; p++) {
      double angular_frequency = g->first + g->step * p, orbit = orbits[f * g->nangular_frequency + p];
      test_system s = map_system(law, g->force[f], angular_frequency);
      double range = map_walk_range(&w, s.m, angular_frequency), miss = fabs(range / orbit - 1);
      if (!(miss < limit))
        fail_msg("%s, %g N, %g rad/s: %.6f N, the orbit %.6f N", law->name, g->force[f], angular_frequency,
                 range, orbit);
      worst = fmax(worst, miss);
      if (before.file) test_system_close(&before);
      before = s; /* the balance refers to its model */
    }
    test_system_close(&before);
    evaluations += w.evaluations;
    seconds += w.seconds;
    for (int r = 0; r < MAP_RUNGS; r++) solved[r] += w.solved[r];
    map_walk_close(&w);
  }
  print_message("  %s, %s: %d points within %.1e, %.2f evaluations and %.0f us a point;", law->name,
                tolerance > 0.0 ? "harmonics as needed" : "fixed", points, worst,
                (double)evaluations / points, 1e6 * seconds / points);
  for (int r = 0; r < MAP_RUNGS; r++)
    if (solved[r]) print_message(" %ld by %d harmonics", solved[r], law->harmonics[r]);
  print_message("\n");
  return worst;
}
