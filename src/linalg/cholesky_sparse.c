/* linalg/cholesky_sparse.c — see cholesky_sparse.h.
 *
 * Left-looking by columns. A supernode is a range [first, last] of columns whose patterns are nested
 * (column j has the rows of column j - 1 but j - 1 itself), so that their entries below any row lie in the
 * same order: inside a supernode updates run over contiguous memory without indices. Columns of earlier
 * supernodes wait in a list at the row that comes next in them.
 */
#include "linalg/cholesky_sparse.h"

#include "base/clones.h"

#include <amd.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct capm_cholesky_sparse {
  int n;
  int *order, *place; /* order[place[i]] = i */
  int *parent;        /* elimination tree, -1 = root */
  int *first, *last;  /* of the supernode of each column */
  /* lower triangle of P M P' by columns: rows, and which of the given values */
  int *a_start, *a_row, *a_from;
  /* L by columns, the diagonal first, rows ascending */
  int64_t *start;
  int *row;
  double *value;
  /* scratch */
  int *head, *next; /* columns that wait at a row */
  int64_t *at;      /* the entry of a waiting column at that row */
  int *mark;        /* [n] last use, counted */
  int use;
  double *x; /* [n] zero between calls */
};

void capm_cholesky_sparse_free(capm_cholesky_sparse *c)
{
  if (!c) return;
  free(c->order);
  free(c->a_row);
  free(c->start);
  free(c->row);
  free(c->value);
  free(c->x);
  free(c);
}

/* --- analysis ------------------------------------------------------------------------------------------ */

/* The memory whose size does not depend on the fill. */
static bool reserve(capm_cholesky_sparse *c, int nonzeros)
{
  size_t n = (size_t)c->n;
  int *whole = calloc(10 * n + 1, sizeof(int));
  c->order = whole;
  c->start = calloc(2 * n + 1, sizeof *c->start);
  c->a_row = malloc((2 * (size_t)nonzeros + 1) * sizeof(int));
  c->x = calloc(n + 1, sizeof(double));
  if (!whole || !c->start || !c->a_row || !c->x) return false;
  c->place = whole + n;
  c->parent = whole + 2 * n;
  c->first = whole + 3 * n;
  c->last = whole + 4 * n;
  c->head = whole + 5 * n;
  c->next = whole + 6 * n;
  c->mark = whole + 7 * n;
  c->a_start = whole + 8 * n; /* [n + 1] */
  c->at = c->start + n + 1;
  c->a_from = c->a_row + nonzeros;
  return true;
}

/* Every diagonal entry once, no entry twice. */
static cap_status check(int n, const int *start, const int *row, int *seen)
{
  for (int j = 0; j < n; j++) {
    bool diagonal = false;
    for (int p = start[j]; p < start[j + 1]; p++) {
      if (row[p] < 0 || row[p] >= n || seen[row[p]] == j + 1) return CAP_ERR_NUMERICS;
      seen[row[p]] = j + 1;
      if (row[p] == j) diagonal = true;
    }
    if (!diagonal) return CAP_ERR_NUMERICS;
  }
  return CAP_OK;
}

/* The lower triangle of P M P' by columns. */
static void permute(capm_cholesky_sparse *c, const int *start, const int *row)
{
  int n = c->n, *count = c->a_start;
  memset(count, 0, ((size_t)n + 1) * sizeof *count);
  for (int pass = 0; pass < 2; pass++) {
    for (int j = 0; j < n; j++)
      for (int p = start[j]; p < start[j + 1]; p++) {
        if (row[p] < j) continue;
        int a = c->place[row[p]], b = c->place[j], column = a < b ? a : b;
        if (pass == 0) {
          count[column + 1]++;
          continue;
        }
        int to = count[column]++;
        c->a_row[to] = a < b ? b : a;
        c->a_from[to] = p;
      }
    if (pass == 0)
      for (int j = 0; j < n; j++) count[j + 1] += count[j];
  }
  for (int j = n; j > 0; j--) count[j] = count[j - 1];
  count[0] = 0;
}

/* Elimination tree and the number of entries of each column of L: row by row, each entry of the lower
 * triangle climbs the tree to the row (Liu). */
