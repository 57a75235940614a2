/* A result file in memory gets the digest of its bytes, as one who means harm would do it. */
#pragma once
#include "base/digest.h"
#include "io/results_block.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t reseal_number(const unsigned char *bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

/* False: the block of the file is no such one, or its table leads out of the file. */
static inline bool reseal_bytes(unsigned char *bytes, size_t size)
{
  if (size < CAP_RESULTS_BLOCK) return false;
  /* a tool that has made the file longer has put its bytes behind the table, if there is one */
  uint64_t nrange = reseal_number(bytes + 32), table = reseal_number(bytes + 40), from = 0;
  if (nrange > size / 16 || (nrange && table > size - 16 * nrange)) return false;
  if (nrange == 0) cap_results_block_put(bytes + 16, size);
  memset(bytes + CAP_RESULTS_BLOCK_DIGEST, 0, 8);
  cap_digest digest;
  cap_digest_init(&digest);
  for (uint64_t i = 0; i < nrange; i++) {
    const unsigned char *range = bytes + table + 16 * i;
    uint64_t start = reseal_number(range), end = reseal_number(range + 8);
    if (start < from || end < start || end > size) return false;
    cap_digest_add(&digest, bytes + from, start - from);
    from = end;
  }
  cap_digest_add(&digest, bytes + from, size - from);
  cap_results_block_put(bytes + CAP_RESULTS_BLOCK_DIGEST, cap_digest_value(&digest));
  return true;
}
