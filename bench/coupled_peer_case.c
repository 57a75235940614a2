/* bench/coupled_peer_case.c — see coupled_peer_case.h. */
#include "coupled_peer_case.h"
#include "../tests/support/flanks.h"
#include "linalg/lapack.h"

#include <stdio.h>
#include <string.h>

struct coupled_peer_case {
  int n;
  double *C, *q; /* [n][n], [COUPLED_PEER_STATES][n] */
  capm_lcp *lcp;
};

static void need(bool fine)
{
  if (fine) return;
  fprintf(stderr, "the contact problem could not be made or solved\n");
  exit(1);
}

coupled_peer_case *coupled_peer_case_create(int n)
{
  const double wrap = 213.0 * M_PI / 180.0;
  size_t count = (size_t)n;
  coupled_peer_case *c = malloc(sizeof *c);
  double *r = malloc(2 * count * sizeof *r), *phi = r + count;
  need(c && r);
  capm_lapack_one_thread(); /* for both sides */
  *c = (coupled_peer_case){.n = n, .lcp = capm_lcp_create(n)};
  c->C = calloc(count * count, sizeof(double));
  c->q = calloc(COUPLED_PEER_STATES * count, sizeof(double));
  need(c->lcp && c->C && c->q);
  for (int i = 0; i < n; i++) r[i] = 0.075, phi[i] = wrap * ((i + 0.5) / n - 0.5);
  for (int side = 0; side < 2; side++) {
    cap_influence sheave = flanks_sheave(side);
    cap_influence_add(&sheave, n, r, phi, c->C);
  }
  for (int i = 0; i < n; i++) c->C[(size_t)i * (count + 1)] += 2.0 / 2e7;
  for (int k = 0; k < COUPLED_PEER_STATES; k++)
    for (int i = 0; i < n; i++)
      c->q[(size_t)k * count + (size_t)i] = -(3.5e-4 - 4e-4 * pow(fabs(phi[i]) / (0.5 * wrap), 12.0) +
                                              1e-5 * sin(9.0 * phi[i] + 0.3 * k));
  free(r);
  return c;
}

void coupled_peer_case_free(coupled_peer_case *c)
{
  if (!c) return;
  capm_lcp_free(c->lcp);
  free(c->C);
  free(c->q);
  free(c);
}

const double *coupled_peer_case_matrix(const coupled_peer_case *c)
{
  return c->C;
}

const double *coupled_peer_case_right(const coupled_peer_case *c, int state)
{
  return c->q + (size_t)state * (size_t)c->n;
}

void coupled_peer_case_lemke(coupled_peer_case *c, int state, double *z)
{
  need(capm_lcp_lemke(c->lcp, c->n, c->C, coupled_peer_case_right(c, state), z, NULL) == CAP_OK);
}

void coupled_peer_case_newton(coupled_peer_case *c, int state, int warm, double *z)
{
  if (!warm) memset(z, 0, sizeof(double) * (size_t)c->n);
  need(capm_lcp_newton(c->lcp, c->n, c->C, warm, coupled_peer_case_right(c, state), z, NULL) == CAP_OK);
}
