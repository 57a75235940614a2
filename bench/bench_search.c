/* The search for detached and sub-harmonic branches of the oscillator with clearance, case 2: time of its
 * parts, branches of each period, and whether twenty seeds agree. With "list" as first argument all branches
 * are listed instead, for one seed; "list alpha smoothing sigma H2 seed" takes another case. */
#include "bench.h"

#include "../tests/support/clearance.h"
#include "analysis/search/search.h"

#include <math.h>
#include <stdlib.h>

enum { SEEDS = 20, TEXT = 1 << 16 };

typedef struct outcome {
  double total, parts[5]; /* s */
  int nbranch, of_period[13], noffer, nlost;
  char text[TEXT]; /* signature: what does not depend on names and order */
} outcome;

static int compare(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Period, closed or not, range and folds of every branch, sorted. */
static void sign(const cap_hb_branches *set, outcome *o)
{
  int n = cap_hb_branches_count(set);
  char **lines = calloc((size_t)n, sizeof *lines);
  o->nbranch = n;
  for (int b = 0; lines && b < n; b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(set, b);
    double low = INFINITY, high = -INFINITY, folds[64];
    int nfold = 0;
    for (int k = 0; k < branch->npoint; k++) {
      low = fmin(low, branch->points[k].p);
      high = fmax(high, branch->points[k].p);
      if (branch->points[k].kind == CAP_HB_FOLD && nfold < 64) folds[nfold++] = branch->points[k].p;
    }
    for (int i = 0; i < nfold; i++)
      for (int j = i + 1; j < nfold; j++)
        if (folds[j] < folds[i]) {
          double keep = folds[i];
          folds[i] = folds[j];
          folds[j] = keep;
        }
    if (branch->sub <= 12) o->of_period[branch->sub]++;
    lines[b] = malloc(2048);
    if (!lines[b]) continue;
    int used = snprintf(lines[b], 2048, "%d%s %.4f..%.4f:", branch->sub, branch->closed ? " closed" : "", low,
                        high);
    for (int i = 0; i < nfold && used < 2000; i++)
      used += snprintf(lines[b] + used, 2048 - (size_t)used, " %.4f", folds[i]);
  }
  if (lines) qsort(lines, (size_t)n, sizeof *lines, compare);
  size_t used = 0;
  for (int b = 0; lines && b < n; b++) {
    used += (size_t)snprintf(o->text + used, TEXT - used, "%s\n", lines[b]);
    if (used >= TEXT) used = TEXT - 1;
    free(lines[b]);
  }
  free(lines);
}

static void list(const cap_hb_branches *set)
{
  for (int b = 0; b < cap_hb_branches_count(set); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(set, b);
    double low = INFINITY, high = -INFINITY;
    int stable = 0;
    printf("%-14s period %d, %4d points, %s; found: %s\n   ", branch->name, branch->sub, branch->npoint,
           branch->closed ? "closed" : "open", branch->found);
    for (int k = 0; k < branch->npoint; k++) {
      const cap_hb_point *point = &branch->points[k];
      static const char *const kinds[] = {"", "fold", "branch", "double", "torus"};
      low = fmin(low, point->p);
      high = fmax(high, point->p);
      stable += point->unstable == 0;
      if (point->kind) printf(" %s %.5f", kinds[point->kind], point->p);
    }
    printf("\n    from %.5f to %.5f, %.0f %% stable; ends: %s | %s\n", low, high,
           100.0 * stable / branch->npoint, branch->end[0], branch->end[1]);
  }
}

static int search(const test_clearance *c, const cap_search_spec *spec, uint64_t seed, int print, outcome *o)
{
  cap_error error = {0};
  cap_model *m = NULL;
  cap_hb_branches *set = NULL;
  char note[2][400];
  test_clearance own = *c;
  cap_hb_branches_settings settings = {.first = 0.1,
                                       .last = 1.6,
                                       .harmonics = 12,
                                       .samples = c->kind == CAPM_SMOOTHING_ABS ? 0 : 512,
                                       .stability = true};
  settings.source = (cap_hb_curve_source){test_clearance_build, &own, 0.1, 1.6};
  cap_search s = {.spec = spec, .seed = seed};
  *o = (outcome){0};
  cap_status status = test_clearance_build(&own, 0.1, &m, &error);
  double start = bench_cpu();
  if (status == CAP_OK) status = cap_hb_branches_create(m, &settings, &set, &error);
  if (status == CAP_OK) status = cap_hb_branches_follow_ends(set, note, &error);
  s.set = set;
  if (status == CAP_OK) status = cap_search_run(&s, &error);
  o->total = bench_cpu() - start;
  memcpy(o->parts, s.seconds, sizeof o->parts);
  o->noffer = s.noffer;
  o->nlost = s.nlost;
  if (status != CAP_OK) fprintf(stderr, "%s\n", error.text);
  else {
    sign(set, o);
    if (print) list(set);
  }
  cap_hb_branches_free(set);
  cap_model_free(m);
  return status != CAP_OK;
}

static const cap_search_spec usual = {.values = 30, .load = 30, .states = 32, .periods = 3};

static int list_case(int argc, char **argv)
{
  static outcome o;
  test_clearance c = {.alpha = argc > 2 ? atof(argv[2]) : 0.0,
                      .kind = argc > 3 ? atoi(argv[3]) : CAPM_SMOOTHING_ABS,
                      .sigma = argc > 4 ? atof(argv[4]) : 100.0,
                      .h2 = argc > 5 ? atof(argv[5]) : 0.0};
  c.h1 = 0.25 * c.h2;
  cap_search_spec spec = usual;
  for (int k = 7; k < argc; k++) {
    if (strcmp(argv[k], "folds") == 0) spec.folds = true;
    if (strcmp(argv[k], "deflation") == 0) spec.deflation = true;
    if (strcmp(argv[k], "noload") == 0) spec.load = 0;
    if (strcmp(argv[k], "nostates") == 0) spec.states = 0;
    if (strncmp(argv[k], "states=", 7) == 0) spec.states = atoi(argv[k] + 7);
    if (strncmp(argv[k], "values=", 7) == 0) spec.values = atoi(argv[k] + 7);
    if (strncmp(argv[k], "periods=", 8) == 0) spec.periods = atoi(argv[k] + 8);
  }
  int failed = search(&c, &spec, argc > 6 ? (uint64_t)atoi(argv[6]) : 1, 1, &o);
  printf("%.3f s: switching %.3f, load %.3f, states %.3f, folds %.3f, deflation %.3f; %d candidates, %d "
         "lost\n%s",
         o.total, o.parts[0], o.parts[1], o.parts[2], o.parts[3], o.parts[4], o.noffer, o.nlost, o.text);
  return failed;
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "list") == 0) return list_case(argc, argv);
  static outcome first, other;
  bench_table table;
  if (bench_open(&table, argc, argv)) return 1;
  static const struct {
    const char *name;
    test_clearance c;
  } cases[] = {{"case 2 exact", {.sigma = 100.0}},
               {"case 2 g1 sigma 100", {.kind = CAPM_SMOOTHING_G1, .sigma = 100.0}}};
  int failed = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char name[96];
    double best = INFINITY;
    int agree = 0, seeds = k == 0 ? SEEDS : 3;
    for (int seed = 0; seed < seeds; seed++) {
      outcome *o = seed ? &other : &first;
      if (search(&cases[k].c, &usual, (uint64_t)seed + 1, 0, o)) return 1;
      best = fmin(best, o->total);
      agree += seed == 0 || strcmp(o->text, first.text) == 0;
      if (seed && strcmp(o->text, first.text) != 0)
        printf("seed %d differs:\n%s---\n%s", seed + 1, first.text, o->text);
    }
    snprintf(name, sizeof name, "%s: search", cases[k].name);
    bench_row(&table, name, first.nbranch, best, "s");
    for (int p = 1; p <= usual.periods; p++) {
      snprintf(name, sizeof name, "%s: branches of period %d", cases[k].name, p);
      bench_row(&table, name, p, first.of_period[p], "branches");
    }
    snprintf(name, sizeof name, "%s: seeds that agree", cases[k].name);
    bench_row(&table, name, seeds, agree, "seeds");
    failed |= agree < seeds;
  }
  return bench_close(&table) || failed;
}
