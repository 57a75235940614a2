/* linalg/blocks.c — see blocks.h. */
#include "linalg/blocks.h"
#include "base/clones.h"

#include <math.h>
#include <string.h>

enum { SIZE = CAPM_BLOCKS_SIZE, MATRIX = CAPM_BLOCKS_MATRIX };

typedef double quad __attribute__((vector_size(32)));

/* Four columns. */
typedef struct block {
  quad c[SIZE];
} block;

int capm_blocks_nwork(int n)
{
  return 7 * n * MATRIX;
}

capm_blocks capm_blocks_on(int n, double *memory)
{
  int each = n * MATRIX;
  return (capm_blocks){n,
                       memory,
                       memory + each,
                       memory + 2 * each,
                       memory + 3 * each,
                       memory + 4 * each,
                       memory + 5 * each,
                       memory + 6 * each};
}

/* Vectors go by address: by value they would depend on the width that a caller is compiled for. */
CAP_INLINE void load(const double *from, int k, block *b)
{
  memcpy(b, from + k * MATRIX, sizeof *b);
}

CAP_INLINE void store(const block *b, double *to, int k)
{
  memcpy(to + k * MATRIX, b, sizeof *b);
}

CAP_INLINE void transpose(const block *a, block *t)
{
  for (int i = 0; i < SIZE; i++) {
    quad row = {a->c[0][i], a->c[1][i], a->c[2][i], a->c[3][i]};
    t->c[i] = row;
  }
}

/* p = a x; the two halves do not wait for each other. */
CAP_INLINE void apply(const block *a, const quad *x, quad *p)
{
  *p = (a->c[0] * (*x)[0] + a->c[1] * (*x)[1]) + (a->c[2] * (*x)[2] + a->c[3] * (*x)[3]);
}

CAP_INLINE void multiply(const block *a, const block *b, block *p)
{
  for (int j = 0; j < SIZE; j++) apply(a, &b->c[j], &p->c[j]);
}

/* a -= b c */
CAP_INLINE void take(const block *b, const block *c, block *a)
{
  block p;
  multiply(b, c, &p);
  for (int j = 0; j < SIZE; j++) a->c[j] -= p.c[j];
}

/* By Gauss and Jordan without pivots; false: not positive definite. */
CAP_INLINE bool invert(block *a)
{
  for (int k = 0; k < SIZE; k++) {
    double pivot = a->c[k][k];
    if (!(pivot > 0.0)) return false;
    double inverse = 1.0 / pivot;
    quad column = a->c[k] * inverse;
    for (int j = 0; j < SIZE; j++) {
      if (j == k) continue;
      double factor = a->c[j][k];
      a->c[j] -= column * factor;
      a->c[j][k] = factor * inverse;
    }
    a->c[k] = -column;
    a->c[k][k] = inverse;
  }
  return isfinite(a->c[0][0]);
}

CAP_INLINE void store_both(const block *a, double *to, double *to_transposed, int k)
{
  block t;
  transpose(a, &t);
  store(a, to, k);
  store(&t, to_transposed, k);
}

CAP_CLONES bool capm_blocks_factor(const capm_blocks *b)
{
  int end = b->n - 1;
  block row, tail, now, lower, lower_t;
  load(b->lower, 0, &lower);
  transpose(&lower, &row);
  load(b->diagonal, end, &tail);
  load(b->diagonal, 0, &now);
  for (int k = 0; k < end; k++) {
    block last, left, row_t;
    if (k == end - 1) { /* beside the last block, which is its neighbour, too */
      load(b->lower, end, &lower);
      for (int j = 0; j < SIZE; j++) row.c[j] += lower.c[j];
    }
    if (!invert(&now)) return false;
    store(&now, b->inverse, k);
    multiply(&row, &now, &last);
    store_both(&last, b->last, b->last_t, k);
    transpose(&row, &row_t);
    take(&last, &row_t, &tail);
    if (k + 1 == end) break;
    load(b->lower, k + 1, &lower);
    transpose(&lower, &lower_t);
    multiply(&lower, &now, &left);
    store_both(&left, b->left, b->left_t, k + 1);
    load(b->diagonal, k + 1, &now);
    take(&left, &lower_t, &now);
    for (int j = 0; j < SIZE; j++) row.c[j] = (quad){0.0};
    take(&last, &lower_t, &row);
  }
  if (!invert(&tail)) return false;
  store(&tail, b->inverse, end);
  return true;
}

