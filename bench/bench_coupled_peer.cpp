/* Complementarity problems of a turning arc (as in bench_coupled_contact, one matrix) by Siconos Numerics and
 * by Capstan, in one run: Lemke with lexicographic order by both; Newton on min(z, w) by both from nothing,
 * and by Capstan from the state before. Where a solver gives up its row is left out. */
#include "bench.h"
#include "coupled_peer_case.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SiconosConfig.h>
#include <SolverOptions.h>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <lcp_cst.h>
#include <vector>

typedef struct arc {
  int n, at, warm, failed;
  coupled_peer_case *ours;
  LinearComplementarityProblem problem;
  SolverOptions *lemke, *newton;
  std::vector<double> q, z, w;
} arc;

static int next(arc *a)
{
  a->at = (a->at + 1) % COUPLED_PEER_STATES;
  return a->at;
}

static void lemke_ours(void *self)
{
  arc *a = (arc *)self;
  coupled_peer_case_lemke(a->ours, next(a), a->z.data());
}

static void newton_ours(void *self)
{
  arc *a = (arc *)self;
  coupled_peer_case_newton(a->ours, next(a), a->warm, a->z.data());
}

static void prepare(arc *a)
{
  const double *q = coupled_peer_case_right(a->ours, next(a));
  std::copy(q, q + a->n, a->q.begin());
  std::fill(a->z.begin(), a->z.end(), 0.0);
  std::fill(a->w.begin(), a->w.end(), 0.0);
}

static void lemke_theirs(void *self)
{
  arc *a = (arc *)self;
  int info = 0;
  prepare(a);
  lcp_lexicolemke(&a->problem, a->z.data(), a->w.data(), &info, a->lemke);
  a->failed += info != 0;
}

static void newton_theirs(void *self)
{
  arc *a = (arc *)self;
  int info = 0;
  prepare(a);
  lcp_newton_min(&a->problem, a->z.data(), a->w.data(), &info, a->newton);
  a->failed += info != 0;
}

/* Largest difference of the forces of all states, relative to the largest force. */
static double difference(arc *a, void (*theirs)(void *))
{
  double worst = 0.0, size = 0.0;
  std::vector<double> own(a->z.size());
  for (int k = 0; k < COUPLED_PEER_STATES; k++) {
    theirs(a);
    coupled_peer_case_newton(a->ours, a->at, 0, own.data());
    for (int i = 0; i < a->n; i++) {
      worst = std::fmax(worst, std::fabs(own[i] - a->z[i]));
      size = std::fmax(size, own[i]);
    }
  }
  return worst / size;
}

static void time_theirs(bench_table *table, arc *a, void (*run)(void *), const char *name)
{
  char text[80];
  a->failed = 0;
  double took = bench_best(run, a, 0.2), apart = a->failed ? NAN : difference(a, run);
  if (a->failed) {
    fprintf(stderr, "%s, n = %d: no solution\n", name, a->n);
    return;
  }
  bench_row(table, name, a->n, 1e6 * took, "us/solution");
  snprintf(text, sizeof text, "%s: difference", name);
  bench_row(table, text, a->n, apart, "relative");
}

static void compare(bench_table *table, int n)
{
  arc a = {};
  a.n = n;
  a.ours = coupled_peer_case_create(n);
  a.q.resize(n), a.z.resize(n), a.w.resize(n);
  std::vector<double> matrix(coupled_peer_case_matrix(a.ours),
                             coupled_peer_case_matrix(a.ours) + (size_t)n * n);
  a.problem.size = n;
  a.problem.M = NM_create_from_data(NM_DENSE, n, n, matrix.data());
  a.problem.q = a.q.data();
  a.lemke = solver_options_create(SICONOS_LCP_LEMKE);
  a.newton = solver_options_create(SICONOS_LCP_NEWTONMIN);
  a.lemke->iparam[SICONOS_IPARAM_MAX_ITER] = 20 * n;
  a.newton->iparam[SICONOS_IPARAM_MAX_ITER] = 1000;
  a.newton->dparam[SICONOS_DPARAM_TOL] = 1e-10;
  bench_row(table, "Lemke by Capstan", n, 1e6 * bench_best(lemke_ours, &a, 0.2), "us/solution");
  time_theirs(table, &a, lemke_theirs, "Lemke by Siconos");
  bench_row(table, "Newton by Capstan, from nothing", n, 1e6 * bench_best(newton_ours, &a, 0.2),
            "us/solution");
  a.warm = 1;
  coupled_peer_case_newton(a.ours, 0, 0, a.z.data());
  bench_row(table, "Newton by Capstan, warm", n, 1e6 * bench_best(newton_ours, &a, 0.2), "us/solution");
  time_theirs(table, &a, newton_theirs, "Newton by Siconos, from nothing");
  solver_options_delete(a.lemke);
  solver_options_delete(a.newton);
  free(a.problem.M);
  coupled_peer_case_free(a.ours);
}

int main(int argc, char **argv)
{
  bench_table table;
  const int sizes[] = {20, 50, 100, 200, 400};
  if (bench_open(&table, argc, argv)) return 1;
  for (int n : sizes) compare(&table, n);
  return bench_close(&table);
}
