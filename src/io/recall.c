/* io/recall.c — see recall.h. */
#include "io/recall.h"
#include "io/results_read.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is looked for, and where. */
typedef struct search {
  const char *path;
  const cap_results_tree *tree;
  int narray;
  const char *const *names;
} search;

static bool has_all(const search *s, const cap_results_group *group)
{
  for (int k = 0; k < s->narray; k++) {
    const cap_results_dataset *d = cap_results_tree_dataset(group, s->names[k]);
    if (!d || d->role != CAP_RESULTS_ARRAY) return false;
  }
  return true;
}

/* The groups that have them, as a list; returns how many, *only the last. */
static int list_groups(const search *s, char *text, size_t size, const cap_results_group **only)
{
  int n = 0;
  text[0] = 0;
  *only = NULL;
  for (int k = 0; k < s->tree->ngroup; k++) {
    if (!has_all(s, s->tree->groups[k])) continue;
    size_t used = strlen(text);
    snprintf(text + used, size - used, "%s%s", n++ ? ", " : "", s->tree->groups[k]->name);
    *only = s->tree->groups[k];
  }
  return n;
}

static cap_status choose(const search *s, const char *group, const char *prefer,
                         const cap_results_group **chosen, cap_error *error)
{
  char text[600];
  const cap_results_group *only, *named = cap_results_tree_group(s->tree, group ? group : prefer);
  int n = list_groups(s, text, sizeof text, &only);
  if (n == 0)
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "%s: holds no state to start from; expected a result of transient or stationary "
                           "of a variator, got one of the drive %s",
                           s->path, s->tree->meta.drive);
  if (group && (!named || !has_all(s, named)))
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: %s \"%s\"; expected one with a state: %s", s->path,
                           named ? "no state to start from in the group" : "no group", group, text);
  if (!group && (!named || !has_all(s, named))) named = n == 1 ? only : NULL;
  if (!named)
    return cap_status_fail(error, CAP_ERR_INPUT, "%s: expected the name of a group with a state: %s", s->path,
                           text);
  *chosen = named;
  return CAP_OK;
}

static cap_status read_arrays(const search *s, cap_results_file *file, const cap_results_group *group,
                              double **values, int64_t *counts, cap_error *error)
{
  cap_status status = CAP_OK;
  for (int k = 0; k < s->narray; k++) values[k] = NULL;
  for (int k = 0; k < s->narray && status == CAP_OK; k++) {
    const cap_results_dataset *d = cap_results_tree_dataset(group, s->names[k]);
    status = cap_results_read_all(file, group, d, &values[k], &counts[k], error);
  }
  for (int k = 0; k < s->narray && status != CAP_OK; k++) {
    free(values[k]);
    values[k] = NULL;
  }
  return status;
}

cap_status cap_recall_arrays(const char *model, const char *path, const char *group, const char *prefer,
                             int narray, const char *const *names, double **values, int64_t *counts,
                             cap_error *error)
{
  const char *slash = model ? strrchr(model, '/') : NULL;
  int folder = slash && path[0] != '/' ? (int)(slash + 1 - model) : 0;
  char *full = NULL;
  cap_results_file *file = NULL;
  const cap_results_group *chosen = NULL;
  if (asprintf(&full, "%.*s%s", folder, folder ? model : "", path) < 0)
    return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_status status = cap_results_read_open(full, &file, error);
  if (status == CAP_OK) {
    search s = {full, cap_results_read_tree(file), narray, names};
    status = choose(&s, group, prefer ? prefer : "", &chosen, error);
    if (status == CAP_OK) status = read_arrays(&s, file, chosen, values, counts, error);
  }
  cap_results_read_close(file);
  free(full);
  return status;
}
