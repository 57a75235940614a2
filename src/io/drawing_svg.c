/* io/drawing_svg.c — see drawing_svg.h.
 *
 * Strokes are scaled to a width or height of SIDE pixels. Each label is tried at places around its point,
 * nearest first, beginning on the side that it asks for; the one of least cost is taken. What costs: pixels
 * of strokes below it (they are known as points, one every few pixels, in a grid of cells), other labels, and
 * distance. A label far from its point gets a leader.
 */
#include "io/drawing_svg.h"
#include "base/whole.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  SIDE = 900,
  MARGIN = 24,
  LINES_MOST = 8,
  DIRECTIONS = 16,
  DISTANCES = 12,
  CELL = 5,
  CELLS_MOST = 4096,
  TITLE_HEIGHT = 34
};

static const double NAME_SIZE = 15.0, TEXT_SIZE = 13.0, LINE = 17.0; /* px */
static const double WIDTH_OF_CHARACTER = 0.56;                       /* of the size, of common sans-serifs */

typedef struct box {
  double x0, y0, x1, y1;
} box;

typedef struct placed {
  const cap_drawing_label *label;
  box box;
  bool leader;
  double end[2]; /* of the leader, at the box */
} placed;

typedef struct page {
  const cap_drawing *d;
  double scale, x0, y1; /* px/m; m at the left and upper edge */
  int columns, rows;    /* of the grid of cells, which is wider than the picture by `border` */
  double border;
  unsigned char *cells; /* [rows][columns] 1: there is a stroke */
  int nplaced;
  placed *placed; /* [number of labels] */
  box all;
} page;

/* ---- geometry ------------------------------------------------------------------------------------------ */

static void to_page(const page *p, const double point[2], double out[2])
{
  out[0] = (point[0] - p->x0) * p->scale;
  out[1] = (p->y1 - point[1]) * p->scale;
}

static void include(box *b, double x, double y)
{
  b->x0 = fmin(b->x0, x), b->x1 = fmax(b->x1, x);
  b->y0 = fmin(b->y0, y), b->y1 = fmax(b->y1, y);
}

/* Scale and edges from all strokes. */
static void fit(page *p)
{
  box b = {DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX};
  for (const cap_drawing_stroke *s = p->d->first; s; s = s->next)
    for (int k = 0; k < s->n; k++) include(&b, s->points[k][0], s->points[k][1]);
  double largest = fmax(b.x1 - b.x0, b.y1 - b.y0);
  p->scale = largest > 0.0 ? SIDE / largest : 1.0;
  p->x0 = b.x0, p->y1 = b.y1;
  p->all = (box){0.0, 0.0, (b.x1 - b.x0) * p->scale, (b.y1 - b.y0) * p->scale};
}

static unsigned char *cell_at(page *p, double x, double y)
{
  int column = capm_whole_between(floor((x + p->border) / CELL), -1, p->columns),
      row = capm_whole_between(floor((y + p->border) / CELL), -1, p->rows);
  if (column < 0 || row < 0 || column >= p->columns || row >= p->rows) return NULL;
  return &p->cells[row * p->columns + column];
}

static void mark_line(page *p, const double a[2], const double b[2])
{
  int n = 1 + capm_whole_between(hypot(b[0] - a[0], b[1] - a[1]) / (0.5 * CELL), 0, CELLS_MOST);
  for (int k = 0; k <= n; k++) {
    unsigned char *cell = cell_at(p, a[0] + (b[0] - a[0]) * k / n, a[1] + (b[1] - a[1]) * k / n);
    if (cell) *cell = 1;
  }
}

static void mark_strokes(page *p)
{
  double a[2], b[2];
  for (const cap_drawing_stroke *s = p->d->first; s; s = s->next)
    for (int k = 0; k + (s->closed ? 0 : 1) < s->n; k++) {
      to_page(p, s->points[k], a);
      to_page(p, s->points[(k + 1) % s->n], b);
      mark_line(p, a, b);
    }
}

/* ---- labels -------------------------------------------------------------------------------------------- */

static size_t characters(const char *text, size_t length)
{
  size_t n = 0;
  for (size_t k = 0; k < length; k++) n += ((unsigned char)text[k] & 0xc0) != 0x80;
  return n;
}

/* A text that begins with a line feed has no name in its first line. */
static bool named(const char *text)
{
  return *text != '\n';
}

