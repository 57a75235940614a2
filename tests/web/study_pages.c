/* study_pages.c — pages of studies with known contents: what src/study would collect, by formulas that the
 * browser tests know as well. */
#include "pages.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FACTORS = 16, MOST_RESPONSES = 6, BINS = 10 };

typedef struct known {
  const char *name, *unit, *meaning;
} known;

/* A study in memory: values by factor and by response. */
typedef struct table {
  int n, nfactor, nresponse;
  const known *factors, *responses;
  double *x, *y; /* [n][nfactor], [n][nresponse] */
  int *status;
} table;

static table new_table(int n, int nfactor, const known *factors, int nresponse, const known *responses)
{
  table t = {n, nfactor, nresponse, factors, responses, NULL, NULL, NULL};
  t.x = calloc((size_t)(n * nfactor), sizeof *t.x);
  t.y = calloc((size_t)(n * nresponse), sizeof *t.y);
  t.status = calloc((size_t)n, sizeof *t.status);
  if (!t.x || !t.y || !t.status) exit(1);
  return t;
}

static void free_table(table *t)
{
  free(t->x);
  free(t->y);
  free(t->status);
}

/* Halton's points: the i-th in base b. */
static double halton(int i, int b)
{
  double value = 0, share = 1.0 / b;
  for (; i > 0; i /= b, share /= b) value += share * (i % b);
  return value;
}

/* About normal, from four uniform ones; deviation 1. */
static double bell(int i)
{
  return (halton(i, 2) + halton(i, 3) + halton(i, 5) + halton(i, 7) - 2) * sqrt(3.0);
}

static cap_sink *open_study(cap_results *results, const char *title, const table *t, const char *design)
{
  cap_sink *sink = cap_results_sink(results);
  cap_column columns[4 + MOST_FACTORS + MOST_RESPONSES];
  char names[MOST_FACTORS + MOST_RESPONSES][64];
  int n = 0, k = 0;
  columns[n++] = (cap_column){"case", "1", "number of the case"};
  for (int i = 0; i < t->nfactor; i++, k++) {
    snprintf(names[k], sizeof names[k], "factor.%s", t->factors[i].name);
    columns[n++] = (cap_column){names[k], t->factors[i].unit, t->factors[i].meaning};
  }
  for (int i = 0; i < t->nresponse; i++, k++) {
    snprintf(names[k], sizeof names[k], "response.%s", t->responses[i].name);
    columns[n++] = (cap_column){names[k], t->responses[i].unit, t->responses[i].meaning};
  }
  columns[n++] = (cap_column){"status", "1", "0 fine, 1 failed, 2 missing"};
  columns[n++] = (cap_column){"steps", "1", "time steps"};
  columns[n++] = (cap_column){"iterations", "1", "iterations"};
  need(sink->open(sink, "study", "study", title));
  need(sink->columns(sink, n, columns));
  char *runs = calloc((size_t)t->n, 24);
  if (!runs) exit(1);
  for (int i = 0, at = 0; i < t->n; i++) {
    double row[4 + MOST_FACTORS + MOST_RESPONSES];
    int c = 0;
    row[c++] = i + 1;
    for (int f = 0; f < t->nfactor; f++) row[c++] = t->x[i * t->nfactor + f];
    for (int r = 0; r < t->nresponse; r++) row[c++] = t->status[i] ? NAN : t->y[i * t->nresponse + r];
    row[c++] = t->status[i];
    row[c++] = 1000 + i % 17;
    row[c++] = 3000 + i % 29;
    need(sink->rows(sink, 1, row));
    at += sprintf(runs + at, "runs/%05d.h5\n", i + 1);
  }
  need(sink->text(sink, "design", design));
  need(sink->text(sink, "runs", runs));
  free(runs);
  return sink;
}

static void put(cap_sink *sink, const char *what, const char *response, const char *end, int n,
                const double *v)
{
  char name[128];
  snprintf(name, sizeof name, "%s.%s%s", what, response, end);
  put_vector(sink, name, "1", "", n, v);
}

