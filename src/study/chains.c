/* study/chains.c — see chains.h. */
#include "study/chains.h"

#include <stdlib.h>

/* What qsort is given: it has no other way to the values. */
typedef struct link {
  const cap_study *study;
  int64_t number;
  int64_t lowest; /* case of its chain */
} link;

/* Order of two cases by all that does not change along a chain; 0: they are of one chain. */
static int compare_rest(const link *a, const link *b)
{
  const cap_study *s = a->study;
  const double *x = s->values + a->number * s->nfactor, *y = s->values + b->number * s->nfactor;
  for (int i = 0; i < s->nindependent; i++) {
    int f = s->independent[i];
    if (f != s->along && x[f] != y[f]) return x[f] < y[f] ? -1 : 1;
  }
  return cap_study_replicate(s, a->number) - cap_study_replicate(s, b->number);
}

static int compare_numbers(int64_t a, int64_t b)
{
  return a < b ? -1 : a > b;
}

static int compare_alike(const void *first, const void *second)
{
  const link *a = first, *b = second;
  int rest = compare_rest(a, b);
  return rest ? rest : compare_numbers(a->number, b->number);
}

static int compare_along(const void *first, const void *second)
{
  const link *a = first, *b = second;
  const cap_study *s = a->study;
  if (a->lowest != b->lowest) return compare_numbers(a->lowest, b->lowest);
  const double x = s->values[a->number * s->nfactor + s->along],
               y = s->values[b->number * s->nfactor + s->along];
  if (x != y) return (x < y) != s->from_high ? -1 : 1;
  return compare_numbers(a->number, b->number);
}

static void make_single(cap_study *s)
{
  s->nchain = s->ncase;
  for (int64_t k = 0; k < s->ncase; k++) s->chains[k] = s->order[k] = k;
  s->chains[s->ncase] = s->ncase;
}

static void make_linked(cap_study *s, link *links)
{
  for (int64_t k = 0; k < s->ncase; k++) links[k] = (link){.study = s, .number = k};
  qsort(links, (size_t)s->ncase, sizeof *links, compare_alike);
  for (int64_t k = 0; k < s->ncase; k++)
    links[k].lowest = k > 0 && compare_rest(&links[k], &links[k - 1]) == 0 ? links[k - 1].lowest
                                                                           : links[k].number;
  qsort(links, (size_t)s->ncase, sizeof *links, compare_along);
  s->nchain = 0;
  for (int64_t k = 0; k < s->ncase; k++) {
    s->order[k] = links[k].number;
    if (k == 0 || links[k].lowest != links[k - 1].lowest) s->chains[s->nchain++] = k;
  }
  s->chains[s->nchain] = s->ncase;
}

cap_status cap_chains_make(cap_study *study, cap_error *error)
{
  study->chains = CAP_ARENA_NEW(&study->arena, int64_t, study->ncase + 1);
  study->order = CAP_ARENA_NEW(&study->arena, int64_t, study->ncase + 1);
  if (!study->chains || !study->order) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (study->along < 0 || study->ncase == 0) {
    make_single(study);
    return CAP_OK;
  }
  link *links = malloc((size_t)study->ncase * sizeof *links);
  if (!links) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  make_linked(study, links);
  free(links);
  return CAP_OK;
}
