/* linalg/lcp.c — work space, check, and Lemke's method. See lcp.h.
 *
 * The tableau is the condensed one: n rows, one column for each variable that is not basic (n of them, and
 * the artificial one), and the right side. An exchange turns the column of what enters into that of what
 * leaves, so that no unit columns are carried. Rows of a lexicographic order are those of the inverse basis:
 * the column of w_j where that is not basic, a unit vector where it is.
 */
#include "linalg/lcp.h"
#include "base/clones.h"
#include "linalg/dot.h"
#include "linalg/lu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- work space ---------------------------------------------------------------------------------------- */

enum { ALIGN = 8 };

static size_t ints_in_doubles(size_t count)
{
  return (count * sizeof(int) + sizeof(double) - 1) / sizeof(double);
}

size_t capm_lcp_room(int n)
{
  size_t most = (size_t)n;
  return ints_in_doubles(2 + 2 * most + 3 * most + 2) + most * most + most * (most + 2) + 2 * most + most +
         2 + ALIGN;
}

capm_lcp capm_lcp_place(double *memory, int n)
{
  size_t most = (size_t)n, nint = 2 + 2 * most + 3 * most + 2;
  capm_lcp lcp = {.most = n, .known = (int *)(void *)memory};
  lcp.order = lcp.known + 2;
  lcp.place = lcp.order + most;
  lcp.basic = lcp.place + most;
  lcp.factor = memory + ints_in_doubles(nint);
  lcp.tableau = lcp.factor + most * most;
  lcp.w = lcp.tableau + most * (most + 2);
  lcp.x = lcp.w + most;
  lcp.row = lcp.x + most;
  return lcp;
}

capm_lcp *capm_lcp_create(int n)
{
  capm_lcp *lcp = malloc(sizeof *lcp);
  double *memory = calloc(capm_lcp_room(n), sizeof *memory);
  if (!lcp || !memory) {
    free(lcp);
    free(memory);
    return NULL;
  }
  *lcp = capm_lcp_place(memory, n);
  lcp->block = memory;
  return lcp;
}

void capm_lcp_free(capm_lcp *lcp)
{
  if (lcp) free(lcp->block);
  free(lcp);
}

/* ---- check --------------------------------------------------------------------------------------------- */

CAP_CLONES static void multiply(int n, const double *M, const double *q, const double *z, double *w)
{
  for (int i = 0; i < n; i++) w[i] = q[i] + capm_dot(n, M + (size_t)i * (size_t)n, z);
}

/* The size of an entry of M where the diagonal has none. */
static double largest(int n, const double *M)
{
  double most = 0.0;
  for (size_t k = 0; k < (size_t)n * (size_t)n; k++) most = fmax(most, fabs(M[k]));
  return most;
}

double capm_lcp_check(int n, const double *M, const double *q, const double *z, double *w)
{
  double size = 0.0, worst = 0.0, other = 0.0;
  multiply(n, M, q, z, w);
  for (int i = 0; i < n; i++) {
    double own = M[(size_t)i * (size_t)n + (size_t)i];
    if (!(own > 0.0)) own = other = other > 0.0 ? other : largest(n, M);
    double gap = fabs(fmin(own * z[i], w[i]));
    size = fmax(size, fabs(q[i]));
    if (!isfinite(w[i]) || !isfinite(z[i])) return INFINITY;
    worst = fmax(worst, gap);
  }
  return worst == 0.0 ? 0.0 : worst / size;
}

/* ---- Lemke --------------------------------------------------------------------------------------------- */

/* Variables: w_i is i, z_i is n + i, the artificial one 2 n. */
typedef struct lemke {
  int n, stride;
  double *a;       /* [n][stride]: n + 1 columns, then the right side */
  int *basic;      /* [n] variable of a row */
  int *free;       /* [n + 1] of a column */
  int *where;      /* [n] of w_j: its column, or -1 - its row */
  double *row;     /* scratch of a pivot */
  double smallest; /* pivots below are none */
} lemke;

static double *row_of(const lemke *l, int i)
{
  return l->a + (size_t)i * (size_t)l->stride;
}

