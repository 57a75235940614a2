/* io/csv_header.c — the header of a CSV file: where it is, and what it says.
 *
 * Lines of title may be above the header: any number up to CAP_CSV_TITLES. A line is the header when all of
 * its cells have a name and a known unit, or when all have a name and the line below is a row of known units.
 * The first such line with a row of numbers of the same count below wins; without one, the first with most
 * columns, so that a fault in the first row is reported there. Where no line qualifies, the one above the
 * first row of numbers is read as header and its faults are reported: a file is never accepted by a guess. A
 * row of numbers above the header that could be data is refused.
 */
#include "io/csv_inner.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef cap_csv_reader reader;
typedef cap_csv_cell cell;

typedef enum cell_kind { EMPTY, NUMBER, NAMED, BRACKETED, UNIT, NO_UNIT, WORDS } cell_kind;

/* A line as a table: how many of its cells are what. */
typedef struct record {
  const char *at;
  int line, n;
  int kinds[WORDS + 1];
  char separator;
  bool sound; /* all cells could be taken */
} record;

/* Where header and units are. */
typedef struct found {
  record names, units; /* units.n == 0: behind the names */
  bool with_rows;      /* numbers of the same count below */
} found;

/* ---- one line ---- */

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
  cap_csv_trim(title);
  cap_csv_trim(*unit);
  return **unit != 0;
}

static bool is_number(const reader *r, const char *text)
{
  char copy[CAP_CSV_CELL], reason[CAP_UNITS_REASON];
  double value;
  memcpy(copy, text, strlen(text) + 1);
  cap_csv_decimal(r, copy);
  return cap_units_number(r->units, copy, &value, reason);
}

