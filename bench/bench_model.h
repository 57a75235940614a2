/* bench/bench_model.h — the models that the benchmarks share: the project's own examples, read by its reader.
 */
#ifndef CAPSTAN_BENCH_MODEL_H
#define CAPSTAN_BENCH_MODEL_H
#include "io/execute.h"
#include "io/model_file.h"
#include "model/builder.h"

#include <stdio.h>
#include <stdlib.h>

/* A benchmark that cannot run says why and ends: a number from a failed run is worse than none. */
static inline void bench_need(cap_status status, const cap_error *error)
{
  if (status == CAP_OK) return;
  fprintf(stderr, "%s: %s\n", cap_status_text(status), error->text);
  exit(1);
}

/* examples/<name>.yaml with settings "PATH=VALUE". */
static inline cap_model_file *bench_example(const char *name, int nsetting, const char *const *settings)
{
  char path[512];
  cap_diag diag;
  cap_model_file *file = NULL;
  snprintf(path, sizeof path, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, name);
  if (cap_model_file_read(path, nsetting, settings, &file, &diag) != CAP_OK) {
    fprintf(stderr, "%s", cap_diag_text(&diag));
    exit(1);
  }
  cap_diag_free(&diag);
  return file;
}

/* The belt-tensioner-mass system of the map at Omega = 60 rad/s, f1 = 100 N in the first lane and 10 N more
 * in each further one. */
static inline cap_model *bench_tensioner(const char *law, int nlane)
{
  cap_builder *builder = cap_builder_create(nlane);
  cap_model *model = NULL;
  cap_error error;
  if (!builder) exit(1);
  for (int lane = 0; lane < nlane; lane++) {
    char amplitude[64];
    snprintf(amplitude, sizeof amplitude, "load.amplitude=%d N", 100 + 10 * lane);
    const char *settings[] = {amplitude, "load.angular_frequency=60 rad/s"};
    cap_model_file *file = bench_example(law[0] == 'd' ? "tensioner_map_dahl" : "tensioner_map", 2, settings);
    cap_builder_lane(builder, lane);
    bench_need(file->drive->build(file->spec, builder, &error), &error);
    cap_model_file_free(file);
  }
  bench_need(cap_builder_finish(builder, &model, &error), &error);
  cap_builder_free(builder);
  return model;
}

#endif
