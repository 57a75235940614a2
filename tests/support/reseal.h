/* A result file that was changed on purpose gets the digest of its new bytes, as one who means harm would
 * do it. Include once, after cmocka.h. */
#pragma once
#include "base/digest.h"
#include "io/results_block.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline uint64_t reseal_number(const unsigned char *bytes)
{
  uint64_t value = 0;
  for (int i = 0; i < 8; i++) value |= (uint64_t)bytes[i] << (8 * i);
  return value;
}

static inline void reseal(const char *path)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file), from = 0;
  unsigned char *bytes = malloc(size), number[8];
  assert_non_null(bytes);
  rewind(file);
  assert_int_equal(fread(bytes, 1, size, file), size);
  /* a tool that has made the file longer has put its bytes behind the table, if there is one */
  uint64_t nrange = reseal_number(bytes + 32), table = reseal_number(bytes + 40);
  if (nrange == 0) cap_results_block_put(bytes + 16, size);
  memset(bytes + CAP_RESULTS_BLOCK_DIGEST, 0, 8);
  cap_digest digest;
  cap_digest_init(&digest);
  for (uint64_t i = 0; i < nrange; i++) {
    const unsigned char *range = bytes + table + 16 * i;
    cap_digest_add(&digest, bytes + from, reseal_number(range) - from);
    from = reseal_number(range + 8);
  }
  cap_digest_add(&digest, bytes + from, size - from);
  cap_results_block_put(number, cap_digest_value(&digest));
  memcpy(bytes + CAP_RESULTS_BLOCK_DIGEST, number, 8);
  rewind(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  free(bytes);
}
