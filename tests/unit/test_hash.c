/* The hash: published values, any cutting into pieces, sensitivity. */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static cap_hash128 hash_once(const void *bytes, size_t size, uint32_t seed)
{
  cap_hash hash;
  cap_hash_init(&hash, seed);
  cap_hash_add(&hash, bytes, size);
  return cap_hash_value128(&hash);
}

static void expect_text(const char *input, const char *expected)
{
  char text[CAP_HASH_TEXT];
  cap_hash_format(hash_once(input, strlen(input), 0), text);
  assert_string_equal(text, expected);
}

static void gives_the_published_values(void **state)
{
  (void)state;
  expect_text("", "00000000000000000000000000000000");
  expect_text("hello", "cbd8a7b341bd9b025b1e906a48ae1d19");
  expect_text("The quick brown fox jumps over the lazy dog", "e34bbc7bbc071b6c7a433ca9c49a9347");
}

static void put_little_endian(cap_hash128 value, unsigned char out[16])
{
  for (int i = 0; i < 16; i++) out[i] = (unsigned char)(value.h[i / 8] >> (8 * (i % 8)));
}

/* SMHasher's verification value: keys {}, {0}, {0,1}, ...
 * with falling seeds, and the hash of their hashes. */
static void passes_smhasher_verification(void **state)
{
  (void)state;
  unsigned char key[256], hashes[256 * 16], last[16];
  for (int i = 0; i < 256; i++) {
    key[i] = (unsigned char)i;
    put_little_endian(hash_once(key, (size_t)i, (uint32_t)(256 - i)), hashes + 16 * i);
  }
  put_little_endian(hash_once(hashes, sizeof hashes, 0), last);
  uint32_t value = last[0] | (uint32_t)last[1] << 8 | (uint32_t)last[2] << 16 | (uint32_t)last[3] << 24;
  assert_int_equal(value, 0x6384BA69);
}

static void does_not_see_how_bytes_are_cut(void **state)
{
  (void)state;
  unsigned char bytes[200];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (unsigned char)(i * 37 + 11);
  cap_hash128 whole = hash_once(bytes, sizeof bytes, 5);
  for (size_t piece = 1; piece <= sizeof bytes; piece++) {
    cap_hash hash;
    cap_hash_init(&hash, 5);
    for (size_t at = 0; at < sizeof bytes; at += piece) {
      size_t left = sizeof bytes - at;
      cap_hash_add(&hash, bytes + at, left < piece ? left : piece);
      cap_hash_add(&hash, NULL, 0);
      cap_hash_value(&hash); /* looking does not disturb */
    }
    cap_hash128 pieces = cap_hash_value128(&hash);
    assert_memory_equal(&pieces, &whole, sizeof whole);
  }
}

static void sees_every_bit_and_the_length(void **state)
{
  (void)state;
  double values[5] = {0.0, 1.0, -2.5, 1e-300, 13.0};
  uint64_t before = cap_hash_bytes(values, sizeof values);
  for (size_t bit = 0; bit < 8 * sizeof values; bit++) {
    unsigned char *byte = (unsigned char *)values + bit / 8;
    *byte ^= (unsigned char)(1u << (bit % 8));
    assert_true(cap_hash_bytes(values, sizeof values) != before);
    *byte ^= (unsigned char)(1u << (bit % 8));
  }
  assert_true(cap_hash_bytes(values, sizeof values) == before);

  unsigned char zeros[64] = {0};
  for (size_t n = 1; n < sizeof zeros; n++)
    assert_true(cap_hash_bytes(zeros, n) != cap_hash_bytes(zeros, n + 1));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(gives_the_published_values),
      cmocka_unit_test(passes_smhasher_verification),
      cmocka_unit_test(does_not_see_how_bytes_are_cut),
      cmocka_unit_test(sees_every_bit_and_the_length),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
