/* io/csv.h — measured data: columns of numbers with names and units, turned into SI.
 *
 *   time [s], deflection [mm], force [N]          Messung 3;;
 *   0, 0.01, 512.3                                Zeit;Weg;Kraft
 *                                                 s;mm;N
 *                                                 0;0,01;512,3
 *
 * Text in UTF-8, Windows-1252 or UTF-16 with a byte order mark; lines end with LF or CRLF. Empty lines and
 * comments (#) are skipped. The header names the columns; a unit stands behind each name in [brackets] or
 * (parentheses), or in a row of units below; "[-]" or "[1]" says that a column has none. Lines of title above
 * the header are skipped with a note (csv_header.c says how the header is found). Separators are comma,
 * semicolon or tab: the one that a first line "sep=;" names, or that the header has; with semicolon or tab,
 * numbers may have a decimal comma. Cells may be quoted.
 *
 * A column in 1/min (min-1) is a rotational speed where an angular speed is expected, and a frequency where
 * one is: nobody counts radians per minute so, and 1/min is the usual unit of speeds in measured data. Hz and
 * 1/s stay frequencies, see units.h.
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
  CAP_CSV_TITLES = 1000, /* lines among which the header must be */
};

typedef struct cap_csv {
  int ncolumn, nrow;
  const char **names; /* [ncolumn] without the unit */
  const char **units; /* [ncolumn] SI, "" = pure number */
  double **values;    /* [ncolumn][nrow] SI */
  int header_line;    /* of the names, from 1 */
  int *places;        /* [ncolumn] of the names in that line, from 1 */
  int *lines;         /* [nrow] of the rows, from 1 */
  bool *per_minute;   /* [ncolumn] the unit was 1/min; `units` and `values` are in Hz */
  cap_hash128 hash;   /* of the bytes of the file */
} cap_csv;

/* Read `path` into `arena`. Findings and notes go to `diag` with the file's own name, line and column. */
cap_status cap_csv_read(const char *path, cap_units *units, cap_arena *arena, cap_diag *diag, cap_csv *csv);
cap_status cap_csv_parse(const char *name, const char *text, size_t size, cap_units *units, cap_arena *arena,
                         cap_diag *diag, cap_csv *csv);

/* Index of the column called `name` (letter case ignored when that is unambiguous); -1 = none. */
int cap_csv_find(const cap_csv *csv, const char *name);

/* Whether the column has the dimension of `si` ("" = a pure number). One in 1/min is turned into rad/s when
 * an angular speed is asked for. */
bool cap_csv_take(cap_csv *csv, int column, cap_units *units, const char *si);

/* What to add to a message about a column in `got` that should be in `si`: "; write rpm ...", or "". */
const char *cap_csv_hint(const char *got, const char *si);
