/* analysis/observe/film.c — see film.h. */
#include "analysis/observe/film.h"
#include "analysis/observe/channels.h"
#include "model/data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef cap_film_family family;

static const double MOST_VALUES = 5e7; /* 400 MB */
enum { USUAL_VALUES = 400000, LEAST_FRAMES = 100, MOST_FRAMES = 4000 };

/* ---- families ------------------------------------------------------------------------------------------ */

/* A name of a member: element[3].push, span.crank.tension, span.'AC pump'.tension. */
typedef struct parts {
  const char *member, *last;
  int nkind, nmember; /* characters */
} parts;

/* false: it is none of a member. */
static bool member_of(const char *name, parts *p)
{
  size_t kind = strcspn(name, ".[");
  const char *last = strrchr(name, '.');
  if (!last || !name[kind] || last == name + kind) return false;
  const char *begin = name + kind + 1, *end = last;
  char bracket = name[kind] == '[' ? ']' : '\'';
  if (end[-1] == bracket) end--;
  if (bracket == '\'' && *begin == bracket) begin++;
  if (end < begin) return false;
  *p = (parts){begin, last + 1, (int)kind, (int)(end - begin)};
  return true;
}

static bool belongs(const family *f, const char *name)
{
  parts p;
  size_t kind = strlen(f->kind);
  if (!member_of(name, &p)) return false;
  return kind && (size_t)p.nkind == kind && strncmp(name, f->kind, kind) == 0 && strcmp(p.last, f->last) == 0;
}

/* The family of a channel, a new one when there is none yet. NULL: out of memory. */
static family *family_of(cap_film *film, const cap_channel *channel)
{
  const cap_column *column = &channel->column;
  parts p;
  for (int f = 0; channel->member && f < film->nfamily; f++)
    if (belongs(&film->families[f], column->name)) return &film->families[f];
  family *made = &film->families[film->nfamily++];
  *made = (family){.what = *column, .kind = "", .last = "", .members = ""};
  if (!channel->member || !member_of(column->name, &p)) return made;
  made->kind = cap_arena_format(&film->arena, "%.*s", p.nkind, column->name);
  made->last = cap_arena_copy_text(&film->arena, p.last);
  if (made->kind) made->what.name = cap_arena_format(&film->arena, "%s.*.%s", made->kind, made->last);
  return made->kind && made->last && made->what.name ? made : NULL;
}

/* "0,1,2" */
static bool list_members(cap_film *film, const cap_model *m, family *f)
{
  size_t room = 1;
  f->numbers = true;
  for (int i = 0; i < f->n; i++) room += strlen(m->channels[f->number[i]].column.name);
  char *list = CAP_ARENA_NEW(&film->arena, char, room), *at = list;
  f->members = list;
  for (int i = 0; list && i < f->n; i++) {
    char count[16];
    parts p = {.member = ""};
    member_of(m->channels[f->number[i]].column.name, &p);
    size_t length = (size_t)p.nmember;
    int digits = snprintf(count, sizeof count, "%d", i);
    f->numbers = f->numbers && length == (size_t)digits && strncmp(count, p.member, length) == 0;
    if (i) *at++ = ',';
    memcpy(at, p.member, length);
    at += length;
    *at = '\0';
  }
  return list != NULL;
}

/* What the meanings of all members have in common, with * where they differ: "tension of span *". */
static bool name_meaning(cap_film *film, const cap_model *m, family *f)
{
  const char *first = m->channels[f->number[0]].column.long_name;
  size_t before = strlen(first), after = before;
  for (int i = 1; i < f->n; i++) {
    const char *text = m->channels[f->number[i]].column.long_name;
    size_t length = strlen(text), same = 0, back = 0;
    while (same < before && text[same] == first[same]) same++;
    while (back < after && back < length && text[length - 1 - back] == first[strlen(first) - 1 - back])
      back++;
    before = same;
    after = back;
  }
  f->what.long_name = first;
  if (before == strlen(first)) return true;
  while (before && first[before - 1] != ' ') before--; /* whole words only */
  if (before + after > strlen(first)) after = strlen(first) - before;
  while (after && first[strlen(first) - after] != ' ') after--;
  f->what.long_name = cap_arena_format(&film->arena, "%.*s*%s", (int)before, first,
                                       first + (strlen(first) - after));
  return f->what.long_name != NULL;
}

