/* tests/support/capture.h — an analysis run on models that a test builds itself, and what it puts out.
 * Include after cmocka.h. */
#pragma once
#include "analysis/analysis.h"
#include "model/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CAPTURE_COLUMNS = 200, CAPTURE_ROWS = 200, CAPTURE_ARRAYS = 40, CAPTURE_VALUES = 200 };

typedef struct capture {
  cap_sink sink; /* first: the sink's functions find the rest through it */
  int ncolumn, nrow, narray;
  char column[CAPTURE_COLUMNS][64];
  double row[CAPTURE_ROWS][CAPTURE_COLUMNS];
  char array[CAPTURE_ARRAYS][64];
  int count[CAPTURE_ARRAYS];
  double value[CAPTURE_ARRAYS][CAPTURE_VALUES];
  bool closed;
} capture;

static inline cap_status capture_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)s, (void)name, (void)kind, (void)title;
  return CAP_OK;
}

static inline cap_status capture_columns(cap_sink *s, int n, const cap_column *columns)
{
  capture *c = (capture *)(void *)s;
  assert_true(n <= CAPTURE_COLUMNS);
  c->ncolumn = n;
  for (int k = 0; k < n; k++) snprintf(c->column[k], sizeof c->column[k], "%s", columns[k].name);
  return CAP_OK;
}

static inline cap_status capture_rows(cap_sink *s, int n, const double *values)
{
  capture *c = (capture *)(void *)s;
  for (int k = 0; k < n; k++) {
    assert_true(c->nrow < CAPTURE_ROWS);
    memcpy(c->row[c->nrow++], values + k * c->ncolumn, sizeof(double) * (size_t)c->ncolumn);
  }
  return CAP_OK;
}

static inline cap_status capture_array(cap_sink *s, cap_column what, int rank, const int64_t *dims,
                                       const char *axes, const double *values)
{
  (void)axes;
  capture *c = (capture *)(void *)s;
  assert_true(c->narray < CAPTURE_ARRAYS);
  if (rank > 1) return CAP_OK; /* not kept */
  assert_true(dims[0] <= CAPTURE_VALUES);
  snprintf(c->array[c->narray], sizeof c->array[0], "%s", what.name);
  c->count[c->narray] = (int)dims[0];
  memcpy(c->value[c->narray++], values, sizeof(double) * (size_t)dims[0]);
  return CAP_OK;
}

static inline cap_status capture_text(cap_sink *s, const char *name, const char *value)
{
  (void)s, (void)name, (void)value;
  return CAP_OK;
}

static inline cap_status capture_restore(cap_sink *s, int n, const cap_view *views, bool *found,
                                         bool *finished)
{
  (void)s, (void)n, (void)views;
  *found = *finished = false;
  return CAP_OK;
}

static inline cap_status capture_close(cap_sink *s)
{
  ((capture *)(void *)s)->closed = true;
  return CAP_OK;
}

static inline capture *capture_create(void)
{
  capture *c = calloc(1, sizeof *c);
  assert_non_null(c);
  c->sink = (cap_sink){.open = capture_open,
                       .columns = capture_columns,
                       .rows = capture_rows,
                       .array = capture_array,
                       .text = capture_text,
                       .restore = capture_restore,
                       .close = capture_close};
  return c;
}

static inline double capture_at(const capture *c, int row, const char *column)
{
  for (int k = 0; k < c->ncolumn; k++)
    if (strcmp(c->column[k], column) == 0) return c->row[row][k];
  fail_msg("no column %s", column);
  return 0.0;
}

static inline double capture_value(const capture *c, const char *array, int at)
{
  for (int k = 0; k < c->narray; k++)
    if (strcmp(c->array[k], array) == 0) return c->value[k][at];
  fail_msg("no array %s", array);
  return 0.0;
}