/* Means over ten parts of the range of each factor, or over its levels, with twice their standard error. */
static void put_effects(cap_sink *sink, const table *t, int nlevel_of_last)
{
  for (int f = 0; f < t->nfactor; f++) {
    int nbin = f == t->nfactor - 1 && nlevel_of_last ? nlevel_of_last : BINS;
    double low = INFINITY, high = -INFINITY, at[BINS];
    for (int i = 0; i < t->n; i++) {
      low = fmin(low, t->x[i * t->nfactor + f]);
      high = fmax(high, t->x[i * t->nfactor + f]);
    }
    for (int b = 0; b < nbin; b++) at[b] = nbin == BINS ? low + (high - low) * (b + 0.5) / BINS : b + 1;
    char end[64];
    snprintf(end, sizeof end, "%s.at", t->factors[f].name);
    put(sink, "effect", end, "", nbin, at);
    for (int r = 0; r < t->nresponse; r++) {
      double sum[BINS] = {0}, square[BINS] = {0}, n[BINS] = {0}, lower[BINS], upper[BINS];
      for (int i = 0; i < t->n; i++) {
        if (t->status[i]) continue;
        double x = t->x[i * t->nfactor + f], y = t->y[i * t->nresponse + r];
        int b = nbin == BINS ? (int)fmin(BINS - 1, (x - low) / (high - low) * BINS) : (int)x - 1;
        n[b]++;
        sum[b] += y;
        square[b] += y * y;
      }
      for (int b = 0; b < nbin; b++) {
        sum[b] /= n[b];
        double error = 2 * sqrt(fmax(0, square[b] / n[b] - sum[b] * sum[b]) / n[b]);
        lower[b] = sum[b] - error;
        upper[b] = sum[b] + error;
      }
      snprintf(end, sizeof end, ".%s", t->factors[f].name);
      put(sink, "effect", t->responses[r].name, end, nbin, sum);
      snprintf(end, sizeof end, ".%s.low", t->factors[f].name);
      put(sink, "effect", t->responses[r].name, end, nbin, lower);
      snprintf(end, sizeof end, ".%s.high", t->factors[f].name);
      put(sink, "effect", t->responses[r].name, end, nbin, upper);
    }
  }
}

/* A value with a band of so much to both sides. */
static void put_band(cap_sink *sink, const char *response, const char *kind, int n, const double *v,
                     double band)
{
  double low[MOST_FACTORS], high[MOST_FACTORS];
  char end[64];
  for (int i = 0; i < n; i++) {
    low[i] = v[i] - band;
    high[i] = v[i] + band;
  }
  snprintf(end, sizeof end, ".%s", kind);
  put(sink, "sensitivity", response, end, n, v);
  snprintf(end, sizeof end, ".%s.low", kind);
  put(sink, "sensitivity", response, end, n, low);
  snprintf(end, sizeof end, ".%s.high", kind);
  put(sink, "sensitivity", response, end, n, high);
}

static void put_trust(cap_sink *sink, const char *response, const char *unit, const double *v)
{
  static const char *const names[] = {"R2", "Q2", "rms", "rms_left_out"};
  for (int i = 0; i < 4; i++) {
    char name[64];
    snprintf(name, sizeof name, "surface.%s.%s", response, names[i]);
    put_number(sink, name, i < 2 ? "1" : unit, "", v[i]);
  }
}

/* A study of three factors at two, three and two levels: life = 10 speed + 3 tension - load, two cases
 * without it. */
