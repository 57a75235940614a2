/* report/budget.c — see budget.h. */
#include "report/budget.h"
#include "report/writer.h"

#include <string.h>

enum {
  EXACT_BYTES = 3000000, /* results whose tables are no larger keep their 64 bits throughout */
  ROWS_OF_USE = 32000,   /* of a table; more would not be seen in a plot */
  WEIGHT = 4,            /* of tables and films */
  ROW_OF_WORDS = 260,    /* keys, brackets and numbers beside the texts of a column or item */
  SLACK = 100000,
  LEAST_ROOM = 500000,
};

bool cap_budget_is_film(const cap_results_dataset *dataset)
{
  return dataset->role == CAP_RESULTS_ARRAY && strncmp(dataset->name, "film.", 5) == 0;
}

int64_t cap_budget_array_size(const cap_results_dataset *dataset)
{
  int64_t count = cap_results_tree_count(dataset);
  bool single = cap_budget_is_film(dataset) ? dataset->rank > 1 : count > CAP_WRITER_EXACT;
  return count * (single ? 4 : 8);
}

bool cap_budget_is_cases(const cap_results_group *group)
{
  return group->kind && strcmp(group->kind, "study") == 0;
}

static int64_t exact_values(const cap_results_tree *tree)
{
  double bytes = 0;
  for (int i = 0; i < tree->ngroup; i++)
    bytes += 8.0 * (double)tree->groups[i]->nrow * tree->groups[i]->ncolumn;
  return bytes <= EXACT_BYTES ? EXACT_BYTES / 8 : CAP_WRITER_EXACT;
}

static int64_t table_size(const cap_results_group *group, int64_t exact)
{
  int64_t ncolumn = group->ncolumn, nrow = group->nrow;
  if (nrow > ROWS_OF_USE && !cap_budget_is_cases(group)) nrow = ROWS_OF_USE;
  if (group->nrow * ncolumn <= exact) return group->nrow * ncolumn * 8;
  return nrow * (ncolumn + 1) * 4;
}

static double at_most(int64_t size, double limit)
{
  return (double)size < limit ? (double)size : limit;
}

/* Bytes of everything at a level of sharing. An array is whole or not at all: `limit` is the largest that is
 * whole, or negative as long as that is not known. */
static double taken(const cap_results_tree *tree, double level, int64_t exact, double limit)
{
  double sum = 0;
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *group = tree->groups[i];
    int64_t film = 0;
    sum += at_most(table_size(group, exact), WEIGHT * level);
    for (int k = 0; k < group->nitem; k++) {
      if (group->items[k].role != CAP_RESULTS_ARRAY) continue;
      int64_t size = cap_budget_array_size(&group->items[k]);
      if (cap_budget_is_film(&group->items[k])) film += size;
      else if (limit < 0) sum += at_most(size, level);
      else if ((double)size <= limit) sum += (double)size;
    }
    sum += at_most(film, WEIGHT * level);
  }
  return sum;
}

static double find_level(const cap_results_tree *tree, int64_t bytes, int64_t exact, double limit)
{
  double low = 0, high = (double)bytes;
  for (int i = 0; i < 60; i++) {
    double middle = 0.5 * (low + high);
    if (taken(tree, middle, exact, limit) <= (double)bytes) low = middle;
    else high = middle;
  }
  return low;
}

cap_budget cap_budget_share(const cap_results_tree *tree, int64_t bytes)
{
  int64_t exact = exact_values(tree);
  double limit = find_level(tree, bytes, exact, -1);
  /* What large arrays would have taken is for tables and films. */
  double level = find_level(tree, bytes, exact, limit);
  return (cap_budget){.table = (int64_t)(WEIGHT * level),
                      .film = (int64_t)(WEIGHT * level),
                      .array = (int64_t)limit,
                      .exact = exact};
}

static int64_t length(const char *text)
{
  int64_t n = text ? (int64_t)strlen(text) : 0;
  return n < CAP_BUDGET_TEXT ? n : CAP_BUDGET_TEXT;
}

static int64_t words_of(const cap_results_dataset *d)
{
  return ROW_OF_WORDS + length(d->name) + length(d->unit) + length(d->long_name) + length(d->text);
}

/* Bytes of JSON, about. */
static int64_t words(const cap_results_tree *tree)
{
  int64_t sum = 3 * length(tree->meta.model) + 10000; /* the text, and the table of settings */
  for (int i = 0; i < tree->ngroup; i++) {
    const cap_results_group *group = tree->groups[i];
    sum += 1000 + 100 * group->balance.nline;
    for (int k = 0; k < group->nitem; k++) sum += words_of(&group->items[k]);
    for (int k = 0; k < group->ncolumn; k++) sum += 2 * words_of(&group->columns[k]); /* also in the tail */
  }
  return sum;
}

int64_t cap_budget_room(size_t template_size, int ntree, const cap_results_tree *const *trees)
{
  int64_t room = CAP_BUDGET_PAGE - (int64_t)template_size - SLACK;
  for (int i = 0; i < ntree; i++) room -= words(trees[i]);
  room = room / 4 * 3;
  return room > LEAST_ROOM ? room : LEAST_ROOM;
}
