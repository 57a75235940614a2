/* base/digest.h — a digest of files against accidents: XXH64 with seed 0 (Yann Collet), as a stream.
 *
 * Four lanes of eight bytes each, so that it takes less time than reading from memory. It is a public one,
 * so that other programs can check a file. Bytes are read as little-endian numbers on every machine.
 * Whoever wants two files with one digest can make them.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cap_digest {
  uint64_t lane[4];
  uint64_t size; /* bytes so far */
  unsigned char rest[32];
} cap_digest;

void cap_digest_init(cap_digest *digest);
void cap_digest_add(cap_digest *digest, const void *bytes, size_t size);
/* Of all bytes so far; more may be added afterwards. */
uint64_t cap_digest_value(const cap_digest *digest);

/* A sum over numbers that does not depend on the order in which they come: what `value` adds at `place`.
 * The factor is odd, so that any other value adds something else; the upper half takes part in the lower
 * one, so that bits at the top of two values do not cancel. */
static inline uint64_t cap_digest_term(uint64_t value, uint64_t place)
{
  return (value ^ value >> 32) * (2 * place * 0x9e3779b97f4a7c15u + 1);
}
