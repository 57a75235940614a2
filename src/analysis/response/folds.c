/* analysis/response/folds.c — where the response jumps, over two parameters: curves of folds and of period
 * doublings.
 *
 * Maths: docs/theory.md §12 and §16. At the first value of the second parameter the response over the sweep
 * is followed (hb/hb_branches.h, with the search for detached branches when asked for). Each fold of it, and
 * each period doubling when asked for, is followed over the range of the second parameter (hb/hb_family.h).
 * Where such a curve turns in the second parameter two folds meet: in a cusp, when the sweep's parameter
 * stands still too, or else where a detached branch is born or joins another. The result is a table: one row
 * a point, in order along each curve.
 */
#include "analysis/analysis.h"
#include "analysis/observe/motion_rows.h"
#include "analysis/search/search.h"
#include "hb/hb_branches.h"
#include "hb/hb_family.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct spec {
  int kind;
  cap_sweep sweep, over;
  int harmonics, samples, points;
  bool doublings, stability;
  cap_search_spec search;
  bool searches;
} spec;

const cap_field cap_folds_fields[] = {
    {.key = "sweep",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, sweep),
     .required = true,
     .least = 2,
     .most = 100000,
     .example = "{parameter: forcing.angular_frequency, values: [0.1 rad/s, 1.6 rad/s]}",
     .doc = "parameter of the response; its first and last value limit the range"},
    {.key = "over",
     .kind = CAP_FIELD_SWEEP,
     .offset = offsetof(spec, over),
     .required = true,
     .least = 2,
     .most = 100000,
     .example = "{parameter: \"loads[0].harmonics[0].amplitude\", values: [0.008 N, 0.03 N]}",
     .doc = "second parameter: the response is computed at its first value, folds are followed between its "
            "smallest and largest value"},
    {.key = "harmonics",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, harmonics),
     .fallback = "12",
     .low = 1,
     .high = 500,
     .example = "12",
     .doc = "number of harmonics of the harmonic balance"},
    {.key = "samples",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, samples),
     .fallback = "0",
     .low = 0,
     .high = 65536,
     .example = "1024",
     .doc = "samples per period; 0 = chosen from the harmonics"},
    {.key = "points",
     .kind = CAP_FIELD_INT,
     .offset = offsetof(spec, points),
     .fallback = "100",
     .low = 4,
     .high = 10000,
     .example = "100",
     .doc = "minimum number of points of a curve over the whole range of the second parameter; curved parts "
            "get more"},
    {.key = "doublings",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, doublings),
     .fallback = "false",
     .example = "true",
     .doc = "whether to follow period doublings as well"},
    {.key = "stability",
     .kind = CAP_FIELD_BOOL,
     .offset = offsetof(spec, stability),
     .fallback = "true",
     .example = "true",
     .doc = "whether to compute the largest Floquet multiplier of every point"},
    {.key = "search",
     .kind = CAP_FIELD_SECTION,
     .offset = offsetof(spec, search),
     .fields = cap_search_fields,
     .present = 1 + offsetof(spec, searches),
     .doc = "whether to search for detached branches and for orbits of several periods at the first value; "
            "otherwise only the branches from both ends of the range are used"},
    {0}};

enum {
  PARTS_MOST = 8,
  SMALL_MOST = 40
}; /* parts of a curve that is not smooth, each way; small steps in a row */
enum { SWEEP, OVER, CURVE, KIND, BIFURCATION, PERIOD, MULTIPLIER, FIXED };

/* The whole analysis. */
typedef struct folds {
  cap_run *run;
  const spec *s;
  cap_motion_rows rows;
  cap_model *m; /* at the start */
  cap_hb_branches *set;
  double q0, q_low, q_high, p_low, p_high;
  int width, ncurve;
  struct seen { /* crossings of the start value that curves made, to know them again */
    int n, room;
    double *values; /* [n][3] sort, p, size of the solution */
  } seen;
} folds;

/* One curve being followed. */
typedef struct follower {
  folds *f;
  const cap_hb_branch *branch;
  const cap_hb_point *start;
  cap_hb_family family;
  int nrow, room;
  double kept;      /* length at the last row */
  double *rows;     /* [nrow][width + 1]: length along the curve, then the row */
  bool began;       /* a point before is known: */
  double before[3]; /* its q, p and size */
  int direction;
  double length;  /* of what was followed before a curve was picked up again */
  double *last;   /* [n + 2] the last point: x, p, q */
  double reached; /* length there */
  double trend;   /* sign of the change of q there */
  int small;      /* steps in a row that are */
  bool stalled;
  bool closed, left; /* left: the range of the sweep */
  cap_status failed;
} follower;

