/* report/writer.c — see writer.h. */
#include "report/writer.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

cap_status cap_writer_no_memory(cap_writer *writer)
{
  return cap_status_fail(writer->error, CAP_ERR_NOMEM, "out of memory");
}

cap_status cap_writer_note(cap_writer *writer, const char *format, ...)
{
  char text[500];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (writer->nnote == writer->note_room) {
    int room = 2 * writer->note_room + 8;
    const char **notes = realloc(writer->notes, (size_t)room * sizeof *notes);
    if (!notes) return cap_writer_no_memory(writer);
    writer->notes = notes;
    writer->note_room = room;
  }
  const char *copy = cap_arena_copy_text(&writer->arena, text);
  if (!copy) return cap_writer_no_memory(writer);
  writer->notes[writer->nnote++] = copy;
  return CAP_OK;
}

void cap_writer_free(cap_writer *writer)
{
  free(writer->notes);
  cap_arena_free(&writer->arena);
}

void cap_writer_text(cap_page *page, const char *key, const char *text)
{
  cap_page_put(page, "\"%s\":", key);
  cap_page_string(page, text);
  cap_page_put(page, ",");
}

void cap_writer_quantity(cap_page *page, const cap_results_dataset *dataset)
{
  cap_writer_text(page, "name", dataset->name);
  cap_writer_text(page, "unit", dataset->unit);
  cap_writer_text(page, "long_name", dataset->long_name);
}
