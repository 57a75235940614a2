/* linalg/nullspace.c — see nullspace.h. */
#include "linalg/nullspace.h"

#include <math.h>

/* Bring the largest entry of the rest of the matrix to place k; its size. */
static double pivot(int n, double *a, int k, int *columns)
{
  int row = k, column = k;
  for (int i = k; i < n; i++)
    for (int j = k; j < n; j++)
      if (fabs(a[i * n + j]) > fabs(a[row * n + column])) row = i, column = j;
  for (int j = 0; j < n; j++) {
    double keep = a[k * n + j];
    a[k * n + j] = a[row * n + j];
    a[row * n + j] = keep;
  }
  for (int i = 0; i < n; i++) {
    double keep = a[i * n + k];
    a[i * n + k] = a[i * n + column];
    a[i * n + column] = keep;
  }
  int keep = columns[k];
  columns[k] = columns[column];
  columns[column] = keep;
  return fabs(a[k * n + k]);
}

int capm_nullspace(int n, double *a, double tolerance, double *basis, int *columns)
{
  double largest = 0.0;
  int rank = 0;
  for (int i = 0; i < n * n; i++) largest = fmax(largest, fabs(a[i]));
  for (int i = 0; i < n; i++) columns[i] = i;
  while (rank < n) {
    double size = pivot(n, a, rank, columns);
    if (!(size > tolerance * largest)) break;
    for (int i = 0; i < n; i++) {
      double f = a[i * n + rank] / a[rank * n + rank];
      for (int j = rank; i != rank && j < n; j++) a[i * n + j] -= f * a[rank * n + j];
    }
    rank++;
  }
  for (int free = rank; free < n; free++) {
    double *x = basis + (free - rank) * n;
    for (int i = 0; i < n; i++) x[i] = 0.0;
    x[columns[free]] = 1.0;
    for (int i = 0; i < rank; i++) x[columns[i]] = -a[i * n + free] / a[i * n + i];
  }
  return n - rank;
}
