/* study/study_file.h — a study file read, checked, and its cases made. docs/study_file.md describes it.
 *
 * Everything is refused before anything runs: unknown keys, values that the model does not take, designs that
 * do not suit. All findings are told at once, with file, line and column.
 */
#pragma once
#include "base/diag.h"
#include "study/study.h"

/* Texts that stand for files: of the copies that the folder of a study has. The paths are the original ones,
 * and data files are looked for beside them. */
typedef struct cap_study_file_source {
  const char *path, *text; /* text NULL: read the file */
  size_t size;
  const char *model_text; /* NULL: read the file that the study file names */
  size_t model_size;
  bool checked; /* the very same texts were found good before: what a model says to the values is not asked
                   again */
} cap_study_file_source;

/* CAP_ERR_INPUT with findings in `diag`, which is initialised here. */
cap_status cap_study_file_read(const char *path, cap_study **study, cap_diag *diag);
cap_status cap_study_file_parse(const cap_study_file_source *source, cap_study **study, cap_diag *diag);
