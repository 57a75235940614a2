/* model/constraints.c — see constraints.h. */
#include "model/constraints.h"
#include "linalg/quaternion.h"
#include "model/contacts.h"

#include <math.h>
#include <string.h>

/* A row whose part that is not in the span of those before it is smaller than this (as a square, relative to
 * its own) depends on them: directions within 1e-6 rad. */
static const double dependence = 1e-12;

typedef struct space {
  double *rows;                  /* [nideal][nv] */
  double *factor;                /* [nideal][nideal] lower triangle */
  double *right, *lambda, *slip; /* [nideal] */
  double *gap;                   /* [ngap] */
  double *h;                     /* [nv] */
  double *xdot;                  /* [nx] */
} space;

static space space_of(const cap_model *m, double *workspace)
{
  space s;
  int n = m->nideal;
  s.rows = workspace;
  s.factor = s.rows + n * m->nv;
  s.right = s.factor + n * n;
  s.lambda = s.right + n;
  s.slip = s.lambda + n;
  s.gap = s.slip + n;
  s.h = s.gap + m->ngap;
  s.xdot = s.h + m->nv;
  return s;
}

int cap_constraints_size(const cap_model *m)
{
  int n = m->nideal;
  return n * m->nv + n * n + 3 * n + m->ngap + m->nv + m->nx;
}

static double mobility_product(const cap_model *m, const double *a, const double *b)
{
  double sum = 0.0;
  for (int i = 0; i < m->nv; i++) sum += a[i] * b[i] * cap_constraints_mobility(m, i);
  return sum;
}

/* Cholesky of A in the order of the rows; the first row without a part of its own, or -1. */
static int factorise(const cap_model *m, space *s)
{
  int n = m->nideal;
  for (int r = 0; r < n; r++)
    for (int c = 0; c <= r; c++) {
      double sum = mobility_product(m, s->rows + r * m->nv, s->rows + c * m->nv), own = sum;
      for (int k = 0; k < c; k++) sum -= s->factor[r * n + k] * s->factor[c * n + k];
      if (c < r) s->factor[r * n + c] = sum / s->factor[c * n + c];
      else if (sum > dependence * own) s->factor[r * n + r] = sqrt(sum);
      else return r;
    }
  return -1;
}

static void solve(int n, const double *factor, double *x)
{
  for (int r = 0; r < n; r++) {
    for (int k = 0; k < r; k++) x[r] -= factor[r * n + k] * x[k];
    x[r] /= factor[r * n + r];
  }
  for (int r = n; r-- > 0;) {
    for (int k = r + 1; k < n; k++) x[r] -= factor[k * n + r] * x[k];
    x[r] /= factor[r * n + r];
  }
}

/* A Lambda = J M^-1 h + drift, where driven coordinates contribute their acceleration. */
static int find_multipliers(const cap_model *m, const cap_eval *e, space *s)
{
  int failed = factorise(m, s);
  if (failed >= 0) return failed;
  cap_contacts_drift(m, e->t[0], e->q, e->v, e->x, e->xdot, s->right);
  for (int r = 0; r < m->nideal; r++) {
    s->lambda[r] = s->right[r] + mobility_product(m, s->rows + r * m->nv, e->h);
    for (int k = 0; k < m->nmotion; k++) {
      double q, v, a;
      cap_motion_at(&m->motions[k], cap_model_inputs(m, e->input), e->t[0], &q, &v, &a);
      s->lambda[r] += s->rows[r * m->nv + m->motion_dof[k]] * a;
    }
  }
  solve(m->nideal, s->factor, s->lambda);
  return -1;
}

static void put_batch(const cap_model *m, cap_eval *e, const space *s, const cap_contact_batch *b)
{
  int nrow = b->type->nrow;
  for (int k = 0; k < b->n; k++) {
    double fed = 0.0;
    for (int r = 0; r < nrow; r++) {
      int row = b->ideal_adr + k * nrow + r;
      double surface = -s->slip[row];
      for (int i = 0; i < m->nv; i++) surface += s->rows[row * m->nv + i] * e->v[i];
      fed -= s->lambda[row] * surface;
      if (e->force) e->force[b->output_adr + k * (2 * nrow + b->type->nmeasure) + r] = s->lambda[row];
    }
    if (e->power) e->power[b->mech_adr + k * CAP_CONTACT_MECHS + 2] = fed;
  }
}

void cap_constraints_react(const cap_model *m, cap_eval *e)
{
  space s = space_of(m, e->workspace);
  cap_eval look = {.nlane = 1, .t = e->t, .input = e->input, .q = e->q, .v = e->v, .x = e->x};
  look.rows = s.rows;
  look.slip = s.slip;
  cap_contacts_look(m, &look);
  if (find_multipliers(m, e, &s) >= 0) {
    for (int i = 0; i < m->nv; i++) e->h[i] = NAN;
    return;
  }
  for (int r = 0; r < m->nideal; r++)
    for (int i = 0; i < m->nv; i++) e->h[i] -= s.rows[r * m->nv + i] * s.lambda[r];
  for (int i = 0; (e->force || e->power) && i < m->ncontactbatch; i++)
    if (m->contacts[i].ideal) put_batch(m, e, &s, &m->contacts[i]);
}

/* Rows, velocities and gaps of the ideal contacts at a state. */
static space look_at(const cap_model *m, double t, const double *y, double *workspace)
{
  space s = space_of(m, workspace);
  cap_eval e = {.nlane = 1, .t = &t, .q = y, .v = y + m->nv, .x = y + 2 * m->nv};
  e.rows = s.rows;
  e.slip = s.slip;
  e.gap = s.gap;
  cap_contacts_look(m, &e);
  return s;
}

