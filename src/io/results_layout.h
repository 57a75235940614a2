/* io/results_layout.h — writes a whole result file from a tree (results_tree.h).
 *
 * HDF5 makes the structure and reserves the space of all bulk values; the values themselves are then written
 * at their offsets with plain writes. A file made so is a pure function of the tree: equal contents, equal
 * bytes.
 *
 * The reserved form of a file that is still being written has room for more rows in each running table, and
 * two slots for the checkpoint of each group; results.c fills both in place without touching the structure.
 */
#pragma once
#include "io/results_tree.h"
#include <sys/types.h>

/* Write `path` (replaced when it exists, with the permissions `mode`, 0 = as the umask has it). Bulk
 * values that are not in memory come from `source`, a descriptor of the file that the tree's offsets refer
 * to (-1 when there is none). `reserve`: the form with room for more. `*fd` is the new file, open for
 * reading and writing; its offsets are in the tree's next_offset members until cap_results_layout_adopt
 * makes them current and releases what memory held. */
cap_status cap_results_layout_write(cap_results_tree *tree, int source, const char *path, mode_t mode,
                                    bool reserve, int *fd, cap_error *error);
/* The finished form of a tree that is all in memory, in a file without a name, which is gone when `*fd` is
 * closed; `name` is for messages. */
cap_status cap_results_layout_hold(cap_results_tree *tree, const char *name, int *fd, cap_error *error);
void cap_results_layout_adopt(cap_results_tree *tree);

/* The values of a column or array, which `source` holds or memory still has; `path` is for messages. */
cap_status cap_results_layout_peek(const cap_results_group *group, const cap_results_dataset *dataset,
                                   int source, const char *path, double *values, cap_error *error);

/* In place, into a file of the reserved form: the buffered rows of a group (they must fit), and its
 * checkpoint with the next sequence number; `fd` is made durable between state and commit record. */
cap_status cap_results_layout_append(cap_results_group *group, int fd, cap_error *error);
cap_status cap_results_layout_commit(cap_results_group *group, int fd, cap_error *error);
