/* study/study_folder.h — the folder of a study: whose it is, and that only one process works on it.
 *
 *   study.id     what the study was when it was begun: name, fingerprint, program, the files it was read from
 *   study.yaml   model.yaml: those two, as they were
 *   lock         locked while a process works on it; says which one
 *   runs/        a file for each case
 *   study.log    seconds and hosts
 *   study.h5     what was collected
 *
 * A folder is refused, and nothing in it touched, when it is no study's or another study's, when the study in
 * it was begun and is not to be resumed, when anything that decides the results has changed since, or while
 * another process has it. Sections of the study file that decide no results (its fingerprint is the same) may
 * change: the copy follows.
 */
#pragma once
#include "study/study.h"

typedef struct cap_study_folder {
  char *path;
  int lock;   /* descriptor; -1 = not locked. Workers inherit it: it is free when all of them are gone */
  bool begun; /* it was there before */
} cap_study_folder;

typedef enum cap_study_folder_mode {
  CAP_STUDY_FOLDER_BEGIN,  /* refused where the study was begun */
  CAP_STUDY_FOLDER_RESUME, /* continue what is there; begin where there is nothing */
  CAP_STUDY_FOLDER_ANEW    /* remove what a study of this name left there, whatever it was computed from */
} cap_study_folder_mode;

/* Make or open the folder `path` for `study`, and lock it. */
cap_status cap_study_folder_open(cap_study_folder *folder, const char *path, const cap_study *study,
                                 cap_study_folder_mode mode, cap_error *error);
void cap_study_folder_close(cap_study_folder *folder); /* accepts a zeroed or failed one */

/* For a process that is only a part of the work (a task of a cluster), while another has or had the lock:
 * where the study file is (to be freed), and that the study as it was read now is still that of the folder.
 * Nothing is locked or written. */
cap_status cap_study_folder_source(const char *path, char **study_path, cap_error *error);
cap_status cap_study_folder_check(const char *path, const cap_study *study, cap_error *error);

/* "PATH/NAME" in memory of the caller (to be freed); NULL: out of memory. */
char *cap_study_folder_file(const char *path, const char *name);
