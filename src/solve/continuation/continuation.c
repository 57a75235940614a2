/* solve/continuation/continuation.c — see continuation.h. The run: start, steps in each direction, reasons
 * to end. */
#include "solve/continuation/continuation.h"

#include "solve/continuation/continuation_correct.h"
#include "solve/continuation/continuation_locate.h"
#include "solve/continuation/continuation_step.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- create and free ----------------------------------------------------------------------------------- */

static cap_continuation_options with_defaults(const cap_continuation_options *given)
{
  cap_continuation_options o = given ? *given : (cap_continuation_options){0};
  if (o.step <= 0.0) o.step = 0.05;
  if (o.step_min <= 0.0) o.step_min = 1e-6 * o.step;
  if (o.step_max <= 0.0) o.step_max = 20.0 * o.step;
  if (o.p_min == 0.0 && o.p_max == 0.0) o.p_min = -INFINITY, o.p_max = INFINITY;
  if (o.max_points <= 0) o.max_points = 1000;
  if (o.max_iterations <= 0) o.max_iterations = 8;
  if (o.target_iterations <= 0) o.target_iterations = 3;
  if (o.tolerance <= 0.0) o.tolerance = 1e-8;
  if (o.angle_max <= 0.0) o.angle_max = 0.4;
  if (o.locate_tolerance <= 0.0) o.locate_tolerance = 1e-10;
  return o;
}

static bool positive(int n, const double *scale)
{
  for (int i = 0; scale && i < n; i++)
    if (!(scale[i] > 0.0) || !isfinite(scale[i])) return false;
  return true;
}

static cap_status check_input(const cap_continuation_problem *p, const cap_continuation_options *o,
                              cap_error *error)
{
  const char *wrong = NULL;
  if (p->n < 1 || !p->residual || !p->jacobian) wrong = "expected unknowns and functions";
  else if (!positive(p->n, p->x_scale) || !positive(p->n, p->f_scale) || p->p_scale < 0.0 ||
           !isfinite(p->p_scale))
    wrong = "expected positive scales";
  else if (p->ntest < 0 || (p->ntest > 0 && !p->test)) wrong = "expected test functions";
  else if (!p->factor != !p->solve || !p->factor != !p->product)
    wrong = "expected all of factor, solve and product";
  else if (!(o->step_min <= o->step && o->step <= o->step_max))
    wrong = "expected step_min, step and step_max in increasing order";
  else if (!(o->p_min < o->p_max)) wrong = "expected p_min below p_max";
  else if (!(o->angle_max < 1.5)) wrong = "expected angle_max below 1.5 rad";
  return wrong ? cap_status_fail(error, CAP_ERR_INPUT, "continuation of %d unknowns: %s", p->n, wrong)
               : CAP_OK;
}

static bool state_init(cap_continuation *c, cap_continuation_state *state)
{
  state->z = CAP_ARENA_NEW(&c->arena, double, c->n + 1);
  state->t = CAP_ARENA_NEW(&c->arena, double, c->n + 1);
  state->tests = CAP_ARENA_NEW(&c->arena, double, c->problem.ntest + 1);
  return state->z && state->t && state->tests;
}

static bool vectors_init(cap_continuation *c)
{
  double **vectors[] = {&c->weight, &c->f, &c->fp, &c->rhs, &c->row, &c->predicted, &c->curvature};
  for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
    if (!(*vectors[k] = CAP_ARENA_NEW(&c->arena, double, c->n + 2))) return false;
  for (size_t k = 0; k < sizeof c->scratch / sizeof *c->scratch; k++)
    if (!(c->scratch[k] = CAP_ARENA_NEW(&c->arena, double, c->n + 2))) return false;
  for (int i = 0; i < c->n; i++)
    c->weight[i] = c->problem.x_scale ? 1.0 / (c->problem.x_scale[i] * c->problem.x_scale[i]) : 1.0;
  c->weight[c->n] = c->problem.p_scale > 0.0 ? 1.0 / (c->problem.p_scale * c->problem.p_scale) : 1.0;
  return (c->corrections = CAP_ARENA_NEW(&c->arena, double, c->options.max_iterations));
}

