/* base/hash.c — see hash.h. */
#include "base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK = 16 };
static const uint64_t c1 = 0x87c37b91114253d5u, c2 = 0x4cf5ad432745937fu;

static uint64_t rotate(uint64_t x, int bits)
{
  return (x << bits) | (x >> (64 - bits));
}

static uint64_t avalanche(uint64_t k)
{
  k ^= k >> 33;
  k *= 0xff51afd7ed558ccdu;
  k ^= k >> 33;
  k *= 0xc4ceb9fe1a85ec53u;
  k ^= k >> 33;
  return k;
}

/* Little-endian, whatever the machine is; compilers make one load of it. */
static uint64_t load(const unsigned char *bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static void mix_first(uint64_t h[2], uint64_t k)
{
  h[0] ^= rotate(k * c1, 31) * c2;
}

static void mix_second(uint64_t h[2], uint64_t k)
{
  h[1] ^= rotate(k * c2, 33) * c1;
}

static void add_block(uint64_t h[2], const unsigned char *block)
{
  mix_first(h, load(block));
  h[0] = (rotate(h[0], 27) + h[1]) * 5 + 0x52dce729;
  mix_second(h, load(block + 8));
  h[1] = (rotate(h[1], 31) + h[0]) * 5 + 0x38495ab5;
}

void cap_hash_init(cap_hash *hash, uint32_t seed)
{
  *hash = (cap_hash){.h = {seed, seed}};
}

void cap_hash_add(cap_hash *hash, const void *bytes, size_t size)
{
  if (size == 0) return;
  const unsigned char *next = bytes;
  size_t held = hash->size % BLOCK;
  hash->size += size;
  if (held > 0) {
    size_t taken = size < BLOCK - held ? size : BLOCK - held;
    memcpy(hash->rest + held, next, taken);
    if (held + taken < BLOCK) return;
    add_block(hash->h, hash->rest);
    next += taken;
    size -= taken;
  }
  for (; size >= BLOCK; size -= BLOCK, next += BLOCK) add_block(hash->h, next);
  if (size > 0) memcpy(hash->rest, next, size);
}

cap_hash128 cap_hash_value128(const cap_hash *hash)
{
  uint64_t h[2] = {hash->h[0], hash->h[1]};
  unsigned char tail[BLOCK] = {0};
  memcpy(tail, hash->rest, hash->size % BLOCK);
  mix_second(h, load(tail + 8)); /* zeros change nothing */
  mix_first(h, load(tail));

  h[0] ^= hash->size;
  h[1] ^= hash->size;
  h[0] += h[1];
  h[1] += h[0];
  h[0] = avalanche(h[0]);
  h[1] = avalanche(h[1]);
  h[0] += h[1];
  h[1] += h[0];
  return (cap_hash128){.h = {h[0], h[1]}};
}

uint64_t cap_hash_value(const cap_hash *hash)
{
  return cap_hash_value128(hash).h[0];
}

uint64_t cap_hash_bytes(const void *bytes, size_t size)
{
  cap_hash hash;
  cap_hash_init(&hash, 0);
  cap_hash_add(&hash, bytes, size);
  return cap_hash_value(&hash);
}

void cap_hash_format(cap_hash128 value, char text[CAP_HASH_TEXT])
{
  snprintf(text, CAP_HASH_TEXT, "%016" PRIx64 "%016" PRIx64, value.h[0], value.h[1]);
}
