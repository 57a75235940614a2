/* The fuzz target of fuzz_study_file.c on its seeds, on inputs that once were findings, and on all malformed
 * inputs. */
// clang-format off
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
static int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); /* the replays are one program */
#include "fuzz_study_file.c"
#include "replay.h"
// clang-format on

static void replay(void **state)
{
  (void)state;
  int seeds = replay_folder(CAPSTAN_SOURCE_DIR "/tests/data/fuzz_study_file");
  int malformed = replay_malformed();
  print_message("%d seeds, %d malformed inputs\n", seeds, malformed);
  assert_true(seeds >= 3 && malformed >= 790);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(replay)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
