/* base/hash.h — a fingerprint of bytes: of a state, of a file.
 *
 * MurmurHash3, the 128-bit variant for 64-bit machines (Austin Appleby, public domain), as a stream: the same
 * bytes give the same hash however they are cut into pieces, on every machine. Not for passwords: whoever
 * wants two inputs with one hash can make them. The 64-bit hash is the first half of the 128-bit one.
 * Numbers are hashed as their bytes lie in memory, so a state hash compares machines of one byte order.
 */
#pragma once
#include <stddef.h>
#include <stdint.h>

typedef struct cap_hash {
  uint64_t h[2];
  uint64_t size; /* bytes so far */
  unsigned char rest[16];
} cap_hash;

typedef struct cap_hash128 {
  uint64_t h[2];
} cap_hash128;

enum { CAP_HASH_TEXT = 33 }; /* hexadecimal digits of 128 bits, and the end */

void cap_hash_init(cap_hash *hash, uint32_t seed);
void cap_hash_add(cap_hash *hash, const void *bytes, size_t size);
/* The hash of all bytes so far; more may be added afterwards. */
uint64_t cap_hash_value(const cap_hash *hash);
cap_hash128 cap_hash_value128(const cap_hash *hash);
/* The 64-bit hash of one piece, seed 0. */
uint64_t cap_hash_bytes(const void *bytes, size_t size);
/* Hexadecimal digits, first half first. */
void cap_hash_format(cap_hash128 value, char text[CAP_HASH_TEXT]);
