/* hb/hb_branches_follow.c — a branch from a start: followed, stored, refined, named. */
#include "hb/hb_branches_work.h"
#include "hb/hb_newton.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One direction of a branch being followed. */
typedef struct trace {
  cap_hb_branches *set;
  cap_hb_level *level;
  int n, npoint, room;
  cap_hb_point *points;
  bool first_too; /* the start is stored, which the second direction has already */
  bool junction;  /* stopped where an orbit of fewer periods is met */
  bool strayed;   /* and the junction itself was not found: the curve is on the other branch at p_strayed */
  double p_strayed;
  bool check; /* look, after some points, whether the branch is a known one */
  int known;  /* it is this one, or -1 */
  bool interrupted;
  cap_status failed;
} trace;

/* ---- points -------------------------------------------------------------------------------------------- */

static cap_hb_point *new_point(trace *w)
{
  if (w->npoint == w->room) {
    int room = w->room ? 2 * w->room : 256;
    cap_hb_point *points = realloc(w->points, sizeof *points * (size_t)room);
    if (!points) return NULL;
    w->points = points;
    w->room = room;
  }
  cap_hb_point *point = &w->points[w->npoint];
  size_t n = (size_t)w->n;
  *point = (cap_hb_point){
      .harmonics = w->level->harmonics, .largest = NAN, .unstable = -1, .truncation = NAN};
  point->x = CAP_ARENA_NEW(&w->set->arena, double, 2 * n + 1);
  if (!point->x) return NULL;
  point->tangent = point->x + n;
  w->npoint++;
  return point;
}

/* A zero of the second test function is a Neimark-Sacker point only when a complex pair is on the circle. */
static bool is_torus(trace *w, const cap_continuation_point *at)
{
  const cap_hb_stability *s = w->level->stability;
  double values[CAP_HB_CURVE_TESTS], nearest = INFINITY;
  bool complex_pair = false;
  cap_continuation_problem problem = cap_hb_curve_problem(&w->level->curve, 1.0);
  if (problem.test(problem.self, at->x, at->p, values) != CAP_OK || isnan(values[0])) return false;
  for (int i = 0; i < s->nstate; i++)
    for (int j = 0; j < i; j++) {
      double away = hypot(1.0 - (s->re[i] * s->re[j] - s->im[i] * s->im[j]),
                          s->re[i] * s->im[j] + s->im[i] * s->re[j]);
      if (away >= nearest) continue;
      nearest = away;
      complex_pair = s->im[i] != 0.0;
    }
  return complex_pair;
}

/* What a point of the continuation is here; false: nothing worth keeping. */
static bool kind_of(trace *w, const cap_continuation_point *at, cap_hb_point_kind *kind)
{
  *kind = CAP_HB_POINT;
  if (at->kind == CAP_CONTINUATION_FOLD) *kind = CAP_HB_FOLD;
  if (at->kind == CAP_CONTINUATION_BRANCH) *kind = CAP_HB_BRANCH_POINT;
  if (at->kind != CAP_CONTINUATION_TEST) return true;
  *kind = at->test == 0 ? CAP_HB_DOUBLING : CAP_HB_TORUS;
  return at->test == 0 || is_torus(w, at);
}

static void read_stability(cap_hb_point *point, const double *tests)
{
  if (!tests || isnan(tests[2])) return;
  point->largest = tests[2] - 1.0;
  point->unstable = (int)lround(tests[3] - 1.0);
}

static cap_status store(trace *w, const cap_continuation_point *at, cap_hb_point_kind kind)
{
  size_t n = (size_t)w->n;
  cap_hb_point *point = new_point(w);
  if (!point) return CAP_ERR_NOMEM;
  point->kind = kind;
  point->p = at->p;
  point->crossing = at->sign == 0;
  memcpy(point->x, at->x, sizeof(double) * n);
  for (size_t i = 0; i <= n; i++) point->tangent[i] = at->direction * at->tangent[i];
  read_stability(point, at->tests);
  if (!at->other) return CAP_OK;
  point->other = CAP_ARENA_NEW(&w->set->arena, double, n + 1);
  if (!point->other) return CAP_ERR_NOMEM;
  memcpy(point->other, at->other, sizeof(double) * (n + 1));
  return CAP_OK;
}

enum { POINTS_BEFORE_CHECK = 4 };

/* A branch that starts at a point of another may be one that is there already. */
static void look_for_known(trace *w, const cap_continuation_point *at)
{
  if (!w->check || w->npoint < POINTS_BEFORE_CHECK || at->kind != CAP_CONTINUATION_REGULAR) return;
  int level = 0;
  while (w->set->levels[level] != w->level) level++;
  w->check = false;
  w->failed = cap_hb_branches_known_find(w->set, level, at->x, at->p, &w->known, NULL);
}