static bool gather(cap_film *film, const cap_model *m)
{
  int marked = 0;
  for (int c = 0; c < m->nchannel; c++) marked += m->channels[c].film;
  film->families = CAP_ARENA_NEW(&film->arena, family, marked);
  int *of = CAP_ARENA_NEW(&film->arena, int, marked);
  if (!film->families || !of) return false;
  for (int c = 0, k = 0; c < m->nchannel; c++) {
    if (!m->channels[c].film) continue;
    family *f = family_of(film, &m->channels[c]);
    if (!f) return false;
    of[k++] = (int)(f - film->families);
    f->n++;
  }
  for (int f = 0; f < film->nfamily; f++) {
    film->families[f].number = CAP_ARENA_NEW(&film->arena, int, film->families[f].n);
    if (!film->families[f].number) return false;
    film->families[f].n = 0;
  }
  for (int c = 0, k = 0; c < m->nchannel; c++) {
    if (!m->channels[c].film) continue;
    family *f = &film->families[of[k++]];
    f->number[f->n++] = c;
  }
  film->n = marked;
  for (int f = 0; f < film->nfamily; f++) {
    family *of_all = &film->families[f];
    if (*of_all->kind && !list_members(film, m, of_all)) return false;
    if (!name_meaning(film, m, of_all)) return false;
  }
  return true;
}

/* ---- frames -------------------------------------------------------------------------------------------- */

static void plan(cap_film *film, const cap_outputs *outputs, int64_t nrow)
{
  int64_t most = USUAL_VALUES / film->n;
  most = most < LEAST_FRAMES ? LEAST_FRAMES : most > MOST_FRAMES ? MOST_FRAMES : most;
  if (outputs->film_given) most = outputs->film < 2 ? 2 : outputs->film;
  film->nrow = nrow;
  film->stride = nrow <= most ? 1 : (nrow - 1 + most - 2) / (most - 1);
  film->nframe = (nrow - 1 + film->stride - 1) / film->stride + 1;
  int64_t at = film->nframe;
  for (int f = 0; f < film->nfamily; f++) {
    film->families[f].at = at;
    at += film->nframe * film->families[f].n;
  }
}

static bool has_marks(const cap_model *m)
{
  for (int c = 0; c < m->nchannel; c++)
    if (m->channels[c].film) return true;
  return false;
}

static cap_status reserve(cap_film *film, cap_run *run, int64_t nrow)
{
  if (!gather(film, run->model)) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  plan(film, run->outputs, nrow);
  double count = (double)film->nframe * (film->n + 1);
  if (!(count <= MOST_VALUES))
    return cap_status_fail(
        run->error, CAP_ERR_INPUT,
        "outputs.animation_frames: %lld frames of %d channels exceed the limit; expected at most %.0f "
        "values; reduce outputs.animation_frames",
        (long long)film->nframe, film->n, MOST_VALUES);
  film->values = calloc((size_t)count, sizeof(double));
  return film->values ? CAP_OK : cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
}

cap_status cap_film_create(cap_run *run, int64_t nrow, cap_film *film)
{
  *film = (cap_film){0};
  const cap_outputs *outputs = run->outputs;
  if (nrow < 1 || !has_marks(run->model) || (outputs->film_given && outputs->film == 0)) return CAP_OK;
  cap_status status = reserve(film, run, nrow);
  if (status != CAP_OK) cap_film_free(film); /* nothing is left to free */
  return status;
}

void cap_film_free(cap_film *film)
{
  free(film->values);
  cap_arena_free(&film->arena);
  *film = (cap_film){0};
}

cap_view cap_film_view(const cap_film *film)
{
  return (cap_view){"film", "SI", "animation frames", false, film->nframe * (film->n + 1), film->values};
}

