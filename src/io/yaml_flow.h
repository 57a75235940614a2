/* io/yaml_flow.h — a piece of a tree written back as YAML that stands in one line, as --set takes it. */
#pragma once
#include "io/yaml.h"

/* A scalar is its text as it is; sections and lists are written with all their texts quoted. NULL: out of
 * memory. */
const char *cap_yaml_flow_text(const cap_yaml_node *node, cap_arena *arena);
