/* io/export_frames.c — see export_frames.h. */
#include "io/export_frames.h"
#include "base/markup.h"
#include "io/export_vtk.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUND = 48 /* corners of a disc */, FRAMES_MOST = 1000000 };
typedef enum part { PART_CHAIN, PART_DISC, PART_OUTLINE, PART_LINK } part;

/* ---- what the frames hold
 * -------------------------------------------------------------------------------- */

/* An array of the film: "film.KIND.*.WHAT" of all members of a kind, or "film.BODY.WHAT" of one body. */
typedef struct source {
  const cap_results_dataset *d;
  const char *kind, *what;
  bool family;
  int n;         /* members */
  int quantity;  /* among the data of cells; -1: a place */
  double *value; /* [n] in this frame */
} source;

/* A number in a frame: a member of a source; without a source it is `fixed`. */
typedef struct coordinate {
  int source, member;
  double fixed;
} coordinate;

typedef struct body {
  const char *kind; /* whose values its cells have; "" = none */
  int member;
  coordinate x, y, angle;
} body;

typedef struct shape {
  body at, to;
  part part;
  double x, y, radius, to_x, to_y;
  int ncorner;
  const double *corner; /* [2 ncorner] */
} shape;

typedef struct cell {
  int end; /* points up to the last one of this cell */
  part part;
  int member;
  const char *kind;
} cell;

typedef struct frames {
  cap_export *e;
  const cap_results_group *group;
  int nsource, nshape, nquantity, npoint, ncell, point_room, cell_room;
  source *sources;
  shape *shapes;
  const char **quantities; /* "WHAT [unit]" */
  double *points;          /* [3 npoint] */
  cell *cells;
  const double *pulley_x, *pulley_y; /* [nshape] of a layout, m; otherwise NULL, as may be what follows */
  const double *held, *base, *side;  /* [nshape] flag, rad/s, 1 or -1 */
  cap_arena arena;                   /* numbers of layout and scene */
} frames;

static int find_source(const frames *f, const char *kind, size_t length, const char *what)
{
  for (int i = 0; i < f->nsource; i++)
    if (strlen(f->sources[i].kind) == length && strncmp(f->sources[i].kind, kind, length) == 0 &&
        strcmp(f->sources[i].what, what) == 0)
      return i;
  return -1;
}

static bool is_place(const char *what)
{
  return strcmp(what, "x") == 0 || strcmp(what, "y") == 0 || strcmp(what, "angle") == 0;
}

static cap_status name_quantity(frames *f, source *s)
{
  const char *name = s->d->unit[0] ? cap_arena_format(&f->arena, "%s [%s]", s->what, s->d->unit) : s->what;
  if (!name) return cap_export_no_memory(f->e);
  for (s->quantity = 0; s->quantity < f->nquantity; s->quantity++)
    if (strcmp(f->quantities[s->quantity], name) == 0) return CAP_OK;
  f->quantities[f->nquantity++] = name;
  return CAP_OK;
}

static cap_status add_source(frames *f, const cap_results_dataset *d)
{
  static const char head[] = "film.";
  if (d->role != CAP_RESULTS_ARRAY || strncmp(d->name, head, sizeof head - 1) != 0 || d->rank > 2)
    return CAP_OK;
  const char *kind = d->name + sizeof head - 1, *star = d->rank == 2 ? strstr(kind, ".*.") : NULL;
  const char *dot = star ? star : strrchr(kind, '.');
  if (!dot || (d->rank == 2 && !star)) return CAP_OK;
  source s = {.d = d, .what = star ? star + 3 : dot + 1, .family = star, .quantity = -1};
  s.n = star ? (int)d->dims[1] : 1;
  s.kind = cap_arena_format(&f->arena, "%.*s", (int)(dot - kind), kind);
  s.value = CAP_ARENA_NEW(&f->arena, double, s.n + 1);
  if (!s.kind || !s.value) return cap_export_no_memory(f->e);
  if (!is_place(s.what)) CAP_TRY(name_quantity(f, &s));
  f->sources[f->nsource++] = s;
  return CAP_OK;
}

