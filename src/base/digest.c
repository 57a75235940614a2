/* base/digest.c — see digest.h. */
#include "base/digest.h"

#include <string.h>

enum { BLOCK = 32 };
static const uint64_t P1 = 0x9e3779b185ebca87u, P2 = 0xc2b2ae3d27d4eb4fu, P3 = 0x165667b19e3779f9u,
                      P4 = 0x85ebca77c2b2ae63u, P5 = 0x27d4eb2f165667c5u;

static uint64_t rotate(uint64_t x, int bits)
{
  return (x << bits) | (x >> (64 - bits));
}

/* Little-endian, whatever the machine is; compilers make one load of it. */
static uint64_t load(const unsigned char *bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static uint64_t mix(uint64_t lane, uint64_t value)
{
  return rotate(lane + value * P2, 31) * P1;
}

void cap_digest_init(cap_digest *digest)
{
  *digest = (cap_digest){.lane = {P1 + P2, P2, 0, 0 - P1}};
}

/* Whole blocks; what is left of them. */
static const unsigned char *add_blocks(uint64_t lane[4], const unsigned char *next, const unsigned char *end)
{
  uint64_t a = lane[0], b = lane[1], c = lane[2], d = lane[3];
  for (; end - next >= BLOCK; next += BLOCK) {
    a = mix(a, load(next));
    b = mix(b, load(next + 8));
    c = mix(c, load(next + 16));
    d = mix(d, load(next + 24));
  }
  lane[0] = a, lane[1] = b, lane[2] = c, lane[3] = d;
  return next;
}

void cap_digest_add(cap_digest *digest, const void *bytes, size_t size)
{
  if (size == 0) return;
  const unsigned char *next = bytes, *end = next + size;
  size_t held = digest->size % BLOCK;
  digest->size += size;
  if (held > 0) {
    size_t taken = size < BLOCK - held ? size : BLOCK - held;
    memcpy(digest->rest + held, next, taken);
    if (held + taken < BLOCK) return;
    add_blocks(digest->lane, digest->rest, digest->rest + BLOCK);
    next += taken;
  }
  next = add_blocks(digest->lane, next, end);
  if (next < end) memcpy(digest->rest, next, (size_t)(end - next));
}

static uint64_t merge_lanes(const uint64_t lane[4])
{
  uint64_t h = rotate(lane[0], 1) + rotate(lane[1], 7) + rotate(lane[2], 12) + rotate(lane[3], 18);
  for (int i = 0; i < 4; i++) h = (h ^ mix(0, lane[i])) * P1 + P4;
  return h;
}

/* The bytes that fill no block. */
static uint64_t add_rest(uint64_t h, const unsigned char *next, size_t left)
{
  for (; left >= 8; left -= 8, next += 8) h = rotate(h ^ mix(0, load(next)), 27) * P1 + P4;
  if (left >= 4) {
    uint64_t word = 0;
    for (int i = 0; i < 4; i++) word |= (uint64_t)next[i] << (8 * i);
    h = rotate(h ^ word * P1, 23) * P2 + P3;
    next += 4;
    left -= 4;
  }
  for (; left > 0; left--, next++) h = rotate(h ^ *next * P5, 11) * P1;
  return h;
}

uint64_t cap_digest_value(const cap_digest *digest)
{
  uint64_t h = digest->size >= BLOCK ? merge_lanes(digest->lane) : P5;
  h = add_rest(h + digest->size, digest->rest, digest->size % BLOCK);
  h = (h ^ h >> 33) * P2;
  h = (h ^ h >> 29) * P3;
  return h ^ h >> 32;
}
