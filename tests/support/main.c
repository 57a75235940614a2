/* The program of one kind of tests: tests_<kind> NAME [PATTERN] runs test_NAME.c, or those of its cases whose
 * name fits the pattern (* and ?). Without a name it lists them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define TEST(name) int test_##name##_main(void);
#include CAPSTAN_TEST_LIST
#undef TEST

static const struct {
  const char *name;
  int (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_##name##_main},
#include CAPSTAN_TEST_LIST
#undef TEST
};

enum { NTEST = sizeof tests / sizeof *tests, USAGE = 2 };

int main(int argc, char **argv)
{
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  for (int k = 0; argc > 1 && k < NTEST; k++)
    if (strcmp(argv[1], tests[k].name) == 0) return tests[k].run();
  if (argc > 1) fprintf(stderr, "%s has no test \"%s\"; it has\n", argv[0], argv[1]);
  for (int k = 0; k < NTEST; k++) fprintf(argc > 1 ? stderr : stdout, "%s\n", tests[k].name);
  return argc > 1 ? USAGE : 0;
}
