/* io/csv.h — measured data: columns of numbers with names and units, turned into SI.
 *
 *   time [s], deflection [mm], force [N]
 *   0, 0.01, 512.3
 *
 * The first line that is neither empty nor a comment (#) is the header; a unit stands in [brackets] or
 * (parentheses), "[-]" or "[1]" says that a column has none. Separators are comma, semicolon or tab,
 * whichever the header has; with semicolon or tab, numbers may have a decimal comma. Fields may be quoted;
 * BOM and CRLF are accepted.
 */
#pragma once
#include "base/arena.h"
#include "base/diag.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/units.h"

enum {
  CAP_CSV_BYTES = 512 * 1024 * 1024, /* limits of a file */
  CAP_CSV_ROWS = 20 * 1000 * 1000,
  CAP_CSV_COLUMNS = 256,
};

typedef struct cap_csv {
  int ncolumn, nrow;
  const char **names; /* [ncolumn] without the unit */
  const char **units; /* [ncolumn] SI, "" = pure number */
  double **values;    /* [ncolumn][nrow] SI */
  cap_hash128 hash;   /* of the bytes of the file */
} cap_csv;

/* Read `path` into `arena`. Findings go to `diag` with the file's own name, line and column. */
cap_status cap_csv_read(const char *path, cap_units *units, cap_arena *arena, cap_diag *diag, cap_csv *csv);
cap_status cap_csv_parse(const char *name, const char *text, size_t size, cap_units *units, cap_arena *arena,
                         cap_diag *diag, cap_csv *csv);

/* Index of the column called `name` (letter case ignored when that is unambiguous); -1 = none. */
int cap_csv_find(const cap_csv *csv, const char *name);
