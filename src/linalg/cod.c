/* linalg/cod.c — see cod.h. */
#include "linalg/cod.h"
#include "base/clones.h"

#include <math.h>
#include <stdlib.h>

typedef struct decomposition {
  int m, n, rank;
  double *a;      /* [m][n] R, and nothing of use below */
  double *b;      /* [m] Q^T b */
  double *square; /* [n] of the rest of each column */
  double *w;      /* [n] scratch; the mirrors from the right */
  double *v;      /* [m] the mirror at work */
  int *column;    /* [n] which column of the given matrix each is */
} decomposition;

static double *row_of(const decomposition *d, int i)
{
  return d->a + (size_t)i * (size_t)d->n;
}

static void swap_columns(decomposition *d, int i, int j)
{
  for (int r = 0; r < d->m; r++) {
    double *row = row_of(d, r), keep = row[i];
    row[i] = row[j];
    row[j] = keep;
  }
  int keep = d->column[i];
  d->column[i] = d->column[j];
  d->column[j] = keep;
}

CAP_CLONES static void add_squares(int n, const double *restrict row, double *restrict sum)
{
  for (int j = 0; j < n; j++) sum[j] += row[j] * row[j];
}

CAP_CLONES static void add_row(int n, double factor, const double *restrict row, double *restrict sum)
{
  for (int j = 0; j < n; j++) sum[j] += factor * row[j];
}

/* row -= factor w; squares of what comes of it. */
CAP_CLONES static void reflect_row(int n, double factor, const double *restrict w, double *restrict row,
                                   double *restrict square)
{
  for (int j = 0; j < n; j++) {
    row[j] -= factor * w[j];
    square[j] += row[j] * row[j];
  }
}

/* The mirror 1 - tau v v^T that turns v[0 .. n) into (*head, 0, ...): v[0] = 1. Returns tau. */
static double mirror(int n, double *v, double *head)
{
  double most = 0.0, sum = 0.0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(v[i]));
  for (int i = 0; i < n && most > 0.0; i++) sum += v[i] / most * (v[i] / most);
  double norm = most * sqrt(sum), first = v[0];
  *head = first > 0.0 ? -norm : norm;
  v[0] = 1.0;
  if (norm == 0.0) return 0.0;
  for (int i = 1; i < n; i++) v[i] /= first - *head;
  return (*head - first) / *head;
}

/* Column k, the one of the largest rest; false when that is nothing any more. */
static bool choose(decomposition *d, int k, double *first, double tolerance)
{
  int best = k;
  for (int j = k + 1; j < d->n; j++)
    if (d->square[j] > d->square[best]) best = j;
  double size = sqrt(d->square[best]);
  if (k == 0) *first = size;
  if (!(size > tolerance * *first)) return false;
  if (best != k) swap_columns(d, k, best);
  return true;
}

/* Eliminate column k below its diagonal, from all columns behind it and from b. */
static void eliminate(decomposition *d, int k)
{
  int rest = d->n - k - 1, below = d->m - k;
  for (int i = 0; i < below; i++) d->v[i] = row_of(d, k + i)[k];
  double head, tau = mirror(below, d->v, &head), share = 0.0;
  double *w = d->w, *square = d->square + k + 1;
  for (int j = 0; j < rest; j++) w[j] = square[j] = 0.0;
  for (int i = 0; i < below; i++) {
    add_row(rest, tau * d->v[i], row_of(d, k + i) + k + 1, w);
    share += tau * d->v[i] * d->b[k + i];
  }
  for (int i = 0; i < below; i++) {
    reflect_row(rest, d->v[i], w, row_of(d, k + i) + k + 1, square);
    d->b[k + i] -= d->v[i] * share;
    if (i == 0) /* this row is done: it is not of the rest */
      for (int j = 0; j < rest; j++) square[j] = 0.0;
  }
  row_of(d, k)[k] = head;
}

