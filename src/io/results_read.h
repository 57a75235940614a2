/* io/results_read.h — reads a result file: its description (results_tree.h) and the values of its datasets.
 *
 * Works on complete files, on interrupted ones, and on the OUT.h5.part of a run that was killed or still goes
 * on.
 */
#pragma once
#include "io/results_tree.h"

typedef struct cap_results_file cap_results_file;

cap_status cap_results_read_open(const char *path, cap_results_file **file, cap_error *error);
/* The same with one group only, for those who want little of many files. */
cap_status cap_results_read_group(const char *path, const char *group, cap_results_file **file,
                                  cap_error *error);
/* The same of an open file, whose descriptor is taken in every case; `name` is for messages. */
cap_status cap_results_read_descriptor(int fd, const char *name, cap_results_file **file, cap_error *error);
/* Its descriptor, as long as it is open: for its bytes. */
int cap_results_read_bytes(const cap_results_file *file);
void cap_results_read_close(cap_results_file *file); /* accepts NULL */
/* Groups, columns, items, audit and meta; lives as long as the file is open. */
const cap_results_tree *cap_results_read_tree(const cap_results_file *file);

/* `count` entries along the first dimension from `start` on, every `stride`-th; of an array of higher rank
 * each entry is the whole of the other dimensions. `values` has room for all of them. */
cap_status cap_results_read_part(cap_results_file *file, const cap_results_group *group,
                                 const cap_results_dataset *dataset, int64_t start, int64_t stride,
                                 int64_t count, double *values, cap_error *error);
/* All values (a number counts as one); *values is for the caller to free, *count may be NULL. */
cap_status cap_results_read_all(cap_results_file *file, const cap_results_group *group,
                                const cap_results_dataset *dataset, double **values, int64_t *count,
                                cap_error *error);
