/* step/staggered_states.c — inner states that do not march, along with staggered steps.
 *
 * An exponential Runge-Kutta step of second order with their decay, whose second stage is the next
 * evaluation.
 */
#include "step/staggered_work.h"

#include <math.h>

/* (exp(-u) - 1)/(-u) and (exp(-u) - 1 + u)/u^2 */
static void weights(double u, double *first, double *second)
{
  if (u < 1e-3) {
    *first = 1.0 - u * (0.5 - u * (1.0 / 6.0));
    *second = 0.5 - u * (1.0 / 6.0 - u * (1.0 / 24.0));
    return;
  }
  *first = -expm1(-u) / u;
  *second = (1.0 - *first) / u;
}

void cap_staggered_states_predict(staggered *w, const staggered_states *s, double *x, double h)
{
  for (int k = 0; k < s->n; k++) {
    int i = s->at[k];
    double first, second;
    w->rate[i] = w->decay[i];
    weights(w->rate[i] * h, &first, &second);
    w->x0[i] = x[i];
    w->xdot0[i] = w->xdot[i];
    x[i] += h * first * w->xdot[i];
  }
}

void cap_staggered_states_correct(staggered *w, const staggered_states *s, double *x, double h)
{
  for (int k = 0; k < s->n; k++) {
    int i = s->at[k];
    double first, second;
    weights(w->rate[i] * h, &first, &second);
    x[i] += h * second * (w->xdot[i] - w->xdot0[i] + w->rate[i] * (x[i] - w->x0[i]));
  }
}
