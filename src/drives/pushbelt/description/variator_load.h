/* drives/pushbelt/description/variator_load.h — what acts on the pulleys of a variator: torques and clamping
 * forces over time.
 *
 * Maths: docs/theory.md §43.5. A load acts along its coordinate (rotation, closing) and is
 *   a table over time, linear between its points and constant beyond them, or an input in its place,
 *   a table times another load (clamping of the primary by the thrust ratio),
 *   or a controller of the speed ratio: with e = omega_P / omega_S - table(t),
 *     force = start + gain e + x,   x' = integral e while the force is within [0, most].
 */
#pragma once
#include "model/model.h"

typedef struct cap_variator_load cap_variator_load;
struct cap_variator_load {
  int n;
  const double *t, *y;                /* [n] s; N, N m or 1 */
  int input;                          /* 1 + the slot of an input in the place of the table; 0 = none */
  const cap_variator_load *of;        /* NULL, or what it is a multiple of */
  int primary, secondary;             /* controller: rotations */
  double start, gain, integral, most; /* N, N, N/s, N */
};

/* Its table, or its input, at t. */
double cap_variator_load_at(const cap_variator_load *load, const double *inputs, double t);

/* The body of the element is its cap_variator_load; its force is less what acts. */
extern const cap_element_type cap_variator_load_type;
/* The same of a controller, whose inner state is x. */
extern const cap_element_type cap_variator_load_control_type;