static const cap_results_dataset *film_time(const cap_results_group *group)
{
  const cap_results_dataset *d = cap_results_tree_dataset(group, "film.time");
  return d && d->role == CAP_RESULTS_ARRAY && d->rank == 1 && d->dims[0] < FRAMES_MOST ? d : NULL;
}

/* ---- where bodies are
 * ------------------------------------------------------------------------------------ */

static const cap_results_group *group_of(const frames *f, const char *name)
{
  return cap_results_tree_group(cap_results_read_tree(f->e->file), name);
}

static double number_of(const cap_results_group *group, const char *name)
{
  const cap_results_dataset *d = group ? cap_results_tree_dataset(group, name) : NULL;
  return d && d->role == CAP_RESULTS_NUMBER ? d->number : 0.0;
}

/* An array of layout or scene, [count]; NULL in *values where it has another length. */
static cap_status read_array(frames *f, const cap_results_group *group, const char *name, int64_t count,
                             const double **values)
{
  const cap_results_dataset *d = cap_results_tree_dataset(group, name);
  *values = NULL;
  if (!d || d->role != CAP_RESULTS_ARRAY || cap_results_tree_count(d) != count) return CAP_OK;
  double *read = NULL, *copy = CAP_ARENA_NEW(&f->arena, double, count + 1);
  if (!copy) return cap_export_no_memory(f->e);
  CAP_TRY(cap_results_read_all(f->e->file, group, d, &read, NULL, f->e->error));
  memcpy(copy, read, (size_t)count * sizeof *copy);
  free(read);
  *values = copy;
  return CAP_OK;
}

/* The next of names that commas separate; without the quotes that names of channels have. */
static bool next_name(const char **list, const char **name, size_t *length)
{
  if (!*list) return false;
  *name = *list;
  *length = strcspn(*list, ",");
  *list = (*list)[*length] ? *list + *length + 1 : NULL;
  if (*length >= 2 && **name == '\'') ++*name, *length -= 2;
  return true;
}

/* The number of a member of a kind: by the list of names, or the number that it is called. -1 = none. */
static int member_of(const frames *f, const char *kind, size_t kind_length, const char *name, size_t length,
                     int n)
{
  char list[300];
  snprintf(list, sizeof list, "film.members.%.*s", (int)kind_length, kind);
  const char *names = cap_results_tree_text(f->group, list), *each;
  size_t each_length;
  if (!*names) {
    char *end;
    long k = strtol(name, &end, 10);
    return end == name + length && length > 0 && k >= 0 && k < n ? (int)k : -1;
  }
  for (int k = 0; next_name(&names, &each, &each_length); k++)
    if (k < n && each_length == length && strncmp(each, name, length) == 0) return k;
  return -1;
}

static coordinate find_coordinate(const frames *f, const body *b, size_t kind_length, const char *what)
{
  int s = find_source(f, b->kind, kind_length, what);
  bool fits = s >= 0 && (b->member < 0 || b->member < f->sources[s].n);
  return (coordinate){fits ? s : -1, b->member < 0 ? 0 : b->member, 0.0};
}

/* The body of that name: "element.3" is a member of a family, others have channels of their own. Where
 * there are none for its place it is that of the numbers NAME.x and NAME.y of the scene, or the origin. */
static cap_status find_body(frames *f, const char *name, size_t length, body *out)
{
  *out = (body){.kind = "", .member = -1, .x.source = -1, .y.source = -1, .angle.source = -1};
  if (length == 0 || (length == 1 && *name == '-')) return CAP_OK;
  const char *own = cap_arena_format(&f->arena, "%.*s", (int)length, name);
  if (!own) return cap_export_no_memory(f->e);
  const char *dot = strrchr(own, '.'), *bracket = strrchr(own, '['), *split = dot > bracket ? dot : bracket;
  size_t kind_length = split ? (size_t)(split - own) : 0;
  int s = split ? find_source(f, own, kind_length, "x") : -1;
  if (s >= 0 && f->sources[s].family) {
    size_t rest = strlen(split + 1) - (*split == '[');
    out->member = member_of(f, own, kind_length, split + 1, rest, f->sources[s].n);
  }
  out->kind = out->member >= 0 ? cap_arena_format(&f->arena, "%.*s", (int)kind_length, own) : own;
  if (!out->kind) return cap_export_no_memory(f->e);
  kind_length = strlen(out->kind);
  out->x = find_coordinate(f, out, kind_length, "x");
  out->y = find_coordinate(f, out, kind_length, "y");
  out->angle = find_coordinate(f, out, kind_length, "angle");
  const char *x = cap_arena_format(&f->arena, "%s.x", own), *y = cap_arena_format(&f->arena, "%s.y", own);
  if (!x || !y) return cap_export_no_memory(f->e);
  out->x.fixed = number_of(group_of(f, "scene"), x);
  out->y.fixed = number_of(group_of(f, "scene"), y);
  return CAP_OK;
}

