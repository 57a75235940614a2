/* solve/stencil.h — the derivative of a function of p from two values beside one that is known.
 *
 * Maths: central difference; near an end of the range in which the function exists the one-sided difference
 * of second order. f'(p) = weight_f f(p) + weight[0] f(at[0]) + weight[1] f(at[1]).
 */
#pragma once
#include <stdbool.h>

typedef struct capm_stencil {
  double at[2], weight[2], weight_f;
} capm_stencil;

static inline capm_stencil capm_stencil_at(double p, double h, double low, double high)
{
  double step = p + 2.0 * h > high ? -h : h;
  bool central = p - h >= low && p + h <= high;
  if (central) return (capm_stencil){{p - h, p + h}, {-0.5 / h, 0.5 / h}, 0.0};
  return (capm_stencil){{p + step, p + 2.0 * step}, {2.0 / step, -0.5 / step}, -1.5 / step};
}
