/* tests/bad/table.h — tables of malformed inputs, read into cases: a text, settings, and what must be found.
 *
 * A table NAME.cases is read line by line. In column 0 stand
 *   reader model|study|csv   what reads the texts of the cases that follow (model, unless said)
 *   base NAME                the text that the cases below change: the lines "  | " that follow, or the file
 *                            base/NAME.yaml when there are none. Every base must be accepted as it is.
 *   file PATH                a companion file that lies beside the inputs of this table
 *   case NAME                a case; its lines are indented by two spaces:
 *     ~ OLD => NEW           OLD, which stands once in the text, becomes NEW (nothing: it is taken out)
 *     ~ TEXT                 TEXT, without its marks, stands once in the text; it gets the marks
 *     - LINE, + LINE, = LINE a hunk as in a diff, of whole lines: taken out, put in, there before and after;
 *                            the lines "-" and "=" stand once in the text, one below the other
 *     | LINE                 no base: these lines are the whole text
 *     set PATH=VALUE         a setting, as after --set
 *     ! PLACE KEY: WORDS     a finding, in the order in which they are told; "!!" puts the message on the
 * golden page, too report TEXT            in wrong.cases: what the driver must say of the case Lines that
 * start with "#", indented or not, are comments. Two hunks are kept apart by a line "...".
 *
 * The mark >> in a text is taken out of it; a finding stands at the line and column of what follows its mark.
 * The first finding is at the first mark, the next at the next; PLACE says otherwise: [2] the second mark,
 * [set 2] the second setting, [set] the first, [file] the input as a whole, [data/a.csv:3:6] what is written.
 * KEY: is the path that the message begins with, exactly; a message without a path has none here. WORDS, set
 * apart by " | ", each stand in the message as whole words. They say what is meant (the value found, the
 * limit, the other key), not how it is worded. A list of all names that are known is never repeated.
 *
 * In all texts \n \t \r \\ and \xHH are bytes, \c at the end of a line leaves out its line feed, \{300:text}
 * is text 300 times, with \# in it counting from 0.
 */
#pragma once
#include "base/arena.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BAD_MOST = 16, BAD_ROOM = 1 << 18, BAD_MARK = 0xf8 }; /* 0xf8 is in no UTF-8, and in no case */

typedef enum bad_reader { BAD_MODEL, BAD_STUDY, BAD_CSV } bad_reader;

typedef struct bad_finding {
  int line;                /* of the table */
  int mark;                /* from 1; 0: `place` stands before the message */
  const char *place, *key; /* NULL: begins without one */
  int nword;
  const char *words[BAD_MOST];
  bool golden;
} bad_finding;

typedef struct bad_text {
  const char *name;
  int line;
  bad_reader reader;
  const char *bytes;
  size_t size;
  struct bad_text *next;
} bad_text;

typedef struct bad_case {
  bad_text input; /* marks taken out */
  int nmark, nsetting, nfinding;
  struct {
    int line, column;
  } marks[BAD_MOST];
  const char *settings[BAD_MOST];
  bad_finding findings[BAD_MOST];
  const char *trouble, *report; /* why it is no case, or NULL; of wrong.cases */
  struct bad_case *next;
} bad_case;

typedef struct bad_table {
  const char *path;
  int ncase;
  bad_text *bases, *files;
  bad_case *cases, **end;
  const char *trouble; /* a line outside of the cases that means nothing; NULL */
  cap_arena arena;
} bad_table;

typedef struct bad_buffer {
  size_t n;
  char v[BAD_ROOM];
} bad_buffer;

/* The state of a reading: what the lines add to. */
typedef struct bad_reading {
  bad_table *table;
  int line, mark;
  bad_reader reader;
  bool whole;             /* the case has no base */
  bad_text *base, *block; /* block: the base or file whose lines are being read */
  bad_case *now;
  bad_buffer text, old, new;
} bad_reading;

static void bad_trouble(bad_reading *r, const char *what, const char *of)
{
  const char **trouble = r->now ? &r->now->trouble : &r->table->trouble;
  if (!*trouble) *trouble = cap_arena_format(&r->table->arena, "line %d: %s: %s", r->line, what, of);
}

static void bad_put(bad_reading *r, bad_buffer *to, const char *bytes, size_t n)
{
  if (to->n + n > sizeof to->v) {
    bad_trouble(r, "the text is too long", "");
    return;
  }
  memmove(to->v + to->n, bytes, n);
  to->n += n;
}

static const char *bad_escaped(bad_reading *r, bad_buffer *to, const char *p, const char *end, int count);

