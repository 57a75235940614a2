/* io/csv.c — see csv.h. Two passes over the text: the first counts rows, the second fills the columns. */
#include "io/csv.h"
#include "io/text_file.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_CELL = 256, MOST_FINDINGS = 20 };

typedef struct reader {
  const char *at, *end; /* what is left */
  char separator;
  int line;         /* of the record at `at`, from 1 */
  const char *head; /* where that line starts */
  cap_units *units;
  cap_arena *arena;
  cap_diag *diag;
  cap_csv *csv;
  double *factors; /* [ncolumn] to SI */
  int findings;
  bool full; /* a finding that ends the reading */
} reader;

typedef struct cell {
  char text[LONGEST_CELL];
  const char *start; /* its first character */
  bool last;         /* of its line */
} cell;

/* Characters from the start of the line, so that a column is what an editor shows. */
static int column_of(const char *line, const char *at)
{
  int column = 1;
  for (; line < at; line++)
    if (((unsigned char)*line & 0xc0) != 0x80) column++;
  return column;
}

/* A finding at a character of the current line; NULL = its start. */
__attribute__((format(printf, 3, 4))) static void report(reader *r, const char *at, const char *format, ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_text_file_clean(text);
  /* A wrong separator spoils every line: the first findings tell it. */
  int column = at ? column_of(r->head, at) : 1;
  if (r->findings++ < MOST_FINDINGS) cap_diag_add(r->diag, r->line, column, NULL, "%s", text);
  else r->full = true;
}