/* An orbit of fewer periods: a located junction is the last point, beyond it is the same branch again,
 * another period first. Any other such point, but the start, is on the other branch already and none of this
 * one. */
static bool meets_shorter(trace *w, const cap_continuation_point *at)
{
  int sub = w->level->sub;
  if (sub == 1 || at->kind == CAP_CONTINUATION_START) return false;
  w->junction = cap_hb_branches_known_period(w->set, w->level->hb, at->x) < sub;
  return w->junction;
}

static bool stopped(const trace *w)
{
  const cap_hb_branches_settings *settings = &w->set->settings;
  return settings->stopped && settings->stopped(settings->stopped_self);
}

static bool take_point(void *self, const cap_continuation_point *at)
{
  trace *w = self;
  cap_hb_point_kind kind;
  if (at->kind == CAP_CONTINUATION_START && !w->first_too) return true;
  if (!kind_of(w, at, &kind)) return true;
  if (meets_shorter(w, at) && kind != CAP_HB_BRANCH_POINT) {
    w->strayed = true;
    w->p_strayed = at->p;
    return false;
  }
  w->failed = store(w, at, kind);
  if (w->failed == CAP_OK) look_for_known(w, at);
  w->interrupted = stopped(w);
  return w->failed == CAP_OK && !w->junction && !w->interrupted && w->known < 0;
}

/* ---- one branch at one level --------------------------------------------------------------------------- */

static void describe_end(const trace *w, const cap_continuation_result *r, int side, cap_status status,
                         const cap_error *why, cap_hb_branch *b, int end)
{
  double p = r->p_end[side];
  b->complete[end] = true;
  if (w->strayed) {
    snprintf(b->end[end], sizeof b->end[end], "merges with an orbit of fewer periods before %.9g",
             w->p_strayed);
    return;
  }
  if (w->junction) {
    snprintf(b->end[end], sizeof b->end[end], "merges with an orbit of fewer periods at %.9g",
             w->points[w->npoint - 1].p);
    return;
  }
  switch (r->end[side]) {
  case CAP_CONTINUATION_END_NONE:
    snprintf(b->end[end], sizeof b->end[end], "not followed in this direction");
    break;
  case CAP_CONTINUATION_END_LIMIT:
    snprintf(b->end[end], sizeof b->end[end], "limit of the range at %.9g", p);
    break;
  case CAP_CONTINUATION_END_CLOSED:
    snprintf(b->end[end], sizeof b->end[end], "closed curve");
    break;
  default:
    b->complete[end] = false;
    snprintf(b->end[end], sizeof b->end[end], "stopped at %.9g: %s (%s)%s%.160s", p,
             cap_continuation_end_text(r->end[side]), cap_continuation_reject_text(r->reject[side]),
             status < 0 ? ": " : "", status < 0 ? why->text : "");
  }
}

/* Follow one way; the points in w. */
static cap_status run_way(trace *w, const cap_hb_seed *seed, int direction, int end, cap_hb_branch *b,
                          cap_error *error)
{
  cap_error why = {0};
  cap_continuation_result result;
  cap_continuation_start start = {
      .x = seed->x, .p = seed->p, .tangent = seed->tangent, .on_curve = seed->tangent != NULL};
  cap_status status = cap_continuation_run(w->level->path, &start, direction, take_point, w, &result, &why);
  if (w->failed != CAP_OK) return cap_status_fail(error, w->failed, "out of memory");
  if (w->interrupted || stopped(w)) return cap_status_fail(error, CAP_STOPPED, "interrupted");
  if (status == CAP_ERR_NOMEM || status > 0) return cap_status_fail(error, status, "%s", why.text);
  if (status < 0 && w->level->curve.error.text[0]) why = w->level->curve.error;
  if (status < 0 && w->npoint == 0 && w->first_too) return cap_status_fail(error, status, "%s", why.text);
  int side = direction > 0 ? 0 : 1;
  describe_end(w, &result, side, status, &why, b, end);
  b->closed = b->closed || result.end[side] == CAP_CONTINUATION_END_CLOSED;
  return CAP_OK;
}

/* Backward points in reverse, then the forward ones. */
static cap_status join(trace *back, trace *forth, cap_hb_branch *b)
{
  b->npoint = back->npoint + forth->npoint;
  b->points = malloc(sizeof *b->points * (size_t)(b->npoint + 1));
  if (!b->points) return CAP_ERR_NOMEM;
  for (int k = 0; k < back->npoint; k++) b->points[k] = back->points[back->npoint - 1 - k];
  if (forth->npoint)
    memcpy(b->points + back->npoint, forth->points, sizeof *b->points * (size_t)forth->npoint);
  return CAP_OK;
}

