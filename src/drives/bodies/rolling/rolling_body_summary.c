/* drives/bodies/rolling/rolling_body_summary.c — see rolling_body.h: what a person reads first, and the
 * bodies
 * at the start as seen from above. */
#include "analysis/observe/start_values.h"
#include "drives/bodies/rolling/rolling_body.h"

#include <math.h>
#include <stdio.h>

typedef cap_rolling_spec spec;
typedef cap_rolling_body body;

static bool spatial(const body *p)
{
  return p->kind == CAP_ROLLING_DISC || p->kind == CAP_ROLLING_BALL;
}

static void tell(const cap_start_values *start, const body *p, const char *channel, const char *name,
                 const char *unit, cap_summary *out)
{
  char full[256];
  snprintf(full, sizeof full, "%s.%s", p->name, channel);
  cap_start_values_tell(start, full, name, unit, out);
}

static void add_bodies(const spec *s, const cap_start_values *start, cap_summary *out)
{
  const body *bodies = s->bodies.items;
  cap_summary_begin(out, "bodies at the start");
  for (int k = 0; k < s->bodies.n; k++) {
    const body *p = &bodies[k];
    cap_summary_item(out, p->name);
    cap_summary_text(out, "kind", "%s", cap_rolling_body_kind(p->kind));
    cap_summary_number(out, "mass", "kg", p->mass);
    if (p->radius > 0.0) cap_summary_number(out, "radius", "mm", p->radius);
    tell(start, p, "x", "x", "m", out);
    tell(start, p, "y", "y", "m", out);
    if (!spatial(p)) tell(start, p, "heading", "heading", "deg", out);
    tell(start, p, "vx", "vx", "m/s", out);
    tell(start, p, "vy", "vy", "m/s", out);
  }
}

void cap_rolling_body_summary(const void *self, const void *description, const cap_model *model,
                              cap_summary *out)
{
  const spec *s = self;
  cap_start_values start;
  (void)description;
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  add_bodies(s, &start, out);
  cap_start_values_close(&start);
  cap_summary_begin(out, "contacts");
  cap_summary_number(out, "free coordinates", "", model->nv - model->nmotion);
  cap_summary_number(out, "contacts and hinges", "", model->ncontact);
  cap_summary_number(out, "velocity constraints", "", model->nrow);
  cap_summary_text(out, "rolling", "%s",
                   s->contact.epsilon > 0.0 ? "viscoelastic contact" : "ideal, no slip");
  if (s->ground.slope != 0.0) cap_summary_number(out, "slope of the ground", "deg", s->ground.slope);
  if (s->ground.turning != 0.0) cap_summary_number(out, "rotation of the ground", "rpm", s->ground.turning);
}

/* ---- picture ------------------------------------------------------------------------------------------- */

typedef struct pen {
  const spec *s;
  cap_drawing *d;
  double size; /* m: of what has no size of its own */
} pen;

static double size_of(const spec *s, double (*q)[CAP_ROLLING_COORDS])
{
  const body *bodies = s->bodies.items;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, size = 0.0;
  for (int k = 0; k < s->bodies.n; k++) {
    const cap_rolling_blade *blades = bodies[k].blades.items;
    size = fmax(size, fmax(bodies[k].radius, bodies[k].arm));
    for (int i = 0; bodies[k].kind == CAP_ROLLING_PLANAR && i < bodies[k].blades.n; i++)
      size = fmax(size, hypot(blades[i].x, blades[i].y));
    for (int i = 0; i < 2; i++) low[i] = fmin(low[i], q[k][i]), high[i] = fmax(high[i], q[k][i]);
  }
  if (size > 0.0) return size;
  size = hypot(high[0] - low[0], high[1] - low[1]);
  return size > 0.0 ? 0.4 * size : 0.1;
}

static void put(const double q[], double angle, double x, double y, double out[2])
{
  out[0] = q[0] + x * cos(angle) - y * sin(angle);
  out[1] = q[1] + x * sin(angle) + y * cos(angle);
}

/* A blade or the track of a wheel: along it nothing resists. */
static void draw_blade(const pen *p, const double q[], double angle, double x, double y, double turned,
                       double half)
{
  double at[2], c = cos(angle + turned), s = sin(angle + turned);
  put(q, angle, x, y, at);
  cap_drawing_line(p->d, CAP_DRAWING_BELT, at[0] - half * c, at[1] - half * s, at[0] + half * c,
                   at[1] + half * s);
}

/* A disc of an inclined plane from above: an ellipse. */
static void draw_disc(const pen *p, const body *b, const double q[])
{
  enum { N = 60 };
  double points[N][2], across = fmax(b->radius * fabs(cos(b->tilt)), 0.01 * b->radius);
  for (int k = 0; k < N; k++) {
    double turn = 2.0 * M_PI * k / N;
    put(q, b->heading, b->radius * cos(turn), across * sin(turn), points[k]);
  }
  cap_drawing_polyline(p->d, CAP_DRAWING_PART, N, (const double(*)[2])points, true);
}

