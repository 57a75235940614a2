/* io/results_load.h — reads the contents of a result file (results_tree.h), complete or not. */
#pragma once
#include "io/h5_read.h"
#include "io/results_tree.h"

/* Open `path` and load its tree: CAP_ERR_IO with the reason when it is no result file, is damaged or of
 * another format; a file with a digest is read only if its bytes have it. A group that was running when its
 * process died shows the rows and items of its last checkpoint. The caller frees the tree and closes the
 * file. */
cap_status cap_results_load_open(cap_results_tree *tree, const char *path, cap_h5_input *in,
                                 cap_error *error);
/* The same with one group only (NULL: all); the tree has none when the file has not. */
cap_status cap_results_load_group(cap_results_tree *tree, const char *path, const char *only,
                                  cap_h5_input *in, cap_error *error);
/* The same of a descriptor, which is closed with `in`, or when it fails; `path` is for messages. */
cap_status cap_results_load_descriptor(cap_results_tree *tree, int fd, const char *path, const char *only,
                                       cap_h5_input *in, cap_error *error);
void cap_results_load_close(cap_h5_input *in); /* accepts one that was never opened, with fd -1 */