static void bad_unescape(bad_reading *r, bad_buffer *to, const char *p, const char *end, int count)
{
  while (p < end) {
    if (end - p >= 2 && p[0] == '>' && p[1] == '>') bad_put(r, to, (char[]){(char)BAD_MARK}, 1), p += 2;
    else if (*p == '\\' && p + 1 < end) p = bad_escaped(r, to, p + 1, end, count);
    else bad_put(r, to, p++, 1);
  }
}

/* \{300:text}; the text may hold other escapes, but no "}" */
static const char *bad_repeated(bad_reading *r, bad_buffer *to, const char *p, const char *end)
{
  char *text;
  long n = strtol(p, &text, 10);
  const char *close = memchr(p, '}', (size_t)(end - p));
  if (*text != ':' || !close) {
    bad_trouble(r, "expected \\{COUNT:text}, got", p);
    return end;
  }
  for (int i = 0; i < n; i++) bad_unescape(r, to, text + 1, close, i);
  return close + 1;
}

/* What follows a backslash; returns what is behind it. */
static const char *bad_escaped(bad_reading *r, bad_buffer *to, const char *p, const char *end, int count)
{
  static const char names[] = "ntr\\", values[] = "\n\t\r\\";
  const char *known = strchr(names, *p);
  char text[16];
  if (known) bad_put(r, to, values + (known - names), 1);
  else if (*p == '{') return bad_repeated(r, to, p + 1, end);
  else if (*p == '#') bad_put(r, to, text, (size_t)snprintf(text, sizeof text, "%d", count));
  else if (*p == 'x' && end - p >= 3 && isxdigit((unsigned char)p[1]) && isxdigit((unsigned char)p[2])) {
    snprintf(text, sizeof text, "%.2s", p + 1);
    bad_put(r, to, (char[]){(char)strtol(text, NULL, 16)}, 1);
    return p + 3;
  } else bad_trouble(r, "an escape that is not known", p);
  return p + 1;
}

/* A whole line of a text, with its line feed unless \c says otherwise. */
static void bad_put_line(bad_reading *r, bad_buffer *to, const char *line)
{
  size_t n = strlen(line);
  bool open = n >= 2 && strcmp(line + n - 2, "\\c") == 0;
  bad_unescape(r, to, line, line + n - (open ? 2 : 0), 0);
  if (!open) bad_put(r, to, "\n", 1);
}

/* Put `new` in the place of `old`, which must stand there once (at the start of a line when `lines`). */
static void bad_change(bad_reading *r, const bad_buffer *old, const bad_buffer *new, bool lines)
{
  bad_buffer *t = &r->text;
  char *found = NULL, *from = t->v;
  int times = 0;
  for (char *p; old->n && (p = memmem(from, t->n - (size_t)(from - t->v), old->v, old->n)); from = p + 1)
    if (!lines || p == t->v || p[-1] == '\n') found = p, times++;
  if (times != 1) {
    bad_trouble(r, times ? "stands more than once in the text" : "does not stand in the text",
                cap_arena_format(&r->table->arena, "\"%.*s\"", (int)old->n, old->v));
    return;
  }
  size_t before = (size_t)(found - t->v), behind = t->n - before - old->n;
  if (before + new->n + behind > sizeof t->v) {
    bad_trouble(r, "the text is too long", "");
    return;
  }
  memmove(found + new->n, found + old->n, behind);
  memcpy(found, new->v, new->n);
  t->n = before + new->n + behind;
}

static void bad_end_hunk(bad_reading *r)
{
  if (r->old.n) bad_change(r, &r->old, &r->new, true);
  else if (r->new.n) bad_trouble(r, "lines are put in, but nothing says where", "give a line \"=\"");
  r->old.n = r->new.n = 0;
}

/* ~ OLD => NEW, ~ TEXT */
static void bad_substitute(bad_reading *r, const char *line)
{
  const char *arrow = strstr(line, " =>"), *end = line + strlen(line);
  r->old.n = r->new.n = 0;
  if (arrow && (!arrow[3] || arrow[3] == ' ')) {
    bad_unescape(r, &r->old, line, arrow, 0);
    if (arrow[3]) bad_unescape(r, &r->new, arrow + 4, end, 0);
  } else {
    bad_unescape(r, &r->new, line, end, 0);
    for (size_t i = 0; i < r->new.n; i++)
      if ((unsigned char)r->new.v[i] != BAD_MARK) bad_put(r, &r->old, r->new.v + i, 1);
  }
  bad_change(r, &r->old, &r->new, false);
  r->old.n = r->new.n = 0;
}