void make_study(void)
{
  cap_results_meta meta = {
      .drive = "accessory-drive", .name = "speed, tension and load", .model = "capstan: 1\n"};
  static const cap_column columns[] = {{"case", "1", "number of the case"},
                                       {"factor.speed", "rad/s", "speed of the crank"},
                                       {"factor.tension", "N", "tension of the belt"},
                                       {"factor.load", "N m", "load of the alternator"},
                                       {"response.life", "s", "life of the belt"},
                                       {"response.hub", "N", "hub load of the pump"},
                                       {"status", "1", "0 fine, 1 failed, 2 missing"},
                                       {"steps", "1", "time steps"},
                                       {"iterations", "1", "iterations"}};
  cap_results *results = start("study", &meta);
  cap_sink *sink = cap_results_sink(results);
  need(sink->open(sink, "study", "study", "life over speed, tension and load"));
  need(sink->columns(sink, 9, columns));
  char runs[512] = "";
  for (int i = 0; i < 12; i++) {
    double speed = 100.0 * (1 + i % 2), tension = 200.0 + 100 * (i / 2 % 3), load = 5.0 * (1 + i / 6);
    int status = i == 4 ? 1 : i == 11 ? 2 : 0;
    double life = status == 0 ? 10 * speed + 3 * tension - load : NAN,
           hub = status == 0 ? 2 * tension + load : NAN;
    need(sink->rows(sink, 1, (double[]){i + 1, speed, tension, load, life, hub, status, 1000, 3000}));
    snprintf(runs + strlen(runs), sizeof runs - strlen(runs), "runs/case %d.h5\n", i + 1);
  }
  need(sink->text(sink, "design", "full factorial, 2 x 3 x 2"));
  need(sink->text(sink, "runs", runs));
  need(sink->text(sink, "reasons", "5: the belt slips at the start\n12: not run yet\n"));
  need(sink->text(sink, "sensitivity.kind", "Sobol"));
  put_vector(sink, "sensitivity.life.first", "1", "", 3, (double[]){0.9, 0.08, 0.01});
  put_vector(sink, "sensitivity.life.first.low", "1", "", 3, (double[]){0.85, 0.05, 0.0});
  put_vector(sink, "sensitivity.life.first.high", "1", "", 3, (double[]){0.95, 0.11, 0.02});
  put_vector(sink, "sensitivity.life.total", "1", "", 3, (double[]){0.91, 0.09, 0.02});
  need(sink->close(sink));
  finish(results, "study", true);
}

/* 1024 cases of five factors, the last with two levels. With z = (x - centre) / scale and s = 1 for the
 * second level: peak = 0.01 (1 + 0.3 z0 - 0.2 z1 + 0.1 z0^2 + 0.05 z0 z2 + 0.15 s) and some that no
 * polynomial has; force = 400 + 60 sin(6 z3), which no quadratic follows. Cases 100, 200 and 300 failed. */
