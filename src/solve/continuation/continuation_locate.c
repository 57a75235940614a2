/* solve/continuation/continuation_locate.c — see continuation_locate.h.
 *
 * A point of the step is named by sigma, its distance from the step's beginning along the tangent there: the
 * corrector in the hyperplane at sigma gives the point. A bracketed secant method finds the zero of a scalar
 * over sigma; folds and branch points are then polished by Newton on their own systems
 * (continuation_special.h).
 */
#include "solve/continuation/continuation_locate.h"

#include "solve/continuation/continuation_correct.h"
#include "solve/continuation/continuation_special.h"

static const double CORRECTOR_TOLERANCE = 1e-11;

/* The point at sigma: predicted by the parabola through both ends and the first tangent, then corrected. */
static cap_status point_at(cap_continuation *c, double sigma, cap_continuation_state *at)
{
  double u = sigma / c->sigma;
  for (int i = 0; i <= c->n; i++) {
    double bend = c->next.z[i] - c->now.z[i] - c->sigma * c->now.t[i];
    c->predicted[i] = c->now.z[i] + sigma * c->now.t[i] + u * u * bend;
  }
  return cap_continuation_correct(c, c->predicted, c->now.t, CORRECTOR_TOLERANCE, at);
}

typedef struct bracket {
  double low, high, value_low, value_high;
  double limit;     /* LIMIT: the value of p */
  double log_first; /* BRANCH: determinants are taken relative to the first one */
  bool has_first;
  int side; /* which end was kept last: -1, 0, 1 */
} bracket;

static double determinant(cap_continuation *c, bracket *b, int sign)
{
  double now = cap_continuation_border_log_det(&c->border);
  if (!b->has_first) b->log_first = now;
  b->has_first = true;
  return sign * exp(fmin(now - b->log_first, 600.0));
}

static cap_status value_at(cap_continuation *c, bracket *b, cap_continuation_event *event, double *value)
{
  CAP_TRY(point_at(c, event->sigma, &event->at));
  switch (event->kind) {
  case CAP_CONTINUATION_FOLD:
    *value = event->at.t[c->n];
    break;
  case CAP_CONTINUATION_BRANCH:
    *value = determinant(c, b, event->at.sign);
    break;
  case CAP_CONTINUATION_TEST:
    CAP_TRY(cap_continuation_correct_tests(c, &event->at));
    *value = event->at.tests[event->test];
    break;
  default:
    *value = event->at.z[c->n] - b->limit;
  }
  return isfinite(*value) ? CAP_OK : CAP_RETRY_NONFINITE;
}

/* The next sigma: secant, or bisection every fourth time, which also ends creeping at one side. */
static double next_sigma(const bracket *b, int count)
{
  double width = b->high - b->low;
  double share = b->value_low / (b->value_low - b->value_high);
  if (count % 4 == 3 || !(share > 0.0 && share < 1.0)) share = 0.5;
  return b->low + share * width;
}

/* Illinois: an end that stays twice counts half. */
static void narrow(bracket *b, double sigma, double value)
{
  if ((value >= 0.0) == (b->value_low >= 0.0)) {
    b->low = sigma, b->value_low = value;
    if (b->side == 1) b->value_high *= 0.5;
    b->side = 1;
  } else {
    b->high = sigma, b->value_high = value;
    if (b->side == -1) b->value_low *= 0.5;
    b->side = -1;
  }
}

/* Narrow to `tolerance` times the step; the last point computed stays in the event. */
static cap_status narrow_to(cap_continuation *c, bracket *b, cap_continuation_event *event, double tolerance)
{
  double last = INFINITY;
  for (int count = 0; count < 80; count++) {
    double value;
    event->sigma = next_sigma(b, count);
    for (int nudge = 0; value_at(c, b, event, &value) != CAP_OK; nudge++) {
      if (nudge == 3 || c->why == CAP_CONTINUATION_REJECT_FAILED) return CAP_RETRY_NOCONV;
      event->sigma = b->low + (0.13 + 0.31 * nudge) * (b->high - b->low);
    }
    double moved = fabs(event->sigma - last);
    last = event->sigma;
    narrow(b, event->sigma, value);
    if (value == 0.0 || moved <= tolerance * c->sigma || b->high - b->low <= tolerance * c->sigma)
      return CAP_OK;
  }
  return CAP_OK;
}

