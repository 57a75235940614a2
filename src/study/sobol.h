/* study/sobol.h — Sobol' sequences: points that fill a cube evenly, docs/study_file.md.
 *
 * Direction numbers of Joe and Kuo (SIAM J. Sci. Comput. 30, 2008, the set "new-joe-kuo-6"), points in the
 * order of the Gray code (Antonov and Saleev). The origin is kept, since without it the first 2^m points are
 * no net any more; so that no coordinate is 0, where a normal law has its infinity,
 *   seed 0    moves all points by half of a cell, 2^-(m+1) for up to 2^m points: each coordinate of the first
 *             2^m points is then a middle of 2^m equal parts;
 *   otherwise a digital shift drawn from the seed turns the bits of each coordinate, which keeps the net, and
 *             points are moved by half of the last bit.
 */
#pragma once
#include <stdint.h>

enum { CAP_SOBOL_DIMENSIONS = 128, CAP_SOBOL_BITS = 32 };

typedef struct cap_sobol {
  int dimensions;
  uint32_t next; /* number of the next point */
  double middle; /* that is added */
  uint32_t x[CAP_SOBOL_DIMENSIONS], shift[CAP_SOBOL_DIMENSIONS];
  uint32_t directions[CAP_SOBOL_DIMENSIONS][CAP_SOBOL_BITS];
} cap_sobol;

/* Points of `dimensions` coordinates, `count` of them. */
void cap_sobol_init(cap_sobol *sobol, int dimensions, int64_t count, uint64_t seed);
/* The next point, u[dimensions], each within (0, 1). */
void cap_sobol_next(cap_sobol *sobol, double *u);
