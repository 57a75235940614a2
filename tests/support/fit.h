/* Curves with noise that a fit can be tried on: made by running a model, written as a CSV file. Include after
 * run.h. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Uniform in (0, 1), by splitmix64: successive numbers, and those of neighbouring seeds, have nothing in
 * common, unlike those of a congruential generator. */
static inline double fit_uniform(uint64_t *state)
{
  uint64_t z = *state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

/* A number of the normal distribution, by Box and Muller. */
static inline double fit_normal(uint64_t *state)
{
  double u = fit_uniform(state), v = fit_uniform(state);
  return sqrt(-2.0 * log(u)) * cos(2.0 * M_PI * v);
}

typedef struct fit_curve {
  const char *channel, *column, *unit;
  double sigma; /* absolute */
} fit_curve;

typedef struct fit_source {
  const char *group;     /* "transient" */
  const char *over;      /* dataset of the abscissa */
  const char *over_unit; /* SI */
  int every, first;      /* every how many rows, from which on */
} fit_source;

static char fit_path[64];

/* Columns "x" and those of the curves, from a result; path in fit_path. */
static inline void fit_write(const test_result *r, const fit_source *s, int n, const fit_curve *curves,
                             uint64_t seed)
{
  strcpy(fit_path, access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fit-XXXXXX" : "/tmp/capstan-fit-XXXXXX");
  int fd = mkstemp(fit_path);
  assert_true(fd >= 0);
  seed *= 1000003; /* streams that do not overlap */
  FILE *f = fdopen(fd, "w");
  assert_non_null(f);
  int64_t count;
  double *x = test_values(r, s->group, s->over, &count), *y[8];
  fprintf(f, "x [%s]", s->over_unit[0] ? s->over_unit : "1");
  for (int c = 0; c < n; c++) {
    y[c] = test_values(r, s->group, curves[c].channel, NULL);
    fprintf(f, ", %s [%s]", curves[c].column, curves[c].unit[0] ? curves[c].unit : "1");
  }
  fprintf(f, "\n");
  for (int64_t i = s->first; i < count; i += s->every) {
    fprintf(f, "%.17g", x[i]);
    for (int c = 0; c < n; c++) fprintf(f, ", %.17g", y[c][i] + curves[c].sigma * fit_normal(&seed));
    fprintf(f, "\n");
  }
  assert_int_equal(fclose(f), 0);
  for (int c = 0; c < n; c++) free(y[c]);
  free(x);
}

/* `text` with the path of the data in the place of its only %s. */
static inline const char *fit_text(const char *text)
{
  static char full[20000];
  const char *at = strstr(text, "%s");
  assert_non_null(at);
  snprintf(full, sizeof full, "%.*s%s%s", (int)(at - text), text, fit_path, at + 2);
  return full;
}

static inline test_result fit_run(const char *text)
{
  return test_result_run(fit_text(text));
}

static inline void fit_forget(void)
{
  assert_int_equal(unlink(fit_path), 0);
}
