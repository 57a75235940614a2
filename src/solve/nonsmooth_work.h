/* solve/nonsmooth_work.h — what the solvers of nonsmooth.h share: memory, blocks, prox functions. */
#pragma once
#include "solve/nonsmooth.h"

typedef struct cap_nonsmooth_work {
  int rows, contacts;    /* capacity */
  double *block;         /* [contacts][9] own block of G, row-major with its own size */
  double *rho_n, *rho_t; /* [contacts] kg: 1 / G_nn; 1 / largest eigenvalue of G_tt; 0 = nothing moves */
  double *xi;            /* [rows] */
  double scale;          /* m/s, what residuals are relative to */
  double *extra[8];      /* [rows] of the solvers */
  int *order;            /* [contacts] */
  void *own;             /* of one solver */
} cap_nonsmooth_work;

/* Room for the problem, its blocks and factors. CAP_ERR_NOMEM. */
cap_status cap_nonsmooth_prepare(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p);
/* Give its memory back, but for w->own. */
void cap_nonsmooth_release(cap_nonsmooth_work *w);
/* xi = G lambda + c */
void cap_nonsmooth_velocities(const cap_nonsmooth_problem *p, const double *lambda, double *xi);
/* Residual of lambda, with xi there. */
double cap_nonsmooth_defect(const cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, const double *lambda,
                            const double *xi);
/* next = prox(lambda - rho xi) of one contact. */
void cap_nonsmooth_prox(const cap_nonsmooth_contact *k, double rho_n, double rho_t, const double *lambda,
                        const double *xi, double *next);

static inline int cap_nonsmooth_rows_of(const cap_nonsmooth_contact *k)
{
  return k->nnormal + k->ntangent;
}

/* A solver: the table's entry. `work` has been prepared for the problem. */
typedef struct cap_nonsmooth_solver {
  char name[16]; /* as in model files; an array, so that a list of choices can point to it */
  const char *doc;
  cap_status (*solve)(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p,
                      const cap_nonsmooth_settings *settings, cap_nonsmooth_stats *stats);
  void (*free)(void *own); /* NULL: it has nothing of its own */
} cap_nonsmooth_solver;

/* The list: X(solver) is cap_nonsmooth_<solver>, in the order of the choices of `solver`. */
/* clang-format off */
#define CAP_NONSMOOTH_SOLVERS(X) \
  X(newton)                      \
  X(gauss_seidel)
/* clang-format on */

#define CAP_NONSMOOTH_DECLARE(x_) extern const cap_nonsmooth_solver cap_nonsmooth_##x_;
CAP_NONSMOOTH_SOLVERS(CAP_NONSMOOTH_DECLARE)

/* Impulses of one contact, exactly: D lambda + r fulfils its law, D its block of G. lambda: in the present
 * ones, out. */
void cap_nonsmooth_local_solve(const cap_nonsmooth_contact *k, const double *D, const double *r,
                               double *lambda);

/* Sweeps of Gauss-Seidel until the residual is below the tolerance or `most` are done: used by Newton too.
 * w->xi is that of the result. Returns their number. */
int cap_nonsmooth_gauss_seidel_sweep(cap_nonsmooth_work *w, const cap_nonsmooth_problem *p, double tolerance,
                                     int most, double *residual);