/* Scaled, so that tolerances need no units: entries of M and q are at most 1. */
static void fill(lemke *l, const double *M, const double *q, double per_M, double per_q)
{
  int n = l->n;
  for (int i = 0; i < n; i++) {
    double *r = row_of(l, i);
    for (int j = 0; j < n; j++) r[j] = -per_M * M[(size_t)i * (size_t)n + (size_t)j];
    r[n] = -1.0;
    r[n + 1] = per_q * q[i];
    l->basic[i] = i;
    l->where[i] = -1 - i;
    l->free[i] = n + i;
  }
  l->free[n] = 2 * n;
}

CAP_CLONES static void exchange_rows(int n, int stride, double *restrict a, const double *restrict from,
                                     int r, int column)
{
  for (int i = 0; i < n; i++) {
    double *restrict to = a + (size_t)i * (size_t)stride;
    double f = to[column];
    if (i == r || f == 0.0) continue;
    to[column] = 0.0;
    for (int j = 0; j < stride; j++) to[j] -= f * from[j];
  }
}

static void exchange(lemke *l, int r, int column)
{
  double *own = row_of(l, r), pivot = own[column];
  own[column] = 1.0;
  for (int j = 0; j < l->stride; j++) own[j] /= pivot;
  memcpy(l->row, own, sizeof(double) * (size_t)l->stride);
  exchange_rows(l->n, l->stride, l->a, l->row, r, column);
  int keep = l->basic[r];
  l->basic[r] = l->free[column];
  l->free[column] = keep;
  if (keep < l->n) l->where[keep] = column;
  if (l->basic[r] < l->n) l->where[l->basic[r]] = -1 - r;
}

/* Entry of row i of the inverse basis in the column of w_j. */
static double inverse_at(const lemke *l, int i, int j)
{
  int at = l->where[j];
  return at >= 0 ? row_of(l, i)[at] : at == -1 - i ? 1.0 : 0.0;
}

/* Whether row i, divided by its entry, comes before row k in the lexicographic order of the inverse basis. */
static bool comes_first(const lemke *l, int column, int i, int k)
{
  double fi = row_of(l, i)[column], fk = row_of(l, k)[column];
  for (int j = 0; j < l->n; j++) {
    double d = inverse_at(l, i, j) / fi - inverse_at(l, k, j) / fk;
    if (fabs(d) > 1e-12) return d < 0.0;
  }
  return i < k;
}

/* The row that leaves when the variable of `column` enters; -1: none, a ray. The artificial variable goes
 * whenever it may. */
static int leaving(const lemke *l, int column)
{
  int n = l->n, found = -1;
  double least = INFINITY;
  for (int i = 0; i < n; i++) {
    const double *r = row_of(l, i);
    if (!(r[column] > l->smallest)) continue;
    double ratio = fmax(r[n + 1], 0.0) / r[column], tie = 1e-13 * fmax(1.0, fabs(least));
    if (found < 0 || ratio < least - tie) {
      least = ratio, found = i;
    } else if (ratio <= least + tie && l->basic[found] != 2 * n) {
      if (l->basic[i] == 2 * n || comes_first(l, column, i, found)) found = i;
      least = fmin(least, ratio);
    }
  }
  return found;
}

static int column_of(const lemke *l, int variable)
{
  for (int c = 0; c <= l->n; c++)
    if (l->free[c] == variable) return c;
  return -1;
}

/* Pivots until the artificial variable has left. False: a ray, or no end. */
static bool pivot_all(lemke *l, const cap_progress *progress, int *pivots)
{
  int n = l->n, r = 0, most = 50 * n + 100;
  for (int i = 1; i < n; i++)
    if (row_of(l, i)[n + 1] <= row_of(l, r)[n + 1]) r = i; /* the last of equals: lexicographic */
  if (!(row_of(l, r)[n + 1] < 0.0)) return true;
  int column = n;
  for (*pivots = 0; *pivots < most && !cap_progress_stopped(progress);) {
    int left = l->basic[r];
    exchange(l, r, column);
    ++*pivots;
    if (left == 2 * n) return true;
    column = column_of(l, left < n ? left + n : left - n);
    r = leaving(l, column);
    if (r < 0) return false;
  }
  return false;
}