/* ---- shapes
 * ---------------------------------------------------------------------------------------------- */

static bool is_chain(const char *kind)
{
  return strcmp(kind, "node") == 0 || strcmp(kind, "ring") == 0;
}

static cap_status find_shapes(frames *f, const cap_results_group *scene)
{
  const cap_results_dataset *all = cap_results_tree_dataset(scene, "shape.x");
  int64_t n = all && all->role == CAP_RESULTS_ARRAY && all->rank == 1 ? all->dims[0] : 0;
  const cap_results_dataset *corners = cap_results_tree_dataset(scene, "shape.corners");
  int64_t width = corners && corners->rank == 2 ? corners->dims[1] : 0;
  const double *x, *y, *radius, *to_x, *to_y, *count, *corner;
  CAP_TRY(read_array(f, scene, "shape.x", n, &x));
  CAP_TRY(read_array(f, scene, "shape.y", n, &y));
  CAP_TRY(read_array(f, scene, "shape.radius", n, &radius));
  CAP_TRY(read_array(f, scene, "shape.to_x", n, &to_x));
  CAP_TRY(read_array(f, scene, "shape.to_y", n, &to_y));
  CAP_TRY(read_array(f, scene, "shape.count", n, &count));
  CAP_TRY(read_array(f, scene, "shape.corners", n * width, &corner));
  if (!x || !y || !radius || !to_x || !to_y || !count || !corner) return CAP_OK;
  const char *bodies = cap_results_tree_text(scene, "bodies"), *ends = cap_results_tree_text(scene, "to"),
             *name;
  f->shapes = CAP_ARENA_NEW(&f->arena, shape, n + 1);
  if (!f->shapes) return cap_export_no_memory(f->e);
  for (int64_t i = 0; i < n; i++) {
    size_t length;
    bool known = count[i] >= 0.0 && 2.0 * count[i] <= (double)width;
    shape s = {.x = x[i], .y = y[i], .radius = radius[i], .to_x = to_x[i], .to_y = to_y[i]};
    s.ncorner = known ? (int)count[i] : 0;
    s.corner = corner + i * width;
    s.part = s.ncorner ? PART_OUTLINE : s.radius > 0.0 ? PART_DISC : PART_LINK;
    if (!next_name(&bodies, &name, &length)) break;
    CAP_TRY(find_body(f, name, length, &s.at));
    if (!next_name(&ends, &name, &length)) length = 0;
    CAP_TRY(find_body(f, name, length, &s.to));
    bool repeated = s.part == PART_LINK &&
                    (length == 0 || is_chain(s.at.kind)); /* a chain has its own lines */
    if (!repeated) f->shapes[f->nshape++] = s;
  }
  return CAP_OK;
}

