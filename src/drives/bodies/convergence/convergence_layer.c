/* drives/bodies/convergence/convergence_layer.c — see convergence.h: exponents and modes of the initial
 * layer.
 *
 * s'' + A (D s' + K s) = 0 with A = J M^-1 J' at the start, K and D diagonal. Undamped modes K A K x = w^2 K
 * x with x' K x = 1: the modal force is x' l, its damping ratio w x' D x / 2 (exact where D/K is the same in
 * all rows, as it is unless a stiffness was given). Decay from the exponents of the damped system itself.
 */
#include "drives/bodies/convergence/convergence.h"
#include "linalg/eigen.h"
#include "model/constraints.h"
#include "model/contacts.h"

#include <math.h>
#include <stdlib.h>

typedef struct work {
  int n;
  double *J, *A, *k, *d, *lambda, *space; /* [n][nv], [n][n], [n], [n], [n] */
  double *a, *b, *values, *modes;         /* [2n][2n] and less */
  cap_arena arena;
} work;

static cap_status reserve(work *w, const cap_model *ideal, cap_error *error)
{
  int n = w->n = ideal->nideal;
  w->J = CAP_ARENA_NEW(&w->arena, double, n * ideal->nv + 1);
  w->A = CAP_ARENA_NEW(&w->arena, double, (n * n + 1));
  w->k = CAP_ARENA_NEW(&w->arena, double, n + 1);
  w->d = CAP_ARENA_NEW(&w->arena, double, n + 1);
  w->lambda = CAP_ARENA_NEW(&w->arena, double, n + 1);
  w->space = CAP_ARENA_NEW(&w->arena, double, ideal->nworkspace + 1);
  w->a = CAP_ARENA_NEW(&w->arena, double, 4 * n * n + 1);
  w->b = CAP_ARENA_NEW(&w->arena, double, 4 * n * n + 1);
  w->values = CAP_ARENA_NEW(&w->arena, double, 4 * n + 1);
  w->modes = CAP_ARENA_NEW(&w->arena, double, (n * n + 1));
  bool all = w->J && w->A && w->k && w->d && w->lambda && w->space && w->a && w->b && w->values && w->modes;
  return all ? CAP_OK : cap_status_fail(error, CAP_ERR_NOMEM, "out of memory");
}

static cap_status find_rows(work *w, const cap_model *ideal, const cap_model *m, cap_error *error)
{
  int n = w->n, nv = ideal->nv;
  const double *y = ideal->initial;
  cap_eval e = {.nlane = 1, .t = &ideal->t0, .q = y, .v = y + nv, .x = y + 2 * nv, .rows = w->J};
  cap_contacts_look(ideal, &e);
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      double sum = 0.0;
      for (int i = 0; i < nv; i++)
        sum += w->J[r * nv + i] * w->J[c * nv + i] * cap_constraints_mobility(ideal, i);
      w->A[r * n + c] = sum;
    }
  for (int r = 0; r < n; r++) {
    cap_convergence_row row;
    const char *name = ideal->row_name[ideal->ideal_row[r]];
    if (!cap_convergence_motion_row(m, name, &row) || !(row.k > 0.0))
      return cap_status_fail(error, CAP_ERR_UNSUPPORTED,
                             "the row %s is not viscoelastic; expected contact.epsilon above 0", name);
    w->k[r] = row.k;
    w->d[r] = row.d;
  }
  return cap_constraints_multipliers(ideal, ideal->t0, y, w->space, w->lambda, error);
}

/* The undamped modes; of the one with the largest part of the start's force: its angular frequency. */
static cap_status find_modes(work *w, double *mode, cap_convergence_layer *layer, cap_error *error)
{
  int n = w->n, first = 0;
  double most = -1.0, share = 0.0;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      w->a[r * n + c] = w->k[r] * w->A[r * n + c] * w->k[c];
      w->b[r * n + c] = r == c ? w->k[r] : 0.0;
    }
  if (capm_eigen_symmetric(n, w->a, w->b, w->values, w->modes) != CAP_OK || !(w->values[0] > 0.0))
    return cap_status_fail(error, CAP_ERR_NUMERICS, "the modes of the initial layer could not be computed");
  for (int j = 0; j < n; j++) {
    double part = 0.0;
    for (int r = 0; r < n; r++) part += w->modes[r * n + j] * w->lambda[r];
    if (fabs(part) > most) most = fabs(part), first = j;
  }
  for (int r = 0; r < n; r++) {
    mode[r] = w->modes[r * n + first];
    share += mode[r] * mode[r] * w->d[r];
  }
  double angular_frequency = sqrt(w->values[first]), ratio = 0.5 * angular_frequency * share;
  layer->slow = sqrt(w->values[0]);
  layer->fast = sqrt(w->values[n - 1]);
  layer->angular_frequency = ratio < 1.0 - 1e-9 ? angular_frequency * sqrt(1.0 - ratio * ratio)
                                                : NAN; /* 1 up to rounding */
  return CAP_OK;
}

/* Exponents in units of the slowest angular frequency, so that large and small do not meet in one matrix. */
static cap_status find_decay(work *w, cap_convergence_layer *layer, cap_error *error)
{
  int n = w->n, n2 = 2 * n;
  double unit = layer->slow, *wr = w->values, *wi = w->values + n2;
  layer->decay = INFINITY;
  for (int r = 0; r < n; r++)
    for (int c = 0; c < n; c++) {
      w->a[r * n2 + c] = 0.0;
      w->a[r * n2 + n + c] = r == c ? 1.0 : 0.0;
      w->a[(n + r) * n2 + c] = -w->A[r * n + c] * w->k[c] / (unit * unit);
      w->a[(n + r) * n2 + n + c] = -w->A[r * n + c] * w->d[c] / unit;
    }
  if (capm_eigen_general(n2, w->a, wr, wi, NULL, NULL) != CAP_OK)
    return cap_status_fail(error, CAP_ERR_NUMERICS,
                           "the exponents of the initial layer could not be computed");
  for (int j = 0; j < n2; j++) layer->decay = fmin(layer->decay, -wr[j] * unit);
  if (layer->decay < 1e-9 * unit) layer->decay = 0.0;
  for (int r = 0; r < n; r++) layer->damper = fmax(layer->damper, w->d[r]);
  return CAP_OK;
}

cap_status cap_convergence_layer_find(const cap_model *ideal, const cap_model *m, double *mode,
                                      cap_convergence_layer *layer, cap_error *error)
{
  work w = {0};
  *layer = (cap_convergence_layer){0};
  cap_status status = reserve(&w, ideal, error);
  if (status == CAP_OK) status = find_rows(&w, ideal, m, error);
  if (status == CAP_OK) status = find_modes(&w, mode, layer, error);
  if (status == CAP_OK) status = find_decay(&w, layer, error);
  cap_arena_free(&w.arena);
  return status;
}

double cap_convergence_layer_length(const cap_convergence_layer *layer, double run)
{
  double rest = 2.0 * log(layer->slow * run) - log(0.01), n = rest > 2.0 ? rest : 2.0;
  for (int k = 0; k < 50; k++) n = fmax(rest + log1p(n), 2.0); /* (1 + n) e^-n = e^-rest */
  return n;
}
