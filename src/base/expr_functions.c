/* base/expr_functions.c — see expr_functions.h. A new function is a line in a table and, beyond one number, a
 * short function on a call. */
#include "base/expr_functions.h"
#include "base/nearest.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* One application: arguments in, value or reason out. */
typedef struct call {
  const char *name;
  int n;
  const cap_expr_value *arguments;
  cap_arena *arena;
  cap_expr_value *value;
  char *reason;
  size_t size;
} call;

__attribute__((format(printf, 2, 3))) static cap_status refuse(const call *c, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  vsnprintf(c->reason, c->size, format, args);
  va_end(args);
  return CAP_ERR_INPUT;
}

static cap_status give(const call *c, double number)
{
  *c->value = (cap_expr_value){.number = number};
  return CAP_OK;
}

/* A new series of n points, for the caller to fill. */
static cap_status make(const call *c, int64_t n, double **x, double **y)
{
  *x = CAP_ARENA_NEW(c->arena, double, n);
  *y = CAP_ARENA_NEW(c->arena, double, n);
  if (!*x || !*y) return CAP_ERR_NOMEM;
  *c->value = (cap_expr_value){.series = true, .n = n, .x = *x, .y = *y};
  return CAP_OK;
}

/* Operators */

static double operate(cap_expr_functions_binary what, double a, double b)
{
  switch (what) {
  case CAP_EXPR_FUNCTIONS_PLUS:
    return a + b;
  case CAP_EXPR_FUNCTIONS_MINUS:
    return a - b;
  case CAP_EXPR_FUNCTIONS_TIMES:
    return a * b;
  case CAP_EXPR_FUNCTIONS_OVER:
    return a / b;
  case CAP_EXPR_FUNCTIONS_POWER:
    return pow(a, b);
  case CAP_EXPR_FUNCTIONS_LESS:
    return a < b;
  case CAP_EXPR_FUNCTIONS_AT_MOST:
    return a <= b;
  case CAP_EXPR_FUNCTIONS_MORE:
    return a > b;
  case CAP_EXPR_FUNCTIONS_AT_LEAST:
    return a >= b;
  case CAP_EXPR_FUNCTIONS_EQUAL:
    return a == b;
  case CAP_EXPR_FUNCTIONS_DIFFERENT:
    return a != b;
  case CAP_EXPR_FUNCTIONS_AND:
    return a != 0 && b != 0;
  case CAP_EXPR_FUNCTIONS_OR:
    return a != 0 || b != 0;
  }
  return NAN;
}

/* The same x, but for rounding: axes that were computed by two runs count as one. */
static bool same_x(const cap_expr_value *a, const cap_expr_value *b)
{
  if (a->n != b->n) return false;
  double reach = 0;
  for (int64_t i = 0; i < a->n; i++) reach = fmax(reach, fabs(a->x[i]));
  for (int64_t i = 0; i < a->n; i++)
    if (!(fabs(a->x[i] - b->x[i]) <= 1e-12 * reach)) return false;
  return true;
}

cap_status cap_expr_functions_combine(cap_expr_functions_binary what, cap_expr_value a, cap_expr_value b,
                                      cap_arena *arena, cap_expr_value *value, char *reason, size_t size)
{
  call c = {.arena = arena, .value = value, .reason = reason, .size = size};
  if (!a.series && !b.series) return give(&c, operate(what, a.number, b.number));
  if (a.series && b.series && !same_x(&a, &b))
    return refuse(&c, "expected two series with the same x; use resample to bring one to the x of the other");
  const cap_expr_value *lead = a.series ? &a : &b;
  double *x, *y;
  CAP_TRY(make(&c, lead->n, &x, &y));
  for (int64_t i = 0; i < lead->n; i++) {
    x[i] = lead->x[i];
    y[i] = operate(what, a.series ? a.y[i] : a.number, b.series ? b.y[i] : b.number);
  }
  return CAP_OK;
}

/* Functions of one number */

static double sign(double v)
{
  return v > 0 ? 1 : v < 0 ? -1 : v;
}

static double to_degrees(double v)
{
  return v * (180 / M_PI);
}

static double to_radians(double v)
{
  return v * (M_PI / 180);
}

typedef struct plain_function {
  const char *name;
  double (*function)(double);
} plain_function;