/* A step holds at most one branch point, one fold, one zero of each test, and the limit. */
static bool events_init(cap_continuation *c)
{
  c->most_events = c->problem.ntest + 3;
  c->events = CAP_ARENA_NEW(&c->arena, cap_continuation_event, c->most_events);
  c->order = CAP_ARENA_NEW(&c->arena, cap_continuation_event *, c->most_events);
  if (!c->events || !c->order) return false;
  for (int i = 0; i < c->most_events; i++) {
    c->events[i].other = CAP_ARENA_NEW(&c->arena, double, c->n + 1);
    if (!c->events[i].other || !state_init(c, &c->events[i].at)) return false;
  }
  return true;
}

static bool memory_init(cap_continuation *c)
{
  if (!c->problem.factor) {
    c->fx = CAP_ARENA_NEW(&c->arena, double, ((size_t)c->n * (size_t)c->n));
    if (!c->fx) return false;
  }
  if (!vectors_init(c) || !events_init(c) || !state_init(c, &c->start) || !state_init(c, &c->now) ||
      !state_init(c, &c->next) || !state_init(c, &c->trial) ||
      !cap_continuation_border_init(&c->border, &c->arena, c->n, c->problem.x_scale,
                                    c->problem.factor ? &c->problem : NULL))
    return false;
  c->border.progress = c->problem.progress;
  return true;
}

cap_status cap_continuation_create(const cap_continuation_problem *problem,
                                   const cap_continuation_options *options, cap_continuation **handle,
                                   cap_error *error)
{
  *handle = NULL;
  cap_continuation_options o = with_defaults(options);
  CAP_TRY(check_input(problem, &o, error));
  cap_continuation *c = calloc(1, sizeof *c);
  if (c) {
    c->problem = *problem;
    c->options = o;
    c->n = problem->n;
  }
  if (!c || !memory_init(c)) {
    cap_continuation_free(c);
    return cap_status_fail(error, CAP_ERR_NOMEM, "no memory for a continuation of %d unknowns", problem->n);
  }
  *handle = c;
  return CAP_OK;
}

void cap_continuation_free(cap_continuation *c)
{
  if (!c) return;
  cap_arena_free(&c->arena);
  free(c);
}

/* ---- points -------------------------------------------------------------------------------------------- */

/* One direction of a run. */
typedef struct half {
  cap_continuation *c;
  int direction, side; /* +1, 0 or -1, 1 */
  cap_continuation_sink sink;
  void *sink_self;
  cap_continuation_result *result;
  double s, step;
} half;

static void count_point(cap_continuation_result *result, cap_continuation_kind kind)
{
  result->npoint++;
  if (kind == CAP_CONTINUATION_FOLD) result->nfold++;
  if (kind == CAP_CONTINUATION_BRANCH) result->nbranch++;
  if (kind == CAP_CONTINUATION_TEST) result->ntest++;
  if (kind == CAP_CONTINUATION_CORNER) result->ncorner++;
}

static bool tell(half *h, cap_continuation_kind kind, const cap_continuation_state *at, double s)
{
  cap_continuation *c = h->c;
  cap_continuation_point point = {.kind = kind,
                                  .test = -1,
                                  .direction = h->direction,
                                  .index = h->result->npoint,
                                  .x = at->z,
                                  .p = at->z[c->n],
                                  .tangent = at->t,
                                  .tests = c->problem.ntest ? at->tests : NULL,
                                  .s = h->direction * s,
                                  .step = h->step,
                                  .iterations = at->iterations,
                                  .corrections = c->corrections,
                                  .residual = at->residual,
                                  .sign = at->sign};
  count_point(h->result, kind);
  return h->sink(h->sink_self, &point);
}