/* One way only against p: turned, so that the start is the first point. */
static void turn(cap_hb_branch *b, int n)
{
  for (int i = 0, j = b->npoint - 1; i < j; i++, j--) {
    cap_hb_point keep = b->points[i];
    b->points[i] = b->points[j];
    b->points[j] = keep;
  }
  for (int k = 0; k < b->npoint; k++)
    for (int i = 0; i <= n; i++) b->points[k].tangent[i] = -b->points[k].tangent[i];
  char keep[sizeof b->end[0]];
  memcpy(keep, b->end[0], sizeof keep);
  memcpy(b->end[0], b->end[1], sizeof keep);
  memcpy(b->end[1], keep, sizeof keep);
  bool complete = b->complete[0];
  b->complete[0] = b->complete[1];
  b->complete[1] = complete;
}

/* A branch must have an orbit of its own: one that starts where an orbit of fewer periods doubles may never
 * leave it. */
static cap_status require_own(const cap_hb_branches *set, const cap_hb_level *level, const cap_hb_branch *b,
                              cap_error *error)
{
  for (int k = 0; k < b->npoint; k++)
    if (cap_hb_branches_known_period(set, level->hb, b->points[k].x) == level->sub) return CAP_OK;
  return cap_status_fail(error, CAP_RETRY_NOCONV, "no orbit of %d periods emanates there with %d harmonics",
                         level->sub, level->harmonics);
}

/* *known: the branch that it turned out to be, else -1. */
static cap_status trace_level(cap_hb_branches *set, const cap_hb_seed *seed, cap_hb_branch *b, int *known,
                              cap_error *error)
{
  CAP_TRY(cap_hb_branches_level_path(set, seed->level, error));
  cap_hb_level *level = set->levels[seed->level];
  trace forth = {.set = set,
                 .level = level,
                 .n = level->hb->nunknown,
                 .first_too = true,
                 .check = seed->check,
                 .known = -1};
  trace back = forth;
  cap_status status = CAP_OK;
  b->level = seed->level;
  b->harmonics = level->harmonics;
  b->samples = level->hb->nsample / level->sub;
  for (int end = 0; end < 2; end++) {
    snprintf(b->end[end], sizeof b->end[end], "back at its start, at %.9g", seed->p);
    b->complete[end] = true;
  }
  if (seed->direction >= 0) status = run_way(&forth, seed, 1, 1, b, error);
  back.first_too = forth.npoint == 0;
  if (status == CAP_OK && seed->direction <= 0 && !b->closed && forth.known < 0)
    status = run_way(&back, seed, -1, 0, b, error);
  if (b->closed) snprintf(b->end[0], sizeof b->end[0], "closed curve");
  if (status == CAP_OK && join(&back, &forth, b) != CAP_OK)
    status = cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  if (status == CAP_OK && seed->direction < 0) turn(b, level->hb->nunknown);
  if (status == CAP_OK && level->sub > 1) status = require_own(set, level, b, error);
  *known = forth.known >= 0 ? forth.known : back.known;
  free(forth.points);
  free(back.points);
  return status;
}

/* ---- naming and keeping -------------------------------------------------------------------------------- */

static int count_names(const cap_hb_branches *set, const char *stem)
{
  int count = 0;
  size_t length = strlen(stem);
  for (int k = 0; k < set->nbranch; k++) count += strncmp(set->branches[k].name, stem, length) == 0;
  return count;
}

static cap_status keep_branch(cap_hb_branches *set, const cap_hb_seed *seed, cap_hb_branch *b, int *index,
                              cap_error *error)
{
  char stem[32];
  if (set->nbranch == set->room) {
    int room = set->room ? 2 * set->room : 16;
    cap_hb_branch *branches = realloc(set->branches, sizeof *branches * (size_t)room);
    if (!branches) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    set->branches = branches;
    set->room = room;
  }
  b->sub = set->levels[seed->level]->sub;
  b->parent = seed->parent;
  if (b->sub > 1) snprintf(stem, sizeof stem, "period-%d-", b->sub);
  else snprintf(stem, sizeof stem, "%s-", seed->parent >= 0 ? "bifurcated" : "detached");
  b->found = cap_arena_copy_text(&set->arena, seed->found);
  b->name = cap_arena_format(&set->arena, "%s%d", stem, count_names(set, stem) + 1);
  if (!b->found || !b->name) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  *index = set->nbranch;
  set->branches[set->nbranch++] = *b;
  return CAP_OK;
}

