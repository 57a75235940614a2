/* io/tree_path.h — reach into the tree of a model file by a path such as "pulleys[2].radius" or
 * "pulleys[crank].radius" (base/selector.h). */
#pragma once
#include "io/yaml.h"

/* Line and column of the value at `path`, or of the nearest section above it; `origin` as of a node. */
bool cap_tree_path_locate(const cap_yaml_node *root, const char *path, int *line, int *column,
                          const char **origin);

/* The single value at `path`, of a list its first, as it is written; NULL when there is none. */
const char *cap_tree_path_written(const cap_yaml_node *root, const char *path);

/* Take the key at the end of `path` out of its section, if it is there. */
cap_status cap_tree_path_drop(cap_yaml_node **root, const char *path, cap_arena *arena);

/* Apply a setting "PATH=VALUE" to the tree. VALUE is YAML as it may stand in one line ("13 N", "[1 N, 2 N]",
 * "{law: dahl}"). Missing sections and keys are made (whether they have a meaning is found out when the tree
 * is read); an index may be one past the end of a list. Findings go to `diag` under the name "--set
 * PATH=VALUE". */
cap_status cap_tree_path_set(cap_yaml_node **root, const char *setting, cap_arena *arena, cap_diag *diag);
