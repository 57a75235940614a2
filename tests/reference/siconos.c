/* tests/reference/siconos.c — the solvers of Siconos Numerics: Lemke's for contacts without friction, else
 * Gauss-Seidel with Newton on each contact. Slower than the program's own, and it knows unilateral contacts
 * only.
 *
 * Compiled where its headers are found; the library itself is opened when the first problem is solved. A
 * contact with one direction of friction, or none, gets rows of its own beside them on which nothing acts.
 */
#include "reference.h"

#include <FrictionContactProblem.h>
#include <Friction_cst.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DIRECTIONS = 3, ATTEMPTS = 3 };

typedef struct library {
  void *handle;
  NumericsMatrix *(*matrix)(NM_types type, int rows, int columns);
  void (*clear)(NumericsMatrix *matrix);
  void (*reserve)(NumericsMatrix *matrix, CS_INT nonzeros);
  void (*entry)(NumericsMatrix *matrix, int row, int column, double value);
  SolverOptions *(*options)(int solver);
  void (*forget)(SolverOptions *options);
  int (*friction)(FrictionContactProblem *problem, double *reaction, double *velocity,
                  SolverOptions *options);
  int (*lcp)(LinearComplementarityProblem *problem, double *z, double *w, SolverOptions *options);
} library;

static void close_library(void *own)
{
  library *lib = own;
  if (lib && lib->handle) dlclose(lib->handle);
  free(lib);
}

static bool find(library *lib, const char *name, void *slot)
{
  void *symbol = dlsym(lib->handle, name);
  memcpy(slot, &symbol, sizeof symbol);
  return symbol != NULL;
}