static const plain_function plain_functions[] = {
    {"sqrt", sqrt}, {"abs", fabs},       {"exp", exp},        {"log", log},   {"log10", log10},
    {"sin", sin},   {"cos", cos},        {"tan", tan},        {"asin", asin}, {"acos", acos},
    {"atan", atan}, {"tanh", tanh},      {"floor", floor},    {"ceil", ceil}, {"round", round},
    {"sign", sign}, {"deg", to_degrees}, {"rad", to_radians}, {NULL, NULL},
};

static cap_status apply(const call *c, double (*function)(double))
{
  const cap_expr_value *a = c->arguments;
  if (c->n != 1) return refuse(c, "%s: expected one argument, got %d", c->name, c->n);
  if (!a->series) return give(c, function(a->number));
  int64_t n = a->n;
  const double *old_x = a->x, *old_y = a->y;
  double *x, *y;
  CAP_TRY(make(c, n, &x, &y));
  for (int64_t i = 0; i < n; i++) {
    x[i] = old_x[i];
    y[i] = function(old_y[i]);
  }
  return CAP_OK;
}

static cap_status call_pi(const call *c)
{
  return give(c, M_PI);
}

static cap_status call_atan2(const call *c)
{
  return give(c, atan2(c->arguments[0].number, c->arguments[1].number));
}

static cap_status call_hypot(const call *c)
{
  return give(c, hypot(c->arguments[0].number, c->arguments[1].number));
}

/* Largest and smallest, of a series or of several numbers */

/* Index of the extreme value, -1 when a NaN is among them. */
static int64_t extreme(const cap_expr_value *s, double direction)
{
  int64_t best = 0;
  for (int64_t i = 0; i < s->n; i++) {
    if (isnan(s->y[i])) return -1;
    if (direction * s->y[i] > direction * s->y[best]) best = i;
  }
  return best;
}

static cap_status extreme_value(const call *c, double direction)
{
  if (c->n == 1 && c->arguments[0].series) {
    int64_t i = extreme(&c->arguments[0], direction);
    return give(c, i < 0 ? NAN : c->arguments[0].y[i]);
  }
  if (c->n == 0) return refuse(c, "%s: expected at least one argument, got none", c->name);
  double best = c->arguments[0].number;
  for (int i = 0; i < c->n; i++) {
    double v = c->arguments[i].number;
    if (c->arguments[i].series) return refuse(c, "%s: expected one series, or numbers only", c->name);
    if (isnan(v)) return give(c, NAN);
    if (direction * v > direction * best) best = v;
  }
  return give(c, best);
}

static cap_status call_max(const call *c)
{
  return extreme_value(c, 1);
}

static cap_status call_min(const call *c)
{
  return extreme_value(c, -1);
}

static cap_status call_argmax(const call *c)
{
  int64_t i = extreme(c->arguments, 1);
  return give(c, i < 0 ? NAN : c->arguments->x[i]);
}

static cap_status call_argmin(const call *c)
{
  int64_t i = extreme(c->arguments, -1);
  return give(c, i < 0 ? NAN : c->arguments->x[i]);
}

static cap_status call_range(const call *c)
{
  int64_t high = extreme(c->arguments, 1), low = extreme(c->arguments, -1);
  return give(c, high < 0 || low < 0 ? NAN : c->arguments->y[high] - c->arguments->y[low]);
}

static cap_status call_maxabs(const call *c)
{
  int64_t high = extreme(c->arguments, 1), low = extreme(c->arguments, -1);
  return give(c, high < 0 || low < 0 ? NAN : fmax(fabs(c->arguments->y[high]), fabs(c->arguments->y[low])));
}

/* Sums and single values */

static double sum(const cap_expr_value *s)
{
  double total = 0;
  for (int64_t i = 0; i < s->n; i++) total += s->y[i];
  return total;
}

static cap_status call_sum(const call *c)
{
  return give(c, sum(c->arguments));
}

static cap_status call_mean(const call *c)
{
  return give(c, sum(c->arguments) / (double)c->arguments->n);
}

static cap_status call_count(const call *c)
{
  return give(c, (double)c->arguments->n);
}

static cap_status call_first(const call *c)
{
  return give(c, c->arguments->y[0]);
}

static cap_status call_last(const call *c)
{
  return give(c, c->arguments->y[c->arguments->n - 1]);
}

static cap_status call_integral(const call *c)
{
  const cap_expr_value *s = c->arguments;
  double total = 0;
  for (int64_t i = 1; i < s->n; i++) total += 0.5 * (s->y[i] + s->y[i - 1]) * (s->x[i] - s->x[i - 1]);
  return give(c, total);
}

