/* io/verify.h — whether a result file is what was written, and whether what was written can be used. */
#pragma once
#include "base/status.h"
#include <stdbool.h>
#include <stdint.h>

/* What is found, one sentence at a time. `group`: where, or NULL: the file. */
typedef void cap_verify_say(void *self, bool fault, const char *group, const char *text);

typedef struct cap_verify_report {
  bool checked;  /* its bytes have their digest; false: a file of before, which has none */
  bool complete; /* not of an interrupted run */
  int ngroup, nfault;
  int64_t nvalue, nnan;
  double relative; /* the largest energy residual of all groups, NaN: none has a balance */
} cap_verify_report;

/* Read all of a file. CAP_ERR_IO with the reason when it is damaged, or is no result; other faults are
 * said and counted. */
cap_status cap_verify_file(const char *path, cap_verify_say *say, void *self, cap_verify_report *report,
                           cap_error *error);
