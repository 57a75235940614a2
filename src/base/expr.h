/* base/expr.h — formulas of numbers and series, as claims, derived series and factors of studies are written.
 *
 *   range(force)/2          max(restrict(gain, 50, 70)) - at(gain, 60)          argmax('masing f1=13 N')
 *
 * Values are numbers, and series: values y over x (of a table, a response curve, a measured loop). Names are
 * those of base/names.h ("load.force", "ring[1].tension", "pulley.'AC pump'.speed"), or anything in single
 * quotes; the caller's scope says what they mean. Operators, from loose to tight: || && < <= > >= == != + -
 * * / unary - ! ^ (to the right). Comparisons give 1 or 0. Between series they work value by value on the
 * same x; a number goes with all values.
 *
 * Functions of numbers (of a series: value by value):
 *   sqrt abs exp log log10 sin cos tan asin acos atan tanh floor ceil round sign deg (rad to degrees) rad;
 *   atan2(y, x)  hypot(a, b)  max and min of several  pi() or pi
 * Functions of a series, giving a number:
 *   max min argmax argmin range maxabs mean sum count first last
 *                        argmax: the x of the (first) largest value; mean: of the values, not weighted with
 *                        x; a NaN among the values gives NaN; only count takes a series without points
 *   nth(s, k)            the k-th value, from 1
 *   integral(s)          of y over x, by trapezoids, along the series also where x turns (a loop's area)
 *   at(s, x)             linear between the points; x must be rising or falling in s, and x within it
 *   peak(s)  peak_x(s)   the largest value between the points and its x, by a polynomial along the curve
 *   passes(s, x)         how often a curve whose x may turn back passes x;  pass(s, x, k): the k-th value
 *                        there along the curve;  lowest(s, x)  highest(s, x): the least, the greatest of
 *                        them; by a polynomial between the points
 *   crossings(s, level)  how often s crosses the level;  crossing(s, level, k): the k-th x, from 1
 *   rising(s)  falling(s)  1 when every value is larger (smaller) than the one before
 * Functions of a series, giving a series:
 *   restrict(s, x0, x1)  the part with x0 <= x <= x1;  finite(s): without the points that are not finite
 *   where(s, c)          the points where c, a series with the same x, is not 0; may be none
 *   resample(s, t)       s at the x of t
 *   nearest(s, t)        at the points of s the value of t that lies nearest, of those where t passes that
 *                        x; NaN where it does not
 *   derivative(s)        dy/dx, central differences
 *   xs(s)                the x as values;  over(y, x): values of y over the values of x (series of the same
 *                        length), such as a loop
 * Nothing has side effects, takes more than time linear in the data (but nearest, which is refused for more
 * than 1e8 pairs of points), or nests deeper than 100.
 */
#pragma once
#include "base/arena.h"
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct cap_expr_value {
  bool series;
  double number;
  int64_t n;
  const double *x, *y; /* [n] */
} cap_expr_value;

typedef struct cap_expr_scope {
  /* What a name stands for; false = nothing. May be NULL: no names. */
  bool (*find)(void *self, const char *name, cap_expr_value *value);
  void *self;
} cap_expr_scope;

/* Evaluate `text`; series are made in `arena`. CAP_ERR_INPUT with the place of the mistake (in characters,
 * from 1) in `error`. */
cap_status cap_expr_eval(const char *text, const cap_expr_scope *scope, cap_arena *arena,
                         cap_expr_value *value, cap_error *error);
/* The same where only a number will do. */
cap_status cap_expr_number(const char *text, const cap_expr_scope *scope, cap_arena *arena, double *value,
                           cap_error *error);
/* Whether `text` is a formula, before there are values: its grammar, names that the scope finds (whatever
 * they are), and functions with the number of their arguments. */
cap_status cap_expr_check(const char *text, const cap_expr_scope *scope, cap_arena *arena, cap_error *error);