cap_status cap_constraints_fail_rank(const cap_model *m, double t, int row, cap_error *error)
{
  return cap_status_fail(error, CAP_ERR_NUMERICS,
                         "at t = %.9g s the ideal constraints lose rank: the row %s depends on those before "
                         "it; remove it, or use viscoelastic contacts (epsilon > 0), which may be redundant",
                         t, m->row_name[m->ideal_row[row]]);
}

/* Close one gap by moving coordinate `coord`, or all of its row as their masses let them. */
static void close_gap(const cap_model *m, const double *row, int coord, double gap, double *y)
{
  if (coord >= 0) {
    y[coord] -= gap / row[coord];
    return;
  }
  double own = mobility_product(m, row, row);
  for (int i = 0; own > 0.0 && i < m->nv; i++) y[i] -= cap_constraints_mobility(m, i) * row[i] * gap / own;
}

/* Every gap has a translation of its own that closes it; a few passes settle those that share one, some more
 * those that are spread over coupled bodies. */
static void close_gaps(const cap_model *m, double t, double *y, double *workspace)
{
  for (int pass = 0, most = 4; pass < most; pass++) {
    space s = look_at(m, t, y, workspace);
    double widest = 0.0;
    for (int i = 0; i < m->ncontactbatch; i++) {
      const cap_contact_batch *b = &m->contacts[i];
      for (int k = 0; b->ideal && k < b->n; k++)
        for (int r = 0; r < b->type->ngap; r++) {
          int lift = b->type->lift[r], coord = lift < 0 ? -1 : b->coord[k * b->type->ncoord + lift];
          double gap = s.gap[b->gap_adr + k * b->type->ngap + r];
          const double *row = s.rows + (b->ideal_adr + k * b->type->nrow + r) * m->nv;
          close_gap(m, row, coord, gap, y);
          widest = fmax(widest, fabs(gap) - 1e-15 * (coord < 0 ? 1.0 : fabs(y[coord])));
          if (coord < 0) most = 50;
        }
    }
    if (!(widest > 0.0)) return;
  }
}

static void normalise(const cap_model *m, double *x)
{
  for (int i = 0; i < m->ncontactbatch; i++) {
    const cap_contact_batch *b = &m->contacts[i];
    for (int k = 0; k < b->n * b->type->nbody; k++) {
      double *e = b->attitude[k] < 0 ? NULL : x + b->attitude[k];
      if (e && capm_quaternion_norm2(e) > 0.0) capm_quaternion_normalise(e);
    }
  }
}

cap_status cap_constraints_project(const cap_model *m, double t, double *y, double *workspace,
                                   cap_error *error)
{
  double *v = y + m->nv;
  normalise(m, y + 2 * m->nv);
  if (m->ngap) close_gaps(m, t, y, workspace);
  space s = look_at(m, t, y, workspace);
  int failed = factorise(m, &s);
  if (failed >= 0) return cap_constraints_fail_rank(m, t, failed, error);
  solve(m->nideal, s.factor, s.slip);
  for (int r = 0; r < m->nideal; r++)
    for (int i = 0; i < m->nv; i++)
      v[i] -= cap_constraints_mobility(m, i) * s.rows[r * m->nv + i] * s.slip[r];
  return CAP_OK;
}

cap_status cap_constraints_multipliers(const cap_model *m, double t, const double *y, double *workspace,
                                       double *lambda, cap_error *error)
{
  space s = look_at(m, t, y, workspace);
  cap_eval e = {.nlane = 1, .t = &t, .q = y, .v = y + m->nv, .x = y + 2 * m->nv, .h = s.h, .xdot = s.xdot};
  cap_model_rates(m, &e);
  int failed = find_multipliers(m, &e, &s);
  if (failed >= 0) return cap_constraints_fail_rank(m, t, failed, error);
  memcpy(lambda, s.lambda, sizeof(double) * (size_t)m->nideal);
  return CAP_OK;
}

double cap_constraints_residual(const cap_model *m, double t, const double *y, double *workspace, int *row)
{
  space s = look_at(m, t, y, workspace);
  double worst = 0.0;
  if (row) *row = 0;
  for (int r = 0; r < m->nideal; r++)
    if (!(fabs(s.slip[r]) <= worst)) {
      worst = fabs(s.slip[r]);
      if (row) *row = r;
    }
  return worst;
}

int cap_constraints_rank(const cap_model *m, double t, const double *y, double *workspace, int *dependent)
{
  space s = look_at(m, t, y, workspace);
  int n = m->nideal, rank = 0;
  *dependent = -1;
  for (int r = 0; r < n; r++) {
    double *row = s.rows + r * m->nv, own = mobility_product(m, row, row);
    /* what is left of the row beside those before it (twice, against rounding), kept at length one */
    for (int pass = 0; pass < 2; pass++)
      for (int k = 0; k < r; k++) {
        double along = mobility_product(m, row, s.rows + k * m->nv);
        for (int i = 0; i < m->nv; i++) row[i] -= along * s.rows[k * m->nv + i];
      }
    double left = mobility_product(m, row, row);
    bool free = left > dependence * own;
    if (!free && *dependent < 0) *dependent = r;
    rank += free;
    double scale = free ? 1.0 / sqrt(left) : 0.0;
    for (int i = 0; i < m->nv; i++) row[i] *= scale;
  }
  return rank;
}
