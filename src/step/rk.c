/* step/rk.c — explicit Runge-Kutta methods of order 5 and 8 with error control.
 *
 * Maths: docs/theory.md §4.6. Between the ends of a step the motion is known as a polynomial. A stepper that
 * carries goes its own steps: one that reaches beyond the end of an advance is not cut short, the state is
 * read from its polynomial, and the next advance goes on within the same step. So short advances cost
 * nothing, and the steps do not depend on them.
 *
 * Where inputs were set at the start of an advance they will be so again: such an advance ends its last step
 * on its own end, since whatever lay beyond would be thrown away. That step needs no slope at its end and no
 * polynomial, and is often far shorter than need be, so that a pair of fewer slopes does it.
 *
 * A corner of a law within a step is seen by its error alone. The work of every mechanism is integrated
 * beside the state.
 */
#include "step/rk.h"
#include "step/excess.h"
#include "step/rk_pair.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SLOPES = CAP_RK_MOST, BRIEF = 2 };

/* Longest step over the advance at hand. A system at rest allows any step, also one over a pulse that
 * nothing shows yet: whoever asks for the state every millisecond expects to see what lasts for many of
 * them. */
static const double AHEAD_MOST = 20.0;
/* Steps of order 8 over those of order 5, where nothing is known of the one and all of the other. */
static const double LONGER = 2.5;
/* A pair of lower order, of which nothing is known yet, is tried for a step of at most this part of what the
 * next better one reaches. */
static const double TRIED[BRIEF] = {0.25, 1.2};
static const cap_rk_pair *const BRIEF_PAIR[BRIEF] = {&cap_rk_pair_brief_3, &cap_rk_pair_brief_5};

