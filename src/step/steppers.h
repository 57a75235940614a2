/* step/steppers.h — the list of steppers. A new one is its file and one line here, which also says what
 * offers it as a choice of `method`.
 *
 * The lines stand in the order in which messages name the steppers. `X(stepper, ...)` is cap_<stepper>_type;
 * the numbers are its places, from 1, among the choices of
 *   motion    analyses that move a system (analysis/stepping.c)
 *   period    those that look for a steady orbit (analysis/orbit/periodic.c)
 *   curve     those that follow steady orbits over a parameter (analysis/response/response.c)
 *   stiff     those that resolve the layers of stiff viscoelastic contacts
 * and 0 = not offered. The orders differ because model files, schema and messages have long had them so.
 */
#pragma once

/* clang-format off */
/*  stepper         motion period curve stiff */
#define CAP_STEPPERS(X)    \
  X(propagate,       1,     1,     1,    0)    \
  X(theta_midpoint,  2,     2,     3,    0)    \
  X(theta_euler,     3,     3,     4,    0)    \
  X(timestepping,    9,     0,     0,    0)    \
  X(leapfrog,        4,     0,     0,    0)    \
  X(multirate,      10,     0,     0,    0)    \
  X(rk4,             5,     4,     2,    0)    \
  X(cvode,           6,     5,     5,    2)    \
  X(extrapolate,     7,     6,     0,    0)    \
  X(radau,           8,     0,     0,    1)    \
  X(rk_5,           11,     0,     0,    0)    \
  X(rk_8,           12,     0,     0,    0)    \
  X(switching,      13,     0,     0,    0)
/* clang-format on */

#define CAP_STEPPERS_ROW(x_, ...) CAP_STEPPERS_ROW_##x_,
enum { CAP_STEPPERS(CAP_STEPPERS_ROW) CAP_STEPPERS_COUNT, CAP_STEPPERS_ASIDE = 2 * CAP_STEPPERS_COUNT };

/* Choices of a key from a column, behind `before_` others, for an array of names:
 *   #define OFFERED(x_, motion_, period_, ...) CAP_STEPPERS_CHOICE(1, x_, period_)
 *   static const char *const methods[] = {"auto", CAP_STEPPERS(OFFERED) CAP_STEPPERS_END};
 * A name that is not offered stands behind the NULL that ends the list. Two in one place do not compile, and
 * a gap fails tests/unit/test_stepper.c. */
#define CAP_STEPPERS_CHOICE(before_, x_, place_)                                                             \
  [(place_) ? (before_) + (place_)-1 : CAP_STEPPERS_ASIDE + CAP_STEPPERS_ROW_##x_] = cap_##x_##_type.name,
#define CAP_STEPPERS_END [3 * CAP_STEPPERS_COUNT] = NULL
/* How many a column offers, as a term of a sum. */
#define CAP_STEPPERS_OFFERED(place_) +((place_) > 0)
