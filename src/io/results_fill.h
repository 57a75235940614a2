/* io/results_fill.h — the bytes of a result file: what HDF5 has made, with the values in the places that it
 * has reserved for them, from the first to the last. */
#pragma once
#include "io/h5_image.h"
#include "io/results_tree.h"

enum { CAP_RESULTS_RECORD = 6 /* numbers of the record that makes a slot of a checkpoint valid */ };

/* Write the whole file to `target`. Arguments are those of cap_results_layout_write. */
cap_status cap_results_fill(const cap_results_tree *tree, const cap_h5_image *image, int source, bool reserve,
                            int target, const char *path, cap_error *error);

void cap_results_fill_record(const cap_results_checkpoint *checkpoint, int64_t record[CAP_RESULTS_RECORD]);
/* `size` bytes of `source` at `offset`. */
cap_status cap_results_fill_read(int source, void *bytes, size_t size, int64_t offset, const char *path,
                                 cap_error *error);
