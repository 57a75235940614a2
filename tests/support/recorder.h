/* tests/support/recorder.h — a sink that keeps everything that is put into it, by name. Include after
 * cmocka.h. */
#pragma once
#include "base/arena.h"
#include "base/sink.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct recorder_entry {
  const char *name, *unit, *axes, *text;
  int64_t count; /* -1: a text */
  double *values;
} recorder_entry;

typedef struct recorder {
  cap_sink sink; /* first */
  cap_error error;
  cap_arena arena;
  int n, room, ncolumn, nrow;
  recorder_entry *entries;
  char group[64], kind[64];
  double *rows;
  const char **columns;
  int fail_after; /* > 0: so many puts succeed */
} recorder;

static inline cap_status recorder_keep(recorder *r, recorder_entry e)
{
  if (r->fail_after > 0 && r->n >= r->fail_after)
    return cap_status_fail(&r->error, CAP_ERR_IO, "the disk is full");
  if (r->n == r->room) {
    r->room = 2 * r->room + 64;
    r->entries = realloc(r->entries, sizeof *r->entries * (size_t)r->room);
    assert_non_null(r->entries);
  }
  for (int k = 0; k < r->n; k++)
    if (strcmp(r->entries[k].name, e.name) == 0) fail_msg("%s is put twice", e.name);
  e.name = cap_arena_copy_text(&r->arena, e.name);
  r->entries[r->n++] = e;
  return CAP_OK;
}

static inline cap_status recorder_array(cap_sink *s, cap_column what, int rank, const int64_t *dims,
                                        const char *axes, const double *values)
{
  recorder *r = (recorder *)(void *)s;
  assert_int_equal(rank, 1);
  assert_true(dims[0] > 0);
  double *copy = CAP_ARENA_NEW(&r->arena, double, dims[0]);
  memcpy(copy, values, sizeof *copy * (size_t)dims[0]);
  return recorder_keep(r, (recorder_entry){.name = what.name,
                                           .unit = cap_arena_copy_text(&r->arena, what.unit),
                                           .axes = axes ? cap_arena_copy_text(&r->arena, axes) : NULL,
                                           .count = dims[0],
                                           .values = copy});
}

static inline cap_status recorder_number(cap_sink *s, cap_column what, double value)
{
  const int64_t one = 1;
  return recorder_array(s, what, 1, &one, NULL, &value);
}

static inline cap_status recorder_text(cap_sink *s, const char *name, const char *value)
{
  recorder *r = (recorder *)(void *)s;
  return recorder_keep(
      r, (recorder_entry){.name = name, .text = cap_arena_copy_text(&r->arena, value), .count = -1});
}

static inline cap_status recorder_open(cap_sink *s, const char *name, const char *kind, const char *title)
{
  (void)title;
  recorder *r = (recorder *)(void *)s;
  snprintf(r->group, sizeof r->group, "%s", name);
  snprintf(r->kind, sizeof r->kind, "%s", kind);
  return CAP_OK;
}

static inline cap_status recorder_columns(cap_sink *s, int n, const cap_column *columns)
{
  recorder *r = (recorder *)(void *)s;
  r->ncolumn = n;
  r->columns = CAP_ARENA_NEW(&r->arena, const char *, n);
  for (int k = 0; k < n; k++) r->columns[k] = cap_arena_copy_text(&r->arena, columns[k].name);
  return CAP_OK;
}

static inline cap_status recorder_rows(cap_sink *s, int n, const double *values)
{
  recorder *r = (recorder *)(void *)s;
  r->rows = realloc(r->rows, sizeof *r->rows * (size_t)((r->nrow + n) * r->ncolumn));
  assert_non_null(r->rows);
  memcpy(r->rows + r->nrow * r->ncolumn, values, sizeof *r->rows * (size_t)(n * r->ncolumn));
  r->nrow += n;
  return CAP_OK;
}

static inline cap_status recorder_close(cap_sink *s)
{
  (void)s;
  return CAP_OK;
}

static inline void recorder_init(recorder *r)
{
  *r = (recorder){.sink = {.open = recorder_open,
                           .columns = recorder_columns,
                           .rows = recorder_rows,
                           .array = recorder_array,
                           .number = recorder_number,
                           .text = recorder_text,
                           .close = recorder_close}};
  r->sink.error = &r->error;
}

static inline void recorder_free(recorder *r)
{
  free(r->entries);
  free(r->rows);
  cap_arena_free(&r->arena);
}

static inline const recorder_entry *recorder_find(const recorder *r, const char *name)
{
  for (int k = 0; k < r->n; k++)
    if (strcmp(r->entries[k].name, name) == 0) return r->entries + k;
  return NULL;
}

static inline double recorder_at(const recorder *r, const char *name, int64_t at)
{
  const recorder_entry *e = recorder_find(r, name);
  if (!e) fail_msg("there is no %s", name);
  assert_true(at < e->count);
  return e->values[at];
}

static inline const char *recorder_words(const recorder *r, const char *name)
{
  const recorder_entry *e = recorder_find(r, name);
  if (!e || !e->text) fail_msg("there is no text %s", name);
  return e->text;
}

static inline double recorder_cell(const recorder *r, int row, const char *column)
{
  for (int k = 0; k < r->ncolumn; k++)
    if (strcmp(r->columns[k], column) == 0) return r->rows[row * r->ncolumn + k];
  fail_msg("no column %s", column);
  return NAN;
}
