/* base/diag.h — all findings about a piece of user input, each with its place.
 *
 * A reader adds findings with line and column; a drive's cross-field check knows only the path of a key
 * ("pulleys[2].radius") and lets the reader's `locate` hook supply line and column. Printed as
 *   drive.yaml:12:13: pulleys[2].radius: expected a length such as "45 mm", got "45 kg"
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

enum { CAP_DIAG_MOST = 100 }; /* findings kept; further ones are counted only */

typedef struct cap_diag_item {
  bool warning, note; /* a note says how the input was read; it counts as a warning */
  int line, column;   /* from 1; 0 = not known */
  const char *file, *path, *text;
} cap_diag_item;

typedef struct cap_diag {
  const char *file; /* of the findings that follow */
  int nitem, nerror, nwarning;
  cap_diag_item items[CAP_DIAG_MOST];
  cap_arena arena;
  /* Line and column of a path; false when it has none. May be NULL. */
  bool (*locate)(void *self, const char *path, int *line, int *column);
  void *locate_self;
  /* The value at a path as the user wrote it, "53 deg" (of a list or series, its first); NULL when there is
   * none. Has `locate_self`, too. May be NULL. */
  const char *(*written)(void *self, const char *path);
} cap_diag;

void cap_diag_init(cap_diag *diag, const char *file);
void cap_diag_free(cap_diag *diag);
__attribute__((format(printf, 5, 6))) void cap_diag_add(cap_diag *diag, int line, int column,
                                                        const char *path, const char *format, ...);
/* The same for a warning or an error. */
__attribute__((format(printf, 6, 7))) void cap_diag_put(cap_diag *diag, bool warning, int line, int column,
                                                        const char *path, const char *format, ...);
/* A finding at a key: the place comes from `locate`. */
__attribute__((format(printf, 3, 4))) void cap_diag_at(cap_diag *diag, const char *path, const char *format,
                                                       ...);
__attribute__((format(printf, 3, 4))) void cap_diag_warn(cap_diag *diag, const char *path, const char *format,
                                                         ...);
/* How the input was read where there was a choice. The same note at the same place is kept once. */
__attribute__((format(printf, 4, 5))) void cap_diag_note(cap_diag *diag, int line, int column,
                                                         const char *format, ...);
/* A quantity for a message, in the unit that the user wrote at a key: "225 deg" for 3.92699 (`si` rad) where
 * the file has "angle: 53 deg" there. `path` NULL, a key that the file does not have, or one without a unit:
 * in SI. Lives in the diag's arena. */
const char *cap_diag_quantity(cap_diag *diag, const char *path, double value, const char *si);
/* All findings that were kept, sorted by line and column; returns how many. */
int cap_diag_sort(const cap_diag *diag, const cap_diag_item *sorted[CAP_DIAG_MOST]);
/* All findings as text, sorted by line and column, one a line; lives in the diag's arena. */
const char *cap_diag_text(cap_diag *diag);
