/* io/csv_inner.h — what csv.c and csv_header.c share: lines and cells of a text. */
#pragma once
#include "io/csv.h"

enum { CAP_CSV_CELL = 256 }; /* bytes of a cell, with its NUL */

typedef struct cap_csv_reader {
  const char *at, *end; /* what is left */
  char separator;
  char given_separator; /* of a line "sep=;"; 0 = none */
  int line;             /* of the record at `at`, from 1 */
  const char *head;     /* where that line starts */
  cap_units *units;
  cap_arena *arena;
  cap_diag *diag;
  cap_csv *csv;
  double *factors;  /* [ncolumn] to SI */
  char decimal;     /* of the numbers so far; 0 = not known yet */
  int decimal_line; /* where it was first seen */
  int findings;
  bool full;  /* a finding that ends the reading */
  bool quiet; /* look only: a cell that cannot be read is no finding yet */
} cap_csv_reader;

typedef struct cap_csv_cell {
  char text[CAP_CSV_CELL];
  const char *start; /* its first character */
  bool last;         /* of its line */
} cap_csv_cell;

/* A finding at a character of the current line; NULL = its start. */
__attribute__((format(printf, 3, 4))) void cap_csv_report(cap_csv_reader *r, const char *at,
                                                          const char *format, ...);

/* Characters from the start of the line, from 1, so that a column is what an editor shows. */
int cap_csv_place(const char *line, const char *at);
const char *cap_csv_line_end(const cap_csv_reader *r, const char *at);
/* Move to the next line with data; false at the end of the text. */
bool cap_csv_seek_record(cap_csv_reader *r);
/* Move behind the line that ends at `stop`. */
void cap_csv_next_line(cap_csv_reader *r, const char *stop);

/* The cell at r->at within the line that ends at `stop`; moves behind it. False after a finding. */
bool cap_csv_take_cell(cap_csv_reader *r, const char *stop, cap_csv_cell *out);
/* Spaces at both ends taken away. */
void cap_csv_trim(char *text);
/* "1,5" becomes "1.5" where the separator allows it. */
void cap_csv_decimal(const cap_csv_reader *r, char *text);

/* Find the header, fill names, units and factors, and move to the first row. */
cap_status cap_csv_header_read(cap_csv_reader *r);
