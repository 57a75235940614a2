/* base/summary_text.c — see summary_text.h: a line for each quantity, a table for sections of items. */
#include "base/summary_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COLUMNS_MOST = 16, LABEL_LEAST = 24, HEAD_ROWS_MOST = 6 };

/* Columns that a terminal shows for a UTF-8 text: its characters. */
static int width_of(const char *text)
{
  int n = 0;
  for (; *text; text++) n += ((unsigned char)*text & 0xc0) != 0x80;
  return n;
}

static void print_padded(FILE *to, const char *text, int width, bool right)
{
  int gap = width - width_of(text);
  if (gap < 0) gap = 0;
  if (right) fprintf(to, "%*s%s", gap, "", text);
  else fprintf(to, "%s%*s", text, gap, "");
}

/* The value alone: "152.3". */
static const char *value_of(const cap_summary_quantity *q, char *buffer, size_t size)
{
  if (q->text) return q->text;
  if (isnan(q->value)) return "-";
  if (isinf(q->value)) return q->value > 0.0 ? "no limit" : "-no limit";
  if (fabs(q->value) < 1e-15) return "0"; /* rounding */
  snprintf(buffer, size, fabs(q->value) >= 1e5 && fabs(q->value) < 1e9 ? "%.0f" : "%.5g", q->value);
  return buffer;
}

/* ---- tables -------------------------------------------------------------------------------------------- */

typedef struct column {
  const char *name, *unit;
  bool text;
  int width;
} column;

typedef struct table {
  int n, item_width;
  column columns[COLUMNS_MOST];
} table;

static int column_of(const table *t, const cap_summary_quantity *q)
{
  for (int c = 0; c < t->n; c++)
    if (strcmp(t->columns[c].name, q->name) == 0) return c;
  return -1;
}

/* Width of the longest word of a heading, which is broken at blanks. */
static int longest_word(const char *name)
{
  int most = 0;
  for (const char *at = name; *at;) {
    size_t length = strcspn(at, " ");
    if ((int)length > most) most = (int)length;
    at += length + (at[length] == ' ');
  }
  return most;
}

static void measure(const cap_summary_section *section, table *t)
{
  char buffer[64];
  *t = (table){0};
  for (const cap_summary_quantity *q = section->first; q; q = q->next) {
    if (!q->item) continue;
    int c = column_of(t, q), width = width_of(value_of(q, buffer, sizeof buffer));
    if (c < 0 && t->n < COLUMNS_MOST) {
      c = t->n++;
      t->columns[c] = (column){.name = q->name, .unit = q->unit, .text = q->text != NULL};
      t->columns[c].width = longest_word(q->name);
    }
    if (c < 0) continue;
    column *col = &t->columns[c];
    if (!*col->unit) col->unit = q->unit;
    if (width > col->width) col->width = width;
    if (width_of(col->unit) > col->width) col->width = width_of(col->unit);
    if (width_of(q->item) > t->item_width) t->item_width = width_of(q->item);
  }
}

/* The r-th line of a heading in a column of this width; empty when it has fewer. */
static void heading_line(const column *col, int r, char *out, size_t room)
{
  const char *at = col->name;
  out[0] = '\0';
  for (int line = 0; *at && line <= r; line++) {
    size_t n = 0;
    while (at[n]) { /* as many words as fit */
      size_t word = n + (n > 0), end = word + strcspn(at + word, " ");
      if (n > 0 && (int)end > col->width) break;
      n = end;
    }
    if (line == r) snprintf(out, room, "%.*s", (int)n, at);
    at += n;
    while (*at == ' ') at++;
  }
}

static int heading_rows(const table *t)
{
  char text[160];
  for (int r = 0; r < HEAD_ROWS_MOST; r++) {
    bool any = false;
    for (int c = 0; c < t->n; c++) {
      heading_line(&t->columns[c], r, text, sizeof text);
      any = any || text[0];
    }
    if (!any) return r;
  }
  return HEAD_ROWS_MOST;
}

static void print_heading(FILE *to, const table *t)
{
  char text[160];
  int rows = heading_rows(t);
  bool units = false;
  for (int r = 0; r < rows; r++) {
    fprintf(to, "  %*s", t->item_width, "");
    for (int c = 0; c < t->n; c++) {
      fputs("  ", to);
      heading_line(&t->columns[c], r, text, sizeof text);
      print_padded(to, text, t->columns[c].width, !t->columns[c].text);
    }
    fputc('\n', to);
  }
  for (int c = 0; c < t->n; c++) units = units || *t->columns[c].unit;
  if (!units) return;
  fprintf(to, "  %*s", t->item_width, "");
  for (int c = 0; c < t->n; c++) {
    fputs("  ", to);
    print_padded(to, t->columns[c].unit, t->columns[c].width, !t->columns[c].text);
  }
  fputc('\n', to);
}

static const cap_summary_quantity *cell(const cap_summary_quantity *first, const char *item, const char *name)
{
  for (const cap_summary_quantity *q = first; q; q = q->next)
    if (q->item && strcmp(q->item, item) == 0 && strcmp(q->name, name) == 0) return q;
  return NULL;
}

static void print_row(FILE *to, const cap_summary_section *section, const table *t, const char *item)
{
  char buffer[64];
  fputs("  ", to);
  print_padded(to, item, t->item_width, false);
  for (int c = 0; c < t->n; c++) {
    const cap_summary_quantity *q = cell(section->first, item, t->columns[c].name);
    bool last = c + 1 == t->n && t->columns[c].text; /* nothing stands after it */
    fputs("  ", to);
    print_padded(to, q ? value_of(q, buffer, sizeof buffer) : "", last ? 0 : t->columns[c].width,
                 !t->columns[c].text);
  }
  fputc('\n', to);
}

static void print_table(FILE *to, const cap_summary_section *section)
{
  table t;
  measure(section, &t);
  print_heading(to, &t);
  for (const cap_summary_quantity *q = section->first; q; q = q->next) {
    bool first = q->item != NULL;
    for (const cap_summary_quantity *p = section->first; first && p != q; p = p->next)
      first = !p->item || strcmp(p->item, q->item) != 0;
    if (first) print_row(to, section, &t, q->item);
  }
}

/* ---- sections ------------------------------------------------------------------------------------------ */

static int label_width(const cap_summary *summary, bool details)
{
  int width = LABEL_LEAST;
  for (const cap_summary_section *s = summary->first; s; s = s->next)
    for (const cap_summary_quantity *q = s->first; q && (details || !s->detail); q = q->next)
      if (!q->item && width_of(q->name) > width) width = width_of(q->name);
  return width;
}

void cap_summary_text_print(FILE *to, const cap_summary *summary, bool details)
{
  char buffer[64];
  int width = label_width(summary, details);
  for (const cap_summary_section *s = summary->first; s; s = s->next) {
    if (s->detail && !details) continue;
    fprintf(to, "\n%s\n", s->name);
    for (const cap_summary_quantity *q = s->first; q; q = q->next) {
      if (q->item) continue;
      fputs("  ", to);
      print_padded(to, q->name, width, false);
      bool bare = q->text || !*q->unit || !isfinite(q->value);
      fprintf(to, "  %s%s%s\n", value_of(q, buffer, sizeof buffer), bare ? "" : " ", bare ? "" : q->unit);
    }
    if (cap_summary_has_items(s)) print_table(to, s);
  }
}
