/* How much a test does: CAPSTAN_LEVEL is quick, test (also when it is not set) or all (docs/testing.md). What
 * is left to `make test-all` says so; scripts/check_levels.sh sees to it that docs/testing.md lists it. After
 * cmocka.h. */
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline bool test_level_is_all(void)
{
  const char *level = getenv("CAPSTAN_LEVEL");
  if (level && strcmp(level, "quick") != 0 && strcmp(level, "test") != 0 && strcmp(level, "all") != 0) {
    fprintf(stderr, "CAPSTAN_LEVEL is \"%s\", not quick, test or all\n", level);
    exit(2);
  }
  return level && strcmp(level, "all") == 0;
}

/* Whether this is `make test-all`; if not, a line tells what is left out. */
static inline bool test_all(const char *what)
{
  bool all = test_level_is_all();
  if (!all) printf("  left to make test-all: %s\n", what);
  return all;
}