/* ---- accuracy ------------------------------------------------------------------------------------------ */

/* Errors of samples make folds of their own, so they must be far below what the harmonics leave out.
 * Functions of deflection and velocity get there soon once their transitions are resolved; laws that are
 * marched do so as the square of the step, and are held to a hundredth of the truncation. */
static double sampling_tolerance(const cap_hb *hb, double truncation, double tolerance)
{
  bool marched = false;
  for (int k = 0; k < hb->nlaw; k++)
    marched = marched || (hb->laws[k].kind != CAP_HB_LAW_MEMORYLESS && hb->laws[k].kind != CAP_HB_LAW_PIECES);
  return marched ? fmax(1e-6, fmax(0.01 * truncation, 0.1 * tolerance)) : 1e-6;
}

/* The sizes that the branch should have; *enough: it has them. Samples that were raised to what was foreseen
 * are not judged again. */
static cap_status judge(cap_hb_branches *set, cap_hb_branch *b, double foreseen, int *harmonics, int *samples,
                        bool *enough, cap_error *error)
{
  const cap_hb_branches_settings *wish = &set->settings;
  double worst = 0.0, at = 0.0;
  *harmonics = b->harmonics;
  *samples = b->samples;
  b->sampling = foreseen;
  b->shortfall[0] = 0;
  bool raise = wish->harmonics_most > wish->harmonics;
  if (raise || wish->truncation || set->choose_samples)
    CAP_TRY(cap_hb_branches_accuracy_truncation(set, b, &worst, &at, error));
  if (set->choose_samples) {
    double most = sampling_tolerance(set->levels[b->level]->hb, worst, wish->tolerance);
    if (isnan(foreseen))
      CAP_TRY(cap_hb_branches_accuracy_samples(set, b, most, samples, &b->sampling, error));
    if (b->sampling > 1.5 * most)
      snprintf(b->shortfall, sizeof b->shortfall,
               "with %d samples, the maximum, the error is %.2g (tolerance %.2g)", *samples, b->sampling,
               most);
  }
  if (raise && worst > wish->tolerance) {
    *harmonics = b->harmonics + b->harmonics / 2 + 2;
    if (*harmonics > wish->harmonics_most) *harmonics = wish->harmonics_most;
    if (*harmonics == b->harmonics)
      snprintf(b->shortfall, sizeof b->shortfall,
               "maximum number of harmonics reached: truncation error %.2g above the tolerance %.2g at %.9g",
               worst, wish->tolerance, at);
  }
  *enough = *harmonics == b->harmonics && *samples == b->samples;
  return CAP_OK;
}

/* The seed at a level of other sizes: itself, or where it leaves another branch the middle of what it led to.
 * x is to be freed. */
static cap_status move_seed(cap_hb_branches *set, const cap_hb_branch *b, int level, cap_hb_seed *seed,
                            double **x, cap_error *error)
{
  const cap_hb_level *from = set->levels[b->level];
  cap_hb_level *to = set->levels[level];
  const double *old = seed->x;
  if (seed->tangent) {
    const cap_hb_point *middle = &b->points[b->npoint / 2];
    old = middle->x;
    seed->p = middle->p;
    seed->direction = 0;
    seed->tangent = NULL;
  }
  double *y = malloc(sizeof(double) * (size_t)(to->hb->nunknown + 1));
  if (!y) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  cap_hb_transfer(from->hb, old, to->hb, y);
  free(*x);
  *x = y;
  seed->x = y;
  seed->level = level;
  CAP_TRY(cap_hb_branches_level_path(set, level, error));
  return cap_continuation_newton(to->path, y, seed->p, 50, NULL, NULL, error);
}

/* Followed at the seed's level, then again with more harmonics or samples until it is accurate. When that
 * fails the last branch that was followed is kept, and says so. */
static cap_status trace_accurately(cap_hb_branches *set, cap_hb_seed *seed, double **x, cap_hb_branch *b,
                                   int *known, cap_error *error)
{
  double foreseen = NAN;
  CAP_TRY(trace_level(set, seed, b, known, error));
  while (*known < 0) {
    int harmonics, samples, level, again;
    bool enough;
    CAP_TRY(judge(set, b, foreseen, &harmonics, &samples, &enough, error));
    if (enough) break;
    cap_error why = {0};
    cap_hb_branch better = {0};
    CAP_TRY(cap_hb_branches_level(set, set->levels[b->level]->sub, harmonics, samples, &level, error));
    cap_status status = move_seed(set, b, level, seed, x, &why);
    seed->check = false;
    if (status == CAP_OK) status = trace_level(set, seed, &better, &again, &why);
    if (status < 0 || status == CAP_STOPPED) {
      free(better.points);
      return cap_status_fail(error, status, "%s", why.text);
    }
    if (status > 0) {
      snprintf(b->shortfall, sizeof b->shortfall, "%d harmonics and %d samples are needed, but %.160s",
               harmonics, samples, why.text);
      free(better.points);
      break;
    }
    foreseen = harmonics == b->harmonics ? b->sampling : NAN;
    free(b->points);
    *b = better;
    set->settings.samples = samples > set->settings.samples ? samples : set->settings.samples;
    set->harmonics = harmonics > set->harmonics ? harmonics : set->harmonics;
  }
  return CAP_OK;
}

