/* base/diag.c — see diag.h. */
#include "base/diag.h"
#include "base/printable.h"
#include "base/units.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 2000, LONGEST_PLACE = 1000 }; /* bytes of a message, and of its file and path */

/* Texts stand in for a sentence that found no memory: a finding is never lost silently. */
static const char *const no_memory = "(out of memory while the finding was written)";

void cap_diag_init(cap_diag *diag, const char *file)
{
  memset(diag, 0, sizeof *diag);
  if (!file) return;
  const char *copy = cap_arena_copy_text(&diag->arena, file);
  diag->file = copy ? copy : file;
}

void cap_diag_free(cap_diag *diag)
{
  if (!diag) return;
  cap_arena_free(&diag->arena);
  memset(diag, 0, sizeof *diag);
}

/* A copy as it may be shown. */
static char *shown(cap_arena *arena, const char *text)
{
  char *copy = cap_arena_copy_text(arena, text);
  if (!copy) return NULL;
  cap_printable(copy);
  cap_printable_shorten(copy, LONGEST_PLACE);
  return copy;
}

static const char *format_text(cap_arena *arena, const char *format, va_list args)
{
  va_list again;
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = length < 0 ? NULL : cap_arena_alloc(arena, (size_t)length + 1);
  if (!text) return no_memory;
  vsnprintf(text, (size_t)length + 1, format, args);
  cap_printable(text);
  cap_printable_shorten(text, LONGEST);
  return text;
}

static void add(cap_diag *diag, bool warning, int line, int column, const char *path, const char *format,
                va_list args)
{
  if (warning) diag->nwarning++;
  else diag->nerror++;
  if (diag->nitem >= CAP_DIAG_MOST) return;

  const char *path_copy = path && *path ? shown(&diag->arena, path) : NULL;
  diag->items[diag->nitem++] = (cap_diag_item){.warning = warning,
                                               .line = line,
                                               .column = column,
                                               .file = diag->file ? shown(&diag->arena, diag->file) : NULL,
                                               .path = path_copy,
                                               .text = format_text(&diag->arena, format, args)};
}

static void locate(const cap_diag *diag, const char *path, int *line, int *column)
{
  *line = *column = 0;
  if (!path || !diag->locate) return;
  if (!diag->locate(diag->locate_self, path, line, column)) *line = *column = 0;
}

void cap_diag_add(cap_diag *diag, int line, int column, const char *path, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  add(diag, false, line, column, path, format, args);
  va_end(args);
}

void cap_diag_put(cap_diag *diag, bool warning, int line, int column, const char *path, const char *format,
                  ...)
{
  va_list args;
  va_start(args, format);
  add(diag, warning, line, column, path, format, args);
  va_end(args);
}

void cap_diag_at(cap_diag *diag, const char *path, const char *format, ...)
{
  int line, column;
  locate(diag, path, &line, &column);
  va_list args;
  va_start(args, format);
  add(diag, false, line, column, path, format, args);
  va_end(args);
}

void cap_diag_warn(cap_diag *diag, const char *path, const char *format, ...)
{
  int line, column;
  locate(diag, path, &line, &column);
  va_list args;
  va_start(args, format);
  add(diag, true, line, column, path, format, args);
  va_end(args);
}

static bool same_finding(const cap_diag_item *a, const cap_diag_item *b)
{
  return a->line == b->line && a->column == b->column && strcmp(a->text, b->text) == 0 &&
         strcmp(a->file ? a->file : "", b->file ? b->file : "") == 0;
}

void cap_diag_note(cap_diag *diag, int line, int column, const char *format, ...)
{
  int before = diag->nitem;
  va_list args;
  va_start(args, format);
  add(diag, true, line, column, NULL, format, args);
  va_end(args);
  if (diag->nitem == before) return;
  cap_diag_item *added = &diag->items[before];
  added->note = true;
  for (int i = 0; i < before; i++) {
    if (!diag->items[i].note || !same_finding(&diag->items[i], added)) continue;
    diag->nitem--;
    diag->nwarning--;
    return;
  }
}

const char *cap_diag_quantity(cap_diag *diag, const char *path, double value, const char *si)
{
  char text[2 * CAP_UNITS_LONGEST];
  const char *written = path && diag->written ? diag->written(diag->locate_self, path) : NULL;
  cap_units *units = written ? cap_units_create() : NULL;
  cap_units_like(units, text, sizeof text, value, si, written);
  cap_units_free(units);
  const char *copy = cap_arena_copy_text(&diag->arena, text);
  return copy ? copy : no_memory;
}

/* By place; findings at one place keep the order in which they were made (their addresses
 * are in one array). */
static int compare_place(const void *a, const void *b)
{
  const cap_diag_item *left = *(const cap_diag_item *const *)a, *right = *(const cap_diag_item *const *)b;
  if (left->line != right->line) return left->line < right->line ? -1 : 1;
  if (left->column != right->column) return left->column < right->column ? -1 : 1;
  return (left > right) - (left < right);
}

/* "drive.yaml:12:13: warning: path: text\n"; returns the length, writes at most `size` bytes. */
static int write_item(char *out, size_t size, const cap_diag_item *item)
{
  char place[32] = "";
  if (item->line > 0 && item->column > 0) snprintf(place, sizeof place, "%d:%d:", item->line, item->column);
  else if (item->line > 0) snprintf(place, sizeof place, "%d:", item->line);
  const char *file = item->file ? item->file : "";
  return snprintf(out, size, "%s%s%s%s%s%s%s%s\n", file, *file ? ":" : "", place, *file || *place ? " " : "",
                  item->note      ? "note: "
                  : item->warning ? "warning: "
                                  : "",
                  item->path ? item->path : "", item->path ? ": " : "", item->text);
}

int cap_diag_sort(const cap_diag *diag, const cap_diag_item *sorted[CAP_DIAG_MOST])
{
  for (int i = 0; i < diag->nitem; i++) sorted[i] = &diag->items[i];
  qsort(sorted, (size_t)diag->nitem, sizeof *sorted, compare_place);
  return diag->nitem;
}

const char *cap_diag_text(cap_diag *diag)
{
  const cap_diag_item *sorted[CAP_DIAG_MOST];
  size_t size = 1;
  cap_diag_sort(diag, sorted);
  for (int i = 0; i < diag->nitem; i++) size += (size_t)write_item(NULL, 0, sorted[i]);

  char more[64] = "";
  int dropped = diag->nerror + diag->nwarning - diag->nitem;
  if (dropped > 0) size += (size_t)snprintf(more, sizeof more, "and %d more\n", dropped);

  char *text = cap_arena_alloc(&diag->arena, size);
  if (!text) return no_memory;
  size_t used = 0;
  for (int i = 0; i < diag->nitem; i++) used += (size_t)write_item(text + used, size - used, sorted[i]);
  memcpy(text + used, more, strlen(more) + 1);
  return text;
}
