/* solve/continuation/continuation_step.c — see continuation_step.h.
 *
 * Guards against leaving the curve, all of them cheap. The tangents at both ends may differ by angle_max; the
 * corrected point must lie as near to the predicted one as a curve that turns by that angle would (a parallel
 * branch does not turn, yet is far away); the corrector must contract; and the sign of the bordered
 * determinant changes only at branch points, which are looked for. Reversal is excluded because the tangent
 * is always taken on the side of the last one.
 *
 * Piecewise smooth laws have corners, where no step is short enough for the angle. There the tangent just
 * behind the corner is tried, oriented so that the determinant keeps its sign: this also turns corners of
 * more than a right angle, which a hyperplane across the old tangent never meets.
 */
#include "solve/continuation/continuation_step.h"

#include "solve/continuation/continuation_correct.h"
#include "solve/continuation/continuation_locate.h"

static const double STRAY = 0.1; /* distance from the prediction over the step that no angle has to explain */

static double angle_between(const cap_continuation *c, const double *a, const double *b)
{
  double half = 0.0; /* from the chord: exact for small angles, where acos is not */
  for (int i = 0; i <= c->n; i++) half += c->weight[i] * (a[i] - b[i]) * (a[i] - b[i]);
  return 2.0 * asin(fmin(1.0, 0.5 * sqrt(half)));
}

static bool refuse(cap_continuation *c, cap_continuation_reject why)
{
  c->why = why;
  return false;
}

/* Correct from `from` across `normal` into c->next and judge the outcome. */
static bool attempt(cap_continuation *c, const double *from, const double *normal, double h, double *angle)
{
  if (cap_continuation_correct(c, from, normal, c->options.tolerance, &c->next) != CAP_OK) return false;
  *angle = angle_between(c, normal, c->next.t);
  if (*angle > c->options.angle_max) return refuse(c, CAP_CONTINUATION_REJECT_ANGLE);
  if (continuation_distance(c, c->next.z, from) > h * (tan(*angle) + STRAY))
    return refuse(c, CAP_CONTINUATION_REJECT_DISTANCE);
  if (cap_continuation_correct_tests(c, &c->next) != CAP_OK) {
    if (c->why != CAP_CONTINUATION_REJECT_FAILED) c->why = CAP_CONTINUATION_REJECT_NONFINITE;
    return false;
  }
  c->why = CAP_CONTINUATION_ACCEPTED;
  return true;
}

/* Does the cubic through both ends turn back in p twice? Such a pair of folds shows in no
 * sign at the ends. */
static bool hides_folds(const cap_continuation *c)
{
  int n = c->n;
  double scale = sqrt(c->weight[n]), length = continuation_distance(c, c->next.z, c->now.z);
  double first = scale * length * c->now.t[n], last = scale * length * c->next.t[n];
  double rise = scale * (c->next.z[n] - c->now.z[n]), linear = 6.0 * rise - 4.0 * first - 2.0 * last;
  double square = 3.0 * (first + last) - 6.0 * rise, u = -0.5 * linear / square;
  if ((first > 0.0) != (last > 0.0) || !(u > 0.0 && u < 1.0)) return false;
  double slope = first + u * (linear + u * square);
  return (first > 0.0 ? slope : -slope) < -1e-6 * length; /* not for rounding */
}

static void measure_step(cap_continuation *c)
{
  c->sigma = 0.0;
  for (int i = 0; i <= c->n; i++) c->sigma += c->weight[i] * c->now.t[i] * (c->next.z[i] - c->now.z[i]);
}

/* First try with the curvature of the last step, later ones along the tangent alone. */
static bool plain_step(cap_continuation *c, double h, bool first, double *angle)
{
  double bend = first ? 0.5 * h * h : 0.0;
  for (int i = 0; i <= c->n; i++) c->predicted[i] = c->now.z[i] + h * c->now.t[i] + bend * c->curvature[i];
  if (!attempt(c, c->predicted, c->now.t, h, angle)) return false;
  if (!c->options.skip_folds && h > 64.0 * c->options.step_min && hides_folds(c))
    return refuse(c, CAP_CONTINUATION_REJECT_FOLDS);
  measure_step(c);
  if (cap_continuation_locate(c) != CAP_OK && h > 64.0 * c->options.step_min)
    return refuse(c, CAP_CONTINUATION_REJECT_SIGN);
  return true;
}

