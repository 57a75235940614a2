/* io/csv.c — see csv.h. Two passes over the text: the first counts rows, the second fills the columns. */
#include "io/csv_inner.h"
#include "io/text_decode.h"
#include "io/text_file.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { LONGEST_CELL = CAP_CSV_CELL, MOST_FINDINGS = 20 };

typedef cap_csv_reader reader;
typedef cap_csv_cell cell;

int cap_csv_place(const char *line, const char *at)
{
  int column = 1;
  for (; line < at; line++)
    if (((unsigned char)*line & 0xc0) != 0x80) column++;
  return column;
}

void cap_csv_report(reader *r, const char *at, const char *format, ...)
{
  if (r->quiet) return;
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  cap_text_file_clean(text);
  /* A wrong separator spoils every line: the first findings show it. */
  int column = at ? cap_csv_place(r->head, at) : 1;
  if (r->findings++ < MOST_FINDINGS) cap_diag_add(r->diag, r->line, column, NULL, "%s", text);
  else r->full = true;
}

static cap_status no_memory(reader *r)
{
  cap_diag_add(r->diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

/* -------------------------------------------------------------------------------------------------- lines */

const char *cap_csv_line_end(const reader *r, const char *at)
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

bool cap_csv_seek_record(reader *r)
{
  while (r->at < r->end) {
    const char *stop = cap_csv_line_end(r, r->at);
    if (!skippable(r->at, stop)) return true;
    r->at = stop < r->end ? stop + 1 : r->end;
    r->line++;
  }
  return false;
}

static int count_records(reader r)
{
  int n = 0;
  while (n <= CAP_CSV_ROWS && cap_csv_seek_record(&r)) {
    const char *stop = cap_csv_line_end(&r, r.at);
    r.at = stop < r.end ? stop + 1 : r.end;
    n++;
  }
  return n;
}

/* -------------------------------------------------------------------------------------------------- cells */

void cap_csv_trim(char *text)
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

bool cap_csv_take_cell(reader *r, const char *stop, cell *out)
{
  const char *at = r->at;
  while (at < stop && (*at == ' ' || (*at == '\t' && r->separator != '\t'))) at++;
  out->start = at;
  const char *finish;
  if (at < stop && *at == '"') {
    finish = unquote(at, stop, out->text);
    if (!finish) {
      cap_csv_report(r, out->start, "expected a closing quote in this line within %d characters",
                     LONGEST_CELL - 1);
      return false;
    }
    while (finish < stop && (*finish == ' ' || *finish == '\r')) finish++;
    if (finish < stop && *finish != r->separator) {
      int rest = stop - finish < 20 ? (int)(stop - finish) : 20;
      cap_csv_report(r, finish, "expected a separator after the closing quote, got \"%.*s\"", rest, finish);
      return false;
    }
  } else {
    finish = memchr(at, r->separator, (size_t)(stop - at));
    if (!finish) finish = stop;
    size_t n = (size_t)(finish - at);
    if (n >= LONGEST_CELL) {
      cap_csv_report(r, out->start, "expected a cell of at most %d characters, got %zu", LONGEST_CELL - 1, n);
      return false;
    }
    memcpy(out->text, at, n);
    out->text[n] = 0;
  }
  cap_csv_trim(out->text);
  out->last = finish == stop;
  r->at = out->last ? stop : finish + 1;
  return true;
}

void cap_csv_next_line(reader *r, const char *stop)
{
  r->at = stop < r->end ? stop + 1 : r->end;
  r->line++;
}

/* --------------------------------------------------------------------------------------------------- rows */

void cap_csv_decimal(const reader *r, char *text)
{
  if (r->separator == ',') return;
  char *comma = strchr(text, ',');
  if (!comma || strchr(text, '.') || strchr(comma + 1, ',')) return;
  if (isdigit((unsigned char)comma[1]) || !comma[1]) *comma = '.';
}

/* A comma could group thousands in a file that has decimal points: both in one file are ambiguous. */
static bool same_decimal(reader *r, char sign)
{
  if (r->separator == ',' || !sign) return true;
  if (!r->decimal) {
    r->decimal = sign;
    r->decimal_line = r->line;
  }
  return r->decimal == sign;
}

static double read_number(reader *r, int i, cell *number)
{
  double value = 0.0;
  char reason[CAP_UNITS_REASON];
  const char *name = r->csv->names[i], sign = strchr(number->text, ',')   ? ','
                                              : strchr(number->text, '.') ? '.'
                                                                          : 0;
  cap_csv_decimal(r, number->text);
  if (!number->text[0]) cap_csv_report(r, number->start, "%s: expected a number, got an empty cell", name);
  else if (!cap_units_number(r->units, number->text, &value, reason))
    cap_csv_report(r, number->start, "%s: expected a number, got \"%.40s\"; %s", name, number->text, reason);
  else if (!isfinite(value * r->factors[i]))
    cap_csv_report(r, number->start,
                   "%s: the number is too large; expected at most 1.8e308 in SI units, got \"%.40s\"", name,
                   number->text);
  else if (!same_decimal(r, sign))
    cap_csv_report(r, number->start,
                   "%s: expected a decimal %s as in line %d, got a %s; write all numbers alike", name,
                   sign == ',' ? "point" : "comma", r->decimal_line, sign == ',' ? "comma" : "point");
  return value * r->factors[i];
}

static void read_row(reader *r, int row)
{
  const char *stop = cap_csv_line_end(r, r->at);
  r->head = r->at;
  const int ncolumn = r->csv->ncolumn;
  cell number = {.last = false};
  int n = 0;
  while (!number.last) {
    if (!cap_csv_take_cell(r, stop, &number)) break;
    if (n < ncolumn) r->csv->values[n][row] = read_number(r, n, &number);
    if (n == ncolumn && !(number.last && !number.text[0])) { /* one separator at the end does no harm */
      cap_csv_report(r, number.start, "expected %d cell%s as in the header, got more", ncolumn,
                     ncolumn == 1 ? "" : "s");
      break;
    }
    n++;
  }
  if (number.last && n < ncolumn)
    cap_csv_report(r, stop, "expected %d cells as in the header, got %d", ncolumn, n);
  cap_csv_next_line(r, stop);
}

static cap_status read_rows(reader *r)
{
  cap_csv *csv = r->csv;
  int nrow = count_records(*r);
  if (nrow == 0) {
    cap_csv_report(r, NULL, "expected rows of numbers after the header, got none");
    return CAP_ERR_INPUT;
  }
  if (nrow > CAP_CSV_ROWS) {
    cap_csv_report(r, NULL, "expected at most %d rows, got more", CAP_CSV_ROWS);
    return CAP_ERR_INPUT;
  }
  for (int i = 0; i < csv->ncolumn; i++)
    if (!(csv->values[i] = CAP_ARENA_NEW(r->arena, double, nrow))) return no_memory(r);
  if (!(csv->lines = CAP_ARENA_NEW(r->arena, int, nrow))) return no_memory(r);
  while (!r->full && cap_csv_seek_record(r)) {
    csv->lines[csv->nrow] = r->line;
    read_row(r, csv->nrow++);
  }
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
    cap_csv_report(r, NULL,
                   "expected lines that end with LF or CRLF, got a carriage return alone; save the file with "
                   "such line ends");
    return CAP_ERR_INPUT;
  }
  return CAP_OK;
}

/* "sep=;" in the first line, as Excel reads and writes it. */
static cap_status read_separator(reader *r)
{
  const char *stop = cap_csv_line_end(r, r->at);
  char text[16];
  size_t n = (size_t)(stop - r->at);
  if (n >= sizeof text) return CAP_OK;
  memcpy(text, r->at, n);
  text[n] = 0;
  if (n && text[n - 1] == '\r') text[--n] = 0;
  if (n > 1 && text[0] == '"' && text[n - 1] == '"') text[n - 1] = 0, memmove(text, text + 1, n), n -= 2;
  if (strncasecmp(text, "sep=", 4) != 0) return CAP_OK;
  if (n != 5 || !strchr(",;\t", text[4])) {
    cap_csv_report(r, NULL, "expected the separator comma, semicolon or tab after \"sep=\", got \"%s\"",
                   text + 4);
    return CAP_ERR_INPUT;
  }
  r->given_separator = text[4];
  cap_csv_next_line(r, stop);
  return CAP_OK;
}

static cap_status read_text(reader *r, const cap_text_decoded *decoded)
{
  r->head = r->at = decoded->text;
  r->end = r->at + decoded->size;
  r->line = 1;
  CAP_TRY(refuse_lone_returns(r));
  CAP_TRY(read_separator(r));
  if (!cap_csv_seek_record(r)) {
    cap_csv_report(r, NULL, "the file is empty; expected a header such as \"time [s], force [N]\"");
    return CAP_ERR_INPUT;
  }
  CAP_TRY(cap_csv_header_read(r));
  return read_rows(r);
}

static cap_status parse(reader *r, const char *bytes, size_t size)
{
  cap_arena scratch = {0};
  cap_text_decoded decoded;
  cap_status status = cap_text_decode(bytes, size, &scratch, r->diag, &decoded);
  if (status == CAP_ERR_NOMEM) no_memory(r);
  if (status == CAP_OK) status = cap_text_file_check(decoded.text, decoded.size, r->diag);
  if (status == CAP_OK && decoded.foreign)
    cap_diag_note(r->diag, decoded.line, decoded.column,
                  "read as Windows-1252 (Latin-1), since the byte 0x%02x is not UTF-8", decoded.foreign);
  if (status == CAP_OK) status = read_text(r, &decoded);
  cap_arena_free(&scratch);
  return status;
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

bool cap_csv_take(cap_csv *csv, int column, cap_units *units, const char *si)
{
  const char *unit = csv->units[column];
  if (!*si || !*unit) return !*si && !*unit;
  if (cap_units_alike(units, unit, si)) return true;
  if (!csv->per_minute[column] || !cap_units_alike(units, si, "rad/s")) return false;
  for (int i = 0; i < csv->nrow; i++) csv->values[column][i] *= CAP_UNITS_TURN;
  csv->units[column] = "rad/s";
  csv->per_minute[column] = false;
  return true;
}

const char *cap_csv_hint(const char *got, const char *si)
{
  bool frequency = strcmp(got, "Hz") == 0 || strcmp(got, "1/s") == 0;
  return frequency && strcmp(si, "rad/s") == 0 ? "; write rpm, rev/s or rad/s in the header" : "";
}
