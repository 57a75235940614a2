/* What `method: auto` costs beside each method that takes the same system: work against error from row to
 * row, for examples of every kind. Processor milliseconds per simulated second, and the distance from a
 * reference, the largest at ten times, each kind of state relative to its largest. The reference is one of
 * the two most exact methods that agree best, and what they differ by is as far as errors can be told apart.
 * Then the time of auto over that of the best of our own methods at equal error, interpolated between its
 * settings, and what CVODE takes; and what rows of 1 ms and 0.1 ms of a belt on springs cost over one go, in
 * evaluations. */
#include "base/clock.h"
#include "bench.h"
#include "bench_model.h"
#include "step/stepper.h"

#include <math.h>
#include <stdlib.h>

/* An example, how long it goes and how far its rows are apart, s. */
static const struct {
  const char *name;
  double span, every;
} examples[] = {{"accessory_drive", 0.1, 1e-4},      {"accessory_slip", 0.05, 1e-4},
                {"alternator_decoupler", 0.1, 1e-3}, {"compliant_hub", 0.05, 2e-4},
                {"hydraulic_tensioner", 0.1, 2e-4},  {"linear_tensioner", 0.05, 2e-4},
                {"belt_tensioner_mass", 1.0, 1e-3},  {"tensioner_rig", 1.0, 1e-3},
                {"tensioner_rig_dahl", 1.0, 1e-3},   {"tensioner_rig_measured", 1.0, 1e-3},
                {"tensioner_map_dahl", 0.5, 1e-3},   {"clearance_oscillator", 50.0, 0.1},
                {"duffing_backbone", 20.0, 0.1},     {"den_hartog", 2.0, 0.01},
                {"rolling_block", 1.0, 1e-3},        {"rolling_disc", 4.0, 0.02},
                {"rolling_trailer", 2.0, 0.01},      {"ring_free", 0.005, 5e-4}};
enum { EXAMPLES = sizeof examples / sizeof *examples, SETTINGS = 4, LOOKS = 10, REPEATS = 4 };
static const double PATIENCE = 0.5, PATIENCE_REFERENCE = 30.0; /* s of the clock for one run */
static const double SHORT = 0.05; /* s, which other work on the machine disturbs: the best of several */

typedef struct motion {
  const cap_model *m;
  cap_data *d;
  double *track, *reference; /* [LOOKS][nstate] of a run, of the most exact one */
  double known;              /* down to which errors are known */
  double span, every;
} motion;

typedef struct result {
  double work, error; /* ms per s, 1; work 0: it failed, or took too long */
} result;

static double distance_at(const cap_model *m, const double *a, const double *b, const double *size)
{
  int from[4] = {0, m->nv, 2 * m->nv, m->nstate};
  double worst = 0.0;
  for (int kind = 0; kind < 3; kind++) {
    double gap = 0.0;
    for (int i = from[kind]; i < from[kind + 1]; i++) gap = fmax(gap, fabs(a[i] - b[i]));
    if (size[kind] > 0.0) worst = fmax(worst, gap / size[kind]);
  }
  return worst;
}

/* Of two tracks. */
static double distance(const cap_model *m, const double *a, const double *b)
{
  double worst = 0.0, size[3] = {0.0};
  for (int k = 0; k < LOOKS * m->nstate; k++) {
    int i = k % m->nstate, kind = i < m->nv ? 0 : i < 2 * m->nv ? 1 : 2;
    size[kind] = fmax(size[kind], fabs(b[k]) + (kind == 1 ? fabs(m->base[i - m->nv]) : 0.0));
  }
  for (int k = 0; k < LOOKS; k++)
    worst = fmax(worst, distance_at(m, a + k * m->nstate, b + k * m->nstate, size));
  return worst;
}

/* The k-th setting of a method, from coarse to fine. */
static cap_stepper_settings setting(const cap_stepper_type *type, int k)
{
  cap_stepper_settings s = {.audit = true, .carry = true};
  if (type->fixed && !type->chosen && !type->varies) s.step = 1e-3 * pow(4.0, -k);
  s.tolerance = 1e-4 * pow(0.01, k);
  return s;
}

