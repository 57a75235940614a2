/* analysis/layout.c — see layout.h. */
#include "analysis/layout.h"
#include "base/arena.h"
#include "model/model.h"

#include <stddef.h>
#include <string.h>

/* A number of a struct, by its place there. */
typedef struct place {
  cap_column what;
  size_t offset;
} place;

static double value_at(const void *self, const place *p)
{
  return *(const double *)(const void *)((const char *)self + p->offset);
}

static const place of_shape[] = {
    {{"shape.x", "m", "centre of a disc, or end of a link, in the body frame, x"},
     offsetof(cap_scene_shape, x)},
    {{"shape.y", "m", "centre of a disc, or end of a link, in the body frame, y"},
     offsetof(cap_scene_shape, y)},
    {{"shape.radius", "m", "radius of a disc"}, offsetof(cap_scene_shape, radius)},
    {{"shape.to_x", "m", "other end of a link, in the body frame, x"}, offsetof(cap_scene_shape, to_x)},
    {{"shape.to_y", "m", "other end of a link, in the body frame, y"}, offsetof(cap_scene_shape, to_y)},
    {{0}, 0}};

/* "ball,-,rod": bodies of the shapes, or those at the other ends of links ("" = no link). */
static char *bodies_of(const cap_scene *scene, bool to, cap_arena *arena)
{
  size_t room = 1;
  const cap_scene_shape *s = scene->shapes;
  for (int i = 0; i < scene->n; i++) room += strlen(to ? s[i].to ? s[i].to : "" : s[i].body) + 1;
  char *names = CAP_ARENA_NEW(arena, char, room), *end = names;
  for (int i = 0; names && i < scene->n; i++) {
    if (i) *end++ = ',';
    end = stpcpy(end, to ? s[i].to ? s[i].to : "" : s[i].body);
  }
  return names;
}

static cap_status put_shapes(cap_run *run, const cap_scene *scene, cap_arena *arena)
{
  cap_sink *sink = run->sink;
  int64_t dims[2] = {scene->n, 2 * CAP_SCENE_CORNERS};
  const char *names = bodies_of(scene, false, arena), *ends = bodies_of(scene, true, arena);
  double *values = CAP_ARENA_NEW(arena, double, dims[0] * dims[1]);
  if (!names || !ends || !values) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  CAP_TRY(sink->text(sink, "bodies", names));
  CAP_TRY(sink->text(sink, "to", ends));
  for (const place *p = of_shape; p->what.name; p++) {
    for (int i = 0; i < scene->n; i++) values[i] = value_at(&scene->shapes[i], p);
    CAP_TRY(sink->array(sink, p->what, 1, dims, NULL, values));
  }
  for (int i = 0; i < scene->n; i++) values[i] = scene->shapes[i].ncorner;
  CAP_TRY(sink->array(sink, (cap_column){"shape.count", "1", "number of corners; 2: an infinite line"}, 1,
                      dims, NULL, values));
  for (int i = 0; i < scene->n; i++)
    memcpy(values + dims[1] * i, scene->shapes[i].corner, sizeof scene->shapes[i].corner);
  return sink->array(sink, (cap_column){"shape.corners", "m", "x, y of each corner in the body frame"}, 2,
                     dims, NULL, values);
}

static cap_status put_fact(cap_sink *sink, const cap_scene_fact *f)
{
  int64_t n = f->n;
  if (f->kind == CAP_SCENE_TEXT) return sink->text(sink, f->what.name, f->text);
  if (f->kind == CAP_SCENE_NUMBER) return sink->number(sink, f->what, f->values[0]);
  return sink->array(sink, f->what, 1, &n, NULL, f->values);
}

static cap_status put_scene(cap_run *run, const cap_scene *scene, cap_arena *arena)
{
  cap_sink *sink = run->sink;
  CAP_TRY(sink->open(sink, "scene", "scene", "shapes of the bodies"));
  if (scene->n) CAP_TRY(put_shapes(run, scene, arena));
  for (int k = 0; k < scene->nfact; k++) CAP_TRY(put_fact(sink, &scene->facts[k]));
  return sink->close(sink);
}

cap_status cap_layout_put(cap_run *run)
{
  const cap_scene *scene = &run->model->scene;
  const cap_subject_type *subject = run->model->subject.type;
  if (subject->put_layout) CAP_TRY(subject->put_layout(run));
  if (!scene->n && !scene->nfact) return CAP_OK;
  cap_arena arena = {0};
  cap_status status = put_scene(run, scene, &arena);
  cap_arena_free(&arena);
  return status;
}
