/* A model run from its text to a result file, and what the file holds. Include after system.h. */
#pragma once
#include "io/results_read.h"

#include <stdio.h>
#include <unistd.h>

typedef struct test_result {
  char path[96];
  cap_results_file *file;
} test_result;

static inline test_result test_result_open(const char *path)
{
  test_result r = {0};
  cap_error error = {0};
  snprintf(r.path, sizeof r.path, "%s", path);
  if (cap_results_read_open(path, &r.file, &error) != CAP_OK) fail_msg("%s", error.text);
  return r;
}

/* All analyses of a model file into a result in memory, where there is such a place. */
static inline test_result test_result_execute(cap_model_file *model, const char *name)
{
  char folder[64], path[96];
  strcpy(folder, access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-run-XXXXXX" : "/tmp/capstan-run-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  cap_error error = {0};
  cap_execute_options options = {.threads = 1};
  if (cap_execute_file(model, path, &options, NULL, 0, &error) != CAP_OK)
    fail_msg("%s: %s", name, error.text);
  return test_result_open(path);
}

/* The same of a model's text. */
static inline test_result test_result_run(const char *text)
{
  test_system s = test_system_open(text);
  test_result r = test_result_execute(s.file, "model");
  test_system_close(&s);
  return r;
}

/* Close it; with its folder when test_result_run made it. */
static inline void test_result_close(test_result *r)
{
  cap_results_read_close(r->file);
  assert_int_equal(unlink(r->path), 0);
  *strrchr(r->path, '/') = 0;
  assert_int_equal(rmdir(r->path), 0);
  *r = (test_result){0};
}

static inline const cap_results_group *test_group(const test_result *r, const char *group)
{
  const cap_results_group *g = cap_results_tree_group(cap_results_read_tree(r->file), group);
  if (!g) fail_msg("no group %s", group);
  return g;
}

/* Values of a dataset, to be freed. */
static inline double *test_values(const test_result *r, const char *group, const char *name, int64_t *count)
{
  const cap_results_group *g = test_group(r, group);
  const cap_results_dataset *d = cap_results_tree_dataset(g, name);
  double *values = NULL;
  cap_error error = {0};
  if (!d) fail_msg("no dataset %s in %s", name, group);
  if (cap_results_read_all(r->file, g, d, &values, count, &error) != CAP_OK) fail_msg("%s", error.text);
  return values;
}

static inline double test_number(const test_result *r, const char *group, const char *name)
{
  double *values = test_values(r, group, name, NULL), value = values[0];
  free(values);
  return value;
}

static inline const char *test_text(const test_result *r, const char *group, const char *name)
{
  const cap_results_dataset *d = cap_results_tree_dataset(test_group(r, group), name);
  if (!d) fail_msg("no text %s in %s", name, group);
  return d->text;
}