cap_status cap_hb_branches_follow_trace(cap_hb_branches *set, const cap_hb_seed *start, int *index,
                                        cap_error *error)
{
  cap_hb_branch b = {0};
  cap_hb_seed seed = *start;
  double *x = NULL;
  int known = -1;
  cap_status status = trace_accurately(set, &seed, &x, &b, &known, error);
  if (status == CAP_OK && known < 0) {
    /* once more where it is farthest from where it came from */
    const cap_hb_point *middle = &b.points[b.npoint / 2];
    status = cap_hb_branches_known_find(set, b.level, middle->x, middle->p, &known, error);
  }
  if (status == CAP_OK && known < 0) status = keep_branch(set, &seed, &b, index, error);
  if (status == CAP_OK && known >= 0) *index = known;
  if (status != CAP_OK || known >= 0) free(b.points);
  free(x);
  return status;
}

/* ---- candidates ---------------------------------------------------------------------------------------- */

/* x[n] := the solution of the level near it at p, refused when it repeats itself after fewer periods. */
static cap_status improve(cap_hb_branches *set, int index, double *x, double p, cap_error *error)
{
  const cap_hb_level *level = set->levels[index];
  const double *one = x;
  if (!(p >= set->low && p <= set->high))
    return cap_status_fail(error, CAP_ERR_INPUT, "%.9g is outside the range; expected %.9g to %.9g", p,
                           set->low, set->high);
  if (set->nscale && set->scale[0] == 0.0) { /* nobody has told the sizes */
    double *as_one = calloc((size_t)set->levels[0]->hb->nunknown + 1, sizeof *as_one);
    if (!as_one) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
    int nc = set->levels[0]->hb->ncoef;
    for (int i = 0; i < set->nscale; i++)
      for (int k = 1; k < level->hb->ncoef; k++)
        as_one[i * nc + 1] = fmax(as_one[i * nc + 1], fabs(x[i * level->hb->ncoef + k]));
    one = as_one;
    cap_hb_branches_scales(set, 1, &one);
    free(as_one);
  }
  CAP_TRY(cap_hb_branches_level_path(set, index, error));
  CAP_TRY(cap_continuation_newton(level->path, x, p, 50, NULL, NULL, error));
  int period = cap_hb_branches_known_period(set, level->hb, x);
  if (period < level->sub)
    return cap_status_fail(error, CAP_RETRY_NOCONV, "the period of the orbit at %.9g is %d of the %d periods",
                           p, period, level->sub);
  return CAP_OK;
}

cap_status cap_hb_branches_follow_improve(cap_hb_branches *set, int sub, const double *x, double p,
                                          int *level, double **copy, cap_error *error)
{
  CAP_TRY(cap_hb_branches_level(set, sub, set->settings.harmonics, set->settings.samples, level, error));
  size_t n = (size_t)set->levels[*level]->hb->nunknown;
  *copy = malloc(sizeof(double) * (n + 1));
  if (!*copy) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  memcpy(*copy, x, sizeof(double) * n);
  return improve(set, *level, *copy, p, error);
}

cap_status cap_hb_branches_follow(cap_hb_branches *set, int sub, const double *x, double p, const char *found,
                                  int direction, int *branch, cap_error *error)
{
  int level;
  double *copy = NULL;
  *branch = -1;
  cap_status status = cap_hb_branches_follow_improve(set, sub, x, p, &level, &copy, error);
  if (status == CAP_OK) status = cap_hb_branches_known_find(set, level, copy, p, branch, error);
  if (status == CAP_OK && *branch < 0) {
    cap_hb_seed seed = {
        .level = level, .x = copy, .p = p, .direction = direction, .found = found, .parent = -1};
    if (set->low == set->high) seed.direction = 1; /* one value: it is at its limit at once */
    status = cap_hb_branches_follow_trace(set, &seed, branch, error);
  }
  free(copy);
  return status;
}
