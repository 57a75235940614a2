/* study/study_case.h — one case of a study: computing it into its file, and what came of it.
 *
 * The file of a case is an ordinary result with a group `case` (kind "case") at its end:
 *   numbers  case (from 1; 0: of an optimiser), state (cap_study_state), steps, iterations,
 *            response.NAME for each response (NaN where there is none)
 *   texts    fingerprint (of the study), reason (why the case failed, or what is to be said of a response)
 *   arrays   end.FIELD, where cases start from the ends of others: the state at its end
 *            (cap_data_start_views). Of a case that failed it is the state that it started from, so that a
 *            chain goes on from the last good one; there are none when that was the model's own.
 * A case that failed has such a file, too; it is then not complete, and has state CAP_STUDY_FAILED. What is
 * interrupted stays runs/00012.h5.part and is resumed to the same bytes.
 */
#pragma once
#include "base/progress.h"
#include "io/durable.h"
#include "study/study.h"

#include <stddef.h>
#include <stdint.h>

/* What one worker keeps from case to case (the end of the last one, tables of units); of one thread. May be
 * left out: it changes nothing but the time taken. */
typedef struct cap_study_case_memory cap_study_case_memory;
cap_study_case_memory *cap_study_case_memory_create(void);      /* NULL: out of memory */
void cap_study_case_memory_free(cap_study_case_memory *memory); /* accepts NULL */

enum { CAP_STUDY_CASE_REASON = 256 };

typedef struct cap_study_case_row {
  cap_study_state state;
  double steps, iterations; /* of the computation; the same in every run of it */
  char reason[CAP_STUDY_CASE_REASON];
  uint64_t machine;  /* hash of the kind of machine that computed it (base/machine.h); 0 = nobody knows */
  double *responses; /* [nresponse] the caller's; NaN where there is none */
} cap_study_case_row;

typedef struct cap_study_case_options {
  const cap_progress *progress;  /* may be NULL */
  bool resume;                   /* go on with what an interrupted run left */
  cap_study_case_memory *memory; /* may be NULL */
  /* Takes the finished file, with the number of the case as tag; it is there when `done` is called of it.
   * NULL: it is there when the function returns. */
  cap_durable *durable;
  cap_study_case_row *row; /* gets what came of the case, as a read of its file would; may be NULL */
} cap_study_case_options;

/* FOLDER/runs/00012.h5 of case number 11, with as many digits as the study needs. False: no room. */
bool cap_study_case_path(const cap_study *study, const char *folder, int64_t k, char *path, size_t size);

/* Compute case k into its file, from the end of case `before` (-1: from the model's own start). A file of
 * this case that is there already is left as it is. CAP_OK also when the computation failed: that is a row
 * with its reason. An error is what leaves the case missing: CAP_ERR_IO, CAP_ERR_NOMEM, CAP_STOPPED, and
 * CAP_ERR_INPUT when there is a file of another study, or none of the case before. */
cap_status cap_study_case_run(const cap_study *study, const char *folder, int64_t k, int64_t before,
                              const cap_study_case_options *options, cap_error *error);
/* The same for values of an optimiser, into `path`. */
cap_status cap_study_case_run_at(const cap_study *study, const char *path, const double *values, int64_t seed,
                                 const cap_study_case_options *options, cap_error *error);

/* What there is of case k: CAP_STUDY_MISSING when it has no finished file. CAP_ERR_INPUT when the file is
 * that of another study or of other settings. */
cap_status cap_study_case_read(const cap_study *study, const char *folder, int64_t k, cap_study_case_row *row,
                               cap_error *error);
cap_status cap_study_case_read_at(const cap_study *study, const char *path, const double *values,
                                  int64_t seed, cap_study_case_row *row, cap_error *error);
/* The units of the responses (SI), as the file of case k has them; copied to `arena`. */
cap_status cap_study_case_units(const cap_study *study, const char *folder, int64_t k, cap_arena *arena,
                                const char **units, cap_error *error);