void make_study_tolerance(void)
{
  enum { N = 1024, NF = 5, NT = 6 };
  static const known factors[NF] = {{"length", "m", "length of the belt"},
                                    {"rate", "N m/rad", "rate of the tensioner"},
                                    {"friction", "1", "friction of the tensioner"},
                                    {"inertia", "kg m2", "inertia of the alternator"},
                                    {"law", "1", "law of the hysteresis"}};
  static const known responses[2] = {{"peak", "rad", "amplitude of the arm"},
                                     {"force", "N", "largest hub load"}};
  const double centre[NF] = {1.94, 20, 0.4, 3e-3, NAN}, scale[NF] = {1e-3, 2, 0.1, 5e-4, NAN};
  const double c[NT] = {0.01, 0.003, -0.002, 0.001, 0.0005, 0.0015};
  table t = new_table(N, NF, factors, 2, responses);
  double *predicted = calloc(N, sizeof *predicted), *left = calloc(N, sizeof *left),
         *front = calloc(N, sizeof *front);
  if (!predicted || !left || !front) exit(1);
  for (int i = 0; i < N; i++) {
    const double z[4] = {bell(i + 1), 2 * halton(i + 1, 11) - 1, 2 * halton(i + 1, 13) - 1,
                         2 * halton(i + 1, 17) - 1};
    double s = i % 2;
    for (int f = 0; f < 4; f++) t.x[i * NF + f] = centre[f] + scale[f] * z[f];
    t.x[i * NF + 4] = 1 + s;
    predicted[i] = c[0] + c[1] * z[0] + c[2] * z[1] + c[3] * z[0] * z[0] + c[4] * z[0] * z[2] + c[5] * s;
    double rest = 2e-4 * sin(9 * z[0] + 5 * z[1]);
    left[i] = predicted[i] - 0.01 * rest;
    t.y[i * 2] = predicted[i] + rest;
    t.y[i * 2 + 1] = 400 + 60 * sin(6 * z[3]) + 20 * z[0];
    t.status[i] = i % 100 == 99 && i < 300;
    if (t.status[i]) predicted[i] = left[i] = NAN;
  }
  cap_results_meta meta = {
      .drive = "accessory-drive", .name = "tolerance of the accessory drive", .model = "capstan: 1\n"};
  cap_results *results = start("study-tolerance", &meta);
  cap_sink *sink = open_study(results, "tolerance of the accessory drive", &t, "Sobol sequence, 1024 cases");
  need(sink->text(
      sink, "reasons",
      "100: the step became smaller than 1e-12 s at 0.132 s\n200: the step became smaller than 1e-12 s "
      "at 0.132 s\n300: no equilibrium: the belt is too long\n"));
  need(sink->text(sink, "levels.law", "masing\ndahl\n"));
  need(sink->text(
      sink, "factors",
      "length: normal, mean 1.94 m, deviation 1 mm; sets belt.length\nrate: uniform, from 18 N m/rad to 22 N "
      "m/rad; sets tensioner.rate\n"));
  need(
      sink->text(sink, "responses",
                 "peak: amplitude of arm.angle from 0.1 s; minimise\nforce: largest value of alternator.hub; "
                 "minimise\n"));
  put_vector(sink, "nominal", "1", "", NF, (double[]){1.94, 20, 0.4, 3e-3, 1});
  put_effects(sink, &t, 2);
  need(sink->text(sink, "sensitivity.kind",
                  "regression, and first-order Sobol' indices from the given cases"));
  put_band(sink, "peak", "first", NF, (double[]){0.71, 0.11, 0.004, 0.001, 0.13}, 0.02);
  put_band(sink, "force", "first", NF, (double[]){0.17, 0.002, 0.001, 0.81, 0.001}, 0.02);
  put_band(sink, "peak", "regression", NF, (double[]){0.81, -0.34, 0.01, -0.005, NAN}, 0.02);
  put_band(sink, "force", "regression", NF, (double[]){0.42, 0.01, 0.0, -0.13, NAN}, 0.03);
  put_number(sink, "sensitivity.peak.R2", "1", "", 0.93);
  put_number(sink, "sensitivity.force.R2", "1", "", 0.2);
  for (int r = 0; r < 2; r++) {
    const char *name = responses[r].name;
    char text[64];
    snprintf(text, sizeof text, "surface.%s.terms", name);
    need(sink->text(sink, text, "1\nlength\nrate\nlength^2\nlength*friction\nlaw=2\n"));
    put(sink, "surface", name, ".coefficients", NT, r ? (double[]){400, 20, 0, 0, 0, 0} : c);
    put(sink, "surface", name, ".centre", NF, centre);
    put(sink, "surface", name, ".scale", NF, scale);
    if (r == 0) put(sink, "surface", name, ".predicted", N, predicted);
    if (r == 0) put(sink, "surface", name, ".left_out", N, left);
    put_trust(sink, name, responses[r].unit,
              r ? (double[]){0.2, 0.17, 41.5, 42.2} : (double[]){0.9988, 0.9986, 1.39e-4, 1.43e-4});
  }
  need(sink->close(sink));
  finish(results, "study-tolerance", true);
  free(predicted);
  free(left);
  free(front);
  free_table(&t);
}

/* 116 angular frequencies, 16 amplitudes, two laws: a resonance that grows and moves with the amplitude.
 * Case 5
 * failed. */
