/* Under sanitizers everything takes six to ten times as long: what a test repeats only to be sure of a number
 * (seeds, laws, finer grids) is run once there, since memory errors show at the first. */
#pragma once

#if defined(__SANITIZE_ADDRESS__)
enum { TEST_SANITIZED = 1 };
#else
enum { TEST_SANITIZED = 0 };
#endif

#include <stdlib.h>

/* Of places that are tried one after the other: every one, or under the sanitizers every third, but for
 * `make test-all`, which sets CAPSTAN_EVERY. */
static inline int test_stride(void)
{
  return TEST_SANITIZED && !getenv("CAPSTAN_EVERY") ? 3 : 1;
}