static bool is_unit(const reader *r, const char *text)
{
  double factor;
  char si[CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  return *text && cap_units_base(r->units, text, &factor, si, reason);
}

static cell_kind kind_of(const reader *r, const char *text)
{
  if (!*text) return EMPTY;
  if (is_number(r, text)) return NUMBER;
  if (strcmp(text, "-") == 0) return NO_UNIT;
  if (is_unit(r, text)) return UNIT;
  char copy[CAP_CSV_CELL], *unit;
  memcpy(copy, text, strlen(text) + 1);
  if (!split_title(copy, &unit)) return WORDS;
  if (!is_unit(r, unit)) return BRACKETED;
  return *copy ? NAMED : UNIT;
}

/* Look at the line at r.at with one separator (0: its own). */
static record survey(reader r, char separator)
{
  const char *stop = cap_csv_line_end(&r, r.at);
  if (!separator) separator = find_separator(r.at, stop);
  record seen = {.at = r.at, .line = r.line, .separator = separator, .sound = true};
  cell c = {.last = false};
  r.quiet = true;
  r.separator = separator;
  while (!c.last && seen.sound) {
    seen.sound = seen.n < CAP_CSV_COLUMNS && cap_csv_take_cell(&r, stop, &c);
    if (!seen.sound || (c.last && seen.n && !c.text[0])) break; /* a separator at the end */
    seen.kinds[kind_of(&r, c.text)]++;
    seen.n++;
  }
  return seen;
}

/* The line with data that follows; n == 0: there is none. */
static record survey_below(reader r, char separator)
{
  cap_csv_next_line(&r, cap_csv_line_end(&r, r.at));
  if (!cap_csv_seek_record(&r)) return (record){0};
  return survey(r, separator);
}

static reader at_record(const reader *r, const record *line)
{
  reader there = *r;
  there.at = line->at;
  there.line = line->line;
  return there;
}

/* ---- which line ---- */

static bool only(const record *line, cell_kind kind)
{
  return line->sound && line->n > 0 && line->kinds[kind] == line->n;
}

static bool has_names(const record *line)
{
  return line->sound && line->n > 0 && !line->kinds[EMPTY] && !line->kinds[NUMBER];
}

/* Units below `names`. One of "-" alone (or of "1") could be a row of data that is missing, unless the names
 * have no units of their own. */
static bool is_unit_row(const record *line, const record *names)
{
  if (!line->sound || line->n != names->n) return false;
  if (line->kinds[UNIT] + line->kinds[NO_UNIT] + line->kinds[NUMBER] != line->n) return false;
  return line->kinds[UNIT] || (!names->kinds[NAMED] && only(line, NO_UNIT));
}

/* The same with units that are not known: only to say which. */
static bool is_faulty_unit_row(const record *line, const record *names)
{
  return line->sound && line->n == names->n && !names->kinds[NAMED] && !line->kinds[NAMED] &&
         !line->kinds[EMPTY] && line->kinds[UNIT] + line->kinds[BRACKETED] > 0;
}

/* Whether the line is a header with all its units. */
static bool is_header(const reader *r, const record *line, found *out)
{
  if (!has_names(line)) return false;
  reader there = at_record(r, line);
  record below = survey_below(there, line->separator);
  *out = (found){.names = *line};
  if (is_unit_row(&below, line)) {
    out->units = below;
    there = at_record(r, &below);
    below = survey_below(there, line->separator);
  } else if (!only(line, NAMED)) return false;
  out->with_rows = below.n == line->n && only(&below, NUMBER);
  return true;
}

/* What a search through the first lines has come upon. */
typedef struct search {
  found header;       /* names.n == 0: none yet */
  record first, last; /* the first line, the one before */
  record before_last;
  found above_numbers; /* the names above the first numbers, with faults */
  record bracketed;    /* the line with most cells that end with brackets */
} search;

static void note_fault(search *s, const record *line)
{
  int n = line->kinds[NAMED] + line->kinds[BRACKETED];
  if (n > s->bracketed.kinds[NAMED] + s->bracketed.kinds[BRACKETED]) s->bracketed = *line;
  if (s->above_numbers.names.n || !only(line, NUMBER) || s->last.n != line->n || !has_names(&s->last)) return;
  s->above_numbers.names = s->last;
  if (s->before_last.n != line->n || !has_names(&s->before_last)) return;
  if (is_faulty_unit_row(&s->last, &s->before_last))
    s->above_numbers = (found){.names = s->before_last, .units = s->last};
}

/* Whether no line is between a header and this one, which could be a row of the first. */
static bool follows(const search *s, const found *header)
{
  return s->last.at == (header->units.n ? header->units.at : header->names.at);
}

/* True when the search is over: nothing below can change what the header is. Of two with the same count the
 * first is kept, unless the second follows at once: the file may be two files in one. */
static bool take_line(search *s, const reader *r, const record *line)
{
  found *h = &s->header, other;
  if (!s->first.at) s->first = *line;
  note_fault(s, line);
  if (h->names.n) {
    reader there = at_record(r, line);
    record row = survey(there, h->names.separator);
    if (row.n == h->names.n && only(&row, NUMBER)) return true;
  }
  if (is_header(r, line, &other)) {
    bool same = h->names.n == other.names.n && !follows(s, h);
    if (!h->names.n || (!same && (other.with_rows || other.names.n > h->names.n))) *h = other;
    if (h->with_rows) return true;
  }
  s->before_last = s->last;
  s->last = *line;
  return false;
}

static found best_fault(const search *s)
{
  int n = s->bracketed.kinds[NAMED] + s->bracketed.kinds[BRACKETED];
  if (n < 2 && s->above_numbers.names.n) return s->above_numbers;
  return (found){.names = n ? s->bracketed : s->first};
}

static found find_header(const reader *r)
{
  search s = {0};
  reader at = *r;
  for (int i = 0; i < CAP_CSV_TITLES && cap_csv_seek_record(&at); i++) {
    record line = survey(at, r->given_separator);
    if (take_line(&s, r, &line)) break;
    cap_csv_next_line(&at, cap_csv_line_end(&at, at.at));
  }
  return s.header.names.n ? s.header : best_fault(&s);
}

/* Numbers above the header are lost unless they are no row of it. */
static void refuse_rows_above(reader *r, const found *header)
{
  reader at = *r;
  while (cap_csv_seek_record(&at) && at.line < header->names.line) {
    record line = survey(at, header->names.separator);
    if (line.n == header->names.n && only(&line, NUMBER)) {
      r->line = line.line;
      r->head = line.at;
      cap_csv_report(r, NULL,
                     "expected only titles above the header in line %d, got a row of %d number%s; move the "
                     "header to the top, or put # in front of the line",
                     header->names.line, line.n, line.n == 1 ? "" : "s");
      return;
    }
    cap_csv_next_line(&at, cap_csv_line_end(&at, at.at));
  }
}

/* ---- what it says ---- */

typedef struct column {
  cell name, unit; /* unit.start NULL: no row of units */
} column;

/* A finding at the cell with the unit. */
static reader unit_place(const reader *r, const found *header)
{
  reader there = at_record(r, &header->units);
  there.head = there.at;
  return there;
}

__attribute__((format(printf, 4, 5))) static void report_unit(reader *r, const found *header, const column *c,
                                                              const char *format, ...)
{
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (!c->unit.start) {
    cap_csv_report(r, c->name.start, "%s", text);
    return;
  }
  reader there = unit_place(r, header);
  cap_csv_report(&there, c->unit.start, "%s", text);
  r->findings = there.findings;
  r->full = there.full;
}

/* The unit in the cell of a row of units, with or without brackets. */
static char *bare_unit(char *text)
{
  char *unit;
  size_t n = strlen(text);
  bool bracketed = n > 1 &&
                   ((text[0] == '[' && text[n - 1] == ']') || (text[0] == '(' && text[n - 1] == ')'));
  return bracketed && split_title(text, &unit) && !*text ? unit : text;
}

/* Name and unit of a column; NULL after a finding. With a row of units, brackets that hold no unit belong to
 * the name. */
static const char *unit_of(reader *r, const found *header, column *c)
{
  char *own = NULL, whole[CAP_CSV_CELL];
  memcpy(whole, c->name.text, sizeof whole);
  bool split = split_title(c->name.text, &own);
  if (c->unit.start && !(split && is_unit(r, own))) {
    memcpy(c->name.text, whole, sizeof whole);
    return bare_unit(c->unit.text);
  }
  if (!split) {
    if (!whole[0]) cap_csv_report(r, c->name.start, "expected a column with a name and a unit, got nothing");
    else
      cap_csv_report(
          r, c->name.start,
          "the column \"%.60s\" has no unit; expected it behind the name as in \"force [N]\" or in a "
          "row of units below the names, [-] for a pure number",
          whole);
    return NULL;
  }
  if (!c->unit.start) return own;
  double factor[2];
  char si[2][CAP_UNITS_LONGEST], reason[CAP_UNITS_REASON];
  const char *below = bare_unit(c->unit.text);
  bool good = cap_units_base(r->units, own, &factor[0], si[0], reason) &&
              cap_units_base(r->units, below, &factor[1], si[1], reason);
  if (good && factor[0] == factor[1] && strcmp(si[0], si[1]) == 0) return own;
  report_unit(r, header, c, "expected the unit \"%.40s\" as behind the name \"%.60s\", got \"%.40s\"", own,
              c->name.text, below);
  return NULL;
}

static cap_status no_memory(reader *r)
{
  cap_diag_add(r->diag, 0, 0, NULL, "out of memory");
  return CAP_ERR_NOMEM;
}

static cap_status read_column(reader *r, const found *header, int i, column *c)
{
  char reason[CAP_UNITS_REASON], si[CAP_UNITS_LONGEST];
  if (is_number(r, c->name.text)) {
    cap_csv_report(r, c->name.start, "expected a header such as \"time [s]\", got the number \"%.40s\"",
                   c->name.text);
    return CAP_OK;
  }
  const char *unit = unit_of(r, header, c), *name = c->name.text;
  if (!unit) return CAP_OK;
  if (!*name) cap_csv_report(r, c->name.start, "expected a name before the unit [%.40s], got nothing", unit);
  if (strchr(name, ']') && !c->unit.start)
    cap_csv_report(r, c->name.start,
                   "expected one column a cell, got two units; separate columns by comma, semicolon or tab");
  if (!cap_units_base(r->units, unit, &r->factors[i], si, reason))
    report_unit(r, header, c, "the column \"%.60s\": %s", name, reason);
  for (int j = 0; j < i; j++)
    if (r->csv->names[j] && strcmp(r->csv->names[j], name) == 0 && *name)
      cap_csv_report(r, c->name.start, "duplicate column \"%.60s\"; expected a name of its own", name);
  r->csv->names[i] = cap_arena_copy_text(r->arena, name);
  r->csv->units[i] = cap_arena_copy_text(r->arena, si);
  r->csv->per_minute[i] = cap_units_per_minute(r->units, unit);
  r->csv->places[i] = cap_csv_place(r->head, c->name.start);
  return r->csv->names[i] && r->csv->units[i] ? CAP_OK : no_memory(r);
}

/* A last cell without name is the separator at the end of the line. */
static cap_status read_columns(reader *r, const found *header)
{
  reader below = unit_place(r, header);
  const char *stop = cap_csv_line_end(r, r->at),
             *units_stop = header->units.n ? cap_csv_line_end(&below, below.at) : NULL;
  column c = {.name = {.last = false}};
  while (!c.name.last) {
    if (r->csv->ncolumn == CAP_CSV_COLUMNS) {
      cap_csv_report(r, r->at, "expected at most %d columns, got more", CAP_CSV_COLUMNS);
      return CAP_ERR_INPUT;
    }
    if (!cap_csv_take_cell(r, stop, &c.name)) return CAP_ERR_INPUT;
    if (c.name.last && !c.name.text[0] && r->csv->ncolumn) break;
    if (header->units.n && !cap_csv_take_cell(&below, units_stop, &c.unit)) return CAP_ERR_INPUT;
    CAP_TRY(read_column(r, header, r->csv->ncolumn++, &c));
  }
  return CAP_OK;
}

static cap_status make_room(reader *r)
{
  cap_csv *csv = r->csv;
  csv->names = CAP_ARENA_NEW(r->arena, const char *, CAP_CSV_COLUMNS);
  csv->units = CAP_ARENA_NEW(r->arena, const char *, CAP_CSV_COLUMNS);
  csv->values = CAP_ARENA_NEW(r->arena, double *, CAP_CSV_COLUMNS);
  csv->per_minute = CAP_ARENA_NEW(r->arena, bool, CAP_CSV_COLUMNS);
  csv->places = CAP_ARENA_NEW(r->arena, int, CAP_CSV_COLUMNS);
  r->factors = CAP_ARENA_NEW(r->arena, double, CAP_CSV_COLUMNS);
  bool good = csv->names && csv->units && csv->values && csv->per_minute && csv->places && r->factors;
  return good ? CAP_OK : no_memory(r);
}

static void note_titles(const reader *r, const found *header)
{
  char units[40] = "";
  if (header->units.n) snprintf(units, sizeof units, ", units in line %d", header->units.line);
  cap_diag_note(r->diag, header->names.line, 1,
                "line %d is read as the header%s; the lines above are skipped", header->names.line, units);
}

cap_status cap_csv_header_read(reader *r)
{
  CAP_TRY(make_room(r));
  const found header = find_header(r);
  const int first = r->line;
  refuse_rows_above(r, &header);
  *r = at_record(r, &header.names);
  r->head = r->at;
  r->csv->header_line = r->line;
  r->separator = header.names.separator;
  CAP_TRY(read_columns(r, &header));
  if (r->findings) return CAP_ERR_INPUT;
  if (header.names.line > first) note_titles(r, &header);
  *r = at_record(r, header.units.n ? &header.units : &header.names);
  cap_csv_next_line(r, cap_csv_line_end(r, r->at));
  return CAP_OK;
}
