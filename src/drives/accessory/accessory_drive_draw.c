/* drives/accessory/accessory_drive_draw.c — the drive to scale: pulleys, the path of the belt, the tensioner
 * with its stops, as it runs at the start.
 */
#include "drives/accessory/accessory_drive.h"

#include <math.h>

typedef struct pen {
  const cap_accessory_spec *s;
  const cap_belt *belt;
  const cap_belt_statics *start;
  cap_drawing *d;
} pen;

static double degrees(double angle)
{
  return angle * 180.0 / M_PI;
}

/* Middle of all pulleys: labels stand away from it. */
static void middle_of(const pen *p, double middle[2])
{
  middle[0] = middle[1] = 0.0;
  for (int k = 0; k < p->belt->npulley; k++)
    for (int i = 0; i < 2; i++) middle[i] += p->start->path.pulley[k].centre[i] / p->belt->npulley;
}

static void draw_pulleys(const pen *p)
{
  for (int k = 0; k < p->belt->npulley; k++) {
    const cap_belt_pulley *pulley = &p->belt->pulleys[k];
    const double *c = p->start->path.pulley[k].centre;
    cap_drawing_style style = pulley->side == CAP_BELT_BACK ? CAP_DRAWING_SECOND : CAP_DRAWING_PART;
    cap_drawing_circle(p->d, style, c[0], c[1], 0.5 * pulley->effective);
  }
}

static void draw_belt(const pen *p)
{
  const cap_belt_path *path = &p->start->path;
  for (int k = 0; k < path->n; k++) {
    const cap_belt_path_span *before = &path->span[k ? k - 1 : path->n - 1], *after = &path->span[k];
    const double *c = path->pulley[k].centre;
    const cap_belt_pulley *pulley = &p->belt->pulleys[k];
    double from = atan2(before->to[1] - c[1], before->to[0] - c[0]);
    cap_drawing_arc(p->d, CAP_DRAWING_BELT, c[0], c[1], pulley->radius, from,
                    pulley->side * path->pulley[k].wrap);
    cap_drawing_line(p->d, CAP_DRAWING_BELT, after->from[0], after->from[1], after->to[0], after->to[1]);
  }
}

/* The direction of travel, along the longest span and around the driving pulley. */
static void draw_travel(const pen *p)
{
  const cap_belt_path *path = &p->start->path;
  const cap_belt_pulley *crank = &p->belt->pulleys[p->belt->crank];
  const double *c = path->pulley[p->belt->crank].centre;
  int longest = 0;
  for (int k = 1; k < path->n; k++)
    if (path->span[k].length > path->span[longest].length) longest = k;
  const cap_belt_path_span *s = &path->span[longest];
  double normal[2] = {s->u[1], -s->u[0]}, off = 0.035 * path->length / M_PI, a[2], b[2];
  for (int i = 0; i < 2; i++) {
    double middle = s->from[i] + 0.7 * (s->to[i] - s->from[i]) + off * normal[i];
    a[i] = middle - 0.1 * s->length * s->u[i];
    b[i] = middle + 0.1 * s->length * s->u[i];
  }
  cap_drawing_arrow(p->d, a[0], a[1], b[0], b[1]);
  cap_drawing_arc_arrow(p->d, c[0], c[1], 0.38 * crank->effective, 0.25 * M_PI, 0.5 * M_PI * crank->side);
}

static void draw_arm(const pen *p)
{
  const cap_belt_arm *arm = &p->belt->arm;
  double length = arm->length, r = 0.06 * length, angle = p->start->angle;
  double tip[2] = {arm->pivot_x + length * cos(angle), arm->pivot_y + length * sin(angle)};
  double low = arm->stop_low, high = arm->stop_high;
  if (isfinite(low) && isfinite(high)) {
    const double stops[2] = {low, high};
    for (int k = 0; k < 2; k++)
      cap_drawing_line(p->d, CAP_DRAWING_GUIDE, arm->pivot_x, arm->pivot_y,
                       arm->pivot_x + 1.25 * length * cos(stops[k]),
                       arm->pivot_y + 1.25 * length * sin(stops[k]));
    cap_drawing_arc(p->d, CAP_DRAWING_GUIDE, arm->pivot_x, arm->pivot_y, length, low, high - low);
    for (int k = 0; k < 2; k++)
      cap_drawing_text(p->d, arm->pivot_x + 1.25 * length * cos(stops[k]),
                       arm->pivot_y + 1.25 * length * sin(stops[k]), cos(stops[k]), sin(stops[k]),
                       "\n%s stop %.4g°", k ? "high" : "low", degrees(stops[k]));
  }
  cap_drawing_line(p->d, CAP_DRAWING_ARM, arm->pivot_x, arm->pivot_y, tip[0], tip[1]);
  cap_drawing_circle(p->d, CAP_DRAWING_ARM, arm->pivot_x, arm->pivot_y, r);
  cap_drawing_text(p->d, arm->pivot_x, arm->pivot_y, -cos(angle), -sin(angle), "arm %.4g°\n%.4g mm",
                   degrees(angle), 1e3 * length);
}