/* The tangent a little way ahead, oriented by the determinant, into `t`. */
static bool tangent_ahead(cap_continuation *c, double h, double *t)
{
  for (int i = 0; i <= c->n; i++) {
    c->predicted[i] = c->now.z[i] + h * c->now.t[i];
    c->row[i] = c->weight[i] * c->now.t[i];
    t[i] = i == c->n;
  }
  if (cap_continuation_correct_evaluate(c, c->predicted) != CAP_OK) return false;
  if (cap_continuation_border_factor(&c->border, c->fx, 1, (const double *[]){c->fp},
                                     (const double *[]){c->row}) != CAP_OK)
    return false;
  cap_continuation_border_solve(&c->border, false, t);
  if (!cap_continuation_correct_normalise(c, t)) return false;
  if (c->now.sign * c->border.sign < 0)
    for (int i = 0; i <= c->n; i++) t[i] = -t[i];
  return true;
}

/* Behind a corner of more than a right angle: a branch of its own, or the old one backwards? */
static bool runs_back(const cap_continuation *c, double h)
{
  if (continuation_dot(c, c->n + 1, c->now.t, c->next.t) > 0.0) return false;
  double along = 0.0, square = 0.0;
  for (int i = 0; i <= c->n; i++) {
    double away = c->next.z[i] - c->now.z[i];
    along += c->weight[i] * c->now.t[i] * away;
    square += c->weight[i] * away * away;
  }
  return square - along * along < 4e-4 * h * h;
}

static bool turn_corner(cap_continuation *c, double *taken)
{
  double *t = c->scratch[0];
  for (double ahead = 2.0; ahead < 100.0; ahead *= 4.0) {
    double h = ahead * c->options.step_min, angle;
    if (!tangent_ahead(c, h, t)) continue;
    for (int i = 0; i <= c->n; i++) c->predicted[i] = c->now.z[i] + h * t[i];
    if (cap_continuation_correct(c, c->predicted, t, c->options.tolerance, &c->next) != CAP_OK) continue;
    angle = angle_between(c, t, c->next.t);
    double strayed = continuation_distance(c, c->next.z, c->predicted);
    double left = continuation_distance(c, c->next.z, c->now.z);
    if (angle > c->options.angle_max || strayed > 2.0 * h || left < 0.1 * h || runs_back(c, h)) continue;
    if (cap_continuation_correct_tests(c, &c->next) != CAP_OK) continue;
    *taken = h;
    measure_step(c);
    cap_continuation_locate_corner(c);
    return true;
  }
  return false;
}

/* Longer after few iterations and little turning, shorter otherwise and where p changes much. */
static double next_length(const cap_continuation *c, double h, double angle)
{
  double slope = fabs(c->next.t[c->n]);
  double most = c->options.p_step > 0.0 && slope > 0.0 ? c->options.p_step / slope : INFINITY;
  double by_iterations = exp2((c->options.target_iterations - c->next.iterations) / 2.0);
  double by_angle = 0.5 * c->options.angle_max / fmax(angle, 1e-9);
  double factor = fmin(2.0, fmax(0.4, fmin(by_iterations, by_angle)));
  return fmax(c->options.step_min, fmin(fmin(c->options.step_max, most), h * factor));
}

static void remember_curvature(cap_continuation *c, double h)
{
  for (int i = 0; i <= c->n; i++) c->curvature[i] = (c->next.t[i] - c->now.t[i]) / h;
}

cap_status cap_continuation_step(cap_continuation *c, double *h, double *taken, bool *corner)
{
  double angle = 0.0, wanted = *h;
  *corner = false;
  for (int attempts = 0; *h >= c->options.step_min; attempts++) {
    if (plain_step(c, *h, attempts == 0, &angle)) {
      *taken = *h;
      remember_curvature(c, *h);
      *h = attempts ? fmin(*h, next_length(c, *h, angle)) : next_length(c, *h, angle);
      return CAP_OK;
    }
    if (c->why == CAP_CONTINUATION_REJECT_FAILED) return CAP_ERR_NUMERICS;
    c->nrejected++;
    *h *= attempts < 2 ? 0.5 : 0.25;
  }
  cap_continuation_reject why = c->why;
  if (turn_corner(c, taken)) {
    *corner = true;
    memset(c->curvature, 0, (size_t)(c->n + 1) * sizeof *c->curvature);
    *h = fmax(c->options.step_min, 0.1 * wanted);
    return CAP_OK;
  }
  if (c->why == CAP_CONTINUATION_REJECT_FAILED) return CAP_ERR_NUMERICS;
  c->why = why;
  return CAP_RETRY_NOCONV;
}