static void read_answer(const lemke *l, double per_M, double per_q, double *z)
{
  int n = l->n;
  for (int i = 0; i < n; i++) z[i] = 0.0;
  for (int i = 0; i < n; i++)
    if (l->basic[i] >= n && l->basic[i] < 2 * n)
      z[l->basic[i] - n] = fmax(row_of(l, i)[n + 1], 0.0) * per_M / per_q;
}

/* Hundreds of pivots leave rounding in the answer: the system of the unknowns that are not 0 is solved once
 * more, and taken if that is better. The tableau is its work space. */
static double polish(capm_lcp *lcp, int n, const double *M, const double *q, double *z, double residual)
{
  int active = 0, *index = lcp->basic, *pivot = lcp->basic + n;
  double *a = lcp->tableau, *x = lcp->x, *tried = lcp->row;
  for (int i = 0; i < n; i++)
    if (z[i] > 0.0) index[active++] = i;
  for (int i = 0; i < active; i++)
    for (int j = 0; j < active; j++)
      a[(size_t)i * (size_t)active + (size_t)j] = M[(size_t)index[i] * (size_t)n + (size_t)index[j]];
  if (active == 0 || capm_lu_factor(active, a, pivot)) return residual;
  for (int i = 0; i < active; i++) x[i] = -q[index[i]];
  capm_lu_solve(active, a, pivot, x);
  memset(tried, 0, sizeof(double) * (size_t)n);
  for (int i = 0; i < active; i++) tried[index[i]] = fmax(x[i], 0.0);
  double now = capm_lcp_check(n, M, q, tried, lcp->w);
  if (!(now < residual)) return residual;
  memcpy(z, tried, sizeof(double) * (size_t)n);
  return now;
}

cap_status capm_lcp_lemke(capm_lcp *lcp, int n, const double *M, const double *q, double *z,
                          capm_lcp_stats *stats)
{
  double size_M = largest(n, M), size_q = 0.0;
  capm_lcp_stats own = {0};
  if (!stats) stats = &own;
  *stats = own;
  for (int i = 0; i < n; i++) size_q = fmax(size_q, fabs(q[i]));
  memset(z, 0, sizeof(double) * (size_t)n);
  if (!isfinite(size_M) || !isfinite(size_q)) return CAP_ERR_NUMERICS;
  if (size_q == 0.0) return CAP_OK;
  double per_M = size_M > 0.0 ? 1.0 / size_M : 1.0, per_q = 1.0 / size_q;
  lemke l = {.n = n,
             .stride = n + 2,
             .a = lcp->tableau,
             .basic = lcp->basic,
             .free = lcp->basic + n,
             .where = lcp->basic + 2 * n + 1,
             .row = lcp->row,
             .smallest = 1e-12};
  fill(&l, M, q, per_M, per_q);
  bool ended = pivot_all(&l, lcp->progress, &stats->pivots);
  if (!ended && cap_progress_stopped(lcp->progress)) return CAP_STOPPED;
  if (ended) read_answer(&l, per_M, per_q, z);
  stats->residual = capm_lcp_check(n, M, q, z, lcp->w);
  if (ended) stats->residual = polish(lcp, n, M, q, z, stats->residual);
  return ended && stats->residual <= CAPM_LCP_TOLERANCE ? CAP_OK : CAP_ERR_NUMERICS;
}

cap_status capm_lcp_solve(capm_lcp *lcp, int n, const double *M, bool same, const double *q, double *z,
                          capm_lcp_stats *stats)
{
  capm_lcp_stats own;
  if (!stats) stats = &own;
  cap_status first = capm_lcp_newton(lcp, n, M, same, q, z, stats);
  if (first == CAP_OK || first == CAP_STOPPED) return first;
  capm_lcp_stats tried = *stats;
  cap_status status = capm_lcp_lemke(lcp, n, M, q, z, stats);
  tried.pivots = stats->pivots;
  tried.residual = stats->residual;
  tried.fallback = true;
  *stats = tried;
  return status;
}