/* What is carried over an advance beside the arrays; doubles alone, for a view. */
typedef struct carried {
  double start, length; /* s, of the last step; length 0: there is none */
  double front;         /* s, its end */
  double next, other;   /* s, the step to try, and that of the pair not in use; 0: nothing is known */
  double error_last;    /* of the last step, over what was allowed */
  double driven;        /* 1: inputs were set before this advance */
  double order;         /* of the pair in use */
  double bends;         /* of the polynomial of the last step */
  double reach[BRIEF];  /* s, what the brief pairs have been seen to reach; 0: nothing is known */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

typedef struct memory {
  cap_stepper_settings settings;
  const cap_rk_pair *pair, *largest; /* in use; that there is memory for */
  const cap_model *m;
  const double *inputs; /* of the data that are being moved */
  int n;                /* states and, with audit, the work of every mechanism */
  double least;         /* m, see excess.h */
  bool watched;         /* what is fast is looked for */
  carried own;
  double *end;           /* [n] at the front */
  double *front_slope;   /* [n] there */
  double *course;        /* [4 + bends of the largest][n] of the last step: its polynomial */
  double *given;         /* [nmech] of its work, what the data have */
  double *y;             /* [n] at the step's start */
  double *slope[SLOPES]; /* [n] */
  double *trial, *miss;  /* [n] */
  double *h, *force, *inertia;
  cap_arena arena;
} memory;

static void release(void *self)
{
  memory *w = self;
  if (!w) return;
  cap_arena_free(&w->arena);
  free(w);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

/* Driven coordinates follow their motion. */
static void evaluate(memory *w, double t, double *y, double *slope)
{
  const cap_model *m = w->m;
  cap_eval e = {.nlane = 1, .t = &t, .input = w->inputs, .h = w->h, .inertia_work = w->inertia};
  if (w->settings.audit) e.power = slope + m->nstate;
  if (m->nmotion) cap_model_drive(m, w->inputs, &t, y, y + m->nv, NULL);
  cap_model_derivative(m, &e, y, NULL, slope, NULL);
}

/* out = base + h sum weight_k slope_k over the first `count` stages */
static void combine(const memory *w, int count, double h, const double *weight, const double *base,
                    double *restrict out)
{
  int n = w->n;
  if (base) memcpy(out, base, sizeof(double) * (size_t)n);
  else memset(out, 0, sizeof(double) * (size_t)n);
  for (int k = 0; k < count; k++) {
    const double factor = h * weight[k], *restrict slope = w->slope[k];
    for (int i = 0; factor != 0.0 && i < n; i++) out[i] += factor * slope[i];
  }
}

/* What the result is wrong by according to `weight`, over what is allowed. */
static double excess_by(memory *w, int count, double h, const double *weight)
{
  const cap_model *m = w->m;
  combine(w, count, h, weight, NULL, w->miss);
  /* prescribed positions are exact at the end, but what they do on the way is seen as well as they are */
  for (int k = 0; k < m->nmotion; k++) w->miss[m->nv + m->motion_dof[k]] = 0.0;
  const cap_excess_ends ends = {
      .y = w->y, .slope = w->slope[0], .end = w->trial, .miss = w->miss, .base = m->base, .h = h};
  return cap_excess_of(m, w->settings.tolerance, w->least, &ends);
}

/* From w->y over h to w->trial; the error over what is allowed. */
static double try_step(memory *w, cap_data *d, const cap_rk_pair *pair, double h)
{
  const double t = w->own.front;
  const int count = pair->stages + pair->closes;
  for (int k = 1; k <= pair->stages; k++) {
    combine(w, k, h, pair->row[k], w->y, w->trial);
    if (k < count) evaluate(w, t + pair->node[k] * h, w->trial, w->slope[k]);
  }
  d->steps[CAP_STEPS_EVALUATIONS] += count - 1;
  const double end = t + h;
  if (!pair->closes && w->m->nmotion)
    cap_model_drive(w->m, w->inputs, &end, w->trial, w->trial + w->m->nv, NULL);
  double error = excess_by(w, count, h, pair->miss);
  if (!pair->rough || !(error > 0.0) || !isfinite(error)) return error;
  double rough = excess_by(w, count, h, pair->rough);
  return error * error / sqrt(error * error + 0.01 * rough * rough);
}

/* Factor of the next step, by the error and by how it changed (Hairer and Wanner's constants). */
static double propose(const memory *w, const cap_rk_pair *pair, double error)
{
  if (!isfinite(error)) return 0.1;
  double factor = 0.9 * pow(fmax(error, 1e-10), -pair->power);
  if (pair->trend > 0.0) factor *= pow(w->own.error_last, pair->trend);
  return fmin(10.0, fmax(0.2, factor));
}

/* The polynomial of the step that was done. */
static void set_course(memory *w, cap_data *d, double h)
{
  const cap_rk_pair *pair = w->pair;
  int n = w->n, known = pair->stages + 1;
  double *at[4];
  for (int k = 0; k < 4; k++) at[k] = w->course + k * n;
  for (int k = known; k < known + pair->further; k++) {
    combine(w, k, h, pair->row[k], w->y, w->miss);
    evaluate(w, w->own.front + pair->node[k] * h, w->miss, w->slope[k]);
  }
  d->steps[CAP_STEPS_EVALUATIONS] += pair->further;
  for (int k = 0; k < pair->bends; k++)
    combine(w, known + pair->further, h, pair->bend[k], NULL, w->course + (4 + k) * n);
  for (int i = 0; i < n; i++) {
    double way = w->trial[i] - w->y[i], bow = h * w->slope[0][i] - way;
    at[0][i] = w->y[i];
    at[1][i] = way;
    at[2][i] = bow;
    at[3][i] = way - h * w->slope[known - 1][i] - bow;
  }
}

/* Of the last step at the fraction s. */
static double course_at(const memory *w, int i, double s)
{
  int n = w->n, last = 3 + (int)w->own.bends;
  const double *c = w->course + i, r = 1.0 - s;
  double y = c[last * n];
  for (int k = last - 1; k >= 0; k--) y = c[k * n] + (k % 2 ? r : s) * y;
  return y;
}

/* ---- the way to t_end ---------------------------------------------------------------------------------- */

static void begin(memory *w, cap_data *d)
{
  const cap_model *m = w->m;
  memcpy(w->end, d->y, sizeof(double) * (size_t)m->nstate);
  memset(w->end + m->nstate, 0, sizeof(double) * (size_t)(w->n - m->nstate));
  memset(w->given, 0, sizeof(double) * (size_t)m->nmech);
  w->own.front = *d->t;
  w->own.error_last = 1e-4;
  evaluate(w, *d->t, w->end, w->front_slope);
  d->steps[CAP_STEPS_EVALUATIONS]++;
}

/* The step that was done becomes the last one; `course`: it is read from. */
static void keep(memory *w, cap_data *d, double h, double front, bool course)
{
  if (course) set_course(w, d, h);
  w->own.bends = w->pair->bends;
  w->own.start = w->own.front;
  w->own.length = h;
  w->own.front = front;
  memcpy(w->end, w->trial, sizeof(double) * (size_t)w->n);
  memcpy(w->front_slope, w->slope[w->pair->stages], sizeof(double) * (size_t)w->n);
}

/* What the motion has done to the reach of one method it has done to that of those of lower order. */
static void scale_reach(memory *w, int below, double factor)
{
  for (int k = 0; k < below; k++) w->own.reach[k] *= factor;
}

/* The length of the step from the front that can be done, at most h; 0: there is none. A step that was cut
 * short says little about the next one: `natural` stands, unless a longer one was found. */
static double settle_step(memory *w, cap_data *d, double h, double natural)
{
  double least = 16.0 * DBL_EPSILON * (fabs(w->own.front) + h);
  bool rejected = false;
  for (; h >= least; rejected = true) {
    double error = try_step(w, d, w->pair, h), factor = propose(w, w->pair, error);
    if (error <= 1.0) {
      double next = h * (rejected ? fmin(factor, 1.0) : factor);
      w->own.next = rejected ? next : fmax(next, h < natural ? natural : 0.0);
      w->own.error_last = fmax(error, 1e-4);
      scale_reach(w, BRIEF, w->own.next / natural);
      return h;
    }
    h *= fmin(factor, 0.9);
  }
  return 0.0;
}

/* The rest of an advance whose end nothing goes on from, of length h, in one step by the pair of fewest
 * slopes that serves. Its error may be as large a part of what is allowed as it is of the natural step, so
 * that many short steps are together wrong by no more than one long one. */
static bool settle_brief(memory *w, cap_data *d, double h, double natural)
{
  double *reach = w->own.reach;
  const double share = fmin(1.0, h / natural);
  for (int k = 0; k < BRIEF; k++) {
    double above = k + 1 < BRIEF ? reach[k + 1] : natural;
    if (!(reach[k] > 0.0) && h <= TRIED[k] * above) reach[k] = h;
    if (reach[k] < h) continue;
    const cap_rk_pair *pair = BRIEF_PAIR[k];
    double error = try_step(w, d, pair, h) / share, before = reach[k];
    reach[k] = h * propose(w, pair, error);
    if (!(error <= 1.0)) continue;
    scale_reach(w, k, reach[k] / before);
    w->own.start = w->own.front;
    memcpy(w->end, w->trial, sizeof(double) * (size_t)w->n);
    w->own.length = 0.0; /* nothing is known of its end but the state */
    return true;
  }
  return false;
}

static cap_status fail_step(const memory *w, cap_error *error)
{
  CAP_TRY(cap_model_check_finite(w->m, w->own.front, w->trial, error));
  return cap_status_fail(
      error, CAP_ERR_NUMERICS,
      "at t = %.9g s the step became too small for a tolerance of %.3g; increase the tolerance", w->own.front,
      w->settings.tolerance);
}

/* How fast the fastest motion is that the last two slopes show, both of which are of the end of the step, at
 * states that differ by little but what is fast: 1/s. */
static double fastest_of(memory *w, double h)
{
  const cap_model *m = w->m;
  const int stages = w->pair->stages;
  const double *last = w->slope[stages], *before = w->slope[stages - 1];
  double weight[CAP_RK_MOST], way = 0.0, bend = 0.0, inner = 0.0, rate = 0.0;
  for (int k = 0; k < stages; k++)
    weight[k] = w->pair->row[stages][k] - (k < stages - 1 ? w->pair->row[stages - 1][k] : 0.0);
  combine(w, stages, h, weight, NULL, w->miss);
  for (int i = 0; i < m->nv; i++) {
    if (m->driven[i] >= 0) continue;
    way = fmax(way, fabs(w->miss[i]));
    bend = fmax(bend, fabs(last[m->nv + i] - before[m->nv + i]));
  }
  for (int i = 2 * m->nv; i < m->nstate; i++) {
    inner = fmax(inner, fabs(w->miss[i]));
    rate = fmax(rate, fabs(last[i] - before[i]));
  }
  return fmax(way > 0.0 ? sqrt(bend / way) : 0.0, inner > 0.0 ? rate / inner : 0.0);
}

/* The length of the step to try; *natural: what the error allows by itself. */
static double next_length(const memory *w, const cap_data *d, double t_end, double *natural)
{
  bool ahead = w->settings.carry && w->own.driven == 0.0;
  double left = t_end - w->own.front, own = w->own.next > 0.0 ? w->own.next : left;
  *natural = own;
  if (ahead) return fmin(own, AHEAD_MOST * (t_end - *d->t));
  return own < 0.5 * left ? own : own < left ? 0.5 * left : left;
}

cap_status cap_rk_go(void *self, cap_data *d, double t_end, cap_rk_step *step, cap_error *error)
{
  memory *w = self;
  const cap_model *m = w->m;
  double natural, h = next_length(w, d, t_end, &natural), left = t_end - w->own.front;
  bool whole = h == left;
  CAP_TRY(cap_stepper_look(m, w->own.front, w->end + m->nv, error));
  memcpy(w->y, w->end, sizeof(double) * (size_t)w->n);
  for (int k = 0; k < w->n - m->nstate; k++) w->y[m->nstate + k] -= w->given[k], w->given[k] = 0.0;
  memcpy(w->slope[0], w->front_slope, sizeof(double) * (size_t)w->n);
  *step = (cap_rk_step){.length = h};
  if (w->own.driven != 0.0 && w->own.next > 0.0 && settle_brief(w, d, left, natural)) {
    step->length = left;
    w->own.front = t_end;
  } else {
    double done = settle_step(w, d, h, natural);
    if (!(done > 0.0)) return fail_step(w, error);
    double front = whole && done == h ? t_end : w->own.front + done;
    *step = (cap_rk_step){done, w->watched ? done * fastest_of(w, done) / w->pair->bound : 0.0};
    keep(w, d, done, front, w->settings.carry && front > t_end);
  }
  d->steps[CAP_STEPS_STEPS]++;
  return cap_model_check_finite(m, w->own.front, w->end, error);
}

/* The state at t, which is the front or lies within the last step. */
void cap_rk_read(void *self, cap_data *d, double t)
{
  memory *w = self;
  const cap_model *m = w->m;
  bool within = t < w->own.front;
  double s = within ? (t - w->own.start) / w->own.length : 1.0;
  for (int i = 0; i < m->nstate; i++) d->y[i] = within ? course_at(w, i, s) : w->end[i];
  for (int k = 0; k < w->n - m->nstate; k++) {
    double work = within ? course_at(w, m->nstate + k, s) : w->end[m->nstate + k];
    d->work[k] += work - w->given[k];
    w->given[k] = work;
  }
  *d->t = t;
  if (m->nmotion) cap_model_drive(m, d->input, d->t, d->q, d->v, NULL);
}

void cap_rk_observe(void *self, const cap_data *d)
{
  memory *w = self;
  if (!w->settings.observer) return;
  cap_eval e = {.nlane = 1, .t = d->t, .input = d->input, .h = w->h, .force = w->force};
  e.inertia_work = w->inertia;
  cap_model_derivative(w->m, &e, d->y, NULL, w->miss, NULL);
  w->settings.observer->see(w->settings.observer->self, w->m, d->t, d->y, w->force, NULL);
}

static void resume(void *self, cap_stepper_left left)
{
  memory *w = self;
  w->own.driven = left == CAP_STEPPER_DRIVEN;
  if (left == CAP_STEPPER_MOVED) {
    w->own.next = w->own.other = 0.0;
    memset(w->own.reach, 0, sizeof w->own.reach);
  }
  if (left != CAP_STEPPER_WHOLE) w->own.length = 0.0;
}

static void set_pair(memory *w)
{
  w->pair = w->own.order == 8.0 ? &cap_rk_pair_8 : &cap_rk_pair_5;
}

void cap_rk_use(void *self, int order)
{
  memory *w = self;
  double next = w->own.other > 0.0 ? w->own.other : order == 8 ? LONGER * w->own.next : w->own.next / LONGER;
  if (w->own.order == order) return;
  w->own.order = order;
  w->own.other = w->own.next;
  w->own.next = next;
  set_pair(w);
}

double cap_rk_front(const void *self)
{
  const memory *w = self;
  return w->own.front;
}

bool cap_rk_known(const void *self)
{
  const memory *w = self;
  return w->own.length > 0.0;
}

void cap_rk_leave(void *self)
{
  memory *w = self;
  w->own.length = 0.0;
}

cap_status cap_rk_open(void *self, cap_data *d, cap_error *error)
{
  memory *w = self;
  w->inputs = d->input;
  set_pair(w);
  CAP_TRY(cap_model_check_finite(w->m, *d->t, d->y, error));
  if (w->own.length == 0.0) begin(w, d);
  cap_rk_observe(w, d);
  return CAP_OK;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  cap_rk_step unused;
  if (tangent) return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "it provides no tangent of its solution");
  if (!w->settings.carry) resume(w, CAP_STEPPER_MOVED);
  CAP_TRY(cap_rk_open(w, d, error));
  while (w->own.front < *t_end) {
    CAP_TRY(cap_rk_go(w, d, *t_end, &unused, error));
    if (w->settings.observer && w->own.front < *t_end) {
      cap_rk_read(w, d, w->own.front);
      cap_rk_observe(w, d);
    }
  }
  cap_rk_read(w, d, *t_end);
  cap_rk_observe(w, d);
  return cap_model_check_finite(m, *d->t, d->y, error);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static int views(void *self, cap_view *views)
{
  memory *w = self;
  int n = 0;
  views[n++] = (cap_view){
      .name = CAP_VIEW_CARRIED "step",
      .unit = "s",
      .meaning = "last step: start, length, end; next one; error; whether inputs were set; pairs",
      .count = CARRIED,
      .values = &w->own};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "end", "SI", "state and work at its end", false, w->n, w->end};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "slope", "SI", "rates there", false, w->n, w->front_slope};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "course",      "SI",     "its polynomial", false,
                          (4 + w->largest->bends) * w->n, w->course};
  views[n++] = (cap_view){
      CAP_VIEW_CARRIED "given", "J", "work of it that the data have", false, w->m->nmech, w->given};
  return n;
}