/* The track of a run; whether it got to its end. */
static bool go(motion *w, const cap_stepper_type *type, const cap_stepper_settings *settings, double every,
               double patience)
{
  cap_stepper stepper;
  cap_error error;
  cap_progress clock = {.deadline = cap_clock_wall() + patience};
  const int n = w->m->nstate;
  cap_data_reset(w->m, w->d);
  double start = *w->d->t;
  cap_status status = cap_stepper_create(type, w->m, settings, &stepper, &error);
  ((cap_model *)w->m)->progress = &clock;
  int64_t rows = (int64_t)(w->span / every + 0.5), looks = 0;
  for (int64_t k = 1; status == CAP_OK && k <= rows; k++) {
    double t = start + (double)k * every;
    status = cap_stepper_advance(&stepper, w->m, w->d, &t, NULL, &error);
    if (looks < LOOKS && k * LOOKS >= (looks + 1) * rows)
      memcpy(w->track + n * looks++, w->d->y, sizeof(double) * (size_t)n);
  }
  ((cap_model *)w->m)->progress = NULL;
  cap_stepper_free(&stepper);
  return status == CAP_OK;
}

static result measure(motion *w, const cap_stepper_type *type, const cap_stepper_settings *settings)
{
  double took = INFINITY;
  for (int k = 0; k < (took < SHORT ? REPEATS : 1); k++) {
    double start = bench_cpu();
    if (!go(w, type, settings, w->every, PATIENCE)) return (result){0.0, 0.0};
    took = fmin(took, bench_cpu() - start);
  }
  return (result){1e3 * took / w->span, fmax(distance(w->m, w->track, w->reference), w->known)};
}

static cap_stepper_settings setting_of_reference(const cap_stepper_type *type, double longer)
{
  return (cap_stepper_settings){.tolerance = type->varies ? 0.0 : 1e-12 * longer,
                                .step = type->varies ? 2e-6 * longer : 0.0};
}

/* What a method alone that is not exact differs by from itself with twice the step; 0: it is exact. */
static double repeated(motion *w, const cap_stepper_type *type, const double *track)
{
  cap_stepper_settings s = setting_of_reference(type, 2.0);
  if (type->exact) return 0.0;
  return go(w, type, &s, w->span / LOOKS, PATIENCE_REFERENCE) ? distance(w->m, w->track, track) : INFINITY;
}

/* By those two of the most exact methods that agree best; one that is exact, or the only one, alone. */
static bool refer(motion *w)
{
  static const cap_stepper_type *const exact[] = {&cap_propagate_type,      &cap_extrapolate_type,
                                                  &cap_rk_8_type,           &cap_radau_type,
                                                  &cap_theta_midpoint_type, &cap_multirate_type};
  enum { EXACT = sizeof exact / sizeof *exact };
  size_t size = sizeof(double) * LOOKS * (size_t)w->m->nstate;
  double *tracks[EXACT];
  const cap_stepper_type *alone = NULL;
  int n = 0, best = -1;
  for (int k = 0; k < EXACT && !(n && exact[k - 1]->exact); k++) {
    cap_stepper_settings s = setting_of_reference(exact[k], 1.0);
    if (cap_stepper_obstacle(exact[k], w->m)) continue;
    if (!go(w, exact[k], &s, w->span / LOOKS, PATIENCE_REFERENCE)) continue;
    if (!(tracks[n] = malloc(size))) exit(1);
    memcpy(tracks[n++], w->track, size);
    alone = exact[k];
  }
  w->known = INFINITY;
  for (int i = 0; i < n; i++)
    for (int j = i + 1; j < n; j++) {
      double apart = distance(w->m, tracks[j], tracks[i]);
      if (apart < w->known) w->known = apart, best = i;
    }
  if (n == 1) w->known = repeated(w, alone, tracks[0]);
  if (n) memcpy(w->reference, tracks[best < 0 ? 0 : best], size);
  for (int i = 0; i < n; i++) free(tracks[i]);
  return n > 0;
}

/* The least work for an error of at most `error`, between settings in proportion of the logarithms; 0:
 * none. */
