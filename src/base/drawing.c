/* base/drawing.c — see drawing.h. */
#include "base/drawing.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MOST = 512, CIRCLE_POINTS = 120, COILS = 6 };

void cap_drawing_free(cap_drawing *d)
{
  cap_arena_free(&d->arena);
  *d = (cap_drawing){0};
}

bool cap_drawing_empty(const cap_drawing *d)
{
  return !d->first;
}

/* A stroke of n points to be filled in; NULL: out of memory. */
static cap_drawing_stroke *add_stroke(cap_drawing *d, cap_drawing_style style, int n)
{
  if (d->exhausted) return NULL;
  cap_drawing_stroke *s = CAP_ARENA_NEW(&d->arena, cap_drawing_stroke, 1);
  double(*points)[2] = s ? cap_arena_array(&d->arena, (size_t)n, sizeof *points) : NULL;
  if (!points) {
    d->exhausted = true;
    return NULL;
  }
  *s = (cap_drawing_stroke){.style = style, .n = n, .points = points};
  if (d->last) d->last->next = s;
  else d->first = s;
  d->last = s;
  return s;
}

void cap_drawing_polyline(cap_drawing *d, cap_drawing_style style, int n, const double (*points)[2],
                          bool closed)
{
  cap_drawing_stroke *s = add_stroke(d, style, n);
  if (!s) return;
  memcpy(s->points, points, (size_t)n * sizeof *points);
  s->closed = closed;
}

void cap_drawing_line(cap_drawing *d, cap_drawing_style style, double x0, double y0, double x1, double y1)
{
  const double points[2][2] = {{x0, y0}, {x1, y1}};
  cap_drawing_polyline(d, style, 2, points, false);
}

void cap_drawing_arrow(cap_drawing *d, double x0, double y0, double x1, double y1)
{
  cap_drawing_line(d, CAP_DRAWING_MOTION, x0, y0, x1, y1);
  if (d->last) d->last->arrow = true;
}

void cap_drawing_arc(cap_drawing *d, cap_drawing_style style, double x, double y, double radius, double from,
                     double sweep)
{
  int n = 2 + (int)(CIRCLE_POINTS * fmin(1.0, fabs(sweep) / (2.0 * M_PI)));
  cap_drawing_stroke *s = add_stroke(d, style, n);
  for (int k = 0; s && k < n; k++) {
    double angle = from + sweep * k / (n - 1);
    s->points[k][0] = x + radius * cos(angle);
    s->points[k][1] = y + radius * sin(angle);
  }
}

void cap_drawing_arc_arrow(cap_drawing *d, double x, double y, double radius, double from, double sweep)
{
  cap_drawing_arc(d, CAP_DRAWING_MOTION, x, y, radius, from, sweep);
  if (d->last) d->last->arrow = true;
}

void cap_drawing_circle(cap_drawing *d, cap_drawing_style style, double x, double y, double radius)
{
  cap_drawing_arc(d, style, x, y, radius, 0.0, 2.0 * M_PI * (CIRCLE_POINTS - 1) / CIRCLE_POINTS);
  if (d->last) d->last->closed = true;
}

