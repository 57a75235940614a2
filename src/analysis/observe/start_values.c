/* analysis/observe/start_values.c — see start_values.h. */
#include "analysis/observe/start_values.h"
#include "base/names.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool cap_start_values_open(cap_start_values *s, const cap_model *m)
{
  const char *all = "*";
  const cap_texts patterns = {1, &all};
  cap_error unused = {0};
  cap_data *d = cap_data_create(m);
  *s = (cap_start_values){0};
  if (d && m->nchannel && cap_channels_select(&s->channels, m, &patterns, &unused) == CAP_OK)
    s->values = calloc((size_t)s->channels.n + 1, sizeof *s->values);
  if (s->values) cap_channels_values(&s->channels, m, d, s->values);
  else cap_start_values_close(s);
  cap_data_free(d);
  return s->values != NULL;
}

void cap_start_values_close(cap_start_values *s)
{
  cap_channels_free(&s->channels);
  free(s->values);
  *s = (cap_start_values){0};
}

double cap_start_values_of(const cap_start_values *s, const char *name)
{
  for (int c = 0; c < s->channels.n; c++)
    if (cap_names_is(s->channels.columns[c].name, name)) return s->values[c];
  return NAN;
}

void cap_start_values_tell(const cap_start_values *s, const char *channel, const char *name, const char *unit,
                           cap_summary *summary)
{
  double value = cap_start_values_of(s, channel);
  if (!isnan(value)) cap_summary_number(summary, name, unit, value);
}

bool cap_start_values_place(const cap_start_values *s, const char *body, double at[3])
{
  static const char *const parts[3] = {"x", "y", "angle"};
  char name[256];
  for (int k = 0; k < 3; k++) {
    at[k] = 0.0;
    if (strcmp(body, "-") == 0) continue;
    snprintf(name, sizeof name, "%s.%s", body, parts[k]);
    double value = cap_start_values_of(s, name);
    if (isnan(value) && k < 2) return false;
    if (!isnan(value)) at[k] = value;
  }
  return true;
}

/* A point of the body's frame in the plane. */
static void put(const double at[3], double x, double y, double out[2])
{
  out[0] = at[0] + x * cos(at[2]) - y * sin(at[2]);
  out[1] = at[1] + x * sin(at[2]) + y * cos(at[2]);
}

static void draw_shape(const cap_start_values *s, const cap_scene_shape *shape, cap_drawing *d)
{
  double at[3], to[3], a[2], b[2], corners[CAP_SCENE_CORNERS][2];
  bool ground = strcmp(shape->body, "-") == 0;
  if (!cap_start_values_place(s, shape->body, at)) return;
  put(at, shape->x, shape->y, a);
  if (shape->to) {
    if (!cap_start_values_place(s, shape->to, to)) return;
    put(to, shape->to_x, shape->to_y, b);
    cap_drawing_line(d, CAP_DRAWING_BELT, a[0], a[1], b[0], b[1]);
  } else if (shape->radius > 0.0) {
    cap_drawing_circle(d, CAP_DRAWING_PART, a[0], a[1], shape->radius);
    put(at, shape->x + shape->radius, shape->y, b);
    cap_drawing_line(d, CAP_DRAWING_PART, a[0], a[1], b[0], b[1]); /* its angle */
  } else if (shape->ncorner >= 3) {
    for (int k = 0; k < shape->ncorner; k++) put(at, shape->corner[k][0], shape->corner[k][1], corners[k]);
    cap_drawing_polyline(d, ground ? CAP_DRAWING_SECOND : CAP_DRAWING_PART, shape->ncorner,
                         (const double(*)[2])corners, true);
  }
}

/* Middle and half diagonal of all that is drawn. */
static void reach_of(const cap_drawing *d, double middle[2], double *reach)
{
  double low[2] = {DBL_MAX, DBL_MAX}, high[2] = {-DBL_MAX, -DBL_MAX};
  for (const cap_drawing_stroke *s = d->first; s; s = s->next)
    for (int k = 0; k < s->n; k++)
      for (int i = 0; i < 2; i++) {
        low[i] = fmin(low[i], s->points[k][i]);
        high[i] = fmax(high[i], s->points[k][i]);
      }
  for (int i = 0; i < 2; i++) middle[i] = d->first ? 0.5 * (low[i] + high[i]) : 0.0;
  *reach = d->first ? 0.5 * hypot(high[0] - low[0], high[1] - low[1]) : 0.5;
}

/* A line without ends, bodies on its left. */
static void draw_endless(const cap_start_values *s, const cap_scene_shape *shape, const double middle[2],
                         double reach, cap_drawing *d)
{
  double at[3], a[2], b[2];
  if (!cap_start_values_place(s, shape->body, at)) return;
  put(at, shape->corner[0][0], shape->corner[0][1], a);
  put(at, shape->corner[1][0], shape->corner[1][1], b);
  double ux = b[0] - a[0], uy = b[1] - a[1], length = hypot(ux, uy);
  if (!(length > 0.0)) return;
  ux /= length, uy /= length;
  double along = (middle[0] - a[0]) * ux + (middle[1] - a[1]) * uy, half = 1.1 * reach;
  double x = a[0] + along * ux, y = a[1] + along * uy;
  cap_drawing_wall(d, x + half * ux, y + half * uy, x - half * ux, y - half * uy, 0.05 * reach);
}

void cap_start_values_draw(const cap_start_values *s, const cap_model *m, cap_drawing *drawing)
{
  double middle[2], reach;
  for (int k = 0; k < m->scene.n; k++) draw_shape(s, &m->scene.shapes[k], drawing);
  reach_of(drawing, middle, &reach);
  for (int k = 0; k < m->scene.n; k++)
    if (m->scene.shapes[k].ncorner == 2 && !m->scene.shapes[k].to)
      draw_endless(s, &m->scene.shapes[k], middle, reach, drawing);
}
