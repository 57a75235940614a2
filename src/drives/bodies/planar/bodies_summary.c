/* drives/bodies/planar/bodies_summary.c — see bodies.h: what a person reads first about planar bodies, and
 * the
 * bodies at the start. */
#include "analysis/observe/start_values.h"
#include "drives/bodies/planar/bodies.h"

#include <math.h>
#include <stdio.h>

typedef cap_bodies_spec spec;
typedef cap_bodies_body body;

static void tell(const cap_start_values *start, const char *whose, const char *channel, const char *name,
                 const char *unit, cap_summary *out)
{
  char full[256];
  snprintf(full, sizeof full, "%s.%s", whose, channel);
  cap_start_values_tell(start, full, name, unit, out);
}

static void add_bodies(const spec *s, const cap_start_values *start, cap_summary *out)
{
  static const char *const holds[] = {"none", "angle", "position"};
  const body *bodies = s->bodies.items;
  cap_summary_begin(out, "bodies at the start");
  for (int k = 0; k < s->bodies.n; k++) {
    const body *p = &bodies[k];
    cap_summary_item(out, p->name);
    cap_summary_text(out, "kind", "%s", cap_bodies_kind_name(p->kind));
    cap_summary_text(out, "prescribed", "%s", holds[p->hold]);
    cap_summary_number(out, "mass", "kg", p->mass);
    cap_summary_number(out, "inertia", "kg m2", cap_bodies_scene_inertia(p));
    tell(start, p->name, "x", "x", "mm", out);
    tell(start, p->name, "y", "y", "mm", out);
    tell(start, p->name, "angle", "angle", "deg", out);
    if (p->hold == CAP_BODIES_PLACE && p->speed != 0.0)
      cap_summary_number(out, "prescribed speed", "rpm", p->speed);
  }
}

/* Contacts by what they join, with their gap at the start. */
static void add_contacts(const cap_model *m, const cap_start_values *start, cap_summary *out)
{
  cap_summary_begin(out, "contacts and joints");
  cap_summary_number(out, "free coordinates", "", m->nv - m->nmotion);
  cap_summary_number(out, "contacts and joints", "", m->ncontact);
  cap_summary_number(out, "contact rows", "", m->nrow);
  for (int k = 0; k < m->ncontact && k < 40; k++) {
    cap_summary_item(out, m->contact_name[k]);
    char full[256];
    snprintf(full, sizeof full, "%s.gap", m->contact_name[k]);
    cap_summary_number(out, "gap at the start", "mm", cap_start_values_of(start, full));
  }
}

void cap_bodies_summary(const void *self, const void *description, const cap_model *model, cap_summary *out)
{
  const spec *s = self;
  cap_start_values start;
  (void)description;
  if (!cap_start_values_open(&start, model)) {
    out->exhausted = true;
    return;
  }
  add_bodies(s, &start, out);
  add_contacts(model, &start, out);
  cap_start_values_close(&start);
  if (s->gravity > 0.0) {
    cap_summary_begin(out, "loads");
    cap_summary_text(out, "gravity", "%.4g m/s2", s->gravity);
    cap_summary_number(out, "forces and torques", "", s->loads.n);
    cap_summary_number(out, "springs and dampers", "", s->springs.n);
  }
}

/* A point of a body in the plane; of the ground as it is. */
static bool point_of(const cap_start_values *start, const char *whose, double x, double y, double out[2])
{
  double at[3];
  if (!cap_start_values_place(start, whose ? whose : "-", at)) return false;
  out[0] = at[0] + x * cos(at[2]) - y * sin(at[2]);
  out[1] = at[1] + x * sin(at[2]) + y * cos(at[2]);
  return true;
}

static void draw_links(const spec *s, const cap_start_values *start, cap_drawing *d)
{
  const cap_bodies_spring *springs = s->springs.items;
  const cap_bodies_joint *joints = s->joints.items;
  double a[2], b[2];
  for (int k = 0; k < s->springs.n; k++)
    if (point_of(start, springs[k].from, springs[k].from_x, springs[k].from_y, a) &&
        point_of(start, springs[k].to, springs[k].to_x, springs[k].to_y, b) &&
        hypot(b[0] - a[0], b[1] - a[1]) > 0.0)
      cap_drawing_spring(d, a[0], a[1], b[0], b[1], 0.15 * hypot(b[0] - a[0], b[1] - a[1]));
  for (int k = 0; k < s->joints.n; k++) {
    const cap_bodies_joint *j = &joints[k];
    bool link = j->kind == CAP_BODIES_ROD || j->kind == CAP_BODIES_ROPE;
    if (!link || !point_of(start, j->from, j->from_x, j->from_y, a) ||
        !point_of(start, j->to, j->to_x, j->to_y, b))
      continue;
    cap_drawing_line(d, CAP_DRAWING_ARM, a[0], a[1], b[0], b[1]);
  }
}

static void draw_points(const spec *s, const cap_start_values *start, double size, cap_drawing *d)
{
  const cap_bodies_joint *joints = s->joints.items;
  const cap_bodies_contact *contacts = s->contacts.items;
  double a[2];
  for (int k = 0; k < s->joints.n; k++)
    if (joints[k].kind == CAP_BODIES_HINGE &&
        point_of(start, joints[k].from, joints[k].from_x, joints[k].from_y, a))
      cap_drawing_circle(d, CAP_DRAWING_ARM, a[0], a[1], 0.012 * size);
  for (int k = 0; k < s->contacts.n; k++)
    if (contacts[k].kind == CAP_BODIES_PIN &&
        point_of(start, contacts[k].to, contacts[k].to_x, contacts[k].to_y, a))
      cap_drawing_circle(d, CAP_DRAWING_GUIDE, a[0], a[1], contacts[k].hole);
}

void cap_bodies_summary_draw(const void *self, const void *description, const cap_model *model,
                             cap_drawing *d)
{
  const spec *s = self;
  const body *bodies = s->bodies.items;
  cap_start_values start;
  double at[2], low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  (void)description;
  if (!cap_start_values_open(&start, model)) {
    d->exhausted = true;
    return;
  }
  cap_start_values_draw(&start, model, d);
  for (const cap_drawing_stroke *stroke = d->first; stroke; stroke = stroke->next)
    for (int k = 0; k < stroke->n; k++)
      for (int i = 0; i < 2; i++) {
        low[i] = fmin(low[i], stroke->points[k][i]);
        high[i] = fmax(high[i], stroke->points[k][i]);
      }
  double size = d->first ? hypot(high[0] - low[0], high[1] - low[1]) : 1.0;
  for (int k = 0; k < s->bodies.n; k++) /* what has no shape */
    if (bodies[k].kind == CAP_BODIES_POINT && point_of(&start, bodies[k].name, 0.0, 0.0, at))
      cap_drawing_circle(d, CAP_DRAWING_PART, at[0], at[1], 0.01 * size);
  draw_links(s, &start, d);
  draw_points(s, &start, size, d);
  for (int k = 0; k < s->bodies.n; k++)
    if (point_of(&start, bodies[k].name, 0.0, 0.0, at))
      cap_drawing_text(d, at[0], at[1], 0.0, 0.0, "%s\n%.4g kg", bodies[k].name, bodies[k].mass);
  cap_start_values_close(&start);
  cap_drawing_say(d, "bodies at the start");
}