static cap_status triangularise(decomposition *d, double tolerance, const cap_progress *progress)
{
  int most = d->m < d->n ? d->m : d->n;
  double first = 0.0;
  for (int j = 0; j < d->n; j++) d->column[j] = j, d->square[j] = 0.0;
  for (int i = 0; i < d->m; i++) add_squares(d->n, row_of(d, i), d->square);
  for (d->rank = 0; d->rank < most; d->rank++) {
    if (cap_progress_stopped(progress)) return CAP_STOPPED;
    if (!choose(d, d->rank, &first, tolerance)) break;
    eliminate(d, d->rank);
  }
  return CAP_OK;
}

CAP_CLONES static double product(int n, const double *a, const double *b)
{
  double sum = 0.0;
  for (int j = 0; j < n; j++) sum += a[j] * b[j];
  return sum;
}

/* Row k, from the last one up: (R[k][k], R12[k]) into (R[k][k], 0); the mirror stays in the place of R12[k],
 * its tau in w[k]. */
static cap_status turn_from_the_right(decomposition *d, const cap_progress *progress)
{
  int r = d->rank, rest = d->n - r;
  for (int k = r - 1; k >= 0 && rest > 0; k--) {
    if (cap_progress_stopped(progress)) return CAP_STOPPED;
    double *row = row_of(d, k), *v = d->square, head; /* squares are no longer asked for */
    v[0] = row[k];
    for (int j = 0; j < rest; j++) v[1 + j] = row[r + j];
    double tau = mirror(rest + 1, v, &head);
    for (int i = 0; i < k; i++) {
      double *above = row_of(d, i), share = tau * (above[k] + product(rest, above + r, v + 1));
      above[k] -= share;
      add_row(rest, -share, v + 1, above + r);
    }
    row[k] = head;
    for (int j = 0; j < rest; j++) row[r + j] = v[1 + j];
    d->w[k] = tau;
  }
  return CAP_OK;
}

/* x, in the order of the given columns; y is in b. */
static void solve(const decomposition *d, double *x)
{
  int r = d->rank, rest = d->n - r;
  double *y = d->square; /* [n] */
  for (int i = 0; i < d->n; i++) y[i] = i < r ? d->b[i] : 0.0;
  for (int i = r - 1; i >= 0; i--)
    y[i] = (y[i] - product(r - i - 1, row_of(d, i) + i + 1, y + i + 1)) / row_of(d, i)[i];
  for (int k = 0; k < r && rest > 0; k++) {
    const double *v = row_of(d, k) + r;
    double share = d->w[k] * (y[k] + product(rest, v, y + r));
    y[k] -= share;
    add_row(rest, -share, v, y + r);
  }
  for (int i = 0; i < d->n; i++) x[d->column[i]] = y[i];
}

/* Squares neither overflow nor vanish. Returns what was divided by; 0 for a matrix of zeros, NaN for one that
 * is not finite. */
static double normalise(int m, int n, double *a)
{
  double most = 0.0;
  size_t count = (size_t)m * (size_t)n;
  for (size_t k = 0; k < count; k++) {
    if (!isfinite(a[k])) return NAN;
    most = fmax(most, fabs(a[k]));
  }
  for (size_t k = 0; k < count && most > 0.0; k++) a[k] /= most;
  return most;
}

cap_status capm_cod_least_norm(int m, int n, double *a, double *b, double tolerance, double *x, int *rank,
                               const cap_progress *progress)
{
  double size = normalise(m, n, a);
  if (isnan(size)) return CAP_ERR_NUMERICS;
  double *work = malloc(((size_t)m + 2 * (size_t)n + 1) * sizeof(double));
  int *column = malloc(((size_t)n + 1) * sizeof(int));
  cap_status status = CAP_ERR_NOMEM;
  if (work && column) {
    decomposition d = {.m = m, .n = n, .a = a, .b = b, .square = work, .w = work + n + 1, .column = column};
    d.v = d.w + n;
    status = triangularise(&d, tolerance, progress);
    if (status == CAP_OK) status = turn_from_the_right(&d, progress);
    if (status == CAP_OK) solve(&d, x);
    for (int j = 0; j < n && status == CAP_OK && size > 0.0; j++) x[j] /= size;
    if (rank) *rank = d.rank;
  }
  free(work);
  free(column);
  return status;
}