static int64_t climb(capm_cholesky_sparse *c, int *by_row_start, int *by_row)
{
  int n = c->n;
  int64_t total = 0;
  memset(by_row_start, 0, ((size_t)n + 1) * sizeof(int));
  for (int p = 0; p < c->a_start[n]; p++) by_row_start[c->a_row[p] + 1]++;
  for (int i = 0; i < n; i++) by_row_start[i + 1] += by_row_start[i];
  memcpy(c->head, by_row_start, (size_t)n * sizeof(int));
  for (int j = 0; j < n; j++)
    for (int p = c->a_start[j]; p < c->a_start[j + 1]; p++) by_row[c->head[c->a_row[p]]++] = j;
  int64_t *count = c->start;
  memset(count, 0, ((size_t)n + 1) * sizeof *count);
  for (int i = 0; i < n; i++) {
    c->parent[i] = -1;
    c->mark[i] = i;
    count[i]++;
    total++;
    for (int p = by_row_start[i]; p < by_row_start[i + 1]; p++)
      for (int j = by_row[p]; c->mark[j] != i; j = c->parent[j]) {
        if (c->parent[j] < 0) c->parent[j] = i;
        c->mark[j] = i;
        count[j]++;
        total++;
      }
  }
  return total;
}

/* Rows of each column of L, again row by row: ascending by themselves. */
static void fill_rows(capm_cholesky_sparse *c, const int *by_row_start, const int *by_row)
{
  int n = c->n;
  int64_t sum = 0;
  for (int j = 0; j < n; j++) {
    int64_t count = c->start[j];
    c->start[j] = c->at[j] = sum;
    sum += count;
  }
  c->start[n] = sum;
  for (int i = 0; i < n; i++) c->mark[i] = -1;
  for (int i = 0; i < n; i++) {
    c->mark[i] = i;
    c->row[c->at[i]++] = i;
    for (int p = by_row_start[i]; p < by_row_start[i + 1]; p++)
      for (int j = by_row[p]; c->mark[j] != i; j = c->parent[j]) {
        c->mark[j] = i;
        c->row[c->at[j]++] = i;
      }
  }
}

static int64_t length(const capm_cholesky_sparse *c, int j)
{
  return c->start[j + 1] - c->start[j];
}

static void find_supernodes(capm_cholesky_sparse *c)
{
  for (int j = 0; j < c->n; j++) {
    bool nested = j > 0 && c->parent[j - 1] == j && length(c, j - 1) == length(c, j) + 1;
    c->first[j] = nested ? c->first[j - 1] : j;
  }
  for (int j = c->n - 1; j >= 0; j--)
    c->last[j] = j + 1 < c->n && c->first[j + 1] == c->first[j] ? c->last[j + 1] : j;
}

static void set_order(capm_cholesky_sparse *c, const int *order)
{
  for (int k = 0; k < c->n; k++) {
    c->order[k] = order ? order[k] : k;
    c->place[c->order[k]] = k;
  }
}

/* Fill of the given order and of AMD's; the better one stays. *fill: entries of L. */
static cap_status choose_order(capm_cholesky_sparse *c, const int *start, const int *row, int *by_row_start,
                               int *by_row, int *other, int64_t *fill)
{
  set_order(c, NULL);
  permute(c, start, row);
  *fill = climb(c, by_row_start, by_row);
  if (*fill == c->a_start[c->n]) return CAP_OK; /* none: no order is better */
  int told = amd_order(c->n, start, row, other, NULL, NULL);
  if (told == AMD_OUT_OF_MEMORY) return CAP_ERR_NOMEM;
  if (told != AMD_OK && told != AMD_OK_BUT_JUMBLED) return CAP_OK;
  set_order(c, other);
  permute(c, start, row);
  int64_t less = climb(c, by_row_start, by_row);
  if (less < *fill) {
    *fill = less;
    return CAP_OK;
  }
  set_order(c, NULL);
  permute(c, start, row);
  *fill = climb(c, by_row_start, by_row);
  return CAP_OK;
}

