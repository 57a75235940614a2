/* bench/bench_variator.c — the whole drive variator at i = 1, 2000 rpm, 48 N m: processor seconds per
 * revolution of the belt, ns an element and step, and part of a step, and the power that its energy balance
 * misses. Over the number of elements; and with 437, sheaves that give way otherwise, other rings, and
 * set-valued contacts: rows of table 3.2 of the variator document and their cost over that of the smooth run
 * before them.
 */
#include "bench.h"
#include "bench_model.h"
#include "drives/pushbelt/description/variator.h"
#include "model/data.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>

/* s: what is left out at the start, and what is timed (the belt takes 57 ms once round); the ring `rcm` has a
 * tenth of both. */
static const double settled = 4e-3, timed = 20e-3;

typedef struct scene {
  cap_model_file *file;
  cap_model *m;
  cap_data *d;
  cap_stepper stepper;
} scene;

/* A belt of as many elements that are so much thinner. */
static const char *const fine[] = {"elements.real=1000",         "element.thickness=0.6555 mm",
                                   "element.mass=0.98325 g",     "element.inertia=1.2804e-8 kg m2",
                                   "flank.stiffness=8.74e6 N/m", "guide.saddle=4.37e6 N/m"};
enum { NFINE = sizeof fine / sizeof *fine };

enum { MORE = 3 };

/* parts: of a step; 0 = as many as it takes. */
static void open_scene(scene *s, int elements, const char *const more[MORE], int parts)
{
  char count[64];
  cap_error error = {0};
  const char *settings[1 + MORE + NFINE] = {count};
  int n = 1;
  snprintf(count, sizeof count, "elements.simulated=%d", elements);
  for (int k = 0; elements > 437 && k < NFINE; k++) settings[n++] = fine[k];
  for (int k = 0; more && k < MORE && more[k]; k++) settings[n++] = more[k];
  s->file = bench_example("variator", n, settings);
  bench_need(cap_execute_build(s->file, &s->m, &error), &error);
  s->d = cap_data_create(s->m);
  if (!s->d) exit(1);
  cap_stepper_settings choice = {.audit = true, .substeps = parts};
  bench_need(cap_stepper_create(&cap_multirate_type, s->m, &choice, &s->stepper, &error), &error);
}

static void close_scene(scene *s)
{
  cap_stepper_free(&s->stepper);
  cap_data_free(s->d);
  cap_model_free(s->m);
  cap_model_file_free(s->file);
}

static void go(scene *s, double until)
{
  cap_error error = {0};
  bench_need(cap_stepper_advance(&s->stepper, s->m, s->d, &until, NULL, &error), &error);
}

/* Of the belt, s. */
static double revolution(const scene *s)
{
  const cap_variator *v = cap_variator_of(s->m);
  double speed = 0.0;
  for (int k = 0; k < v->simulated; k++) speed += hypot(s->d->v[v->x + k], s->d->v[v->y + k]) / v->simulated;
  return v->real * v->element.thickness / speed;
}

/* What the balance misses, over the energy that passed through. */
static double residual(const scene *s)
{
  double scale = 0.0;
  cap_balance_line *lines = calloc((size_t)s->m->nmech + 3, sizeof *lines);
  if (!lines) exit(1);
  int n = cap_data_balance(s->m, s->d, 0, lines, &scale);
  double missed = fabs(lines[n - 1].energy) / scale;
  free(lines);
  return missed;
}

/* Iterations of a step for the set-valued forces. */
static void tell_held(bench_table *table, const char *name, const scene *s)
{
  char text[80];
  const int64_t *n = s->d->impacts;
  if (!s->m->impulses) return;
  snprintf(text, sizeof text, "%s: iterations a step", name);
  bench_row(table, text, cap_variator_of(s->m)->simulated,
            (double)n[CAP_IMPACTS_ITERATIONS] / (double)n[CAP_IMPACTS_STEPS], "");
  snprintf(text, sizeof text, "%s: steps not to tolerance", name);
  bench_row(table, text, cap_variator_of(s->m)->simulated, (double)n[CAP_IMPACTS_MISSED], "");
}