/* [2], [set], [file], [data/a.csv:3:6]; returns what is behind it. */
static const char *bad_read_place(bad_reading *r, bad_finding *f, const char *p)
{
  const char *end = strchr(p, ']');
  int n = 1;
  if (!end) {
    bad_trouble(r, "expected ] behind the place in", p);
    return p;
  }
  const char *place = cap_arena_format(&r->table->arena, "%.*s", (int)(end - p - 1), p + 1);
  if (isdigit((unsigned char)*place)) f->mark = r->mark = atoi(place);
  else if (strcmp(place, "file") == 0) f->place = "";
  else if (strcmp(place, "set") == 0 || sscanf(place, "set %d", &n) == 1) {
    if (n < 1 || n > r->now->nsetting) bad_trouble(r, "there is no such setting", place), n = 1;
    f->place = cap_arena_format(&r->table->arena, "--set %s", r->now->settings[n - 1]);
  } else f->place = place;
  return end + 1 + strspn(end + 1, " ");
}

/* Length of the path that a message begins with, "a.b[0]: ", without the colon; 0: it begins without. */
static size_t bad_key_length(const char *message)
{
  size_t n = strcspn(message, " \"");
  return n > 1 && message[n - 1] == ':' ? n - 1 : 0;
}

static void bad_read_finding(bad_reading *r, const char *p, bool golden)
{
  if (r->now->nfinding == BAD_MOST) {
    bad_trouble(r, "too many findings", p);
    return;
  }
  bad_finding *f = &r->now->findings[r->now->nfinding++];
  *f = (bad_finding){.line = r->line, .golden = golden};
  if (*p == '[') p = bad_read_place(r, f, p);
  else f->mark = ++r->mark;
  size_t n = bad_key_length(p);
  if (n) f->key = cap_arena_format(&r->table->arena, "%.*s", (int)n, p), p += n + 1 + (p[n + 1] == ' ');
  while (*p && f->nword < BAD_MOST) {
    const char *bar = strstr(p, " | ");
    n = bar ? (size_t)(bar - p) : strlen(p);
    f->words[f->nword++] = cap_arena_format(&r->table->arena, "%.*s", (int)n, p);
    p += n + (bar ? 3 : 0);
  }
  if (f->nword == 0 && *p == 0) bad_trouble(r, "a finding without words", f->key ? f->key : "");
}

/* Take the marks out of the text and remember where they were. */
static void bad_take_marks(bad_reading *r, bad_case *c)
{
  int line = 1, column = 1;
  size_t n = 0;
  for (size_t i = 0; i < r->text.n; i++) {
    unsigned char byte = (unsigned char)r->text.v[i];
    if (byte == BAD_MARK) {
      if (c->nmark == BAD_MOST) bad_trouble(r, "too many marks", c->input.name);
      else c->marks[c->nmark].line = line, c->marks[c->nmark++].column = column;
      continue;
    }
    r->text.v[n++] = (char)byte;
    column++;
    if (byte == '\n') line++, column = 1;
  }
  r->text.n = n;
}

static void bad_check_marks(bad_reading *r, const bad_case *c)
{
  for (int k = 1; k <= c->nmark; k++) {
    bool used = false;
    for (int i = 0; i < c->nfinding; i++) used = used || c->findings[i].mark == k;
    if (!used) bad_trouble(r, "a mark that no finding stands at", c->input.name);
  }
  for (int i = 0; i < c->nfinding; i++)
    if (c->findings[i].mark > c->nmark) bad_trouble(r, "a finding without its mark", c->input.name);
  if (c->nfinding == 0) bad_trouble(r, "a case without findings", c->input.name);
}

static void bad_keep(bad_reading *r, bad_text *text, const bad_buffer *from)
{
  char *bytes = cap_arena_alloc(&r->table->arena, from->n + 1);
  memcpy(bytes, from->v, from->n);
  text->bytes = bytes, text->size = from->n;
}

static void bad_read_base_file(bad_reading *r)
{
  char path[600];
  snprintf(path, sizeof path, "%.*s/base/%s.yaml", (int)(strrchr(r->table->path, '/') - r->table->path),
           r->table->path, r->base->name);
  FILE *stream = fopen(path, "rb");
  r->text.n = stream ? fread(r->text.v, 1, sizeof r->text.v, stream) : 0;
  if (stream) fclose(stream);
  bad_keep(r, r->base, &r->text);
}

