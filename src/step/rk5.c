/* step/rk5.c — the explicit Runge-Kutta method of Dormand and Prince, order 5, with error control.
 *
 * Maths: docs/theory.md §4.6. Seven stages, of which the last is the first of the next step; the error is the
 * difference to a result of order 4. Between the ends of a step the motion is known as a polynomial of degree
 * 4. A stepper that carries goes its own steps: one that reaches beyond the end of an advance is not cut
 * short, the state is read from its polynomial, and the next advance goes on within the same step. So short
 * advances cost nothing, and the steps do not depend on them. Where inputs were set at the start of an
 * advance they will be so again: such an advance ends its last step on its own end, since whatever lay beyond
 * would be thrown away.
 *
 * A corner of a law within a step is seen by its error alone. The work of every mechanism is integrated
 * beside the state.
 */
#include "step/excess.h"
#include "step/stepper.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STAGES = 7, COURSE = 5 };

/* Longest step over the advance at hand. A system at rest allows any step, also one over a pulse that
 * nothing shows yet: whoever asks for the state every millisecond expects to see what lasts for many of
 * them. */
static const double AHEAD_MOST = 20.0;

static const double NODE[STAGES] = {0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0};
static const double A[STAGES][STAGES - 1] = {
    {0},
    {1.0 / 5.0},
    {3.0 / 40.0, 9.0 / 40.0},
    {44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0},
    {19372.0 / 6561.0, -25360.0 / 2187.0, 64448.0 / 6561.0, -212.0 / 729.0},
    {9017.0 / 3168.0, -355.0 / 33.0, 46732.0 / 5247.0, 49.0 / 176.0, -5103.0 / 18656.0},
    {35.0 / 384.0, 0.0, 500.0 / 1113.0, 125.0 / 192.0, -2187.0 / 6784.0, 11.0 / 84.0}};
static const double MISS[STAGES] = {71.0 / 57600.0,      0.0,          -71.0 / 16695.0, 71.0 / 1920.0,
                                    -17253.0 / 339200.0, 22.0 / 525.0, -1.0 / 40.0};
static const double BEND[STAGES] = {-12715105075.0 / 11282082432.0,  0.0,
                                    87487479700.0 / 32700410799.0,   -10690763975.0 / 1880347072.0,
                                    701980252875.0 / 199316789632.0, -1453857185.0 / 822651844.0,
                                    69997945.0 / 29380423.0};

/* What is carried over an advance beside the arrays; doubles alone, for a view. */
typedef struct carried {
  double start, length; /* s, of the last step; length 0: there is none */
  double front;         /* s, its end */
  double next;          /* s, the step to try; 0: nothing is known */
  double error_last;    /* of the last step, over what was allowed */
  double driven;        /* 1: inputs were set before this advance */
} carried;
enum { CARRIED = sizeof(carried) / sizeof(double) };

