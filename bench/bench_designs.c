/* Study files: reading one with all its checks, and its cases by each design; processor time a case. */
#include "bench.h"
#include "study/study_file.h"

#include <stdlib.h>

static const char model[] =
    "capstan: 1\n"
    "drive: clearance-oscillator\n"
    "bodies: [{name: gear, mass: 1 kg, position: 0.2245 m}]\n"
    "springs: [{from: gear, damping: 0.05 N s/m}]\n"
    "clearances: [{gap: {from: gear, stiffness: 1 N/m, low: -0.1745 m, high: 0.1745 m}}]\n"
    "loads: [{on: gear, mean: 0.05 N, harmonics: [{amplitude: 0.008 N}]}]\n"
    "forcing: {angular_frequency: 0.8 rad/s}\n"
    "analyses: [{transient: {until: 2 s}}]\n";

#define HEAD "capstan: 1\nstudy: designs\nmodel: m.yaml\n"
#define TAIL "responses: [{name: peak, channel: gear.position, reduce: amplitude}]\n"
#define LAWS                                                                                                 \
  "factors:\n"                                                                                               \
  "  - {name: w, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1 rad/s}\n"                           \
  "  - {name: f, path: \"loads[0].mean\", distribution: {law: normal, mean: 50 mN, deviation: 1 mN}}\n"      \
  "  - {name: m, path: \"bodies[0].mass\", distribution: {law: log-normal, mean: 1 kg, deviation: 0.1 "      \
  "kg}}\n"
#define LISTS(more)                                                                                          \
  "factors:\n"                                                                                               \
  "  - {name: w, path: forcing.angular_frequency, from: 0.5 rad/s, to: 1 rad/s, count: 100}\n"               \
  "  - {name: f, path: \"loads[0].mean\", from: 50 mN, to: 60 mN, count: 100}\n"                             \
  "  - {name: k, path: \"clearances[0].gap.stiffness\", from: 1 N/m, to: 2 N/m, count: 10}\n" more

typedef struct job {
  const char *name, *text;
  int64_t ncase;
} job;

static void read_study(void *self)
{
  job *j = self;
  cap_study_file_source source = {.path = "study.yaml",
                                  .text = j->text,
                                  .size = strlen(j->text),
                                  .model_text = model,
                                  .model_size = sizeof model - 1};
  cap_study *study;
  cap_diag diag;
  if (cap_study_file_parse(&source, &study, &diag) != CAP_OK) {
    fputs(cap_diag_text(&diag), stderr);
    exit(1);
  }
  j->ncase = study->ncase;
  cap_study_free(study);
  cap_diag_free(&diag);
}

int main(int argc, char **argv)
{
  static job jobs[] = {
      {"four cases, with checks", HEAD LAWS "design: {kind: sobol, count: 4}\n" TAIL, 0},
      {"grid", HEAD LISTS("") "design: {kind: grid}\n" TAIL, 0},
      {"grid, continuation", HEAD LISTS("") "design: {kind: grid}\ncontinuation: w\n" TAIL, 0},
      {"grid, formula",
       HEAD LISTS(
           "  - {name: m, path: \"bodies[0].mass\", formula: 1 + 0.1*w}\n") "design: {kind: grid}\n" TAIL,
       0},
      {"Latin hypercube, laws", HEAD LAWS "design: {kind: latin-hypercube, count: 100000}\n" TAIL, 0},
      {"Sobol, laws", HEAD LAWS "design: {kind: sobol, count: 100000}\n" TAIL, 0},
      {"Saltelli, laws", HEAD LAWS "design: {kind: saltelli, count: 20000}\n" TAIL, 0},
  };
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (size_t k = 0; k < sizeof jobs / sizeof *jobs; k++) {
    double seconds = bench_best(read_study, &jobs[k], 0.3);
    if (k == 0) bench_row(&table, jobs[k].name, jobs[k].ncase, seconds * 1e3, "ms");
    else bench_row(&table, jobs[k].name, jobs[k].ncase, seconds / (double)jobs[k].ncase * 1e9, "ns a case");
  }
  return bench_close(&table);
}
