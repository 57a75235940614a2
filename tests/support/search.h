/* A search in the oscillator with clearance over 0.1 to 1.6 rad/s, and what is compared of its outcome:
 * period, range and folds of every branch, whatever its name and the order. Include after cmocka.h. */
#pragma once
#include "analysis/search/search.h"
#include "clearance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct test_branch {
  int period, nfold;
  bool closed;
  double low, high, folds[16]; /* ascending */
} test_branch;

enum { TEST_BRANCHES = 64 };

typedef struct test_search {
  test_clearance c;
  cap_model *m;
  cap_hb_branches *set;
  int n;
  test_branch branches[TEST_BRANCHES]; /* sorted by period, then by where they begin and end */
} test_search;

static inline int test_search_compare(const void *a, const void *b)
{
  const test_branch *x = a, *y = b;
  if (x->period != y->period) return x->period - y->period;
  if (fabs(x->low - y->low) > 1e-6) return x->low < y->low ? -1 : 1;
  if (fabs(x->high - y->high) > 1e-6) return x->high < y->high ? -1 : 1;
  return x->nfold - y->nfold;
}

static inline int test_search_ascending(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static inline void test_search_describe(test_search *t)
{
  t->n = cap_hb_branches_count(t->set);
  assert_true(t->n <= TEST_BRANCHES);
  for (int b = 0; b < t->n; b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(t->set, b);
    test_branch *own = &t->branches[b];
    *own = (test_branch){.period = branch->sub, .closed = branch->closed, .low = INFINITY, .high = -INFINITY};
    for (int k = 0; k < branch->npoint; k++) {
      own->low = fmin(own->low, branch->points[k].p);
      own->high = fmax(own->high, branch->points[k].p);
      if (branch->points[k].kind == CAP_HB_FOLD && own->nfold < 16)
        own->folds[own->nfold++] = branch->points[k].p;
    }
    qsort(own->folds, (size_t)own->nfold, sizeof(double), test_search_ascending);
  }
  qsort(t->branches, (size_t)t->n, sizeof *t->branches, test_search_compare);
}

static inline void test_search_run(test_search *t, const test_clearance *c, const cap_search_spec *spec,
                                   uint64_t seed)
{
  cap_error error = {0};
  char note[2][400];
  *t = (test_search){.c = *c};
  cap_hb_branches_settings settings = {
      .first = 0.1, .last = 1.6, .harmonics = 12, .samples = c->kind ? 512 : 0, .stability = true};
  settings.source = (cap_hb_curve_source){test_clearance_build, &t->c, 0.1, 1.6};
  cap_search s = {.spec = spec, .seed = seed};
  if (test_clearance_build(&t->c, 0.1, &t->m, &error) != CAP_OK ||
      cap_hb_branches_create(t->m, &settings, &t->set, &error) != CAP_OK ||
      cap_hb_branches_follow_ends(t->set, note, &error) != CAP_OK)
    fail_msg("%s", error.text);
  s.set = t->set;
  if (cap_search_run(&s, &error) != CAP_OK) fail_msg("%s", error.text);
  test_search_describe(t);
}

static inline void test_search_close(test_search *t)
{
  cap_hb_branches_free(t->set);
  cap_model_free(t->m);
}

/* Whether two searches found the same: the largest difference of a fold or of a range, or infinity. */
static inline double test_search_difference(const test_search *a, const test_search *b)
{
  double worst = 0.0;
  if (a->n != b->n) return INFINITY;
  for (int k = 0; k < a->n; k++) {
    const test_branch *x = &a->branches[k], *y = &b->branches[k];
    if (x->period != y->period || x->nfold != y->nfold || x->closed != y->closed) return INFINITY;
    worst = fmax(worst, fmax(fabs(x->low - y->low), fabs(x->high - y->high)));
    for (int i = 0; i < x->nfold; i++) worst = fmax(worst, fabs(x->folds[i] - y->folds[i]));
  }
  return worst;
}

static inline void test_search_print(const test_search *t)
{
  for (int k = 0; k < t->n; k++) {
    const test_branch *b = &t->branches[k];
    print_message("  period %d%s %.5f..%.5f, folds", b->period, b->closed ? ", closed," : "", b->low,
                  b->high);
    for (int i = 0; i < b->nfold; i++) print_message(" %.5f", b->folds[i]);
    print_message("\n");
  }
}
