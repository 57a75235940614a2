/* linalg/nullspace.h — the null space of a small square matrix, by elimination with full pivoting. */
#pragma once

/* basis[i][n], i < the dimension that is returned, spans {x: a x = 0}; a[n][n] is overwritten. Pivots below
 * tolerance times the largest entry count as zero. columns[n]: the eliminated columns first, the free ones
 * last; basis vector i has a one in the free column i and zeros in the others. */
int capm_nullspace(int n, double *a, double tolerance, double *basis, int *columns);