static cap_status no_memory(const folds *f)
{
  return cap_status_fail(f->run->error, CAP_ERR_NOMEM, "out of memory");
}

/* ---- models -------------------------------------------------------------------------------------------- */

static cap_status build(void *self, double p, double q, cap_model **m, cap_error *error)
{
  const folds *f = self;
  const char *paths[2] = {f->s->sweep.path, f->s->over.path};
  const double values[2] = {p, q};
  cap_run run = *f->run;
  run.error = error;
  return run.rebuild(&run, 2, paths, 1, values, m);
}

static cap_status build_first(void *self, double p, cap_model **m, cap_error *error)
{
  return build(self, p, ((const folds *)self)->q0, m, error);
}

static bool stopped(void *self)
{
  return cap_progress_stopped(((const folds *)self)->run->progress);
}

/* ---- curves met already -------------------------------------------------------------------------------- */

/* Root mean square of the harmonics: with p and the period it tells solutions apart. */
static double size_of(const cap_hb *hb, const double *x)
{
  double sum = 0.0;
  for (int i = 0; i < hb->nouter * hb->ncoef; i++)
    if (i % hb->ncoef) sum += 0.5 * x[i] * x[i];
  return sqrt(sum);
}

/* Folds and doublings of each period are told apart. */
static double sort_of(const follower *w)
{
  return 10.0 * w->branch->sub + w->start->kind;
}

static cap_status remember(follower *w, double p, double size)
{
  folds *f = w->f;
  struct seen *seen = &f->seen;
  if (seen->n == seen->room) {
    int room = 2 * seen->room + 8;
    double *values = realloc(seen->values, sizeof(double) * 3 * (size_t)room);
    if (!values) return no_memory(f);
    seen->values = values;
    seen->room = room;
  }
  double *at = seen->values + 3 * seen->n++;
  at[0] = sort_of(w), at[1] = p, at[2] = size;
  return CAP_OK;
}

static bool known(const follower *w, double p, double size)
{
  const folds *f = w->f;
  for (int k = 0; k < f->seen.n; k++) {
    const double *at = f->seen.values + 3 * k;
    if (at[0] == sort_of(w) && fabs(at[1] - p) < 1e-3 * (f->p_high - f->p_low) &&
        fabs(at[2] - size) < 1e-2 * fmax(size, at[2]))
      return true;
  }
  return false;
}

/* A curve that comes back to the start value has met another fold of the response there. */
static cap_status note_crossing(follower *w, double q, double p, double size)
{
  folds *f = w->f;
  double share = (f->q0 - w->before[0]) / (q - w->before[0]);
  bool crossed = w->began && q != w->before[0] && share >= -1e-9 && share <= 1.0 + 1e-9;
  if (crossed)
    CAP_TRY(
        remember(w, w->before[1] + share * (p - w->before[1]), w->before[2] + share * (size - w->before[2])));
  w->before[0] = q, w->before[1] = p, w->before[2] = size;
  w->began = true;
  return CAP_OK;
}

/* ---- rows ---------------------------------------------------------------------------------------------- */

static double *new_row(follower *w)
{
  size_t width = (size_t)w->f->width + 1;
  if (w->nrow == w->room) {
    int room = 2 * w->room + 64;
    double *rows = realloc(w->rows, sizeof(double) * width * (size_t)room);
    if (!rows) return NULL;
    w->rows = rows;
    w->room = room;
  }
  return w->rows + width * (size_t)w->nrow++;
}

/* A turn in the second parameter: 1 cusp, where the sweep's parameter stands still with it, 2 otherwise. */
static int kind_of(const follower *w, const cap_continuation_point *point)
{
  if (point->kind != CAP_CONTINUATION_FOLD) return 0;
  int n = w->family.hb->nunknown;
  return fabs(point->tangent[n]) < 1e-2 * w->family.source.p_size ? 1 : 2;
}

