/* Drives with a belt of segments, and means of their channels over a time. Include after run.h. */
#pragma once
#include "drives/accessory/belt/belt_statics.h"

#include <stdarg.h>

enum { SEGMENTS_PULLEYS = 6 };
static const char *const segments_names[SEGMENTS_PULLEYS] = {"crank",      "tensioner",     "alternator",
                                                             "water_pump", "steering_pump", "compressor"};

/* The 6PK1940 drive; %s: of the belt, of the crank, of the analyses. */
#define SEGMENTS_SIX                                                                                         \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, %s}\n"                                     \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2, load: {speed_of: "       \
  "crank, powers: [[750 rpm, 1.5 kW], [2000 rpm, 2.2 kW], [4000 rpm, 2.6 kW], [6000 rpm, 2.8 kW]]}}\n"       \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2, load: "      \
  "{speed_of: crank, powers: [[750 rpm, 0.05 kW], [2000 rpm, 0.25 kW], [4000 rpm, 1 kW], [6000 rpm, 2.2 "    \
  "kW]]}}\n"                                                                                                 \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2, load: {speed_of: "  \
  "crank, powers: [[750 rpm, 0.4 kW], [2000 rpm, 0.6 kW], [4000 rpm, 1 kW], [6000 rpm, 1.6 kW]]}}\n"         \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2, load: {speed_of: "      \
  "crank, powers: [[750 rpm, 1.2 kW], [2000 rpm, 2.5 kW], [4000 rpm, 3.5 kW], [6000 rpm, 4 kW]]}}\n"         \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "stops: [225 deg, 285 deg], inertia: 1.2e-3 kg m2, damping: 0.2 N m s/rad}\n"                              \
  "crank: {%s}\nstart: 0.2 s\nanalyses: [%s]\n"                                                              \
  "outputs: {every: 0.1 ms, channels: [\"span.*\", \"pulley.*\", \"arm.*\"]}\n"

/* The same without loads, hardly damped. */
#define SEGMENTS_IDLE                                                                                        \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: PK, ribs: 6, length: 1940 mm, measured_at: 350 N, %s}\n"                                     \
  "pulleys:\n"                                                                                               \
  "- {name: crank, at: [0 mm, 0 mm], diameter: 165 mm, inertia: 0.20 kg m2}\n"                               \
  "- {name: tensioner, on: arm, diameter: 70 mm, side: back, inertia: 2e-4 kg m2, mass: 0.35 kg}\n"          \
  "- {name: alternator, at: [235 mm, 300 mm], diameter: 56 mm, inertia: 3e-3 kg m2}\n"                       \
  "- {name: water_pump, at: [30 mm, 380 mm], diameter: 120 mm, side: back, inertia: 1e-3 kg m2}\n"           \
  "- {name: steering_pump, at: [-205 mm, 425 mm], diameter: 130 mm, inertia: 1e-3 kg m2}\n"                  \
  "- {name: compressor, at: [-265 mm, 35 mm], diameter: 115 mm, inertia: 3e-3 kg m2}\n"                      \
  "tensioner: {pivot: [140 mm, 245 mm], arm: 80 mm, angle: 253 deg, rate: 0.35 N m/deg, tension: 350 N, "    \
  "inertia: 1.2e-3 kg m2, damping: 0.02 N m s/rad}\n"                                                        \
  "crank: {%s}\nstart: 0.2 s\nanalyses: [%s]\n"                                                              \
  "outputs: {every: 0.1 ms, channels: [\"pulley.*.speed\"]}\n"

/* The two-pulley benchmark; %s: of the belt, of the driven pulley's load, of the crank, of the analyses. */
#define SEGMENTS_TWO                                                                                         \
  "capstan: 1\nname: t\ndrive: accessory-drive\n"                                                            \
  "belt: {kind: flat, length: 1.193805208364 m, length_is: pitch, stiffness: 7600 N, "                       \
  "mass: 0.872421052632 kg/m, bending: 1.266667e-3 N m2, friction: {groove: 0.5}, model: segments, %s}\n"    \
  "pulleys:\n"                                                                                               \
  "- {name: driver, at: [0 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg m2}\n"             \
  "- {name: driven, at: [0.314159265359 m, 0 m], diameter: 0.2 m, diameter_is: pitch, inertia: 0.25 kg "     \
  "m2, load: {%s}}\n"                                                                                        \
  "crank: {pulley: driver, %s}\nanalyses: [%s]\noutputs: {every: 1 ms, channels: [\"span.*\", "              \
  "\"pulley.*\"]}\n"

__attribute__((format(printf, 1, 2))) static inline test_result segments_run(const char *format, ...)
{
  char text[12000];
  va_list parts;
  va_start(parts, format);
  int n = vsnprintf(text, sizeof text, format, parts);
  va_end(parts);
  assert_true(n > 0 && (size_t)n < sizeof text);
  return test_result_run(text);
}

/* Mean and standard deviation of a channel between two times. */
typedef struct segments_mean {
  double mean, deviation, least, most;
} segments_mean;

static inline segments_mean segments_between(const test_result *r, const char *group, const char *channel,
                                             double from, double to)
{
  int64_t n;
  double *t = test_values(r, group, "time", &n), *v = test_values(r, group, channel, NULL);
  segments_mean m = {.least = INFINITY, .most = -INFINITY};
  double square = 0.0, count = 0.0;
  for (int64_t k = 0; k < n; k++) {
    if (t[k] < from - 1e-9 || t[k] > to + 1e-9) continue;
    m.mean += v[k];
    square += v[k] * v[k];
    m.least = fmin(m.least, v[k]);
    m.most = fmax(m.most, v[k]);
    count += 1.0;
  }
  assert_true(count > 1.0);
  m.mean /= count;
  m.deviation = sqrt(fmax(square / count - m.mean * m.mean, 0.0));
  free(t);
  free(v);
  return m;
}

static inline segments_mean segments_of(const test_result *r, const char *kind, const char *name,
                                        const char *what, double from, double to)
{
  char channel[128];
  snprintf(channel, sizeof channel, "%s.%s.%s", kind, name, what);
  return segments_between(r, "transient", channel, from, to);
}

/* Energy of all mechanisms of the audit whose names end so, J. */
static inline double segments_energy(const test_result *r, const char *ending)
{
  const cap_results_balance *b = &test_group(r, "transient")->balance;
  double sum = 0.0;
  for (int k = 0; k < b->nline; k++) {
    size_t n = strlen(b->lines[k].name), m = strlen(ending);
    if (n >= m && strcmp(b->lines[k].name + n - m, ending) == 0) sum += b->lines[k].energy;
  }
  return sum;
}

/* Residual of the energy balance over the work of the loads. */
static inline double segments_residual(const test_result *r)
{
  return fabs(test_group(r, "transient")->balance.residual) / segments_energy(r, ".load.work");
}

/* Statics of the drive in a model's text, at its start. */
static inline cap_belt_statics segments_statics(const test_system *s)
{
  cap_belt_statics statics;
  cap_error error = {0};
  cap_belt_statics_case running = {.arm = CAP_BELT_STATICS_FREE, .speed = cap_belt_of(s->m)->speed};
  if (cap_belt_statics_solve(cap_belt_of(s->m), &running, &statics, &error) != CAP_OK)
    fail_msg("%s", error.text);
  return statics;
}
