/* The digest of result files is XXH64, however its bytes are cut into pieces. */
#include "base/digest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t digest_of(const void *bytes, size_t size, size_t piece)
{
  cap_digest digest;
  cap_digest_init(&digest);
  for (size_t at = 0; at < size; at += piece)
    cap_digest_add(&digest, (const char *)bytes + at, size - at < piece ? size - at : piece);
  return cap_digest_value(&digest);
}

/* Values of the reference implementation: the empty text and two others, and its own self-test, whose bytes
 * are the top ones of powers of a prime. */
static void test_reference(void **state)
{
  (void)state;
  assert_true(digest_of("", 0, 1) == 0xef46db3751d8e999u);
  assert_true(digest_of("a", 1, 1) == 0xd24ec4f1a98c6e5bu);
  assert_true(digest_of("abc", 3, 2) == 0x44bc2cf5ad770999u);
  unsigned char bytes[222];
  uint64_t power = 2654435761u;
  for (size_t i = 0; i < sizeof bytes; i++, power *= 11400714785074694797u)
    bytes[i] = (unsigned char)(power >> 56);
  assert_true(digest_of(bytes, 1, 1) == 0xe934a84adb052768u);
  assert_true(digest_of(bytes, 4, 3) == 0x9136a0dca57457eeu);
  assert_true(digest_of(bytes, 14, 14) == 0x8282dcc4994e35c8u);
  assert_true(digest_of(bytes, 222, 31) == 0xb641ae8cb691c174u);
}

static void test_pieces(void **state)
{
  (void)state;
  unsigned char bytes[300];
  for (int i = 0; i < 300; i++) bytes[i] = (unsigned char)(i * i);
  for (size_t size = 0; size < sizeof bytes; size++)
    for (size_t piece = 1; piece < 80; piece += 6)
      assert_true(digest_of(bytes, size, piece) == digest_of(bytes, size, size + 1));
}

/* Each single bit changes it, at every length. */
static void test_every_bit(void **state)
{
  (void)state;
  unsigned char bytes[100] = {0};
  for (size_t size = 1; size < sizeof bytes; size++) {
    uint64_t before = digest_of(bytes, size, size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
      assert_true(digest_of(bytes, size, size) != before);
      bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reference),
      cmocka_unit_test(test_pieces),
      cmocka_unit_test(test_every_bit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