/* Interpolation */

/* 1 when x rises throughout, -1 when it falls, 0 else. */
static int direction_of(const cap_expr_value *s)
{
  if (s->n < 2) return 1;
  int direction = s->x[1] > s->x[0] ? 1 : -1;
  for (int64_t i = 1; i < s->n; i++)
    if (!(direction * (s->x[i] - s->x[i - 1]) > 0)) return 0;
  return direction;
}

static double interpolate(const cap_expr_value *s, int direction, double x)
{
  int64_t low = 0, high = s->n - 1;
  while (high - low > 1) {
    int64_t middle = (low + high) / 2;
    if (direction * (s->x[middle] - x) <= 0) low = middle;
    else high = middle;
  }
  if (x == s->x[low]) return s->y[low];
  if (x == s->x[high]) return s->y[high];
  double part = (x - s->x[low]) / (s->x[high] - s->x[low]);
  return s->y[low] + part * (s->y[high] - s->y[low]);
}

static bool within(const cap_expr_value *s, double x)
{
  double a = s->x[0], b = s->x[s->n - 1];
  return x >= fmin(a, b) && x <= fmax(a, b);
}

static cap_status call_at(const call *c)
{
  const cap_expr_value *s = c->arguments;
  double x = c->arguments[1].number;
  int direction = direction_of(s);
  if (!direction) return refuse(c, "at: expected a series whose x increases or decreases throughout");
  if (!within(s, x))
    return refuse(c, "at: x = %g is outside the series; expected %g to %g", x, s->x[0], s->x[s->n - 1]);
  return give(c, interpolate(s, direction, x));
}

static cap_status call_resample(const call *c)
{
  cap_expr_value s = c->arguments[0], on = c->arguments[1];
  int direction = direction_of(&s);
  if (!direction) return refuse(c, "resample: expected a series whose x increases or decreases throughout");
  double *x, *y;
  CAP_TRY(make(c, on.n, &x, &y));
  for (int64_t i = 0; i < on.n; i++) {
    if (!within(&s, on.x[i]))
      return refuse(c, "resample: x = %g is outside the series; expected %g to %g", on.x[i], s.x[0],
                    s.x[s.n - 1]);
    x[i] = on.x[i];
    y[i] = interpolate(&s, direction, on.x[i]);
  }
  return CAP_OK;
}

/* Parts and other forms of a series */

/* Points for which `keep` is true. */
static cap_status select_points(const call *c, bool (*keep)(const call *c, double x, double y))
{
  cap_expr_value s = c->arguments[0];
  double *x, *y;
  int64_t n = 0;
  CAP_TRY(make(c, s.n, &x, &y));
  for (int64_t i = 0; i < s.n; i++) {
    if (!keep(c, s.x[i], s.y[i])) continue;
    x[n] = s.x[i];
    y[n++] = s.y[i];
  }
  if (n == 0) return refuse(c, "%s: no point of the series is left; expected at least one", c->name);
  c->value->n = n;
  return CAP_OK;
}

static bool in_window(const call *c, double x, double y)
{
  (void)y;
  return x >= c->arguments[1].number && x <= c->arguments[2].number;
}

static bool is_finite(const call *c, double x, double y)
{
  (void)c;
  return isfinite(x) && isfinite(y);
}

static cap_status call_restrict(const call *c)
{
  return select_points(c, in_window);
}

static cap_status call_finite(const call *c)
{
  return select_points(c, is_finite);
}

static cap_status call_derivative(const call *c)
{
  cap_expr_value s = c->arguments[0];
  double *x, *y;
  if (s.n < 2) return refuse(c, "derivative: expected at least two points");
  CAP_TRY(make(c, s.n, &x, &y));
  for (int64_t i = 0; i < s.n; i++) {
    int64_t before = i > 0 ? i - 1 : 0, after = i + 1 < s.n ? i + 1 : i;
    x[i] = s.x[i];
    y[i] = (s.y[after] - s.y[before]) / (s.x[after] - s.x[before]);
  }
  return CAP_OK;
}

static cap_status call_xs(const call *c)
{
  cap_expr_value s = c->arguments[0];
  *c->value = (cap_expr_value){.series = true, .n = s.n, .x = s.x, .y = s.x};
  return CAP_OK;
}