static void draw_body(const pen *p, const body *b, const double q[])
{
  double half = 0.3 * p->size, at[2];
  const cap_rolling_blade *blades = b->blades.items;
  switch (b->kind) {
  case CAP_ROLLING_DISC:
    draw_disc(p, b, q);
    break;
  case CAP_ROLLING_BALL:
    cap_drawing_circle(p->d, CAP_DRAWING_PART, q[0], q[1], b->radius);
    break;
  case CAP_ROLLING_BLOCK:
    cap_drawing_box(p->d, CAP_DRAWING_PART, q[0] - half, q[1] - half, 2.0 * half, 2.0 * half);
    break;
  case CAP_ROLLING_WHEEL:
    draw_blade(p, q, b->heading, 0.0, 0.0, 0.0, b->radius > 0.0 ? b->radius : half);
    break;
  case CAP_ROLLING_SLEIGH:
    put(q, b->heading, -b->arm, 0.0, at);
    cap_drawing_line(p->d, CAP_DRAWING_ARM, q[0], q[1], at[0], at[1]);
    draw_blade(p, q, b->heading, -b->arm, 0.0, 0.0, half);
    cap_drawing_circle(p->d, CAP_DRAWING_PART, q[0], q[1], 0.1 * p->size);
    break;
  case CAP_ROLLING_PLANAR:
    for (int i = 0; i < b->blades.n; i++) {
      put(q, b->heading, blades[i].x, blades[i].y, at);
      cap_drawing_line(p->d, CAP_DRAWING_ARM, q[0], q[1], at[0], at[1]);
      draw_blade(p, q, b->heading, blades[i].x, blades[i].y, blades[i].angle, 0.5 * half);
    }
    cap_drawing_circle(p->d, CAP_DRAWING_PART, q[0], q[1], 0.05 * p->size);
    break;
  default: /* a knife edge */
    draw_blade(p, q, b->heading, 0.0, 0.0, 0.0, half);
    break;
  }
  put(q, b->heading, 0.0, 0.0, at);
  cap_drawing_text(p->d, at[0], at[1], 0.0, 1.0, "%s\n%s, %.4g kg", b->name, cap_rolling_body_kind(b->kind),
                   b->mass);
}

static void draw_hinges(const pen *p, double (*q)[CAP_ROLLING_COORDS])
{
  const cap_rolling_hinge *hinges = p->s->hinges.items;
  const body *bodies = p->s->bodies.items;
  for (int k = 0; k < p->s->hinges.n; k++) {
    int from = cap_rolling_body_build_find(p->s, hinges[k].from);
    int to = hinges[k].to ? cap_rolling_body_build_find(p->s, hinges[k].to) : -1;
    double at[2];
    if (from < 0) continue;
    put(q[from], bodies[from].heading, hinges[k].from_x, hinges[k].from_y, at);
    cap_drawing_line(p->d, CAP_DRAWING_ARM, q[from][0], q[from][1], at[0], at[1]);
    if (to >= 0) cap_drawing_line(p->d, CAP_DRAWING_ARM, q[to][0], q[to][1], at[0], at[1]);
    cap_drawing_circle(p->d, CAP_DRAWING_ARM, at[0], at[1], 0.04 * p->size);
  }
}

/* The velocities of the centres at the start. */
static void draw_velocities(const pen *p, const cap_model *model, double (*q)[CAP_ROLLING_COORDS])
{
  const body *bodies = p->s->bodies.items;
  cap_start_values start;
  char name[256];
  if (!cap_start_values_open(&start, model)) {
    p->d->exhausted = true;
    return;
  }
  for (int k = 0; k < p->s->bodies.n; k++) {
    snprintf(name, sizeof name, "%s.vx", bodies[k].name);
    double vx = cap_start_values_of(&start, name);
    snprintf(name, sizeof name, "%s.vy", bodies[k].name);
    double vy = cap_start_values_of(&start, name), speed = hypot(vx, vy), length = 0.8 * p->size;
    if (!(speed > 1e-12)) continue;
    cap_drawing_arrow(p->d, q[k][0], q[k][1], q[k][0] + length * vx / speed, q[k][1] + length * vy / speed);
    cap_drawing_text(p->d, q[k][0] + length * vx / speed, q[k][1] + length * vy / speed, vx, vy, "\n%.4g m/s",
                     speed);
  }
  cap_start_values_close(&start);
}

void cap_rolling_body_summary_draw(const void *self, const void *description, const cap_model *model,
                                   cap_drawing *d)
{
  const spec *s = self;
  double q[CAP_ROLLING_BODIES][CAP_ROLLING_COORDS], e[CAP_ROLLING_BODIES][4];
  (void)description;
  cap_rolling_body_build_places(s, q, e);
  const pen p = {.s = s, .d = d, .size = size_of(s, q)};
  for (int k = 0; k < s->bodies.n; k++) draw_body(&p, (const body *)s->bodies.items + k, q[k]);
  draw_hinges(&p, q);
  draw_velocities(&p, model, q);
  cap_drawing_say(
      d, "from above, at the start; blue: directions in which blades and wheels roll or slide freely");
}