CAP_INLINE void part(const double *x, int k, quad *q)
{
  memcpy(q, x + SIZE * k, sizeof *q);
}

CAP_INLINE void put(const quad *q, double *x, int k)
{
  memcpy(x + SIZE * k, q, sizeof *q);
}

/* y_k -= L(k, k - 1) y_(k - 1), one or two columns at once. */
CAP_INLINE void down(const capm_blocks *b, int ncol, double *restrict y)
{
  int end = b->n - 1;
  quad before[2], coupled, at;
  for (int c = 0; c < ncol; c++) part(y + c * SIZE * b->n, 0, &before[c]);
  for (int k = 1; k < end; k++) {
    block left;
    load(b->left, k, &left);
    for (int c = 0; c < ncol; c++) {
      double *column = y + c * SIZE * b->n;
      apply(&left, &before[c], &coupled);
      part(column, k, &at);
      before[c] = at - coupled;
      put(&before[c], column, k);
    }
  }
}

/* The last row of L, and D^-1; nothing waits. */
CAP_INLINE void close_down(const capm_blocks *b, double *restrict y, double *restrict z)
{
  int end = b->n - 1;
  quad sum[2] = {{0.0}, {0.0}}, at, to;
  block last, inverse;
  for (int k = 0; k < end; k++) {
    load(b->last, k, &last);
    load(b->inverse, k, &inverse);
    part(y, k, &at);
    apply(&last, &at, &to);
    sum[k & 1] += to;
    apply(&inverse, &at, &to);
    put(&to, z, k);
  }
  load(b->inverse, end, &inverse);
  part(y, end, &at);
  at -= sum[0] + sum[1];
  apply(&inverse, &at, &to);
  put(&at, y, end);
  put(&to, z, end);
}

CAP_CLONES void capm_blocks_forward(const capm_blocks *b, int ncol, double *y, double *z)
{
  int size = SIZE * b->n, c = 0;
  for (; c + 2 <= ncol; c += 2) down(b, 2, y + c * size);
  for (; c < ncol; c++) down(b, 1, y + c * size);
  for (c = 0; c < ncol; c++) close_down(b, y + c * size, z + c * size);
}

CAP_CLONES void capm_blocks_backward(const capm_blocks *b, double *x)
{
  int end = b->n - 1;
  quad closing, after = {0.0}, at, coupled;
  block last_t, left_t;
  part(x, end, &closing);
  for (int k = end - 1; k >= 0; k--) {
    load(b->last_t, k, &last_t);
    apply(&last_t, &closing, &coupled);
    part(x, k, &at);
    at -= coupled;
    if (k + 1 < end) {
      load(b->left_t, k + 1, &left_t);
      apply(&left_t, &after, &coupled);
      at -= coupled;
    }
    put(&at, x, k);
    after = at;
  }
}

CAP_CLONES void capm_blocks_multiply(const capm_blocks *b, const double *x, double *p)
{
  block diagonal, lower, lower_t = {0}; /* gcc 14 warns that it is used unset */
  quad at, other, to, sum;
  memset(p, 0, sizeof(double) * (size_t)(SIZE * b->n));
  for (int k = 0; k < b->n; k++) {
    int before = k > 0 ? k - 1 : b->n - 1;
    load(b->diagonal, k, &diagonal);
    load(b->lower, k, &lower);
    transpose(&lower, &lower_t);
    part(x, k, &at);
    part(x, before, &other);
    part(p, k, &sum);
    apply(&diagonal, &at, &to);
    sum += to;
    apply(&lower, &other, &to);
    sum += to;
    put(&sum, p, k);
    part(p, before, &sum);
    apply(&lower_t, &at, &to);
    sum += to;
    put(&sum, p, before);
  }
}

static double form(const double *matrix, const double *y, const double *x)
{
  double sum = 0.0;
  for (int j = 0; j < SIZE; j++)
    for (int i = 0; i < SIZE; i++) sum += matrix[j * SIZE + i] * y[i] * x[j];
  return sum;
}

double capm_blocks_square(const capm_blocks *b, const double *x)
{
  double sum = 0.0;
  for (int k = 0; k < b->n; k++) {
    int before = (k + b->n - 1) % b->n;
    const double *at = x + k * SIZE;
    sum += form(b->diagonal + k * MATRIX, at, at) + 2.0 * form(b->lower + k * MATRIX, at, x + before * SIZE);
  }
  return sum;
}