/* Pulleys of a layout: discs at their places, one of them perhaps held by a part that moves (place_held). */
static cap_status find_pulleys(frames *f, const cap_results_group *layout)
{
  const char *names = cap_results_tree_text(layout, "pulleys"), *name;
  int64_t n = *names != '\0';
  for (const char *c = names; *c; c++) n += *c == ',';
  const double *x, *y, *radius;
  CAP_TRY(read_array(f, layout, "pulley.x", n, &x));
  CAP_TRY(read_array(f, layout, "pulley.y", n, &y));
  CAP_TRY(read_array(f, layout, "pulley.radius", n, &radius));
  CAP_TRY(read_array(f, layout, "pulley.on_arm", n, &f->held));
  CAP_TRY(read_array(f, layout, "pulley.base", n, &f->base));
  CAP_TRY(read_array(f, layout, "pulley.side", n, &f->side));
  f->pulley_x = x;
  f->pulley_y = y;
  if (!n || !x || !y || !radius) return CAP_OK;
  f->shapes = CAP_ARENA_NEW(&f->arena, shape, n);
  if (!f->shapes) return cap_export_no_memory(f->e);
  size_t length;
  for (int i = 0; next_name(&names, &name, &length) && i < n; i++) {
    shape s = {.part = PART_DISC, .radius = radius[i], .to.x.source = -1};
    s.at = (body){.kind = "pulley", .member = i, .x = {-1, 0, x[i]}, .y = {-1, 0, y[i]}};
    s.at.angle = find_coordinate(f, &s.at, strlen("pulley"), "angle");
    f->shapes[f->nshape++] = s;
  }
  return CAP_OK;
}

/* ---- one frame
 * ------------------------------------------------------------------------------------------- */

static double value_of(const frames *f, const coordinate *c)
{
  return c->source < 0 ? c->fixed : f->sources[c->source].value[c->member];
}

static bool add_point(frames *f, double x, double y)
{
  if (f->npoint == f->point_room) {
    int room = 2 * f->point_room + 1024;
    double *points = realloc(f->points, 3 * (size_t)room * sizeof *points);
    if (!points) return false;
    f->points = points;
    f->point_room = room;
  }
  double *p = f->points + 3 * f->npoint++;
  p[0] = x, p[1] = y, p[2] = 0.0;
  return true;
}

/* The points since the cell before; one with a place that is no number is left out. */
static bool end_cell(frames *f, part what, const char *kind, int member)
{
  int from = f->ncell ? f->cells[f->ncell - 1].end : 0;
  for (int i = 3 * from; i < 3 * f->npoint; i++)
    if (!isfinite(f->points[i])) {
      f->npoint = from;
      return true;
    }
  if (f->ncell == f->cell_room) {
    int room = 2 * f->cell_room + 256;
    cell *cells = realloc(f->cells, (size_t)room * sizeof *cells);
    if (!cells) return false;
    f->cells = cells;
    f->cell_room = room;
  }
  f->cells[f->ncell++] = (cell){.end = f->npoint, .part = what, .kind = kind, .member = member};
  return true;
}

static bool add_at(frames *f, const body *b, double x, double y)
{
  double angle = value_of(f, &b->angle), c = cos(angle), s = sin(angle);
  return add_point(f, value_of(f, &b->x) + c * x - s * y, value_of(f, &b->y) + s * x + c * y);
}

static bool add_shape(frames *f, const shape *s)
{
  bool fine = true;
  if (s->part == PART_DISC) {
    fine = add_at(f, &s->at, s->x, s->y);
    for (int k = 0; fine && k <= ROUND; k++) {
      double angle = 2.0 * M_PI * (k % ROUND) / ROUND;
      fine = add_at(f, &s->at, s->x + s->radius * cos(angle), s->y + s->radius * sin(angle));
    }
  } else if (s->part == PART_OUTLINE) {
    for (int k = 0; fine && k < s->ncorner + (s->ncorner > 2); k++) {
      const double *corner = s->corner + 2 * (k % s->ncorner);
      fine = add_at(f, &s->at, corner[0], corner[1]);
    }
  } else {
    fine = add_at(f, &s->at, s->x, s->y) && add_at(f, &s->to, s->to_x, s->to_y);
  }
  return fine && end_cell(f, s->part, s->at.kind, s->at.member);
}

/* Segment k is between the nodes k and k + 1; with as many segments as nodes the last one closes the loop. */
static bool add_chain(frames *f, const source *x)
{
  int at_y = find_source(f, x->kind, strlen(x->kind), "y"), n = x->n, nsegment = 0;
  if (at_y < 0 || f->sources[at_y].n != n) return true;
  const char *kind = strcmp(x->kind, "node") == 0 ? "segment" : x->kind;
  for (int i = 0; i < f->nsource; i++)
    if (strcmp(f->sources[i].kind, kind) == 0 && !is_place(f->sources[i].what)) nsegment = f->sources[i].n;
  if (nsegment != n) nsegment = n - 1;
  for (int k = 0; k < nsegment; k++) {
    int next = (k + 1) % n;
    if (!add_point(f, x->value[k], f->sources[at_y].value[k]) ||
        !add_point(f, x->value[next], f->sources[at_y].value[next]) || !end_cell(f, PART_CHAIN, kind, k))
      return false;
  }
  return true;
}