void make_study_grid(void)
{
  enum { NP = 116, NA = 16, NL = 2, N = NP * NA * NL };
  static const known factors[3] = {{"amplitude", "N", "amplitude of the load"},
                                   {"angular_frequency", "rad/s", "angular_frequency of the load"},
                                   {"law", "1", "law of the hysteresis"}};
  static const known responses[2] = {{"swing", "m", "amplitude of the mass"},
                                     {"loss", "J", "energy lost in a cycle"}};
  table t = new_table(N, 3, factors, 2, responses);
  for (int i = 0; i < N; i++) {
    double a = 10.0 + 10 * (i / (NP * NL)), w = 20 + i / NL % NP, law = 1 + i % NL;
    double own = (law < 2 ? 90 : 80) - 0.12 * a, d = 8 / (1 + a / 200);
    t.x[3 * i] = a;
    t.x[3 * i + 1] = w;
    t.x[3 * i + 2] = law;
    t.y[2 * i] = 1e-3 * a / sqrt(pow(own * own - w * w, 2) / 1e4 + d * d * w * w / 1e2);
    t.y[2 * i + 1] = 2 * a * t.y[2 * i] * law;
    t.status[i] = i == 4;
  }
  cap_results_meta meta = {.drive = "tensioner-rig", .name = "map of the tensioner", .model = "capstan: 1\n"};
  cap_results *results = start("study-grid", &meta);
  cap_sink *sink = open_study(results, "map of the tensioner", &t, "full grid, 16 x 116 x 2");
  need(sink->text(sink, "levels.law", "masing\ndahl\n"));
  need(sink->text(sink, "reasons", "5: Newton's iteration did not converge\n"));
  need(sink->text(sink, "sensitivity.kind", "shares of the variance over the grid"));
  put(sink, "sensitivity", "swing", ".first", 3, (double[]){0.21, 0.44, 0.02});
  put(sink, "sensitivity", "swing", ".total", 3, (double[]){0.52, 0.77, 0.11});
  need(sink->close(sink));
  finish(results, "study-grid", true);
  free_table(&t);
}

/* Four factors at five values each around a nominal case: peak = 0.01 + 0.004 z0 - 0.002 z1 + 0.001 z2^2. */
void make_study_one(void)
{
  enum { NF = 4, N = 1 + 4 * NF };
  static const known factors[NF] = {{"preload", "N", "preload of the belt"},
                                    {"rate", "N m/rad", "rate of the tensioner"},
                                    {"gap", "m", "play of the stop"},
                                    {"inertia", "kg m2", "inertia of the alternator"}};
  static const known responses[1] = {{"peak", "m", "amplitude of the span"}};
  const double nominal[NF] = {400, 20, 1e-3, 3e-3}, step[NF] = {50, 2, 2e-4, 5e-4};
  table t = new_table(N, NF, factors, 1, responses);
  double low[NF], high[NF], least[NF], most[NF];
  for (int i = 0; i < N; i++) {
    double z[NF] = {0};
    if (i) z[(i - 1) / 4] = (double[]){-1, -0.5, 0.5, 1}[(i - 1) % 4];
    for (int f = 0; f < NF; f++) t.x[i * NF + f] = nominal[f] + step[f] * z[f];
    t.y[i] = 0.01 + 0.004 * z[0] - 0.002 * z[1] + 0.001 * z[2] * z[2] - 0.0005 * (z[0] == 1);
  }
  for (int f = 0; f < NF; f++) {
    low[f] = t.y[1 + 4 * f];
    high[f] = t.y[4 + 4 * f];
    least[f] = most[f] = t.y[0];
    for (int k = 1 + 4 * f; k < 5 + 4 * f; k++) {
      least[f] = fmin(least[f], t.y[k]);
      most[f] = fmax(most[f], t.y[k]);
    }
  }
  cap_results_meta meta = {.drive = "accessory-drive", .name = "one at a time", .model = "capstan: 1\n"};
  cap_results *results = start("study-one", &meta);
  cap_sink *sink = open_study(results, "one factor at a time", &t, "one at a time, 17 cases");
  put_vector(sink, "nominal", "1", "", NF, nominal);
  put(sink, "tornado", "peak", ".low", NF, low);
  put(sink, "tornado", "peak", ".high", NF, high);
  put(sink, "tornado", "peak", ".least", NF, least);
  put(sink, "tornado", "peak", ".most", NF, most);
  put_number(sink, "tornado.peak.nominal", "m", "", t.y[0]);
  need(sink->close(sink));
  finish(results, "study-one", true);
  free_table(&t);
}

