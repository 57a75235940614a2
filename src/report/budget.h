/* report/budget.h — how a page's bytes are shared out among the tables, films and arrays of a result.
 *
 * A page is to be below CAP_BUDGET_PAGE bytes whatever the size of the result. What is small is taken whole;
 * what is left is shared among the large ones, four times as much for a table or a film as for a single
 * array. Sizes are counted before they are deflated, since some data cannot be.
 */
#pragma once
#include "io/results_tree.h"

enum {
  CAP_BUDGET_PAGE = 20000000,
  CAP_BUDGET_TEXT = 1000000, /* bytes of a text that is kept whole */
};

typedef struct cap_budget {
  int64_t table, film, array; /* most bytes of each table, of the film of each group, of each array */
  int64_t exact;              /* tables of up to so many values keep their 64 bits */
} cap_budget;

/* Bytes of data for which there is room in a page with these results: the template and the results' words are
 * taken off, and base64 takes a third more. */
int64_t cap_budget_room(size_t template_size, int ntree, const cap_results_tree *const *trees);
/* The shares of a result that may have `bytes` of data. */
cap_budget cap_budget_share(const cap_results_tree *tree, int64_t bytes);

/* Whether the rows of a group's table are cases rather than instants: each one counts, none stands for its
 * neighbours. */
bool cap_budget_is_cases(const cap_results_group *group);
/* Whether the array belongs to the film of its group. */
bool cap_budget_is_film(const cap_results_dataset *dataset);
/* Bytes of an array as it is stored in a page. */
int64_t cap_budget_array_size(const cap_results_dataset *dataset);