void cap_drawing_text(cap_drawing *d, double x, double y, double dx, double dy, const char *format, ...)
{
  char text[TEXT_MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (d->exhausted) return;
  cap_drawing_label *label = CAP_ARENA_NEW(&d->arena, cap_drawing_label, 1);
  const char *copy = label ? cap_arena_copy_text(&d->arena, text) : NULL;
  if (!copy) {
    d->exhausted = true;
    return;
  }
  *label = (cap_drawing_label){.x = x, .y = y, .dx = dx, .dy = dy, .text = copy};
  if (d->last_label) d->last_label->next = label;
  else d->first_label = label;
  d->last_label = label;
}

void cap_drawing_say(cap_drawing *d, const char *format, ...)
{
  char text[TEXT_MOST];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (d->exhausted) return;
  cap_drawing_note *note = CAP_ARENA_NEW(&d->arena, cap_drawing_note, 1);
  const char *copy = note ? cap_arena_copy_text(&d->arena, text) : NULL;
  if (!copy) {
    d->exhausted = true;
    return;
  }
  *note = (cap_drawing_note){.text = copy};
  if (d->last_note) d->last_note->next = note;
  else d->first_note = note;
  d->last_note = note;
}

/* ---- parts of schemes ---------------------------------------------------------------------------------- */

/* The point at `along` (0 to 1) of the way and `across` to its left. */
static void place(const double from[2], const double to[2], double along, double across, double out[2])
{
  double ux = to[0] - from[0], uy = to[1] - from[1], length = hypot(ux, uy);
  out[0] = from[0] + along * ux - (length > 0.0 ? across * uy / length : 0.0);
  out[1] = from[1] + along * uy + (length > 0.0 ? across * ux / length : 0.0);
}

void cap_drawing_spring(cap_drawing *d, double x0, double y0, double x1, double y1, double width)
{
  double points[2 * COILS + 4][2];
  const double from[2] = {x0, y0}, to[2] = {x1, y1};
  int n = 0;
  place(from, to, 0.0, 0.0, points[n++]);
  place(from, to, 0.2, 0.0, points[n++]);
  for (int k = 0; k < 2 * COILS; k++)
    place(from, to, 0.2 + 0.6 * (k + 0.5) / (2 * COILS), k % 2 ? -0.5 * width : 0.5 * width, points[n++]);
  place(from, to, 0.8, 0.0, points[n++]);
  place(from, to, 1.0, 0.0, points[n++]);
  cap_drawing_polyline(d, CAP_DRAWING_ARM, n, (const double(*)[2])points, false);
}

void cap_drawing_damper(cap_drawing *d, double x0, double y0, double x1, double y1, double width)
{
  const double from[2] = {x0, y0}, to[2] = {x1, y1};
  double rod[2][2], cup[4][2], plate[2][2], end[2][2];
  place(from, to, 0.0, 0.0, rod[0]);
  place(from, to, 0.35, 0.0, rod[1]);
  place(from, to, 0.65, 0.5 * width, cup[0]);
  place(from, to, 0.35, 0.5 * width, cup[1]);
  place(from, to, 0.35, -0.5 * width, cup[2]);
  place(from, to, 0.65, -0.5 * width, cup[3]);
  place(from, to, 0.55, 0.36 * width, plate[0]);
  place(from, to, 0.55, -0.36 * width, plate[1]);
  place(from, to, 0.55, 0.0, end[0]);
  place(from, to, 1.0, 0.0, end[1]);
  cap_drawing_polyline(d, CAP_DRAWING_ARM, 2, (const double(*)[2])rod, false);
  cap_drawing_polyline(d, CAP_DRAWING_ARM, 4, (const double(*)[2])cup, false);
  cap_drawing_polyline(d, CAP_DRAWING_ARM, 2, (const double(*)[2])plate, false);
  cap_drawing_polyline(d, CAP_DRAWING_ARM, 2, (const double(*)[2])end, false);
}

void cap_drawing_box(cap_drawing *d, cap_drawing_style style, double x, double y, double width, double height)
{
  const double points[4][2] = {{x, y}, {x + width, y}, {x + width, y + height}, {x, y + height}};
  cap_drawing_polyline(d, style, 4, points, true);
}

void cap_drawing_wall(cap_drawing *d, double x0, double y0, double x1, double y1, double depth)
{
  const double from[2] = {x0, y0}, to[2] = {x1, y1};
  double length = hypot(x1 - x0, y1 - y0), a[2], b[2];
  int n = 1 + (int)fmin(60.0, length / fabs(depth));
  cap_drawing_line(d, CAP_DRAWING_SECOND, x0, y0, x1, y1);
  for (int k = 0; k < n; k++) {
    place(from, to, (k + 0.8) / n, 0.0, a);
    place(from, to, (k + 0.8) / n - fmin(fabs(depth), 0.8 * length / n) / length, depth, b);
    cap_drawing_line(d, CAP_DRAWING_SECOND, a[0], a[1], b[0], b[1]);
  }
}