static bool tell_event(half *h, const cap_continuation_event *event)
{
  const cap_continuation_state *at = &event->at;
  cap_continuation *c = h->c;
  cap_continuation_point point = {.kind = event->kind,
                                  .test = event->test,
                                  .direction = h->direction,
                                  .index = h->result->npoint,
                                  .x = at->z,
                                  .p = at->z[c->n],
                                  .tangent = at->t,
                                  .other = event->kind == CAP_CONTINUATION_BRANCH ? event->other : NULL,
                                  .tests = c->problem.ntest ? at->tests : NULL,
                                  .s = h->direction * (h->s + event->sigma),
                                  .step = event->sigma,
                                  .iterations = 0,
                                  .corrections = c->corrections,
                                  .residual = at->residual,
                                  .sign = at->sign};
  count_point(h->result, event->kind);
  return h->sink(h->sink_self, &point);
}

/* The special points of the step up to sigma; false: the caller asked to stop. */
static bool tell_events(half *h, double sigma)
{
  for (int i = 0; i < h->c->nevent; i++)
    if (h->c->order[i]->sigma <= sigma && !tell_event(h, h->c->order[i])) return false;
  return true;
}

/* ---- the run ------------------------------------------------------------------------------------------- */

static void copy_state(const cap_continuation *c, cap_continuation_state *to,
                       const cap_continuation_state *from)
{
  continuation_copy(c->n + 1, to->z, from->z);
  continuation_copy(c->n + 1, to->t, from->t);
  continuation_copy(c->problem.ntest, to->tests, from->tests);
  to->sign = from->sign;
  to->residual = from->residual;
  to->iterations = from->iterations;
}

static cap_continuation_end end_of_reject(cap_continuation_reject why)
{
  switch (why) {
  case CAP_CONTINUATION_REJECT_SINGULAR:
    return CAP_CONTINUATION_END_SINGULAR;
  case CAP_CONTINUATION_REJECT_NONFINITE:
    return CAP_CONTINUATION_END_NONFINITE;
  case CAP_CONTINUATION_REJECT_FAILED:
    return CAP_CONTINUATION_END_FAILED;
  default:
    return CAP_CONTINUATION_END_STEP;
  }
}

static double limit_ahead(const cap_continuation *c, double p)
{
  if (p >= c->options.p_max) return c->options.p_max;
  return p <= c->options.p_min ? c->options.p_min : NAN;
}

/* The step leaves the allowed range: the point on the limit is the last one. */
static cap_continuation_end finish_at_limit(half *h, double limit)
{
  const cap_continuation_event *event = cap_continuation_locate_limit(h->c, limit);
  if (!tell_events(h, event ? event->sigma : h->c->sigma)) return CAP_CONTINUATION_END_STOPPED;
  if (event && !tell_event(h, event)) return CAP_CONTINUATION_END_STOPPED;
  return CAP_CONTINUATION_END_LIMIT;
}

static cap_continuation_end finish_closed(half *h, double sigma)
{
  if (!tell_events(h, sigma)) return CAP_CONTINUATION_END_STOPPED;
  h->step = sigma;
  return tell(h, CAP_CONTINUATION_RETURN, &h->c->start, h->s + sigma) ? CAP_CONTINUATION_END_CLOSED
                                                                      : CAP_CONTINUATION_END_STOPPED;
}

