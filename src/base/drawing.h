/* base/drawing.h — a drawing of a drive from its description: strokes in metres, and labels whose place is
 * found when it is written (io/drawing_svg.h).
 *
 * Drives draw themselves; nothing here knows them. x to the right, y upwards. A drawing is to scale, or a
 * scheme, whose lengths mean nothing. Texts and points are copied; a lack of memory is remembered in
 * `exhausted` and nothing is added any more.
 */
#pragma once
#include "base/arena.h"
#include <stdbool.h>

typedef enum cap_drawing_style {
  CAP_DRAWING_PART,   /* outline of a body, filled */
  CAP_DRAWING_SECOND, /* the same of another kind: a pulley on the back of the belt, the ground */
  CAP_DRAWING_BELT,   /* belt, ring */
  CAP_DRAWING_ARM,    /* tensioner, spring, damper */
  CAP_DRAWING_GUIDE,  /* thin and dashed: stops, centre lines, clearances */
  CAP_DRAWING_MOTION, /* arrows of motion and load */
  CAP_DRAWING_NSTYLE
} cap_drawing_style;

typedef struct cap_drawing_stroke {
  cap_drawing_style style;
  bool closed, arrow; /* an arrow has its head at the last point */
  int n;
  double (*points)[2]; /* [n] m */
  struct cap_drawing_stroke *next;
} cap_drawing_stroke;

typedef struct cap_drawing_label {
  double x, y, dx, dy; /* m: what it belongs to; the side on which it stands best, (0, 0) = on it */
  const char *text;    /* lines; the first one is the name */
  struct cap_drawing_label *next;
} cap_drawing_label;

typedef struct cap_drawing_note {
  const char *text;
  struct cap_drawing_note *next;
} cap_drawing_note;

typedef struct cap_drawing {
  bool scheme; /* not to scale */
  cap_drawing_stroke *first, *last;
  cap_drawing_label *first_label, *last_label;
  cap_drawing_note *first_note, *last_note; /* lines below the picture */
  bool exhausted;
  cap_arena arena;
} cap_drawing;

void cap_drawing_free(cap_drawing *d); /* accepts a zeroed one */
bool cap_drawing_empty(const cap_drawing *d);

void cap_drawing_line(cap_drawing *d, cap_drawing_style style, double x0, double y0, double x1, double y1);
void cap_drawing_polyline(cap_drawing *d, cap_drawing_style style, int n, const double (*points)[2],
                          bool closed);
/* From the angle `from` through `sweep`, counter-clockwise when positive. */
void cap_drawing_arc(cap_drawing *d, cap_drawing_style style, double x, double y, double radius, double from,
                     double sweep);
void cap_drawing_circle(cap_drawing *d, cap_drawing_style style, double x, double y, double radius);
void cap_drawing_arrow(cap_drawing *d, double x0, double y0, double x1, double y1);
void cap_drawing_arc_arrow(cap_drawing *d, double x, double y, double radius, double from, double sweep);
__attribute__((format(printf, 6, 7))) void cap_drawing_text(cap_drawing *d, double x, double y, double dx,
                                                            double dy, const char *format, ...);
__attribute__((format(printf, 2, 3))) void cap_drawing_say(cap_drawing *d, const char *format, ...);

/* Parts of schemes, of the width `width` across. */
void cap_drawing_spring(cap_drawing *d, double x0, double y0, double x1, double y1, double width);
void cap_drawing_damper(cap_drawing *d, double x0, double y0, double x1, double y1, double width);
void cap_drawing_box(cap_drawing *d, cap_drawing_style style, double x, double y, double width,
                     double height);
/* A hatched wall between two points; the solid side is to the left of the way from the first to the second,
 * to the right for a negative depth. */
void cap_drawing_wall(cap_drawing *d, double x0, double y0, double x1, double y1, double depth);