/* 1 for the cases that no other one betters in all of the first `k` responses, which are to be small. */
static int mark_front(const table *t, int k, double *front)
{
  int found = 0;
  for (int i = 0; i < t->n; i++) {
    bool best = true;
    for (int j = 0; j < t->n && best; j++) {
      bool all = true, one = false;
      for (int r = 0; r < k; r++) {
        double a = t->y[j * t->nresponse + r], b = t->y[i * t->nresponse + r];
        all = all && a <= b;
        one = one || a < b;
      }
      if (all && one) best = false;
    }
    front[i] = best;
    found += best;
  }
  return found;
}

/* 200 cases of two factors with a front in two responses, and an optimiser of 40 evaluations that starts
 * where the bound of the load is broken. */
void make_study_pareto(void)
{
  enum { N = 200, EVALUATIONS = 40 };
  static const known factors[2] = {{"rate", "N m/rad", "rate of the tensioner"},
                                   {"friction", "1", "friction of the tensioner"}};
  static const known responses[2] = {{"swing", "rad", "amplitude of the arm"},
                                     {"load", "N", "mean hub load"}};
  table t = new_table(N, 2, factors, 2, responses);
  double front[N];
  for (int i = 0; i < N; i++) {
    double a = halton(i + 1, 2), b = halton(i + 1, 3);
    t.x[2 * i] = 10 + 20 * a;
    t.x[2 * i + 1] = 0.1 + 0.5 * b;
    t.y[2 * i] = 0.05 * (1 - a) + 0.02 * b * b;
    t.y[2 * i + 1] = 300 + 200 * a * a + 60 * (1 - b) * b;
  }
  mark_front(&t, 2, front);
  cap_results_meta meta = {.drive = "accessory-drive", .name = "swing against load", .model = "capstan: 1\n"};
  cap_results *results = start("study-pareto", &meta);
  cap_sink *sink = open_study(results, "swing against load", &t, "Latin hypercube, 200 cases");
  put_vector(sink, "pareto", "1", "", N, front);
  need(sink->text(sink, "pareto.responses", "swing minimise\nload minimise\n"));
  need(sink->text(sink, "responses",
                  "swing: amplitude of arm.angle; minimise\nload: mean of hub; minimise\n"));
  need(sink->close(sink));
  static const cap_column columns[] = {{"evaluation", "1", "evaluation"},
                                       {"start", "1", "start"},
                                       {"factor.rate", "N m/rad", "rate of the tensioner"},
                                       {"factor.friction", "1", "friction of the tensioner"},
                                       {"response.swing", "rad", "amplitude of the arm"},
                                       {"response.load", "N", "mean hub load"},
                                       {"objective", "rad", "swing"},
                                       {"feasible", "1", "1 where all bounds are kept"},
                                       {"best", "1", "1 where it is the best so far"}};
  need(sink->open(sink, "optimise", "optimise", "Smallest swing"));
  need(sink->columns(sink, 9, columns));
  double best = INFINITY;
  for (int i = 0; i < EVALUATIONS; i++) {
    double a = 1 - 0.3 * (1 - exp(-i / 8.0)) + 0.05 * sin(3.0 * i) * exp(-i / 10.0), b = 0.5 * exp(-i / 6.0);
    if (i >= 30) b = 0;
    double swing = 0.05 * (1 - a) + 0.02 * b * b, load = 300 + 200 * a * a + 60 * (1 - b) * b;
    bool kept = load <= 400;
    bool better = kept && swing < best;
    if (better) best = swing;
    need(sink->rows(sink, 1,
                    (double[]){i + 1, 1, 10 + 20 * a, 0.1 + 0.5 * b, swing, load, swing, kept, better}));
  }
  need(sink->text(sink, "method", "BOBYQA"));
  need(sink->text(sink, "goal", "minimise swing"));
  need(sink->text(sink, "outcome", "the steps became smaller than the tolerance"));
  put_vector(sink, "bounds.low", "1", "", 2, (double[]){10, 0.1});
  put_vector(sink, "bounds.high", "1", "", 2, (double[]){30, 0.6});
  put_vector(sink, "limit.low", "1", "", 2, (double[]){NAN, NAN});
  put_vector(sink, "limit.high", "1", "", 2, (double[]){NAN, 400});
  need(sink->close(sink));
  finish(results, "study-pareto", true);
  free_table(&t);
}