typedef struct memory {
  cap_stepper_settings settings;
  const cap_model *m;
  const double *inputs; /* of the data that are being moved */
  int n;                /* states and, with audit, the work of every mechanism */
  double least;         /* m, see excess.h */
  carried own;
  double *end;           /* [n] at the front */
  double *front_slope;   /* [n] there */
  double *course;        /* [COURSE][n] of the last step: its polynomial */
  double *given;         /* [nmech] of its work, what the data have */
  double *y;             /* [n] at the step's start */
  double *slope[STAGES]; /* [n] */
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

/* From w->y over h to w->trial; the error over what is allowed. */
static double try_step(memory *w, double t, double h)
{
  const cap_model *m = w->m;
  for (int k = 1; k < STAGES; k++) {
    combine(w, k, h, A[k], w->y, w->trial);
    evaluate(w, t + NODE[k] * h, w->trial, w->slope[k]);
  }
  combine(w, STAGES, h, MISS, NULL, w->miss);
  /* prescribed positions are exact at the end, but what they do on the way is seen as well as they are */
  for (int k = 0; k < m->nmotion; k++) w->miss[m->nv + m->motion_dof[k]] = 0.0;
  const cap_excess_ends ends = {
      .y = w->y, .slope = w->slope[0], .end = w->trial, .miss = w->miss, .base = m->base, .h = h};
  return cap_excess_of(m, w->settings.tolerance, w->least, &ends);
}

/* Factor of the next step, by the error and by how it changed (Hairer and Wanner's constants). */
static double propose(const memory *w, double error)
{
  if (!isfinite(error)) return 0.1;
  double factor = 0.9 * pow(fmax(error, 1e-10), -0.17) * pow(w->own.error_last, 0.04);
  return fmin(10.0, fmax(0.2, factor));
}

/* The polynomial of the step that was done. */
static void set_course(memory *w, double h)
{
  int n = w->n;
  double *at[COURSE];
  for (int k = 0; k < COURSE; k++) at[k] = w->course + k * n;
  combine(w, STAGES, h, BEND, NULL, at[4]);
  for (int i = 0; i < n; i++) {
    double way = w->trial[i] - w->y[i], bow = h * w->slope[0][i] - way;
    at[0][i] = w->y[i];
    at[1][i] = way;
    at[2][i] = bow;
    at[3][i] = way - h * w->slope[STAGES - 1][i] - bow;
  }
}

/* Of the last step at the fraction s. */
static double course_at(const memory *w, int i, double s)
{
  int n = w->n;
  const double *c = w->course + i, r = 1.0 - s;
  return c[0] + s * (c[n] + r * (c[2 * n] + s * (c[3 * n] + r * c[4 * n])));
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

/* The step that was done becomes the last one. */
static void keep(memory *w, double h, double front)
{
  if (w->settings.carry) set_course(w, h);
  w->own.start = w->own.front;
  w->own.length = h;
  w->own.front = front;
  memcpy(w->end, w->trial, sizeof(double) * (size_t)w->n);
  memcpy(w->front_slope, w->slope[STAGES - 1], sizeof(double) * (size_t)w->n);
}

/* The length of the step from the front that can be done, at most h; 0: there is none. A step that was cut
 * short says little about the next one: `natural` stands, unless a longer one was found. */
static double settle_step(memory *w, cap_data *d, double h, double natural)
{
  double least = 16.0 * DBL_EPSILON * (fabs(w->own.front) + h);
  bool rejected = false;
  for (; h >= least; rejected = true) {
    double error = try_step(w, w->own.front, h), factor = propose(w, error);
    d->steps[CAP_STEPS_EVALUATIONS] += STAGES - 1;
    if (error <= 1.0) {
      double next = h * (rejected ? fmin(factor, 1.0) : factor);
      w->own.next = rejected ? next : fmax(next, h < natural ? natural : 0.0);
      w->own.error_last = fmax(error, 1e-4);
      return h;
    }
    h *= fmin(factor, 0.9);
  }
  return 0.0;
}

static cap_status take_step(memory *w, cap_data *d, double t_end, cap_error *error)
{
  const cap_model *m = w->m;
  bool ahead = w->settings.carry && w->own.driven == 0.0;
  double left = t_end - w->own.front, natural = w->own.next > 0.0 ? w->own.next : left;
  double h = ahead || natural < 0.5 * left ? natural : natural < left ? 0.5 * left : left;
  if (ahead) h = fmin(h, AHEAD_MOST * (t_end - *d->t));
  bool whole = h == left;
  memcpy(w->y, w->end, sizeof(double) * (size_t)w->n);
  for (int k = 0; k < w->n - m->nstate; k++) w->y[m->nstate + k] -= w->given[k], w->given[k] = 0.0;
  memcpy(w->slope[0], w->front_slope, sizeof(double) * (size_t)w->n);
  double done = settle_step(w, d, h, natural);
  if (!(done > 0.0)) {
    CAP_TRY(cap_model_check_finite(m, w->own.front, w->trial, error));
    return cap_status_fail(
        error, CAP_ERR_NUMERICS,
        "at t = %.9g s the step became too small for a tolerance of %.3g; increase the tolerance",
        w->own.front, w->settings.tolerance);
  }
  keep(w, done, whole && done == h ? t_end : w->own.front + done);
  d->steps[CAP_STEPS_STEPS]++;
  return cap_model_check_finite(m, w->own.front, w->end, error);
}

/* The state at t, which is the front or lies within the last step. */
static void deliver(memory *w, cap_data *d, double t)
{
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

static void observe(memory *w, const cap_data *d)
{
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
  if (left == CAP_STEPPER_MOVED) w->own.next = 0.0;
  if (left != CAP_STEPPER_WHOLE) w->own.length = 0.0;
}

static cap_status advance(void *self, const cap_model *m, cap_data *d, const double *t_end, double *tangent,
                          cap_error *error)
{
  memory *w = self;
  if (tangent) return cap_status_fail(error, CAP_ERR_UNSUPPORTED, "rk5 provides no tangent of its solution");
  w->inputs = d->input;
  if (!w->settings.carry) resume(w, CAP_STEPPER_MOVED);
  CAP_TRY(cap_model_check_finite(m, *d->t, d->y, error));
  if (w->own.length == 0.0) begin(w, d);
  observe(w, d);
  while (w->own.front < *t_end) {
    CAP_TRY(cap_stepper_look(m, w->own.front, w->end + m->nv, error));
    CAP_TRY(take_step(w, d, *t_end, error));
    if (w->settings.observer && w->own.front < *t_end) {
      deliver(w, d, w->own.front);
      observe(w, d);
    }
  }
  deliver(w, d, *t_end);
  observe(w, d);
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
      .meaning = "last step: start, length, end; next one; error; whether inputs were set",
      .count = CARRIED,
      .values = &w->own};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "end", "SI", "state and work at its end", false, w->n, w->end};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "slope", "SI", "rates there", false, w->n, w->front_slope};
  views[n++] = (cap_view){CAP_VIEW_CARRIED "course", "SI", "its polynomial", false, COURSE * w->n, w->course};
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
  for (int k = 0; k < STAGES; k++)
    all = (w->slope[k] = CAP_ARENA_NEW(&w->arena, double, m->nstate + m->nmech)) && all;
  w->course = CAP_ARENA_NEW(&w->arena, double, COURSE * w->n);
  w->given = CAP_ARENA_NEW(&w->arena, double, m->nmech);
  w->h = CAP_ARENA_NEW(&w->arena, double, m->nv);
  w->force = CAP_ARENA_NEW(&w->arena, double, m->noutput);
  w->inertia = CAP_ARENA_NEW(&w->arena, double, m->ninertia_work);
  return all && w->course && w->given && w->h && w->force && w->inertia;
}