static bool allocate(memory *w, const cap_model *m)
{
  double **vectors[] = {&w->end, &w->front_slope, &w->y, &w->trial, &w->miss};
  bool all = true;
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    all = (*vectors[k] = CAP_ARENA_NEW(&w->arena, double, w->n)) && all;
  for (int k = 0; k <= w->largest->stages + w->largest->further; k++)
    all = (w->slope[k] = CAP_ARENA_NEW(&w->arena, double, m->nstate + m->nmech)) && all;
  w->course = CAP_ARENA_NEW(&w->arena, double, ((4 + w->largest->bends) * w->n));
  w->given = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->inertia = CAP_ARENA_NEW(&w->arena, double, m->ninertia_work);
  return all && w->course && w->given && w->h && w->force && w->inertia;
}

/* With room for the pair `largest`. */
static cap_status create(int order, const cap_rk_pair *largest, const cap_model *m,
                         const cap_stepper_settings *settings, void **self, cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = w;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->largest = largest;
  w->own.order = order;
  set_pair(w);
  w->m = m;
  w->n = m->nstate + (settings->audit ? m->nmech : 0);
  w->least = cap_excess_least(m);
  if (allocate(w, m)) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status create_5(const cap_model *m, const cap_stepper_settings *settings, void **self,
                           cap_error *error)
{
  return create(5, &cap_rk_pair_5, m, settings, self, error);
}

static cap_status create_8(const cap_model *m, const cap_stepper_settings *settings, void **self,
                           cap_error *error)
{
  return create(8, &cap_rk_pair_8, m, settings, self, error);
}

cap_status cap_rk_create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  CAP_TRY(create(5, &cap_rk_pair_8, m, settings, self, error));
  ((memory *)*self)->watched = true;
  return CAP_OK;
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses(self, m);
  if (reason) return reason;
  if (cap_stepper_jumping(m)) return "it has an element with a discontinuous force";
  return m->reversal ? "it has a law that switches at reversals" : NULL;
}

const cap_stepper_type cap_rk_5_type = {
    .name = "rk5",
    .doc = "explicit Runge-Kutta method of order 5 (Dormand and Prince) with error control, which goes its "
           "own steps between rows; smooth laws that are not stiff",
    .smooth = true,
    .inertia = true,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create_5,
    .advance = advance,
    .free = release,
};

const cap_stepper_type cap_rk_8_type = {
    .name = "rk8",
    .doc = "the same of order 8, for tight tolerances",
    .smooth = true,
    .inertia = true,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create_8,
    .advance = advance,
    .free = release,
};
