/* io/renames.h — trees and words of format version 1 in the names of version 2.
 *
 * The tables of base/fields.h know what their keys, choices and variants were called, and which texts refer
 * to keys or channels. A tree is renamed before it is bound, so that everything behind it knows present names
 * only; the same pass lists what was written otherwise, which is what `capstan migrate` rewrites (rewrite.h).
 * What the names of channels were is in channel_names.h.
 */
#pragma once
#include "base/fields.h"
#include "io/yaml.h"

enum { CAP_RENAMES_TABLES = 16 };

/* A text of the file that has another one now. */
typedef struct cap_renames_edit {
  cap_yaml_token token;
  const char *was, *is; /* as YAML reads them */
  cap_field_means means;
  const char *path; /* of VALUE: the key whose value it is, by its present names */
  struct cap_renames_edit *before;
} cap_renames_edit;

typedef struct cap_renames_told {
  const char *was;
  struct cap_renames_told *before;
} cap_renames_told;

typedef struct cap_renames {
  cap_arena *arena;
  cap_diag *diag; /* of warnings and conflicts; NULL: neither is reported */
  /* Old names are left as they are, for the tables to refuse, but for those that a setting brought. */
  bool settings_only;
  const cap_field *paths[CAP_RENAMES_TABLES]; /* what paths lead into; ends with NULL */
  bool warn;                                  /* one warning for each old name */
  bool warn_left;                             /* one for each choice that no longer exists, which is kept */
  cap_renames_edit *edits;                    /* the last one first */
  cap_renames_told *told;
  bool exhausted; /* memory ran out */
} cap_renames;

/* The tree of a section, in which the keys of all tables (the last one NULL) are next to each other; shares
 * what has not changed with `map`. */
cap_yaml_node *cap_renames_map(cap_renames *r, cap_yaml_node *map, const cap_field *const *tables);

/* The tree of the value of a field. */
cap_yaml_node *cap_renames_value(cap_renames *r, cap_yaml_node *node, const cap_field *field);

/* A word, renamed: "load.angular_frequency", "load.angular_frequency=3 rad/s", "sheave.closing",
 * "max(sheave.closing)". The
 * same text where it has no old name; NULL when memory ran out. */
const char *cap_renames_word(cap_renames *r, cap_field_means means, const char *text);

/* The value of the key at a path of present names: YAML in one line. */
const char *cap_renames_text_of(cap_renames *r, const char *path, const char *value);

/* A setting whose path has present names; of its value that is found out in the tree. */
const char *cap_renames_setting(cap_renames *r, const char *text);

/* The field that a path leads to, of any kind, by its present names; NULL = none. */
const cap_field *cap_renames_target(const cap_renames *r, const char *path);

/* A path that ends with the key of an angular frequency or its frequency in Hz: the other one, for which a
 * setting stands as well; false when it does not end so. */
bool cap_renames_twin(const cap_renames *r, const char *path, char *twin, size_t size);