static cap_status analyse(capm_cholesky_sparse *c, const int *start, const int *row)
{
  size_t n = (size_t)c->n, nonzeros = (size_t)start[c->n];
  if (!reserve(c, start[c->n])) return CAP_ERR_NOMEM;
  CAP_TRY(check(c->n, start, row, c->mark));
  int *work = malloc((2 * n + nonzeros + 1) * sizeof(int));
  if (!work) return CAP_ERR_NOMEM;
  int *by_row_start = work, *other = work + n + 1, *by_row = work + 2 * n + 1;
  int64_t fill = 0;
  cap_status status = choose_order(c, start, row, by_row_start, by_row, other, &fill);
  if (status == CAP_OK) {
    c->row = malloc(((size_t)fill + 1) * sizeof(int));
    c->value = calloc((size_t)fill + 1, sizeof(double));
    if (c->row && c->value) fill_rows(c, by_row_start, by_row);
    else status = CAP_ERR_NOMEM;
  }
  free(work);
  CAP_TRY(status);
  find_supernodes(c);
  memset(c->mark, 0, n * sizeof(int));
  return CAP_OK;
}

cap_status capm_cholesky_sparse_create(int n, const int *start, const int *row, capm_cholesky_sparse **out)
{
  capm_cholesky_sparse *c = calloc(1, sizeof *c);
  *out = NULL;
  if (!c) return CAP_ERR_NOMEM;
  c->n = n;
  cap_status status = analyse(c, start, row);
  if (status == CAP_OK) *out = c;
  else capm_cholesky_sparse_free(c);
  return status;
}

/* --- values -------------------------------------------------------------------------------------------- */

/* y -= f[0] a + f[1] b + f[2] c + f[3] d, one after the other. */
CAP_CLONES static void subtract_four(int64_t n, double *restrict y, const double *restrict a,
                                     const double *restrict b, const double *restrict c,
                                     const double *restrict d, const double f[4])
{
  double fa = f[0], fb = f[1], fc = f[2], fd = f[3];
  for (int64_t i = 0; i < n; i++) y[i] = (((y[i] - fa * a[i]) - fb * b[i]) - fc * c[i]) - fd * d[i];
}

CAP_CLONES static void subtract(int64_t n, double *restrict y, const double *restrict a, double f)
{
  for (int64_t i = 0; i < n; i++) y[i] -= f * a[i];
}

enum { SUMS = 8 }; /* side by side, so that the sum is the same for every vector width */

