/* bench/bench_multirate.c — what a step costs beside the elements: ns a coordinate and part of a step. */
#include "bench.h"
#include "model/builder.h"
#include "model/data.h"
#include "step/stepper.h"

#include <stdlib.h>

enum { STEPS = 1000 };

typedef struct scene {
  cap_model *m;
  cap_data *d;
  int substeps;
} scene;

static void nothing(const cap_batch *b, cap_eval *e)
{
  (void)b, (void)e;
}

static const cap_element_type fast_type = {.name = "fast", .wide = true, .fast = true, .rates = nothing},
                              slow_type = {.name = "slow", .wide = true, .rates = nothing};

static void open_scene(scene *s, int n)
{
  cap_error error = {0};
  cap_builder *b = cap_builder_create(1);
  if (!b) abort();
  for (int k = 0; k < n; k++) {
    char name[32];
    snprintf(name, sizeof name, "body.%d", k);
    cap_builder_dof(b, name, "m", 1.0, 0.0, 1.0);
  }
  cap_builder_element(b, &fast_type, "fast", 0, CAP_GROUND, NULL, NULL);
  cap_builder_element(b, &slow_type, "slow", 0, CAP_GROUND, NULL, NULL);
  if (cap_builder_finish(b, &s->m, &error) != CAP_OK || !(s->d = cap_data_create(s->m))) abort();
  cap_builder_free(b);
}

static void run(void *self)
{
  scene *s = self;
  cap_stepper stepper;
  cap_error error = {0};
  cap_stepper_settings settings = {.step = 1e-6, .substeps = s->substeps, .audit = true};
  double until = *s->d->t + 1e-6 * STEPS;
  if (cap_stepper_create(&cap_multirate_type, s->m, &settings, &stepper, &error) != CAP_OK ||
      cap_stepper_advance(&stepper, s->m, s->d, &until, NULL, &error) != CAP_OK)
    abort();
  cap_stepper_free(&stepper);
}

int main(int argc, char **argv)
{
  static const int parts[] = {1, 2, 4, 8};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int k = 0; k < 4; k++) {
    scene s = {.substeps = parts[k]};
    open_scene(&s, 1700);
    bench_row(&table, "1700 coordinates, by parts of a step", parts[k],
              bench_best(run, &s, 0.2) * 1e9 / ((double)STEPS * parts[k] * s.m->nv),
              "ns/coordinate and part");
    cap_data_free(s.d);
    cap_model_free(s.m);
  }
  return bench_close(&table);
}