/* 10 000 cases of twelve factors and five responses; the front is in three of them. */
void make_study_many(void)
{
  enum { N = 10000, NF = 12, NR = 5 };
  static const int primes[NF] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  known factors[NF], responses[NR];
  char names[NF + NR][16];
  for (int f = 0; f < NF; f++) {
    snprintf(names[f], sizeof names[f], "factor%d", f + 1);
    factors[f] = (known){names[f], "N", ""};
  }
  for (int r = 0; r < NR; r++) {
    snprintf(names[NF + r], sizeof names[NF + r], "response%d", r + 1);
    responses[r] = (known){names[NF + r], "m", ""};
  }
  table t = new_table(N, NF, factors, NR, responses);
  double *front = calloc(N, sizeof *front);
  if (!front) exit(1);
  for (int i = 0; i < N; i++) {
    double *z = t.x + i * NF, *y = t.y + i * NR;
    for (int f = 0; f < NF; f++) z[f] = halton(i + 1, primes[f]);
    for (int r = 0; r < NR; r++)
      y[r] = 1e-3 * (1 + z[r] + (1 - z[(r + 1) % 3]) * 0.7 + 0.1 * z[r + 3] * z[r + 5]);
  }
  /* Among the first 400, which is quick. */
  table part = t;
  part.n = 400;
  mark_front(&part, 3, front);
  cap_results_meta meta = {.drive = "accessory-drive", .name = "many cases", .model = "capstan: 1\n"};
  cap_results *results = start("study-many", &meta);
  cap_sink *sink = open_study(results, "many cases", &t, "Latin hypercube, 10000 cases");
  put_effects(sink, &t, 0);
  put_vector(sink, "pareto", "1", "", N, front);
  need(sink->text(sink, "pareto.responses", "response1 minimise\nresponse2 minimise\nresponse3 minimise\n"));
  double first[NF];
  for (int r = 0; r < NR; r++) {
    for (int f = 0; f < NF; f++) first[f] = f == r ? 0.6 : 0.3 / NF;
    put_band(sink, responses[r].name, "first", NF, first, 0.01);
  }
  need(sink->close(sink));
  finish(results, "study-many", true);
  free(front);
  free_table(&t);
}

/* Of three cases two failed and one is missing: there is nothing to draw. */
void make_study_failed(void)
{
  static const known factors[2] = {{"rate", "N m/rad", ""}, {"law", "1", ""}};
  static const known responses[1] = {{"swing", "rad", "amplitude of the arm"}};
  table t = new_table(3, 2, factors, 1, responses);
  for (int i = 0; i < 3; i++) {
    t.x[2 * i] = 10 + i;
    t.x[2 * i + 1] = 1 + i % 2;
    t.status[i] = i < 2 ? 1 : 2;
  }
  cap_results_meta meta = {.drive = "accessory-drive", .name = "nothing came", .model = "capstan: 1\n"};
  cap_results *results = start("study-failed", &meta);
  cap_sink *sink = open_study(results, "nothing came", &t, "Sobol sequence, 3 cases");
  need(sink->text(sink, "levels.law", "masing\ndahl\n"));
  need(sink->text(sink, "reasons", "1: no equilibrium: <b>the belt</b> is too long\n2: no equilibrium\n"));
  need(sink->text(sink, "sensitivity.kind", "none: no case has a value"));
  need(sink->text(sink, "surface.swing.note", "none: 0 points are too few for 2 terms"));
  need(sink->close(sink));
  finish(results, "study-failed", false);
  free_table(&t);
}
