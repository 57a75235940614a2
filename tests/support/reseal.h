/* A result file that was changed on purpose gets the digest of its new bytes, as one who means harm would do
 * it. Include once, after cmocka.h. */
#pragma once
#include "reseal_bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void reseal(const char *path)
{
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  unsigned char *bytes = malloc(size);
  assert_non_null(bytes);
  rewind(file);
  assert_int_equal(fread(bytes, 1, size, file), size);
  assert_true(reseal_bytes(bytes, size));
  rewind(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
  free(bytes);
}