/* A pulley that an arm or a slide holds is where that is. */
static void place_held(const frames *f, const cap_results_group *layout, body *at)
{
  int arm = find_source(f, "arm", 3, "angle"), slide = find_source(f, "slide", 5, "position");
  if (arm >= 0) {
    double angle = f->sources[arm].value[0], length = number_of(layout, "arm.length");
    at->x.fixed = number_of(layout, "arm.pivot_x") + length * cos(angle);
    at->y.fixed = number_of(layout, "arm.pivot_y") + length * sin(angle);
  } else if (slide >= 0) {
    double place = f->sources[slide].value[0];
    at->x.fixed = number_of(layout, "slide.origin_x") + place * number_of(layout, "slide.along_x");
    at->y.fixed = number_of(layout, "slide.origin_y") + place * number_of(layout, "slide.along_y");
  }
}

/* A coordinate by which a compliant hub deflects; 0 where it is rigid. */
static double shift_of(const frames *f, const char *what, int pulley)
{
  int s = find_source(f, "pulley", strlen("pulley"), what);
  return s >= 0 && pulley < f->sources[s].n && isfinite(f->sources[s].value[pulley])
             ? f->sources[s].value[pulley]
             : 0.0;
}

static void place_pulleys(frames *f, const cap_results_group *layout, double time)
{
  for (int i = 0; i < f->nshape; i++) {
    body *at = &f->shapes[i].at;
    at->x.fixed = f->pulley_x[i];
    at->y.fixed = f->pulley_y[i];
    if (f->held && f->held[i] != 0.0) place_held(f, layout, at);
    at->x.fixed += shift_of(f, "shift_x", i);
    at->y.fixed += shift_of(f, "shift_y", i);
    double *angle = at->angle.source >= 0 ? &f->sources[at->angle.source].value[i] : NULL;
    if (angle && f->base) *angle += f->base[i] * time;
    if (angle && f->side) *angle *= f->side[i]; /* positive as the belt runs, which goes around both ways */
  }
}

static bool has_chain(const frames *f)
{
  for (int i = 0; i < f->nsource; i++)
    if (f->sources[i].family && is_chain(f->sources[i].kind) && strcmp(f->sources[i].what, "x") == 0)
      return true;
  return false;
}

/* The free belt from one pulley to the next: the common tangent of two circles, on whose left the pulleys
 * of side 1 are and on whose right those of side -1, as the belt travels counter-clockwise. */
static bool add_span(frames *f, int from, int to)
{
  const shape *a = &f->shapes[from], *b = &f->shapes[to];
  double ax = a->at.x.fixed, ay = a->at.y.fixed, dx = b->at.x.fixed - ax, dy = b->at.y.fixed - ay;
  double ra = f->side[from] * a->radius, rb = f->side[to] * b->radius, square = dx * dx + dy * dy,
         h = rb - ra;
  if (!(square > h * h)) return true;
  double l = sqrt(square - h * h), nx = (h * dx - l * dy) / square, ny = (h * dy + l * dx) / square;
  return add_point(f, ax - ra * nx, ay - ra * ny) && add_point(f, ax + dx - rb * nx, ay + dy - rb * ny) &&
         end_cell(f, PART_CHAIN, "span", from);
}

static cap_status make_lines(frames *f, double time)
{
  const cap_results_group *layout = group_of(f, "layout");
  f->npoint = f->ncell = 0;
  if (layout) place_pulleys(f, layout, time);
  bool fine = true;
  for (int i = 0; fine && f->side && !has_chain(f) && i < f->nshape; i++)
    fine = add_span(f, i, (i + 1) % f->nshape);
  for (int i = 0; fine && i < f->nsource; i++)
    if (f->sources[i].family && is_chain(f->sources[i].kind) && strcmp(f->sources[i].what, "x") == 0)
      fine = add_chain(f, &f->sources[i]);
  for (int i = 0; fine && i < f->nshape; i++) fine = add_shape(f, &f->shapes[i]);
  return fine ? CAP_OK : cap_export_no_memory(f->e);
}