static cap_status create(const cap_model *m, const cap_stepper_settings *settings, void **self,
                         cap_error *error)
{
  memory *w = calloc(1, sizeof *w);
  *self = w;
  if (!w) return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
  w->settings = *settings;
  w->m = m;
  w->n = m->nstate + (settings->audit ? m->nmech : 0);
  w->least = cap_excess_least(m);
  if (allocate(w, m)) return CAP_OK;
  release(w);
  *self = NULL;
  return cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static const char *obstacle(const cap_stepper_type *self, const cap_model *m)
{
  const char *reason = cap_stepper_misses(self, m);
  if (reason) return reason;
  if (cap_stepper_jumping(m)) return "it has an element with a discontinuous force";
  return m->reversal ? "it has a law that switches at reversals" : NULL;
}

/* Contacts are stiff, or begin and end to slip. */
static int moves(const cap_stepper_type *self, const cap_model *m)
{
  return m->ncontact || cap_stepper_obstacle(self, m) ? 0 : 15;
}

const cap_stepper_type cap_rk5_type = {
    .name = "rk5",
    .doc = "explicit Runge-Kutta method of order 5 (Dormand and Prince) with error control, which goes its "
           "own steps between rows; smooth laws that are not stiff",
    .smooth = true,
    .inertia = true,
    .moves = moves,
    .obstacle = obstacle,
    .resume = resume,
    .views = views,
    .create = create,
    .advance = advance,
    .free = release,
};