static void size_of(const char *text, double *width, double *height)
{
  int line = 0;
  bool bold = named(text);
  *width = 0.0;
  for (const char *at = text + !bold; *at && line < LINES_MOST; line++, bold = false) {
    size_t length = strcspn(at, "\n");
    double size = bold ? NAME_SIZE * 1.06 : TEXT_SIZE;
    *width = fmax(*width, WIDTH_OF_CHARACTER * size * (double)characters(at, length));
    at += length + (at[length] == '\n');
  }
  *height = LINE * line;
}

static bool overlap(const box *a, const box *b, double gap)
{
  return a->x0 < b->x1 + gap && b->x0 < a->x1 + gap && a->y0 < b->y1 + gap && b->y0 < a->y1 + gap;
}

/* Cells with strokes below it, and close beside it. */
static int covered(page *p, const box *b)
{
  const double gap = 3.0;
  int n = 0;
  for (double y = b->y0 - gap; y < b->y1 + gap + CELL; y += CELL)
    for (double x = b->x0 - gap; x < b->x1 + gap + CELL; x += CELL) {
      const unsigned char *cell = cell_at(p, fmin(x, b->x1 + gap), fmin(y, b->y1 + gap));
      n += cell && *cell;
    }
  return n;
}

/* The point of the box that is nearest to one outside. */
static void nearest_of(const box *b, const double at[2], double out[2])
{
  out[0] = fmin(fmax(at[0], b->x0), b->x1);
  out[1] = fmin(fmax(at[1], b->y0), b->y1);
}

static bool leader_crosses(const page *p, const double a[2], const double b[2])
{
  for (int i = 0; i < p->nplaced; i++)
    for (int k = 1; k < 20; k++) {
      double x = a[0] + (b[0] - a[0]) * k / 20.0, y = a[1] + (b[1] - a[1]) * k / 20.0;
      const box *o = &p->placed[i].box;
      if (x > o->x0 && x < o->x1 && y > o->y0 && y < o->y1) return true;
    }
  return false;
}

static double cost_of(page *p, const box *b, const double at[2], double turned)
{
  double end[2];
  double cost = 80.0 * covered(p, b) + 8.0 * turned;
  nearest_of(b, at, end);
  double distance = hypot(end[0] - at[0], end[1] - at[1]);
  cost += 0.25 * distance;
  if (distance > 24.0 && leader_crosses(p, at, end)) cost += 2000.0;
  for (int i = 0; i < p->nplaced; i++) cost += overlap(b, &p->placed[i].box, 5.0) ? 1e5 : 0.0;
  return cost;
}

static box box_at(double x, double y, double width, double height)
{
  return (box){x - 0.5 * width, y - 0.5 * height, x + 0.5 * width, y + 0.5 * height};
}

static void place_label(page *p, const cap_drawing_label *label)
{
  double width, height, at[2];
  const double point[2] = {label->x, label->y};
  size_of(label->text, &width, &height);
  to_page(p, point, at);
  bool centred = label->dx == 0.0 && label->dy == 0.0;
  double first = centred ? 0.5 * M_PI : atan2(-label->dy, label->dx);
  box best = box_at(at[0], at[1], width, height);
  double least = centred ? cost_of(p, &best, at, 0.0) : INFINITY;
  for (int j = 0; j < DISTANCES; j++)
    for (int i = 0; i < DIRECTIONS; i++) {
      int turn = i % 2 ? (i + 1) / 2 : -i / 2; /* this side and the other in turn */
      double angle = first + 2.0 * M_PI * turn / DIRECTIONS, c = cos(angle), s = sin(angle);
      /* so far that the box just leaves the point, and then further */
      double reach = fmin(fabs(c) > 1e-9 ? 0.5 * width / fabs(c) : INFINITY,
                          fabs(s) > 1e-9 ? 0.5 * height / fabs(s) : INFINITY);
      double away = reach + 9.0 + 18.0 * j;
      box b = box_at(at[0] + away * c, at[1] + away * s, width, height);
      double cost = cost_of(p, &b, at, fabs((double)turn));
      if (cost < least) least = cost, best = b;
    }
  placed *out = &p->placed[p->nplaced];
  *out = (placed){.label = label, .box = best};
  nearest_of(&best, at, out->end);
  out->leader = hypot(out->end[0] - at[0], out->end[1] - at[1]) > 24.0;
  if (out->leader) mark_line(p, at, out->end);
  p->nplaced++;
  include(&p->all, best.x0, best.y0);
  include(&p->all, best.x1, best.y1);
}

/* ---- writing ------------------------------------------------------------------------------------------- */