static cap_status read_frame(frames *f, int64_t frame)
{
  for (int i = 0; i < f->nsource; i++)
    CAP_TRY(cap_results_read_part(f->e->file, f->group, f->sources[i].d, frame, 1, 1, f->sources[i].value,
                                  f->e->error));
  return CAP_OK;
}

/* ---- files
 * ----------------------------------------------------------------------------------------------- */

/* The value of one quantity for each cell; NaN where its body has none. */
static void fill_quantity(const frames *f, int quantity, double *values)
{
  for (int i = 0; i < f->ncell; i++) {
    const cell *c = &f->cells[i];
    int member = c->member < 0 ? 0 : c->member;
    values[i] = NAN;
    for (int k = 0; k < f->nsource; k++) {
      const source *s = &f->sources[k];
      if (s->quantity == quantity && strcmp(s->kind, c->kind) == 0 && member < s->n)
        values[i] = s->value[member];
    }
  }
}

/* Whether a cell may show something of that kind. */
static bool is_shown(const frames *f, const char *kind)
{
  if (strcmp(kind, "segment") == 0 || strcmp(kind, "span") == 0 || is_chain(kind)) return true;
  for (int i = 0; i < f->nshape; i++)
    if (strcmp(f->shapes[i].at.kind, kind) == 0) return true;
  return false;
}

static bool is_quantity_shown(const frames *f, int quantity)
{
  for (int i = 0; i < f->nsource; i++)
    if (f->sources[i].quantity == quantity && is_shown(f, f->sources[i].kind)) return true;
  return false;
}

static cap_status put_cells(const frames *f, FILE *out)
{
  const cap_export *e = f->e;
  double *values = malloc(((size_t)f->ncell + 1) * sizeof *values);
  if (!values) return cap_export_no_memory(e);
  cap_status status = CAP_OK;
  fputs("<CellData>\n", out);
  for (int i = 0; i < f->ncell; i++) values[i] = f->cells[i].part;
  status = cap_export_vtk_array(e, out, "part", "", f->ncell, values);
  for (int i = 0; i < f->ncell; i++) values[i] = f->cells[i].member;
  if (status == CAP_OK) status = cap_export_vtk_array(e, out, "member", "", f->ncell, values);
  for (int q = 0; status == CAP_OK && q < f->nquantity; q++) {
    if (!is_quantity_shown(f, q)) continue;
    fill_quantity(f, q, values);
    status = cap_export_vtk_array(e, out, f->quantities[q], "", f->ncell, values);
  }
  fputs("</CellData>\n", out);
  free(values);
  return status;
}