/* Place of a polished point along the step; inside, with some slack for points at its ends? */
static bool inside_step(cap_continuation *c, cap_continuation_event *event)
{
  double sigma = 0.0, away = continuation_distance(c, event->at.z, c->now.z);
  for (int i = 0; i <= c->n; i++) sigma += c->weight[i] * c->now.t[i] * (event->at.z[i] - c->now.z[i]);
  event->sigma = sigma;
  return sigma >= -1e-6 * c->sigma && sigma <= (1.0 + 1e-6) * c->sigma && away <= 2.0 * c->sigma;
}

static cap_status locate_fold(cap_continuation *c, cap_continuation_event *event)
{
  bracket b = {.high = c->sigma, .value_low = c->now.t[c->n], .value_high = c->next.t[c->n]};
  CAP_TRY(narrow_to(c, &b, event, 1.0)); /* one secant */
  if (cap_continuation_special_fold(c, &event->at) == CAP_OK && inside_step(c, event)) return CAP_OK;
  b.side = 0; /* no smooth fold: a corner, or a branch point */
  return narrow_to(c, &b, event, c->options.locate_tolerance);
}

/* The direction of the step: near a branch point the corrector may have landed on either branch. */
static void chord(const cap_continuation *c, double *t)
{
  for (int i = 0; i <= c->n; i++) t[i] = c->next.z[i] - c->now.z[i];
  cap_continuation_correct_normalise(c, t);
}

static cap_status locate_branch(cap_continuation *c, cap_continuation_event *event)
{
  bracket b = {.high = c->sigma, .value_low = c->now.sign, .value_high = c->next.sign};
  for (double tolerance = 1e-2; tolerance > 1e-6; tolerance *= 0.03) {
    CAP_TRY(narrow_to(c, &b, event, tolerance));
    chord(c, event->at.t);
    if (cap_continuation_special_branch(c, &event->at, event->other) == CAP_OK && inside_step(c, event))
      return CAP_OK;
    if (c->why == CAP_CONTINUATION_REJECT_FAILED) break;
  }
  return CAP_RETRY_NOCONV;
}

static cap_status locate_test(cap_continuation *c, cap_continuation_event *event)
{
  bracket b = {
      .high = c->sigma, .value_low = c->now.tests[event->test], .value_high = c->next.tests[event->test]};
  return narrow_to(c, &b, event, c->options.locate_tolerance);
}

static cap_continuation_event *new_event(cap_continuation *c, cap_continuation_kind kind, int test)
{
  cap_continuation_event *event = &c->events[c->nevent];
  event->kind = kind;
  event->test = test;
  return event;
}

/* Tests at a located point, and its place among the others. */
static void keep_event(cap_continuation *c, cap_continuation_event *event)
{
  if (cap_continuation_correct_tests(c, &event->at) != CAP_OK)
    for (int i = 0; i < c->problem.ntest; i++) event->at.tests[i] = NAN;
  int place = c->nevent++;
  while (place > 0 && c->order[place - 1]->sigma > event->sigma) {
    c->order[place] = c->order[place - 1];
    place--;
  }
  c->order[place] = event;
}

static bool changes_sign(double a, double b)
{
  return isfinite(a) && isfinite(b) && (a >= 0.0) != (b >= 0.0);
}

/* A fold of the crossing curve at a branch point is not one of its own. */
static bool is_branch_point_again(const cap_continuation *c, const cap_continuation_event *fold)
{
  for (int i = 0; i < c->nevent; i++)
    if (c->order[i]->kind == CAP_CONTINUATION_BRANCH &&
        fabs(c->order[i]->sigma - fold->sigma) < 1e-3 * c->sigma)
      return true;
  return false;
}

