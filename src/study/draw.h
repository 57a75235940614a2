/* study/draw.h — random numbers of designs: a pure function of seed, stream and counter.
 *
 * The counter is spread by the odd number of the golden section and mixed by the finaliser of SplitMix64
 * (Steele, Lea, Flood 2014), once for each of the three; no state, so that any number can be had by itself
 * and the same study gives the same cases everywhere.
 */
#pragma once
#include <stdint.h>

static inline uint64_t capm_draw_mix(uint64_t x)
{
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

static inline uint64_t capm_draw_bits(uint64_t seed, uint64_t stream, uint64_t counter)
{
  return capm_draw_mix(capm_draw_mix(capm_draw_mix(seed) ^ stream) ^ counter);
}

/* In the open interval (0, 1): the middles of 2^52 equal cells. */
static inline double capm_draw_unit(uint64_t bits)
{
  return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

/* One of 0 ... n-1, n < 2^31; the bias is below n/2^64. */
static inline uint32_t capm_draw_below(uint64_t bits, uint32_t n)
{
  uint64_t high = (bits >> 32) * n, low = (bits & 0xffffffffu) * n;
  return (uint32_t)((high + (low >> 32)) >> 32);
}