static cap_status call_over(const call *c)
{
  cap_expr_value y = c->arguments[0], x = c->arguments[1];
  if (x.n != y.n) return refuse(c, "over: expected series of the same length");
  *c->value = (cap_expr_value){.series = true, .n = y.n, .x = x.y, .y = y.y};
  return CAP_OK;
}

static cap_status call_where(const call *c)
{
  cap_expr_value s = c->arguments[0], wanted = c->arguments[1];
  double *x, *y;
  int64_t n = 0;
  if (!same_x(&s, &wanted)) return refuse(c, "where: expected series with the same x");
  CAP_TRY(make(c, s.n, &x, &y));
  for (int64_t i = 0; i < s.n; i++) {
    if (wanted.y[i] == 0 || isnan(wanted.y[i])) continue;
    x[n] = s.x[i];
    y[n++] = s.y[i];
  }
  c->value->n = n;
  return CAP_OK;
}

static cap_status call_nth(const call *c)
{
  double k = c->arguments[1].number;
  const cap_expr_value *s = c->arguments;
  if (!(k >= 1 && k <= (double)s->n) || k != floor(k))
    return refuse(c, "nth: expected a whole number from 1 to %lld, got %g", (long long)s->n, k);
  return give(c, s->y[(int64_t)k - 1]);
}

/* Curves whose x may turn back */

/* A few neighbouring points of a curve, over their number: where a curve turns tightly, as at a resonance,
 * its length in the plane is no smooth parameter, but the steps of who followed it are even. */
enum { ARC_MOST = 5 };
typedef struct arc {
  int n;
  double t[ARC_MOST], x[ARC_MOST], y[ARC_MOST];
} arc;

/* The polynomial through v over t. */
static double on_arc(const arc *a, const double *v, double at)
{
  double sum = 0;
  for (int j = 0; j < a->n; j++) {
    double weight = 1;
    for (int k = 0; k < a->n; k++)
      if (k != j) weight *= (at - a->t[k]) / (a->t[j] - a->t[k]);
    sum += weight * v[j];
  }
  return sum;
}

/* Points from - to + `reach` around i; false when there are not so many. */
static bool arc_around(const cap_expr_value *s, int64_t i, int reach, arc *a)
{
  *a = (arc){.n = 2 * reach + 1};
  if (i < reach || i + reach >= s->n) return false;
  for (int k = 0; k < a->n; k++) {
    a->t[k] = k;
    a->x[k] = s->x[i - reach + k];
    a->y[k] = s->y[i - reach + k];
  }
  return true;
}

/* Largest value between the points and its x: by the polynomial through the largest point and its neighbours,
 * along the curve. */
static void find_peak(const cap_expr_value *s, double *x, double *y)
{
  int64_t i = extreme(s, 1);
  arc a;
  *x = i < 0 ? NAN : s->x[i];
  *y = i < 0 ? NAN : s->y[i];
  if (i < 0 || (!arc_around(s, i, 2, &a) && !arc_around(s, i, 1, &a))) return;
  double low = a.t[a.n / 2 - 1], high = a.t[a.n / 2 + 1];
  for (int k = 0; k < 80; k++) { /* thirds: the polynomial has one top between the neighbours */
    double one = low + (high - low) / 3, two = high - (high - low) / 3;
    if (on_arc(&a, a.y, one) < on_arc(&a, a.y, two)) low = one;
    else high = two;
  }
  *x = on_arc(&a, a.x, 0.5 * (low + high));
  *y = on_arc(&a, a.y, 0.5 * (low + high));
}

static cap_status call_peak(const call *c)
{
  double x, y;
  find_peak(c->arguments, &x, &y);
  return give(c, y);
}

static cap_status call_peak_x(const call *c)
{
  double x, y;
  find_peak(c->arguments, &x, &y);
  return give(c, x);
}

/* Whether the curve goes over x between points i - 1 and i; a point at x belongs to the side right of it, but
 * the rightmost point of the whole curve is met too. */
static bool passes_over(const cap_expr_value *s, double x, int64_t i)
{
  if ((s->x[i - 1] <= x) != (s->x[i] <= x)) return true;
  return (i == s->n - 1 && s->x[i] == x && s->x[i - 1] < x) || (i == 1 && s->x[0] == x && s->x[1] < x);
}

/* y there: by the polynomial through up to three points on each side,
 * as far as x goes one way through them. */