static cap_status keep_row(follower *w, const cap_continuation_point *point)
{
  folds *f = w->f;
  cap_hb *hb = w->family.hb;
  cap_error *error = f->run->error;
  double length = w->direction * (w->length + fabs(point->s)), least = 0.05 * 10.0 / f->s->points;
  bool start = point->kind == CAP_CONTINUATION_START;
  if (start && (w->direction < 0 || w->length > 0.0)) return CAP_OK; /* is there already */
  if (point->kind == CAP_CONTINUATION_REGULAR && fabs(length - w->kept) < least) return CAP_OK;
  double *row = new_row(w), p = point->x[hb->nunknown], q = point->p;
  if (!row) return no_memory(f);
  cap_status status = cap_hb_family_place(&w->family, p, q);
  if (status != CAP_OK) return cap_status_fail(error, status, "%s", w->family.error.text);
  row[0] = w->kept = length;
  double *fixed = ++row;
  fixed[CURVE] = f->ncurve;
  fixed[SWEEP] = p;
  fixed[OVER] = q;
  fixed[KIND] = kind_of(w, point);
  fixed[BIFURCATION] = w->start->kind;
  fixed[PERIOD] = w->branch->sub;
  fixed[MULTIPLIER] = NAN;
  if (f->s->stability) {
    status = cap_hb_stability_find(w->family.stability, hb, point->x, hb->angular_frequency, error);
    if (status == CAP_ERR_NOMEM) return status;
    if (status == CAP_OK) fixed[MULTIPLIER] = w->family.stability->largest; /* else not known here */
  }
  return cap_motion_rows_fill(&f->rows, hb, point->x, hb->angular_frequency, row + FIXED, error);
}

static void note_last(follower *w, const cap_continuation_point *point)
{
  int n = w->family.hb->nunknown;
  w->trend = point->p > w->last[n + 1] ? 1.0 : -1.0;
  memcpy(w->last, point->x, sizeof(double) * ((size_t)n + 1));
  w->last[n + 1] = point->p;
  w->reached = w->length + fabs(point->s);
}

static bool take_point(void *self, const cap_continuation_point *point)
{
  follower *w = self;
  folds *f = w->f;
  double p = point->x[w->family.hb->nunknown], size = size_of(w->family.hb, point->x);
  bool start = point->kind == CAP_CONTINUATION_START;
  if (start) w->began = false;
  w->left = p < f->p_low || p > f->p_high;
  w->small = !start && point->step < 1e-3 * 10.0 / f->s->points ? w->small + 1 : 0;
  w->stalled = w->small > SMALL_MOST;
  if (w->left || w->stalled) return false;
  w->failed = keep_row(w, point);
  if (point->kind == CAP_CONTINUATION_REGULAR) note_last(w, point);
  if (w->failed == CAP_OK && point->kind != CAP_CONTINUATION_FOLD)
    w->failed = note_crossing(w, point->p, p, size);
  if (w->failed == CAP_OK && stopped(w->f))
    w->failed = cap_status_fail(w->f->run->error, CAP_STOPPED, "interrupted");
  return w->failed == CAP_OK;
}

