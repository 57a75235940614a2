/* The fuzz target of fuzz_csv.c on its seeds, on inputs that once were findings, and on all malformed inputs.
 */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* the replays are one program */
#include "fuzz_csv.c"
#include "replay.h"
// clang-format on

static void replay(void **state)
{
  (void)state;
  int seeds = replay_folder(CAPSTAN_SOURCE_DIR "/tests/data/fuzz_csv");
  int malformed = replay_malformed();
  print_message("%d seeds, %d malformed inputs\n", seeds, malformed);
  assert_true(seeds >= 7 && malformed >= 790);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(replay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