static double value_over(const cap_expr_value *s, double x, int64_t i)
{
  double way = s->x[i] - s->x[i - 1], sum = 0;
  int64_t first = i - 1, last = i;
  for (int reach = 1; reach < 3; reach++) {
    if (first == 0 || last == s->n - 1) break;
    if (!((s->x[first] - s->x[first - 1]) * way > 0 && (s->x[last + 1] - s->x[last]) * way > 0)) break;
    first--, last++;
  }
  for (int64_t j = first; j <= last; j++) {
    double weight = 1;
    for (int64_t k = first; k <= last; k++)
      if (k != j) weight *= (x - s->x[k]) / (s->x[j] - s->x[k]);
    sum += weight * s->y[j];
  }
  return sum;
}

static cap_status call_passes(const call *c)
{
  int64_t count = 0;
  for (int64_t i = 1; i < c->arguments->n; i++) count += passes_over(c->arguments, c->arguments[1].number, i);
  return give(c, (double)count);
}

static cap_status call_pass(const call *c)
{
  const cap_expr_value *s = c->arguments;
  double x = c->arguments[1].number, wanted = c->arguments[2].number;
  int64_t count = 0;
  for (int64_t i = 1; i < s->n; i++)
    if (passes_over(s, x, i) && (double)++count == wanted) return give(c, value_over(s, x, i));
  return refuse(c, "pass: expected the number of a pass through x = %g, 1 to %lld, got %g", x,
                (long long)count, wanted);
}

static cap_status outermost(const call *c, double direction)
{
  const cap_expr_value *s = c->arguments;
  double x = c->arguments[1].number, best = NAN;
  for (int64_t i = 1; i < s->n; i++) {
    if (!passes_over(s, x, i)) continue;
    double value = value_over(s, x, i);
    if (isnan(best) || direction * value > direction * best) best = value;
  }
  if (isnan(best))
    return refuse(c, "%s: the series does not pass x = %g; expected a value within its range", c->name, x);
  return give(c, best);
}

static cap_status call_highest(const call *c)
{
  return outermost(c, 1);
}

static cap_status call_lowest(const call *c)
{
  return outermost(c, -1);
}

enum { NEAREST_MOST = 100000000 }; /* it compares every point with every other */

static cap_status call_nearest(const call *c)
{
  cap_expr_value s = c->arguments[0], t = c->arguments[1];
  double *x, *y;
  if ((double)s.n * (double)t.n > NEAREST_MOST) return refuse(c, "nearest: the series are too long");
  CAP_TRY(make(c, s.n, &x, &y));
  for (int64_t k = 0; k < s.n; k++) {
    x[k] = s.x[k];
    y[k] = NAN;
    for (int64_t i = 1; i < t.n; i++) {
      if (!passes_over(&t, s.x[k], i)) continue;
      double value = value_over(&t, s.x[k], i);
      if (isnan(y[k]) || fabs(value - s.y[k]) < fabs(y[k] - s.y[k])) y[k] = value;
    }
  }
  return CAP_OK;
}

/* Crossings and order */

/* Whether s goes through the level between points i - 1 and i; a point on the level belongs to the side
 * above. */
static bool crosses(const cap_expr_value *s, double level, int64_t i)
{
  return (s->y[i - 1] < level) != (s->y[i] < level);
}

static cap_status call_crossings(const call *c)
{
  int64_t count = 0;
  for (int64_t i = 1; i < c->arguments->n; i++) count += crosses(c->arguments, c->arguments[1].number, i);
  return give(c, (double)count);
}

static cap_status call_crossing(const call *c)
{
  const cap_expr_value *s = c->arguments;
  double level = c->arguments[1].number, wanted = c->arguments[2].number;
  int64_t count = 0;
  for (int64_t i = 1; i < s->n; i++) {
    if (!crosses(s, level, i) || (double)++count != wanted) continue;
    double part = (level - s->y[i - 1]) / (s->y[i] - s->y[i - 1]);
    return give(c, s->x[i - 1] + part * (s->x[i] - s->x[i - 1]));
  }
  return refuse(c, "crossing: expected a whole number from 1 to %lld, the crossings of %g, got %g",
                (long long)count, level, wanted);
}

static bool ordered(const cap_expr_value *s, double direction)
{
  for (int64_t i = 1; i < s->n; i++)
    if (!(direction * s->y[i] > direction * s->y[i - 1])) return false;
  return true;
}

static cap_status call_rising(const call *c)
{
  return give(c, ordered(c->arguments, 1));
}

static cap_status call_falling(const call *c)
{
  return give(c, ordered(c->arguments, -1));
}

