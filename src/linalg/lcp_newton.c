/* linalg/lcp_newton.c — Newton's method on min(z, w) = 0 as an active-set method. See lcp.h.
 *
 * With the set A of unknowns that are taken as positive, z_A solves M_AA z_A = -q_A and the others are 0; of
 * A leaves what became negative, into A comes what has w < 0: that is a step of the semi-smooth Newton
 * method. From a start near the answer it takes one or two steps; from afar it might cycle. So the number of
 * wrong unknowns is watched: when it has not fallen for a few steps, only the wrong one with the largest
 * index is exchanged until it falls (Murty), which ends for every positive definite M (Judice and Pires).
 */
#include "linalg/lcp.h"
#include "linalg/lcp_factor.h"

#include <math.h>
#include <string.h>

enum { PATIENCE = 5 };

typedef struct job {
  capm_lcp *lcp;
  int n;
  const double *M, *q;
  double *z;
  double small; /* m: what is rounding of w, and of M_ii z_i */
  capm_lcp_factor f;
  capm_lcp_stats *stats;
} job;

static bool is_active(const job *j, int i)
{
  return j->lcp->place[i] >= 0;
}

static void note_places(job *j)
{
  for (int i = 0; i < j->n; i++) j->lcp->place[i] = -1;
  for (int k = 0; k < j->f.n; k++) j->lcp->place[j->f.order[k]] = k;
}

static bool factor_new(job *j, int n)
{
  j->stats->factors++;
  bool fine = capm_lcp_factor_make(&j->f, n, j->M, j->n);
  note_places(j);
  return fine;
}

/* ---- the active set ------------------------------------------------------------------------------------ */

/* flip[i] != 0: unknown i changes sides. */
static bool exchange_few(job *j, const double *flip)
{
  for (int k = j->f.n - 1; k >= 0; k--)
    if (flip[j->f.order[k]] != 0.0) {
      capm_lcp_factor_remove(&j->f, k, j->lcp->row);
      j->stats->updates++;
    }
  for (int i = 0; i < j->n; i++) {
    if (flip[i] == 0.0 || is_active(j, i)) continue;
    if (!capm_lcp_factor_append(&j->f, i, j->M, j->n)) return false;
    j->stats->updates++;
  }
  note_places(j);
  return true;
}

static bool exchange_many(job *j, const double *flip)
{
  int n = 0;
  for (int i = 0; i < j->n; i++)
    if (is_active(j, i) != (flip[i] != 0.0)) j->f.order[n++] = i;
  return factor_new(j, n);
}

/* A row that enters or leaves costs about 3 n^2 operations, a factorisation n^3 / 3. */
static bool exchange(job *j, const double *flip, int count)
{
  return 9 * count <= j->f.n + 9 ? exchange_few(j, flip) : exchange_many(j, flip);
}

/* The first set: where z is positive; without any, where there is penetration. */
static bool start(job *j, bool same)
{
  double *flip = j->lcp->x;
  int count = 0, positive = 0;
  bool known = same && j->lcp->known[1] == j->n;
  for (int i = 0; i < j->n; i++) positive += j->z[i] > 0.0;
  j->f.n = known ? j->lcp->known[0] : 0;
  note_places(j);
  for (int i = 0; i < j->n; i++) {
    bool wanted = positive ? j->z[i] > 0.0 : j->q[i] < 0.0;
    flip[i] = wanted != is_active(j, i);
    count += flip[i] != 0.0;
  }
  if (count == 0) return true;
  return known ? exchange(j, flip, count) : exchange_many(j, flip);
}

/* ---- one step ------------------------------------------------------------------------------------------ */

/* z of the set, its residual into stats and w; flip marks the wrong unknowns. Returns their number. */
static int step(job *j, double *flip)
{
  double *x = j->lcp->row;
  int wrong = 0;
  for (int k = 0; k < j->f.n; k++) x[k] = -j->q[j->f.order[k]];
  capm_lcp_factor_solve(&j->f, x);
  memset(j->z, 0, sizeof(double) * (size_t)j->n);
  for (int k = 0; k < j->f.n; k++) j->z[j->f.order[k]] = x[k];
  j->stats->residual = capm_lcp_check(j->n, j->M, j->q, j->z, j->lcp->w);
  for (int i = 0; i < j->n; i++) {
    double own = j->M[(size_t)i * (size_t)j->n + (size_t)i];
    bool bad = is_active(j, i) ? own * j->z[i] < -j->small : j->lcp->w[i] < -j->small;
    flip[i] = bad;
    wrong += bad;
  }
  return wrong;
}

/* Rounding may leave a z that is negative by next to nothing. */
static bool is_answer(job *j)
{
  bool clipped = false;
  for (int i = 0; i < j->n; i++)
    if (j->z[i] < 0.0) j->z[i] = 0.0, clipped = true;
  if (clipped) j->stats->residual = capm_lcp_check(j->n, j->M, j->q, j->z, j->lcp->w);
  return j->stats->residual <= CAPM_LCP_TOLERANCE;
}

/* A factor through which many rows went has gathered rounding: what fails the check has a second try with a
 * new one. */
static cap_status finish(job *j, double *flip)
{
  if (is_answer(j)) return CAP_OK;
  memset(flip, 0, sizeof(double) * (size_t)j->n);
  if (j->stats->factors > 0 || !exchange_many(j, flip)) return CAP_RETRY_NOCONV;
  return step(j, flip) == 0 && is_answer(j) ? CAP_OK : CAP_RETRY_NOCONV;
}

static void keep_last(int n, double *flip)
{
  int i = n - 1;
  while (flip[i] == 0.0) i--;
  memset(flip, 0, sizeof(double) * (size_t)i);
}

static cap_status iterate(job *j)
{
  double *flip = j->lcp->x;
  int best = j->n + 1, patience = PATIENCE, most = 50 + 10 * j->n;
  while (j->stats->iterations < most) {
    if (cap_progress_stopped(j->lcp->progress)) return CAP_STOPPED;
    int wrong = step(j, flip);
    j->stats->iterations++;
    if (wrong == 0) return finish(j, flip);
    if (wrong < best) best = wrong, patience = PATIENCE;
    else if (patience > 0) patience--;
    else {
      j->stats->single = true;
      keep_last(j->n, flip);
      wrong = 1;
    }
    if (!exchange(j, flip, wrong)) return CAP_RETRY_NOCONV;
  }
  return CAP_RETRY_NOCONV;
}

cap_status capm_lcp_newton(capm_lcp *lcp, int n, const double *M, bool same, const double *q, double *z,
                           capm_lcp_stats *stats)
{
  capm_lcp_stats own = {0};
  if (!stats) stats = &own;
  *stats = own;
  double size = 0.0;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(q[i]));
  if (!isfinite(size)) return CAP_RETRY_NOCONV;
  job j = {.lcp = lcp, .n = n, .M = M, .q = q, .z = z, .small = 1e-13 * size, .stats = stats};
  j.f = (capm_lcp_factor){.stride = lcp->most, .order = lcp->order, .l = lcp->factor};
  bool fine = start(&j, same);
  cap_status status = fine ? iterate(&j) : CAP_RETRY_NOCONV;
  lcp->known[0] = j.f.n;
  lcp->known[1] = fine ? n : 0;
  if (status != CAP_OK) lcp->known[1] = 0;
  return status;
}
