/* io/export_inner.h — what the formats of export.h share: the plan of files, and their folder. */
#pragma once
#include "base/outfile.h"
#include "io/results_read.h"
#include <stdbool.h>

typedef enum cap_export_kind {
  CAP_EXPORT_COLUMNS, /* the table of a group */
  CAP_EXPORT_ARRAYS,
  CAP_EXPORT_VALUES, /* numbers and texts */
  CAP_EXPORT_AUDIT,
  CAP_EXPORT_COLLECTION, /* of frames, which are the tables behind it */
  CAP_EXPORT_FRAME
} cap_export_kind;

/* One file. */
typedef struct cap_export_table {
  cap_export_kind kind;
  const cap_results_group *group;
  int narray;
  const cap_results_dataset **arrays; /* [narray] of the same shape and axes */
  const char *key;                    /* of arrays: what is equal in one table */
  const char *file;                   /* name in the folder, of frames with that of their own folder */
} cap_export_table;

typedef struct cap_export {
  cap_results_file *file;
  const char *folder;
  cap_error *error;
  cap_arena arena;
  int ntable, room;
  cap_export_table *tables;
  bool codes;   /* stay numbers */
  char *listed; /* contents.csv of before; "" = none */
} cap_export;

cap_status cap_export_open(cap_export *e, const char *h5, const char *folder, cap_error *error);
void cap_export_close(cap_export *e);
cap_status cap_export_no_memory(const cap_export *e);
/* A new table, NULL when memory is exhausted; valid until the next one. */
cap_export_table *cap_export_add(cap_export *e, cap_export_kind kind, const cap_results_group *group);
/* The name <group>[.<part>].<ending>: characters that a file name should not have become "_"; counted up
 * when there is one that differs in case only. */
cap_status cap_export_name(cap_export *e, cap_export_table *table, const char *part, const char *ending);
/* Read contents.csv, refuse to replace what is not in it, and make the folder. */
cap_status cap_export_begin(cap_export *e);
cap_status cap_export_create(const cap_export *e, const char *file, cap_outfile *out);
cap_status cap_export_end(const cap_export *e, cap_outfile *out, cap_status status);
/* Write contents.csv: `describe` puts the lines of a table. */
cap_status cap_export_list(const cap_export *e,
                           cap_status (*describe)(const cap_export *, const cap_export_table *, FILE *));
/* "name [unit]", to be freed. */
char *cap_export_heading(const char *name, const char *unit);
/* A cell of CSV: quoted where it must be; what spreadsheets take for a formula begins with "'". */
void cap_export_cell(FILE *out, const char *text, size_t length);