void cap_film_take(cap_film *film, const cap_run *run, int64_t row, const double *force)
{
  const cap_model *m = run->model;
  const cap_data *d = run->data;
  bool last = row == film->nrow - 1;
  if (!film->n || row >= film->nrow || (row % film->stride && !last)) return;
  int64_t frame = last ? film->nframe - 1 : row / film->stride;
  film->values[frame] = *d->t;
  for (int f = 0; f < film->nfamily; f++) {
    const family *of = &film->families[f];
    double *values = film->values + of->at + frame * of->n;
    for (int i = 0; i < of->n; i++)
      values[i] = cap_model_channel(&m->channels[of->number[i]], 0, 1, d->q, d->v, d->x, force);
  }
}

cap_status cap_film_take_state(cap_film *film, cap_run *run, int64_t row)
{
  cap_channels none;
  const cap_texts all = {0};
  if (!film->n) return CAP_OK;
  CAP_TRY(cap_channels_select(&none, run->model, &all, run->error));
  none.n = 0; /* its forces are wanted only */
  cap_channels_values(&none, run->model, run->data, NULL);
  cap_film_take(film, run, row, none.force);
  cap_channels_free(&none);
  return CAP_OK;
}

/* ---- results ------------------------------------------------------------------------------------------- */

/* How the arrays of a film are called: "film.*" over "film.time", or "swing.*" over "swing.mode". */
typedef struct naming {
  const char *prefix;
  cap_column axis;
} naming;

static const naming of_film = {"film", {"film.time", "s", "time of each animation frame"}};
static const naming of_swing = {"swing", {"swing.mode", "1", "0: at rest; otherwise the number of the mode"}};

/* The members of the first family of a kind stand for all that have the same ones. */
static cap_status put_members(const cap_film *film, cap_sink *sink, const naming *as, int f)
{
  const family *of = &film->families[f], *first = of;
  char name[300];
  if (!*of->kind) return CAP_OK;
  for (int g = f - 1; g >= 0; g--)
    if (strcmp(film->families[g].kind, of->kind) == 0) first = &film->families[g];
  if (first == of) {
    snprintf(name, sizeof name, "%s.members.%s", as->prefix, of->kind);
    return of->numbers ? CAP_OK : sink->text(sink, name, of->members);
  }
  if (strcmp(first->members, of->members) == 0) return CAP_OK;
  snprintf(name, sizeof name, "%s.members.%s.%s", as->prefix, of->kind, of->last);
  return sink->text(sink, name, of->members);
}

static cap_status put_family(const cap_film *film, cap_sink *sink, const naming *as, int64_t nframe,
                             const family *of)
{
  char name[300], axes[32];
  int64_t dims[2] = {nframe, of->n};
  bool alone = !*of->kind;
  snprintf(name, sizeof name, "%s.%s", as->prefix, of->what.name);
  snprintf(axes, sizeof axes, "%s%s", as->axis.name, alone ? "" : ",");
  cap_column what = {name, of->what.unit, of->what.long_name};
  return sink->array(sink, what, alone ? 1 : 2, dims, axes, film->values + of->at);
}

static cap_status put_frames(const cap_film *film, cap_sink *sink, const naming *as, int64_t nframe)
{
  if (!film->n || !nframe) return CAP_OK;
  CAP_TRY(sink->array(sink, as->axis, 1, &nframe, NULL, film->values));
  for (int f = 0; f < film->nfamily; f++) {
    CAP_TRY(put_family(film, sink, as, nframe, &film->families[f]));
    CAP_TRY(put_members(film, sink, as, f));
  }
  return CAP_OK;
}

cap_status cap_film_put(const cap_film *film, cap_run *run)
{
  return put_frames(film, run->sink, &of_film, film->nframe);
}

/* ---- as an observer ------------------------------------------------------------------------------------ */

static cap_status create(void *self, cap_run *run, const cap_observer_plan *plan)
{
  return cap_film_create(run, plan->nrow, self);
}

static cap_status take(void *self, const cap_run *run, int64_t row, const double *force)
{
  cap_film_take(self, run, row, force);
  return CAP_OK;
}