static const char *const classes[CAP_DRAWING_NSTYLE] = {"part", "second", "belt", "arm", "guide", "motion"};

static const char style_sheet[] =
    "<style>\n"
    "svg{--text:#1b2733;--soft:#5b6b7b;--back:#ffffff;--part:#eef3f8;--edge:#34495e;--second:#f6efe4;"
    "--secondedge:#8a6a3c;--belt:#1f5fa8;--arm:#2d7d46;--motion:#b3411e}\n"
    "@media (prefers-color-scheme: dark){svg{--text:#e6edf3;--soft:#9fb0c0;--back:#12181f;--part:#1d2833;"
    "--edge:#a9bccd;--second:#2d2619;--secondedge:#d0aa6c;--belt:#6cb0ff;--arm:#6fcf8e;--motion:#ff9a70}}\n"
    ".back{fill:var(--back)}\n"
    ".part{fill:var(--part);stroke:var(--edge);stroke-width:1.6}\n"
    ".second{fill:var(--second);stroke:var(--secondedge);stroke-width:1.6}\n"
    ".belt{fill:none;stroke:var(--belt);stroke-width:4;stroke-linejoin:round}\n"
    ".arm{fill:none;stroke:var(--arm);stroke-width:2.6;stroke-linejoin:round;stroke-linecap:round}\n"
    ".guide{fill:none;stroke:var(--soft);stroke-width:1.2;stroke-dasharray:6 4}\n"
    ".motion{fill:none;stroke:var(--motion);stroke-width:2}\n"
    ".head{fill:var(--motion)}\n"
    ".open{fill:none}\n"
    ".leader{stroke:var(--soft);stroke-width:0.8}\n"
    "text{font-family:system-ui,'Segoe UI','DejaVu Sans',sans-serif;font-size:13px;fill:var(--text)}\n"
    ".name{font-size:15px;font-weight:600}\n"
    ".title{font-size:17px;font-weight:600}\n"
    ".note{fill:var(--soft)}\n"
    "</style>\n";

static void put_text(FILE *out, const char *text, size_t length)
{
  for (size_t k = 0; k < length; k++) {
    unsigned char c = (unsigned char)text[k];
    if (c == '<') fputs("&lt;", out);
    else if (c == '>') fputs("&gt;", out);
    else if (c == '&') fputs("&amp;", out);
    else if (c == '"') fputs("&quot;", out);
    else if (c >= 0x20) fputc(c, out);
  }
}

static void put_head(const page *p, const cap_drawing_stroke *s, FILE *out)
{
  double a[2], b[2];
  to_page(p, s->points[s->n - 2], a);
  to_page(p, s->points[s->n - 1], b);
  double ux = b[0] - a[0], uy = b[1] - a[1], length = hypot(ux, uy);
  if (!(length > 0.0)) return;
  ux /= length, uy /= length;
  fprintf(out, "<path class=\"head\" d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"/>\n", b[0] + 7.0 * ux,
          b[1] + 7.0 * uy, b[0] - 5.0 * ux - 5.0 * uy, b[1] - 5.0 * uy + 5.0 * ux, b[0] - 5.0 * ux + 5.0 * uy,
          b[1] - 5.0 * uy - 5.0 * ux);
}

static void put_stroke(const page *p, const cap_drawing_stroke *s, FILE *out)
{
  double at[2];
  fprintf(out, "<path class=\"%s%s\" d=\"", classes[s->style], s->closed ? "" : " open");
  for (int k = 0; k < s->n; k++) {
    to_page(p, s->points[k], at);
    fprintf(out, "%s%.1f %.1f", k ? "L" : "M", at[0], at[1]);
  }
  fprintf(out, "%s\"/>\n", s->closed ? "Z" : "");
  if (s->arrow) put_head(p, s, out);
}

static void put_label(const page *p, const placed *l, FILE *out)
{
  double at[2], y = l->box.y0 + 0.78 * LINE;
  const double point[2] = {l->label->x, l->label->y};
  to_page(p, point, at);
  if (l->leader)
    fprintf(out, "<line class=\"leader\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n", at[0], at[1],
            l->end[0], l->end[1]);
  int line = 0;
  bool bold = named(l->label->text);
  for (const char *text = l->label->text + !bold; *text && line < LINES_MOST;
       line++, y += LINE, bold = false) {
    size_t length = strcspn(text, "\n");
    fprintf(out, "<text%s x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", bold ? " class=\"name\"" : "",
            0.5 * (l->box.x0 + l->box.x1), y);
    put_text(out, text, length);
    fputs("</text>\n", out);
    text += length + (text[length] == '\n');
  }
}

