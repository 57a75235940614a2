/* A whole run whose allocations fail one after the other: each time an error that says so or a whole result,
 * no crash, no leak (with the sanitizers). Include once, in a test of the kind "fault", after cmocka.h. */
#pragma once
#include "failing.h"
#include "sanitized.h"
#include "system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The first `one_by_one` allocations each, later ones in strides (each point of a curve repeats those of the
 * one before). At least `least` must have been tried, and no more than `share` of them may do without. */
static void test_starve(const char *text, int one_by_one, int stride, int least, double share)
{
  char folder[64], path[96], part[128];
  int places = 0, tried = 0, unnoticed = 0;
  strcpy(folder,
         access("/dev/shm", W_OK) == 0 ? "/dev/shm/capstan-fault-XXXXXX" : "/tmp/capstan-fault-XXXXXX");
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/t.h5", folder);
  snprintf(part, sizeof part, "%s.part", path);
  test_system s = test_system_open(text);
  for (struck = true; struck; places += test_stride() * (places < one_by_one ? 1 : stride), tried++) {
    cap_error error = {0};
    cap_execute_options options = {.threads = 1};
    struck = false;
    countdown = places;
    cap_status status = cap_execute_file(s.file, path, &options, NULL, 0, &error);
    countdown = -1;
    unnoticed += struck && status == CAP_OK;
    if (struck && status != CAP_OK && !error.text[0] && status != CAP_ERR_NOMEM)
      fail_msg("allocation %d: status %d without a reason", places, status);
    if (!struck && status != CAP_OK) fail_msg("%s", error.text);
    remove(path);
    remove(part);
  }
  test_system_close(&s);
  assert_int_equal(rmdir(folder), 0);
  print_message("  %d of some %d allocations failed, %d did without\n", tried - 1, places, unnoticed);
  assert_true(tried * test_stride() > least);
  assert_true(unnoticed < tried * share);
}
