/* io/model_parse.h — the reading of model files, for any set of drives and analyses.
 *
 * io/model_file.h is this with the program's own registry; tests and embedding programs may bring another
 * one.
 */
#pragma once
#include "io/model_file.h"
#include "io/yaml.h"

typedef struct cap_model_parse_registry {
  const cap_drive *const *drives; /* ends with NULL */
  const cap_variant *analyses;    /* ends with name NULL */
  size_t largest_spec;            /* bytes of the largest struct of an analysis */
  const cap_field *outputs;       /* the section "outputs" */
} cap_model_parse_registry;

/* FORMAT is the version of model files; those of FIRST are read with the names that they had. */
enum { CAP_MODEL_PARSE_FIRST = 1, CAP_MODEL_PARSE_FORMAT = 2, CAP_MODEL_PARSE_COMMON = 10 };

/* As cap_model_file_parse and cap_model_file_read. */
cap_status cap_model_parse_text(const cap_model_parse_registry *registry, const char *path, const char *text,
                                size_t size, int nsetting, const char *const *settings, cap_model_file **file,
                                cap_diag *diag);
cap_status cap_model_parse_file(const cap_model_parse_registry *registry, const char *path, int nsetting,
                                const char *const *settings, cap_model_file **file, cap_diag *diag);
void cap_model_parse_free(cap_model_file *file); /* accepts NULL */

/* The tree of a model file with its settings, all in present names. Warnings for old ones, findings about
 * settings and old names go to `diag`; the status is about memory alone. */
cap_status cap_model_parse_tree(const cap_model_parse_registry *registry, int nsetting,
                                const char *const *settings, cap_arena *arena, cap_diag *diag,
                                cap_yaml_node **root);
/* Tables of a model file: the drive's and the common ones, for trees and for paths. `drive` may be NULL. */
typedef struct cap_model_parse_tables {
  cap_field common[CAP_MODEL_PARSE_COMMON];
  const cap_field *all[3];
} cap_model_parse_tables;
void cap_model_parse_tables_of(const cap_model_parse_registry *registry, const cap_drive *drive,
                               cap_model_parse_tables *tables);
/* The version that a tree says; 0 = none, or no number. */
int cap_model_parse_version(const cap_yaml_node *root);

/* What no single key of a drive shows: its check, and its description where it has one. */
void cap_model_parse_check(const cap_drive *drive, const void *spec, cap_description *description,
                           cap_diag *diag);

/* Fill the struct `base` of a table from `text`, YAML of the required keys, and from the defaults of all
 * others, with memory of `arena`. */
cap_status cap_model_parse_defaults(const cap_field *fields, const char *text, cap_arena *arena, void *base,
                                    cap_error *error);

/* The drives and analyses of the program (model_file.c). */
cap_model_parse_registry cap_model_file_registry(void);

/* The keys that every model file has, whatever its drive; ends with an empty entry. */
void cap_model_parse_common(const cap_model_parse_registry *registry, cap_field out[CAP_MODEL_PARSE_COMMON]);