static int views_of(const void *self, cap_view *views)
{
  const cap_film *film = self;
  if (film->n) views[0] = cap_film_view(film);
  return film->n > 0;
}

static cap_status put(void *self, cap_run *run, const char *what)
{
  (void)what;
  return cap_film_put(self, run);
}

static cap_status put_part(void *self, cap_run *run, int64_t rows)
{
  const cap_film *film = self;
  if (!film->n) return CAP_OK;
  int64_t nframe = rows < film->nrow ? (rows + film->stride - 1) / film->stride : film->nframe;
  return put_frames(film, run->sink, &of_film, nframe);
}

static void destroy(void *self)
{
  cap_film_free(self);
}

const cap_observer_type cap_film_observer = {
    .name = "film",
    .size = sizeof(cap_film),
    .create = create,
    .take = take,
    .views = views_of,
    .put = put,
    .put_part = put_part,
    .free = destroy,
};

/* ---- modes --------------------------------------------------------------------------------------------- */

/* The state moved by `h` times column k of the shapes. */
static void displace(const cap_model *m, const double *rest, int nmode, const double *shape, int k, double h,
                     double *q)
{
  int row = 0;
  for (int i = 0; i < m->nv; i++)
    if (m->driven[i] < 0) q[i] = rest[i] + h * shape[(long)row++ * nmode + k];
}

/* Every channel's change with mode k into frame k + 1, by central differences over 1e-6 m or rad. */
static cap_status take_mode(cap_film *film, cap_run *run, const double *rest, int n, int nmode,
                            const double *shape, int k)
{
  double most = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(shape[(long)i * nmode + k]));
  double h = most > 0.0 ? 1e-6 / most : 0.0;
  cap_data *d = run->data;
  cap_film back;
  CAP_TRY(cap_film_create(run, 1, &back));
  displace(run->model, rest, nmode, shape, k, -h, d->q);
  cap_status status = cap_film_take_state(&back, run, 0);
  displace(run->model, rest, nmode, shape, k, h, d->q);
  if (status == CAP_OK) status = cap_film_take_state(film, run, k + 1);
  memcpy(d->q, rest, sizeof(double) * (size_t)run->model->nv);
  for (int f = 0; status == CAP_OK && f < film->nfamily; f++) {
    const family *of = &film->families[f];
    double *to = film->values + of->at + (int64_t)(k + 1) * of->n;
    const double *from = back.values + back.families[f].at;
    for (int i = 0; i < of->n; i++) to[i] = h > 0.0 ? (to[i] - from[i]) / (2.0 * h) : 0.0;
  }
  film->values[k + 1] = k + 1;
  cap_film_free(&back);
  return status;
}

cap_status cap_film_put_swing(cap_run *run, int n, int nmode, const double *shape)
{
  enum { MODES_MOST = 60 };
  cap_outputs outputs = *run->outputs;
  cap_run own = *run;
  cap_film film;
  int shown = nmode < MODES_MOST ? nmode : MODES_MOST;
  if (outputs.film_given && !outputs.film) return CAP_OK;
  outputs.film_given = true;
  outputs.film = shown + 1;
  own.outputs = &outputs;
  double *rest = calloc((size_t)run->model->nv + 1, sizeof *rest);
  if (!rest) return cap_status_fail(run->error, CAP_ERR_NOMEM, "out of memory");
  memcpy(rest, run->data->q, sizeof(double) * (size_t)run->model->nv);
  cap_status status = cap_film_create(&own, shown + 1, &film);
  if (status == CAP_OK) status = cap_film_take_state(&film, &own, 0);
  if (film.n && status == CAP_OK) film.values[0] = 0.0;
  for (int k = 0; film.n && k < shown && status == CAP_OK; k++)
    status = take_mode(&film, &own, rest, n, nmode, shape, k);
  if (status == CAP_OK) status = put_frames(&film, run->sink, &of_swing, film.nframe);
  cap_film_free(&film);
  free(rest);
  return status;
}