cap_status cap_continuation_locate(cap_continuation *c)
{
  c->nevent = 0;
  if (c->now.sign == 0) return CAP_OK; /* the first step from a branch point */
  cap_status found = CAP_OK;
  if (!c->options.skip_branch_points && c->now.sign != c->next.sign) {
    cap_continuation_event *event = new_event(c, CAP_CONTINUATION_BRANCH, -1);
    found = locate_branch(c, event);
    if (found == CAP_OK) keep_event(c, event);
  }
  if (!c->options.skip_folds && changes_sign(c->now.t[c->n], c->next.t[c->n])) {
    cap_continuation_event *event = new_event(c, CAP_CONTINUATION_FOLD, -1);
    if (locate_fold(c, event) == CAP_OK && !is_branch_point_again(c, event)) keep_event(c, event);
  }
  for (int i = 0; i < c->problem.ntest && !c->options.skip_tests; i++)
    if (changes_sign(c->now.tests[i], c->next.tests[i])) {
      cap_continuation_event *event = new_event(c, CAP_CONTINUATION_TEST, i);
      if (locate_test(c, event) == CAP_OK) keep_event(c, event);
    }
  return found;
}

void cap_continuation_locate_corner(cap_continuation *c)
{
  int size = c->n + 1;
  c->nevent = 0;
  if (c->options.skip_folds || !changes_sign(c->now.t[c->n], c->next.t[c->n])) return;
  double along_now = 0.0, along_next = 0.0, both = continuation_dot(c, size, c->now.t, c->next.t);
  for (int i = 0; i < size; i++) {
    along_now += c->weight[i] * c->now.t[i] * (c->next.z[i] - c->now.z[i]);
    along_next += c->weight[i] * c->next.t[i] * (c->next.z[i] - c->now.z[i]);
  }
  double det = 1.0 - both * both;
  double ahead = (along_now - both * along_next) / det, behind = (along_next - both * along_now) / det;
  cap_continuation_event *event = new_event(c, CAP_CONTINUATION_FOLD, -1);
  event->sigma = ahead;
  for (int i = 0; i < size; i++) {
    event->at.z[i] = 0.5 * (c->now.z[i] + ahead * c->now.t[i] + c->next.z[i] - behind * c->next.t[i]);
    event->at.t[i] = c->next.t[i];
  }
  event->at.sign = c->next.sign;
  event->at.residual = c->next.residual;
  keep_event(c, event);
}

const cap_continuation_event *cap_continuation_locate_limit(cap_continuation *c, double limit)
{
  int n = c->n;
  cap_continuation_event *event = new_event(c, CAP_CONTINUATION_LIMIT, -1);
  bracket b = {
      .high = c->sigma, .value_low = c->now.z[n] - limit, .value_high = c->next.z[n] - limit, .limit = limit};
  if (narrow_to(c, &b, event, 1e-9) != CAP_OK) return NULL;
  double *x = c->predicted;
  continuation_copy(n, x, event->at.z);
  if (cap_continuation_newton(c, x, limit, 20, NULL, NULL, NULL) != CAP_OK) return NULL;
  continuation_copy(n, event->at.z, x);
  event->at.z[n] = limit;
  if (cap_continuation_correct_tests(c, &event->at) != CAP_OK) return NULL;
  return event;
}

double cap_continuation_locate_start(cap_continuation *c)
{
  int size = c->n + 1;
  double sigma = 0.0;
  for (int i = 0; i < size; i++) sigma += c->weight[i] * c->now.t[i] * (c->start.z[i] - c->now.z[i]);
  if (!(sigma > 1e-9 * c->sigma && sigma <= c->sigma)) return -1.0;
  if (!(continuation_dot(c, size, c->now.t, c->start.t) > 0.8)) return -1.0;
  if (continuation_distance(c, c->start.z, c->now.z) > 1.5 * c->sigma) return -1.0;
  double close = 1e-6 * (1.0 + continuation_norm(c, size, c->start.z));
  if (c->start.sign == 0) close = fmax(close, 1e-3 * c->sigma); /* the corrector is poor at a branch point */
  if (point_at(c, sigma, &c->trial) != CAP_OK) {
    if (c->start.sign != 0) return -1.0;
    continuation_copy(size, c->trial.z, c->predicted);
  }
  return continuation_distance(c, c->trial.z, c->start.z) <= close ? sigma : -1.0;
}