static double work_for(const result *r, double error)
{
  double least = 0.0;
  for (int k = 0; k < SETTINGS; k++) {
    double work = r[k].work > 0.0 && r[k].error <= error ? r[k].work : 0.0;
    if (work > 0.0 && k > 0 && r[k - 1].work > 0.0 && r[k - 1].error > error && r[k].error > 0.0) {
      double part = log(r[k - 1].error / error) / log(r[k - 1].error / r[k].error);
      work = r[k - 1].work * pow(work / r[k - 1].work, part);
    }
    if (work > 0.0 && (least == 0.0 || work < least)) least = work;
  }
  return least;
}

static void compare(bench_table *table, const char *name, motion *w)
{
  const cap_stepper_type *mover = cap_stepper_mover(w->m);
  result all[32][SETTINGS] = {{{0}}};
  char text[96];
  int own = -1;
  if (!refer(w)) return;
  snprintf(text, sizeof text, "%s: errors are known to", name);
  bench_row(table, text, w->m->nstate, w->known, "1");
  for (int t = 0; cap_stepper_types[t]; t++) {
    const cap_stepper_type *type = cap_stepper_types[t];
    if (cap_stepper_obstacle(type, w->m)) continue;
    if (type == mover) own = t;
    for (int k = 0; k < (type->exact || type->chosen ? 1 : SETTINGS); k++) {
      cap_stepper_settings s = setting(type, k);
      all[t][k] = measure(w, type, &s);
      if (!(all[t][k].work > 0.0)) continue;
      snprintf(text, sizeof text, "%s: %s%s %d", name, type->name, type == mover ? " (auto)" : "", k);
      bench_row(table, text, w->m->nstate, all[t][k].work, "ms/s");
      bench_row(table, text, w->m->nstate, all[t][k].error, "error");
    }
  }
  /* at the errors of auto's own settings */
  for (int k = 0; own >= 0 && k < SETTINGS; k++) {
    const result *r = &all[own][k];
    double best = 0.0, cvode = 0.0;
    if (!(r->work > 0.0) || r->error <= w->known) continue;
    for (int t = 0; cap_stepper_types[t]; t++) {
      double work = work_for(all[t], r->error);
      if (strcmp(cap_stepper_types[t]->name, "cvode") == 0) cvode = work;
      else if (work > 0.0 && (best == 0.0 || work < best)) best = work;
    }
    snprintf(text, sizeof text, "%s: auto %d over the best", name, k);
    bench_row(table, text, w->m->nstate, best > 0.0 ? r->work / best : 1.0, "1");
    snprintf(text, sizeof text, "%s: cvode over auto %d", name, k);
    if (cvode > 0.0) bench_row(table, text, w->m->nstate, cvode / r->work, "1");
  }
}

/* Evaluations of auto over those of one go. */
static void rows_cost(bench_table *table, motion *w)
{
  const cap_stepper_type *type = cap_stepper_mover(w->m);
  const cap_stepper_settings s = {.tolerance = 1e-8, .audit = true, .carry = true};
  double whole = 0.0;
  for (int k = 0; k < 3; k++) {
    const double every[] = {w->span, 1e-3, 1e-4};
    if (!go(w, type, &s, every[k], PATIENCE)) return;
    double count = (double)w->d->steps[CAP_STEPS_EVALUATIONS];
    if (k == 0) whole = count;
    bench_row(table, "belt on springs: evaluations over one go", (long)(1e6 * every[k] + 0.5), count / whole,
              "1");
  }
}

int main(int argc, char **argv)
{
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  for (int k = 0; k < EXAMPLES; k++) {
    cap_model_file *file = bench_example(examples[k].name, 0, NULL);
    cap_model *m = NULL;
    cap_error error;
    bench_need(cap_execute_build(file, &m, &error), &error);
    size_t track = sizeof(double) * LOOKS * (size_t)m->nstate;
    motion w = {.m = m,
                .d = cap_data_create(m),
                .track = malloc(track),
                .reference = malloc(track),
                .span = examples[k].span,
                .every = examples[k].every};
    if (!w.d || !w.track || !w.reference) exit(1);
    if (k == 0) rows_cost(&table, &w);
    if (m->nlane == 1) compare(&table, examples[k].name, &w);
    cap_data_free(w.d);
    free(w.track);
    free(w.reference);
    cap_model_free(m);
    cap_model_file_free(file);
  }
  return bench_close(&table);
}