static cap_status open_library(void **own)
{
  library *lib = calloc(1, sizeof *lib);
  if (!lib) return CAP_ERR_NOMEM;
  lib->handle = dlopen(CAPSTAN_SICONOS_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  bool all = lib->handle && find(lib, "NM_create", &lib->matrix) && find(lib, "NM_clear", &lib->clear) &&
             find(lib, "NM_triplet_alloc", &lib->reserve) && find(lib, "NM_entry", &lib->entry) &&
             find(lib, "solver_options_create", &lib->options) &&
             find(lib, "solver_options_delete", &lib->forget) && find(lib, "fc3d_driver", &lib->friction) &&
             find(lib, "linearComplementarity_driver", &lib->lcp);
  if (!all) {
    close_library(lib);
    return CAP_RETRY_NOCONV;
  }
  *own = lib;
  return CAP_OK;
}

static bool known(const cap_nonsmooth_problem *p, bool *rubs)
{
  *rubs = false;
  for (int i = 0; i < p->ncontact; i++) {
    if (!p->contacts[i].nnormal || p->contacts[i].bilateral) return false;
    if (p->contacts[i].ntangent) *rubs = true;
  }
  return true;
}

/* Row of the padded problem. */
static int padded(const cap_nonsmooth_problem *p, const int *contact_of, int row)
{
  int i = contact_of[row];
  return i * DIRECTIONS + row - p->contacts[i].row;
}

static void free_matrix(library *lib, NumericsMatrix *matrix)
{
  if (!matrix) return;
  lib->clear(matrix);
  free(matrix);
}

/* G with three rows a contact; on the rows that a contact does not have nothing acts. */
static NumericsMatrix *friction_matrix(library *lib, cap_nonsmooth_work *w, const cap_nonsmooth_problem *p,
                                       const int *contact_of)
{
  int n = DIRECTIONS * p->ncontact;
  NumericsMatrix *G = lib->matrix(NM_SPARSE, n, n);
  if (!G) return NULL;
  lib->reserve(G, p->start[p->nrow] + n);
  for (int r = 0; r < p->nrow; r++)
    for (int at = p->start[r]; at < p->start[r + 1]; at++)
      lib->entry(G, padded(p, contact_of, r), padded(p, contact_of, p->column[at]), p->value[at]);
  for (int i = 0; i < p->ncontact; i++)
    for (int r = cap_nonsmooth_rows_of(&p->contacts[i]); r < DIRECTIONS; r++)
      lib->entry(G, i * DIRECTIONS + r, i * DIRECTIONS + r, w->block[9 * i]);
  return G;
}

static int rub(library *lib, cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, double *space,
               const int *contact_of, double tolerance, int most)
{
  int n = DIRECTIONS * p->ncontact, done = 0;
  double *c = space, *lambda = c + n, *xi = lambda + n, *mu = xi + n;
  memset(space, 0, sizeof(double) * (size_t)(3 * n));
  for (int r = 0; r < p->nrow; r++) {
    c[padded(p, contact_of, r)] = p->c[r];
    lambda[padded(p, contact_of, r)] = p->lambda[r];
  }
  for (int i = 0; i < p->ncontact; i++) mu[i] = p->contacts[i].mu;
  NumericsMatrix *G = friction_matrix(lib, w, p, contact_of);
  SolverOptions *options = lib->options(SICONOS_FRICTION_3D_NSGS);
  if (G && options) {
    FrictionContactProblem problem = {DIRECTIONS, p->ncontact, G, c, mu};
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = most;
    lib->friction(&problem, lambda, xi, options);
    done = options->iparam[SICONOS_IPARAM_ITER_DONE];
    for (int r = 0; r < p->nrow; r++) p->lambda[r] = lambda[padded(p, contact_of, r)];
  }
  if (options) lib->forget(options);
  free_matrix(lib, G);
  return done;
}

static int press(library *lib, const cap_nonsmooth_problem *p, double *space, double tolerance, int most)
{
  int n = p->nrow, done = 0;
  double *z = space, *w = z + n, *c = w + n;
  memset(space, 0, sizeof(double) * (size_t)(2 * n));
  memcpy(c, p->c, sizeof(double) * (size_t)n);
  NumericsMatrix *G = lib->matrix(NM_DENSE, n, n);
  SolverOptions *options = lib->options(SICONOS_LCP_LEMKE);
  if (G && options) {
    LinearComplementarityProblem problem = {n, G, c};
    memset(G->matrix0, 0, sizeof(double) * (size_t)n * (size_t)n);
    for (int r = 0; r < n; r++)
      for (int at = p->start[r]; at < p->start[r + 1]; at++)
        G->matrix0[(size_t)p->column[at] * (size_t)n + (size_t)r] = p->value[at];
    options->dparam[SICONOS_DPARAM_TOL] = tolerance;
    options->iparam[SICONOS_IPARAM_MAX_ITER] = most;
    lib->lcp(&problem, z, w, options);
    done = options->iparam[SICONOS_IPARAM_ITER_DONE];
    memcpy(p->lambda, z, sizeof(double) * (size_t)n);
  }
  if (options) lib->forget(options);
  free_matrix(lib, G);
  return done;
}

static cap_status solve(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p,
                        const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats)
{
  bool rubs;
  stats->residual = INFINITY;
  if (!known(p, &rubs)) return CAP_RETRY_NOCONV;
  if (!w->own) CAP_TRY(open_library(&w->own));
  size_t n = (size_t)(DIRECTIONS * p->ncontact);
  double *space = calloc(3 * n + (size_t)p->ncontact, sizeof(double));
  int *contact_of = calloc((size_t)p->nrow, sizeof(int));
  cap_status status = space && contact_of ? CAP_OK : CAP_ERR_NOMEM;
  for (int i = 0; status == CAP_OK && i < p->ncontact; i++)
    for (int r = 0; r < cap_nonsmooth_rows_of(&p->contacts[i]); r++) contact_of[p->contacts[i].row + r] = i;
  double tolerance = settings->tolerance;
  for (int attempt = 0; status == CAP_OK && attempt < ATTEMPTS; attempt++, tolerance *= 0.01) {
    int most = settings->iterations_most;
    stats->iterations += rubs ? rub(w->own, w, p, space, contact_of, tolerance, most)
                              : press(w->own, p, space, tolerance, most);
    cap_nonsmooth_velocities(p, p->lambda, w->xi);
    stats->residual = cap_nonsmooth_defect(w, p, p->lambda, w->xi);
    if (stats->residual <= settings->tolerance) break;
  }
  free(space);
  free(contact_of);
  if (status != CAP_OK) return status;
  return stats->residual <= settings->tolerance ? CAP_OK : CAP_RETRY_NOCONV;
}

const cap_nonsmooth_solver cap_nonsmooth_siconos = {
    .name = "siconos",
    .doc = "Siconos Numerics: Lemke without friction, otherwise Gauss-Seidel; unilateral contacts only",
    .solve = solve,
    .free = close_library,
};
