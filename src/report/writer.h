/* report/writer.h — what the parts of a report share while it is written: the result, the page, and the notes
 * that tell a reader what was left out. */
#pragma once
#include "base/arena.h"
#include "io/results_read.h"
#include "report/budget.h"
#include "report/page.h"

enum {
  CAP_WRITER_EXACT = 100000, /* arrays up to so many values keep their 64 bits, and tables of large results */
};

typedef struct cap_writer {
  cap_results_file *file;
  cap_page *page;
  cap_error *error;
  cap_budget budget;
  int nnote, note_room;
  const char **notes;
  cap_arena arena; /* of the notes */
} cap_writer;

cap_status cap_writer_no_memory(cap_writer *writer);
/* A sentence for the reader of the page. */
__attribute__((format(printf, 2, 3))) cap_status cap_writer_note(cap_writer *writer, const char *format, ...);
void cap_writer_free(cap_writer *writer); /* notes and their memory */

/* `"key":"text",` */
void cap_writer_text(cap_page *page, const char *key, const char *text);
/* Name, unit and long name. */
void cap_writer_quantity(cap_page *page, const cap_results_dataset *dataset);
