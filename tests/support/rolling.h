/* An example of the drive rolling-body, run with settings, and the columns of its transient. Include after
 * run.h. */
#pragma once
#include "analysis/stepping.h"

enum { ROLLING_COLUMNS = 40, ROLLING_SETTINGS = 12 };

typedef struct rolling {
  test_result result;
  int64_t n;
  int ncolumn;
  double *columns[ROLLING_COLUMNS];
  const double *t;
} rolling;

static inline const double *rolling_column(rolling *r, const char *name)
{
  assert_true(r->ncolumn < ROLLING_COLUMNS);
  return r->columns[r->ncolumn++] = test_values(&r->result, "transient", name, &r->n);
}

/* Run examples/<name>.yaml; the settings "PATH=VALUE" end with NULL. */
static inline rolling rolling_run(const char *name, const char *const *settings)
{
  char source[300];
  int count = 0;
  while (settings[count]) count++;
  snprintf(source, sizeof source, "%s/examples/%s.yaml", CAPSTAN_SOURCE_DIR, name);
  cap_model_file *file = NULL;
  cap_diag *diag = calloc(1, sizeof *diag);
  assert_non_null(diag);
  if (cap_model_file_read(source, count, settings, &file, diag) != CAP_OK)
    fail_msg("%s", cap_diag_text(diag));
  cap_diag_free(diag);
  free(diag);
  rolling r = {.result = test_result_execute(file, name)};
  cap_model_file_free(file);
  r.t = rolling_column(&r, "time");
  return r;
}

#define ROLLING_RUN(name, ...) rolling_run(name, (const char *const[]){__VA_ARGS__, NULL})
#define ROLLING_PLAIN(name)    rolling_run(name, (const char *const[]){NULL})

static inline void rolling_close(rolling *r)
{
  for (int k = 0; k < r->ncolumn; k++) free(r->columns[k]);
  test_result_close(&r->result);
}

/* Whether this build has a stepper of that name that treats ideal rows. */
static inline bool rolling_treats(const char *method)
{
  const cap_stepper_type *type = cap_stepping_find(method);
  return type && type->constraints;
}

/* Largest |value| of a column. */
static inline double rolling_largest(rolling *r, const char *name)
{
  const double *c = rolling_column(r, name);
  double most = 0.0;
  for (int64_t i = 0; i < r->n; i++) most = fmax(most, fabs(c[i]));
  return most;
}

/* Say what was measured beside what is allowed, and hold it. */
#define rolling_holds(what, value, most)                                                                     \
  do {                                                                                                       \
    double rolling_value = (value), rolling_most = (most);                                                   \
    print_message("%-52s %9.2e  (at most %.0e)\n", what, rolling_value, rolling_most);                       \
    assert_true(rolling_value <= rolling_most); /* false for NaN */                                          \
  } while (0)
