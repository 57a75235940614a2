/* tests/reference/fixed_point.c — lambda <- prox(lambda - rho (G lambda + c)), all contacts at once.
 *
 * Maths: docs/theory.md §36.4. With 1/rho of a contact the largest sum of |G| along its rows the iteration
 * cannot diverge without friction: diag(1/rho) - G is positive semidefinite then. It is damped by that, and
 * sped up by carrying on the last change (Nesterov's factors), which starts anew wherever the step and the
 * change point apart.
 */
#include "reference.h"

#include <math.h>
#include <string.h>

/* rho of the contacts, in w->extra[0], one for all its rows. */
static void relaxation(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p)
{
  for (int i = 0; i < p->ncontact; i++) {
    const cap_nonsmooth_contact *k = &p->contacts[i];
    double most = 0.0;
    for (int r = k->row; r < k->row + cap_nonsmooth_rows_of(k); r++) {
      double sum = 0.0;
      for (int at = p->start[r]; at < p->start[r + 1]; at++) sum += fabs(p->value[at]);
      most = fmax(most, sum);
    }
    w->extra[0][i] = most > 0.0 ? 1.0 / most : 0.0;
  }
}

static cap_status solve(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p,
                        const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats)
{
  double *rho = w->extra[0], *y = w->extra[1], *next = w->extra[2], *best = w->extra[3], least = INFINITY;
  double theta = 1.0;
  int n = p->nrow;
  size_t bytes = sizeof(double) * (size_t)n;
  relaxation(w, p);
  memcpy(y, p->lambda, bytes);
  for (int at = 0;; at++) {
    cap_nonsmooth_velocities(p, y, w->xi);
    double residual = cap_nonsmooth_defect(w, p, y, w->xi);
    if (residual < least) {
      least = residual;
      memcpy(best, y, bytes);
    }
    stats->iterations = at;
    if (least <= settings->tolerance || at == settings->iterations_most) break;
    for (int i = 0; i < p->ncontact; i++)
      cap_nonsmooth_prox(&p->contacts[i], rho[i], rho[i], y + p->contacts[i].row, w->xi + p->contacts[i].row,
                         next + p->contacts[i].row);
    double apart = 0.0;
    for (int r = 0; r < n; r++) apart += (y[r] - next[r]) * (next[r] - p->lambda[r]);
    double after = apart > 0.0 ? 1.0 : 0.5 * (1.0 + sqrt(1.0 + 4.0 * theta * theta));
    double carry = apart > 0.0 ? 0.0 : (theta - 1.0) / after;
    for (int r = 0; r < n; r++) y[r] = next[r] + carry * (next[r] - p->lambda[r]);
    memcpy(p->lambda, next, bytes);
    theta = after;
  }
  memcpy(p->lambda, best, bytes);
  stats->residual = least;
  return least <= settings->tolerance ? CAP_OK : CAP_RETRY_NOCONV;
}

const cap_nonsmooth_solver cap_nonsmooth_fixed_point = {
    .name = "fixed_point",
    .doc = "damped fixed-point iteration of the prox functions, accelerated",
    .solve = solve,
};