/* What an accepted step c->now -> c->next means; NONE: go on. */
static cap_continuation_end digest(half *h, bool corner)
{
  cap_continuation *c = h->c;
  double back = c->options.skip_closure ? -1.0 : cap_continuation_locate_start(c);
  if (back > 0.0) return finish_closed(h, back);
  double limit = limit_ahead(c, c->next.z[c->n]);
  if (!isnan(limit)) return finish_at_limit(h, limit);
  if (!tell_events(h, INFINITY)) return CAP_CONTINUATION_END_STOPPED;
  h->s += continuation_distance(c, c->next.z, c->now.z);
  cap_continuation_state keep = c->now;
  c->now = c->next;
  c->next = keep;
  return tell(h, corner ? CAP_CONTINUATION_CORNER : CAP_CONTINUATION_REGULAR, &c->now, h->s)
             ? CAP_CONTINUATION_END_NONE
             : CAP_CONTINUATION_END_STOPPED;
}

static cap_continuation_end follow(half *h)
{
  cap_continuation *c = h->c;
  double length = c->options.step;
  memset(c->curvature, 0, (size_t)(c->n + 1) * sizeof *c->curvature);
  double limit = limit_ahead(c, c->now.z[c->n]);
  if (!isnan(limit) && (limit == c->options.p_max) == (c->now.t[c->n] > 0.0))
    return CAP_CONTINUATION_END_LIMIT;
  for (int k = 0; k < c->options.max_points; k++) {
    bool corner;
    if (cap_continuation_step(c, &length, &h->step, &corner) != CAP_OK) return end_of_reject(c->why);
    cap_continuation_end end = digest(h, corner);
    if (end != CAP_CONTINUATION_END_NONE) return end;
  }
  return CAP_CONTINUATION_END_POINTS;
}

static void describe_end(half *h, cap_continuation_end end)
{
  cap_continuation *c = h->c;
  cap_continuation_result *r = h->result;
  int side = h->side;
  bool refused = end >= CAP_CONTINUATION_END_STEP;
  r->end[side] = end;
  r->reject[side] = refused ? c->why : CAP_CONTINUATION_ACCEPTED;
  double p = end == CAP_CONTINUATION_END_LIMIT ? limit_ahead(c, c->next.z[c->n]) : c->now.z[c->n];
  if (end == CAP_CONTINUATION_END_CLOSED) p = c->start.z[c->n];
  r->p_end[side] = isnan(p) ? c->now.z[c->n] : p;
  snprintf(r->text[side], sizeof r->text[side], "%s at p = %.9g after a length of %.4g%s%s%s",
           cap_continuation_end_text(end), r->p_end[side], h->s, refused ? " (" : "",
           refused ? cap_continuation_reject_text(c->why) : "", refused ? ")" : "");
}

static void run_half(half *h, int direction)
{
  cap_continuation *c = h->c;
  copy_state(c, &c->now, &c->start);
  for (int i = 0; i <= c->n && direction < 0; i++) {
    c->now.t[i] = -c->start.t[i];
    c->start.t[i] = c->now.t[i]; /* closure compares orientations */
  }
  if (direction < 0) c->now.sign = c->start.sign = -c->start.sign;
  copy_state(c, &c->next, &c->now);
  h->direction = direction;
  h->side = direction < 0;
  h->s = h->step = 0.0;
  bool goes_on = h->result->npoint > 0 || tell(h, CAP_CONTINUATION_START, &c->now, 0.0);
  describe_end(h, goes_on ? follow(h) : CAP_CONTINUATION_END_STOPPED);
}

/* The tangent at a solution: across a direction that is nobody's, then across itself, where it is well
 * conditioned at folds too. */
static cap_status start_tangent(cap_continuation *c)
{
  double *z = c->scratch[0], *normal = c->scratch[1];
  for (int pass = 0; pass < 2; pass++) {
    continuation_copy(c->n + 1, z, c->start.z);
    if (pass) continuation_copy(c->n + 1, normal, c->start.t);
    for (int i = 0; i <= c->n && !pass; i++) normal[i] = i == c->n ? 1.0 : 0.0;
    CAP_TRY(cap_continuation_correct(c, z, normal, c->options.tolerance, &c->start));
  }
  return CAP_OK;
}