static void draw_slide(const pen *p)
{
  const cap_belt_arm *arm = &p->belt->arm;
  double at = p->start->angle, reach = 0.1 * p->start->path.length / M_PI;
  double low = isfinite(arm->stop_low) ? arm->stop_low : at - reach;
  double high = isfinite(arm->stop_high) ? arm->stop_high : at + reach;
  double x = arm->pivot_x, y = arm->pivot_y, ux = arm->slide_x, uy = arm->slide_y;
  cap_drawing_line(p->d, CAP_DRAWING_GUIDE, x + (low - reach) * ux, y + (low - reach) * uy,
                   x + (high + reach) * ux, y + (high + reach) * uy);
  const double ends[2] = {low, high};
  for (int k = 0; k < 2; k++) {
    if (!isfinite(k ? arm->stop_high : arm->stop_low)) continue;
    double cx = x + ends[k] * ux, cy = y + ends[k] * uy, half = 0.15 * reach;
    cap_drawing_line(p->d, CAP_DRAWING_ARM, cx - half * uy, cy + half * ux, cx + half * uy, cy - half * ux);
    cap_drawing_text(p->d, cx, cy, -uy, ux, "\n%s stop %.4g mm", k ? "high" : "low", 1e3 * ends[k]);
  }
  cap_drawing_text(p->d, x + (high + reach) * ux, y + (high + reach) * uy, ux, uy, "slide %.4g mm", 1e3 * at);
}

static void label(const pen *p)
{
  const cap_belt_path *path = &p->start->path;
  double middle[2];
  middle_of(p, middle);
  for (int k = 0; k < path->n; k++) {
    const cap_belt_pulley *pulley = &p->belt->pulleys[k];
    const double *c = path->pulley[k].centre;
    cap_drawing_text(p->d, c[0], c[1], 0.0, 0.0, "%s\nØ %.5g mm\nwrap %.4g°", pulley->name,
                     1e3 * pulley->effective, degrees(path->pulley[k].wrap));
  }
  for (int k = 0; k < path->n; k++) {
    const cap_belt_path_span *s = &path->span[k];
    double x = 0.5 * (s->from[0] + s->to[0]), y = 0.5 * (s->from[1] + s->to[1]);
    double side = (x - middle[0]) * s->u[1] - (y - middle[1]) * s->u[0] >= 0.0 ? 1.0 : -1.0;
    cap_drawing_text(p->d, x, y, side * s->u[1], -side * s->u[0], "\n%.4g mm", 1e3 * s->length);
  }
}

void cap_accessory_drive_draw(const void *spec, const void *description, const cap_model *model,
                              cap_drawing *drawing)
{
  const cap_accessory_described *found = description;
  (void)model;
  if (!found) return;
  const pen p = {.s = spec, .belt = &found->belt, .start = &found->start, .d = drawing};
  const cap_belt *b = p.belt;
  draw_pulleys(&p);
  draw_belt(&p);
  if (cap_belt_slides(&b->arm)) draw_slide(&p);
  else if (cap_belt_has_arm(b)) draw_arm(&p);
  draw_travel(&p);
  label(&p);
  cap_drawing_say(drawing,
                  "steady running at %.6g rpm; lengths of spans between tangent points of the pitch line",
                  b->speed * 30.0 / M_PI);
  for (int k = 0; k < b->npulley; k++)
    if (b->pulleys[k].side == CAP_BELT_BACK) {
      cap_drawing_say(drawing, "brown: pulleys on the back of the belt");
      break;
    }
}
