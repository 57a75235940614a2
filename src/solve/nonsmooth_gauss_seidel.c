/* solve/nonsmooth_gauss_seidel.c — projected Gauss-Seidel: one contact after the other, each solved exactly
 * while the others rest, there and back again, which carries news along a chain or a stack in both
 * directions.
 */
#include "solve/nonsmooth_work.h"

#include <math.h>

/* One contact: returns the largest change of its own velocity, m/s. */
static double improve(const cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, int i)
{
  const cap_nonsmooth_contact *k = &p->contacts[i];
  int n = cap_nonsmooth_rows_of(k);
  const double *D = w->block + 9 * i;
  double *lambda = p->lambda + k->row, old[CAP_NONSMOOTH_ROWS], r[CAP_NONSMOOTH_ROWS], most = 0.0;
  for (int a = 0; a < n; a++) {
    double sum = p->c[k->row + a];
    for (int at = p->start[k->row + a]; at < p->start[k->row + a + 1]; at++)
      sum += p->value[at] * p->lambda[p->column[at]];
    for (int b = 0; b < n; b++) sum -= D[a * n + b] * lambda[b];
    r[a] = sum;
    old[a] = lambda[a];
  }
  cap_nonsmooth_local_solve(k, D, r, lambda);
  for (int a = 0; a < n; a++) most = fmax(most, D[a * n + a] * fabs(lambda[a] - old[a]));
  return most;
}

int cap_nonsmooth_gauss_seidel_sweep(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, double tolerance,
                                     int most, double *residual)
{
  int sweep = 0, look = 0; /* no look at the residual before the sweep of this number */
  for (;;) {
    double change = 0.0;
    if (sweep == most) break;
    for (int at = 0; at < p->ncontact; at++)
      change = fmax(change, improve(w, p, sweep & 1 ? p->ncontact - 1 - at : at));
    sweep++;
    if (change > tolerance * w->scale || (sweep < look && change > 0.0)) continue;
    cap_nonsmooth_velocities(p, p->lambda, w->xi);
    *residual = cap_nonsmooth_defect(w, p, p->lambda, w->xi);
    if (*residual <= tolerance || change == 0.0) return sweep;
    look = sweep + 1 + sweep / 16;
  }
  cap_nonsmooth_velocities(p, p->lambda, w->xi);
  *residual = cap_nonsmooth_defect(w, p, p->lambda, w->xi);
  return sweep;
}

static cap_status solve(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p,
                        const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats)
{
  stats->iterations = cap_nonsmooth_gauss_seidel_sweep(w, p, settings->tolerance, settings->iterations_most,
                                                       &stats->residual);
  return stats->residual <= settings->tolerance ? CAP_OK : CAP_RETRY_NOCONV;
}

const cap_nonsmooth_solver cap_nonsmooth_gauss_seidel = {
    .name = "gauss_seidel",
    .doc = "projected Gauss-Seidel iteration, each contact solved exactly",
    .solve = solve,
};
