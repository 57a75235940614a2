/* io/results_load.h — reads the contents of a result file (results_tree.h), complete or not. */
#pragma once
#include "io/results_tree.h"

/* Open `path` and load its tree: CAP_ERR_IO with the reason when it is no result file, is damaged or of
 * another format. A group that was running when its process died shows the rows and items of its last
 * checkpoint. The caller frees the tree and closes the file. */
cap_status cap_results_load_open(cap_results_tree *tree, const char *path, hid_t *file, cap_error *error);
/* The same with one group only (NULL: all); the tree has none when the file has not. */
cap_status cap_results_load_group(cap_results_tree *tree, const char *path, const char *only, hid_t *file,
                                  cap_error *error);