static cap_status no_memory(reader *r)
{
  cap_diag_add(r->diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

/* -------------------------------------------------------------------------------------------------- lines */

static const char *line_end(const reader *r, const char *at)
{
  const char *stop = memchr(at, '\n', (size_t)(r->end - at));
  return stop ? stop : r->end;
}

/* A line without data: empty, blank or a comment. */
static bool skippable(const char *at, const char *stop)
{
  while (at < stop && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
  return at == stop || *at == '#';
}

/* Move to the next line with data; false at the end of the text. */
static bool seek_record(reader *r)
{
  while (r->at < r->end) {
    const char *stop = line_end(r, r->at);
    if (!skippable(r->at, stop)) return true;
    r->at = stop < r->end ? stop + 1 : r->end;
    r->line++;
  }
  return false;
}

static int count_records(reader r)
{
  int n = 0;
  while (n <= CAP_CSV_ROWS && seek_record(&r)) {
    const char *stop = line_end(&r, r.at);
    r.at = stop < r.end ? stop + 1 : r.end;
    n++;
  }
  return n;
}

/* -------------------------------------------------------------------------------------------------- cells */

static void trim(char *text)
{
  size_t n = strlen(text);
  while (n && (text[n - 1] == ' ' || text[n - 1] == '\t' || text[n - 1] == '\r')) text[--n] = 0;
  size_t lead = strspn(text, " \t");
  memmove(text, text + lead, n - lead + 1);
}

/* The quoted field at `at` into `out`; returns what follows its closing quote, NULL when there is none. */
static const char *unquote(const char *at, const char *stop, char *out)
{
  size_t n = 0;
  for (at++; at < stop; at++) {
    if (*at == '"' && (at + 1 == stop || at[1] != '"')) {
      out[n] = 0;
      return at + 1;
    }
    if (*at == '"') at++;
    if (n + 1 == LONGEST_CELL) return NULL;
    out[n++] = *at;
  }
  return NULL;
}

/* The cell at r->at within the line that ends at `stop`; moves behind it. False after a finding. */
static bool take_cell(reader *r, const char *stop, cell *out)
{
  const char *at = r->at;
  while (at < stop && (*at == ' ' || (*at == '\t' && r->separator != '\t'))) at++;
  out->start = at;
  const char *finish;
  if (at < stop && *at == '"') {
    finish = unquote(at, stop, out->text);
    if (!finish) {
      report(r, out->start, "the closing quote is missing or too far away");
      return false;
    }
    while (finish < stop && (*finish == ' ' || *finish == '\r')) finish++;
    if (finish < stop && *finish != r->separator) {
      report(r, finish, "a separator was expected after the closing quote");
      return false;
    }
  } else {
    finish = memchr(at, r->separator, (size_t)(stop - at));
    if (!finish) finish = stop;
    size_t n = (size_t)(finish - at);
    if (n >= LONGEST_CELL) {
      report(r, out->start, "the cell is longer than %d characters", LONGEST_CELL - 1);
      return false;
    }
    memcpy(out->text, at, n);
    out->text[n] = 0;
  }
  trim(out->text);
  out->last = finish == stop;
  r->at = out->last ? stop : finish + 1;
  return true;
}

static void next_line(reader *r, const char *stop)
{
  r->at = stop < r->end ? stop + 1 : r->end;
  r->line++;
}

/* ------------------------------------------------------------------------------------------------- header */

/* The most frequent candidate outside quotes and brackets; tab and semicolon win over comma. */
static char find_separator(const char *at, const char *stop)
{
  int tabs = 0, semicolons = 0, depth = 0;
  bool quoted = false;
  for (; at < stop; at++) {
    if (*at == '"') quoted = !quoted;
    if (*at == '[' || *at == '(') depth++;
    if (*at == ']' || *at == ')') depth--;
    if (quoted || depth > 0) continue;
    tabs += *at == '\t';
    semicolons += *at == ';';
  }
  return semicolons ? ';' : tabs ? '\t' : ',';
}

/* Split "deflection [mm]" into name and unit; false when there is no unit. */
static bool split_title(char *title, char **unit)
{
  size_t n = strlen(title);
  if (n < 2 || (title[n - 1] != ']' && title[n - 1] != ')')) return false;
  char *open = strrchr(title, title[n - 1] == ']' ? '[' : '(');
  if (!open || open == title + n - 2) return false;
  /* "(s)" within a unit such as "m/(s s)" in brackets is not the unit itself */
  title[n - 1] = 0;
  *open = 0;
  *unit = open + 1;
  trim(title);
  trim(*unit);
  return **unit != 0;
}

static bool is_number(reader *r, const char *text)
{
  double value;
  char reason[CAP_UNITS_REASON];
  return cap_units_number(r->units, text, &value, reason);
}

static cap_status read_title(reader *r, int i, cell *title)
{
  if (is_number(r, title->text)) {
    report(r, title->start, "expected a header such as \"time [s]\", got the number \"%.40s\"", title->text);
    return CAP_OK;
  }
  char *unit = NULL, reason[CAP_UNITS_REASON], si[CAP_UNITS_LONGEST];
  char whole[LONGEST_CELL];
  memcpy(whole, title->text, sizeof whole);
  if (!split_title(title->text, &unit)) {
    if (!whole[0]) report(r, title->start, "the column has no name and no unit");
    else
      report(
          r, title->start,
          "the column \"%.60s\" has no unit; write it behind the name as in \"force [N]\", or [-] for none",
          whole);
    return CAP_OK;
  }
  if (!title->text[0]) report(r, title->start, "the column has a unit but no name");
  if (strchr(title->text, ']'))
    report(r, title->start, "two units in one cell; columns are separated by comma, semicolon or tab");
  if (!cap_units_base(r->units, unit, &r->factors[i], si, reason))
    report(r, title->start, "the column \"%.60s\": %s", title->text, reason);
  for (int j = 0; j < i; j++)
    if (r->csv->names[j] && strcmp(r->csv->names[j], title->text) == 0 && title->text[0])
      report(r, title->start, "the column \"%.60s\" stands twice", title->text);
  r->csv->names[i] = cap_arena_copy_text(r->arena, title->text);
  r->csv->units[i] = cap_arena_copy_text(r->arena, si);
  return r->csv->names[i] && r->csv->units[i] ? CAP_OK : no_memory(r);
}

static cap_status read_header(reader *r)
{
  const char *stop = line_end(r, r->at);
  r->head = r->at;
  r->separator = find_separator(r->at, stop);
  cap_csv *csv = r->csv;
  csv->names = CAP_ARENA_NEW(r->arena, const char *, CAP_CSV_COLUMNS);
  csv->units = CAP_ARENA_NEW(r->arena, const char *, CAP_CSV_COLUMNS);
  csv->values = CAP_ARENA_NEW(r->arena, double *, CAP_CSV_COLUMNS);
  r->factors = CAP_ARENA_NEW(r->arena, double, CAP_CSV_COLUMNS);
  if (!csv->names || !csv->units || !csv->values || !r->factors) return no_memory(r);
  cell title = {.last = false};
  while (!title.last) {
    if (csv->ncolumn == CAP_CSV_COLUMNS) {
      report(r, r->at, "more than %d columns", CAP_CSV_COLUMNS);
      return CAP_ERR_INPUT;
    }
    if (!take_cell(r, stop, &title)) return CAP_ERR_INPUT;
    CAP_TRY(read_title(r, csv->ncolumn++, &title));
  }
  next_line(r, stop);
  return r->findings ? CAP_ERR_INPUT : CAP_OK;
}

/* --------------------------------------------------------------------------------------------------- rows */

static void point_for_comma(char *text)
{
  char *comma = strchr(text, ',');
  if (!comma || strchr(text, '.') || strchr(comma + 1, ',')) return;
  if (isdigit((unsigned char)comma[1]) || !comma[1]) *comma = '.';
}

static double read_number(reader *r, int i, cell *number)
{
  double value = 0.0;
  char reason[CAP_UNITS_REASON];
  if (r->separator != ',') point_for_comma(number->text);
  if (!number->text[0]) report(r, number->start, "%s: the cell is empty", r->csv->names[i]);
  else if (!cap_units_number(r->units, number->text, &value, reason))
    report(r, number->start, "%s: expected a number, got \"%.40s\"; %s", r->csv->names[i], number->text,
           reason);
  else if (!isfinite(value * r->factors[i]))
    report(r, number->start, "%s: the number is too large", r->csv->names[i]);
  return value * r->factors[i];
}

static void read_row(reader *r, int row)
{
  const char *stop = line_end(r, r->at);
  r->head = r->at;
  const int ncolumn = r->csv->ncolumn;
  cell number = {.last = false};
  int n = 0;
  while (!number.last) {
    if (!take_cell(r, stop, &number)) break;
    if (n < ncolumn) r->csv->values[n][row] = read_number(r, n, &number);
    if (n == ncolumn && !(number.last && !number.text[0])) { /* one separator at the end does no harm */
      report(r, number.start, "the row has more than the %d cells of the header", ncolumn);
      break;
    }
    n++;
  }
  if (number.last && n < ncolumn)
    report(r, stop, "the row has %d cell%s, the header has %d", n, n == 1 ? "" : "s", ncolumn);
  next_line(r, stop);
}

static cap_status read_rows(reader *r)
{
  cap_csv *csv = r->csv;
  int nrow = count_records(*r);
  if (nrow == 0) {
    report(r, NULL, "there is a header but no data");
    return CAP_ERR_INPUT;
  }
  if (nrow > CAP_CSV_ROWS) {
    report(r, NULL, "more than %d rows", CAP_CSV_ROWS);
    return CAP_ERR_INPUT;
  }
  for (int i = 0; i < csv->ncolumn; i++)
    if (!(csv->values[i] = CAP_ARENA_NEW(r->arena, double, nrow))) return no_memory(r);
  while (!r->full && seek_record(r)) read_row(r, csv->nrow++);
  return r->findings ? CAP_ERR_INPUT : CAP_OK;
}

/* Lines that end with a carriage return alone would all be read as one. */
static cap_status refuse_lone_returns(reader *r)
{
  const char *found = r->at;
  while ((found = memchr(found, '\r', (size_t)(r->end - found)))) {
    if (++found < r->end && *found == '\n') continue;
    while (found > r->at && found[-1] != '\n') found--;
    for (const char *at = r->at; at < found; at++) r->line += *at == '\n';
    report(r, NULL, "the line ends with a carriage return alone; save the file with line ends LF or CRLF");
    return CAP_ERR_INPUT;
  }
  return CAP_OK;
}

static cap_status parse(reader *r, const char *text, size_t size)
{
  if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, size -= 3;
  CAP_TRY(cap_text_file_check(text, size, r->diag));
  r->head = r->at = text;
  r->end = text + size;
  r->line = 1;
  CAP_TRY(refuse_lone_returns(r));
  if (!seek_record(r)) {
    report(r, NULL, "the file is empty; expected a header such as \"time [s], force [N]\"");
    return CAP_ERR_INPUT;
  }
  CAP_TRY(read_header(r));
  return read_rows(r);
}

cap_status cap_csv_parse(const char *name, const char *text, size_t size, cap_units *units, cap_arena *arena,
                         cap_diag *diag, cap_csv *csv)
{
  *csv = (cap_csv){0};
  const char *file = diag->file;
  diag->file = cap_arena_copy_text(&diag->arena, name);
  reader r = {.units = units, .arena = arena, .diag = diag, .csv = csv};
  cap_status status = diag->file ? parse(&r, text, size) : CAP_ERR_NOMEM;
  cap_hash hash;
  cap_hash_init(&hash, 0);
  cap_hash_add(&hash, text, size);
  csv->hash = cap_hash_value128(&hash);
  diag->file = file;
  return status;
}

cap_status cap_csv_read(const char *path, cap_units *units, cap_arena *arena, cap_diag *diag, cap_csv *csv)
{
  *csv = (cap_csv){0};
  const char *file = diag->file;
  diag->file = cap_arena_copy_text(&diag->arena, path);
  char *text = NULL;
  size_t size = 0;
  cap_arena bytes = {0}; /* the text is not needed once the numbers are read */
  cap_status status = diag->file ? cap_text_file_read(path, CAP_CSV_BYTES, &bytes, diag, &text, &size)
                                 : CAP_ERR_NOMEM;
  diag->file = file;
  if (status == CAP_OK) status = cap_csv_parse(path, text, size, units, arena, diag, csv);
  cap_arena_free(&bytes);
  return status;
}

int cap_csv_find(const cap_csv *csv, const char *name)
{
  int alike = -1, nalike = 0;
  for (int i = 0; i < csv->ncolumn; i++) {
    if (strcmp(csv->names[i], name) == 0) return i;
    if (strcasecmp(csv->names[i], name) != 0) continue;
    alike = i;
    nalike++;
  }
  return nalike == 1 ? alike : -1;
}