/* What ends with the next line in column 0: a case, a base or a companion file. */
static void bad_end_entry(bad_reading *r)
{
  bad_end_hunk(r);
  if (r->now) {
    bad_take_marks(r, r->now);
    bad_check_marks(r, r->now);
    bad_keep(r, &r->now->input, &r->text);
    *r->table->end = r->now, r->table->end = &r->now->next, r->table->ncase++;
  } else if (r->block && (r->block != r->base || r->text.n)) bad_keep(r, r->block, &r->text);
  else if (r->block) bad_read_base_file(r);
  r->now = NULL, r->block = NULL, r->text.n = 0, r->mark = 0, r->whole = false;
}

static bad_text *bad_new_text(bad_reading *r, const char *name, bad_text **list)
{
  bad_text *text = CAP_ARENA_NEW(&r->table->arena, bad_text, 1);
  text->name = cap_arena_copy_text(&r->table->arena, name);
  text->line = r->line, text->reader = r->reader, text->next = *list;
  return *list = text;
}

static void bad_begin_case(bad_reading *r, const char *name)
{
  r->now = CAP_ARENA_NEW(&r->table->arena, bad_case, 1);
  r->now->input.name = cap_arena_copy_text(&r->table->arena, name);
  r->now->input.line = r->line, r->now->input.reader = r->reader;
  if (r->base) bad_put(r, &r->text, r->base->bytes, r->base->size);
}

static void bad_read_head(bad_reading *r, const char *line)
{
  bad_end_entry(r);
  if (strcmp(line, "reader model") == 0) r->reader = BAD_MODEL;
  else if (strcmp(line, "reader study") == 0) r->reader = BAD_STUDY;
  else if (strcmp(line, "reader csv") == 0) r->reader = BAD_CSV;
  else if (strncmp(line, "base ", 5) == 0) r->block = r->base = bad_new_text(r, line + 5, &r->table->bases);
  else if (strncmp(line, "file ", 5) == 0) r->block = bad_new_text(r, line + 5, &r->table->files);
  else if (strncmp(line, "case ", 5) == 0) bad_begin_case(r, line + 5);
  else bad_trouble(r, "expected reader, base, file or case, got", line);
}

static void bad_read_hunk(bad_reading *r, char sign, const char *rest)
{
  if (sign != '+') bad_put_line(r, &r->old, rest);
  if (sign != '-') bad_put_line(r, &r->new, rest);
}

/* A line of a case: its sign and, behind a space, the rest. */
static void bad_read_indented(bad_reading *r, const char *line)
{
  size_t n = strcspn(line, " ");
  const char *rest = line + n + (line[n] == ' ');
  bool hunk = n == 1 && strchr("-+=", *line);
  if (!hunk) bad_end_hunk(r);
  if (*line == '|' && n == 1) {
    if (r->now && !r->whole) r->text.n = 0, r->whole = true;
    bad_put_line(r, &r->text, rest);
  } else if (!r->now) bad_trouble(r, "expected a case before", line);
  else if (hunk) bad_read_hunk(r, *line, rest);
  else if (*line == '~' && n == 1) bad_substitute(r, rest);
  else if (*line == '!' && n <= 2) bad_read_finding(r, rest, n == 2);
  else if (strncmp(line, "set ", 4) == 0 && r->now->nsetting < BAD_MOST)
    r->now->settings[r->now->nsetting++] = cap_arena_copy_text(&r->table->arena, rest);
  else if (strcmp(line, "...") == 0) return;
  else if (strncmp(line, "report ", 7) == 0) r->now->report = cap_arena_copy_text(&r->table->arena, rest);
  else bad_trouble(r, "a line of no known kind", line);
}

/* False when there is no such file. What is wrong with a case stands in its `trouble`. */
static bool bad_table_read(bad_table *table, const char *path)
{
  FILE *stream = fopen(path, "r");
  *table = (bad_table){0};
  table->path = cap_arena_copy_text(&table->arena, path), table->end = &table->cases;
  bad_reading *r = stream ? calloc(1, sizeof *r) : NULL;
  if (!r) return false;
  r->table = table;
  char *line = NULL;
  size_t room = 0;
  for (ssize_t n; (n = getline(&line, &room, stream)) >= 0;) {
    r->line++;
    if (n && line[n - 1] == '\n') line[n - 1] = 0;
    if (line[strspn(line, " ")] == '#') continue;
    if (!*line) bad_end_hunk(r);
    else if (strncmp(line, "  ", 2) == 0) bad_read_indented(r, line + 2);
    else bad_read_head(r, line);
  }
  bad_end_entry(r);
  free(line);
  free(r);
  fclose(stream);
  return true;
}

static void bad_table_free(bad_table *table)
{
  cap_arena_free(&table->arena);
}