/* 1, 2 or 5 times a power of ten, about a fifth of the picture. */
static double bar_length(const page *p)
{
  double about = 0.2 * SIDE / p->scale, power = pow(10.0, floor(log10(about)));
  return about >= 5.0 * power ? 5.0 * power : about >= 2.0 * power ? 2.0 * power : power;
}

/* Notes and the scale below the picture; returns the lower end. */
static double put_notes(const page *p, double y, FILE *out)
{
  for (const cap_drawing_note *n = p->d->first_note; n; n = n->next, y += LINE) {
    fprintf(out, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">", p->all.x0, y);
    put_text(out, n->text, strlen(n->text));
    fputs("</text>\n", out);
  }
  if (p->d->scheme) {
    fprintf(out, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">schematic, not to scale</text>\n", p->all.x0, y);
    return y + LINE;
  }
  double bar = bar_length(p), width = bar * p->scale;
  fprintf(out, "<path class=\"guide\" style=\"stroke-dasharray:none\" d=\"M%.1f %.1fv6h%.1fv-6\"/>\n",
          p->all.x0, y - 6.0, width);
  fprintf(out, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">%g mm</text>\n", p->all.x0 + width + 8.0, y,
          1e3 * bar);
  return y + LINE;
}

static double notes_height(const page *p)
{
  double lines = 1.0;
  for (const cap_drawing_note *n = p->d->first_note; n; n = n->next) lines += 1.0;
  return LINE * lines + 12.0;
}

static double notes_width(const page *p)
{
  double width = 0.0, w, h;
  for (const cap_drawing_note *n = p->d->first_note; n; n = n->next) {
    size_of(n->text, &w, &h);
    width = fmax(width, w);
  }
  return width;
}

static void put_page(const page *p, const char *title, FILE *out)
{
  double title_width, title_height;
  size_of(title, &title_width, &title_height);
  double left = p->all.x0 - MARGIN, top = p->all.y0 - MARGIN - TITLE_HEIGHT;
  double inner = fmax(p->all.x1 - p->all.x0, fmax(1.15 * title_width, notes_width(p)));
  double width = inner + 2.0 * MARGIN, height = p->all.y1 - top + notes_height(p) + MARGIN;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"%.0f %.0f %.0f %.0f\" width=\"%.0f\" "
          "height=\"%.0f\" role=\"img\">\n<title>",
          left, top, width, height, width, height);
  put_text(out, title, strlen(title));
  fprintf(out, "</title>\n%s<rect class=\"back\" x=\"%.0f\" y=\"%.0f\" width=\"%.0f\" height=\"%.0f\"/>\n",
          style_sheet, left, top, width, height);
  fprintf(out, "<text class=\"title\" x=\"%.1f\" y=\"%.1f\">", p->all.x0, top + MARGIN + 8.0);
  put_text(out, title, strlen(title));
  fputs("</text>\n", out);
  for (const cap_drawing_stroke *s = p->d->first; s; s = s->next) put_stroke(p, s, out);
  for (int k = 0; k < p->nplaced; k++) put_label(p, &p->placed[k], out);
  put_notes(p, p->all.y1 + 12.0 + LINE, out);
  fputs("</svg>\n", out);
}

cap_status cap_drawing_svg_write(const cap_drawing *drawing, const char *title, FILE *out)
{
  page p = {.d = drawing, .border = 600.0};
  int n = 0;
  for (const cap_drawing_label *l = drawing->first_label; l; l = l->next) n++;
  fit(&p);
  p.columns = capm_whole_between((p.all.x1 + 2.0 * p.border) / CELL, 0, CELLS_MOST) + 1;
  p.rows = capm_whole_between((p.all.y1 + 2.0 * p.border) / CELL, 0, CELLS_MOST) + 1;
  p.cells = calloc((size_t)p.columns * (size_t)p.rows, 1);
  p.placed = calloc((size_t)n + 1, sizeof *p.placed);
  bool room = p.cells && p.placed && !drawing->exhausted;
  if (room) {
    mark_strokes(&p);
    for (const cap_drawing_label *l = drawing->first_label; l; l = l->next) place_label(&p, l);
    put_page(&p, title, out);
  }
  free(p.cells);
  free(p.placed);
  if (!room) return CAP_ERR_NOMEM;
  return ferror(out) ? CAP_ERR_IO : CAP_OK;
}
