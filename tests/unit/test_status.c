/* Status codes: every one has its own text and sign; a failure keeps its sentence. */
#include "base/status.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
  cap_status status;
  const char *name;
} all[] = {
#define ENTRY(name, value, text) {name, #name},
    CAP_STATUS_LIST(ENTRY)
#undef ENTRY
};
enum { NSTATUS = sizeof all / sizeof *all };

static void every_code_has_a_text_of_its_own(void **state)
{
  (void)state;
  for (int i = 0; i < NSTATUS; i++) {
    const char *text = cap_status_text(all[i].status);
    assert_true(strlen(text) > 0);
    assert_string_not_equal(text, "unknown status");
    for (int k = 0; k < i; k++) {
      assert_int_not_equal(all[i].status, all[k].status);
      assert_string_not_equal(text, cap_status_text(all[k].status));
    }
  }
  assert_string_equal(cap_status_text((cap_status)99), "unknown status");
}

/* The policy loops rest on this: CAP_ERR_ is final and negative, the others are not. */
static void the_sign_follows_the_name(void **state)
{
  (void)state;
  for (int i = 0; i < NSTATUS; i++) {
    int is_error = strncmp(all[i].name, "CAP_ERR_", 8) == 0;
    assert_int_equal(all[i].status < 0, is_error);
  }
  assert_int_equal(CAP_OK, 0);
}

static void a_failure_keeps_its_sentence(void **state)
{
  (void)state;
  cap_error error = {0};
  assert_int_equal(cap_status_fail(&error, CAP_ERR_IO, "%s: line %d", "a.csv", 3), CAP_ERR_IO);
  assert_int_equal(error.status, CAP_ERR_IO);
  assert_string_equal(error.text, "a.csv: line 3");
  assert_int_equal(cap_status_fail(NULL, CAP_RETRY_NOCONV, "nobody listens"), CAP_RETRY_NOCONV);
}

static void a_failure_at_a_key_names_it(void **state)
{
  (void)state;
  cap_error error = {0};
  assert_int_equal(cap_status_fail_at(&error, CAP_ERR_INPUT, "ring.nodes", "expected %d", 8), CAP_ERR_INPUT);
  assert_string_equal(error.text, "ring.nodes: expected 8");
  assert_int_equal(error.key, strlen("ring.nodes"));
  assert_int_equal(cap_status_fail_at(NULL, CAP_ERR_INPUT, "ring", "nobody listens"), CAP_ERR_INPUT);
  cap_status_fail(&error, CAP_ERR_NUMERICS, "ring.nodes: another one");
  assert_int_equal(error.key, 0);
}

static void a_long_sentence_is_cut_not_overrun(void **state)
{
  (void)state;
  char sentence[3000];
  memset(sentence, 'a', sizeof sentence - 1);
  sentence[sizeof sentence - 1] = '\0';
  cap_error error = {0};
  cap_status_fail(&error, CAP_ERR_INPUT, "%s", sentence);
  assert_int_equal(strlen(error.text), sizeof error.text - 1);
}

static cap_status tries(cap_status first, int *reached)
{
  CAP_TRY(first);
  *reached = 1;
  return CAP_OK;
}

static void try_returns_at_the_first_trouble(void **state)
{
  (void)state;
  int reached = 0;
  assert_int_equal(tries(CAP_RETRY_NONFINITE, &reached), CAP_RETRY_NONFINITE);
  assert_int_equal(reached, 0);
  assert_int_equal(tries(CAP_OK, &reached), CAP_OK);
  assert_int_equal(reached, 1);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_code_has_a_text_of_its_own),
      cmocka_unit_test(the_sign_follows_the_name),
      cmocka_unit_test(a_failure_keeps_its_sentence),
      cmocka_unit_test(a_failure_at_a_key_names_it),
      cmocka_unit_test(a_long_sentence_is_cut_not_overrun),
      cmocka_unit_test(try_returns_at_the_first_trouble),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
