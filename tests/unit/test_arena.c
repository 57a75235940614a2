/* The arena: alignment, zeroing, pointers that stay, refusal of impossible sizes. */
#include "base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int is_zero(const unsigned char *bytes, size_t size)
{
  for (size_t i = 0; i < size; i++)
    if (bytes[i]) return 0;
  return 1;
}

static void hands_out_aligned_zeroed_memory(void **state)
{
  (void)state;
  cap_arena arena = {0};
  const size_t sizes[] = {0, 1, 63, 64, 65, 1000, 64 * 1024, 64 * 1024 + 1, 300000};
  for (int round = 0; round < 2; round++) { /* the second round reuses dirty memory */
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
      unsigned char *place = cap_arena_alloc(&arena, sizes[i]);
      assert_non_null(place);
      assert_int_equal((uintptr_t)place % 64, 0);
      assert_true(is_zero(place, sizes[i]));
      memset(place, 0xff, sizes[i]);
    }
    cap_arena_reset(&arena);
  }
  cap_arena_free(&arena);
}

static void keeps_pointers_valid_while_it_grows(void **state)
{
  (void)state;
  enum { COUNT = 500 };
  cap_arena arena = {0};
  int *numbers[COUNT];
  for (int i = 0; i < COUNT; i++) {
    numbers[i] = CAP_ARENA_NEW(&arena, int, 100 + i);
    assert_non_null(numbers[i]);
    for (int k = 0; k < 100 + i; k++) numbers[i][k] = i;
  }
  for (int i = 0; i < COUNT; i++)
    for (int k = 0; k < 100 + i; k++) assert_int_equal(numbers[i][k], i);
  cap_arena_free(&arena);
}

static void reuses_memory_after_reset(void **state)
{
  (void)state;
  cap_arena arena = {0};
  void *first = cap_arena_alloc(&arena, 4096);
  size_t used = arena.used;
  cap_arena_reset(&arena);
  assert_int_equal(arena.used, 0);
  assert_int_equal(arena.peak, used);
  assert_ptr_equal(cap_arena_alloc(&arena, 4096), first);
  cap_arena_free(&arena);
  assert_null(arena.head);
  cap_arena_free(&arena); /* a zeroed arena is fine */
}

static void refuses_impossible_sizes(void **state)
{
  (void)state;
  cap_arena arena = {0};
  /* volatile: the compiler must not see, and warn of, what the arena is meant to catch */
  volatile size_t huge = SIZE_MAX;
  assert_null(cap_arena_alloc(&arena, huge));
  assert_null(cap_arena_alloc(&arena, huge - 70));
  assert_null(cap_arena_array(&arena, huge / 4, 8));
  assert_null(cap_arena_array(&arena, 8, huge / 4));
  assert_int_equal(arena.used, 0);
  cap_arena_free(&arena);
}

static void copies_and_formats_text(void **state)
{
  (void)state;
  cap_arena arena = {0};
  char text[] = "belt";
  char *copy = cap_arena_copy_text(&arena, text);
  text[0] = 'f';
  assert_string_equal(copy, "belt");
  assert_string_equal(cap_arena_format(&arena, "%s[%d].%s", "pulleys", 2, "radius"), "pulleys[2].radius");
  assert_string_equal(cap_arena_format(&arena, "%s", ""), "");
  cap_arena_free(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(hands_out_aligned_zeroed_memory),
      cmocka_unit_test(keeps_pointers_valid_while_it_grows),
      cmocka_unit_test(reuses_memory_after_reset),
      cmocka_unit_test(refuses_impossible_sizes),
      cmocka_unit_test(copies_and_formats_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
