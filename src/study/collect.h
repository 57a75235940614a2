/* study/collect.h — what came of the cases, gathered in memory and written to FOLDER/study.h5.
 *
 * The rows lie in memory that forked processes share, so that a worker puts a row where it is wanted, and
 * nothing is read twice. It is taken page by page as rows come: at most a kilobyte a case, see the tests.
 * The file is an ordinary result with one group `study`; its bytes depend on the rows only, not on who
 * computed them, in which order, or how often that was interrupted. Seconds and hosts are in study.log.
 */
#pragma once
#include "base/sink.h"
#include "study/study_case.h"

typedef struct cap_collect {
  const cap_study *study;
  cap_study_table table;
  double *steps, *iterations;             /* [ncase] */
  uint64_t *machines;                     /* [ncase] cap_study_case_row.machine */
  char (*reasons)[CAP_STUDY_CASE_REASON]; /* [ncase] */
  unsigned char *said;                    /* [ncase] it has a reason: the others' pages are never touched */
  void *shared;
  size_t size;
} cap_collect;

/* All cases missing. */
cap_status cap_collect_create(cap_collect *collect, const cap_study *study, cap_error *error);
void cap_collect_free(cap_collect *collect); /* accepts a zeroed one */
/* The row of case k; from any process and thread, each case from one at a time. False: it was there. */
bool cap_collect_put(cap_collect *collect, int64_t k, const cap_study_case_row *row);
cap_study_state cap_collect_state(const cap_collect *collect, int64_t k);
int64_t cap_collect_count(const cap_collect *collect, cap_study_state state);

/* How many kinds of machine computed the cases: of more than one the last digits may differ. */
int cap_collect_machines(const cap_collect *collect);

/* Another group of the file, after `study`; `units` are those of the responses. */
typedef struct cap_collect_more {
  cap_status (*put)(void *self, const char *const *units, cap_sink *sink, cap_error *error);
  void *self;
} cap_collect_more;

/* Write study.h5, with `more` unless that is NULL; complete when no case is missing. `where` (of `size`
 * bytes) gets the path of what was written: a complete study.h5 is not replaced by an incomplete one, which
 * is then study.h5.part. */
cap_status cap_collect_write(const cap_collect *collect, const char *folder, const cap_collect_more *more,
                             char *where, size_t size, cap_error *error);