CAP_CLONES static double dot(int64_t n, const double *restrict a, const double *restrict b)
{
  double sum[SUMS] = {0};
  int64_t i = 0;
  for (; i + SUMS <= n; i += SUMS)
    for (int k = 0; k < SUMS; k++) sum[k] += a[i + k] * b[i + k];
  for (; i < n; i++) sum[0] += a[i] * b[i];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* Columns of earlier supernodes that have an entry in row j, into x; each then waits at its next row. */
static void subtract_waiting(capm_cholesky_sparse *c, int j)
{
  for (int k = c->head[j], after; k >= 0; k = after) {
    int64_t p = c->at[k], end = c->start[k + 1];
    double f = c->value[p];
    for (int64_t q = p; q < end; q++) c->x[c->row[q]] -= f * c->value[q];
    after = c->next[k];
    c->at[k] = ++p;
    if (p == end) continue;
    c->next[k] = c->head[c->row[p]];
    c->head[c->row[p]] = k;
  }
}

/* Columns before j in its own supernode, straight into column j. */
static void subtract_own(const capm_cholesky_sparse *c, int j)
{
  double *column = c->value + c->start[j];
  int64_t n = length(c, j);
  int k = c->first[j];
  for (; k + 3 < j; k += 4) {
    const double *from[4];
    double f[4];
    for (int i = 0; i < 4; i++) {
      from[i] = c->value + c->start[k + i] + (j - k - i);
      f[i] = from[i][0];
    }
    subtract_four(n, column, from[0], from[1], from[2], from[3], f);
  }
  for (; k < j; k++) {
    const double *from = c->value + c->start[k] + (j - k);
    subtract(n, column, from, from[0]);
  }
}

/* The supernode that ends with column `last` is done: its columns wait at their first row outside it. */
static void release(capm_cholesky_sparse *c, int last)
{
  for (int k = c->first[last]; k <= last; k++) {
    int64_t p = c->start[k] + (last - k) + 1;
    if (p == c->start[k + 1]) continue;
    c->at[k] = p;
    c->next[k] = c->head[c->row[p]];
    c->head[c->row[p]] = k;
  }
}

cap_status capm_cholesky_sparse_factor(capm_cholesky_sparse *c, const double *values)
{
  double rounding = c->n * DBL_EPSILON;
  for (int j = 0; j < c->n; j++) c->head[j] = -1;
  for (int j = 0; j < c->n; j++) {
    double diagonal = 0.0, *column = c->value + c->start[j];
    const int *row = c->row + c->start[j];
    int64_t n = length(c, j);
    for (int p = c->a_start[j]; p < c->a_start[j + 1]; p++) {
      c->x[c->a_row[p]] += values[c->a_from[p]];
      if (c->a_row[p] == j) diagonal = values[c->a_from[p]];
    }
    subtract_waiting(c, j);
    for (int64_t i = 0; i < n; i++) {
      column[i] = c->x[row[i]];
      c->x[row[i]] = 0.0;
    }
    subtract_own(c, j);
    double pivot = column[0];
    if (!(pivot > rounding * diagonal) || !isfinite(pivot)) return CAP_ERR_NUMERICS;
    double root = sqrt(pivot);
    column[0] = root;
    for (int64_t i = 1; i < n; i++) column[i] /= root;
    if (c->last[j] == j) release(c, j);
  }
  return CAP_OK;
}

/* --- solutions ----------------------------------------------------------------------------------------- */

/* x_j := x_j / L_jj, and out of all rows below. */
static void forward(const capm_cholesky_sparse *c, int j, double *x)
{
  const double *column = c->value + c->start[j];
  int inside = c->last[j] - j; /* rows of the own supernode, contiguous */
  double f = x[j] / column[0];
  x[j] = f;
  if (inside > 0) subtract(inside, x + j + 1, column + 1, f);
  const int *row = c->row + c->start[j];
  int64_t n = length(c, j);
  for (int64_t i = inside + 1; i < n; i++) x[row[i]] -= f * column[i];
}

void capm_cholesky_sparse_solve(capm_cholesky_sparse *c, double *x)
{
  double *y = c->x;
  for (int j = 0; j < c->n; j++) y[j] = x[c->order[j]];
  for (int j = 0; j < c->n; j++) forward(c, j, y);
  for (int j = c->n - 1; j >= 0; j--) {
    const double *column = c->value + c->start[j];
    const int *row = c->row + c->start[j];
    int inside = c->last[j] - j;
    int64_t n = length(c, j);
    double sum = y[j];
    if (inside > 0) sum -= dot(inside, column + 1, y + j + 1);
    for (int64_t i = inside + 1; i < n; i++) sum -= column[i] * y[row[i]];
    y[j] = sum / column[0];
  }
  for (int j = 0; j < c->n; j++) {
    x[c->order[j]] = y[j];
    y[j] = 0.0;
  }
}

/* Places of L^-1 b: the paths from the nonzeros of b to the roots. Each path ascends; the paths are merged
 * into at[] so that the whole ascends. */
static int reach(capm_cholesky_sparse *c, int n, const int *index, int *at)
{
  int count = 0;
  if (c->use == INT_MAX) {
    memset(c->mark, 0, (size_t)c->n * sizeof(int));
    c->use = 0;
  }
  c->use++;
  for (int k = 0; k < n; k++) {
    int length_of_path = 0;
    for (int j = c->place[index[k]]; j >= 0 && c->mark[j] != c->use; j = c->parent[j]) {
      c->mark[j] = c->use;
      c->next[length_of_path++] = j; /* free between factorisations */
    }
    int i = count, p = length_of_path, to = count + length_of_path;
    while (p > 0) {
      if (i > 0 && at[i - 1] > c->next[p - 1]) at[--to] = at[--i];
      else at[--to] = c->next[--p];
    }
    count += length_of_path;
  }
  return count;
}

int capm_cholesky_sparse_half(capm_cholesky_sparse *c, int n, const int *index, const double *value, int *at,
                              double *y)
{
  int count = reach(c, n, index, at);
  for (int k = 0; k < n; k++) y[c->place[index[k]]] += value[k];
  for (int k = 0; k < count; k++) forward(c, at[k], y);
  return count;
}

int capm_cholesky_sparse_size(const capm_cholesky_sparse *c)
{
  return c->n;
}

int64_t capm_cholesky_sparse_nonzeros(const capm_cholesky_sparse *c)
{
  return c->start[c->n];
}

int capm_cholesky_sparse_column(const capm_cholesky_sparse *c, int j, const int **rows, const double **values)
{
  *rows = c->row + c->start[j];
  *values = c->value + c->start[j];
  return (int)length(c, j);
}

const int *capm_cholesky_sparse_order(const capm_cholesky_sparse *c)
{
  return c->order;
}
