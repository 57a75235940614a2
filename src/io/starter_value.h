/* io/starter_value.h — values as they stand in a model file to start from (starter.h). All live in the arena;
 * "" when there is no memory. */
#pragma once
#include "base/fields.h"
#include "io/yaml.h"

/* A piece of a tree in one line, "{name: crank, at: [0 mm, 0 mm]}", with quotes only where they are needed;
 * `inside`: it stands in such a line. */
const char *cap_starter_value_flow(const cap_yaml_node *node, bool inside, cap_arena *arena);
/* What could stand behind an optional key: its default, its example, or its required keys with theirs. */
const char *cap_starter_value_sample(const cap_field *field, cap_arena *arena);
/* "masing, dahl or linear": the names of a CHOICE, VARIANT or STEPS. */
const char *cap_starter_value_choices(const cap_field *field, cap_arena *arena);
