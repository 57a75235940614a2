/* The fuzz target of fuzz_report.c on its seeds, and on inputs that once were findings. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* the replays are one program */
#define FUZZ_REPLAY
#include "fuzz_report.c"
#include "replay_folder.h"
// clang-format on

static void replay(void **state)
{
  (void)state;
  int seeds = replay_folder(CAPSTAN_SOURCE_DIR "/tests/data/fuzz_report");
  print_message("%d seeds\n", seeds);
  assert_true(seeds >= 3);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(replay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