static int by_length(const void *a, const void *b)
{
  double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

static const char *name_of(const follower *w)
{
  return w->start->kind == CAP_HB_FOLD ? "fold" : "period doubling";
}

static cap_status put_curve(follower *w, char ends[2][256])
{
  folds *f = w->f;
  cap_sink *sink = f->run->sink;
  size_t width = (size_t)f->width + 1;
  char name[64], text[700];
  qsort(w->rows, (size_t)w->nrow, sizeof(double) * width, by_length);
  for (int k = 0; k < w->nrow; k++) CAP_TRY(sink->rows(sink, 1, w->rows + width * (size_t)k + 1));
  snprintf(name, sizeof name, "curve.%d.start", f->ncurve);
  snprintf(text, sizeof text, "%s of %s at %.9g", name_of(w), w->branch->name, w->start->p);
  CAP_TRY(sink->text(sink, name, text));
  snprintf(name, sizeof name, "curve.%d.ends", f->ncurve);
  snprintf(text, sizeof text, "forwards: %s; backwards: %s", ends[0], ends[1]);
  return sink->text(sink, name, text);
}

/* ---- following ----------------------------------------------------------------------------------------- */

static cap_status follow_doubling(follower *w, const cap_continuation_options *options, const double *z,
                                  double q, int direction, cap_continuation_result *result)
{
  folds *f = w->f;
  cap_continuation_problem problem = cap_hb_family_doublings(&w->family);
  cap_continuation *path = NULL;
  cap_continuation_start start = {.x = z, .p = q};
  cap_status status = cap_continuation_create(&problem, options, &path, f->run->error);
  if (status == CAP_OK)
    status = cap_continuation_run(path, &start, direction, take_point, w, result, f->run->error);
  cap_continuation_free(path);
  return status;
}

/* From (x, p) = z at q on until it ends. */
static cap_status follow_part(follower *w, const double *z, double q, int direction,
                              cap_continuation_result *result)
{
  folds *f = w->f;
  int n = w->family.hb->nunknown;
  double step = 10.0 / f->s->points; /* the range is ten times the size of the parameter */
  cap_continuation_options options = {.step = 0.3 * step,
                                      .step_max = step,
                                      .step_min = 1e-9,
                                      .p_min = f->q_low,
                                      .p_max = f->q_high,
                                      .max_points = 200 + 20 * f->s->points,
                                      .tolerance = 1e-8};
  w->left = w->stalled = false;
  w->small = 0;
  memcpy(w->last, z, sizeof(double) * ((size_t)n + 1));
  w->last[n + 1] = q;
  if (w->start->kind != CAP_HB_FOLD) return follow_doubling(w, &options, z, q, direction, result);
  cap_continuation_family family = cap_hb_family_folds(&w->family);
  return cap_continuation_fold(&family, &options, z, z[n], q, direction, take_point, w, result,
                               f->run->error);
}

/* ---- picking up ---- */

typedef struct pick {
  const follower *w;
  double *x;             /* [n + 1] the nearest fold so far */
  double distance, size; /* of the motion */
} pick;

static bool pick_fold(void *self, const cap_continuation_point *point)
{
  pick *k = self;
  const cap_hb_family *family = &k->w->family;
  int n = family->hb->nunknown;
  double gap = fabs(point->p - k->w->last[n]) / family->source.p_size;
  if (point->kind != CAP_CONTINUATION_FOLD) return true;
  for (int i = 0; i < n; i++)
    gap = fmax(gap, fabs(point->x[i] - k->w->last[i]) / fmax(family->x_scale[i], k->size));
  if (gap >= k->distance) return true;
  memcpy(k->x, point->x, sizeof(double) * (size_t)n);
  k->x[n] = point->p;
  k->distance = gap;
  return true;
}

/* The fold at q that is nearest to the last point, into z[n + 1]; false without one. */
static bool pick_up(follower *w, double q, double *z)
{
  static const double offsets[] = {0.01, -0.01, 0.03, -0.03, 0.1, -0.1};
  int n = w->family.hb->nunknown;
  cap_continuation_options options = {.step = 0.01, .step_max = 0.05, .step_min = 1e-10, .max_points = 60};
  cap_continuation_problem problem = cap_hb_family_curve(&w->family, q);
  cap_continuation *path = NULL;
  pick k = {w, z, 0.3, size_of(w->family.hb, w->last)};
  double *x = malloc(sizeof(double) * (size_t)n);
  bool ready = x && cap_continuation_create(&problem, &options, &path, NULL) == CAP_OK;
  for (size_t i = 0; ready && i < sizeof offsets / sizeof *offsets && k.distance >= 0.3; i++) {
    cap_continuation_result result;
    cap_continuation_start start = {.x = x, .p = w->last[n] + offsets[i] * w->family.source.p_size};
    memcpy(x, w->last, sizeof(double) * (size_t)n);
    (void)cap_continuation_run(path, &start, 0, pick_fold, &k, &result, NULL); /* no fold found says it all */
  }
  cap_continuation_free(path);
  free(x);
  return k.distance < 0.3;
}

/* One way; the reason of its end into text. */
static cap_status follow_way(follower *w, int direction, char text[256])
{
  folds *f = w->f;
  int n = w->family.hb->nunknown, side = direction > 0 ? 0 : 1;
  double q = f->q0, *z = malloc(sizeof(double) * ((size_t)n + 1));
  if (!z) return no_memory(f);
  memcpy(z, w->start->x, sizeof(double) * (size_t)n);
  z[n] = w->start->p;
  w->direction = direction;
  w->length = w->kept = w->reached = w->trend = 0.0;
  cap_status status = CAP_OK;
  for (int part = 0; part < PARTS_MOST && status == CAP_OK; part++) {
    cap_continuation_result result = {0};
    int way = part == 0 ? direction : w->trend > 0.0 ? 1 : -1;
    side = way > 0 ? 0 : 1;
    status = follow_part(w, z, q, way, &result);
    if (status < 0 && w->failed == CAP_OK && w->family.error.text[0])
      cap_status_fail(f->run->error, status, "folds: %s", w->family.error.text);
    if (w->failed != CAP_OK) status = w->failed;
    else if (status != CAP_OK) snprintf(text, 256, "not followed (%.200s)", f->run->error->text);
    else if (w->left) snprintf(text, 256, "limit of the swept parameter");
    else if (w->stalled) snprintf(text, 256, "the step became too small at %.9g", w->last[n + 1]);
    else if (result.end[side] == CAP_CONTINUATION_END_LIMIT)
      snprintf(text, 256, "limit of the range at %.9g %.40s", result.p_end[side], f->s->over.target->unit);
    else snprintf(text, 256, "%s at %.9g", cap_continuation_end_text(result.end[side]), result.p_end[side]);
    w->closed = w->closed || result.end[side] == CAP_CONTINUATION_END_CLOSED;
    q = w->last[n + 1] + w->trend * 2e-3 * (f->q_high - f->q_low);
    bool broken = status == CAP_OK && w->start->kind == CAP_HB_FOLD && !w->left && w->reached > w->length &&
                  (w->stalled || result.end[side] == CAP_CONTINUATION_END_STEP ||
                   result.end[side] == CAP_CONTINUATION_END_SINGULAR);
    if (!broken || q < f->q_low || q > f->q_high || !pick_up(w, q, z)) break;
    w->length = w->reached;
  }
  free(z);
  return w->failed != CAP_OK || status == CAP_ERR_NOMEM ? status : CAP_OK;
}

static cap_status follow(follower *w)
{
  folds *f = w->f;
  char ends[2][256] = {"closed curve", "closed curve"};
  CAP_TRY(follow_way(w, 1, ends[0]));
  if (!w->closed) CAP_TRY(follow_way(w, -1, ends[1]));
  if (w->nrow > 0) return put_curve(w, ends);
  cap_progress_note(f->run->progress, "folds: the %s of %s at %.6g was not followed: %s", name_of(w),
                    w->branch->name, w->start->p, ends[0]);
  f->ncurve--;
  return CAP_OK;
}

static cap_status do_point(folds *f, const cap_hb_branch *branch, const cap_hb_point *point)
{
  follower w = {.f = f, .branch = branch, .start = point};
  cap_hb_settings settings = {branch->harmonics * branch->sub, branch->samples * branch->sub, branch->sub};
  cap_hb_family_source source = {build, f, 0.1 * (f->p_high - f->p_low), 0.1 * (f->q_high - f->q_low)};
  f->ncurve++;
  cap_status status = cap_hb_family_open(&source, &settings, point->x, point->p, f->q0, &w.family,
                                         f->run->error);
  if (status == CAP_OK) {
    double size = size_of(w.family.hb, point->x);
    if (known(&w, point->p, size)) {
      f->ncurve--;
    } else {
      w.last = malloc(sizeof(double) * ((size_t)w.family.hb->nunknown + 2));
      status = w.last ? remember(&w, point->p, size) : no_memory(f);
      if (status == CAP_OK) status = follow(&w);
    }
  }
  cap_hb_family_close(&w.family);
  free(w.rows);
  free(w.last);
  return status;
}

static cap_status follow_all(folds *f)
{
  for (int b = 0; b < cap_hb_branches_count(f->set); b++) {
    const cap_hb_branch *branch = cap_hb_branches_get(f->set, b);
    for (int k = 0; k < branch->npoint; k++) {
      const cap_hb_point *point = &branch->points[k];
      if (point->kind == CAP_HB_FOLD || (point->kind == CAP_HB_DOUBLING && f->s->doublings))
        CAP_TRY(do_point(f, branch, point));
    }
  }
  return CAP_OK;
}

/* ---- the response at the start ------------------------------------------------------------------------- */

static cap_status find_branches(folds *f)
{
  const spec *s = f->s;
  cap_error *error = f->run->error;
  double first = s->sweep.values.v[0], last = s->sweep.values.v[s->sweep.values.n - 1];
  char note[2][400];
  cap_hb_branches_settings settings = {.parameter = CAP_HB_CURVE_MODEL,
                                       .source = {build_first, f, f->p_low, f->p_high},
                                       .first = first,
                                       .last = last,
                                       .harmonics = s->harmonics,
                                       .samples = s->samples,
                                       .stability = s->doublings || s->searches,
                                       .stopped = stopped,
                                       .stopped_self = f};
  CAP_TRY(build_first(f, first, &f->m, error));
  CAP_TRY(cap_hb_branches_create(f->m, &settings, &f->set, error));
  CAP_TRY(cap_hb_branches_follow_ends(f->set, note, error));
  for (int side = 0; side < 2; side++)
    if (note[side][0])
      cap_progress_note(f->run->progress, "folds: no branch from the %s value: %s",
                        side == 0 ? "first" : "last", note[side]);
  if (!s->searches) return CAP_OK;
  cap_search search = {
      .set = f->set, .spec = &s->search, .seed = (uint64_t)f->run->seed, .progress = f->run->progress};
  CAP_TRY(cap_search_run(&search, error));
  char left[800];
  cap_search_left(&search, left);
  if (left[0]) cap_progress_note(f->run->progress, "folds: search: %s", left);
  return CAP_OK;
}

/* ---- the analysis -------------------------------------------------------------------------------------- */

static cap_status put_columns(folds *f)
{
  const cap_sweep *p = &f->s->sweep, *q = &f->s->over;
  const cap_column fixed[FIXED] = {
      {p->path, p->target->unit, p->target->doc},
      {q->path, q->target->unit, q->target->doc},
      {"curve", "1", "number of the curve"},
      {"kind", "1", "0: point, 1: cusp, 2: extremum of the second parameter (a branch appears or merges)"},
      {"bifurcation", "1", "1: fold, 3: period doubling"},
      {"period", "1", "period of the motion, in forcing periods"},
      {"multiplier", "1", "largest modulus of the Floquet multipliers"}};
  f->width = FIXED + cap_motion_rows_width(&f->rows);
  return cap_motion_rows_declare(&f->rows, FIXED, fixed, f->run);
}

static cap_status compute(folds *f)
{
  cap_run *run = f->run;
  cap_sink *sink = run->sink;
  bool found, finished;
  CAP_TRY(sink->open(sink, "folds", "folds", "folds of the response in the plane of two parameters"));
  CAP_TRY(sink->restore(sink, 0, NULL, &found, &finished));
  if (finished) return sink->close(sink);
  CAP_TRY(cap_motion_rows_open(run, 0, &f->rows));
  CAP_TRY(find_branches(f));
  CAP_TRY(put_columns(f));
  CAP_TRY(sink->text(sink, "sweep", f->s->sweep.path));
  CAP_TRY(sink->text(sink, "over", f->s->over.path));
  CAP_TRY(follow_all(f));
  if (f->ncurve == 0)
    cap_progress_note(run->progress, "folds: no folds in the response at %s = %.6g", f->s->over.path, f->q0);
  CAP_TRY(sink->number(sink, (cap_column){"curves", "1", "number of curves"}, f->ncurve));
  return sink->close(sink);
}

static void range_of(const cap_reals *values, double *low, double *high)
{
  *low = *high = values->v[0];
  for (int k = 1; k < values->n; k++) {
    *low = fmin(*low, values->v[k]);
    *high = fmax(*high, values->v[k]);
  }
}

static cap_status run_folds(cap_run *run, const void *self)
{
  folds f = {.run = run, .s = self};
  f.q0 = f.s->over.values.v[0];
  range_of(&f.s->over.values, &f.q_low, &f.q_high);
  range_of(&f.s->sweep.values, &f.p_low, &f.p_high);
  cap_status status = compute(&f);
  cap_hb_branches_free(f.set);
  cap_model_free(f.m);
  cap_motion_rows_close(&f.rows);
  free(f.seen.values);
  return status;
}

static void check_range(const cap_reals *values, const char *path, const char *key, cap_diag *diag)
{
  double low, high;
  char place[512];
  range_of(values, &low, &high);
  snprintf(place, sizeof place, "%s.%s", path, key);
  if (!(high > low)) cap_diag_at(diag, place, "expected at least two different values, got %.6g only", low);
}

static void check(const cap_model *m, const void *self, double *time, const char *path, cap_diag *diag)
{
  (void)time; /* it leaves the run's own state alone */
  const spec *s = self;
  char place[512];
  if (!(m->period[0] > 0.0))
    cap_diag_at(diag, path,
                "no periodic forcing, so no response; expected a periodic load or prescribed motion");
  check_range(&s->sweep.values, path, "sweep", diag);
  check_range(&s->over.values, path, "over", diag);
  snprintf(place, sizeof place, "%s.over", path);
  if (strcmp(s->sweep.path, s->over.path) == 0)
    cap_diag_at(diag, place, "expected a parameter other than that of the sweep, got %s", s->over.path);
}

const char cap_folds_doc[] = "folds and period doublings of the response, followed over a second parameter";

const cap_analysis cap_folds_analysis = {
    .name = "folds",
    .doc = cap_folds_doc,
    .fields = cap_folds_fields,
    .spec_size = sizeof(spec),
    .check = check,
    .run = run_folds,
};