/* Returns processor seconds of a simulated one. */
static double time_all(bench_table *table, const char *name, int elements, const char *const more[MORE],
                       double share)
{
  char text[80];
  scene s;
  open_scene(&s, elements, more, 0);
  go(&s, share * settled);
  cap_data_start_audit(s.m, s.d);
  cap_data_start_impacts(s.m, s.d);
  int64_t steps = s.d->steps[CAP_STEPS_STEPS];
  double took = bench_cpu(), from = *s.d->t;
  go(&s, from + share * timed);
  took = bench_cpu() - took;
  steps = s.d->steps[CAP_STEPS_STEPS] - steps;
  snprintf(text, sizeof text, "%s: a revolution", name);
  bench_row(table, text, elements, took * revolution(&s) / (share * timed), "s");
  snprintf(text, sizeof text, "%s: an element and step", name);
  bench_row(table, text, elements, 1e9 * took / ((double)steps * elements), "ns");
  double step = 0.0;
  int parts = 0;
  s.stepper.type->chosen(s.stepper.memory, &step, &parts);
  snprintf(text, sizeof text, "%s: step", name);
  bench_row(table, text, elements, 1e6 * step, "us");
  snprintf(text, sizeof text, "%s: parts of a step", name);
  bench_row(table, text, elements, parts, "");
  snprintf(text, sizeof text, "%s: an element and part of a step", name);
  bench_row(table, text, elements, 1e9 * took / ((double)steps * elements * fmax(parts, 1)), "ns");
  snprintf(text, sizeof text, "%s: power missed", name);
  bench_row(table, text, elements, residual(&s), "of that through it");
  tell_held(table, name, &s);
  close_scene(&s);
  return took / (share * timed);
}

/* Processor seconds of a step; parts: as many as it takes where 0, and how many that are. */
static double time_step(int elements, int *parts)
{
  static const char *const none[MORE] = {NULL};
  scene s;
  double step;
  open_scene(&s, elements, none, *parts);
  go(&s, settled);
  int64_t steps = s.d->steps[CAP_STEPS_STEPS];
  double took = bench_cpu();
  go(&s, *s.d->t + 0.3 * timed);
  took = bench_cpu() - took;
  steps = s.d->steps[CAP_STEPS_STEPS] - steps;
  s.stepper.type->chosen(s.stepper.memory, &step, parts);
  close_scene(&s);
  return took / (double)steps;
}

/* What one more part of a step costs, by steps of twice as many. */
static void time_part(bench_table *table, const char *name, int elements)
{
  char text[80];
  int once = 0, twice;
  double less = time_step(elements, &once);
  twice = 2 * once;
  double more = time_step(elements, &twice);
  snprintf(text, sizeof text, "%s: an element and further part", name);
  bench_row(table, text, elements, 1e9 * (more - less) / ((double)(twice - once) * elements), "ns");
}

static void time_case(bench_table *table, const char *name, int elements, const char *more, double share)
{
  const char *const one[MORE] = {more};
  time_all(table, name, elements, one, share);
}

/* Rows of table 3.2, and what they cost. */
static void time_set_valued(bench_table *table, int elements)
{
  static const struct {
    const char *name, *more[MORE];
  } rows[] = {
      {"NSSa", {"guide.sticking=set-valued"}},
      {"NSRi", {"guide.sticking=set-valued", "guide.normal=set-valued"}},
      {"NSFl", {"flank.sticking=set-valued"}},
      {"NSFri", {"guide.sticking=set-valued", "flank.sticking=set-valued"}},
      {"NSALL", {"guide.sticking=set-valued", "guide.normal=set-valued", "flank.sticking=set-valued"}}};
  double smooth = time_all(table, "smooth", elements, NULL, 1.0);
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    char text[80];
    double took = time_all(table, rows[k].name, elements, rows[k].more, 1.0);
    snprintf(text, sizeof text, "%s: cost", rows[k].name);
    bench_row(table, text, elements, took / smooth, "of the smooth run");
  }
}

int main(int argc, char **argv)
{
  static const int sizes[] = {110, 218, 437, 1000};
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  /* Joints of thin elements are stiffer and need more parts of a step: not an element and step costs the same
   * whatever their number, but an element and further part, and what is done once a step. */
  for (int k = 0; k < 4; k++) {
    time_case(&table, "tilt and ale", sizes[k], NULL, 1.0);
    time_part(&table, "tilt and ale", sizes[k]);
  }
  time_case(&table, "tilt+plate and ale", 437, "compliance.kind=tilt+plate", 1.0);
  time_case(&table, "rigid and ale", 437, "compliance.kind=none", 1.0);
  time_case(&table, "tilt and ancf", 437, "ring.model=ancf", 1.0);
  time_case(&table, "tilt and ale0", 437, "ring.model=ale0", 1.0);
  time_case(&table, "tilt and rcm", 437, "ring.model=rcm", 0.1);
  time_set_valued(&table, 437);
  return bench_close(&table);
}
