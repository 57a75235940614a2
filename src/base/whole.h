/* base/whole.h — a double as a count or an index, where it may be larger than any, or none at all.
 *
 * The cast of a double that does not fit is undefined: a ring thrown far in a trial step gave a negative
 * index and a loop without end. Where such a value is to be refused, it is compared before; where it only
 * chooses where to look, these cut it off. Written so that loops over lanes still vectorise.
 */
#pragma once
#include <stdint.h>

/* x without its fraction, but not beyond low or high; low when x is not a number. */
static inline int capm_whole_between(double x, int low, int high)
{
  double above = x > low ? x : low;
  return (int)(above < high ? above : high);
}

/* The same of wide numbers: -2^62 <= low, high <= 2^62. */
static inline int64_t capm_whole_wide(double x, int64_t low, int64_t high)
{
  double above = x > (double)low ? x : (double)low;
  return above < (double)high ? (int64_t)above : high;
}