/* Name, kinds of the arguments (s series, n number; NULL = the function looks itself), function. */
typedef struct shaped_function {
  const char *name, *shape;
  cap_status (*function)(const call *c);
} shaped_function;

static const shaped_function shaped_functions[] = {
    {"pi", "", call_pi},
    {"atan2", "nn", call_atan2},
    {"hypot", "nn", call_hypot},
    {"max", NULL, call_max},
    {"min", NULL, call_min},
    {"argmax", "s", call_argmax},
    {"argmin", "s", call_argmin},
    {"range", "s", call_range},
    {"maxabs", "s", call_maxabs},
    {"mean", "s", call_mean},
    {"sum", "s", call_sum},
    {"count", "s", call_count},
    {"first", "s", call_first},
    {"last", "s", call_last},
    {"integral", "s", call_integral},
    {"at", "sn", call_at},
    {"restrict", "snn", call_restrict},
    {"finite", "s", call_finite},
    {"resample", "ss", call_resample},
    {"derivative", "s", call_derivative},
    {"xs", "s", call_xs},
    {"over", "ss", call_over},
    {"where", "ss", call_where},
    {"nth", "sn", call_nth},
    {"peak", "s", call_peak},
    {"peak_x", "s", call_peak_x},
    {"passes", "sn", call_passes},
    {"pass", "snn", call_pass},
    {"highest", "sn", call_highest},
    {"lowest", "sn", call_lowest},
    {"nearest", "ss", call_nearest},
    {"crossings", "sn", call_crossings},
    {"crossing", "snn", call_crossing},
    {"rising", "s", call_rising},
    {"falling", "s", call_falling},
    {NULL, NULL, NULL},
};

static cap_status check_count(const call *c, int wanted)
{
  if (c->n == wanted) return CAP_OK;
  return refuse(c, "%s: expected %d argument%s, got %d", c->name, wanted, wanted == 1 ? "" : "s", c->n);
}

static cap_status check_shape(const call *c, const char *shape)
{
  CAP_TRY(check_count(c, (int)strlen(shape)));
  for (int i = 0; i < c->n; i++)
    if (c->arguments[i].series != (shape[i] == 's'))
      return refuse(c, "argument %d of %s: expected a %s", i + 1, c->name,
                    shape[i] == 's' ? "series" : "number");
  return CAP_OK;
}

static cap_status refuse_unknown(const call *c)
{
  cap_nearest nearest;
  cap_nearest_start(&nearest, c->name);
  for (const plain_function *f = plain_functions; f->name; f++) cap_nearest_offer(&nearest, f->name);
  for (const shaped_function *f = shaped_functions; f->name; f++) cap_nearest_offer(&nearest, f->name);
  if (nearest.best)
    return refuse(c, "unknown function; expected one of the reference, got \"%s\"; did you mean \"%s\"?",
                  c->name, nearest.best);
  return refuse(c, "unknown function; expected one of the reference, got \"%s\"", c->name);
}

cap_status cap_expr_functions_call(const char *name, int n, const cap_expr_value *arguments, cap_arena *arena,
                                   cap_expr_value *value, char *reason, size_t size)
{
  call c = {name, n, arguments, arena, value, reason, size};
  for (int i = 0; i < n; i++)
    if (arguments[i].series && arguments[i].n == 0 && strcmp(name, "count") != 0)
      return refuse(&c, "argument %d of %s: expected a series with points, got an empty one", i + 1, name);
  for (const plain_function *f = plain_functions; f->name; f++)
    if (strcmp(f->name, name) == 0) return apply(&c, f->function);
  for (const shaped_function *f = shaped_functions; f->name; f++) {
    if (strcmp(f->name, name) != 0) continue;
    if (f->shape) CAP_TRY(check_shape(&c, f->shape));
    return f->function(&c);
  }
  return refuse_unknown(&c);
}

bool cap_expr_functions_known(const char *name, int n, char *reason, size_t size)
{
  call c = {.name = name, .n = n, .reason = reason, .size = size};
  for (const plain_function *f = plain_functions; f->name; f++)
    if (strcmp(f->name, name) == 0) return check_count(&c, 1) == CAP_OK;
  for (const shaped_function *f = shaped_functions; f->name; f++)
    if (strcmp(f->name, name) == 0) return !f->shape || check_count(&c, (int)strlen(f->shape)) == CAP_OK;
  refuse_unknown(&c);
  return false;
}