static cap_status put_lines(const frames *f, FILE *out)
{
  cap_export_vtk_head(out, "PolyData");
  fprintf(out,
          "<PolyData>\n<Piece NumberOfPoints=\"%d\" NumberOfVerts=\"0\" NumberOfLines=\"%d\" "
          "NumberOfStrips=\"0\" "
          "NumberOfPolys=\"0\">\n",
          f->npoint, f->ncell);
  CAP_TRY(put_cells(f, out));
  fputs("<Points>\n<DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">\n", out);
  CAP_TRY(cap_export_vtk_bytes(f->e, out, f->points, 3 * (size_t)f->npoint * sizeof *f->points));
  fputs("\n</DataArray>\n</Points>\n<Lines>\n<DataArray type=\"Int32\" Name=\"connectivity\" "
        "format=\"ascii\">\n",
        out);
  for (int i = 0; i < f->npoint; i++) fprintf(out, "%d%c", i, i % 16 == 15 ? '\n' : ' ');
  fputs("\n</DataArray>\n<DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">\n", out);
  for (int i = 0; i < f->ncell; i++) fprintf(out, "%d%c", f->cells[i].end, i % 16 == 15 ? '\n' : ' ');
  fputs("\n</DataArray>\n</Lines>\n</Piece>\n</PolyData>\n</VTKFile>\n", out);
  return CAP_OK;
}

static cap_status write_frame(frames *f, int64_t frame, double time, const char *file)
{
  cap_outfile out;
  CAP_TRY(read_frame(f, frame));
  CAP_TRY(make_lines(f, time));
  CAP_TRY(cap_export_create(f->e, file, &out));
  return cap_export_end(f->e, &out, put_lines(f, out.stream));
}

static cap_status put_collection(const frames *f, const cap_export_table *t, int64_t n, const double *times)
{
  cap_outfile out;
  CAP_TRY(cap_export_create(f->e, t->file, &out));
  cap_export_vtk_head(out.stream, "Collection");
  fputs("<Collection>\n", out.stream);
  for (int64_t k = 0; k < n; k++) {
    fprintf(out.stream, "<DataSet timestep=\"%.17g\" part=\"0\" file=\"", times[k]);
    cap_markup_put(out.stream, t[k + 1].file);
    fputs("\"/>\n", out.stream);
  }
  fputs("</Collection>\n</VTKFile>\n", out.stream);
  return cap_export_end(f->e, &out, CAP_OK);
}

static cap_status prepare(frames *f)
{
  const cap_results_group *g = f->group, *layout = group_of(f, "layout"), *scene = group_of(f, "scene");
  f->sources = CAP_ARENA_NEW(&f->arena, source, g->nitem + 1);
  f->quantities = CAP_ARENA_NEW(&f->arena, const char *, g->nitem + 1);
  if (!f->sources || !f->quantities) return cap_export_no_memory(f->e);
  for (int i = 0; i < g->nitem; i++) CAP_TRY(add_source(f, &g->items[i]));
  if (layout) return find_pulleys(f, layout);
  return scene ? find_shapes(f, scene) : CAP_OK;
}

static void release(frames *f)
{
  free(f->points);
  free(f->cells);
  cap_arena_free(&f->arena);
}

/* Whether something has a place in the plane. */
static bool is_animated(const frames *f)
{
  bool moves = false;
  for (int i = 0; i < f->nsource; i++) {
    const source *s = &f->sources[i];
    if (strcmp(s->what, "z") == 0) return false; /* shapes are plane, and their motion is not */
    moves = moves || (is_chain(s->kind) && strcmp(s->what, "x") == 0 &&
                      find_source(f, s->kind, strlen(s->kind), "y") >= 0);
  }
  return moves || f->nshape > 0;
}

cap_status cap_export_frames_plan(cap_export *e, const cap_results_group *group)
{
  frames f = {.e = e, .group = group};
  const cap_results_dataset *time = film_time(group);
  if (!time) return CAP_OK;
  cap_status status = prepare(&f);
  bool animated = status == CAP_OK && is_animated(&f);
  release(&f);
  if (!animated) return status;
  cap_export_table *t = cap_export_add(e, CAP_EXPORT_COLLECTION, group);
  if (!t) return cap_export_no_memory(e);
  CAP_TRY(cap_export_name(e, t, NULL, "pvd"));
  const char *name = t->file;
  for (int64_t k = 0; k < time->dims[0]; k++) {
    t = cap_export_add(e, CAP_EXPORT_FRAME, group);
    if (!t) return cap_export_no_memory(e);
    t->file = cap_arena_format(&e->arena, "%.*s.frames/%04" PRId64 ".vtp", (int)(strlen(name) - 4), name, k);
    if (!t->file) return cap_export_no_memory(e);
  }
  return CAP_OK;
}

cap_status cap_export_frames_write(cap_export *e, int table)
{
  const cap_export_table *t = &e->tables[table];
  frames f = {.e = e, .group = t->group};
  double *times = NULL;
  int64_t n = 0;
  cap_status status = cap_results_read_all(e->file, t->group, film_time(t->group), &times, &n, e->error);
  if (status == CAP_OK) status = prepare(&f);
  for (int64_t k = 0; status == CAP_OK && k < n; k++) status = write_frame(&f, k, times[k], t[k + 1].file);
  if (status == CAP_OK) status = put_collection(&f, t, n, times);
  free(times);
  release(&f);
  return status;
}
