/* study/sobol: published points, the properties of nets, and how evenly the points lie. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
// clang-format on
#include "study/sobol.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first points of three coordinates that Joe and Kuo print with their program, moved by half a cell. */
static void published_points(void **state)
{
  (void)state;
  static const double points[10][3] = {{0, 0, 0},
                                       {0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25},
                                       {0.25, 0.75, 0.75},
                                       {0.375, 0.375, 0.625},
                                       {0.875, 0.875, 0.125},
                                       {0.625, 0.125, 0.875},
                                       {0.125, 0.625, 0.375},
                                       {0.1875, 0.3125, 0.9375},
                                       {0.6875, 0.8125, 0.4375}};
  cap_sobol s;
  double u[3];
  cap_sobol_init(&s, 3, 10, 0);
  for (int k = 0; k < 10; k++) {
    cap_sobol_next(&s, u);
    for (int d = 0; d < 3; d++) assert_true(u[d] == points[k][d] + 1.0 / 32);
  }
}

enum { MOST = 4096 };

static double *make_points(int dimensions, int n, uint64_t seed)
{
  double *u = malloc((size_t)(n * dimensions) * sizeof *u);
  assert_non_null(u);
  cap_sobol s;
  cap_sobol_init(&s, dimensions, n, seed);
  for (int k = 0; k < n; k++) cap_sobol_next(&s, u + k * dimensions);
  return u;
}

/* Each of 2^m equal parts of each coordinate holds one of any 2^m points that follow each other from a
 * multiple of 2^m on, with and without a shift. */
static void each_coordinate_is_even(void **state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 3; seed++) {
    double *u = make_points(CAP_SOBOL_DIMENSIONS, 1024, seed);
    for (int n = 1; n <= 1024; n *= 2)
      for (int d = 0; d < CAP_SOBOL_DIMENSIONS; d++)
        for (int first = 0; first < 1024; first += n) {
          unsigned char found[1024] = {0};
          for (int k = first; k < first + n; k++) {
            double x = u[k * CAP_SOBOL_DIMENSIONS + d];
            assert_true(x > 0.0 && x < 1.0);
            assert_int_equal(found[(int)(x * n)]++, 0);
          }
        }
    free(u);
  }
}

/* The smallest t for which 2^m points in coordinates a and b are a (t, m, 2)-net: every box of 2^-i by
 * 2^-(m-t-i) holds 2^t of them. */
static int quality(const double *u, int dimensions, int m, int a, int b)
{
  for (int t = 0; t <= m; t++) {
    bool even = true;
    for (int i = 0; i <= m - t && even; i++) {
      int count[MOST] = {0}, rows = 1 << i, columns = 1 << (m - t - i);
      for (int k = 0; k < 1 << m && even; k++) {
        const double *at = u + k * dimensions;
        even = ++count[(int)(at[a] * rows) * columns + (int)(at[b] * columns)] <= 1 << t;
      }
    }
    if (even) return t;
  }
  return m + 1;
}

/* The first two coordinates are as even as points can be. Of all pairs, the published quality of these
 * direction numbers is t <= 9 for 2^10 points; a digital shift leaves it as it is. */
static void pairs_are_nets(void **state)
{
  (void)state;
  enum { D = 24 };
  double *u = make_points(D, 1024, 0), *shifted = make_points(D, 1024, 5);
  double *large = make_points(2, MOST, 0);
  assert_int_equal(quality(large, 2, 12, 0, 1), 0);
  int worst = 0, sum = 0, pairs = 0;
  for (int a = 0; a < D; a++)
    for (int b = a + 1; b < D; b++) {
      int t = quality(u, D, 10, a, b);
      if (a % 5 == 0) assert_int_equal(quality(shifted, D, 10, a, b), t);
      worst = t > worst ? t : worst;
      sum += t;
      pairs++;
    }
  print_message("quality of pairs of %d coordinates, 1024 points: worst t = %d, mean %.2f\n", D, worst,
                (double)sum / pairs);
  assert_true(worst <= 9);
  free(u);
  free(shifted);
  free(large);
}

/* Sobol's property A: of 2^d points each of the 2^d octants of the cube of d coordinates holds one; that is,
 * the first bits of the direction numbers are an invertible matrix. Any mistake in the table would most
 * likely break it. */
static void property_a(void **state)
{
  (void)state;
  cap_sobol s;
  cap_sobol_init(&s, CAP_SOBOL_DIMENSIONS, 1, 0);
  int holds = 0;
  for (int n = 1; n <= CAP_SOBOL_BITS; n++) {
    uint64_t rows[CAP_SOBOL_BITS];
    for (int d = 0; d < n; d++) {
      rows[d] = 0;
      for (int k = 0; k < n; k++) rows[d] |= (uint64_t)(s.directions[d][k] >> 31) << k;
    }
    int rank = 0;
    for (int k = 0; k < n; k++) {
      int pivot = rank;
      while (pivot < n && !(rows[pivot] >> k & 1)) pivot++;
      if (pivot == n) continue;
      uint64_t row = rows[pivot];
      rows[pivot] = rows[rank];
      rows[rank] = row;
      for (int d = 0; d < n; d++)
        if (d != rank && (rows[d] >> k & 1)) rows[d] ^= row;
      rank++;
    }
    holds += rank == n;
  }
  print_message("property A holds for %d of %d\n", holds, CAP_SOBOL_BITS);
  assert_int_equal(holds, CAP_SOBOL_BITS);
}

/* Warnock's formula for the mean square of the discrepancy of boxes at the origin. */
static double discrepancy(const double *u, int dimensions, int n)
{
  double first = 0, second = 0;
  for (int i = 0; i < n; i++) {
    double product = 1;
    for (int d = 0; d < dimensions; d++) product *= 1 - u[i * dimensions + d] * u[i * dimensions + d];
    first += product;
    for (int k = 0; k < n; k++) {
      product = 1;
      for (int d = 0; d < dimensions; d++) product *= 1 - fmax(u[i * dimensions + d], u[k * dimensions + d]);
      second += product;
    }
  }
  return sqrt(pow(3.0, -dimensions) - pow(2.0, 1 - dimensions) / n * first + second / ((double)n * n));
}

/* Points drawn at random have the mean square (2^-d - 3^-d)/n. */
static void more_even_than_chance(void **state)
{
  (void)state;
  for (int dimensions = 2; dimensions <= 6; dimensions += 2) {
    enum { N = 512 };
    double *u = make_points(dimensions, N, 0);
    double even = discrepancy(u, dimensions, N),
           chance = sqrt((pow(2.0, -dimensions) - pow(3.0, -dimensions)) / N);
    print_message("%d coordinates, %d points: discrepancy %.2e, by chance %.2e\n", dimensions, N, even,
                  chance);
    assert_true(even < 0.5 * chance);
    free(u);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(published_points),      cmocka_unit_test(each_coordinate_is_even),
      cmocka_unit_test(pairs_are_nets),        cmocka_unit_test(property_a),
      cmocka_unit_test(more_even_than_chance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