static cap_status prepare_start(cap_continuation *c, const cap_continuation_start *start, cap_error *error)
{
  int n = c->n;
  cap_status status = CAP_OK;
  continuation_copy(n, c->start.z, start->x);
  c->start.z[n] = start->p;
  c->start.sign = c->start.iterations = 0;
  c->start.residual = 0.0;
  if (start->tangent) {
    continuation_copy(n + 1, c->start.t, start->tangent);
    if (!cap_continuation_correct_normalise(c, c->start.t))
      return cap_status_fail(error, CAP_ERR_INPUT, "expected a tangent at the start with a length above 0");
    if (!start->on_curve) {
      continuation_copy(n + 1, c->scratch[0], c->start.z);
      continuation_copy(n + 1, c->scratch[1], c->start.t);
      status = cap_continuation_correct(c, c->scratch[0], c->scratch[1], c->options.tolerance, &c->start);
    }
  } else {
    CAP_TRY(cap_continuation_newton(c, c->start.z, start->p, 50, NULL, NULL, error));
    status = start_tangent(c);
  }
  if (status == CAP_OK) status = cap_continuation_correct_tests(c, &c->start);
  if (status == CAP_OK) return CAP_OK;
  return cap_status_fail(error, status, "no curve starts at p = %.9g: %s", start->p,
                         cap_continuation_reject_text(c->why));
}

cap_status cap_continuation_run(cap_continuation *c, const cap_continuation_start *start, int direction,
                                cap_continuation_sink sink, void *sink_self, cap_continuation_result *result,
                                cap_error *error)
{
  *result = (cap_continuation_result){0};
  c->nrejected = 0;
  c->nevaluation = 0;
  if (!(start->p >= c->options.p_min && start->p <= c->options.p_max))
    return cap_status_fail(error, CAP_ERR_INPUT,
                           "the start at p = %.9g is outside the range; expected %.9g to %.9g", start->p,
                           c->options.p_min, c->options.p_max);
  CAP_TRY(prepare_start(c, start, error));
  if (!start->tangent && c->start.t[c->n] < 0.0) {
    for (int i = 0; i <= c->n; i++) c->start.t[i] = -c->start.t[i];
    c->start.sign = -c->start.sign;
  }
  half h = {.c = c, .sink = sink, .sink_self = sink_self, .result = result};
  if (direction >= 0) run_half(&h, 1);
  bool done = result->end[0] == CAP_CONTINUATION_END_CLOSED ||
              result->end[0] == CAP_CONTINUATION_END_STOPPED || result->end[0] == CAP_CONTINUATION_END_FAILED;
  if (direction <= 0 && !done) run_half(&h, -1);
  result->nrejected = c->nrejected;
  result->nevaluation = c->nevaluation;
  if (result->end[0] != CAP_CONTINUATION_END_FAILED && result->end[1] != CAP_CONTINUATION_END_FAILED)
    return CAP_OK;
  return cap_status_fail(error, c->failed,
                         "a function of the problem failed during continuation near p = %.9g: %s",
                         c->now.z[c->n], cap_status_text(c->failed));
}

/* ---- texts --------------------------------------------------------------------------------------------- */

#define CAP_CONTINUATION_CASE(name, text)                                                                    \
  case name:                                                                                                 \
    return text;

const char *cap_continuation_kind_text(cap_continuation_kind kind)
{
  switch (kind) {
    CAP_CONTINUATION_KIND_LIST(CAP_CONTINUATION_CASE)
  }
  return "unknown";
}

const char *cap_continuation_end_text(cap_continuation_end end)
{
  switch (end) {
    CAP_CONTINUATION_END_LIST(CAP_CONTINUATION_CASE)
  }
  return "unknown";
}

const char *cap_continuation_reject_text(cap_continuation_reject reject)
{
  switch (reject) {
    CAP_CONTINUATION_REJECT_LIST(CAP_CONTINUATION_CASE)
  }
  return "unknown";
}
